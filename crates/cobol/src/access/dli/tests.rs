//! Tests of operations, one text each: `FUNCTION PCB PSB SEGMENTS ACCESSES`.

use super::*;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 FIVE PIC S9(9) COMP VALUE 5.
       01 F-GN PIC X(4) VALUE 'GN  '.
       01 F-REPL PIC X(4) VALUE 'REPL'.
       01 F PIC X(4) VALUE SPACES.
       01 ROOT-SSA.
          05 FILLER PIC X(19) VALUE 'POLROOT (POLKEY  = '.
          05 ROOT-KEY PIC X(10).
       01 CHILD-SSA.
          05 CHILD-NAME PIC X(8).
          05 FILLER PIC X VALUE ' '.
       01 ANY-SSA PIC X(9) VALUE 'POLCOVER*'.
       01 ONE-SSA.
          05 SEGMENT-NAME PIC X(8) VALUE 'ONE     '.
       01 TWO-SSA.
          05 SEGMENT-NAME PIC X(8) VALUE 'TWO     '.
       01 PSB-NAME PIC X(8) VALUE 'POLPSB'.
       PROCEDURE DIVISION.
       MAIN.
";

fn check(procedure: &str, expected: &[&str]) {
    let code = procedure.lines().fold(HEAD.to_owned(), |code, line| format!("{code}           {line}\n"));
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    let shown: Vec<String> = dli_operations(&parsed)
        .iter()
        .map(|found| {
            let segments: Vec<String> = found
                .segments
                .iter()
                .map(|segment| {
                    let area = segment.area.as_ref().map(|area| format!("<{area}>")).unwrap_or_default();
                    format!("{}{area}{}", segment.name, if segment.is_target { "" } else { "/" })
                })
                .collect();
            let pcb = found.pcb.as_deref().unwrap_or("-");
            let psb = found.psb.as_deref().unwrap_or("-");
            format!("{} {pcb} {psb} {} {}", found.function(), segments.join(" "), found.accesses().crud_letters())
        })
        .collect();
    assert_eq!(shown, expected, "{procedure}");
}

#[test]
fn commands_name_their_segments() {
    check(
        "EXEC DLI SCHD PSB((PSB-NAME)) END-EXEC\nEXEC DLI GU USING PCB(2) \nSEGMENT(POLROOT) WHERE(K = X) SEGMENT(COVER) INTO(C) END-EXEC\nEXEC DLI GET NEXT IN PARENT USING PCB(1) SEGMENT('ROOT') END-EXEC.",
        &["SCHD - POLPSB  ", "GU 2 POLPSB POLROOT/ COVER<C> R", "GNP 1 POLPSB ROOT R"],
    );
    check(
        "EXEC DLI SCHD PSB(A) END-EXEC\nEXEC DLI SCHD PSB(B) END-EXEC\nEXEC DLI TERM END-EXEC.",
        &["SCHD - A  ", "SCHD - B  ", "TERM - -  "],
    );
}

#[test]
fn calls_name_function_and_segments_by_items() {
    check("CALL 'CBLTDLI' USING F-GN PCB-1 AREA-1 ROOT-SSA ANY-SSA.", &["GN PCB-1 - POLROOT/ POLCOVER R"]);
    check("CALL 'CBLTDLI' USING FIVE F-GN PCB-1 AREA-1 ANY-SSA.", &["GN PCB-1 - POLCOVER R"]);
    check("CALL 'CBLTDLI' USING 'ISRT' PCB-1 AREA-1 ANY-SSA.", &["ISRT PCB-1 - POLCOVER C"]);
    check("CALL 'CBLTDLI' USING F-X PCB-1 AREA-1 SSA-X.", &["F-X PCB-1 - SSA-X "]);
    check("CALL 'CBLTDLI' USING F-GN GSAM-PCB AREA-1.", &["GN GSAM-PCB -  R"]);
    check("CALL 'OTHER' USING F-GN PCB-1 AREA-1.", &[]);
}

#[test]
fn arguments_whose_parts_have_the_same_names_are_told_apart() {
    check(
        "CALL 'CBLTDLI' USING F-GN P A ONE-SSA TWO-SSA.\nMOVE 'NEW' TO SEGMENT-NAME OF TWO-SSA.\nCALL 'CBLTDLI' USING F-GN P A ONE-SSA TWO-SSA.",
        &["GN P - ONE/ TWO R", "GN P - ONE/ NEW R"],
    );
    check("CALL 'CBLTDLI' USING F-GN P A ONE-SSA TWO-SSA.", &["GN P - ONE/ TWO R"]);
}

