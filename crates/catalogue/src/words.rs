//! The words that are looked for, and where they stand in a row.
//!
//! Names of COBOL are words as a whole: `CREDIT-LIMIT` is one. So that `limit` and `credit limit` find it too, the catalogue keeps the parts of such names
//! beside them.

use crate::kind::Kind;
use crate::row::Value;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    terms: Vec<Term>,
}

/// One thing that must stand in a row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    /// Its words, which follow each other.
    text: String,
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

/// A piece of a row's prose around what was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The piece, on one line, with `…` where it was cut.
    pub text: String,
    /// Where in it what was looked for stands, in bytes.
    pub matches: Vec<std::ops::Range<usize>>,
}

impl Words {
    /// Reads what a user has typed: words, phrases between quotation marks, and `CUST*` for all that begins so. All of it must stand in a row.
    ///
    /// # Errors
    /// [`WordsError`] when there is no letter and no digit in it, or too much of it.
    pub fn parse(text: &str) -> Result<Self, WordsError> {
        let _ = text;
        todo!("written by the author of words")
    }

    /// The searches to be made one after the other, the best rows first; each is an expression of SQLite's FTS5 over the columns `name`, `prose` and
    /// `parts`. No row is found by two of them, and the last but for what those before it have found is all that match.
    pub fn searches(&self) -> Vec<String> {
        todo!()
    }

    /// The expression for all rows that match.
    pub fn all(&self) -> String {
        todo!()
    }

    /// A piece of the row around what was looked for: of the first of its fields in which it stands.
    pub fn snippet(&self, kind: Kind, values: &[Value]) -> Option<Snippet> {
        let _ = (kind, values);
        todo!()
    }
}

/// The parts of all names in a text that consist of several: `CREDIT LIMIT` for `the CREDIT-LIMIT of`. Parts of different names cannot be taken for a
/// phrase.
pub fn parts(text: &str) -> String {
    let _ = text;
    todo!()
}
