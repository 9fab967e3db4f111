//! What must outlive the process, in SQLite: runs, tickets, answers, calls, documents and surveys of sources.
//!
//! A [`Database`] is a store that this process writes to. For each output folder it returns an [`OutputStore`], which is the pool's
//! [`Store`](war_rig_pool::Store) and the [`CallLog`](war_rig_llm::CallLog) of the calls to a model. A [`StoreReader`] only reads a store.
//!
//! # What always holds
//! - **Every acknowledged write is on the disk.** A writing call returns after the commit, and a commit after the disk has it (`synchronous=FULL`).
//!   A killed process or a power failure loses nothing that was acknowledged.
//! - **All or nothing.** Each call is one change, regardless of its size. Waiting calls share a commit; a failing call is rolled back alone.
//! - **One writer.** A process takes the folder's lock before it reads anything. The system frees the lock when its process ends for any reason.
//! - **A store is created completely or not at all.** It gets its name when it is on the disk. A store that is empty, truncated, foreign or newer
//!   is refused, and no byte of it changes.
//! - **A flipped bit is detected, or makes no difference.** Every row that controls a run has a checksum (a changed row is damage, not another
//!   value), and the tables are compared with those of the version. A store of up to 128 MB is checked as a whole when it is opened.
//! - **Recorded before use.** A call is in the store before it is sent, and its result before anything reads it. A document is on the disk at its
//!   final path before the store records its ticket as done. An attempt is counted before the work begins. So a process that dies at any instant
//!   leaves nothing that a rerun would miss: `tests/src/crash.rs` kills it at each sync, rename and send.
//! - **No clock decides anything.** Times are only shown. Runs and answers are numbered.
//!
//! # Who runs concurrently
//! One thread owns the writing connection. It ends when the last of [`Database`] and [`OutputStore`] is dropped, after it has written everything it
//! received. Readers have their own connections: each statement sees what was committed before it began. The journal's futures wait without a
//! thread; if one is dropped, its data may or may not be written. Readers in other processes see one moment and block nobody; a long read only
//! delays the truncation of the log.
//!
//! # Accepted losses
//! - Writes that were not acknowledged when the process was killed: answers of calls in flight are paid for again. Their rows remain as `lost`, with
//!   the most that they can have cost.
//! - A log with a damaged end is read up to the damage, because SQLite cannot distinguish it from a truncated commit; the rest is done again.
//! - In a store above 128 MB, a damaged index may hide an answer, which is then requested again.
//! - The estate that a document was last compared with and the history of tickets have no checksum: a wrong value costs a check, or is displayed.
//!
//! ```
//! use std::sync::Arc;
//! use war_rig_pool::{AttemptPolicy, OpenTicket, Store};
//! use war_rig_store::{Database, NewRun, StoreReader, StatusQuery};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let database = Database::open(folder.path(), Arc::new(|| 0))?;
//! let command = vec!["war-rig".to_owned(), "document".to_owned()];
//! let run = database.begin_run(NewRun { output: "docs".to_owned(), command, scribe: "static".to_owned() })?;
//! let output = database.for_output("docs", run.number);
//! let (file, reason) = ("cbl/X.cbl".to_owned(), "new".to_owned());
//! output.open(&[OpenTicket { file, base: "src".to_owned(), reason, answers_since: None, attempts: AttemptPolicy::Keep }])?;
//! output.begin("cbl/X.cbl")?;
//! assert_eq!(output.tickets()?[0].attempts, 1);
//! database.end_run(run.number, 0, "{}")?;
//! assert_eq!(StoreReader::open(folder.path())?.status(StatusQuery::default())?.runs.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Where to begin
//!
//! - What outlives the process: `lib.rs`, then `schema/1.sql`. How commits are grouped: `writer.rs`.
//! - How a file is replaced: `durable.rs`.

mod answers;
mod column_values;
mod database;
pub mod durable;
mod fault;
mod lock;
mod open_error;
mod output_store;
mod reader_pool;
mod row_seal;
mod runs;
mod schema;
mod sources;
mod status;
mod store_path;
mod tickets;
pub mod time;
mod writer;

pub use database::Database;
pub use lock::{LockHolder, LockStatus};
pub use open_error::{OpenError, OpenErrorKind};
pub use output_store::OutputStore;
pub use runs::{NewRun, RunStart};
pub use status::{
    CallTotals, RecordedDocument, RunEnd, RunStatus, StatusQuery, StoreReader, StoreStatus, TicketStatus,
};
pub use store_path::STORE_FILE;
pub use time::{Clock, format_utc};

/// The tools for other SQLite files in the state folder: the catalogue's, which has its own crate.
pub mod sqlite {
    pub use crate::column_values::{from_sql, hash_from_sql};
    pub use crate::fault::{StoreFault, StoreFaultKind};
    pub use crate::store_path::{ConnectionMode, StorePath, storage_error};
}
