//! Tickets and messages over NATS: the coordinator's side and the worker's.
//!
//! The broker is transport and nothing else: it holds notes that there is work, and carries envelopes. What is known stands with the coordinator, in memory
//! and in its store; a broker that has forgotten everything is told again. A [`Coordinator`] is the pool's [`RemoteQueue`](war_rig_pool::RemoteQueue); a [`Worker`] has
//! what it takes written by a [`JobExecutor`], whose calls are noted by the coordinator before they are sent.

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
