//! The contents of a state file.
//!
//! A file is accepted only as it was written, to the byte: it is parsed, written again and compared. So every change is detected, and what this
//! version does not know is never dropped silently.

use super::error::CursorErrorKind;
use crate::database::{CatalogueVersion, RowPosition};
use crate::{QueryHash, RowKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use war_rig_store::time::Timestamp;
use war_rig_text::ContentHash;

/// The version of the files.
pub(super) const VERSION: u64 = 1;

/// The most bytes in a file. The position of its walk takes most of them: the value that rows are sorted by can be a long text.
pub(super) const LONGEST: u64 = 1024 * 1024;

/// The fields of a state file, in file order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CursorState {
    /// The version of the file.
    version: u64,
    pub(super) created_at: Timestamp,
    pub(super) last_used_at: Timestamp,
    /// The kind of the rows; `None` while the file is for any query.
    pub(super) source: Option<KindName>,
    /// The number of printed rows.
    pub(super) offset: u64,
    /// The total number of rows, if known.
    pub(super) total: Option<u64>,
    /// Whether there are rows after the last page; `None` before the first page.
    pub(super) has_more: Option<bool>,
    /// The query; `None` before the first page.
    pub(super) query_hash: Option<QueryHash>,
    /// The rows of the query; `None` while the file is for any query.
    pub(super) rows_hash: Option<QueryHash>,
    /// The version of the catalogue when the rows were counted.
    pub(super) catalogue: Option<CatalogueVersion>,
    /// The last printed row.
    pub(super) after: Option<RowPosition>,
    /// The hash of everything before it.
    checksum: ContentHash,
}

/// A kind, written by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct KindName(pub(super) RowKind);

impl From<KindName> for String {
    fn from(source: KindName) -> Self {
        source.0.name().to_owned()
    }
}

impl TryFrom<String> for KindName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, &'static str> {
        RowKind::from_name(&name).map(Self).map_err(|_| "there is no such kind")
    }
}

impl CursorState {
    /// Creates a walk that starts now, for any query.
    pub(super) fn begun(now: Timestamp) -> Self {
        Self {
            version: VERSION,
            created_at: now,
            last_used_at: now,
            source: None,
            offset: 0,
            total: None,
            has_more: None,
            query_hash: None,
            rows_hash: None,
            catalogue: None,
            after: None,
            checksum: unsummed(),
        }
    }

    /// Returns the bytes of its file.
    pub(super) fn written(&self) -> Vec<u8> {
        let checksum = ContentHash::of(&text(&Self { checksum: unsummed(), ..self.clone() }));
        text(&Self { checksum, ..self.clone() })
    }

    /// Parses the bytes of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, CursorErrorKind> {
        let damaged = |problem: &str| CursorErrorKind::Damaged(problem.to_owned());
        if bytes.len() as u64 > LONGEST {
            return Err(damaged("it is longer than any state file"));
        }
        // The file's contents are not repeated: anybody can have written them.
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            CursorErrorKind::Damaged(format!("it is no JSON from line {line}, column {column} on"))
        })?;
        let known = ["createdAt", "lastUsedAt", "queryHash", "checksum"];
        let found = value.get("version").and_then(Value::as_u64);
        let Some(found) = found.filter(|_| known.iter().all(|name| value.get(name).is_some())) else {
            return Err(CursorErrorKind::Foreign);
        };
        if found > VERSION {
            return Err(CursorErrorKind::Newer { found, known: VERSION });
        }
        let state: Self = serde_json::from_value(value).map_err(|_| damaged("its values are none of a state file"))?;
        let written = state.written();
        if text(&state) != written {
            return Err(damaged("its checksum is wrong"));
        }
        if bytes != written {
            return Err(damaged("something else has written it anew"));
        }
        match state.is_sound() {
            true => Ok(state),
            false => Err(damaged("its values contradict each other")),
        }
    }

    /// Whether the values are consistent. Anybody can create a valid checksum.
    fn is_sound(&self) -> bool {
        let is_of_query = self.query_hash.is_some();
        let is_begun = self.offset > 0 || self.has_more.is_some() || self.after.is_some();
        let is_of_rows = self.rows_hash.is_some();
        self.version == VERSION
            && (is_of_query || !is_begun)
            && (is_of_rows || !is_of_query)
            && self.source.is_some() == is_of_rows
            && (self.total.is_some() || self.catalogue.is_none())
    }
}

/// Returns the placeholder for the checksum during its computation.
fn unsummed() -> ContentHash {
    ContentHash::from([0; 32])
}

fn text(state: &CursorState) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(state).expect("texts and numbers");
    text.push(b'\n');
    text
}
