//! Packs pieces into as few chunks as possible.
//!
//! Among the plans with the fewest chunks, it prefers in this order: most chunks with room for context; fewest cut edges between a
//! PERFORM or GO TO and its label; fewest cut edges between paragraphs that share data; cuts at the strongest seams; most evenly
//! filled chunks. A single pass records the best plan up to every piece,
//! and a chunk reaches back at most as far as its share of tokens.

use crate::atoms::MAX_BOUNDARY_DEPTH;
use crate::chunk::ChunkLimits;
use crate::measure::SourceMeasure;
use std::cmp::Reverse;
use std::ops::Range;
use war_rig_cobol::BoundaryLevel;
use war_rig_estimator::TokenCount;

/// The cost of a plan; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlanCost {
    chunks: usize,
    /// Chunks without room for context.
    cramped: usize,
    /// Control edges with both ends in one chunk.
    kept_edges: Reverse<u64>,
    /// Data edges with both ends in one chunk.
    kept_data: Reverse<u64>,
    weakness: u64,
    unevenness: u128,
}

/// Pairs of zero-based lines that belong together in one chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct AffinityEdges {
    /// PERFORM or GO TO statements and their labels.
    pub(crate) control: Vec<(usize, usize)>,
    /// Statements that set data and statements of other paragraphs that read it.
    pub(crate) data: Vec<(usize, usize)>,
}

/// Joins neighboring pieces to chunks. Each chunk leaves `room` in its source limit if
/// that costs no extra chunk.
pub(crate) fn pack(
    atoms: &[Range<usize>],
    edges: &AffinityEdges,
    seams: &[BoundaryLevel],
    measure: &SourceMeasure,
    limits: &ChunkLimits,
    room: TokenCount,
) -> Vec<Range<usize>> {
    let comfortable = limits.source.checked_sub(room).unwrap_or_default();
    let later = later_ends(atoms, &edges.control);
    let later_data = later_ends(atoms, &edges.data);
    let mut best: Vec<(PlanCost, usize)> = Vec::with_capacity(atoms.len() + 1);
    let nothing = Reverse(0);
    best.push((
        PlanCost { chunks: 0, cramped: 0, kept_edges: nothing, kept_data: nothing, weakness: 0, unevenness: 0 },
        0,
    ));
    for end in 1..=atoms.len() {
        let mut chosen: Option<(PlanCost, usize)> = None;
        let (mut kept, mut kept_data) = (0, 0);
        for start in (0..end).rev() {
            let lines = atoms[start].start..atoms[end - 1].end;
            if start + 1 < end && !limits.fits(measure, lines.clone()) {
                break;
            }
            kept += later[start].partition_point(|other| *other < end) as u64;
            kept_data += later_data[start].partition_point(|other| *other < end) as u64;
            let before = best[start].0;
            let tokens = measure.source_tokens_of_indices(lines.clone());
            let size = u128::from(tokens.get());
            let cost = PlanCost {
                chunks: before.chunks + 1,
                cramped: before.cramped + usize::from(tokens > comfortable),
                kept_edges: Reverse(before.kept_edges.0 + kept),
                kept_data: Reverse(before.kept_data.0 + kept_data),
                weakness: before.weakness + if start == 0 { 0 } else { weakness(seams[lines.start]) },
                unevenness: before.unevenness + size * size,
            };
            if chosen.is_none_or(|(known, _)| cost < known) {
                chosen = Some((cost, start));
            }
        }
        best.push(chosen.expect("a piece by itself is always a chunk"));
    }
    let mut chunks = Vec::new();
    let mut end = atoms.len();
    while end > 0 {
        let start = best[end].1;
        chunks.push(atoms[start].start..atoms[end - 1].end);
        end = start;
    }
    chunks.reverse();
    chunks
}

/// Returns the minimum number of chunks for these pieces. Filling each chunk before beginning the next is optimal.
pub(crate) fn min_chunk_count(atoms: &[Range<usize>], measure: &SourceMeasure, limits: &ChunkLimits) -> usize {
    let mut chunks = 0;
    let mut start = None;
    for atom in atoms {
        if !start.is_some_and(|start| limits.fits(measure, start..atom.end)) {
            start = Some(atom.start);
            chunks += 1;
        }
    }
    chunks
}

/// Returns, for each piece, the later pieces it shares an edge with, in order, and itself for edges inside it.
fn later_ends(atoms: &[Range<usize>], edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let atom_of = |line: usize| atoms.partition_point(|atom| atom.end <= line);
    let mut later = vec![Vec::new(); atoms.len()];
    for (from, to) in edges {
        let (from, to) = (atom_of(*from), atom_of(*to));
        if let Some(ends) = later.get_mut(from.min(to)) {
            ends.push(from.max(to));
        }
    }
    later.iter_mut().for_each(|ends| ends.sort_unstable());
    later
}

/// Returns the penalty for a cut at a seam.
fn weakness(seam: BoundaryLevel) -> u64 {
    match seam {
        BoundaryLevel::Program | BoundaryLevel::Division => 0,
        BoundaryLevel::Section => 1,
        BoundaryLevel::Paragraph => 2,
        BoundaryLevel::Sentence => 6,
        BoundaryLevel::Nested { depth, is_statement } => {
            10 + 2 * u64::from(depth.min(MAX_BOUNDARY_DEPTH)) + u64::from(is_statement)
        }
        BoundaryLevel::Line => 100,
    }
}
