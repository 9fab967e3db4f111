//! Which lines of a program are told: what reaches out of it, and what prepares that.

use super::{OutlineKind, OutlinePart, OutlineStep};
use crate::{BusinessRule, Document, DocumentItem, Paragraph, ParagraphStep};
use std::collections::{BTreeSet, HashMap, HashSet};
use war_rig_text::LineNumber;

/// Commands that only ask CICS for something, or prepare for failures.
const COMMANDS_UNTOLD: [&str; 8] =
    ["ADDRESS", "ASKTIME", "ASSIGN", "BIF", "FORMATTIME", "HANDLE ABEND", "IGNORE", "INQUIRE"];

/// Returns the lines of statements that reach out of the program, or decide how it ends.
pub(super) fn told_lines(document: &Document) -> BTreeSet<LineNumber> {
    let places = places_of_conditions(document);
    let is_data = |kind: &str| !matches!(kind, "parameter" | "system output" | "system input");
    let is_told = |command: &str| !COMMANDS_UNTOLD.iter().any(|untold| command.starts_with(untold));
    let interfaces = document.inputs.iter().chain(&document.outputs).filter(|item| is_data(&item.io_type));
    let commands = document.cics_operations.iter().filter(|item| is_told(&item.command));
    let citations = (interfaces.flat_map(|item| &item.citations))
        .chain(document.called_programs.iter().flat_map(|item| &item.citations))
        .chain(document.sql_operations.iter().flat_map(|item| &item.citations))
        .chain(document.dli_operations.iter().flat_map(|item| &item.citations))
        .chain(commands.flat_map(|item| &item.citations));
    let own = citations.filter(|citation| citation.file() == document.header.file_name);
    let mut lines: BTreeSet<LineNumber> = own.map(|citation| citation.lines().start()).collect();
    lines.extend(document.control_flow.iter().filter(|edge| edge.kind == "alter").map(|edge| edge.line));
    // A calculation on the way to a record is what the program is for.
    let sets = |rule: &BusinessRule| rule.decides.as_deref().is_some_and(|decides| decides.starts_with("sets"));
    let calculations = document.business_rules.iter().filter(|rule| rule.conditions.is_empty() && sets(rule));
    lines.extend(calculations.flat_map(|rule| &rule.citations).map(|citation| citation.lines().start()));
    let ends = document.business_rules.iter().filter(|rule| rule.decides.as_deref() == Some("how the program ends"));
    for rule in ends {
        lines.extend(
            rule.citations.iter().flat_map(|citation| inner_lines(document, &places, citation.lines().start())),
        );
    }
    lines
}

/// Returns the lines of the commands of which the options are told: when something starts, and what is handled. Those of others are on the program's
/// page.
pub(super) fn lines_told_whole(document: &Document) -> BTreeSet<LineNumber> {
    let is_whole = |command: &str| command == "START" || command.starts_with("HANDLE");
    let commands = document.cics_operations.iter().filter(|item| is_whole(&item.command));
    commands.flat_map(|item| &item.citations).map(|citation| citation.lines().start()).collect()
}

/// Returns the lines of calculations, and of assignments to items that the conditions of an outline test or that name where control goes next.
pub(super) fn preparations(document: &Document, parts: &[OutlinePart]) -> BTreeSet<LineNumber> {
    let transfers = lines_of_transfers(document);
    let asks = |step: &&OutlineStep| match step.kind {
        OutlineKind::Condition => step.text.ends_with(':'),
        OutlineKind::Effect | OutlineKind::Exit => transfers.contains(&step.line),
        _ => false,
    };
    let steps = parts.iter().flat_map(|part| &part.steps).filter(asks);
    let mut tested: HashSet<&str> = steps.flat_map(|step| names(&step.text)).collect();
    tested.extend(document.cics_operations.iter().filter_map(|item| item.resource.as_deref()));
    let prepares = |step: &&ParagraphStep| {
        let verb = step.text.split(' ').next().unwrap_or_default();
        match verb {
            "computes" | "adds" | "subtracts" | "multiplies" | "divides" => true,
            "sets" | "moves" => targets(&step.text).any(|name| tested.contains(name)),
            "puts" => {
                let into = step.text.rsplit_once(" into ").and_then(|(_, into)| into.split_whitespace().next());
                into.is_some_and(|name| tested.contains(name.to_uppercase().as_str()))
            }
            _ => false,
        }
    };
    let steps = document.paragraphs.iter().flat_map(|paragraph| &paragraph.steps);
    let steps = steps.filter(|step| !step.text.ends_with(':')).filter(prepares).map(|step| step.line);
    steps.chain(requests(document, &transfers)).collect()
}

