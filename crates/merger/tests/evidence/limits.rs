//! What words limit, where they have control go, and which way they have data move: true words beside the same words with one thing wrong.

use super::status_of;

/// A program with cases that are treated alike, two files, a failure that ends it, and two records. Its lines are counted from 1.
const SOURCE: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LIMITS.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT CARDS ASSIGN TO CARDDD FILE STATUS WS-STATUS.
           SELECT LISTING ASSIGN TO LISTDD.
       DATA DIVISION.
       FILE SECTION.
       FD CARDS.
       01 CARD-REC PIC X(80).
       FD LISTING.
       01 LIST-REC PIC X(132).
       WORKING-STORAGE SECTION.
       01 WS-STATUS PIC XX.
       01 WS-TYPE PIC X(8).
       01 WS-ANSWER PIC X.
       01 WS-CREDIT PIC 9(7).
       01 WS-DEBIT PIC 9(7).
       01 IN-RECORD.
          05 IN-NAME PIC X(20).
          05 IN-CITY PIC X(20).
       01 OUT-RECORD.
          05 OUT-NAME PIC X(20).
          05 OUT-CITY PIC X(20).
       PROCEDURE DIVISION.
       MAIN.
           OPEN INPUT CARDS OUTPUT LISTING.
           EVALUATE WS-ANSWER
               WHEN 'Y'
               WHEN 'y'
                   PERFORM TAKE
               WHEN OTHER
                   DISPLAY 'NO SUCH ANSWER'
           END-EVALUATE.
           IF WS-TYPE = 'MORTGAGE' OR WS-TYPE = 'LOAN'
               PERFORM TAKE
           END-IF.
           MOVE ZERO TO WS-CREDIT.
           MOVE ZERO TO WS-DEBIT.
           EXEC SQL
               UPDATE ACCOUNT SET ACC_NAME = :IN-NAME,
                   ACC_CITY = :IN-CITY
           END-EXEC.
           CLOSE CARDS LISTING.
           GOBACK.
       TAKE.
           READ CARDS.
           IF WS-STATUS NOT = '00'
               PERFORM GIVE-UP
           END-IF.
           MOVE IN-NAME TO OUT-NAME.
           MOVE IN-CITY TO OUT-CITY.
       GIVE-UP.
           DISPLAY 'GIVEN UP'.
           GOBACK.
";

#[track_caller]
fn rule(description: &str, conditions: &[&str], range: (u32, u32), expected: &str) {
    assert_eq!(status_of(SOURCE, description, conditions, range), expected, "{description} {conditions:?}");
}

#[test]
fn cases_that_are_treated_alike_are_not_told_apart() {
    rule("TAKE is performed for 'Y' and for 'y' only.", &[], (29, 32), "verified");
    rule("Only a capital 'Y' performs TAKE.", &[], (29, 32), "contradicted");
    rule("WS-ANSWER 'Y' only performs TAKE.", &[], (29, 32), "verified");
    rule("TAKE runs for 'Y' and 'y', and what is not covered here runs otherwise.", &[], (29, 32), "verified");
    rule("Only MORTGAGE and LOAN accounts perform TAKE.", &[], (36, 38), "verified");
    rule("TAKE is performed for MORTGAGE accounts only.", &[], (36, 38), "contradicted");
    rule("TAKE is performed for MORTGAGE; LOAN is not included beside MORTGAGE.", &[], (36, 38), "contradicted");
    // The limit is on something else.
    rule("A MORTGAGE in WS-TYPE performs TAKE, which is done in this case only once.", &[], (36, 38), "verified");
}

#[test]
fn only_some_of_what_is_done_is_less_than_all() {
    rule("Sets only WS-CREDIT to ZERO.", &[], (39, 39), "verified");
    rule("Sets only WS-CREDIT to ZERO.", &[], (39, 40), "contradicted");
    rule("Sets only WS-CREDIT and WS-DEBIT to ZERO.", &[], (39, 40), "verified");
    rule("Closes only CARDS and LISTING.", &[], (45, 45), "verified");
    rule("Closes only the file LISTING.", &[], (45, 45), "contradicted");
    rule("Changes only ACC_NAME and ACC_CITY of ACCOUNT.", &[], (41, 44), "verified");
    rule("Changes only the column ACC_NAME of ACCOUNT.", &[], (41, 44), "contradicted");
}

#[test]
fn the_program_ends_where_it_ends() {
    let failed = ["WS-STATUS is not '00'"];
    rule("If the READ of CARDS fails, GIVE-UP ends the program.", &failed, (48, 51), "verified");
    rule(
        "If the READ of CARDS fails, GIVE-UP is performed and the program goes on.",
        &failed,
        (48, 51),
        "contradicted",
    );
    rule("Any other WS-ANSWER shows 'NO SUCH ANSWER'.", &[], (33, 34), "verified");
    rule("Any other WS-ANSWER shows 'NO SUCH ANSWER' and ends the program at once.", &[], (34, 34), "contradicted");
    rule("Before the program ends, shows 'NO SUCH ANSWER' for any other WS-ANSWER.", &[], (34, 34), "verified");
}

#[test]
fn what_computes_or_goes_round_is_on_the_lines() {
    rule("IN-NAME is moved to OUT-NAME.", &[], (52, 52), "verified");
    rule("IN-NAME is divided by 2 before it is moved to OUT-NAME.", &[], (52, 52), "contradicted");
    rule("Goes through all entries of IN-RECORD and moves IN-NAME to OUT-NAME.", &[], (52, 52), "contradicted");
}

#[test]
fn records_go_where_their_fields_are_moved() {
    rule("Copies name and city from IN-RECORD into OUT-RECORD.", &[], (52, 53), "verified");
    rule("Copies the fields from OUT-RECORD into IN-RECORD.", &[], (52, 53), "contradicted");
    rule("Moves IN-NAME to OUT-NAME and takes IN-CITY from IN-RECORD.", &[], (52, 53), "verified");
    rule(
        "Moves IN-NAME and IN-CITY of the current record to the output items OUT-NAME and OUT-CITY.",
        &[],
        (52, 53),
        "verified",
    );
    rule(
        "Moves OUT-NAME and OUT-CITY of the current record to the input items IN-NAME and IN-CITY.",
        &[],
        (52, 53),
        "contradicted",
    );
    rule(
        "Before the next read the output items OUT-NAME and OUT-CITY are moved to IN-NAME and IN-CITY.",
        &[],
        (52, 53),
        "contradicted",
    );
    rule("Takes IN-NAME only after checking that WS-CREDIT is greater than zero.", &[], (52, 53), "unsupported");
}
