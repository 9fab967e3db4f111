//! Tickets, routing and bounded workers.
//!
//! A ticket is one source file on its way to one document. The pool plans it (direct if one prompt can contain the file, otherwise chunked).
//! A Scribe then writes it, and a sink merges and publishes it. Its state changes along allowed arrows only, each time with a reason. One
//! file's failure does not stop the others.
//!
//! The pool reads and writes through ports: [`Sources`] returns bytes and copybooks, [`DocumentSink`] takes documents, [`Store`] keeps what
//! must outlive the process. If the process ends, the work on unfinished tickets is lost (accepted), but no answer that was paid for.
//!
//! # Where to begin
//!
//! - A whole run: `run.rs`; what its tickets share: `round.rs`. One ticket from bytes to document: `Round::process_ticket` in `process.rs`.
//! - What a run repeats and what it skips: `build_plan.rs`. What a document is made from: `snapshot.rs` and
//!   `crates/cli/src/settings/writing.rs`.
//! - How an edited program reuses its answers: `write.rs`: `found_again` and `standing_for`;
//!   `chunker::chunk_with_borders`.
//! - When a ticket counts as done: `publish.rs`, `crates/cli/src/output.rs` and
//!   `crates/store/src/durable.rs`. The store's part: `crates/store/src/writer.rs`.
//! - How another machine writes a ticket's document: `remote.rs` and `queue.rs`. What comes back:
//!   `draft.rs`.
//! - How a chunk that is too large is split: `write.rs` and `Planner::split_chunk`.
//!
//! # What always holds
//!
//! **A rerun makes the same decisions.** What controls a run (which chunks, which answers, which window)
//! depends on permanent records only, never on how far an interrupted run got. The next document replaces
//! the chunks and borders of the last one when it is done, not before. What a run learns about a model
//! takes effect in the next whole run.
//!
//! **Content alone decides whether a document is up to date.** A document is made from its source, what each
//! COPY found, the settings that change it, and its context in the estate; each is hashed. Times decide
//! nothing: the pool looks at a file's time only to avoid reading the file.
//!
//! **What is asked again.** The pool asks about a chunk again if any of these has changed: its own rows, its
//! program, the construct that contains its first line, or the data and copybooks it names. A change in the
//! outline of the rest of the file does not count; otherwise, one edited paragraph would cost a call for every chunk.
//!
//! **A partial run gives the same result as a whole one.** A run with `--only` or `--changed-since` leaves
//! the same documents as a run over everything. It reads the documents of other sources from the output
//! folder and updates what they report about the estate, without a call.
//!
//! **Tickets follow arrows.** A ticket's state changes through `Ticket::advance` only, along the arrows in
//! `crates/pool/src/ticket.rs`, each time with a reason. One file's failure does not stop the others.
//!
//! ```text
//! pending -> planned -> writing -> merged -> done | partial
//!    |          |          |          |
//!    +-> skipped |          |          |
//!    +-----------+----------+----------+-> failed
//!                +----------+----------+-> pending again, when the run stops or the source has changed
//! ```
//!
//! **The same input gives the same bytes.** Tickets share only what they read. Results are put back in the
//! order of the sources and chunks. Lists are in source order, and nothing contains a time. The number of
//! workers does not affect the output. What the static Scribe writes about an item does not depend on the
//! item's chunk, so the chunk plan affects `chunks` alone.
//!
//! **Results come in the order of the sources.** `plan` and `facts` work through `pool::for_each_ordered`:
//! no worker runs far ahead. A counter caches token counts of words in tables of fixed size, one for each
//! thread; they affect nothing but speed.

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
mod round;
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
    GENERATED, LoadedSource, NamedSecrets, NonCobolFacts, NonCobolSource, ParsedSource, SourceError, SourceId,
    SourceOptions, Sources, load_source, named_secrets, parse_cobol, values_used_as_names,
};
pub use parallel::{InternalError, for_each_ordered};
pub use plan::{ChunkPosition, PlannedChunk, Planner, Route, SourcePlan, TooLarge};
pub use ports::{DocumentSink, PlanSummary, PublishedDocument, RunProgress};
pub use queue::{DispatchOutcome, JobCopybook, QueuedTicket, Receipt, RemoteQueue, WriteJob};
pub use relink::RelinkReport;
pub use report::{RunCoverage, RunReport, TicketReport, TicketRow};
pub use round::{PoolContext, RunOptions, StopRequest, blocking};
pub use run::{RunOutcome, run};
pub use secrets::{ScreenedSource, Screening, SecretPolicy};
pub use snapshot::source_inputs_hash;
pub use store::{
    AttemptPolicy, BuildRecord, CopybookLookup, FinishedTicket, OpenTicket, Store, StoreError, StoredChunk,
    StoredSource, StoredTicket, WrittenFile,
};
pub use ticket::{InvalidTransition, Ticket, TicketState, Transition};
pub use write::DraftWriter;
