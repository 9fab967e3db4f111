//! What words tell of moves, orders, joints, declarations and denials: true words beside the same words with one thing wrong.

use super::status_of;

/// A program with accounts, tests that are joined, and a file of CICS. Its lines are counted from 1.
const SOURCE: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TOLD.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-KIND PIC X(8).
       01 WS-FACILITY PIC 9(3).
       01 WS-AVAILABLE PIC S9(7)V99.
       01 WS-ACTUAL PIC S9(7)V99.
       01 WS-AMOUNT PIC S9(5)V99.
       01 WS-TASK PIC 9(12).
       01 WS-ANSWER.
          05 WS-CODE PIC X.
          05 WS-SHOWN PIC S9(7)V99.
          05 WS-REAL PIC S9(7)V99.
       01 WS-LAST PIC 9.
       01 WS-DATE PIC X(10).
       01 WS-RECORD PIC X(80).
       01 WS-KEY PIC X(8).
       PROCEDURE DIVISION.
       MAIN.
           IF (WS-KIND = 'MORTGAGE' AND WS-FACILITY = 496)
           OR (WS-KIND = 'LOAN' AND WS-FACILITY = 496)
               MOVE '4' TO WS-CODE
           END-IF.
           COMPUTE WS-ACTUAL = WS-ACTUAL + WS-AMOUNT.
           MOVE WS-AVAILABLE TO WS-SHOWN.
           MOVE WS-ACTUAL TO WS-REAL.
           PERFORM TAKE.
           EXEC CICS READPREV FILE('KEYS') INTO(WS-RECORD)
               RIDFLD(WS-KEY) END-EXEC.
           DISPLAY 'TAKEN ' WS-KEY.
           EXEC CICS SYNCPOINT END-EXEC.
           MOVE 'N' TO WS-CODE.
           MOVE 1 TO WS-LAST.
           INSPECT WS-DATE REPLACING ALL '/' BY '.'.
           CALL 'DATECALC' USING WS-DATE.
           PERFORM TAKE 3 TIMES.
           ADD 4 TO WS-LAST.
           EVALUATE WS-CODE
               WHEN 'N'
                   PERFORM SHOW
           END-EVALUATE.
           GOBACK.
       TAKE.
           MOVE EIBTASKN TO WS-TASK.
       SHOW.
           DISPLAY WS-CODE.
";

#[track_caller]
fn rule(description: &str, conditions: &[&str], range: (u32, u32), expected: &str) {
    assert_eq!(status_of(SOURCE, description, conditions, range), expected, "{description} {conditions:?}");
}

#[test]
fn items_go_where_the_statements_move_them() {
    rule("WS-AVAILABLE is moved to WS-SHOWN and WS-ACTUAL to WS-REAL.", &[], (26, 27), "verified");
    rule("WS-AVAILABLE and WS-ACTUAL are moved to WS-SHOWN and WS-REAL.", &[], (26, 27), "verified");
    rule("Transfers WS-AVAILABLE to WS-SHOWN.", &[], (26, 26), "verified");
    rule("Transfers WS-SHOWN to WS-AVAILABLE.", &[], (26, 26), "contradicted");
    rule("Loads WS-SHOWN with the contents of WS-AVAILABLE.", &[], (26, 26), "verified");
    rule("Loads WS-AVAILABLE with the contents of WS-SHOWN.", &[], (26, 26), "contradicted");
    // However a text writes the names.
    rule("Ws-Available is moved to Ws-Shown.", &[], (26, 26), "verified");
    rule("Ws-Shown is moved to Ws-Available.", &[], (26, 26), "contradicted");
    rule("WS-AVAILABLE is moved to WS-REAL and WS-ACTUAL to WS-SHOWN.", &[], (26, 27), "contradicted");
    rule("Moves WS-ACTUAL to WS-SHOWN.", &[], (26, 27), "contradicted");
}

