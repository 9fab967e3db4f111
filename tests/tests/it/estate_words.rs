//! What a model writes about business functions and the system: over the documents of their programs, once, within the cap, and told on the pages.

use crate::asked::{Case, Outcome};
use crate::batches::{nothing_is_left_of, paid_once};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use war_rig_tests::fake::{
    BatchScript, CallFault, CallPurpose, FakeCall, FakeOptions, FaultScript, MEMBER_SERVES, MEMBERS_TOGETHER,
};
use war_rig_tests::{files_below, json_file};

/// A program that calls others and works on a file of its own.
fn program(name: &str, calls: &[&str], file: &str) -> String {
    let calls: String = calls.iter().map(|callee| format!("           CALL '{callee}'.\n")).collect();
    format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
      * Keeps the ledger of {file} accounts.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT {file}-FILE ASSIGN TO {file}.
       DATA DIVISION.
       FILE SECTION.
       FD  {file}-FILE.
       01  {file}-RECORD            PIC X(80).
       PROCEDURE DIVISION.
       MAIN-PARA.
           OPEN INPUT {file}-FILE.
           READ {file}-FILE.
{calls}           CLOSE {file}-FILE.
           STOP RUN.
"
    )
}

fn case(options: FakeOptions) -> Case {
    let programs = [
        ("LEDGER.cbl", program("LEDGER", &["POSTING"], "LEDGER")),
        ("POSTING.cbl", program("POSTING", &[], "LEDGER")),
        ("ALONE.cbl", program("ALONE", &[], "STAMPS")),
    ];
    let programs: Vec<(&str, &str)> = programs.iter().map(|(name, text)| (*name, text.as_str())).collect();
    Case::of(&programs, options)
}

/// The calls about functions and the system.
fn about_estate(calls: &[FakeCall]) -> Vec<&FakeCall> {
    calls.iter().filter(|call| call.purpose == CallPurpose::Estate).collect()
}

fn page(case: &Case, name: &str) -> String {
    std::fs::read_to_string(case.place.path().join("out").join(name)).unwrap()
}

/// The page of the function that a program belongs to.
fn page_of(case: &Case, program: &str) -> String {
    let overview = json_file(&case.place.path().join("out/estate.json"));
    let functions = overview["functions"].as_array().unwrap().clone();
    let has =
        |function: &serde_json::Value| function["programs"].as_array().unwrap().iter().any(|member| member == program);
    let function =
        functions.iter().find(|function| has(function)).unwrap_or_else(|| panic!("no {program}: {overview}"));
    page(case, function["page"].as_str().unwrap())
}

fn documents(case: &Case) -> BTreeMap<String, Vec<u8>> {
    let written = files_below(&case.place.path().join("out"));
    written.into_iter().filter(|(name, _)| name != "run.json").collect()
}

#[track_caller]
fn told(case: &Case, run: &Outcome) {
    let function = page_of(case, "LEDGER");
    for text in ["## What it is for", MEMBERS_TOGETHER, "([LEDGER](../LEDGER.cbl.md), [POSTING](../POSTING.cbl.md))"] {
        assert!(function.contains(text), "`{text}` is missing\n{function}\n{}", run.ran.err);
    }
    let first = page(case, "index.md");
    assert!(first.contains("## What the system is for") && first.contains(MEMBER_SERVES), "{first}");
    // One program is told by its own page.
    assert!(!page_of(case, "ALONE").contains("## What it is for"));
}

#[test]
fn a_function_of_several_programs_and_the_system_are_told_once() {
    let case = case(FakeOptions::default());
    let plan = ["plan", "src", "--scribe", "openai", "--format", "json"].map(str::to_owned);
    let planned = case.command(&plan).json()["totals"].clone();
    let run = case.run();
    run.ended(0, &[]);
    told(&case, &run);
    assert_eq!((about_estate(&run.calls).len(), planned["estate_calls"].as_u64()), (2, Some(2)), "{planned}");
    assert_eq!(planned["calls"], run.calls.len());
    let usd = |key: &str| planned[key].as_f64().unwrap();
    assert!(run.report["cost_usd"].as_f64().unwrap() <= usd("max_cost_usd"), "{planned}");
    let overview = json_file(&case.place.path().join("out/estate.json"));
    assert_eq!(overview["summaries_by"], "gpt-4o");
    assert!(overview["summary"][0]["from"].as_array().unwrap().len() == 2, "{overview}");
    case.command(&["check", "src", "--docs", "out", "--thorough"].map(str::to_owned)).assert_exit(0);
    // Nothing is asked again: not at once, and not when the pages are made anew.
    let before = documents(&case);
    for more in ["", "--no-index"] {
        std::fs::remove_file(case.place.path().join("out/index.md")).ok();
        let again = case.run_into("out", more);
        assert!(again.calls.is_empty() && documents(&case) == before, "{}", again.ran.err);
    }
    // A program more is shown to the model, and moves nothing else.
    case.place.write("src/AUDIT.cbl", program("AUDIT", &["POSTING", "LEDGER"], "LEDGER"));
    let run = case.run();
    assert_eq!(about_estate(&run.calls).len(), 2, "{}", run.ran.err);
    assert!(page_of(&case, "LEDGER").contains("[AUDIT](../AUDIT.cbl.md)"));
}

