//! Runs that follow each other: what has not changed is not asked again, and what has costs no more than it must.

use crate::asked::Case;
use crate::programs::wide;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use war_rig_tests::fake::{CallFault, CallPurpose, FakeOptions, FaultScript};
use war_rig_tests::{files_below, fixtures, json_file};

/// The estate of the fixtures in a folder of its own, cut to prompts of 8,000 tokens.
fn estate() -> Case {
    let files = files_below(&fixtures());
    let texts: Vec<(String, String)> =
        files.into_iter().filter_map(|(name, bytes)| Some((name, String::from_utf8(bytes).ok()?))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Case::of(&files, FakeOptions { budget: Some(8000), ..FakeOptions::default() })
}

/// A source of the case.
fn source(case: &Case, name: &str) -> String {
    std::fs::read_to_string(case.place.path().join("src").join(name)).unwrap()
}

/// Puts another text in the place of a source.
fn put(case: &Case, name: &str, text: &str) {
    case.place.write(&format!("src/{name}"), text);
}

/// The documents, without the report of the run.
fn documents(case: &Case) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_below(&case.place.path().join("out"));
    assert!(files.remove("run.json").is_some());
    files
}

fn document(case: &Case, name: &str) -> Value {
    json_file(&case.place.path().join("out").join(format!("{name}.json")))
}

/// The lines of each paragraph: those that its header's citation says.
fn paragraphs(document: &Value) -> Vec<(String, u64, u64)> {
    let line = |paragraph: &Value, field: &str| paragraph["citations"][0][field].as_u64().unwrap();
    let paragraphs = document["paragraphs"].as_array().unwrap().iter();
    paragraphs
        .map(|paragraph| {
            let name = paragraph["paragraph_name"].as_str().unwrap().to_owned();
            (name, line(paragraph, "start_line"), line(paragraph, "end_line"))
        })
        .collect()
}

/// Asserts that no citation of a document fails, and that each paragraph is cited where it begins.
#[track_caller]
fn check_citations(case: &Case, name: &str) {
    let document = document(case, name);
    let text = source(case, name);
    let lines: Vec<&str> = text.lines().collect();
    for (paragraph, start, _) in paragraphs(&document) {
        let line = lines[start as usize - 1];
        assert!(line.contains(&format!("{paragraph}.")), "{paragraph} is not on line {start}: {line}");
    }
    let report: Value = json_file(&case.place.path().join("out/run.json"));
    assert_eq!(report["citations"]["unsupported"], 0, "{}", report["citations"]);
}

/// The largest program of the fixtures.
const LARGEST: &str = "cbl/POLMAINT.cbl";

/// A text with a statement behind the header of this paragraph.
fn with_statement(text: &str, paragraph: &str, statement: &str) -> String {
    let header = format!("       {paragraph}.\n");
    let at = text.find(&header).unwrap_or_else(|| panic!("no {paragraph}")) + header.len();
    format!("{}           {statement}\n{}", &text[..at], &text[at..])
}

/// The paragraphs of a source that stand alone on their lines, in order.
fn headers(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix("       ")?.strip_suffix('.')?;
        let is_name = name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains(' ');
        is_name.then(|| name.to_owned())
    });
    names.collect()
}

#[test]
fn what_is_done_is_not_done_again() {
    let case = estate();
    let first = case.run();
    first.ended(0, &[]);
    assert!(!first.ran.err.contains("resumed"), "{}", first.ran.err);
    let before = documents(&case);
    let files = first.report["files"].as_u64().unwrap();
    let again = case.run_freely("out", "");
    again.ended(0, &[&format!("resumed: {files} done, 0 reclaimed, 0 pending")]);
    assert_eq!((again.calls.len(), &again.report["calls"]), (0, &0.into()));
    assert_eq!(again.report["up_to_date"], files);
    assert_eq!(again.report["citations"], first.report["citations"]);
    assert!(documents(&case) == before);
    // A document that is missing, or whose JSON was changed, is written again from what is on record.
    let json = format!("out/{LARGEST}.json");
    std::fs::remove_file(case.place.path().join(&json)).unwrap();
    std::fs::remove_file(case.place.path().join("out/cbl/POLINQ.cbl.md")).unwrap();
    let again = case.run_freely("out", "");
    again.ended(0, &[&format!("resumed: {} done, 0 reclaimed, 2 pending", files - 2)]);
    assert!(again.calls.is_empty() && again.report["replayed"].as_u64().unwrap() > 1);
    assert!(documents(&case) == before);
    // In another folder everything is written, and nothing asked.
    let other = case.run_freely("other", "");
    other.ended(0, &[]);
    assert!(other.calls.is_empty());
    let mut elsewhere = files_below(&case.place.path().join("other"));
    elsewhere.remove("run.json");
    assert!(elsewhere == before);
    // Everything anew asks for all of it, and comes to the same.
    let forced = case.run_freely("out", "--force");
    forced.ended(0, &[]);
    assert_eq!(forced.calls.len(), first.calls.len());
    assert!(documents(&case) == before);
    assert!(case.run_freely("out", "").calls.is_empty());
}

