//! The items of a document that say what a program does with tables, CICS resources and segments.

use crate::item_kinds::{as_written, item_kind};
use serde::{Deserialize, Serialize};
use war_rig_text::LineNumber;

/// An SQL statement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SqlOperation {
    /// The statement's verb: SELECT, FETCH.
    pub operation: String,
    /// The table or cursor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// What for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// Every table with what is done to it, those of a cursor included; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableAccess>,
    /// What it says of rows and values, in order, as written: `WHERE POLICY_NO = :WS-POLICY`, `ORDER BY NAME`; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The columns that are read, `*` for all of a table, under the name of their table where the statement has several; a fact of the
    /// parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_read: Vec<String>,
    /// The columns that are written, in the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_written: Vec<String>,
    /// The data items of the program in it; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_variables: Vec<SqlHostVariable>,
    /// The cursor that it declares, opens, fetches from, closes, or at whose row it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<SqlCursor>,
    /// Whether the statement that runs is put together while the program runs, and the item or literal that holds it, where that is
    /// seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic: Option<DynamicSql>,
    /// What DECLARE TABLE says of the columns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<TableColumn>,
    /// Whether it was read by its words alone: its columns are not known then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_words: bool,
}

item_kind!(SqlOperation {
    lists: ["sql_operations": "SQL statement"],
    named_by: ["operation", "table"],
    owner: Parser,
    asked: [operation: Text, table: TextOrNull, purpose: Text],
    mark: operation,
    name: operation by as_written,
    detail: table,
    text: purpose,
});

/// What is done to a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableAccess {
    /// Its name, with the schema where one is written.
    pub name: String,
    /// The letters of create, read, update and delete; empty where it is only named.
    pub access: String,
}

/// A data item of the program in an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlHostVariable {
    /// Its name, without the colon.
    pub name: String,
    /// `in` to the database, `out` of it, or `in_out`.
    pub direction: String,
    /// The item that says whether it is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indicator: Option<String>,
}

/// A cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlCursor {
    /// Its name.
    pub name: String,
    /// The line on which its declaration begins; none for the declaration itself, or where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_at: Option<LineNumber>,
    /// The copybook that declares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A statement that is put together while the program runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DynamicSql {
    /// The name of the prepared statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepared: Option<String>,
    /// The item or literal that holds its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_in: Option<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its type: `DECIMAL(9, 2)`.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Whether it must have a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_null: bool,
    /// The line of its name.
    pub line: LineNumber,
}

/// A CICS command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CicsOperation {
    /// The command: READ, SEND MAP.
    pub command: String,
    /// The file, map, queue or program it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// What for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// What kind of thing the resource is: `file`, `map`, `program`; a fact of the parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_kind: Option<String>,
    /// The names that the program gives to the data item which is the resource; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The map set it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_set: Option<String>,
    /// Its options in order, each with what stands in its parentheses: `INTO REC`, `RIDFLD KEY`, `GTEQ`; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
    /// What becomes of it when it fails, in words; a fact of the parser. None where nothing could be asked behind it. `not handled here`
    /// leaves the default action, for most conditions an abend, unless a HANDLE CONDITION elsewhere is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
}

item_kind!(CicsOperation {
    lists: ["cics_operations": "CICS command"],
    named_by: ["command", "resource"],
    owner: Parser,
    asked: [command: Text, resource: TextOrNull, purpose: Text],
    mark: command,
    name: command by as_written,
    detail: resource,
    text: purpose,
});

/// A DL/I operation, of EXEC DLI or of a CALL; a fact of the parser but for its purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DliOperation {
    /// The function: `GU`, `ISRT`; the data item that holds it where nothing tells more.
    pub function: String,
    /// The segment it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// What for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// Those of its segments that only say where the others stand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// All segments it names, from the root down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<String>,
    /// The letters of create, read, update and delete.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub access: String,
    /// The PCB: its item or its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pcb: Option<String>,
    /// The PSB, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psb: Option<String>,
    /// Where the data of its segment goes to or comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// The program that is called: `CBLTDLI`; none for EXEC DLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
}

item_kind!(DliOperation {
    lists: ["dli_operations": "DL/I operation"],
    named_by: ["function", "segment"],
    owner: Parser,
    asked: [],
    mark: function,
    name: function by as_written,
    detail: segment,
    text: purpose,
});
