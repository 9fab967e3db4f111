//! Items that a program sets from a status: which results of which operations their values stand for.
//!
//! A test of such an item checks the operations of the branches that set the tested values: of those that can reach the test, or of all
//! if this is unknown. A test that excludes values checks an operation only if all other values come from it.

use super::values::{StatusKind, constant, normalize_constant};
use super::{OperationStatus, StatusItems};
use crate::code::{CodeText, WordSlice};
use crate::decisions::{
    ArithmeticCopy, Condition, Decisions, RelationalOperator, assigned_items, move_operands, truth_set,
};
use crate::model::{ParsedCobol, Statement};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// The maximum number of assignments of a derived item: each test is compared with all of them.
const MOST_VALUES: usize = 1000;

/// A constant that a statement moves to an item where the result of an operation is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DerivedValue {
    /// The constant in one spelling.
    pub(super) value: String,
    /// The result.
    pub(super) status: OperationStatus,
    /// The statement that sets the item.
    pub(super) statement: usize,
    /// The operations that have this result.
    pub(super) operations: Vec<usize>,
}

/// The values that satisfy a test of a derived item.
pub(super) struct DerivedTest<'a> {
    /// The tested item.
    pub(super) item: &'a str,
    /// The values for which the test is true.
    pub(super) values: Vec<&'a DerivedValue>,
    /// Whether the test names these values; otherwise it excludes others.
    pub(super) names_values: bool,
}

