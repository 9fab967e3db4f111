//! Queries of the catalogue.

use crate::filter::{Filter, FilterError};
use crate::row_kind::{RowKind, UnknownCatalogueName};
use crate::search_words::SearchWords;
use serde::{Deserialize, Serialize};
use std::fmt;
use war_rig_text::ContentHash;

/// A query as the user wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawQuery {
    /// Words to search for.
    pub text: Option<String>,
    /// A filter.
    pub filter: Option<String>,
    /// The names of the requested fields; `None` for the default fields of the output.
    pub fields: Option<Vec<String>>,
    /// The field to sort by, with a `-` before it for descending order.
    pub sort: Option<String>,
    /// The folder of documents, by its name in the catalogue; `None` for all.
    pub docs: Option<String>,
}

/// A valid query: [`Query::parse`] alone makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The kind of its rows.
    pub kind: RowKind,
    /// The words to search for.
    pub words: Option<SearchWords>,
    /// The filter.
    pub filter: Option<Filter>,
    /// The indexes of the requested fields; `None` for the default fields of the output.
    pub fields: Option<Vec<usize>>,
    /// The order of its rows.
    pub order: RowOrder,
    asked: RawQuery,
}

/// The order of rows. Rows that compare equal are in the order of [`RowOrder::Place`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// By folder of documents, document, and position in it.
    Place,
    /// The best matches of the words first: those in names, then as a phrase, then near each other, then all others.
    Relevance,
    /// By the value of a field, with absent values first.
    Field {
        /// Its index among the fields of the kind.
        field: usize,
        /// Whether the order is descending.
        is_descending: bool,
    },
}

/// The error for an invalid query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The words are invalid.
    #[error(transparent)]
    Words(#[from] QueryIssue),
    /// The filter is invalid.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A requested field does not exist.
    #[error("there is no field `{}`", .0.asked)]
    Field(UnknownCatalogueName),
    /// A field is requested twice.
    #[error("`{0}` is asked for twice")]
    DuplicateField(String),
    /// The field to sort by does not exist.
    #[error("there is no field `{}` to order by", .0.asked)]
    Sort(UnknownCatalogueName),
    /// The order of positions cannot be descending.
    #[error("`place` is an order of one direction")]
    PlaceBackwards,
    /// The field cannot be sorted by.
    #[error("`{0}` holds lists, and rows cannot be ordered by them")]
    Unordered(String),
}

/// What is wrong with the words or with a part of the filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryIssue {
    /// The message, lowercase, without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: String,
}

/// Distinguishes queries, so that a walk through the rows of one is not continued with another. It does not include how many rows are printed at a
/// time, and in which format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueryHash(ContentHash);

impl QueryIssue {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into() }
    }
}

impl Query {
    /// Parses a query.
    ///
    /// # Errors
    /// [`QueryError`] for the first part that is invalid.
    pub fn parse(kind: RowKind, asked: RawQuery) -> Result<Self, QueryError> {
        let words = asked.text.as_deref().map(SearchWords::parse).transpose()?;
        let filter = asked.filter.as_deref().map(|text| Filter::parse(kind, text)).transpose()?;
        let fields = match &asked.fields {
            None => None,
            Some(names) => {
                let mut fields = Vec::with_capacity(names.len());
                for name in names {
                    let field = kind.field(name).map_err(QueryError::Field)?;
                    if fields.contains(&field) {
                        return Err(QueryError::DuplicateField(name.clone()));
                    }
                    fields.push(field);
                }
                Some(fields)
            }
        };
        let order = order(kind, asked.sort.as_deref(), words.is_some())?;
        Ok(Self { kind, asked, words, filter, fields, order })
    }

    /// Returns the folder of documents; `None` for all.
    pub fn docs(&self) -> Option<&str> {
        self.asked.docs.as_deref()
    }

    /// Returns the hash of everything that determines the rows, their order and their fields.
    pub fn hash(&self) -> QueryHash {
        let fields = self.asked.fields.as_ref().map(|fields| fields.join(","));
        hash(self.rows().into_iter().chain([("fields", fields.as_deref()), ("sort", self.asked.sort.as_deref())]))
    }

    /// Returns the hash of what determines the rows, regardless of the output: the kind, the words, the filter and the folder.
    pub fn rows_hash(&self) -> QueryHash {
        hash(self.rows())
    }

    fn rows(&self) -> Vec<(&'static str, Option<&str>)> {
        vec![
            ("kind", Some(self.kind.name())),
            ("text", self.asked.text.as_deref()),
            ("filter", self.asked.filter.as_deref()),
            ("docs", self.asked.docs.as_deref()),
        ]
    }
}

fn order(kind: RowKind, sort: Option<&str>, has_words: bool) -> Result<RowOrder, QueryError> {
    let Some(sort) = sort else {
        return Ok(if has_words { RowOrder::Relevance } else { RowOrder::Place });
    };
    let (name, is_descending) = match sort.strip_prefix('-') {
        Some(name) => (name, true),
        None => (sort, false),
    };
    if name == "place" {
        return if is_descending { Err(QueryError::PlaceBackwards) } else { Ok(RowOrder::Place) };
    }
    let field = kind.field(name).map_err(QueryError::Sort)?;
    if kind.fields()[field].field_type == crate::row_kind::FieldType::List {
        return Err(QueryError::Unordered(name.to_owned()));
    }
    Ok(RowOrder::Field { field, is_descending })
}

/// Hashes each part after its length, so that adjacent parts cannot exchange letters; an absent part differs from an empty one.
fn hash<'a>(parts: impl IntoIterator<Item = (&'static str, Option<&'a str>)>) -> QueryHash {
    let mut bytes = Vec::new();
    for (name, value) in parts {
        bytes.extend_from_slice(name.as_bytes());
        match value {
            None => bytes.push(0),
            Some(value) => {
                bytes.push(1);
                bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
                bytes.extend_from_slice(value.as_bytes());
            }
        }
    }
    QueryHash(ContentHash::of(&bytes))
}

impl fmt::Display for QueryHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
