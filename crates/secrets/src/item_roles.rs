//! What items and literals are used as: names of programs and resources, keys of records, and what stands beside a user.

use super::code::SecretSearch;
use super::names::{self, SecretGrade};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use war_rig_cobol::TokenKind;

/// An item with the name of a resource, in a command of CICS.
static RESOURCE: LazyLock<Regex> = LazyLock::new(|| {
    let options = "program|map|mapset|transid|file|dataset|queue|tsqueue|tdqueue|channel|container";
    let pattern = format!(r"(?i)\b(?:{options})\s*\(\s*([a-z0-9][a-z0-9-]*)\s*\)");
    Regex::new(&pattern).expect("the pattern is one")
});
/// The item with the key of a record, in a command of CICS.
static RECORD_KEY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bridfld\s*\(\s*([a-z0-9][a-z0-9-]*)").expect("the pattern is one"));

impl SecretSearch<'_> {
    /// Returns the items that contain a name: what CALL and CANCEL take, and what a command of CICS takes as a resource.
    pub(super) fn names(&self) -> &BTreeSet<String> {
        self.names.get_or_init(|| {
            let mut items = BTreeSet::new();
            for (at, token) in self.tokens.iter().enumerate().filter(|_| self.is_code) {
                match token.kind {
                    // Most words have another length.
                    TokenKind::Word if matches!(token.range().len(), 4 | 6) && self.is(at, &["CALL", "CANCEL"]) => {
                        let item = Some(at + 1).filter(|item| self.kind(*item) == Some(TokenKind::Word));
                        items.extend(item.map(|item| self.word(item).to_ascii_uppercase()));
                    }
                    TokenKind::Exec => {
                        let exec = &self.text[token.range()];
                        items.extend(RESOURCE.captures_iter(exec).map(|item| item[1].to_ascii_uppercase()));
                    }
                    _ => {}
                }
            }
            items
        })
    }

    /// Returns the items by which records are found: `RECORD KEY IS A`, `ON ASCENDING KEY A`, `RIDFLD(A)`.
    pub(super) fn record_keys(&self) -> &BTreeSet<String> {
        self.record_keys.get_or_init(|| {
            let mut items = BTreeSet::new();
            for (at, token) in self.tokens.iter().enumerate() {
                if token.kind == TokenKind::Exec {
                    let exec = &self.text[token.range()];
                    items.extend(RECORD_KEY.captures_iter(exec).map(|item| item[1].to_ascii_uppercase()));
                } else if self.is(at, &["KEY"])
                    && self.is(at.wrapping_sub(1), &["RECORD", "RELATIVE", "ASCENDING", "DESCENDING"])
                {
                    let item = if self.is(at + 1, &["IS"]) { at + 2 } else { at + 1 };
                    items.insert(self.word(item).to_ascii_uppercase());
                }
            }
            items
        })
    }

    /// Returns whether the literal at a token is the name of a copybook, a program or a file.
    pub(super) fn is_object_name(&self, at: usize) -> bool {
        let before = |back: usize| at.wrapping_sub(back);
        self.is(before(1), &["COPY", "CALL", "CANCEL", "ENTRY", "ASSIGN", "PROGRAM-ID"])
            || (self.is(before(1), &["TO"]) && self.is(before(2), &["ASSIGN"]))
            || (self.kind(before(1)) == Some(TokenKind::Period) && self.is(before(2), &["PROGRAM-ID"]))
    }

    /// Returns the grade of an ambiguous name that has a counterpart with `user`: `WS-DB-PASS` beside `WS-DB-USER`.
    pub(super) fn beside_a_user(&self, name: &str, grade: SecretGrade) -> SecretGrade {
        let upper = name.to_ascii_uppercase();
        let head = upper.strip_suffix("PASS").filter(|head| grade == SecretGrade::Perhaps && head.ends_with('-'));
        match head {
            Some(head) if self.users().contains(head) => SecretGrade::Password,
            _ => grade,
        }
    }

    /// Returns the prefixes before the word for a user in item names.
    fn users(&self) -> &BTreeSet<String> {
        self.users.get_or_init(|| {
            let words = self.tokens.iter().filter(|token| token.kind == TokenKind::Word);
            let heads = words.filter_map(|token| {
                let word = &self.text[token.range()];
                let at = word.rfind('-')? + 1;
                names::is_user(&word[at..]).then(|| word[..at].to_ascii_uppercase())
            });
            heads.collect()
        })
    }
}
