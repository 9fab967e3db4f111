//! The last steps of a ticket: its document is published, and then the store says so.
//!
//! One thread does this for all workers, many tickets at a time, because bringing files to the disk costs as much for one as for many.
//! Whatever it is given it brings to an end. Order: the files of a document are at their places and on the disk before the store says that
//! the ticket is done; a process that ends between the two does the ticket again, and writes the same bytes. When the store fails, what
//! was published stays and the tickets stay as the store has them; the run stops.

use crate::build_plan::BuildTask;
use crate::ports::DocumentSink;
use crate::queue::Receipt;
use crate::report::TicketReport;
use crate::run::StopRequest;
use crate::store::{BuildRecord, FinishedTicket, Store, StoreError, StoredChunk};
use crate::ticket::TicketState;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use war_rig_text::ContentHash;

/// How many tickets are published together: by then, one more costs what it costs alone.
pub(crate) const PUBLISH_BATCH: usize = 32;

/// How many tickets may wait to be published, so that no worker runs far ahead of the disk.
pub(crate) const PUBLISH_BACKLOG: usize = 64;

/// A ticket that work on has ended.
pub(crate) struct CompletedWork<T> {
    pub(crate) index: usize,
    pub(crate) report: TicketReport,
    pub(crate) document: Option<PendingDocument<T>>,
    /// What its document is made from, the files aside; none when nothing of it holds for a later run.
    pub(crate) made: Option<BuildRecord>,
    pub(crate) useless: Vec<ContentHash>,
    /// Whether it is left alone from now on.
    pub(crate) is_quarantined: bool,
    /// For whoever has written of it elsewhere.
    pub(crate) receipt: Option<Receipt>,
}

/// A document that waits to be published.
pub(crate) struct PendingDocument<T> {
    pub(crate) staged: T,
    pub(crate) state: TicketState,
    pub(crate) reason: String,
    pub(crate) chunks: Vec<StoredChunk>,
}

/// Brings tickets to their end until no worker is left, and hands on their reports.
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

/// Publishes the documents of some tickets.
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
                    // What the next would cost would be paid for nothing.
                    if affects_all_documents(&error) {
                        stop.request();
                    }
                    made = None;
                    (TicketState::Failed, format!("its document cannot be written: {error}"))
                }
            };
            // A merged ticket may come to all of these.
            report.ticket.advance(to, reason).expect("an arrow leads there");
        }
        // A ticket that was not begun is as it was.
        if report.ticket.history().is_empty() {
            reports.push((index, report));
            continue;
        }
        finished.push(FinishedTicket {
            file: report.ticket.file().to_owned(),
            state: report.ticket.state(),
            history: report.ticket.history().to_vec(),
            build_record: made,
            chunks: kept_chunks,
            unusable_questions: useless,
            is_quarantined,
        });
        reports.push((index, report));
    }
    (reports, finished)
}

/// Whether an error of one document will be that of all others.
pub(crate) fn affects_all_documents(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), QuotaExceeded | ReadOnlyFilesystem | StorageFull)
}

impl<T> CompletedWork<T> {
    /// A ticket that was not begun, and stays as it is.
    pub(crate) fn not_started(task: &BuildTask) -> Self {
        Self::without_document(task, TicketReport::new(&task.id.0))
    }

    /// A ticket that has come to its end without a document.
    pub(crate) fn without_document(task: &BuildTask, report: TicketReport) -> Self {
        let index = task.index;
        let (made, useless) = (None, Vec::new());
        Self { index, report, document: None, made, useless, is_quarantined: false, receipt: None }
    }

    /// A ticket that is to be worked on again, by another run.
    pub(crate) fn returned(task: &BuildTask, reason: &str, was_stopped: bool) -> Self {
        let mut report = TicketReport::new(&task.id.0);
        report.was_stopped = was_stopped;
        for state in [TicketState::Planned, TicketState::Pending] {
            report.ticket.advance(state, reason).expect("the arrows lead there and back");
        }
        Self::without_document(task, report)
    }

    /// A ticket that work elsewhere came to nothing on too often; the last time for this reason.
    pub(crate) fn quarantined(task: &BuildTask, attempts: u32, why: &str) -> Self {
        let mut report = TicketReport::new(&task.id.0);
        let reason = format!(
            "{attempts} workers came to nothing with it, so it is left alone; --retry-failed tries it again; the last time: {why}"
        );
        report.ticket.advance(TicketState::Failed, reason).expect("any ticket may fail");
        let nothing = ContentHash::of(b"");
        let made =
            task.inputs_hash.map(|inputs| BuildRecord::unconfirmed(inputs, nothing, report.to_stored_json()));
        Self { made, is_quarantined: true, ..Self::without_document(task, report) }
    }
}
