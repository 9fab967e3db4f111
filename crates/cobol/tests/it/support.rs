//! What the tests share: sources from text, parsed.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;
use war_rig_cobol::{CopybookLibrary, Lexed, ParseOptions, Parsed, parse, parse_with};
use war_rig_text::{ReadOptions, SourceText};

/// Copybooks by name.
#[derive(Default)]
struct Books(HashMap<String, Arc<Lexed>>);

impl CopybookLibrary for Books {
    fn find(&self, name: &str, _library: Option<&str>) -> Option<Arc<Lexed>> {
        self.0.get(name).cloned()
    }
}

pub fn lexed(name: &str, text: &str) -> Arc<Lexed> {
    let source = SourceText::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    Arc::new(Lexed::of(&source))
}

pub fn read_with(text: &str, books: &[(&str, &str)]) -> Parsed {
    let library = Books(
        books
            .iter()
            .map(|(name, text)| ((*name).to_owned(), lexed(&format!("cpy/{name}.cpy"), text)))
            .collect(),
    );
    parse(&lexed("T.cbl", text), &library)
}

pub fn read(text: &str) -> Parsed {
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
pub fn data(entries: &str, options: &ParseOptions) -> Parsed {
    let code = format!(
        "PROGRAM-ID. T.\nDATA DIVISION.\nWORKING-STORAGE SECTION.\n{entries}\nPROCEDURE DIVISION.\n    GOBACK."
    );
    parse_with(&lexed("T.cbl", &fixed(&code)), &Books::default(), options)
}

/// A program with these lines in its PROCEDURE DIVISION.
pub fn procedure(code: &str) -> Parsed {
    read(&fixed(&format!("IDENTIFICATION DIVISION.\nPROGRAM-ID. T.\nPROCEDURE DIVISION.\n{code}")))
}
