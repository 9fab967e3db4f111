//! The table of bad input: every row with its exit code, its message, and what is left on disk.

use serde_json::Value;
use std::path::Path;
use war_rig_tests::{CommandResult, Sandbox, files_below, json_file};

/// A small program in fixed format.
fn program(name: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n       0000-MAIN.\n           DISPLAY '{name}'.\n           GOBACK.\n"
    )
}

/// Runs `document src -o out` with more arguments.
fn document(place: &Sandbox, more: &[&str]) -> CommandResult {
    place.run(["document", "src", "-o", "out"].iter().chain(more))
}

/// Asserts that the run was refused with these words and nothing was done.
#[track_caller]
fn check_refused(place: &Sandbox, ran: &CommandResult, words: &[&str]) {
    ran.assert_exit(2).assert_stderr(&["error: "]).assert_stderr(words);
    assert_eq!(ran.out, "");
    assert!(!place.path().join("out").exists(), "something was written");
}

/// Asserts that a document of this name is complete.
#[track_caller]
fn check_complete(place: &Sandbox, name: &str) {
    assert_eq!(written(place, name)["header"]["status"], "complete", "{name}");
}

fn written(place: &Sandbox, name: &str) -> Value {
    json_file(&place.path().join(format!("out/{name}.json")))
}

/// The totals of the run that are asked for.
#[track_caller]
fn check_run(place: &Sandbox, totals: &[(&str, u64)]) {
    let run = json_file(&place.path().join("out/run.json"));
    for (name, total) in totals {
        assert_eq!(run[name], *total, "{name}: {run}");
    }
}

#[test]
fn a_path_that_does_not_exist_is_refused() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    let ran = place.run(["document", "src", "no/such.cbl", "-o", "out"]);
    check_refused(&place, &ran, &["`no/such.cbl`"]);
}

#[test]
fn a_folder_without_cobol_is_refused() {
    let place = Sandbox::new();
    place.write("src/notes.txt", "Nothing here.\n");
    check_refused(&place, &document(&place, &[]), &["no COBOL source was found in `src`", "hint: "]);
}

#[test]
fn no_file_that_matches_only_is_refused() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    check_refused(&place, &document(&place, &["--only", "B*"]), &["--only", "`src`"]);
}

#[test]
fn settings_that_cannot_be_used_are_refused_with_file_and_line() {
    for (settings, words) in [
        ("[scribe]\nmodell = \"x\"\n", ["war_rig.toml:2: unknown key `modell`", "`model`"]),
        ("[source]\nencoding = \"auto\"\ncopybook = []\n", ["war_rig.toml:3: unknown key `copybook`", "`copybooks`"]),
        ("[scribe]\n\nprovider = \"statik\"\n", ["war_rig.toml:3: ", "`statik`"]),
        ("[source]\nformat = \"punched\"\n", ["war_rig.toml:2: ", "`punched`"]),
        ("[source]\nencoding = \"baudot\"\n", ["war_rig.toml:2: ", "`baudot`"]),
        ("[scribe]\nmax_prompt_tokens = -1\n", ["war_rig.toml:2: ", "max_prompt_tokens"]),
        ("[scribe\n", ["war_rig.toml:1: ", ""]),
    ] {
        let place = Sandbox::new();
        place.write("src/A.cbl", program("A"));
        place.write("war_rig.toml", settings);
        check_refused(&place, &document(&place, &[]), &words);
    }
}

#[test]
fn a_budget_below_the_minimum_is_refused_and_the_minimum_it_names_is_taken() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    let ran = document(&place, &["--max-prompt-tokens", "100"]);
    check_refused(&place, &ran, &["`100`", "minimum of ", "hint: "]);
    let minimum: u64 = {
        let (_, rest) = ran.err.split_once("minimum of ").unwrap();
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    let below = (minimum - 1).to_string();
    check_refused(&place, &document(&place, &["--max-prompt-tokens", &below]), &[&minimum.to_string()]);
    document(&place, &["--max-prompt-tokens", &minimum.to_string()]).assert_exit(0);
    check_complete(&place, "A.cbl");
}

#[test]
fn arguments_that_are_unknown_or_missing_are_refused() {
    for (more, word) in [
        (&["--no-such-option"][..], "--no-such-option"),
        (&["--scribe", "homer"], "homer"),
        (&["--source-format", "punched"], "punched"),
        (&["--source-encoding", "baudot"], "baudot"),
        (&["--jobs", "0"], "--jobs"),
        (&["--copybooks", "nowhere"], "nowhere"),
    ] {
        let place = Sandbox::new();
        place.write("src/A.cbl", program("A"));
        check_refused(&place, &document(&place, more), &[word]);
    }
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    check_refused(&place, &place.run(["document", "src"]), &["--output"]);
}

#[test]
fn text_that_cannot_be_decoded_as_told_fails_alone() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    place.write("src/C.cbl", program("C"));
    let latin: Vec<u8> = program("B").chars().map(|c| if c == '\'' { 0xE4 } else { c as u8 }).collect();
    place.write("src/B.cbl", latin);
    document(&place, &["--source-encoding", "utf-8"])
        .assert_exit(3)
        .assert_stderr(&["B.cbl", "line 5", "0xE4", "utf-8"]);
    check_run(&place, &[("files", 3), ("documented", 2), ("failed", 1)]);
    check_complete(&place, "A.cbl");
    check_complete(&place, "C.cbl");
    assert!(!place.path().join("out/B.cbl.json").exists() && !place.path().join("out/B.cbl.md").exists());
}

