//! Data items: where each stands in its record and how long it is, and what else its entry says.
//!
//! The lengths are those that cobc 3.1 gives, and where IBM differs (slack bytes, pointers) those of the IBM Language Reference.

use crate::support::{data, fixed, read, read_with};
use std::fmt::Write;
use war_rig_cobol::{DataItem, ParseOptions, ParsedCobol, PointerSize};

/// Every item that takes storage as `NAME offset+length`, with `?` for what is not known, `*` and the count behind tables.
fn layout(parsed: &ParsedCobol) -> String {
    let number = |value: Option<u64>| value.map_or("?".to_owned(), |value| value.to_string());
    let stored = parsed.data_items.iter().filter(|item| !matches!(item.level, 78 | 88));
    stored.fold(String::new(), |mut text, item| {
        let separator = if text.is_empty() { "" } else { ", " };
        let occurs = item.occurs.map(|occurs| format!("*{occurs}")).unwrap_or_default();
        write!(text, "{separator}{} {}+{}{occurs}", item.name, number(item.offset), number(item.length)).unwrap();
        text
    })
}

fn check(entries: &str, expected: &str) {
    assert_eq!(layout(&data(entries, &ParseOptions::default())), expected, "\n{entries}");
}

fn item<'p>(parsed: &'p ParsedCobol, name: &str) -> &'p DataItem {
    parsed.data_items.iter().find(|item| item.name == name).unwrap()
}

#[test]
fn usages() {
    check(
        "01  R.\n    05  A PIC S9(7)V99 COMP-3.\n    05  B PIC 9(4) COMP.\n    05  C PIC S9(5) BINARY.\n    05  D PIC 9(18) COMP-5.\n    05  E COMP-1.\n    05  F COMP-2.\n    05  G USAGE IS INDEX.\n    05  H PIC N(5).\n    05  I PIC G(3) USAGE DISPLAY-1.\n    05  J PIC 9(3) USAGE NATIONAL.\n    05  K PIC X(7).",
        "R 0+64, A 0+5, B 5+2, C 7+4, D 11+8, E 19+4, F 23+8, G 31+4, H 35+10, I 45+6, J 51+6, K 57+7",
    );
    check(
        "01  R.\n    05  A PIC 9(5) COMP-X.\n    05  B PIC X(3) COMP-X.\n    05  C PIC 9(5) COMP-6.\n    05  D PIC 9(9) COMP-N.\n    05  E BINARY-CHAR UNSIGNED.\n    05  F BINARY-SHORT.\n    05  G BINARY-LONG SIGNED.\n    05  H USAGE BINARY-DOUBLE.\n    05  I FLOAT-SHORT.\n    05  J FLOAT-LONG.\n    05  K FLOAT-EXTENDED.\n    05  L FLOAT-DECIMAL-16.\n    05  M FLOAT-DECIMAL-34.\n    05  N PIC 1(9) USAGE BIT.\n    05  O PIC U(4).",
        "R 0+98, A 0+3, B 3+3, C 6+3, D 9+4, E 13+1, F 14+2, G 16+4, H 20+8, I 28+4, J 32+8, K 40+16, L 56+8, M 64+16, N 80+2, O 82+16",
    );
}

#[test]
fn pictures() {
    check(
        "01  R.\n    05  A PIC $$,$$9.99CR.\n    05  B PIC ZZ9.99-.\n    05  C PIC 99/99/9999.\n    05  D PIC X(3)B0X.\n    05  E PIC +9.9(5)E+99.\n    05  F PIC SVPP9(3).\n    05  G PIC 9(3)PP COMP-3.\n    05  H PIC NNB/N.\n    05  I PIC A(4)9.\n    05  J PIC IS ***9DB.\n    05  K PIC 1(3).\n    05  L PIC X( 4 ).",
        "R 0+79, A 0+11, B 11+7, C 18+10, D 28+6, E 34+12, F 46+3, G 49+2, H 51+10, I 61+5, J 66+6, K 72+3, L 75+4",
    );
}

#[test]
fn a_currency_sign_may_be_longer_than_its_symbol() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n    CURRENCY SIGN IS 'EUR ' WITH PICTURE SYMBOL 'E'\n    CURRENCY '#'.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  A PIC EEE,EE9.99.\n01  B PIC ##9.",
    ));
    assert_eq!(layout(&parsed), "A 0+13, B 0+3");
}

