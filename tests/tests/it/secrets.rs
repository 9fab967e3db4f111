//! Passwords and keys in sources: what each policy makes of them, in everything that is written or said.

use crate::asked::Case;
use std::path::PathBuf;
use war_rig_tests::fake::FakeOptions;
use war_rig_tests::{CommandResult, Sandbox, check_tiling, files_below, json_file, project};

/// What every planted secret has in it.
pub(crate) const PLANTED: [&str; 3] = ["PLANT", "plant", "900901"];
/// Every planted secret by the part of it that no other has.
const SECRETS: [&str; 31] = [
    "PLANT01A", "PLANT02A", "PLANT02B", "PLANT03A", "PLANT04A", "PLANT05A", "PLANT05B", "PLANT06A", "PLANT07A",
    "PLANT08A", "PLANT08B", "900901", "PLANT10A", "PLANT10B", "PLANT11A", "PLANT12A", "PLANT13A", "plant14a",
    "PLANT15A", "PLANT16A", "PLANT17A", "PLANT18A", "PLANT19A", "PLANT19B", "PLANT20A", "PLANT21A", "PLANT22A",
    "PLANT23A", "PLANT24A", "plant25a", "MIIPLANT",
];
/// What stands beside them and is none.
const HARMLESS: [&str; 9] = [
    "'ENTER YOUR PASSWORD:'",
    "PASSWORD: SEE THE OPERATIONS HANDBOOK.",
    "VALUE '*EXPIRED'.",
    "VALUE 1008.",
    "VALUE 'GATE WORD'.",
    "VALUE 'YES'.",
    "HOST=GATE1;UID=TMA;PWD=XXXXXXXX;PORT=4021",
    "'INVALID PASSWORD'",
    "'NIGHTRUN'",
];

fn folder() -> PathBuf {
    project().join("fixtures").join("secrets")
}

pub(crate) fn program() -> PathBuf {
    folder().join("cbl").join("GATEWAY.cbl")
}

/// A place whose settings have this policy.
fn place(policy: &str) -> Sandbox {
    let place = Sandbox::new();
    place.write("war_rig.toml", format!("[secrets]\npolicy = \"{policy}\"\n"));
    place
}

/// Asserts that no planted secret stands in a text.
#[track_caller]
fn check_clean(what: &str, text: &str) {
    for planted in PLANTED {
        let at = text.find(planted);
        assert!(at.is_none(), "{what}: ...{}", &text[at.unwrap_or(0).saturating_sub(80)..][..120]);
    }
}

#[track_caller]
fn check_ran_clean(what: &str, ran: &CommandResult) {
    check_clean(&format!("{what}: standard output"), &ran.out);
    check_clean(&format!("{what}: standard error"), &ran.err);
}

/// The columns 7 to 72 of each line of the program.
fn columns() -> Vec<String> {
    let text = std::fs::read_to_string(program()).unwrap();
    text.lines().map(|line| line.get(6..).unwrap_or_default().trim_end().to_owned()).collect()
}

/// The lines of all chunks of the program.
#[track_caller]
fn chunked(place: &Sandbox) -> Vec<String> {
    let ran = place.line("chunk {} --max-tokens 500 --format json", &program());
    let json = ran.assert_exit(0).json();
    check_tiling(&json["chunks"], columns().len() as u64, "GATEWAY.cbl");
    let contents = json["chunks"].as_array().unwrap().iter().map(|chunk| chunk["content"].as_str().unwrap());
    contents.flat_map(|content| content.split('\n').map(str::to_owned)).collect()
}

