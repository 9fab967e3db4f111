//! The conditions of branches and of the branches around them.

use super::StaticWriter;
use super::condition_wording::ConditionWording;
use super::failures::operation_of;
use crate::phrases::{in_few_words, in_words, list, shorten_to};
use war_rig_cobol::{Branch, BranchKind, Condition, Decision, OperationStatus, RelationalOperator, Verb, WordSlice};

/// The maximum length of an uncut condition, in characters.
pub(super) const LONGEST: usize = 160;

/// The maximum length of a rule's condition, in characters.
pub(super) const CONDITION: usize = 200;

/// What is said of the condition of an enclosing branch whose items are set again before the inner one.
pub(super) const BEFORE_SET: &str = " (before that is set anew)";

/// How many statements between two branches are searched for what sets the items of the outer one.
const STATEMENTS_BETWEEN: usize = 200;

/// How many of the conditions around a decision appear in its sentence.
pub(super) const ENCLOSING_TOLD: usize = 2;

/// The maximum length of a condition in a paragraph's sentence.
pub(super) const SHORT: usize = 110;

/// How many earlier cases of an EVALUATE are described; more are only counted.
pub(super) const EARLIER_TOLD: usize = 2;

/// What is said of a case of an EVALUATE where those before it are too many to be told.
pub(super) const NO_EARLIER_CASE: &str = "no earlier case holds";

/// What is said of a case of an EVALUATE that others stand before.
const LATER_CASE: &str = " (and no earlier case holds)";

