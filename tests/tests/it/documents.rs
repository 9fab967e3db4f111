//! The documents of the fixtures: whole, tiled, cited, and the same whatever the budget.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use war_rig_tests::crash::is_estate_page;
use war_rig_tests::{
    CommandResult, MemorySources, Sandbox, check_tiling, files_below, fixture_names, fixtures, json_file,
    surrounding_names,
};
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceFormat, SourceText};

/// Documents the fixtures at a budget, into `out` of the workplace.
fn document(place: &Sandbox, max_prompt: u64) -> CommandResult {
    place.line(&format!("document {{}} -o out --max-prompt-tokens {max_prompt}"), &fixtures())
}

/// The JSON documents of the fixtures by name.
fn documents(out: &Path) -> BTreeMap<String, Value> {
    fixture_names()
        .into_iter()
        .chain(surrounding_names())
        .map(|name| (name.clone(), json_file(&out.join(format!("{name}.json")))))
        .collect()
}

/// All citations of a document, wherever they stand.
fn citations<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) if fields.contains_key("hash") && fields.contains_key("start_line") => found.push(value),
        Value::Object(fields) => fields.values().for_each(|field| citations(field, found)),
        Value::Array(items) => items.iter().for_each(|item| citations(item, found)),
        _ => {}
    }
}

fn citations_of(document: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    citations(document, &mut found);
    found
}

/// A fixture that is no COBOL, as it is read.
fn surrounding(name: &str) -> SourceText {
    let bytes = std::fs::read(fixtures().join(name)).unwrap();
    let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
    SourceText::read(name, bytes, &options).unwrap()
}

/// Asserts what holds of the document of every fixture.
#[track_caller]
fn check_document(name: &str, document: &Value, sources: &BTreeMap<String, SourceText>) {
    let source = &sources[name];
    let lines = source.line_count() as u64;
    let header = &document["header"];
    assert_eq!(header["status"], "complete", "{name}");
    assert_eq!(header["file_name"], name);
    assert_eq!(header["source_hash"], source.hash().to_string(), "{name}");
    let coverage = &document["coverage"];
    assert_eq!([&coverage["lines"], &coverage["documented"], &coverage["failed"]], [lines, lines, 0], "{name}");
    assert!(coverage["cited"].as_u64().unwrap() <= lines, "{name}");
    check_tiling(&document["chunks"], lines, name);
    for chunk in document["chunks"].as_array().unwrap() {
        assert_eq!(chunk["status"], "complete", "{name}: {chunk}");
    }
    for citation in citations_of(document) {
        assert_eq!(citation["status"], "verified", "{name}: {citation}");
        let cited = &sources[citation["file"].as_str().unwrap()];
        let line = |field: &str| LineNumber::new(citation[field].as_u64().unwrap().try_into().unwrap()).unwrap();
        let range = LineRange::new(line("start_line"), line("end_line")).unwrap();
        assert!(cited.line_range().unwrap().covers(range), "{name}: {citation}");
        assert_eq!(citation["hash"], cited.hash_lines(range).short(12), "{name}: {citation}");
    }
}

/// A document's JSON as the first version of the format had it.
fn of_the_first_version(value: &mut Value, sources: &BTreeMap<String, SourceText>) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| of_the_first_version(value, sources));
            if fields.contains_key("hash") && fields.contains_key("start_line") {
                let number = |field: &str| fields[field].as_u64().unwrap().try_into().unwrap();
                let (start, end) = (LineNumber::new(number("start_line")), LineNumber::new(number("end_line")));
                let lines = LineRange::new(start.unwrap(), end.unwrap()).unwrap();
                let hash = sources[fields["file"].as_str().unwrap()].hash_lines(lines);
                fields.insert("hash".to_owned(), hash.to_string().into());
                fields.entry("quote").or_insert(Value::Null);
            }
            let of_paragraphs = ["calls", "called_by", "section", "purpose"];
            let of_items = ["picture", "usage", "offset", "length", "occurs", "redefines", "value", "file"];
            let empty = match (fields.contains_key("paragraph_name"), fields.contains_key("level")) {
                (true, _) => &of_paragraphs[..],
                (_, true) => &of_items[..],
                _ => &[],
            };
            for field in empty {
                let nothing = if field.starts_with("call") { Value::Array(Vec::new()) } else { Value::Null };
                fields.entry(*field).or_insert(nothing);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| of_the_first_version(item, sources)),
        _ => {}
    }
}

