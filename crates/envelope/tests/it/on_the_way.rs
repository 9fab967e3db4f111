//! Many journeys (`WAR_RIG_CASES` says how many): payloads, orders of arrival and mishaps by a seed. What comes out is what went in, or nothing comes out and somebody says why.

use super::any::{any_envelope, any_options};
use super::*;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::ContentHash;

/// What became of the pieces of one envelope on the way.
#[derive(Debug, Default)]
struct Told {
    dropped: bool,
    changed: bool,
    whole: bool,
}

#[test]
fn the_original_comes_out_or_somebody_says_why() {
    let (mut whole, mut refused, mut missing) = (0_u64, 0_u64, 0_u64);
    for seed in 0..u64::from(cases(10_000)) {
        let (a, b, c) = journey(seed);
        (whole, refused, missing) = (whole + a, refused + b, missing + c);
    }
    // Mishaps do happen, and so do journeys without one.
    assert!(whole > 0 && refused > 0 && missing > 0, "{whole} {refused} {missing}");
}

/// One to three envelopes at a time; says how many came out, how many pieces were refused and how many envelopes waited in vain.
fn journey(seed: u64) -> (u64, u64, u64) {
    let mut rng = Rng::with_seed(seed);
    let mut sent = BTreeMap::new();
    let mut told: BTreeMap<String, Told> = BTreeMap::new();
    let mut pieces: Vec<(String, Piece)> = Vec::new();
    for number in 0..rng.usize(1..=3) {
        let id = format!("e{number}");
        let most = [0, 20, 80, 200][rng.usize(..4)];
        let envelope = any_envelope(&mut rng, &id, most);
        let (strategy, options) = any_options(&mut rng, envelope.payload.len());
        // Some cannot be split in that way, and are not sent.
        let Ok(split) = split(&envelope, strategy, &options) else { continue };
        pieces.extend(split.into_iter().map(|piece| (id.clone(), piece)));
        told.insert(id.clone(), Told::default());
        sent.insert(id, envelope);
    }
    let originals = pieces.clone();
    on_the_way(&mut rng, &mut pieces, &mut told, &originals);

    let mut collector = Collector::new(CollectorLimits::default());
    let (mut came, mut refused) = (0, 0);
    for (id, piece) in pieces {
        let several = get(&piece, "X-Chunk-ID").is_some();
        match collector.push(piece, NOW) {
            Ok(PieceStatus::Complete(envelope)) => {
                assert_eq!(sent.get(envelope.id.as_str()), Some(&*envelope), "seed {seed}");
                let told = told.get_mut(envelope.id.as_str()).unwrap();
                assert!(!(told.whole && several), "seed {seed}: `{}` came out twice", envelope.id);
                told.whole = true;
                came += 1;
            }
            Ok(PieceStatus::Incomplete { have, total }) => assert!(have < total, "seed {seed}"),
            Ok(PieceStatus::Duplicate | PieceStatus::AlreadyComplete { .. }) => {}
            Err(error) => {
                assert!(told[&id].changed, "seed {seed}: a piece as it was sent was refused: {error}");
                refused += 1;
            }
        }
    }
    let expired = collector.expire(Duration::from_secs(300));
    assert_eq!(collector.pending_count(), 0, "seed {seed}");
    let vain: BTreeSet<_> = expired.iter().map(|expired| expired.id.as_str()).collect();
    for (id, told) in &told {
        assert!(told.whole || told.dropped || told.changed, "seed {seed}: `{id}` did not come out: {told:?}");
        if !told.whole && !told.dropped {
            assert!(refused > 0 || vain.contains(id.as_str()), "seed {seed}: nobody says what became of `{id}`");
        }
    }
    assert!(expired.iter().all(|expired| !expired.missing.is_empty()), "seed {seed}");
    (came, refused, expired.len() as u64)
}

/// Drops, doubles, changes and mixes.
fn on_the_way(
    rng: &mut Rng,
    pieces: &mut Vec<(String, Piece)>,
    told: &mut BTreeMap<String, Told>,
    originals: &[(String, Piece)],
) {
    for _ in 0..rng.usize(..3) {
        if pieces.is_empty() {
            return;
        }
        let at = rng.usize(..pieces.len());
        match rng.u8(..3) {
            0 => {
                let (id, _) = pieces.remove(at);
                told.get_mut(&id).unwrap().dropped = true;
            }
            1 => {
                let again = pieces[at].clone();
                pieces.insert(rng.usize(..=pieces.len()), again);
            }
            _ => {
                // What is made of one with a part of another may stand in the way of both.
                let (of_other, other) = rng.choice(originals).unwrap();
                let (id, piece) = &mut pieces[at];
                told.get_mut(id).unwrap().changed = true;
                told.get_mut(of_other).unwrap().changed = true;
                change(rng, piece, other);
                // Whoever got another's place in every respect is not there any more.
                told.get_mut(id).unwrap().dropped |= originals.iter().any(|(of, known)| of != id && known == piece);
            }
        }
    }
    if rng.bool() {
        rng.shuffle(pieces);
    }
}

/// Changes something about a piece, or exchanges something with another.
fn change(rng: &mut Rng, piece: &mut Piece, other: &Piece) {
    match rng.u8(..8) {
        0 => {
            let mut bytes = piece.payload.to_vec();
            match bytes.is_empty() {
                true => bytes.push(b'x'),
                false => {
                    let at = rng.usize(..bytes.len());
                    bytes[at] ^= 1 << rng.u8(..8);
                }
            }
            piece.payload = bytes.into();
        }
        1 => piece.payload = piece.payload.slice(..piece.payload.len() / 2),
        2 => piece.payload = other.payload.clone(),
        3 => drop(piece.headers.remove(rng.usize(..piece.headers.len()))),
        4 => {
            let at = rng.usize(..piece.headers.len());
            let (name, _) = &piece.headers[at];
            if let Some(value) = get(other, name) {
                piece.headers[at].1 = value.to_owned();
            }
        }
        5 => {
            // A number one higher, a digit another, a word longer.
            let at = rng.usize(..piece.headers.len());
            let value = &mut piece.headers[at].1;
            *value = match value.parse::<u64>() {
                Ok(number) => (number + 1).to_string(),
                Err(_) if value.ends_with('a') => format!("{}b", &value[..value.len() - 1]),
                Err(_) => format!("{value}a"),
            };
        }
        6 => {
            // Other bytes, with the hash that they have.
            piece.payload = piece.payload.iter().rev().copied().collect::<Vec<_>>().into();
            if get(piece, "X-Chunk-Hash").is_some() {
                let hash = ContentHash::of(&piece.payload).to_string();
                set(piece, "X-Chunk-Hash", &hash);
            }
        }
        _ => {
            // As if it were another's: the whole description of another piece with this payload, hash and all.
            let hash = get(piece, "X-Chunk-Hash").map(str::to_owned);
            piece.headers = other.headers.clone();
            if let (Some(hash), Some(_)) = (hash, get(other, "X-Chunk-Hash")) {
                set(piece, "X-Chunk-Hash", &hash);
            }
        }
    }
}
