//! What the parser makes of COBOL as it is found: each case is a trait of real sources that breaks naive splitters.

use crate::support::{Books, fixed, lexed, outline, procedure, read, read_with};
use war_rig_cobol::{BoundaryLevel, BranchKind, CallKind, parse};

fn check(code: &str, expected: &str) {
    assert_eq!(outline(&read(&fixed(code))), expected, "\n{code}");
}

fn paragraphs(procedure: &str) -> Vec<String> {
    let parsed = read(&fixed(&format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n{procedure}")));
    parsed.paragraphs.iter().filter(|unit| unit.has_label()).map(|paragraph| paragraph.name.clone()).collect()
}

#[test]
fn headers_in_every_spelling() {
    check(
        "id division.\nprogram-id. 'hello'.\nenvironment   division.\nDATA\n    DIVISION.\nWORKING-STORAGE SECTION.\nPROCEDURE DIVISION.\nmain.\n    goback.",
        "program HELLO 1-9, identification 1-2, environment 3, data 4-6, section WORKING-STORAGE 6, procedure 7-9, MAIN 8-9",
    );
    check("PROGRAM-ID. X\nDATA DIVISION.\nPROCEDURE DIVISION.", "program X 1-3, data 2, procedure 3");
    check(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID.\n    LONGNAME IS INITIAL.\nPROCEDURE DIVISION.",
        "program LONGNAME 1-4, identification 1-3, procedure 4",
    );
}

#[test]
fn a_program_without_program_id_is_called_after_its_file() {
    let parsed = read(&fixed(
        "PROGRAM-ID. A.\nPROCEDURE DIVISION.\n    GOBACK.\nEND PROGRAM A.\nID DIVISION.\nPROCEDURE DIVISION.",
    ));
    let names: Vec<_> = parsed.programs.iter().map(|program| (program.name.as_str(), program.is_named)).collect();
    assert_eq!(names, [("A", true), ("T", false)]);
}

#[test]
fn a_comment_in_the_wrong_column_hides_no_paragraph() {
    let paragraphs = paragraphs("A.\nDISPLAY 'A'.\n*---- NEXT ----\nB.\nCOMPUTE X = 2\n* 3.\n* LAST\nC.\nGOBACK.");
    assert_eq!(paragraphs.len(), 3, "{paragraphs:?}");
}

#[test]
fn end_program_may_stand_on_several_lines() {
    check(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    GOBACK.\nEND\n    PROGRAM\n    T.\nPROGRAM-ID. U.",
        "program T 1-7, procedure 2-4, A 3-4, program U 8",
    );
}

#[test]
fn comment_entries_are_free_text() {
    check(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nAUTHOR. James O'Grady.\nREMARKS. This has a PROCEDURE\n    DIVISION. in 'it.\n    COPY NOTHING.\nDATA DIVISION.\nPROCEDURE DIVISION.\nA.\n    EXIT.",
        "program T 1-10, identification 1-6, data 7, procedure 8-10, A 9-10",
    );
}

#[test]
fn paragraphs_are_told_from_statements() {
    assert_eq!(
        paragraphs(
            "END-ROUTINE-12.\n    CONTINUE.\nREAD-SYSIN-INPUT.\n    EXIT.\nEXIT-PROGRAM.\n    GOBACK.\n    EXIT.\n    STOP RUN.\n4.\n    CONTINUE\n    .\nCOL.\n    NEXT SENTENCE."
        ),
        ["END-ROUTINE-12", "READ-SYSIN-INPUT", "EXIT-PROGRAM", "4", "COL"]
    );
    assert_eq!(
        paragraphs(
            "0200-EXIT.   EXIT.\n   0300-ODD-COLUMN.\n    IF A = B\n        CONTINUE\n    END-IF.\n    END-IF.\nA.B. C."
        ),
        ["0200-EXIT", "0300-ODD-COLUMN", "A", "B", "C"]
    );
    assert_eq!(paragraphs("    MOVE 1.5 TO A.\n    MOVE 'A. B.' TO C. ..\nX.\n    MOVE ZZ9.99 TO B."), ["X"]);
}

#[test]
fn sections_may_have_segments_and_numbers_for_names() {
    check(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\nDECLARATIVES.\nD SECTION.\n    USE AFTER ERROR PROCEDURE ON F.\nD1.\n    EXIT.\nEND DECLARATIVES.\n00 SECTION 00.\n1.\n    EXIT.\nX SECTION 50.\n1.\n    EXIT.",
        "program T 1-14, procedure 2-14, section D 4-8, D1 6-8, section 00 9-11, 1 10-11, section X 12-14, 1 13-14",
    );
}

#[test]
fn a_banner_goes_with_the_header_below_it() {
    let code = "PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    EXIT.\n|*****\n|* B DOES MORE\n|*****\nB.\n    EXIT.";
    check(code, "program T 1-9, procedure 2-9, A 3-4, B 8-9");
    let seams = read(&fixed(code)).boundaries;
    assert_eq!((seams[4], seams[7]), (BoundaryLevel::Paragraph, BoundaryLevel::Line));
}

#[test]
fn a_branch_divides_its_statement_before_the_statements_under_it_do() {
    let code = "PROCEDURE DIVISION.\nMAIN.\n    EVALUATE WS-A\n        WHEN 1\n            MOVE 1 TO B\n        WHEN 2\n        WHEN 3\n            IF C\n                MOVE 3 TO B\n            ELSE\n                MOVE 4 TO B\n            END-IF\n    END-EVALUATE.\n";
    let seams = read(&fixed(code)).boundaries;
    let branch = |depth| BoundaryLevel::Nested { depth, is_statement: false };
    let statement = |depth| BoundaryLevel::Nested { depth, is_statement: true };
    let own: Vec<BoundaryLevel> = seams[2..].to_vec();
    assert_eq!(
        own,
        [
            BoundaryLevel::Sentence,
            BoundaryLevel::Line,
            statement(1),
            branch(1),
            BoundaryLevel::Line,
            statement(1),
            statement(2),
            branch(2),
            statement(2),
            BoundaryLevel::Line,
            BoundaryLevel::Line,
        ]
    );
    let order = [BoundaryLevel::Sentence, statement(0), branch(1), statement(1), branch(2)];
    assert!(order.is_sorted() && statement(9) < BoundaryLevel::Line);
}

#[test]
fn literals_and_words_continue_over_lines() {
    let long = format!("    DISPLAY '{}", "X".repeat(52));
    let parsed = read(&fixed(&format!(
        "PROGRAM-ID. T.\nPROCED\n|-    URE DIVISION.\n{long}\n|-    'URE DIVISION.' A.\n|* between\n    MOVE B TO C.\nP.\n    EXIT."
    )));
    assert_eq!(outline(&parsed), "program T 1-9, procedure 2-9, P 8-9");
    assert_eq!(parsed.statements[0].lines.to_string(), "4-5");
    assert!(parsed.words(&parsed.statements[0]).text().ends_with("URE DIVISION.' A"));
}

#[test]
fn an_unclosed_literal_costs_one_line() {
    let parsed =
        read(&fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    DISPLAY 'DON.\n    MOVE A TO B.\nB.\n    EXIT."));
    assert_eq!(outline(&parsed), "program T 1-7, procedure 2-7, A 3-5, B 6-7");
    assert_eq!(parsed.diagnostics[0].code, "unclosed-literal");
}

#[test]
fn debugging_lines_have_no_structure_unless_debugging() {
    let code = |mode: &str| {
        fixed(&format!(
            "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nSOURCE-COMPUTER. X{mode}.\nPROCEDURE DIVISION.\n|DTRACE.\n|D    DISPLAY 'X'.\nA.\n    EXIT."
        ))
    };
    assert_eq!(read(&code("")).paragraphs.len(), 1);
    assert_eq!(read(&code(" WITH DEBUGGING MODE")).paragraphs.len(), 2);
}

#[test]
fn several_and_nested_programs() {
    let nested = "ID DIVISION.\nPROGRAM-ID. A.\nPROCEDURE DIVISION.\nM.\n    EXIT.\nID DIVISION.\nPROGRAM-ID. B.\nPROCEDURE DIVISION.\nM.\n    EXIT.\nEND PROGRAM B.\nEND PROGRAM A.\nID DIVISION.\nPROGRAM-ID. C.";
    let parsed = read(&fixed(nested));
    let units: Vec<_> = parsed.programs.iter().map(|p| (p.name.as_str(), p.lines.to_string(), p.nested_in)).collect();
    assert_eq!(
        units,
        [("A", "1-12".to_owned(), None), ("B", "6-11".to_owned(), Some(0)), ("C", "13-14".to_owned(), None)]
    );
    let owners: Vec<_> =
        parsed.paragraphs.iter().filter(|unit| unit.has_label()).map(|p| (p.program, p.lines.to_string())).collect();
    assert_eq!(owners, [(Some(0), "4-5".to_owned()), (Some(1), "9-10".to_owned())]);
    let in_a_row =
        read(&fixed("ID DIVISION.\nPROGRAM-ID. A.\nPROCEDURE DIVISION.\n    GOBACK.\nID DIVISION.\nPROGRAM-ID. B."));
    assert_eq!(in_a_row.programs[1].nested_in, None);
}

#[test]
fn exec_blocks_are_opaque() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    EXEC SQL\n      SELECT X. PROCEDURE DIVISION. -- don't\n      INTO :A.B FROM GEN.POLICY WHERE N = 'IT''S.'\n    END-EXEC\nB.\n    exec cics xctl program ('PGM2') commarea(C) end-exec.\n    EXEC CICS HANDLE CONDITION ERROR(B) NOTFND(A) END-EXEC.",
    ));
    assert_eq!(outline(&parsed), "program T 1-10, procedure 2-10, A 3-7, B 8-10");
    let execs: Vec<_> =
        parsed.execs.iter().map(|e| (e.command.as_str(), e.resource.as_deref(), e.lines.to_string())).collect();
    assert_eq!(execs[0], ("SELECT", Some("GEN.POLICY"), "4-7".to_owned()));
    assert_eq!(execs[1], ("XCTL", Some("PGM2"), "9".to_owned()));
    assert_eq!((parsed.calls[0].target.as_str(), parsed.calls[0].kind), ("PGM2", CallKind::CicsXctl));
    assert_eq!(parsed.references.iter().map(|r| r.target.as_str()).collect::<Vec<_>>(), ["B", "A"]);
}

