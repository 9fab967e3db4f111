//! Matches the items of two documents.

use super::items::ComparedItem;
use super::lists::ComparedList;
use crate::Citation;
use foldhash::HashSet;
use std::collections::BTreeMap;
use war_rig_text::LinesHash;

/// The maximum number of pairs that are compared at once. Beyond that, items are compared only with their neighbors.
const MOST: usize = 250_000;

/// The weight of a cited line with the same text in both items, of 1000.
const SAME_LINES: u32 = 400;

/// The matched items, by position.
#[derive(Debug, Default)]
pub struct ItemPairs {
    pub both: Vec<(usize, usize)>,
    pub gone: Vec<usize>,
    pub added: Vec<usize>,
}

/// Matches the items of two lists: first those with the same content, then by key, strongest first, and then by similarity.
///
/// The result does not depend on the order of either list, nor on which list is the old one.
pub fn pair_items<'a>(list: &ComparedList, old: &'a [ComparedItem], new: &'a [ComparedItem]) -> ItemPairs {
    let (old_places, new_places) = (in_order(old), in_order(new));
    let ranks = (ranks(&old_places), ranks(&new_places));
    let mut left = UnpairedItems { old: old_places, new: new_places, ranks, both: Vec::new() };
    if list.name.is_empty() && list.keys.is_empty() {
        // There is one on each side, or none.
        left.zip_all();
    }
    // A number is not a name: a rule with another number is the same rule.
    let name = |item: &'a ComparedItem| if list.is_numbered { "" } else { item.name.as_str() };
    left.by(old, new, |item| {
        let cited: Vec<LinesHash> = item.citations.iter().map(Citation::hash).collect();
        Some((item.program.as_str(), name(item), item.meaning.as_str(), cited))
    });
    left.by(old, new, |item| Some((item.program.as_str(), name(item), item.meaning.as_str())));
    for at in 0..list.keys.len() {
        left.by(old, new, |item| item.keys[at].as_ref().map(|key| (item.program.as_str(), key.as_str())));
    }
    if let Some(least) = list.alike {
        let groups = (std::mem::take(&mut left.old), std::mem::take(&mut left.new));
        left.alike(old, new, groups, Some((least, list.words)));
    }
    left.both.sort_by_key(|(old, new)| (*new, *old));
    ItemPairs { both: left.both, gone: left.old, added: left.new }
}

/// Returns the positions of items in an order that depends on the items and not on their list.
fn in_order(items: &[ComparedItem]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by(|a, b| {
        let key = |at: usize| (items[at].lines, &items[at].name, &items[at].meaning, &items[at].program);
        key(*a).cmp(&key(*b))
    });
    places
}

fn ranks(places: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0; places.len()];
    places.iter().enumerate().for_each(|(rank, at)| ranks[*at] = rank);
    ranks
}

/// Items without a counterpart so far.
struct UnpairedItems {
    old: Vec<usize>,
    new: Vec<usize>,
    /// The rank of each item of both sides in the order of the contents.
    ranks: (Vec<usize>, Vec<usize>),
    both: Vec<(usize, usize)>,
}

impl UnpairedItems {
    fn zip_all(&mut self) {
        let count = self.old.len().min(self.new.len());
        self.both.extend(self.old.drain(..count).zip(self.new.drain(..count)));
    }

