//! Which lines of a program are told: what reaches out of it, what is seen of it, and what prepares that.

use super::walk::FoundStep;
use crate::{BusinessRule, Document, ParagraphStep};
use std::collections::{BTreeMap, BTreeSet, HashSet};
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
    lines.extend(document.control_flow.iter().filter(|edge| edge.kind == "alter").map(|edge| edge.line));
    // A calculation on the way to a record is what the program is for.
    let sets = |rule: &BusinessRule| rule.decides.as_deref().is_some_and(|decides| decides.starts_with("sets"));
    let calculations = document.business_rules.iter().filter(|rule| rule.conditions.is_empty() && sets(rule));
    lines.extend(calculations.flat_map(|rule| &rule.citations).map(|citation| citation.lines().start()));
    lines
}

/// Adds the lines of the steps that set what told steps test or take, at one more remove than those that are known.
pub(super) fn add_preparations(
    document: &Document,
    told: &[FoundStep<'_>],
    removed: u8,
    known: &mut BTreeMap<LineNumber, u8>,
) {
    let needed: HashSet<&str> =
        told.iter().filter_map(|step| step.of).flat_map(|of| &of.reads).map(String::as_str).collect();
    let prepares = |step: &&ParagraphStep| step.sets.iter().any(|name| needed.contains(name.as_str()));
    let steps = document.paragraphs.iter().flat_map(|paragraph| &paragraph.steps);
    for step in steps.filter(prepares) {
        known.entry(step.line).or_insert(removed);
    }
}
