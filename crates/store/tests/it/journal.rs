//! Answers are found again, and every call is known.

use crate::support::{
    OUTPUT, answer, answered, begun, call, ended, failed, finished, folder, key, new_run, open, opened, wait,
};
use war_rig_llm::{CallLog, CallOutcome, ContextOverflow};
use war_rig_pool::{FinishedTicket, Store, TicketState};
use war_rig_store::OutputStore;

fn ask(output: &OutputStore, text: &str, turn: u32, since: u64, said: &str) -> Option<CallOutcome> {
    let number = wait(output.record_call(call(key(text, turn), "A"))).unwrap();
    wait(output.record_outcome(number, answered(key(text, turn), said), since)).unwrap()
}

#[test]
fn an_answer_is_found_in_later_runs_and_for_other_folders() {
    let folder = folder();
    let (database, output, run) = begun(folder.path());
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), None);
    assert_eq!(ask(&output, "q", 0, 0, "first"), Some(answer("first")));
    drop((database, output));
    let database = open(folder.path());
    for name in [OUTPUT, "other"] {
        let output = database.for_output(name, run);
        assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), Some(answer("first")));
        assert_eq!(wait(output.find_answer(key("q", 1), 0)).unwrap(), None);
        assert_eq!(wait(output.find_answer(key("r", 0), 0)).unwrap(), None);
        assert_eq!(output.last_answer_position().unwrap(), 1);
    }
}

#[test]
fn the_first_answer_behind_a_place_counts() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    ask(&output, "q", 0, 0, "first");
    let since = output.last_answer_position().unwrap();
    assert_eq!(wait(output.find_answer(key("q", 0), since)).unwrap(), None);
    assert_eq!(ask(&output, "q", 0, since, "second"), Some(answer("second")));
    assert_eq!(ask(&output, "q", 0, since, "third"), Some(answer("second")), "it was there first");
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), Some(answer("first")));
    assert_eq!(wait(output.find_answer(key("q", 0), since)).unwrap(), Some(answer("second")));
    assert_eq!(output.last_answer_position().unwrap(), 2, "what came too late is not kept");
}

#[test]
fn a_prompt_that_was_too_long_is_known_and_one_that_failed_is_not() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    let overflow = CallOutcome::Overflow(ContextOverflow { window: Some(8192), counted: None });
    let number = wait(output.record_call(call(key("long", 0), "A"))).unwrap();
    wait(output.record_outcome(number, ended(key("long", 0), Ok(overflow.clone()), 0, 0), 0)).unwrap();
    assert_eq!(wait(output.find_answer(key("long", 0), 0)).unwrap(), Some(overflow));
    let number = wait(output.record_call(call(key("q", 0), "A"))).unwrap();
    assert_eq!(wait(output.record_outcome(number, failed(key("q", 0)), 0)).unwrap(), None);
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), None);
    assert!(wait(output.record_outcome(number, answered(key("q", 0), "again"), 0)).is_err(), "a call ends once");
    assert!(wait(output.record_outcome(77, answered(key("q", 0), "x"), 0)).is_err());
    assert_eq!(output.last_answer_position().unwrap(), 1);
}

#[test]
fn an_answer_to_something_else_is_never_kept_under_the_number_of_a_call() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    let number = wait(output.record_call(call(key("q", 0), "A"))).unwrap();
    let of_a_copy = [key("r", 0), key("q", 1)];
    for other in of_a_copy {
        assert!(wait(output.record_outcome(number, answered(other, "of the folder before"), 0)).is_err());
        assert_eq!(wait(output.find_answer(other, 0)).unwrap(), None);
    }
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), None);
    wait(output.record_outcome(number, answered(key("q", 0), "right"), 0)).unwrap();
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), Some(answer("right")));
}

#[test]
fn answers_without_use_are_passed_over_and_later_ones_are_not() {
    let folder = folder();
    let (_database, output, _) = begun(folder.path());
    output.open(&[opened("A")]).unwrap();
    ask(&output, "q", 0, 0, "{");
    let mut with_note = key("q and what was said of the answer", 0);
    with_note.question = key("q", 0).question;
    let number = wait(output.record_call(call(with_note, "A"))).unwrap();
    wait(output.record_outcome(number, answered(with_note, "{{"), 0)).unwrap();
    ask(&output, "r", 0, 0, "of use");
    let useless = vec![key("q", 0).question];
    output
        .finish(&[FinishedTicket { unusable_questions: useless, ..finished("A", TicketState::Partial, "no use") }])
        .unwrap();
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), None);
    assert_eq!(wait(output.find_answer(with_note, 0)).unwrap(), None, "all answers to a question share it");
    assert_eq!(wait(output.find_answer(key("r", 0), 0)).unwrap(), Some(answer("of use")));
    assert_eq!(ask(&output, "q", 0, 0, "better"), Some(answer("better")));
    assert_eq!(wait(output.find_answer(key("q", 0), 0)).unwrap(), Some(answer("better")));
}

#[test]
fn an_answer_is_progress_of_its_ticket() {
    let folder = folder();
    let (database, output, _) = begun(folder.path());
    output.open(&["A", "B"].map(opened)).unwrap();
    for file in ["A", "A", "A", "B", "B"] {
        output.begin(file).unwrap();
    }
    let attempts =
        |output: &OutputStore| output.tickets().unwrap().iter().map(|ticket| ticket.attempts).collect::<Vec<_>>();
    assert_eq!(attempts(&output), [3, 2]);
    ask(&output, "q", 0, 0, "first");
    assert_eq!(attempts(&output), [1, 2]);
    let number = wait(output.record_call(call(key("s", 0), "B"))).unwrap();
    wait(output.record_outcome(number, failed(key("s", 0)), 0)).unwrap();
    let number = wait(output.record_call(call(key("t", 0), ""))).unwrap();
    wait(output.record_outcome(number, answered(key("t", 0), "of no file"), 0)).unwrap();
    assert_eq!(attempts(&output), [1, 2]);
    drop(database.begin_run(new_run(OUTPUT)));
}
