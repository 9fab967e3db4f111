use super::{Overwriting, ReportFate};
use crate::analysis::Analysis;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

/// Returns what the statements of a program report, as `ITEM VALUE`.
fn reports(data: &str, linkage: &str, statements: &str) -> Vec<String> {
    let indented = |text: &str| text.lines().map(|line| format!("           {line}\n")).collect::<String>();
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{}\
         \x20      LINKAGE SECTION.\n{}       PROCEDURE DIVISION.\n       MAIN.\n{}",
        indented(data),
        indented(linkage),
        indented(statements)
    );
    let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let parsed = analysis.parsed();
    let all = parsed
        .statements
        .iter()
        .flat_map(|statement| analysis.reported_items().of_statement(parsed, analysis.decisions(), statement));
    all.map(|report| format!("{} {}", report.item, report.value)).collect()
}

#[track_caller]
fn check(data: &str, linkage: &str, statements: &str, expected: &[&str]) {
    assert_eq!(reports(data, linkage, statements), expected);
}

#[test]
fn return_codes_are_reported_however_they_get_there() {
    check("", "", "MOVE 16 TO RETURN-CODE.\nGOBACK.", &["RETURN-CODE 16"]);
    check("01 RC PIC 99.", "", "MOVE 8 TO RC.\nMOVE RC TO RETURN-CODE.\nGOBACK.", &["RC 8"]);
    check(
        "01 RC PIC 99.\n88 BAD VALUE 12.\n01 RC-2 PIC 99.",
        "",
        "SET BAD TO TRUE.\nMOVE RC TO RC-2.\nMOVE RC-2 TO RETURN-CODE.\nGOBACK.",
        &["RC 12"],
    );
    // Nobody sees this one.
    check("01 RC PIC 99.", "", "MOVE 8 TO RC.\nGOBACK.", &[]);
}

#[test]
fn a_parameter_that_gets_different_constants_is_reported() {
    let answer = "01 ANSWER.\n05 A-CODE PIC XX.\n88 A-GONE VALUE '04'.\n05 A-KIND PIC X.";
    check(
        "",
        answer,
        "MOVE '00' TO A-CODE.\nSET A-GONE TO TRUE.\nMOVE 'X' TO A-KIND.\nGOBACK.",
        &["A-CODE '00'", "A-CODE '04'"],
    );
    check("", answer, "MOVE '00' TO A-CODE.\nMOVE SPACES TO A-CODE.\nGOBACK.", &[]);
    let failing = "IF SQLCODE NOT = 0 MOVE '80' TO A-CODE.\nGOBACK.";
    let select = "EXEC SQL SELECT C INTO :A-KIND FROM T END-EXEC.";
    check("", answer, &format!("{select}\n{failing}"), &["A-CODE '80'"]);
    check("", answer, "MOVE '00' TO A-CODE(1:2).\nMOVE '01' TO A-CODE(1:2).\nGOBACK.", &[]);
}

#[test]
fn a_name_that_several_records_have_is_reported_where_the_record_is_seen() {
    let own = "01 CALLED-AREA.\n05 A-CODE PIC XX.";
    let answer = "01 ANSWER.\n05 A-CODE PIC XX.";
    check(
        own,
        answer,
        "MOVE '00' TO A-CODE OF ANSWER.\nMOVE '04' TO A-CODE IN ANSWER.\nMOVE '08' TO A-CODE OF CALLED-AREA.\nGOBACK.",
        &["A-CODE '00'", "A-CODE '04'"],
    );
}

#[test]
fn literals_side_by_side_are_one_message() {
    check(
        "",
        "01 M PIC X(40).",
        "STRING 'No ' 'such order' DELIMITED BY SIZE INTO M.\nMOVE 'Ends' TO M.\nGOBACK.",
        &["M 'No such order'", "M 'Ends'"],
    );
}

