//! What holds of inputs of every kind: what their units say is the input, wherever blocks end, and what is broken is said.
//!
//! `WAR_RIG_CASES` sets how often each law is tried.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on shall fail")]

use lopdf::content::{Content as Operations, Operation};
use lopdf::{Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary};
use proptest::prelude::*;
use std::io::{Cursor, Read};
use war_rig_paginate::InputUnit;
use war_rig_paginate::{Input, InputContent, InputErrorKind, InputKind};

fn config() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A reader that brings as many bytes at a time as it likes.
struct Stutter(Cursor<Vec<u8>>, usize);

impl Read for Stutter {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(self.1);
        self.0.read(&mut buffer[..length])
    }
}

/// Blanks before the input proper, so that the end of a block falls anywhere in it.
fn shifted(text: &str, shift: usize) -> String {
    if shift == 0 { text.to_owned() } else { format!("{}{text}", "\n".repeat(65_536 - shift % 200)) }
}

fn open(bytes: &[u8], kind: Option<InputKind>, encoding: Option<&str>) -> Input {
    let step = if bytes.len() > 10_000 { bytes.len() % 9973 } else { bytes.len() % 13 };
    let reader = Stutter(Cursor::new(bytes.to_vec()), step + 1);
    Input::from_reader("notes", reader, kind, encoding).unwrap()
}

fn units(input: Input) -> (Vec<InputUnit>, Option<String>) {
    let mut units = Vec::new();
    let mut reading = input.units();
    while let Some(unit) = reading.next() {
        match unit {
            Ok(unit) => units.push(unit),
            Err(error) => {
                assert!(reading.next().is_none());
                return (units, Some(error.to_string()));
            }
        }
    }
    (units, None)
}

fn read(text: &str, kind: InputKind) -> (Vec<InputUnit>, Option<String>) {
    units(open(text.as_bytes(), Some(kind), None))
}

fn text_of(unit: &InputUnit) -> &str {
    match unit {
        InputUnit::Text(text)
        | InputUnit::Header(text)
        | InputUnit::Record { text, .. }
        | InputUnit::Page { text, .. } => text,
        InputUnit::OversizedRecord { .. } | InputUnit::UnreadablePage { .. } => panic!("{unit:?}"),
    }
}

fn texts(units: &[InputUnit]) -> Vec<&str> {
    units.iter().map(text_of).collect()
}

fn check(text: &str, kind: InputKind, expected: &[&str]) {
    let (units, error) = read(text, kind);
    assert_eq!((texts(&units), error), (expected.to_vec(), None), "{text:?}");
    for (index, unit) in units.iter().filter(|unit| !matches!(unit, InputUnit::Header(_))).enumerate() {
        match unit {
            InputUnit::Record { number, .. } | InputUnit::Page { number, .. } => {
                assert_eq!(*number, index as u64 + 1)
            }
            _ => {}
        }
    }
}

/// What was read before it broke, and how that is said.
fn check_broken(text: &str, kind: InputKind, expected: &[&str], message: &str) {
    let (units, error) = read(text, kind);
    assert_eq!((texts(&units), error.as_deref()), (expected.to_vec(), Some(message)), "{text:?}");
}

#[test]
fn lines_rows_elements_and_pages() {
    check("{}\n{}\r\n\n  [1]", InputKind::JsonLines, &["{}\n", "{}\r\n\n  ", "[1]"]);
    check("\n\n{}\n", InputKind::JsonLines, &["\n\n{}\n"]);
    check("{\"a\": 1}\n\u{1a}", InputKind::JsonLines, &["{\"a\": 1}\n\u{1a}"]);
    check("a;b\n1,5;\"x\n;\"\"y\"\r\n\r\n2;z", InputKind::Csv, &["a;b\n", "1,5;\"x\n;\"\"y\"\r\n\r\n", "2;z"]);
    check("a,b\n1,5\"\n2,\"q\"r\n", InputKind::Csv, &["a,b\n", "1,5\"\n", "2,\"q\"r\n"]);
    check("a\tb\n", InputKind::Csv, &["a\tb\n"]);
    check(
        "[ 1, {\"a\": \"]}\\\"\"} ,\n[[]],\"x\", null ]\n",
        InputKind::Json,
        &["[ 1, ", "{\"a\": \"]}\\\"\"} ,\n", "[[]],", "\"x\", ", "null ]\n"],
    );
    check("[\n]\n", InputKind::Json, &[]);
    check("{\"a\": [1, 2]}", InputKind::Json, &["{\"a\": [1, 2]}"]);
    check("one\u{c}two\u{c}\u{c}four", InputKind::Text, &["one\u{c}", "two\u{c}", "\u{c}", "four"]);
    check("one\u{c}", InputKind::Markdown, &["one\u{c}"]);
    for kind in [InputKind::Text, InputKind::Json, InputKind::JsonLines, InputKind::Csv] {
        check("", kind, &[]);
    }
    check("\n \n", InputKind::JsonLines, &[]);
}

