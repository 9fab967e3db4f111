//! The facts of a JCL source in JSON, in the shape that those of programs have.

use super::dd::{SOURCES, name_of};
use super::expand::{EffectiveStep, EffectiveSteps, Place};
use super::model::{
    Allocation, AllocationKind, Body, Comment, Condition, Dd, Disposition, Include, JclSource, JesControl,
    Job, Parameter, Procedure, ProcedureKind, Step, Symbol, Symbolic, Usage,
};
use super::runs::{IdcamsCommand, Run, RunHow, Runs, SortStatement, TsoCommand, runs};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use war_rig_cobol::Diagnostic;
use war_rig_text::{LineNumber, LineRange};

/// All facts of one source. Names are upper case, lines one-based and inclusive, lists in source order. What has its symbols replaced
/// shows what was `written` beside it.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a>(&'a JclSource);

/// The facts of a source as it is written.
pub fn facts(source: &JclSource) -> Facts<'_> {
    Facts(source)
}

/// The facts of the steps of a job as they run.
#[derive(Debug, Clone, Copy)]
pub struct EffectiveFacts<'a>(&'a EffectiveSteps);

/// The facts of the steps of a job as they run; what stands in another file than the job says so in `file`.
pub fn effective_facts(steps: &EffectiveSteps) -> EffectiveFacts<'_> {
    EffectiveFacts(steps)
}

impl Serialize for Facts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Facts", 5)?;
        out.serialize_field("file", &*self.0.file)?;
        out.serialize_field("jobs", &Each(|| self.0.jobs.iter().map(JobFact::of)))?;
        out.serialize_field(
            "procedures",
            &Each(|| self.0.procedures.iter().map(|procedure| ProcedureFact::of(procedure, self.0))),
        )?;
        out.serialize_field("controls", &Each(|| self.0.controls.iter().map(ControlFact::of)))?;
        out.serialize_field("diagnostics", &self.0.diagnostics)?;
        out.end()
    }
}

impl Serialize for EffectiveFacts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let EffectiveSteps { steps, files, diagnostics } = self.0;
        let mut out = serializer.serialize_struct("EffectiveFacts", 3)?;
        out.serialize_field("steps", &Each(|| steps.iter().map(EffectiveFact::of)))?;
        out.serialize_field("files", &Each(|| files.iter().map(|file| &**file)))?;
        out.serialize_field::<Vec<Diagnostic>>("diagnostics", diagnostics)?;
        out.end()
    }
}

/// A list whose elements are made one by one while it is written.
struct Each<F>(F);

impl<F, I> Serialize for Each<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The lines of a fact, and the file where it is not the one that was read.
#[derive(Serialize)]
struct At<'a> {
    line: LineNumber,
    end_line: LineNumber,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> At<'a> {
    fn of(lines: LineRange, file: Option<&'a std::sync::Arc<str>>) -> Self {
        Self { line: lines.start(), end_line: lines.end(), file: file.map(|file| &**file) }
    }
}

/// A value, and how it is written where that differs.
#[derive(Serialize)]
struct ValueFact<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<&'a str>,
}

impl<'a> ValueFact<'a> {
    fn of(value: &'a Symbolic) -> Self {
        let is_told = !value.written.is_empty() && value.written != value.resolved;
        let written = is_told.then_some(value.written.as_str());
        Self { value: &value.resolved, written }
    }
}

#[derive(Serialize)]
struct NamedFact<'a> {
    name: Option<&'a str>,
    #[serde(flatten)]
    value: ValueFact<'a>,
    #[serde(flatten)]
    at: At<'a>,
}

fn parameter(parameter: &Parameter) -> NamedFact<'_> {
    NamedFact {
        name: parameter.name.as_deref(),
        value: ValueFact::of(&parameter.value),
        at: At::of(parameter.lines, parameter.file.as_ref()),
    }
}

fn symbol(symbol: &Symbol) -> NamedFact<'_> {
    NamedFact {
        name: Some(&symbol.name),
        value: ValueFact::of(&symbol.value),
        at: At::of(symbol.lines, None),
    }
}

