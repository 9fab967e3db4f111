//! Locating the values of an answer in their part.
//!
//! No model is involved: a value is located by its words. For an item with several fields, the most significant is the longest that occurs only once
//! in the part; the item begins there, or at a field that occurs once shortly before. Otherwise its location is that of its first field that occurs,
//! for repeated words from the first to the last. A value that occurs nowhere verbatim is marked so, with the location of the whole part.

use crate::location::{TextFinder, TextMatch, place_of_all};
use crate::merge::{InputLocation, ValueLocator, ValueOrigin};
use crate::slice::Slice;
use serde_json::Value;

/// Shorter words do not identify a location, in characters.
const SHORTEST: usize = 3;

/// The maximum number of fields of an item that are searched for.
const FIELDS: usize = 24;

/// How far before its most significant field an item may begin, in bytes: a few lines.
const NEAR: usize = 400;

/// Locates values in a part.
pub(crate) struct Locator {
    finder: TextFinder,
    whole: InputLocation,
    part: u64,
}

impl Locator {
    /// Creates a locator for the answer about this slice; `part` is the part number in its origins.
    pub(crate) fn new(slice: &Slice, part: u64) -> Self {
        Self { finder: TextFinder::new(slice), whole: place_of_all(slice), part }
    }
}

impl ValueLocator for Locator {
    fn origin(&self, value: &Value) -> ValueOrigin {
        let seen: Vec<(usize, TextMatch)> = leaves(value)
            .into_iter()
            .filter_map(|words| self.finder.find(&words).map(|sighting| (words.len(), sighting)))
            .collect();
        let own = || seen.iter().filter(|(_, sighting)| !sighting.in_overlap);
        let once = || own().filter(|(_, sighting)| sighting.is_once);
        let most_telling = once().rev().max_by_key(|(length, _)| *length).map(|(_, sighting)| sighting.at);
        let begins = most_telling.and_then(|telling| {
            let near = once().filter(|(_, sighting)| (telling.saturating_sub(NEAR)..=telling).contains(&sighting.at));
            near.min_by_key(|(_, sighting)| sighting.at)
        });
        match begins.or(own().next()).or(seen.first()) {
            Some((_, TextMatch { place, in_overlap, .. })) => {
                ValueOrigin { part: self.part, place: place.clone(), located: true, in_overlap: *in_overlap }
            }
            None => ValueOrigin { part: self.part, place: self.whole.clone(), located: false, in_overlap: false },
        }
    }
}

/// Returns the scalars of a value that can be searched for, in order.
fn leaves(value: &Value) -> Vec<String> {
    let mut leaves = Vec::new();
    let mut rest = vec![value];
    while let Some(value) = rest.pop().filter(|_| leaves.len() < FIELDS) {
        let text = match value {
            Value::Array(items) => {
                rest.extend(items.iter().rev());
                continue;
            }
            Value::Object(fields) => {
                rest.extend(fields.values().rev());
                continue;
            }
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) => continue,
        };
        if text.trim().chars().count() >= SHORTEST {
            leaves.push(text);
        }
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::pages;
    use serde_json::json;

    fn slice() -> Slice {
        let text = ["See PBI-2 below.\n2 open points.\n", "PBI-1: the limit is\n  checked twice\nPBI-2: the fee\n"];
        Slice { lines: 10..=14, ..pages("PBI-0: nothing\nA sentence that\n", &text, 5) }
    }

    fn check(value: Value, page: (u64, u64), located: bool, in_overlap: bool) {
        let origin = Locator::new(&slice(), 3).origin(&value);
        let place = InputLocation { pages: Some(page), ..InputLocation::default() };
        assert_eq!(origin, ValueOrigin { part: 3, place, located, in_overlap }, "{value}");
    }

    #[test]
    fn an_item_stands_where_its_most_telling_words_do() {
        check(json!({ "id": "PBI-2", "text": "the fee" }), (6, 6), true, false);
        check(json!({ "id": "PBI-2", "text": "something else" }), (5, 6), true, false);
        check(json!({ "id": "PBI-1", "text": "the limit is checked twice" }), (6, 6), true, false);
        check(json!({ "text": "the limit is checked twice", "see": "2 open points." }), (5, 5), true, false);
        check(json!("PBI-9"), (5, 6), false, false);
        check(json!({ "count": 2 }), (5, 6), false, false);
        check(json!("PBI-0: nothing"), (4, 4), true, true);
        check(json!("A sentence that See PBI-2 below."), (4, 4), true, false);
    }
}
