//! Where copybooks are found, which of several is taken, and what a member without extension is.

use serde_json::Value;
use war_rig_tests::{CommandResult, Sandbox, files_below, json_file};

/// A program that copies this.
fn program(copies: &[&str]) -> String {
    let copies: String = copies.iter().map(|name| format!("           COPY {name}.\n")).collect();
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. PAYROLL.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{copies}       PROCEDURE DIVISION.\n       0000-MAIN.\n           GOBACK.\n"
    )
}

fn book(item: &str) -> String {
    format!("       01  {item} PIC X(4).\n")
}

/// The facts of a single file.
fn facts(place: &Sandbox, arguments: &[&str]) -> Value {
    place.run(["facts", "--format", "json"].iter().chain(arguments)).assert_exit(0).json()
}

/// The files that the COPYs of some facts were found in.
fn resolved(facts: &Value) -> Vec<Option<&str>> {
    facts["copies"].as_array().unwrap().iter().map(|copy| copy["resolved"].as_str()).collect()
}

/// The data items of some facts with the copybooks they come from.
fn items(facts: &Value) -> Vec<(&str, Option<&str>)> {
    let items = facts["data_items"].as_array().unwrap().iter();
    items.map(|item| (item["name"].as_str().unwrap(), item["file"].as_str())).collect()
}

/// How often a text stands in what a run has said.
fn times(ran: &CommandResult, text: &str) -> usize {
    ran.err.matches(text).count()
}

#[test]
fn members_without_extension_are_what_their_folder_says() {
    let place = Sandbox::new();
    place.write("estate/cbl/PAYROLL", program(&["PAYREC"]));
    place.write("estate/cpy/PAYREC", book("PAY-REC"));
    // A piece of an entry, which is no program whatever it is called.
    place.write("estate/cpy/PIECE", "           OCCURS 3 TIMES.\n");
    place.write("estate/jcl/RUN", "//RUN JOB\n");
    place
        .run(["document", "estate", "-o", "out"])
        .assert_exit(2)
        .assert_stderr(&["no COBOL source was found", "source.types"]);
    let types = "[source.types]\n\"cbl/*\" = \"cobol\"\n\"cpy/*\" = \"copybook\"\n\"jcl/*\" = \"jcl\"\n";
    place.write("war_rig.toml", types);
    place.run(["document", "estate", "-o", "out"]).assert_exit(0).assert_stderr(&["4 of 4 files documented"]);
    let written: Vec<String> = files_below(&place.path().join("out")).into_keys().collect();
    assert_eq!(
        written,
        [
            "cbl/PAYROLL.json",
            "cbl/PAYROLL.md",
            "cpy/PAYREC.json",
            "cpy/PAYREC.md",
            "cpy/PIECE.json",
            "cpy/PIECE.md",
            "dictionary.md",
            "entry-points.md",
            "entry-points/job-RUN.md",
            "estate.json",
            "functions.md",
            "functions/payroll.md",
            "index.md",
            "jcl/RUN.json",
            "jcl/RUN.md",
            "run.json",
            "sources.md"
        ]
    );
    let document = json_file(&place.path().join("out/cbl/PAYROLL.json"));
    assert_eq!(document["copied_data"][0]["copybook"], "cpy/PAYREC");
    // The rules hold for the folder itself as well, and for a file in it.
    place.run(["document", "estate/cbl", "-o", "out2"]).assert_exit(0).assert_stderr(&["1 of 1 files documented"]);
    assert_eq!(items(&facts(&place, &["estate/cbl/PAYROLL"])), [("PAY-REC", Some("../cpy/PAYREC"))]);
    // Without its type, the piece is taken for a program that does not read as one.
    place.write("war_rig.toml", types.replace("\"copybook\"", "\"cobol\""));
    place
        .run(["document", "estate", "-o", "out3"])
        .assert_exit(0)
        .assert_stderr(&["cpy/PIECE: skipped: not a COBOL source"]);
}

#[test]
fn a_program_is_no_copybook_unless_the_copy_names_its_file() {
    let place = Sandbox::new();
    place.write("src/STATS.cbl", program(&[]).replace("PAYROLL", "STATS"));
    place.write("src/A.cbl", program(&["STATS"]));
    let found = facts(&place, &["src/A.cbl"]);
    assert_eq!(resolved(&found), [None]);
    place.write("src/A.cbl", program(&["'STATS.cbl'"]));
    let found = facts(&place, &["src/A.cbl"]);
    assert_eq!(resolved(&found), [Some("STATS.cbl")]);
}

