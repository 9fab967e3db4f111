//! What a provider does wrong before there is an answer, and how the run ends.

use crate::asked::{Case, KEY, together};
use crate::programs::small;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript};

/// Settings of a run in which nothing takes long.
fn hurried(case: Case) -> Case {
    case.set("timeout_seconds", 20).set("idle_timeout_seconds", 1)
}

#[test]
fn whoever_asks_to_wait_is_waited_for() {
    let second = |text: &str| (CallFault::RateLimited(Some(text.to_owned())), 1.0);
    let cases = vec![
        second("1"),
        second("1.0"),
        (CallFault::RateLimited(Some("0.75".to_owned())), 0.75),
        // A date has whole seconds, so up to one of the two is over when it is said.
        (CallFault::RateLimitedUntil(2), 0.9),
        (CallFault::RateLimited(Some("soon".to_owned())), 0.0),
        (CallFault::RateLimited(None), 0.0),
    ];
    together(cases, |(fault, seconds)| {
        let case = Case::scripted(FaultScript::first(1, fault.clone())).set("concurrency", 1);
        let outcome = case.run();
        outcome.ended(0, &["2 of 2 files documented in 3 calls"]);
        case.check_complete(&outcome);
        let waited = outcome.calls[1].arrived - outcome.calls[0].arrived;
        assert!(waited >= Duration::from_secs_f64(seconds), "{fault:?}: {waited:?}");
    });
}

#[test]
fn whoever_asks_to_wait_is_waited_for_more_often_than_a_failure_is_tried_again() {
    let wait = CallFault::RateLimited(Some("0.01".to_owned()));
    let case = Case::scripted(FaultScript::first(5, wait)).set("concurrency", 1);
    // Four attempts are all there are, and a wait is none of them.
    case.run().ended(0, &["2 of 2 files documented in 7 calls"]);
}

#[test]
fn a_wait_of_an_hour_ends_the_run() {
    let case = Case::scripted(FaultScript::always(CallFault::RateLimited(Some("3600".to_owned()))));
    let outcome = case.run();
    outcome.ended(
        14,
        &[
            "error: the run was stopped: the provider asks to wait 3600 seconds, and at most 120 are waited",
            "hint: check scribe.base_url, and wait until the provider answers, then run again, which goes on from here and pays for nothing twice; 0 of 2 documents",
        ],
    );
    assert!(outcome.calls.len() <= 4);
}

#[test]
fn a_provider_that_says_nothing_but_wait_ends_the_run() {
    let wait = CallFault::RateLimited(Some("0.3".to_owned()));
    let outcome = Case::scripted(FaultScript::always(wait)).set("max_wait_seconds", 1).run();
    let said = "for 1 seconds the provider has said nothing but that there are too many calls";
    outcome.ended(14, &[said]);
}

#[test]
fn what_no_second_try_helps_ends_the_run_at_once() {
    let cases = vec![
        (CallFault::Unauthorized, "HTTP 401: Incorrect API key provided", "check the key in the variable"),
        (CallFault::Forbidden, "HTTP 403: Country, region, or territory not supported", "check the key"),
        (CallFault::Quota, "HTTP 429: You exceeded your current quota", "check quota and billing at the provider"),
        (
            CallFault::UnknownModel,
            "HTTP 404: The model `gpt-4o` does not exist",
            "check scribe.model and scribe.base_url",
        ),
    ];
    together(cases, |(fault, said, hint)| {
        let case = Case::many(9, FakeOptions { script: FaultScript::always(fault.clone()), ..FakeOptions::default() });
        let outcome = case.set("concurrency", 3).option("--jobs 9").run();
        let error = format!("error: the run was stopped: {said}");
        outcome.ended(12, &[&error, &format!("hint: {hint}"), "9 files were not documented"]);
        assert!((1..=3).contains(&outcome.calls.len()), "{fault:?}: {} calls", outcome.calls.len());
    });
}

#[test]
fn a_server_that_fails_and_comes_back_is_asked_again() {
    let faults = [500, 502, 503, 504, 529, 408]
        .map(CallFault::Status)
        .into_iter()
        .chain([CallFault::Reset, CallFault::ErrorInside]);
    together(faults.collect(), |fault| {
        let case = hurried(Case::scripted(FaultScript::each(1, fault.clone())));
        let outcome = case.run();
        outcome.ended(0, &["2 of 2 files documented in 4 calls"]);
        assert_eq!(outcome.report["retries"], 2, "{fault:?}");
        case.check_complete(&outcome);
    });
}

