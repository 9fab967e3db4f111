//! Taking back: what has become of the batches that were handed in.

use super::BatchDesk;
use super::hand_in::{refused, waits_for_room};
use super::record::{self, BatchRecord, BatchState, SpooledCall};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection::ConnectedModel;
use crate::printer::{Printer, counted};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;
use war_rig_llm::{BatchLine, BookedCall, CallError, CallErrorKind, RemoteBatch, StopReason, UsageTotals};

/// How often a file is fetched that is not whole.
const FETCHES: usize = 3;

/// How often a batch is handed in for which there is no room, while nothing else is at the provider.
const ATTEMPTS_FOR_ROOM: u32 = 3;

/// What came back.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct TakenBatches {
    /// The batches that are booked.
    pub closed: usize,
    /// Those that are still open.
    pub open: usize,
    /// The calls that were booked, by what became of them.
    pub answered: u64,
    /// The calls without an answer.
    pub failed: u64,
    /// What the answers used.
    pub usage: UsageTotals,
}

impl BatchDesk {
    /// Books what has come back, and hands in what was sealed.
    ///
    /// # Errors
    /// A failure of the provider or of the store.
    pub async fn take_back(&self, models: &[&ConnectedModel], printer: &Printer) -> Result<TakenBatches, Failure> {
        record::remove_leftovers(&self.folder, self.open.iter().chain(&self.others));
        let mut taken = TakenBatches::default();
        for other in self.others.iter().filter(|other| other.purpose == self.purpose) {
            printer.note(&other.told_elsewhere());
        }
        let mut waiting = Vec::new();
        for mut record in self.open.clone() {
            let BatchState::Created { file, batch, status } = &mut record.state else {
                waiting.push(record);
                continue;
            };
            let remote = self.look_at(batch).await?;
            status.clone_from(&remote.status);
            if !remote.has_ended() {
                record.write(&self.folder)?;
                self.note_at_provider(&record);
                taken.open += 1;
                printer.note(&progress(&record, &remote));
                continue;
            }
            if remote.waits_for_room() {
                // It is uploaded again with the next attempt, which is not at once.
                let _ = self.api.delete(file).await;
                record.had_no_room();
                record.write(&self.folder)?;
                taken.open += 1;
                printer.note(&waits_for_room(&remote.problem()));
                continue;
            }
            self.close(record, &remote, models, &mut taken).await?;
            taken.closed += 1;
        }
        taken.open += waiting.len();
        // An ordinary run hands nothing in; it only takes what is there.
        if self.hands_in {
            self.hand_in(waiting, printer).await?;
        }
        if taken.closed > 0 {
            printer.note(&format!(
                "{} of batches came back: {} answered, {} without an answer, for {} USD",
                counted(taken.answered + taken.failed, "question"),
                taken.answered,
                taken.failed,
                taken.usage.cost
            ));
        }
        Ok(taken)
    }

    /// Cancels the open batches of this output folder, waits until the provider has done so, and books what was answered by then.
    ///
    /// # Errors
    /// As [`BatchDesk::take_back`].
    pub async fn cancel(
        &self,
        models: &[&ConnectedModel],
        pause: Duration,
        printer: &Printer,
    ) -> Result<TakenBatches, Failure> {
        let mut taken = TakenBatches::default();
        for other in self.others.iter().filter(|other| other.purpose == self.purpose) {
            printer.note(&other.told_elsewhere());
        }
        let mut cancelled = Vec::new();
        for mut record in self.open.clone() {
            if !self.is_handed_in(&mut record).await? {
                record.remove(&self.folder)?;
                taken.closed += 1;
                continue;
            }
            if let BatchState::Created { batch, .. } = &record.state {
                let batch = batch.clone();
                // Whether it is cancelled or had ended before is seen below.
                let _ = self.api.cancel(&batch).await;
                cancelled.push((record, batch));
            }
        }
        for (record, batch) in cancelled {
            let mut remote = self.look_at(&batch).await?;
            while !remote.has_ended() {
                tokio::time::sleep(pause).await;
                remote = self.look_at(&batch).await?;
            }
            self.close(record, &remote, models, &mut taken).await?;
            taken.closed += 1;
        }
        Ok(taken)
    }

