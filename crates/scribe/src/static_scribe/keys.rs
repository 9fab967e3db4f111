//! The keys of the terminal that conditions ask for: the values of EIBAID, and the condition names that a program sets from them.

use super::StaticWriter;
use super::conditions::{CONDITION, EARLIER_TOLD, LONGEST, NO_EARLIER_CASE};
use foldhash::{HashMap, HashMapExt, HashSet};
use war_rig_cobol::{
    BranchKind, Condition, Decision, Decisions, ParsedCobol, RelationalOperator, Statement, Verb, is_terminal_key,
};

/// How many of the conditions around a test of a key are told.
const ENCLOSING_TOLD: usize = 4;

/// How many cases before one are searched for its keys.
const CASES_COMPARED: usize = 64;

/// The keys of WHEN OTHER where each case before it asks for nothing but keys.
const ANY_OTHER: &str = "any other";

/// The same, where one of them asks for more.
const ANY_NOT_TAKEN: &str = "any other, and any key whose condition does not hold";

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

/// Returns what a condition asks for, without its alternatives that are alternatives of one of these conditions; none if nothing is left.
fn without(asked: &Condition, taken: &[Condition]) -> Option<Condition> {
    if taken.iter().any(|taken| is_alternative(asked, taken)) {
        return None;
    }
    match asked {
        Condition::All(parts) => {
            let left: Option<Vec<Condition>> = parts.iter().map(|part| without(part, taken)).collect();
            left.map(Condition::all)
        }
        Condition::Any(parts) => {
            let left: Vec<Condition> = parts.iter().filter_map(|part| without(part, taken)).collect();
            (!left.is_empty()).then(|| Condition::any(left))
        }
        one => Some(one.clone()),
    }
}

/// Whether a condition is another one, or one of its alternatives.
fn is_alternative(one: &Condition, of: &Condition) -> bool {
    one == of || matches!(of, Condition::Any(parts) if parts.iter().any(|part| is_alternative(one, part)))
}

/// Returns the condition names that stand for keys, each with its keys: those that a program makes true under the conditions of keys alone, where it does
/// nothing else. What it sets beside other work is a state. The statements may be in a copybook.
pub(super) fn keys_of_names(parsed: &ParsedCobol, decisions: Decisions<'_>) -> HashMap<String, Vec<String>> {
    let assigns = |statement: &Statement| matches!(statement.verb, Verb::Move | Verb::Set | Verb::Continue);
    let working: HashSet<usize> = parsed
        .statements
        .iter()
        .filter(|statement| !assigns(statement))
        .filter_map(|statement| statement.branch)
        .collect();
    let mut keys: HashMap<String, Vec<String>> = HashMap::new();
    // The names of each item that stand for keys, and those that are made true without one as well.
    let (mut of_item, mut otherwise): (HashMap<String, HashSet<String>>, HashSet<String>) = Default::default();
    let mut items: HashMap<String, String> = HashMap::new();
    for statement in &parsed.statements {
        let branch = statement.branch.filter(|branch| !working.contains(branch));
        let key = branch.and_then(|branch| decisions.condition(branch)).and_then(key);
        for constant in &decisions.assigned_constants(statement) {
            let Some(name) = constant.condition_name.map(str::to_owned) else { continue };
            let Some(key) = &key else {
                otherwise.insert(name);
                continue;
            };
            items.insert(name.clone(), constant.item.clone());
            of_item.entry(constant.item.clone()).or_default().insert(name.clone());
            let known = keys.entry(name).or_default();
            if known.len() < MOST && !known.contains(key) {
                known.push(key.clone());
            }
        }
    }
    // An item with names for many keys has the key, which a program may replace by another.
    let has_keys =
        |name: &String| items.get(name).and_then(|item| of_item.get(item)).is_some_and(|names| names.len() > 4);
    keys.retain(|name, _| !otherwise.contains(name) || has_keys(name));
    keys
}

