//! Runs that are killed, at every step and at random, and the reruns that bring them to their end.

use crate::catalogue::held::check_known;
use crate::kept;
use crate::programs::{small, wide};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use war_rig_tests::crash::{
    FaultPlan, ProcessResult, Seed, SyscallKind, SyscallStep, TestCommand, cases, on_all_cores,
};
use war_rig_tests::fake::{FakeCall, FakeOptions, FakeProvider, Latency, Tokenizer};
use war_rig_tests::{Sandbox, fixtures};

/// A budget at which the widest of the small programs comes in four chunks.
const SMALL_BUDGET: u64 = 5090;

/// The budget of larger estates.
pub(crate) const BUDGET: u64 = 6000;

type Files = BTreeMap<String, Vec<u8>>;

/// Three small programs with a copybook, one of them in several chunks.
pub(crate) fn small_estate(place: &Sandbox) -> PathBuf {
    let copying = small("COPIES").replace(
        "       PROCEDURE DIVISION.",
        "       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       COPY RECORDS.\n       PROCEDURE DIVISION.",
    );
    place.write("src/cbl/COPIES.cbl", copying);
    place.write("src/cbl/ONE.cbl", small("ONE"));
    place.write("src/cbl/WIDE.cbl", wide("WIDE", 70));
    place.write("src/cpy/RECORDS.cpy", "       01  RECORD-ONE.\n           05  RECORD-KEY PIC X(8).\n");
    place.path().join("src")
}

/// A fake that never fails and takes a moment, so that calls overlap.
pub(crate) fn fake(latency: Latency) -> FakeProvider {
    Tokenizer::O200k.count("loaded");
    FakeProvider::start(FakeOptions { budget: Some(BUDGET), latency, ..FakeOptions::default() })
}

/// A job that asks a fake, with so many calls at a time.
pub(crate) fn asking(job: TestCommand, fake: &FakeProvider, concurrency: usize) -> TestCommand {
    job.variable("WAR_RIG_SCRIBE__PROVIDER", "openai")
        .variable("WAR_RIG_SCRIBE__BASE_URL", fake.base_url())
        .variable("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", SMALL_BUDGET)
        .variable("WAR_RIG_SCRIBE__OUTAGE_SECONDS", 1)
        .variable("WAR_RIG_SCRIBE__CONCURRENCY", concurrency)
        .variable("OPENAI_API_KEY", "sk-planted-key-4711")
}

/// Documents the small estate, alone. Tokens are estimated, because loading the tables for counting them takes longer than all else.
pub(crate) fn small_job(more: &str) -> TestCommand {
    let place = Sandbox::in_memory();
    let sources = small_estate(&place);
    TestCommand::in_place(place, &sources, more).variable("WAR_RIG_SCRIBE__ENCODING", "heuristic")
}

/// Asserts what the store says behind a run that came to its end: each source has one row, and all of them are done. What the store holds
/// is also what `status` says.
#[track_caller]
pub(crate) fn check_rows(job: &TestCommand, right: &Files, what: &str) {
    let kept = kept::tickets(job);
    let named: BTreeSet<&str> =
        right.keys().filter_map(|name| name.strip_suffix(".json")).filter(|name| *name != "estate").collect();
    let done: Vec<&str> = kept.iter().filter(|row| row.state == "done").map(|row| row.file.as_str()).collect();
    assert_eq!(done, named.into_iter().collect::<Vec<_>>(), "{what}");
    let ended = kept.iter().all(|row| ["done", "skipped"].contains(&row.state.as_str()));
    assert!(ended, "{what}: {kept:?}");
    assert!(kept.windows(2).all(|pair| pair[0].file < pair[1].file), "{what}: a source has two rows: {kept:?}");
    let status = job.status();
    let mut told = rows(&status.assert_exit(0, what).json());
    told.sort();
    let kept: Vec<(String, String)> = kept.into_iter().map(|row| (row.file, row.state)).collect();
    assert_eq!(told, kept, "{what}: what is kept is not what is said");
}

