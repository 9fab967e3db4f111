//! What a provider does wrong, with an answer of the other parts and without one.

use super::{Case, Outcome, all_of, ids};
use crate::asked::{KEY, cost, together};
use serde_json::Value;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript, OverflowStyle, Window};

/// Minutes in some four parts.
const ITEMS: u64 = 100;

fn case(script: FaultScript) -> Case {
    Case::minutes(ITEMS, FakeOptions { script, ..FakeOptions::default() })
}

/// Settings of a run in which nothing takes long.
fn hurried(case: Case) -> Case {
    case.set("timeout_seconds", 20).set("idle_timeout_seconds", 1)
}

/// Asserts that the answer is there and whole.
#[track_caller]
fn check_all(outcome: &Outcome) {
    outcome.ended(0, &[]);
    assert_eq!(outcome.ids(), all_of(ITEMS));
    assert_eq!(outcome.json()["status"], "complete");
    assert_eq!(outcome.json()["failed"], Value::Array(Vec::new()));
}

/// Runs under both policies: without an answer, and with that of the other parts.
fn both(make: impl Fn() -> Case, more: &str, said: &[&str]) -> Outcome {
    let failed = make().run(&format!("{more} --on-failure fail"));
    failed.ended(3, said);
    assert_eq!(failed.ran.out, "", "there is no answer");
    assert_eq!(failed.report["status"], "failed");
    let partial = make().run(&format!("{more} --on-failure partial"));
    partial.ended(3, said);
    let answer = partial.json();
    assert_eq!(answer["status"], "partial");
    let rows = answer["failed"].as_array().unwrap();
    assert!(!rows.is_empty());
    // What is answered and what is told as failed is all there is.
    let lines = |row: &Value| (row["lines"][0].as_u64().unwrap(), row["lines"][1].as_u64().unwrap());
    let found: Vec<String> = ids(&answer["answer"]);
    for (number, id) in (1..).zip(all_of(ITEMS)) {
        let is_lost = rows.iter().any(|row| (lines(row).0..=lines(row).1).contains(&number));
        assert_eq!(found.contains(&id), !is_lost, "{id}: {rows:?}");
    }
    // What is missing is missed by the audit as well.
    let missed = answer["audit"]["missed"].as_array().unwrap().len();
    assert_eq!(missed + found.len(), all_of(ITEMS).len());
    partial
}

#[test]
fn whoever_asks_to_wait_is_waited_for() {
    let waits =
        [Some("1"), Some("0.5"), Some("soon"), None].map(|wait| CallFault::RateLimited(wait.map(str::to_owned)));
    together(waits.to_vec(), |wait| {
        let outcome = case(FaultScript::first(2, wait)).set("concurrency", 1).run("");
        check_all(&outcome);
    });
}

#[test]
fn what_no_second_try_helps_ends_the_run_at_once() {
    let cases = vec![
        (CallFault::Unauthorized, "HTTP 401: Incorrect API key provided"),
        (CallFault::Forbidden, "HTTP 403: "),
        (CallFault::Quota, "HTTP 429: You exceeded your current quota"),
        (CallFault::UnknownModel, "HTTP 404: The model `gpt-4o` does not exist"),
    ];
    together(cases, |(fault, said)| {
        for policy in ["fail", "partial"] {
            let case = case(FaultScript::always(fault.clone())).set("concurrency", 3);
            let outcome = case.run(&format!("--on-failure {policy}"));
            outcome.ended(12, &[said, "hint: "]);
            assert!((1..=3).contains(&outcome.calls.len()), "{fault:?}: {} calls", outcome.calls.len());
        }
    });
}

#[test]
fn an_answer_of_what_was_asked_before_the_end_is_given_where_it_is_wanted() {
    let late = || case(FaultScript::when(|asked| (asked.order >= 2).then_some(CallFault::Quota))).set("concurrency", 1);
    let outcome = late().run("--on-failure partial");
    outcome.ended(12, &["quota"]);
    let answer = outcome.json();
    assert_eq!(answer["status"], "partial");
    let found = ids(&answer["answer"]);
    assert!(!found.is_empty() && found.len() < ITEMS as usize, "{found:?}");
    let failed = late().run("--on-failure fail");
    failed.ended(12, &["quota"]);
    assert_eq!(failed.ran.out, "");
}

#[test]
fn a_server_that_fails_and_comes_back_is_asked_again() {
    let faults = [500, 502, 503, 504, 529, 408].map(CallFault::Status).into_iter();
    let cut = [
        CallFault::Reset,
        CallFault::ErrorInside,
        CallFault::Cut,
        CallFault::Html,
        CallFault::NoChoices,
        CallFault::Stall,
    ];
    together(faults.chain(cut).collect(), |fault| {
        let outcome = hurried(case(FaultScript::each(1, fault.clone()))).run("");
        check_all(&outcome);
        assert!(outcome.report["retries"].as_u64() > Some(1), "{fault:?}");
    });
}

