//! The last steps of a ticket: its document is published, and then the store records that.
//!
//! One thread does this for all workers, many tickets at a time, because syncing one file to the disk costs as much as syncing many. It finishes
//! every ticket it receives. Order: a document's files are in place and on the disk before the store records the ticket as done. If the process
//! ends between the two, the next run repeats the ticket and writes the same bytes. If the store fails, published documents remain, the
//! tickets keep their stored state, and the run stops.

use crate::build_plan::BuildTask;
use crate::ports::DocumentSink;
use crate::queue::Receipt;
use crate::report::TicketReport;
use crate::round::StopRequest;
use crate::store::{BuildRecord, FinishedTicket, Store, StoreError, StoredChunk};
use crate::ticket::TicketState;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use war_rig_text::ContentHash;

/// How many tickets are published together; beyond that, a larger batch saves nothing.
pub(crate) const PUBLISH_BATCH: usize = 32;

/// How many tickets may wait for publication, so that no worker runs far ahead of the disk.
pub(crate) const PUBLISH_BACKLOG: usize = 64;

/// A ticket whose work has ended.
pub(crate) struct CompletedWork<T> {
    pub(crate) index: usize,
    pub(crate) report: TicketReport,
    pub(crate) document: Option<PendingDocument<T>>,
    /// What its document is made from, without the files; `None` if a later run can use none of it.
    pub(crate) made: Option<BuildRecord>,
    pub(crate) useless: Vec<ContentHash>,
    /// Whether it is left alone from now on.
    pub(crate) is_quarantined: bool,
    /// The receipt for the remote worker that wrote it.
    pub(crate) receipt: Option<Receipt>,
}

/// A document that waits for publication.
pub(crate) struct PendingDocument<T> {
    pub(crate) staged: T,
    pub(crate) state: TicketState,
    pub(crate) reason: String,
    pub(crate) chunks: Vec<StoredChunk>,
}

/// Finishes tickets until no worker is left, and passes on their reports.
pub(crate) fn publish_loop<D: DocumentSink>(
    worked: &Receiver<CompletedWork<D::StagedDocument>>,
    sink: &Arc<D>,
    store: &dyn Store,
    stop: &StopRequest,
    mut done: impl FnMut(usize, TicketReport),
) -> Result<(), StoreError> {
    let mut failed = None;
    while let Ok(first) = worked.recv() {
        let mut group = vec![first];
        group.extend(worked.try_iter().take(PUBLISH_BATCH - 1));
        let receipts: Vec<Receipt> = group.iter_mut().filter_map(|worked| worked.receipt.take()).collect();
        let (reports, finished) = publish(group, sink.as_ref(), stop);
        if failed.is_none() {
            failed = store.finish(&finished).err();
            match failed {
                Some(_) => stop.request(),
                None => receipts.into_iter().for_each(Receipt::confirm),
            }
        }
        reports.into_iter().for_each(|(index, report)| done(index, report));
    }
    failed.map_or(Ok(()), Err)
}

/// Publishes the documents of several tickets.
fn publish<D: DocumentSink>(
    group: Vec<CompletedWork<D::StagedDocument>>,
    sink: &D,
    stop: &StopRequest,
) -> (Vec<(usize, TicketReport)>, Vec<FinishedTicket>) {
    let (mut rest, mut staged) = (Vec::with_capacity(group.len()), Vec::new());
    for CompletedWork { index, report, document, made, useless, is_quarantined, receipt: _ } in group {
        let ending = document.map(|PendingDocument { staged: document, state, reason, chunks }| {
            staged.push(document);
            (state, reason, chunks)
        });
        rest.push((index, report, ending, made, useless, is_quarantined));
    }
    let mut published = sink.publish(staged).into_iter();
    let mut reports = Vec::with_capacity(rest.len());
    let mut finished = Vec::with_capacity(rest.len());
    for (index, mut report, ending, mut made, useless, is_quarantined) in rest {
        let mut kept_chunks = None;
        if let Some((state, reason, chunks)) = ending {
            let (to, reason) = match published.next().expect("each document has its result") {
                Ok(files) => {
                    if let Some(made) = &mut made {
                        made.files = files;
                    }
                    kept_chunks = Some(chunks);
                    (state, reason)
                }
                Err(error) => {
                    // The cost of the next ticket would be wasted.
                    if affects_all_documents(&error) {
                        stop.request();
                    }
                    made = None;
                    (TicketState::Failed, format!("its document cannot be written: {error}"))
                }
            };
            // A merged ticket may enter all of these states.
            report.ticket.advance(to, reason).expect("an arrow leads there");
        }
        // A ticket that was not begun keeps its stored state.
        if report.ticket.history().is_empty() {
            reports.push((index, report));
            continue;
        }
        finished.push(FinishedTicket {
            build_record: made,
            chunks: kept_chunks,
            unusable_questions: useless,
            is_quarantined,
            ..FinishedTicket::of(&report.ticket)
        });
        reports.push((index, report));
    }
    (reports, finished)
}

/// Whether an error of one document will affect all others.
pub(crate) fn affects_all_documents(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), QuotaExceeded | ReadOnlyFilesystem | StorageFull)
}

impl<T> CompletedWork<T> {
    /// Creates a ticket that was not begun and keeps its state.
    pub(crate) fn not_started(task: &BuildTask) -> Self {
        Self::without_document(task, TicketReport::new(&task.id.0))
    }

    /// Creates a ticket that has ended without a document.
    pub(crate) fn without_document(task: &BuildTask, report: TicketReport) -> Self {
        let index = task.index;
        let (made, useless) = (None, Vec::new());
        Self { index, report, document: None, made, useless, is_quarantined: false, receipt: None }
    }

    /// Creates a ticket that another run will work on again.
    pub(crate) fn returned(task: &BuildTask, reason: &str, was_stopped: bool) -> Self {
        let mut report = TicketReport::new(&task.id.0);
        report.was_stopped = was_stopped;
        for state in [TicketState::Planned, TicketState::Pending] {
            report.ticket.advance(state, reason).expect("the arrows lead there and back");
        }
        Self::without_document(task, report)
    }

    /// Creates a ticket whose remote work has failed too often, with the last reason.
    pub(crate) fn quarantined(task: &BuildTask, attempts: u32, why: &str) -> Self {
        let mut report = TicketReport::new(&task.id.0);
        let reason = format!(
            "{attempts} workers came to nothing with it, so it is left alone; --retry-failed tries it again; the last time: {why}"
        );
        report.ticket.advance(TicketState::Failed, reason).expect("any ticket may fail");
        let nothing = ContentHash::of(b"");
        let made = task.inputs_hash.map(|inputs| BuildRecord::unconfirmed(inputs, nothing, report.to_stored_json()));
        Self { made, is_quarantined: true, ..Self::without_document(task, report) }
    }
}
