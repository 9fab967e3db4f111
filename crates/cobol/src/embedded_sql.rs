//! The contents of EXEC blocks in their own languages.

use crate::access::CrudAccess;
use serde::Serialize;
use std::fmt;
use std::ops::Not;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// How the parser read an SQL statement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlParseMethod {
    /// The SQL parser read it in full.
    Parser,
    /// The small grammar of embedded statements read it in full: OPEN, FETCH, WHENEVER.
    Grammar,
    /// Only keyword scanning worked: tables are known, columns are not.
    #[default]
    Words,
}

/// The details of an SQL statement, except its operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SqlStatement {
    /// How the parser read it.
    #[serde(rename = "read_by")]
    pub parsed_by: SqlParseMethod,
    /// Why no grammar could read it, in words; only with [`SqlParseMethod::Words`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Its tables in order, each once; for a cursor, those of its declaration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<SqlTable>,
    /// Columns that are read from a table that the statement alone does not identify.
    #[serde(rename = "columns_unplaced", skip_serializing_if = "Vec::is_empty")]
    pub unresolved_columns: Vec<String>,
    /// The host variables in order, each once per direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub host_variables: Vec<HostVariable>,
    /// The declaration of the cursor that it uses.
    #[serde(rename = "cursor_declared_at", skip_serializing_if = "Option::is_none")]
    pub cursor_declared: Option<SourceSpan>,
    /// Whether the text of the executed statement is built at run time.
    #[serde(rename = "dynamic", skip_serializing_if = "Not::not")]
    pub is_dynamic: bool,
    /// The prepared statement that it prepares, executes, describes or declares a cursor for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepared: Option<String>,
    /// The host variable or literal that contains the text of a dynamic statement, if the source shows one.
    #[serde(rename = "text_in", skip_serializing_if = "Option::is_none")]
    pub text_source: Option<String>,
    /// Its clauses about rows and values, in order.
    #[serde(skip)]
    pub clauses: Vec<SqlClause>,
    /// The clauses of the query that its cursor is declared for; only of OPEN and FETCH.
    #[serde(skip)]
    pub cursor_query: Arc<[SqlClause]>,
    /// Whether it is a FETCH that may read another row than the next, or several.
    #[serde(skip)]
    pub(crate) is_positioned: bool,
    /// Where control goes if it does not end well, by the WHENEVER statements in force.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handlers: Vec<SqlHandler>,
    /// The columns that DECLARE TABLE describes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defines: Vec<SqlColumn>,
}

/// A clause of an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlClause {
    /// The keyword or keywords that begin it: `WHERE`, `ORDER BY`. `COLUMNS` are those that INSERT names, `ROWS` the values of several
    /// rows, `ARGUMENTS` those of CALL.
    pub word: &'static str,
    /// The text after them, split at the commas outside parentheses, with single blanks between words and colons before host
    /// variables. The parentheses around columns, arguments and the values of one row are left out.
    pub items: Vec<String>,
}

impl SqlClause {
    /// Returns the text after the keywords.
    pub fn text(&self) -> String {
        let text = self.items.join(", ");
        if matches!(self.word, "COLUMNS" | "VALUES" | "ARGUMENTS") { format!("({text})") } else { text }
    }
}

impl fmt::Display for SqlClause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.word == "ROWS" { "VALUES" } else { self.word };
        write!(f, "{word} {}", self.text())
    }
}

/// The end of a statement that WHENEVER handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlCondition {
    /// SQLCODE is below 0.
    SqlError,
    /// SQLCODE is above 0 but not 100, or there is a warning.
    SqlWarning,
    /// SQLCODE is 100.
    NotFound,
}

/// Where control goes from a statement that ends in some way, by the last WHENEVER above it in the source. Source: Db2 for z/OS, SQL
/// Reference, WHENEVER.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SqlHandler {
    /// How the statement ends.
    pub condition: SqlCondition,
    /// The paragraph or section; none for STOP, which ends the run.
    pub label: Option<String>,
    /// Whether control comes back: `DO PERFORM`.
    #[serde(rename = "performed", skip_serializing_if = "Not::not")]
    pub is_performed: bool,
    /// The index of the block with the WHENEVER.
    #[serde(skip)]
    pub whenever: usize,
}

/// A table of an SQL statement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SqlTable {
    /// Its name in upper case, with the schema if one is written.
    pub name: String,
    /// What the statement does to it.
    #[serde(rename = "access")]
    pub accesses: CrudAccess,
    /// Whether all columns are read: `SELECT *`.
    #[serde(rename = "all_columns_read", skip_serializing_if = "Not::not")]
    pub reads_all: bool,
    /// The columns that the statement reads, in order, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_read: Vec<String>,
    /// Whether all columns are written: INSERT without a list.
    #[serde(rename = "all_columns_written", skip_serializing_if = "Not::not")]
    pub writes_all: bool,
    /// The columns that the statement writes, in order, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_written: Vec<String>,
}

/// A column in DECLARE TABLE.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its type as written, with single blanks between words: `DECIMAL(9, 2)`.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Whether it is NOT NULL.
    #[serde(skip_serializing_if = "Not::not")]
    pub not_null: bool,
    /// The line of its name.
    pub line: LineNumber,
}

/// The direction of data through a host variable.
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
    /// The direction of data.
    pub direction: HostVariableDirection,
    /// The item that indicates NULL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indicator: Option<String>,
}

impl HostVariable {
    /// Returns the name of the item, without the group that qualifies it.
    pub(crate) fn item_name(&self) -> &str {
        unqualified(&self.name)
    }
}

/// Returns a name without the schema, table or group before it.
pub(crate) fn unqualified(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether a table is one of those of one row that Db2 has for statements that only calculate: `SYSIBM.SYSDUMMY1`.
pub fn is_dummy_table(name: &str) -> bool {
    unqualified(name).to_uppercase().starts_with("SYSDUMMY")
}

/// A location in a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceSpan {
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The copybook; none for the file itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Returns the label that the action of a WHENEVER leads to, and whether control comes back from there; none for CONTINUE and STOP.
pub fn whenever_target(action: &str) -> Option<(&str, bool)> {
    let targets = [("GOTO ", false), ("GO TO ", false), ("DO PERFORM ", true), ("PERFORM ", true)];
    let (label, returns) = targets.iter().find_map(|(to, returns)| Some((action.strip_prefix(to)?, *returns)))?;
    Some((label.split(' ').next()?.trim_start_matches(':'), returns))
}
