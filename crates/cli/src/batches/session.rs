//! What a run does with batches: it takes back what has come, hands in what it has asked, and may wait.

use super::BatchDesk;
use super::take;
use crate::args::BatchArgs;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::model_connection::ConnectedModel;
use crate::printer::{Printer, counted};
use crate::runtime;
use crate::signals::{RunResult, listen};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// What a run that leaves questions in batches says at its end.
pub const QUESTIONS_WAIT: &str =
    "questions wait in batches, for a day at most; the same command takes their answers and goes on, `--wait` waits";

/// Runs once or, if the user waits for batches, again whenever one has ended, until nothing waits any more.
///
/// # Errors
/// Those of a run, and of waiting.
pub fn run_in_rounds(
    args: &BatchArgs,
    pause: Duration,
    open: impl Fn() -> Result<Option<BatchDesk>, Failure>,
    run: impl Fn() -> Result<ExitStatus, CommandError>,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    loop {
        let ended = run()?;
        if ended != ExitStatus::Waiting || !args.wait {
            return Ok(ended);
        }
        if let Some(status) = open()?.map(|desk| desk.wait(pause, printer)).transpose()?.flatten() {
            return Ok(status);
        }
    }
}

impl BatchDesk {
    /// Has a model hand its questions to this desk. What the open batches can cost counts against its cap.
    pub fn attach(self: &Arc<Self>, model: ConnectedModel) -> ConnectedModel {
        model.reserve_deferred(self.reserved());
        model.with_outbox(Arc::clone(self) as _)
    }

    /// Books what has come back from batches, for the models that asked; cancels the others if the user wants that. Returns the status of a run that is
    /// over with that.
    ///
    /// # Errors
    /// A failure of the provider or of the store.
    pub fn begin(
        &self,
        runtime: &Runtime,
        args: &BatchArgs,
        models: &[&ConnectedModel],
        pause: Duration,
        printer: &Printer,
    ) -> Result<Option<ExitStatus>, Failure> {
        // All that is done is noted step by step, so that it can be cut off.
        if args.cancel {
            let taken = match runtime.block_on(listen(self.cancel(models, pause, printer), None, printer))? {
                RunResult::Ended(taken, _) => taken?,
                RunResult::CutOff(status) => return Ok(Some(status)),
            };
            printer.note(&format!(
                "{} cancelled; {} of their questions were answered, and are on record",
                if taken.closed == 1 { "1 batch is".to_owned() } else { format!("{} batches are", taken.closed) },
                taken.answered
            ));
            return Ok(Some(ExitStatus::Ok));
        }
        let taken = match runtime.block_on(listen(self.take_back(models, printer), None, printer))? {
            RunResult::Ended(taken, _) => taken?,
            RunResult::CutOff(status) => return Ok(Some(status)),
        };
        if taken.open > 0 && taken.closed == 0 {
            printer.note("nothing has come back yet");
        }
        Ok(None)
    }

    /// Hands in what the run has asked; returns whether questions wait now.
    ///
    /// # Errors
    /// A failure of the provider, or a signal; what was handed in until then is noted.
    pub fn end(&self, runtime: &Runtime, printer: &Printer) -> Result<bool, Failure> {
        let sealed = self.seal()?;
        if !sealed.is_empty() {
            let handed = match runtime.block_on(listen(self.hand_in(sealed, printer), None, printer))? {
                RunResult::Ended(handed, _) => handed?,
                RunResult::CutOff(status) => {
                    return Err(Failure::new(status, "the run was cut off while it handed in its questions")
                        .with_hint("run again: what is sealed or handed in is kept, and the same command goes on"));
                }
            };
            for record in &handed {
                printer.note(&format!(
                    "{} {} with {} tokens, for {} USD at most: {}",
                    if record.is_handed_in() { "handed in" } else { "sealed" },
                    counted(record.requests, "question"),
                    record.tokens,
                    record.most,
                    record.progress().replace('_', " ")
                ));
            }
        }
        Ok(self.has_waited())
    }

    /// Waits until one of the open batches has ended, and looks after each pause; returns the status of the signal that ended the waiting.
    ///
    /// # Errors
    /// A failure of the provider, and if there is nothing to wait for.
    fn wait(&self, pause: Duration, printer: &Printer) -> Result<Option<ExitStatus>, Failure> {
        let runtime = runtime::start(Builder::new_multi_thread().worker_threads(1), "nothing can be waited for")?;
        match runtime.block_on(listen(take::wait(self, pause), None, printer))? {
            RunResult::Ended(waited, _) => waited.map(|()| None),
            RunResult::CutOff(status) => Ok(Some(status)),
        }
    }
}
