//! The steps of short procedures, each in one text.

use crate::static_scribe::StaticScribe;
use crate::{ChunkFacts, FileFacts};
use std::sync::Arc;
use war_rig_cobol::{Analysis, CopybookLibrary, LexedSource, parse};
use war_rig_text::{LineRange, ReadOptions, SourceText};

const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 STATE PIC X.
          88 ACTIVE VALUE 'A'.
       01 CODE-1 PIC X(4).
       01 AMOUNT PIC 9(4).
       01 G1.
          05 A PIC X.
          05 B PIC X.
       01 G2.
          05 B PIC X.
       PROCEDURE DIVISION.
       MAIN.
";

/// Copybooks: the name and the code of each.
struct Shelf(&'static [(&'static str, &'static str)]);

impl CopybookLibrary for Shelf {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        let (_, code) = self.0.iter().find(|(known, _)| *known == name)?;
        let code = code.lines().fold(String::new(), |all, line| format!("{all}           {line}\n"));
        let source = SourceText::read(format!("{name}.cpy"), code.into_bytes(), &ReadOptions::default()).unwrap();
        Some(Arc::new(LexedSource::of(&source)))
    }
}

const COPYBOOKS: Shelf = Shelf(&[
    ("STARS", "DISPLAY '**********'."),
    ("BODY", "10 PART-1 PIC X.\n10 PART-2 PIC X."),
    ("CALLER", "CALL 'INNER'."),
]);

/// Returns the steps of a procedure whose first statement is on line 16, for the chunk that begins on a line.
fn steps(code: &str, from: u32) -> Vec<String> {
    let code = code.lines().fold(HEAD.to_owned(), |all, line| format!("{all}           {line}\n"));
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &COPYBOOKS));
    let facts = FileFacts::new(&source, &analysis);
    let all = source.line_range().unwrap();
    let owned = LineRange::spanning(all.start().saturating_add(from - 1), all.end());
    let told = StaticScribe.parser_template(&ChunkFacts::new(&facts, owned)).steps;
    told.into_iter()
        .map(|told| format!("{}{} {}", "  ".repeat(told.step.depth.into()), told.step.line, told.step.text))
        .collect()
}

#[track_caller]
fn check(code: &str, expected: &[&str]) {
    assert_eq!(steps(code, 1), expected, "{code}");
}

#[test]
fn every_value_stands_beside_what_it_is_given_to() {
    check(
        "MOVE 'XYZ1' TO CODE-1\nMOVE 5 TO AMOUNT\nMOVE SPACES TO A OF G1\nMOVE A TO B OF G2\nSET ACTIVE TO TRUE\nINITIALIZE G1 G2.",
        &[
            "16 sets CODE-1 to 'XYZ1', AMOUNT to 5, A of G1 to blank; moves A to B of G2; sets STATE to 'A' (ACTIVE); initializes G1, G2",
        ],
    );
    check(
        "MOVE CORR G1 TO G2.",
        &["16 moves the items of G1 to those of the same names in G2 (A of it has no item of that name there)"],
    );
    check("MOVE 'TO  ' TO CODE-1.", &["16 sets CODE-1 to 'TO  '"]);
}

#[test]
fn what_stands_under_a_condition_is_told_under_it() {
    check(
        "IF AMOUNT = 1\n  DISPLAY 'ONE'\nELSE\n  IF AMOUNT = 2\n    CALL 'SUB' USING G1\n  ELSE\n    STOP RUN\n  END-IF\nEND-IF\nADD 1 TO AMOUNT.",
        &[
            "16 if AMOUNT is 1:",
            "  17 displays 'ONE'",
            "19 otherwise, if AMOUNT is 2:",
            "  20 calls SUB with G1",
            "21 otherwise:",
            "  22 ends the run",
            "25 adds 1 to AMOUNT",
        ],
    );
    check(
        "EVALUATE CODE-1\nWHEN 'A' CONTINUE\nWHEN OTHER\n  IF ACTIVE\n    GO TO MAIN\n  END-IF\n  DISPLAY AMOUNT\nEND-EVALUATE.",
        &[
            "17 when CODE-1 is 'A': nothing",
            "18 in any other case:",
            "  19 if STATE is 'A' (ACTIVE):",
            "    20 goes to MAIN",
            "  22 displays AMOUNT",
        ],
    );
    check(
        "PERFORM UNTIL AMOUNT > 9\n  PERFORM MAIN\n  PERFORM MAIN\nEND-PERFORM.",
        &["16 repeats until AMOUNT is greater than 9:", "  17 performs MAIN and MAIN"],
    );
}

