//! Differences that lose their sign.

use super::*;

#[test]
fn a_difference_moved_to_a_number_without_a_sign() {
    let data = "01 A PIC S9(5).\n01 B PIC S9(5).\n01 D PIC S9(5).\n01 T PIC";
    let check = |picture: &str, statements: &str, expected: &[HazardKind]| {
        let statements = format!("ACCEPT A.\nACCEPT B.\n{statements}\nDISPLAY T.\nGOBACK.");
        let data = format!("{data} {picture}.");
        check_only(|kind| matches!(kind, LostSign { .. }), ["", &data, &statements], expected);
    };
    let lost = || [LostSign { item: name("D"), to: name("T") }];
    for picture in ["9(5)", "ZZ,ZZ9", "9(5) COMP"] {
        check(picture, "COMPUTE D = A - B\nMOVE D TO T", &lost());
        check(picture, "MOVE A TO D\nSUBTRACT B FROM D\nMOVE D TO T", &lost());
    }
    // It has a sign, the difference has a limit, a constant is counted down, and what is moved is no difference.
    for picture in ["S9(5)", "ZZ,ZZ9-", "-(6)9", "ZZZZ9CR", "X(5)"] {
        check(picture, "COMPUTE D = A - B\nMOVE D TO T", &[]);
    }
    check("9(5)", "COMPUTE D = A - B\nIF D > 0 MOVE D TO T", &[]);
    check("9(5)", "MOVE A TO D\nSUBTRACT 1 FROM D\nMOVE D TO T", &[]);
    check("9(5)", "COMPUTE D = A + B\nMOVE D TO T", &[]);
    check("9(5)", "COMPUTE D = A - B\nDISPLAY D\nCOMPUTE D = A + B\nMOVE D TO T", &[]);
}

#[test]
fn what_last_sets_a_difference_before_it_is_moved() {
    let data = "01 A PIC S9(5).\n01 B PIC S9(5).\n01 G.\n05 D PIC S9(5).\n05 E PIC S9(5).\n01 T PIC 9(5).";
    let check = |statements: &str, expected: usize| {
        let computed = "ACCEPT A.\nACCEPT B.\nPERFORM Q.\n";
        let statements = format!("{computed}{statements}\nDISPLAY T.\nGOBACK.\nQ.\nCOMPUTE D = A - B.");
        let is_lost = |kind: &HazardKind| matches!(kind, LostSign { .. });
        assert_eq!(only(is_lost, data, &statements).len(), expected, "{statements}");
    };
    check("MOVE 3 TO D.\nMOVE D TO T.", 0);
    check("MOVE 3 TO D.\nMOVE 4 TO E.\nMOVE D TO T.", 0);
    check("COMPUTE D = A - B.\nINITIALIZE G.\nMOVE D TO T.", 0);
    check("INITIALIZE G.\nCOMPUTE D = A - B.\nMOVE D TO T.", 1);
    check("MOVE 3 TO D.\nIF A > 5\nCOMPUTE D = A - B\nEND-IF.\nMOVE D TO T.", 1);
    // Paragraphs that are performed may compute it.
    check("MOVE 3 TO D.\nPERFORM Q.\nMOVE D TO T.", 1);
    check("MOVE 3 TO D.\nPERFORM 3 TIMES\nDISPLAY A\nEND-PERFORM.\nMOVE D TO T.", 0);
}
