//! The audit: matches of an agent's patterns in the input that the answer misses.
//!
//! The audit scans the input part by part, once and in order, without overlaps. It finds matches that span a cut, because it keeps the end of the
//! scanned text until more comes: matches of up to 1 KB, with the context that a pattern needs around them. It finds no match across missing parts.
//! It scans each record separately, and each value of a JSON record.

use crate::agent::{Agent, AuditPattern};
use crate::input::InputContent;
use crate::json_pointer;
use crate::merge::InputLocation;
use crate::outcome::{AuditResult, MissedText};
use crate::part_text::PartText;
use crate::record_values::{self, with_line_ends};
use crate::slice::{Slice, ceiling, floor};
use crate::word_index::WordIndex;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// How much scanned text is scanned again with the next part, in bytes.
const AHEAD: usize = 1024;

/// The maximum number of distinct texts.
const MOST_TEXTS: usize = 1_000_000;

/// The maximum bytes of all texts.
const MOST_BYTES: usize = 64 << 20;

/// Scans an input part by part, and compares the matches with an answer.
#[derive(Debug)]
pub(crate) struct Auditor {
    patterns: Vec<AuditPattern>,
    content: InputContent,
    stretch: PartText,
    /// Where each pattern continues in the stretch.
    next: Vec<usize>,
    found: Vec<AuditMatch>,
    known: HashSet<(usize, Box<str>)>,
    bytes: usize,
    not_kept: u64,
    limit: usize,
}

/// A matched text.
#[derive(Debug)]
struct AuditMatch {
    pattern: usize,
    text: Box<str>,
    place: InputLocation,
}

impl Auditor {
    /// Creates an audit for an input of this kind.
    pub fn new(agent: &Agent, content: InputContent) -> Self {
        Self {
            patterns: agent.audit.clone(),
            content,
            stretch: PartText::new(content, 1),
            next: vec![0; agent.audit.len()],
            found: Vec::new(),
            known: HashSet::new(),
            bytes: 0,
            not_kept: 0,
            limit: MOST_TEXTS,
        }
    }

    /// Scans the next part of the input.
    pub fn scan(&mut self, part: &Slice) {
        if self.patterns.is_empty() {
            return;
        }
        if self.content == InputContent::Records {
            return self.scan_records(part);
        }
        if !self.follows(part) {
            self.scan_until(usize::MAX);
            self.stretch = PartText::new(self.content, *part.lines.start());
            self.next.fill(0);
        }
        self.stretch.push(&part.text, &part.marks);
        let length = self.stretch.text().len();
        // A page break may have removed blanks that were there before.
        self.next.iter_mut().for_each(|next| *next = (*next).min(length));
        let until = floor(self.stretch.text(), length.saturating_sub(AHEAD));
        self.scan_until(until);
        self.next.iter_mut().for_each(|next| *next = (*next).max(until));
        // Keeps one more character, because a pattern may test the character before a word.
        let keep = self.next.iter().copied().min().unwrap_or(until).min(until);
        let keep = floor(self.stretch.text(), keep.saturating_sub(4));
        self.stretch.discard_before(keep);
        self.next.iter_mut().for_each(|next| *next -= keep);
    }

    /// Scans records, across which there are no matches.
    fn scan_records(&mut self, part: &Slice) {
        let mut found = Vec::new();
        record_values::each(part, |text, place| {
            let mut next = vec![0; self.patterns.len()];
            for (at, pattern, text) in matches(&self.patterns, text, &mut next, usize::MAX) {
                found.push(AuditMatch { pattern, text, place: place(at) });
            }
        });
        found.into_iter().for_each(|found| self.keep(found));
    }

    /// Returns a note for the user if there were too many matches to keep.
    pub fn limit_note(&self) -> Option<String> {
        let kept = self.found.len();
        (self.not_kept > 0).then(|| {
            format!(
                "the audit looked at {kept} different texts, and left out what its patterns found {} times beyond",
                self.not_kept
            )
        })
    }

