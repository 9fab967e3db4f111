//! How a model's words are judged: by all that an item cites, by what governs it, and by the parser's typed facts.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod cases;
mod limits;
mod told;

use serde_json::{Value, json};
use std::sync::Arc;
use war_rig_cobol::{Analysis, CopybookLibrary, LexedSource, NoCopybooks, parse};
use war_rig_merger::{Author, ChunkOutcome, FileContext, merge};
use war_rig_template::{Document, PartialTemplate};
use war_rig_text::{ReadOptions, SourceText};

/// A program with a file, groups, condition names, a guard, an ELSE and a tested status. Its lines are counted from 1.
const SOURCE: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. JUDGED.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT CARD-FILE ASSIGN TO CARDDD FILE STATUS WS-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD CARD-FILE.
       01 CARD-REC.
          05 CARD-NO PIC X(16).
       WORKING-STORAGE SECTION.
       01 WS-STATUS PIC XX.
       01 WS-TOTALS.
          05 WS-COUNT PIC 9(4).
       01 WS-LEVEL PIC X.
          88 LEVEL-CLERK VALUE \"C\".
       01 WS-MAP PIC X(8) VALUE 'CARDMAP'.
       01 WS-LIMIT PIC 9(4).
       01 WS-REASON PIC X(3).
       PROCEDURE DIVISION.
       MAIN.
           OPEN INPUT CARD-FILE.
           PERFORM READ-CARD.
           IF LEVEL-CLERK
               GO TO DONE.
           MOVE WS-COUNT TO WS-LIMIT.
           CLOSE CARD-FILE.
       DONE.
           GOBACK.
       READ-CARD.
           READ CARD-FILE
           IF WS-STATUS NOT = '00'
               DISPLAY 'NO CARD'
           END-IF
           IF WS-COUNT > WS-LIMIT
               MOVE \"R01\" TO WS-REASON
           ELSE
               MOVE 'OK ' TO WS-REASON
               ADD 1 TO WS-COUNT
           END-IF
      * The amount is refused by the branch office.
           MOVE MISSING-FIELD TO WS-LEVEL.
       TAKE.
           IF WS-LEVEL = '*' OR LOW-VALUES
               MOVE SPACES TO WS-MAP
           ELSE
               MOVE WS-LEVEL TO WS-MAP.
       CHOOSE.
           EVALUATE WS-LEVEL
               WHEN 'A'
                   MOVE 'ONE' TO WS-REASON
               WHEN 'B'
                   MOVE 'TWO' TO WS-REASON
               WHEN OTHER
                   MOVE 'ANY' TO WS-REASON
           END-EVALUATE.
           IF WS-COUNT >= WS-LIMIT
               CONTINUE
           ELSE
               MOVE 'LOW' TO WS-REASON
           END-IF.
           IF WS-LEVEL (1:1) = '*' AND WS-LEVEL (2:1) NOT = '*'
               MOVE 'STA' TO WS-REASON.
";

fn merged(answer: Value) -> Document {
    merged_about(SOURCE, answer)
}

fn merged_about(source: &str, answer: Value) -> Document {
    let source = SourceText::read("cbl/JUDGED.cbl", source.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let partial: PartialTemplate = serde_json::from_value(answer).unwrap();
    let outcome = ChunkOutcome::new("JUDGED-001", source.line_range().unwrap(), Some(partial));
    let author = Author { produced_by: "a-model", is_parser_only: false };
    merge(&source, &analysis, &[outcome], author, &FileContext::default())
}

fn cited(ranges: &[(u32, u32)]) -> Value {
    ranges.iter().map(|(start, end)| json!({"start": start, "end": end, "quote": null})).collect()
}

/// Returns the status of a rule about one place of a source, as a word.
fn status_of(source: &str, description: &str, conditions: &[&str], range: (u32, u32)) -> &'static str {
    let rule = json!({"description": description, "conditions": conditions, "citations": cited(&[range])});
    merged_about(source, json!({"business_rules": [rule]})).business_rules[0].citations[0].status().as_str()
}

