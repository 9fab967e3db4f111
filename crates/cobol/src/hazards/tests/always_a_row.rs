//! Queries that always give a row and are tested for none.

use super::*;

#[test]
fn a_query_that_always_gives_a_row() {
    let check = |sql: &str, expected: &[HazardKind]| {
        let data = "EXEC SQL INCLUDE SQLCA END-EXEC.\n01 N PIC S9(9) COMP.";
        let statements = format!("EXEC SQL {sql} END-EXEC\nIF SQLCODE = 100 DISPLAY 'NONE'.\nGOBACK.");
        check_only(|kind| matches!(kind, AlwaysARow { .. }), ["", data, &statements], expected);
    };
    let row = [AlwaysARow { operation: name("SELECT of POL"), tested: false }];
    check("SELECT COUNT(*) INTO :N FROM POL", &row);
    check("SELECT VALUE(SUM(AMT), 0) INTO :N FROM POL\nWHERE NR = :N", &row);
    check("SELECT MAX(AMT) INTO :N FROM POL\nGROUP BY NR", &[]);
    check("SELECT AMT INTO :N FROM POL WHERE NR = :N", &[]);
    check("SELECT VALUE(AMT, 0) INTO :N FROM POL", &[]);
    // Functions of each row; a row that is left out.
    check("SELECT MAX(A, B) INTO :N FROM POL\nWHERE NR = :N", &[]);
    check("SELECT COUNT(*) OVER (PARTITION BY K)\nINTO :N FROM POL", &[]);
    check("SELECT COUNT(*) INTO :N FROM POL\nWHERE NR = :N OFFSET 1 ROWS", &[]);
    check("SELECT DISTINCT COUNT(*) INTO :N\nFROM POL", &row);
    check("SELECT MAX(VALUE(A, B)) INTO :N\nFROM POL", &row);
    // Any functions around one over all rows, and what is computed with it.
    for value in [
        "COALESCE(MAX(AMT), 0)",
        "INTEGER(SUM(AMT))",
        "COALESCE(SMALLINT(MAX(AMT)) + 1, 0)",
        "0 + MAX(AMT)",
        "VALUE(0, SUM(AMT))",
        "SUBSTR(CHAR(MAX(NR)), 1, 4)",
        "CASE WHEN COUNT(*) > 0 THEN 1 ELSE 0 END",
    ] {
        check(&format!("SELECT {value}\nINTO :N FROM POL"), &row);
    }
    for value in [
        "COALESCE(SUM(A) OVER (), 0)",
        "COALESCE((SELECT MAX(A) FROM T2), 0)",
        "MAX(A, COALESCE(B, 0))",
        "COALESCE(A, 'MAX(B)')",
        "MYMAX(A)",
        "CASE WHEN ¬(A = 1) THEN 1 END",
        "€(A)",
    ] {
        check(&format!("SELECT {value}\nINTO :N FROM POL"), &[]);
    }
}

#[test]
fn the_first_row_of_a_cursor_that_always_has_one() {
    let check = |statements: &str, is_hazard: bool| {
        let data = "EXEC SQL INCLUDE SQLCA END-EXEC.\n01 N PIC S9(9) COMP.\n01 I PIC 9.\nEXEC SQL DECLARE C CURSOR FOR\nSELECT COALESCE(MAX(AMT), 0) FROM POL END-EXEC.";
        let expected = [AlwaysARow { operation: name("FETCH of C"), tested: false }];
        let is_it = |kind: &HazardKind| matches!(kind, AlwaysARow { .. });
        check_only(is_it, ["", data, statements], if is_hazard { &expected } else { &[] });
    };
    let open = "EXEC SQL OPEN C END-EXEC.\n";
    let fetch = "EXEC SQL FETCH C INTO :N END-EXEC\n";
    let test = "IF SQLCODE = 100 DISPLAY 'NONE' END-IF";
    check(&format!("{open}{fetch}{test}.\nGOBACK."), true);
    check(&format!("{open}IF SQLCODE = 0\n{fetch}{test}\nEND-IF.\nGOBACK."), true);
    let performed = |way: &str| format!("PERFORM OPEN-C.\n{way}.\nGOBACK.\nOPEN-C.\n{open}FETCH-C.\n{fetch}{test}.");
    check(&performed("PERFORM FETCH-C"), true);
    check(&performed("IF SQLCODE = 0 PERFORM FETCH-C"), true);
    // Another FETCH, a loop, a way back, an OPEN that need not run, several rows.
    check(&format!("{open}{fetch}{test}.\n{fetch}{test}.\nGOBACK."), false);
    check(&format!("{open}PERFORM UNTIL SQLCODE = 100\n{fetch}{test}\nEND-PERFORM.\nGOBACK."), false);
    check(&performed("PERFORM FETCH-C UNTIL SQLCODE = 100"), false);
    check(&performed("PERFORM FETCH-C 2 TIMES"), false);
    check(&performed("PERFORM FETCH-C.\nPERFORM FETCH-C"), false);
    check(&performed("PERFORM VARYING I FROM 1 BY 1 UNTIL I = 5\nPERFORM FETCH-C\nEND-PERFORM"), false);
    check(&format!("{open}GO TO R.\nR.\n{fetch}{test}.\nIF N > 0 GO TO R.\nGOBACK."), false);
    check(&format!("IF N = 0\nEXEC SQL OPEN C END-EXEC\nEND-IF\n{fetch}{test}.\nGOBACK."), false);
    check(&format!("{open}{}{test}.\nGOBACK.", fetch.replace("FETCH C", "FETCH NEXT ROWSET FROM C FOR 5 ROWS")), false);
}

#[test]
fn whether_the_value_is_tested() {
    let check = |test: &str, tested: bool| {
        let data = "EXEC SQL INCLUDE SQLCA END-EXEC.\n01 N PIC S9(9) COMP.\n01 M PIC S9(9) COMP.";
        let select = "EXEC SQL SELECT COUNT(*) INTO :N FROM POL END-EXEC";
        let statements = format!("{select}\nEVALUATE SQLCODE\nWHEN 0 {test}\nWHEN 100 DISPLAY 'X'.\nGOBACK.");
        let expected = [AlwaysARow { operation: name("SELECT of POL"), tested }];
        check_only(|kind| matches!(kind, AlwaysARow { .. }), ["", data, &statements], &expected);
    };
    check("IF N = 0 DISPLAY 'NONE' END-IF", true);
    check("EVALUATE N WHEN 0 DISPLAY 'NONE' END-EVALUATE", true);
    check("IF M = 0 DISPLAY 'NONE' END-IF", false);
    check("DISPLAY N", false);
}
