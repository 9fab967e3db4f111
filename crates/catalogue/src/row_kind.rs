//! What can be searched for, and what is known of each.

use crate::row_fields;
use std::fmt;

/// A table of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowKind {
    /// The programs.
    Programs,
    /// Their paragraphs.
    Paragraphs,
    /// The business rules that they apply.
    Rules,
    /// The items of their data.
    DataItems,
    /// The files, data sets and queues that are read and written.
    Files,
    /// The tables of databases: where they are defined and where they are used.
    Tables,
    /// The maps of screens: where they are defined and where they are used.
    Maps,
    /// The copybooks: where they are documented and where they are copied.
    Copybooks,
    /// The calls from program to program.
    Calls,
    /// Jobs, procedures and their steps.
    Jobs,
    /// What the sources alone do not answer.
    Questions,
    /// Where two chunks said different things.
    Conflicts,
    /// The tickets of the runs. They stand in the store, and not in documents.
    Tickets,
}

/// One thing that is known of each row of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDefinition {
    /// Its name, in filters, orders and output.
    pub name: &'static str,
    /// What its values are.
    pub field_type: FieldType,
    /// What it says, in one line.
    pub about: &'static str,
    /// What its words are worth to a search.
    pub role: FieldRole,
    /// Whether rows are found by it without a look at all others.
    pub is_indexed: bool,
    /// Whether a table for people shows it unless other fields are asked for.
    pub is_shown: bool,
}

/// What the values of a field are; each can be absent.
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

/// What the words of a field are worth to a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// They name the row.
    Name,
    /// They say something of it.
    Prose,
    /// A search does not look at them.
    Unsearched,
}

/// A kind, field or order that there is none of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCatalogueName {
    /// What was asked for.
    pub asked: String,
    /// The name that is most like it, if one is.
    pub nearest: Option<&'static str>,
}

impl RowKind {
    /// All of them, in the order in which they are listed.
    pub const ALL: [RowKind; 13] = [
        RowKind::Programs,
        RowKind::Paragraphs,
        RowKind::Rules,
        RowKind::DataItems,
        RowKind::Files,
        RowKind::Tables,
        RowKind::Maps,
        RowKind::Copybooks,
        RowKind::Calls,
        RowKind::Jobs,
        RowKind::Questions,
        RowKind::Conflicts,
        RowKind::Tickets,
    ];

    /// The kinds whose rows documents are taken apart into: all but the tickets.
    pub fn document_kinds() -> impl Iterator<Item = RowKind> {
        Self::ALL.into_iter().filter(|kind| *kind != RowKind::Tickets)
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            RowKind::Programs => "programs",
            RowKind::Paragraphs => "paragraphs",
            RowKind::Rules => "rules",
            RowKind::DataItems => "data-items",
            RowKind::Files => "files",
            RowKind::Tables => "tables",
            RowKind::Maps => "maps",
            RowKind::Copybooks => "copybooks",
            RowKind::Calls => "calls",
            RowKind::Jobs => "jobs",
            RowKind::Questions => "questions",
            RowKind::Conflicts => "conflicts",
            RowKind::Tickets => "tickets",
        }
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// [`UnknownCatalogueName`] when there is none.
    pub fn from_name(name: &str) -> Result<Self, UnknownCatalogueName> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| UnknownCatalogueName::of(name, Self::ALL.into_iter().map(RowKind::name)))
    }

    /// What a row of it is, in one line.
    pub fn description(self) -> &'static str {
        row_fields::about(self)
    }

    /// Its fields, in the order of the output.
    pub fn fields(self) -> &'static [FieldDefinition] {
        row_fields::fields(self)
    }

    /// The place of a field among the fields of this kind.
    ///
    /// # Errors
    /// [`UnknownCatalogueName`] when there is none of this name.
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
    /// Whether it says which document a row is of, so that it is the same for all rows of a document.
    pub fn is_of_document(&self) -> bool {
        row_fields::OF_DOCUMENT.contains(&self.name)
    }
}

impl FieldType {
    /// What the values are, in a word or two.
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
    /// How like a name another one must be to be told.
    const LIKENESS: f64 = 0.75;

    fn of(asked: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let likeness = |name: &'static str| (strsim::jaro_winkler(&asked.to_ascii_lowercase(), name), name);
        let nearest = known.map(likeness).filter(|(likeness, _)| *likeness >= Self::LIKENESS);
        let nearest = nearest.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, name)| name);
        Self { asked: asked.to_owned(), nearest }
    }
}
