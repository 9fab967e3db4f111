//! Paragraphs that perform themselves, and programs that call themselves.

use super::{found, found_in, name};
use crate::hazards::HazardKind::RunsItself;

fn performing_themselves(statements: &str) -> Vec<(String, Option<String>)> {
    let told = |kind| match kind {
        RunsItself { name, by_way_of, is_program: false } => Some((name, by_way_of)),
        _ => None,
    };
    found("", "01 N PIC 9.", statements).into_iter().filter_map(told).collect()
}

#[test]
fn a_paragraph_that_performs_itself() {
    let itself = |paragraph: &str| vec![(name(paragraph), None)];
    assert_eq!(performing_themselves("PERFORM A.\nGOBACK.\nA.\nIF N > 1\nPERFORM A."), itself("A"));
    assert_eq!(performing_themselves("PERFORM A THRU B.\nGOBACK.\nA.\nDISPLAY N.\nB.\nPERFORM A THRU B."), itself("B"));
    assert_eq!(performing_themselves("PERFORM S.\nGOBACK.\nS SECTION.\nA.\nDISPLAY N.\nB.\nPERFORM S."), itself("B"));
    // A loop of it, or a jump to its beginning, is none.
    assert_eq!(performing_themselves("PERFORM A UNTIL N > 5.\nGOBACK.\nA.\nADD 1 TO N.\nIF N < 3 GO TO A."), []);
    assert_eq!(performing_themselves("PERFORM A.\nPERFORM B.\nGOBACK.\nA.\nPERFORM B.\nB.\nDISPLAY N."), []);
    // What never runs performs nothing.
    assert_eq!(performing_themselves("GOBACK.\nA.\nPERFORM A."), []);
}

#[test]
fn paragraphs_that_perform_each_other_are_told_once() {
    let cycle = "PERFORM A.\nGOBACK.\nA.\nPERFORM B.\nB.\nPERFORM C.\nC.\nIF N = 1 PERFORM A.";
    assert_eq!(performing_themselves(cycle), [(name("A"), Some(name("B")))]);
}

#[test]
fn a_program_that_calls_itself() {
    let calls = |clause: &str, call: &str| {
        let text = format!(
            "       PROGRAM-ID. LOOPER{clause}.\n       PROCEDURE DIVISION.\n           CALL '{call}'.\n           GOBACK.\n"
        );
        found_in(text).contains(&RunsItself { name: name("LOOPER"), by_way_of: None, is_program: true })
    };
    assert!(calls("", "LOOPER"));
    assert!(!calls("", "OTHER"));
    assert!(!calls(" IS RECURSIVE", "LOOPER"));
}
