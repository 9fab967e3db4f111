//! Describes the conditions of a program and their consequences: rules and error handling.

use super::StaticWriter;
use super::conditions::{CONDITION, ENCLOSING_TOLD, SHORT, is_until_exit, together};
use super::consequences::{BranchEffects, figure_in_words};
use super::earlier_checks::NO_CHECK_LEAVES;
use crate::phrases::{capitalized, sentence, shorten, shorten_to};
use foldhash::{HashSet, HashSetExt};
use war_rig_cobol::{Branch, BranchKind, Decision, DecisionEffect, OperationStatus, ParagraphHead, Verb};
use war_rig_template::{BusinessRule, ErrorHandling, KeyAction, PartialItem, RunEnd};
use war_rig_text::LineRange;

/// How many of the conditions around a decision are named.
const ENCLOSING_NAMED: usize = 4;

/// The maximum length of a rule's formula, in characters.
const FORMULA: usize = 400;

/// How many of the loops around a figure are told.
const LOOPS_TOLD: usize = 2;

/// How often something must be decided before its decisions are grouped.
const OFTEN: u32 = 3;

/// How many items of a decision are named.
const ITEMS: usize = 12;

/// What a rule asks for, in words.
struct RuleCondition {
    /// The condition of its branch.
    condition: String,
    /// That cases before it do not hold.
    earlier: Option<String>,
    /// What must hold around it.
    provided: Option<String>,
    /// The part of that which checks before it see to.
    not_left: Vec<String>,
    /// Whether the rule says what happens otherwise.
    has_otherwise: bool,
}

impl RuleCondition {
    /// Returns the condition of its branch with this word before it.
    fn own_words(&self, opens: &str) -> String {
        let earlier = self.earlier.as_ref().map(|earlier| format!(" (and {earlier})")).unwrap_or_default();
        format!("{opens}{}{earlier}", self.condition)
    }

