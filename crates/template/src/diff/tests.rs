use super::*;
use crate::document_name;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the differences between two sets of documents, by source; documents that mean the same are left out.
fn compare_trees(old: &[Document], new: &[Document]) -> Vec<DocumentChange> {
    let by_name = |documents: &'_ [Document]| -> BTreeMap<String, usize> {
        documents.iter().enumerate().map(|(at, d)| (document_name(&d.header.file_name), at)).collect()
    };
    let (olds, news) = (by_name(old), by_name(new));
    let alone = |these: &BTreeMap<String, usize>, those: &BTreeMap<String, usize>| -> Vec<usize> {
        these.iter().filter(|(name, _)| !those.contains_key(*name)).map(|(_, at)| *at).collect()
    };
    let (gone, added) = (alone(&olds, &news), alone(&news, &olds));
    let likeness = |documents: &[Document], places: &[usize]| -> Vec<DocumentSignature> {
        places.iter().map(|at| DocumentSignature::of(&documents[*at])).collect()
    };
    let renamed = find_renames(&likeness(old, &gone), &likeness(new, &added));
    let mut changes = Vec::new();
    for (name, at) in &news {
        if let Some(before) = olds.get(name) {
            changes.push(compare(&old[*before], &new[*at]));
        }
    }
    let (mut is_gone, mut is_added) = (vec![true; gone.len()], vec![true; added.len()]);
    for (before, after) in renamed {
        (is_gone[before], is_added[after]) = (false, false);
        changes.push(compare(&old[gone[before]], &new[added[after]]));
    }
    let left = gone.iter().zip(is_gone).filter(|(_, is_gone)| *is_gone);
    changes.extend(left.map(|(at, _)| DocumentChange::removed(&old[*at])));
    let left = added.iter().zip(is_added).filter(|(_, is_added)| *is_added);
    changes.extend(left.map(|(at, _)| DocumentChange::added(&new[*at])));
    changes.retain(|change| !change.is_same());
    changes.sort_by(|a, b| a.file.cmp(&b.file));
    changes
}

/// Makes a document with the given fields, the others empty.
fn document(fields: Value) -> Document {
    let mut whole = json!({
        "header": {
            "program_id": "A", "file_name": "cbl/A.cbl", "file_type": "program", "produced_by": "static",
            "source_hash": "00".repeat(32), "status": "complete", "format": "fixed", "encoding": "utf-8",
        },
        "programs": [], "inputs": [], "outputs": [], "called_programs": [], "business_rules": [],
        "purpose": { "summary": "", "business_context": null, "program_type": "batch", "citations": [], "origin": "parser" },
        "calling_context": { "called_by": [], "entry_points": [], "linkage_section": [] },
        "data_flow": { "reads_from": [], "writes_to": [], "transforms": [] },
        "copybooks_used": [], "paragraphs": [], "control_flow": [], "error_handling": [], "sql_operations": [],
        "cics_operations": [], "data_dictionary": [], "open_questions": [], "conflicts": [],
        "coverage": { "lines": 0, "documented": 0, "cited": 0, "failed": 0, "excluded": 0 }, "chunks": [],
    });
    for (name, value) in fields.as_object().unwrap() {
        match (whole.get_mut(name), value) {
            (Some(Value::Object(fields)), Value::Object(more)) => fields.extend(more.clone()),
            _ => whole[name] = value.clone(),
        }
    }
    serde_json::from_value(whole).unwrap()
}

fn citation(line: u32, text: &str, status: &str) -> Value {
    let hash = war_rig_text::ContentHash::of(text.as_bytes());
    json!({ "file": "cbl/A.cbl", "start_line": line, "end_line": line, "hash": hash, "quote": null, "status": status })
}

fn rule(number: u32, description: &str, condition: &str) -> Value {
    json!({
        "rule_id": format!("R{number:03}"), "description": description, "logic_summary": null, "conditions": [condition],
        "decides": "sets WS-RATE", "citations": [citation(number, description, "verified")], "origin": "parser",
    })
}

