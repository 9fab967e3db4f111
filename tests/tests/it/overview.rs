//! The one more call that tells a program of several parts in one voice.

use crate::asked::{Case, Outcome, cost};
use crate::programs::{small, wide};
use serde_json::Value;
use war_rig_tests::fake::{
    CallFault, CallPurpose, FakeCall, FakeOptions, FaultScript, MAIN_LINE, OVERVIEW, OverflowStyle, PARAGRAPH_IN_ONE,
    Refusal,
};
use war_rig_tests::{files_below, json_file};

/// The budget at which the program below has three parts.
const BUDGET: u64 = 6000;

/// A program of three parts and one of one part.
fn case_with(options: FakeOptions) -> Case {
    let programs = [("WIDE.cbl", wide("WIDE", 150)), ("ONE.cbl", small("ONE"))];
    let programs: Vec<(&str, &str)> = programs.iter().map(|(name, text)| (*name, text.as_str())).collect();
    Case::of(&programs, FakeOptions { budget: Some(BUDGET), ..options })
}

fn case() -> Case {
    case_with(FakeOptions::default())
}

fn scripted(script: FaultScript) -> Case {
    case_with(FakeOptions { script, ..FakeOptions::default() })
}

fn overviews(outcome: &Outcome) -> Vec<&FakeCall> {
    outcome.calls.iter().filter(|call| call.purpose == CallPurpose::Overview).collect()
}

fn document(case: &Case, out: &str, name: &str) -> Value {
    json_file(&case.place.path().join(out).join(format!("{name}.json")))
}

fn page(case: &Case, name: &str) -> String {
    std::fs::read_to_string(case.place.path().join("out").join(format!("{name}.md"))).unwrap()
}

fn plan(case: &Case) -> Value {
    let words = ["plan", "src", "--scribe", "openai", "--format", "json"].map(str::to_owned);
    case.command(&words).json()
}

#[test]
fn a_program_of_three_parts_costs_one_more_call_and_is_told_in_one_voice() {
    let plain = case().set("reconcile", false);
    let without = plain.run();
    without.ended(0, &[]);
    assert!(overviews(&without).is_empty());
    let case = case();
    let outcome = case.run();
    outcome.ended(0, &["2 of 2 files documented"]);
    case.check_complete(&outcome);
    let [overview] = overviews(&outcome)[..] else { panic!("{} overviews", overviews(&outcome).len()) };
    assert_eq!((without.calls.len(), outcome.calls.len()), (4, 5));
    assert!(overview.prompt_tokens > 0 && overview.prompt_tokens <= BUDGET);
    let message = overview.body["messages"][1]["content"].as_str().unwrap();
    for row in ["|kind: batch", "|entry: WIDE", "|main line", "|purpose: WIDE does what", "|rule: If "] {
        assert!(message.contains(row), "{row} in {message}");
    }
    let told = document(&case, "out", "WIDE.cbl");
    assert_eq!((&told["purpose"]["summary"], &told["purpose"]["main_line"]), (&OVERVIEW.into(), &MAIN_LINE.into()));
    let below = page(&case, "WIDE.cbl");
    assert!(below.contains(&format!("## How it runs\n\n{MAIN_LINE}\n")), "{below}");
    let one = document(&case, "out", "ONE.cbl");
    assert_eq!(one["purpose"]["summary"], "ONE does what its paragraphs say.");
    assert!(one["purpose"]["main_line"].is_null());
    // What is left is as without the call.
    let mut merged = document(&plain, "out", "WIDE.cbl");
    assert!(merged["purpose"]["main_line"].is_null());
    let mut told = told;
    for field in ["purpose", "seal", "coverage"] {
        (merged[field], told[field]) = (Value::Null, Value::Null);
    }
    assert_eq!(merged, told);
}