#[test]
fn a_server_that_stays_away_ends_the_run() {
    let faults = vec![CallFault::Status(500), CallFault::Status(503), CallFault::Status(529), CallFault::Reset];
    together(faults, |fault| {
        let outcome = hurried(case(FaultScript::always(fault))).run("");
        outcome.ended(14, &["the provider has not answered for 1 seconds", "hint: "]);
        assert_eq!(outcome.ran.out, "");
        assert!(outcome.calls.len() <= 12, "{} calls", outcome.calls.len());
    });
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = case(FaultScript::default()).set("base_url", format!("http://127.0.0.1:{port}/v1"));
    nobody.run_freely("").ended(14, &["cannot connect", "hint: check scribe.base_url"]);
}

#[test]
fn an_answer_that_never_becomes_whole_fails_its_part_alone() {
    let slow = CallFault::Drip { bytes: 20, pause: Duration::from_millis(200) };
    let cases = vec![
        (slow, 1, "scribe.timeout_seconds"),
        (CallFault::Stall, 20, "scribe.idle_timeout_seconds"),
        (CallFault::Cut, 20, "the answer was cut off"),
        (CallFault::Html, 20, "the answer is no completion"),
        (CallFault::Flood, 20, "larger than 8 MB"),
    ];
    together(cases, |(fault, seconds, said)| {
        let make = || {
            let fault = fault.clone();
            let script = FaultScript::when(move |asked| (asked.chunk.0 == 2).then(|| fault.clone()));
            hurried(case(script)).set("timeout_seconds", seconds)
        };
        both(make, "", &["part 2", said]);
    });
}

#[test]
fn what_is_refused_is_asked_for_once_more_and_then_fails() {
    for (fault, said) in [
        (CallFault::Refused, "the model refuses: I'm sorry"),
        (CallFault::EmptyContent, "the answer is empty"),
        (CallFault::ContentFilter, "a filter of the provider"),
    ] {
        check_all(&case(FaultScript::each(1, fault.clone())).run(""));
        let script = move || {
            let fault = fault.clone();
            FaultScript::when(move |asked| (asked.chunk.0 == 3).then(|| fault.clone()))
        };
        let partial = both(|| case(script()), "", &["part 3", said]);
        assert_eq!(partial.calls.iter().filter(|call| call.chunk.0 == 3).count(), 2, "{said}");
    }
}

#[test]
fn an_answer_in_another_form_is_read_or_repaired() {
    for fault in [CallFault::Fenced, CallFault::Prose, CallFault::UnknownFields] {
        let outcome = case(FaultScript::always(fault.clone())).run("");
        check_all(&outcome);
        outcome.never_the_same();
        assert_eq!(outcome.report["dropped"], 0, "{fault:?}");
    }
    for fault in [CallFault::InvalidJson, CallFault::WrongSchema, CallFault::BadItem] {
        let outcome = case(FaultScript::each(1, fault.clone())).run("");
        check_all(&outcome);
        // One repair for each part, and no request is the one before it.
        outcome.never_the_same();
        assert_eq!(outcome.report["dropped"], 0, "{fault:?}: {}", outcome.json()["dropped"]);
    }
}

#[test]
fn good_items_are_kept_where_the_repair_has_bad_ones_too() {
    let bad = case(FaultScript::always(CallFault::BadItem)).run("");
    check_all(&bad);
    let dropped = bad.json()["dropped"].as_array().unwrap().len();
    assert!(dropped > 1, "{dropped}");
    assert_eq!(bad.report["dropped"], dropped);
    bad.never_the_same();
}

/// A fault for parts of these numbers for as long as nobody mends the server.
fn until_mended(is_meant: fn(usize) -> bool, fault: CallFault) -> (Arc<AtomicBool>, FaultScript) {
    let is_mended = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_mended);
    let script = FaultScript::when(move |asked| {
        (is_meant(asked.chunk.0) && !seen.load(Ordering::SeqCst)).then(|| fault.clone())
    });
    (is_mended, script)
}

#[test]
fn an_answer_that_ends_too_soon_fails_its_part_and_a_rerun_heals_it() {
    let script = || until_mended(|part| part % 3 == 0, CallFault::InvalidJson);
    both(|| case(script().1), "", &["part 3", "it ends before its JSON object does"]);
    for policy in ["fail", "partial"] {
        let (is_mended, script) = script();
        let case = Case::minutes(300, FakeOptions { script, ..FakeOptions::default() });
        case.run(&format!("--on-failure {policy}")).ended(3, &["part 3"]);
        is_mended.store(true, Ordering::SeqCst);
        let healed = case.run("");
        healed.ended(0, &[]);
        assert_eq!(healed.ids(), all_of(300));
        assert!(!healed.calls.is_empty());
        if policy == "partial" {
            // Only what had no answer is asked again.
            assert!(healed.calls.iter().all(|call| call.chunk.0 % 3 == 0));
        }
    }
}

