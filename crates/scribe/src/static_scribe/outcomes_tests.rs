//! Tests of outcomes: when what a paragraph reports is seen, and by whom.

use super::rules_tests::{HEAD, check, check_errors, check_outcomes, rules, written, written_under};

/// Checks when control comes to the steps with an outcome.
#[track_caller]
fn check_reached(procedure: &str, expected: &[(&str, Option<&str>)]) {
    let steps = written(procedure).steps.into_iter().map(|told| told.step);
    let found: Vec<_> = steps.filter_map(|step| Some((step.outcome?, step.when))).collect();
    let found: Vec<_> = found.iter().map(|(outcome, when)| (outcome.as_str(), when.as_deref())).collect();
    assert_eq!(found, expected, "{procedure}");
}

#[test]
fn what_follows_checks_that_leave_is_seen_when_none_of_them_leaves() {
    check_reached("MOVE 1 TO RETURN-CODE.", &[("RETURN-CODE 1", None)]);
    check_reached(
        "EXEC CICS DELETE FILE('F') NOHANDLE END-EXEC.\nIF EIBRESP = DFHRESP(NORMAL) GO TO OUT.\nMOVE 8 TO RETURN-CODE.\n\
         OUT.\nGOBACK.",
        &[("RETURN-CODE 8", Some("CICS DELETE of F fails: EIBRESP is not DFHRESP(NORMAL)"))],
    );
    check_reached(
        "READ F.\nIF FS = '00' GO TO OUT.\nIF FS = '23' GO TO OUT.\nMOVE 8 TO RETURN-CODE.\nOUT.\nGOBACK.",
        &[("RETURN-CODE 8", Some("READ of F fails: FS is neither '00' nor '23'"))],
    );
    check_reached(
        "READ F.\nIF FS NOT = '00' GO TO OUT.\nMOVE 1 TO RETURN-CODE.\nOUT.\nGOBACK.",
        &[("RETURN-CODE 1", Some("when READ of F succeeds"))],
    );
    check_reached(
        "IF AMOUNT > 5 GO TO NO-DATA.\nMOVE 1 TO RETURN-CODE.\nGOBACK.\nNO-DATA.\nMOVE 2 TO RETURN-CODE.\nGOBACK.",
        &[
            ("RETURN-CODE 1", Some("when AMOUNT is at most 5")),
            ("RETURN-CODE 2", Some("when AMOUNT is greater than 5")),
        ],
    );
    // A loop that is left may be left for other reasons.
    check_reached(
        "IF AMOUNT > 5 GOBACK.\nPERFORM UNTIL IS-NEW\nIF IS-OPEN GOBACK END-IF\nEND-PERFORM.\nMOVE 1 TO RETURN-CODE.",
        &[("RETURN-CODE 1", Some("when AMOUNT is at most 5, and MAIN is not left before"))],
    );
    // What is performed may end the program.
    check_reached(
        "PERFORM READ-IT.\nMOVE 1 TO RETURN-CODE.\nGOBACK.\nREAD-IT.\nREAD F.\nIF FS NOT = '00' GOBACK.",
        &[("RETURN-CODE 1", Some("when MAIN runs and is not left before"))],
    );
    check_reached("PERFORM READ-IT.\nMOVE 1 TO RETURN-CODE.\nGOBACK.\nREAD-IT.\nREAD F.", &[("RETURN-CODE 1", None)]);
    check_reached(
        "PERFORM READ-IT THRU READ-EXIT.\nMOVE 1 TO RETURN-CODE.\nGOBACK.\nREAD-IT.\nIF IS-OPEN GO TO BAD.\nREAD-EXIT.\n\
         EXIT.\nBAD.\nDISPLAY 'BAD'.\nBAD-END.\nGOBACK.",
        &[("RETURN-CODE 1", Some("when MAIN runs and is not left before"))],
    );
    // A loop is left to go on behind it.
    check_reached(
        "PERFORM UNTIL IS-NEW\nIF IS-OPEN EXIT PERFORM END-IF\nEND-PERFORM.\nMOVE 1 TO RETURN-CODE.",
        &[("RETURN-CODE 1", None)],
    );
}

