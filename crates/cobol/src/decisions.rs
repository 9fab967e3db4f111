//! The decisions of a program: the condition, its consequences, and what they decide.
//!
//! Conditions are parsed once, on first use. A decision is built on request, so that a source with ten thousand
//! decisions costs only the parsing of its conditions. The enclosing conditions are limited to what a reader can follow.

mod assignments;
mod condition;
mod constant_relation;
mod constants;
mod effect;
mod formula;
mod index;

pub use assignments::{ArithmeticCopy, MoveOperands, assigned_items, move_operands, sets_return_code, string_operands};
pub use condition::{Condition, RelationalOperator};
pub use constants::{AssignedConstant, truth_set};
pub(crate) use constants::{is_whole_item, record_of};
pub use effect::DecisionEffect;
use effect::MAX_EFFECTS;
pub use formula::Formula;

use crate::code::{CodeText, WordSlice};
use crate::model::{Branch, BranchKind, DataItem, ParsedCobol, Statement};
use crate::operands::OperandPhrase;
use crate::verb::Verb;
pub(crate) use assignments::names_in;
pub(crate) use condition::NameKind;
pub(crate) use constant_relation::ConstantRelation;
pub use constant_relation::is_terminal_key;
pub(crate) use index::DecisionIndex;
use std::borrow::Cow;
use war_rig_text::LineRange;

/// The kind of statement or phrase that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DecisionKind {
    /// IF.
    If,
    /// ELSE.
    Else,
    /// WHEN of EVALUATE.
    When,
    /// WHEN of SEARCH.
    Search,
    /// AT END, INVALID KEY, ON SIZE ERROR, ON EXCEPTION, ON OVERFLOW, or NOT with one of them.
    Phrase,
    /// UNTIL of PERFORM.
    Until,
    /// A figure computed without a condition of its own.
    Formula,
}

impl DecisionKind {
    /// Returns the name used in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Its kind.
    pub kind: DecisionKind,
    /// The index of the statement that decides.
    pub statement: usize,
    /// The index of its branch; none for UNTIL of a PERFORM of paragraphs, and for a formula.
    pub branch: Option<usize>,
    /// The condition; none for a phrase (AT END) and for a formula.
    pub condition: Option<Condition>,
    /// The preceding WHENs that its own condition does not exclude, in order: all of them must be false.
    pub before: Vec<Condition>,
    /// The number of preceding WHENs that are not listed.
    pub preceding_omitted: usize,
    /// The enclosing conditions, innermost first.
    pub around: Vec<Condition>,
    /// Whether further enclosing conditions are not listed.
    pub enclosing_omitted: bool,
    /// The figure, for a formula.
    pub formula: Option<Formula>,
    /// What it decides, the most important first.
    pub effects: Vec<DecisionEffect>,
}

/// The maximum number of enclosing conditions listed.
const AROUND: usize = 8;

/// The maximum number of enclosing branches examined. Real programs nest a few dozen deep; unterminated IFs nest without limit.
const DEEPEST: u16 = 64;

impl Statement {
    /// Returns whether it is nested so deeply that nobody reads all statements under it as one decision.
    pub fn is_deep(&self) -> bool {
        self.depth > DEEPEST
    }
}

/// The maximum number of preceding WHENs listed.
const BEFORE: usize = 12;

/// The maximum number of preceding WHENs tested for exclusion.
const COMPARED: usize = 24;

/// The decisions of one source.
#[derive(Debug, Clone, Copy)]
pub struct Decisions<'p> {
    parsed: &'p ParsedCobol,
    index: &'p DecisionIndex,
}

impl<'p> Decisions<'p> {
    pub(crate) fn new(parsed: &'p ParsedCobol, index: &'p DecisionIndex) -> Self {
        Self { parsed, index }
    }

