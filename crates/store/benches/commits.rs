//! Measures a store: commits in groups compared with single ones, and a store of 10,000 programs.
//!
//! `cargo bench -p war-rig-store --bench commits [FOLDER]` prints both, in a new folder below FOLDER or the system's folder for temporary
//! files. If that is in memory, a commit costs nothing, and the figures mean little. Compare figures of the same run only.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that cannot go on has failed, and prints")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use war_rig_llm::{AnswerKey, CallLog, CallOutcome, FinishReason, FinishedCall, ModelAnswer, Money, NewCall};
use war_rig_pool::{
    AttemptPolicy, BuildRecord, CopybookLookup, FinishedTicket, OpenTicket, Store, StoredChunk, StoredSource,
    TicketState, Transition, WrittenFile,
};
use war_rig_store::{Database, NewRun, OutputStore, STORE_FILE, StatusQuery, StoreReader};
use war_rig_text::ContentHash;

/// How long each number of writers is measured.
const MEASURED: Duration = Duration::from_secs(2);

const PROGRAMS: usize = 10_000;

fn main() {
    // Cargo adds `--bench`, which is not a folder.
    let below = std::env::args_os().skip(1).find(|argument| !argument.to_string_lossy().starts_with("--"));
    let below = below.map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::tempdir_in(below).unwrap();
    commits(&folder.path().join("commits"));
    programs(&folder.path().join("programs"));
}

fn begun(folder: &Path) -> (Database, Arc<OutputStore>) {
    let database = Database::open(folder, Arc::new(|| 0)).unwrap();
    let run = NewRun { output: "docs".to_owned(), command: Vec::new(), scribe: "static".to_owned() };
    let run = database.begin_run(run).unwrap().number;
    let output = database.for_output("docs", run);
    (database, output)
}

fn opened(file: &str) -> OpenTicket {
    OpenTicket {
        file: file.to_owned(),
        base: "src".to_owned(),
        reason: "new".to_owned(),
        answers_since: None,
        attempts: AttemptPolicy::Keep,
    }
}

