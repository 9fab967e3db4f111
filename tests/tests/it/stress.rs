//! Programs of shapes that wear a parser down: what it finds in them, and how they are cut.

use war_rig_chunker::{ChunkLimits, CodeChunk, SourceMeasure, chunk};
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_tests::fuzz_checks;
use war_rig_tests::stress_programs::{ExpectedFacts, INVALID_CASES, LineStyle, STRESS_CASES, StressProgram};
use war_rig_text::{LineRange, ReadOptions, SourceText};

/// The source tokens of a chunk.
const LIMIT: TokenCount = TokenCount::new(4000);

struct Cut {
    analysis: Analysis,
    chunks: Vec<CodeChunk>,
}

/// Parses and cuts a shape, and asserts what holds of every one.
#[track_caller]
fn check(name: &str, shape: &StressProgram, dress: LineStyle) -> Cut {
    let what = format!("{name}, {dress:?}");
    let source = SourceText::read("STRESS.cbl", shape.bytes(dress), &ReadOptions::default()).unwrap();
    assert_eq!(source.line_count(), shape.line_count(), "{what}");
    let analysis = Analysis::of(parse(&std::sync::Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let parsed = analysis.parsed();
    assert!(ExpectedFacts::found(parsed) == *shape.truth(), "{what}");
    let measure = SourceMeasure::of(&source, parsed, &TokenCounter::new(TokenizerEncoding::O200kBase));
    let chunks = chunk(&source, &analysis, &measure, &ChunkLimits::of_source(LIMIT));
    let mut next = 1;
    for chunk in &chunks {
        assert_eq!(chunk.lines.start().get(), next, "{what}");
        assert!(chunk.fits && chunk.estimated_tokens <= LIMIT, "{what}: {chunk:?}");
        assert_eq!(chunk.estimated_tokens, measure.source_tokens(chunk.lines), "{what}");
        next = chunk.lines.end().get() + 1;
    }
    assert_eq!(next as usize, shape.line_count() + 1, "{what}");
    // Cuts lie where COBOL is divided, and still no chunk is wasted: none fits into the one before it.
    let joined = |pair: &[CodeChunk]| LineRange::spanning(pair[0].lines.start(), pair[1].lines.end());
    let wasted = chunks.windows(2).filter(|pair| measure.source_tokens(joined(pair)) <= LIMIT);
    assert_eq!(wasted.count(), 0, "{what}");
    let ids: std::collections::HashSet<&str> = chunks.iter().map(|chunk| chunk.chunk_id.as_str()).collect();
    assert_eq!(ids.len(), chunks.len(), "{what}");
    Cut { analysis, chunks }
}

/// A shape in the size of a large program.
#[track_caller]
fn check_large(name: &str) -> Cut {
    let (_, units, shape) = STRESS_CASES.into_iter().find(|(known, _, _)| *known == name).unwrap();
    let shape = shape(units);
    check(name, &shape, LineStyle::Plain)
}

#[test]
fn every_shape_is_found_whole_in_every_dress() {
    for (name, units, shape) in STRESS_CASES {
        let shape = shape(units / 20);
        for dress in LineStyle::ALL {
            check(name, &shape, dress);
        }
    }
}

#[test]
fn sixty_thousand_lines_of_paragraphs_are_cut_between_paragraphs() {
    let cut = check_large("paragraphs");
    assert!(cut.analysis.parsed().boundaries.len() > 54_000);
    let mut starts: std::collections::HashSet<u32> =
        cut.analysis.parsed().paragraphs.iter().map(|paragraph| paragraph.lines.start().get()).collect();
    starts.extend(cut.analysis.parsed().sections.iter().map(|section| section.lines.start().get()));
    let elsewhere = cut.chunks.iter().skip(1).filter(|chunk| !starts.contains(&chunk.lines.start().get()));
    assert_eq!(elsewhere.count(), 0);
}

#[test]
fn one_evaluate_of_ten_thousand_lines() {
    let cut = check_large("evaluate");
    // A cut stands before a WHEN or before the statement under one, never inside a statement.
    let first = cut.analysis.parsed().statements.iter().map(|statement| statement.lines.start());
    let whens = cut.analysis.parsed().branches.iter().map(|branch| branch.lines.start());
    let cuts: std::collections::HashSet<_> =
        first.chain(whens).chain(cut.analysis.parsed().paragraphs.iter().map(|unit| unit.lines.start())).collect();
    assert!(cut.chunks.len() > 20);
    assert!(cut.chunks.iter().skip(1).all(|chunk| cuts.contains(&chunk.lines.start())));
}

#[test]
fn ifs_sixty_deep_time_and_again() {
    let cut = check_large("nested");
    assert_eq!(cut.analysis.parsed().statements.iter().map(|statement| statement.depth).max(), Some(60));
}

#[test]
fn nesting_beyond_all_reason_does_not_overflow_the_stack() {
    check_large("deep");
    check_large("formula");
}

#[test]
fn one_sentence_of_twenty_thousand_statements() {
    check_large("sentence");
}

#[test]
fn a_data_division_of_forty_thousand_lines() {
    check_large("records");
}

#[test]
fn a_procedure_division_without_a_paragraph() {
    check_large("flat");
}

#[test]
fn what_nobody_ends_is_documented_however_deep() {
    for (_, units, text) in INVALID_CASES {
        fuzz_checks::document_any(text(units).as_bytes(), 15_000);
    }
}

#[test]
fn every_shape_is_documented_in_its_whole_size() {
    for (_, units, shape) in STRESS_CASES {
        fuzz_checks::document_any(&shape(units).bytes(LineStyle::Plain), 15_000);
    }
}
