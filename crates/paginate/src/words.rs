//! Texts found as whole words: `PBI-12` does not stand in `PBI-123`.

use memchr::memmem;
use std::collections::HashMap;
use std::ops::Range;

/// Whether a character belongs to a word.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Where a text stands as whole words, whatever blanks and line ends stand between them. Matches may overlap.
pub(crate) fn matches<'a>(hay: &'a str, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let first = text.split_whitespace().next().unwrap_or_default();
    let finder = (!first.is_empty()).then(|| memmem::find_iter(hay.as_bytes(), first));
    finder.into_iter().flatten().filter_map(move |start| {
        let mut end = start + first.len();
        for word in text.split_whitespace().skip(1) {
            let rest = &hay[end..];
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() || !trimmed.starts_with(word) {
                return None;
            }
            end += rest.len() - trimmed.len() + word.len();
        }
        is_whole(hay, start, end).then_some(start..end)
    })
}

/// Whether no word goes on beyond either end.
fn is_whole(hay: &str, start: usize, end: usize) -> bool {
    let word = |character: Option<char>| character.is_some_and(is_word);
    let text = &hay[start..end];
    let goes_on_before = word(hay[..start].chars().next_back()) && word(text.chars().next());
    let goes_on_after = word(hay[end..].chars().next()) && word(text.chars().next_back());
    !goes_on_before && !goes_on_after
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
    pub fn has(&self, text: &str) -> bool {
        let mut rarest: Option<(usize, &[usize])> = None;
        for (offset, word) in runs(text) {
            let Some(starts) = self.words.get(word) else { return false };
            if rarest.is_none_or(|(_, fewest)| starts.len() < fewest.len()) {
                rarest = Some((offset, starts));
            }
        }
        let Some((offset, starts)) = rarest else {
            return self.text.contains(text);
        };
        // Each word of the text is a whole word there, so that no word goes on beyond its ends.
        starts
            .iter()
            .filter_map(|start| start.checked_sub(offset))
            .any(|start| self.text.get(start..).is_some_and(|rest| rest.starts_with(text)))
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
            assert_eq!(index.has(text), expected, "{text}");
        }
    }
}
