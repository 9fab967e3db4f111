//! Documents of sources that are not COBOL. They need no Scribe: they contain only the parsers' facts in words.

mod comments;
mod conditions;
mod copies;
mod databases;
mod dd_checks;
mod dds;
mod definitions;
mod job_data;
mod jobs;
mod maps;
mod sorts;
mod statements;
mod steps;
mod tables;
mod writer;

pub(crate) use jobs::restart_sentence;

use crate::phrases::{list, sentence};
use war_rig_estate::{AssemblerSource, EstateGraph, NodeId, ParsedNonCobol};
use war_rig_template::{
    ChunkRecord, ChunkStatus, Coverage, Document, DocumentHeader, DocumentItem, ProgramUnit, Purpose,
};
use war_rig_text::{LineRange, SourceText, member_name};
use writer::NonCobolWriter;

/// Builds the document of a source that is not COBOL. The graph shows who uses what it defines.
pub fn describe_non_cobol(source: &SourceText, found: &ParsedNonCobol, graph: &EstateGraph) -> Document {
    let mut document = Document::new(DocumentHeader::of(source, found.kind().as_str(), "static"));
    let Some(lines) = source.line_range() else { return document };
    let writer = NonCobolWriter { source, graph, lines };
    match found {
        ParsedNonCobol::Jcl(jcl) => writer.job_control(jcl, &mut document),
        ParsedNonCobol::Bms(bms) => writer.maps(bms, &mut document),
        ParsedNonCobol::Csd(csd) => writer.csd(csd, &mut document),
        ParsedNonCobol::Ddl(ddl) => writer.ddl(ddl, &mut document),
        ParsedNonCobol::Ims(ims) => writer.ims(ims, &mut document),
        ParsedNonCobol::Assembler(assembler) => writer.assembler(assembler, &mut document),
    }
    writer.diagnostics(found.diagnostics(), &mut document);
    document.coverage = Coverage {
        lines: lines.count(),
        documented: lines.count(),
        cited: document.cited_lines(lines.count()),
        ..Coverage::default()
    };
    let totals = document.citation_totals();
    document.chunks.push(ChunkRecord {
        chunk_id: format!("{}-001", member_name(source.name())),
        lines,
        status: ChunkStatus::Complete,
        confidence: match totals.all() {
            0 => 1.0,
            all => totals.verified as f64 / all as f64,
        },
        notes: Vec::new(),
    });
    document
}

impl NonCobolWriter<'_> {
    /// Describes assembler programs: their names and their callers.
    fn assembler(&self, assembler: &AssemblerSource, document: &mut Document) {
        let programs = &assembler.programs;
        for (place, program) in programs.iter().enumerate() {
            let next = programs.get(place + 1).and_then(|next| next.line.previous());
            let end = next.unwrap_or(self.lines.end()).max(program.line);
            document.programs.push(ProgramUnit {
                program_id: program.name.clone(),
                lines: LineRange::spanning(program.line, end),
                summary: "Written in assembler, which is not read.".to_owned(),
            });
        }
        let names: Vec<String> = programs.iter().map(|program| program.name.clone()).collect();
        document.header.program_id = names.first().cloned();
        let nodes: Vec<NodeId> = names.iter().map(|name| self.graph.program_in(self.source.name(), name)).collect();
        document.calling_context.called_by = self.graph.callers(&nodes);
        document.calling_context.entry_points = names.clone();
        let mut sentences = Vec::new();
        sentences
            .extend(comments::at_the_top(self.source, &["*"]).map(|said| comments::quoted(&said, "its own comment")));
        sentences.push(format!("{}, written in assembler, which is not read", list(&names)));
        let citations =
            programs.first().map(|program| self.cite(LineRange::single(program.line), &[program.name.as_str()]));
        document.purpose = purpose(sentences, "assembler program", citations.unwrap_or_default());
    }
}

/// Describes in sentences what a source is.
fn purpose(sentences: Vec<String>, kind: &str, citations: Vec<war_rig_template::Citation>) -> DocumentItem<Purpose> {
    let body = Purpose {
        summary: sentences.iter().map(|text| sentence(text)).collect::<Vec<_>>().join(" "),
        program_type: kind.to_owned(),
        ..Purpose::default()
    };
    DocumentItem::parsed(body, citations)
}

#[cfg(test)]
mod tests;
