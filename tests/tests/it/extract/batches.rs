//! Questions about parts that go into batches: the answer is that of an ordinary run, and no part is paid for twice.

use super::{Case, Outcome, all_of, minutes, summarizer};
use crate::batches::{nothing_is_left_of, paid_once};
use std::collections::BTreeSet;
use war_rig_tests::fake::{BatchFault, BatchScript, CallFault, CallPurpose, Extraction, FakeOptions, FaultScript};

/// Runs of one command come to an end long before this many.
const MOST: usize = 12;

fn options(batches: BatchScript, script: FaultScript) -> FakeOptions {
    FakeOptions { batches, script, ..FakeOptions::default() }
}

/// Gives the command until nothing waits any more; returns all runs.
#[track_caller]
fn until_done(case: &Case, more: &str) -> Vec<Outcome> {
    let mut runs: Vec<Outcome> = Vec::new();
    while runs.last().is_none_or(|last| last.ran.code == Some(5)) {
        assert!(runs.len() < MOST, "{}", runs.last().unwrap().ran.err);
        runs.push(case.run_freely(&format!("--batch {more}")));
    }
    runs
}

fn told(runs: &[Outcome]) -> String {
    runs.iter().map(|run| format!("{:?}\n{}\n", run.ran.code, run.ran.err)).collect()
}

#[test]
fn an_answer_is_that_of_an_ordinary_run_at_half_the_price() {
    let case = Case::minutes(200, options(BatchScript::default(), FaultScript::default()));
    let words = case.words("--batch");
    let plan = |more: &str| case.run_freely(&format!("--dry-run {more}")).json();
    let (ordinary, batched) = (plan(""), plan("--batch"));
    let usd = |plan: &serde_json::Value, key: &str| plan[key].as_f64().unwrap();
    for key in ["cost_usd", "max_cost_usd"] {
        assert!((usd(&batched, key) - usd(&ordinary, key) / 2.0).abs() < 1e-6, "{key}: {batched} {ordinary}");
    }
    let runs = until_done(&case, "");
    let said = told(&runs);
    let (first, last) = (&runs[0], runs.last().unwrap());
    first.ended(5, &["handed in", &format!("with {} tokens", ordinary["prompt_tokens"]), "questions wait in batches"]);
    assert!(first.ran.out.is_empty() && first.report["status"] == "waiting", "{words:?} {}", first.report);
    assert_eq!((runs.len(), last.ran.code), (2, Some(0)), "{said}");
    assert_eq!(last.ids(), all_of(200));
    let calls = case.fake.log().calls;
    assert!(calls.len() > 4 && calls.iter().all(|call| call.batch.is_some()), "{said}");
    paid_once(&calls, &said);
    nothing_is_left_of(&case.place, &case.fake);
    let plain = Case::minutes(200, options(BatchScript::default(), FaultScript::default())).run("");
    assert_eq!(last.json()["answer"], plain.json()["answer"]);
    // And once more: the answer is there, and nothing is asked.
    case.run_freely("").ended(0, &[]);
    assert_eq!(case.fake.log().calls.len(), calls.len());
}

#[test]
fn what_goes_wrong_with_a_batch_costs_no_answer() {
    use BatchFault::{CancelledElsewhere, CutOnce, Expires, Missing, NoRoom, TwiceAndReversed};
    for fault in [Expires(2), CancelledElsewhere(1), NoRoom, TwiceAndReversed, CutOnce, Missing(2)] {
        let script = BatchScript { faults: vec![fault], ..BatchScript::default() };
        let case = Case::minutes(120, options(script, FaultScript::default()));
        let runs = until_done(&case, "");
        let said = format!("{fault:?}: {}", told(&runs));
        assert_eq!(runs.last().unwrap().ran.code, Some(0), "{said}");
        assert_eq!(runs.last().unwrap().ids(), all_of(120), "{said}");
        if fault != Missing(2) {
            paid_once(&case.fake.log().calls, &said);
        }
    }
    // A cut answer leads to smaller parts, and a refused one to a second attempt.
    let faults: [fn() -> FaultScript; 2] = [
        || FaultScript::when(|asked| (asked.order == 1).then_some(CallFault::Truncated)),
        || FaultScript::when(|asked| (asked.order == 1).then_some(CallFault::Refused)),
    ];
    for (number, script) in faults.into_iter().enumerate() {
        let case = Case::minutes(120, options(BatchScript::default(), script()));
        let runs = until_done(&case, "");
        let said = format!("{number}: {}", told(&runs));
        assert!(runs.last().unwrap().ran.code == Some(0) && runs.len() == 3, "{said}");
        assert_eq!(runs.last().unwrap().ids(), all_of(120), "{said}");
        assert!(case.fake.log().calls.iter().all(|call| call.batch.is_some()), "{said}");
    }
}

