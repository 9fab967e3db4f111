//! What the reader knows of one JCL source.
//!
//! Names are upper case. Lines are one-based and inclusive. What stands in another file than the one that was read, as the steps of
//! a procedure do where a job runs them, carries that file's name in `file`; its lines are lines of that file.

use super::facts::{first_line, keywords, resolved, resolved_each};
use super::symbols::names_in;
use serde::Serialize;
use std::sync::Arc;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineRange, line_and_end};

/// Everything the reader found in one source, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JclSource {
    /// The file's name, as it was handed in.
    pub file: Arc<str>,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// The procedures: catalogued ones and those that stand in a job's stream, and what stands outside of both.
    pub procedures: Vec<Procedure>,
    /// What is said to the job entry subsystem: `/*JOBPARM`, `//*MAIN` and their like.
    pub controls: Vec<JesControl>,
    /// What went wrong or deserves notice.
    pub diagnostics: Vec<Diagnostic>,
}

impl JclSource {
    /// Whether the file can stand in a library of procedures: it has statements outside of jobs. A job and a procedure may have files of the
    /// same name, and a library that is filled by name goes by this.
    pub fn has_procedure(&self) -> bool {
        self.procedures.iter().any(|procedure| procedure.kind != ProcedureKind::InStream)
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The name on its card; empty where the card has none.
    pub name: String,
    /// The accounting information, without its outer brackets.
    pub accounting: Option<String>,
    /// The programmer's name.
    pub programmer: Option<String>,
    /// The operands of the card, positional ones too: CLASS, MSGCLASS, COND, RESTART.
    #[serde(serialize_with = "keywords")]
    pub parameters: Vec<JclOperand>,
    /// The libraries of JCLLIB ORDER in their order, where procedures and members are looked for.
    #[serde(serialize_with = "resolved_each")]
    pub libraries: Vec<SymbolicText>,
    /// The lines of the JOB card.
    #[serde(skip)]
    pub card: LineRange,
    /// The comments above the card and between it and the first statement behind it.
    pub comments: Vec<JclComment>,
    /// What stands in it.
    #[serde(flatten)]
    pub body: JclBody,
    /// From its card to its null statement or to the line before the next card.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// Where a procedure stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ProcedureKind {
    /// Between PROC and PEND in a job.
    InStream,
    /// In a member of its own, from its PROC card on.
    Catalogued,
    /// Statements without a JOB or PROC card: a procedure without symbols of its own, or what INCLUDE brings in.
    Member,
}

impl ProcedureKind {
    /// The name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Procedure {
    /// The name on its PROC card. A catalogued procedure goes by the name of its member, whatever its card says.
    pub name: Option<String>,
    /// Where it stands.
    pub kind: ProcedureKind,
    /// The index of the job that an in-stream procedure belongs to.
    pub job: Option<usize>,
    /// Its symbols with their defaults; an empty default is one.
    pub symbols: Vec<Symbol>,
    /// From its PROC card to its PEND.
    pub lines: LineRange,
    /// The comments above its card and between it and the first statement behind it.
    pub comments: Vec<JclComment>,
    /// What stands in it.
    pub body: JclBody,
}

/// The statements of a job or of a procedure. Each list is in source order, and lines say how the lists interleave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JclBody {
    /// What SET gives to symbols.
    pub symbols: Vec<Symbol>,
    /// The members that are included.
    pub includes: Vec<Include>,
    /// The DDs before the first step: JOBLIB and its like, or those that an INCLUDE brings to a step.
    pub dds: Vec<Dd>,
    /// The steps.
    pub steps: Vec<JobStep>,
    /// The comments behind the last statement: a step that is commented out, say.
    #[serde(rename = "trailing_comments", skip_serializing_if = "Vec::is_empty")]
    pub trailing: Vec<JclComment>,
}

/// A symbol and the value it is given: by SET, on a PROC card or on an EXEC of a procedure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Its name, without the ampersand.
    pub name: String,
    /// Its value without outer quotes, which may be empty.
    #[serde(flatten)]
    pub value: SymbolicText,
    /// The lines of the operand.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// An INCLUDE statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Include {
    /// The member.
    #[serde(serialize_with = "resolved")]
    pub member: SymbolicText,
    /// The conditions it stands under.
    pub conditions: Vec<IfCondition>,
    /// The lines of the statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// A text as it is written, and with its symbols replaced where their values are known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SymbolicText {
    /// The text as written; empty for an operand that comes out of the value of a symbol.
    pub written: String,
    /// The text with known symbols replaced, in upper case outside quotes. Other symbols stand in it as written.
    pub resolved: String,
}

impl SymbolicText {
    /// The symbols that have no value, each as often as it stands there. `&&X` is a temporary dataset and no symbol.
    pub fn unresolved(&self) -> impl Iterator<Item = &str> {
        names_in(&self.resolved)
    }

