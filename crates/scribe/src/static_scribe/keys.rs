//! The keys of the terminal that conditions ask for: the values of EIBAID, and the condition names that a program sets from them.

use super::StaticWriter;
use super::conditions::{CONDITION, EARLIER_TOLD, LONGEST, NO_EARLIER_CASE};
use foldhash::{HashMap, HashMapExt};
use war_rig_cobol::{Condition, Decision, Decisions, ParsedCobol, RelationalOperator, Verb, is_terminal_key};

/// How many of the conditions around a test of a key are told.
const ENCLOSING_TOLD: usize = 4;

/// How many keys one condition name may stand for.
const MOST: usize = 8;

/// Returns the key that a comparison of EIBAID asks for, by its name on the keyboard.
fn key(condition: &Condition) -> Option<String> {
    let Condition::Comparison { left, relation: RelationalOperator::Equal, right } = condition else { return None };
    if !is_terminal_key(right) || !left.text().eq_ignore_ascii_case("EIBAID") {
        return None;
    }
    let key = right.text().to_uppercase();
    let key = key.strip_prefix("DFH")?;
    Some(match key {
        "ENTER" => "Enter".to_owned(),
        "CLEAR" => "Clear".to_owned(),
        other => other.to_owned(),
    })
}

/// Returns the condition names that a program makes true under the condition of a key, each with its keys. The statements may be in a copybook.
pub(super) fn keys_of_names(parsed: &ParsedCobol, decisions: Decisions<'_>) -> HashMap<String, Vec<String>> {
    let mut keys: HashMap<String, Vec<String>> = HashMap::new();
    for statement in &parsed.statements {
        let key = statement.branch.and_then(|branch| decisions.condition(branch)).and_then(key);
        let Some(key) = key else { continue };
        for name in decisions.assigned_constants(statement).iter().filter_map(|constant| constant.condition_name) {
            let known = keys.entry(name.to_owned()).or_default();
            if known.len() < MOST && !known.contains(&key) {
                known.push(key.clone());
            }
        }
    }
    keys
}

impl<'a> StaticWriter<'_, 'a> {
    /// Returns the keys that a branch is about, or those of the nearest branch around it, if all that this does is to decide further. What a key leads
    /// to under a further condition belongs to it, too, if it is more than an assignment.
    pub(super) fn keys_around(&self, branch: usize) -> Vec<String> {
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
            _ => key(condition).into_iter().collect(),
        }
    }

    /// Returns what a condition asks for besides keys; none if it asks for nothing else.
    fn beyond_keys(&self, condition: &Condition) -> Option<Condition> {
        match condition {
            Condition::All(parts) => {
                let others: Vec<Condition> = parts.iter().filter_map(|part| self.beyond_keys(part)).collect();
                (!others.is_empty()).then(|| Condition::all(others))
            }
            Condition::Any(parts) => {
                let mut others = parts.iter().map(|part| self.beyond_keys(part));
                let first = others.next().flatten();
                if others.all(|other| other == first) { first } else { Some(condition.clone()) }
            }
            one => self.keys(one).is_empty().then(|| one.clone()),
        }
    }

    /// Words what a branch asks for besides keys, its earlier cases included; these words, if it asks for no key itself.
    pub(super) fn beyond_keys_in_words(&self, branch: usize, in_full: impl FnOnce() -> String) -> Option<String> {
        let decision = self.reading.decisions.of_branch(branch)?;
        if self.keys_of(&decision).is_empty() {
            return Some(in_full());
        }
        let asked = decision.condition.as_ref()?;
        let program = self.reading.parsed.statements[decision.statement].program;
        let is_apart = |before: &&Condition| {
            self.beyond_keys(before).is_none() || self.reading.decisions.excludes(before, asked, program)
        };
        let before = decision.before.iter().filter(|before| !is_apart(before));
        let before: Vec<Condition> = before.map(|before| before.clone().negated()).collect();
        let is_counted = decision.preceding_omitted > 0 || before.len() > EARLIER_TOLD;
        let parts = self.beyond_keys(asked).into_iter().chain(before.into_iter().filter(|_| !is_counted));
        let all = Condition::all(parts.collect());
        let told = self.wording(program, CONDITION).tell(&all, CONDITION);
        let told = [told.as_str(), if is_counted { NO_EARLIER_CASE } else { "" }];
        let told: Vec<&str> = told.into_iter().filter(|words| !words.is_empty()).collect();
        (!told.is_empty()).then(|| told.join(", and "))
    }

    /// Returns the conditions around a branch that are not about keys, and what checks before it see to.
    pub(super) fn provided_beyond_keys(&self, branch: usize, is_alone: bool, not_left: Vec<String>) -> Vec<String> {
        let branch = &self.reading.parsed.branches[branch];
        let words = |outer: usize| self.around_keys(outer, LONGEST, || self.condition_or_success(outer));
        let (mut within, more) = self.enclosing_by(branch, is_alone, ENCLOSING_TOLD, words);
        within.extend(not_left);
        within.extend(more.then(|| "more around it".to_owned()));
        within
    }

    /// Words the condition of a branch without what it asks of keys: in full, if it asks nothing of them; none if it asks for nothing else.
    fn around_keys(&self, branch: usize, longest: usize, in_full: impl FnOnce() -> String) -> Option<String> {
        let decision = self.reading.decisions.of_branch(branch);
        if decision.as_ref().is_none_or(|decision| self.keys_of(decision).is_empty()) {
            return Some(in_full());
        }
        let program = self.reading.parsed.statements[self.reading.parsed.branches[branch].statement].program;
        let beyond = self.beyond_keys(decision?.condition.as_ref()?)?;
        Some(self.wording(program, longest).tell(&beyond, longest))
    }
}
