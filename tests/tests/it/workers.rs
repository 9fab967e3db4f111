//! Runs over several machines: a coordinator, workers that share no file with it, and a real broker between them.
//!
//! Whatever is killed, frozen, cut, repeated or wiped meanwhile, a run comes to the bytes of one on a single machine, each source has one
//! row, the ledger is what the providers have seen, and what was asked twice is no more than was in flight.

mod broker;
mod coordinator;
mod figures;
mod hostile;
mod impostor;
mod killed;
mod random;
mod refusals;
mod same;
mod scene;
