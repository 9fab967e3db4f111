//! What the merge keeps, joins, relocates and puts on record.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::sync::Arc;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_merger::{Author, ChunkOutcome, FileContext, merge};
use war_rig_template::{
    BlockCitation, BusinessRule, CalledProgram, CallingContext, ChunkStatus, CitationStatus, DataFlow, DataFlowStep,
    Document, DocumentStatus, ErrorHandling, Interface, ItemOrigin, Paragraph, ParagraphOverview, PartialItem,
    PartialTemplate, ProgramOverview, Purpose,
};
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceText};

/// Sixteen lines: two sections with a paragraph of the same name, and two calls of one program.
const SOURCE: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MERGED.
       PROCEDURE DIVISION.
       FIRST-PART SECTION.
       CHECK-IT.
           IF WS-AGE < 18
               MOVE 'R01' TO WS-REASON
           END-IF.
           CALL 'DATESUB' USING WS-A.
       SECOND-PART SECTION.
       CHECK-IT.
           IF WS-PREMIUM > 99999.99
               MOVE 'R02' TO WS-REASON
           END-IF.
           CALL 'DATESUB' USING WS-B.
           GOBACK.
";

const MODEL: Author<'static> = Author { produced_by: "a-model", is_parser_only: false };

struct Case {
    source: SourceText,
    analysis: Analysis,
}

