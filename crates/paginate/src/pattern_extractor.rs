//! Answers without a model: what the `x-pattern`s of an agent find.

use crate::agent::{Agent, FieldPattern};
use crate::extractor::{ExtractError, ExtractedAnswer, Extractor};
use crate::input::InputContent;
use crate::merge::InputLocation;
use crate::part_text::PartText;
use crate::record_values::{self, with_line_ends};
use crate::schema::{AnswerSchema, field, resolved, types_of};
use crate::slice::{Slice, SliceKind};
use regex::Captures;
use serde_json::{Map, Number, Value};
use std::ops::Range;
use war_rig_llm::{BudgetedPrompt, UsageTotals};

/// What the patterns of an agent are called where results say who answered.
const NAME: &str = "static";

/// The most notes on one part.
const MOST_NOTES: usize = 100;

/// Answers with what the patterns of an agent find. Nothing is read from prompts, and nothing is put on a bill.
#[derive(Debug, Clone)]
pub struct PatternExtractor {
    agent: Agent,
    empty: Value,
}

impl PatternExtractor {
    /// The patterns of an agent; one that has none finds nothing.
    pub fn new(agent: &Agent) -> Self {
        Self { agent: agent.clone(), empty: AnswerSchema::for_agent(agent).empty() }
    }

    /// What the patterns find in a part: what ends in its own text. What ends in the overlap belongs to the part before.
    pub fn extract_matches(&self, part: &Slice) -> ExtractedAnswer {
        extracted(&self.agent, self.empty.clone(), part)
    }
}

impl Extractor for PatternExtractor {
    fn produced_by(&self) -> &str {
        NAME
    }

    async fn extract(
        &self,
        _prompt: &BudgetedPrompt,
        part: &Slice,
        _bill: &mut UsageTotals,
    ) -> Result<ExtractedAnswer, ExtractError> {
        Ok(self.extract_matches(part))
    }

    async fn summarize(
        &self,
        _prompt: &BudgetedPrompt,
        _bill: &mut UsageTotals,
    ) -> Result<Option<String>, ExtractError> {
        Ok(None)
    }
}

/// A list of the answer, and what was found for it.
struct ListMatches<'a> {
    path: &'a str,
    patterns: Vec<&'a FieldPattern>,
    items: &'a Value,
    found: Vec<Value>,
    places: Vec<InputLocation>,
}

fn extracted(agent: &Agent, empty: Value, part: &Slice) -> ExtractedAnswer {
    let mut extracted = ExtractedAnswer { value: empty, ..ExtractedAnswer::default() };
    let mut lists: Vec<ListMatches<'_>> = Vec::new();
    for pattern in &agent.patterns {
        let path = pattern.path.as_str();
        if let Some(list) = lists.iter_mut().find(|list| list.path == path) {
            list.patterns.push(pattern);
        } else if let Some(items) = schema_at(&agent.schema, path).and_then(|list| list.get("items")) {
            let items = resolved(&agent.schema, items);
            lists.push(ListMatches {
                path,
                patterns: vec![pattern],
                items,
                found: Vec::new(),
                places: Vec::new(),
            });
        }
    }
    each_text(part, |text, own, place| {
        for list in &mut lists {
            for (at, captures) in matches(&list.patterns, text, own) {
                match item(&agent.schema, list.items, &captures) {
                    Ok(item) => {
                        list.found.push(item);
                        list.places.push(place(at));
                    }
                    Err(name) if extracted.dropped.len() < MOST_NOTES => {
                        extracted.dropped.push(format!("{}: a match without `{name}`", list.path));
                    }
                    Err(_) => {}
                }
            }
        }
    });
    for ListMatches { path, found, places, .. } in lists {
        let pointers = (0..).map(|index: usize| format!("{path}/{index}"));
        extracted.places.extend(pointers.zip(places));
        put(&mut extracted.value, path, found);
    }
    extracted
}

