//! Compares a document with the parser's facts, item by item.

use super::citations::{fault, joined, short};
use super::items::{label, lines_of, paired, place, text_of};
use super::names::{KnownNames, words};
use super::{FindingCollector, GroundTruth};
use crate::rule::Rule;
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use war_rig_template::{ITEM_KINDS, ItemKind, ItemOwner};
use war_rig_text::LineRange;

/// Lists other than item lists that the parser knows completely.
const PARSERS: [&str; 4] = ["programs", "control_flow", "data_dictionary", "copied_data"];

/// Returns who knows the complete contents of a document's list.
fn owner(list: &str) -> Option<ItemOwner> {
    let holds = |kind: &&&ItemKind| kind.lists.iter().any(|own| own.names().0 == list);
    match PARSERS.contains(&list) {
        true => Some(ItemOwner::Parser),
        false => ITEM_KINDS.iter().find(holds).map(|kind| kind.owner),
    }
}

/// Returns the fields of a document in which a model writes text.
fn asked_fields() -> BTreeSet<&'static str> {
    let asked = ITEM_KINDS.iter().filter(|kind| !kind.requested_fields.is_empty());
    asked.flat_map(|kind| kind.lists.iter().map(|list| list.names().0)).collect()
}

/// Fields that a model fills, and fields that depend on the writer.
const WORDS: [&str; 11] = [
    "summary", "details", "purpose", "description", "business_context", "main_line", "logic_summary", "action",
    "copybook", "origin", "confidence",
];

/// The comparison of one document with the parser's facts.
pub(super) struct FactComparison<'a, 'f> {
    truth: GroundTruth<'a>,
    /// The expected document, as JSON.
    expected: &'f Value,
    /// Whether the parser wrote every word.
    by_parser: bool,
    /// The failed lines, which another finding reports.
    failed: Vec<LineRange>,
    known: OnceCell<KnownNames>,
    findings: &'f mut FindingCollector<'a>,
}

/// The place of a difference.
#[derive(Clone, Copy)]
struct DifferencePosition<'a> {
    path: &'a str,
    lines: Option<LineRange>,
}

impl<'a, 'f> FactComparison<'a, 'f> {
    pub(super) fn new(
        truth: GroundTruth<'a>,
        expected: &'f Value,
        by_parser: bool,
        failed: Vec<LineRange>,
        findings: &'f mut FindingCollector<'a>,
    ) -> Self {
        Self { truth, expected, by_parser, failed, known: OnceCell::new(), findings }
    }

    fn known(&self) -> &KnownNames {
        self.known.get_or_init(|| KnownNames::of(self.truth, self.expected))
    }

    /// Compares the document with the expected one, both as JSON.
    pub(super) fn compare(&mut self, said: &Value) {
        let expected = self.expected;
        let nothing = Value::Null;
        let empty = Map::new();
        let fields = said.as_object().unwrap_or(&empty);
        for (field, value) in fields {
            let wanted = expected.get(field).unwrap_or(&nothing);
            let at = DifferencePosition { path: field, lines: None };
            match field.as_str() {
                // These are verified separately.
                "chunks" | "coverage" => {}
                "header" => self.parts(at, value, wanted, &HEADER),
                "calling_context" => self.parts(at, value, wanted, &OWN_CONTEXT),
                _ if self.by_parser => self.value(at, value, wanted),
                "purpose" | "data_flow" | "business_rules" | "error_handling" | "open_questions" => {}
                // Only models contradict each other, or claim things that the source does not contain.
                "conflicts" | "rejected" => {}
                _ => self.value(at, value, wanted),
            }
        }
        let left_out = expected.as_object().unwrap_or(&empty).iter();
        for (field, wanted) in left_out.filter(|(field, _)| !fields.contains_key(field.as_str())) {
            self.value(DifferencePosition { path: field, lines: None }, &nothing, wanted);
        }
        if !self.by_parser {
            for field in asked_fields() {
                if let Some(value) = said.get(field) {
                    self.words(field, value);
                }
            }
        }
    }

    /// Compares these fields of two objects.
    fn parts(&mut self, at: DifferencePosition<'_>, said: &Value, expected: &Value, fields: &[&str]) {
        for field in fields {
            let path = joined(at.path, field);
            let at = DifferencePosition { path: &path, ..at };
            let (said, expected) = (said.get(field), expected.get(field));
            self.value(at, said.unwrap_or(&Value::Null), expected.unwrap_or(&Value::Null));
        }
    }

