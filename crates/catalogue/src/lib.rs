//! What is documented, as rows that can be searched.
//!
//! A [`RowKind`] is a table of such rows, with the [`FieldDefinition`]s that each of them has. [`document_rows`] takes a document apart into [`CatalogueRow`]s. A [`Query`]
//! asks for rows of one kind: by [`SearchWords`] that stand in them, by a [`Filter`] over their fields, in an [`RowOrder`]. A [`Catalogue`] keeps the rows in
//! SQLite, in a file beside the store's, and a [`CatalogueReader`] finds them; a [`SearchCursor`] is how far somebody has come through them. A [`CatalogueUpdater`] writes
//! the rows of documents while a run publishes these, and [`sync_catalogue`] makes up for what it could not write.
//!
//! # Where to begin
//!
//! - How the catalogue follows the documents: `updater.rs`: `CatalogueUpdater`, beside a run; then
//!   `sync.rs`, which makes up for what a run could not write; who starts both,
//!   `crates/cli/src/catalogue.rs`.
//! - What can be searched for, and by which fields: `row_fields.rs`; how a document becomes rows,
//!   `rows.rs`; the filter language, `filter.rs`; words and their ranking, `search_words.rs`.
//! - How rows are kept, found and paged through: `database.rs`; from a query to statements,
//!   `database/sql.rs`; where documents stand among each other, `database/positions.rs`.
//! - How a walk through the pages of a search is kept: `cursor.rs`.
//!
//! # What always holds
//!
//! **The catalogue can be made again.** It holds nothing that documents and tickets do not: `document` puts
//! each document's rows there after its files stand, and at the end holds the catalogue against the store,
//! so that a run which was killed leaves it behind at most. That is why it is a file of its own, and why it
//! is not brought to the disk as the store is.
//!
//! **A row's number is its place.** The position of its document, then its place in it. So pages follow
//! numbers, and nothing is sorted or passed over to find them. Positions leave room between documents; a
//! document that is written anew keeps its own. A page goes on after a row and not after a count, so that
//! rows which stay are found once whatever is written meanwhile; and it says that something was. Ranks of
//! words do not depend on other rows, for the same reason (bm25 does).
//!
//! **A walk moves when its page was read.** The state file is replaced, and its offset moved, after the
//! page was flushed and, into a pipe, taken.

mod cursor;
mod database;
mod filter;
mod query;
mod reference;
mod row;
mod row_fields;
mod row_kind;
mod rows;
mod search_words;
mod sync;
mod updater;

pub use cursor::{
    CURSOR_FOLDER, CursorError, CursorErrorKind, CursorPosition, CursorScope, MAX_IDLE_SECONDS, PrintedPage,
    SearchCursor,
};
pub use database::{
    CATALOGUE_FILE, Catalogue, CatalogueEntry, CatalogueError, CatalogueErrorKind, CatalogueReader,
    CatalogueVersion, FoundRow, IndexedDocument, PageStart, ResultPage, RowPosition,
};
pub use filter::{FieldComparison, FieldCondition, Filter, FilterError, FilterLiteral};
pub use query::{Query, QueryError, QueryHash, RawQuery, RowOrder};
pub use reference::fields_reference;
pub use row::{CatalogueRow, DocumentRows, Value};
pub use row_kind::{FieldDefinition, FieldRole, FieldType, RowKind, UnknownCatalogueName};
pub use rows::document_rows;
pub use search_words::{SearchColumns, SearchWords, SearchWordsError, Snippet, TOKENIZER};
pub use sync::{MissingFolder, SyncError, SyncOptions, SyncReport, rebuild_catalogue, sync_catalogue};
pub use updater::{CatalogueUpdater, StagedRows};
