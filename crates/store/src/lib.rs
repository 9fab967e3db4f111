//! What must outlive the process, in SQLite: runs, tickets, answers, calls, documents and what sources were found to say.
//!
//! A [`Database`] is a store that this process writes to. It hands out an [`OutputStore`] for an output folder, which is the pool's
//! [`Store`](war_rig_pool::Store) and the [`CallLog`](war_rig_llm::CallLog) of the calls to a model. A [`StoreReader`] is a store that is only looked at.
//!
//! # What always holds
//! - **What was answered is on the disk.** A call that writes returns after the commit, and a commit after the disk has it (`synchronous=FULL`).
//!   A killed process or a power cut takes nothing that was answered.
//! - **All or nothing.** Each call is one change, whatever it is given. Calls that wait share a commit; one that fails is taken back alone.
//! - **One writer.** The lock of a folder is taken before anything is looked at. The system frees it when its holder ends, however it ends.
//! - **A store is made whole or not at all.** It gets its name when it is on the disk. One that is empty, cut off, foreign or newer is refused, and
//!   no byte of it changes.
//! - **A bit that has flipped is found, or makes no difference.** Every row that steers a run carries a checksum, and the tables are held
//!   against those of the version. A store up to 128 MB is checked as a whole when it is opened.
//! - **No clock decides.** Times are shown, and nothing else. Runs and answers are numbered.
//!
//! # Who runs beside whom
//! One thread owns the connection that writes, and ends when the last of [`Database`] and [`OutputStore`] is dropped, after what was given to it is
//! written. Others read with connections of their own: each statement sees what was committed before it began. The futures of the journal wait without
//! a thread; one that is dropped may have been written or not. Readers in other processes see one moment, and keep nobody waiting; one that reads for
//! long keeps the log from being cut meanwhile.
//!
//! # What is accepted to be lost
//! - What was not answered yet when the process was killed: the answers of calls in flight are paid for again. Their rows stay, as `lost`, with the most
//!   that they can have cost.
//! - A log whose end was damaged is read up to there, as SQLite cannot tell that from a commit that was cut off: the rest is done again.
//! - In a store above 128 MB a damaged index may hide an answer, which is asked for again.
//! - What a document was last held against, and the history of tickets, have no checksum: a wrong one costs a look, or is shown.
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
//! - What outlives the process: `lib.rs`, then `schema/1.sql`; how commits are grouped, `writer.rs`.
//! - How a file is replaced: `durable.rs`.
//!
//! # What always holds
//!
//! **Recorded before it is used.** A call is in the store before it is sent, and what came of it before
//! anybody reads it. A document is on the disk at its place before the store says that its ticket is done;
//! work on a ticket is counted before it begins. So a process that dies at any instant leaves nothing that
//! a rerun would not find: `tests/src/crash.rs` kills it at each sync, rename and send.
//!
//! **What steers a run has a checksum.** A row of the store that was changed is damage, not another value.
//! A store is made whole or not at all: it gets its name when it is on the disk; one that is empty, cut
//! off, foreign or newer is refused and stays as it is.

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

/// What another file of SQLite in the state folder is kept with: the catalogue's, which is in a crate of its own.
pub mod sqlite {
    pub use crate::column_values::{from_sql, hash_from_sql};
    pub use crate::fault::{StoreFault, StoreFaultKind};
    pub use crate::store_path::{ConnectionMode, StorePath, storage_error};
}
