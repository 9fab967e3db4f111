//! The items of documents of what stands around COBOL. All of them are the readers' facts in words made from them.
//!
//! Where an item names something that another source defines, it says which one in `document`, and the page links to that source's
//! page.

mod databases;
mod definitions;
mod jobs;
mod maps;
mod tables;

pub use databases::{DatabaseUnit, PcbUnit, PsbUnit, SegmentUnit};
pub use definitions::DefinitionUnit;
pub use jobs::{
    ControlStatement, DdData, DdFile, JobData, JobUnit, ProcedureUnit, StepDd, StepProgram, StepUnit,
};
pub use maps::{MapFieldUnit, MapSetUnit, MapUnit};
pub use tables::{ColumnUnit, ForeignKeyUnit, IndexUnit, KeyUnit, TableUnit};

use serde::{Deserialize, Serialize};

/// Something that an item names: a program, a procedure, a copybook, a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mention {
    /// What it is, in words: `program`, `CICS file`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The source that defines it; none where the estate does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// What is said of it here: how it is used, by which step, under which file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An operand with its value: of a card, of a definition, of a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedValue {
    /// Its keyword.
    pub name: String,
    /// Its value as written; empty for a keyword alone, or a symbol without a default.
    pub value: String,
}

/// Something that is used, and how many of its users are not named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Users {
    /// Those that are named, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Mention>,
    /// How many there are besides.
    pub more: u64,
}

impl Users {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.more == 0
    }
}
