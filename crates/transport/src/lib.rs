//! Tickets and messages over NATS: the coordinator's side and the worker's.
//!
//! The broker is transport and nothing else: it holds notes that there is work, and carries envelopes. What is known stands with the coordinator, in memory
//! and in its store; a broker that has forgotten everything is told again. A [`Coordinator`] is the pool's [`Queue`](war_rig_pool::Queue); a [`Worker`] has
//! what it takes written by a [`Desk`], whose calls are noted by the coordinator before they are sent.

pub mod broker;
mod coordinator;
pub mod link;
mod message;
pub mod names;
pub mod probe;
pub mod question;
mod random;
pub mod tickets;
mod worker;

pub use broker::{Broker, BrokerError, BrokerErrorKind, BrokerOptions, BrokerUrls, ClientCertificate, Login};
pub use coordinator::{Books, Coordinator, CoordinatorError, CoordinatorFigures, CoordinatorOptions};
pub use link::{AskError, AskErrorKind, Counters, Counts, Link, LinkOptions, Patience, ServeLimits, Server};
pub use message::{CallId, reply};
pub use names::{EstateId, NoEstateId, NoTargetName, PROTOCOL_VERSION, Role, TargetName};
pub use probe::{Finding, JetStreamAccount, JetStreamProbe, Level, Probe, QueueProbe, probe};
pub use random::{random_id, random_word};
pub use tickets::{
    ConsumerSurvey, EstateNotes, QueueError, QueueErrorKind, QueueState, QueueSurvey, TakenNote, TicketNote,
    TicketQueue,
};
pub use worker::{
    Assignment, Desk, Spool, SpoolError, Worker, WorkerEnd, WorkerFigures, WorkerOptions, Written,
};
