use super::*;
use crate::model::ReferenceKind;
use crate::{LexedSource, NoCopybooks, parse};
use std::sync::Arc;
use war_rig_text::{LineNumber, ReadOptions, SourceText};

fn parsed(procedure: &str) -> ParsedCobol {
    let code = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. T.\n       PROCEDURE DIVISION.\n{}",
        procedure.lines().map(|line| format!("       {line}\n")).collect::<String>()
    );
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks)
}

fn check(procedure: &str, dead: &[&str]) {
    let parsed = parsed(procedure);
    let flow = ControlFlowGraph::of(&parsed);
    let found: Vec<&str> = (0..parsed.paragraphs.len())
        .filter(|p| !flow.is_reachable(*p))
        .map(|p| parsed.paragraphs[p].name.as_str())
        .collect();
    assert_eq!(found, dead, "{procedure}");
}

/// Returns the first dead paragraph and its reason.
fn check_reason(procedure: &str, name: &str, expected: UnreachableReason) {
    let parsed = parsed(procedure);
    let flow = ControlFlowGraph::of(&parsed);
    let paragraph = parsed.paragraphs.iter().position(|paragraph| paragraph.name == name).unwrap();
    assert_eq!(flow.unreachable_reason(paragraph), Some(expected), "{procedure}");
}

/// Returns the lines of unreachable statements in the file; the first line of a procedure is line 4.
fn check_stranded(procedure: &str, expected: &[&str]) {
    let parsed = parsed(procedure);
    let own = parsed.diagnostics.iter().filter(|found| found.code == "unreachable-statements");
    let said: Vec<&str> = own.map(|found| found.message.split(" never").next().unwrap()).collect();
    assert_eq!(said, expected, "{procedure}");
}

#[test]
fn performed_fallen_into_and_jumped_to_is_reached() {
    check(
        "MAIN.\n    PERFORM A THRU A-EXIT.\n    GOBACK.\nA.\n    MOVE 1 TO X.\nA-EXIT.\n    EXIT.\nOLD.\n    CONTINUE.",
        &["OLD"],
    );
    check("MAIN.\n    GO TO C.\nB.\n    CONTINUE.\nC.\n    GOBACK.", &["B"]);
    check("    PERFORM A\n    STOP RUN.\nA.\n    CONTINUE.\nB.\n    CONTINUE.", &["B"]);
    check("    MOVE 1 TO A.\nA.\n    GOBACK.\nB.\n    CONTINUE.", &["B"]);
    check(
        "M.\n    PERFORM A THRU A-EXIT.\n    STOP RUN.\nA.\n    GO TO A-EXIT.\nA-EXIT.\n    EXIT.\nB.\n    EXIT.",
        &["B"],
    );
    check("MAIN.\n    EXEC CICS HANDLE ABEND LABEL(BAD) END-EXEC\n    GOBACK.\nBAD.\n    STOP RUN.", &[]);
}

#[test]
fn the_end_of_a_performed_range_does_not_fall_through() {
    check("MAIN.\n    PERFORM A.\n    GOBACK.\nA.\n    CONTINUE.\nB.\n    CONTINUE.", &["B"]);
    check(
        "MAIN.\n    PERFORM S.\n    GOBACK.\nS SECTION.\nS1.\n    GO TO S3.\nS2.\n    CONTINUE.\nS3.\n    EXIT.",
        &["S2"],
    );
}

#[test]
fn execution_begins_behind_the_declaratives() {
    check(
        "DECLARATIVES.\nTROUBLE SECTION.\n    USE AFTER ERROR PROCEDURE ON F.\nSAYS.\n    DISPLAY 'T'.\nEND DECLARATIVES.\nMAIN SECTION.\nBEGIN.\n    GOBACK.\nOLD.\n    EXIT.",
        &["OLD"],
    );
}

#[test]
fn a_copybook_has_no_dead_paragraphs_of_its_own() {
    let code = b"       A.\n           GOBACK.\n       B.\n           EXIT.\n".to_vec();
    let source = SourceText::read("B.cpy", code, &ReadOptions::default()).unwrap();
    let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
    let flow = ControlFlowGraph::of(&parsed);
    assert!(parsed.paragraphs.len() == 2 && flow.is_reachable(1));
}

#[test]
fn a_name_in_two_sections_is_the_one_of_the_section_that_asks() {
    check("X SECTION.\nA.\n    PERFORM B.\n    GOBACK.\nB.\n    CONTINUE.\nY SECTION.\nB.\n    CONTINUE.", &["B"]);
}