/// The memory of a process is a file that everybody may open and nobody can read from its beginning.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_fails_alone() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    place
        .run(["document", "src", "/proc/self/mem", "-o", "out"])
        .assert_exit(3)
        .assert_stderr(&["proc/self/mem", "cannot be read"]);
    check_run(&place, &[("files", 2), ("documented", 1), ("failed", 1)]);
    let documents = files_below(&place.path().join("out"));
    assert!(documents.keys().any(|name| name.ends_with("/A.cbl.json")), "{:?}", documents.keys());
}

#[test]
fn a_folder_with_a_cobol_name_is_no_file() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    place.write("src/B.cbl/C.cbl", program("C"));
    document(&place, &[]).assert_exit(0);
    check_run(&place, &[("files", 2), ("documented", 2)]);
    check_complete(&place, "B.cbl/C.cbl");
}

#[test]
fn a_free_line_over_the_budget_fails_alone_and_the_document_names_it() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    let literal = "a word and 1 more, ".repeat(100_000 / 19 + 1);
    let long = format!(
        "identification division.\nprogram-id. longline.\nprocedure division.\nmain-line.\n    display 'before'.\n    display '{literal}'.\n    goback.\n"
    );
    place.write("src/LONG.cbl", long);
    document(&place, &["--source-format", "free", "--only", "LONG.cbl"])
        .assert_exit(3)
        .assert_stderr(&["LONG.cbl", "line 6: "]);
    let partial = written(&place, "LONG.cbl");
    assert_eq!(partial["header"]["status"], "partial");
    let coverage = &partial["coverage"];
    assert_eq!([&coverage["lines"], &coverage["documented"], &coverage["failed"]], [7, 6, 1]);
    let failed: Vec<_> =
        partial["chunks"].as_array().unwrap().iter().filter(|chunk| chunk["status"] == "failed").collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!([&failed[0]["start_line"], &failed[0]["end_line"]], [6, 6]);

    document(&place, &[]).assert_exit(3).assert_stderr(&["LONG.cbl"]);
    check_run(&place, &[("files", 2), ("documented", 1), ("partial", 1), ("failed", 0), ("prompts_over_budget", 0)]);
    check_complete(&place, "A.cbl");
}

#[test]
fn foreign_files_with_a_cobol_name_are_skipped_with_the_reason() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    elf.extend((0..2000u32).map(|n| (n * 7 % 256) as u8));
    place.write("src/B.cbl", elf);
    let readme = "# Our tools\n\nThese are the scripts that we use every day. See the wiki for more.\n\n* build them with make\n* ask Ann\n";
    place.write("src/C.cbl", readme);
    place.write("src/D.cbl", "");
    for (more, code) in [(&[][..], 0), (&["--strict"], 3)] {
        document(&place, more).assert_exit(code).assert_stderr(&[
            "B.cbl: skipped: not a COBOL source: an ELF executable",
            "C.cbl: skipped: not a COBOL source: ",
            "D.cbl: skipped: not a COBOL source: the file is empty",
        ]);
        check_run(&place, &[("files", 4), ("documented", 1), ("skipped", 3), ("failed", 0)]);
        check_complete(&place, "A.cbl");
        let names: Vec<String> = files_below(&place.path().join("out")).into_keys().collect();
        assert_eq!(
            names,
            [
                "A.cbl.json", "A.cbl.md", "entry-points.md", "estate.json", "functions.md", "functions/a.md",
                "index.md", "run.json", "sources.md"
            ]
        );
    }
}

#[test]
fn an_output_folder_that_is_a_file_is_a_storage_failure_and_the_file_is_left_alone() {
    let place = Sandbox::new();
    place.write("src/A.cbl", program("A"));
    let file = place.write("out", "mine\n");
    document(&place, &[])
        .assert_exit(15)
        .assert_stderr(&["error: cannot write `out`: it is a file, not a folder", "hint: "]);
    assert_eq!(std::fs::read(file).unwrap(), b"mine\n");
}

#[test]
fn after_a_failure_that_ends_the_run_no_further_file_is_begun() {
    let place = Sandbox::new();
    // The longest is worked on first.
    let long = [&b"       IDENTIFICATION DIVISION.\n      *\xE4\n"[..], &b"      *\n".repeat(1000)].concat();
    place.write("src/A.cbl", long);
    place.write("src/B.cbl", program("B"));
    document(&place, &["--source-encoding", "utf-8", "--fail-fast", "--jobs", "1"])
        .assert_exit(3)
        .assert_stderr(&["A.cbl", "B.cbl: not begun"]);
    assert!(!place.path().join("out/B.cbl.json").exists());
}

#[test]
fn a_line_over_the_limit_of_chunk_is_an_error_that_names_it() {
    let place = Sandbox::new();
    let long = format!("identification division.\nprogram-id. a.\n*> {}\n", "word 12 ".repeat(600));
    let path = place.write("LONG.cbl", long);
    let check = |limit: u32, code: i32| {
        let line = format!("chunk {{}} --max-tokens {limit} --source-format free --format json");
        place.line(&line, Path::new(&path)).assert_exit(code).out.is_empty()
    };
    assert!(check(500, 3));
    assert!(!check(8000, 0));
    place
        .line("chunk {} --max-tokens 500 --source-format free", &path)
        .assert_stderr(&["LONG.cbl: line 3: ", "hint: "]);
}