#[test]
fn summaries_come_in_a_batch_of_their_own_and_waiting_does_all_rounds() {
    let options = FakeOptions {
        extraction: Extraction { words: 110, ..Extraction::default() },
        budget: Some(1500),
        ..options(BatchScript { looks: 1, ..BatchScript::default() }, FaultScript::default())
    };
    let case = Case::new(&summarizer("chunk_size = 200"), ("minutes.txt", minutes(200).as_bytes()), options)
        .set("batch_poll_seconds", 1);
    let run = case.run_freely("--batch --wait");
    run.ended(0, &["handed in"]);
    assert!(run.json()["answer"]["summary"].is_string());
    let calls = case.fake.log().calls;
    let of_sums = calls.iter().filter(|call| call.purpose == CallPurpose::Summary);
    let batches: BTreeSet<&String> = of_sums.filter_map(|call| call.batch.as_ref()).collect();
    assert!(batches.len() > 1 && calls.iter().all(|call| call.batch.is_some()), "{batches:?}\n{}", run.ran.err);
    paid_once(&case.fake.log().calls, &run.ran.err);
    nothing_is_left_of(&case.place, &case.fake);
}

#[test]
fn a_part_that_fails_and_a_cap_end_the_run_as_they_do_without_batches() {
    let refused = || FaultScript::when(|asked| (asked.order == 1).then_some(CallFault::Status(400)));
    let strict = Case::minutes(120, options(BatchScript::default(), refused()));
    let runs = until_done(&strict, "");
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "a rejected line is asked again: {}", told(&runs));
    // A part that no batch answers is left out where that is wished.
    let always = || FaultScript::when(|asked| (asked.chunk.0 == 1).then_some(CallFault::Refused));
    let partial = Case::minutes(120, options(BatchScript::default(), always()));
    let runs = until_done(&partial, "--on-failure partial");
    let last = runs.last().unwrap();
    last.ended(3, &[]);
    let ids = last.ids();
    assert!(!ids.contains(&"PBI-0001".to_owned()) && ids.contains(&"PBI-0120".to_owned()), "{}", told(&runs));
    let failed = Case::minutes(120, options(BatchScript::default(), always()));
    let runs = until_done(&failed, "");
    assert!(runs.last().unwrap().ran.code == Some(3) && runs.last().unwrap().ran.out.is_empty(), "{}", told(&runs));
    // At the cap nothing is handed in: an answer without the other parts is none.
    let capped = Case::minutes(120, options(BatchScript::default(), FaultScript::default()));
    capped.run_freely("--batch --budget-usd 0.1").ended(13, &["budget"]);
    assert!(capped.fake.batches().is_empty());
}

#[test]
fn what_waits_is_left_alone_and_can_be_cancelled() {
    let script = || options(BatchScript { looks: 99, ..BatchScript::default() }, FaultScript::default());
    let case = Case::minutes(120, script()).set("batch_poll_seconds", 1);
    case.run_freely("--batch").ended(5, &["handed in"]);
    let run = case.run_freely("");
    run.ended(5, &["questions wait in batches"]);
    assert!(run.calls.is_empty() && run.ran.out.is_empty());
    let status = case.command(&["status".to_owned()]);
    for text in ["batch for extract lister minutes.txt: List all items", "List all items: waits for its answers"] {
        assert!(status.out.contains(text), "{}", status.out);
    }
    case.run_freely("--batch --cancel").ended(0, &["1 batch is cancelled"]);
    nothing_is_left_of(&case.place, &case.fake);
    let run = case.run_freely("");
    run.ended(0, &[]);
    assert_eq!(run.ids(), all_of(120));
    paid_once(&case.fake.log().calls, "");
}