#[test]
fn messages_on_a_screen_are_reported() {
    let send = "EXEC CICS SEND MAP('M') FROM(MO) END-EXEC.\nEXEC CICS RETURN END-EXEC.";
    let screen = "01 MI.\n05 MSGI PIC X(40).\n01 MO REDEFINES MI.\n05 MSGO PIC X(40).";
    check(screen, "", &format!("MOVE 'Not found' TO MSGO.\nMOVE 'X' TO MSGO.\n{send}"), &["MSGO 'Not found'"]);
    let text = "01 TEXT-1 PIC X(40).\n01 NO-KEY PIC X(40) VALUE 'Invalid key'.\n01 ID PIC X.\n";
    let moves =
        "MOVE NO-KEY TO TEXT-1.\nSTRING 'User ' ID ' is new' DELIMITED BY SIZE INTO TEXT-1.\nMOVE SPACES TO TEXT-1.\n";
    let expected = ["TEXT-1 'Invalid key'", "TEXT-1 'User ' ID ' is new'"];
    check(&format!("{text}{screen}"), "", &format!("{moves}MOVE TEXT-1 TO MSGO.\n{send}"), &expected);
    // The copybook of the map is missing.
    let unknown = "MOVE TEXT-1 TO MSGO OF MO.\nEXEC CICS SEND MAP('M') END-EXEC.\nEXEC CICS RETURN END-EXEC.";
    check(text, "", &format!("{moves}{unknown}"), &expected);
    check(text, "", &format!("{moves}EXEC CICS SEND TEXT FROM(TEXT-1) END-EXEC."), &expected);
}

#[test]
fn a_record_of_literals_and_items_that_is_shown_is_a_message() {
    let send = "EXEC CICS SEND MAP('M') FROM(MO) END-EXEC.\nEXEC CICS RETURN END-EXEC.";
    let screen = "01 MO.\n05 MSGO PIC X(40).\n05 KEYO PIC X(9).\n";
    let failure = "01 FAILURE.\n05 FILLER PIC X(6) VALUE 'E90 - '.\n05 F-OPERATION PIC X(8).\n05 FILLER PIC X.\n05 FILLER PIC X(9) VALUE 'FAILED'.\n";
    check(
        &format!("{failure}{screen}"),
        "",
        &format!("MOVE FAILURE TO MSGO.\n{send}"),
        &["MSGO 'E90 - ' F-OPERATION 'FAILED'"],
    );
    // A number that gets a prefix says nothing to a reader.
    let key = "01 FAILURE.\n05 FILLER PIC X(2) VALUE 'CL'.\n05 DIGITS PIC 9(7).\n";
    check(&format!("{key}{screen}"), "", &format!("MOVE FAILURE TO KEYO.\n{send}"), &[]);
    check(
        &format!("01 DIGITS PIC 9(7).\n{screen}"),
        "",
        &format!("STRING 'CL' DIGITS DELIMITED BY SIZE INTO KEYO.\n{send}"),
        &[],
    );
}

#[test]
fn the_parts_of_a_record_that_goes_to_the_caller_are_seen() {
    check(
        "01 ANSWER.\n05 CODE-1 PIC XX.\n05 KIND PIC X.",
        "01 OUT-AREA PIC X(3).",
        "MOVE '04' TO CODE-1.\nMOVE '00' TO CODE-1.\nMOVE ANSWER TO OUT-AREA.\nGOBACK.",
        &["CODE-1 '04'", "CODE-1 '00'"],
    );
}

/// Returns the analysis of a procedure that begins on line 11, under screens and a switch.
fn analysed(procedure: &str) -> Analysis {
    let data = "01 SW PIC X.\n88 SW-ON VALUE 'Y'.\n01 MO.\n05 TITLEO PIC X(20).\n05 MSGO PIC X(20).";
    let indented = |text: &str| text.lines().map(|line| format!("           {line}\n")).collect::<String>();
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{}\
         \x20      PROCEDURE DIVISION.\n{}",
        indented(data),
        indented(procedure)
    );
    let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks))
}

