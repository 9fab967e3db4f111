//! Decisions as `war-rig facts` tells them.

use serde_json::{Value, json};
use std::sync::Arc;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, facts, parse};
use war_rig_text::{ReadOptions, SourceText};

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 STATE PIC X.
          88 ACTIVE VALUE 'A' 'B'.
       01 DUE PIC 9(5)V99.
       01 LIMIT PIC 9(5) VALUE 500.
       PROCEDURE DIVISION.
       MAIN.
           IF ACTIVE
              IF DUE > LIMIT
                 MOVE LIMIT TO DUE
                 PERFORM MAIN
              ELSE
                 CONTINUE
              END-IF
           END-IF.
";

fn decisions(code: &str) -> Vec<Value> {
    let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let all = serde_json::to_value(facts(&source, &analysis)).unwrap();
    all["decisions"].as_array().unwrap().clone()
}

#[test]
fn a_decision_is_told_with_its_items_and_its_effect() {
    let found = decisions(PROGRAM);
    let inner = json!({
        "kind": "if", "condition": "DUE > LIMIT", "within": ["ACTIVE"], "formula": null,
        "decides": ["which paragraph runs next", "sets DUE"],
        "items": [{"name": "DUE", "picture": "9(5)V99"}, {"name": "LIMIT", "picture": "9(5)", "value": "500"}],
        "effect": ["MOVE LIMIT TO DUE", "PERFORM MAIN"],
        "line": 12, "end_line": 14, "effect_line": 13, "effect_end_line": 14,
        "paragraph": "MAIN", "program": "T"
    });
    // The ELSE does nothing and decides nothing.
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], inner);
    assert_eq!(found[0]["items"], json!([{"name": "ACTIVE", "about": "STATE", "value": "'A' 'B'"}]));
}

#[test]
fn what_is_told_of_a_decision_is_bounded() {
    let terms: String = (0..60).map(|n| format!("              OR ITEM-{n} = {n}\n")).collect();
    let moves: String = (0..60).map(|n| format!("              MOVE {n} TO TARGET-{n}\n")).collect();
    let code =
        format!("       PROCEDURE DIVISION.\n       MAIN.\n           IF ITEM = 1\n{terms}{moves}           END-IF.\n");
    let found = &decisions(&code)[0];
    let listed = |key: &str| found[key].as_array().unwrap().len();
    assert!(found["condition"].as_str().unwrap().len() < 410);
    assert_eq!((listed("items"), &found["items_left_out"]), (10, &json!(51)));
    assert_eq!((listed("effect"), &found["effect_left_out"]), (10, &json!(50)));
    assert_eq!(listed("decides"), 8);
}
