//! What holds of the slices of any input: they tile it, keep to the limit, leave records whole, and do not depend on how the input was handed over.
//!
//! `WAR_RIG_CASES` sets how often each law is tried.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

use proptest::prelude::*;
use std::sync::LazyLock;
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_paginate::{InputContent, InputUnit, Slice, SliceBy, SliceError, SliceOptions, Slicer};

static COUNTERS: LazyLock<[TokenCounter; 2]> =
    LazyLock::new(|| [TokenizerEncoding::O200kBase, TokenizerEncoding::Heuristic].map(TokenCounter::new));

fn config() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

type Slices = Vec<Result<Slice, SliceError>>;

fn slices(by: SliceBy, limit: u64, counter: &TokenCounter, units: &[InputUnit]) -> Slices {
    let options = SliceOptions { by, max_tokens: TokenCount::new(limit) };
    let mut slicer = Slicer::new(options, counter.clone());
    let mut slices: Slices = units.iter().flat_map(|unit| slicer.push(unit.clone())).collect();
    slices.extend(slicer.finish());
    slices
}

fn text_of(unit: &InputUnit) -> &str {
    match unit {
        InputUnit::Text(text)
        | InputUnit::Header(text)
        | InputUnit::Record { text, .. }
        | InputUnit::Page { text, .. } => text,
        InputUnit::OversizedRecord { .. } | InputUnit::UnreadablePage { .. } => "",
    }
}

/// What holds of every slice by itself.
fn check_slice(slice: &Slice, limit: u64, counter: &TokenCounter) {
    let count = |text: &str| counter.count(text).get();
    let tokens = count(&slice.header) + count(&slice.overlap) + count(&slice.text);
    assert_eq!(tokens, slice.tokens.get());
    assert!(tokens <= limit, "{tokens} of {limit}: {slice:?}");
    for (text, marks) in [(&slice.text, &slice.marks), (&slice.overlap, &slice.overlap_marks)] {
        assert!(marks.is_sorted_by_key(|mark| mark.at), "{marks:?}");
        assert!(marks.is_sorted_by(|one, next| one.number < next.number), "{marks:?}");
        assert!(marks.iter().all(|mark| text.is_char_boundary(mark.at)), "{marks:?}");
    }
}

/// The halves of a slice, and theirs, tile it, down to what cannot be split.
fn check_halves(slice: &Slice, counter: &TokenCounter) {
    let Some((first, second)) = slice.halves(counter) else {
        match slice.kind {
            // Empty records at the end are no reason to ask again.
            InputContent::Records => {
                let inside = |at: usize| at > slice.marks.first().map_or(0, |mark| mark.at) && at < slice.text.len();
                assert!(!slice.marks.iter().any(|mark| inside(mark.at)), "{slice:?}");
            }
            _ => assert!(slice.text.chars().filter(|c| *c != '\r').count() <= 1, "{slice:?}"),
        }
        return;
    };
    assert_eq!(format!("{}{}", first.text, second.text), slice.text);
    assert!(!first.text.is_empty() && !second.text.is_empty());
    assert_eq!((first.lines.start(), second.lines.end()), (slice.lines.start(), slice.lines.end()));
    assert_eq!((&first.header, &first.overlap), (&slice.header, &slice.overlap));
    let lead = &slice.text[..slice.marks.first().map_or(0, |mark| mark.at)];
    assert_eq!(second.header, if slice.header.is_empty() { lead } else { &slice.header });
    assert!(second.overlap.is_empty());
    let shift = first.text.len();
    let begun: Vec<_> = second.marks.iter().map(|mark| (mark.at + shift, mark.number)).collect();
    let marks = |slice: &Slice| slice.marks.iter().map(|mark| (mark.at, mark.number)).collect::<Vec<_>>();
    let together: Vec<_> =
        marks(&first).into_iter().chain(begun.into_iter().filter(|mark| marks(slice).contains(mark))).collect();
    assert_eq!(together, marks(slice));
    check_halves(&first, counter);
    check_halves(&second, counter);
}