/// Checks the statuses of a rule's citations, as words.
#[track_caller]
fn rule(description: &str, conditions: &[&str], ranges: &[(u32, u32)], expected: &str) {
    let rule = json!({"description": description, "conditions": conditions, "citations": cited(ranges)});
    let document = merged(json!({"business_rules": [rule]}));
    let statuses = document.business_rules[0].citations.iter().map(|citation| citation.status().as_str());
    assert_eq!(statuses.collect::<Vec<_>>().join(" "), expected, "{description} {conditions:?}");
}

/// Checks the status of a flow in one of the lists.
#[track_caller]
fn flow(list: &str, name: &str, range: (u32, u32), expected: &str) {
    let flow = json!({"name": name, "description": "", "citations": cited(&[range])});
    let document = merged(json!({"data_flow": {list: [flow]}}));
    let flows = &document.data_flow;
    let found = flows.reads_from.iter().chain(&flows.writes_to).next().unwrap();
    assert_eq!(found.citations[0].status().as_str(), expected, "{list} {name}");
}

#[test]
fn the_condition_and_its_consequence_may_be_cited_apart() {
    rule(
        "A count above WS-LIMIT sets WS-REASON to 'R01'.",
        &["WS-COUNT > WS-LIMIT"],
        &[(36, 36), (37, 37)],
        "verified verified",
    );
    // The lines that a condition governs are evidence where it is cited, and the condition where they are.
    rule("Sets WS-REASON to 'R01'.", &["WS-COUNT > WS-LIMIT"], &[(36, 36)], "verified");
    rule("Sets WS-REASON to 'R01'.", &["WS-COUNT > WS-LIMIT"], &[(37, 37)], "verified");
}

#[test]
fn groups_values_files_comments_and_undeclared_names_are_evidence() {
    flow("writes_to", "WS-TOTALS", (40, 40), "verified");
    flow("reads_from", "CARD-FILE", (32, 32), "verified");
    flow("reads_from", "MISSING-FIELD", (43, 43), "verified");
    rule("The screen is \"CARDMAP\".", &[], &[(18, 18)], "verified");
    rule("The branch office refuses the amount.", &[], &[(42, 42)], "verified");
    rule("A clerk has level 'C'.", &["WS-LEVEL = 'C'"], &[(16, 17)], "verified");
}

#[test]
fn every_name_of_a_flow_is_connected_with_its_lines() {
    let check = |description, expected| way(SOURCE, "reads_from", ["WS-COUNT", "", description], (27, 27), expected);
    check("The count.", "verified");
    check("The count in WS-TOTALS, against WS-LIMIT.", "verified");
    check("The count, for WS-MAP.", "unsupported");
    // A statement elsewhere uses both.
    way(SOURCE, "writes_to", ["WS-LEVEL", "", "The level for WS-MAP."], (43, 43), "unchecked");
}

#[test]
fn numbers_and_literals_are_on_the_lines_or_in_what_they_use() {
    rule("WS-COUNT has 12 digits.", &[], &[(27, 27)], "contradicted");
    rule("A card has 16 characters of CARD-NO.", &[], &[(11, 11)], "verified");
    rule("WS-REASON is 'R01' for WS-COUNT above WS-LIMIT, reported on R02 as 'R03'.", &[], &[(36, 37)], "unchecked");
    // What a cited statement performs is shown with it.
    rule("MAIN opens CARD-FILE and performs READ-CARD, which displays 'NO CARD'.", &[], &[(23, 24)], "verified");
}

#[test]
fn a_test_of_a_status_is_about_the_operation() {
    let error = json!({"condition": "The READ of CARD-FILE fails", "action": "Shows 'NO CARD'.", "citations": cited(&[(33, 34)])});
    let document = merged(json!({"error_handling": [error]}));
    assert_eq!(document.error_handling[0].citations[0].status().as_str(), "verified");
}

