//! Searching for texts as whole words: `PBI-12` does not occur in `PBI-123`.

use std::collections::HashMap;
use std::ops::Range;

/// Whether a character is part of a word.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// An index for many searches in the same strings.
pub(crate) struct WordIndex {
    text: String,
    words: HashMap<Box<str>, Vec<usize>>,
}

impl WordIndex {
    /// Indexes the strings.
    pub fn new<'a>(strings: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        for string in strings {
            text.push_str(string);
            // No search text contains it, so no match spans two strings.
            text.push('\0');
        }
        let mut words: HashMap<Box<str>, Vec<usize>> = HashMap::new();
        for (start, word) in runs(&text) {
            match words.get_mut(word) {
                Some(starts) => starts.push(start),
                None => {
                    words.insert(word.into(), vec![start]);
                }
            }
        }
        Self { text, words }
    }

    /// Whether any string contains a text as whole words.
    pub fn contains(&self, text: &str) -> bool {
        match self.rarest(text) {
            // Each word of the text matches a whole word there, so no word extends beyond the ends.
            Some((offset, starts)) => starts
                .iter()
                .filter_map(|start| start.checked_sub(offset))
                .any(|start| self.text.get(start..).is_some_and(|rest| rest.starts_with(text))),
            None => runs(text).next().is_none() && self.text.contains(text),
        }
    }

    /// Returns where a text with a word in it occurs as whole words, in order, with any blanks and line ends between them. The time depends on how
    /// frequent its rarest word is, not on the length of the strings.
    pub fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let text = text.trim();
        let (offset, starts) = self.rarest(text).unwrap_or_default();
        starts.iter().filter_map(move |at| Some(self.back(*at, &text[..offset])?..self.forth(*at, &text[offset..])?))
    }

    /// Returns the least frequent word of a text: its start in the text, and its occurrences. None if a word does not occur, or there is no word.
    fn rarest(&self, text: &str) -> Option<(usize, &[usize])> {
        let mut rarest: Option<(usize, &[usize])> = None;
        for (offset, word) in runs(text) {
            let starts = self.words.get(word)?;
            if rarest.is_none_or(|(_, fewest)| starts.len() < fewest.len()) {
                rarest = Some((offset, starts));
            }
        }
        rarest
    }

    /// Returns the end of a text that begins here, with any blanks for its blanks.
    fn forth(&self, at: usize, text: &str) -> Option<usize> {
        let mut at = at;
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.split(char::is_whitespace).next().unwrap_or_default();
            at = self.text[at..].starts_with(word).then_some(at + word.len())?;
            let behind = &rest[word.len()..];
            rest = behind.trim_start();
            if !rest.is_empty() {
                let blanks = self.text[at..].len() - self.text[at..].trim_start().len();
                at = (blanks > 0).then_some(at + blanks)?;
            }
        }
        Some(at)
    }

    /// Returns the start of a text that ends here.
    fn back(&self, end: usize, text: &str) -> Option<usize> {
        let mut end = end;
        let mut rest = text;
        while !rest.is_empty() {
            let trimmed = rest.trim_end();
            if trimmed.len() < rest.len() {
                let before = self.text[..end].trim_end();
                end = (before.len() < end).then_some(before.len())?;
            }
            let word = trimmed.rsplit(char::is_whitespace).next().unwrap_or_default();
            end = self.text[..end].ends_with(word).then(|| end - word.len())?;
            rest = &trimmed[..trimmed.len() - word.len()];
        }
        Some(end)
    }
}

/// Returns the words of a text with their starts.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    text.split(|character| !is_word(character))
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - start, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_whole_words_of_single_strings() {
        let index = WordIndex::new(["PBI-123, CHG0042", "S0C7", "PBI", "12"]);
        for (text, expected) in [
            ("PBI-123", true),
            ("PBI-12", false),
            ("BI-123", false),
            ("CHG0042", true),
            ("CHG004", false),
            ("S0C7 PBI", false),
            (", ", true),
            ("-", true),
            ("+", false),
        ] {
            assert_eq!(index.contains(text), expected, "{text}");
        }
    }

    #[test]
    fn matches_are_whole_words_with_any_blanks_between_them() {
        let text = "PBI-1: the \n limit. (PBI-12) the limit, PBI-1:  the limit.";
        let index = WordIndex::new([text]);
        for (looked_for, expected) in [
            ("PBI-1", vec!["PBI-1", "PBI-1"]),
            ("PBI-12", vec!["PBI-12"]),
            ("(PBI-12) the", vec!["(PBI-12) the"]),
            (" the limit ", vec!["the \n limit", "the limit", "the limit"]),
            ("PBI-1: the limit.", vec!["PBI-1: the \n limit.", "PBI-1:  the limit."]),
            ("thelimit", vec![]),
            ("PBI -1", vec![]),
            ("-", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<&str> = index.find_all(looked_for).map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{looked_for}");
        }
    }
}
