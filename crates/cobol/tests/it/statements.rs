//! Statements: verb, lines, nesting, and what single ones say.

use crate::support::{fixed, procedure, read_with};
use war_rig_cobol::{BranchKind, ParsedCobol};

/// Each statement as its verb, lines, depth and the verb of the statement that holds it.
fn outline(parsed: &ParsedCobol) -> Vec<String> {
    let verb = |index: usize| parsed.statements[index].verb.as_str();
    parsed
        .statements
        .iter()
        .map(|s| format!("{} {} {} {}", s.verb, s.lines, s.depth, s.parent.map_or("-", verb)))
        .collect()
}

#[test]
fn a_statement_knows_the_one_that_holds_it() {
    let parsed = procedure(
        "    IF A = 1\n        EVALUATE B\n            WHEN 1\n                READ F AT END\n                    MOVE 1 TO C\n                END-READ\n                ADD 1 TO D\n        END-EVALUATE\n    ELSE\n        PERFORM UNTIL E\n            CALL X\n        END-PERFORM\n    END-IF\n    GOBACK.",
    );
    assert_eq!(
        outline(&parsed),
        [
            "IF 4-16 0 -",
            "EVALUATE 5-11 1 IF",
            "READ 7-9 2 EVALUATE",
            "MOVE 8 3 READ",
            "ADD 10 2 EVALUATE",
            "PERFORM 13-15 1 IF",
            "CALL 14 2 PERFORM",
            "GOBACK 17 0 -",
        ]
    );
}

#[test]
fn a_terminator_closes_the_innermost_of_its_verb() {
    let parsed = procedure(
        "    READ F AT END\n        IF A\n            READ G AT END MOVE 1 TO B END-READ\n            MOVE 2 TO B\n        END-IF\n        MOVE 3 TO B\n    END-READ\n    MOVE 4 TO B\n    END-READ\n    END-CALL\n    IF A IF B IF C MOVE 5 TO B ELSE MOVE 6 TO B END-IF\n    ELSE MOVE 7 TO B END-IF MOVE 8 TO B.",
    );
    let moves: Vec<_> = outline(&parsed).into_iter().filter(|row| row.starts_with("MOVE")).collect();
    assert_eq!(
        moves,
        [
            "MOVE 6 3 READ", "MOVE 7 2 IF", "MOVE 9 1 READ", "MOVE 11 0 -", "MOVE 14 3 IF", "MOVE 14 3 IF",
            "MOVE 15 2 IF", "MOVE 15 1 IF",
        ]
    );
}

#[test]
fn the_point_of_a_floating_point_literal_ends_no_sentence() {
    let parsed = procedure(
        "    IF A > -9.75E+30\n        MOVE 1.5e-3 TO B\n        MOVE .5E2 TO C\n        COMPUTE D = 1.0E3*2\n    END-IF.",
    );
    assert_eq!(outline(&parsed), ["IF 4-8 0 -", "MOVE 5 1 IF", "MOVE 6 1 IF", "COMPUTE 7 1 IF"]);
    assert_eq!(parsed.words(&parsed.statements[1]).text(), "MOVE 1.5e-3 TO B");
}

#[test]
fn key_may_be_left_out_behind_invalid() {
    let parsed = procedure("    READ F INVALID MOVE 1 TO A NOT INVALID MOVE 2 TO A.");
    let phrases: Vec<&str> = parsed.branches.iter().map(|branch| parsed.condition(branch).text()).collect();
    assert_eq!(phrases, ["INVALID KEY", "NOT INVALID KEY"]);
}

