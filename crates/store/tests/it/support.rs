//! Folders, clocks and values for the tests.

use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tempfile::TempDir;
use war_rig_llm::{AnswerKey, CallOutcome, FinishReason, FinishedCall, ModelAnswer, Money, NewCall};
use war_rig_pool::{
    AttemptPolicy, BuildRecord, FinishedTicket, OpenTicket, StoredChunk, StoredSource, TicketState, Transition,
    WrittenFile,
};
use war_rig_store::{Clock, Database, NewRun, OutputStore};
use war_rig_text::ContentHash;

/// The name of the output folder in most tests.
pub const OUTPUT: &str = "docs";

/// A clock that stands still.
pub fn clock() -> Clock {
    Arc::new(|| 1_767_323_045)
}

pub fn open(folder: &Path) -> Database {
    Database::open(folder, clock()).unwrap()
}

/// A folder that goes when the test ends.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub fn new_run(output: &str) -> NewRun {
    let command = ["war-rig", "document", "src", "-o", output].map(str::to_owned).to_vec();
    NewRun { output: output.to_owned(), command, scribe: "static".to_owned() }
}

/// A store with its first run begun, and what that run writes to.
pub fn begun(folder: &Path) -> (Database, Arc<OutputStore>, u64) {
    let database = open(folder);
    let run = database.begin_run(new_run(OUTPUT)).unwrap().number;
    let output = database.for_output(OUTPUT, run);
    (database, output, run)
}

pub fn hash(text: &str) -> ContentHash {
    ContentHash::of(text.as_bytes())
}

pub fn opened(file: &str) -> OpenTicket {
    OpenTicket {
        file: file.to_owned(),
        base: "src".to_owned(),
        reason: "new".to_owned(),
        answers_since: None,
        attempts: AttemptPolicy::Keep,
    }
}

pub fn made(text: &str) -> BuildRecord {
    BuildRecord {
        inputs_hash: hash(text),
        context_hash: hash("context"),
        estate_hash: hash("estate"),
        report: format!("{{\"file\":\"{text}\"}}"),
        files: vec![
            WrittenFile { name: format!("{text}.json"), size: 7, hash: hash("json"), changed: Some(-3) },
            WrittenFile { name: format!("{text}.md"), size: 9, hash: hash("md"), changed: None },
        ],
    }
}

pub fn chunk(text: &str) -> StoredChunk {
    let of = |part: &str| hash(&format!("{text} {part}"));
    StoredChunk { lines: 300, first: of("first"), rows: of("rows"), context: of("context"), told: of("told") }
}

pub fn finished(file: &str, state: TicketState, reason: &str) -> FinishedTicket {
    FinishedTicket {
        file: file.to_owned(),
        state,
        history: vec![Transition { from: TicketState::Merged, to: state, reason: reason.to_owned() }],
        build_record: None,
        chunks: None,
        unusable_questions: Vec::new(),
        is_quarantined: false,
    }
}

/// A ticket that has its document.
pub fn done(file: &str) -> FinishedTicket {
    FinishedTicket {
        build_record: Some(made(file)),
        chunks: Some(vec![chunk(file), chunk("other")]),
        ..finished(file, TicketState::Done, "written")
    }
}

pub fn source(file: &str) -> StoredSource {
    StoredSource { file: file.to_owned(), hash: hash(file), lookups: Vec::new() }
}

pub fn key(text: &str, turn: u32) -> AnswerKey {
    AnswerKey { key: hash(text), question: hash(text), turn }
}

pub fn call(key: AnswerKey, file: &str) -> NewCall {
    NewCall {
        key,
        file: file.to_owned(),
        about: format!("{file} chunk 1/1 (lines 1-80)"),
        prompt_tokens: 1000,
        most: Money::from_units(500),
    }
}

pub fn answer(text: &str) -> CallOutcome {
    CallOutcome::Answer(ModelAnswer {
        text: text.to_owned(),
        finish: FinishReason::Stop,
        refusal: None,
        service_tier: None,
        usage: None,
    })
}

pub fn answered(key: AnswerKey, text: &str) -> FinishedCall {
    ended(key, Ok(answer(text)), 50, 120)
}

pub fn failed(key: AnswerKey) -> FinishedCall {
    ended(key, Err("the server failed".to_owned()), 0, 0)
}

pub fn ended(key: AnswerKey, result: Result<CallOutcome, String>, completion_tokens: u64, cost: u64) -> FinishedCall {
    FinishedCall { key, result, completion_tokens, cost: Money::from_units(cost) }
}

/// The end of a future, waited for on this thread.
pub fn wait<T>(mut future: std::pin::Pin<Box<dyn Future<Output = T> + Send + '_>>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(ended) => return ended,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}
