//! Handing in: from the outbox to files, and from files to batches of the provider.

use super::BatchDesk;
use super::limits::CallSize;
use super::record::{BatchRecord, BatchState, SpooledCall};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection::stop_status;
use crate::printer::{Printer, counted};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use war_rig_llm::{BatchApi, CallError, CallErrorKind, DeferredCall, StopReason};
use war_rig_transport::random_id;

impl BatchDesk {
    /// Divides the calls of the outbox into batches, each with its record on the disk. They are the same whatever the order in which the calls came.
    ///
    /// # Errors
    /// A failure with status 15.
    pub fn seal(&self) -> Result<Vec<BatchRecord>, Failure> {
        let mut inner = self.inner.lock();
        let mut calls = std::mem::take(&mut inner.spooled);
        let Some(mut spool) = inner.spool.take() else { return Ok(Vec::new()) };
        drop(inner);
        let place = self.spool_path();
        let unwritten = |error: io::Error| Failure::cannot_write(&place, error);
        spool.flush().map_err(unwritten)?;
        let mut spool = File::open(&place).map_err(unwritten)?;
        let order = |call: &SpooledCall| {
            let DeferredCall { model, file, about, .. } = &call.call;
            (model.clone(), file.clone(), about.clone(), call.custom_id())
        };
        calls.sort_by_cached_key(order);
        let mut records = Vec::new();
        let mut rest = calls.as_slice();
        while !rest.is_empty() {
            let of_model = rest.iter().take_while(|call| call.call.model == rest[0].call.model);
            let (batch, after) = rest.split_at(self.limits.fitting(of_model.map(CallSize::of)));
            records.push(
                self.write_batch(&mut spool, batch).map_err(|error| Failure::cannot_write(&self.folder, error))??,
            );
            rest = after;
        }
        let _ = std::fs::remove_file(&place);
        Ok(records)
    }

    /// Writes the file of a batch and its record.
    fn write_batch(&self, spool: &mut File, calls: &[SpooledCall]) -> io::Result<Result<BatchRecord, Failure>> {
        let mut record = BatchRecord::new(random_id(), &self.purpose, &self.base_url, calls);
        let mut file = BufWriter::new(File::create(record.input(&self.folder))?);
        let (mut bytes, mut body) = (0, Vec::new());
        for call in calls {
            body.resize(usize::try_from(call.length).expect("a request fits into memory"), 0);
            spool.seek(SeekFrom::Start(call.offset))?;
            spool.read_exact(&mut body)?;
            let body = std::str::from_utf8(&body).map_err(io::Error::other)?;
            let line = BatchApi::input_line(&call.custom_id(), body);
            bytes += line.len() as u64;
            file.write_all(line.as_bytes())?;
        }
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        record.bytes = bytes;
        Ok(record.create(&self.folder, calls).map(|()| record))
    }

    /// Hands in batches, each step noted when it is done. One for which there is no room waits in the state folder.
    ///
    /// # Errors
    /// A failure of the provider, with its status; what was handed in until then is noted.
    pub async fn hand_in(&self, records: Vec<BatchRecord>, printer: &Printer) -> Result<Vec<BatchRecord>, Failure> {
        let mut handed = Vec::new();
        for mut record in records {
            if !self.has_room(&record) {
                printer.note(&format!(
                    "a batch of {} waits until others are done, as scribe.batch_tokens asks",
                    counted(record.requests, "question")
                ));
                handed.push(record);
                continue;
            }
            match self.step_in(&mut record).await {
                Ok(()) => self.note_at_provider(&record),
                Err(error) if matches!(error.kind, CallErrorKind::RateLimited { .. }) => {
                    // It was not created: an upload that is left over is of no use to anybody.
                    if let Some(file) = record.uploaded() {
                        let _ = self.api.delete(file).await;
                    }
                    record.had_no_room();
                    printer.note(&waits_for_room(&error.message));
                }
                Err(error) => return Err(refused(&error)),
            }
            record.write(&self.folder)?;
            handed.push(record);
        }
        Ok(handed)
    }