    fn value(&mut self, at: DifferencePosition<'_>, said: &Value, expected: &Value) {
        if said == expected {
            return;
        }
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let holds_items = |value: &Value| value.as_array().is_some_and(|items| items.iter().any(Value::is_object));
        match (said, expected) {
            (Value::Object(_), Value::Object(_)) => self.object(at, said, expected),
            _ if holds_items(said) || holds_items(expected) => {
                self.list(at, &list(said), &list(expected));
            }
            (Value::Array(_), _) | (_, Value::Array(_)) => {
                self.names(at, &list(said), &list(expected));
            }
            _ => self.scalar(at, said, expected),
        }
    }

    /// Compares two objects field by field; compares a model's fields only if no model wrote them.
    fn object(&mut self, at: DifferencePosition<'_>, said: &Value, expected: &Value) {
        let (Some(fields), Some(wanted)) = (said.as_object(), expected.as_object()) else { return };
        let known = fields.keys().chain(wanted.keys().filter(|name| !fields.contains_key(name.as_str())));
        for name in known {
            if !self.by_parser && WORDS.contains(&name.as_str()) {
                continue;
            }
            let path = joined(at.path, name);
            let (said, expected) = (fields.get(name).unwrap_or(&Value::Null), wanted.get(name).unwrap_or(&Value::Null));
            match name.as_str() {
                "citations" => self.citations(at, said, expected),
                _ => self.value(DifferencePosition { path: &path, ..at }, said, expected),
            }
        }
    }

    /// Compares the citations of an item that the parser itself cites.
    fn citations(&mut self, at: DifferencePosition<'_>, said: &Value, expected: &Value) {
        if said == expected {
            return;
        }
        let (mut wanted, others) = (not_in(expected, said), not_in(said, expected));
        let is_failed = |citation: &Value| {
            let lines = lines_of(citation);
            lines.is_some_and(|lines| self.failed.iter().any(|failed| failed.intersection(lines).is_some()))
        };
        wanted.retain(|citation| !is_failed(citation));
        // The citations of the purpose depend on the chunks.
        if at.path == "purpose" && !others.is_empty() {
            let spans = |citation: &&Value| {
                let lines = lines_of(citation);
                let within = |whole: &Value| {
                    let same = |field: &str| whole.get(field) == citation.get(field);
                    let covers = lines_of(whole).zip(lines).is_some_and(|(whole, lines)| whole.covers(lines));
                    covers && same("file") && same("status")
                };
                wanted.iter().any(|whole| within(whole))
            };
            if others.iter().all(spans) {
                return;
            }
        }
        let places = |citations: &[&Value]| {
            let lines = citations.iter().take(3).filter_map(|citation| lines_of(citation));
            lines.map(|lines| lines.to_string()).collect::<Vec<_>>().join(", ")
        };
        for citation in &others {
            // Another check reports a citation that is invalid in itself.
            if fault(citation, self.truth.source).is_none() {
                let place = if wanted.is_empty() {
                    "the parser does not cite them for it".to_owned()
                } else {
                    format!("the parser has it otherwise, on {}", places(&wanted))
                };
                let cited = places(&[citation]);
                let message = format!("it cites lines {cited}, and {place}");
                self.findings.add(Rule::CitationUnsupported, at.path, lines_of(citation), message);
            }
        }
        if wanted.len() > others.len() {
            let lines = wanted.first().and_then(|citation| lines_of(citation));
            let message = format!("it does not cite lines {}, where the source has it", places(&wanted));
            self.findings.add(Rule::ClaimMissing, at.path, lines, message);
        }
    }

    /// Compares two lists of items. Items match by name and line, or at least by name.
    fn list(&mut self, at: DifferencePosition<'_>, said: &[Value], expected: &[Value]) {
        let list = at.path.rsplit('.').next().unwrap_or(at.path);
        let pairs = paired(said, expected);
        for (index, item) in said.iter().enumerate() {
            let path = joined(at.path, &label(item));
            match pairs[index] {
                Some(found) => {
                    let lines = place(&expected[found]).or_else(|| place(item)).or(at.lines);
                    self.value(DifferencePosition { path: &path, lines }, item, &expected[found]);
                }
                None => self.too_many(DifferencePosition { path: &path, lines: place(item).or(at.lines) }, list, item),
            }
        }
        let mut is_there = vec![false; expected.len()];
        pairs.iter().flatten().for_each(|index| is_there[*index] = true);
        for (item, _) in expected.iter().zip(is_there).filter(|(_, is_there)| !is_there) {
            let path = joined(at.path, &label(item));
            let message = format!("the document leaves out `{}`, which the source has", short(&label(item)));
            self.findings.add(Rule::ClaimMissing, &path, place(item).or(at.lines), message);
        }
        if self.by_parser && !pairs.iter().flatten().is_sorted() {
            self.findings.add(
                Rule::StaleDocument,
                at.path,
                at.lines,
                "its items are in another order than in the source",
            );
        }
    }