/// The tickets of a status, by file and state.
pub(crate) fn rows(status: &Value) -> Vec<(String, String)> {
    let rows = status["tickets"].as_array().unwrap_or_else(|| panic!("no tickets: {status}"));
    let row = |row: &Value| {
        let text = |field: &str| row[field].as_str().unwrap_or_else(|| panic!("{field}: {row}")).to_owned();
        (text("file"), text("state"))
    };
    rows.iter().map(row).collect()
}

/// The calls of killed runs and of those behind them, held against those of a run that nobody disturbed.
pub(crate) struct Account<'a> {
    fake: &'a FakeProvider,
    /// The most calls at a time.
    concurrency: usize,
    /// The calls that left the killed runs and the other ones.
    sent: usize,
    pub(crate) kills: usize,
    /// The place of the last call of each killed run in the log.
    cuts: Vec<usize>,
}

impl<'a> Account<'a> {
    pub(crate) fn new(fake: &'a FakeProvider, concurrency: usize) -> Self {
        Self { fake, concurrency, sent: 0, kills: 0, cuts: Vec::new() }
    }

    /// Notes what a run has sent, once the fake has it.
    pub(crate) fn note(&mut self, run: &ProcessResult) {
        let sends = || run.steps.iter().filter(|step| step.kind == SyscallKind::Send && !step.failed);
        let surely = self.sent + sends().filter(|step| step.ended.is_some()).count();
        self.sent += sends().count();
        if !run.was_killed() {
            return;
        }
        // What a killed process has sent still comes, however busy the machine is; where it was killed while it sent, it may.
        let wait = |count: usize, longest: Duration| {
            let begun = Instant::now();
            while self.fake.log().calls.len() < count && begun.elapsed() < longest {
                std::thread::sleep(Duration::from_millis(2));
            }
        };
        wait(surely, Duration::from_secs(10));
        wait(self.sent, Duration::from_millis(100));
        self.sent = self.fake.log().calls.len();
        self.kills += 1;
        self.cuts.push(self.sent);
    }

    /// Asserts that no call was made twice but those in flight at a kill, and that nothing else was asked than in a run without kills.
    #[track_caller]
    pub(crate) fn check(&self, undisturbed: &[String], what: &str) {
        let log = self.fake.log();
        assert!(log.violations.is_empty() && log.over_budget.is_empty(), "{what}: {:?}", log.violations);
        let bodies: Vec<String> = log.calls.iter().map(|call| call.body.to_string()).collect();
        let mut asked: Vec<&str> = bodies.iter().map(String::as_str).collect();
        asked.sort_unstable();
        asked.dedup();
        let mut right: Vec<&str> = undisturbed.iter().map(String::as_str).collect();
        right.sort_unstable();
        assert!(asked == right, "{what}: {} questions were asked instead of {}", asked.len(), right.len());
        let last: HashMap<&str, usize> = bodies.iter().enumerate().map(|(at, body)| (body.as_str(), at)).collect();
        let mut begun = 0;
        for cut in &self.cuts {
            let lost: Vec<usize> = (begun..*cut).filter(|at| last[bodies[*at].as_str()] > *at).collect();
            assert!(lost.len() <= self.concurrency, "{what}: calls {lost:?} of {begun}..{cut} were lost at a kill");
            begun = *cut;
        }
        let repeated = (begun..bodies.len()).find(|at| last[bodies[*at].as_str()] > *at);
        assert!(repeated.is_none(), "{what}: call {repeated:?} was made twice without a kill");
        assert!(bodies.len() - right.len() <= self.kills * self.concurrency, "{what}");
    }
}

/// The questions that a fake was asked.
pub(crate) fn questions(fake: &FakeProvider) -> Vec<String> {
    fake.log().calls.iter().map(|call| call.body.to_string()).collect()
}

/// Kills a job at a step, then runs it again, and asserts that it comes to the documents of one that nobody disturbed.
fn killed_and_run_again(
    job: &TestCommand,
    plan: &FaultPlan,
    right: &Files,
    mut noted: impl FnMut(&ProcessResult),
) -> bool {
    let what = format!("{plan:?}");
    let killed = job.run(plan);
    noted(&killed);
    if killed.was_killed() {
        job.check_whole(right, &what);
        check_done(job, &killed, &what);
    } else {
        killed.assert_exit(0, &what);
    }
    let again = job.run(&FaultPlan::count());
    noted(&again);
    again.assert_exit(0, &what);
    job.check_documents(right, &what);
    check_rows(job, right, &what);
    check_known(job, right, &what);
    killed.was_killed()
}

