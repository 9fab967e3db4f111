//! Documents as a reader of their JSON sees them.

use super::Miss;
use crate::fake::{AnswerItemKind, INVENTED_COPYBOOK, INVENTED_PARAGRAPH, INVENTED_PROGRAM, Nonce};
use crate::{files_below, json_file};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::Path;

/// The documents of a run by the names of their sources, and where in them nonces stand.
pub(super) struct RunDocuments {
    by_file: BTreeMap<String, Value>,
    hits: HashMap<String, Vec<NonceHit>>,
}

/// A place where a nonce stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NonceHit {
    pub(super) file: String,
    /// The list it stands in, if that is one of a Scribe's lists.
    pub(super) kind: Option<AnswerItemKind>,
    /// The item, as a JSON pointer.
    pub(super) item: String,
    /// Whether it stands in what a conflict has dropped.
    pub(super) dropped: bool,
}

impl fmt::Display for NonceHit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", self.file, self.item)
    }
}

impl RunDocuments {
    /// Reads all documents below a folder.
    pub(super) fn read(out: &Path) -> Self {
        let names = files_below(out).into_keys().filter(|name| name.ends_with(".json"));
        let documents: Vec<Value> =
            names.map(|name| json_file(&out.join(name))).filter(|json| json["header"].is_object()).collect();
        Self::of(documents)
    }

    pub(super) fn of(documents: Vec<Value>) -> Self {
        let mut read = Self { by_file: BTreeMap::new(), hits: HashMap::new() };
        for document in documents {
            let file = document["header"]["file_name"].as_str().unwrap_or_default().to_owned();
            let mut found = Vec::new();
            nonces(&document, &mut Vec::new(), &mut found);
            for (nonce, path) in found {
                // What a conflict has kept stands in its item as well.
                if !matches!(path.as_slice(), [first, .., last] if first == "conflicts" && last != "dropped") {
                    read.hits.entry(nonce).or_default().push(NonceHit::at(&file, &path));
                }
            }
            read.by_file.insert(file, document);
        }
        read
    }

    /// Where a nonce stands.
    pub(super) fn hits(&self, nonce: &str) -> &[NonceHit] {
        self.hits.get(nonce).map(Vec::as_slice).unwrap_or_default()
    }

    /// Why a document does not have a fact; none when it has. An item that stands for one fact is taken, and stands for no other.
    pub(super) fn fact_missed(
        &self,
        file: &str,
        kind: AnswerItemKind,
        name: &str,
        line: u64,
        taken: &mut HashSet<(AnswerItemKind, usize, u64)>,
    ) -> Option<String> {
        let Some(document) = self.by_file.get(file) else { return Some("there is no document".to_owned()) };
        let mut found = None;
        for (index, item) in items(document, kind).iter().enumerate() {
            let same_name = item_name(item, kind).eq_ignore_ascii_case(name);
            let there = cites(item, line).next();
            match there {
                Some("verified") if same_name && taken.insert((kind, index, line)) => return None,
                Some(status) if same_name => found = Some(format!("its citation is {status}")),
                _ => {}
            }
        }
        Some(found.unwrap_or_else(|| "no item has that name on that line".to_owned()))
    }

    /// Why an item is not the right one for a nonce that stands in it; none when it is.
    pub(super) fn item_missed(&self, hit: &NonceHit, line: u64) -> Option<String> {
        let item = self.by_file.get(&hit.file)?.pointer(&hit.item)?;
        let lines: Vec<String> = item["citations"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|cited| format!("{}-{} {}", cited["start_line"], cited["end_line"], cited["status"]))
            .collect();
        match cites(item, line).next() {
            None => Some(format!("{hit} cites {}", lines.join(", "))),
            Some("verified") => {
                let stands_alone = hit.kind.is_some_and(AnswerItemKind::is_framed) && item["origin"] != "both";
                stands_alone.then(|| format!("{hit} is no item of the parser"))
            }
            Some(status) => Some(format!("{hit} cites that line, and that is {status}")),
        }
    }

