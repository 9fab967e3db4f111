//! Runs whose questions go into batches: what they write is what an ordinary run writes, and no question is paid for twice.

use crate::asked::{Case, Outcome, cost};
use crate::crash::{BUDGET, asking, small_job};
use crate::programs::{small, wide};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use war_rig_tests::crash::{FaultPlan, SyscallKind, SyscallStep, on_all_cores};
use war_rig_tests::fake::{
    BatchFault, BatchScript, CallFault, CallPurpose, FakeCall, FakeOptions, FakeProvider, FaultScript, Tokenizer,
};
use war_rig_tests::{Sandbox, files_below, json_file};

/// Runs of one command come to an end long before this many.
const MOST: usize = 12;

fn case(batches: BatchScript, script: FaultScript) -> Case {
    let options = FakeOptions { batches, script, budget: Some(6000), ..FakeOptions::default() };
    Case::of(&[("ONE.cbl", &small("ONE")), ("WIDE.cbl", &wide("WIDE", 60))], options)
}

/// Gives the command until nothing waits any more; returns all runs.
#[track_caller]
fn until_done(case: &Case, more: &str) -> Vec<Outcome> {
    let mut runs: Vec<Outcome> = Vec::new();
    while runs.last().is_none_or(|last| last.ran.code == Some(5)) {
        assert!(runs.len() < MOST, "{}", runs.last().unwrap().ran.err);
        runs.push(case.run_freely("out", &format!("--batch {more}")));
    }
    runs
}

fn told(runs: &[Outcome]) -> String {
    runs.iter().map(|run| format!("{:?}\n{}\n", run.ran.code, run.ran.err)).collect()
}

/// What was written, but for the report of the run.
fn documents(case: &Case) -> BTreeMap<String, Vec<u8>> {
    let written = files_below(&case.place.path().join("out"));
    written.into_iter().filter(|(name, _)| name != "run.json").collect()
}

/// The documents of a run that makes its calls one by one.
fn ordinary(script: FaultScript) -> BTreeMap<String, Vec<u8>> {
    let case = case(BatchScript::default(), script);
    case.run_into("out", "").ended(0, &[]);
    documents(&case)
}

/// Asserts that no question has two answers that were paid for.
#[track_caller]
pub(crate) fn paid_once(calls: &[FakeCall], said: &str) {
    let mut answered: HashMap<String, usize> = HashMap::new();
    for call in calls.iter().filter(|call| call.status == Some(200)) {
        *answered.entry(call.body["messages"].to_string()).or_default() += 1;
    }
    let twice: Vec<&String> = answered.iter().filter(|(_, times)| **times > 1).map(|(body, _)| body).collect();
    assert!(twice.is_empty(), "{} questions were paid for twice\n{said}", twice.len());
}

/// Nothing is left of batches in the state folder, and no file at the provider.
#[track_caller]
fn nothing_is_left(case: &Case) {
    nothing_is_left_of(&case.place, &case.fake);
}

#[track_caller]
pub(crate) fn nothing_is_left_of(place: &Sandbox, fake: &FakeProvider) {
    let left: Vec<String> = files_below(&place.path().join(".war_rig/batches")).into_keys().collect();
    assert!(left.iter().all(|name| name == "vain.json"), "{left:?}");
    assert_eq!(fake.files(), 0, "files are left at the provider");
}

