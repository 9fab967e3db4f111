//! Each kind of hazard, planted in two forms, and what looks like one and is none.

mod always_a_row;
mod causes;
mod copybooks;
mod falling_on;
mod ignored_failures;
mod kept_ends;
mod lengths;
mod loops_to_the_end;
mod mistaken;
mod out_of_range;
mod outside;
mod passed_entries;
mod recursions;
mod rounding;
mod set_twice;
mod signs;
mod statuses;
mod unfilled;

use super::HazardKind::{
    Altered, AlwaysARow, BeyondTable, BlankNumber, CenturyWindow, CommentedLength, CommentedName, Contradiction,
    CopiedInVain, CountsTooFar, DeadBranch, DeadElse, EndlessLoop, EndsOnlyAtEnd, ExcludedTest, FallsIntoErrorPath,
    GroupCut, HandlerGoesOn, HardCodedDate, IgnoredAfterFailure, IgnoredFailure, LargerRedefinition, LastDigits,
    LeavesPerform, LostSign, MainLineGoesOn, MayOverflow, MovedToItself, NestedPhrase, NeverCleared, NeverHolds,
    NeverOpened, NeverRead, NeverSet, NeverUsed, NoCommit, NoFirstValue, NullUnseen, OpenedInVain, OrBesideAnd,
    OtherLength, OtherStatus, OutOfRange, RepeatedTest, RewrittenUnread, SetTwice, ShortCode, ShownCut, SqlCodeSign,
    StrayExit, StringTooLong, Truncated, UncheckedArea, UncheckedSubscript, Undeclared, Unfilled, Unreached,
    UnsetInput, UntestedStatus,
};
use super::{HazardKind, comment_hazards, hazards};
use crate::analysis::Analysis;
use crate::lex::LexedSource;
use crate::parse::parse;
use crate::stream::CopybookLibrary;
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

/// A folder of small copybooks.
struct SmallCopybooks;

impl CopybookLibrary for SmallCopybooks {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        let text = match name {
            "BOOK" => "       01 BOOK-RECORD.\n          05 BOOK-ITEM PIC X.\n",
            "LIMITS" => "       78 MOST VALUE 10.\n       01 WIDTH CONSTANT AS 5.\n",
            "TABLE" => "       01 T-ALL.\n          05 T-ENTRY PIC X OCCURS 3 INDEXED BY T-IX.\n",
            "OUTER" => "       01 OUTER-ITEM PIC X.\n       COPY BOOK.\n",
            _ => return None,
        };
        let source = SourceText::read(format!("{name}.cpy"), text.into(), &ReadOptions::default()).ok()?;
        Some(Arc::new(LexedSource::of(&source)))
    }
}

/// Returns the hazards of a program with these files, data and statements.
fn found(files: &str, data: &str, statements: &str) -> Vec<HazardKind> {
    let indented = |text: &str| {
        assert!(text.lines().all(|line| line.len() <= 61), "column 72 cuts: {text}");
        text.lines().map(|line| format!("           {line}\n")).collect::<String>()
    };
    let files = match files.is_empty() {
        true => String::new(),
        false => {
            let names = files.split(' ');
            let selects: String = names
                .clone()
                .map(|name| format!("           SELECT {name} ASSIGN TO D{name} FILE STATUS IS ST-{name}.\n"))
                .collect();
            let descriptions: String =
                names.map(|name| format!("       FD {name}.\n       01 REC-{name} PIC X(80).\n")).collect();
            format!(
                "       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n{selects}\
                 \x20      DATA DIVISION.\n       FILE SECTION.\n{descriptions}"
            )
        }
    };
    let division = if files.is_empty() { "       DATA DIVISION.\n" } else { "" };
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n{files}{division}       WORKING-STORAGE SECTION.\n{}\
         \x20      PROCEDURE DIVISION.\n       MAIN.\n{}",
        indented(data),
        indented(statements)
    );
    found_in(text)
}

/// Returns the hazards of a whole source.
fn found_in(text: String) -> Vec<HazardKind> {
    let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &SmallCopybooks));
    hazards(&analysis).into_iter().map(|hazard| hazard.kind).collect()
}

#[track_caller]
fn check(files: &str, data: &str, statements: &str, expected: &[HazardKind]) {
    assert_eq!(found(files, data, statements), expected);
}

fn name(text: &str) -> String {
    text.to_owned()
}

#[test]
fn a_status_that_nothing_tests() {
    let data = "01 ST-F PIC XX.";
    let untested = |operation: &str| UntestedStatus { operation: name(operation), item: name("ST-F") };
    let expected = [untested("OPEN of F"), untested("READ of F (apart from AT END)")];
    check("F", data, "OPEN INPUT F.\nREAD F AT END GOBACK.\nCLOSE F.\nGOBACK.", &expected);
    let test = "IF ST-F NOT = '00' DISPLAY ST-F.\n";
    check("F", data, &format!("OPEN INPUT F.\n{test}READ F AT END GOBACK.\n{test}GOBACK."), &[]);
    // A paragraph that is performed next may test it, and a test may come after another file's operation.
    check("F", data, "OPEN INPUT F.\nPERFORM T.\nREAD F.\nPERFORM T.\nGOBACK.\nT.\nIF ST-F = '35' STOP RUN.", &[]);
    // So may one that this paragraph performs in turn, and the one that performed the operation.
    let nested = "OPEN INPUT F.\nPERFORM ALL-TESTS.\nREAD F.\nPERFORM T.\nGOBACK.\nALL-TESTS.\nPERFORM T.\nT.\nIF ST-F = '35' STOP RUN.";
    check("F", data, nested, &[]);
    let behind = "PERFORM O.\nIF ST-F = '35' STOP RUN.\nREAD F.\nIF ST-F = '10' GOBACK.\nGOBACK.\nO.\nOPEN INPUT F.";
    check("F", data, behind, &[]);
    // A CLOSE between them has a status of its own.
    let closed = format!("OPEN OUTPUT F.\n{test}WRITE REC-F.\nCLOSE F.\n{test}GOBACK.");
    check("F", data, &closed, &[untested("WRITE of F")]);
    let update = UntestedStatus { operation: name("UPDATE of T"), item: name("SQLCODE") };
    let sql = "01 SQLCODE PIC S9(9) COMP.\n01 A PIC X.";
    let change = "MOVE 'X' TO A.\nEXEC SQL UPDATE T SET C = :A END-EXEC.\n";
    let end = "EXEC SQL COMMIT END-EXEC.\nGOBACK.";
    check("", sql, &format!("{change}{end}"), &[update]);
    check("", sql, &format!("{change}IF SQLCODE NOT = 0 DISPLAY 'NO'.\n{end}"), &[]);
}

