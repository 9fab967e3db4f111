//! Catalogues in memory, for rows that no document contains.

use super::write::VersionChange;
use super::{CatalogueEntry, schema, write};
use rusqlite::Connection;
use war_rig_store::sqlite::StoreFault;

/// Returns a catalogue with these entries, which are sorted by output folder.
pub(super) fn filled(entries: &[CatalogueEntry]) -> Result<Connection, StoreFault> {
    let connection = Connection::open_in_memory()?;
    let change = connection.unchecked_transaction()?;
    schema::make(&change)?;
    let mut version = VersionChange::default();
    for group in entries.chunk_by(|one, other| one.docs == other.docs) {
        let files: Vec<&str> = group.iter().map(|entry| entry.file.as_str()).collect();
        write::make_room(&change, &mut version, &group[0].docs, &files).map_err(refused)?;
    }
    for entry in entries {
        write::put(&change, &mut version, entry).map_err(refused)?;
    }
    version.write(&change)?;
    change.commit()?;
    Ok(connection)
}

/// Creates the fault for what does not fit in memory.
fn refused(kind: super::CatalogueErrorKind) -> StoreFault {
    StoreFault::refused(kind.to_string())
}