#[test]
fn words_that_name_nothing_are_unchecked_and_names_elsewhere_are_unsupported() {
    rule("Nobody knows why.", &[], &[(27, 28)], "unchecked");
    rule("WS-REASON is cleared.", &[], &[(23, 23)], "unsupported");
    rule("GHOST-FIELD is cleared by WS-COUNT.", &[], &[(27, 27)], "unsupported");
    rule("Nothing is cited for WS-COUNT.", &[], &[], "");
}

#[test]
fn the_opposite_comparison_is_contradicted() {
    for condition in [
        "WS-COUNT < WS-LIMIT",
        "WS-COUNT NOT > WS-LIMIT",
        "WS-LIMIT > WS-COUNT",
        "WS-COUNT is below WS-LIMIT",
        "WS-COUNT is at least WS-LIMIT",
        "WS-COUNT is before WS-LIMIT",
    ] {
        rule("Refused with 'R01'.", &[condition], &[(36, 37)], "contradicted");
    }
    for condition in ["WS-COUNT > WS-LIMIT", "WS-LIMIT < WS-COUNT", "WS-COUNT is greater than WS-LIMIT"] {
        rule("Refused with 'R01'.", &[condition], &[(36, 37)], "verified");
    }
    rule("Shows 'NO CARD'.", &["WS-STATUS = '00'"], &[(33, 34)], "contradicted");
    // Both sides are cited, and the words tell neither.
    rule("If so.", &["WS-LEVEL = '*' OR LOW-VALUES"], &[(45, 48)], "verified");
    rule("The WS-COUNT goes up.", &["WS-COUNT <= WS-LIMIT"], &[(36, 36), (38, 40)], "verified verified");
    rule("The WS-COUNT goes up.", &["WS-COUNT > WS-LIMIT"], &[(39, 40)], "contradicted");
}

#[test]
fn a_paragraph_is_nothing_to_compare_with_a_value() {
    rule("A clerk is let in.", &["READ-CARD > 0"], &[(24, 26)], "contradicted");
    rule("READ-CARD is performed for everybody.", &[], &[(24, 24)], "verified");
    // Words of English that sections and paragraphs are called after are no names of them.
    rule("If the card file is empty, 'NO CARD' is displayed by READ-CARD.", &[], &[(31, 35)], "verified");
    rule("When take is 0, WS-LEVEL goes to WS-MAP.", &[], &[(45, 48)], "verified");
}

#[test]
fn condition_names_are_true_or_false_as_the_parser_has_them() {
    rule("A clerk ends at DONE.", &["LEVEL-CLERK"], &[(25, 26)], "verified");
    rule("A clerk ends at DONE.", &["NOT LEVEL-CLERK"], &[(25, 26)], "contradicted");
    rule("A clerk ends at DONE.", &["WS-LEVEL NOT = 'C'"], &[(25, 26)], "contradicted");
    // Behind the guard the condition is false.
    rule("The count becomes the WS-LIMIT.", &["NOT LEVEL-CLERK"], &[(27, 27)], "verified");
    rule("The count becomes the WS-LIMIT.", &["LEVEL-CLERK"], &[(27, 27)], "contradicted");
}

#[test]
fn data_that_goes_the_other_way_is_contradicted() {
    flow("writes_to", "CARD-FILE", (32, 32), "contradicted");
    flow("writes_to", "MISSING-FIELD", (43, 43), "contradicted");
    flow("reads_from", "WS-REASON", (37, 37), "contradicted");
    // What has no name of the source is compared with the operations on its lines.
    flow("reads_from", "'NO CARD' by DISPLAY", (34, 34), "contradicted");
    flow("writes_to", "'NO CARD' by DISPLAY", (34, 34), "verified");
    flow("reads_from", "Notes on the card", (34, 34), "contradicted");
    // An item that is displayed is also read by others.
    flow("reads_from", "WS-COUNT", (27, 27), "verified");
    let output = json!({"name": "CARD-FILE", "io_type": "file", "description": "", "copybook": null, "citations": cited(&[(32, 32)])});
    let document = merged(json!({"outputs": [output]}));
    assert_eq!(document.outputs[0].citations[0].status().as_str(), "contradicted");
}

