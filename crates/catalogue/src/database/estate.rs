//! The functions and entry points, as rows like all others: they are read from the `estate.json` of each output folder.

use super::error::CatalogueError;
use super::{CatalogueEntry, in_memory};
use crate::{CatalogueRow, DocumentRows, RowKind};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use war_rig_store::StoreReader;
use war_rig_template::{ESTATE_JSON, EntryPointEntry, EstateOverview, FunctionEntry};
use war_rig_text::ContentHash;

/// Returns a catalogue in memory that contains only what is known of whole estates, with the store's file. A folder without such a file, or with one that
/// cannot be read, has no rows.
pub(super) fn read(
    folder: &Path,
    folder_of: &dyn Fn(&str) -> PathBuf,
) -> Result<(Connection, PathBuf), CatalogueError> {
    let reader = StoreReader::open(folder)?;
    let outputs: BTreeSet<String> = reader.documents()?.into_iter().map(|known| known.output).collect();
    let entries: Vec<CatalogueEntry> = outputs
        .into_iter()
        .filter_map(|docs| {
            let bytes = std::fs::read(folder_of(&docs).join(ESTATE_JSON)).ok()?;
            let overview: EstateOverview = serde_json::from_slice(&bytes).ok()?;
            Some(entry(docs, &overview, ContentHash::of(&bytes)))
        })
        .collect();
    let connection = in_memory::filled(&entries).map_err(|fault| fault.into_store_error(&reader.file()))?;
    Ok((connection, reader.file()))
}

fn entry(docs: String, overview: &EstateOverview, hash: ContentHash) -> CatalogueEntry {
    let rows = DocumentRows::from([
        (RowKind::Functions, overview.functions.iter().map(function).collect()),
        (RowKind::EntryPoints, overview.entry_points.iter().map(entry_point).collect()),
    ]);
    let file = ESTATE_JSON.to_owned();
    CatalogueEntry { docs, document: Some(file.clone()), file, hash, rows }
}

fn function(entry: &FunctionEntry) -> CatalogueRow {
    let sentences: Vec<&str> = entry.summary.iter().map(|sentence| sentence.text.as_str()).collect();
    CatalogueRow::new(RowKind::Functions)
        .with("name", entry.name.as_str())
        .with("summary", Some(sentences.join(" ")).filter(|summary| !summary.is_empty()))
        .with("programs", entry.programs.clone())
        .with("entry_points", entry.entry_points.clone())
        .with("own_data", entry.own_data.clone())
        .with("shared_data", entry.shared_data.clone())
        .with("named_by", entry.named_by.as_str())
        .with("page", entry.page.as_str())
}

fn entry_point(entry: &EntryPointEntry) -> CatalogueRow {
    CatalogueRow::new(RowKind::EntryPoints)
        .with("name", entry.name.as_str())
        .with("kind", entry.kind.as_str())
        .with("programs", entry.programs.clone())
        .with("function", entry.function.clone())
        .with("purpose", entry.purpose.as_str())
        .with("page", entry.page.as_str())
        .with("file", entry.file.clone())
        .with("line", entry.line.map(|line| line.get()))
}