#[test]
fn what_is_moved_before_the_call_is_what_counts() {
    check(
        "MOVE 'GU' TO F.\nCALL 'CBLTDLI' USING F P A ANY-SSA.\nMOVE F-REPL TO F.\nCALL 'CBLTDLI' USING F P A.",
        &["GU P - POLCOVER R", "REPL P - POLCOVER U"],
    );
    check(
        "MOVE 'GU' TO F.\nIF X = 1 MOVE 'GN' TO F.\nCALL 'CBLTDLI' USING F P A ANY-SSA.",
        &["GU or GN P - POLCOVER R"],
    );
    check("IF X = 1 MOVE 'GN' TO F\nCALL 'CBLTDLI' USING F P A ANY-SSA.", &["GN P - POLCOVER R"]);
    check("MOVE 'POLCLAIM' TO CHILD-NAME.\nCALL 'CBLTDLI' USING F-GN P A CHILD-SSA.", &["GN P - POLCLAIM R"]);
    check("CALL 'CBLTDLI' USING F-GN P A CHILD-SSA.", &["GN P - CHILD-SSA R"]);
    check("MOVE 'POLCLAIM(' TO ROOT-SSA.\nCALL 'CBLTDLI' USING F-GN P A ROOT-SSA.", &["GN P - POLCLAIM R"]);
    check("IF X = 1 MOVE 'POLCLAIM(' TO ROOT-SSA.\nCALL 'CBLTDLI' USING F-GN P A ROOT-SSA.", &["GN P - ROOT-SSA R"]);
    check("IF X = 1 MOVE 'POLROOT (' TO ROOT-SSA.\nCALL 'CBLTDLI' USING F-GN P A ROOT-SSA.", &["GN P - POLROOT R"]);
}

#[test]
fn an_area_of_two_segments_tells_none() {
    check(
        "CALL 'CBLTDLI' USING F-GN P A ANY-SSA.\nCALL 'CBLTDLI' USING F-GN P A ROOT-SSA.\nCALL 'CBLTDLI' USING F-REPL P A.",
        &["GN P - POLCOVER R", "GN P - POLROOT R", "REPL P -  U"],
    );
}

#[test]
fn an_interface_block_names_its_pcb_or_psb() {
    check(
        "MOVE 'POLPSB' TO AIBRSNM1.\nCALL 'AIBTDLI' USING 'APSB' AIB.\nMOVE 'POLPCB' TO AIBRSNM1.\nCALL 'AIBTDLI' USING F-GN AIB A ANY-SSA.",
        &["APSB - POLPSB  ", "GN POLPCB POLPSB POLCOVER R"],
    );
}

#[test]
fn messages_of_a_transaction_are_told_from_databases() {
    let told = |procedure: &str| {
        let code = procedure.lines().fold(HEAD.to_owned(), |code, line| format!("{code}           {line}\n"));
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        let all = dli_operations(&parsed);
        all.iter().map(|found| if found.is_message { "message" } else { "database" }).collect::<Vec<_>>().join(" ")
    };
    let call = |function: &str, rest: &str| format!("MOVE '{function}' TO F\nCALL 'CBLTDLI' USING F {rest}\n");
    let (receives, sends) = (call("GU", "P1 AREA-1"), call("ISRT", "P1 AREA-1"));
    assert_eq!(told(&format!("{receives}{sends}")), "message message");
    assert_eq!(told(&receives.replace("P1", "IO-PCB")), "message");
    assert_eq!(told(&sends.replace("P1", "ALTPCB-1")), "message");
    // The name of a format behind the area.
    assert_eq!(told(&format!("{receives}{}", call("ISRT", "P1 AREA-1 PSB-NAME"))), "message message");
    assert_eq!(told(&call("ISRT", "IO-PCB AREA-1 ANY-SSA")), "message");
    // A segment, a function of databases, a sequential file, another PCB.
    assert_eq!(told(&format!("{receives}{sends}{}", call("GN", "P1 AREA-1 ANY-SSA"))), "database database database");
    assert_eq!(told(&format!("{receives}{sends}{}", call("DLET", "P1 AREA-1"))), "database database database");
    assert_eq!(told(&sends), "database");
    assert_eq!(told(&format!("{receives}{}", sends.replace("P1", "P2"))), "database database");
}
