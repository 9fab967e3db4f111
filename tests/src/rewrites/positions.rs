//! Which lines before a rewrite and after it are the same place.

use std::collections::BTreeMap;

/// A line of a file, from one.
pub type LinePosition = (String, u64);

/// A file after its rewrite.
#[derive(Debug, Clone, Default)]
pub struct RewrittenFile {
    /// The text.
    pub text: String,
    /// For each of its lines the old lines that it was made of, first and last, from zero; none for a line that was put in.
    pub origins: Vec<Option<(usize, usize)>>,
    /// Lines that come from another file.
    pub foreign: BTreeMap<usize, LinePosition>,
}

impl RewrittenFile {
    /// Puts a line behind the others.
    pub fn push(&mut self, text: &str, end: &str, from: Option<(usize, usize)>) {
        self.text.push_str(text);
        self.text.push_str(end);
        self.origins.push(from);
    }
}

/// The places of a rewritten estate.
///
/// Lines that were put together, and all lines that one was cut into, are one place, named by the first of the old ones.
#[derive(Debug, Default)]
pub struct LinePositions {
    files: BTreeMap<String, FilePlaces>,
}

#[derive(Debug)]
struct FilePlaces {
    /// By old line the first that is one with it.
    classes: Vec<usize>,
    rewrite: RewrittenFile,
}

/// Which of the two estates a document is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one as it was.
    Old,
    /// The rewritten one.
    New,
}

/// Which end of a range a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeEnd {
    /// Its first line, or its only one.
    First,
    /// Its last.
    Last,
}

impl LinePositions {
    /// Notes a file that was rewritten.
    pub fn insert(&mut self, name: &str, old_lines: usize, rewrite: RewrittenFile) {
        let mut classes: Vec<usize> = (0..old_lines).collect();
        for (first, last) in rewrite.origins.iter().flatten().copied() {
            let class = classes[first];
            classes[first..=last].fill(class);
        }
        self.files.insert(name.to_owned(), FilePlaces { classes, rewrite });
    }

    /// The place that a line of a document is.
    pub fn of(&self, side: Side, file: &str, line: u64, end: RangeEnd) -> LinePosition {
        let index = (line as usize).saturating_sub(1);
        let foreign = self.files.get(file).and_then(|found| found.rewrite.foreign.get(&index));
        match foreign.filter(|_| side == Side::New) {
            Some((file, line)) => self.in_file(Side::Old, file, *line, end),
            None => self.in_file(side, file, line, end),
        }
    }

    /// The same in the file itself: a line that was copied is where its COPY stood.
    pub fn in_file(&self, side: Side, file: &str, line: u64, end: RangeEnd) -> LinePosition {
        let same = (file.to_owned(), line);
        let Some(found) = self.files.get(file) else { return same };
        let index = (line as usize).saturating_sub(1);
        let old = match side {
            Side::Old => Some(index),
            Side::New => {
                let origins = &found.rewrite.origins;
                match end {
                    RangeEnd::First => origins.get(index..).and_then(|rest| rest.iter().flatten().next()),
                    RangeEnd::Last => origins.get(..=index).and_then(|head| head.iter().flatten().next_back()),
                }
                .map(|(first, _)| *first)
            }
        };
        match old.and_then(|old| found.classes.get(old)) {
            Some(class) => (same.0, *class as u64 + 1),
            None => same,
        }
    }
}
