//! Tickets and messages over NATS: the coordinator's side and the worker's.
//!
//! The broker is only transport: it stores notes that there is work, and carries envelopes. The coordinator has the state, in memory and in its
//! store, and restores a broker that has forgotten everything. A [`Coordinator`] is the pool's [`RemoteQueue`](war_rig_pool::RemoteQueue). A
//! [`Worker`] passes its tickets to a [`JobExecutor`]; the coordinator records the executor's calls before they are sent.
//!
//! # Where to begin
//!
//! - Who has which ticket until when: `coordinator/lease_table.rs`. How each request is handled:
//!   `coordinator/requests.rs`. When notes are published again: `coordinator/maintenance.rs`.
//! - What a worker does with a note: `worker.rs`: `WorkerInner::ticket`. How the coordinator records its calls:
//!   `worker/remote_call_log.rs`. What it stores until then: `worker/spool.rs`. When it stops waiting:
//!   `worker/presence.rs`.
//! - How requests and replies of any size travel: `link.rs`. How they are split and joined:
//!   `crates/envelope/src/split.rs`, `collector.rs`.
//!
//! # What always holds
//!
//! **Workers return words only.** A worker's draft contains what a model could write. The coordinator adds
//! what the parser knows, from its own parse, and verifies citations; so no worker, and nobody who
//! impersonates one, can create a fact. With the static Scribe, whose words are the parser's, no ticket is
//! handed out.
//!
//! **The broker is not trusted.** Notes are hints, and may come twice, late or not at all. The coordinator's
//! leases decide who has a ticket; the store counts its attempts. A request is executed once, by its id, and
//! is a whole envelope or nothing. Requests under a revoked lease are refused, except for results of calls,
//! because those were paid for.

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

pub use broker::{Broker, BrokerError, BrokerErrorKind, BrokerLogin, BrokerOptions, BrokerUrls, ClientCertificate};
pub use coordinator::{CallLogs, Coordinator, CoordinatorError, CoordinatorOptions, CoordinatorStats};
pub use link::{
    Link, LinkCounters, LinkCounts, LinkOptions, Refusal, RequestError, RequestErrorKind, RequestTimeouts, Server,
    ServerLimits,
};
pub use probe::{BrokerProbe, JetStreamAccount, JetStreamProbe, ProbeFinding, ProbeLevel, QueueProbe, probe};
pub use protocol::{CallId, reply_envelope};
pub use random::{random_id, random_word};
pub use subjects::{BrokerRole, EstateId, InvalidEstateId, InvalidTargetName, PROTOCOL_VERSION, TargetName};
pub use tickets::{
    ConsumerSurvey, EstateNotes, QueueError, QueueErrorKind, QueueState, QueueSurvey, ReceivedMessage, TicketMessage,
    TicketQueue,
};
pub use worker::{
    JobAssignment, JobExecutor, JobOutcome, Spool, SpoolError, Worker, WorkerEnd, WorkerOptions, WorkerStats,
};
