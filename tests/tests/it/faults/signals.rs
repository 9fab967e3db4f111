//! Ctrl-C and requests to end, once and twice.

use super::asked;
use crate::crash::{asking, check_rows, fake, small_job};
use serde_json::Value;
use std::time::{Duration, Instant};
use war_rig_tests::crash::{FaultPlan, SyscallKind, SyscallStep, TestCommand, on_all_cores};
use war_rig_tests::fake::{CallFault, FakeOptions, FakeProvider, FaultScript, Latency, Tokenizer};
use war_rig_tests::fixtures;

const SIGNALS: [(&str, i32); 2] = [("INT", 130), ("TERM", 143)];

/// Asserts that the last event says how the run ended.
#[track_caller]
fn check_last_event(said: &str, code: i32) {
    let events = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let events: Vec<Value> = events.filter(|event| event["event"].is_string()).collect();
    let last = events.last().unwrap_or_else(|| panic!("no event:\n{said}"));
    assert_eq!((&last["event"], &last["exit"]), (&"ended".into(), &code.into()), "{said}");
}

#[test]
fn calls_in_flight_are_kept_at_the_first_signal() {
    const CONCURRENCY: usize = 3;
    let (right, undisturbed) = asked();
    on_all_cores(&SIGNALS, |(signal, code)| {
        let fake = fake(Latency::Fixed(Duration::from_millis(500)));
        let job = asking(small_job("--jobs 4"), &fake, CONCURRENCY);
        let mut run = job.start(&FaultPlan::count(), &["--progress", "json"]);
        run.wait_for("calls in flight", || fake.log().calls.len() == CONCURRENCY);
        run.signal(signal);
        let run = run.end();
        run.assert_exit(*code, signal);
        check_last_event(&run.err, *code);
        let log = fake.log();
        assert_eq!(log.calls.len(), CONCURRENCY, "{signal}: a call was begun behind the signal");
        assert!(log.calls.iter().all(|call| call.status == Some(200)), "{signal}: a call was given up");
        // A program of which a part was written by then has a partial document until the rerun.
        job.check_known_documents(&right.documents(), signal);
        let again = job.run(&FaultPlan::count());
        again.assert_exit(0, signal).assert_stderr(&["resumed: "]);
        assert_eq!(fake.log().calls.len(), undisturbed.log().calls.len(), "{signal}: a call was made twice");
        job.check_documents(&right.documents(), signal);
        check_rows(&job, &right.documents(), signal);
    });
}

#[test]
fn a_run_ends_at_once_at_the_second_signal() {
    on_all_cores(&SIGNALS, |(signal, code)| {
        let fake = fake(Latency::Fixed(Duration::from_secs(60)));
        let job = asking(small_job("--jobs 4"), &fake, 3);
        let mut run = job.start(&FaultPlan::count(), &[]);
        run.wait_for("calls in flight", || fake.log().calls.len() == 3);
        run.signal(signal);
        std::thread::sleep(Duration::from_millis(500));
        assert!(!run.has_ended(), "{signal}: calls in flight were not waited for");
        let begun = Instant::now();
        run.signal(signal);
        run.end().assert_exit(*code, signal);
        assert!(begun.elapsed() < Duration::from_secs(5), "{signal}: {:?}", begun.elapsed());
    });
}

#[test]
fn two_signals_in_a_row_end_a_run_wherever_it_is() {
    let calls: Vec<usize> = (0..12).map(|number| 1 + number % 5).collect();
    on_all_cores(&calls, |calls| {
        let fake = fake(Latency::Fixed(Duration::from_millis(60)));
        let job = asking(small_job("--jobs 4"), &fake, 3);
        let mut run = job.start(&FaultPlan::count(), &[]);
        run.wait_for("calls", || fake.log().calls.len() >= *calls);
        run.signal("INT");
        run.signal("INT");
        let run = run.end();
        assert!(matches!(run.code, Some(0 | 130)), "{calls} calls: {:?} {}", run.code, run.err);
        job.run(&FaultPlan::count()).assert_exit(0, "behind two signals");
    });
}

#[test]
fn calls_that_never_end_are_waited_for_so_long_and_no_longer() {
    Tokenizer::O200k.count("loaded");
    let script = FaultScript::always(CallFault::Silence);
    let fake = FakeProvider::start(FakeOptions { script, ..FakeOptions::default() });
    let job = asking(small_job(""), &fake, 2);
    let mut run = job.start(&FaultPlan::count(), &[]);
    run.wait_for("a call", || !fake.log().calls.is_empty());
    run.signal("TERM");
    let begun = Instant::now();
    run.end().assert_exit(143, "TERM");
    let waited = begun.elapsed();
    assert!((25..40).contains(&waited.as_secs()), "{waited:?}");
}

#[test]
fn a_run_without_a_model_stops_at_a_signal_and_goes_on_later() {
    let undisturbed = TestCommand::new(&fixtures(), "");
    undisturbed.run(&FaultPlan::count()).assert_exit(0, "undisturbed");
    let right = undisturbed.documents();
    on_all_cores(&SIGNALS, |(signal, code)| {
        for renames in [1, 20] {
            let job = TestCommand::new(&fixtures(), "--jobs 2");
            let mut run = job.start(&FaultPlan::count(), &["--progress", "json"]);
            let (log, out) = (run.log_path(), job.out());
            run.wait_for("documents", || {
                let steps = war_rig_tests::crash::steps_of(&log);
                let is_document = |step: &&SyscallStep| step.kind == SyscallKind::Rename && step.path.starts_with(&out);
                steps.iter().filter(is_document).count() >= renames
            });
            run.signal(signal);
            let run = run.end();
            run.assert_exit(*code, signal);
            check_last_event(&run.err, *code);
            job.check_whole_documents(&right, signal);
            assert!(job.documents().len() < right.len(), "{signal}: the run was too quick for the signal");
            job.run(&FaultPlan::count()).assert_exit(0, signal).assert_stderr(&["resumed: "]);
            job.check_documents(&right, signal);
            check_rows(&job, &right, signal);
        }
    });
}

#[test]
fn a_signal_at_any_time_ends_a_run_cleanly() {
    let [right, _] = super::right();
    let tries = war_rig_tests::crash::cases(8) as u64;
    let delays: Vec<u64> = (0..tries).map(|number| number * 600 / tries).collect();
    on_all_cores(&delays, |delay| {
        let job = small_job("");
        let run = job.start(&FaultPlan::count(), &[]);
        std::thread::sleep(Duration::from_millis(*delay));
        run.signal("INT");
        let run = run.end();
        // Before anything is set up, the signal's own way of ending a process is as good.
        let is_early = run.signal == Some(2) && job.documents().is_empty();
        assert!(is_early || matches!(run.code, Some(0 | 130)), "after {delay} ms: {:?} {}", run.code, run.err);
        job.check_whole_documents(&right, "behind a signal");
        job.run(&FaultPlan::count()).assert_exit(0, "behind a signal");
        job.check_documents(&right, "behind a signal");
    });
}
