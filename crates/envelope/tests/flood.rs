//! A hundred thousand forged messages: what the collector keeps stays under its cap, by its own account and by the system's.
//!
//! A process of its own, because what a process has had at most is all that the system tells.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

use std::time::Duration;
use war_rig_envelope::{
    Collector, CollectorLimits, Envelope, EnvelopeHeaders, EnvelopeId, MAX_HEADERS, Payload, Piece, PieceStatus,
    SplitOptions, SplitStrategy, TraceContext, split,
};

/// What may be kept.
const CAP: usize = 32 << 20;

/// How many messages come.
const MESSAGES: usize = 100_000;

/// How many of them, the last ones, have as many headers as there may be, and next to nothing in each: by bytes alone they would be taken for small.
const MANY_HEADERS: usize = 10_000;

fn envelope(id: &str, payload: String, headers: EnvelopeHeaders) -> Envelope {
    let trace = TraceContext::new([7; 16], [9; 8]).unwrap();
    let payload = Payload::text(payload).unwrap();
    let id = EnvelopeId::new(id).unwrap();
    Envelope { headers, ..Envelope::new(id, "somebody", "coordinator", "job", payload, trace) }
}

fn in_pieces(envelope: &Envelope, max_payload: usize) -> Vec<Piece> {
    split(envelope, SplitStrategy::Bytes, &SplitOptions { max_payload, ..SplitOptions::default() }).unwrap()
}

/// What the process has had at most, in bytes.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").trim().parse::<usize>().unwrap() * 1024)
}

#[test]
fn memory_stays_under_the_cap_in_a_flood_of_forged_messages() {
    let caps = CollectorLimits { groups: 8000, bytes: CAP, timeout: Duration::from_secs(300) };
    let mut collector = Collector::new(caps);
    // One of them is true, and has come further than those that follow.
    let original = envelope("true", "0123456789".repeat(30), EnvelopeHeaders::new());
    let pieces = in_pieces(&original, 100);
    collector.push(pieces[0].clone(), Duration::ZERO).unwrap();
    collector.push(pieces[2].clone(), Duration::ZERO).unwrap();
    let before = peak();
    let mut most = 0;
    let headers = EnvelopeHeaders::new().with("X-Large", "x".repeat(4000)).unwrap();
    let mut many = EnvelopeHeaders::new();
    (0..MAX_HEADERS).for_each(|_| many.add("x".to_owned(), "x".to_owned()).unwrap());
    for number in 0..MESSAGES {
        let id = format!("forged-{number}");
        let is_forged = number % 4 == 3 && number < MESSAGES - MANY_HEADERS;
        let message = match number % 4 {
            _ if number >= MESSAGES - MANY_HEADERS => {
                in_pieces(&envelope(&id, "x".repeat(9), many.clone()), 8).swap_remove(1)
            }
            // The first piece of many; one with large headers; a large one; one that is not what it says.
            0 => in_pieces(&envelope(&id, "x".repeat(80), EnvelopeHeaders::new()), 8).swap_remove(0),
            1 => in_pieces(&envelope(&id, "x".repeat(9), headers.clone()), 8).swap_remove(1),
            2 => in_pieces(&envelope(&id, "x".repeat(30_000), EnvelopeHeaders::new()), 20_000).swap_remove(0),
            _ => {
                let mut piece = in_pieces(&envelope(&id, "x".repeat(80), EnvelopeHeaders::new()), 8).swap_remove(3);
                piece.payload = "forged".into();
                piece
            }
        };
        let taken = collector.push(message, Duration::ZERO);
        assert_eq!(taken.is_err(), is_forged, "{number}: {taken:?}");
        most = most.max(collector.bytes());
        assert!(collector.bytes() <= CAP && collector.pending_count() <= caps.groups);
    }
    // It was full: else this says nothing.
    assert!(most > CAP - 100_000, "{most}");
    assert!(collector.evicted() > 50_000, "{}", collector.evicted());
    if let (Some(before), Some(after)) = (before, peak()) {
        // The account is above what it really took; what else was in memory at that time was a message or two.
        assert!(after - before <= CAP + (1 << 20), "{} bytes", after - before);
        assert!(after - before > CAP / 4, "{} bytes", after - before);
    }
    let last = collector.push(pieces[1].clone(), Duration::ZERO).unwrap();
    assert_eq!(last, PieceStatus::Complete(Box::new(original)));
}
