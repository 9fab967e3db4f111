//! The results of a search, and where it continues.

use crate::{Snippet, Value};
use serde::{Deserialize, Serialize};
use war_rig_text::ContentHash;

/// The catalogue's contents as one hash: two catalogues of the same documents have the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CatalogueVersion(pub(crate) ContentHash);

/// The position of a row in the order of a query. It can be found again after rows before it, or the row itself, have changed or gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowPosition {
    /// The value that rows are sorted by: that of a field, or the search that found it. Null if rows are in the order of positions.
    pub(crate) key: serde_json::Value,
    /// The folder of documents.
    pub(crate) docs: String,
    /// The document's source.
    pub(crate) file: String,
    /// The index of the row among the rows of its kind in this document.
    pub(crate) row: u64,
}

/// Where a page starts.
#[derive(Debug, Clone, PartialEq)]
pub enum PageStart {
    /// After this many rows.
    Offset(u64),
    /// After this row.
    After(RowPosition),
}

/// A found row.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundRow {
    /// The values of all fields of the kind, in order.
    pub values: Vec<Value>,
    /// The matched words with their surroundings; `None` without words.
    pub snippet: Option<Snippet>,
}

/// A page of a query's rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultPage {
    /// The rows.
    pub rows: Vec<FoundRow>,
    /// The position of the last one; `None` without rows.
    pub last: Option<RowPosition>,
    /// Whether there are more rows after them.
    pub has_more: bool,
    /// The total number of rows.
    pub total: u64,
    /// The version of the catalogue.
    pub version: CatalogueVersion,
}