    /// Returns all of it with this word before the condition.
    fn in_words(&self, opens: &str) -> String {
        let asks = self.own_words(if self.condition.starts_with("in every case") { "" } else { opens });
        match &self.provided {
            // What happens otherwise is provided for in the same way.
            Some(provided) if self.has_otherwise => format!("{provided}: {asks}"),
            Some(provided) => format!("{asks}, {provided}"),
            None => asks,
        }
    }
}

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
            (Some(OperationStatus::Failure), _) if self.reading.outcomes.checked_operations(index).is_empty() => {
                errors.extend(self.reported_error(index).or_else(|| self.error(index, index)));
            }
            (Some(OperationStatus::Failure | OperationStatus::EndOfData), _) => {
                errors.extend(self.error(index, index));
            }
            // A decision made while a failure is handled belongs to the error handling.
            (_, Some(outer)) => {
                errors.extend(self.error(index, outer));
            }
            (_, None) => match self.reported_error(index) {
                Some(error) => errors.push(error),
                None => rules.extend(self.rule(index, branch)),
            },
        }
    }

    /// Describes a branch that is taken after a failure, given the branch that detects this.
    fn error(&self, index: usize, detects: usize) -> Option<PartialItem<ErrorHandling>> {
        let citations = self.cite_decision(self.lines_of_branch(index));
        if citations.is_empty() {
            return None;
        }
        let effects = self.effects(index)?;
        let outcome = self.outcome_of_failure(index);
        let body = ErrorHandling {
            condition: sentence(&self.failure(index, detects)),
            action: sentence(&self.with_replaced(index, effects.words)),
            ends: effects.ends.filter(|_| outcome.is_none()),
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
    pub(super) fn lines_of_branch(&self, index: usize) -> LineRange {
        let parsed = self.reading.parsed;
        let lines = parsed.branches[index].lines;
        let under = || Some(parsed.statements[*self.reading.under(index).first()?].lines.start());
        let first = self.is_deep(index).then(under).flatten();
        let last = first.map(|first| first.previous().unwrap_or(first)).unwrap_or(lines.end());
        LineRange::spanning(lines.start(), last.max(lines.start()))
    }

    fn rule(&self, index: usize, branch: &'a Branch) -> Option<PartialItem<BusinessRule>> {
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
        let effects = |branch: usize| {
            let effects = self.effects(branch)?;
            Some(BranchEffects { words: self.with_replaced(branch, effects.words), ..effects })
        };
        let done = effects(index);
        let otherwise = otherwise.and_then(|other| Some((other, effects(other)?)));
        let decision = self.reading.decisions.of_branch(index)?;
        // If only the ELSE has an effect, the condition is negated.
        let (own, done, other) = match (done, otherwise) {
            (Some(done), other) => (index, done, other),
            (None, Some((other, done))) => (other, done, None),
            (None, None) => return None,
        };
        let (other, instead) = other.unzip();
        let asks = self.rule_condition(index, own, other.is_some());
        let keys = self.keys_around(own);
        let key_action = (!keys.is_empty()).then(|| KeyAction {
            does: done.words.clone(),
            otherwise: instead.as_ref().map(|instead| instead.words.clone()),
            when: self.beyond_keys_in_words(own, || asks.own_words("")),
            provided: self.provided_beyond_keys(own, &keys, !asks.has_otherwise, asks.not_left.clone()),
        });
        let mut description = format!("{}: {}", asks.in_words("when "), done.words);
        if let Some(instead) = &instead {
            let differs = || other.is_some_and(|other| self.effects_as_written(other) != self.effects_as_written(own));
            let is_alike = instead.words == done.words && differs();
            let words = if is_alike { "the same with other operands" } else { &instead.words };
            description.push_str(&format!("; otherwise: {words}"));
        }
        let ends = |opens: &str, effect: String| RunEnd { when: capitalized(&asks.in_words(opens)), effect };
        let instead_ends = instead.and_then(|instead| instead.ends).map(|effect| ends("unless ", effect));
        let ends = done.ends.map(|effect| ends("when ", effect)).or(instead_ends);
        let conditions = std::iter::once(self.as_written(own, CONDITION))
            .chain(self.enclosing_as_written(branch, ENCLOSING_NAMED, CONDITION));
        let decides = std::iter::once(own).chain(other);
        let mut written = self.effects_as_written(own);
        if let Some(other) = other {
            written.push(format!("ELSE {}", self.effects_as_written(other).join("; ")));
        }
        let outcome = self.outcome(own, other);
        let body = BusinessRule {
            description: sentence(&description),
            logic_summary: Some(written.join("; ")).filter(|written| !written.is_empty()),
            conditions: conditions.collect(),
            decides: Some(self.decides(decides.flat_map(|branch| self.done_by(branch)))),
            data_items: self.items(&decision),
            paragraph: self.paragraph_of(decision.statement),
            runs: outcome.as_ref().and_then(|_| self.when_run(decision.statement)),
            ends: ends.filter(|_| outcome.is_none()),
            outcome,
            is_about_rights: self.is_about_rights(&decision),
            keys,
            key_action,
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// Words what a rule asks for that is about a branch, given the one whose effects are told first.
    fn rule_condition(&self, index: usize, own: usize, has_otherwise: bool) -> RuleCondition {
        let (branch, asked) = (&self.reading.parsed.branches[index], &self.reading.parsed.branches[own]);
        let condition = match self.reading.outcomes.of_branch(index) {
            Some(_) => self.succeeding(index, branch),
            None => self.condition(asked, CONDITION),
        };
        let (within, more) = self.enclosing(asked, !has_otherwise, ENCLOSING_TOLD);
        // In a chain of checks that leave, the order tells it.
        let mut not_left = Vec::new();
        if !self.reading.flow.branch_leaves(own) {
            let asked = self.reading.decisions.condition(own).filter(|_| !has_otherwise && own == index);
            not_left = self.not_left_before(branch.statement, asked);
            // Among the cases of an EVALUATE, what is not told by itself is no news.
            not_left.retain(|told| branch.kind != BranchKind::When || told != NO_CHECK_LEAVES);
            not_left.extend(self.not_left_around(branch.statement, asked));
            let mut seen = HashSet::new();
            not_left.retain(|told| *told != condition && !within.contains(told) && seen.insert(told.clone()));
        }
        let within = [within, not_left.clone()].concat();
        let more = if more { " and more around it" } else { "" };
        // Equal rules under different conditions are different rules.
        let provided = (!within.is_empty()).then(|| format!("provided that {}{more}", together(&within)));
        let decision = self.reading.decisions.of_branch(index);
        let earlier = decision.and_then(|decision| self.earlier(&decision, CONDITION));
        RuleCondition { condition, earlier, provided, not_left, has_otherwise }
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
        let decisions = self.reading.decisions;
        let about = all.iter().filter_map(|name| decisions.tested_condition_name(decision, name));
        let about = about.filter_map(|name| decisions.condition_item(name)).map(|item| item.name.clone());
        let about: Vec<String> = about.filter(|item| item != "FILLER").collect();
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
        let told = format!("{words}{}{}", self.repeated_around(statement), provided.unwrap_or_default());
        let body = BusinessRule {
            description: sentence(&format!("{}{told}", place.unwrap_or_default())),
            logic_summary: Some(shorten_to(self.reading.parsed.words(found).text(), FORMULA)),
            conditions: Vec::new(),
            decides: decision.effects.first().map(DecisionEffect::in_words),
            data_items: self.items(&decision),
            paragraph: self.paragraph_of(decision.statement),
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// Words the loops around a statement, the innermost first: `, for each I`, `, repeated until AT-END`.
    fn repeated_around(&self, statement: usize) -> String {
        let parsed = self.reading.parsed;
        let around = self.reading.decisions.enclosing_branches(statement).map(|branch| &parsed.branches[branch]);
        let loops = around.filter(|branch| branch.kind == BranchKind::Loop).take(LOOPS_TOLD);
        let mut told: Vec<String> = Vec::new();
        for branch in loops {
            let mut words = parsed.condition(branch).iter().skip_while(|word| !word.is("VARYING")).skip(1);
            told.push(match words.next() {
                Some(counter) => format!(", for each {}", counter.text),
                None => format!(", repeated {}", self.condition(branch, SHORT)),
            });
        }
        told.dedup();
        told.concat()
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
        let condition = decision.condition.as_ref().filter(|until| !is_until_exit(until))?;
        let until = self.wording(found.program, CONDITION).tell(condition, CONDITION);
        let (what, loops) = match branch {
            Some(branch) => (self.effects(branch).map(|effects| effects.words), "repeats this"),
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
}
