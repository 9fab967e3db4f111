//! Grouping list items that are the same.

use super::equality::fingerprint;
use super::merged_answer::{FieldMerge, JoinReason, ValueOrigin};
use super::rules::RuleNode;
use super::similarity::SimilarityIndex;
use super::value_merger::PartValue;
use serde_json::Value;
use std::collections::HashMap;

/// Items that are the same.
pub(super) struct ItemGroup<'a> {
    /// The values to merge, in order. Equal items occur once, so that sums count them once.
    pub(super) members: Vec<PartValue<'a>>,
    pub(super) origins: Vec<ValueOrigin>,
    /// All items but the first, and why they were joined.
    pub(super) joined: Vec<DuplicateItem<'a>>,
}

/// An item that was joined with an earlier one.
pub(super) struct DuplicateItem<'a> {
    pub(super) by: JoinReason,
    pub(super) similarity: Option<f64>,
    pub(super) value: &'a Value,
    pub(super) part: u64,
}

/// Groups the items of all lists, in order.
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

/// The groups so far, and indexes to find the group of the next item.
struct ItemGrouper<'a> {
    groups: Vec<ItemGroup<'a>>,
    node: &'a RuleNode,
    is_union: bool,
    /// Whether an item may be a duplicate from the overlap.
    has_overlap: bool,
    keys: HashMap<String, usize>,
    equal: HashMap<String, usize>,
    /// Every item with the first part that contains it.
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
                // Items do not conflict in the field by which they were joined.
                let (is_merged, without) = match by {
                    JoinReason::Key => (true, self.node.key.as_deref()),
                    JoinReason::Similarity => (true, self.node.similar.as_ref().map(|similar| similar.field.as_str())),
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
                // Other texts are compared only with the first of a group, so that a chain of small differences does not join distant texts.
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

    /// Returns the group that an item belongs to, and the reason.
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

    /// Returns the key of an item; none if it has no key, or a blank one.
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

    /// Returns the text by which an item is compared.
    fn text<'v>(&self, value: &'v Value) -> Option<&'v str> {
        value.get(&self.node.similar.as_ref()?.field)?.as_str()
    }
}

/// Whether an item is known to be in its part's overlap.
fn is_in_overlap(origin: &ValueOrigin) -> bool {
    origin.located && origin.in_overlap
}
