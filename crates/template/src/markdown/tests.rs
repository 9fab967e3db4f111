//! A small page for review, and pages that must not claim more than their documents.

use crate::citation::tests::{range, source};
use crate::*;
use std::collections::BTreeSet;
use war_rig_text::{LineNumber, LineRange, SourceText};

fn text() -> SourceText {
    source(&[
        " PROGRAM-ID. INTPOST.",
        " 01  ACCT-RECORD.",
        "     05  ACCT-ID      PIC 9(11).",
        "     05  ACCT-STATUS  PIC X.",
        "         88  ACCT-ACTIVE VALUE 'A'.",
        " 77  RETRIES PIC 9 VALUE 3.",
        " 0000-MAIN.",
        "     READ RATE-FILE.",
        "     IF ACCT-ACTIVE PERFORM 1200-INTEREST.",
        "     GOBACK.",
        " 1200-INTEREST.",
        "     CALL 'DATECALC' USING ACCT-ID.",
        " 1950-OLD-TIERS.",
        "     EXIT.",
    ])
}

pub(super) fn cite(lines: (u32, u32), anchor: &str) -> Vec<Citation> {
    let claim = Claim { lines: range(lines.0, lines.1), quote: None };
    vec![Citation::verify(&claim, &text(), range(1, 14), &[anchor.to_owned()])]
}

pub(super) fn empty() -> Document {
    Document::new(DocumentHeader {
        version: DocumentHeader::VERSION,
        program_id: Some("INTPOST".to_owned()),
        file_name: "cbl/X.cbl".to_owned(),
        file_type: "program".to_owned(),
        produced_by: "static".to_owned(),
        source_hash: text().hash(),
        format: "fixed".to_owned(),
        encoding: "utf-8".to_owned(),
        ..DocumentHeader::default()
    })
}

fn paragraph(name: &str, lines: (u32, u32), summary: &str) -> DocumentItem<Paragraph> {
    DocumentItem::parsed(
        Paragraph {
            paragraph_name: name.to_owned(),
            headed_by: None,
            section: None,
            summary: summary.to_owned(),
            details: Vec::new(),
            purpose: None,
            calls: Vec::new(),
            called_by: Vec::new(),
            is_dead_code: false,
            dead_because: None,
            is_label_only: false,
            uses: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            steps: Vec::new(),
        },
        cite(lines, name),
    )
}

fn item(level: u8, name: &str, line: u32) -> DataDictionaryItem {
    DataDictionaryItem {
        name: name.to_owned(),
        level,
        picture: None,
        usage: None,
        offset: None,
        length: None,
        occurs: None,
        min_occurs: None,
        clauses: Vec::new(),
        depending_on: None,
        keys: Vec::new(),
        contents: None,
        redefines: None,
        comment: None,
        value: None,
        line: LineNumber::new(line).unwrap(),
        file: None,
        origin: ItemOrigin::Parser,
        program: None,
    }
}

fn interface(name: &str, description: &str, citations: Vec<Citation>) -> DocumentItem<Interface> {
    let io_type = "sequential file".to_owned();
    let (name, description) = (name.to_owned(), description.to_owned());
    DocumentItem::parsed(Interface { name, io_type, description, ..Interface::default() }, citations)
}

fn fetch() -> DocumentItem<SqlOperation> {
    let column = |number: u32| format!("COLUMN_{number}");
    let host = |name: &str, direction: &str, indicator: Option<&str>| SqlHostVariable {
        name: name.to_owned(),
        direction: direction.to_owned(),
        indicator: indicator.map(str::to_owned),
    };
    DocumentItem::parsed(
        SqlOperation {
            operation: "FETCH".to_owned(),
            table: Some("C1".to_owned()),
            purpose: "Fetches.".to_owned(),
            tables: vec![TableAccess { name: "GEN.RATE".to_owned(), access: "RU".to_owned() }],
            columns_read: (1..=12).map(column).chain(["*".to_owned()]).collect(),
            columns_written: vec![column(1)],
            host_variables: vec![host("A", "out", Some("A-NULL")), host("B", "in", None), host("C", "in_out", None)],
            cursor: Some(SqlCursor {
                name: "C1".to_owned(),
                declared_at: LineNumber::new(6),
                file: Some("cpy/C.cpy".to_owned()),
            }),
            dynamic: Some(DynamicSql { prepared: Some("S1".to_owned()), text_in: Some("WS-TEXT".to_owned()) }),
            defines: vec![TableColumn {
                name: "RATE".to_owned(),
                data_type: "DECIMAL(9, 2)".to_owned(),
                not_null: true,
                line: LineNumber::new(3).unwrap(),
            }],
            by_words: true,
            ..SqlOperation::default()
        },
        cite((9, 9), "PERFORM"),
    )
}

