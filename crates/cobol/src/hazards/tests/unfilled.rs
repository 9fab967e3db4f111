//! What nothing fills, tests in vain, and changes that CICS refuses.

use super::*;

#[test]
fn an_item_that_goes_out_as_it_was_in_storage() {
    let check = |data: &str, statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, Unfilled { .. }), ["", data, statements], expected);
    };
    let unfilled = |items: &[&str], group: Option<&str>, is_part| {
        let items = items.iter().map(|item| name(item)).collect();
        Unfilled { items, group: group.map(name), is_part }
    };
    check("01 A PIC X.\n01 B PIC X.", "MOVE A TO B.\nDISPLAY B.\nGOBACK.", &[unfilled(&["A"], None, false)]);
    let line = "01 HEAD.\n05 FILLER PIC X(4) VALUE 'DAY '.\n05 H-DAY PIC 99.\n05 H-MONTH PIC 99.\n01 OUT PIC X(80).";
    check(
        line,
        "MOVE 1 TO H-DAY.\nMOVE HEAD TO OUT.\nDISPLAY OUT.\nGOBACK.",
        &[unfilled(&["H-MONTH"], Some("HEAD"), true)],
    );
    // The group is filled, or handed over; another view has a value; a condition tells of it.
    for statements in ["INITIALIZE HEAD.\nDISPLAY HEAD.\nGOBACK.", "CALL 'X' USING HEAD.\nDISPLAY HEAD.\nGOBACK."] {
        check(line, statements, &[]);
    }
    let view = "01 A PIC X(2) VALUE 'AB'.\n01 R REDEFINES A.\n05 R-1 PIC X.\n05 R-2 PIC X.";
    check(view, "DISPLAY R-1 R-2.\nGOBACK.", &[]);
    check("01 A PIC X.", "IF A = 'Y' DISPLAY A.\nGOBACK.", &[]);
    // The value of a condition name is none of the item.
    check(
        "01 A PIC X.\n88 A-Y VALUE 'Y'.\n01 B PIC X.",
        "MOVE A TO B.\nDISPLAY B.\nGOBACK.",
        &[unfilled(&["A"], None, false)],
    );
    let group = "01 G.\n05 G-1 PIC X.\n88 G-1-Y VALUE 'Y'.\n05 G-2 PIC X.";
    check(group, "DISPLAY G-1 G-2.\nGOBACK.", &[unfilled(&["G-1", "G-2"], Some("G"), false)]);
}

#[test]
fn an_item_that_the_run_time_system_sets() {
    let check = |names: &str, expected: &[HazardKind]| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n\
             \x20      SPECIAL-NAMES.\n{names}       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 KEY-ST PIC 9(4).\n\
             \x20      01 CUR PIC 9(4).\n       PROCEDURE DIVISION.\n           DISPLAY KEY-ST CUR.\n           GOBACK.\n"
        );
        let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &SmallCopybooks));
        let unset = analysis.hazards(&source).into_iter().map(|hazard| hazard.kind);
        let unset: Vec<_> = unset.filter(|kind| matches!(kind, Unfilled { .. })).collect();
        assert_eq!(unset, expected, "{names}");
    };
    let unfilled = |item: &str| Unfilled { items: vec![name(item)], group: None, is_part: false };
    check("           CRT STATUS IS KEY-ST\n           CURSOR CUR.\n", &[]);
    check("           CRT STATUS\n             IS KEY-ST.\n      * CURSOR IS CUR\n", &[unfilled("CUR")]);
    check("           DECIMAL-POINT IS COMMA.\n", &[unfilled("KEY-ST"), unfilled("CUR")]);
}

