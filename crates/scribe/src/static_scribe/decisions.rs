//! The conditions of a program and what happens under them: rules, and what is done when things go wrong.

use super::conditions::negated;
use super::{Writer, name_some};
use crate::phrases::{exec_phrase, in_words, list, sentence, shorten, statement};
use std::collections::HashSet;
use war_rig_cobol::{Branch, BranchKind, ExecKind, Outcome};
use war_rig_template::{PartialErrorHandling, PartialRule};
use war_rig_text::LineRange;

/// How many of the conditions around a decision are named.
const ENCLOSING_NAMED: usize = 4;

/// How many of them stand in its sentence.
const ENCLOSING_TOLD: usize = 2;

/// The longest condition of a rule, in characters.
const CONDITION: usize = 200;

/// Assignments in a row that are named one by one; a longer row is told by what it sets.
const ASSIGNMENTS_NAMED: usize = 3;

impl<'a> Writer<'_, 'a> {
    /// Every condition that decides something as a rule, or as error handling where it says that an operation failed. Branches that do
    /// nothing, that only lead to further conditions, and that only note how an operation ended, decide nothing themselves.
    pub(super) fn decisions(&self) -> (Vec<PartialRule>, Vec<PartialErrorHandling>) {
        let parsed = self.reading.parsed;
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for (index, branch) in parsed.branches.iter().enumerate() {
            let owner = &parsed.statements[branch.statement];
            if owner.file.is_some() || branch.kind == BranchKind::Loop {
                continue;
            }
            let outcome = self.reading.outcomes.of_branch(index);
            match (outcome, self.reading.failed_before[index]) {
                (Some(Outcome::Failure | Outcome::EndOfData), _) => {
                    errors.extend(self.error(index, branch, || self.failing(index, branch)));
                }
                // What is decided while a failure is handled belongs to its handling.
                (_, Some(outer)) => {
                    errors.extend(self.error(index, branch, || {
                        let failing = self.failing(outer, &parsed.branches[outer]);
                        format!("{failing}, and {}", self.condition(branch, CONDITION))
                    }));
                }
                (_, None) => rules.extend(self.rule(index, branch, outcome)),
            }
        }
        (rules, errors)
    }

    fn error(
        &self,
        index: usize,
        branch: &'a Branch,
        condition: impl FnOnce() -> String,
    ) -> Option<PartialErrorHandling> {
        let citations = self.cite_decision(branch.lines);
        if citations.is_empty() {
            return None;
        }
        let effects = self.effects(index)?;
        Some(PartialErrorHandling {
            condition: sentence(&condition()),
            action: sentence(&effects),
            citations,
        })
    }

    /// What went wrong: the operation, and by what the program tells.
    fn failing(&self, index: usize, branch: &'a Branch) -> String {
        let parsed = self.reading.parsed;
        let ends = self.reading.outcomes.of_branch(index) == Some(Outcome::EndOfData);
        let operation = self.reading.outcomes.operation(index).map(|at| &parsed.statements[at]);
        let is_sql =
            operation.and_then(|found| found.exec).is_some_and(|at| parsed.execs[at].kind == ExecKind::Sql);
        let fails = match (ends, is_sql, operation.map(|found| found.verb.as_str())) {
            (true, true, _) => "finds no row",
            (true, false, Some("SEARCH")) => "finds no entry",
            (true, false, _) => "finds no more data",
            (false, ..) => "fails",
        };
        let operation = operation.map(|found| match found.exec {
            Some(exec) => {
                let exec = &parsed.execs[exec];
                let of = exec.resource.as_deref().map(|resource| format!(" of {resource}"));
                format!("{} {}{}", exec.kind.in_words(), exec.command, of.unwrap_or_default())
            }
            None => shorten(&found.text),
        });
        let is_first =
            self.reading.branches_of(branch.statement).iter().position(|at| *at == index) <= Some(1);
        let is_other = branch.kind == BranchKind::When && branch.condition.eq_ignore_ascii_case("OTHER");
        match (operation, branch.kind) {
            (Some(operation), BranchKind::Phrase) if ends => format!("{operation} {fails}"),
            (Some(operation), BranchKind::Phrase) => {
                format!("{operation} {fails} ({})", in_words(&branch.condition))
            }
            (Some(operation), _) if is_other && is_first => format!("{operation} {fails}"),
            (Some(operation), _) if is_other => format!("{operation} {fails} in any other way"),
            (Some(operation), _) => format!("{operation} {fails}: {}", self.condition(branch, CONDITION)),
            (None, _) => self.condition(branch, CONDITION),
        }
    }

    fn rule(&self, index: usize, branch: &'a Branch, outcome: Option<Outcome>) -> Option<PartialRule> {
        let parsed = self.reading.parsed;
        let siblings = self.reading.branches_of(branch.statement);
        let otherwise = (branch.kind == BranchKind::If).then(|| siblings.get(1).copied()).flatten();
        // An ELSE is told with its IF, unless it is the only one of both that says how an operation failed.
        if branch.kind == BranchKind::Else && self.reading.outcomes.of_branch(*siblings.first()?).is_none() {
            return None;
        }
        let lines = match otherwise.map(|other| parsed.branches[other].lines).filter(|_| outcome.is_none()) {
            Some(other) => LineRange::spanning(branch.lines.start(), other.end()),
            None => branch.lines,
        };
        let citations = self.cite_decision(lines);
        if citations.is_empty() {
            return None;
        }
        let done = self.effects(index);
        let otherwise = otherwise.filter(|_| outcome.is_none()).and_then(|other| self.effects(other));
        let condition = match (outcome, branch.kind) {
            (Some(_), _) => self.succeeding(index, branch),
            (None, _) => self.condition(branch, CONDITION),
        };
        let within = self.enclosing(branch, ENCLOSING_NAMED);
        // Equal rules under different conditions are different rules.
        let provided = match &within[..within.len().min(ENCLOSING_TOLD)] {
            [] => String::new(),
            told => format!(", provided that {}", list(told)),
        };
        let description = match (&done, &otherwise) {
            (Some(done), Some(otherwise)) => {
                format!("when {condition}{provided}: {done}; otherwise: {otherwise}")
            }
            (Some(done), None) => format!("when {condition}{provided}: {done}"),
            (None, Some(otherwise)) => format!("unless {condition}{provided}: {otherwise}"),
            (None, None) => return None,
        };
        let own = if done.is_none() { negated(&condition) } else { condition };
        Some(PartialRule {
            description: sentence(&description),
            logic_summary: None,
            conditions: std::iter::once(own).chain(within).collect(),
            citations,
        })
    }

    /// That an operation went well, by its name where it is known.
    fn succeeding(&self, index: usize, branch: &'a Branch) -> String {
        let parsed = self.reading.parsed;
        let operation = self.reading.outcomes.operation(index).map(|at| &parsed.statements[at]);
        match (operation, branch.kind) {
            (Some(found), BranchKind::Phrase) => format!("{} succeeds", shorten(&found.text)),
            _ => self.condition(branch, CONDITION),
        }
    }

    /// What happens under a branch, decisions inside it left out; none when nothing does, or when it only sets an item that notes how
    /// an operation ended.
    fn effects(&self, branch: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let outcome = self.reading.outcomes.of_branch(branch);
        let mut phrases: Vec<String> = Vec::new();
        let mut performs: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        let mut assignments: Vec<usize> = Vec::new();
        let mut say = |phrase: String, phrases: &mut Vec<String>| {
            if seen.insert(phrase.clone()) {
                phrases.push(phrase);
            }
        };
        for index in &self.reading.under[branch] {
            let found = &parsed.statements[*index];
            let assigns = matches!(found.verb.as_str(), "MOVE" | "SET" | "INITIALIZE");
            if assigns && outcome.is_some() && self.notes_a_status(&found.text) {
                continue;
            }
            if !assigns {
                self.assigned(&mut assignments, &mut |phrase| say(phrase, &mut phrases));
            }
            let performs_label = found.verb == "PERFORM" && found.text.len() > found.verb.len();
            if !performs_label && !performs.is_empty() {
                say(format!("performs {}", list(&performs)), &mut phrases);
                performs.clear();
            }
            match found.verb.as_str() {
                "MOVE" | "SET" | "INITIALIZE" => assignments.push(*index),
                "IF" | "EVALUATE" => {}
                "PERFORM" if performs_label => match self.performed(&found.text) {
                    (name, None) => performs.push(name),
                    (name, Some(repeated)) => performs.push(format!("{name} {repeated}")),
                },
                "PERFORM" => {
                    let first = self.reading.branches_of(*index).first();
                    let until = first.map(|at| self.condition(&parsed.branches[*at], CONDITION));
                    say(format!("repeats {}", until.unwrap_or_default()).trim().to_owned(), &mut phrases);
                }
                "GO" => say(self.jump(&found.text), &mut phrases),
                "EXEC" => {
                    if let Some(exec) = found.exec {
                        say(exec_phrase(&parsed.execs[exec]), &mut phrases);
                    }
                }
                _ => {
                    if let Some(phrase) = statement(found) {
                        say(phrase, &mut phrases);
                    }
                }
            }
        }
        self.assigned(&mut assignments, &mut |phrase| say(phrase, &mut phrases));
        if !performs.is_empty() {
            say(format!("performs {}", list(&performs)), &mut phrases);
        }
        (!phrases.is_empty()).then(|| name_some(phrases, "statement"))
    }

    /// Assignments in a row: a few one by one, many by what they set.
    fn assigned(&self, assignments: &mut Vec<usize>, say: &mut dyn FnMut(String)) {
        if assignments.len() > ASSIGNMENTS_NAMED {
            self.sets(assignments).into_iter().for_each(&mut *say);
        } else {
            let each =
                assignments.iter().filter_map(|index| statement(&self.reading.parsed.statements[*index]));
            each.for_each(&mut *say);
        }
        assignments.clear();
    }

    /// Whether an assignment sets nothing but items that note how operations ended.
    pub(super) fn notes_a_status(&self, text: &str) -> bool {
        let targets = war_rig_cobol::names_set(text);
        let is_status = |name: &String| {
            let item =
                self.reading.condition_names.get(name.as_str()).map_or(name.as_str(), |(item, _)| item);
            // The return code is for whoever started the program.
            self.reading.outcomes.is_status(item) && item != "RETURN-CODE"
        };
        !targets.is_empty() && targets.iter().all(is_status)
    }
}
