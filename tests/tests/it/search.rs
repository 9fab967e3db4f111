//! What is documented is found: rows of every kind, in every form, all at once and page by page.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use war_rig_tests::{CommandResult, Sandbox, binary, files_below, fixtures, project};

/// The kinds, as the help lists them, and how many rows the fixtures have at least.
const KINDS: [(&str, usize); 13] = [
    ("programs", 15),
    ("paragraphs", 100),
    ("rules", 50),
    ("data-items", 500),
    ("files", 20),
    ("tables", 5),
    ("maps", 2),
    ("copybooks", 20),
    ("calls", 10),
    ("jobs", 10),
    ("questions", 0),
    ("conflicts", 0),
    ("tickets", 70),
];

fn place() -> Sandbox {
    Sandbox::in_memory()
}

/// A folder in which the fixtures were documented, as far as a search needs it.
pub(crate) fn estate() -> Sandbox {
    static STATE: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let state = STATE.get_or_init(|| {
        let place = place();
        place.line("document {} -o docs", &fixtures()).assert_exit(0);
        files_below(&place.path().join(".war_rig"))
    });
    let place = place();
    for (name, bytes) in state {
        place.write(&format!(".war_rig/{name}"), bytes);
    }
    place
}

pub(crate) fn run(place: &Sandbox, line: &str) -> CommandResult {
    place.run(line.split_whitespace())
}

pub(crate) fn rows(ndjson: &str) -> Vec<Value> {
    ndjson.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The state file that standard error names.
fn state_of(ran: &CommandResult) -> Option<String> {
    let line = ran.err.lines().find(|line| line.starts_with("More results ("))?;
    Some(line.split_once(" Continue: --state=").unwrap().1.to_owned())
}

pub(crate) fn state_files(place: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let folder = place.path().join(".war_rig/state");
    if folder.is_dir() { files_below(&folder) } else { BTreeMap::new() }
}

#[test]
fn every_kind_answers_and_its_forms_agree() {
    let place = estate();
    for (kind, least) in KINDS {
        let all = run(&place, &format!("search {kind} --all -o ndjson"));
        let found = rows(&all.assert_exit(0).out);
        assert!(found.len() >= least, "{kind}: {} rows", found.len());
        assert_eq!(all.err.lines().last(), Some(format!("Complete ({} results).", found.len()).as_str()));

        let array = run(&place, &format!("search {kind} --all -o json"));
        assert_eq!(array.assert_exit(0).json(), Value::from(found.clone()), "{kind}");
        assert!(array.out.ends_with("]\n"), "{kind}");
        let count = run(&place, &format!("count {kind}"));
        assert_eq!(count.assert_exit(0).out, format!("{}\n", found.len()), "{kind}");
        let count = run(&place, &format!("count {kind} -o json")).assert_exit(0).json();
        assert_eq!(count["count"], json!(found.len()), "{kind}");
        assert_eq!(count.get("stateFile").is_some(), found.len() > 2000, "{kind}");

        let Some(first) = found.first() else { continue };
        let names: Vec<&String> = first.as_object().unwrap().keys().collect();
        let fields = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(",");
        let text = run(&place, &format!("search {kind} --all --fields {fields}"));
        let lines: Vec<&str> = text.assert_exit(0).out.lines().collect();
        assert_eq!(lines.len(), found.len() + 1, "{kind}");
        assert_eq!(lines[0], fields.replace(',', "\t"), "{kind}");
        for (line, row) in lines[1..].iter().zip(&found) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), names.len(), "{kind}: {line}");
            for (cell, name) in cells.iter().zip(&names) {
                assert_eq!(*cell, cell_of(&row[name.as_str()]), "{kind}.{name}");
            }
        }
    }
}

