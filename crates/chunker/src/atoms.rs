//! Divides a file into atoms, the pieces that a chunk never splits.

use crate::chunk::ChunkLimits;
use crate::measure::SourceMeasure;
use std::ops::Range;
use war_rig_cobol::BoundaryLevel;

/// All deeper levels count as this one, which bounds the passes over a file.
pub(crate) const MAX_BOUNDARY_DEPTH: u16 = 12;

/// Divides lines at their strongest seams until every piece fits: a PROCEDURE DIVISION that fits stays whole; else it becomes sections,
/// paragraphs, sentences, statements, branches of statements, and finally lines. Pieces are zero-based line ranges in order.
pub(crate) fn split_into_atoms(
    whole: Range<usize>,
    seams: &[BoundaryLevel],
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> Vec<Range<usize>> {
    let mut atoms = Vec::new();
    // The stack contains the pieces still to divide, the first on top, so that atoms come out in order.
    let mut open = Vec::from([whole]);
    while let Some(piece) = open.pop() {
        if piece.len() <= 1 || limits.fits(measure, piece.clone()) {
            if !piece.is_empty() {
                atoms.push(piece);
            }
            continue;
        }
        let inner = piece.start + 1..piece.end;
        let strongest = seams[inner.clone()].iter().copied().map(shallow).min().unwrap_or(BoundaryLevel::Line);
        let mut end = piece.end;
        for cut in inner.rev().filter(|line| shallow(seams[*line]) == strongest) {
            open.push(cut..end);
            end = cut;
        }
        open.push(piece.start..end);
    }
    atoms
}

fn shallow(seam: BoundaryLevel) -> BoundaryLevel {
    match seam {
        BoundaryLevel::Nested { depth, is_statement } => {
            BoundaryLevel::Nested { depth: depth.min(MAX_BOUNDARY_DEPTH), is_statement }
        }
        other => other,
    }
}
