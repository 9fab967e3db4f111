//! What a search has found, and where it goes on.

use crate::{Snippet, Value};
use serde::{Deserialize, Serialize};
use war_rig_text::ContentHash;

/// What the catalogue holds, as one hash: two catalogues of the same documents have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CatalogueVersion(pub(crate) ContentHash);

/// Where a row stands in the order of a query: it is found again when rows were added before it, and when it is gone itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowPosition {
    /// The value that rows are ordered by: that of a field, or which of the searches for the words has found it. Null where they stand by their place.
    pub(crate) key: serde_json::Value,
    /// The folder of documents.
    pub(crate) docs: String,
    /// The source that the document is of.
    pub(crate) file: String,
    /// Which of the rows of the kind in this document it is.
    pub(crate) row: u64,
}

/// Where to begin.
#[derive(Debug, Clone, PartialEq)]
pub enum PageStart {
    /// After so many rows.
    Offset(u64),
    /// After this row.
    After(RowPosition),
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundRow {
    /// The values of all fields of the kind, in their order.
    pub values: Vec<Value>,
    /// What was looked for, in its surroundings; none without words.
    pub snippet: Option<Snippet>,
}

/// Some rows of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultPage {
    /// The rows.
    pub rows: Vec<FoundRow>,
    /// Where the last of them stands; none without rows.
    pub last: Option<RowPosition>,
    /// Whether there are more after them.
    pub has_more: bool,
    /// How many rows the query has in all.
    pub total: u64,
    /// What the catalogue held.
    pub version: CatalogueVersion,
}
