//! Properties of all files and all sequences of events.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

#[test]
fn every_byte_that_changes_is_found() {
    let place = Place::new();
    let file = place.walked();
    let written = std::fs::read(&file).unwrap();
    assert!(CursorState::read(&written).is_ok());
    for at in 0..written.len() {
        assert!(CursorState::read(&written[..at]).is_err(), "cut off at {at}");
        for mask in [0x01, 0x02, 0x10, 0x20, 0x80] {
            let mut changed = written.clone();
            changed[at] ^= mask;
            assert!(CursorState::read(&changed).is_err(), "byte {at}, {mask:02x}");
        }
    }
    // Opening the file leaves it as it is.
    for at in (0..written.len()).step_by(37) {
        let mut changed = written.clone();
        changed[at] ^= 0x01;
        std::fs::write(&file, &changed).unwrap();
        assert!(place.open(&file).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), changed);
        std::fs::write(&file, &written[..at]).unwrap();
        assert!(place.open(&file).is_err());
        assert_eq!(std::fs::read(&file).unwrap(), written[..at]);
    }
}

proptest! {
    #[test]
    fn other_bytes_are_no_state_file(
        at in any::<prop::sample::Index>(),
        removed in 0_usize..9,
        put in prop::collection::vec(any::<u8>(), 0..9),
    ) {
        let mut state = CursorState::begun(Timestamp::at(NOW));
        state.total = Some(7);
        let mut bytes = state.written();
        let from = at.index(bytes.len() + 1);
        let to = (from + removed).min(bytes.len());
        prop_assume!(bytes[from..to] != put);
        bytes.splice(from..to, put);
        prop_assume!(bytes != state.written());
        prop_assert!(CursorState::read(&bytes).is_err());
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(CursorState::read(&bytes).is_err());
    }
}

/// An action of one of several processes.
#[derive(Debug, Clone)]
enum Act {
    Begin { who: usize },
    Open { who: usize, which: usize },
    Note { who: usize, rows: u64 },
    Drop { who: usize },
    Close { which: usize },
    Wait { hours: i64 },
    Sweep,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let who = 0..3_usize;
    let act = prop_oneof![
        2 => who.clone().prop_map(|who| Act::Begin { who }),
        4 => (who.clone(), 0..4_usize).prop_map(|(who, which)| Act::Open { who, which }),
        6 => (who.clone(), 0..50_u64).prop_map(|(who, rows)| Act::Note { who, rows }),
        3 => who.prop_map(|who| Act::Drop { who }),
        1 => (0..4_usize).prop_map(|which| Act::Close { which }),
        2 => (-20..30_i64).prop_map(|hours| Act::Wait { hours }),
        1 => Just(Act::Sweep),
    ];
    prop::collection::vec(act, 0..40)
}

