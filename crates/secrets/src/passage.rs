//! Text with its source lines and columns, and the places in it that need a closer look.

use super::found_secret::{FoundSecret, SecretKind};
use super::known_secrets::KnownSecrets;
use super::rules::{MarkerHit, SecretRules};
use aho_corasick::AhoCorasick;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use war_rig_cobol::{LexedSource, RawToken, SourceSegment, TokenKind, TokenSlice, tokenize};
use war_rig_text::{ColumnSpan, LineNumber, SourceText};

/// A part of a passage that is a secret.
#[derive(Debug, Clone)]
pub(super) struct SecretRange {
    pub(super) range: Range<usize>,
    pub(super) kind: SecretKind,
    pub(super) name: Option<String>,
}

/// The code of a source, or all its other visible text.
pub(super) struct Passage<'a> {
    pub(super) text: Cow<'a, str>,
    segments: Cow<'a, [SourceSegment]>,
    /// The code with its tokens; other text is tokenized on demand.
    code: Option<&'a LexedSource>,
    /// Whether it is code, whose words have a fixed meaning; a comment may contain anything.
    pub(super) is_code: bool,
}

/// The tokens of a passage, and the places of the marks.
pub(super) struct PassageHits<'a> {
    pub(super) tokens: Cow<'a, [RawToken]>,
    /// The tokens that contain a mark, in order, once each.
    pub(super) marked: Vec<usize>,
    /// The marks, in byte order.
    pub(super) marks: Vec<MarkerHit>,
}

impl<'a> Passage<'a> {
    /// Makes a passage of the code.
    pub(super) fn of_code(lexed: &'a LexedSource) -> Self {
        Self {
            text: Cow::Borrowed(lexed.text()),
            segments: Cow::Borrowed(lexed.segments()),
            code: Some(lexed),
            is_code: true,
        }
    }

    /// Makes a passage of all visible text.
    pub(super) fn of_text(source: &SourceText) -> Option<Passage<'static>> {
        Self::of_uncovered(source, "", &[])
    }

    /// Makes a passage of the visible text that is not code; `None` if there is none.
    pub(super) fn of_rest(source: &SourceText, lexed: &LexedSource) -> Option<Passage<'static>> {
        Self::of_uncovered(source, lexed.text(), lexed.segments())
    }

    /// Makes a passage of the visible text that this code does not cover.
    fn of_uncovered(source: &SourceText, covered: &str, by: &[SourceSegment]) -> Option<Passage<'static>> {
        let (mut text, mut segments) = (String::new(), Vec::new());
        let mut last = None;
        let mut code = by.iter().zip(1..).peekable();
        for line in source.lines() {
            let mut from = 0;
            let shown = line.code();
            while let Some((segment, next)) = code.next_if(|(segment, _)| segment.line <= line.number()) {
                let end = by.get(next).map_or(covered.len(), |next| next.at);
                let kept = covered[segment.at..end].trim_end_matches('\n');
                if kept.len() == shown.len() && segment.column == line.code_column() {
                    from = kept.len();
                    continue;
                }
                from = (segment.column - line.code_column()) as usize + characters(kept);
            }
            if from == shown.len() {
                continue;
            }
            let from = if shown.is_ascii() {
                from.min(shown.len())
            } else {
                shown.char_indices().nth(from).map_or(shown.len(), |(at, _)| at)
            };
            let rest = &shown[from..];
            if rest.is_empty() {
                continue;
            }
            // Distant texts are not one statement.
            if last.is_some_and(|last: LineNumber| last.saturating_add(1) != line.number()) {
                text.push_str(".\n");
            }
            last = Some(line.number());
            let column = line.code_column() + characters(&shown[..from]) as u32;
            segments.push(SourceSegment { at: text.len(), line: line.number(), column });
            text.push_str(rest);
            text.push('\n');
        }
        (!segments.is_empty()).then_some(Passage {
            text: Cow::Owned(text),
            segments: Cow::Owned(segments),
            code: None,
            is_code: false,
        })
    }

    /// Returns the tokens and marks; `None` without a mark, unless the caller wants the tokens anyway.
    pub(super) fn hits(&self, table: &SecretRules, wanted: bool) -> Option<PassageHits<'_>> {
        let mut marks: Vec<MarkerHit> = table.marker_hits(&self.text).collect();
        if marks.is_empty() && table.unmarked_patterns().is_empty() && !wanted {
            return None;
        }
        let tokens = self.code.map_or_else(
            || Cow::Owned(tokenize(&self.text, &self.segments)),
            |code| Cow::Borrowed(code.tokens().as_slice()),
        );
        marks.sort_unstable_by_key(|mark| mark.at);
        let mut marked: Vec<usize> = Vec::new();
        for mark in &marks {
            let from = marked.last().copied().unwrap_or(0);
            // A mark may begin with the blank before its word.
            let token = from + TokenSlice::of(&tokens).from(from).partition_point(|token| token.range().end <= mark.at);
            let also = tokens.get(token + 1).filter(|next| next.range().start == mark.at + 1).map(|_| token + 1);
            for token in std::iter::once(token).chain(also) {
                if token < tokens.len() && marked.last() != Some(&token) {
                    marked.push(token);
                }
            }
        }
        Some(PassageHits { tokens, marked, marks })
    }

    /// Returns the places of known secrets: in code only in literals and EXEC blocks, because a masked word of code would change the program.
    pub(super) fn find_known(&self, known: &KnownSecrets) -> Vec<SecretRange> {
        let is_text = |range: &Range<usize>| {
            let Some(code) = self.code else { return true };
            let tokens = code.tokens();
            let at = tokens.partition_point(|token| token.range().end <= range.start);
            let kind = tokens.get(at).filter(|token| token.range().start <= range.start).map(|token| token.kind);
            matches!(kind, Some(TokenKind::Literal | TokenKind::Exec | TokenKind::PseudoText))
        };
        let found = known.find_in(&self.text).filter(is_text);
        found.map(|range| SecretRange { range, kind: SecretKind::Repeated, name: None }).collect()
    }

    /// Returns the secrets of these parts, which may overlap, with their lines and columns.
    pub(super) fn locate(&self, mut found: Vec<SecretRange>) -> Vec<FoundSecret> {
        if found.is_empty() {
            return Vec::new();
        }
        found.sort_by_key(|found| found.range.start);
        let mut places = SpanLocator { passage: self, segment: 0, last: (0, 0) };
        let mut secrets = Vec::with_capacity(found.len());
        let telling = telling(&self.text, &found);
        let mut end = 0;
        for mut found in found {
            found.range.start = found.range.start.max(end);
            if found.range.is_empty() {
                continue;
            }
            end = found.range.end;
            let stretches = places.stretches(found.range);
            let name = found.name.filter(|name| !telling.contains(name));
            secrets.push(FoundSecret { kind: found.kind, name, spans: stretches });
        }
        secrets
    }

    /// Returns the lines of bytes, in order.
    pub(super) fn lines(&self, bytes: &[usize]) -> Vec<LineNumber> {
        let line = |at: &usize| {
            let behind = self.segments.partition_point(|segment| segment.at <= *at);
            self.segments.get(behind.saturating_sub(1)).map_or(LineNumber::FIRST, |segment| segment.line)
        };
        bytes.iter().map(line).collect()
    }
}

