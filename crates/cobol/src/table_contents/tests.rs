use super::TableContents;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

/// Returns the tables of these entries of the WORKING-STORAGE SECTION: the name, the columns, and the entries.
fn tables(entries: &str) -> Vec<(String, Vec<String>, Vec<String>)> {
    let lines: String = entries.lines().map(|line| format!("       {}\n", line.trim())).collect();
    let code = format!("       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{lines}");
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    let mut found: Vec<_> = TableContents::of(&parsed).into_iter().collect();
    found.sort_by_key(|(item, _)| *item);
    let named = found.into_iter().map(|(item, contents)| {
        let rows = contents.rows.iter().map(|row| row.join("|")).collect();
        (parsed.data_items[item].name.clone(), contents.columns, rows)
    });
    named.collect()
}

#[test]
fn literals_are_read_back_as_the_items_of_each_entry() {
    let found = tables(
        "01 STATES.
         05 FILLER PIC X(12) VALUE 'AACTIVE  010'.
         05 FILLER PIC X(12) VALUE 'LLAPSED  205'.
         05 FILLER.
         10 FILLER PIC X VALUE 'O'.
         10 FILLER PIC X(8) VALUE 'O''CLOCK'.
         10 FILLER PIC 9(3) VALUE 7.
         01 STATE-TABLE REDEFINES STATES.
         05 STATE-ENTRY OCCURS 3 INDEXED BY IX.
         10 STATE-CODE PIC X.
         88 IS-ACTIVE VALUE 'A'.
         10 STATE-NAME PIC X(8).
         10 STATE-RATE PIC 9V99.",
    );
    let columns = ["STATE-CODE", "STATE-NAME", "STATE-RATE"].map(str::to_owned).to_vec();
    let rows = ["A|ACTIVE|0.10", "L|LAPSED|2.05", "O|O'CLOCK|0.07"].map(str::to_owned).to_vec();
    assert_eq!(found, [("STATE-ENTRY".to_owned(), columns, rows)]);
}

#[test]
fn a_table_of_single_items_and_one_with_inner_occurrences() {
    let found = tables(
        "01 A.
         05 DAYS PIC X(6) VALUE 'MOTUWE'.
         05 DAY-TABLE REDEFINES DAYS.
         10 A-DAY PIC XX OCCURS 3.
         05 GRID PIC X(8) VALUE '1A2B3C4D'.
         05 GRID-ROWS REDEFINES GRID.
         10 GRID-ROW OCCURS 2.
         15 GRID-CELL PIC XX OCCURS 2.",
    );
    assert_eq!(found[0].1, ["A-DAY"]);
    assert_eq!(found[0].2, ["MO", "TU", "WE"]);
    assert_eq!(found[1].1, ["GRID-CELL (1)", "GRID-CELL (2)"]);
    assert_eq!(found[1].2, ["1A|2B", "3C|4D"]);
    assert_eq!(found.len(), 2);
}

#[test]
fn what_is_not_known_completely_is_left_out() {
    let is_left_out = |entries: &str| assert_eq!(tables(entries), [], "{entries}");
    // A byte that no VALUE sets.
    is_left_out("01 A.\n05 FILLER PIC XX VALUE 'AB'.\n05 FILLER PIC XX.\n01 B REDEFINES A.\n05 C PIC XX OCCURS 2.");
    // Packed items are no text.
    is_left_out("01 A PIC X(4) VALUE 'ABCD'.\n01 B REDEFINES A.\n05 C PIC S9(3) COMP-3 OCCURS 2.");
    // A table that is longer than what it redefines.
    is_left_out("01 A PIC X(4) VALUE 'ABCD'.\n01 B REDEFINES A.\n05 C PIC XX OCCURS 3.");
    // A buffer that is only cleared, and numbers with a sign.
    is_left_out("01 A PIC X(4) VALUE SPACES.\n01 B REDEFINES A.\n05 C PIC X OCCURS 4.");
    is_left_out("01 A PIC X(4) VALUE '1234'.\n01 B REDEFINES A.\n05 C PIC S99 OCCURS 2.");
    // Nothing is redefined.
    is_left_out("01 B.\n05 C PIC XX OCCURS 3 VALUE 'AB'.");
    is_left_out("01 B REDEFINES NOWHERE.\n05 C PIC XX OCCURS 3.");
}

#[test]
fn several_items_may_redefine_the_same_one() {
    let found = tables(
        "01 A PIC X(4) VALUE 'ABCD'.\n01 B REDEFINES A.\n05 C PIC XX OCCURS 2.\n01 D REDEFINES B.\n05 E PIC X OCCURS 4.",
    );
    let entries: Vec<&[String]> = found.iter().map(|(_, _, rows)| rows.as_slice()).collect();
    assert_eq!(entries, [&["AB", "CD"].map(str::to_owned)[..], &["A", "B", "C", "D"].map(str::to_owned)[..]]);
}
