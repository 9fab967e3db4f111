//! Serializes the facts of a JCL source to JSON, in the same shape as those of programs. A text with replaced symbols also shows `written`.

use super::dd::{SOURCES, name_of};
use super::model::{
    Allocation, AllocationKind, Dd, DdUsage, Disposition, IfCondition, JclBody, JclComment, JclOperand, JclSource,
    JobStep, Procedure, ProcedureKind, Symbol, SymbolicText,
};
use super::step_programs::{StepPrograms, step_programs};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::sync::Arc;
use war_rig_text::{LineRange, line_and_end};

impl Serialize for JclSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let procedures: Vec<ProcedureFact<'_>> =
            self.procedures.iter().map(|procedure| ProcedureFact::of(procedure, self)).collect();
        let mut out = serializer.serialize_struct("JclSource", 6)?;
        out.serialize_field("file", &self.file)?;
        out.serialize_field("jobs", &self.jobs)?;
        out.serialize_field("procedures", &procedures)?;
        out.serialize_field("controls", &self.controls)?;
        if self.unread.is_empty() {
            out.skip_field("unread")?;
        } else {
            out.serialize_field("unread", &self.unread)?;
        }
        out.serialize_field("diagnostics", &self.diagnostics)?;
        out.end()
    }
}

/// The lines of a fact, and its file if it is not the one that was parsed.
#[derive(Serialize)]
struct FactLines<'a> {
    #[serde(flatten, serialize_with = "line_and_end")]
    lines: LineRange,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> FactLines<'a> {
    fn of(lines: LineRange, file: &'a Option<Arc<str>>) -> Self {
        Self { lines, file: file.as_deref() }
    }
}

/// A value, and its written form if it differs.
#[derive(Serialize)]
struct ValueFact<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<&'a str>,
}

impl Serialize for SymbolicText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_told = !self.written.is_empty() && self.written != self.resolved;
        let written = is_told.then_some(self.written.as_str());
        ValueFact { value: &self.resolved, written }.serialize(serializer)
    }
}

#[derive(Serialize)]
struct ProcedureFact<'a> {
    name: Option<&'a str>,
    kind: ProcedureKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a str>,
    parameters: &'a [Symbol],
    comments: &'a [JclComment],
    #[serde(flatten)]
    body: &'a JclBody,
    #[serde(flatten, serialize_with = "line_and_end")]
    lines: LineRange,
}

impl<'a> ProcedureFact<'a> {
    fn of(procedure: &'a Procedure, source: &'a JclSource) -> Self {
        Self {
            name: procedure.name.as_deref(),
            kind: procedure.kind,
            job: procedure.job.and_then(|job| source.jobs.get(job)).map(|job| job.name.as_str()),
            parameters: &procedure.symbols,
            comments: &procedure.comments,
            body: &procedure.body,
            lines: procedure.lines,
        }
    }
}

#[derive(Serialize)]
struct StepFact<'a> {
    name: &'a str,
    program: Option<&'a str>,
    procedure: Option<&'a str>,
    parameters: Vec<&'a JclOperand>,
    conditions: &'a [IfCondition],
    comments: &'a [JclComment],
    dds: Vec<DdFact<'a>>,
    runs: StepPrograms,
    #[serde(flatten)]
    at: FactLines<'a>,
}

impl Serialize for JobStep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The program or the procedure is in the fields above.
        let told = |operand: &&JclOperand| !matches!(operand.name.as_deref(), None | Some("PGM" | "PROC"));
        let runs = step_programs(self);
        // Here no procedure is expanded, and another source may say what it does with a DD.
        let known_usage = |dd: &Dd| runs.known_usage(&dd.name).filter(|_| !runs.is_procedure);
        let fact = StepFact {
            name: &self.name,
            program: self.program(),
            procedure: self.procedure(),
            parameters: self.parameters.iter().filter(told).collect(),
            conditions: &self.conditions,
            comments: &self.comments,
            dds: self.dds.iter().map(|dd| DdFact::of(dd, known_usage(dd))).collect(),
            runs,
            at: FactLines::of(self.lines, &self.file),
        };
        fact.serialize(serializer)
    }
}

#[derive(Serialize)]
struct DdFact<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<&'a str>,
    /// The known usage of it by the step's program.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_usage: Option<DdUsage>,
    allocations: Vec<AllocationFact<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    comments: &'a [JclComment],
    #[serde(flatten)]
    at: FactLines<'a>,
}

impl<'a> DdFact<'a> {
    fn of(dd: &'a Dd, known_usage: Option<DdUsage>) -> Self {
        Self {
            name: &dd.name,
            step: dd.target.as_deref(),
            known_usage,
            allocations: dd.allocations.iter().map(AllocationFact::of).collect(),
            comments: &dd.comments,
            at: FactLines::of(dd.lines, &dd.file),
        }
    }
}

impl Serialize for Dd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DdFact::of(self, None).serialize(serializer)
    }
}

#[derive(Serialize)]
struct AllocationFact<'a> {
    kind: AllocationKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    dataset: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refers_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disposition: Option<&'a Disposition>,
    usage: DdUsage,
    #[serde(skip_serializing_if = "Option::is_none")]
    sysout: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_stream: Option<FactLines<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operands: Vec<OperandFact<'a>>,
    #[serde(flatten)]
    at: FactLines<'a>,
}

#[derive(Serialize)]
struct OperandFact<'a> {
    name: &'a str,
    #[serde(flatten)]
    value: &'a SymbolicText,
}

impl<'a> AllocationFact<'a> {
    fn of(allocation: &'a Allocation) -> Self {
        let in_stream = allocation.in_stream.as_ref().and_then(|data| data.lines);
        // The fields above contain the dataset's name, but its written form is only here.
        let told = |operand: &&JclOperand| {
            let name = name_of(operand);
            let is_symbolic = matches!(name, "DSN" | "DSNAME") && operand.value.written.contains('&');
            is_symbolic || !(name == "DISP" || SOURCES.contains(&name) && !matches!(name, "DDNAME" | "SUBSYS"))
        };
        Self {
            kind: allocation.kind,
            dataset: allocation.dataset.as_ref().map(|dataset| dataset.resolved.as_str()),
            member: allocation.member.as_deref(),
            generation: allocation.generation,
            refers_to: allocation.refers_to.as_deref(),
            disposition: allocation.disposition.as_ref(),
            usage: allocation.usage,
            sysout: allocation.sysout.as_deref(),
            in_stream: in_stream.map(|lines| FactLines { lines, file: None }),
            operands: allocation
                .operands
                .iter()
                .filter(told)
                .map(|operand| OperandFact { name: name_of(operand), value: &operand.value })
                .collect(),
            at: FactLines::of(allocation.lines, &allocation.file),
        }
    }
}