fn commits(folder: &Path) {
    let (_database, output) = begun(folder);
    println!("writers  commands a second  beside one writer");
    let mut single = 0.0;
    for writers in [1, 4, 16, 64] {
        let files: Vec<String> = (0..writers).map(|writer| format!("{writer}.cbl")).collect();
        output.open(&files.iter().map(|file| opened(file)).collect::<Vec<_>>()).unwrap();
        let (done, begin) = (AtomicUsize::new(0), Instant::now());
        thread::scope(|scope| {
            for file in &files {
                scope.spawn(|| {
                    while begin.elapsed() < MEASURED {
                        output.begin(file).unwrap();
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        let rate = done.into_inner() as f64 / begin.elapsed().as_secs_f64();
        if writers == 1 {
            single = rate;
        }
        println!("{writers:7}  {rate:17.0}  {:17.1}", rate / single);
    }
}

fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

/// A finished ticket with the records of a program of a thousand lines.
fn done(file: &str) -> FinishedTicket {
    let step = |from, to| Transition { from, to, reason: "a reason of some length, as they are".to_owned() };
    let written = |ending: &str| WrittenFile {
        name: format!("{file}.{ending}"),
        size: 80_000,
        hash: hash(file),
        changed: Some(1_767_323_045_000_000_000),
    };
    let chunk = StoredChunk { lines: 300, first: hash(file), rows: hash(file), context: hash(file), told: hash(file) };
    FinishedTicket {
        file: file.to_owned(),
        state: TicketState::Done,
        history: vec![
            step(TicketState::Pending, TicketState::Planned),
            step(TicketState::Planned, TicketState::Writing),
            step(TicketState::Writing, TicketState::Merged),
            step(TicketState::Merged, TicketState::Done),
        ],
        build_record: Some(BuildRecord {
            inputs_hash: hash(file),
            context_hash: hash(file),
            estate_hash: hash("estate"),
            report: "x".repeat(600),
            files: vec![written("json"), written("md")],
        }),
        chunks: Some(vec![chunk; 3]),
        unusable_questions: Vec::new(),
        is_quarantined: false,
    }
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    println!("{:8.3} s  {what}", begin.elapsed().as_secs_f64());
    result
}

/// Returns the best of several times, if the work can be repeated, because other processes use the machine as well.
fn best<T>(what: &str, mut work: impl FnMut() -> T) -> T {
    let mut results = (0..5).map(|_| {
        let begin = Instant::now();
        (work(), begin.elapsed())
    });
    let first = results.next().unwrap();
    let (result, time) = results.fold(first, |best, next| if next.1 < best.1 { next } else { best });
    println!("{:8.3} s  {what}, the best of 5", time.as_secs_f64());
    result
}

fn ask(output: &OutputStore, runtime: &tokio::runtime::Runtime, files: &[String]) {
    let key = |file: &str| AnswerKey { key: hash(file), question: hash(file), turn: 0 };
    let call = |file: &str| NewCall {
        key: key(file),
        file: file.to_owned(),
        about: format!("{file} chunk 1/3 (lines 1-300)"),
        prompt_tokens: 9000,
        most: Money::from_usd(0.1),
    };
    let answer = ModelAnswer {
        text: "the answer of a model, which is some thousand letters long. ".repeat(80),
        finish: FinishReason::Stop,
        refusal: None,
        service_tier: None,
        usage: None,
    };
    let ended = |file: &str| FinishedCall {
        key: key(file),
        result: Ok(CallOutcome::Answer(answer.clone())),
        completion_tokens: 1500,
        cost: Money::from_usd(0.05),
    };
    runtime.block_on(futures_of(files.iter().map(|file| async {
        let number = output.record_call(call(file)).await.unwrap();
        output.record_outcome(number, ended(file), 0).await.unwrap();
    })));
}

/// Waits for all of these, 64 at a time.
async fn futures_of(all: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut all = all.peekable();
    while all.peek().is_some() {
        let mut some: Vec<_> = all.by_ref().take(64).map(Box::pin).collect();
        std::future::poll_fn(|context| {
            some.retain_mut(|one| one.as_mut().poll(context).is_pending());
            if some.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
}

fn programs(folder: &Path) {
    let files: Vec<String> = (0..PROGRAMS).map(|file| format!("cbl/module{:03}/P{file:05}.cbl", file % 100)).collect();
    let lookup = |name: &str| CopybookLookup {
        name: name.to_owned(),
        library: None,
        found: Some((format!("cpy/{name}.cpy"), hash(name))),
        masked: None,
        passed_over: Vec::new(),
        is_source: true,
    };
    let sources: Vec<(StoredSource, Option<String>)> = files
        .iter()
        .map(|file| {
            let lookups = ["CVACT01Y", "CVACT02Y", "COCOM01Y", "DFHAID"].map(lookup).to_vec();
            (StoredSource { file: file.clone(), hash: hash(file), lookups }, Some("survey of it ".repeat(400)))
        })
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    println!("\nA store of {PROGRAMS} programs, 5 KB of survey and 5 KB of answer each");
    let (database, output) = begun(folder);
    timed("sources kept, 500 at a time", || {
        sources.chunks(500).for_each(|sources| output.save_sources(sources).unwrap());
    });
    timed("tickets opened at once", || {
        output.open(&files.iter().map(|file| opened(file)).collect::<Vec<_>>()).unwrap();
    });
    timed("answers kept, 64 calls at a time", || ask(&output, &runtime, &files));
    timed("tickets finished, 100 at a time", || {
        for some in files.chunks(100) {
            output.finish(&some.iter().map(|file| done(file)).collect::<Vec<_>>()).unwrap();
        }
    });
    timed("closed", || drop((database, output)));
    let size = folder.join(STORE_FILE).metadata().unwrap().len();
    println!("{:8.1} MB, {:.1} KB a program", size as f64 / 1e6, size as f64 / 1e3 / PROGRAMS as f64);
    let (database, output) = timed("opened, a run begun", || begun(folder));
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let tickets = best("tickets read", || output.tickets().unwrap());
    assert_eq!(tickets.len(), PROGRAMS);
    best("sources read", || output.sources().unwrap());
    best("surveys read", || output.surveys(&mut |_, survey| assert!(!survey.is_empty())).unwrap());
    timed("tickets settled", || output.confirm_estate(hash("other"), &names).unwrap());
    best("answers found", || {
        for file in &files {
            let key = AnswerKey { key: hash(file), question: hash(file), turn: 0 };
            assert!(runtime.block_on(output.find_answer(key, 0)).unwrap().is_some());
        }
    });
    let reader = StoreReader::open(folder).unwrap();
    best("status with history", || reader.status(StatusQuery { output: None, history: true }).unwrap());
    drop((database, output));
}
