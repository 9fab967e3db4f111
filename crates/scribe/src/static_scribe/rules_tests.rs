//! Tests of the rules of a small program, in sentences.

use super::*;
use crate::FileFacts;
use std::sync::Arc;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_template::{BusinessRule, PartialItem};
use war_rig_text::{ReadOptions, SourceText};

pub(super) const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. GRADES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO F ORGANIZATION INDEXED FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-REC.
          05 F-KEY PIC X(4).
       WORKING-STORAGE SECTION.
       01 FS PIC XX.
       01 STATE PIC X.
          88 IS-NEW VALUE 'N'.
          88 IS-OPEN VALUE 'O'.
          88 IS-SHUT VALUE 'S' 'R'.
       01 REJECT-SW PIC X.
          88 REJECTED VALUE 'Y' FALSE 'N'.
       01 TIER-LIMIT PIC 9(9)V99 VALUE 250000.00.
       01 AMOUNT PIC S9(9)V99.
       01 RATE PIC 9V999.
       01 INTEREST PIC 9(7)V99.
       01 LEFT-OVER PIC 9(3).
       01 REASON PIC X(40).
          88 NO-CHANGE VALUE 'Nothing to change'.
          88 GRADED VALUE 'A' THRU 'C'.
       01 COMP-CODE PIC S9(9) BINARY.
       01 WHY PIC S9(9) BINARY.
       01 GET-UNIQUE PIC X(4) VALUE 'GU'.
       01 SSA PIC X(9) VALUE 'CUSTOMER '.
       LINKAGE SECTION.
       01 PCB.
          05 FILLER PIC X(10).
          05 PCB-CODE PIC XX.
       PROCEDURE DIVISION.
       MAIN.
";

/// Returns the rules of a procedure.
pub(super) fn rules(procedure: &str) -> Vec<PartialItem<BusinessRule>> {
    written(procedure).business_rules
}

pub(super) fn written(procedure: &str) -> PartialTemplate {
    written_under(HEAD, procedure)
}

