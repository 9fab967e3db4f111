//! The broker's side of the transport, against a real nats-server.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod connect;
mod link;
mod queue;
mod roles;
mod server;
mod worker;