#[test]
fn the_result_that_a_check_asks_for_is_told_with_its_operation() {
    let sql = |first: &str, second: &str| {
        let one = "EXEC SQL SELECT A INTO :AMOUNT FROM T1 END-EXEC.";
        let two = "EXEC SQL SELECT B INTO :AMOUNT FROM T2 END-EXEC.";
        format!("{one}\n{first}\nPERFORM NEXT-P.\nGOBACK.\nNEXT-P.\n{two}\n{second}")
    };
    let fails = "IF SQLCODE NOT = 0\nMOVE 8 TO RETURN-CODE\nGOBACK\nEND-IF.";
    let check = |procedure: &str, expected: Option<&str>| {
        let errors = written(procedure).error_handling;
        assert_eq!(errors.last().unwrap().body.runs.as_deref(), expected, "{procedure}");
    };
    let warned = "IF SQLCODE NOT = 0 OR SQLWARN0 = 'W'\nMOVE 4 TO RETURN-CODE\nGOBACK\nEND-IF.";
    check(&sql(warned, fails), Some("when SQL SELECT of T1 succeeds"));
    let no_row = "IF SQLCODE = 100 GOBACK.";
    check(&sql(no_row, fails), Some("when SQLCODE is not 100 after SQL SELECT of T1"));
    let both = "IF SQLCODE NOT = 0 AND SQLCODE NOT = 100 GOBACK.";
    check(&sql(both, fails), Some("when SQLCODE is 0 or 100 after SQL SELECT of T1"));
    check(&sql(&format!("{both}\n{no_row}"), fails), Some("when SQL SELECT of T1 succeeds"));
    // Of an unknown operation only the paragraph says that it was not left.
    let next = format!("PERFORM NEXT-P.\nGOBACK.\nNEXT-P.\nEXEC SQL SELECT B INTO :AMOUNT FROM T2 END-EXEC.\n{fails}");
    let unknown = format!("{no_row}\nIF IS-OPEN GOBACK.\n{next}");
    check(&unknown, Some("when STATE is not 'O' (not IS-OPEN), and MAIN is not left before"));
    // A branch that asks for a result which is replaced where it leads to is left out.
    check(&format!("IF SQLCODE = -305 {next}"), None);
}

#[test]
fn what_a_paragraph_reports_is_seen_under_the_conditions_of_what_leads_there() {
    let end = "GOBACK.\nDONE.\nMOVE 1 TO RETURN-CODE.";
    check_reached(
        &format!("IF IS-NEW PERFORM DONE.\nIF AMOUNT > 5 PERFORM DONE.\n{end}"),
        &[("RETURN-CODE 1", Some("when STATE is 'N' (IS-NEW), or when AMOUNT is greater than 5"))],
    );
    check_reached(
        &format!(
            "READ F.\nIF FS NOT = '00' PERFORM FAILED.\nGOBACK.\nFAILED.\nIF IS-NEW GOBACK.\nPERFORM DONE.\n{end}"
        ),
        &[("RETURN-CODE 1", Some("READ of F fails: FS is not '00', and STATE is not 'N' (not IS-NEW)"))],
    );
    // Something leads there in any case.
    check_reached(&format!("IF IS-NEW PERFORM DONE.\nPERFORM DONE.\n{end}"), &[("RETURN-CODE 1", None)]);
    check_reached(&format!("IF IS-NEW PERFORM DONE UNTIL IS-OPEN.\n{end}"), &[("RETURN-CODE 1", None)]);
    // Which case it is, only the EVALUATE tells.
    check_reached(
        &format!(
            "EVALUATE AMOUNT\nWHEN 1 THRU 2\nCONTINUE\nWHEN 3 THRU 4\nCONTINUE\nWHEN 5 THRU 6\nCONTINUE\nWHEN OTHER PERFORM DONE\nEND-EVALUATE.\n{end}"
        ),
        &[("RETURN-CODE 1", None)],
    );
    check_reached("IF IS-NEW PERFORM DONE.\nDONE.\nMOVE 1 TO RETURN-CODE.", &[("RETURN-CODE 1", None)]);
}

