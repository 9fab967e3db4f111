//! Decisions of small procedures.

use super::*;
use crate::{Analysis, LexedSource, NoCopybooks, parse};
use std::fmt::Write;
use std::sync::Arc;
use war_rig_text::{ReadOptions, SourceText};

const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 FLAG PIC X.
          88 ACTIVE VALUE 'A'.
          88 CLOSED VALUE 'C' 'D'.
          88 IN-RANGE VALUE 'K' THRU 'M'.
       01 LIMITS.
          05 TIER-LIMIT PIC 9(9)V99 VALUE 250000.00.
          05 MOVED-LIMIT PIC 9(9) VALUE 10.
          05 MOVED-LIMIT-ANEW REDEFINES MOVED-LIMIT.
             10 HIGH-DIGITS PIC 9(5).
             10 LOW-DIGITS PIC 9(4).
          05 MOVED-LIMIT-AGAIN REDEFINES MOVED-LIMIT-ANEW PIC X(9).
       01 RENAMED-GROUP.
          05 RENAMED-FIRST PIC X.
          05 RENAMED-SECOND PIC X VALUE 'B'.
          05 RENAMED-THIRD PIC X.
       66 RENAMED RENAMES RENAMED-FIRST THRU RENAMED-THIRD.
       01 POINTED PIC X VALUE 'P'.
       01 WHOLE VALUE 'AB'.
          05 PART PIC X.
       01 AMOUNT PIC 9(9)V99.
       01 RATE PIC 9V99.
       01 MESSAGE-TEXT PIC X(40).
          88 ALL-DONE VALUE 'All is done'.
       01 COUNTER PIC 9(4).
       01 ONE PIC 9 VALUE 01.
       01 JOINED.
          05 JOINED-KIND PIC X(4) VALUE 'ZC'.
             88 JOINED-OTHER VALUE 'ZD'.
          05 JOINED-REST.
             10 PIC X(4) VALUE 'FILE'.
       01 JOINED-IN-PART.
          05 JOINED-FIRST PIC X(4) VALUE 'ZC'.
          05 PIC X(4).
       01 OTHER-FLAGS.
          05 OTHER-FLAG PIC 9.
             88 ACTIVE VALUE 1.
       LOCAL-STORAGE SECTION.
       01 LOCAL-NAME PIC X(8) VALUE 'ABNDPROC'.
       PROCEDURE DIVISION.
       MAIN.
";

fn analysed(procedure: &str) -> Analysis {
    let code = procedure.lines().fold(HEAD.to_owned(), |code, line| format!("{code}           {line}\n"));
    let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
    Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks))
}

/// Returns each decision as a line: its kind, its condition, the WHENs that must be false, the enclosing conditions, and its effects.
fn told(procedure: &str) -> Vec<String> {
    let analysis = analysed(procedure);
    let decisions = analysis.decisions();
    let line = |decision: Decision| {
        let mut line = decision.kind.as_str().to_owned();
        let condition = decision.condition.as_ref().map(ToString::to_string).unwrap_or_default();
        write!(line, " {condition}").unwrap();
        if let Some(formula) = &decision.formula {
            write!(line, "{}", formula.expression).unwrap();
        }
        let list =
            |conditions: &[Condition]| conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" / ");
        if !decision.before.is_empty() {
            write!(line, " [not {}]", list(&decision.before)).unwrap();
        }
        if !decision.around.is_empty() {
            write!(line, " [in {}]", list(&decision.around)).unwrap();
        }
        let decides: Vec<String> = decision.effects.iter().map(DecisionEffect::in_words).collect();
        write!(line, ": {}", decides.join(", ")).unwrap();
        line
    };
    decisions.iter().map(line).collect()
}

#[track_caller]
fn check(procedure: &str, expected: &[&str]) {
    assert_eq!(told(procedure), expected, "{procedure}");
}

#[test]
fn an_if_and_its_else_are_two_sides_of_one_condition() {
    check(
        "IF ACTIVE OR AMOUNT > TIER-LIMIT\nMOVE 0 TO RATE\nELSE\nPERFORM P\nEND-IF.",
        &[
            "if ACTIVE OR AMOUNT > TIER-LIMIT: sets RATE",
            "else NOT ACTIVE AND AMOUNT <= TIER-LIMIT: which paragraph runs next",
        ],
    );
}

