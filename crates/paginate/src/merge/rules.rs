//! What a schema says of merging, read once.
//!
//! A schema is a graph, because references may lead back to where they stand. Each place of it that says how values look becomes one [`RuleNode`]; what a
//! reference or a branch (`allOf`, `anyOf`, `oneOf`) says is laid over the place that names it, the nearest first.

mod parse;

use super::{FieldMerge, MergeStrategy};
use std::collections::HashMap;

/// Above which likeness texts are one, where a schema does not say.
const THRESHOLD: f64 = 0.92;
/// A likeness up to which texts are never one.
const LEAST_THRESHOLD: f64 = 0.8;

/// A place of a schema.
pub(super) type RuleNodeId = usize;

/// The place of whatever a schema does not name: no rule, nothing known.
pub(super) const UNNAMED: RuleNodeId = 0;

/// What a schema says of merging.
#[derive(Debug, Clone)]
pub struct MergeRules {
    pub(super) strategy: MergeStrategy,
    pub(super) root: RuleNodeId,
    nodes: Vec<RuleNode>,
}

/// A rule in a schema that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct MergeRuleError {
    /// A JSON pointer into the schema.
    pub path: String,
    /// What is wrong, with the value.
    pub message: String,
}

/// What a place of a schema says of its values.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleNode {
    pub(super) merge: Option<FieldMerge>,
    /// The fields of its objects, in the schema's order.
    pub(super) properties: Vec<(String, RuleNodeId)>,
    names: HashMap<String, RuleNodeId>,
    /// What `additionalProperties` says of the others.
    others: Option<RuleNodeId>,
    items: Option<RuleNodeId>,
    /// The field by which items are known.
    pub(super) key: Option<String>,
    /// The field whose texts are compared.
    pub(super) similar: Option<SimilarityRule>,
    /// The sibling that a mean is weighed by.
    pub(super) weight: Option<String>,
    /// Whether a rule stands here, or at a field below.
    pub(super) has_rules: bool,
}

/// When texts are nearly the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SimilarityRule {
    pub(super) field: String,
    pub(super) threshold: f64,
}

impl MergeRules {
    pub(super) fn node(&self, id: RuleNodeId) -> &RuleNode {
        &self.nodes[id]
    }
}

impl RuleNode {
    /// What is said of a field.
    pub(super) fn field(&self, name: &str) -> RuleNodeId {
        self.names.get(name).copied().or(self.others).unwrap_or(UNNAMED)
    }

    /// What is said of the items of a list.
    pub(super) fn items(&self) -> RuleNodeId {
        self.items.unwrap_or(UNNAMED)
    }
}
