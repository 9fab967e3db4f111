//! What is known of models, and what a plan says of their cost.

use serde_json::Value;
use war_rig_tests::{CommandResult, Sandbox, fixtures};

/// A folder with a settings file that holds `[scribe]` and these lines.
fn with_settings(lines: &str) -> Sandbox {
    let place = Sandbox::new();
    place.write("war_rig.toml", format!("[scribe]\n{lines}\n"));
    place
}

/// A plan of one small program.
fn plan(place: &Sandbox, options: &str) -> CommandResult {
    place.line(&format!("plan {{}} --scribe openai {options}"), &fixtures().join("cbl/PRMCALC.cbl"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// The dollars of so many tokens at a price for a million.
fn dollars(tokens: &Value, price: f64) -> f64 {
    number(tokens) * price / 1e6
}

#[track_caller]
fn close(left: &Value, right: f64) {
    assert!((number(left) - right).abs() < 1e-9, "{left} is not {right}");
}

const OWN: &str = "[[model]]\nname = \"ours\"\ncontext_window = 40000\ninput = 0.2\noutput = 0.6\n";

#[test]
fn the_registry_is_a_table_with_pages_and_days() {
    let ran = Sandbox::new().run(["models"]);
    ran.assert_exit(0);
    assert_eq!(ran.err, "");
    let head: Vec<&str> = ran.out.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(
        head.join(" "),
        "model provider window answer input cached output encoding ratio limit temperature as of source"
    );
    let row = |name: &str| -> Vec<String> {
        let found = ran.out.lines().map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        found.into_iter().find(|cells| cells[0] == name).unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(
        row("gpt-4o-mini")[1..11],
        ["openai", "128000", "16384", "0.15", "0.075", "0.60", "o200k_base", "1", "max_completion_tokens", "yes"]
    );
    for line in ran.out.lines().skip(1) {
        assert!(line.split_whitespace().last().unwrap().starts_with("https://"), "{line}");
    }
}

#[test]
fn one_model_is_shown_by_any_of_its_names() {
    for name in ["gpt-4o", "azure/gpt-4o-2024-08-06"] {
        let ran = Sandbox::new().run(["models", name]);
        ran.assert_exit(0);
        assert!(ran.out.starts_with("model        gpt-4o\nprovider     openai\n"), "{}", ran.out);
        let json = Sandbox::new().run(["models", name, "--format", "json"]).json();
        assert_eq!((&json["name"], &json["prices"]["output"]), (&"gpt-4o".into(), &10.0.into()));
    }
    let unknown = Sandbox::new().run(["models", "gpt4o"]);
    unknown.assert_exit(2).assert_stderr(&["error: no model `gpt4o` is known\n", "hint: did you mean `gpt-4o`?"]);
}

#[test]
fn a_file_of_the_user_adds_to_the_registry_and_prices_a_plan() {
    let place = Sandbox::new();
    place.write("conf/models.toml", OWN);
    place.write("conf/war_rig.toml", "[scribe]\nmodels = \"models.toml\"\nmodel = \"ours\"\n");
    let ran = place.run(["--config", "conf/war_rig.toml", "models"]);
    ran.assert_exit(0);
    let row = ran.out.lines().find(|line| line.starts_with("ours ")).unwrap();
    assert!(row.ends_with("conf/models.toml"), "the source of a row without one is its file: {row}");
    let json = place.run(["--config", "conf/war_rig.toml", "models", "--format", "json"]).json();
    let ours = json["models"].as_array().unwrap().iter().find(|model| model["name"] == "ours").unwrap();
    assert_eq!((&ours["source"], &ours["prices"]["cached_input"]), (&Value::Null, &Value::Null));

    let planned = plan(&place, "--config conf/war_rig.toml --budget-usd 1 --format json");
    planned.assert_exit(0);
    let totals = &planned.json()["totals"];
    let answer = dollars(&totals["expected_completion_tokens"], 0.6);
    close(&totals["cost_usd"], dollars(&totals["prompt_tokens"], 0.2) + answer);
}

#[test]
fn a_file_that_is_wrong_is_told_with_its_line() {
    let place = with_settings("models = \"models.toml\"");
    place.run(["models"]).assert_exit(2).assert_stderr(&["error: cannot read `models.toml`"]);
    place.write("models.toml", format!("# ours\n{OWN}contextwindow = 1\n"));
    place.run(["models"]).assert_exit(2).assert_stderr(&[
        "error: models.toml:7: cannot read `contextwindow = 1`: unknown field `contextwindow`, expected one of ",
        "`context_window`",
    ]);
    let planned = plan(&place, "--model gpt-4o");
    planned.assert_exit(2).assert_stderr(&["error: models.toml:7: "]);
}

#[test]
fn a_plan_says_what_it_costs_before_anything_is_spent() {
    let place = Sandbox::new();
    let planned = plan(&place, "--model gpt-4o --format json");
    planned.assert_exit(0);
    let json = planned.json();
    assert_eq!((&json["model"], &json["token_ratio"]), (&"gpt-4o".into(), &1.0.into()));
    let totals = &json["totals"];
    let prompts = dollars(&totals["prompt_tokens"], 2.5);
    close(&totals["cost_usd"], prompts + dollars(&totals["expected_completion_tokens"], 10.0));
    close(&totals["max_cost_usd"], prompts + number(&totals["calls"]) * 16_000.0 * 10.0 / 1e6);
    assert_eq!(json["files"][0]["cost_usd"], totals["cost_usd"]);

    let text = plan(&place, "--model gpt-4o").out;
    let line = text.lines().last().unwrap();
    assert!(line.contains(" USD expected and "), "{line}");
    assert!(line.ends_with(" at most, without calls for repair (openai, gpt-4o)"), "{line}");

    let capped = plan(&place, "--model gpt-4o --budget-usd 0.001");
    capped.assert_exit(0).assert_stderr(&["warning: the run is expected to cost ", " USD and may cost 0.001; "]);
}

#[test]
fn the_static_scribe_costs_nothing_and_names_no_model() {
    let ran =
        Sandbox::new().line("plan {} --model ours --budget-usd 1 --format json", &fixtures().join("cbl/PRMCALC.cbl"));
    ran.assert_exit(0);
    let json = ran.json();
    assert_eq!(json["model"], Value::Null);
    close(&json["totals"]["cost_usd"], 0.0);
    close(&json["totals"]["max_cost_usd"], 0.0);
}

#[test]
fn a_cost_that_is_not_known_is_said_and_cannot_be_capped() {
    let place = Sandbox::new();
    let text = plan(&place, "--model ours");
    text.assert_exit(0);
    let line = text.out.lines().last().unwrap();
    assert!(line.ends_with("cost unknown: no price for `ours`; add it to scribe.models"), "{line}");
    let totals = plan(&place, "--model ours --format json").json()["totals"].clone();
    assert_eq!((&totals["cost_usd"], &totals["max_cost_usd"]), (&Value::Null, &Value::Null));
    for command in ["plan {}", "document {} -o out"] {
        let ran = place.line(
            &format!("{command} --scribe openai --model ours --budget-usd 1"),
            &fixtures().join("cbl/PRMCALC.cbl"),
        );
        ran.assert_exit(2).assert_stderr(&["error: scribe.budget_usd: no price for `ours`", "hint: add the model"]);
    }
    assert!(!place.path().join("out").exists());
}

#[test]
fn prompts_are_smaller_where_the_model_needs_more_tokens() {
    let large = fixtures().join("cbl/POLMAINT.cbl");
    let place = Sandbox::new();
    let planned = |options: &str| {
        let ran = place.line(&format!("plan {{}} --scribe openai --format json {options}"), &large);
        ran.assert_exit(0);
        ran.json()
    };
    let json = planned("--model claude-haiku-4-5");
    let ratio = number(&json["token_ratio"]);
    assert_eq!(ratio, 1.35);
    let largest = number(&json["totals"]["largest_prompt_tokens"]);
    assert!(largest * ratio <= 15_000.0 && largest * ratio > 12_000.0, "{largest}");
    let plain = planned("--model gpt-4o");
    assert!(number(&json["totals"]["calls"]) > number(&plain["totals"]["calls"]));
    // What is paid are tokens of the model, also for the overview, of which only a bound is known.
    place.write("war_rig.toml", "[scribe]\nreconcile = false\n");
    let whole = json;
    let json = planned("--model claude-haiku-4-5");
    assert_eq!(number(&whole["totals"]["calls"]), number(&json["totals"]["calls"]) + 1.0);
    let more = number(&whole["totals"]["max_cost_usd"]) - number(&json["totals"]["max_cost_usd"]);
    assert!((more - (15_000.0 + 16_000.0 * 5.0) / 1e6).abs() < 0.001, "{more}");
    let paid = number(&json["totals"]["cost_usd"]);
    let counted =
        dollars(&json["totals"]["prompt_tokens"], 1.0) + dollars(&json["totals"]["expected_completion_tokens"], 5.0);
    assert!((paid - counted * ratio).abs() < 0.001, "{paid} for {counted} at {ratio}");
    let text = place.line("plan {} --scribe openai --model claude-haiku-4-5", &large).out;
    let said = "each token of o200k_base is counted as 1.35 of `claude-haiku-4-5`: prompts hold 11111 of them and answers 11851";
    assert!(text.lines().any(|line| line == said), "{text}");
}

#[test]
fn a_prompt_and_an_answer_beyond_the_window_are_refused() {
    let place = Sandbox::new();
    plan(&place, "--model gpt-4o --max-prompt-tokens 120000").assert_exit(2).assert_stderr(&[
        "error: a prompt of 120000 tokens and an answer of 16000 exceed the window of `gpt-4o`, which has 128000\n",
        "hint: lower scribe.max_prompt_tokens",
    ]);
    let text = place.line("plan {} --model gpt-4o --max-prompt-tokens 120000", &fixtures().join("cbl/PRMCALC.cbl"));
    text.assert_exit(0);
}

#[test]
fn another_encoding_than_the_models_is_said() {
    let place = with_settings("encoding = \"cl100k_base\"\n");
    plan(&place, "--model gpt-4o").assert_exit(0).assert_stderr(&[
        "warning: the tokens of `gpt-4o` are counted in cl100k_base, but o200k_base comes nearest to its own; set scribe.encoding to `o200k_base`\n",
    ]);
    let quiet = plan(&Sandbox::new(), "--model gpt-4o");
    assert!(!quiet.err.contains("comes nearest"), "{}", quiet.err);
}
