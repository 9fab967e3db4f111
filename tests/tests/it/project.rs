//! What the project says of itself, held against what it is.

use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use war_rig_tests::{Sandbox, project};

/// The most lines of a source file.
const LONGEST_FILE: usize = 800;

fn read(name: &str) -> String {
    fs::read_to_string(project().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The cells of the rows below a Markdown table's header.
#[track_caller]
fn table(text: &str, header: &str) -> Vec<Vec<String>> {
    let rows = text.lines().map(str::trim).skip_while(|line| *line != header).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|')).skip(1);
    let cells = |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "no table `{header}`");
    rows
}

/// The crates by folder, each with the folders of the crates that it depends on.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(project()).args(["metadata", "--format-version", "1", "--no-deps"]);
    let metadata: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let folder = |package: &Value| {
        let manifest = package["manifest_path"].as_str().unwrap().replace('\\', "/");
        let (_, below) = manifest.rsplit_once("/crates/")?;
        below.strip_suffix("/Cargo.toml").map(str::to_owned)
    };
    let names: BTreeMap<&str, String> =
        packages.iter().filter_map(|package| Some((package["name"].as_str().unwrap(), folder(package)?))).collect();
    let arrows_of = |package: &Value| {
        let normal = package["dependencies"].as_array().unwrap().iter().filter(|arrow| arrow["kind"].is_null());
        normal.filter_map(|arrow| names.get(arrow["name"].as_str().unwrap()).cloned()).collect()
    };
    packages.iter().filter_map(|package| Some((folder(package)?, arrows_of(package)))).collect()
}

#[test]
fn the_crates_know_of_each_other_what_the_architecture_says() {
    let arrows = arrows();
    let folders: BTreeSet<String> = fs::read_dir(project().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert_eq!(arrows.keys().cloned().collect::<BTreeSet<_>>(), folders);
    let rows = table(&read("ARCHITECTURE.md"), "| crate | is | knows of |");
    let plain = |cell: &str| cell.replace('`', "");
    let names: Vec<String> = rows.iter().map(|row| plain(&row[0])).collect();
    assert_eq!(names.iter().cloned().collect::<BTreeSet<_>>(), folders);
    assert_eq!(names.len(), folders.len(), "a crate has two rows");
    for row in &rows {
        let said: BTreeSet<String> = match plain(&row[2]).as_str() {
            "all" => continue,
            "nothing" => BTreeSet::new(),
            list => list.split(',').map(|name| name.trim().to_owned()).collect(),
        };
        assert_eq!(said, arrows[&plain(&row[0])], "{}", row[0]);
    }
}

#[test]
fn no_source_file_is_longer_than_800_lines() {
    let mut seen = 0;
    for (name, bytes) in war_rig_tests::files_below(&project().join("crates")) {
        if name.split('/').nth(1) == Some("src") && name.ends_with(".rs") {
            seen += 1;
            let lines = bytes.split(|byte| *byte == b'\n').count();
            assert!(lines <= LONGEST_FILE + 1, "crates/{name} has {lines} lines");
        }
    }
    assert!(seen > 10, "{seen} files");
}

/// A token is reached through `Tokens`, which has an answer for every place; an index has none behind the end.
#[test]
fn no_token_of_the_parser_is_reached_by_an_index() {
    let index = Regex::new(r"\b(?:tokens|operands|query)\[|&(?:'\w+ )?\[(?:\w+::)*(?:Raw|Sql)?Token\b").unwrap();
    let mut seen = 0;
    let of_cobol = war_rig_tests::files_below(&project().join("crates/cobol/src"));
    for (name, bytes) in of_cobol.into_iter().chain(war_rig_tests::files_below(&project().join("crates/secrets/src"))) {
        let text = String::from_utf8(bytes).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        if name.ends_with(".rs") && name != "tokens.rs" && !name.ends_with("tests.rs") {
            seen += 1;
            for (number, line) in (1..).zip(code.lines()) {
                assert!(!index.is_match(line), "{name}:{number}: {}", line.trim());
            }
        }
    }
    assert!(seen > 50, "{seen} files");
}

#[test]
fn the_readme_has_the_exit_codes_of_the_help() {
    let help = Sandbox::new().run(["--help"]).assert_exit(0).out.clone();
    let (_, listed) = help.split_once("Exit codes:\n").unwrap();
    let row = Regex::new(r"^ +(\d+) +(\S.*)$").unwrap();
    let told: Vec<Vec<String>> = listed
        .lines()
        .map_while(|line| row.captures(line))
        .map(|row| vec![row[1].to_owned(), row[2].trim().to_owned()])
        .collect();
    assert!(told.len() >= 13, "{help}");
    let written = table(&read("README.md"), "| code | meaning |");
    let written: Vec<Vec<String>> =
        written.iter().map(|row| row.iter().map(|cell| cell.replace('`', "")).collect()).collect();
    let plain: Vec<Vec<String>> =
        told.iter().map(|row| row.iter().map(|cell| cell.replace('`', "")).collect()).collect();
    assert_eq!(written, plain);
}

#[test]
fn the_readme_names_the_two_main_commands() {
    let readme = read("README.md");
    for command in ["cargo run --release -- document fixtures/estate -o target/docs", "scripts/test"] {
        assert!(readme.contains(command), "`{command}` is missing");
    }
}
