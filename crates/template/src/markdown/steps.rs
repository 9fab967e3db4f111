//! The steps of a job: as a table, and one by one.

use super::jobs::{joined, mention, quote, unless_told};
use super::links::PageLinks;
use super::table::MarkdownTable;
use super::{bold, code, names, prose, spaced};
use crate::escape::data_line;
use crate::{DdData, StepDd, StepProgram, StepUnit};

/// The maximum number of steps that are described one by one.
const STEPS_DETAILED: usize = 60;

/// The maximum number of DD rows of a step.
const DDS_PRINTED: usize = 100;

/// The maximum number of printed statements of a step.
const STATEMENTS_PRINTED: usize = 20;

/// Returns all steps, one row each.
pub(super) fn overview(steps: &[StepUnit], links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["", "step", "runs", "does", "when", "where"]);
    for (place, step) in steps.iter().enumerate() {
        table.row([
            (place + 1).to_string(),
            bold(&step.step_name),
            programs(step, links),
            prose(&step.summary),
            step.conditions.iter().map(|text| prose(text)).collect::<Vec<_>>().join("; "),
            links.citations(&step.citations),
        ]);
    }
    table.render()
}

fn programs(step: &StepUnit, links: &PageLinks) -> String {
    let (inferred, certain): (Vec<&StepProgram>, Vec<&StepProgram>) =
        step.programs.iter().partition(|program| program.is_inferred);
    let name = |program: &&StepProgram| links.name(&program.program_name, program.document.as_deref());
    let shown: Vec<String> = certain.iter().map(name).collect();
    let procedures: Vec<String> = step.procedures.iter().map(|found| mention(found, links)).collect();
    let certain = match (shown.is_empty(), procedures.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("procedure {}", procedures.join(", ")),
        (false, true) => shown.join(", "),
        (false, false) => format!("{} of procedure {}", shown.join(", "), procedures.join(", ")),
    };
    let inferred = inferred.iter().map(|program| format!("{} (inferred)", name(program)));
    std::iter::once(certain).filter(|certain| !certain.is_empty()).chain(inferred).collect::<Vec<_>>().join(", ")
}

/// Returns each step with its DDs and its utility control statements.
pub(super) fn details(steps: &[StepUnit], level: &str, told: &str, links: &PageLinks) -> String {
    let mut parts: Vec<String> =
        steps.iter().take(STEPS_DETAILED).map(|step| detail(step, steps.len() == 1, level, told, links)).collect();
    parts.push(more(steps.len(), STEPS_DETAILED, "steps"));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn detail(step: &StepUnit, is_only: bool, level: &str, told: &str, links: &PageLinks) -> String {
    let (rows, aside): (Vec<&StepDd>, Vec<&StepDd>) = step.dds.iter().partition(|dd| has_row(dd));
    // Of several steps each keeps its comment, also where the purpose quotes it.
    let description = step.description.as_deref();
    let description = if is_only { unless_told(description, told) } else { description };
    let body = joined([
        quote(description),
        run_by(step, links),
        data(&rows, &step.programs, links),
        beside(&aside, "Besides"),
        statements(step, links),
    ]);
    if body.is_empty() { body } else { format!("{level} {}\n\n{body}", prose(&step.step_name)) }
}

/// Returns the DDs before the first step.
pub(super) fn before(dds: &[StepDd], links: &PageLinks) -> String {
    let all: Vec<&StepDd> = dds.iter().collect();
    let (rows, aside): (Vec<&StepDd>, Vec<&StepDd>) = all.into_iter().partition(|dd| has_row(dd));
    joined([data(&rows, &[], links), beside(&aside, "Before the first step")])
}

/// Returns the program that runs, and the program that starts it.
fn run_by(step: &StepUnit, links: &PageLinks) -> String {
    let mut sentences: Vec<String> = step.programs.iter().map(|program| of_program(program, links)).collect();
    if let (Some(file), Some(lines)) = (&step.file, step.lines) {
        sentences.push(format!("The step stands in {}.", links.lines(file, lines)));
    }
    if let Some(parameter) = step.parameter.as_deref().filter(|parameter| !parameter.is_empty()) {
        sentences.push(format!("PARM is {}.", code(parameter)));
    }
    if !step.operands.is_empty() {
        let given: Vec<String> =
            step.operands.iter().map(|operand| code(&format!("{}={}", operand.name, operand.value))).collect();
        sentences.push(format!("The procedure is given {}.", given.join(", ")));
    }
    sentences.join(" ")
}

fn of_program(program: &StepProgram, links: &PageLinks) -> String {
    let name = links.name(&program.program_name, program.document.as_deref());
    let how = program.how.as_deref().map(|how| format!(" {}", prose(how))).unwrap_or_default();
    if program.is_command_procedure && program.document.is_none() {
        return format!("Runs the command procedure {name} (REXX or CLIST, not in these sources){how}.");
    }
    match (&program.does, &program.supplied_by, &program.document) {
        (Some(does), _, None) => format!("{name}{how} {}.", prose(does)),
        (None, Some(system), None) => format!("{name}{how} belongs to {}.", prose(system)),
        (_, None, None) => format!("Runs {name}{how}; its source is not among these."),
        (_, _, Some(_)) => format!("Runs {name}{how}."),
    }
}

/// Returns whether a DD concerns the step's own data.
fn has_row(dd: &StepDd) -> bool {
    let is_data = |data: &DdData| !matches!(data.kind.as_str(), "library" | "sysout" | "control" | "dummy");
    !dd.program_files.is_empty() || dd.data.iter().any(|data| is_data(data) && data.name != "work space")
}

/// Returns the DDs that carry data. A use by the step's own only program does not name the program.
fn data(dds: &[&StepDd], programs: &[StepProgram], links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["DD", "data", "how", "records", "made by", "in the program", "line"]);
    for dd in dds.iter().take(DDS_PRINTED) {
        let files: Vec<String> = dd
            .program_files
            .iter()
            .map(|file| {
                let is_own = matches!(programs, [only] if only.program_name == file.program.name);
                let program = match is_own && !file.access.is_empty() {
                    true => String::new(),
                    false => links.name(&file.program.name, file.program.document.as_deref()),
                };
                spaced([program, prose(&file.access), code(&file.file_name)])
            })
            .collect();
        for (place, data) in dd.data.iter().enumerate() {
            let is_first = place == 0;
            let once = |text: String| if is_first { text } else { String::new() };
            let place = match &dd.file {
                Some(file) => format!("in {}", links.name(file, Some(file))),
                // The step above is linked; these lines are its own.
                None => dd.citations.iter().map(|citation| citation.lines().to_string()).collect::<Vec<_>>().join(", "),
            };
            table.row([
                if is_first { code(&dd.dd_name) } else { "then".to_owned() },
                name(data),
                [data.usage.as_str(), data.generation_note.as_deref().unwrap_or_default()]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .map(prose)
                    .collect::<Vec<_>>()
                    .join("; "),
                prose(data.record.as_deref().unwrap_or_default()),
                names(&data.made_by),
                once(files.join("; ")),
                once(place),
            ]);
        }
    }
    joined([table.render(), more(dds.len(), DDS_PRINTED, "DDs")])
}

