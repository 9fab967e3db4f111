//! Describes the conditions of a program and their consequences: rules and error handling.

use super::StaticWriter;
use super::conditions::{CONDITION, ENCLOSING_TOLD, SHORT, together};
use super::consequences::figure_in_words;
use crate::phrases::{sentence, shorten, shorten_to};
use war_rig_cobol::{Branch, BranchKind, Condition, Decision, DecisionEffect, OperationStatus, ParagraphHead, Verb};
use war_rig_template::{BusinessRule, ErrorHandling, PartialItem};
use war_rig_text::LineRange;

/// How many of the conditions around a decision are named.
const ENCLOSING_NAMED: usize = 4;

/// The maximum length of a rule's formula, in characters.
const FORMULA: usize = 400;

/// How often something must be decided before its decisions are grouped.
const OFTEN: u32 = 3;

/// How many items of a decision are named.
const ITEMS: usize = 12;

impl<'a> StaticWriter<'_, 'a> {
    /// Describes every condition that decides something as a rule, or as error handling if it tests for a failed operation. Branches
    /// without effect, branches that only lead to further conditions, and branches that only record how an operation ended decide nothing.
    /// Unconditional computations and the ends of loops are rules of their own.
    pub(super) fn decisions(&self) -> (Vec<PartialItem<BusinessRule>>, Vec<PartialItem<ErrorHandling>>) {
        let parsed = self.reading.parsed;
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for statement in self.reading.statements_reaching(self.facts.owned()) {
            let found = &parsed.statements[statement];
            // A statement that begins before the chunk may end in it if it has branches.
            let branches = self.reading.branches_of(statement);
            if branches.is_empty() && self.facts.cite(LineRange::single(found.lines.start())).is_none() {
                continue;
            }
            for index in branches {
                self.branch(*index, &mut rules, &mut errors);
            }
            match found.verb {
                Verb::Perform => rules.extend(self.repetition_rule(statement)),
                Verb::Exec => errors.extend(found.exec.and_then(|exec| self.whenever(statement, exec))),
                _ => rules.extend(self.figure(statement)),
            }
        }
        (rules, errors)
    }

    fn branch(
        &self,
        index: usize,
        rules: &mut Vec<PartialItem<BusinessRule>>,
        errors: &mut Vec<PartialItem<ErrorHandling>>,
    ) {
        let parsed = self.reading.parsed;
        let branch = &parsed.branches[index];
        if branch.kind == BranchKind::Loop || self.facts.cite(self.lines_of(index)).is_none() {
            return;
        }
        let outcome = self.reading.outcomes.of_branch(index);
        if self.is_folded(index) {
            return;
        }
        match (outcome, self.reading.failed_before[index]) {
            (Some(OperationStatus::Failure | OperationStatus::EndOfData), _) => {
                errors.extend(self.error(index, index));
            }
            // A decision made while a failure is handled belongs to the error handling.
            (_, Some(outer)) => {
                errors.extend(self.error(index, outer));
            }
            (_, None) => rules.extend(self.rule(index, branch, outcome)),
        }
    }

    /// Describes a branch that is taken after a failure, given the branch that detects this.
    fn error(&self, index: usize, detects: usize) -> Option<PartialItem<ErrorHandling>> {
        let citations = self.cite_decision(self.lines_of_branch(index));
        if citations.is_empty() {
            return None;
        }
        let effects = self.with_replaced(index, self.effects(index)?);
        let outcome = self.outcome_of_failure(index);
        let body = ErrorHandling {
            condition: sentence(&self.failure(index, detects)),
            action: sentence(&effects),
            runs: outcome.as_ref().and_then(|_| self.when_run(self.reading.parsed.branches[index].statement)),
            outcome,
        };
        Some(PartialItem::new(body, citations))
    }

    /// Returns the ELSE that is described with its IF: if neither tests how an operation ended.
    fn otherwise_of(&self, index: usize) -> Option<usize> {
        let branch = &self.reading.parsed.branches[index];
        let is_plain = branch.kind == BranchKind::If && self.reading.outcomes.of_branch(index).is_none();
        self.reading.branches_of(branch.statement).get(1).copied().filter(|_| is_plain)
    }

    /// Returns the lines of a decision, including an ELSE that is described with it.
    fn lines_of(&self, index: usize) -> LineRange {
        let parsed = self.reading.parsed;
        let other = self.otherwise_of(index).filter(|_| !self.is_deep(index));
        let own = self.lines_of_branch(index);
        other.map_or(own, |other| LineRange::spanning(own.start(), parsed.branches[other].lines.end()))
    }

    fn is_deep(&self, branch: usize) -> bool {
        let parsed = self.reading.parsed;
        parsed.statements[parsed.branches[branch].statement].is_deep()
    }

    /// Returns the lines from a branch's condition to its last statement; for a deep one only the condition, so that citations grow with
    /// the source and not with its depth.
    fn lines_of_branch(&self, index: usize) -> LineRange {
        let parsed = self.reading.parsed;
        let lines = parsed.branches[index].lines;
        let under = || Some(parsed.statements[*self.reading.under(index).first()?].lines.start());
        let first = self.is_deep(index).then(under).flatten();
        let last = first.map(|first| first.previous().unwrap_or(first)).unwrap_or(lines.end());
        LineRange::spanning(lines.start(), last.max(lines.start()))
    }

    fn rule(
        &self,
        index: usize,
        branch: &'a Branch,
        outcome: Option<OperationStatus>,
    ) -> Option<PartialItem<BusinessRule>> {
        let siblings = self.reading.branches_of(branch.statement);
        let otherwise = self.otherwise_of(index);
        // An ELSE is described with its IF unless it alone handles a failure.
        if branch.kind == BranchKind::Else && self.reading.outcomes.of_branch(*siblings.first()?).is_none() {
            return None;
        }
        let citations = self.cite_decision(self.lines_of(index));
        if citations.is_empty() {
            return None;
        }
        let effects = |branch: usize| Some(self.with_replaced(branch, self.effects(branch)?));
        let done = effects(index);
        let otherwise = otherwise.and_then(|other| Some((other, effects(other)?)));
        let decision = self.reading.decisions.of_branch(index)?;
        // If only the ELSE has an effect, the condition is negated.
        let (asked, own, other) = match (&done, &otherwise) {
            (Some(_), _) => (branch, index, otherwise.as_ref()),
            (None, Some((other, _))) => (&self.reading.parsed.branches[*other], *other, None),
            (None, None) => return None,
        };
        let done = done.or_else(|| otherwise.as_ref().map(|(_, effects)| effects.clone()))?;
        let condition = match outcome {
            Some(_) => self.succeeding(index, branch),
            None => self.condition(asked, CONDITION),
        };
        let (mut within, more) = self.enclosing(asked, other.is_none(), ENCLOSING_TOLD);
        // In a chain of checks that leave, and of the cases of an EVALUATE, the order tells it.
        if !self.reading.flow.branch_leaves(own) && branch.kind != BranchKind::When {
            let asked = self.reading.decisions.condition(own).filter(|_| other.is_none() && own == index);
            let not_left = self.not_left_before(branch.statement, asked);
            within.extend(not_left.into_iter().filter(|told| *told != condition));
        }
        let more = if more { " and more around it" } else { "" };
        // Equal rules under different conditions are different rules.
        let provided = match within.is_empty() {
            true => String::new(),
            false => format!(", provided that {}{more}", together(&within)),
        };
        let earlier = self.earlier(&decision, CONDITION).map(|earlier| format!(" (and {earlier})"));
        let earlier = earlier.unwrap_or_default();
        let opens = if condition.starts_with("in every case") { "" } else { "when " };
        let description = match other {
            // What happens otherwise is provided for in the same way.
            Some((_, other)) if !within.is_empty() => {
                let provided = format!("provided that {}{more}", together(&within));
                format!("{provided}: {opens}{condition}{earlier}: {done}; otherwise: {other}")
            }
            Some((_, other)) => format!("{opens}{condition}{earlier}: {done}; otherwise: {other}"),
            None => format!("{opens}{condition}{earlier}{provided}: {done}"),
        };
        let conditions = std::iter::once(self.as_written(own, CONDITION))
            .chain(self.enclosing_as_written(branch, ENCLOSING_NAMED, CONDITION));
        let decides = std::iter::once(own).chain(other.map(|(other, _)| *other));
        let mut written = self.effects_as_written(own);
        if let Some((other, _)) = other {
            written.push(format!("ELSE {}", self.effects_as_written(*other).join("; ")));
        }
        let outcome = self.outcome(own, other.map(|(other, _)| *other));
        let body = BusinessRule {
            description: sentence(&description),
            logic_summary: Some(written.join("; ")).filter(|written| !written.is_empty()),
            conditions: conditions.collect(),
            decides: Some(self.decides(decides.flat_map(|branch| self.done_by(branch)))),
            data_items: self.items(&decision),
            paragraph: self.paragraph_of(decision.statement),
            runs: outcome.as_ref().and_then(|_| self.when_run(decision.statement)),
            outcome,
            is_about_rights: self.is_about_rights(&decision),
            keys: self.keys_around(own),
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// Returns the name of the paragraph that a statement stands in, with its section if others have the name.
    fn paragraph_of(&self, statement: usize) -> Option<String> {
        let parsed = self.reading.parsed;
        let paragraph = &parsed.paragraphs[parsed.statements[statement].paragraph?];
        let is_repeated = || self.reading.repeated_labels.contains(&(paragraph.program, paragraph.name.as_str()));
        let section = || {
            parsed.sections.iter().find(|section| {
                let is_around = section.file.is_none() && section.lines.covers(paragraph.lines);
                is_around && section.division == "PROCEDURE" && section.program == paragraph.program
            })
        };
        // Statements before the first label of a section are told under the section's name.
        (paragraph.head != ParagraphHead::Division).then(|| {
            let section = (paragraph.has_label() && is_repeated()).then(section).flatten();
            section.map_or(paragraph.name.clone(), |section| format!("{} OF {}", paragraph.name, section.name))
        })
    }

    /// Returns the statements that describe a branch, including those of decisions folded into it.
    pub(super) fn done_by(&self, branch: usize) -> Vec<usize> {
        let mut done = Vec::new();
        for index in self.reading.under(branch) {
            done.push(*index);
            for inner in self.reading.branches_of(*index).iter().filter(|inner| self.is_folded(**inner)) {
                done.extend(self.reading.under(*inner));
            }
        }
        // Control has left before these.
        done.retain(|index| !self.reading.flow.never_runs(*index));
        done
    }

    /// Words what is decided. Among equally significant things, the one decided most often in the source wins, so that related decisions
    /// appear together: all that perform one paragraph, all that set one item, or else items of one record.
    fn decides(&self, statements: impl Iterator<Item = usize>) -> String {
        let all = self.reading.decisions.effects_of(statements);
        let first = all.first().unwrap_or(&DecisionEffect::Other);
        let alike = all.iter().filter(|decided| std::mem::discriminant(*decided) == std::mem::discriminant(first));
        let times = |decided: &DecisionEffect| self.reading.decided.get(decided).copied().unwrap_or_default();
        let told = alike.rev().max_by_key(|decided| times(decided)).unwrap_or(first);
        match told {
            DecisionEffect::Paragraph(name) if self.reading.labels_only.contains(name.as_str()) => {
                "when a paragraph is left".to_owned()
            }
            DecisionEffect::Paragraph(name) if times(told) >= OFTEN && !name.is_empty() => {
                format!("runs {name}")
            }
            DecisionEffect::Item(name) if times(told) < 2 => match self.reading.record_of(name) {
                Some(record) if self.reading.decided_of(record) >= OFTEN => {
                    format!("sets an item of {record}")
                }
                _ => told.in_words(),
            },
            _ => told.in_words(),
        }
    }

    /// Returns the data items behind a decision; for a condition name the item that it tests.
    fn items(&self, decision: &Decision) -> Vec<String> {
        let mut all = self.reading.decisions.items_in(decision);
        let about = all.iter().filter_map(|name| self.reading.condition_names.get(name.as_str()));
        let about: Vec<String> = about.map(|(item, _)| (*item).to_owned()).filter(|item| item != "FILLER").collect();
        for item in about {
            if !all.contains(&item) {
                all.push(item);
            }
        }
        all.truncate(ITEMS);
        all
    }

    /// Describes an unconditional computation.
    fn figure(&self, statement: usize) -> Option<PartialItem<BusinessRule>> {
        let decision = self.reading.decisions.formula_decision(statement)?;
        let found = &self.reading.parsed.statements[statement];
        let citations = self.cite_decision(found.lines);
        if citations.is_empty() {
            return None;
        }
        let place = self.reading.parsed.label(found.paragraph).map(|label| format!("{label} "));
        let words = figure_in_words(self.reading.parsed, found, FORMULA)?;
        let provided = Some(self.not_left_before(statement, None)).filter(|conditions| !conditions.is_empty());
        let provided = provided.map(|conditions| format!(", provided that {}", together(&conditions)));
        let body = BusinessRule {
            description: sentence(&format!("{}{words}{}", place.unwrap_or_default(), provided.unwrap_or_default())),
            logic_summary: Some(shorten_to(self.reading.parsed.words(found).text(), FORMULA)),
            conditions: Vec::new(),
            decides: decision.effects.first().map(DecisionEffect::in_words),
            data_items: self.items(&decision),
            paragraph: self.paragraph_of(decision.statement),
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// Describes what ends a loop, unless it counts or only tests how an operation ended.
    fn repetition_rule(&self, statement: usize) -> Option<PartialItem<BusinessRule>> {
        let reading = self.reading;
        let found = &reading.parsed.statements[statement];
        let citations = self.cite_decision(LineRange::single(found.lines.start()));
        if citations.is_empty() {
            return None;
        }
        let branch = reading.branches_of(statement).first().copied();
        let decision = match branch {
            Some(branch) => reading.decisions.of_branch(branch)?,
            None => reading.decisions.until_decision(statement)?,
        };
        let own = reading.parsed.words(found);
        let words = branch.map_or(own, |at| reading.parsed.condition(&reading.parsed.branches[at]));
        let counts = words.has("VARYING");
        let items = self.items(&decision);
        let is_technical = !items.is_empty() && {
            let asked = items.iter().filter(|item| !reading.condition_names.contains_key(item.as_str()));
            asked.clone().count() > 0 && asked.clone().all(|item| reading.outcomes.is_status_item(item))
        };
        if counts || is_technical {
            return None;
        }
        let condition = decision.condition.as_ref()?;
        let until = self.wording(found.program, CONDITION).tell(condition, CONDITION);
        let (what, loops) = match branch {
            Some(branch) => (self.effects(branch), "repeats this"),
            None => {
                (Some(self.performed(statement, SHORT).0).map(|name| format!("performs {name}")), "again and again")
            }
        };
        let description = match what {
            Some(what) if loops == "repeats this" => format!("repeats until {until}: {what}"),
            Some(what) => format!("{what} {loops} until {until}"),
            None => format!("repeats until {until}"),
        };
        let body = BusinessRule {
            description: sentence(&description),
            logic_summary: Some(shorten(&match branch {
                Some(_) => format!("PERFORM {}", words.text()),
                None => own.text().to_owned(),
            })),
            conditions: vec![shorten_to(&condition.to_string(), CONDITION)],
            decides: Some(DecisionEffect::Loop.in_words()),
            data_items: items,
            paragraph: self.paragraph_of(statement),
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// Returns the keys that a branch is about, or those of the nearest branch around it, if all that this does is to decide further. What a key leads
    /// to under a further condition belongs to it, too, if it is more than an assignment.
    fn keys_around(&self, branch: usize) -> Vec<String> {
        let keys = |branch: usize| self.reading.decisions.of_branch(branch).map(|told| self.keys_of(&told));
        let own = keys(branch).unwrap_or_default();
        if !own.is_empty() {
            return own;
        }
        let around = self.reading.decisions.enclosing_branches(self.reading.parsed.branches[branch].statement);
        let parsed = self.reading.parsed;
        let leads = |index: &usize| {
            matches!(parsed.statements[*index].verb, Verb::Perform | Verb::Go | Verb::Call | Verb::Exec)
        };
        let mut is_near = self.reading.under(branch).iter().any(leads);
        let around =
            around.take_while(|outer| std::mem::replace(&mut is_near, false) || self.effects(*outer).is_none());
        around.filter_map(keys).find(|keys| !keys.is_empty()).unwrap_or_default()
    }

    /// Returns the keys that a decision is about: those that its condition asks for, or `any other` behind cases that are all keys.
    fn keys_of(&self, decision: &Decision) -> Vec<String> {
        match &decision.condition {
            Some(condition) => self.keys(condition),
            None if decision.before.is_empty() => Vec::new(),
            None if decision.before.iter().any(|before| self.keys(before).is_empty()) => Vec::new(),
            None => vec!["any other".to_owned()],
        }
    }

    /// Returns the keys that a condition asks for, by the names on the keyboard; none if it may hold whatever key was pressed.
    fn keys(&self, condition: &Condition) -> Vec<String> {
        match condition {
            Condition::All(parts) => parts.iter().flat_map(|part| self.keys(part)).collect(),
            Condition::Any(parts) => {
                let keys: Vec<Vec<String>> = parts.iter().map(|part| self.keys(part)).collect();
                if keys.iter().any(Vec::is_empty) { Vec::new() } else { keys.concat() }
            }
            Condition::ConditionName { name, negated: false } => {
                let name = name.words().first().map(|name| name.text.to_uppercase());
                name.and_then(|name| self.reading.keys_of.get(&name).cloned()).unwrap_or_default()
            }
            _ => super::keys::key(condition).into_iter().collect(),
        }
    }
}
