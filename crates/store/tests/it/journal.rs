//! Answers are found again, and every call is known.

use crate::support::{
    OUTPUT, answer, answered, begun, call, finished, folder, key, new_run, open, opened, wait,
};
use war_rig_estimator::Money;
use war_rig_llm::{EndedCall, Journal, Outcome, Overflow};
use war_rig_pool::{FinishedTicket, Store, TicketState};
use war_rig_store::OutputStore;

fn ask(output: &OutputStore, text: &str, turn: u32, since: u64, said: &str) -> Option<Outcome> {
    let number = wait(output.sending(call(key(text, turn), "A"))).unwrap();
    wait(output.ended(number, answered(said), since)).unwrap()
}

#[test]
fn an_answer_is_found_in_later_runs_and_for_other_folders() {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    assert_eq!(wait(output.find(key("q", 0), 0)).unwrap(), None);
    assert_eq!(ask(&output, "q", 0, 0, "first"), Some(answer("first")));
    drop((database, output));
    let database = open(folder.path());
    for name in [OUTPUT, "other"] {
        let output = database.for_output(name, run);
        assert_eq!(wait(output.find(key("q", 0), 0)).unwrap(), Some(answer("first")));
        assert_eq!(wait(output.find(key("q", 1), 0)).unwrap(), None);
        assert_eq!(wait(output.find(key("r", 0), 0)).unwrap(), None);
        assert_eq!(output.last_answer().unwrap(), 1);
    }
}

#[test]
fn the_first_answer_behind_a_place_counts() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    ask(&output, "q", 0, 0, "first");
    let since = output.last_answer().unwrap();
    assert_eq!(wait(output.find(key("q", 0), since)).unwrap(), None);
    assert_eq!(ask(&output, "q", 0, since, "second"), Some(answer("second")));
    assert_eq!(ask(&output, "q", 0, since, "third"), Some(answer("second")), "it was there first");
    assert_eq!(wait(output.find(key("q", 0), 0)).unwrap(), Some(answer("first")));
    assert_eq!(wait(output.find(key("q", 0), since)).unwrap(), Some(answer("second")));
    assert_eq!(output.last_answer().unwrap(), 2, "what came too late is not kept");
}

#[test]
fn a_prompt_that_was_too_long_is_known_and_one_that_failed_is_not() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    let overflow = Outcome::Overflow(Overflow { window: Some(8192), counted: None });
    let ended = |result| EndedCall { result, completion_tokens: 0, cost: Money::ZERO };
    let number = wait(output.sending(call(key("long", 0), "A"))).unwrap();
    wait(output.ended(number, ended(Ok(overflow.clone())), 0)).unwrap();
    assert_eq!(wait(output.find(key("long", 0), 0)).unwrap(), Some(overflow));
    let number = wait(output.sending(call(key("q", 0), "A"))).unwrap();
    assert_eq!(wait(output.ended(number, ended(Err("the server failed".to_owned())), 0)).unwrap(), None);
    assert_eq!(wait(output.find(key("q", 0), 0)).unwrap(), None);
    assert!(wait(output.ended(number, answered("again"), 0)).is_err(), "a call ends once");
    assert!(wait(output.ended(77, answered("x"), 0)).is_err());
    assert_eq!(output.last_answer().unwrap(), 1);
}

#[test]
fn answers_without_use_are_passed_over_and_later_ones_are_not() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    output.open(&[opened("A")]).unwrap();
    ask(&output, "q", 0, 0, "{");
    let mut with_note = key("q and what was said of the answer", 0);
    with_note.question = key("q", 0).question;
    let number = wait(output.sending(call(with_note, "A"))).unwrap();
    wait(output.ended(number, answered("{{"), 0)).unwrap();
    ask(&output, "r", 0, 0, "of use");
    let useless = vec![key("q", 0).question];
    output.finish(&[FinishedTicket { useless, ..finished("A", TicketState::Partial, "no use") }]).unwrap();
    assert_eq!(wait(output.find(key("q", 0), 0)).unwrap(), None);
    assert_eq!(wait(output.find(with_note, 0)).unwrap(), None, "all answers to a question share it");
    assert_eq!(wait(output.find(key("r", 0), 0)).unwrap(), Some(answer("of use")));
    assert_eq!(ask(&output, "q", 0, 0, "better"), Some(answer("better")));
    assert_eq!(wait(output.find(key("q", 0), 0)).unwrap(), Some(answer("better")));
}

#[test]
fn an_answer_is_progress_of_its_ticket() {
    let folder = folder();
    let (database, output, _) = begun(folder.path());
    output.open(&["A", "B"].map(opened)).unwrap();
    for file in ["A", "A", "A", "B", "B"] {
        output.begin(file).unwrap();
    }
    let attempts = |output: &OutputStore| {
        output.tickets().unwrap().iter().map(|ticket| ticket.attempts).collect::<Vec<_>>()
    };
    assert_eq!(attempts(&output), [3, 2]);
    ask(&output, "q", 0, 0, "first");
    assert_eq!(attempts(&output), [1, 2]);
    let number = wait(output.sending(call(key("s", 0), "B"))).unwrap();
    let ended = EndedCall { result: Err("failed".to_owned()), completion_tokens: 0, cost: Money::ZERO };
    wait(output.ended(number, ended, 0)).unwrap();
    let number = wait(output.sending(call(key("t", 0), ""))).unwrap();
    wait(output.ended(number, answered("of no file"), 0)).unwrap();
    assert_eq!(attempts(&output), [1, 2]);
    drop(database.begin_run(new_run(OUTPUT)));
}
