//! What EXEC blocks say in their own languages.

use crate::access::Accesses;
use serde::Serialize;
use war_rig_text::{LineNumber, LineRange};

/// How an SQL statement was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SqlReading {
    /// By an SQL parser, in full.
    Parser,
    /// By the small grammar of embedded statements, in full: OPEN, FETCH, WHENEVER.
    Grammar,
    /// By its words alone: tables are known, columns are not.
    #[default]
    Words,
}

/// What an SQL statement says beside its operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SqlStatement {
    /// How it was read.
    pub read_by: SqlReading,
    /// Why no grammar read it, in words; only with [`SqlReading::Words`].
    pub refused: Option<String>,
    /// Its tables in order, each once; those of a cursor are the ones of its declaration.
    pub tables: Vec<SqlTable>,
    /// Columns that are read of a table that the statement alone does not tell.
    pub columns_unplaced: Vec<String>,
    /// The host variables in order, each once in each way of using it.
    pub host_variables: Vec<HostVariable>,
    /// Where the cursor that it uses is declared.
    pub cursor_declared: Option<Place>,
    /// The prepared statement that it prepares, executes, describes or declares a cursor for.
    pub prepared: Option<String>,
    /// The host variable or literal that holds the text of a dynamic statement, where the source shows one.
    pub text_in: Option<String>,
    /// Whether the statement that runs is put together while the program runs.
    pub is_dynamic: bool,
    /// What it says of rows and values, in order.
    pub clauses: Vec<SqlClause>,
    /// The columns that DECLARE TABLE describes.
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SqlTable {
    /// Its name in upper case, with the schema where one is written.
    pub name: String,
    /// What the statement does with it.
    pub accesses: Accesses,
    /// The columns that are read, in order, each once.
    pub columns_read: Vec<String>,
    /// The columns that are written, in order, each once.
    pub columns_written: Vec<String>,
    /// Whether all columns are read: `SELECT *`.
    pub reads_all: bool,
    /// Whether all columns are written: INSERT without a list.
    pub writes_all: bool,
}

/// A column as DECLARE TABLE describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlColumn {
    /// Its name.
    pub name: String,
    /// Its type as written, single blanks between its words: `DECIMAL(9, 2)`.
    pub data_type: String,
    /// Whether it must have a value.
    pub not_null: bool,
    /// The line of its name.
    pub line: LineNumber,
}

/// Which way data goes through a host variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the program to the database.
    In,
    /// From the database to the program.
    Out,
    /// Either or both: the parameters of CALL.
    InOut,
}

/// A data item of the program in an SQL statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostVariable {
    /// Its name as written, without the colon: `DCLAGENT.AGENT-NO`.
    pub name: String,
    /// Which way data goes.
    pub direction: Direction,
    /// The item that says whether it is null.
    pub indicator: Option<String>,
}

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its lines.
    pub lines: LineRange,
    /// The copybook; none for the file itself.
    pub file: Option<String>,
}