#[test]
fn what_is_broken_is_said_behind_what_is_whole() {
    let json = |text, expected: &[&str], message| check_broken(text, InputKind::Json, expected, message);
    json("[1, 2", &["[1, "], "notes: record 2: the input ends inside it");
    json("[1, 2\n", &["[1, ", "2\n"], "notes: record 2: the array is not closed");
    json("[1,", &["[1,"], "notes: record 1: the array goes on with nothing");
    json("[1,\n]", &[], "notes: record 1, line 2: `]` stands where an element should begin");
    json("[1]\n[2]", &[], "notes: record 1, line 2: there is more behind the end of the array");
    json("[{} {}]", &[], "notes: record 1, line 1: `{` stands where a comma should");
    json("[{]}]", &[], "notes: record 1, line 1: `]` closes what is not open");
    json("[{}, {\"a\" 1}, 3]", &["[{}, "], "notes: record 2, line 1: it is no JSON: expected `:`");
    json("[1, tru, 3]", &["[1, "], "notes: record 2, line 1: it is no JSON: expected ident");
    json(
        "[{},\n\"a\n\"]",
        &["[{},\n"],
        "notes: record 2, line 2: it is no JSON: control character (\\u0000-\\u001F) found while parsing a string",
    );

    let csv = |text, expected: &[&str], message| check_broken(text, InputKind::Csv, expected, message);
    csv("a,b\n1,2\n3,\"4\n5,6\n", &["a,b\n", "1,2\n"], "notes: record 2: a quote is opened on line 3 and never closed");
    csv("\"a,b\n1,2\n", &[], "notes: the first row: a quote is opened on line 1 and never closed");
}

#[test]
fn a_deep_element_is_read_without_recursion() {
    let deep = format!("[{}1{}]", "[{\"a\":".repeat(100_000), "}]".repeat(100_000));
    let (units, error) = read(&deep, InputKind::Json);
    assert_eq!((units.len(), error), (1, None));
}

#[test]
fn a_record_above_16_mb_is_passed_over_and_counted() {
    let large = format!("{{\"a\": \"{}\"}}\n", "many words\\n".repeat(1_700_000));
    let text = format!("{{}}\n{large}\n{{}}\n");
    let (units, error) = read(&text, InputKind::JsonLines);
    let bytes = large.len() as u64 + 1;
    assert_eq!(units[1], InputUnit::OversizedRecord { number: 2, bytes, line_ends: 2 });
    assert_eq!((units.len(), texts(&[units[0].clone(), units[2].clone()]), error), (3, vec!["{}\n", "{}\n"], None));
    // A quote that is never closed does not fill the memory either.
    let csv = format!("a,b\n1,\"{}", "x".repeat(17 << 20));
    check_broken(&csv, InputKind::Csv, &["a,b\n"], "notes: record 1: a quote is opened on line 2 and never closed");
    let (units, error) = read(&"text ".repeat(4 << 20), InputKind::Text);
    assert!(error.is_none() && units.len() > 100);
    let pages = format!("one\u{c}{}\u{c}three", "x".repeat(17 << 20));
    let (units, error) = read(&pages, InputKind::Text);
    let numbers: Vec<_> = units.iter().map(|unit| matches!(unit, InputUnit::Page { number: 2, .. })).collect();
    assert_eq!((numbers, error), (vec![false, true, true, false], None));
    assert_eq!(texts(&units).concat(), pages);
}

