//! The output folder is its user's: what War Rig has not written, and what a person has changed, is neither overwritten nor removed in
//! silence.

use std::collections::BTreeMap;
use std::fs;
use war_rig_tests::{CommandResult, Sandbox, files_below, json_file};

const OWN: [&str; 4] = ["index.md", "data.md", "dictionary.md", "run.json"];

fn program(name: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n           SELECT F ASSIGN TO F.\n       DATA DIVISION.\n       FILE SECTION.\n       FD F.\n       01 R PIC X(8).\n       PROCEDURE DIVISION.\n       0000-MAIN.\n           OPEN INPUT F.\n           GOBACK.\n"
    )
}

/// Two programs, documented.
fn documented() -> Sandbox {
    let place = Sandbox::new();
    place.write("src/cbl/A.cbl", program("A"));
    place.write("src/cbl/B.cbl", program("B"));
    place.write("src/jcl/J.jcl", "//J JOB\n//S EXEC PGM=A\n//F DD DSN=CLAIMS.DAILY,DISP=SHR\n");
    document(&place, &[]).assert_exit(0);
    place
}

fn document(place: &Sandbox, more: &[&str]) -> CommandResult {
    place.run(["document", "src", "-o", "out"].iter().chain(more))
}

/// Asserts that a run has found no page that was changed by hand.
#[track_caller]
fn check_none_edited(ran: &CommandResult) {
    assert!(!ran.assert_exit(0).err.contains("changed by hand"), "{}", ran.err);
}

fn files(place: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    files_below(&place.path().join("out")).into_iter().collect()
}

fn text(place: &Sandbox, name: &str) -> String {
    fs::read_to_string(place.path().join("out").join(name)).unwrap()
}

/// Adds a note by hand, and gives the page with it.
fn note(place: &Sandbox, name: &str) -> String {
    let noted = format!("{}\nMind the gap: ask Maria.\n", text(place, name));
    place.write(&format!("out/{name}"), &noted);
    noted
}

#[test]
fn names_that_another_system_does_not_take_are_mended_or_told() {
    let place = Sandbox::new();
    for name in ["cbl/CON.cbl", "cbl/PAY:NIGHT.cbl", "cbl/PAY?NIGHT.cbl", "aux/A.cbl", "cbl/BOTH.cbl", "cbl/both.cbl"] {
        place.write(&format!("src/{name}"), program("A"));
    }
    let ran = document(&place, &[]);
    ran.assert_exit(0);
    let told = "the documents of cbl/BOTH.cbl, cbl/both.cbl have names that differ only in the case of letters";
    assert!(ran.err.contains(told) && ran.err.contains("`source.exclude`"), "{}", ran.err);
    let names: Vec<String> = files(&place).into_keys().filter(|name| name.ends_with(".cbl.json")).collect();
    assert_eq!(names, ["aux_/A.cbl.json", "cbl/BOTH.cbl.json", "cbl/CON_.cbl.json", "cbl/both.cbl.json"]);
    assert!(files(&place).keys().all(|name| !name.contains([':', '?'])), "{:?}", files(&place).keys());
    // Links lead to where the pages are, and all of it is known again.
    assert!(text(&place, "sources.md").contains("(cbl/CON_.cbl.md)"));
    place.run(["check", "src", "--docs", "out", "--thorough", "--fail-on", "stale,citation"]).assert_exit(0);
    place.write("src/cbl/CON.cbl", program("B"));
    document(&place, &[]).assert_exit(0);
    assert!(text(&place, "cbl/CON_.cbl.json").contains("\"B\""));
}