/// The lines that a stretch of an input stands on, told by counting the whole.
fn lines(input: &str, from: usize, length: usize) -> (u64, u64) {
    let ends = |text: &str| text.matches('\n').count() as u64;
    let end = from + length - usize::from(input[from..from + length].ends_with('\n'));
    (ends(&input[..from]) + 1, ends(&input[..end]) + 1)
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,9} ",
        2 => "[A-Z][a-z]{1,6}[.!?] ",
        1 => "\\n\\n|\\n|\\r\\n| {1,40}|\\n \\n",
        1 => "\\PC{0,6}",
        1 => "[äßé中文。！🙂👩‍👩‍👧]{1,8}",
        1 => "[0-9]{1,12}",
        1 => "[a-zA-Z0-9+/]{30,200}",
    ]
}

fn text(pieces: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..pieces).prop_map(|pieces| pieces.concat())
}

/// A text in stretches, cut anywhere.
fn stretches(text: &str, cuts: &[prop::sample::Index]) -> Vec<InputUnit> {
    let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<_> = cuts.iter().map(|cut| *cut.get(&places)).chain([0, text.len()]).collect();
    cuts.sort_unstable();
    cuts.windows(2).map(|ends| InputUnit::Text(text[ends[0]..ends[1]].to_owned())).collect()
}

#[derive(Debug, Clone)]
enum Item {
    Plain(String),
    Large(usize),
    Skipped(u64, u64),
}

fn records() -> impl Strategy<Value = Vec<Item>> {
    let item = prop_oneof![
        8 => text(12).prop_map(|text| Item::Plain(text + "\n")),
        2 => Just(Item::Plain(String::new())),
        2 => Just(Item::Plain("\n".to_owned())),
        1 => (50usize..800).prop_map(Item::Large),
        1 => (0u64..1 << 40, 0u64..9).prop_map(|(bytes, ends)| Item::Skipped(bytes, ends)),
    ];
    proptest::collection::vec(item, 0..30)
}

