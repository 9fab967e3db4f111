//! Values that a program tests an item for, although it only ever sets the item to other constants.

use super::bounds::most_put_into;
use super::counters::{CountingStep, FEW_DIGITS};
use super::unused::conditions;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeText, ZEROS};
use crate::decisions::AssignedConstant;
use crate::operands::OperandKind;
use crate::states::tested_values;
use crate::storage::{Place, StorageSet};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeMap;
use war_rig_text::LineRange;

/// A test of an item: the value, the condition name that stands for it, and the line.
struct ValueTest {
    value: String,
    condition_name: Option<String>,
    statement: usize,
}

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let tests = value_tests(context);
    if tests.is_empty() {
        return;
    }
    let tested: HashSet<usize> = tests.keys().copied().collect();
    let sets = ConstantSets::of(context, &tested);
    for (item, tests) in tests {
        let Some(held) = sets.values_of(context, item) else { continue };
        // A condition name holds if one of its values does.
        let is_held = |test: &ValueTest| held.contains(&normalized(&test.value));
        let held_names: HashSet<&String> =
            tests.iter().filter(|test| is_held(test)).filter_map(|test| test.condition_name.as_ref()).collect();
        let never = tests.iter().filter(|test| {
            !is_held(test) && test.condition_name.as_ref().is_none_or(|name| !held_names.contains(name))
        });
        let mut values: Vec<String> = Vec::new();
        let mut statements = Vec::new();
        for test in never {
            let told = match &test.condition_name {
                Some(name) => format!("{} ({name})", test.value),
                None => test.value.clone(),
            };
            if !values.contains(&told) {
                values.push(told);
            }
            statements.push(test.statement);
        }
        let item = &context.parsed.data_items[item];
        for index in statements {
            let kind = HazardKind::NeverHolds { items: vec![item.name.clone()], values: values.clone() };
            let line = context.parsed.statements[index].lines.start();
            found.add_at(index, kind, item.program, LineRange::single(line));
        }
    }
}

/// Returns the tests of items that only the program itself can set.
fn value_tests(context: &HazardContext<'_>) -> BTreeMap<usize, Vec<ValueTest>> {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let mut tests: BTreeMap<usize, Vec<ValueTest>> = BTreeMap::new();
    for (at, condition) in conditions(analysis) {
        let statement = &parsed.statements[at];
        for (name, value, condition_name) in tested_values(&condition, analysis.decisions(), statement.program) {
            let Some(item) = items.find(&name, statement.program).filter(|_| statement.file.is_none()) else {
                continue;
            };
            let own = &parsed.data_items[item];
            let is_own = own.is_private() && !parsed.is_shared(item);
            if is_own && !analysis.status_checks().is_status_item(&name) {
                tests.entry(item).or_default().push(ValueTest { value, condition_name, statement: at });
            }
        }
    }
    tests
}

/// What the statements of a source set some items to.
pub(super) struct ConstantSets {
    /// The constants of each item, normalized.
    constants: HashMap<usize, HashSet<String>>,
    /// The most characters or digits that other statements put into an item.
    bounds: HashMap<usize, u64>,
    /// The items that statements count up or down, by few at a time.
    counted: HashSet<usize>,
    /// The places of all these, and the items among them that share a byte with another.
    places: StorageSet,
    shared: HashSet<usize>,
    /// What is set to anything else.
    unknown: StorageSet,
    /// What is set to blanks and zeros with the group around it.
    cleared: StorageSet,
}