#[test]
fn a_failure_that_shows_the_status_of_another_file() {
    let data = "01 ST-F PIC XX.\n01 ST-G PIC XX.\n01 SHOWN PIC XX.";
    let open = "OPEN INPUT F G.\nIF ST-F NOT = '00' OR ST-G NOT = '00' STOP RUN.\n";
    let read = |handled: &str| {
        format!(
            "{open}READ F.\nIF ST-F NOT = '00'\n{handled}\nSTOP RUN\nEND-IF.\nREAD G.\nIF ST-G NOT = '00' STOP RUN.\nGOBACK."
        )
    };
    let other = |kinds: Vec<HazardKind>| kinds.into_iter().filter(|kind| matches!(kind, OtherStatus { .. })).count();
    let count = |handled: &str| other(found("F G", data, &read(handled)));
    assert_eq!(count("MOVE ST-G TO SHOWN\nDISPLAY SHOWN"), 1);
    assert_eq!(count("DISPLAY 'BAD' ST-G"), 1);
    assert_eq!(count("MOVE ST-F TO SHOWN\nDISPLAY SHOWN"), 0);
    assert_eq!(count("DISPLAY ST-F ST-G"), 0);
    let opens = |second: &str| {
        format!(
            "OPEN INPUT F.\nIF ST-F NOT = '00' STOP RUN.\nOPEN INPUT G.\nIF {second} NOT = '00' DISPLAY ST-G.\nGOBACK."
        )
    };
    let told = found("F G", data, &opens("ST-F"));
    let told: Vec<String> =
        told.iter().filter(|kind| matches!(kind, OtherStatus { .. })).map(ToString::to_string).collect();
    let again = "Behind OPEN of G, ST-F is tested, which belongs to another file; ST-G is not. Is that meant?";
    assert!(told.iter().any(|told| told == again), "{told:?}");
    assert_eq!(other(found("F G", data, &opens("ST-G"))), 0);
}

#[test]
fn an_error_of_sql_without_its_sign() {
    let data = "01 SQLCODE PIC S9(9) COMP.\n01 A PIC X.";
    let code = |test: &str| {
        let fetch = "EXEC SQL SELECT C INTO :A FROM T END-EXEC.\n";
        let kinds = found("", data, &format!("{fetch}{test}\nDISPLAY A.\nGOBACK."));
        kinds.into_iter().filter(|kind| matches!(kind, SqlCodeSign { .. })).collect::<Vec<_>>()
    };
    assert_eq!(code("IF SQLCODE = 923 STOP RUN."), [SqlCodeSign { code: 923 }]);
    assert_eq!(
        code("EVALUATE SQLCODE\nWHEN 0 CONTINUE\nWHEN 811 STOP RUN\nEND-EVALUATE."),
        [SqlCodeSign { code: 811 }]
    );
    assert_eq!(code("IF SQLCODE = -923 OR SQLCODE = 100 STOP RUN."), []);
    assert_eq!(code("IF SQLCODE NOT = 0 STOP RUN."), []);
}

#[test]
fn a_name_that_nothing_declares() {
    let is_it = |kind: &HazardKind| matches!(kind, Undeclared { .. });
    let data = "01 A-1 PIC X.\n01 T-1.\n   05 E-1 PIC X OCCURS 3 INDEXED BY I-1.";
    let undeclared = |item: &str| Undeclared { item: name(item) };
    check_only(is_it, ["", data, "MOVE B-1 TO A-1\nGOBACK."], &[undeclared("B-1")]);
    check_only(is_it, ["", data, "ADD 1 TO C-1 (X-1)\nGOBACK."], &[undeclared("X-1")]);
    // Registers, functions, indexes, items of the system; and a copybook that is missing may declare anything.
    let known =
        "MOVE E-1 (I-1) TO A-1\nMOVE RETURN-CODE TO A-1\nMOVE EIBAID TO A-1\nMOVE UPPER-CASE(A-1) TO A-1\nGOBACK.";
    check_only(is_it, ["", data, known], &[]);
    check_only(is_it, ["", "COPY GONE.\n01 A-1 PIC X.", "MOVE B-1 TO A-1\nGOBACK."], &[]);
    // Precompilers make names, and sections that are not read may declare any.
    check_only(is_it, ["", data, "MOVE 5 TO A-1-LENGTH\nGOBACK."], &[]);
    check_only(is_it, ["", "01 A-1 PIC X.\nSCREEN SECTION.", "MOVE B-1 TO A-1\nGOBACK."], &[]);
}

#[test]
fn a_jump_that_another_statement_changes() {
    let code = "ALTER P TO PROCEED TO Q.\nGO TO P.\nP.\nGO TO R.\nQ.\nDISPLAY A.\nGOBACK.\nR.\nDISPLAY A.\nGOBACK.";
    check("", "01 A PIC X VALUE 'A'.", code, &[Altered { paragraphs: vec![name("P")] }]);
    check("", "01 A PIC X VALUE 'A'.", "GO TO R.\nR.\nDISPLAY A.\nGOBACK.", &[]);
}

#[test]
fn a_switch_that_nothing_sets() {
    let expected = [NeverSet { items: vec![name("SW")], value: Some(name("'N'")) }];
    check("", "01 SW PIC X VALUE 'N'.\n88 SW-ON VALUE 'Y'.", "IF SW-ON DISPLAY 'A'.\nGOBACK.", &expected);
    check("", "01 N PIC 9.", "IF N = 3 DISPLAY 'A'.\nGOBACK.", &[NeverSet { items: vec![name("N")], value: None }]);
    // A condition name, the group, a redefinition and PERFORM VARYING set it.
    check("", "01 SW PIC X VALUE 'N'.\n88 SW-ON VALUE 'Y'.", "SET SW-ON TO TRUE.\nIF SW-ON DISPLAY 'A'.\nGOBACK.", &[]);
    check("", "01 G.\n05 N PIC 9.", "MOVE '1' TO G.\nIF N = 3 DISPLAY 'A'.\nGOBACK.", &[]);
    check("", "01 N PIC 9.\n01 R REDEFINES N PIC X.", "ACCEPT R.\nIF N = 3 DISPLAY 'A'.\nGOBACK.", &[]);
    check("", "01 N PIC 9.", "PERFORM VARYING N FROM 1 BY 1 UNTIL N = 3\nDISPLAY 'A'\nEND-PERFORM.\nGOBACK.", &[]);
    check("", "01 N PIC 9.", "CALL 'X' USING N.\nIF N = 3 DISPLAY 'A'.\nGOBACK.", &[]);
}

#[test]
fn a_test_that_stands_twice() {
    let data = "01 A PIC 9.\n01 B PIC 9.";
    let accept = "ACCEPT A.\nACCEPT B.\n";
    let expected = [RepeatedTest { test: name("A = 1") }];
    check("", data, &format!("{accept}IF A = 1 AND A = 1 DISPLAY B.\nGOBACK."), &expected);
    check("", data, &format!("{accept}IF A = 1 OR B = 2 OR A = 1 DISPLAY B.\nGOBACK."), &expected);
    check("", data, &format!("{accept}IF A = 1 AND B = 1 DISPLAY B.\nGOBACK."), &[]);
}

