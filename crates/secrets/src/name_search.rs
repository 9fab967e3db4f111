//! The search for what a source uses as a name.
//!
//! A value that looks like a secret may be the name of a program or an item. Masked as a secret, it would be masked wherever the estate mentions the
//! program. The search therefore looks for the values of suspected secrets where only names can be.

use super::known_secrets::is_whole;
use aho_corasick::AhoCorasick;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;
use war_rig_cobol::{LexedSource, TokenKind};
use war_rig_text::SourceText;

/// The minimum length of a name, in characters.
const SHORTEST: usize = 3;
/// The maximum number of bytes read before a name, so that the time for a line as long as its file is not quadratic.
const BYTES_BEFORE: usize = 60;

/// The name of an object in a command of CICS or SQL.
static IN_COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    let options = "program|map|mapset|transid|file|dataset|(?:ts|td)?queue|qname";
    regex(&format!(r#"(?i)\b(?:(?:{options})\s*\(\s*['"]|include\s+)([A-Z0-9#@$_-]+)"#))
});
/// The text before the name of an object in job control and in definitions, and that before the name of anything else.
static BEFORE_OBJECT: LazyLock<Regex> = LazyLock::new(|| {
    let options = "PGM|PROC|PROG|PROGRAM|TRAN|TRANSID|TRANSACTION|MAPSET|MAP|MEMBER|PSB|DBD";
    regex(&format!(r"(?i)(?:\bEXEC[ ]+|\b(?:{options})[ ]*[=(][ ]*'?)$"))
});
static BEFORE_NAME: LazyLock<Regex> = LazyLock::new(|| {
    let options = "FILE|DATASET|DSN|DSNAME|DDNAME|GROUP|LIST|DATABASE|TABLESPACE";
    regex(&format!(r"(?i)(?:^//|\b(?:{options})[ ]*[=(][ ]*'?(?:[A-Z0-9#@$&-]+[.(])*)$"))
});
/// The text behind the label of a macro or an instruction that defines a part of a source.
static BEHIND_LABEL: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)^[ \t]+(?:DFH[A-Z]+|CSECT|DSECT|START|RSECT|EQU|PROC)\b"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one")
}

/// What a name is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameUse {
    /// A program, a copybook, a map, a transaction, a file or another object with a name of its own.
    Object,
    /// A data item, a paragraph, a data set or something else that a password may be named after.
    Word,
}

/// Values of suspected secrets that may be names.
pub struct NameSearch {
    values: Vec<String>,
    automaton: AhoCorasick,
}

impl NameSearch {
    /// Makes a search for those of these values that are written like names; `None` if there are none.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a String>) -> Option<Self> {
        let values: BTreeSet<&str> =
            values.into_iter().map(|value| value.trim()).filter(|value| may_be(value)).collect();
        let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
        if values.is_empty() {
            return None;
        }
        let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(&values).ok()?;
        Some(Self { values, automaton })
    }

    /// Returns whether a text may contain one of them.
    pub fn may_occur_in(&self, text: &str) -> bool {
        self.automaton.is_match(text)
    }

    /// Returns the values that are the name of a source.
    pub fn used_as_source(&self, name: &str) -> BTreeMap<String, NameUse> {
        let values = self.values.iter().filter(|value| value.eq_ignore_ascii_case(name));
        values.map(|value| (value.clone(), NameUse::Object)).collect()
    }

    /// Returns the values that the code of a source uses as names.
    pub fn used_in_code(&self, lexed: &LexedSource) -> BTreeMap<String, NameUse> {
        let objects = objects_in_code(lexed);
        let words = lexed.tokens().iter().filter(|token| token.kind == TokenKind::Word);
        let words: BTreeSet<String> = words.map(|token| lexed.text()[token.range()].to_ascii_uppercase()).collect();
        let used = |value: &String| {
            let upper = value.to_ascii_uppercase();
            let usage = if objects.contains(&upper) { NameUse::Object } else { NameUse::Word };
            (usage == NameUse::Object || words.contains(&upper)).then(|| (value.clone(), usage))
        };
        self.values.iter().filter_map(used).collect()
    }

    /// Returns the values that a source other than COBOL uses as names.
    pub fn used_in_text(&self, source: &SourceText) -> BTreeMap<String, NameUse> {
        let mut uses = BTreeMap::new();
        for line in source.lines() {
            let text = line.text();
            let used = |range: &Range<usize>| {
                let before = before_name(text, range.start);
                let is_label = range.start == 0 && BEHIND_LABEL.is_match(&text[range.end..]);
                if is_label || BEFORE_OBJECT.is_match(before) {
                    return Some(NameUse::Object);
                }
                BEFORE_NAME.is_match(before).then_some(NameUse::Word)
            };
            add_uses(&mut uses, self.uses(text, used));
        }
        uses
    }

    fn uses<'a>(
        &'a self,
        text: &'a str,
        used: impl Fn(&Range<usize>) -> Option<NameUse> + 'a,
    ) -> impl Iterator<Item = (String, NameUse)> + 'a {
        let found = self.automaton.find_overlapping_iter(text).filter(|found| is_whole(text, &found.range()));
        found.filter_map(move |found| Some((self.values[found.pattern().as_usize()].clone(), used(&found.range())?)))
    }
}

/// Adds uses to those of other sources. What is the name of an object somewhere is one everywhere.
pub fn add_uses(uses: &mut BTreeMap<String, NameUse>, more: impl IntoIterator<Item = (String, NameUse)>) {
    for (name, usage) in more {
        let own = uses.entry(name).or_insert(usage);
        *own = usage.min(*own);
    }
}

/// Returns the names of the objects that the code of a source mentions, in upper case: of copybooks, programs, maps, files and the like.
pub(super) fn objects_in_code(lexed: &LexedSource) -> BTreeSet<String> {
    let (text, tokens) = (lexed.text(), lexed.tokens());
    let mut names = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let word = &text[token.range()];
        let before = |back: usize| {
            let token = at.checked_sub(back).and_then(|at| tokens.get(at));
            token.map_or("", |token| &text[token.range()])
        };
        let is_after = |words: &[&str], before: &str| words.iter().any(|one| one.eq_ignore_ascii_case(before));
        match token.kind {
            TokenKind::Literal if is_after(&["COPY", "CALL", "CANCEL", "ENTRY", "PROGRAM-ID"], before(1)) => {
                names.insert(super::code::content(word).trim().to_ascii_uppercase());
            }
            // CALL names an item, and not the program in it.
            TokenKind::Word
                if is_after(&["COPY"], before(1)) || (before(1) == "." && is_after(&["PROGRAM-ID"], before(2))) =>
            {
                names.insert(word.to_ascii_uppercase());
            }
            TokenKind::Exec => {
                names.extend(IN_COMMAND.captures_iter(word).map(|name| name[1].to_ascii_uppercase()));
            }
            _ => {}
        }
    }
    names
}

/// Returns the text of a line before a name, or the end of it.
fn before_name(text: &str, at: usize) -> &str {
    let from = at.saturating_sub(BYTES_BEFORE);
    let from = (from..at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    &text[from..at]
}

/// Returns whether a value has only characters of a name.
fn may_be(value: &str) -> bool {
    value.chars().count() >= SHORTEST
        && value.chars().any(char::is_alphabetic)
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | '@' | '$'))
}
