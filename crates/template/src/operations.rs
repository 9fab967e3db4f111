//! The items of a document that describe how a program uses tables, CICS resources and segments.

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
    /// The purpose of the statement.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// Every table with the operations on it, including those of a cursor; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableAccess>,
    /// Its clauses about rows and values, in order, as written: `WHERE POLICY_NO = :WS-POLICY`, `ORDER BY NAME`; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// The columns that it reads, `*` for all of a table, qualified by their table if the statement has several tables;
    /// a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_read: Vec<String>,
    /// The columns that it writes, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_written: Vec<String>,
    /// The data items of the program that it uses; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_variables: Vec<SqlHostVariable>,
    /// The cursor that it declares, opens, fetches from or closes, or whose current row it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<SqlCursor>,
    /// Whether the program builds the statement at run time, and the item or literal that holds it, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic: Option<DynamicSql>,
    /// The columns of DECLARE TABLE.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<TableColumn>,
    /// Whether only its words were read; its columns are then unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_words: bool,
}

item_kind!(SqlOperation {
    lists: ["sql_operations": "SQL statement"],
    named_by: ["operation", "table"],
    owner: Parser,
    asked: [operation: TextOrNull, table: TextOrNull, purpose: Text],
    mark: operation,
    name: operation by as_written,
    detail: table,
    text: purpose,
});

/// The operations on a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableAccess {
    /// Its name, with the schema if one is written.
    pub name: String,
    /// The letters of create, read, update and delete; empty if the table is only named.
    pub access: String,
}

/// A data item of the program in an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlHostVariable {
    /// Its name, without the colon.
    pub name: String,
    /// `in` to the database, `out` of it, or `in_out`.
    pub direction: String,
    /// The item that indicates whether the value is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indicator: Option<String>,
}

/// A cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SqlCursor {
    /// Its name.
    pub name: String,
    /// The line on which its declaration begins; `None` for the declaration itself, or if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared_at: Option<LineNumber>,
    /// The copybook that declares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A statement that the program builds at run time.
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
    /// The purpose of the command.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// The kind of the resource: `file`, `map`, `program`; a fact of the parser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_kind: Option<String>,
    /// The names that the program assigns to the data item used as the resource; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Whether the item always holds its only candidate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_constant: bool,
    /// The map set that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_set: Option<String>,
    /// Its options in order, each with its argument: `INTO REC`, `RIDFLD KEY`, `GTEQ`; a fact of the parser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
    /// What happens when the command fails, in words; a fact of the parser. `None` if the program cannot test the result. `not handled here`
    /// means the default action, for most conditions an abend, unless a HANDLE CONDITION elsewhere is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
}

item_kind!(CicsOperation {
    lists: ["cics_operations": "CICS command"],
    named_by: ["command", "resource"],
    owner: Parser,
    asked: [command: TextOrNull, resource: TextOrNull, purpose: Text],
    mark: command,
    name: command by as_written,
    detail: resource,
    text: purpose,
});

/// A DL/I operation, of EXEC DLI or of a CALL; a fact of the parser except for its purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DliOperation {
    /// The function: `GU`, `ISRT`; the data item that holds it if nothing more is known.
    pub function: String,
    /// The segment that it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// The purpose of the operation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// The segments that only qualify the path to the others.
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
    /// The PSB, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub psb: Option<String>,
    /// Whether it receives or sends a message of a transaction, and stores nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_message: bool,
    /// The data item that its segment is written from or read into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// The called program: `CBLTDLI`; `None` for EXEC DLI.
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
