//! The document of a source from the parser alone, against which `check` compares existing documents.

use crate::load::{GENERATED, NonCobolSource, ParsedSource};
use crate::secrets::SecretPolicy;
use std::sync::Arc;
use war_rig_cobol::{CopybookLibrary, DataItem, LexedSource, NoCopybooks, ParseOptions, parse_with};
use war_rig_estate::bms::{BmsSource, symbolic_copybook};
use war_rig_estate::{EstateGraph, ParsedNonCobol};
use war_rig_merger::{Author, ChunkOutcome, FileContext, data_dictionary, merge};
use war_rig_scribe::{ChunkFacts, FileFacts, Scribe, StaticScribe, describe_non_cobol};
use war_rig_secrets::FoundSecret;
use war_rig_template::{CallingContext, ChunkRecord, ChunkStatus, Document};
use war_rig_text::{LineRange, SourceText};

/// Returns the document that the static Scribe would write for a COBOL source, cut like `chunks`. If `chunks` do not tile all of its lines in
/// order, the document has one chunk and no token is counted. `context` is the source's context in the estate.
pub fn expected_cobol_document(
    prepared: &ParsedSource,
    policy: SecretPolicy,
    context: CallingContext,
    chunks: &[ChunkRecord],
    copybooks: &dyn CopybookLibrary,
) -> Document {
    let ParsedSource { source, analysis, secrets, .. } = prepared;
    let documented = prepared.documented_copybooks(copybooks);
    let facts = FileFacts::new(source, analysis);
    let told = |lines| StaticScribe.parser_template(&ChunkFacts::new(&facts, lines));
    let outcome: Vec<ChunkOutcome> = match source.line_range() {
        Some(all) if is_tiled(all, chunks) => chunks
            .iter()
            .map(|chunk| {
                let words = (chunk.status != ChunkStatus::Failed).then(|| told(chunk.lines));
                ChunkOutcome::new(chunk.chunk_id.clone(), chunk.lines, words)
            })
            .collect(),
        all => all.into_iter().map(|all| ChunkOutcome::new(String::new(), all, Some(told(all)))).collect(),
    };
    let author = Author { produced_by: StaticScribe.produced_by(), is_parser_only: true };
    let estate = FileContext { context, overview: None, documented };
    let mut document = merge(source, analysis, &outcome, author, &estate);
    add_secret_notes(&mut document, secrets, policy);
    document
}

/// Whether chunks tile these lines in order.
fn is_tiled(all: LineRange, chunks: &[ChunkRecord]) -> bool {
    let follow = chunks.windows(2).all(|pair| pair[0].lines.end().saturating_add(1) == pair[1].lines.start());
    let (first, last) = (chunks.first(), chunks.last());
    follow
        && first.is_some_and(|first| first.lines.start() == all.start())
        && last.is_some_and(|last| last.lines.end() == all.end())
}

/// Returns the document of a source that is not COBOL.
pub fn expected_non_cobol_document(
    surrounding: &NonCobolSource,
    policy: SecretPolicy,
    graph: &EstateGraph,
) -> Document {
    let mut document = describe_non_cobol(&surrounding.source, &surrounding.found, graph);
    if let ParsedNonCobol::Bms(found) = &surrounding.found
        && document.map_sets.iter().all(|set| set.copybook.is_none())
    {
        // Programs that copy them refer to this document.
        document.data_dictionary = data_dictionary(&symbolic_items(found));
    }
    add_secret_notes(&mut document, &surrounding.secrets, policy);
    document
}

/// Returns the items of the copybook that is generated from map sets.
fn symbolic_items(maps: &BmsSource) -> Vec<DataItem> {
    let copybook = SourceText::read("symbolic maps", symbolic_copybook(maps).into_bytes(), &GENERATED);
    let copybook = copybook.expect("a generated text is UTF-8");
    let mut lexed = LexedSource::of(&copybook);
    lexed.fold_lines(copybook.line_count() / 2);
    parse_with(&Arc::new(lexed), &NoCopybooks, &ParseOptions::default()).data_items
}

/// Notes in a document which secrets its source contains.
pub(crate) fn add_secret_notes(document: &mut Document, secrets: &[FoundSecret], policy: SecretPolicy) {
    let note = |secret: &FoundSecret| format!("line {}: {}", secret.line(), policy.notice(secret));
    document.header.notes.extend(secrets.iter().map(note));
}
