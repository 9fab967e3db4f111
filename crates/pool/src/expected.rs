//! What the document of a source says when the parser alone speaks, which is what a check holds documents against.

use crate::read::{Prepared, Surrounding};
use crate::secrets::SecretPolicy;
use war_rig_cobol::Secret;
use war_rig_estate::EstateGraph;
use war_rig_merger::{Author, ChunkOutcome, Estate, merge};
use war_rig_scribe::{ChunkFacts, FileFacts, Scribe, StaticScribe, describe};
use war_rig_template::{CallingContext, Document};

/// The document that the static Scribe would write of a COBOL source, but for its chunks: it is written as one, without counting a token.
/// `context` is what the estate says of the source.
pub fn expected_of_cobol(prepared: &Prepared, policy: SecretPolicy, context: CallingContext) -> Document {
    let Prepared { source, parsed, flow, secrets, .. } = prepared;
    let outcome = source.all_lines().map(|lines| {
        let facts = FileFacts::new(source, parsed, flow);
        let told = StaticScribe.known(&ChunkFacts::new(&facts, lines));
        ChunkOutcome::new(String::new(), lines, Some(told))
    });
    let author = Author { produced_by: StaticScribe.produced_by(), speaks_for_the_parser: true };
    let estate = Estate { context, purpose: None };
    let outcomes: Vec<ChunkOutcome> = outcome.into_iter().collect();
    let mut document = merge(source, parsed, flow, &outcomes, author, &estate);
    note_secrets(&mut document, secrets, policy);
    document
}

/// The document of a source that is no COBOL.
pub fn expected_of_surrounding(
    surrounding: &Surrounding,
    policy: SecretPolicy,
    graph: &EstateGraph,
) -> Document {
    let mut document = describe(&surrounding.source, &surrounding.found, graph);
    note_secrets(&mut document, &surrounding.secrets, policy);
    document
}

/// Says in a document which secrets its source holds.
pub(crate) fn note_secrets(document: &mut Document, secrets: &[Secret], policy: SecretPolicy) {
    let note = |secret: &Secret| format!("line {}: {}", secret.line(), policy.notice(secret));
    document.header.notes.extend(secrets.iter().map(note));
}
