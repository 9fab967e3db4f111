//! The tickets, as rows like all others: they are read from the store at one moment.

use super::error::CatalogueError;
use super::{CatalogueEntry, schema, write};
use crate::{CatalogueRow, DocumentRows, RowKind};
use rusqlite::Connection;
use std::collections::HashMap;
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
    let connection = filled(&status.tickets, &documents).map_err(failed)?;
    Ok((connection, reader.file()))
}

/// The names of the tickets' documents, by output folder and source.
type DocumentNames<'a> = HashMap<(&'a str, &'a str), &'a String>;

fn filled(tickets: &[TicketStatus], documents: &DocumentNames<'_>) -> Result<Connection, StoreFault> {
    let connection = Connection::open_in_memory()?;
    let change = connection.unchecked_transaction()?;
    schema::make(&change)?;
    for group in tickets.chunk_by(|one, other| one.output == other.output) {
        let files: Vec<&str> = group.iter().map(|ticket| ticket.file.as_str()).collect();
        write::make_room(&change, &group[0].output, &files).map_err(refused)?;
    }
    for ticket in tickets {
        let document = documents.get(&(ticket.output.as_str(), ticket.file.as_str()));
        write::put(&change, &entry(ticket, document.copied())).map_err(refused)?;
    }
    change.commit()?;
    Ok(connection)
}

/// Creates the fault for what does not fit in memory.
fn refused(kind: super::CatalogueErrorKind) -> StoreFault {
    StoreFault::refused(kind.to_string())
}

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
