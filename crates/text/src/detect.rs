//! Which reference format a source is written in, line by line.

use regex::Regex;
use serde::Serialize;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The reference format of a line or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceFormat {
    /// Columns 1-6 sequence area, 7 indicator, 8-72 code, 73-80 identification.
    Fixed,
    /// The whole line is code.
    Free,
}

impl SourceFormat {
    /// The name as users and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            SourceFormat::Fixed => "fixed",
            SourceFormat::Free => "free",
        }
    }
}

/// Lines looked at before the vote is closed; a program shows its format long before that.
const LINES_OF_THE_VOTE: usize = 4000;

/// `>>SOURCE FORMAT IS FREE`, `$SET SOURCEFORMAT"FREE"` and their like, behind a sequence number or not.
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    let directive =
        r#"(?i)^[ 0-9]*(?:>>|\$) *(?:SET +)?SOURCE *(?:FORMAT)? *(?:IS +)?[("' ]*(FREE|FIXED|VARIABLE)"#;
    Regex::new(directive).expect("the pattern is one")
});

/// The format that a directive on this line asks of the lines after it.
pub(crate) fn directive(line: &str) -> Option<SourceFormat> {
    if !line.contains(['>', '$']) {
        return None;
    }
    let asked = DIRECTIVE.captures(line)?.get(1)?.as_str();
    Some(if asked.eq_ignore_ascii_case("FREE") { SourceFormat::Free } else { SourceFormat::Fixed })
}

/// The format that a file starts in.
///
/// The lines before the first directive decide, and where they say nothing, the directive. Each line votes: a word that runs across columns 6 and 7, or a
/// `*>` comment in columns 1-6, can only be free format; an indicator in column 7 behind a blank or numbered sequence area
/// can only be fixed. Nothing to go by is fixed, as on the host.
pub(crate) fn detect<'a>(lines: impl Iterator<Item = &'a str>) -> SourceFormat {
    let (mut fixed, mut free) = (0usize, 0usize);
    for line in lines.filter(|line| !line.trim().is_empty()).take(LINES_OF_THE_VOTE) {
        if let Some(asked) = directive(line) {
            return match free.cmp(&fixed) {
                Ordering::Greater => SourceFormat::Free,
                Ordering::Less => SourceFormat::Fixed,
                Ordering::Equal => asked,
            };
        }
        match vote(line) {
            Some(SourceFormat::Fixed) => fixed += 1,
            Some(SourceFormat::Free) => free += 1,
            None => {}
        }
    }
    if free > fixed { SourceFormat::Free } else { SourceFormat::Fixed }
}

fn vote(line: &str) -> Option<SourceFormat> {
    let columns: Vec<char> = line.chars().take(8).collect();
    let sequence = &columns[..columns.len().min(6)];
    if line.trim_start().starts_with("*>") && !sequence.iter().all(|c| *c == ' ') {
        return Some(SourceFormat::Free);
    }
    let indicator = *columns.get(6)?;
    let numbered = sequence.iter().all(|c| c.is_ascii_digit() || *c == ' ');
    let word = |c: char| c.is_alphanumeric() || c == '-';
    match indicator {
        '*' | '/' if numbered => Some(SourceFormat::Fixed),
        ' ' if sequence.iter().all(char::is_ascii_digit) => Some(SourceFormat::Fixed),
        // A header or a label in columns 8-11 is how fixed format looks; free format is seldom indented by 7.
        ' ' if sequence.iter().all(|c| *c == ' ') => {
            columns.get(7).is_some_and(|c| *c != ' ').then_some(SourceFormat::Fixed)
        }
        c if c.is_alphanumeric() && word(sequence[5]) && !numbered => Some(SourceFormat::Free),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_in_every_usual_spelling() {
        for line in [
            ">>SOURCE FORMAT IS FREE",
            "       >>source format free",
            "000100 >> SOURCE FREE",
            "      $SET SOURCEFORMAT\"FREE\"",
            "$set sourceformat(free)",
        ] {
            assert_eq!(directive(line), Some(SourceFormat::Free), "{line}");
        }
        assert_eq!(directive("      $SET SOURCEFORMAT\"FIXED\""), Some(SourceFormat::Fixed));
        assert_eq!(directive("           MOVE SOURCE TO FREE"), None);
        assert_eq!(directive("       >>IF FREE IS DEFINED"), None);
    }

    #[test]
    fn formats_are_told_apart_without_a_mark() {
        let free = "IDENTIFICATION DIVISION.\nPROGRAM-ID. A.\n*> a comment\nPROCEDURE DIVISION.\n    DISPLAY 'A'\n    GOBACK.";
        assert_eq!(detect(free.lines()), SourceFormat::Free);
        let fixed = "       IDENTIFICATION DIVISION.\n      * a comment\nABC123 PROGRAM-ID. A.\n           MOVE A TO B.";
        assert_eq!(detect(fixed.lines()), SourceFormat::Fixed);
        assert_eq!(
            detect("*> free\n78 A VALUE 1.\n    78 B VALUE 2.\n    78 C VALUE 3.".lines()),
            SourceFormat::Free
        );
        assert_eq!(detect("000100 01 A.\n000200".lines()), SourceFormat::Fixed);
        assert_eq!(detect("".lines()), SourceFormat::Fixed);
    }
}
