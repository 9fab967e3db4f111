//! Splits a document into items.

use super::fields::{self, format_value};
use super::lists::{ComparedList, HEADER, LISTS, OTHER, PROGRAMS};
use crate::{Citation, Document, StepUnit, unfold_repeated_steps};
use foldhash::{HashMap, HashMapExt};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use war_rig_text::LineRange;

/// The maximum number of characters in each part of a summary.
const GLIMPSE: usize = 400;

/// One item of a document.
#[derive(Debug)]
pub struct ComparedItem {
    /// The program it belongs to, under the name that both sides share; empty for the whole file, or without a program.
    pub program: String,
    /// The program's name in its own document.
    pub program_name: String,
    /// Its name; empty if it has none.
    pub name: String,
    /// Its matching keys, as its list defines them.
    pub keys: Vec<Option<String>>,
    /// Its content.
    pub facets: Map<String, Value>,
    /// The content in normal form: the same text for the same meaning.
    pub meaning: String,
    /// Its citations.
    pub citations: Vec<Citation>,
    /// Its lines.
    pub lines: Option<LineRange>,
    /// Its position in its list.
    pub position: usize,
    /// The record of a data item.
    pub record: Option<String>,
    /// Its children.
    pub below: Vec<(&'static ComparedList, Vec<ComparedItem>)>,
}

/// A document split into items.
#[derive(Debug)]
pub struct ItemizedDocument {
    pub programs: Vec<ComparedItem>,
    pub lists: Vec<(&'static ComparedList, Vec<ComparedItem>)>,
}

impl ItemizedDocument {
    /// Returns every item of the document.
    pub fn of(document: &Document) -> Self {
        let document = &*with_whole_steps(document);
        let whole = serde_json::to_value(document).expect("a document has a JSON");
        let Value::Object(mut fields) = whole else { unreachable!("a document is a JSON object") };
        let own_file = &document.header.file_name;
        let first = document.header.program_id.as_deref().unwrap_or_default();
        let of = ItemParent { file: own_file, program: first };
        let mut own = |field: &str| fields.remove(field).unwrap_or_default();

        let mut header = into_object(own("header"));
        header.remove("source_hash");
        header.remove("made_from");
        header.remove("version");
        // Only undocumented, failed and excluded lines matter, not the other totals.
        let counted = document.coverage;
        let accounted = i64::from(counted.documented) + i64::from(counted.failed) + i64::from(counted.excluded);
        let mut coverage = Map::new();
        for (name, lines) in [
            ("undocumented_lines", i64::from(counted.lines) - accounted),
            ("failed_lines", counted.failed.into()),
            ("excluded_lines", counted.excluded.into()),
        ] {
            if lines != 0 {
                coverage.insert(name.to_owned(), lines.into());
            }
        }
        own("coverage");
        own("chunks");
        let mut programs = items(&PROGRAMS, own("programs"), of);
        programs.iter_mut().for_each(|item| (item.program, item.program_name) = (String::new(), String::new()));
        let mut flow = into_object(own("data_flow"));
        let mut dictionary = own("data_dictionary");
        paths(&mut dictionary);

        let mut lists = vec![(&HEADER, vec![item(&HEADER, header, of, 0)])];
        for list in LISTS {
            let value = match list.field {
                "coverage" => Value::Object(std::mem::take(&mut coverage)),
                "data_dictionary" => std::mem::take(&mut dictionary),
                "other" => continue,
                field => match field.strip_prefix("data_flow.") {
                    Some(field) => flow.remove(field).unwrap_or_default(),
                    None => own(field),
                },
            };
            lists.push((list, items(list, value, of)));
        }
        // A field that a later version adds, and that this table does not contain, is compared as a whole.
        let rest = fields.into_iter().map(|(name, value)| {
            Value::Object(Map::from_iter([("field".to_owned(), name.into()), ("says".to_owned(), value)]))
        });
        lists.push((&OTHER, items(&OTHER, rest.collect(), of)));
        Self { programs, lists }
    }
}

/// Returns the document with its steps told whole: whether one is told as another has no meaning, and earlier documents know no such reference.
fn with_whole_steps(document: &Document) -> Cow<'_, Document> {
    let mut document = Cow::Borrowed(document);
    let is_referring = |steps: &[StepUnit]| steps.iter().any(|step| step.like.is_some());
    if document.jobs.iter().any(|job| is_referring(&job.steps))
        || document.procedures.iter().any(|procedure| is_referring(&procedure.steps))
    {
        let document = document.to_mut();
        let of_jobs = document.jobs.iter_mut().map(|job| &mut job.steps);
        let of_procedures = document.procedures.iter_mut().map(|procedure| &mut procedure.steps);
        of_jobs.chain(of_procedures).for_each(|steps| *steps = unfold_repeated_steps(steps).into_owned());
    }
    document
}

impl ComparedItem {
    /// Summarizes the item.
    pub fn summary(&self, list: &ComparedList) -> String {
        let parts = list.summary_fields.iter().filter_map(|name| self.facets.get(*name));
        let parts = parts.map(|value| shortened(format_value(value)));
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }

