//! Similarity of texts.
//!
//! Similarity is one minus the restricted Damerau-Levenshtein distance (characters inserted, deleted, replaced, and two adjacent ones swapped)
//! divided by the length of the longer text, both in lower case with single blanks. It respects word order, unlike measures of shared letter pairs,
//! for which `A calls B` and `B calls A` are nearly the same. Because a different digit means a different thing, words with digits must be equal.
//!
//! Comparing each text with all others would take a day for a long list, so only the likeliest are examined: those that share the rarest words, or
//! begin or end alike. The constants below bound the time for a text.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// The maximum characters for fuzzy matching; a longer text matches only texts equal except for case and blanks.
const LONGEST: usize = 1_000;
/// The number of candidates examined: enough to find the one that shares most words.
const LOOKED_AT: usize = 64;
/// The number of candidates whose distance is computed.
const COMPARED: usize = 4;
/// The number of characters at either end by which texts without shared words are found.
const END: usize = 6;

/// An index of texts, each with the number of its group.
pub(super) struct SimilarityIndex {
    threshold: f64,
    entries: Vec<IndexedText>,
    exact: HashMap<String, usize>,
    /// The texts that contain a word, by its hash. Hash collisions produce candidates that are then rejected.
    words: HashMap<u64, Vec<usize>>,
}

struct IndexedText {
    group: usize,
    letters: Vec<char>,
    sorted: Vec<char>,
}

impl SimilarityIndex {
    /// Creates an empty index with this threshold.
    pub(super) fn above(threshold: f64) -> Self {
        Self { threshold, entries: Vec::new(), exact: HashMap::new(), words: HashMap::new() }
    }

    /// Adds a text. A blank text matches nothing.
    pub(super) fn add(&mut self, text: &str, group: usize) {
        let text = normal(text);
        if text.is_empty() || self.exact.contains_key(&text) {
            return;
        }
        let entry = IndexedText::of(&text, group);
        let index = self.entries.len();
        if entry.letters.len() <= LONGEST {
            for word in handles(&text) {
                self.words.entry(word).or_default().push(index);
            }
        }
        self.exact.insert(text, index);
        self.entries.push(entry);
    }

    /// Returns the most similar text, the first if several are equal, and its similarity.
    pub(super) fn find(&self, text: &str) -> Option<(usize, f64)> {
        let text = normal(text);
        if let Some(index) = self.exact.get(&text) {
            return Some((self.entries[*index].group, 1.0));
        }
        let entry = IndexedText::of(&text, 0);
        if entry.letters.len() > LONGEST {
            return None;
        }
        let mut best: Option<(usize, f64)> = None;
        let candidates = self.candidates(&text).into_iter().map(|index| (index, &self.entries[index]));
        let candidates = candidates.filter(|(_, other)| self.may_be_alike(&entry, other));
        for (index, other) in candidates.take(COMPARED) {
            let Some(likeness) = self.likeness(&entry, other) else { continue };
            let is_better = best.is_none_or(|(stands, most)| (likeness, stands) > (most, index));
            if likeness > self.threshold && is_better {
                best = Some((index, likeness));
            }
        }
        best.map(|(index, likeness)| (self.entries[index].group, likeness))
    }

    /// Returns the texts that share most with this one, the likeliest first.
    fn candidates(&self, text: &str) -> Vec<usize> {
        let mut lists: Vec<&Vec<usize>> = handles(text).iter().filter_map(|word| self.words.get(word)).collect();
        // Rare words are the most significant; words that nearly all texts contain are used only if there is room.
        lists.sort_by_key(|list| list.len());
        let mut shared = HashMap::<usize, usize>::new();
        for list in lists {
            for index in list.iter().take(LOOKED_AT) {
                if shared.len() < LOOKED_AT || shared.contains_key(index) {
                    *shared.entry(*index).or_default() += 1;
                }
            }
        }
        let mut candidates: Vec<(usize, usize)> = shared.into_iter().collect();
        candidates.sort_unstable_by(|(one, shares), (other, others)| others.cmp(shares).then(one.cmp(other)));
        candidates.into_iter().map(|(index, _)| index).collect()
    }

