//! What the lines of a source cost: as rows of a prompt, and in the answer they call for.

use crate::answer;
use std::ops::Range;
use war_rig_cobol::Parsed;
use war_rig_estimator::{RowTokens, TokenCount, TokenCounter};
use war_rig_text::{LineRange, SourceText};

/// The cost of every line of a source, counted once.
#[derive(Debug, Clone)]
pub struct SourceMeasure {
    rows: RowTokens,
    /// `answers[k]` is the expected answer of the first `k` lines.
    answers: Vec<u64>,
}

impl SourceMeasure {
    /// Measures a source.
    pub fn of(source: &SourceText, parsed: &Parsed, counter: &TokenCounter) -> Self {
        let rows = RowTokens::count(counter, source.lines().map(|line| line.shown()));
        let mut answers = vec![0];
        let mut total = 0;
        for weight in answer::weights(parsed, source.line_count()) {
            total += weight;
            answers.push(total);
        }
        Self { rows, answers }
    }

    /// How many lines were measured.
    pub fn line_count(&self) -> usize {
        self.rows.line_count()
    }

    /// The tokens of a block that shows these lines, numbered from 1, exactly as a prompt shows it.
    pub fn source_tokens(&self, lines: LineRange) -> TokenCount {
        self.block(lines.indices())
    }

    /// The tokens of the whole file shown as one block.
    pub fn all_source_tokens(&self) -> TokenCount {
        self.block(0..self.line_count())
    }

    /// The tokens that the answer about these lines is expected to take.
    pub fn answer_tokens(&self, lines: LineRange) -> TokenCount {
        self.answer(lines.indices())
    }

    pub(crate) fn block(&self, lines: Range<usize>) -> TokenCount {
        self.rows.block(lines)
    }

    pub(crate) fn answer(&self, lines: Range<usize>) -> TokenCount {
        TokenCount::new(answer::FRAME + self.answers[lines.end] - self.answers[lines.start])
    }

    /// The fewest calls that could document the file: its source tokens over the source share or its expected answer over the
    /// answer limit, whichever asks for more, rounded up.
    pub fn ideal_calls(&self, source_share: TokenCount, max_answer: TokenCount) -> u64 {
        let all = self.answer(0..self.line_count()).get() - answer::FRAME;
        let answers = max_answer.checked_sub(TokenCount::new(answer::FRAME)).unwrap_or_default();
        self.all_source_tokens().shares(source_share).max(TokenCount::new(all).shares(answers))
    }
}
