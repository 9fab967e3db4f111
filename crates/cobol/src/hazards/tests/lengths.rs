//! What items hold, what is cut of it, and what tables have room for.

use super::*;

#[test]
fn text_that_string_cuts() {
    let cut = |statement: &str| {
        let data = "01 A PIC X(6).\n01 B PIC X(6).\n01 T PIC X(10) VALUE ' '.";
        only(|kind| matches!(kind, StringTooLong { .. }), data, &format!("{statement}\nDISPLAY T.\nGOBACK."))
    };
    let long = |length| StringTooLong { length, item: name("T"), room: 10 };
    assert_eq!(cut("STRING A B DELIMITED BY SIZE INTO T."), [long(12)]);
    assert_eq!(cut("STRING 'HELLO: ' A DELIMITED BY SIZE INTO T."), [long(13)]);
    assert_eq!(cut("STRING A B DELIMITED BY SPACE INTO T."), []);
    assert_eq!(cut("STRING A ': ' DELIMITED BY SIZE INTO T."), []);
    // What a constant adds is what it stands for.
    assert_eq!(cut("STRING A SPACES X'0D0A' '''' DELIMITED BY SIZE INTO T."), []);
    assert_eq!(cut("STRING A 'äöüß' DELIMITED BY SIZE INTO T."), []);
    assert_eq!(cut("STRING A SPACE 'FIVE ' DELIMITED BY SIZE INTO T."), [long(12)]);
    assert_eq!(cut("STRING A B DELIMITED BY SIZE INTO T\nON OVERFLOW DISPLAY 'LONG'."), []);
}

#[test]
fn a_number_that_an_edited_item_cuts() {
    let cut = |picture: &str| {
        let data = format!("01 N PIC S9(6)V99.\n01 M PIC 9(3).\n01 E PIC {picture}.");
        only(|kind| matches!(kind, ShownCut { .. }), &data, "MOVE N TO E.\nMOVE M TO E.\nDISPLAY E.\nGOBACK.")
    };
    let shown = |room| ShownCut { digits: 6, item: name("E"), room };
    assert_eq!(cut("ZZ,ZZ9.99"), [shown(5)]);
    assert_eq!(cut("$$,$$9.99-"), [shown(4)]);
    assert_eq!(cut("-(5)9.99"), [shown(5)]);
    assert_eq!(cut("ZZZ,ZZ9.99"), []);
    assert_eq!(cut("+(7).99"), []);
    assert_eq!(cut("X(3)"), []);
    let comma = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n       SPECIAL-NAMES.\n           DECIMAL-POINT IS COMMA.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 N PIC 9(5)V99.\n       01 E PIC ZZ.ZZ9,99.\n       PROCEDURE DIVISION.\n           MOVE N TO E.\n           DISPLAY E.\n";
    assert!(!found_in(comma.into()).iter().any(|kind| matches!(kind, ShownCut { .. })));
}

#[test]
fn nothing_is_cut_of_what_an_item_never_holds() {
    let cut = |statements: &str| {
        let data = "01 M PIC X(80) VALUE ' '.\n01 S PIC X(10).\n01 D PIC X(10).\n01 R PIC S9(8) COMP.\n01 N PIC 9(6) VALUE 7.\n01 B PIC S9(4) COMP VALUE 0.\n01 FILLER REDEFINES B.\n05 B-LOW PIC X OCCURS 2.\n01 T.\n05 T8 PIC X(8).\n05 T40 PIC X(40).\n05 T3 PIC 9(3).";
        let text = format!("{statements}\nDISPLAY T.\nGOBACK.");
        found("", data, &text).into_iter().filter(|kind| matches!(kind, Truncated { .. } | ShownCut { .. })).count()
    };
    assert_eq!(cut("ACCEPT S.\nSTRING 'NOT FOUND: ' S DELIMITED BY SIZE INTO M.\nMOVE M TO T40."), 0);
    assert_eq!(cut("ACCEPT S.\nSTRING 'NOT FOUND: ' S S S DELIMITED BY SIZE INTO M.\nMOVE M TO T40."), 1);
    let date =
        |options: &str| format!("EXEC CICS FORMATTIME ABSTIME(R) YYYYMMDD(D)\n{options} END-EXEC.\nMOVE D TO T8.");
    assert_eq!((cut(&date("")), cut(&date("DATESEP"))), (0, 1));
    assert_eq!(cut("EXEC CICS SEND TEXT FROM(S) RESP(R) END-EXEC.\nMOVE R TO T3."), 0);
    assert_eq!(cut("IF S = 'A' MOVE 999 TO N END-IF.\nMOVE N TO T3."), 0);
    assert_eq!(cut("IF S = 'A' MOVE 1000 TO N END-IF.\nMOVE N TO T3."), 1);
    assert_eq!(cut("MOVE S(1:1) TO B-LOW(2).\nMOVE B TO T3."), 0);
}

