//! The merge rules of a schema, parsed once.
//!
//! A schema is a graph, because references may be circular. Each location that describes values becomes one [`RuleNode`]; the content of a reference
//! or a branch (`allOf`, `anyOf`, `oneOf`) is overlaid on the location that refers to it, the nearest first.

mod parse;

use super::merged_answer::{FieldMerge, MergeStrategy};
use std::collections::HashMap;

/// The default similarity threshold above which texts are the same.
const THRESHOLD: f64 = 0.92;
/// The similarity up to which texts are never the same.
const LEAST_THRESHOLD: f64 = 0.8;

/// The index of a schema location.
pub(super) type RuleNodeId = usize;

/// The node for anything that a schema does not name: no rule, nothing known.
pub(super) const UNNAMED: RuleNodeId = 0;

/// The merge rules of a schema.
#[derive(Debug, Clone)]
pub struct MergeRules {
    pub(super) strategy: MergeStrategy,
    pub(super) root: RuleNodeId,
    nodes: Vec<RuleNode>,
}

/// An invalid rule in a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct MergeRuleError {
    /// A JSON pointer into the schema.
    pub path: String,
    /// The error, with the value.
    pub message: String,
}

/// The rules at one location of a schema.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleNode {
    pub(super) merge: Option<FieldMerge>,
    /// The object fields, in the schema's order.
    pub(super) properties: Vec<(String, RuleNodeId)>,
    names: HashMap<String, RuleNodeId>,
    /// The node of `additionalProperties`.
    others: Option<RuleNodeId>,
    items: Option<RuleNodeId>,
    /// The key field of items.
    pub(super) key: Option<String>,
    /// The field whose texts are compared.
    pub(super) similar: Option<SimilarityRule>,
    /// The sibling field with the weights of a mean.
    pub(super) weight: Option<String>,
    /// Whether there is a rule here, or at a field below.
    pub(super) has_rules: bool,
}

/// When texts count as nearly the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SimilarityRule {
    pub(super) field: String,
    pub(super) threshold: f64,
}

impl MergeRules {
    /// Whether the first answer that says anything is the merged one, so that no later part needs to be asked.
    pub fn takes_first_alone(&self) -> bool {
        self.strategy == MergeStrategy::First && !self.node(self.root).has_rules
    }

    pub(super) fn node(&self, id: RuleNodeId) -> &RuleNode {
        &self.nodes[id]
    }
}

impl RuleNode {
    /// Returns the node of a field.
    pub(super) fn field(&self, name: &str) -> RuleNodeId {
        self.names.get(name).copied().or(self.others).unwrap_or(UNNAMED)
    }

    /// Returns the node of the items of a list.
    pub(super) fn items(&self) -> RuleNodeId {
        self.items.unwrap_or(UNNAMED)
    }
}