#[test]
fn asking_anew_pays_once_and_comes_to_an_end() {
    let case = Case::minutes(120, options(BatchScript::default(), FaultScript::default()));
    until_done(&case, "");
    let before = case.fake.log().calls.len();
    // Parts that are cut need a second round, which asks nothing of the first again.
    let runs = until_done(&case, "--force");
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "{}", told(&runs));
    assert_eq!(case.fake.log().calls.len(), 2 * before, "{}", told(&runs));

    let script = FaultScript::when(|asked| (asked.order % 5 == 1).then_some(CallFault::Truncated));
    let case = Case::minutes(120, options(BatchScript::default(), script));
    let runs = until_done(&case, "--force");
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "{}", told(&runs));
    paid_once(&case.fake.log().calls, &told(&runs));
}

#[test]
fn questions_about_another_input_or_in_other_words_keep_their_batches() {
    let script = || options(BatchScript { looks: 99, ..BatchScript::default() }, FaultScript::default());
    let case = Case::minutes(60, script()).set("batch_poll_seconds", 1);
    case.run_freely("--batch").ended(5, &["handed in"]);
    let mut other = case.words("--batch --cancel");
    other[2] = "List the first item".to_owned();
    case.command(&other).assert_exit(0);
    assert_ne!(case.fake.batches()[0].status, "cancelled");
    // Documents are not concerned.
    let small = crate::programs::small("ONE");
    case.place.write("src/ONE.cbl", small);
    let words = ["document", "src", "-o", "out", "--scribe", "openai", "--broker", "nats://127.0.0.1:1"];
    let refused = case.command(&words.map(str::to_owned));
    assert!(refused.err.contains("cannot be reached") && !refused.err.contains("wait in a batch"), "{}", refused.err);
}

#[test]
fn a_provider_that_never_has_room_is_not_waited_for() {
    let script = BatchScript { faults: vec![BatchFault::NoRoom; 9], ..BatchScript::default() };
    let case = Case::minutes(60, options(script, FaultScript::default())).set("batch_poll_seconds", 1);
    let run = case.run_freely("--batch --wait");
    run.ended(14, &["the provider has no room for a batch", "scribe.batch_tokens"]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let case = Case::minutes(40, FakeOptions::default());
    case.run_freely("--batch --order sequential").ended(2, &["`--batch`", "--order parallel"]);
    case.run_freely("--batch --carry").ended(2, &["`--batch`", "each part is asked after the one before"]);
    case.run_freely("--batch --record answers.jsonl").ended(2, &["`--batch`", "--record"]);
    case.run_freely("--batch --scribe static").ended(2, &["`--batch`", "no model is asked"]);
    let mut words = case.words("--batch --wait");
    let input = words.iter().position(|word| word == "--input").unwrap() + 1;
    words[input] = "-".to_owned();
    case.command(&words).assert_exit(2).assert_stderr(&["`--wait`", "standard input is read once"]);
    assert!(case.fake.batches().is_empty() && case.fake.log().calls.is_empty());
}

#[test]
fn the_first_answer_that_stands_is_waited_for_alone() {
    let agent = summarizer("chunk_size = 800\nmerge = \"first\"").replace("x-merge = \"summary\"\n", "");
    let input = minutes(120);
    let case = Case::new(&agent, ("minutes.txt", input.as_bytes()), FakeOptions::default());
    case.run_freely("--batch").ended(5, &["handed in 1 question "]);
    case.run_freely("--batch").ended(0, &[]);
    assert_eq!(case.fake.log().calls.len(), 1);
}
