//! What is wrong with an answer that came, and what becomes of it.

use crate::asked::{Case, together};
use crate::programs::{long, wide};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_tests::fake::{CallFault, FakeOptions, FaultScript, OverflowStyle, ScriptedCall, Window};
use war_rig_tests::json_file;

/// Paragraphs of a program whose prompt has some 6,000 tokens.
const PARAGRAPHS: usize = 60;

/// The file in which one run keeps what it has learned for the next.
const LEARNED: &str = ".war_rig/learned.json";

fn document(case: &Case, name: &str) -> Value {
    json_file(&case.place.path().join("out").join(format!("{name}.json")))
}

/// What was said of the answers to the chunks of a document.
fn notes(document: &Value) -> String {
    document["chunks"].as_array().unwrap().iter().map(|chunk| chunk["notes"].to_string()).collect()
}

fn paragraphs(document: &Value) -> usize {
    document["paragraphs"].as_array().unwrap().len()
}

#[test]
fn an_answer_that_is_cut_off_splits_its_chunk_and_its_prompt_is_never_sent_again() {
    let long = |asked: &ScriptedCall| (asked.rows > 100).then_some(CallFault::Truncated);
    let case = Case::wide(PARAGRAPHS, FaultScript::when(long));
    let outcome = case.run();
    outcome.ended(0, &["1 of 1 files documented in"]).never_the_same();
    assert!((5..12).contains(&outcome.calls.len()), "{}", outcome.calls.len());
    case.check_complete(&outcome);
}

#[test]
fn an_answer_that_is_cut_off_at_a_third_whatever_is_asked_fails_its_file_and_loses_no_fact() {
    let case = Case::wide(PARAGRAPHS, FaultScript::always(CallFault::Truncated));
    let outcome = case.run();
    outcome.never_the_same();
    let said = ["warning: WIDE.cbl: failed: lines 1-307: ", "and there is nothing smaller to ask for"];
    outcome.ended(3, &said);
    assert!(outcome.calls.len() < 40, "{}", outcome.calls.len());
    // Where only a part cannot be had, the parser still knows all of it.
    let last = |asked: &ScriptedCall| (asked.chunk.0 == asked.chunk.1).then_some(CallFault::Truncated);
    let options = FakeOptions { script: FaultScript::when(last), budget: Some(4000), ..FakeOptions::default() };
    let case = Case::of(&[("WIDE.cbl", &wide("WIDE", PARAGRAPHS))], options);
    let outcome = case.run();
    outcome.ended(3, &["warning: WIDE.cbl: partial: lines "]).never_the_same();
    case.check_facts(&outcome);
}

#[test]
fn a_refusal_is_asked_once_more() {
    let faults = [CallFault::Refused, CallFault::EmptyContent, CallFault::ContentFilter];
    together(faults.to_vec(), |fault| {
        let case = Case::scripted(FaultScript::each(1, fault));
        let outcome = case.run();
        outcome.ended(0, &["2 of 2 files documented in 4 calls"]);
        case.check_complete(&outcome);
    });
}

#[test]
fn a_second_refusal_fails_the_file_and_its_words_are_kept() {
    let cases = vec![
        (CallFault::Refused, "the model refuses: I'm sorry, I can't help with that."),
        (CallFault::EmptyContent, "the answer is empty"),
        (CallFault::ContentFilter, "a filter of the provider stopped the answer"),
    ];
    together(cases, |(fault, said)| {
        let outcome = Case::scripted(FaultScript::always(fault)).run();
        let lines = |name: &str| format!("warning: {name}.cbl: failed: lines 1-6: {said}");
        outcome.ended(3, &[&lines("ONE"), &lines("TWO"), "0 of 2 files documented in 4 calls"]);
        let reason = outcome.report["tickets"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(said), "{reason}");
    });
}

#[test]
fn fences_prose_and_unknown_fields_around_an_answer_do_no_harm() {
    together(vec![CallFault::Fenced, CallFault::Prose, CallFault::UnknownFields], |fault| {
        let case = Case::scripted(FaultScript::always(fault));
        let outcome = case.run();
        outcome.ended(0, &["2 of 2 files documented in 2 calls"]);
        case.check_complete(&outcome);
    });
}

