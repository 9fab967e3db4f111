//! Room, time and duplicates.

use super::*;
use war_rig_envelope::{EnvelopeHeaders, HeaderError, MAX_HEADERS, PieceError, WireError};

fn take(collector: &mut Collector, piece: &Piece) -> Result<PieceStatus, PieceError> {
    collector.push(piece.clone(), NOW)
}

fn waits(collector: &mut Collector, piece: &Piece) {
    assert!(matches!(take(collector, piece), Ok(PieceStatus::Incomplete { .. })));
}

#[test]
fn a_duplicate_never_completes_a_group_nor_begins_one_anew() {
    let (envelope, pieces) = tens("e1", 3);
    let mut collector = Collector::new(CollectorLimits::default());
    assert_eq!(take(&mut collector, &pieces[0]).unwrap(), PieceStatus::Incomplete { have: 1, total: 3 });
    for _ in 0..3 {
        assert_eq!(take(&mut collector, &pieces[0]).unwrap(), PieceStatus::Duplicate);
    }
    assert_eq!(take(&mut collector, &pieces[2]).unwrap(), PieceStatus::Incomplete { have: 2, total: 3 });
    assert_eq!(take(&mut collector, &pieces[1]).unwrap(), PieceStatus::Complete(Box::new(envelope.clone())));
    for (index, piece) in (0..).zip(&pieces) {
        let completed = PieceStatus::AlreadyComplete { id: envelope.id.clone(), index };
        assert_eq!(take(&mut collector, piece).unwrap(), completed);
    }
    assert_eq!(collector.pending_count(), 0);
}

#[test]
fn what_is_remembered_of_completed_groups_has_a_cap() {
    let mut collector = small(1, 1 << 20);
    let groups: Vec<_> = (0..6).map(|number| tens(&format!("e{number}"), 2).1).collect();
    for pieces in &groups {
        waits(&mut collector, &pieces[0]);
        assert!(matches!(take(&mut collector, &pieces[1]), Ok(PieceStatus::Complete(_))));
    }
    // Four for each that may wait: the last ones.
    let known =
        |pieces: &Vec<Piece>| matches!(take(&mut collector, &pieces[0]), Ok(PieceStatus::AlreadyComplete { .. }));
    assert_eq!(groups.iter().rev().map(known).collect::<Vec<_>>(), [true, true, true, true, false, false]);
}

#[test]
fn caps_may_be_as_large_as_can_be() {
    let (envelope, pieces) = tens("e1", 2);
    let mut collector = small(usize::MAX, usize::MAX);
    waits(&mut collector, &pieces[0]);
    assert_eq!(take(&mut collector, &pieces[1]).unwrap(), PieceStatus::Complete(Box::new(envelope)));
}

#[test]
fn headers_are_counted_with_the_room_that_each_takes() {
    let bytes = |headers: EnvelopeHeaders| {
        let envelope = Envelope { headers, ..tens("e1", 2).0 };
        let mut collector = Collector::new(CollectorLimits::default());
        waits(&mut collector, &split(&envelope, SplitStrategy::Bytes, &at_most(10)).unwrap()[0]);
        collector.bytes()
    };
    let mut many = EnvelopeHeaders::new();
    (0..MAX_HEADERS).for_each(|_| many.add("x".to_owned(), String::new()).unwrap());
    let place = size_of::<(String, String)>();
    assert!(bytes(many) - bytes(EnvelopeHeaders::new()) >= MAX_HEADERS * place * 2);
}

#[test]
fn a_message_with_too_many_headers_is_refused() {
    let (envelope, mut pieces) = tens("e1", 2);
    let mut collector = Collector::new(CollectorLimits::default());
    pieces[0].headers.extend((0..=MAX_HEADERS).map(|_| ("x".to_owned(), String::new())));
    let refused = take(&mut collector, &pieces[0]).unwrap_err();
    assert!(matches!(refused, PieceError::Wire(WireError::Header(HeaderError::TooMany))), "{refused}");
    assert_eq!((collector.pending_count(), collector.bytes()), (0, 0));
    // What the broker adds does not count.
    pieces[1].headers.extend((0..=MAX_HEADERS).map(|_| ("Nats-X".to_owned(), String::new())));
    waits(&mut collector, &pieces[1]);
    let (_, pieces) = tens("e1", 2);
    assert_eq!(take(&mut collector, &pieces[0]).unwrap(), PieceStatus::Complete(Box::new(envelope)));
}

#[test]
fn envelopes_come_out_of_pieces_that_are_mixed() {
    let (first, ones) = tens("e1", 3);
    let (second, twos) = tens("e2", 3);
    let mixed = ones.into_iter().zip(twos).flat_map(|(one, two)| [one, two]);
    assert_eq!(joined(mixed), [first, second]);
}