#[test]
fn an_edited_paragraph_costs_at_most_two_calls() {
    let case = estate();
    let first = case.run();
    first.ended(0, &[]);
    let chunks = first.calls.iter().filter(|call| call.file == LARGEST).count();
    assert!(chunks > 6, "{chunks}");
    let names = headers(&source(&case, LARGEST));
    assert!(names.len() > 40, "{}", names.len());
    for step in 0..war_rig_tests::crash::cases(6) {
        let paragraph = &names[(step * 37 + 5) % names.len()];
        let target = &names[(step * 53 + 11) % names.len()];
        // Every other edit changes also what the outline says of two paragraphs.
        let statement = match step % 2 {
            0 => format!("MOVE {step} TO RETURN-CODE"),
            _ => format!("PERFORM {target}"),
        };
        let text = with_statement(&source(&case, LARGEST), paragraph, &statement);
        put(&case, LARGEST, &text);
        let outcome = case.run_freely("out", "");
        // What else is told of the program's lines elsewhere is written again, without a call.
        outcome.ended(0, &["resumed: 6"]);
        let (overviews, parts): (Vec<_>, Vec<_>) =
            outcome.calls.iter().partition(|call| call.purpose == CallPurpose::Overview);
        let asked: Vec<&str> = parts.iter().map(|call| call.file.as_str()).collect();
        assert!((1..=2).contains(&asked.len()), "step {step}: {asked:?}\n{}", outcome.ran.err);
        assert_eq!(overviews.len(), 1, "step {step}");
        assert!(asked.iter().all(|file| *file == LARGEST), "{asked:?}");
        check_citations(&case, LARGEST);
    }
    let outcome = case.run_freely("out", "");
    assert!(outcome.calls.is_empty());
    case.check_facts(&case.run_freely("out", "--force"));
}

#[test]
fn renumbered_lines_cost_no_call_and_citations_move_with_the_lines() {
    let case = estate();
    case.run().ended(0, &[]);
    let before = document(&case, LARGEST);
    let renumbered: String = source(&case, LARGEST).lines().zip(1..).fold(String::new(), |mut text, (line, number)| {
        let code: String = line.chars().skip(6).take(66).collect();
        writeln!(text, "{:06}{code:<66}RELEASE7", number * 100).unwrap();
        text
    });
    put(&case, LARGEST, &renumbered);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &["1 pending"]);
    assert!(outcome.calls.is_empty(), "{}", outcome.ran.err);
    let mut after = document(&case, LARGEST);
    assert_ne!(after["header"]["source_hash"], before["header"]["source_hash"]);
    // What it was made from is told in its head, and sealed.
    for field in ["source_hash", "made_from"] {
        after["header"][field] = before["header"][field].clone();
    }
    after["seal"] = before["seal"].clone();
    assert_eq!(after, before);
    // Lines before everything move all others.
    let moved = format!("      * A line more.\n      * And one more.\n{renumbered}");
    put(&case, LARGEST, &moved);
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &[]);
    assert!(outcome.calls.len() <= 2, "{}", outcome.calls.len());
    let after = document(&case, LARGEST);
    let expected: Vec<(String, u64, u64)> =
        paragraphs(&before).into_iter().map(|(name, start, end)| (name, start + 2, end + 2)).collect();
    assert_eq!(paragraphs(&after), expected);
    check_citations(&case, LARGEST);
}

