//! COBOL programs of a size that is asked for.

use std::fmt::Write;

/// A program of six lines.
pub(crate) fn small(name: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n       0000-{name}.\n           \
         CALL 'SUB{name}'.\n           GOBACK.\n"
    )
}

/// A program of so many paragraphs, with items to be found in each.
pub(crate) fn wide(name: &str, paragraphs: usize) -> String {
    let mut text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       \
         01  WS-STATUS PIC X(2).\n       01  WS-TOTAL PIC 9(7).\n       PROCEDURE DIVISION.\n"
    );
    for number in 0..paragraphs {
        write!(
            text,
            "       {number:04}-STEP.\n           IF WS-TOTAL > {number}\n               MOVE {number} TO WS-TOTAL\n           \
             END-IF.\n           CALL 'SUB{number:04}' USING WS-STATUS.\n"
        )
        .unwrap();
    }
    text
}

/// A program of so many paragraphs with little to be said of each: its prompt is long and its answer short.
pub(crate) fn long(name: &str, paragraphs: usize) -> String {
    let mut text = wide(name, 0);
    for number in 0..paragraphs {
        write!(text, "       {number:04}-STEP.\n           CALL 'SUB{number:04}' USING WS-STATUS.\n").unwrap();
        for row in 0..30 {
            writeln!(text, "           ADD {row} TO WS-TOTAL.").unwrap();
        }
    }
    text
}
