//! How much of a text fits into so many tokens.
//!
//! A text has to be counted as a whole, because tokens span joints. Sums over its stretches say where about its end will be, and are taken once; the whole is
//! counted where it is cut, and shortened while it is over. So each byte is counted some two times, whatever the text is.

use super::bounds::{CHARACTER, CutPreference, STRONG, WORD, best_end, first_of, floor, rank};
use war_rig_estimator::{TokenCount, TokenCounter};

/// The shortest and the longest stretch that is counted by itself, in bytes.
const STRETCH: (usize, usize) = (48, 16 * 1024);

/// Counts, and remembers how many bytes a token had.
#[derive(Debug)]
pub(super) struct TokenGauge {
    counter: TokenCounter,
    /// Bytes and tokens of what was counted last.
    seen: (u64, u64),
}

impl TokenGauge {
    pub fn new(counter: TokenCounter) -> Self {
        Self { counter, seen: (4, 1) }
    }

    pub fn count(&self, text: &str) -> u64 {
        self.counter.count(text).get()
    }

    /// Remembers how many bytes a token has in a text of the input.
    pub fn observe(&mut self, text: &str, tokens: u64) {
        self.seen = (text.len().max(1) as u64, tokens.max(1));
    }

    /// The bytes that so many tokens will have, by what was seen last.
    pub fn estimate_bytes(&self, tokens: u64) -> usize {
        let bytes = u128::from(tokens) * u128::from(self.seen.0) / u128::from(self.seen.1);
        usize::try_from(bytes).unwrap_or(usize::MAX).max(1)
    }

    /// How far so many tokens will reach into a text, by sums over its stretches: its length where all of it seems to fit.
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

    /// The same within a stretch that is too long, to a sixty-fourth of it.
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

    /// The best place to end a slice that begins with this text and has at most `limit` bytes and `room` tokens, and its tokens: in the last third of what it may
    /// have. None where not even one character has room.
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

    /// The end of a text that is shown again: at most so many tokens, whole lines where there are some, else sentences, words, characters.
    pub fn overlap_tail<'t>(&self, text: &'t str, most: u64) -> (&'t str, u64) {
        if most == 0 {
            return ("", 0);
        }
        let mut length = self.estimate_bytes(most).min(text.len());
        // What is shown again may have far more bytes to a token than the slice had.
        let mut grown = 0;
        loop {
            let from = text.len() - length;
            let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            let tokens = self.count(&text[from..]);
            if tokens > most {
                let share = u128::from(most) * length as u128 / u128::from(tokens);
                length = usize::try_from(share).unwrap_or(length).min(length - 1);
                // From now on it only becomes shorter.
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

    /// The same text from a better place on.
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
            // A tail that is shorter and has more tokens: there are such texts.
            _ => (&text[from..], tokens),
        }
    }
}

/// A number of tokens.
pub(super) fn tokens(count: u64) -> TokenCount {
    TokenCount::new(count)
}

/// Where a stretch ends that begins here: behind a line, else before a word, else behind a character.
fn stretch_end(text: &str, at: usize, length: usize) -> usize {
    if text.len() - at <= length {
        return text.len();
    }
    let end = floor(text, at + length);
    let end = if end > at {
        end
    } else {
        (at + 1..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len())
    };
    let look = &text.as_bytes()[at + (end - at) / 2..end];
    let from = end - look.len();
    let line = look.iter().rposition(|byte| *byte == b'\n').map(|found| from + found + 1);
    let blank = || look.iter().rposition(|byte| *byte == b' ').map(|found| from + found);
    line.or_else(blank).filter(|end| *end > at).unwrap_or(end)
}
