//! Copybooks put in line.

use super::positions::RewrittenFile;
use super::source::{CobolText, CobolTokenKind, Zone};
use std::collections::BTreeMap;

/// The member that a line copies, where it is nothing but `COPY MEMBER.`
fn member(source: &CobolText, at: usize) -> Option<String> {
    let line = &source.lines[at];
    let mut tokens = source.lines[..at].iter().rev().flat_map(|line| line.tokens.iter().rev());
    let before = tokens.clone().next();
    if tokens.find(|token| token.is_plain()).is_some_and(|before| before.zone == Zone::Procedure) {
        return None;
    }
    match &line.tokens[..] {
        [copy, name, period]
            if copy.is("COPY")
                && period.kind == CobolTokenKind::Period
                && name.kind == CobolTokenKind::Word
                && before.is_none_or(|before| before.kind == CobolTokenKind::Period) =>
        {
            Some(name.text.to_ascii_uppercase())
        }
        _ => None,
    }
}

/// Returns the member that a file is, by its name.
pub fn member_of(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.').next().unwrap_or(name).to_ascii_uppercase()
}

/// A program with the lines of its copybooks in the place of COPY before its PROCEDURE DIVISION, where the whole line is one and there is one
/// file only that can be meant.
/// `found` are the sources of all copybooks that can be read, `files` the names of all files.
pub fn inline_copybooks(source: &CobolText, found: &BTreeMap<String, CobolText>, files: &[&str]) -> RewrittenFile {
    let mut rewrite = RewrittenFile::default();
    for (at, line) in source.lines.iter().enumerate() {
        let member = member(source, at);
        let of_name: Vec<&&str> =
            files.iter().filter(|file| member.as_ref().is_some_and(|member| member_of(file) == *member)).collect();
        let book = match of_name[..] {
            [file] => found.get(*file).map(|book| (*file, book)),
            _ => None,
        };
        let Some((file, book)) = book.filter(|(_, book)| book.is_free == source.is_free && can_stand_in_line(book))
        else {
            rewrite.push(&line.text, line.end, Some((at, at)));
            continue;
        };
        for (number, copied) in book.lines.iter().enumerate() {
            rewrite.foreign.insert(rewrite.origins.len(), ((*file).to_owned(), number as u64 + 1));
            let end = if copied.end.is_empty() { "\n" } else { copied.end };
            rewrite.push(&copied.text, end, Some((at, at)));
        }
    }
    rewrite
}

/// Whether a copybook ends where a sentence or an entry does.
fn can_stand_in_line(book: &CobolText) -> bool {
    let last = book.lines.iter().rev().flat_map(|line| line.tokens.last()).next();
    last.is_some_and(|last| last.kind == CobolTokenKind::Period)
        && book.lines.iter().all(|line| line.kind != super::source::LineKind::Fixed)
}
