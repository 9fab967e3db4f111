//! An item of a document: what it says, and what is known of every item whatever it says.
//!
//! What kinds of items there are stands in [`item_kinds`](crate::item_kinds).

use crate::Citation;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// Who an item comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemOrigin {
    /// The parser's fact, in words made from it.
    #[default]
    Parser,
    /// The model's alone.
    Model,
    /// The parser's fact with the model's words.
    Both,
}

impl ItemOrigin {
    pub(crate) fn is_parser(&self) -> bool {
        *self == ItemOrigin::Parser
    }
}

/// An item of a document. In JSON, its body's fields come first and the others behind them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentItem<B> {
    /// What it says.
    #[serde(flatten)]
    pub body: B,
    /// Where it comes from; of a paragraph, the first covers all of it.
    pub citations: Vec<Citation>,
    /// Who it comes from.
    pub origin: ItemOrigin,
    /// How far a model's part of it can be trusted, from 0 to 1; none where there is no such part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The program it belongs to, in a file of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

impl<B> DocumentItem<B> {
    /// An item of the parser's.
    pub fn parsed(body: B, citations: Vec<Citation>) -> Self {
        Self { body, citations, origin: ItemOrigin::Parser, confidence: None, program: None }
    }
}

impl<B> Deref for DocumentItem<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.body
    }
}

impl<B> DerefMut for DocumentItem<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.body
    }
}

/// Rows of the prompt's source block, counted from 1, both included; not yet checked in any way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCitation {
    /// The first row.
    pub start: u32,
    /// The last row.
    pub end: u32,
    /// Words said to stand there.
    #[serde(default)]
    pub quote: Option<String>,
}

/// An item as one Scribe call writes it, with citations that nobody has checked. A field that it lacks is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialItem<B> {
    /// What it says.
    #[serde(flatten)]
    pub body: B,
    /// Where that is said to stand.
    #[serde(default)]
    pub citations: Vec<BlockCitation>,
}

impl<B> PartialItem<B> {
    /// An item with its citations.
    pub fn new(body: B, citations: Vec<BlockCitation>) -> Self {
        Self { body, citations }
    }
}

impl<B> Deref for PartialItem<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.body
    }
}

impl<B> DerefMut for PartialItem<B> {
    fn deref_mut(&mut self) -> &mut B {
        &mut self.body
    }
}