#[test]
fn exit_perform_may_stand_on_two_lines() {
    let texts = |code: &str| {
        let parsed = procedure(code);
        parsed.statements.iter().map(|found| parsed.words(found).text().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        texts("    PERFORM 3 TIMES\n        EXIT\n        PERFORM\n        CYCLE\n    END-PERFORM."),
        ["PERFORM", "EXIT PERFORM CYCLE"]
    );
    assert_eq!(
        texts("    PERFORM 3 TIMES\n        EXIT\n        PERFORM\n    END-PERFORM."),
        ["PERFORM", "EXIT PERFORM"]
    );
    for (phrase, other) in [("AT END", "NOT AT END"), ("INVALID KEY", "NOT INVALID"), ("NOT AT END", "AT END")] {
        let read = format!("READ F {phrase}\n        EXIT\n        PERFORM\n        {other} CONTINUE\n    END-READ");
        let found = texts(&format!("    PERFORM 3 TIMES\n    {read}\n    END-PERFORM."));
        assert_eq!(found[2..], ["EXIT PERFORM", "CONTINUE"], "{phrase}");
    }
    assert_eq!(texts("    EXIT\n    PERFORM X."), ["EXIT", "PERFORM X"]);
}

#[test]
fn when_belongs_to_the_innermost_evaluate_or_search() {
    let parsed = procedure(
        "    EVALUATE A\n        WHEN 1\n            SEARCH T AT END MOVE 0 TO B\n                WHEN K = 1 MOVE 1 TO B\n            END-SEARCH\n        WHEN 2 MOVE 2 TO B\n    END-EVALUATE.",
    );
    let conditions: Vec<_> = parsed
        .branches
        .iter()
        .map(|branch| {
            let owner = &parsed.statements[branch.statement].verb;
            format!("{owner}: {} {:?}", parsed.condition(branch).text(), branch.kind)
        })
        .collect();
    assert_eq!(conditions, ["EVALUATE: 1 When", "SEARCH: AT END Phrase", "SEARCH: K = 1 When", "EVALUATE: 2 When"]);
    assert_eq!(parsed.branches[0].kind, BranchKind::When);
}

#[test]
fn statements_of_a_procedure_copybook_stand_in_it() {
    let parsed = read_with(
        &fixed("PROGRAM-ID. T.\nPROCEDURE DIVISION.\nA.\n    PERFORM B.\n    GOBACK.\n    COPY CODE.\nC.\n    EXIT."),
        &[(
            "CODE",
            "       B.\n           CALL 'SUB' USING X.\n           IF A = 1\n               GO TO C\n           END-IF.\n",
        )],
    );
    let places: Vec<_> = parsed
        .statements
        .iter()
        .map(|s| format!("{} {} {}", s.verb, s.lines, s.file.as_deref().unwrap_or("-")))
        .collect();
    assert_eq!(
        places,
        ["PERFORM 4 -", "GOBACK 5 -", "CALL 2 cpy/CODE.cpy", "IF 3-5 cpy/CODE.cpy", "GO 4 cpy/CODE.cpy", "EXIT 8 -"]
    );
    let paragraphs: Vec<_> = parsed
        .paragraphs
        .iter()
        .filter(|unit| unit.has_label())
        .map(|p| format!("{} {} {:?}", p.name, p.lines, p.file.as_deref()))
        .collect();
    assert_eq!(paragraphs, ["A 3-6 None", "B 1-5 Some(\"cpy/CODE.cpy\")", "C 7-8 None"]);
    assert_eq!((parsed.calls[0].target.as_str(), parsed.calls[0].paragraph), ("SUB", Some(1)));
    assert_eq!(parsed.references[1].paragraph, Some(1));
}

#[test]
fn the_exception_status_that_accept_asks_for_is_no_condition() {
    let parsed = procedure(
        "    ACCEPT A FROM EXCEPTION STATUS\n    DISPLAY A\n    ACCEPT B EXCEPTION\n        DISPLAY B\n    END-ACCEPT.",
    );
    assert_eq!(outline(&parsed), ["ACCEPT 4 0 -", "DISPLAY 5 0 -", "ACCEPT 6-8 0 -", "DISPLAY 7 1 ACCEPT"]);
}