    /// Returns a batch as it is now. One that the provider does not know any more has ended, with nothing to take.
    async fn look_at(&self, batch: &str) -> Result<RemoteBatch, Failure> {
        match self.api.retrieve(batch).await {
            Ok(remote) => Ok(remote),
            Err(CallError { kind: CallErrorKind::UnknownModel, .. }) => {
                Ok(RemoteBatch { status: "expired".to_owned(), ..RemoteBatch::default() })
            }
            Err(error) => Err(refused(&error)),
        }
    }

    /// Books all calls of a batch that has ended, and forgets the batch.
    async fn close(
        &self,
        record: BatchRecord,
        remote: &RemoteBatch,
        models: &[&ConnectedModel],
        taken: &mut TakenBatches,
    ) -> Result<(), Failure> {
        let calls = record.calls(&self.folder)?;
        let by_id: HashMap<String, &SpooledCall> = calls.iter().map(|call| (call.custom_id(), call)).collect();
        let model = models.iter().find(|model| model.name() == Some(record.model.as_str())).or(models.first());
        let model = model.ok_or_else(|| Failure::internal("there is no model to book for"))?;
        let mut seen: HashSet<String> = HashSet::new();
        let mut outcome = ClosedBatch::default();
        let counts = remote.request_counts.unwrap_or_default();
        let files = [(&remote.output_file_id, counts.completed), (&remote.error_file_id, counts.failed)];
        for (file, least) in files.into_iter().filter_map(|(file, least)| Some((file.as_ref()?, least))) {
            let place = self.folder.join(format!("{}.fetched", record.id));
            self.fetch(file, &place, least).await?;
            let lines =
                BufReader::new(File::open(&place).map_err(|error| Failure::cannot_read(&place, error))?).split(b'\n');
            for line in lines {
                let line = line.map_err(|error| Failure::cannot_read(&place, error))?;
                let Some(line) = std::str::from_utf8(&line).ok().and_then(BatchLine::read) else { continue };
                // A line of somebody else, or one that comes twice, is none of ours.
                let Some(call) = by_id.get(&line.custom_id).filter(|_| seen.insert(line.custom_id.clone())) else {
                    continue;
                };
                self.book(model, call, Some(line.came), &mut outcome, taken).await?;
            }
            let _ = std::fs::remove_file(&place);
        }
        // Of a batch that was never begun, nothing is charged; of one that was, anything may be.
        let was_begun = remote.status != "failed";
        let mut missing = 0;
        for call in calls.iter().filter(|call| !seen.contains(&call.custom_id())) {
            missing += 1;
            let came = (!was_begun).then(|| Err(CallError::new(CallErrorKind::Rejected, remote.problem())));
            self.book(model, call, came, &mut outcome, taken).await?;
        }
        let is_ended_early = matches!(remote.status.as_str(), "cancelled" | "expired");
        if !is_ended_early {
            let mut inner = self.inner.lock();
            outcome.failed.keys().for_each(|key| *inner.vain.entry(*key).or_default() += 1);
            record::write_vain(&self.folder, &inner.vain)?;
        }
        {
            let mut inner = self.inner.lock();
            for call in &calls {
                inner.waiting.remove(&call.call.key);
            }
        }
        record.remove(&self.folder)?;
        // Files from which something is missing stay at the provider, for somebody to look at; it removes what is left after some days.
        let files = [record.uploaded(), remote.output_file_id.as_ref(), remote.error_file_id.as_ref()];
        for file in files.into_iter().flatten().filter(|_| missing == 0 || !was_begun) {
            let _ = self.api.delete(file).await;
        }
        // When all fail for one reason, the next batch would fail as well, and so would all calls one by one.
        match outcome.only_reason().filter(|_| !is_ended_early) {
            Some(reason) => Err(Failure::new(ExitStatus::Usage, format!("every question of the batch was refused: {reason}"))
                .with_hint("mend the settings, which `war-rig doctor` tries with one call, then run again; nothing was charged for these")),
            None => Ok(()),
        }
    }

    /// Fetches a file of the provider, again if its last line is cut or it has fewer lines than the provider says.
    async fn fetch(&self, file: &str, place: &Path, least: u64) -> Result<(), Failure> {
        let mut fetches = 0;
        loop {
            fetches += 1;
            let fetched = self.api.download(file, place).await;
            let is_whole = || whole_lines(place).is_ok_and(|lines| lines.is_some_and(|lines| lines >= least));
            match fetched {
                Ok(()) if fetches >= FETCHES || is_whole() => return Ok(()),
                Ok(()) => {}
                Err(error) if fetches >= FETCHES => return Err(refused(&error)),
                Err(_) => {}
            }
        }
    }

