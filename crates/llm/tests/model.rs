//! What a model is asked, how often, and when no more.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{
    BudgetedPrompt, CallError, CallErrorKind, ContextOverflow, Dialect, FinishReason, ModelAnswer, ModelClient,
    ModelError, ModelOptions, ModelProvider, ModelRegistry, Money, OutputLimitParameter, PromptKind, RateLimits,
    RequestFeature, ResponseFormat, StopReason, TokenUsage, UsageTotals, UserMessage,
};

/// Does with every call what it is told to; keeps the wordings in which it was asked.
struct Told<F> {
    answer: F,
    asked: Arc<Mutex<Vec<Dialect>>>,
}

impl<F: Fn(usize, Dialect) -> Result<ModelAnswer, CallError> + Send + Sync> ModelProvider for Told<F> {
    async fn send(&self, _: &BudgetedPrompt, dialect: Dialect) -> Result<ModelAnswer, CallError> {
        let order = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(dialect);
            asked.len()
        };
        tokio::time::sleep(Duration::from_millis(50)).await;
        (self.answer)(order, dialect)
    }
}

const DIALECT: Dialect = Dialect {
    format: ResponseFormat::JsonSchema,
    limit: OutputLimitParameter::MaxTokens,
    temperature: true,
    service_tier: true,
    reasoning_effort: true,
};

fn options() -> ModelOptions {
    ModelOptions {
        service_tier: None,
        limits: RateLimits {
            concurrency: 4,
            requests_per_minute: None,
            tokens_per_minute: None,
            max_wait: Duration::from_secs(120),
            outage: Duration::from_secs(30),
        },
        dialect: DIALECT,
        pinned: Vec::new(),
        cap: None,
        spent: Money::ZERO,
        info: ModelRegistry::built_in().find("gpt-4o").cloned(),
        token_ratio: 1.0,
        max_answer: TokenCount::new(1000),
        margin: 0.02,
        dropped_below: 0.9,
    }
}

fn good() -> ModelAnswer {
    let usage = TokenUsage { prompt_tokens: 2000, completion_tokens: 500, cached_tokens: 0 };
    ModelAnswer {
        text: "{}".to_owned(),
        finish: FinishReason::Stop,
        refusal: None,
        service_tier: None,
        usage: Some(usage),
    }
}

fn error<T>(kind: CallErrorKind) -> Result<T, CallError> {
    Err(CallError::new(kind, "it said so"))
}

/// A prompt of some 1,700 tokens, of which the server counts some more.
fn prompt() -> BudgetedPrompt {
    let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
    let kind = Arc::new(PromptKind::new("answer", "You.", "{}", &counter));
    let user = UserMessage::from("MOVE A TO B.\n".repeat(340).as_str());
    BudgetedPrompt::new(&kind, user, &counter, TokenCount::new(5000)).unwrap()
}

/// Asks `calls` times at once. Gives what came, what it took, and the wordings.
async fn ask(
    calls: usize,
    options: ModelOptions,
    answer: impl Fn(usize, Dialect) -> Result<ModelAnswer, CallError> + Send + Sync + 'static,
) -> (Vec<Result<ModelAnswer, ModelError>>, UsageTotals, Vec<Dialect>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let provider = Told { answer, asked: Arc::clone(&asked) };
    let model =
        Arc::new(ModelClient::new(Some(provider), None, TokenCounter::new(TokenizerEncoding::O200kBase), options));
    let prompt = Arc::new(prompt());
    let works = (0..calls).map(|_| {
        let (model, prompt) = (Arc::clone(&model), Arc::clone(&prompt));
        tokio::spawn(async move {
            let mut bill = UsageTotals::default();
            (model.ask(&prompt, &mut bill).await, bill)
        })
    });
    let (mut results, mut bill) = (Vec::new(), UsageTotals::default());
    for work in works.collect::<Vec<_>>() {
        let (result, took) = work.await.unwrap();
        results.push(result);
        bill += took;
    }
    assert_eq!(model.progress().usage, bill);
    assert_eq!(bill.calls, asked.lock().unwrap().len() as u64);
    let asked = asked.lock().unwrap().clone();
    (results, bill, asked)
}

fn stopped(result: &Result<ModelAnswer, ModelError>) -> Option<StopReason> {
    match result {
        Err(ModelError::Stopped(stopped)) => Some(stopped.reason),
        _ => None,
    }
}

/// Keeps how many calls are under way, and the most that were.
#[derive(Clone, Default)]
struct Counting(Arc<(AtomicU64, AtomicU64)>);

