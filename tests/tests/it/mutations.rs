//! Documents and sources of the fixtures with one thing wrong in each, and a check that has to find every one of them.
//!
//! A mutation is one change to one document, its page or its source. In each round every file gets one, chosen by the seed, and one check
//! must say of every file what was done to it.

use crate::asked::Case;
use fastrand::Rng;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use war_rig_tests::fake::FakeOptions;
use war_rig_tests::{CommandResult, Sandbox, files_below, fixtures, json_file};

/// Mutations of documents by each Scribe that must be found.
const ENOUGH: usize = 260;

/// A name that stands nowhere in the fixtures.
const INVENTED: &str = "ZQX-PHANTOM-7";

/// Declares the kinds of mutations, and the list of all of them.
macro_rules! mutations {
    ($($name:ident,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        enum Mutation {
            $($name,)*
        }

        use Mutation::*;

        const ALL: &[Mutation] = &[$($name,)*];
    };
}

mutations! {
    WrongLine,
    LineBeyondTheEnd,
    ChangedQuote,
    ChangedHash,
    UnsupportedStatus,
    InventedName,
    InventedTable,
    NameInWords,
    DeletedItem,
    DeletedCall,
    OtherFact,
    PartialStatus,
    LostChunk,
    FailedChunk,
    OtherWords,
    EditedPage,
    DeletedPage,
    DeletedDocument,
    BrokenDocument,
    EditedParagraph,
    DeletedStatement,
    Renumbered,
    DeletedSource,
}

/// Lists whose names the parser knows all, with the field of the name.
const CLOSED: [(&str, &str); 8] = [
    ("programs", "program_id"),
    ("called_programs", "program_name"),
    ("copybooks_used", "copybook_name"),
    ("paragraphs", "paragraph_name"),
    ("cics_operations", "command"),
    ("sql_operations", "operation"),
    ("data_dictionary", "name"),
    ("jobs", "job_name"),
];

/// What one file was made to be, and which rule must find it.
struct Planted {
    mutation: Mutation,
    /// One of these must be found.
    rules: &'static [&'static str],
}

#[test]
fn every_mutation_of_a_static_estate_is_found() {
    let place = Sandbox::new();
    place.run([Path::new("document"), &fixtures(), Path::new("-o"), Path::new("docs")]).assert_exit(0);
    let documents = files_below(&place.path().join("docs"));
    rounds("static", &documents, &files_below(&fixtures()), 7);
}

#[test]
fn every_mutation_of_a_models_documents_is_found() {
    let files = files_below(&fixtures());
    let texts: Vec<(String, String)> =
        files.iter().filter_map(|(name, bytes)| Some((name.clone(), String::from_utf8(bytes.clone()).ok()?))).collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let case = Case::of(&texts, FakeOptions { budget: Some(8000), ..FakeOptions::default() });
    case.run().ran.assert_exit(0);
    let documents = files_below(&case.place.path().join("out"));
    let sources = files_below(&case.place.path().join("src"));
    rounds("model", &documents, &sources, 8);
}

