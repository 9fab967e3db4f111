//! Files and data items.

use serde::Serialize;
use std::ops::Not;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// A file of FILE-CONTROL.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FileControl {
    /// The name after SELECT.
    pub name: String,
    /// What ASSIGN names.
    pub assign: Option<String>,
    /// The organization; `SEQUENTIAL` when nothing is said.
    pub organization: String,
    /// The access mode.
    pub access: Option<String>,
    /// The RECORD KEY or RELATIVE KEY.
    pub key: Option<String>,
    /// The ALTERNATE RECORD KEYs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternate_keys: Vec<String>,
    /// The item that holds the length of a record: RECORD VARYING DEPENDING ON.
    #[serde(skip)]
    pub length_item: Option<String>,
    /// The FILE STATUS item.
    pub status: Option<String>,
    /// The line on which the name stands after SELECT.
    pub line: Option<LineNumber>,
    /// The records of its FD or SD: names of 01 levels.
    pub records: Vec<String>,
    /// The bytes of its longest record, after its 01 levels or else its RECORD clause.
    pub record_length: Option<u64>,
    /// The RECORDING MODE: `F`, `V`, `U` or `S`.
    pub recording_mode: Option<String>,
    /// Whether it is described by SD: a sort file.
    #[serde(skip_serializing_if = "Not::not")]
    pub sort: bool,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
}

/// What a statement does with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileUse {
    /// The file's name.
    #[serde(rename = "name")]
    pub file: String,
    /// `OPEN INPUT`, `READ`, `READ NEXT`, `WRITE`, `REWRITE`, `DELETE`, `START`, `CLOSE`, `SORT`.
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
    /// The index of the paragraph it stands in.
    #[serde(skip)]
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
}

/// A data item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataItem {
    /// Its name; `FILLER` where it has none.
    pub name: String,
    /// Its level, 1 to 49, 66, 77, 78 or 88.
    pub level: u8,
    /// Its picture string.
    pub picture: Option<Arc<str>>,
    /// Its usage in its normal spelling: `DISPLAY`, `COMP`, `COMP-3`, `INDEX`, `POINTER`, `BINARY-LONG` and so on.
    pub usage: Option<&'static str>,
    /// The zero-based byte offset in its record, of its first occurrence; none when it is not known.
    pub offset: Option<u64>,
    /// Its length in bytes, one occurrence; none when it is not known.
    pub length: Option<u64>,
    /// How often it occurs at most.
    pub occurs: Option<u32>,
    /// The item that says how often it occurs.
    pub depending_on: Option<Box<str>>,
    /// What else its OCCURS clause says.
    pub table: Option<Box<OccursTable>>,
    /// The item it redefines or, at level 66, the first one it renames.
    pub redefines: Option<Box<str>>,
    /// The last item that level 66 renames, where THRU names one.
    pub renames_through: Option<Box<str>>,
    /// Its values as written, single blanks between them.
    pub value: Option<Arc<str>>,
    /// The lines of its entry, first to last.
    pub lines: Option<LineRange>,
    /// The line on which its name stands or, where it has none, its level.
    pub line: Option<LineNumber>,
    /// The index of the item that holds it.
    pub parent: Option<usize>,
    /// The section of the DATA DIVISION: `WORKING-STORAGE`; none in a fragment.
    pub section: Option<Arc<str>>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook it stands in.
    pub file: Option<String>,
    /// Whether its sign takes a character of its own, by its own SIGN clause or that of a group above it.
    pub sign_separate: bool,
    /// Its clauses that are there or not.
    pub attributes: DataAttributes,
}

/// What an OCCURS clause says beside how often an item occurs at most.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OccursTable {
    /// How often the item occurs at least; the same as the most without TO.
    pub min_occurs: u32,
    /// The names after INDEXED BY.
    pub indexed_by: Vec<String>,
    /// The keys in their order.
    pub keys: Vec<TableKey>,
}

/// A key of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableKey {
    /// Whether the table is in ascending order of it; else it is descending.
    pub is_ascending: bool,
    /// The item.
    pub name: String,
}

/// Clauses of a data item that are there or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DataAttributes {
    /// EXTERNAL.
    pub external: bool,
    /// GLOBAL.
    pub global: bool,
    /// SYNCHRONIZED, in its own entry or that of a group above it.
    pub synchronized: bool,
    /// JUSTIFIED.
    pub justified: bool,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// ANY LENGTH or DYNAMIC LENGTH.
    pub any_length: bool,
    /// BASED.
    pub based: bool,
    /// TYPEDEF.
    pub typedef: bool,
    /// CONSTANT.
    pub constant: bool,
}

impl DataAttributes {
    /// The clauses that are there, in COBOL's words.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (self.external, "EXTERNAL"),
            (self.global, "GLOBAL"),
            (self.synchronized, "SYNCHRONIZED"),
            (self.justified, "JUSTIFIED"),
            (self.blank_when_zero, "BLANK WHEN ZERO"),
            (self.any_length, "ANY LENGTH"),
            (self.based, "BASED"),
            (self.typedef, "TYPEDEF"),
            (self.constant, "CONSTANT"),
        ]
        .into_iter()
        .filter_map(|(is_there, name)| is_there.then_some(name))
    }
}