    /// The lines under which an item is shown as verified though none of them is its own; none when its own is among them.
    pub(super) fn falsehood(&self, hit: &NonceHit, line: u64) -> Option<String> {
        let item = self.by_file.get(&hit.file)?.pointer(&hit.item)?;
        let verified: Vec<u64> = item["citations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|cited| cited["status"] == "verified")
            .filter_map(|cited| cited["start_line"].as_u64())
            .collect();
        (!verified.is_empty() && !verified.contains(&line))
            .then(|| format!("{hit} is shown as verified at {verified:?}"))
    }

    /// What a fake invents and a document shows as verified.
    pub(super) fn invented(&self) -> Vec<Miss> {
        let invented = [
            (AnswerItemKind::Paragraph, INVENTED_PARAGRAPH),
            (AnswerItemKind::Call, INVENTED_PROGRAM),
            (AnswerItemKind::Copy, INVENTED_COPYBOOK),
        ];
        let mut shown = Vec::new();
        for (file, document) in &self.by_file {
            for (kind, name) in invented {
                let named = items(document, kind).iter().filter(|item| item_name(item, kind) == name);
                for cited in named.flat_map(|item| item["citations"].as_array().into_iter().flatten()) {
                    if cited["status"] == "verified" {
                        let line = cited["start_line"].as_u64().unwrap_or_default();
                        let what = format!("{kind} `{name}`");
                        let why = "it is invented, and shown as verified".to_owned();
                        shown.push(Miss { file: file.clone(), line, what, why });
                    }
                }
            }
        }
        shown
    }

    /// Why a text may not have been dropped. One copybook that is copied twice is one item, which cites both lines and can
    /// keep one text; no other text may be dropped.
    pub(super) fn dropped_missed(&self, nonce: &Nonce, line: u64) -> Option<String> {
        let copied = nonce.kind == AnswerItemKind::Copy;
        let kept =
            self.by_file.get(&nonce.file).into_iter().flat_map(|document| items(document, nonce.kind)).any(|item| {
                item_name(item, nonce.kind).eq_ignore_ascii_case(&nonce.name)
                    && cites(item, line).any(|status| status == "verified")
            });
        (!(copied && kept)).then(|| "dropped in a conflict".to_owned())
    }
}

impl NonceHit {
    fn at(file: &str, path: &[String]) -> Self {
        let pointer = |parts: &[String]| parts.iter().map(|part| format!("/{part}")).collect::<String>();
        let whole = pointer(path);
        let kind = AnswerItemKind::ALL
            .into_iter()
            .find(|kind| whole.strip_prefix(kind.pointer()).is_some_and(|rest| rest.starts_with('/')));
        let depth = kind.map_or(path.len(), |kind| kind.pointer().matches('/').count() + 1);
        let dropped = path.first().is_some_and(|first| first == "conflicts");
        Self { file: file.to_owned(), kind, item: pointer(&path[..depth.min(path.len())]), dropped }
    }
}

fn items(document: &Value, kind: AnswerItemKind) -> &[Value] {
    document.pointer(kind.pointer()).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn item_name(item: &Value, kind: AnswerItemKind) -> &str {
    let key = match kind {
        AnswerItemKind::Paragraph => "paragraph_name",
        AnswerItemKind::Call => "program_name",
        AnswerItemKind::Copy => "copybook_name",
        AnswerItemKind::Sql => "operation",
        AnswerItemKind::Cics => "command",
        AnswerItemKind::Rule => "description",
        AnswerItemKind::Error => "condition",
        AnswerItemKind::Read | AnswerItemKind::Write | AnswerItemKind::Transform => "name",
    };
    item[key].as_str().unwrap_or_default()
}

/// The statuses of an item's citations that begin on a line.
fn cites(item: &Value, line: u64) -> impl Iterator<Item = &str> {
    let citations = item["citations"].as_array().into_iter().flatten();
    citations.filter(move |cited| cited["start_line"] == line).filter_map(|cited| cited["status"].as_str())
}

/// The words of a value that are nonces, each with its path.
fn nonces(value: &Value, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    let mut step = |name: String, value: &Value| {
        path.push(name);
        nonces(value, path, found);
        path.pop();
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, field)| step(name.clone(), field)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| step(index.to_string(), item)),
        Value::String(text) => {
            let words = text.split_whitespace().filter(|word| word.starts_with("n_") && word.ends_with('#'));
            found.extend(words.map(|word| (word.to_owned(), path.clone())));
        }
        _ => {}
    }
}
