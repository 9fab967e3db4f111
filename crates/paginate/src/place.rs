//! Where things stand.

use crate::input::Content;
use war_rig_chunker::{Mark, Slice};
use war_rig_merger::Place;

/// The place of the byte of a slice's text.
pub(crate) fn place_of(slice: &Slice, content: Content, at: usize) -> Place {
    of(&slice.marks, content, at, || *slice.lines.start() + line_ends(&slice.text[..at]))
}

/// The place of a byte of a slice's overlap.
pub(crate) fn place_before(slice: &Slice, content: Content, at: usize) -> Place {
    of(&slice.overlap_marks, content, at, || {
        slice.lines.start().saturating_sub(line_ends(&slice.overlap[at..]))
    })
}

/// The place of a whole slice.
pub(crate) fn whole(slice: &Slice, content: Content) -> Place {
    let numbers =
        slice.marks.first().zip(slice.marks.last()).map(|(first, last)| (first.number, last.number));
    let lines = Some((*slice.lines.start(), *slice.lines.end()));
    match content {
        Content::Text => Place { lines, ..Place::default() },
        Content::Records => Place { records: numbers, lines, ..Place::default() },
        Content::Pages => Place { pages: numbers, ..Place::default() },
    }
}

/// A place of one line, record or page, from where records or pages begin.
pub(crate) fn of(marks: &[Mark], content: Content, at: usize, line: impl Fn() -> u64) -> Place {
    let before = marks.partition_point(|mark| mark.at <= at).checked_sub(1);
    let number = before.map(|index| (marks[index].number, marks[index].number));
    let lines = || {
        let line = line();
        Some((line, line))
    };
    match content {
        Content::Text => Place { lines: lines(), ..Place::default() },
        Content::Records => Place { records: number, lines: lines(), ..Place::default() },
        Content::Pages => Place { pages: number, ..Place::default() },
    }
}

pub(crate) fn line_ends(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}