/// Returns the names of finds that reveal a secret, because one contains the other: the name of a secret is displayed.
fn telling(text: &str, found: &[SecretRange]) -> BTreeSet<String> {
    let names: BTreeSet<&str> = found.iter().filter_map(|found| found.name.as_deref()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let values: BTreeSet<&str> = found.iter().map(|found| &text[found.range.clone()]).collect();
    let search = |words: &[&str]| AhoCorasick::builder().ascii_case_insensitive(true).build(words);
    let long: Vec<&str> = values.iter().copied().filter(|value| value.len() > SHORTEST_TOLD).collect();
    let (Ok(of_names), Ok(of_values)) = (search(&names), search(&long)) else {
        return names.into_iter().map(str::to_owned).collect();
    };
    let within = values.iter().flat_map(|value| of_names.find_overlapping_iter(*value));
    let within = within.map(|found| names[found.pattern().as_usize()]);
    let around = names.iter().copied().filter(|name| of_values.is_match(*name));
    within.chain(around).map(str::to_owned).collect()
}

/// Values of this length occur in many names, and reveal nothing there.
const SHORTEST_TOLD: usize = 3;

fn characters(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// Finds lines and columns of increasing ranges. It counts no character twice, because a line may be as long as its file.
struct SpanLocator<'a> {
    passage: &'a Passage<'a>,
    segment: usize,
    /// A byte of the segment, and the number of characters before it.
    last: (usize, usize),
}

impl SpanLocator<'_> {
    fn stretches(&mut self, range: Range<usize>) -> Vec<ColumnSpan> {
        let Passage { text, segments, .. } = self.passage;
        let mut stretches = Vec::new();
        let mut at = range.start;
        while at < range.end {
            while let Some(next) = segments.get(self.segment + 1).filter(|next| next.at <= at) {
                self.segment += 1;
                self.last = (next.at, 0);
            }
            let end = segments.get(self.segment + 1).map_or(text.len(), |next| next.at).min(range.end);
            let start = self.characters_to(at);
            let stop = self.characters_to(end);
            let segment = segments[self.segment];
            let columns = segment.column + start as u32..segment.column + stop as u32;
            stretches.push(ColumnSpan { line: segment.line, columns });
            at = end;
        }
        stretches
    }

    fn characters_to(&mut self, at: usize) -> usize {
        let (from, before) = self.last;
        let count = before + characters(&self.passage.text[from..at]);
        self.last = (at, count);
        count
    }
}