fn record_units(items: &[Item]) -> Vec<InputUnit> {
    (1..)
        .zip(items)
        .map(|(number, item)| match item {
            Item::Plain(text) => InputUnit::Record { number, text: text.clone() },
            Item::Large(words) => InputUnit::Record { number, text: "large one\n".repeat(*words) },
            Item::Skipped(bytes, line_ends) => {
                InputUnit::OversizedRecord { number, bytes: *bytes, line_ends: *line_ends }
            }
        })
        .collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn running_text(
        text in text(120), limit in 4u64..120, overlap in 0u64..80, which in 0usize..2,
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let counter = &COUNTERS[which];
        let by = SliceBy::Tokens { overlap: TokenCount::new(overlap) };
        let made = slices(by.clone(), limit, counter, &[InputUnit::Text(text.clone())]);
        prop_assert_eq!(&made, &slices(by, limit, counter, &stretches(&text, &cuts)));
        let mut at = 0;
        for slice in &made {
            let slice = slice.as_ref().unwrap();
            check_slice(slice, limit, counter);
            check_halves(slice, &COUNTERS[1]);
            prop_assert_eq!(slice.kind, InputContent::Text);
            prop_assert!(text[at..].starts_with(&slice.text) && !slice.text.is_empty());
            prop_assert!(text[..at].ends_with(&slice.overlap));
            prop_assert!(counter.count(&slice.overlap).get() <= overlap);
            prop_assert_eq!(slice.lines.clone().into_inner(), lines(&text, at, slice.text.len()));
            at += slice.text.len();
        }
        prop_assert_eq!(at, text.len());
    }

    #[test]
    fn lists_of_records(
        items in records(), header in prop_oneof![Just(String::new()), Just("id,name\n".to_owned())],
        limit in 4u64..300, most in proptest::option::of(1u64..6), overlap in 0u64..4, which in 0usize..2,
    ) {
        let counter = &COUNTERS[which];
        let count = |text: &str| counter.count(text).get();
        let mut units = record_units(&items);
        if !header.is_empty() {
            units.insert(0, InputUnit::Header(header.clone()));
        }
        let made = slices(SliceBy::Records { most, overlap }, limit, counter, &units);
        // A header that is too large is the first thing that is said.
        let header_fails = count(&header) >= limit && !header.is_empty();
        prop_assert_eq!(matches!(made.first(), Some(Err(SliceError::Header { .. }))), header_fails);
        let shown = if header_fails { "" } else { header.as_str() };

        let records = &units[usize::from(!header.is_empty())..];
        let mut next = 0;
        let mut line = 1 + header.matches('\n').count() as u64;
        let mut owned = shown.is_empty();
        for slice in &made[usize::from(header_fails)..] {
            match slice {
                Ok(slice) => {
                    check_slice(slice, limit, counter);
                    check_halves(slice, &COUNTERS[1]);
                    let lead = if owned { "" } else { shown };
                    prop_assert_eq!(&slice.header, if owned { shown } else { "" });
                    prop_assert!(slice.marks.len() as u64 <= most.unwrap_or(u64::MAX));
                    let taken = &records[next..next + slice.marks.len()];
                    let text: String = std::iter::once(lead).chain(taken.iter().map(text_of)).collect();
                    prop_assert_eq!(&slice.text, &text);
                    let mut at = lead.len();
                    for (mark, (index, record)) in slice.marks.iter().zip((next..).zip(taken)) {
                        prop_assert_eq!((mark.at, mark.number), (at, index as u64 + 1));
                        at += text_of(record).len();
                    }
                    let ends = text.matches('\n').count() as u64 - lead.matches('\n').count() as u64;
                    let first = if lead.is_empty() { line } else { 1 };
                    let last = if taken.is_empty() { 1 } else { line + ends - u64::from(text.ends_with('\n')) };
                    prop_assert_eq!(slice.lines.clone().into_inner(), (first, last));
                    line += ends;
                    // What is shown again are the last whole records before it.
                    prop_assert!(slice.overlap_marks.len() as u64 <= overlap);
                    let again = slice.overlap_marks.iter().map(|mark| text_of(&records[mark.number as usize - 1]));
                    prop_assert_eq!(again.collect::<String>(), slice.overlap.clone());
                    prop_assert!(slice.overlap_marks.iter().all(|mark| mark.number <= next as u64));
                    next += slice.marks.len();
                    owned = true;
                }
                Err(error) => {
                    let number = next as u64 + 1;
                    match (&records[next], error) {
                        (InputUnit::OversizedRecord { bytes, line_ends, .. }, error) => {
                            prop_assert_eq!(error, &SliceError::Oversized { number, bytes: *bytes });
                            line += line_ends;
                        }
                        (record, SliceError::TokenLimit { number: named, tokens, .. }) => {
                            prop_assert_eq!(*named, number);
                            prop_assert!(tokens.get() > limit);
                            let alone = count(shown) + count(text_of(record));
                            let behind = count(&[shown, text_of(record)].concat());
                            prop_assert!(alone.max(behind) > limit);
                            line += text_of(record).matches('\n').count() as u64;
                        }
                        (_, error) => prop_assert!(false, "{error}"),
                    }
                    next += 1;
                }
            }
        }
        prop_assert_eq!(next, records.len());
        prop_assert!(owned, "the header is in no slice");
    }

    #[test]
    fn pages(
        texts in proptest::collection::vec(prop_oneof![1 => Just(String::new()), 6 => text(60)], 0..12),
        limit in 8u64..400, each in proptest::option::of(1u64..4), longest in 1usize..200, overlap in 0usize..60,
        which in 0usize..2,
    ) {
        let counter = &COUNTERS[which];
        let units: Vec<_> =
            (1..).zip(&texts).map(|(number, text)| InputUnit::Page { number, text: text.clone() }).collect();
        let made = slices(SliceBy::Pages { each, longest, overlap }, limit, counter, &units);
        let input = texts.concat();
        let starts: Vec<_> = texts.iter().scan(0, |at, text| { *at += text.len(); Some(*at - text.len()) }).collect();
        let mut at = 0;
        let mut begun = Vec::new();
        for slice in &made {
            let slice = slice.as_ref().unwrap();
            check_slice(slice, limit, counter);
            check_halves(slice, &COUNTERS[1]);
            prop_assert!(input[at..].starts_with(&slice.text));
            prop_assert!(input[..at].ends_with(&slice.overlap));
            prop_assert!(slice.overlap.chars().count() <= overlap);
            prop_assert!(!slice.marks.is_empty() && slice.marks[0].at == 0);
            prop_assert!(slice.marks.len() as u64 <= each.unwrap_or(u64::MAX));
            prop_assert_eq!(slice.overlap.is_empty(), slice.overlap_marks.is_empty());
            // Each mark is where its page begins, but for a first one of a page that goes on.
            let again = at - slice.overlap.len();
            for (from, marks) in [(at, &slice.marks), (again, &slice.overlap_marks)] {
                for mark in marks {
                    let start = starts[mark.number as usize - 1];
                    prop_assert!(start == from + mark.at || (mark.at == 0 && start < from), "{mark:?} in {slice:?}");
                }
            }
            for mark in &slice.marks {
                if begun.last() != Some(&mark.number) {
                    begun.push(mark.number);
                }
            }
            if each == Some(1) {
                prop_assert!(slice.text.chars().count() <= longest.max(2));
            }
            prop_assert_eq!(slice.lines.clone().into_inner(), lines(&input, at, slice.text.len()));
            at += slice.text.len();
        }
        prop_assert_eq!(at, input.len());
        // Of pages without text those are marked that stand among others.
        prop_assert!(made.iter().flatten().all(|slice| !slice.text.is_empty()));
        let written = (1..).zip(&texts).filter(|(number, text)| !text.is_empty() || begun.contains(number));
        prop_assert_eq!(&begun, &written.map(|(number, _)| number).collect::<Vec<_>>());
    }

    #[test]
    fn units_of_another_kind_lose_nothing(
        items in records(), limit in 8u64..100, way in 0usize..3, which in 0usize..2,
    ) {
        let counter = &COUNTERS[which];
        let mut units = vec![InputUnit::Header("a;b\n".to_owned()), InputUnit::Text("between\n".to_owned())];
        units.extend(record_units(&items));
        units.push(InputUnit::Page { number: 99, text: "the end".to_owned() });
        let by = match way {
            0 => SliceBy::Tokens { overlap: TokenCount::ZERO },
            1 => SliceBy::Records { most: None, overlap: 0 },
            _ => SliceBy::Pages { each: None, longest: 100, overlap: 0 },
        };
        let made = slices(by, limit, counter, &units);
        let refused: Vec<_> = made.iter().filter_map(|slice| match slice {
            Err(SliceError::TokenLimit { number, .. }) => Some(*number),
            _ => None,
        }).collect();
        let kept = units.iter().filter(|unit| !matches!(unit, InputUnit::Record { number, .. } if refused.contains(number)));
        let expected: String = kept.map(text_of).collect();
        let texts: String = made.iter().filter_map(|slice| slice.as_ref().ok()).map(|slice| slice.text.as_str()).collect();
        prop_assert_eq!(texts, expected);
    }
}

