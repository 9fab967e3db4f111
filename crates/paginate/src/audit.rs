//! The audit: what the patterns of an agent find in the input, and the answer does not have.
//!
//! The input is seen part by part, each once, in its order; overlaps are not looked at. What lies across a cut is found, because the end of what was seen is kept until
//! more has come: texts of up to 1 KB, with all that a pattern wants to see around them. Where parts are missing between two, nothing is found across them. Of records
//! each is seen by itself, and of those that are JSON each value.

use crate::agent::{Agent, AuditPattern};
use crate::input::InputContent;
use crate::merge::InputLocation;
use crate::outcome::{AuditResult, MissedText};
use crate::part_text::PartText;
use crate::record_values::{self, with_line_ends};
use crate::slice::Slice;
use crate::word_index::WordIndex;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// How much of what was seen is looked at again with what follows, in bytes.
const AHEAD: usize = 1024;

/// How many different texts are kept.
const MOST_TEXTS: usize = 1_000_000;

/// The bytes that they may take together.
const MOST_BYTES: usize = 64 << 20;

/// Sees an input part by part, and holds what it has found against an answer.
#[derive(Debug)]
pub(crate) struct Auditor {
    patterns: Vec<AuditPattern>,
    content: InputContent,
    stretch: PartText,
    /// Where each pattern goes on in the stretch.
    next: Vec<usize>,
    found: Vec<AuditMatch>,
    known: HashSet<(usize, Box<str>)>,
    bytes: usize,
    not_kept: u64,
    limit: usize,
}

/// A text that was found.
#[derive(Debug)]
struct AuditMatch {
    pattern: usize,
    text: Box<str>,
    place: InputLocation,
}

impl Auditor {
    /// For an input of this kind.
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

    /// Sees the next part of the input.
    pub fn scan(&mut self, part: &Slice) {
        if self.patterns.is_empty() {
            return;
        }
        if self.content == InputContent::Records {
            return self.see_records(part);
        }
        if !self.follows(part) {
            self.look(usize::MAX);
            self.stretch = PartText::new(self.content, *part.lines.start());
            self.next.fill(0);
        }
        self.stretch.push(&part.text, &part.marks);
        let length = self.stretch.text().len();
        // A page break may have taken blanks away that were there before.
        self.next.iter_mut().for_each(|next| *next = (*next).min(length));
        let until = floor(self.stretch.text(), length.saturating_sub(AHEAD));
        self.look(until);
        self.next.iter_mut().for_each(|next| *next = (*next).max(until));
        // A character more, because a pattern may ask what stands before a word.
        let keep = self.next.iter().copied().min().unwrap_or(until).min(until);
        let keep = floor(self.stretch.text(), keep.saturating_sub(4));
        self.stretch.discard_before(keep);
        self.next.iter_mut().for_each(|next| *next -= keep);
    }

    /// Sees records, across which there is nothing to be found.
    fn see_records(&mut self, part: &Slice) {
        let mut new = Vec::new();
        record_values::each(part, |text, place| {
            let mut matches: Vec<(Range<usize>, usize)> = Vec::new();
            for (index, pattern) in self.patterns.iter().enumerate() {
                let mut next = 0;
                while let Some((whole, counted)) = find(pattern, text, next) {
                    next = whole.end.max(ceiling(text, whole.start + 1));
                    matches.push((counted, index));
                    if next >= text.len() {
                        break;
                    }
                }
            }
            matches.sort_by_key(|(range, index)| (range.start, *index));
            for (range, pattern) in matches {
                let words = text[range.clone()].trim();
                if !words.is_empty() {
                    new.push((pattern, Box::<str>::from(words), place(range.start)));
                }
            }
        });
        for (pattern, text, place) in new {
            self.keep(pattern, text, place);
        }
    }

    /// What the user should know: that there was too much to be kept.
    pub fn limit_note(&self) -> Option<String> {
        let kept = self.found.len();
        (self.not_kept > 0).then(|| {
            format!("the audit looked at {kept} different texts, and left out what its patterns found {} times beyond", self.not_kept)
        })
    }

    /// What an answer does not have of all that was seen; none for an agent without patterns for that. A text stands in the answer where a string under the pattern's
    /// path, or any string, has it as whole words.
    pub fn audit_answer(mut self, answer: &Value) -> Option<AuditResult> {
        if self.patterns.is_empty() {
            return None;
        }
        self.look(usize::MAX);
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

    /// Whether a part follows what was seen last.
    fn follows(&self, part: &Slice) -> bool {
        let last = self.stretch.last_number();
        let first = part.marks.first().map(|mark| mark.number);
        match (last, first) {
            (Some(last), Some(first)) => first == last || first == last + 1,
            _ => !self.stretch.text().is_empty() && self.stretch.last_line() == *part.lines.start(),
        }
    }

    /// Keeps what begins before `until`.
    fn look(&mut self, until: usize) {
        let text = with_line_ends(self.stretch.text());
        let text = text.as_ref();
        let mut matches: Vec<(Range<usize>, usize)> = Vec::new();
        for (index, pattern) in self.patterns.iter().enumerate() {
            while let Some((whole, counted)) = find(pattern, text, self.next[index]) {
                if whole.start >= until {
                    break;
                }
                // A match is never empty, but for groups that look at edges alone.
                self.next[index] = whole.end.max(ceiling(text, whole.start + 1));
                matches.push((counted, index));
            }
        }
        matches.sort_by_key(|(range, index)| (range.start, *index));
        let (mut line, mut at) = (self.stretch.line(), 0);
        let mut new = Vec::new();
        for (range, pattern) in matches {
            line += self.stretch.lines_between(at, range.start);
            at = range.start;
            let words = text[range.clone()].trim();
            if !words.is_empty() {
                new.push((pattern, Box::<str>::from(words), self.stretch.location(range.start, line)));
            }
        }
        for (pattern, text, place) in new {
            self.keep(pattern, text, place);
        }
    }

    fn keep(&mut self, pattern: usize, text: Box<str>, place: InputLocation) {
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

/// The next match, and what of it counts: its first group, else all of it.
fn find(pattern: &AuditPattern, text: &str, from: usize) -> Option<(Range<usize>, Range<usize>)> {
    if pattern.pattern.captures_len() == 1 {
        return pattern.pattern.find_at(text, from).map(|found| (found.range(), found.range()));
    }
    let captures = pattern.pattern.captures_at(text, from)?;
    let whole = captures.get(0)?.range();
    let counted = captures.get(1).map_or(whole.clone(), |group| group.range());
    Some((whole, counted))
}

/// The strings and numbers of an answer that are under a path; all, where there is none.
fn index(answer: &Value, path: Option<&str>) -> WordIndex {
    let mut open = vec![answer];
    for step in path.into_iter().flat_map(|path| path.split('/').skip(1)) {
        let name = step.replace("~1", "/").replace("~0", "~");
        let below = open.into_iter().flat_map(|value| match value {
            Value::Array(items) if step == "*" => items.iter().collect(),
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

/// The next place between characters, backwards.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The next place between characters, forwards.
fn ceiling(text: &str, at: usize) -> usize {
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