#[test]
fn documents_are_those_of_an_ordinary_run_at_half_the_price() {
    let case = case(BatchScript { looks: 1, ..BatchScript::default() }, FaultScript::default());
    let runs = until_done(&case, "");
    let said = told(&runs);
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "{said}");
    assert!(runs[0].calls.is_empty() && runs[0].ran.err.contains("handed in"), "{said}");
    assert!(runs[1].ran.err.contains("nothing has come back yet"), "{said}");
    let log = case.fake.log();
    assert!(log.violations.is_empty() && log.over_budget.is_empty(), "{:#?}", log.violations);
    assert!(log.calls.iter().all(|call| call.batch.is_some()), "every call came in a batch");
    paid_once(&log.calls, &said);
    // The voice needs the words of all parts, so that it comes in a second batch.
    let of_overviews: Vec<&str> = log
        .calls
        .iter()
        .filter(|call| call.purpose == CallPurpose::Overview)
        .map(|call| call.batch.as_deref().unwrap())
        .collect();
    assert_eq!(of_overviews, ["batch-1"], "{said}");
    assert!(documents(&case) == ordinary(FaultScript::default()), "{said}");
    nothing_is_left(&case);
    // Booked at half of what ordinary calls cost.
    let half: f64 = log.calls.iter().map(cost).sum::<f64>() / 2.0;
    let runs = case.command(&["status", "--format", "json"].map(str::to_owned)).json();
    let booked: f64 =
        runs["runs"].as_array().unwrap().iter().map(|run| run["calls"]["cost_usd"].as_f64().unwrap()).sum();
    assert!((booked - half).abs() < 1e-5, "{booked} booked, {half} paid: {runs}");
    // And once more: nothing is asked.
    let again = case.run_freely("out", "--batch");
    again.ended(0, &[]);
    assert!(again.calls.is_empty() && case.fake.batches().len() == 2);
    case.run_freely("out", "").ended(0, &[]);
    assert_eq!(case.fake.log().calls.len(), log.calls.len(), "an ordinary run finds the answers too");
}

#[test]
fn a_plan_says_what_batches_cost() {
    let case = case(BatchScript::default(), FaultScript::default());
    let plan = |more: &[&str]| {
        let words = ["plan", "src", "--scribe", "openai", "--format", "json"].iter().chain(more);
        case.command(&words.map(|word| (*word).to_owned()).collect::<Vec<_>>()).json()["totals"].clone()
    };
    let (ordinary, batched) = (plan(&[]), plan(&["--batch"]));
    let usd = |totals: &serde_json::Value, key: &str| totals[key].as_f64().unwrap();
    for key in ["cost_usd", "max_cost_usd"] {
        assert!((usd(&batched, key) - usd(&ordinary, key) / 2.0).abs() < 1e-6, "{key}: {batched} {ordinary}");
    }
    assert_eq!((&batched["batches"], &ordinary["batches"]), (&2.into(), &serde_json::Value::Null));
    assert_eq!(batched["prompt_tokens"], ordinary["prompt_tokens"]);
    // The same tokens, to the last one, are handed in.
    let handed = case.run_freely("out", "--batch");
    handed.ended(5, &[&format!("with {} tokens", ordinary["prompt_tokens"])]);
    until_done(&case, "");
    assert_eq!(case.fake.batches().len(), 2);
}

#[test]
fn it_waits_until_all_is_done() {
    let case =
        case(BatchScript { looks: 2, ..BatchScript::default() }, FaultScript::default()).set("batch_poll_seconds", 1);
    let run = case.run_freely("out", "--batch --wait");
    run.ended(0, &[]);
    assert!(documents(&case) == ordinary(FaultScript::default()), "{}", run.ran.err);
    nothing_is_left(&case);
}

