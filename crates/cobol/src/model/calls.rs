//! Calls to other programs.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// How a program transfers control to another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum CallKind {
    /// CALL of a literal.
    Static,
    /// CALL of a data item.
    Dynamic,
    /// `EXEC CICS LINK`.
    CicsLink,
    /// `EXEC CICS XCTL`.
    CicsXctl,
    /// A macro that names the program; what it does is not in the source.
    Macro,
}

impl CallKind {
    /// Returns the name used in documents and JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A call to another program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProgramCall {
    /// The program's name, or the data item that contains it.
    pub target: String,
    /// The literal as written, where it has letters in lower case: they count for a library in C.
    #[serde(skip)]
    pub spelling: Option<String>,
    /// How it is called.
    pub kind: CallKind,
    /// Whether the target is a literal; otherwise it is a data item that contains the name.
    #[serde(skip)]
    pub is_literal: bool,
    /// The lines of the statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The operands after USING.
    pub using: Vec<String>,
    /// The literals that the program assigns to the data item of a dynamic call: its VALUE, a MOVE, or a MOVE from an item
    /// that has a VALUE and never changes. Each appears once, with its first line.
    #[serde(flatten, serialize_with = "crate::facts::candidates")]
    pub candidates: Arc<[(String, LineNumber)]>,
    /// The other items that are moved to it and may reach the call, each with its first line.
    #[serde(skip)]
    pub moved_items: Arc<[(String, LineNumber)]>,
    /// Whether nothing else than the candidates reaches the call.
    #[serde(skip)]
    pub is_certain: bool,
    /// The index of the statement; none outside the PROCEDURE DIVISION.
    #[serde(skip)]
    pub statement: Option<usize>,
    /// The index of the paragraph that contains it.
    #[serde(skip)]
    pub paragraph: Option<usize>,
    /// The index of the program; none in a fragment.
    #[serde(skip)]
    pub program: Option<usize>,
    /// The copybook that contains it.
    #[serde(skip)]
    pub file: Option<String>,
}

impl ProgramCall {
    /// Returns the target as a reader knows it: in capitals, unless the source has it as a literal with letters in lower case.
    pub fn shown(&self) -> &str {
        self.spelling.as_deref().unwrap_or(&self.target)
    }
}
