//! Sources as they come: every end of line, code page, record and change of format, told without being asked.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use war_rig_text::{CodePage, Encoding, LineRange, ReadErrorKind, ReadOptions, SourceFormat, SourceText};

fn read(bytes: &[u8]) -> SourceText {
    SourceText::read("T.cbl", bytes.to_vec(), &ReadOptions::default()).unwrap()
}

fn read_as(bytes: &[u8], encoding: Encoding) -> Result<SourceText, ReadErrorKind> {
    let options = ReadOptions { encoding: Some(encoding), ..ReadOptions::default() };
    SourceText::read("T.cbl", bytes.to_vec(), &options).map_err(|error| error.kind)
}

fn texts(source: &SourceText) -> Vec<&str> {
    source.lines().map(|line| line.text().trim_end()).collect()
}

fn shown(source: &SourceText) -> Vec<&str> {
    source.lines().map(|line| line.visible()).collect()
}

/// Asserts that the lines together are the file, byte for byte.
#[track_caller]
fn check_tiled(source: &SourceText, bytes: &[u8]) {
    let lines = source.lines().map(|line| source.raw_bytes(LineRange::single(line.number())));
    assert_eq!(lines.collect::<Vec<_>>().concat(), bytes);
}

/// Asserts the lines of a file, and that they are the file.
#[track_caller]
fn check(bytes: &[u8], expected: &[&str]) {
    let source = read(bytes);
    assert_eq!(texts(&source), expected, "{}", bytes.escape_ascii());
    assert_eq!(source.line_count(), expected.len());
    check_tiled(&source, bytes);
}

/// Text in a code page, each line feed as these bytes. The page is asked what its bytes are, and read backwards.
fn ebcdic(text: &str, page: CodePage, end: &[u8]) -> Vec<u8> {
    let bytes: Vec<u8> = (0x40..0xFF).collect();
    let page = read_as(&[bytes.as_slice(), &[0x25]].concat(), Encoding::Ebcdic(page)).unwrap();
    let characters: Vec<char> = page.lines().next().unwrap().text().chars().collect();
    let byte = |c: char| 0x40 + characters.iter().position(|known| *known == c).unwrap() as u8;
    text.chars().flat_map(|c| if c == '\n' { end.to_vec() } else { vec![byte(c)] }).collect()
}

/// Lines as records of 80 characters without ends.
fn records(text: &str) -> String {
    text.lines().map(|line| format!("{line:<80}")).collect()
}

const PROGRAM: &str = "\
000100 IDENTIFICATION DIVISION.                                         PAYROLL1
000200 PROGRAM-ID. PAYROLL.                                             PAYROLL1
      * Pays whoever is owed something, and [asks] nobody.
       PROCEDURE DIVISION.
       0000-MAIN.
           DISPLAY 'paid'.
           GOBACK.
";

#[test]
fn lines_are_numbered_as_an_editor_numbers_them() {
    for (bytes, expected) in [
        (&b""[..], &[][..]),
        (b"A", &["A"]),
        (b"A\n", &["A"]),
        (b"\n", &[""]),
        (b"A\nB", &["A", "B"]),
        (b"A\r\nB\r\n", &["A", "B"]),
        (b"A\rB\r", &["A", "B"]),
        (b"A\rB", &["A", "B"]),
        // Mixed ends, as files have them that were edited on two machines.
        (b"A\r\nB\rC\n\nD", &["A", "B", "C", "", "D"]),
        (b"A\n\rB", &["A", "", "B"]),
        (b"A\r\r\nB", &["A", "", "B"]),
        // A form feed ends no line, and it and NUL are blanks.
        (b"A\x0cB\nC", &["A B", "C"]),
        (b"A\x00B\n", &["A B"]),
        // An editor shows 0x1A: behind the last end it is a line of its own, else it is part of the last line.
        (b"A\n\x1a", &["A", ""]),
        (b"A\r\n\x1a\x1a\x1a", &["A", ""]),
        (b"A\x1a", &["A"]),
        (b"A\n\x1a\n", &["A", ""]),
        // What only Unicode calls an end of line is none.
        ("A\u{85}B\u{2028}C\n".as_bytes(), &["A B\u{2028}C"]),
        ("\u{feff}A\nB".as_bytes(), &["A", "B"]),
    ] {
        check(bytes, expected);
    }
}

