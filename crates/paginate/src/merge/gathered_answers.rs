//! Gathering answers for the merge.
//!
//! Nothing is merged before all answers are there: they are stored under the numbers of their parts, and merged in that order. So the result does not
//! depend on the order in which they came, or on how they were combined.

use super::equality::fingerprint;
use super::merged_answer::{
    CustomMerge, InputLocation, MergeStrategy, MergedAnswer, PartAnswer, Provenance, ValueLocator, ValueOrigin,
};
use super::rules::MergeRules;
use super::value_merger::{PartValue, ValueMerger, sorted};
use crate::json_pointer::{at, below};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The answers of one or more parts, before the merge. The default is none.
#[derive(Debug, Clone, Default)]
pub struct GatheredAnswers {
    answers: BTreeMap<u64, LocatedAnswer>,
}

/// The answer of a part, and the locations of its values.
#[derive(Debug, Clone)]
struct LocatedAnswer {
    weight: u64,
    value: Value,
    seen: OriginTree,
}

/// The origins of an answer's values, in the shape of the answer. Values inside a list item have the origin of the item.
#[derive(Debug, Clone)]
pub(super) enum OriginTree {
    /// Null carries no information, so it has no origin.
    Nothing,
    /// A scalar.
    Scalar(ValueOrigin),
    /// The items of a list.
    Items(Vec<ValueOrigin>),
    /// The fields of an object, in its order.
    Fields(Vec<(String, OriginTree)>),
}

impl OriginTree {
    /// Returns the origins of the value at this pointer and of the values in it.
    fn of(value: &Value, path: &str, part: u64, locate: &dyn ValueLocator) -> Self {
        let origin = |path: &str, value: &Value| ValueOrigin { part, ..locate.origin_at(path, value) };
        match value {
            Value::Null => OriginTree::Nothing,
            Value::Array(items) => {
                let items = items.iter().enumerate().map(|(index, item)| origin(&at(path, index), item));
                OriginTree::Items(items.collect())
            }
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), OriginTree::of(value, &below(path, name), part, locate)));
                OriginTree::Fields(fields.collect())
            }
            scalar => OriginTree::Scalar(origin(path, scalar)),
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&OriginTree> {
        match self {
            OriginTree::Fields(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, seen)| seen),
            _ => None,
        }
    }

    pub(super) fn items(&self) -> &[ValueOrigin] {
        match self {
            OriginTree::Items(origins) => origins,
            _ => &[],
        }
    }

    /// Visits each scalar outside of lists and each list item, with its pointer.
    pub(super) fn each(&self, path: &str, tell: &mut dyn FnMut(String, &ValueOrigin)) {
        match self {
            OriginTree::Nothing => {}
            OriginTree::Scalar(origin) => tell(path.to_owned(), origin),
            OriginTree::Items(origins) => {
                origins.iter().enumerate().for_each(|(index, origin)| tell(at(path, index), origin));
            }
            OriginTree::Fields(fields) => fields.iter().for_each(|(name, seen)| seen.each(&below(path, name), tell)),
        }
    }
}

impl GatheredAnswers {
    /// Creates the set of one answer. Locates its scalars outside of lists and its list items; the part of a [`ValueOrigin`] is the answer's.
    pub fn from_answer(answer: PartAnswer, locate: &dyn ValueLocator) -> Self {
        let PartAnswer { number, weight, value } = answer;
        let seen = OriginTree::of(&value, "", number, locate);
        Self { answers: BTreeMap::from([(number, LocatedAnswer { weight, value, seen })]) }
    }

