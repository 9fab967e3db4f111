//! Jobs and procedures, each before its steps.

use super::{RowBuilder, at, defined, once, some, users};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::{JobData, StepUnit, unfold_repeated_steps};

pub(super) fn jobs(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let mut rows = Vec::new();
    for job in &apart.document.jobs {
        rows.push(
            defined(apart, RowKind::Jobs, &job.citations, job.lines)
                .with("name", some(&job.job_name))
                .with("type", "job")
                .with("summary", some(&job.summary))
                .with("description", job.description.as_deref())
                .with("programs", programs(&job.steps))
                .with("data_sets", data_sets(&job.data)),
        );
        rows.extend(unfold_repeated_steps(&job.steps).iter().map(|step| of_step(apart, step, &job.job_name)));
    }
    for procedure in &apart.document.procedures {
        let what = if procedure.kind == "member" { "member" } else { "procedure" };
        rows.push(
            defined(apart, RowKind::Jobs, &procedure.citations, procedure.lines)
                .with("name", some(&procedure.procedure_name))
                .with("type", what)
                .with("job", procedure.job.as_deref())
                .with("summary", some(&procedure.summary))
                .with("description", procedure.description.as_deref())
                .with("programs", programs(&procedure.steps))
                .with("data_sets", data_sets(&procedure.data))
                .with("used_by", users(&procedure.used_by)),
        );
        let steps = unfold_repeated_steps(&procedure.steps);
        rows.extend(steps.iter().map(|step| of_step(apart, step, &procedure.procedure_name)));
    }
    rows
}

/// Creates the row of a step. Its location is its EXEC statement, which for a procedure's step is in the procedure.
fn of_step(apart: &RowBuilder<'_>, step: &StepUnit, job: &str) -> CatalogueRow {
    let row = apart.cited(RowKind::Jobs, &step.citations);
    let row = match step.lines {
        Some(lines) => at(row, step.file.as_deref().unwrap_or(apart.file()), lines),
        None => row,
    };
    let data = step.dds.iter().flat_map(|dd| &dd.data).filter(|data| data.kind == "dataset");
    row.with("name", some(&step.step_name))
        .with("type", "step")
        .with("job", some(job))
        .with("summary", some(&step.summary))
        .with("description", step.description.as_deref())
        .with("programs", programs(std::slice::from_ref(step)))
        .with("data_sets", once(data.map(|data| data.name.as_str())))
        .with("parameter", step.parameter.as_deref())
        .with("conditions", step.conditions.clone())
        .with("statements", once(step.statements.iter().map(|statement| statement.meaning.as_str())))
        .with("procedures", once(step.procedures.iter().map(|procedure| procedure.name.as_str())))
}

fn programs(steps: &[StepUnit]) -> Vec<String> {
    once(steps.iter().flat_map(|step| &step.programs).map(|program| program.program_name.as_str()))
}

fn data_sets(data: &[JobData]) -> Vec<String> {
    once(data.iter().filter(|data| !data.is_temporary).map(|data| data.name.as_str()))
}