#[test]
fn documents_of_the_first_version_of_the_format_are_read() {
    let place = Sandbox::new();
    document(&place, 24_000).assert_exit(0);
    let memory = MemorySources::fixtures();
    let cobol = memory.files().keys().map(|name| (name.clone(), memory.prepare(name).source));
    let sources = cobol.chain(surrounding_names().into_iter().map(|name| (name.clone(), surrounding(&name)))).collect();
    for (name, bytes) in files_below(&place.path().join("out")) {
        place.write(&format!("once/{name}"), bytes);
    }
    for (name, mut json) in documents(&place.path().join("out")) {
        json.as_object_mut().unwrap().shift_remove("seal");
        assert_eq!(json["header"]["version"], 4, "{name}");
        json["header"].as_object_mut().unwrap().shift_remove("version");
        of_the_first_version(&mut json, &sources);
        place.write(&format!("once/{name}.json"), serde_json::to_vec_pretty(&json).unwrap());
    }
    for more in ["", " --thorough"] {
        place.line(&format!("check {{}} --docs once{more}"), &fixtures()).assert_exit(0);
    }
    let told = place.run(["diff", "once", "out", "--exit-code"]);
    assert!(told.assert_exit(0).out.ends_with("the same; citations merely moved: 0\n"), "{}", told.out);
}

#[test]
fn the_estate_is_documented_whole_and_the_report_is_the_sum_of_its_documents() {
    let place = Sandbox::new();
    place.line("document {} -o out", &fixtures()).assert_exit(0);
    let out = place.path().join("out");
    let mut expected: Vec<String> = [fixture_names(), surrounding_names()]
        .concat()
        .iter()
        .flat_map(|name| [format!("{name}.json"), format!("{name}.md")])
        .collect();
    expected.sort();
    let written = files_below(&out);
    let (about, of_sources): (Vec<&String>, Vec<&String>) = written.keys().partition(|name| is_estate_page(name));
    assert_eq!(of_sources, expected.iter().collect::<Vec<_>>());
    for name in ["data.md", "dictionary.md", "entry-points.md", "functions.md", "index.md", "run.json"] {
        assert!(about.iter().any(|page| *page == name), "{name}");
    }
    assert!(written.iter().all(|(_, bytes)| !bytes.is_empty()));

    let memory = MemorySources::fixtures();
    let cobol = memory.files().keys().map(|name| (name.clone(), memory.prepare(name).source));
    let sources = cobol.chain(surrounding_names().into_iter().map(|name| (name.clone(), surrounding(&name)))).collect();
    let documents = documents(&out);
    for (name, document) in &documents {
        check_document(name, document, &sources);
    }

    let run = json_file(&out.join("run.json"));
    let total = documents.len() as u64;
    let status = |status: &str| documents.values().filter(|d| d["header"]["status"] == status).count() as u64;
    assert_eq!([&run["files"], &run["documented"]], [total, status("complete")]);
    assert_eq!([&run["partial"], &run["failed"], &run["skipped"]], [status("partial"), 0, 0]);
    // What is no COBOL is documented without a call.
    let chunks = |name: &String| documents[name]["chunks"].as_array().unwrap().len();
    assert_eq!(run["calls"], fixture_names().iter().map(chunks).sum::<usize>());
    let all: Vec<&Value> = documents.values().flat_map(citations_of).collect();
    assert!(all.len() > 20 * documents.len(), "{} citations", all.len());
    for status in ["verified", "relocated", "unsupported"] {
        assert_eq!(run["citations"][status], all.iter().filter(|c| c["status"] == status).count(), "{status}");
    }
    assert_eq!([&run["prompts_over_budget"], &run["completion_tokens"]], [0, 0]);
    assert!(run["largest_prompt_tokens"].as_u64() <= run["max_prompt_tokens"].as_u64(), "{run}");
    let plan = place.line("plan {} --format json", &fixtures()).assert_exit(0).json();
    for total in ["calls", "prompt_tokens", "largest_prompt_tokens"] {
        assert_eq!(run[total], plan["totals"][total], "{total}");
    }
}