#[test]
fn an_unclosed_exec_ends_with_its_sentence() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    EXEC SQL COMMIT.\nB.\n    EXEC SQL COMMIT END-EXEC.",
    ));
    assert_eq!(outline(&parsed), "program T 1-6, procedure 2-6, A 3-4, B 5-6");
    assert_eq!(parsed.diagnostics[0].code, "unclosed-exec");
}

#[test]
fn copybooks_are_expanded_and_keep_their_lines() {
    let book = "       05  :TAG:-ID   PIC 9(4).\n       05  :TAG:-NAME PIC X(20).\n";
    let parsed = read_with(
        &fixed(
            "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01  REC.\n    COPY BOOK REPLACING ==:TAG:== BY ==WS==.\n01  TAIL PIC X.\nPROCEDURE DIVISION.\n    COPY GONE.\nA.\n    EXIT.",
        ),
        &[("BOOK", book)],
    );
    let items: Vec<_> = parsed
        .data_items
        .iter()
        .map(|i| (i.name.as_str(), i.lines.unwrap().to_string(), i.file.as_deref(), i.offset, i.length))
        .collect();
    assert_eq!(items[0], ("REC", "4".to_owned(), None, Some(0), Some(24)));
    assert_eq!(items[2], ("WS-NAME", "2".to_owned(), Some("cpy/BOOK.cpy"), Some(4), Some(20)));
    assert_eq!(items[3].0, "TAIL");
    assert_eq!(parsed.copies.iter().map(|c| c.resolved.is_some()).collect::<Vec<_>>(), [true, false]);
    assert!(parsed.diagnostics.iter().any(|d| d.code == "missing-copybook" && d.line.unwrap().get() == 8));
    assert_eq!(parsed.paragraphs[0].name, "A");
}