fn paragraph(name: &str, summary: &str, line: u32, status: &str) -> Value {
    json!({
        "paragraph_name": name, "section": null, "summary": summary, "purpose": null, "calls": [], "called_by": [],
        "citations": [citation(line, name, status)], "is_dead_code": false, "origin": "parser",
    })
}

fn item(name: &str, level: u8, offset: u64, length: u64) -> Value {
    json!({
        "name": name, "level": level, "picture": (level > 1).then(|| format!("X({length})")), "usage": null, "offset": offset,
        "length": length, "occurs": null, "redefines": null, "value": null, "line": 1, "file": null,
    })
}

/// Returns the differences of two documents with these fields, a line each.
fn told(old: Value, new: Value) -> Vec<String> {
    document_lines(&compare(&document(old), &document(new)))
}

#[track_caller]
fn check(old: Value, new: Value, expected: &[&str]) {
    assert_eq!(told(old, new), expected);
}

#[test]
fn a_new_rule_is_one_change_though_all_numbers_behind_it_change() {
    let rules = |rules: &[Value]| json!({ "business_rules": rules });
    let (first, last) = ("When A is 1: sets the rate to 2.", "When B is over 9: sets the rate to 4.");
    check(
        rules(&[rule(1, first, "A = 1"), rule(2, last, "B > 9")]),
        rules(&[
            rule(1, first, "A = 1"),
            rule(2, "When the policy lapsed: adds a fee.", "LAPSED"),
            rule(3, last, "B > 9"),
        ]),
        &["+ rule `R002`: When the policy lapsed: adds a fee. (line 2)", "  1 citation merely moved"],
    );
}

#[test]
fn a_rule_in_other_words_is_the_same_rule() {
    let rules = |rules: &[Value]| json!({ "business_rules": rules });
    check(
        rules(&[rule(1, "When A is 1: doubles the rate.", "A = 1"), rule(2, "Ends the run.", "DONE")]),
        rules(&[rule(1, "Ends the run.", "DONE"), rule(2, "The rate is doubled for A of 1.", "A = 1")]),
        &[
            "~ rule `R002`: description When A is 1: doubles the rate. -> The rate is doubled for A of 1. (line 2)",
            "  1 citation merely moved",
        ],
    );
    // Its words stay the same, but it depends on another item.
    check(
        rules(&[rule(1, "Sets the rate of the policy to 4 percent.", "AGE > 60")]),
        rules(&[rule(1, "Sets the rate of the policy to 4 percent.", "AGE > 65")]),
        &["~ rule `R001`: conditions no longer AGE > 60; now AGE > 65 (line 1)"],
    );
}

#[test]
fn what_no_longer_holds_comes_first() {
    let paragraphs = |summary: &str, status: &str| {
        let paragraphs = [paragraph("MAIN", summary, 4, status), paragraph("END", "Ends.", 9, "verified")];
        json!({ "header": { "produced_by": summary }, "paragraphs": paragraphs })
    };
    check(
        paragraphs("Reads.", "verified"),
        paragraphs("Writes.", "unsupported"),
        &[
            "! paragraph `MAIN`: its citation is unsupported, was verified (line 4)",
            "~ document: produced by Reads. -> Writes.",
            "~ paragraph `MAIN`: summary Reads. -> Writes. (line 4)",
        ],
    );
}

#[test]
fn a_paragraph_of_another_name_is_known_again() {
    let summary = "Reads the next claim, checks its dates and amounts, and writes a line of the list for it.";
    let of = |name: &str| json!({ "paragraphs": [paragraph(name, summary, 4, "verified")] });
    check(of("2000-READ"), of("2000-NEXT"), &["~ paragraph `2000-NEXT`: name 2000-READ -> 2000-NEXT (line 4)"]);
    // Two paragraphs that do nothing are similar, but need not be the same.
    let of = |name: &str| json!({ "paragraphs": [paragraph(name, "Does nothing.", 4, "verified")] });
    check(
        of("2000-EXIT"),
        of("9000-EXIT"),
        &["- paragraph `2000-EXIT`: Does nothing. (line 4)", "+ paragraph `9000-EXIT`: Does nothing. (line 4)"],
    );
}

