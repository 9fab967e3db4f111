//! What the model Scribe makes of whatever a model answers.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{
    BudgetedPrompt, CallError, Dialect, FinishReason, ModelAnswer, ModelClient, ModelOptions, ModelProvider, Money,
    OutputLimitParameter, PromptKind, RateLimits, ResponseFormat, UserMessage,
};
use war_rig_scribe::{ChunkFacts, FileFacts, ModelScribe, Scribe, ScribeError, ScribeOutput, ScribeResponse};
use war_rig_template::Purpose;
use war_rig_text::{ReadOptions, SourceText};

const GOOD: &str = r#"{"paragraphs": [{"paragraph_name": "A", "summary": "Does.", "citations": []}]}"#;
const HALF: &str = r#"{"paragraphs": [{"paragraph_name": "A", "summary": "Does.", "citations": []}, 7]}"#;

/// Answers in order, each as it stands here.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<ModelAnswer>>,
    asked: Mutex<Vec<String>>,
}

#[derive(Clone)]
struct Scripted(Arc<Script>);

impl ModelProvider for Scripted {
    async fn send(&self, prompt: &BudgetedPrompt, _: Dialect) -> Result<ModelAnswer, CallError> {
        self.0.asked.lock().unwrap().push(prompt.user().to_owned());
        Ok(self.0.answers.lock().unwrap().pop_front().expect("the script has an answer for every call"))
    }
}

fn text(text: &str) -> ModelAnswer {
    ModelAnswer { text: text.to_owned(), finish: FinishReason::Stop, refusal: None, usage: None }
}

fn cut(said: &str) -> ModelAnswer {
    ModelAnswer { finish: FinishReason::Length, ..text(said) }
}

fn refusal() -> ModelAnswer {
    ModelAnswer { refusal: Some("I will\nnot.".to_owned()), ..text("") }
}

fn scribe(answers: Vec<ModelAnswer>) -> (ModelScribe<Scripted>, Arc<Script>) {
    let script = Arc::new(Script { answers: Mutex::new(answers.into()), asked: Mutex::default() });
    let second = Duration::from_secs(1);
    let options = ModelOptions {
        limits: RateLimits {
            concurrency: 1,
            requests_per_minute: None,
            tokens_per_minute: None,
            max_wait: second,
            outage: second,
        },
        dialect: Dialect {
            format: ResponseFormat::JsonSchema,
            limit: OutputLimitParameter::MaxTokens,
            temperature: true,
            service_tier: true,
            reasoning_effort: true,
        },
        pinned: Vec::new(),
        cap: None,
        spent: Money::ZERO,
        info: None,
        token_ratio: 1.0,
        margin: 0.0,
        max_answer: TokenCount::new(1000),
        dropped_below: 0.6,
    };
    let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
    let model = ModelClient::new(Some(Scripted(Arc::clone(&script))), None, counter, options);
    (ModelScribe::new(Arc::new(model), "writer"), script)
}