#[test]
fn values_go_to_items_one_by_one() {
    rule("'N' and 1 are moved to WS-CODE and WS-LAST.", &[], (33, 34), "verified");
    rule("1 and 'N' are moved to WS-CODE and WS-LAST.", &[], (33, 34), "contradicted");
    rule("Moves 'N' to WS-CODE and WS-AVAILABLE to WS-SHOWN.", &[], (26, 33), "verified");
    rule("WS-LAST is always set to 2.", &[], (33, 34), "contradicted");
    rule("WS-CODE is 'N' and WS-LAST is 1.", &[], (33, 34), "verified");
    rule("WS-CODE is 'N' and WS-LAST is 3.", &[], (33, 34), "contradicted");
    // Which item is meant is not said.
    rule("WS-KEY is displayed, and a number is set to 1.", &[], (31, 34), "verified");
    rule("WS-KEY is displayed, and a number is set to 7.", &[], (31, 34), "unchecked");
}

#[test]
fn a_condition_joins_its_comparisons_as_the_source_does() {
    let told = "WS-CODE becomes '4'.";
    let said = |condition: &str, expected: &str| rule(told, &[condition], (21, 24), expected);
    said("(WS-KIND = 'MORTGAGE' OR WS-KIND = 'LOAN') AND WS-FACILITY = 496", "verified");
    said("WS-FACILITY = 496 AND WS-KIND = 'LOAN' OR 'MORTGAGE' AND WS-FACILITY = 496", "verified");
    said("WS-KIND = 'MORTGAGE' OR WS-KIND = 'LOAN' OR WS-FACILITY = 496", "contradicted");
    said("WS-KIND = 'MORTGAGE' OR WS-KIND = 'LOAN' AND WS-FACILITY = 496", "contradicted");
    // Two cases of it, each told by itself.
    let cases = ["WS-KIND = 'MORTGAGE' AND WS-FACILITY = 496", "WS-KIND = 'LOAN' AND WS-FACILITY = 496"];
    rule(told, &cases, (21, 24), "verified");
}

#[test]
fn formulas_and_directions_are_those_of_the_statements() {
    rule("WS-ACTUAL = WS-ACTUAL + WS-AMOUNT.", &[], (25, 25), "verified");
    rule("WS-ACTUAL = WS-AVAILABLE + WS-AMOUNT.", &[], (25, 27), "contradicted");
    rule("WS-ACTUAL is computed as WS-ACTUAL + WS-AMOUNT / 100.", &[], (25, 25), "contradicted");
    rule("WS-SHOWN is the sum of WS-AVAILABLE and WS-REAL.", &[], (26, 27), "contradicted");
    rule("WS-SHOWN is WS-AVAILABLE minus WS-REAL and WS-ACTUAL.", &[], (26, 27), "contradicted");
    rule("In WS-DATE each '/' is replaced: '/' by '.'.", &[], (35, 35), "verified");
    rule("In WS-DATE each '.' is replaced: '.' by '/'.", &[], (35, 35), "contradicted");
    rule("READPREV reads KEYS backwards into WS-RECORD.", &[], (29, 30), "verified");
    rule("KEYS is read forward into WS-RECORD.", &[], (29, 30), "contradicted");
}

#[test]
fn what_comes_first_is_done_first() {
    rule("WS-KEY is displayed, and then SYNCPOINT commits.", &[], (29, 33), "verified");
    rule("SYNCPOINT commits, then WS-KEY is displayed.", &[], (29, 33), "contradicted");
    rule("TAKE is performed first, and only afterwards WS-CODE is set to 'N'.", &[], (28, 33), "verified");
    rule("WS-CODE is set to 'N' first, and only afterwards TAKE is performed.", &[], (28, 33), "contradicted");
    rule("TAKE is performed first, and WS-KEY is displayed later.", &[], (28, 31), "verified");
    rule("WS-KEY is displayed first and TAKE is performed later.", &[], (28, 31), "contradicted");
    rule("TAKE is performed after the INSPECT of WS-DATE.", &[], (35, 37), "verified");
    rule("SYNCPOINT commits after the INSPECT of WS-DATE.", &[], (32, 35), "contradicted");
}