#[test]
fn lines_that_hold_another_text_are_told_where_nothing_else_is() {
    let of = |text: &str, line: u32| {
        let mut paragraph = paragraph("MAIN", "Reads.", line, "verified");
        paragraph["citations"] = json!([citation(line, text, "verified")]);
        json!({ "paragraphs": [paragraph] })
    };
    check(of("A", 4), of("A", 5), &["  1 citation merely moved"]);
    check(of("A", 4), of("B", 4), &["~ paragraph `MAIN`: other lines are cited, or they say something else (line 4)"]);
}

#[test]
fn items_that_move_together_are_told_together() {
    let record = |first: u64| {
        let names = ["KEY", "NAME", "STREET", "TOWN"];
        let mut items = vec![item("REC", 1, 0, first + 30), item(names[0], 5, 0, first)];
        items.extend((0..3).map(|at| item(names[at + 1], 5, first + 10 * at as u64, 10)));
        json!({ "data_dictionary": items })
    };
    check(
        record(4),
        record(6),
        &[
            "~ data item `REC`: length 34 -> 36 (line 1)",
            "~ data item `KEY`: picture X(4) -> X(6); length 4 -> 6 (line 1)",
            "~ 3 items of record `REC`: offset NAME at 4 to TOWN at 24 -> NAME at 6 to TOWN at 26",
        ],
    );
}

#[test]
fn items_of_one_name_in_two_groups_are_two() {
    let of = |second: u64| {
        let mut changed = item("X", 10, 4, second);
        changed["picture"] = json!("X(4)");
        let items = [item("REC", 1, 0, 8), item("A", 5, 0, 4), item("X", 10, 0, 4), item("B", 5, 4, 4), changed];
        json!({ "data_dictionary": items })
    };
    check(of(4), of(5), &["~ data item `X`: length 4 -> 5 (line 1)"]);
}

#[test]
fn steps_happen_in_their_order_and_calls_hand_over_in_theirs() {
    let job = |steps: &[&str]| {
        let step = |name: &&str| {
            json!({
                "step_name": name, "summary": "", "description": null, "file": null, "lines": null, "procedures": [],
                "programs": [], "parameter": null, "conditions": [], "dds": [], "statements": [], "citations": [],
            })
        };
        let steps: Vec<Value> = steps.iter().map(step).collect();
        json!({ "jobs": [{
            "job_name": "NIGHT", "start_line": 1, "end_line": 9, "summary": "", "description": null, "parameters": [],
            "libraries": [], "symbols": [], "steps": steps, "data": [], "on_failure": [], "citations": [],
        }] })
    };
    check(
        job(&["SORT", "POST", "LIST"]),
        job(&["POST", "SORT", "LIST"]),
        &["~ order of steps in `NIGHT`: SORT, POST, LIST -> POST, SORT, LIST"],
    );
    check(job(&["SORT", "LIST"]), job(&["SORT", "POST", "LIST"]), &["+ step `NIGHT.POST`"]);
    let call = |parameters: &[&str]| {
        json!({ "called_programs": [{
            "program_name": "SUB", "call_type": "static", "purpose": "", "parameters": parameters,
            "citations": [], "origin": "parser",
        }] })
    };
    check(call(&["A", "B"]), call(&["B", "A"]), &["~ call of `SUB`: parameters A, B -> B, A"]);
}