    /// Whether all its symbols have values.
    pub fn is_resolved(&self) -> bool {
        self.unresolved().next().is_none()
    }
}

/// An operand of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JclOperand {
    /// The keyword, with the step it is for where it names one (`PARM.RUN`); none of a positional operand.
    pub name: Option<String>,
    /// What stands behind the equals sign, quotes and brackets included; the operand itself where it is positional.
    #[serde(flatten)]
    pub value: SymbolicText,
    /// The lines on which it stands.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// A comment: `//*` lines that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JclComment {
    /// Its words line by line, without rules of asterisks and hyphens and without the frame around them.
    pub text: Vec<String>,
    /// All lines of it, the ornamental ones too.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// A branch of IF that a step stands in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IfCondition {
    /// The condition as written between IF and THEN, single blanks between its words.
    pub text: String,
    /// Whether the step runs where the condition holds; else it stands behind ELSE.
    pub holds: bool,
    /// The lines of the IF statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// What an EXEC statement names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecTarget {
    /// `PGM=`: a program.
    Program(SymbolicText),
    /// `PGM=*.STEP.DD`: the member that a DD of an earlier step names.
    Reference(String),
    /// A procedure, with or without `PROC=`.
    Procedure(SymbolicText),
    /// Nothing that could be read.
    Nothing,
}

/// A step: an EXEC statement with what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStep {
    /// Its name; empty where it has none.
    pub name: String,
    /// What it executes.
    pub executes: ExecTarget,
    /// The operands of EXEC, `PGM=` and the procedure's name included.
    pub parameters: Vec<JclOperand>,
    /// The branches of IF it stands in, outermost first.
    pub conditions: Vec<IfCondition>,
    /// Its DDs in their order.
    pub dds: Vec<Dd>,
    /// The comments above it.
    pub comments: Vec<JclComment>,
    /// The lines of its EXEC statement.
    pub exec: LineRange,
    /// From its EXEC to the last line of its DDs.
    pub lines: LineRange,
    /// The file it stands in.
    pub file: Option<Arc<str>>,
}

impl JobStep {
    /// The program of `PGM=` with its symbols replaced where they are known.
    pub fn program(&self) -> Option<&str> {
        match &self.executes {
            ExecTarget::Program(program) if !program.resolved.is_empty() => Some(&program.resolved),
            _ => None,
        }
    }

    /// The procedure it executes.
    pub fn procedure(&self) -> Option<&str> {
        match &self.executes {
            ExecTarget::Procedure(procedure) if !procedure.resolved.is_empty() => Some(&procedure.resolved),
            _ => None,
        }
    }

    /// The operand of this keyword: `COND`, `PARM`, `PARM.RUN`.
    pub fn parameter(&self, name: &str) -> Option<&JclOperand> {
        find(&self.parameters, name)
    }

    /// Its first DD of this name that is not for a step of a procedure.
    pub fn dd(&self, name: &str) -> Option<&Dd> {
        self.dds.iter().find(|dd| dd.name == name && dd.target.is_none())
    }
}

impl Job {
    /// The operand of the card with this keyword: `CLASS`, `COND`, `RESTART`.
    pub fn parameter(&self, name: &str) -> Option<&JclOperand> {
        find(&self.parameters, name)
    }
}

/// The operand of this keyword.
pub(super) fn find<'a>(parameters: &'a [JclOperand], name: &str) -> Option<&'a JclOperand> {
    parameters.iter().find(|parameter| parameter.name.as_deref() == Some(name))
}

/// A DD: a name and what is allocated to it, several allocations where it is a concatenation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dd {
    /// Its name; empty where an unnamed one has none before it.
    pub name: String,
    /// The step of the procedure that it is for: `STEP` of `//STEP.NAME`.
    pub target: Option<String>,
    /// What is allocated, in the order of concatenation; one for each DD statement.
    pub allocations: Vec<Allocation>,
    /// The comments above it.
    pub comments: Vec<JclComment>,
    /// From its first statement to the last, in-stream data included.
    pub lines: LineRange,
    /// The file it stands in.
    pub file: Option<Arc<str>>,
}

/// What kind of thing a DD statement allocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AllocationKind {
    /// A dataset with a name.
    Dataset,
    /// A dataset that lives as long as its job: `&&X`, or one without a name.
    Temporary,
    /// Lines of the job itself.
    InStream,
    /// Output to print or hold: SYSOUT.
    Sysout,
    /// DUMMY, or `DSN=NULLFILE`.
    Dummy,
    /// A file of the UNIX file system: PATH.
    Path,
    /// What another DD allocates, where it is not known what that is: `DSN=*.STEP.DD`.
    Reference,
    /// No operand: in an override it leaves what the procedure has.
    Nothing,
    /// Something else: `DDNAME=`, `SUBSYS=`, a terminal.
    Other,
}