#[test]
fn a_when_is_told_with_its_subject_and_with_those_before_it_where_that_matters() {
    check(
        "EVALUATE FLAG\nWHEN 'A'\nSET CLOSED TO TRUE\nWHEN 'B'\nWHEN 'X' THRU 'Z'\nGOBACK\nWHEN OTHER\nADD 1 TO COUNTER\nEND-EVALUATE.",
        &[
            "when FLAG = 'A': sets FLAG",
            "when FLAG = 'B' OR (FLAG >= 'X' AND FLAG <= 'Z') [not FLAG = 'A']: how the program ends",
            "when  [not FLAG = 'A' / FLAG = 'B' OR (FLAG >= 'X' AND FLAG <= 'Z')]: sets COUNTER",
        ],
    );
    check(
        "EVALUATE TRUE\nWHEN ACTIVE\nMOVE 1 TO RATE\nWHEN CLOSED\nMOVE 2 TO RATE\nWHEN AMOUNT > 5\nMOVE 3 TO RATE\nEND-EVALUATE.",
        &["when ACTIVE: sets RATE", "when CLOSED: sets RATE", "when AMOUNT > 5 [not ACTIVE / CLOSED]: sets RATE"],
    );
    check(
        "EVALUATE FLAG ALSO TRUE\nWHEN 'A' ALSO AMOUNT > 5\nMOVE 1 TO RATE\nWHEN 'B' ALSO ANY\nMOVE 2 TO RATE\nEND-EVALUATE.",
        &["when FLAG = 'A' AND AMOUNT > 5: sets RATE", "when FLAG = 'B': sets RATE"],
    );
}

#[test]
fn what_is_done_says_what_is_decided() {
    check(
        "IF ACTIVE\nMOVE 'NOT A VALID CODE' TO MESSAGE-TEXT\nIF CLOSED\nWRITE R\nEND-IF\nEND-IF.",
        &["if ACTIVE: which message is given", "if CLOSED [in ACTIVE]: what is written to R"],
    );
    check("IF ACTIVE MOVE 8 TO RETURN-CODE.", &["if ACTIVE: how the program ends"]);
    check(
        "IF ACTIVE CALL 'X' ELSE GO TO P.",
        &["if ACTIVE: which program runs next", "else NOT ACTIVE: which paragraph runs next"],
    );
    check("IF ACTIVE CONTINUE.", &["if ACTIVE: "]);
}

#[test]
fn a_message_may_be_the_value_of_a_condition_name() {
    let analysis = analysed("IF ACTIVE SET ALL-DONE TO TRUE.");
    assert_eq!(analysis.decisions().of_branch(0).unwrap().effects, [DecisionEffect::Message]);
}

#[test]
fn a_condition_name_is_that_of_the_item_that_qualifies_it() {
    let expanded = |condition: &str| {
        let analysis = analysed(&format!("IF {condition}\nMOVE 0 TO RATE\nEND-IF."));
        let decisions = analysis.decisions();
        decisions.expand_condition_name(decisions.condition(0).unwrap(), Some(0)).to_string()
    };
    assert_eq!(expanded("ACTIVE"), "FLAG = 'A'");
    assert_eq!(expanded("ACTIVE OF FLAG"), "FLAG = 'A'");
    assert_eq!(expanded("ACTIVE OF OTHER-FLAG"), "OTHER-FLAG = 1");
    assert_eq!(expanded("ACTIVE IN OTHER-FLAG OF OTHER-FLAGS"), "OTHER-FLAG OF OTHER-FLAGS = 1");
    assert_eq!(expanded("ACTIVE OF OTHER-FLAGS"), "OTHER-FLAG OF OTHER-FLAGS = 1");
    check("IF RATE = 0\nSET ACTIVE OF OTHER-FLAG TO TRUE\nEND-IF.", &["if RATE = 0: sets OTHER-FLAG"]);
    let analysis = analysed("SET ACTIVE OF OTHER-FLAG TO TRUE.");
    let assigned = analysis.decisions().assigned_constants(&analysis.parsed().statements[0]);
    assert_eq!((assigned[0].item.as_str(), assigned[0].value.as_str()), ("OTHER-FLAG", "1"));
}

