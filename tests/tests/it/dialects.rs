//! How a server wants to be asked: addresses, headers, and what it does not take of a request.

use crate::asked::{Case, Outcome, together};
use crate::programs::long;
use std::collections::BTreeSet;
use war_rig_tests::fake::{FakeOptions, Refusal};

fn refusing(refuses: &[Refusal]) -> Case {
    Case::new(FakeOptions { refuses: refuses.iter().copied().collect::<BTreeSet<_>>(), ..FakeOptions::default() })
}

/// The types of the answer format of all calls, in order.
fn formats(outcome: &Outcome) -> Vec<&str> {
    let kinds = outcome.calls.iter().map(|call| call.body["response_format"]["type"].as_str());
    kinds.map(|kind| kind.unwrap_or("none")).collect()
}

/// Asserts that the run is whole, and that its note of the server is in the report and said once.
#[track_caller]
fn check_adapted(case: &Case, outcome: &Outcome, note: &str) {
    outcome.ended(0, &["2 of 2 files documented"]);
    case.check_complete(outcome);
    let said = format!("the server takes {note}");
    assert_eq!(outcome.report["server"], serde_json::json!([said]));
    assert_eq!(outcome.ran.err.matches("the server takes").count(), 1, "{}", outcome.ran.err);
    assert!(outcome.ran.err.contains(&format!("warning: {said}\n")), "{}", outcome.ran.err);
    assert!(outcome.log.violations.is_empty() && outcome.log.over_budget.is_empty(), "{:?}", outcome.log.violations);
    assert_eq!(outcome.report["calls"], outcome.calls.len());
}

#[test]
fn a_server_without_schemas_is_asked_for_an_object_and_then_in_words() {
    let case = refusing(&[Refusal::JsonSchema]).set("concurrency", 1);
    let outcome = case.run_freely("out", "");
    check_adapted(&case, &outcome, "no JSON schema (json_object, schema in the system message)");
    assert_eq!(formats(&outcome), ["json_schema", "json_object", "json_object"]);
    // What the server cannot be given as a schema is said in words, and is counted.
    let sent = outcome.calls[1].body["messages"].to_string();
    assert!(sent.contains("called_programs") && sent.contains("paragraph_name"), "{sent}");

    let case = refusing(&[Refusal::JsonSchema, Refusal::JsonObject]).set("concurrency", 1);
    let outcome = case.run_freely("out", "");
    let note = "neither a JSON schema nor json_object (schema in the system message)";
    check_adapted(&case, &outcome, note);
    assert_eq!(formats(&outcome), ["json_schema", "json_object", "none", "none"]);
}

#[test]
fn the_limit_of_answers_and_the_temperature_are_worded_otherwise_or_left_out() {
    let limit = |outcome: &Outcome, name: &str| outcome.calls.last().unwrap().body[name].is_u64();
    let case = refusing(&[Refusal::MaxCompletionTokens, Refusal::Temperature]).set("concurrency", 1);
    let outcome = case.run();
    check_adapted(&case, &outcome, "no limit for answers, no temperature");
    assert!(!limit(&outcome, "max_tokens") && !limit(&outcome, "max_completion_tokens"));
    assert!(outcome.calls.last().unwrap().body["temperature"].is_null());

    let case = refusing(&[Refusal::MaxTokens]).set("model", "some-model").set("concurrency", 1);
    let outcome = case.run_freely("out", "");
    check_adapted(&case, &outcome, "max_completion_tokens instead of max_tokens");
    assert!(limit(&outcome, "max_completion_tokens") && !limit(&outcome, "max_tokens"));
}

#[test]
fn service_tier_and_reasoning_effort_are_passed_on_and_left_out_where_they_are_refused() {
    let set = |case: Case| case.set("service_tier", "flex").set("reasoning_effort", "low").set("concurrency", 1);
    let of = |outcome: &Outcome| {
        let body = &outcome.calls.last().unwrap().body;
        ["service_tier", "reasoning_effort"].map(|name| body[name].as_str().unwrap_or("none").to_owned())
    };
    let outcome = set(refusing(&[])).run();
    outcome.ended(0, &[]);
    assert_eq!(of(&outcome), ["flex", "low"]);
    assert_eq!(of(&refusing(&[]).run()), ["none", "none"]);
    let case = set(refusing(&[Refusal::ServiceTier, Refusal::ReasoningEffort]));
    let outcome = case.run();
    check_adapted(&case, &outcome, "no such service tier, no such reasoning effort");
    assert_eq!((of(&outcome), outcome.calls.len()), (["none", "none"].map(str::to_owned), 4));
    // Another effort is another question, another tier is the same.
    let case = refusing(&[]);
    assert_eq!(case.run().calls.len(), 2);
    let case = case.set("service_tier", "flex");
    assert_eq!(case.run_freely("out", "").calls.len(), 0);
    let case = case.set("reasoning_effort", "high");
    assert_eq!(case.run_freely("out", "").calls.len(), 2);
}