impl AllocationKind {
    /// The name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What a DD statement says of how its step uses what it allocates. It is judged from DISP and its like alone: what a program does with
/// a dataset, only its OPEN says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DdUsage {
    /// NEW: the step makes it, and so writes it.
    Created,
    /// MOD: the step adds to it, or makes it where there is none.
    Extended,
    /// OLD: the step has it alone, and may read or write it.
    Exclusive,
    /// SHR: others may have it at the same time; it is read as a rule, though a VSAM file or a library may be written.
    Shared,
    /// In-stream data: it can only be read.
    Read,
    /// SYSOUT: it can only be written.
    Written,
    /// Nothing is read or written: DUMMY.
    Nothing,
    /// Nothing can be said: a symbol stands where the status is, or a reference was not found.
    Unknown,
}

impl DdUsage {
    /// The name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What it means, to stand behind the name of a DD.
    pub fn in_words(self) -> &'static str {
        match self {
            DdUsage::Created => "is created here",
            DdUsage::Extended => "is added to, or created where it does not exist",
            DdUsage::Exclusive => "is held alone, and read or written",
            DdUsage::Shared => "is shared, and read as a rule",
            DdUsage::Read => "is read",
            DdUsage::Written => "is written",
            DdUsage::Nothing => "is neither read nor written",
            DdUsage::Unknown => "is read or written",
        }
    }
}

/// DISP: the status, and what becomes of a dataset when the step ends normally or not. Each as written, or none where nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Disposition {
    /// NEW, OLD, SHR or MOD.
    pub status: Option<String>,
    /// KEEP, CATLG, UNCATLG, DELETE or PASS.
    pub normal: Option<String>,
    /// The same after an abend.
    pub abnormal: Option<String>,
}

/// What one DD statement allocates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// What kind of thing.
    pub kind: AllocationKind,
    /// The dataset's name without member and generation, or the path. Where a reference was found, the name it leads to.
    pub dataset: Option<SymbolicText>,
    /// The member in brackets behind the name.
    pub member: Option<String>,
    /// The generation in brackets behind the name: 0 is the current one, 1 the next, -1 the one before.
    pub generation: Option<i32>,
    /// The DD that `DSN=*.STEP.DD` refers to, without `*.`.
    pub refers_to: Option<String>,
    /// DISP.
    pub disposition: Option<Disposition>,
    /// What DISP and its like say of how the step uses it.
    pub usage: DdUsage,
    /// SYSOUT's class, program and form as written.
    pub sysout: Option<String>,
    /// The in-stream data.
    pub in_stream: Option<InStreamData>,
    /// All operands as written, those that are told above too.
    pub operands: Vec<JclOperand>,
    /// The lines of the statement and of its in-stream data.
    pub lines: LineRange,
    /// The file it stands in.
    pub file: Option<Arc<str>>,
}

impl Allocation {
    /// The operand of this keyword: `RECFM`, `LRECL`, `DCB`, `UNIT`.
    pub fn operand(&self, name: &str) -> Option<&JclOperand> {
        find(&self.operands, name)
    }

    /// Whether the dataset is gone when the step has ended normally. One that the step creates is, where nothing else is said.
    pub fn is_deleted(&self) -> bool {
        let is_dataset = matches!(
            self.kind,
            AllocationKind::Dataset | AllocationKind::Temporary | AllocationKind::Reference
        );
        match self.normal() {
            Some(normal) => normal == "DELETE",
            None => is_dataset && self.usage == DdUsage::Created,
        }
    }

    /// How the step uses it and what becomes of it, to stand behind the name of a DD: `is created here, and catalogued`.
    pub fn in_words(&self) -> String {
        if self.kind == AllocationKind::Temporary && self.dataset.is_none() && self.is_deleted() {
            return "is a work file of this step alone".to_owned();
        }
        let end = match self.normal() {
            _ if self.is_deleted() => ", and deleted when the step ends",
            Some("CATLG") => ", and catalogued",
            Some("UNCATLG") => ", and taken out of the catalog",
            Some("PASS") => ", and passed on to later steps",
            _ => "",
        };
        format!("{}{end}", self.usage.in_words())
    }

    fn normal(&self) -> Option<&str> {
        self.disposition.as_ref().and_then(|disposition| disposition.normal.as_deref())
    }
}

/// In-stream data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InStreamData {
    /// Its lines without the delimiter; none where there are none.
    pub lines: Option<LineRange>,
    /// Its lines, each with a line end, in columns 1 to 80; with symbols replaced where `SYMBOLS=` asks for it.
    pub text: Arc<str>,
}

/// A statement to the job entry subsystem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JesControl {
    /// The statement without `/*` or `//*`.
    pub text: String,
    /// Its line.
    #[serde(rename = "line", serialize_with = "first_line")]
    pub lines: LineRange,
}
