//! The comparisons that the parser knows to hold on cited lines.

use super::comparisons::Comparison;
use super::wording::{ClaimWords, denies, full_sentences, is_one};
use super::{EvidenceIndex, EvidenceNames, Region};
use crate::anchors::words;
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_cobol::{BranchKind, Condition, RelationalOperator, Verb};
use war_rig_text::{LineNumber, LineRange};

/// The comparisons that hold on cited lines.
#[derive(Debug, Default)]
pub(super) struct KnownComparisons {
    /// Those that hold there.
    pub(super) facts: Vec<Comparison>,
    /// Those that hold there if the words are about what is done otherwise.
    pub(super) possible: Vec<Comparison>,
    /// Those of the same that are the opposite of what is tested on cited lines. Words may mean them, but a condition is given as the source
    /// tests it.
    pub(super) turned: Vec<Comparison>,
    /// Those that hold where an IF without ELSE does nothing, if the words say that something is left out. What is more than they are may be meant as
    /// well.
    omitted: Vec<Comparison>,
}

impl KnownComparisons {
    /// Whether the parser compares the operands of a claim, and only in ways that cannot mean it.
    pub(super) fn refute(&self, claim: &Comparison, is_condition: bool) -> bool {
        claim.is_refuted_by(&self.facts) && !self.allow(claim, is_condition)
    }

    /// Whether a claim compares two items that the parser compares with others only.
    pub(super) fn compare_apart(&self, claim: &Comparison, names: &EvidenceNames<'_>) -> bool {
        claim.is_apart_in(&self.facts, names)
            && !self.possible.iter().chain(&self.turned).chain(&self.omitted).any(|fact| fact.is_about(claim))
    }

    /// Whether a claim holds only if its words are about what is done otherwise.
    pub(super) fn allow(&self, claim: &Comparison, is_condition: bool) -> bool {
        let is_possible = self.possible.contains(claim)
            || (!is_condition && self.turned.contains(claim))
            || self.omitted.iter().any(|fact| fact.is_implied_by(claim))
            || self.facts.iter().any(|fact| claim.is_limit_of(fact));
        is_possible && !self.facts.contains(claim)
    }
}

/// How much more a name, a literal or a number says about the side of an IF than another word.
const WEIGHT_OF_ANCHOR: usize = 2;

/// What an item is about, of an IF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    True,
    False,
    Either,
}

/// The lines that run if the condition of an IF is true, and those that run only if it is false.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides {
    then: Option<LineRange>,
    otherwise: Option<LineRange>,
}

