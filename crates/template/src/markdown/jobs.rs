//! Jobs and procedures on a page.

use super::links::PageLinks;
use super::table::MarkdownTable;
use super::{code, names, optional, prose, steps};
use crate::{Document, JobData, JobUnit, Mention, NamedValue, ProcedureUnit, StepUnit};
use foldhash::HashMap;

/// The number of rows in a job's data table.
const DATA_PRINTED: usize = 60;

/// Returns the jobs and procedures of a page.
pub(super) fn jobs(document: &Document, links: &PageLinks) -> String {
    let opening =
        PageOpening { told: &document.purpose.summary, is_alone: document.jobs.len() + document.procedures.len() == 1 };
    let jobs = document.jobs.iter().map(|job| self::job(job, &opening, links));
    let procedures = document.procedures.iter().map(|found| procedure(found, &opening, links));
    jobs.chain(procedures).collect::<Vec<_>>().join("\n\n")
}

/// What stands above the jobs and procedures of a page.
struct PageOpening<'a> {
    /// What the document is for.
    told: &'a str,
    /// Whether a single job or procedure follows, which needs no heading then.
    is_alone: bool,
}

/// Returns a job. It does not repeat the facts above it, and a job that is alone on its page needs no heading.
fn job(job: &JobUnit, opening: &PageOpening<'_>, links: &PageLinks) -> String {
    let told = opening.told;
    let heading = format!("## Job {} {}", prose(&job.job_name), links.citations(&job.citations));
    let facts = joined([
        quote(unless_told(job.description.as_deref(), told)),
        prose(unless_told(Some(&job.summary), told).unwrap_or_default()),
        prose(job.unread.as_deref().unwrap_or_default()),
        card(&job.parameters),
        listed("Symbols", &job.symbols),
        match job.libraries.is_empty() {
            true => String::new(),
            false => format!("Procedures are taken from {}.", names(&job.libraries)),
        },
        steps::before(&job.dds, links),
    ]);
    let sequence = StepSequence { opening, steps: &job.steps, data: &job.data, on_failure: &job.on_failure };
    sections(heading, facts, &sequence, links)
}

fn procedure(procedure: &ProcedureUnit, opening: &PageOpening<'_>, links: &PageLinks) -> String {
    let told = opening.told;
    let what = if procedure.kind == "member" { "Member" } else { "Procedure" };
    let name = prose(&procedure.procedure_name);
    let heading = format!("## {what} {name} {}", links.citations(&procedure.citations));
    let mut symbols = MarkdownTable::new(["symbol", "default"]);
    for symbol in &procedure.symbols {
        let value = if symbol.value.is_empty() { "none".to_owned() } else { code(&symbol.value) };
        symbols.row([code(&symbol.name), value]);
    }
    let within = procedure.job.as_deref().map(|job| format!("It stands in the stream of job {}.", code(job)));
    let facts = joined([
        quote(unless_told(procedure.description.as_deref(), told)),
        prose(unless_told(Some(&procedure.summary), told).unwrap_or_default()),
        within.unwrap_or_default(),
        match procedure.used_by.is_empty() {
            true => String::new(),
            false => format!("Executed by {}.", links.users(&procedure.used_by)),
        },
        symbols.render(),
        steps::before(&procedure.dds, links),
    ]);
    let sequence =
        StepSequence { opening, steps: &procedure.steps, data: &procedure.data, on_failure: &procedure.on_failure };
    sections(heading, facts, &sequence, links)
}

/// Steps with the facts about them as a whole.
struct StepSequence<'a> {
    opening: &'a PageOpening<'a>,
    steps: &'a [StepUnit],
    data: &'a [JobData],
    on_failure: &'a [String],
}