/// What a slicer makes of extremes: no more slices than tokens need, each as full as it can be, in time that a debug build has.
fn check_full(text: &str, limit: u64) {
    let counter = &COUNTERS[0];
    let by = SliceBy::Tokens { overlap: TokenCount::ZERO };
    let made = slices(by, limit, counter, &[InputUnit::Text(text.to_owned())]);
    let total: u64 = made.iter().map(|slice| slice.as_ref().unwrap().tokens.get()).sum();
    made.iter().for_each(|slice| check_slice(slice.as_ref().unwrap(), limit, counter));
    assert_eq!(made.iter().map(|slice| slice.as_ref().unwrap().text.as_str()).collect::<String>(), text);
    // A slice ends in the last third of what it may have.
    let most = total * 3 / limit / 2 + 2;
    assert!(made.len() as u64 <= most, "{} slices for {total} tokens of {limit} each", made.len());
}

#[test]
fn enormous_lines_and_a_million_blanks_fill_their_slices() {
    check_full(&"word ".repeat(100_000), 5_000);
    check_full(&"a sentence without an end ".repeat(20_000), 120);
    check_full(&" ".repeat(1_000_000), 500);
    check_full(&"x".repeat(200_000), 2_000);
    check_full(&"\n".repeat(200_000), 200);
    check_full(&"äöü中文 ".repeat(10_000), 1_000);
    check_full(&"One line of some length, with a dot.\n".repeat(10_000), 10_000);
}