#[test]
fn an_unset_item_is_told_once() {
    let select = "EXEC SQL SELECT NR INTO :B FROM POL\nWHERE NR = :A END-EXEC";
    let kinds = found("", "01 A PIC X.\n88 A-Y VALUE 'Y'.\n01 B PIC X.", &format!("{select}\nDISPLAY A B.\nGOBACK."));
    let is_unset = |kind: &HazardKind| matches!(kind, Unfilled { .. } | UnsetInput { .. });
    let unset: Vec<_> = kinds.into_iter().filter(is_unset).collect();
    assert_eq!(unset, [UnsetInput { item: name("A"), command: name("SELECT") }]);
}

#[test]
fn packed_numbers_of_a_record_that_gets_blanks() {
    let check = |statements: &str, expected: &[HazardKind]| {
        let data = "01 REC.\n05 R-NAME PIC X(4).\n05 R-SUM PIC S9(5) COMP-3.\n01 IN PIC X(7).";
        check_only(|kind| matches!(kind, BlankNumber { .. }), ["", data, statements], expected);
    };
    let blank = [BlankNumber { items: vec![name("R-SUM")], group: name("REC") }];
    check("MOVE SPACES TO REC.\nMOVE 'A' TO R-NAME.\nDISPLAY REC.\nGOBACK.", &blank);
    check("MOVE SPACE TO REC.\nADD R-SUM TO R-SUM GIVING R-SUM.\nGOBACK.", &[]);
    check("MOVE SPACES TO REC.\nMOVE 0 TO R-SUM.\nDISPLAY REC.\nGOBACK.", &[]);
    check("MOVE SPACES TO REC.\nACCEPT IN.\nMOVE IN TO REC.\nDISPLAY REC.\nGOBACK.", &[]);
    check("MOVE SPACES TO REC.\nDISPLAY R-NAME.\nGOBACK.", &[]);
    // Blanks in another form; a condition compares the record as text, but a number as number.
    for blanks in ["' '", "ALL SPACES", "ALL ' '", "\"   \""] {
        check(&format!("MOVE {blanks} TO REC.\nDISPLAY REC.\nGOBACK."), &blank);
    }
    check("MOVE 'A' TO REC.\nDISPLAY REC.\nGOBACK.", &[]);
    check("MOVE SPACES TO REC.\nIF REC = IN DISPLAY IN.\nGOBACK.", &[]);
    check("MOVE SPACES TO REC.\nIF R-SUM > 0 DISPLAY IN.\nGOBACK.", &blank);
}

#[test]
fn a_blanked_record_of_several_layouts_or_that_others_fill() {
    let check = |data: &str, statements: &str, expected: &[HazardKind]| {
        let statements = format!("MOVE SPACES TO REC.\n{statements}\nGOBACK.");
        check_only(|kind| matches!(kind, BlankNumber { .. }), ["", data, &statements], expected);
    };
    let blank = |items: &[&str], group: &str| BlankNumber {
        items: items.iter().map(|item| name(item)).collect(),
        group: name(group),
    };
    let record = "01 REC.\n05 R-KIND PIC X.\n05 R-TEXT PIC X(9).\n05 R-A REDEFINES R-TEXT.\n10 A-SUM PIC S9(7) COMP-3.\n\
                  05 R-REST.\n10 REST-SUM PIC S9(5) COMP-3.";
    check(record, "DISPLAY REC.", &[blank(&["REST-SUM"], "REC")]);
    check(&format!("{record}\n05 R-B REDEFINES R-REST PIC X(3)."), "DISPLAY REC.", &[]);
    check(&format!("{record}\n01 OTHER REDEFINES REC PIC X(13)."), "DISPLAY OTHER.", &[]);
    // The innermost of the groups that get blanks, and each of its numbers.
    let nested = "01 REC.\n05 R-SUM PIC S9(5) COMP-3.\n05 R-G.\n10 G-A PIC S9(5) COMP-3.\n10 G-B PIC S9(5) COMP-3.";
    let numbers = [blank(&["G-A", "G-B"], "R-G"), blank(&["R-SUM"], "REC")];
    check(nested, "MOVE SPACES TO R-G.\nDISPLAY REC.", &numbers);
    // Another program may fill it.
    check("01 REC EXTERNAL.\n05 R-SUM PIC S9(5) COMP-3.", "CALL 'SUB'.\nDISPLAY REC.", &[]);
    let pointer = "01 REC.\n05 R-SUM PIC S9(5) COMP-3.\n01 P POINTER.";
    check(pointer, "SET P TO ADDRESS OF REC.\nCALL 'SUB' USING P.\nDISPLAY REC.", &[]);
}

