//! A program's document refers to the items of copybooks instead of repeating them, and nothing is lost by that.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use war_rig_tests::{Sandbox, files_below, fixture_names, fixtures, json_file, whole_dictionary};

/// What the facts and the documents both say of an item.
const FIELDS: [&str; 10] =
    ["name", "level", "picture", "usage", "offset", "length", "occurs", "redefines", "value", "line"];

/// An item as text, with the file it stands in.
fn item(item: &Value, file: &str) -> String {
    let mut fields: Map<String, Value> = FIELDS.iter().map(|name| ((*name).to_owned(), item[*name].clone())).collect();
    let file = item["file"].as_str().unwrap_or(file).rsplit('/').next().unwrap();
    fields.insert("file".to_owned(), file.into());
    Value::Object(fields).to_string()
}

fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Asserts that the documents of a folder have all items of the facts of its COBOL sources. Returns how often they refer to a copybook.
#[track_caller]
fn check_items(place: &Sandbox, folder: &Path, copybooks: &str, names: &[String]) -> usize {
    place.run(["document", &folder.display().to_string(), "-o", "out"]).assert_exit(0);
    let out = place.path().join("out");
    let documents: BTreeMap<String, Value> =
        names.iter().map(|name| (name.clone(), json_file(&out.join(format!("{name}.json"))))).collect();
    let copybooks = folder.join(copybooks).display().to_string();
    for name in names {
        let file = folder.join(name).display().to_string();
        let facts = place.run(["facts", "--format", "json", &file, "--copybooks", &copybooks]).assert_exit(0).json();
        let mut expected: Vec<String> = list(&facts, "data_items").iter().map(|found| item(found, name)).collect();
        let found = whole_dictionary(name, &|name| documents[name].clone());
        let mut found: Vec<String> = found.iter().map(|found| item(found, name)).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{name}");
    }
    documents.values().map(|document| list(document, "copied_data").len()).sum()
}

#[test]
fn what_a_document_refers_to_stands_in_the_document_of_the_copybook() {
    let references = check_items(&Sandbox::new(), &fixtures(), "cpy", &fixture_names());
    assert!(references > 40, "{references}");
}

/// Asserts which files a program with this WORKING-STORAGE refers to, and that no item is lost.
#[track_caller]
fn check_references(storage: &[&str], expected: &Value) {
    let place = Sandbox::new();
    let lines = |lines: &[&str]| lines.iter().map(|line| format!("       {line}\n")).collect::<String>();
    let head = ["IDENTIFICATION DIVISION.", "PROGRAM-ID. A.", "DATA DIVISION.", "WORKING-STORAGE SECTION."];
    let tail = ["PROCEDURE DIVISION.", "    GOBACK."];
    place.write("src/A.cbl", [lines(&head), lines(storage), lines(&tail)].concat());
    place.write("src/WHOLE.cpy", lines(&["01  W.", "    05  W-A PIC X(3).", "    05  W-B PIC S9(5) COMP."]));
    place.write("src/PARTS.cpy", lines(&["    05  P-A PIC 9(4).", "    05  P-B PIC X."]));
    place.write("src/OUTER.cpy", lines(&["    05  O-A PIC X(9).", "    COPY PARTS.", "    05  O-B PIC X."]));
    place.write("src/SIGNED.cpy", lines(&["    05  S-A PIC S9(4).", "    05  S-B PIC X."]));
    let names = files_below(&place.path().join("src")).into_keys().collect::<Vec<_>>();
    check_items(&place, &place.path().join("src"), "", &names);
    let document = json_file(&place.path().join("out/A.cbl.json"));
    let fields = ["copybook", "part_of", "offset", "records"];
    let told = list(&document, "copied_data").iter().map(|copied| {
        let names =
            |value: &Value| value.as_array().map(|records| records.iter().map(|one| one["name"].clone()).collect());
        let said = fields.iter().map(|name| names(&copied[*name]).unwrap_or_else(|| copied[*name].clone()));
        let said = said.filter(|value| !value.is_null());
        Value::Array(said.collect())
    });
    assert_eq!(Value::Array(told.collect()), *expected, "{storage:?}");
}