#[test]
fn a_kind_is_told_by_the_ending_and_else_by_the_first_bytes() {
    let kind = |name: &str, text: &str| {
        let input = Input::from_reader(name, Cursor::new(text.as_bytes().to_vec()), None, None).unwrap();
        (input.kind(), input.content())
    };
    for (name, expected) in [
        ("a.txt", InputKind::Text),
        ("a.LOG", InputKind::Text),
        ("a.md", InputKind::Markdown),
        ("a.json", InputKind::Json),
        ("a.jsonl", InputKind::JsonLines),
        ("a.ndjson", InputKind::JsonLines),
        ("a.csv", InputKind::Csv),
        ("a.tsv", InputKind::Csv),
    ] {
        assert_eq!(kind(name, "x").0, expected);
    }
    assert_eq!(kind("a", "[{\"a\": 1},"), (InputKind::Json, InputContent::Records));
    assert_eq!(kind("a", "{\"a\": 1}\n{\"a\": 2}\n"), (InputKind::JsonLines, InputContent::Records));
    assert_eq!(kind("a", "[1, 2]\n[3, 4]\n"), (InputKind::JsonLines, InputContent::Records));
    assert_eq!(kind("a", "words\n"), (InputKind::Text, InputContent::Text));
    assert_eq!(kind("a", "a page\u{c}"), (InputKind::Text, InputContent::Pages));
    assert_eq!(kind("a.json", " \u{feff}{}"), (InputKind::Json, InputContent::Text));
    assert_eq!(kind("a.json", "\u{feff} []"), (InputKind::Json, InputContent::Records));
    // A caller knows better.
    assert_eq!(open(b"{}", Some(InputKind::Text), None).kind(), InputKind::Text);
}

#[test]
fn encodings_and_what_is_no_text() {
    let read = |bytes: &[u8], encoding| {
        let (units, error) = units(open(bytes, Some(InputKind::Text), encoding));
        (texts(&units).concat(), error)
    };
    assert_eq!(read(b"\xef\xbb\xbfna\xc3\xafve", None), ("naïve".to_owned(), None));
    assert_eq!(read(b"na\xefve \x80", Some("windows-1252")), ("naïve €".to_owned(), None));
    assert_eq!(read(b"\xff\xfeA\0\xef\0", None), ("Aï".to_owned(), None));
    assert_eq!(read(b"\xfe\xff\0A\0\xef", None), ("Aï".to_owned(), None));
    assert_eq!(read(b"A\0", Some("utf-16le")), ("A".to_owned(), None));
    let no_text = |line: u64, why: &str| Some(format!("notes: line {line}: {why}"));
    let bytes = "there are bytes that are no UTF-8 text";
    assert_eq!(read(b"one\ntwo \xff\nthree", None), ("one\n".to_owned(), no_text(2, bytes)));
    assert_eq!(read(b"one\n\xc3", None), ("one\n".to_owned(), no_text(2, bytes)));
    let nul = "there is a NUL character: it is no text";
    assert_eq!(read(b"one\ntwo\n\0", None), ("one\ntwo\n".to_owned(), no_text(3, nul)));
    // Whole lines only, also where the line began in an earlier block or on an earlier page.
    let wide = [&b"line\n".repeat(13_100)[..], &b"word ".repeat(20), b"wo\xffrd"].concat();
    assert_eq!(read(&wide, None), ("line\n".repeat(13_100), no_text(13_101, bytes)));
    assert_eq!(read(b"one\x0ctwo\nthr\xff", None), ("one\x0ctwo\n".to_owned(), no_text(2, bytes)));
    let long = [&b"word ".repeat(40_000)[..], b"wo\xffrd"].concat();
    let (text, error) = read(&long, None);
    assert!(error.is_some() && text.len() > 100_000 && text.ends_with(' '), "{}", text.len());
    let late = [&b"line\n".repeat(50_000)[..], b"\xe2\x82"].concat();
    assert_eq!(read(&late, None).1, no_text(50_001, bytes));
    let unknown = Input::from_reader("notes", Cursor::new(Vec::new()), None, Some("utf-9")).err().unwrap();
    assert_eq!(unknown.to_string(), "notes: there is no encoding `utf-9`");
}