#[test]
fn a_move_that_cuts() {
    let cut = |from: &str, length, to: &str, room, is_numeric| Truncated {
        from: name(from),
        length,
        to: vec![name(to)],
        room,
        is_numeric,
    };
    let data = "01 A PIC X(10).\n01 B PIC X(4).\n01 M PIC 9(5)V99.\n01 N PIC S9(3) COMP-3\nVALUE 0.";
    let rest = "ACCEPT A.\nACCEPT M.\nDISPLAY A B M N.\n";
    check("", data, &format!("{rest}MOVE A TO B.\nMOVE 1 TO N.\nGOBACK."), &[cut("A", 10, "B", 4, false)]);
    check(
        "",
        data,
        &format!("{rest}MOVE M TO N.\nMOVE 'TOO LONG' TO B.\nGOBACK."),
        &[cut("'TOO LONG'", 8, "B", 4, false), cut("M", 5, "N", 3, true)],
    );
    // All that the item ever gets is short enough.
    let short = "01 A PIC X(10) VALUE SPACES.\n01 B PIC X(4).";
    check("", short, "MOVE 'ABC' TO A.\nMOVE A TO B.\nDISPLAY B.\nGOBACK.", &[]);
    check("", short, "MOVE 'ABCDE' TO A.\nMOVE A TO B.\nDISPLAY B.\nGOBACK.", &[cut("A", 10, "B", 4, false)]);
    check("", data, &format!("{rest}MOVE A(1:4) TO B.\nMOVE N TO M.\nDISPLAY B.\nMOVE 'OK  ' TO B.\nGOBACK."), &[]);
}

#[test]
fn a_string_into_what_nothing_clears() {
    let data = "01 A PIC X(3).\n01 M PIC X(20).";
    let string = "ACCEPT A.\nSTRING 'NO ' A DELIMITED BY SIZE INTO M.\nDISPLAY M.\nGOBACK.";
    check("", data, string, &[NeverCleared { item: name("M"), holds: None }]);
    let until = "ACCEPT A.\nSTRING A DELIMITED BY SPACE 'X' DELIMITED BY SIZE INTO M.\nDISPLAY M.\nGOBACK.";
    check("", data, until, &[NeverCleared { item: name("M"), holds: None }]);
    check("", data, &format!("MOVE SPACES TO M.\n{string}"), &[]);
    // It fills the item.
    check("", "01 A PIC X(3).\n01 M PIC X(6).", string, &[]);
}

#[test]
fn a_string_into_what_holds_another_text() {
    let data = "01 A PIC X(3).\n01 L PIC X(20) VALUE ALL '='.\n01 M PIC X(20) VALUE SPACES.\n01 P PIC 99.";
    let check = |before: &str, holds: &[&str]| {
        let string = "STRING 'NO ' A DELIMITED BY SIZE INTO M.\nDISPLAY M.\nMOVE SPACES TO M.";
        let text = format!("ACCEPT A.\n{before}\n{string}\nGOBACK.\nX.\nADD 1 TO P.");
        let holds = holds.iter().map(|text| Some(name(text)));
        let expected: Vec<HazardKind> = holds.map(|holds| NeverCleared { item: name("M"), holds }).collect();
        check_only(|kind| matches!(kind, NeverCleared { .. }), ["", data, &text], &expected);
    };
    check("MOVE L TO M.\nDISPLAY M.", &["ALL '='"]);
    check("MOVE ALL '-' TO M.\nDISPLAY M.", &["ALL '-'"]);
    check("MOVE 'A LONG TEXT' TO M.", &["'A LONG TEXT'"]);
    check("MOVE SPACES TO M.\nSTRING 'A LONG TEXT' A DELIMITED SIZE\nINTO M.", &["the text of the STRING before"]);
    // The old text is shorter, or cleared; or something between may clear it, or it is not always there.
    check("MOVE 'SHORT' TO M.", &[]);
    check("MOVE L TO M.\nDISPLAY M.\nMOVE SPACES TO M.", &[]);
    check("MOVE L TO M.\nDISPLAY M.\nMOVE ' ' TO M.", &[]);
    check("MOVE L TO M.\nDISPLAY M.\nPERFORM X.", &[]);
    check("IF A = 'X' MOVE L TO M.", &[]);
    check("MOVE L TO M.\nIF A = 'X' MOVE SPACES TO M.", &[]);
    check("MOVE SPACES TO M.\nSTRING 'A' A DELIMITED SIZE INTO M.", &[]);
    check(
        "MOVE SPACES TO M.\nSTRING 'LONG ' A INTO M.\nSTRING 'LONGER ' A INTO M.",
        &["the text of the STRING before"],
    );
}

#[test]
fn files_that_are_opened_or_declared_in_vain() {
    let (data, test) = ("01 ST-F PIC XX.\n01 ST-G PIC XX.", "IF ST-F NOT = '00' STOP RUN.\n");
    let expected =
        [OpenedInVain { file: name("F") }, NeverOpened { file: name("G") }, NeverUsed { item: name("ST-G") }];
    // FILE STATUS names the item.
    check("F G", data, &format!("OPEN INPUT F.\n{test}CLOSE F.\nGOBACK."), &expected[..2]);
    check("F G", data, &format!("OPEN OUTPUT F.\n{test}GOBACK."), &expected[..2]);
}

#[test]
fn changes_of_tables_without_commit() {
    let data = "01 SQLCODE PIC S9(9) COMP.\n01 A PIC X.";
    let test = "IF SQLCODE NOT = 0 DISPLAY 'NO'.\n";
    let insert = format!("MOVE 'X' TO A.\nEXEC SQL INSERT INTO T VALUES (:A) END-EXEC.\n{test}");
    let delete = format!("MOVE 'X' TO A.\nEXEC SQL DELETE FROM T WHERE C = :A END-EXEC.\n{test}");
    check("", data, &format!("{insert}GOBACK."), &[NoCommit { called: Vec::new() }]);
    check("", data, &format!("{delete}CALL 'CKPT'.\nGOBACK."), &[NoCommit { called: vec![name("CKPT")] }]);
    check("", data, &format!("{delete}EXEC SQL ROLLBACK END-EXEC.\nGOBACK."), &[]);
    // An item names a program by what it holds; an abend ends the run.
    let called = |data: &str, calls: &str| {
        let data = format!("01 SQLCODE PIC S9(9) COMP.\n01 A PIC X VALUE 'A'.\n{data}");
        let statements = format!("{delete}{calls}GOBACK.");
        found("", &data, &statements).into_iter().find_map(|kind| match kind {
            NoCommit { called } => Some(called),
            _ => None,
        })
    };
    let calls = "CALL PGM.\nCALL 'ILBOABN0' USING A.\n";
    assert_eq!(called("01 PGM PIC X(8) VALUE 'CMTPGM'.", calls), Some(vec![name("CMTPGM")]));
    assert_eq!(called("01 PGM PIC X(8).", &format!("ACCEPT PGM.\n{calls}")), Some(Vec::new()));
}

