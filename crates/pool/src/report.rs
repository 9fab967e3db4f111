//! What a run did.

use crate::ticket::{Ticket, TicketState};
use serde::Serialize;
use war_rig_estimator::TokenCount;
use war_rig_template::CitationTotals;
use war_rig_text::LineNumber;

/// What became of one ticket.
#[derive(Debug, Clone)]
pub struct TicketReport {
    /// The ticket with its history.
    pub ticket: Ticket,
    /// Scribe calls made.
    pub calls: u64,
    /// The tokens of their prompts.
    pub prompt_tokens: TokenCount,
    /// The largest of them.
    pub largest_prompt: TokenCount,
    /// Its citations by status.
    pub citations: CitationTotals,
    /// The first program, the kind of program and its size, for the index; none without a document.
    pub documented: Option<DocumentedAs>,
    /// The lines on which what looks like a secret begins, in a file that was not refused for it.
    pub secrets: Vec<LineNumber>,
}

/// A document in the words of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentedAs {
    /// The programs of the file, in order; empty for a copybook.
    pub programs: Vec<String>,
    /// The kind of program.
    pub program_type: String,
    /// The first sentence of its purpose.
    pub purpose: String,
    /// Lines of the source.
    pub lines: u32,
    /// Lines under a citation that holds.
    pub cited: u32,
    /// The programs that call it.
    pub called_by: Vec<String>,
}

impl TicketReport {
    /// A report of a ticket before anything was done.
    pub(crate) fn new(file: &str) -> Self {
        Self {
            ticket: Ticket::new(file),
            calls: 0,
            prompt_tokens: TokenCount::ZERO,
            largest_prompt: TokenCount::ZERO,
            citations: CitationTotals::default(),
            documented: None,
            secrets: Vec::new(),
        }
    }
}

/// The totals of a run, as `run.json` has them.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RunReport {
    /// Source files found.
    pub files: u64,
    /// Files with a whole document.
    pub documented: u64,
    /// Files with a document that lacks lines.
    pub partial: u64,
    /// Files without a document.
    pub failed: u64,
    /// Files that are no COBOL.
    pub skipped: u64,
    /// Scribe calls made.
    pub calls: u64,
    /// The tokens of all prompts.
    pub prompt_tokens: u64,
    /// The tokens of all answers; 0 for the static Scribe, which answers without a model.
    pub completion_tokens: u64,
    /// What the calls cost.
    pub cost_usd: f64,
    /// The budget of a prompt.
    pub max_prompt_tokens: u64,
    /// The largest prompt.
    pub largest_prompt_tokens: u64,
    /// Always 0: a prompt over the budget cannot be made.
    pub prompts_over_budget: u64,
    /// The citations of all documents by status.
    pub citations: CitationTotals,
}

impl RunReport {
    /// The totals over the reports of all tickets.
    pub fn of(reports: &[TicketReport], max_prompt: TokenCount) -> Self {
        let mut run = Self { max_prompt_tokens: max_prompt.get(), ..Self::default() };
        for report in reports {
            run.files += 1;
            match report.ticket.state() {
                TicketState::Done => run.documented += 1,
                TicketState::Partial => run.partial += 1,
                TicketState::Skipped => run.skipped += 1,
                // A ticket that was never worked on, because the run was told to stop at the first failure, has no document either.
                TicketState::Failed
                | TicketState::Pending
                | TicketState::Planned
                | TicketState::Writing
                | TicketState::Merged => {
                    run.failed += 1;
                }
            }
            run.calls += report.calls;
            run.prompt_tokens += report.prompt_tokens.get();
            run.largest_prompt_tokens = run.largest_prompt_tokens.max(report.largest_prompt.get());
            run.citations += report.citations;
        }
        run
    }
}
