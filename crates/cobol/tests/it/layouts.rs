//! Offsets and lengths held against those of GnuCOBOL: a program is made that writes them.

use crate::cobc::Workplace;
use crate::support::{data, fixed};
use std::collections::HashMap;
use std::fmt::Write;
use war_rig_cobol::{DataItem, ParseOptions, ParsedCobol, PointerSize};

/// Holds all named items of these entries against GnuCOBOL, but for those of which it is said why they differ.
fn check(name: &str, entries: &str, different: &[&str]) {
    let options = ParseOptions { pointer_bytes: PointerSize::Eight };
    let parsed = data(entries, &options);
    let named = parsed.data_items.iter().enumerate();
    let named: Vec<(usize, &DataItem)> = named.filter(|(at, _)| can_be_named(&parsed, *at)).collect();
    for (at, item) in &named {
        assert!(item.length.is_some() && item.offset.is_some(), "{at} {}", item.name);
    }
    let Some(workplace) = Workplace::of(&format!("layout-{name}")) else { return };
    workplace.write("T.cbl", &fixed(&writer(&parsed, &named, entries)));
    workplace.run("cobc", &["-x", "-std=ibm", "-w", "T.cbl"]).unwrap_or_else(|said| panic!("{said}\n{entries}"));
    let written = workplace.run("./T", &[]).unwrap();
    let by_cobc: HashMap<usize, (u64, u64)> = written
        .lines()
        .map(|line| {
            let mut numbers = line.split(' ').map(|number| number.parse::<u64>().unwrap());
            (numbers.next().unwrap() as usize, (numbers.next().unwrap(), numbers.next().unwrap()))
        })
        .collect();
    let mut wrong = String::new();
    let mut found_different = Vec::new();
    for (at, item) in named {
        let ours = (item.offset.unwrap(), item.length.unwrap());
        if by_cobc[&at] != ours {
            found_different.push(item.name.as_str());
            writeln!(wrong, "{}: {ours:?}, GnuCOBOL {:?}", item.name, by_cobc[&at]).unwrap();
        }
    }
    assert_eq!(found_different, different, "\n{wrong}{entries}");
}

fn can_be_named(parsed: &ParsedCobol, at: usize) -> bool {
    let item = &parsed.data_items[at];
    let twice = parsed.data_items.iter().filter(|other| other.name == item.name).count() > 1;
    item.name != "FILLER"
        && !twice
        && !matches!(item.level, 78 | 88)
        && parsed.data_items[record(parsed, at)].name != "FILLER"
}

fn record(parsed: &ParsedCobol, at: usize) -> usize {
    parsed.data_items[at].parent.map_or(at, |parent| record(parsed, parent))
}

fn depth(parsed: &ParsedCobol, at: usize) -> usize {
    let item = &parsed.data_items[at];
    let above = item.parent.filter(|_| item.level != 66).map_or(0, |parent| depth(parsed, parent));
    above + usize::from(item.occurs.is_some())
}

/// A program with these entries that writes number, offset and length of each item. Tables are at their largest, and of their items
/// the first is written.
fn writer(parsed: &ParsedCobol, items: &[(usize, &DataItem)], entries: &str) -> String {
    let mut code = format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  W-P POINTER.\n01  W-N REDEFINES W-P BINARY-DOUBLE UNSIGNED.\n01  W-B BINARY-DOUBLE UNSIGNED.\n01  W-A PIC 9(9).\n01  W-L PIC 9(9).\n{entries}\nPROCEDURE DIVISION.\n",
    );
    for item in &parsed.data_items {
        if let (Some(most), Some(depending_on)) = (item.occurs, &item.depending_on) {
            writeln!(code, "    MOVE {most} TO {depending_on}.").unwrap();
        }
    }
    for (at, item) in items {
        let record = &parsed.data_items[record(parsed, *at)].name;
        let subscripts = vec!["1"; depth(parsed, *at)].join(" ");
        let subscripts = if subscripts.is_empty() { subscripts } else { format!(" ({subscripts})") };
        let name = format!("{}{subscripts}", item.name);
        write!(
            code,
            "    SET W-P TO ADDRESS OF {record}.\n    MOVE W-N TO W-B.\n    SET W-P TO ADDRESS OF\n        {name}.\n    SUBTRACT W-B FROM W-N GIVING W-A.\n    MOVE LENGTH OF\n        {name} TO W-L.\n    DISPLAY '{at} ' W-A ' ' W-L.\n",
        )
        .unwrap();
    }
    code + "    STOP RUN."
}