#[test]
fn a_blanked_record_is_shown_where_it_first_gets_blanks() {
    let program = |statements: &str| {
        format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       ENVIRONMENT DIVISION.\n\
             \x20      INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n           SELECT F ASSIGN TO F.\n\
             \x20      DATA DIVISION.\n       FILE SECTION.\n       FD F.\n       01 REC.\n          05 R-SUM PIC S9(5) COMP-3.\n\
             \x20      PROCEDURE DIVISION.\n           OPEN OUTPUT F.\n{statements}           GOBACK.\n"
        )
    };
    let text = program("           MOVE SPACES TO REC.\n           WRITE REC.\n           MOVE SPACES TO REC.\n");
    let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &SmallCopybooks));
    let lines: Vec<_> = hazards(&analysis)
        .into_iter()
        .filter(|hazard| matches!(hazard.kind, BlankNumber { .. }))
        .flat_map(|hazard| hazard.lines)
        .map(|lines| lines.start().get())
        .collect();
    assert_eq!(lines, [14, 16]);
}

#[test]
fn one_open_of_files_that_share_a_status() {
    let files = "       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n\
                 \x20          SELECT F ASSIGN TO DF FILE STATUS IS ST.\n           SELECT G ASSIGN TO DG FILE STATUS IS ST.\n\
                 \x20      DATA DIVISION.\n       FILE SECTION.\n       FD F.\n       01 RF PIC X.\n       FD G.\n       01 RG PIC X.\n";
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n{files}       WORKING-STORAGE SECTION.\n       01 ST PIC XX.\n\
         \x20      PROCEDURE DIVISION.\n           OPEN INPUT F G.\n           IF ST NOT = '00' GOBACK.\n           GOBACK.\n"
    );
    let found: Vec<_> = found_in(text).into_iter().filter(|kind| matches!(kind, UntestedStatus { .. })).collect();
    assert_eq!(found, [UntestedStatus { operation: name("OPEN of F"), item: name("ST") }]);
}

#[test]
fn a_rewrite_of_what_nothing_reads_for_update() {
    let check = |read: &str, expected: &[HazardKind]| {
        let statements = format!(
            "{read}EXEC CICS REWRITE FILE('POLS') FROM(A)\nRESP(N) END-EXEC\nIF N NOT = DFHRESP(NORMAL) DISPLAY A.\nGOBACK."
        );
        let data = "01 A PIC X(80).\n01 N PIC S9(9) COMP.";
        check_only(|kind| matches!(kind, RewrittenUnread { .. }), ["", data, &statements], expected);
    };
    let unread = [RewrittenUnread { command: name("REWRITE"), file: name("POLS") }];
    check("", &unread);
    check("EXEC CICS READ FILE('POLS') INTO(A)\nRIDFLD(A) END-EXEC\n", &unread);
    check("EXEC CICS READ FILE('OTHER') INTO(A)\nRIDFLD(A) UPDATE END-EXEC\n", &unread);
    check("EXEC CICS READ FILE('POLS') INTO(A)\nRIDFLD(A) UPDATE END-EXEC\n", &[]);
    check("EXEC CICS READ FILE(A) INTO(A)\nRIDFLD(A) UPDATE END-EXEC\n", &[]);
    // What is not seen may read it.
    check("COPY MISSING.\n", &[]);
}