#[test]
fn only_regular_files_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let error = Input::open(folder.path(), None, None).err().unwrap();
    assert!(matches!(error.kind, InputErrorKind::Io(_)));
    assert!(error.to_string().ends_with("cannot be read: it is no regular file"), "{error}");
    assert!(Input::open(&folder.path().join("none.txt"), None, None).is_err());
    let path = folder.path().join("list.csv");
    std::fs::write(&path, "a,b\n1,2\n").unwrap();
    let input = Input::open(&path, None, None).unwrap();
    assert_eq!((input.name(), input.kind(), input.size()), ("list.csv", InputKind::Csv, Some(8)));
    let mut reading = input.units();
    assert_eq!(reading.by_ref().count(), 2);
    assert_eq!((reading.bytes_read(), reading.notes()), (8, Vec::new()));
}

#[test]
fn records_that_are_odd_are_told() {
    let notes = |text: &str, kind| {
        let mut reading = open(text.as_bytes(), Some(kind), None).units();
        assert!(reading.by_ref().all(|unit| unit.is_ok()));
        reading.notes()
    };
    let none = Vec::<String>::new();
    let jsonl = InputKind::JsonLines;
    assert_eq!(notes("{\"a\": [1]}\r\n\n [] \n1\n\u{1a}", jsonl), none);
    assert_eq!(notes("{}\n{\"a\": }\n{}\n", jsonl), ["record 2 is no JSON"]);
    assert_eq!(notes("{}\n{} {}\n{}\nwords\n{", jsonl), ["3 records are no JSON, the first of them record 2"]);
    let csv = InputKind::Csv;
    assert_eq!(notes("a,b\n1,\"2,\n\"\"3\"\n\"x,y\",\n\n5,6", csv), none);
    assert_eq!(notes("a,b\n1,2\n3\n", csv), ["record 2 has another number of columns than the first row"]);
    let wide = format!("a;b\n{}4;5;6\n7\n", "1;2\n".repeat(40_000));
    let expected = "2 records have another number of columns than the first row, the first of them record 40001";
    assert_eq!(notes(&wide, csv), [expected]);
}

/// A PDF of these pages, each line of which is set by itself.
fn pdf(pages: &[&str]) -> Document {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding",
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|text| {
            let mut operations = vec![Operation::new("BT", vec![]), Operation::new("Tf", vec!["F1".into(), 12.into()])];
            for line in text.lines() {
                operations.push(Operation::new("Td", vec![0.into(), (-14).into()]));
                operations.push(Operation::new("Tj", vec![Object::string_literal(line)]));
            }
            operations.push(Operation::new("ET", vec![]));
            let content = Stream::new(dictionary! {}, Operations { operations }.encode().unwrap());
            let content = document.add_object(content);
            document.add_object(dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content }).into()
        })
        .collect();
    let count = pages.len() as i64;
    document.objects.insert(
        tree,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        }),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    document
}

