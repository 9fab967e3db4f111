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
fn a_code_that_is_shorter_than_the_others() {
    let short = |code: &str, statements: &str| {
        let data = "01 C PIC X(4).\n01 N PIC 9(4).\n01 S PIC X.\n88 OPEN-NOW VALUE '1'.";
        let all = format!("MOVE {code} TO C.\n{statements}\nDISPLAY C.\nGOBACK.");
        only(|kind| matches!(kind, ShortCode { .. }), data, &all)
    };
    let full = "MOVE '0001' TO C.\nMOVE 0506 TO C.";
    assert_eq!(short("773", full), [ShortCode { code: name("773"), item: name("C"), room: 4 }]);
    assert_eq!(short("'773'", full), [ShortCode { code: name("773"), item: name("C"), room: 4 }]);
    assert_eq!(short("'0773'", full), []);
    // One digit is a choice, a word is no code, and one code shows nothing of the others.
    assert_eq!(short("1", full), []);
    assert_eq!(short("'ABC'", full), []);
    assert_eq!(short("773", "MOVE '0001' TO C."), []);
    assert_eq!(short("773 TO N MOVE '0003'", full), []);
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
        let data = "01 M PIC X(80) VALUE ' '.\n01 S PIC X(10).\n01 D PIC X(10).\n01 R PIC S9(8) COMP.\n01 N PIC 9(6) VALUE 7.\n01 B PIC S9(4) COMP VALUE 0.\n01 FILLER REDEFINES B.\n05 B-LOW PIC X OCCURS 2.\n01 X10 PIC X(10).\n01 N10 REDEFINES X10 PIC 9(10).\n01 T.\n05 T8 PIC X(8).\n05 T40 PIC X(40).\n05 T3 PIC 9(3).";
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
    assert_eq!(cut("ACCEPT S.\nMOVE S TO X10.\nMOVE N10 TO T3."), 1);
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
    let data = "01 I PIC 9(4) COMP VALUE 0.\n01 J PIC 9(4).\n01 N PIC 9.\n01 T.\n05 E OCCURS 20 INDEXED BY X PIC X.\n01 ST-F PIC XX.";
    let unchecked = |statements: &str| {
        let is_it = |kind: &HazardKind| matches!(kind, UncheckedSubscript { .. });
        let text = format!("OPEN INPUT F.\nPERFORM R UNTIL ST-F NOT = '00'.\nDISPLAY T.\nGOBACK.\nR.\n{statements}");
        found("F", data, &text).into_iter().filter(is_it).collect::<Vec<_>>()
    };
    let hazard = UncheckedSubscript { item: name("I"), tables: vec![name("E")], entries: 20 };
    assert_eq!(unchecked("READ F.\nADD 1 TO I.\nMOVE 'X' TO E(I)."), std::slice::from_ref(&hazard));
    assert_eq!(
        unchecked("READ F.\nMOVE REC-F TO E(I).\nADD 1 TO I.\nIF ST-F = '10' MOVE 0 TO I."),
        std::slice::from_ref(&hazard)
    );
    assert_eq!(unchecked("READ F.\nADD 1 TO I.\nIF I > 20 STOP RUN.\nMOVE 'X' TO E(I)."), []);
    // Whether anything was counted, and how far other loops go, is no limit.
    for other in [
        "IF I > 0 DISPLAY 'SOME'.",
        "IF ZERO = N OR I = ZERO DISPLAY 'NONE'.",
        "PERFORM S VARYING J FROM 1 BY 1 UNTIL J > I.",
    ] {
        let text = format!("READ F.\nADD 1 TO I.\nMOVE 'X' TO E(I).\n{other}\nS.\nDISPLAY J.");
        assert_eq!(unchecked(&text), std::slice::from_ref(&hazard), "{other}");
    }
    for limit in [
        "IF I = 20 GO TO S.",
        "IF I > 0 AND I < 20 DISPLAY I.",
        "PERFORM S UNTIL I > N.",
        "PERFORM S VARYING J FROM I BY 1 UNTIL J > 5.",
    ] {
        let text = format!("READ F.\nADD 1 TO I.\nMOVE 'X' TO E(I).\n{limit}\nS.\nDISPLAY J.");
        assert_eq!(unchecked(&text), [], "{limit}");
    }
    // By way of an index.
    let set = "READ F.\nADD 1 TO I\nSET X TO I\n";
    assert_eq!(unchecked(&format!("{set}MOVE 'X' TO E(X).")), std::slice::from_ref(&hazard));
    assert_eq!(unchecked(&format!("{set}IF REC-F NOT = SPACES\nMOVE 'X' TO E(X).")), std::slice::from_ref(&hazard));
    assert_eq!(unchecked(&format!("{set}SET X TO 1\nMOVE 'X' TO E(X).")), []);
    assert_eq!(unchecked("READ F.\nADD 1 TO I.\nIF ST-F = '10' SET X TO I.\nMOVE 'X' TO E(X)."), []);
    assert_eq!(unchecked(&format!("{set}PERFORM S.\nMOVE 'X' TO E(X).\nS.\nSET X TO 1.")), []);
    assert_eq!(unchecked(&format!("{set}IF I > 20 STOP RUN.\nMOVE 'X' TO E(X).")), []);
    assert_eq!(unchecked("READ F.\nMOVE N TO I.\nMOVE 'X' TO E(I)."), []);
    assert_eq!(unchecked("READ F.\nADD 1 TO N.\nMOVE 'X' TO E(N)."), []);
}

