//! The facts of one JCL source.
//!
//! Names are upper case. Lines are one-based and inclusive. Facts from another file than the parsed one, such as the steps of
//! a procedure that a job runs, carry that file's name in `file`; their lines are lines of that file.

use super::operands::list;
use super::serialized::{first_line, keywords, resolved, resolved_each};
use super::symbols::names_in;
use serde::Serialize;
use std::sync::Arc;
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange, line_and_end};

/// All facts of one source, in source order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JclSource {
    /// The file's name, as the caller passed it.
    pub file: Arc<str>,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// The procedures: catalogued and in-stream ones, and statements outside of jobs and procedures.
    pub procedures: Vec<Procedure>,
    /// The statements to the job entry subsystem: `/*JOBPARM`, `//*MAIN` and similar.
    pub controls: Vec<JesControl>,
    /// What stands behind null statements and belongs to no job.
    pub unread: Vec<UnreadStatements>,
    /// Errors and notes.
    pub diagnostics: Vec<Diagnostic>,
}

impl JclSource {
    /// Whether the file can belong to a procedure library: it has statements outside of jobs. A job and a procedure may have files of the
    /// same name, so a library that is filled by name uses this check.
    pub fn has_procedure(&self) -> bool {
        self.procedures.iter().any(|procedure| procedure.kind != ProcedureKind::InStream)
    }
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Job {
    /// The name on its card; empty if the card has none.
    pub name: String,
    /// The accounting information, without its outer parentheses.
    pub accounting: Option<String>,
    /// The programmer's name.
    pub programmer: Option<String>,
    /// The operands of the card, including positional ones: CLASS, MSGCLASS, COND, RESTART.
    #[serde(serialize_with = "keywords")]
    pub parameters: Vec<JclOperand>,
    /// The libraries of JCLLIB ORDER, in the order in which procedures and members are searched.
    #[serde(serialize_with = "resolved_each")]
    pub libraries: Vec<SymbolicText>,
    /// The lines of the JOB card.
    #[serde(skip)]
    pub card: LineRange,
    /// The comments above the card and between it and the next statement.
    pub comments: Vec<JclComment>,
    /// Its statements.
    #[serde(flatten)]
    pub body: JclBody,
    /// From its card to its null statement or the line before the next card.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// The origin of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ProcedureKind {
    /// Between PROC and PEND in a job.
    InStream,
    /// In a member of its own, from its PROC card on.
    Catalogued,
    /// Statements without a JOB or PROC card: a procedure without symbols of its own, or an included member.
    Member,
}

impl ProcedureKind {
    /// Returns the name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Procedure {
    /// The name on its PROC card. A catalogued procedure is known by its member name, whatever its card says.
    pub name: Option<String>,
    /// Its origin.
    pub kind: ProcedureKind,
    /// The index of the job that an in-stream procedure belongs to.
    pub job: Option<usize>,
    /// Its symbols with their defaults; a default may be empty.
    pub symbols: Vec<Symbol>,
    /// From its PROC card to its PEND.
    pub lines: LineRange,
    /// The comments above its card and between it and the next statement.
    pub comments: Vec<JclComment>,
    /// Its statements.
    pub body: JclBody,
}

/// The statements of a job or of a procedure. Each list is in source order; line numbers show how the lists interleave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JclBody {
    /// The symbols that SET defines.
    pub symbols: Vec<Symbol>,
    /// The EXPORT statements, which give symbols to data in the stream behind them.
    #[serde(skip)]
    pub exports: Vec<SymbolExport>,
    /// The included members.
    pub includes: Vec<Include>,
    /// The DDs before the first step: JOBLIB and similar, or those that an INCLUDE adds to a step.
    pub dds: Vec<Dd>,
    /// The steps.
    pub steps: Vec<JobStep>,
    /// The comments after the last statement, such as a step that is commented out.
    #[serde(rename = "trailing_comments", skip_serializing_if = "Vec::is_empty")]
    pub trailing: Vec<JclComment>,
}

/// A symbol and its value, from SET, a PROC card or the EXEC of a procedure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Symbol {
    /// Its name, without the ampersand.
    pub name: String,
    /// Its value without outer quotes; may be empty.
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
    /// The IF branches that contain it.
    pub conditions: Vec<IfCondition>,
    /// The lines of the statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
}

/// An EXPORT statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolExport {
    /// The symbols of its SYMLIST; `*` stands for all.
    pub names: Vec<String>,
    /// Its lines.
    pub lines: LineRange,
}

/// A text as written, and with known symbols replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SymbolicText {
    /// The text as written; empty for an operand that comes from the value of a symbol.
    pub written: String,
    /// The text with known symbols replaced, in upper case outside quotes. Unknown symbols remain as written.
    pub resolved: String,
}

