//! Which lines of a program are told: what reaches out of it, and what prepares that.

use super::{OutlineKind, OutlinePart};
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

/// Returns the lines of calculations, and of assignments to items that the conditions of an outline test.
pub(super) fn preparations(document: &Document, parts: &[OutlinePart]) -> BTreeSet<LineNumber> {
    let conditions = parts
        .iter()
        .flat_map(|part| &part.steps)
        .filter(|step| step.kind == OutlineKind::Condition && step.text.ends_with(':'));
    let tested: HashSet<&str> = conditions.flat_map(|step| names(&step.text)).collect();
    let prepares = |step: &&ParagraphStep| {
        let verb = step.text.split(' ').next().unwrap_or_default();
        match verb {
            "computes" | "adds" | "subtracts" | "multiplies" | "divides" => true,
            "sets" | "moves" => names(&step.text).any(|name| tested.contains(name)),
            _ => false,
        }
    };
    let steps = document.paragraphs.iter().flat_map(|paragraph| &paragraph.steps);
    steps.filter(|step| !step.text.ends_with(':')).filter(prepares).map(|step| step.line).collect()
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
