//! What a user sees of small fixtures, small enough to judge by eye: facts, chunks, the template as data and as a page.

use serde_json::Value;
use std::fmt::Write;
use war_rig_template::strip_link_targets;
use war_rig_tests::{Sandbox, fixtures, json_file};

/// A JSON object, a line for each field, or for each item of a list that is not empty.
fn by_lines(value: &Value) -> String {
    let mut text = String::new();
    for (field, value) in value.as_object().unwrap() {
        match value {
            Value::Array(items) if !items.is_empty() => {
                for item in items {
                    writeln!(text, "{field}: {item}").unwrap();
                }
            }
            value => writeln!(text, "{field}: {value}").unwrap(),
        }
    }
    text
}

/// What a command prints of a fixture; `{}` in it is the fixture's path.
fn printed(command: &str, fixture: &str) -> String {
    let ran = Sandbox::new().line(command, &fixtures().join(fixture));
    ran.assert_exit(0);
    ran.out
}

/// The document of a fixture, with all others at hand: the page and the data without the hashes of lines.
pub(crate) fn documented(fixture: &str) -> (String, Value) {
    let place = Sandbox::new();
    place.line(&format!("document {{}} -o out --only {fixture}"), &fixtures()).assert_exit(0);
    let read = |extension: &str| {
        std::fs::read_to_string(place.path().join("out").join(format!("{fixture}.{extension}"))).unwrap()
    };
    let mut data: Value = serde_json::from_str(&read("json")).unwrap();
    without_hashes(&mut data);
    (read("md"), data)
}

fn without_hashes(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("hash");
            for field in ["source_hash", "made_from", "seal"] {
                fields.shift_remove(field);
            }
            fields.values_mut().for_each(without_hashes);
        }
        Value::Array(items) => items.iter_mut().for_each(without_hashes),
        _ => {}
    }
}

/// A page without the targets of its links and without the hash of the source.
pub(crate) fn page(markdown: &str) -> String {
    let text = strip_link_targets(markdown);
    let words = text.lines().filter(|line| !(line.starts_with('[') && line.ends_with("]:")));
    let words = words.map(|line| line.replace("]()", "]").split(" the BLAKE3 hash").next().unwrap_or(line).to_owned());
    words.fold(String::new(), |all, line| all + &line + "\n").trim_end().to_owned() + "\n"
}

#[test]
fn the_facts_of_a_subprogram() {
    let facts: Value = serde_json::from_str(&printed("facts {} --format json", "cbl/CHKDGT.cbl")).unwrap();
    let mut facts = facts;
    facts["file"] = "CHKDGT.cbl".into();
    insta::assert_snapshot!(by_lines(&facts));
}

#[test]
fn the_chunks_of_a_large_program() {
    let printed = printed("chunk {} --max-tokens 8000", "cbl/POLMAINT.cbl");
    insta::assert_snapshot!(printed.lines().skip(1).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_template_of_a_subprogram() {
    insta::assert_snapshot!(by_lines(&documented("cbl/CHKDGT.cbl").1));
}

#[test]
fn the_page_of_an_online_program() {
    insta::assert_snapshot!(page(&documented("cbl/CLMSUMM.cbl").0));
}

#[test]
fn the_page_of_a_batch_program() {
    insta::assert_snapshot!(page(&documented("cbl/CLMMERGE.cbl").0));
}

#[test]
fn members_without_extension_in_ebcdic_are_documented_by_the_rule_of_their_folder() {
    let place = Sandbox::new();
    place
        .write("war_rig.toml", "[source]\ntypes = { \"pds/COBOL/*\" = \"cobol\", \"pds/COPYLIB/*\" = \"copybook\" }\n");
    place.line("document {} -o out --only pds/**", &fixtures()).assert_exit(0);
    let header = |member: &str| json_file(&place.path().join("out").join(format!("{member}.json")))["header"].clone();
    let told = |member: &str| {
        let header = header(member);
        let text = |field: &str| header[field].as_str().unwrap_or_default().to_owned();
        format!("{member}: {} {} in {}, {}", text("file_type"), text("program_id"), text("encoding"), text("status"))
    };
    let members = ["pds/COBOL/RENEWAL", "pds/COBOL/LAPSE", "pds/COBOL/ACCRUE", "pds/COPYLIB/GL#REC"];
    assert_eq!(
        members.map(told),
        [
            "pds/COBOL/RENEWAL: program RENEWAL in ibm037, complete",
            "pds/COBOL/LAPSE: program LAPSE in ibm037, complete",
            "pds/COBOL/ACCRUE: program ACCRUE in utf-8, complete",
            "pds/COPYLIB/GL#REC: copybook  in ibm037, complete",
        ]
    );
}
