//! The comparisons that the parser knows to hold on cited lines.

use super::comparisons::Comparison;
use super::wording::ClaimWords;
use super::{EvidenceIndex, Region};
use std::collections::HashSet;
use war_rig_cobol::{BranchKind, Condition, RelationalOperator, Verb};
use war_rig_text::{LineNumber, LineRange};

/// The comparisons that hold on cited lines.
#[derive(Debug, Default)]
pub(super) struct KnownComparisons {
    /// Those that hold there.
    pub(super) facts: Vec<Comparison>,
    /// Those that hold there if the words are about what is done otherwise.
    pub(super) possible: Vec<Comparison>,
}

impl KnownComparisons {
    /// Whether the parser compares the operands of a claim, and only in ways that cannot mean it.
    pub(super) fn refute(&self, claim: &Comparison) -> bool {
        claim.is_refuted_by(&self.facts) && !self.allow(claim)
    }

    /// Whether a claim holds only if its words are about what is done otherwise.
    pub(super) fn allow(&self, claim: &Comparison) -> bool {
        !self.facts.contains(claim) && self.possible.contains(claim)
    }
}

/// What an item is about, of an IF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    True,
    False,
    Either,
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
                    self.push_others(branch, cited, &mut known);
                }
                continue;
            };
            let mut positive = Vec::new();
            self.push_facts(condition, branch, &mut positive);
            if !positive.iter().any(|fact| claimed.iter().any(|claim| claim.is_about(fact))) {
                continue;
            }
            let side = match found.kind {
                BranchKind::If => self.side(branch, cited, words),
                // While a loop goes on, the condition of its end is false.
                BranchKind::Loop => Side::Either,
                _ => Side::True,
            };
            // Words about the other side may still give the condition as the source tests it, where they cite the test.
            let is_tested = cited.iter().any(|range| range.contains(found.lines.start()));
            match side {
                Side::False if is_tested => self.push_facts(condition, branch, &mut known.possible),
                Side::False => {}
                Side::True | Side::Either => self.push_facts(condition, branch, &mut known.facts),
            }
            let negated = || condition.clone().negated();
            match side {
                Side::True => {}
                Side::False => self.push_facts(&negated(), branch, &mut known.facts),
                Side::Either => self.push_facts(&negated(), branch, &mut known.possible),
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

    /// Adds what WHEN OTHER excludes: the conditions of the WHENs that are not cited. The negations of cited ones hold only if the words are about
    /// what is done otherwise.
    fn push_others(&self, branch: usize, cited: &[LineRange], known: &mut KnownComparisons) {
        let (parsed, decisions) = (self.parsed(), self.analysis.decisions());
        for other in decisions.branches_of(parsed.branches[branch].statement).iter().filter(|other| **other != branch) {
            let Some(condition) = decisions.condition(*other) else { continue };
            let is_cited = !clipped(parsed.branches[*other].lines, cited).is_empty();
            let into = if is_cited { &mut known.possible } else { &mut known.facts };
            self.push_facts(&condition.clone().negated(), branch, into);
        }
    }

    /// Decides whether words are about what cited lines do if the condition of an IF is true, if it is false, or perhaps both.
    fn side(&self, branch: usize, cited: &[LineRange], words: &ClaimWords) -> Side {
        let touched = |lines: Option<LineRange>| {
            let cited = lines.map(|lines| clipped(lines, cited)).unwrap_or_default();
            (!cited.is_empty()).then_some(cited)
        };
        let owner = &self.parsed().statements[self.parsed().branches[branch].statement];
        let paragraph = owner.paragraph.map(|index| self.parsed().paragraphs[index].lines);
        // Statements of a copybook have lines of another file.
        let own = |lines: &LineRange| paragraph.is_some_and(|paragraph| paragraph.covers(*lines));
        let all_then = self.analysis.decisions().lines_under(branch).filter(own);
        let all_otherwise = self.otherwise(branch).filter(own);
        if words.tells_both_sides && all_otherwise.is_some() {
            return Side::Either;
        }
        match (touched(all_then), touched(all_otherwise)) {
            (None, Some(_)) if !words.tells_limits => Side::False,
            (_, None) if !words.tells_limits || all_otherwise.is_none() => Side::True,
            (None, _) | (_, None) => Side::Either,
            (Some(then), Some(otherwise)) => {
                let (of_then, of_otherwise) = (self.told(&then, words), self.told(&otherwise, words));
                // What the condition itself names says nothing about the side.
                let mut tested = Region::default();
                self.push_condition(branch, &mut tested);
                let weight = |one: &HashSet<&str>, other: &HashSet<&str>| -> usize {
                    let own = one.difference(other).filter(|word| !tested.names.contains(**word));
                    own.map(|word| if words.is_anchor(word) { 2 } else { 1 }).sum()
                };
                let (then, otherwise) = (weight(&of_then, &of_otherwise), weight(&of_otherwise, &of_then));
                match (then * 2 >= otherwise, otherwise * 2 >= then) {
                    // Code often tests for the opposite of a limit: only words of one side alone say which it is.
                    _ if words.tells_limits && then.min(otherwise) > 0 => Side::Either,
                    (true, false) => Side::True,
                    (false, true) => Side::False,
                    _ => Side::Either,
                }
            }
        }
    }

    fn push_facts(&self, condition: &Condition, branch: usize, facts: &mut Vec<Comparison>) {
        let program = self.parsed().statements[self.parsed().branches[branch].statement].program;
        Comparison::of_condition(condition, program, self.analysis, facts);
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
            facts.extend(super::comparisons::claimed_comparisons(&clause.text, &self.names));
        }
    }

    /// Returns the lines that run only if the condition of an IF is false: its ELSE or, where control leaves for good under the
    /// condition, the rest of the paragraph.
    fn otherwise(&self, branch: usize) -> Option<LineRange> {
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
        (self.leaves(branch) && next <= end).then(|| LineRange::spanning(next, end))
    }

    /// Whether control leaves the paragraph at the end of a branch.
    fn leaves(&self, branch: usize) -> bool {
        let last = self.analysis.decisions().statements_under(branch).last();
        last.is_some_and(|last| {
            let statement = &self.parsed().statements[*last];
            let words = self.parsed().words(statement);
            match statement.verb {
                Verb::Goback | Verb::Stop => true,
                Verb::Go => !words.has("DEPENDING"),
                // EXIT alone does nothing, and EXIT PERFORM leaves only the loop.
                Verb::Exit => {
                    ["PARAGRAPH", "SECTION", "PROGRAM", "FUNCTION", "METHOD"].iter().any(|unit| words.has(unit))
                }
                _ => false,
            }
        })
    }

    /// Returns the branches that control leaves for good before cited lines of the same paragraph.
    pub(super) fn guards(&self, cited: &[LineRange]) -> Vec<usize> {
        let is_guard = |index: &usize| {
            let branch = &self.parsed().branches[*index];
            let governs = |lines: LineRange| cited.iter().any(|range| range.intersection(lines).is_some());
            branch.kind == BranchKind::If
                && super::is_of_source(self.parsed(), *index)
                && self.leaves(*index)
                && self.otherwise(*index).is_some_and(governs)
        };
        (0..self.parsed().branches.len()).filter(is_guard).collect()
    }

    /// Returns the words of an item that are on these lines.
    fn told<'t>(&self, lines: &[LineRange], words: &'t ClaimWords) -> HashSet<&'t str> {
        let mut own = Region::default();
        lines.iter().for_each(|range| self.push_lines(*range, &mut own));
        let anchors = &words.anchors;
        let names = anchors.names.iter().filter(|name| self.holds(&own, name));
        let literals = anchors.literals.iter().filter(|literal| own.holds_literal(literal));
        let numbers = anchors.numbers.iter().filter(|number| own.holds_number(number));
        let anchors = names.chain(literals).chain(numbers).map(String::as_str);
        anchors.chain(words.content.found_in(&own.text)).collect()
    }
}

/// Returns the cited parts of lines.
fn clipped(lines: LineRange, cited: &[LineRange]) -> Vec<LineRange> {
    cited.iter().filter_map(|range| range.intersection(lines)).collect()
}
