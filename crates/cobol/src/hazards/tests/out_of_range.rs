//! Tests for values that items have no room for.

use super::*;

/// Returns what is said of tests in a program with one item N.
fn told(picture: &str, statements: &str) -> Vec<String> {
    let data = format!("01 N PIC {picture}.\n01 I PIC 9(9).");
    let found = found("", &data, &format!("ACCEPT N.\n{statements}\nGOBACK."));
    found.into_iter().filter(|kind| matches!(kind, OutOfRange { .. })).map(|kind| kind.to_string()).collect()
}

#[track_caller]
fn check(picture: &str, test: &str, expected: Option<&str>) {
    let told = told(picture, &format!("IF {test} DISPLAY N."));
    assert_eq!(told.first().map(String::as_str), expected, "{picture}: {test}");
}

#[test]
fn tests_for_less_than_0_of_an_item_without_a_sign() {
    for test in ["N < 0", "N IS LESS THAN ZERO", "N NEGATIVE", "N = 5 OR N < 00", "N = -1", "N <= -1"] {
        for picture in ["9(5)V99", "9(4) COMP"] {
            assert_eq!(told(picture, &format!("IF {test} DISPLAY N.")).len(), 1, "{picture}: {test}");
        }
        check("S9(5)V99", test, None);
        check("X(5)", test.trim_end_matches("N NEGATIVE"), None);
    }
    check("9(5)", "N < 0", Some("N has no sign: N < 0 is never true."));
    check("9(5)", "N NOT = -1", Some("N has no sign: N NOT = -1 is always true."));
    for test in ["N NOT < 0", "N < 1", "N <= 0", "N NOT NEGATIVE", "N - 5 < 0", "0 < N", "N > -1", "N >= 0"] {
        check("9(5)V99", test, None);
    }
    check("S9(5) COMP-5", "N < 0", None);
}

#[test]
fn numbers_that_do_not_fit() {
    for picture in ["99", "9(2)V9(3)", "S99", "99V9 COMP-3", "S99V999 COMP-3"] {
        for test in ["N = 100", "N > 100", "N >= 100", "N > 12345.5", "N = +0100"] {
            let test = format!("{test} AND I = 5");
            let told = told(picture, &format!("IF {test} DISPLAY N."));
            assert!(
                told.len() == 1 && told[0].starts_with("N holds at most 9") && told[0].ends_with("never true."),
                "{told:?}"
            );
        }
        for test in ["N < 100", "N <= 99", "N = 99", "N >= 99", "N = 0", "N NOT > 100"] {
            check(picture, test, None);
        }
    }
    check("99", "N NOT = 100", Some("N holds at most 99: N NOT = 100 is always true."));
    check("99", "N > 99", Some("N holds at most 99: N > 99 is never true."));
    check("99V9", "N > 99", None);
    check("99V9", "N > 99.9", Some("N holds at most 99.9: N > 99.9 is never true."));
    check("S99", "N < -99", Some("N holds at least -99: N < -99 is never true."));
    check("S99", "N < -98", None);
    check("9", "N > 10", Some("N holds at most 9: N > 10 is never true."));
    check("99", "N = 1.5", Some("N has no decimals: N = 1.5 is never true."));
    check("99V9", "N = 1.25", Some("N has 1 decimal: N = 1.25 is never true."));
    check("99V9", "N = 1.50", None);
    check("99V9", "N > 1.25", None);
    // Binary numbers may hold more than their picture shows.
    check("99 COMP", "N = 100", None);
    // The half byte that an even number of digits leaves over holds one more.
    check("9(4) COMP-3", "N > 9999", None);
    check("S9(4) COMP-3", "N = 10000", None);
    check("9(4) COMP-3", "N > 99999", Some("N holds at most 99999: N > 99999 is never true."));
    check("9V9 COMP-3", "N > 99.9", Some("N holds at most 99.9: N > 99.9 is never true."));
    check("V99", "N > 1", Some("N holds at most .99: N > 1 is never true."));
    for test in ["N = -0", "N <= -0", "N < -0 AND I = 5"] {
        assert_eq!(told("S99", &format!("IF {test} DISPLAY N.")), [""; 0], "{test}");
    }
    check("99", "N = -0", None);
}

#[test]
fn texts_that_do_not_fit() {
    check("XX", "N = 'ABC'", Some("N has room for 2 characters: N = 'ABC' is never true."));
    check("XX", "N NOT = \"ABC\"", Some("N has room for 2 characters: N NOT = \"ABC\" is always true."));
    check("XX", "N = 100", Some("N has room for 2 characters: N = 100 is never true."));
    check("99", "N = 'ABC'", Some("N has room for 2 digits: N = 'ABC' is never true."));
    for test in
        ["N = 'AB '", "N = 'A'", "N > 'ABC'", "N < 'ABC'", "N = HIGH-VALUES", "N = ZEROS", "N(1:1) = 'ABC'", "N = 12"]
    {
        check("XX", test, None);
    }
    check("S99 SIGN LEADING SEPARATE", "N = '+12'", None);
    check("X COMP-X", "N = 200", None);
    assert_eq!(told("XX", "EVALUATE N\nWHEN 'ABC' DISPLAY N\nWHEN 'AB' DISPLAY I\nEND-EVALUATE.").len(), 1);
}

#[test]
fn loops_until_what_an_item_never_holds() {
    let of_paragraph = "PERFORM A VARYING N FROM 1 BY 1 UNTIL N > 99.\nGOBACK.\nA.\nDISPLAY I.";
    let inline = "PERFORM VARYING N FROM 1 BY 1 UNTIL N > 99\nDISPLAY I\nEND-PERFORM.";
    for statements in [of_paragraph, inline] {
        assert_eq!(told("99", statements), ["N holds at most 99: N > 99 is never true."]);
        assert_eq!(told("999", statements), [""; 0]);
    }
}

#[test]
fn numbers_in_records_that_are_filled_with_characters() {
    let told = |fill: &str| {
        let data = "01 R.\n05 N PIC 9(4).\n01 OTHER PIC X(4).\n01 S REDEFINES R PIC X(4).";
        let found = found("", data, &format!("ACCEPT R.\n{fill}\nIF N > 9999 DISPLAY R.\nGOBACK."));
        found.into_iter().filter(|kind| matches!(kind, OutOfRange { .. })).count()
    };
    for fill in ["MOVE HIGH-VALUES TO R.", "MOVE SPACES TO S.", "MOVE ALL 'X' TO OTHER R.", "MOVE LOW-VALUES TO N."] {
        assert_eq!(told(fill), 0, "{fill}");
    }
    assert_eq!(told("MOVE HIGH-VALUES TO OTHER."), 1);
    assert_eq!(told("MOVE ZEROS TO R."), 1);
}