/// What a value is in a column.
fn cell_of(value: &Value) -> String {
    let line = |text: &str| text.replace(['\n', '\t', '\r'], " ");
    match value {
        Value::Null => String::new(),
        Value::String(text) => line(text),
        Value::Array(list) => list.iter().map(|text| line(text.as_str().unwrap())).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[test]
fn fields_order_and_part_are_as_asked_for() {
    let place = estate();
    let search = |line: &str| rows(&run(&place, &format!("search paragraphs -o ndjson {line}")).assert_exit(0).out);
    let all = search("--all --fields line,name");
    let keys = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&all[0]), ["line", "name"]);
    assert_eq!(search("--fields line,name"), all[..100]);
    assert_eq!(search("--fields line,name --limit 7 --offset 12"), all[12..19]);
    assert_eq!(search("--fields line,name --all --offset 12"), all[12..]);
    assert_eq!(search("--all --fields line,name --sort place"), all);
    let names = |line: &str| {
        let found = search(&format!("--all --fields name {line}"));
        found.iter().map(|row| row["name"].as_str().unwrap().to_ascii_lowercase()).collect::<Vec<_>>()
    };
    let mut sorted = names("");
    sorted.sort();
    assert_eq!(names("--sort name"), sorted);
    sorted.reverse();
    assert_eq!(names("--sort -name"), sorted);
    let past = run(&place, &format!("search paragraphs --offset {}", all.len()));
    assert_eq!(
        (past.assert_exit(0).out.as_str(), past.err.as_str()),
        ("", format!("Complete ({} results).\n", all.len()).as_str())
    );
}

#[test]
fn a_filter_takes_what_it_holds_for() {
    let place = estate();
    let all = rows(&run(&place, "search data-items --all -o ndjson").assert_exit(0).out);
    let packed = |row: &&Value| row["usage"] == "COMP-3";
    let expected: Vec<Value> = all.iter().filter(packed).cloned().collect();
    assert!(expected.len() > 5 && expected.len() < all.len());
    let ran = place.run(["search", "data-items", "--all", "-o", "ndjson", "--filter", "usage = 'comp-3'"]);
    assert_eq!(rows(&ran.assert_exit(0).out), expected);
    let ran = place.run(["count", "data-items", "--filter", "usage = 'comp-3'", "-o", "ndjson"]);
    assert_eq!(ran.assert_exit(0).json()["count"], json!(expected.len()));
}

#[test]
fn words_bring_a_piece_of_the_row_with_its_place() {
    let place = estate();
    let found = rows(&run(&place, "search paragraphs claim -o ndjson --fields name,file,line").assert_exit(0).out);
    assert!(found.len() > 3, "{found:?}");
    for row in &found {
        let snippet = &row["snippet"];
        assert_eq!((&snippet["file"], &snippet["line"]), (&row["file"], &row["line"]));
        assert!(snippet["text"].as_str().unwrap().to_lowercase().contains("claim"), "{row}");
    }
    let one = place.run(["search", "rules", "claim amount", "--all", "-o", "ndjson"]);
    let several = run(&place, "search rules claim amount --all -o ndjson");
    assert_eq!(one.assert_exit(0).out, several.assert_exit(0).out);

    let text = run(&place, "search paragraphs claim --fields name");
    let mut lines = text.assert_exit(0).out.lines();
    assert_eq!(lines.next(), Some("name\tsnippet"));
    let (name, snippet) = lines.next().unwrap().split_once('\t').unwrap();
    let first = &found[0];
    assert_eq!(name, first["name"].as_str().unwrap());
    let piece = first["snippet"]["text"].as_str().unwrap();
    let place_of = format!("{}:{}", first["file"].as_str().unwrap(), first["line"]);
    assert_eq!(snippet, format!("{place_of}: {piece}"));
}