fn small() -> Document {
    let mut document = empty();
    document.coverage = Coverage { lines: 14, documented: 14, cited: 9, failed: 0, excluded: 0 };
    document.purpose = DocumentItem {
        origin: ItemOrigin::Both,
        ..DocumentItem::parsed(
            Purpose {
                summary: "Reads the rate file and posts\ninterest | <b>monthly</b>.".to_owned(),
                business_context: None,
                program_type: "batch".to_owned(),
                main_line: Some("Opens the file,\nreads it to its end | and stops.".to_owned()),
            },
            cite((7, 14), "0000-MAIN"),
        )
    };
    document.inputs = vec![interface("RATE-FILE", "READ", cite((8, 8), "RATE-FILE"))];
    document.outputs = vec![interface("RATE-FILE", "READ", cite((2, 2), "NOT-HERE"))];
    document.cics_operations = ["A", "B"]
        .map(|_| DocumentItem {
            origin: ItemOrigin::Both,
            ..DocumentItem::parsed(
                CicsOperation {
                    command: "SEND MAP".to_owned(),
                    resource: Some("RATES".to_owned()),
                    purpose: "shows the rates".to_owned(),
                    ..CicsOperation::default()
                },
                cite((9, 9), "PERFORM"),
            )
        })
        .into();
    document.cics_operations.push(DocumentItem::parsed(
        CicsOperation {
            command: "READ".to_owned(),
            resource: Some("WS-FILE".to_owned()),
            purpose: "Reads.".to_owned(),
            resource_kind: Some("file".to_owned()),
            candidates: vec!["RATEFIL".to_owned()],
            is_constant: false,
            map_set: Some("RATESET".to_owned()),
            data: vec!["INTO RATE-RECORD".to_owned()],
            response: Some("not handled here".to_owned()),
        },
        cite((8, 8), "READ"),
    ));
    document.sql_operations = vec![fetch()];
    document.dli_operations = vec![DocumentItem::parsed(
        DliOperation {
            is_message: false,
            function: "GU".to_owned(),
            segment: Some("POLROOT".to_owned()),
            purpose: "Gets POLROOT.".to_owned(),
            segments: vec!["POLICY".to_owned(), "POLROOT".to_owned()],
            parents: vec!["POLICY".to_owned()],
            access: "R".to_owned(),
            pcb: Some("POL-PCB".to_owned()),
            psb: Some("POLPSB".to_owned()),
            area: Some("POL-AREA".to_owned()),
            interface: Some("CBLTDLI".to_owned()),
        },
        cite((12, 12), "CALL"),
    )];
    document.called_programs = vec![DocumentItem::parsed(
        CalledProgram {
            program_name: "DATECALC".to_owned(),
            call_type: "static".to_owned(),
            purpose: String::new(),
            parameters: vec!["ACCT-ID".to_owned()],
            written: String::new(),
            may_call: Vec::new(),
            is_certain: false,
        },
        cite((10, 10), "DATECALC"),
    )];
    document.calling_context.called_by = vec!["MTHEND".to_owned()];
    document.business_rules = vec![DocumentItem {
        origin: ItemOrigin::Model,
        ..DocumentItem::parsed(
            BusinessRule {
                rule_id: "R-001".to_owned(),
                description: "Only an active account earns interest.".to_owned(),
                conditions: vec!["ACCT-STATUS = 'A'".to_owned()],
                paragraph: Some("0100-CHECK".to_owned()),
                ..BusinessRule::default()
            },
            cite((9, 9), "ACCT-ACTIVE"),
        )
    }];
    let mut main = paragraph("0000-MAIN", (7, 10), "reads the rates");
    main.uses = vec!["READ NEXT RATE-FILE".to_owned()];
    main.reads = vec!["WS-EOF".to_owned(), "12 items of RATE-RECORD".to_owned()];
    main.writes = ["A", "B", "C", "D", "E", "F", "G", "H", "I"].map(str::to_owned).to_vec();
    main.calls = vec!["1200-INTEREST".to_owned(), "1200-INTEREST".to_owned()];
    let mut interest = paragraph("1200-INTEREST", (11, 12), "works out interest");
    interest.called_by = vec!["0000-MAIN".to_owned()];
    let mut old = paragraph("1950-OLD-TIERS", (13, 14), "");
    old.is_dead_code = true;
    old.dead_because = Some("only performed by `OLDER`, which is itself never reached".to_owned());
    let mut exit = paragraph("1200-EXIT", (12, 12), "");
    exit.is_label_only = true;
    main.body.details = vec!["Opens the file.".to_owned(), "Reads it | to its end.".to_owned()];
    document.paragraphs = vec![main, interest, exit, old];
    let edge = |kind: &str, until: Option<&str>| ControlEdge {
        from: Some("0000-MAIN".to_owned()),
        from_section: None,
        to: "1200-INTEREST".to_owned(),
        enters: Some("1200-INTEREST".to_owned()),
        enters_section: None,
        goes_on_in: None,
        goes_on_in_section: None,
        goes_on_behind: false,
        through: None,
        through_section: None,
        kind: kind.to_owned(),
        until: until.map(str::to_owned),
        program_end: None,
        depending_on: None,
        on_failure: false,
        line: LineNumber::new(9).unwrap(),
        program: None,
    };
    document.control_flow = vec![edge("perform", Some("END-OF-RATES = 'Y'")), edge("go_to", None)];
    let mut record = item(1, "ACCT-RECORD", 2);
    (record.offset, record.length) = (Some(0), Some(12));
    let mut id = item(5, "ACCT-ID", 3);
    (id.picture, id.offset, id.length) = (Some("9(11)".to_owned()), Some(0), Some(11));
    let mut status = item(5, "ACCT-STATUS", 4);
    (status.picture, status.offset, status.length) = (Some("X".to_owned()), Some(11), Some(1));
    let mut active = item(88, "ACCT-ACTIVE", 5);
    active.value = Some("'A'".to_owned());
    let mut retries = item(77, "RETRIES", 6);
    (retries.picture, retries.value) = (Some("9".to_owned()), Some("3".to_owned()));
    document.data_dictionary = vec![record, id, status, active, retries];
    document.open_questions = vec![DocumentItem {
        origin: ItemOrigin::Model,
        ..DocumentItem::parsed(
            OpenQuestion {
                question: "Who sets ACCT-STATUS?".to_owned(),
                context: None,
                suggestion: Some("See ACCTLOAD.".to_owned()),
            },
            cite((4, 4), "ACCT-STATUS"),
        )
    }];
    document.conflicts = vec![DocumentConflict {
        field: "paragraphs.0000-MAIN.summary".to_owned(),
        kept: "reads the rates".to_owned(),
        dropped: "reads".to_owned(),
        chunks: vec!["X-001".to_owned(), "X-002".to_owned()],
    }];
    let chunk = |id: &str, lines: LineRange| ChunkRecord {
        chunk_id: id.to_owned(),
        lines,
        status: ChunkStatus::Complete,
        confidence: 0.875,
        notes: Vec::new(),
    };
    document.chunks = vec![chunk("X-001", range(1, 6)), chunk("X-002", range(7, 14))];
    document
}