#[test]
fn headers_that_a_copybook_brings_are_those_of_the_copybook() {
    let divisions = "           OBJECT-COMPUTER. X.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01  A PIC X.\n       PROCEDURE DIVISION.\n";
    let parsed =
        read_with(&fixed("PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nCOPY DIVS.\nP.\n    GOBACK."), &[("DIVS", divisions)]);
    assert_eq!(outline(&parsed), "program T 1-5, environment 2-5, P 4-5");
    let brought: Vec<_> = parsed.divisions.iter().map(|unit| (unit.name, unit.file.as_deref())).collect();
    let file = Some("cpy/DIVS.cpy");
    assert_eq!(brought, [("ENVIRONMENT", None), ("DATA", file), ("PROCEDURE", file)]);

    // A whole program stands where it is copied.
    let long = format!("{}       PROGRAM-ID. U.\n       PROCEDURE DIVISION.\n", "      *\n".repeat(20));
    let parsed =
        read_with(&fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\nEND PROGRAM T.\nCOPY WHOLE."), &[("WHOLE", &long)]);
    assert_eq!(outline(&parsed), "program T 1-3, procedure 2, program U 4");
}

#[test]
fn a_copy_cycle_is_reported_and_ends() {
    let parsed = read_with(
        &fixed("PROGRAM-ID. T.\nDATA DIVISION.\nCOPY A."),
        &[("A", "       COPY B.\n"), ("B", "       01 X PIC X.\n       COPY A.\n")],
    );
    assert!(parsed.diagnostics.iter().any(|d| d.code == "copy-cycle"), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.data_items.len(), 1);
}

#[test]
fn copybooks_that_multiply_are_bounded() {
    let names: Vec<String> = (0..40).map(|n| format!("B{n}")).collect();
    let texts: Vec<String> =
        (0..40).map(|n| format!("       COPY B{}.\n       COPY B{}.\n       01 I{n} PIC X.\n", n + 1, n + 1)).collect();
    let books: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let parsed = read_with(&fixed("PROGRAM-ID. T.\nDATA DIVISION.\nCOPY B0."), &books);
    assert!(parsed.diagnostics.iter().any(|d| d.code == "copy-expansion"));
}

#[test]
fn fragments_are_read_by_what_they_hold() {
    let data = read("       05  A PIC X.\n           88 A-YES VALUE 'Y' 'J'.\n       05  B REDEFINES A PIC 9.\n");
    assert_eq!(data.data_items.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["A", "A-YES", "B"]);
    assert_eq!(data.data_items[1].value.as_deref(), Some("'Y' 'J'"));
    let code = read("       8800-DATE.\n           MOVE A TO B.\n       8800-EXIT.   EXIT.\n");
    assert_eq!(code.paragraphs.len(), 2);
    assert!(code.diagnostics.iter().all(|d| d.code == "fragment"));
    let prose = "# A README\n\nRead this before you write. The DATA DIVISION of a program, e.g. one.\nIt is no COBOL. Nor is this.\n";
    assert!(read(prose).diagnostics.iter().any(|d| d.code == "not-cobol"));
    assert!(read("       DATA RECORD S-RECORD.\n").diagnostics.iter().any(|d| d.code == "no-structure"));
}

#[test]
fn references_calls_and_their_candidates() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n01 WS-PGM PIC X(8) VALUE 'PGMA'.\nPROCEDURE DIVISION USING A\n    B.\nM.\n    PERFORM P1 THRU P2 UNTIL X = 'A'\n    PERFORM UNTIL Y PERFORM P3 END-PERFORM\n    PERFORM 5 TIMES ADD 1 TO Z END-PERFORM\n    GO TO P1 P2 DEPENDING ON N.\n    SORT S ON ASCENDING KEY K INPUT PROCEDURE IS P1\n    OUTPUT PROCEDURE P2 THRU P3\n    ALTER P1 TO PROCEED TO P2\n    MOVE 'PGMB' TO WS-PGM\n    CALL WS-PGM USING BY REFERENCE A (1) BY CONTENT LENGTH OF B\n    ON EXCEPTION DISPLAY 'X' END-CALL\n    CALL 'CBLTDLI'.",
    ));
    let references: Vec<_> = parsed
        .references
        .iter()
        .map(|r| format!("{:?} {} {}", r.kind, r.target, r.through.as_deref().unwrap_or("-")))
        .collect();
    assert_eq!(
        references,
        [
            "Perform P1 P2", "Perform P3 -", "GoTo P1 -", "GoTo P2 -", "Sort P1 -", "Sort P2 P3", "Alter P1 -",
            "Alter P2 -"
        ]
    );
    assert_eq!(parsed.programs[0].parameters, ["A", "B"]);
    assert_eq!(parsed.calls[0].using, ["A", "LENGTH OF B"]);
    assert_eq!(
        parsed.calls[0].candidates.iter().map(|(name, line)| format!("{name} {line}")).collect::<Vec<_>>(),
        ["PGMB 15"]
    );
    assert_eq!((parsed.calls[1].target.as_str(), parsed.calls[1].kind), ("CBLTDLI", CallKind::Static));
}

