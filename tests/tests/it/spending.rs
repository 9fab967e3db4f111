//! Rates, concurrency, money and progress of runs that ask a model.

use crate::asked::{Case, Outcome, cost};
use serde_json::Value;
use std::time::Duration;
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript, Latency};
use war_rig_tests::{fixtures, json_file, project};

/// The least time between the arrivals of calls that stand so many apart.
fn least_span(outcome: &Outcome, apart: usize) -> Duration {
    let times: Vec<Duration> = outcome.calls.iter().map(|call| call.arrived).collect();
    times.windows(apart + 1).map(|span| span[apart] - span[0]).min().unwrap()
}

#[test]
fn requests_a_minute_are_spread() {
    let case = Case::many(8, FakeOptions::default()).set("requests_per_minute", 300).option("--jobs 8");
    let outcome = case.run();
    outcome.ended(0, &["8 of 8 files documented in 8 calls"]);
    // 300 a minute are one in 200 ms. What is late makes the gap behind it shorter, so half of the whole span has to do.
    let span = outcome.calls[7].arrived - outcome.calls[0].arrived;
    assert!(span >= Duration::from_millis(700), "{span:?}");
}

#[test]
fn tokens_a_minute_are_spread() {
    let case = Case::many(8, FakeOptions::default()).set("tokens_per_minute", 100_000).option("--jobs 8");
    let outcome = case.run();
    let tokens: u64 = outcome.calls.iter().map(|call| call.prompt_tokens).sum();
    // A tenth of a minute's tokens may come at once; some of the rest are owed for answers and come on top.
    let due = (tokens - 10_000) as f64 * 60.0 / 100_000.0;
    let span = outcome.calls[7].arrived - outcome.calls[0].arrived;
    assert!(due > 2.0 && span >= Duration::from_secs_f64(due / 2.0), "{span:?} where {due} s are due");
}

#[test]
fn no_more_calls_are_open_than_may_be() {
    for (concurrency, files) in [(1, 4), (3, 12)] {
        let latency = Latency::Fixed(Duration::from_millis(60));
        let case = Case::many(files, FakeOptions { latency, ..FakeOptions::default() });
        let outcome = case.set("concurrency", concurrency).option("--jobs 12").run();
        outcome.ended(0, &[]);
        assert!(outcome.log.most_open <= concurrency && outcome.log.most_open >= concurrency.min(2));
        assert!(least_span(&outcome, concurrency) >= Duration::from_millis(50));
    }
}

#[test]
fn a_cap_is_never_overspent_and_what_was_written_stays() {
    for (seed, cap, is_lossy) in [(1, 0.5, false), (2, 0.9, true)] {
        let (least, most) = (Duration::from_millis(1), Duration::from_millis(80));
        let latency = Latency::Random { least, most, seed };
        // What is lost on its way is paid for all the same.
        let script = FaultScript::when(move |asked| (is_lossy && asked.order % 9 == 4).then_some(CallFault::Cut));
        let options = FakeOptions { latency, script, budget: Some(6000), ..FakeOptions::default() };
        let case = Case::in_folder(fixtures(), options).set("concurrency", 64);
        let case = case.option(&format!("--jobs 16 --budget-usd {cap}"));
        let run = case.run();
        run.ended(
            13,
            &[
                "error: the run was stopped: the next call may cost 0.1",
                &format!("of {cap:.2} are left"),
                "hint: raise scribe.budget_usd or --budget-usd, then run again, which goes on from here and pays for nothing twice; ",
                "documents are whole and stay",
            ],
        );
        let paid: f64 = run.log.answered().map(cost).sum();
        assert!(paid <= cap && paid > 0.0, "{paid} of {cap}");
        // What is left would not pay for one more call at its highest; whether a lost answer was paid for nobody knows.
        assert!(is_lossy || cap - paid < 0.2, "{paid} of {cap}");
        let tickets = run.report["tickets"].as_array().unwrap();
        let done = tickets.iter().filter(|row| row["state"] == "done");
        for row in done.clone() {
            let name = format!("out/{}.json", row["file"].as_str().unwrap());
            assert_eq!(json_file(&case.place.path().join(name))["header"]["status"], "complete");
        }
        let count = done.count();
        assert!(count > 0 && count < tickets.len(), "{}", run.ran.err);
    }
}

#[test]
fn a_cap_that_pays_for_no_call_makes_none() {
    let case = Case::new(FakeOptions::default()).option("--budget-usd 0.01");
    let outcome = case.run();
    outcome.ended(13, &["of 0.01 are left", "0 of 2 documents are whole"]);
    assert!(outcome.calls.is_empty());
    let case = Case::new(FakeOptions::default()).option("--budget-usd 1 --model nobodys-model");
    case.run_freely("out", "").ended(2, &["no price for `nobodys-model`"]);
    assert!(case.fake.log().calls.is_empty());
}

#[test]
fn progress_tells_what_each_file_took() {
    let case = Case::new(FakeOptions::default());
    let plain = case.run_into("plain", "--progress plain");
    for row in plain.report["tickets"].as_array().unwrap() {
        let cost = row["cost_usd"].to_string();
        let said = format!(
            "{}: done (1 calls, {} prompt tokens, {} answer tokens, ",
            row["file"].as_str().unwrap(),
            row["prompt_tokens"],
            row["completion_tokens"]
        );
        assert!(plain.ran.err.contains(&said), "{said}\n{}", plain.ran.err);
        assert!(row["cost_usd"].as_f64() > Some(0.001), "{cost}");
    }
    let json = case.run_into("json", "--progress json");
    let events = json.ran.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut events: Vec<Value> = events.collect();
    let ended = events.pop().unwrap();
    assert_eq!((&ended["event"], &ended["exit"]), (&"ended".into(), &0.into()));
    for field in ["files", "documented", "failed", "calls", "prompt_tokens", "completion_tokens", "cost_usd"] {
        assert_eq!(ended[field], json.report[field], "{field}");
    }
    let started = events.remove(0);
    assert_eq!((&started["event"], &started["files"]), (&"started".into(), &2.into()));
    events.retain(|event| event["event"] != "progress");
    assert!(events.iter().all(|event| event["event"] == "finished"));
    events.sort_by_key(|event| event["file"].to_string());
    let rows = json.report["tickets"].as_array().unwrap();
    assert_eq!(events.len(), rows.len());
    for (event, row) in events.iter().zip(rows) {
        for field in ["file", "state", "calls", "prompt_tokens", "completion_tokens", "cost_usd"] {
            assert_eq!(event[field], row[field], "{field}");
        }
    }
}

#[test]
fn no_secret_is_sent() {
    let folder = project().join("fixtures/secrets");
    let case = Case::in_folder(folder.clone(), FakeOptions::default());
    let outcome = case.run();
    outcome.ended(0, &["it is shown as XXXXXXXX"]);
    let sent: String = outcome.calls.iter().map(|call| call.body.to_string()).collect();
    assert!(sent.contains("GATEWAY") && sent.contains("XXXXXXXX"));
    for planted in crate::secrets::PLANTED {
        assert!(!sent.contains(planted), "{planted} was sent");
    }
    let case = Case::in_folder(folder, FakeOptions::default()).variable("WAR_RIG_SECRETS__POLICY", "block");
    let outcome = case.run();
    outcome.ended(3, &["GATEWAY.cbl: failed: lines 3, ", "nothing of the file is used"]);
    assert!(outcome.calls.is_empty(), "{} calls", outcome.calls.len());
}