#[test]
fn a_subscript_whose_steps_are_limited() {
    let data = "01 I PIC 9(4) COMP VALUE 0.\n01 J PIC 99.\n88 J-LAST VALUE 20.\n01 T.\n05 E OCCURS 20 INDEXED BY X PIC X.\n\
                01 ST-F PIC XX.";
    let count = |statements: &str| {
        let text = format!("OPEN INPUT F.\n{statements}\nDISPLAY T.\nGOBACK.");
        let kinds = found("F", data, &text);
        kinds.into_iter().filter(|kind| matches!(kind, UncheckedSubscript { .. })).count()
    };
    let step = "ADD 1 TO I\nMOVE 'X' TO E(I)\n";
    let until = |condition: &str, body: &str| format!("PERFORM UNTIL {condition}\nREAD F\n{body}END-PERFORM.");
    let to_end = |body: &str| until("ST-F NOT = '00'", body);
    assert_eq!(count(&to_end(step)), 1);
    // No loop repeats the steps, or each pass begins them anew.
    assert_eq!(count("MOVE 1 TO I.\nMOVE 'A' TO E(I).\nADD 1 TO I.\nMOVE 'B' TO E(I)."), 0);
    assert_eq!(count(&to_end(&format!("MOVE 0 TO I\n{step}{step}"))), 0);
    assert_eq!(count(&to_end(&format!("IF ST-F = '00'\nMOVE 0 TO I\n{step}END-IF\n"))), 0);
    assert_eq!(count(&format!("MOVE 0 TO I.\n{}", to_end(step))), 1);
    assert_eq!(count(&to_end(&format!("{step}IF ST-F = '10'\nMOVE 0 TO I\nEND-IF\n"))), 1);
    // The loop runs a number of times; others do not matter.
    let times = format!("PERFORM 5 TIMES\n{step}END-PERFORM");
    assert_eq!(count(&format!("{times}.")), 0);
    assert_eq!(count(&format!("PERFORM 5 TIMES\nDISPLAY J\nEND-PERFORM.\n{}", to_end(step))), 1);
    assert_eq!(count(&to_end(&format!("{times}\n"))), 1);
    // Another counter of the loop ends it.
    assert_eq!(count(&format!("PERFORM VARYING J FROM 1 BY 1 UNTIL J > 20\n{step}END-PERFORM.")), 0);
    assert_eq!(count(&format!("PERFORM VARYING X FROM 1 BY 1 UNTIL X > 20\n{step}END-PERFORM.")), 0);
    assert_eq!(count(&until("J-LAST OR ST-F = '10'", &format!("{step}ADD 1 TO J\n"))), 0);
    assert_eq!(count(&until("(ST-F = '10') OR (J > 20)", &format!("{step}ADD 1 TO J\n"))), 0);
    assert_eq!(count(&until("J > 20", &format!("{step}MOVE REC-F TO J\n"))), 1);
    assert_eq!(count(&to_end(&format!("{step}ADD 1 TO J\nIF J = 20 EXIT PERFORM END-IF\n"))), 0);
    assert_eq!(count(&to_end(&format!("{step}ADD 1 TO J\nIF J = 20 DISPLAY J END-IF\n"))), 1);
    let jump = |condition: &str| format!("R.\nREAD F.\n{step}ADD 1 TO J.\nIF {condition} GO TO R.");
    assert_eq!(count(&jump("ST-F = '00'")), 1);
    // What leads to the performed steps sets the item, too.
    let again = "IF ST-F = '00'\nMOVE 0 TO I\nPERFORM S 5 TIMES\nEND-IF\n";
    assert_eq!(count(&format!("{}\nGOBACK.\nS.\n{step}.", to_end(again))), 0);
    // A jump out of the loop ends it, whatever follows there.
    let left = format!("R.\n{step}ADD 1 TO J.\nIF J > 20 GO TO O.\nPERFORM S.\nGO TO R.\nS.\nMOVE 0 TO J.\nO.");
    assert_eq!(count(&left), 0);
    assert_eq!(count(&jump("J > 20")), 1);
    // A counter that begins anew within the loop does not end it.
    let nested = format!(
        "R.\nREAD F AT END GO TO DONE.\nMOVE 0 TO J.\nS.\n{step}ADD 1 TO J.\nIF J > 3 GO TO R.\nGO TO S.\nDONE."
    );
    assert_eq!(count(&nested), 1);
    assert_eq!(count(&jump("J < 20")), 0);
}