    /// Reports an item that the parser does not have.
    fn too_many(&mut self, at: DifferencePosition<'_>, list: &str, item: &Value) {
        let name = label(item);
        let known = self.known();
        let shown = short(&name);
        let message = if !known.has(&name) {
            format!("the source has no `{shown}`")
        } else if self.by_parser || owner(list) == Some(ItemOwner::Parser) {
            format!("the source has no such item as `{shown}` there, or not as often")
        } else if owner(list) == Some(ItemOwner::Both) {
            return;
        } else {
            format!("the parser says nothing of `{shown}`")
        };
        self.findings.add(Rule::ClaimUnknownName, at.path, at.lines, message);
    }

    /// Compares two lists of names.
    fn names(&mut self, at: DifferencePosition<'_>, said: &[Value], expected: &[Value]) {
        let before = self.findings.others.len();
        for name in said.iter().filter(|name| !expected.contains(name)) {
            let text = text_of(name);
            let message = match self.known().has(&text) {
                false => format!("the source has no `{}`", short(&text)),
                true => format!("the parser does not have `{}` here", short(&text)),
            };
            self.findings.add(Rule::ClaimUnknownName, at.path, at.lines, message);
        }
        for name in expected.iter().filter(|name| !said.contains(name)) {
            let message = format!("the document leaves out `{}`, which the source has", short(&text_of(name)));
            self.findings.add(Rule::ClaimMissing, at.path, at.lines, message);
        }
        if self.findings.others.len() == before {
            self.findings.add(
                Rule::StaleDocument,
                at.path,
                at.lines,
                "it names the same as the parser, but not in that order",
            );
        }
    }

    fn scalar(&mut self, at: DifferencePosition<'_>, said: &Value, expected: &Value) {
        let (text, wanted) = (text_of(said), text_of(expected));
        if let Some(name) = self.known().new_in(&text, &wanted) {
            let message = format!("the source has no `{name}`");
            return self.findings.add(Rule::ClaimUnknownName, at.path, at.lines, message);
        }
        let lost =
            words(&wanted).find(|word| word.len() > 3 && is_upper(word) && !words(&text).any(|own| own == *word));
        match lost.filter(|_| said.is_null() || text.is_empty()) {
            Some(name) => {
                let message = format!("the document leaves out `{name}`, which the source has");
                self.findings.add(Rule::ClaimMissing, at.path, at.lines, message);
            }
            None => {
                let (text, wanted) = (short(&text), short(&wanted));
                let message = format!("the document says `{text}` where the source now gives `{wanted}`");
                self.findings.add(Rule::StaleDocument, at.path, at.lines, message);
            }
        }
    }

    /// Searches a model's text for names that the source does not contain.
    fn words(&mut self, path: &str, value: &Value) {
        match value {
            Value::Array(items) => {
                for item in items {
                    let path = if item.is_object() { joined(path, &label(item)) } else { path.to_owned() };
                    self.words(&path, item);
                }
            }
            Value::Object(fields) => {
                // The parser's text in a model's document is compared as the parser's.
                if fields.get("origin").and_then(Value::as_str) == Some("parser") {
                    return;
                }
                let lines = place(value);
                for (name, value) in fields {
                    match value {
                        Value::String(text) if name != "quote" => {
                            if let Some(unknown) = self.known().unknown_in(text) {
                                let message = format!("its words name `{unknown}`, and the source has no such name");
                                self.findings.add(Rule::ClaimUnknownName, &joined(path, name), lines, message);
                            }
                        }
                        Value::Array(_) if name != "citations" => self.words(&joined(path, name), value),
                        _ => {}
                    }
                }
            }
            Value::String(text) => {
                if let Some(unknown) = self.known().unknown_in(text) {
                    let message = format!("its words name `{unknown}`, and the source has no such name");
                    self.findings.add(Rule::ClaimUnknownName, path, None, message);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The fields of the header that depend on the source.
const HEADER: [&str; 5] = ["program_id", "file_name", "file_type", "format", "encoding"];

/// The fields of the calling context that come from the source itself.
const OWN_CONTEXT: [&str; 2] = ["entry_points", "linkage_section"];

fn is_upper(word: &str) -> bool {
    word.chars().any(char::is_alphabetic) && !word.chars().any(char::is_lowercase)
}

/// Returns the citations that only one list has. An item may have thousands.
fn not_in<'v>(list: &'v Value, other: &Value) -> Vec<&'v Value> {
    let all = other.as_array().into_iter().flatten();
    let known: HashSet<String> = all.map(Value::to_string).collect();
    let list = list.as_array().into_iter().flatten();
    list.filter(|citation| !known.contains(&citation.to_string())).collect()
}
