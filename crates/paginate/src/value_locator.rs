//! Where the values of an answer stand in the part that they were found in.
//!
//! Nobody is asked: a value stands where its words do. Of an item of several fields the one is most telling whose words stand in the part just once, the longest of
//! those; the item begins there, or with what stands once a little before. Else it stands where its first field does that stands there at all: of words that stand in
//! several places, somewhere from the first to the last. What stands nowhere word for word has the place of the whole part, and says so.

use crate::input::InputContent;
use crate::location::{TextFinder, TextMatch, place_of_all};
use crate::merge::{InputLocation, ValueLocator, ValueOrigin};
use crate::slice::Slice;
use serde_json::Value;

/// Shorter words than this say nothing of a place, in characters.
const SHORTEST: usize = 3;

/// How many fields of an item are looked for.
const FIELDS: usize = 24;

/// How far before its most telling words an item may begin, in bytes: a few lines.
const NEAR: usize = 400;

/// Finds values in a part.
pub(crate) struct Locator {
    finder: TextFinder,
    whole: InputLocation,
    part: u64,
}

impl Locator {
    /// For values of the answer about this slice; `part` is what their origins name.
    pub(crate) fn new(slice: &Slice, content: InputContent, part: u64) -> Self {
        Self { finder: TextFinder::new(slice, content), whole: place_of_all(slice, content), part }
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
            let near = once()
                .filter(|(_, sighting)| (telling.saturating_sub(NEAR)..=telling).contains(&sighting.at));
            near.min_by_key(|(_, sighting)| sighting.at)
        });
        match begins.or(own().next()).or(seen.first()) {
            Some((_, TextMatch { place, in_overlap, .. })) => {
                ValueOrigin { part: self.part, place: place.clone(), located: true, in_overlap: *in_overlap }
            }
            None => {
                ValueOrigin { part: self.part, place: self.whole.clone(), located: false, in_overlap: false }
            }
        }
    }
}

/// The scalars of a value that can be looked for, in order.
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
    use crate::slice::UnitStart;
    use serde_json::json;
    use war_rig_estimator::TokenCount;

    fn slice() -> Slice {
        let text = "See PBI-2 below.\n2 open points.\nPBI-1: the limit is\n  checked twice\nPBI-2: the fee\n";
        let second = text.find("PBI-1:").unwrap();
        Slice {
            kind: crate::slice::SliceKind::Pages,
            header: String::new(),
            overlap: "PBI-0: nothing\nA sentence that\n".to_owned(),
            text: text.to_owned(),
            lines: 10..=14,
            marks: vec![UnitStart { at: 0, number: 5 }, UnitStart { at: second, number: 6 }],
            overlap_marks: vec![UnitStart { at: 0, number: 4 }],
            tokens: TokenCount::ZERO,
        }
    }

    fn check(value: Value, page: (u64, u64), located: bool, in_overlap: bool) {
        let origin = Locator::new(&slice(), InputContent::Pages, 3).origin(&value);
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
