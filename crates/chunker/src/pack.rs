//! Packing pieces into as few chunks as possible.
//!
//! Among the plans with the fewest chunks, the one in which the most chunks leave room for context; among those, the one that cuts
//! the fewest edges between a PERFORM or GO TO and its label; among those, the one that cuts the fewest between paragraphs that share
//! data; among those, the one whose cuts lie at the strongest seams; among those, the one that fills its chunks most evenly. A single pass: the best plan up to a piece is known for every piece before it,
//! and a chunk reaches back at most as far as its share of tokens.

use crate::atoms::MAX_BOUNDARY_DEPTH;
use crate::chunk::ChunkLimits;
use crate::measure::SourceMeasure;
use std::cmp::Reverse;
use std::ops::Range;
use war_rig_cobol::BoundaryLevel;
use war_rig_estimator::TokenCount;

/// What a plan is worth; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PlanCost {
    chunks: usize,
    /// Chunks that leave no room for context.
    cramped: usize,
    /// Edges of control whose two ends lie in one chunk.
    kept_edges: Reverse<u64>,
    /// The same of edges of data.
    kept_data: Reverse<u64>,
    weakness: u64,
    unevenness: u128,
}

/// Pairs of zero-based lines that are better kept in one chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct AffinityEdges {
    /// A PERFORM or GO TO and its label.
    pub(crate) control: Vec<(usize, usize)>,
    /// A statement that sets data and one of another paragraph that reads it.
    pub(crate) data: Vec<(usize, usize)>,
}

/// Joins neighbouring pieces to chunks. A chunk is to leave so much `room` of its source if
/// that costs no chunk more.
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
        PlanCost {
            chunks: 0,
            cramped: 0,
            kept_edges: nothing,
            kept_data: nothing,
            weakness: 0,
            unevenness: 0,
        },
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

/// The fewest chunks that pieces can be packed into: filling each chunk before the next is begun never takes more.
pub(crate) fn min_chunk_count(
    atoms: &[Range<usize>],
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> usize {
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

/// For each piece, the later pieces it shares an edge with, in order, and itself for edges inside it.
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

/// How bad it is to cut at a seam.
fn weakness(seam: BoundaryLevel) -> u64 {
    match seam {
        BoundaryLevel::Program | BoundaryLevel::Division => 0,
        BoundaryLevel::Section => 1,
        BoundaryLevel::Paragraph => 2,
        BoundaryLevel::Sentence => 6,
        BoundaryLevel::Branch(depth) => 10 + 2 * u64::from(depth.min(MAX_BOUNDARY_DEPTH)),
        BoundaryLevel::Statement(depth) => 11 + 2 * u64::from(depth.min(MAX_BOUNDARY_DEPTH)),
        BoundaryLevel::Line => 100,
    }
}