#[test]
fn a_broken_answer_is_repaired_by_one_more_call() {
    together(vec![CallFault::InvalidJson, CallFault::WrongSchema, CallFault::BadItem], |fault| {
        let case = Case::wide(9, FaultScript::each(1, fault.clone()));
        let outcome = case.run();
        outcome.ended(0, &["1 of 1 files documented in 2 calls"]).never_the_same();
        let said = outcome.calls[1].body["messages"].to_string();
        assert!(said.contains("could not be used as it was"), "{fault:?}: {said}");
        case.check_facts(&outcome);
        assert!(!notes(&document(&case, "WIDE.cbl")).contains("is no"), "{fault:?}");
    });
}

#[test]
fn what_is_good_in_an_answer_that_stays_broken_is_kept_and_the_rest_is_told() {
    let cases = vec![
        (CallFault::InvalidJson, "the answer is no whole JSON object"),
        (CallFault::BadItem, "a citation is none"),
    ];
    together(cases, |(fault, said)| {
        let case = Case::wide(9, FaultScript::always(fault.clone()));
        let outcome = case.run();
        outcome.ended(0, &["1 of 1 files documented in 2 calls"]);
        let document = document(&case, "WIDE.cbl");
        let (notes, confidence) = (notes(&document), &document["chunks"][0]["confidence"]);
        assert!(notes.contains(said), "{fault:?}: {notes}");
        assert!(confidence.as_f64().unwrap() < 1.0, "{fault:?}: {confidence}");
        assert_eq!(paragraphs(&document), 9, "{fault:?}");
        let verdict = case.check_facts(&outcome);
        assert!(verdict.falsehoods.is_empty(), "{fault:?}: {:?}", verdict.falsehoods);
        if fault == CallFault::BadItem {
            case.check_complete(&outcome);
        }
        if fault == CallFault::InvalidJson {
            assert!(document["called_programs"].to_string().contains("n_WIDE_cbl"));
        }
    });
}

#[test]
fn an_answer_of_which_nothing_can_be_read_fails_its_file() {
    let outcome = Case::scripted(FaultScript::always(CallFault::WrongSchema)).run();
    let said = "failed: lines 1-6: the answer holds nothing that was asked for: {";
    outcome.ended(3, &[said, "0 of 2 files documented in 4 calls"]);
}

#[test]
fn an_answer_without_any_json_fails_its_file_and_its_words_are_kept() {
    let content = r#"{"choices": [{"message": {"content": "I would rather not."}, "finish_reason": "stop"}]}"#;
    let outcome = Case::scripted(FaultScript::always(CallFault::Answer(200, content.to_owned()))).run_freely("out", "");
    let said = "failed: lines 1-6: the answer holds nothing that was asked for: I would rather not.";
    outcome.ended(3, &[said, "0 of 2 files documented in 4 calls"]);
}

#[test]
fn a_repair_is_one_call_a_chunk_and_within_the_smallest_budget() {
    let script = FaultScript::always(CallFault::BadItem);
    let options = FakeOptions { script, budget: Some(3496), ..FakeOptions::default() };
    let case = Case::of(&[("WIDE.cbl", &wide("WIDE", 60))], options);
    let outcome = case.run();
    outcome.ended(0, &["1 of 1 files documented in"]).never_the_same();
    let chunks = document(&case, "WIDE.cbl")["chunks"].as_array().unwrap().len();
    assert!(chunks > 2);
    // One for each repair, and one for the overview, of which every readable part is taken.
    assert_eq!(outcome.calls.len(), 2 * chunks + 1);
    // The words for the repair come on top of what a chunk was cut for.
    assert!(outcome.report["largest_prompt_tokens"].as_u64() > Some(2000));
}

/// A model that holds less than the budget, in tokens of its own.
fn narrow(overflow: OverflowStyle, tokens: u64, ratio: f64) -> Case {
    let window = Some(Window { tokens, ratio, overflow });
    let options = FakeOptions { window, ..FakeOptions::default() };
    Case::of(&[("WIDE.cbl", &long("WIDE", 14))], options)
}

fn learned(place: &Path) -> Value {
    json_file(&place.join(LEARNED))["models"][0].clone()
}