#[test]
fn notes_of_items_have_their_clauses_and_comments() {
    let mut document = Document::new(small().header);
    let mut code = item(77, "CODE", 2);
    (code.picture, code.clauses) = (Some("S9".to_owned()), vec!["SIGN LEADING SEPARATE".to_owned()]);
    code.comment = Some("What the caller asks | for".to_owned());
    let mut asked = item(88, "ASKED", 3);
    (asked.value, asked.comment) = (Some("1".to_owned()), Some("By *all*".to_owned()));
    document.data_dictionary = vec![code, asked];
    let page = document.to_markdown("../../src/cbl/X.cbl");
    let row = r#"sign leading separate; 88 ASKED `1` "By \*all\*"; "What the caller asks \| for""#;
    assert!(page.contains(row), "{page}");
}

#[test]
fn a_small_document_reads_well() {
    insta::assert_snapshot!(small().to_markdown("../../src/cbl/X.cbl"));
}

#[test]
fn rules_stand_under_their_paragraphs() {
    let mut document = small();
    let like = document.business_rules[0].clone();
    let rule = |number: usize, decides: Option<&str>| DocumentItem {
        body: BusinessRule {
            rule_id: format!("R{number:03}"),
            description: format!("When CODE is {number}: does so."),
            logic_summary: Some(format!("MOVE {number} TO X")),
            conditions: vec![format!("CODE = {number}")],
            decides: decides.map(str::to_owned),
            ..like.clone().body
        },
        origin: ItemOrigin::Parser,
        ..like.clone()
    };
    let kinds = ["sets X", "what | is done", "sets X", "sets Y", "sets X", "what | is done"];
    document.business_rules = (1..).zip(kinds).map(|(number, kind)| rule(number, Some(kind))).collect();
    let page = document.to_markdown("X.cbl");
    assert!(!page.contains("### "), "few rules need no headings: {page}");
    document
        .business_rules
        .extend((7..10).map(|number| DocumentItem { origin: ItemOrigin::Model, ..rule(number, None) }));
    document.business_rules.push(DocumentItem {
        body: BusinessRule {
            description: "MAIN computes Z = A x B.".to_owned(),
            logic_summary: Some("COMPUTE Z = A * B".to_owned()),
            conditions: Vec::new(),
            ..rule(10, Some("sets Z")).body
        },
        ..rule(10, Some("sets Z"))
    });
    let page = document.to_markdown("X.cbl");
    let rules = page.split("## Rules it applies").nth(1).unwrap().split("\n## ").next().unwrap();
    insta::assert_snapshot!(rules.trim());
}

