//! Tickets that are written of elsewhere, whatever becomes of them there.

use crate::memory::Memory;
use crate::{Place, Unruly, planner, states};
use futures::future::BoxFuture;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::runtime::Handle;
use war_rig_llm::{StopError, StopReason};
use war_rig_pool::{
    DispatchOutcome, Draft, DraftWriter, QueuedTicket, Receipt, RemoteQueue, SourceOptions, TicketState, WriteJob,
};

/// Somebody who writes elsewhere. A file `VAIN` kills its worker for ever and `ONCE` at first, `SLOW` brings an answer before it does, `BACK` is given back at first
/// and `MIXED` between two deaths, `OTHER` comes back with the
/// draft of another source, `STOP` ends all calls.
struct Elsewhere {
    scribe: Arc<Unruly>,
    store: Arc<Memory>,
    /// The attempts of each file that were counted, and whether it was alone.
    begun: Mutex<BTreeMap<String, Vec<(u32, bool)>>>,
    /// The files whose ends are kept.
    committed: Arc<Mutex<Vec<String>>>,
}

/// What is written of a job, after both have travelled.
fn written(scribe: &Unruly, job: WriteJob, runtime: &Handle) -> Draft {
    let planner = planner();
    let writer = DraftWriter { planner: &planner, scribe, concurrency: 3 };
    let bytes = job.bytes.clone();
    let travelled: WriteJob = serde_json::from_str(&serde_json::to_string(&job).unwrap()).unwrap();
    let draft = WriteJob { bytes, ..travelled }.execute(&writer, &SourceOptions::default(), runtime);
    serde_json::from_str(&serde_json::to_string(&draft.unwrap()).unwrap()).unwrap()
}

fn in_vain() -> DispatchOutcome {
    DispatchOutcome::Failed("its worker is gone".to_owned())
}

impl RemoteQueue for Elsewhere {
    fn dispatch(&self, ticket: QueuedTicket) -> BoxFuture<'_, DispatchOutcome> {
        Box::pin(async move {
            let file = ticket.job.file.clone();
            let stem = file.split('.').next().unwrap().to_owned();
            if stem == "STOP" {
                let message = "the money is gone".to_owned();
                return DispatchOutcome::Stopped(StopError { reason: StopReason::SpendCap, message });
            }
            let begin = Arc::clone(&ticket.begin_attempt);
            let attempt = tokio::task::spawn_blocking(move || begin()).await.unwrap().unwrap();
            let tries = {
                let mut begun = self.begun.lock().unwrap();
                let tries = begun.entry(file.clone()).or_default();
                tries.push((attempt, ticket.runs_alone));
                tries.len()
            };
            match (stem.as_str(), tries) {
                ("SLOW", 1..=4) => {
                    self.store.progressed(&file);
                    return in_vain();
                }
                ("MIXED", 2) | ("BACK", 1..=5) => {
                    return DispatchOutcome::Returned("its worker was told to end".to_owned());
                }
                ("VAIN" | "MIXED", _) | ("ONCE", 1) => return in_vain(),
                _ => {}
            }
            let (scribe, job, runtime) = (Arc::clone(&self.scribe), ticket.job.as_ref().clone(), Handle::current());
            let mut draft = tokio::task::spawn_blocking(move || written(&scribe, job, &runtime)).await.unwrap();
            if stem == "OTHER" {
                draft.chunks.truncate(1);
            }
            let committed = Arc::clone(&self.committed);
            DispatchOutcome::Draft(Box::new(draft), Receipt::new(move || committed.lock().unwrap().push(file)))
        })
    }
}

fn place(files: &[&str]) -> (Place, Arc<Elsewhere>) {
    let scribe = Arc::new(Unruly { is_model: true, ..Unruly::default() });
    let (begun, committed) = (Mutex::default(), Arc::default());
    let place = Place { scribe: Arc::clone(&scribe), ..Place::with(files) };
    let store = Arc::clone(&place.store);
    let elsewhere = Arc::new(Elsewhere { scribe, store, begun, committed });
    let queue = Some(Arc::clone(&elsewhere) as _);
    (Place { queue, ..place }, elsewhere)
}

