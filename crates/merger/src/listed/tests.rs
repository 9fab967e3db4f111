use super::*;
use crate::{Author, FileContext, merge};
use std::sync::Arc;
use war_rig_cobol::{LexedSource, NoCopybooks, parse};
use war_rig_template::{CitationStatus, Document};
use war_rig_text::{ReadOptions, SourceText};

const CODE: &str = "IDENTIFICATION DIVISION.
PROGRAM-ID. T.
ENVIRONMENT DIVISION.
INPUT-OUTPUT SECTION.
FILE-CONTROL.
    SELECT ACCT-FILE ASSIGN TO ACCTIN
        FILE STATUS FS.
DATA DIVISION.
FILE SECTION.
FD ACCT-FILE.
01 ACCT-REC PIC X(9).
WORKING-STORAGE SECTION.
01 FS PIC XX.
01 STATE PIC X.
01 TOTAL PIC 9(5).
PROCEDURE DIVISION.
MAIN.
    READ ACCT-FILE.
    IF FS NOT = '00'
        PERFORM FAIL
    END-IF.
    IF STATE = 'A'
        MOVE 1 TO TOTAL
    END-IF.
    IF STATE = 'B'
        MOVE 2 TO TOTAL
    END-IF.
    CALL 'SUBA'.
    CALL 'SUBB'.
    EXEC CICS READ FILE('CUST') INTO(ACCT-REC) END-EXEC.
    EXEC CICS READ FILE('POL') INTO(ACCT-REC) END-EXEC.
    EXEC CICS LINK PROGRAM('SUBC') END-EXEC.
FAIL.
    STOP RUN.
";

fn analyzed() -> (SourceText, Analysis) {
    let code: String = CODE.lines().map(|line| format!("       {line}\n")).collect();
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    (source, analysis)
}

/// The document of an answer about the whole file.
#[track_caller]
fn merged(answer: &str) -> Document {
    let (source, analysis) = analyzed();
    let partial = serde_json::from_str(answer).unwrap();
    let outcome = ChunkOutcome::new("T-001", source.line_range().unwrap(), Some(partial));
    let author = Author { produced_by: "model", is_parser_only: false };
    merge(&source, &analysis, &[outcome], author, &FileContext::default())
}

/// What an answer becomes, with the notes about it.
#[track_caller]
fn resolved(answer: &str) -> (PartialTemplate, Vec<String>) {
    let (source, analysis) = analyzed();
    let partial = serde_json::from_str(answer).unwrap();
    let outcome = ChunkOutcome::new("T-001", source.line_range().unwrap(), Some(partial));
    let resolved = resolve(std::slice::from_ref(&outcome), &source, &analysis).into_owned().remove(0);
    (resolved.partial.unwrap(), resolved.notes)
}

#[test]
fn words_for_an_id_stand_at_the_thing_that_it_means() {
    let document = merged(
        r#"{"paragraphs": [{"id": "P2", "summary": "Ends the run."}],
            "called_programs": [{"id": "L2", "purpose": "Asks for B."}],
            "cics_operations": [{"id": "C2", "purpose": "Reads the policy."}, {"id": "l3", "purpose": "Asks C."}],
            "inputs": [{"id": "F1", "description": "The accounts."}]}"#,
    );
    assert_eq!(document.paragraphs[1].summary, "Ends the run.");
    assert_eq!((&*document.called_programs[0].purpose, &*document.called_programs[1].purpose), ("", "Asks for B."));
    let said: Vec<&str> = document.cics_operations.iter().map(|item| item.purpose.as_str()).collect();
    assert_eq!(said, ["", "Reads the policy.", "Asks C."]);
    let account = document.inputs.iter().find(|item| item.name == "ACCT-FILE").unwrap();
    assert_eq!((account.description.as_str(), account.confidence), ("The accounts.", Some(1.0)));
    assert!(document.rejected.is_empty() && document.conflicts.is_empty());
}

#[test]
fn a_rule_has_the_conditions_and_rows_of_its_decisions_and_an_error_those_of_its_test() {
    let document = merged(
        r#"{"business_rules": [{"id": "D1,D2", "description": "The state decides the total.", "conditions": []}],
            "error_handling": [{"id": "E1", "action": "The run ends."}],
            "data_flow": {"reads_from": [{"id": "F1", "description": "Accounts."}]}}"#,
    );
    let rule = &document.business_rules[0];
    assert_eq!(rule.conditions, ["STATE = 'A'", "STATE = 'B'"]);
    let lines: Vec<String> = rule.citations.iter().map(|citation| citation.lines().to_string()).collect();
    assert_eq!(lines, ["22-23", "25-26"]);
    assert_eq!(document.error_handling[0].condition, "FS NOT = '00'");
    assert_eq!(document.data_flow.reads_from[0].name, "ACCT-FILE");
    let all = rule.citations.iter().chain(&document.error_handling[0].citations);
    let all: Vec<_> = all.chain(&document.data_flow.reads_from[0].citations).collect();
    assert!(all.iter().all(|citation| citation.status() == CitationStatus::Verified), "{all:?}");
}

