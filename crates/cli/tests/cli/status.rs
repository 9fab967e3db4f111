//! `war-rig status` over a store that was made for it.

use super::World;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use war_rig_llm::{AnswerKey, CallLog, FinishedCall, Money, NewCall};
use war_rig_pool::{AttemptPolicy, FinishedTicket, OpenTicket, Store, TicketState, Transition};
use war_rig_store::{Database, NewRun, OutputStore};
use war_rig_text::ContentHash;

fn database(folder: &Path) -> Database {
    Database::open(&folder.join(".war_rig"), Arc::new(|| 1_767_323_045)).unwrap()
}

fn begin(database: &Database, output: &str) -> (u64, Arc<OutputStore>) {
    let command = ["war-rig", "document", "my src", "-o", output].map(str::to_owned).to_vec();
    let run = NewRun { output: output.to_owned(), command, scribe: "gpt-4.1".to_owned() };
    let run = database.begin_run(run).unwrap().number;
    (run, database.for_output(output, run))
}

fn open(output: &OutputStore, files: &[&str]) {
    let open = |file: &&str| OpenTicket {
        file: (*file).to_owned(),
        base: "my src".to_owned(),
        reason: "new".to_owned(),
        answers_since: None,
        attempts: AttemptPolicy::Keep,
    };
    output.open(&files.iter().map(open).collect::<Vec<_>>()).unwrap();
}

fn finish(output: &OutputStore, file: &str, state: TicketState, reason: &str) {
    let step = Transition { from: TicketState::Merged, to: state, reason: reason.to_owned() };
    let finished = FinishedTicket {
        file: file.to_owned(),
        state,
        history: vec![step],
        build_record: None,
        chunks: None,
        unusable_questions: Vec::new(),
        is_quarantined: false,
    };
    output.finish(&[finished]).unwrap();
}

fn wait<T>(mut future: std::pin::Pin<Box<dyn Future<Output = T> + Send + '_>>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(ended) => return ended,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

fn key(file: &str) -> AnswerKey {
    let hash = ContentHash::of(file.as_bytes());
    AnswerKey { key: hash, question: hash, turn: 0 }
}

fn send(output: &OutputStore, file: &str) -> u64 {
    let call = NewCall {
        key: key(file),
        file: file.to_owned(),
        about: format!("{file} chunk 1/1"),
        prompt_tokens: 1000,
        most: Money::from_usd(0.5),
    };
    wait(output.record_call(call)).unwrap()
}

/// A store with a run that ended, one that was killed, and one of another folder.
fn sample(folder: &Path) {
    let database = database(folder);
    let (run, output) = begin(&database, "docs");
    open(&output, &["cbl/A.cbl", "cbl/B.cbl", "cbl/C\u{1b}[31m.cbl", "cbl/D.cbl"]);
    finish(&output, "cbl/A.cbl", TicketState::Done, "written");
    finish(&output, "cbl/B.cbl", TicketState::Failed, "line 3 is\ntoo long");
    let failed = send(&output, "cbl/B.cbl");
    let ended = FinishedCall {
        key: key("cbl/B.cbl"),
        result: Err("the server failed".to_owned()),
        completion_tokens: 20,
        cost: Money::from_usd(0.25),
    };
    wait(output.record_outcome(failed, ended, 0)).unwrap();
    database.end_run(run, 3, "{\"files\":4}").unwrap();
    let (_, output) = begin(&database, "docs");
    output.begin("cbl/D.cbl").unwrap();
    output.begin("cbl/D.cbl").unwrap();
    send(&output, "cbl/D.cbl");
    let (run, _) = begin(&database, "docs");
    database.end_run(run, 12, "{}").unwrap();
    let (run, output) = begin(&database, "other");
    open(&output, &["X.cbl"]);
    finish(&output, "X.cbl", TicketState::Done, "written");
    database.end_run(run, 0, "{}").unwrap();
}

#[test]
fn the_store_is_told_in_words() {
    let world = World::new();
    sample(world.path());
    let ran = world.run("status");
    let expected = "\
.war_rig/war_rig.db, version 1
docs: 4 files: 1 pending, 1 writing, 1 done, 1 failed
other: 1 file: 1 done

run 1 for docs: exit 3, finished, some tickets failed; 2 files, 1 call (1 failed), 1000 prompt and 20 answer tokens, 0.25 USD
run 2 for docs: killed; 0 files, 1 call (1 lost), 1000 prompt and 0 answer tokens, 0.50 USD
run 3 for docs: exit 12, authentication or quota; 0 files
run 4 for other: exit 0, ok; 1 file

docs: cbl/B.cbl: failed: line 3 is too long
docs: cbl/D.cbl: in work when its process ended (1 attempt)
run again: war-rig document 'my src' -o docs

1 call lost: sent, and their process was killed before they ended; they have cost 0.50 USD at most
";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), expected, ""));
    let of_other = world.run("status --output ./other/ --timestamps").out;
    assert_eq!(
        of_other,
        "\
.war_rig/war_rig.db, version 1
other: 1 file: 1 done

run 4 for other: exit 0, ok; 1 file; begun 2026-01-02 03:04:05 UTC, ended 2026-01-02 03:04:05 UTC
"
    );
    assert_eq!(world.run("status --watch").out, expected, "nobody holds it, so it is shown once");
}

#[test]
fn the_store_is_told_as_json() {
    let world = World::new();
    sample(world.path());
    let ran = world.run("status --format json");
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&told), ["store", "runs", "tickets", "calls", "batches"]);
    assert_eq!(told["store"], json!({"file": ".war_rig/war_rig.db", "version": 1, "locked": false, "holder": null}));
    assert_eq!(
        told["tickets"][1],
        json!({"output": "docs", "file": "cbl/B.cbl", "state": "failed", "reason": "line 3 is\ntoo long", "attempts": 0,
            "history": [{"run": 1, "from": "merged", "to": "failed", "reason": "line 3 is\ntoo long"}]})
    );
    assert_eq!(keys(&told["tickets"][1]), ["output", "file", "state", "reason", "attempts", "history"]);
    assert_eq!(told["tickets"].as_array().unwrap().len(), 5);
    let run = &told["runs"][1];
    assert_eq!((&run["end"], &run["exit"], &run["calls"]["lost"]), (&json!("killed"), &Value::Null, &json!(1)));
    assert_eq!(told["runs"][0]["meaning"], "finished, some tickets failed");
    assert_eq!(told["runs"][0]["totals"], json!({"files": 4}));
    assert_eq!(
        told["calls"],
        json!({"calls": 2, "sent": 0, "answered": 0, "too_long": 0, "failed": 1, "lost": 1, "prompt_tokens": 2000,
            "completion_tokens": 20, "cost_usd": 0.75, "lost_cost_usd": 0.5})
    );
    assert!(!ran.out.contains("1767323045") && !ran.out.contains("started"), "no times unless asked for");
    assert!(world.run("status --format json --timestamps").out.contains("\"started\": 1767323045"));
    assert_eq!(world.run("status --format json").out, ran.out, "the same store gives the same bytes");
}

