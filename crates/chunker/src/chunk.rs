//! Chunks and their limits.

use crate::atoms::split_into_atoms;
use crate::measure::SourceMeasure;
use crate::pack::{AffinityEdges, min_chunk_count, pack};
use crate::shared_data::shared_data;
use crate::units::UnitIndex;
use serde::Serialize;
use std::ops::Range;
use war_rig_cobol::{Analysis, BoundaryLevel, LabelTarget, ParsedCobol};
use war_rig_estimator::TokenCount;
use war_rig_text::{LineRange, SourceText};

/// The limits of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLimits {
    /// The maximum tokens of source rows.
    pub source: TokenCount,
    /// The maximum tokens of the expected answer; `None` is unlimited.
    pub answer: Option<TokenCount>,
}

impl ChunkLimits {
    /// Returns a limit on the source alone.
    pub fn of_source(source: TokenCount) -> Self {
        Self { source, answer: None }
    }

    /// Whether these zero-based lines fit into one chunk.
    pub(crate) fn fits(&self, measure: &SourceMeasure, lines: Range<usize>) -> bool {
        measure.source_tokens_of_indices(lines.clone()) <= self.source
            && self.answer.is_none_or(|most| measure.answer_tokens_of_indices(lines) <= most)
    }
}

/// Whether a source is too large for one chunk.
pub fn needs_chunking(measure: &SourceMeasure, limits: &ChunkLimits) -> bool {
    !limits.fits(measure, 0..measure.line_count())
}

/// The largest kind of unit that begins in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum ContextType {
    /// A division, or a whole program.
    Division,
    /// A section.
    Section,
    /// A paragraph.
    Paragraph,
    /// Part of one of the units above.
    Block,
}

impl ContextType {
    /// Returns the name as JSON spells it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A run of lines that one call documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChunk {
    /// `<file stem>-<three digits>`, unique in its file.
    pub chunk_id: String,
    /// The lines that it owns.
    pub lines: LineRange,
    /// The largest kind of unit that begins in it.
    pub context_type: ContextType,
    /// The division, section and paragraph in which it begins.
    pub parent_context: String,
    /// The exact tokens of its rows as numbered in a prompt.
    pub estimated_tokens: TokenCount,
    /// The sections and paragraphs that have lines in it.
    pub labels: Vec<String>,
    /// Whether it is within the source limit. Only one line that alone exceeds the limit is not, which only free format allows.
    pub fits: bool,
}