#[test]
fn an_item_of_characters_compares_no_numbers() {
    let excludes = |one: &str, other: &str| {
        let analysis = analysed(&format!("IF {one} CONTINUE.\nIF {other} CONTINUE."));
        let decisions = analysis.decisions();
        decisions.excludes(decisions.condition(0).unwrap(), decisions.condition(1).unwrap(), Some(0))
    };
    assert!(excludes("COUNTER > 5", "COUNTER = 3"));
    assert!(!excludes("JOINED-KIND > 5", "JOINED-KIND = 3"));
    assert!(!excludes("LIMITS > 5", "LIMITS = 3"));
    assert!(!excludes("COUNTER(1:2) > 5", "COUNTER(1:2) = 3"));
    assert!(!excludes("COUNTER = 1", "COUNTER = 01"));
    assert!(excludes("JOINED-KIND = 1", "JOINED-KIND = 01"));
    assert!(excludes("ACTIVE", "FLAG = \"B\""));
    assert!(!excludes("ACTIVE", "FLAG = \"A\""));
}

#[test]
fn loops_and_figures_are_decisions() {
    check(
        "PERFORM P UNTIL CLOSED OR COUNTER > 5.\nPERFORM VARYING COUNTER FROM 1 BY 1 UNTIL COUNTER > 9\nCOMPUTE AMOUNT = AMOUNT * RATE / 1200\nEND-PERFORM\nPERFORM P 5 TIMES.",
        &[
            "until CLOSED OR COUNTER > 5: how long a loop goes on",
            "until COUNTER > 9: how long a loop goes on",
            "formula AMOUNT * RATE / 1200: sets AMOUNT",
        ],
    );
    // Under a condition, it is part of that decision.
    check("IF ACTIVE COMPUTE AMOUNT = AMOUNT * RATE.", &["if ACTIVE: sets AMOUNT"]);
}

#[test]
fn phrases_have_no_condition() {
    check(
        "READ F AT END SET CLOSED TO TRUE NOT AT END ADD 1 TO COUNTER.",
        &["phrase : sets FLAG", "phrase : sets COUNTER"],
    );
}

#[test]
fn a_constant_is_an_item_that_nothing_changes() {
    let analysis = analysed("MOVE 5 TO MOVED-LIMIT\nIF AMOUNT > TIER-LIMIT CONTINUE.");
    let decisions = analysis.decisions();
    assert_eq!(decisions.constant("TIER-LIMIT", Some(0)), Some("250000.00"));
    assert_eq!(decisions.constant("MOVED-LIMIT", Some(0)), None);
}