#[test]
fn what_goes_wrong_with_a_batch_costs_no_answer() {
    use BatchFault::{
        CancelledElsewhere, CutAlways, CutAtLineOnce, CutOnce, Expires, Missing, NoRoom, TwiceAndReversed, Unanswered,
    };
    let expected = ordinary(FaultScript::default());
    for fault in
        [Expires(2), Expires(0), CancelledElsewhere(1), NoRoom, TwiceAndReversed, CutOnce, CutAtLineOnce, Unanswered]
    {
        let case = case(BatchScript { faults: vec![fault], ..BatchScript::default() }, FaultScript::default());
        let mut runs = Vec::new();
        while runs.last().is_none_or(|last: &Outcome| last.ran.code != Some(0)) {
            runs.push(case.run_freely("out", "--batch"));
            // The provider that tells nothing is out of reach for this run.
            let code = runs.last().unwrap().ran.code;
            assert!(
                [Some(0), Some(5)].contains(&code) || (fault == Unanswered && code == Some(14)),
                "{fault:?}: {}",
                told(&runs)
            );
            assert!(runs.len() < MOST, "{fault:?}: {}", told(&runs));
        }
        let said = format!("{fault:?}: {}", told(&runs));
        paid_once(&case.fake.log().calls, &said);
        assert!(documents(&case) == expected, "{said}");
        if fault == Unanswered {
            assert_eq!(case.fake.batches().len(), 2, "the batch that was created unseen is found: {said}");
        }
    }
    // A line that never comes was paid for, and has to be asked again: that alone.
    for fault in [Missing(2), CutAlways] {
        let case = case(BatchScript { faults: vec![fault], ..BatchScript::default() }, FaultScript::default());
        let runs = until_done(&case, "");
        let said = format!("{fault:?}: {}", told(&runs));
        assert!(runs.last().unwrap().ran.code == Some(0) && documents(&case) == expected, "{said}");
        let lost = case.fake.log().calls.len() - {
            let mut bodies: Vec<String> =
                case.fake.log().calls.iter().map(|call| call.body["messages"].to_string()).collect();
            bodies.sort();
            bodies.dedup();
            bodies.len()
        };
        assert!(lost > 0 && said.contains(&format!("{lost} without an answer")), "{lost} lost, {said}");
    }
}

#[test]
fn a_line_that_would_end_an_ordinary_run_does_not_hold_up_its_batch() {
    let expected = ordinary(FaultScript::default());
    for fault in [|| CallFault::Quota, || CallFault::Unauthorized, || CallFault::NoChoices] {
        let script = FaultScript::when(move |asked| (asked.order == 0).then(fault));
        let case = case(BatchScript::default(), script);
        let runs = until_done(&case, "");
        let said = format!("{:?}: {}", fault(), told(&runs));
        assert_eq!(runs.last().unwrap().ran.code, Some(0), "{said}");
        assert!(documents(&case) == expected, "{said}");
        nothing_is_left(&case);
    }
}

#[test]
fn cut_refused_and_empty_answers_are_asked_for_again_as_an_ordinary_run_does() {
    let faults: [fn() -> FaultScript; 3] = [
        || FaultScript::when(|asked| (asked.file == "WIDE.cbl" && asked.rows > 100).then_some(CallFault::Truncated)),
        || FaultScript::when(|asked| (asked.chunk.0 == 2 && asked.attempt == 1).then_some(CallFault::Refused)),
        || FaultScript::when(|asked| (asked.attempt == 1 && asked.chunk.0 == 1).then_some(CallFault::Status(400))),
    ];
    let questions = |case: &Case| {
        let calls = case.fake.log().calls;
        let mut questions: Vec<String> = calls.iter().map(|call| call.body["messages"].to_string()).collect();
        questions.sort();
        questions
    };
    for (number, script) in faults.iter().enumerate() {
        let case = case(BatchScript::default(), script());
        let runs = until_done(&case, "");
        let said = format!("{number}: {}", told(&runs));
        assert_eq!(runs.last().unwrap().ran.code, Some(0), "{said}");
        assert!(case.fake.log().violations.is_empty(), "{said}");
        nothing_is_left(&case);
        let one_by_one = self::case(BatchScript::default(), script());
        // An ordinary run does not ask again what the provider does not take; a batch may come back so for other reasons.
        if one_by_one.run_freely("out", "").ran.code == Some(0) {
            assert!(questions(&case) == questions(&one_by_one), "{said}");
        }
    }
    // Cut answers lead to the same smaller chunks.
    let case = case(BatchScript::default(), faults[0]());
    until_done(&case, "");
    assert!(documents(&case) == ordinary(faults[0]()));
    // One by one after the first batch, where that is wished.
    let case = self::case(BatchScript::default(), faults[0]()).set("batch_again", "calls");
    let runs = until_done(&case, "");
    assert!(runs.last().unwrap().ran.code == Some(0) && runs.len() == 2, "{}", told(&runs));
    assert!(case.fake.log().calls.iter().any(|call| call.batch.is_none()));
    assert!(documents(&case) == ordinary(faults[0]()));
}

