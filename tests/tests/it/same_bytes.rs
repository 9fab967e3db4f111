//! The same input gives the same bytes, whoever works on it and however often.

use serde_json::Value;
use std::collections::BTreeMap;
use war_rig_tests::{Sandbox, files_below, fixtures};
use war_rig_text::ContentHash;

#[test]
fn the_same_bytes_with_one_worker_and_with_sixteen_on_two_runs_each() {
    // At this budget files are cut, so that the merge of chunks is part of what is compared.
    let place = Sandbox::new();
    // Beside what is written, because pages lead to the sources by a path.
    for (name, bytes) in files_below(&fixtures()) {
        place.write(&format!("estate/{name}"), bytes);
    }
    let mut first = None;
    for (run, jobs) in [1, 16, 16, 1].into_iter().enumerate() {
        let line = format!("document estate -o out{run} --jobs {jobs} --max-prompt-tokens 6000");
        place.run(line.split(" ")).assert_exit(0);
        let mut files = files_below(&place.path().join(format!("out{run}")));
        let plan = format!("plan estate --jobs {jobs} --max-prompt-tokens 6000 --format json");
        let facts = format!("facts estate --jobs {jobs} --format json");
        for (name, line) in [("plan.json", plan), ("facts.json", facts)] {
            files.insert(name.to_owned(), place.run(line.split(" ")).assert_exit(0).out.clone().into_bytes());
        }
        let first = first.get_or_insert_with(|| files.clone());
        assert_eq!(files.keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
        for (name, bytes) in &files {
            assert!(bytes == &first[name], "{name} differs with {jobs} jobs on run {run}");
        }
    }
    insta::assert_snapshot!(digests(first.unwrap_or_default()));
}

/// Every output with its size and the head of its hash, the facts for each source: what a change of the code is not meant to change, changes no line of it.
fn digests(mut outputs: BTreeMap<String, Vec<u8>>) -> String {
    let facts: Value = serde_json::from_slice(&outputs.remove("facts.json").unwrap()).unwrap();
    for list in ["files", "surroundings"] {
        for of_source in facts[list].as_array().unwrap() {
            let name = format!("{} in the facts", of_source["file"].as_str().unwrap());
            outputs.insert(name, of_source.to_string().into_bytes());
        }
    }
    outputs.insert("the graph in the facts".to_owned(), facts["graph"].to_string().into_bytes());
    let line = |(name, bytes): (&String, &Vec<u8>)| {
        format!("{:.12} {:>7} {name}\n", ContentHash::of(bytes).to_string(), bytes.len())
    };
    outputs.iter().map(line).collect()
}