#[test]
fn an_outcome_says_when_its_paragraph_runs_by_all_that_leads_there() {
    let check = |main: &str, expected: Option<&str>| {
        let procedure = format!(
            "{main}GOBACK.\nINNER.\nIF AMOUNT > 5 PERFORM DONE.\nDONE.\nIF IS-OPEN MOVE 1 TO RETURN-CODE END-IF.\nLAST-P.\nEXIT."
        );
        let runs: Vec<_> = rules(&procedure).into_iter().filter(|rule| rule.body.outcome.is_some()).collect();
        assert_eq!(runs.iter().map(|rule| rule.body.runs.as_deref()).collect::<Vec<_>>(), [expected], "{main}");
    };
    let (new, big) = ("STATE is 'N' (IS-NEW)", "AMOUNT is greater than 5");
    check("IF IS-NEW PERFORM DONE.\n", Some(&format!("when {new}")));
    check("IF IS-NEW PERFORM INNER.\n", Some(&format!("when {big}, and {new}")));
    // Where one condition is enough, more beside it say nothing.
    check("IF IS-NEW PERFORM DONE.\nIF IS-NEW PERFORM INNER.\n", Some(&format!("when {new}")));
    check("IF IS-NEW PERFORM DONE.\nPERFORM INNER.\n", Some(&format!("when {new}, or when {big}")));
    check("PERFORM DONE.\nIF IS-NEW PERFORM INNER.\n", None);
    let failed = "READ of F fails: FS is not '00'";
    check(
        "IF IS-NEW PERFORM DONE.\nREAD F.\nIF FS NOT = '00' PERFORM DONE.\n",
        Some(&format!("when {new}, or if {failed}")),
    );
}

#[test]
fn only_what_lasts_until_a_paragraph_runs_is_a_condition_of_its_outcomes() {
    let check = |procedure: &str, expected: &str| {
        let rules = rules(&format!("IF IS-NEW PERFORM {procedure} MOVE 1 TO RETURN-CODE END-IF.\nLAST-P.\nEXIT."));
        let mut runs = rules.into_iter().filter(|rule| rule.body.outcome.is_some()).map(|rule| rule.body.runs);
        assert_eq!(runs.next().flatten().as_deref(), Some(expected), "{procedure}");
    };
    check(
        "INNER.\nGOBACK.\nINNER.\nMOVE 'O' TO STATE.\nIF IS-OPEN PERFORM DONE.\nDONE.\nIF AMOUNT > 5",
        "when STATE is 'O' (IS-OPEN)",
    );
    check(
        "INNER.\nGOBACK.\nINNER.\nPERFORM TAKE.\nIF AMOUNT > 5 PERFORM DONE.\nTAKE.\nMOVE 'O' TO STATE.\nDONE.\nIF RATE > 5",
        "when AMOUNT is greater than 5",
    );
    // Who jumps back to its beginning was there already.
    check("DONE.\nGOBACK.\nDONE.\nREAD F.\nIF AMOUNT > 5 GO TO DONE.\nIF IS-OPEN", "when STATE is 'N' (IS-NEW)");
}

#[test]
fn what_a_branch_excludes_behind_a_failure_is_told_with_the_failure() {
    let delete = "EXEC CICS DELETE FILE('F') RESP(WHY) END-EXEC.\n";
    check_errors(
        &format!(
            "{delete}IF WHY NOT = DFHRESP(NORMAL)\nIF WHY = DFHRESP(NOTFND)\nDISPLAY 'A'\nELSE\nDISPLAY 'B'\nEND-IF\nDISPLAY 'C'\nDISPLAY 'D'\nEND-IF."
        ),
        &[
            "CICS DELETE of F fails: WHY is not DFHRESP(NORMAL).",
            "CICS DELETE of F fails: WHY is DFHRESP(NOTFND) (no such record).",
            "CICS DELETE of F fails: WHY is neither DFHRESP(NORMAL) nor DFHRESP(NOTFND).",
        ],
    );
}