#[test]
fn a_plan_counts_the_call_and_bounds_its_prompt_and_its_price() {
    let case = case();
    let planned = plan(&case);
    let without = plan(&self::case().set("reconcile", false));
    let outcome = case.run();
    let (totals, before) = (&planned["totals"], &without["totals"]);
    assert_eq!(totals["calls"].as_u64(), Some(outcome.calls.len() as u64));
    assert_eq!((&totals["overview_calls"], &before["overview_calls"]), (&1.into(), &0.into()));
    assert_eq!((&totals["ideal_calls"], &totals["prompt_tokens"]), (&before["ideal_calls"], &before["prompt_tokens"]));
    let (parts, overview): (Vec<_>, Vec<_>) =
        outcome.calls.iter().partition(|call| call.purpose == CallPurpose::Documentation);
    let tokens = |calls: &[&FakeCall]| calls.iter().map(|call| call.prompt_tokens).sum::<u64>();
    assert_eq!(totals["prompt_tokens"], tokens(&parts));
    assert!(tokens(&overview) <= totals["max_overview_prompt_tokens"].as_u64().unwrap());
    assert_eq!(totals["max_overview_prompt_tokens"], BUDGET);
    let dollars = |plan: &Value, name: &str| plan["totals"][name].as_f64().unwrap();
    let more = dollars(&planned, "max_cost_usd") - dollars(&without, "max_cost_usd");
    // A full prompt and the longest answer.
    assert!((more - (BUDGET as f64 * 2.5 + 16_000.0 * 10.0) / 1e6).abs() < 1e-6, "{more}");
    assert!(dollars(&planned, "cost_usd") > dollars(&without, "cost_usd"));
    let words = ["plan", "src", "--scribe", "openai"].map(str::to_owned);
    let said = case.command(&words).out;
    assert!(
        said.contains(
            "1 of the calls writes the overview of a file of several chunks, with at most 6000 prompt tokens"
        ),
        "{said}"
    );
    // The parser's words are of one voice.
    let words = ["plan", "src", "--scribe", "static", "--format", "json"].map(str::to_owned);
    assert_eq!(case.command(&words).json()["totals"]["overview_calls"], 0);
}

