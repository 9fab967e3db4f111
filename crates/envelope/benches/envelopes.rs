//! Throughput of budgeting, splitting and joining, in bytes of payload per second.
//!
//! `cargo bench -p war-rig-envelope --bench envelopes` prints a table. Each piece has a quarter of the payload, but a million bytes at most. Joining
//! covers the full work of a collector: hashing each piece and the whole payload, copying pending pieces, and validating the payload's kind.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::fmt::Write;
use std::time::Duration;
use war_rig_envelope::{
    Collector, CollectorLimits, Envelope, EnvelopeId, MAX_PAYLOAD_SIZE, Payload, Piece, PieceStatus, SplitOptions,
    SplitStrategy, TargetModel, TokenBudget, TraceContext, envelope_budget, split,
};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};

/// The payload sizes in bytes: 1 KB to 16 MB.
const SIZES: [usize; 4] = [1 << 10, 64 << 10, 1 << 20, 16 << 20];

fn main() {
    divan::main();
}

fn envelope(payload: Payload) -> Envelope {
    let trace = TraceContext::new([7; 16], [9; 8]).expect("the ids are not zeros");
    let id = EnvelopeId::new("bench").expect("it is an id");
    Envelope::new(id, "coordinator", "worker-1", "job", payload, trace)
}

/// Generates COBOL of that many bytes.
fn lines(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 80);
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        let _ = writeln!(text, "{number:06}     MOVE WS-TOTAL-{} TO OUT-TOTAL-{}.", number % 97, number % 13);
    }
    text.truncate(bytes);
    text
}

/// Generates a JSON array of rows, of that many bytes.
fn rows(bytes: usize) -> String {
    let mut json = String::with_capacity(bytes + 100);
    json.push('[');
    let mut number = 0;
    while json.len() < bytes {
        number += 1;
        let comma = if number > 1 { "," } else { "" };
        let _ = write!(json, r#"{comma}{{"line":{number},"text":"MOVE A TO B(1, 2).","tags":["a","b"]}}"#);
    }
    json.push(']');
    json
}

fn text(bytes: usize) -> Envelope {
    envelope(Payload::text(lines(bytes)).expect("it is text"))
}

fn json(bytes: usize) -> Envelope {
    envelope(Payload::json(rows(bytes)).expect("it is JSON"))
}

fn binary(bytes: usize) -> Envelope {
    envelope(Payload::bytes(lines(bytes)))
}

fn in_pieces(envelope: &Envelope) -> Vec<Piece> {
    let max_payload = (envelope.payload.len() / 4).min(MAX_PAYLOAD_SIZE);
    let options = SplitOptions { max_payload, ..SplitOptions::default() };
    split(envelope, SplitStrategy::Auto, &options).expect("it can be split")
}

fn splits(bencher: Bencher, envelope: &Envelope) {
    bencher.counter(BytesCount::new(envelope.payload.len())).bench(|| in_pieces(black_box(envelope)));
}

fn joins(bencher: Bencher, envelope: &Envelope) {
    let pieces = in_pieces(envelope);
    bencher.counter(BytesCount::new(envelope.payload.len())).with_inputs(|| pieces.clone()).bench_values(|pieces| {
        let mut collector = Collector::new(CollectorLimits::default());
        let mut whole = None;
        for piece in pieces {
            if let PieceStatus::Complete(joined) = collector.push(piece, Duration::ZERO).expect("the pieces are true") {
                whole = Some(joined);
            }
        }
        whole.expect("all pieces are there")
    });
}

#[divan::bench(args = SIZES)]
fn weigh_text(bencher: Bencher, bytes: usize) {
    let (envelope, counter) = (text(bytes), TokenCounter::new(TokenizerEncoding::O200kBase));
    let model = TargetModel::new("openai", "m", counter, TokenCount::new(200_000), 1.0).expect("the ratio is one");
    let budget = TokenBudget::default();
    bencher.counter(BytesCount::new(bytes)).bench(|| envelope_budget(black_box(&envelope), &model, &budget));
}

#[divan::bench(args = SIZES)]
fn split_text(bencher: Bencher, bytes: usize) {
    splits(bencher, &text(bytes));
}

#[divan::bench(args = SIZES)]
fn split_json(bencher: Bencher, bytes: usize) {
    splits(bencher, &json(bytes));
}

#[divan::bench(args = SIZES)]
fn split_bytes(bencher: Bencher, bytes: usize) {
    splits(bencher, &binary(bytes));
}

#[divan::bench(args = SIZES)]
fn join_text(bencher: Bencher, bytes: usize) {
    joins(bencher, &text(bytes));
}

#[divan::bench(args = SIZES)]
fn join_json(bencher: Bencher, bytes: usize) {
    joins(bencher, &json(bytes));
}

#[divan::bench(args = SIZES)]
fn join_bytes(bencher: Bencher, bytes: usize) {
    joins(bencher, &binary(bytes));
}
