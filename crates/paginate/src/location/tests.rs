use super::*;
use crate::parts::slice;

fn marks(marks: &[(usize, u64)]) -> Vec<UnitStart> {
    marks.iter().map(|(at, number)| UnitStart { at: *at, number: *number }).collect()
}

fn of_kind(part: &Slice, kind: InputContent) -> Slice {
    Slice { kind, ..part.clone() }
}

fn find(part: &Slice, kind: InputContent, text: &str) -> Option<(InputLocation, bool)> {
    let sighting = TextFinder::new(&of_kind(part, kind)).find(text)?;
    Some((sighting.place, sighting.in_overlap))
}

fn lines(line: u64) -> InputLocation {
    InputLocation { lines: Some((line, line)), ..InputLocation::default() }
}

fn page(page: u64) -> InputLocation {
    InputLocation { pages: Some((page, page)), ..InputLocation::default() }
}

#[test]
fn a_byte_of_running_text_stands_on_a_line() {
    let part = slice("", "one\ntwo\nthree\n", 7);
    for (at, line) in [(0, 7), (3, 7), (4, 8), (8, 9), (13, 9), (14, 9)] {
        assert_eq!(place_of(&part, at), lines(line), "{at}");
    }
    assert_eq!(place_of_all(&part).lines, Some((7, 9)));
}

#[test]
fn a_byte_of_a_record_or_a_page_stands_in_it() {
    let mut part = slice("", "{1}\n{2}\n{3}", 1);
    part.marks = marks(&[(0, 11), (4, 12), (8, 13)]);
    let place = place_of(&of_kind(&part, InputContent::Records), 5);
    assert_eq!((place.records, place.lines, place.pages), (Some((12, 12)), Some((2, 2)), None));
    assert_eq!(place_of(&of_kind(&part, InputContent::Pages), 11), page(13));
    assert_eq!(place_of_all(&of_kind(&part, InputContent::Records)).records, Some((11, 13)));
    assert_eq!(place_of_all(&of_kind(&part, InputContent::Pages)).lines, None);
}

#[test]
fn a_text_is_found_as_whole_words_whatever_is_between_them() {
    let part = slice("see PBI-9 in\n", "PBI-123 and PBI-12,\nthe night\n   job of  Tarnwick", 4);
    for (text, expected) in [
        ("PBI-12", Some((lines(4), false))),
        ("PBI-1", None),
        ("BI-12", None),
        ("the night job", Some((lines(5), false))),
        ("job of Tarnwick", Some((lines(6), false))),
        ("PBI-9", Some((lines(3), true))),
        ("in PBI-123", Some((lines(3), false))),
        (" ", None),
        ("", None),
    ] {
        assert_eq!(find(&part, InputContent::Text, text), expected, "{text}");
    }
}

#[test]
fn what_stands_in_the_overlap_and_in_the_text_is_found_in_the_text() {
    let part = slice("CHG1 was early\n", "CHG1 was late\n", 2);
    assert_eq!(find(&part, InputContent::Text, "CHG1"), Some((lines(2), false)));
}

#[test]
fn a_word_that_a_page_break_cuts_is_found_where_it_begins() {
    let mut part = slice("as told in PBI-\n", "\n 1234 and\x0cCR-\n", 1);
    part.overlap_marks = marks(&[(0, 3)]);
    part.marks = marks(&[(0, 4)]);
    assert_eq!(find(&part, InputContent::Pages, "PBI-1234"), Some((page(3), false)));
    assert_eq!(find(&part, InputContent::Pages, "and"), Some((page(4), false)));
    assert_eq!(find(&part, InputContent::Pages, "told"), Some((page(3), true)));
    // A continued page is one text, and breaks between records or lines are not page breaks.
    part.marks = marks(&[(0, 3)]);
    assert_eq!(find(&part, InputContent::Pages, "PBI-1234"), None);
    part.marks = marks(&[(0, 4)]);
    assert_eq!(find(&part, InputContent::Records, "PBI-1234"), None);
}

#[test]
fn pages_within_a_part_are_joined_alike_and_soft_hyphens_go() {
    let mut part = slice("", "first PBI-\nsec\u{AD}\n\nond\n- third - \n4th", 1);
    let at = |text: &str| part.text.find(text).unwrap();
    part.marks = marks(&[(0, 1), (at("sec"), 2), (at("\nond"), 3), (at("4th"), 4)]);
    assert_eq!(find(&part, InputContent::Pages, "PBI-second"), Some((page(1), false)));
    // A dash between blanks is not a hyphen.
    assert_eq!(find(&part, InputContent::Pages, "4th"), Some((page(4), false)));
    assert_eq!(find(&part, InputContent::Pages, "third"), Some((page(3), false)));
}

#[test]
fn records_have_texts_as_their_format_writes_them() {
    let mut part = slice("", "{\"t\": \"a \\\"b\\\"\\nc caf\\u00e9\"}\n7,\"say \"\"no\"\"\"\n", 1);
    part.marks = marks(&[(0, 1), (part.text.find("7,").unwrap(), 2)]);
    let record = |text: &str| find(&part, InputContent::Records, text).unwrap().0.records;
    assert_eq!(record("a \"b\"\nc"), Some((1, 1)));
    assert_eq!(record("café"), Some((1, 1)));
    assert_eq!(record("say \"no\""), Some((2, 2)));
}
