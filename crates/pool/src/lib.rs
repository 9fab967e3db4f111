//! Tickets, routing and bounded workers.
//!
//! A ticket is one source file on its way to one document. It is planned (direct when one prompt holds it, else chunked), written by a
//! Scribe, merged and published by a sink; its state changes along allowed arrows only, each with a reason. A file that fails stops no
//! other.
//!
//! The pool reads and writes through ports: [`Sources`] gives bytes and copybooks, [`DocumentSink`] takes documents, [`Store`] keeps what
//! must outlive the process. What it accepts to lose: work on tickets that were not finished when the process ends, but no answer that
//! was paid for.

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