#[test]
fn a_call_names_its_program_behind_a_convention() {
    for (call, target, is_literal) in [
        ("STATIC 'get_time' USING A", "GET_TIME", true),
        ("WINAPI 'x'", "X", true),
        ("OWN-CONVENTION WS-PGM RETURNING A", "WS-PGM", false),
        ("WS-PGM OF WS-AREA USING A", "WS-PGM", false),
        ("WS-PGM (1) GIVING A", "WS-PGM", false),
        ("WS-PGM ON EXCEPTION CONTINUE END-CALL", "WS-PGM", false),
        ("WS-PGM NOT ON EXCEPTION CONTINUE", "WS-PGM", false),
        ("WS-PGM", "WS-PGM", false),
    ] {
        let parsed = procedure(&format!("M.\n    CALL {call}\n    GOBACK."));
        let found = (parsed.calls[0].target.as_str(), parsed.calls[0].is_literal);
        assert_eq!(found, (target, is_literal), "CALL {call}");
    }
}

#[test]
fn statements_nest_and_end_where_their_scope_ends() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    READ F\n        AT END\n            MOVE 1 TO E\n        NOT AT END\n            IF A = 1\n                EVALUATE TRUE\n                    WHEN X\n                    WHEN Y\n                        ADD 1 TO B\n                    WHEN OTHER\n                        CONTINUE\n                END-EVALUATE\n            ELSE\n                SUBTRACT 1 FROM B\n            END-IF\n    END-READ\n    STOP RUN.",
    ));
    let statements: Vec<_> = parsed.statements.iter().map(|s| format!("{} {} {}", s.verb, s.depth, s.lines)).collect();
    assert_eq!(
        statements,
        [
            "READ 0 3-18", "MOVE 1 5", "IF 1 7-17", "EVALUATE 2 8-14", "ADD 3 11", "CONTINUE 3 13", "SUBTRACT 2 16",
            "STOP 0 19"
        ]
    );
    let branches: Vec<_> =
        parsed.branches.iter().map(|b| (b.kind, parsed.condition(b).text(), b.lines.to_string())).collect();
    assert_eq!(branches[0], (BranchKind::Phrase, "AT END", "4-5".to_owned()));
    assert_eq!(branches[1], (BranchKind::Phrase, "NOT AT END", "6-17".to_owned()));
    assert_eq!(branches[2], (BranchKind::If, "A = 1", "7-14".to_owned()));
    assert_eq!(branches[3], (BranchKind::When, "X OR Y", "9-11".to_owned()));
    assert_eq!(branches[5], (BranchKind::Else, "", "15-16".to_owned()));
}

