//! Sources as a host keeps them: in EBCDIC, and in records without line ends.

use war_rig_text::{CodePage, Encoding, ReadOptions, SourceText};

/// The text in a code page, each line feed as these bytes. The reader under test is asked for the characters of the page, which is
/// then read backwards; its own tests hold the pages to what is known of them.
///
/// # Panics
/// When the page lacks a character of the text.
pub fn ebcdic(text: &str, page: CodePage, end: &[u8]) -> Vec<u8> {
    const FIRST: u8 = 0x40;
    let bytes: Vec<u8> = (FIRST..0xFF).chain([0x25]).collect();
    let options = ReadOptions { encoding: Some(Encoding::Ebcdic(page)), ..ReadOptions::default() };
    let all = SourceText::read("page", bytes, &options).expect("every byte is a character");
    let characters: Vec<char> = all.lines().flat_map(|line| line.text().chars()).collect();
    let byte = |wanted: char| {
        let at = characters.iter().position(|character| *character == wanted);
        FIRST + at.unwrap_or_else(|| panic!("`{wanted}` is not in {}", page.as_str())) as u8
    };
    text.chars().flat_map(|c| if c == '\n' { end.to_vec() } else { vec![byte(c)] }).collect()
}

/// The lines of a text as records of 80 characters without ends; longer lines are cut.
pub fn records(text: &str) -> String {
    text.lines().map(|line| format!("{line:<80.80}")).collect()
}
