//! Answers on the way to one.
//!
//! Nothing is merged before all are there: answers stay apart under the numbers of their parts, and are merged in that order. So the order in which they came,
//! and how they were put together on the way, cannot show.

use super::equality::fingerprint;
use super::json_pointer::{at, below};
use super::value_merger::{PartValue, ValueMerger, sorted};
use super::{
    CustomMerge, InputLocation, MergeRules, MergeStrategy, MergedAnswer, PartAnswer, Provenance,
    ValueLocator, ValueOrigin,
};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Answers of one or more parts, on the way to one. The default is none.
#[derive(Debug, Clone, Default)]
pub struct GatheredAnswers {
    answers: BTreeMap<u64, LocatedAnswer>,
}

/// The answer of a part, and where its values stand.
#[derive(Debug, Clone)]
struct LocatedAnswer {
    weight: u64,
    value: Value,
    seen: OriginTree,
}

/// Where the values of an answer stand, in its shape. What stands inside an item of a list stands where the item does.
#[derive(Debug, Clone)]
pub(super) enum OriginTree {
    /// Null says nothing, so it stands nowhere.
    Nothing,
    /// A scalar.
    Scalar(ValueOrigin),
    /// The items of a list.
    Items(Vec<ValueOrigin>),
    /// The fields of an object, in its order.
    Fields(Vec<(String, OriginTree)>),
}

impl OriginTree {
    /// Where the value at this pointer and what is in it stand.
    fn of(value: &Value, path: &str, part: u64, locate: &dyn ValueLocator) -> Self {
        let origin = |path: &str, value: &Value| ValueOrigin { part, ..locate.origin_at(path, value) };
        match value {
            Value::Null => OriginTree::Nothing,
            Value::Array(items) => {
                let items = items.iter().enumerate().map(|(index, item)| origin(&at(path, index), item));
                OriginTree::Items(items.collect())
            }
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| {
                    (name.clone(), OriginTree::of(value, &below(path, name), part, locate))
                });
                OriginTree::Fields(fields.collect())
            }
            scalar => OriginTree::Scalar(origin(path, scalar)),
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&OriginTree> {
        match self {
            OriginTree::Fields(fields) => {
                fields.iter().find(|(field, _)| field == name).map(|(_, seen)| seen)
            }
            _ => None,
        }
    }

    pub(super) fn items(&self) -> &[ValueOrigin] {
        match self {
            OriginTree::Items(origins) => origins,
            _ => &[],
        }
    }

    /// Every scalar outside of lists and every item of a list, with its pointer.
    pub(super) fn each(&self, path: &str, tell: &mut dyn FnMut(String, &ValueOrigin)) {
        match self {
            OriginTree::Nothing => {}
            OriginTree::Scalar(origin) => tell(path.to_owned(), origin),
            OriginTree::Items(origins) => {
                origins.iter().enumerate().for_each(|(index, origin)| tell(at(path, index), origin));
            }
            OriginTree::Fields(fields) => {
                fields.iter().for_each(|(name, seen)| seen.each(&below(path, name), tell))
            }
        }
    }
}

impl GatheredAnswers {
    /// The answer of one part. Looks up where its scalars outside of lists and the items of its lists stand; the part of an [`ValueOrigin`] is the answer's.
    pub fn from_answer(_rules: &MergeRules, answer: PartAnswer, locate: &dyn ValueLocator) -> Self {
        let PartAnswer { number, weight, value } = answer;
        let seen = OriginTree::of(&value, "", number, locate);
        Self { answers: BTreeMap::from([(number, LocatedAnswer { weight, value, seen })]) }
    }