#[test]
fn a_changed_copybook_redoes_what_uses_it_and_nothing_else() {
    let record = |length: u32| format!("       01  THE-RECORD.\n           05  THE-ITEM PIC X({length}).\n");
    let user = |name: &str| {
        wide(name, 2)
            .replace("       01  WS-STATUS PIC X(2).\n", "       01  WS-STATUS PIC X(2).\n           COPY RECD.\n")
            + "           MOVE SPACES TO THE-ITEM.\n"
    };
    let programs = [("A.cbl", user("A")), ("B.cbl", wide("B", 2)), ("C.cbl", user("C")), ("RECD.cpy", record(8))];
    let programs: Vec<(&str, &str)> = programs.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let case = Case::of(&programs, FakeOptions::default()).set("functions", false);
    let first = case.run();
    first.ended(0, &[]);
    assert_eq!(first.calls.len(), 4);
    put(&case, "RECD.cpy", &record(9));
    let outcome = case.run_freely("out", "");
    outcome.ended(0, &["resumed: 1 done, 0 reclaimed, 3 pending"]);
    let mut asked: Vec<&str> = outcome.calls.iter().map(|call| call.file.as_str()).collect();
    asked.sort_unstable();
    assert_eq!(asked, ["A.cbl", "C.cbl", "RECD.cpy"]);
    assert_eq!(document(&case, "A.cbl")["copied_data"][0]["copybook"], "RECD.cpy");
    let items = document(&case, "RECD.cpy")["data_dictionary"].clone();
    let item = items.as_array().unwrap().iter().find(|item| item["name"] == "THE-ITEM").unwrap().clone();
    assert_eq!(item["length"], 9);
    // A copybook that now comes first in its place is another copybook.
    case.place.write("first/RECD.cpy", record(12));
    let outcome = case.run_freely("out", "--copybooks first");
    outcome.ended(0, &[]);
    let asked: Vec<&str> = outcome.calls.iter().map(|call| call.file.as_str()).collect();
    assert!(asked.len() == 2 && !asked.contains(&"B.cbl"), "{asked:?}");
}

#[test]
fn what_has_failed_is_asked_for_again_and_what_was_answered_is_not() {
    let script = FaultScript::when(|asked| (asked.chunk.0 == 2 && asked.attempt <= 2).then_some(CallFault::Refused));
    let options = FakeOptions { budget: Some(6000), script, ..FakeOptions::default() };
    let case = Case::of(&[("WIDE.cbl", &wide("WIDE", 120))], options);
    let first = case.run_freely("out", "");
    first.ended(3, &["refuses"]);
    assert_eq!(first.report["partial"], 1);
    let again = case.run_freely("out", "");
    again.ended(0, &["resumed: 0 done, 0 reclaimed, 1 pending"]);
    // An overview is asked for once all parts are there.
    assert!(first.calls.iter().all(|call| call.purpose == CallPurpose::Documentation));
    assert_eq!(again.calls.len(), 2, "{}", again.ran.err);
    assert_eq!((again.calls[0].chunk.0, again.calls[1].purpose), (2, CallPurpose::Overview));
    case.check_complete(&again);
}

#[test]
fn documents_of_sources_that_are_gone_are_reported_and_removed_when_asked() {
    let case = Case::new(FakeOptions::default());
    case.place.write("src/cbl/GONE.cbl", wide("GONE", 1));
    case.run().ended(0, &[]);
    case.place.write("out/cbl/MINE.txt", "not of ours");
    std::fs::remove_file(case.place.path().join("src/cbl/GONE.cbl")).unwrap();
    let told = case.run_freely("out", "");
    told.ended(0, &["a document of sources that are gone: cbl/GONE.cbl; --prune removes them"]);
    assert!(case.place.path().join("out/cbl/GONE.cbl.json").exists());
    let index = std::fs::read_to_string(case.place.path().join("out/index.md")).unwrap();
    assert!(!index.contains("GONE"), "{index}");
    case.run_freely("out", "--prune").ended(0, &["removed", "cbl/GONE.cbl"]);
    assert!(!case.place.path().join("out/cbl/GONE.cbl.json").exists());
    assert!(!case.place.path().join("out/cbl/GONE.cbl.md").exists());
    assert!(case.place.path().join("out/cbl/MINE.txt").exists());
    let again = case.run_freely("out", "--prune");
    assert!(!again.ran.err.contains("GONE"), "{}", again.ran.err);
    // What another folder holds was never looked at, and is not gone.
    case.place.write("else/OTHER.cbl", wide("OTHER", 1));
    let elsewhere = ["document", "else", "-o", "out", "--prune"].map(str::to_owned);
    assert!(!case.command(&elsewhere).assert_exit(0).err.contains("removed"));
    assert!(case.place.path().join("out/ONE.cbl.json").exists());
    // A source that is named alone makes no other one gone.
    let alone = ["document", "src/ONE.cbl", "-o", "out", "--prune"].map(str::to_owned);
    assert!(!case.command(&alone).assert_exit(0).err.contains("gone"));
    assert!(case.place.path().join("out/TWO.cbl.json").exists());
}