impl ConstantSets {
    pub(super) fn of(context: &HazardContext<'_>, wanted: &HashSet<usize>) -> Self {
        let HazardContext { analysis, parsed, items, storage, .. } = *context;
        let uses = analysis.def_use();
        let mut sets = Self {
            constants: HashMap::new(),
            bounds: HashMap::new(),
            counted: HashSet::new(),
            places: StorageSet::default(),
            shared: HashSet::new(),
            unknown: StorageSet::default(),
            cleared: StorageSet::default(),
        };
        for (index, statement) in parsed.statements.iter().enumerate() {
            let assigned = analysis.decisions().assigned_constants(statement);
            for used in uses.of_statement(index).iter().filter(|used| used.is_set()) {
                let place = storage.place(used.item());
                let is_it = |constant: &&AssignedConstant<'_>| {
                    items.find(&constant.item, statement.program) == Some(used.item())
                };
                match assigned.iter().find(is_it) {
                    Some(constant) if wanted.contains(&used.item()) && !used.is_ambiguous() => {
                        sets.constants.entry(used.item()).or_default().insert(normalized(&constant.value));
                    }
                    Some(constant) if is_blank(&constant.value) => sets.cleared.add(place),
                    None if statement.verb == Verb::Initialize => sets.cleared.add(place),
                    None if wanted.contains(&used.item())
                        && !used.is_ambiguous()
                        && CountingStep::is_short(context, statement) =>
                    {
                        sets.counted.insert(used.item());
                    }
                    None if wanted.contains(&used.item()) && !used.is_ambiguous() => {
                        match most_put_into(context, statement, used.item()) {
                            Some(most) => {
                                let known = sets.bounds.entry(used.item()).or_default();
                                *known = most.max(*known);
                            }
                            None => sets.unknown.add(place),
                        }
                    }
                    _ => sets.unknown.add(place),
                }
            }
            let addresses = parsed.operands(statement).filter(|operand| operand.kind() == OperandKind::LengthOrAddress);
            for item in addresses.filter_map(|operand| items.find(operand.name(), statement.program)) {
                sets.unknown.add(storage.place(item));
            }
        }
        for branch in 0..parsed.branches.len() {
            for used in uses.of_branch(branch).iter().filter(|used| used.is_set()) {
                sets.unknown.add(storage.place(used.item()));
            }
        }
        let known: HashSet<usize> =
            sets.constants.keys().chain(sets.bounds.keys()).chain(&sets.counted).copied().collect();
        let mut places: Vec<(Place, usize)> = known.into_iter().map(|item| (storage.place(item), item)).collect();
        places.sort_by_key(|((root, bytes), item)| (*root, bytes.start, *item));
        let mut before: Option<(Place, usize)> = None;
        for (place, item) in places {
            match &mut before {
                Some(((root, bytes), other)) if *root == place.0 && place.1.start < bytes.end => {
                    sets.shared.extend([*other, item]);
                    if place.1.end > bytes.end {
                        before = Some((place.clone(), item));
                    }
                }
                _ => before = Some((place.clone(), item)),
            }
            sets.places.add(place);
        }
        sets.places.sort();
        sets.unknown.sort();
        sets.cleared.sort();
        sets
    }

    /// Returns all values that an item can have; none if that is unknown, or if no statement sets it.
    pub(super) fn values_of(&self, context: &HazardContext<'_>, item: usize) -> Option<HashSet<String>> {
        if self.bounds.contains_key(&item) || !self.constants.contains_key(&item) || self.counted.contains(&item) {
            return None;
        }
        self.constants_of(context, item)
    }

    /// Returns the most characters, or digits before the point, that an item can have; none if that is unknown, or if no statement sets it.
    pub(super) fn longest_of(&self, context: &HazardContext<'_>, item: usize) -> Option<u64> {
        let bound = self.bounds.get(&item).copied();
        if bound.is_none() && !self.constants.contains_key(&item) || self.counted.contains(&item) {
            return None;
        }
        let values = self.constants_of(context, item)?;
        let texts = values.iter().filter(|value| !value.ends_with("-VALUES"));
        let longest = texts.map(|value| whole_part(value).chars().count() as u64).max();
        longest.max(bound)
    }

    /// Returns whether statements only count an item by few at a time, from a small number on.
    pub(super) fn is_counter(&self, context: &HazardContext<'_>, item: usize) -> bool {
        let is_small = |value: &String| whole_part(value).len() as u64 <= FEW_DIGITS;
        self.counted.contains(&item)
            && self.bounds.get(&item).is_none_or(|digits| *digits <= FEW_DIGITS)
            && self.constants_of(context, item).is_some_and(|values| values.iter().all(is_small))
    }

    /// Returns the constants that an item can have, if nothing unknown is put where it stands.
    fn constants_of(&self, context: &HazardContext<'_>, item: usize) -> Option<HashSet<String>> {
        let place = || context.storage.place(item);
        let is_own =
            [self.constants.contains_key(&item), self.bounds.contains_key(&item), self.counted.contains(&item)];
        let is_own = is_own.contains(&true);
        let is_set_by_others = if is_own { self.shared.contains(&item) } else { self.places.meets(place()) };
        if is_set_by_others || self.unknown.meets(place()) {
            return None;
        }
        let mut values = self.constants.get(&item).cloned().unwrap_or_default();
        let first = context.parsed.data_items[item].value.as_deref().map(normalized);
        values.extend(first);
        if self.cleared.meets(place()) {
            values.extend([String::new(), "0".to_owned()]);
        }
        Some(values)
    }
}

/// Returns the digits of a number before its point, and any other value as it is.
fn whole_part(value: &str) -> &str {
    let number = value.trim_start_matches(['+', '-']);
    let is_number =
        number.starts_with(|c: char| c.is_ascii_digit()) && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_number { number.split('.').next().unwrap_or_default() } else { value }
}

fn is_blank(value: &str) -> bool {
    matches!(normalized(value).as_str(), "" | "0")
}

/// Returns a constant in a form in which equal contents are equal: without quotes, blanks at the end and zeros in front.
fn normalized(value: &str) -> String {
    let upper = value.trim().to_uppercase();
    match upper.as_str() {
        "SPACE" | "SPACES" => return String::new(),
        word if ZEROS.contains(&word) => return "0".to_owned(),
        "LOW-VALUE" | "LOW-VALUES" => return "LOW-VALUES".to_owned(),
        "HIGH-VALUE" | "HIGH-VALUES" => return "HIGH-VALUES".to_owned(),
        _ => {}
    }
    let code = CodeText::read(value);
    let text = code.words().last().map_or("", |word| word.text).trim_matches(['\'', '"']).trim_end();
    let digits = text.trim_start_matches('+');
    match !digits.is_empty() && digits.chars().all(|letter| letter.is_ascii_digit()) {
        true => match digits.trim_start_matches('0') {
            "" => "0".to_owned(),
            digits => digits.to_owned(),
        },
        false => text.to_owned(),
    }
}
