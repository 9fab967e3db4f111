//! `war-rig chunk` on every fixture, in every encoding.

use crate::tokens;
use serde_json::Value;
use std::collections::HashSet;
use war_rig_estimator::TokenizerEncoding;
use war_rig_tests::{MemorySources, Sandbox, check_tiling, fixtures, numbered};
use war_rig_text::{LineNumber, LineRange, SourceText};

/// Asserts what holds of the chunks of a file.
#[track_caller]
fn check(printed: &Value, source: &SourceText, encoding: TokenizerEncoding, max: u64) {
    let what = format!("{} at {max} in {}", source.name(), encoding.as_str());
    let lines = source.line_count() as u64;
    assert_eq!(printed["encoding"], encoding.as_str());
    assert_eq!([&printed["max_tokens"], &printed["total_lines"]], [max, lines], "{what}");
    let whole = numbered(source.lines().map(|line| line.visible()));
    assert_eq!(printed["source_tokens"], tokens::count(encoding, &whole), "{what}");
    check_tiling(&printed["chunks"], lines, &what);
    let stem = source.name().rsplit('/').next().unwrap().split('.').next().unwrap();
    let mut raw = Vec::new();
    let mut ids = HashSet::new();
    for chunk in printed["chunks"].as_array().unwrap() {
        let number = |field: &str| chunk[field].as_u64().unwrap();
        let line = |field: &str| LineNumber::new(number(field).try_into().unwrap()).unwrap();
        let range = LineRange::new(line("start_line"), line("end_line")).unwrap();
        let content: Vec<&str> = chunk["content"].as_str().unwrap().split('\n').collect();
        let shown: Vec<&str> = source.lines_in(range).map(|line| line.visible()).collect();
        assert_eq!(content, shown, "{what}: {range}");
        let counted = tokens::count(encoding, &numbered(content));
        assert_eq!(number("estimated_tokens"), counted, "{what}: {range}");
        assert!(counted <= max, "{what}: {range}: {counted}");
        let id = chunk["chunk_id"].as_str().unwrap();
        let digits = id.strip_prefix(stem).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
        assert!(digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()), "{what}: {id}");
        assert!(ids.insert(id), "{what}: {id} twice");
        assert!(["division", "section", "paragraph", "block"].iter().any(|kind| chunk["context_type"] == *kind));
        raw.extend_from_slice(source.raw_bytes(range));
        check_context(&chunk["context"], encoding, max, &format!("{what}: {range}"));
    }
    assert!(raw == source.bytes(), "{what}: the ranges are not the file");
}

/// Asserts that context is within the shares that go with so many source tokens by default: 500 and 2000 beside 8000.
#[track_caller]
fn check_context(context: &Value, encoding: TokenizerEncoding, max: u64, what: &str) {
    let mut text = String::new();
    for block in context.as_array().unwrap() {
        let rows = block["rows"].as_array().unwrap();
        assert!(block["kind"].is_string() && !rows.is_empty(), "{what}");
        text.extend(rows.iter().map(|row| format!("c|{}\n", row.as_str().unwrap())));
    }
    let counted = tokens::count(encoding, &text);
    assert!(counted <= max / 16 + max / 4, "{what}: {counted} tokens of context");
}

fn check_fixtures(encoding: TokenizerEncoding) {
    let memory = MemorySources::fixtures();
    let place = Sandbox::new();
    for name in memory.files().keys() {
        let source = memory.prepare(name).source;
        for max in [500, 1500, 4000, 8000] {
            let line = format!("chunk {{}} --max-tokens {max} --encoding {} --format json", encoding.as_str());
            let printed = place.line(&line, &fixtures().join(name)).assert_exit(0).json();
            check(&printed, &source, encoding, max);
        }
    }
}

#[test]
fn chunks_tile_every_fixture_within_the_limit_in_o200k_base() {
    check_fixtures(TokenizerEncoding::O200kBase);
}

#[test]
fn chunks_tile_every_fixture_within_the_limit_in_cl100k_base() {
    check_fixtures(TokenizerEncoding::Cl100kBase);
}

#[test]
fn chunks_tile_every_fixture_within_the_limit_in_the_heuristic() {
    check_fixtures(TokenizerEncoding::Heuristic);
}