#[test]
fn paragraphs_and_data_in_vain() {
    check(
        "",
        "01 A PIC X VALUE 'A'.",
        "DISPLAY A.\nGOBACK.\nOLD.\nDISPLAY A.",
        &[Unreached { paragraph: name("OLD") }],
    );
    check(
        "",
        "01 A PIC X VALUE 'A'.",
        "DISPLAY A.\nGO TO E.\nOLD.\nDISPLAY A.\nE.\nGOBACK.",
        &[Unreached { paragraph: name("OLD") }],
    );
    check("", "01 A PIC X.", "MOVE 'X' TO A.\nGOBACK.", &[NeverRead { item: name("A") }]);
    check("", "01 A PIC 9.", "ADD 1 TO A.\nGOBACK.", &[NeverRead { item: name("A") }]);
    check("", "01 A PIC X.\n88 A-ON VALUE '1'.", "SET A-ON TO TRUE.\nGOBACK.", &[NeverRead { item: name("A") }]);
    check("", "01 A POINTER.\n01 B PIC X.", "SET A TO ADDRESS OF B.\nGOBACK.", &[NeverRead { item: name("A") }]);
    check("", "01 G.\n05 A PIC 9.", "ADD 1 TO A.\nDISPLAY G.\nGOBACK.", &[NoFirstValue { items: vec![name("A")] }]);
    check("", "01 A PIC X.\n01 B PIC X VALUE SPACE.", "DISPLAY B.\nGOBACK.", &[NeverUsed { item: name("A") }]);
    let view =
        "01 A PIC 9(4) VALUE 0.\n01 FILLER REDEFINES A.\n05 A-1 PIC 99.\n05 A-2 PIC 99.\n01 B PIC X VALUE SPACE.";
    check("", view, "DISPLAY B.\nGOBACK.", &[NeverUsed { item: name("A") }]);
    check("", view, "DISPLAY B A-1 A-2.\nGOBACK.", &[]);
    check("", "01 G.\n05 A PIC X.\n05 B PIC X VALUE SPACE.", "DISPLAY B.\nGOBACK.", &[NeverUsed { item: name("A") }]);
    check("", "01 A PIC X.\n88 A-ON VALUE '1'.", "SET A-ON TO TRUE.\nIF A-ON GOBACK.\nGOBACK.", &[]);
}

#[test]
fn what_the_source_may_do_elsewhere_is_no_hazard() {
    // A table is used by any of its entries, and under a redefinition, too.
    let table = "01 V.\n05 JAN PIC X(3) VALUE 'JAN'.\n05 FEB PIC X(3) VALUE 'FEB'.\n\
                 01 R REDEFINES V.\n05 E OCCURS 2.\n10 NM PIC X(3).\n01 I PIC 9.";
    check("", table, "ACCEPT I.\nDISPLAY NM(I).\nGOBACK.", &[]);
    let totals = "01 T.\n05 T-A PIC 9(3).\n05 T-B PIC 9(3).\n01 R REDEFINES T.\n05 E PIC 9(3) OCCURS 2.\n01 I PIC 9.";
    check("", totals, "ACCEPT I.\nADD 1 TO E(I).\nIF T-B = 5 DISPLAY I.\nGOBACK.", &[]);
    // Statements that are missing may use everything.
    check(
        "",
        "01 A PIC X.\n01 B PIC X VALUE 'N'.",
        "IF B = 'Y' DISPLAY B.\nCOPY MISSING.\nGOBACK.\nOLD.\nGOBACK.",
        &[],
    );
    // So may who has the address, and other programs.
    check(
        "",
        "01 A PIC 9.\n01 P POINTER.",
        "SET P TO ADDRESS OF A.\nCALL 'X' USING P.\nIF A = 1 GOBACK.\nGOBACK.",
        &[],
    );
    check("", "01 G EXTERNAL.\n05 A PIC 9.", "IF A = 1 DISPLAY 'A'.\nGOBACK.", &[]);
    // A status is tested by its condition name, by a part of it, and in the paragraph that control falls into.
    let status = "01 ST-F.\n05 ST-F-1 PIC X.\n88 F-OK VALUE '0'.\n05 ST-F-2 PIC X.";
    for statements in [
        "OPEN INPUT F.\nIF NOT F-OK STOP RUN.\nREAD F.\nIF NOT F-OK STOP RUN.\nGOBACK.",
        "OPEN INPUT F.\nIF ST-F-1 NOT = '0' STOP RUN.\nREAD F.\nIF ST-F-1 NOT = '0' STOP RUN.\nGOBACK.",
        "OPEN INPUT F.\nPERFORM T.\nREAD F.\nPERFORM T.\nGOBACK.\nT.\nIF NOT F-OK STOP RUN.",
        "OPEN INPUT F.\nN.\nIF NOT F-OK STOP RUN.\nREAD F.\nM.\nIF NOT F-OK STOP RUN.\nGOBACK.",
    ] {
        check("F", status, statements, &[]);
    }
    // A limit that is tested before keeps a number small; a quotient stands beside a remainder that is wanted.
    let numbers = "01 A PIC 9(5).\n01 B PIC 9(3) VALUE 0.\n01 Q PIC 9(3) VALUE 0.\n01 R PIC 9 VALUE 0.";
    check("", numbers, "ACCEPT A.\nIF A > 999 GOBACK.\nMOVE A TO B.\nDISPLAY B Q R.\nGOBACK.", &[]);
    check("", numbers, "ACCEPT A.\nDIVIDE A BY 7 GIVING Q REMAINDER R.\nDISPLAY B R.\nGOBACK.", &[]);
    // A picture of any size costs nothing.
    check(
        "",
        "01 A PIC X(18446744073709551615)X.\n01 B PIC X.",
        "ACCEPT A.\nMOVE A TO B.\nDISPLAY B.\nGOBACK.",
        &[Truncated { from: name("A"), length: u64::MAX, to: vec![name("B")], room: 1, is_numeric: false }],
    );
}

/// Compares the hazards of one kind only.
#[track_caller]
fn check_only(is_wanted: fn(&HazardKind) -> bool, [files, data, statements]: [&str; 3], expected: &[HazardKind]) {
    let found: Vec<HazardKind> = found(files, data, statements).into_iter().filter(is_wanted).collect();
    assert_eq!(found, expected, "{statements}");
}

