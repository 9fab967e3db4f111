//! The tickets, as rows like all others: they are read from the store at one moment.

use super::error::CatalogueError;
use super::{CatalogueEntry, in_memory};
use crate::{CatalogueRow, DocumentRows, RowKind};
use foldhash::HashMap;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use war_rig_pool::StoreError;
use war_rig_store::sqlite::StoreFault;
use war_rig_store::{StatusQuery, StoreReader, TicketStatus};
use war_rig_text::ContentHash;

/// Returns a catalogue in memory that contains only the tickets of a store, with the store's file.
pub(super) fn read(folder: &Path) -> Result<(Connection, PathBuf), CatalogueError> {
    let reader = StoreReader::open(folder)?;
    let status = reader.status(StatusQuery::default())?;
    let documents = reader.documents()?;
    let documents = documents.iter().map(|known| ((known.output.as_str(), known.file.as_str()), &known.json.name));
    let documents: DocumentNames<'_> = documents.collect();
    let failed = |fault: StoreFault| -> StoreError { fault.into_store_error(&reader.file()) };
    let entries: Vec<CatalogueEntry> = status
        .tickets
        .iter()
        .map(|ticket| entry(ticket, documents.get(&(ticket.output.as_str(), ticket.file.as_str())).copied()))
        .collect();
    let connection = in_memory::filled(&entries).map_err(failed)?;
    Ok((connection, reader.file()))
}

/// The names of the tickets' documents, by output folder and source.
type DocumentNames<'a> = HashMap<(&'a str, &'a str), &'a String>;

fn entry(ticket: &TicketStatus, document: Option<&String>) -> CatalogueEntry {
    let row = CatalogueRow::new(RowKind::Tickets)
        .with("name", ticket.file.as_str())
        .with("file", ticket.file.as_str())
        .with("state", ticket.state.to_string())
        .with("reason", ticket.reason.as_str())
        .with("attempts", ticket.attempts);
    let name = document.map(String::as_str).unwrap_or_default();
    let told = format!("{}\n{}\n{name}\n{}", ticket.state, ticket.attempts, ticket.reason);
    CatalogueEntry {
        docs: ticket.output.clone(),
        file: ticket.file.clone(),
        document: document.cloned(),
        hash: ContentHash::of(told.as_bytes()),
        rows: DocumentRows::from([(RowKind::Tickets, vec![row])]),
    }
}
