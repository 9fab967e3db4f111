//! The part of a row that is shown with its matches.

use super::search_columns::texts;
use super::tokens::{JointHandling, folded, is_joint, tokens};
use super::{SearchTerm, SearchWords};
use crate::row::Value;
use crate::row_kind::{FieldRole, RowKind};
use std::ops::Range;

/// A part of a row's prose around the matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The text, on one line, with `…` where it was cut.
    pub text: String,
    /// The ranges of the matches in it, in bytes; in order, and without overlap.
    pub matches: Vec<Range<usize>>,
}

/// The most characters in a snippet.
const MOST: usize = 120;

/// How many characters at most come before the first match, unless the text ends soon after it.
const BEFORE: usize = 40;

/// The sign that a text was cut.
const CUT: char = '…';

impl SearchWords {
    /// Returns the part of the row around the matches: from the first field that contains one of the words, with prose fields before
    /// name fields.
    pub fn snippet(&self, kind: RowKind, values: &[Value]) -> Option<Snippet> {
        let parts = [FieldRole::Prose, FieldRole::Name];
        parts.into_iter().flat_map(|part| texts(kind.fields(), values, part)).find_map(|text| {
            let line = one_line(text);
            let matches = self.matches(&line);
            (!matches.is_empty()).then(|| cut(&line, &matches))
        })
    }

    /// Returns the ranges of the terms in a text.
    fn matches(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.matches_in(text, 0, JointHandling::Word);
        for name in tokens(text, JointHandling::Word) {
            if text[name.clone()].contains(is_joint) {
                found.extend(self.matches_in(&text[name.clone()], name.start, JointHandling::Between));
            }
        }
        found.sort_by_key(|place| (place.start, place.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for place in found {
            match apart.last_mut() {
                Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                _ => apart.push(place),
            }
        }
        apart
    }

    /// Returns the ranges of the terms in a part that begins at a position of the text.
    fn matches_in(&self, piece: &str, start: usize, joints: JointHandling) -> Vec<Range<usize>> {
        let places = tokens(piece, joints);
        let words: Vec<String> = places.iter().map(|place| folded(&piece[place.clone()])).collect();
        let mut found = Vec::new();
        for first in 0..words.len() {
            let here = |term: &&SearchTerm| term.begins(&words[first..]);
            found.extend(self.terms.iter().filter(here).map(|term| {
                let last = first + term.words.len() - 1;
                start + places[first].start..start + places[last].end
            }));
        }
        found
    }
}

/// Returns a text on one line, with single blanks between words.
fn one_line(text: &str) -> String {
    let pieces = text.split(|c: char| c.is_whitespace() || c.is_control());
    pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Cuts the part of a line around the first match.
fn cut(line: &str, matches: &[Range<usize>]) -> Snippet {
    let Range { start, end } = piece(line, matches);
    let mut text = String::new();
    if start > 0 {
        text.push(CUT);
    }
    let moved = text.len();
    text.push_str(&line[start..end]);
    if end < line.len() {
        text.push(CUT);
    }
    let seen = matches.iter().filter(|place| place.start < end && place.end > start);
    let seen = seen.map(|place| place.start.max(start) - start + moved..place.end.min(end) - start + moved);
    Snippet { matches: seen.collect(), text }
}

/// Returns the range of a line to show: whole words, as far as the first match permits.
fn piece(line: &str, matches: &[Range<usize>]) -> Range<usize> {
    // The start of each character, and the end of the line.
    let places: Vec<usize> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
    let count = places.len() - 1;
    let Some(first) = matches.first().filter(|_| count > MOST) else {
        return 0..line.len();
    };
    let first = places.partition_point(|at| *at < first.start);
    let is_blank = |place: usize| line[places[place]..].starts_with(' ');

    // A cut sign is at the end, and usually at the beginning too.
    let room = MOST - 2;
    let wanted = first.saturating_sub(BEFORE).min(count - room);
    let start = match wanted {
        0 => 0,
        wanted => (wanted..=first).find(|place| is_blank(place - 1)).unwrap_or(first),
    };
    let most = (start + room).min(count);
    let end = match most {
        most if most == count => count,
        most => (first + 1..=most).rev().find(|place| is_blank(*place)).unwrap_or(most),
    };
    places[start]..places[end]
}
