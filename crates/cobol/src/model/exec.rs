//! EXEC blocks: embedded SQL, CICS and DL/I.

use crate::embedded_sql::SqlStatement;
use serde::Serialize;
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange};

/// The language of an EXEC block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ExecKind {
    /// `EXEC SQL`.
    Sql,
    /// `EXEC CICS`.
    Cics,
    /// `EXEC DLI`.
    Dli,
    /// Any other.
    #[default]
    Other,
}

impl ExecKind {
    /// Returns the language's name in words.
    pub fn in_words(self) -> &'static str {
        match self {
            ExecKind::Sql => "SQL",
            ExecKind::Cics => "CICS",
            ExecKind::Dli => "DL/I",
            ExecKind::Other => "the embedded",
        }
    }
}

/// An EXEC block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecBlock {
    /// Its language.
    pub kind: ExecKind,
    /// The command: `READ`, `SEND MAP`, `SELECT`.
    pub command: String,
    /// The resource: a file, map, queue, program, transaction, segment, table or cursor; upper case, without quotes.
    pub resource: Option<String>,
    /// Whether the block names the resource itself; otherwise a data item contains the name.
    pub is_literal: bool,
    /// The literals that the program assigns to the data item of the resource, as in [`ProgramCall::candidates`](super::ProgramCall::candidates).
    pub candidates: Arc<[(String, LineNumber)]>,
    /// The tables of an SQL statement, including those of its cursor, or the segments of a DL/I command; in order, each once.
    pub tables: Vec<String>,
    /// The cursor that an SQL statement declares, opens, fetches from or closes, or whose current row it changes.
    pub cursor: Option<String>,
    /// Its options in order, each with the text in its parentheses; for SQL only the condition of WHENEVER and its action.
    pub options: Vec<(String, Option<String>)>,
    /// The details of an SQL statement.
    pub sql: Option<Box<SqlStatement>>,
    /// The lines of the block.
    pub lines: LineRange,
    /// The index of the paragraph that contains it.
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// The copybook that contains it.
    pub file: Option<String>,
}
