//! The command as somebody meets it for the first time.

use super::{Case, all_of, counter, lister, minutes};
use std::io::Write;
use std::process::{Command, Stdio};
use war_rig_tests::fake::{FakeOptions, FakeProvider};
use war_rig_tests::pdf::{TestPdfOptions, test_pdf};
use war_rig_tests::{CommandResult, Sandbox, binary};

/// An agent and minutes in a folder.
fn place() -> Sandbox {
    let place = Sandbox::new();
    place.write("agent.toml", lister(""));
    place.write("minutes.txt", minutes(5));
    place
}

#[track_caller]
fn refused(words: &[&str], code: i32, said: &[&str]) {
    let ran = place().run(words);
    ran.assert_exit(code).assert_stderr(said);
    assert_eq!(ran.out, "");
    assert!(!ran.err.contains("panicked") && !ran.err.contains("internal error"), "{}", ran.err);
}

#[test]
fn what_is_wrong_on_the_command_line_is_named() {
    let line = |more: &[&'static str]| [&["extract", "agent.toml", "List"][..], more].concat();
    refused(&["extract"], 2, &["<AGENT>"]);
    refused(&line(&[]), 2, &["--input"]);
    refused(&line(&["--input", "nowhere.txt", "--dry-run"]), 2, &["nowhere.txt"]);
    refused(&line(&["--input", ".", "--dry-run"]), 2, &["error: "]);
    refused(&line(&["--input", "minutes.txt", "--chunk-size", "0"]), 2, &["--chunk-size"]);
    refused(&line(&["--input", "minutes.txt", "--paginate", "maybe"]), 2, &["maybe", "auto"]);
    refused(&line(&["--input", "minutes.txt", "--chunksize", "5"]), 2, &["--chunk-size"]);
    refused(&line(&["--input", "minutes.txt", "--merge-strategy", "custom", "--dry-run"]), 2, &["program"]);
    refused(&line(&["--input", "minutes.txt", "--merge-program", "nowhere.jq", "--dry-run"]), 2, &["nowhere.jq"]);
    refused(&["extract", "agent.toml", "", "--input", "minutes.txt"], 2, &["error: "]);
    refused(&["extract", "actionitems", "List", "--input", "minutes.txt"], 2, &["actionitems", "hint: "]);
    refused(&["extract", "nowhere.toml", "List", "--input", "minutes.txt"], 2, &["nowhere.toml"]);
    refused(&["extract", "minutes.txt", "List", "--input", "minutes.txt"], 2, &["minutes.txt:1: "]);
}

#[test]
fn an_agent_that_needs_a_model_says_how_to_have_one() {
    refused(&["extract", "agent.toml", "List", "--input", "minutes.txt"], 2, &["lister", "--scribe openai", "hint: "]);
    let unknown =
        ["extract", "agent.toml", "List", "--input", "minutes.txt", "--scribe", "openai", "--model", "nobodys"];
    let ran = place().run_with([("OPENAI_API_KEY", "k")], unknown);
    ran.assert_exit(2).assert_stderr(&["nobodys", "--max-prompt-tokens"]);
    let keyless = ["extract", "agent.toml", "List", "--input", "minutes.txt", "--scribe", "openai"];
    let fake = FakeProvider::start(FakeOptions { key: Some("k".to_owned()), ..FakeOptions::default() });
    let url = fake.base_url();
    let ran = place().run_with([("OPENAI_API_KEY", ""), ("WAR_RIG_SCRIBE__BASE_URL", &url)], keyless);
    ran.assert_exit(12).assert_stderr(&["HTTP 401", "hint: ", "scribe.api_key_env"]);
}

#[test]
fn an_empty_input_is_said_and_nobody_is_asked() {
    for (name, bytes) in [("a.txt", ""), ("a.jsonl", ""), ("a.jsonl", "\n\n"), ("a.json", "[]"), ("a.csv", "")] {
        let agent = if name == "a.txt" { lister("") } else { counter("") };
        let case = Case::new(&agent, (name, bytes.as_bytes()), FakeOptions::default());
        let outcome = case.run_freely("");
        outcome.ended(2, &[name, "nothing in it"]);
        assert_eq!((outcome.calls.len(), outcome.ran.out.as_str()), (0, ""), "{name}");
    }
}

#[test]
fn a_prompt_that_does_not_fit_says_what_it_takes() {
    let case = Case::minutes(10, FakeOptions::default());
    let outcome = case.run_freely("--max-prompt-tokens 300");
    outcome.ended(2, &["leaves no room for an input", "hint: set scribe.max_prompt_tokens to "]);
    let least = outcome.ran.err.rsplit("max_prompt_tokens to ").next().unwrap();
    let least: u64 = least.split(' ').next().unwrap().parse().unwrap();
    case.run_freely(&format!("--max-prompt-tokens {}", least - 1)).ended(2, &[]);
    let fits = case.run(&format!("--max-prompt-tokens {least}"));
    fits.ended(0, &[]);
    assert_eq!(fits.ids(), all_of(10));
    let never = Case::minutes(1000, FakeOptions::default());
    never.run_freely("--paginate never").ended(2, &["does not fit into one prompt", "hint: "]);
    assert!(never.fake.log().calls.is_empty());
}

/// Runs a line of the shell's that ends in War Rig's own, with something on standard input.
fn piped(case: &Case, words: &[&str], input: &[u8]) -> CommandResult {
    let mut command = Command::new(binary());
    command.current_dir(case.place.path()).args(words).envs(case.variables());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
    let ran = CommandResult::from(child.wait_with_output().unwrap());
    writer.join().unwrap();
    ran
}

#[test]
fn standard_input_is_an_input() {
    let case = Case::minutes(1, FakeOptions::default());
    let words = ["extract", "agent.toml", "List", "--input", "-", "-o", "json", "--scribe", "openai"];
    let ran = piped(&case, &words, minutes(50).as_bytes());
    ran.assert_exit(0);
    assert_eq!(super::ids(&ran.json()["answer"]), all_of(50));
    let paper = test_pdf(TestPdfOptions { pages: 9, items: 12, ..TestPdfOptions::default() });
    let ran = piped(&case, &words, &paper.bytes);
    ran.assert_exit(0);
    assert_eq!(super::ids(&ran.json()["answer"]).len(), 12);
    assert!(ran.json()["provenance"][0]["origins"][0]["pages"].is_array());
    let ran = piped(&case, &words, b"");
    ran.assert_exit(2).assert_stderr(&["nothing in it"]);
    assert!(case.fake.log().violations.is_empty());
}

#[test]
fn bytes_that_are_no_text_are_not_guessed_at() {
    let bytes = [minutes(3).as_bytes(), &[0xff, 0xfe, 0xc3, 0x28, b'\n'], minutes(2).as_bytes()].concat();
    let case = Case::new(&lister(""), ("minutes.txt", &bytes), FakeOptions::default());
    let outcome = case.run_freely("");
    outcome.ended(3, &["minutes.txt", "line 4"]);
    assert_eq!(outcome.ran.out, "");
    let latin = "PBI-0001: der Zähler wurde zurückgesetzt.\n".chars().map(|c| c as u8).collect::<Vec<u8>>();
    let case = Case::new(&lister(""), ("minutes.txt", &latin), FakeOptions::default());
    case.run_freely("").ended(3, &["line 1", "--input-encoding"]);
    let read = case.run("--input-encoding windows-1252");
    read.ended(0, &[]);
    assert!(read.ran.out.contains("der Zähler wurde zurückgesetzt"), "{}", read.ran.out);
    // A PDF that is none is said as well.
    let case = Case::new(&lister(""), ("notes.pdf", b"%PDF-1.7 and nothing more"), FakeOptions::default());
    let outcome = case.run_freely("");
    assert!(matches!(outcome.ran.code, Some(2 | 3)), "{}", outcome.ran.err);
    outcome.ran.assert_stderr(&["notes.pdf"]);
    assert!(outcome.calls.is_empty());
}

#[test]
fn an_answer_comes_as_text_and_as_lines() {
    let case = Case::minutes(40, FakeOptions::default());
    let text = case.run_freely("-o text");
    text.ended(0, &[]);
    assert!(text.ran.out.contains("PBI-0040") && text.ran.out.contains("line 40"), "{}", text.ran.out);
    let lines = case.run_freely("-o ndjson");
    lines.ended(0, &[]);
    assert_eq!(lines.calls.len(), 0);
    let rows: Vec<serde_json::Value> = lines.ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let items = rows.iter().filter(|row| row["field"] == "items").count();
    assert_eq!((items, rows.len()), (40, 41));
    assert_eq!(rows[39]["origins"][0]["lines"], serde_json::json!([40, 40]));
}

#[test]
fn progress_tells_of_each_part_and_of_the_end() {
    let case = Case::minutes(100, FakeOptions::default());
    let outcome = case.run("--progress json");
    outcome.ended(0, &[]);
    let events: Vec<serde_json::Value> =
        outcome.ran.err.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let answered = events.iter().filter(|event| event["event"] == "answered").count();
    assert_eq!(answered, outcome.calls.len());
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["exit"], &last["calls"]), (&"ended".into(), &0.into(), &answered.into()));
}
