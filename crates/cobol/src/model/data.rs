//! Files and data items.

use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::ops::Not;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// A file of FILE-CONTROL.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileControl {
    /// The name after SELECT.
    pub name: String,
    /// The name in ASSIGN.
    pub assign: Option<String>,
    /// The path that ASSIGN gives; none if it names a DD.
    #[serde(skip)]
    pub path: Option<FilePath>,
    /// Whether it need not exist: SELECT OPTIONAL.
    #[serde(skip_serializing_if = "Not::not")]
    pub optional: bool,
    /// The organization; `SEQUENTIAL` by default, and `UNKNOWN` without a SELECT.
    pub organization: String,
    /// The access mode.
    pub access: Option<String>,
    /// The RECORD KEY or RELATIVE KEY.
    pub key: Option<String>,
    /// The ALTERNATE RECORD KEYs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternate_keys: Vec<String>,
    /// The item that contains the length of a record: RECORD VARYING DEPENDING ON.
    #[serde(skip)]
    pub length_item: Option<String>,
    /// The FILE STATUS item.
    pub status: Option<String>,
    /// The line of the name after SELECT; none if a copybook has it.
    pub line: Option<LineNumber>,
    /// The records of its FD or SD: the names of its 01 levels.
    pub records: Vec<String>,
    /// The copybooks below its FD that are missing, and its records with them.
    #[serde(skip)]
    pub missing_copybooks: Vec<String>,
    /// Whether it says RECORD VARYING, whose length counts beside those of the records; that of CONTAINS does not.
    #[serde(skip)]
    pub varies: bool,
    /// The length of its longest record in bytes, from its 01 levels and RECORD VARYING, or else RECORD CONTAINS.
    pub record_length: Option<u64>,
    /// The RECORDING MODE: `F`, `V`, `U` or `S`.
    pub recording_mode: Option<String>,
    /// Whether an SD describes it: a sort file.
    #[serde(skip_serializing_if = "Not::not")]
    pub sort: bool,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
}

impl FileControl {
    /// Says what kind of file it is: `indexed file`, `sort file`.
    pub fn in_words(&self) -> String {
        match self.organization.as_str() {
            _ if self.sort => "sort file".to_owned(),
            UNKNOWN_ORGANIZATION => "file whose SELECT is not in the sources".to_owned(),
            organization => format!("{} file", organization.to_lowercase()),
        }
    }
}

/// The organization of a file whose SELECT is not in the sources.
pub(crate) const UNKNOWN_ORGANIZATION: &str = "UNKNOWN";

/// How ASSIGN gives the path of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilePath {
    /// The literal is the path or the name of a file: `'data/OUT.DAT'`.
    Literal,
    /// The data item of this name has the path when the file is opened.
    Item,
}

/// The operation that deletes a file, and not one of its records.
pub const DELETES_FILE: &str = "DELETE FILE";

/// A file operation of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileUse {
    /// The file's name.
    #[serde(rename = "name")]
    pub file: String,
    /// `OPEN INPUT`, `READ`, `READ NEXT`, `WRITE`, `REWRITE`, `DELETE`, `DELETE FILE`, `START`, `CLOSE`, `SORT`.
    pub operation: String,
    /// The item after KEY.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The item after INTO.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// The item or literal after FROM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The lines of the statement's words.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The index of the paragraph that contains it.
    #[serde(skip)]
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
}

/// A data item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataItem {
    /// Its name, or `FILLER`.
    pub name: String,
    /// Its level: 1 to 49, 66, 77, 78 or 88.
    pub level: u8,
    /// Its picture string.
    pub picture: Option<Arc<str>>,
    /// Its normalized usage: `DISPLAY`, `COMP`, `COMP-3`, `INDEX`, `POINTER`, `BINARY-LONG` and so on.
    pub usage: Option<&'static str>,
    /// The zero-based byte offset of its first occurrence in its record; none if unknown.
    pub offset: Option<u64>,
    /// The length of one occurrence in bytes; none if unknown.
    pub length: Option<u64>,
    /// The maximum number of occurrences.
    pub occurs: Option<u32>,
    /// The item that contains the number of occurrences.
    pub depending_on: Option<Box<str>>,
    /// The other details of its OCCURS clause.
    pub table: Option<Box<OccursTable>>,
    /// The item that it redefines or, at level 66, the first item that it renames.
    pub redefines: Option<Box<str>>,
    /// The last item that level 66 renames, if it has THRU.
    pub renames_through: Option<Box<str>>,
    /// Its values as written, separated by single blanks.
    pub value: Option<Arc<str>>,
    /// The value that SET TO FALSE gives to the item of a condition name.
    pub false_value: Option<Arc<str>>,
    /// The lines of its entry, first to last.
    pub lines: Option<LineRange>,
    /// The line of its name or, if it has no name, of its level.
    pub line: Option<LineNumber>,
    /// The index of the item that contains it.
    pub parent: Option<usize>,
    /// The section of the DATA DIVISION: `WORKING-STORAGE`; none in a fragment.
    pub section: Option<Arc<str>>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook that contains it.
    pub file: Option<String>,
    /// Where its sign stands, by its own SIGN clause or that of a group above it.
    pub sign: SignPosition,
    /// Its clauses that have no operand.
    pub attributes: DataAttributes,
    /// Where it stands on a screen and what it shows there, if it is in the SCREEN SECTION.
    pub screen: Option<Box<ScreenField>>,
}

