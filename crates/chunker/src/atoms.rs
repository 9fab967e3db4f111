//! The pieces that a chunk never divides.

use crate::chunk::ChunkLimits;
use crate::measure::SourceMeasure;
use std::ops::Range;
use war_rig_cobol::Seam;

/// Nesting below this depth is cut alike: it bounds the passes over a file.
pub(crate) const DEEPEST: u16 = 12;

/// Divides lines of the file, all of them or those of a chunk, at their strongest seams until every piece fits: a PROCEDURE DIVISION that fits stays whole, else its
/// sections, else paragraphs, sentences, statements, branches of statements and in the end lines. Pieces are zero-based line ranges in order.
pub(crate) fn atoms(
    whole: Range<usize>,
    seams: &[Seam],
    measure: &SourceMeasure,
    limits: &ChunkLimits,
) -> Vec<Range<usize>> {
    let mut atoms = Vec::new();
    // The stack holds what is still to be divided, the first piece on top, so that atoms come out in order.
    let mut open = Vec::from([whole]);
    while let Some(piece) = open.pop() {
        if piece.len() <= 1 || limits.hold(measure, piece.clone()) {
            if !piece.is_empty() {
                atoms.push(piece);
            }
            continue;
        }
        let inner = piece.start + 1..piece.end;
        let strongest = seams[inner.clone()].iter().copied().map(shallow).min().unwrap_or(Seam::Line);
        let mut end = piece.end;
        for cut in inner.rev().filter(|line| shallow(seams[*line]) == strongest) {
            open.push(cut..end);
            end = cut;
        }
        open.push(piece.start..end);
    }
    atoms
}

fn shallow(seam: Seam) -> Seam {
    match seam {
        Seam::Branch(depth) => Seam::Branch(depth.min(DEEPEST)),
        Seam::Statement(depth) => Seam::Statement(depth.min(DEEPEST)),
        other => other,
    }
}
