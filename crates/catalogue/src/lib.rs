//! What is documented, as rows that can be searched.
//!
//! A [`RowKind`] is a table of such rows, with the [`FieldDefinition`]s that each of them has. [`document_rows`] takes a document apart into [`CatalogueRow`]s. A [`Query`]
//! asks for rows of one kind: by [`SearchWords`] that stand in them, by a [`Filter`] over their fields, in an [`RowOrder`]. A [`Catalogue`] keeps the rows in
//! SQLite, in a file beside the store's, and a [`CatalogueReader`] finds them; a [`SearchCursor`] is how far somebody has come through them. A [`CatalogueUpdater`] writes
//! the rows of documents while a run publishes these, and [`sync_catalogue`] makes up for what it could not write.

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
