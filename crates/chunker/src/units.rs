//! Finds the units of a file by line, with a binary search because a file may have as many units as chunks.

use war_rig_cobol::ParsedCobol;
use war_rig_text::{LineNumber, LineRange};

/// Units of one kind, in order; two of them share at most one line.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitSpans {
    spans: Vec<(LineRange, usize)>,
}

impl UnitSpans {
    /// Collects the spans of these units with their indices.
    pub(crate) fn of(units: impl Iterator<Item = (LineRange, usize)>) -> Self {
        let mut spans: Vec<_> = units.collect();
        spans.sort_by_key(|(lines, _)| lines.start());
        Self { spans }
    }

    /// Returns all units with their lines.
    pub(crate) fn all(&self) -> impl Iterator<Item = (LineRange, usize)> {
        self.spans.iter().copied()
    }

    /// Returns the unit that contains a line, with the unit's lines.
    pub(crate) fn at(&self, line: LineNumber) -> Option<(LineRange, usize)> {
        let behind = self.spans.partition_point(|(lines, _)| lines.start() <= line);
        self.spans[..behind].last().copied().filter(|(lines, _)| lines.contains(line))
    }

    /// Returns the units that overlap these lines.
    pub(crate) fn touching(&self, lines: LineRange) -> &[(LineRange, usize)] {
        let first = self.spans.partition_point(|(unit, _)| unit.end() < lines.start());
        let behind = self.spans.partition_point(|(unit, _)| unit.start() <= lines.end());
        &self.spans[first.min(behind)..behind]
    }

    /// Returns the units that begin in these lines.
    pub(crate) fn beginning_in(&self, lines: LineRange) -> &[(LineRange, usize)] {
        let first = self.spans.partition_point(|(unit, _)| unit.start() < lines.start());
        let behind = self.spans.partition_point(|(unit, _)| unit.start() <= lines.end());
        &self.spans[first..behind]
    }
}

/// The units of the file itself.
pub(crate) struct UnitIndex<'a> {
    parsed: &'a ParsedCobol,
    pub(crate) divisions: UnitSpans,
    pub(crate) sections: UnitSpans,
    pub(crate) paragraphs: UnitSpans,
}

impl<'a> UnitIndex<'a> {
    pub(crate) fn of(parsed: &'a ParsedCobol) -> Self {
        let divisions = parsed.divisions.iter().enumerate().filter(|(_, unit)| unit.file.is_none());
        let sections = parsed.sections.iter().enumerate().filter(|(_, unit)| unit.file.is_none());
        let paragraphs =
            parsed.paragraphs.iter().enumerate().filter(|(_, unit)| unit.has_label() && unit.file.is_none());
        Self {
            parsed,
            divisions: UnitSpans::of(divisions.map(|(index, unit)| (unit.lines, index))),
            sections: UnitSpans::of(sections.map(|(index, unit)| (unit.lines, index))),
            paragraphs: UnitSpans::of(paragraphs.map(|(index, unit)| (unit.lines, index))),
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