/// Mutates every file again and again, until there were enough, and checks each time.
fn rounds(scribe: &str, documents: &BTreeMap<String, Vec<u8>>, sources: &BTreeMap<String, Vec<u8>>, seed: u64) {
    let mut random = Rng::with_seed(seed);
    let (mut planted, mut kinds) = (0, BTreeSet::new());
    let mut missed = Vec::new();
    // A rare kind may need more of them.
    while planted < ENOUGH || (kinds.len() < ALL.len() - 1 && planted < 3 * ENOUGH) {
        let place = Sandbox::in_memory();
        let mut plan: BTreeMap<String, Planted> = BTreeMap::new();
        for (name, bytes) in sources {
            place.write(&format!("src/{name}"), bytes);
        }
        for (name, bytes) in documents {
            place.write(&format!("docs/{name}"), bytes);
        }
        check(&place, true);
        for name in sources.keys().filter(|name| documents.contains_key(&format!("{name}.json"))) {
            let Some(done) = mutate(&place, name, scribe, &mut random) else { continue };
            plan.insert(name.clone(), done);
        }
        let report = check(&place, false).json();
        for (name, Planted { mutation, rules }) in &plan {
            let of_file = report["findings"].as_array().unwrap().iter().filter(|finding| {
                let file = finding["file"].as_str().unwrap();
                file == format!("src/{name}") || file == format!("docs/{name}.json")
            });
            let found: BTreeSet<&str> = of_file.map(|finding| finding["rule"].as_str().unwrap()).collect();
            if !rules.iter().any(|rule| found.contains(rule)) {
                missed.push(format!("{name}: {mutation:?} should be {rules:?} and is {found:?}"));
            }
            kinds.insert(*mutation);
        }
        planted += plan.len();
    }
    assert!(missed.is_empty(), "{} of {planted} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(kinds.len() > ALL.len() - 2, "only {kinds:?} were tried");
}

/// Checks the documents, which are as they should be or are not.
fn check(place: &Sandbox, is_clean: bool) -> CommandResult {
    let ran = place.run(["check", "src", "--docs", "docs", "--format", "json"]);
    assert_eq!(ran.code, Some(if is_clean { 0 } else { 4 }), "{}\n{}", ran.out, ran.err);
    ran
}

/// Changes one thing of a file; none where the chosen kinds do not apply to it.
fn mutate(place: &Sandbox, name: &str, scribe: &str, random: &mut Rng) -> Option<Planted> {
    (0..40).find_map(|_| {
        let mutation = ALL[random.usize(..ALL.len())];
        let rules = apply(place, name, scribe, mutation, random)?;
        Some(Planted { mutation, rules })
    })
}

const STALE: &[&str] = &["stale-document"];
const UNSUPPORTED: &[&str] = &["citation-unsupported"];
const UNKNOWN: &[&str] = &["claim-unknown-name"];
const MISSING: &[&str] = &["claim-missing"];
const NO_DOCUMENT: &[&str] = &["missing-document"];

fn apply(
    place: &Sandbox,
    name: &str,
    scribe: &str,
    mutation: Mutation,
    random: &mut Rng,
) -> Option<&'static [&'static str]> {
    let at = |what: &str| place.path().join(what);
    let (source, json, page) =
        (at(&format!("src/{name}")), at(&format!("docs/{name}.json")), at(&format!("docs/{name}.md")));
    let is_static = scribe == "static" || !matches!(name.split('/').next(), Some("cbl" | "cpy" | "pds"));
    let mut document = json_file(&json);
    let rules = match mutation {
        WrongLine => {
            let lines = document["coverage"]["lines"].as_u64().unwrap();
            let citation = some_citation(&mut document, name, random)?;
            let (start, end) = (citation["start_line"].as_u64()?, citation["end_line"].as_u64()?);
            let by = random.u64(1..=9);
            if end + by > lines {
                return None;
            }
            citation["start_line"] = (start + by).into();
            citation["end_line"] = (end + by).into();
            UNSUPPORTED
        }
        LineBeyondTheEnd => {
            let lines = document["coverage"]["lines"].as_u64().unwrap();
            some_citation(&mut document, name, random)?["end_line"] = (lines + random.u64(1..=50)).into();
            &["citation-out-of-range"]
        }
        ChangedQuote => {
            let citation = citations(&mut document, name).into_iter().find(|citation| citation["quote"].is_string())?;
            let quote = citation["quote"].as_str()?.to_owned();
            citation["quote"] = format!("{quote} {INVENTED}").into();
            UNSUPPORTED
        }
        ChangedHash => {
            let hash = document["header"]["source_hash"].clone();
            some_citation(&mut document, name, random)?["hash"] = hash;
            UNSUPPORTED
        }
        UnsupportedStatus => {
            some_citation(&mut document, name, random)?["status"] = "unsupported".into();
            UNSUPPORTED
        }
        InventedName => {
            let (list, field) = CLOSED[random.usize(..CLOSED.len())];
            some_item(&mut document, list, random)?[field] = INVENTED.into();
            UNKNOWN
        }
        InventedTable => {
            let item = document["sql_operations"].as_array_mut()?.iter_mut().find(|item| item["table"].is_string())?;
            item["table"] = "TMA.PHANTOM".into();
            UNKNOWN
        }
        NameInWords => {
            let (list, field) =
                [("paragraphs", "summary"), ("business_rules", "description"), ("inputs", "description")]
                    [random.usize(..3)];
            let item = some_item(&mut document, list, random)?;
            if !is_static && item["origin"] == "parser" {
                return None;
            }
            item[field] = format!("{} It performs {INVENTED}.", item[field].as_str()?).into();
            UNKNOWN
        }
        DeletedItem => {
            let lists = [
                "copybooks_used", "paragraphs", "sql_operations", "cics_operations", "data_dictionary", "inputs",
                "steps",
            ];
            let items =
                document[lists[random.usize(..lists.len())]].as_array_mut().filter(|items| !items.is_empty())?;
            items.remove(random.usize(..items.len()));
            MISSING
        }
        DeletedCall => {
            let calls = document["called_programs"].as_array_mut().filter(|calls| !calls.is_empty())?;
            calls.remove(random.usize(..calls.len()));
            MISSING
        }
        OtherFact => {
            let item = some_item(&mut document, "paragraphs", random)?;
            let is_dead = item["is_dead_code"] == true;
            item["is_dead_code"] = (!is_dead).into();
            STALE
        }
        PartialStatus => {
            document["header"]["status"] = "partial".into();
            &["partial-document"]
        }
        LostChunk => {
            let chunks = document["chunks"].as_array_mut().filter(|chunks| !chunks.is_empty())?;
            chunks.remove(random.usize(..chunks.len()));
            &["uncovered-lines"]
        }
        FailedChunk => {
            some_item(&mut document, "chunks", random)?["status"] = "failed".into();
            &["uncovered-lines"]
        }
        OtherWords => {
            let summary = document["purpose"]["summary"].as_str().filter(|summary| !summary.is_empty())?;
            document["purpose"]["summary"] = format!("{summary} All of it is well tested.").into();
            STALE
        }
        EditedPage => {
            let text = std::fs::read_to_string(&page).unwrap();
            let words: Vec<&str> = text.split("lines").collect();
            if words.len() < 2 {
                return None;
            }
            std::fs::write(&page, words.join("rows")).unwrap();
            return Some(STALE);
        }
        DeletedPage => {
            std::fs::remove_file(&page).unwrap();
            return Some(NO_DOCUMENT);
        }
        DeletedDocument => {
            std::fs::remove_file(&json).unwrap();
            return Some(NO_DOCUMENT);
        }
        BrokenDocument => {
            let bytes = std::fs::read(&json).unwrap();
            std::fs::write(&json, &bytes[..bytes.len() / 2]).unwrap();
            return Some(NO_DOCUMENT);
        }
        // A copybook's own document is enough for what is done to sources; others would change with it.
        EditedParagraph | DeletedStatement | Renumbered | DeletedSource if !name.starts_with("cbl/") => {
            return None;
        }
        EditedParagraph => {
            let edit = |line: &str| line.contains(" TO ").then(|| line.replacen(" TO ", "  TO ", 1));
            return edited(&source, random, edit).then_some(STALE);
        }
        DeletedStatement => {
            let delete = |line: &str| line.contains("PERFORM ").then(String::new);
            return edited(&source, random, delete).then_some(STALE);
        }
        Renumbered => {
            let number = |line: &str| (line.len() > 7 && line.len() < 72).then(|| format!("{line:<72}CHG00042"));
            return edited(&source, random, number).then_some(STALE);
        }
        DeletedSource => {
            std::fs::remove_file(&source).unwrap();
            return Some(&["orphan-document"]);
        }
    };
    std::fs::write(&json, serde_json::to_vec_pretty(&document).unwrap()).unwrap();
    Some(rules)
}

