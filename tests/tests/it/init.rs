//! The first hour: a folder is looked at, and everything after that needs no argument.

use std::fs;
use war_rig_tests::{Sandbox, files_below, fixtures, json_file};

#[test]
fn members_without_endings_in_ebcdic_are_found_documented_and_checked_without_an_argument() {
    let place = Sandbox::new();
    for (member, bytes) in files_below(&fixtures().join("pds")) {
        // A clone of the library in one place, without what its folders' names say.
        place.write(&format!("{}/{member}", if member.starts_with("COBOL") { "a" } else { "b" }), bytes);
    }
    place.write("a/README.md", "# Read me\n\n    MOVE A TO B.\n");
    let said = place.run(["init"]);
    said.assert_exit(0).assert_stderr(&["4 sources", "COBOL", "copybook", "war-rig document"]);
    let settings = fs::read_to_string(place.path().join("war_rig.toml")).unwrap();
    assert!(settings.contains("\"a/COBOL/*\" = \"cobol\" # 3 of 3 files"), "{settings}");

    place.run(["document"]).assert_exit(0).assert_stderr(&["look first at", "docs/index.md"]);
    let document = json_file(&place.path().join("docs/a/COBOL/RENEWAL.json"));
    assert_eq!(document["header"]["file_type"], "program");
    place.run(["check", "--thorough"]).assert_exit(0);
    place.run(["plan"]).assert_exit(0);
    place.run(["facts", "--format", "csv"]).assert_exit(0);
}

#[test]
fn a_folder_at_the_top_is_the_one_that_is_read_and_strange_documents_are_left_alone() {
    let place = Sandbox::new();
    for (name, bytes) in files_below(&fixtures().join("cpy")) {
        place.write(&format!("src/cpy/{name}"), bytes);
    }
    place.write("src/cbl/A.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       PROCEDURE DIVISION.\n           COPY NOWHERE.\n           GOBACK.\n");
    place.write("docs/manual.txt", "Ours.\n");
    place.run(["init"]).assert_exit(0).assert_stderr(&["no file here has its name", "NOWHERE"]);
    let settings = fs::read_to_string(place.path().join("war_rig.toml")).unwrap();
    assert!(settings.contains("paths = [\"src\"]") && settings.contains("folder = \"war-rig-docs\""), "{settings}");
    place.run(["init"]).assert_exit(2).assert_stderr(&["exists already"]);
    place.run(["document"]).assert_exit(0);
    assert!(place.path().join("war-rig-docs/cbl/A.cbl.md").is_file());
}

#[test]
fn without_settings_and_arguments_the_next_step_is_told() {
    let place = Sandbox::new();
    place.write("A.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n");
    for command in ["document", "plan", "facts", "check --docs out"] {
        place.run(command.split(' ')).assert_exit(2).assert_stderr(&["no sources are named", "war-rig init"]);
    }
    place.run(["document", "A.cbl"]).assert_exit(2).assert_stderr(&["no folder of documents is named", "--output"]);
}

#[test]
fn a_flat_library_in_ebcdic_has_a_rule_for_each_member_and_nothing_else_is_read() {
    let place = Sandbox::new();
    for (member, bytes) in files_below(&fixtures().join("pds/COBOL")) {
        place.write(&member, bytes);
    }
    place.write("JOBLOG", "some words\n");
    place.run(["init"]).assert_exit(0).assert_stderr(&["nothing that is known: JOBLOG"]);
    place.run(["document"]).assert_exit(0).assert_stderr(&["3 of 3 files documented without a model"]);
    place.run(["check", "--thorough"]).assert_exit(0);
    // Again, beside what the first run wrote.
    place.run(["document"]).assert_exit(0).assert_stderr(&["3 of 3 files documented"]);
}

#[test]
fn a_part_of_the_sources_is_documented_as_a_part() {
    let place = Sandbox::new();
    for (name, bytes) in files_below(&fixtures()) {
        place.write(&name, bytes);
    }
    // Without settings a part is known by what the folder of documents was made from.
    place.run(["document", ".", "-o", "docs"]).assert_exit(0);
    let whole = files_below(&place.path().join("docs"));
    place.run(["document", "cbl", "-o", "docs"]).assert_exit(0);
    let after = files_below(&place.path().join("docs"));
    assert_eq!(after.keys().collect::<Vec<_>>(), whole.keys().collect::<Vec<_>>());
    place.run(["init"]).assert_exit(0);
    place.run(["document"]).assert_exit(0);
    let before = files_below(&place.path().join("docs"));
    for part in ["cbl", "cbl/PRMCALC.cbl", "."] {
        place.run(["document", part]).assert_exit(0);
        let mut after = files_below(&place.path().join("docs"));
        after.insert("run.json".to_owned(), before["run.json"].clone());
        assert!(after == before, "documents differ after `document {part}`");
    }
    place.run(["check", "cbl"]).assert_exit(0);
    place.run(["document", "no-such-part"]).assert_exit(2).assert_stderr(&["no-such-part"]);
    place.run(["document", "cpy", "--only", "cbl/*"]).assert_exit(2).assert_stderr(&["no source matches --only"]);
}