#[test]
fn documents_are_the_same_at_every_budget_but_for_their_chunks() {
    let place = Sandbox::new();
    let mut first: Option<BTreeMap<String, Value>> = None;
    let mut chunk_counts = Vec::new();
    for budget in [6000, 8000, 15_000, 30_000] {
        document(&place, budget).assert_exit(0);
        let mut documents = documents(&place.path().join("out"));
        let taken = documents.values_mut().map(|document| {
            let fields = document.as_object_mut().unwrap();
            // It is over all, its chunks too.
            assert!(fields.shift_remove("seal").is_some());
            fields.shift_remove("chunks")
        });
        chunk_counts.push(taken.map(|chunks| chunks.unwrap().as_array().unwrap().len()).sum::<usize>());
        let first = first.get_or_insert_with(|| documents.clone());
        for (name, document) in &documents {
            check_same(&format!("{name} at {budget}"), &first[name], document);
        }
    }
    // Were the files cut alike, the comparison would prove nothing.
    assert!(chunk_counts.windows(2).all(|pair| pair[0] > pair[1]), "{chunk_counts:?}");
}

/// Asserts that two documents are the same, and names the first field that is not.
#[track_caller]
fn check_same(what: &str, first: &Value, other: &Value) {
    let (Value::Object(a), Value::Object(b)) = (first, other) else {
        return assert_eq!(first, other, "{what}");
    };
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (field, value) in a {
        if let (Some(items), Some(others)) = (value.as_array(), b[field].as_array()) {
            for (index, (item, other)) in items.iter().zip(others).enumerate() {
                assert_eq!(item, other, "{what}: {field}[{index}]");
            }
            assert_eq!(items.len(), others.len(), "{what}: {field}");
        }
        assert_eq!(value, &b[field], "{what}: {field}");
    }
}

/// A table's name with a blank behind its point, a FETCH without INTO, DISPLAY of an item from a copybook that is missing, and of a literal
/// without its end.
const ODDLY_WRITTEN: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ODDLY.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY ABSENT.
       01  WS-CODE PIC X.
           EXEC SQL DECLARE CSR1-LEDGER CURSOR FOR
             SELECT CODE FROM PROD.LEDGER WHERE A = 1
           END-EXEC.
       PROCEDURE DIVISION.
       MAIN-PARA.
           DISPLAY ABSENT-LINE1.
           DISPLAY '* THE END OF THE RUN
           EXEC SQL
              SELECT CODE
              INTO   :WS-CODE
                FROM   PROD. BRANCHES
           END-EXEC.
           EXEC SQL FETCH CSR1-LEDGER
              :WS-CODE
           END-EXEC.
           GOBACK.
";

/// Data before any DD statement, as an editor's listing leaves them.
const DATA_WITHOUT_DD: &str = "\
//NIGHTLY  JOB
//STEP1    EXEC PGM=ODDLY
//SYSOUT   DD SYSOUT=*
**** BOTTOM OF DATA ****
";

#[test]
fn what_the_parser_cites_is_verified_however_it_is_written() {
    let place = Sandbox::new();
    let sources = place.path().join("src");
    std::fs::create_dir_all(&sources).unwrap();
    std::fs::write(sources.join("ODDLY.cbl"), ODDLY_WRITTEN).unwrap();
    std::fs::write(sources.join("NIGHTLY.jcl"), DATA_WITHOUT_DD).unwrap();
    place.line("document {} -o out", &sources).assert_exit(0);
    let mut cited = 0;
    for name in ["ODDLY.cbl", "NIGHTLY.jcl"] {
        let document = json_file(&place.path().join("out").join(format!("{name}.json")));
        for citation in citations_of(&document) {
            cited += 1;
            assert_eq!(citation["status"], "verified", "{name}: {citation}");
        }
    }
    assert!(cited > 12, "{cited}");
}