#[test]
fn causes_are_listed_by_what_most_of_them_set() {
    let mut document = empty();
    let error = |line: u32, outcome: &str| {
        let body = ErrorHandling {
            condition: format!("READ {line} fails."),
            action: "Sets PLACE to 'READ', A-CODE to 9; moves 'NO FILE' to A-TEXT.".to_owned(),
            outcome: Some(outcome.to_owned()),
            ..ErrorHandling::default()
        };
        DocumentItem::parsed(body, cite((line, line), "READ"))
    };
    // The place of an error tells less than the code and the text that the caller always gets.
    document.error_handling = vec![
        error(7, "PLACE 'READ'; A-CODE 9; A-TEXT 'NO FILE AT ALL'"),
        error(8, "A-CODE 1; A-TEXT 'NO SUCH RECORD'"),
        error(9, "A-CODE 9; A-TEXT 'NO FILE AT ALL'"),
        error(10, "OTHER-CODE 4"),
    ];
    let page = document.to_markdown("X.cbl");
    let outcomes = page.split("## Outcomes").nth(1).unwrap();
    let rows = outcomes.lines().filter(|line| line.starts_with("| ")).skip(1);
    let shown: Vec<&str> = rows.filter_map(|row| row.split('|').nth(1)).map(str::trim).take(4).collect();
    let expected =
        ["`OTHER-CODE` 4", "`A-CODE` 1, `A-TEXT` 'NO SUCH RECORD'", "`A-CODE` 9, `A-TEXT` 'NO FILE AT ALL'", ""];
    assert_eq!(BTreeSet::from_iter(shown), BTreeSet::from(expected), "{outcomes}");
}

#[test]
fn what_a_caller_sees_stands_beside_every_cause_of_it() {
    let mut document = empty();
    let rule = |line: u32, description: &str, outcome: &str| {
        let body = BusinessRule {
            description: description.to_owned(),
            decides: Some("sets A-CODE".to_owned()),
            outcome: Some(outcome.to_owned()),
            ..BusinessRule::default()
        };
        DocumentItem::parsed(body, cite((line, line), "READ"))
    };
    let error = |line: u32, condition: &str, action: &str, outcome: Option<&str>| {
        let body = ErrorHandling {
            condition: condition.to_owned(),
            action: action.to_owned(),
            outcome: outcome.map(str::to_owned),
            ..ErrorHandling::default()
        };
        DocumentItem::parsed(body, cite((line, line), "READ"))
    };
    document.business_rules = vec![
        rule(9, "When A (B: C) is 'x: y': puts 'Not; so' into MSG; performs SEND.", "MSG 'Not; so'"),
        rule(
            10,
            "When A is 1: sets A-CODE to '02'; adds 1 to N; otherwise: sets A-CODE to '01'.",
            "A-CODE '02'; otherwise A-CODE '01'",
        ),
        rule(11, "When B is 1: performs WRITE-IT; otherwise: sets A-CODE to '01'; ends.", "otherwise A-CODE '01'"),
        rule(12, "When B is 2: builds Msg from 'No ', n.", "MSG 'No ' N"),
        rule(25, "When C is 1: sets A-CODE to '03'; otherwise: performs DELIVER.", "A-CODE '03'"),
    ];
    document.error_handling = vec![
        error(7, "READ of F fails.", "Abends with code 'X1'.", Some("abend 'X1'")),
        error(8, "READ of G fails.", "Displays 'NO'.", None),
        error(13, "READ of H fails.", "Performs STOP-IT.", Some("MSG 'gone'")),
    ];
    let step = |line: u32, exit, outcome: Option<&str>| ParagraphStep {
        exit,
        outcome: outcome.map(str::to_owned),
        ..ParagraphStep::new(0, LineNumber::new(line).unwrap(), "displays 'X'".to_owned())
    };
    let paragraph = |name: &str, line: u32, steps: Vec<ParagraphStep>| {
        let body = Paragraph { paragraph_name: name.to_owned(), steps, ..Paragraph::default() };
        DocumentItem::parsed(body, cite((line, line + 2), "READ"))
    };
    document.paragraphs = vec![
        paragraph("CLEAR-IT", 14, vec![step(15, None, Some("MSG 'Key it'"))]),
        paragraph(
            "END-IT",
            17,
            vec![
                step(18, Some(StepExit::Program), None),
                ParagraphStep {
                    when: Some("when END-IT runs and is not left before".to_owned()),
                    ..step(19, None, Some("A-CODE '00'"))
                },
            ],
        ),
        // The error that leads there tells it.
        paragraph("STOP-IT", 20, vec![step(21, None, Some("MSG 'gone'"))]),
        paragraph(
            "DONE-IT",
            23,
            vec![ParagraphStep { when: Some("when N is 0".to_owned()), ..step(24, None, Some("MSG 'Done'")) }],
        ),
    ];
    let page = document.to_markdown("X.cbl");
    let outcomes = page.split("## Outcomes").nth(1).unwrap().split("\n<details>").next().unwrap();
    insta::assert_snapshot!(outcomes.trim());
    // What happens when the condition holds is a rule like any other.
    let rules = page.split("## Rules it applies").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(rules.contains("performs WRITE-IT") && !rules.contains("A is 1"), "{rules}");
    // So is what happens otherwise, if nobody sees it.
    assert!(rules.contains("otherwise: performs DELIVER") && !outcomes.contains("DELIVER"), "{outcomes}{rules}");
}