impl SymbolicText {
    /// Returns each occurrence of a symbol without a value. `&&X` is a temporary dataset, not a symbol.
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
    /// The keyword, with the step that it applies to if it names one (`PARM.RUN`); none for a positional operand.
    pub name: Option<String>,
    /// The text after the equals sign, with quotes and parentheses; for a positional operand, the operand itself.
    #[serde(flatten)]
    pub value: SymbolicText,
    /// Its lines.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// A comment: consecutive `//*` lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JclComment {
    /// Its text line by line, without rules of asterisks and hyphens and without a frame.
    pub text: Vec<String>,
    /// All of its lines, including ornamental ones.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// An IF branch that contains a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IfCondition {
    /// The condition as written between IF and THEN, with single blanks between words.
    pub text: String,
    /// Whether the step runs if the condition is true; otherwise it is in the ELSE branch.
    pub holds: bool,
    /// The lines of the IF statement.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// The file that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
}

/// The target of an EXEC statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExecTarget {
    /// `PGM=`: a program.
    Program(SymbolicText),
    /// `PGM=*.STEP.DD`: the member that a DD of an earlier step names.
    Reference(String),
    /// A procedure, with or without `PROC=`.
    Procedure(SymbolicText),
    /// Nothing readable.
    Nothing,
}

/// A step: an EXEC statement and the statements that belong to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobStep {
    /// Its name; empty if it has none.
    pub name: String,
    /// What it executes.
    pub executes: ExecTarget,
    /// The operands of EXEC, including `PGM=` and the procedure's name.
    pub parameters: Vec<JclOperand>,
    /// The IF branches that contain it, outermost first.
    pub conditions: Vec<IfCondition>,
    /// Its DDs, in order.
    pub dds: Vec<Dd>,
    /// The comments above it.
    pub comments: Vec<JclComment>,
    /// The lines of its EXEC statement.
    pub exec: LineRange,
    /// From its EXEC to the last line of its DDs.
    pub lines: LineRange,
    /// The file that contains it.
    pub file: Option<Arc<str>>,
}

impl JobStep {
    /// Returns the program of `PGM=` with known symbols replaced.
    pub fn program(&self) -> Option<&str> {
        match &self.executes {
            ExecTarget::Program(program) if !program.resolved.is_empty() => Some(&program.resolved),
            _ => None,
        }
    }

    /// Returns the procedure that it executes.
    pub fn procedure(&self) -> Option<&str> {
        match &self.executes {
            ExecTarget::Procedure(procedure) if !procedure.resolved.is_empty() => Some(&procedure.resolved),
            _ => None,
        }
    }

    /// Returns the operand with this keyword: `COND`, `PARM`, `PARM.RUN`.
    pub fn parameter(&self, name: &str) -> Option<&JclOperand> {
        find(&self.parameters, name)
    }

    /// Returns the lines of its own file that it passes to its program in SYSIN and SYSUT1.
    pub fn embedded_lines(&self) -> impl Iterator<Item = LineRange> {
        let data = self.dds.iter().filter(|dd| dd.file.is_none() && matches!(dd.name.as_str(), "SYSIN" | "SYSUT1"));
        data.flat_map(|dd| &dd.allocations).filter_map(|allocation| allocation.in_stream.as_ref()?.lines)
    }
}

impl Job {
    /// Returns the card's operand with this keyword: `CLASS`, `COND`, `RESTART`.
    pub fn parameter(&self, name: &str) -> Option<&JclOperand> {
        find(&self.parameters, name)
    }
}

/// Returns the operand with this keyword.
pub(super) fn find<'a>(parameters: &'a [JclOperand], name: &str) -> Option<&'a JclOperand> {
    parameters.iter().find(|parameter| parameter.name.as_deref() == Some(name))
}

/// A DD: a name and its allocations; several for a concatenation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dd {
    /// Its name; empty for an unnamed one that follows no named one.
    pub name: String,
    /// The step of the procedure that it applies to: `STEP` of `//STEP.NAME`.
    pub target: Option<String>,
    /// The allocations in the order of concatenation, one for each DD statement.
    pub allocations: Vec<Allocation>,
    /// The comments above it.
    pub comments: Vec<JclComment>,
    /// From its first statement to its last, including in-stream data.
    pub lines: LineRange,
    /// The file that contains it.
    pub file: Option<Arc<str>>,
}

/// What a DD statement allocates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AllocationKind {
    /// A dataset with a name.
    Dataset,
    /// A dataset that exists only during its job: `&&X`, or one without a name.
    Temporary,
    /// In-stream data, lines of the job itself.
    InStream,
    /// Output to print or hold for later: SYSOUT.
    Sysout,
    /// DUMMY, or `DSN=NULLFILE`.
    Dummy,
    /// A file of the UNIX file system: PATH.
    Path,
    /// The allocation of another DD that could not be resolved: `DSN=*.STEP.DD`.
    Reference,
    /// No operands: an override without operands changes nothing in the procedure.
    Nothing,
    /// Anything else: `DDNAME=`, `SUBSYS=`, a terminal.
    Other,
}

