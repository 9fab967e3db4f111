//! From a row that a fake has seen to the line of the file, without the maps of the code under test.

use crate::SourceBlock;
use crate::fake::{FakeLog, Nonce};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use war_rig_text::{ReadOptions, SourceText};

/// The files of a run, read as their blocks show them.
pub(super) struct SourceLines<'a> {
    sources: PathBuf,
    log: &'a FakeLog,
    /// By file and block the first line of the block.
    starts: RefCell<HashMap<(String, String), Option<usize>>>,
    shown: RefCell<HashMap<String, Rc<Vec<Vec<String>>>>>,
}

impl<'a> SourceLines<'a> {
    pub(super) fn new(sources: &Path, log: &'a FakeLog) -> Self {
        Self { sources: sources.to_owned(), log, starts: RefCell::default(), shown: RefCell::default() }
    }

    /// The line, from 1, that stood in the row where an item begins; none when its block does not stand in the file.
    pub(super) fn of(&self, nonce: &Nonce) -> Option<u64> {
        let key = (nonce.file.clone(), nonce.block.clone());
        let known = self.starts.borrow().get(&key).copied();
        let start = known.unwrap_or_else(|| {
            let start = self.log.blocks.get(&key).and_then(|block| self.start(&nonce.file, block));
            self.starts.borrow_mut().insert(key, start);
            start
        })?;
        Some((start + nonce.row) as u64)
    }

    /// How many lines stand before a block.
    fn start(&self, file: &str, block: &SourceBlock) -> Option<usize> {
        let readings = self.readings(file);
        let found = readings.iter().map(|lines| places(lines, &block.rows)).find(|places| !places.is_empty())?;
        match found.as_slice() {
            [only] => Some(*only),
            several => {
                // The parts before it tell which of two places that read alike it is.
                let before = self.rows_before(file, block)?;
                several.contains(&before).then_some(before)
            }
        }
    }

    /// The rows of the parts before a block, when the log has each of them.
    fn rows_before(&self, file: &str, block: &SourceBlock) -> Option<usize> {
        let (k, n) = block.chunk.split_once('/')?;
        let k: usize = k.parse().ok()?;
        let of = |k: usize| {
            let named = format!("{k}/{n}");
            let mut own = self.log.blocks.iter().filter(|((name, _), _)| name == file).map(|(_, block)| block);
            own.find(|block| block.chunk == named).map(|block| block.rows.len())
        };
        (1..k).map(of).sum()
    }

    /// The lines of a file in every way in which a block may show them. A plain reading comes first; what it does not
    /// bring to light (code pages of the host, tabs, records without ends) is read as War Rig reads it.
    fn readings(&self, file: &str) -> Rc<Vec<Vec<String>>> {
        if let Some(known) = self.shown.borrow().get(file) {
            return Rc::clone(known);
        }
        let path = self.sources.join(file);
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = match String::from_utf8(bytes.clone()) {
            Ok(text) => text,
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        };
        let text = text.trim_start_matches('\u{feff}');
        let shown = |cut: fn(&str) -> String| -> Vec<String> { text.lines().map(cut).collect() };
        let fixed = |line: &str| line.chars().skip(6).take(66).collect::<String>().trim_end().to_owned();
        let mut readings = vec![shown(fixed), shown(|line| line.trim_end().to_owned())];
        if let Ok(source) = SourceText::read(file, bytes, &ReadOptions::default()) {
            readings.push(source.lines().map(|line| line.visible().to_owned()).collect());
        }
        let readings = Rc::new(readings);
        self.shown.borrow_mut().insert(file.to_owned(), Rc::clone(&readings));
        readings
    }
}

/// How many lines stand before each place where these rows stand.
fn places(lines: &[String], rows: &[String]) -> Vec<usize> {
    if rows.is_empty() {
        return Vec::new();
    }
    let stands_at = |start: &usize| lines[*start..].iter().zip(rows).all(|(line, row)| shows(row, line));
    (0..=lines.len().saturating_sub(rows.len())).filter(stands_at).collect()
}

/// Whether a row shows a line: letter by letter, or masked with X, as secrets are.
fn shows(row: &str, line: &str) -> bool {
    row == line
        || (row.chars().count() == line.chars().count()
            && row.chars().zip(line.chars()).all(|(shown, real)| shown == real || shown == 'X'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sandbox;
    use crate::fake::AnswerItemKind;

    #[test]
    fn a_row_is_found_in_its_file_also_where_a_block_stands_twice() {
        let place = Sandbox::new();
        place.write("X.cbl", "000100 A.\n000200     B.\n000300 A.\n000400     B.\n000500 C.\n");
        let mut log = FakeLog::default();
        let mut block = |word: &str, chunk: &str, rows: &[&str]| {
            let rows = rows.iter().map(|row| (*row).to_owned()).collect();
            let (word, file) = (word.to_owned(), "X.cbl".to_owned());
            let block = SourceBlock { word: word.clone(), file: file.clone(), chunk: chunk.to_owned(), rows };
            log.blocks.insert((file, word), block);
        };
        block("a", "1/3", &[" A.", "     B."]);
        block("c", "3/3", &[" C."]);
        block("d", "1/1", &[" D."]);
        let nonce = |block: &str, row| Nonce {
            text: "n".to_owned(),
            kind: AnswerItemKind::Paragraph,
            name: "A".to_owned(),
            file: "X.cbl".to_owned(),
            block: block.to_owned(),
            row,
        };
        let lines = SourceLines::new(place.path(), &log);
        assert_eq!((lines.of(&nonce("a", 2)), lines.of(&nonce("c", 1))), (Some(2), Some(5)));
        assert_eq!((lines.of(&nonce("d", 1)), lines.of(&nonce("e", 1))), (None, None));
    }
}
