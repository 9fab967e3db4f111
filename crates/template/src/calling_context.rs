//! How the estate reaches a program: who runs, calls and starts it, and what data steps give to it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use war_rig_text::LineNumber;

/// How the program is reached: names in order, facts of the parser only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallingContext {
    /// Programs of the estate that call it.
    pub called_by: Vec<String>,
    /// The entry points: the PROCEDURE DIVISION's program and its ENTRY names.
    pub entry_points: Vec<String>,
    /// The records of the LINKAGE SECTION.
    pub linkage_section: Vec<String>,
    /// The steps that run it, the transactions that start it, and the programs that start these transactions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_by: Vec<RunBy>,
    /// The transactions that it starts beside itself, with the programs that these run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<StartedTransaction>,
    /// The programs and copybooks that copy it, if it is a copybook.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<UsedBy>,
    /// The data sets behind its files where it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data_sets: Vec<DataSetUse>,
    /// Its calls that hand over less than the called program describes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub short_calls: Vec<ShortCall>,
    /// The sources that define the programs, copybooks and other things that the document names, such as `program:POLINQ`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defined_in: BTreeMap<String, String>,
}

/// A call that hands over less than the called program describes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ShortCall {
    /// The called program.
    pub program: String,
    /// The line of the CALL.
    pub line: LineNumber,
    /// What it hands over less.
    pub shortage: Shortage,
}

/// What a call hands over less than the called program describes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shortage {
    /// Fewer arguments than parameters.
    Arguments {
        /// The number of arguments.
        handed: usize,
        /// The number of parameters.
        described: usize,
    },
    /// An argument that is shorter than its parameter.
    Bytes {
        /// The argument.
        argument: String,
        /// Its length in bytes.
        handed: u64,
        /// The parameter.
        parameter: String,
        /// Its length in bytes.
        described: u64,
    },
}

/// A transaction that a program starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StartedTransaction {
    /// The transaction.
    pub name: String,
    /// The command: `START` or `RUN`.
    pub how: String,
    /// The programs of the estate that it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// The line of the command in the program's source; none if a copybook has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineNumber>,
}

/// A step that runs a program, a transaction that starts it, or a program that starts the transaction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunBy {
    /// `step`, `transaction` or `program`.
    pub kind: String,
    /// The transaction, the program, or the step with its job before it: `MTHEND.STEP030`.
    pub name: String,
    /// What runs the program if the step does not do so itself: `through IKJEFT01`; the command of a program and its transaction: `START of PI01`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// The source of this fact.
    pub file: String,
    /// The line of this fact.
    pub line: LineNumber,
}

/// A source that copies a copybook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UsedBy {
    /// The program, or the copybook that copies it in turn.
    pub name: String,
    /// `program` or `copybook`.
    pub kind: String,
    /// The source.
    pub file: String,
    /// The line of the COPY. If a program copies it through another copybook, the line is in that copybook.
    pub line: LineNumber,
}

/// What a step assigns to a file instead of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherData {
    /// DUMMY: nothing.
    Dummy,
    /// Lines of the job itself.
    InStream,
    /// Output to print.
    Sysout,
}

/// What a step assigns to a file of the program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DataSetUse {
    /// The file's name in the program.
    pub file: String,
    /// The DD name that the file is assigned to.
    pub dd: String,
    /// The data set; empty if it is something else.
    pub data_set: String,
    /// The relative generation of the data set that the step names: 0 is the current one, 1 the next, -1 the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<i32>,
    /// What it is if it is no data set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherData>,
    /// The step with its job before it: `MTHEND.STEP030`.
    pub step: String,
    /// How the program uses it: letters of `CRUD`.
    pub access: String,
}
