//! An item of a document: its body, and the fields that every kind of item has.
//!
//! [`item_kinds`](crate::item_kinds) lists the kinds of items.

use crate::Citation;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};

/// The origin of an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemOrigin {
    /// The parser's fact, in words derived from it.
    #[default]
    Parser,
    /// From the model only.
    Model,
    /// The parser's fact with the model's words.
    Both,
}

impl ItemOrigin {
    pub(crate) fn is_parser(&self) -> bool {
        *self == ItemOrigin::Parser
    }
}

/// An item of a document. In JSON, the fields of its body come first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentItem<B> {
    /// The body.
    #[serde(flatten)]
    pub body: B,
    /// Its citations; for a paragraph, the first one covers all of it.
    pub citations: Vec<Citation>,
    /// The origin of the item.
    pub origin: ItemOrigin,
    /// How far the model's part of it can be trusted, from 0 to 1; `None` without such a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The program it belongs to, in a file with several programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

impl<B> DocumentItem<B> {
    /// Makes an item of the parser.
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

/// Rows of the prompt's source block, counted from 1, both inclusive; not yet checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCitation {
    /// The first row.
    pub start: u32,
    /// The last row.
    pub end: u32,
    /// Words that the rows are claimed to contain.
    #[serde(default)]
    pub quote: Option<String>,
}

/// An item as one Scribe call writes it, with unchecked citations. A missing field is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialItem<B> {
    /// The listed things of the prompt that it is about: `P3`, or several as `D3,D4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The body.
    #[serde(flatten)]
    pub body: B,
    /// The claimed rows.
    #[serde(default)]
    pub citations: Vec<BlockCitation>,
}

impl<B> PartialItem<B> {
    /// Makes an item with its citations.
    pub fn new(body: B, citations: Vec<BlockCitation>) -> Self {
        Self { id: None, body, citations }
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
