//! Texts found as whole words: `PBI-12` does not stand in `PBI-123`.

use std::collections::HashMap;
use std::ops::Range;

/// Whether a character belongs to a word.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Many texts looked for in the same strings.
pub(crate) struct WordIndex {
    text: String,
    words: HashMap<Box<str>, Vec<usize>>,
}

impl WordIndex {
    /// Takes the strings in.
    pub fn new<'a>(strings: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        for string in strings {
            text.push_str(string);
            // Nothing that is looked for has one, so nothing is found across two strings.
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

    /// Whether one of the strings has a text as whole words.
    pub fn contains(&self, text: &str) -> bool {
        match self.rarest(text) {
            // Each word of the text is a whole word there, so that no word goes on beyond its ends.
            Some((offset, starts)) => starts
                .iter()
                .filter_map(|start| start.checked_sub(offset))
                .any(|start| self.text.get(start..).is_some_and(|rest| rest.starts_with(text))),
            None => runs(text).next().is_none() && self.text.contains(text),
        }
    }

    /// Where a text with a word in it stands as whole words, in order, whatever blanks and line ends stand between them. Takes as long as its rarest word is
    /// frequent, however long the strings are.
    pub fn find_all<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let text = text.trim();
        let (offset, starts) = self.rarest(text).unwrap_or_default();
        starts
            .iter()
            .filter_map(move |at| Some(self.back(*at, &text[..offset])?..self.forth(*at, &text[offset..])?))
    }

    /// The word of a text that is there least often: its start in the text, and where it stands. None where one is not there, or there is no word.
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

    /// Where a text ends that stands from here on, blanks in it taken for any.
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

    /// Where a text begins that stands up to here.
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

/// The words of a text with their starts.
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
