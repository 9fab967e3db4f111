//! Results of operations that are tested by another name.

use super::*;

#[test]
fn a_status_that_is_tested_by_what_shares_its_bytes() {
    let data = "01 STATUSES.\n05 ST-F.\n10 ST-1 PIC X.\n88 IS-GOOD VALUE '0'.\n10 ST-2 PIC X.\n05 NOTE PIC X.\n\
                88 HAS-NOTE VALUE 'Y'.\n01 BOTH REDEFINES STATUSES.\n05 B-ST PIC 99.\n88 B-END VALUE 10.\n05 B-NOTE PIC X.";
    let check = |test: &str, is_untested: bool| {
        let untested = UntestedStatus { operation: name("OPEN of F"), item: name("ST-F") };
        let expected = if is_untested { vec![untested] } else { Vec::new() };
        let statements = format!("OPEN INPUT F.\nIF {test} DISPLAY 'A'.\nGOBACK.");
        check_only(|kind| matches!(kind, UntestedStatus { .. }), ["F", data, &statements], &expected);
    };
    for test in
        ["ST-F = '35'", "ST-1 = '3'", "NOT IS-GOOD", "STATUSES = '35Y'", "B-ST NOT = 0", "B-END", "BOTH = '351'"]
    {
        check(test, false);
    }
    for test in ["NOTE = 'Y'", "HAS-NOTE", "B-NOTE = 'Y'"] {
        check(test, true);
    }
}

#[test]
fn a_result_of_sql_or_cics_that_is_tested_by_what_shares_its_bytes() {
    let data = "01 SQLCA.\n05 SQLCAID PIC X(8).\n05 SQLCODE PIC S9(9) COMP.\n01 AREA-X REDEFINES SQLCA.\n05 FILLER PIC X(8).\n\
                05 CODE-X PIC X(4).\n01 RESPS.\n05 N PIC S9(8) COMP.\n05 M PIC X.\n01 N-X REDEFINES RESPS PIC X(4).\n01 A PIC X VALUE 'A'.";
    let check = |operation: &str, test: &str, expected: usize| {
        let statements = format!("EXEC {operation} END-EXEC\nIF {test} DISPLAY A.\nGOBACK.");
        let is_untested = |kind: &HazardKind| matches!(kind, UntestedStatus { .. });
        assert_eq!(only(is_untested, data, &statements).len(), expected, "{test}");
    };
    let update = "SQL UPDATE T SET C = :A";
    for (test, expected) in [("CODE-X NOT = LOW-VALUES", 0), ("AREA-X = A", 0), ("SQLCAID = 'A'", 1), ("A = 'B'", 1)] {
        check(update, test, expected);
    }
    let write = "CICS WRITEQ TS QUEUE('Q') FROM(A) RESP(N)";
    for (test, expected) in [("RESPS = LOW-VALUES", 0), ("N-X = LOW-VALUES", 0), ("M = 'A'", 1), ("N = 0", 0)] {
        check(write, test, expected);
    }
}

#[test]
fn a_status_with_its_group_that_is_overwritten_or_moved() {
    let data = "01 WS-ALL.\n05 ST-F PIC XX.\n05 GS PIC XX.\n01 WS-SAVE PIC X(4).\n01 WS-R REDEFINES WS-ALL PIC X(4).\n\
                01 SQL-ALL.\n05 SQLCODE PIC S9(9) COMP.\n01 RESP-ALL.\n05 N PIC S9(8) COMP.\n01 A PIC X VALUE 'A'.";
    let is_untested = |kind: &HazardKind| matches!(kind, UntestedStatus { .. });
    let operations = [
        ("OPEN INPUT F", "WS-ALL"),
        ("EXEC SQL UPDATE T SET C = :A END-EXEC", "SQL-ALL"),
        ("EXEC CICS WRITEQ TS QUEUE('Q') FROM(A)\nRESP(N) END-EXEC", "RESP-ALL"),
    ];
    for (operation, group) in operations {
        let check = |next: &str, is_hazard: bool| {
            let statements = format!("{operation}.\n{}\nGOBACK.", next.replace("ALL", group));
            let expected = match (is_hazard, group) {
                (false, _) => Vec::new(),
                (_, "WS-ALL") => vec![UntestedStatus { operation: name("OPEN of F"), item: name("ST-F") }],
                (_, "SQL-ALL") => vec![UntestedStatus { operation: name("UPDATE of T"), item: name("SQLCODE") }],
                _ => vec![UntestedStatus { operation: name("WRITEQ TS of Q"), item: name("N") }],
            };
            check_only(is_untested, ["F", data, &statements], &expected);
        };
        for next in [
            "INITIALIZE ALL.",
            "MOVE SPACES TO ALL.",
            "MOVE ALL TO WS-SAVE.",
            "DISPLAY ALL.",
            "STRING A DELIMITED BY SIZE INTO ALL\nON OVERFLOW DISPLAY A.",
            "PERFORM P.\nGOBACK.\nP.\nMOVE ALL TO WS-SAVE.",
        ] {
            check(next, true);
        }
        check("IF ALL = LOW-VALUES DISPLAY A.", false);
        check("EVALUATE ALL\nWHEN 'A' DISPLAY A\nEND-EVALUATE.", false);
    }
}

