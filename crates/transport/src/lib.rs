//! Tickets and messages over NATS: the coordinator's side and the worker's.