#[test]
fn a_store_in_use_is_told_with_its_holder_and_watched_until_it_is_free() {
    let world = World::new();
    let database = database(world.path());
    let (run, output) = begin(&database, "docs");
    open(&output, &["A.cbl"]);
    output.begin("A.cbl").unwrap();
    let seen = world.run("status");
    let holder = format!("in use by process {} on ", std::process::id());
    assert!(seen.out.contains(&holder) && !seen.out.contains("2026"), "{}", seen.out);
    assert!(seen.out.contains("run 1 for docs: goes on; 0 files\n"), "{}", seen.out);
    assert!(!seen.out.contains("run again"), "{}", seen.out);
    let mut watching = world.command("status --watch").stdout(Stdio::piped()).spawn().unwrap();
    // Its first line comes while the store is held.
    let mut reader = std::io::BufReader::new(watching.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
    assert_eq!(line, "docs: 1 file: 1 writing\n");
    finish(&output, "A.cbl", TicketState::Done, "written");
    database.end_run(run, 0, "{}").unwrap();
    drop((database, output));
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut reader, &mut rest).unwrap();
    assert!(watching.wait().unwrap().success());
    let end = ".war_rig/war_rig.db, version 1\ndocs: 1 file: 1 done\n\nrun 1 for docs: exit 0, ok; 1 file\n";
    assert!(rest.ends_with(end), "{rest}");
}

#[test]
fn files_that_a_run_has_left_are_told_with_the_command_that_goes_on() {
    let world = World::new();
    let database = database(world.path());
    let (run, output) = begin(&database, "docs");
    open(&output, &["A.cbl", "B.cbl"]);
    finish(&output, "A.cbl", TicketState::Done, "written");
    database.end_run(run, 143, "{}").unwrap();
    drop((database, output));
    assert_eq!(
        world.run("status").out,
        "\
.war_rig/war_rig.db, version 1
docs: 2 files: 1 pending, 1 done

run 1 for docs: exit 143, interrupted (terminated); 1 file

run again: war-rig document 'my src' -o docs
"
    );
}

