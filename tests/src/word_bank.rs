//! Answers that careful readers gave to real prompts, served again to any prompt about the same sources.
//!
//! A bank is a folder of JSON files, one a program: `file`, `sha256`, and `parts`, each with the lines that a reader was shown and
//! the answer with absolute lines. The bank answers a prompt with the items that begin in its block, renumbered and cut to the schema
//! of the request, and does nothing else.

#![expect(clippy::unwrap_used, reason = "a bank that cannot be read ends the test")]

use crate::SourceBlock;
use crate::fake::{AnswerItemKind, BlockItem, ListedRow, listed_rows};
use crate::word_lies::{SpokenWords, WordLie};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use war_rig_text::{ReadOptions, SourceText};

/// A bank of words.
#[derive(Debug)]
pub struct WordBank {
    programs: Vec<BankedProgram>,
}

#[derive(Debug)]
struct BankedProgram {
    file: String,
    /// The lines as prompts show them.
    lines: Vec<String>,
    /// The items of all answers, in order.
    items: Vec<BankedItem>,
}

#[derive(Debug, Clone)]
struct BankedItem {
    /// Its list: `data_flow.reads_from`.
    list: String,
    item: Value,
    /// The lines of the part whose reader wrote it.
    part: (u64, u64),
}

/// The lists of an answer.
const LISTS: [&str; 13] = [
    "inputs",
    "outputs",
    "called_programs",
    "business_rules",
    "data_flow.reads_from",
    "data_flow.writes_to",
    "data_flow.transforms",
    "copybooks_used",
    "paragraphs",
    "error_handling",
    "sql_operations",
    "cics_operations",
    "open_questions",
];

/// The fields with a reader's texts.
const TEXTS: [&str; 8] =
    ["summary", "description", "purpose", "action", "context", "suggestion", "business_context", "logic_summary"];

impl WordBank {
    /// Loads the answers in a folder, and the sources that they are about from another, wherever they lie in it.
    ///
    /// # Panics
    /// When a file cannot be read, or a source is missing.
    pub fn load(words: &Path, sources: &Path) -> Self {
        let mut programs = Vec::new();
        for entry in walkdir::WalkDir::new(words).sort_by_file_name().into_iter().map(Result::unwrap) {
            if entry.path().extension().is_some_and(|extension| extension == "json") {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                let bank: Value = serde_json::from_str(&text).unwrap();
                programs.push(BankedProgram::of(&bank, sources));
            }
        }
        Self { programs }
    }

    /// The paths of the programs, as the bank names them.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(|program| program.file.as_str())
    }

    /// The reader's texts about a program.
    pub fn texts(&self, file: &str) -> BTreeSet<String> {
        let mut texts = BTreeSet::new();
        for item in self.programs.iter().filter(|program| program.file == file).flat_map(|program| &program.items) {
            let fields = item.item.as_object().into_iter().flatten();
            let own = fields.filter(|(field, _)| TEXTS.contains(&field.as_str())).filter_map(|(_, text)| text.as_str());
            texts.extend(own.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()));
        }
        texts
    }

    /// Answers about a block, by the ids of a list where it has them; empty where the bank has nothing about its source.
    pub(crate) fn answer(
        &self,
        block: &SourceBlock,
        schema: &Value,
        lie: Option<WordLie>,
        listed: &[ListedRow],
    ) -> Value {
        let mut answer = empty(schema);
        let place = self.programs.iter().find_map(|program| Some((program, program.find(&block.rows)?)));
        let Some((program, start)) = place else { return answer };
        let end = start + block.rows.len() as u64 - 1;
        let spoken = program.spoken();
        for banked in &program.items {
            let Some(mut banked) = banked.shown_in(start, end) else { continue };
            if lie.is_some_and(|lie| !lie.tell(&mut banked.list, &mut banked.item, end - start + 1, &spoken)) {
                continue;
            }
            banked.use_ids(listed);
            let (list, item) = (banked.list, banked.item);
            match list.split_once('.') {
                Some((field, name)) => {
                    push(&mut answer[field][name], item, &schema["properties"][field]["properties"][name], schema)
                }
                None if list == "purpose" => {
                    let purpose = cut(item, &schema["properties"]["purpose"], schema);
                    join_purposes(&mut answer["purpose"], purpose);
                }
                None => push(&mut answer[&list], item, &schema["properties"][&list], schema),
            }
        }
        answer
    }
}

