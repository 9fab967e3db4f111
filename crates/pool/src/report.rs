//! What a run did.

use crate::store::StoredTicket;
use crate::ticket::{Ticket, TicketState};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use war_rig_estimator::TokenCount;
use war_rig_llm::{Money, UsageTotals};
use war_rig_scribe::ListedSource;
use war_rig_template::{CitationTotals, IndexEntry};
use war_rig_text::LineNumber;

/// The result of one ticket.
#[derive(Debug, Clone, Default)]
pub struct TicketReport {
    /// The ticket with its history.
    pub ticket: Ticket,
    /// The usage of its calls.
    pub usage: UsageTotals,
    /// What the user should know although nothing failed.
    pub notes: Vec<String>,
    /// Items of answers that are left out because the source does not contain what they name.
    pub rejected: u64,
    /// Whether a part was not written because the run was stopped.
    pub was_stopped: bool,
    /// Its citations by status.
    pub citations: CitationTotals,
    /// The first program, the kind of program and its size, for the index; `None` without a document.
    pub index_entry: Option<IndexEntry>,
    /// The lines on which a suspected secret begins, in a file that was not refused for it.
    pub secrets: Vec<LineNumber>,
    /// Whether nothing was done because an earlier run did it all.
    pub is_up_to_date: bool,
    /// Whether the ticket was returned because its source has changed since the run began.
    pub(crate) has_changed: bool,
}

/// The part of a report that later runs repeat if they find nothing to do.
#[derive(Serialize, Deserialize)]
struct StoredReport<'a> {
    notes: Cow<'a, [String]>,
    rejected: u64,
    citations: CitationTotals,
    documented: Option<Cow<'a, IndexEntry>>,
    secrets: Cow<'a, [LineNumber]>,
}

impl TicketReport {
    /// Creates the report of a ticket before any work.
    pub(crate) fn new(file: &str) -> Self {
        Self { ticket: Ticket::new(file), ..Self::default() }
    }

    /// Creates the report of a ticket that killed the process in every attempt.
    pub(crate) fn quarantined(kept: &StoredTicket) -> Self {
        let reason = match kept.state {
            TicketState::Failed => kept.reason.clone(),
            _ => Self::quarantine_reason(kept.attempts),
        };
        Self { ticket: Ticket::restored(&kept.file, TicketState::Failed, reason), ..Self::new(&kept.file) }
    }

    /// Returns why the ticket is left alone.
    pub(crate) fn quarantine_reason(attempts: u32) -> String {
        format!(
            "the process has died {attempts} times while it was in work, so it is left alone; --retry-failed tries it again"
        )
    }

    /// Creates the report of a ticket from an earlier run that needs no work; `None` if its stored report cannot be read.
    pub(crate) fn from_stored(kept: &StoredTicket, told: &str) -> Option<Self> {
        let told: StoredReport<'_> = serde_json::from_str(told).ok()?;
        Some(Self {
            ticket: Ticket::restored(&kept.file, kept.state, &kept.reason),
            notes: told.notes.into_owned(),
            rejected: told.rejected,
            citations: told.citations,
            index_entry: told.documented.map(Cow::into_owned),
            secrets: told.secrets.into_owned(),
            is_up_to_date: true,
            ..Self::new(&kept.file)
        })
    }

    /// Returns the part stored for later runs, as JSON.
    pub(crate) fn to_stored_json(&self) -> String {
        let told = StoredReport {
            notes: Cow::Borrowed(&self.notes),
            rejected: self.rejected,
            citations: self.citations,
            documented: self.index_entry.as_ref().map(Cow::Borrowed),
            secrets: Cow::Borrowed(&self.secrets),
        };
        serde_json::to_string(&told).expect("words and numbers have a JSON")
    }

    /// Returns its source as the estate's pages list it.
    pub fn listed(&self) -> ListedSource<'_> {
        let ticket = &self.ticket;
        ListedSource {
            file: ticket.file(),
            document: self.index_entry.as_ref(),
            is_partial: ticket.state() == TicketState::Partial,
            ended: ListedSource::ended(ticket.state(), ticket.reason()),
        }
    }
}