#[test]
fn a_group_that_does_not_fit_where_it_is_brought_back_from() {
    let check = |data: &str, statements: &str, expected: &[HazardKind]| {
        let data = format!("{data}\n01 BUF PIC X(6).\n01 LONG-BUF PIC X(9).");
        let statements = format!("{statements}\nDISPLAY B C.\nGOBACK.");
        check_only(|kind| matches!(kind, GroupCut { .. }), ["", &data, &statements], expected);
    };
    let group = "01 G.\n05 A PIC X(4).\n05 B PIC 9(3).\n05 C PIC X.";
    let (there, back) = ("MOVE G TO BUF.", "MOVE BUF TO G.");
    let lost = |lost: &[&str]| {
        let lost = lost.iter().map(|item| name(item)).collect();
        [GroupCut { from: name("G"), length: 8, to: name("BUF"), room: 6, lost }]
    };
    check(group, &format!("{there}\n{back}"), &lost(&["B", "C"]));
    check(group, there, &[]);
    check(group, back, &[]);
    check(group, "MOVE G TO LONG-BUF.\nMOVE LONG-BUF TO G.", &[]);
    // An item behind the group is no part of it.
    let behind = format!("{group}\n77 D PIC X(50).");
    check(&behind, &format!("{there}\n{back}\nDISPLAY D."), &lost(&["B", "C"]));
    // What nothing uses is no loss.
    let filler = "01 B PIC 9.\n01 C PIC 9.\n01 G.\n05 A PIC X(6).\n05 FILLER PIC XX.";
    check(filler, &format!("{there}\n{back}"), &[]);
}

#[test]
fn a_number_loses_its_last_digits_in_a_shorter_text() {
    let lost = |number: &str, text: &str| {
        let data = format!("01 N PIC {number}.\n01 T PIC {text}.");
        only(|kind| matches!(kind, LastDigits { .. }), &data, "ACCEPT N.\nMOVE N TO T.\nDISPLAY T.\nGOBACK.")
    };
    let digits = |digits, room| [LastDigits { item: name("N"), digits, to: name("T"), room }];
    assert_eq!(lost("S9(5) COMP-3", "X(4)"), digits(5, 4));
    assert_eq!(lost("9(10)", "X(6)"), digits(10, 6));
    assert_eq!(lost("9(5)", "X(5)"), []);
    // The year of a date, and what is no whole number.
    assert_eq!(lost("9(8)", "X(4)"), []);
    assert_eq!(lost("9(5)V99", "X(4)"), []);
}

#[test]
fn a_copybook_whose_comment_states_another_length() {
    let check = |records: &str, expected: &[HazardKind]| {
        let text = format!("      * TAMANHO     - 1010\n{records}");
        let source = SourceText::read("B.cpy", text.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &SmallCopybooks));
        let found: Vec<HazardKind> = comment_hazards(&analysis, &source).into_iter().map(|found| found.kind).collect();
        assert_eq!(found, expected, "{records}");
    };
    check("       01 R PIC X(900).\n", &[CommentedLength { record: name("R"), stated: 1010, length: 900 }]);
    check("       01 R PIC X(1010).\n", &[]);
    // With the length and reserved bytes of a message, or one record of several.
    check("       01 R PIC X(1014).\n", &[]);
    check("       01 R PIC X(900).\n       01 S PIC X(1010).\n", &[]);
}