#[test]
fn what_is_done_is_not_denied() {
    rule("Displays WS-KEY, and leaves WS-CODE unchanged.", &[], (31, 32), "verified");
    rule("Leaves WS-CODE and WS-LAST as they were.", &[], (33, 34), "contradicted");
    rule("WS-LAST is not touched.", &[], (33, 34), "contradicted");
    rule("The record is taken without a DISPLAY of WS-KEY.", &[], (29, 31), "contradicted");
    rule("TAKE is performed, without setting WS-LAST.", &[], (28, 28), "verified");
    rule("The amount is not added to WS-ACTUAL.", &[], (25, 25), "contradicted");
    rule("READPREV takes the record without performing TAKE.", &[], (28, 30), "contradicted");
    // In words of English alone.
    rule("The available amount is moved to the shown one.", &[], (26, 26), "verified");
    rule("The available amount is not moved to the shown one.", &[], (26, 26), "unchecked");
    rule("The code is displayed.", &[], (47, 47), "verified");
    rule("The code is never displayed.", &[], (47, 47), "unchecked");
    // Something else is not changed, or not in every case.
    rule("The available amount is moved, but the actual one is not moved.", &[], (26, 26), "verified");
    rule("WS-AVAILABLE is moved to WS-SHOWN, and WS-REAL is not changed.", &[], (26, 26), "verified");
    rule("Leaves WS-LAST alone.", &[], (34, 34), "contradicted");
    rule("The code is not set for another facility.", &[], (21, 24), "verified");
}

#[test]
fn items_are_declared_as_the_source_declares_them() {
    rule("EIBTASKN is moved to WS-TASK (PIC 9(12)).", &[], (45, 45), "verified");
    rule("EIBTASKN is moved to WS-TASK (PIC 9(8)).", &[], (45, 45), "contradicted");
    rule("EIBTASKN is moved to the twelve-digit WS-TASK.", &[], (45, 45), "verified");
    rule("EIBTASKN is moved to the eight-digit WS-TASK.", &[], (45, 45), "contradicted");
    rule("WS-ACTUAL, a signed item, is moved to WS-REAL.", &[], (27, 27), "verified");
    rule("WS-ACTUAL, an unsigned item, is moved to WS-REAL.", &[], (27, 27), "contradicted");
    rule("EIBTASKN is moved to the task number (PIC 9(12)): WS-TASK.", &[], (45, 45), "verified");
    rule("EIBTASKN is moved to the task number (PIC 9(8)): WS-TASK.", &[], (45, 45), "contradicted");
    rule("WS-AMOUNT has five integer digits and two decimals.", &[], (9, 9), "verified");
    rule("WS-AMOUNT has seven integer digits and two decimals.", &[], (9, 9), "contradicted");
    rule("WS-AMOUNT is held without a sign.", &[], (9, 9), "contradicted");
}

#[test]
fn the_program_ends_as_its_statements_have_it() {
    rule("Performs SHOW, then ends the program with GOBACK.", &[], (41, 43), "verified");
    rule("Performs SHOW, then ends the program with a STOP RUN.", &[], (41, 43), "contradicted");
}

#[test]
fn lengths_are_those_of_what_is_named() {
    rule("The key of 8 bytes is displayed: WS-KEY.", &[], (31, 31), "verified");
    rule("The key of 9 bytes is displayed from WS-KEY.", &[], (31, 31), "contradicted");
    rule("EIBTASKN is moved to WS-TASK, a number of 12 digits.", &[], (45, 45), "verified");
    rule("EIBTASKN is moved to WS-TASK, a number of 11 digits.", &[], (45, 45), "contradicted");
    rule("WS-CODE, the first character of WS-ANSWER with 1 byte, is displayed.", &[], (47, 47), "verified");
}

