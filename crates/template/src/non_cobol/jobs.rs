//! Jobs and procedures, with the programs and data of their steps.

use super::mention::{Mention, NamedValue, Users};
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
    /// The procedure libraries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
    /// The symbols that it sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<NamedValue>,
    /// The DDs before its first step: the libraries of all steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dds: Vec<StepDd>,
    /// Its steps as they run, with procedures expanded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepUnit>,
    /// The data that its steps use, in the order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<JobData>,
    /// What happens when a step fails, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<String>,
    /// What stands behind the null statement that ends it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A procedure, or an included member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcedureUnit {
    /// Its name.
    pub procedure_name: String,
    /// `in_stream`, `catalogued` or `member`.
    pub kind: String,
    /// The job that contains it in its stream.
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
    /// The DDs before its first step; the DDs that a member adds to a step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dds: Vec<StepDd>,
    /// Its steps as they run with those defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepUnit>,
    /// The data that its steps use, in the order of first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<JobData>,
    /// What happens when a step fails, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_failure: Vec<String>,
    /// The steps of jobs that run it.
    pub used_by: Users,
    /// Its citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A step as it runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepUnit {
    /// Its name in system messages: `STEP`, or `STEP.PROCSTEP`; with its order, as in `STEP (2)`, if a step before it has the same.
    pub step_name: String,
    /// What it does, in a sentence.
    pub summary: String,
    /// The earlier step of the job that is the same step of the same procedure: it has the DDs that this one does not list, and the control statements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// The comment above it, quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The file that contains it, if that is not the document's own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its lines in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRange>,
    /// The procedures that contain it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub procedures: Vec<Mention>,
    /// The programs that it runs, the one of `PGM=` first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<StepProgram>,
    /// PARM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// The values that the procedure is given, the innermost one that contains the step or one whose steps are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<NamedValue>,
    /// The conditions that it runs under, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Its DDs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dds: Vec<StepDd>,
    /// The utility control statements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<ControlStatement>,
    /// Its citations: its EXEC statement, or that of its procedure if another file contains it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<Citation>,
}

/// A program that a step runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepProgram {
    /// Its name.
    pub program_name: String,
    /// The source that defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The system product that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supplied_by: Option<String>,
    /// What it does, for a program of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub does: Option<String>,
    /// How the step reaches it, in words: through which program, with which plan, under which PSB. `None` for `PGM=`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<String>,
    /// Whether it is a procedure of commands: a REXX program or a CLIST.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_command_procedure: bool,
    /// Whether the step only gives its name to something that is not in the sources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_inferred: bool,
    /// Whether a sort calls it at an exit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exit: bool,
}

impl StepUnit {
    /// Splits its name into that of the step that executes its procedure and its own.
    pub(crate) fn run_and_step(&self) -> (&str, &str) {
        self.step_name.rsplit_once('.').unwrap_or(("", &self.step_name))
    }

    /// Names what it runs, in few words: the program that a driver starts, and that whose name this one is given. A sort stands for its exits.
    pub fn runs(&self) -> Option<String> {
        let is_certain = |program: &&StepProgram| !program.is_inferred && !program.is_exit;
        let certain = self.programs.iter().rfind(is_certain).map(|program| &program.program_name);
        let inferred: Vec<&str> = self
            .programs
            .iter()
            .filter(|program| program.is_inferred)
            .map(|program| program.program_name.as_str())
            .collect();
        let procedure = || self.procedures.last().filter(|_| !inferred.is_empty()).map(|procedure| &procedure.name);
        let first = certain.or_else(procedure)?;
        Some(match inferred.as_slice() {
            [] => first.clone(),
            names => format!("{first} with {}", names.join(" ")),
        })
    }
}

/// A DD of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StepDd {
    /// Its name.
    pub dd_name: String,
    /// Its allocations, in the order of concatenation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<DdData>,
    /// The program files behind this DD.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub program_files: Vec<DdFile>,
    /// The file that contains it, if that is not the document's own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its citations; empty if another file contains it.
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
    /// How the program uses it, in words: `reads`, `reads and updates`.
    pub access: String,
}

/// The allocation of one DD statement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DdData {
    /// Its kind: `dataset`, `temporary`, `in_stream`, `sysout`, `dummy` and so on.
    pub kind: String,
    /// The data set with member and generation, symbols replaced; for other kinds their name.
    pub name: String,
    /// The name as written, if it contains symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// How the step uses it according to its DISP, and its final disposition, in words.
    pub usage: String,
    /// The format and length of its records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// The first lines of in-stream data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_lines: Vec<String>,
    /// The earlier steps of the same job that wrote it, latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made_by: Vec<String>,
    /// Which generation it is beside those that earlier steps of the same job made: `(+1) is the new generation that STEP1 made`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation_note: Option<String>,
}

/// A statement that a step passes to a utility.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlStatement {
    /// What it means.
    pub meaning: String,
    /// Its text.
    pub written: String,
    /// The file that contains it, if that is not the document's own file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineRange>,
}

impl JobData {
    /// Returns the steps that use it, those that do so in several ways more than once.
    pub(crate) fn users(&self) -> impl Iterator<Item = &String> {
        let lists = [&self.read_by, &self.written_by, &self.used_in, &self.defined_by, &self.deleted_by];
        lists.into_iter().flatten()
    }
}

/// Data that the steps of a job use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobData {
    /// The data set with its generation.
    pub name: String,
    /// Whether it is deleted when the job ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_temporary: bool,
    /// The steps that read it, once each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_by: Vec<String>,
    /// The steps that write it, once each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_by: Vec<String>,
    /// The steps that read or write it, where the direction is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used_in: Vec<String>,
    /// The steps that only put it into the catalog: DEFINE of IDCAMS.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defined_by: Vec<String>,
    /// The steps that delete it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deleted_by: Vec<String>,
    /// Other users: other jobs, files of CICS.
    pub elsewhere: Users,
}