/// Has a chunk written, in a prompt with room for `room` tokens more. Gives what came of it and what was asked.
async fn write(answers: Vec<ModelAnswer>, room: u64) -> (Result<ScribeOutput, ScribeError>, Vec<String>) {
    let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
    let kind = Arc::new(PromptKind::new("answer", "You.", "{}", &counter));
    let user = || UserMessage::from("<<<SOURCE");
    let tokens = BudgetedPrompt::new(&kind, user(), &counter, TokenCount::new(1000)).unwrap().tokens();
    let limit = tokens + TokenCount::new(room);
    let prompt = BudgetedPrompt::new(&kind, user(), &counter, limit).unwrap();
    let source = SourceText::read("A.cbl", b"       A.\n".to_vec(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let facts = ChunkFacts::new(&file, source.line_range().unwrap());
    let (scribe, provider) = scribe(answers);
    let ScribeResponse { result, usage: bill } = scribe.write(&prompt, &facts).await;
    let asked = provider.asked.lock().unwrap().clone();
    assert_eq!(bill.calls, asked.len() as u64);
    (result, asked)
}

/// The paragraphs and notes that were written, or the error, and the number of calls.
async fn check(answers: Vec<ModelAnswer>, room: u64, expected: &str, calls: usize) {
    let (result, asked) = write(answers, room).await;
    let told = match result {
        Ok(written) => format!("{} of it; {}", written.partial.paragraphs.len(), written.notes.join("; ")),
        Err(error) => error.to_string(),
    };
    assert_eq!((told.as_str(), asked.len()), (expected, calls));
}

#[tokio::test]
async fn a_whole_answer_takes_one_call() {
    check(vec![text(GOOD)], 500, "1 of it; ", 1).await;
    check(vec![text(&format!("Gladly:\n```json\n{GOOD}\n```"))], 500, "1 of it; ", 1).await;
}

#[tokio::test]
async fn what_is_wrong_with_an_answer_is_said_once() {
    check(vec![text(HALF), text(GOOD)], 500, "1 of it; ", 2).await;
    check(vec![text(HALF), text("Sorry.")], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text(HALF), cut(GOOD)], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text(HALF), text(r#"{"paragraphs": []}"#)], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text("{}"), text("{}")], 500, "the answer holds nothing that was asked for: {}", 2).await;
    check(vec![text("Sorry."), text(HALF)], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text("Sorry."), text("No.")], 500, "the answer holds nothing that was asked for: Sorry.", 2).await;
    let (_, asked) = write(vec![text(HALF), text(GOOD)], 500).await;
    let note = asked[1].strip_prefix(&asked[0]).unwrap();
    assert!(note.contains("paragraphs 2 is no object") && !note.contains('7'), "{note}");
}

#[tokio::test]
async fn without_room_for_it_what_is_wrong_is_not_said() {
    check(vec![text(HALF)], 5, "1 of it; paragraphs 2 is no object", 1).await;
}

#[tokio::test]
async fn a_refusal_and_an_empty_answer_are_asked_for_once_more() {
    check(vec![refusal(), text(GOOD)], 500, "1 of it; ", 2).await;
    check(vec![text(" \n"), text(GOOD)], 500, "1 of it; ", 2).await;
    check(vec![refusal(), refusal()], 500, "the model refuses: I will not.", 2).await;
    check(vec![text(""), text("")], 500, "the answer is empty", 2).await;
    let filtered = || ModelAnswer { finish: FinishReason::ContentFilter, ..text("{\"par") };
    check(vec![filtered(), filtered()], 500, "a filter of the provider stopped the answer: {\"par", 2).await;
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_no_answer_though_it_looks_whole() {
    let (result, asked) = write(vec![cut(GOOD)], 500).await;
    assert_eq!((result.unwrap_err(), asked.len()), (ScribeError::Truncated, 1));
}

fn purpose(summary: &str) -> Purpose {
    Purpose { summary: summary.to_owned(), ..Purpose::default() }
}

#[tokio::test]
async fn parts_of_a_purpose_are_read_together_round_by_round_where_they_do_not_fit() {
    let whole = r#"{"summary": "Posts claims.", "business_context": null, "program_type": "batch"}"#;
    let parts: Vec<Purpose> =
        (0..12).map(|part| purpose(&format!("Part {part} {}", "posts claims ".repeat(20)))).collect();
    let (plain, _) = scribe(Vec::new());
    assert!(plain.reconcile(&parts, "A.cbl", 0).await.is_none());
    for (limit, calls) in [(20_000, 1..=1), (900, 3..=12)] {
        let (scribe, script) = scribe(vec![text(whole); 20]);
        let scribe = scribe.with_reconciler(TokenCount::new(limit));
        let call = scribe.reconcile(&parts, "A.cbl", 0).await.unwrap();
        assert_eq!(call.result.unwrap().summary, "Posts claims.");
        assert!(call.usage.largest_prompt <= limit);
        let asked = script.asked.lock().unwrap().len();
        assert!(calls.contains(&asked), "{asked} calls");
    }
    let (scribe, _) = scribe(vec![text("No.")]);
    let call = scribe.with_reconciler(TokenCount::new(20_000)).reconcile(&parts, "A.cbl", 0).await.unwrap();
    assert_eq!(call.result.unwrap_err().to_string(), "the answer is no purpose");
}