#[test]
fn a_loop_that_nothing_ends() {
    let check = |data: &str, statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, EndlessLoop { .. }), ["F", data, statements], expected);
    };
    let endless = |until: &str, items: &[&str]| EndlessLoop {
        until: name(until),
        items: items.iter().map(|item| name(item)).collect(),
    };
    let data = "01 ST-F PIC XX.\n01 EOF-SW PIC X VALUE 'N'.\n88 IS-EOF VALUE 'Y'.\n01 N PIC 99.\n01 M PIC 99.\n\
                01 G.\n05 H PIC 9.";
    let read = "READ F AT END DISPLAY 'END' END-READ";
    let inline = format!("PERFORM UNTIL EOF-SW = 'Y'\n{read}\nADD 1 TO N\nEND-PERFORM.\nGOBACK.");
    check(data, &inline, &[endless("EOF-SW = 'Y'", &["EOF-SW"])]);
    let performed = format!(
        "PERFORM B THRU B-END WITH TEST AFTER UNTIL IS-EOF OR M > 5.\nGOBACK.\nB.\nPERFORM C.\nIF N > 1 GO TO B-END.\nADD 1 TO N.\nB-END.\nEXIT.\nC.\n{read}."
    );
    check(data, &performed, &[endless("IS-EOF OR M > 5", &["EOF-SW", "M"])]);
    check(
        data,
        "PERFORM VARYING N FROM 1 BY 1 UNTIL M > 5\nDISPLAY N\nEND-PERFORM.\nGOBACK.",
        &[endless("M > 5", &["M"])],
    );
    // A part of the body changes an item, or leaves the loop.
    for body in [
        "READ F AT END SET IS-EOF TO TRUE END-READ",
        "READ F INTO EOF-SW",
        "ACCEPT EOF-SW",
        "CALL 'X' USING EOF-SW",
        "CALL UNKNOWN USING BY REFERENCE EOF-SW",
        "EXEC CICS RECEIVE INTO(EOF-SW) END-EXEC",
        "EXEC SQL FETCH C INTO :EOF-SW END-EXEC",
        "IF N = 1 EXIT PERFORM END-IF",
        "IF N = 1 GO TO OUT END-IF",
        "IF N = 1 GOBACK END-IF",
        "PERFORM OUT",
        "PERFORM SETTER",
        "CALL 'CEE3ABD'",
        "IF N = 1 NEXT SENTENCE END-IF",
        "COPY MISSING.",
    ] {
        let rest = "GOBACK.\nOUT.\nSTOP RUN.\nSETTER.\nMOVE 'Y' TO EOF-SW.";
        check(data, &format!("PERFORM UNTIL EOF-SW = 'Y'\n{body}\nEND-PERFORM.\n{rest}"), &[]);
    }
    check(data, "PERFORM UNTIL ST-F = '10'\nREAD F\nEND-PERFORM.\nGOBACK.", &[]);
    check(data, "PERFORM VARYING N FROM 1 BY 1 UNTIL N > 5\nDISPLAY N\nEND-PERFORM.\nGOBACK.", &[]);
    check(data, "PERFORM UNTIL H = 5\nACCEPT G\nEND-PERFORM.\nGOBACK.", &[]);
    let renamed = format!("{data}\n66 R RENAMES H.");
    check(&renamed, "PERFORM UNTIL H = 5\nACCEPT R\nEND-PERFORM.\nGOBACK.", &[]);
    let handled = |event: &str| format!("EXEC CICS HANDLE {event}(E) END-EXEC.\n{inline}\nE.\nGOBACK.");
    check(data, &handled("ABEND LABEL"), &[endless("EOF-SW = 'Y'", &["EOF-SW"])]);
    check(data, &handled("CONDITION ERROR"), &[]);
    // What the source does not show: a function, a register, an unknown name, a loop without an item, an address.
    for until in ["FUNCTION MOD(N 2) = 5", "RETURN-CODE = 5", "WHO-KNOWS = 5", "1 = 0"] {
        check(data, &format!("PERFORM UNTIL {until}\nDISPLAY N\nEND-PERFORM.\nGOBACK."), &[]);
    }
    let address = "SET P TO ADDRESS OF N.\nPERFORM UNTIL N = 5\nCALL 'X' USING P\nEND-PERFORM.\nGOBACK.";
    check(&format!("{data}\n01 P POINTER."), address, &[]);
    check("01 ST-F PIC XX.\n01 N PIC 9 EXTERNAL.", "PERFORM UNTIL N = 5\nCALL 'X'\nEND-PERFORM.\nGOBACK.", &[]);
}

#[test]
fn a_path_of_errors_that_control_falls_into() {
    let check = |statements: &str, expected: &[HazardKind]| {
        let data = "01 ST-F PIC XX.\n01 N PIC 9.";
        check_only(|kind| matches!(kind, FallsIntoErrorPath { .. }), ["F", data, statements], expected);
    };
    let falls = |from: &str, into: &str| FallsIntoErrorPath { from: name(from), into: name(into) };
    let error = "BAD.\nDISPLAY 'STATUS ' ST-F.\nSTOP RUN.";
    let open = "OPEN INPUT F.\nIF ST-F NOT = '00' GO TO BAD.\n";
    check(
        &format!("{open}NEXT-ONE.\nREAD F AT END GO TO DONE.\nADD 1 TO N.\n{error}\nDONE.\nGOBACK."),
        &[falls("NEXT-ONE", "BAD")],
    );
    let abend = "READ F.\nIF ST-F = '00' DISPLAY N ELSE GO TO BAD.\nADD 1 TO N.\nBAD.\nCALL 'CEE3ABD'.";
    check(abend, &[falls("MAIN", "BAD")]);
    // Control leaves before, a PERFORM runs it, a GO TO without a failure leads there, or success leaves.
    check(&format!("{open}GOBACK.\n{error}"), &[]);
    check(&format!("{open}PERFORM BAD.\n{error}"), &[]);
    check(&format!("PERFORM A THRU BAD.\nGOBACK.\nA.\n{open}{error}"), &[]);
    check(&format!("{open}IF N = 1 GO TO BAD.\n{error}"), &[]);
    check(
        &format!("OPEN INPUT F.\nIF ST-F = '00' GO TO GOOD.\nIF ST-F = '35' GO TO BAD.\n{error}\nGOOD.\nGOBACK."),
        &[],
    );
    check(&format!("{open}IF N = 1 GO TO GOOD.\n{error}\nGOOD.\nGOBACK."), &[]);
    // The end of the program is for all.
    check(&format!("{open}ADD 1 TO N.\nBAD.\nCLOSE F.\nGOBACK."), &[]);
}

