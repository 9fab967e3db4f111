//! How many bytes of source a second each step takes, on one core.
//!
//! `cargo bench -p war-rig-tests --bench rates [STEP...]` prints a table. A step's figure says something beside those of the
//! same run only: `count` beside `tiktoken`, which encodes the same rows with the encoder's own cutting and no memory, and
//! `parse` beside `decode`.
//!
//! The inputs are the fixtures, one after the other until they make a megabyte, and two stress shapes of a megabyte each: many
//! paragraphs, and records. divan measures them because it counts bytes, prints all steps in one table, and brings four crates.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use std::fmt;
use std::sync::{Arc, LazyLock};
use war_rig_chunker::{ChunkLimits, SourceMeasure, chunk};
use war_rig_cobol::{Analysis, LexedSource, facts, parse};
use war_rig_estimator::{RowTokens, TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_pool::ParsedSource;
use war_rig_tests::stress_programs::{LineStyle, STRESS_CASES};
use war_rig_tests::{MemorySources, fuzz_checks, numbered};
use war_rig_text::{ReadOptions, SourceText};

const MEGABYTE: usize = 1_000_000;

fn main() {
    divan::main();
}

/// What a step works on.
#[derive(Debug, Clone, Copy)]
enum Input {
    Fixtures,
    Paragraphs,
    Records,
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Input::Fixtures => "fixtures",
            Input::Paragraphs => "paragraphs",
            Input::Records => "records",
        })
    }
}

const INPUTS: [Input; 3] = [Input::Fixtures, Input::Paragraphs, Input::Records];

/// The sources of an input with their copybooks, read once.
struct Sources {
    library: MemorySources,
    prepared: Vec<ParsedSource>,
    bytes: usize,
}

impl Input {
    fn sources(self) -> &'static Sources {
        static READ: LazyLock<[Sources; 3]> = LazyLock::new(|| INPUTS.map(Sources::read));
        &READ[self as usize]
    }
}

impl Sources {
    fn read(input: Input) -> Self {
        let library = MemorySources::fixtures();
        let files: Vec<Vec<u8>> = match input {
            Input::Fixtures => {
                let mut bytes = 0;
                let short = |file: &&Vec<u8>| {
                    bytes += file.len();
                    bytes <= MEGABYTE
                };
                library.files().values().cycle().take_while(short).cloned().collect()
            }
            Input::Paragraphs => vec![shape("paragraphs")],
            Input::Records => vec![shape("records")],
        };
        let bytes = files.iter().map(Vec::len).sum();
        let prepared = files.into_iter().map(|file| prepare(file, &library)).collect();
        Self { library, prepared, bytes }
    }
}

/// A stress shape of a megabyte, as a host writes it.
fn shape(name: &str) -> Vec<u8> {
    let (_, units, shape) = STRESS_CASES.into_iter().find(|(known, _, _)| *known == name).expect("it is a shape");
    let bytes = shape(units / 10).bytes(LineStyle::Numbered).len();
    shape(units * MEGABYTE / bytes / 10).bytes(LineStyle::Numbered)
}

fn prepare(bytes: Vec<u8>, library: &MemorySources) -> ParsedSource {
    let source = decoded(bytes);
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), library));
    ParsedSource { source, analysis, secrets: Vec::new(), known_secrets_hash: None, lookups: Vec::new() }
}

fn decoded(bytes: Vec<u8>) -> SourceText {
    SourceText::read("RATES.cbl", bytes, &ReadOptions::default()).expect("an input is text")
}

/// Measures a step over every source of an input.
fn step<T>(bencher: Bencher<'_, '_>, input: Input, work: impl Fn(&ParsedSource, &MemorySources) -> T + Sync) {
    let sources = input.sources();
    bencher.counter(BytesCount::new(sources.bytes)).bench(|| {
        for prepared in &sources.prepared {
            black_box(work(prepared, &sources.library));
        }
    });
}

/// Bytes to lines.
#[divan::bench(name = "01 decode", args = INPUTS, sample_count = 20, sample_size = 1)]
fn decode(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, _| decoded(prepared.source.bytes().to_vec()));
}

/// Lines to tokens.
#[divan::bench(name = "02 lex", args = INPUTS, sample_count = 20, sample_size = 1)]
fn lex(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, _| LexedSource::of(&prepared.source));
}

/// Lines to facts and flow.
#[divan::bench(name = "03 parse", args = INPUTS, sample_count = 20, sample_size = 1)]
fn parse_lines(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, library| {
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&prepared.source)), library));
        analysis.control_flow();
        analysis
    });
}

/// Bytes to facts: all of it but the counting.
#[divan::bench(name = "04 decode and parse", args = INPUTS, sample_count = 20, sample_size = 1)]
fn decode_and_parse(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, library| prepare(prepared.source.bytes().to_vec(), library));
}

/// Facts to JSON.
#[divan::bench(name = "05 facts as JSON", args = INPUTS, sample_count = 20, sample_size = 1)]
fn print_facts(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, _| {
        serde_json::to_string(&facts(&prepared.source, &prepared.analysis)).expect("facts are JSON")
    });
}

/// The tokens of every row, by a counter that has counted nothing before.
#[divan::bench(name = "06 count", args = INPUTS, sample_count = 20, sample_size = 1)]
fn count(bencher: Bencher<'_, '_>, input: Input) {
    let sources = input.sources();
    bencher.counter(BytesCount::new(sources.bytes)).bench(|| {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        for prepared in &sources.prepared {
            black_box(RowTokens::count(&counter, prepared.source.lines().map(|line| line.visible())));
        }
    });
}

/// The tokens of every row, by tiktoken.
#[divan::bench(name = "07 tiktoken", args = INPUTS, sample_count = 5, sample_size = 1)]
fn tiktoken(bencher: Bencher<'_, '_>, input: Input) {
    let tables = tiktoken_rs::o200k_base_singleton();
    step(bencher, input, |prepared, _| {
        tables.count_ordinary(&numbered(prepared.source.lines().map(|line| line.visible())))
    });
}

/// Counted and cut at 4000 tokens.
#[divan::bench(name = "08 count and cut", args = INPUTS, sample_count = 20, sample_size = 1)]
fn cut(bencher: Bencher<'_, '_>, input: Input) {
    let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
    step(bencher, input, |prepared, _| {
        let ParsedSource { source, analysis, .. } = prepared;
        let measure = SourceMeasure::of(source, analysis.parsed(), &counter);
        chunk(source, analysis, &measure, &ChunkLimits::of_source(TokenCount::new(4000)))
    });
}

/// Bytes to the plan of prompts of 15,000 tokens.
#[divan::bench(name = "09 plan", args = INPUTS, sample_count = 20, sample_size = 1)]
fn plan(bencher: Bencher<'_, '_>, input: Input) {
    let planner = war_rig_tests::planner(15_000);
    step(bencher, input, |prepared, library| planner.plan(&prepare(prepared.source.bytes().to_vec(), library)));
}

/// Bytes to documents of the static Scribe, with prompts of 15,000 tokens.
#[divan::bench(name = "10 document", args = INPUTS, sample_count = 5, sample_size = 1)]
fn document(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, _| fuzz_checks::document_any(prepared.source.bytes(), 15_000));
}