#[test]
fn folders_are_searched_in_their_order_and_doubles_are_reported() {
    let place = Sandbox::new();
    let copies = program(&["PAYREC", "PAYREC", "TAXREC", "ONLY"]);
    place.write("src/A.cbl", &copies);
    place.write("src/B.cbl", copies.replace("PAYROLL", "PAYTWO"));
    for (folder, item) in [("new", "NEW"), ("old", "OLD")] {
        place.write(&format!("{folder}/PAYREC.cpy"), book(item));
        // Copies that are the same do no harm.
        place.write(&format!("{folder}/TAXREC.cpy"), book("TAX"));
    }
    place.write("old/ONLY.cpy", book("ONLY"));
    // A program of that name is no double of a copybook.
    place.write("src/PAYREC.cbl", copies.replace("PAYROLL", "PAYREC"));
    for (first, second, item) in [("new", "old", "NEW"), ("old", "new", "OLD")] {
        let facts = facts(&place, &["src/A.cbl", "--copybooks", first, "--copybooks", second]);
        let taken = format!("{first}/PAYREC.cpy");
        let other = format!("{second}/PAYREC.cpy");
        let tax = format!("{first}/TAXREC.cpy");
        assert_eq!(resolved(&facts), [Some(taken.as_str()), Some(&taken), Some(&tax), Some("old/ONLY.cpy")]);
        assert_eq!(items(&facts)[0], (item, Some(taken.as_str())));
        assert_eq!(facts["copies"][0]["passed_over"], Value::from(vec![other.clone()]));
        let doubles: Vec<_> =
            facts["diagnostics"].as_array().unwrap().iter().filter(|said| said["code"] == "copybook-double").collect();
        let lines: Vec<_> = doubles.iter().map(|said| said["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [5, 6]);
        let message =
            format!("copybook `PAYREC` is taken from `{taken}`; other files of that name differ from it: `{other}`");
        assert_eq!(doubles[0]["message"], message);
        let out = format!("out-{first}");
        let arguments = ["document", "src", "-o", &out, "--copybooks", first, "--copybooks", second, "--jobs", "4"];
        let ran = place.run(arguments);
        assert_eq!(times(ran.assert_exit(0), &format!("warning: {message}")), 1, "{}", ran.err);
        assert_eq!(times(&ran, "is taken from"), 1, "{}", ran.err);
        let document = json_file(&place.path().join(format!("{out}/A.cbl.json")));
        let used = document["copybooks_used"][0]["purpose"].as_str().unwrap();
        assert!(used.contains(&format!("Copied from {taken} (other files of that name differ: {other})")), "{used}");
    }
}

#[test]
fn the_library_of_a_copy_chooses_among_doubles() {
    let place = Sandbox::new();
    place.write("src/cbl/A.cbl", program(&["PAYREC OF OLD", "PAYREC OF NOWHERE"]));
    place.write("src/new/PAYREC.cpy", book("NEW"));
    place.write("src/old/PAYREC.cpy", book("OLD"));
    let all = facts(&place, &["src"]);
    let facts = &all["files"][0];
    assert_eq!(resolved(facts), [Some("old/PAYREC.cpy"), Some("new/PAYREC.cpy")]);
    let said: Vec<_> = facts["diagnostics"].as_array().unwrap().iter().map(|said| &said["line"]).collect();
    assert_eq!(said, [6], "who names the library has chosen");
}

#[test]
fn a_file_that_is_named_alone_finds_its_copybooks_near_it() {
    let place = Sandbox::new();
    let copies = program(&["BESIDE", "INCPY", "INDCL", "ABOVE", "BARE", "DEEP", "FAR", "ELSE"]);
    place.write("home/far/copybooks/FAR.cpy", book("FAR"));
    place.write("home/app/copylib/ABOVE.cpy", book("ABOVE"));
    place.write("home/app/pay/cbl/A.cbl", &copies);
    place.write("home/app/pay/cbl/beside.CPY", book("BESIDE"));
    place.write("home/app/pay/cpy/INCPY.cpy", book("INCPY"));
    place.write("home/app/pay/cpy/BARE", book("BARE"));
    place.write("home/app/pay/cpy/deep/DEEP.cpy", book("DEEP"));
    place.write("home/app/pay/dcl/INDCL.dcl", book("INDCL"));
    place.write("home/app/pay/misc/ELSE.cpy", book("ELSE"));
    let expected = [
        Some("beside.CPY"),
        Some("../cpy/INCPY.cpy"),
        Some("../dcl/INDCL.dcl"),
        Some("../../copylib/ABOVE.cpy"),
        Some("../cpy/BARE"),
        None,
        None,
        None,
    ];
    let file = "home/app/pay/cbl/A.cbl";
    let absolute = place.path().join(file).display().to_string();
    for named in [file, &absolute] {
        let facts = facts(&place, &[named]);
        assert_eq!((facts["file"].as_str(), resolved(&facts)), (Some(file), expected.to_vec()));
        assert_eq!(items(&facts)[1], ("INCPY", Some("../cpy/INCPY.cpy")));
    }
    // They are looked up and not documented.
    place.run(["document", file, "-o", "out"]).assert_exit(0).assert_stderr(&["1 of 1 files documented"]);
    let document = json_file(&place.path().join("out/A.cbl.json"));
    assert_eq!(document["data_dictionary"][3]["file"], "../../copylib/ABOVE.cpy");
    let page = std::fs::read_to_string(place.path().join("out/A.cbl.md")).unwrap();
    assert!(page.contains("]: ../home/app/pay/cbl/../cpy/INCPY.cpy#L1"), "a link leads to the copybook:\n{page}");
    // A folder that is named comes first.
    place.write("mine/INCPY.cpy", book("MINE"));
    let facts = facts(&place, &[file, "--copybooks", "mine"]);
    assert_eq!(items(&facts)[1], ("MINE", Some("mine/INCPY.cpy")));
    assert_eq!(facts["copies"][1]["passed_over"], Value::from(vec!["../cpy/INCPY.cpy"]));
}

#[test]
fn nothing_is_looked_up_beside_the_project() {
    let place = Sandbox::new();
    place.write("copybooks/OUTSIDE.cpy", book("OUTSIDE"));
    place.write("project/cbl/A.cbl", program(&["OUTSIDE"]));
    assert_eq!(resolved(&facts(&place, &["project/cbl/A.cbl"])), [Some("../../copybooks/OUTSIDE.cpy")]);
    place.write("project/war_rig.toml", "");
    assert_eq!(resolved(&facts(&place, &["project/cbl/A.cbl"])), [None]);
}

#[test]
fn a_symbolic_map_is_taken_from_its_map_set_where_no_file_has_it() {
    let place = Sandbox::new();
    let map = [
        "PAYMAP   DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,TIOAPFX=YES",
        "PAY      DFHMDI SIZE=(24,80)",
        "WHO      DFHMDF POS=(1,1),LENGTH=8,ATTRB=UNPROT",
        "         DFHMSD TYPE=FINAL",
        "         END",
        "",
    ];
    place.write("estate/bms/PAYMAP.bms", map.join("\n"));
    place.write("estate/cbl/PAYROLL.cbl", program(&["PAYMAP"]).replace("GOBACK", "MOVE SPACES TO WHOO"));
    let documents = || {
        let told = ["citations: ", "0 unsupported"];
        place.run(["document", "estate", "-o", "out"]).assert_exit(0).assert_stderr(&told);
        ["cbl/PAYROLL.cbl.json", "bms/PAYMAP.bms.json"].map(|name| json_file(&place.path().join("out").join(name)))
    };
    let [program, maps] = documents();
    let names: Vec<&str> =
        maps["data_dictionary"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["PAYI", "FILLER", "WHOL", "WHOF", "FILLER", "WHOA", "WHOI", "PAYO", "FILLER", "FILLER", "WHOO"]);
    assert_eq!(program["copied_data"][0]["copybook"], "bms/PAYMAP.bms");
    // A file that has the name is meant.
    place.write("estate/cpy/PAYMAP.cpy", book("WHOO"));
    let [program, maps] = documents();
    assert_eq!(program["copied_data"][0]["copybook"], "cpy/PAYMAP.cpy");
    assert!(maps["data_dictionary"].as_array().is_none_or(Vec::is_empty));
}

#[test]
fn what_copybooks_do_is_told_where_they_are_copied() {
    let place = Sandbox::new();
    place.write("estate/cpy/SELECTS.cpy", "           SELECT LOG-FILE ASSIGN TO LOGDD.\n");
    place.write("estate/cpy/OUTER.cpy", "           COPY INNER.\n");
    place.write("estate/cpy/INNER.cpy", "           READ IN-FILE.\n           WRITE LOG-REC.\n");
    let program = [
        "       IDENTIFICATION DIVISION.",
        "       PROGRAM-ID. PAYROLL.",
        "       ENVIRONMENT DIVISION.",
        "       INPUT-OUTPUT SECTION.",
        "       FILE-CONTROL.",
        "           SELECT IN-FILE ASSIGN TO INDD.",
        "           COPY SELECTS.",
        "       DATA DIVISION.",
        "       FILE SECTION.",
        "       FD  IN-FILE.",
        "       01  IN-REC PIC X.",
        "       FD  LOG-FILE.",
        "       01  LOG-REC PIC X.",
        "       PROCEDURE DIVISION.",
        "       0000-MAIN.",
        "           OPEN INPUT IN-FILE OUTPUT LOG-FILE.",
        "           COPY OUTER.",
        "           GOBACK.",
        "",
    ];
    place.write("estate/cbl/PAYROLL.cbl", program.join("\n"));
    place.run(["document", "estate", "-o", "out"]).assert_exit(0).assert_stderr(&["0 unsupported"]);
    let document = json_file(&place.path().join("out/cbl/PAYROLL.cbl.json"));
    let steps: Vec<&str> = document["paragraphs"][0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["text"].as_str().unwrap())
        .collect();
    assert_eq!(steps[1..], ["copies in OUTER", "ends the program"], "{steps:?}");
    let described = |list: &str| {
        document[list].as_array().unwrap().iter().map(|item| item["description"].clone()).collect::<Vec<_>>()
    };
    // The SELECT of the other file is a line of its copybook.
    assert!(described("inputs")[0].as_str().unwrap().ends_with("OPEN INPUT and READ."), "{document:#}");
    assert!(described("outputs")[0].as_str().unwrap().ends_with("OPEN OUTPUT."), "{document:#}");
}