pub(super) fn written_under(head: &str, procedure: &str) -> PartialTemplate {
    let code = procedure.lines().fold(head.to_owned(), |code, line| format!("{code}           {line}\n"));
    let source = SourceText::read("GRADES.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let facts = ChunkFacts::new(&file, source.line_range().unwrap());
    StaticWriter::new(&facts).write()
}

#[track_caller]
pub(super) fn check(procedure: &str, expected: &[&str]) {
    let said: Vec<String> = rules(procedure).into_iter().map(|rule| rule.body.description).collect();
    assert_eq!(said, expected, "{procedure}");
}

#[test]
fn keys_of_a_terminal_exclude_each_other_in_either_case_of_letters() {
    check(
        "EVALUATE eibaid\nWHEN dfhenter\nMOVE 1 TO RATE\nWHEN dfhpf3\nMOVE 2 TO RATE\nEND-EVALUATE.",
        &["When eibaid is dfhenter: sets RATE to 1.", "When eibaid is dfhpf3: sets RATE to 2."],
    );
}

#[test]
fn a_transaction_is_told_by_its_name_in_either_case_of_letters() {
    for name in ["GET-UNIQUE", "get-unique"] {
        let written = written(&format!("EXEC CICS RETURN TRANSID({name}) END-EXEC."));
        let step = &written.steps[0].step.text;
        assert_eq!(*step, format!("returns to CICS, to go on with transaction {name} ('GU')"));
    }
}

#[test]
fn what_fails_to_become_xml_is_told_wherever_its_lines_end() {
    for end in [' ', '\n'] {
        let procedure = format!(
            "DISPLAY STATE{end}XML GENERATE REASON FROM F-REC{end}SUPPRESS\nWHEN SPACES ON EXCEPTION{end}STOP RUN\nEND-XML."
        );
        let written = written(&procedure);
        let steps = written.steps.iter().map(|step| step.step.text.as_str());
        assert_eq!(
            steps.collect::<Vec<_>>(),
            ["displays STATE", "generates XML REASON from F-REC SUPPRESS WHEN spaces", "on EXCEPTION:", "ends the run"],
            "{procedure}"
        );
        assert_eq!(written.error_handling.len(), 1, "{procedure}");
    }
}

#[test]
fn a_case_is_told_with_those_before_it_where_that_matters() {
    check(
        "EVALUATE TRUE\nWHEN IS-NEW\nMOVE 1 TO RATE\nWHEN IS-OPEN\nMOVE 2 TO RATE\nWHEN AMOUNT > TIER-LIMIT\nMOVE 3 TO RATE\nWHEN OTHER\nGOBACK\nEND-EVALUATE.",
        &[
            "When STATE is 'N' (IS-NEW): sets RATE to 1.",
            "When STATE is 'O' (IS-OPEN): sets RATE to 2.",
            "When AMOUNT is greater than TIER-LIMIT (250000.00) (and none of these holds: STATE is 'N' (IS-NEW); STATE is 'O' (IS-OPEN)): sets RATE to 3.",
            "When no earlier case holds: ends the program.",
        ],
    );
    check(
        "EVALUATE TRUE\nWHEN IS-NEW\nMOVE 1 TO RATE\nWHEN IS-SHUT\nMOVE 2 TO RATE\nWHEN OTHER\nGOBACK\nEND-EVALUATE.",
        &[
            "When STATE is 'N' (IS-NEW): sets RATE to 1.",
            "When STATE is 'S' or 'R' (IS-SHUT): sets RATE to 2.",
            "When STATE is neither 'N', 'S' nor 'R': ends the program.",
        ],
    );
}

#[test]
fn an_else_that_goes_without_saying_is_not_said() {
    check(
        "IF STATE = 'N'\nMOVE 1 TO RATE\nELSE\nIF STATE = 'O'\nMOVE 2 TO RATE\nELSE\nIF AMOUNT > 5\nMOVE 3 TO RATE\nEND-IF\nEND-IF\nEND-IF.",
        &[
            "When STATE is 'N': sets RATE to 1.",
            "When STATE is 'O': sets RATE to 2.",
            "When AMOUNT is greater than 5, provided that STATE is not 'O' and STATE is not 'N': sets RATE to 3.",
        ],
    );
    // An effect only in the ELSE gets the negated condition, which does not exclude the value of the outer IF.
    check(
        "IF STATE = 'N'\nMOVE 1 TO RATE\nELSE\nIF STATE = 'O'\nCONTINUE\nELSE\nMOVE 2 TO RATE\nEND-IF\nEND-IF.",
        &[
            "When STATE is 'N': sets RATE to 1.",
            "When STATE is not 'O', provided that STATE is not 'N': sets RATE to 2.",
        ],
    );
}

#[test]
fn a_check_that_leaves_is_told_once_with_each_decision_behind_it() {
    let check = |behind: &str, expected: &[&str]| {
        let told = rules(&format!("IF IS-NEW OF STATE GOBACK.\n{behind}"));
        let told: Vec<String> = told.into_iter().skip(1).map(|rule| rule.body.description).collect();
        assert_eq!(told, expected, "{behind}");
    };
    // Who asks for another value need not say so.
    check("IF IS-OPEN OF STATE MOVE 1 TO RATE.", &["When STATE is 'O' (IS-OPEN): sets RATE to 1."]);
    check(
        "IF AMOUNT > 5 MOVE 1 TO RATE.",
        &["When AMOUNT is greater than 5, provided that STATE is not 'N' (not IS-NEW): sets RATE to 1."],
    );
    check(
        "IF AMOUNT > 5\nIF LEFT-OVER = 1\nMOVE 1 TO RATE\nELSE\nMOVE 2 TO RATE\nEND-IF\nEND-IF.",
        &[
            "Provided that AMOUNT is greater than 5 and STATE is not 'N' (not IS-NEW): when LEFT-OVER is 1: sets RATE to 1; otherwise: sets RATE to 2.",
        ],
    );
    check(
        "EVALUATE AMOUNT\nWHEN 1\nMOVE 1 TO RATE\nEND-EVALUATE.",
        &["When AMOUNT is 1, provided that STATE is not 'N' (not IS-NEW): sets RATE to 1."],
    );
    // Something between sets it.
    check(
        "IF AMOUNT > 5\nMOVE 'N' TO STATE\nIF LEFT-OVER = 1\nMOVE 1 TO RATE\nMOVE 2 TO INTEREST\nEND-IF\nEND-IF.",
        &[
            "When AMOUNT is greater than 5, provided that STATE is not 'N' (not IS-NEW): sets STATE to 'N'.",
            "When LEFT-OVER is 1, provided that AMOUNT is greater than 5: sets RATE to 1; sets INTEREST to 2.",
        ],
    );
}

#[test]
fn a_small_decision_within_another_is_told_with_it() {
    let procedure = "IF AMOUNT NOT NUMERIC\nSET REJECTED TO TRUE\nIF REASON = SPACES\nMOVE 'NOT A NUMBER' TO REASON\nEND-IF\nEND-IF.";
    check(
        procedure,
        &[
            "When AMOUNT is not numeric: sets REJECT-SW to 'Y' (REJECTED); (if REASON is blank, puts 'NOT A NUMBER' into REASON).",
        ],
    );
    let rule = &rules(procedure)[0];
    assert_eq!(rule.decides.as_deref(), Some("which message is given"));
    assert_eq!(rule.conditions, ["AMOUNT IS NOT NUMERIC"]);
    assert_eq!(
        (rule.logic_summary.as_deref(), rule.data_items.as_slice()),
        (Some("SET REJECTED TO TRUE"), &["AMOUNT".to_owned()][..])
    );
}

#[test]
fn what_is_told_within_another_is_not_told_twice() {
    check(
        "IF IS-NEW\nMOVE 1 TO RATE\nIF AMOUNT > 5\nGOBACK\nEND-IF\nEND-IF.",
        &[
            "When STATE is 'N' (IS-NEW): sets RATE to 1.",
            "When AMOUNT is greater than 5, provided that STATE is 'N' (IS-NEW): ends the program.",
        ],
    );
    check(
        "PERFORM UNTIL IS-NEW\nMOVE 1 TO RATE\nIF AMOUNT > 5\nMOVE 2 TO RATE\nEND-IF\nEND-PERFORM.",
        &["Repeats until STATE is 'N' (IS-NEW): sets RATE to 1.", "When AMOUNT is greater than 5: sets RATE to 2."],
    );
}

#[test]
fn a_condition_name_that_is_set_is_told_by_its_first_value() {
    check(
        "IF AMOUNT = 0 SET NO-CHANGE TO TRUE.",
        &["When AMOUNT is 0: sets REASON to 'Nothing to change' (NO-CHANGE)."],
    );
    check("IF AMOUNT = 0 SET GRADED TO TRUE.", &["When AMOUNT is 0: sets REASON to 'A' (GRADED)."]);
    check("IF AMOUNT = 0 SET REJECTED TO FALSE.", &["When AMOUNT is 0: sets REJECT-SW to 'N' (not REJECTED)."]);
    check("IF REJECTED ADD 1 TO AMOUNT.", &["When REJECT-SW is 'Y' (REJECTED): adds 1 to AMOUNT."]);
    // Without a value for it, the name is all that is known.
    check("IF AMOUNT = 0 SET IS-NEW TO FALSE.", &["When AMOUNT is 0: sets IS-NEW to false."]);
}

#[test]
fn a_condition_name_is_that_of_the_item_that_qualifies_it() {
    let other = "       01 OTHER-SW PIC X.\n          88 REJECTED VALUE '1' FALSE '0'.\n       LINKAGE";
    let head = HEAD.replacen("       LINKAGE", other, 1);
    let check = |procedure: &str, expected: &str| {
        assert_eq!(written_under(&head, procedure).business_rules[0].body.description, expected, "{procedure}");
    };
    check("IF AMOUNT = 0 SET REJECTED OF OTHER-SW TO TRUE.", "When AMOUNT is 0: sets OTHER-SW to '1' (REJECTED).");
    check("IF AMOUNT = 0 SET REJECTED IN OTHER-SW TO FALSE.", "When AMOUNT is 0: sets OTHER-SW to '0' (not REJECTED).");
    check("IF REJECTED OF OTHER-SW ADD 1 TO AMOUNT.", "When OTHER-SW is '1' (REJECTED): adds 1 to AMOUNT.");
    check("IF REJECTED OF REJECT-SW ADD 1 TO AMOUNT.", "When REJECT-SW is 'Y' (REJECTED): adds 1 to AMOUNT.");
    check("IF REJECTED ADD 1 TO AMOUNT.", "When REJECT-SW is 'Y' (REJECTED): adds 1 to AMOUNT.");
}

#[test]
fn figures_are_told_with_their_formula() {
    check(
        "COMPUTE INTEREST ROUNDED = AMOUNT * RATE / 1200.\nDIVIDE AMOUNT BY 11 GIVING INTEREST REMAINDER LEFT-OVER.\nADD 1 TO LEFT-OVER.\nADD AMOUNT TO INTEREST.",
        &[
            "MAIN computes INTEREST = AMOUNT x RATE / 1200, rounded.",
            "MAIN computes INTEREST = AMOUNT / 11, the remainder in LEFT-OVER.",
            "MAIN adds AMOUNT to INTEREST.",
        ],
    );
    let loops = rules(
        "PERFORM MAIN UNTIL REJECTED OR FS = '10'.\nPERFORM MAIN UNTIL FS NOT = '00'.\nPERFORM MAIN VARYING RATE FROM 1 BY 1 UNTIL RATE > 9.",
    );
    assert_eq!(loops.len(), 1, "status and counting decide nothing: {loops:?}");
    assert_eq!(loops[0].description, "Performs MAIN again and again until REJECT-SW is 'Y' (REJECTED) or FS is '10'.");
}

#[test]
fn what_belongs_together_has_one_name() {
    let checks: String =
        (1..=3).map(|n| format!("IF AMOUNT = {n}\nMOVE {n} TO RATE\nPERFORM COMPLAIN\nEND-IF\n")).collect();
    let said = rules(&format!("{checks}IF IS-NEW PERFORM OTHER-THING.\n"));
    let decided: Vec<&str> = said.iter().map(|rule| rule.decides.as_deref().unwrap()).collect();
    assert_eq!(decided, ["runs COMPLAIN", "runs COMPLAIN", "runs COMPLAIN", "which paragraph runs next"]);
}

#[test]
fn errors_say_what_a_status_means() {
    let said = written(
        "READ F INVALID KEY MOVE 'NO SUCH GRADE' TO REASON.\nREAD F.\nIF FS = '23' GOBACK.\nIF FS NOT = '00' DISPLAY 'X'.",
    );
    let errors: Vec<String> =
        said.error_handling.iter().map(|error| format!("{} {}", error.condition, error.action)).collect();
    assert_eq!(
        errors,
        [
            "READ of F finds no such record (invalid key). Puts 'NO SUCH GRADE' into REASON.",
            "READ of F fails: FS is '23' (no such record). Ends the program.",
            "READ of F fails: FS is neither '23' nor '00'. Displays 'X'.",
        ]
    );
    assert!(said.business_rules.is_empty());
}

#[test]
fn figures_in_loops_say_how_often() {
    let figures = |procedure: &str| -> Vec<String> {
        let all = rules(procedure).into_iter().map(|rule| rule.body.description);
        all.filter(|told| told.contains("computes")).collect()
    };
    let formula = "COMPUTE INTEREST = AMOUNT * RATE";
    let told = |around: &str| format!("MAIN computes INTEREST = AMOUNT x RATE{around}.");
    assert_eq!(
        figures(&format!("PERFORM UNTIL FS = '10'\n{formula}\nEND-PERFORM.")),
        [told(", repeated until FS is '10'")]
    );
    let counted = format!("PERFORM VARYING LEFT-OVER FROM 1 BY 1 UNTIL LEFT-OVER > 5\n{formula}\nEND-PERFORM");
    assert_eq!(figures(&format!("{counted}.")), [told(", for each LEFT-OVER")]);
    for forever in ["UNTIL EXIT", "FOREVER"] {
        let looped = format!("PERFORM {forever}\n{formula}\nIF FS = '10' EXIT PERFORM END-IF\nEND-PERFORM.");
        assert_eq!(figures(&looped), [told(", repeated until a statement leaves the loop")]);
    }
    let twice = format!("PERFORM UNTIL FS = '10'\n{counted}\nEND-PERFORM.");
    assert_eq!(figures(&twice), [told(", for each LEFT-OVER, repeated until FS is '10'")]);
    assert_eq!(figures(&format!("{formula}.")), [told("")]);
}

#[test]
fn of_several_statements_on_a_table_the_rows_tell_which_failed() {
    let select = "EXEC SQL SELECT B INTO :AMOUNT FROM T1 WHERE C = :STATE END-EXEC.\nIF SQLCODE < 0 DISPLAY 'X'.\n";
    let failure = |procedure: &str| written(procedure).error_handling[0].body.condition.clone();
    assert_eq!(failure(select), "SQL SELECT of T1 fails: SQLCODE is less than 0.");
    assert_eq!(failure(&format!("{select}{select}")), "SQL SELECT of T1 fails: SQLCODE is less than 0.");
    let several = format!("{select}EXEC SQL SELECT B INTO :AMOUNT FROM T1 END-EXEC.");
    assert_eq!(failure(&several), "SQL SELECT of T1 where C = :STATE fails: SQLCODE is less than 0.");
}

#[test]
fn failures_of_ims_and_mq_are_errors() {
    let said = written(
        "EXEC DLI GU SEGMENT(PAUTSUM0) INTO(REASON) END-EXEC.
IF DIBSTAT = 'GE' DISPLAY 'A'.
IF DIBSTAT NOT = SPACES AND 'GE' DISPLAY 'B'.
CALL 'CBLTDLI' USING GET-UNIQUE PCB REASON SSA.
IF PCB-CODE = 'GE' DISPLAY 'C'.
IF PCB-CODE = 'AI' DISPLAY 'D'.
CALL 'MQGET' USING REASON COMP-CODE WHY.
IF COMP-CODE NOT = MQCC-OK
IF WHY = MQRC-NO-MSG-AVAILABLE DISPLAY 'E'
ELSE DISPLAY 'F'.",
    );
    let errors: Vec<&str> = said.error_handling.iter().map(|error| error.condition.as_str()).collect();
    assert_eq!(
        errors,
        [
            "DL/I GU of PAUTSUM0 finds no segment: DIBSTAT is 'GE' (no such segment).",
            "DL/I GU of PAUTSUM0 fails: DIBSTAT is neither blank nor 'GE'.",
            "DL/I GU of CUSTOMER finds no segment: PCB-CODE is 'GE' (no such segment).",
            "DL/I GU of CUSTOMER fails: PCB-CODE is 'AI'.",
            "MQGET finds no more data: WHY is MQRC-NO-MSG-AVAILABLE (no message).",
            "MQGET fails: WHY is not MQRC-NO-MSG-AVAILABLE.",
        ]
    );
    assert!(said.business_rules.is_empty());
}

#[test]
fn a_switch_with_several_operations_behind_it_names_all() {
    let open = |verb: &str| format!("{verb}.\nIF FS = '00' MOVE 'N' TO STATE ELSE MOVE 'O' TO STATE.\n");
    let said = written(&format!("{}GOBACK.\nB.\n{}C.\nIF IS-OPEN DISPLAY 'A'.", open("OPEN I-O F"), open("READ F")));
    let errors: Vec<&str> = said.error_handling.iter().map(|error| error.condition.as_str()).collect();
    assert_eq!(errors, ["OPEN I-O of F or READ of F fails: STATE is 'O' (IS-OPEN)."]);
}

#[test]
fn a_decision_inside_many_others_is_cited_by_its_condition_alone() {
    /// How many enclosing levels a statement that is not deep may have.
    const DEEPEST: usize = 64;
    let ifs = |depth: usize| {
        let open: String = (0..depth).map(|at| format!("IF AMOUNT > {at}\nADD {at} TO AMOUNT\n")).collect();
        format!("{open}{}CONTINUE.", "END-IF\n".repeat(depth))
    };
    let lengths = |depth: usize| -> Vec<u32> {
        let lines = |rule: PartialItem<BusinessRule>| rule.citations[0].end - rule.citations[0].start + 1;
        rules(&ifs(depth)).into_iter().map(lines).collect()
    };
    // Up to the last statement under it; the innermost IF is described with the one around it.
    let whole: Vec<u32> = (0..59).map(|at| 3 * (60 - at) - 1).collect();
    assert_eq!(lengths(60), whole);
    let deep = lengths(300);
    assert!(deep.iter().skip(DEEPEST + 1).all(|lines| *lines == 1), "{deep:?}");
    assert!(deep.iter().take(DEEPEST).all(|lines| *lines > 600), "{deep:?}");
}

/// Checks the outcomes of the rules and errors of a procedure, in the order of the rules, then of the errors.
#[track_caller]
pub(super) fn check_outcomes(procedure: &str, expected: &[Option<&str>]) {
    let written = written(procedure);
    let rules = written.business_rules.into_iter().map(|rule| rule.body.outcome);
    let errors = written.error_handling.into_iter().map(|error| error.body.outcome);
    let found: Vec<Option<String>> = rules.chain(errors).collect();
    assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{procedure}");
}

#[test]
fn a_rule_and_an_error_have_what_the_caller_sees() {
    check_outcomes("IF IS-NEW MOVE 8 TO RETURN-CODE.\nIF IS-OPEN MOVE 1 TO RATE.", &[Some("RETURN-CODE 8"), None]);
    check_outcomes(
        "IF IS-NEW MOVE 8 TO RETURN-CODE\nELSE MOVE 1 TO RATE\nMOVE 4 TO RETURN-CODE.",
        &[Some("RETURN-CODE 8; otherwise RETURN-CODE 4")],
    );
    check_outcomes("READ F.\nIF FS NOT = '00' MOVE 12 TO RETURN-CODE.", &[Some("RETURN-CODE 12")]);
    check_outcomes("READ F.\nIF FS NOT = '00' DISPLAY 'NO'.", &[None]);
    // What the paragraph always does that a failure leads to is the outcome of the failure.
    check_outcomes(
        "READ F.\nIF FS NOT = '00' PERFORM FAILED.\nGOBACK.\n       FAILED.\nDISPLAY 'NO'.\nMOVE 12 TO RETURN-CODE.",
        &[Some("RETURN-CODE 12")],
    );
    check_outcomes(
        "READ F.\nIF FS NOT = '00' PERFORM FAILED.\nGOBACK.\n       FAILED.\nIF IS-NEW GOBACK.\nMOVE 12 TO RETURN-CODE.",
        &[None, None],
    );
}

#[test]
fn an_abend_is_all_that_anybody_sees() {
    let end = "GOBACK.\n       STOP-IT.\nMOVE 999 TO AMOUNT.\nCALL 'CEE3ABD' USING AMOUNT, RATE.";
    check_outcomes(
        &format!("IF IS-NEW MOVE 8 TO RETURN-CODE PERFORM STOP-IT.\n{end}"),
        &[Some("abend 999 in STOP-IT")],
    );
    check_outcomes(&format!("READ F INVALID KEY GO TO STOP-IT.\n{end}"), &[Some("abend 999 in STOP-IT")]);
    // A section whose first statement stands behind a label.
    check_outcomes(
        "READ F INVALID KEY PERFORM STOP-ALL.\nGOBACK.\n       STOP-ALL SECTION.\n       STOP-IT.\nCALL 'CEE3ABD'.",
        &[Some("abend in STOP-IT")],
    );
    check_outcomes("IF IS-NEW EXEC CICS ABEND ABCODE('AB01') END-EXEC.", &[Some("abend 'AB01'")]);
    check_outcomes("IF IS-NEW CALL 'CEE3ABD' USING RATE.", &[Some("abend")]);
}

#[test]
fn what_provides_for_a_rule_provides_for_what_happens_otherwise() {
    check(
        "IF IS-NEW\nIF AMOUNT > 5 MOVE 1 TO RATE ELSE MOVE 2 TO RATE END-IF\nMOVE 3 TO INTEREST\nMOVE 'A' TO REJECT-SW\n\
         DISPLAY 'A'\nDISPLAY 'B'\nEND-IF.",
        &[
            "When STATE is 'N' (IS-NEW): sets INTEREST to 3; sets REJECT-SW to 'A'; displays 'A'; displays 'B'.",
            "Provided that STATE is 'N' (IS-NEW): when AMOUNT is greater than 5: sets RATE to 1; otherwise: sets RATE to 2.",
        ],
    );
}

#[test]
fn rules_about_the_user_are_rules_about_rights() {
    let about = |procedure: &str| rules(procedure).iter().map(|rule| rule.is_about_rights).collect::<Vec<_>>();
    let asks = "EXEC CICS ASSIGN USERID(REASON) END-EXEC.\n";
    assert_eq!(about(&format!("{asks}IF REASON = 'BOSS' DISPLAY 'A'.\nIF STATE = 'B' DISPLAY 'B'.")), [true, false]);
    assert_eq!(about("IF USER-TYPE = 'A' DISPLAY 'A'."), [true]);
    assert_eq!(about("IF USER-LEVEL < GRADE DISPLAY 'A'."), [true]);
    // A form is compared with what is stored, or with blanks.
    assert_eq!(about("IF USER-TYPE = STATE DISPLAY 'A'.\nIF USER-TYPE = SPACES DISPLAY 'B'."), [false, false]);
}

#[test]
fn what_follows_checks_that_leave_says_so() {
    let figure = |checks: &str| {
        let procedure = format!("{checks}COMPUTE INTEREST = AMOUNT * RATE.\nOUT.\nGOBACK.");
        rules(&procedure).into_iter().map(|rule| rule.body.description).find(|rule| rule.contains("computes")).unwrap()
    };
    let state = "IF STATE = 'X' GO TO OUT.\n";
    assert_eq!(figure(state), "MAIN computes INTEREST = AMOUNT x RATE, provided that STATE is not 'X'.");
    let amount = format!("IF AMOUNT < 0 GO TO OUT.\n{state}");
    assert_eq!(
        figure(&amount),
        "MAIN computes INTEREST = AMOUNT x RATE, provided that AMOUNT is at least 0 and STATE is not 'X'."
    );
    let many = format!("{amount}IF REJECT-SW = 'A' GO TO OUT.\nIF REASON = 'A' GO TO OUT.\n");
    assert_eq!(figure(&many), "MAIN computes INTEREST = AMOUNT x RATE, provided that no check before it leaves.");
    let changed = format!("{state}MOVE 'X' TO STATE.\n");
    assert_eq!(figure(&changed), "MAIN computes INTEREST = AMOUNT x RATE, provided that no check before it leaves.");
    // What leaves because something failed goes without saying.
    assert_eq!(figure("READ F.\nIF FS NOT = '00' GO TO OUT.\n"), "MAIN computes INTEREST = AMOUNT x RATE.");
}

#[test]
fn what_a_branch_about_a_status_sets_is_told_unless_a_test_follows_it() {
    // Nothing tests REASON: it is meant for somebody else.
    check(
        "READ F.\nIF FS = '00'\n  MOVE 'A' TO REASON\nELSE\n  MOVE 'B' TO REASON\nEND-IF.",
        &["When READ of F succeeds (FS is '00'): sets REASON to 'A'."],
    );
    // The test behind it tells what STATE means.
    check(
        "READ F.\nIF FS = '00'\n  MOVE 'A' TO STATE\nELSE\n  MOVE 'B' TO STATE\nEND-IF.\nIF STATE = 'A' ADD 1 TO AMOUNT.",
        &["When READ of F succeeds (STATE is 'A'): adds 1 to AMOUNT."],
    );
}

#[test]
fn a_rule_behind_which_the_run_ends_says_when() {
    let code = |rule: &str| format!("{rule}\nGOBACK.\nP.\n    STOP RUN.");
    let ends = |rule: &str| {
        let ends = rules(&code(rule))[0].body.ends.clone().expect("the run ends");
        format!("{}: {}", ends.when, ends.effect)
    };
    assert_eq!(ends("IF AMOUNT = 1 PERFORM P."), "When AMOUNT is 1: performs P (ends the run)");
    assert_eq!(ends("IF AMOUNT = 1 ADD 1 TO RATE ELSE GO TO P."), "Unless AMOUNT is 1: goes to P (ends the run)");
    assert!(rules(&code("IF AMOUNT = 1 ADD 1 TO RATE."))[0].body.ends.is_none());
}

#[test]
fn all_values_of_the_ifs_before_an_else_are_excluded() {
    let errors = written(
        "READ F.\nIF FS = '10' OR '46'\n  CONTINUE\nELSE\n  IF FS NOT = '00'\n    DISPLAY 'BAD'\n  END-IF\nEND-IF.",
    );
    let told: Vec<&str> = errors.error_handling.iter().map(|error| error.body.condition.as_str()).collect();
    assert_eq!(told, ["READ of F fails: FS is neither '10', '46' nor '00'."]);
}

/// Checks the conditions of the errors of a procedure.
#[track_caller]
pub(super) fn check_errors(procedure: &str, expected: &[&str]) {
    let errors = written(procedure).error_handling;
    let told: Vec<&str> = errors.iter().map(|error| error.body.condition.as_str()).collect();
    assert_eq!(told, expected, "{procedure}");
}

#[test]
fn an_optional_file_that_is_absent_is_no_failure() {
    let select = "       DATA DIVISION.\n";
    let head = HEAD.replacen(select, &format!("           SELECT OPTIONAL O ASSIGN TO O FILE STATUS OS.\n{select}"), 1);
    let status = "       01 OS PIC 99.\n          88 O-EXISTS VALUE 00.\n          88 O-EXISTS-OR-NEW VALUE 00 05.\n       LINKAGE";
    let head = head.replacen("       LINKAGE", status, 1);
    let check = |procedure: &str, expected: &str| {
        assert_eq!(written_under(&head, procedure).error_handling[0].body.condition, expected, "{procedure}");
    };
    check(
        "OPEN INPUT O.\nIF NOT O-EXISTS DISPLAY 'NEW'.",
        "OPEN INPUT of O fails or finds no file: OS is not 00 (not O-EXISTS).",
    );
    check(
        "OPEN EXTEND O.\nIF OS NOT = '00' DISPLAY 'NEW'.",
        "OPEN EXTEND of O fails or makes a new file: OS is not '00'.",
    );
    check(
        "OPEN INPUT O.\nIF NOT O-EXISTS-OR-NEW DISPLAY 'BAD'.",
        "OPEN INPUT of O fails: OS is neither 00 nor 05 (not O-EXISTS-OR-NEW).",
    );
    check("OPEN INPUT F.\nIF FS NOT = '00' DISPLAY 'BAD'.", "OPEN INPUT of F fails: FS is not '00'.");
    // Of several files, those whose statuses are asked.
    check(
        "OPEN INPUT F.\nOPEN OUTPUT O.\nIF FS NOT = '00' OR OS NOT = '00' DISPLAY 'BAD'.",
        "OPEN INPUT of F or OPEN OUTPUT of O fails or makes a new file: FS is not '00' or OS is not '00'.",
    );
    check("OPEN INPUT F OUTPUT O.\nIF FS NOT = '00' DISPLAY 'BAD'.", "OPEN INPUT of F fails: FS is not '00'.");
}

#[test]
fn a_test_of_a_status_within_another_is_told_with_it() {
    let update = "EXEC SQL UPDATE T SET A = 1 END-EXEC.\n";
    let within =
        "IF SQLCODE NOT = 0\nIF SQLCODE = 100\nMOVE '01' TO REASON\nELSE\nMOVE '90' TO REASON\nEND-IF\nEND-IF.";
    check_errors(
        &format!("{update}{within}"),
        &[
            "SQL UPDATE of T finds no row: SQLCODE is 100 (no row).",
            "SQL UPDATE of T fails: SQLCODE is neither 0 nor 100.",
        ],
    );
    // What stands between the two tests is told, too.
    check_errors(
        &format!(
            "{update}IF SQLCODE NOT = 0\nIF IS-NEW\nIF SQLCODE = 100\nCONTINUE\nELSE\nMOVE '90' TO REASON\nEND-IF\nEND-IF\nEND-IF."
        ),
        &["SQL UPDATE of T fails: SQLCODE is neither 0 nor 100, and STATE is 'N' (IS-NEW)."],
    );
    // The result of another operation says nothing about this one.
    check_errors(
        &format!(
            "{update}IF SQLCODE NOT = 0\nEXEC SQL INSERT INTO U VALUES(1) END-EXEC\nIF SQLCODE NOT = 0\nMOVE '90' TO REASON\nEND-IF\nEND-IF."
        ),
        &["SQL UPDATE of T finds no row or fails: SQLCODE is not 0.", "SQL INSERT of U fails: SQLCODE is not 0."],
    );
}

#[test]
fn an_operation_that_several_lines_perform_is_told_with_the_one_whose_result_is_tested() {
    let first = "PERFORM READ-IT.\nIF FS = '10' DISPLAY 'EMPTY' GOBACK.\n";
    let line = HEAD.lines().count() + 1;
    let read = "READ-IT.\nREAD F.";
    let loops = "PERFORM READ-IT UNTIL FS NOT = '00'.\nGOBACK.\n";
    check_errors(
        &format!("{first}{loops}{read}"),
        &[&format!("READ of F (performed in line {line}) finds no more data: FS is '10' (end of the file).")],
    );
    // The test in the loop is of the READ at its end, too.
    let within = "PERFORM READ-IT.\nPERFORM UNTIL IS-OPEN\nIF FS = '10' DISPLAY 'A' END-IF\nPERFORM READ-IT\nEND-PERFORM.\nGOBACK.\n";
    check_errors(&format!("{within}{read}"), &["READ of F finds no more data: FS is '10' (end of the file)."]);
    check_errors(&format!("{first}GOBACK.\n{read}"), &["READ of F finds no more data: FS is '10' (end of the file)."]);
}

#[test]
fn an_error_is_told_with_what_its_operation_does_not_require() {
    check_errors(
        "READ F.\nIF IS-NEW\nIF FS NOT = '00'\nDISPLAY 'A'\nEND-IF\nEND-IF.",
        &["READ of F fails: FS is not '00', and STATE is 'N' (IS-NEW)."],
    );
    check_errors(
        "IF IS-NEW\nREAD F\nIF FS NOT = '00'\nDISPLAY 'A'\nEND-IF\nEND-IF.",
        &["READ of F fails: FS is not '00'."],
    );
    check_errors(
        "READ F.\nIF FS NOT = '00'\nIF IS-NEW\nDISPLAY 'A'\nIF AMOUNT > 5\nDISPLAY 'B'\nDISPLAY 'C'\nEND-IF\nEND-IF\nEND-IF.",
        &[
            "READ of F fails: FS is not '00', and STATE is 'N' (IS-NEW).",
            "READ of F fails: FS is not '00', and AMOUNT is greater than 5 and STATE is 'N' (IS-NEW).",
        ],
    );
}

#[test]
fn a_rule_behind_a_success_says_so() {
    check(
        "READ F.\nIF FS = '00'\nIF AMOUNT > 5\nMOVE 1 TO RATE\nMOVE 2 TO INTEREST\nEND-IF\nEND-IF.",
        &["When AMOUNT is greater than 5, provided that READ of F succeeds: sets RATE to 1; sets INTEREST to 2."],
    );
    check(
        "READ F\nAT END\nGOBACK\nNOT AT END\nIF AMOUNT > 5\nMOVE 1 TO RATE\nMOVE 2 TO INTEREST\nEND-IF\nEND-READ.",
        &["When AMOUNT is greater than 5, provided that READ of F succeeds: sets RATE to 1; sets INTEREST to 2."],
    );
}

#[test]
fn an_error_that_a_called_program_reports_is_one() {
    let check = |procedure: &str, expected: &[&str]| {
        let errors = written(procedure).error_handling;
        let told: Vec<&str> = errors.iter().map(|error| error.body.condition.as_str()).collect();
        assert_eq!(told, expected, "{procedure}");
    };
    let call = "CALL 'SUB' USING F-REC.";
    let test = "IF F-KEY NOT = ZERO\nDISPLAY 'BAD'\nGOBACK\nEND-IF.";
    let reported = ["SUB reports an error: F-KEY is not zero."];
    check(&format!("{call}\n{test}"), &reported);
    check(&format!("PERFORM ASK.\n{test}\nGOBACK.\nASK.\n{call}"), &reported);
    check(&format!("PERFORM ASK.\n{test}\nGOBACK.\nASK.\nPERFORM SEND.\nSEND.\n{call}"), &reported);
    let of_status = "READ F.\nCALL 'SUB' USING FS.\nIF FS NOT = '00'\nDISPLAY 'BAD'\nGOBACK\nEND-IF.";
    check(of_status, &["SUB reports an error: FS is not '00'."]);
    check("CALL 'SUB' USING FS.\nIF FS = '23'\nDISPLAY 'BAD'\nEND-IF.", &["SUB reports an error: FS is '23'."]);
    let link = "EXEC CICS LINK PROGRAM('SUB') COMMAREA(F-REC) END-EXEC.";
    let code = "IF F-KEY NOT = ZERO AND '0100'\nMOVE 8 TO RETURN-CODE\nEND-IF.";
    check(&format!("{link}\nMOVE 1 TO RATE.\n{code}"), &["SUB reports an error: F-KEY is neither zero nor '0100'."]);
    check(&format!("{link}\nIF IS-NEW\n{}\nEND-IF.", &code[..code.len() - 1]), &[]);
    // The program goes on; what is tested is no code of success; another side does something; something else sets it; who reports is not known.
    check(&format!("{call}\nIF F-KEY NOT = ZERO DISPLAY 'BAD'."), &[]);
    check(&format!("{call}\nIF F-KEY = 'E' GOBACK."), &[]);
    check(&format!("{call}\nIF F-KEY NOT = ZERO GOBACK ELSE DISPLAY 'GOOD'."), &[]);
    check(&format!("{call}\nMOVE 'A' TO F-KEY.\n{test}"), &[]);
    check(&format!("CALL REASON USING F-REC.\n{test}"), &[]);
    check(&format!("PERFORM ASK.\n{test}\nGOBACK.\nASK.\n{call}\nCALL 'TUB' USING F-REC."), &[]);
}

#[test]
fn what_leaves_a_loop_or_a_paragraph_is_an_effect() {
    check(
        "PERFORM UNTIL AMOUNT > 3\nPERFORM A\nIF IS-NEW OF STATE\nEXIT PERFORM\nEND-IF\nADD 1 TO AMOUNT\nEND-PERFORM.\nGOBACK.\nA.\nDISPLAY 'A'.",
        &[
            "Repeats until AMOUNT is greater than 3: performs A; (leaves the loop if IS-NEW of STATE); adds 1 to AMOUNT.",
            "When STATE is 'N' (IS-NEW): leaves the loop.",
        ],
    );
    check(
        "PERFORM A.\nGOBACK.\nA.\nIF LEFT-OVER < 1\nDISPLAY 'NONE'\nEXIT PARAGRAPH\nEND-IF.\nDISPLAY 'A'.",
        &["When LEFT-OVER is less than 1: displays 'NONE'; leaves the paragraph."],
    );
}

#[test]
fn what_is_not_read_as_it_was_meant_is_asked_with_its_line() {
    let asked = written("MOVE TO AMOUNT.\nFOO BAR.\n'*****'.").open_questions;
    let told = asked.iter().map(|item| {
        let quote = item.citations.first().and_then(|citation| citation.quote.as_deref());
        (item.body.question.as_str(), quote, item.body.context.is_some())
    });
    let unknown =
        "A sentence begins with no statement that is known: what stands before its first statement is left out.";
    let incomplete = "A statement is not complete: a compiler would refuse it, and what is told of it may be wrong.";
    let expected =
        [(incomplete, Some("MOVE TO AMOUNT."), false), (unknown, Some("FOO BAR."), false), (unknown, None, true)];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[test]
fn both_sides_of_a_condition_that_differ_in_operands_alone_say_so() {
    let both =
        |other: &str| format!("IF STATE = 'X'\nCALL 'SUB' USING AMOUNT\nELSE\nCALL 'SUB' USING {other}\nEND-IF.");
    let told = |end: &str| format!("When STATE is 'X': calls SUB; otherwise: {end}.");
    check(&both("RATE"), &[&told("the same with other operands")]);
    check(&both("AMOUNT"), &[&told("calls SUB")]);
}
