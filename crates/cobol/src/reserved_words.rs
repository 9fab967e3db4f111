//! The COBOL words that determine the structure.
//!
//! Sources: ISO/IEC 1989:2014 and the IBM Enterprise COBOL for z/OS 6.4 Language Reference, with the older verbs of
//! COBOL-74 that estates still contain.

use crate::verb::Verb;

/// Words that may be alone before a period but are not paragraph names, except verbs.
const NO_LABEL: &[&str] = &["DECLARATIVES", "EJECT", "ELSE", "SERVICE", "SKIP1", "SKIP2", "SKIP3", "THEN", "TITLE"];

/// The words behind which a statement names what it works on.
const BEFORE_OPERANDS: &[&str] = &[
    "AFTER", "AND", "BEFORE", "BY", "CONTENT", "DEPENDING", "EQUAL", "EQUALS", "FROM", "GIVING", "GREATER", "IN",
    "INTO", "IS", "KEY", "LESS", "NOT", "OF", "ON", "OR", "PROCEDURE", "REFERENCE", "REMAINDER", "RETURNING", "THAN",
    "THROUGH", "THRU", "TO", "UNTIL", "UPON", "USING", "VALUE", "VARYING", "WHEN", "WITH",
];

/// Returns whether the word may end a statement: it begins none, and nothing has to follow it.
pub(crate) fn may_end_statement(word: &str) -> bool {
    can_be_label(word) && !listed(BEFORE_OPERANDS, word)
}

/// Returns whether the word begins a statement.
pub(crate) fn is_verb(word: &str) -> bool {
    Verb::of(word).is_some()
}

/// Returns the verb that an `END-` word closes: `IF` for `END-IF`.
pub(crate) fn scope_end(word: &str) -> Option<Verb> {
    let verb = word.get(4..).filter(|_| word.as_bytes()[..4].eq_ignore_ascii_case(b"END-"))?;
    Verb::of(verb).filter(|verb| verb.has_scope())
}

/// Returns whether a word between two periods can name a paragraph.
pub(crate) fn can_be_label(word: &str) -> bool {
    let end_word = word.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("END-"));
    let terminator = end_word && (scope_end(word).is_some() || word.eq_ignore_ascii_case("END-EXEC"));
    !(terminator || is_verb(word) || listed(NO_LABEL, word))
}

/// Returns the division that contains the section with this name, if only one division has it.
pub(crate) fn division_of_section(word: &str) -> Option<&'static str> {
    const DATA: &[&str] = &["COMMUNICATION", "FILE", "LINKAGE", "LOCAL-STORAGE", "REPORT", "SCREEN", "WORKING-STORAGE"];
    if ["CONFIGURATION", "INPUT-OUTPUT"].iter().any(|name| word.eq_ignore_ascii_case(name)) {
        return Some("ENVIRONMENT");
    }
    DATA.iter().any(|name| word.eq_ignore_ascii_case(name)).then_some("DATA")
}

/// Returns whether the word begins a paragraph of the ENVIRONMENT DIVISION.
pub(crate) fn is_environment_paragraph(word: &str) -> bool {
    ["FILE-CONTROL", "I-O-CONTROL", "OBJECT-COMPUTER", "SOURCE-COMPUTER", "SPECIAL-NAMES"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}

/// Returns the division that a word before DIVISION names.
pub(crate) fn division(word: &str) -> Option<&'static str> {
    const NAMES: &[&str] = &["IDENTIFICATION", "ENVIRONMENT", "DATA", "PROCEDURE"];
    let name = NAMES.iter().find(|name| word.eq_ignore_ascii_case(name)).copied();
    name.or_else(|| word.eq_ignore_ascii_case("ID").then_some("IDENTIFICATION"))
}

/// Returns whether the word begins a paragraph of the IDENTIFICATION DIVISION whose text is a comment entry.
pub(crate) fn opens_comment_entry(word: &str) -> bool {
    ["AUTHOR", "INSTALLATION", "DATE-WRITTEN", "DATE-COMPILED", "SECURITY", "REMARKS"]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name))
}

/// Returns whether the word begins a compilation unit: `PROGRAM-ID` and similar words.
pub(crate) fn is_unit_keyword(word: &str) -> bool {
    ["PROGRAM-ID", "FUNCTION-ID", "CLASS-ID", "METHOD-ID"].iter().any(|name| word.eq_ignore_ascii_case(name))
}

/// The words after END that end a unit, not a statement: `END PROGRAM X.`
pub(crate) const UNITS: [&str; 4] = ["PROGRAM", "FUNCTION", "CLASS", "METHOD"];

/// Returns whether a list of upper-case words contains a word in any case.
fn listed(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_belongs_to_the_word() {
        for label in ["END-ROUTINE-12", "READ-SYSIN-INPUT", "EXIT-PROGRAM", "4", "COL", "NOTHING", "SECTION-COUNT"] {
            assert!(can_be_label(label), "{label}");
        }
        for word in ["EXIT", "Goback", "CONTINUE", "END-IF", "end-exec", "END-PERFORM", "ELSE"] {
            assert!(!can_be_label(word), "{word}");
        }
    }
}