fn saved(mut document: Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_pdf_comes_page_by_page() {
    let bytes = saved(pdf(&["PBI-1: the first.", "", "PBI-2: another.\nIts second line."]));
    let input = open(&bytes, None, None);
    assert_eq!((input.kind(), input.content(), input.pages()), (InputKind::Pdf, InputContent::Pages, Some(3)));
    let mut reading = input.units();
    let pages: Vec<_> = reading.by_ref().map(Result::unwrap).collect();
    assert_eq!(texts(&pages), ["PBI-1: the first.\n", "", "PBI-2: another.\nIts second line.\n"]);
    assert_eq!(reading.notes(), ["page 2 has no text"]);
    assert_eq!(reading.bytes_read(), bytes.len() as u64);
}

#[test]
fn strings_of_a_page_become_lines_and_words_by_where_they_are_set() {
    let check = |operations: &str, expected: &str| {
        let mut document = pdf(&[""]);
        let page = document.get_pages()[&1];
        document.change_page_content(page, operations.as_bytes().to_vec()).unwrap();
        let (pages, _) = units(open(&saved(document), None, None));
        assert_eq!(texts(&pages), [expected], "{operations}");
    };
    check("BT /F1 10 Tf 14 TL 50 700 Td (one) Tj T* (two) Tj (three) ' ET", "one\ntwo\nthree\n");
    check("BT /F1 10 Tf 50 700 Td [(kern) 50 (ed) -300 (word)] TJ ET", "kerned word\n");
    check("BT /F1 10 Tf 1 0 0 1 50 700 Tm (one) Tj 1 0 0 1 80 700 Tm (two) Tj ET", "one two\n");
    check("BT /F1 10 Tf 50 700 Td (H) Tj 7 0 Td (i) Tj ET", "Hi\n");
    check("BT /F1 10 Tf 50 700 Td (one) Tj ET BT /F1 10 Tf 50 660 Td (two) Tj ET", "one\n\ntwo\n");
    check("q 1 0 0 1 0 20 cm BT /F1 10 Tf (up) Tj ET Q q BT /F1 10 Tf (down) Tj ET Q", "up\ndown\n");
}

/// What the pages of a PDF say, those that cannot be read with the reason.
fn pages_of(bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let mut reading = open(bytes, None, None).units();
    let pages = reading.by_ref().map(|unit| match unit.unwrap() {
        InputUnit::Page { number, text } => format!("{number}: {text}"),
        InputUnit::UnreadablePage { number, reason } => format!("{number} is lost: {reason}"),
        other => panic!("{other:?}"),
    });
    (pages.collect(), reading.notes())
}

#[test]
fn a_page_that_cannot_be_read_is_no_page_without_text() {
    let check = |damage: &dyn Fn(&mut Document, lopdf::ObjectId), expected: &[&str]| {
        let mut document = pdf(&["one", "two", "three"]);
        let second = document.get_pages()[&2];
        damage(&mut document, second);
        let (pages, notes) = pages_of(&saved(document));
        assert_eq!(pages, [&["1: one\n"][..], expected, &["3: three\n"]].concat());
        assert_eq!(notes, Vec::<String>::new());
    };
    let with = |content: Stream| {
        move |document: &mut Document, page| {
            let id = document.get_page_contents(page)[0];
            document.objects.insert(id, Object::Stream(content.clone()));
        }
    };
    let plain = |content: &str| with(Stream::new(dictionary! {}, content.as_bytes().to_vec()));
    let broken = "2 is lost: what it shows is damaged";
    let rest = "2 is lost: what it shows is damaged behind its beginning";
    check(&plain("BT /F1 (two"), &[broken]);
    check(&plain("BT /F1 12 Tf (two) Tj 0 -14 Td (thr"), &["2: two\n", rest]);
    check(&plain("BT /F1 12 Tf (two) Tj"), &["2: two\n", rest]);
    let garbage = Stream::new(dictionary! { "Filter" => "FlateDecode" }, b"\xff\xfe no such thing".to_vec());
    check(&with(garbage), &[broken]);
    let unknown = Stream::new(dictionary! { "Filter" => "NoSuchDecode" }, b"BT (two) Tj ET".to_vec());
    check(&with(unknown), &["2 is lost: what it shows cannot be decoded"]);
    check(
        &|document, page| drop(document.objects.remove(&document.get_page_contents(page)[0])),
        &["2 is lost: what it shows is missing or damaged"],
    );
    check(&|document, page| drop(document.objects.remove(&page)), &["2 is lost: the page is missing or damaged"]);
    let fonts = plain("BT /F9 12 Tf (two) Tj ET");
    check(&fonts, &["2 is lost: it is set in a font that the file does not have"]);
}

#[test]
fn a_page_without_content_has_no_text() {
    let mut document = pdf(&["one", "two"]);
    let second = document.get_pages()[&2];
    document.get_dictionary_mut(second).unwrap().remove(b"Contents");
    let (pages, notes) = pages_of(&saved(document));
    assert_eq!((pages, notes), (vec!["1: one\n".to_owned(), "2: ".to_owned()], vec!["page 2 has no text".to_owned()]));
}

#[test]
fn pages_that_are_not_found_are_told_as_lost() {
    let mut document = pdf(&["one", "two"]);
    let tree = document.catalog().unwrap().get(b"Pages").and_then(Object::as_reference).unwrap();
    document.get_dictionary_mut(tree).unwrap().set("Count", 5);
    let (pages, _) = pages_of(&saved(document));
    assert_eq!(pages, ["1: one\n", "2: two\n", "3 is lost: the file speaks of 5 pages, and 2 are found in it"]);
}

#[test]
fn a_file_that_is_cut_off_says_which_pages_are_lost() {
    let bytes = saved(pdf(&["one", "two", "three"]));
    for length in 0..bytes.len() {
        let Ok(input) = Input::from_reader("a.pdf", Cursor::new(bytes[..length].to_vec()), None, None) else {
            continue;
        };
        for unit in input.units() {
            match unit.unwrap() {
                InputUnit::Page { number: 1, text } => assert_eq!(text, "one\n"),
                InputUnit::Page { number: 2, text } => assert_eq!(text, "two\n"),
                InputUnit::Page { number: 3, text } => assert_eq!(text, "three\n"),
                InputUnit::UnreadablePage { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn damaged_and_encrypted_files_are_refused_in_words() {
    let refused = |bytes: Vec<u8>| {
        let error = Input::from_reader("a.pdf", Cursor::new(bytes), None, None).err().unwrap();
        let is_encrypted = matches!(error.kind, InputErrorKind::Encrypted);
        assert!(is_encrypted || matches!(error.kind, InputErrorKind::WrongFormat(_)));
        assert_eq!(is_encrypted, error.to_string().ends_with("asks for a password"), "{error}");
        error.to_string()
    };
    assert!(refused(Vec::new()).starts_with("a.pdf: it is no PDF that can be read: "));
    assert!(refused(b"%PDF-1.5\nnothing".to_vec()).starts_with("a.pdf: the PDF is damaged: "));
    assert_eq!(refused(saved(pdf(&[]))), "a.pdf: it is no PDF that can be read: it has no pages");
    let mut document = pdf(&["one"]);
    let tree = document.catalog().unwrap().get(b"Pages").and_then(Object::as_reference).unwrap();
    document.objects.remove(&tree);
    assert_eq!(refused(saved(document)), "a.pdf: the PDF is damaged: its list of pages cannot be read");
    // What says how it is encrypted may stand in the trailer itself.
    let mut document = pdf(&["one"]);
    document.trailer.set("Encrypt", dictionary! { "Filter" => "Standard", "V" => 9 });
    assert_eq!(refused(saved(document)), "a.pdf: the PDF is encrypted, and asks for a password");
    let mut document = pdf(&["one"]);
    let security = document.add_object(dictionary! { "Filter" => "Other", "V" => 1 });
    document.trailer.set("Encrypt", security);
    assert_eq!(refused(saved(document)), "a.pdf: the PDF is encrypted, and asks for a password");
    let mut document = pdf(&["secret"]);
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: "user",
        key_length: 128,
        permissions: Permissions::all(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    assert_eq!(refused(saved(document)), "a.pdf: the PDF is encrypted, and asks for a password");
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
        "[\\PC\\n\"\\\\\\[\\]{},:]{0,12}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::btree_map("[a-z\"]{0,4}", inner, 0..4).prop_map(serde_json::Value::from_iter),
        ]
    })
}

fn blanks() -> impl Strategy<Value = String> {
    proptest::sample::select(&["", " ", "\n", "\r\n  ", "\t"][..]).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text_is_read_as_it_is(
        text in "([a-zäß中🙂]{1,5}|[\\n\\r \\u{c}\\u{1a}]){0,40}", shift in 0usize..400, wide in any::<bool>(),
    ) {
        let text = shifted(&text, shift);
        let bytes = match wide {
            true => std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
            false => text.clone().into_bytes(),
        };
        for kind in [InputKind::Text, InputKind::Markdown, InputKind::Json, InputKind::JsonLines, InputKind::Csv] {
            let (units, error) = units(open(&bytes, Some(kind), None));
            prop_assert_eq!(error, None);
            let blank = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{1a}');
            let is_list = matches!(kind, InputKind::JsonLines | InputKind::Csv);
            if !(is_list && text.trim_matches(blank).is_empty()) {
                prop_assert_eq!(texts(&units).concat(), text.clone());
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80), printable in any::<bool>()) {
        let bytes: Vec<u8> = if printable { bytes.iter().map(|byte| b"[]{}\",:1a\n\\ "[*byte as usize % 12]).collect() } else { bytes };
        for kind in [InputKind::Text, InputKind::Json, InputKind::JsonLines, InputKind::Csv] {
            let (units, error) = units(open(&bytes, Some(kind), None));
            let read = texts(&units).concat();
            let mark = usize::from(bytes.starts_with(b"\xef\xbb\xbf")) * 3;
            if !bytes.starts_with(b"\xff\xfe") && !bytes.starts_with(b"\xfe\xff") {
                prop_assert!(bytes[mark..].starts_with(read.as_bytes()));
            }
            // An array is read to its end exactly where it is JSON.
            if kind == InputKind::Json && printable && bytes.trim_ascii_start().starts_with(b"[") {
                prop_assert_eq!(serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok(), error.is_none(), "{:?}", error);
            }
        }
    }

    #[test]
    fn an_array_is_its_elements(
        values in proptest::collection::vec((value(), blanks(), blanks(), any::<bool>()), 1..12),
        around in (blanks(), blanks()), shift in 0usize..400,
    ) {
        let mut expected = Vec::new();
        for (index, (value, before, behind, pretty)) in values.iter().enumerate() {
            let value = if *pretty { serde_json::to_string_pretty(value) } else { serde_json::to_string(value) }.unwrap();
            let last = index + 1 == values.len();
            let separator = if last { format!("]{}", around.1) } else { format!(",{}", values[index + 1].1) };
            let open = if index == 0 { shifted(&format!("{}[{before}", around.0), shift) } else { String::new() };
            expected.push(format!("{open}{value}{behind}{separator}"));
        }
        let (units, error) = read(&expected.concat(), InputKind::Json);
        prop_assert_eq!(error, None);
        if shift == 0 {
            prop_assert_eq!(texts(&units), expected);
        } else {
            // Behind a block of blanks nobody can tell that it is an array: it is text.
            prop_assert_eq!(texts(&units).concat(), expected.concat());
        }
    }

    #[test]
    fn rows_are_told_with_their_quotes(
        rows in proptest::collection::vec(proptest::collection::vec(("[a-z]{1,4}", "[a-z\",;\\n\\r\\t]{0,9}", any::<bool>()), 2..5), 1..9),
        delimiter in proptest::sample::select(&[b',', b';', b'\t'][..]), line_end in proptest::sample::select(&["\n", "\r\n", "\n\n"][..]),
        shift in 0usize..400,
    ) {
        let delimiter = char::from(delimiter).to_string();
        let rows: Vec<String> = rows.iter().enumerate().map(|(index, fields)| {
            let field = |(plain, quoted, is_quoted): &(String, String, bool)| match *is_quoted && index > 0 {
                true => format!("\"{}\"", quoted.replace('"', "\"\"")),
                false => plain.clone(),
            };
            fields.iter().map(field).collect::<Vec<_>>().join(&delimiter) + line_end
        }).collect();
        let mut rows = rows;
        if shift > 0 {
            let wide = format!("{}{}{delimiter}end{line_end}", "wide".repeat(16_384), "w".repeat(shift));
            rows.insert(1, wide);
        }
        let (units, error) = read(&rows.concat(), InputKind::Csv);
        prop_assert_eq!((texts(&units), error), (rows.iter().map(String::as_str).collect(), None));
        prop_assert!(matches!(units[0], InputUnit::Header(_)));
    }
}