impl<'a> StaticWriter<'_, 'a> {
    /// Returns the keys that a branch is about, or those of the nearest branch around it, if all that this does is to decide further. What a key leads
    /// to under a further condition belongs to it, too, if it is more than an assignment.
    pub(super) fn keys_around(&self, branch: usize) -> Vec<String> {
        let keys = |branch: usize| self.reading.decisions.of_branch(branch).map(|told| self.keys_of(&told));
        let own = keys(branch).unwrap_or_default();
        // Of a case whose keys earlier ones take, there is nothing to tell.
        if !own.is_empty() || self.reading.decisions.condition(branch).is_some_and(|own| !self.keys(own).is_empty()) {
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

    /// Returns the keys that a decision is about: those that its condition asks for and no earlier case takes, or `any other` behind cases that are all
    /// keys.
    fn keys_of(&self, decision: &Decision) -> Vec<String> {
        if decision.condition.is_some() {
            return self.left_to(decision).map(|left| self.keys(&left)).unwrap_or_default();
        }
        if decision.before.is_empty() || decision.before.iter().any(|before| self.keys(before).is_empty()) {
            return Vec::new();
        }
        let (cases, is_all) = self.cases_before(decision);
        let is_only_keys = is_all && cases.iter().all(|case| self.beyond_keys(case).is_none());
        vec![if is_only_keys { ANY_OTHER } else { ANY_NOT_TAKEN }.to_owned()]
    }

    /// Returns the conditions of the cases before one, and whether these are all.
    fn cases_before(&self, decision: &Decision) -> (Vec<&'a Condition>, bool) {
        let own = decision.branch.filter(|own| self.reading.parsed.branches[*own].kind == BranchKind::When);
        let Some(own) = own else { return (Vec::new(), true) };
        let siblings = self.reading.branches_of(decision.statement);
        let before = &siblings[..siblings.partition_point(|sibling| *sibling < own)];
        let told = before.iter().take(CASES_COMPARED);
        let cases = told.filter_map(|case| self.reading.decisions.condition(*case)).collect();
        (cases, before.len() <= CASES_COMPARED)
    }

    /// Returns what a decision asks for, without the keys that an earlier case takes, or the IF of an ELSE around it; none if nothing is left.
    fn left_to(&self, decision: &Decision) -> Option<Condition> {
        let asked = decision.condition.as_ref()?;
        if self.keys(asked).is_empty() {
            return Some(asked.clone());
        }
        let (cases, _) = self.cases_before(decision);
        let around = self.reading.decisions.enclosing_branches(decision.statement);
        let denied = around.filter_map(|outer| Some((outer, self.denied_by_else(outer)?)));
        let denied = denied.filter(|(_, denied)| !self.keys(denied).is_empty());
        let denied =
            denied.filter(|(outer, _)| !self.is_set_anew(*outer, decision.statement)).map(|(_, denied)| denied);
        let taken: Vec<Condition> = cases.into_iter().cloned().chain(denied.take(ENCLOSING_TOLD)).collect();
        without(asked, &taken)
    }

    /// Returns the condition of the IF that a branch is the ELSE of.
    fn denied_by_else(&self, branch: usize) -> Option<Condition> {
        let is_else = self.reading.parsed.branches[branch].kind == BranchKind::Else;
        let condition = self.reading.decisions.condition(branch).filter(|_| is_else)?;
        Some(condition.clone().negated())
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
        let asked = self.left_to(&decision)?;
        let program = self.reading.parsed.statements[decision.statement].program;
        let before = self.not_before(&decision, &asked);
        let is_counted = decision.preceding_omitted > 0 || before.len() > EARLIER_TOLD;
        let parts = self.beyond_keys(&asked).into_iter().chain(before.into_iter().filter(|_| !is_counted));
        let all = Condition::all(parts.collect());
        let told = self.wording(program, CONDITION).tell(&all, CONDITION);
        let told = [told.as_str(), if is_counted { NO_EARLIER_CASE } else { "" }];
        let told: Vec<&str> = told.into_iter().filter(|words| !words.is_empty()).collect();
        (!told.is_empty()).then(|| told.join(", and "))
    }

    /// Returns the earlier cases that do not hold where a decision comes to what is left to it, each negated. Those of other keys need not be told.
    fn not_before(&self, decision: &Decision, asked: &Condition) -> Vec<Condition> {
        let program = self.reading.parsed.statements[decision.statement].program;
        let keys = self.keys(asked);
        let before = decision.before.iter();
        let before = before.filter(|before| {
            !self.is_of_other_keys(before, &keys) && !self.reading.decisions.excludes(before, asked, program)
        });
        let told = before.map(|before| {
            let taken = self.keys(before);
            let beyond = self.beyond_keys(before).filter(|_| keys.iter().all(|key| taken.contains(key)));
            beyond.unwrap_or_else(|| before.clone()).negated()
        });
        told.collect()
    }

    /// Whether a condition asks for keys, none of which is among these.
    fn is_of_other_keys(&self, condition: &Condition, keys: &[String]) -> bool {
        let asked = self.keys(condition);
        !asked.is_empty() && !asked.iter().any(|key| keys.contains(key))
    }

    /// Returns the conditions around a branch about these keys that ask for more or for other keys, and what checks before it see to.
    pub(super) fn provided_beyond_keys(
        &self,
        branch: usize,
        keys: &[String],
        is_alone: bool,
        not_left: Vec<String>,
    ) -> Vec<String> {
        let branch = &self.reading.parsed.branches[branch];
        let words = |outer: usize| self.around_keys(outer, keys, is_alone);
        let (mut within, more) = self.enclosing_by(branch, is_alone, ENCLOSING_TOLD, words);
        within.extend(not_left);
        within.extend(more.then(|| "more around it".to_owned()));
        within
    }

    /// Words the condition of a branch around one about these keys, without what it asks of just these: in full, if it asks for others, too, and what
    /// happens otherwise is told; none if it asks for nothing else.
    fn around_keys(&self, branch: usize, keys: &[String], is_alone: bool) -> Option<String> {
        let in_full = || Some(self.condition_or_success(branch));
        let Some(decision) = self.reading.decisions.of_branch(branch) else { return in_full() };
        let own = self.keys_of(&decision);
        let are_among = |keys: &[String], own: &[String]| keys.iter().all(|key| own.contains(key));
        let is_same = !own.is_empty() && are_among(keys, &own) && (is_alone || are_among(&own, keys));
        if !is_same {
            let denied = self.denied_by_else(branch).into_iter();
            let cases = self.cases_before(&decision);
            let cases = cases.0.into_iter().filter(|_| cases.1 && decision.condition.is_none()).cloned();
            let mut denied = denied.chain(cases).peekable();
            let is_apart = |denied: &Condition| self.is_of_other_keys(denied, keys);
            let goes_without_saying = is_alone && denied.peek().is_some() && denied.all(|denied| is_apart(&denied));
            return if goes_without_saying { None } else { in_full() };
        }
        decision.condition.as_ref()?;
        let asked = self.left_to(&decision)?;
        let program = self.reading.parsed.statements[decision.statement].program;
        match self.beyond_keys(&asked) {
            Some(beyond) => Some(self.wording(program, LONGEST).tell(&beyond, LONGEST)),
            None if self.not_before(&decision, &asked).is_empty() => None,
            None => in_full(),
        }
    }
}