    /// Returns all decisions in the order of their statements, including those without statements under them.
    pub fn iter(self) -> impl Iterator<Item = Decision> + 'p {
        (0..self.parsed.statements.len()).flat_map(move |statement| {
            let of_branches = self.branches_of(statement).iter().filter_map(|branch| self.of_branch(*branch));
            let own = self.until_decision(statement).or_else(|| self.formula_decision(statement));
            of_branches.chain(own).collect::<Vec<_>>()
        })
    }

    /// Returns the statements directly under a branch, in order.
    pub fn statements_under(&self, branch: usize) -> &'p [usize] {
        self.index.under.get(branch)
    }

    /// Returns the lines of the statements under a branch, first to last; none if it has no statements.
    pub fn lines_under(&self, branch: usize) -> Option<LineRange> {
        let under = self.statements_under(branch);
        let first = &self.parsed.statements[*under.first()?];
        let last = under.last().map_or(first, |last| &self.parsed.statements[*last]);
        Some(LineRange::spanning(first.lines.start(), last.lines.end()))
    }

    /// Returns the branches of a statement, in order.
    pub fn branches_of(&self, statement: usize) -> &'p [usize] {
        self.index.branches.get(statement)
    }

    /// Returns the host variable of SQL that is null where an item is below zero, in upper case, if there is only one.
    pub fn indicated(&self, name: &str) -> Option<&'p str> {
        self.index.indicated(name)
    }

    /// Returns the item that a name refers to in a program: the program's own, or else one of another program.
    pub fn item(&self, name: &str, program: Option<usize>) -> Option<&'p DataItem> {
        let index = self.index.item(self.parsed, name, program)?;
        Some(&self.parsed.data_items[index])
    }

    /// Returns the item that words name, with or without the names that qualify it: `FULL`, `FULL OF ORDER-STATE`.
    pub fn named_item(&self, words: WordSlice<'_>, program: Option<usize>) -> Option<&'p DataItem> {
        let name = words.first()?;
        let index = self.index.qualified(self.parsed, name.text, &words.qualifiers().collect::<Vec<_>>(), program)?;
        Some(&self.parsed.data_items[index])
    }

    /// Returns the condition name that words name without subscripts.
    pub fn plain_condition_name(&self, words: WordSlice<'_>, program: Option<usize>) -> Option<&'p DataItem> {
        let is_plain = words.len() == 1 + 2 * words.qualifiers().count();
        self.named_item(words, program).filter(|item| is_plain && item.level == 88)
    }

    /// Returns the condition name that a decision tests under a name.
    pub fn tested_condition_name(&self, decision: &Decision, name: &str) -> Option<&'p DataItem> {
        let before = decision.before.iter().filter(|_| decision.condition.is_none());
        let mut leaves = decision.condition.iter().chain(before).flat_map(Condition::leaves);
        leaves.find_map(|leaf| match leaf {
            Condition::ConditionName { name: tested, .. } => {
                let tested = Some(tested.words()).filter(|words| words.first().is_some_and(|first| first.is(name)))?;
                let program = self.parsed.statements[decision.statement].program;
                self.named_item(tested, program).filter(|item| item.level == 88)
            }
            _ => None,
        })
    }

    /// Returns the item of a condition name.
    pub fn condition_item(&self, condition_name: &DataItem) -> Option<&'p DataItem> {
        condition_name.parent.map(|parent| &self.parsed.data_items[parent])
    }

    /// Returns the initial value of an item that nothing in this source changes, as written; of a group whose parts have the values, as a literal.
    pub fn constant(&self, name: &str, program: Option<usize>) -> Option<&'p str> {
        let index = self.index.item(self.parsed, name, program)?;
        let item = &self.parsed.data_items[index];
        let is_own = |section: &str| matches!(section, "WORKING-STORAGE" | "LOCAL-STORAGE") || item.level == 78;
        let own = item.section.as_deref().is_none_or(is_own);
        let is_fixed = matches!(item.level, 1..=49 | 77 | 78) && own && !self.index.can_change(self.parsed, index);
        item.value.as_deref().or_else(|| self.index.joined_value(index)).filter(|_| is_fixed)
    }

    /// Returns the condition of a branch in normal form: WHEN includes the subject of its EVALUATE, ELSE negates its IF. None for AT END
    /// and similar phrases, for WHEN OTHER, and for a loop without UNTIL.
    pub fn condition(&self, branch: usize) -> Option<&'p Condition> {
        let all = || (0..self.parsed.branches.len()).map(|branch| self.read_branch(branch)).collect();
        self.index.conditions.get_or_init(all)[branch].as_ref()
    }

    fn read_branch(&self, branch: usize) -> Option<Condition> {
        let found = &self.parsed.branches[branch];
        let owner = &self.parsed.statements[found.statement];
        let asked = self.parsed.condition(found);
        match found.kind {
            BranchKind::If => Some(self.read(asked, owner)),
            BranchKind::Else => {
                let first = *self.branches_of(found.statement).first()?;
                Some(self.read(self.parsed.condition(&self.parsed.branches[first]), owner).negated())
            }
            BranchKind::When if self.parsed.is_when_other(found) => None,
            BranchKind::When if owner.verb == Verb::Evaluate => Some(self.when(found, owner)),
            BranchKind::When => Some(self.read(asked, owner)),
            BranchKind::Loop => until(asked).map(|(_, condition)| self.read(condition, owner)),
            BranchKind::Phrase => None,
        }
    }

    /// Returns the loops in the phrase of a PERFORM, outermost first: the text before UNTIL (`VARYING I FROM 1 BY 1`) and the condition.
    pub fn loops<'t>(&self, words: WordSlice<'t>, program: Option<usize>) -> Vec<(WordSlice<'t>, Option<Condition>)> {
        let read = |words| Condition::parse(words, &|name| self.naming(name, program));
        let mut found = Vec::new();
        let mut rest = words;
        while !rest.is_empty() {
            let end = behind_loop(rest);
            let (one, behind) = (rest.ending_at(end), rest.from(end + 1));
            found.push(match until(one) {
                Some((at, condition)) => (one.ending_at(at), Some(read(condition))),
                None => (one, None),
            });
            rest = behind;
        }
        found
    }

    /// Returns the condition of START on the key of its file, as a condition on `KEY`.
    pub fn start_key_condition(&self, statement: &Statement) -> Option<Condition> {
        let words = self.parsed.words(statement);
        let key = words.position(|word| word.is("KEY")).filter(|_| statement.verb == Verb::Start)?;
        Some(self.read(words.from(key), statement))
    }

    fn read(&self, words: WordSlice<'_>, owner: &Statement) -> Condition {
        Condition::parse(words, &|name| self.naming(name, owner.program))
    }

    fn naming(&self, name: &str, program: Option<usize>) -> NameKind {
        match self.item(name, program) {
            Some(item) if item.level == 88 => NameKind::ConditionName,
            Some(_) => NameKind::Item,
            None if is_of_cics(name) => NameKind::Item,
            None => NameKind::Unknown,
        }
    }

    /// Returns a WHEN with the subjects of its EVALUATE; ALSO allows several.
    fn when(&self, branch: &Branch, owner: &Statement) -> Condition {
        let naming = |name: &str| self.naming(name, owner.program);
        let (subject, asked) = (self.parsed.words_after_verb(owner), self.parsed.condition(branch));
        let subjects = subject.split("ALSO");
        if subjects.len() == 1 {
            return Condition::for_subject(subject, asked, &naming);
        }
        let alternatives = alternatives(asked, subjects.len()).into_iter().map(|alternative| {
            let objects = alternative.split("ALSO");
            if objects.len() != subjects.len() {
                return Condition::Unparsed { words: alternative.to_code(), negated: false };
            }
            let is_any = |object: &WordSlice<'_>| object.len() == 1 && object.has("ANY");
            let asked = subjects.iter().zip(objects).filter(|(_, object)| !is_any(object));
            Condition::all(asked.map(|(subject, object)| Condition::for_subject(*subject, object, &naming)).collect())
        });
        Condition::any(alternatives.collect())
    }

    /// Returns the decision at a branch; none for a loop without UNTIL.
    pub fn of_branch(&self, branch: usize) -> Option<Decision> {
        let found = &self.parsed.branches[branch];
        let owner = &self.parsed.statements[found.statement];
        let kind = match found.kind {
            BranchKind::If => DecisionKind::If,
            BranchKind::Else => DecisionKind::Else,
            BranchKind::When if owner.verb == Verb::Search => DecisionKind::Search,
            BranchKind::When => DecisionKind::When,
            BranchKind::Phrase => DecisionKind::Phrase,
            BranchKind::Loop => DecisionKind::Until,
        };
        let condition = self.condition(branch).cloned();
        if kind == DecisionKind::Until && condition.is_none() {
            return None;
        }
        let (before, before_left_out) = self.preceding(branch, condition.as_ref());
        let (around, around_left_out) = self.enclosing(found.statement);
        let decides = match kind {
            DecisionKind::Until => vec![DecisionEffect::Loop],
            _ => self.effects_of(self.statements_under(branch).iter().copied()),
        };
        Some(Decision {
            kind,
            statement: found.statement,
            branch: Some(branch),
            condition,
            before,
            preceding_omitted: before_left_out,
            around,
            enclosing_omitted: around_left_out,
            formula: None,
            effects: decides,
        })
    }

    /// Returns the decision of UNTIL in a PERFORM of paragraphs.
    pub fn until_decision(&self, statement: usize) -> Option<Decision> {
        let owner = &self.parsed.statements[statement];
        if owner.verb != Verb::Perform || !self.branches_of(statement).is_empty() {
            return None;
        }
        let (_, condition) = until(self.parsed.words(owner))?;
        let condition = self.read(condition, owner);
        Some(self.of_statement(statement, DecisionKind::Until, Some(condition), None))
    }

    /// Returns a formula that is under no condition, or only in a loop; under any other condition it is part of that decision.
    pub fn formula_decision(&self, statement: usize) -> Option<Decision> {
        let formula = self.own_formula(statement)?;
        Some(self.of_statement(statement, DecisionKind::Formula, None, Some(formula)))
    }

    /// Returns whether a statement has a [`formula_decision`](Self::formula_decision).
    pub(crate) fn computes_figure(&self, statement: usize) -> bool {
        self.own_formula(statement).is_some()
    }

    fn own_formula(&self, statement: usize) -> Option<Formula> {
        let owner = &self.parsed.statements[statement];
        let own = owner.branch.is_none_or(|branch| self.parsed.branches[branch].kind == BranchKind::Loop);
        own.then(|| Formula::of(self.parsed, owner))?.filter(|_| !self.counts(owner))
    }

    /// Returns whether ADD or SUBTRACT changes items by an item that is always one.
    fn counts(&self, statement: &Statement) -> bool {
        let of = |phrase| self.parsed.operands(statement).filter(move |operand| operand.phrase() == phrase);
        let mut by = of(OperandPhrase::First).filter(|operand| !operand.is_inner());
        let (Some(one), None) = (by.next(), by.next()) else { return false };
        matches!(statement.verb, Verb::Add | Verb::Subtract)
            && of(OperandPhrase::Giving).next().is_none()
            && is_whole_item(one)
            && self
                .constant(one.name(), statement.program)
                .is_some_and(|value| value.trim_start_matches(['+', '0']) == "1")
    }

    fn of_statement(
        &self,
        statement: usize,
        kind: DecisionKind,
        condition: Option<Condition>,
        formula: Option<Formula>,
    ) -> Decision {
        let (around, around_left_out) = self.enclosing(statement);
        let decides = match &formula {
            Some(formula) => formula
                .targets
                .iter()
                .chain(&formula.remainder)
                .take(MAX_EFFECTS)
                .cloned()
                .map(DecisionEffect::Item)
                .collect(),
            None => vec![DecisionEffect::Loop],
        };
        Decision {
            kind,
            statement,
            branch: None,
            condition,
            before: Vec::new(),
            preceding_omitted: 0,
            around,
            enclosing_omitted: around_left_out,
            formula,
            effects: decides,
        }
    }

    /// Returns the preceding WHENs that must be false and that the own condition does not exclude. WHEN OTHER gets all of them.
    fn preceding(&self, branch: usize, own: Option<&Condition>) -> (Vec<Condition>, usize) {
        let found = &self.parsed.branches[branch];
        if found.kind != BranchKind::When || self.parsed.statements[found.statement].verb != Verb::Evaluate {
            return (Vec::new(), 0);
        }
        let siblings = self.branches_of(found.statement);
        let place = siblings.partition_point(|sibling| *sibling < branch);
        let Some(own) = own else {
            let told = siblings[..place].iter().take(BEFORE).filter_map(|sibling| self.condition(*sibling));
            return (told.cloned().collect(), place.saturating_sub(BEFORE));
        };
        let subject = self.parsed.words_after_verb(&self.parsed.statements[found.statement]);
        let is_truth = subject.len() == 1 && (subject.has("TRUE") || subject.has("FALSE"));
        let of_one_item = !is_truth && !subject.has("ALSO");
        // Different values of one item exclude each other, unless a range or another item is among them.
        if of_one_item && self.asks_for_constants(own, self.parsed.statements[found.statement].program) {
            return (Vec::new(), 0);
        }
        let asked = siblings[..place].iter().take(COMPARED).filter_map(|sibling| self.condition(*sibling));
        let program = self.parsed.statements[found.statement].program;
        let mut told: Vec<Condition> = asked.filter(|earlier| !self.excludes(own, earlier, program)).cloned().collect();
        let left_out = told.len().saturating_sub(BEFORE) + place.saturating_sub(COMPARED);
        told.truncate(BEFORE);
        (told, left_out)
    }

    /// Returns whether an item is compared only with constants: literals, items that nothing changes, and values that CICS supplies.
    fn asks_for_constants(&self, condition: &Condition, program: Option<usize>) -> bool {
        match condition {
            Condition::Any(parts) => parts.iter().all(|part| self.asks_for_constants(part, program)),
            Condition::Comparison { relation: RelationalOperator::Equal, right, .. } => {
                let first = right.words().first();
                first.is_some_and(|first| first.is_constant() || is_of_cics(first.text))
                    || self.constant(right.text(), program).is_some()
            }
            _ => false,
        }
    }

    /// Returns whether two conditions can never both be true, as far as constants show; condition names are compared by their values.
    pub fn excludes(&self, one: &Condition, other: &Condition, program: Option<usize>) -> bool {
        let relate = |left: &CodeText, one: &CodeText, other: &CodeText| self.relate(left, one, other, program);
        self.by_values(one, program).excludes(&self.by_values(other, program), &relate)
    }

    /// Returns a condition with its condition names, negated or not, as comparisons of their items.
    fn by_values<'c>(&self, condition: &'c Condition, program: Option<usize>) -> Cow<'c, Condition> {
        if !condition.leaves().any(|leaf| matches!(leaf, Condition::ConditionName { .. })) {
            return Cow::Borrowed(condition);
        }
        let of_parts =
            |parts: &[Condition]| parts.iter().map(|part| self.by_values(part, program).into_owned()).collect();
        Cow::Owned(match condition {
            Condition::All(parts) => Condition::All(of_parts(parts)),
            Condition::Any(parts) => Condition::Any(of_parts(parts)),
            Condition::ConditionName { negated: true, .. } => {
                self.expand_condition_name(&condition.clone().negated(), program).negated()
            }
            leaf => self.expand_condition_name(leaf, program),
        })
    }

    /// Returns the relation of two operands with which another operand is compared.
    pub(crate) fn relate(
        &self,
        left: &CodeText,
        one: &CodeText,
        other: &CodeText,
        program: Option<usize>,
    ) -> ConstantRelation {
        ConstantRelation::of(one, other, self.is_text(left, program))
    }

    /// Returns whether an operand compares by its characters: it is a group, a part of an item, or an item that does not only hold digits.
    fn is_text(&self, operand: &CodeText, program: Option<usize>) -> bool {
        let is_part = operand.words().iter().any(|word| word.is_sign(":"));
        let item = operand.words().first().and_then(|first| self.item(first.text, program));
        is_part
            || item.is_some_and(|item| match item.picture.as_deref() {
                Some(picture) => picture.bytes().any(|byte| !b"9SVPsvp()0123456789".contains(&byte)),
                None => item.usage.is_none_or(|usage| usage == "DISPLAY"),
            })
    }

    /// Expands a condition name to comparisons of its item with its values, unless it has ranges or a subscript. Returns any other
    /// condition unchanged.
    pub fn expand_condition_name(&self, condition: &Condition, program: Option<usize>) -> Condition {
        let Condition::ConditionName { name, negated: false } = condition else { return condition.clone() };
        let meaning = self.plain_condition_name(name.words(), program);
        let about = meaning.and_then(|item| Some((self.condition_item(item)?, item.value.as_deref()?)));
        let by_value = about.and_then(|(about, values)| {
            // What qualifies the condition name beyond its item qualifies the item.
            let outer = name.words().qualifiers().filter(|outer| !outer.eq_ignore_ascii_case(&about.name));
            let item = outer.fold(about.name.clone(), |item, outer| format!("{item} OF {outer}"));
            Condition::from_values(&item, values)
        });
        by_value.unwrap_or_else(|| condition.clone())
    }

    /// Returns the conditions around a statement, innermost first, each once, without loops and phrases.
    pub fn enclosing(&self, statement: usize) -> (Vec<Condition>, bool) {
        let mut around: Vec<Condition> = Vec::new();
        let mut depth = 0;
        for branch in self.enclosing_branches(statement) {
            depth += 1;
            if matches!(self.parsed.branches[branch].kind, BranchKind::Loop | BranchKind::Phrase) {
                continue;
            }
            let condition = match self.condition(branch) {
                Some(condition) => condition.clone(),
                None => self.when_other_condition(branch),
            };
            if around.contains(&condition) {
                continue;
            }
            if around.len() == AROUND {
                return (around, true);
            }
            around.push(condition);
        }
        (around, depth == usize::from(DEEPEST))
    }

    /// Returns the branches around a statement, innermost first, at most sixty-four.
    pub fn enclosing_branches(self, statement: usize) -> impl Iterator<Item = usize> + 'p {
        let of = move |statement: usize| self.parsed.statements[statement].branch;
        std::iter::successors(of(statement), move |branch| of(self.parsed.branches[*branch].statement))
            .take(DEEPEST.into())
    }

    /// Returns the condition of WHEN OTHER: all WHENs before it are false.
    pub fn when_other_condition(&self, branch: usize) -> Condition {
        let (before, left_out) = self.preceding(branch, None);
        let mut parts: Vec<Condition> = before.into_iter().map(Condition::negated).collect();
        if left_out > 0 || parts.is_empty() {
            let words = CodeText::read(&format!("none of {left_out} more WHENs holds"));
            parts.push(Condition::Unparsed { words, negated: false });
        }
        Condition::all(parts)
    }

    /// Returns the names of the data items in a decision's condition and formula. A condition name is returned as such.
    pub fn items_in(&self, decision: &Decision) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |name: String| {
            if !found.contains(&name) {
                found.push(name);
            }
        };
        decision.condition.iter().flat_map(Condition::operands).flat_map(names_in).for_each(&mut add);
        if let Some(formula) = &decision.formula {
            formula.targets.iter().chain(&formula.remainder).cloned().for_each(&mut add);
            names_in(formula.expression.words()).into_iter().for_each(&mut add);
        }
        if decision.condition.is_none() {
            decision.before.iter().flat_map(Condition::operands).flat_map(names_in).for_each(&mut add);
        }
        found
    }
}