#[test]
fn what_leaves_is_told_where_it_leaves() {
    check(
        "PERFORM 3 TIMES\n  IF AMOUNT = 1\n    EXIT PERFORM CYCLE\n  END-IF\nEND-PERFORM\nIF AMOUNT = 2 NEXT SENTENCE.\nIF ACTIVE EXIT PARAGRAPH.",
        &[
            "16 repeats 3 times:",
            "  17 if AMOUNT is 1:",
            "    18 goes on with the next turn of the loop",
            "21 if AMOUNT is 2:",
            "  21 goes on with the next sentence (line 22)",
            "22 if STATE is 'A' (ACTIVE):",
            "  22 leaves the paragraph",
        ],
    );
}

#[test]
fn operands_keep_what_tells_them_apart() {
    check(
        "COMPUTE B OF G1 ROUNDED MODE IS TRUNCATION = AMOUNT * 2\nCALL 'X' USING BY CONTENT A BY REFERENCE B OF G2\nRETURNING AMOUNT\nINITIALIZE B OF G2\nSET ACTIVE TO FALSE.",
        &[
            "16 computes B of G1 = AMOUNT x 2, rounded (TRUNCATION)",
            "17 calls X with A by content, B of G2, which returns AMOUNT",
            "19 initializes B of G2; sets ACTIVE to false",
        ],
    );
}

#[test]
fn loops_and_keys_are_told_as_conditions() {
    check(
        "PERFORM MAIN VARYING AMOUNT FROM 1 BY 1 UNTIL AMOUNT > 3\nAFTER STATE FROM 1 BY 1 UNTIL ACTIVE.\nSTART F KEY IS NOT LESS CODE-1.",
        &[
            "16 performs MAIN varying AMOUNT from 1 by 1 until AMOUNT is greater than 3, within that varying STATE from 1 by 1 until STATE is 'A' (ACTIVE)",
            "18 starts F where its key is at least CODE-1",
        ],
    );
}

#[test]
fn commands_are_told_with_their_options_and_statements_with_their_clauses() {
    check(
        "EXEC CICS DELAY INTERVAL(000005) REQID('R1') END-EXEC\nEXEC SQL SELECT A INTO :CODE-1 FROM T\nWHERE B >= :AMOUNT ORDER BY A END-EXEC.",
        &[
            "16 waits (CICS DELAY): INTERVAL 000005, REQID 'R1'",
            "17 selects A into :CODE-1 from T, where B >= :AMOUNT, ordered by A",
        ],
    );
}

#[test]
fn a_chunk_tells_the_steps_that_begin_in_it() {
    let code = "IF AMOUNT = 1\n  DISPLAY 'ONE'\nEND-IF\nDISPLAY 'TWO'.";
    assert_eq!(steps(code, 17), ["  17 displays 'ONE'", "19 displays 'TWO'"]);
}

/// Returns the comments of the steps of a procedure, each with its line.
fn comments(code: &str) -> Vec<(u32, String)> {
    let code = code.lines().fold(HEAD.to_owned(), |all, line| match line.starts_with('*') {
        true => format!("{all}      {line}\n"),
        false => format!("{all}           {line}\n"),
    });
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &COPYBOOKS));
    let facts = FileFacts::new(&source, &analysis);
    let told = StaticScribe.parser_template(&ChunkFacts::new(&facts, source.line_range().unwrap())).steps;
    told.into_iter().filter_map(|told| Some((told.step.line.get(), told.step.comment?))).collect()
}