#[test]
fn a_walk_prints_every_row_once_whatever_the_size_of_its_pages() {
    let place = estate();
    let query = "search paragraphs --fields name,file,line -o ndjson";
    let all = run(&place, &format!("{query} --all")).out;
    let total = all.lines().count();
    let mut ran = run(&place, &format!("{query} --limit 7"));
    let (mut printed, mut sizes) = (ran.assert_exit(0).out.clone(), [1, 60, 3, 250, 17].into_iter().cycle());
    while let Some(state) = state_of(&ran) {
        let told = format!("More results ({} of {total}). Continue: --state={state}\n", printed.lines().count());
        assert_eq!(ran.err, told);
        assert!(state.starts_with(".war_rig/state/") && state.contains("-paragraphs-"), "{state}");
        ran = run(&place, &format!("{query} --limit {} --state={state}", sizes.next().unwrap()));
        printed.push_str(&ran.assert_exit(0).out);
    }
    assert_eq!(ran.err, format!("Complete ({total} results).\n"));
    assert_eq!(printed, all);

    let state = state_files(&place).into_keys().next().unwrap();
    assert_eq!(state_files(&place).len(), 1);
    let again = run(&place, &format!("{query} --state=.war_rig/state/{state}"));
    assert_eq!((again.assert_exit(0).out.as_str(), again.err.clone()), ("", format!("Complete ({total} results).\n")));
    let again =
        run(&place, &format!("search paragraphs --fields name,file,line --state=.war_rig/state/{state} -o json"));
    assert_eq!(again.assert_exit(0).out, "[]\n");
}

#[test]
fn a_state_file_that_is_made_first_belongs_to_the_first_query() {
    let place = estate();
    let made = run(&place, "search --init");
    let state = made.assert_exit(0).out.trim_end().to_owned();
    assert!(state.contains("-virgin-"), "{state}");
    let virgin: Value = serde_json::from_slice(&fs::read(place.path().join(&state)).unwrap()).unwrap();
    assert_eq!((&virgin["source"], &virgin["offset"], &virgin["total"]), (&Value::Null, &json!(0), &Value::Null));
    let first = run(&place, &format!("search programs --limit 3 --state={state} -o ndjson"));
    assert_eq!(first.assert_exit(0).out.lines().count(), 3);
    assert_eq!(state_of(&first).as_deref(), Some(state.as_str()));
    for other in
        ["search rules", "search programs claim", "search programs --sort name", "search programs --fields name"]
    {
        run(&place, &format!("{other} --state={state}"))
            .assert_exit(2)
            .assert_stderr(&["belongs to another query", "hint: "]);
    }
    let quiet = run(&place, &format!("search programs --limit 2 --state={state} --offset 1 --quiet -o json"));
    assert_eq!(quiet.assert_exit(0).json().as_array().unwrap().len(), 2);
    quiet.assert_stderr(&["More results (5 of "]);
    let closed = run(&place, &format!("search --close {state}"));
    assert_eq!((closed.assert_exit(0).out.as_str(), state_files(&place).len()), ("", 0));
    run(&place, &format!("search programs --state={state}"))
        .assert_exit(2)
        .assert_stderr(&["there is no such state file", "hint: "]);
    let made = run(&place, "search --init -o json").assert_exit(0).json();
    assert!(place.path().join(made["stateFile"].as_str().unwrap()).is_file(), "{made}");
}