fn case() -> Case {
    let source = SourceText::read("cbl/MERGED.cbl", SOURCE.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    Case { source, analysis }
}

/// Merges two chunks, lines 1-9 and 10-16, of which each may have failed.
fn merged(first: Option<PartialTemplate>, second: Option<PartialTemplate>) -> Document {
    let Case { source, analysis } = case();
    let outcome = |number: u32, start: u32, end: u32, partial| {
        let lines = LineRange::new(LineNumber::new(start).unwrap(), LineNumber::new(end).unwrap()).unwrap();
        ChunkOutcome::new(format!("MERGED-00{number}"), lines, partial)
    };
    let outcomes = [outcome(1, 1, 9, first), outcome(2, 10, 16, second)];
    merge(
        &source,
        &analysis,
        &outcomes,
        MODEL,
        &FileContext {
            context: CallingContext { called_by: vec!["CALLER".to_owned()], ..CallingContext::default() },
            ..FileContext::default()
        },
    )
}

fn rows(start: u32, end: u32) -> Vec<BlockCitation> {
    vec![BlockCitation { start, end, quote: None }]
}

fn paragraph(summary: &str, citations: Vec<BlockCitation>) -> PartialItem<Paragraph> {
    PartialItem::new(
        Paragraph {
            paragraph_name: "CHECK-IT".to_owned(),
            summary: summary.to_owned(),
            purpose: None,
            ..Paragraph::default()
        },
        citations,
    )
}

fn rule(description: &str, citations: Vec<BlockCitation>) -> PartialItem<BusinessRule> {
    PartialItem::new(BusinessRule { description: description.to_owned(), ..BusinessRule::default() }, citations)
}

fn lines(citations: &[war_rig_template::Citation]) -> Vec<String> {
    citations.iter().map(|citation| format!("{} {:?}", citation.lines(), citation.status())).collect()
}

#[test]
fn a_forgetful_scribe_loses_no_fact() {
    let document = merged(Some(PartialTemplate::default()), Some(PartialTemplate::default()));
    assert_eq!(document.header.status, DocumentStatus::Complete);
    let paragraphs: Vec<_> = document
        .paragraphs
        .iter()
        .map(|p| (p.paragraph_name.as_str(), p.section.as_deref(), lines(&p.citations)))
        .collect();
    assert_eq!(paragraphs[0], ("CHECK-IT", Some("FIRST-PART"), vec!["5-9 Verified".to_owned()]));
    assert_eq!(paragraphs[1], ("CHECK-IT", Some("SECOND-PART"), vec!["11-16 Verified".to_owned()]));
    assert_eq!(document.called_programs.len(), 2);
    assert!(document.called_programs.iter().all(|call| call.origin == ItemOrigin::Parser));
    assert_eq!(document.calling_context.called_by, ["CALLER"]);
    assert_eq!((document.coverage.documented, document.coverage.failed), (16, 0));
}

#[test]
fn rows_become_lines_and_words_meet_the_right_item() {
    let call = |purpose: &str, row: u32| {
        PartialItem::new(
            CalledProgram {
                program_name: "DATESUB".to_owned(),
                purpose: purpose.to_owned(),
                ..CalledProgram::default()
            },
            rows(row, row),
        )
    };
    let first = PartialTemplate {
        paragraphs: vec![paragraph("Refuses the young.", rows(5, 9))],
        called_programs: vec![call("Adds a year.", 9)],
        ..PartialTemplate::default()
    };
    let second = PartialTemplate {
        paragraphs: vec![paragraph("Refuses the dear.", rows(2, 7))],
        called_programs: vec![call("Subtracts a year.", 6)],
        business_rules: vec![rule("A WS-PREMIUM above 99999.99 is refused.", rows(3, 5))],
        ..PartialTemplate::default()
    };
    let document = merged(Some(first), Some(second));
    let said: Vec<_> = document.paragraphs.iter().map(|p| (p.summary.as_str(), p.origin)).collect();
    assert_eq!(said, [("Refuses the young.", ItemOrigin::Both), ("Refuses the dear.", ItemOrigin::Both)]);
    let calls: Vec<_> = document.called_programs.iter().map(|c| (c.purpose.as_str(), lines(&c.citations))).collect();
    assert_eq!(
        calls,
        [("Adds a year.", vec!["9 Verified".to_owned()]), ("Subtracts a year.", vec!["15 Verified".to_owned()])]
    );
    assert_eq!(lines(&document.business_rules[0].citations), ["12-14 Verified"]);
    assert_eq!(
        (document.business_rules[0].rule_id.as_str(), document.business_rules[0].origin),
        ("R001", ItemOrigin::Model)
    );
    assert!(document.conflicts.is_empty());
}

#[test]
fn a_stub_never_beats_a_full_entry_and_texts_about_one_thing_are_joined() {
    let first = PartialTemplate { paragraphs: vec![paragraph("", rows(5, 9))], ..PartialTemplate::default() };
    let again = PartialTemplate {
        paragraphs: vec![paragraph("Refuses the dear.", rows(2, 7)), paragraph("Approves everything.", rows(2, 7))],
        ..PartialTemplate::default()
    };
    let document = merged(Some(first), Some(again));
    assert_eq!(document.paragraphs[0].summary, "");
    assert_eq!(document.paragraphs[1].summary, "Refuses the dear. Approves everything.");
    assert!(document.conflicts.is_empty());
}

#[test]
fn rules_are_kept_once_a_description_and_purposes_are_joined() {
    let partial = |summary: &str, row: u32| PartialTemplate {
        purpose: Some(PartialItem::new(Purpose { summary: summary.to_owned(), ..Purpose::default() }, rows(1, 2))),
        business_rules: vec![rule("WS-REASON tells why.", rows(row, row))],
        ..PartialTemplate::default()
    };
    let document = merged(Some(partial("MERGED checks.", 7)), Some(partial("It reports.", 4)));
    assert_eq!(document.purpose.summary, "MERGED checks. It reports.");
    assert_eq!(document.business_rules.len(), 1);
    assert_eq!(lines(&document.business_rules[0].citations), ["7 Verified", "13 Verified"]);
}

#[test]
fn errors_of_one_text_are_one_where_the_same_holds_for_them() {
    let error = |runs: Option<&str>, row: u32| {
        let body = ErrorHandling {
            condition: "CALL of DATESUB fails".to_owned(),
            action: "Ends the program".to_owned(),
            outcome: Some("WS-REASON 'R01'".to_owned()),
            runs: runs.map(str::to_owned),
            ..ErrorHandling::default()
        };
        PartialItem::new(body, rows(row, row))
    };
    let errors =
        [error(None, 6), error(Some("when WS-AGE is 1"), 7), error(None, 8), error(Some("when WS-AGE is 1"), 9)];
    let Case { source, analysis } = case();
    let partial = PartialTemplate { error_handling: errors.to_vec(), ..PartialTemplate::default() };
    let lines_all = LineRange::new(LineNumber::new(1).unwrap(), LineNumber::new(16).unwrap()).unwrap();
    let outcomes = [ChunkOutcome::new("MERGED-001".to_owned(), lines_all, Some(partial))];
    let author = Author { produced_by: "parser", is_parser_only: true };
    let document = merge(&source, &analysis, &outcomes, author, &FileContext::default());
    let told: Vec<_> =
        document.error_handling.iter().map(|error| (error.runs.as_deref(), error.citations.len())).collect();
    assert_eq!(told, [(None, 2), (Some("when WS-AGE is 1"), 2)]);
}

#[test]
fn a_models_rule_decides_what_the_parser_says_of_its_line() {
    let Case { source, analysis } = case();
    let mut known = rule("When WS-AGE is less than 18: sets WS-REASON to 'R01'.", rows(6, 8));
    known.decides = Some("sets WS-REASON".to_owned());
    known.data_items = vec!["WS-AGE".to_owned()];
    let said = vec![rule("Minors have reason R01 (WS-AGE).", rows(6, 7)), rule("WS-PREMIUM is capped.", rows(12, 13))];
    let template = |business_rules: Vec<PartialItem<BusinessRule>>| PartialTemplate {
        business_rules,
        ..PartialTemplate::default()
    };
    let outcome = ChunkOutcome {
        parser_template: Some(template(vec![known])),
        ..ChunkOutcome::new("X-001", source.line_range().unwrap(), Some(template(said)))
    };
    let document = merge(&source, &analysis, &[outcome], MODEL, &FileContext::default());
    let rules = &document.business_rules;
    assert_eq!((rules.len(), rules[0].origin), (2, ItemOrigin::Model));
    assert_eq!(
        (rules[0].decides.as_deref(), rules[0].data_items.as_slice()),
        (Some("sets WS-REASON"), &["WS-AGE".to_owned()][..])
    );
    assert_eq!((&rules[1].decides, rules[1].data_items.len()), (&None, 0));
}

#[test]
fn citations_that_are_off_are_relocated_or_unsupported_never_verified() {
    let quoted = |quote: &str, row: u32| vec![BlockCitation { start: row, end: row, quote: Some(quote.to_owned()) }];
    let first = PartialTemplate {
        business_rules: vec![
            rule("Reason one.", quoted("move 'R01' to ws-reason", 1)),
            rule("Nothing of the kind.", quoted("MOVE 'R99'", 7)),
            rule("WS-AGE below 18.", rows(1, 2)),
            rule("No name at all here.", rows(3, 4)),
        ],
        error_handling: vec![PartialItem::new(
            ErrorHandling {
                condition: "NO-SUCH-FIELD is bad".to_owned(),
                action: "Stops.".to_owned(),
                ..ErrorHandling::default()
            },
            rows(400, 900),
        )],
        paragraphs: vec![PartialItem::new(
            Paragraph {
                paragraph_name: "INVENTED".to_owned(),
                summary: "Is not there.".to_owned(),
                purpose: None,
                ..Paragraph::default()
            },
            rows(5, 6),
        )],
        ..PartialTemplate::default()
    };
    let document = merged(Some(first), Some(PartialTemplate::default()));
    let status = |description: &str| {
        let rule = document.business_rules.iter().find(|rule| rule.description == description).unwrap();
        lines(&rule.citations).join(" ")
    };
    assert_eq!(status("Reason one."), "7 Relocated");
    assert_eq!(status("Nothing of the kind."), "7 Unsupported");
    assert_eq!(status("WS-AGE below 18."), "1-2 Unsupported");
    assert_eq!(status("No name at all here."), "3-4 Unchecked");
    assert_eq!(document.error_handling[0].citations[0].status(), CitationStatus::Unsupported);
    assert!(document.business_rules.iter().all(|rule| rule.confidence != Some(1.0)));
}

/// What a model makes up is in no list of the document, whatever words of the source it quotes for it.
#[test]
fn what_a_model_makes_up_is_left_out_and_listed() {
    let quoted = vec![BlockCitation { start: 7, end: 7, quote: Some("MOVE 'R01'".to_owned()) }];
    let first = PartialTemplate {
        paragraphs: vec![PartialItem::new(
            Paragraph {
                paragraph_name: "INVENTED".to_owned(),
                summary: "Is not there.".to_owned(),
                purpose: None,
                ..Paragraph::default()
            },
            quoted.clone(),
        )],
        called_programs: vec![
            PartialItem::new(
                CalledProgram {
                    program_name: "NOSUCH".to_owned(),
                    purpose: "Is not called.".to_owned(),
                    ..CalledProgram::default()
                },
                quoted.clone(),
            ),
            PartialItem::new(
                CalledProgram {
                    program_name: "WS-AGE".to_owned(),
                    purpose: "Is an item and no program.".to_owned(),
                    ..CalledProgram::default()
                },
                quoted,
            ),
        ],
        ..PartialTemplate::default()
    };
    let document = merged(Some(first), Some(PartialTemplate::default()));
    assert!(document.paragraphs.iter().all(|paragraph| paragraph.paragraph_name != "INVENTED"));
    let rejected: Vec<_> = document.rejected.iter().map(|item| (item.field.as_str(), item.name.as_str())).collect();
    assert_eq!(rejected, [("called_programs", "NOSUCH"), ("paragraphs", "INVENTED")]);
    let disputed = document.called_programs.iter().find(|call| call.program_name == "WS-AGE").unwrap();
    assert_eq!((disputed.origin, disputed.confidence), (ItemOrigin::Model, Some(0.0)));
    assert_eq!(disputed.citations[0].status(), CitationStatus::Unsupported);
}

/// What a model does not say is said by the parser, and what it says stands.
#[test]
fn the_parsers_words_stand_where_a_model_has_none() {
    let Case { source, analysis } = case();
    let lines = source.line_range().unwrap();
    let kind = |summary: &str, kind: Option<&str>| {
        Some(PartialItem::new(
            Purpose {
                summary: summary.to_owned(),
                program_type: kind.unwrap_or_default().to_owned(),
                ..Purpose::default()
            },
            Vec::new(),
        ))
    };
    let known = PartialTemplate {
        purpose: kind("Known.", Some("batch")),
        paragraphs: vec![paragraph("Known.", rows(5, 9))],
        business_rules: vec![rule("Known WS-AGE rule.", rows(6, 6))],
        ..PartialTemplate::default()
    };
    let check = |partial: Option<PartialTemplate>| {
        let outcome =
            ChunkOutcome { parser_template: Some(known.clone()), ..ChunkOutcome::new("X-001", lines, partial) };
        merge(&source, &analysis, &[outcome], MODEL, &FileContext::default())
    };
    let said = PartialTemplate {
        purpose: kind("Said.", None),
        paragraphs: vec![paragraph("Said.", rows(5, 9))],
        business_rules: vec![rule("Said WS-AGE rule.", rows(6, 6))],
        ..PartialTemplate::default()
    };
    let summary = |document: &Document| {
        let found = document.paragraphs.iter().find(|p| p.paragraph_name == "CHECK-IT").unwrap();
        (found.summary.clone(), found.origin)
    };
    let rules = |document: &Document| {
        let rules = document.business_rules.iter();
        rules.map(|rule| (rule.description.clone(), rule.origin)).collect::<Vec<_>>()
    };
    for partial in [Some(PartialTemplate::default()), None] {
        let document = check(partial);
        assert_eq!(summary(&document), ("Known.".to_owned(), ItemOrigin::Parser));
        assert_eq!((document.purpose.summary.as_str(), document.purpose.origin), ("Known.", ItemOrigin::Parser));
        assert_eq!(rules(&document), [("Known WS-AGE rule.".to_owned(), ItemOrigin::Parser)]);
    }
    let document = check(Some(said));
    assert_eq!(summary(&document), ("Said.".to_owned(), ItemOrigin::Both));
    let purpose = &document.purpose;
    assert_eq!((purpose.summary.as_str(), purpose.program_type.as_str()), ("Said.", "batch"));
    assert_eq!(rules(&document), [("Said WS-AGE rule.".to_owned(), ItemOrigin::Model)]);
    assert!(document.conflicts.is_empty());
}

#[test]
fn a_failed_chunk_leaves_its_mark() {
    let document = merged(None, Some(PartialTemplate::default()));
    assert_eq!(document.header.status, DocumentStatus::Partial);
    assert_eq!((document.coverage.documented, document.coverage.failed), (7, 9));
    assert_eq!(
        document.chunks.iter().map(|c| c.status).collect::<Vec<_>>(),
        [ChunkStatus::Failed, ChunkStatus::Complete]
    );
    assert_eq!(merged(None, None).header.status, DocumentStatus::Failed);
}

/// Files and flows are a model's to name as well, but not to make up: a quote from somewhere bears out no name that the source lacks.
#[test]
fn a_file_that_the_source_does_not_have_is_never_verified() {
    let quoted = || vec![BlockCitation { start: 7, end: 7, quote: Some("MOVE 'R01'".to_owned()) }];
    let ghost = |name: &str| {
        PartialItem::new(
            Interface {
                name: name.to_owned(),
                io_type: "file".to_owned(),
                copybook: Some("GHOSTCPY".to_owned()),
                ..Interface::default()
            },
            quoted(),
        )
    };
    let flow =
        PartialItem::new(DataFlowStep { name: "GHOST-TABLE".to_owned(), description: "Read.".to_owned() }, quoted());
    let first = PartialTemplate {
        inputs: vec![ghost("GHOST-FILE"), ghost("WS-REASON")],
        data_flow: DataFlow { reads_from: vec![flow], ..DataFlow::default() },
        ..PartialTemplate::default()
    };
    let document = merged(Some(first), Some(PartialTemplate::default()));
    let input = |name: &str| document.inputs.iter().find(|input| input.name == name).unwrap();
    assert_eq!(lines(&input("GHOST-FILE").citations), ["7 Unsupported"]);
    // The source has the name, but writes to it there.
    assert_eq!(lines(&input("WS-REASON").citations), ["7 Contradicted"]);
    assert_eq!(input("WS-REASON").copybook, None);
    let read = &document.data_flow.reads_from[0];
    assert_eq!((lines(&read.citations), read.confidence), (vec!["7 Unsupported".to_owned()], Some(0.0)));
}

#[test]
fn paragraphs_say_what_they_touch_and_why_they_are_dead() {
    let code = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TOUCH.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT IN-FILE ASSIGN TO INFILE.
       DATA DIVISION.
       FILE SECTION.
       FD IN-FILE.
       01 IN-REC PIC X.
       WORKING-STORAGE SECTION.
       01 A PIC X.
       01 B PIC X.
       PROCEDURE DIVISION.
       MAIN.
           READ IN-FILE AT END MOVE A TO B.
           GO TO DONE.
       OLD.
           PERFORM OLDER.
           GO TO DONE.
       OLDER.
           MOVE A TO B.
       DONE.
           GOBACK.
";
    let source = SourceText::read("cbl/TOUCH.cbl", code.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let document = merge(&source, &analysis, &[], MODEL, &FileContext::default());
    let [main, old, older, done] = document.paragraphs.as_slice() else { panic!("four paragraphs") };
    assert_eq!((&main.uses[..], &main.reads[..]), (&["READ IN-FILE".to_owned()][..], &["A".to_owned()][..]));
    assert_eq!(main.writes, ["IN-REC", "B"]);
    assert!(main.dead_because.is_none() && done.dead_because.is_none() && done.reads.is_empty());
    assert_eq!(
        old.dead_because.as_deref(),
        Some("no PERFORM, GO TO or fall-through leads here: `MAIN` before it ends with GO TO")
    );
    let older_is = Some("only performed by `OLD`, which is itself never reached");
    assert!(older.is_dead_code && older.dead_because.as_deref() == older_is);
    let page = document.to_markdown("TOUCH.cbl");
    assert!(page.contains("never reached: only performed by `OLD`, which is itself never reached"), "{page}");
    assert!(page.contains("- Paragraphs that control never reaches: `OLD` line 18, `OLDER` line 21."), "{page}");
}

#[test]
fn a_segment_that_only_says_where_another_stands_is_not_worked_on() {
    let text = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PATH.
       PROCEDURE DIVISION.
       ADD-CLAIM.
           EXEC DLI ISRT USING PCB(1)
               SEGMENT(POLROOT) WHERE(POLKEY = WS-KEY)
               SEGMENT(CLAIM) FROM(CLAIM-AREA)
           END-EXEC.
";
    let source = SourceText::read("cbl/PATH.cbl", text.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let outcome = ChunkOutcome::new("PATH-001", source.line_range().unwrap(), Some(PartialTemplate::default()));
    let document = merge(&source, &analysis, &[outcome], MODEL, &FileContext::default());
    let operation = &document.dli_operations[0];
    assert_eq!((operation.segments.join(" "), operation.parents.join(" ")), ("POLROOT CLAIM".into(), "POLROOT".into()));
    assert_eq!(document.paragraphs[0].uses, ["ISRT CLAIM"]);
    let page = document.to_markdown("PATH.cbl");
    assert!(page.contains("| `ISRT` | `CLAIM` under `POLROOT` | create |"), "{page}");
}

/// The overview replaces the purpose and what is said of a paragraph in pieces, which stay beside it; everything else is as it was.
#[test]
fn an_overview_is_told_in_place_of_the_parts() {
    let Case { source, analysis } = case();
    let lines = source.line_range().unwrap();
    let written = PartialTemplate {
        purpose: Some(PartialItem::new(Purpose { summary: "A part.".to_owned(), ..Purpose::default() }, rows(1, 2))),
        paragraphs: vec![paragraph("First piece.", rows(5, 9))],
        ..PartialTemplate::default()
    };
    let document = |overview: Option<ProgramOverview>| {
        let outcome = ChunkOutcome::new("X-001", lines, Some(written.clone()));
        merge(&source, &analysis, &[outcome], MODEL, &FileContext { overview, ..FileContext::default() })
    };
    let of = |line: u32| ParagraphOverview {
        paragraph_name: "CHECK-IT".to_owned(),
        line: LineNumber::new(line).unwrap(),
        summary: format!("All of {line}."),
        details: vec!["First piece.".to_owned(), "Second piece.".to_owned()],
    };
    let overview = ProgramOverview {
        summary: "The whole.".to_owned(),
        main_line: Some("It runs.".to_owned()),
        paragraphs: vec![of(5), of(6)],
        ..ProgramOverview::default()
    };
    let (mut plain, mut told) = (document(None), document(Some(overview)));
    assert_eq!((told.purpose.summary.as_str(), told.purpose.main_line.as_deref()), ("The whole.", Some("It runs.")));
    assert_eq!(lines_of(&told), lines_of(&plain));
    assert_eq!((told.paragraphs[0].summary.as_str(), told.paragraphs[0].details.len()), ("All of 5.", 2));
    // The second of the name begins on another line.
    assert!(told.paragraphs[1].details.is_empty());
    for document in [&mut plain, &mut told] {
        document.purpose.body = Purpose::default();
        document.paragraphs[0].body = Paragraph::default();
    }
    assert_eq!(plain, told);
}

fn lines_of(document: &Document) -> Vec<String> {
    lines(&document.purpose.citations)
}

#[test]
fn what_is_displayed_without_a_name_is_verified_by_its_verb() {
    let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       PROCEDURE DIVISION.\n           DISPLAY ' '.\n           display '*'.\n           DISPLAY 'DONE AT ' FUNCTION CURRENT-DATE.\n           GOBACK.\n";
    let source = SourceText::read("T.cbl", code.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let outcome = ChunkOutcome::new("T-001", source.line_range().unwrap(), None);
    let author = Author { produced_by: "static", is_parser_only: true };
    let document = merge(&source, &analysis, &[outcome], author, &FileContext::default());
    let cited: Vec<_> = document.outputs.iter().flat_map(|output| &output.citations).collect();
    assert_eq!(cited.len(), 3);
    assert!(cited.iter().all(|citation| citation.status() == CitationStatus::Verified), "{cited:?}");
}
