//! Merging the JSON answers for the parts of one input.
//!
//! A field's schema determines how it is merged (`x-merge`), or else the strategy: lists extend, objects recurse, and of different scalars the first
//! is kept and the others are listed. The merge is associative and identifies parts by number, so neither the order in which answers come nor their
//! grouping affects the result. Nothing is dropped without being listed.

mod equality;
mod gathered_answers;
mod item_groups;
mod merged_answer;
mod numbers;
mod rules;
mod similarity;
mod value_merger;

pub use gathered_answers::GatheredAnswers;
pub use merged_answer::{
    CustomMerge, DiscardedAnswer, FieldMerge, InputLocation, JoinReason, JoinedItem, MergeConflict, MergeStrategy,
    MergedAnswer, PartAnswer, Provenance, SummaryTexts, ValueLocator, ValueOrigin,
};
pub use rules::{MergeRuleError, MergeRules};