#[test]
fn the_estate_knows_whether_a_program_is_called_or_run() {
    let kind = |callers: &[&str], runs: &[&str]| {
        let mut document = empty();
        document.purpose.body.program_type = "batch or called SQL".to_owned();
        document.calling_context.called_by = callers.iter().map(|name| (*name).to_owned()).collect();
        let run_by = |kind: &&str| RunBy {
            kind: (*kind).to_owned(),
            name: "MTHEND.STEP1".to_owned(),
            how: None,
            file: "MTHEND.jcl".to_owned(),
            line: LineNumber::FIRST,
        };
        document.calling_context.run_by = runs.iter().map(run_by).collect();
        document.program_type().into_owned()
    };
    assert_eq!(kind(&[], &[]), "batch or called SQL");
    assert_eq!(kind(&["A"], &["step"]), "batch or called SQL");
    assert_eq!(kind(&["A"], &["transaction"]), "called SQL");
    assert_eq!(kind(&[], &["step"]), "batch SQL");
    assert_eq!(kind(&[], &["transaction"]), "batch or called SQL");
}

#[test]
fn transactions_that_a_program_starts_and_who_starts_its_own_are_told() {
    let mut document = empty();
    let starts = |name: &str, how: &str, programs: &[&str]| StartedTransaction {
        name: name.to_owned(),
        how: how.to_owned(),
        programs: programs.iter().map(|program| (*program).to_owned()).collect(),
        line: None,
    };
    document.calling_context.starts = vec![starts("PI01", "START", &["POLINQ"]), starts("CHLD", "RUN", &[])];
    document.calling_context.run_by = vec![RunBy {
        kind: "program".to_owned(),
        name: "PARENT".to_owned(),
        how: Some("START of OWN1".to_owned()),
        file: "PARENT.cbl".to_owned(),
        line: LineNumber::FIRST,
    }];
    let page = document.to_markdown("X.cbl");
    for told in [
        "Starts transactions `PI01` (`POLINQ`), `CHLD` (as a child).",
        "started by `PARENT` (START of OWN1, PARENT.cbl:1).",
    ] {
        assert!(page.contains(told), "{page}");
    }
}

#[test]
fn a_called_program_is_shown_as_written_and_linked_by_its_name() {
    let mut document = empty();
    let call =
        CalledProgram { program_name: "FOO_BAR".to_owned(), written: "foo_Bar".to_owned(), ..CalledProgram::default() };
    document.called_programs = vec![DocumentItem::parsed(call, cite((10, 10), "INTPOST"))];
    document.calling_context.defined_in.insert("program:FOO_BAR".to_owned(), "c/foo.cbl.json".to_owned());
    let page = document.to_markdown("X.cbl");
    assert!(page.contains("[`foo_Bar`](") && !page.contains("FOO_BAR"), "{page}");
}

#[test]
fn what_is_empty_is_not_printed() {
    let page = empty().to_markdown("X.cbl");
    assert!(!page.contains("## ") && !page.contains("| "), "{page}");
    assert!(page.contains("no citations"), "{page}");
}