#[test]
fn a_phrase_belongs_to_the_innermost_statement_that_may_have_it() {
    for inner in ["DISPLAY 'E'", "ADD 1 TO N", "ACCEPT D", "STRING A INTO B", "CALL 'S'", "WRITE R"] {
        let parsed = read(&fixed(&format!(
            "PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    READ F AT END {inner} NOT AT END GO TO X."
        )));
        let owners: Vec<usize> = parsed.branches.iter().map(|branch| branch.statement).collect();
        assert_eq!(owners, [0, 0], "{inner}");
    }
    let owners = |statements: &str| {
        let parsed = read(&fixed(&format!("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    {statements}.")));
        let of = |branch: &war_rig_cobol::Branch| {
            (
                parsed.words(&parsed.statements[branch.statement]).text().to_owned(),
                parsed.condition(branch).text().to_owned(),
            )
        };
        parsed.branches.iter().map(of).map(|(words, phrase)| format!("{words}: {phrase}")).collect::<Vec<_>>()
    };
    // One that has the phrase leaves the next one to the statement around it.
    assert_eq!(
        owners("READ F AT END READ G AT END GOBACK NOT AT END ADD 1 TO N\n        NOT AT END ADD 2 TO N"),
        ["READ F: AT END", "READ G: AT END", "READ G: NOT AT END", "READ F: NOT AT END"]
    );
    assert_eq!(
        owners("WRITE R INVALID KEY ADD 1 TO N ON SIZE ERROR GOBACK\n        NOT INVALID KEY GOBACK"),
        ["WRITE R: INVALID KEY", "ADD 1 TO N: ON SIZE ERROR", "WRITE R: NOT INVALID KEY"]
    );
    // SEARCH has no NOT AT END, and no AT END behind its first WHEN.
    for (first, other) in [("AT END", "NOT AT END"), ("NOT AT END", "AT END")] {
        let told = owners(&format!("READ F {first} SEARCH T WHEN X = 1 MOVE 1 TO A\n        {other} MOVE 2 TO A"));
        assert_eq!(told, [format!("READ F: {first}"), "SEARCH T: X = 1".to_owned(), format!("READ F: {other}")]);
    }
    // What the language does not know is read as it stands.
    assert_eq!(owners("REWRITE R AT END GOBACK"), ["REWRITE R: AT END"]);
}

#[test]
fn otherwise_is_an_older_else_and_a_note_is_a_comment() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    IF X = 1 GO TO A OTHERWISE ADD 1 TO T.\n    NOTE IF A NAME IS WRONG, ADD IT. MOVE 1 TO T.\nB.\n    NOTE THAT ALL OF THIS. GO TO A.\nC.\n    GOBACK.",
    ));
    let verbs: Vec<String> = parsed.statements.iter().map(|found| found.verb.to_string()).collect();
    assert_eq!(verbs, ["IF", "GO", "ADD", "MOVE", "GOBACK"]);
    assert_eq!(parsed.branches[1].kind, BranchKind::Else);
    let depths = |code: &str| {
        let parsed = read(&fixed(&format!("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    {code}")));
        parsed.statements.iter().map(|found| format!("{} {}", found.verb, found.depth)).collect::<Vec<_>>()
    };
    // As a value or a name it is none.
    assert_eq!(
        depths("IF A = 1 EVALUATE A WHEN OTHERWISE GO TO B\n    END-EVALUATE MOVE OTHERWISE TO C."),
        ["IF 0", "EVALUATE 1", "GO 2", "MOVE 1"]
    );
    // A note ends with the declaratives.
    let declared = depths(
        "DECLARATIVES.\nS SECTION.\n    USE AFTER ERROR PROCEDURE ON F.\nP.\n    NOTE X.\nEND DECLARATIVES.\n    GOBACK.",
    );
    assert_eq!(declared.last().map(String::as_str), Some("GOBACK 0"), "{declared:?}");
}

#[test]
fn a_period_closes_every_scope_and_else_finds_its_if() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    IF A IF B ADD 1 TO C ELSE ADD 2 TO C\n    ELSE ADD 3 TO C.\n    ADD 4 TO C.",
    ));
    let depths: Vec<_> = parsed.statements.iter().map(|s| s.depth).collect();
    assert_eq!(depths, [0, 1, 2, 2, 1, 0]);
}

#[test]
fn file_uses_name_files_and_records_alike() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n    SELECT OPTIONAL IN-FILE ASSIGN TO 'INDD'\n        ORGANIZATION IS INDEXED RECORD KEY IS K\n        FILE STATUS IS ST.\n    SELECT OUT-FILE ASSIGN OUTDD.\nDATA DIVISION.\nFILE SECTION.\nFD  IN-FILE.\n01  IN-REC PIC X(80).\nFD  OUT-FILE.\n01  OUT-REC PIC X(80).\nPROCEDURE DIVISION.\n    OPEN INPUT IN-FILE OUTPUT OUT-FILE.\n    READ IN-FILE NEXT RECORD.\n    WRITE OUT-REC FROM IN-REC.\n    CLOSE IN-FILE OUT-FILE.",
    ));
    let file = &parsed.files[0];
    assert_eq!(
        (file.name.as_str(), file.assign.as_deref(), file.organization.as_str()),
        ("IN-FILE", Some("INDD"), "INDEXED")
    );
    assert_eq!((file.key.as_deref(), file.status.as_deref()), (Some("K"), Some("ST")));
    let uses: Vec<_> = parsed.file_uses.iter().map(|u| format!("{} {}", u.operation, u.file)).collect();
    assert_eq!(
        uses,
        [
            "OPEN INPUT IN-FILE",
            "OPEN OUTPUT OUT-FILE",
            "READ NEXT IN-FILE",
            "WRITE OUT-FILE",
            "CLOSE IN-FILE",
            "CLOSE OUT-FILE"
        ]
    );
}