#[test]
fn a_word_that_sets_an_item_to_another_is_no_reversed_move() {
    rule("Moves WS-COUNT to WS-LIMIT.", &[], &[(27, 27)], "verified");
    rule("Sets WS-LIMIT to WS-COUNT.", &[], &[(27, 27)], "verified");
    rule("Moves WS-LIMIT to WS-COUNT.", &[], &[(27, 27)], "contradicted");
}

/// A copybook whose branches stand far below the lines of a short program.
struct Branches;

impl CopybookLibrary for Branches {
    fn find(&self, _name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        let text =
            format!("{}           WHEN 5 DISPLAY 'FIVE'\n           WHEN 6 DISPLAY 'SIX'\n", "      *\n".repeat(40));
        let source = SourceText::read("cpy/BRANCHES.cpy", text.into_bytes(), &ReadOptions::default()).unwrap();
        Some(Arc::new(LexedSource::of(&source)))
    }
}

#[test]
fn branches_of_a_copybook_are_not_lines_of_the_program() {
    let text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. SHORT.\n       DATA DIVISION.\n\
                \x20      WORKING-STORAGE SECTION.\n       01 WS-A PIC 9.\n       PROCEDURE DIVISION.\n       MAIN.\n\
                \x20          EVALUATE WS-A\n           COPY BRANCHES.\n           END-EVALUATE.\n           GOBACK.\n";
    let source = SourceText::read("cbl/SHORT.cbl", text.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &Branches));
    assert_eq!(analysis.parsed().branches.len(), 2);
    let rule = json!({"description": "Shows which value WS-A has.", "citations": cited(&[(8, 10)])});
    let partial: PartialTemplate = serde_json::from_value(json!({"business_rules": [rule]})).unwrap();
    let outcome = ChunkOutcome::new("SHORT-001", source.line_range().unwrap(), Some(partial));
    let author = Author { produced_by: "a-model", is_parser_only: false };
    let document = merge(&source, &analysis, &[outcome], author, &FileContext::default());
    assert_eq!(document.business_rules[0].citations[0].status().as_str(), "verified");
}

#[test]
fn words_about_an_item_of_the_parser_are_contradicted_too() {
    let paragraph = |summary: &str| {
        let item =
            json!({"paragraph_name": "MAIN", "summary": summary, "purpose": null, "citations": cited(&[(22, 28)])});
        let document = merged(json!({"paragraphs": [item]}));
        document.paragraphs[0].citations[0].status().as_str().to_owned()
    };
    assert_eq!(paragraph("Moves WS-COUNT to WS-LIMIT."), "verified");
    assert_eq!(paragraph("Moves WS-LIMIT to WS-COUNT."), "contradicted");
}

#[test]
fn a_consequence_belongs_to_the_side_of_its_condition() {
    rule("WS-COUNT > WS-LIMIT leads to 'R01'.", &[], &[(36, 41)], "verified");
    rule("WS-COUNT > WS-LIMIT leads to 'OK'.", &[], &[(36, 41)], "contradicted");
    rule("WS-COUNT <= WS-LIMIT leads to 'OK'.", &[], &[(36, 41)], "verified");
    // Words for both sides, and words that deny, do not tell which side they are about.
    rule("WS-COUNT > WS-LIMIT gives 'R01', otherwise 'OK'.", &[], &[(36, 41)], "verified");
    // What the words name decides the side, although they cite the test.
    rule("The reason is 'OK'.", &["WS-COUNT > WS-LIMIT"], &[(36, 40)], "contradicted");
    rule("The reason is 'OK'.", &["WS-COUNT NOT > WS-LIMIT"], &[(36, 40)], "verified");
    // What happens only if something is so has its condition stated.
    rule("'R01' is given only if the count is too high.", &["WS-COUNT <= WS-LIMIT"], &[(36, 41)], "contradicted");
}