#[test]
fn a_prompt_over_the_window_is_split_in_whatever_words_that_is_said() {
    let shapes = vec![
        (OverflowStyle::OpenAi, Some(1.0)),
        (OverflowStyle::Anthropic, Some(1.0)),
        (OverflowStyle::AnthropicTooLarge, None),
        (OverflowStyle::VllmFlat, Some(1.0)),
        (OverflowStyle::Vllm, Some(1.0)),
        (OverflowStyle::LlamaCpp, Some(1.0)),
    ];
    together(shapes, |(shape, ratio)| {
        let case = narrow(shape, 5000, 1.0);
        let outcome = case.run();
        outcome.ended(0, &["1 of 1 files documented in"]).never_the_same();
        assert!([Some(400), Some(413)].contains(&outcome.calls[0].status), "{shape:?}");
        case.check_complete(&outcome);
        if shape == OverflowStyle::AnthropicTooLarge {
            // It tells no numbers, so there is nothing to learn.
            return;
        }
        let kept = learned(case.place.path());
        assert_eq!(kept["window"], 5000, "{shape:?}");
        if ratio.is_some() {
            assert_eq!(kept["token_ratio"].as_f64(), ratio, "{shape:?}");
        }
        let again = case.run_into("again", "");
        again.ended(0, &["1 of 1 files documented in"]);
        let refused = again.calls.iter().filter(|call| call.status != Some(200)).count();
        assert_eq!(refused, 0, "{shape:?}");
    });
}

#[test]
fn how_a_server_counts_is_learned_and_holds_for_the_pieces_and_for_later_runs() {
    let case = narrow(OverflowStyle::OpenAi, 5000, 1.4);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &["1 of 1 files documented in"]).never_the_same();
    assert!(outcome.log.over_budget.is_empty() && outcome.log.violations.is_empty());
    let refused = outcome.calls.iter().filter(|call| call.status != Some(200)).count();
    // The pieces are made for the window that was told, so only the first prompt was too long.
    assert_eq!(refused, 1);
    case.check_complete(&outcome);
    let ratio = learned(case.place.path())["token_ratio"].as_f64().unwrap();
    assert!((1.39..1.41).contains(&ratio), "{ratio}");
    let again = case.run_freely("again", "");
    again.ended(0, &["1 of 1 files documented in"]);
    assert!(again.calls.iter().all(|call| call.status == Some(200)));
}

#[test]
fn a_server_that_drops_the_front_of_a_prompt_in_silence_is_found_out() {
    let case = narrow(OverflowStyle::Silent, 4000, 1.0);
    let outcome = case.run_freely("out", "");
    let said = "warning: the server reads 4000 tokens of a prompt and drops the rest in silence";
    outcome.ended(0, &[said, "1 of 1 files documented in"]).never_the_same();
    assert!(outcome.calls.len() > 2 && outcome.log.over_budget.is_empty());
    case.check_complete(&outcome);
    assert_eq!(learned(case.place.path())["window"], 4000);
    let again = case.run_into("again", "");
    let held = "warning: prompts are held to 3600 tokens, since the server has told of a window of 4000";
    again.ended(0, &[held, "1 of 1 files documented in"]);
    assert!(again.calls.iter().all(|call| call.prompt_tokens <= 4000));
}

#[test]
fn what_failed_for_a_window_is_documented_once_the_window_is_larger() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_mended);
    let overflow =
        move |_: &ScriptedCall| (!seen.load(Ordering::SeqCst)).then_some(CallFault::Overflow(OverflowStyle::Silent));
    let case = Case::wide(PARAGRAPHS, FaultScript::when(overflow));
    case.run_freely("out", "").ended(3, &["drops the rest in silence", "0 of 1 files documented"]);
    is_mended.store(true, Ordering::SeqCst);
    let again = case.run_freely("out", "");
    again.ended(0, &["1 of 1 files documented in"]);
    case.check_complete(&again);
}

#[test]
fn a_window_that_is_too_small_for_any_prompt_ends_no_later_run() {
    let case = narrow(OverflowStyle::LlamaCpp, 3000, 1.0);
    case.run_freely("out", "").ended(0, &[]);
    let again = case.run_freely("again", "");
    let said = "told of a window of 3000 tokens, which is too small for a prompt";
    again.ended(0, &[said, "`learned.json` in the state folder"]);
}

#[test]
fn what_overflows_whatever_is_asked_fails_its_file() {
    let case = Case::wide(PARAGRAPHS, FaultScript::always(CallFault::Overflow(OverflowStyle::Vllm)));
    let outcome = case.run();
    outcome.never_the_same();
    let said = "failed: lines 1-307: the prompt is more than the model's window";
    outcome.ended(3, &[said, "and there is nothing smaller to ask for"]);
}
