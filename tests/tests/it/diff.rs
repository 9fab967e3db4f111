//! Two folders of documents compared by meaning: what is told, what is not, and what the program makes of folders that are odd.

mod laws;

use crate::asked::Case;
use serde_json::Value;
use std::path::Path;
use war_rig_tests::fake::FakeOptions;
use war_rig_tests::{CommandResult, Sandbox, files_below, fixtures};

/// Programs that post claims, and what they copy and call.
const SOURCES: [&str; 7] = [
    "cbl/CLMPOST.cbl", "cbl/CLMREG.cbl", "cbl/DATESUB.cbl", "cpy/CLMREC.cpy", "cpy/DATEPARM.cpy", "jcl/TMACLAIM.jcl",
    "ddl/AGENT.sql",
];

/// Sources with the documents of before in `old`.
struct Estate {
    place: Sandbox,
}

impl Estate {
    fn new() -> Self {
        let place = Sandbox::new();
        let mut found = 0;
        for (name, bytes) in files_below(&fixtures()) {
            if SOURCES.contains(&name.as_str()) {
                place.write(&format!("src/{name}"), bytes);
                found += 1;
            }
        }
        assert_eq!(found, SOURCES.len());
        let estate = Self { place };
        estate.document("old", "");
        estate
    }

    fn document(&self, out: &str, more: &str) {
        let line = format!("document src -o {out} --state-dir {out}.state{more}");
        self.place.line(&line, Path::new("")).assert_exit(0);
    }

    /// Puts other words in the place of these, which must stand there.
    #[track_caller]
    fn edit(&self, name: &str, old: &str, new: &str) {
        let path = self.place.path().join("src").join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{name} has no `{old}`");
        std::fs::write(&path, text.replacen(old, new, 1)).unwrap();
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.place.path().join(name)
    }

    fn diff(&self, more: &str) -> CommandResult {
        self.place.line(&format!("diff old new{more}"), Path::new(""))
    }

    /// What is told after the sources were documented again.
    #[track_caller]
    fn told(&self) -> Value {
        self.document("new", "");
        let ran = self.diff(" --format json --exit-code");
        let json = ran.json();
        let totals = &json["totals"];
        let differs = ["changed", "renamed", "added", "gone"].iter().any(|kind| totals[kind] != 0);
        ran.assert_exit(if differs { 4 } else { 0 });
        json
    }
}

