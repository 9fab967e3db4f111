//! Secrets in COBOL entries and statements: literals that belong to an item whose name indicates a secret.

use super::carriers::SecretCarriers;
use super::found_secret::SecretKind;
use super::headings::TableHeading;
use super::names::{self, SecretGrade};
use super::passage::{Passage, PassageHits, SecretRange};
use super::prose;
use super::rules::SecretRules;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use war_rig_cobol::{RawToken, TokenKind, TokenSlice, Verb};

/// The maximum number of tokens between a name and the start of its statement, so that a source of only names takes no longer.
pub(super) const MAX_LOOKBACK: usize = 100;
/// The maximum distance in tokens to the value that a literal names: after `DELIMITED BY SIZE`, or in the next entry.
pub(super) const MAX_VALUE_DISTANCE: usize = 12;
/// The maximum number of tokens of a data description entry in a comment, which may have no end.
const ENTRY_IN_COMMENT: usize = 40;

/// The words of a binary USAGE.
const BINARY_USAGES: &[&str] =
    &["BINARY", "COMP", "COMP-4", "COMP-5", "COMPUTATIONAL", "COMPUTATIONAL-4", "COMPUTATIONAL-5"];

/// Adds the secrets of the marked names, and those of the tables under comment headings.
pub(super) fn search_code(
    passage: &Passage<'_>,
    hits: &PassageHits<'_>,
    headings: &[TableHeading],
    table: &SecretRules,
    found: &mut Vec<SecretRange>,
) {
    let mut search = SecretSearch {
        table,
        text: &passage.text,
        tokens: TokenSlice::of(&hits.tokens),
        is_code: passage.is_code,
        found,
        walked: 0,
        carrying: BTreeMap::new(),
        users: OnceCell::new(),
        names: OnceCell::new(),
        record_keys: OnceCell::new(),
        redefined: None,
        headed_to: 0,
    };
    let (mut evaluated, mut carriers) = (false, SecretCarriers::default());
    for at in &hits.marked {
        match search.kind(*at) {
            Some(TokenKind::Literal) => {
                search.check_call(*at);
                // The name of a copybook, a program or a file names no value.
                if !search.is_object_name(*at) {
                    search.take_variable(*at);
                    search.take_labeled_value(*at);
                    search.take_encoded_logon(*at);
                    search.take_pass_command(*at);
                }
                search.note_passed_items(*at, &mut carriers);
                continue;
            }
            Some(TokenKind::Exec) => search.note_passed_items(*at, &mut carriers),
            _ => {}
        }
        let Some(secret) = search.secret_name(*at) else { continue };
        search.take_values_of(*at, &secret);
        search.take_argument(*at, &secret);
        search.note_carriers(*at, &secret, &mut carriers);
        evaluated |= search.is_evaluated(*at);
    }
    if passage.is_code {
        evaluated |= search.take_carried_values(&carriers);
    }
    if evaluated {
        search.evaluations();
    }
    for heading in headings {
        search.take_headed_table(heading);
    }
}

/// A name and its grade.
pub(super) struct SecretName {
    pub(super) name: String,
    pub(super) grade: SecretGrade,
    /// Whether the evidence is so weak that a value must look like a secret itself.
    pub(super) only_telling: bool,
}

impl SecretName {
    pub(super) fn new(name: &str, grade: SecretGrade) -> Self {
        Self { name: name.to_uppercase(), grade, only_telling: false }
    }
}

pub(super) struct SecretSearch<'a> {
    pub(super) table: &'a SecretRules,
    pub(super) text: &'a str,
    pub(super) tokens: TokenSlice<'a, RawToken>,
    pub(super) is_code: bool,
    pub(super) found: &'a mut Vec<SecretRange>,
    /// The tokens before this one belong to entries whose group was searched.
    walked: usize,
    /// The tokens that name an item which carries a secret.
    pub(super) carrying: BTreeMap<usize, SecretName>,
    pub(super) users: OnceCell<BTreeSet<String>>,
    /// The items that contain the name of a program, a map, a file or another resource.
    pub(super) names: OnceCell<BTreeSet<String>>,
    /// The items by which records are found or sorted.
    pub(super) record_keys: OnceCell<BTreeSet<String>>,
    /// The group whose redefined item was searched last.
    pub(super) redefined: Option<usize>,
    /// The tokens before this one were read below a heading.
    pub(super) headed_to: usize,
}