#[test]
fn nothing_but_a_state_file_is_closed() {
    let place = estate();
    run(&place, "search --init").assert_exit(0);
    place.write("mine.json", "{}");
    place.write(".war_rig/state/notes.txt", "mine");
    for file in ["../../etc/passwd", "mine.json", ".war_rig/catalogue.db", ".war_rig/state/notes.txt", ".war_rig/state"]
    {
        let before = files_below(place.path());
        run(&place, &format!("search --close {file}")).assert_exit(2).assert_stderr(&["error: ", "hint: "]);
        assert!(files_below(place.path()) == before, "{file}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_advice() {
    let place = estate();
    for (line, says) in [
        ("search", "KIND is missing"),
        ("search --state x", "KIND is missing"),
        ("search rulez", "'rules'"),
        ("search rules --limit 0", "--limit"),
        ("search rules --all --limit 3", "`--all` and `--limit`"),
        ("search rules --fields name,progam", "did you mean `program`?"),
        ("search rules --fields name,name", "`name` is asked for twice"),
        ("search rules --sort progam", "did you mean `program`?"),
        ("search rules --sort conditions", "holds lists"),
        ("search rules --docs nowhere", "it knows those in `docs`"),
        ("search rules *", "TEXT: "),
        ("search rules *STATUS", "TEXT: a star ends a word"),
        ("search rules P*R", "hint: write `P*` for all that begins so"),
        ("search rules --sort=-place", "hint: write `--sort place`"),
        ("search --close gone.json", "hint: there is nothing to remove"),
        ("search rules --filter progam=1", "`--filter`: column 1: "),
        ("count", "KIND"),
        ("count rules --filter line", "`--filter`: column 5: "),
    ] {
        let ran = run(&place, line);
        ran.assert_exit(2).assert_stderr(&[says]);
        assert_eq!(ran.out, "", "{line}");
    }
    let ran = place.run(["search", "rules", "--filter", "line = 1 and progam = 'X'"]);
    ran.assert_exit(2).assert_stderr(&["  | line = 1 and progam = 'X'\n  |              ^\nhint: "]);
    assert_eq!(state_files(&place).len(), 0);
}

#[test]
fn a_catalogue_that_is_missing_or_damaged_is_told() {
    let place = place();
    run(&place, "search rules").assert_exit(10).assert_stderr(&["war-rig document", "index"]);
    run(&place, "count tickets").assert_exit(10).assert_stderr(&["hint: "]);
    place.write(".war_rig/catalogue.db", "my own notes");
    run(&place, "search rules").assert_exit(10).assert_stderr(&["catalogue.db", "hint: "]);
    assert_eq!(fs::read(place.path().join(".war_rig/catalogue.db")).unwrap(), b"my own notes");
}

#[test]
fn where_nothing_is_found_a_hint_says_what_there_would_be() {
    let place = estate();
    let ran = run(&place, "search paragraphs 0000-");
    assert_eq!(ran.assert_exit(0).out, "");
    ran.assert_stderr(&["Complete (0 results).", "`0000-*`"]);
    let ran = run(&place, "search paragraphs nothing-is-called-so");
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "Complete (0 results).\n"));
    assert_eq!(run(&place, "search paragraphs 0000- --quiet").err, "Complete (0 results).\n");
}

#[test]
fn documents_of_one_folder_can_be_asked_for() {
    let place = estate();
    let all = run(&place, "search programs --all -o ndjson").out;
    for folder in ["docs", "./docs/"] {
        assert_eq!(run(&place, &format!("search programs --all -o ndjson --docs {folder}")).assert_exit(0).out, all);
    }
}

