//! Sources in every dress they come in: the facts are those of the plain text.

use serde_json::Value;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, facts, parse};
use war_rig_tests::{MemorySources, Sandbox, ebcdic, json_file, records};
use war_rig_text::{CodePage, LineRange, ReadOptions, SourceText};

const PROGRAM: &str = "\
000100 IDENTIFICATION DIVISION.
000200 PROGRAM-ID. PAYROLL.
      * Pays whoever is owed something.
000400 PROCEDURE DIVISION.
000500 0000-MAIN.
000600     DISPLAY 'paid'.
000700     GOBACK.
";

fn read(name: &str, bytes: Vec<u8>) -> SourceText {
    SourceText::read(name, bytes, &ReadOptions::default()).unwrap()
}

/// The facts of a source without what tells of its dress.
fn facts_of(source: &SourceText) -> Value {
    let analysis = Analysis::of(parse(&std::sync::Arc::new(LexedSource::of(source)), &NoCopybooks));
    let mut facts = serde_json::to_value(facts(source, &analysis)).unwrap();
    facts["encoding"] = Value::Null;
    facts["diagnostics"].as_array_mut().unwrap().retain(|said| said["code"] != "ebcdic" && said["code"] != "records");
    facts
}

/// A text in every dress, each with a name for it. Records hold no line over 80 columns.
fn dresses(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let mut all = vec![
        ("CR LF", text.replace('\n', "\r\n").into_bytes()),
        ("CR", text.replace('\n', "\r").into_bytes()),
        ("no last end", text.trim_end_matches('\n').as_bytes().to_vec()),
        ("BOM", format!("\u{feff}{text}").into_bytes()),
        ("UTF-16", "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()),
        ("EBCDIC, NEL", ebcdic(text, CodePage::Ibm037, &[0x15])),
        ("EBCDIC, LF", ebcdic(text, CodePage::Ibm037, &[0x25])),
        ("EBCDIC, CR LF", ebcdic(text, CodePage::Ibm1047, &[0x0D, 0x25])),
    ];
    if text.lines().count() > 1 && text.lines().all(|line| line.len() <= 80) {
        all.push(("records", records(text).into_bytes()));
        all.push(("EBCDIC, records", ebcdic(&records(text), CodePage::Ibm037, &[])));
    }
    all
}

#[test]
fn the_facts_of_a_source_do_not_depend_on_its_dress() {
    let mut tried = 0;
    for (name, bytes) in MemorySources::fixtures().files() {
        let text = String::from_utf8_lossy(bytes);
        if !text.chars().all(|c| c == '\n' || (' '..='~').contains(&c)) {
            continue;
        }
        let plain = facts_of(&read(name, bytes.clone()));
        for (dress, bytes) in dresses(&text) {
            let source = read(name, bytes.clone());
            assert_eq!(facts_of(&source), plain, "{name}, {dress}");
            let lines = source.lines().map(|line| source.raw_bytes(LineRange::single(line.number())));
            assert_eq!(lines.collect::<Vec<_>>().concat(), bytes, "{name}, {dress}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn what_was_guessed_is_said_in_facts_and_document() {
    let place = Sandbox::new();
    place.write("src/NEL.cbl", ebcdic(PROGRAM, CodePage::Ibm037, &[0x15]));
    place.write("src/RECS.cbl", ebcdic(&records(PROGRAM), CodePage::Ibm037, &[]));
    place.write("src/PLAIN.cbl", PROGRAM);
    place.run(["document", "src", "-o", "out"]).assert_exit(0);
    let page = "decoded as IBM EBCDIC code page 037; name another with --source-encoding";
    let cut = "read as records of 80 bytes, because it has no line ends";
    for (name, encoding, notes) in
        [("NEL", "ibm037", vec![page]), ("RECS", "ibm037", vec![page, cut]), ("PLAIN", "utf-8", vec![])]
    {
        let header = json_file(&place.path().join(format!("out/{name}.cbl.json")))["header"].take();
        assert_eq!((&header["program_id"], &header["encoding"]), (&"PAYROLL".into(), &encoding.into()));
        assert_eq!(header.get("notes").map_or(vec![], |notes| notes.as_array().unwrap().clone()), notes);
        let markdown = std::fs::read_to_string(place.path().join(format!("out/{name}.cbl.md"))).unwrap();
        for note in &notes {
            assert!(markdown.contains(note), "{markdown}");
        }
        let facts = place.run(["facts", &format!("src/{name}.cbl"), "--format", "json"]).assert_exit(0).json();
        assert_eq!((&facts["encoding"], &facts["lines"]), (&encoding.into(), &7.into()));
        let said: Vec<_> = facts["diagnostics"].as_array().unwrap().iter().map(|said| &said["message"]).collect();
        assert_eq!(said, notes);
    }
}

#[test]
fn the_user_can_name_the_page() {
    let place = Sandbox::new();
    let text = PROGRAM.replace("paid", "Größe");
    place.write("A.cbl", ebcdic(&text, CodePage::Ibm273, &[0x15]));
    let shown = |arguments: &[&str]| {
        let chunk = ["chunk", "A.cbl", "--max-tokens", "4000", "--format", "json"];
        let ran = place.run(chunk.iter().chain(arguments));
        ran.assert_exit(0).json()["chunks"][0]["content"].as_str().unwrap().to_owned()
    };
    assert!(!shown(&[]).contains("Größe"));
    for name in ["ibm273", "cp273", "IBM-273", "273"] {
        assert!(shown(&["--source-encoding", name]).contains("DISPLAY 'Größe'."), "{name}");
    }
    place.write("war_rig.toml", "[source]\nencoding = \"ibm273\"\n");
    assert!(shown(&[]).contains("Größe"));
    // What was said needs no note.
    let facts = place.run(["facts", "A.cbl", "--format", "json"]).assert_exit(0).json();
    assert_eq!((&facts["encoding"], &facts["diagnostics"]), (&"ibm273".into(), &Value::Array(vec![])));
}

#[test]
fn a_source_that_is_not_in_the_page_that_was_named_fails_alone() {
    let place = Sandbox::new();
    place.write("src/A.cbl", PROGRAM);
    place.write("src/B.cbl", ebcdic(PROGRAM, CodePage::Ibm037, &[0x15]));
    place
        .run(["document", "src", "-o", "out", "--source-encoding", "ibm037"])
        .assert_exit(3)
        .assert_stderr(&["A.cbl: failed: line 1: byte 0x20 is not ibm037", "1 of 2 files documented"]);
}

#[test]
fn ebcdic_that_falls_into_no_lines_is_skipped_with_the_reason() {
    let place = Sandbox::new();
    place.write("src/A.cbl", PROGRAM);
    let short: String = PROGRAM.lines().map(|line| format!("{line:<72}")).collect();
    place.write("src/B.cbl", ebcdic(&short, CodePage::Ibm037, &[]));
    place.run(["document", "src", "-o", "out"]).assert_exit(0).assert_stderr(&[
        "B.cbl: skipped: not a COBOL source: EBCDIC text that has neither line ends nor records of 80 bytes",
    ]);
}