#[derive(Serialize)]
struct JobFact<'a> {
    name: &'a str,
    accounting: Option<&'a str>,
    programmer: Option<&'a str>,
    parameters: Vec<NamedFact<'a>>,
    libraries: Vec<&'a str>,
    comments: Vec<CommentFact<'a>>,
    #[serde(flatten)]
    body: BodyFact<'a>,
    line: LineNumber,
    end_line: LineNumber,
}

impl<'a> JobFact<'a> {
    fn of(job: &'a Job) -> Self {
        Self {
            name: &job.name,
            accounting: job.accounting.as_deref(),
            programmer: job.programmer.as_deref(),
            parameters: job
                .parameters
                .iter()
                .filter(|operand| operand.name.is_some())
                .map(parameter)
                .collect(),
            libraries: job.libraries.iter().map(|library| library.resolved.as_str()).collect(),
            comments: job.comments.iter().map(CommentFact::of).collect(),
            body: BodyFact::of(&job.body),
            line: job.lines.start(),
            end_line: job.lines.end(),
        }
    }
}

#[derive(Serialize)]
struct ProcedureFact<'a> {
    name: Option<&'a str>,
    kind: ProcedureKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<&'a str>,
    parameters: Vec<NamedFact<'a>>,
    comments: Vec<CommentFact<'a>>,
    #[serde(flatten)]
    body: BodyFact<'a>,
    line: LineNumber,
    end_line: LineNumber,
}

impl<'a> ProcedureFact<'a> {
    fn of(procedure: &'a Procedure, source: &'a JclSource) -> Self {
        Self {
            name: procedure.name.as_deref(),
            kind: procedure.kind,
            job: procedure.job.and_then(|job| source.jobs.get(job)).map(|job| job.name.as_str()),
            parameters: procedure.symbols.iter().map(symbol).collect(),
            comments: procedure.comments.iter().map(CommentFact::of).collect(),
            body: BodyFact::of(&procedure.body),
            line: procedure.lines.start(),
            end_line: procedure.lines.end(),
        }
    }
}

#[derive(Serialize)]
struct BodyFact<'a> {
    symbols: Vec<NamedFact<'a>>,
    includes: Vec<IncludeFact<'a>>,
    dds: Vec<DdFact<'a>>,
    steps: Vec<StepFact<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trailing_comments: Vec<CommentFact<'a>>,
}

impl<'a> BodyFact<'a> {
    fn of(body: &'a Body) -> Self {
        Self {
            symbols: body.symbols.iter().map(symbol).collect(),
            includes: body.includes.iter().map(IncludeFact::of).collect(),
            dds: body.dds.iter().map(DdFact::of).collect(),
            steps: body.steps.iter().map(StepFact::of).collect(),
            trailing_comments: body.trailing.iter().map(CommentFact::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct IncludeFact<'a> {
    member: &'a str,
    conditions: Vec<ConditionFact<'a>>,
    line: LineNumber,
    end_line: LineNumber,
}

impl<'a> IncludeFact<'a> {
    fn of(include: &'a Include) -> Self {
        Self {
            member: &include.member.resolved,
            conditions: include.conditions.iter().map(ConditionFact::of).collect(),
            line: include.lines.start(),
            end_line: include.lines.end(),
        }
    }
}

#[derive(Serialize)]
struct ControlFact<'a> {
    text: &'a str,
    line: LineNumber,
}

impl<'a> ControlFact<'a> {
    fn of(control: &'a JesControl) -> Self {
        Self { text: &control.text, line: control.lines.start() }
    }
}

#[derive(Serialize)]
struct CommentFact<'a> {
    text: &'a [String],
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> CommentFact<'a> {
    fn of(comment: &'a Comment) -> Self {
        Self { text: &comment.text, at: At::of(comment.lines, comment.file.as_ref()) }
    }
}

#[derive(Serialize)]
struct ConditionFact<'a> {
    text: &'a str,
    holds: bool,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> ConditionFact<'a> {
    fn of(condition: &'a Condition) -> Self {
        let at = At::of(condition.lines, condition.file.as_ref());
        Self { text: &condition.text, holds: condition.holds, at }
    }
}

