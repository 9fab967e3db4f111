//! Jumps that miss the end of what is performed, conditions without parentheses, and phrases of the statement before.

use super::*;
use crate::verb::Verb;

#[test]
fn a_jump_behind_the_end_of_what_is_performed() {
    let check = |statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, LeavesPerform { .. }), ["", "01 N PIC 9.", statements], expected);
    };
    let leaves = |label: &str, performed: &str, into: &str| LeavesPerform {
        label: name(label),
        performed: name(performed),
        into: name(into),
    };
    let parts = "GOBACK.\nA.\nIF N = 1 GO TO A-EXIT.\nADD 1 TO N.\nA-EXIT. EXIT.";
    let other = "B.\nDISPLAY N.";
    check(&format!("PERFORM A.\n{parts}\n{other}"), &[leaves("A-EXIT", "A", "B")]);
    // Several labels that do nothing, and a section that ends before them.
    let labels = "A-OUT. CONTINUE.";
    check(&format!("PERFORM A.\n{parts}\n{labels}\n{other}"), &[leaves("A-EXIT", "A", "B")]);
    // The range ends at the label, at a label behind it, or around it; nothing is performed; the program ends there.
    check(&format!("PERFORM A THRU A-EXIT.\n{parts}\n{other}"), &[]);
    check(&format!("PERFORM A THRU A-OUT.\n{parts}\n{labels}\n{other}"), &[]);
    check(&format!("PERFORM A THRU B.\n{parts}\n{other}"), &[]);
    check("A.\nIF N = 1 GO TO A-EXIT.\nADD 1 TO N.\nA-EXIT. EXIT.\nB.\nGOBACK.", &[]);
    check(&format!("PERFORM A.\n{parts}\nB.\nGOBACK."), &[]);
    check(&format!("PERFORM A.\n{parts}"), &[]);
    // What is performed inside a range comes back to the end of the range.
    check(
        "PERFORM S THRU A-EXIT.\nGOBACK.\nS.\nPERFORM A.\nA.\nIF N = 1 GO TO A-EXIT.\nA-EXIT. EXIT.\nB.\nDISPLAY N.",
        &[],
    );
}

#[test]
fn values_joined_by_or_of_which_an_and_applies_to_one() {
    let data = "01 A PIC 9.\n01 B PIC 9.\n01 C PIC X.";
    let accept = "ACCEPT A.\nACCEPT B.\nACCEPT C.\n";
    let expected = [OrBesideAnd { test: name("B = 3"), others: name("A = 1") }];
    let check = |test: &str, expected: &[HazardKind]| {
        check("", data, &format!("{accept}IF {test} DISPLAY B C.\nGOBACK."), expected);
    };
    check("A = 1 AND B = 2 OR 3", &expected);
    check("A = 1 AND (B = 2 OR 3)", &[]);
    check("A = 1 AND B = 2 OR B = 3", &[]);
    // The short value is one of another item.
    check("A = 1 AND B = 2 OR B = 3 OR C = 'X' OR 'Y'", &[]);
    check("A = 1 OR B = 2 AND C = 'X'", &[]);
    check("B = 3 OR 2 AND A = 1", &expected);
    // The second test is written whole.
    check("(B = 1 OR 2 OR 3) OR (B = 4 AND (A = 1 OR 2))", &[]);
    check("B = 1 OR 3 OR B = 4 AND A = 1", &[]);
    check(
        "A = 1 AND B = 2 AND C = SPACES OR LOW-VALUES",
        &[OrBesideAnd { test: name("C = LOW-VALUES"), others: name("A = 1 AND B = 2") }],
    );
}