#[test]
fn an_answer_of_no_use_leaves_the_merged_purpose() {
    let faults = [
        CallFault::Refused,
        CallFault::EmptyContent,
        CallFault::Truncated,
        CallFault::InvalidJson,
        CallFault::Status(400),
        CallFault::ContentFilter,
        CallFault::Overflow(OverflowStyle::OpenAi),
        CallFault::OtherJson(r#"{"summary": ["no", "text"]}"#),
        CallFault::OtherJson(r#"{"summary": "  ", "main_line": "It runs."}"#),
        CallFault::OtherJson(r#"{"purpose": {"summary": "It is another schema."}}"#),
    ];
    for fault in faults {
        let case = scripted(FaultScript::overviews(fault.clone()));
        let outcome = case.run_freely("out", "");
        outcome
            .ended(0, &["2 of 2 files documented", "warning: WIDE.cbl: its purpose is put together from its parts: "]);
        assert_eq!(overviews(&outcome).len(), 1, "{fault:?}");
        case.check_complete(&outcome);
        let told = document(&case, "out", "WIDE.cbl");
        assert_eq!(told["purpose"]["summary"], "WIDE does what its paragraphs say.", "{fault:?}");
        assert!(told["purpose"]["main_line"].is_null() && told["header"]["status"] == "complete");
        assert!(case.run_freely("out", "").calls.is_empty(), "{fault:?}");
    }
}

#[test]
fn a_part_of_an_overview_that_is_good_is_used() {
    let answer = r#"{"summary": "It posts.", "program_type": 7, "paragraphs": [7, {"id": "P9", "summary": "No."}]}"#;
    let case = scripted(FaultScript::overviews(CallFault::OtherJson(answer)));
    let outcome = case.run();
    outcome.ended(0, &["its purpose is put together from its parts"]);
    let answer = r#"{"summary": "It posts.", "paragraphs": [7, {"id": "P9", "summary": "No."}]}"#;
    let case = scripted(FaultScript::overviews(CallFault::OtherJson(answer)));
    case.run().ended(0, &["2 of 2 files documented"]);
    let told = document(&case, "out", "WIDE.cbl");
    assert_eq!(told["purpose"]["summary"], "It posts.");
    assert!(told["paragraphs"].as_array().unwrap().iter().all(|paragraph| paragraph["details"].is_null()));
}

#[test]
fn a_server_without_schemas_is_asked_too() {
    let case = case_with(FakeOptions { refuses: [Refusal::JsonSchema].into(), ..FakeOptions::default() });
    let outcome = case.run();
    outcome.ended(0, &["2 of 2 files documented"]);
    assert_eq!(document(&case, "out", "WIDE.cbl")["purpose"]["main_line"], MAIN_LINE);
    case.check_complete(&outcome);
}

#[test]
fn a_rerun_asks_for_no_overview_again_and_an_edited_paragraph_for_one() {
    let case = case();
    case.run().ended(0, &[]);
    let before = document(&case, "out", "WIDE.cbl");
    assert!(case.run_freely("out", "").calls.is_empty());
    // A document that is gone is written from what is stored.
    std::fs::remove_file(case.place.path().join("out/WIDE.cbl.json")).unwrap();
    assert!(case.run_freely("out", "").calls.is_empty());
    assert_eq!(document(&case, "out", "WIDE.cbl"), before);
    let source = wide("WIDE", 150);
    // Moved lines change no word that was written about the second and third part, and those of the first.
    let edited = source.replace("MOVE 77 TO WS-TOTAL", "MOVE 78 TO WS-TOTAL");
    assert_ne!(edited, source);
    case.place.write("src/WIDE.cbl", &edited);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &[]);
    assert!((2..=3).contains(&outcome.calls.len()) && overviews(&outcome).len() == 1, "{}", outcome.calls.len());
    case.check_facts(&outcome);
    // New numbers in columns 1 to 6 change nothing.
    let numbered: String = edited.lines().map(|line| format!("{:06}{}\n", 100, &line[6..])).collect();
    case.place.write("src/WIDE.cbl", &numbered);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &["1 pending"]);
    assert!(outcome.calls.is_empty(), "{}", outcome.calls.len());
}

#[test]
fn an_overview_is_recorded_and_replayed() {
    let case = case();
    let recorded = case.run_freely("out", "--record answers.jsonl");
    recorded.ended(0, &[]);
    assert_eq!(overviews(&recorded).len(), 1);
    let replayed = case.run_freely("again", "--replay answers.jsonl --jobs 4");
    replayed.ended(0, &[]);
    assert!(replayed.calls.is_empty());
    let documents = |out: &str| {
        let mut files = files_below(&case.place.path().join(out));
        files.remove("run.json");
        files
    };
    assert!(documents("out") == documents("again"));
    assert_eq!(document(&case, "again", "WIDE.cbl")["purpose"]["main_line"], MAIN_LINE);
}

#[test]
fn a_prompt_holds_what_fits_and_counts_the_rest() {
    // Far more is written about so many parts than a prompt holds.
    let case =
        Case::of(&[("WIDE.cbl", &wide("WIDE", 900))], FakeOptions { budget: Some(BUDGET), ..FakeOptions::default() });
    let outcome = case.run();
    outcome.ended(0, &["1 of 1 files documented"]);
    case.check_complete(&outcome);
    let [overview] = overviews(&outcome)[..] else { panic!("{} overviews", overviews(&outcome).len()) };
    assert!((5000..=BUDGET).contains(&overview.prompt_tokens), "{}", overview.prompt_tokens);
    let message = overview.body["messages"][1]["content"].as_str().unwrap();
    let rows = |begin: &str| {
        message.lines().filter(|row| row.split_once('|').is_some_and(|(_, row)| row.starts_with(begin))).count()
    };
    assert!(rows("(") > 0 && message.contains(" more not shown)"), "{message}");
    assert_eq!(rows("purpose: "), 1);
}

#[test]
fn a_cap_that_leaves_nothing_for_the_overview_is_not_passed() {
    let case = case();
    let whole = case.run();
    let paid: Vec<f64> = whole.calls.iter().map(cost).collect();
    // The longest answer is reserved: what the parts may cost, and one cent.
    let parts: f64 = paid.iter().sum::<f64>() - paid.last().unwrap();
    let cap = parts + 0.165;
    let case = self::case().set("concurrency", 1);
    let stopped = case.run_into("out", &format!("--jobs 1 --budget-usd {cap:.4}"));
    stopped.ended(13, &["the run was stopped: the next call may cost 0.1"]);
    assert!(stopped.calls.iter().map(cost).sum::<f64>() <= cap);
    assert!(overviews(&stopped).is_empty());
    let resumed = case.run_freely("out", "--budget-usd 5");
    resumed.ended(0, &["2 of 2 files documented"]);
    assert_eq!((resumed.calls.len(), overviews(&resumed).len()), (5 - stopped.calls.len(), 1));
    assert_eq!(document(&case, "out", "WIDE.cbl")["purpose"]["main_line"], MAIN_LINE);
}

#[test]
fn another_model_may_write_the_overview() {
    let case = case().set("overview_model", "gpt-4.1-nano");
    let planned = plan(&case);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &["2 of 2 files documented in 5 calls"]);
    for call in &outcome.calls {
        let model = if call.purpose == CallPurpose::Overview { "gpt-4.1-nano" } else { "gpt-4o" };
        assert_eq!(call.body["model"], model);
    }
    assert!(outcome.log.over_budget.is_empty() && outcome.log.violations.is_empty());
    let [overview] = overviews(&outcome)[..] else { panic!("{} overviews", overviews(&outcome).len()) };
    let of_overview = (overview.prompt_tokens as f64 * 0.10 + overview.completion_tokens as f64 * 0.40) / 1e6;
    let of_parts: f64 = outcome.calls.iter().filter(|call| call.purpose == CallPurpose::Documentation).map(cost).sum();
    let told = outcome.report["cost_usd"].as_f64().unwrap();
    assert!((told - of_parts - of_overview).abs() < 1e-6, "{told} {of_parts} {of_overview}");
    let most = planned["totals"]["max_cost_usd"].as_f64().unwrap();
    let without = plan(&self::case().set("reconcile", false))["totals"]["max_cost_usd"].as_f64().unwrap();
    assert!((most - without - (BUDGET as f64 * 0.10 + 16_000.0 * 0.40) / 1e6).abs() < 1e-6, "{most} {without}");
    assert_eq!(document(&case, "out", "WIDE.cbl")["purpose"]["main_line"], MAIN_LINE);
    assert!(case.run_freely("out", "").calls.is_empty());
    // One record holds the answers of both.
    let recorded = case.run_freely("recorded", "--record answers.jsonl");
    recorded.ended(0, &[]);
    case.run_freely("again", "--replay answers.jsonl").ended(0, &["2 of 2 files documented in 0 calls"]);
    assert_eq!(document(&case, "again", "WIDE.cbl"), document(&case, "recorded", "WIDE.cbl"));
    // A cap holds over both, and needs both prices.
    let case = self::case().set("overview_model", "nobodys-model").option("--budget-usd 1");
    case.run_freely("out", "").ended(2, &["no price for `nobodys-model`"]);
    let case = self::case().set("overview_model", "gpt-4.1-nano").set("concurrency", 1);
    let cap = of_parts + 0.15;
    let stopped = case.run_freely("out", &format!("--jobs 1 --budget-usd {cap:.4}"));
    assert!(stopped.report["cost_usd"].as_f64().unwrap() <= cap, "{}", stopped.ran.err);
}