#[test]
fn layouts_have_offsets_and_lengths() {
    let parsed = read(&fixed(
        "DATA DIVISION.\nWORKING-STORAGE SECTION.\n01  R.\n    05  A PIC S9(7)V99 COMP-3.\n    05  B PIC 9(4) COMP.\n    05  C OCCURS 3 TIMES.\n        10  D PIC X(2).\n        10  E PIC S9 SIGN LEADING SEPARATE.\n    05  F REDEFINES C PIC X(9).\n    05  G COMP-2.\n77  H POINTER.",
    ));
    let layout: Vec<_> = parsed.data_items.iter().map(|i| (i.name.as_str(), i.offset, i.length)).collect();
    assert_eq!(
        layout,
        [
            ("R", Some(0), Some(27)),
            ("A", Some(0), Some(5)),
            ("B", Some(5), Some(2)),
            ("C", Some(7), Some(4)),
            ("D", Some(7), Some(2)),
            ("E", Some(9), Some(2)),
            ("F", Some(7), Some(9)),
            ("G", Some(19), Some(8)),
            ("H", Some(0), Some(4)),
        ]
    );
}

#[test]
fn free_format_and_librarian_includes() {
    let parsed = read(
        ">>SOURCE FORMAT IS FREE\nidentification division.\nprogram-id. t. *> a comment. with a period\nprocedure division.\nmain.\n  display 'a' goback.\n",
    );
    assert_eq!(outline(&parsed), "program T 1-6, identification 2-3, procedure 4-6, MAIN 5-6");
    let included = read(&fixed("PROGRAM-ID. T.\nDATA DIVISION.\n++INCLUDE POLREC\nPROCEDURE DIVISION."));
    assert_eq!((included.copies[0].name.as_str(), included.copies[0].lines.to_string()), ("POLREC", "3".to_owned()));
}

#[test]
fn cards_and_directives_start_no_program() {
    check(
        "CBL LIB,APOST\n>>IF X IS DEFINED\nIDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n    REPLACE ==A== BY ==B. DIVISION.==.\nP.\n    EJECT.\n    EXIT.",
        "program T 1-9, identification 3-4, procedure 5-9, P 7-9",
    );
}

#[test]
fn cards_in_any_column_leave_no_trace() {
    let program = "       PROGRAM-ID. T.\n       PROCEDURE DIVISION.\n       P.\n           GOBACK.\n";
    for (text, expected) in [
        (format!("CBL LIB,APOST\nPROCESS NOSEQ\n{program}"), "program T 1-6, procedure 4-6, P 5-6"),
        (format!("000100 PROCESS XOPTS(APOST)\n{program}"), "program T 1-5, procedure 3-5, P 4-5"),
        (format!("       process sql\n{program}"), "program T 1-5, procedure 3-5, P 4-5"),
        (
            format!("{program}       END PROGRAM T.\nCBL NOLIB\n       PROGRAM-ID. U.\n"),
            "program T 1-5, procedure 2-4, P 3-4, program U 7",
        ),
        (
            "CBL LIB\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\nP.\n    GOBACK.\n".to_owned(),
            "program T 1-5, procedure 3-5, P 4-5",
        ),
        // What only looks like a card, behind the beginning of a program.
        (
            format!("{program}       PROCESS SECTION.\n           EXIT.\n"),
            "program T 1-6, procedure 2-6, P 3-4, section PROCESS 5-6",
        ),
    ] {
        let parsed = read(&text);
        assert_eq!(outline(&parsed), expected, "{text}");
        assert!(parsed.diagnostics.is_empty(), "{text}{:?}", parsed.diagnostics);
    }
    let copybook = read("       CBL LIB,QUOTE\n       01  A PIC X.\n");
    assert!(copybook.diagnostics.iter().all(|diagnostic| diagnostic.code == "fragment"));
}

#[test]
fn the_format_may_change_between_paragraphs() {
    let code = "      * P0.
       PROGRAM-ID. T.
       PROCEDURE DIVISION.
       P1.
           DISPLAY 'A'.
      $SET SOURCEFORMAT\"FREE\"
P2.
  display 'b' *> free
  perform P3.
$SET SOURCEFORMAT\"FIXED\"
      * P9.
000100 P3.                                                              P8.
000200     DISPLAY 'C'.
       >>SOURCE FORMAT IS FREE
P4. display 'a literal that goes on behind column 72 of the line, as it may'. P5.
      >>SOURCE FORMAT IS FIXED
CHG001 P6.                                                              P7.
           GOBACK.
";
    let parsed = read(code);
    assert_eq!(
        outline(&parsed),
        "program T 1-18, procedure 3-18, P1 4-6, P2 7-10, P3 12-14, P4 15, P5 15-16, P6 17-18"
    );
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let verbs: Vec<(&str, u32)> = parsed.statements.iter().map(|s| (s.verb.as_str(), s.lines.start().get())).collect();
    assert_eq!(
        verbs,
        [("DISPLAY", 5), ("DISPLAY", 8), ("PERFORM", 9), ("DISPLAY", 13), ("DISPLAY", 15), ("GOBACK", 18)]
    );
}

