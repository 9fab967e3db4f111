//! Words fields of records by their positions, and the keys and conditions on them.

use std::fmt;
use war_rig_estate::jcl::{SortStatement, split_at_commas};

/// The codes of the formats of fields, and their words; some have only their codes.
const FORMATS: [(&str, &str); 14] = [
    ("CH", "characters"),
    ("BI", "binary"),
    ("ZD", "zoned decimal"),
    ("PD", "packed decimal"),
    ("FI", "signed binary"),
    ("FS", "FS"),
    ("CSF", "CSF"),
    ("FL", "FL"),
    ("UFF", "UFF"),
    ("SFF", "SFF"),
    ("PD0", "PD0"),
    ("CSL", "CSL"),
    ("CST", "CST"),
    ("CTO", "CTO"),
];

/// A field of a record by its position: `21,3,ZD`.
pub(super) struct RecordField<'a> {
    first: u32,
    last: u32,
    format: Option<&'a str>,
}

impl<'a> RecordField<'a> {
    /// Parses a position and the words after it: a length, and perhaps a format. Also returns how many words the field takes.
    pub(super) fn parse(position: &str, after: &[&'a str], is_format: impl Fn(&str) -> bool) -> Option<(Self, usize)> {
        let (first, length): (u32, u32) = (position.parse().ok()?, after.first()?.parse().ok()?);
        let last = first.checked_add(length.checked_sub(1)?)?;
        let format = after.get(1).copied().filter(|word| is_format(word));
        Some((Self { first, last, format }, 2 + usize::from(format.is_some())))
    }
}

/// Words a field: `bytes 21-23 (zoned decimal)`. Characters need no words.
impl fmt::Display for RecordField<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(formatter, "byte {}", self.first)?,
            false => write!(formatter, "bytes {}-{}", self.first, self.last)?,
        }
        let Some(format) = self.format.filter(|format| *format != "CH") else { return Ok(()) };
        let words = FORMATS.iter().find(|(code, _)| *code == format).map_or(format, |(_, words)| words);
        write!(formatter, " ({words})")
    }
}

/// Whether a word is the code of a format.
pub(super) fn is_format(word: &str) -> bool {
    FORMATS.iter().any(|(code, _)| *code == word)
}

/// Whether a word is a position or a length.
pub(super) fn is_number(word: &str) -> bool {
    word.parse::<u32>().is_ok()
}

/// Returns the words of a list in parentheses.
pub(super) fn listed(value: &str) -> Option<Vec<&str>> {
    let inner = value.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some(split_at_commas(inner).into_iter().map(str::trim).collect())
}

/// Words the keys of a sort or of a file to join, each with its order. A key has its own format, or that of FORMAT.
pub(super) fn keys(statement: &SortStatement) -> Option<Vec<(String, &'static str)>> {
    let words = listed(statement.value("FIELDS")?)?;
    let format_of_all = statement.value("FORMAT");
    let mut keys = Vec::new();
    let mut rest = words.as_slice();
    while let Some(first) = rest.first() {
        let (key, used) = match RecordField::parse(first, &rest[1..], |word| !matches!(word, "A" | "D" | "E")) {
            Some((field, used)) => (RecordField { format: field.format.or(format_of_all), ..field }.to_string(), used),
            None if is_number(first) => return None,
            None => (first.to_string(), 1),
        };
        let order = match *rest.get(used)? {
            "A" => "ascending",
            "D" => "descending",
            _ => return None,
        };
        keys.push((key, order));
        rest = &rest[used + 1..];
    }
    (!keys.is_empty()).then_some(keys)
}

/// Words a simple condition of INCLUDE or OMIT.
pub(super) fn condition(value: &str) -> Option<String> {
    let words = listed(value)?;
    let mut told = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (left, used) = side(rest)?;
        let operator = match *rest.get(used)? {
            "EQ" => "=",
            "NE" => "not =",
            "GT" => ">",
            "GE" => ">=",
            "LT" => "<",
            "LE" => "<=",
            _ => return None,
        };
        let (right, more) = side(&rest[used + 1..])?;
        told.push(format!("{left} {operator} {right}"));
        rest = &rest[used + 1 + more..];
        match rest.first() {
            None => {}
            Some(&("AND" | "&")) => told.push("and".to_owned()),
            Some(&("OR" | "|")) => told.push("or".to_owned()),
            Some(_) => return None,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Some(told.join(" "))
}

/// Words one side of a comparison: a field with its format, or a word. Also returns how many words it takes.
fn side(words: &[&str]) -> Option<(String, usize)> {
    let first = words.first().filter(|word| !word.is_empty() && !word.starts_with('('))?;
    match RecordField::parse(first, &words[1..], |word| word.len() <= 3) {
        Some((field, used)) if field.format.is_some() => Some((field.to_string(), used)),
        _ => Some((first.to_string(), 1)),
    }
}
