//! Average linkage (UPGMA, Sokal and Michener 1958): the two groups whose members are most alike on average become one, until no two are
//! alike enough.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How alike two groups must be to become one, from 0 (nothing in common) to 1 (the same). Around this value the groups of three estates
/// agree best with those that engineers made of their sources (docs/estate.md).
const LEAST_SIMILARITY: f64 = 0.22;

/// The similarities of units: of each unit those to others, without zeros.
pub(super) type Similarities = Vec<BTreeMap<usize, f64>>;

/// A possible merge of two groups: the bits of their similarity, which are in order because it is positive, and the pair. The most alike comes
/// first; of equals, the one with the first units.
type Candidate = (u64, Reverse<(usize, usize)>);

/// The groups while they grow. A group has the number of its first unit.
struct Groups<'a> {
    members: Vec<Vec<usize>>,
    /// The sums of the similarities between members of two groups.
    sums: Similarities,
    pins: Vec<Option<usize>>,
    heap: BinaryHeap<Candidate>,
    given: &'a Similarities,
}

/// Groups units. Units with the same pin are one group from the beginning, and groups with different pins stay apart. Returns the units of each group,
/// in order.
pub(super) fn average_linkage(similarities: &Similarities, pins: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut groups = Groups {
        members: (0..similarities.len()).map(|unit| vec![unit]).collect(),
        sums: similarities.clone(),
        pins: pins.to_vec(),
        heap: BinaryHeap::new(),
        given: similarities,
    };
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (unit, pin) in pins.iter().enumerate() {
        let Some(pin) = pin else { continue };
        match first.get(pin) {
            Some(group) => groups.merge(*group, unit),
            None => drop(first.insert(*pin, unit)),
        }
    }
    groups.heap.clear();
    for group in 0..groups.given.len() {
        groups.propose(group, |other| other > group);
    }
    while let Some((similarity, Reverse((a, b)))) = groups.heap.pop() {
        // Groups have grown since the pair was proposed.
        if groups.average(a, b).is_some_and(|now| now.to_bits() == similarity) {
            groups.merge(a, b);
        }
    }
    let mut found: Vec<Vec<usize>> = groups.members.into_iter().filter(|members| !members.is_empty()).collect();
    found.iter_mut().for_each(|members| members.sort_unstable());
    found
}

impl Groups<'_> {
    /// Returns the average similarity of two groups that may become one.
    fn average(&self, a: usize, b: usize) -> Option<f64> {
        let sum = self.sums[a].get(&b)?;
        let may_meet = self.pins[a].is_none() || self.pins[b].is_none();
        let pairs = (self.members[a].len() * self.members[b].len()) as f64;
        (may_meet && pairs > 0.0).then_some(sum / pairs)
    }

    /// Proposes the merges of a group with those others.
    fn propose(&mut self, group: usize, with: impl Fn(usize) -> bool) {
        let others: Vec<usize> = self.sums[group].keys().copied().filter(|other| with(*other)).collect();
        for other in others {
            let pair = (group.min(other), group.max(other));
            if let Some(similarity) = self.average(pair.0, pair.1).filter(|average| *average >= LEAST_SIMILARITY) {
                self.heap.push((similarity.to_bits(), Reverse(pair)));
            }
        }
    }

    /// Adds the second group to the first.
    fn merge(&mut self, into: usize, from: usize) {
        let moved = std::mem::take(&mut self.members[from]);
        self.members[into].extend(moved);
        self.pins[into] = self.pins[into].or(self.pins[from]);
        self.sums[into].remove(&from);
        for (other, sum) in std::mem::take(&mut self.sums[from]) {
            self.sums[other].remove(&from);
            if other != into {
                *self.sums[into].entry(other).or_default() += sum;
                *self.sums[other].entry(into).or_default() += sum;
            }
        }
        self.propose(into, |_| true);
    }
}