#[test]
fn a_subscript_beyond_its_table() {
    let check = |statements: &str, expected: &[HazardKind]| {
        let data = "01 T.\n05 E OCCURS 10 INDEXED BY X.\n10 A PIC X.\n10 B PIC X OCCURS 3.\n\
                    01 V.\n05 W PIC X OCCURS 1 TO 5 DEPENDING ON N.\n01 I PIC 99.\n01 N PIC 99.";
        check_only(|kind| matches!(kind, BeyondTable { .. }), ["", data, statements], expected);
    };
    let beyond =
        |subscripted: &str, value, entries| BeyondTable { subscripted: vec![name(subscripted)], value, entries };
    let varying = |phrase: &str, body: &str| format!("PERFORM VARYING {phrase}\n{body}\nEND-PERFORM.\nGOBACK.");
    check(&varying("I FROM 1 BY 1 UNTIL I > 12", "MOVE 'X' TO A(I)\nDISPLAY E(I)"), &[beyond("A(I)", 12, 10)]);
    check(&varying("X FROM 1 BY 1 UNTIL X = 12", "IF A(X) = 'X' DISPLAY 'A' END-IF"), &[beyond("A(X)", 11, 10)]);
    check(&varying("I FROM 0 BY 1 UNTIL I >= 10", "DISPLAY A(I)"), &[beyond("A(I)", 0, 10)]);
    let performed = "PERFORM P WITH TEST AFTER VARYING I FROM 1 BY 1 UNTIL I > 10.\nGOBACK.\nP.\nMOVE 'X' TO A(I).";
    check(performed, &[beyond("A(I)", 11, 10)]);
    check("MOVE 'X' TO A(11).\nIF B(10 4) = 'X' GOBACK.\nGOBACK.", &[beyond("B(10 4)", 4, 3), beyond("A(11)", 11, 10)]);
    // The table is large enough, its size varies, or the subscript is another one.
    for (phrase, body) in [
        ("I FROM 1 BY 1 UNTIL I > 10", "DISPLAY A(I)"),
        ("I FROM 1 BY 1 UNTIL I = 11", "DISPLAY A(I)"),
        ("I FROM 1 BY 1 UNTIL I > 12", "DISPLAY W(I)"),
        ("I FROM 2 BY 1 UNTIL I > 11", "DISPLAY A(I - 1)"),
        ("I FROM 1 BY 2 UNTIL I > 12", "DISPLAY A(I)"),
        ("I FROM 1 BY 1 UNTIL I > N", "DISPLAY A(I)"),
        ("I FROM 1 BY 1 UNTIL I > 12 OR A(I) = 'X'", "DISPLAY A(I)"),
        ("I FROM 1 BY 1 UNTIL I > 12", "IF I < 11 DISPLAY A(I) END-IF"),
        ("I FROM 1 BY 1 UNTIL I > 12", "IF A(I) = 'X' EXIT PERFORM END-IF"),
        ("I FROM 1 BY 1 UNTIL I > 12", "DISPLAY A(I)\nADD 1 TO I"),
        ("I FROM 1 BY 1 UNTIL I > 12", "EVALUATE I WHEN 1 DISPLAY A(I) END-EVALUATE"),
    ] {
        check(&varying(phrase, body), &[]);
    }
    check("MOVE 'X' TO A(10) E(3)(12:2).\nDISPLAY B(10 3) W(9).\nGOBACK.", &[]);
}

#[test]
fn a_redefinition_that_is_larger() {
    let check = |data: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, LargerRedefinition { .. }), ["", data, "GOBACK."], expected);
    };
    let larger = |item: &str, length, redefined: &str, room| LargerRedefinition {
        item: name(item),
        length,
        redefined: name(redefined),
        room,
    };
    check("01 G.\n05 A PIC X(10).\n05 B REDEFINES A PIC X(12).\n05 C PIC X.", &[larger("B", 12, "A", 10)]);
    let table = "01 G.\n05 A.\n10 A1 PIC 9(4).\n10 A2 PIC 9(4) COMP.\n05 B REDEFINES A PIC X(4) OCCURS 2.";
    check(table, &[larger("B", 8, "A", 6)]);
    // The same length, a smaller one, one that varies, and a record, for which a compiler makes room.
    check("01 G.\n05 A PIC X(10).\n05 B REDEFINES A PIC X(10).\n05 C REDEFINES A PIC X(2).", &[]);
    check("01 N PIC 9.\n01 G.\n05 A PIC X(3).\n05 B REDEFINES A.\n10 D PIC X OCCURS 1 TO 9 DEPENDING ON N.", &[]);
    check("01 A PIC X(10).\n01 B REDEFINES A PIC X(12).", &[]);
}

#[test]
fn a_product_that_may_be_too_large() {
    let data = "01 A PIC 9(5)V99.\n01 B PIC S9(3) COMP-3.\n01 C PIC 9(6).\n01 BIN PIC 9(4) COMP.\n\
                01 R PIC V9(4).\n01 K PIC 9(4) VALUE 2.\n01 S PIC 9(8).\n01 L PIC 9(5).\n01 Z PIC 9(8).\n01 T.\n05 E PIC 9(5) OCCURS 3.";
    let check = |statements: &str, expected: &[HazardKind]| {
        let all = format!("ACCEPT A.\nACCEPT B.\nACCEPT R.\nACCEPT T.\nACCEPT L.\n{statements}\nGOBACK.");
        check_only(|kind| matches!(kind, MayOverflow { .. }), ["", data, &all], expected);
    };
    let may = |expression: &str, digits, item: &str, room| MayOverflow {
        expression: name(expression),
        digits,
        item: name(item),
        room,
    };
    check("COMPUTE C = A * B + 1.", &[may("A * B + 1", 8, "C", 6)]);
    check("MULTIPLY A BY 12 GIVING C.", &[may("12 * A", 7, "C", 6)]);
    check("COMPUTE C ROUNDED = (E(2) + A) * (K + 98).", &[may("(E(2) + A) * (K + 98)", 7, "C", 6)]);
    // It fits, is tested, comes from what is small, or the types do not show it.
    for statement in [
        "COMPUTE Z = A * B.",
        "COMPUTE C = A * R.",
        "COMPUTE C = A * K ON SIZE ERROR DISPLAY 'LARGE'.",
        "COMPUTE C = A * BIN.",
        "COMPUTE C = A * B ** 2.",
        "COMPUTE C = A * B / 100.",
        "COMPUTE C = FUNCTION MAX(A B) * B.",
        "COMPUTE BIN = A * B.",
        "COMPUTE C = C * 2.",
        "ADD A E(1) GIVING C.",
        "MOVE 12 TO S.\nCOMPUTE C = S * B.",
        "IF L > 10 GOBACK.\nCOMPUTE C = L * B.",
        "PERFORM UNTIL L > 10\nADD 1 TO L\nCOMPUTE C = L * B\nEND-PERFORM.",
    ] {
        check(statement, &[]);
    }
}

