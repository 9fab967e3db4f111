//! Chunks and their limits.

use crate::atoms::atoms;
use crate::measure::SourceMeasure;
use crate::pack::pack;
use serde::Serialize;
use std::ops::Range;
use war_rig_cobol::{Flow, Label, Parsed, Seam};
use war_rig_estimator::TokenCount;
use war_rig_text::{LineNumber, LineRange, SourceText};

/// What a chunk may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLimits {
    /// The most tokens of source rows.
    pub source: TokenCount,
    /// The most tokens that its answer is expected to take; none leaves the answer unlimited.
    pub answer: Option<TokenCount>,
}

impl ChunkLimits {
    /// A limit on the source alone.
    pub fn of_source(source: TokenCount) -> Self {
        Self { source, answer: None }
    }

    /// Whether these zero-based lines fit into one chunk.
    pub(crate) fn hold(&self, measure: &SourceMeasure, lines: Range<usize>) -> bool {
        measure.block(lines.clone()) <= self.source
            && self.answer.is_none_or(|most| measure.answer(lines) <= most)
    }
}

/// Whether a source is too large for one chunk.
pub fn needs_chunking(measure: &SourceMeasure, limits: &ChunkLimits) -> bool {
    !limits.hold(measure, 0..measure.line_count())
}

/// The coarsest kind of unit that begins in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextType {
    /// A division, or a whole program.
    Division,
    /// A section.
    Section,
    /// A paragraph.
    Paragraph,
    /// Part of one of these.
    Block,
}

impl ContextType {
    /// The name as JSON spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            ContextType::Division => "division",
            ContextType::Section => "section",
            ContextType::Paragraph => "paragraph",
            ContextType::Block => "block",
        }
    }
}

/// A run of lines that one call documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChunk {
    /// `<file stem>-<three digits>`, unique in its file.
    pub chunk_id: String,
    /// The lines it owns.
    pub lines: LineRange,
    /// The coarsest kind of unit that begins in it.
    pub context_type: ContextType,
    /// The division, section and paragraph in which it begins.
    pub parent_context: String,
    /// The tokens of its rows as numbered in a prompt, exactly.
    pub estimated_tokens: TokenCount,
    /// The sections and paragraphs it holds lines of.
    pub labels: Vec<String>,
    /// Whether it is within the source limit. A chunk that is not is one line that alone exceeds it, which only free format allows.
    pub fits: bool,
}

/// Plans the chunks of a source. A source that fits is one chunk; an empty one has none.
pub fn chunk(
    source: &SourceText,
    parsed: &Parsed,
    flow: &Flow,
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> Vec<CodeChunk> {
    let atoms = atoms(&parsed.seams, measure, limits);
    let ranges = pack(&atoms, &edges(parsed, flow), &parsed.seams, measure, limits);
    let stem = stem(source.name());
    let outline = Outline::of(parsed);
    ranges
        .into_iter()
        .enumerate()
        .filter_map(|(index, range)| Some((index, LineRange::from_indices(range.clone())?, range)))
        .map(|(index, lines, range)| CodeChunk {
            chunk_id: format!("{stem}-{:03}", index + 1),
            lines,
            context_type: context_type(&parsed.seams[range.clone()], parsed, lines),
            parent_context: outline.parent(lines.start()),
            estimated_tokens: measure.block(range.clone()),
            labels: outline.labels(lines),
            fits: measure.block(range) <= limits.source,
        })
        .collect()
}

/// References and their labels as pairs of zero-based lines of the file itself.
fn edges(parsed: &Parsed, flow: &Flow) -> Vec<(usize, usize)> {
    let own = |file: &Option<String>| file.is_none();
    let target = |label: Label| match label {
        Label::Paragraph(index) => Some(&parsed.paragraphs[index]).filter(|p| own(&p.file)).map(|p| p.lines),
        Label::Section(index) => Some(&parsed.sections[index]).filter(|s| own(&s.file)).map(|s| s.lines),
    };
    parsed
        .references
        .iter()
        .enumerate()
        .filter(|(_, reference)| own(&reference.file))
        .filter_map(|(index, reference)| {
            Some((reference.line.index(), target(flow.target(index)?)?.start().index()))
        })
        .collect()
}

fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

fn context_type(seams: &[Seam], parsed: &Parsed, lines: LineRange) -> ContextType {
    let in_procedure = parsed
        .paragraphs
        .iter()
        .any(|paragraph| paragraph.file.is_none() && lines.contains(paragraph.lines.start()));
    match seams.iter().min() {
        Some(Seam::Program | Seam::Division) => ContextType::Division,
        Some(Seam::Section) => ContextType::Section,
        Some(Seam::Paragraph) if in_procedure => ContextType::Paragraph,
        _ => ContextType::Block,
    }
}

/// The units of a source by line.
struct Outline<'a> {
    parsed: &'a Parsed,
}

impl<'a> Outline<'a> {
    fn of(parsed: &'a Parsed) -> Self {
        Self { parsed }
    }

    /// The division, section and paragraph that a line lies in, outermost first.
    fn parent(&self, line: LineNumber) -> String {
        let parsed = self.parsed;
        let division = parsed
            .divisions
            .iter()
            .find(|unit| unit.file.is_none() && unit.lines.contains(line))
            .map(|unit| format!("{} DIVISION", unit.name));
        let section = parsed
            .sections
            .iter()
            .find(|unit| unit.file.is_none() && unit.lines.contains(line))
            .map(|unit| format!("{} SECTION", unit.name));
        let paragraph = parsed
            .paragraphs
            .iter()
            .find(|unit| unit.file.is_none() && unit.lines.contains(line) && unit.lines.start() != line)
            .map(|unit| unit.name.clone());
        [division, section, paragraph].into_iter().flatten().collect::<Vec<_>>().join(" / ")
    }

    fn labels(&self, lines: LineRange) -> Vec<String> {
        let sections = self.parsed.sections.iter().map(|unit| (unit.lines, &unit.file, &unit.name));
        let paragraphs = self.parsed.paragraphs.iter().map(|unit| (unit.lines, &unit.file, &unit.name));
        let mut labels: Vec<(LineNumber, &String)> = sections
            .chain(paragraphs)
            .filter(|(unit, file, _)| file.is_none() && unit.intersection(lines).is_some())
            .map(|(unit, _, name)| (unit.start(), name))
            .collect();
        labels.sort_by_key(|(line, _)| *line);
        labels.into_iter().map(|(_, name)| name.clone()).collect()
    }
}
