//! The broker's side of the transport, against a real nats-server.

mod connect;
mod link;
mod queue;
mod roles;
mod server;