/// Edits one line of a source, chosen among those that the edit takes, comments aside.
fn edited(source: &Path, random: &mut Rng, edit: impl Fn(&str) -> Option<String>) -> bool {
    let Ok(text) = std::fs::read_to_string(source) else { return false };
    let lines: Vec<&str> = text.lines().collect();
    let is_code = |line: &&str| line.as_bytes().get(6) == Some(&b' ');
    let able: Vec<usize> =
        (0..lines.len()).filter(|index| is_code(&lines[*index]) && edit(lines[*index]).is_some()).collect();
    if able.is_empty() {
        return false;
    }
    let chosen = able[random.usize(..able.len())];
    let line = |(index, line): (usize, &&str)| match index == chosen {
        true => edit(line).unwrap(),
        false => (*line).to_owned(),
    };
    let edited: Vec<String> = lines.iter().enumerate().map(line).collect();
    std::fs::write(source, format!("{}\n", edited.join("\n"))).unwrap();
    true
}

fn some_item<'a>(document: &'a mut Value, list: &str, random: &mut Rng) -> Option<&'a mut Value> {
    let items = document.get_mut(list)?.as_array_mut().filter(|items| !items.is_empty())?;
    let index = random.usize(..items.len());
    items.get_mut(index)
}

fn some_citation<'a>(document: &'a mut Value, name: &str, random: &mut Rng) -> Option<&'a mut Value> {
    let mut all = citations(document, name);
    (!all.is_empty()).then(|| all.swap_remove(random.usize(..all.len())))
}

/// The citations of the document's own file.
fn citations<'a>(value: &'a mut Value, name: &str) -> Vec<&'a mut Value> {
    fn is_citation(fields: &Map<String, Value>) -> bool {
        ["start_line", "hash", "status"].iter().all(|field| fields.contains_key(*field))
    }
    match value {
        Value::Object(fields) if is_citation(fields) => match fields["file"] == name {
            true => vec![value],
            false => Vec::new(),
        },
        Value::Object(fields) => fields.values_mut().flat_map(|value| citations(value, name)).collect(),
        Value::Array(items) => items.iter_mut().flat_map(|value| citations(value, name)).collect(),
        _ => Vec::new(),
    }
}