#[test]
fn what_is_written_elsewhere_is_what_would_be_written_here() {
    let files = ["A.cbl", "B.cbl", "REFUSE.cbl", "WIDE.cbl"];
    let (place, elsewhere) = place(&files);
    let alone = Place { scribe: Arc::clone(&place.scribe), ..Place::with(&files) };
    let (here, _) = alone.runs(4, false);
    let written_here = alone.shelf.0.lock().unwrap().clone();
    assert!(elsewhere.begun.lock().unwrap().is_empty());
    let (there, _) = place.runs(4, false);
    assert_eq!(states(&there), states(&here));
    let written_there = place.shelf.0.lock().unwrap().clone();
    assert!(written_there.keys().eq(written_here.keys()));
    for (file, there) in &written_there {
        let lines = there.lines().zip(written_here[file].lines()).enumerate();
        let other = lines.into_iter().find(|(_, (there, here))| there != here);
        assert_eq!(other, None, "{file}");
        assert_eq!(there.len(), written_here[file].len(), "{file}");
    }
    for (there, here) in there.iter().zip(&here) {
        assert_eq!((there.usage, &there.notes), (here.usage, &here.notes), "{}", here.ticket.file());
        assert_eq!(there.ticket.history(), here.ticket.history());
    }
    let mut committed = elsewhere.committed.lock().unwrap().clone();
    committed.sort();
    assert_eq!(committed, files);
}

#[test]
fn a_ticket_that_kills_whoever_has_it_is_left_alone_after_three_attempts_and_no_other_is() {
    let (place, elsewhere) = place(&["A.cbl", "ONCE.cbl", "VAIN.cbl"]);
    let (reports, _) = place.runs(4, false);
    assert_eq!(states(&reports), [TicketState::Done, TicketState::Done, TicketState::Failed]);
    let reason = reports[2].ticket.reason().to_owned();
    assert!(reason.contains("3 workers") && reason.ends_with("its worker is gone"), "{reason}");
    {
        let begun = elsewhere.begun.lock().unwrap();
        assert_eq!(begun["VAIN.cbl"], [(1, false), (2, true), (3, true)]);
        assert_eq!(begun["ONCE.cbl"], [(1, false), (2, true)]);
        assert_eq!(begun["A.cbl"], [(1, false)]);
    }
    // The next run leaves it alone as well, until its source changes.
    elsewhere.begun.lock().unwrap().clear();
    let (reports, _) = place.runs(4, false);
    assert_eq!(states(&reports), [TicketState::Done, TicketState::Done, TicketState::Failed]);
    assert_eq!(reports[2].ticket.reason(), reason);
    assert!(elsewhere.begun.lock().unwrap().is_empty());
}

#[test]
fn who_dies_of_a_ticket_but_brings_an_answer_each_time_counts_as_the_first() {
    let (place, elsewhere) = place(&["SLOW.cbl"]);
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done]);
    let attempts: Vec<u32> = elsewhere.begun.lock().unwrap()["SLOW.cbl"].iter().map(|(n, _)| *n).collect();
    assert_eq!(attempts, [1, 2, 2, 2, 2]);
}

#[test]
fn who_gives_a_ticket_back_forgives_nothing_that_was_in_vain_before() {
    let (place, elsewhere) = place(&["MIXED.cbl"]);
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Failed]);
    let attempts: Vec<u32> = elsewhere.begun.lock().unwrap()["MIXED.cbl"].iter().map(|(n, _)| *n).collect();
    assert_eq!(attempts, [1, 2, 2, 3]);
}

#[test]
fn who_gives_a_ticket_back_is_not_to_blame() {
    let (place, elsewhere) = place(&["BACK.cbl"]);
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done]);
    let attempts: Vec<u32> = elsewhere.begun.lock().unwrap()["BACK.cbl"].iter().map(|(n, _)| *n).collect();
    assert_eq!(attempts, [1, 1, 1, 1, 1, 1]);
}

#[test]
fn the_draft_of_another_source_is_refused() {
    let (place, _) = place(&["OTHER.cbl"]);
    let (reports, _) = place.runs(4, false);
    assert_eq!(states(&reports), [TicketState::Failed]);
    assert!(reports[0].ticket.reason().contains("not of this source"), "{}", reports[0].ticket.reason());
    assert!(place.shelf.0.lock().unwrap().is_empty());
}

#[test]
fn what_nobody_writes_any_more_stays_as_it_was() {
    let (place, _) = place(&["A.cbl", "STOP.cbl"]);
    let (reports, _) = place.runs(4, false);
    assert_eq!(states(&reports), [TicketState::Done, TicketState::Pending]);
    assert_eq!(place.store.kept().tickets["STOP.cbl"].attempts, 0);
}

#[test]
fn the_parsers_own_words_are_written_here() {
    let (place, elsewhere) = place(&["A.cbl"]);
    let place = Place { scribe: Arc::default(), ..place };
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done]);
    assert!(elsewhere.begun.lock().unwrap().is_empty());
}