/// Returns the allocation; names as code, other text in words.
fn name(data: &DdData) -> String {
    let is_name = matches!(data.kind.as_str(), "dataset" | "temporary" | "reference" | "path" | "library")
        && !data.name.contains(' ');
    let shown = if is_name { code(&data.name) } else { prose(&data.name) };
    let shown = match data.written.as_deref() {
        Some(written) => format!("{shown} (written {})", code(written)),
        None => shown,
    };
    match data.first_lines.is_empty() {
        true => shown,
        false => {
            format!("{shown}: {}", data.first_lines.iter().map(|line| data_line(line)).collect::<Vec<_>>().join(" "))
        }
    }
}

/// Returns the DDs that are the same in most steps, in one line; print-only DDs come first.
fn beside(dds: &[&StepDd], what: &str) -> String {
    let is_printed = |dd: &&&StepDd| dd.data.iter().all(|data| data.kind == "sysout" && data.name == "printed");
    let named = || dds.iter().filter(|dd| !dd.dd_name.is_empty());
    let printed: Vec<String> = named().filter(is_printed).map(|dd| code(&dd.dd_name)).collect();
    let mut shown: Vec<String> = Vec::new();
    if !printed.is_empty() {
        shown.push(format!("{} (printed)", printed.join(", ")));
    }
    shown.extend(named().filter(|dd| !is_printed(dd)).map(|dd| {
        let data = dd.data.iter().map(|data| match data.kind.as_str() {
            "control" => "control statements".to_owned(),
            _ => name(data),
        });
        let data: Vec<String> = data.filter(|text| !text.is_empty()).collect();
        let data = if data.is_empty() { String::new() } else { format!(" ({})", data.join(", ")) };
        format!("{}{data}", code(&dd.dd_name))
    }));
    if shown.is_empty() { String::new() } else { format!("{what}: {}.", shown.join("; ")) }
}

/// Returns a note about what the page leaves out.
pub(super) fn more(all: usize, printed: usize, what: &str) -> String {
    match all.saturating_sub(printed) {
        0 => String::new(),
        more => format!("{more} more {what} stand in the JSON."),
    }
}

fn statements(step: &StepUnit, links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["it is told", "that is", "where"]);
    for statement in step.statements.iter().take(STATEMENTS_PRINTED) {
        let own = links.own().to_owned();
        let place = statement.lines.map(|lines| links.lines(statement.file.as_deref().unwrap_or(&own), lines));
        let meaning = if statement.meaning == statement.written { String::new() } else { prose(&statement.meaning) };
        table.row([code(&statement.written), meaning, place.unwrap_or_default()]);
    }
    joined([table.render(), more(step.statements.len(), STATEMENTS_PRINTED, "statements")])
}