#[derive(Serialize)]
struct StepFact<'a> {
    name: &'a str,
    program: Option<&'a str>,
    procedure: Option<&'a str>,
    parameters: Vec<NamedFact<'a>>,
    conditions: Vec<ConditionFact<'a>>,
    comments: Vec<CommentFact<'a>>,
    dds: Vec<DdFact<'a>>,
    runs: RunsFact,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> StepFact<'a> {
    fn of(step: &'a Step) -> Self {
        // The program or the procedure is told above.
        let told = |operand: &&Parameter| !matches!(operand.name.as_deref(), None | Some("PGM" | "PROC"));
        let runs = runs(step);
        let dd = |dd: &'a Dd| DdFact { known_usage: runs.known_usage(&dd.name), ..DdFact::of(dd) };
        Self {
            name: &step.name,
            program: step.program(),
            procedure: step.procedure(),
            parameters: step.parameters.iter().filter(told).map(parameter).collect(),
            conditions: step.conditions.iter().map(ConditionFact::of).collect(),
            comments: step.comments.iter().map(CommentFact::of).collect(),
            dds: step.dds.iter().map(dd).collect(),
            runs: RunsFact(runs),
            at: At::of(step.lines, step.file.as_ref()),
        }
    }
}

#[derive(Serialize)]
struct EffectiveFact<'a> {
    path: String,
    #[serde(skip_serializing_if = "is_empty")]
    procedures: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    called_from: Vec<At<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    caller_comments: Vec<CommentFact<'a>>,
    #[serde(flatten)]
    step: StepFact<'a>,
}

impl<'a> EffectiveFact<'a> {
    fn of(effective: &'a EffectiveStep) -> Self {
        let at = |place: &'a Place| At::of(place.lines, place.file.as_ref());
        Self {
            path: effective.qualified_name(),
            procedures: &effective.procedures,
            called_from: effective.called_from.iter().map(at).collect(),
            caller_comments: effective.caller_comments.iter().map(CommentFact::of).collect(),
            step: StepFact::of(&effective.step),
        }
    }
}

fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

#[derive(Serialize)]
struct DdFact<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<&'a str>,
    /// What the program of the step is known to do with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known_usage: Option<Usage>,
    allocations: Vec<AllocationFact<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments: Vec<CommentFact<'a>>,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> DdFact<'a> {
    fn of(dd: &'a Dd) -> Self {
        Self {
            name: &dd.name,
            step: dd.target.as_deref(),
            known_usage: None,
            allocations: dd.allocations.iter().map(AllocationFact::of).collect(),
            comments: dd.comments.iter().map(CommentFact::of).collect(),
            at: At::of(dd.lines, dd.file.as_ref()),
        }
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
    usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    sysout: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_stream: Option<At<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    operands: Vec<OperandFact<'a>>,
    #[serde(flatten)]
    at: At<'a>,
}

#[derive(Serialize)]
struct OperandFact<'a> {
    name: &'a str,
    #[serde(flatten)]
    value: ValueFact<'a>,
}

impl<'a> AllocationFact<'a> {
    fn of(allocation: &'a Allocation) -> Self {
        let in_stream = allocation.in_stream.as_ref().and_then(|data| data.lines);
        // The name of a dataset is told above, but how it is written only here.
        let told = |operand: &&Parameter| {
            let name = name_of(operand);
            let is_symbolic = matches!(name, "DSN" | "DSNAME") && operand.value.written.contains('&');
            is_symbolic
                || !(name == "DISP" || SOURCES.contains(&name) && !matches!(name, "DDNAME" | "SUBSYS"))
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
            in_stream: in_stream.map(|lines| At::of(lines, None)),
            operands: allocation
                .operands
                .iter()
                .filter(told)
                .map(|operand| OperandFact { name: name_of(operand), value: ValueFact::of(&operand.value) })
                .collect(),
            at: At::of(allocation.lines, allocation.file.as_ref()),
        }
    }
}