#[test]
fn the_help_of_a_kind_lists_its_fields() {
    let place = place();
    for (kind, _) in KINDS {
        for line in [format!("search {kind} --help"), format!("count {kind} -h")] {
            let help = run(&place, &line).assert_exit(0).out.clone();
            assert!(help.contains(&format!("Fields of {kind}")) && help.contains("Examples:"), "{line}");
            let is_of_rows = help.contains("Columns: ") && help.contains("Order: ");
            assert_eq!(is_of_rows, line.starts_with("search"), "{line}");
        }
    }
    let fields = |kind: &str| {
        let help = run(&place, &format!("search {kind} --help")).out;
        let listed = help
            .split_once("Fields of ")
            .unwrap()
            .1
            .lines()
            .skip(2)
            .map_while(|line| line.split_whitespace().next().map(str::to_owned));
        listed.collect::<Vec<_>>()
    };
    let estate = estate();
    let row = rows(&run(&estate, "search calls --limit 1 -o ndjson").out).remove(0);
    assert_eq!(fields("calls"), row.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
    let shown = run(&place, "search --help");
    let told = &shown.assert_exit(0).out;
    let kinds = told.lines().filter_map(|line| Some(line.trim_start().strip_prefix("- ")?.split_once(':')?.0));
    // Behind the kinds stand the values of options.
    let mut kinds: Vec<&str> = kinds.filter(|kind| !kind.contains(' ')).collect();
    kinds.truncate(kinds.iter().position(|kind| *kind == "tickets").map_or(0, |last| last + 1));
    assert!(KINDS.iter().all(|(kind, _)| kinds.contains(kind)), "{kinds:?}");
    let help = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = fs::read_to_string(project().join("docs/search.md")).unwrap();
    for kind in kinds {
        let row = page.lines().find_map(|line| line.strip_prefix(&format!("| `{kind}` | ")));
        let about = row.and_then(|row| row.strip_suffix(" |")).unwrap_or_else(|| panic!("docs/search.md: no {kind}"));
        assert!(help.contains(&format!("- {kind}: {about} ")), "docs/search.md: {kind}: {about}");
    }
    for shell in ["bash", "zsh"] {
        assert!(run(&place, &format!("completions {shell}")).out.contains("data-items"), "{shell}");
    }
}

/// A search whose standard output goes elsewhere.
fn search_to(place: &Sandbox, line: &str, out: Stdio) -> Command {
    let mut command = Command::new(binary());
    command.current_dir(place.path()).args(line.split_whitespace()).stdin(Stdio::null());
    command.stdout(out).stderr(Stdio::piped());
    command
}

#[test]
fn a_page_that_was_not_taken_comes_again() {
    let place = estate();
    let state = run(&place, "search --init").out.trim_end().to_owned();
    let line = format!("search paragraphs --limit 40 -o ndjson --state={state}");
    let before = state_files(&place);
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ran = search_to(&place, &line, full.into()).output().unwrap();
    assert_eq!(ran.status.code(), Some(15));
    assert!(state_files(&place) == before, "it moved though the disk was full");
    // A reader that takes what there is once and leaves, with a page that fits into one look and with one that does not.
    for limit in [2, 40, 400] {
        let line = format!("search paragraphs --limit {limit} -o ndjson --state={state}");
        let mut child = search_to(&place, &line, Stdio::piped()).spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        assert!(out.read(&mut [0; 4096]).unwrap() > 0);
        drop(out);
        assert_eq!(child.wait().unwrap().code(), Some(0), "{limit}");
        assert!(state_files(&place) == before, "it moved though the reader had left: {limit}");
    }
    let first = run(&place, &line);
    assert_eq!(first.assert_exit(0).out, run(&place, "search paragraphs --limit 40 -o ndjson --offset 0").out);
    assert!(state_files(&place) != before);
}

#[test]
fn no_state_file_is_made_for_a_reader_that_has_left() {
    let place = estate();
    let mut child = search_to(&place, "search paragraphs -o ndjson", Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    assert!(out.read(&mut [0; 1]).unwrap() > 0);
    drop(out);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), b"".as_slice()));
    assert_eq!(state_files(&place).len(), 0);
}

#[test]
fn a_search_goes_on_by_offset_where_no_state_file_can_be_made() {
    let place = estate();
    place.write(".war_rig/state", "in the way");
    let ran = run(&place, "search programs --limit 2 -o ndjson");
    assert_eq!(ran.assert_exit(0).out.lines().count(), 2);
    ran.assert_stderr(&["More results (2 of ", "Continue: --offset=2", "warning: no state file can be made"]);
    run(&place, "search --init").assert_exit(15).assert_stderr(&["hint: "]);
}

