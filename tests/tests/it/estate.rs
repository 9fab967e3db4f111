//! The estate of the fixtures as one graph: from jobs and transactions to programs, and from these to data.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_tests::{Sandbox, files_below, fixtures};

/// The graph of the fixtures, as `facts` prints it.
fn graph() -> Value {
    let ran = Sandbox::new().line("facts {} --format json", &fixtures());
    ran.assert_exit(0);
    let mut facts: Value = serde_json::from_str(&ran.out).unwrap();
    facts["graph"].take()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// The edges, each as `from relation to`.
fn edges(graph: &Value) -> BTreeSet<String> {
    let edges = graph["edges"].as_array().unwrap().iter();
    edges.map(|edge| ["from", "relation", "to"].map(|field| text(edge, field)).join(" ")).collect()
}

#[test]
fn a_job_leads_through_steps_and_programs_to_data() {
    let graph = graph();
    let edges = edges(&graph);
    for edge in [
        "job:TMACLAIM contains step:TMACLAIM.POST.RUN",
        "step:TMACLAIM.POST.RUN uses_procedure procedure:TMABATCH",
        "step:TMACLAIM.POST.RUN runs program:CLMPOST",
        "program:CLMPOST calls program:DATESUB",
        "step:TMACLAIM.POST.RUN accesses dataset:TMA.PROD.CLMMAST",
        "program:CLMPOST accesses dataset:TMA.PROD.CLMMAST",
        "transaction:PI01 starts program:POLINQ",
        "program:POLINQ accesses map:PINQSET.PINQM1",
        "program:POLINQ accesses file:POLMAST",
        "file:POLMAST stored_in dataset:TMA.PROD.POLMAST",
        "program:AGTCOMM accesses table:TMAPROD.AGENT",
        "program:POLINQ copies copybook:POLREC",
    ] {
        assert!(edges.contains(edge), "{edge} is missing in\n{edges:#?}");
    }
}

#[test]
fn what_is_missing_is_in_no_file_of_the_estate() {
    // The members of `pds` have no extension, and nobody has said what they are.
    let members: BTreeSet<String> = files_below(&fixtures())
        .into_keys()
        .filter(|name| !name.starts_with("pds/"))
        .map(|name| {
            let name = name.rsplit('/').next().unwrap().to_uppercase();
            name.split('.').next().unwrap().to_owned()
        })
        .collect();
    let graph = graph();
    let missing: Vec<&str> = graph["missing"].as_array().unwrap().iter().map(|missing| text(missing, "id")).collect();
    for id in &missing {
        let name = id.split(':').nth(1).unwrap().rsplit('.').next().unwrap();
        assert!(!members.contains(name), "{id} is missing, and there is a file of its name");
    }
    assert!(missing.contains(&"program:CLMPRNT"), "{missing:?}");
}

#[test]
fn every_edge_stands_on_the_line_that_it_says() {
    let files: BTreeMap<String, Vec<String>> = files_below(&fixtures())
        .into_iter()
        .map(|(name, bytes)| {
            let text = String::from_utf8_lossy(&bytes).to_uppercase();
            (name, text.lines().map(str::to_owned).collect())
        })
        .collect();
    let graph = graph();
    let mut seen = 0;
    for edge in graph["edges"].as_array().unwrap() {
        // A step stands where its job executes it, and a symbol may stand for a program or a data set.
        let relation = text(edge, "relation");
        if !matches!(relation, "calls" | "copies" | "starts" | "stored_in") || edge["detail"].is_string() {
            continue;
        }
        let line = edge["line"].as_u64().unwrap() as usize;
        let statement = files[text(edge, "file")][line - 1..].iter().take(6).cloned().collect::<String>();
        let name = text(edge, "to").split(':').nth(1).unwrap();
        assert!(statement.contains(name), "{edge}: {name} is not in {statement}");
        seen += 1;
    }
    assert!(seen > 50, "only {seen} edges were looked at");
}

#[test]
fn the_dictionary_knows_who_sets_what_a_copybook_describes() {
    let graph = graph();
    let items = graph["data_dictionary"].as_array().unwrap();
    let used: Vec<&Value> = items
        .iter()
        .filter(|item| text(item, "file") == "cpy/DATEPARM.cpy" && !item["set_by"].as_array().unwrap().is_empty())
        .collect();
    assert!(!used.is_empty(), "no program sets an item of DATEPARM");
    for item in items {
        let place = (text(item, "file"), item["line"].as_u64().unwrap());
        assert!(place.0.starts_with("cpy/") || place.0.starts_with("pds/"), "{item}");
    }
}
