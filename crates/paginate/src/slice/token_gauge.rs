//! Measuring how much of a text fits into a token limit.
//!
//! A text has to be counted as a whole, because tokens span joints. Sums over its stretches, each counted once, estimate its end; the whole is
//! counted at the cut, and shortened while it is over the limit. So each byte is counted about twice, whatever the text is.

use super::bounds::{CHARACTER, CutPreference, STRONG, WORD, best_end, ceiling, first_of, floor, rank};
use war_rig_estimator::{TokenCount, TokenCounter};

/// The shortest and the longest stretch that is counted separately, in bytes.
const STRETCH: (usize, usize) = (48, 16 * 1024);

/// Counts tokens, and remembers the bytes per token.
#[derive(Debug)]
pub(super) struct TokenGauge {
    counter: TokenCounter,
    /// The bytes and tokens of the last count.
    seen: (u64, u64),
}

impl TokenGauge {
    pub fn new(counter: TokenCounter) -> Self {
        Self { counter, seen: (4, 1) }
    }

    pub fn count(&self, text: &str) -> u64 {
        self.counter.count(text).get()
    }

    /// Records the bytes per token of a text of the input.
    pub fn observe(&mut self, text: &str, tokens: u64) {
        self.seen = (text.len().max(1) as u64, tokens.max(1));
    }

    /// Estimates the bytes of that many tokens from the last count.
    pub fn estimate_bytes(&self, tokens: u64) -> usize {
        let bytes = u128::from(tokens) * u128::from(self.seen.0) / u128::from(self.seen.1);
        usize::try_from(bytes).unwrap_or(usize::MAX).max(1)
    }

    /// Estimates how far that many tokens reach into a text, by sums over its stretches: its length if all of it seems to fit.
    pub fn estimate_fit(&self, text: &str, room: u64) -> usize {
        let stretch = (self.estimate_bytes(room) / 32).clamp(STRETCH.0, STRETCH.1);
        let mut sum = 0;
        let mut at = 0;
        while at < text.len() {
            let end = stretch_end(text, at, stretch);
            let tokens = self.count(&text[at..end]);
            if sum + tokens > room {
                return self.reach_within(&text[at..end], room - sum) + at;
            }
            sum += tokens;
            at = end;
        }
        text.len()
    }

    /// Does the same within a stretch that is too long, to a sixty-fourth of it.
    fn reach_within(&self, stretch: &str, room: u64) -> usize {
        let (mut fits, mut over) = (0, stretch.len());
        for _ in 0..6 {
            let middle = floor(stretch, fits + (over - fits) / 2);
            if middle <= fits {
                break;
            }
            match self.count(&stretch[..middle]) <= room {
                true => fits = middle,
                false => over = middle,
            }
        }
        fits
    }

    /// Returns the best end for a slice that begins with this text, within `limit` bytes and `room` tokens, and its tokens; the end is in the last
    /// third of that. Returns none if not even one character fits.
    pub fn fit_end(&self, text: &str, limit: usize, room: u64, taste: CutPreference) -> Option<(usize, u64)> {
        let first = (1..=text.len()).find(|at| rank(text, *at, taste).is_some())?;
        let mut limit = limit.clamp(first, text.len());
        loop {
            let end = best_end(text, limit - limit.div_ceil(3), limit, taste)
                .or_else(|| best_end(text, 0, limit, taste))
                .unwrap_or(first);
            let tokens = self.count(&text[..end]);
            if tokens <= room {
                return Some((end, tokens));
            }
            if end <= first {
                return None;
            }
            let share = u128::from(room) * end as u128 / u128::from(tokens);
            limit = usize::try_from(share).unwrap_or(end).min(end - 1).max(first);
        }
    }

    /// Returns the end of a text for the overlap: at most that many tokens, in whole lines if possible, else sentences, words, characters.
    pub fn overlap_tail<'t>(&self, text: &'t str, most: u64) -> (&'t str, u64) {
        if most == 0 {
            return ("", 0);
        }
        let mut length = self.estimate_bytes(most).min(text.len());
        // The overlap may have far more bytes per token than the slice.
        let mut grown = 0;
        loop {
            let from = ceiling(text, text.len() - length);
            let tokens = self.count(&text[from..]);
            if tokens > most {
                let share = u128::from(most) * length as u128 / u128::from(tokens);
                length = usize::try_from(share).unwrap_or(length).min(length - 1);
                // From now on it only shrinks.
                grown = usize::MAX;
            } else if grown < 4 && tokens * 4 < most * 3 && from > 0 {
                length = (length * 2).min(text.len());
                grown += 1;
            } else {
                return self.begin_well(text, from, tokens, most);
            }
            if length == 0 {
                return ("", 0);
            }
        }
    }

    /// Returns the same text from a better start.
    fn begin_well<'t>(&self, text: &'t str, from: usize, tokens: u64, most: u64) -> (&'t str, u64) {
        let until = from + (text.len() - from) * 2 / 3;
        let start = [STRONG, STRONG - 1, WORD, CHARACTER]
            .into_iter()
            .filter(|_| from > 0)
            .find_map(|least| first_of(text, from, until.max(from + 1), least, CutPreference::Lines));
        let tail = start.map_or("", |start| &text[start..]);
        let counted = self.count(tail);
        match start {
            None if from > 0 => ("", 0),
            Some(_) if counted <= most => (tail, counted),
            // Some texts have a shorter tail with more tokens.
            _ => (&text[from..], tokens),
        }
    }
}

/// Converts to a token count.
pub(super) fn tokens(count: u64) -> TokenCount {
    TokenCount::new(count)
}

/// Returns the end of a stretch that begins here: after a line, else before a word, else after a character.
fn stretch_end(text: &str, at: usize, length: usize) -> usize {
    if text.len() - at <= length {
        return text.len();
    }
    let end = floor(text, at + length);
    let end = if end > at { end } else { ceiling(text, at + 1) };
    let look = &text.as_bytes()[at + (end - at) / 2..end];
    let from = end - look.len();
    let line = look.iter().rposition(|byte| *byte == b'\n').map(|found| from + found + 1);
    let blank = || look.iter().rposition(|byte| *byte == b' ').map(|found| from + found);
    line.or_else(blank).filter(|end| *end > at).unwrap_or(end)
}