impl<'a> SecretSearch<'a> {
    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| &self.text[token.range()])
    }

    pub(super) fn is(&self, at: usize, words: &[&str]) -> bool {
        self.kind(at) == Some(TokenKind::Word) && words.iter().any(|word| word.eq_ignore_ascii_case(self.word(at)))
    }

    pub(super) fn is_symbol(&self, at: usize, symbols: &[&str]) -> bool {
        self.kind(at) == Some(TokenKind::Symbol) && symbols.contains(&self.word(at))
    }

    /// Returns the name at a token, if it indicates a secret.
    pub(super) fn secret_name(&self, at: usize) -> Option<SecretName> {
        let word = Some(self.word(at)).filter(|_| self.kind(at) == Some(TokenKind::Word))?;
        let grade = self.table.grade_of_name(word)?;
        let is_among = |items: &BTreeSet<String>| items.contains(&word.to_ascii_uppercase());
        if is_among(self.names()) || (grade == SecretGrade::Material && is_among(self.record_keys())) {
            return None;
        }
        Some(SecretName::new(word, self.beside_a_user(word, grade)))
    }

    /// Takes the values assigned to the item at a token, and those compared with it.
    pub(super) fn take_values_of(&mut self, at: usize, secret: &SecretName) {
        if at >= self.walked {
            self.entry(at, secret);
        }
        self.receiver(at, secret);
        self.replaced(at, secret);
        self.comparison(at, secret);
        self.reversed(at, secret);
    }

    /// Returns the verb of a token's statement.
    pub(super) fn verb_index(&self, at: usize) -> usize {
        let floor = at.saturating_sub(MAX_LOOKBACK);
        (floor..=at).rev().find(|back| self.is_statement_edge(*back)).unwrap_or(floor)
    }

    /// Returns the range of a token's statement: from its verb to the token after its end.
    pub(super) fn statement(&self, at: usize) -> (usize, usize) {
        let end = (at + 1..at + MAX_LOOKBACK).find(|next| self.is_statement_edge(*next)).unwrap_or(at + MAX_LOOKBACK);
        (self.verb_index(at), end.min(self.tokens.len()))
    }

    /// Returns the range of a literal's characters.
    pub(super) fn inner(&self, at: usize) -> Range<usize> {
        let (word, range) = (self.word(at), self.tokens.get(at).map_or(0..0, RawToken::range));
        let start = range.start + word.find(['\'', '"']).map_or(0, |quote| quote + 1);
        start..start + content(word).len()
    }

    /// Records the literal or number at a token, if it may be a secret; returns whether there is one.
    pub(super) fn take(&mut self, at: usize, secret: &SecretName, kind: SecretKind) -> bool {
        let word = self.word(at);
        let (is_secret, range) = match self.kind(at) {
            Some(TokenKind::Literal) => {
                let inner = self.inner(at);
                let part = match secret.grade {
                    // If a group contains both parts, a value that looks like a password is one.
                    SecretGrade::Pair => names::second_of_pair(content(word))
                        .or_else(|| Some(0..inner.len()).filter(|_| names::looks_like_secret(content(word).trim()))),
                    _ => Some(0..inner.len()).filter(|_| is_secret_literal(word, secret.grade)),
                };
                let part =
                    part.filter(|part| !secret.only_telling || names::looks_like_secret(&content(word)[part.clone()]));
                let part = part.map(|part| inner.start + part.start..inner.start + part.end);
                (part.is_some(), part.unwrap_or(inner))
            }
            Some(TokenKind::Word) if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let range = self.tokens.get(at).map_or(0..0, RawToken::range);
                (!secret.only_telling && names::may_be_secret_number(word, secret.grade), range)
            }
            _ => return false,
        };
        if is_secret {
            self.found.push(SecretRange { range, kind, name: Some(secret.name.clone()) });
        }
        true
    }

    /// Returns the level of the data description entry that begins at a token.
    pub(super) fn entry_level(&self, at: usize) -> Option<u8> {
        let token = self.tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
        let begins = token.first || at == 0 || self.kind(at - 1) == Some(TokenKind::Period);
        let level: u8 = self.word(at).parse().ok()?;
        (begins && matches!(level, 1..=49 | 66 | 77 | 78 | 88)).then_some(level)
    }

    /// Takes the values of a name's entry, and of the entries below it.
    fn entry(&mut self, at: usize, secret: &SecretName) {
        let Some(level) = at.checked_sub(1).and_then(|before| self.entry_level(before)) else { return };
        if self.is(at + 1, &["REDEFINES"]) {
            self.redefined(at, secret);
        }
        self.take_redefined_table(at, level, secret);
        let mut next = self.values(at, secret);
        while let Some(below) = self.entry_level(next) {
            if !(below == 88 || (below > level && below <= 49)) {
                break;
            }
            let name = self.word(next + 1);
            if names::is_secret_metadata(name) {
                next = self.end_of_entry(next + 1) + 1;
            } else {
                next = self.values(next + 1, secret);
            }
        }
        self.walked = next;
    }

    /// Takes the values of the item that a secret's item redefines, and of the entries below that item.
    fn redefined(&mut self, at: usize, secret: &SecretName) {
        let name = self.word(at + 2);
        let is_it = |back: &usize| {
            self.word(*back).eq_ignore_ascii_case(name) && *back > 0 && self.entry_level(*back - 1).is_some()
        };
        let mut next = (at.saturating_sub(MAX_LOOKBACK)..at).rev().find(is_it).unwrap_or(at);
        while next < at {
            next = self.values(next, secret) + 1;
        }
    }

    /// Takes the values of the entry whose name or first clause is at a token; returns the start of the next entry.
    fn values(&mut self, at: usize, secret: &SecretName) -> usize {
        let end = self.end_of_entry(at);
        // What is counted in binary is a length or a number of passwords.
        let is_count = (at + 1..end).any(|token| self.is(token, BINARY_USAGES)) && !secret.name.contains("PIN");
        let mut is_list = false;
        for token in at + 1..end {
            // Other numbers of an entry are sizes.
            let is_first = self.is(token - 1, &["VALUE", "VALUES", "IS", "ARE", "AS"]);
            let is_literal = self.kind(token) == Some(TokenKind::Literal);
            let is_value = (is_literal || ((is_first || is_list) && !is_count))
                && !(is_literal && self.is_caption(at, token, secret.grade));
            let is_taken = is_value && self.take(token, secret, SecretKind::Value);
            is_list = is_taken || (is_list && (self.is_symbol(token, &[","]) || self.is(token, &["THRU", "THROUGH"])));
        }
        end + 1
    }

    /// Returns whether a literal of an entry only repeats the entry's name: the caption of a column, a keyword, or the name of a variable.
    fn is_caption(&self, name: usize, literal: usize, grade: SecretGrade) -> bool {
        let value = content(self.word(literal)).trim().replace('_', "-").to_ascii_uppercase();
        let own = self.word(name).to_ascii_uppercase();
        let is_end = own.strip_suffix(value.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('-'));
        if value.contains('-') {
            return is_end;
        }
        let is_sure = matches!(grade, SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin);
        if !is_sure {
            return own.split('-').any(|part| part == value);
        }
        // A password may be `PASSWORD`, but not in a row of captions.
        is_end && (self.is_captioned(self.end_of_entry(name) + 1) || self.is_captioned(self.entry_before(name)))
    }

    /// Returns whether the value of the entry that begins at a token is the last part of its name.
    fn is_captioned(&self, start: usize) -> bool {
        if self.entry_level(start).is_none() {
            return false;
        }
        let mut tokens = start + 2..self.end_of_entry(start + 1);
        let literal = tokens.find(|token| self.kind(*token) == Some(TokenKind::Literal));
        literal.is_some_and(|literal| {
            let value = content(self.word(literal)).trim();
            let last = self.word(start + 1).rsplit('-').next().unwrap_or_default();
            !value.is_empty() && value.eq_ignore_ascii_case(last)
        })
    }

    /// Returns the start of the entry before the one whose name is at a token.
    fn entry_before(&self, name: usize) -> usize {
        let period = name.saturating_sub(2);
        let floor = period.saturating_sub(MAX_LOOKBACK);
        let end = (floor..period).rev().find(|back| self.kind(*back) == Some(TokenKind::Period));
        end.map_or(floor, |end| end + 1)
    }

    /// Returns the period of a token's entry.
    fn end_of_entry(&self, at: usize) -> usize {
        let most = if self.is_code { self.tokens.len() } else { self.tokens.len().min(at + ENTRY_IN_COMMENT) };
        let rest = self.tokens.slice(at..most);
        at + rest.iter().position(|token| token.kind == TokenKind::Period).unwrap_or(rest.len())
    }

    /// Takes what MOVE and STRING put into a name.
    fn receiver(&mut self, at: usize, secret: &SecretName) {
        let floor = at.saturating_sub(MAX_LOOKBACK);
        if at > 0 && self.is(at - 1, &["INTO"]) {
            let start = (floor..at - 1).rev().find(|back| self.is_statement_edge(*back));
            if let Some(start) = start.filter(|start| self.is(*start, &["STRING"])) {
                let mut before = 0;
                for token in start + 1..at - 1 {
                    if self.is(token - 1, &["BY"]) || self.kind(token) != Some(TokenKind::Literal) {
                        continue;
                    }
                    // In a user and a password strung together, the second is the password.
                    let is_second = secret.grade == SecretGrade::Pair
                        && before > 0
                        && prose::is_numbered(content(self.word(token)).trim());
                    before += 1;
                    if is_second {
                        self.take(token, &SecretName::new(&secret.name, SecretGrade::Password), SecretKind::Moved);
                    } else {
                        self.take(token, secret, SecretKind::Moved);
                    }
                }
            }
            return;
        }
        let back = (floor..at).rev().find(|back| self.is(*back, &["TO"]) || self.is_statement_edge(*back));
        let Some(to) = back.filter(|to| self.is(*to, &["TO"])) else { return };
        let start = (floor..to).rev().find(|back| self.is_statement_edge(*back));
        if let Some(start) = start.filter(|start| self.is(*start, &["MOVE", "ADD"])) {
            for token in start + 1..to {
                self.take(token, secret, SecretKind::Moved);
            }
        }
    }

    /// Takes what SET puts into a name, what INSPECT and INITIALIZE replace in it, and the literal that UNSTRING splits into it.
    fn replaced(&mut self, at: usize, secret: &SecretName) {
        let floor = at.saturating_sub(MAX_LOOKBACK);
        let start = (floor..=at).rev().find(|back| self.is_statement_edge(*back)).unwrap_or(floor);
        if self.is(start, &["UNSTRING"]) && self.kind(start + 1) == Some(TokenKind::Literal) {
            if (start..at).any(|token| self.is(token, &["INTO"])) {
                self.take(start + 1, secret, SecretKind::Moved);
            }
            return;
        }
        if self.is(start, &["SET"]) && self.is(at + 1, &["TO"]) {
            self.take(at + 2, secret, SecretKind::Moved);
        }
        if !self.is(start, &["INSPECT", "INITIALIZE"]) {
            return;
        }
        let end = (at + 1..at + MAX_LOOKBACK).find(|next| self.is_statement_edge(*next)).unwrap_or(at + MAX_LOOKBACK);
        for token in at + 1..end {
            if self.is(token - 1, &["BY"]) {
                self.take(token, secret, SecretKind::Moved);
            }
        }
    }

    /// Returns whether no statement continues over a token, apart from its verb.
    pub(super) fn is_statement_edge(&self, at: usize) -> bool {
        match self.kind(at) {
            Some(TokenKind::Word) => {
                Verb::of(self.word(at)).is_some() || self.is(at, &["ELSE", "THEN", "WHEN"]) || {
                    let head = self.word(at).as_bytes().get(..4);
                    head.is_some_and(|head| head.eq_ignore_ascii_case(b"END-"))
                }
            }
            Some(TokenKind::Literal | TokenKind::Symbol) => false,
            _ => true,
        }
    }

    /// Returns the token after a name with its qualifiers, subscripts and enclosing function.
    pub(super) fn operand_end(&self, at: usize) -> usize {
        let mut next = at + 1;
        let most = at + MAX_LOOKBACK;
        while next < most {
            if self.is(next, &["OF", "IN"]) && !self.is_behind_comma(next) {
                next += 2;
            } else if self.is_symbol(next, &["("]) {
                while next < most && !self.is_symbol(next, &[")"]) {
                    next += 1;
                }
                next += 1;
            } else if self.is_symbol(next, &[")"]) {
                next += 1;
            } else {
                break;
            }
        }
        next
    }

    /// Returns whether a comma separates a token from the one before it.
    fn is_behind_comma(&self, at: usize) -> bool {
        let end = |at: usize| self.tokens.get(at).map_or(0, |token| token.range().end);
        let start = self.tokens.get(at).map_or(0, |token| token.range().start);
        self.text[end(at.wrapping_sub(1)).min(start)..start].contains(',')
    }
}

/// Returns the characters of a literal, without its quotes and prefix.
pub(super) fn content(literal: &str) -> &str {
    let body = literal.trim_start_matches(|c| c != '\'' && c != '"');
    let Some(quote) = body.chars().next() else { return "" };
    let inner = &body[1..];
    inner.strip_suffix(quote).unwrap_or(inner)
}

fn is_secret_literal(literal: &str, grade: SecretGrade) -> bool {
    let inner = content(literal);
    if !literal.starts_with(['x', 'X']) {
        return names::may_be_secret(inner, grade);
    }
    // Hexadecimal digits, two per byte: at least three bytes that are not all the same.
    let (pairs, rest) = inner.as_bytes().as_chunks::<2>();
    let fewest = if grade == SecretGrade::Material { 8 } else { 3 };
    !matches!(grade, SecretGrade::Perhaps | SecretGrade::Pair)
        && rest.is_empty()
        && pairs.len() >= fewest
        && pairs.iter().any(|pair| *pair != pairs[0])
}