#[test]
fn a_counter_that_may_be_too_small() {
    let data = "01 ST-F PIC XX.\n01 N PIC 9(3) VALUE 0.\n01 BIN PIC 9(3) COMP.\n01 BIG PIC 9(7).\n01 SW PIC X.\n01 G.\n05 M PIC 99.";
    let check = |statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, CountsTooFar { .. }), ["F", data, statements], expected);
    };
    let counts = |item: &str, room| CountsTooFar { item: name(item), room };
    let read = "READ F AT END MOVE 'Y' TO SW END-READ";
    let inline = |body: &str| {
        format!(
            "MOVE 0 TO N.\nPERFORM UNTIL SW = 'Y'\n{read}\n{body}\nEND-PERFORM.\nDISPLAY N.\nGOBACK.\nP.\nMOVE 0 TO G."
        )
    };
    check(&inline("ADD 1 TO N"), &[counts("N", 3)]);
    check(&inline("COMPUTE M = M + 1"), &[counts("M", 2)]);
    let jump = "R.\nREAD F AT END GO TO E.\nPERFORM C.\nGO TO R.\nE.\nDISPLAY N.\nGOBACK.\nC.\nADD 1 TO N.";
    check(jump, &[counts("N", 3)]);
    // It is large or binary, something tests or resets it, or the loop reads nothing or is short.
    for body in [
        "ADD 1 TO BIG",
        "ADD 1 TO BIN",
        "ADD 2 TO N",
        "ADD 1 TO N ON SIZE ERROR GOBACK END-ADD",
        "ADD 1 TO N\nIF N = 60 DISPLAY 'PAGE' END-IF",
        "ADD 1 TO N\nIF SW = 'X' MOVE 0 TO N END-IF",
        "ADD 1 TO M\nPERFORM P",
        "ADD 1 TO N\nCALL 'X' USING N",
    ] {
        check(&inline(body), &[]);
    }
    check("PERFORM UNTIL SW = 'Y'\nACCEPT SW\nADD 1 TO N\nEND-PERFORM.\nGOBACK.", &[]);
    check(&format!("PERFORM 5 TIMES\n{read}\nADD 1 TO N\nEND-PERFORM.\nGOBACK."), &[]);
    check(
        &format!(
            "PERFORM UNTIL SW = 'Y'\nMOVE 0 TO N\nPERFORM UNTIL SW = 'Z'\n{read}\nADD 1 TO N\nEND-PERFORM\nEND-PERFORM.\nGOBACK."
        ),
        &[],
    );
}

#[test]
fn a_date_that_is_written_into_the_code() {
    let data = "01 D PIC X(10).\n01 N PIC 9(8).\n01 YY PIC 99.\n01 CC PIC 99.\n01 M PIC 9(8)V99.\n\
                01 CUT-OFF PIC X(10) VALUE '2019-12-31'.";
    let check = |statements: &str, expected: &[HazardKind]| {
        let is_wanted = |kind: &HazardKind| matches!(kind, HardCodedDate { .. } | CenturyWindow { .. });
        check_only(
            is_wanted,
            ["", data, &format!("ACCEPT D.\nACCEPT N.\nACCEPT YY.\n{statements}\nGOBACK.")],
            expected,
        );
    };
    let date = |date: &str| HardCodedDate { date: name(date) };
    check("IF D > '2019-12-31' DISPLAY D.\nMOVE '2020/02/29' TO D.", &[date("'2019-12-31'"), date("'2020/02/29'")]);
    check("MOVE 20240115 TO N.\nIF N < 19991231 DISPLAY N.", &[date("19991231"), date("20240115")]);
    check("IF D > CUT-OFF DISPLAY D.", &[date("CUT-OFF ('2019-12-31')")]);
    check(
        "EVALUATE D\nWHEN '24.12.2023' DISPLAY D\nWHEN \"07/04/2021\"\nDISPLAY N\nEND-EVALUATE.",
        &[date("\"07/04/2021\""), date("'24.12.2023'")],
    );
    let window = |condition: &str| CenturyWindow { condition: name(condition) };
    check("IF YY < 50 MOVE 20 TO CC ELSE MOVE 19 TO CC.", &[window("YY < 50")]);
    check("IF YY NOT < 70\nMOVE '19' TO D(1:2)\nELSE\nMOVE '20' TO D(1:2).", &[window("YY >= 70")]);
    // The ends of a calendar, no dates, texts for a reader, and amounts.
    for statement in [
        "MOVE '0001-01-01' TO D.\nMOVE '1900-01-01' TO D.\nMOVE '1899-12-31' TO D.\nMOVE '9999-12-31' TO D.",
        "MOVE 99991231 TO N.\nMOVE 20991231 TO N.\nMOVE '2099-12-31' TO D.",
        "MOVE '2021-13-01' TO D.\nMOVE '2021-02-29' TO D.\nMOVE '31/12/2021' TO D.\nMOVE '2021-1-1' TO D.\nMOVE '2021.01.01' TO D.",
        "DISPLAY '2021-01-15'.\nSTRING '2021-01-15' DELIMITED BY SIZE INTO D.\nMOVE 'Since 2021-01-15' TO D.",
        "MOVE 20240115 TO M.\nIF M < 19991231 DISPLAY M.\nMOVE '20010115' TO D.",
        "COMPUTE N = N + 20210115.\nADD 20210115 TO N.\nMOVE 12345678 TO N.",
        "IF YY < 50 MOVE 20 TO CC ELSE MOVE 21 TO CC.",
        "IF N < 50 MOVE 20 TO CC ELSE MOVE 19 TO CC.",
        "IF YY < 50 MOVE 20 TO CC ELSE MOVE 19 TO N.",
        "IF YY = 50 MOVE 20 TO CC ELSE MOVE 19 TO CC.",
    ] {
        check(statement, &[]);
    }
}

/// Compares the hazards in the comments of a program with these files, data and statements, each line from column 7 on.
#[track_caller]
fn check_comments([files, data, statements]: [&str; 3], expected: &[HazardKind]) {
    let code = format!(
        " IDENTIFICATION DIVISION.\n PROGRAM-ID. P.\n ENVIRONMENT DIVISION.\n INPUT-OUTPUT SECTION.\n FILE-CONTROL.\n     SELECT F ASSIGN TO F.\n\
         \x20DATA DIVISION.\n FILE SECTION.\n{files}\n WORKING-STORAGE SECTION.\n{data}\n PROCEDURE DIVISION.\n MAIN.\n{statements}"
    );
    let text: String = code.lines().map(|line| format!("      {line}\n")).collect();
    let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &SmallCopybooks));
    let found: Vec<HazardKind> = comment_hazards(&analysis, &source).into_iter().map(|hazard| hazard.kind).collect();
    assert_eq!(found, expected, "{code}");
}

#[test]
fn a_comment_with_another_length() {
    let disagrees = |record: &str, stated, length| CommentedLength { record: name(record), stated, length };
    let check =
        |files: &str, data: &str, expected: &[HazardKind]| check_comments([files, data, "     GOBACK."], expected);
    let file = " FD F.\n 01 F-REC PIC X(80).";
    check(file, "* CUSTOMER (RECLN = 350)\n*-----\n 01 R PIC X(300).", &[disagrees("R", 350, 300)]);
    check(file, "* LENGTH: 150 BYTES\n 01 R.\n    05 A PIC X(100).", &[disagrees("R", 150, 100)]);
    check(&format!("* THE LRECL IS 100.\n{file}"), " 01 R PIC X.", &[disagrees("F", 100, 80)]);
    let below = " 01 R.\n    05 G.\n* CUSTOMER (RECLN 300)\n       10 A PIC X(20).\n       10 B PIC X(5).";
    check(file, below, &[disagrees("G", 300, 25)]);
    // The length is right, that of the block, or that of something else; or the record is not below it.
    for comment in [
        "* RECLN 300",
        "* LRECL=304, LENGTH 350 BYTES",
        "* RECORD LENGTH 300, WAS 350",
        "* KEY LENGTH 12 BYTES",
        "* RECLN 350\n",
    ] {
        check(file, &format!("{comment}\n 01 R PIC X(300)."), &[]);
    }
    check(" FD F.\n*  RECLN 80\n 01 F-REC PIC X(80).\n* RECLN 80\n 01 F-HEAD PIC X(20).", " 01 R PIC X.", &[]);
    let variable = "* RECLN 350\n 01 R.\n    05 N PIC 99.\n    05 A PIC X OCCURS 1 TO 9 DEPENDING ON N.";
    check(file, variable, &[]);
    check(file, "* RECLN 350\n 01 R.\n    COPY MISSING.\n    05 B PIC X.", &[]);
    check(file, "* TAMANHO DO REGISTRO: 1.010, CHAVE 10\n 01 R PIC X(9).", &[]);
}