#[test]
fn a_phrase_for_success_that_the_statement_inside_takes() {
    let check = |statements: &str, expected: &[HazardKind]| {
        let data = "01 N PIC 9.\n01 T PIC X(3).";
        let is_nested = |kind: &HazardKind| matches!(kind, NestedPhrase { .. });
        check_only(is_nested, ["F", data, &format!("{statements}\nGOBACK.")], expected);
    };
    let nested = |phrase, verb, around| [NestedPhrase { phrase: name(phrase), verb, around }];
    let after = "NOT INVALID KEY DISPLAY N";
    let expected = nested("NOT INVALID KEY", Verb::Write, Verb::Read);
    check(&format!("READ F INVALID KEY\nWRITE REC-F\n{after}\nEND-READ."), &expected);
    check(&format!("READ F INVALID DISPLAY N\nWRITE REC-F\n{after}\nEND-WRITE."), &expected);
    let string = "STRING T DELIMITED BY SIZE INTO T";
    let taken = format!("{string} OVERFLOW\n{string}\nNOT ON OVERFLOW ADD 1 TO N\nEND-STRING.");
    check(&taken, &nested("NOT ON OVERFLOW", Verb::String, Verb::String));
    // The inner statement ends before the phrase, has both phrases, is not the last one, or has another phrase; both statements have one.
    check(&format!("READ F INVALID KEY\nWRITE REC-F END-WRITE\n{after}\nEND-READ."), &[]);
    check(&format!("READ F INVALID KEY\nWRITE REC-F\nINVALID KEY DISPLAY T\n{after}\nEND-WRITE."), &[]);
    check(&format!("READ F INVALID KEY\nWRITE REC-F\n{after}\nEND-WRITE\nDISPLAY T\nEND-READ."), &[]);
    check("READ F INVALID KEY\nADD 1 TO N\nNOT ON SIZE ERROR DISPLAY N\nEND-READ.", &[]);
    check(&format!("READ F INVALID KEY\nWRITE REC-F\n{after}\nEND-WRITE\n{after}\nEND-READ."), &[]);
    check(&format!("READ F\n{after}\nEND-READ."), &[]);
}

#[test]
fn a_test_that_a_check_before_it_excludes() {
    let found = |statements: &str| {
        let data = "01 A PIC X.\n01 AGAIN REDEFINES A PIC X.\n01 B PIC X.\n88 B-OPEN VALUE 'O'.\n01 N PIC 9(4).";
        let all = format!("ACCEPT A.\nACCEPT B.\nACCEPT N.\n{statements}\nDISPLAY A B N.\nGOBACK.");
        let kinds = only(|kind| matches!(kind, ExcludedTest { .. }), data, &all);
        let tests = kinds.into_iter().filter_map(|kind| match kind {
            ExcludedTest { tests, .. } => Some(tests),
            _ => None,
        });
        let tests = tests.flatten();
        tests.collect::<Vec<_>>()
    };
    let check = "IF A NOT = 'F' AND 'J' GOBACK.\n";
    assert_eq!(found(&format!("{check}IF A = 'X' AND N = 0 DISPLAY 'NONE'.")), ["A = 'X' AND N = 0"]);
    assert_eq!(found(&format!("{check}MOVE 1 TO N.\nIF A = 'X' DISPLAY 'NONE'.")), ["A = 'X'"]);
    assert_eq!(found("IF B-OPEN GOBACK.\nIF B = 'O' DISPLAY 'OPEN'."), ["B = 'O'"]);
    // It may be true.
    assert!(found(&format!("{check}IF A = 'F' DISPLAY 'ONE'.")).is_empty());
    assert!(found(&format!("{check}IF A = 'X' OR N = 0 DISPLAY 'ONE'.")).is_empty());
    assert!(found("IF A NOT = 'F' AND N = 1 GOBACK.\nIF A = 'X' DISPLAY 'ONE'.").is_empty());
    assert!(found("IF A NOT = 'F' DISPLAY 'OTHER'.\nIF A = 'X' DISPLAY 'ONE'.").is_empty());
    // It is set, or may be.
    assert!(found(&format!("{check}MOVE 'X' TO A.\nIF A = 'X' DISPLAY 'ONE'.")).is_empty());
    assert!(found(&format!("{check}MOVE 'X' TO AGAIN.\nIF A = 'X' DISPLAY 'ONE'.")).is_empty());
    assert!(found(&format!("{check}CALL 'NEXT' USING A.\nIF A = 'X' DISPLAY 'ONE'.")).is_empty());
    assert!(found(&format!("{check}PERFORM TAKE.\nIF A = 'X' DISPLAY 'ONE'.\nGOBACK.\nTAKE.\nACCEPT A.")).is_empty());
}