/// Checks what becomes of the reports of a procedure that begins on line 11.
#[track_caller]
fn check_fates(procedure: &str, expected: &[&str]) {
    let analysis = analysed(procedure);
    let (parsed, reported) = (analysis.parsed(), analysis.reported_items());
    let overwriting = Overwriting::of(&analysis);
    let told = parsed.statements.iter().enumerate().flat_map(|(index, statement)| {
        let reports = reported.of_statement(parsed, analysis.decisions(), statement).into_iter();
        let told = reports.map(|report| match overwriting.fate(index, &report) {
            ReportFate::Lasts => format!("{} lasts", report.value),
            ReportFate::NeverShown => format!("{} is never shown", report.value),
            ReportFate::Abends(first, last) => {
                let line = |statement: usize| parsed.statements[statement].lines.start();
                format!("{} is lost in the abend on {} to {}", report.value, line(first), line(last))
            }
            ReportFate::IsReplaced => format!("{} is replaced", report.value),
            ReportFate::MayBeReplaced(line) => format!("{} may be replaced on {line}", report.value),
        });
        told.collect::<Vec<_>>()
    });
    assert_eq!(told.collect::<Vec<_>>(), expected, "{procedure}");
}

#[test]
fn what_is_set_again_on_every_way_is_replaced() {
    check_fates(
        "A.\nMOVE 1 TO RETURN-CODE.\nPERFORM B.\nGOBACK.\nB.\nMOVE 2 TO RETURN-CODE.",
        &["1 is replaced", "2 lasts"],
    );
    check_fates(
        "A.\nMOVE 1 TO RETURN-CODE.\nGO TO B.\nC.\nGOBACK.\nB.\nMOVE 2 TO RETURN-CODE.\nGO TO C.",
        &["1 is replaced", "2 lasts"],
    );
    check_fates(
        "A.\nPERFORM B.\nPERFORM B.\nMOVE 3 TO RETURN-CODE.\nGOBACK.\nB.\nMOVE 2 TO RETURN-CODE.",
        &["3 lasts", "2 is replaced"],
    );
    // It shows nothing that a program does not move to RETURN-CODE before it ends.
    check_fates(
        "A.\nIF SW-ON\nMOVE 'X' TO SW\nSTOP RUN.\nMOVE 'Z' TO SW.\nMOVE SW TO RETURN-CODE.\nGOBACK.",
        &["'X' is never shown", "'Z' lasts"],
    );
    // What is cut on its way into an item is not what the item holds.
    check_fates(
        "A.\nMOVE 8 TO RETURN-CODE.\nMOVE 'YES' TO SW.\nIF SW = 'YES' MOVE 4 TO RETURN-CODE.\nGOBACK.",
        &["8 may be replaced on 14", "4 lasts"],
    );
    // After the second PERFORM of the paragraph nothing sets it.
    check_fates(
        "A.\nPERFORM B.\nMOVE 3 TO RETURN-CODE.\nPERFORM B.\nGOBACK.\nB.\nMOVE 2 TO RETURN-CODE.",
        &["3 is replaced", "2 may be replaced on 13"],
    );
    // A test behind the PERFORM turns a code into an abend, and leaves others.
    check_fates(
        "A.\nPERFORM B.\nIF RETURN-CODE = 2 CALL 'CEE3ABD'.\nGOBACK.\nB.\nMOVE 4 TO RETURN-CODE.\nIF SW-ON MOVE 2 TO RETURN-CODE.",
        &["4 may be replaced on 17", "2 is lost in the abend on 13 to 13"],
    );
    // Nobody sees what an abend leaves, and an ALTER leads nobody knows where.
    check_fates(
        "A.\nMOVE 1 TO RETURN-CODE.\nIF SW-ON CALL 'CEE3ABD'.\nMOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["1 is replaced", "2 lasts"],
    );
    check_fates(
        "A.\nMOVE 1 TO RETURN-CODE.\nALTER B TO PROCEED TO A.\nMOVE 2 TO RETURN-CODE.\nGOBACK.\nB.\nGO TO A.",
        &["1 lasts", "2 lasts"],
    );
}