/// A kill right before every one of these steps, and one right behind those that others see: a name, and a call. What is killed right
/// behind another step is mostly what is killed right before the next.
pub(crate) fn every_step(steps: &[SyscallStep]) -> Vec<FaultPlan> {
    let seen = |step: &&SyscallStep| matches!(step.kind, SyscallKind::Rename | SyscallKind::Send);
    let behind = steps.iter().filter(seen).map(|step| FaultPlan::kill_after(step.number));
    steps.iter().map(|step| FaultPlan::kill_at(step.number)).chain(behind).collect()
}

#[test]
fn a_run_without_a_model_is_killed_at_every_step_and_run_again() {
    let undisturbed = small_job("--jobs 1");
    let run = undisturbed.run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    let right = undisturbed.documents();
    check_rows(&undisturbed, &right, "undisturbed");
    let kills = AtomicUsize::new(0);
    let plans = every_step(&run.steps);
    on_all_cores(&plans, |plan| {
        if killed_and_run_again(&small_job("--jobs 1"), plan, &right, |_| {}) {
            kills.fetch_add(1, Ordering::Relaxed);
        }
    });
    // Commits come in groups, and which of them share one is not always the same.
    assert!(kills.into_inner() * 10 >= plans.len() * 9, "{} plans", plans.len());
    assert!(run.steps.len() > 30, "{} steps", run.steps.len());
}

/// A job over the small estate, documented whole before one of its programs was made to call another one.
fn edited_job() -> TestCommand {
    let job = small_job("--jobs 1");
    job.run(&FaultPlan::count()).assert_exit(0, "before the edit");
    let source = job.out().with_file_name("src").join("cbl/ONE.cbl");
    std::fs::write(source, small("ONE").replace("SUBONE", "WIDE")).unwrap();
    job
}

#[test]
fn a_run_over_a_part_is_killed_at_every_step_and_followed_by_one_over_all() {
    const PART: [&str; 2] = ["--only", "cbl/ONE.cbl"];
    let undisturbed = edited_job();
    let before = undisturbed.documents();
    let run = undisturbed.run_more(&FaultPlan::count(), &PART);
    run.assert_exit(0, "undisturbed").assert_stderr(&["; 1 other brought up to date with the estate"]);
    let right = undisturbed.documents();
    let wide = "cbl/WIDE.cbl.json";
    assert!(before[wide] != right[wide], "what is not picked says who calls it now");
    check_rows(&undisturbed, &right, "undisturbed");
    let plans: Vec<(usize, FaultPlan)> = every_step(&run.steps).into_iter().enumerate().collect();
    on_all_cores(&plans, |(number, plan)| {
        let job = edited_job();
        let killed = job.run_more(plan, &PART);
        let what = format!("{plan:?}");
        for (name, bytes) in &job.documents() {
            let is_whole = before.get(name) == Some(bytes) || right.get(name) == Some(bytes);
            // A file that was being written has another name.
            assert!(is_whole || name.ends_with(".tmp"), "{what}: {name} is neither old nor new");
        }
        // One over the same part, or over everything, comes to the same.
        if number % 2 == 0 && killed.was_killed() {
            job.run_more(&FaultPlan::count(), &PART).assert_exit(0, &what);
            job.check_documents(&right, &what);
        }
        job.run(&FaultPlan::count()).assert_exit(0, &what);
        job.check_documents(&right, &what);
        check_rows(&job, &right, &what);
        check_known(&job, &right, &what);
    });
}