#[test]
fn a_provider_that_takes_no_batch_is_told_and_nothing_is_asked_at_full_price() {
    let forbidden = case(BatchScript { is_forbidden: true, ..BatchScript::default() }, FaultScript::default());
    let run = forbidden.run_freely("out", "--batch");
    assert!([Some(2), Some(12)].contains(&run.ran.code), "{}", run.ran.err);
    assert!(run.calls.is_empty() && run.ran.err.contains("the provider does not take the batch"), "{}", run.ran.err);

    let refused =
        case(BatchScript { faults: vec![BatchFault::Refused; 3], ..BatchScript::default() }, FaultScript::default());
    refused.run_freely("out", "--batch").ended(5, &[]);
    let run = refused.run_freely("out", "--batch");
    run.ended(2, &["every question of the batch was refused", "not offered in batches"]);
    assert!(run.calls.is_empty(), "{}", run.ran.err);

    let failed =
        case(BatchScript { faults: vec![BatchFault::Fails], ..BatchScript::default() }, FaultScript::default());
    failed.run_freely("out", "--batch").ended(5, &[]);
    failed.run_freely("out", "--batch").ended(2, &["The file is no good."]);

    let full = case(BatchScript { too_many: 1, ..BatchScript::default() }, FaultScript::default());
    full.run_freely("out", "--batch").ended(5, &["waits for room"]);
    let runs = until_done(&full, "");
    assert!(
        runs.last().unwrap().ran.code == Some(0) && documents(&full) == ordinary(FaultScript::default()),
        "{}",
        told(&runs)
    );
}

#[test]
fn a_cap_holds_over_all_batches() {
    let case = case(BatchScript::default(), FaultScript::default());
    let first = case.run_freely("out", "--batch --budget-usd 0.2");
    first.ended(5, &["the next call may cost"]);
    // What fits is handed in all the same, and its real cost makes room for more.
    let batches = case.fake.batches();
    assert!(batches.len() == 1 && batches[0].requests > 0, "{batches:?}\n{}", first.ran.err);
    for _ in 0..MOST {
        let run = case.run_freely("out", "--batch --budget-usd 0.2");
        assert!([Some(0), Some(5)].contains(&run.ran.code), "{}", run.ran.err);
        let paid: f64 = case.fake.log().calls.iter().map(cost).sum::<f64>() / 2.0;
        assert!(paid <= 0.2, "{paid}");
    }
    paid_once(&case.fake.log().calls, "");
}

#[test]
fn an_ordinary_run_leaves_alone_what_waits_in_a_batch() {
    let case = case(BatchScript { looks: 3, ..BatchScript::default() }, FaultScript::default());
    case.run_freely("out", "--batch").ended(5, &["handed in"]);
    let run = case.run_freely("out", "");
    run.ended(5, &["questions wait in batches"]);
    assert!(run.calls.is_empty());
    // `--force` would ask anew for what is under way.
    case.run_freely("out", "--batch --force").ended(5, &[]);
    let status = case.command(&["status".to_owned()]);
    assert!(status.out.contains("batch") && status.out.contains("in progress"), "{}", status.out);
    let runs = until_done(&case, "");
    paid_once(&case.fake.log().calls, &told(&runs));
    assert!(documents(&case) == ordinary(FaultScript::default()));
}

#[test]
fn a_batch_can_be_cancelled_and_what_was_answered_is_kept() {
    let case =
        case(BatchScript { looks: 99, ..BatchScript::default() }, FaultScript::default()).set("batch_poll_seconds", 1);
    case.run_freely("out", "--batch").ended(5, &["handed in"]);
    case.run_freely("out", "--batch --cancel").ended(0, &["1 batch is cancelled; 1 of their questions"]);
    nothing_is_left(&case);
    let before = case.fake.log().calls.len();
    assert_eq!(before, 1);
    case.run_freely("out", "").ended(0, &[]);
    paid_once(&case.fake.log().calls, "");
    assert!(documents(&case) == ordinary(FaultScript::default()));
}

