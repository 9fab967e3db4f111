//! Tickets, routing and bounded workers.
//!
//! A ticket is one source file on its way to one document. It is planned (direct when one prompt holds it, else chunked), written by a
//! Scribe, merged and published by a sink; its state changes along allowed arrows only, each with a reason. A file that fails stops no
//! other.
//!
//! The pool reads and writes through ports: [`Sources`] gives bytes and copybooks, [`DocumentSink`] takes documents, [`Store`] keeps what
//! must outlive the process. What it accepts to lose: work on tickets that were not finished when the process ends, but no answer that
//! was paid for.
//!
//! # Where to begin
//!
//! - A whole run: `run.rs`: `PoolContext::work` is one ticket from bytes to document.
//! - What is done again and what is not: `build_plan.rs`; what a document is made from, `snapshot.rs` and
//!   `crates/cli/src/settings/writing.rs`.
//! - How an edited program keeps its answers: `process.rs`: `found_again`; `write.rs`: `standing_for`;
//!   `chunker::chunk_with_borders`.
//! - When something counts as done: `publish.rs`, `crates/cli/src/output.rs` and
//!   `crates/store/src/durable.rs`; the store's side `crates/store/src/writer.rs`.
//! - How a ticket is written of elsewhere, and what becomes of it there: `remote.rs`, `queue.rs`; what
//!   comes back, `draft.rs`.
//! - What becomes of a chunk that is too large: `write.rs` and `Planner::split_chunk`.
//!
//! # What always holds
//!
//! **A rerun decides alike.** What steers a run (which chunks, which answers, which window) depends on what
//! is recorded for good, never on how far a broken run had come. Chunks and borders of the last document
//! are replaced when the next one is done, not before; what is learned of a model counts from the next
//! whole run on.
//!
//! **A document is up to date by content alone.** It is made from its source, what each COPY found, the
//! settings that change it, and what the estate says of it; each is hashed. No time decides anything: where
//! a file's time is looked at, it only spares reading it.
//!
//! **What is asked again.** A chunk is asked anew when its own rows, the program it stands in, what holds
//! its first line, or the data and copybooks it names have changed. That the outline of the rest of the
//! file has changed is no reason, or an edited paragraph would cost a call for every chunk.
//!
//! **A part is told like the whole.** A run with `--only` or `--changed-since` leaves the documents that a
//! run over everything would: those of other sources are read where they stand, and what the estate says of
//! them is brought up to date without a call.
//!
//! **Tickets follow arrows.** A ticket's state changes through `Ticket::advance` only, along the arrows in
//! `crates/pool/src/ticket.rs`, each time with a reason. One file's failure stops no other.
//!
//! ```text
//! pending -> planned -> writing -> merged -> done | partial
//!    |          |          |          |
//!    +-> skipped |          |          |
//!    +-----------+----------+----------+-> failed
//!                +----------+----------+-> pending again, when the run stops or the source has changed
//! ```
//!
//! **The same input gives the same bytes.** Tickets share nothing but what they read. Results are put back
//! in the order of the sources and chunks. Lists are in source order, nothing carries a time. The number of
//! workers does not show. What the static Scribe writes of an item does not depend on the chunk it is asked
//! about, so that the plan of chunks shows in `chunks` alone.
//!
//! **Results come in the order of the sources.** `plan` and `facts` work through `pool::for_each_ordered`:
//! no worker runs far ahead. A counter remembers what words cost in tables of fixed size, one for each
//! thread; nothing but time depends on them.

mod affected;
mod build_plan;
mod context;
mod draft;
mod expected;
mod load;
mod parallel;
mod plan;
mod ports;
mod process;
mod publish;
mod queue;
mod relink;
mod remote;
mod report;
mod run;
mod secrets;
mod snapshot;
mod store;
mod ticket;
mod write;

pub use affected::{KnownSource, affected_sources, read_affected_sources};
pub use build_plan::{BuildPlanOptions, MAX_ATTEMPTS};
pub use context::{SourceIdentity, calling_context};
pub use draft::{Draft, DraftMismatch, DraftedChunk};
pub use expected::{expected_cobol_document, expected_non_cobol_document};
pub use load::{
    LoadedSource, NonCobolFacts, NonCobolSource, ParsedSource, SourceError, SourceId, SourceOptions, Sources,
    load_source, parse_cobol, secret_values,
};
pub use parallel::{InternalError, for_each_ordered};
pub use plan::{ChunkPosition, PlannedChunk, Planner, Route, SourcePlan, TooLarge};
pub use ports::{DocumentSink, PlanSummary, PublishedDocument, RunProgress};
pub use queue::{DispatchOutcome, JobCopybook, QueuedTicket, Receipt, RemoteQueue, WriteJob};
pub use relink::RelinkReport;
pub use report::{RunReport, TicketReport, TicketRow};
pub use run::{PoolContext, RunOptions, RunOutcome, StopRequest, run};
pub use secrets::{ScreenedSource, Screening, SecretPolicy};
pub use snapshot::source_inputs_hash;
pub use store::{
    AttemptPolicy, BuildRecord, CopybookLookup, FinishedTicket, NullStore, OpenTicket, Store, StoreError,
    StoredChunk, StoredSource, StoredTicket, WrittenFile,
};
pub use ticket::{InvalidTransition, Ticket, TicketState, Transition};
pub use write::DraftWriter;