#[test]
fn tabs_expand_to_stops_of_eight_and_such_lines_are_not_cut() {
    let long = "X".repeat(60);
    for (line, expected) in [
        ("\tMOVE A TO B.".to_owned(), "  MOVE A TO B.".to_owned()),
        ("ABC\tMOVE".to_owned(), "  MOVE".to_owned()),
        ("       A\tB".to_owned(), " A        B".to_owned()),
        ("       A      \tB".to_owned(), format!(" A{}B", " ".repeat(8))),
        (format!("\t    MOVE '{long}' TO B."), format!("      MOVE '{long}' TO B.")),
    ] {
        assert_eq!(shown(&read(line.as_bytes())), [expected], "{line:?}");
    }
}

#[test]
fn fixed_lines_are_cut_at_column_72_however_long_and_whatever_stands_before() {
    let code = format!("{:<66}", " MOVE A TO B.");
    for (line, expected) in [
        (format!("000100{code}"), " MOVE A TO B."),
        (format!("000100{code}PAYROLL1"), " MOVE A TO B."),
        (format!("000100{code}PAYROLL1 and much more than eighty columns"), " MOVE A TO B."),
        (format!("CH#042{code}PAYROLL1"), " MOVE A TO B."),
        (format!("ÄÖÜ   {code}ÄÖÜ"), " MOVE A TO B."),
        ("007200".to_owned(), ""),
        ("0072".to_owned(), ""),
    ] {
        assert_eq!(shown(&read(line.as_bytes())), [expected], "{line}");
        let latin: Vec<u8> = line.chars().map(|c| c as u8).collect();
        assert_eq!(shown(&read(&latin)), [expected], "{line} in ISO 8859-1");
    }
}

#[test]
fn ebcdic_is_told_with_every_end_of_line() {
    for end in [&[0x25][..], &[0x15], &[0x0D, 0x25], &[0x0D, 0x15]] {
        let bytes = ebcdic(PROGRAM, CodePage::Ibm037, end);
        let source = read(&bytes);
        assert_eq!(source.encoding(), Encoding::Ebcdic(CodePage::Ibm037));
        assert_eq!(source.format(), SourceFormat::Fixed);
        assert_eq!(texts(&source), PROGRAM.lines().collect::<Vec<_>>());
        check_tiled(&source, &bytes);
        let notes: Vec<String> = source.notes().iter().map(ToString::to_string).collect();
        assert_eq!(notes, ["decoded as IBM EBCDIC code page 037; name another with --source-encoding"]);
    }
    let mut mixed = ebcdic(PROGRAM, CodePage::Ibm037, &[0x15]);
    mixed.extend(ebcdic("      * end\n", CodePage::Ibm037, &[0x25]));
    mixed.push(0x3F);
    let source = read(&mixed);
    assert_eq!(source.line_count(), 9);
    assert_eq!(texts(&source)[7..], ["      * end", ""]);
    check_tiled(&source, &mixed);
}

#[test]
fn small_letters_and_free_format_are_told_as_well() {
    let text = "identification division.\nprogram-id. a.\n*> pays\nprocedure division.\n    display 'a'.\n";
    let source = read(&ebcdic(text, CodePage::Ibm1047, &[0x15]));
    assert_eq!(source.format(), SourceFormat::Free);
    assert_eq!(texts(&source), text.lines().collect::<Vec<_>>());
}

#[test]
fn the_page_is_guessed_by_its_brackets() {
    for (page, expected) in [
        (CodePage::Ibm037, "ibm037"),
        (CodePage::Ibm1047, "ibm1047"),
        // National pages are told by nobody but the user.
        (CodePage::Ibm273, "ibm037"),
    ] {
        let source = read(&ebcdic(PROGRAM, page, &[0x15]));
        assert_eq!(source.encoding().as_str(), expected);
    }
    let plain = PROGRAM.replace(['[', ']'], "");
    assert_eq!(read(&ebcdic(&plain, CodePage::Ibm1047, &[0x15])).encoding().as_str(), "ibm037");
}