#[test]
fn what_is_counted_in_thousands_can_be_paged_through() {
    let place = place();
    let items = (1..=2100).map(|number| format!("       01 ITEM-{number:04} PIC X.\n")).collect::<String>();
    let source = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. MANY.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{items}       PROCEDURE DIVISION.\n       0000-MAIN.\n           GOBACK.\n"
    );
    place.write("src/MANY.cbl", source);
    run(&place, "document src -o docs").assert_exit(0);
    let ran = place.run(["count", "data-items", "--filter", "name contains 'ITEM-'"]);
    assert_eq!(ran.assert_exit(0).out, "2100\n");
    let command = ran.err.trim_end().strip_prefix("Page through them: war-rig ").unwrap().to_owned();
    assert!(command.starts_with("search data-items --filter 'name contains "), "{command}");
    let state = command.split_once("--state=").unwrap().1;
    let state = format!("--state={state}");
    let page = place.run([
        "search",
        "data-items",
        "--filter",
        "name contains 'ITEM-'",
        "-o",
        "ndjson",
        "--limit",
        "2000",
        &state,
    ]);
    assert_eq!(page.assert_exit(0).out.lines().count(), 2000);
    page.assert_stderr(&["More results (2000 of 2100)."]);
    let told = run(&place, "count data-items -o json").assert_exit(0).json();
    assert!(place.path().join(told["stateFile"].as_str().unwrap()).is_file(), "{told}");
    let told = run(&place, "count data-items ITEM-0001 -o json").assert_exit(0).out.clone();
    assert_eq!(told, "{\"count\":1}\n");
    place.run(["search", "data-items", &state]).assert_exit(2).assert_stderr(&["belongs to another query"]);
}

#[test]
fn a_catalogue_that_changes_between_pages_is_told_once() {
    let place = place();
    let program = |name: &str| {
        format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n       0000-MAIN.\n           GOBACK.\n"
        )
    };
    for name in ["B1", "B2", "B3", "B4"] {
        place.write(&format!("src/{name}.cbl"), program(name));
    }
    run(&place, "document src -o docs").assert_exit(0);
    let first = run(&place, "search programs --fields name -o ndjson --limit 2");
    let state = state_of(first.assert_exit(0)).unwrap();
    place.write("src/A1.cbl", program("A1"));
    place.write("src/C1.cbl", program("C1"));
    run(&place, "document src -o docs").assert_exit(0);
    let next = format!("search programs --fields name -o ndjson --limit 2 --state={state}");
    let second = run(&place, &next);
    second
        .assert_exit(0)
        .assert_stderr(&["The catalogue has changed since this walk began: ", "More results (4 of 6)."]);
    let third = run(&place, &next);
    assert_eq!(third.assert_exit(0).err, "Complete (6 results).\n");
    let names: Vec<Value> =
        [first, second, third].iter().flat_map(|ran| rows(&ran.out)).map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["B1", "B2", "B3", "B4", "C1"]);
}

/// The loops of the manual, with small pages.
fn loops() -> Vec<String> {
    let page = fs::read_to_string(project().join("docs/search.md")).unwrap();
    let blocks = page.split("```bash\n").skip(1).map(|block| block.split("```").next().unwrap());
    let small = |block: &str| {
        assert_eq!(block.matches("--limit 500").count(), 1, "{block}");
        assert!(block.contains("set -euo pipefail"), "{block}");
        block.replace("--limit 500", "--limit 90")
    };
    blocks.map(small).collect()
}

/// What becomes of the call of War Rig that a script makes as its so and so manieth.
#[derive(Debug, Clone, Copy)]
enum Mishap {
    /// It fails.
    Fails,
    /// The script is killed before it, with a page that was begun.
    KilledBefore,
    /// The script is killed behind it.
    KilledBehind,
}

