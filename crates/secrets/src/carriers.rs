//! Items with an innocent name that carry a secret: they are moved from or to an item with a secret's name, compared with it, passed as a password,
//! or accepted after a prompt for one.

use super::code::{MAX_VALUE_DISTANCE, SecretName, SecretSearch};
use super::names::{self, SecretGrade};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use war_rig_cobol::{FIGURATIVE_CONSTANTS, TokenKind};

/// Words in a statement that are not items, besides the figurative constants.
const NO_ITEMS: &[&str] = &[
    "ALL", "FUNCTION", "TRIM", "UPPER-CASE", "LOWER-CASE", "REVERSE", "LENGTH", "OF", "IN", "TO", "NOT", "OR", "AND",
    "EQUAL", "EQUALS", "IS", "CORRESPONDING", "CORR", "TRUE", "FALSE", "LEADING", "TRAILING", "ALSO", "ANY", "OTHER",
    "THRU", "THROUGH", "THAN", "NUMERIC", "ALPHABETIC", "ADDRESS",
];

/// Items that CICS and SQL take as a password.
static HANDED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"(?i)\b(?:new)?(?:password|phrase)\s*\(\s*([a-z][a-z0-9_-]*)\s*\)|\bidentified\s+by\s+:([a-z][a-z0-9_-]*)";
    Regex::new(pattern).expect("the pattern is one")
});
/// The item that CONNECT takes as a password after USING, which names the database after IDENTIFIED BY.
static USED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bconnect\b[^;]{0,200}?\busing\s+:([a-z][a-z0-9_-]*)").expect("the pattern is one")
});

/// Items that carry a secret, by their names in upper case, each with its grade.
#[derive(Default)]
pub(super) struct SecretCarriers {
    items: BTreeMap<String, SecretGrade>,
}

