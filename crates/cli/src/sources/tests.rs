//! What a scan finds, and what COPY statements find in it.

use super::Inventory;
use crate::printer::Printer;
use crate::settings::{Options, Settings, combine};
use std::fs;
use war_rig_estate::SourceKind;
use war_rig_pool::{SourceId, Sources};

const PROGRAM: &str =
    "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
const COPYBOOK: &str = "       01  REC.\n           05  F PIC X.\n";

/// Scans a folder of these files.
fn scan(files: &[(&str, &str)]) -> (tempfile::TempDir, Inventory) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let settings = Settings::resolve(&combine(None, [], Options::default()).unwrap()).unwrap();
    let inventory = Inventory::scan(&[folder.path().to_owned()], &settings, None, &Printer::quiet()).unwrap();
    (folder, inventory)
}

#[test]
fn files_without_a_known_ending_are_told_by_their_first_lines() {
    let long = format!("{PROGRAM}{}", "      * more\n".repeat(2000));
    let (_folder, inventory) = scan(&[
        ("A.cbl", PROGRAM),
        ("B.sqb", PROGRAM),
        ("P2", PROGRAM),
        ("X.txt", &long),
        ("copy/REC", COPYBOOK),
        ("README.md", PROGRAM),
        ("notes.txt", "buy milk\n"),
        (".git/P3", PROGRAM),
    ]);
    assert_eq!((inventory.picked.len(), inventory.unnamed_sources()), (2, 3));
}

#[test]
fn screens_under_the_ending_of_programs_are_screens_and_hidden_folders_are_left_out() {
    let screen = "MENUSET  DFHMSD TYPE=MAP,LANG=COBOL\nMENU     DFHMDI SIZE=(24,80)\n";
    let (_folder, inventory) = scan(&[
        ("cbl/MENU.cbl", PROGRAM),
        ("bms/MENU.cbl", screen),
        ("bms/MENUS.asm", screen),
        ("cbl/.expanded/MENU.cbl", PROGRAM),
    ]);
    let kinds = inventory.picked.iter().map(|id| (id.0.as_str(), inventory.kind(id)));
    let expected =
        [("bms/MENU.cbl", SourceKind::Bms), ("bms/MENUS.asm", SourceKind::Bms), ("cbl/MENU.cbl", SourceKind::Cobol)];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

#[test]
fn a_copy_finds_the_file_that_it_names_and_no_program_in_its_place() {
    let (_folder, inventory) = scan(&[
        ("spooler.cbl", PROGRAM),
        ("copy/CUSTREC", COPYBOOK),
        ("copy/cust.sl", COPYBOOK),
        ("copy/cust.fd", COPYBOOK),
        ("dates.cbl", COPYBOOK),
        ("dates.cpy", COPYBOOK),
        ("copy/spooler.txt", COPYBOOK),
    ]);
    let found = |name: &str| {
        inventory.copybooks(&SourceId("spooler.cbl".to_owned())).find(name, None).map(|book| book.name().to_owned())
    };
    let named = |file: &str| Some(file.to_owned());
    assert_eq!(found("CUSTREC"), named("copy/CUSTREC"));
    assert_eq!(found("CUST.SL"), named("copy/cust.sl"));
    assert_eq!(found("CUST.FD"), named("copy/cust.fd"));
    assert_eq!(found("CUST"), None);
    assert_eq!(found("SPOOLER.DEF"), None);
    assert_eq!(found("SPOOLER"), None);
    assert_eq!(found("SPOOLER.CBL"), named("spooler.cbl"));
    assert_eq!(found("DATES"), named("dates.cpy"));
    assert_eq!(found("DATES.CBL"), named("dates.cbl"));
}

#[test]
fn of_copybooks_with_one_name_the_nearest_is_copied() {
    let (_folder, inventory) = scan(&[
        ("one/pgm/A.cbl", PROGRAM),
        ("two/B.cbl", PROGRAM),
        ("three/pgm/C.cbl", PROGRAM),
        ("three/pgm/REC.cbl", COPYBOOK),
        ("lib/REC.cpy", COPYBOOK),
        ("one/cpy/REC.cpy", COPYBOOK),
        ("two/REC.cpy", COPYBOOK),
        ("two/deep/REC.cpy", COPYBOOK),
    ]);
    let found = |program: &str, library: Option<&str>| {
        let copybooks = inventory.copybooks(&SourceId(program.to_owned()));
        copybooks.find("REC", library).map(|book| book.name().to_owned()).unwrap()
    };
    assert_eq!(found("one/pgm/A.cbl", None), "one/cpy/REC.cpy");
    assert_eq!(found("two/B.cbl", None), "two/REC.cpy");
    assert_eq!(found("two/B.cbl", Some("DEEP")), "two/deep/REC.cpy");
    // What looks like a copybook comes before a nearer program; of equally near ones, the first by its name.
    assert_eq!(found("three/pgm/C.cbl", None), "lib/REC.cpy");
}

#[test]
fn the_folders_that_the_user_names_come_before_a_nearer_copybook() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, text) in [("pgm/A.cbl", PROGRAM), ("pgm/REC.cpy", COPYBOOK), ("prod/REC.cpy", COPYBOOK)] {
        fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        fs::write(path(name), text).unwrap();
    }
    let mut settings = Settings::resolve(&combine(None, [], Options::default()).unwrap()).unwrap();
    settings.source.copybooks = vec![path("prod")];
    let inventory = Inventory::scan(&[folder.path().to_owned()], &settings, None, &Printer::quiet()).unwrap();
    let copybooks = inventory.copybooks(&SourceId("pgm/A.cbl".to_owned()));
    assert_eq!(copybooks.find("REC", None).unwrap().name(), "prod/REC.cpy");
}
