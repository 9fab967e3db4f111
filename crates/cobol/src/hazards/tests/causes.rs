//! Hazards of one cause, which are one with all their places.

use super::*;
use war_rig_text::LineNumber;

/// Returns the hazards of some kinds in a program of these data and statements, each with its first lines, counted from the first line of the data.
fn found_at(is_wanted: fn(&HazardKind) -> bool, data: &str, statements: &str) -> Vec<(HazardKind, Vec<u32>)> {
    let lines = |text: &str| text.lines().map(|line| format!("           {line}\n")).collect::<String>();
    let head = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n";
    let text = format!("{head}{}       PROCEDURE DIVISION.\n       MAIN.\n{}", lines(data), lines(statements));
    let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &SmallCopybooks));
    let found = analysis.hazards(&source).into_iter().filter(|hazard| is_wanted(&hazard.kind));
    found.map(|hazard| (hazard.kind, hazard.lines.iter().map(|lines| lines.start().get() - 4).collect())).collect()
}

fn names(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| name(text)).collect()
}

#[test]
fn items_that_nothing_sets_or_fills() {
    let is_it = |kind: &HazardKind| matches!(kind, NeverSet { .. } | Unfilled { .. });
    let data = "01 A PIC X VALUE 'N'.\n01 B PIC X VALUE 'N'.\n01 C PIC X VALUE 'Y'.\n01 D PIC X.\n01 E PIC X.\n01 G.\n05 H PIC X.\n05 I PIC X.\n\
                01 K.\n05 L PIC X.\n05 M PIC X.";
    let statements = "IF B = 'Y' OR A = 'Y' OR C = 'N' DISPLAY D E G L M.\nGOBACK.";
    let never = |items: &[&str], value: &str| NeverSet { items: names(items), value: Some(name(value)) };
    let unfilled = |items: &[&str], group: Option<&str>, is_part| Unfilled {
        items: names(items),
        group: group.map(name),
        is_part,
    };
    let expected = [
        (never(&["A", "B"], "'N'"), vec![1, 2]),
        (never(&["C"], "'Y'"), vec![3]),
        (unfilled(&["D"], None, false), vec![4]),
        (unfilled(&["E"], None, false), vec![5]),
        (unfilled(&["H", "I"], Some("G"), true), vec![7, 8]),
        (unfilled(&["L", "M"], Some("K"), false), vec![10, 11]),
    ];
    assert_eq!(found_at(is_it, data, statements), expected);
    // The group that is used as a whole, and not the one next to the item.
    let nested = "01 G.\n05 H.\n10 I PIC X.\n05 J.\n10 K PIC X.";
    let expected = [(unfilled(&["I", "K"], Some("G"), true), vec![3, 5])];
    assert_eq!(found_at(is_it, nested, "DISPLAY G.\nGOBACK."), expected);
}

#[test]
fn what_an_endless_loop_reports_is_not_repeated() {
    let is_it = |kind: &HazardKind| matches!(kind, NeverSet { .. } | EndlessLoop { .. });
    let data = "01 A PIC X VALUE 'N'.\n01 B PIC X VALUE 'N'.\n01 C PIC 9 VALUE 0.";
    let statements = "IF B = 'Y' DISPLAY C.\nPERFORM UNTIL A = 'Y'\nADD 1 TO C\nEND-PERFORM.\nGOBACK.";
    let expected = [
        (EndlessLoop { until: name("A = 'Y'"), items: names(&["A"]) }, vec![7]),
        (NeverSet { items: names(&["B"]), value: Some(name("'N'")) }, vec![2]),
    ];
    assert_eq!(found_at(is_it, data, statements), expected);
}

#[test]
fn moves_of_one_item_tables_of_one_subscript_and_tests_of_one_check() {
    let is_it = |kind: &HazardKind| matches!(kind, Truncated { .. } | BeyondTable { .. } | ExcludedTest { .. });
    let data = "01 A PIC X(9).\n01 B PIC X(5).\n01 C PIC X(5).\n01 D PIC X(4).\n01 T PIC X OCCURS 3.\n01 U PIC X OCCURS 3.\n01 I PIC 9.";
    let cut = |to: &[&str], room| Truncated { from: name("A"), length: 9, to: names(to), room, is_numeric: false };
    let moves = "ACCEPT A.\nMOVE A TO C.\nMOVE A TO B.\nMOVE A TO C.\nMOVE A TO D.\nDISPLAY B C D.\nGOBACK.";
    assert_eq!(found_at(is_it, data, moves), [(cut(&["C", "B"], 5), vec![11, 12, 13]), (cut(&["D"], 4), vec![14])]);
    let varying = "PERFORM VARYING I FROM 1 BY 1 UNTIL I > 4\nMOVE 'X' TO T(I)\nMOVE 'X' TO U(I)\nEND-PERFORM.\nDISPLAY T(1) U(1).\nGOBACK.";
    let beyond = BeyondTable { subscripted: names(&["T(I)", "U(I)"]), value: 4, entries: 3 };
    assert_eq!(found_at(is_it, data, varying), [(beyond, vec![11, 12])]);
    let tests = "ACCEPT A.\nIF A NOT = 'X' GOBACK.\nIF A = 'Y' DISPLAY I.\nIF A = 'Z' DISPLAY I.\nGOBACK.";
    let excluded = ExcludedTest { tests: names(&["A = 'Y'", "A = 'Z'"]), check: LineNumber::new(15).unwrap() };
    assert_eq!(found_at(is_it, data, tests), [(excluded, vec![12, 13])]);
}