#[test]
fn what_is_always_replaced_before_it_is_seen_is_no_outcome() {
    check_outcomes("IF IS-NEW MOVE 8 TO RETURN-CODE.\nMOVE 0 TO RETURN-CODE.", &[None]);
    check(
        "IF IS-NEW MOVE 8 TO RETURN-CODE.\nMOVE 0 TO RETURN-CODE.",
        &["When STATE is 'N' (IS-NEW): sets RETURN-CODE to 8; RETURN-CODE is always overwritten later."],
    );
    // The branch itself reports something else.
    check(
        "IF IS-NEW MOVE 8 TO RETURN-CODE\nDISPLAY 'A'\nMOVE 4 TO RETURN-CODE.",
        &["When STATE is 'N' (IS-NEW): sets RETURN-CODE to 8; displays 'A'; sets RETURN-CODE to 4."],
    );
    check_outcomes("IF IS-NEW MOVE 8 TO RETURN-CODE GOBACK.\nMOVE 0 TO RETURN-CODE.", &[Some("RETURN-CODE 8")]);
    check_outcomes(
        "IF IS-NEW PERFORM SET-IT.\nMOVE 0 TO RETURN-CODE.\nGOBACK.\nSET-IT.\nIF IS-OPEN MOVE 8 TO RETURN-CODE.",
        &[None, None],
    );
    // A performed paragraph replaces it in all branches.
    check_outcomes(
        "IF IS-NEW MOVE 8 TO RETURN-CODE.\nPERFORM READ-IT.\nGOBACK.\nREAD-IT.\nREAD F.\nIF FS = '00' MOVE 1 TO RETURN-CODE\nELSE MOVE 2 TO RETURN-CODE.",
        &[None, Some("RETURN-CODE 1"), Some("RETURN-CODE 2")],
    );
    // A test behind the PERFORM turns it into an abend.
    check_outcomes(
        "PERFORM SET-IT.\nIF RETURN-CODE = 8 CALL 'CEE3ABD'.\nGOBACK.\nSET-IT.\nIF IS-OPEN MOVE 8 TO RETURN-CODE.",
        &[Some("abend (line 39)"), Some("abend")],
    );
    // One of two abends, as another item has it.
    check_outcomes(
        "PERFORM SET-IT.\nIF RETURN-CODE = 8 IF AMOUNT > 5 CALL 'CEE3ABD' END-IF\nCALL 'CEE3ABD'.\nGOBACK.\nSET-IT.\nIF IS-OPEN MOVE 8 TO RETURN-CODE.",
        &[Some("abend (lines 39-40)"), Some("abend"), Some("abend")],
    );
    // Control goes on where it hardly was meant to.
    check_outcomes(
        "IF IS-NEW MOVE 8 TO RETURN-CODE\nEXIT PARAGRAPH\nEND-IF.\nPERFORM NEXT-P.\nGOBACK.\nNEXT-P.\nADD 1 TO RATE.",
        &[None],
    );
    // The switch that is set with it keeps it.
    check_outcomes(
        "IF IS-NEW MOVE 8 TO RETURN-CODE SET REJECTED TO TRUE.\nIF NOT REJECTED MOVE 0 TO RETURN-CODE.",
        &[Some("RETURN-CODE 8"), Some("RETURN-CODE 0")],
    );
}

#[test]
fn what_may_be_replaced_before_it_is_seen_says_so() {
    check(
        "IF IS-NEW MOVE 8 TO RETURN-CODE.\nIF IS-OPEN MOVE 1 TO RETURN-CODE.",
        &["When STATE is 'N' (IS-NEW): sets RETURN-CODE to 8.", "When STATE is 'O' (IS-OPEN): sets RETURN-CODE to 1."],
    );
    check(
        "IF IS-NEW MOVE 8 TO RETURN-CODE.\nIF AMOUNT > 5 MOVE 1 TO RETURN-CODE.",
        &[
            "When STATE is 'N' (IS-NEW): sets RETURN-CODE to 8; RETURN-CODE may be overwritten later (line 39).",
            "When AMOUNT is greater than 5: sets RETURN-CODE to 1.",
        ],
    );
    check_reached(
        "MOVE 8 TO RETURN-CODE.\nIF IS-OPEN MOVE 1 TO RETURN-CODE.",
        &[("RETURN-CODE 8", Some("by default (may be overwritten later, line 39)"))],
    );
    // The test of the value itself replaces nothing else.
    check(
        "IF IS-NEW MOVE 8 TO RETURN-CODE.\nIF RETURN-CODE = 0 MOVE 1 TO RETURN-CODE.",
        &["When STATE is 'N' (IS-NEW): sets RETURN-CODE to 8.", "When RETURN-CODE is 0: sets RETURN-CODE to 1."],
    );
}

