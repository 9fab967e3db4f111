//! The contents of all documents, as rows that can be searched.
//!
//! A [`RowKind`] is a table of such rows, and [`FieldDefinition`]s describe its fields. [`document_rows`] splits a document into [`CatalogueRow`]s. A
//! [`Query`] selects rows of one kind: by [`SearchWords`] in them, by a [`Filter`] over their fields, in a [`RowOrder`]. A [`Catalogue`] stores the
//! rows in SQLite, in a file next to the store, and a [`CatalogueReader`] finds them; a [`SearchCursor`] records the progress through a search. A
//! [`CatalogueUpdater`] writes the rows of documents as a run publishes them, and [`sync_catalogue`] adds what it could not write.
//!
//! # Where to begin
//!
//! - How the catalogue follows the documents: `updater.rs`: `CatalogueUpdater`, during a run; then
//!   `sync.rs`, which adds what a run could not write. What starts both:
//!   `crates/cli/src/catalogue.rs`.
//! - What can be searched, and by which fields: `row_fields.rs`. How a document becomes rows:
//!   `rows.rs`. The filter language: `filter.rs`. Words and their ranking: `search_words.rs`.
//! - How rows are stored, found and paged: `database.rs`. From a query to statements:
//!   `database/sql.rs`. The order of documents: `database/positions.rs`.
//! - How the progress through the pages of a search is stored: `cursor.rs`.
//!
//! # What always holds
//!
//! **The catalogue can be rebuilt.** It contains nothing that documents and tickets do not: `document` adds
//! each document's rows after its files are published, and at the end compares the catalogue with the store.
//! So a killed run at most leaves it incomplete. That is why it has its own file, and why it is not synced to
//! the disk as the store is.
//!
//! **A row's number is its position.** The number consists of its document's position and its index in the
//! document. So pages follow numbers, and finding them needs no sorting or skipping. Positions leave room
//! between documents; a rewritten document keeps its own. A page continues after a row and not after a count,
//! so each remaining row is returned exactly once even if rows are written meanwhile, and the page reports such writes.
//! For the same reason, ranks of words do not depend on other rows (bm25 does).
//!
//! **A cursor advances after its page was read.** Its state file is replaced, with its new offset, after the
//! page was flushed and, if written to a pipe, taken.

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
    CATALOGUE_FILE, Catalogue, CatalogueEntry, CatalogueError, CatalogueErrorKind, CatalogueReader, CatalogueVersion,
    FoundRow, IndexedDocument, PageStart, ResultPage, RowPosition,
};
pub use filter::{FieldComparison, FieldCondition, Filter, FilterError, FilterLiteral};
pub use query::{Query, QueryError, QueryHash, QueryIssue, RawQuery, RowOrder};
pub use reference::fields_reference;
pub use row::{CatalogueRow, DocumentRows, Value};
pub use row_kind::{FieldDefinition, FieldIndex, FieldRole, FieldType, RowKind, UnknownCatalogueName};
pub use rows::{document_rows, rows_of_kinds};
pub use search_words::{SearchColumns, SearchWords, Snippet, TOKENIZER};
pub use sync::{MissingFolder, SyncError, SyncOptions, SyncReport, rebuild_catalogue, sync_catalogue};
pub use updater::{CatalogueUpdater, StagedRows};
