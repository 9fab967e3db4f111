//! Splits texts into words, as SQLite's tokenizer does.

use super::unicode61;
use std::ops::Range;

/// How characters that join the parts of a name are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JointHandling {
    /// As parts of the word: a name is one word.
    Word,
    /// As separators: each part of a name is one word.
    Between,
}

/// Whether a character joins the parts of a name.
pub(super) fn is_joint(character: char) -> bool {
    matches!(character, '-' | '_' | '$' | '#' | '@')
}

/// Returns the ranges of the words in a text.
pub(super) fn tokens(text: &str, joints: JointHandling) -> Vec<Range<usize>> {
    let is_of_word = |character: char| {
        if character.is_ascii() {
            character.is_ascii_alphanumeric() || (joints == JointHandling::Word && is_joint(character))
        } else {
            unicode61::is_of_word(character)
        }
    };
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match start {
            None if is_of_word(character) => start = Some(at),
            Some(first) if !is_of_word(character) && !unicode61::is_mark(character) => {
                found.push(first..at);
                start = None;
            }
            _ => (),
        }
    }
    found.extend(start.map(|first| first..text.len()));
    found
}

/// Returns a word without case and diacritics.
pub(super) fn folded(word: &str) -> String {
    word.chars().filter(|character| !unicode61::is_mark(*character)).map(unicode61::folded).collect()
}
