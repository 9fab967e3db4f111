//! What Db2 and the caller may hand over: values that are NULL, and no communication area.

use super::*;

/// A table whose second column may be NULL.
const TABLE: &str = "EXEC SQL DECLARE POL TABLE\n(NR CHAR(4) NOT NULL,\nNOTE CHAR(8)) END-EXEC.\n01 A PIC X(4).\n01 B PIC X(8).\n01 B-N PIC S9(4) COMP.";

#[track_caller]
fn check_null(sql: &str, expected: Option<(&str, bool)>) {
    let statements = format!("EXEC SQL {sql} END-EXEC\nGOBACK.");
    let expected: Vec<HazardKind> = (expected.into_iter())
        .map(|(value, of_no_rows)| NullUnseen { values: vec![name(value)], of_no_rows })
        .collect();
    check_only(|kind| matches!(kind, NullUnseen { .. }), ["", TABLE, &statements], &expected);
}

#[test]
fn a_column_that_may_be_null_without_an_indicator_variable() {
    let note = Some(("NOTE", false));
    check_null("SELECT NR, NOTE INTO :A, :B\nFROM POL WHERE NR = :A", note);
    check_null("SELECT P.NR, P.NOTE INTO :A, :B\nFROM X.POL P WHERE NR = :A", Some(("P.NOTE", false)));
    let cursor = "DECLARE C CURSOR FOR SELECT NOTE, NR\nFROM POL END-EXEC\n";
    check_null(&format!("{cursor}EXEC SQL OPEN C END-EXEC\nEXEC SQL FETCH C INTO :B, :A"), note);
    // An indicator, a condition on the column, a function, a structure, and a table that nothing declares.
    check_null("SELECT NR, NOTE INTO :A, :B :B-N\nFROM POL WHERE NR = :A", None);
    check_null("SELECT NR, NOTE INTO :A, :B:B-N\nFROM POL WHERE NR = :A", None);
    check_null("SELECT NOTE INTO :B FROM POL\nWHERE NOTE > :A", None);
    check_null("SELECT COALESCE(NOTE, ' ') INTO :B\nFROM POL WHERE NR = :A", None);
    check_null("SELECT NR, NOTE INTO :A\nFROM POL WHERE NR = :A", None);
    check_null("SELECT NOTE INTO :B FROM OTHER\nWHERE NR = :A", None);
    check_null("SELECT P.NOTE INTO :B\nFROM POL P, OTHER O WHERE P.NR = O.NR", None);
}

#[test]
fn a_function_over_no_rows_without_an_indicator_variable() {
    check_null("SELECT MAX(NR) INTO :A FROM POL", Some(("MAX(NR)", true)));
    check_null("SELECT COUNT(*), SUM(AMT) INTO :B, :A\nFROM OTHER", Some(("SUM(AMT)", true)));
    check_null("SELECT MAX(NR) INTO :A :B-N FROM POL", None);
    check_null("SELECT COUNT(*) INTO :A FROM POL", None);
    check_null("SELECT COALESCE(MAX(NR), '0') INTO :A\nFROM POL", None);
    check_null("SELECT MAX(NR) INTO :A FROM POL\nGROUP BY NR", None);
    check_null("SELECT MAX(K, 'A') INTO :A FROM OTHER", None);
    check_null("SELECT MAX(NR) INTO :A FROM POL\nOFFSET 1 ROWS", None);
    // The error is expected.
    for test in ["SQLCODE NOT = 0 AND -305", "SQLCODE = -305"] {
        check_null(
            &format!("SELECT MAX(NR) INTO :A FROM POL\nEND-EXEC\nIF {test}\nMOVE 0 TO A END-IF\nEXEC SQL COMMIT"),
            None,
        );
    }
    check_null(
        "SELECT MAX(NR) INTO :A FROM POL\nEND-EXEC\nIF SQLCODE < 0\nMOVE 0 TO A END-IF\nEXEC SQL COMMIT",
        Some(("MAX(NR)", true)),
    );
}

#[test]
fn an_item_that_a_statement_passes_to_the_database_and_that_nothing_sets() {
    let check = |statements: &str, expected: Option<&str>| {
        let expected = expected.map(|command| UnsetInput { item: name("A"), command: name(command) });
        let expected: Vec<HazardKind> = expected.into_iter().collect();
        check_only(|kind| matches!(kind, UnsetInput { .. }), ["", TABLE, &format!("{statements}\nGOBACK.")], &expected);
    };
    let select = "EXEC SQL SELECT NR INTO :B FROM POL\nWHERE NR = :A END-EXEC";
    check(select, Some("SELECT"));
    let cursor = "EXEC SQL DECLARE C CURSOR FOR SELECT NR\nFROM POL WHERE NR = :A END-EXEC";
    check(&format!("{cursor}\nEXEC SQL OPEN C END-EXEC"), Some("DECLARE CURSOR"));
    check(&format!("MOVE 'X' TO A\n{select}"), None);
    check(&format!("{select}\nACCEPT A"), None);
    check("EXEC SQL SELECT NR INTO :A FROM POL END-EXEC", None);
    check("EXEC SQL SELECT NR INTO :B FROM POL\nWHERE NR = :NOTHING END-EXEC", None);
    let with_value = |statements: &str| found("", "01 A PIC X VALUE 'A'.\n01 B PIC X.", statements);
    let kinds = with_value(&format!("{select}\nDISPLAY B\nGOBACK."));
    assert!(!kinds.iter().any(|kind| matches!(kind, UnsetInput { .. })), "{kinds:?}");
}

#[test]
fn a_communication_area_that_may_not_be_there() {
    let program = |statements: &str| {
        let statements: String = statements.lines().map(|line| format!("           {line}\n")).collect();
        format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n\
             \x20      01 W PIC X(9).\n       LINKAGE SECTION.\n       01 DFHCOMMAREA.\n          05 F PIC X(9).\n\
             \x20      PROCEDURE DIVISION.\n       MAIN.\n{statements}"
        )
    };
    let check = |statements: &str, expected: &[HazardKind]| {
        let of_areas = found_in(program(statements)).into_iter().filter(|kind| matches!(kind, UncheckedArea { .. }));
        assert_eq!(of_areas.collect::<Vec<_>>(), expected, "{statements}");
    };
    let unchecked = || [UncheckedArea { item: name("DFHCOMMAREA") }];
    check("MOVE F TO W\nDISPLAY W\nGOBACK.", &unchecked());
    check("IF F = 'A' DISPLAY W.\nGOBACK.", &unchecked());
    check("IF EIBCALEN = 0 GOBACK.\nMOVE F TO W\nDISPLAY W\nGOBACK.", &[]);
    check("DISPLAY W\nGOBACK.", &[]);
}