#[test]
fn a_comment_that_names_what_there_is_not() {
    let lacks = |missing: &str| CommentedName { name: name(missing) };
    let check = |comment: &str, expected: &[HazardKind]| {
        let rest = "     GOBACK.\n 1000-READ.\n     CONTINUE.\n 2000-READ-FIRST.\n     CONTINUE.\n 3000-WRITE-LINE.\n     CONTINUE.";
        let data = " 01 4000-DATA-ITEM PIC X.";
        check_comments([" FD F.\n 01 F-REC PIC X(80).", data, &format!("{comment}\n{rest}")], expected);
    };
    check("* For each record go to 2000-READ-NEXT.", &[lacks("2000-READ-NEXT")]);
    check("*  (performed by 1000-READ and 9000-WRITE)", &[lacks("9000-WRITE")]);
    check("     CONTINUE.\n*****************\n*  1000-READ-IT-ALL  *\n*****************\n 1100-READ-ALL.", &[]);
    check(
        "     CONTINUE.\n*****************\n*  1100-READ-IT-ALL  *\n*****************\n 1110-READ-ALL.",
        &[lacks("1100-READ-IT-ALL")],
    );
    // The source has the name or a part of it, the form is another one, or it is code.
    for comment in [
        "* PERFORM 2000-READ-FIRST AND 3000-WRITE, PARAGRAPH 1000-READ-EXIT, SECTION 4000-DATA-ITEM.",
        "* SEE 2300-CHECK-LIMIT OF PROGRAM CUSTUPD, MOVED FROM 2999-OLD-EDIT, FORM 1099-READ.",
        "* A 2000-BYTE buffer, a 1000-BYTE BUFFER",
        "* Since 2024-JAN-15 and in 77-OLD-STYLE and 2000-read-next",
        "     CONTINUE\n*    PERFORM 2000-READ-NEXT",
        "* 2000-READ-NEXT.\n*     MOVE A TO B.",
        "* 2000-READ-NEXT.",
    ] {
        check(comment, &[]);
    }
    check_comments(
        [" FD F.\n 01 F-REC PIC X.", " 01 A PIC X.", "* See 2000-READ-NEXT there.\n     GOBACK.\n A-1."],
        &[],
    );
}

#[test]
fn a_value_that_nothing_sets() {
    let data = "01 SW PIC X VALUE 'N'.\n88 SW-A VALUE 'A'.\n88 SW-B VALUE 'B' 'C'.\n01 G.\n05 N PIC 99 VALUE 0.";
    let never = |item: &str, values: &[&str]| NeverHolds {
        items: vec![name(item)],
        values: values.iter().map(|value| name(value)).collect(),
    };
    check(
        "",
        data,
        "SET SW-A TO TRUE.\nMOVE 7 TO N.\nIF SW-A DISPLAY N.\nIF SW-B DISPLAY 'B'.\nGOBACK.",
        &[never("SW", &["'B' (SW-B)", "'C' (SW-B)"])],
    );
    check("", data, "MOVE 'C' TO SW.\nMOVE 7 TO N.\nIF N = 8 OR SW-B DISPLAY N.\nGOBACK.", &[never("N", &["8"])]);
    // Its VALUE, a group, a redefinition, other programs and computed values may set it.
    for statements in [
        "MOVE 'A' TO SW.\nMOVE 7 TO N.\nIF SW = 'N' OR N = 0 DISPLAY N.",
        "MOVE 'A' TO SW.\nMOVE 7 TO N.\nADD 1 TO N.\nIF SW-A OR N = 8 DISPLAY N.",
        "MOVE 'A' TO SW.\nMOVE 7 TO N.\nINITIALIZE G.\nIF SW-A OR N = ZERO DISPLAY N.",
        "MOVE 'A' TO SW.\nMOVE 7 TO N.\nMOVE '08' TO G.\nIF SW-A OR N = 8 DISPLAY N.",
        "MOVE 'A' TO SW.\nMOVE 7 TO N.\nCALL 'X' USING G.\nIF SW-A OR N = 8 DISPLAY N.",
        "MOVE 'A' TO SW.\nMOVE 7 TO N.\nACCEPT SW.\nIF SW-B OR N = 7 DISPLAY N.",
    ] {
        check("", data, &format!("{statements}\nGOBACK."), &[]);
    }
}

#[test]
fn a_record_that_is_written_from_a_longer_one() {
    let line = "01 W-LINE.\n05 W-TEXT PIC X(80).\n05 W-NOTE PIC X(4).\n01 ST-F PIC XX.";
    let write = "OPEN OUTPUT F.\nIF ST-F = '35' STOP RUN.\nWRITE REC-F FROM W-LINE.\nIF ST-F = '35' STOP RUN.\nGOBACK.";
    let cut = Truncated { from: name("W-LINE"), length: 84, to: vec![name("REC-F")], room: 80, is_numeric: false };
    let cuts = |data: &str| {
        found("F", data, write).into_iter().filter(|kind| matches!(kind, Truncated { .. })).collect::<Vec<_>>()
    };
    assert_eq!(cuts(line), [cut]);
    // What is only filled up loses nothing.
    assert_eq!(cuts(&line.replace("W-NOTE", "FILLER")), []);
}

#[test]
fn a_constant_that_fits_is_not_cut() {
    let data = |digits: u8| format!("01 TWO-HOURS PIC S9(8) COMP VALUE 7200.\n01 N PIC 9({digits}).");
    let moves = "MOVE TWO-HOURS TO N.\nDISPLAY N.\nGOBACK.";
    check("", &data(4), moves, &[]);
    let cut = Truncated { from: name("TWO-HOURS"), length: 8, to: vec![name("N")], room: 3, is_numeric: true };
    check("", &data(3), moves, &[cut]);
}

fn only(is_wanted: fn(&HazardKind) -> bool, data: &str, statements: &str) -> Vec<HazardKind> {
    found("", data, statements).into_iter().filter(is_wanted).collect()
}
