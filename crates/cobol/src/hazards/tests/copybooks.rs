//! Copybooks of which nothing is used.

use super::*;

#[track_caller]
fn check_copied(data: &str, statements: &str, expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|copybook| CopiedInVain { copybook: name(copybook) }).collect();
    check_only(|kind| matches!(kind, CopiedInVain { .. }), ["", data, statements], &expected);
}

#[test]
fn a_copybook_of_which_nothing_is_used() {
    check_copied("COPY BOOK.\n01 A PIC X VALUE SPACE.", "DISPLAY A.\nGOBACK.", &["BOOK"]);
    check_copied("01 A PIC X VALUE SPACE.\nCOPY BOOK.", "DISPLAY A.\nGOBACK.", &["BOOK"]);
    check_copied("COPY BOOK.", "DISPLAY BOOK-ITEM.\nGOBACK.", &[]);
    check_copied("COPY OUTER.", "DISPLAY 'A'.\nGOBACK.", &["OUTER"]);
    // What a copybook copies is used with it.
    check_copied("COPY OUTER.", "DISPLAY BOOK-ITEM.\nGOBACK.", &[]);
    check_copied("COPY TABLE.", "DISPLAY 'A'.\nGOBACK.", &["TABLE"]);
    check_copied("COPY TABLE.", "SET T-IX TO 1.\nGOBACK.", &[]);
}

#[test]
fn a_copybook_that_declarations_use() {
    check_copied("COPY LIMITS.\n01 A PIC X(10).", "DISPLAY A.\nGOBACK.", &["LIMITS"]);
    for data in [
        "01 A PIC X OCCURS MOST.",
        "01 A PIC X OCCURS 1 TO MOST DEPENDING ON B.\n01 B PIC 9.",
        "01 A PIC X(WIDTH).",
        "01 A PIC S9(width)V99.",
        "01 A PIC 99 VALUE MOST.",
        "01 A PIC 99.\n88 A-FULL VALUE MOST.",
        "01 A PIC 99.\n88 A-FULL VALUES 1 THRU MOST.",
        "78 A VALUE MOST.",
    ] {
        check_copied(&format!("COPY LIMITS.\n{data}"), "DISPLAY A.\nGOBACK.", &[]);
    }
    for data in [
        "01 A REDEFINES BOOK-RECORD PIC X.",
        "01 A PIC X OCCURS 1 TO 5 DEPENDING ON BOOK-ITEM.",
        "01 A LIKE BOOK-ITEM.",
        "01 A TYPE BOOK-RECORD.",
    ] {
        check_copied(&format!("COPY BOOK.\n{data}"), "DISPLAY A.\nGOBACK.", &[]);
    }
    // The own name of an item is no use.
    check_copied("COPY LIMITS.\n01 A.\n05 WIDTH PIC 9.", "DISPLAY A.\nGOBACK.", &["LIMITS"]);
}