#[test]
fn whatever_changes_an_item_makes_it_no_constant() {
    for statement in [
        "INITIALIZE LIMITS",
        "PERFORM P VARYING MOVED-LIMIT FROM 1 BY 1 UNTIL ACTIVE",
        "PERFORM P VARYING COUNTER FROM 1 BY 1 UNTIL ACTIVE AFTER MOVED-LIMIT FROM 1 BY 1 UNTIL ACTIVE",
        "PERFORM VARYING MOVED-LIMIT FROM 1 BY 1 UNTIL ACTIVE CONTINUE END-PERFORM",
        "STRING 'A' DELIMITED BY SIZE INTO MESSAGE-TEXT WITH POINTER MOVED-LIMIT",
        "UNSTRING MESSAGE-TEXT DELIMITED BY ',' INTO FLAG COUNT IN MOVED-LIMIT",
        "UNSTRING MESSAGE-TEXT DELIMITED BY ',' INTO FLAG TALLYING IN MOVED-LIMIT",
        "UNSTRING MESSAGE-TEXT DELIMITED BY ',' INTO FLAG POINTER MOVED-LIMIT",
        "CALL 'X' RETURNING MOVED-LIMIT",
        "CALL 'X' GIVING MOVED-LIMIT",
        "CALL 'X' USING MOVED-LIMIT",
        "XML GENERATE MESSAGE-TEXT FROM LIMITS COUNT IN MOVED-LIMIT",
        "JSON GENERATE MESSAGE-TEXT FROM LIMITS COUNT MOVED-LIMIT",
        "INSPECT MESSAGE-TEXT TALLYING MOVED-LIMIT FOR ALL 'A'",
        "DIVIDE COUNTER BY 7 GIVING RATE REMAINDER MOVED-LIMIT",
        "ACCEPT MOVED-LIMIT FROM TIME",
        "READ F INTO MOVED-LIMIT",
        "EXEC SQL SELECT A INTO :MOVED-LIMIT FROM T END-EXEC",
        "EXEC CICS ASKTIME ABSTIME(MOVED-LIMIT) END-EXEC",
        "EXEC CICS RETRIEVE QUEUE(MOVED-LIMIT) END-EXEC",
        "EXEC CICS READ FILE('F') INTO(MOVED-LIMIT) END-EXEC",
        "ADD 1 TO MOVED-LIMIT-ANEW",
        "MOVE SPACES TO MOVED-LIMIT-AGAIN",
        "MOVE 1 TO LOW-DIGITS OF MOVED-LIMIT-ANEW",
    ] {
        for statement in [statement.to_owned(), statement.to_lowercase()] {
            // One word per line, because lines end at column 72.
            let analysis = analysed(&statement.replace(' ', "\n"));
            let found = analysis.decisions().constant("MOVED-LIMIT", Some(0));
            assert_eq!(found, None, "{statement}");
        }
    }
    // A command does not change the item that names its resource.
    let named = analysed("EXEC CICS READ FILE(MOVED-LIMIT)\nINTO(MESSAGE-TEXT) END-EXEC");
    assert_eq!(named.decisions().constant("MOVED-LIMIT", Some(0)), Some("10"));
    let untouched = analysed("MOVE 1 TO COUNTER");
    assert_eq!(untouched.decisions().constant("MOVED-LIMIT", Some(0)), Some("10"));
    assert_eq!(analysed("MOVE 1 TO PART").decisions().constant("WHOLE", Some(0)), None);
    assert_eq!(untouched.decisions().constant("RENAMED-SECOND", Some(0)), Some("'B'"));
    assert_eq!(analysed("MOVE 1 TO RENAMED").decisions().constant("RENAMED-SECOND", Some(0)), None);
    assert_eq!(untouched.decisions().constant("POINTED", Some(0)), Some("'P'"));
    let pointed = analysed("CALL 'A' USING ADDRESS OF POINTED");
    assert_eq!(pointed.decisions().constant("POINTED", Some(0)), None);
    assert_eq!(untouched.decisions().constant("WHOLE", Some(0)), Some("'AB'"));
}

#[test]
fn an_item_of_local_storage_may_be_a_constant() {
    let constant = |procedure: &str| analysed(procedure).decisions().constant("LOCAL-NAME", Some(0)).map(str::to_owned);
    assert_eq!(constant("CALL LOCAL-NAME").as_deref(), Some("'ABNDPROC'"));
    assert_eq!(constant("MOVE 'R' TO LOCAL-NAME(5:1)"), None);
}

#[test]
fn a_group_whose_parts_never_change_their_values_is_a_constant() {
    let constant = |procedure: &str| analysed(procedure).decisions().constant("JOINED", Some(0)).map(str::to_owned);
    assert_eq!(constant("MOVE 1 TO COUNTER").as_deref(), Some("'ZC  FILE'"));
    for change in ["MOVE 'ZD' TO JOINED-KIND", "SET JOINED-OTHER TO TRUE", "MOVE FLAG TO JOINED", "ACCEPT JOINED-REST"]
    {
        assert_eq!(constant(change), None, "{change}");
    }
    assert_eq!(analysed("MOVE 1 TO COUNTER").decisions().constant("JOINED-IN-PART", Some(0)), None);
}

#[test]
fn many_whens_and_deep_nesting_are_listed_in_part() {
    let whens: String = (0..400).map(|n| format!("WHEN AMOUNT > {n}\nMOVE {n} TO COUNTER\n")).collect();
    let analysis = analysed(&format!("EVALUATE TRUE\n{whens}WHEN OTHER\nGOBACK\nEND-EVALUATE."));
    let decisions: Vec<Decision> = analysis.decisions().iter().collect();
    let last = decisions.last().unwrap();
    assert_eq!((last.before.len(), last.preceding_omitted), (BEFORE, 400 - BEFORE));
    assert_eq!((decisions[399].before.len(), decisions[399].preceding_omitted), (BEFORE, 399 - BEFORE));
    let ifs: String = (0..60).map(|n| format!("IF AMOUNT > {n}\n")).collect();
    let analysis = analysed(&format!("{ifs}GOBACK."));
    let decisions: Vec<Decision> = analysis.decisions().iter().collect();
    let innermost = &decisions[59];
    assert_eq!((decisions.len(), innermost.around.len(), innermost.enclosing_omitted), (60, AROUND, true));
    assert_eq!(innermost.around[0].to_string(), "AMOUNT > 58");
}

