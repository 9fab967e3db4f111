//! Programs of the user's, each in a process of its own, and what becomes of those that take too much.

#[path = "../../src/merge_program.rs"]
mod subject;

use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use subject::{MEMORY_LIMIT, MergeProgram, OUTPUT_LIMIT, TIME_LIMIT};
use war_rig_paginate::CustomMerge;

/// A program with time enough for any machine.
fn program(text: &str) -> MergeProgram {
    let program = MergeProgram::new(PathBuf::from(env!("CARGO_BIN_EXE_war-rig")), text.to_owned());
    assert_eq!((program.time, program.memory, program.output), (TIME_LIMIT, MEMORY_LIMIT, OUTPUT_LIMIT));
    MergeProgram { time: Duration::from_secs(100), ..program }
}

fn check(text: &str, answers: &[Value], expected: Result<Value, &str>) {
    assert_eq!(program(text).merge(answers), expected.map_err(str::to_owned), "{text}");
}

#[test]
fn a_program_makes_one_answer_in_a_process_of_its_own() {
    let answers = [json!({"items": [1], "n": u64::MAX}), json!({"items": ["é"], "n": 0.1})];
    check("{items: map(.items) | add, n: map(.n)}", &answers, Ok(json!({"items": [1, "é"], "n": [u64::MAX, 0.1]})));
    check("null", &[], Ok(Value::Null));
    check("error(\"no id\")", &answers, Err("no id"));
    check("map(", &answers, Err("line 1, column 5: expected closing parenthesis, found nothing more"));
}

#[test]
fn answers_of_any_size_pass() {
    let answers: Vec<Value> = (0..2_000).map(|number| json!({"text": "x".repeat(1_000), "number": number})).collect();
    assert_eq!(program(".").merge(&answers), Ok(Value::Array(answers.clone())));
    // One that does not wait for its end cannot block the other.
    check("{", &answers, Err("line 1, column 2: expected closing brace, found nothing more"));
}

#[test]
fn a_program_without_an_end_is_ended() {
    for text in ["def f: f; f", "last(range(0; infinite))", "[limit(1; repeat(empty))]"] {
        let limited = MergeProgram { time: Duration::from_millis(300), ..program(text) };
        assert_eq!(limited.merge(&[]), Err("takes longer than 0.3 s".to_owned()), "{text}");
    }
}

#[test]
#[cfg(unix)]
fn the_memory_of_a_program_is_bounded() {
    for text in ["[range(0; infinite)]", "reduce range(0; infinite) as $i (\"x\"; . + .)", "def f: 1 + f; f"] {
        let limited = MergeProgram { memory: 512 * 1024 * 1024, ..program(text) };
        assert_eq!(
            limited.merge(&[]),
            Err("takes more than 512 MB of memory, or calls itself too deeply".to_owned()),
            "{text}"
        );
    }
}

#[test]
fn the_answer_of_a_program_is_bounded() {
    let sized = |length: usize| {
        let limited = MergeProgram { output: 1_000, ..program(".[0] * \"x\"") };
        limited.merge(&[json!(length)])
    };
    assert_eq!(sized(998), Ok(json!("x".repeat(998))));
    assert_eq!(sized(999), Err("gives more than 1000 bytes".to_owned()));
    assert_eq!(sized(5_000_000), Err("gives more than 1000 bytes".to_owned()));
}

#[test]
fn a_program_sees_no_environment() {
    // Cargo gives tests variables of its own, so there is something to be seen.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    for text in ["env", "$ENV", "env.CARGO_MANIFEST_DIR", "$ENV.CARGO_MANIFEST_DIR"] {
        let refused = program(text).merge(&[]).unwrap_err();
        assert!(refused.starts_with("line 1, column 1: there is no "), "{text}: {refused}");
    }
}

#[test]
fn a_binary_that_is_gone_is_told() {
    let gone = MergeProgram { executable: PathBuf::from("/no/such/binary"), ..program(".") };
    assert!(gone.merge(&[]).unwrap_err().starts_with("cannot be started: "));
}

/// An agent that finds ids by their look, so that no model is needed, and merges by a program.
fn extract(program: &str) -> crate::Ran {
    let world = crate::World::new();
    let agent = format!(
        r#"
name = "ids"
description = "Ids"
system = "Find ids."
[pagination]
paginate = "always"
merge = "custom"
program = '{program}'
[schema]
type = "object"
required = ["ids"]
[schema.properties.ids]
type = "array"
items = {{ type = "string" }}
x-pattern = 'PBI-\d+'
"#
    );
    std::fs::write(world.path().join("ids.toml"), agent).unwrap();
    std::fs::write(world.path().join("notes.jsonl"), "{\"a\": \"PBI-2\"}\n{\"a\": \"PBI-1\"}\n{\"a\": \"PBI-2\"}\n")
        .unwrap();
    world.run("extract ids.toml Find --input notes.jsonl --chunk-size 1 -o json")
}

#[test]
fn an_extraction_is_merged_by_its_program() {
    let ran = extract("{ids: map(.ids) | add | unique}");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let outcome: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(outcome["answer"], json!({"ids": ["PBI-1", "PBI-2"]}));
    let ran = extract("{ids: map(.ids");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    let told = "ids.toml: the merge program cannot be read: line 1, column 15: expected closing";
    assert!(ran.err.contains(told), "{}", ran.err);
    let ran = extract("error(\"two of PBI-2\")");
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("ids.toml: the merge program: two of PBI-2"), "{}", ran.err);
    // All parts were answered, by nobody who is paid, and there is no answer all the same.
    assert!(ran.err.contains("no answer; 3 of 3 parts answered\n"), "{}", ran.err);
}

#[test]
fn nobody_is_shown_the_command() {
    let world = crate::World::new();
    for line in
        ["--help", "-h", "completions bash", "completions zsh", "completions fish", "completions powershell", "man"]
    {
        let ran = world.run(line);
        assert_eq!(ran.code, Some(0), "{line}");
        // `extract` has an option of that name.
        let text = ran.out.replace('\\', "").replace("--merge-program", "").replace("-l merge-program", "");
        let is_shown = text.contains("merge-program") || text.contains("merge__program");
        assert!(text.contains("completions") && !is_shown, "{line}");
    }
}
