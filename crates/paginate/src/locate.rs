//! Where the values of an answer stand in the part that they were found in.
//!
//! Nobody is asked: a value stands where its words do. Of an item of several fields the one decides whose words stand in the part just once, the longest of those;
//! else the first field that stands there at all, at its first place. What stands nowhere word for word has the place of the whole part, and says so.

use crate::input::Content;
use crate::place::{place_before, place_of, whole};
use serde_json::Value;
use war_rig_chunker::Slice;
use war_rig_merger::{Locate, Origin, Place};

/// Shorter words than this say nothing of a place, in characters.
const SHORTEST: usize = 3;

/// How many fields of an item are looked for.
const FIELDS: usize = 24;

/// Finds values in a part.
pub(crate) struct Locator<'a> {
    slice: &'a Slice,
    content: Content,
    part: u64,
    text: Words,
    /// Overlap and text put together, a hyphen between them taken for one inside a word; and where the text begins in it.
    joined: Option<(Words, usize)>,
}

impl<'a> Locator<'a> {
    /// For values of the answer about this slice; `part` is what their origins name.
    pub(crate) fn new(slice: &'a Slice, content: Content, part: u64) -> Self {
        let joined = (!slice.overlap.is_empty()).then(|| {
            let before = slice.overlap.trim_end();
            let before = if before.ends_with('-') { before } else { &slice.overlap };
            (Words::of(&format!("{before}{}", slice.text)), before.len())
        });
        Self { slice, content, part, text: Words::of(&slice.text), joined }
    }

    fn found(&self, place: Place, in_overlap: bool) -> Origin {
        Origin { part: self.part, place, located: true, in_overlap }
    }

    /// What stands in the overlap, or begins there.
    fn before(&self, words: &[String]) -> Option<Origin> {
        let (joined, border) = self.joined.as_ref()?;
        words.iter().find_map(|words| {
            let (at, end) = joined.find_range(words)?;
            (at < *border).then(|| self.found(place_before(self.slice, self.content, at), end <= *border))
        })
    }
}

impl Locate for Locator<'_> {
    fn origin(&self, value: &Value) -> Origin {
        let mut words = Vec::new();
        leaves(value, &mut words);
        let places: Vec<(usize, usize, bool)> = words
            .iter()
            .filter_map(|words| self.text.find(words).map(|(at, once)| (words.len(), at, once)))
            .collect();
        let once = places
            .iter()
            .filter(|(_, _, once)| *once)
            .max_by_key(|(length, at, _)| (*length, usize::MAX - at));
        if let Some((_, at, _)) = once.or(places.first()) {
            return self.found(place_of(self.slice, self.content, *at), false);
        }
        self.before(&words).unwrap_or_else(|| Origin {
            part: self.part,
            place: whole(self.slice, self.content),
            located: false,
            in_overlap: false,
        })
    }
}

/// The scalars of a value that can be looked for, in order.
fn leaves(value: &Value, out: &mut Vec<String>) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        if out.len() == FIELDS {
            return;
        }
        match value {
            Value::Array(items) => rest.extend(items.iter().rev()),
            Value::Object(fields) => rest.extend(fields.values().rev()),
            Value::String(text) => push(text, out),
            Value::Number(number) => push(&number.to_string(), out),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

fn push(text: &str, out: &mut Vec<String>) {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() >= SHORTEST {
        out.push(words);
    }
}

/// A text with each run of blanks as one, so that words are found across the ends of lines.
struct Words {
    text: String,
    /// Where runs of blanks were shortened: bytes in the shortened text, and in the whole one.
    shortened: Vec<(usize, usize)>,
}

impl Words {
    fn of(whole: &str) -> Self {
        let mut text = String::with_capacity(whole.len());
        let mut shortened = vec![(0, 0)];
        let mut in_blanks = false;
        for (at, character) in whole.char_indices() {
            if character.is_whitespace() {
                if !in_blanks {
                    text.push(' ');
                }
                in_blanks = true;
                continue;
            }
            if in_blanks {
                shortened.push((text.len(), at));
            }
            in_blanks = false;
            text.push(character);
        }
        Self { text, shortened }
    }

    /// Where words stand first, in bytes of the whole text, and whether they stand nowhere else. Words end where words end: `PBI-12` is not in `PBI-123`.
    fn find(&self, words: &str) -> Option<(usize, bool)> {
        let mut found =
            memchr::memmem::find_iter(self.text.as_bytes(), words).filter(|at| self.is_apart(*at, words));
        let first = found.next()?;
        Some((self.in_whole(first), found.next().is_none()))
    }

    /// Where words stand first, in bytes of the whole text, and where they end there.
    fn find_range(&self, words: &str) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        let at = memchr::memmem::find_iter(bytes, words).find(|at| self.is_apart(*at, words))?;
        Some((self.in_whole(at), self.in_whole(at + words.len() - 1) + 1))
    }

    fn is_apart(&self, at: usize, words: &str) -> bool {
        let before = self.text[..at].chars().next_back();
        let after = self.text[at + words.len()..].chars().next();
        let joins = |edge: Option<char>, next: Option<char>| {
            edge.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)
        };
        !joins(words.chars().next(), before) && !joins(words.chars().next_back(), after)
    }

    fn in_whole(&self, at: usize) -> usize {
        let behind = self.shortened.partition_point(|(short, _)| *short <= at);
        let (short, whole) = self.shortened[behind - 1];
        whole + (at - short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_across_lines_and_only_whole() {
        let words = Words::of("  PBI-123 the\n   credit   limit.\nPBI-12 again, PBI-12");
        assert_eq!(words.find("PBI-12"), Some((34, false)));
        assert_eq!(words.find("PBI-123"), Some((2, true)));
        assert_eq!(words.find("the credit limit"), Some((10, true)));
        assert_eq!(words.find("credit limits"), None);
        assert_eq!(words.find("limit"), Some((26, true)));
    }
}
