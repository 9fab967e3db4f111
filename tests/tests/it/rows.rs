//! Documents taken apart into rows: nothing is lost and nothing is added, which is counted in the JSON without the code that takes it apart.

use crate::asked::Case;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use war_rig_catalogue::{CatalogueRow, DocumentRows, FieldRole, RowKind, Value, document_rows};
use war_rig_template::Document;
use war_rig_tests::fake::FaultScript;
use war_rig_tests::{Sandbox, files_below, fixtures, project};

/// A document below a folder, as JSON and as rows.
struct Read {
    name: String,
    json: Json,
    rows: DocumentRows,
}

/// All documents below a folder.
fn read(out: &Path) -> Vec<Read> {
    let mut found = Vec::new();
    for (name, bytes) in files_below(out) {
        let is_document = name.ends_with(".json") && !["run.json", "estate.json"].contains(&name.as_str());
        if is_document {
            let document: Document = serde_json::from_slice(&bytes).unwrap();
            let json = serde_json::from_slice(&bytes).unwrap();
            found.push(Read { name, json, rows: document_rows(&document) });
        }
    }
    assert!(!found.is_empty(), "{}", out.display());
    found
}

fn items<'a>(json: &'a Json, list: &str) -> &'a [Json] {
    json[list].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(json: &'a Json, field: &str) -> &'a str {
    json[field].as_str().unwrap_or_default()
}

/// The names of a list's items.
fn named(json: &Json, list: &str, field: &str) -> Vec<String> {
    items(json, list).iter().map(|item| text(item, field).to_owned()).collect()
}

/// The names that rows of a document must have, by kind, counted in its JSON.
fn expected(json: &Json) -> BTreeMap<RowKind, Vec<String>> {
    let mut names = BTreeMap::from([
        (RowKind::Programs, named(json, "programs", "program_id")),
        (RowKind::Paragraphs, named(json, "paragraphs", "paragraph_name")),
        (RowKind::Rules, named(json, "business_rules", "rule_id")),
        (RowKind::DataItems, named(json, "data_dictionary", "name")),
        (RowKind::Errors, named(json, "error_handling", "condition")),
        (RowKind::States, named(json, "record_states", "item")),
        (RowKind::Hazards, named(json, "hazards", "finding")),
        (RowKind::Questions, named(json, "open_questions", "question")),
        (RowKind::Conflicts, named(json, "conflicts", "field")),
        (RowKind::Copybooks, named(json, "copybooks_used", "copybook_name")),
        (RowKind::Tables, named(json, "tables", "table_name")),
    ]);
    let mut add = |kind, name: &str| names.entry(kind).or_default().push(name.to_owned());
    if json["header"]["file_type"] == "copybook" {
        let file = text(&json["header"], "file_name").rsplit('/').next().unwrap();
        add(RowKind::Copybooks, file.split('.').next().unwrap());
    }
    for call in items(json, "called_programs") {
        // A call through an item is one of each program that it may name.
        match items(call, "may_call") {
            [] => add(RowKind::Calls, text(call, "program_name")),
            programs => programs.iter().for_each(|program| add(RowKind::Calls, program.as_str().unwrap())),
        }
    }
    let mut files = BTreeSet::new();
    for item in items(json, "inputs").iter().chain(items(json, "outputs")) {
        if !["parameter", "screen map", "table"].contains(&text(item, "io_type")) {
            files.insert((text(item, "name"), text(item, "io_type"), text(item, "program")));
        }
    }
    files.iter().for_each(|(name, _, _)| add(RowKind::Files, name));
    for definition in items(json, "definitions") {
        if ["FILE", "TDQUEUE", "TSMODEL", "JOURNALMODEL"].contains(&text(definition, "resource_type")) {
            add(RowKind::Files, text(definition, "resource_name"));
        }
    }
    for database in items(json, "databases") {
        add(RowKind::Files, text(database, "database_name"));
        items(database, "segments").iter().for_each(|segment| add(RowKind::Files, text(segment, "segment_name")));
    }
    let jobs = items(json, "jobs").iter().map(|job| (job, "job_name"));
    let procedures = items(json, "procedures").iter().map(|procedure| (procedure, "procedure_name"));
    for (job, name) in jobs.chain(procedures) {
        add(RowKind::Jobs, text(job, name));
        items(job, "steps").iter().for_each(|step| add(RowKind::Jobs, text(step, "step_name")));
        let lasting = items(job, "data").iter().filter(|data| data["is_temporary"] != true);
        lasting.for_each(|data| add(RowKind::Files, text(data, "name")));
    }
    for map in items(json, "map_sets").iter().flat_map(|set| items(set, "maps")) {
        add(RowKind::Maps, text(map, "map_name"));
    }
    for operation in items(json, "cics_operations") {
        if text(operation, "command").ends_with(" MAP") {
            add(RowKind::Maps, text(operation, "resource"));
        }
    }
    for operation in items(json, "sql_operations") {
        let tables = items(operation, "tables");
        tables.iter().for_each(|table| add(RowKind::Tables, text(table, "name")));
        if tables.is_empty() && operation["table"].is_string() && operation["cursor"].is_null() {
            add(RowKind::Tables, text(operation, "table"));
        }
    }
    names.retain(|_, names| !names.is_empty());
    names.values_mut().for_each(|names| names.sort());
    names
}

fn text_of<'a>(row: &'a CatalogueRow, field: &str) -> Option<&'a str> {
    match row.value(field) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

