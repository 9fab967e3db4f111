//! Words of COBOL and CICS in a text, as it names what is done with them.

use super::wording::{denies, is_one, sentences};
use super::{EvidenceIndex, Region, Statement};
use crate::anchors::words;
use std::cell::LazyCell;
use war_rig_text::LineRange;

/// Words that say how something is done. In capitals, a text means the source's own.
const KEYWORDS: &[&str] = &[
    "ABEND", "ASKTIME", "CANCEL", "CHARACTERS", "COMMIT", "DELETEQ", "DEQ", "ENDBR", "ENQ", "EXTEND", "FORMATTIME",
    "FREEMAIN", "GETMAIN", "GTEQ", "INITIALIZE", "INSPECT", "LEADING", "LINK", "READNEXT", "READPREV", "READQ",
    "RECEIVE", "RELEASE", "RESETBR", "REWRITE", "ROLLBACK", "ROUNDED", "SEARCH", "SORT", "STARTBR", "STRING",
    "SYNCPOINT", "TALLYING", "TRAILING", "UNSTRING", "WRITEQ", "XCTL",
];

/// Words of English for what only some statements do, with what these contain.
const DEEDS: [(&[&str], &[&str]); 6] = [
    (&["displayed", "displays"], &["DISPLAY", "SEND", "WRITE", "STRING", "MOVE"]),
    (&["committed", "commits"], &["COMMIT", "SYNCPOINT"]),
    (&["sorted", "sorts"], &["SORT", "MERGE", "ORDER", "SEARCH"]),
    (&["closed", "closes"], &["CLOSE"]),
    (&["rounded", "rounds"], &["ROUNDED"]),
    (&["abends", "abended"], &["ABEND", "CALL", "STOP"]),
];

/// Whether a word is the name of a statement, a command or an option that the source must have.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

impl EvidenceIndex<'_> {
    /// Whether a text names such a word, and neither the evidence nor what the cited lines perform has it.
    pub(super) fn has_foreign_keyword(&self, statement: &Statement<'_>, region: &Region, cited: &[LineRange]) -> bool {
        // A condition also tells what comes before the lines.
        let named = statement.told().flat_map(sentences).filter(|sentence| !denies(sentence));
        let below = LazyCell::new(|| self.own(&self.performed(cited)));
        let has = |word: &str| region.holds_literal(word) || below.holds_literal(word);
        let does = |word: &str| {
            let deed = DEEDS.iter().find(|(told, _)| is_one(word, told));
            deed.is_none_or(|(_, done)| done.iter().any(|word| has(word)))
        };
        named.flat_map(words).any(|word| (is_keyword(word) && !has(word)) || !does(word))
    }
}
