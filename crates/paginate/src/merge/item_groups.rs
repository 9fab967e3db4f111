//! Which items of lists are one.

use super::equality::fingerprint;
use super::rules::RuleNode;
use super::similarity::SimilarityIndex;
use super::value_merger::PartValue;
use super::{FieldMerge, JoinReason, ValueOrigin};
use serde_json::Value;
use std::collections::HashMap;

/// Items that are one.
pub(super) struct ItemGroup<'a> {
    /// What is merged, in order. Items that say the same are there once, so that what is added up counts once.
    pub(super) members: Vec<PartValue<'a>>,
    pub(super) origins: Vec<ValueOrigin>,
    /// All items but the first, and why they are here.
    pub(super) joined: Vec<DuplicateItem<'a>>,
}

/// An item that was taken for an earlier one.
pub(super) struct DuplicateItem<'a> {
    pub(super) by: JoinReason,
    pub(super) similarity: Option<f64>,
    pub(super) value: &'a Value,
    pub(super) part: u64,
}

/// The items of all lists, in order, those that are one together.
pub(super) fn grouped<'a>(lists: &[PartValue<'a>], node: &'a RuleNode) -> Vec<ItemGroup<'a>> {
    let mut grouping = ItemGrouper::by(node, lists);
    for list in lists {
        let origins = list.seen.map_or(&[][..], |seen| seen.items());
        for (index, value) in list.value.as_array().into_iter().flatten().enumerate() {
            let said = PartValue { part: list.part, weight: list.weight, value, seen: None, without: None };
            grouping.take(said, origins.get(index));
        }
    }
    grouping.groups
}

/// Items taken so far, and how the next ones find those they are one with.
struct ItemGrouper<'a> {
    groups: Vec<ItemGroup<'a>>,
    node: &'a RuleNode,
    is_union: bool,
    /// Whether an item may be one that the part before has too.
    has_overlap: bool,
    keys: HashMap<String, usize>,
    equal: HashMap<String, usize>,
    /// Every item with the first part that says it.
    said: HashMap<String, (usize, u64)>,
    texts: Option<SimilarityIndex>,
}

impl<'a> ItemGrouper<'a> {
    fn by(node: &'a RuleNode, lists: &[PartValue<'_>]) -> Self {
        let mut origins = lists.iter().filter_map(|list| list.seen).flat_map(|seen| seen.items());
        Self {
            groups: Vec::new(),
            node,
            is_union: node.merge == Some(FieldMerge::Union),
            has_overlap: origins.any(is_in_overlap),
            keys: HashMap::new(),
            equal: HashMap::new(),
            said: HashMap::new(),
            texts: node.similar.as_ref().map(|similar| SimilarityIndex::above(similar.threshold)),
        }
    }

    fn take(&mut self, said: PartValue<'a>, origin: Option<&ValueOrigin>) {
        let key = if self.is_union { self.key(said.value) } else { None };
        let has_key = key.is_some();
        let print = (self.has_overlap || (self.is_union && !has_key)).then(|| fingerprint(said.value));
        let text = if has_key { None } else { self.text(said.value) };
        let found = self.find(&said, origin, key.as_ref(), print.as_ref(), text);
        let group = match found {
            Some((group, by, similarity)) => {
                // By what two items were found to be one, they cannot contradict each other.
                let (is_merged, without) = match by {
                    JoinReason::Key => (true, self.node.key.as_deref()),
                    JoinReason::Similarity => {
                        (true, self.node.similar.as_ref().map(|similar| similar.field.as_str()))
                    }
                    JoinReason::Equal | JoinReason::Overlap => (false, None),
                };
                let into = &mut self.groups[group];
                into.joined.push(DuplicateItem { by, similarity, value: said.value, part: said.part });
                if is_merged {
                    into.members.push(PartValue { without, ..said });
                }
                group
            }
            None => {
                self.groups.push(ItemGroup { members: vec![said], origins: Vec::new(), joined: Vec::new() });
                let group = self.groups.len() - 1;
                // Others are held against the first of a group alone, so that no row of small differences makes one of what is far apart.
                if let (Some(texts), Some(text)) = (&mut self.texts, text) {
                    texts.add(text, group);
                }
                group
            }
        };
        self.groups[group].origins.extend(origin.cloned());
        if let Some(key) = key {
            self.keys.entry(key).or_insert(group);
        } else if let (true, Some(print)) = (self.is_union, &print) {
            self.equal.entry(print.clone()).or_insert(group);
        }
        if let (true, Some(print)) = (self.has_overlap, print) {
            self.said.entry(print).or_insert((group, said.part));
        }
    }

    /// The group that an item belongs to, and why.
    fn find(
        &self,
        said: &PartValue<'_>,
        origin: Option<&ValueOrigin>,
        key: Option<&String>,
        print: Option<&String>,
        text: Option<&str>,
    ) -> Option<(usize, JoinReason, Option<f64>)> {
        if let (Some(print), true) = (print, origin.is_some_and(is_in_overlap)) {
            let earlier = self.said.get(print).filter(|(_, part)| *part < said.part);
            if let Some((group, _)) = earlier {
                return Some((*group, JoinReason::Overlap, None));
            }
        }
        if let Some(key) = key {
            return self.keys.get(key).map(|group| (*group, JoinReason::Key, None));
        }
        if let Some(group) = print.and_then(|print| self.equal.get(print)) {
            return Some((*group, JoinReason::Equal, None));
        }
        let (group, similarity) = self.texts.as_ref()?.find(text?)?;
        Some((group, JoinReason::Similarity, Some(similarity)))
    }

    /// What an item is known by; none where it has no key, or a blank one.
    fn key(&self, value: &Value) -> Option<String> {
        match value.get(self.node.key.as_deref()?)? {
            Value::String(text) => {
                let text = text.trim();
                (!text.is_empty()).then(|| format!("\"{text}"))
            }
            number @ Value::Number(_) => Some(fingerprint(number)),
            _ => None,
        }
    }

    /// What an item is compared by.
    fn text<'v>(&self, value: &'v Value) -> Option<&'v str> {
        value.get(&self.node.similar.as_ref()?.field)?.as_str()
    }
}

/// Whether an item is known to stand in what its part was shown again.
fn is_in_overlap(origin: &ValueOrigin) -> bool {
    origin.located && origin.in_overlap
}