/// Returns whether CICS supplies a value with this name: DFHENTER, DFHRESP.
fn is_of_cics(name: &str) -> bool {
    name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("DFH"))
}

/// Returns the consecutive WHENs, joined by OR, of an EVALUATE with this many subjects. An OR inside a condition has fewer
/// objects on one of its sides.
fn alternatives(words: WordSlice<'_>, subjects: usize) -> Vec<WordSlice<'_>> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in words.split("OR") {
        end = if end == 0 { part.len() } else { end + 1 + part.len() };
        if words.slice(start..end).split("ALSO").len() >= subjects {
            found.push((start, end));
            start = end + 1;
        }
    }
    match found.last_mut() {
        Some(last) => last.1 = words.len(),
        None => found.push((0, words.len())),
    }
    found.into_iter().map(|(start, end)| words.slice(start..end)).collect()
}

/// Returns the position of UNTIL in a PERFORM, and its condition: up to AFTER, which begins another loop.
fn until(words: WordSlice<'_>) -> Option<(usize, WordSlice<'_>)> {
    let at = words.position(|word| word.is("UNTIL"))?;
    let condition = words.ending_at(behind_loop(words)).from(at + 1);
    (!condition.is_empty()).then_some((at, condition))
}

/// Returns the end of the first loop of a PERFORM: the AFTER that begins another loop. The AFTER of WITH TEST AFTER does not count.
fn behind_loop(words: WordSlice<'_>) -> usize {
    let is_test = |at: usize| at > 0 && words.get(at - 1).is_some_and(|before| before.is("TEST"));
    let after = |at: &usize| words.get(*at).is_some_and(|word| word.is("AFTER")) && !is_test(*at);
    (0..words.len()).find(after).unwrap_or(words.len())
}

#[cfg(test)]
mod tests;