#[test]
fn a_comment_divides_a_run_of_assignments_and_is_quoted_at_its_statement() {
    let code = "MOVE 1 TO AMOUNT\n* Keep the old code for the report.\nMOVE 'X' TO CODE-1\nMOVE 'A' TO STATE.";
    assert_eq!(comments(code), [(18, "Keep the old code for the report.".to_owned())]);
    let of_cases = "MOVE 1 TO AMOUNT\n* Each state has a code.\nEVALUATE STATE\n  WHEN 'A'\n    MOVE 'X' TO CODE-1\n* Closed for good?\n  WHEN 'C'\n    MOVE 'Y' TO CODE-1\nEND-EVALUATE.";
    let expected = [(19, "Each state has a code.".to_owned()), (22, "Closed for good?".to_owned())];
    assert_eq!(comments(of_cases), expected);
}

#[test]
fn what_a_comment_says_ends_at_a_blank_line() {
    let told = ["16 sets AMOUNT to 1", "18 sets CODE-1 to 'X'", "20 sets STATE to 'A'"];
    check("MOVE 1 TO AMOUNT\n*> The code of the report.\nMOVE 'X' TO CODE-1\n\nMOVE 'A' TO STATE.", &told);
    check("MOVE 'X' TO CODE-1\n\nMOVE 'A' TO STATE.", &["16 sets CODE-1 to 'X', STATE to 'A'"]);
}

#[test]
fn code_that_is_commented_out_and_what_stands_over_it_is_not_quoted() {
    assert!(
        comments("MOVE 1 TO AMOUNT\n* Count the rest as well.\n*    ADD 1 TO AMOUNT-2\nMOVE 'X' TO CODE-1.").is_empty()
    );
    assert!(comments("MOVE 1 TO AMOUNT\n*    IF CODE-1 = 'X'\nMOVE 'X' TO CODE-1.").is_empty());
    assert!(comments("MOVE 1 TO AMOUNT\n*    M0VE AMOUNT TO CODE-1.\nMOVE 'X' TO CODE-1.").is_empty());
    assert!(comments("MOVE 1 TO AMOUNT\n*  call 'A' on exception continue end-call\nMOVE 'X' TO CODE-1.").is_empty());
    assert!(comments("MOVE 1 TO AMOUNT\n*****(CODE-1 EQUAL ZEROS)\nMOVE 'X' TO CODE-1.").is_empty());
    assert!(
        comments("MOVE 1 TO AMOUNT\n*  I  CODE-1  EQUAL 35\n*   G TO  P-EXIT\n* E D-IF\nMOVE 'X' TO CODE-1.")
            .is_empty()
    );
}

#[test]
fn macros_are_told_with_what_they_are_given() {
    check(
        "IF STATE = 'X'\n  #ERROR CODE-1 AMOUNT\nEND-IF\n#LOG 'A' CODE-1\n#LOG 'B'\n#OKEXIT AMOUNT.",
        &[
            "16 if STATE is 'X':",
            "  17 runs the macro #ERROR with CODE-1 and AMOUNT",
            "19 runs the macro #LOG with 'A' and CODE-1, then with 'B'",
            "21 runs the macro #OKEXIT with AMOUNT",
        ],
    );
}

#[test]
fn what_stands_in_a_frame_is_told_without_it() {
    let line = "DISPLAY '*********'.";
    check(
        &format!("{line}\nDISPLAY '*  LIST OF  *'.\nDISPLAY '** RATES **'.\n{line}"),
        &["16 displays in a frame: 'LIST OF'", "18 displays in a frame: 'RATES'"],
    );
    // A sign of the text itself is no frame.
    check(&format!("{line}\nDISPLAY '-999'."), &["16 displays in a frame: '-999'"]);
    check("DISPLAY '-'.\nDISPLAY AMOUNT.", &["16 displays '-'", "17 displays AMOUNT"]);
    // One line, of two statements.
    check(
        "DISPLAY AMOUNT WITH NO ADVANCING.\nDISPLAY '======'.",
        &["16 displays AMOUNT with NO advancing", "17 displays '======'"],
    );
    check(&format!("{line}\nDISPLAY ' '.\n{line}"), &["16 displays 2 lines of signs"]);
}