#[test]
fn a_condition_is_wrong_although_other_words_state_it_rightly() {
    rule("Gives 'R01' where WS-COUNT > WS-LIMIT.", &["WS-COUNT NOT > WS-LIMIT"], &[(36, 37)], "contradicted");
    rule("Gives 'R01' where WS-COUNT > WS-LIMIT.", &["WS-COUNT > WS-LIMIT"], &[(36, 37)], "verified");
}

#[test]
fn a_condition_is_given_as_the_source_tests_it() {
    // The words are about both sides, but a condition is what the cited IF tests.
    rule("A high count gives 'R01', otherwise 'OK'.", &["WS-COUNT <= WS-LIMIT"], &[(36, 41)], "contradicted");
    rule("A high count gives 'R01', otherwise 'OK'.", &["WS-COUNT > WS-LIMIT"], &[(36, 41)], "verified");
    rule("Only a high count gives 'R01'.", &["WS-COUNT <= WS-LIMIT"], &[(36, 41)], "contradicted");
    // Where the test is not cited, a limit may be given as its opposite.
    rule("The count must be low for 'OK'.", &["WS-COUNT <= WS-LIMIT"], &[(39, 39)], "unchecked");
}

#[test]
fn the_arms_of_an_evaluate_are_no_opposites_of_themselves() {
    let each = "A gives 'ONE', B gives 'TWO', anything else 'ANY' in WS-REASON.";
    rule(each, &["WS-LEVEL = 'A'", "WS-LEVEL = 'B'", "WHEN OTHER"], &[(50, 57)], "verified");
    rule(each, &["WS-LEVEL NOT = 'A'", "WS-LEVEL NOT = 'B'", "WHEN OTHER"], &[(50, 57)], "contradicted");
    rule("Another level gives 'ANY' in WS-REASON.", &["WS-LEVEL NOT = 'A'"], &[(56, 57)], "verified");
}

#[test]
fn somebody_else_is_no_other_side() {
    rule("The count of somebody else gives 'OK'.", &["WS-COUNT > WS-LIMIT"], &[(36, 41)], "contradicted");
}

#[test]
fn a_condition_does_not_mix_the_sides_of_an_if() {
    rule("Clears WS-MAP.", &["WS-LEVEL = '*' OR WS-LEVEL NOT = LOW-VALUES"], &[(45, 46)], "contradicted");
    rule("A clerk ends at DONE.", &["LEVEL-CLERK (WS-LEVEL is not 'C')"], &[(25, 26)], "contradicted");
    let parts = "WS-LEVEL (1:1) = '*' AND WS-LEVEL (2:1) NOT = '*'";
    rule("WS-REASON is 'STA'.", &[parts], &[(63, 64)], "verified");
    rule("A clerk ends at DONE.", &["LEVEL-CLERK (WS-LEVEL is 'C')"], &[(25, 26)], "verified");
}

#[test]
fn each_value_of_a_list_is_compared() {
    rule("Clears WS-MAP.", &["WS-LEVEL is '*' or LOW-VALUES"], &[(45, 46)], "verified");
    rule("Clears WS-MAP.", &["WS-LEVEL is '*' or WS-MAP"], &[(45, 46)], "unchecked");
    rule("Clears WS-MAP.", &["WS-LEVEL is '*' or WS-MAP is shown"], &[(45, 46)], "verified");
    rule("Clears WS-MAP.", &["WS-LEVEL = '*' OR LEVEL-CLERK"], &[(45, 46)], "verified");
}