#[test]
fn of_several_labels_of_a_name_the_next_one_is_meant() {
    let code = "MAIN.\n    PERFORM B THRU X.\n    GOBACK.\nA.\n    CONTINUE.\nX.\n    EXIT.\nB.\n    IF Y = 1 GO TO X.\n    DISPLAY 'B'.\nX.\n    EXIT.\nC.\n    EXIT.";
    check(code, &["A", "X", "C"]);
    let parsed = parsed(code);
    let flow = ControlFlowGraph::of(&parsed);
    let spans: Vec<_> = (0..parsed.references.len()).map(|index| flow.reference_span(index)).collect();
    assert_eq!(spans, [Some((3, 4)), Some((4, 4))]);
    // Without one behind the jump, the first.
    check("MAIN.\n    GO TO C.\nX.\n    GOBACK.\nX.\n    GOBACK.\nC.\n    GO TO X.", &["X"]);
}

#[test]
fn the_end_of_a_range_is_looked_up_in_its_section_and_then_everywhere() {
    let unknown = |code: &str| {
        let parsed = parsed(code);
        let flow = ControlFlowGraph::of(&parsed);
        let all = (0..parsed.references.len()).flat_map(|index| flow.unknown_labels(&parsed, index));
        all.map(str::to_owned).collect::<Vec<String>>()
    };
    let far = "M SECTION.\nP1.\n    PERFORM A OF S1 THRU Z.\n    GOBACK.\nS1 SECTION.\nA.\n    CONTINUE.\nS2 SECTION.\nZ.\n    EXIT.";
    assert!(unknown(far).is_empty());
    check(far, &[]);
    assert!(unknown("MAIN.\n    PERFORM A THRU Z.\n    GOBACK.\nA.\n    CONTINUE.\nZ SECTION.").is_empty());
    assert_eq!(unknown("MAIN.\n    PERFORM A THRU Z.\n    GOBACK.\nA.\n    EXIT."), ["Z"]);
}

#[test]
fn what_is_left_in_every_branch_does_not_fall_through() {
    check("M.\n    IF A = B GO TO X ELSE GO TO Y.\nO.\n    EXIT.\nX.\n    GOBACK.\nY.\n    GOBACK.", &["O"]);
    let flow =
        ControlFlowGraph::of(&parsed("M.\n    IF A = B GO TO N ELSE GO TO O.\nN.\n    GOBACK.\nO.\n    GOBACK."));
    assert!(!flow.falls_through(0));
    check("M.\n    IF A = B GO TO X.\nO.\n    GOBACK.\nX.\n    GOBACK.", &[]);
    let evaluate = |other: &str| {
        format!("M.\n    EVALUATE A WHEN 1 GO TO X {other} END-EVALUATE.\nO.\n    GOBACK.\nX.\n    GOBACK.")
    };
    check(&evaluate("WHEN OTHER STOP RUN"), &["O"]);
    check(&evaluate("WHEN 2 STOP RUN"), &[]);
    check(&evaluate("WHEN OTHER CONTINUE"), &[]);
    // Statements that lead around the jump.
    check("M.\n    IF A = B NEXT SENTENCE END-IF\n    GO TO X.\nO.\n    GOBACK.\nX.\n    GOBACK.", &[]);
    check("M.\n    IF A = B NEXT SENTENCE.\n    GO TO X.\nO.\n    GOBACK.\nX.\n    GOBACK.", &["O"]);
    check("M.\n    IF A = B EXIT PARAGRAPH.\n    GO TO X.\nO.\n    GOBACK.\nX.\n    GOBACK.", &[]);
    check("M.\n    GO TO X Y DEPENDING ON A.\nO.\n    GOBACK.\nX.\n    GOBACK.\nY.\n    GOBACK.", &[]);
}

#[test]
fn what_a_program_leaves_by() {
    for leave in ["STOP RUN", "GOBACK", "CALL 'CEE3ABD'", "EXEC CICS XCTL PROGRAM('X') END-EXEC"] {
        check(&format!("M.\n    {leave}.\nO.\n    GOBACK."), &["O"]);
    }
    // These may return.
    for leave in ["EXIT PROGRAM", "EXEC CICS XCTL PROGRAM('X') RESP(R) END-EXEC", "STOP 'WAIT'", "CALL 'X'"] {
        check(&format!("M.\n    {leave}.\nO.\n    GOBACK."), &[]);
    }
}

