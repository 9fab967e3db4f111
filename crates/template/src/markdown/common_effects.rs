//! What many rows of a table end with, told once above it.

use foldhash::{HashMap, HashMapExt};

/// The minimum number of rows that share an end.
const ROWS: usize = 4;

/// The minimum length of an end that is worth a mark, in bytes.
const LONG: usize = 16;

/// The start of a rule whose condition and its opposite are provided for.
pub(super) const PROVIDED: &str = "Provided that ";

/// The mark that stands for the end.
const MARK: &str = "†";

/// The effects at the end of many sentences of the parser: `performs SEND-SCREEN; ends the run`.
pub(super) struct CommonEffects<'a> {
    end: &'a str,
}

impl<'a> CommonEffects<'a> {
    /// Finds the end that saves most of the sentences; none if fewer than four share one.
    pub(super) fn of(sentences: impl Iterator<Item = &'a str>) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for sentence in sentences {
            // What leaves the paragraph is as short.
            for end in ends(sentence).into_iter().filter(|end| end.len() >= LONG && !end.starts_with("leaves the ")) {
                *counts.entry(end).or_default() += 1;
            }
        }
        let often = counts.into_iter().filter(|(_, count)| *count >= ROWS);
        // Of ends that save as much, the order of the letters decides, so that a page is the same each time.
        let best = often.max_by_key(|(end, count)| (end.len() * count, *end));
        Self { end: best.map(|(end, _)| end).unwrap_or_default() }
    }

    /// Returns the sentence above the table; empty if the rows share nothing.
    pub(super) fn lead(&self) -> String {
        match self.end.is_empty() {
            true => String::new(),
            false => format!("{MARK} stands for: {}.", super::prose(self.end)),
        }
    }

    /// Returns a sentence with the mark in place of the end; as it is, if it ends otherwise.
    pub(super) fn shorten(&self, sentence: &str) -> String {
        match ends(sentence).into_iter().find(|end| !self.end.is_empty() && *end == self.end) {
            Some(end) => {
                let start = sentence.len() - end.len() - usize::from(sentence.ends_with('.'));
                format!("{}{MARK}.", &sentence[..start])
            }
            None => sentence.to_owned(),
        }
    }
}

/// Returns the ends of a sentence that begin with one of its effects, without the period: behind the condition, and behind each semicolon. A
/// sentence that also tells what happens otherwise has none.
fn ends(sentence: &str) -> Vec<&str> {
    let text = sentence.strip_suffix('.').unwrap_or(sentence);
    let found: Vec<&str> = breaks(text, &[':', ';']).map(|at| &text[at + 2..]).collect();
    match found.iter().any(|end| end.starts_with("otherwise:")) {
        true => Vec::new(),
        false => found,
    }
}

/// Returns the positions of signs that end a part of a sentence: outside literals and parentheses, and with a blank behind them.
fn breaks<'a>(text: &'a str, signs: &'a [char]) -> impl Iterator<Item = usize> + 'a {
    let (mut quote, mut depth) = (None, 0_u32);
    text.char_indices().filter_map(move |(at, letter)| {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, letter) if depth == 0 && signs.contains(&letter) => {
                return text[at + 1..].starts_with(' ').then_some(at);
            }
            _ => {}
        }
        None
    })
}

/// Divides a rule's sentence into its condition and its effects; without a colon all of it is the condition. What is provided has a colon of its
/// own: `Provided that A: when B: ...`.
pub(crate) fn condition_and_effects(sentence: &str) -> (&str, &str) {
    let mut colons = breaks(sentence, &[':']);
    let first = colons.next().filter(|_| sentence.starts_with(PROVIDED));
    let second = first.filter(|at| sentence[*at..].starts_with(": when ")).and_then(|_| colons.next());
    match second.or_else(|| breaks(sentence, &[':']).next()) {
        Some(at) => (&sentence[..at], sentence[at + 1..].trim_start()),
        None => (sentence, ""),
    }
}

/// Divides a list at its semicolons.
pub(crate) fn parts(list: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut start = 0;
    for at in breaks(list, &[';']) {
        all.push(&list[start..at]);
        start = at + 2;
    }
    all.push(&list[start..]);
    all.retain(|part| !part.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_four_rows_end_with_is_told_once_and_keeps_its_place() {
        let rows = ["A", "B", "C", "D"].map(|item| {
            format!("When {item} is blank: puts '{item}; is: missing' into MSG; performs SEND-SCREEN; ends the run.")
        });
        let other = "When E is blank: performs SEND-SCREEN; goes on.";
        let common = CommonEffects::of(rows.iter().map(String::as_str).chain([other]));
        assert_eq!(common.lead(), "† stands for: performs SEND-SCREEN; ends the run.");
        assert_eq!(common.shorten(&rows[1]), "When B is blank: puts 'B; is: missing' into MSG; †.");
        assert_eq!(common.shorten("When F is blank: performs SEND-SCREEN; ends the run."), "When F is blank: †.");
        assert_eq!(common.shorten(other), other);
        let few = CommonEffects::of(rows[..3].iter().map(String::as_str));
        assert_eq!((few.lead(), few.shorten(&rows[0])), (String::new(), rows[0].clone()));
    }
}
