//! Slicing throughput in bytes of input per second, compared with plain counting of the same bytes.
//!
//! `cargo bench -p war-rig-paginate --bench slices` prints a table. `count` counts the whole text once; slices are counted twice, once to find their
//! end and once as they are, so half of its rate is the optimum.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::fmt::Write;
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_paginate::{InputUnit, SliceBy, SliceOptions, Slicer};

const MEGABYTE: usize = 1_000_000;

/// The tokens of a slice: a size that agents typically use, and one that fills a window.
const LIMITS: [u64; 2] = [500, 100_000];

fn main() {
    divan::main();
}

/// Generates deterministic words, so that each run has the same ones.
fn word(number: usize) -> &'static str {
    const WORDS: [&str; 12] = [
        "the", "meeting", "decided", "that", "Maria", "checks", "invoices", "before", "Friday", "and", "reports", "to",
    ];
    WORDS[(number * 7 + number / 5) % WORDS.len()]
}

fn text() -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < MEGABYTE {
        for _ in 0..9 + number % 7 {
            text.push_str(word(number));
            text.push(' ');
            number += 1;
        }
        text.push_str(if number % 11 == 0 { "PBI-1234.\n\n" } else { "again.\n" });
    }
    text
}

fn records() -> Vec<String> {
    let mut bytes = 0;
    (0..)
        .map(|number| {
            let mut record = String::new();
            let _ = writeln!(
                record,
                r#"{{"id":{number},"name":"{} {}","amount":{}.5}}"#,
                word(number),
                word(number * 3 + 1),
                number * 37
            );
            bytes += record.len();
            (record, bytes)
        })
        .take_while(|(_, bytes)| *bytes < MEGABYTE)
        .map(|(record, _)| record)
        .collect()
}

fn counter() -> TokenCounter {
    TokenCounter::new(TokenizerEncoding::O200kBase)
}

fn sliced(counter: &TokenCounter, by: SliceBy, limit: u64, units: impl Iterator<Item = InputUnit>) -> usize {
    let mut slicer = Slicer::new(SliceOptions { by, max_tokens: TokenCount::new(limit) }, counter.clone());
    let mut slices = 0;
    for unit in units {
        slices += slicer.push(unit).len();
    }
    slices + slicer.finish().len()
}

#[divan::bench]
fn count_text(bencher: Bencher) {
    let (text, counter) = (text(), counter());
    bencher.counter(BytesCount::of_str(&text)).bench(|| counter.count(black_box(&text)));
}

#[divan::bench(args = LIMITS)]
fn slice_text(bencher: Bencher, limit: u64) {
    let (text, counter) = (text(), counter());
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let by = SliceBy::Tokens { overlap: TokenCount::ZERO };
        let blocks = text.as_bytes().chunks(64 * 1024).map(|block| String::from_utf8_lossy(block).into_owned());
        sliced(&counter, by, limit, blocks.map(InputUnit::Text))
    });
}

#[divan::bench]
fn count_json_lines(bencher: Bencher) {
    let (text, counter) = (records().concat(), counter());
    bencher.counter(BytesCount::of_str(&text)).bench(|| counter.count(black_box(&text)));
}

#[divan::bench(args = LIMITS)]
fn slice_json_lines(bencher: Bencher, limit: u64) {
    let (records, counter) = (records(), counter());
    bencher.counter(BytesCount::new(records.iter().map(String::len).sum::<usize>())).bench(|| {
        let by = SliceBy::Records { most: None, overlap: 0 };
        let units = (1..).zip(&records).map(|(number, text)| InputUnit::Record { number, text: text.clone() });
        sliced(&counter, by, limit, units)
    });
}