#[test]
fn dates_are_told_together_with_their_lines_and_other_hazards_in_rows() {
    let hazard = |kind: &str, finding: &str, about: &str, lines: &[u32]| {
        let citations = lines.iter().flat_map(|line| cite((*line, *line), "INTPOST")).collect();
        let (kind, finding, about) = (kind.to_owned(), finding.to_owned(), vec![about.to_owned()]);
        DocumentItem::parsed(Hazard { kind, finding, about }, citations)
    };
    let mut document = empty();
    document.hazards = vec![
        hazard("endless_loop", "Nothing in the loop changes RETRIES.", "RETRIES", &[9]),
        hazard("hard_coded_date", "The date '2019-12-31' is written into the code.", "'2019-12-31'", &[8, 9]),
        hazard("hard_coded_date", "The century depends.", "WS-YY < 50", &[12]),
    ];
    let page = document.to_markdown("X.cbl");
    let dates = "- Dates written into the code: `'2019-12-31'` lines 8 and 9, WS-YY &lt; 50 line 12.";
    assert!(page.contains(dates) && page.contains("Nothing in the loop changes RETRIES."), "{page}");
    // How many more there are cannot be read as one of the lines.
    document.hazards = vec![hazard("hard_coded_date", "Dates.", "'2019-12-31'", &[2, 4, 6, 8, 10, 12, 13])];
    assert!(document.to_markdown("X.cbl").contains("`'2019-12-31'` lines 2, 4, 6, 8, 10, and 2 more."));
}

#[test]
fn a_long_dictionary_names_its_records_and_says_how_much_it_leaves_out() {
    let mut document = empty();
    document.data_dictionary = vec![item(1, "TOP", 1), item(77, "ALONE", 2)];
    document.data_dictionary.extend((3..=1200).map(|line| item(if line == 3 { 1 } else { 5 }, "INNER", line)));
    let page = document.to_markdown("X.cbl");
    assert!(page.contains("1,200 items, of which 3 are shown here"), "{page}");
    assert_eq!(page.matches("INNER").count(), 1);
    document.data_dictionary.truncate(400);
    assert_eq!(document.to_markdown("X.cbl").matches("· INNER |").count(), 397);
    // A record is more telling than many items that stand alone, and these than what is never used.
    document.data_dictionary = (1..=450).map(|line| item(77, &format!("ALONE-{line}"), line)).collect();
    document.data_dictionary.extend((451..=460).map(|line| item(if line == 451 { 1 } else { 5 }, "INNER", line)));
    let unused = Hazard { kind: "never_used".to_owned(), finding: String::new(), about: vec!["ALONE-1".to_owned()] };
    document.hazards = vec![DocumentItem::parsed(unused, cite((2, 2), "INTPOST"))];
    let page = document.to_markdown("X.cbl");
    assert_eq!((page.matches("· INNER |").count(), page.matches("| **ALONE-").count()), (9, 190));
    assert!(page.contains("460 items, of which 200 are shown here") && !page.contains("**ALONE-1**"), "{page}");
}

#[test]
fn another_budget_changes_nothing_above_the_last_block() {
    let above = |document: &Document| document.to_markdown("X.cbl").split("<details>").next().map(str::to_owned);
    let mut other = small();
    other.chunks.truncate(1);
    other.conflicts[0].chunks.clear();
    assert_eq!(above(&other), above(&small()));
}

#[test]
fn a_failed_document_says_so_and_a_copybook_is_no_program() {
    let mut document = empty();
    document.header.status = DocumentStatus::Failed;
    document.header.file_type = "copybook".to_owned();
    document.header.program_id = None;
    document.coverage = Coverage { lines: 1500, documented: 0, cited: 0, failed: 1500, excluded: 0 };
    let page = document.to_markdown("cbl/X.cbl");
    assert!(page.starts_with("# cbl/X.cbl\n\nCopybook, 1,500 lines, fixed format"), "{page}");
    assert!(page.contains("**failed** · 0 of 1,500 lines documented, 1,500 failed"), "{page}");
}

#[test]
fn no_text_of_a_document_reaches_the_page_unescaped() {
    let hostile = "<img src=x>|`\u{202E}\n# [a](javascript:b)";
    let json = small().to_json();
    let mut document: serde_json::Value = serde_json::from_str(&json).unwrap();
    fn poison(value: &mut serde_json::Value, key: &str, hostile: &str) {
        match value {
            serde_json::Value::Object(fields) => {
                fields.iter_mut().for_each(|(key, field)| poison(field, key, hostile));
            }
            serde_json::Value::Array(entries) => entries.iter_mut().for_each(|entry| poison(entry, key, hostile)),
            serde_json::Value::String(text) if !["hash", "source_hash", "status", "origin"].contains(&key) => {
                *text = hostile.to_owned();
            }
            serde_json::Value::Null if !["offset", "length", "occurs"].contains(&key) => *value = hostile.into(),
            _ => {}
        }
    }
    poison(&mut document, "", hostile);
    let document: Document = serde_json::from_value(document).unwrap();
    let page = document.to_markdown(hostile);
    assert!(!page.contains("<img") && !page.contains('\u{202E}') && !page.contains("\n# ["), "{page}");
    assert!(!page.contains(" [a](") && page.contains(r"\|\`"), "{page}");
    for row in page.lines().filter(|line| line.starts_with('|')) {
        assert!(!row.replace(r"\|", "").contains("|`"), "{row}");
    }
}

