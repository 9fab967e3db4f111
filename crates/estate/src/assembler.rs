//! Assembler sources: only the names of their programs are read.

use foldhash::{HashMap, HashMapExt};
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
    /// The line of its statement; of an entry point, that of its label.
    pub line: LineNumber,
    /// Whether it is an entry point into a control section: a name of ENTRY.
    #[serde(skip)]
    pub is_entry_point: bool,
}

/// Operations whose label (or whose macro's label) names a program.
const NAMING: [&str; 5] = ["CSECT", "RSECT", "START", "CEEENTRY", "DFHEIENT"];

impl AssemblerSource {
    /// Parses the names of an assembler source. ENTRY often stands before the control section that has the label.
    pub fn read(source: &SourceText) -> Self {
        let mut names = ProgramNames::default();
        let mut labels: HashMap<String, LineNumber> = HashMap::new();
        for line in source.lines() {
            let text = line.text().to_uppercase();
            if text.starts_with(['*', '.']) {
                continue;
            }
            let has_label = text.starts_with(|c: char| !c.is_whitespace());
            let mut words = text.split_whitespace();
            let label = if has_label { words.next() } else { None };
            if let Some(label) = label {
                labels.entry(label.to_owned()).or_insert(line.number());
            }
            match (label, words.next()) {
                (Some(name), Some(operation)) if NAMING.contains(&operation) => names.add(name, line.number(), false),
                (_, Some("ENTRY")) => {
                    let entries = words.next().into_iter().flat_map(|entries| entries.split(','));
                    entries.for_each(|name| names.add(name, line.number(), true));
                }
                _ => {}
            }
        }
        let mut programs = names.programs;
        for entry in programs.iter_mut().filter(|program| program.is_entry_point) {
            entry.line = labels.get(&entry.name).copied().unwrap_or(entry.line);
        }
        programs.sort_by_key(|program| program.line);
        Self { file: source.name().to_owned(), programs }
    }
}

/// The names of a source, each once.
#[derive(Default)]
struct ProgramNames {
    programs: Vec<AssemblerProgram>,
    /// The place of each name in the list.
    places: HashMap<String, usize>,
}

impl ProgramNames {
    /// Adds a name. One that a control section has is no entry point, whatever ENTRY says.
    fn add(&mut self, name: &str, line: LineNumber, is_entry_point: bool) {
        // A name that contains a symbol belongs to a macro parameter.
        if name.is_empty() || name.contains('&') {
            return;
        }
        let place = *self.places.entry(name.to_owned()).or_insert(self.programs.len());
        match self.programs.get_mut(place) {
            Some(known) if known.is_entry_point && !is_entry_point => {
                (known.line, known.is_entry_point) = (line, false);
            }
            Some(_) => {}
            None => self.programs.push(AssemblerProgram { name: name.to_owned(), line, is_entry_point }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::{ReadOptions, SourceFormat};

    /// Returns the names with their lines; those of entry points are in parentheses.
    fn names(code: &str) -> Vec<String> {
        let options = ReadOptions { format: Some(SourceFormat::Free), ..ReadOptions::default() };
        let source = SourceText::read("WAITER.asm", code.as_bytes().to_vec(), &options).unwrap();
        let shown = |found: AssemblerProgram| match found.is_entry_point {
            true => format!("({}) {}", found.name, found.line),
            false => format!("{} {}", found.name, found.line),
        };
        AssemblerSource::read(&source).programs.into_iter().map(shown).collect()
    }

    #[test]
    fn control_sections_and_entries_name_programs() {
        let code = "* A CSECT\nWAITER   CSECT\n         ENTRY WAITSHRT\nWAITER   CSECT\nLOOP     LR    1,2\n";
        assert_eq!(names(code), ["WAITER 2", "(WAITSHRT) 3"]);
    }

    #[test]
    fn a_control_section_is_no_entry_point_wherever_it_stands() {
        let code = "         ENTRY SUBX,MAINX\nMAINX    CSECT\n         LR    1,2\nSUBX     DS    0H\nOTHERX   CSECT\n";
        assert_eq!(names(code), ["MAINX 2", "(SUBX) 4", "OTHERX 5"]);
    }
}
