//! Tests of resources, one text each: `ACCESSES NAME (kind, known as, within)`.

use super::*;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

fn check(procedure: &str, expected: &[&str]) {
    let head = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO FDD.
           SELECT G ASSIGN TO GDD.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-REC PIC X.
       FD G.
       01 G-REC PIC X.
       WORKING-STORAGE SECTION.
       01 WS-FILE PIC X(8) VALUE 'ACCTDAT'.
       01 FN-GU PIC X(4) VALUE 'GU'.
       01 ROOT-SSA PIC X(9) VALUE 'POLROOT '.
       PROCEDURE DIVISION.
       MAIN.
";
    let code = procedure.lines().fold(head.to_owned(), |code, line| format!("{code}           {line}\n"));
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let shown: Vec<String> = analysis
        .resources()
        .iter()
        .map(|found| {
            let within = found.within.as_ref().map(|within| format!(", in {within}")).unwrap_or_default();
            let known = found.estate_names.join("/");
            assert_eq!(found.is_written, found.accesses.writes(), "{}", found.name);
            format!("{} {} ({}, {known}{within})", found.accesses.crud_letters(), found.name, found.kind.in_words())
        })
        .collect();
    assert_eq!(shown, expected, "{procedure}");
}

#[test]
fn files_are_known_by_what_they_are_assigned_to() {
    check("OPEN INPUT F OUTPUT G.\nREAD F.\nWRITE G-REC.", &["R F (file, FDD)", "C G (file, GDD)"]);
    check("OPEN I-O F.\nREAD F.\nREWRITE F-REC.\nDELETE F.\nOPEN OUTPUT G.", &["RUD F (file, FDD)", "C G (file, GDD)"]);
    check("SORT S USING F GIVING G.", &["R F (file, FDD)", "C G (file, GDD)"]);
}

#[test]
fn an_assignment_may_name_device_and_organization() {
    for (assign, expected) in [
        ("ACCTFILE", "ACCTFILE"),
        ("UT-S-ACCTFILE", "ACCTFILE"),
        ("S-ACCTFILE", "ACCTFILE"),
        ("AS-ACCTFILE", "ACCTFILE"),
        ("SYS010-UT-3350-S-ACCTFILE", "ACCTFILE"),
        ("DA-I-MASTER", "MASTER"),
        ("acct-file", "acct-file"),
        ("WS-FILE-NAME", "WS-FILE-NAME"),
    ] {
        assert_eq!(data_definition(assign), expected);
    }
}

#[test]
fn each_table_of_a_statement_has_its_own_access() {
    check(
        "EXEC SQL INSERT INTO T1 (A) SELECT A FROM T2 END-EXEC.\nEXEC SQL UPDATE T2 SET A = 1 END-EXEC.",
        &["C T1 (table, T1)", "RU T2 (table, T2)"],
    );
    check(
        "EXEC SQL DECLARE C CURSOR FOR SELECT A FROM T1 END-EXEC.\nEXEC SQL OPEN C END-EXEC.\nEXEC SQL FETCH C INTO :A END-EXEC.\nEXEC SQL DELETE FROM T1 WHERE CURRENT OF C END-EXEC.",
        &["RD T1 (table, T1)"],
    );
    check("EXEC SQL LOCK TABLE T1 IN SHARE MODE END-EXEC.\nEXEC SQL DECLARE T1 TABLE (A INT) END-EXEC.", &[]);
}

#[test]
fn resources_of_cics_and_dli_are_known_by_their_names() {
    check(
        "EXEC CICS READ FILE(WS-FILE) INTO(A) END-EXEC.\nEXEC CICS REWRITE FILE(WS-FILE) END-EXEC.\nEXEC CICS SEND MAP('M') MAPSET('S') END-EXEC.\nEXEC CICS RECEIVE MAP('M') MAPSET('S') END-EXEC.",
        &["RU WS-FILE (CICS file, ACCTDAT)", "CR M (screen map, M, in S)"],
    );
    check(
        "EXEC DLI SCHD PSB(P) END-EXEC.\nEXEC DLI ISRT USING PCB(1) SEGMENT(S) FROM(A) END-EXEC.",
        &["C S (DL/I segment, S, in P)"],
    );
    check("CALL 'CBLTDLI' USING FN-GU PCB-1 AREA-1 ROOT-SSA.", &["R POLROOT (DL/I segment, POLROOT)"]);
    check(
        "CALL 'CBLTDLI' USING FN-GU PCB-1 AREA-1.\nCALL 'CBLTDLI' USING FN-GU PCB-1 AREA-1 S-X.",
        &["R PCB-1 (DL/I database, )", "R S-X (DL/I segment, )"],
    );
}

#[test]
fn streams_are_known_by_what_is_accepted_and_displayed() {
    check(
        "DISPLAY \"AT END\".\nDISPLAY 'A'.\nDISPLAY A UPON CONSOLE.\nACCEPT A FROM DATE.\nACCEPT A.",
        &[
            "C SYSOUT (system output, )",
            "C CONSOLE (system output, )",
            "R DATE (system input, )",
            "R SYSIN (system input, )",
        ],
    );
}

#[test]
fn a_word_of_the_language_is_no_stream() {
    check("ACCEPT OMITTED.", &[]);
    check("DISPLAY CONCAT(\"Columns: \" A).", &["C SYSOUT (system output, )"]);
}

#[test]
fn a_stream_has_the_places_of_all_that_is_displayed() {
    let code = "DISPLAY '*'.\nDISPLAY ' '.\nDISPLAY FUNCTION CURRENT-DATE.\nDISPLAY 'AT ' FUNCTION TRIM(A).\nDISPLAY ' ' AT LINE 25 COL 1.\nDISPLAY A LINE 3 COL 1.";
    let lines =
        code.lines().fold("       PROCEDURE DIVISION.\n".to_owned(), |all, line| format!("{all}           {line}\n"));
    let source = SourceText::read("T.cbl", lines.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let places = |name: &str| {
        let found = analysis.resources().iter().find(|found| found.name == name).unwrap();
        found.operations.iter().map(|(_, lines)| lines.start().get()).collect::<Vec<_>>()
    };
    assert_eq!((places("SYSOUT"), places(SCREEN)), (vec![2, 3, 4, 5], vec![6, 7]));
}

#[test]
fn to_set_the_environment_is_no_output() {
    check(
        "DISPLAY 'LOG' UPON ENVIRONMENT-NAME.\nDISPLAY 'YES' UPON ENVIRONMENT-VALUE.\nDISPLAY 1 UPON ARGUMENT-NUMBER.",
        &[],
    );
}
