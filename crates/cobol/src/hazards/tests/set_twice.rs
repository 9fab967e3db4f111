//! Items that are set again before anything reads them.

use super::*;

#[test]
fn an_item_that_is_set_again_at_once() {
    let twice = |statements: &str| {
        let data = "01 A PIC X(4).\n01 B PIC X(4).\n01 C PIC X(4).\n01 G.\n05 H PIC X(4).";
        only(|kind| matches!(kind, SetTwice { .. }), data, &format!("{statements}\nDISPLAY A B C G.\nGOBACK.")).len()
    };
    assert_eq!(twice("MOVE B TO A.\nMOVE C TO A."), 1);
    assert_eq!(twice("IF B = C\nMOVE 'X' TO H\nMOVE A TO B\nMOVE 'Y' TO H\nEND-IF."), 1);
    assert_eq!(twice("MOVE SPACES TO A.\nMOVE C TO A."), 0);
    assert_eq!(twice("MOVE B TO A.\nMOVE A TO C.\nMOVE C TO A."), 0);
    assert_eq!(twice("MOVE B TO H.\nMOVE G TO C.\nMOVE C TO H."), 0);
    assert_eq!(twice("MOVE B TO A.\nIF C = B MOVE C TO A."), 0);
    assert_eq!(twice("MOVE B TO A.\nDISPLAY A.\nMOVE C TO A."), 0);
}

#[test]
fn moves_that_are_very_far_apart_are_not_compared() {
    let twice = |others: usize| {
        let items: String = (0..others).map(|at| format!("01 A{at} PIC X.\n")).collect();
        let moves: String = (0..others).map(|at| format!("MOVE B TO A{at}.\n")).collect();
        let data = format!("01 A PIC X.\n01 B PIC X.\n{items}");
        let statements = format!("MOVE B TO A.\n{moves}MOVE B TO A.\nDISPLAY A.\nGOBACK.");
        only(|kind| matches!(kind, SetTwice { .. }), data.trim_end(), &statements).len()
    };
    assert_eq!(twice(100), 1);
    assert_eq!(twice(2_000), 0);
}

#[test]
fn an_item_that_is_set_again_in_other_storage() {
    let twice = |between: &str| {
        let data = "01 A PIC X(4).\n01 P POINTER.\n01 Q POINTER.\nLINKAGE SECTION.\n01 L.\n05 M PIC X(4).";
        let statements = format!("SET ADDRESS OF L TO P.\nMOVE A TO M.\n{between}MOVE A TO M.\nGOBACK.");
        only(|kind| matches!(kind, SetTwice { .. }), data, &statements).len()
    };
    assert_eq!(twice(""), 1);
    assert_eq!(twice("SET Q TO P.\n"), 1);
    assert_eq!(twice("SET ADDRESS OF L TO Q.\n"), 0);
}

#[test]
fn a_number_of_entries_that_is_set_again() {
    let twice = |between: &str| {
        let data = "01 A PIC 99.\n01 B PIC 99.\n01 C PIC X(9).\n01 N PIC 99.\n01 G.\n05 H PIC 99.\n05 T.\n\
                    10 E PIC X OCCURS 1 TO 9 DEPENDING ON N.\n05 S PIC X(9).";
        let statements = format!("MOVE A TO N.\n{between}MOVE B TO N.\nDISPLAY G N.\nGOBACK.");
        only(|kind| matches!(kind, SetTwice { .. }), data, &statements).len()
    };
    assert_eq!(twice("MOVE B TO H.\n"), 1);
    // The number says how many entries are filled, and where the items behind them are.
    assert_eq!(twice("MOVE C TO T.\n"), 0);
    assert_eq!(twice("MOVE C TO G.\n"), 0);
    assert_eq!(twice("MOVE C TO S.\n"), 0);
}

#[test]
fn records_of_one_file_share_storage() {
    let twice = |read: &str| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       ENVIRONMENT DIVISION.\n\
             \x20      INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n           SELECT F ASSIGN TO F.\n\
             \x20          SELECT G ASSIGN TO G.\n       DATA DIVISION.\n       FILE SECTION.\n       FD F.\n\
             \x20      01 HEAD.\n          05 HEAD-KIND PIC X.\n          05 HEAD-TEXT PIC X(4).\n\
             \x20      01 LINE-OF-F.\n          05 LINE-KIND PIC X.\n          05 LINE-TEXT PIC X(4).\n       FD G.\n\
             \x20      01 REC-G.\n          05 G-TEXT PIC X(5).\n       WORKING-STORAGE SECTION.\n       01 A PIC X(4).\n\
             \x20      01 B PIC X(5).\n       PROCEDURE DIVISION.\n       MAIN.\n           MOVE A TO HEAD-TEXT.\n\
             \x20          MOVE {read} TO B.\n           MOVE B TO HEAD-TEXT.\n           DISPLAY B.\n           GOBACK.\n"
        );
        found_in(text).into_iter().filter(|kind| matches!(kind, SetTwice { .. })).count()
    };
    assert_eq!(twice("G-TEXT"), 1);
    assert_eq!(twice("LINE-KIND"), 1);
    assert_eq!(twice("LINE-TEXT"), 0);
    assert_eq!(twice("LINE-OF-F"), 0);
}
