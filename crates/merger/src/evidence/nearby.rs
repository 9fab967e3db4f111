//! Whether an item's words fit lines near the cited ones better than these.
//!
//! Names and words that stand on many lines say little about a place. A citation that is a few rows off still has them, but lacks what
//! only the right lines have.

use super::EvidenceIndex;
use super::wording::ClaimWords;
use foldhash::{HashMap, HashMapExt};
use war_rig_text::{LineNumber, LineRange};

/// How many lines up and down are looked at.
const REACH: i64 = 30;

/// By how many lines the better place is off at least: the lines beside a statement often share its words.
const APART: i64 = 5;

/// How often the weight of a name or a literal exceeds that of another word.
const WEIGHT_OF_ANCHOR: f64 = 3.0;

/// How much more weight the words must have at the other place.
const MARGIN: f64 = 1.75;

/// The most lines of a citation that is looked at: a longer one contains what its words name.
const LONGEST: u32 = 120;

impl EvidenceIndex<'_> {
    /// Whether all citations, moved by one distance, have clearly more of the words than where they are.
    pub(super) fn fits_better_nearby(&self, cited: &[LineRange], words: &ClaimWords) -> bool {
        if cited.iter().any(|range| range.count() > LONGEST) {
            return false;
        }
        let found = self.words_on_lines(cited, words);
        let mut lines_with: HashMap<&str, usize> = HashMap::new();
        found.values().flatten().for_each(|word| *lines_with.entry(word).or_default() += 1);
        let weight = |word: &str| {
            let own = if words.is_anchor(word) { WEIGHT_OF_ANCHOR } else { 1.0 };
            own / (lines_with[word] as f64).sqrt()
        };
        let score = |distance: i64| -> f64 {
            let lines = cited.iter().flat_map(|range| numbers(*range, 0)).map(|line| line + distance);
            let mut there: Vec<&str> = lines.filter_map(|line| found.get(&line)).flatten().copied().collect();
            there.sort_unstable();
            there.dedup();
            there.into_iter().map(weight).sum()
        };
        let own = score(0);
        let apart = (-REACH..=REACH).filter(|distance| distance.abs() >= APART);
        own > 0.0 && apart.map(score).any(|other| other > own * MARGIN)
    }

    /// Returns the words on each of the cited lines and those near them.
    fn words_on_lines<'w>(&self, cited: &[LineRange], words: &'w ClaimWords) -> HashMap<i64, Vec<&'w str>> {
        let mut found = HashMap::new();
        for line in cited.iter().flat_map(|range| numbers(*range, REACH)) {
            let number = u32::try_from(line).ok().and_then(LineNumber::new);
            let Some(number) = number.filter(|number| number.index() < self.source.line_count()) else { continue };
            found
                .entry(line)
                .or_insert_with(|| self.told(&[LineRange::single(number)], words).into_iter().collect::<Vec<_>>());
        }
        found
    }
}

/// Returns the numbers of lines, and of others around them.
fn numbers(range: LineRange, around: i64) -> impl Iterator<Item = i64> {
    i64::from(range.start().get()) - around..=i64::from(range.end().get()) + around
}