impl SecretSearch<'_> {
    /// Records the items that carry a secret according to the statement of its name.
    pub(super) fn note_carriers(&self, at: usize, secret: &SecretName, carriers: &mut SecretCarriers) {
        if !matches!(secret.grade, SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin) {
            return;
        }
        let start = self.verb_index(at);
        if self.is(start, &["MOVE"]) {
            let end = self.statement(at).1;
            let Some(to) = (start..end).find(|token| self.is(*token, &["TO"])) else { return };
            let others = if at < to { to + 1..end } else { start + 1..to };
            // An item for the length of a password is not a password.
            if !(start..to).any(|token| self.is(token, &["LENGTH", "CORRESPONDING", "CORR"])) {
                self.items(others, secret.grade, carriers);
            }
        } else if self.is(start, &["UNSTRING"]) && (start..at).any(|token| self.is(token, &["INTO"])) {
            self.items(start + 1..start + 2, SecretGrade::Pair, carriers);
        } else if self.is(start, &["IF", "WHEN", "UNTIL", "PERFORM", "SEARCH"]) {
            let behind = self.operator_end(self.operand_end(at));
            let before = at.checked_sub(2).filter(|_| self.is_symbol(at.wrapping_sub(1), &["="]));
            for other in behind.into_iter().chain(before) {
                self.items(other..other + 1, secret.grade, carriers);
            }
        }
    }

    /// Records the items that an embedded language takes as a password, and items accepted after a prompt for one.
    pub(super) fn note_passed_items(&self, at: usize, carriers: &mut SecretCarriers) {
        if self.kind(at) == Some(TokenKind::Exec) {
            let exec = self.word(at);
            let handed = HANDED.captures_iter(exec).filter_map(|item| item.get(1).or(item.get(2)));
            let used = USED.captures_iter(exec).filter(|used| !is_identified(&used[0])).filter_map(|used| used.get(1));
            for item in handed.chain(used) {
                self.carry(item.as_str(), SecretGrade::Password, carriers);
            }
            return;
        }
        if let Some(value) = self.variable_value(at).filter(|value| self.kind(*value) == Some(TokenKind::Word))
            && let Some(grade) = self.table.grade_of_name(super::code::content(self.word(at)).trim_end())
        {
            self.items(value..value + 1, grade, carriers);
        }
        let start = self.verb_index(at);
        let asks = self.is(start, &["DISPLAY"])
            && super::code::content(self.word(at)).split([' ', ':', '?', '.', '_', '-']).any(|word| {
                self.table.grade_of_name(word).is_some_and(|grade| {
                    matches!(grade, SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin)
                })
            });
        if asks {
            let accept = (at + 1..at + MAX_VALUE_DISTANCE)
                .find(|next| self.is(*next, &["ACCEPT", "PERFORM", "IF", "GO", "STOP", "GOBACK", "EXIT"]));
            if let Some(accept) = accept.filter(|accept| self.is(*accept, &["ACCEPT"])) {
                self.items(accept + 1..accept + 2, SecretGrade::Password, carriers);
            }
        } else if self.is(start, &["ACCEPT"]) && self.is(at.wrapping_sub(1), &["ENVIRONMENT"]) {
            let name = super::code::content(self.word(at)).trim_end();
            if let Some(grade) = self.table.grade_of_name(name) {
                self.items(start + 1..start + 2, grade, carriers);
            }
        }
    }

    /// Takes the values of the items that carry a secret, and the values compared with them, in one pass over the source.
    pub(super) fn take_carried_values(&mut self, carriers: &SecretCarriers) -> bool {
        if carriers.items.is_empty() {
            return false;
        }
        let lengths: BTreeSet<usize> = carriers.items.keys().map(String::len).collect();
        let mut places = Vec::new();
        let mut shared = BTreeSet::new();
        for at in 0..self.tokens.len() {
            if self.kind(at) != Some(TokenKind::Word) || !lengths.contains(&self.word(at).len()) {
                continue;
            }
            let name = self.word(at).to_ascii_uppercase();
            let Some(grade) = carriers.items.get(&name) else { continue };
            // A value of an item that also has other uses must look like a secret itself.
            if self.is_shared(at, carriers) {
                shared.insert(name.clone());
            }
            places.push((at, SecretName { name, grade: *grade, only_telling: false }));
        }
        let mut evaluated = false;
        for (at, mut secret) in places {
            secret.only_telling = shared.contains(&secret.name);
            self.take_values_of(at, &secret);
            evaluated |= self.is_evaluated(at);
            self.carrying.insert(at, secret);
        }
        evaluated
    }

    /// Returns whether an item at a token is moved from or to an item that carries no secret.
    fn is_shared(&self, at: usize, carriers: &SecretCarriers) -> bool {
        let start = self.verb_index(at);
        if !self.is(start, &["MOVE"]) {
            return false;
        }
        let end = self.statement(at).1;
        (start + 1..end).any(|token| {
            token != at
                && self.is_item(token)
                && self.secret_name(token).is_none()
                && !carriers.items.contains_key(&self.word(token).to_ascii_uppercase())
        })
    }

    fn items(&self, tokens: std::ops::Range<usize>, grade: SecretGrade, carriers: &mut SecretCarriers) {
        for token in tokens {
            if self.is_item(token)
                && !self.is(token.wrapping_sub(1), &["OF", "IN"])
                && self.secret_name(token).is_none()
            {
                self.carry(self.word(token), grade, carriers);
            }
        }
    }

    fn carry(&self, item: &str, grade: SecretGrade, carriers: &mut SecretCarriers) {
        if self.table.grade_of_name(item).is_none() && !names::is_secret_metadata(item) {
            carriers.items.entry(item.to_ascii_uppercase()).or_insert(grade);
        }
    }

    /// Returns whether a token names an item: a word that is not a number or a statement's word, outside parentheses.
    fn is_item(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Word)
            && !self.word(at).starts_with(|c: char| c.is_ascii_digit())
            && !self.is(at, NO_ITEMS)
            && !self.is(at, FIGURATIVE_CONSTANTS)
            && !self.is_symbol(at.wrapping_sub(1), &["(", ":"])
    }
}

/// Returns whether a CONNECT names its password after IDENTIFIED BY.
pub(super) fn is_identified(connect: &str) -> bool {
    connect.split_whitespace().any(|word| word.eq_ignore_ascii_case("IDENTIFIED"))
}