#[test]
fn a_decimal_comma_belongs_to_its_picture_and_to_its_number() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n    DECIMAL-POINT IS COMMA.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  R.\n    05  A PIC 9(3),99 VALUE 12,5.\n    05  B PIC Z.ZZ9,99-.\n    05  C PIC 9V9, OCCURS 2.\n    05  D PIC 9 VALUE -,5, SYNC.\nPROCEDURE DIVISION.\n    ADD 1,5 TO A. MOVE B TO T(1,2).",
    ));
    assert_eq!(layout(&parsed), "R 0+20, A 0+6, B 6+9, C 15+2*2, D 19+1");
    assert_eq!(item(&parsed, "A").value.as_deref(), Some("12,5"));
    assert_eq!(item(&parsed, "D").value.as_deref(), Some("-,5"));
    assert_eq!(parsed.words(&parsed.statements[0]).text(), "ADD 1,5 TO A");
    let point = read(&fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    MOVE 1,5 TO T(1,2)."));
    assert_eq!(point.words(&point.statements[0]).text(), "MOVE 1 5 TO T(1 2)");
}

#[test]
fn signs() {
    check(
        "01  A SIGN IS LEADING SEPARATE CHARACTER.\n    05  B PIC S9(4).\n    05  C PIC 9(4).\n    05  D PIC S9(4) COMP.\n    05  E SIGN TRAILING.\n        10  F PIC S9(4).\n    05  G PIC S9(4) TRAILING SEPARATE.\n01  H TRAILING SEPARATE DISPLAY.\n    05  I PIC S9V999 VALUE -9.642.\n    05  J PIC SPP9.\n01  K PIC S9(3) USAGE NATIONAL SIGN LEADING SEPARATE.",
        "A 0+20, B 0+5, C 5+4, D 9+2, E 11+4, F 11+4, G 15+5, H 0+7, I 0+5, J 5+2, K 0+8",
    );
    let parsed = data("01  A SIGN LEADING SEPARATE.\n    05  B PIC S9.\n    05  C PIC 9.", &ParseOptions::default());
    assert!(item(&parsed, "B").sign.is_separate() && !item(&parsed, "C").sign.is_separate());
    let clauses = |text: &str| {
        let parsed = data(text, &ParseOptions::default());
        item(&parsed, "B").clauses().map(|clause| clause.into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(clauses("01  A LEADING SEPARATE.\n    05  B PIC S9."), ["SIGN LEADING SEPARATE"]);
    assert_eq!(clauses("01  A LEADING SEPARATE.\n    05  B PIC S9 TRAILING."), [""; 0]);
    assert_eq!(clauses("01  B PIC S9 SIGN IS LEADING."), ["SIGN LEADING"]);
    assert_eq!(clauses("01  B PIC S9 TRAILING SEPARATE."), ["SIGN TRAILING SEPARATE"]);
}

#[test]
fn groups_hand_their_usage_down() {
    check(
        "01  A COMP-3.\n    05  B PIC 9(5).\n    05  C.\n        10  D PIC 9(7).\n    05  E PIC 9(4) BINARY.\n01  F GROUP-USAGE NATIONAL.\n    05  G PIC N(2).\n    05  H PIC 9(2).\n01  I INDEX.\n    05  J.\n    05  K.",
        "A 0+9, B 0+3, C 3+4, D 3+4, E 7+2, F 0+8, G 0+4, H 4+4, I 0+8, J 0+4, K 4+4",
    );
}

#[test]
fn pointers_have_the_bytes_of_the_addressing_mode() {
    let entries = "01  R.\n    05  A POINTER.\n    05  B PROCEDURE-POINTER.\n    05  C FUNCTION-POINTER.\n    05  D OBJECT REFERENCE CUSTOMER.\n    05  E POINTER-32.\n    05  F INDEX.\n    05  G PIC X.";
    check(entries, "R 0+29, A 0+4, B 4+8, C 12+4, D 16+4, E 20+4, F 24+4, G 28+1");
    let wide = ParseOptions { pointer_bytes: PointerSize::Eight };
    assert_eq!(layout(&data(entries, &wide)), "R 0+41, A 0+8, B 8+8, C 16+8, D 24+8, E 32+4, F 36+4, G 40+1");
}

#[test]
fn slack_bytes_within_records() {
    check(
        "01  FIELD-A.\n    05  FIELD-B PIC X(5).\n    05  FIELD-C.\n        10  FIELD-D PIC XX.\n        10  FIELD-E PIC S9(6) COMP SYNC.\n01  FIELD-L.\n    05  FIELD-M PIC X(5).\n    05  FIELD-N PIC XX.\n    05  FIELD-O.\n        10  FIELD-P PIC S9(6) COMP SYNC.",
        "FIELD-A 0+12, FIELD-B 0+5, FIELD-C 5+7, FIELD-D 5+2, FIELD-E 8+4, FIELD-L 0+12, FIELD-M 0+5, FIELD-N 5+2, FIELD-O 8+4, FIELD-P 8+4",
    );
    check(
        "01  COMP-RECORD.\n    05  A-1 PIC X(5).\n    05  A-2 PIC X(3).\n    05  A-3 PIC X(3).\n    05  B-1 PIC S9999 COMP SYNC.\n    05  B-2 PIC S99999 COMP SYNCHRONIZED.\n    05  B-3 PIC S9999 COMP SYNC.",
        "COMP-RECORD 0+22, A-1 0+5, A-2 5+3, A-3 8+3, B-1 12+2, B-2 16+4, B-3 20+2",
    );
    // Binary of eight bytes stands on a fullword, COMP-2 on a doubleword; packed and zoned decimal stand anywhere.
    check(
        "01  R SYNC.\n    05  A PIC X(9).\n    05  B PIC S9(18) COMP.\n    05  C PIC X.\n    05  D COMP-2.\n    05  E PIC X.\n    05  F COMP-1.\n    05  G PIC X.\n    05  H POINTER.\n    05  I PIC X.\n    05  J PIC 9(5) COMP-3.\n    05  K PIC 9(5).",
        "R 0+57, A 0+9, B 12+8, C 20+1, D 24+8, E 32+1, F 36+4, G 40+1, H 44+4, I 48+1, J 49+3, K 52+5",
    );
}

#[test]
fn slack_bytes_between_occurrences() {
    check(
        "01  WORK-RECORD.\n    05  WORK-CODE PIC X.\n    05  COMP-TABLE OCCURS 10 TIMES.\n        10  COMP-TYPE PIC X.\n        10  COMP-PAY PIC S9(4)V99 COMP SYNC.\n        10  COMP-HRS PIC S9(3) COMP SYNC.\n        10  COMP-NAME PIC X(5).\n    05  TAIL PIC X.",
        "WORK-RECORD 0+162, WORK-CODE 0+1, COMP-TABLE 1+16*10, COMP-TYPE 1+1, COMP-PAY 4+4, COMP-HRS 8+2, COMP-NAME 10+5, TAIL 161+1",
    );
    // Where nothing is aligned nothing is added.
    check(
        "01  R.\n    05  T OCCURS 3.\n        10  A PIC X.\n        10  B PIC 9(4) COMP.",
        "R 0+9, T 0+3*3, A 0+1, B 1+2",
    );
}

#[test]
fn an_item_that_redefines_stands_where_the_other_stands() {
    check(
        "01  R.\n    05  A PIC X(4).\n    05  B REDEFINES A PIC 9(4).\n    05  C REDEFINES A.\n        10  D PIC XX.\n        10  E PIC X.\n    05  F PIC X(2).\n    05  G REDEFINES F PIC X(5).\n    05  H PIC X.\n01  I REDEFINES R PIC X(99).",
        "R 0+10, A 0+4, B 0+4, C 0+3, D 0+2, E 2+1, F 4+2, G 4+5, H 9+1, I 0+99",
    );
    // Of a redefinition, and of an item further back, as some compilers take it.
    check(
        "01  R.\n    05  A PIC X(4).\n    05  B REDEFINES A PIC 9(4).\n    05  C REDEFINES B PIC X(2).\n    05  D PIC X(3).\n    05  E REDEFINES A PIC X.\n    05  F PIC X.",
        "R 0+8, A 0+4, B 0+4, C 0+2, D 4+3, E 0+1, F 7+1",
    );
    // Nothing is moved up to a boundary: the redefined item stands on it, or it is an error.
    check(
        "01  R.\n    05  A PIC X(3).\n    05  B PIC X(5).\n    05  C REDEFINES B PIC S9(8) COMP SYNC.\n    05  D PIC X.",
        "R 0+9, A 0+3, B 3+5, C 3+4, D 8+1",
    );
}

#[test]
fn tables() {
    check(
        "01  R.\n    05  N PIC 99 COMP.\n    05  T OCCURS 1 TO 50 TIMES DEPENDING ON N OF R\n            ASCENDING KEY IS K1 K2 OF T DESCENDING K3\n            INDEXED BY IX, IY.\n        10  K1 PIC 9(4).\n        10  K2 PIC X.\n        10  K3 OCCURS 2 PIC X(3).\n        10  U OCCURS 3 TIMES INDEXED IZ PIC S9(3) COMP-3.",
        "R 0+852, N 0+2, T 2+17*50, K1 2+4, K2 6+1, K3 7+3*2, U 13+2*3",
    );
    let parsed = data(
        "01  R.\n    05  T OCCURS 1 TO 50 DEPENDING ON N ASCENDING KEY IS K1 K2\n        DESCENDING K3 INDEXED BY IX IY.\n        10  K1 PIC 9.",
        &ParseOptions::default(),
    );
    let found = item(&parsed, "T");
    let table = found.table.as_deref().unwrap();
    assert_eq!((table.min_occurs, found.occurs, found.depending_on.as_deref()), (1, Some(50), Some("N")));
    assert_eq!(table.indexed_by, ["IX", "IY"]);
    let keys: Vec<_> = table.keys.iter().map(|key| (key.is_ascending, key.name.as_str())).collect();
    assert_eq!(keys, [(true, "K1"), (true, "K2"), (false, "K3")]);
    // What an item may be told in no more bytes than there are stays a number.
    check(
        "01  R.\n    05  A OCCURS 4294967295.\n        10  B OCCURS 4294967295.\n            15  C OCCURS 4294967295 PIC X(4294967295).",
        "R 0+18446744073709551615, A 0+18446744073709551615*4294967295, B 0+18446744065119617025*4294967295, C 0+4294967295*4294967295",
    );
}

#[test]
fn counts_and_sizes_may_be_constants() {
    check(
        "78  MOST VALUE 12.\n01  SIZ CONSTANT AS 5.\n01  R.\n    05  T OCCURS MOST TIMES PIC X(SIZ).\n    05  U PIC X.",
        "SIZ ?+?, R 0+61, T 0+5*12, U 60+1",
    );
    check(
        "01  R.\n    05  T OCCURS GONE TIMES PIC X.\n    05  U PIC X(GONE).\n    05  V PIC X.",
        "R 0+?, T 0+1, U ?+?, V ?+1",
    );
}

#[test]
fn what_cannot_be_known_is_left_open() {
    check("01  EMPTY.\n01  R.\n    05  A PIC X.", "EMPTY 0+?, R 0+1, A 0+1");
    check(
        "01  R.\n    05  A PIC X ANY LENGTH.\n    05  B PIC X.\n01  S PIC X DYNAMIC LENGTH LIMIT IS 9.\n01  T.\n    05  U OCCURS 1 TO UNBOUNDED DEPENDING ON N PIC X(2).\n    05  V PIC X.",
        "R 0+?, A 0+?, B ?+1, S 0+?, T 0+?, U 0+2, V ?+1",
    );
    // A copybook that is missing in a record may hold anything; behind a record it begins another.
    check(
        "01  R.\n    05  A PIC X.\n    COPY GONE.\n    05  B.\n        10  C PIC X(3).\n        10  D PIC X.\n01  S.\n    COPY GONE.\n01  T.\n    05  U PIC X.\n    COPY GONE.\n01  V PIC X.",
        "R 0+?, A 0+1, B ?+4, C ?+3, D ?+1, S 0+?, T 0+1, U 0+1, V 0+1",
    );
}

#[test]
fn renames_take_the_range() {
    check(
        "01  R.\n    02  A.\n        03  B PIC XX.\n        03  C PIC XXX.\n    02  D PIC X(10).\n    02  E.\n        03  F PIC XXX OCCURS 2.\n        03  B PIC X.\n66  G RENAMES A THRU E.\n66  H RENAMES B THROUGH C.\n66  I RENAMES D.\n66  J RENAMES C THRU B IN E OF R.\n66  K RENAMES GONE THRU E.\n01  S PIC X.",
        "R 0+22, A 0+5, B 0+2, C 2+3, D 5+10, E 15+7, F 15+3*2, B 21+1, G 0+22, H 0+5, I 5+10, J 2+20, K ?+?, S 0+1",
    );
    let parsed = data("01  R.\n    02  A PIC X.\n    02  B PIC X.\n66  C RENAMES A THRU B.", &ParseOptions::default());
    let renamed = item(&parsed, "C");
    assert_eq!((renamed.redefines.as_deref(), renamed.renames_through.as_deref()), (Some("A"), Some("B")));
    assert_eq!(renamed.parent, Some(0));
}

#[test]
fn conditions_belong_to_the_item_above_them() {
    let parsed = data(
        "01  R.\n    05  MONTH PIC 99.\n        88  WINTER VALUES 12, 1 THRU 2.\n        88  LONG-MONTH VALUES ARE 1, 3, 5, 7,\n            8, 10, 12.\n        88  GONE VALUE IS 99 WHEN SET TO FALSE IS 0.\n    05  NEXT-ONE PIC X.\n        88  YES VALUE 'Y' 'y'.",
        &ParseOptions::default(),
    );
    let conditions: Vec<_> = parsed
        .data_items
        .iter()
        .filter(|item| item.level == 88)
        .map(|item| {
            let parent = item.parent.map(|parent| parsed.data_items[parent].name.as_str());
            let otherwise = item.false_value.as_deref().map(|value| format!(", else {value}")).unwrap_or_default();
            format!("{} of {}: {}{otherwise}", item.name, parent.unwrap(), item.value.as_deref().unwrap())
        })
        .collect();
    assert_eq!(
        conditions,
        [
            "WINTER of MONTH: 12 1 THRU 2",
            "LONG-MONTH of MONTH: 1 3 5 7 8 10 12",
            "GONE of MONTH: 99, else 0",
            "YES of NEXT-ONE: 'Y' 'y'",
        ]
    );
    assert_eq!(layout(&parsed), "R 0+3, MONTH 0+2, NEXT-ONE 2+1");
}

#[test]
fn an_entry_without_a_period_ends_before_the_next_level() {
    check("01  R.\n    05  A PIC X(3)\n    05  B PIC X\n    05  C PIC 9 VALUE 5.", "R 0+5, A 0+3, B 3+1, C 4+1");
}

#[test]
fn a_number_that_opens_a_line_within_a_clause_is_no_level() {
    let names = |text: &str| {
        let parsed = read(&fixed(&format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. P.\n{text}")));
        parsed.data_items.iter().map(|item| item.name.clone()).collect::<Vec<_>>()
    };
    let file = "DATA DIVISION.\nFILE SECTION.\nFD  F BLOCK\n    5\n    RECORDS RECORD\n    80\n    CHARACTERS LINAGE\n    66\n    LINES FOOTING\n    60\n    AT TOP\n    3\n    LINES BOTTOM";
    assert_eq!(names(&format!("{file}\n    2\n    LINES.\n01  R PIC X.")), ["R"]);
    assert_eq!(names(&format!("{file}\n    2\n    LINES\n01  R PIC X.")), ["R"], "without its period");
    let report = "DATA DIVISION.\nREPORT SECTION.\nRD  REP PAGE\n    60\n    LINES HEADING\n    1\n    FIRST DETAIL\n    5\n    LAST DETAIL\n    50\n    FOOTING\n    55.\n01  D TYPE IS DETAIL LINE\n    NUMBER\n    IS PLUS\n    1\n    NEXT GROUP\n    PLUS\n    2\n    .\n    02  COLUMN\n    1\n    SOURCE X PIC X.";
    assert_eq!(names(report), ["D", "FILLER"]);
}

#[test]
fn an_item_stands_on_the_line_of_its_name() {
    let parsed = data("01\n    R.  05\n    SPAC\n|-   ING PIC X. 05 PIC\n    X(3).", &ParseOptions::default());
    let places: Vec<_> = parsed
        .data_items
        .iter()
        .map(|item| format!("{} {} {}", item.name, item.line.unwrap(), item.lines.unwrap()))
        .collect();
    assert_eq!(places, ["R 5 4-5", "SPACING 6 5-7", "FILLER 7 7-8"]);
}

#[test]
fn words_that_some_compilers_reserve_are_names() {
    check(
        "01  R.\n    05  HANDLE PIC X.\n    05  OBJECT PIC X(2).\n    05  BIT PIC 9.\n    05  COL PIC X.\n    05  LINE PIC X.\n    05  POINTER.\n    05  PIC X.",
        "R 0+11, HANDLE 0+1, OBJECT 1+2, BIT 3+1, COL 4+1, LINE 5+1, FILLER 6+4, FILLER 10+1",
    );
}

#[test]
fn places_on_paper_are_no_offsets() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nDATA DIVISION.\nREPORT SECTION.\nRD  SALES.\n01  TYPE PAGE HEADING.\n    02  LINE 1.\n        03  COLUMN 5 PIC X(10) VALUE 'SALES'.\n        03  COLUMN 30 PIC Z9 SOURCE PAGE-COUNTER.\nWORKING-STORAGE SECTION.\n01  A PIC X.",
    ));
    assert_eq!(layout(&parsed), "FILLER ?+?, FILLER ?+?, FILLER ?+10, FILLER ?+2, A 0+1");
}

#[test]
fn a_field_of_a_screen_says_where_it_stands_and_what_it_shows_and_takes() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  W.\n    05  A PIC X OCCURS 3.\n    05  B PIC X.\nSCREEN SECTION.\n01  S BLANK SCREEN.\n    05  LINE 1 COL 10 PIC X FROM A(2) HIGHLIGHT.\n    05  F LINE NUMBER IS PLUS 1 COLUMN + 2 PIC X TO b OF w.\n    05  USING B LINE ROW.\n    05  LINE 5 VALUE 'NAME:'.\n    05  FROM 'X'.",
    ));
    let clauses = |name: &str| {
        let found =
            parsed.data_items.iter().filter(|item| item.name == name && item.section.as_deref() == Some("SCREEN"));
        found.map(|item| item.clauses().collect::<Vec<_>>().join(", ")).collect::<Vec<_>>()
    };
    assert_eq!(clauses("S"), [""]);
    assert_eq!(clauses("F"), ["LINE PLUS 1, COLUMN + 2, TO B OF W"]);
    assert_eq!(clauses("FILLER"), ["LINE 1, COLUMN 10, FROM A(2)", "LINE ROW, USING B", "LINE 5", "FROM 'X'"]);
}