#[test]
fn who_goes_to_the_end_of_a_performed_range_without_a_perform_does_not_come_back() {
    let procedure = |way: &str| {
        format!(
            "MAIN.\nIF SW-ON\nPERFORM LAST-P\nMOVE 4 TO RETURN-CODE\nGOBACK\nEND-IF.\nMOVE 8 TO RETURN-CODE.\n{way}.\n\
             LAST-P.\nCONTINUE.\nENDING.\nGOBACK."
        )
    };
    check_fates(&procedure("GO TO LAST-P"), &["4 lasts", "8 lasts"]);
    // A jump out of an inner range comes back at the end of the one around it.
    check_fates(
        "MAIN.\nMOVE 8 TO RETURN-CODE.\nPERFORM A-P THRU A-EXIT.\nGOBACK.\nA-P.\nPERFORM B-P THRU B-EXIT.\nA-EXIT.\nEXIT.\n\
         Z-P.\nMOVE 0 TO RETURN-CODE.\nGOBACK.\nB-P.\nIF SW-ON GO TO A-EXIT.\nB-EXIT.\nEXIT.",
        &["8 lasts", "0 lasts"],
    );
    // Control comes to a handler from wherever a command fails.
    let handled = "MAIN.\nPERFORM SET-UP.\nPERFORM READ-IT THRU READ-EXIT.\nMOVE 0 TO RETURN-CODE.\nGOBACK.\nSET-UP.\n\
         EXEC CICS HANDLE CONDITION NOTFND(NOT-FOUND) END-EXEC.\nREAD-IT.\nEXEC CICS READ FILE('F') INTO(MO) END-EXEC.\n\
         GO TO READ-EXIT.\nNOT-FOUND.\nMOVE 8 TO RETURN-CODE.\nREAD-EXIT.\nEXIT.";
    check_fates(handled, &["0 lasts", "8 is replaced"]);
    check_fates(
        "MAIN.\nPERFORM WORK.\nMOVE 4 TO RETURN-CODE.\nGOBACK.\nWORK.\nMOVE 8 TO RETURN-CODE.",
        &["4 lasts", "8 is replaced"],
    );
}

#[test]
fn what_is_known_behind_a_statement_decides_the_way() {
    check_fates(
        "A.\nIF SW = 'A'\nMOVE 1 TO RETURN-CODE\nEND-IF.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["1 lasts", "2 lasts"],
    );
    check_fates(
        "A.\nIF SW = 'A'\nMOVE 1 TO RETURN-CODE\nMOVE 'B' TO SW\nEND-IF.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["1 is replaced", "2 lasts"],
    );
    // What is set before the branch around it counts, unless something between sets it again.
    check_fates(
        "A.\nMOVE 'A' TO SW.\nIF TITLEO = 'X'\nMOVE 1 TO RETURN-CODE\nEND-IF.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["1 lasts", "2 lasts"],
    );
    check_fates(
        "A.\nMOVE 'A' TO SW.\nIF MSGO = 'X' MOVE 'B' TO SW.\nIF TITLEO = 'X'\nMOVE 1 TO RETURN-CODE\nEND-IF.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["1 may be replaced on 17", "2 lasts"],
    );
    check_fates(
        "A.\nMOVE 'A' TO SW.\nIF MSGO = 'X' MOVE 'B' TO SW GOBACK.\nIF TITLEO = 'X'\nMOVE 1 TO RETURN-CODE\nEND-IF.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["1 lasts", "2 lasts"],
    );
    // The PERFORM that led there stands under a condition that nothing changes.
    check_fates(
        "A.\nIF EIBAID = DFHPF3 PERFORM B.\nIF EIBAID = DFHPF4 MOVE 2 TO RETURN-CODE.\nGOBACK.\nB.\nMOVE 1 TO RETURN-CODE.",
        &["2 lasts", "1 lasts"],
    );
    check_fates(
        "A.\nIF EIBAID = DFHPF3 AND SW = 'A'\nPERFORM B.\nIF EIBAID = DFHPF4 MOVE 2 TO RETURN-CODE.\nGOBACK.\nB.\nMOVE 'B' TO SW.\nMOVE 1 TO RETURN-CODE.",
        &["2 lasts", "1 lasts"],
    );
    // What is set on the way counts, too.
    check_fates(
        "A.\nIF TITLEO = 'X' MOVE 1 TO RETURN-CODE.\nMOVE 'A' TO SW.\nPERFORM B.\nGOBACK.\nB.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.",
        &["1 lasts", "2 lasts"],
    );
    check_fates(
        "A.\nIF SW = 'A' PERFORM B.\nIF SW = 'B' MOVE 2 TO RETURN-CODE.\nGOBACK.\nB.\nMOVE 'B' TO SW.\nMOVE 1 TO RETURN-CODE.",
        &["2 lasts", "1 is replaced"],
    );
    check_fates(
        "A.\nMOVE 8 TO RETURN-CODE.\nIF RETURN-CODE > 4 GOBACK.\nMOVE 2 TO RETURN-CODE.\nGOBACK.",
        &["8 lasts", "2 lasts"],
    );
    // In the next round of a loop it is a new report.
    check_fates(
        "A.\nPERFORM UNTIL SW-ON\nIF SW = 'A'\nMOVE 1 TO RETURN-CODE\nELSE\nMOVE 2 TO RETURN-CODE\nEND-IF\nEND-PERFORM.\nGOBACK.",
        &["1 lasts", "2 lasts"],
    );
}

