use super::*;
use crate::{Analysis, LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO F FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-REC PIC X.
       WORKING-STORAGE SECTION.
       01 FILE-ACCESS.
          05 FS PIC XX.
             88 F-OK VALUE '00' '97'.
             88 F-END VALUE '10'.
       01 RESULT PIC S9(9) COMP.
          88 ALL-WELL VALUE 0.
          88 AT-THE-END VALUE 16.
       01 FLAG PIC X.
          88 IS-DONE VALUE 'D'.
          88 IS-LOCKED VALUE 'L'.
       01 RESP-CODE PIC S9(8) COMP.
       01 COMP-CODE PIC S9(9) BINARY.
       01 REASON PIC S9(9) BINARY.
       01 LAST-CODE PIC XX.
          88 CODE-OK VALUE '  ', 'FW'.
          88 CODE-END VALUE 'GE' 'GB'.
          88 CODE-DUPLICATE VALUE 'II'.
       01 OTHER-CODE PIC XX.
       77 SQL-OK PIC S9(9) COMP VALUE 0.
       77 NO-ROW PIC S9(9) COMP VALUE +100.
       01 GU-FUNCTION PIC X(4) VALUE 'GU'.
       01 AREA-1 PIC X(80).
       LINKAGE SECTION.
       01 PCB-1.
          05 NAME-1 PIC X(8).
          05 LEVEL-1 PIC XX.
          05 CODE-1 PIC XX.
             88 CODE-1-OK VALUE SPACES.
          05 OPTIONS-1 PIC X(4).
       01 PCB-2.
          05 FILLER PIC X(10).
          05 CODE-2 PIC XX.
       PROCEDURE DIVISION.
       MAIN.
           EXEC CICS ASKTIME RESP(RESP-CODE) END-EXEC
";

fn analysis(procedure: &str) -> Analysis {
    let code = procedure.lines().fold(HEAD.to_owned(), |code, line| format!("{code}           {line}\n"));
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    Analysis::of(parsed)
}

/// Returns the result of every branch of a procedure, and the verb of the operation that it tests.
fn outcomes(procedure: &str) -> Vec<(Option<OperationStatus>, Option<String>)> {
    let analysis = analysis(procedure);
    let (parsed, outcomes) = (analysis.parsed(), analysis.status_checks());
    (0..parsed.branches.len())
        .map(|at| {
            let operation = outcomes.checked_operation(at).map(|at| parsed.statements[at].verb.to_string());
            (outcomes.of_branch(at), operation)
        })
        .collect()
}

fn check(condition: &str, expected: Option<OperationStatus>) {
    let found = outcomes(&format!("IF {condition} DISPLAY 'A'."));
    assert_eq!(found[0].0, expected, "{condition}");
}

#[test]
fn conditions_on_statuses_say_how_it_went() {
    use OperationStatus::{EndOfData, Failure, Success};
    for (condition, expected) in [
        ("FS = '00'", Some(Success)),
        ("FS NOT = '00'", Some(Failure)),
        ("FS IS EQUAL TO '00' OR '97'", Some(Success)),
        ("FS NOT = '00' AND '10'", Some(Failure)),
        ("FS NOT = '00' AND FS NOT = '10'", Some(Failure)),
        ("FS = '10'", Some(EndOfData)),
        ("FS = '23'", Some(Failure)),
        ("F-OK", Some(Success)),
        ("NOT F-OK", Some(Failure)),
        ("F-OK OR F-END", Some(Success)),
        ("FS = '00' OR '23'", Some(Success)),
        ("FS NOT = '00' AND FS NOT = '23'", Some(Failure)),
        ("SQLCODE = ZERO", Some(Success)),
        ("SQLCODE = +100", Some(EndOfData)),
        ("SQLCODE < 0", Some(Failure)),
        ("SQLCODE >= 0", Some(Success)),
        ("SQLCODE <> 0", Some(Failure)),
        ("SQLCODE NOT = ZEROS OR SQLWARN0 = 'W'", Some(Failure)),
        ("SQLCODE = 0 AND SQLWARN0 = SPACE", Some(Success)),
        ("SQLWARN0 = 'W'", None),
        ("SQLCODE < -900", Some(Failure)),
        ("SQLCODE > -900", None),
        ("RETURN-CODE > 4", Some(Failure)),
        ("RESP-CODE = DFHRESP(NORMAL)", Some(Success)),
        ("RESP-CODE NOT = DFHRESP(NORMAL)", Some(Failure)),
        ("RESP-CODE = DFHRESP(NOTFND)", Some(Failure)),
        ("EIBRESP = DFHRESP(ENDFILE)", Some(EndOfData)),
        ("FLAG = 'Y'", None),
        ("FS = '00' AND FLAG = 'Y'", None),
        ("FS NOT = '00' AND FLAG = 'Y'", Some(Failure)),
        ("FS = FLAG", None),
        ("FS NOT = '23'", None),
    ] {
        check(condition, expected);
    }
}

#[test]
fn behind_a_test_that_leaves_for_any_error_only_the_end_of_the_data_is_left() {
    use OperationStatus::{EndOfData, Failure, Success};
    let of = |test: &str| {
        let select = "EXEC SQL SELECT A INTO :RESULT FROM T END-EXEC";
        let text = format!("{select}\n{test}\nIF SQLCODE = 0 DISPLAY 'A' ELSE DISPLAY 'B'.");
        outcomes(&text).into_iter().map(|(outcome, _)| outcome).collect::<Vec<_>>()
    };
    let left = [Some(Failure), Some(Success), Some(EndOfData)];
    assert_eq!(of("IF SQLCODE NOT = 0 AND +100 GOBACK END-IF"), left);
    assert_eq!(of("IF (SQLCODE NOT = 0 AND 100)\nOR SQLWARN0 = 'W' GOBACK END-IF"), left);
    let open = [Some(Failure), Some(Success), Some(Failure)];
    assert_eq!(of("IF SQLCODE NOT = 0 AND +100 DISPLAY 'C' END-IF"), open);
    assert_eq!(of("IF SQLCODE NOT = 0 AND -811 GOBACK END-IF"), open);
    assert_eq!(of("IF SQLCODE NOT = 0 AND 100 AND -811\nGOBACK END-IF"), open);
    // The codes for which control leaves are told apart before it does.
    let inside =
        of("IF (SQLCODE NOT = 0 AND 100) OR SQLWARN0 = 'W'\nIF SQLCODE NOT = 0 DISPLAY 'C' END-IF GOBACK END-IF");
    assert_eq!(inside[..2], [Some(Failure), Some(Failure)]);
}

#[test]
fn else_other_and_phrases_say_the_rest() {
    use OperationStatus::{EndOfData, Failure, Success};
    let of = |procedure: &str| outcomes(procedure).into_iter().map(|(outcome, _)| outcome).collect::<Vec<_>>();
    // Without the end of the data there is a record, or a failure.
    assert_eq!(of("IF FS = '10' DISPLAY 'A' ELSE DISPLAY 'B'."), [Some(EndOfData), None]);
    assert_eq!(
        of("IF FS = '00' DISPLAY 'A' ELSE IF FS = '10'\nDISPLAY 'B' ELSE DISPLAY 'C'."),
        [Some(Success), Some(Failure), Some(EndOfData), Some(Failure)]
    );
    assert_eq!(of("IF FS NOT = '10' DISPLAY 'A'."), [None]);
    assert_eq!(of("IF FS = '00' DISPLAY 'A' ELSE DISPLAY 'B'."), [Some(Success), Some(Failure)]);
    let evaluated = of(
        "EVALUATE RESP-CODE\nWHEN DFHRESP(NORMAL) DISPLAY 'A'\nWHEN 13 DISPLAY 'B'\nWHEN OTHER DISPLAY 'C'\nEND-EVALUATE.",
    );
    assert_eq!(evaluated, [Some(Success), Some(Failure), Some(Failure)]);
    assert_eq!(
        of("EVALUATE TRUE\nWHEN F-END DISPLAY 'A'\nWHEN FLAG = 'X' DISPLAY 'B'\nWHEN OTHER DISPLAY 'C'."),
        [Some(EndOfData), None, None]
    );
    assert_eq!(of("READ F AT END DISPLAY 'A' NOT AT END DISPLAY 'B'."), [Some(EndOfData), Some(Success)]);
}

#[test]
fn what_excludes_one_error_is_no_success() {
    let of = |procedure: &str| outcomes(procedure).into_iter().map(|(outcome, _)| outcome).collect::<Vec<_>>();
    let failed = Some(OperationStatus::Failure);
    assert_eq!(of("IF FS = '35' DISPLAY 'A' ELSE DISPLAY 'B'."), [failed, None]);
    assert_eq!(of("IF FS NOT = '00' DISPLAY 'A' ELSE DISPLAY 'B'."), [failed, Some(OperationStatus::Success)]);
    assert_eq!(of("EVALUATE FS WHEN '35' DISPLAY 'A' WHEN OTHER DISPLAY 'B' END-EVALUATE."), [failed, None]);
}

#[test]
fn an_item_that_is_set_from_a_status_is_one_and_others_are_not() {
    use OperationStatus::{EndOfData, Failure, Success};
    let read = "MOVE 8 TO RESULT\nREAD F\nIF FS = '00' MOVE 0 TO RESULT\nELSE IF FS = '10' MOVE 16 TO RESULT ELSE MOVE 12 TO RESULT.\n";
    let found = outcomes(&format!("{read}IF ALL-WELL CONTINUE ELSE DISPLAY 'B'."));
    let tested = &found[found.len() - 2..];
    let read_statement = Some("READ".to_owned());
    assert_eq!(tested, [(Some(Success), read_statement.clone()), (Some(Failure), read_statement)]);
    assert_eq!(outcomes(&format!("{read}IF AT-THE-END DISPLAY 'E'.")).last().unwrap().0, Some(EndOfData));
    // An item that a business rule also sets is not a status.
    let ruled = format!("{read}OTHER-PARAGRAPH.\nIF FLAG = 'Y' MOVE 0 TO RESULT.\nIF ALL-WELL DISPLAY 'A'.");
    assert_eq!(outcomes(&ruled).last().unwrap().0, None);
}

#[test]
fn the_operation_may_stand_in_what_is_performed() {
    let found = outcomes("OPEN INPUT F.\nPERFORM READ-IT.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nREAD-IT.\nREAD F.");
    assert_eq!(found[0].1.as_deref(), Some("READ"));
}

#[test]
fn the_operation_may_stand_in_what_a_performed_paragraph_performs() {
    let test = |performed: &str| {
        let found = tested(&format!(
            "OPEN INPUT F.\nPERFORM A.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nA.\n{performed}\nB.\nREAD F.\nC.\nREWRITE F-REC.\nD.\nDISPLAY 'D'.\nSTOP RUN.\nE.\nIF FLAG = 'E'\nREAD F\nELSE\nDELETE F\nEND-IF.\nA-EXIT.\nEXIT."
        ));
        found.into_iter().next().unwrap()
    };
    assert_eq!(test("PERFORM C.\nPERFORM B."), ["READ"]);
    assert_eq!(test("DELETE F.\nPERFORM B.\nIF FLAG = 'Y' PERFORM D."), ["READ"]);
    assert_eq!(test("PERFORM B.\nIF FLAG = 'Y' PERFORM C."), ["READ", "REWRITE"]);
    assert_eq!(test("IF FLAG = 'Y' PERFORM C."), ["OPEN", "REWRITE"]);
    assert_eq!(test("IF FLAG = 'Y' PERFORM C PERFORM D."), ["OPEN"]);
    assert_eq!(test("PERFORM E."), ["READ", "DELETE"]);
}

#[test]
fn an_operation_behind_which_a_paragraph_is_left_at_once_may_be_the_last() {
    let code = "PERFORM A.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nA.\nOPEN INPUT F.\nIF FS NOT = '00'\nEXIT PARAGRAPH\nEND-IF.\n\
        PERFORM UNTIL FLAG = 'Y'\nREAD F AT END MOVE 'Y' TO FLAG END-READ\nEND-PERFORM.\nCLOSE F.";
    assert_eq!(tested(code).into_iter().next().unwrap(), ["OPEN", "CLOSE"]);
}

#[test]
fn the_operation_may_be_the_one_behind_which_a_performed_range_is_left() {
    let left = |last: &str| {
        let code = format!(
            "OPEN INPUT F.\nPERFORM R THRU R-EXIT.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nR.\nREAD F.\nIF FS NOT = '00' {last}.\nREWRITE F-REC.\nR-EXIT.\nEXIT.\nE.\nDISPLAY 'E'.\nSTOP RUN."
        );
        tested(&code).into_iter().next().unwrap()
    };
    assert_eq!(left("GO TO R-EXIT"), ["READ", "REWRITE"]);
    assert_eq!(left("GO TO E"), ["REWRITE"]);
    assert_eq!(left("PERFORM E"), ["REWRITE"]);
    assert_eq!(left("GOBACK"), ["REWRITE"]);
}

#[test]
fn the_operation_is_the_last_one_that_sets_the_status() {
    let found = outcomes(
        "OPEN INPUT F.\nEXEC SQL COMMIT END-EXEC.\nIF FS NOT = '00' DISPLAY 'A'.\nIF SQLCODE < 0 DISPLAY 'B'.",
    );
    let operations: Vec<_> = found.into_iter().map(|(_, operation)| operation.unwrap()).collect();
    assert_eq!(operations, ["OPEN", "EXEC"]);
}

/// Returns the result that the last branch of a procedure stands for, and the operations that it checks: `READ F`.
fn last_test(procedure: &str) -> (Option<OperationStatus>, Vec<String>) {
    let analysis = analysis(procedure);
    let (parsed, checks) = (analysis.parsed(), analysis.status_checks());
    let last = parsed.branches.len() - 1;
    let words = |at: &usize| parsed.words(&parsed.statements[*at]).text().to_owned();
    (checks.of_branch(last), checks.checked_operations(last).iter().map(words).collect())
}

/// An update that records in FLAG what stopped it.
const UPDATE: &str = "GOBACK.
UPDATE-IT.
MOVE SPACE TO FLAG.
READ F.
IF FS NOT = '00' MOVE 'L' TO FLAG GO TO UPDATE-EXIT.
IF F-REC = 'X' MOVE 'O' TO FLAG GO TO UPDATE-EXIT.
REWRITE F-REC.
IF FS = '00' MOVE 'D' TO FLAG GO TO UPDATE-EXIT.
MOVE 'F' TO FLAG.
EXEC CICS SYNCPOINT ROLLBACK END-EXEC.
UPDATE-EXIT.
EXIT.
";

#[test]
fn a_switch_tells_of_the_operations_behind_its_value() {
    use OperationStatus::{Failure, Success};
    let by_set =
        UPDATE.replace("MOVE 'L' TO FLAG", "SET IS-LOCKED TO TRUE").replace("MOVE 'D' TO FLAG", "SET IS-DONE TO TRUE");
    for procedure in [UPDATE, &by_set] {
        let check = |test: &str, status: Option<OperationStatus>, operations: &[&str]| {
            let told = last_test(&format!("{procedure}LAST-ONE.\nPERFORM UPDATE-IT THRU UPDATE-EXIT.\n{test}"));
            assert_eq!(
                (told.0, told.1.iter().map(String::as_str).collect::<Vec<_>>()),
                (status, operations.to_vec()),
                "{test}"
            );
        };
        check("IF IS-DONE DISPLAY 'A'.", Some(Success), &["REWRITE F-REC"]);
        check("IF FLAG = 'L' DISPLAY 'A'.", Some(Failure), &["READ F"]);
        check("EVALUATE FLAG WHEN 'D' DISPLAY 'A' WHEN 'L' DISPLAY 'B'.", Some(Failure), &["READ F"]);
        check("IF NOT IS-LOCKED DISPLAY 'A'.", Some(Success), &["REWRITE F-REC"]);
        check("IF IS-DONE DISPLAY 'A' ELSE DISPLAY 'B'.", Some(Failure), &["READ F"]);
        check("EVALUATE FLAG WHEN 'D' DISPLAY 'A' WHEN OTHER DISPLAY 'B'.", Some(Failure), &["READ F"]);
        check("IF FLAG = 'O' DISPLAY 'A'.", None, &[]);
    }
}

#[test]
fn a_switch_of_several_operations_names_those_that_reach_its_test() {
    use OperationStatus::{Failure, Success};
    let open = |verb: &str| format!("{verb}\nIF FS = '00' MOVE 0 TO RESULT ELSE MOVE 12 TO RESULT.\n");
    let (first, second) = (open("OPEN INPUT F."), open("READ F."));
    let told = |procedure: &str| last_test(procedure);
    // In the same paragraph, the assignments before the test count.
    assert_eq!(
        told(&format!("{first}{second}IF RESULT = 12 DISPLAY 'A'.")),
        (Some(Failure), vec!["READ F".to_owned()])
    );
    // In another one, all count, and a test that excludes a value must not guess.
    let both = vec!["OPEN INPUT F".to_owned(), "READ F".to_owned()];
    let all = format!("{first}GOBACK.\nNEXT-ONE.\n{second}LAST-ONE.\n");
    assert_eq!(told(&format!("{all}IF RESULT = 12 DISPLAY 'A'.")), (Some(Failure), both));
    assert_eq!(told(&format!("{all}IF RESULT NOT = 12 DISPLAY 'A'.")), (Some(Success), vec![]));
    // A performed paragraph that sets the switch on all paths replaces what was known before.
    let performed = format!("{first}PERFORM NEXT-ONE.\nIF RESULT = 12 DISPLAY 'A'.\nGOBACK.\nNEXT-ONE.\n{second}");
    let found = outcomes(&performed);
    assert_eq!(found[2], (Some(Failure), Some("READ".to_owned())));
}

#[test]
fn a_switch_that_a_later_operation_leaves_tells_nothing_of_the_one_that_cleared_it() {
    let code = "OPEN INPUT F.\nIF FS = '00' MOVE SPACE TO FLAG.\nREAD F.\nIF FS = '10' MOVE 'X' TO FLAG.\nGOBACK.\nLAST-ONE.\n";
    assert_eq!(last_test(&format!("{code}IF FLAG = SPACE DISPLAY 'A'.")), (None, vec![]));
    assert_eq!(last_test(&format!("{code}IF FLAG = 'X' DISPLAY 'A'.")).1, ["READ F"]);
}

#[test]
fn constants_may_be_computed() {
    let read = "READ F.\nIF FS = '00' MOVE 0 TO RESULT ELSE MOVE 12 TO RESULT.\nGOBACK.\n";
    let close = "CLOSE-IT.\nADD 8 TO ZERO GIVING RESULT.\nCLOSE F.\nIF FS = '00' SUBTRACT RESULT FROM RESULT\nELSE ADD 12 TO ZERO GIVING RESULT.\n";
    let told = last_test(&format!("{read}{close}IF ALL-WELL DISPLAY 'A' ELSE DISPLAY 'B'."));
    assert_eq!(told, (Some(OperationStatus::Failure), vec!["CLOSE F".to_owned()]));
}

#[test]
fn a_value_with_contrary_results_says_nothing() {
    let read = "READ F.\nIF FS = '00' MOVE 0 TO RESULT ELSE MOVE 12 TO RESULT.\n";
    let other = "READ F.\nIF FS = '00' MOVE 12 TO RESULT ELSE MOVE 16 TO RESULT.\n";
    assert_eq!(last_test(&format!("{read}{other}IF RESULT = 12 DISPLAY 'A'.")).0, None);
    assert_eq!(last_test(&format!("{read}{other}IF RESULT = 16 DISPLAY 'A'.")).0, Some(OperationStatus::Failure));
}

/// Checks the result and the operations of a condition behind statements.
fn check_behind(statements: &str, condition: &str, status: Option<OperationStatus>, operations: &[&str]) {
    let found = last_test(&format!("{statements}\nIF {condition} DISPLAY 'A'."));
    let operations = operations.iter().map(|operation| (*operation).to_owned()).collect();
    assert_eq!(found, (status, operations), "{condition}");
}

#[test]
fn dibstat_is_a_status() {
    use OperationStatus::{EndOfData, Failure, Success};
    let command = "EXEC DLI GU USING PCB(1) SEGMENT(SUMMARY) INTO(AREA-1) END-EXEC.\nEXEC CICS ASKTIME END-EXEC.";
    for (condition, status) in [
        ("DIBSTAT = SPACES", Some(Success)),
        ("DIBSTAT = '  '", Some(Success)),
        ("DIBSTAT NOT = SPACES", Some(Failure)),
        ("DIBSTAT = 'GE' OR 'GB'", Some(EndOfData)),
        ("DIBSTAT NOT = SPACES AND 'GE'", Some(Failure)),
        ("DIBSTAT = 'II'", Some(Failure)),
    ] {
        let found = last_test(&format!("{command}\nIF {condition} DISPLAY 'A'."));
        assert_eq!(found.0, status, "{condition}");
        assert_eq!(found.1, ["EXEC GU"], "{condition}");
    }
    let evaluated = outcomes(&format!(
        "{command}\nEVALUATE DIBSTAT\nWHEN '  ' DISPLAY 'A'\nWHEN 'GB' DISPLAY 'B'\nWHEN OTHER DISPLAY 'C'."
    ));
    assert_eq!(
        evaluated.iter().map(|(status, _)| *status).collect::<Vec<_>>(),
        [Some(Success), Some(EndOfData), Some(Failure)]
    );
}

#[test]
fn a_copy_of_a_status_is_one_unless_something_else_sets_it() {
    use OperationStatus::{EndOfData, Failure, Success};
    let command = "EXEC DLI GU SEGMENT(A) END-EXEC";
    let copied = format!("MOVE SPACES TO LAST-CODE.\n{command}.\nMOVE DIBSTAT TO LAST-CODE.");
    let other = format!("{copied}\nEXEC DLI TERM END-EXEC.");
    check_behind(&copied, "CODE-OK", Some(Success), &["EXEC GU"]);
    check_behind(&other, "CODE-END", Some(EndOfData), &["EXEC GU"]);
    check_behind(&other, "CODE-DUPLICATE", Some(Failure), &["EXEC GU"]);
    check_behind(&other, "NOT CODE-OK", Some(Failure), &["EXEC GU"]);
    // Set in a performed paragraph.
    let performed = outcomes(&format!("PERFORM READ-IT.\nIF CODE-OK DISPLAY 'A'.\nGOBACK.\nREAD-IT.\n{other}"));
    assert_eq!(performed[0], (Some(Success), Some("EXEC".to_owned())));
    // Before the copy is made, it says nothing about the operation.
    check_behind(&format!("MOVE SPACES TO LAST-CODE.\n{command}."), "LAST-CODE = 'GE'", None, &[]);
    check_behind(&format!("{copied}\nMOVE 'XX' TO LAST-CODE."), "CODE-OK", None, &[]);
    check_behind(&format!("{copied}\nMOVE AREA-1 TO LAST-CODE."), "CODE-OK", None, &[]);
    check_behind(&format!("{copied}\nMOVE DIBSTAT(1:1) TO OTHER-CODE."), "OTHER-CODE = 'G'", None, &[]);
}

#[test]
fn statuses_of_files_and_sql_are_followed_into_their_copies() {
    use OperationStatus::{EndOfData, Failure, Success};
    let select = "EXEC SQL SELECT A INTO :AREA-1 FROM T END-EXEC.\nMOVE SQLCODE TO RESULT.";
    check_behind(select, "ALL-WELL", Some(Success), &["EXEC SELECT"]);
    check_behind(select, "RESULT = +100", Some(EndOfData), &["EXEC SELECT"]);
    check_behind(select, "RESULT < 0", Some(Failure), &["EXEC SELECT"]);
    let read = "READ F.\nMOVE FS TO LAST-CODE.\nCLOSE F.";
    check_behind(read, "LAST-CODE = '10'", Some(EndOfData), &["READ F"]);
    check_behind(read, "LAST-CODE NOT = '00'", Some(Failure), &["READ F"]);
}

#[test]
fn a_status_may_be_compared_with_an_item_that_never_changes() {
    use OperationStatus::{EndOfData, Failure, Success};
    let select = "EXEC SQL SELECT A INTO :AREA-1 FROM T END-EXEC.";
    check_behind(select, "SQLCODE = SQL-OK", Some(Success), &["EXEC SELECT"]);
    check_behind(select, "SQLCODE = NO-ROW", Some(EndOfData), &["EXEC SELECT"]);
    check_behind(select, "SQLCODE NOT = SQL-OK", Some(Failure), &["EXEC SELECT"]);
    check_behind(select, "SQLCODE = RESULT", None, &[]);
}

#[test]
fn the_status_code_of_a_pcb_is_a_status() {
    use OperationStatus::{EndOfData, Failure, Success};
    let call = |pcb: &str| format!("CALL 'CBLTDLI' USING GU-FUNCTION {pcb} AREA-1");
    let (first, second) = (call("PCB-1"), call("PCB-2"));
    let calls = format!("{first}.\n{second}.");
    check_behind(&calls, "CODE-1 = SPACES", Some(Success), &[&first]);
    check_behind(&calls, "CODE-1-OK", Some(Success), &[&first]);
    check_behind(&calls, "NOT CODE-1-OK", Some(Failure), &[&first]);
    check_behind(&calls, "CODE-2 = 'GB'", Some(EndOfData), &[&second]);
    check_behind(&format!("{calls}\nMOVE CODE-1 TO LAST-CODE."), "CODE-END", Some(EndOfData), &[&first]);
    check_behind(&calls, "OPTIONS-1 = 'GE'", None, &[]);
    check_behind(&second, "CODE-1 = SPACES", None, &[]);
}

#[test]
fn the_codes_of_an_mq_call_are_statuses() {
    use OperationStatus::{EndOfData, Failure, Success};
    let get = "CALL 'MQGET' USING AREA-1 COMP-CODE REASON";
    let calls = format!("CALL 'MQOPEN' USING RESULT COMP-CODE REASON.\n{get}.\nCALL 'OTHER' USING AREA-1.");
    for (condition, status) in [
        ("COMP-CODE = MQCC-OK", Some(Success)),
        ("COMP-CODE NOT = MQCC-OK", Some(Failure)),
        ("COMP-CODE = 0", Some(Success)),
        ("COMP-CODE = MQCC-WARNING", Some(Failure)),
        ("COMP-CODE = MQCC-FAILED", Some(Failure)),
        ("REASON = MQRC-NONE", Some(Success)),
        ("REASON = MQRC-NO-MSG-AVAILABLE", Some(EndOfData)),
        ("REASON = 2033", Some(EndOfData)),
        ("REASON = 2085", Some(Failure)),
        ("REASON = MQRC-Q-FULL OR 2030", Some(Failure)),
    ] {
        check_behind(&calls, condition, status, &[get]);
    }
    check_behind(&calls, "RESULT = MQCC-OK", None, &[]);
}

/// Returns the commands and verbs whose result each branch may test.
fn tested(procedure: &str) -> Vec<Vec<String>> {
    let analysis = analysis(procedure);
    let (parsed, outcomes) = (analysis.parsed(), analysis.status_checks());
    let named = |at: &usize| {
        let found = &parsed.statements[*at];
        found.exec.map_or(found.verb.to_string(), |exec| parsed.execs[exec].command.clone())
    };
    (0..parsed.branches.len()).map(|at| outcomes.checked_operations(at).iter().map(named).collect()).collect()
}

#[test]
fn a_response_belongs_to_the_command_that_names_its_item() {
    let found = tested(
        "EXEC CICS READ FILE('F') INTO(AREA-1) RESP(RESP-CODE) END-EXEC
EXEC CICS WRITE FILE('F') FROM(AREA-1) END-EXEC
IF RESP-CODE NOT = DFHRESP(NORMAL) DISPLAY 'A'.
IF EIBRESP NOT = DFHRESP(NORMAL) DISPLAY 'A'.",
    );
    assert_eq!(found, [["READ"], ["WRITE"]]);
}

#[test]
fn nothing_comes_from_a_branch_that_leaves() {
    let found = tested(
        "EXEC CICS READ FILE('F') INTO(AREA-1) NOHANDLE END-EXEC
IF FLAG = 'Y'
   EXEC CICS SEND TEXT FROM(AREA-1) NOHANDLE END-EXEC
   GOBACK
END-IF
IF EIBRESP NOT = DFHRESP(NORMAL) DISPLAY 'A'.",
    );
    assert_eq!(found[1], ["READ"]);
}

#[test]
fn a_test_is_found_where_only_go_tos_lead() {
    let last = |other: &str| {
        let code =
            format!("READ F.\nIF FLAG = 'Y' GO TO TEST-IT.\n{other}GOBACK.\nTEST-IT.\nIF FS NOT = '00' DISPLAY 'A'.");
        tested(&code).pop().unwrap()
    };
    assert_eq!(last(""), ["READ"]);
    assert_eq!(last("PERFORM TEST-IT.\n"), ["READ"]);
    assert_eq!(last("CLOSE F.\nPERFORM TEST-IT.\n"), ["READ", "CLOSE"]);
}

#[test]
fn a_paragraph_that_checks_tests_what_runs_before_it_is_performed() {
    let check = "CHECK-IT.\nIF FS NOT = '00' DISPLAY 'A'.";
    let last = |main: &str| tested(&format!("{main}\n{check}")).pop().unwrap();
    assert_eq!(last("OPEN INPUT F.\nPERFORM CHECK-IT.\nGOBACK."), ["OPEN"]);
    // What another performed paragraph does, and what several places do.
    assert_eq!(last("PERFORM R.\nPERFORM CHECK-IT.\nGOBACK.\nR.\nREAD F."), ["READ"]);
    let twice = "OPEN INPUT F.\nPERFORM CHECK-IT.\nPERFORM R.\nPERFORM CHECK-IT.\nGOBACK.\nR.\nREAD F.";
    assert_eq!(last(twice), ["OPEN", "READ"]);
    // Through a paragraph between them, and into a range.
    assert_eq!(last("OPEN INPUT F.\nPERFORM B.\nGOBACK.\nB.\nPERFORM CHECK-IT."), ["OPEN"]);
    assert_eq!(last("OPEN INPUT F.\nPERFORM B THRU CHECK-IT.\nGOBACK.\nB.\nDISPLAY 'B'."), ["OPEN"]);
    // What a called program may have put over a status is no operation of this one.
    let called = "READ F.\nCALL 'RESET' USING FS.\nPERFORM CHECK-IT.\nOPEN INPUT F.\nPERFORM CHECK-IT.\nGOBACK.";
    assert!(last(called).is_empty());
    // In a loop, what the round before does.
    let inline = "PERFORM UNTIL FLAG = 'Y'\nPERFORM CHECK-IT\nREAD F\nEND-PERFORM.\nGOBACK.";
    let performed = "PERFORM B UNTIL FLAG = 'Y'.\nGOBACK.\nB.\nPERFORM CHECK-IT.\nREAD F.";
    for rounds in [inline, performed] {
        assert_eq!(last(&format!("OPEN INPUT F.\n{rounds}")), ["OPEN", "READ"]);
    }
    // Dead code performs nothing, but control may come from elsewhere, and before anything was done.
    assert_eq!(last("OPEN INPUT F.\nPERFORM CHECK-IT.\nGOBACK.\nDEAD.\nREAD F.\nPERFORM CHECK-IT."), ["OPEN"]);
    assert!(last("PERFORM CHECK-IT.\nOPEN INPUT F.\nPERFORM CHECK-IT.\nGOBACK.").is_empty());
    assert!(last("OPEN INPUT F.\nPERFORM CHECK-IT.\nGOBACK.\nENTRY 'B'.\nPERFORM CHECK-IT.").is_empty());
    let many: String = (0..30).map(|_| "READ F.\nPERFORM CHECK-IT.\n").collect();
    assert!(last(&format!("{many}GOBACK.")).is_empty());
}

#[test]
fn a_range_with_jumps_inside_leaves_unknown_what_it_sets() {
    let check = "CHECK-IT.\nIF FS NOT = '00' DISPLAY 'A'.";
    let last =
        |main: &str, range: &str| tested(&format!("OPEN I-O F.\n{main}\nGOBACK.\n{range}\n{check}")).pop().unwrap();
    let twice = "D-IT.\nIF FLAG = 'Y' GO TO D-READ ELSE GO TO D-DEL.\nD-READ.\nREAD F NEXT.\nGO TO D-X.\nD-DEL.\nDELETE F.\nD-X.\nEXIT.";
    let performs = "PERFORM D-IT THRU D-X.\nPERFORM CHECK-IT.";
    assert!(last(performs, twice).is_empty());
    let rounds = "D-IT.\nIF FS NOT = '00' GO TO D-X.\nREAD F.\nGO TO D-IT.\nD-X.\nEXIT.";
    assert!(last(performs, rounds).is_empty());
    let around = "D-IT.\nSTART F.\nGO TO X.\nD-X.\nEXIT.\nX.\nREAD F.\nGO TO D-X.";
    assert!(last(performs, around).is_empty());
    let to_the_end = "D-IT.\nSTART F.\nIF FLAG = 'Y' GO TO D-X.\nREAD F.\nD-X.\nEXIT.";
    assert_eq!(last(performs, to_the_end), ["START", "READ"]);
    let over = "D-IT.\nIF FLAG = 'Y' GO TO D-X.\nSTART F.\nD-X.\nREAD F.";
    assert!(last(performs, over).is_empty());
    // What it does not set is as it was.
    let other = "D-IT.\nIF FLAG = 'Y' GO TO D-SHOW.\nGO TO D-X.\nD-SHOW.\nDISPLAY 'D'.\nD-X.\nEXIT.";
    assert_eq!(last(performs, other), ["OPEN"]);
    let long: String = (0..25).map(|number| format!("D-{number}.\nDISPLAY 'D'.\n")).collect();
    assert!(last("PERFORM D-0 THRU D-X.\nPERFORM CHECK-IT.", &format!("{long}D-X.\nREAD F.")).is_empty());
    // It may not run, and other statements run paragraphs too.
    assert_eq!(last("PERFORM D-IT UNTIL FLAG = 'Y'.\nPERFORM CHECK-IT.", "D-IT.\nREAD F."), ["OPEN", "READ"]);
    let sort = "SORT S ON ASCENDING KEY FLAG INPUT PROCEDURE D-IT GIVING G.\nPERFORM CHECK-IT.";
    assert!(last(sort, "D-IT.\nREAD F.").is_empty());
}

#[test]
fn a_copy_in_a_paragraph_of_its_own_is_not_that_of_another_caller() {
    let select = "EXEC SQL SELECT A INTO :FLAG FROM T END-EXEC.\n";
    let update = "EXEC SQL UPDATE T SET A = 1 END-EXEC.\n";
    let test = "IF OTHER-SQL NOT = 0 DISPLAY 'BAD' STOP RUN.\n";
    let save = "SAVE-IT.\nMOVE SQLCODE TO RESULT.\n";
    let main = format!("{select}PERFORM SAVE-IT.\n{test}{update}PERFORM SAVE-IT.\n{test}GOBACK.\n{save}");
    let of_result = main.replace("OTHER-SQL", "RESULT");
    assert_eq!(tested(&of_result), [Vec::<String>::new(), Vec::new()]);
    let own = "CHECK-IT.\nMOVE SQLCODE TO RESULT.\nIF RESULT NOT = 0 DISPLAY 'BAD' STOP RUN.\n";
    let within = format!("{select}PERFORM CHECK-IT.\n{update}PERFORM CHECK-IT.\nGOBACK.\n{own}");
    assert_eq!(tested(&within), [["SELECT", "UPDATE"]]);
}

#[test]
fn a_retry_by_go_to_is_followed() {
    let select = "EXEC SQL SELECT A INTO :RESULT FROM T END-EXEC.\n";
    let update = "EXEC SQL UPDATE T SET A = 1 END-EXEC.\n";
    let test = "TEST-IT.\nIF SQLCODE = -911 ADD 1 TO RESULT GO TO RETRY-IT.\nIF SQLCODE NOT = 0 DISPLAY 'A'.\n";
    let found = tested(&format!("{select}GO TO TEST-IT.\nRETRY-IT.\n{update}GO TO TEST-IT.\n{test}"));
    assert_eq!(found, [["SELECT", "UPDATE"], ["SELECT", "UPDATE"]]);
}

#[test]
fn an_exit_from_a_loop_brings_what_ran_before_it() {
    let of_loop =
        |body: &str, behind: &str| format!("OPEN I-O F.\nPERFORM UNTIL RESULT = 1\n{body}\nEND-PERFORM\n{behind}.");
    let test = "IF FS NOT = '00' DISPLAY 'A' END-IF";
    let first = |body: &str| tested(&of_loop(&format!("{test}\n{body}"), ""))[1].clone();
    let last = |body: &str| tested(&of_loop(body, test)).pop().unwrap();
    let cycle = "READ F\nIF FLAG = 'Y' EXIT PERFORM CYCLE END-IF\nREWRITE F-REC";
    assert_eq!(first(cycle), ["OPEN", "READ", "REWRITE"]);
    let leave = "READ F\nIF FLAG = 'Y' CLOSE F EXIT PARAGRAPH END-IF";
    assert_eq!(first(leave), ["OPEN", "READ"]);
    let exit = "READ F\nIF FLAG = 'Y' EXIT PERFORM END-IF\nREWRITE F-REC";
    assert_eq!(last(exit), ["OPEN", "READ", "REWRITE"]);
    assert_eq!(first("READ F\nIF FLAG = 'Y' CLOSE F EXIT PERFORM END-IF"), ["OPEN", "READ"]);
}

#[test]
fn loops_within_loops_are_followed_however_deep() {
    let depth = 3000;
    let code = format!(
        "OPEN I-O F.\n{}IF FS NOT = '00' DISPLAY 'A' END-IF\nREAD F\n{}.",
        "PERFORM UNTIL FLAG = 'Y'\n".repeat(depth),
        "END-PERFORM\n".repeat(depth)
    );
    assert_eq!(tested(&code).len(), depth + 1);
}

#[test]
fn a_loop_tests_what_the_round_before_did() {
    let first = |code: &str| tested(code)[1].clone();
    let test = "IF FS NOT = '00' DISPLAY 'A' END-IF";
    assert_eq!(
        first(&format!("OPEN INPUT F.\nPERFORM UNTIL FLAG = 'Y'\n{test}\nREAD F\nEND-PERFORM.")),
        ["OPEN", "READ"]
    );
    assert_eq!(first(&format!("OPEN INPUT F.\nPERFORM UNTIL FLAG = 'Y'\n{test}\nEND-PERFORM.")), ["OPEN"]);
}

#[test]
fn an_operation_that_only_one_way_brings_is_not_what_is_tested() {
    let last = |first: &str| {
        let check = "CHECK-IT.\nIF FLAG = 'Y' GO TO TEST-IT.\nREWRITE F-REC.\nGO TO TEST-IT.";
        let test = "TEST-IT.\nIF FS NOT = '00' DISPLAY 'A'.";
        tested(&format!("{first}PERFORM CHECK-IT.\nGOBACK.\n{check}\n{test}")).pop().unwrap()
    };
    assert!(last("").is_empty());
    assert_eq!(last("READ F.\n"), ["READ", "REWRITE"]);
}

#[test]
fn what_the_program_puts_over_a_status_tells_of_no_operation() {
    let last = |code: &str| tested(code).pop().unwrap();
    let test = "IF FS NOT = '00' DISPLAY 'A'.";
    assert!(last(&format!("READ F.\nMOVE SPACES TO FS.\n{test}")).is_empty());
    assert!(last(&format!("READ F.\nINITIALIZE FS.\n{test}")).is_empty());
    assert!(last(&format!("READ F.\nCALL 'OTHER' USING AREA-1 FS.\n{test}")).is_empty());
    assert_eq!(last(&format!("READ F.\nCALL 'OTHER' USING AREA-1.\n{test}")), ["READ"]);
    // By its group.
    assert!(last(&format!("READ F.\nCALL 'OTHER' USING AREA-1 FILE-ACCESS.\n{test}")).is_empty());
    assert!(last(&format!("READ F.\nINITIALIZE FILE-ACCESS.\n{test}")).is_empty());
    assert_eq!(last(&format!("READ F.\nIF FLAG = 'Y' MOVE '00' TO FS.\n{test}")), ["READ"]);
    let performed =
        |times: &str| format!("READ F.\nPERFORM R{times}.\n{test}\nGOBACK.\nR.\nREWRITE F-REC.\nMOVE SPACES TO FS.");
    assert!(last(&performed("")).is_empty());
    assert_eq!(last(&performed(" UNTIL FLAG = 'Y'")), ["READ"]);
    let left = "PERFORM R THRU R-EXIT.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nR.\nREAD F.\nIF FS NOT = '00' GO TO R-EXIT.\nMOVE SPACES TO FS.\nR-EXIT.\nEXIT.";
    assert_eq!(tested(left)[0], ["READ"]);
    // Of a range that ends before its start, no one knows.
    let backward = "OPEN INPUT F.\nPERFORM R THRU R-EXIT.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nR-EXIT.\nEXIT.\nR.\nREAD F.\nGO TO R-EXIT.";
    assert!(tested(backward)[0].is_empty());
    let nested = "OPEN INPUT F.\nPERFORM A.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nA.\nPERFORM R THRU R-EXIT.\nR-EXIT.\nEXIT.\nR.\nREAD F.\nGO TO R-EXIT.";
    assert!(tested(nested)[0].is_empty());
}
