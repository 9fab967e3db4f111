//! What words have happen in a case, in an order, with a value or a sign, against what cited statements do.

use super::{cited, merged_about, status_of};
use serde_json::json;

/// A program that reads a file of CICS, in cases that exclude each other. Its lines are counted from 1.
const SOURCE: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CASES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-RESP PIC S9(8) COMP.
       01 WS-KEY PIC X(8).
       01 WS-WANTED PIC X(8).
       01 WS-PARTS PIC 9(3).
       01 WS-ONE PIC 9 VALUE 1.
       01 WS-LENGTH PIC 9(5).
       01 WS-HEAD PIC 9(5).
       01 WS-LINES PIC 9(3).
       01 WS-FOUND PIC X.
       01 WS-ROWS PIC 9(3).
       01 WS-POINT PIC S9(8) COMP.
       01 WS-POINT-X REDEFINES WS-POINT PIC X(4).
       01 WS-KEPT PIC X(4).
       01 WS-RECORD PIC X(80).
       PROCEDURE DIVISION.
       MAIN.
           EXEC CICS READ FILE('KEYS') INTO(WS-RECORD) RIDFLD(WS-KEY)
               RESP(WS-RESP) END-EXEC.
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE ZEROES TO WS-ROWS
               MOVE 'N' TO WS-FOUND
               PERFORM ANSWER
           ELSE
               MOVE 'Y' TO WS-FOUND
           END-IF.
           IF WS-KEY > WS-WANTED OR WS-KEY = WS-WANTED
               PERFORM STEP-BACK.
           IF WS-PARTS = WS-ONE
               SUBTRACT WS-HEAD FROM WS-LENGTH.
           IF WS-PARTS > WS-ONE
               EXEC CICS GETMAIN SET(WS-POINT)
                   FLENGTH(WS-LENGTH) END-EXEC
               MOVE WS-POINT-X TO WS-KEPT.
           MOVE WS-KEY(1:4) TO WS-KEPT.
           IF WS-LINES > WS-ROWS - 8 AND WS-FOUND = 'Y'
               PERFORM ANSWER
               GO TO DONE.
           PERFORM HEADERS.
           EXEC CICS WEB SEND FROM(WS-RECORD) END-EXEC.
       DONE.
           GOBACK.
       STEP-BACK.
           ADD 1 TO WS-LINES.
       ANSWER.
           DISPLAY 'NOT FOUND'.
       HEADERS.
           DISPLAY WS-ROWS.
       UNUSED.
           ADD WS-HEAD TO WS-LENGTH.
";

#[track_caller]
fn rule(description: &str, conditions: &[&str], range: (u32, u32), expected: &str) {
    assert_eq!(status_of(SOURCE, description, conditions, range), expected, "{description} {conditions:?}");
}

#[track_caller]
fn flow(list: &str, [name, description]: [&str; 2], range: (u32, u32), expected: &str) {
    let flow = json!({"name": name, "description": description, "citations": cited(&[range])});
    let document = merged_about(SOURCE, json!({"data_flow": {list: [flow]}}));
    let flows = &document.data_flow;
    let mut all = flows.reads_from.iter().chain(&flows.writes_to).filter(|flow| flow.body.name == name);
    assert_eq!(all.next().unwrap().citations[0].status().as_str(), expected, "{list} {name}");
}

#[test]
fn responses_are_compared_by_their_names() {
    let none = "Where nothing is found, WS-ROWS is zeroed.";
    rule(none, &["WS-RESP NOT = DFHRESP(NORMAL)"], (21, 26), "verified");
    rule(none, &["WS-RESP not = NORMAL"], (21, 26), "verified");
    rule(none, &["WS-RESP = NORMAL"], (21, 26), "contradicted");
    rule(none, &["The READ of KEYS ends NORMAL"], (21, 26), "contradicted");
    rule(none, &["The READ of KEYS fails"], (21, 26), "verified");
}

#[test]
fn what_is_done_in_one_case_is_not_done_in_another() {
    rule("If WS-RESP = NORMAL, WS-FOUND becomes 'Y'.", &[], (23, 29), "verified");
    rule("If WS-RESP = NORMAL, WS-ROWS is zeroed.", &[], (23, 29), "contradicted");
    rule("After a successful READ, ANSWER is performed.", &[], (23, 29), "contradicted");
    rule("If WS-RESP not = NORMAL, ANSWER is performed, otherwise WS-FOUND is 'Y'.", &[], (23, 29), "verified");
    // Cases that exclude each other stand in IFs of their own.
    rule("Room is asked for by GETMAIN.", &["WS-PARTS > 1"], (32, 37), "verified");
    rule("Room is asked for by GETMAIN.", &["WS-PARTS = 1"], (32, 37), "contradicted");
    rule("No GETMAIN is issued.", &["WS-PARTS = 1"], (32, 37), "verified");
}

#[test]
fn tests_joined_by_or_are_one_test_together() {
    let back = "A key at or above the wanted one leads to STEP-BACK.";
    rule(back, &["WS-KEY >= WS-WANTED"], (30, 31), "verified");
    rule(back, &["WS-KEY < WS-WANTED"], (30, 31), "contradicted");
    rule("Below it, STEP-BACK is not performed.", &["WS-KEY < WS-WANTED"], (30, 31), "unchecked");
    rule("The page is full.", &["WS-LINES > WS-ROWS", "and WS-FOUND = 'Y'"], (39, 41), "verified");
    rule("The page is full.", &["WS-FOUND = 'Y'", "or WS-LINES > WS-ROWS"], (39, 41), "contradicted");
}

#[test]
fn values_signs_and_parts_are_those_of_the_statements() {
    rule("Zeroes are moved to WS-ROWS.", &[], (23, 26), "verified");
    rule("Zeroes are moved to WS-LINES.", &[], (23, 26), "contradicted");
    rule("WS-ROWS is set to 0 and WS-FOUND to 'Y'.", &[], (23, 26), "contradicted");
    rule("WS-HEAD is added to WS-LENGTH.", &[], (32, 33), "contradicted");
    rule("The answer is given when WS-LINES > WS-ROWS + 8.", &[], (39, 41), "contradicted");
    rule("The first bytes, WS-KEY(1:4), are kept in WS-KEPT.", &[], (38, 38), "verified");
    rule("The first bytes, WS-KEY(1:6), are kept in WS-KEPT.", &[], (38, 38), "contradicted");
    rule("WS-HEAD decides.", &["WS-HEAD = 4"], (32, 33), "unchecked");
}

#[test]
fn control_goes_where_and_when_the_statements_send_it() {
    rule("The answer is given, and control goes to DONE.", &[], (39, 41), "verified");
    rule("The answer is given, and control goes to UNUSED.", &[], (39, 41), "unsupported");
    rule("HEADERS is performed before the WEB SEND FROM WS-RECORD.", &[], (42, 43), "verified");
    rule("ANSWER is performed after GO TO DONE.", &[], (40, 41), "contradicted");
    rule("Room is asked for by GETMAIN, and WS-RECORD is sent.", &[], (42, 43), "unchecked");
    // No line of the program has it.
    rule("The browse ends with ENDBR, and WS-RECORD is sent.", &[], (42, 43), "contradicted");
}

#[test]
fn items_that_share_storage_are_one() {
    flow("reads_from", ["WS-POINT", "The address."], (37, 37), "verified");
    flow("writes_to", ["WS-POINT", "The address."], (37, 37), "contradicted");
    // What has no name of the source goes the way of the commands.
    flow("writes_to", ["Web page", "The record."], (43, 43), "verified");
    flow("reads_from", ["Web page", "The record."], (43, 43), "contradicted");
}