#[test]
fn what_failed_for_a_window_is_asked_again_once_the_window_is_larger() {
    let (is_mended, script) = until_mended(|_| true, CallFault::Overflow(OverflowStyle::Vllm));
    let case = case(script);
    case.run("--on-failure partial").ended(3, &["the model's window does not hold it"]);
    is_mended.store(true, Ordering::SeqCst);
    check_all(&case.run(""));
}

#[test]
fn an_answer_of_which_nothing_can_be_read_fails_its_part() {
    let script = || FaultScript::when(|asked| (asked.chunk.0 == 2).then_some(CallFault::WrongSchema));
    both(|| case(script()), "", &["part 2", "nothing that was asked for"]);
}

#[test]
fn an_answer_that_is_cut_off_makes_its_part_smaller() {
    let script = FaultScript::when(|asked| (asked.rows > 12).then_some(CallFault::Truncated));
    let outcome = case(script).run("");
    check_all(&outcome);
    outcome.never_the_same();
    let largest = outcome.calls.iter().filter(|call| call.finish_reason.as_deref() == Some("stop"));
    assert!(largest.filter_map(|call| call.part.as_ref()).all(|part| part.text.lines().count() <= 12));
}

#[test]
fn an_answer_that_is_cut_off_however_small_its_part_is_fails_it() {
    // What is cut off however small it is cannot be answered.
    let always = || FaultScript::when(|asked| (asked.chunk.0 == 1).then_some(CallFault::Truncated));
    let partial = both(|| case(always()), "", &["part 1"]);
    partial.never_the_same();
}

#[test]
fn a_prompt_over_the_window_is_split_in_whatever_words_that_is_said() {
    let shapes = vec![
        OverflowStyle::OpenAi,
        OverflowStyle::Anthropic,
        OverflowStyle::AnthropicTooLarge,
        OverflowStyle::VllmFlat,
        OverflowStyle::Vllm,
        OverflowStyle::LlamaCpp,
        OverflowStyle::Silent,
    ];
    together(shapes, |overflow| {
        let window = Some(Window { tokens: 1000, ratio: 1.0, overflow });
        let case = Case::minutes(ITEMS, FakeOptions { window, ..FakeOptions::default() });
        // Who drops the front of a prompt in silence is paid for what it has read.
        let is_silent = overflow == OverflowStyle::Silent;
        let outcome = if is_silent { case.run_freely("") } else { case.run("") };
        check_all(&outcome);
        outcome.never_the_same();
        assert!(outcome.calls.iter().any(|call| call.prompt_tokens > 1000), "{overflow:?}: nothing was too long");
    });
}

#[test]
fn a_cap_is_never_overspent() {
    for policy in ["fail", "partial"] {
        let case = Case::minutes(600, FakeOptions::default()).set("concurrency", 8).set("max_completion_tokens", 2000);
        let outcome = case.run(&format!("--budget-usd 0.1 --on-failure {policy}"));
        outcome.ended(13, &["the next call may cost", "hint: raise scribe.budget_usd or --budget-usd"]);
        let paid: f64 = outcome.log.answered().map(cost).sum();
        assert!(paid <= 0.1 && paid > 0.0, "{paid}");
        assert_eq!(outcome.ran.out.is_empty(), policy == "fail");
        // More money goes on where that ended, and pays for nothing twice.
        let before = outcome.calls.len();
        let again = case.run("");
        again.ended(0, &[]);
        assert_eq!(again.ids(), all_of(600));
        let whole = Case::minutes(600, FakeOptions::default()).run("");
        assert_eq!(before + again.calls.len(), whole.calls.len());
        assert_eq!(again.ran.out, whole.ran.out);
    }
}

#[test]
fn a_key_that_a_server_repeats_is_not_said_again() {
    let error =
        |message: &str| serde_json::json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string();
    for (status, code) in [(401, 12), (400, 3)] {
        let repeated = error(&format!("Incorrect API key provided: {KEY}."));
        let outcome = case(FaultScript::always(CallFault::Answer(status, repeated))).run("--on-failure partial");
        outcome.ended(code, &["Incorrect API key provided: [key]."]);
    }
    let evil = error("\u{1b}[2J\u{202e}gone\u{9b}1m");
    let outcome = case(FaultScript::always(CallFault::Answer(400, evil))).run("--on-failure partial");
    assert!(!outcome.ran.err.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{:?}", outcome.ran.err);
}
