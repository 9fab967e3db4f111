//! What a schema says of merging, read once.
//!
//! A schema is a graph, because references may lead back to where they stand. Each place of it that says how values look becomes one [`Node`]; what a
//! reference or a branch (`allOf`, `anyOf`, `oneOf`) says is laid over the place that names it, the nearest first.

mod read;

use super::{FieldMerge, Strategy};
use std::collections::HashMap;

/// Above which likeness texts are one, where a schema does not say.
const THRESHOLD: f64 = 0.92;
/// A likeness up to which texts are never one.
const LEAST_THRESHOLD: f64 = 0.8;

/// A place of a schema.
pub(super) type NodeId = usize;

/// The place of whatever a schema does not name: no rule, nothing known.
pub(super) const UNNAMED: NodeId = 0;

/// What a schema says of merging.
#[derive(Debug, Clone)]
pub struct Rules {
    pub(super) strategy: Strategy,
    pub(super) root: NodeId,
    nodes: Vec<Node>,
}

/// A rule in a schema that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct RuleError {
    /// A JSON pointer into the schema.
    pub path: String,
    /// What is wrong, with the value.
    pub message: String,
}

/// What a place of a schema says of its values.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) merge: Option<FieldMerge>,
    /// The fields of its objects, in the schema's order.
    pub(super) properties: Vec<(String, NodeId)>,
    names: HashMap<String, NodeId>,
    /// What `additionalProperties` says of the others.
    others: Option<NodeId>,
    items: Option<NodeId>,
    /// The field by which items are known.
    pub(super) key: Option<String>,
    /// The field whose texts are compared.
    pub(super) similar: Option<Similar>,
    /// The sibling that a mean is weighed by.
    pub(super) weight: Option<String>,
    /// Whether a rule stands here, or at a field below.
    pub(super) has_rules: bool,
}

/// When texts are nearly the same.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Similar {
    pub(super) field: String,
    pub(super) threshold: f64,
}

impl Rules {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }
}

impl Node {
    /// What is said of a field.
    pub(super) fn field(&self, name: &str) -> NodeId {
        self.names.get(name).copied().or(self.others).unwrap_or(UNNAMED)
    }

    /// What is said of the items of a list.
    pub(super) fn items(&self) -> NodeId {
        self.items.unwrap_or(UNNAMED)
    }
}