impl EvidenceIndex<'_> {
    /// Returns what holds on cited lines: the conditions on them and around them. Where an item cites both what is done under a
    /// condition and what is done otherwise, its words decide which of the two it is about.
    pub(super) fn comparisons(
        &self,
        cited: &[LineRange],
        words: &ClaimWords,
        claimed: &[&Comparison],
    ) -> KnownComparisons {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let mut known = KnownComparisons::default();
        // An ELSE is the other side of its IF.
        let of_if = |branch: usize| match parsed.branches[branch].kind {
            BranchKind::Else => decisions.branches_of(parsed.branches[branch].statement).first().copied(),
            _ => Some(branch),
        };
        let mut branches: Vec<usize> = self.branches_around(cited).into_iter().filter_map(of_if).collect();
        branches.extend(self.guards(cited));
        branches.sort_unstable();
        branches.dedup();
        for branch in branches {
            let found = &parsed.branches[branch];
            let Some(condition) = decisions.condition(branch) else {
                if parsed.is_when_other(found) {
                    self.push_others(branch, cited, words, &mut known);
                }
                continue;
            };
            let mut positive = Vec::new();
            self.push_facts(condition, branch, &mut positive);
            if positive.iter().any(|fact| claimed.iter().any(|claim| claim.is_about(fact))) {
                self.push_tested(branch, condition, cited, words, &mut known);
            }
        }
        for statement in self.statements_in(cited) {
            if let Some(until) = decisions.until_decision(statement).and_then(|decision| decision.condition) {
                let program = parsed.statements[statement].program;
                Comparison::of_condition(&until, program, self.analysis, &mut known.facts);
                Comparison::of_condition(&until.negated(), program, self.analysis, &mut known.possible);
            }
        }
        self.push_values(cited, &mut known.facts);
        self.push_predicates(cited, &mut known.facts);
        known
    }

    /// Adds the condition of a branch, its opposite, or both, as the words are about the one or the other.
    fn push_tested(
        &self,
        branch: usize,
        condition: &Condition,
        cited: &[LineRange],
        words: &ClaimWords,
        known: &mut KnownComparisons,
    ) {
        let found = &self.parsed().branches[branch];
        let (side, is_named) = match found.kind {
            BranchKind::If => match self.side_by_switch(branch, cited, words) {
                Some(side) => (side, true),
                None => self.side(branch, cited, words),
            },
            // While a loop goes on, the condition of its end is false.
            BranchKind::Loop => (Side::Either, false),
            _ => (Side::True, false),
        };
        // Words about the other side may still give the condition as the source tests it, where they cite the test, unless they name what is
        // done there.
        let is_tested = cited.iter().any(|range| range.contains(found.lines.start()));
        let negated = condition.clone().negated();
        if is_tested && words.tells_omission && self.is_left_out(branch, words) {
            self.push_facts(&negated, branch, &mut known.omitted);
        }
        match side {
            Side::True => self.push_facts(condition, branch, &mut known.facts),
            Side::False => {
                self.push_facts(&negated, branch, &mut known.facts);
                if is_tested && (!is_named || words.tells_limits) {
                    self.push_facts(condition, branch, &mut known.possible);
                }
            }
            Side::Either => {
                self.push_facts(condition, branch, &mut known.facts);
                let is_if = found.kind == BranchKind::If;
                let is_turned = is_if && is_tested && !is_named && self.shows_both_sides(branch, cited);
                let into = if is_turned { &mut known.turned } else { &mut known.possible };
                self.push_facts(&negated, branch, into);
            }
        }
    }

    /// Whether an IF without ELSE does nothing that words name, but to deny it.
    fn is_left_out(&self, branch: usize, words: &ClaimWords) -> bool {
        let sides = self.sides(branch);
        let lines = [sides.then, sides.otherwise].map(Vec::from_iter);
        let counts = |word: &str| words.is_anchor(word) && !words.anchors.is_denied(word);
        self.parsed().branches[branch].kind == BranchKind::If
            && sides.otherwise.is_none()
            && self.weights(branch, lines, words, counts).0 == 0
    }

    /// Whether cited lines do something that an IF does not govern.
    fn cites_effects_outside(&self, branch: usize, cited: &[LineRange]) -> bool {
        let parsed = self.parsed();
        let own = parsed.statements[parsed.branches[branch].statement].lines;
        let mut cited = self.statements_in(cited).map(|statement| &parsed.statements[statement]);
        cited.any(|found| !matches!(found.verb, Verb::If | Verb::Evaluate) && own.intersection(found.lines).is_none())
    }

    /// Adds what WHEN OTHER excludes: the conditions of the WHENs that are not cited. The negations of cited ones hold only if the words are about
    /// what is done otherwise.
    fn push_others(&self, branch: usize, cited: &[LineRange], words: &ClaimWords, known: &mut KnownComparisons) {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let other_lines: Vec<LineRange> = decisions.lines_under(branch).into_iter().collect();
        for other in decisions.branches_of(parsed.branches[branch].statement).iter().filter(|other| **other != branch) {
            let Some(condition) = decisions.condition(*other) else { continue };
            let is_cited = !clipped(parsed.branches[*other].lines, cited).is_empty();
            let sides = || [decisions.lines_under(*other).into_iter().collect(), other_lines.clone()];
            let into = match is_cited {
                false => &mut known.facts,
                true if self.named_side(*other, sides(), words) == Side::False => &mut known.possible,
                true => &mut known.turned,
            };
            self.push_facts(&condition.clone().negated(), branch, into);
        }
    }

    /// Whether cited lines show what an IF does on either side, of which neither only goes on: what comes behind a guard has the guard's
    /// opposite for its condition.
    fn shows_both_sides(&self, branch: usize, cited: &[LineRange]) -> bool {
        let Sides { then, otherwise } = self.sides(branch);
        let shown = |lines: Option<LineRange>| lines.is_some_and(|lines| !clipped(lines, cited).is_empty());
        shown(then) && shown(otherwise) && !self.analysis.control_flow().branch_leaves(branch)
    }

    /// Returns the side of an IF whose sides only give a switch its values, if the words are about what another cited IF does for one of these.
    fn side_by_switch(&self, branch: usize, cited: &[LineRange], words: &ClaimWords) -> Option<Side> {
        let parsed = self.parsed();
        let Sides { then, otherwise } = self.sides(branch);
        let (then, otherwise) = (self.constants_alone(then?)?, self.constants_alone(otherwise?)?);
        let (item, values) = then.iter().find_map(|(item, value)| Some((item, [value, otherwise.get(item)?])))?;
        let owner = parsed.branches[branch].statement;
        let is_later =
            |other: &usize| parsed.branches[*other].kind == BranchKind::If && parsed.branches[*other].statement > owner;
        self.branches_around(cited).into_iter().filter(is_later).find_map(|other| {
            let condition = self.analysis.decisions().condition(other)?;
            let told = match self.side(other, cited, words).0 {
                Side::True => condition.clone(),
                Side::False => condition.clone().negated(),
                Side::Either => return None,
            };
            let mut facts = Vec::new();
            self.push_facts(&told, other, &mut facts);
            let fits = values.map(|value| {
                let set = Comparison::equal(item, value);
                !facts.iter().any(|fact| fact.excludes(&set, &self.names))
            });
            match (fits, facts.iter().any(|fact| fact.compares(item))) {
                ([true, false], true) => Some(Side::True),
                ([false, true], true) => Some(Side::False),
                _ => None,
            }
        })
    }

    /// Returns the constants that lines give to items, if they do nothing else.
    fn constants_alone(&self, lines: LineRange) -> Option<HashMap<String, String>> {
        let mut found = HashMap::new();
        for statement in self.statements_in(&[lines]) {
            let constants = self.analysis.decisions().assigned_constants(&self.parsed().statements[statement]);
            if constants.is_empty() {
                return None;
            }
            found.extend(constants.into_iter().map(|one| (one.item, one.value)));
        }
        Some(found)
    }

    /// Whether the statements on these lines do nothing but go on.
    pub(super) fn is_idle(&self, lines: LineRange) -> bool {
        let mut statements = self.statements_in(&[lines]).map(|index| self.parsed().statements[index].verb).peekable();
        statements.peek().is_some() && statements.all(|verb| matches!(verb, Verb::Continue | Verb::Next | Verb::Exit))
    }

    /// Decides whether words are about what cited lines do if the condition of an IF is true, if it is false, or perhaps both. Returns also
    /// whether they have names, literals or numbers that only the other side has.
    fn side(&self, branch: usize, cited: &[LineRange], words: &ClaimWords) -> (Side, bool) {
        let touched = |lines: Option<LineRange>| {
            let cited = lines.map(|lines| clipped(lines, cited)).unwrap_or_default();
            (!cited.is_empty()).then_some(cited)
        };
        let sides = self.sides(branch);
        let lines = [sides.then, sides.otherwise].map(Vec::from_iter);
        let named = || self.named_side(branch, lines.clone(), words);
        let is_idle = sides.then.is_some_and(|then| self.is_idle(then)) && touched(sides.otherwise).is_some();
        if is_idle && named() == Side::False {
            return (Side::False, true);
        }
        if words.tells_both_sides && sides.otherwise.is_some() {
            let is_named = named() == Side::False;
            return (if is_named && words.tells_limits { Side::False } else { Side::Either }, is_named);
        }
        match (touched(sides.then), touched(sides.otherwise)) {
            (None, Some(_)) if !words.tells_limits => (Side::False, named() == Side::False),
            // Where only the test is cited, the words may be about what does not happen under it.
            (None, None) if self.is_left_out(branch, words) && self.cites_effects_outside(branch, cited) => {
                (Side::Either, false)
            }
            (_, None) if !words.tells_limits || sides.otherwise.is_none() => (Side::True, false),
            (Some(_), None) if self.weights_of_anchors(branch, lines.clone(), words).0 > WEIGHT_OF_ANCHOR => {
                (Side::True, false)
            }
            (None, _) | (_, None) => (Side::Either, false),
            (Some(then), Some(otherwise)) => {
                let named = self.named_side(branch, [then.clone(), otherwise.clone()], words);
                if named != Side::Either && !words.tells_limits {
                    return (named, true);
                }
                let (then, otherwise) = self.weights(branch, [then, otherwise], words, |_| true);
                let side = match (then * 2 >= otherwise, otherwise * 2 >= then) {
                    // Code often tests for the opposite of a limit: only words of one side alone say which it is.
                    _ if words.tells_limits && then.min(otherwise) > 0 => Side::Either,
                    (true, false) => Side::True,
                    (false, true) => Side::False,
                    _ => Side::Either,
                };
                (side, false)
            }
        }
    }

    /// Returns the lines on the sides of an IF.
    pub(super) fn sides(&self, branch: usize) -> Sides {
        let owner = &self.parsed().statements[self.parsed().branches[branch].statement];
        let paragraph = owner.paragraph.map(|index| self.parsed().paragraphs[index].lines);
        // Statements of a copybook have lines of another file.
        let own = |lines: &LineRange| paragraph.is_some_and(|paragraph| paragraph.covers(*lines));
        Sides {
            then: self.analysis.decisions().lines_under(branch).filter(own),
            otherwise: self.otherwise(branch).filter(own),
        }
    }

    /// Returns the side of an IF that alone has names, literals or numbers of the words, unless the other has more of all its words.
    fn named_side(&self, branch: usize, sides: [Vec<LineRange>; 2], words: &ClaimWords) -> Side {
        let all = self.weights(branch, sides.clone(), words, |_| true);
        match self.weights_of_anchors(branch, sides, words) {
            (named, 0) if named > 0 && all.0 >= all.1 => Side::True,
            (0, named) if named > 0 && all.1 >= all.0 => Side::False,
            _ => Side::Either,
        }
    }

    /// Returns how much of the names, literals and numbers only one side has.
    fn weights_of_anchors(&self, branch: usize, sides: [Vec<LineRange>; 2], words: &ClaimWords) -> (usize, usize) {
        self.weights(branch, sides, words, |word| words.is_anchor(word))
    }

    /// Returns how much of the words only one side of an IF has, for each side. What the condition itself names says nothing about the side.
    fn weights(
        &self,
        branch: usize,
        sides: [Vec<LineRange>; 2],
        words: &ClaimWords,
        counts: impl Fn(&str) -> bool,
    ) -> (usize, usize) {
        let [then, otherwise] = sides.map(|lines| self.told(&lines, words));
        let mut tested = Region::default();
        self.push_condition(branch, &mut tested);
        let weight = |one: &HashSet<&str>, other: &HashSet<&str>| -> usize {
            let own = one.difference(other).filter(|word| counts(word));
            let own = own.filter(|word| !self.holds(&tested, word) && !tested.holds_constant(word));
            own.map(|word| if words.is_anchor(word) { WEIGHT_OF_ANCHOR } else { 1 }).sum()
        };
        (weight(&then, &otherwise), weight(&otherwise, &then))
    }

    pub(super) fn push_facts(&self, condition: &Condition, branch: usize, facts: &mut Vec<Comparison>) {
        let program = self.parsed().statements[self.parsed().branches[branch].statement].program;
        Comparison::of_condition(condition, program, self.analysis, facts);
    }

    /// Whether a condition compares an item of the program that nothing tests, sets or receives a constant.
    pub(super) fn is_never_tested(&self, condition: &str) -> bool {
        let claims = super::comparisons::claimed_comparisons(condition, &self.names);
        let Some(claim) = claims.first().filter(|_| claims.len() == 1) else { return false };
        let tested = self.tested_items.get_or_init(|| self.items_tested());
        let items = claim.operands().into_iter().filter(|operand| self.names.is_data(operand));
        let mut items = items.filter(|operand| !self.names.is_condition_name(operand)).peekable();
        items.peek().is_some() && items.all(|item| !tested.contains(item))
    }

    /// Whether a text has something checked that no test of the program is about.
    pub(super) fn checks_what_is_never_tested(&self, text: &str) -> bool {
        const CHECKS: [&str; 7] = ["check", "checks", "checked", "checking", "tested", "tests", "testing"];
        full_sentences(text).into_iter().any(|sentence| {
            words(sentence).any(|word| is_one(word, &CHECKS)) && !denies(sentence) && self.is_never_tested(sentence)
        })
    }

    /// Returns the names of the items that something tests, sets or hands on, with the groups around them, the items in them, and what shares their storage.
    fn items_tested(&self) -> HashSet<String> {
        let (parsed, def_use) = (self.parsed(), self.analysis.def_use());
        let mut is_used = vec![false; parsed.data_items.len()];
        for branch in 0..parsed.branches.len() {
            def_use.of_branch(branch).iter().for_each(|used| is_used[used.item()] = true);
        }
        for (index, statement) in parsed.statements.iter().enumerate() {
            let tests = matches!(statement.verb, Verb::If | Verb::Evaluate | Verb::Perform | Verb::Search | Verb::Exec);
            for used in def_use.of_statement(index).iter().filter(|used| tests || used.is_set()) {
                is_used[used.item()] = true;
            }
        }
        for (item, original) in parsed.redefinitions() {
            let either = is_used[item] || is_used[original];
            (is_used[item], is_used[original]) = (either, either);
        }
        let mut has_used = is_used.clone();
        for index in (0..is_used.len()).rev() {
            if let Some(parent) = parsed.data_items[index].parent.filter(|_| has_used[index]) {
                has_used[parent] = true;
            }
        }
        for index in 0..is_used.len() {
            is_used[index] |= parsed.data_items[index].parent.is_some_and(|parent| is_used[parent]);
        }
        let used = parsed.data_items.iter().zip(is_used.iter().zip(&has_used));
        used.filter(|(_, (own, inside))| **own || **inside).map(|(item, _)| item.name.clone()).collect()
    }

    /// Adds the values of condition names that are declared on cited lines.
    fn push_values(&self, cited: &[LineRange], facts: &mut Vec<Comparison>) {
        let is_cited = |line: LineNumber| cited.iter().any(|range| range.contains(line));
        let names = self.parsed().data_items.iter().filter(|item| item.level == 88 && item.file.is_none());
        for name in names.filter(|item| item.line.is_some_and(is_cited)) {
            Comparison::of_condition_name(name, self.parsed(), RelationalOperator::Equal, facts);
        }
    }

    /// Adds the comparisons in the clauses of cited SQL statements.
    fn push_predicates(&self, cited: &[LineRange], facts: &mut Vec<Comparison>) {
        let is_cited = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
        let execs = self.parsed().execs.iter().filter(|exec| exec.file.is_none() && is_cited(exec.lines));
        for clause in execs.filter_map(|exec| exec.sql.as_ref()).flat_map(|sql| &sql.clauses) {
            facts.extend(super::comparisons::claimed_comparisons(&clause.text(), &self.names));
        }
    }

    /// Returns the lines that run only if the condition of an IF is false: its ELSE or, where control leaves for good under the
    /// condition, the rest of the paragraph.
    pub(super) fn otherwise(&self, branch: usize) -> Option<LineRange> {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        let found = &parsed.branches[branch];
        let other = decisions.branches_of(found.statement).iter().find(|other| **other != branch);
        if let Some(other) = other {
            return decisions.lines_under(*other);
        }
        let owner = &parsed.statements[found.statement];
        let end = match owner.branch {
            Some(around) => parsed.branches[around].lines.end(),
            None => parsed.paragraphs[owner.paragraph?].lines.end(),
        };
        let next = found.lines.end().saturating_add(1);
        (self.analysis.control_flow().branch_leaves(branch) && next <= end).then(|| LineRange::spanning(next, end))
    }

    /// Returns the branches that control leaves for good before cited lines of the same paragraph.
    pub(super) fn guards(&self, cited: &[LineRange]) -> Vec<usize> {
        let is_guard = |index: &usize| {
            let branch = &self.parsed().branches[*index];
            let governs = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
            branch.kind == BranchKind::If
                && super::is_of_source(self.parsed(), *index)
                && self.analysis.control_flow().branch_leaves(*index)
                && self.otherwise(*index).is_some_and(governs)
        };
        (0..self.parsed().branches.len()).filter(is_guard).collect()
    }

    /// Returns the words of an item that are on these lines.
    pub(super) fn told<'t>(&self, lines: &[LineRange], words: &'t ClaimWords) -> HashSet<&'t str> {
        let own = self.own(lines);
        let anchors = &words.anchors;
        let names = anchors.names.iter().filter(|name| self.holds(&own, name));
        let literals = anchors.literals.iter().filter(|literal| own.holds_literal(literal));
        let numbers = anchors.numbers.iter().filter(|number| own.holds_number(number));
        let constants = anchors.constants.iter().filter(|constant| own.holds_constant(constant));
        let anchors = names.chain(literals).chain(numbers).chain(constants).map(String::as_str);
        anchors.chain(words.content.found_in(&own.text)).collect()
    }
}

/// Returns the cited parts of lines.
fn clipped(lines: LineRange, cited: &[LineRange]) -> Vec<LineRange> {
    cited.iter().filter_map(|range| range.intersection(lines)).collect()
}
