//! The kinds of rows that can be searched, and their fields.

use crate::row_fields;
use std::fmt;
use strum::VariantArray;

/// A table of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum RowKind {
    /// The programs.
    Programs,
    /// Their paragraphs.
    Paragraphs,
    /// The business rules that they apply.
    Rules,
    /// Their data items.
    DataItems,
    /// The files, data sets and queues that programs read and write.
    Files,
    /// Database tables: where they are defined and where they are used.
    Tables,
    /// Screen maps: where they are defined and where they are used.
    Maps,
    /// The copybooks: where they are documented and where they are copied.
    Copybooks,
    /// The calls from program to program.
    Calls,
    /// Jobs, procedures and their steps.
    Jobs,
    /// The failures that programs handle.
    Errors,
    /// The states of records.
    States,
    /// Places that a maintainer should look at twice.
    Hazards,
    /// Questions that the sources alone do not answer.
    Questions,
    /// Where two chunks contradict each other.
    Conflicts,
    /// The business functions of an estate. They are in its `estate.json`, and not in documents.
    Functions,
    /// Its transactions and jobs, likewise.
    EntryPoints,
    /// The tickets of the runs. They are in the store, and not in documents.
    Tickets,
}

/// A field of a kind's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDefinition {
    /// Its name, in filters, orders and output.
    pub name: &'static str,
    /// The type of its values.
    pub field_type: FieldType,
    /// Its meaning, in one line.
    pub about: &'static str,
    /// Its role in a word search.
    pub role: FieldRole,
    /// How rows are found by it without reading all others.
    pub index: FieldIndex,
    /// Whether a table for people shows it by default.
    pub is_shown: bool,
}

/// The type of a field's values; each value can be absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// Text.
    Text,
    /// A whole number.
    Number,
    /// A number with a fraction.
    Decimal,
    /// True or false.
    Boolean,
    /// Texts in order.
    List,
}

/// How rows are found by a value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldIndex {
    /// By reading all of them.
    None,
    /// By an index over all rows.
    Rows,
    /// By reading the rows of the documents that have the value anywhere: nearly all rows of a document share it.
    Documents,
}

/// The role of a field in a word search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// Its words name the row.
    Name,
    /// Its words describe the row.
    Prose,
    /// A search ignores it.
    Unsearched,
}

/// The error for an unknown kind, field or order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCatalogueName {
    /// The unknown name.
    pub asked: String,
    /// The most similar name, if there is one.
    pub nearest: Option<&'static str>,
}

impl RowKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [RowKind; Self::VARIANTS.len()] = *Self::VARIANTS.first_chunk().expect("as many as there are");

    /// Returns the kinds of rows that documents contain.
    pub fn document_kinds() -> impl Iterator<Item = RowKind> {
        Self::ALL.into_iter().filter(|kind| *kind != RowKind::Tickets && !kind.is_of_estate())
    }

    /// Whether rows of this kind are about an estate as a whole.
    pub fn is_of_estate(self) -> bool {
        matches!(self, RowKind::Functions | RowKind::EntryPoints)
    }

    /// Returns its name on a command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the kind of this name.
    ///
    /// # Errors
    /// [`UnknownCatalogueName`] if there is none.
    pub fn from_name(name: &str) -> Result<Self, UnknownCatalogueName> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownCatalogueName::of(name, Self::ALL.into_iter().map(RowKind::name)))
    }

    /// Returns what a row of it is, in one line.
    pub fn description(self) -> &'static str {
        row_fields::of(self).0
    }

    /// Returns its fields, in the order of the output.
    pub fn fields(self) -> &'static [FieldDefinition] {
        row_fields::of(self).1
    }

    /// Returns the index of a field among the fields of this kind.
    ///
    /// # Errors
    /// [`UnknownCatalogueName`] if there is none of this name.
    pub fn field(self, name: &str) -> Result<usize, UnknownCatalogueName> {
        let fields = self.fields();
        let found = fields.iter().position(|field| field.name == name);
        found.ok_or_else(|| UnknownCatalogueName::of(name, fields.iter().map(|field| field.name)))
    }
}

impl fmt::Display for RowKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FieldDefinition {
    /// Whether rows are found by a value of it without reading all others.
    pub fn is_indexed(&self) -> bool {
        self.index != FieldIndex::None
    }

    /// Whether it identifies the row's document, so that it is the same for all rows of a document.
    pub fn is_of_document(&self) -> bool {
        row_fields::OF_DOCUMENT.contains(&self.name)
    }
}

impl FieldType {
    /// Returns the name of the type, in a word or two.
    pub fn name(self) -> &'static str {
        match self {
            FieldType::Text => "text",
            FieldType::Number => "number",
            FieldType::Decimal => "decimal",
            FieldType::Boolean => "true or false",
            FieldType::List => "list of texts",
        }
    }
}

impl UnknownCatalogueName {
    /// How similar another name must be to be suggested.
    const LIKENESS: f64 = 0.75;

    fn of(asked: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let likeness = |name: &'static str| (strsim::jaro_winkler(&asked.to_ascii_lowercase(), name), name);
        let nearest = known.map(likeness).filter(|(likeness, _)| *likeness >= Self::LIKENESS);
        let nearest = nearest.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name);
        Self { asked: asked.to_owned(), nearest }
    }
}