#[test]
fn data_is_not_performed_and_a_paragraph_is_not_set() {
    rule("READ-CARD is set for everybody.", &[], &[(24, 24)], "contradicted");
    rule("A clerk sets READ-CARD to 'C'.", &[], &[(24, 26)], "contradicted");
    rule("WS-COUNT is performed above WS-LIMIT.", &[], &[(36, 37)], "contradicted");
    rule("A clerk is let in.", &["WS-LEVEL = READ-CARD"], &[(24, 26)], "contradicted");
    rule("READ-CARD is formatted for everybody.", &[], &[(24, 24)], "contradicted");
    flow("reads_from", "READ-CARD", (24, 24), "contradicted");
    // A condition is a comparison or a condition name.
    rule("A clerk ends at DONE.", &["READ-CARD"], &[(24, 26)], "contradicted");
    rule("A clerk ends at DONE.", &["NOT WS-LEVEL"], &[(24, 26)], "contradicted");
    rule("A clerk ends at DONE.", &["WS-LEVEL NOT = SPACES"], &[(24, 26)], "verified");
}

#[test]
fn a_value_belongs_to_the_item_that_gets_it() {
    rule("WS-REASON is set to 'R01'.", &[], &[(37, 37)], "verified");
    rule("Sets WS-STATUS to 'R01'.", &[], &[(37, 37)], "contradicted");
    rule("The count gives WS-STATUS 'R01'.", &[], &[(37, 37)], "contradicted");
}

#[test]
fn what_the_program_only_sets_is_nowhere_read() {
    flow("reads_from", "WS-REASON", (40, 40), "contradicted");
}

