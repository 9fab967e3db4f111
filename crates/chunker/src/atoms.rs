//! The pieces that a chunk never divides.

use crate::chunk::ChunkLimits;
use crate::measure::SourceMeasure;
use std::ops::Range;
use war_rig_cobol::BoundaryLevel;

/// Nesting below this depth is cut alike: it bounds the passes over a file.
pub(crate) const MAX_BOUNDARY_DEPTH: u16 = 12;

/// Divides lines of the file, all of them or those of a chunk, at their strongest seams until every piece fits: a PROCEDURE DIVISION that fits stays whole, else its
/// sections, else paragraphs, sentences, statements, branches of statements and in the end lines. Pieces are zero-based line ranges in order.
pub(crate) fn split_into_atoms(
    whole: Range<usize>,
    seams: &[BoundaryLevel],
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> Vec<Range<usize>> {
    let mut atoms = Vec::new();
    // The stack holds what is still to be divided, the first piece on top, so that atoms come out in order.
    let mut open = Vec::from([whole]);
    while let Some(piece) = open.pop() {
        if piece.len() <= 1 || limits.fits(measure, piece.clone()) {
            if !piece.is_empty() {
                atoms.push(piece);
            }
            continue;
        }
        let inner = piece.start + 1..piece.end;
        let strongest =
            seams[inner.clone()].iter().copied().map(shallow).min().unwrap_or(BoundaryLevel::Line);
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
        BoundaryLevel::Branch(depth) => BoundaryLevel::Branch(depth.min(MAX_BOUNDARY_DEPTH)),
        BoundaryLevel::Statement(depth) => BoundaryLevel::Statement(depth.min(MAX_BOUNDARY_DEPTH)),
        other => other,
    }
}