impl ModelProvider for Counting {
    async fn send(&self, _: &BudgetedPrompt, _: Dialect) -> Result<ModelAnswer, CallError> {
        let Self(counts) = self;
        let now = counts.0.fetch_add(1, Ordering::SeqCst) + 1;
        counts.1.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(50)).await;
        counts.0.fetch_sub(1, Ordering::SeqCst);
        Ok(good())
    }
}

#[tokio::test(start_paused = true)]
async fn models_that_share_places_have_no_more_calls_in_flight_than_there_are() {
    let (counting, places) = (Counting::default(), Arc::new(Semaphore::new(3)));
    let model = || {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        Arc::new(
            ModelClient::new(Some(counting.clone()), None, counter, options()).with_shared_slots(Arc::clone(&places)),
        )
    };
    let (one, other, prompt) = (model(), model(), Arc::new(prompt()));
    let works = (0..40).map(|number| {
        let model = Arc::clone(if number % 2 == 0 { &one } else { &other });
        let prompt = Arc::clone(&prompt);
        tokio::spawn(async move { model.ask(&prompt, &mut UsageTotals::default()).await })
    });
    for work in works.collect::<Vec<_>>() {
        work.await.unwrap().unwrap();
    }
    assert_eq!(counting.0.1.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_refused_ends_all_calls_after_those_in_flight() {
    for (kind, reason) in [
        (CallErrorKind::Authentication, StopReason::Authentication),
        (CallErrorKind::Quota, StopReason::Quota),
        (CallErrorKind::UnknownModel, StopReason::UnknownModel),
    ] {
        let (results, bill, _) = ask(200, options(), move |_, _| error(kind)).await;
        assert!(results.iter().all(|result| stopped(result) == Some(reason)));
        assert!(bill.calls <= 4, "{} calls", bill.calls);
    }
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_sent_four_times_and_what_is_refused_once() {
    let (results, bill, _) = ask(1, options(), |_, _| error(CallErrorKind::BrokenAnswer)).await;
    assert_eq!(results[0].as_ref().unwrap_err().to_string(), "it said so (4 attempts)");
    assert_eq!((bill.calls, bill.retries), (4, 3));
    let (results, bill, _) = ask(1, options(), |_, _| error(CallErrorKind::Rejected)).await;
    assert_eq!((results[0].as_ref().unwrap_err().to_string().as_str(), bill.calls), ("it said so", 1));
    let (results, bill, _) = ask(100, options(), |_, _| error(CallErrorKind::Rejected)).await;
    assert!(results.iter().any(|result| stopped(result) == Some(StopReason::Configuration)));
    assert!(bill.calls <= 13, "{} calls", bill.calls);
    let (results, bill, _) = ask(100, options(), |_, _| error(CallErrorKind::Filtered)).await;
    assert!(results.iter().all(|result| stopped(result).is_none()) && bill.calls == 100);
}

#[tokio::test(start_paused = true)]
async fn too_many_calls_are_no_attempts() {
    let limited = CallErrorKind::RateLimited { retry_after: Some(Duration::from_secs(2)) };
    let (results, bill, _) =
        ask(1, options(), move |order, _| if order <= 20 { error(limited) } else { Ok(good()) }).await;
    assert!(results[0].is_ok());
    assert_eq!((bill.calls, bill.retries), (21, 20));
}

#[tokio::test(start_paused = true)]
async fn what_a_server_does_not_take_is_asked_for_otherwise_and_only_the_first_finds_out() {
    let (results, _, asked) = ask(50, options(), |_, dialect| match dialect {
        Dialect { format: ResponseFormat::JsonSchema, .. } => {
            error(CallErrorKind::NotSupported(RequestFeature::AnswerFormat))
        }
        Dialect { limit: OutputLimitParameter::MaxTokens, .. } => {
            error(CallErrorKind::NotSupported(RequestFeature::AnswerLimit))
        }
        _ => Ok(good()),
    })
    .await;
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(asked.len(), 52);
    let pinned = ModelOptions { pinned: vec![RequestFeature::AnswerFormat], ..options() };
    let (results, _, asked) =
        ask(1, pinned, |_, _| error(CallErrorKind::NotSupported(RequestFeature::AnswerFormat))).await;
    assert!(results[0].is_err() && asked.len() == 1);
}

#[tokio::test(start_paused = true)]
async fn no_call_is_made_that_could_go_over_the_cap() {
    let cap = Money::from_usd(0.25);
    let charged = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&charged);
    let capped = ModelOptions { cap: Some(cap), ..options() };
    let (results, bill, _) = ask(200, capped.clone(), move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(good())
    })
    .await;
    // 2,000 tokens at 2.50 and 500 at 10 dollars a million.
    let one = Money::from_usd(0.01);
    assert_eq!(bill.cost, one.times(charged.load(Ordering::SeqCst)));
    assert!(bill.cost <= cap && cap - bill.cost < Money::from_usd(0.02), "{}", bill.cost);
    assert!(results.iter().any(|result| stopped(result) == Some(StopReason::SpendCap)));
    // An answer that is lost may have been paid for.
    let (_, bill, _) = ask(200, capped.clone(), |_, _| error(CallErrorKind::BrokenAnswer)).await;
    let least = Money::from_usd(0.014);
    assert!(least.times(bill.calls) <= cap, "{} calls", bill.calls);
    // Without a limit an answer may cost anything.
    let (results, bill, _) = ask(5, capped, |_, dialect| match dialect.limit {
        OutputLimitParameter::None => Ok(good()),
        _ => error(CallErrorKind::NotSupported(RequestFeature::AnswerLimit)),
    })
    .await;
    assert!(results.iter().all(|result| stopped(result) == Some(StopReason::Configuration)));
    assert_eq!(bill.cost, Money::ZERO);
}

#[tokio::test(start_paused = true)]
async fn an_answer_costs_what_the_tier_costs_that_served_it() {
    let mut info = ModelRegistry::built_in().find("gpt-4o").cloned().unwrap();
    info.tiers = [("flex".to_owned(), 50), ("priority".to_owned(), 170)].into();
    let asked =
        |tier: &str| ModelOptions { service_tier: Some(tier.to_owned()), info: Some(info.clone()), ..options() };
    let served = |tier: Option<&'static str>| {
        move |_: usize, _: Dialect| Ok(ModelAnswer { service_tier: tier.map(str::to_owned), ..good() })
    };
    let ordinary = Money::from_usd(0.01);
    for (tier, served_by, percent) in [
        ("flex", None, 50),
        ("flex", Some("flex"), 50),
        ("flex", Some("default"), 100),
        ("priority", Some("priority"), 170),
        ("priority", Some("default"), 100),
        ("golden", None, 100),
    ] {
        let (_, bill, _) = ask(1, asked(tier), served(served_by)).await;
        assert_eq!(bill.cost, Money::from_units(ordinary.units() * percent / 100), "{tier} {served_by:?}");
    }
    // A server that knows no tiers serves the ordinary one.
    let (_, bill, _) = ask(1, asked("flex"), |_, dialect| match dialect.service_tier {
        true => error(CallErrorKind::NotSupported(RequestFeature::ServiceTier)),
        false => Ok(good()),
    })
    .await;
    assert_eq!(bill.cost, ordinary);
    // The cap holds in a dear tier too.
    let cap = Money::from_usd(0.1);
    let capped = ModelOptions { cap: Some(cap), ..asked("priority") };
    let (results, bill, _) = ask(50, capped, served(Some("priority"))).await;
    assert!(bill.cost <= cap && results.iter().any(|result| stopped(result) == Some(StopReason::SpendCap)));
}