#[test]
fn a_message_is_seen_when_its_screen_is_sent() {
    let send = "EXEC CICS SEND MAP('M') FROM(MO) END-EXEC.\n";
    check_fates(
        &format!("A.\nMOVE 'No such key' TO MSGO.\n{send}MOVE 'All is well' TO MSGO.\n{send}GOBACK."),
        &["'No such key' lasts", "'All is well' lasts"],
    );
    check_fates(
        &format!("A.\nMOVE 'No such key' TO MSGO.\nMOVE 'All is well' TO MSGO.\n{send}GOBACK."),
        &["'No such key' is replaced", "'All is well' lasts"],
    );
}

#[test]
fn a_constant_that_every_screen_shows_is_a_heading() {
    let headings = |procedure: &str| {
        let analysis = analysed(procedure);
        let all = 0..analysis.parsed().statements.len();
        all.filter(|statement| analysis.reported_items().is_heading(*statement)).count()
    };
    let send = "EXEC CICS SEND MAP('M') FROM(MO) END-EXEC.\n";
    let head = "HEAD.\nMOVE 'The title' TO TITLEO.\n";
    assert_eq!(headings(&format!("A.\nPERFORM HEAD.\n{send}GOBACK.\n{head}")), 1);
    assert_eq!(headings(&format!("A.\nIF SW-ON PERFORM S.\nPERFORM S.\nGOBACK.\nS.\nPERFORM HEAD.\n{send}{head}")), 1);
    // Another screen shows it not.
    assert_eq!(
        headings(&format!("A.\nIF SW-ON\n{}END-IF.\nPERFORM HEAD.\n{send}GOBACK.\n{head}", send.replace('.', ""))),
        0
    );
    // It is not always the same.
    assert_eq!(headings(&format!("A.\nPERFORM HEAD.\nIF SW-ON MOVE 'Bad key' TO TITLEO.\n{send}GOBACK.\n{head}")), 0);
}

#[test]
fn the_name_of_a_called_program_is_no_report() {
    let statements =
        "MOVE 'P1' TO MODULE.\nCALL MODULE.\nMOVE 'P2' TO MODULE.\nCALL MODULE.\nMOVE MODULE TO A-NAME.\nGOBACK.";
    check("01 MODULE PIC X(8).", "01 ANSWER.\n05 A-NAME PIC X(8).", statements, &[]);
}

#[test]
fn a_working_copy_that_is_handed_back_is_reported() {
    let work = "01 WORK.\n05 W-CODE PIC 99.\n05 W-TEXT PIC X(40).";
    let statements = |back: &str| {
        format!(
            "MOVE DFHCOMMAREA(1:EIBCALEN) TO WORK.\nMOVE 98 TO W-CODE.\nMOVE 99 TO W-CODE.\nMOVE WORK TO {back}.\nGOBACK."
        )
    };
    let area = "01 DFHCOMMAREA.\n05 FILLER PIC X(42).";
    check(work, area, &statements("DFHCOMMAREA(1:EIBCALEN)"), &["W-CODE 98", "W-CODE 99"]);
    check(work, area, &statements("DFHCOMMAREA(2:EIBCALEN)"), &[]);
}

