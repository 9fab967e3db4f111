//! The table of verbs, with the roles of their operands.

use super::{OperandPhrase, OperandRole};
use crate::code::WordSlice;
use crate::verb::Verb;
use std::str::FromStr;
use std::sync::LazyLock;

/// The roles of a verb's operands: the role of the first ones, and the changes after keywords.
pub(super) struct VerbGrammar {
    /// A word that must be present for this grammar to apply.
    with: Option<&'static str>,
    pub(super) first: OperandRole,
    /// Keywords, with the phrase and role of the operands after them; a keyword without these is skipped.
    pub(super) words: Vec<(&'static str, Option<(OperandPhrase, OperandRole)>)>,
}

/// The grammar of a verb that is not in the table.
static READS_ALL: VerbGrammar = VerbGrammar { with: None, first: OperandRole::Read, words: Vec::new() };

/// The table of all verbs.
static TABLE: LazyLock<Vec<Vec<VerbGrammar>>> =
    LazyLock::new(|| read(include_str!("../operands.txt")).expect("the table is read by a test"));

/// Parses the table: the grammars of each verb. Returns none if it is malformed.
fn read(table: &'static str) -> Option<Vec<Vec<VerbGrammar>>> {
    let mut found: Vec<Vec<VerbGrammar>> = (0..Verb::COUNT).map(|_| Vec::new()).collect();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [verbs, first, words] = line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok()?;
        let (verbs, with) = match verbs.split_once(" with ") {
            Some((verbs, with)) => (verbs, Some(with)),
            None => (verbs, None),
        };
        for verb in verbs.split(' ') {
            let word = |word: &'static str| match word.split_once(':') {
                None => Some((word, None)),
                Some((word, leads)) => {
                    let (phrase, role) = leads.split_once('/')?;
                    Some((word, Some((OperandPhrase::from_str(phrase).ok()?, OperandRole::from_str(role).ok()?))))
                }
            };
            let words = words.split_whitespace().map(word).collect::<Option<Vec<_>>>()?;
            found[Verb::listed(verb)?.index()].push(VerbGrammar {
                with,
                first: OperandRole::from_str(first).ok()?,
                words,
            });
        }
    }
    Some(found)
}

/// Returns the grammar of a verb with these words.
pub(super) fn grammar_for(verb: Verb, words: WordSlice<'_>) -> &'static VerbGrammar {
    let mut all = TABLE[verb.index()].iter();
    all.find(|grammar| grammar.with.is_none_or(|word| words.has(word))).unwrap_or(&READS_ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed_and_a_line_that_is_not_is_refused() {
        let table = read(include_str!("../operands.txt")).unwrap();
        assert!(table.iter().filter(|grammars| !grammars.is_empty()).count() > 40);
        for wrong in [
            "MOVE | read",
            "MOVES | read | TO:to/set",
            "MOVE | red | TO",
            "MOVE | read | TO:to",
            "MOVE | read | TO:two/set",
        ] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }
}
