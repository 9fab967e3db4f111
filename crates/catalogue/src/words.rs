//! The words that are looked for, and where they stand in a row.
//!
//! ```text
//! words  = { word | phrase }
//! word   = what stands between blanks          [ "*" ]
//! phrase = '"' what stands between the marks '"' [ "*" ]
//! ```
//!
//! Names of COBOL are words as a whole: `CREDIT-LIMIT` is one. So that `limit` and `credit limit` find it too, the catalogue keeps the parts of such names
//! beside them. What is a word is said by [`TOKENIZER`]: letters, digits and `-_$#@`; all else stands between words. Case and diacritics do not count.

mod columns;
mod letters;
mod snippet;
mod tokens;

pub use columns::{Columns, parts};
pub use snippet::Snippet;

use columns::SEPARATOR;
use tokens::{Joints, folded, tokens};

/// How SQLite's FTS5 is to take the three columns of [`Columns`] apart; the words that are looked for are taken apart in the same way.
pub const TOKENIZER: &str = "unicode61 remove_diacritics 2 tokenchars '-_$#@'";

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    terms: Vec<Term>,
}

/// One thing that must stand in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    /// Its words, which follow each other, without case and diacritics.
    words: Vec<String>,
    /// Whether the last of them may go on.
    is_prefix: bool,
}

/// Words that nothing can be looked for with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WordsError {
    /// What is the matter, lowercase, without a full stop.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

impl WordsError {
    fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: Some(hint.into()) }
    }
}

impl Words {
    /// The most bytes that are taken.
    pub const MOST_BYTES: usize = 4096;
    /// The most words that are looked for at a time.
    pub const MOST_WORDS: usize = 32;
    /// How many other words stand between two of them at the most where they are near each other.
    const NEAR: usize = 10;

    /// Reads what a user has typed: words, phrases between quotation marks, and `CUST*` for all that begins so. All of it must stand in a row.
    ///
    /// # Errors
    /// [`WordsError`] when there is no letter and no digit in it, or too much of it.
    pub fn parse(text: &str) -> Result<Self, WordsError> {
        if text.len() > Self::MOST_BYTES {
            let message = format!("the words to look for are longer than {} bytes", Self::MOST_BYTES);
            return Err(WordsError::new(message, "look for fewer words"));
        }
        let text = text.replace(SEPARATOR, " ");
        let mut terms = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (written, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').ok_or_else(|| {
                    WordsError::new("a quotation mark is not closed", "add a `\"` where the phrase ends")
                })?,
                None => {
                    let ends = |c: char| c.is_whitespace() || c == '"' || c == '*';
                    rest.split_at(rest.find(ends).unwrap_or(rest.len()))
                }
            };
            let is_prefix = after.starts_with('*');
            terms.extend(Term::of(written, is_prefix));
            rest = after.trim_start_matches('*').trim_start();
        }
        if terms.is_empty() {
            let message = "there is no letter and no digit in the words to look for";
            return Err(WordsError::new(message, "write words such as `credit limit`, or `CUST*`"));
        }
        if terms.iter().map(|term| term.words.len()).sum::<usize>() > Self::MOST_WORDS {
            let message = format!("there are more than {} words to look for", Self::MOST_WORDS);
            return Err(WordsError::new(message, "look for fewer words"));
        }
        Ok(Self { terms })
    }

    /// The searches to be made one after the other, the best rows first; each is an expression of SQLite's FTS5 over the columns `name`, `prose` and
    /// `parts`. No row is found by two of them, and the last but for what those before it have found is all that match.
    ///
    /// The first is for rows whose name begins with the words, then come those that have all words in the name, those that have them as a phrase, those
    /// that have them near each other, and all others.
    pub fn searches(&self) -> Vec<String> {
        let is_single = self.terms.len() == 1;
        let mut tiers = Vec::new();
        let phrase = self.phrase();
        tiers.extend(phrase.as_ref().map(|phrase| format!("{{name}} : ^ {phrase}")));
        tiers.push(format!("{{name}} : ({})", self.all()));
        if !is_single {
            tiers.extend(phrase);
            let terms: Vec<String> = self.terms.iter().map(Term::expression).collect();
            // Names whose parts stand next to each other in the column of parts can be far apart in the text.
            tiers.push(format!("{{name prose}} : NEAR({}, {})", terms.join(" "), Self::NEAR));
        }
        tiers.push(self.all());

        let mut searches: Vec<String> = Vec::new();
        for (place, tier) in tiers.iter().enumerate() {
            let before: Vec<String> = tiers[..place].iter().map(|tier| format!("({tier})")).collect();
            searches.push(match before.as_slice() {
                [] => tier.clone(),
                before => format!("({tier}) NOT ({})", before.join(" OR ")),
            });
        }
        searches
    }

    /// The expression for all rows that match.
    pub fn all(&self) -> String {
        let terms: Vec<String> = self.terms.iter().map(Term::expression).collect();
        terms.join(" AND ")
    }

    /// All words as one phrase; none where a word that may go on is not the last, which FTS5 cannot say.
    fn phrase(&self) -> Option<String> {
        let (last, others) = self.terms.split_last()?;
        if others.iter().any(|term| term.is_prefix) {
            return None;
        }
        let words = self.terms.iter().flat_map(|term| term.words.iter().cloned()).collect();
        Some(Term { words, is_prefix: last.is_prefix }.expression())
    }
}

impl Term {
    /// The words in what stands between two blanks or marks; none where nothing but punctuation does.
    fn of(written: &str, is_prefix: bool) -> Option<Self> {
        let found = tokens(written, Joints::Word);
        let words: Vec<String> = found.iter().map(|place| folded(&written[place.clone()])).collect();
        if !words.iter().any(|word| word.contains(char::is_alphanumeric)) {
            return None;
        }
        // In `cust.*` it is not the word that the star stands at.
        let is_prefix = is_prefix && found.last().is_some_and(|last| last.end == written.len());
        Some(Self { words, is_prefix })
    }

    /// The expression for the rows that it stands in. Words hold no quotation mark, because it is no part of a word.
    fn expression(&self) -> String {
        format!("\"{}\"{}", self.words.join(" "), if self.is_prefix { " *" } else { "" })
    }

    /// Whether it stands at the head of these words; they have neither case nor diacritics.
    fn begins(&self, words: &[String]) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else {
            return false;
        };
        words.len() > last
            && self.words[..last] == words[..last]
            && if self.is_prefix {
                words[last].starts_with(&self.words[last])
            } else {
                words[last] == self.words[last]
            }
    }
}

#[cfg(test)]
mod tests;