#[test]
fn a_redacted_secret_stands_nowhere_but_in_the_input() {
    // Redaction holds when nothing is said.
    for (place, budget) in [(Sandbox::new(), 15_000), (place("redact"), 4_000)] {
        let line = format!("document {{}} -o out -vvv --max-prompt-tokens {budget}");
        let ran = place.line(&line, &folder());
        ran.assert_exit(0)
            .assert_stderr(&["warning: cbl/GATEWAY.cbl: lines 3, ", "warning: cpy/GATEKEYS.cpy: lines 4, 5 hold"]);
        assert_eq!(ran.err.matches("what looks like a secret; it is shown as XXXXXXXX").count(), 2, "{}", ran.err);
        check_ran_clean("document", &ran);
        for (name, bytes) in files_below(&place.path().join("out")) {
            check_clean(&name, &String::from_utf8(bytes).unwrap());
        }
        for line in [
            "facts {} -vvv",
            "facts {} -vvv --format json",
            "plan {} -vvv",
            "plan {} -vvv --format json",
            "document {} --dry-run -vvv",
        ] {
            check_ran_clean(line, place.line(line, &folder()).assert_exit(0));
        }
        for line in ["chunk {} --max-tokens 500 -vvv", "chunk {} --max-tokens 9000 -vvv --format json", "facts {} -vvv"]
        {
            check_ran_clean(line, place.line(line, &program()).assert_exit(0));
        }
        let document = json_file(&place.path().join("out/cbl/GATEWAY.cbl.json"));
        let notes: Vec<&str> =
            document["header"]["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect();
        let value = "line 21: the value of WS-PASSWORD looks like a password and is shown as XXXXXXXX";
        assert!(notes.contains(&value), "{notes:#?}");
        let page = std::fs::read_to_string(place.path().join("out/cbl/GATEWAY.cbl.md")).unwrap();
        assert!(page.contains("looks like a password and is shown as XXXXXXXX"), "{page}");
        // What is known of the copybook carries the mask.
        let copybook = json_file(&place.path().join("out/cpy/GATEKEYS.cpy.json"));
        let items = copybook["data_dictionary"].as_array().unwrap();
        let key = items.iter().find(|item| item["name"] == "GK-PASSWORD").unwrap();
        assert_eq!(key["value"], "'XXXXXXXX'");
    }
}

/// A password that one program names, and that stands again where nobody says what it is.
const NAMED: &str = "Zx81Kestrel";

/// A program that shows the password in a comment and a message.
const SHOWING: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOWING.
      * CHECKED AGAINST Zx81Kestrel IN MAY
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY NOTED.
       PROCEDURE DIVISION.
       MAIN-LINE.
           DISPLAY 'CALL THE DESK WITH Zx81Kestrel'.
           GOBACK.
";

const NAMING: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. NAMING.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DB-PASSWORD PIC X(11) VALUE 'Zx81Kestrel'.
       PROCEDURE DIVISION.
       MAIN-LINE.
           GOBACK.
";

const NOTED: &str = "      * AS Zx81Kestrel SAYS\n       01  NOTED-ITEM PIC X(11) VALUE 'Zx81Kestrel'.\n";
const NOTED_JOB: &str = "//NIGHT JOB (A),'RUN'\n//* RESTART WITH Zx81Kestrel\n//S1 EXEC PGM=SHOWING\n";

/// Asserts that no file below a folder has a text in it.
#[track_caller]
fn check_hidden(folder: &std::path::Path, text: &str) {
    for (name, bytes) in files_below(folder) {
        assert!(!bytes.windows(text.len()).any(|part| part == text.as_bytes()), "{name} shows it");
    }
}

#[test]
fn what_one_source_names_is_shown_by_none() {
    let sources = [("SHOWING.cbl", SHOWING), ("NAMING.cbl", NAMING), ("NOTED.cpy", NOTED), ("NIGHT.jcl", NOTED_JOB)];
    let case = Case::of(&sources, FakeOptions::default());
    let outcome = case.run();
    outcome.ended(0, &["4 of 4 files documented"]);
    assert!(outcome.calls.len() >= 2);
    for call in &outcome.calls {
        assert!(!call.body.to_string().contains(NAMED), "a prompt about {}", call.file);
    }
    assert!(!outcome.ran.err.contains(NAMED) && !outcome.ran.out.contains(NAMED));
    check_hidden(&case.place.path().join("out"), NAMED);
    check_hidden(&case.place.path().join(".war_rig"), NAMED);
    let facts = case.place.run(["facts", "src", "-vvv"]);
    assert!(!facts.out.contains(NAMED) && !facts.err.contains(NAMED));
    case.place.run(["check", "src", "--docs", "out", "--thorough"]).assert_exit(0);
    let shows = |text: &str| outcome.calls.iter().any(|call| call.body.to_string().contains(text));
    assert!(shows("CALL THE DESK WITH XXXXXXXXXXX") && shows("CHECKED AGAINST XXXXXXXXXXX IN MAY"));
}

#[test]
fn what_names_a_program_is_shown_by_all() {
    let place = Sandbox::new();
    let naming = NAMING.replace("WS-DB-PASSWORD PIC X(11) VALUE 'Zx81Kestrel'", "WS-LOGIN PIC X(8) VALUE 'CS00100S'");
    let calling = SHOWING.replace("DISPLAY 'CALL THE DESK WITH Zx81Kestrel'", "CALL 'CS00100S'");
    place.write("in/NAMING.cbl", naming);
    place.write("in/SHOWING.cbl", calling.replace("       COPY NOTED.\n", ""));
    place.line("document {} -o out", &place.path().join("in")).assert_exit(0);
    let page = |name: &str| std::fs::read_to_string(place.path().join("out").join(name)).unwrap();
    assert!(page("SHOWING.cbl.md").contains("CS00100S") && !page("SHOWING.cbl.md").contains("XXXXXXXX"));
    assert!(page("NAMING.cbl.md").contains("CS00100S") && !page("NAMING.cbl.md").contains("XXXXXXXX"));
}

#[test]
fn a_document_is_written_anew_when_another_source_names_what_it_shows() {
    let place = Sandbox::new();
    place.write("src/SHOWING.cbl", SHOWING.replace("       COPY NOTED.\n", ""));
    place.write("src/OTHER.cbl", NAMING.replace("WS-DB-PASSWORD", "WS-GREETING").replace(NAMED, "HELLO"));
    let shown = || std::fs::read_to_string(place.path().join("out/SHOWING.cbl.json")).unwrap();
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    assert!(shown().contains(NAMED));
    place.write("src/NAMING.cbl", NAMING);
    place.run(["check", "src", "--docs", "out", "--thorough"]).assert_exit(4);
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    check_hidden(&place.path().join("out"), NAMED);
    place.run(["check", "src", "--docs", "out"]).assert_exit(0);
    // What does not show it is left as it is.
    let ran = place.run(["document", "src", "-o", "out"]);
    ran.assert_exit(0).assert_stderr(&["3 of 3 files documented"]);
}

#[test]
fn words_and_forms_of_ones_own_are_masked_as_well() {
    let place = Sandbox::new();
    place.write(
        "war_rig.toml",
        "[secrets]\nwords = [\"ZUGANG\", \"MA-KENNZ\"]\nshapes = { badge = 'BDG-([0-9]{6})' }\n",
    );
    let program = NAMING
        .replace("WS-DB-PASSWORD", "WS-ZUGANG")
        .replace("GOBACK.", "MOVE 'Qq11opal' TO A-MA-KENNZ\n           DISPLAY 'BDG-771204'.");
    place.write("src/OWN.cbl", program);
    place.run(["document", "src", "-o", "out"]).assert_exit(0).assert_stderr(&["lines 5, 8, 9 hold"]);
    for secret in [NAMED, "Qq11opal", "771204"] {
        check_hidden(&place.path().join("out"), secret);
    }
    for (setting, said) in [
        ("words = [\"A B\"]", "`secrets.words` `A B`: a word has letters"),
        ("shapes = { x = '(' }", "`secrets.shapes` `x`: "),
        ("shapes = { x = 'abc' }", "`secrets.shapes` `x`: its pattern needs one group"),
    ] {
        place.write("war_rig.toml", format!("[secrets]\n{setting}\n"));
        place.run(["document", "src", "-o", "out"]).assert_exit(2).assert_stderr(&[said, "war_rig.toml:2"]);
    }
}

#[test]
fn a_mask_keeps_lines_and_columns() {
    let (given, shown) = (columns(), chunked(&Sandbox::new()));
    assert_eq!(given.len(), shown.len());
    let mut masked = 0;
    for (given, shown) in given.iter().zip(&shown) {
        assert_eq!(given.chars().count(), shown.chars().count(), "{shown}");
        assert!(given.chars().zip(shown.chars()).all(|(given, shown)| given == shown || shown == 'X'), "{shown}");
        masked += usize::from(given != shown);
    }
    assert_eq!(masked, 26);
    let shown = shown.join("\n");
    check_clean("chunk", &shown);
    for harmless in HARMLESS {
        assert!(shown.contains(harmless), "`{harmless}` is masked:\n{shown}");
    }
}

#[test]
fn the_facts_name_the_lines() {
    let place = Sandbox::new();
    let facts = place.line("facts {} --format json", &program()).assert_exit(0).json();
    let secrets: Vec<_> = facts["diagnostics"].as_array().unwrap().iter().filter(|d| d["code"] == "secret").collect();
    assert_eq!(secrets.len(), 26);
    assert!(secrets.iter().all(|secret| secret["severity"] == "warning" && secret["line"].is_u64()));
}

#[test]
fn a_source_with_a_secret_can_be_refused() {
    let place = place("block");
    place.write("src/CLEAN.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. CLEAN.\n       PROCEDURE DIVISION.\n       A.\n           COPY GATEKEYS.\n           GOBACK.\n");
    place.write("src/NOTES.cbl", "PASSWORD=PLANT00A\nJust words.\n");
    let copies = folder().join("cpy");
    let arguments = ["document", "src", "-o", "out", "-vvv", "--copybooks"].map(|word| word.to_owned());
    let ran = place.run(arguments.into_iter().chain([copies.display().to_string()]));
    ran.assert_exit(0)
        .assert_stderr(&["GATEKEYS.cpy: lines 4, 5 hold what looks like a secret; nothing of the file is used"]);
    ran.assert_stderr(&["NOTES.cbl: skipped"]);
    check_ran_clean("document of a program that copies a secret", &ran);
    let document = std::fs::read_to_string(place.path().join("out/CLEAN.cbl.json")).unwrap();
    check_clean("CLEAN.cbl.json", &document);
    assert!(!document.contains("GK-PASSWORD"), "{document}");

    let ran = place.line("document {} -o refused -vvv", &folder());
    ran.assert_exit(3).assert_stderr(&["warning: cbl/GATEWAY.cbl: failed: lines 3, ", "nothing of the file is used"]);
    check_ran_clean("document", &ran);
    let written = files_below(&place.path().join("refused"));
    assert_eq!(written.keys().collect::<Vec<_>>(), ["estate.json", "index.md", "run.json"]);
    for (name, bytes) in written {
        check_clean(&name, &String::from_utf8(bytes).unwrap());
    }
    for line in ["facts {}", "facts {} --format json", "plan {}", "plan {} --format json"] {
        check_ran_clean(line, place.line(line, &folder()).assert_exit(3));
    }
    for line in ["facts {}", "chunk {} --max-tokens 4000"] {
        let ran = place.line(line, &program());
        check_ran_clean(line, ran.assert_exit(3));
        assert_eq!(ran.out, "", "{line}");
    }
}

#[test]
fn a_secret_can_be_told_and_left() {
    let place = place("warn");
    let shown = chunked(&place);
    assert_eq!(shown, columns());
    let ran = place.line("document {} -o out", &folder());
    ran.assert_exit(0)
        .assert_stderr(&["warning: cbl/GATEWAY.cbl: lines 3, ", "what looks like a secret; it is shown as it is"]);
    // The warning itself holds none.
    check_clean("standard error", &ran.err);
    let documents = ["cbl/GATEWAY.cbl.json", "cpy/GATEKEYS.cpy.json"]
        .map(|name| std::fs::read_to_string(place.path().join("out").join(name)).unwrap());
    let documents = documents.concat();
    assert!(documents.contains("PLANT06A") && documents.contains("PLANT24A"), "{documents}");
    let copybook = std::fs::read_to_string(folder().join("cpy/GATEKEYS.cpy")).unwrap();
    let all = shown.join("\n") + &copybook;
    for secret in SECRETS {
        assert!(all.contains(secret), "{secret} is not planted");
    }
    let variable = Sandbox::new();
    variable.write("war_rig.toml", "[secrets]\npolicy = \"loud\"\n");
    variable
        .line("facts {}", &folder())
        .assert_exit(2)
        .assert_stderr(&["war_rig.toml:2: `secrets.policy` must be one of"]);
}