#[test]
fn an_item_that_is_moved_to_itself_or_too_short_for_its_value() {
    let of = |data: &str, statements: &str| {
        let is_it = |kind: &HazardKind| matches!(kind, MovedToItself { .. } | OtherLength { .. });
        let text = format!("{statements}\nDISPLAY A.\nGOBACK.");
        found("", data, &text).into_iter().filter(is_it).collect::<Vec<_>>()
    };
    let data = "01 A PIC X(4) VALUE 'A'.\n01 R1 PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.\n01 T OCCURS 2 PIC X.";
    assert_eq!(of(data, "MOVE R1 TO R2.\nMOVE A(1:1) TO A(2:1)."), []);
    assert_eq!(of(data, "MOVE R2 TO R2."), [MovedToItself { item: name("R2") }]);
    let command = "EXEC CICS ASKTIME ABSTIME(R1) RESP(R2) END-EXEC.";
    let other = OtherLength { option: "ABSTIME", item: name("R1"), length: 4, written: 8 };
    assert_eq!(of(data, command), [other]);
    assert_eq!(of(&data.replace("R1 PIC S9(8) COMP", "R1 PIC S9(15) COMP-3"), command), []);
    // A response is moved to its item.
    let data = data.replace("R1 PIC S9(8) COMP", "R1 PIC S9(15) COMP-3").replace("R2 PIC S9(8)", "R2 PIC S9(4)");
    assert_eq!(of(&data, command), []);
    assert_eq!(of("01 A PIC X/X.", "ACCEPT A.\nMOVE A TO A."), []);
}

#[test]
fn what_other_names_put_into_an_item_is_unknown() {
    let never = |statements: &str| {
        let data = "01 I PIC XX.\n01 G.\n05 A PIC X.\n05 C PIC X.\n01 H REDEFINES G PIC XX.";
        let text =
            format!("ACCEPT I.\nMOVE 'A' TO A.\n{statements}\nIF A = 'Q' DISPLAY A.\nIF H = 'ZZ' DISPLAY H.\nGOBACK.");
        found("", data, &text).into_iter().filter(|kind| matches!(kind, NeverHolds { .. })).count()
    };
    assert_eq!(never("MOVE I TO H."), 0);
    assert_eq!(never("DISPLAY I."), 1);
    let pointed = "01 S PIC X(10).\n01 M PIC X(40).\n01 P PIC 99 VALUE 1.\n01 T PIC X(12).";
    let string = "STRING S DELIMITED BY SIZE INTO M WITH POINTER P.\n";
    let text = format!("ACCEPT S.\n{string}{string}MOVE M TO T.\nDISPLAY T.\nGOBACK.");
    assert!(found("", pointed, &text).iter().any(|kind| matches!(kind, Truncated { .. })));
}

#[test]
fn a_subscript_that_nothing_checks() {
    let data = "01 I PIC 9(4) COMP VALUE 0.\n01 N PIC 9.\n01 T.\n05 E OCCURS 20 PIC X.\n01 ST-F PIC XX.";
    let unchecked = |statements: &str| {
        let is_it = |kind: &HazardKind| matches!(kind, UncheckedSubscript { .. });
        let text = format!("OPEN INPUT F.\nPERFORM R UNTIL ST-F NOT = '00'.\nDISPLAY T.\nGOBACK.\nR.\n{statements}");
        found("F", data, &text).into_iter().filter(is_it).collect::<Vec<_>>()
    };
    let hazard = UncheckedSubscript { item: name("I"), table: name("E"), entries: 20 };
    assert_eq!(unchecked("READ F.\nADD 1 TO I.\nMOVE 'X' TO E(I)."), std::slice::from_ref(&hazard));
    assert_eq!(unchecked("READ F.\nMOVE REC-F TO E(I).\nADD 1 TO I.\nIF ST-F = '10' MOVE 0 TO I."), [hazard]);
    assert_eq!(unchecked("READ F.\nADD 1 TO I.\nIF I > 20 STOP RUN.\nMOVE 'X' TO E(I)."), []);
    assert_eq!(unchecked("READ F.\nMOVE N TO I.\nMOVE 'X' TO E(I)."), []);
    assert_eq!(unchecked("READ F.\nADD 1 TO N.\nMOVE 'X' TO E(N)."), []);
}