#[test]
fn records_and_parts_of_records_are_referred_to() {
    check_references(&["COPY WHOLE.", "77  OWN PIC X."], &json!([["WHOLE.cpy", ["W"]]]));
    check_references(&["01  R.", "    05  R-A PIC X(7).", "    COPY PARTS."], &json!([["PARTS.cpy", "R", 7]]));
    check_references(&["01  R.", "    COPY OUTER.", "    05  R-B PIC X."], &json!([["OUTER.cpy", "R", 0]]));
    check_references(
        &["COPY WHOLE.", "01  R.", "    COPY PARTS."],
        &json!([["WHOLE.cpy", ["W"]], ["PARTS.cpy", "R", 0]]),
    );
    check_references(
        &["01  R.", "    COPY PARTS.", "01  S.", "    COPY PARTS."],
        &json!([["PARTS.cpy", "R", 0], ["PARTS.cpy", "S", 0]]),
    );
}

#[test]
fn items_of_symbolic_maps_are_referred_to() {
    let place = Sandbox::new();
    let program = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       \
        COPY MENUSET.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    place.write("src/A.cbl", program);
    let maps = "MENUSET  DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,TIOAPFX=YES,STORAGE=AUTO\n\
        MENU     DFHMDI SIZE=(24,80)\n\
        CHOICE   DFHMDF POS=(5,10),LENGTH=2,ATTRB=(UNPROT,IC)\n\
        LINES    DFHMDF POS=(7,10),LENGTH=9,OCCURS=3\n         DFHMSD TYPE=FINAL\n         END\n";
    place.write("src/MENUSET.bms", maps);
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    // A map set is known with the estate.
    let facts = place.run(["facts", "--format", "json", "src"]).assert_exit(0).json()["files"][0].clone();
    let document = |name: &str| json_file(&place.path().join(format!("out/{name}.json")));
    let expected: Vec<String> = list(&facts, "data_items").iter().map(|found| item(found, "A.cbl")).collect();
    let found: Vec<String> = whole_dictionary("A.cbl", &document).iter().map(|found| item(found, "A.cbl")).collect();
    assert_eq!(found, expected);
    assert!(expected.len() > 10 && list(&document("A.cbl"), "data_dictionary").is_empty());
    let copied = document("A.cbl")["copied_data"][0].clone();
    let records: Vec<&Value> = list(&copied, "records").iter().map(|one| &one["name"]).collect();
    assert_eq!(records, ["MENUI", "MENUO"]);
    place.run(["check", "src", "--docs", "out"]).assert_exit(0);
}

#[test]
fn items_that_the_program_changes_are_repeated() {
    for storage in [
        ["01  R.", "    COPY PARTS REPLACING ==P-A== BY ==X-A==."].as_slice(),
        &["REPLACE ==P-A== BY ==X-A==.", "01  R.", "    COPY PARTS."],
        &["01  R COMP.", "    COPY PARTS."],
        &["01  R SIGN LEADING SEPARATE.", "    05  R-A PIC S9.", "    COPY SIGNED."],
        &["COPY WHOLE.", "        10  W-C PIC X."],
        &["01  R.", "    COPY PARTS.", "        88  P-YES VALUE 'Y'."],
    ] {
        check_references(storage, &json!([]));
    }
}

/// Asserts which copybooks the program A.cbl refers to, and that no item of an estate is lost.
#[track_caller]
fn check_estate(files: &[(&str, &str)], expected: &[&str]) {
    let place = Sandbox::new();
    for (name, text) in files {
        let lines = text.split('|').map(|line| format!("       {line}\n"));
        place.write(&format!("src/{name}"), lines.collect::<String>());
    }
    let names: Vec<String> = files.iter().map(|(name, _)| (*name).to_owned()).collect();
    check_items(&place, &place.path().join("src"), "", &names);
    let document = json_file(&place.path().join("out/A.cbl.json"));
    let referred: Vec<&str> =
        list(&document, "copied_data").iter().map(|copied| copied["copybook"].as_str().unwrap()).collect();
    assert_eq!(referred, expected, "{files:?}");
}

/// A program with this in its ENVIRONMENT DIVISION and its WORKING-STORAGE.
fn program(environment: &str, storage: &str) -> String {
    format!(
        "IDENTIFICATION DIVISION.|PROGRAM-ID. A.|{environment}DATA DIVISION.|WORKING-STORAGE SECTION.|{storage}|PROCEDURE DIVISION.|    GOBACK."
    )
}

