//! Runs: which of them were killed, what they have spent, and what they have learned.

use crate::support::{OUTPUT, answered, begun, call, clock, finished, folder, key, new_run, open, opened, wait};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use war_rig_llm::{CallLog, CallOutcome, Money};
use war_rig_pool::{Store, TicketState};
use war_rig_store::{Clock, Database, RunEnd, RunStart, StatusQuery, StoreReader};

/// A run that sends two calls, has an answer to the first, and is killed.
fn killed_run(folder: &std::path::Path, name: &str) -> RunStart {
    let database = open(folder);
    let begun = database.begin_run(new_run(OUTPUT)).unwrap();
    let output = database.for_output(OUTPUT, begun.number);
    let first = wait(output.record_call(call(key(name, 0), "A"))).unwrap();
    let second = wait(output.record_call(call(key(name, 1), "A"))).unwrap();
    assert_eq!((first, second), (1, 2));
    wait(output.record_outcome(first, answered(key(name, 0), "yes"), 0)).unwrap();
    begun
}

fn units(units: u64) -> Money {
    Money::from_units(units)
}

#[test]
fn what_killed_runs_have_spent_is_carried_until_one_comes_to_an_end() {
    let folder = folder();
    let path = folder.path();
    // The answer cost 120, and the call that was lost may have cost 500.
    let first = killed_run(path, "a");
    assert_eq!(first, RunStart { number: 1, carried: Money::ZERO, window_estimate: None });
    let second = killed_run(path, "b");
    assert_eq!(second.carried, units(620));
    let third = killed_run(path, "c");
    assert_eq!(third.carried, units(1240), "the run before was killed as well");
    let database = open(path);
    let other = database.begin_run(new_run("other")).unwrap();
    assert_eq!((other.number, other.carried), (4, Money::ZERO));
    let fourth = database.begin_run(new_run(OUTPUT)).unwrap();
    assert_eq!(fourth.carried, units(1860));
    database.end_run(fourth.number, 13, "{}").unwrap();
    let fifth = database.begin_run(new_run(OUTPUT)).unwrap();
    assert_eq!(fifth.carried, Money::ZERO, "a run whose cap was reached is the last of its line");
    assert!(database.end_run(99, 0, "{}").is_err());
    drop(database);
    let status = StoreReader::open(path).unwrap().status(StatusQuery { output: Some(OUTPUT), history: false }).unwrap();
    let lost: Vec<_> = status.runs.iter().map(|run| (run.number, run.end, run.calls.lost)).collect();
    let killed = |number| (number, RunEnd::Killed, 1);
    assert_eq!(lost, [killed(1), killed(2), killed(3), (5, RunEnd::Exited(13), 0), (6, RunEnd::Killed, 0)]);
    assert_eq!((status.runs[0].calls.cost, status.runs[0].calls.lost_cost), (units(620), units(500)));
}

#[test]
fn what_was_spent_is_carried_over_every_run_that_did_not_come_to_its_end() {
    let check = |exit: u8, carried: u64| {
        let folder = folder();
        killed_run(folder.path(), "a");
        let database = open(folder.path());
        let run = database.begin_run(new_run(OUTPUT)).unwrap();
        assert_eq!(run.carried, units(620));
        let output = database.for_output(OUTPUT, run.number);
        let call = wait(output.record_call(call(key("b", 0), "A"))).unwrap();
        wait(output.record_outcome(call, answered(key("b", 0), "yes"), 0)).unwrap();
        database.end_run(run.number, exit, "{}").unwrap();
        assert_eq!(database.begin_run(new_run(OUTPUT)).unwrap().carried, units(carried), "exit {exit}");
    };
    for exit in [1, 2, 10, 11, 12, 14, 15, 130, 143] {
        check(exit, 740);
    }
    for exit in [0, 3, 4, 13] {
        check(exit, 0);
    }
}

#[test]
fn the_calls_of_a_killed_run_are_lost_before_another_begins() {
    let folder = folder();
    killed_run(folder.path(), "a");
    let calls = || StoreReader::open(folder.path()).unwrap().status(StatusQuery::default()).unwrap().runs[0].calls;
    let shown = calls();
    assert_eq!((shown.calls, shown.sent, shown.answered, shown.lost), (2, 0, 1, 1));
    assert_eq!((shown.cost, shown.lost_cost), (units(620), units(500)));
    open(folder.path()).begin_run(new_run(OUTPUT)).unwrap();
    assert_eq!(calls(), shown, "the next run says the same");
}

