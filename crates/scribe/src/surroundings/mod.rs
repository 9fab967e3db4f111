//! Documents of what stands around COBOL. No Scribe is asked: everything in them is the readers' fact, in their words.

use war_rig_estate::{EstateGraph, Surroundings};
use war_rig_template::{ChunkRecord, ChunkStatus, Coverage, Document, Header, Status};
use war_rig_text::SourceText;

/// The document of a source that is no COBOL. The graph says who uses what it defines.
pub fn describe(source: &SourceText, found: &Surroundings, _graph: &EstateGraph) -> Document {
    let mut document = Document::new(Header {
        program_id: None,
        file_name: source.name().to_owned(),
        file_type: found.kind().as_str().to_owned(),
        produced_by: "static".to_owned(),
        source_hash: source.hash(),
        status: Status::Complete,
        format: source.format().as_str().to_owned(),
        encoding: source.encoding().as_str().to_owned(),
        notes: source.notes().iter().map(ToString::to_string).collect(),
    });
    if let Some(lines) = source.all_lines() {
        document.chunks.push(ChunkRecord {
            chunk_id: format!("{}-001", stem(source.name())),
            lines,
            status: ChunkStatus::Complete,
            confidence: 1.0,
            notes: Vec::new(),
        });
        document.coverage =
            Coverage { lines: lines.count(), documented: lines.count(), ..Coverage::default() };
    }
    document
}

fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
