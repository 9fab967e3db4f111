//! The words of code lines, and which data items they name.

use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;
use war_rig_cobol::ParsedCobol;
use war_rig_text::{LineRange, SourceText};

/// Programs may be nested; a name is looked up in at most this many enclosing programs of its line.
const OUTERMOST: usize = 16;

/// The data items of one program that share a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameGroup {
    start: u32,
    end: u32,
}

/// The data items that each line names.
#[derive(Debug, Default)]
pub(super) struct NameUses {
    /// Indices of data items; items of one program and name are adjacent.
    items: Vec<u32>,
    named: Vec<NameGroup>,
    /// `starts[k]` is where the names of line `k` begin in `names`.
    starts: Vec<u32>,
    /// Indices into `named`.
    names: Vec<u32>,
    /// For each data item its index into `named`; `None` for FILLER.
    name_of: Vec<Option<u32>>,
}

impl NameUses {
    pub(super) fn of(source: &SourceText, parsed: &ParsedCobol) -> Self {
        let mut uses = Self::default();
        let by_name = uses.group(parsed);
        let mut programs = EnclosingPrograms::new(parsed);
        uses.starts.reserve(source.line_count() + 1);
        for (index, line) in source.lines().enumerate() {
            uses.starts.push(position(uses.names.len()));
            if line.is_comment() {
                continue;
            }
            for word in words(line.code()) {
                if let Some(candidates) = by_name.get(word.as_ref())
                    && let Some(named) = programs.find(index, candidates)
                {
                    uses.names.push(named);
                }
            }
        }
        uses.starts.push(position(uses.names.len()));
        uses
    }

    /// Groups the items by name and program. Returns for each name the programs that have it, with the index in `named`.
    fn group<'p>(&mut self, parsed: &'p ParsedCobol) -> HashMap<&'p str, Vec<(Option<usize>, u32)>> {
        let mut order: Vec<(&str, Option<usize>, u32)> = parsed
            .data_items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.name != "FILLER")
            .map(|(index, item)| (item.name.as_str(), item.program, position(index)))
            .collect();
        order.sort_unstable();
        self.name_of = vec![None; parsed.data_items.len()];
        let mut by_name: HashMap<&str, Vec<(Option<usize>, u32)>> = HashMap::new();
        for same in order.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let start = position(self.items.len());
            self.items.extend(same.iter().map(|(_, _, item)| item));
            let name = position(self.named.len());
            by_name.entry(same[0].0).or_default().push((same[0].1, name));
            same.iter().for_each(|(_, _, item)| self.name_of[*item as usize] = Some(name));
            self.named.push(NameGroup { start, end: position(self.items.len()) });
        }
        by_name
    }

    /// Returns the names in these lines, with repetitions.
    pub(super) fn in_lines(&self, lines: LineRange) -> &[u32] {
        let indices = lines.indices();
        let behind = indices.end.min(self.starts.len() - 1);
        let start = self.starts[indices.start.min(behind)] as usize;
        &self.names[start..self.starts[behind] as usize]
    }

    /// Returns the names in the whole file.
    pub(super) fn in_file(&self) -> &[u32] {
        &self.names
    }

    /// Returns the name of a data item; `None` for FILLER.
    pub(super) fn name_of(&self, item: usize) -> Option<u32> {
        self.name_of[item]
    }

    /// Returns the items that a name may mean.
    pub(super) fn items(&self, name: u32) -> &[u32] {
        let NameGroup { start, end } = self.named[name as usize];
        &self.items[start as usize..end as usize]
    }
}

/// Converts an index to its stored form: a file has fewer than 2^32 bytes, so fewer words and items.
fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Tracks the enclosing programs while the lines of a file are read in order.
struct EnclosingPrograms<'p> {
    parsed: &'p ParsedCobol,
    next: usize,
    /// The programs that contain the line, innermost last.
    open: Vec<usize>,
}

impl<'p> EnclosingPrograms<'p> {
    fn new(parsed: &'p ParsedCobol) -> Self {
        Self { parsed, next: 0, open: Vec::new() }
    }

    /// Returns the items that a name means on a line: those of the innermost program that has any.
    fn find(&mut self, line: usize, candidates: &[(Option<usize>, u32)]) -> Option<u32> {
        let programs = &self.parsed.programs;
        while programs.get(self.next).is_some_and(|program| program.lines.start().index() <= line) {
            self.open.push(self.next);
            self.next += 1;
        }
        while self.open.last().is_some_and(|open| programs[*open].lines.end().index() < line) {
            self.open.pop();
        }
        let of = |program: Option<usize>| {
            let found = candidates.binary_search_by_key(&program, |(program, _)| *program).ok()?;
            Some(candidates[found].1)
        };
        match self.open.as_slice() {
            [] => of(None),
            open => open.iter().rev().take(OUTERMOST).find_map(|program| of(Some(*program))),
        }
    }
}

/// Returns the words of a code line outside literals and comments, in upper case.
pub(super) fn words(code: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let bytes = code.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\'' | b'"' => {
                    let close = bytes[at + 1..].iter().position(|other| other == byte);
                    at = close.map_or(bytes.len(), |close| at + close + 2);
                }
                b'*' if bytes.get(at + 1) == Some(&b'>') => at = bytes.len(),
                byte if in_word(*byte) => {
                    let start = at;
                    let length = bytes[at..].iter().position(|byte| !in_word(*byte));
                    at = length.map_or(bytes.len(), |length| at + length);
                    return Some(upper(&code[start..at]));
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Bytes of non-ASCII characters count as letters, so that a word never ends inside such a character.
fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || byte >= 0x80
}

fn upper(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte < 0x80 && !byte.is_ascii_lowercase()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_outside_literals_and_comments() {
        let found: Vec<_> =
            words("    move Ws-Key(ix) to :ws-key  'not \"this\"' \"NOR THIS\"ß-1 *> nor this").collect();
        assert_eq!(found, ["MOVE", "WS-KEY", "IX", "TO", "WS-KEY", "SS-1"]);
        assert_eq!(words("DISPLAY 'open").collect::<Vec<_>>(), ["DISPLAY"]);
        assert_eq!(words("").next(), None);
    }
}
