//! Control that goes on into what is performed elsewhere.

use super::*;

#[test]
fn the_paragraph_of_a_handler_that_does_not_leave() {
    let check = |statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, HandlerGoesOn { .. }), ["", "01 N PIC 9.", statements], expected);
    };
    let goes_on = |into: &str| [HandlerGoesOn { handler: name("BAD"), into: name(into) }];
    let handle = "EXEC CICS HANDLE ABEND LABEL(BAD) END-EXEC.\nPERFORM LOG-IT.\nEXEC CICS RETURN END-EXEC.\n";
    let log = "LOG-IT.\nADD 1 TO N.";
    check(&format!("{handle}BAD.\nMOVE 9 TO N.\n{log}"), &goes_on("LOG-IT"));
    // A section with a label at its end, which performs what it falls into; a handler of conditions.
    let sections = "BAD SECTION.\nPERFORM LOG-IT.\nBAD-EXIT. EXIT.\nLOG-IT SECTION.\nADD 1 TO N.\nLOG-EXIT. EXIT.";
    let main = "EXEC CICS HANDLE CONDITION ERROR(BAD) END-EXEC.\nPERFORM BAD.\nEXEC CICS RETURN END-EXEC.\n";
    check(&format!("MAIN-S SECTION.\n{main}{sections}"), &goes_on("LOG-IT"));
    // It ends the program, by itself, by what it performs, or by what it goes on into.
    check(&format!("{handle}BAD.\nEXEC CICS ABEND END-EXEC.\n{log}"), &[]);
    check(&format!("{handle}BAD.\nPERFORM END-IT.\n{log}\nEND-IT.\nEXEC CICS RETURN END-EXEC."), &[]);
    check(&format!("{handle}PERFORM END-IT.\nBAD.\nMOVE 9 TO N.\nEND-IT.\nGOBACK.\n{log}"), &[]);
    // What stands behind it is no paragraph of its own, or the main line falls into it as well.
    check(&format!("{handle}BAD.\nMOVE 9 TO N.\nBAD-2.\nGOBACK.\n{log}"), &[]);
    check(&format!("EXEC CICS HANDLE ABEND LABEL(BAD) END-EXEC.\nBAD.\nPERFORM LOG-IT.\n{log}"), &[]);
    // It is performed with what is behind it.
    check(&format!("PERFORM BAD THRU LOG-IT.\n{handle}BAD.\nMOVE 9 TO N.\n{log}"), &[]);
}

#[test]
fn an_exit_of_what_nothing_performs() {
    let check = |statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, StrayExit { .. }), ["", "01 N PIC 9.", statements], expected);
    };
    let stray = |exit: &str, left: &str| [StrayExit { exit: name(exit), left: name(left), into: name("B") }];
    let main = "A SECTION.\nPERFORM B.\nIF N = 0 EXIT SECTION END-IF.\n";
    let behind = "B SECTION.\nADD 1 TO N.";
    check(&format!("{main}GOBACK.\n{behind}"), &stray("EXIT SECTION", "A"));
    check(&format!("{main}A-2.\nGOBACK.\n{behind}"), &stray("EXIT SECTION", "A"));
    let paragraph = "PERFORM B.\nIF N = 0 EXIT PARAGRAPH END-IF.\nGOBACK.\nB.\nADD 1 TO N.";
    check(paragraph, &stray("EXIT PARAGRAPH", "MAIN"));
    // Control comes to the end in other ways too; the section is performed; what follows ends the program, or is not performed.
    check(&format!("{main}{behind}\nGOBACK."), &[]);
    check(&format!("M SECTION.\nPERFORM A.\nGOBACK.\n{main}GOBACK.\n{behind}"), &[]);
    check("A SECTION.\nIF N = 0 EXIT SECTION END-IF.\nPERFORM B.\nGOBACK.\nB SECTION.\nGOBACK.", &[]);
    check("A SECTION.\nIF N = 0 EXIT SECTION END-IF.\nGOBACK.\nB SECTION.\nADD 1 TO N.\nGOBACK.", &[]);
}

#[test]
fn a_main_line_that_nothing_ends() {
    let check = |statements: &str, expected: &[HazardKind]| {
        check_only(|kind| matches!(kind, MainLineGoesOn { .. }), ["", "01 N PIC 9.", statements], expected);
    };
    let goes_on = |last: &str, into: &str, further: &[&str]| {
        let further = further.iter().map(|paragraph| name(paragraph)).collect();
        [MainLineGoesOn { last: name(last), into: name(into), further }]
    };
    let behind = "B.\nADD 1 TO N.\nC.\nADD 2 TO N.";
    check(&format!("IF N = 0 PERFORM B ELSE PERFORM C END-IF.\n{behind}"), &goes_on("MAIN", "B", &["C"]));
    check(&format!("PERFORM C.\nA-2.\nADD 3 TO N.\n{behind}"), &goes_on("B", "C", &[]));
    // It ends, or a statement ends it somewhere, as in a loop that nothing else leaves or behind a control break; what is not performed before; a macro or a handler may do anything.
    check(&format!("PERFORM B.\nGOBACK.\n{behind}"), &[]);
    check(&format!("PERFORM B.\nIF N = 1 GOBACK END-IF.\n{behind}"), &[]);
    check("PERFORM B UNTIL N = 9.\nB.\nIF N = 3 STOP RUN END-IF.", &[]);
    check(&format!("PERFORM B.\nMAIN-EX.\nEXIT PROGRAM.\n{behind}"), &[]);
    check("IF N = 1 PERFORM B END-IF.\nADD 1 TO N.\nB.\nGOBACK.", &[]);
    check(&format!("ADD 1 TO N.\n{behind}"), &[]);
    check(&format!("EXEC CICS HANDLE CONDITION ERROR(B) END-EXEC.\nPERFORM B.\n{behind}"), &[]);
}