#[test]
fn own_rows_and_own_conditions_stay() {
    let (partial, _) = resolved(
        r#"{"business_rules": [{"id": "D1", "description": "Known.", "conditions": ["STATE"],
            "citations": [{"start": 15, "end": 15}, {"start": 22, "end": 24, "quote": "MOVE 1 TO TOTAL"}]}]}"#,
    );
    let rule = &partial.business_rules[0];
    assert_eq!(rule.conditions, ["STATE"]);
    let rows: Vec<(u32, u32)> = rule.citations.iter().map(|citation| (citation.start, citation.end)).collect();
    assert_eq!(rows, [(15, 15), (22, 24)]);
    let (partial, _) = resolved(
        r#"{"business_rules": [{"id": "P1,D2", "description": "Known.", "citations": [{"start": 15, "end": 15}]}]}"#,
    );
    let rows: Vec<u32> = partial.business_rules[0].citations.iter().map(|citation| citation.start).collect();
    assert_eq!(rows, [25, 15]);
}

#[test]
fn a_name_that_is_another_things_wins_over_the_id_and_a_misspelt_one_does_not() {
    let (partial, _) = resolved(
        r#"{"called_programs": [{"id": "L1", "program_name": "'SUBB'", "purpose": "B."}, {"id": "L1", "program_name": "SUB-A", "purpose": "A."}],
            "cics_operations": [{"id": "C1", "command": "READ", "resource": "'POL'", "purpose": "P."},
                {"id": "C1", "command": "READ FILE", "resource": "CUST", "purpose": "C."}]}"#,
    );
    let calls: Vec<(&str, usize)> =
        partial.called_programs.iter().map(|item| (item.program_name.as_str(), item.citations.len())).collect();
    assert_eq!(calls, [("'SUBB'", 0), ("SUBA", 1)]);
    let commands: Vec<(&str, Option<&str>, usize)> = partial
        .cics_operations
        .iter()
        .map(|item| (item.command.as_str(), item.resource.as_deref(), item.citations.len()))
        .collect();
    assert_eq!(commands, [("READ", Some("'POL'"), 0), ("READ", Some("CUST"), 1)]);
}

#[test]
fn words_about_several_things_are_said_of_each() {
    let (partial, notes) = resolved(r#"{"called_programs": [{"id": "L1, L2", "purpose": "Asks."}]}"#);
    let names: Vec<&str> = partial.called_programs.iter().map(|item| item.program_name.as_str()).collect();
    assert_eq!((names, notes.len()), (vec!["SUBA", "SUBB"], 0));
}

#[test]
fn an_unknown_id_leaves_the_name_and_the_rows_and_without_them_nothing() {
    let (partial, notes) = resolved(
        r#"{"called_programs": [{"id": "L9", "program_name": "SUBA", "purpose": "A."},
                {"id": "L9", "purpose": "B.", "citations": [{"start": 29, "end": 29}]}, {"id": "L9", "purpose": "?"},
                {"id": "D1", "purpose": "?"}],
            "paragraphs": [{"id": "", "paragraph_name": "FAIL", "summary": "Ends."}]}"#,
    );
    let names: Vec<&str> = partial.called_programs.iter().map(|item| item.program_name.as_str()).collect();
    assert_eq!(names, ["SUBA", "SUBB"]);
    assert_eq!(
        notes,
        [
            "called_programs 3 has neither a name nor an id that is listed for it",
            "called_programs 4 has neither a name nor an id that is listed for it",
        ]
    );
    assert_eq!(partial.paragraphs[0].paragraph_name, "FAIL");
}

#[test]
fn an_answer_without_ids_stays_as_it_is() {
    let (source, analysis) = analyzed();
    let answer = r#"{"paragraphs": [{"paragraph_name": "FAIL", "summary": "Ends."}]}"#;
    let outcome = ChunkOutcome::new("T-001", source.line_range().unwrap(), Some(serde_json::from_str(answer).unwrap()));
    assert!(matches!(resolve(&[outcome], &source, &analysis), Cow::Borrowed(_)));
}