    /// Returns the matches that an answer misses; none for an agent without audit patterns. An answer contains a text if a string under the pattern's
    /// path, or any string without one, contains it as whole words.
    pub fn audit_answer(mut self, answer: &Value) -> Option<AuditResult> {
        if self.patterns.is_empty() {
            return None;
        }
        self.scan_until(usize::MAX);
        let mut indexes: HashMap<Option<&str>, WordIndex> = HashMap::new();
        for path in self.patterns.iter().map(|pattern| pattern.path.as_deref()) {
            indexes.entry(path).or_insert_with(|| index(answer, path));
        }
        let found = self.found.len() as u64;
        let missed = self.found.into_iter().filter(|found| {
            let path = self.patterns[found.pattern].path.as_deref();
            !indexes.get(&path).is_some_and(|index| index.contains(&found.text))
        });
        let missed = missed.map(|found| MissedText {
            pattern: self.patterns[found.pattern].name.clone(),
            text: found.text.into(),
            place: found.place,
        });
        Some(AuditResult { found, missed: missed.collect() })
    }

    /// Whether a part follows the last one scanned.
    fn follows(&self, part: &Slice) -> bool {
        let last = self.stretch.last_number();
        let first = part.marks.first().map(|mark| mark.number);
        match (last, first) {
            (Some(last), Some(first)) => first == last || first == last + 1,
            _ => !self.stretch.text().is_empty() && self.stretch.last_line() == *part.lines.start(),
        }
    }

    /// Records matches that begin before `until`.
    fn scan_until(&mut self, until: usize) {
        let matches = matches(&self.patterns, &with_line_ends(self.stretch.text()), &mut self.next, until);
        let (mut line, mut counted) = (self.stretch.line(), 0);
        for (at, pattern, text) in matches {
            line += self.stretch.lines_between(counted, at);
            counted = at;
            self.keep(AuditMatch { pattern, text, place: self.stretch.location(at, line) });
        }
    }

    fn keep(&mut self, AuditMatch { pattern, text, place }: AuditMatch) {
        let key = (pattern, text);
        if self.known.contains(&key) {
            return;
        }
        if self.found.len() >= self.limit || self.bytes + key.1.len() > MOST_BYTES {
            self.not_kept += 1;
            return;
        }
        self.bytes += key.1.len();
        self.found.push(AuditMatch { pattern, text: key.1.clone(), place });
        self.known.insert(key);
    }
}

/// Returns the matches that begin before `until`, in order: where the part that counts begins, the index of the pattern, and the text. Each pattern
/// continues at its position in `next`, which is moved behind its last match.
fn matches(patterns: &[AuditPattern], text: &str, next: &mut [usize], until: usize) -> Vec<(usize, usize, Box<str>)> {
    let mut matches: Vec<(Range<usize>, usize)> = Vec::new();
    for (index, (pattern, next)) in patterns.iter().zip(next).enumerate() {
        // A match at the end of the text is empty, and would be found again and again.
        while *next < text.len()
            && let Some((whole, counted)) = find(pattern, text, *next)
            && whole.start < until
        {
            // A match is empty only if its pattern tests nothing but positions.
            *next = whole.end.max(ceiling(text, whole.start + 1));
            matches.push((counted, index));
        }
    }
    matches.sort_by_key(|(range, index)| (range.start, *index));
    let words = matches.into_iter().map(|(range, index)| (range.start, index, text[range].trim()));
    words.filter(|(.., text)| !text.is_empty()).map(|(at, index, text)| (at, index, text.into())).collect()
}

/// Returns the next match, and the part of it that counts: its first group, else all of it.
fn find(pattern: &AuditPattern, text: &str, from: usize) -> Option<(Range<usize>, Range<usize>)> {
    if pattern.pattern.captures_len() == 1 {
        return pattern.pattern.find_at(text, from).map(|found| (found.range(), found.range()));
    }
    let captures = pattern.pattern.captures_at(text, from)?;
    let whole = captures.get(0)?.range();
    let counted = captures.get(1).map_or(whole.clone(), |group| group.range());
    Some((whole, counted))
}

/// Indexes the strings and numbers of an answer under a path; all of them without one.
fn index(answer: &Value, path: Option<&str>) -> WordIndex {
    let mut open = vec![answer];
    for name in path.into_iter().flat_map(json_pointer::steps) {
        let below = open.into_iter().flat_map(|value| match value {
            Value::Array(items) if name == "*" => items.iter().collect(),
            other => other.get(&name).into_iter().collect::<Vec<_>>(),
        });
        open = below.collect();
    }
    let mut strings = Vec::new();
    open.reverse();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => strings.push(text.clone()),
            Value::Number(number) => strings.push(number.to_string()),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            Value::Null | Value::Bool(_) => {}
        }
    }
    WordIndex::new(strings.iter().map(String::as_str))
}

#[cfg(test)]
mod tests;
