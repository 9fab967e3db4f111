//! What holds of envelopes that go in pieces, whatever becomes of the pieces on the way.
//!
//! `WAR_RIG_CASES` sets how often each law is tried, and how many journeys there are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

mod any;
mod collector;
mod forged;
mod laws;
mod on_the_way;
mod routes;
mod sizes;

use std::time::Duration;
use war_rig_envelope::{
    Collector, CollectorLimits, Envelope, EnvelopeId, Payload, Piece, PieceStatus, SplitOptions, SplitStrategy,
    TraceContext, split,
};

const NOW: Duration = Duration::ZERO;

/// How often a law is tried.
fn cases(usual: u32) -> u32 {
    std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

fn envelope(id: &str, payload: Payload) -> Envelope {
    let trace = TraceContext::new([7; 16], [9; 8]).unwrap();
    Envelope::new(EnvelopeId::new(id).unwrap(), "coordinator", "worker-1", "job", payload, trace)
}

fn text(id: &str, text: impl Into<String>) -> Envelope {
    envelope(id, Payload::text(text.into()).unwrap())
}

fn at_most(max_payload: usize) -> SplitOptions {
    SplitOptions { max_payload, ..SplitOptions::default() }
}

/// An envelope of text in pieces of ten bytes.
fn tens(id: &str, pieces: usize) -> (Envelope, Vec<Piece>) {
    let envelope = text(id, "0123456789".repeat(pieces));
    let pieces = split(&envelope, SplitStrategy::Bytes, &at_most(10)).unwrap();
    (envelope, pieces)
}

fn small(groups: usize, bytes: usize) -> Collector {
    Collector::new(CollectorLimits { groups, bytes, timeout: Duration::from_secs(300) })
}

/// What comes out of pieces, in this order.
fn joined(pieces: impl IntoIterator<Item = Piece>) -> Vec<Envelope> {
    let mut collector = Collector::new(CollectorLimits::default());
    let mut whole = Vec::new();
    for piece in pieces {
        if let PieceStatus::Complete(envelope) = collector.push(piece, NOW).unwrap() {
            whole.push(*envelope);
        }
    }
    whole
}

fn set(piece: &mut Piece, name: &str, value: &str) {
    let header = piece.headers.iter_mut().find(|(known, _)| known == name);
    header.unwrap_or_else(|| panic!("no header `{name}`")).1 = value.to_owned();
}

fn get<'a>(piece: &'a Piece, name: &str) -> Option<&'a str> {
    piece.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