fn name_of(row: &CatalogueRow) -> &str {
    let naming = row.kind().fields().iter().find(|field| field.role == FieldRole::Name).unwrap();
    text_of(row, naming.name).unwrap_or_default()
}

/// Asserts that the rows of all documents below a folder are what their JSON holds, and counts them by kind.
fn check(out: &Path) -> BTreeMap<RowKind, usize> {
    let mut counts = BTreeMap::new();
    for Read { name, json, rows } in read(out) {
        let mut found: BTreeMap<RowKind, Vec<String>> = BTreeMap::new();
        for row in rows.values().flatten() {
            found.entry(row.kind()).or_default().push(name_of(row).to_owned());
            *counts.entry(row.kind()).or_default() += 1;
            check_row(row, &json, &name);
        }
        found.values_mut().for_each(|names| names.sort());
        assert_eq!(found, expected(&json), "{name}");
        assert!(rows.iter().all(|(kind, rows)| rows.iter().all(|row| row.kind() == *kind)), "{name}");
    }
    counts
}

/// Asserts what holds of every row.
fn check_row(row: &CatalogueRow, json: &Json, document: &str) {
    let (kind, fields) = (row.kind(), row.kind().fields());
    assert_eq!(row.values().len(), fields.len(), "{document}: {kind}");
    for (field, value) in fields.iter().zip(row.values()) {
        assert!(value.fits(field.field_type), "{document}: {kind}: {} is {value:?}", field.name);
        assert_ne!(*value, Value::Text(String::new()), "{document}: {kind}: {}", field.name);
    }
    assert!(!name_of(row).is_empty(), "{document}: {kind}: {row:?}");
    assert!(text_of(row, "file").is_some(), "{document}: {kind}: {row:?}");
    assert_eq!((text_of(row, "docs"), text_of(row, "document")), (None, None), "{document}: {kind}");
    let programs = items(json, "programs");
    if row.value("program").is_some() {
        let known: Vec<&str> = programs.iter().map(|program| text(program, "program_id")).collect();
        match (text_of(row, "program"), known.as_slice()) {
            (Some(program), known) => assert!(known.contains(&program), "{document}: {kind}: {row:?}"),
            // What a file of several programs does not give to one of them stands in none, and so does what stands in a copybook.
            (None, known) => assert_ne!(known.len(), 1, "{document}: {kind}: {row:?}"),
        }
    }
    if let (Some(Value::Number(line)), Some(Value::Number(end))) = (row.value("line"), row.value("end_line")) {
        assert!(1 <= *line && line <= end, "{document}: {kind}: {row:?}");
    }
}

