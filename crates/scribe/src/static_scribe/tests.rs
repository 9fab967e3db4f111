//! Tests the description of one small program.

use super::*;
use crate::FileFacts;
use std::sync::Arc;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_text::{ReadOptions, SourceText};

const PROGRAM: &str = "      * Function : Reads the rates
      *            and prints what is due.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RATES.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT RATE-FILE ASSIGN TO RATES FILE STATUS IS RATE-STATUS.
       DATA DIVISION.
       FILE SECTION.
       FD RATE-FILE.
       01 RATE-RECORD.
          05 RATE-CODE PIC X.
             88 RATE-CLOSED VALUE 'C'.
          05 RATE-VALUE PIC 9(3)V99.
       WORKING-STORAGE SECTION.
       01 RATE-STATUS PIC XX.
       01 RESULT PIC S9(4) COMP.
          88 ALL-WELL VALUE 0.
       01 DUE PIC 9(5)V99.
       01 DONE PIC X VALUE 'N'.
       01 EXIT-PROGRAM-NAME PIC X(8) VALUE 'RATEXIT'.
       PROCEDURE DIVISION.
           PERFORM OPEN-RATES THRU OPEN-EXIT
           PERFORM NEXT-RATE UNTIL DONE = 'Y'
           GOBACK.
      * Opens the file, or gives up.
       OPEN-RATES.
           OPEN INPUT RATE-FILE
           IF RATE-STATUS = '00'
              MOVE 0 TO RESULT
           ELSE
              MOVE 12 TO RESULT
           END-IF
           IF ALL-WELL
              CONTINUE
           ELSE
              DISPLAY 'NO RATES'
              MOVE 16 TO RETURN-CODE
              PERFORM GIVE-UP
           END-IF.
       OPEN-EXIT.
           EXIT.
       NEXT-RATE.
           READ RATE-FILE AT END MOVE 'Y' TO DONE
              NOT AT END
                 IF RATE-CLOSED
                    ADD 1 TO DUE
                 ELSE
                    COMPUTE DUE = RATE-VALUE * 12
                    CALL EXIT-PROGRAM-NAME USING DUE
                 END-IF
           END-READ
           EVALUATE TRUE
              WHEN DUE > 100
                 MOVE ZERO TO DUE
                 PERFORM GIVE-UP
              WHEN OTHER
                 CONTINUE
           END-EVALUATE.
       GIVE-UP.
           CALL 'CEE3ABD' USING RESULT RESULT.
       OLD-RATES.
           CONTINUE.
";

