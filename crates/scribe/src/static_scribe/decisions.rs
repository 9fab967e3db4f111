//! The conditions of a program and what happens under them: rules, and what is done when things go wrong.

use super::StaticWriter;
use super::conditions::{SHORT, together};
use super::consequences::figure_in_words;
use crate::phrases::{in_words, list, sentence, shorten, shorten_to};
use war_rig_cobol::{
    Branch, BranchKind, Condition, Decision, DecisionEffect, ExecBlock, ExecKind, OperandPhrase, OperandRole,
    OperationStatus, ParsedCobol, RelationalOperator, Statement, Verb, assigned_items,
};
use war_rig_template::{BusinessRule, ErrorHandling, PartialItem};
use war_rig_text::LineRange;

/// How many of the conditions around a decision are named.
const ENCLOSING_NAMED: usize = 4;

/// How many of them stand in its sentence.
const ENCLOSING_TOLD: usize = 2;

/// The longest condition of a rule, in characters.
const CONDITION: usize = 200;

/// The longest formula of a rule, in characters.
const FORMULA: usize = 400;

/// How often something must be decided for its decisions to be told as belonging together.
const OFTEN: u32 = 3;

/// How many items of a decision are named.
const ITEMS: usize = 12;

impl<'a> StaticWriter<'_, 'a> {
    /// Every condition that decides something as a rule, or as error handling where it says that an operation failed. Branches that do
    /// nothing, that only lead to further conditions, and that only note how an operation ended, decide nothing themselves. Figures that
    /// are worked out under no condition, and what ends a loop, are rules of their own.
    pub(super) fn decisions(&self) -> (Vec<PartialItem<BusinessRule>>, Vec<PartialItem<ErrorHandling>>) {
        let parsed = self.reading.parsed;
        let (mut rules, mut errors) = (Vec::new(), Vec::new());
        for statement in self.reading.statements_reaching(self.facts.owned()) {
            let found = &parsed.statements[statement];
            // What does not begin in the chunk may still end in it, so far as it has branches.
            let branches = self.reading.branches_of(statement);
            if branches.is_empty() && self.facts.cite(LineRange::single(found.lines.start())).is_none() {
                continue;
            }
            for index in branches {
                self.branch(*index, &mut rules, &mut errors);
            }
            rules.extend(match found.verb {
                Verb::Perform => self.repetition_rule(statement),
                _ => self.figure(statement),
            });
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
                errors.extend(self.error(index, || self.failing(index, branch)));
            }
            // What is decided while a failure is handled belongs to its handling.
            (_, Some(outer)) => {
                errors.extend(self.error(index, || {
                    let failing = self.failing(outer, &parsed.branches[outer]);
                    format!("{failing}, and {}", self.condition(branch, CONDITION))
                }));
            }
            (_, None) => rules.extend(self.rule(index, branch, outcome)),
        }
    }

    fn error(&self, index: usize, condition: impl FnOnce() -> String) -> Option<PartialItem<ErrorHandling>> {
        let citations = self.cite_decision(self.lines_of_branch(index));
        if citations.is_empty() {
            return None;
        }
        let effects = self.effects(index)?;
        let body = ErrorHandling { condition: sentence(&condition()), action: sentence(&effects) };
        Some(PartialItem::new(body, citations))
    }

    /// An embedded command whose outcome a branch tells, with all it works on where both sides of an IF before have such a command:
    /// `CICS READ of F1 or F2`.
    fn commands(&self, exec: &ExecBlock, branch: usize) -> String {
        let parsed = self.reading.parsed;
        let all = self.reading.outcomes.checked_operations(branch).iter();
        let execs = all.filter_map(|at| parsed.statements[*at].exec).map(|at| &parsed.execs[at]);
        let alike = execs.filter(|other| (other.kind, &other.command) == (exec.kind, &exec.command));
        let mut resources: Vec<&str> = alike.filter_map(|other| other.resource.as_deref()).collect();
        resources.dedup();
        let of = if resources.is_empty() { String::new() } else { format!(" of {}", resources.join(" or ")) };
        format!("{} {}{of}", exec.kind.in_words(), exec.command)
    }

    /// What went wrong: the operation, and by what the program tells.
    fn failing(&self, index: usize, branch: &'a Branch) -> String {
        let parsed = self.reading.parsed;
        let ends = self.reading.outcomes.of_branch(index) == Some(OperationStatus::EndOfData);
        let operation = self.reading.outcomes.checked_operation(index).map(|at| &parsed.statements[at]);
        let is_sql =
            operation.and_then(|found| found.exec).is_some_and(|at| parsed.execs[at].kind == ExecKind::Sql);
        let fails = match (ends, is_sql, operation.map(|found| found.verb)) {
            (true, true, _) => "finds no row",
            (true, false, Some(Verb::Search)) => "finds no entry",
            (true, false, _) => "finds no more data",
            (false, _, Some(Verb::Read | Verb::Start | Verb::Delete | Verb::Rewrite))
                if branch.kind == BranchKind::Phrase =>
            {
                "finds no such record"
            }
            (false, ..) => "fails",
        };
        let operation = operation.map(|found| match found.exec {
            Some(exec) => self.commands(&parsed.execs[exec], index),
            None => operation_of(parsed, found),
        });
        let is_first =
            self.reading.branches_of(branch.statement).iter().position(|at| *at == index) <= Some(1);
        let is_other = parsed.is_when_other(branch);
        match (operation, branch.kind) {
            (Some(operation), BranchKind::Phrase) if ends => format!("{operation} {fails}"),
            (Some(operation), BranchKind::Phrase) => {
                format!("{operation} {fails} ({})", in_words(parsed.condition(branch)))
            }
            (Some(operation), _) if is_other && is_first => format!("{operation} {fails}"),
            (Some(operation), _) if is_other => format!("{operation} {fails} in any other way"),
            (Some(operation), _) => format!("{operation} {fails}: {}", self.status(index, branch)),
            (None, _) => self.status(index, branch),
        }
    }

    /// What a branch asks of a status, with what a single value means.
    fn status(&self, index: usize, branch: &'a Branch) -> String {
        let asked = self.reading.decisions.condition(index);
        let meaning = asked.and_then(|asked| super::statuses::meaning(asked, self.reading.parsed));
        let words = match self.denied(index) {
            Some(denied) => {
                let program = self.reading.parsed.statements[branch.statement].program;
                self.wording(program, CONDITION).tell(&denied, CONDITION)
            }
            None => self.condition(branch, CONDITION),
        };
        meaning.map(|meaning| format!("{words} ({meaning})")).unwrap_or(words)
    }

    /// All that the ELSEs of a chain deny of one item: behind `IF X = 0 ... ELSE IF X = 16 ... ELSE` X is neither 0 nor 16. None where
    /// only one of them does.
    fn denied(&self, index: usize) -> Option<Condition> {
        let parsed = self.reading.parsed;
        let denial = |branch: usize| match self.reading.decisions.condition(branch)? {
            one @ Condition::Comparison { left, relation: RelationalOperator::NotEqual, .. } => {
                Some((one, left))
            }
            _ => None,
        };
        let (own, item) = denial(index)?;
        let mut all = vec![own.clone()];
        let mut at = index;
        while let Some(outer) = parsed.statements[parsed.branches[at].statement].branch
            && parsed.branches[outer].kind == BranchKind::Else
            && let Some((denied, left)) = denial(outer)
            && left.text().eq_ignore_ascii_case(item.text())
        {
            all.insert(0, denied.clone());
            at = outer;
        }
        (all.len() > 1).then(|| Condition::all(all))
    }

    /// The ELSE that is told with its IF: where neither says how an operation ended.
    fn otherwise_of(&self, index: usize) -> Option<usize> {
        let branch = &self.reading.parsed.branches[index];
        let is_plain = branch.kind == BranchKind::If && self.reading.outcomes.of_branch(index).is_none();
        self.reading.branches_of(branch.statement).get(1).copied().filter(|_| is_plain)
    }

    /// The lines of a decision, its ELSE included where that is told with it.
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

    /// From the condition of a branch to the last line under it; of a deep one its condition alone, so that what is cited grows with the
    /// source, not with its depth.
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
        // An ELSE is told with its IF, unless it is the only one of both that says how an operation failed.
        if branch.kind == BranchKind::Else && self.reading.outcomes.of_branch(*siblings.first()?).is_none() {
            return None;
        }
        let citations = self.cite_decision(self.lines_of(index));
        if citations.is_empty() {
            return None;
        }
        let done = self.effects(index);
        let otherwise = otherwise.and_then(|other| Some((other, self.effects(other)?)));
        let decision = self.reading.decisions.of_branch(index)?;
        // Where only the ELSE does anything, the condition is told as it must be for that.
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
        let (within, more) = self.enclosing(asked, other.is_none(), ENCLOSING_TOLD);
        // Equal rules under different conditions are different rules.
        let provided = match within.is_empty() {
            true => String::new(),
            false => format!(
                ", provided that {}{}",
                together(&within),
                if more { " and more around it" } else { "" }
            ),
        };
        let earlier =
            self.earlier(&decision, CONDITION).map(|cases| format!(" (and no earlier case holds: {cases})"));
        let earlier = earlier.unwrap_or_default();
        let opens = if condition.starts_with("in every case") { "" } else { "when " };
        let description = match other {
            Some((_, other)) => format!("{opens}{condition}{earlier}{provided}: {done}; otherwise: {other}"),
            None => format!("{opens}{condition}{earlier}{provided}: {done}"),
        };
        let conditions = std::iter::once(self.as_written(own, CONDITION)).chain(self.enclosing_as_written(
            branch,
            ENCLOSING_NAMED,
            CONDITION,
        ));
        let decides = std::iter::once(own).chain(other.map(|(other, _)| *other));
        let mut written = self.effects_as_written(own);
        if let Some((other, _)) = other {
            written.push(format!("ELSE {}", self.effects_as_written(*other).join("; ")));
        }
        let body = BusinessRule {
            description: sentence(&description),
            logic_summary: Some(written.join("; ")).filter(|written| !written.is_empty()),
            conditions: conditions.collect(),
            decides: Some(self.decides(decides.flat_map(|branch| self.done_by(branch)))),
            data_items: self.items(&decision),
            paragraph: self.paragraph_of(decision.statement),
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// The paragraph that a statement stands in.
    fn paragraph_of(&self, statement: usize) -> Option<String> {
        let found = &self.reading.parsed.statements[statement];
        self.reading.parsed.label(found.paragraph).map(str::to_owned)
    }

    /// The statements that a branch is told by, those of decisions that are told with it included.
    fn done_by(&self, branch: usize) -> Vec<usize> {
        let mut done = Vec::new();
        for index in self.reading.under(branch) {
            done.push(*index);
            for inner in self.reading.branches_of(*index).iter().filter(|inner| self.is_folded(**inner)) {
                done.extend(self.reading.under(*inner));
            }
        }
        done
    }

    /// What is decided, in words. Of equally telling things the one that is decided most often in the source, so that what belongs
    /// together is found together: all that performs one paragraph, all that sets one item, or else items of one record.
    fn decides(&self, statements: impl Iterator<Item = usize>) -> String {
        let all = self.reading.decisions.effects_of(statements);
        let first = all.first().unwrap_or(&DecisionEffect::Other);
        let alike =
            all.iter().filter(|decided| std::mem::discriminant(*decided) == std::mem::discriminant(first));
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

    /// The data items behind a decision; with a condition name the item that it is about.
    fn items(&self, decision: &Decision) -> Vec<String> {
        let mut all = self.reading.decisions.items_in(decision);
        let about = all.iter().filter_map(|name| self.reading.condition_names.get(name.as_str()));
        let about: Vec<String> =
            about.map(|(item, _)| (*item).to_owned()).filter(|item| item != "FILLER").collect();
        for item in about {
            if !all.contains(&item) {
                all.push(item);
            }
        }
        all.truncate(ITEMS);
        all
    }

    /// A figure that is worked out whatever holds.
    fn figure(&self, statement: usize) -> Option<PartialItem<BusinessRule>> {
        let decision = self.reading.decisions.formula_decision(statement)?;
        let found = &self.reading.parsed.statements[statement];
        let citations = self.cite_decision(found.lines);
        if citations.is_empty() {
            return None;
        }
        let place = self.reading.parsed.label(found.paragraph).map(|label| format!("{label} "));
        let words = figure_in_words(self.reading.parsed, found, FORMULA)?;
        let body = BusinessRule {
            description: sentence(&format!("{}{words}", place.unwrap_or_default())),
            logic_summary: Some(shorten_to(self.reading.parsed.words(found).text(), FORMULA)),
            conditions: Vec::new(),
            decides: decision.effects.first().map(DecisionEffect::in_words),
            data_items: self.items(&decision),
            paragraph: self.paragraph_of(decision.statement),
            ..BusinessRule::default()
        };
        Some(PartialItem::new(body, citations))
    }

    /// What ends a loop, unless it counts or only asks how an operation ended.
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
            None => (
                Some(self.performed(found, SHORT).0).map(|name| format!("performs {name}")),
                "again and again",
            ),
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

    /// That an operation went well, by its name where it is known.
    fn succeeding(&self, index: usize, branch: &'a Branch) -> String {
        let parsed = self.reading.parsed;
        let operation = self.reading.outcomes.checked_operation(index).map(|at| &parsed.statements[at]);
        match (operation, branch.kind) {
            (Some(found), BranchKind::Phrase) => format!("{} succeeds", operation_of(parsed, found)),
            _ => self.condition(branch, CONDITION),
        }
    }
}

/// An operation by its verb and what it works on: `READ of STOCK-FILE`, `OPEN of A and B`, `COMPUTE of TOTAL`.
pub(super) fn operation_of(parsed: &ParsedCobol, found: &Statement) -> String {
    let own = || parsed.operands(found).filter(|operand| !operand.is_inner());
    let first = || own().filter(|operand| operand.phrase() == OperandPhrase::First);
    let names: Vec<String> = match found.verb {
        Verb::Write | Verb::Rewrite | Verb::Release | Verb::Search | Verb::Sort | Verb::Merge => {
            first().take(1).map(|operand| operand.name().to_owned()).collect()
        }
        // What stands before the name of the program is a convention of calls.
        Verb::Call | Verb::Invoke => {
            first().last().map(|operand| operand.text().to_owned()).into_iter().collect()
        }
        _ => {
            let files = own().filter(|operand| operand.role() == OperandRole::File);
            let files: Vec<String> = files.map(|operand| operand.name().to_owned()).collect();
            if files.is_empty() { assigned_items(parsed, found) } else { files }
        }
    };
    match names.is_empty() {
        true => found.verb.to_string(),
        false => shorten(&format!("{} of {}", found.verb, list(&names))),
    }
}