#[test]
fn a_run_that_asks_a_model_is_killed_at_every_step_and_run_again() {
    const CONCURRENCY: usize = 2;
    let first = fake(Latency::None);
    let undisturbed = asking(small_job("--jobs 2"), &first, CONCURRENCY);
    let run = undisturbed.run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    let (right, asked) = (undisturbed.documents(), questions(&first));
    assert!(asked.len() > 5, "{} calls", asked.len());
    // What is not about a call, a run without a model has as well. All of it is tried where many kills are.
    let sends: Vec<usize> =
        run.steps.iter().filter(|step| step.kind == SyscallKind::Send).map(|step| step.number).collect();
    let is_about_a_call = |step: &&SyscallStep| sends.iter().any(|send| step.number.abs_diff(*send) <= 2);
    let is_tried = |step: &&SyscallStep| cases(1) > 1 || is_about_a_call(step);
    let tried: Vec<SyscallStep> = run.steps.iter().filter(is_tried).cloned().collect();
    on_all_cores(&every_step(&tried), |plan| {
        let fake = fake(Latency::None);
        let job = asking(small_job("--jobs 2"), &fake, CONCURRENCY);
        let mut account = Account::new(&fake, CONCURRENCY);
        killed_and_run_again(&job, plan, &right, |run| account.note(run));
        account.check(&asked, &format!("{plan:?}"));
        check_ledger(&job, &fake, account.kills * CONCURRENCY, &format!("{plan:?}"));
    });
}

/// Asserts that what the store calls done was on the disk by then: both files renamed and their folder synced.
#[track_caller]
fn check_done(job: &TestCommand, killed: &ProcessResult, what: &str) {
    for ticket in kept::tickets(job).iter().filter(|ticket| ticket.state == "done") {
        for end in [".json", ".md"] {
            let end = format!("/{}{end}", ticket.file);
            let renamed = killed.steps.iter().find(|step| step.kind == SyscallKind::Rename && ends(step, &end));
            let renamed = renamed.and_then(|step| step.ended.map(|ended| (ended, step.path.parent())));
            let Some((ended, folder)) = renamed else { panic!("{what}: {end} is done and not there") };
            let is_synced = killed.steps.iter().any(|step| {
                step.kind == SyscallKind::Sync
                    && step.begun > ended
                    && step.ended.is_some()
                    && Some(step.path.as_path()) == folder
            });
            assert!(is_synced, "{what}: {end} is done and its folder not synced");
        }
    }
}

/// Asserts that the ledger has each call of the fake, and no more than were about to be sent when the process was killed.
#[track_caller]
pub(crate) fn check_ledger(job: &TestCommand, fake: &FakeProvider, unsent: usize, what: &str) {
    check_ledger_of(job, &fake.log().calls, unsent, Answers::Once, what);
}

/// How many answers to a question are on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    /// One: nobody asks twice but after a death, and who has died gets no answer.
    Once,
    /// One at least: who was taken for dead may get an answer that is asked for again, and both are paid for.
    AsPaid,
}

/// The same with calls that may have been made to several fakes.
#[track_caller]
pub(crate) fn check_ledger_of(job: &TestCommand, calls: &[FakeCall], unsent: usize, answers: Answers, what: &str) {
    let kept = kept::calls(job);
    let mut told: HashMap<&str, i64> = HashMap::new();
    for call in &kept {
        assert!(["answered", "lost"].contains(&call.state.as_str()), "{what}: {call:?}");
        *told.entry(&call.file).or_default() += 1;
    }
    for call in calls {
        let left = told.entry(&call.file).or_default();
        *left -= 1;
        assert!(*left >= 0, "{what}: a call about {} was sent without a row", call.file);
    }
    assert!(kept.len() <= calls.len() + unsent, "{what}: {} rows, {} calls", kept.len(), calls.len());
    let answered: Vec<_> = kept.iter().filter(|call| call.state == "answered").collect();
    let questions: BTreeSet<String> = calls.iter().map(|call| call.body.to_string()).collect();
    let most = if answers == Answers::Once { questions.len() } else { calls.len() };
    let count = answered.len();
    assert!((questions.len()..=most).contains(&count), "{what}: {count} answers to {} questions", questions.len());
    for row in answered {
        let is_it = calls
            .iter()
            .filter(|call| call.status == Some(200))
            .any(|call| (call.file.as_str(), call.completion_tokens) == (row.file.as_str(), row.completion_tokens));
        assert!(is_it, "{what}: {row:?} is no call of the provider");
    }
}

/// Where and when a run is killed next.
fn next_plan(random: &mut fastrand::Rng, steps: usize) -> FaultPlan {
    // Few steps as often as many: what goes wrong at the beginning is as likely as what goes wrong in between.
    let most = if random.bool() { steps / 8 } else { steps };
    let number = random.usize(1..=most.max(2));
    if random.bool() { FaultPlan::kill_at(number) } else { FaultPlan::kill_after(number) }
}