#[test]
fn a_status_that_no_performer_of_the_operation_tests() {
    let check = |behind: &str, expected: &[HazardKind]| {
        let open = "OPEN OUTPUT F.\nIF ST-F NOT = '00' STOP RUN.\n";
        let write = "GOBACK.\nWRITE-IT.\nIF N > 5 PERFORM HEAD-IT.\nWRITE REC-F.\nHEAD-IT.\nIF N = 1 PERFORM WRITE-IT.";
        let statements = format!("{open}{}{behind}{write}", "PERFORM WRITE-IT.\n".repeat(12));
        let data = "01 ST-F PIC XX.\n01 N PIC 9.";
        check_only(|kind| matches!(kind, UntestedStatus { .. }), ["F", data, &statements], expected);
    };
    check("", &[UntestedStatus { operation: name("WRITE of F"), item: name("ST-F") }]);
    check("IF ST-F NOT = '00' STOP RUN.\n", &[]);
}

#[test]
fn an_operation_in_the_other_branch_sets_no_status_before_a_test() {
    let check = |statements: &str, expected: usize| {
        let is_untested = |kind: &HazardKind| matches!(kind, UntestedStatus { .. });
        let data = "01 A PIC X VALUE 'A'.";
        let statements = format!("{statements}\nGOBACK.");
        assert_eq!(only(is_untested, data, &statements).len(), expected, "{statements}");
    };
    let update = "EXEC SQL UPDATE T SET C = :A END-EXEC";
    let test = "IF SQLCODE NOT = 0 DISPLAY A END-IF.";
    check(&format!("IF A = 'B'\n{update}\nELSE\n{update}\nEND-IF\n{test}"), 0);
    check(&format!("IF A = 'B'\n{update}\n{update}\nELSE\n{update}\nEND-IF\n{test}"), 1);
    check(&format!("EVALUATE A\nWHEN 'B'\n{update}\nWHEN OTHER\n{update}\nEND-EVALUATE\n{test}"), 0);
}

#[test]
fn results_of_calls_that_nothing_tests() {
    let data = "01 F PIC X(4).\n01 IO-A PIC X(20).\n01 SSA PIC X(9) VALUE 'EDUC     '.\n01 Q PIC S9(9) COMP.\n01 CC PIC S9(9) COMP.\n01 RC PIC S9(9) COMP.\n\
                LINKAGE SECTION.\n01 P1.\n05 DB PIC X(8).\n05 LV PIC XX.\n05 ST PIC XX.";
    let found = |statements: &str| {
        let all = format!("{statements}\nGOBACK.");
        let kinds = only(|kind| matches!(kind, UntestedStatus { .. }), data, &all);
        let said = kinds.into_iter().map(|kind| match kind {
            UntestedStatus { operation, item } => format!("{operation}: {item}"),
            _ => unreachable!(),
        });
        said.collect::<Vec<_>>().join("; ")
    };
    let replace = "MOVE 'REPL' TO F.\nCALL 'CBLTDLI' USING F P1 IO-A SSA.";
    assert_eq!(found(replace), "DL/I REPL of EDUC: ST");
    assert_eq!(found("CALL 'MQPUT' USING Q IO-A CC RC."), "CALL of 'MQPUT': CC");
    // It is tested, by one of both codes, or by who gets the PCB.
    assert_eq!(found(&format!("{replace}\nIF ST NOT = SPACES DISPLAY ST.")), "");
    assert_eq!(found("CALL 'MQPUT' USING Q IO-A CC RC.\nIF RC NOT = 0 DISPLAY RC."), "");
    assert_eq!(found(&format!("{replace}\nCALL 'CHECK' USING P1.")), "");
    // No access to data.
    assert_eq!(found("MOVE 'CHKP' TO F.\nCALL 'CBLTDLI' USING F P1 IO-A."), "");
}