#[test]
fn sort_procedures_and_handlers_are_reached() {
    check(
        "M.\n    SORT S ON ASCENDING KEY K\n      INPUT PROCEDURE IN-1 THRU IN-2\n      OUTPUT PROCEDURE OUT-1.\n    GOBACK.\nIN-1.\n    GO TO IN-2.\nIN-2.\n    EXIT.\nO.\n    EXIT.\nOUT-1.\n    EXIT.\nP.\n    EXIT.",
        &["O", "P"],
    );
    check(
        "M.\n    EXEC CICS HANDLE CONDITION NOTFND(A)\n      ERROR(B) END-EXEC\n    GOBACK.\nA.\n    GOBACK.\nB.\n    GOBACK.\nC.\n    GOBACK.",
        &["C"],
    );
    check("M.\n    XML PARSE D PROCESSING PROCEDURE A.\n    GOBACK.\nA.\n    EXIT.\nB.\n    EXIT.", &["B"]);
    // WHENEVER is for the precompiler, wherever it is.
    check(
        "M.\n    GOBACK.\nOLD.\n    EXEC SQL WHENEVER SQLERROR GO TO BAD END-EXEC\n    GOBACK.\nBAD.\n    GOBACK.",
        &["OLD"],
    );
}

#[test]
fn alter_makes_the_altered_paragraph_lead_there() {
    let code = |perform: &str| {
        format!(
            "M.\n    ALTER P TO PROCEED TO Q.\n    {perform}\n    GOBACK.\nO.\n    EXIT.\nP.\n    GO TO R.\nQ.\n    GOBACK.\nR.\n    GOBACK."
        )
    };
    check(&code("PERFORM P."), &["O"]);
    // ALTER of a paragraph does not reach that paragraph.
    check(&code("CONTINUE."), &["O", "P", "Q", "R"]);
}

#[test]
fn a_jump_out_of_a_range_goes_on_where_it_leads() {
    check(
        "M.\n    PERFORM A THRU A-EXIT.\n    GOBACK.\nA.\n    IF X = 1 GO TO OUT-1.\nA-EXIT.\n    EXIT.\nO.\n    GOBACK.\nOUT-1.\n    CONTINUE.\nOUT-2.\n    GOBACK.",
        &["O"],
    );
    check(
        "M SECTION.\nM-1.\n    PERFORM S.\n    GOBACK.\nS SECTION.\nS-1.\n    IF A = B EXIT SECTION.\n    GO TO S-3.\nS-2.\n    EXIT.\nS-3.\n    EXIT.\nT SECTION.\nT-1.\n    EXIT.",
        &["S-2", "T-1"],
    );
    // Without a PERFORM, EXIT SECTION falls into the next section.
    check("S SECTION.\nS-1.\n    EXIT SECTION.\nS-2.\n    EXIT.\nT SECTION.\nT-1.\n    GOBACK.", &["S-2"]);
}

#[test]
fn a_dead_paragraph_has_its_reason() {
    use UnreachableReason::*;
    let main = "M.\n    PERFORM A.\n    GOBACK.\n";
    check_reason(&format!("{main}O.\n    EXIT.\nA.\n    EXIT."), "O", AfterExit { before: 0, by: ExitKind::Goback });
    check_reason(&format!("{main}A.\n    DISPLAY 'A'.\nO.\n    EXIT."), "O", AfterPerformed { before: 1 });
    let chain = format!("{main}A.\n    GO TO M.\nO.\n    DISPLAY 'O'.\nP.\n    PERFORM Q.\n    GOBACK.\nQ.\n    EXIT.");
    check_reason(&chain, "P", AfterUnreachable { before: 2 });
    check_reason(&chain, "Q", OnlyFromUnreachable { paragraph: 3, kind: ReferenceKind::Perform });
    check_reason(
        "M.\n    GOBACK.\n    PERFORM A.\nA.\n    EXIT.",
        "A",
        OnlyFromDeadCode {
            paragraph: Some(0),
            kind: ReferenceKind::Perform,
            line: LineNumber::new(6).unwrap(),
            by: ExitKind::Goback,
        },
    );
    check_reason(
        "M.\n    PERFORM A THRU C.\n    GOBACK.\nA.\n    GO TO C.\nB.\n    DISPLAY 'B'.\nC.\n    EXIT.",
        "B",
        RangeExitedEarly { first: 1, last: 3, before: 1, by: ExitKind::GoTo },
    );
    check_reason("    STOP RUN.\nA.\n    EXIT.", "A", AfterExit { before: 0, by: ExitKind::StopRun });
    check_reason(
        "M.\n    GOBACK.\nA.\n    PERFORM A.\nB.\n    EXIT.",
        "A",
        AfterExit { before: 0, by: ExitKind::Goback },
    );
    check_reason(
        "M.\n    IF A = B STOP RUN ELSE GOBACK.\nA.\n    EXIT.",
        "A",
        AfterExit { before: 0, by: ExitKind::EveryBranch },
    );
    // A label at the end of a range is in use.
    let parsed = parsed("M.\n    PERFORM A THRU A-X.\n    GOBACK.\nA.\n    GOBACK.\nA-X.\n    EXIT.");
    let flow = ControlFlowGraph::of(&parsed);
    assert!(!flow.is_reachable(2) && flow.unreachable_reason(2).is_none());
}

