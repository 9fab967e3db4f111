//! Which lines of a program are told: what reaches out of it, what is seen of it, and what prepares that.

use super::OutlineKind;
use super::found_steps::FoundStep;
use crate::{BusinessRule, Document, ParagraphStep};
use foldhash::{HashSet, HashSetExt};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::LineNumber;

/// Commands that only ask CICS for something, or prepare for failures.
const COMMANDS_UNTOLD: [&str; 7] = ["ADDRESS", "ASKTIME", "ASSIGN", "BIF", "FORMATTIME", "IGNORE", "INQUIRE"];

/// Returns the lines of statements that reach out of the program, and of calculations without a condition.
pub(super) fn told_lines(document: &Document) -> BTreeSet<LineNumber> {
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
    lines.extend(document.control_flow.iter().filter(|edge| edge.kind == "altered").map(|edge| edge.line));
    // A calculation on the way to a record is what the program is for.
    let sets = |rule: &BusinessRule| rule.decides.as_deref().is_some_and(|decides| decides.starts_with("sets"));
    let calculations = document.business_rules.iter().filter(|rule| rule.conditions.is_empty() && sets(rule));
    lines.extend(calculations.flat_map(|rule| &rule.citations).map(|citation| citation.lines().start()));
    lines
}

/// Adds the lines of the steps that set what told steps test or take, unless they are known: at one remove what decides, at one more what is taken.
pub(super) fn add_preparations(
    document: &Document,
    told: &[FoundStep<'_>],
    removed: u8,
    known: &mut BTreeMap<LineNumber, u8>,
) {
    let needed = |by_conditions: bool| -> HashSet<&str> {
        let decides = |found: &&FoundStep<'_>| {
            // Also the UNTIL of a PERFORM.
            let is_heading = matches!(found.step.kind, OutlineKind::Condition | OutlineKind::Part);
            (is_heading || found.asks().is_some()) == by_conditions
        };
        let steps = told.iter().filter(decides).flat_map(|found| found.of.into_iter().chain(found.denied));
        steps.flat_map(|of| &of.reads).map(String::as_str).collect()
    };
    let (tested, taken) = (needed(true), needed(false));
    for step in document.paragraphs.iter().flat_map(|paragraph| &paragraph.steps) {
        let sets = |needed: &HashSet<&str>| step.sets.iter().any(|name| needed.contains(name.as_str()));
        let own = match (sets(&tested), sets(&taken)) {
            (true, _) => removed,
            (false, true) => removed + 1,
            (false, false) => continue,
        };
        known.entry(step.line).or_insert(own);
    }
}

/// Adds to the steps that are told those before them that set what they read.
pub(super) fn with_what_they_take(steps: &[ParagraphStep], mut told: Vec<bool>) -> Vec<bool> {
    let mut taken: HashSet<&str> = HashSet::new();
    for (place, step) in steps.iter().enumerate().rev() {
        told[place] |= step.sets.iter().any(|name| taken.contains(name.as_str()));
        if told[place] {
            taken.extend(step.reads.iter().map(String::as_str));
        }
    }
    told
}