#[test]
fn what_surrounds_a_copy_may_make_other_items_of_it() {
    const PARTS: &str = "    05  P-A PIC 9(4).|    05  P-B PIC X.";
    let check = |environment: &str, storage: &str, copybook: &str, expected: &[&str]| {
        check_estate(&[("A.cbl", &program(environment, storage)), ("BOOK.cpy", copybook)], expected);
    };
    check("", "01  R.|    COPY NOTHERE.|    COPY BOOK.", PARTS, &[]);
    check("", "01  R GROUP-USAGE NATIONAL.|    COPY BOOK.", PARTS, &[]);
    check("", "01  R.|    05  G OCCURS 3.|    COPY BOOK.", "        10  B-A PIC X(4).|    05  B-B PIC X.", &[]);
    check("", "01  R.|    05  A PIC X(10).|    COPY BOOK.", "    05  B REDEFINES A PIC X(4).|    05  C PIC X.", &[]);
    check("", "78  N VALUE 5.|    COPY BOOK.", "01  T.|    05  E OCCURS N PIC X(2).", &[]);
    check("", "01  R.|    COPY BOOK.|        PIC X(3).", "    05  A PIC X.|    05  B", &[]);
    let special = "ENVIRONMENT DIVISION.|CONFIGURATION SECTION.|SPECIAL-NAMES.|    DECIMAL-POINT IS COMMA.|";
    check(special, "COPY BOOK.", "01  V PIC 9V99 VALUE 1,50.", &[]);
    check(special, "COPY BOOK.", "01  V PIC 9V99.", &["BOOK.cpy"]);
}

#[test]
fn each_copy_has_a_reference_of_its_own() {
    let inner = ("INNER.cpy", "01  I PIC X.");
    let outer = ("OUTER.cpy", "COPY INNER.|01  O PIC X.");
    let adjacent = program("", "COPY INNER.|COPY OUTER.|COPY INNER.");
    check_estate(&[("A.cbl", &adjacent), inner, outer], &["INNER.cpy", "OUTER.cpy", "INNER.cpy"]);
    let two = [program("", "COPY INNER."), program("", "COPY INNER.").replace("PROGRAM-ID. A", "PROGRAM-ID. B")];
    let two = two.join("|    END PROGRAM A.|").replace("    END PROGRAM A.|", "END PROGRAM A.|");
    check_estate(&[("A.cbl", &two), inner], &["INNER.cpy", "INNER.cpy"]);
}

#[test]
fn a_copybook_that_does_not_read_as_cobol_is_repeated() {
    let place = Sandbox::new();
    let prose = "       THIS IS A LETTER TO ALL WHO KEEP THE BOOKS.\n".repeat(40);
    place.write("src/LETTER.cpy", format!("       01  Z PIC X.\n{prose}"));
    place.write("src/A.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           COPY LETTER.\n");
    place
        .run(["document", "src", "-o", "out"])
        .assert_exit(0)
        .assert_stderr(&["LETTER.cpy: skipped: not a COBOL source"]);
    let document = json_file(&place.path().join("out/A.cbl.json"));
    assert_eq!(list(&document, "copied_data").len(), 0, "{document}");
    assert_eq!(document["data_dictionary"][0]["name"], "Z");
}

#[test]
fn a_copybook_without_a_document_is_repeated() {
    let place = Sandbox::new();
    place.write("cpy/REC.cpy", "       01  REC PIC X(4).\n");
    place.write(
        "src/A.cbl",
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. A.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           COPY REC.\n       \
         PROCEDURE DIVISION.\n           GOBACK.\n",
    );
    let documented = |sources: &[&str]| {
        place.run(["document", "-o", "out", "--copybooks", "cpy"].iter().chain(sources)).assert_exit(0);
        let out = place.path().join("out");
        let name = ["A.cbl.json", "src/A.cbl.json"].into_iter().find(|name| out.join(name).exists());
        let document = json_file(&out.join(name.unwrap()));
        std::fs::remove_dir_all(out).unwrap();
        (list(&document, "data_dictionary").len(), list(&document, "copied_data").len())
    };
    assert_eq!(documented(&["src"]), (1, 0));
    assert_eq!(documented(&["src", "cpy"]), (0, 1));
    place.run(["document", "src", "cpy", "-o", "out"]).assert_exit(0);
    place.run(["check", "src", "cpy", "--docs", "out"]).assert_exit(0);
}
