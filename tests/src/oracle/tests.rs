use super::*;
use crate::{Sandbox, SourceBlock};
use serde_json::json;

const SOURCE: &str =
    "000100 A.\n000200     CALL 'B'.\n000300     COPY C.\n000400     COPY C.\n000500     IF X = 1 STOP RUN.\n";

fn cited(line: u64, status: &str) -> Value {
    json!([{"file": "X.cbl", "start_line": line, "end_line": line, "hash": "0", "quote": null, "status": status}])
}

/// A document that has every fact and every item in its place.
fn document() -> Value {
    let both = [cited(3, "verified")[0].clone(), cited(4, "verified")[0].clone()];
    json!({"header": {"file_name": "X.cbl"},
        "paragraphs": [{"paragraph_name": "A", "summary": "Its part. n_1#", "citations": cited(1, "verified"), "origin": "both"}],
        "called_programs": [{"program_name": "B", "purpose": "n_2#", "citations": cited(2, "verified"), "origin": "both"}],
        "copybooks_used": [{"copybook_name": "C", "purpose": "n_3#", "citations": both, "origin": "both"}],
        "business_rules": [{"description": "If X. n_5#", "citations": cited(5, "verified"), "origin": "model"}],
        "conflicts": [{"field": "copybooks_used.C", "kept": "n_3#", "dropped": "n_4#", "chunks": ["X-001", "X-001"]}]})
}

fn facts() -> Value {
    json!({"files": [{"file": "X.cbl", "paragraphs": [{"name": "A", "line": 1}, {"name": "P", "line": 9, "file": "P.cpy"}],
        "calls": [{"target": "B", "kind": "static", "line": 2}], "copies": [{"name": "C", "line": 3}, {"name": "C", "line": 4}],
        "execs": [{"kind": "DLI", "command": "GU", "line": 7}]}]})
}

fn log() -> FakeLog {
    let mut log = FakeLog::default();
    let rows: Vec<String> = SOURCE.lines().map(|line| line[6..].to_owned()).collect();
    let (word, file) = ("0".repeat(12), "X.cbl".to_owned());
    let block = SourceBlock { word: word.clone(), file: file.clone(), chunk: "1/1".to_owned(), rows };
    log.blocks.insert((file.clone(), word.clone()), block);
    let kinds = [
        AnswerItemKind::Paragraph,
        AnswerItemKind::Call,
        AnswerItemKind::Copy,
        AnswerItemKind::Copy,
        AnswerItemKind::Rule,
    ];
    log.nonces.extend((1..).zip(kinds.into_iter().zip(["A", "B", "C", "C", "X = 1"])).map(|(row, (kind, name))| {
        Nonce { text: format!("n_{row}#"), kind, name: name.to_owned(), file: file.clone(), block: word.clone(), row }
    }));
    log
}

/// What is missed in a document after a change, as lines.
fn check(change: impl Fn(&mut Value), expected: &[&str]) {
    let place = Sandbox::new();
    place.write("src/X.cbl", SOURCE);
    let mut document = document();
    change(&mut document);
    place.write("out/X.cbl.json", document.to_string());
    place.write("out/run.json", "{}");
    let verdict = verify_run(&place.path().join("out"), &place.path().join("src"), &facts(), &log());
    let misses: Vec<String> = verdict.misses.iter().map(ToString::to_string).collect();
    assert_eq!(misses, expected);
    let (facts, items) = (Verdict::sum(&verdict.facts), Verdict::sum(&verdict.items));
    assert_eq!((facts.total, items.total, Verdict::sum(&verdict.seen)), (4, 5, Tally { found: 4, total: 4 }));
    let missed = facts.total - facts.found + items.total - items.found;
    assert_eq!(missed as usize, expected.len());
}

#[test]
fn a_document_with_everything_in_its_place_is_complete() {
    check(|_| {}, &[]);
}

#[test]
fn what_is_lost_doubled_or_stands_elsewhere_is_missed() {
    check(
        |document| document["paragraphs"][0]["summary"] = json!("Its part."),
        &["X.cbl:1: item of paragraphs `A` (n_1#): found 0 times"],
    );
    check(
        |document| document["business_rules"][0]["logic_summary"] = json!("As n_5# says."),
        &[
            "X.cbl:5: item of business_rules `X = 1` (n_5#): found 2 times X.cbl/business_rules/0, X.cbl/business_rules/0",
        ],
    );
    check(
        |document| document["business_rules"][0]["citations"] = cited(4, "verified"),
        &["X.cbl:5: item of business_rules `X = 1` (n_5#): X.cbl/business_rules/0 cites 4-4 \"verified\""],
    );
    check(
        |document| document["business_rules"][0]["citations"] = cited(5, "unsupported"),
        &[
            "X.cbl:5: item of business_rules `X = 1` (n_5#): X.cbl/business_rules/0 cites that line, and that is unsupported",
        ],
    );
    check(
        |document| document["called_programs"][0]["origin"] = json!("model"),
        &["X.cbl:2: item of called_programs `B` (n_2#): X.cbl/called_programs/0 is no item of the parser"],
    );
    check(
        |document| document["conflicts"][0]["dropped"] = json!("n_4# and n_5#"),
        &[
            "X.cbl:5: item of business_rules `X = 1` (n_5#): found 2 times X.cbl/business_rules/0, X.cbl/conflicts/0/dropped",
        ],
    );
    check(
        |document| {
            document["business_rules"][0]["description"] = json!("If X.");
            document["conflicts"][0]["dropped"] = json!("n_4# and n_5#");
        },
        &["X.cbl:5: item of business_rules `X = 1` (n_5#): dropped in a conflict"],
    );
}

#[test]
fn a_fact_must_stand_on_its_line_under_a_verified_citation() {
    check(
        |document| document["called_programs"][0]["citations"] = cited(2, "relocated"),
        &[
            "X.cbl:2: fact of called_programs `B`: its citation is relocated",
            "X.cbl:2: item of called_programs `B` (n_2#): X.cbl/called_programs/0 cites that line, and that is relocated",
        ],
    );
    check(
        |document| document["called_programs"][0]["program_name"] = json!("Z"),
        &["X.cbl:2: fact of called_programs `B`: no item has that name on that line"],
    );
}

#[test]
fn what_is_false_and_shown_as_verified_is_told() {
    let place = Sandbox::new();
    place.write("src/X.cbl", SOURCE);
    let mut document = document();
    document["business_rules"][0]["citations"] = cited(4, "verified");
    document["called_programs"][0]["citations"] = cited(4, "unsupported");
    for status in ["unsupported", "verified"] {
        let invented = json!({"paragraph_name": crate::fake::INVENTED_PARAGRAPH, "citations": cited(2, status)});
        document["paragraphs"].as_array_mut().unwrap().push(invented);
    }
    place.write("out/X.cbl.json", document.to_string());
    let verdict = verify_run(&place.path().join("out"), &place.path().join("src"), &facts(), &log());
    let told: Vec<String> = verdict.falsehoods.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "X.cbl:5: item of business_rules `X = 1` (n_5#): X.cbl/business_rules/0 is shown as verified at [4]",
            "X.cbl:2: paragraphs `7777-NEVER-WRITTEN`: it is invented, and shown as verified",
        ]
    );
}