#[test]
fn statements_behind_a_stop_are_told_with_their_lines() {
    check_stranded("M.\n    GOBACK.\n    DISPLAY 'A'\n    DISPLAY 'B'.\nN.\n    EXIT.", &["lines 6 to 7 are"]);
    check_stranded("M.\n    IF A = B\n      GO TO N\n      DISPLAY 'A'.\n    GOBACK.\nN.\n    EXIT.", &["line 7 is"]);
    check_stranded("M.\n    RECEIVE Q MESSAGE INTO A\n      NO DATA GO TO M.\n    DISPLAY 'A'.", &[]);
    check_stranded("M.\n    EXEC CICS RETURN END-EXEC.\n    GOBACK.", &[]);
    check_stranded("M.\n    IF A = B NEXT SENTENCE ELSE GOBACK.\n    DISPLAY 'A'.", &[]);
    check_stranded(
        "M.\n    PERFORM UNTIL A = B\n      EXIT PERFORM\n      DISPLAY 'A'\n    END-PERFORM\n    GOBACK.",
        &["line 7 is"],
    );
    check_stranded(
        "M.\n    GOBACK.\n    IF A = B\n      DISPLAY 'A'\n      GOBACK\n      DISPLAY 'B'.",
        &["lines 6 to 9 are"],
    );
    check_stranded("A SECTION.\n    GOBACK.\nB SECTION.\n    DISPLAY 'B'.", &[]);
    check_stranded("    GOBACK.\n    DISPLAY 'B'.\nA.\n    EXIT.", &["line 5 is"]);
    check_stranded("    GOBACK.\n    ENTRY 'B'.\n    DISPLAY 'B'.\n    GOBACK.\n    DISPLAY 'C'.", &["line 8 is"]);
    check("    GOBACK.\n    ENTRY 'B'.\n    PERFORM A.\n    GOBACK.\nA.\n    DISPLAY 'A'.", &[]);
}

#[test]
fn a_paragraph_that_is_only_performed_does_not_fall_through() {
    let flow =
        ControlFlowGraph::of(&parsed("M.\n    PERFORM B.\nA.\n    GOBACK.\nB.\n    DISPLAY 'B'.\nC.\n    EXIT."));
    let falls: Vec<bool> = (0..4).map(|paragraph| flow.falls_through(paragraph)).collect();
    assert_eq!(falls, [true, false, false, false]);
}

#[test]
fn what_performs_a_paragraph_that_never_ends_does_not_go_on() {
    let falls = |procedure: &str| {
        let parsed = parsed(procedure);
        let flow = ControlFlowGraph::of(&parsed);
        let falling = (0..parsed.paragraphs.len()).filter(|at| flow.falls_through(*at));
        falling.map(|at| parsed.paragraphs[at].name.clone()).collect::<Vec<_>>()
    };
    let nothing: [&str; 0] = [];
    assert_eq!(falls("M.\n    PERFORM A.\n    PERFORM Z.\nA.\n    DISPLAY 'A'.\nZ.\n    GOBACK."), nothing);
    assert_eq!(falls("M.\n    PERFORM Y.\nA.\n    EXIT.\nY.\n    PERFORM Z.\nZ.\n    STOP RUN."), nothing);
    assert_eq!(falls("M.\n    IF X = 1 PERFORM Z.\nA.\n    PERFORM Z.\nZ.\n    STOP RUN."), ["M"]);
    assert_eq!(falls("M.\n    PERFORM Z UNTIL X = 1.\nA.\n    PERFORM Z.\nZ.\n    STOP RUN."), ["M"]);
    // Its GO TO leads to the end of the range.
    assert_eq!(falls("M.\n    PERFORM Z THRU Z-X.\nA.\n    GOBACK.\nZ.\n    GO TO Z-X.\nZ-X.\n    EXIT."), ["M"]);
    assert_eq!(
        falls(
            "S SECTION.\n    PERFORM T.\n    GOBACK.\nT SECTION.\n    GO TO T-X.\n    DISPLAY 'T'.\nT-X.\n    EXIT.\nU SECTION.\n    EXIT."
        ),
        nothing
    );
}

