//! Assembler sources: only the names of their programs are read.

use serde::Serialize;
use war_rig_text::{LineNumber, SourceText};

/// The parsed facts of an assembler source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AssemblerSource {
    /// The file's name.
    pub file: String,
    /// Its control sections and entry points in source order, without duplicates.
    pub programs: Vec<AssemblerProgram>,
}

/// A control section or an entry point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AssemblerProgram {
    /// Its name, upper case.
    pub name: String,
    /// The line of its statement.
    pub line: LineNumber,
}

/// Operations whose label (or whose macro's label) names a program.
const NAMING: [&str; 5] = ["CSECT", "RSECT", "START", "CEEENTRY", "DFHEIENT"];

impl AssemblerSource {
    /// Parses the names of an assembler source.
    pub fn read(source: &SourceText) -> Self {
        let mut found = Self { file: source.name().to_owned(), ..Self::default() };
        for line in source.lines() {
            let text = line.text().to_uppercase();
            if text.starts_with(['*', '.']) {
                continue;
            }
            let has_label = text.starts_with(|c: char| !c.is_whitespace());
            let mut words = text.split_whitespace();
            let label = if has_label { words.next() } else { None };
            match (label, words.next()) {
                (Some(name), Some(operation)) if NAMING.contains(&operation) => found.add(name, line.number()),
                (_, Some("ENTRY")) => {
                    words
                        .next()
                        .into_iter()
                        .flat_map(|names| names.split(','))
                        .for_each(|name| found.add(name, line.number()));
                }
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, name: &str, line: LineNumber) {
        // A name that contains a symbol belongs to a macro parameter.
        if !name.is_empty() && !name.contains('&') && self.programs.iter().all(|known| known.name != name) {
            self.programs.push(AssemblerProgram { name: name.to_owned(), line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{ReadOptions, SourceFormat};

    #[test]
    fn control_sections_and_entries_name_programs() {
        let code = b"* A CSECT\nWAITER   CSECT\n         ENTRY WAITSHRT\nWAITER   CSECT\nLOOP     LR    1,2\n".to_vec();
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let source = SourceText::read("WAITER.asm", code, &options).unwrap();
        let names: Vec<_> = AssemblerSource::read(&source).programs.into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["WAITER", "WAITSHRT"]);
    }
}