#[test]
fn an_else_that_is_never_taken() {
    let found = |statements: &str| {
        let data = "01 END-OF-FILE PIC X VALUE 'N'.\n88 AT-END VALUE 'Y'.\n01 A PIC 9.\n01 LAST-ONE PIC X.";
        let all = format!("ACCEPT A.\n{statements}\nDISPLAY A.\nGOBACK.\nR.\nMOVE 'Y' TO END-OF-FILE.");
        let kinds = only(|kind| matches!(kind, DeadElse { .. }), data, &all);
        kinds.len()
    };
    let lopped = |until: &str, first: &str, test: &str| {
        format!(
            "PERFORM {until}\n{first}\nIF {test}\nPERFORM R\nELSE\nMOVE 'L' TO LAST-ONE\nDISPLAY LAST-ONE\nEND-IF\nEND-PERFORM."
        )
    };
    // The loop asks before each round, and the item has no third value.
    assert_eq!(found(&lopped("UNTIL END-OF-FILE = 'Y'", "ADD 1 TO A", "END-OF-FILE = 'N'")), 1);
    assert_eq!(found(&lopped("UNTIL AT-END", "ADD 1 TO A", "NOT AT-END")), 1);
    assert_eq!(found(&lopped("UNTIL A > 5", "DISPLAY A", "A <= 5")), 1);
    assert_eq!(found("IF A = 1\nDISPLAY 'ONE'\nIF A < 2 DISPLAY 'LESS' ELSE DISPLAY 'MORE'\nEND-IF."), 1);
    // Another first value, nothing done, or names that are not known.
    let unset = lopped("UNTIL LAST-ONE = 'Y'", "ADD 1 TO A", "LAST-ONE = 'N'").replace("TO LAST-ONE", "TO A");
    assert_eq!(found(&format!("IF A = 9\nMOVE 'N' TO LAST-ONE\nMOVE 'Y' TO LAST-ONE.\n{unset}")), 0);
    assert_eq!(found("IF A = 1\nDISPLAY 'ONE'\nIF A < 2 DISPLAY 'LESS' ELSE CONTINUE\nEND-IF."), 0);
    assert_eq!(found("IF NONE = 1\nADD 5 TO NONE\nIF NONE < 2 DISPLAY 'LESS' ELSE DISPLAY 'MORE'\nEND-IF."), 0);
    // It asks behind the round, something sets the item before the test, or there is a third value.
    assert_eq!(found(&lopped("WITH TEST AFTER UNTIL END-OF-FILE = 'Y'", "ADD 1 TO A", "END-OF-FILE = 'N'")), 0);
    assert_eq!(found(&lopped("UNTIL END-OF-FILE = 'Y'", "PERFORM R", "END-OF-FILE = 'N'")), 0);
    assert_eq!(found(&lopped("UNTIL END-OF-FILE = 'Y'", "ADD 1 TO A", "END-OF-FILE = 'N' AND A = 1")), 0);
    let third = "MOVE 'E' TO END-OF-FILE.\n";
    assert_eq!(found(&format!("{third}{}", lopped("UNTIL END-OF-FILE = 'Y'", "ADD 1 TO A", "END-OF-FILE = 'N'"))), 0);
    assert_eq!(found("IF A = 1\nMOVE 3 TO A\nIF A < 2 DISPLAY 'LESS' ELSE DISPLAY 'MORE'\nEND-IF."), 0);
}

