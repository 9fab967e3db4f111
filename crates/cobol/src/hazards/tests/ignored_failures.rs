//! Failures that are tested for nothing.

use super::*;

#[test]
fn a_failure_that_is_tested_for_nothing() {
    let check = |statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, IgnoredFailure { .. }), ["F", "01 ST-F PIC XX.", statements], expected);
    };
    let ignored = [IgnoredFailure { operation: name("OPEN of F") }];
    check("OPEN INPUT F.\nIF ST-F NOT = '00' CONTINUE END-IF.\nREAD F.\nGOBACK.", &ignored);
    for form in
        ["NEXT SENTENCE.", "EXIT.", "CONTINUE\nELSE\nCONTINUE.", "CONTINUE\nELSE\nNEXT SENTENCE.", "EXIT CONTINUE."]
    {
        check(&format!("OPEN INPUT F.\nIF ST-F NOT = '00'\n{form}\nREAD F.\nGOBACK."), &ignored);
    }
    // What skips or leaves something does something.
    for form in
        ["NEXT SENTENCE END-IF\nDISPLAY ST-F.", "EXIT PARAGRAPH.", "EXIT PROGRAM.", "NEXT SENTENCE\nELSE\nREAD F."]
    {
        check(&format!("OPEN INPUT F.\nIF ST-F NOT = '00'\n{form}\nREAD F.\nGOBACK."), &[]);
    }
    check("OPEN INPUT F.\nIF ST-F NOT = '00' CONTINUE ELSE READ F.\nGOBACK.", &[]);
    check("OPEN INPUT F.\nIF ST-F NOT = '00' GOBACK.\nREAD F.\nGOBACK.", &[]);
}

#[test]
fn a_success_that_is_tested_for_nothing_ignores_the_failure() {
    let check = |statements: &str, expected: &[&str]| {
        let expected: Vec<_> = expected.iter().map(|operation| IgnoredFailure { operation: name(operation) }).collect();
        let statements = format!("OPEN INPUT F.\n{statements}\nREAD F.\nGOBACK.");
        check_only(|kind| matches!(kind, IgnoredFailure { .. }), ["F", "01 ST-F PIC XX.", &statements], &expected);
    };
    check("IF ST-F = '00' CONTINUE END-IF.", &["OPEN of F"]);
    check("IF ST-F = '00' NEXT SENTENCE.", &["OPEN of F"]);
    check("IF ST-F = '00' OR '05' CONTINUE END-IF.", &["OPEN of F"]);
    check("IF ST-F = '00' NEXT SENTENCE ELSE GOBACK.", &[]);
    check("IF ST-F = '00' CONTINUE END-IF.\nIF ST-F NOT = '00' GOBACK.", &[]);
    // A handler says what happens later.
    check("EXEC CICS HANDLE ABEND LABEL(E) END-EXEC.\nIF EIBRESP = 0 CONTINUE END-IF.\nE.", &[]);
    // What is skipped makes a difference.
    check("IF ST-F = '00' NEXT SENTENCE END-IF\nDISPLAY ST-F.", &[]);
    check("IF ST-F = '00'\nCOPY ABEND.\nEND-IF.", &[]);
}