/// What a step runs; it is made for its fact and owned by it.
struct RunsFact(Runs);

impl Serialize for RunsFact {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Runs { programs, idcams, sort, tso, .. } = &self.0;
        let fields =
            1 + [idcams.is_empty(), sort.is_empty(), tso.is_empty()].iter().filter(|empty| !**empty).count();
        let mut out = serializer.serialize_struct("Runs", fields)?;
        out.serialize_field("programs", &Each(|| programs.iter().map(RunFact::of)))?;
        if !idcams.is_empty() {
            out.serialize_field("idcams", &Each(|| idcams.iter().map(IdcamsFact::of)))?;
        }
        if !sort.is_empty() {
            out.serialize_field("sort", &Each(|| sort.iter().map(SortFact::of)))?;
        }
        if !tso.is_empty() {
            out.serialize_field("tso", &Each(|| tso.iter().map(TsoFact::of)))?;
        }
        out.end()
    }
}

#[derive(Serialize)]
struct RunFact<'a> {
    program: &'a str,
    how: RunHow,
    #[serde(skip_serializing_if = "Option::is_none")]
    does: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subsystem: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    psb: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    library: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a str>,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> RunFact<'a> {
    fn of(run: &'a Run) -> Self {
        Self {
            program: &run.program,
            how: run.how,
            does: run.utility.map(|utility| utility.does),
            driver: run.driver.as_deref(),
            plan: run.plan.as_deref(),
            subsystem: run.subsystem.as_deref(),
            region: run.region.as_deref(),
            psb: run.psb.as_deref(),
            database: run.database.as_deref(),
            library: run.library.as_deref(),
            parameters: run.parameters.as_deref(),
            at: At::of(run.lines, run.file.as_ref()),
        }
    }
}

#[derive(Serialize)]
struct KeysFact {
    length: u32,
    offset: u32,
}

#[derive(Serialize)]
struct RecordSizeFact {
    average: u32,
    largest: u32,
}

#[derive(Serialize)]
struct IdcamsFact<'a> {
    verb: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<&'a str>,
    #[serde(skip_serializing_if = "is_empty")]
    names: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    related: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keys: Option<KeysFact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record_size: Option<RecordSizeFact>,
    #[serde(skip_serializing_if = "is_empty")]
    input_dds: &'a [String],
    #[serde(skip_serializing_if = "is_empty")]
    input_datasets: &'a [String],
    #[serde(skip_serializing_if = "is_empty")]
    output_dds: &'a [String],
    #[serde(skip_serializing_if = "is_empty")]
    output_datasets: &'a [String],
    text: &'a str,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> IdcamsFact<'a> {
    fn of(command: &'a IdcamsCommand) -> Self {
        Self {
            verb: &command.verb,
            object: command.object.as_deref(),
            names: &command.names,
            related: command.related.as_deref(),
            organization: command.organization.as_deref(),
            keys: command.keys.map(|(length, offset)| KeysFact { length, offset }),
            record_size: command.record_size.map(|(average, largest)| RecordSizeFact { average, largest }),
            input_dds: &command.input_dds,
            input_datasets: &command.input_datasets,
            output_dds: &command.output_dds,
            output_datasets: &command.output_datasets,
            text: &command.text,
            at: At::of(command.lines, command.file.as_ref()),
        }
    }
}

#[derive(Serialize)]
struct SortFact<'a> {
    verb: &'a str,
    operands: &'a str,
    dd: &'a str,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> SortFact<'a> {
    fn of(statement: &'a SortStatement) -> Self {
        Self {
            verb: &statement.verb,
            operands: &statement.operands,
            dd: &statement.dd,
            at: At::of(statement.lines, statement.file.as_ref()),
        }
    }
}

#[derive(Serialize)]
struct TsoFact<'a> {
    verb: &'a str,
    text: &'a str,
    #[serde(flatten)]
    at: At<'a>,
}

impl<'a> TsoFact<'a> {
    fn of(command: &'a TsoCommand) -> Self {
        Self { verb: &command.verb, text: &command.text, at: At::of(command.lines, command.file.as_ref()) }
    }
}
