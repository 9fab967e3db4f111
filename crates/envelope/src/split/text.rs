//! Cutting text at lines and words, and bytes anywhere.

use super::PayloadSpan;

/// Returns stretches of at most that many bytes: each ends after the last line that fits, else after the last word, else after the last character.
pub(crate) fn stretches(text: &str, limit: usize) -> Vec<PayloadSpan> {
    tiles(text, |start| end_within(text, start, limit))
}

/// Returns stretches of as many whole characters as fit.
pub(crate) fn anywhere(text: &str, limit: usize) -> Vec<PayloadSpan> {
    tiles(text, |start| character_at_or_before(text, start + limit))
}

/// Returns stretches of a text, each up to the end that follows from its start.
fn tiles(text: &str, end: impl Fn(usize) -> usize) -> Vec<PayloadSpan> {
    let mut start = 0;
    let next = || {
        let from = start;
        (from < text.len()).then(|| {
            start = end(from);
            PayloadSpan::plain(from..start)
        })
    };
    std::iter::from_fn(next).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, limit: usize) -> Vec<&str> {
        stretches(text, limit).iter().map(|stretch| &text[stretch.own.clone()]).collect()
    }

    #[test]
    fn text_is_cut_behind_lines_then_words_then_characters() {
        assert_eq!(cut("one\ntwo three\nfour", 10), ["one\n", "two three\n", "four"]);
        assert_eq!(cut("a bb cccccccccccc", 8), ["a bb ", "cccccccc", "cccc"]);
        assert_eq!(cut("ééééééé", 9), ["éééé", "ééé"]);
        assert!(cut("", 9).is_empty());
    }

    #[test]
    fn words_keep_the_blanks_behind_them() {
        assert_eq!(words("  a bb\u{3000}c ").collect::<Vec<_>>(), ["  ", "a ", "bb\u{3000}", "c "]);
        assert_eq!(words("").count(), 0);
    }
}
