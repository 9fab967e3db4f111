//! Signals, disks, other processes, and whoever does not listen.

use super::ids;
use super::killed::{fake, job, undisturbed};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use war_rig_tests::crash::{FaultPlan, SyscallKind, on_all_cores};
use war_rig_tests::fake::Latency;
use war_rig_tests::{Sandbox, binary};

const SIGNALS: [(&str, i32); 2] = [("INT", 130), ("TERM", 143)];

#[test]
fn calls_in_flight_are_kept_at_the_first_signal() {
    const CONCURRENCY: usize = 3;
    let (right, asked) = undisturbed();
    on_all_cores(&[(SIGNALS[0], "fail"), (SIGNALS[1], "partial")], |((signal, code), policy)| {
        let fake = fake(Latency::Fixed(Duration::from_millis(500)));
        let job = job(&fake, CONCURRENCY, &format!("--on-failure {policy}"));
        let mut run = job.start(&FaultPlan::count(), &["--progress", "json"]);
        run.wait_for("calls in flight", || fake.log().calls.len() == CONCURRENCY);
        run.signal(signal);
        let run = run.end();
        run.assert_exit(*code, signal);
        let log = fake.log();
        assert_eq!(log.calls.len(), CONCURRENCY, "{signal}: a call was begun behind the signal");
        assert!(log.calls.iter().all(|call| call.status == Some(200)), "{signal}: a call was given up");
        let last = run.err.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()).next_back();
        let last = last.unwrap_or_else(|| panic!("no event: {}", run.err));
        assert_eq!((&last["event"], &last["exit"]), (&"ended".into(), &(*code).into()), "{}", run.err);
        match *policy {
            "fail" => assert_eq!(run.out, ""),
            _ => assert!(!ids(&run.json()["answer"]).is_empty()),
        }
        let again = job.run(&FaultPlan::count());
        again.assert_exit(0, signal);
        assert_eq!((fake.log().calls.len(), again.out), (asked.len(), right.out.clone()), "{signal}");
    });
}

#[test]
fn a_run_ends_at_once_at_the_second_signal() {
    on_all_cores(&SIGNALS, |(signal, code)| {
        let fake = fake(Latency::Fixed(Duration::from_secs(60)));
        let job = job(&fake, 3, "");
        let mut run = job.start(&FaultPlan::count(), &[]);
        run.wait_for("calls in flight", || fake.log().calls.len() == 3);
        run.signal(signal);
        run.signal(signal);
        let run = run.end();
        run.assert_exit(*code, signal);
        assert_eq!(run.out, "");
    });
}

#[test]
fn a_signal_ends_a_run_whose_answer_nobody_takes() {
    let place = Sandbox::new();
    let rows: String = (0..5000).map(|number| format!("PBI-{number:05}: the limit is checked\n")).collect();
    let notes = place.write("notes.txt", rows);
    for format in ["json", "ndjson", "text"] {
        for (signal, code) in SIGNALS {
            let mut run = Command::new(binary())
                .args(["extract", "release-notes", "List them", "-o", format, "--input"])
                .arg(&notes)
                .current_dir(place.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Once something is there, all else waits for the reader.
            let mut first = [0];
            run.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
            let sent = Command::new("kill").arg(format!("-{signal}")).arg(run.id().to_string()).status();
            assert!(sent.unwrap().success());
            assert_eq!(run.wait().unwrap().code(), Some(code), "{format}");
        }
    }
}

#[test]
fn a_second_process_is_turned_away() {
    let fake = fake(Latency::Fixed(Duration::from_millis(300)));
    let job = job(&fake, 1, "");
    let mut first = job.start(&FaultPlan::count(), &[]);
    first.wait_for("a call", || !fake.log().calls.is_empty());
    let second = job.run(&FaultPlan::count());
    second.assert_exit(11, "the second").assert_stderr(&["error: ", &first.id().to_string(), "hint: "]);
    assert!(second.out.is_empty() && second.steps.iter().all(|step| step.kind != SyscallKind::Send));
    first.end().assert_exit(0, "the first");
    assert_eq!(fake.log().calls.len(), undisturbed().1.len());
}

#[test]
fn a_step_that_fails_ends_the_run_and_a_rerun_mends_it() {
    let (right, asked) = undisturbed();
    let steps = job(&fake(Latency::None), 1, "").run(&FaultPlan::count()).steps;
    let lasting: Vec<usize> =
        steps.iter().filter(|step| step.kind != SyscallKind::Send).map(|step| step.number).collect();
    let failures = AtomicUsize::new(0);
    on_all_cores(&lasting, |number| {
        let fake = fake(Latency::None);
        let job = job(&fake, 1, "");
        let plan = match number % 2 {
            0 => FaultPlan::fail_at(*number, "EIO"),
            _ => FaultPlan::fail_from(*number, "ENOSPC"),
        };
        let what = format!("step {number} of {}", steps.len());
        let run = job.run(&plan);
        if run.code != Some(0) {
            run.assert_exit(15, &what).assert_stderr(&["error: ", "hint: "]);
            failures.fetch_add(1, Ordering::Relaxed);
        }
        assert!(run.out.is_empty() || run.out == right.out, "{what}: {}", run.out);
        let again = job.run(&FaultPlan::count());
        again.assert_exit(0, &what);
        assert_eq!(again.out, right.out, "{what}");
        // The answer that could not be kept is asked for again.
        assert!(fake.log().calls.len() <= asked.len() + 1, "{what}: {} calls", fake.log().calls.len());
    });
    assert!(failures.into_inner() * 2 > lasting.len(), "{}", lasting.len());
}

#[test]
fn nothing_is_asked_where_nothing_can_be_kept() {
    let fake = fake(Latency::None);
    for what in ["full", "read-only"] {
        let job = job(&fake, 2, "");
        std::fs::create_dir_all(job.state()).unwrap();
        let plan =
            if what == "full" { FaultPlan::room(job.place.path(), 0) } else { FaultPlan::read_only(&job.state()) };
        let run = job.run(&plan);
        run.assert_exit(15, what).assert_stderr(&["error: ", "hint: "]);
        assert_eq!((fake.log().calls.len(), run.out.as_str()), (0, ""), "{what}");
    }
}

#[test]
fn an_answer_that_nobody_can_read_is_not_paid_for_twice() {
    let (right, asked) = undisturbed();
    let fake = fake(Latency::None);
    let job = job(&fake, 3, "");
    let binary = binary().display().to_string();
    let line = |end: &str| {
        let words = ["extract", "agent.toml", "'List all items'", "--input", "minutes.txt", "-o", "json"].join(" ");
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("{binary} {words} {end}")]);
        shell
    };
    job.spawn(&FaultPlan::count(), line("> /dev/full")).end().assert_exit(15, "/dev/full").assert_stderr(&["error: "]);
    // Whoever has read enough goes away.
    let closed = job.spawn(&FaultPlan::count(), line("| head -c 9; exit ${PIPESTATUS[0]}")).end();
    assert!(matches!(closed.code, Some(0)) && closed.out.len() == 9, "{:?} {}", closed.code, closed.err);
    let again = job.run(&FaultPlan::count());
    again.assert_exit(0, "with somebody who listens");
    assert_eq!((again.out, fake.log().calls.len()), (right.out, asked.len()));
}