/// Kills runs of one job until it comes to its end or a ticket was in work twice; then lets it. A third time would be taken for a ticket
/// that kills its worker. Gives the number of kills.
fn killed_at_random(
    job: &TestCommand,
    random: &mut fastrand::Rng,
    steps: usize,
    right: &Files,
    mut noted: impl FnMut(&ProcessResult),
) -> usize {
    let mut kills = 0;
    loop {
        let by_time = random.u8(..8) == 0;
        let run = match by_time {
            true => job.start(&FaultPlan::count(), &[]).kill_after(Duration::from_millis(random.u64(50..1500))),
            false => job.run(&next_plan(random, steps)),
        };
        noted(&run);
        if !run.was_killed() {
            run.assert_exit(0, "a run that was not killed");
            break;
        }
        kills += 1;
        job.check_whole(right, "behind a kill");
        if kept::tickets(job).iter().any(|ticket| ticket.attempts > 1) {
            break;
        }
    }
    let last = job.run(&FaultPlan::count());
    noted(&last);
    last.assert_exit(0, "the last run");
    job.check_documents(right, "behind the last run");
    check_rows(job, right, "behind the last run");
    check_known(job, right, "behind the last run");
    kills
}

/// Documents all fixtures, with tokens that are estimated.
fn estimating(more: &str) -> TestCommand {
    TestCommand::new(&fixtures(), more).variable("WAR_RIG_SCRIBE__ENCODING", "heuristic")
}

/// Shares so many kills out to threads, a chain of kills at a time, each with a seed of its own.
fn share(kills: usize, chain: impl Fn(&mut fastrand::Rng) -> usize + Sync) {
    let first = Seed::any();
    let (made, begun) = (AtomicUsize::new(0), AtomicU64::new(0));
    on_all_cores(&[(); 4], |()| {
        while made.load(Ordering::Relaxed) < kills {
            let seed = Seed(first.0.wrapping_add(begun.fetch_add(1, Ordering::Relaxed)));
            made.fetch_add(chain(&mut fastrand::Rng::with_seed(seed.0)), Ordering::Relaxed);
        }
    });
}

#[test]
fn runs_without_a_model_are_killed_at_random() {
    let undisturbed = estimating("--jobs 4");
    let run = undisturbed.run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    let right = undisturbed.documents();
    share(cases(6), |random| killed_at_random(&estimating("--jobs 4"), random, run.steps.len(), &right, |_| {}));
}

#[test]
fn runs_that_ask_a_model_are_killed_at_random() {
    const CONCURRENCY: usize = 4;
    let (least, most) = (Duration::ZERO, Duration::from_millis(20));
    let latency = |seed| Latency::Random { least, most, seed };
    let first = fake(latency(1));
    let ask = |fake: &FakeProvider| {
        let job = asking(estimating("--jobs 6"), fake, CONCURRENCY);
        job.variable("WAR_RIG_SCRIBE__MAX_PROMPT_TOKENS", BUDGET)
    };
    let undisturbed = ask(&first);
    let run = undisturbed.run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    let (right, asked) = (undisturbed.documents(), questions(&first));
    share(cases(6), |random| {
        let fake = fake(latency(random.u64(..)));
        let job = ask(&fake);
        let mut account = Account::new(&fake, CONCURRENCY);
        let kills = killed_at_random(&job, random, run.steps.len(), &right, |run| account.note(run));
        account.check(&asked, "killed at random");
        check_ledger(&job, &fake, account.kills * CONCURRENCY, "killed at random");
        kills
    });
}

/// The last step of these that had come to its end before another began.
fn before<'a>(
    step: &SyscallStep,
    steps: &'a [SyscallStep],
    is_it: impl Fn(&SyscallStep) -> bool,
) -> Option<&'a SyscallStep> {
    steps.iter().rfind(|other| other.is_done_before(step.begun) && is_it(other))
}