    async fn book(
        &self,
        model: &ConnectedModel,
        call: &SpooledCall,
        came: Option<Result<war_rig_llm::ModelAnswer, CallError>>,
        outcome: &mut ClosedBatch,
        taken: &mut TakenBatches,
    ) -> Result<(), Failure> {
        let booked = model.book_deferred(&call.call, came, &mut taken.usage).await.map_err(|error| {
            let (status, advice) = crate::model_connection::stop_status(
                model.stopped().map_or(StopReason::Record, |stopped| stopped.reason),
            );
            Failure::new(status, error.to_string()).with_hint(format!("{advice}, then run again"))
        })?;
        match booked {
            BookedCall::Stored | BookedCall::Known => {
                outcome.stored += 1;
                taken.answered += 1;
            }
            BookedCall::Failed(why) => {
                taken.failed += 1;
                outcome.failed.insert(call.call.key.key, why);
            }
        }
        Ok(())
    }
}

/// What became of the calls of one batch.
#[derive(Default)]
struct ClosedBatch {
    stored: u64,
    failed: HashMap<war_rig_text::ContentHash, String>,
}

impl ClosedBatch {
    /// Returns why all calls failed, if they did so for one reason.
    fn only_reason(&self) -> Option<&str> {
        let first = self.failed.values().next().filter(|_| self.stored == 0)?;
        self.failed.values().all(|reason| reason == first).then_some(first)
    }
}

/// Waits until one of these batches has ended.
///
/// # Errors
/// A failure of the provider.
pub(super) async fn wait(desk: &BatchDesk, pause: Duration) -> Result<(), Failure> {
    if desk.open.is_empty() {
        let told = desk.others.first().map_or_else(|| "no batch is open".to_owned(), BatchRecord::told_elsewhere);
        return Err(Failure::usage(format!("there is nothing to wait for: {told}")));
    }
    let created = desk.open.iter().filter_map(|record| match &record.state {
        BatchState::Created { batch, .. } => Some(batch),
        BatchState::Sealed | BatchState::Uploaded { .. } => None,
    });
    loop {
        // What had no room is handed in when another batch has ended, or after a while.
        if created.clone().next().is_none() {
            if let Some(record) = desk.open.iter().find(|record| record.without_room >= ATTEMPTS_FOR_ROOM) {
                return Err(Failure::new(
                    ExitStatus::Unavailable,
                    format!(
                        "the provider has no room for a batch of {} tokens, though none of these questions is there",
                        record.tokens
                    ),
                )
                .with_hint(
                    "set scribe.batch_tokens below what the provider lets wait for the model, or run again later",
                ));
            }
            tokio::time::sleep(pause).await;
            return Ok(());
        }
        for batch in created.clone() {
            match desk.api.retrieve(batch).await {
                Ok(remote) if remote.has_ended() => return Ok(()),
                // A provider that is out of reach for a while has not lost the batch.
                Ok(_)
                | Err(CallError {
                    kind:
                        CallErrorKind::Unreachable { .. }
                        | CallErrorKind::ServerFailed { .. }
                        | CallErrorKind::TimedOut
                        | CallErrorKind::RateLimited { .. },
                    ..
                }) => {}
                Err(error) => return Err(refused(&error)),
            }
        }
        tokio::time::sleep(pause).await;
    }
}

/// Counts the lines of a file; `None` if the last one is cut.
fn whole_lines(place: &Path) -> std::io::Result<Option<u64>> {
    let (mut file, mut line, mut lines) = (BufReader::new(File::open(place)?), Vec::new(), 0);
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            return Ok(Some(lines));
        }
        if !line.ends_with(b"\n") {
            return Ok(None);
        }
        lines += 1;
    }
}

fn progress(record: &BatchRecord, remote: &RemoteBatch) -> String {
    let counts = remote.request_counts.unwrap_or_default();
    format!(
        "a batch of {} is {}: {} answered, {} failed",
        counted(record.requests, "question"),
        remote.status.replace('_', " "),
        counts.completed,
        counts.failed
    )
}