/// Plans the chunks of a source. A source that fits is one chunk; an empty one has none.
pub fn chunk(
    source: &SourceText,
    analysis: &Analysis,
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> Vec<CodeChunk> {
    chunk_with_reserve(source, analysis, measure, limits, &[])
}

/// Plans chunks like [`chunk`], and reserves room for context in each chunk: the largest of the `reserves`, sorted largest first, that
/// costs no extra chunk. Only a line that exceeds the source limit without a reserve does not fit.
pub fn chunk_with_reserve(
    source: &SourceText,
    analysis: &Analysis,
    measure: &SourceMeasure,
    limits: &ChunkLimits,
    reserves: &[TokenCount],
) -> Vec<CodeChunk> {
    let parsed = analysis.parsed();
    let pieces = |limits: &ChunkLimits| split_into_atoms(0..measure.line_count(), &parsed.boundaries, measure, limits);
    let plain = pieces(limits);
    let few = min_chunk_count(&plain, measure, limits);
    let beside = reserves
        .iter()
        .filter(|_| few > 1)
        .filter_map(|reserve| Some(ChunkLimits { source: limits.source.checked_sub(*reserve)?, ..*limits }))
        .map(|limits| (pieces(&limits), limits))
        .find(|(atoms, limits)| min_chunk_count(atoms, measure, limits) == few);
    // If no reserve is possible in every chunk, as many chunks as possible get the smallest one.
    let (atoms, within, room) = match beside {
        Some((atoms, within)) => (atoms, within, TokenCount::ZERO),
        None => (plain, *limits, reserves.last().copied().unwrap_or_default()),
    };
    // A single piece has no edge that could be cut.
    let edges = if atoms.len() > 1 { edges(analysis) } else { AffinityEdges::default() };
    let ranges = pack(&atoms, &edges, &parsed.boundaries, measure, &within, room);
    let stem = stem(source.name());
    named(ranges, parsed, measure, limits, |number| format!("{stem}-{number:03}"))
}

/// Plans the chunks of a source along the borders of an earlier plan: these ranges, in order and without overlap, remain chunks where
/// they fit. The lines between them are cut by the same rules as in [`chunk`].
pub fn chunk_with_borders(
    source: &SourceText,
    analysis: &Analysis,
    measure: &SourceMeasure,
    limits: &ChunkLimits,
    kept: &[LineRange],
) -> Vec<CodeChunk> {
    let parsed = analysis.parsed();
    let all = edges(analysis);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let fill = |ranges: &mut Vec<Range<usize>>, gap: Range<usize>| {
        if gap.is_empty() {
            return;
        }
        let within = |edges: &[(usize, usize)]| {
            edges.iter().filter(|(from, to)| gap.contains(from) && gap.contains(to)).copied().collect()
        };
        let edges = AffinityEdges { control: within(&all.control), data: within(&all.data) };
        let atoms = split_into_atoms(gap, &parsed.boundaries, measure, limits);
        ranges.extend(pack(&atoms, &edges, &parsed.boundaries, measure, limits, TokenCount::ZERO));
    };
    let mut next = 0;
    for lines in kept {
        let range = lines.start().index()..lines.end().index() + 1;
        if range.start >= next && range.end <= measure.line_count() && limits.fits(measure, range.clone()) {
            fill(&mut ranges, next..range.start);
            next = range.end;
            ranges.push(range);
        }
    }
    fill(&mut ranges, next..measure.line_count());
    let stem = stem(source.name());
    named(ranges, parsed, measure, limits, |number| format!("{stem}-{number:03}"))
}

/// Cuts a chunk into smaller ones by the same rules. The parts are named after it: `X-003.1`, `X-003.2`.
pub fn subdivide_chunk(
    chunk: &CodeChunk,
    analysis: &Analysis,
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> Vec<CodeChunk> {
    let parsed = analysis.parsed();
    let lines = chunk.lines.start().index()..chunk.lines.end().index() + 1;
    let atoms = split_into_atoms(lines.clone(), &parsed.boundaries, measure, limits);
    let mut edges = edges(analysis);
    for edges in [&mut edges.control, &mut edges.data] {
        edges.retain(|(from, to)| lines.contains(from) && lines.contains(to));
    }
    let ranges = pack(&atoms, &edges, &parsed.boundaries, measure, limits, TokenCount::ZERO);
    named(ranges, parsed, measure, limits, |number| format!("{}.{number}", chunk.chunk_id))
}

/// Builds the chunks of these zero-based lines.
fn named(
    ranges: Vec<Range<usize>>,
    parsed: &ParsedCobol,
    measure: &SourceMeasure,
    limits: &ChunkLimits,
    name: impl Fn(usize) -> String,
) -> Vec<CodeChunk> {
    let units = UnitIndex::of(parsed);
    let numbered = (1..).zip(ranges);
    numbered
        .filter_map(|(number, range)| Some((number, LineRange::from_indices(range.clone())?, range)))
        .map(|(number, lines, range)| CodeChunk {
            chunk_id: name(number),
            lines,
            context_type: context_type(&parsed.boundaries[range.clone()], &units, lines),
            parent_context: units.parent(lines.start()),
            estimated_tokens: measure.source_tokens_of_indices(range.clone()),
            labels: units.labels(lines),
            fits: measure.source_tokens_of_indices(range) <= limits.source,
        })
        .collect()
}

fn edges(analysis: &Analysis) -> AffinityEdges {
    AffinityEdges { control: references(analysis), data: shared_data(analysis) }
}

/// Returns references and their labels as pairs of zero-based lines of the file itself.
fn references(analysis: &Analysis) -> Vec<(usize, usize)> {
    let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
    let own = |file: &Option<String>| file.is_none();
    let target = |label: LabelTarget| match label {
        LabelTarget::Paragraph(index) => Some(&parsed.paragraphs[index]).filter(|p| own(&p.file)).map(|p| p.lines),
        LabelTarget::Section(index) => Some(&parsed.sections[index]).filter(|s| own(&s.file)).map(|s| s.lines),
    };
    parsed
        .references
        .iter()
        .enumerate()
        .filter(|(_, reference)| own(&reference.file))
        .filter_map(|(index, reference)| {
            Some((reference.line.index(), target(flow.reference_target(index)?)?.start().index()))
        })
        .collect()
}

fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

fn context_type(seams: &[BoundaryLevel], units: &UnitIndex<'_>, lines: LineRange) -> ContextType {
    match seams.iter().min() {
        Some(BoundaryLevel::Program | BoundaryLevel::Division) => ContextType::Division,
        Some(BoundaryLevel::Section) => ContextType::Section,
        Some(BoundaryLevel::Paragraph) if !units.paragraphs.beginning_in(lines).is_empty() => ContextType::Paragraph,
        _ => ContextType::Block,
    }
}