    /// Matches items with the same key: as many as both sides have, the most similar ones if there are several.
    fn by<'a, K: Ord>(
        &mut self,
        old: &'a [ComparedItem],
        new: &'a [ComparedItem],
        key: impl Fn(&'a ComparedItem) -> Option<K>,
    ) {
        if self.old.is_empty() || self.new.is_empty() {
            return;
        }
        let mut groups: BTreeMap<K, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        let (mut rest_old, mut rest_new) = (Vec::new(), Vec::new());
        for at in self.old.drain(..) {
            match key(&old[at]) {
                Some(key) => groups.entry(key).or_default().0.push(at),
                None => rest_old.push(at),
            }
        }
        for at in self.new.drain(..) {
            match key(&new[at]) {
                Some(key) => groups.entry(key).or_default().1.push(at),
                None => rest_new.push(at),
            }
        }
        (self.old, self.new) = (rest_old, rest_new);
        for (_, group) in groups {
            match (group.0.as_slice(), group.1.as_slice()) {
                (before, []) => self.old.extend(before),
                ([], after) => self.new.extend(after),
                ([before], [after]) => self.both.push((*before, *after)),
                _ => self.alike(old, new, group, None),
            }
        }
        self.old.sort_unstable_by_key(|at| self.ranks.0[*at]);
        self.new.sort_unstable_by_key(|at| self.ranks.1[*at]);
    }

    /// Matches the most similar items, then the next. With a minimum similarity, pairs below it stay apart; without one, as many are matched
    /// as there are on both sides.
    fn alike(
        &mut self,
        old: &[ComparedItem],
        new: &[ComparedItem],
        (before, after): (Vec<usize>, Vec<usize>),
        least: Option<(u32, usize)>,
    ) {
        let left: Vec<ItemSignature<'_>> = before.iter().map(|at| ItemSignature::of(&old[*at])).collect();
        let right: Vec<ItemSignature<'_>> = after.iter().map(|at| ItemSignature::of(&new[*at])).collect();
        let larger = left.len().max(right.len());
        let reach = if left.len() * right.len() <= MOST { larger } else { (MOST / larger).max(1) };
        let mut weighed = Vec::new();
        for (i, left) in left.iter().enumerate() {
            for (j, right) in right.iter().enumerate().skip(i.saturating_sub(reach)).take(2 * reach + 1) {
                if left.program != right.program {
                    continue;
                }
                let likeness = left.likeness(right);
                let is_enough = least.is_none_or(|(least, words)| {
                    likeness >= least && left.words.len() >= words && right.words.len() >= words
                });
                if is_enough {
                    // Two pairs that share an item never have the same rank here, so that the sides can be exchanged.
                    weighed.push((u32::MAX - likeness, i.abs_diff(j), i + j, i, j));
                }
            }
        }
        weighed.sort_unstable();
        let (mut is_old_taken, mut is_new_taken) = (vec![false; left.len()], vec![false; right.len()]);
        for (_, _, _, i, j) in weighed {
            if !is_old_taken[i] && !is_new_taken[j] {
                (is_old_taken[i], is_new_taken[j]) = (true, true);
                self.both.push((before[i], after[j]));
            }
        }
        let rest = |places: Vec<usize>, taken: Vec<bool>| {
            places.into_iter().zip(taken).filter(|(_, taken)| !taken).map(|(at, _)| at)
        };
        self.old.extend(rest(before, is_old_taken));
        self.new.extend(rest(after, is_new_taken));
    }
}

/// The properties that a similarity depends on.
struct ItemSignature<'a> {
    program: &'a str,
    words: Vec<u64>,
    lines: HashSet<LinesHash>,
}

impl<'a> ItemSignature<'a> {
    fn of(item: &'a ComparedItem) -> Self {
        let lines = item.citations.iter().map(|citation| citation.hash()).collect();
        Self { program: &item.program, words: item.words(), lines }
    }

    /// Returns the similarity of two items, of 1000 plus the weight of the same lines: the share of common words.
    fn likeness(&self, other: &ItemSignature<'_>) -> u32 {
        let (mut i, mut j, mut common) = (0, 0, 0usize);
        while i < self.words.len() && j < other.words.len() {
            match self.words[i].cmp(&other.words[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
            }
        }
        let all = self.words.len() + other.words.len();
        let share = (2000 * common).checked_div(all).map_or(1000, |share| share as u32);
        share + if self.lines.is_disjoint(&other.lines) { 0 } else { SAME_LINES }
    }
}