impl DerivedTest<'_> {
    /// Returns the result that all these values stand for; none if they disagree about success.
    pub(super) fn status(&self) -> Option<OperationStatus> {
        let first = self.values.first()?.status;
        let is = |wanted: OperationStatus| self.values.iter().any(|value| value.status == wanted);
        match self.values.iter().all(|value| value.status == first) {
            true => Some(first),
            false => (!is(OperationStatus::Success)).then_some(OperationStatus::Failure),
        }
    }

    /// Returns the operations that the test checks; `reaching` are the statements that may have set the item, none if unknown.
    pub(super) fn operations(&self, reaching: Option<&[usize]>) -> Vec<usize> {
        let reaches = |value: &&&DerivedValue| reaching.is_none_or(|found| found.contains(&value.statement));
        let of_values = self.values.iter().filter(reaches).map(|value| value.operations.as_slice());
        let of_values: Vec<&[usize]> = of_values.collect();
        if !self.names_values && of_values.windows(2).any(|pair| pair[0] != pair[1]) {
            return Vec::new();
        }
        let mut all = of_values.concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl StatusItems {
    /// Adds the items that are only set to constants, with a known status for at least one of these assignments, and that a condition tests:
    /// what no condition tests is meant for somebody else. `operations` are those that each branch checks. Returns whether there are such items.
    pub(super) fn add_derived(
        &mut self,
        parsed: &ParsedCobol,
        branches: &[Option<OperationStatus>],
        operations: &[Vec<usize>],
    ) -> bool {
        // Only a branch that tests a status tells anything about what is set in it.
        if branches.iter().all(Option::is_none) {
            return false;
        }
        let before = self.kinds.len();
        let mut values: HashMap<String, Vec<DerivedValue>> = HashMap::new();
        let mut computed: HashSet<String> = HashSet::new();
        let mut setters: HashMap<String, Vec<usize>> = HashMap::new();
        let mut unknown: HashMap<String, HashSet<Option<usize>>> = HashMap::new();
        let mut known: HashMap<String, HashSet<Option<usize>>> = HashMap::new();
        for (index, statement) in parsed.statements.iter().enumerate() {
            for (item, value) in self.assignments(parsed, statement) {
                setters.entry(item.clone()).or_default().push(index);
                let Some(value) = value else {
                    computed.insert(item);
                    continue;
                };
                match statement.branch.and_then(|branch| Some((branch, branches[branch]?))) {
                    Some((branch, status)) => {
                        known.entry(item.clone()).or_default().insert(statement.paragraph);
                        values.entry(item).or_default().push(DerivedValue {
                            value: normalize_constant(&value),
                            status,
                            statement: index,
                            operations: operations[branch].clone(),
                        });
                    }
                    None => {
                        unknown.entry(item).or_default().insert(statement.paragraph);
                    }
                }
            }
        }
        let tested = self.tested(parsed, &values);
        for (item, mut found) in values {
            // An item that is also set where no operation result is known has its own meaning.
            let elsewhere =
                unknown.get(&item).is_some_and(|places| places.iter().any(|place| !known[&item].contains(place)));
            let tells = found.iter().any(|value| value.status == OperationStatus::Success)
                && found.iter().any(|value| value.status != OperationStatus::Success);
            if tells
                && tested.contains(&item)
                && found.len() <= MOST_VALUES
                && !elsewhere
                && !computed.contains(&item)
                && !self.kinds.contains_key(&item)
            {
                for statement in setters.remove(&item).unwrap_or_default() {
                    self.setters.entry(statement).or_default().push(item.clone());
                }
                found.sort_by(|one, other| one.value.cmp(&other.value));
                self.kinds.insert(item, StatusKind::Derived(found));
            }
        }
        self.kinds.len() > before
    }

    /// Returns the items that a statement sets, each with its constant; none if the value is not a constant.
    fn assignments(&self, parsed: &ParsedCobol, statement: &Statement) -> Vec<(String, Option<String>)> {
        match statement.verb {
            Verb::Move => {
                let from = move_operands(parsed, statement).map(|moved| moved.from);
                let value = from.and_then(|from| constant(from.words()));
                let value = value.map(str::to_owned);
                assigned_items(parsed, statement).into_iter().map(|target| (target, value.clone())).collect()
            }
            Verb::Set => {
                let to_true = truth_set(parsed, statement) == Some(true);
                let set = assigned_items(parsed, statement).into_iter().filter(|_| to_true);
                set.filter_map(|name| self.conditions.get(&name))
                    .map(|(item, values)| (item.clone(), values.first().cloned()))
                    .collect()
            }
            Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide => {
                let value = ArithmeticCopy::of(parsed, statement).and_then(|copy| copy.constant());
                let targets = assigned_items(parsed, statement).into_iter();
                value.map(|value| targets.map(|target| (target, Some(value.to_owned()))).collect()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Returns those of these items that a condition names, or one of whose condition names it names.
    fn tested<V>(&self, parsed: &ParsedCobol, items: &HashMap<String, V>) -> HashSet<String> {
        if items.is_empty() {
            return HashSet::default();
        }
        let conditions = parsed.branches.iter().map(|branch| parsed.condition(branch));
        let asks = |statement: &&Statement| matches!(statement.verb, Verb::Evaluate | Verb::Perform | Verb::Search);
        let subjects = parsed.statements.iter().filter(asks).map(|statement| parsed.words_after_verb(statement));
        let names = conditions.chain(subjects).flat_map(WordSlice::iter).map(|word| word.text.to_uppercase());
        let items_of = |name: String| self.conditions.get(&name).map_or(name, |(item, _)| item.clone());
        names.map(items_of).filter(|item| items.contains_key(item)).collect()
    }

    /// Returns the values that satisfy a condition on a derived item.
    pub(super) fn derived_test(&self, condition: &Condition) -> Option<DerivedTest<'_>> {
        let (item, known) = self.derived_item(condition)?;
        let (mut values, mut others) = (Vec::new(), Vec::new());
        for equal in known.chunk_by(|one, next| one.value == next.value) {
            let side = if self.holds(condition, item, &equal[0].value)? { &mut values } else { &mut others };
            side.extend(equal);
        }
        let test = DerivedTest { item, values, names_values: self.names_values(condition, item) };
        (!is_left_by_others(&test, &others)).then_some(test)
    }

    /// Returns the values with which control takes a branch of a statement; WHEN OTHER excludes the values of all other branches.
    pub(super) fn derived_branch(
        &self,
        decisions: Decisions<'_>,
        statement: usize,
        branch: usize,
    ) -> Option<DerivedTest<'_>> {
        if let Some(condition) = decisions.condition(branch) {
            return self.derived_test(condition);
        }
        let others = decisions.branches_of(statement).iter().filter(|other| **other != branch);
        let excluded = others.map(|other| Some(decisions.condition(*other)?.clone().negated()));
        let excluded: Vec<Condition> = excluded.collect::<Option<_>>()?;
        (!excluded.is_empty()).then(|| Condition::all(excluded)).and_then(|condition| self.derived_test(&condition))
    }

    /// Returns the first derived item in a condition, and its values.
    fn derived_item(&self, condition: &Condition) -> Option<(&str, &[DerivedValue])> {
        let of = |name: &str| match self.kinds.get_key_value(name)? {
            (item, StatusKind::Derived(values)) => Some((item.as_str(), values.as_slice())),
            _ => None,
        };
        let of_operand = |code: &CodeText| of(&code.words().first()?.text.to_uppercase());
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter().find_map(|part| self.derived_item(part)),
            Condition::Comparison { left, right, .. } => of_operand(left).or_else(|| of_operand(right)),
            Condition::ConditionName { name, .. } => {
                of(&self.conditions.get(&name.words().first()?.text.to_uppercase())?.0)
            }
            Condition::ClassTest { .. } | Condition::Range { .. } | Condition::Unparsed { .. } => None,
        }
    }

    /// Returns whether a condition is true if an item has a value; none if the value does not decide it. What a condition requires of
    /// other items is ignored.
    fn holds(&self, condition: &Condition, item: &str, value: &str) -> Option<bool> {
        match condition {
            Condition::All(parts) => {
                let parts: Vec<bool> = parts.iter().filter_map(|part| self.holds(part, item, value)).collect();
                (!parts.is_empty()).then(|| parts.iter().all(|holds| *holds))
            }
            Condition::Any(parts) => {
                let parts: Option<Vec<bool>> = parts.iter().map(|part| self.holds(part, item, value)).collect();
                parts.map(|parts| parts.contains(&true))
            }
            Condition::Comparison { left, relation, right } => {
                let is_item = left.words().first()?.is(item);
                let tested = normalize_constant(&self.value(right).filter(|_| is_item)?);
                let numbers = || Some((value.parse::<i64>().ok()?, tested.parse::<i64>().ok()?));
                match relation {
                    RelationalOperator::Equal => Some(value == tested),
                    RelationalOperator::NotEqual => Some(value != tested),
                    RelationalOperator::Less => numbers().map(|(value, tested)| value < tested),
                    RelationalOperator::AtMost => numbers().map(|(value, tested)| value <= tested),
                    RelationalOperator::Greater => numbers().map(|(value, tested)| value > tested),
                    RelationalOperator::AtLeast => numbers().map(|(value, tested)| value >= tested),
                }
            }
            Condition::ConditionName { name, negated } => {
                let (about, values) = self.conditions.get(&name.words().first()?.text.to_uppercase())?;
                let is_range = values.iter().any(|value| is_through(value));
                let has_value = || values.iter().any(|listed| normalize_constant(listed) == value);
                (about == item && !is_range).then(|| has_value() != *negated)
            }
            Condition::ClassTest { .. } | Condition::Range { .. } | Condition::Unparsed { .. } => None,
        }
    }

    /// Returns whether a condition names the values of an item that satisfy it.
    fn names_values(&self, condition: &Condition, item: &str) -> bool {
        match condition {
            Condition::All(parts) => parts.iter().any(|part| self.names_values(part, item)),
            Condition::Any(parts) => parts.iter().all(|part| self.names_values(part, item)),
            Condition::Comparison { left, relation, .. } => {
                *relation == RelationalOperator::Equal && left.words().first().is_some_and(|word| word.is(item))
            }
            Condition::ConditionName { name, negated } => {
                let name = name.words().first().map(|name| name.text.to_uppercase()).unwrap_or_default();
                !negated && self.conditions.get(&name).is_some_and(|(about, _)| about == item)
            }
            Condition::ClassTest { .. } | Condition::Range { .. } | Condition::Unparsed { .. } => false,
        }
    }
}

/// Returns whether an item has the tested values as long as other operations leave them: an OPEN that succeeds clears the switch that a READ sets at the
/// end, and so the test of the cleared switch is about the READ.
fn is_left_by_others(test: &DerivedTest<'_>, others: &[&DerivedValue]) -> bool {
    let Some(last) = test.values.iter().map(|value| value.statement).max() else { return false };
    let is_own = |operation: &usize| test.values.iter().any(|value| value.operations.contains(operation));
    let is_later = |value: &&DerivedValue| value.statement > last && !value.operations.iter().any(is_own);
    test.status() == Some(OperationStatus::Success) && !others.is_empty() && others.iter().all(is_later)
}

/// Returns whether a word of a condition name's values joins the ends of a range.
pub(super) fn is_through(word: &str) -> bool {
    word.eq_ignore_ascii_case("THRU") || word.eq_ignore_ascii_case("THROUGH")
}