    /// Returns the words of its content, as numbers, in order.
    pub fn words(&self) -> Vec<u64> {
        let words = self.meaning.split(|c: char| !(c.is_alphanumeric() || c == '-'));
        let hash = |word: &str| {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            hasher.finish()
        };
        let mut words: Vec<u64> = words.filter(|word| !word.is_empty()).map(hash).collect();
        words.sort_unstable();
        words
    }
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(GLIMPSE) {
        Some((at, _)) => format!("{}...", text[..at].trim_end()),
        None => text,
    }
}

fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The parents of an item.
#[derive(Clone, Copy)]
struct ItemParent<'a> {
    file: &'a str,
    program: &'a str,
}

/// Returns the items of a list, or the only item if the value is not a list.
fn items(list: &'static ComparedList, value: Value, of: ItemParent<'_>) -> Vec<ComparedItem> {
    let values = match value {
        Value::Array(values) => values,
        Value::Object(fields) => vec![Value::Object(fields)],
        _ => Vec::new(),
    };
    let values = values.into_iter().enumerate();
    values.map(|(at, value)| item(list, into_object(value), of, at)).collect()
}

fn item(
    list: &'static ComparedList,
    mut fields: Map<String, Value>,
    of: ItemParent<'_>,
    position: usize,
) -> ComparedItem {
    let citations: Vec<Citation> =
        fields.remove("citations").and_then(|citations| serde_json::from_value(citations).ok()).unwrap_or_default();
    // Lines refer only to the document's own file: a copybook's line number would be mistaken for one of this file.
    let is_own = fields.get("file").is_none_or(|file| file.is_null() || file == of.file);
    let cited = || citations.iter().find(|citation| citation.file() == of.file).map(Citation::lines);
    let lines = lines_of(&fields).or_else(cited).filter(|_| is_own);
    // A part that occurs only once belongs to the whole file.
    let program = if list.name.is_empty() { "" } else { of.program };
    let program = fields.get("program").and_then(Value::as_str).unwrap_or(program).to_owned();
    let below = |(field, list): &(&str, &'static ComparedList)| {
        (*list, items(list, fields.remove(*field).unwrap_or_default(), ItemParent { program: &program, ..of }))
    };
    let below = list.below.iter().map(below).collect();
    let names = list.name.iter().filter_map(|name| fields.get(*name)).map(format_value);
    let name = names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ");
    let record = fields.get("@record").map(format_value);
    let key = |key: &&[&str]| {
        let part = |name: &&str| fields.get(*name).filter(|value| !value.is_null());
        let is_told = key.iter().any(|name| part(name).is_some());
        is_told.then(|| {
            let part = |name| part(name).map(|value| fields::strip_line_numbers(&format_value(value)).into_owned());
            key.iter().map(part).map(Option::unwrap_or_default).collect::<Vec<_>>().join("\n")
        })
    };
    let keys = list.keys.iter().map(key).collect();
    for name in list.name.iter().chain(&["@path", "@record"]) {
        fields.remove(*name);
    }
    let facets = fields::significant_fields(fields);
    let meaning = fields::normalized_text(&facets);
    let program_name = program.clone();
    ComparedItem { program, program_name, name, keys, facets, meaning, citations, lines, position, record, below }
}

/// Returns the lines that an item has in its own fields.
fn lines_of(fields: &Map<String, Value>) -> Option<LineRange> {
    let number = |name: &str| fields.get(name).and_then(Value::as_u64);
    let (start, end) = match number("line") {
        Some(line) => (line, line),
        None => (number("start_line")?, number("end_line")?),
    };
    serde_json::from_value(serde_json::json!({ "start_line": start, "end_line": end })).ok()
}

/// Gives each data item the path from its record to itself, so that items with the same name in different groups stay apart.
fn paths(dictionary: &mut Value) {
    let Value::Array(items) = dictionary else { return };
    // The groups around an item in each program, outermost first. Programs do not mix, but a copybook may be in between.
    let mut open: HashMap<String, Vec<(u64, String)>> = HashMap::new();
    for item in items {
        let Value::Object(fields) = item else { continue };
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (name, program) = (text("name"), text("program"));
        let level = fields.get("level").and_then(Value::as_u64).unwrap_or_default();
        let around = open.entry(program).or_default();
        match level {
            // A condition belongs to the item before it, and has no children.
            88 => {}
            66 => around.truncate(1),
            77 => around.clear(),
            level => around.retain(|(outer, _)| *outer < level),
        }
        let record = around.first().map_or(&name, |(_, record)| record).clone();
        let groups: Vec<&str> = around.iter().map(|(_, name)| name.as_str()).collect();
        let path = format!("{} {name}", groups.join(" "));
        if !matches!(level, 66 | 88) {
            around.push((level, name));
        }
        fields.insert("@path".to_owned(), path.into());
        fields.insert("@record".to_owned(), record.into());
    }
}