#[test]
fn statements_without_a_label_are_a_paragraph_of_what_heads_them() {
    let parsed = parsed(
        "    DISPLAY 'MAIN'.\n    ENTRY 'OTHER'.\n    GOBACK.\nS SECTION.\n    DISPLAY 'S'.\nS-1.\n    EXIT.\nT SECTION.\n    EXIT.",
    );
    let found: Vec<_> =
        parsed.paragraphs.iter().map(|unit| format!("{:?} {} {}", unit.head, unit.name, unit.lines)).collect();
    assert_eq!(
        found,
        ["Division PROCEDURE DIVISION 3-4", "Entry OTHER 5-6", "Section S 7-8", "Label S-1 9-10", "Section T 11-12"]
    );
}

#[test]
fn control_returns_from_a_declarative_section_at_its_end() {
    let parsed = parsed(
        "DECLARATIVES.\nS1 SECTION.\n    USE AFTER ERROR PROCEDURE ON F.\nA.\n    CONTINUE.\nB.\n    CONTINUE.\nS2 SECTION.\n    \
         USE AFTER ERROR PROCEDURE ON G.\nC.\n    CONTINUE.\nEND DECLARATIVES.\nMAIN SECTION.\nM.\n    GOBACK.",
    );
    let flow = ControlFlowGraph::of(&parsed);
    let named = parsed.paragraphs.iter().enumerate().filter(|(_, paragraph)| paragraph.has_label());
    let falls: Vec<(&str, bool)> =
        named.map(|(index, paragraph)| (paragraph.name.as_str(), flow.falls_through(index))).collect();
    assert_eq!(falls, [("A", true), ("B", false), ("C", false), ("M", false)]);
    // The statements behind USE are entered themselves.
    check(
        "DECLARATIVES.\nS1 SECTION.\n    USE AFTER ERROR PROCEDURE ON F.\nA.\n    CONTINUE.\nS2 SECTION.\n    \
         USE AFTER ERROR PROCEDURE ON G.\n    MOVE 1 TO X.\nEND DECLARATIVES.\nMAIN SECTION.\nM.\n    GOBACK.",
        &[],
    );
}

#[test]
fn a_paragraph_that_may_be_left_before_its_end_does_not_always_end_the_program() {
    let ends = |procedure: &str| {
        let parsed = parsed(procedure);
        let flow = ControlFlowGraph::of(&parsed);
        (0..parsed.paragraphs.len()).filter(|at| flow.program_exit(*at).is_some()).count()
    };
    assert_eq!(ends("M.\n    PERFORM C.\n    GOBACK.\nC.\n    DISPLAY 'X'.\n    STOP RUN."), 2);
    assert_eq!(ends("M.\n    PERFORM C.\n    GOBACK.\nC.\n    IF X = 0 EXIT PARAGRAPH.\n    STOP RUN."), 1);
    assert_eq!(
        ends("M.\n    PERFORM C THRU C-X.\n    GOBACK.\nC.\n    IF X = 0 GO TO C-X.\n    STOP RUN.\nC-X.\n    EXIT."),
        1
    );
}

#[test]
fn a_range_ends_the_program_only_if_control_falls_into_its_end() {
    let exit = |procedure: &str, name: &str| {
        let parsed = parsed(procedure);
        let at = parsed.paragraphs.iter().position(|paragraph| paragraph.name == name).unwrap();
        ControlFlowGraph::of(&parsed).program_exit(at)
    };
    let ends = "MAIN.\n    PERFORM BAD.\n    GOBACK.\nBAD SECTION.\n    DISPLAY 'X'.\nBAD-STOP.\n    STOP RUN.";
    assert_eq!(exit(ends, "BAD"), Some(ProgramExit::StopsRun));
    // Performed alone, it comes back.
    let both = "MAIN.\n    PERFORM A UNTIL N > 3.\n    PERFORM A THRU B.\nA.\n    ADD 1 TO N.\nB.\n    GOBACK.";
    assert_eq!(exit(both, "A"), None);
    let jumps = "MAIN.\n    PERFORM A THRU A-EXIT.\nA.\n    IF BAD GO TO A-END.\n    GO TO MAIN.\nA-END.\n    STOP RUN.\nA-EXIT.\n    EXIT.";
    assert_eq!(exit(jumps, "A"), None);
    // A range that ends before it begins.
    let backward = "MAIN.\n    PERFORM C THRU A.\nA.\n    EXIT.\nB.\n    CONTINUE.\nC.\n    GOBACK.";
    assert_eq!(exit(backward, "C"), Some(ProgramExit::Returns));
}