impl<'a> StaticWriter<'_, 'a> {
    /// Returns the wording of a program's conditions: a paragraph's sentence uses only names, and the rules explain them.
    pub(super) fn wording(&self, program: Option<usize>, longest: usize) -> ConditionWording<'a, 'a> {
        ConditionWording { decisions: &self.reading.decisions, program, is_explained: longest > SHORT }
    }

    /// Words the condition of a branch in about this many characters.
    pub(super) fn condition(&self, branch: &'a Branch, longest: usize) -> String {
        let parsed = self.reading.parsed;
        let owner = &parsed.statements[branch.statement];
        let words = parsed.condition(branch);
        let wording = self.wording(owner.program, longest);
        let index = self.index_of(branch);
        let asked = || self.reading.decisions.condition(index).map(|condition| wording.tell(condition, longest));
        match branch.kind {
            BranchKind::Phrase => format!("{} of the {}", in_words(words), operation_of(parsed, owner)),
            BranchKind::Loop => shorten_to(&self.repeated(words, owner.program, longest), longest),
            BranchKind::When if owner.verb == Verb::Search => {
                let subject = in_few_words(parsed.words_after_verb(owner), longest);
                format!("the SEARCH of {subject} finds {}", asked().unwrap_or_default())
            }
            _ => asked().unwrap_or_else(|| self.otherwise(index, longest)),
        }
    }

    /// Words WHEN OTHER: no earlier case holds.
    fn otherwise(&self, branch: usize, longest: usize) -> String {
        let parsed = self.reading.parsed;
        let owner = &parsed.statements[parsed.branches[branch].statement];
        let decision = self.reading.decisions.of_branch(branch);
        let (before, left_out) = decision.map(|found| (found.before, found.preceding_omitted)).unwrap_or_default();
        let wording = self.wording(owner.program, longest);
        let by_value = before.iter().map(|one| self.reading.decisions.expand_condition_name(one, owner.program));
        let none = Condition::all(by_value.map(Condition::negated).collect());
        if left_out == 0 && is_about_one_item(&none) {
            return wording.tell(&none, longest);
        }
        match before.len() + left_out {
            0 => "in every case".to_owned(),
            count if count > EARLIER_TOLD => NO_EARLIER_CASE.to_owned(),
            _ => format!("{NO_EARLIER_CASE} ({})", listed(&before, &wording, longest)),
        }
    }

    /// Words that the earlier cases of its EVALUATE do not hold, as far as a WHEN does not itself exclude them; none if it excludes all.
    pub(super) fn earlier(&self, decision: &Decision, longest: usize) -> Option<String> {
        let asked = decision.condition.as_ref()?;
        let owner = &self.reading.parsed.statements[decision.statement];
        let wording = self.wording(owner.program, longest);
        // A case that its own condition excludes need not be told.
        let may_hold = |before: &&Condition| !self.reading.decisions.excludes(before, asked, owner.program);
        let before: Vec<&Condition> = decision.before.iter().filter(may_hold).collect();
        match (before.len(), decision.preceding_omitted) {
            (0, 0) => None,
            (count, 0) if count <= EARLIER_TOLD => {
                Some(format!("none of these holds: {}", listed(before, &wording, longest)))
            }
            _ => Some(NO_EARLIER_CASE.to_owned()),
        }
    }

    /// Words how PERFORM repeats: `until DONE is 'Y'`, `varying I from 1 by 1 until I is greater than 9`, `5 times`.
    pub(super) fn repeated(&self, words: WordSlice<'_>, program: Option<usize>, longest: usize) -> String {
        let wording = self.wording(program, longest);
        let loops = self.reading.decisions.loops(words, program).into_iter().map(|(before, until)| {
            let before = in_few_words(before, longest);
            // UNTIL EXIT and FOREVER of GnuCOBOL and others.
            if before.eq_ignore_ascii_case("FOREVER") || until.as_ref().is_some_and(|until| until.to_string() == "EXIT")
            {
                return "until a statement leaves the loop".to_owned();
            }
            let until = until.map(|condition| format!(" until {}", wording.tell(&condition, longest)));
            format!("{before}{}", until.unwrap_or_default()).trim_start().to_owned()
        });
        loops.collect::<Vec<_>>().join(", within that varying ")
    }

    /// Returns the index of a branch of the source.
    pub(super) fn index_of(&self, branch: &'a Branch) -> usize {
        let all = &self.reading.parsed.branches;
        let siblings = self.reading.branches_of(branch.statement);
        let at = siblings.partition_point(|index| std::ptr::from_ref(&all[*index]) < std::ptr::from_ref(branch));
        siblings[at]
    }

    /// Returns the enclosing branches that decide whether this one runs, innermost first. Left out are those that only confirm that a loop
    /// continues, and successes without which the operation that this branch tests would not have run.
    fn around(&self, branch: &'a Branch) -> impl Iterator<Item = usize> {
        let own = self.index_of(branch);
        let operations = self.reading.outcomes.checked_operations(own);
        let outer = self.reading.decisions.enclosing_branches(branch.statement);
        outer.filter(move |outer| {
            let succeeds = self.reading.outcomes.of_branch(*outer) == Some(OperationStatus::Success);
            let is_required = || operations.iter().all(|operation| self.runs_under(*operation, *outer, own));
            self.reading.parsed.branches[*outer].kind != BranchKind::Loop
                && !(succeeds && !operations.is_empty() && is_required())
        })
    }

    /// Words the conditions around a branch, innermost first and without duplicates, up to a maximum; and whether there are more. For a
    /// branch without its ELSE, conditions that its own condition implies are left out.
    pub(super) fn enclosing(&self, branch: &'a Branch, is_alone: bool, most: usize) -> (Vec<String>, bool) {
        self.enclosing_by(branch, is_alone, most, |outer| Some(self.condition_or_success(outer)))
    }

    /// The same, with these words of each branch around it, if it has any.
    pub(super) fn enclosing_by(
        &self,
        branch: &'a Branch,
        is_alone: bool,
        most: usize,
        words: impl Fn(usize) -> Option<String>,
    ) -> (Vec<String>, bool) {
        let mut within: Vec<(String, &str)> = Vec::new();
        let marked = |within: Vec<(String, &str)>| within.into_iter().map(|(words, mark)| words + mark).collect();
        let own = self.condition(branch, LONGEST);
        let asked = self.reading.decisions.condition(self.index_of(branch)).filter(|_| is_alone);
        for outer in self.around(branch) {
            // If an item has one value, excluding another is redundant.
            if asked.is_some_and(|asked| self.goes_without_saying(outer, asked)) {
                continue;
            }
            let Some(condition) = words(outer) else { continue };
            if within.iter().any(|(known, _)| *known == condition) || condition == own {
                continue;
            }
            if within.len() == most {
                return (marked(within), true);
            }
            let around = self.reading.decisions.of_branch(outer);
            let is_later_case = around.is_some_and(|decision| self.earlier(&decision, LONGEST).is_some());
            let mark = match (is_later_case, self.is_set_anew(outer, branch.statement)) {
                (true, _) => LATER_CASE,
                (false, true) => BEFORE_SET,
                (false, false) => "",
            };
            within.push((condition, mark));
        }
        (marked(within), false)
    }

    /// Whether a statement between the beginning of a branch and a statement under it sets an item that the condition of the branch tests. A macro may set
    /// any.
    pub(super) fn is_set_anew(&self, outer: usize, statement: usize) -> bool {
        let effects = self.reading.effects;
        let tested: Vec<usize> =
            effects.of_branch(outer).iter().filter(|used| used.is_read()).map(|used| used.item()).collect();
        let first = self.reading.under(outer).first().copied().unwrap_or(statement);
        let between = || (first..statement).rev().take(STATEMENTS_BETWEEN);
        let mut sets = between().flat_map(|index| effects.of_statement(index)).filter(|used| used.is_set());
        sets.any(|used| tested.contains(&used.item()))
            || between().flat_map(|index| self.written_by_performed(index)).any(|item| tested.contains(&item))
            || between().any(|index| self.reading.parsed.statements[index].verb == Verb::Macro)
    }

    /// Whether a condition implies that of an enclosing branch.
    pub(super) fn goes_without_saying(&self, outer: usize, asked: &Condition) -> bool {
        let program = self.reading.parsed.statements[self.reading.parsed.branches[outer].statement].program;
        let denied = self.reading.decisions.condition(outer).map(|condition| condition.clone().negated());
        denied.is_some_and(|denied| self.reading.decisions.excludes(asked, &denied, program))
    }

    /// Words a branch's condition, given in words, with at most this many around it.
    pub(super) fn with_around(&self, branch: &'a Branch, condition: String, most: usize) -> String {
        let (within, more) = self.enclosing(branch, true, most);
        let all: Vec<String> = std::iter::once(condition).chain(within).collect();
        format!("{}{}", together(&all), if more { " and more around it" } else { "" })
    }

    /// Returns the conditions around a branch in COBOL's words, innermost first.
    pub(super) fn enclosing_as_written(&self, branch: &'a Branch, most: usize, longest: usize) -> Vec<String> {
        let mut within: Vec<String> = Vec::new();
        for outer in self.around(branch) {
            let condition = self.as_written(outer, longest);
            if within.contains(&condition) {
                continue;
            }
            if within.len() == most {
                within.push("more around it".to_owned());
                break;
            }
            within.push(condition);
        }
        within
    }

    /// Returns the condition of a branch in COBOL's words, abbreviations expanded.
    pub(super) fn as_written(&self, branch: usize, longest: usize) -> String {
        let found = &self.reading.parsed.branches[branch];
        let text = match (self.reading.decisions.condition(branch), found.kind) {
            (Some(condition), _) => condition.to_string(),
            (None, BranchKind::When) => self.reading.decisions.when_other_condition(branch).to_string(),
            (None, _) => self.reading.parsed.condition(found).text().to_owned(),
        };
        shorten_to(&text, longest)
    }
}

