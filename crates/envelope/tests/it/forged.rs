//! Pieces that are not what they say: each is refused by its own error, and poisons nothing.

use super::*;
use war_rig_envelope::{IntegrityError, PieceError};
use war_rig_text::ContentHash;

/// A group of four whose third piece is forged: it is refused in these words, and the true four come out all the same, whether it comes before them or among them.
fn refused(name: &str, value: &str, words: &str) {
    let (envelope, pieces) = tens("e1", 4);
    let mut forged = pieces[2].clone();
    set(&mut forged, name, value);
    check(&envelope, &pieces, &forged, words);
}

fn check(envelope: &Envelope, pieces: &[Piece], forged: &Piece, words: &str) {
    for before in 0..pieces.len() {
        let mut collector = Collector::new(CollectorLimits::default());
        let mut whole = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            if at == before {
                let (waiting, bytes) = (collector.pending_count(), collector.bytes());
                let error = collector.push(forged.clone(), NOW).unwrap_err();
                assert_eq!(error.to_string(), words);
                assert_eq!((collector.pending_count(), collector.bytes()), (waiting, bytes), "{words}");
            }
            if let PieceStatus::Complete(envelope) = collector.push(piece.clone(), NOW).unwrap() {
                whole.push(*envelope);
            }
        }
        assert_eq!(whole, std::slice::from_ref(envelope), "{words}");
    }
}

const HEADERS: &str = "the headers of envelope `e1` are not those that its hash was made of";

#[test]
fn whatever_describes_the_envelope_is_held_against_the_id_of_the_group() {
    for (name, value) in [
        ("X-Source", "somebody"),
        ("X-Destination", "worker-2"),
        ("X-Message-Type", "done"),
        ("X-Payload-Kind", "bytes"),
        ("X-Envelope-Span", "0000000000000001"),
        ("traceparent", "00-00000000000000000000000000000001-0000000000000001-01"),
        ("X-Chunk-ID", &"0".repeat(64)),
        ("X-Chunk-Total", "5"),
        ("X-Chunk-Total", "3"),
        ("X-Chunk-Total", "65536"),
        ("X-Chunk-Whole", &"0".repeat(64)),
        ("X-Chunk-Length", "39"),
        ("X-Chunk-Layout", &"0".repeat(64)),
        ("X-Chunk-Strategy", "json"),
    ] {
        refused(name, value, HEADERS);
    }
    refused("X-Envelope-ID", "e2", &HEADERS.replace("e1", "e2"));
    let (envelope, pieces) = tens("e1", 4);
    let mut forged = pieces[2].clone();
    forged.headers.push(("X-Program".to_owned(), "PAYROLL".to_owned()));
    check(&envelope, &pieces, &forged, HEADERS);
}

#[test]
fn values_that_could_not_have_been_written_are_refused() {
    for (name, value) in [
        ("X-Chunk-Total", "1"),
        ("X-Chunk-Total", "0"),
        ("X-Chunk-Total", "65537"),
        ("X-Chunk-Total", "04"),
        ("X-Chunk-Total", "+4"),
        ("X-Chunk-Total", "4294967300"),
        ("X-Chunk-Total", "99999999999999999999999"),
        ("X-Chunk-Index", "4"),
        ("X-Chunk-Index", "-1"),
        ("X-Chunk-Length", "x"),
        ("X-Chunk-Hash", "0"),
        ("X-Chunk-Strategy", "auto"),
        ("X-Envelope-ID", "a.b"),
        ("X-Envelope-ID", ""),
        ("X-Envelope-Span", "0000000000000000"),
        ("traceparent", "00-00000000000000000000000000000001-0000000000000001-00"),
        ("X-Payload-Kind", "JSON"),
        ("X-Source", ""),
    ] {
        refused(name, value, &format!("the header `{name}` cannot be `{value}`"));
    }
    let (envelope, pieces) = tens("e1", 4);
    let refused = |forged: &Piece, words| check(&envelope, &pieces, forged, words);
    let with = |name: &str, value: &str| {
        let mut forged = pieces[2].clone();
        forged.headers.push((name.to_owned(), value.to_owned()));
        forged
    };
    let without = |name: &str| {
        let mut forged = pieces[2].clone();
        forged.headers.retain(|(known, _)| known != name);
        forged
    };
    refused(&with("X-Chunk-Overlap", "3"), "the header `X-Chunk-Overlap` has no meaning here");
    refused(&with("X-Chunk-Other", "3"), "the header `X-Chunk-Other` has no meaning here");
    refused(&with("x-chunk-total", "4"), "the header `x-chunk-total` has no meaning here");
    refused(&with("X-Envelope-Hash", &"0".repeat(64)), "the header `X-Envelope-Hash` has no meaning here");
    refused(&with("X-Envelope-Part-Of", "e0"), "the header `X-Envelope-Part-Of` has no meaning here");
    refused(&with("X-Envelope-Part", "3/2"), "the header `X-Envelope-Part` cannot be `3/2`");
    refused(&with("X-Chunk-Total", "4"), "the header `X-Chunk-Total` is there more than once");
    refused(&without("X-Chunk-Index"), "the header `X-Chunk-Index` is missing");
    refused(&without("traceparent"), "the header `traceparent` is missing");
    // A piece without its id would be an envelope.
    refused(&without("X-Chunk-ID"), "the header `X-Envelope-Hash` is missing");
}