#[test]
fn a_citation_is_not_verified_by_a_common_name_where_the_words_fit_lines_nearby() {
    let head = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. NEARBY.\n       DATA DIVISION.\n\
                \x20      WORKING-STORAGE SECTION.\n       01 WS-TOTAL PIC 9(4).\n       01 LOYAL-DISCOUNT PIC 9(4).\n\
                \x20      PROCEDURE DIVISION.\n       MAIN.\n";
    let common = "           ADD 1 TO WS-TOTAL\n".repeat(20);
    let text = format!("{head}{common}           ADD LOYAL-DISCOUNT TO WS-TOTAL\n{common}           GOBACK.\n");
    let source = SourceText::read("cbl/NEARBY.cbl", text.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let status = |line: u32| {
        let rule = json!({"description": "The discount of a loyal customer goes to WS-TOTAL.", "citations": cited(&[(line, line)])});
        let partial: PartialTemplate = serde_json::from_value(json!({"business_rules": [rule]})).unwrap();
        let outcome = ChunkOutcome::new("NEARBY-001", source.line_range().unwrap(), Some(partial));
        let author = Author { produced_by: "a-model", is_parser_only: false };
        let document = merge(&source, &analysis, &[outcome], author, &FileContext::default());
        document.business_rules[0].citations[0].status().as_str()
    };
    assert_eq!(status(29), "verified");
    for off in 5..=19 {
        assert_eq!((status(29 - off), status(29 + off)), ("unchecked", "unchecked"), "{off} rows off");
    }
}

#[test]
fn words_say_what_the_statements_do() {
    rule("Opens CARD-FILE for input.", &[], &[(23, 23)], "verified");
    rule("Opens CARD-FILE for output.", &[], &[(23, 23)], "contradicted");
    rule("WS-REASON becomes 'R01'.", &[], &[(36, 41)], "verified");
    rule("WS-REASON becomes '00'.", &[], &[(32, 41)], "contradicted");
    rule("WS-REASON is not set to 'R01'.", &[], &[(36, 37)], "unchecked");
    rule("READ-CARD is not performed for anybody.", &[], &[(24, 24)], "contradicted");
    rule("READ-CARD calls 'DATECALC' for CARD-FILE.", &[], &[(31, 35)], "unchecked");
    rule("1 is added to WS-COUNT.", &[], &[(40, 40)], "verified");
    rule("1 is subtracted from WS-COUNT.", &[], &[(40, 40)], "contradicted");
    rule("The count is reduced.", &[], &[(40, 40)], "unchecked");
}

#[test]
fn a_test_of_a_failure_is_none_of_a_success() {
    let error = |condition: &str| {
        let item = json!({"condition": condition, "action": "Shows 'NO CARD'.", "citations": cited(&[(33, 35)])});
        merged(json!({"error_handling": [item]})).error_handling[0].citations[0].status().as_str()
    };
    assert_eq!(error("The READ of CARD-FILE fails"), "verified");
    assert_eq!(error("The READ of CARD-FILE succeeds"), "contradicted");
    assert_eq!(error("The READ of CARD-FILE is not successful"), "verified");
}

/// A program that receives one area and sends another, which it also looks at.
const AREAS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AREAS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-ASKED.
          05 ASKED-NO PIC 9(4).
       01 WS-SHOWN.
          05 SHOWN-NO PIC 9(4).
       01 WS-CARD PIC X(80).
       PROCEDURE DIVISION.
       MAIN.
           ACCEPT WS-CARD.
           EXEC CICS RECEIVE INTO(WS-ASKED) END-EXEC.
           MOVE ASKED-NO TO SHOWN-NO.
           IF SHOWN-NO = 7
               MOVE 8 TO SHOWN-NO
           END-IF.
           EXEC CICS SEND FROM(WS-SHOWN) END-EXEC.
           GOBACK.
";

/// Checks the status of an item in a list of flows, or of inputs and outputs, of a program.
#[track_caller]
fn way(text: &str, list: &str, item: [&str; 3], lines: (u32, u32), expected: &str) {
    let source = SourceText::read("cbl/AREAS.cbl", text.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let [name, io_type, description] = item;
    let body = json!({"name": name, "io_type": io_type, "description": description, "citations": cited(&[lines])});
    let answer = if list.ends_with("puts") { json!({list: [body]}) } else { json!({"data_flow": {list: [body]}}) };
    let partial: PartialTemplate = serde_json::from_value(answer).unwrap();
    let outcome = ChunkOutcome::new("AREAS-001", source.line_range().unwrap(), Some(partial));
    let author = Author { produced_by: "a-model", is_parser_only: false };
    let document = merge(&source, &analysis, &[outcome], author, &FileContext::default());
    let (flows, interfaces) = (document.data_flow, document.inputs.iter().chain(&document.outputs));
    let flows = flows.reads_from.iter().chain(&flows.writes_to).map(|flow| (&flow.body.name, &flow.citations));
    let all = flows.chain(interfaces.map(|one| (&one.body.name, &one.citations)));
    let found = all.filter(|(own, _)| *own == name).map(|(_, citations)| citations[0].status().as_str());
    assert_eq!(found.collect::<Vec<_>>(), [expected], "{list} {item:?}");
}

#[test]
fn what_crosses_the_border_one_way_is_not_verified_the_other_way() {
    let check = |list, name, lines, expected| way(AREAS, list, [name, "", ""], lines, expected);
    check("reads_from", "WS-ASKED", (13, 14), "verified");
    check("writes_to", "WS-ASKED", (13, 14), "contradicted");
    check("writes_to", "WS-SHOWN", (14, 18), "verified");
    check("reads_from", "WS-SHOWN", (14, 18), "unchecked");
    check("reads_from", "WS-SHOWN", (15, 15), "verified");
    check("writes_to", "WS-CARD", (12, 12), "contradicted");
    // What the program looks at besides is no input.
    check("inputs", "WS-SHOWN", (14, 18), "contradicted");
    check("outputs", "WS-SHOWN", (14, 18), "verified");
}

/// A program that is called with an area, and calls another with one.
const CALLS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-AREA.
          05 AREA-NO PIC 9(4).
       01 WS-LOG.
          05 LOG-NO PIC 9(4).
       01 WS-CARD.
          05 CARD-NO PIC 9(4).
       LINKAGE SECTION.
       01 DFHCOMMAREA PIC X(4).
       PROCEDURE DIVISION.
       MAIN.
           MOVE DFHCOMMAREA TO WS-AREA.
           IF EIBCALEN = 0
               MOVE 8 TO RETURN-CODE
           END-IF.
           MOVE AREA-NO TO LOG-NO.
           EXEC CICS LINK PROGRAM('LOGGER') COMMAREA(WS-LOG) END-EXEC.
           ADD 1 TO AREA-NO.
           EXEC CICS RETURN TRANSID('CALL') COMMAREA(WS-AREA) END-EXEC.
           ACCEPT WS-CARD.
           MOVE 7 TO CARD-NO.
           ADD CARD-NO TO AREA-NO.
";

#[test]
fn an_area_comes_in_where_it_is_filled_from_outside() {
    let check = |list, name, lines, expected| way(CALLS, list, [name, "", ""], lines, expected);
    check("inputs", "WS-AREA", (15, 22), "verified");
    check("inputs", "WS-AREA", (21, 22), "contradicted");
    check("outputs", "WS-AREA", (21, 22), "verified");
    // An ACCEPT is no statement that sets its item.
    check("outputs", "WS-CARD", (23, 23), "contradicted");
}

#[test]
fn registers_go_one_way() {
    let check = |list, name, lines, expected| way(CALLS, list, [name, "", ""], lines, expected);
    check("writes_to", "EIBCALEN", (16, 16), "contradicted");
    check("reads_from", "RETURN-CODE", (17, 17), "contradicted");
    check("inputs", "Return code", (1, 2), "contradicted");
    check("outputs", "RETURN-CODE", (17, 17), "verified");
}

#[test]
fn the_words_of_an_item_say_which_way_its_data_goes() {
    let check = |list, item, expected| way(CALLS, list, item, (19, 20), expected);
    check("outputs", ["WS-LOG", "parameter to LOGGER", "The number."], "verified");
    check("inputs", ["WS-LOG", "parameter to LOGGER", "The number."], "contradicted");
    check("inputs", ["WS-LOG (passed to LOGGER)", "parameter", "The number."], "contradicted");
    check("outputs", ["WS-LOG (returned by LOGGER)", "parameter", "The number."], "contradicted");
    check("inputs", ["WS-LOG", "parameter", "Passed to LOGGER and given back by LOGGER."], "verified");
    check("inputs", ["WS-LOG", "job output", "The number."], "contradicted");
    check("inputs", ["WS-LOG", "message to the operator", "The number."], "contradicted");
    way(CALLS, "writes_to", ["WS-CARD", "", "A number, by ACCEPT."], (23, 24), "contradicted");
    way(CALLS, "reads_from", ["WS-CARD", "", "A number, by ACCEPT."], (23, 24), "verified");
    way(CALLS, "writes_to", ["WS-CARD", "", "The number as received."], (23, 24), "contradicted");
}

#[test]
fn the_parts_that_words_name_go_the_way_of_their_item() {
    let check = |list, description, lines, expected| way(CALLS, list, ["WS-LOG", "", description], lines, expected);
    check("writes_to", "The number in LOG-NO.", (19, 20), "verified");
    check("reads_from", "The number in LOG-NO.", (19, 20), "unchecked");
    let area = ["WS-AREA", "", "The number in AREA-NO goes to the next task."];
    way(CALLS, "reads_from", ["WS-AREA", "", "The next AREA-NO."], (22, 22), "unchecked");
    way(CALLS, "writes_to", area, (21, 22), "verified");
}

#[test]
fn true_words_that_turn_or_omit_are_not_contradicted() {
    let stands = |description: &str, range: (u32, u32)| {
        let rule = json!({"description": description, "conditions": [], "citations": cited(&[range])});
        let document = merged(json!({"business_rules": [rule]}));
        let status = document.business_rules[0].citations[0].status().as_str();
        assert_ne!(status, "contradicted", "{description}");
    };
    stands("Unless WS-COUNT > WS-LIMIT, the reason is 'OK'.", (36, 41));
    stands("When WS-COUNT > WS-LIMIT, adding 1 to WS-COUNT is skipped.", (36, 41));
    stands("Performs WS-LEVEL validation.", (45, 48));
    stands("If LEVEL-CLERK, control is moved to DONE.", (25, 26));
}
