//! The data items of a document, those that it copies, and the states of the records that it stores.

use crate::item::ItemOrigin;
use crate::item_kinds::item_kind;
use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// An item of the DATA DIVISION.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataDictionaryItem {
    /// Its name; `FILLER` if it has none.
    pub name: String,
    /// Its level number: 1 to 49, 66, 77 or 88.
    pub level: u8,
    /// The PICTURE's string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// The USAGE, its own or its group's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    /// Bytes before it in its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Its length in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// How often it occurs, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurs: Option<u32>,
    /// How often it occurs at least, if that is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_occurs: Option<u32>,
    /// The item that says how often it occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depending_on: Option<String>,
    /// The keys by which its occurrences are in order, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<OrderedKey>,
    /// The entries of a table that VALUEs fill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<TableContents>,
    /// The item that it redefines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redefines: Option<String>,
    /// Its clauses without operands: `ANY LENGTH`, `JUSTIFIED`, `UNSIGNED`, `EXTERNAL`; of a field of a screen also `LINE 3`, `COLUMN 12`, `FROM TITLE`, `TO CODE` or
    /// `USING NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// Its VALUE, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What a comment behind or above its entry says of it alone, in its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The line of its name.
    pub line: LineNumber,
    /// The copybook's path, for an item of a copybook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The origin of the item.
    #[serde(default, skip_serializing_if = "ItemOrigin::is_parser")]
    pub origin: ItemOrigin,
    /// The program it belongs to, in a file with several programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// The entries of a table as its source fills them before the program runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableContents {
    /// The elementary items of an entry, in order; one that occurs has its number behind its name.
    pub columns: Vec<String>,
    /// The texts of the items of each entry.
    pub rows: Vec<Vec<String>>,
}

/// A key by which the occurrences of a table are in order, as SEARCH ALL needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderedKey {
    /// The item.
    pub name: String,
    /// `ascending` or `descending`.
    pub order: KeyOrder,
}

/// The order of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyOrder {
    /// The smallest first.
    Ascending,
    /// The largest first.
    Descending,
}

impl KeyOrder {
    /// Returns the word of COBOL, in small letters.
    pub fn as_str(self) -> &'static str {
        match self {
            KeyOrder::Ascending => "ascending",
            KeyOrder::Descending => "descending",
        }
    }
}

/// Data items that one COPY includes and that the document of the copybook describes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedItems {
    /// The path of the copybook.
    pub copybook: String,
    /// The line of the COPY.
    pub line: LineNumber,
    /// The number of included items, with those of nested copybooks.
    pub items: u64,
    /// The records among them, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<CopiedRecord>,
    /// The item that contains the first of them; `None` if that is a record, or if the copying file is a copybook that does not begin with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// Offset of the first item in bytes within its record, if it is part of one. The copybook's own document counts from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The program they belong to, in a file with several programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

/// A record that a copybook declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "CopiedRecordForm")]
pub struct CopiedRecord {
    /// Its name.
    pub name: String,
    /// Its length in bytes; of a table that depends on an item, with all occurrences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// How documents have a copied record: those of before this field only its name.
#[derive(Deserialize)]
#[serde(untagged)]
enum CopiedRecordForm {
    Name(String),
    Record {
        name: String,
        #[serde(default)]
        length: Option<u64>,
    },
}

impl From<CopiedRecordForm> for CopiedRecord {
    fn from(form: CopiedRecordForm) -> Self {
        match form {
            CopiedRecordForm::Name(name) => Self { name, length: None },
            CopiedRecordForm::Record { name, length } => Self { name, length },
        }
    }
}

/// A value of an item of a record that the program stores; a fact of the parser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordState {
    /// The item.
    pub item: String,
    /// The value, as written.
    pub value: String,
    /// Its condition name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition_name: Option<String>,
    /// The lines of the statements that set it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_in: Vec<LineNumber>,
    /// The lines of the conditions that test it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tested_in: Vec<LineNumber>,
}

item_kind!(RecordState {
    lists: ["record_states": "state of"],
    named_by: ["item", "value"],
    owner: Parser,
    asked: [],
    name: item,
    detail: value,
    text: condition_name,
});