#[test]
fn an_output_folder_is_found_by_every_path_to_it() {
    let world = World::new();
    sample(world.path());
    let inner = world.path().join("inner");
    fs::create_dir(&inner).unwrap();
    {
        let database = database(world.path());
        for output in ["", "inner/docs"] {
            let (run, store) = begin(&database, output);
            open(&store, &["Y.cbl"]);
            finish(&store, "Y.cbl", TicketState::Done, "written");
            database.end_run(run, 0, "{}").unwrap();
        }
    }
    let absolute = world.path().join("other").display().to_string();
    let check = |folder: &Path, line: String, output: &str| {
        let out = world.command(&line).current_dir(folder).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let second = text.lines().nth(1).unwrap_or_default();
        assert!(second.starts_with(&format!("{output}: ")), "{line}: {text}");
        assert!(text.contains(&format!(" for {output}: ")) && !text.contains(" for : "), "{line}: {text}");
    };
    for (output, shown) in [("other", "other"), (&absolute, "other"), (".", "."), ("inner/../docs/", "docs")] {
        check(world.path(), format!("status -o {output}"), shown);
    }
    let shown_there = [("../other", "other"), ("..", "."), ("docs", "inner/docs"), ("other", "other")];
    for (output, shown) in shown_there {
        check(&inner, format!("status --state-dir ../.war_rig -o {output}"), shown);
    }
    assert!(world.run("status -o none").err.contains("it knows `.`, `docs`, `inner/docs`, `other`"));
    assert!(world.run("status --format json -o .").out.contains("\"output\": \".\""));
}

#[test]
fn the_command_that_goes_on_neither_forces_nor_prunes_nor_picks() {
    let check = |words: &[&str], expected: &str| {
        let world = World::new();
        let database = database(world.path());
        let command = words.iter().map(|word| (*word).to_owned()).collect();
        let run = NewRun { output: "docs".to_owned(), command, scribe: "static".to_owned() };
        let run = database.begin_run(run).unwrap().number;
        open(&database.for_output("docs", run), &["A.cbl"]);
        database.end_run(run, 143, "{}").unwrap();
        drop(database);
        let out = world.run("status").out;
        assert_eq!(out.lines().last(), Some(expected), "{words:?}");
    };
    let document = ["war-rig", "document", "src"];
    check(&[&document[..], &["-o", "docs"]].concat(), "run again: war-rig document src -o docs");
    check(
        &[&document[..], &["--force", "--only", "a/*.cbl", "-o", "docs", "--only=b", "--prune"]].concat(),
        "run again, without --force, --only and --prune: war-rig document src -o docs",
    );
    check(
        &[&document[..], &["--only", "--force", "-o", "docs"]].concat(),
        "run again, without --only: war-rig document src -o docs",
    );
    check(
        &[&document[..], &["-o", "docs", "--", "--force"]].concat(),
        "run again: war-rig document src -o docs -- --force",
    );
}

#[test]
fn a_store_that_cannot_be_used_is_exit_10() {
    let world = World::new();
    world.run("status").check(
        10,
        "error: `.war_rig/war_rig.db`: there is no store\nhint: `war-rig document` makes it; name its folder with --state-dir DIR where it lies elsewhere\n",
    );
    assert!(!world.path().join(".war_rig").exists(), "looking makes nothing");
    sample(world.path());
    let store = world.path().join(".war_rig/war_rig.db");
    let bytes = fs::read(&store).unwrap();
    let refused = |bytes: &[u8], expected: &str| {
        fs::write(&store, bytes).unwrap();
        let ran = world.run("status");
        assert_eq!((ran.code, ran.out.as_str()), (Some(10), ""), "{}", ran.err);
        assert!(ran.err.contains(expected) && ran.err.contains("\nhint: "), "{}", ran.err);
        assert!(fs::read(&store).unwrap() == bytes);
    };
    refused(b"", "the store is damaged: it has 0 bytes");
    refused(&bytes[..bytes.len() / 2], "the store is damaged: ");
    refused(&[b'x'; 4096], "this is no store of War Rig");
    let mut newer = bytes.clone();
    newer[63] = 9;
    refused(&newer, "the store has version 9, and this War Rig knows versions up to 1");
}

#[test]
fn what_is_asked_of_the_store_wrongly_is_exit_2() {
    let world = World::new();
    sample(world.path());
    world
        .run("status --output none")
        .check(2, "error: `--output`: the store knows no output folder `none`\nhint: it knows `docs`, `other`\n");
    assert_eq!(world.run("status --watch --format json").code, Some(2));
}

#[test]
fn a_reader_of_the_status_who_leaves_early_is_no_failure() {
    let world = World::new();
    sample(world.path());
    for format in ["text", "json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = world.command(&format!("status --format {format}")).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()), "{format}");
    }
}