/// Builds a document with these control-flow edges: from, kind, to. A name is `SECTION/PARAGRAPH` or only a paragraph's name. A name that ends
/// with `-EXIT` is a label; one that begins with `OLD` is dead.
fn flowing(edges: &[(&str, &str, &str)]) -> Document {
    let mut document = empty();
    let split = |name: &str| match name.split_once('/') {
        Some((section, name)) => (Some(section.to_owned()), name.to_owned()),
        None => (None, name.to_owned()),
    };
    let mut names: Vec<&str> = Vec::new();
    for name in edges.iter().flat_map(|(from, _, to)| [*from, *to]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    document.paragraphs = names
        .into_iter()
        .map(|name| {
            let (section, name) = split(name);
            let (is_label_only, is_dead_code) = (name.ends_with("-EXIT"), name.starts_with("OLD"));
            DocumentItem {
                body: Paragraph { section, is_label_only, is_dead_code, ..paragraph(&name, (7, 8), "").body },
                ..paragraph(&name, (7, 8), "")
            }
        })
        .collect();
    document.control_flow = edges
        .iter()
        .map(|(from, kind, to)| {
            let ((from_section, from), (enters_section, to)) = (split(from), split(to));
            ControlEdge {
                from: Some(from),
                from_section,
                to: to.clone(),
                enters: Some(to),
                enters_section,
                goes_on_in: None,
                goes_on_in_section: None,
                goes_on_behind: false,
                through: None,
                through_section: None,
                kind: (*kind).to_owned(),
                until: None,
                program_end: None,
                depending_on: None,
                on_failure: false,
                line: LineNumber::new(9).unwrap(),
                program: None,
            }
        })
        .collect();
    document
}

/// Returns the drawing of a document and the line below it.
fn drawn(edges: &[(&str, &str, &str)]) -> String {
    let page = flowing(edges).to_markdown("X.cbl");
    let start = page.find("```mermaid").unwrap();
    page[start..].split("\n\n**").next().unwrap().to_owned()
}

#[test]
fn a_drawing_tells_falling_jumping_and_going_back_apart() {
    let text = drawn(&[
        ("A", "fall_through", "B"),
        ("B", "go_to", "C"),
        ("C", "go_to", "A"),
        ("C", "go_to", "C-EXIT"),
        ("C-EXIT", "fall_through", "D"),
        ("D", "perform", "E"),
        ("D", "go_to", "E-EXIT"),
        ("OLD-1", "perform", "OLD-2"),
    ]);
    let arrows: Vec<&str> = text.lines().filter(|line| line.contains('>')).map(str::trim).collect();
    // The label leads on to D, the one at the end of a range nowhere.
    assert_eq!(
        arrows,
        ["p0 ==> p1", "p1 -->|\"go to\"| p2", "p2 -->|\"go back to\"| p0", "p2 -->|\"go to\"| p3", "p3 --> p4"]
    );
    assert!(text.contains("p3[\"D\"]") && !text.contains("OLD") && !text.contains("EXIT"), "{text}");
    assert!(text.ends_with("Thick: control falls through."), "{text}");
}

#[test]
fn an_arrow_tells_that_a_loop_is_not_all_that_performs() {
    let mut document = flowing(&[("A", "perform", "B"), ("A", "perform", "B"), ("A", "perform", "B")]);
    document.control_flow[0].until = Some("N = 9".to_owned());
    let arrow = |document: &Document| {
        let page = document.to_markdown("X.cbl");
        page.lines().find(|line| line.contains("-->")).unwrap().trim().to_owned()
    };
    assert_eq!(arrow(&document), "p0 -->|\"until N = 9, and once\"| p1");
    document.control_flow[1].until = Some("N = 9".to_owned());
    document.control_flow[2].until = Some("N = 9".to_owned());
    assert_eq!(arrow(&document), "p0 -->|\"until N = 9\"| p1");
}

#[test]
fn sections_are_framed_where_there_are_several() {
    let edges = [("S/A", "perform", "S/B"), ("S/B", "perform", "T/A"), ("T/A", "perform", "T/B")];
    let text = drawn(&edges);
    let expected = "  subgraph s0[\"S\"]\n    p0[\"A\"]\n    p1[\"B\"]\n  end\n  subgraph s1[\"T\"]\n    p2[\"A\"]\n    p3[\"B\"]\n  end\n";
    assert!(text.contains(expected), "{text}");
    assert!(drawn(&edges[..1]).contains("flowchart TD\n  p0[\"A\"]\n"));
}

#[test]
fn a_large_drawing_puts_what_leads_nowhere_into_one_box() {
    let names: Vec<String> = (0..40).map(|number| format!("P-{number:02}")).collect();
    let edges: Vec<(&str, &str, &str)> =
        names.iter().map(|name| ("MAIN", "perform", name.as_str())).chain([("P-00", "perform", "LAST")]).collect();
    let text = drawn(&edges);
    assert!(text.contains("p2[\"P-01<br/>P-02<br/>"), "{text}");
    assert!(text.contains("P-08<br/>31 more\"]") && !text.contains("Drawn are"), "{text}");
    // A small drawing gives each paragraph its own box.
    assert!(!drawn(&edges[..20]).contains("<br/>"));
    // Paragraphs with other performers have their own box, and distant ones are left out and counted.
    let chain: Vec<(&str, &str, &str)> =
        names.windows(2).map(|pair| (pair[0].as_str(), "perform", pair[1].as_str())).collect();
    assert!(drawn(&chain).ends_with("Drawn are the 25 paragraphs nearest to the entry, of 40."), "{}", drawn(&chain));
}

#[test]
fn what_all_keys_need_stands_above_them_only_if_each_needs_it() {
    let page = |last: &[&str]| {
        let mut document = empty();
        let rules = [&["A is 1"], &["A is 1"], last].into_iter().enumerate().map(|(at, provided)| {
            let action = KeyAction {
                does: format!("performs P{at}"),
                otherwise: None,
                when: None,
                provided: provided.iter().map(|condition| (*condition).to_owned()).collect(),
            };
            let body =
                BusinessRule { keys: vec![format!("PF{at}")], key_action: Some(action), ..BusinessRule::default() };
            DocumentItem::parsed(body, cite((9, 9), "A"))
        });
        document.business_rules = rules.collect();
        document.to_markdown("X.cbl")
    };
    let lead = "All provided that A is 1.";
    let told = page(&["B is 2", "A is 1"]);
    assert!(told.contains(lead) && told.contains("| PF2 | Performs P2. | B is 2 |"), "{told}");
    for last in [&[][..], &["B is 2"], &["A is 12"]] {
        assert!(!page(last).contains(lead), "{last:?}");
    }
}

#[test]
fn keys_of_earlier_documents_are_told_by_the_sentence_of_their_rule() {
    let mut document = empty();
    let description = "When EIBAID is DFHPF3 and B is 2: performs P3.".to_owned();
    let body = BusinessRule { description, keys: vec!["PF3".to_owned()], ..BusinessRule::default() };
    document.business_rules = vec![DocumentItem::parsed(body, cite((9, 9), "A"))];
    let any = CicsOperation {
        command: "HANDLE AID".to_owned(),
        data: vec!["ANYKEY WRONG-KEY".to_owned()],
        ..CicsOperation::default()
    };
    document.cics_operations = vec![DocumentItem::parsed(any, cite((9, 9), "A"))];
    let told = document.to_markdown("X.cbl");
    assert!(told.contains("| PF3 | When EIBAID is DFHPF3 and B is 2: performs P3. |"), "{told}");
    assert!(told.contains("| any other but Enter | Goes to WRONG-KEY. |"), "{told}");
}

#[test]
fn a_copybook_with_a_page_is_told_by_what_it_brings_if_that_is_known() {
    let told = |brings: Option<&str>| {
        let mut document = empty();
        let purpose = "Copied from cpy/A.cpy; brings A-REC.".to_owned();
        let (copybook_name, brings) = ("A".to_owned(), brings.map(str::to_owned));
        let body = CopybookUse { copybook_name, purpose, brings, ..CopybookUse::default() };
        document.copybooks_used = vec![DocumentItem::parsed(body, cite((9, 9), "A"))];
        document.calling_context.defined_in.insert("copybook:A".to_owned(), "cpy/A.cpy".to_owned());
        document.to_markdown("X.cbl")
    };
    assert!(told(Some("A-REC")).contains("| A-REC |"), "{}", told(Some("A-REC")));
    assert!(told(None).contains("| Copied from cpy/A.cpy; brings A-REC. |"), "{}", told(None));
}
