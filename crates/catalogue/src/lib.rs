//! What is documented, as rows that can be searched.
//!
//! A [`Kind`] is a table of such rows, with the [`Field`]s that each of them has. [`rows_of`] takes a document apart into [`Row`]s. A [`Query`]
//! asks for rows of one kind: by [`Words`] that stand in them, by a [`Filter`] over their fields, in an [`Order`]. A [`Catalogue`] keeps the rows in
//! SQLite, in a file beside the store's, and a [`CatalogueReader`] finds them; a [`Walk`] is how far somebody has come through them. A [`Keeper`] writes
//! the rows of documents while a run publishes these, and [`up_to_date`] makes up for what it could not write.

mod bring_up;
mod database;
mod filter;
mod keeper;
mod kind;
mod kinds;
mod query;
mod reference;
mod row;
mod rows;
mod walk;
mod words;

pub use bring_up::{Brought, Ends, Gone, UpdateOptions, anew, up_to_date};
pub use database::{
    CATALOGUE, Catalogue, CatalogueError, CatalogueErrorKind, CatalogueReader, CatalogueVersion, Entry,
    FoundRow, Indexed, Page, RowPlace, Start,
};
pub use filter::{Comparison, Condition, Filter, FilterError, Literal};
pub use keeper::{HeldRows, Keeper};
pub use kind::{Field, FieldType, Kind, Part, UnknownName};
pub use query::{Asked, Order, Query, QueryError, QueryHash};
pub use reference::fields_reference;
pub use row::{Row, Rows, Value};
pub use rows::rows_of;
pub use walk::{DISUSED, Printed, WALKS, Walk, WalkError, WalkErrorKind, WalkOf, WalkPosition};
pub use words::{Columns, Snippet, TOKENIZER, Words, WordsError};