/// Runs a script in the folder, with a program before War Rig that lets something happen at the call of this number, if any.
fn script(place: &Sandbox, text: &str, at: Option<(usize, Mishap)>, argument: Option<&str>) -> CommandResult {
    let tool = place.path().join("bin");
    fs::create_dir_all(&tool).unwrap();
    let war_rig = binary().display().to_string();
    let (number, happens) = match at {
        None => (0, "true".to_owned()),
        Some((number, Mishap::Fails)) => (number, "echo 'error: in use' >&2; exit 11".to_owned()),
        Some((number, Mishap::KilledBefore)) => (number, "echo '{\"name\":'; kill -9 $PPID; exit".to_owned()),
        Some((number, Mishap::KilledBehind)) => (number, format!("'{war_rig}' \"$@\"; kill -9 $PPID; exit")),
    };
    let before = format!(
        "#!/usr/bin/env bash\necho >> '{0}/calls'\nif [ \"$(wc -l < '{0}/calls')\" -eq {number} ]; then {happens}; fi\nexec '{war_rig}' \"$@\"\n",
        tool.display(),
    );
    place.write("bin/war-rig", before);
    let _ = fs::remove_file(tool.join("calls"));
    fs::set_permissions(tool.join("war-rig"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = place.write("loop.sh", text).display().to_string();
    bash(place, std::iter::once(path.as_str()).chain(argument))
}

/// Runs bash in the folder, for which War Rig is what [`script`] has put there.
fn bash<'a>(place: &Sandbox, arguments: impl IntoIterator<Item = &'a str>) -> CommandResult {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths =
        std::env::join_paths(std::iter::once(place.path().join("bin")).chain(std::env::split_paths(&paths))).unwrap();
    let mut command = Command::new("bash");
    command.current_dir(place.path()).env("PATH", paths).args(arguments).stdin(Stdio::null());
    CommandResult::from(command.output().unwrap())
}

/// The state file that the first loop names where it fails.
fn to_go_on(ran: &CommandResult) -> String {
    ran.err.lines().last().unwrap().rsplit(' ').next().unwrap().to_owned()
}

const WALKED: &str = "search paragraphs --fields name,file,line -o ndjson --all";

#[test]
fn the_loop_that_finds_its_state_file_prints_every_row_once_also_when_a_page_fails() {
    let place = estate();
    let all = run(&place, WALKED).assert_exit(0).out.clone();
    let complete = format!("Complete ({} results).\n", all.lines().count());
    let [by_hint, _] = loops().try_into().unwrap();

    let ran = script(&place, &by_hint, None, None);
    assert_eq!((ran.assert_exit(0).out.as_str(), ran.err.as_str()), (all.as_str(), complete.as_str()));
    assert_eq!(state_files(&place).len(), 0);
    let broken = script(&place, &by_hint, Some((3, Mishap::Fails)), None);
    broken.assert_exit(11).assert_stderr(&["error: in use"]);
    let rest = script(&place, &by_hint, None, Some(&to_go_on(&broken)));
    assert_eq!(format!("{}{}", broken.out, rest.assert_exit(0).out), all);
    script(&place, &by_hint, Some((1, Mishap::Fails)), None).assert_exit(11);

    fs::remove_dir_all(place.path().join(".war_rig/state")).unwrap();
    place.write(".war_rig/state", "in the way");
    let ran = script(&place, &by_hint, None, None);
    ran.assert_exit(15).assert_stderr(&["Continue: --offset=90", "no state file can be made"]);
    assert_eq!(ran.out.lines().count(), 90);
}

#[test]
fn the_loop_that_makes_its_state_file_first_loses_and_doubles_nothing_whatever_ends_it() {
    let place = estate();
    let all = run(&place, WALKED).assert_exit(0).out.clone();
    let complete = format!("Complete ({} results).\n", all.lines().count());
    let [_, by_init] = loops().try_into().unwrap();
    // Its calls: the state file is made, two pages are printed, and it is closed.
    let by_init = by_init.replace("--limit 90", &format!("--limit {}", all.lines().count() / 2 + 1));
    let result = place.path().join("paragraphs.ndjson");
    let done = |what: &str| {
        let ran = script(&place, &by_init, None, None);
        assert_eq!((ran.assert_exit(0).out.as_str(), ran.err.as_str()), ("", complete.as_str()), "{what}");
        assert!(fs::read_to_string(&result).unwrap() == all, "{what}: rows are missing or come twice");
        fs::remove_file(&result).unwrap();
    };
    done("nothing happens");
    assert_eq!(state_files(&place).len(), 0);
    let calls = fs::read_to_string(place.path().join("bin/calls")).unwrap().lines().count();
    assert_eq!(calls, 4);
    let killed = [1, 2, 3, 4].map(|number| (number, Mishap::KilledBehind));
    let begun = [2, 3].map(|number| (number, Mishap::KilledBefore));
    for (number, mishap) in killed.into_iter().chain(begun).chain([(4, Mishap::Fails)]) {
        let broken = script(&place, &by_init, Some((number, mishap)), None);
        assert_ne!(broken.code, Some(0), "{mishap:?} at {number}");
        assert_eq!(result.exists(), number == calls, "{mishap:?} at {number}");
        done(&format!("{mishap:?} at {number}"));
    }
    // What is done with the pages fails, or the state file is gone meanwhile.
    let failing = by_init.replace("cat pages/*.ndjson > ", "false > ");
    assert_ne!(failing, by_init);
    script(&place, &failing, None, None).assert_exit(1);
    done("a step behind the pages failed");
    script(&place, &by_init, Some((3, Mishap::Fails)), None).assert_exit(11);
    fs::remove_dir_all(place.path().join(".war_rig/state")).unwrap();
    done("the state file is gone");
}

#[test]
fn the_loops_of_the_manual_go_through_a_folder_whose_name_has_blanks() {
    let place = estate();
    let all = run(&place, WALKED).assert_exit(0).out.clone();
    fs::rename(place.path().join(".war_rig"), place.path().join("it's my state")).unwrap();
    let there = |text: &String| text.replace("war-rig search", "war-rig search --state-dir \"it's my state\"");
    let [by_hint, by_init] = loops().iter().map(there).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(script(&place, &by_hint, None, None).assert_exit(0).out, all);
    let broken = script(&place, &by_hint, Some((3, Mishap::Fails)), None);
    let (_, line) = broken.assert_exit(11).err.rsplit_once("to go on: ").unwrap();
    let rest = bash(&place, ["-c", &format!("bash {line}")]);
    assert_eq!(format!("{}{}", broken.out, rest.assert_exit(0).out), all);
    assert_eq!(script(&place, &by_init, None, None).assert_exit(0).out, "");
    assert_eq!(fs::read_to_string(place.path().join("paragraphs.ndjson")).unwrap(), all);

    let made = place.run(["search", "--init", "--state-dir", "it's my state"]);
    let state = made.assert_exit(0).out.trim_end_matches('\n').to_owned();
    assert!(place.path().join(&state).is_file(), "{state}");
    let query = ["search", "programs", "--limit", "2", "-o", "ndjson", "--state-dir", "it's my state"];
    let page = |state: &str| place.run(query.iter().copied().chain([format!("--state={state}").as_str()]));
    let first = page(&state);
    let told = state_of(first.assert_exit(0)).unwrap();
    assert!(told.starts_with("'it'\\''s my state/state/"), "{told}");
    let second = page(&told);
    assert_eq!(second.assert_exit(0).out.lines().count(), 2);
    assert_ne!(first.out, second.out);
    place.run(["search", "--state-dir", "it's my state", "--close", &told]).assert_exit(0);
    assert!(!place.path().join(&state).exists());
}

#[test]
fn a_reader_of_some_lines_has_the_page_only_with_its_last_row() {
    let place = estate();
    for (form, before) in [("json", 1), ("ndjson", 0), ("text", 1)] {
        for limit in [1, 3] {
            let state = run(&place, "search --init").out.trim_end().to_owned();
            let moved = || {
                let state = fs::read_to_string(place.path().join(&state)).unwrap();
                serde_json::from_str::<Value>(&state).unwrap()["offset"] == json!(limit)
            };
            for lines in 1..=limit + before {
                let line = format!("search paragraphs --fields name --limit {limit} -o {form} --state={state}");
                let mut search = search_to(&place, &line, Stdio::piped()).spawn().unwrap();
                let out = search.stdout.take().unwrap();
                let head = Command::new("head").args(["-n", &lines.to_string()]).stdin(out).output().unwrap();
                assert_eq!(String::from_utf8(head.stdout).unwrap().lines().count(), lines);
                assert_eq!(search.wait().unwrap().code(), Some(0));
                assert_eq!(moved(), lines == limit + before, "{form}: {lines} lines of {limit} rows");
            }
        }
    }
}