    /// Combines two sets, in either order; no part may be in both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        // The smaller set is added to the larger, so that adding single answers has constant cost.
        let (mut many, few) = if self.answers.len() < other.answers.len() { (other, self) } else { (self, other) };
        many.answers.extend(few.answers);
        many
    }

    /// Returns the number of answers.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are no answers.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Returns the answers with their part numbers, in the order of the parts.
    pub fn answers(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.answers.iter().map(|(part, told)| (*part, &told.value))
    }

    /// Merges the answers. Returns null if there are none, or all are null.
    ///
    /// - **By rule or strategy.** If a field has no rule, lists extend in the order of parts and then of the answer; objects recurse; of scalars the
    ///   first is kept, and different values are conflicts. Null and absent values are ignored.
    /// - **Values that do not fit** their rule, or the kind of the first value (a text instead of a list), are conflicts. If no value fits the rule,
    ///   the rule is ignored.
    /// - **Overlap.** An item found only in its part's overlap that is also in an earlier part's answer is the same item, whatever the list's rule.
    /// - **Union.** Items with the same key are merged into one object, by the rules of the items. A key is a number, or a text without surrounding
    ///   blanks. Items without a key, and items of lists without `x-key`, are merged if they are equal.
    /// - **Similarity.** Items without a key whose texts in `x-similar` are more similar than the threshold are merged like those with the same key;
    ///   the first text is kept. Texts with different numbers or identifiers are never merged.
    /// - **Numbers.** A sum of integers is exact up to 64 bits and the nearest float beyond. A mean is weighted by the sibling named by `x-weight` if
    ///   any part has it; a number without it is then a conflict.
    /// - **Votes.** Outvoted values are conflicts. Values that `first` and `last` skip are discarded, unless they are equal to the one kept.
    /// - **Strategies `first` and `last`** use one part's whole answer. A field with a rule is merged by its rule all the same, and the other fields
    ///   come from that part.
    /// - **Order.** Fields follow the order of the schema; unnamed fields come after them, in the order in which they first occurred.
    pub fn merge(self, rules: &MergeRules) -> MergedAnswer {
        let said: Vec<PartValue<'_>> = self
            .answers
            .iter()
            .map(|(part, told)| PartValue {
                part: *part,
                weight: Some(told.weight as f64),
                value: &told.value,
                seen: Some(&told.seen),
                without: None,
            })
            .collect();
        let mut says = said.iter().filter(|said| !said.value.is_null()).map(|said| said.part);
        let chosen = match rules.strategy {
            MergeStrategy::First | MergeStrategy::Merge => says.next(),
            MergeStrategy::Last => says.next_back(),
        };
        let mut merging = ValueMerger::by(rules);
        let value = merging.merge(rules.root, "", &said, chosen.unwrap_or_default());
        MergedAnswer { value: value.unwrap_or_default(), ..merging.into_merged() }
    }

    /// Merges the answers with a program. Values that occur verbatim in an answer (a list item in any list, a scalar at the same pointer) have their
    /// origins; the origin of the others is unknown.
    ///
    /// # Errors
    /// The program's error.
    pub fn merge_with_program(self, program: &dyn CustomMerge) -> Result<MergedAnswer, String> {
        let answers: Vec<Value> = self.answers.values().map(|told| told.value.clone()).collect();
        let value = program.merge(&answers)?;
        let provenance = self.traced(&value);
        Ok(MergedAnswer { value, provenance, ..MergedAnswer::default() })
    }

    /// Returns the origins of values that occur verbatim in answers.
    fn traced(&self, value: &Value) -> Vec<Provenance> {
        let mut known = HashMap::<String, Vec<ValueOrigin>>::new();
        for told in self.answers.values() {
            told.seen.each("", &mut |path, origin| {
                if let Some(name) = name_of(&told.value, &path) {
                    known.entry(name).or_default().push(origin.clone());
                }
            });
        }
        let nowhere = ValueOrigin { part: 0, place: InputLocation::default(), located: false, in_overlap: false };
        let mut provenance = Vec::new();
        OriginTree::of(value, "", 0, &NullLocator(nowhere)).each("", &mut |path, _| {
            if let Some(origins) = name_of(value, &path).and_then(|name| known.get(&name)) {
                provenance.push(Provenance { path, origins: sorted(origins.clone()) });
            }
        });
        provenance
    }
}

/// Returns the identity of a value: for a list item its content, for a scalar outside of lists also its pointer.
fn name_of(whole: &Value, path: &str) -> Option<String> {
    let value = fingerprint(whole.pointer(path)?);
    let parent = path.rsplit_once('/').map(|(parent, _)| parent);
    let is_item = parent.and_then(|parent| whole.pointer(parent)).is_some_and(Value::is_array);
    Some(if is_item { value } else { format!("{path} {value}") })
}

/// A locator that finds nothing.
struct NullLocator(ValueOrigin);

impl ValueLocator for NullLocator {
    fn origin(&self, _: &Value) -> ValueOrigin {
        self.0.clone()
    }
}
