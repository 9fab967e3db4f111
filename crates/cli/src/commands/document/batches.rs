//! What a run does with batches: it takes back what has come, and hands in what it has asked.

use super::DocumentJob;
use crate::args::DocumentArgs;
use crate::batches::BatchDesk;
use crate::context::RunContext;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection::{self, ConnectedModel};
use crate::printer::Printer;
use crate::run_state;
use crate::settings::Settings;
use crate::signals::{RunResult, listen};
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Waits until some batch has ended; returns the status of the signal that ended the waiting.
pub(super) fn wait_for_batches(
    args: &DocumentArgs,
    settings: &Settings,
    around: &RunContext,
    printer: &Printer,
) -> Result<Option<ExitStatus>, Failure> {
    let scribe = &settings.scribe;
    let output = settings.document_folder(args.output.as_deref(), "--output")?;
    let output = run_state::relative_to_state(&args.state_dir, &output);
    let endpoint = model_connection::endpoint(scribe, around)?;
    let estate = || run_state::estate_id(&args.state_dir);
    let Some(desk) = BatchDesk::open(&args.state_dir, &output, estate, &endpoint, scribe, true)? else {
        return Ok(None);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::internal("nothing can be waited for").with_source(error))?;
    match runtime.block_on(listen(desk.wait(scribe.batch_poll), None, printer))? {
        RunResult::Ended(waited, _) => waited.map(|()| None),
        RunResult::CutOff(status) => Ok(Some(status)),
    }
}

impl DocumentJob<'_> {
    /// Books what has come back from batches; returns the status of a run that is over with that.
    pub(super) fn take_back(
        &self,
        runtime: &Runtime,
        asked: &Arc<ConnectedModel>,
    ) -> Result<Option<ExitStatus>, Failure> {
        let Some(desk) = &self.desk else { return Ok(None) };
        let other = self.overview_client.borrow();
        let models: Vec<&ConnectedModel> =
            [Some(asked), other.as_ref()].into_iter().flatten().map(Arc::as_ref).collect();
        let pause = self.settings.scribe.batch_poll;
        if self.args.batch.cancel {
            let cancelling = desk.cancel(&models, pause, self.printer);
            let taken = match runtime.block_on(listen(cancelling, None, self.printer))? {
                RunResult::Ended(taken, _) => taken?,
                RunResult::CutOff(status) => return Ok(Some(status)),
            };
            self.printer.note(&format!(
                "{} cancelled; {} of their questions were answered, and are on record",
                if taken.closed == 1 { "1 batch is".to_owned() } else { format!("{} batches are", taken.closed) },
                taken.answered
            ));
            return Ok(Some(ExitStatus::Ok));
        }
        // All that is done is noted step by step, so that it can be cut off.
        let taken = match runtime.block_on(listen(desk.take_back(&models, self.printer), None, self.printer))? {
            RunResult::Ended(taken, _) => taken?,
            RunResult::CutOff(status) => return Ok(Some(status)),
        };
        if taken.open > 0 && taken.closed == 0 {
            self.printer.note("nothing has come back yet");
        }
        Ok(None)
    }

    /// Hands in what the run has asked; returns whether questions wait now.
    pub(super) fn hand_in(&self, runtime: &Runtime) -> Result<bool, Failure> {
        let Some(desk) = &self.desk else { return Ok(false) };
        let sealed = desk.seal()?;
        if !sealed.is_empty() {
            let handed = match runtime.block_on(listen(desk.hand_in(sealed, self.printer), None, self.printer))? {
                RunResult::Ended(handed, _) => handed?,
                // What is sealed is handed in by the next run.
                RunResult::CutOff(_) => Vec::new(),
            };
            for record in &handed {
                self.printer.note(&format!(
                    "handed in {} questions with {} tokens, for {} USD at most: {}",
                    record.requests,
                    record.tokens,
                    record.most,
                    record.progress().replace('_', " ")
                ));
            }
        }
        Ok(desk.has_waited())
    }
}