/// Shows each text that patterns are matched against by itself, with where the part's own begins in it and what says where a byte of it stands.
fn each_text(part: &Slice, mut see: impl FnMut(&str, usize, &mut dyn FnMut(usize) -> InputLocation)) {
    let content = content_of(part);
    if content == InputContent::Records {
        return record_values::each(part, |text, place| see(text, 0, place));
    }
    let (stretch, own) = PartText::from_slice(part, content);
    let (mut line, mut counted) = (stretch.line(), 0);
    see(&with_line_ends(stretch.text()), own, &mut |at| {
        // Each list begins anew.
        if at < counted {
            (line, counted) = (stretch.line(), 0);
        }
        line += stretch.lines_between(counted, at);
        counted = at;
        stretch.location(at, line)
    });
}

/// What a part consists of.
fn content_of(part: &Slice) -> InputContent {
    match part.kind {
        SliceKind::Text => InputContent::Text,
        SliceKind::Records => InputContent::Records,
        SliceKind::Pages => InputContent::Pages,
    }
}

/// The matches that end behind `own`, in their order, with where their words begin. Where two patterns match from the same place, the match of the first pattern stands.
fn matches<'t>(patterns: &[&FieldPattern], text: &'t str, own: usize) -> Vec<(usize, Captures<'t>)> {
    let mut all: Vec<(Range<usize>, Captures<'t>)> = Vec::new();
    for one in patterns {
        let captures = one.pattern.captures_iter(text);
        all.extend(captures.filter_map(|captures| Some((captures.get(0)?.range(), captures))));
    }
    // Stable: of those that begin at the same place, the first pattern's comes first.
    all.sort_by_key(|(range, _)| range.start);
    all.dedup_by_key(|(range, _)| range.start);
    let own = all.into_iter().filter(|(range, _)| range.end > own);
    // A match that begins with the end of the line before stands where its words do.
    let begins = |range: &Range<usize>| range.end - text[range.clone()].trim_start().len();
    own.map(|(range, captures)| (begins(&range), captures)).collect()
}

/// An item of a list from a match, or the name of a field that it must have and the match has not.
fn item<'a>(root: &'a Value, items: &'a Value, captures: &Captures<'_>) -> Result<Value, &'a str> {
    let Some(properties) = items.get("properties").and_then(Value::as_object) else {
        let text = captures.get(1).or(captures.get(0)).map_or("", |text| text.as_str());
        return typed(&types_of(items), text.trim()).ok_or("a value");
    };
    let required: Vec<&str> = items
        .get("required")
        .and_then(Value::as_array)
        .map_or(Vec::new(), |names| names.iter().filter_map(Value::as_str).collect());
    let mut fields = Map::new();
    for (name, property) in properties {
        let types = types_of(resolved(root, property));
        // A name may stand for a group alone that takes no part in this match.
        let text = captures.name(name).map(|text| text.as_str().trim()).filter(|text| !text.is_empty());
        let value = match text.and_then(|text| typed(&types, text)) {
            Some(value) => value,
            None if !required.contains(&name.as_str()) => continue,
            None if types.contains(&"null") => Value::Null,
            None if types.contains(&"array") => Value::Array(Vec::new()),
            None => return Err(name),
        };
        fields.insert(name.clone(), value);
    }
    Ok(Value::Object(fields))
}

/// A text as a value of one of these types; texts where there are none.
fn typed(types: &[&str], text: &str) -> Option<Value> {
    if types.is_empty() || types.contains(&"string") {
        return Some(Value::String(text.to_owned()));
    }
    let plain = text.replace([',', '_', ' '], "");
    let whole = || plain.parse::<i64>().ok().map(Value::from);
    let decimal = || plain.parse().ok().and_then(Number::from_f64).map(Value::Number);
    if types.contains(&"integer") {
        return whole();
    }
    if types.contains(&"number") {
        return whole().or_else(decimal);
    }
    None
}

/// The schema of a list of the answer.
fn schema_at<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('/').skip(1).try_fold(resolved(root, root), |schema, part| {
        field(schema, &name_of(part)).map(|schema| resolved(root, schema))
    })
}

/// Puts a list into an answer, with the objects around it. An empty one is put where it is required, which it is already.
fn put(answer: &mut Value, path: &str, list: Vec<Value>) {
    if list.is_empty() {
        return;
    }
    let mut value = answer;
    for part in path.split('/').skip(1) {
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        let Value::Object(fields) = value else { return };
        value = fields.entry(name_of(part)).or_insert(Value::Null);
    }
    *value = Value::Array(list);
}

fn name_of(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests;
