//! What must outlive the process, in SQLite: runs, tickets, answers, calls, documents and what sources were found to say.

mod answers;
mod database;
mod fault;
mod lock;
mod open_error;
mod output;
mod place;
mod readers;
mod runs;
mod schema;
mod seal;
mod sources;
mod status;
mod tickets;
mod time;
mod values;
mod writer;

pub use database::Database;
pub use lock::{Held, Holder};
pub use open_error::{OpenError, OpenErrorKind};
pub use output::OutputStore;
pub use place::STORE;
pub use runs::{BegunRun, NewRun};
pub use status::{CallSums, Reader, RunEnd, RunStatus, Status, TicketStatus, Wanted};
pub use time::{Clock, in_utc};
