//! Merging the gathered answers into the outcome.

use super::blocking;
use super::driver::RunDriver;
use super::part_asker::PartAsker;
use crate::agent::{MergeMethod, OnFailure};
use crate::cutter::number_of;
use crate::extractor::{ExtractError, Extractor};
use crate::merge::{MergedAnswer, SummaryTexts};
use crate::outcome::{ExtractionOutcome, OutcomeStatus, PartNote};
use crate::paginator::{ExtractionEvent, PaginateError};
use crate::summary;
use serde_json::Value;
use std::sync::Arc;
use war_rig_llm::StopReason;

impl<E: Extractor + 'static> RunDriver<E> {
    /// Builds the outcome.
    pub(super) async fn outcome(
        mut self,
        input: String,
        notes: Vec<String>,
        empty: PaginateError,
    ) -> Result<ExtractionOutcome, PaginateError> {
        let partial = self.options.pagination.on_failure == OnFailure::Partial;
        // What was handed over until a cap was reached may still be answered; after any other stop, nobody would take the answers.
        let is_at_cap = self.stopped.as_ref().is_some_and(|stopped| stopped.reason == StopReason::SpendCap);
        if let Some(stopped) = self.stopped.clone().filter(|_| self.deferred.is_some() && !is_at_cap) {
            return Err(PaginateError::Stopped(stopped));
        }
        let has_answers = self.totals.answered > 0 || self.deferred.is_some();
        if let Some(stopped) = self.stopped.clone().filter(|_| !partial || !has_answers) {
            return Err(PaginateError::Stopped(stopped));
        }
        if let Some(broken) = self.broken.take().filter(|_| !partial || !has_answers) {
            return Err(PaginateError::Input(broken));
        }
        if self.totals.parts == 0 {
            return Err(empty);
        }
        if let Some(failed) = self.failed.values().next().filter(|_| !partial || !has_answers) {
            return Err(PaginateError::Part { part: failed.part, reason: failed.reason.clone() });
        }
        // Of a run that goes on later, what it has so far is no result.
        if let Some(deferred) = self.deferred.take() {
            return Err(PaginateError::Stopped(deferred));
        }
        let mut merged = self.merged().await?;
        let unsummed = self.sum_up(&mut merged).await?;
        if let Some(deferred) = self.deferred.take() {
            return Err(PaginateError::Stopped(deferred));
        }
        let bounded = self.auditor.limit_note();
        let audit = self.auditor.audit_answer(&merged.value);
        let dropped = self.dropped.iter().flat_map(|(order, notes)| {
            notes.iter().map(|note| PartNote { part: number_of(*order), note: note.clone() })
        });
        let status = match self.failed.is_empty() && unsummed.is_empty() {
            true => OutcomeStatus::Complete,
            false => OutcomeStatus::Partial,
        };
        Ok(ExtractionOutcome {
            status,
            agent: self.asker.agent.name.clone(),
            input,
            produced_by: self.asker.extractor.produced_by().to_owned(),
            violations: self.schema.violations(&merged.value),
            answer: merged.value,
            provenance: merged.provenance,
            conflicts: merged.conflicts,
            joined: merged.joined,
            discarded: merged.discarded,
            dropped: dropped.collect(),
            failed: self.failed.into_values().collect(),
            audit,
            parts: self.totals,
            notes: notes.into_iter().chain(bounded).chain(unsummed).collect(),
            bill: self.bill,
            stopped: self.stopped,
        })
    }

    /// Summarizes the texts of parts that are too long together, and returns notes about failures.
    async fn sum_up(&mut self, merged: &mut MergedAnswer) -> Result<Vec<String>, PaginateError> {
        let partial = self.options.pagination.on_failure == OnFailure::Partial;
        let mut undone = Vec::new();
        for SummaryTexts { path, texts } in std::mem::take(&mut merged.summaries) {
            if !summary::is_too_long(&texts, &self.options) {
                continue;
            }
            self.say(ExtractionEvent::Summarizing { texts: texts.len() as u64 }).await;
            let PartAsker { frame, extractor, .. } = self.asker.as_ref();
            match summary::one(&texts, frame, extractor.as_ref(), &self.options, &mut self.bill).await {
                Ok(Some(text)) => {
                    let place = merged.value.pointer_mut(&path);
                    *place.expect("what is to be summed up stands in the answer") = Value::String(text);
                }
                // An extractor that cannot write leaves the texts joined.
                Ok(None) => {}
                // The others are asked as well, so that all of them wait together.
                Err(ExtractError::Stopped(stopped)) if stopped.reason == StopReason::Deferred => {
                    self.deferred.get_or_insert(stopped);
                }
                Err(ExtractError::Stopped(stopped)) if !partial => {
                    return Err(PaginateError::Stopped(stopped));
                }
                Err(error) => {
                    if let ExtractError::Stopped(stopped) = &error {
                        self.stopped.get_or_insert(stopped.clone());
                    }
                    let reason = format!("`{path}` could not be summed up: {}", summary::why(&error));
                    if !partial {
                        return Err(PaginateError::Summary(reason));
                    }
                    undone.push(reason);
                }
            }
        }
        Ok(undone)
    }

    async fn merged(&mut self) -> Result<MergedAnswer, PaginateError> {
        let gathered = std::mem::take(&mut self.gathered);
        let merged = match self.options.pagination.merge {
            MergeMethod::Strategy(_) => {
                let asker = Arc::clone(&self.asker);
                blocking(move || gathered.merge(&asker.rules)).await
            }
            MergeMethod::Program(_) => {
                let program = self.options.custom.clone();
                let program = program.ok_or_else(|| PaginateError::Program("nobody runs it".to_owned()))?;
                let merged = blocking(move || gathered.merge_with_program(program.as_ref())).await;
                merged.map_err(PaginateError::Program)?
            }
        };
        Ok(in_parts(merged))
    }
}

/// Replaces order numbers in the merged answer with part numbers.
fn in_parts(mut merged: MergedAnswer) -> MergedAnswer {
    let origins = merged.provenance.iter_mut().flat_map(|provenance| &mut provenance.origins);
    origins.for_each(|origin| origin.part = number_of(origin.part));
    for conflict in &mut merged.conflicts {
        conflict.kept_part = number_of(conflict.kept_part);
        conflict.dropped_part = number_of(conflict.dropped_part);
    }
    for joined in &mut merged.joined {
        joined.kept_part = number_of(joined.kept_part);
        joined.dropped_part = number_of(joined.dropped_part);
    }
    merged.discarded.iter_mut().for_each(|discarded| discarded.part = number_of(discarded.part));
    merged
}