/// The totals of a run, as in `run.json`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RunReport {
    /// Source files found.
    pub files: u64,
    /// Files with a complete document.
    pub documented: u64,
    /// Files with a document that lacks some lines.
    pub partial: u64,
    /// Files without a document.
    pub failed: u64,
    /// Files that are not COBOL.
    pub skipped: u64,
    /// Files among all these that needed no work.
    pub up_to_date: u64,
    /// Scribe calls made: requests sent, including retries.
    pub calls: u64,
    /// Retries among them.
    pub retries: u64,
    /// Answers taken from records.
    pub replayed: u64,
    /// The tokens of all prompts sent.
    pub prompt_tokens: u64,
    /// Prompt tokens that the provider read from its cache and charged less for, in tokens of the model.
    pub cached_tokens: u64,
    /// The tokens of all answers; 0 for the static Scribe, which answers without a model.
    pub completion_tokens: u64,
    /// What the calls cost.
    pub cost_usd: Money,
    /// The budget of a prompt.
    pub max_prompt_tokens: u64,
    /// The tokens of the largest prompt.
    pub largest_prompt_tokens: u64,
    /// Always 0: a prompt over the budget cannot be built.
    pub prompts_over_budget: u64,
    /// Items of answers that no document contains, because the sources do not contain what they name.
    pub rejected: u64,
    /// The citations of all documents, by status.
    pub citations: CitationTotals,
    /// The lines of all documented files.
    pub coverage: RunCoverage,
    /// The calls about business functions and the system, which belong to no file; the totals above contain them.
    #[serde(skip_serializing_if = "CallFigures::is_empty")]
    pub about_estate: CallFigures,
    /// The same figures for each file, in order.
    pub tickets: Vec<TicketRow>,
}

/// The figures of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CallFigures {
    /// Scribe calls made.
    pub calls: u64,
    /// The tokens of their prompts.
    pub prompt_tokens: u64,
    /// Prompt tokens that the provider read from its cache, in tokens of the model.
    pub cached_tokens: u64,
    /// The tokens of their answers.
    pub completion_tokens: u64,
    /// What they cost.
    pub cost_usd: Money,
}

impl From<UsageTotals> for CallFigures {
    fn from(usage: UsageTotals) -> Self {
        let UsageTotals { calls, prompt_tokens, cached_tokens, completion_tokens, cost, .. } = usage;
        Self { calls, prompt_tokens, cached_tokens, completion_tokens, cost_usd: cost }
    }
}

impl CallFigures {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The lines of files with a document, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RunCoverage {
    /// All lines.
    pub lines: u64,
    /// Lines in chunks that were documented.
    pub documented: u64,
    /// Lines under a citation that holds.
    pub cited: u64,
}

/// The figures of one file.
#[derive(Debug, Clone, Serialize)]
pub struct TicketRow {
    /// The file.
    pub file: String,
    /// The final state of its ticket.
    pub state: TicketState,
    /// Why it has no complete document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its calls.
    #[serde(flatten)]
    pub calls: CallFigures,
}

impl TicketRow {
    fn of(report: &TicketReport) -> Self {
        let ticket = &report.ticket;
        let reason = (ticket.state() != TicketState::Done).then(|| ticket.reason().to_owned());
        Self { file: ticket.file().to_owned(), state: ticket.state(), reason, calls: report.usage.into() }
    }
}

impl RunReport {
    /// Adds up the reports of all tickets.
    pub fn of(reports: &[TicketReport], max_prompt: TokenCount) -> Self {
        let mut run = Self { max_prompt_tokens: max_prompt.get(), ..Self::default() };
        let mut bill = UsageTotals::default();
        for report in reports {
            run.files += 1;
            match report.ticket.state() {
                TicketState::Done => run.documented += 1,
                TicketState::Partial => run.partial += 1,
                TicketState::Skipped => run.skipped += 1,
                // A ticket that was never begun, because the run stops at the first failure, has no document either.
                TicketState::Failed
                | TicketState::Pending
                | TicketState::Planned
                | TicketState::Writing
                | TicketState::Merged => {
                    run.failed += 1;
                }
            }
            run.up_to_date += u64::from(report.is_up_to_date);
            bill += report.usage;
            run.rejected += report.rejected;
            run.citations += report.citations;
            if let Some(entry) = &report.index_entry {
                run.coverage.lines += u64::from(entry.lines);
                run.coverage.documented += u64::from(entry.documented);
                run.coverage.cited += u64::from(entry.cited);
            }
            run.tickets.push(TicketRow::of(report));
        }
        run.add_calls(bill);
        run
    }

    /// Adds calls about business functions and the system.
    pub fn add_about_estate(&mut self, bill: UsageTotals) {
        self.about_estate = bill.into();
        self.add_calls(bill);
    }

    fn add_calls(&mut self, bill: UsageTotals) {
        self.calls += bill.calls;
        self.retries += bill.retries;
        self.replayed += bill.replayed;
        self.prompt_tokens += bill.prompt_tokens;
        self.cached_tokens += bill.cached_tokens;
        self.completion_tokens += bill.completion_tokens;
        self.cost_usd += bill.cost;
        self.largest_prompt_tokens = self.largest_prompt_tokens.max(bill.largest_prompt);
    }
}