#[test]
fn usages() {
    let pictures =
        ["9(3)", "9(4)", "S9(4)", "9(5)", "S9(9)", "9(10)", "S9(18)", "9(5)V99", "S9V9(3)", "SVP(3)9(4)", "9(3)P(4)"];
    let usages = ["", "DISPLAY", "COMP", "BINARY", "COMP-4", "COMP-5", "COMP-3", "PACKED-DECIMAL", "COMP-6", "COMP-X"];
    let mut entries = String::new();
    for (number, usage) in usages.iter().enumerate() {
        writeln!(entries, "01  R{number}.").unwrap();
        for (of, picture) in pictures.iter().enumerate() {
            let signed_in_vain = *usage == "COMP-6" && picture.starts_with('S');
            if !signed_in_vain {
                writeln!(entries, "    05  A{number}-{of} PIC {picture} {usage}.").unwrap();
            }
        }
    }
    check("usages", entries.trim_end(), &[]);
    let others = [
        "COMP-1",
        "COMP-2",
        "INDEX",
        "POINTER",
        "PROCEDURE-POINTER",
        "BINARY-CHAR",
        "BINARY-CHAR UNSIGNED",
        "BINARY-SHORT",
        "BINARY-SHORT SIGNED",
        "BINARY-LONG",
        "BINARY-LONG UNSIGNED",
        "BINARY-DOUBLE",
        "BINARY-DOUBLE UNSIGNED",
        "FLOAT-SHORT",
        "FLOAT-LONG",
        "SIGNED-INT",
        "UNSIGNED-SHORT",
        "SIGNED-LONG",
    ];
    let mut entries = String::from("01  R.\n");
    for (number, usage) in others.iter().enumerate() {
        writeln!(entries, "    05  B{number} USAGE {usage}.\n    05  C{number} PIC X.").unwrap();
    }
    check("usages-without-picture", entries.trim_end(), &[]);
    // IBM's COMP-5 has two bytes at least.
    check("native", "01  A PIC 9 COMP-5.\n01  B PIC 99 COMP-5.\n01  C PIC 9(3) COMP-5.", &["A", "B"]);
    check("national", "01  R.\n    05  A PIC N(5).\n    05  B PIC N(3) USAGE NATIONAL.\n    05  C PIC X.", &[]);
    check(
        "groups-with-usage",
        "01  R COMP-3.\n    05  A PIC 9(5).\n    05  B COMP.\n        10  C PIC 9(5).\n        10  D PIC S9(9) DISPLAY.\n    05  E PIC X(3) DISPLAY.\n    05  F USAGE INDEX.\n        10  G.\n        10  H OCCURS 3.\n77  S PIC 9(5) COMP.\n77  T COMP-2.",
        &[],
    );
}

#[test]
fn signs() {
    check(
        "signs",
        "01  R.\n    05  A PIC S9(3).\n    05  B PIC S9(3) SIGN LEADING.\n    05  C PIC S9(3) SIGN IS LEADING SEPARATE.\n    05  D PIC S9(3) TRAILING SEPARATE CHARACTER.\n    05  E SIGN TRAILING SEPARATE.\n        10  F PIC S9(3).\n        10  G PIC 9(3).\n        10  H PIC S9(3) LEADING.\n        10  I PIC S9(5) COMP-3.\n        10  J.\n            15  K PIC S9 OCCURS 4.\n            15  L PIC S9(3)V9 BINARY.\n    05  M PIC X.\n01  N SIGN IS LEADING SEPARATE CHARACTER PIC S9(5).",
        &[],
    );
}

#[test]
fn pictures() {
    let pictures = [
        "X(10)", "XX(3)X", "A(4)", "X(3)B0X", "99/99/9999", "ZZZ,ZZ9.99", "ZZ9.99-", "+9(3)", "-(4)9", "9(3)-",
        "$$,$$9.99CR", "Z(3)9.99DB", "$(4)9", "*(5)9.9", "9(3)BB0", "SPP99", "99PP", "SV9(3)", "9(3)V9(2)", "Z(3)PP",
        "PP9(2)", "X", "9(18)",
    ];
    let mut entries = String::from("01  R.\n");
    for (number, picture) in pictures.iter().enumerate() {
        writeln!(entries, "    05  A{number} PIC {picture}.").unwrap();
    }
    check("pictures", entries.trim_end(), &[]);
    check(
        "clauses",
        "01  R.\n    05  A PIC 9(4) BLANK WHEN ZERO.\n    05  B PIC X(5) JUSTIFIED RIGHT.\n    05  C PIC Z(4)9 BLANK ZERO.\n    05  D PIC X(3) VALUE 'ABC'.\n        88  D1 VALUE 'ABC' 'DEF'.\n        88  D2 VALUES ARE 'A' THRU 'B'.\n    05  FILLER PIC X(3).\n    05  PIC X.\n    05  E PIC X.\n77  F PIC S9(4) COMP VALUE -1.\n    88  F1 VALUE 1.\n77  G PIC X.",
        &[],
    );
}