#[test]
fn batches_are_as_large_as_may_be_and_of_one_model() {
    let case = case(BatchScript::default(), FaultScript::default())
        .set("batch_requests", 2)
        .set("overview_model", "gpt-4o-mini");
    let runs = until_done(&case, "");
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "{}", told(&runs));
    let batches = case.fake.batches();
    assert!(batches.len() > 2 && batches.iter().all(|batch| batch.status == "completed"), "{batches:?}");
    let mut models: HashMap<String, Vec<String>> = HashMap::new();
    for call in &case.fake.log().calls {
        let of_batch = models.entry(call.batch.clone().unwrap()).or_default();
        of_batch.push(call.body["model"].as_str().unwrap().to_owned());
    }
    assert!(
        models.values().all(|of_batch| of_batch.len() <= 2 && of_batch.windows(2).all(|two| two[0] == two[1])),
        "{models:?}"
    );
    assert!(models.values().flatten().any(|model| model == "gpt-4o-mini"));
}

/// The tokens of the prompts of each batch.
fn tokens_of_batches(case: &Case) -> BTreeMap<String, u64> {
    let mut tokens = BTreeMap::new();
    for call in &case.fake.log().calls {
        *tokens.entry(call.batch.clone().unwrap()).or_default() += call.prompt_tokens;
    }
    tokens
}

#[test]
fn no_more_tokens_wait_at_the_provider_than_it_holds() {
    const MOST_TOKENS: u64 = 12_000;
    let case = case(BatchScript::default(), FaultScript::default()).set("batch_tokens", MOST_TOKENS);
    let plan = ["plan", "src", "--scribe", "openai", "--batch", "--format", "json"].map(str::to_owned);
    let planned = case.command(&plan).json()["totals"].clone();
    let first = case.run_freely("out", "--batch");
    first.ended(5, &["waits until others are done, as scribe.batch_tokens asks", "sealed"]);
    assert_eq!(case.fake.batches().len(), 1, "{}", first.ran.err);
    let runs = until_done(&case, "");
    let said = told(&runs);
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "{said}");
    let tokens = tokens_of_batches(&case);
    assert!(tokens.values().all(|tokens| *tokens <= MOST_TOKENS) && tokens.len() > 2, "{tokens:?}\n{said}");
    assert_eq!(tokens.len() as u64, planned["batches"].as_u64().unwrap(), "{tokens:?}\n{said}");
    assert!(documents(&case) == ordinary(FaultScript::default()), "{said}");
    nothing_is_left(&case);
    // A batch that is larger than the provider holds is divided when that is told.
    let large = self::case(
        BatchScript { faults: vec![BatchFault::NoRoom; 2], ..BatchScript::default() },
        FaultScript::default(),
    );
    large.run_freely("out", "--batch").ended(5, &[]);
    large.run_freely("out", "--batch").ended(5, &["Enqueued token limit reached", "scribe.batch_tokens"]);
    let large = large.set("batch_tokens", MOST_TOKENS);
    let runs = until_done(&large, "");
    assert_eq!(runs.last().unwrap().ran.code, Some(0), "{}", told(&runs));
    assert!(tokens_of_batches(&large).values().all(|tokens| *tokens <= MOST_TOKENS), "{}", told(&runs));
    paid_once(&large.fake.log().calls, &told(&runs));
    assert!(documents(&large) == ordinary(FaultScript::default()));
}

#[test]
fn a_plan_counts_batches_by_their_bytes() {
    let programs: Vec<(String, String)> =
        (0..9).map(|at| (format!("P{at}.cbl"), wide(&format!("P{at}"), 400))).collect();
    let programs: Vec<(&str, &str)> = programs.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let case = Case::of(&programs, FakeOptions { budget: Some(6000), ..FakeOptions::default() })
        .set("batch_megabytes", 1)
        .set("reconcile", false);
    let plan = ["plan", "src", "--scribe", "openai", "--batch"].map(str::to_owned);
    let said = case.command(&plan).out;
    case.run_freely("out", "--batch").ended(5, &[]);
    let batches = case.fake.batches().len();
    assert!(batches > 1 && said.contains(&format!("in {batches} batches")), "{batches}: {said}");
}

