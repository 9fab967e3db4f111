//! What the tests share: sources from text, parsed.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use war_rig_cobol::{CopybookLibrary, LexedSource, ParseOptions, ParsedCobol, parse, parse_with};
use war_rig_text::{ReadOptions, SourceText};

/// Copybooks by name.
#[derive(Default)]
pub struct Books(HashMap<String, Arc<LexedSource>>);

impl Books {
    /// Copybooks of these names with these texts.
    pub fn of(books: &[(&str, &str)]) -> Self {
        let lexed = |(name, text): &(&str, &str)| ((*name).to_owned(), lexed(&format!("cpy/{name}.cpy"), text));
        Self(books.iter().map(lexed).collect())
    }
}

impl CopybookLibrary for Books {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<LexedSource>> {
        self.0.get(name).cloned()
    }
}

pub fn lexed(name: &str, text: &str) -> Arc<LexedSource> {
    let source = SourceText::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    Arc::new(LexedSource::of(&source))
}

pub fn read_with(text: &str, books: &[(&str, &str)]) -> ParsedCobol {
    parse(&lexed("T.cbl", text), &Books::of(books))
}

pub fn read(text: &str) -> ParsedCobol {
    read_with(text, &[])
}

/// A fixed-format line for each line of code, which begins in column 8; a line that begins with `|` is taken from column 7.
pub fn fixed(code: &str) -> String {
    code.lines().fold(String::new(), |mut text, line| {
        assert!(line.len() <= 65, "column 72 cuts: {line}");
        match line.strip_prefix('|') {
            Some(indicated) => writeln!(text, "      {indicated}").unwrap(),
            None => writeln!(text, "       {line}").unwrap(),
        }
        text
    })
}

/// A program with these entries in its WORKING-STORAGE SECTION, parsed with these options.
pub fn data(entries: &str, options: &ParseOptions) -> ParsedCobol {
    let code = format!(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{entries}\nPROCEDURE DIVISION.\n    GOBACK."
    );
    parse_with(&lexed("T.cbl", &fixed(&code)), &Books::default(), options)
}

/// A program with these lines in its PROCEDURE DIVISION.
pub fn procedure(code: &str) -> ParsedCobol {
    read(&fixed(&format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n{code}")))
}

/// The outline of a source: units with their first and last lines.
pub fn outline(parsed: &ParsedCobol) -> String {
    let mut rows: Vec<(u32, usize, String)> = Vec::new();
    let mut add = |lines: war_rig_text::LineRange, rank: usize, text: String| {
        rows.push((lines.start().get(), rank, format!("{text} {lines}")))
    };
    parsed.programs.iter().for_each(|unit| add(unit.lines, 0, format!("program {}", unit.name)));
    parsed.divisions.iter().filter(|u| u.file.is_none()).for_each(|unit| add(unit.lines, 1, unit.name.to_lowercase()));
    parsed
        .sections
        .iter()
        .filter(|u| u.file.is_none())
        .for_each(|unit| add(unit.lines, 2, format!("section {}", unit.name)));
    parsed
        .paragraphs
        .iter()
        .filter(|unit| unit.has_label())
        .filter(|u| u.file.is_none())
        .for_each(|unit| add(unit.lines, 3, unit.name.clone()));
    rows.sort();
    rows.into_iter().map(|(_, _, text)| text).collect::<Vec<_>>().join(", ")
}
