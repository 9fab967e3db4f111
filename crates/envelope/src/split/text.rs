//! Cutting text at lines and words, and bytes anywhere.

use super::PayloadSpan;
use crate::Overlap;

/// Returns stretches of at most that many bytes, overlap included: each ends after the last line that fits, else after the last word, else after the
/// last character.
pub(crate) fn stretches(text: &str, limit: usize, overlap: Overlap) -> Vec<PayloadSpan> {
    let again = overlap.of(limit);
    let mut stretches: Vec<PayloadSpan> = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let shown = shown_from(text, start, again);
        let end = end_within(text, start, limit - (start - shown));
        stretches.push(PayloadSpan { shown, ..PayloadSpan::plain(start..end) });
        start = end;
    }
    stretches
}

/// Returns stretches of as many whole characters as fit.
pub(crate) fn anywhere(text: &str, limit: usize) -> Vec<PayloadSpan> {
    let mut stretches = Vec::with_capacity(text.len() / limit + 1);
    let mut start = 0;
    while start < text.len() {
        let end = character_at_or_before(text, start + limit);
        stretches.push(PayloadSpan::plain(start..end));
        start = end;
    }
    stretches
}

/// Returns stretches of that many bytes.
pub(crate) fn by_size(length: usize, limit: usize) -> Vec<PayloadSpan> {
    (0..length).step_by(limit).map(|start| PayloadSpan::plain(start..length.min(start + limit))).collect()
}

/// Returns the nearest character boundary at or before this position.
pub(crate) fn character_at_or_before(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Splits a text into words, each with the blanks after it.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let blanks = rest[word..].find(|c: char| !c.is_whitespace()).unwrap_or(rest.len() - word);
        let (word, next) = rest.split_at(word + blanks);
        rest = next;
        (!word.is_empty()).then_some(word)
    })
}

/// Returns the end of a stretch that starts here and has at most that many bytes.
fn end_within(text: &str, start: usize, limit: usize) -> usize {
    let end = character_at_or_before(text, start + limit);
    if end == text.len() {
        return end;
    }
    let within = &text[start..end];
    let line = within.rfind('\n').map(|at| at + 1);
    let word = || {
        let (at, blank) = within.char_indices().rfind(|(_, c)| c.is_whitespace())?;
        Some(at + blank.len_utf8())
    };
    line.or_else(word).map_or(end, |length| start + length)
}

/// Returns the start of the overlap: at most that many bytes before, from the beginning of a line or a word if there is one.
fn shown_from(text: &str, start: usize, again: usize) -> usize {
    let earliest = (start.saturating_sub(again)..=start).find(|at| text.is_char_boundary(*at));
    let earliest = earliest.unwrap_or(start);
    if earliest == 0 {
        return 0;
    }
    let before = &text[earliest..start];
    let line = before.find('\n').map(|at| at + 1).filter(|at| *at < before.len());
    let word = || {
        let blank = before.find(char::is_whitespace)?;
        let word = before[blank..].find(|c: char| !c.is_whitespace())?;
        Some(blank + word)
    };
    earliest + line.or_else(word).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, limit: usize, overlap: f64) -> Vec<(&str, &str)> {
        let stretches = stretches(text, limit, Overlap::new(overlap).unwrap());
        stretches.iter().map(|s| (&text[s.shown..s.own.start], &text[s.own.clone()])).collect()
    }

    #[test]
    fn text_is_cut_behind_lines_then_words_then_characters() {
        assert_eq!(cut("one\ntwo three\nfour", 10, 0.0), [("", "one\n"), ("", "two three\n"), ("", "four")]);
        assert_eq!(cut("a bb cccccccccccc", 8, 0.0), [("", "a bb "), ("", "cccccccc"), ("", "cccc")]);
        assert_eq!(cut("ééééééé", 9, 0.0), [("", "éééé"), ("", "ééé")]);
        assert_eq!(cut("", 9, 0.0), []);
    }

    #[test]
    fn what_stands_before_is_shown_again_from_a_line_or_a_word() {
        let text = "one\ntwo\nthree\nfour\n";
        assert_eq!(cut(text, 12, 0.5), [("", "one\ntwo\n"), ("two\n", "three\n"), ("three\n", "four\n")]);
        let text = "aa bb cc dd ee";
        assert_eq!(cut(text, 8, 0.5), [("", "aa bb "), ("bb ", "cc "), ("cc ", "dd ee")]);
        assert_eq!(cut("éééééé", 8, 0.5), [("", "éééé"), ("éé", "éé")]);
    }

    #[test]
    fn words_keep_the_blanks_behind_them() {
        assert_eq!(words("  a bb\u{3000}c ").collect::<Vec<_>>(), ["  ", "a ", "bb\u{3000}", "c "]);
        assert_eq!(words("").count(), 0);
    }
}