#[test]
fn bytes_that_were_changed_are_refused() {
    let (envelope, pieces) = tens("e1", 4);
    let mut forged = pieces[2].clone();
    forged.payload = "0123456780".into();
    let words = "the bytes of a piece of envelope `e1` are not those that its hash was made of";
    check(&envelope, &pieces, &forged, words);
    let (_, single) = tens("e1", 1);
    let mut forged = single[0].clone();
    forged.payload = "0123456780".into();
    let words = "the headers or the payload of envelope `e1` are not those that its hash was made of";
    check(&envelope, &pieces, &forged, words);
    let mut forged = single[0].clone();
    set(&mut forged, "X-Destination", "worker-2");
    check(&envelope, &pieces, &forged, words);
}

/// A piece with other bytes and the hash that they have: nothing about it alone is wrong.
fn put_in_place(piece: &Piece, payload: &'static str) -> Piece {
    let mut forged = piece.clone();
    forged.payload = payload.into();
    set(&mut forged, "X-Chunk-Hash", &ContentHash::of(payload.as_bytes()).to_string());
    forged
}

#[test]
fn a_piece_in_place_of_another_makes_an_error_and_no_wrong_payload() {
    let (envelope, pieces) = tens("e1", 4);
    let forged = put_in_place(&pieces[2], "9876543210");
    let mut collector = Collector::new(CollectorLimits::default());
    collector.push(pieces[2].clone(), NOW).unwrap();
    // Behind the true one it is a conflict, and the true one stays.
    let conflict = collector.push(forged.clone(), NOW).unwrap_err();
    assert!(matches!(conflict, PieceError::Conflict { index: 2, .. }), "{conflict}");
    for (at, piece) in [(0, &pieces[0]), (1, &pieces[1])] {
        assert_eq!(collector.push(piece.clone(), NOW).unwrap(), PieceStatus::Incomplete { have: at + 2, total: 4 });
    }
    assert_eq!(collector.push(pieces[3].clone(), NOW).unwrap(), PieceStatus::Complete(Box::new(envelope.clone())));

    // Before it, the whole group is an error at its end.
    let mut collector = Collector::new(CollectorLimits::default());
    for piece in [&forged, &pieces[0], &pieces[1]] {
        collector.push(piece.clone(), NOW).unwrap();
    }
    assert!(matches!(collector.push(pieces[2].clone(), NOW), Err(PieceError::Conflict { .. })));
    let wrong = collector.push(pieces[3].clone(), NOW).unwrap_err();
    assert!(matches!(wrong, PieceError::Integrity { source: IntegrityError::Layout, .. }), "{wrong}");
    assert_eq!((collector.pending_count(), collector.bytes()), (0, 0));
    // It is forgotten: sent again, it comes out.
    let again: Vec<_> = pieces.iter().map(|piece| collector.push(piece.clone(), NOW).unwrap()).collect();
    assert_eq!(again[3], PieceStatus::Complete(Box::new(envelope)));
}

#[test]
fn envelopes_that_are_alike_are_told_apart_and_one_sent_again_is_the_same() {
    let ids = |envelope: &Envelope, limit| -> Vec<String> {
        let pieces = split(envelope, SplitStrategy::Bytes, &at_most(limit)).unwrap();
        pieces.iter().map(|piece| get(piece, "X-Chunk-ID").unwrap().to_owned()).collect()
    };
    let (envelope, _) = tens("e1", 4);
    let first = ids(&envelope, 10);
    assert!(first.iter().all(|id| *id == first[0]));
    assert_eq!(ids(&envelope, 10), first);
    // Another envelope with the same payload, the same envelope with another payload, and the same cut otherwise are other groups.
    let (equal, _) = tens("e2", 4);
    let mut changed = envelope.clone();
    changed.payload = Payload::text("1123456789".to_owned() + &"0123456789".repeat(3)).unwrap();
    for other in [ids(&equal, 10), ids(&changed, 10), ids(&envelope, 11), ids(&envelope, 12)] {
        assert_ne!(other[0], first[0]);
    }
    // Both of one number of pieces, which would else be mixed.
    assert_eq!((ids(&envelope, 11).len(), ids(&envelope, 10).len()), (4, 4));
}

#[test]
fn each_piece_is_a_span_of_its_own_and_the_original_comes_back() {
    let (envelope, pieces) = tens("e1", 4);
    let spans: Vec<_> = pieces.iter().map(|piece| get(piece, "traceparent").unwrap()).collect();
    let traces: Vec<_> = spans.iter().map(|span| TraceContext::parse(span).unwrap()).collect();
    assert!(traces.iter().all(|trace| trace.trace_id() == envelope.trace.trace_id()));
    for (at, trace) in traces.iter().enumerate() {
        assert!(*trace != envelope.trace && !traces[..at].contains(trace));
    }
    assert_eq!(joined(pieces)[0].trace, envelope.trace);
}