    /// Both together. Which of them holds the earlier parts does not matter; no part may be in both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        // The few go to the many, so that answers which come one by one cost what one answer does.
        let (mut many, few) =
            if self.answers.len() < other.answers.len() { (other, self) } else { (self, other) };
        many.answers.extend(few.answers);
        many
    }

    /// How many answers there are.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// The answers, in the order of their parts, with their numbers.
    pub fn answers(&self) -> impl Iterator<Item = (u64, &Value)> {
        self.answers.iter().map(|(part, told)| (*part, &told.value))
    }

    /// The one answer. Null where there is none, or all are null.
    ///
    /// - **By rule or strategy.** Where a field has no rule, lists extend in the order of parts and then of the answer; objects recurse; of scalars the first stands
    ///   and what differs is a conflict. Null and absent say nothing.
    /// - **Values that do not fit** their rule, or the kind of the first value (a text where others have a list), are conflicts. Where none fits the
    ///   rule, there is no rule.
    /// - **Overlap.** An item that was found only in what its part was shown again, and is in an earlier part's answer, is that one, whatever the rule of the list.
    /// - **Union.** Items with the same key are one object, merged by the rules of the items. A key is a number, or a text without the blanks around it. Items
    ///   without a key, and of lists without `x-key`, are one where they are equal.
    /// - **Similarity.** Items without a key whose texts in `x-similar` are more alike than the threshold are one, merged like those of the same key; the text
    ///   of the first stands. Texts with different numbers or identifiers in them are never one.
    /// - **Numbers.** A sum of integers is exact up to 64 bits and the nearest float beyond. A mean is weighed by the sibling that `x-weight` names where any part
    ///   has it, a number without it is a conflict then.
    /// - **Votes.** What was outvoted is a conflict. What `first` and `last` pass over is discarded, unless it says the same.
    /// - **Strategies `first` and `last`** take a part's whole answer. Where a field has a rule, that field is merged by it all the same, and the others are taken
    ///   from that part.
    /// - **Order.** Fields stand in the order of the schema, those it does not name behind them as they were first said.
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

    /// The one answer, as a program makes it of all. What of it is in an answer word for word (an item of a list in any list, a scalar at the same place)
    /// says where it comes from; of the rest, nobody knows what became of it.
    ///
    /// # Errors
    /// What the program says.
    pub fn merge_with_program(self, program: &dyn CustomMerge) -> Result<MergedAnswer, String> {
        let answers: Vec<Value> = self.answers.values().map(|told| told.value.clone()).collect();
        let value = program.merge(&answers)?;
        let provenance = self.traced(&value);
        Ok(MergedAnswer { value, provenance, ..MergedAnswer::default() })
    }

    /// Where values come from that answers have as they are.
    fn traced(&self, value: &Value) -> Vec<Provenance> {
        let mut known = HashMap::<String, Vec<ValueOrigin>>::new();
        for told in self.answers.values() {
            told.seen.each("", &mut |path, origin| {
                if let Some(name) = name_of(&told.value, &path) {
                    known.entry(name).or_default().push(origin.clone());
                }
            });
        }
        let nowhere =
            ValueOrigin { part: 0, place: InputLocation::default(), located: false, in_overlap: false };
        let mut provenance = Vec::new();
        OriginTree::of(value, "", 0, &NullLocator(nowhere)).each("", &mut |path, _| {
            if let Some(origins) = name_of(value, &path).and_then(|name| known.get(&name)) {
                provenance.push(Provenance { path, origins: sorted(origins.clone()) });
            }
        });
        provenance
    }
}

/// What a value is found again by: an item of a list by itself, a scalar outside of lists by its place as well.
fn name_of(whole: &Value, path: &str) -> Option<String> {
    let value = fingerprint(whole.pointer(path)?);
    let parent = path.rsplit_once('/').map(|(parent, _)| parent);
    let is_item = parent.and_then(|parent| whole.pointer(parent)).is_some_and(Value::is_array);
    Some(if is_item { value } else { format!("{path} {value}") })
}

/// Finds nothing.
struct NullLocator(ValueOrigin);

impl ValueLocator for NullLocator {
    fn origin(&self, _: &Value) -> ValueOrigin {
        self.0.clone()
    }
}
