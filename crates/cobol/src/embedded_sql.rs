//! What EXEC blocks say in their own languages.

use crate::access::CrudAccess;
use serde::Serialize;
use std::ops::Not;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// How an SQL statement was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlParseMethod {
    /// By an SQL parser, in full.
    Parser,
    /// By the small grammar of embedded statements, in full: OPEN, FETCH, WHENEVER.
    Grammar,
    /// By its words alone: tables are known, columns are not.
    #[default]
    Words,
}

/// What an SQL statement says beside its operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SqlStatement {
    /// How it was read.
    #[serde(rename = "read_by")]
    pub parsed_by: SqlParseMethod,
    /// Why no grammar read it, in words; only with [`SqlParseMethod::Words`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Its tables in order, each once; those of a cursor are the ones of its declaration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<SqlTable>,
    /// Columns that are read of a table that the statement alone does not tell.
    #[serde(rename = "columns_unplaced", skip_serializing_if = "Vec::is_empty")]
    pub unresolved_columns: Vec<String>,
    /// The host variables in order, each once in each way of using it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_variables: Vec<HostVariable>,
    /// Where the cursor that it uses is declared.
    #[serde(rename = "cursor_declared_at", skip_serializing_if = "Option::is_none")]
    pub cursor_declared: Option<SourceSpan>,
    /// Whether the statement that runs is put together while the program runs.
    #[serde(rename = "dynamic", skip_serializing_if = "Not::not")]
    pub is_dynamic: bool,
    /// The prepared statement that it prepares, executes, describes or declares a cursor for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<String>,
    /// The host variable or literal that holds the text of a dynamic statement, where the source shows one.
    #[serde(rename = "text_in", skip_serializing_if = "Option::is_none")]
    pub text_source: Option<String>,
    /// What it says of rows and values, in order.
    #[serde(skip)]
    pub clauses: Vec<SqlClause>,
    /// The columns that DECLARE TABLE describes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<SqlColumn>,
}

/// A clause of an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlClause {
    /// The word or words that begin it: `WHERE`, `ORDER BY`.
    pub word: &'static str,
    /// What stands behind them, single blanks between its words, host variables with their colons.
    pub text: String,
}

/// A table of an SQL statement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SqlTable {
    /// Its name in upper case, with the schema where one is written.
    pub name: String,
    /// What the statement does with it.
    #[serde(rename = "access")]
    pub accesses: CrudAccess,
    /// Whether all columns are read: `SELECT *`.
    #[serde(rename = "all_columns_read", skip_serializing_if = "Not::not")]
    pub reads_all: bool,
    /// The columns that are read, in order, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_read: Vec<String>,
    /// Whether all columns are written: INSERT without a list.
    #[serde(rename = "all_columns_written", skip_serializing_if = "Not::not")]
    pub writes_all: bool,
    /// The columns that are written, in order, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_written: Vec<String>,
}

/// A column as DECLARE TABLE describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its type as written, single blanks between its words: `DECIMAL(9, 2)`.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Whether it must have a value.
    #[serde(skip_serializing_if = "Not::not")]
    pub not_null: bool,
    /// The line of its name.
    pub line: LineNumber,
}

/// Which way data goes through a host variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostVariableDirection {
    /// From the program to the database.
    In,
    /// From the database to the program.
    Out,
    /// Either or both: the parameters of CALL.
    InOut,
}

/// A data item of the program in an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct HostVariable {
    /// Its name as written, without the colon: `DCLAGENT.AGENT-NO`.
    pub name: String,
    /// Which way data goes.
    pub direction: HostVariableDirection,
    /// The item that says whether it is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indicator: Option<String>,
}

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceSpan {
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The copybook; none for the file itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}