impl AllocationKind {
    /// Returns the name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How a step uses what a DD statement allocates, judged from DISP and similar operands alone. Only a program's OPEN shows what
/// the program does with a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DdUsage {
    /// NEW: the step creates and so writes it.
    Created,
    /// MOD: the step appends to it, or creates it if it does not exist.
    Extended,
    /// OLD: the step has exclusive access, and may read or write it.
    Exclusive,
    /// SHR: other jobs may use it at the same time. It is usually read, though a VSAM file or a library may be written.
    Shared,
    /// In-stream data, which can only be read.
    Read,
    /// SYSOUT, which can only be written.
    Written,
    /// DUMMY: nothing is read or written.
    Nothing,
    /// Unknown: the status contains a symbol, or a reference was not resolved.
    Unknown,
}

impl DdUsage {
    /// Returns the name as documents and JSON spell it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the meaning in words, to follow the name of a DD.
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

/// DISP: the status, and what happens to a dataset when the step ends normally or abnormally. Each as written, or none if absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Disposition {
    /// NEW, OLD, SHR or MOD.
    pub status: Option<String>,
    /// The normal disposition: KEEP, CATLG, UNCATLG, DELETE or PASS.
    pub normal: Option<String>,
    /// The disposition after an abend.
    pub abnormal: Option<String>,
}

/// What one DD statement allocates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// The kind of allocation.
    pub kind: AllocationKind,
    /// The dataset's name without member and generation, or the path. For a resolved reference, the name it refers to.
    pub dataset: Option<SymbolicText>,
    /// The member in parentheses after the name.
    pub member: Option<String>,
    /// The generation in parentheses after the name: 0 is the current one, 1 the next, -1 the previous one.
    pub generation: Option<i32>,
    /// The DD that `DSN=*.STEP.DD` refers to, without `*.`.
    pub refers_to: Option<String>,
    /// DISP.
    pub disposition: Option<Disposition>,
    /// How the step uses it, according to DISP and similar operands.
    pub usage: DdUsage,
    /// SYSOUT's class, program and form as written.
    pub sysout: Option<String>,
    /// The in-stream data.
    pub in_stream: Option<InStreamData>,
    /// All operands as written, including those in the fields above.
    pub operands: Vec<JclOperand>,
    /// The lines of the statement and of its in-stream data.
    pub lines: LineRange,
    /// The file that contains it.
    pub file: Option<Arc<str>>,
}

impl Allocation {
    /// Returns the operand with this keyword: `RECFM`, `LRECL`, `DCB`, `UNIT`.
    pub fn operand(&self, name: &str) -> Option<&JclOperand> {
        find(&self.operands, name)
    }

    /// Whether the system submits what is printed as a job: `SYSOUT=(A,INTRDR)`.
    pub fn is_submitted(&self) -> bool {
        let writer = self.sysout.as_deref().and_then(|sysout| list(sysout.trim()).into_iter().nth(1));
        writer.is_some_and(|writer| writer.trim().eq_ignore_ascii_case("INTRDR"))
    }

    /// Whether a normal end of the step deletes the dataset. This is the default for one that the step creates.
    pub fn is_deleted(&self) -> bool {
        let is_dataset =
            matches!(self.kind, AllocationKind::Dataset | AllocationKind::Temporary | AllocationKind::Reference);
        match self.normal() {
            Some(normal) => normal == "DELETE",
            None => is_dataset && self.usage == DdUsage::Created,
        }
    }

    fn normal(&self) -> Option<&str> {
        self.disposition.as_ref().and_then(|disposition| disposition.normal.as_deref())
    }
}

/// In-stream data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InStreamData {
    /// Its lines without the delimiter; none if it is empty.
    pub lines: Option<LineRange>,
    /// Its text: columns 1 to 80 of each line, with line ends. Symbols are replaced if `SYMBOLS=` asks for it, and those of a procedure always.
    pub text: Arc<str>,
    /// Whether symbols are replaced that the system leaves as they are: the DD has no `SYMBOLS=`, or no EXPORT before it names them.
    pub is_assumed: bool,
}

/// Statements behind the null statement that ends a job. The system does not read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadStatements {
    /// The line of the null statement.
    pub null: LineNumber,
    /// From the first of them to the line before the next job, or to the last line that is not empty.
    #[serde(flatten, serialize_with = "line_and_end")]
    pub lines: LineRange,
    /// What their EXEC statements execute, in order.
    pub executed: Vec<String>,
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