impl BankedProgram {
    fn of(bank: &Value, sources: &Path) -> Self {
        let file = bank["file"].as_str().expect("a bank names its file").to_owned();
        let found = walkdir::WalkDir::new(sources).into_iter().filter_map(Result::ok);
        let path = found.map(walkdir::DirEntry::into_path).find(|path| path.ends_with(&file));
        let bytes = std::fs::read(path.unwrap_or_else(|| panic!("no source {file}"))).unwrap();
        let source = SourceText::read(file.as_str(), bytes, &ReadOptions::default()).unwrap();
        let lines = source.lines().map(|line| line.visible().trim_end().to_owned()).collect();
        let mut items = Vec::new();
        for part in bank["parts"].as_array().expect("a bank has parts") {
            let shown = (part["start"].as_u64().unwrap(), part["end"].as_u64().unwrap());
            let answer = &part["answer"];
            let mut add = |list: &str, item: &Value| {
                if item.is_object() {
                    items.push(BankedItem { list: list.to_owned(), item: item.clone(), part: shown });
                }
            };
            add("purpose", &answer["purpose"]);
            for list in LISTS {
                let place = match list.split_once('.') {
                    Some((field, name)) => &answer[field][name],
                    None => &answer[list],
                };
                place.as_array().into_iter().flatten().for_each(|item| add(list, item));
            }
        }
        Self { file, lines, items }
    }

    /// Finds the first line of a block's rows.
    fn find(&self, rows: &[String]) -> Option<u64> {
        let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        let at =
            self.lines.windows(rows.len().max(1)).position(|lines| lines.iter().zip(&rows).all(|(a, b)| a == b))?;
        Some(at as u64 + 1)
    }

    fn spoken(&self) -> SpokenWords {
        SpokenWords::of(self.items.iter().map(|banked| &banked.item))
    }
}

impl BankedItem {
    /// The item as a reader of these lines would have cited it; none if the longest of its citations begins elsewhere, or for a copybook
    /// the first, which is the COPY.
    fn shown_in(&self, start: u64, end: u64) -> Option<Self> {
        let mut shown = self.clone();
        let citations = shown.item["citations"].as_array().cloned().unwrap_or_default();
        let lines = |citation: &Value| Some((citation["start"].as_u64()?, citation["end"].as_u64()?));
        let cited = || citations.iter().filter_map(lines);
        let longest = match self.list == "copybooks_used" {
            true => cited().next(),
            false => cited().rev().max_by_key(|(from, to)| to - from),
        };
        if !(start..=end).contains(&longest.map_or(self.part.0, |(from, _)| from)) {
            return None;
        }
        let inside = |citation: &Value| {
            let (from, to) = (citation["start"].as_u64()?.max(start), citation["end"].as_u64()?.min(end));
            let row = |line: u64| line - start + 1;
            (from <= to).then(|| json!({"start": row(from), "end": row(to), "quote": citation["quote"]}))
        };
        shown.item["citations"] = citations.iter().filter_map(inside).collect();
        Some(shown)
    }