/// Whether a condition only excludes some values of one item.
fn is_about_one_item(condition: &Condition) -> bool {
    let item = |part: &Condition| match part {
        Condition::Comparison { left, relation: RelationalOperator::NotEqual, .. } => {
            Some(left.text().to_ascii_uppercase())
        }
        _ => None,
    };
    match condition {
        Condition::All(parts) => {
            let first = parts.first().and_then(item);
            first.is_some() && parts.iter().all(|part| item(part) == first)
        }
        one => item(one).is_some(),
    }
}

/// Joins conditions to one phrase, with parentheses around each that contains an `or`.
pub(super) fn together(conditions: &[String]) -> String {
    let bracketed = |condition: &String| match condition.contains(" or ") && conditions.len() > 1 {
        true => format!("({condition})"),
        false => condition.clone(),
    };
    list(&conditions.iter().map(bracketed).collect::<Vec<_>>())
}

/// Words conditions, with semicolons between them.
fn listed<'c>(
    all: impl IntoIterator<Item = &'c Condition>,
    wording: &ConditionWording<'_, '_>,
    longest: usize,
) -> String {
    all.into_iter().map(|one| wording.tell(one, LONGEST.min(longest))).collect::<Vec<_>>().join("; ")
}

/// Returns whether a loop has no condition: UNTIL EXIT of GnuCOBOL and others.
pub(super) fn is_until_exit(until: &Condition) -> bool {
    until.to_string() == "EXIT"
}