/// Asserts that what a run does is on the disk in the right order.
#[track_caller]
fn check_order(job: &TestCommand, run: &ProcessResult) {
    let (out, state) = (job.out().canonicalize().unwrap(), job.state().canonicalize().unwrap());
    let is_commit = |step: &SyscallStep| step.kind == SyscallKind::Sync && step.path == state.join("war_rig.db-wal");
    let renames: Vec<&SyscallStep> = run
        .steps
        .iter()
        .filter(|step| step.kind == SyscallKind::Rename && step.to.as_ref().is_some_and(|to| to.starts_with(&out)))
        .collect();
    let documents = |end: &str| job.documents().keys().filter(|name| name.ends_with(end)).count();
    let named = |end: &str| renames.iter().filter(|step| ends(step, end)).count();
    assert_eq!(named(".json"), documents(".json") + 1, "run.json is one of them");
    assert_eq!(named(".md"), documents(".md"));
    for rename in &renames {
        let (to, folder) = (rename.to.as_deref().unwrap(), rename.path.parent().unwrap());
        assert_eq!(to.parent(), Some(folder), "a file is renamed within its folder");
        let synced = before(rename, &run.steps, |step| step.kind == SyscallKind::Sync && step.path == rename.path);
        assert!(synced.is_some(), "{} is renamed before it is synced", to.display());
        let folder_synced = run.steps.iter().find(|step| {
            step.kind == SyscallKind::Sync && step.path == folder && step.begun > rename.ended.unwrap() && !step.failed
        });
        assert!(folder_synced.is_some(), "the folder of {} is not synced", to.display());
        // The own files of a run have no ticket.
        if to.parent() != Some(out.as_path()) {
            let ended = folder_synced.unwrap().ended.unwrap();
            assert!(run.steps.iter().any(|step| is_commit(step) && step.begun > ended), "{}", to.display());
        }
    }
    let sends = run.steps.iter().filter(|step| step.kind == SyscallKind::Send);
    for (number, send) in sends.clone().enumerate() {
        let earlier = sends.clone().take(number).last();
        let commit = before(send, &run.steps, is_commit);
        assert!(commit.is_some(), "call {number} is sent before its row is on the disk");
        // With one call at a time, a row is written between two calls, and the answer of the first as well.
        if let (Some(earlier), Some(commit)) = (earlier, commit) {
            assert!(commit.begun > earlier.begun, "call {number} is sent without a row of its own");
        }
    }
}

fn ends(step: &SyscallStep, end: &str) -> bool {
    step.to.as_ref().is_some_and(|to| to.to_string_lossy().ends_with(end))
}

#[test]
fn what_a_run_does_is_on_the_disk_in_the_right_order() {
    let without = small_job("--jobs 1");
    let run = without.run(&FaultPlan::count());
    check_order(&without, run.assert_exit(0, "static"));
    let fake = fake(Latency::None);
    let asks = asking(small_job("--jobs 1"), &fake, 1);
    let run = asks.run(&FaultPlan::count());
    check_order(&asks, run.assert_exit(0, "asking"));
    let sends = run.steps.iter().filter(|step| step.kind == SyscallKind::Send).count();
    assert_eq!(sends, fake.log().calls.len());
}

#[test]
fn the_ledger_is_the_providers_log_token_by_token() {
    // Where tokens are counted, and not estimated to be quicker, both sides come to the same numbers, also over a kill.
    let fake = fake(Latency::None);
    let job = asking(small_job("--jobs 1"), &fake, 1).variable("WAR_RIG_SCRIBE__ENCODING", "o200k_base");
    assert!(job.run(&FaultPlan::kill_after(3).only(SyscallKind::Send)).was_killed());
    job.run(&FaultPlan::count()).assert_exit(0, "the rerun");
    let calls = fake.log().calls;
    let log: Vec<_> = calls.iter().map(|call| (call.file.clone(), call.prompt_tokens)).collect();
    let kept = kept::calls(&job);
    let rows: Vec<_> = kept.iter().map(|call| (call.file.clone(), call.prompt_tokens)).collect();
    assert_eq!(rows, log);
    for (row, call) in kept.iter().zip(&calls) {
        let answered = if row.state == "answered" { call.completion_tokens } else { 0 };
        assert_eq!(row.completion_tokens, answered, "{row:?}");
    }
    let lost: Vec<usize> = (0..kept.len()).filter(|row| kept[*row].state != "answered").collect();
    assert_eq!(lost, [2], "the call that was in flight: {kept:?}");
}
