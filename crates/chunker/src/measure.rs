//! Measures the cost of source lines: as rows of a prompt, and in the answer to them.

use crate::answer_estimate;
use std::ops::Range;
use war_rig_cobol::ParsedCobol;
use war_rig_estimator::{RowTokens, TokenCount, TokenCounter};
use war_rig_text::{LineRange, SourceText};

/// The cost of every line of a source, computed once.
#[derive(Debug, Clone)]
pub struct SourceMeasure {
    rows: RowTokens,
    /// `answers[k]` is the expected answer tokens of the first `k` lines.
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

    /// Returns the number of measured lines.
    pub fn line_count(&self) -> usize {
        self.rows.line_count()
    }

    /// Returns the exact tokens of a prompt's block that shows these lines, numbered from 1.
    pub fn source_tokens(&self, lines: LineRange) -> TokenCount {
        self.source_tokens_of_indices(lines.indices())
    }

    /// Returns the tokens of the whole file shown as one block.
    pub fn all_source_tokens(&self) -> TokenCount {
        self.source_tokens_of_indices(0..self.line_count())
    }

    /// Returns the expected tokens of the answer about these lines.
    pub fn answer_tokens(&self, lines: LineRange) -> TokenCount {
        self.answer_tokens_of_indices(lines.indices())
    }

    pub(crate) fn source_tokens_of_indices(&self, lines: Range<usize>) -> TokenCount {
        self.rows.block(lines)
    }

    pub(crate) fn answer_tokens_of_indices(&self, lines: Range<usize>) -> TokenCount {
        TokenCount::new(answer_estimate::BASE_ANSWER_TOKENS + self.answers[lines.end] - self.answers[lines.start])
    }

    /// Returns the minimum number of calls that could document the file: its source tokens over the source share or its expected answer
    /// over the answer limit, whichever is larger, rounded up.
    pub fn ideal_calls(&self, source_share: TokenCount, max_answer: TokenCount) -> u64 {
        let all = self.answer_tokens_of_indices(0..self.line_count()).get() - answer_estimate::BASE_ANSWER_TOKENS;
        let answers = max_answer.checked_sub(TokenCount::new(answer_estimate::BASE_ANSWER_TOKENS)).unwrap_or_default();
        self.all_source_tokens().shares(source_share).max(TokenCount::new(all).shares(answers))
    }
}