#[test]
fn every_page_has_its_own_letters() {
    for (page, text) in [
        (CodePage::Ibm037, "[]^¬¢!|#@$"),
        (CodePage::Ibm1047, "[]^¬¢!|#@$"),
        (CodePage::Ibm500, "[]^¬¢!|#@$"),
        (CodePage::Ibm273, "ÄÖÜäöüß§{}"),
        (CodePage::Ibm1140, "€[]"),
        (CodePage::Ibm1141, "€ÄÖÜäöüß"),
        (CodePage::Ibm285, "£$‾"),
        (CodePage::Ibm297, "àéèùç§"),
        (CodePage::Ibm280, "àéèìòù"),
        (CodePage::Ibm284, "ñÑ¿¡"),
    ] {
        let text = format!("      * {text} in a comment\n");
        let bytes = ebcdic(&text, page, &[0x25]);
        let source = read_as(&bytes, Encoding::Ebcdic(page)).unwrap();
        assert_eq!(texts(&source), [text.trim_end()], "{}", page.as_str());
        assert!(source.notes().is_empty(), "what the user has said needs no note");
    }
    let bytes = |text| ebcdic(text, CodePage::Ibm273, &[]);
    assert_eq!((bytes("Ä"), bytes("ß"), bytes("A9")), (vec![0x4A], vec![0xA1], vec![0xC1, 0xF9]));
}

#[test]
fn records_without_ends_are_lines() {
    let text = records(PROGRAM);
    let note = "read as records of 80 bytes, because it has no line ends";
    let latin: Vec<u8> = records(&PROGRAM.replace("Pays", "Prämie")).chars().map(|c| c as u8).collect();
    for (bytes, encoding) in
        [(text.clone().into_bytes(), "utf-8"), (latin, "iso-8859-1"), (ebcdic(&text, CodePage::Ibm037, &[]), "ibm037")]
    {
        let source = read(&bytes);
        assert_eq!(source.encoding().as_str(), encoding);
        assert_eq!(source.line_count(), 7, "{encoding}");
        assert_eq!(source.lines().nth(5).unwrap().visible(), "     DISPLAY 'paid'.", "{encoding}");
        assert_eq!(source.notes().last().unwrap().to_string(), note);
        check_tiled(&source, &bytes);
        let second = source.lines().nth(1).unwrap().number();
        assert_eq!(source.raw_bytes(LineRange::single(second)), &bytes[80..160]);
    }
}

#[test]
fn records_may_be_followed_by_filler_and_hold_what_would_end_a_line() {
    let text = records(PROGRAM);
    for filler in [&[0x3F][..], &[0x00; 16]] {
        let bytes = [ebcdic(&text, CodePage::Ibm037, &[]), filler.to_vec()].concat();
        let source = read(&bytes);
        assert_eq!((source.line_count(), shown(&source)[7]), (8, ""));
        check_tiled(&source, &bytes);
    }
    let filled = format!("{text}\x1a");
    assert_eq!(read(filled.as_bytes()).line_count(), 8);
    // An editor has ended the last one.
    for end in ["\n", "\r\n"] {
        let ended = format!("{text}{end}");
        assert_eq!((read(ended.as_bytes()).line_count(), read(ended.as_bytes()).notes().len()), (7, 1));
        check_tiled(&read(ended.as_bytes()), ended.as_bytes());
    }
    let ended = [ebcdic(&text, CodePage::Ibm037, &[]), vec![0x15]].concat();
    assert_eq!(read(&ended).line_count(), 7);
    // A literal of bytes, among them a line feed and a next line.
    let mut bytes = ebcdic(&text, CodePage::Ibm037, &[]);
    bytes[5 * 80 + 20..5 * 80 + 22].copy_from_slice(&[0x25, 0x15]);
    let source = read(&bytes);
    assert_eq!((source.line_count(), shown(&source)[5]), (7, "     DISPLAY '  id'."));
    // A last record that was cut short, which only the columns can tell.
    let short = ebcdic(text.trim_end(), CodePage::Ibm037, &[]);
    assert_ne!(short.len() % 80, 0);
    assert_eq!(read(&short).line_count(), 7);
}

#[test]
fn one_long_line_is_not_taken_for_records() {
    let text = "identification division. program-id. a. procedure division. display 'pays whoever is owed'. display 'something and asks no one for papers'. goback. stop run.";
    let line = format!("{text:<160}");
    assert_eq!(line.len(), 160);
    check(line.as_bytes(), &[text]);
    check(format!("{line}\n").as_bytes(), &[text]);
    let ended = ebcdic(&format!("{line}\n"), CodePage::Ibm037, &[0x15]);
    assert_eq!(texts(&read(&ended)), [text]);
    let error = SourceText::read("T.cbl", ebcdic(text, CodePage::Ibm037, &[]), &ReadOptions::default());
    assert_eq!(
        error.unwrap_err().to_string(),
        "T.cbl: not a text file: EBCDIC text that has neither line ends nor records of 80 bytes"
    );
}

