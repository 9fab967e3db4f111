//! What a Scribe wrote about a file, before it is checked against the source and becomes a document.
//!
//! A draft contains words and no facts: the merge adds what the parser knows. So a draft may come from anywhere.

use crate::store::StoredChunk;
use serde::{Deserialize, Serialize};
use war_rig_llm::UsageTotals;
use war_rig_template::{PartialTemplate, ProgramOverview};
use war_rig_text::{ContentHash, LineRange, SourceText};

/// What was written about a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// Why the file went to the Scribe whole or in parts, with the numbers that decided.
    pub route: String,
    /// The calls that were planned.
    pub calls: u64,
    /// The result for each chunk, in line order.
    pub chunks: Vec<DraftedChunk>,
    /// What went wrong.
    pub problems: Vec<String>,
    /// The overview of the whole file, written over the words about its chunks; `None` if there is none.
    pub overview: Option<ProgramOverview>,
    /// Whether a chunk was not written because the run was stopped.
    pub was_stopped: bool,
    /// Whether its overview was not written because the run was stopped.
    pub is_unfinished: bool,
    /// What identifies its chunks after the file has changed.
    pub kept: Vec<StoredChunk>,
    /// Questions that got no usable answer.
    pub useless: Vec<ContentHash>,
    /// What the user should know about the file although nothing failed.
    pub notes: Vec<String>,
    /// The usage of its calls.
    pub bill: UsageTotals,
}

/// What was written about one chunk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftedChunk {
    /// The chunk's id.
    pub chunk_id: String,
    /// The lines it owns.
    pub lines: LineRange,
    /// What was written about it; `None` if it failed.
    pub partial: Option<PartialTemplate>,
    /// What could not be used in the answer.
    pub notes: Vec<String>,
    /// The share of the answer's items that could be read, from 0 to 1.
    pub kept: f64,
}

/// The error for a draft that does not belong to this source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("what was written is not of this source: {0}")]
pub struct DraftMismatch(String);

impl Draft {
    /// Whether no chunk was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.iter().all(|chunk| chunk.partial.is_none())
    }

    /// Whether part of it is missing because no further calls were made.
    pub fn was_interrupted(&self) -> bool {
        self.was_stopped || self.is_unfinished
    }

    /// Checks it against its source: the chunks tile the source, and every share is from 0 to 1.
    ///
    /// # Errors
    /// [`DraftMismatch`] with the reason.
    pub fn check_source(&self, source: &SourceText) -> Result<(), DraftMismatch> {
        let mut next = 1;
        for DraftedChunk { chunk_id, lines, kept, .. } in &self.chunks {
            if lines.start().get() != next {
                return Err(DraftMismatch(format!("chunk `{chunk_id}` does not begin on line {next}")));
            }
            if !(0.0..=1.0).contains(kept) {
                return Err(DraftMismatch(format!("chunk `{chunk_id}` says that a share of {kept} was kept")));
            }
            next = lines.end().get().saturating_add(1);
        }
        let (told, has) = (next - 1, source.line_count());
        if told as usize != has {
            return Err(DraftMismatch(format!("its chunks have {told} lines, and the source has {has}")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::ReadOptions;

    fn draft(ranges: &[(usize, usize)]) -> Draft {
        let chunk = |(start, end): &(usize, usize)| DraftedChunk {
            chunk_id: format!("X-{start}"),
            lines: LineRange::from_indices(*start..*end).expect("a range"),
            partial: None,
            notes: Vec::new(),
            kept: 1.0,
        };
        Draft { chunks: ranges.iter().map(chunk).collect(), ..Draft::default() }
    }

    #[test]
    fn a_draft_tiles_its_source() {
        let text = b"       ID DIVISION.\n       PROGRAM-ID. X.\n       PROCEDURE DIVISION.\n".to_vec();
        let source = SourceText::read("X.cbl", text, &ReadOptions::default()).expect("text");
        let said = |ranges| draft(ranges).check_source(&source).map_err(|error| error.to_string());
        assert_eq!(said(&[(0, 2), (2, 3)]), Ok(()));
        let told = "what was written is not of this source: ";
        assert_eq!(said(&[(0, 1), (2, 3)]), Err(format!("{told}chunk `X-2` does not begin on line 2")));
        assert_eq!(said(&[(0, 2)]), Err(format!("{told}its chunks have 2 lines, and the source has 3")));
        assert_eq!(said(&[(0, 4)]), Err(format!("{told}its chunks have 4 lines, and the source has 3")));
        let mut wrong = draft(&[(0, 3)]);
        wrong.chunks[0].kept = f64::NAN;
        assert!(wrong.check_source(&source).is_err());
    }
}