#[test]
fn a_called_program_is_named_as_the_source_writes_it() {
    check("CALL 'foo_Bar' USING A OF G1.\nCALL 'SUB'.", &["16 calls foo_Bar with A of G1", "17 calls SUB"]);
}

#[test]
fn blank_lines_are_no_frame() {
    for blank in ["' '", "SPACES", "\"\""] {
        check(
            &format!("DISPLAY '  A'.\nDISPLAY {blank}.\nDISPLAY 'B'."),
            &["16 displays '  A'", "17 displays a blank line", "18 displays 'B'"],
        );
    }
    // On a screen, blanks clear what stood there.
    check("DISPLAY ' ' AT LINE 25 COL 1.", &["16 displays ' ' at LINE 25 COL 1"]);
}

#[test]
fn a_display_that_sets_the_environment_shows_nothing() {
    check(
        "DISPLAY \"LOG\" UPON ENVIRONMENT-NAME\nDISPLAY CODE-1 UPON ENVIRONMENT-VALUE\nDISPLAY 2 UPON ARGUMENT-NUMBER.",
        &[
            "16 names the environment variable \"LOG\"",
            "17 sets the environment variable to CODE-1",
            "18 chooses argument 2 of the command line",
        ],
    );
}

#[test]
fn a_frame_of_a_copybook_leaves_what_the_program_displays() {
    check(
        "COPY STARS.\nDISPLAY AMOUNT.\nADD 1 TO AMOUNT.",
        &["16 copies in STARS", "17 displays AMOUNT", "18 adds 1 to AMOUNT"],
    );
}

#[test]
fn a_loop_is_empty_only_where_nothing_stands_in_it() {
    let empty = &["16 repeats until AMOUNT is greater than 9, with nothing in the loop"];
    check("PERFORM UNTIL AMOUNT > 9\nEND-PERFORM.", empty);
    check("PERFORM UNTIL AMOUNT > 9\nCONTINUE\nEND-PERFORM.", empty);
    let told = steps("PERFORM UNTIL AMOUNT > 9\nCOPY NOWHERE.\nEND-PERFORM.", 1);
    assert_eq!(told[0], "16 repeats until AMOUNT is greater than 9:", "{told:?}");
}

#[test]
fn a_copybook_brings_items_into_each_record_that_copies_it() {
    let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 REC-A.
          COPY BODY.
          10 OWN-1 PIC X.
       01 REC-B.
          COPY BODY.
       PROCEDURE DIVISION.
           MOVE PART-1 OF REC-A TO PART-2 OF REC-B.
";
    let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &COPYBOOKS));
    let facts = FileFacts::new(&source, &analysis);
    let written = StaticScribe.parser_template(&ChunkFacts::new(&facts, source.line_range().unwrap()));
    assert_eq!(
        written.copybooks_used[0].body.purpose,
        "Copied from BODY.cpy; brings 2 items of REC-A and 2 items of REC-B."
    );
}

#[test]
fn an_exit_of_what_nothing_performs_says_where_control_goes() {
    let code = |perform: &str| {
        format!("PERFORM NEXT-P.\n{perform}IF AMOUNT = 0\n  EXIT PARAGRAPH\nEND-IF\nGOBACK.\nNEXT-P.\nADD 1 TO AMOUNT.")
    };
    let told = steps(&code(""), 1);
    assert_eq!(told[2], "  18 leaves the paragraph, which nothing performs, and goes on into NEXT-P");
    assert_eq!(steps(&code("PERFORM MAIN.\n"), 1)[2], "  19 leaves the paragraph");
}

#[test]
fn what_copybooks_call_is_told_apart_from_what_the_source_calls() {
    let code = format!("{HEAD}           COPY CALLER.\n           CALL 'OWN'.\n");
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &COPYBOOKS));
    let facts = FileFacts::new(&source, &analysis);
    let told = StaticScribe.parser_template(&ChunkFacts::new(&facts, source.line_range().unwrap()));
    let summary = told.purpose.unwrap().body.summary;
    assert!(summary.contains("calls OWN and in its copybooks calls INNER"), "{summary}");
}
