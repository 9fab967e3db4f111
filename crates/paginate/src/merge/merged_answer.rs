//! How answers are merged, and what comes of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How answers are merged if a field has no rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeStrategy {
    /// The answer of the first part; the others are listed as discarded.
    First,
    /// The answer of the last part; the others are listed as discarded.
    Last,
    /// Lists extend, objects recurse, of scalars the first is kept.
    #[default]
    Merge,
}

/// How a field is merged: `x-merge` in its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldMerge {
    /// Concatenates lists, and strings with a blank line between them.
    Concat,
    /// Lists of objects: those with the same value in the field named by `x-key` are merged. Lists of scalars: equal ones are merged.
    Union,
    /// The sum of numbers.
    Sum,
    /// The smallest number or the first string in order.
    Min,
    /// The largest.
    Max,
    /// The mean of numbers, each weighted by its part (see [`PartAnswer::weight`]), or by the sibling field named by `x-weight`.
    Mean,
    /// The value of most parts; the first one wins a tie.
    Vote,
    /// The first non-empty value.
    First,
    /// The last non-empty value.
    Last,
    /// Texts that the caller summarizes: see [`MergedAnswer::summaries`].
    Summary,
}

/// A location in an input. Numbers are one-based, ranges inclusive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InputLocation {
    /// Pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u64, u64)>,
    /// Records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<(u64, u64)>,
    /// Lines; none for pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(u64, u64)>,
}

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ValueOrigin {
    /// The part whose answer contains it, one-based.
    pub part: u64,
    /// Where it was found, from the first to the last location if its words occur several times; otherwise the location of the part.
    #[serde(flatten)]
    pub place: InputLocation,
    /// Whether it was found there verbatim.
    pub located: bool,
    /// Whether it was found only in the part's overlap.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_overlap: bool,
}

/// Locates a value of an answer in the part.
pub trait ValueLocator {
    /// Returns the origin of a value: a scalar, or an item of a list.
    fn origin(&self, value: &Value) -> ValueOrigin;

    /// Returns the origin of the value at a JSON pointer into the answer, for locators that know more than its words.
    fn origin_at(&self, _path: &str, value: &Value) -> ValueOrigin {
        self.origin(value)
    }
}

/// The answer for one part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartAnswer {
    /// The part, one-based.
    pub number: u64,
    /// The weight in a mean: the records, pages or characters of the part.
    pub weight: u64,
    /// The answer, valid under the schema.
    pub value: Value,
}

/// A program that merges all answers at once.
pub trait CustomMerge: Send + Sync {
    /// Merges all answers, in the order of their parts.
    ///
    /// # Errors
    /// The error in words for the user.
    fn merge(&self, answers: &[Value]) -> Result<Value, String>;
}

/// The origins of a value in the merged answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// A JSON pointer into the merged answer: each item of a list, each scalar outside of lists.
    pub path: String,
    /// In order.
    pub origins: Vec<ValueOrigin>,
}

/// Two parts with different values for one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeConflict {
    /// A JSON pointer into the merged answer.
    pub path: String,
    /// The value that was kept.
    pub kept: Value,
    /// The part of the kept value.
    pub kept_part: u64,
    /// The value that was dropped.
    pub dropped: Value,
    /// The part of the dropped value.
    pub dropped_part: u64,
}

/// Why two items were joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinReason {
    /// They have the same key.
    Key,
    /// They are equal, in a list whose values are a set.
    Equal,
    /// They are equal, and one was found only in an overlap.
    Overlap,
    /// Their descriptions are nearly the same.
    Similarity,
}

/// Two items that were joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JoinedItem {
    /// A JSON pointer to the joined item in the merged answer.
    pub path: String,
    /// The reason.
    pub by: JoinReason,
    /// Their similarity, from 0 to 1; none if it was not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The part of the first item.
    pub kept_part: u64,
    /// The other item, as its part returned it.
    pub dropped: Value,
    /// The part of the other item.
    pub dropped_part: u64,
}

/// An answer that the strategy discarded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscardedAnswer {
    /// The part.
    pub part: u64,
    /// A JSON pointer to the field; empty for the whole answer.
    pub path: String,
    /// The discarded value.
    pub value: Value,
}

/// Texts of one field to be summarized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryTexts {
    /// A JSON pointer into the merged answer, where they are joined by blank lines until then.
    pub path: String,
    /// The texts in the order of their parts.
    pub texts: Vec<String>,
}

/// The merged answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MergedAnswer {
    /// The answer.
    pub value: Value,
    /// The origins of its values, in the order of the answer.
    pub provenance: Vec<Provenance>,
    /// Contradictions between parts.
    pub conflicts: Vec<MergeConflict>,
    /// Items that were joined.
    pub joined: Vec<JoinedItem>,
    /// Answers and fields that the strategy discarded.
    pub discarded: Vec<DiscardedAnswer>,
    /// Fields to be summarized.
    pub summaries: Vec<SummaryTexts>,
}
