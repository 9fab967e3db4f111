//! Words what INREC, OUTREC and OUTFIL make of records.

use super::positions::{RecordField, is_format, is_number, listed};
use crate::phrases::count;
use war_rig_estate::jcl::{SortOperand, SortStatement};

/// How many parts of a record are told.
const PARTS: usize = 12;

/// Words INREC and OUTREC: `each output record is bytes 1-80`. Returns none where they have conditions.
pub(super) fn shape(who: &str, statement: &SortStatement, file_name: &dyn Fn(&str) -> String) -> Option<String> {
    let operands: Vec<SortOperand<'_>> = statement.split_operands().collect();
    let [operand] = operands.as_slice() else { return None };
    match operand.keyword.as_deref()? {
        "FIELDS" | "BUILD" => Some(format!("{who} is {}", fields(operand.value, file_name)?)),
        "OVERLAY" => Some(format!("{who} is changed: {}", fields(operand.value, file_name)?)),
        _ => None,
    }
}

/// Words the parts of a record: `bytes 80-137, the text 'ABC', 50 blanks`. Returns none if it does not know all of them.
pub(super) fn fields(written: &str, file_name: &dyn Fn(&str) -> String) -> Option<String> {
    let words = listed(written)?;
    let (mut parts, mut rest) = (Vec::new(), words.as_slice());
    while let Some(first) = rest.first() {
        let (column, first) = prefixed(first, is_number);
        let (file, first) = prefixed(first, |prefix| matches!(prefix, "F1" | "F2"));
        let (part, used) = part(first, rest)?;
        let column = column.map(|column| format!(" at byte {column}")).unwrap_or_default();
        let file = file.map(|file| format!(" of {}", file_name(file))).unwrap_or_default();
        parts.push(format!("{part}{file}{column}"));
        rest = &rest[used..];
    }
    let more = parts.len().saturating_sub(PARTS);
    if more > 1 {
        parts.truncate(PARTS);
        parts.push(format!("and {more} more parts"));
    }
    Some(parts.join(", "))
}

/// Splits a part at the colon behind a column or a file.
fn prefixed(word: &str, is_prefix: impl Fn(&str) -> bool) -> (Option<&str>, &str) {
    match word.split_once(':') {
        Some((prefix, rest)) if is_prefix(prefix) => (Some(prefix), rest),
        _ => (None, word),
    }
}

/// Words one part of a record that begins with this word. Also returns how many words it takes.
fn part(first: &str, words: &[&str]) -> Option<(String, usize)> {
    if first == "SEQNUM" {
        let length: usize = words.get(1)?.parse().ok()?;
        let used = 2 + usize::from(words.get(2).is_some_and(|word| is_format(word)));
        let more = words[used..].iter().take_while(|word| word.contains('=')).count();
        return Some((format!("a running number of {}", count(length, "byte")), used + more));
    }
    if !is_number(first) {
        return Some((constant(first)?, 1));
    }
    let Some((field, used)) = RecordField::parse(first, &words[1..], is_format) else {
        return (words.len() == 1).then(|| (format!("all from byte {first} on"), 1));
    };
    let is_edit = |word: &&&str| {
        let is_mask = || word.strip_prefix('M').is_some_and(|number| number.parse::<u8>().is_ok());
        word.contains('=') && !word.contains('\'') || is_mask() || **word == "HEX"
    };
    let edits: Vec<&str> = words[used..].iter().take_while(is_edit).copied().collect();
    let told = if edits.is_empty() { field.to_string() } else { format!("{field} as {}", edits.join(",")) };
    Some((told, used + edits.len()))
}

/// Words a part that is the same in each record: `50X`, `C'ABC'`. A word of letters names a field or a value of the system.
fn constant(word: &str) -> Option<String> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let times: usize = if digits == 0 { 1 } else { word[..digits].parse().ok()? };
    let repeated = |what: String| if times == 1 { what } else { format!("{times} times {what}") };
    match &word[digits..] {
        "?" if digits == 0 => Some("the mark of the files it is from (B, 1 or 2)".to_owned()),
        "X" => Some(count(times, "blank")),
        "Z" => Some(count(times, "binary zero")),
        text if text.starts_with("X'") => Some(repeated(format!("the byte {text}"))),
        text if text.starts_with("C'") => Some(repeated(format!("the text {}", &text[1..]))),
        text if text.starts_with('\'') => Some(repeated(format!("the text {text}"))),
        name if digits == 0 && name.len() > 1 && name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '#' | '$' | '@');
            name.chars().all(is_of_name).then(|| name.to_owned())
        }
        _ => None,
    }
}
