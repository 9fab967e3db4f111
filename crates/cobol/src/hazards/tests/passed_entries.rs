//! Entries of tables that a search has passed.

use super::{found, name};
use crate::hazards::HazardKind::{self, PassedEntry};

const DATA: &str = "01 K PIC X(4).\n01 N PIC 99 VALUE 0.\n01 SW PIC X VALUE 'N'.\n88 HIT VALUE 'Y'.\n01 S PIC 99.\n\
                    01 T.\n05 E OCCURS 20 INDEXED BY X.\n10 EK PIC X(4).\n10 EV PIC 9(4).";

const SEARCH: &str = "MOVE 'N' TO SW.\nPERFORM LOOK VARYING X FROM 1 BY 1\nUNTIL X > N OR HIT.\n";

/// Returns what is told as passed: of these statements, and these paragraphs behind them.
fn passed(statements: &str, paragraphs: &str) -> Vec<HazardKind> {
    let look = "LOOK.\nIF EK (X) = K\nMOVE 'Y' TO SW.";
    let text = format!("ACCEPT K.\nACCEPT N.\n{statements}\nDISPLAY T S.\nGOBACK.\n{look}\n{paragraphs}");
    found("", DATA, &text).into_iter().filter(|kind| matches!(kind, PassedEntry { .. })).collect()
}

#[test]
fn an_entry_behind_the_one_that_a_search_found() {
    let [PassedEntry { entry, counter, is_found, .. }] = &passed(&format!("{SEARCH}IF HIT\nADD 1 TO EV (X)."), "")[..]
    else {
        panic!("one is passed");
    };
    assert_eq!((entry, counter, is_found), (&name("EV (X)"), &name("X"), &name("HIT")));
    let count = |behind: &str| passed(&format!("{SEARCH}{behind}"), "").len();
    assert_eq!(count("DISPLAY EV (X)."), 1);
    // Where nothing was found, the next entry is meant; and what is set there is not what is behind it.
    assert_eq!(count("IF NOT HIT\nADD 1 TO N\nMOVE K TO EK (X)."), 0);
    let added = "IF NOT HIT\nIF N < 20\nADD 1 TO N\nSET X TO N\nMOVE K TO EK (X)\nMOVE 'Y' TO SW.\n";
    assert_eq!(count(&format!("{added}IF HIT\nADD 1 TO EV (X).")), 1);
    // Something brings it back, or the entry before is named.
    assert_eq!(count("SET X DOWN BY 1.\nADD 1 TO EV (X)."), 0);
    assert_eq!(count("IF HIT\nSET X DOWN BY 1\nADD 1 TO EV (X)."), 0);
    assert_eq!(count("IF HIT\nADD 1 TO EV (X - 1)."), 0);
    assert_eq!(count("PERFORM BACK.\nADD 1 TO EV (X).\nBACK.\nSET X DOWN BY 1."), 0);
}

#[test]
fn a_search_that_asks_before_it_counts_passes_nothing() {
    let count = |search: &str| passed(&format!("{search}IF HIT\nADD 1 TO EV (X)."), "").len();
    assert_eq!(count(SEARCH), 1);
    assert_eq!(count("PERFORM LOOK WITH TEST AFTER\nVARYING X FROM 1 BY 1 UNTIL X > N OR HIT.\n"), 0);
    assert_eq!(count("PERFORM VARYING X FROM 1 BY 1\nUNTIL X > N OR EK (X) = K\nCONTINUE\nEND-PERFORM.\n"), 0);
    let inline = |found: &str| {
        format!("PERFORM VARYING X FROM 1 BY 1\nUNTIL X > N OR HIT\nIF EK (X) = K\n{found}\nEND-IF\nEND-PERFORM.\n")
    };
    assert_eq!(count(&inline("SET HIT TO TRUE")), 1);
    assert_eq!(count(&inline("SET HIT TO TRUE\nEXIT PERFORM")), 0);
    assert_eq!(count(&inline("SET HIT TO TRUE\nSET X DOWN BY 1")), 0);
    // The switch says nothing of an entry.
    assert_eq!(count("PERFORM VARYING X FROM 1 BY 1\nUNTIL X > N OR HIT\nACCEPT SW\nEND-PERFORM.\n"), 0);
}

#[test]
fn an_entry_that_another_paragraph_takes_for_the_one_found() {
    let count = |paragraphs: &str| passed("PERFORM FIND.\nPERFORM TAKE.", paragraphs).len();
    let find = format!("FIND.\n{SEARCH}");
    let take = "TAKE.\nIF HIT AND EV (X) > 5\nDISPLAY K.\n";
    assert_eq!(count(&format!("{find}{take}")), 1);
    assert_eq!(count(&format!("{find}TAKE.\nDISPLAY EV (X).")), 1);
    // What else sets the subscript may come between, unless the switch is asked; a place that was kept is brought back.
    let fill = "FILL.\nADD 1 TO N.\nSET X TO N.\nMOVE K TO EK (X).\n";
    assert_eq!(count(&format!("{find}{fill}TAKE.\nDISPLAY EV (X).")), 0);
    assert_eq!(count(&format!("{find}{fill}{take}")), 1);
    assert_eq!(count(&format!("{find}KEEP.\nSET S TO X.\nSET X TO S.\n{take}")), 0);
    assert_eq!(count(&format!("{find}LAST.\nSET X DOWN BY 1.\n{take}")), 0);
}