    /// Gives the id of the listed thing in place of what the list says of it.
    fn use_ids(&mut self, listed: &[ListedRow]) {
        let kind = match self.list.as_str() {
            "paragraphs" => AnswerItemKind::Paragraph,
            "called_programs" => AnswerItemKind::Call,
            "copybooks_used" => AnswerItemKind::Copy,
            "sql_operations" => AnswerItemKind::Sql,
            "cics_operations" => AnswerItemKind::Cics,
            "business_rules" => AnswerItemKind::Rule,
            "error_handling" => AnswerItemKind::Error,
            "inputs" | "data_flow.reads_from" => AnswerItemKind::Read,
            "outputs" | "data_flow.writes_to" => AnswerItemKind::Write,
            _ => return,
        };
        let names = ["paragraph_name", "program_name", "copybook_name", "operation", "command", "name"];
        let name = names.iter().find_map(|name| self.item[name].as_str()).unwrap_or_default().to_owned();
        let citations = self.item["citations"].as_array().cloned().unwrap_or_default();
        let starts = citations.iter().filter_map(|citation| citation["start"].as_u64());
        let found = starts.clone().find_map(|start| {
            let end = start as usize;
            let seen = BlockItem { kind, name: name.clone(), detail: None, start: start as usize, end };
            listed_rows::of(listed, &seen).map(|row| (row, start))
        });
        let Some((row, at)) = found else { return };
        self.item["id"] = json!(row.id);
        for known in names.iter().chain(&["call_type", "table", "resource", "io_type", "copybook"]) {
            if self.item.get(known).is_some() {
                self.item[known] = Value::Null;
            }
        }
        if kind == AnswerItemKind::Rule {
            self.item["conditions"] = json!([]);
        }
        let beyond = citations.into_iter().filter(|citation| citation["start"].as_u64() != Some(at));
        self.item["citations"] = match kind {
            AnswerItemKind::Rule | AnswerItemKind::Error => beyond.collect(),
            _ => json!([]),
        };
    }
}

/// An answer of this schema that says nothing.
fn empty(schema: &Value) -> Value {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.map(|(name, shape)| (name.clone(), nothing(shape, schema))).collect::<Map<_, _>>().into()
}

fn nothing(shape: &Value, schema: &Value) -> Value {
    let shape = resolved(shape, schema);
    let is =
        |name: &str| shape["type"] == name || shape["type"].as_array().is_some_and(|all| all.contains(&json!(name)));
    match () {
        () if is("null") => Value::Null,
        () if is("array") => json!([]),
        () if is("object") => empty_of(shape, schema),
        () => json!(""),
    }
}

fn empty_of(shape: &Value, schema: &Value) -> Value {
    let fields = shape["properties"].as_object().into_iter().flatten();
    fields.map(|(name, inner)| (name.clone(), nothing(inner, schema))).collect::<Map<_, _>>().into()
}

fn resolved<'s>(shape: &'s Value, schema: &'s Value) -> &'s Value {
    let target = shape["$ref"].as_str().and_then(|path| schema.pointer(path.trim_start_matches('#')));
    target.unwrap_or(shape)
}

/// Adds the purpose that another reader saw in the same block.
fn join_purposes(purpose: &mut Value, other: Value) {
    if purpose.is_null() {
        *purpose = other;
        return;
    }
    for field in ["summary", "business_context"] {
        let texts = [&purpose[field], &other[field]].into_iter().filter_map(Value::as_str).collect::<Vec<_>>();
        purpose[field] = json!(texts.join(" "));
    }
    let more = other["citations"].as_array().cloned().unwrap_or_default();
    if let Value::Array(citations) = &mut purpose["citations"] {
        citations.extend(more);
    }
}

/// Adds an item to a list, cut to the list's schema.
fn push(list: &mut Value, item: Value, shape: &Value, schema: &Value) {
    let shape = &resolved(shape, schema)["items"];
    if let Value::Array(items) = list {
        items.push(cut(item, shape, schema));
    }
}

/// An item with the properties of its schema alone.
fn cut(mut item: Value, shape: &Value, schema: &Value) -> Value {
    let shape = resolved(shape, schema);
    let fields = shape["properties"].as_object().into_iter().flatten();
    let own = fields.map(|(name, inner)| {
        let value = item[name].take();
        (name.clone(), if value.is_null() { nothing(inner, schema) } else { value })
    });
    own.collect::<Map<_, _>>().into()
}
