//! The checks before a statement that leave its list of statements: what must hold for control to come to the statement.

use super::StaticWriter;
use super::conditions::{CONDITION, LONGEST};
use war_rig_cobol::{BranchKind, Condition, OperationStatus, RelationalOperator, Verb, assigned_items};

/// How many statements before another are searched for checks.
const CHECKS_LOOKED_AT: usize = 200;

/// How many checks are told one by one.
pub(super) const CHECKS_TOLD: usize = 3;

/// The longest condition of a check that is told again, in characters.
const OF_CHECK: usize = 60;

/// What is said where the checks are too many, too long, or of another kind.
pub(super) const NO_CHECK_LEAVES: &str = "no check before it leaves";

/// How many paragraphs of a performed range are searched for assignments.
const PARAGRAPHS_LOOKED_AT: usize = 20;

/// The checks before a place in a list of statements, of which none leaves if control comes to the place.
pub(super) struct EarlierChecks<'a> {
    /// The statements before the place.
    before: &'a [usize],
    /// The branches that always leave, in order.
    pub(super) leaving: Vec<usize>,
    /// Whether control can leave before the place in no other way.
    pub(super) are_all: bool,
}

impl<'a> StaticWriter<'_, 'a> {
    /// Returns the checks before a statement in its list.
    pub(super) fn earlier_checks(&self, statement: usize) -> EarlierChecks<'a> {
        self.checks_among(self.list_before(statement))
    }

    /// Returns the checks between a statement and a later one in the list of the later one.
    pub(super) fn checks_behind(&self, first: Option<usize>, statement: usize) -> EarlierChecks<'a> {
        let before = self.list_before(statement);
        self.checks_among(&before[before.partition_point(|before| first.is_some_and(|first| *before <= first))..])
    }

    /// Returns the checks in a paragraph before its end.
    pub(super) fn checks_before_end(&self, paragraph: usize) -> EarlierChecks<'a> {
        self.checks_among(&self.reading.of_paragraph[paragraph])
    }

    fn checks_among(&self, before: &'a [usize]) -> EarlierChecks<'a> {
        let (parsed, reading) = (self.reading.parsed, self.reading);
        let mut checks = EarlierChecks { before, leaving: Vec::new(), are_all: true };
        for earlier in before.iter().rev().take(CHECKS_LOOKED_AT) {
            let branches = reading.branches_of(*earlier);
            let (leaving, others): (Vec<usize>, Vec<usize>) =
                branches.iter().partition(|branch| reading.flow.branch_leaves(**branch));
            if leaving.is_empty() && !reading.flow.may_leave(*earlier) {
                continue;
            }
            let stays = |branch: &usize| !reading.under(*branch).iter().any(|under| reading.flow.may_leave(*under));
            let is_told = |branch: &usize| {
                let decision = reading.decisions.of_branch(*branch);
                decision.is_some_and(|found| found.condition.is_some() && found.before.is_empty())
            };
            let is_check = matches!(parsed.statements[*earlier].verb, Verb::If | Verb::Evaluate)
                && others.iter().all(stays)
                && leaving.iter().all(is_told);
            match is_check {
                true => checks.leaving.extend(leaving.iter().rev()),
                false => checks.are_all = false,
            }
        }
        checks.leaving.reverse();
        checks
    }

    /// Returns the statements before a statement in its list.
    pub(super) fn list_before(&self, statement: usize) -> &'a [usize] {
        let found = &self.reading.parsed.statements[statement];
        let list: &[usize] = match (found.branch, found.paragraph) {
            (Some(branch), _) => self.reading.under(branch),
            (None, Some(paragraph)) => &self.reading.of_paragraph[paragraph],
            (None, None) => &[],
        };
        &list[..list.partition_point(|before| *before < statement)]
    }

    /// Words what must hold for control to come to a statement behind checks that leave. Those that leave because something failed go without
    /// saying, and so do those whose condition `asked` excludes.
    pub(super) fn not_left_before(&self, statement: usize, asked: Option<&Condition>) -> Vec<String> {
        self.checks_in_words(&self.checks_to_tell(statement, &asked.into_iter().collect::<Vec<_>>()))
    }

    /// Words the same of the checks before the statements around a statement, where each can be told by itself and nothing between sets what it asks for.
    pub(super) fn not_left_around(&self, statement: usize, asked: Option<&Condition>) -> Vec<String> {
        let (parsed, decisions) = (self.reading.parsed, self.reading.decisions);
        let is_loop = |branch: &usize| parsed.branches[*branch].kind == BranchKind::Loop;
        let around: Vec<usize> =
            decisions.enclosing_branches(statement).take_while(|branch| !is_loop(branch)).collect();
        let holding: Vec<&Condition> =
            around.iter().filter_map(|branch| decisions.condition(*branch)).chain(asked).collect();
        let mut told = Vec::new();
        let mut within = vec![self.list_before(statement)];
        for branch in around {
            let owner = parsed.branches[branch].statement;
            let mut checks = self.checks_to_tell(owner, &holding);
            checks.leaving.retain(|check| !within.iter().any(|list| self.is_set_among(*check, list)));
            told.extend(self.checks_in_words(&checks));
            within.push(self.list_before(owner));
        }
        told.retain(|words| words != NO_CHECK_LEAVES);
        told
    }

    /// Returns the checks before a statement in its list but for those of failures and those that one of these conditions excludes.
    fn checks_to_tell(&self, statement: usize, holding: &[&Condition]) -> EarlierChecks<'a> {
        let (decisions, program) = (self.reading.decisions, self.reading.parsed.statements[statement].program);
        let mut checks = self.earlier_checks(statement);
        checks.leaving.retain(|branch| {
            let is_excluded =
                |checked: &Condition| holding.iter().any(|held| decisions.excludes(held, checked, program));
            self.reading.outcomes.of_branch(*branch) != Some(OperationStatus::Failure)
                && !decisions.condition(*branch).is_some_and(is_excluded)
        });
        checks
    }

    /// Words that none of these checks leaves.
    pub(super) fn checks_in_words(&self, checks: &EarlierChecks<'_>) -> Vec<String> {
        let mut told: Vec<String> = Vec::new();
        let mut are_short = checks.leaving.len() <= CHECKS_TOLD;
        for branch in checks.leaving.iter().filter(|_| checks.leaving.len() <= CHECKS_TOLD) {
            let words = self.denied_by(*branch, LONGEST).filter(|_| !self.is_set_since(*branch, checks));
            match words.filter(|words| words.chars().count() <= OF_CHECK) {
                Some(words) if told.contains(&words) => {}
                Some(words) => told.push(words),
                // A long condition stands with the check itself.
                None => are_short = false,
            }
        }
        if !are_short || !checks.are_all {
            told.truncate(if are_short { told.len() } else { 0 });
            told.push(NO_CHECK_LEAVES.to_owned());
        }
        told
    }

    /// Words the opposite of a branch's condition.
    fn denied_by(&self, branch: usize, longest: usize) -> Option<String> {
        let program = self.reading.parsed.statements[self.reading.parsed.branches[branch].statement].program;
        let denied = self.reading.decisions.condition(branch)?.clone().negated();
        Some(self.wording(program, longest).tell(&denied, usize::MAX))
    }

    /// Returns the items that the paragraphs which a statement leads to write.
    pub(super) fn written_by_performed(&self, statement: usize) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let (touched, span) = (self.reading.touched, self.reading.led_to.get(&statement));
        let performed = span.map(|(first, last)| *first..=*last).into_iter().flatten().take(PARAGRAPHS_LOOKED_AT);
        performed.flat_map(|paragraph| touched[paragraph].writes.iter().copied())
    }

    /// Whether something that a check asks for may have been set behind it.
    fn is_set_since(&self, branch: usize, checks: &EarlierChecks<'_>) -> bool {
        let checked = self.reading.parsed.branches[branch].statement;
        self.is_set_among(branch, &checks.before[checks.before.partition_point(|before| *before <= checked)..])
    }

    /// Whether one of these statements may set something that a check asks for.
    fn is_set_among(&self, branch: usize, statements: &[usize]) -> bool {
        let (parsed, reading) = (self.reading.parsed, self.reading);
        let asked = reading.decisions.condition(branch).map(|condition| self.items_of(condition)).unwrap_or_default();
        let is_asked = |item: &String| asked.contains(item);
        statements.iter().rev().take(CHECKS_LOOKED_AT).any(|later| {
            assigned_items(parsed, &parsed.statements[*later]).iter().any(is_asked)
                || self.written_by_performed(*later).any(|item| is_asked(&parsed.data_items[item].name))
        })
    }

    /// Returns what checks before a branch that test the same operations exclude for an item: FS is not '23' behind `IF FS = '23' GO TO ...`.
    pub(super) fn excluded_before(&self, branch: usize, test: usize, item: &str) -> Vec<Condition> {
        let checks = self.earlier_checks(self.reading.parsed.branches[branch].statement);
        let alike = checks.leaving.iter().filter(|check| self.test_alike(test, **check));
        alike.filter_map(|check| self.excluded_by(*check, item)).flatten().collect()
    }

    /// Returns what a check that leaves excludes for an item.
    fn excluded_by(&self, check: usize, item: &str) -> Option<Vec<Condition>> {
        let denied = self.reading.decisions.condition(check)?.clone().negated();
        self.excluded(&denied).filter(|(_, about)| about == item).map(|(excluded, _)| excluded)
    }

    /// Takes from these checks those of the result of one operation, and words what this result is behind them: it failed where success leaves,
    /// it succeeded where all else leaves. Another result is told with its operation, as later operations have results of their own. None if no check
    /// shows a result.
    pub(super) fn take_result(&self, checks: &mut EarlierChecks<'_>) -> Option<(OperationStatus, String)> {
        let reading = self.reading;
        checks.leaving.clone().into_iter().find_map(|check| {
            let operation = self.checked_operation(check)?;
            let status = reading.outcomes.of_branch(check)?;
            let denied = reading.decisions.condition(check)?.clone().negated();
            let program = reading.parsed.statements[reading.parsed.branches[check].statement].program;
            let wording = self.wording(program, CONDITION);
            if status == OperationStatus::Success {
                let (_, item) = self.excluded(&denied)?;
                let excluded =
                    |other: &usize| self.excluded_by(*other, &item).filter(|_| self.test_alike(check, *other));
                let all: Vec<Condition> = checks.leaving.iter().filter_map(excluded).flatten().collect();
                checks.leaving.retain(|other| excluded(other).is_none());
                let left = Condition::all(all);
                let words =
                    format!("{operation} {}: {}", self.failure_of(check, &left), wording.tell(&left, CONDITION));
                return Some((OperationStatus::Failure, words));
            }
            let is_alike = |other: &usize| *other == check || self.test_alike(check, *other);
            let alike = checks.leaving.iter().filter(|other| is_alike(other));
            let denied = alike.filter_map(|other| Some(reading.decisions.condition(*other)?.clone().negated()));
            let left = Condition::all(denied.collect());
            let words = match self.is_success(&left, program) {
                true => format!("{operation} succeeds"),
                false => Some(wording.tell(&left, LONGEST))
                    .filter(|words| words.chars().count() <= OF_CHECK)
                    .map(|words| format!("{words} after {operation}"))?,
            };
            checks.leaving.retain(|other| !is_alike(other));
            Some((OperationStatus::Success, words))
        })
    }

    /// Whether what checks of failures and of the end of data leave is one value, that of success.
    fn is_success(&self, left: &Condition, program: Option<usize>) -> bool {
        let parts = match left {
            Condition::All(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let may_hold =
            |value: &&Condition| parts.iter().all(|part| !self.reading.decisions.excludes(value, part, program));
        parts.iter().any(|part| match part {
            Condition::Any(values) => values.iter().filter(may_hold).take(2).count() == 1,
            one => is_one_value(one),
        })
    }
}

/// Whether a condition holds for one value alone.
fn is_one_value(condition: &Condition) -> bool {
    matches!(
        condition,
        Condition::Comparison { relation: RelationalOperator::Equal, .. }
            | Condition::ConditionName { negated: false, .. }
    )
}