#[test]
fn a_small_program_in_sentences() {
    let source = SourceText::read("RATES.cbl", PROGRAM.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let facts = ChunkFacts::new(&file, source.line_range().unwrap());
    let written = StaticWriter::new(&facts).write();
    let mut said = vec![written.purpose.unwrap().body.summary, String::new()];
    said.extend(written.paragraphs.iter().map(|item| {
        format!("{}: {} {}", item.paragraph_name, item.summary, item.purpose.as_deref().unwrap_or_default())
    }));
    said.push(String::new());
    said.extend(written.called_programs.iter().map(|item| format!("calls {}: {}", item.program_name, item.purpose)));
    said.extend(written.business_rules.iter().map(|item| format!("rule: {} {:?}", item.description, item.conditions)));
    said.extend(written.error_handling.iter().map(|item| format!("error: {} {}", item.condition, item.action)));
    insta::assert_snapshot!(said.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_call_that_never_runs_says_so_and_is_no_purpose() {
    let told = |procedure: &str| {
        let code = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       DATA DIVISION.\n       PROCEDURE DIVISION.\n{}",
            procedure.lines().map(|line| format!("       {line}\n")).collect::<String>()
        );
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let file = FileFacts::new(&source, &analysis);
        let written = StaticWriter::new(&ChunkFacts::new(&file, source.line_range().unwrap())).write();
        let calls = written.called_programs.iter().map(|call| call.purpose.clone()).collect::<Vec<_>>().join(" ");
        let asked = written.open_questions.iter().map(|asked| asked.question.clone()).collect::<Vec<_>>().join(" ");
        (written.purpose.unwrap().body.summary.contains("LIVE"), calls, asked)
    };
    let none = String::new;
    assert_eq!(told("MAIN.\n    CALL 'LIVE'.\n    GOBACK."), (true, "In MAIN.".to_owned(), none()));
    let dead = told("MAIN.\n    GOBACK.\nOLD.\n    CALL 'LIVE'.");
    assert_eq!(dead, (false, "In OLD (never reached).".to_owned(), none()));
    let behind = told("MAIN.\n    GOBACK\n    CALL 'LIVE'.");
    assert_eq!(behind, (false, "In MAIN (never reached).".to_owned(), none()));
    // What a missing copybook contains may lead there.
    let unknown = told("MAIN.\n    COPY DRIVER.\n    GOBACK.\nOLD.\n    CALL 'LIVE'.");
    assert_eq!((unknown.0, unknown.1.as_str()), (true, "In OLD."));
    assert_eq!(told("MAIN.\n    PERFORM A THRU Z.\n    GOBACK.\nA.\n    EXIT.").2, "Where is Z?");
}

#[test]
fn a_chunk_that_goes_on_with_a_paragraph_says_nothing_of_it_again() {
    let source = SourceText::read("RATES.cbl", PROGRAM.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let all = source.line_range().unwrap();
    let open = analysis.parsed().paragraphs[1].lines;
    let facts = ChunkFacts::new(&file, LineRange::spanning(open.start().saturating_add(2), all.end()));
    let written = StaticWriter::new(&facts).write();
    assert_eq!(
        (written.paragraphs[0].paragraph_name.as_str(), written.paragraphs[0].summary.as_str()),
        ("OPEN-RATES", "")
    );
    assert!(written.purpose.is_none() && !written.paragraphs[2].summary.is_empty());
}

#[test]
fn a_program_that_works_with_nothing_is_told_by_its_size() {
    let text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. CLMX.\n       PROCEDURE DIVISION USING IN-AREA OUT-AREA.\n       FIRST-ONE.\n           GOBACK.\n";
    let source = SourceText::read("CLMX.cbl", text.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let facts = ChunkFacts::new(&file, source.line_range().unwrap());
    assert_eq!(
        StaticWriter::new(&facts).write().purpose.unwrap().body.summary,
        "CLMX has 2 parameters, 1 paragraph and 1 statement; it touches no files and calls no programs."
    );
}

#[test]
fn displayed_items_with_the_values_they_always_hold() {
    let shown = |statement: &str| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 A PIC X(3) VALUE 'B-C'.\n       01 B PIC X(6) VALUE \"IT'S'\".\n       01 N PIC 9 VALUE 7.\n       01 V PIC 9.\n       PROCEDURE DIVISION.\n       FIRST-ONE.\n           ACCEPT V\n           {statement}\n           GOBACK.\n"
        );
        let source = SourceText::read("P.cbl", text.into(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let file = FileFacts::new(&source, &analysis);
        let steps = StaticWriter::new(&ChunkFacts::new(&file, source.line_range().unwrap())).steps();
        steps.into_iter().map(|step| step.step.text).find(|text| text.starts_with("displays")).unwrap()
    };
    assert_eq!(shown("DISPLAY A B N V"), "displays A ('B-C') B ('IT'S'') N (7) V");
    assert_eq!(shown("DISPLAY A A"), "displays A ('B-C') A ('B-C')");
    assert_eq!(shown("DISPLAY 'A OR ' A ' B'"), "displays 'A OR ' A ('B-C') ' B'");
}

#[test]
fn a_command_whose_failure_is_asked_for_leaves_no_program() {
    let exits = |asked: &str| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 R PIC S9(8) COMP.\n       PROCEDURE DIVISION.\n       FIRST-ONE.\n           EXEC CICS RETURN TRANSID('A') {asked}.\n"
        );
        let source = SourceText::read("P.cbl", text.into(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let file = FileFacts::new(&source, &analysis);
        let steps = StaticWriter::new(&ChunkFacts::new(&file, source.line_range().unwrap())).steps();
        steps.iter().filter(|step| step.step.exit.is_some()).count()
    };
    assert_eq!(exits("RESP(R) END-EXEC\n           IF R NOT = 0 DISPLAY 'FAILS' END-IF"), 0);
    assert_eq!(exits("RESP(R) END-EXEC"), 1);
    assert_eq!(exits("END-EXEC"), 1);
}

#[test]
fn minus_one_in_the_length_of_a_field_is_the_cursor_where_a_map_is_sent_with_it() {
    let told = |field: &str, sent: &str| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       01 MAPI.\n          05 NAMEL PIC S9(4) COMP.\n          05 NAMEI PIC X(9).\n       01 TOTAL PIC S9(4).\n       PROCEDURE DIVISION.\n       FIRST-ONE.\n           MOVE -1 TO {field}.\n           EXEC CICS SEND MAP('M') {sent} END-EXEC\n           GOBACK.\n"
        );
        let source = SourceText::read("P.cbl", text.into(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let file = FileFacts::new(&source, &analysis);
        let steps = StaticWriter::new(&ChunkFacts::new(&file, source.line_range().unwrap())).steps();
        steps[0].step.text.clone()
    };
    assert_eq!(told("NAMEL", "CURSOR"), "sets NAMEL to -1 (the cursor)");
    assert_eq!(told("NAMEL", "CURSOR(5)"), "sets NAMEL to -1");
    assert_eq!(told("NAMEL", "ERASE"), "sets NAMEL to -1");
    assert_eq!(told("TOTAL", "CURSOR"), "sets TOTAL to -1");
}

#[test]
fn a_return_code_behind_a_check_that_leaves_on_success_is_one_of_failure() {
    let told = |test: &str, between: &str| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n           SELECT F ASSIGN TO FD1 FILE STATUS FS.\n       DATA DIVISION.\n       FILE SECTION.\n       FD F.\n       01 R PIC X.\n       WORKING-STORAGE SECTION.\n       01 FS PIC XX.\n       01 KIND PIC X.\n       PROCEDURE DIVISION.\n       FIRST-ONE.\n           ACCEPT KIND\n           OPEN INPUT F\n           IF {test} GO TO NEXT-ONE.\n           {between}\n           MOVE 12 TO RETURN-CODE\n           GOBACK.\n       NEXT-ONE.\n           CLOSE F\n           GOBACK.\n"
        );
        let source = SourceText::read("P.cbl", text.into(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let file = FileFacts::new(&source, &analysis);
        let written = StaticWriter::new(&ChunkFacts::new(&file, source.line_range().unwrap())).write();
        written.purpose.unwrap().body.summary.contains("12 on a failure")
    };
    assert!(told("FS = '00'", "DISPLAY 'NOT OPEN'"));
    assert!(!told("FS NOT = '00'", "DISPLAY 'OPEN'"));
    assert!(!told("KIND = 'A'", "DISPLAY 'OTHER'"));
}

#[test]
fn what_the_comment_names_as_callers_is_told_as_its_word() {
    let text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n      * CALLED BY: PAY010, PAY020\n       PROCEDURE DIVISION.\n       FIRST-ONE.\n           GOBACK.\n";
    let source = SourceText::read("P.cbl", text.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let purpose = StaticWriter::new(&ChunkFacts::new(&file, source.line_range().unwrap())).write().purpose.unwrap();
    let summary = &purpose.body.summary;
    assert!(summary.contains("Its comment names PAY010 and PAY020 as \"CALLED BY\"."), "{summary}");
    assert_eq!(purpose.citations.len(), 2, "of the header and of the comment");
}