#[test]
fn a_failure_that_something_else_may_handle() {
    let check = |statements: &str, expected: &[&str]| {
        let data = "01 ST-F PIC XX.\n88 F-IS-NEW VALUE '05'.\n01 ST-G PIC XX.\nEXEC SQL INCLUDE SQLCA END-EXEC.";
        let expected: Vec<_> = expected.iter().map(|operation| IgnoredFailure { operation: name(operation) }).collect();
        let statements = format!("{statements}\nREAD F.\nGOBACK.");
        check_only(|kind| matches!(kind, IgnoredFailure { .. }), ["F G", data, &statements], &expected);
    };
    let delete = "EXEC SQL DELETE FROM T END-EXEC.\n";
    // A test for one code tolerates this code.
    check(&format!("{delete}IF SQLCODE = -502 CONTINUE END-IF."), &[]);
    check(&format!("{delete}IF SQLCODE < 0 CONTINUE END-IF."), &["DELETE of T"]);
    check("OPEN INPUT F.\nIF ST-F = '35' CONTINUE END-IF.", &[]);
    check("OPEN INPUT F.\nIF ST-F = '35' OR '37' CONTINUE END-IF.", &[]);
    check("OPEN INPUT F.\nIF ST-F NOT = '00' AND '05' CONTINUE END-IF.", &["OPEN of F"]);
    // Another branch handles it.
    let both = format!("{delete}IF SQLCODE NOT = 0\nGOBACK.\nIF SQLCODE < 0 CONTINUE END-IF.");
    check(&both, &[]);
    check("OPEN INPUT F.\nIF ST-F NOT = '00' CONTINUE END-IF.\nIF ST-F NOT = '00' STOP RUN.", &[]);
    check("OPEN INPUT F.\nIF ST-F NOT = '00' CONTINUE END-IF.\nIF ST-F NOT = '00' CONTINUE\nEND-IF.", &["OPEN of F"]);
    check("READ F.\nIF ST-F = '10' GOBACK.\nIF ST-F NOT = '00' CONTINUE END-IF.", &["READ of F"]);
    // What stands there is missing.
    check("OPEN INPUT F.\nIF ST-F NOT = '00'\nCOPY ABEND.\nEND-IF.", &[]);
    check("OPEN INPUT F.\nIF ST-F NOT = '00'\n++INCLUDE ABEND\nEND-IF.", &[]);
    check(&format!("{delete}IF SQLCODE < 0\nEXEC SQL INCLUDE ERRCPY END-EXEC\nEND-IF."), &[]);
    check("OPEN INPUT F.\nIF ST-F NOT = '00' CONTINUE\nCOPY ABEND.\nEND-IF.", &[]);
    // The file whose status is tested.
    let open = "OPEN INPUT F OUTPUT G.\n";
    check(&format!("{open}IF ST-F NOT = '00' GOBACK.\nIF ST-G NOT = '00' CONTINUE END-IF."), &["OPEN of G"]);
    check(&format!("{open}IF ST-G NOT = '00' GOBACK.\nIF ST-F NOT = '00' CONTINUE END-IF."), &["OPEN of F"]);
    check(&format!("{open}IF ST-G = '00' CONTINUE ELSE GOBACK.\nIF ST-G NOT = '00' CONTINUE END-IF."), &[]);
}

#[test]
fn a_case_of_a_failure_that_does_nothing() {
    let check = |cases: &str, expected: &[HazardKind]| {
        let data = "01 ST-F PIC XX.\n88 F-OK VALUE '00'.\n01 EOF PIC X VALUE 'N'.";
        let statements = format!("READ F.\nEVALUATE {cases}\nEND-EVALUATE.\nDISPLAY EOF.\nGOBACK.");
        check_only(|kind| matches!(kind, IgnoredFailure { .. }), ["F", data, &statements], expected);
    };
    let ignored = [IgnoredFailure { operation: name("READ of F") }];
    check("ST-F\nWHEN '00' CONTINUE\nWHEN OTHER CONTINUE", &ignored);
    check("ST-F\nWHEN '00' CONTINUE\nWHEN '10' MOVE 'Y' TO EOF\nWHEN OTHER CONTINUE", &ignored);
    check("ST-F\nWHEN '00'\nWHEN '02' CONTINUE\nWHEN '10' MOVE 'Y' TO EOF\nWHEN OTHER EXIT", &ignored);
    check("TRUE\nWHEN F-OK CONTINUE\nWHEN ST-F = '10' MOVE 'Y' TO EOF\nWHEN OTHER CONTINUE", &ignored);
    check("TRUE\nWHEN ST-F NOT = '00' CONTINUE", &ignored);
    // Single codes are tolerated; a success that does something leaves nothing to a failure; a success may be among the rest.
    check("ST-F\nWHEN '00' CONTINUE\nWHEN '35' CONTINUE", &[]);
    check("ST-F\nWHEN '00' CONTINUE\nWHEN '35' CONTINUE\nWHEN OTHER STOP RUN", &[]);
    check("ST-F\nWHEN '00' DISPLAY 'A'\nWHEN OTHER CONTINUE", &[]);
    check("ST-F\nWHEN '10' MOVE 'Y' TO EOF\nWHEN OTHER CONTINUE", &[]);
    check("TRUE\nWHEN ST-F NOT = '00' CONTINUE\nWHEN EOF = 'N' DISPLAY EOF", &[]);
}