#[test]
fn all_statements_that_are_left_out_are_counted() {
    let display: String = (1..=7).map(|at| format!("DISPLAY '{at}'\n")).collect();
    let assignments: String = (1..=5).map(|at| format!("MOVE {at} TO AMOUNT\n")).collect();
    check(
        &format!("IF IS-NEW\n{display}{assignments}END-IF."),
        &[
            "When STATE is 'N' (IS-NEW): displays '1'; displays '2'; displays '3'; displays '4'; displays '5'; displays '6'; 6 more statements.",
        ],
    );
}

#[test]
fn equal_statements_in_a_row_are_told_once_and_counted() {
    let add = "ADD 1 TO AMOUNT\n".repeat(6);
    check(
        &format!("IF IS-NEW\n{add}DISPLAY AMOUNT\n{add}END-IF."),
        &["When STATE is 'N' (IS-NEW): adds 1 to AMOUNT (6 times); displays AMOUNT; adds 1 to AMOUNT (6 times)."],
    );
}

#[test]
fn what_is_left_out_happens_before_the_end() {
    let display: String = (1..=7).map(|at| format!("DISPLAY '{at}'\n")).collect();
    check(
        &format!("IF IS-NEW\n{display}MOVE 1 TO AMOUNT\nGOBACK\nEND-IF."),
        &[
            "When STATE is 'N' (IS-NEW): displays '1'; displays '2'; displays '3'; displays '4'; displays '5'; 3 more statements; ends the program.",
        ],
    );
}

#[test]
fn a_group_is_told_behind_its_parts() {
    let head = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 ANSWER-OF-A-PROGRAM-WITH-A-LONG-NAME PIC 99.
       01 ONE-MORE-ITEM-OF-THIS-PROGRAM-1 PIC 99.
       01 ONE-MORE-ITEM-OF-THIS-PROGRAM-2 PIC 99.
       01 ONE-MORE-ITEM-OF-THIS-PROGRAM-3 PIC 99.
       01 ONE-MORE-ITEM-OF-THIS-PROGRAM-4 PIC 99.
       01 ONE-MORE-ITEM-OF-THIS-PROGRAM-5 PIC 99.
       01 TROUBLE.
          05 FILLER PIC X(6) VALUE 'ERROR '.
          05 CODE-OF-THE-TROUBLE PIC 99.
          05 FILLER PIC X(4) VALUE ' AT '.
          05 PLACE-OF-THE-TROUBLE PIC 99.
       LINKAGE SECTION.
       01 KIND PIC X(9).
       01 TEXT-1 PIC X(40).
       PROCEDURE DIVISION USING KIND TEXT-1.
       MAIN.
";
    let others: String = (1..=5)
        .map(|at| format!("MOVE ANSWER-OF-A-PROGRAM-WITH-A-LONG-NAME TO ONE-MORE-ITEM-OF-THIS-PROGRAM-{at}\n"))
        .collect();
    let procedure = "IF KIND = 'A'\nMOVE ANSWER-OF-A-PROGRAM-WITH-A-LONG-NAME TO CODE-OF-THE-TROUBLE\nMOVE 11 TO PLACE-OF-THE-TROUBLE\nMOVE TROUBLE TO TEXT-1\nELSE\nMOVE 'NO ENTRY' TO TEXT-1\nEND-IF.\nGOBACK.";
    let said = written_under(head, &procedure.replacen("\n", &format!("\n{others}"), 1)).business_rules;
    let said = &said[0].body.description;
    let at = |part: &str| said.find(part).unwrap_or_else(|| panic!("{part}: {said}"));
    assert!(at("items of TROUBLE") < at("moves TROUBLE"), "{said}");
}

