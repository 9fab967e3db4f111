//! Walks through results by several processes, by killed ones, and on disks that fail: no row is lost, none comes twice.

use crate::search::{estate, rows, run, state_files};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use war_rig_tests::crash::{FaultPlan, ProcessResult, SyscallKind, TestCommand, on_all_cores};
use war_rig_tests::{Sandbox, binary};

/// A search whose rows are few.
const FEW: &str = "search programs --fields name,file,line -o ndjson";

/// A search whose rows are more than a pipe takes.
const MANY: &str = "search data-items -o ndjson --limit 1000";

/// A new state file.
fn begun(place: &Sandbox) -> String {
    run(place, "search --init").assert_exit(0).out.trim_end().to_owned()
}

/// A state file that has come to the end of its first page, of five rows.
fn walked(place: &Sandbox) -> String {
    let state = begun(place);
    assert_eq!(run(place, &format!("{FEW} --limit 5 --state={state}")).assert_exit(0).out.lines().count(), 5);
    state
}

/// The offset that a state file says.
fn offset(place: &Sandbox, state: &str) -> u64 {
    let text = fs::read(place.path().join(state)).unwrap();
    serde_json::from_slice::<Value>(&text).unwrap()["offset"].as_u64().unwrap()
}

/// A search that prints into a pipe from which nothing but its first byte was read. Its state file is in use then.
fn hanging(place: &Sandbox, state: &str) -> Child {
    let mut command = Command::new(binary());
    command.current_dir(place.path()).args(MANY.split(' ')).arg(format!("--state={state}"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let first = child.stdout.as_mut().unwrap().read(&mut [0; 1]).unwrap();
    assert_eq!(first, 1, "nothing is printed");
    child
}

/// Runs a line of words with what the shim is told.
fn run_with(job: &TestCommand, plan: &FaultPlan, line: &str) -> ProcessResult {
    job.start_with(plan, &line.split(' ').collect::<Vec<_>>()).end()
}

#[test]
fn a_state_file_in_use_is_nobody_elses() {
    let place = estate();
    let state = begun(&place);
    let before = state_files(&place);
    let mut first = hanging(&place, &state);
    for line in [format!("{FEW} --state={state}"), format!("search --close {state}")] {
        run(&place, &line).assert_exit(11).assert_stderr(&["another process uses the state file", "hint: "]);
        assert!(state_files(&place) == before, "{line}");
    }
    let mut out = Vec::new();
    first.stdout.take().unwrap().read_to_end(&mut out).unwrap();
    assert!(out.len() > 1 << 16, "a pipe takes all of it: {} bytes", out.len());
    assert_eq!(first.wait().unwrap().code(), Some(0));
    let printed = out.iter().filter(|byte| **byte == b'\n').count() as u64;
    assert_eq!(offset(&place, &state), printed);
    run(&place, &format!("{MANY} --state={state}")).assert_exit(0);
    run(&place, &format!("search --close {state}")).assert_exit(0);
    assert!(state_files(&place).is_empty());
}

#[test]
fn a_page_that_was_broken_off_comes_again_whole() {
    let place = estate();
    let state = begun(&place);
    let before = state_files(&place);
    let mut killed = hanging(&place, &state);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(state_files(&place) == before, "it moved before its page was printed");
    let again = run(&place, &format!("{MANY} --state={state}"));
    assert_eq!(again.assert_exit(0).out, run(&place, MANY).assert_exit(0).out);
}

#[test]
fn processes_that_share_a_state_file_print_every_row_once() {
    let place = estate();
    let query = "search paragraphs --fields name,file,line -o ndjson";
    let all = run(&place, &format!("{query} --all")).assert_exit(0).out.clone();
    let state = begun(&place);
    let printed = Mutex::new(Vec::new());
    on_all_cores(&[60, 90, 110], |limit| {
        loop {
            let ran = run(&place, &format!("{query} --limit {limit} --state={state}"));
            match ran.code {
                Some(11) => {}
                _ => printed.lock().unwrap().extend(ran.assert_exit(0).out.lines().map(str::to_owned)),
            }
            if ran.err.contains("Complete (") {
                return;
            }
        }
    });
    let (mut printed, mut expected) = (printed.into_inner().unwrap(), Vec::from_iter(all.lines()));
    printed.sort_unstable();
    expected.sort_unstable();
    assert_eq!(printed, expected);
}

#[test]
fn a_state_file_that_is_not_as_it_was_written_is_refused_and_left_alone() {
    let place = estate();
    let state = walked(&place);
    let path = place.path().join(&state);
    let ours = fs::read_to_string(&path).unwrap();
    let damaged = "the state file is damaged";
    let cases = [
        (ours.replace("\"offset\": 5", "\"offset\": 6"), damaged, true),
        (ours[..ours.len() - 1].to_owned(), damaged, true),
        (ours[..ours.len() / 2].to_owned(), damaged, true),
        (String::new(), damaged, true),
        ("root:x:0:0:root\n".to_owned(), damaged, true),
        ("{\"name\": \"mine\"}".to_owned(), "this is no state file of War Rig", false),
        (ours.replace("\"version\": 1", "\"version\": 2"), "the state file has version 2", false),
    ];
    for (text, told, can_be_closed) in cases {
        fs::write(&path, &text).unwrap();
        let before = state_files(&place);
        let ran = run(&place, &format!("{FEW} --state={state}"));
        assert_eq!(ran.assert_exit(10).assert_stderr(&["error: ", told, "hint: "]).out, "");
        assert!(state_files(&place) == before, "{text}");
        // Whoever closes a walk that is damaged is rid of it; what may be another one's stays.
        let closed = run(&place, &format!("search --close {state}"));
        closed.assert_exit(if can_be_closed { 0 } else { 10 });
        assert_eq!(path.exists(), !can_be_closed, "{text}");
    }
    fs::write(&path, &ours).unwrap();
    run(&place, &format!("{FEW} --state={state}")).assert_exit(0);
}

#[test]
fn a_walk_that_is_killed_at_any_step_goes_on_from_a_page_s_end() {
    let counted = estate();
    let all = run(&counted, &format!("{FEW} --all")).assert_exit(0).out.clone();
    let state = walked(&counted);
    let job = TestCommand::of_words(counted, Vec::new());
    let under = |job: &TestCommand| FaultPlan::count().under(&job.state().join("state"));
    let page = |state: &str| format!("{FEW} --limit 4 --state={state}");
    let steps = run_with(&job, &under(&job), &page(&state)).assert_exit(0, "counted").steps.clone();
    let kinds: Vec<SyscallKind> = steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [SyscallKind::Sync, SyscallKind::Rename, SyscallKind::Sync]);
    let kills: Vec<(usize, bool)> = (1..=steps.len()).flat_map(|at| [(at, false), (at, true)]).collect();
    on_all_cores(&kills, |(at, is_after)| {
        let what = format!("step {at}, after it: {is_after}");
        let place = estate();
        let state = walked(&place);
        let job = TestCommand::of_words(place, Vec::new());
        let plan = if *is_after { FaultPlan::kill_after(*at) } else { FaultPlan::kill_at(*at) };
        let killed = run_with(&job, &under(&job).and(&plan), &page(&state));
        assert!(killed.was_killed(), "{what}");
        // What it has printed was whole, whether it was noted or not.
        let expected: Vec<&str> = all.lines().skip(5).take(4).collect();
        assert_eq!(killed.out.lines().collect::<Vec<_>>(), expected, "{what}");
        let is_noted = *at > 2 || (*at == 2 && *is_after);
        assert_eq!(offset(&job.place, &state), if is_noted { 9 } else { 5 }, "{what}");
        let rest = run(&job.place, &format!("{FEW} --limit 1000 --state={state}"));
        let from = if is_noted { 9 } else { 5 };
        assert_eq!(
            rest.assert_exit(0).out.lines().collect::<Vec<_>>(),
            all.lines().skip(from).collect::<Vec<_>>(),
            "{what}"
        );
        assert_eq!(state_files(&job.place).len(), 1, "{what}: something is left over");
    });
}

#[test]
fn a_page_that_cannot_be_noted_comes_again() {
    let place = estate();
    let state = walked(&place);
    let job = TestCommand::of_words(place, Vec::new());
    let folder = job.state().join("state");
    let before = state_files(&job.place);
    let page = format!("{FEW} --limit 4 --state={state}");
    let failing = |at, error| FaultPlan::fail_at(at, error).under(&folder);
    for (plan, what) in [
        (failing(1, "ENOSPC"), "the file is not synced"),
        (failing(2, "EIO"), "the file is not renamed"),
        (failing(3, "EIO"), "the folder is not synced"),
        (FaultPlan::room(&folder, 100), "the disk is full"),
    ] {
        let ran = run_with(&job, &plan, &page);
        ran.assert_exit(15, what).assert_stderr(&[
            "error: ",
            "the state file cannot be written",
            "hint: ",
            "comes again",
        ]);
        assert!(state_files(&job.place) == before, "{what}: the state file is another, or something is left");
    }
    // That is found before a page is printed.
    let read_only = FaultPlan::read_only(&folder);
    for (line, told, hint) in [
        (page.clone(), "the state file cannot be used", "hint: the file is left as it is"),
        ("search --init".to_owned(), "the state file cannot be made", "hint: no walk was begun"),
        (
            format!("search --close={state}"),
            "the state file cannot be used",
            "hint: see that there is room and that the folder of state files",
        ),
    ] {
        let ran = run_with(&job, &read_only, &line);
        ran.assert_exit(15, &line).assert_stderr(&["error: ", told, hint]);
        assert!(ran.out.is_empty() && !ran.err.contains("page"), "{}", ran.err);
        assert!(state_files(&job.place) == before, "{line}");
    }
    assert_eq!(rows(&run(&job.place, &page).assert_exit(0).out).len(), 4);
    assert_eq!(offset(&job.place, &state), 9);
}

#[test]
fn a_state_file_goes_after_a_day_in_which_nobody_used_it() {
    const HOUR: i64 = 60 * 60;
    let place = estate();
    let (used, unused) = (begun(&place), begun(&place));
    let paths: [PathBuf; 2] = [&used, &unused].map(|state| place.path().join(state));
    let job = TestCommand::of_words(place, Vec::new());
    let at = |hours: i64, line: &str| {
        run_with(&job, &FaultPlan::clock(hours * HOUR), line).assert_exit(0, line);
        paths.each_ref().map(|path| Path::exists(path))
    };
    assert_eq!(at(23, &format!("{FEW} --limit 2 --state={used}")), [true, true]);
    // Whatever the clock says of the past, nothing goes.
    assert_eq!(at(-9000, "search --init"), [true, true]);
    assert_eq!(at(25, "search --init"), [true, false], "of two as old, the unused one alone goes");
    assert_eq!(at(49, "search programs --limit 1"), [false, false]);
}