#[test]
fn nobody_writes_about_functions_where_that_is_not_wanted() {
    let case = case(FakeOptions::default()).set("functions", false);
    let run = case.run();
    run.ended(0, &[]);
    assert!(about_estate(&run.calls).is_empty());
    let without = documents(&case);
    assert!(!without.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("What it is for")));
    // Wanted later, they are asked for although no source has changed.
    let case = case.set("functions", true);
    let run = case.run();
    told(&case, &run);
    assert_eq!(run.calls.len(), about_estate(&run.calls).len());
    let case = case.set("functions", false);
    case.run().ended(0, &[]);
    assert!(documents(&case) == without);
}

#[test]
fn words_that_are_not_there_yet_come_with_a_later_run() {
    // The provider is down when it is asked about the first function.
    let is_down = Arc::new(AtomicBool::new(true));
    let down = Arc::clone(&is_down);
    let script = FaultScript::when(move |asked| {
        (asked.purpose == CallPurpose::Estate && down.load(Ordering::Relaxed)).then_some(CallFault::Status(503))
    });
    let case = case(FakeOptions { script, ..FakeOptions::default() });
    let run = case.run_freely("out", "");
    assert_eq!(run.ran.code, Some(14), "{}", run.ran.err);
    assert!(!page_of(&case, "LEDGER").contains("## What it is for"));
    is_down.store(false, Ordering::Relaxed);
    let run = case.run_freely("out", "");
    run.ended(0, &[]);
    told(&case, &run);
    assert_eq!(run.calls.len(), 2, "{}", run.ran.err);
    assert_eq!(case.run_freely("out", "").calls.len(), 0);
}

#[test]
fn a_model_that_talks_nonsense_leaves_the_pages_as_they_are() {
    let script = FaultScript::when(|asked| (asked.purpose == CallPurpose::Estate).then_some(CallFault::InvalidJson));
    let case = case(FakeOptions { script, ..FakeOptions::default() });
    let run = case.run_freely("out", "");
    run.ended(0, &["the answer says nothing that can be used"]);
    let first = page(&case, "index.md");
    assert!(!first.contains("What the system is for"), "{first}");
    // It is not asked again by each run.
    let again = case.run_freely("out", "");
    assert!(again.calls.is_empty(), "{}", again.ran.err);
}

#[test]
fn one_call_that_fails_is_made_again_by_the_next_run_and_the_old_words_stand_until_then() {
    let fails = Arc::new(AtomicBool::new(false));
    let now = Arc::clone(&fails);
    let script = FaultScript::when(move |asked| {
        (asked.purpose == CallPurpose::Estate && now.load(Ordering::Relaxed)).then_some(CallFault::Status(400))
    });
    let case = case(FakeOptions { script, ..FakeOptions::default() });
    let run = case.run();
    told(&case, &run);
    fails.store(true, Ordering::Relaxed);
    case.place.write("src/AUDIT.cbl", program("AUDIT", &["POSTING", "LEDGER"], "LEDGER"));
    let run = case.run_freely("out", "");
    run.ended(0, &["nothing is written about it", "the next run asks again"]);
    told(&case, &run);
    fails.store(false, Ordering::Relaxed);
    let run = case.run();
    run.ended(0, &[]);
    assert_eq!(run.calls.len(), 2, "{}", run.ran.err);
    assert!(page_of(&case, "LEDGER").contains("[AUDIT](../AUDIT.cbl.md)"));
}

#[test]
fn a_program_that_nobody_can_document_does_not_silence_the_others() {
    let script = FaultScript::when(|asked| (asked.file == "POSTING.cbl").then_some(CallFault::Refused));
    let case = case(FakeOptions { script, ..FakeOptions::default() });
    let run = case.run_freely("out", "");
    assert_eq!(run.ran.code, Some(3), "{}", run.ran.err);
    assert_eq!(about_estate(&run.calls).len(), 2, "{}", run.ran.err);
    assert!(page_of(&case, "LEDGER").contains(MEMBERS_TOGETHER));
}

#[test]
fn another_model_writes_them_where_one_is_named() {
    let case = case(FakeOptions::default()).set("overview_model", "gpt-4o-mini").set("reconcile", false);
    // The prices of the check are those of one model.
    let run = case.run_freely("out", "");
    run.ended(0, &[]);
    let models: Vec<&str> = about_estate(&run.calls).iter().map(|call| call.body["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["gpt-4o-mini"; 2]);
    assert!(page(&case, "index.md").contains("Written by gpt-4o-mini"));
}

#[test]
fn batches_bring_the_same_words() {
    let options = |batches: BatchScript| FakeOptions { batches, ..FakeOptions::default() };
    let ordinary = case(options(BatchScript::default()));
    ordinary.run().ended(0, &[]);
    let case = case(options(BatchScript { looks: 1, ..BatchScript::default() })).set("batch_poll_seconds", 1);
    let run = case.run_freely("out", "--batch --wait");
    run.ended(0, &[]);
    assert!(documents(&case) == documents(&ordinary), "{}", run.ran.err);
    let calls = case.fake.log().calls;
    assert!(calls.iter().all(|call| call.batch.is_some()), "{}", run.ran.err);
    paid_once(&calls, &run.ran.err);
    nothing_is_left_of(&case.place, &case.fake);
}
