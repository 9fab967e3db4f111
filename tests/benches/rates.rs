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
use war_rig_cobol::{Analysis, Lexed, facts, parse};
use war_rig_estimator::{Encoding, RowTokens, TokenCount, TokenCounter};
use war_rig_pool::Prepared;
use war_rig_tests::shapes::{Dress, SHAPES};
use war_rig_tests::{Memory, checks, numbered};
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
    library: Memory,
    prepared: Vec<Prepared>,
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
        let library = Memory::fixtures();
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
    let (_, units, shape) = SHAPES.into_iter().find(|(known, _, _)| *known == name).expect("it is a shape");
    let bytes = shape(units / 10).bytes(Dress::Numbered).len();
    shape(units * MEGABYTE / bytes / 10).bytes(Dress::Numbered)
}

fn prepare(bytes: Vec<u8>, library: &Memory) -> Prepared {
    let source = decoded(bytes);
    let analysis = Analysis::of(parse(&Arc::new(Lexed::of(&source)), library));
    Prepared { source, analysis, secrets: Vec::new(), known: None, lookups: Vec::new() }
}

fn decoded(bytes: Vec<u8>) -> SourceText {
    SourceText::read("RATES.cbl", bytes, &ReadOptions::default()).expect("an input is text")
}

/// Measures a step over every source of an input.
fn step<T>(bencher: Bencher<'_, '_>, input: Input, work: impl Fn(&Prepared, &Memory) -> T + Sync) {
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
    step(bencher, input, |prepared, _| Lexed::of(&prepared.source));
}

/// Lines to facts and flow.
#[divan::bench(name = "03 parse", args = INPUTS, sample_count = 20, sample_size = 1)]
fn parse_lines(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, library| {
        let analysis = Analysis::of(parse(&Arc::new(Lexed::of(&prepared.source)), library));
        analysis.flow();
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
        let counter = TokenCounter::new(Encoding::O200kBase);
        for prepared in &sources.prepared {
            black_box(RowTokens::count(&counter, prepared.source.lines().map(|line| line.shown())));
        }
    });
}

/// The tokens of every row, by tiktoken.
#[divan::bench(name = "07 tiktoken", args = INPUTS, sample_count = 5, sample_size = 1)]
fn tiktoken(bencher: Bencher<'_, '_>, input: Input) {
    let tables = tiktoken_rs::o200k_base_singleton();
    step(bencher, input, |prepared, _| {
        tables.count_ordinary(&numbered(prepared.source.lines().map(|line| line.shown())))
    });
}

/// Counted and cut at 4000 tokens.
#[divan::bench(name = "08 count and cut", args = INPUTS, sample_count = 20, sample_size = 1)]
fn cut(bencher: Bencher<'_, '_>, input: Input) {
    let counter = TokenCounter::new(Encoding::O200kBase);
    step(bencher, input, |prepared, _| {
        let Prepared { source, analysis, .. } = prepared;
        let measure = SourceMeasure::of(source, analysis.parsed(), &counter);
        chunk(source, analysis, &measure, &ChunkLimits::of_source(TokenCount::new(4000)))
    });
}

/// Bytes to the plan of prompts of 15,000 tokens.
#[divan::bench(name = "09 plan", args = INPUTS, sample_count = 20, sample_size = 1)]
fn plan(bencher: Bencher<'_, '_>, input: Input) {
    let planner = war_rig_tests::planner(15_000);
    step(bencher, input, |prepared, library| {
        planner.plan(&prepare(prepared.source.bytes().to_vec(), library))
    });
}

/// Bytes to documents of the static Scribe, with prompts of 15,000 tokens.
#[divan::bench(name = "10 document", args = INPUTS, sample_count = 5, sample_size = 1)]
fn document(bencher: Bencher<'_, '_>, input: Input) {
    step(bencher, input, |prepared, _| checks::documented(prepared.source.bytes(), 15_000));
}