#[test]
fn what_was_concluded_from_the_bytes_is_said() {
    let records: String = fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\nP.\n    GOBACK.")
        .lines()
        .map(|line| format!("{line:<80}"))
        .collect();
    let parsed = read(&records);
    assert_eq!(outline(&parsed), "program T 1-4, procedure 2-4, P 3-4");
    let said: Vec<_> = parsed.diagnostics.iter().map(|d| (d.code, d.line, d.message.as_str())).collect();
    assert_eq!(said, [("records", None, "read as records of 80 bytes, because it has no line ends")]);
}

#[test]
fn includes_of_librarians_are_copies_wherever_they_stand() {
    let head = "IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nDATE-WRITTEN. LONG AGO.\nCOPY ENV.\nDATA DIVISION.\n";
    let numbered: String = fixed(&format!("{head}WORKING-STORAGE SECTION.\n++INCLUDE REC"))
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{:06}{}\n", at * 100, &line[6..]))
        .collect();
    let names = |text: &str| read(text).copies.iter().map(|copy| copy.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&numbered), ["ENV", "REC"]);
    assert_eq!(names(&format!("{}-INC REC\n", fixed(head))), ["ENV", "REC"]);
}

#[test]
fn a_fragment_may_begin_with_the_end_of_a_sentence() {
    let check = |code: &str, expected: &str| {
        let found = read(&fixed(code));
        let paragraphs = found
            .paragraphs
            .iter()
            .filter(|unit| unit.has_label())
            .map(|found| format!("{} {}", found.name, found.lines));
        let said = found.diagnostics.iter().filter(|said| said.code != "fragment").count();
        assert_eq!((paragraphs.collect::<Vec<_>>().join(", ").as_str(), said), (expected, 0), "{code}");
    };
    // The operand of PROCEDURE DIVISION USING COPY X, the name of a computer.
    check("    CLAIM-AREA.", "");
    check("|* ITS ARGUMENTS\n    CLAIM-AREA\n    .\n", "");
    check("         CLAIM-AREA.\n    MOVE 1 TO A.", "");
    check("         CLAIM-AREA.\nP.\n    MOVE 1 TO A.", "P 2-3");
    // Labels, in area A or not.
    check("P.", "P 1");
    check("   P.", "P 1");
    check("    P.\n    MOVE 1 TO A.\n    P-EXIT.\n    EXIT.", "P 1-2, P-EXIT 3-4");
    check("     P.\n         MOVE 1 TO A.", "P 1-2");
    check("    P.\n    Q.\n        MOVE 1 TO A.", "P 1, Q 2-3");
    check("    MOVE 1 TO A.\n    P.", "P 2");
    let free = read(">>SOURCE FORMAT FREE\n            P.\nMOVE 1 TO A.\n");
    assert_eq!(free.paragraphs.len(), 1);
    let copied =
        read_with(&fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    COPY P.\n    EXIT."), &[("P", &fixed("    P."))]);
    assert_eq!(copied.paragraphs[0].name, "P");
}

#[test]
fn a_fragment_may_begin_inside_the_environment_or_data_division() {
    let found = read(&fixed(
        "CONFIGURATION SECTION.\nSOURCE-COMPUTER.\n    BIG-ONE.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n    SELECT F ASSIGN TO G.\nDATA DIVISION.\nFILE SECTION.\nFD  F.\n01  R PIC X.\nPROCEDURE DIVISION.\nP.\n    EXIT.",
    ));
    assert_eq!(
        outline(&found),
        "section CONFIGURATION 1-3, section INPUT-OUTPUT 4-6, data 7-10, section FILE 8-10, procedure 11-13, P 12-13"
    );
    let names = |code: &str| {
        let found = read(&fixed(code));
        let divisions: Vec<&str> = found.sections.iter().map(|section| section.division).collect();
        (found.paragraphs.len(), found.files.len(), found.data_items.len(), divisions)
    };
    assert_eq!(names("FILE-CONTROL.\n    SELECT F ASSIGN TO G.\nI-O-CONTROL.\n    SAME F."), (0, 1, 0, vec![]));
    assert_eq!(names("WORKING-STORAGE SECTION.\n01  A PIC X.\nLINKAGE SECTION.\n01 B."), (0, 0, 2, vec!["DATA"; 2]));
    assert_eq!(names("FILE-X SECTION.\nP.\n    EXIT."), (1, 0, 0, vec!["PROCEDURE"]));
}

#[test]
fn a_section_stands_behind_a_literal_that_was_not_closed() {
    let code = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n      >>SOURCE FORMAT IS FREE\n01 REC.\n   05 VALUE 'a long literal that runs over column seventy-two of the line in free fo\nrmat' PIC X(80).\n>>SOURCE FORMAT IS FIXED\n       LINKAGE SECTION.\n       01 L1 PIC X.\n       PROCEDURE DIVISION USING L1.\n           GOBACK.\n";
    let sections: Vec<String> = read(code).sections.iter().map(|unit| unit.name.clone()).collect();
    assert_eq!(sections, ["WORKING-STORAGE", "LINKAGE"]);
}

#[test]
fn a_program_is_no_copybook_of_itself() {
    let code = fixed("PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n    COPY T.");
    let own = Books::of(&[("T", &code)]);
    let found = parse(&lexed("cpy/T.cpy", &code), &own);
    assert_eq!(found.copies[0].resolved, None);
    let codes: Vec<&str> = found.diagnostics.iter().map(|said| said.code).collect();
    assert_eq!(codes, ["missing-copybook"]);
}

#[test]
fn a_record_of_a_missing_copybook_belongs_to_its_file() {
    let code = |write: &str| {
        fixed(&format!(
            "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n    SELECT GOOD ASSIGN TO GOODDD.\n    SELECT BAD ASSIGN TO BADDD.\nDATA DIVISION.\nFILE SECTION.\nFD  GOOD.\n    COPY PAYREC.\nFD  BAD.\n    COPY REJREC.\nPROCEDURE DIVISION.\n    WRITE {write}."
        ))
    };
    let of = |write: &str| read(&code(write)).file_uses[0].file.clone();
    assert_eq!([of("REJREC-LINE"), of("PAYREC"), of("OTHER-LINE")], ["BAD", "GOOD", "OTHER-LINE"]);
}

#[test]
fn a_record_that_several_files_have_is_found_by_its_file() {
    let parsed = read(&fixed(
        "PROGRAM-ID. T.\nENVIRONMENT DIVISION.\nINPUT-OUTPUT SECTION.\nFILE-CONTROL.\n    SELECT GOOD ASSIGN TO GOODDD.\n    SELECT BAD ASSIGN TO BADDD.\nDATA DIVISION.\nFILE SECTION.\nFD  GOOD.\n01  REC PIC X.\nFD  BAD.\n01  REC PIC X.\nPROCEDURE DIVISION.\n    WRITE REC OF GOOD.\n    WRITE REC IN BAD.",
    ));
    let files: Vec<&str> = parsed.file_uses.iter().map(|used| used.file.as_str()).collect();
    assert_eq!(files, ["GOOD", "BAD"]);
}

#[test]
fn the_name_of_a_value_is_no_verb() {
    let parsed = read(&fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\n    MOVE DFHVALUE(DELETE) TO A.\n    GOBACK."));
    let verbs: Vec<String> = parsed.statements.iter().map(|found| found.verb.to_string()).collect();
    assert_eq!(verbs, ["MOVE", "GOBACK"]);
}

#[test]
fn terminal_format_has_comments_continuations_and_directives_in_column_1() {
    let parsed = read(
        "?SEARCH =TALLIB\n* Zahlt.\n IDENTIFICATION DIVISION.\n PROGRAM-ID. T.\n PROCEDURE DIVISION.\n MAIN.\n    MOVE A TO B\n* f\u{fc}r X\n/\n    MOVE 'AB\n-   'CD' TO C.\nD   DISPLAY A.\n\\D  DISPLAY B.\n    STOP RUN.\n",
    );
    assert_eq!(outline(&parsed), "program T 1-14, identification 3-4, procedure 5-14, MAIN 6-14");
    let moved: Vec<_> = parsed.statements.iter().map(|statement| statement.lines.to_string()).collect();
    assert_eq!(moved, ["7", "10-11", "14"]);
    assert!(parsed.diagnostics.iter().all(|diagnostic| diagnostic.code == "debug-lines"), "{:?}", parsed.diagnostics);
}

#[test]
fn a_bar_begins_a_comment_outside_literals_and_sql() {
    let parsed = procedure(
        "MAIN.\n    MOVE A TO B |it's done\n    |MOVE C TO D\n    DISPLAY 'A | B'.|done\n    EXEC SQL\n      SELECT A\n      || 'X'\n        INTO :C FROM T END-EXEC.\n    MOVE A|B TO C.\n    STOP RUN.",
    );
    let lines: Vec<_> = parsed.statements.iter().map(|statement| statement.lines.to_string()).collect();
    assert_eq!(lines, ["5", "7", "8-11", "12", "13"]);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert_eq!(parsed.execs.len(), 1);
}

#[test]
fn nothing_before_the_identification_division_is_code() {
    let code = "PROCEDURE DIVISION.\nMAIN.\n    GOBACK.";
    let parsed =
        read(&fixed(&format!("RUN UNIT X.\n    MOVE A TO B.\n    STOP RUN.\nID DIVISION.\nPROGRAM-ID. T.\n{code}")));
    assert_eq!((parsed.statements.len(), parsed.programs.len()), (1, 1));
    assert_eq!(parsed.diagnostics.iter().filter(|diagnostic| diagnostic.code == "before-program").count(), 1);
    // The rest of a program before another one is code.
    let parsed = read(&fixed(&format!("    MOVE A TO B.\nEND PROGRAM S.\nID DIVISION.\nPROGRAM-ID. T.\n{code}")));
    assert_eq!(parsed.statements.len(), 2);
    let parsed = read(&fixed("CBL LIB\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n    GOBACK."));
    assert!(parsed.diagnostics.iter().all(|diagnostic| diagnostic.code != "before-program"));
}
