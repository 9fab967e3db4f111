//! Merging JSON answers of parts of one input into one.
//!
//! How a field is merged stands in its schema (`x-merge`), and else follows from the strategy: lists extend, objects recurse, of scalars that differ the first is
//! kept and the other listed. The merge is associative and knows parts by their numbers, so that neither the order in which answers come nor how they are
//! grouped shows in the result. Nothing is dropped without being listed.

mod equality;
mod gathered_answers;
mod item_groups;
mod json_pointer;
mod numbers;
mod rules;
mod similarity;
mod value_merger;

pub use gathered_answers::GatheredAnswers;
pub use rules::{MergeRuleError, MergeRules};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How answers are merged where no rule of a field says otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeStrategy {
    /// The answer of the first part; the others are listed as discarded.
    First,
    /// The answer of the last part; the others are listed as discarded.
    Last,
    /// Lists extend, objects recurse, of scalars the first stands.
    #[default]
    Merge,
}

/// How a field is merged: `x-merge` in its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldMerge {
    /// One after the other: lists, and strings with a blank line between them.
    Concat,
    /// Lists of objects: those with the same value in the field that `x-key` names are one. Lists of scalars: equal ones are one.
    Union,
    /// Numbers added up.
    Sum,
    /// The smallest number or the first string in order.
    Min,
    /// The largest.
    Max,
    /// The mean of numbers, each weighed by its part (see [`PartAnswer::weight`]), or by the sibling field that `x-weight` names.
    Mean,
    /// What most parts say; of equals the first.
    Vote,
    /// What the first part says that says anything.
    First,
    /// What the last part says that says anything.
    Last,
    /// Texts that are put together by whoever asked: see [`MergedAnswer::summaries`].
    Summary,
}

/// Where something stands in an input. Numbers are one-based, ranges inclusive.
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

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ValueOrigin {
    /// The part whose answer it stands in, one-based.
    pub part: u64,
    /// Where it was found, from the first place to the last where its words stand in several; else where the part stands.
    #[serde(flatten)]
    pub place: InputLocation,
    /// Whether it was found there, word for word.
    pub located: bool,
    /// Whether it was found only in what the part was shown again of the part before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_overlap: bool,
}

/// Finds where a value of an answer stands in the part.
pub trait ValueLocator {
    /// The origin of a value: a scalar, or an item of a list.
    fn origin(&self, value: &Value) -> ValueOrigin;

    /// The same for the value at a JSON pointer into the answer, for those who know more of it than its words.
    fn origin_at(&self, _path: &str, value: &Value) -> ValueOrigin {
        self.origin(value)
    }
}

/// The answer to one part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartAnswer {
    /// The part, one-based.
    pub number: u64,
    /// What a mean counts it by: its records, pages or characters.
    pub weight: u64,
    /// What was answered, under the schema.
    pub value: Value,
}

/// A program that merges all answers at once.
pub trait CustomMerge: Send + Sync {
    /// One answer of all, in the order of their parts.
    ///
    /// # Errors
    /// What went wrong, in words for the user.
    fn merge(&self, answers: &[Value]) -> Result<Value, String>;
}

/// Where a value in the merged answer comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// A JSON pointer into the merged answer: each item of a list, each scalar outside of lists.
    pub path: String,
    /// In order.
    pub origins: Vec<ValueOrigin>,
}

/// Two parts that say different things of one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeConflict {
    /// A JSON pointer into the merged answer.
    pub path: String,
    /// What stands.
    pub kept: Value,
    /// The part that says so.
    pub kept_part: u64,
    /// What does not.
    pub dropped: Value,
    /// The part that says so.
    pub dropped_part: u64,
}

/// Why two items were taken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JoinReason {
    /// The same key.
    Key,
    /// Equal values in a list whose values are a set.
    Equal,
    /// Equal items, one of which was found only where parts overlap.
    Overlap,
    /// Descriptions that are nearly the same.
    Similarity,
}

/// Two items that were taken for one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JoinedItem {
    /// A JSON pointer to what they became in the merged answer.
    pub path: String,
    /// Why.
    pub by: JoinReason,
    /// How similar they are, from 0 to 1; none where they were not compared by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The part of the first.
    pub kept_part: u64,
    /// The other one, as its part said it.
    pub dropped: Value,
    /// Its part.
    pub dropped_part: u64,
}

/// An answer that is not in the result, because the strategy takes another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiscardedAnswer {
    /// The part.
    pub part: u64,
    /// A JSON pointer to the field; empty for the whole answer.
    pub path: String,
    /// What it said.
    pub value: Value,
}

/// Texts of one field that are to be put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryTexts {
    /// A JSON pointer into the merged answer, where they stand joined by blank lines for the time being.
    pub path: String,
    /// The texts in the order of their parts.
    pub texts: Vec<String>,
}

/// One answer of many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MergedAnswer {
    /// The answer.
    pub value: Value,
    /// Where its values come from, in the order of the answer.
    pub provenance: Vec<Provenance>,
    /// Where parts contradict each other.
    pub conflicts: Vec<MergeConflict>,
    /// Items that were taken for one.
    pub joined: Vec<JoinedItem>,
    /// Answers and fields that were left out by the strategy.
    pub discarded: Vec<DiscardedAnswer>,
    /// Fields that are to be summed up.
    pub summaries: Vec<SummaryTexts>,
}

impl MergedAnswer {
    /// Puts a text in at a pointer, such as what several of its [`SummaryTexts`] were summed up to. Says whether there is anything at that place.
    pub fn set_summary(&mut self, path: &str, value: impl Into<Value>) -> bool {
        let place = self.value.pointer_mut(path);
        place.map(|place| *place = value.into()).is_some()
    }
}