#[test]
fn a_folder_of_foreign_files_is_refused_and_stays_as_it_is() {
    let all = ["cbl/A.cbl.json", "cbl/A.cbl.md", "index.md", "data.md", "dictionary.md", "run.json"];
    for name in all {
        let place = Sandbox::new();
        place.write("src/cbl/A.cbl", program("A"));
        place.write("src/jcl/J.jcl", "//J JOB\n//S EXEC PGM=A\n");
        place.write(&format!("out/{name}"), "{\"mine\": true}\n");
        place.write("out/other.md", "Mine as well.\n");
        let before = files(&place);
        document(&place, &[]).assert_exit(2).assert_stderr(&["error: ", name, "--overwrite-foreign"]);
        assert_eq!(files(&place), before, "{name}");
        document(&place, &["--overwrite-foreign"]).assert_exit(0);
        assert_eq!(text(&place, "other.md"), "Mine as well.\n");
        // What there is nothing to put in is not removed either.
        assert_eq!(text(&place, name).contains("mine"), ["data.md", "dictionary.md"].contains(&name), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn no_link_inside_the_output_folder_is_followed() {
    for (link, is_folder) in [("out/cbl", true), ("out/cbl/A.cbl.md", false), ("out/index.md", false)] {
        let place = Sandbox::new();
        place.write("src/cbl/A.cbl", program("A"));
        place.write("src/jcl/J.jcl", "//J JOB\n//S EXEC PGM=A\n");
        place.write("elsewhere/kept.md", "Mine.\n");
        let link = place.path().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let target = if is_folder { "elsewhere" } else { "elsewhere/kept.md" };
        std::os::unix::fs::symlink(place.path().join(target), &link).unwrap();
        document(&place, &[]).assert_exit(2).assert_stderr(&["--overwrite-foreign"]);
        let elsewhere = files_below(&place.path().join("elsewhere"));
        assert_eq!(elsewhere, [("kept.md".to_owned(), b"Mine.\n".to_vec())].into());
    }
}

#[test]
fn pages_of_functions_and_entry_points_follow_the_sources_and_leave_the_files_of_others_alone() {
    let place = documented();
    place.write("src/jcl/J.jcl", "//J JOB\n//S EXEC PGM=A\n");
    place.write("out/functions/mine.md", "Mine.\n");
    document(&place, &[]).assert_exit(0);
    for page in ["functions/a.md", "entry-points/job-J.md"] {
        assert!(text(&place, page).contains("](../cbl/A.cbl.md)"), "{page}");
    }
    place.run(["check", "src", "--docs", "out", "--thorough", "--fail-on", "stale"]).assert_exit(0);
    // What nothing tells of any more goes, and a run that finds nothing to do touches nothing.
    fs::remove_file(place.path().join("src/jcl/J.jcl")).unwrap();
    place.write("src/cbl/A.cbl", program("B"));
    document(&place, &["--prune"]).assert_exit(0);
    let names: Vec<String> = files(&place).into_keys().filter(|name| name.starts_with("functions/")).collect();
    assert_eq!(names, ["functions/b-cbl-a-cbl.md", "functions/b.md", "functions/mine.md"]);
    assert!(!files(&place).keys().any(|name| name.starts_with("entry-points/")));
    let pages = || files(&place).into_iter().filter(|(name, _)| name.ends_with(".md")).collect::<BTreeMap<_, _>>();
    let before = pages();
    document(&place, &[]).assert_exit(0).assert_stderr(&["up to date"]);
    assert_eq!(pages(), before);
    // A page that somebody else has written stays where another is needed, too.
    place.write("war_rig.toml", "[output.functions]\nMine = \"B\"\n");
    document(&place, &[]).assert_exit(0).assert_stderr(&["changed by hand", "functions/mine.md"]);
    assert_eq!(text(&place, "functions/mine.md"), "Mine.\n");
    fs::remove_file(place.path().join("out/functions/mine.md")).unwrap();
    document(&place, &[]).assert_exit(0);
    assert!(text(&place, "functions/mine.md").contains("named in the settings"));
}

#[test]
fn what_a_person_wrote_into_a_page_survives() {
    for name in ["cbl/A.cbl.md", "index.md", "data.md", "functions/a.md"] {
        let place = documented();
        let noted = note(&place, name);
        let survives = |what: &str| assert_eq!(text(&place, name), noted, "{name}: {what}");
        document(&place, &[]).assert_exit(0).assert_stderr(&["changed by hand", name]);
        survives("a rerun");
        document(&place, &["--force"]).assert_exit(0).assert_stderr(&["changed by hand", name]);
        survives("everything anew");
        place.write("src/cbl/A.cbl", program("A").replace("0000-MAIN", "1000-MAIN"));
        document(&place, &[]).assert_exit(0);
        survives("a changed source");
        assert!(text(&place, "cbl/A.cbl.json").contains("1000-MAIN"), "the JSON is always written");
        fs::remove_dir_all(place.path().join(".war_rig")).unwrap();
        document(&place, &[]).assert_exit(0).assert_stderr(&["changed by hand", name]);
        survives("a store that is gone");
        if name.starts_with("cbl/") {
            let check = place.run(["check", "src", "--docs", "out"]);
            assert!(check.assert_exit(4).out.contains("stale"), "{}", check.out);
            fs::remove_file(place.path().join("src/cbl/A.cbl")).unwrap();
            document(&place, &["--prune"]).assert_exit(0).assert_stderr(&["changed by hand", name]);
            survives("a source that is gone");
            assert!(!place.path().join("out/cbl/A.cbl.json").exists());
        } else {
            // Who removes it gets ours again.
            fs::remove_file(place.path().join("out").join(name)).unwrap();
            check_none_edited(&document(&place, &[]));
            assert!(!text(&place, name).contains("Maria"));
        }
    }
}

#[test]
fn a_page_that_was_removed_is_written_again() {
    let place = documented();
    let page = text(&place, "cbl/A.cbl.md");
    note(&place, "cbl/A.cbl.md");
    document(&place, &[]).assert_exit(0);
    fs::remove_file(place.path().join("out/cbl/A.cbl.md")).unwrap();
    check_none_edited(&document(&place, &[]));
    assert_eq!(text(&place, "cbl/A.cbl.md"), page);
}

#[test]
fn a_new_page_is_written_beside_an_edited_one_or_the_run_stops() {
    let place = documented();
    let (page, noted) = (text(&place, "cbl/A.cbl.md"), note(&place, "cbl/A.cbl.md"));
    place.write("war_rig.toml", "[output]\nedited = \"stop\"\n");
    place.write("src/cbl/B.cbl", program("C"));
    let before = files(&place);
    document(&place, &[]).assert_exit(2).assert_stderr(&["cbl/A.cbl.md", "output.edited"]);
    assert_eq!(files(&place), before);
    place.write("war_rig.toml", "[output]\nedited = \"beside\"\n");
    document(&place, &[]).assert_exit(0).assert_stderr(&["changed by hand", "cbl/A.cbl.md"]);
    assert_eq!(text(&place, "cbl/A.cbl.md"), noted);
    assert_eq!(text(&place, "cbl/A.cbl.md.new"), page);
}

#[test]
fn line_ends_are_no_edit() {
    let place = documented();
    let before = files(&place);
    for name in ["cbl/A.cbl.md", "cbl/A.cbl.json", "index.md", "data.md"] {
        place.write(&format!("out/{name}"), text(&place, name).replace('\n', "\r\n"));
    }
    fs::remove_dir_all(place.path().join(".war_rig")).unwrap();
    check_none_edited(&document(&place, &[]));
    assert_eq!(files(&place), before);
}

/// Documents of the version before: their pages have seals, and the run's own pages no mark but the report's hashes.
#[test]
fn documents_of_the_last_version_are_known_for_ours() {
    let place = documented();
    let before = files(&place);
    let mut report = json_file(&place.path().join("out/run.json"));
    for name in &OWN[..3] {
        if !before.contains_key(*name) {
            continue;
        }
        let page = text(&place, name);
        let page = page.split_inclusive('\n').filter(|line| !line.starts_with("<!-- war-rig: ")).collect::<String>();
        report["pages"][*name] = war_rig_text::ContentHash::of(page.as_bytes()).to_string().into();
        place.write(&format!("out/{name}"), page);
    }
    report.as_object_mut().unwrap().remove("written_by");
    place.write("out/run.json", serde_json::to_string_pretty(&report).unwrap() + "\n");
    fs::remove_dir_all(place.path().join(".war_rig")).unwrap();
    check_none_edited(&document(&place, &[]));
    assert_eq!(files(&place), before);
}