#[test]
fn an_element_of_a_table_is_cut_as_any_item() {
    let cuts = |statement: &str| {
        let data = "01 T.\n05 A PIC X(9) OCCURS 3.\n05 N PIC 9(7) OCCURS 3.\n01 B PIC X(4).\n01 E PIC ZZ9.\n01 S PIC X(5).\n\
             01 P PIC 9(8) COMP VALUE 49369.\n01 Q PIC 9(8) COMP VALUE 99999.\n01 W PIC S9(4) COMP.";
        let is_cut = |kind: &HazardKind| matches!(kind, Truncated { .. } | ShownCut { .. } | LastDigits { .. });
        only(is_cut, data, &format!("ACCEPT T.\n{statement}\nDISPLAY B E S W.\nGOBACK.")).len()
    };
    assert_eq!(cuts("MOVE A(2) TO B."), 1);
    assert_eq!(cuts("MOVE N(2) TO E."), 1);
    assert_eq!(cuts("MOVE N(2) TO S."), 1);
    assert_eq!(cuts("MOVE A(2)(1:4) TO B."), 0);
    assert_eq!(cuts("MOVE B TO A(2)."), 0);
    // A pattern of bits for a binary item.
    assert_eq!(cuts("MOVE P TO W."), 0);
    assert_eq!(cuts("MOVE Q TO W."), 1);
}

#[test]
fn a_large_counter_that_is_moved_to_fewer_digits() {
    let check = |counting: &str, is_cut: bool| {
        let data = "01 N PIC S9(9) COMP VALUE 0.\n01 M PIC 9(8) VALUE 0.\n01 A PIC 9(9).\n01 ED PIC ZZ,ZZ9.\n01 TEN PIC 9(5).\n01 T PIC X(5).";
        let is_it = |kind: &HazardKind| matches!(kind, Truncated { .. } | ShownCut { .. });
        let statements = format!("ACCEPT A.\n{counting}\nMOVE N TO ED.\nMOVE N TO TEN.\nDISPLAY ED TEN.\nGOBACK.");
        assert_eq!(!only(is_it, data, &statements).is_empty(), is_cut, "{counting}");
    };
    for counting in [
        "ADD 1 TO N.",
        "ADD 100 TO N.",
        "ADD 1 TO M N.",
        "SUBTRACT 1 FROM N.",
        "COMPUTE N = N + 1.",
        "MOVE 0 TO N.\nADD 1 TO N.",
        "INITIALIZE N.\nADD 1 TO N.",
    ] {
        check(counting, false);
    }
    for counting in [
        "ADD A TO N.",
        "ADD 1 A TO N.",
        "ADD 5000 TO N.",
        "ADD 1 TO A GIVING N.",
        "COMPUTE N = A + 1.",
        "COMPUTE N = N * 2.",
        "MOVE 123456 TO N.\nADD 1 TO N.",
        "ADD 1 TO N.\nMOVE A TO N.",
        "ADD 1 TO N.\nCALL 'X' USING N.",
        "PERFORM VARYING N FROM 1 BY 1 UNTIL N = A\nDISPLAY A\nEND-PERFORM.",
    ] {
        check(counting, true);
    }
    // A run may well exceed few digits.
    for (room, is_cut) in [("9", true), ("Z9", true), ("9(3)", true), ("ZZ9", true), ("9(4)", false), ("ZZZ9", false)] {
        let data = format!("01 N PIC S9(9) COMP VALUE 0.\n01 R PIC {room}.");
        let is_it = |kind: &HazardKind| matches!(kind, Truncated { .. } | ShownCut { .. });
        let found = only(is_it, &data, "ADD 1 TO N.\nMOVE N TO R.\nDISPLAY R.\nGOBACK.");
        assert_eq!(!found.is_empty(), is_cut, "{room}");
    }
    // What is moved to a text loses its last digits.
    let data = "01 N PIC 9(9) VALUE 0.\n01 M PIC 9(8) VALUE 0.\n01 T PIC X(5).\n01 TEN PIC 9(5).";
    let is_it = |kind: &HazardKind| matches!(kind, LastDigits { .. } | Truncated { .. });
    assert_eq!(only(is_it, data, "ADD 1 TO N.\nMOVE N TO T.\nDISPLAY T.\nGOBACK.").len(), 1);
    assert_eq!(only(is_it, data, "ADD 1 TO M.\nMOVE M TO TEN.\nDISPLAY TEN.\nGOBACK.").len(), 1);
}