#[test]
fn the_runs_own_pages_are_written_again_where_they_do_not_stand() {
    let case = Case::new(FakeOptions::default());
    case.run().ended(0, &[]);
    let page = |name: &str| std::fs::read_to_string(case.place.path().join("out").join(name)).unwrap();
    let index = page("index.md");
    // Also a run over a part tells of all.
    case.run_freely("out", "--only ONE.cbl --force").ended(0, &[]);
    assert_eq!(page("index.md"), index);
    let report = |again: &Value| (again["calls"].clone(), again["up_to_date"].clone());
    let again = case.run_freely("out", "");
    assert_eq!(report(&again.ended(0, &[]).report), (0.into(), 2.into()));
    assert_eq!(page("index.md"), index);
    case.place.write("out/index.md", "# mine\n");
    case.run_freely("out", "").ended(0, &["changed by hand", "index.md"]);
    assert_eq!(page("index.md"), "# mine\n");
    std::fs::remove_file(case.place.path().join("out/index.md")).unwrap();
    case.run_freely("out", "").ended(0, &[]);
    assert_eq!(page("index.md"), index);
    let stands = std::fs::metadata(case.place.path().join("out/index.md")).unwrap().modified().unwrap();
    case.run_freely("out", "").ended(0, &[]);
    let still = std::fs::metadata(case.place.path().join("out/index.md")).unwrap().modified().unwrap();
    assert_eq!(stands, still);
}

#[test]
fn a_source_that_is_none_any_more_leaves_no_document_unseen() {
    let case = Case::new(FakeOptions::default());
    case.run().ended(0, &[]);
    case.place.write("src/TWO.cbl", [0u8, 1, 2, 3, 255, 254, 0, 7].repeat(100));
    case.run_freely("out", "").ended(0, &["a document of sources that are gone: TWO.cbl"]);
    assert!(case.place.path().join("out/TWO.cbl.json").exists());
    case.run_freely("out", "--prune").ended(0, &["removed", "TWO.cbl"]);
    assert!(!case.place.path().join("out/TWO.cbl.json").exists());
}

#[test]
fn a_run_over_a_part_asks_for_that_part_and_brings_the_rest_up_to_date() {
    let case = estate().set("functions", false);
    case.run().ended(0, &[]);
    let edited = source(&case, "cbl/CASHPOST.cbl");
    put(&case, "cbl/CASHPOST.cbl", &edited.replace("CALL 'CHKDGT' USING", "CALL 'DATESUB' USING"));
    let part = case.run_freely("out", "--only cbl/CASHPOST.cbl");
    part.ended(0, &["; 3 others brought up to date with the estate"]);
    assert!(!part.calls.is_empty() && part.calls.iter().all(|call| call.file == "cbl/CASHPOST.cbl"));
    let callers = |name: &str| document(&case, name)["calling_context"]["called_by"].clone();
    assert!(callers("cbl/DATESUB.cbl").as_array().unwrap().contains(&"CASHPOST".into()));
    assert!(!callers("cbl/CHKDGT.cbl").as_array().unwrap().contains(&"CASHPOST".into()));
    // A run over everything finds nothing to do, in what it knows and in what stands there.
    let after = documents(&case);
    let all = case.run_freely("out", "");
    all.ended(0, &[" 0 reclaimed, 0 pending"]);
    assert!(all.calls.is_empty() && documents(&case) == after);
    // And all of it anew comes to the same.
    case.run_freely("out", "--force").ended(0, &[]);
    assert!(documents(&case) == after);
}
