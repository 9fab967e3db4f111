//! Files, data sets, queues, segments: where programs and jobs use them, and where they are defined.

use super::interfaces::{InterfaceUse, joined};
use super::{RowBuilder, at, defined, once, some, users};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::{DefinitionUnit, DocumentItem, Interface, JobData, StepDd, StepUnit};
use war_rig_text::LineRange;

pub(super) fn files(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let document = apart.document;
    let mut rows: Vec<CatalogueRow> =
        joined(apart).iter().filter(|joined| is_file(joined.item)).map(|joined| of_program(apart, joined)).collect();
    rows.extend(document.definitions.iter().filter_map(|unit| of_definition(apart, unit)));
    for job in &document.jobs {
        let work = JobOrProcedure { name: &job.job_name, lines: job.lines, steps: &job.steps };
        rows.extend(lasting(&job.data).map(|data| of_job(apart, &work, data)));
    }
    for procedure in &document.procedures {
        let work = JobOrProcedure { name: &procedure.procedure_name, lines: procedure.lines, steps: &procedure.steps };
        rows.extend(lasting(&procedure.data).map(|data| of_job(apart, &work, data)));
    }
    rows.extend(databases(apart));
    rows
}

/// Whether something that a program reads or writes is a row here: parameters and macros belong to the program; maps and tables have their own kinds.
fn is_file(item: &DocumentItem<Interface>) -> bool {
    !matches!(item.io_type.as_str(), "parameter" | "screen map" | "table" | "macro")
}

fn of_program(apart: &RowBuilder<'_>, joined: &InterfaceUse<'_>) -> CatalogueRow {
    let item = joined.item;
    let given = apart.document.calling_context.data_sets.iter().filter(|given| given.file == item.name);
    let given: Vec<_> = given.collect();
    let operations = apart.document.cics_operations.iter();
    let candidates = operations
        .filter(|operation| operation.resource.as_ref() == Some(&item.name))
        .flat_map(|operation| operation.candidates.iter().map(String::as_str));
    let candidates = once(candidates);
    let defined_in = std::iter::once(&item.name).chain(&candidates).find_map(|name| match item.io_type.as_str() {
        "CICS file" => apart.defined_in("file", name),
        "transient data queue" | "temporary storage queue" => apart.defined_in("queue", name),
        "DL/I segment" => apart.defined_below("segment", name),
        "DL/I database" => apart.defined_in("database", name),
        _ => None,
    });
    joined
        .row(apart, RowKind::Files)
        .with("type", some(&item.io_type))
        .with("role", joined.role())
        .with("copybook", joined.copybook())
        .with("candidates", candidates)
        .with("data_sets", once(given.iter().map(|given| given.data_set.as_str())))
        .with("used_by", once(given.iter().map(|given| given.step.as_str())))
        .with("defined_in", defined_in)
}

/// Creates the row of a file or queue that is defined to CICS.
fn of_definition(apart: &RowBuilder<'_>, unit: &DefinitionUnit) -> Option<CatalogueRow> {
    let what = match unit.resource_type.as_str() {
        "FILE" => "CICS file",
        "TDQUEUE" => "transient data queue",
        "TSMODEL" => "temporary storage model",
        "JOURNALMODEL" => "journal model",
        _ => return None,
    };
    let data_set = unit.leads_to.as_ref().filter(|target| target.kind == "data set");
    let row = defined(apart, RowKind::Files, &unit.citations, unit.lines)
        .with("name", some(&unit.resource_name))
        .with("type", what)
        .with("role", "definition")
        .with("description", unit.description.as_deref().or(unit.about.as_deref()))
        .with("data_sets", once(data_set.map(|target| target.name.as_str())))
        .with("used_by", users(&unit.used_by));
    Some(row)
}

fn lasting(data: &[JobData]) -> impl Iterator<Item = &JobData> {
    data.iter().filter(|data| !data.is_temporary)
}

/// A job or a procedure.
struct JobOrProcedure<'a> {
    name: &'a str,
    lines: LineRange,
    steps: &'a [StepUnit],
}

/// Creates the row of a data set that outlives the job.
fn of_job(apart: &RowBuilder<'_>, work: &JobOrProcedure<'_>, data: &JobData) -> CatalogueRow {
    let role = match (data.read_by.is_empty(), data.written_by.is_empty()) {
        (false, false) => Some("both"),
        (false, true) => Some("input"),
        (true, false) => Some("output"),
        (true, true) => None,
    };
    let by_steps = [&data.read_by, &data.written_by, &data.used_in, &data.defined_by, &data.deleted_by];
    let is_user = |step: &&StepUnit| by_steps.iter().any(|steps| steps.contains(&step.step_name));
    let using: Vec<&StepUnit> = work.steps.iter().filter(is_user).collect();
    let steps: Vec<String> = using.iter().map(|step| format!("{}.{}", work.name, step.step_name)).collect();
    let elsewhere = data.elsewhere.named.iter().map(|mention| mention.name.as_str());
    place(apart, work, data, &using)
        .with("name", some(&data.name))
        .with("type", "data set")
        .with("role", role)
        .with("used_by", once(steps.iter().map(String::as_str).chain(elsewhere)))
        .with("job", some(work.name))
}

/// Returns the location of a data set: the first DD that names it, or, if only a control statement named it, the first step that uses it.
fn place(apart: &RowBuilder<'_>, work: &JobOrProcedure<'_>, data: &JobData, using: &[&StepUnit]) -> CatalogueRow {
    let dds = using.iter().flat_map(|step| &step.dds);
    let mut naming = dds.filter(|dd| names(dd, &data.name));
    let first = naming.next();
    match (first, using.first()) {
        (Some(StepDd { file: Some(file), .. }), _) => CatalogueRow::new(RowKind::Files).with("file", file.as_str()),
        (Some(dd), _) if !dd.citations.is_empty() => apart.cited(RowKind::Files, &dd.citations),
        (_, Some(step)) if !step.citations.is_empty() => apart.cited(RowKind::Files, &step.citations),
        _ => at(CatalogueRow::new(RowKind::Files), apart.file(), work.lines),
    }
}

/// Whether a DD allocates the data set, or a member of it.
fn names(dd: &StepDd, data_set: &str) -> bool {
    let is_it =
        |name: &str| name.strip_prefix(data_set).is_some_and(|behind| behind.is_empty() || behind.starts_with('('));
    dd.data.iter().any(|data| is_it(&data.name))
}

/// Creates the rows of IMS databases, each before its segments.
fn databases(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let mut rows = Vec::new();
    for database in &apart.document.databases {
        rows.push(
            defined(apart, RowKind::Files, &database.citations, database.lines)
                .with("name", some(&database.database_name))
                .with("type", "DL/I database")
                .with("role", "definition")
                .with("description", some(&database.access))
                .with("used_by", users(&database.used_by)),
        );
        for segment in &database.segments {
            let below = segment.parent.as_ref().map(|parent| format!(", below {parent}")).unwrap_or_default();
            let bytes = segment.bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
            let description = format!("segment of {}{below}{bytes}", database.database_name);
            rows.push(
                apart
                    .cited(RowKind::Files, &segment.citations)
                    .with("name", some(&segment.segment_name))
                    .with("type", "DL/I segment")
                    .with("role", "definition")
                    .with("description", description)
                    .with("fields", segment.fields.clone()),
            );
        }
    }
    rows
}