#[test]
fn a_program_of_another_name_takes_what_is_its_own_along() {
    let of = |name: &str| {
        let mut paragraph = paragraph("MAIN", "Reads.", 4, "verified");
        paragraph["program"] = json!(name);
        json!({
            "programs": [
                { "program_id": "FIRST", "start_line": 1, "end_line": 2, "summary": "1 paragraph." },
                { "program_id": name, "start_line": 3, "end_line": 9, "summary": "1 paragraph." },
            ],
            "paragraphs": [paragraph],
        })
    };
    check(of("SECOND"), of("OTHER"), &["~ program `OTHER`: name SECOND -> OTHER (lines 3-9)"]);
}

#[test]
fn a_renamed_source_is_known_by_its_bytes_or_by_its_programs() {
    let of = |file: &str, hash: &str, program: &str, paragraphs: &[&str]| {
        let paragraphs: Vec<Value> = paragraphs.iter().map(|name| paragraph(name, "Reads.", 1, "verified")).collect();
        document(json!({
            "header": { "file_name": file, "source_hash": hash.repeat(32) },
            "programs": [{ "program_id": program, "start_line": 1, "end_line": 9, "summary": "" }],
            "paragraphs": paragraphs,
        }))
    };
    let old = [
        of("cbl/A.cbl", "0a", "A", &["1", "2", "3"]),
        of("cbl/B.cbl", "0b", "B", &["1", "2", "3"]),
        of("cbl/C.cbl", "0c", "C", &["1", "2", "3"]),
        of("cbl/D.cbl", "0d", "D", &["1"]),
    ];
    let new = [
        of("src/A.cbl", "0a", "A", &["1", "2", "3"]),
        of("src/B.cbl", "ff", "B", &["1", "2", "9"]),
        of("src/C.cbl", "ff", "C", &["7", "8", "9"]),
        of("cbl/D.cbl", "0d", "D", &["1"]),
    ];
    let told = compare_trees(&old, &new);
    let headings: Vec<String> = told.iter().map(heading).collect();
    assert_eq!(
        headings,
        [
            "- cbl/C.cbl: program, A, 3 paragraphs",
            "~ src/A.cbl, was cbl/A.cbl",
            "~ src/B.cbl, was cbl/B.cbl",
            "+ src/C.cbl: program, A, 3 paragraphs",
        ]
    );
    let mut totals = TreeTotals::default();
    told.iter().for_each(|told| totals.count(told));
    assert_eq!((totals.renamed, totals.gone, totals.added, totals.differs()), (2, 1, 1, true));
}

#[test]
fn the_json_has_its_shape() {
    let of = |summary: &str, line: u32| json!({ "paragraphs": [paragraph("MAIN", summary, line, "verified")] });
    let told = compare(&document(of("Reads.", 3)), &document(of("Writes.", 4)));
    let json = serde_json::to_value(&told).unwrap();
    assert_eq!((&json["file"], &json["kind"]), (&json!("cbl/A.cbl"), &json!("changed")));
    assert_eq!(json["moved_citations"], 1);
    assert_eq!(
        json["changes"],
        json!([{
            "kind": "changed", "field": "paragraphs", "item": "MAIN", "what": "summary", "before": "Reads.", "after": "Writes.",
            "lines_before": { "start_line": 3, "end_line": 3 }, "lines_after": { "start_line": 4, "end_line": 4 },
        }])
    );
}

#[test]
fn a_program_that_its_items_call_by_its_old_name_is_one_change_from_both_sides() {
    let rules: Vec<Value> =
        (1..=5).map(|number| rule(number, &format!("When A is {number}: sets B."), &format!("A = {number}"))).collect();
    let named = |name: &str| {
        document(json!({
            "programs": [{ "program_id": name, "start_line": 1, "end_line": 9, "summary": "5 paragraphs." }],
            "business_rules": rules,
        }))
    };
    let (old, new) = (named("A"), named("A-OTHER"));
    for (before, after) in [(&old, &new), (&new, &old)] {
        let told = compare(before, after);
        assert_eq!(told.changes.len(), 1, "{:?}", told.changes);
    }
}