impl DataItem {
    /// Returns whether only the program itself can use it, by its section.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.section.as_deref(), Some("WORKING-STORAGE" | "LOCAL-STORAGE"))
    }

    /// Returns its clauses without operands and those of its place on a screen, in COBOL's words.
    pub fn clauses(&self) -> impl Iterator<Item = Cow<'static, str>> {
        let on_screen = self.screen.iter().flat_map(|field| field.clauses());
        self.attributes.names().chain(self.sign.clause()).map(Cow::Borrowed).chain(on_screen.map(Cow::Owned))
    }

    /// Returns whether its length may vary while the program runs.
    pub(crate) fn may_vary(&self) -> bool {
        self.depending_on.is_some() || self.attributes.any_length
    }

    /// Returns the length of all its occurrences in bytes; none if unknown.
    pub(crate) fn whole_length(&self) -> Option<u64> {
        self.length?.checked_mul(u64::from(self.occurs.unwrap_or(1)).max(1))
    }
}

/// A field of the SCREEN SECTION: its operands as written, names in upper case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScreenField {
    /// Its line, absolute or behind the field before it: `3`, `PLUS 1`.
    pub line: Option<Box<str>>,
    /// Its column.
    pub column: Option<Box<str>>,
    /// The item or literal that it shows: FROM or USING.
    pub shows: Option<Box<str>>,
    /// The item that takes what the user enters: TO or USING.
    pub takes: Option<Box<str>>,
}

impl ScreenField {
    /// Returns its clauses in COBOL's words.
    pub fn clauses(&self) -> Vec<String> {
        let clause =
            |word: &str, operand: &Option<Box<str>>| operand.as_ref().map(|operand| format!("{word} {operand}"));
        let place = [clause("LINE", &self.line), clause("COLUMN", &self.column)];
        let content = match self.shows == self.takes {
            true => [clause("USING", &self.takes), None],
            false => [clause("FROM", &self.shows), clause("TO", &self.takes)],
        };
        place.into_iter().chain(content).flatten().collect()
    }
}

/// The details of an OCCURS clause, except the maximum number of occurrences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OccursTable {
    /// The minimum number of occurrences; equal to the maximum without TO.
    pub min_occurs: u32,
    /// The names after INDEXED BY.
    pub indexed_by: Vec<String>,
    /// The keys in order.
    pub keys: Vec<TableKey>,
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableKey {
    /// Whether the table is in ascending order of the key; otherwise descending.
    #[serde(rename = "order", serialize_with = "order")]
    pub is_ascending: bool,
    /// The item.
    pub name: String,
}

fn order<S: Serializer>(is_ascending: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *is_ascending { "ascending" } else { "descending" })
}

/// The clauses of a data item that have no operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DataAttributes {
    /// EXTERNAL.
    pub external: bool,
    /// GLOBAL.
    pub global: bool,
    /// SYNCHRONIZED, in its own entry or in that of a group above it.
    pub synchronized: bool,
    /// JUSTIFIED.
    pub justified: bool,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// ANY LENGTH or DYNAMIC LENGTH.
    pub any_length: bool,
    /// UNSIGNED, of a binary usage without a picture.
    pub unsigned: bool,
    /// BASED.
    pub based: bool,
    /// TYPEDEF.
    pub typedef: bool,
    /// CONSTANT.
    pub constant: bool,
}

/// Where the sign of a number that is stored as digits stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SignPosition {
    /// In the last digit, as without a SIGN clause.
    #[default]
    Trailing,
    /// In the first digit.
    Leading,
    /// In a byte of its own behind the digits.
    TrailingSeparate,
    /// In a byte of its own before the digits.
    LeadingSeparate,
}

impl SignPosition {
    /// Returns whether the sign has a byte of its own.
    pub fn is_separate(self) -> bool {
        matches!(self, Self::TrailingSeparate | Self::LeadingSeparate)
    }

    /// Returns the clause that says so; none for what needs none.
    pub fn clause(self) -> Option<&'static str> {
        match self {
            Self::Trailing => None,
            Self::Leading => Some("SIGN LEADING"),
            Self::TrailingSeparate => Some("SIGN TRAILING SEPARATE"),
            Self::LeadingSeparate => Some("SIGN LEADING SEPARATE"),
        }
    }
}

impl DataAttributes {
    /// Returns the clauses that are present, in COBOL's words.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (self.external, "EXTERNAL"),
            (self.global, "GLOBAL"),
            (self.synchronized, "SYNCHRONIZED"),
            (self.justified, "JUSTIFIED"),
            (self.blank_when_zero, "BLANK WHEN ZERO"),
            (self.any_length, "ANY LENGTH"),
            (self.unsigned, "UNSIGNED"),
            (self.based, "BASED"),
            (self.typedef, "TYPEDEF"),
            (self.constant, "CONSTANT"),
        ]
        .into_iter()
        .filter_map(|(is_there, name)| is_there.then_some(name))
    }
}