#[test]
fn a_failure_that_is_tested_where_another_one_is_handled() {
    let check = |statements: &str, is_after_failure: bool| {
        let operation = name("OPEN of G");
        let expected = match is_after_failure {
            true => IgnoredAfterFailure { operation },
            false => IgnoredFailure { operation },
        };
        let is_it = |kind: &HazardKind| matches!(kind, IgnoredFailure { .. } | IgnoredAfterFailure { .. });
        let data = "01 ST-F PIC XX.\n01 ST-G PIC XX.";
        let statements = format!("OPEN INPUT F.\n{statements}");
        check_only(is_it, ["F G", data, &statements], &[expected]);
    };
    let open = "OPEN OUTPUT G\nIF ST-G NOT = '00' CONTINUE END-IF\n";
    check(&format!("IF ST-F NOT = '00'\n{open}GOBACK\nEND-IF.\nGOBACK."), true);
    check(&format!("IF ST-F NOT = '00' PERFORM BAD.\nGOBACK.\nBAD.\n{open}."), true);
    check(&format!("IF ST-F NOT = '00' PERFORM BAD.\nGOBACK.\nBAD.\nPERFORM WORSE.\nWORSE.\n{open}."), true);
    check(&format!("IF ST-F NOT = '00' GO TO BAD.\nGOBACK.\nBAD.\n{open}CALL 'ILBOABN0' USING ST-F."), true);
    check(&format!("IF ST-F NOT = '00' GOBACK.\n{open}GOBACK."), false);
    check(&format!("IF ST-F NOT = '00' PERFORM OTHER-1.\nPERFORM OTHER-1.\nGOBACK.\nOTHER-1.\n{open}."), false);
}

#[test]
fn a_failure_that_the_program_handles_apart_from_the_test() {
    let check = |statements: &str, expected: &[&str]| {
        let data = "01 ST-F PIC XX.\n01 N PIC S9(8) COMP.\n01 A PIC X.\nEXEC SQL INCLUDE SQLCA END-EXEC.";
        let expected: Vec<_> = expected.iter().map(|operation| IgnoredFailure { operation: name(operation) }).collect();
        check_only(|kind| matches!(kind, IgnoredFailure { .. }), ["F", data, statements], &expected);
    };
    let open = "OPEN INPUT F.\nIF ST-F NOT = '00' CONTINUE END-IF.\n";
    let declared = |of: &str| {
        format!(
            "DECLARATIVES.\nD SECTION.\nUSE AFTER {of}.\nP.\nSTOP RUN.\nEND DECLARATIVES.\nM SECTION.\n{open}GOBACK."
        )
    };
    check(&declared("ERROR PROCEDURE ON F"), &[]);
    check(&declared("STANDARD EXCEPTION PROCEDURE INPUT"), &[]);
    check(&declared("ERROR PROCEDURE ON G"), &["OPEN of F"]);
    let delete = "EXEC SQL DELETE FROM T END-EXEC.\nIF SQLCODE < 0 CONTINUE END-IF.\nGOBACK.\nBAD.\nGOBACK.";
    for (condition, expected) in
        [("SQLERROR GO TO BAD", &[][..]), ("NOT FOUND GO TO BAD", &[]), ("SQLERROR CONTINUE", &["DELETE of T"])]
    {
        check(&format!("EXEC SQL WHENEVER {condition} END-EXEC.\n{delete}"), expected);
    }
    let write = |handle: &str, option: &str, item: &str| {
        format!(
            "EXEC CICS {handle} END-EXEC.\nEXEC CICS WRITEQ TS QUEUE('Q') FROM(A)\n{option} END-EXEC.\n\
             IF {item} NOT = DFHRESP(NORMAL)\nCONTINUE END-IF.\nGOBACK.\nBAD.\nGOBACK."
        )
    };
    check(&write("HANDLE CONDITION ERROR(BAD)", "", "EIBRESP"), &[]);
    check(&write("HANDLE CONDITION ERROR(BAD)", "RESP(N)", "N"), &["WRITEQ TS of Q"]);
    // A later test does something.
    check(&format!("{open}DISPLAY A.\nPERFORM CHECK-IT.\nGOBACK.\nCHECK-IT.\nIF ST-F NOT = '00' STOP RUN."), &[]);
    check(&format!("{open}EVALUATE ST-F\nWHEN '35' STOP RUN\nEND-EVALUATE.\nGOBACK."), &[]);
    check(&format!("{open}DISPLAY ST-F.\nGOBACK."), &["OPEN of F"]);
    check(&format!("{open}CLOSE F.\nIF ST-F NOT = '00' STOP RUN.\nGOBACK."), &["OPEN of F"]);
}