/// The changes of a document, as `kind field item what`.
fn changes(told: &Value, file: &str) -> Vec<String> {
    let documents = told["documents"].as_array().unwrap();
    let document = documents.iter().find(|document| document["file"] == file);
    let document = document.unwrap_or_else(|| panic!("nothing is told of {file}"));
    let text = |change: &Value, field: &str| change[field].as_str().unwrap_or_default().to_owned();
    let changes = document["changes"].as_array().unwrap().iter();
    changes
        .map(|change| ["kind", "field", "item", "what"].map(|field| text(change, field)).join(" "))
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// The sources of which something is told.
fn files(told: &Value) -> Vec<&str> {
    told["documents"].as_array().unwrap().iter().map(|d| d["file"].as_str().unwrap()).collect()
}

#[test]
fn the_same_sources_mean_the_same_however_they_were_cut() {
    let estate = Estate::new();
    estate.document("new", " --max-prompt-tokens 6000 --jobs 1");
    let ran = estate.diff(" --exit-code");
    ran.assert_exit(0);
    assert!(ran.out.ends_with("the same; citations merely moved: 0\n"), "{}", ran.out);
    assert!(ran.out.contains("run.json\n"), "{}", ran.out);
    assert_eq!(estate.diff(" --format json").json()["documents"], Value::Array(Vec::new()));
}

#[test]
fn lines_that_only_move_are_counted_and_no_change() {
    let estate = Estate::new();
    estate.edit("cbl/CLMPOST.cbl", "       RT-READ.\n", "\n\n\n       RT-READ.\n");
    let told = estate.told();
    // The paragraph above has grown by the blank lines alone.
    assert!(files(&told).is_empty(), "{told}");
    assert!(told["totals"]["moved_citations"].as_u64().unwrap() > 20, "{}", told["totals"]);
}

#[test]
fn an_edited_paragraph_is_told_and_what_moved_below_it_is_counted() {
    let estate = Estate::new();
    let add = "ADD 1 TO WS-READ-COUNT\n";
    estate.edit("cbl/CLMPOST.cbl", add, &format!("{add}                   DISPLAY CLM-NUMBER\n"));
    let told = estate.told();
    assert_eq!(files(&told), ["cbl/CLMPOST.cbl"]);
    let changes = changes(&told, "cbl/CLMPOST.cbl");
    let paragraphs: Vec<&String> = changes.iter().filter(|change| change.contains(" paragraphs ")).collect();
    let fields = ["summary", "reads", "steps"].map(|field| format!("changed paragraphs RT-READ {field}"));
    assert_eq!(paragraphs, fields.iter().collect::<Vec<_>>());
    let mut others = changes.iter().filter(|change| !change.contains(" paragraphs "));
    let is_known = |change: &String| {
        change.starts_with("changed business_rules R004 ") || *change == "changed outputs SYSOUT cited_lines"
    };
    assert!(others.all(is_known), "{changes:?}");
    assert!(told["documents"][0]["moved_citations"].as_u64().unwrap() > 20);
    assert!(told["documents"][0]["source_changed"].as_bool().unwrap());
}

#[test]
fn a_new_rule_is_one_rule_more() {
    let estate = Estate::new();
    let rule = "       CT-NUMBERS.\n           IF CLM-SEQUENCE > 500\n               MOVE 'TOO MANY' TO WS-REASON\n               GO TO CT-REJECT\n           END-IF.\n";
    estate.edit("cbl/CLMPOST.cbl", "       CT-NUMBERS.\n", rule);
    let changes = changes(&estate.told(), "cbl/CLMPOST.cbl");
    let rules: Vec<&String> = changes.iter().filter(|change| change.contains("business_rules")).collect();
    assert_eq!(rules, ["added business_rules R005"], "{changes:?}");
}

#[test]
fn a_call_that_is_gone_is_told_on_both_ends() {
    let estate = Estate::new();
    estate.edit("cbl/CLMPOST.cbl", "           CALL 'DATESUB' USING DATE-REQUEST DATE-REPLY.\n", "");
    let told = estate.told();
    assert_eq!(files(&told), ["cbl/CLMPOST.cbl", "cbl/DATESUB.cbl"]);
    assert!(changes(&told, "cbl/CLMPOST.cbl").contains(&"gone called_programs DATESUB".to_owned()));
    let called = changes(&told, "cbl/DATESUB.cbl");
    assert!(called.contains(&"changed calling_context  called_by".to_owned()), "{called:?}");
}

#[test]
fn a_longer_item_moves_the_rest_of_its_record() {
    let estate = Estate::new();
    estate.edit("cpy/CLMREC.cpy", "CLM-POLICY-NO             PIC X(10)", "CLM-POLICY-NO             PIC X(12)");
    let told = estate.told();
    let items: Vec<String> =
        changes(&told, "cpy/CLMREC.cpy").into_iter().filter(|change| change.contains("data_dictionary")).collect();
    let expected = [
        "changed data_dictionary CLAIM-RECORD length",
        "changed data_dictionary CLM-POLICY-NO picture",
        "changed data_dictionary CLM-POLICY-NO length",
        "moved data_dictionary CLAIM-RECORD offset",
    ];
    assert_eq!(items, expected);
}

#[test]
fn sources_that_come_go_and_change_their_names() {
    let estate = Estate::new();
    std::fs::rename(estate.path("src/cbl/CLMPOST.cbl"), estate.path("src/cbl/POSTING.cbl")).unwrap();
    estate.edit("cbl/POSTING.cbl", "ADD 1 TO WS-READ-COUNT", "ADD 2 TO WS-READ-COUNT");
    std::fs::remove_file(estate.path("src/cbl/CLMREG.cbl")).unwrap();
    estate.place.write("src/cbl/NEW.cbl", crate::programs::small("NEW"));
    let told = estate.told();
    let kind = |file: &str| {
        let documents = told["documents"].as_array().unwrap();
        let document = documents.iter().find(|document| document["file"] == file);
        document.map(|document| document["kind"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    let kinds = ["cbl/POSTING.cbl", "cbl/CLMREG.cbl", "cbl/NEW.cbl", "cbl/CLMPOST.cbl"].map(kind);
    assert_eq!(kinds, ["renamed", "gone", "added", ""]);
    assert!(changes(&told, "cbl/POSTING.cbl").contains(&"changed header  file_name".to_owned()));
    let text = estate.diff("").out;
    for line in
        ["~ cbl/POSTING.cbl, was cbl/CLMPOST.cbl\n", "- cbl/CLMREG.cbl: program, ", "+ cbl/NEW.cbl: program, NEW"]
    {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.lines().last().unwrap().starts_with("documents: "), "{text}");
    assert!(text.contains("1 renamed, 1 added, 1 gone, "), "{text}");
}

#[test]
fn a_model_writes_other_words_for_the_same_facts() {
    let estate = Estate::new();
    let case = Case::in_folder(estate.path("src"), FakeOptions::default());
    case.run_freely("out", "").ran.assert_exit(0);
    let new = case.place.path().join("out");
    let ran = estate.place.line("diff old {} --format json --exit-code", &new);
    ran.assert_exit(4);
    let changes = changes(&ran.json(), "cbl/CLMPOST.cbl");
    assert!(changes.contains(&"changed header  produced_by".to_owned()), "{changes:?}");
    assert!(changes.contains(&"changed purpose  summary".to_owned()), "{changes:?}");
    // What the parser knows stays what it is.
    for fact in ["data_dictionary", "control_flow", "calling_context", "programs"] {
        assert!(!changes.iter().any(|change| change.contains(&format!(" {fact} "))), "{fact}: {changes:?}");
    }
}

#[test]
fn the_same_bytes_each_time_in_both_forms() {
    let estate = Estate::new();
    estate.edit("cpy/CLMREC.cpy", "CLM-POLICY-NO             PIC X(10)", "CLM-POLICY-NO             PIC X(12)");
    estate.document("new", "");
    for form in ["", " --format json"] {
        assert_eq!(estate.diff(form).out, estate.diff(form).out);
    }
}

#[test]
fn two_documents_are_compared_by_themselves() {
    let estate = Estate::new();
    let compare = |old: &str, new: &str| {
        estate.place.line(&format!("diff old/cbl/{old}.cbl.json old/cbl/{new}.cbl.json --exit-code"), Path::new(""))
    };
    compare("CLMPOST", "CLMPOST").assert_exit(0);
    let ran = compare("CLMPOST", "DATESUB");
    ran.assert_exit(4);
    assert!(ran.out.starts_with("~ cbl/DATESUB.cbl, was cbl/CLMPOST.cbl\n"), "{}", ran.out);
    assert!(ran.out.contains("    ~ program `DATESUB`: name CLMPOST -> DATESUB"), "{}", ran.out);
}

#[test]
fn what_is_odd_in_a_folder_is_named() {
    let estate = Estate::new();
    estate.document("new", "");
    // Of others: JSON that is no document, a file that is a link, and a folder that is one.
    estate.place.write("new/notes.json", "{\"mine\": 1}");
    estate.place.write("elsewhere/far.json", "{");
    #[cfg(unix)]
    for (target, link) in [("elsewhere/far.json", "new/link.json"), ("elsewhere", "new/folder"), (".", "new/loop")] {
        std::os::unix::fs::symlink(estate.path(target), estate.path(link)).unwrap();
    }
    let ran = estate.diff(" --exit-code");
    ran.assert_exit(0).assert_stderr(&["passed over `new/notes.json`: it is JSON, but no document"]);
    assert!(!ran.err.contains("far.json") && !ran.err.contains("link.json"), "{}", ran.err);
    // Documents that cannot be read are named, and the others are compared all the same.
    for (name, bytes) in [
        ("cbl/DATESUB.cbl.json", "{\"header\": {\"file_name\": \"cbl/DATESUB.cbl\"}}"),
        ("cpy/CLMREC.cpy.json", "{\"header\": "),
        ("cbl/LATIN.cbl.json", "\u{feff}\u{1b}[31m"),
    ] {
        estate.place.write(&format!("new/{name}"), bytes);
    }
    let ran = estate.diff("");
    ran.assert_exit(3).assert_stderr(&[
        "DATESUB.cbl.json`: ",
        "CLMREC.cpy.json`: it is no JSON",
        "LATIN.cbl.json`: it is no JSON",
    ]);
    assert!(ran.out.contains(" the same, 3 unreadable;"), "{}", ran.out);
    assert_eq!(estate.diff(" --format json").json()["totals"]["unreadable"], 3);
    // That something is other weighs more than that something cannot be read.
    std::fs::remove_file(estate.path("new/cbl/CLMREG.cbl.json")).unwrap();
    estate.diff(" --exit-code").assert_exit(4);
}

#[test]
fn folders_that_are_none_are_errors_of_usage() {
    let estate = Estate::new();
    let diff = |line: &str| estate.place.line(line, Path::new(""));
    diff("diff old no-such-folder").assert_exit(2).assert_stderr(&["cannot read `no-such-folder`"]);
    diff("diff no-such-folder old").assert_exit(2);
    diff("diff old old/cbl/CLMPOST.cbl.json")
        .assert_exit(2)
        .assert_stderr(&["a folder cannot be compared with a file", "hint: "]);
    diff("diff old").assert_exit(2);
    diff("diff src/cbl/CLMPOST.cbl old/cbl/CLMPOST.cbl.json").assert_exit(3).assert_stderr(&["it is no JSON"]);
    diff("diff old/run.json old/cbl/CLMPOST.cbl.json").assert_exit(2).assert_stderr(&["is no document"]);
    estate.place.write("empty/index.md", "");
    diff("diff empty empty").assert_exit(0);
}

#[test]
fn nothing_of_a_source_steers_the_terminal() {
    let estate = Estate::new();
    let json = "old/cbl/CLMPOST.cbl.json";
    let text = std::fs::read_to_string(estate.path(json)).unwrap();
    let hostile = text.replace("RT-READ", "RT\\u001b[31m\\n\\u202eREAD");
    estate.place.write("hostile.json", hostile);
    let ran = estate.place.line(&format!("diff {json} hostile.json"), Path::new(""));
    ran.assert_exit(0);
    assert!(ran.out.contains("RT[31m READ"), "{}", ran.out);
    assert!(!ran.out.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{:?}", ran.out);
}