/// Returns the lines of the literals that are set before another program runs, as far back as something else is done: what it is run for.
fn requests(document: &Document, transfers: &HashSet<LineNumber>) -> Vec<LineNumber> {
    let mut lines = Vec::new();
    for paragraph in &document.paragraphs {
        let mut is_before = false;
        for step in paragraph.steps.iter().rev() {
            match transfers.contains(&step.line) {
                true => is_before = true,
                false if step.text.ends_with(':') => {}
                false if !(step.text.starts_with("sets ") || step.text.starts_with("moves ")) => is_before = false,
                false if is_before && sets_a_literal(&step.text) => lines.push(step.line),
                false => {}
            }
        }
    }
    lines
}

/// Whether a step sets an item to a literal that is not blank.
fn sets_a_literal(text: &str) -> bool {
    text.split(" to '").skip(1).any(|literal| !literal.split('\'').next().unwrap_or_default().trim().is_empty())
}

/// Returns the names of the items that a step of assignments sets: `sets A to 5, B to 6; moves C to D and E`.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    text.split("; ").flat_map(|assignments| {
        let moves = assignments.starts_with("moves ");
        let sides = assignments.split(", ").filter_map(|assignment| assignment.split_once(" to "));
        sides.flat_map(move |(before, behind)| names(if moves { behind } else { before }))
    })
}

/// Returns the lines of the statements with which another program or transaction goes on.
fn lines_of_transfers(document: &Document) -> HashSet<LineNumber> {
    let is_one = |command: &str| matches!(command, "LINK" | "XCTL" | "START" | "RETURN");
    let commands = document.cics_operations.iter().filter(|item| is_one(&item.command));
    let calls = document.called_programs.iter().flat_map(|item| &item.citations);
    commands.flat_map(|item| &item.citations).chain(calls).map(|citation| citation.lines().start()).collect()
}

/// Returns the names of items in a text: words in capitals with a hyphen.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.contains('-') && word.len() > 2 && !word.chars().any(|c| c.is_ascii_lowercase()))
}

/// Returns the lines of the steps directly below a condition.
fn inner_lines(document: &Document, places: &HashMap<LineNumber, usize>, condition: LineNumber) -> Vec<LineNumber> {
    let of = |paragraph: &DocumentItem<Paragraph>| {
        let at = paragraph.steps.iter().position(|step| step.line == condition && step.text.ends_with(':'))?;
        let depth = paragraph.steps[at].depth;
        let below = paragraph.steps[at + 1..].iter().take_while(|step| step.depth > depth);
        let direct = below.filter(|step| step.depth == depth + 1 && !step.text.ends_with(':'));
        Some(direct.map(|step| step.line).collect())
    };
    places.get(&condition).and_then(|index| of(&document.paragraphs[*index])).unwrap_or_default()
}

/// Returns the paragraph of each condition, by its line.
pub(super) fn places_of_conditions(document: &Document) -> HashMap<LineNumber, usize> {
    let mut places = HashMap::new();
    for (index, paragraph) in document.paragraphs.iter().enumerate() {
        for step in paragraph.steps.iter().filter(|step| step.text.contains(':')) {
            places.entry(step.line).or_insert(index);
        }
    }
    places
}