#[test]
fn a_run_is_killed_at_every_step_of_its_batches_and_run_again() {
    let started = || {
        Tokenizer::O200k.count("loaded");
        let fake = FakeProvider::start(FakeOptions { budget: Some(BUDGET), ..FakeOptions::default() });
        let job = asking(small_job("--jobs 1 --batch --wait"), &fake, 1);
        (fake, job)
    };
    let (fake, job) = started();
    let run = job.run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    let right = job.documents();
    let asked = fake.log().calls.len();
    assert!(fake.batches().len() == 2 && asked > 4);
    // What is sent, what is done in the folder of batches, and some of all else.
    let of_batches = |step: &&SyscallStep| {
        step.kind == SyscallKind::Send || step.path.components().any(|part| part.as_os_str() == "batches")
    };
    let mut plans: Vec<FaultPlan> =
        run.steps.iter().filter(of_batches).map(|step| FaultPlan::kill_at(step.number)).collect();
    plans.extend(
        run.steps
            .iter()
            .filter(of_batches)
            .filter(|step| matches!(step.kind, SyscallKind::Send | SyscallKind::Rename))
            .map(|step| FaultPlan::kill_after(step.number)),
    );
    plans.extend(run.steps.iter().step_by(9).map(|step| FaultPlan::kill_at(step.number)));
    let kills = AtomicUsize::new(0);
    on_all_cores(&plans, |plan| {
        let what = format!("{plan:?}");
        let (fake, job) = started();
        let killed = job.run(plan);
        kills.fetch_add(usize::from(killed.was_killed()), Ordering::Relaxed);
        job.run(&FaultPlan::count()).assert_exit(0, &what);
        job.check_documents(&right, &what);
        let calls = fake.log().calls;
        paid_once(&calls, &what);
        assert_eq!(calls.len(), asked, "{what}");
    });
    assert!(kills.into_inner() > plans.len() * 3 / 4, "{} plans", plans.len());
}

#[test]
fn two_folders_of_state_do_not_take_each_others_batches() {
    let fake = FakeProvider::start(FakeOptions { budget: Some(BUDGET), ..FakeOptions::default() });
    let jobs = [(); 2].map(|()| asking(small_job("--jobs 1 --batch"), &fake, 1));
    for job in &jobs {
        job.run(&FaultPlan::count()).assert_exit(5, "handed in");
    }
    for job in &jobs {
        job.run_more(&FaultPlan::count(), &["--wait"]).assert_exit(0, "done");
    }
    let documents = jobs.each_ref().map(|job| job.documents());
    assert!(documents[0] == documents[1] && !documents[0].is_empty());
    // Each asked for itself, and once.
    let mut asked: HashMap<String, usize> = HashMap::new();
    fake.log().calls.iter().for_each(|call| *asked.entry(call.body.to_string()).or_default() += 1);
    assert!(asked.values().all(|times| *times == 2), "{:?}", asked.values().collect::<Vec<_>>());
}

#[test]
fn what_does_not_go_together_is_refused() {
    let case = case(BatchScript::default(), FaultScript::default());
    case.run_freely("out", "--batch --record answers.jsonl").ended(2, &["`--batch`", "--record"]);
    case.run_freely("out", "--batch --broker nats://127.0.0.1:1").ended(2, &["`--batch`", "--broker"]);
    for command in ["worker --broker nats://127.0.0.1:1 --batch", "send notes list --input src --batch"] {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        case.command(&words).assert_exit(2).assert_stderr(&["`--batch`: workers call the model themselves"]);
    }
    case.run_freely("out", "--wait").ended(2, &["--batch"]);
    let words = ["document", "src", "-o", "out", "--batch"].map(str::to_owned);
    let refused = case.command(&words);
    refused.assert_exit(2).assert_stderr(&["no model is asked", "--scribe openai"]);
    assert!(case.fake.batches().is_empty());
    let report = case.place.path().join("out/run.json");
    assert!(!report.exists() || json_file(&report)["calls"] == 0);
}
