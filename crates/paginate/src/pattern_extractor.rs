//! Extraction without a model: matches of an agent's `x-pattern`s.

use crate::agent::{Agent, FieldPattern};
use crate::extractor::{ExtractError, ExtractedAnswer, Extractor};
use crate::input::InputContent;
use crate::json_pointer;
use crate::merge::InputLocation;
use crate::part_text::PartText;
use crate::record_values::{self, with_line_ends};
use crate::schema::{AnswerSchema, field, resolved, types_of};
use crate::slice::Slice;
use regex::Captures;
use serde_json::{Map, Number, Value};
use std::ops::Range;
use war_rig_llm::{BudgetedPrompt, UsageTotals};

/// The name of pattern extraction in results.
const NAME: &str = "static";

/// The maximum notes on one part.
const MOST_NOTES: usize = 100;

/// Answers with the matches of an agent's patterns. It does not read prompts, and adds nothing to the bill.
#[derive(Debug, Clone)]
pub struct PatternExtractor {
    agent: Agent,
    empty: Value,
}

impl PatternExtractor {
    /// Creates an extractor from an agent's patterns; without patterns it finds nothing.
    pub fn new(agent: &Agent) -> Self {
        Self { agent: agent.clone(), empty: AnswerSchema::for_agent(agent).empty() }
    }

    /// Returns the matches that end in a part's own text. Matches that end in the overlap belong to the part before.
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

/// A list of the answer and its matches.
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
            lists.push(ListMatches { path, patterns: vec![pattern], items, found: Vec::new(), places: Vec::new() });
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
        let pointers = (0..).map(|index| json_pointer::at(path, index));
        extracted.places.extend(pointers.zip(places));
        put(&mut extracted.value, path, found);
    }
    extracted
}

/// Calls `see` with each text that patterns are matched against separately, the start of the part's own text in it, and a locator of its bytes.
fn each_text(part: &Slice, mut see: impl FnMut(&str, usize, &mut dyn FnMut(usize) -> InputLocation)) {
    if part.kind == InputContent::Records {
        return record_values::each(part, |text, place| see(text, 0, place));
    }
    let (stretch, own) = PartText::from_slice(part);
    let (mut line, mut counted) = (stretch.line(), 0);
    see(&with_line_ends(stretch.text()), own, &mut |at| {
        // Each list starts over.
        if at < counted {
            (line, counted) = (stretch.line(), 0);
        }
        line += stretch.lines_between(counted, at);
        counted = at;
        stretch.location(at, line)
    });
}

/// Returns the matches that end after `own`, in order, with the start of their words. The first of two patterns wins at a position.
fn matches<'t>(patterns: &[&FieldPattern], text: &'t str, own: usize) -> Vec<(usize, Captures<'t>)> {
    let mut all: Vec<(Range<usize>, Captures<'t>)> = Vec::new();
    for one in patterns {
        let captures = one.pattern.captures_iter(text);
        all.extend(captures.filter_map(|captures| Some((captures.get(0)?.range(), captures))));
    }
    // Stable: at the same position, the first pattern's match comes first.
    all.sort_by_key(|(range, _)| range.start);
    all.dedup_by_key(|(range, _)| range.start);
    let own = all.into_iter().filter(|(range, _)| range.end > own);
    // A match that begins with the previous line end starts where its words do.
    let begins = |range: &Range<usize>| range.end - text[range.clone()].trim_start().len();
    own.map(|(range, captures)| (begins(&range), captures)).collect()
}

/// Builds a list item from a match, or returns the name of a required field that the match lacks.
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
        // A named group may not participate in this match.
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

/// Converts a text to a value of one of these types; to a string if there are none.
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

/// Returns the schema of a list of the answer.
fn schema_at<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    json_pointer::steps(path)
        .try_fold(resolved(root, root), |schema, name| field(schema, &name).map(|schema| resolved(root, schema)))
}

/// Inserts a list into an answer, with the objects around it. Skips an empty list: a required one is there already.
fn put(answer: &mut Value, path: &str, list: Vec<Value>) {
    if list.is_empty() {
        return;
    }
    let mut value = answer;
    for name in json_pointer::steps(path) {
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        let Value::Object(fields) = value else { return };
        value = fields.entry(name).or_insert(Value::Null);
    }
    *value = Value::Array(list);
}

#[cfg(test)]
mod tests;
