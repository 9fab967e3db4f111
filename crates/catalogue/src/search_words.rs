//! The words of a search, and where a row contains them.
//!
//! ```text
//! words  = { word | phrase }
//! word   = what stands between blanks          [ "*" ]
//! phrase = '"' what stands between the marks '"' [ "*" ]
//! ```
//!
//! COBOL names are whole words: `CREDIT-LIMIT` is one. So that `limit` and `credit limit` find it too, the catalogue also stores the parts of such
//! names. [`TOKENIZER`] defines a word: letters, digits and `-_$#@`; everything else separates words. Case and diacritics are ignored.

mod search_columns;
mod snippet;
mod tokens;
mod unicode61;

pub use search_columns::SearchColumns;
pub use snippet::Snippet;

use crate::query::QueryIssue;
use search_columns::{MARK, SEPARATOR};
use tokens::{JointHandling, folded, tokens};

/// How SQLite's FTS5 splits the three columns of [`SearchColumns`] into words; the words of a search are split in the same way.
pub const TOKENIZER: &str = "unicode61 remove_diacritics 2 tokenchars '-_$#@'";

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords {
    terms: Vec<SearchTerm>,
}

/// One term that a row must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SearchTerm {
    /// Its consecutive words, without case and diacritics.
    words: Vec<String>,
    /// Whether the last one is a prefix.
    is_prefix: bool,
}

impl SearchWords {
    /// The most bytes in a search text.
    pub const MAX_BYTES: usize = 4096;
    /// The most words in a search.
    pub const MAX_WORDS: usize = 32;
    /// How many other words may come between two of them for both to be near each other.
    const NEAR: usize = 10;

    /// The ranks: the name begins with the words, the name contains them all, the words are a phrase, are near each other, or occur anywhere. The
    /// last rank is for words anywhere but in the name, if they are not ranked further.
    const BEGINS: u64 = 0;
    const NAMES: u64 = 1;
    const PHRASE: u64 = 2;
    const CLOSE: u64 = 3;
    const REST: u64 = 4;
    const UNRANKED: u64 = 5;

    /// Parses what a user has typed: words, phrases in quotation marks, and `CUST*` for all words that begin so. A row must contain all of it.
    ///
    /// # Errors
    /// [`QueryIssue`] if it contains no letter and no digit, is too long, or has a star that is not at the end of a word.
    pub fn parse(text: &str) -> Result<Self, QueryIssue> {
        if text.len() > Self::MAX_BYTES {
            let message = format!("the words to look for are longer than {} bytes", Self::MAX_BYTES);
            return Err(QueryIssue::new(message, "look for fewer words"));
        }
        let text = text.replace([SEPARATOR, MARK], " ");
        let mut terms = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (written, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').ok_or_else(|| {
                    QueryIssue::new("a quotation mark is not closed", "add a `\"` where the phrase ends")
                })?,
                None => {
                    let ends = |c: char| c.is_whitespace() || c == '"' || c == '*';
                    rest.split_at(rest.find(ends).unwrap_or(rest.len()))
                }
            };
            let is_prefix = after.starts_with('*');
            let behind = after.trim_start_matches('*');
            if is_prefix {
                at_the_end(rest, written, behind)?;
            }
            terms.extend(SearchTerm::of(written, is_prefix));
            rest = behind.trim_start();
        }
        if terms.is_empty() {
            let message = "there is no letter and no digit in the words to look for";
            return Err(QueryIssue::new(message, "write words such as `credit limit`, or `CUST*`"));
        }
        if terms.iter().map(|term| term.words.len()).sum::<usize>() > Self::MAX_WORDS {
            let message = format!("there are more than {} words to look for", Self::MAX_WORDS);
            return Err(QueryIssue::new(message, "look for fewer words"));
        }
        Ok(Self { terms })
    }

    /// Returns the searches to run one after the other, the best rows first; each is an FTS5 expression over the columns `name`, `prose` and
    /// `parts`, with its rank. No row is found by two of them, and together they find all matches.
    ///
    /// The first finds rows whose name begins with the words; the next, those with all words in the name. The others, if ranked too, come in this
    /// order: those with the words as a phrase, those with the words near each other, then the rest. That ranking reads all matches, wherever a page
    /// ends; names are found at once. Equal ranks mean equal rows in both forms.
    pub fn ranked_expressions(&self, with_prose: bool) -> Vec<(u64, String)> {
        let mut tiers = Vec::new();
        let phrase = self.phrase();
        tiers.extend(phrase.as_ref().map(|phrase| (Self::BEGINS, format!("^ {}", phrase.in_names()))));
        let in_names: Vec<String> = self.terms.iter().map(SearchTerm::in_names).collect();
        tiers.push((Self::NAMES, in_names.join(" AND ")));
        if with_prose && self.terms.len() > 1 {
            tiers.extend(phrase.map(|phrase| (Self::PHRASE, phrase.in_prose())));
            let terms: Vec<String> = self.terms.iter().map(SearchTerm::in_prose).collect();
            // Names whose parts are adjacent in the column of parts can be far apart in the text.
            tiers.push((Self::CLOSE, format!("prose : NEAR({}, {})", terms.join(" "), Self::NEAR)));
        }
        tiers.push((if with_prose { Self::REST } else { Self::UNRANKED }, self.match_all_expression()));

        let apart = tiers.iter().enumerate().map(|(place, (rank, tier))| {
            let before: Vec<String> = tiers[..place].iter().map(|(_, tier)| format!("({tier})")).collect();
            match before.as_slice() {
                [] => (*rank, tier.clone()),
                before => (*rank, format!("({tier}) NOT ({})", before.join(" OR "))),
            }
        });
        apart.collect()
    }

    /// Whether rows of this rank come from [`SearchWords::ranked_expressions`] with prose or without; `None` if they may come from both.
    pub fn rank_includes_prose(rank: u64) -> Option<bool> {
        match rank {
            Self::BEGINS | Self::NAMES => None,
            rank => Some(rank != Self::UNRANKED),
        }
    }

    /// Returns the expression for all matching rows.
    pub fn match_all_expression(&self) -> String {
        let terms = self.terms.iter().map(|term| format!("({} OR {})", term.in_prose(), term.in_names()));
        terms.collect::<Vec<String>>().join(" AND ")
    }

    /// Returns all words as one phrase; `None` if a prefix is not the last word, which FTS5 cannot express.
    fn phrase(&self) -> Option<SearchTerm> {
        let (last, others) = self.terms.split_last()?;
        if others.iter().any(|term| term.is_prefix) {
            return None;
        }
        let words = self.terms.iter().flat_map(|term| term.words.iter().cloned()).collect();
        Some(SearchTerm { words, is_prefix: last.is_prefix })
    }
}