#[test]
fn what_always_performs_the_end_of_the_program_ends_it() {
    let exit = |procedure: &str| {
        let parsed = parsed(procedure);
        let at = parsed.paragraphs.iter().position(|paragraph| paragraph.name == "BAD").unwrap();
        ControlFlowGraph::of(&parsed).program_exit(at)
    };
    let code = |bad: &str| {
        format!(
            "MAIN.\n    IF X = 1 PERFORM BAD.\n    GOBACK.\nBAD.\n    {bad}\nSAY-IT.\n    DISPLAY 'X'.\n    PERFORM FINISH.\nFINISH.\n    STOP RUN."
        )
    };
    assert_eq!(exit(&code("PERFORM SAY-IT.")), Some(ProgramExit::StopsRun));
    assert_eq!(exit(&code("IF X = 2 PERFORM SAY-IT.")), None);
    assert_eq!(exit(&code("IF X = 2 PERFORM SAY-IT ELSE PERFORM FINISH.")), Some(ProgramExit::StopsRun));
}

#[test]
fn what_ends_the_program_under_every_condition_ends_it() {
    let exits = |bad: &str| {
        let parsed =
            parsed(&format!("MAIN.\n    PERFORM CALLER.\n    GOBACK.\nCALLER.\n    PERFORM BAD.\nBAD.\n    {bad}"));
        let flow = ControlFlowGraph::of(&parsed);
        ["CALLER", "BAD"]
            .map(|name| flow.program_exit(parsed.paragraphs.iter().position(|at| at.name == name).unwrap()))
    };
    let (returns, returns_with) = ("EXEC CICS RETURN END-EXEC", "EXEC CICS RETURN TRANSID('T') END-EXEC");
    for bad in [
        &format!("IF X = 1\n    DISPLAY X\n    {returns}\n    ELSE\n    {returns_with}\n    END-IF."),
        "IF X = 1 GOBACK ELSE STOP RUN END-IF.",
        "EVALUATE X\n    WHEN 1 STOP RUN\n    WHEN 2 IF Y = 1 GOBACK ELSE CALL 'CEE3ABD' END-IF\n    WHEN OTHER GOBACK\n    END-EVALUATE.",
    ] {
        assert_eq!(exits(bad), [Some(ProgramExit::Returns); 2], "{bad}");
    }
    assert_eq!(exits("IF X = 1 DISPLAY X STOP RUN ELSE STOP RUN."), [Some(ProgramExit::StopsRun); 2]);
    for bad in [
        "IF X = 1 GOBACK.",
        "IF X = 1 GOBACK ELSE DISPLAY X.",
        "EVALUATE X\n    WHEN 1 GOBACK\n    WHEN 2 GOBACK\n    END-EVALUATE.",
    ] {
        assert_eq!(exits(bad), [None; 2], "{bad}");
    }
}

#[test]
fn behind_a_return_that_failed_its_test_always_holds() {
    let procedure = |test: &str| {
        format!(
            "A010.\n    EXEC CICS RETURN TRANSID('T') RESP(R) END-EXEC.\n    {test}\nA999.\n    EXIT.\nB SECTION.\nB010.\n    \
             MOVE 1 TO X.\nC SECTION.\nC010.\n    EXEC CICS ABEND END-EXEC."
        )
    };
    for test in ["IF R NOT = DFHRESP(NORMAL) PERFORM C END-IF.", "IF EIBRESP NOT = 0 DISPLAY R GO TO C END-IF."] {
        check(&procedure(test), &["A999", "B010"]);
    }
    // What does not ask for the failure, or does not leave, lets control go on.
    for test in ["IF X NOT = DFHRESP(NORMAL) PERFORM C END-IF.", "IF R NOT = DFHRESP(NORMAL) DISPLAY R END-IF."] {
        check(&procedure(test), &[]);
    }
}