#[test]
fn utf_16_with_its_mark_is_read() {
    let text = "       DISPLAY 'Größe 😀'.\r\n       GOBACK.\n\r       A.";
    let lines = ["       DISPLAY 'Größe 😀'.", "       GOBACK.", "", "       A."];
    for (order, encoding) in [(u16::to_le_bytes as fn(u16) -> [u8; 2], "utf-16le"), (u16::to_be_bytes, "utf-16be")] {
        let units: Vec<u16> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).collect();
        let bytes: Vec<u8> = units.iter().flat_map(|unit| order(*unit)).collect();
        let source = read(&bytes);
        assert_eq!(source.encoding().as_str(), encoding);
        assert_eq!(texts(&source), lines);
        check_tiled(&source, &bytes);
        // Half a character, and a byte too few.
        let mut broken = bytes.clone();
        broken.extend(order(0xD800));
        for bytes in [&broken, &bytes[..bytes.len() - 1]] {
            let error = SourceText::read("T.cbl", bytes.to_vec(), &ReadOptions::default()).unwrap_err();
            assert_eq!(error.kind, ReadErrorKind::NotText("UTF-16 text with broken characters"));
        }
        let error = read_as(&broken, Encoding::from_name(encoding).unwrap()).unwrap_err();
        assert!(matches!(error, ReadErrorKind::InvalidByte { line, .. } if line.get() == 4), "{error}");
    }
}

#[test]
fn text_that_is_not_what_the_user_said_is_refused_and_not_garbled() {
    let ascii = PROGRAM.as_bytes();
    let error = read_as(ascii, Encoding::Ebcdic(CodePage::Ibm037)).unwrap_err();
    assert_eq!(error.to_string(), "line 1: byte 0x20 is not ibm037");
    let error = read_as(&ebcdic(PROGRAM, CodePage::Ibm037, &[0x25]), Encoding::Utf8).unwrap_err();
    assert!(matches!(error, ReadErrorKind::InvalidByte { encoding: Encoding::Utf8, .. }), "{error}");
}

#[test]
fn binary_files_are_no_text_in_any_encoding() {
    let noise: Vec<u8> = (0..4000u32).map(|n| (n * n / 7 % 256) as u8).collect();
    let packed: Vec<u8> = (0..4000u32).map(|n| if n % 4 == 0 { 0x0C } else { 0x40 + (n % 9) as u8 * 16 }).collect();
    let module: Vec<u8> = (0..4000u32).map(|n| if n % 4 == 0 { 0x02 } else { 0x40 }).collect();
    assert!(SourceText::read("T.cbl", noise, &ReadOptions::default()).is_err());
    assert!(SourceText::read("T.cbl", module.clone(), &ReadOptions::default()).is_err());
    assert!(read_as(&module, Encoding::Ebcdic(CodePage::Ibm037)).is_err());
    assert_ne!(read(&packed).encoding(), Encoding::Ebcdic(CodePage::Ibm037));
}

#[test]
fn the_format_changes_where_a_directive_says_so() {
    let wide = format!("           MOVE {:<60} TO B.", "A");
    for (text, expected) in [
        (
            "       A.\n       >>SOURCE FORMAT IS FREE\nB. *> free\n>>SOURCE FORMAT IS FIXED\n000100 C.\n".to_owned(),
            vec![" A.", " >>SOURCE FORMAT IS FREE", "B. *> free", ">>SOURCE FORMAT IS FIXED", " C."],
        ),
        (
            "      $SET SOURCEFORMAT\"FREE\"\nB.\n      $SET SOURCEFORMAT\"FIXED\"\n000100 C.\n".to_owned(),
            vec!["      $SET SOURCEFORMAT\"FREE\"", "B.", "      $SET SOURCEFORMAT\"FIXED\"", " C."],
        ),
        ("000100 A.\n$SET SOURCEFORMAT\"FREE\"\nB.\n".to_owned(), vec![" A.", "$SET SOURCEFORMAT\"FREE\"", "B."]),
        (
            format!("000100 A.\n      $SET SOURCEFORMAT\"VARIABLE\"\n{wide}\n"),
            vec![" A.", "$SET SOURCEFORMAT\"VARIABLE\"", &wide[6..]],
        ),
    ] {
        assert_eq!(shown(&read(text.as_bytes())), expected, "{text}");
    }
}
