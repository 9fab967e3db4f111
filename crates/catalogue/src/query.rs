//! What is asked of the catalogue.

use crate::filter::{Filter, FilterError};
use crate::row_kind::{RowKind, UnknownCatalogueName};
use crate::search_words::{SearchWords, SearchWordsError};
use serde::{Deserialize, Serialize};
use std::fmt;
use war_rig_text::ContentHash;

/// What a user asks for, as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawQuery {
    /// Words to look for.
    pub text: Option<String>,
    /// A filter.
    pub filter: Option<String>,
    /// The fields that are wanted, by their names; none for those that the output shows by itself.
    pub fields: Option<Vec<String>>,
    /// The field that rows are ordered by, a `-` before it for the other direction.
    pub sort: Option<String>,
    /// The folder of documents that is meant, by its name in the catalogue; none for all.
    pub docs: Option<String>,
}

/// A query that can be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    kind: RowKind,
    asked: RawQuery,
    words: Option<SearchWords>,
    filter: Option<Filter>,
    fields: Option<Vec<usize>>,
    order: RowOrder,
}

/// The order of rows. Rows that it does not tell apart stand in the order of [`RowOrder::Place`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOrder {
    /// By folder of documents, document, and place in it.
    Place,
    /// The best matches of the words first: those in names, those as a phrase, those near each other, all others.
    Relevance,
    /// By the value of a field, absent ones first.
    Field {
        /// Its place among the fields of the kind.
        field: usize,
        /// Whether the last comes first.
        is_descending: bool,
    },
}

/// A query that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The words.
    #[error(transparent)]
    Words(#[from] SearchWordsError),
    /// The filter.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A field that is asked for.
    #[error("there is no field `{}`", .0.asked)]
    Field(UnknownCatalogueName),
    /// A field that is asked for twice.
    #[error("`{0}` is asked for twice")]
    DuplicateField(String),
    /// A field that rows are to be ordered by.
    #[error("there is no field `{}` to order by", .0.asked)]
    Sort(UnknownCatalogueName),
    /// The order of places from the last to the first.
    #[error("`place` is an order of one direction")]
    PlaceBackwards,
    /// A field that no order can be made of.
    #[error("`{0}` holds lists, and rows cannot be ordered by them")]
    Unordered(String),
}

/// What tells two queries apart, so that a walk through the rows of one is not gone on with by the other. How many rows are printed at a time and in
/// which form is not a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueryHash(ContentHash);

impl Query {
    /// Reads what was asked.
    ///
    /// # Errors
    /// [`QueryError`] for the first thing that cannot be understood.
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

    /// The kind of its rows.
    pub fn kind(&self) -> RowKind {
        self.kind
    }

    /// The words that are looked for.
    pub fn words(&self) -> Option<&SearchWords> {
        self.words.as_ref()
    }

    /// The filter.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// The fields that are asked for, by their places; none where the output shows those that it shows by itself.
    pub fn fields(&self) -> Option<&[usize]> {
        self.fields.as_deref()
    }

    /// The order of its rows.
    pub fn order(&self) -> RowOrder {
        self.order
    }

    /// The folder of documents that is meant; none for all.
    pub fn docs(&self) -> Option<&str> {
        self.asked.docs.as_deref()
    }

    /// The hash of all that says which rows come in which order with which fields.
    pub fn hash(&self) -> QueryHash {
        let fields = self.asked.fields.as_ref().map(|fields| fields.join(","));
        hash(
            self.rows()
                .into_iter()
                .chain([("fields", fields.as_deref()), ("sort", self.asked.sort.as_deref())]),
        )
    }

    /// The hash of what says which rows there are, whatever is shown of them: of the kind, the words, the filter and the folder.
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

/// Each part with its length before it, so that neighbours cannot exchange letters; one that is absent is told from an empty one.
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