#[test]
fn texts_of_a_table_and_packed_dates_that_are_not_cut() {
    let check = |data: &str, statements: &str, expected: usize| {
        let is_cut = |kind: &HazardKind| matches!(kind, Truncated { .. });
        assert_eq!(found("", data, statements).iter().filter(|kind| is_cut(kind)).count(), expected, "{statements}");
    };
    let table = "01 T.\n05 FILLER PIC X(9) VALUE 'ONE'.\n05 FILLER PIC X(9) VALUE 'EIGHTEEN'.\n\
                 01 T-R REDEFINES T.\n05 M PIC X(9) OCCURS 2.\n01 B PIC X(5).\n01 I PIC 9.";
    check(table, "MOVE M(1) TO B.\nDISPLAY B.\nGOBACK.", 0);
    check(table, "MOVE M(2) TO B.\nDISPLAY B.\nGOBACK.", 1);
    check(table, "ACCEPT I.\nMOVE M(I) TO B.\nDISPLAY B.\nGOBACK.", 1);
    check(table, "MOVE 'SEVENTEEN' TO M(1).\nMOVE M(1) TO B.\nDISPLAY B.\nGOBACK.", 1);
    let date = "01 A PIC S9(9) COMP-3.\n01 B PIC 9(8).\n01 C PIC 9(7).";
    check(date, "ACCEPT A.\nMOVE A TO B.\nDISPLAY B.\nGOBACK.", 0);
    check(date, "ACCEPT A.\nMOVE A TO C.\nDISPLAY C.\nGOBACK.", 1);
}

#[test]
fn an_entry_of_a_table_that_a_literal_selects() {
    let check = |moved: &str, expected: usize| {
        let data = "01 T.\n05 FILLER PIC X(9) VALUE 'ONE'.\n05 FILLER PIC X(9) VALUE 'EIGHTEEN'.\n\
                    01 TR REDEFINES T.\n05 M PIC X(9) OCCURS 2.\n01 B PIC X(5).";
        let statements = format!("MOVE {moved} TO B.\nDISPLAY B.\nGOBACK.");
        let is_cut = |kind: &HazardKind| matches!(kind, Truncated { .. });
        assert_eq!(only(is_cut, data, &statements).len(), expected, "{moved}");
    };
    for one in ["M(1)", "M (1)", "M OF TR (1)", "M IN TR(1)", "M (+1)"] {
        check(one, 0);
        check(&one.replace('1', "2"), 1);
    }
}

#[test]
fn numbers_with_one_digit_too_many() {
    let check = |data: &str, statements: &str, expected: usize| {
        let statements = format!("ACCEPT A.\n{statements}\nDISPLAY T.\nGOBACK.");
        let is_cut = |kind: &HazardKind| matches!(kind, Truncated { .. });
        assert_eq!(only(is_cut, data, &statements).len(), expected, "{data} {statements}");
    };
    // Dates.
    check("01 A PIC S9(9) COMP-3.\n01 T PIC 9(8).", "MOVE A TO T.", 0);
    check("01 A PIC S9(7) COMP-3.\n01 T PIC 9(6).", "MOVE A TO T.", 0);
    check("01 A PIC S9(3) COMP-3.\n01 T PIC 99.", "MOVE A TO T.", 1);
    check("01 A PIC S9(5) COMP-3.\n01 T PIC 9(4).", "MOVE A TO T.", 1);
    // No date is computed.
    let computed = "01 A PIC S9(5) COMP-3.\n01 B PIC S9(7) COMP-3.\n01 T PIC 9(6).";
    check(computed, "MULTIPLY 100 BY A GIVING B.\nMOVE B TO T.", 1);
    check(computed, "COMPUTE B = A * 100.\nMOVE B TO T.", 1);
    check(computed, "MOVE A TO B.\nMOVE B TO T.", 0);
}

