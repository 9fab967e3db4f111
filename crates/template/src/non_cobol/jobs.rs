//! Jobs and procedures, with what their steps run and on which data.

use super::{Mention, NamedValue, Users};
use crate::Citation;
use serde::{Deserialize, Serialize};
use war_rig_text::LineRange;

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobUnit {
    /// The name on its card.
    pub job_name: String,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// What it does, in sentences.
    pub summary: String,
    /// The comment above it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The operands of its card.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<NamedValue>,
    /// The libraries that procedures are taken from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
    /// The symbols that it sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<NamedValue>,
    /// The DDs before its first step: the libraries of all steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dds: Vec<StepDd>,
    /// Its steps as they run, procedures put in place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepUnit>,
    /// The data that its steps work on, in the order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<JobData>,
    /// What happens when a step fails, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A procedure, or a member that is included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcedureUnit {
    /// Its name.
    pub procedure_name: String,
    /// `in_stream`, `catalogued` or `member`.
    pub kind: String,
    /// The job in whose stream it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Its lines; `start_line` and `end_line` in JSON.
    #[serde(flatten)]
    pub lines: LineRange,
    /// What it does, in sentences.
    pub summary: String,
    /// The comment above it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its symbols with their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<NamedValue>,
    /// The DDs before its first step; those that a member brings to a step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dds: Vec<StepDd>,
    /// Its steps as they run with those defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepUnit>,
    /// The data that its steps work on, in the order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<JobData>,
    /// What happens when a step fails, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<String>,
    /// The steps of jobs that execute it.
    pub used_by: Users,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A step as it runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepUnit {
    /// Its name as messages of the system have it: `STEP`, or `STEP.PROCSTEP`.
    pub step_name: String,
    /// What it does, in a sentence.
    pub summary: String,
    /// The comment above it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The file that it stands in, where that is not the document's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its lines in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRange>,
    /// The procedures that it came through, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<Mention>,
    /// The programs that it runs, that of `PGM=` first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<StepProgram>,
    /// PARM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The conditions that it runs under, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Its DDs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dds: Vec<StepDd>,
    /// What it tells utilities, statement by statement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<ControlStatement>,
    /// Where it comes from: its EXEC statement, that of its procedure where it stands in another file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A program that a step runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepProgram {
    /// Its name.
    pub program_name: String,
    /// The source that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The system that brings it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied_by: Option<String>,
    /// What it does, for a program of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub does: Option<String>,
    /// How it comes to be run, in words: through which program, with which plan, under which PSB. None for `PGM=`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
}

/// A DD of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepDd {
    /// Its name.
    pub dd_name: String,
    /// What it allocates, in the order of concatenation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DdData>,
    /// The files of programs that are this DD.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_files: Vec<DdFile>,
    /// The file that it stands in, where that is not the document's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where it comes from; empty where it stands in another file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A file of a program to which a step gives data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DdFile {
    /// The program.
    pub program: Mention,
    /// The file's name in the program.
    pub file_name: String,
    /// What the program does with it, in words: `reads`, `reads and updates`.
    pub access: String,
}

/// What one DD statement allocates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DdData {
    /// What kind of thing: `dataset`, `temporary`, `in_stream`, `sysout`, `dummy` and their like.
    pub kind: String,
    /// The data set with member and generation, symbols replaced; for other kinds what they are called.
    pub name: String,
    /// The name as written, where symbols stand in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// What the step does with it as far as its DISP tells, and what becomes of it, in words.
    pub usage: String,
    /// The format and length of its records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The first lines of data that stands in the job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_lines: Vec<String>,
    /// The steps of the same job that wrote it before, last first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_by: Vec<String>,
}

/// A statement that a step hands to a utility.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlStatement {
    /// What it means.
    pub meaning: String,
    /// What is written.
    pub written: String,
    /// The file that it stands in, where that is not the document's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRange>,
}

/// Data that the steps of a job work on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobData {
    /// The data set with its generation.
    pub name: String,
    /// Whether it is gone when the job ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_temporary: bool,
    /// The steps that read it, once each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_by: Vec<String>,
    /// The steps that write it, once each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_by: Vec<String>,
    /// The steps of which it cannot be told which of both they do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_in: Vec<String>,
    /// The steps that delete it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_by: Vec<String>,
    /// What else works on it: other jobs, files of CICS.
    pub elsewhere: Users,
}