#[test]
fn the_rows_of_the_estate_are_all_that_its_documents_hold_and_lead_to_it() {
    let place = Sandbox::new();
    place.line("document {} -o out", &fixtures()).assert_exit(0);
    let out = place.path().join("out");
    let counts = check(&out);
    let without_conflicts = RowKind::document_kinds().filter(|kind| *kind != RowKind::Conflicts);
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), without_conflicts.collect::<Vec<_>>());
    let sources: BTreeMap<String, Vec<String>> =
        files_below(&fixtures()).into_iter().map(|(name, bytes)| (name, lines_of(&bytes))).collect();
    let mut stands = BTreeMap::<RowKind, usize>::new();
    for read in read(&out) {
        for row in read.rows.values().flatten().filter(|row| names_its_lines(row, &read.json)) {
            assert!(stands_in(row, &sources[text_of(row, "file").unwrap()]), "{}: {row:?}", read.name);
            *stands.entry(row.kind()).or_default() += 1;
        }
    }
    let least =
        [RowKind::Programs, RowKind::Paragraphs, RowKind::DataItems, RowKind::Maps, RowKind::Copybooks, RowKind::Calls];
    assert!(least.iter().all(|kind| stands[kind] > 10), "{stands:?}");
}

/// Whether the lines of a row must hold its name: it is no FILLER, and no copy of a line in which COPY REPLACING has changed the name.
fn names_its_lines(row: &CatalogueRow, json: &Json) -> bool {
    match row.kind() {
        RowKind::Programs | RowKind::Paragraphs | RowKind::Maps | RowKind::Calls => true,
        RowKind::Copybooks => text_of(row, "role") == Some("use"),
        RowKind::DataItems => name_of(row) != "FILLER" && text_of(row, "file") == json["header"]["file_name"].as_str(),
        _ => false,
    }
}

/// The lines of a source in upper case. Not all sources are UTF-8, and in some a carriage return alone ends a line.
fn lines_of(source: &[u8]) -> Vec<String> {
    let source = String::from_utf8_lossy(source).replace("\r\n", "\n").replace('\r', "\n").to_uppercase();
    source.split('\n').map(str::to_owned).collect()
}

/// Whether the name of a row stands in its lines.
fn stands_in(row: &CatalogueRow, lines: &[String]) -> bool {
    let number = |field: &str| match row.value(field) {
        Some(Value::Number(number)) => usize::try_from(*number).ok(),
        _ => None,
    };
    let Some(line) = number("line") else { return false };
    // The line of a call through an item has the item.
    let name = text_of(row, "named_in").unwrap_or_else(|| name_of(row)).to_uppercase();
    lines[line - 1..number("end_line").unwrap_or(line)].iter().any(|line| line.contains(&name))
}

#[test]
fn odd_sources_leave_rows_that_are_whole() {
    let place = Sandbox::new();
    let ran = place.line("document {} -o out", &project().join("fixtures/odd"));
    assert!(ran.code.is_some(), "{}", ran.err);
    check(&place.path().join("out"));
}

#[test]
fn what_a_model_said_is_told_as_that_with_how_far_it_can_be_trusted() {
    let case = Case::wide(3, FaultScript::default());
    case.run();
    let out = case.place.path().join("out");
    let counts = check(&out);
    assert!(counts[&RowKind::Rules] > 2 && counts[&RowKind::Paragraphs] == 3, "{counts:?}");
    let read = read(&out);
    let rows = || read.iter().flat_map(|read| read.rows.values().flatten());
    let (parsers, models): (Vec<&CatalogueRow>, Vec<&CatalogueRow>) =
        rows().filter(|row| text_of(row, "origin").is_some()).partition(|row| text_of(row, "origin") == Some("parser"));
    let confidence = |row: &CatalogueRow| row.value("confidence").cloned();
    assert!(!models.is_empty());
    for row in models {
        assert!(matches!(confidence(row), Some(Value::Decimal(_))), "{row:?}");
    }
    for row in parsers {
        assert_eq!(confidence(row), Some(Value::Absent), "{row:?}");
    }
}