    /// Returns the maximum distance of texts of this length.
    fn most(&self, length: usize) -> usize {
        ((1.0 - self.threshold) * length as f64).ceil() as usize
    }

    /// Whether two texts share enough letters, in any order: the distance is at least the number of letters that one has and the other lacks.
    fn may_be_alike(&self, one: &IndexedText, other: &IndexedText) -> bool {
        let most = self.most(one.letters.len().max(other.letters.len()));
        if one.letters.len().abs_diff(other.letters.len()) > most {
            return false;
        }
        let (mut left, mut right, mut common) = (0, 0, 0);
        while let (Some(a), Some(b)) = (one.sorted.get(left), other.sorted.get(right)) {
            left += usize::from(a <= b);
            right += usize::from(b <= a);
            common += usize::from(a == b);
        }
        one.letters.len().max(other.letters.len()) - common <= most
    }

    /// Returns the similarity of two texts; none if it is clearly too low.
    fn likeness(&self, one: &IndexedText, other: &IndexedText) -> Option<f64> {
        let length = one.letters.len().max(other.letters.len());
        let distance = distance(&one.letters, &other.letters, self.most(length))?;
        Some(1.0 - distance as f64 / length as f64)
    }
}

impl IndexedText {
    fn of(text: &str, group: usize) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let mut sorted = letters.clone();
        sorted.sort_unstable();
        Self { group, letters, sorted }
    }
}

/// Returns a text in lower case, with single blanks and none around it.
fn normal(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the index entries of a text: its words and two ends, each with all words that have digits, so that only texts with the same digits match.
fn handles(text: &str) -> HashSet<u64> {
    let words = || text.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let numbers: Vec<&str> = words().filter(|word| word.contains(|c: char| c.is_numeric())).collect();
    let hash = |kind: u8, word: &str| {
        let mut hasher = DefaultHasher::new();
        (kind, word, &numbers).hash(&mut hasher);
        hasher.finish()
    };
    let begin: String = text.chars().take(END).collect();
    let end: String = text.chars().rev().take(END).collect();
    let ends = [hash(1, &begin), hash(2, &end)];
    words().filter(|word| !word.is_empty()).map(|word| hash(0, word)).chain(ends).collect()
}

/// Returns the distance of two texts; none above `most`. Computes only the cells near the diagonal, because the others exceed `most`.
fn distance(one: &[char], other: &[char], most: usize) -> Option<usize> {
    let far = most + 1;
    let width = other.len() + 1;
    let mut before = vec![far; width];
    let mut last: Vec<usize> = (0..width).map(|column| column.min(far)).collect();
    let mut row = vec![far; width];
    for (line, &a) in one.iter().enumerate() {
        let line = line + 1;
        let (begin, end) = (line.saturating_sub(most).max(1), (line + most).min(other.len()));
        row[begin - 1] = if begin == 1 { line.min(far) } else { far };
        let mut least = row[begin - 1];
        for column in begin..=end {
            let b = other[column - 1];
            let mut cost = (last[column - 1] + usize::from(a != b)).min(row[column - 1] + 1).min(last[column] + 1);
            if line > 1 && column > 1 && a == other[column - 2] && one[line - 2] == b {
                cost = cost.min(before[column - 2] + 1);
            }
            row[column] = cost.min(far);
            least = least.min(row[column]);
        }
        if end < other.len() {
            row[end + 1] = far;
        }
        if least >= far {
            return None;
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[other.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_distance_is_the_whole_table_s(one in "[ab ]{0,12}", other in "[ab ]{0,12}", most in 0..8_usize) {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = strsim::osa_distance(&one, &other);
            prop_assert_eq!(distance(&letters(&one), &letters(&other), most), (expected <= most).then_some(expected));
        }
    }
}