    /// Whether this batch may be handed in beside those that are at the provider.
    fn has_room(&self, record: &BatchRecord) -> bool {
        let inner = self.inner.lock();
        let waiting = inner.at_provider.get(&record.model).copied().unwrap_or_default();
        waiting == 0 || self.limits.tokens.is_none_or(|most| waiting + record.tokens <= most)
    }

    /// Counts the tokens of a batch that is at the provider.
    pub(super) fn note_at_provider(&self, record: &BatchRecord) {
        *self.inner.lock().at_provider.entry(record.model.clone()).or_default() += record.tokens;
    }

    /// Whether a batch is at the provider; notes its id if it was created before that could be noted.
    pub(super) async fn is_handed_in(&self, record: &mut BatchRecord) -> Result<bool, Failure> {
        let BatchState::Uploaded { file } = &record.state else {
            return Ok(record.is_handed_in());
        };
        let file = file.clone();
        let Some(found) = self.api.find(&self.metadata(record)).await.map_err(|error| refused(&error))? else {
            let _ = self.api.delete(&file).await;
            return Ok(false);
        };
        record.state = BatchState::Created { file, batch: found.id, status: found.status };
        record.write(&self.folder)?;
        Ok(true)
    }

    /// Returns what a batch is known by at the provider.
    fn metadata(&self, record: &BatchRecord) -> BTreeMap<String, String> {
        let estate = ("war_rig".to_owned(), self.estate.as_str().to_owned());
        BTreeMap::from([estate, ("batch".to_owned(), record.id.clone())])
    }

    /// Does what is missing until a batch is handed in. The record is written before the one step that must not be done twice.
    async fn step_in(&self, record: &mut BatchRecord) -> Result<(), CallError> {
        let unnoted = |failure: Failure| CallError::new(CallErrorKind::Rejected, failure.line());
        let metadata = self.metadata(record);
        let mut may_exist = true;
        let file = match &record.state {
            BatchState::Created { .. } => return Ok(()),
            BatchState::Uploaded { file } => file.clone(),
            BatchState::Sealed => {
                let name = format!("war-rig-{}.jsonl", record.id);
                let file = self.api.upload(&name, &record.input(&self.folder)).await?;
                record.state = BatchState::Uploaded { file: file.clone() };
                record.write(&self.folder).map_err(unnoted)?;
                may_exist = false;
                file
            }
        };
        // One that had no room is none.
        let found =
            if may_exist { self.api.find(&metadata).await?.filter(|found| found.status != "failed") } else { None };
        let batch = match found {
            Some(found) => found,
            None => self.api.create(&file, &metadata).await?,
        };
        record.state = BatchState::Created { file, batch: batch.id, status: batch.status };
        record.write(&self.folder).map_err(unnoted)
    }
}

/// Says of a batch that the provider has no room for it.
pub(super) fn waits_for_room(why: &str) -> String {
    format!("a batch waits for room at the provider: {why}; scribe.batch_tokens says how much is handed in at once")
}

/// Returns the failure of a provider that does not take a batch.
pub(super) fn refused(error: &CallError) -> Failure {
    let (status, advice) = match error.kind {
        CallErrorKind::Authentication => stop_status(StopReason::Authentication),
        CallErrorKind::Quota => stop_status(StopReason::Quota),
        CallErrorKind::Unreachable { .. } | CallErrorKind::ServerFailed { .. } | CallErrorKind::TimedOut => {
            stop_status(StopReason::Unavailable)
        }
        CallErrorKind::RateLimited { .. } => (ExitStatus::Unavailable, "wait, and run again"),
        _ => (
            ExitStatus::Usage,
            "see whether the provider offers batches for this model and this key; --batch --cancel takes the questions back, and without --batch they are asked one by one",
        ),
    };
    Failure::new(status, format!("the provider does not take the batch: {}", error.message))
        .with_hint(format!("{advice}; what is sealed or handed in is kept, and the same command goes on"))
}