/// A program of a site whose precompiler has macros.
const OF_MACROS: &str = "MAIN.\n    PERFORM CHECK THRU CHECK-EXIT\n    PERFORM LAST-STEP THRU LAST-STEP-EXIT.\nMAIN-EXIT.\n    EXIT.\nCHECK.\n    \
    IF X = SPACE\n        #ERROR CODE-1 STATUS-BAD\n    END-IF\n    EVALUATE X\n    WHEN 1\n        CONTINUE\n    WHEN OTHER\n        #ERROR CODE-2\n    \
    END-EVALUATE\n    #CALL PAYROLL DELETE X-AREA.\nCHECK-EXIT.\n    EXIT.\nLAST-STEP.\n    MOVE 1 TO X\n    #OK STATUS-OK.\nLAST-STEP-EXIT.\n    EXIT.";

#[test]
fn a_macro_is_a_statement_with_operands_and_no_part_of_a_condition() {
    let parsed = parsed(OF_MACROS);
    let macros: Vec<(String, Vec<&str>)> = parsed
        .statements
        .iter()
        .filter(|statement| statement.verb == Verb::Macro)
        .map(|found| {
            (parsed.words(found).text().to_owned(), parsed.operands(found).map(|operand| operand.name()).collect())
        })
        .collect();
    let expected = [
        ("#ERROR CODE-1 STATUS-BAD", vec!["CODE-1", "STATUS-BAD"]),
        ("#ERROR CODE-2", vec!["CODE-2"]),
        ("#CALL PAYROLL DELETE X-AREA", vec!["PAYROLL", "DELETE", "X-AREA"]),
        ("#OK STATUS-OK", vec!["STATUS-OK"]),
    ];
    assert_eq!(macros, expected.map(|(words, operands)| (words.to_owned(), operands)));
    let conditions: Vec<String> =
        parsed.branches.iter().map(|branch| parsed.condition(branch).text().to_owned()).collect();
    assert_eq!(conditions, ["X = SPACE", "1", "OTHER"]);
}

#[test]
fn a_name_with_the_sign_of_a_macro_is_none_where_an_operand_stands() {
    let code = "MAIN.\n    MOVE A TO\n        #B\n    IF A =\n        $C OR\n        @D = 1\n        CONTINUE\n    END-IF\n    GOBACK.";
    assert!(parsed(code).statements.iter().all(|statement| statement.verb != Verb::Macro));
}

#[test]
fn a_macro_ends_a_program_that_nothing_else_ends() {
    let ends_by_macro = parsed(OF_MACROS);
    assert_eq!(ends_by_macro.programs[0].ending_macro.as_deref(), Some("#OK"));
    let flow = ControlFlowGraph::of(&ends_by_macro);
    let index = |name: &str| ends_by_macro.paragraphs.iter().position(|paragraph| paragraph.name == name).unwrap();
    assert!(!flow.falls_through(index("MAIN")) && !flow.falls_through(index("MAIN-EXIT")));
    assert_eq!(flow.program_exit(index("LAST-STEP")), Some(ProgramExit::Returns));
    check(OF_MACROS, &["MAIN-EXIT", "LAST-STEP-EXIT"]);
    let ended = OF_MACROS.replace("    #OK STATUS-OK.", "    #OK STATUS-OK\n    GOBACK.");
    assert_eq!(parsed(&ended).programs[0].ending_macro, None);
}

#[test]
fn a_macro_that_may_come_back_ends_no_program() {
    let ending = |procedure: &str| parsed(procedure).programs[0].ending_macro.clone();
    let performed = "MAIN.\n    PERFORM WORK\n    #OK A.\nWORK.\n    MOVE 1 TO A.";
    assert_eq!(ending(performed).as_deref(), Some("#OK"));
    // Something follows another use of it.
    assert_eq!(ending(&performed.replace("    MOVE", "    #OK A\n    MOVE")), None);
    // What stands behind the main line is not performed: control falls on.
    assert_eq!(ending(&performed.replace("PERFORM WORK", "CONTINUE")), None);
    // A copybook that is missing may end it.
    assert_eq!(ending(&performed.replace("#OK A.", "#OK A\n    COPY GONE.")), None);
}

/// Returns the macros that a procedure runs.
fn macros(parsed: &ParsedCobol) -> Vec<String> {
    parsed.macro_uses().into_iter().map(|found| parsed.words(found.statement).text().to_owned()).collect()
}

#[test]
fn labels_with_the_sign_of_a_macro_and_verbs_on_its_line_are_told_apart() {
    assert!(macros(&parsed("MAIN.\n    PERFORM\n        @INIT\n    GOBACK.\n@INIT.\n    CONTINUE.")).is_empty());
    assert!(macros(&parsed("    OPEN INPUT\n        #MASTER\n    CLOSE\n        #MASTER.")).is_empty());
    assert_eq!(macros(&parsed("    #ERR 5 PERFORM OUT-P\n    GOBACK.\nOUT-P.\n    CONTINUE.")), ["#ERR 5"]);
    let cases = parsed("    EVALUATE A\n    WHEN '1' #ERR 6\n    WHEN '2' CONTINUE\n    END-EVALUATE.");
    assert_eq!(macros(&cases), ["#ERR 6"]);
    assert_eq!(cases.branches.iter().map(|branch| cases.condition(branch).text()).collect::<Vec<_>>(), ["'1'", "'2'"]);
}

