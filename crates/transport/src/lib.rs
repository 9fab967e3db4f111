//! Tickets and messages over NATS: the coordinator's side and the worker's.
//!
//! The broker is transport and nothing else: it holds notes that there is work, and carries envelopes. What is known stands with the coordinator, in memory
//! and in its store; a broker that has forgotten everything is told again. A [`Coordinator`] is the pool's [`RemoteQueue`](war_rig_pool::RemoteQueue); a [`Worker`] has
//! what it takes written by a [`JobExecutor`], whose calls are noted by the coordinator before they are sent.
//!
//! # Where to begin
//!
//! - Who has which ticket until when: `coordinator/lease_table.rs`; what is done about each request,
//!   `requests.rs`; when a broker is told again, `maintenance.rs`.
//! - What a worker does with a note: `worker.rs`: `Inner::ticket`; how its calls are noted elsewhere
//!   `worker/remote_call_log.rs`, what it keeps until then `worker/spool.rs`, and when it waits no longer
//!   `worker/presence.rs`.
//! - How requests and replies of any size travel: `link.rs`; in pieces, `crates/envelope/src/split.rs`,
//!   `collector.rs`.
//!
//! # What always holds
//!
//! **Elsewhere there are words only.** A draft that comes from a worker holds what a model could say. What
//! the parser says is put beside it by the coordinator, from its own parse, and citations are verified
//! there; so no worker, and nobody who speaks in its name, can make a fact. With the static Scribe, whose
//! words are the parser's, nothing is handed out.
//!
//! **The broker is believed nothing.** Notes are hints, and may come twice, late or not at all. Who has a
//! ticket, the coordinator's leases say; how often it was begun, the store. A request is done once, by its
//! id, and is a whole envelope or none. What comes under a lease that was revoked is refused, but for what
//! came of a call, which was paid for.

pub mod broker;
mod coordinator;
pub mod link;
pub mod probe;
mod protocol;
pub mod question;
mod random;
pub mod subjects;
pub mod tickets;
mod worker;

pub use broker::{
    Broker, BrokerError, BrokerErrorKind, BrokerLogin, BrokerOptions, BrokerUrls, ClientCertificate,
};
pub use coordinator::{CallLogs, Coordinator, CoordinatorError, CoordinatorOptions, CoordinatorStats};
pub use link::{
    Link, LinkCounters, LinkCounts, LinkOptions, RequestError, RequestErrorKind, RequestTimeouts, Server,
    ServerLimits,
};
pub use probe::{BrokerProbe, JetStreamAccount, JetStreamProbe, ProbeFinding, ProbeLevel, QueueProbe, probe};
pub use protocol::{CallId, reply_envelope};
pub use random::{random_id, random_word};
pub use subjects::{BrokerRole, EstateId, InvalidEstateId, InvalidTargetName, PROTOCOL_VERSION, TargetName};
pub use tickets::{
    ConsumerSurvey, EstateNotes, QueueError, QueueErrorKind, QueueState, QueueSurvey, ReceivedMessage,
    TicketMessage, TicketQueue,
};
pub use worker::{
    JobAssignment, JobExecutor, JobOutcome, Spool, SpoolError, Worker, WorkerEnd, WorkerOptions, WorkerStats,
};