#[test]
fn what_is_limited_is_all_that_is_done() {
    rule("Sets only WS-CODE to 'N'.", &[], (33, 34), "verified");
    rule("Takes one record and moves only WS-AVAILABLE to WS-SHOWN.", &[], (26, 26), "verified");
    rule("Performs TAKE, and TAKE is performed by the main line.", &[], (28, 28), "verified");
    rule("TAKE is performed by SHOW.", &[], (28, 28), "contradicted");
    rule("SHOW is performed by MAIN.", &[], (41, 41), "verified");
    rule("SHOW is performed from TAKE.", &[], (41, 41), "contradicted");
    rule("SHOW is performed from within TAKE.", &[], (41, 41), "contradicted");
    rule("After the READPREV, leaves WS-CODE and WS-LAST as they were.", &[], (33, 34), "contradicted");
}

#[test]
fn control_passes_to_what_is_called_as_often_as_it_is() {
    rule("Calls DATECALC with WS-DATE.", &[], (36, 36), "verified");
    rule("Calls DATEADD1 with WS-DATE.", &[], (36, 36), "contradicted");
    rule("CALL PROGRAM: DATECALC takes WS-DATE.", &[], (36, 36), "verified");
    rule("TAKE is performed.", &[], (28, 28), "verified");
    rule("SHOW is performed until WS-CODE is 'N'.", &[], (39, 42), "contradicted");
    rule("TAKE is performed 3 times.", &[], (37, 37), "verified");
    rule("TAKE is performed 5 times.", &[], (37, 37), "contradicted");
    rule("Adds 4 to WS-LAST.", &[], (38, 38), "verified");
    rule("Adds 6 to WS-LAST.", &[], (38, 38), "contradicted");
    rule("For WS-CODE 'N' SHOW is performed, WHEN OTHER does the same.", &[], (39, 42), "contradicted");
}

/// What is said truly of something else than it seems to be: nothing of it is refuted.
#[test]
fn what_may_be_meant_otherwise_is_not_refuted() {
    let holds = |description: &str, conditions: &[&str], range: (u32, u32)| {
        let status = status_of(SOURCE, description, conditions, range);
        assert!(["verified", "unchecked"].contains(&status), "{description} {conditions:?}: {status}");
    };
    holds("The first three-character part of WS-DATE is shown.", &[], (35, 35));
    holds("If WS-FACILITY is 496, the user is signed on.", &[], (21, 24));
    holds("The WS-TASK PIC clause allows EIBTASKN.", &[], (45, 45));
    holds("WS-TASK PIC IS 9(12) for EIBTASKN.", &[], (45, 45));
    holds("Moves the sum WS-AVAILABLE to WS-SHOWN.", &[], (26, 27));
    holds("WS-KEY is displayed before SYNCPOINT commits, and TAKE is performed.", &[], (28, 32));
    holds("No SYNCPOINT ROLLBACK is issued.", &[], (32, 32));
    holds("WS-ACTUAL keeps the running balance.", &[], (25, 25));
    holds("WS-SHOWN is not moved to WS-REAL.", &[], (26, 27));
    holds("WS-CODE is not set before TAKE is performed.", &[], (28, 33));
    holds("Calls DATECALC, then returns control to CICS.", &[], (36, 43));
    holds("READPREV reads KEYS into WS-RECORD, from what is higher than WS-KEY on.", &[], (29, 30));
    holds("Moves 'N' to WS-CODE when WS-AVAILABLE is equal to WS-REAL.", &[], (26, 33));
    holds("WS-CODE keeps its first letter when TAKE is performed.", &[], (33, 37));
    holds("A signed WS-ACTUAL goes to WS-REAL, which is signed too.", &[], (27, 27));
    holds("WS-CODE becomes '4'.", &["WS-KIND = 'LOAN' AND WS-FACILITY = 496"], (21, 24));
}
