//! What the lines of a source cost: as rows of a prompt, and in the answer they call for.

use crate::answer_estimate;
use std::ops::Range;
use war_rig_cobol::ParsedCobol;
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
    pub fn of(source: &SourceText, parsed: &ParsedCobol, counter: &TokenCounter) -> Self {
        let rows = RowTokens::count(counter, source.lines().map(|line| line.visible()));
        let mut answers = vec![0];
        let mut total = 0;
        for weight in answer_estimate::answer_tokens_by_line(parsed, source.line_count()) {
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
        self.source_tokens_of_indices(lines.indices())
    }

    /// The tokens of the whole file shown as one block.
    pub fn all_source_tokens(&self) -> TokenCount {
        self.source_tokens_of_indices(0..self.line_count())
    }

    /// The tokens that the answer about these lines is expected to take.
    pub fn answer_tokens(&self, lines: LineRange) -> TokenCount {
        self.answer_tokens_of_indices(lines.indices())
    }

    pub(crate) fn source_tokens_of_indices(&self, lines: Range<usize>) -> TokenCount {
        self.rows.block(lines)
    }

    pub(crate) fn answer_tokens_of_indices(&self, lines: Range<usize>) -> TokenCount {
        TokenCount::new(
            answer_estimate::BASE_ANSWER_TOKENS + self.answers[lines.end] - self.answers[lines.start],
        )
    }

    /// The fewest calls that could document the file: its source tokens over the source share or its expected answer over the
    /// answer limit, whichever asks for more, rounded up.
    pub fn ideal_calls(&self, source_share: TokenCount, max_answer: TokenCount) -> u64 {
        let all =
            self.answer_tokens_of_indices(0..self.line_count()).get() - answer_estimate::BASE_ANSWER_TOKENS;
        let answers =
            max_answer.checked_sub(TokenCount::new(answer_estimate::BASE_ANSWER_TOKENS)).unwrap_or_default();
        self.all_source_tokens().shares(source_share).max(TokenCount::new(all).shares(answers))
    }
}
