//! Secrets in tables: under a column of a redefinition, or under a comment heading.

use super::code::{MAX_LOOKBACK, SecretName, SecretSearch, content};
use super::found_secret::SecretKind;
use super::headings::TableHeading;
use super::names::{self, SecretGrade};
use super::passage::SecretRange;
use super::prose;
use std::ops::Range;
use war_rig_cobol::{RawToken, TokenKind};

/// The maximum number of tokens in the literals of a table.
const TABLE: usize = 4_000;
/// The width of a user and a password of eight characters each.
const PACKED: usize = 16;
/// The maximum distance in lines between a heading and its table.
const LINES_TO_TABLE: u32 = 4;

impl SecretSearch<'_> {
    /// Takes the literals that a table with a password column redefines: the rest of each literal from that column on.
    pub(super) fn take_redefined_table(&mut self, at: usize, level: u8, secret: &SecretName) {
        if !matches!(secret.grade, SecretGrade::Password | SecretGrade::Phrase | SecretGrade::Pin) || level < 2 {
            return;
        }
        let (mut own, mut is_first, mut group) = (level, true, None);
        for back in (at.saturating_sub(MAX_LOOKBACK)..at - 1).rev() {
            let Some(level) = self.entry_level(back) else { continue };
            // The items before it in the row, and the groups around it.
            is_first &= level < own;
            if level < own {
                own = level;
                group = Some(back + 1).filter(|name| self.is(name + 1, &["REDEFINES"]));
            }
            if group.is_some() || level == 1 {
                break;
            }
        }
        let Some(group) = group else { return };
        if self.redefined.replace(group) == Some(group) {
            return;
        }
        let name = self.word(group + 2);
        let is_it = |back: &usize| {
            self.word(*back).eq_ignore_ascii_case(name) && *back > 0 && self.entry_level(*back - 1).is_some()
        };
        let Some(area) = (group.saturating_sub(TABLE)..group).rev().find(is_it) else { return };
        for token in (area..group).filter(|token| self.kind(*token) == Some(TokenKind::Literal)).collect::<Vec<_>>() {
            let (inner, value) = (self.inner(token), content(self.word(token)));
            let behind = if is_first { 0 } else { names::after_first_word(value).unwrap_or(0) };
            if names::may_be_secret(&value[behind..], SecretGrade::Phrase) {
                let range = inner.start + behind..inner.end;
                self.found.push(SecretRange { range, kind: SecretKind::Value, name: Some(secret.name.clone()) });
            }
        }
    }

    /// Takes the passwords of a table under a comment heading, each after its user in the same literal, or in the next one.
    pub(super) fn take_headed_table(&mut self, heading: &TableHeading) {
        let first = self.tokens.partition_point(|token| token.line <= heading.line);
        let is_near = |token: &RawToken| token.line.get().abs_diff(heading.line.get()) <= LINES_TO_TABLE;
        let is_below = self.tokens.get(first).is_some_and(is_near)
            && self.entry_level(first).is_some_and(|level| level < 88)
            && self.take_headed_group(first, heading);
        // The comment may also come after its table.
        if !is_below && self.tokens.before(first).is_some_and(is_near) {
            let is_top = |back: &usize| matches!(self.entry_level(*back), Some(1 | 77));
            if let Some(top) = (first.saturating_sub(TABLE)..first).rev().find(is_top) {
                self.take_headed_group(top, heading);
            }
        }
    }

    /// Takes the passwords of a group; returns whether there are any. A comment inside the group covers entries of its first entry's level.
    pub(super) fn take_headed_group(&mut self, first: usize, heading: &TableHeading) -> bool {
        // Every entry is read below only one heading.
        if first < self.headed_to {
            return false;
        }
        let top = self.entry_level(first).unwrap_or(1);
        let ends = |next: usize| {
            self.entry_level(next).is_some_and(|level| level < top || (level == top && matches!(level, 1 | 77)))
        };
        let most = self.tokens.len().min(first + TABLE);
        let end =
            (first + 1..most).find(|next| ends(*next) || self.is(*next, &["DIVISION", "SECTION"])).unwrap_or(most);
        self.headed_to = end;
        let literals: Vec<usize> = (first..end).filter(|token| self.kind(*token) == Some(TokenKind::Literal)).collect();
        let pair = |token: &usize| names::columns(content(self.word(*token)));
        let pairs: Vec<Vec<Range<usize>>> = literals.iter().map(pair).collect();
        let is_paired = !pairs.is_empty() && pairs.iter().all(|words| words.len() == pairs[0].len() && words.len() > 1);
        let mut taken: Vec<Range<usize>> = Vec::new();
        // Two columns of eight without a separator.
        let is_packed = !pairs.is_empty() && pairs.iter().all(|words| words.len() == 1 && words[0] == (0..PACKED));
        for (index, (token, words)) in literals.iter().zip(&pairs).enumerate() {
            let (inner, value) = (self.inner(*token), content(self.word(*token)));
            let is_secret = |word: &Range<usize>| {
                let word = &value[word.clone()];
                prose::is_numbered(word)
                    || names::looks_like_secret(word)
                    || (is_paired && pairs.len() > 1 && words.len() == 2 && prose::is_plain(word))
            };
            let halves = [0..PACKED / 2, PACKED / 2..PACKED];
            let own = match words.as_slice() {
                [_] if is_packed && value.is_ascii() => Some(&halves[usize::from(!heading.password_first)]),
                [first, second, ..] => Some(if heading.password_first { first } else { second }),
                [only] if (index % 2 == 1) != heading.password_first => Some(only),
                _ => None,
            };
            if let Some(own) = own.filter(|own| is_secret(own)) {
                taken.push(inner.start + own.start..inner.start + own.end);
            }
        }
        // A single pair may be a coincidence.
        let is_table = !taken.is_empty() && taken.len() * 2 + usize::from(!is_paired) >= literals.len();
        if is_table {
            self.found.extend(taken.into_iter().map(|range| SecretRange {
                range,
                kind: SecretKind::Value,
                name: None,
            }));
        }
        is_table
    }
}
