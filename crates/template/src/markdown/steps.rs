//! The steps of a job: as a table, and one by one.

use super::jobs::{joined, mention, quote, unless_told};
use super::links::PageLinks;
use super::table::MarkdownTable;
use super::{bold, code, names, prose, spaced};
use crate::escape::data_line;
use crate::{DdData, StepDd, StepProgram, StepUnit};
use foldhash::HashMap;

/// The maximum number of steps that are described one by one.
const STEPS_DETAILED: usize = 60;

/// The maximum number of DD rows of a step.
const DDS_PRINTED: usize = 100;

/// The maximum number of printed statements of a step.
const STATEMENTS_PRINTED: usize = 20;

/// Returns all steps, one row each, or one row for the steps of a procedure that ran before.
pub(super) fn overview(steps: &[StepUnit], links: &PageLinks) -> String {
    let mut table = MarkdownTable::new(["", "step", "runs", "does", "when", "where"]);
    let named: HashMap<&str, &StepUnit> = steps.iter().rev().map(|step| (step.step_name.as_str(), step)).collect();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        let like = step.like.as_ref().and_then(|like| named.get(like.as_str()).copied());
        let repeated = match like {
            Some(_) => &steps[at..at + repeated_run(&steps[at..], &named)],
            None => &[],
        };
        let count = repeated.len().max(1);
        let first = at + 1;
        let when = match like {
            Some(like)
                if repeated.iter().any(|step| !step.conditions.is_empty()) && like.conditions == step.conditions =>
            {
                format!("as {}", code(if count == 1 { &like.step_name } else { like.run_and_step().0 }))
            }
            Some(like) if step.conditions.is_empty() && !like.conditions.is_empty() => "always".to_owned(),
            _ => step.conditions.iter().map(|text| prose(text)).collect::<Vec<_>>().join("; "),
        };
        table.row([
            if count == 1 { first.to_string() } else { format!("{first} to {}", at + count) },
            match repeated {
                [] | [_] => bold(&step.step_name),
                several => {
                    let inner: Vec<&str> = several.iter().map(|step| step.run_and_step().1).collect();
                    format!("{}: {}", bold(step.run_and_step().0), prose(&inner.join(", ")))
                }
            },
            match repeated {
                [] | [_] => programs(step, links),
                _ => format!("procedure {}", procedures(step, links)),
            },
            match like {
                Some(like) => differences(repeated, like, &named),
                None => prose(&step.summary),
            },
            when,
            links.citations(&step.citations),
        ]);
        at += count;
    }
    table.render()
}

/// Returns how many of the first of these steps, all like an earlier one, belong to one run of a procedure and run under the conditions of that one.
fn repeated_run(steps: &[StepUnit], named: &HashMap<&str, &StepUnit>) -> usize {
    let like = |step: &StepUnit| step.like.as_ref().and_then(|like| named.get(like.as_str()).copied());
    let run = |step: &StepUnit| (step.run_and_step().0.to_owned(), like(step).map(|like| like.run_and_step().0));
    let first = run(&steps[0]);
    let is_of_run =
        |step: &&StepUnit| like(step).is_some_and(|like| like.conditions == step.conditions) && run(step) == first;
    steps.iter().take_while(is_of_run).count().max(1)
}

/// Says which steps of the table these are like, and what they have instead: comments, values of symbols, and PARM and data that these do not explain.
fn differences(steps: &[StepUnit], like: &StepUnit, named: &HashMap<&str, &StepUnit>) -> String {
    let first = &steps[0];
    let new_comment = |step: &StepUnit| {
        let known = step.like.as_ref().and_then(|like| named.get(like.as_str())?.description.clone());
        step.description.clone().filter(|comment| Some(comment) != known.as_ref())
    };
    let comments = steps.iter().filter_map(new_comment).map(|comment| format!("{}; ", prose(&comment)));
    let given = || first.operands.iter().filter(|operand| !like.operands.contains(operand));
    // What the first run would have with these values.
    let of_first = |text: &str| {
        given().fold(text.to_owned(), |text, operand| {
            let before = like.operands.iter().find(|before| before.name == operand.name && !operand.value.is_empty());
            before.map_or_else(|| text.clone(), |before| text.replace(&operand.value, &before.value))
        })
    };
    let mut with: Vec<String> = given().map(|operand| code(&format!("{}={}", operand.name, operand.value))).collect();
    for step in steps {
        let original = step.like.as_ref().and_then(|like| named.get(like.as_str()).copied()).unwrap_or(like);
        let parameter = step.parameter.as_deref().filter(|own| original.parameter.as_deref() != Some(&of_first(own)));
        with.extend(parameter.map(|parameter| format!("PARM {}", code(parameter))));
        let is_explained = |dd: &&StepDd| {
            let known = original.dds.iter().find(|known| known.dd_name == dd.dd_name);
            let data = known.into_iter().flat_map(|known| known.data.iter().zip(&dd.data));
            let mut data = data.peekable();
            data.peek().is_some() && data.all(|(a, b)| a.written == b.written && a.name == of_first(&b.name))
        };
        with.extend(step.dds.iter().filter(|dd| !is_explained(dd)).map(|dd| {
            let data = dd.data.iter().map(name).filter(|name| !name.is_empty()).collect::<Vec<_>>();
            format!("{} {}", code(&dd.dd_name), data.join(", ")).trim_end().to_owned()
        }));
    }
    let with = if with.is_empty() { String::new() } else { format!(", with {}", with.join("; ")) };
    let like = if steps.len() == 1 { like.step_name.as_str() } else { like.run_and_step().0 };
    format!("{}as {}{with}", comments.collect::<String>(), code(like))
}

/// Names the procedures that contain a step.
fn procedures(step: &StepUnit, links: &PageLinks) -> String {
    step.procedures.iter().map(|found| mention(found, links)).collect::<Vec<_>>().join(", ")
}

fn programs(step: &StepUnit, links: &PageLinks) -> String {
    let (inferred, certain): (Vec<&StepProgram>, Vec<&StepProgram>) =
        step.programs.iter().partition(|program| program.is_inferred);
    let name = |program: &&StepProgram| links.name(&program.program_name, program.document.as_deref());
    let shown: Vec<String> = certain.iter().map(name).collect();
    let procedures = procedures(step, links);
    let certain = match (shown.is_empty(), procedures.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("procedure {procedures}"),
        (false, true) => shown.join(", "),
        (false, false) => format!("{} of procedure {procedures}", shown.join(", ")),
    };
    let inferred = inferred.iter().map(|program| format!("{} (inferred)", name(program)));
    std::iter::once(certain).filter(|certain| !certain.is_empty()).chain(inferred).collect::<Vec<_>>().join(", ")
}

/// Returns each step with its DDs and its utility control statements.
pub(super) fn details(steps: &[StepUnit], level: &str, told: &str, links: &PageLinks) -> String {
    // The table of all steps says what another step has instead.
    let whole: Vec<&StepUnit> = steps.iter().filter(|step| step.like.is_none()).collect();
    let mut parts: Vec<String> =
        whole.iter().take(STEPS_DETAILED).map(|step| detail(step, steps.len() == 1, level, told, links)).collect();
    parts.push(more(whole.len(), STEPS_DETAILED, "steps"));
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