#[test]
fn a_second_test_of_a_status_behind_what_performs_the_end() {
    let check = |between: &str, expected: &[HazardKind]| {
        let statements = format!(
            "OPEN INPUT F.\nIF ST-F NOT = '00'\nPERFORM BAD.\n{between}IF ST-F NOT = '00'\nPERFORM BAD.\nGOBACK.\nBAD.\nSTOP RUN."
        );
        check_only(
            |kind| matches!(kind, ExcludedTest { .. }),
            ["F", "01 ST-F PIC XX.\n01 A PIC X.", &statements],
            expected,
        );
    };
    let excluded =
        [ExcludedTest { tests: vec![name("ST-F NOT = '00'")], check: war_rig_text::LineNumber::new(17).unwrap() }];
    check("", &excluded);
    check("IF A = 'X'\nPERFORM BAD.\n", &excluded);
    check("READ F.\n", &[]);
    check("IF A = 'X'\nREAD F.\n", &[]);
}

#[test]
fn an_item_of_a_table_beside_one_that_is_used() {
    let check = |statement: &str, expected: &[(&[&str], bool)]| {
        let data = "01 T.\n05 N PIC 9 VALUE 0.\n05 ENT OCCURS 9.\n10 KEY-1 PIC X(4).\n10 EXP-1 PIC 9(5).\n01 W PIC X(99).\n\
                    01 G.\n05 A PIC X.\n05 B PIC X.\n05 C PIC X.\n66 AB RENAMES A THRU B.";
        let expected = expected.iter().map(|(items, is_part)| Unfilled {
            items: items.iter().map(|item| name(item)).collect(),
            group: Some(name("ENT")),
            is_part: *is_part,
        });
        let statements = format!("{statement}\nGOBACK.");
        check_only(|kind| matches!(kind, Unfilled { .. }), ["", data, &statements], &expected.collect::<Vec<_>>());
    };
    check("MOVE KEY-1(N) TO W.\nDISPLAY W.", &[(&["KEY-1"], false)]);
    check("MOVE ENT(N) TO W.\nDISPLAY W.", &[(&["KEY-1", "EXP-1"], true)]);
    check("IF KEY-1(N) NOT = SPACES\nDISPLAY N.", &[(&["KEY-1"], false)]);
    check("DISPLAY AB.", &[]);
}

#[test]
fn a_number_that_nothing_gives_a_first_value() {
    let check = |data: &str, statements: &str, expected: &[&str]| {
        let expected: Vec<HazardKind> = match expected {
            [] => Vec::new(),
            items => vec![NoFirstValue { items: items.iter().map(|item| name(item)).collect() }],
        };
        let all = format!("{statements}\nGOBACK.");
        check_only(|kind| matches!(kind, NoFirstValue { .. }), ["", data, &all], &expected);
    };
    let data = "01 N PIC 9(5) COMP-3.\n01 M PIC 9(3).\n01 G.\n05 G-1 PIC 9(3).\n05 G-2 PIC X.";
    check(data, "ADD 1 TO N.\nIF N > 5 DISPLAY N.", &["N"]);
    check(data, "COMPUTE N = N + 2.\nSUBTRACT 1 FROM M.\nDISPLAY N M.", &["N", "M"]);
    check(data, "ADD 1 TO G-1.\nDISPLAY G-1.", &["G-1"]);
    // Another statement sets it, or its group; it has a value; a loop counts it; a program gets it.
    check(data, "MOVE 0 TO N.\nADD 1 TO N.\nDISPLAY N.", &[]);
    check(data, "ADD 1 TO N GIVING M.\nADD 1 TO M.\nMOVE 1 TO N.\nDISPLAY M.", &[]);
    check(data, "INITIALIZE G.\nADD 1 TO G-1.\nDISPLAY G-1.", &[]);
    check(data, "CALL 'X' USING G.\nADD 1 TO G-1.\nDISPLAY G-1.", &[]);
    check(data, "PERFORM VARYING N FROM 1 BY 1 UNTIL N > 3\nADD 1 TO N\nEND-PERFORM.\nDISPLAY N.", &[]);
    check("01 N PIC 9 VALUE 0.\n01 T.\n05 E PIC 9 OCCURS 3.", "ADD 1 TO N.\nADD 1 TO E(N).\nDISPLAY N E(N).", &[]);
}