#[test]
fn a_server_that_stays_away_ends_the_run() {
    let cases = vec![
        (CallFault::Status(500), "HTTP 500: The server had an error"),
        (CallFault::Status(502), "HTTP 502: "),
        (CallFault::Status(503), "HTTP 503: The engine is currently overloaded"),
        (CallFault::Status(504), "HTTP 504: "),
        (CallFault::Status(529), "HTTP 529: Overloaded"),
        (CallFault::Status(408), "HTTP 408: Request timed out."),
        (CallFault::Reset, "the connection ended without an answer"),
    ];
    together(cases, |(fault, said)| {
        let outcome = hurried(Case::scripted(FaultScript::always(fault))).run();
        let error = "error: the run was stopped: the provider has not answered for 1 seconds: ";
        outcome.ended(14, &[&format!("{error}{said}"), "2 files were not documented"]);
        assert!(outcome.calls.len() <= 10, "{} calls", outcome.calls.len());
    });
}

#[test]
fn a_server_that_is_not_there_ends_the_run() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let case = Case::scripted(FaultScript::default()).set("base_url", format!("http://127.0.0.1:{port}/v1"));
    let outcome = case.run_freely("out", "");
    let error = "error: the run was stopped: the provider has not answered for 1 seconds: cannot connect: ";
    outcome.ended(14, &[error, "hint: check scribe.base_url"]);
    assert_eq!(outcome.report["tickets"].as_array().map(Vec::len), Some(2));
}

#[test]
fn an_answer_that_never_becomes_whole_is_asked_for_again() {
    let slow = CallFault::Drip { bytes: 20, pause: Duration::from_millis(200) };
    let cases = vec![
        // It is never silent for long, and takes too long all the same.
        (slow, 2),
        (CallFault::Stall, 20),
        (CallFault::Silence, 2),
        (CallFault::Cut, 20),
        (CallFault::Html, 20),
        (CallFault::Flood, 20),
        (CallFault::NoChoices, 20),
    ];
    together(cases, |(fault, seconds)| {
        let case = hurried(Case::scripted(FaultScript::each(1, fault.clone()))).set("timeout_seconds", seconds);
        let outcome = case.run();
        outcome.ended(0, &["2 of 2 files documented in 4 calls"]);
        case.check_complete(&outcome);
    });
}

#[test]
fn an_answer_that_is_never_whole_fails_its_file() {
    let slow = CallFault::Drip { bytes: 20, pause: Duration::from_millis(200) };
    let cases = vec![
        // Who has waited for all of the time waits for it once more, and not four times.
        (slow, 1, 2, "the answer was not whole within scribe.timeout_seconds"),
        (CallFault::Silence, 1, 2, "no answer within scribe.timeout_seconds"),
        (CallFault::Stall, 20, 4, "the answer paused for longer than scribe.idle_timeout_seconds"),
        (CallFault::Cut, 20, 4, "the answer was cut off"),
        (CallFault::Html, 20, 4, "the answer is no completion: "),
        (CallFault::Flood, 20, 4, "the answer is larger than 8 MB"),
    ];
    together(cases, |(fault, seconds, calls, said)| {
        let script = FaultScript::when(move |asked| (asked.file == "ONE.cbl").then(|| fault.clone()));
        let one = Case::of(&[("ONE.cbl", &small("ONE"))], FakeOptions { script, ..FakeOptions::default() });
        let outcome = hurried(one).set("timeout_seconds", seconds).run();
        let text = format!("warning: ONE.cbl: failed: lines 1-6: {said}");
        let (attempts, summary) = (format!("({calls} attempts)"), format!("0 of 1 files documented in {calls} calls"));
        outcome.ended(3, &[&text, &attempts, &summary]);
    });
}

/// A server that sends the headers of its answers byte by byte, and never comes to their end.
fn endless_headers() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let (mut stream, mut sent) = (stream, Ok(()));
                let _ = stream.read(&mut [0; 1 << 16]);
                let mut text = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-wait: ".bytes();
                while sent.is_ok() {
                    sent = stream.write_all(&[text.next().unwrap_or(b'a')]);
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
    });
    address
}