#[test]
fn a_text_inside_a_record_that_is_moved_too_is_still_one() {
    let texts = "01 TEXTS.\n05 TEXT-1.\n10 FILLER PIC X(6) VALUE 'ERROR '.\n10 T-CODE PIC 99.\n01 KEPT PIC X(8).";
    let statements = "MOVE TEXT-1 TO ANSWER.\nMOVE TEXTS TO KEPT.\nMOVE 'NONE' TO ANSWER.\nGOBACK.";
    check(texts, "01 ANSWER PIC X(8).", statements, &["ANSWER 'ERROR ' T-CODE", "ANSWER 'NONE'"]);
}

#[test]
fn the_text_of_an_entry_is_reported_where_nothing_sets_the_table() {
    let table = "01 TEXTS.\n05 FILLER PIC X(10) VALUE '0001NO KEY'.\n05 FILLER PIC X(10) VALUE '0002AGAIN!'.\n\
                 01 FILLER REDEFINES TEXTS.\n05 ENTRY-1 OCCURS 2.\n10 T-CODE PIC 9(4).\n10 T-TEXT PIC X(6).";
    let statements = |more: &str| {
        format!("{more}MOVE T-TEXT(2) TO ANSWER.\nMOVE T-TEXT(T-CODE(1)) TO ANSWER.\nMOVE 'NONE' TO ANSWER.\nGOBACK.")
    };
    check(table, "01 ANSWER PIC X(8).", &statements(""), &["ANSWER 'AGAIN!'", "ANSWER 'NONE'"]);
    check(table, "01 ANSWER PIC X(8).", &statements("MOVE ' ' TO TEXTS.\n"), &[]);
}

#[test]
fn a_text_has_the_values_of_its_record_as_they_are_written() {
    for all in ["ALL '.'", "all '.'"] {
        let text = format!(
            "01 TEXT-1.\n05 FILLER PIC X(6) VALUE 'Total '.\n05 FILLER PIC X(9) VALUE {all}.\n05 T-SUM PIC 99."
        );
        let expected = format!("ANSWER 'Total ' {all} T-SUM");
        let statements = "MOVE TEXT-1 TO ANSWER.\nMOVE 'NONE' TO ANSWER.\nGOBACK.";
        check(&text, "01 ANSWER PIC X(17).", statements, &[&expected, "ANSWER 'NONE'"]);
    }
}

#[test]
fn blanks_between_the_parts_of_a_text_are_a_part_of_it() {
    for quote in ['\'', '"'] {
        let texts = format!(
            "01 TEXT-1.\n05 FILLER PIC X VALUE SPACES.\n05 FILLER PIC X(8) VALUE {quote}PLACE = {quote}.\n05 T-PLACE PIC 999.\n05 FILLER PIC X VALUE SPACE.\n\
             05 FILLER PIC X(7) VALUE {quote}RESP = {quote}.\n05 T-RESP PIC 9(4).\n05 FILLER PIC X VALUE SPACES.\n05 T-TEXT PIC X(9).\n05 FILLER PIC X(3) VALUE SPACES."
        );
        let expected =
            format!("ANSWER {quote}PLACE = {quote} T-PLACE {quote} RESP = {quote} T-RESP {quote} {quote} T-TEXT");
        let statements = "MOVE TEXT-1 TO ANSWER.\nMOVE 'NONE' TO ANSWER.\nGOBACK.";
        check(&texts, "01 ANSWER PIC X(60).", statements, &[&expected, "ANSWER 'NONE'"]);
    }
}

#[test]
fn a_text_whose_literal_is_not_closed_is_none() {
    let texts = "01 TEXT-1.\n05 FILLER PIC X(9) VALUE 'TOTÄ\n.\n05 T-CODE PIC 99.";
    check(texts, "01 ANSWER PIC X(8).", "MOVE TEXT-1 TO ANSWER.\nMOVE 'NONE' TO ANSWER.\nGOBACK.", &[]);
}
