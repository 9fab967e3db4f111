//! The COBOL boundaries of a file, line by line.

use crate::model::BoundaryLevel;
use crate::stream::Token;
use war_rig_text::LineNumber;

/// The strongest construct that begins on each line.
pub(super) struct BoundaryMap {
    seams: Vec<BoundaryLevel>,
}

impl BoundaryMap {
    pub(super) fn new(lines: usize) -> Self {
        Self { seams: vec![BoundaryLevel::Line; lines] }
    }

    /// Records that a construct begins at a token; a cut is possible only before a token that begins its line in the file itself.
    pub(super) fn mark(&mut self, token: &Token<'_>, seam: BoundaryLevel) {
        if token.file == 0 && token.first {
            self.mark_line(token.line, seam);
        }
    }

    /// Records that a construct begins with a line of the file itself.
    pub(super) fn mark_line(&mut self, line: LineNumber, seam: BoundaryLevel) {
        if let Some(current) = self.seams.get_mut(line.index()) {
            *current = (*current).min(seam);
        }
    }

    /// Returns the boundaries, each moved up before the comment banner directly above its line.
    pub(super) fn into_boundaries(self, comments: &[bool]) -> Vec<BoundaryLevel> {
        let mut moved = vec![BoundaryLevel::Line; self.seams.len()];
        for (index, seam) in self.seams.iter().enumerate().filter(|(_, seam)| **seam != BoundaryLevel::Line) {
            let at = banner(LineNumber::from_index(index), comments).index();
            moved[at] = moved[at].min(*seam);
        }
        moved
    }
}

/// Returns the first of the comment lines directly above a line, or the line itself.
pub(super) fn banner(line: LineNumber, comments: &[bool]) -> LineNumber {
    let above = comments[..line.index().min(comments.len())].iter().rev().take_while(|comment| **comment).count();
    LineNumber::from_index(line.index() - above)
}