#[test]
fn what_waits_too_long_is_given_up_and_named() {
    let (envelope, pieces) = tens("e1", 9);
    let (_, others) = tens("e2", 2);
    let mut collector = Collector::new(CollectorLimits::default());
    let seconds = Duration::from_secs;
    for at in [1, 4, 5] {
        collector.push(pieces[at].clone(), seconds(at as u64)).unwrap();
    }
    collector.push(others[1].clone(), seconds(200)).unwrap();
    // The clock began with the first piece.
    assert_eq!(collector.expire(seconds(300)), []);
    let expired = collector.expire(seconds(301));
    assert_eq!(expired.len(), 1);
    assert_eq!(expired[0].id, envelope.id);
    assert_eq!(expired[0].group.to_string(), get(&pieces[0], "X-Chunk-ID").unwrap());
    assert_eq!(expired[0].missing, [0..=0, 2..=3, 6..=8]);
    assert_eq!(expired[0].to_string(), "pieces 0, 2 to 3, 6 to 8 of 9 of envelope `e1` are missing");
    assert_eq!(collector.pending_count(), 1);
    assert_eq!(collector.expire(Duration::MAX)[0].missing, [0..=0]);
}

#[test]
fn a_flood_of_new_groups_costs_none_that_has_come_further() {
    let mut collector = small(10, 1 << 20);
    let (begun, pieces) = tens("begun", 3);
    waits(&mut collector, &pieces[0]);
    waits(&mut collector, &pieces[1]);
    let (_, single) = tens("single", 3);
    waits(&mut collector, &single[0]);
    for number in 0..1000 {
        waits(&mut collector, &tens(&format!("f{number}"), 2).1[0]);
        assert!(collector.pending_count() <= 10);
    }
    assert_eq!(collector.evicted(), 1000 + 2 - 10);
    assert_eq!(take(&mut collector, &pieces[2]).unwrap(), PieceStatus::Complete(Box::new(begun)));
    // The one that had one piece has given way: its next piece is a first one.
    assert_eq!(take(&mut collector, &single[1]).unwrap(), PieceStatus::Incomplete { have: 1, total: 3 });
}

#[test]
fn where_all_have_come_further_a_new_group_is_refused() {
    let mut collector = small(2, 1 << 20);
    let (a, of_a) = tens("a", 3);
    let (_, of_b) = tens("b", 3);
    let (_, of_c) = tens("c", 3);
    for pieces in [&of_a, &of_b] {
        waits(&mut collector, &pieces[0]);
        waits(&mut collector, &pieces[1]);
    }
    let bytes = collector.bytes();
    let full = take(&mut collector, &of_c[0]).unwrap_err();
    assert!(matches!(full, PieceError::Full { groups: 2, .. }), "{full}");
    assert_eq!((collector.pending_count(), collector.bytes(), collector.evicted()), (2, bytes, 0));
    // What is there still comes out, and makes room.
    assert_eq!(take(&mut collector, &of_a[2]).unwrap(), PieceStatus::Complete(Box::new(a)));
    waits(&mut collector, &of_c[0]);
}

#[test]
fn who_cannot_be_helped_costs_nobody_anything() {
    // Room for four pieces of 10 kB and what goes with them.
    let mut collector = small(10, 47_000);
    let large = |id: &str| {
        let envelope = text(id, "x".repeat(40_000));
        split(&envelope, SplitStrategy::Bytes, &at_most(10_000)).unwrap()
    };
    let (a, b) = (large("a"), large("b"));
    waits(&mut collector, &a[0]);
    waits(&mut collector, &a[1]);
    waits(&mut collector, &b[0]);
    let (_, little) = tens("little", 2);
    waits(&mut collector, &little[0]);
    let full = take(&mut collector, &b[1]).unwrap_err();
    assert!(matches!(full, PieceError::Full { groups: 3, .. }), "{full}");
    assert_eq!((collector.pending_count(), collector.evicted()), (3, 0));
    // A third piece of one that has come further does find room: the group with one piece gives way.
    waits(&mut collector, &a[2]);
    assert_eq!((collector.pending_count(), collector.evicted()), (2, 1));
    // The last piece needs none.
    assert!(matches!(take(&mut collector, &a[3]), Ok(PieceStatus::Complete(_))));
}

#[test]
fn an_envelope_larger_than_all_room_is_refused_at_its_first_piece() {
    let mut collector = small(10, 30_000);
    let envelope = text("e1", "x".repeat(40_000));
    let pieces = split(&envelope, SplitStrategy::Bytes, &at_most(10_000)).unwrap();
    let refused = take(&mut collector, &pieces[0]).unwrap_err();
    let PieceError::TooLarge { bytes, limit: 30_000, .. } = refused else { panic!("{refused}") };
    assert!(bytes > 40_000);
    // Nor is one that has more pieces than could be kept, however small they are.
    let (_, many) = tens("e2", 3000);
    assert!(matches!(take(&mut collector, &many[0]), Err(PieceError::TooLarge { .. })));
    assert_eq!(collector.bytes(), 0);
}

#[test]
fn what_is_kept_is_counted_to_the_end() {
    let mut collector = small(10, 1 << 20);
    let groups: Vec<_> = (0..10).map(|number| tens(&format!("e{number}"), 5).1).collect();
    for at in 0..4 {
        for pieces in &groups {
            let before = collector.bytes();
            waits(&mut collector, &pieces[at]);
            assert!(collector.bytes() >= before + pieces[at].payload.len());
        }
    }
    assert_eq!(collector.expire(Duration::from_secs(300)).len(), 10);
    assert_eq!((collector.pending_count(), collector.bytes()), (0, 0));
}
