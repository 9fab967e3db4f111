//! The catalogue: rows of what is documented, kept so that they are found in milliseconds.
//!
//! It stands in a file of its own beside the store, because all of it can be made again from the documents.

mod error;
mod found;

pub use error::{CatalogueError, CatalogueErrorKind};
pub use found::{CatalogueVersion, FoundRow, Page, RowPlace, Start};

use std::path::{Path, PathBuf};
use war_rig_catalogue::{Query, Rows};
use war_rig_text::ContentHash;

/// The name of the file.
pub const CATALOGUE: &str = "catalogue.db";

/// A catalogue that is written to. Several processes may do so at a time.
#[derive(Debug)]
pub struct Catalogue {}

/// The rows of a document that is to be found.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The folder of documents, by the name that the store knows it by.
    pub docs: String,
    /// The source that it is the document of.
    pub file: String,
    /// The name of the JSON document below the folder.
    pub document: String,
    /// The hash of the JSON document.
    pub hash: ContentHash,
    /// What is in it.
    pub rows: Rows,
}

/// A document that the catalogue knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// The folder of documents.
    pub docs: String,
    /// The source that it is the document of.
    pub file: String,
    /// The hash of the JSON document that its rows are of; none where it has a place and no rows yet.
    pub hash: Option<ContentHash>,
}

impl Catalogue {
    /// Opens the catalogue of a state folder, and makes an empty one where there is none, where it is damaged, and where another version of this program
    /// has made it: what it held is found again in the documents.
    ///
    /// # Errors
    /// [`CatalogueError`] when there is a file that is no catalogue, and when it cannot be written.
    pub fn open(folder: &Path) -> Result<Self, CatalogueError> {
        let _ = folder;
        todo!()
    }

    /// Gives the documents of these sources a place among the others, so that rows come in the order of the sources' names. The more are given at a time,
    /// the better.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be written; [`CatalogueErrorKind::NoRoom`] when it must be made anew, because no place is left between two
    /// documents.
    pub fn make_room(&self, docs: &str, files: &[&str]) -> Result<(), CatalogueError> {
        let _ = (docs, files);
        todo!()
    }

    /// Puts the rows of documents in the place of those that were there, all of them or none.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be written.
    pub fn put(&self, entries: &[Entry]) -> Result<(), CatalogueError> {
        let _ = entries;
        todo!()
    }

    /// Forgets the documents of these sources.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be written.
    pub fn remove(&self, docs: &str, files: &[&str]) -> Result<(), CatalogueError> {
        let _ = (docs, files);
        todo!()
    }

    /// The documents that it knows, in their order.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn documents(&self) -> Result<Vec<Indexed>, CatalogueError> {
        todo!()
    }

    /// Makes all of it anew: whoever reads meanwhile sees what was there before. What `fill` puts, is there when it has ended well.
    ///
    /// # Errors
    /// Those of `fill`, and [`CatalogueError`] when it cannot be written; the catalogue is as it was then.
    pub fn rebuild<E: From<CatalogueError>>(
        folder: &Path,
        fill: impl FnOnce(&Catalogue) -> Result<(), E>,
    ) -> Result<(), E> {
        let _ = (folder, fill);
        todo!()
    }
}

/// A catalogue, and for the tickets the store, that is only looked at, also while others write to it.
#[derive(Debug)]
pub struct CatalogueReader {}

impl CatalogueReader {
    /// Opens what is needed to look for rows of a kind.
    ///
    /// # Errors
    /// [`CatalogueError`] when there is none, when it is no catalogue, of another version or damaged, and when it cannot be read.
    pub fn open(folder: &Path, kind: war_rig_catalogue::Kind) -> Result<Self, CatalogueError> {
        let _ = (folder, kind);
        todo!()
    }

    /// The folders of documents that it knows.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn folders(&self) -> Result<Vec<String>, CatalogueError> {
        todo!()
    }

    /// How many rows a query has.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn count(&self, query: &Query) -> Result<u64, CatalogueError> {
        let _ = query;
        todo!()
    }

    /// The rows of a query from a place on, `limit` at the most. They are counted, unless `known` says how many there were in this version.
    ///
    /// # Errors
    /// [`CatalogueError`] when it cannot be read.
    pub fn page(
        &self,
        query: &Query,
        start: &Start,
        limit: u64,
        known: Option<(CatalogueVersion, u64)>,
    ) -> Result<Page, CatalogueError> {
        let _ = (query, start, limit, known);
        todo!()
    }

    /// Hands over all rows of a query but the first ones, as they were at one moment, and says how many rows it has in all.
    ///
    /// # Errors
    /// Those of `take`, and [`CatalogueError`] when it cannot be read.
    pub fn each<E: From<CatalogueError>>(
        &self,
        query: &Query,
        offset: u64,
        take: &mut dyn FnMut(FoundRow) -> Result<(), E>,
    ) -> Result<u64, E> {
        let _ = (query, offset, take);
        todo!()
    }

    /// The file that is read.
    pub fn file(&self) -> PathBuf {
        todo!()
    }
}