#[test]
fn each_label_of_a_go_to_is_passed_or_comes_back_for_itself() {
    let parsed = parsed(
        "MAIN.\n    PERFORM A THRU A-EXIT.\n    GOBACK.\nA.\n    GO TO A-EXIT B-EXIT DEPENDING ON N.\nA-EXIT.\n    EXIT.\nB.\n    DISPLAY 'B'.\n\
         B-EXIT.\n    EXIT.\nC.\n    DISPLAY 'C'.",
    );
    let flow = ControlFlowGraph::of(&parsed);
    let index = |name: &str| parsed.paragraphs.iter().position(|paragraph| paragraph.name == name).unwrap();
    let passed: Vec<_> = flow.jump_targets().map(|(_, label, target)| (label, target.into, target.left)).collect();
    assert_eq!(passed, [(index("B-EXIT"), index("C"), Some(index("A-EXIT")))]);
}

#[test]
fn a_jump_goes_on_behind_what_others_come_back_from() {
    let check = |procedure: &str, expected: &[(&str, &str, bool)]| {
        let parsed = parsed(procedure);
        let flow = ControlFlowGraph::of(&parsed);
        let name = |index: usize| parsed.paragraphs[index].name.as_str();
        let targets = flow.jump_targets().map(|(_, label, target)| (name(label), name(target.into), target.goes_on));
        assert_eq!(targets.collect::<Vec<_>>(), expected, "{procedure}");
    };
    let parts = "B.\n    DISPLAY 'B'.\nC.\n    DISPLAY 'C'.\n    GOBACK.";
    check(&format!("MAIN.\n    PERFORM B.\n    GO TO B.\n{parts}"), &[("B", "B", true)]);
    // A label that does nothing in front of it, and a PERFORM that waits there.
    check(&format!("MAIN.\n    PERFORM B.\n    GO TO X.\nX.\n    EXIT.\n{parts}"), &[("X", "B", true)]);
    let waits = "MAIN.\n    PERFORM A THRU B.\n    GOBACK.\nA.\n    GO TO X.\nX.\n    EXIT.\n";
    check(&format!("{waits}{parts}"), &[("X", "B", false)]);
    check(&format!("MAIN.\n    PERFORM A THRU B.\n    GOBACK.\nA.\n    GO TO B.\n{parts}"), &[]);
    check(&format!("MAIN.\n    GO TO B.\n{parts}"), &[]);
}

#[test]
fn a_jump_out_of_an_inner_range_comes_back_at_the_end_of_the_range_around_it() {
    let falling = |procedure: &str| {
        let parsed = parsed(procedure);
        let flow = ControlFlowGraph::of(&parsed);
        let falls = parsed.paragraphs.iter().enumerate().filter(|(index, _)| flow.falls_through(*index));
        falls.map(|(_, paragraph)| paragraph.name.clone()).collect::<Vec<_>>()
    };
    let parts = "A.\n    PERFORM B THRU B-EXIT.\nA-EXIT.\n    EXIT.\nB.\n    IF X = 1\n        GO TO A\n    END-IF.\nB-EXIT.\n    EXIT.\nC.\n    GOBACK.";
    let outer = "MAIN.\n    PERFORM A THRU A-EXIT.\n    GOBACK.\n";
    assert_eq!(falling(&format!("{outer}{parts}")), ["A", "B"]);
    // Who performs the inner range alone has no way back at the end of the outer one.
    let alone = outer.replace("    GOBACK", "    PERFORM B THRU B-EXIT.\n    GOBACK");
    assert_eq!(falling(&format!("{alone}{parts}")), ["A", "A-EXIT", "B"]);
    // Control comes to a handler from anywhere: what waits where it jumps is not known.
    let handler = "EXEC CICS HANDLE CONDITION ERROR(H) END-EXEC";
    let handled = format!("{outer}{parts}\nH.\n    GO TO A-EXIT.")
        .replace("    IF X = 1", &format!("    {handler}\n    IF X = 1"));
    assert_eq!(falling(&handled), ["A", "A-EXIT", "B"]);
}