#[test]
fn what_an_entry_says_beside_its_size() {
    let parsed = data(
        "01  A EXTERNAL.\n    05  B PIC X(3) JUST RIGHT.\n    05  C PIC 9(3) BLANK WHEN ZERO.\n01  D PIC S9(4) COMP SYNC RIGHT GLOBAL.\n77  E PIC X ANY LENGTH.\n01  F TYPEDEF PIC X.\n01  G BASED POINTER.\n01  H USAGE BINARY-LONG UNSIGNED.\n01  I BINARY-LONG SIGNED.",
        &ParseOptions::default(),
    );
    let attributes = |name| item(&parsed, name).attributes.names().collect::<Vec<_>>().join(" ");
    for (name, expected) in [
        ("A", "EXTERNAL"),
        ("B", "JUSTIFIED"),
        ("C", "BLANK WHEN ZERO"),
        ("D", "GLOBAL SYNCHRONIZED"),
        ("E", "ANY LENGTH"),
        ("F", "TYPEDEF"),
        ("G", "BASED"),
        ("H", "UNSIGNED"),
        ("I", ""),
    ] {
        assert_eq!(attributes(name), expected, "{name}");
    }
}

#[test]
fn files_have_records_of_a_length() {
    let parsed = read_with(
        &fixed(
            "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n    SELECT A ASSIGN TO ADD ORGANIZATION INDEXED\n        ALTERNATE RECORD KEY IS A2 WITH DUPLICATES RECORD KEY A1.\n    SELECT B ASSIGN TO BDD.\n    SELECT C ASSIGN TO CDD.\n    SELECT D ASSIGN TO DDD.\nDATA DIVISION.\nFILE SECTION.\nFD  A RECORDING MODE IS V BLOCK CONTAINS 0 RECORDS\n    RECORD CONTAINS 10 TO 99 CHARACTERS.\n01  A-SHORT PIC X(10).\n01  A-LONG.\n    05  A1 PIC X(4).\n    05  A2 PIC X(40).\nFD  B RECORD IS VARYING IN SIZE FROM 5 TO 80 CHARACTERS\n    DEPENDING ON N.\n01  B-REC. COPY GONE.\nSD  C RECORDING F.\n01  C-REC. COPY BOOK.\nFD  D RECORD VARYING TO 900.\n01  D-REC PIC X(80).",
        ),
        &[("BOOK", "           05  C1 PIC X(7).\n")],
    );
    let files: Vec<_> = parsed
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.record_length, file.recording_mode.as_deref(), file.sort))
        .collect();
    assert_eq!(
        files,
        [
            ("A", Some(44), Some("V"), false),
            ("B", Some(80), None, false),
            ("C", Some(7), Some("F"), true),
            ("D", Some(900), None, false)
        ]
    );
    assert_eq!(
        (parsed.files[0].key.as_deref(), parsed.files[0].alternate_keys.join(" ")),
        (Some("A1"), "A2".to_owned())
    );
}
