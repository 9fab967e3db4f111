//! Runs that are killed, and the reruns that bring them to their end.

use super::{all_of, ids, lister, minutes};
use crate::crash::{Account, asking, check_ledger, every_step, questions};
use std::time::Duration;
use war_rig_tests::Sandbox;
use war_rig_tests::crash::{FaultPlan, ProcessResult, SyscallKind, TestCommand, on_all_cores};
use war_rig_tests::fake::{FakeOptions, FakeProvider, Latency, Tokenizer};

/// Minutes that come in seven parts of chunk size 600.
pub(super) const ITEMS: u64 = 180;

/// A fake that never fails.
pub(super) fn fake(latency: Latency) -> FakeProvider {
    Tokenizer::O200k.count("loaded");
    FakeProvider::start(FakeOptions { latency, ..FakeOptions::default() })
}

/// Minutes that are asked about, so many parts at a time. Tokens are estimated, because loading the tables for counting them takes longer than all else.
pub(super) fn job(fake: &FakeProvider, concurrency: usize, more: &str) -> TestCommand {
    let place = Sandbox::in_memory();
    let agent = place.write("agent.toml", lister("chunk_size = 600"));
    let input = place.write("minutes.txt", minutes(ITEMS));
    let (agent, input) = (agent.display().to_string(), input.display().to_string());
    let words = ["extract", &agent, "List all items", "--input", &input, "-o", "json"];
    let words = words.into_iter().chain(more.split(' ').filter(|word| !word.is_empty()));
    let job = TestCommand::of_words(place, words.map(str::to_owned).collect());
    asking(job, fake, concurrency).variable("WAR_RIG_SCRIBE__ENCODING", "heuristic")
}

/// What a run says that nobody disturbs, and what it asks.
pub(super) fn undisturbed() -> (ProcessResult, Vec<String>) {
    let fake = fake(Latency::None);
    let run = job(&fake, 1, "").run(&FaultPlan::count());
    run.assert_exit(0, "undisturbed");
    assert_eq!(ids(&run.json()["answer"]), all_of(ITEMS));
    let asked = questions(&fake);
    assert!(asked.len() > 5, "{} calls", asked.len());
    (run, asked)
}

#[test]
fn a_run_is_killed_at_each_call_and_the_rerun_makes_the_others() {
    let (right, asked) = undisturbed();
    let calls: Vec<(usize, bool)> = (1..=asked.len()).flat_map(|call| [(call, false), (call, true)]).collect();
    on_all_cores(&calls, |(call, is_sent)| {
        let fake = fake(Latency::None);
        let job = job(&fake, 1, "");
        let plan = if *is_sent { FaultPlan::kill_after(*call) } else { FaultPlan::kill_at(*call) };
        let what = format!("call {call}, sent: {is_sent}");
        let killed = job.run(&plan.only(SyscallKind::Send));
        assert!(killed.was_killed() && killed.out.is_empty(), "{what}: {}", killed.err);
        let again = job.run(&FaultPlan::count());
        again.assert_exit(0, &what);
        assert_eq!(again.out, right.out, "{what}");
        // What was answered before is not asked again; the call in flight is.
        let made = again.steps.iter().filter(|step| step.kind == SyscallKind::Send).count();
        assert_eq!(made, asked.len() - (call - 1), "{what}");
        check_ledger(&job, &fake, 1, &what);
    });
}

#[test]
fn a_run_is_killed_at_many_steps_and_run_again() {
    const CONCURRENCY: usize = 3;
    // Every third step: what is kept goes through the store alone, which is killed at each of its steps where documents are made.
    const STRIDE: usize = 3;
    let (right, asked) = undisturbed();
    let steps = job(&fake(Latency::None), CONCURRENCY, "").run(&FaultPlan::count()).steps;
    let plans: Vec<FaultPlan> = every_step(&steps).into_iter().step_by(STRIDE).collect();
    on_all_cores(&plans, |plan| {
        let fake = fake(Latency::None);
        let job = job(&fake, CONCURRENCY, "");
        let mut account = Account::new(&fake, CONCURRENCY);
        let what = format!("{plan:?}");
        let killed = job.run(plan);
        account.note(&killed);
        // The answer comes in one piece or not at all.
        assert!(killed.out.is_empty() || killed.out == right.out, "{what}: {}", killed.out);
        let again = job.run(&FaultPlan::count());
        account.note(&again);
        again.assert_exit(0, &what);
        assert_eq!(again.out, right.out, "{what}");
        account.check(&asked, &what);
        check_ledger(&job, &fake, account.kills * CONCURRENCY, &what);
    });
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_its_end() {
    let (right, asked) = undisturbed();
    let fake = fake(Latency::Fixed(Duration::from_millis(5)));
    let job = job(&fake, 2, "");
    let mut account = Account::new(&fake, 2);
    for _ in 0..asked.len() {
        let killed = job.run(&FaultPlan::kill_after(2).only(SyscallKind::Send));
        account.note(&killed);
        if !killed.was_killed() {
            break;
        }
    }
    let last = job.run(&FaultPlan::count());
    account.note(&last);
    last.assert_exit(0, "the last");
    assert_eq!(last.out, right.out);
    account.check(&asked, "killed again and again");
}