#[test]
fn what_the_caller_sees_is_told_where_much_happens() {
    let display: String = (1..=9).map(|at| format!("DISPLAY '{at}'\n")).collect();
    check(
        &format!("IF IS-NEW\n{display}MOVE 8 TO RETURN-CODE\nEND-IF."),
        &[
            "When STATE is 'N' (IS-NEW): displays '1'; displays '2'; displays '3'; displays '4'; displays '5'; displays '6'; 3 more statements; sets RETURN-CODE to 8.",
        ],
    );
}

/// Returns when somebody sees what each step reports.
fn when_seen(code: &str) -> String {
    when_seen_under(HEAD, code)
}

fn when_seen_under(head: &str, code: &str) -> String {
    let steps = written_under(head, code).steps.into_iter();
    steps.filter_map(|told| told.step.when).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_condition_is_set_anew_only_where_something_sets_it() {
    let told = |check: &str, first: &str| {
        let code = format!("{check} PERFORM GOOD.\nGOBACK.\n       GOOD.\n{first}\nMOVE 4 TO RETURN-CODE.");
        when_seen(&code)
    };
    let anew = told("IF IS-NEW", "SET IS-OPEN TO TRUE.");
    assert!(anew.contains("(before that is set anew)"), "{anew}");
    assert!(!told("IF IS-NEW", "MOVE 1 TO RATE.").contains("set anew"));
    assert!(!told("READ F. IF FS = '00'", "MOVE 1 TO RATE.").contains("set anew"));
}

#[test]
fn what_is_not_moved_to_the_caller_behind_a_handler_is_no_outcome_there() {
    let told = |parameters: &str, behind: &str| {
        let head = HEAD.replace("PROCEDURE DIVISION.", &format!("PROCEDURE DIVISION{parameters}."));
        let code = format!(
            "EXEC CICS HANDLE ABEND LABEL(BAD) END-EXEC.\nPERFORM WORK.\nPERFORM DONE.\nWORK.\nMOVE 'O' TO STATE.\nIF AMOUNT > 5 PERFORM BAD.\n\
             DONE.\nMOVE STATE TO PCB-CODE.\nEXEC CICS RETURN END-EXEC.\nBAD.\nMOVE 'S' TO STATE.\nLOG-IT.\n{behind}"
        );
        when_seen_under(&head, &code)
    };
    let lost = "whenever BAD runs, but not where a HANDLE leads to BAD: the program then ends before anybody sees it";
    let alone = "ADD 1 TO RATE.";
    assert!(told("", alone).contains(lost), "{}", told("", alone));
    // What CICS hands over is not there at the next call.
    assert!(told(" USING DFHCOMMAREA", alone).contains(lost));
    assert!(!told(" USING PCB", alone).contains("HANDLE"));
    assert!(!told("", "PERFORM DONE.").contains("HANDLE"));
}

#[test]
fn what_may_not_happen_is_not_told_as_certain() {
    let effects = |check: &str| {
        let code = format!("IF IS-NEW\n{check}\nADD 1 TO LEFT-OVER\nEND-IF.\nGOBACK.");
        rules(&code).into_iter().map(|rule| rule.body.description).find(|told| told.contains("adds 1")).unwrap()
    };
    let leaves = "DISPLAY 'A' DISPLAY 'B' GOBACK";
    for check in [
        format!("IF AMOUNT = 1 {leaves} END-IF"),
        format!("EVALUATE TRUE WHEN AMOUNT = 1 {leaves}\nEND-EVALUATE"),
        format!("EVALUATE AMOUNT WHEN 1 {leaves}\nWHEN OTHER CONTINUE END-EVALUATE"),
    ] {
        assert!(effects(&check).contains("(leaves if AMOUNT is 1)"), "{}", effects(&check));
    }
    let read = effects(&format!("READ F INVALID KEY {leaves}\nEND-READ"));
    assert!(read.contains("reads F") && read.contains("(may leave)"), "{read}");
    assert!(!effects("READ F INVALID KEY DISPLAY 'A' END-READ").contains("leave"));
}

#[test]
fn what_cics_signals_is_when_its_handler_runs() {
    let handles = |labels: &str| {
        let code = format!(
            "EXEC CICS HANDLE CONDITION\n{labels}\nEND-EXEC.\nGOBACK.\n       NO-MAP.\nMOVE 8 TO RETURN-CODE.\nGOBACK.\n       BAD.\n\
             MOVE 12 TO RETURN-CODE.\nGOBACK."
        );
        when_seen(&code)
    };
    let told = handles("MAPFAIL(NO-MAP) ENDFILE(no-map) ERROR(BAD)");
    assert!(told.contains("CICS signals ENDFILE or MAPFAIL"), "{told}");
    assert!(told.contains("CICS signals an error that has no handler of its own"), "{told}");
}

#[test]
fn a_test_for_success_alone_finds_the_end_of_the_data_too() {
    let check = |operation: &str, test: &str, expected: &str| {
        let errors = written(&format!("{operation}\n{test}")).error_handling;
        let told: Vec<&str> = errors.iter().map(|error| error.body.condition.as_str()).collect();
        assert!(told.first().is_some_and(|told| told.starts_with(expected)), "{operation} {test}: {told:?}");
    };
    let select = "EXEC SQL SELECT B INTO :AMOUNT FROM T1 END-EXEC.";
    let not_zero = "IF SQLCODE NOT = 0 DISPLAY 'X'.";
    check(select, not_zero, "SQL SELECT of T1 finds no row or fails: SQLCODE is not 0");
    check(select, "IF SQLCODE = 0 DISPLAY 'A' ELSE DISPLAY 'X'.", "SQL SELECT of T1 finds no row or fails");
    check(select, "IF SQLCODE < 0 DISPLAY 'X'.", "SQL SELECT of T1 fails");
    check(select, "IF SQLCODE NOT = 0 AND SQLCODE NOT = 100 DISPLAY 'X'.", "SQL SELECT of T1 fails");
    check(
        select,
        "IF SQLCODE NOT = 0\nDISPLAY 'X'\nIF SQLCODE = 100 DISPLAY 'Y' END-IF\nEND-IF.",
        "SQL SELECT of T1 fails",
    );
    check(select, "IF 0 NOT = SQLCODE AND 100 NOT = SQLCODE DISPLAY 'X'.", "SQL SELECT of T1 fails");
    check(select, "IF SQLSTATE NOT = '00000' AND SQLSTATE NOT = '02000' DISPLAY 'X'.", "SQL SELECT of T1 fails");
    let copies = "EXEC SQL INSERT INTO T1 (A) SELECT A FROM T2 WHERE B = :B END-EXEC.";
    check(copies, not_zero, "SQL INSERT of T1 finds no row or fails");
    check("EXEC SQL INSERT INTO T1 (A) SELECT MAX(A) FROM T2 END-EXEC.", not_zero, "SQL INSERT of T1 fails");
    check("EXEC SQL INSERT INTO T1 (A) VALUES (1) END-EXEC.", not_zero, "SQL INSERT of T1 fails");
    let whenever = format!("EXEC SQL WHENEVER NOT FOUND GO TO NONE-P END-EXEC.\n{select}");
    let errors = written(&format!("{whenever}\n{not_zero}\nNONE-P.\nDISPLAY 'N'.")).error_handling;
    assert!(errors.iter().all(|error| !error.body.condition.contains("finds no row or fails")), "{errors:?}");
    check("EXEC SQL UPDATE T1 SET B = 1 WHERE CURRENT OF C1 END-EXEC.", not_zero, "SQL UPDATE of T1 fails");
    // Functions over all rows always give one.
    check("EXEC SQL SELECT COUNT(*) INTO :AMOUNT FROM T1 END-EXEC.", not_zero, "SQL SELECT of T1 fails");
    check("EXEC SQL INSERT INTO T1 VALUES (1) END-EXEC.", not_zero, "SQL INSERT of T1 fails");
    check("READ F NEXT.", "IF FS NOT = '00' DISPLAY 'X'.", "READ of F finds no more data or fails: FS is not '00'");
    check("READ F.", "IF FS NOT = '00' DISPLAY 'X'.", "READ of F fails: FS is not '00'");
}