#[test]
fn an_interrupted_run_gives_back_what_was_in_work() {
    let check = |exit: u8, expected: [(TicketState, &str, u32); 3]| {
        let folder = folder();
        let (database, output, run) = begun(folder.path());
        output.open(&["A", "B", "C"].map(opened)).unwrap();
        for file in ["A", "A", "B"] {
            output.begin(file).unwrap();
        }
        output.finish(&[finished("B", TicketState::Done, "written")]).unwrap();
        let other = database.for_output("other", run);
        other.open(&[opened("A")]).unwrap();
        other.begin("A").unwrap();
        database.end_run(run, exit, "{}").unwrap();
        let tickets = output.tickets().unwrap();
        let found = tickets.iter().map(|ticket| (ticket.state, ticket.reason.as_str(), ticket.attempts));
        assert_eq!(found.collect::<Vec<_>>(), expected, "exit {exit}");
        assert_eq!(other.tickets().unwrap()[0].state, TicketState::Writing, "another folder's");
    };
    let (done, new) = ((TicketState::Done, "written", 0), (TicketState::Pending, "new", 0));
    for exit in [130, 143] {
        check(exit, [(TicketState::Pending, "the run was interrupted", 1), done, new]);
    }
    for exit in [1, 15] {
        check(exit, [(TicketState::Writing, "new", 2), done, new]);
    }
}

#[test]
fn what_was_learned_goes_to_the_run_that_takes_up_a_broken_one() {
    let folder = folder();
    let database = open(folder.path());
    let begin = || database.begin_run(new_run(OUTPUT)).unwrap();
    let first = begin();
    database.save_window_estimate(first.number, "{\"ratio\":1.5}").unwrap();
    // Killed twice; the second had noted nothing yet.
    assert_eq!(begin().window_estimate.as_deref(), Some("{\"ratio\":1.5}"));
    let third = begin();
    assert_eq!(third.window_estimate.as_deref(), Some("{\"ratio\":1.5}"));
    database.save_window_estimate(third.number, "{\"ratio\":2}").unwrap();
    database.end_run(third.number, 130, "{}").unwrap();
    assert_eq!(database.begin_run(new_run("other")).unwrap().window_estimate, None);
    let fourth = begin();
    assert_eq!(fourth.window_estimate.as_deref(), Some("{\"ratio\":2}"));
    for exit in [3, 0] {
        let run = begin();
        database.save_window_estimate(run.number, "{}").unwrap();
        database.end_run(run.number, exit, "{}").unwrap();
        assert_eq!(begin().window_estimate, None, "exit {exit}");
    }
    assert!(database.save_window_estimate(99, "").is_err());
}

#[test]
fn a_clock_that_goes_backwards_changes_nothing_but_what_is_shown() {
    let folder = folder();
    let now = Arc::new(AtomicI64::new(5_000_000));
    let clock: Clock = {
        let now = Arc::clone(&now);
        Arc::new(move || now.fetch_sub(86_400 * 30, Ordering::Relaxed))
    };
    let database = Database::open(folder.path(), clock).unwrap();
    let begin = || database.begin_run(new_run(OUTPUT)).unwrap();
    let first = begin();
    let output = database.for_output(OUTPUT, first.number);
    output.open(&[opened("A")]).unwrap();
    output.begin("A").unwrap();
    let call = wait(output.record_call(call(key("q", 0), "A"))).unwrap();
    let second = begin();
    assert_eq!((second.number, second.carried), (2, units(500)));
    let late = wait(output.record_outcome(call, answered(key("q", 0), "late"), 0)).unwrap();
    assert!(matches!(late, Some(CallOutcome::Answer(_))), "the call counts as lost by now, and its answer is paid for");
    assert!(wait(output.record_outcome(call, answered(key("q", 0), "again"), 0)).is_err(), "a call ends once");
    database.end_run(second.number, 0, "{}").unwrap();
    let third = begin();
    assert_eq!((third.number, third.carried), (3, Money::ZERO));
    let tickets = database.for_output(OUTPUT, third.number).tickets().unwrap();
    assert_eq!((tickets[0].state, tickets[0].attempts), (TicketState::Writing, 0));
    let runs = StoreReader::open(folder.path()).unwrap().status(StatusQuery::default()).unwrap().runs;
    assert!(runs[0].started > runs[1].started && runs[1].ended.unwrap() < runs[1].started);
}

#[test]
fn a_store_that_was_left_without_a_word_is_whole() {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    output.open(&["A", "B"].map(opened)).unwrap();
    output.begin("A").unwrap();
    // As the disk is when the process is gone: the log beside the store, and nobody who takes it over.
    let copy = crate::support::folder();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    assert!(copy.path().join("war_rig.db-wal").metadata().unwrap().len() > 0, "the log is what this is about");
    let again = Database::open(copy.path(), clock()).unwrap();
    let begun = again.begin_run(new_run(OUTPUT)).unwrap();
    assert_eq!(begun.number, run + 1);
    let tickets = again.for_output(OUTPUT, begun.number).tickets().unwrap();
    assert_eq!(tickets, output.tickets().unwrap());
    drop(database);
}
