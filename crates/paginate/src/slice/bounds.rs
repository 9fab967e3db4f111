//! Good positions to cut a text.

/// Whether to prefer cuts at line ends or at sentence ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutPreference {
    /// Lines: for text written line by line.
    Lines,
    /// Sentences: for pages, whose line ends only reflect the paper's width.
    Sentences,
}

/// The quality of a cut, higher being better.
pub(super) type CutRank = u8;

/// Between any two characters.
pub(super) const CHARACTER: CutRank = 0;
/// Before a word.
pub(super) const WORD: CutRank = 1;
/// After a line or a sentence, whichever is preferred.
pub(super) const STRONG: CutRank = 3;
const WEAK: CutRank = 2;
const PARAGRAPH: CutRank = 4;

/// The maximum look-back through blanks and closing marks, so that long runs are not scanned repeatedly.
const LOOK_BACK: usize = 200;

/// Returns the nearest character boundary at or before this position.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Returns the nearest character boundary at or after this position.
pub(crate) fn ceiling(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Returns the quality of a cut here; none inside a character, inside a two-character line end, and at the start of the text.
pub(super) fn rank(text: &str, at: usize, taste: CutPreference) -> Option<CutRank> {
    if at == 0 || !text.is_char_boundary(at) {
        return None;
    }
    let bytes = text.as_bytes();
    let before = bytes[at - 1];
    let after = bytes.get(at).copied();
    let (line, sentence) = match taste {
        CutPreference::Lines => (STRONG, WEAK),
        CutPreference::Sentences => (WEAK, STRONG),
    };
    if before == b'\n' {
        let blank_before = || {
            let line = &bytes[at.saturating_sub(LOOK_BACK)..at - 1];
            line.iter().rfind(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n')
        };
        return Some(match after {
            // The blank lines between paragraphs belong to the one before.
            Some(b'\n' | b'\r') => line.min(WEAK),
            _ if blank_before() => PARAGRAPH,
            _ if taste == CutPreference::Sentences && sentence_ends(text, at) => sentence,
            _ => line,
        });
    }
    if before == b'\r' && after == Some(b'\n') {
        return None;
    }
    if before.is_ascii_whitespace() {
        return Some(match after {
            Some(after) if after.is_ascii_whitespace() => CHARACTER,
            _ if sentence_ends(text, at) => sentence,
            _ => WORD,
        });
    }
    let wide = !before.is_ascii() && text[..at].ends_with(['。', '！', '？']);
    Some(if wide { sentence } else { CHARACTER })
}

/// Whether a sentence ends with the blanks before this position. A lower case word after them indicates an abbreviation.
fn sentence_ends(text: &str, at: usize) -> bool {
    if text[at..].chars().next().is_some_and(char::is_lowercase) {
        return false;
    }
    let start = floor(text, at.saturating_sub(LOOK_BACK));
    text[start..at]
        .trim_end_matches(|c: char| c.is_ascii_whitespace())
        .trim_end_matches(['"', '\'', ')', ']', '”', '’', '»'])
        .ends_with(['.', '!', '?', '…', '。', '！', '？'])
}

/// Returns the best position to cut a text, after `from` and up to `limit`: the last of the best. Returns none if there is no position at all.
pub(super) fn best_end(text: &str, from: usize, limit: usize, taste: CutPreference) -> Option<usize> {
    let mut best: Option<(CutRank, usize)> = None;
    for at in (from + 1..=limit.min(text.len())).rev() {
        if let Some(rank) = rank(text, at, taste)
            && best.is_none_or(|(found, _)| rank > found)
        {
            best = Some((rank, at));
            if rank == PARAGRAPH {
                break;
            }
        }
    }
    best.map(|(_, at)| at)
}

/// Returns the first position of at least this rank, from `from` on and before `until`.
pub(super) fn first_of(text: &str, from: usize, until: usize, least: CutRank, taste: CutPreference) -> Option<usize> {
    (from..until.min(text.len())).find(|at| rank(text, *at, taste).is_some_and(|rank| rank >= least))
}

/// Returns the best position to cut a text in two: among the best in its middle quarter, the nearest to the middle. None if it is one character.
pub(super) fn middle(text: &str, taste: CutPreference) -> Option<usize> {
    let half = text.len() / 2;
    let best = |from: usize, until: usize| {
        (from.max(1)..until)
            .filter_map(|at| rank(text, at, taste).map(|rank| (rank, at)))
            .max_by_key(|(rank, at)| (*rank, std::cmp::Reverse(at.abs_diff(half)), *at))
    };
    best(half - text.len() / 8, half + text.len() / 8 + 1).or_else(|| best(0, text.len())).map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, taste: CutPreference, expected: &str) {
        let end = best_end(text, 0, text.len() - 1, taste).unwrap();
        assert_eq!(&text[..end], expected, "{text:?}");
    }

    #[test]
    fn a_cut_is_made_behind_paragraphs_lines_sentences_words_in_that_order() {
        check("One.\nTwo.\n \nThree. Four.\nFive", CutPreference::Lines, "One.\nTwo.\n \n");
        check("One. Two\nthree. Four", CutPreference::Lines, "One. Two\n");
        check("One. Two\nthree Four", CutPreference::Sentences, "One. ");
        check("One. Two.\nThree Four", CutPreference::Sentences, "One. Two.\n");
        check("It is (e.g. here) “done.” Then more", CutPreference::Lines, "It is (e.g. here) “done.” ");
        check("one two three", CutPreference::Lines, "one two ");
        check("一二。三四", CutPreference::Lines, "一二。");
        check("äöü", CutPreference::Lines, "äö");
        check("a\r\n", CutPreference::Lines, "a");
    }

    #[test]
    fn a_line_end_of_two_and_a_character_are_not_cut() {
        assert_eq!(best_end("\r\n", 0, 1, CutPreference::Lines), None);
        assert_eq!(middle("\r\n", CutPreference::Lines), None);
        assert_eq!(middle("é", CutPreference::Lines), None);
        assert_eq!(middle("aé", CutPreference::Lines), Some(1));
        assert_eq!(middle("", CutPreference::Lines), None);
    }
}