#[test]
fn the_headers_of_an_answer_count_as_part_of_it() {
    let hurried = |case: Case| case.set("base_url", endless_headers()).set("timeout_seconds", 1);
    let few = hurried(Case::scripted(FaultScript::default())).run_freely("out", "");
    few.ended(3, &["no answer within scribe.timeout_seconds (2 attempts)", "0 of 2 files documented in 4 calls"]);
    // Where no call of many is answered in time, none will be.
    let names: Vec<String> = (0..40).map(|index| format!("P{index:02}")).collect();
    let files: Vec<(String, String)> = names.iter().map(|name| (format!("{name}.cbl"), small(name))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let many = hurried(Case::of(&files, FakeOptions::default())).run_freely("out", "");
    many.ended(14, &["the run was stopped: no call is answered: no answer within scribe.timeout_seconds"]);
}

#[test]
fn a_file_that_fails_for_good_stops_no_other() {
    let script = FaultScript::when(|asked| (asked.file == "ONE.cbl").then_some(CallFault::Html));
    let case = Case::scripted(script);
    let outcome = case.run();
    outcome.ended(3, &["warning: ONE.cbl: failed: ", "1 of 2 files documented in 5 calls"]);
    assert!(case.place.path().join("out/TWO.cbl.json").exists());
    assert!(!case.place.path().join("out/ONE.cbl.json").exists());
}

#[test]
fn a_broken_byte_of_an_answer_is_told_and_paid_for_once() {
    let script = FaultScript::when(|asked| (asked.file == "ONE.cbl").then_some(CallFault::BrokenByte));
    let case = Case::scripted(script);
    let outcome = case.run();
    outcome.ended(0, &["2 of 2 files documented in 2 calls", "warning: an answer of the server was no UTF-8"]);
    let page = std::fs::read_to_string(case.place.path().join("out/ONE.cbl.md")).unwrap();
    assert!(page.contains('\u{FFFD}'), "{page}");
    assert_eq!(outcome.report["server"].as_array().map(Vec::len), Some(1));
}

#[test]
fn no_more_than_a_tenth_of_all_calls_and_a_few_are_repeated() {
    let options = FakeOptions { script: FaultScript::each(1, CallFault::Cut), ..FakeOptions::default() };
    let outcome = Case::many(30, options).option("--jobs 30").set("concurrency", 8).run();
    outcome.ended(3, &["the answer was cut off (not tried again: a tenth of all calls were repeated already)"]);
    let (calls, retries) = (outcome.calls.len() as u64, outcome.report["retries"].as_u64().unwrap());
    assert!(retries >= 10 && retries <= 10 + calls / 10, "{retries} of {calls}");
}

/// An error of a server that says this.
fn error(message: &str) -> String {
    serde_json::json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string()
}

#[test]
fn a_request_that_is_refused_for_another_reason_is_not_sent_again() {
    let outcome = Case::scripted(FaultScript::always(CallFault::Answer(400, error("No such moon.")))).run();
    let said = "warning: ONE.cbl: failed: lines 1-6: HTTP 400: No such moon.";
    outcome.ended(3, &[said, "0 of 2 files documented in 2 calls"]).never_the_same();
}

#[test]
fn a_key_that_a_server_repeats_is_not_said_again() {
    for (status, code) in [(401, 12), (400, 3)] {
        let repeated = error(&format!("Incorrect API key provided: {KEY}."));
        let outcome = Case::scripted(FaultScript::always(CallFault::Answer(status, repeated))).run();
        outcome.ended(code, &["Incorrect API key provided: [key]."]);
    }
}

#[test]
fn what_a_terminal_would_obey_is_not_passed_on() {
    let evil = "\u{1b}[2J\u{7}\u{202e}gone\u{9b}1m";
    for status in [400, 401] {
        let outcome = Case::scripted(FaultScript::always(CallFault::Answer(status, error(evil)))).run();
        let report = outcome.report.to_string() + &outcome.ran.err;
        let obeyed = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'];
        assert!(!outcome.ran.err.contains(obeyed) && report.contains("gone"), "{:?}", outcome.ran.err);
    }
}
