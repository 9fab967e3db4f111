//! A part cut elsewhere: it is processed here alone, and its answer is merged with the others later, perhaps elsewhere.

use crate::input::{Input, InputContent, InputError};
use crate::location::line_ends;
use crate::merge::{GatheredAnswers, PartAnswer};
use crate::slice::{InputUnit, Slice, UnitStart};
use crate::value_locator::Locator;
use serde_json::Value;
use std::ops::RangeInclusive;
use war_rig_estimator::TokenCount;

/// A part that was cut from an input elsewhere.
///
/// Its [`Input`] contains the text that it owns. Prompts show its number and overlap as they do for our own parts. Lines are counted from the
/// beginning of the overlap, records from the first one of the part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalPart {
    /// The number of the part, one-based.
    pub number: u64,
    /// The total number of parts.
    pub total: u64,
    /// The end of the part before, as context; empty if there is none.
    pub overlap: String,
}

impl ExternalPart {
    /// Returns the slice of this part as it is shown.
    pub(crate) fn shown(&self, slice: Slice) -> Slice {
        let lines = self.lines(&slice.lines);
        Slice { overlap: self.overlap.clone(), lines, ..slice }
    }

    /// Shifts lines by those of the overlap.
    fn lines(&self, lines: &RangeInclusive<u64>) -> RangeInclusive<u64> {
        let before = line_ends(&self.overlap);
        lines.start() + before..=lines.end() + before
    }
}

/// Prepares the answer to an external part for the merge with the others. Reads the input to its end, to locate values in its own text or in the
/// overlap.
///
/// # Errors
/// [`InputError`] if the input cannot be read.
pub fn gather_part(part: &ExternalPart, input: Input, answer: Value) -> Result<GatheredAnswers, InputError> {
    let slice = part.shown(whole(input)?);
    let answer = PartAnswer { number: part.number, weight: weight(&slice), value: answer };
    Ok(GatheredAnswers::from_answer(answer, &Locator::new(&slice, part.number)))
}

/// Returns the weight of the answer about a slice in a mean.
pub(crate) fn weight(slice: &Slice) -> u64 {
    let weight = match slice.kind {
        InputContent::Text => slice.text.chars().count(),
        InputContent::Records | InputContent::Pages => slice.marks.len(),
    };
    weight as u64
}

/// Returns the whole input as one uncounted slice.
fn whole(input: Input) -> Result<Slice, InputError> {
    let kind = input.content();
    let (mut text, mut marks) = (String::new(), Vec::new());
    for unit in input.units() {
        match unit? {
            InputUnit::Text(more) | InputUnit::Header(more) => text.push_str(&more),
            InputUnit::Record { number, text: more } | InputUnit::Page { number, text: more } => {
                marks.push(UnitStart { at: text.len(), number });
                text.push_str(&more);
            }
            // These were in no prompt.
            InputUnit::OversizedRecord { .. } | InputUnit::UnreadablePage { .. } => {}
        }
    }
    Ok(Slice {
        kind,
        header: String::new(),
        overlap: String::new(),
        lines: 1..=1 + line_ends(&text),
        text,
        marks,
        overlap_marks: Vec::new(),
        tokens: TokenCount::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputKind;
    use crate::merge::{MergeRules, MergeStrategy};
    use serde_json::json;
    use std::io::Cursor;

    fn rules() -> MergeRules {
        let schema = json!({"type": "object", "properties": {
            "ids": {"type": "array", "items": {"type": "string"}},
            "mean": {"type": "number", "x-merge": "mean"},
        }});
        MergeRules::of(&schema, MergeStrategy::Merge).unwrap()
    }

    fn answer(part: ExternalPart, text: &str, kind: InputKind, answer: Value) -> GatheredAnswers {
        let input = Input::from_reader("a", Cursor::new(text.to_owned()), Some(kind), None).unwrap();
        gather_part(&part, input, answer).unwrap()
    }

    #[test]
    fn what_stands_in_the_overlap_alone_is_the_part_befores() {
        let part = |number, overlap: &str| ExternalPart { number, total: 2, overlap: overlap.to_owned() };
        let one = |overlap, second: &str| {
            let first = answer(part(1, ""), "PBI-1\nPBI-2\n", InputKind::Text, json!({"ids": ["PBI-1", "PBI-2"]}));
            let second = answer(part(2, overlap), second, InputKind::Text, json!({"ids": ["PBI-2", "PBI-3"]}));
            second.union(first).merge(&rules())
        };
        let merged = one("PBI-2\n", "PBI-3\n");
        assert_eq!(merged.value["ids"], json!(["PBI-1", "PBI-2", "PBI-3"]));
        // Line 2 of the part: the overlap is line 1.
        assert_eq!(merged.provenance[2].origins[0].place.lines, Some((2, 2)));
        // Repeated in the part's own text, it is a separate item.
        assert_eq!(one("", "PBI-2\nPBI-3\n").value["ids"], json!(["PBI-1", "PBI-2", "PBI-2", "PBI-3"]));
    }

    #[test]
    fn a_mean_counts_records() {
        let part = |number| ExternalPart { number, total: 2, overlap: String::new() };
        let first = answer(part(1), "[1, 1, 1]", InputKind::Json, json!({"mean": 1}));
        let second = answer(part(2), "[5]", InputKind::Json, json!({"mean": 5}));
        assert_eq!(first.union(second).merge(&rules()).value["mean"], json!(2.0));
    }
}
