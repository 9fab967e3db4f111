//! What the store keeps of a question besides its answers: a ticket, which gives `status` the progress and the command to continue, and the call log
//! position after which answers count, so that an interrupted run with `--force` continues with the answers that it has paid for.

use super::report::ExtractReport;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::store_failures::store_failure;
use std::sync::Arc;
use war_rig_pool::{AttemptPolicy, FinishedTicket, OpenTicket, Store, Ticket, TicketState};
use war_rig_store::OutputStore;
use war_rig_text::ContentHash;

/// The maximum length of a ticket's name, in characters.
const NAMED: usize = 80;

/// The ticket of a question.
pub struct QuestionTicket {
    store: Arc<OutputStore>,
    name: String,
    since: u64,
}

impl QuestionTicket {
    /// Records that work on a question starts. `anew` ignores recorded answers.
    ///
    /// # Errors
    /// A failure of the store.
    pub fn begin(store: Arc<OutputStore>, question: &str, anew: bool) -> Result<Self, Failure> {
        let name = name_of(question);
        let since = anew.then(|| store.last_answer_position()).transpose().map_err(store_failure)?;
        let opened = OpenTicket {
            file: name.clone(),
            base: String::new(),
            reason: "asked".to_owned(),
            answers_since: since,
            attempts: AttemptPolicy::Reset,
        };
        store.open(&[opened]).map_err(store_failure)?;
        store.begin(&name).map_err(store_failure)?;
        let tickets = store.tickets().map_err(store_failure)?;
        let since = tickets.iter().find(|ticket| ticket.file == name).map_or(0, |ticket| ticket.answers_since);
        Ok(Self { store, name, since })
    }

    /// The call log position after which answers count.
    pub fn since(&self) -> u64 {
        self.since
    }

    /// Records the result, and deletes useless answers, so that a later run asks again. An interrupted question is released when its run ends.
    ///
    /// # Errors
    /// A failure of the store.
    pub fn end(
        &self,
        ended: &Result<ExitStatus, CommandError>,
        report: &ExtractReport,
        useless: Vec<ContentHash>,
    ) -> Result<(), Failure> {
        let missing = || format!("{} of {} parts have no answer", report.parts - report.answered, report.parts);
        let (state, reason) = match (ended, report.status) {
            // Its answers come later; the next run goes on with it.
            (Ok(ExitStatus::Waiting), _) => return Ok(()),
            (Err(CommandError::Failed(failure)), _)
                if matches!(failure.status(), ExitStatus::Interrupted | ExitStatus::Terminated) =>
            {
                return Ok(());
            }
            (Err(CommandError::Failed(failure)), _) => (TicketState::Failed, failure.line()),
            (Ok(_) | Err(CommandError::OutputClosed), "partial") => (TicketState::Partial, missing()),
            (Ok(ExitStatus::TicketsFailed), _) => {
                (TicketState::Partial, "the answer is not what the schema says".to_owned())
            }
            (Ok(_) | Err(CommandError::OutputClosed), _) => (TicketState::Done, "answered".to_owned()),
        };
        let mut ticket = Ticket::new(&self.name);
        let way = match state {
            TicketState::Failed => &[TicketState::Planned, TicketState::Writing][..],
            _ => &[TicketState::Planned, TicketState::Writing, TicketState::Merged],
        };
        for step in way {
            ticket.advance(*step, "").expect("these states follow each other");
        }
        ticket.advance(state, reason).expect("each of these may come last");
        let finished = FinishedTicket { unusable_questions: useless, ..FinishedTicket::of(&ticket) };
        self.store.finish(&[finished]).map_err(store_failure)
    }
}

/// Formats a question on one line, truncated when long.
pub fn name_of(question: &str) -> String {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(NAMED) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::extract::report::ReportSubject;
    use crate::run_state::RunState;
    use war_rig_llm::UsageTotals;

    fn kept(folder: &std::path::Path) -> RunState {
        RunState::open_named(folder, "extract a b".to_owned(), "m").unwrap()
    }

    fn report(status: &'static str) -> ExtractReport {
        let about = ReportSubject {
            agent: "a".to_owned(),
            input: "b".to_owned(),
            produced_by: "m".to_owned(),
            max_prompt_tokens: 1,
        };
        ExtractReport { status, ..ExtractReport::without_answer(&about, &UsageTotals::default(), (4, 3), Vec::new()) }
    }

    #[test]
    fn a_question_is_done_partial_or_failed() {
        let folder = tempfile::tempdir().unwrap();
        let state = kept(folder.path());
        let check = |ended: Result<ExitStatus, CommandError>, status, expected: TicketState, reason: &str| {
            let kept = QuestionTicket::begin(Arc::clone(&state.store), "List\n it", false).unwrap();
            kept.end(&ended, &report(status), Vec::new()).unwrap();
            let ticket = state.store.tickets().unwrap().remove(0);
            assert_eq!((ticket.file.as_str(), ticket.state), ("List it", expected));
            assert_eq!(ticket.reason, reason);
        };
        check(Ok(ExitStatus::Ok), "complete", TicketState::Done, "answered");
        check(Ok(ExitStatus::GateFailed), "complete", TicketState::Done, "answered");
        check(Err(CommandError::OutputClosed), "complete", TicketState::Done, "answered");
        check(Ok(ExitStatus::TicketsFailed), "partial", TicketState::Partial, "1 of 4 parts have no answer");
        let schema = "the answer is not what the schema says";
        check(Ok(ExitStatus::TicketsFailed), "complete", TicketState::Partial, schema);
        let failure = Failure::new(ExitStatus::TicketsFailed, "part 2: no");
        check(Err(failure.into()), "failed", TicketState::Failed, "part 2: no");
        let told = Failure::new(ExitStatus::Interrupted, "the run was interrupted");
        check(Err(told.into()), "failed", TicketState::Writing, "asked");
        check(Ok(ExitStatus::Waiting), "waiting", TicketState::Writing, "asked");
    }

    #[test]
    fn a_question_asked_anew_stays_so_until_it_is_asked_anew_again() {
        let folder = tempfile::tempdir().unwrap();
        let state = kept(folder.path());
        let since = |anew| QuestionTicket::begin(Arc::clone(&state.store), "List it", anew).unwrap().since();
        assert_eq!((since(false), since(true), since(false)), (0, 0, 0));
        assert_eq!(name_of(&"é".repeat(90)), format!("{}...", "é".repeat(80)));
    }
}
