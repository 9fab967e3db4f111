//! The names of a source, and the names in a text.

use super::GroundTruth;
use serde_json::Value;
use std::collections::HashSet;

/// Words in capitals that look like names of a source but are not.
const COMMON: [&str; 46] = [
    "ABEND", "ACID", "ASCII", "BMS", "BSAM", "CICS", "COBOL", "CRUD", "CSD", "DASD", "DB2", "DBCS", "DCLGEN", "DDL",
    "DISP", "DL/I", "EBCDIC", "ESDS", "GDG", "IBM", "IDCAMS", "IMS", "ISAM", "JCL", "KSDS", "MAIN", "NONE", "NULL",
    "PCB", "PROC", "PSB", "QSAM", "RDBMS", "RRDS", "SQL", "SSA", "TRUE", "FALSE", "TSO", "UTF", "VSAM", "XML", "JSON",
    "HTTP", "HTML", "ISO",
];

/// The names and words of a source, in upper case.
pub(super) struct KnownNames(HashSet<String>);

impl KnownNames {
    /// Collects the names of the source and of the parser's facts, including names from copybooks.
    pub(super) fn of(truth: GroundTruth<'_>, expected: &Value) -> Self {
        let mut known = HashSet::new();
        let mut add = |text: &str| {
            for word in words(text) {
                let word = word.to_uppercase();
                // A qualified or composed name consists of names.
                known.extend(word.split('-').filter(|_| word.contains('-')).map(str::to_owned));
                known.insert(word);
            }
        };
        truth.source.lines().for_each(|line| add(line.visible()));
        truth.copied_names.iter().for_each(|name| add(name));
        each_text(expected, &mut add);
        Self(known)
    }

    /// Returns whether the source contains every word of a name.
    pub(super) fn has(&self, name: &str) -> bool {
        words(name).all(|word| self.0.contains(&word.to_uppercase()) || word.bytes().all(|b| b.is_ascii_digit()))
    }

    /// Returns the first name in a text that the source does not contain: a word in capitals with a hyphen or in backticks, or after a word such as
    /// `paragraph`.
    pub(super) fn unknown_in<'a>(&self, text: &'a str) -> Option<&'a str> {
        spoken_of(text).find(|name| !self.0.contains(&name.to_uppercase()))
    }

    /// Returns the first name in a text that neither another text nor the source contains, in any position.
    pub(super) fn new_in<'a>(&self, text: &'a str, other: &str) -> Option<&'a str> {
        let has = |name: &str| words(other).any(|word| word == name) || self.0.contains(name);
        words(text).find(|word| is_name(word) && !is_common(word) && !has(word))
    }
}

/// Returns the words of a text that name something of a source, judged by their form.
fn spoken_of(text: &str) -> impl Iterator<Item = &str> {
    const KINDS: [&str; 20] = [
        "program", "programs", "subprogram", "module", "paragraph", "paragraphs", "section", "copybook", "copybooks",
        "table", "tables", "file", "files", "map", "call", "calls", "perform", "performs", "record", "called",
    ];
    let mut before = "";
    let mut end = 0;
    word_indices(text).filter_map(move |(at, word)| {
        let between = &text[end..at];
        let next = text[at + word.len()..].chars().next();
        let kind = std::mem::replace(&mut before, word);
        end = at + word.len();
        let in_backticks = between.ends_with('`') && next == Some('`');
        let is_spoken_of = between.chars().all(|c| c == ' ' || c == '`') && KINDS.contains(&kind);
        let looks_like = is_name(word) && (word.contains('-') || in_backticks || is_spoken_of);
        (looks_like && !is_common(word)).then_some(word)
    })
}

/// Returns whether a word is written as a name: capitals, digits and hyphens.
fn is_name(word: &str) -> bool {
    let letters = word.chars().filter(char::is_ascii_uppercase).count();
    word.len() >= 4
        && letters >= 2
        && !word.starts_with('-')
        && !word.ends_with('-')
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '$' | '#' | '@'))
}

/// Returns whether a word in capitals is a technical term, the name of a standard or a date format.
fn is_common(word: &str) -> bool {
    let is_form = |part: &str| {
        part.bytes().all(|b| b.is_ascii_digit())
            || matches!(part, "YYYY" | "CCYY" | "YY" | "MM" | "DD" | "DDD" | "HH" | "MI" | "SS" | "HHMM" | "HHMMSS")
    };
    let mut parts = word.split('-');
    let first = parts.next().unwrap_or_default();
    COMMON.contains(&word)
        || word.split('-').all(is_form)
        || (matches!(first, "UTF" | "ISO" | "COMP" | "COMPUTATIONAL" | "IEEE" | "ANSI" | "IBM" | "RFC" | "CP")
            && parts.all(|part| part.bytes().any(|b| b.is_ascii_digit())))
        || matches!(
            word,
            "READ-ONLY" | "WRITE-ONLY" | "END-OF-FILE" | "ADD-ON" | "PSEUDO-CONVERSATIONAL" | "SIGN-ON" | "SIGN-OFF"
        )
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@')
}

fn word_indices(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_word)?;
        let end = text[start..].find(|c| !is_word(c)).map_or(text.len(), |at| start + at);
        rest = end;
        let word = text[start..end].trim_end_matches('-');
        Some((start, word))
    })
}

/// Returns the COBOL words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}

/// Visits every text in a JSON value.
fn each_text(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, visit)),
        Value::Object(fields) => {
            for (name, value) in fields {
                visit(name);
                each_text(value, visit);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the names in a list or table; for an object, its name field.
pub(super) fn names_in(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(items) => Box::new(items.iter().flat_map(names_in)),
        Value::Object(fields) => match fields.get("name").or_else(|| fields.get("data_set")) {
            Some(name) => names_in(name),
            None => Box::new(fields.keys().map(String::as_str)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        for (text, expected) in [
            ("It performs 2000-POST-CLAIM and ends.", vec!["2000-POST-CLAIM"]),
            ("It calls ZZPHANT, then the program `ABC1`.", vec!["ZZPHANT", "ABC1"]),
            ("A file of VSAM in UTF-8, dated YYYY-MM-DD, of type COMP-3, see ISO-8859-1.", vec![]),
            ("Reads the table TMA.CLAIM and writes READ-ONLY data", vec![]),
            ("An all-capital NOTE is no name, a-b neither", vec![]),
            ("The end-of-file of `IN-FILE`", vec!["IN-FILE"]),
        ] {
            assert_eq!(spoken_of(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