#[test]
fn an_or_of_a_condition_divides_no_when_of_several_subjects() {
    let code = "EVALUATE TRUE ALSO TRUE\nWHEN AMOUNT = 1 OR COUNTER = 2 ALSO RATE = 3\nWHEN AMOUNT = 4 ALSO ANY\nWHEN ANY ALSO RATE = 5 OR 6\nGOBACK\nEND-EVALUATE.";
    let analysis = analysed(code);
    let condition = analysis.decisions().condition(0).unwrap().to_string();
    assert_eq!(condition, "(AMOUNT = 1 OR COUNTER = 2) AND RATE = 3 OR AMOUNT = 4 OR RATE = 5 OR RATE = 6");
}

#[test]
fn any_words_are_read_without_a_panic() {
    const WORDS: &[&str] = &[
        "A", "ACTIVE", "1", "-1", "'x y'", "'open", "X'00'", "(", ")", "=", "<", ">", ">=", "NOT", "AND", "OR", "IS",
        "THRU", "ALSO", "ANY", "TO", "GIVING", "INTO", "BY", "FROM", "REMAINDER", "ROUNDED", "SIZE", "ON", "DELIMITED",
        "OF", "*", "**", "+", "-", ".5", "ä", "ß'", "FUNCTION", "ALL", "ZERO", "NUMERIC", "DFHRESP", "UNTIL", "AFTER",
        ",", "TRUE", "UP",
    ];
    let verbs = ["MOVE", "SET", "STRING", "COMPUTE", "ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "UNSTRING", "INSPECT"];
    let mut state = 7u64;
    let mut pick = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    for _ in 0..1500 {
        let count = pick(14);
        // An unclosed literal ends with its line.
        let text = (0..count).map(|_| WORDS[pick(WORDS.len())]).collect::<Vec<_>>().join("\n");
        let verb = verbs[pick(verbs.len())];
        let analysis =
            analysed(&format!("{verb} {text}\n.\nIF {text}\nCONTINUE.\nEVALUATE {text}\nWHEN {text}\nCONTINUE."));
        let (parsed, decisions) = (analysis.parsed(), analysis.decisions());
        for decision in decisions.iter() {
            decisions.items_in(&decision);
            let condition = decision.condition.unwrap_or(Condition::All(Vec::new()));
            assert!(condition.to_string().len() < 4 * text.len() * (count + 1) + 20, "{text}");
            condition.negated().to_string();
        }
        for found in &parsed.statements {
            drop((move_operands(parsed, found), string_operands(parsed, found), Formula::of(parsed, found)));
        }
    }
}

#[test]
fn arithmetic_that_only_copies_a_constant_assigns_it() {
    let assigned = |text: &str| {
        let analysis = analysed(text);
        let found = analysis.decisions().assigned_constants(&analysis.parsed().statements[0]);
        found.iter().map(|constant| format!("{} {}", constant.item, constant.value)).collect::<Vec<_>>().join(",")
    };
    assert_eq!(assigned("ADD 8 TO ZERO GIVING COUNTER"), "COUNTER 8");
    assert_eq!(assigned("SUBTRACT COUNTER FROM COUNTER"), "COUNTER 0");
    assert_eq!(assigned("MULTIPLY 1 BY 12 GIVING COUNTER RATE"), "COUNTER 12,RATE 12");
    for other in
        ["ADD 8 TO COUNTER", "ADD 8 2 GIVING COUNTER", "ADD ZERO TO RATE GIVING COUNTER", "SUBTRACT RATE FROM COUNTER"]
    {
        assert_eq!(assigned(other), "", "{other}");
    }
}

#[test]
fn to_count_by_an_item_that_is_always_one_is_no_figure() {
    let figures = |text: &str| analysed(text).decisions().iter().count();
    assert_eq!(figures("ADD ONE TO COUNTER."), 0);
    assert_eq!(figures("SUBTRACT ONE FROM COUNTER."), 0);
    assert_eq!(figures("ADD ONE TO COUNTER GIVING RATE."), 1);
    assert_eq!(figures("ADD TIER-LIMIT TO COUNTER."), 1);
    assert_eq!(figures("ADD RATE TO COUNTER."), 1);
}