#[test]
fn a_branch_that_is_never_taken() {
    let found = |statements: &str| {
        let data = "01 T PIC 9(4).\n01 F PIC 9(4).\n01 H PIC 9(4).\n01 SW PIC X VALUE 'N'.\n01 EOF-SW PIC X VALUE 'N'.";
        let all =
            format!("ACCEPT T.\nACCEPT F.\nACCEPT H.\n{statements}\nDISPLAY SW.\nGOBACK.\nR.\nMOVE 'Y' TO EOF-SW.");
        let kinds = only(|kind| matches!(kind, DeadBranch { .. }), data, &all);
        kinds
            .into_iter()
            .filter_map(|kind| if let DeadBranch { test, .. } = kind { Some(test) } else { None })
            .collect::<Vec<_>>()
    };
    // An ELSE that belongs to the inner IF.
    let ladder =
        "IF SW = 'N'\nIF T NOT < F OR T NOT > H\nMOVE 'Y' TO SW\nELSE\nIF T NOT < F AND T NOT > H\nMOVE 'Z' TO SW.";
    assert_eq!(found(ladder), ["T >= F AND T <= H"]);
    assert_eq!(found("IF T = 1\nDISPLAY 'ONE'\nIF T = 2 DISPLAY 'TWO' END-IF\nEND-IF."), ["T = 2"]);
    let at_end = "PERFORM UNTIL EOF-SW = 'Y'\nIF EOF-SW = 'Y' DISPLAY 'END' END-IF\nPERFORM R\nEND-PERFORM.";
    assert_eq!(found(at_end), ["EOF-SW = 'Y'"]);
    // It may hold, something between sets the item, or nothing is done.
    assert!(found(&ladder.replace("ELSE", "END-IF")).is_empty());
    assert!(found(&at_end.replace("\nIF", "\nPERFORM R\nIF")).is_empty());
    assert!(found("IF T = 1\nADD 1 TO T\nIF T = 2 DISPLAY 'TWO' END-IF\nEND-IF.").is_empty());
    assert!(found("IF T = 1\nDISPLAY 'ONE'\nIF T = 2 CONTINUE END-IF\nEND-IF.").is_empty());
    assert!(found("IF T > 1\nDISPLAY 'MORE'\nIF T = 2 DISPLAY 'TWO' END-IF\nEND-IF.").is_empty());
}

#[test]
fn conditions_that_nothing_or_everything_meets() {
    let told = |data: &str, condition: &str| {
        let text = format!("ACCEPT A. ACCEPT B.\nIF {condition}\nDISPLAY A ELSE DISPLAY B END-IF.\nGOBACK.");
        let found = found("", &format!("01 A PIC {data}.\n01 B PIC {data}."), &text);
        found.into_iter().filter(|kind| matches!(kind, Contradiction { .. })).map(|kind| kind.to_string()).collect()
    };
    let check = |data: &str, condition: &str, expected: &[&str]| {
        let told: Vec<String> = told(data, condition);
        assert_eq!(told, expected, "{data}: {condition}");
    };
    let or = "A NOT = 'X' or A NOT = 'Y' is always true, whatever the item holds. Is AND meant?";
    for condition in ["A NOT = 'X' OR A NOT = 'Y'", "A NOT = 'X' OR 'Y'", "B = 'Z' AND (A NOT = 'X' OR A NOT = 'Y')"] {
        check("X", condition, &[or]);
    }
    let and = "A < 0 and A > 2 are never both true, so nothing meets this condition. Is OR meant?";
    check("S9(5)", "B = 3 AND A < 0 AND A > 2", &[and]);
    check("S9(5)", "B = 3 OR (A < 0 AND A > 2)", &[and]);
    for condition in [
        "A NOT = 'X' AND A NOT = 'Y'",
        "A = 'X' OR A = 'Y'",
        "A NOT = 'X' OR B NOT = 'X'",
        "A NOT = 'X' AND B NOT = 'Y'",
        "NOT (A = 'X' OR A = 'Y')",
    ] {
        check("X", condition, &[]);
    }
    for condition in ["A >= 0 AND A <= 2", "A < 0 OR A > 2", "A > 2 AND A < 4", "A <= 2 AND A >= 2"] {
        check("S9(5)", condition, &[]);
    }
}