/// The expected state of a walk.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Known {
    offset: u64,
    made: i64,
    used: i64,
    is_there: bool,
    holder: Option<usize>,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn walks_are_what_was_noted_whoever_uses_them(acts in acts()) {
        let place = Place::new();
        let mut known: Vec<(PathBuf, Known)> = Vec::new();
        let mut held: BTreeMap<usize, (usize, SearchCursor)> = BTreeMap::new();
        let let_go = |held: &mut BTreeMap<usize, (usize, SearchCursor)>, known: &mut Vec<(PathBuf, Known)>, who| {
            if let Some((which, walk)) = held.remove(&who) {
                drop(walk);
                known[which].1.holder = None;
            }
        };
        for act in acts {
            let now = (place.clock)();
            match act {
                Act::Begin { who } => {
                    let_go(&mut held, &mut known, who);
                    let walk = place.begin(CursorScope::Any);
                    known.push((
                        walk.file().to_owned(),
                        Known { offset: 0, made: now, used: now, is_there: true, holder: Some(who) },
                    ));
                    held.insert(who, (known.len() - 1, walk));
                }
                Act::Open { who, which } if which < known.len() => {
                    let_go(&mut held, &mut known, who);
                    let (file, known) = &mut known[which];
                    match place.open(file) {
                        Ok(walk) => {
                            prop_assert!(known.is_there && known.holder.is_none());
                            prop_assert_eq!(walk.position(&rules()).unwrap().offset, known.offset);
                            known.holder = Some(who);
                            held.insert(who, (which, walk));
                        }
                        Err(CursorErrorKind::InUse) => prop_assert!(known.is_there && known.holder.is_some()),
                        Err(CursorErrorKind::Missing) => prop_assert!(!known.is_there),
                        Err(other) => return Err(TestCaseError::fail(other.to_string())),
                    }
                }
                Act::Note { who, rows } => {
                    if let Some((which, walk)) = held.get_mut(&who) {
                        let known = &mut known[*which].1;
                        let last = known.offset + rows;
                        walk.record_page(&rules(), page(rows, last, 1000), &place.clock).unwrap();
                        (known.offset, known.used) = (last, now);
                    }
                }
                Act::Drop { who } => let_go(&mut held, &mut known, who),
                Act::Close { which } if which < known.len() => {
                    let (file, known) = &mut known[which];
                    match place.close(file) {
                        Ok(()) => {
                            prop_assert!(known.is_there && known.holder.is_none());
                            known.is_there = false;
                        }
                        Err(CursorErrorKind::InUse) => prop_assert!(known.is_there && known.holder.is_some()),
                        Err(CursorErrorKind::Missing) => prop_assert!(!known.is_there),
                        Err(other) => return Err(TestCaseError::fail(other.to_string())),
                    }
                }
                Act::Wait { hours } => place.later(hours * HOUR),
                Act::Sweep => {
                    let mut swept = 0;
                    for (_, known) in &mut known {
                        // If the clock was set back, a walk may have been used before its creation time.
                        let is_disused = now - known.used.max(known.made) > MAX_IDLE_SECONDS;
                        if known.is_there && known.holder.is_none() && is_disused {
                            known.is_there = false;
                            swept += 1;
                        }
                    }
                    prop_assert_eq!(SearchCursor::remove_expired(place.path(), &place.clock), swept);
                }
                Act::Open { .. } | Act::Close { .. } => {}
            }
            let mut expected: Vec<String> = known
                .iter()
                .filter(|(_, known)| known.is_there)
                .map(|(file, _)| file.file_name().unwrap().to_str().unwrap().to_owned())
                .collect();
            expected.sort();
            if !known.is_empty() {
                prop_assert_eq!(place.names(), expected);
            }
        }
    }
}

#[test]
fn rows_are_handed_out_once_to_whoever_asks() {
    const ROWS: u64 = 200;
    let place = Place::new();
    let file = place.begin(CursorScope::Any).file().to_owned();
    let handed_out = Mutex::new(Vec::new());
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let (place, handed) = (&place, &handed_out);
    let work = |size: u64| {
        loop {
            let mut walk = match place.open(&file) {
                Ok(walk) => walk,
                Err(CursorErrorKind::InUse) => continue,
                Err(other) => panic!("{other}"),
            };
            let position = walk.position(&rules()).unwrap();
            if position.offset == ROWS {
                return;
            }
            let last = (position.offset + size).min(ROWS);
            let rows = position.offset..last;
            walk.record_page(&rules(), page(last - position.offset, last, ROWS), &place.clock).unwrap();
            handed.lock().unwrap().extend(rows);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = [1, 3, 7].map(|size| scope.spawn(move || work(size))).into_iter().collect();
        // A concurrent cleanup does not take a file that was just created for a leftover.
        let sweeper = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                assert_eq!(SearchCursor::remove_expired(place.path(), &place.clock), 0);
            }
        });
        let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        is_done.store(true, Ordering::Relaxed);
        sweeper.join().unwrap();
        assert!(ended.iter().all(Result::is_ok));
    });
    let mut rows = handed_out.into_inner().unwrap();
    rows.sort_unstable();
    assert_eq!(rows, (0..ROWS).collect::<Vec<_>>());
}

#[test]
fn of_those_who_want_a_disused_walk_each_has_it_or_is_told_that_it_is_gone() {
    for _ in 0..10 {
        let place = Place::new();
        let file = place.walked();
        place.later(25 * HOUR);
        let place = &place;
        let (opened, swept) = std::thread::scope(|scope| {
            let opener = scope.spawn(|| {
                place.open(&file).map(|mut walk| {
                    walk.record_page(&rules(), page(1, 4, 5), &place.clock).unwrap();
                })
            });
            let sweeper = scope.spawn(|| SearchCursor::remove_expired(place.path(), &place.clock));
            (opener.join().unwrap(), sweeper.join().unwrap())
        });
        match opened {
            Ok(()) => {
                assert_eq!(swept, 0);
                assert_eq!(place.open(&file).unwrap().position(&rules()).unwrap().offset, 4);
            }
            Err(CursorErrorKind::Missing) => assert_eq!((swept, place.names().len()), (1, 0)),
            Err(other) => panic!("{other}"),
        }
    }
}