#[test]
fn refusals_cost_a_call_each_and_no_more_with_many_workers() {
    let case = refusing(&[Refusal::JsonSchema, Refusal::Temperature]).set("concurrency", 8).option("--jobs 8");
    let outcome = case.run_freely("out", "");
    check_adapted(&case, &outcome, "no JSON schema (json_object, schema in the system message), no temperature");
    // Only where the first refusal is slow do others find out for themselves.
    let refused = outcome.calls.iter().filter(|call| call.status == Some(400)).count();
    assert!((2..=4).contains(&refused), "{refused}");
}

#[test]
fn what_was_asked_for_by_name_is_not_worded_otherwise() {
    let cases = vec![
        (
            Refusal::JsonSchema,
            "answer_format",
            "json_schema",
            "'response_format' of type 'json_schema' is not supported",
        ),
        (Refusal::MaxTokens, "answer_limit", "max_tokens", "'max_tokens' is not supported with this model"),
    ];
    together(cases, |(refusal, key, value, said)| {
        let case = refusing(&[refusal]).set(key, value);
        let outcome = case.run();
        outcome.ended(3, &["warning: ONE.cbl: failed: lines 1-6: HTTP 400: ", said, "0 of 2 files documented"]);
        assert!(outcome.calls.len() == 2 && outcome.report["server"].is_null());
    });
}

#[test]
fn azure_is_asked_in_its_own_way() {
    let options = FakeOptions { key: Some("azure-key-17".to_owned()), ..FakeOptions::default() };
    let case = Case::new(options).set("api_version", "2024-10-21").variable("AZURE_KEY", "azure-key-17");
    let url = case.fake.root_url();
    let case = case.set("base_url", url).set("api_key_env", "AZURE_KEY");
    let outcome = case.run();
    outcome.ended(0, &["2 of 2 files documented in 2 calls"]);
    let headers = &outcome.calls[0].headers;
    assert_eq!((headers["api-key"].as_str(), headers.get("authorization")), ("hidden", None));
    assert!(!outcome.ran.err.contains("azure-key-17"));
    // The fake answers 400 to a request without a version, and 401 to one without the header.
    assert!(outcome.calls.iter().all(|call| call.status == Some(200) && call.had_key));
}

#[test]
fn extra_headers_are_sent_and_those_that_are_keys_come_from_the_environment() {
    let case = Case::new(FakeOptions::default()).variable("GATE_TOKEN", "gate-word-9").variable("OTHER", "x");
    case.place
        .write("war_rig.toml", "[scribe]\nheaders = { x-team = \"ledgers\", x-gate-token = \"env:GATE_TOKEN\" }\n");
    let outcome = case.run();
    outcome.ended(0, &[]);
    for call in &outcome.calls {
        assert_eq!(
            (call.headers["x-team"].as_str(), call.headers["x-gate-token"].as_str()),
            ("ledgers", "gate-word-9")
        );
    }
    assert!(!outcome.ran.err.contains("gate-word-9") && !outcome.report.to_string().contains("gate-word-9"));
    let case = Case::new(FakeOptions::default());
    case.place.write("war_rig.toml", "[scribe]\nheaders = { x-gate-token = \"env:GATE_TOKEN\" }\n");
    case.run_freely("out", "").ended(2, &["GATE_TOKEN"]);
    assert!(case.fake.log().calls.is_empty());
}

#[test]
fn a_proxy_is_gone_through() {
    // The fake takes a request for another machine as a proxy does; nobody else could know that name.
    let case = Case::new(FakeOptions::default());
    let proxy = case.fake.root_url();
    let outcome = case.set("base_url", "http://models.invalid/v1").set("proxy", proxy).run_freely("out", "");
    outcome.ended(0, &["2 of 2 files documented in 2 calls"]);
    assert!(outcome.calls.iter().all(|call| call.headers["host"].starts_with("models.invalid")));
}

#[test]
fn a_key_that_is_refused_is_not_repeated() {
    let options = FakeOptions { key: Some("another".to_owned()), ..FakeOptions::default() };
    let outcome = Case::new(options).run();
    outcome.ended(12, &["error: the run was stopped: HTTP 401: ", "variable that scribe.api_key_env names"]);
}

#[test]
fn a_schema_in_words_is_within_the_budget_too() {
    let refuses = [Refusal::JsonSchema].into();
    let options = FakeOptions { refuses, budget: Some(4000), ..FakeOptions::default() };
    let case = Case::of(&[("LONG.cbl", &long("LONG", 14))], options);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &["1 of 1 files documented in"]);
    case.check_complete(&outcome);
    assert!(outcome.calls.len() > 2 && outcome.log.over_budget.is_empty(), "{:?}", outcome.log.over_budget);
}