/// Refuses a star with more of the word after it, which would otherwise be ignored.
fn at_the_end(rest: &str, written: &str, behind: &str) -> Result<(), QueryIssue> {
    let ends = |c: char| c.is_whitespace() || c == '"';
    let more = &behind[..behind.find(ends).unwrap_or(behind.len())];
    if !more.contains(char::is_alphanumeric) {
        return Ok(());
    }
    let whole = &rest[..rest.len() - behind.len() + more.len()];
    let advice = "letters anywhere are found by a filter such as `name contains \"STAT\"`";
    let hint = match written.chars().any(char::is_alphanumeric) {
        true => format!("write `{}*` for all that begins so; {advice}", written.trim_matches('"')),
        false => format!("write it without the star: parts of names such as A-STATUS are found by `STATUS`; {advice}"),
    };
    Err(QueryIssue::new(format!("a star ends a word or a phrase, and in `{whole}` more follows"), hint))
}

impl SearchTerm {
    /// Returns the words between two blanks or marks; `None` if there is only punctuation.
    fn of(written: &str, is_prefix: bool) -> Option<Self> {
        let found = tokens(written, JointHandling::Word);
        let words: Vec<String> = found.iter().map(|place| folded(&written[place.clone()])).collect();
        if !words.iter().any(|word| word.contains(char::is_alphanumeric)) {
            return None;
        }
        // In `cust.*`, the star does not follow the word directly.
        let is_prefix = is_prefix && found.last().is_some_and(|last| last.end == written.len());
        Some(Self { words, is_prefix })
    }

    /// Returns the expression for the rows whose prose contains it. Words contain no quotation mark, because it is not a word character.
    fn in_prose(&self) -> String {
        format!("\"{}\"{}", self.words.join(" "), if self.is_prefix { " *" } else { "" })
    }

    /// Returns the expression for the rows whose names contain it.
    fn in_names(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| format!("{MARK}{word}")).collect();
        SearchTerm { words, is_prefix: self.is_prefix }.in_prose()
    }

    /// Whether these words begin with it; they have neither case nor diacritics.
    fn begins(&self, words: &[String]) -> bool {
        let Some(last) = self.words.len().checked_sub(1) else {
            return false;
        };
        words.len() > last
            && self.words[..last] == words[..last]
            && if self.is_prefix { words[last].starts_with(&self.words[last]) } else { words[last] == self.words[last] }
    }
}

#[cfg(test)]
mod tests;
