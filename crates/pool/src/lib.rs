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
mod agenda;
mod context;
mod draft;
mod each;
mod elsewhere;
mod expected;
mod finish;
mod others;
mod plan;
mod ports;
mod queue;
mod read;
mod report;
mod run;
mod secrets;
mod stock;
mod store;
mod ticket;
mod work;
mod write;

pub use affected::{KnownSource, affected, affected_among};
pub use agenda::{ATTEMPTS, AgendaOptions};
pub use context::{KnownBy, context};
pub use draft::{Draft, DraftedChunk, NotItsDraft};
pub use each::{Defect, each_in_order};
pub use expected::{expected_of_cobol, expected_of_surrounding};
pub use others::Others;
pub use plan::{Part, PlannedChunk, Planner, Route, SourcePlan, TooLarge};
pub use ports::{DocumentSink, HeldDocument, Outlook, Progress};
pub use queue::{Brought, Job, JobCopybook, Queue, QueuedTicket, Receipt};
pub use read::{
    Prepared, Source, SourceId, SourceOptions, Sources, Surrounding, SurroundingFacts, Unreadable,
    named_secrets, prepare, read,
};
pub use report::{RunReport, TicketReport, TicketRow};
pub use run::{Ended, RunOptions, StopRequest, Workers, run};
pub use secrets::{Screened, Screening, SecretPolicy};
pub use stock::made_from;
pub use store::{
    Attempts, FinishedTicket, KeptChunk, KeptSource, KeptTicket, Lookup, Made, NoStore, OpenTicket, Store,
    StoreError, WrittenFile,
};
pub use ticket::{Ticket, TicketState, Transition, WrongArrow};
pub use write::Writer;