#[test]
fn tables() {
    check(
        "tables",
        "01  R.\n    05  A PIC X(3) OCCURS 4.\n    05  B OCCURS 3 TIMES INDEXED BY I.\n        10  C PIC 9(3) COMP-3.\n        10  D OCCURS 5 TIMES ASCENDING KEY IS E INDEXED BY J.\n            15  E PIC X.\n            15  F PIC S9(4) COMP OCCURS 2.\n        10  G PIC X.\n    05  H PIC X.",
        &[],
    );
    check(
        "depending",
        "01  N PIC 9(4).\n01  R.\n    05  A PIC X(3).\n    05  B PIC X(2) OCCURS 1 TO 7 DEPENDING ON N.\n01  S.\n    05  C OCCURS 0 TO 10 TIMES DEPENDING ON K.\n        10  D PIC X(5).\n        10  E PIC 9(3) COMP OCCURS 3.\n01  M PIC 9(4) COMP.\n01  K PIC 99.\n01  T.\n    05  F OCCURS 1 TO 3 DEPENDING ON M.\n        10  G PIC X(4).\n    05  H PIC X.",
        &[],
    );
}

#[test]
fn redefinitions_and_renames() {
    check(
        "redefines",
        "01  R.\n    05  A PIC X(10).\n    05  B REDEFINES A PIC X(4).\n    05  C REDEFINES A.\n        10  D PIC 9(5) COMP.\n        10  E PIC X(2).\n    05  F PIC X(3).\n    05  G.\n        10  H PIC X(4).\n        10  I REDEFINES H PIC 9(7) COMP-3.\n        10  J PIC X.\n    05  K REDEFINES G.\n        10  L PIC X OCCURS 5.\n    05  M REDEFINES G OCCURS 2.\n        10  N PIC 9(2).\n    05  O PIC X.\n01  P REDEFINES R.\n    05  Q PIC X(20).\n    05  S PIC X.\n01  T REDEFINES R PIC X(5).",
        &[],
    );
    // What is larger than what it redefines makes its group larger.
    check(
        "larger",
        "01  R.\n    05  A PIC X(2).\n    05  B REDEFINES A PIC X(5).\n    05  C PIC X.\n    05  D.\n        10  E PIC X.\n        10  F REDEFINES E PIC X(3).\n    05  G PIC X.",
        &[],
    );
    check(
        "renames",
        "01  R.\n    05  A PIC X(3).\n    05  B.\n        10  C PIC X(2).\n        10  D PIC 9(4) COMP.\n    05  E PIC X(5).\n66  F RENAMES A.\n66  G RENAMES A THRU D.\n66  H RENAMES C THROUGH E.\n66  I RENAMES B.\n01  S.\n    05  J PIC X.",
        &[],
    );
}

#[test]
fn slack() {
    check(
        "slack",
        "01  R.\n    05  A PIC X.\n    05  B PIC S9(4) COMP SYNC.\n    05  C PIC X.\n    05  D PIC S9(9) COMP SYNCHRONIZED.\n    05  E PIC X.\n    05  F COMP-1 SYNC.\n    05  G PIC X.\n    05  H COMP-2 SYNC.\n    05  I PIC X.\n    05  J INDEX SYNC.\n    05  K PIC X.\n    05  L PIC 9(5) COMP-3 SYNC.\n    05  M PIC 9(3) SYNC.\n    05  N PIC X.\n    05  O POINTER SYNC.\n    05  P PIC X.",
        &[],
    );
    check(
        "slack-of-tables",
        "01  R.\n    05  A PIC X.\n    05  B OCCURS 3.\n        10  Z PIC X.\n        10  C PIC S9(9) COMP SYNC.\n        10  D PIC X.\n    05  E PIC X.\n    05  F OCCURS 2.\n        10  G PIC X.\n        10  H PIC S9(4) COMP SYNC.\n        10  I PIC X(2).\n    05  J PIC X.\n    05  K PIC S9(4) COMP SYNC OCCURS 3.\n    05  L PIC X.",
        &[],
    );
    check(
        "slack-of-redefinitions",
        "01  R.\n    05  A PIC X(3).\n    05  B REDEFINES A.\n        10  C PIC X.\n        10  D PIC S9(4) COMP SYNC.\n    05  E PIC X.\n    05  F PIC S9(4) COMP SYNC RIGHT.",
        &[],
    );
}

/// What the IBM Enterprise COBOL Language Reference says, and GnuCOBOL 3.1 does otherwise.
#[test]
fn slack_as_ibm_has_it() {
    // Binary of eight bytes stands on a fullword.
    check(
        "slack-of-eight",
        "01  R.\n    05  A PIC X.\n    05  B PIC S9(18) COMP SYNC.\n    05  C PIC X.",
        &["R", "B", "C"],
    );
    // SYNC of a group is that of all its items.
    check(
        "slack-of-groups",
        "01  R SYNC.\n    05  A PIC X.\n    05  B PIC S9(9) COMP.\n    05  C PIC X.\n    05  E PIC S9(4) COMP.",
        &["R", "B", "C", "E"],
    );
    // Slack before the first item of a group stands before the group.
    check(
        "slack-of-first",
        "01  R.\n    05  A PIC X.\n    05  B.\n        10  C.\n            15  D PIC S9(9) COMP SYNC.\n            15  E PIC X.\n        10  F PIC S9(4) COMP SYNC.\n    05  G PIC X.\n    05  I PIC X.",
        &["B", "C"],
    );
}
