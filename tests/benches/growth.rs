//! How time grows with a source's size: each stress shape at half and at full size, and the ratio of the two times.
//!
//! `cargo bench -p war-rig-tests --bench growth -- [TIMES] [SHAPE...]` prints a table, and fails where twice the lines take more than
//! 2.3 times as long; with a number, of shapes that are so many times as large. The shortest of several runs counts, because a busy machine can only make a run longer; what looks too long is
//! run more often.

#![expect(clippy::print_stdout, reason = "a table is what it is for")]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use war_rig_chunker::{ChunkLimits, SourceMeasure, chunk};
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, facts, parse};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_tests::fuzz_checks;
use war_rig_tests::stress_programs::{INVALID_CASES, LineStyle, STRESS_CASES};
use war_rig_text::{ReadOptions, SourceText};

/// What twice the lines may take at most.
const MOST: f64 = 2.3;

/// How often each size is run at least, and how often where the ratio stays above what it may be.
const RUNS: usize = 3;
const MOST_RUNS: usize = 8;

/// Bytes to chunks of 4000 tokens, and to facts as JSON.
fn cut(bytes: &[u8]) {
    let source = SourceText::read("GROWTH.cbl", bytes.to_vec(), &ReadOptions::default()).expect("a shape is text");
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let measure = SourceMeasure::of(&source, analysis.parsed(), &TokenCounter::new(TokenizerEncoding::O200kBase));
    let limits = ChunkLimits::of_source(TokenCount::new(4000));
    let chunks = chunk(&source, &analysis, &measure, &limits);
    let printed = serde_json::to_string(&facts(&source, &analysis)).expect("facts are JSON");
    assert!(!chunks.is_empty() && !printed.is_empty());
}

/// Bytes to the static Scribe's document.
fn document(bytes: &[u8]) {
    fuzz_checks::document_any(bytes, 15_000);
}

/// The shortest times of both sizes, which take turns so that what disturbs one disturbs the other.
fn times(work: fn(&[u8]), half: &[u8], whole: &[u8]) -> [Duration; 2] {
    let mut best = [Duration::MAX; 2];
    for run in 0..MOST_RUNS {
        if run >= RUNS && ratio(best) <= MOST {
            break;
        }
        for (best, bytes) in best.iter_mut().zip([half, whole]) {
            let start = Instant::now();
            work(bytes);
            *best = start.elapsed().min(*best);
        }
    }
    best
}

fn ratio([half, whole]: [Duration; 2]) -> f64 {
    whole.as_secs_f64() / half.as_secs_f64()
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (numbers, asked): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.parse::<usize>().is_ok());
    let scale: usize = numbers.first().and_then(|number| number.parse().ok()).unwrap_or(1);
    println!("{:12} {:8} {:>8} {:>8}  {:>9} {:>9} {:>6}", "shape", "work", "lines", "KB", "half", "whole", "ratio");
    let mut worse = 0;
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|asked| *asked == name);
    let whole = STRESS_CASES.iter().filter(|(name, ..)| is_asked(name)).map(|(name, units, shape)| {
        let bytes = |units| shape(units).bytes(LineStyle::Numbered);
        (*name, bytes(units * scale / 2), bytes(units * scale))
    });
    let broken = INVALID_CASES
        .iter()
        .filter(|(name, ..)| is_asked(name))
        .map(|(name, units, text)| (*name, text(units * scale / 2).into_bytes(), text(units * scale).into_bytes()));
    for (name, small, large) in whole.chain(broken) {
        let lines = large.iter().filter(|byte| **byte == b'\n').count();
        for (work, run) in [("cut", cut as fn(&[u8])), ("document", document)] {
            let times = times(run, &small, &large);
            let ([half, full], ratio) = (times, ratio(times));
            let mark = if ratio > MOST { "  more than it may" } else { "" };
            worse += usize::from(ratio > MOST);
            println!(
                "{name:12} {work:8} {:>8} {:>8}  {:>6} ms {:>6} ms {ratio:>6.2}{mark}",
                lines,
                large.len() / 1000,
                half.as_millis(),
                full.as_millis(),
            );
        }
    }
    if worse == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
