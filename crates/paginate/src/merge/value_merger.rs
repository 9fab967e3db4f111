//! Merging the values of one field.

use super::equality::{fingerprint, is_same};
use super::gathered_answers::OriginTree;
use super::item_groups::{ItemGroup, grouped};
use super::merged_answer::{
    DiscardedAnswer, FieldMerge, JoinedItem, MergeConflict, MergeStrategy, MergedAnswer, Provenance, SummaryTexts,
    ValueOrigin,
};
use super::numbers::{mean, order, sum};
use super::rules::{MergeRules, RuleNode, RuleNodeId};
use crate::json_pointer::{at, below};
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// One part's value for a field.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartValue<'a> {
    pub(super) part: u64,
    /// The weight in a mean; none if it is not known.
    pub(super) weight: Option<f64>,
    pub(super) value: &'a Value,
    /// Its origins; none inside a list item.
    pub(super) seen: Option<&'a OriginTree>,
    /// A field to skip, because it is listed elsewhere.
    pub(super) without: Option<&'a str>,
}

/// The kind of a field's values, for the merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueShape {
    Scalar,
    List,
    Object,
}

/// A merge in progress, with its report so far.
pub(super) struct ValueMerger<'r> {
    rules: &'r MergeRules,
    told: MergedAnswer,
}

impl<'r> ValueMerger<'r> {
    pub(super) fn by(rules: &'r MergeRules) -> Self {
        Self { rules, told: MergedAnswer::default() }
    }

    /// Returns the report without the value.
    pub(super) fn into_merged(self) -> MergedAnswer {
        self.told
    }

