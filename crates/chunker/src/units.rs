//! Finds the units of a file by line.

use war_rig_cobol::ParsedCobol;
use war_rig_text::{LineNumber, LineRange, LineSpans};

/// The units of the file itself.
pub(crate) struct UnitIndex<'a> {
    parsed: &'a ParsedCobol,
    pub(crate) divisions: LineSpans<usize>,
    pub(crate) sections: LineSpans<usize>,
    pub(crate) paragraphs: LineSpans<usize>,
}

impl<'a> UnitIndex<'a> {
    pub(crate) fn of(parsed: &'a ParsedCobol) -> Self {
        let divisions = parsed.divisions.iter().enumerate().filter(|(_, unit)| unit.file.is_none());
        let sections = parsed.sections.iter().enumerate().filter(|(_, unit)| unit.file.is_none());
        let paragraphs =
            parsed.paragraphs.iter().enumerate().filter(|(_, unit)| unit.has_label() && unit.file.is_none());
        Self {
            parsed,
            divisions: LineSpans::of(divisions.map(|(index, unit)| (unit.lines, index))),
            sections: LineSpans::of(sections.map(|(index, unit)| (unit.lines, index))),
            paragraphs: LineSpans::of(paragraphs.map(|(index, unit)| (unit.lines, index))),
        }
    }

    /// Returns the division, section and paragraph that contain a line, outermost first.
    pub(crate) fn parent(&self, line: LineNumber) -> String {
        let division = self.divisions.at(line);
        let section = self.sections.at(line);
        let paragraph = self.paragraphs.at(line).filter(|(lines, _)| lines.start() != line);
        let names = [
            division.map(|(_, unit)| format!("{} DIVISION", self.parsed.divisions[unit].name)),
            section.map(|(_, unit)| format!("{} SECTION", self.parsed.sections[unit].name)),
            paragraph.map(|(_, unit)| self.parsed.paragraphs[unit].name.clone()),
        ];
        names.into_iter().flatten().collect::<Vec<_>>().join(" / ")
    }

    /// Returns the names of the sections and paragraphs that overlap these lines, in order.
    pub(crate) fn labels(&self, lines: LineRange) -> Vec<String> {
        let sections = self.sections.touching(lines).iter();
        let paragraphs = self.paragraphs.touching(lines).iter();
        let mut labels: Vec<(LineNumber, &String)> = sections
            .map(|(unit, index)| (unit.start(), &self.parsed.sections[*index].name))
            .chain(paragraphs.map(|(unit, index)| (unit.start(), &self.parsed.paragraphs[*index].name)))
            .collect();
        labels.sort_by_key(|(line, _)| *line);
        labels.into_iter().map(|(_, name)| name.clone()).collect()
    }
}
