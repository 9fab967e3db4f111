//! Where a text can be cut well.

/// Whether the end of a line or of a sentence is the better place to cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CutPreference {
    /// Lines: what was written line by line.
    Lines,
    /// Sentences: the lines of a page end where the paper did.
    Sentences,
}

/// How good a place is for a cut, higher being better.
pub(super) type CutRank = u8;

/// Between any two characters.
pub(super) const CHARACTER: CutRank = 0;
/// Before a word.
pub(super) const WORD: CutRank = 1;
/// Behind a line, or a sentence, whichever matters more.
pub(super) const STRONG: CutRank = 3;
const WEAK: CutRank = 2;
const PARAGRAPH: CutRank = 4;

/// How far back blanks and closing marks are looked through, so that no run of them is looked through again and again.
const LOOK_BACK: usize = 200;

/// The nearest place at or before this one where a character begins.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// How good it is to cut here; none inside a character, inside a line end of two, and before the text.
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
            // The blank lines between paragraphs go with the one before.
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

/// Whether a sentence ends with the blanks before this place. A word in lower case behind them says that it was an abbreviation.
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

/// The best place to cut in a text, behind `from` and at `limit` at most: of the best ones the last. None where there is no place at all.
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

/// The first place of at least this rank from `from` on and before `until`.
pub(super) fn first_of(
    text: &str,
    from: usize,
    until: usize,
    least: CutRank,
    taste: CutPreference,
) -> Option<usize> {
    (from..until.min(text.len())).find(|at| rank(text, *at, taste).is_some_and(|rank| rank >= least))
}

/// The best place to cut a text in two, near its middle: of the best ones in its middle quarter the nearest. None where it is one character.
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