#[tokio::test(start_paused = true)]
async fn a_prompt_of_which_a_part_was_dropped_is_not_answered() {
    let with = |prompt_tokens: u64| {
        let usage = TokenUsage { prompt_tokens, completion_tokens: 5, cached_tokens: 0 };
        move |_: usize, _: Dialect| Ok(ModelAnswer { usage: Some(usage), ..good() })
    };
    let (results, ..) = ask(1, options(), with(1000)).await;
    let dropped = ContextOverflow { window: Some(1000), counted: None };
    assert_eq!(results[0], Err(ModelError::Overflow(dropped)));
    // Nearly as many as we count, and what nobody has counted.
    for tokens in [1900, 10, 0] {
        let (results, ..) = ask(1, options(), with(tokens)).await;
        assert!(results[0].is_ok(), "{tokens}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_without_room_for_an_answer_is_told_at_once() {
    let overflow = |window, counted| {
        CallErrorKind::ContextOverflow(ContextOverflow { window: Some(window), counted: Some(counted) })
    };
    let (results, bill, _) = ask(10, options(), move |_, _| error(overflow(1000, 800))).await;
    let told = results[0].as_ref().unwrap_err().to_string();
    assert!(told.contains("scribe.max_completion_tokens"), "{told}");
    assert!(bill.calls <= 4);
    let (results, ..) = ask(1, options(), move |_, _| error(overflow(1000, 1800))).await;
    assert!(matches!(results[0], Err(ModelError::Overflow(_))));
}
