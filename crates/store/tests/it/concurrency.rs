//! Many write at a time, and others read meanwhile.

use crate::support::{OUTPUT, answered, begun, call, done, folder, key, open, opened, wait};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use war_rig_llm::{CallLog, CallOutcome};
use war_rig_pool::{Store, TicketState};
use war_rig_store::{OutputStore, StatusQuery, StoreReader};

const THREADS: usize = 16;
const FILES: usize = 12;

fn name(thread: usize, file: usize) -> String {
    format!("cbl/{thread:02}/{file:02}.cbl")
}

/// What one worker does with its files, some of it wrongly.
fn work(output: &OutputStore, thread: usize) -> Vec<u64> {
    let mut calls = Vec::new();
    for file in (0..FILES).map(|file| name(thread, file)) {
        output.open(&[opened(&file)]).unwrap();
        output.begin(&file).unwrap();
        assert!(output.begin("none such").is_err(), "a command that fails spoils no other");
        let asked = key(&file, 0);
        let number = wait(output.record_call(call(asked, &file))).unwrap();
        assert_eq!(wait(output.find_answer(asked, 0)).unwrap(), None);
        let kept = wait(output.record_outcome(number, answered(asked, &file), 0)).unwrap();
        assert!(matches!(&kept, Some(CallOutcome::Answer(answer)) if answer.text == file));
        assert_eq!(wait(output.find_answer(asked, 0)).unwrap(), kept, "what was written is read");
        output.finish(&[done(&file)]).unwrap();
        calls.push(number);
    }
    calls
}

#[test]
fn many_threads_write_and_nothing_is_lost() {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    let calls: Vec<u64> = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let output = Arc::clone(&output);
                scope.spawn(move || work(&output, thread))
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let all = (THREADS * FILES) as u64;
    assert_eq!(calls.iter().copied().collect::<BTreeSet<_>>(), (1..=all).collect());
    assert_eq!(output.last_answer_position().unwrap(), all);
    drop((database, output));
    let tickets = open(folder.path()).for_output(OUTPUT, run).tickets().unwrap();
    assert_eq!(tickets.len() as u64, all);
    assert!(tickets.iter().all(|ticket| ticket.state == TicketState::Done && ticket.attempts == 0));
}

#[test]
fn the_same_question_at_the_same_time_has_one_answer() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    let ask = |said: usize| {
        let number = wait(output.record_call(call(key("q", 0), "A"))).unwrap();
        wait(output.record_outcome(number, answered(key("q", 0), &said.to_string()), 0)).unwrap().unwrap()
    };
    let answers: Vec<CallOutcome> = thread::scope(|scope| {
        let askers: Vec<_> = (0..THREADS).map(|said| scope.spawn(move || ask(said))).collect();
        askers.into_iter().map(|asker| asker.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap().as_ref(), Some(&answers[0]));
    assert_eq!(output.last_answer_position().unwrap(), 1);
}

#[test]
fn tasks_of_one_thread_write_beside_each_other() {
    let folder = folder();
    let (database, output, _) = begun(folder.path());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ask = |asked: usize| {
        let output = Arc::clone(&output);
        async move {
            let key = key(&asked.to_string(), 0);
            let number = output.record_call(call(key, "A")).await.unwrap();
            output.record_outcome(number, answered(key, "yes"), 0).await.unwrap()
        }
    };
    let answers = runtime.block_on(async {
        let asked: Vec<_> = (0..2000).map(|asked| tokio::spawn(ask(asked))).collect();
        let mut answers = 0;
        for ended in asked {
            answers += usize::from(ended.await.unwrap().is_some());
        }
        answers
    });
    assert_eq!((answers, output.last_answer_position().unwrap()), (2000, 2000));
    // Who no longer waits has it written all the same, or not at all: nothing hangs.
    drop(output.record_call(call(key("dropped", 0), "A")));
    drop((output, database));
    open(folder.path());
}

#[test]
fn readers_see_one_moment_while_another_writes() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    output.open(&["A", "B"].map(opened)).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..60 {
                // Both tickets change in one commit.
                let reason = round.to_string();
                let tickets =
                    ["A", "B"].map(|file| war_rig_pool::OpenTicket { reason: reason.clone(), ..opened(file) });
                output.open(&tickets).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let mut looks = 0;
        while !is_over.load(Ordering::Relaxed) || looks == 0 {
            let status = StoreReader::open(folder.path()).unwrap().status(StatusQuery::default()).unwrap();
            assert_eq!(status.tickets[0].reason, status.tickets[1].reason);
            looks += 1;
        }
        writer.join().unwrap();
    });
}

#[test]
fn who_hands_on_surveys_may_read_and_write_meanwhile() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    let kept: Vec<_> = ["A", "B", "C"].map(|file| (crate::support::source(file), Some("{}".to_owned()))).into();
    output.save_sources(&kept).unwrap();
    let mut seen = Vec::new();
    output
        .surveys(&mut |file, _| {
            output.open(&[opened(file)]).unwrap();
            assert_eq!(output.sources().unwrap().len(), 3);
            seen.push(file.to_owned());
        })
        .unwrap();
    assert_eq!((seen.len(), output.tickets().unwrap().len()), (3, 3));
}