#[test]
fn many_small_records_fill_their_slices() {
    let counter = &COUNTERS[0];
    for record in ["\n", "1\n", "{\"id\":1}\n", " "] {
        let units: Vec<_> = (1..=20_000).map(|number| InputUnit::Record { number, text: record.to_owned() }).collect();
        let made = slices(SliceBy::Records { most: None, overlap: 0 }, 100, counter, &units);
        let made: Vec<_> = made.into_iter().map(Result::unwrap).collect();
        let full = made[..made.len() - 1].iter().all(|slice| slice.tokens.get() >= 60);
        assert!(full, "{record:?}: {:?}", made.iter().map(|slice| slice.tokens.get()).collect::<Vec<_>>());
        made.iter().for_each(|slice| check_slice(slice, 100, counter));
    }
}

#[test]
fn a_page_that_is_too_long_ends_its_pieces_with_sentences_and_shows_their_ends_again() {
    let counter = &COUNTERS[0];
    let sentence = "This sentence of a page runs\nover two of its lines. ";
    let page = InputUnit::Page { number: 3, text: sentence.repeat(100) };
    let by = SliceBy::Pages { each: Some(1), longest: 1000, overlap: 120 };
    let made = slices(by, 100_000, counter, &[page]);
    assert_eq!(made.len(), 6);
    for (index, slice) in made.iter().map(|slice| slice.as_ref().unwrap()).enumerate() {
        assert!(slice.text.ends_with("lines. "), "{:?}", slice.text);
        assert!(slice.text.len() <= 1000);
        assert_eq!(slice.overlap.is_empty(), index == 0);
        assert!(slice.overlap.len() <= 120 && (index == 0 || slice.overlap.len() > 80));
    }
}

#[test]
fn a_page_that_cannot_be_read_is_told_between_the_others() {
    let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
    let pages = || SliceBy::Pages { each: Some(2), longest: 1000, overlap: 0 };
    for by in [pages(), SliceBy::Tokens { overlap: TokenCount::ZERO }, SliceBy::Records { most: None, overlap: 0 }] {
        let units = [
            InputUnit::Page { number: 1, text: "one\n".to_owned() },
            InputUnit::UnreadablePage { number: 2, reason: "it is damaged".to_owned() },
            InputUnit::Page { number: 3, text: "three\n".to_owned() },
        ];
        let made = slices(by, 100, &counter, &units);
        let told: Vec<_> =
            made.into_iter().map(|slice| slice.map_or_else(|error| error.to_string(), |slice| slice.text)).collect();
        assert_eq!(told, ["one\n", "page 2 cannot be read: it is damaged", "three\n"]);
    }
}