#[test]
fn cached_tokens_are_counted_and_cost_less() {
    let case = case_with(FakeOptions { cached_tokens: 1500, ..FakeOptions::default() });
    let outcome = case.run();
    let cached = 1500 * outcome.calls.len();
    outcome.ended(0, &[&format!("; {cached} cached_tokens; ")]);
    assert_eq!(outcome.report["cached_tokens"], cached);
    let full: f64 = self::case().run().report["cost_usd"].as_f64().unwrap();
    let told = outcome.report["cost_usd"].as_f64().unwrap();
    assert!((full - told - cached as f64 * 1.25 / 1e6).abs() < 1e-6, "{full} {told}");
}

#[test]
fn a_paragraph_in_pieces_has_one_sentence_and_keeps_the_pieces() {
    const PIECES: [&str; 2] = [
        r#"{"purpose": {"summary": "It adds.", "citations": [{"start": 2, "end": 2}]}, "paragraphs": [{"paragraph_name": "0000-ALL", "summary": "Begins to add.", "citations": []}]}"#,
        r#"{"paragraphs": [{"paragraph_name": "0000-ALL", "summary": "Goes on adding.", "purpose": "For the total.", "citations": []}]}"#,
    ];
    let script = FaultScript::when(|asked| {
        let piece = PIECES[usize::from(asked.chunk.0 > 1)];
        (asked.purpose == CallPurpose::Documentation).then_some(CallFault::OtherJson(piece))
    });
    let rows: String = (0..900).map(|row| format!("           ADD {row} TO WS-TOTAL.\n")).collect();
    let program = format!("{}       0000-ALL.\n{rows}", wide("SUM", 0));
    let case =
        Case::of(&[("SUM.cbl", &program)], FakeOptions { script, budget: Some(BUDGET), ..FakeOptions::default() });
    let outcome = case.run();
    outcome.ended(0, &["1 of 1 files documented"]);
    let parts = outcome.calls.len() - 1;
    assert!(parts > 2, "{parts}");
    let paragraph = &document(&case, "out", "SUM.cbl")["paragraphs"][0];
    assert_eq!(paragraph["summary"], format!("{PARAGRAPH_IN_ONE} P1."));
    let mut pieces = vec!["Begins to add."];
    pieces.resize(parts, "Goes on adding. For the total.");
    assert_eq!(paragraph["details"], serde_json::json!(pieces));
    assert!(page(&case, "SUM.cbl").contains("says P1.<br>Begins to add.<br>Goes on adding. For the total.<br>"));
    // Without an overview the pieces are as the merge has them.
    let plain = case.set("reconcile", false);
    plain.run_freely("out", "").ended(0, &[]);
    assert!(document(&plain, "out", "SUM.cbl")["paragraphs"][0]["details"].is_null());
}