/// Returns the sections of a job or procedure. If it is alone on its page, its heading is above.
fn sections(heading: String, facts: String, sequence: &StepSequence<'_>, links: &PageLinks) -> String {
    let StepSequence { opening, steps, data, on_failure } = *sequence;
    let failures: Vec<String> = on_failure.iter().map(|text| format!("- {}", prose(text))).collect();
    let (heading, level) = if opening.is_alone { (String::new(), "##") } else { (heading, "###") };
    let order = joined([super::job_flowchart::drawing(steps, data), steps::overview(steps, links)]);
    joined([
        heading,
        facts,
        under(&format!("{level} How it runs"), order),
        under(&format!("{level} When a step fails"), failures.join("\n")),
        under(&format!("{level} Data"), self::data(data, steps, links)),
        under(&format!("{level} Steps"), steps::details(steps, &format!("{level}#"), opening.told, links)),
    ])
}

/// Returns a text, unless the opening of the page contains it.
pub(super) fn unless_told<'t>(text: Option<&'t str>, told: &str) -> Option<&'t str> {
    text.filter(|text| !told.contains(text.trim_end_matches('.')))
}

/// Describes the operands of the card.
fn card(parameters: &[NamedValue]) -> String {
    listed("Its card", parameters)
}

fn listed(what: &str, operands: &[NamedValue]) -> String {
    let shown: Vec<String> = operands
        .iter()
        .map(|operand| format!("{} {}", prose(&operand.name), code(&operand.value)).trim().to_owned())
        .collect();
    if shown.is_empty() { String::new() } else { format!("{what}: {}.", shown.join(", ")) }
}

/// Returns the data of a job: what passes between its steps, what comes from elsewhere and what remains.
fn data(data: &[JobData], steps: &[StepUnit], links: &PageLinks) -> String {
    let like: HashMap<&str, &str> =
        steps.iter().filter_map(|step| Some((step.step_name.as_str(), step.like.as_deref()?))).collect();
    // What only a repeated step uses stands in the row of that step, or follows from the values there.
    let is_told =
        |entry: &&JobData| entry.elsewhere.is_empty() && entry.users().all(|step| like.contains_key(step.as_str()));
    let data: Vec<&JobData> = data.iter().filter(|entry| !is_told(entry)).collect();
    let names = |users: &[String]| {
        let is_named =
            |name: &&String| like.get(name.as_str()).is_none_or(|first| !users.iter().any(|user| user == first));
        let shown: Vec<String> = users.iter().filter(is_named).cloned().collect();
        match users.len() - shown.len() {
            0 => names(&shown),
            alike => format!("{} and {alike} alike", names(&shown)),
        }
    };
    let mut table =
        MarkdownTable::new(["data set", "read by", "written by", "used in", "defined by", "deleted by", "elsewhere"]);
    for entry in data.iter().take(DATA_PRINTED) {
        let temporary = if entry.is_temporary { " (temporary)" } else { "" };
        table.row([
            format!("{}{temporary}", code(&entry.name)),
            names(&entry.read_by),
            names(&entry.written_by),
            names(&entry.used_in),
            names(&entry.defined_by),
            names(&entry.deleted_by),
            links.users(&entry.elsewhere),
        ]);
    }
    joined([table.render(), steps::more(data.len(), DATA_PRINTED, "data sets")])
}

/// Returns a comment of the source as a quotation.
pub(super) fn quote(text: Option<&str>) -> String {
    match text.map(prose).filter(|text| !text.is_empty()) {
        Some(text) => format!("> {text}"),
        None => String::new(),
    }
}

/// Joins the parts that are not empty with blank lines.
pub(super) fn joined<const N: usize>(parts: [String; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Returns a part under its heading, or nothing.
pub(super) fn under(heading: &str, part: String) -> String {
    if part.is_empty() { part } else { format!("{heading}\n\n{part}") }
}

/// Returns a thing with its kind: `job NIGHT`, linked if it has a page.
pub(super) fn mention(mention: &Mention, links: &PageLinks) -> String {
    let name = links.name(&mention.name, mention.document.as_deref());
    match optional(&mention.detail) {
        detail if detail.is_empty() => name,
        detail => format!("{name} ({detail})"),
    }
}