    /// Merges all values, in the order of `said`: by part, then by position in its answer. Returns none if there are no values, and null if all are
    /// null. `chosen` is the part that the strategies `first` and `last` use.
    pub(super) fn merge(&mut self, id: RuleNodeId, path: &str, said: &[PartValue<'_>], chosen: u64) -> Option<Value> {
        if said.is_empty() {
            return None;
        }
        let told: Vec<PartValue<'_>> = said.iter().filter(|said| !said.value.is_null()).copied().collect();
        if told.is_empty() {
            return Some(Value::Null);
        }
        let rules = self.rules;
        let node = rules.node(id);
        if let Some(rule) = node.merge {
            return Some(self.by_rule(rule, node, path, &told, chosen));
        }
        let is_divided = node.has_rules && told.iter().all(|said| said.value.is_object());
        if rules.strategy != MergeStrategy::Merge && !is_divided {
            return self.chosen(path, &told, chosen);
        }
        Some(self.by_kind(node, path, &told, chosen))
    }

    /// Extends lists, recurses into objects, and keeps the first scalar.
    fn by_kind(&mut self, node: &RuleNode, path: &str, told: &[PartValue<'_>], chosen: u64) -> Value {
        let first = kind(told[0].value);
        let (fit, others) = parted(told, |value| kind(value) == first);
        let value = match first {
            ValueShape::Object => self.object(node, path, &fit, chosen),
            ValueShape::List => self.list(node, path, &fit),
            ValueShape::Scalar => self.keep_one(path, fit[0], &fit),
        };
        others.iter().for_each(|said| self.conflict(path, &fit[0], said));
        value
    }

    fn by_rule(&mut self, rule: FieldMerge, node: &RuleNode, path: &str, told: &[PartValue<'_>], chosen: u64) -> Value {
        let mut values = told.iter().map(|said| said.value);
        let (mut fit, mut others) = match rule {
            FieldMerge::Concat if values.any(Value::is_array) => parted(told, Value::is_array),
            FieldMerge::Concat | FieldMerge::Summary => parted(told, Value::is_string),
            FieldMerge::Union => parted(told, Value::is_array),
            FieldMerge::Sum | FieldMerge::Mean => parted(told, Value::is_number),
            FieldMerge::Min | FieldMerge::Max => match values.find(|value| value.is_number() || value.is_string()) {
                Some(Value::Number(_)) => parted(told, Value::is_number),
                _ => parted(told, Value::is_string),
            },
            FieldMerge::Vote => parted(told, |value| kind(value) == ValueShape::Scalar),
            FieldMerge::First | FieldMerge::Last => (told.to_vec(), Vec::new()),
        };
        if rule == FieldMerge::Mean && fit.iter().any(|said| said.weight.is_some()) {
            let (weighed, unweighed): (Vec<_>, Vec<_>) = fit.iter().partition(|said| said.weight.is_some());
            fit = weighed;
            others.extend(unweighed);
            others.sort_by_key(|said: &PartValue<'_>| said.part);
        }
        if fit.is_empty() {
            return self.by_kind(node, path, told, chosen);
        }
        let value = match rule {
            FieldMerge::Concat | FieldMerge::Union if fit[0].value.is_array() => self.list(node, path, &fit),
            FieldMerge::Concat | FieldMerge::Summary | FieldMerge::Union => self.texts(rule, path, &fit),
            FieldMerge::Sum | FieldMerge::Mean => {
                let number = if rule == FieldMerge::Sum {
                    sum(fit.iter().map(|said| said.value))
                } else {
                    let weight = |said: &PartValue<'_>| said.weight.unwrap_or_default();
                    mean(&fit.iter().map(|said| (said.value, weight(said))).collect::<Vec<_>>())
                };
                let Some(number) = number else { return self.by_kind(node, path, told, chosen) };
                self.come_from(path, fit.iter());
                number
            }
            FieldMerge::Min | FieldMerge::Max => {
                let stands = fit.iter().copied().reduce(|stands, said| {
                    let order = order(said.value, stands.value);
                    let is_better = if rule == FieldMerge::Min { order.is_lt() } else { order.is_gt() };
                    if is_better { said } else { stands }
                });
                let stands = stands.unwrap_or(fit[0]);
                self.stands(path, stands, &fit);
                stands.value.clone()
            }
            FieldMerge::Vote => self.vote(path, &fit),
            FieldMerge::First | FieldMerge::Last => {
                let index = if rule == FieldMerge::First { 0 } else { fit.len() - 1 };
                let stands = fit[index];
                self.stands(path, stands, &fit);
                for said in fit.iter().filter(|said| !is_same(said.value, stands.value)) {
                    self.discard(path, said);
                }
                stands.value.clone()
            }
        };
        others.iter().for_each(|said| self.conflict(path, &fit[0], said));
        value
    }

    /// Returns the answer of the part that the strategy chose; the others are discarded.
    fn chosen(&mut self, path: &str, told: &[PartValue<'_>], chosen: u64) -> Option<Value> {
        let is_it = |said: &PartValue<'_>| said.part == chosen;
        let index = match self.rules.strategy {
            MergeStrategy::Last => told.iter().rposition(is_it),
            MergeStrategy::First | MergeStrategy::Merge => told.iter().position(is_it),
        };
        for (place, said) in told.iter().enumerate() {
            if Some(place) != index {
                self.discard(path, said);
            }
        }
        let stands = told[index?];
        self.stands(path, stands, &[stands]);
        Some(stands.value.clone())
    }

    fn object(&mut self, node: &RuleNode, path: &str, said: &[PartValue<'_>], chosen: u64) -> Value {
        let objects: Vec<(&PartValue<'_>, &Map<String, Value>)> =
            said.iter().filter_map(|said| Some((said, said.value.as_object()?))).collect();
        let named = node.properties.iter().map(|(name, _)| name.as_str());
        let others = objects.iter().flat_map(|(_, fields)| fields.keys().map(String::as_str));
        let mut met = HashSet::new();
        let mut merged = Map::new();
        for name in named.chain(others).filter(|name| met.insert(*name)) {
            let id = node.field(name);
            let weight = self.rules.node(id).weight.as_deref();
            let weights = weight.map(|weight| {
                let weights = objects.iter().map(|(_, fields)| fields.get(weight).and_then(as_weight));
                weights.collect::<Vec<_>>()
            });
            // If no part has a weight field, the parts' own weights count.
            let weights = weights.filter(|weights| weights.iter().any(Option::is_some));
            let fields = objects.iter().enumerate().filter(|(_, (said, _))| said.without != Some(name));
            let fields: Vec<PartValue<'_>> = fields
                .filter_map(|(index, (said, fields))| {
                    Some(PartValue {
                        part: said.part,
                        weight: weights.as_ref().map_or(said.weight, |weights| weights[index]),
                        value: fields.get(name)?,
                        seen: said.seen.and_then(|seen| seen.field(name)),
                        without: None,
                    })
                })
                .collect();
            if let Some(value) = self.merge(id, &below(path, name), &fields, chosen) {
                merged.insert(name.to_owned(), value);
            }
        }
        Value::Object(merged)
    }

    fn list(&mut self, node: &RuleNode, path: &str, lists: &[PartValue<'_>]) -> Value {
        let mut merged = Vec::new();
        for (index, group) in grouped(lists, node).into_iter().enumerate() {
            let path = at(path, index);
            let ItemGroup { members, origins, joined } = group;
            let kept_part = members[0].part;
            let chosen = match self.rules.strategy {
                MergeStrategy::Last => members[members.len() - 1].part,
                MergeStrategy::First | MergeStrategy::Merge => kept_part,
            };
            if !origins.is_empty() {
                self.told.provenance.push(Provenance { path: path.clone(), origins: sorted(origins) });
            }
            self.told.joined.extend(joined.into_iter().map(|joined| JoinedItem {
                path: path.clone(),
                by: joined.by,
                similarity: joined.similarity,
                kept_part,
                dropped: joined.value.clone(),
                dropped_part: joined.part,
            }));
            merged.push(self.merge(node.items(), &path, &members, chosen).unwrap_or_default());
        }
        Value::Array(merged)
    }

    /// Concatenates texts. Blank ones are skipped, unless all are blank.
    fn texts(&mut self, rule: FieldMerge, path: &str, fit: &[PartValue<'_>]) -> Value {
        let texts = fit.iter().filter_map(|said| said.value.as_str().filter(|text| !text.trim().is_empty()));
        let texts: Vec<&str> = texts.collect();
        self.come_from(path, fit.iter());
        if texts.is_empty() {
            return fit[0].value.clone();
        }
        if rule == FieldMerge::Summary && texts.len() > 1 {
            let texts = texts.iter().map(|text| (*text).to_owned()).collect();
            self.told.summaries.push(SummaryTexts { path: path.to_owned(), texts });
        }
        Value::String(texts.join("\n\n"))
    }

    fn vote(&mut self, path: &str, fit: &[PartValue<'_>]) -> Value {
        let mut votes = HashMap::<String, (usize, usize)>::new();
        for (index, said) in fit.iter().enumerate() {
            votes.entry(fingerprint(said.value)).or_insert((0, index)).0 += 1;
        }
        let most = votes.into_values().max_by_key(|(count, index)| (*count, Reverse(*index)));
        self.keep_one(path, fit[most.map_or(0, |(_, index)| index)], fit)
    }

    /// Keeps one of several values; those that differ from it are conflicts.
    fn keep_one(&mut self, path: &str, stands: PartValue<'_>, fit: &[PartValue<'_>]) -> Value {
        self.stands(path, stands, fit);
        for said in fit.iter().filter(|said| !is_same(said.value, stands.value)) {
            self.conflict(path, &stands, said);
        }
        stands.value.clone()
    }

    fn conflict(&mut self, path: &str, kept: &PartValue<'_>, dropped: &PartValue<'_>) {
        self.told.conflicts.push(MergeConflict {
            path: path.to_owned(),
            kept: kept.value.clone(),
            kept_part: kept.part,
            dropped: dropped.value.clone(),
            dropped_part: dropped.part,
        });
    }

    fn discard(&mut self, path: &str, said: &PartValue<'_>) {
        let value = said.value.clone();
        self.told.discarded.push(DiscardedAnswer { part: said.part, path: path.to_owned(), value });
    }

    /// Keeps a value unchanged: its origins are those of all equal values.
    fn stands(&mut self, path: &str, stands: PartValue<'_>, said: &[PartValue<'_>]) {
        match stands.seen {
            // Equal values may differ in the order of their fields, so the origins follow the one that is kept.
            Some(seen @ (OriginTree::Items(_) | OriginTree::Fields(_))) => seen.each(path, &mut |path, origin| {
                self.told.provenance.push(Provenance { path, origins: vec![origin.clone()] });
            }),
            _ => self.come_from(path, said.iter().filter(|said| is_same(said.value, stands.value))),
        }
    }

    /// Records the origins of a scalar.
    fn come_from<'s, 'a: 's>(&mut self, path: &str, said: impl Iterator<Item = &'s PartValue<'a>>) {
        let origins = said.filter_map(|said| match said.seen {
            Some(OriginTree::Scalar(origin)) => Some(origin.clone()),
            _ => None,
        });
        let origins: Vec<ValueOrigin> = origins.collect();
        if !origins.is_empty() {
            self.told.provenance.push(Provenance { path: path.to_owned(), origins: sorted(origins) });
        }
    }
}

/// Sorts origins and removes duplicates.
pub(super) fn sorted(mut origins: Vec<ValueOrigin>) -> Vec<ValueOrigin> {
    origins.sort_unstable();
    origins.dedup();
    origins
}

fn kind(value: &Value) -> ValueShape {
    match value {
        Value::Array(_) => ValueShape::List,
        Value::Object(_) => ValueShape::Object,
        _ => ValueShape::Scalar,
    }
}

fn parted<'a>(said: &[PartValue<'a>], fits: impl Fn(&Value) -> bool) -> (Vec<PartValue<'a>>, Vec<PartValue<'a>>) {
    said.iter().copied().partition(|said| fits(said.value))
}

/// Returns the weight; none for a value that is not a number, or is negative.
fn as_weight(value: &Value) -> Option<f64> {
    value.as_f64().filter(|weight| *weight >= 0.0)
}
