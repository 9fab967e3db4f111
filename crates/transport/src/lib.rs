//! Tickets and messages over NATS: the coordinator's side and the worker's.

pub mod broker;
pub mod link;
pub mod names;
mod random;
pub mod tickets;

pub use broker::{Broker, BrokerError, BrokerErrorKind, BrokerOptions, BrokerUrls, ClientCertificate, Login};
pub use link::{AskError, AskErrorKind, Counts, Link, LinkOptions, Patience, ServeLimits, Server};
pub use names::{EstateId, NoEstateId, PROTOCOL_VERSION, Role};
pub use random::{random_id, random_word};
pub use tickets::{QueueError, QueueErrorKind, QueueState, TakenNote, TicketNote, TicketQueue};
