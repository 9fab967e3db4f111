//! Parses the operand field of a statement.
//!
//! ```text
//! field = [ operand { "," operand } ]
//! operand = [ keyword "=" ] value
//! value = text | "'" text "'" | "(" field ")"
//! ```
//! Commas and blanks in quotes and parentheses do not separate operands; a quote in quotes is doubled.

use std::ops::Range;

/// Splits a text at commas outside quotes and parentheses. An empty text has no parts.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0usize, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\'' => quoted = !quoted,
            b'(' if !quoted => depth += 1,
            b')' if !quoted => depth = depth.saturating_sub(1),
            b',' if !quoted && depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < text.len() || start > 0 {
        parts.push(start..text.len());
    }
    parts
}

/// Splits a text at commas outside quotes and parentheses. An empty text is one empty part.
pub fn split_at_commas(text: &str) -> Vec<&str> {
    match parts(text).as_slice() {
        [] => vec![text],
        parts => parts.iter().map(|part| &text[part.clone()]).collect(),
    }
}

/// Splits an operand into its upper-case keyword and the text after the equals sign. A positional operand has no keyword.
pub(super) fn keyword(operand: &str) -> (Option<String>, &str) {
    match operand.find(['=', '\'', '(']) {
        Some(at) if at > 0 && operand.as_bytes()[at] == b'=' => {
            (Some(operand[..at].to_ascii_uppercase()), &operand[at + 1..])
        }
        _ => (None, operand),
    }
}

/// Removes the quotes around a text and reduces doubled quotes in it.
pub(super) fn unquoted(text: &str) -> String {
    match text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => text.to_owned(),
    }
}

/// Returns the elements of a value without quotes: those in its parentheses, or the value itself.
pub fn list(value: &str) -> Vec<String> {
    let inner = value.strip_prefix('(').map_or(value, |inner| inner.strip_suffix(')').unwrap_or(inner));
    parts(inner).into_iter().map(|part| unquoted(&inner[part])).collect()
}

/// Converts a text to upper case, except in quotes.
pub(super) fn upper(text: &str) -> String {
    let mut quoted = false;
    let folded = |c: char| {
        quoted ^= c == '\'';
        if quoted { c } else { c.to_ascii_uppercase() }
    };
    text.chars().map(folded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = parts(text).into_iter().map(|part| &text[part]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn commas_part_operands_but_not_in_quotes_and_brackets() {
        check("", &[]);
        check("A", &["A"]);
        check(",A,", &["", "A", ""]);
        check("PGM=X,PARM='A,B',COND=((4,LT),(8,LT,S))", &["PGM=X", "PARM='A,B'", "COND=((4,LT),(8,LT,S))"]);
        check("A='IT''S, SO',B", &["A='IT''S, SO'", "B"]);
        check("A),B", &["A)", "B"]);
        check("A='B,C", &["A='B,C"]);
        assert_eq!(split_at_commas(""), [""]);
        assert_eq!(split_at_commas("(A,B),"), ["(A,B)", ""]);
    }

    #[test]
    fn a_keyword_stands_before_quotes_and_brackets() {
        assert_eq!(keyword("pgm=X=Y"), (Some("PGM".to_owned()), "X=Y"));
        assert_eq!(keyword("('START=COLD',X)"), (None, "('START=COLD',X)"));
        assert_eq!(keyword("=X"), (None, "=X"));
        assert_eq!(keyword("*"), (None, "*"));
    }

    #[test]
    fn lists_lose_their_brackets_and_quotes() {
        assert_eq!(list("(NEW,CATLG,DELETE)"), ["NEW", "CATLG", "DELETE"]);
        assert_eq!(list("SHR"), ["SHR"]);
        assert_eq!(list("('A,B',C)"), ["A,B", "C"]);
        assert_eq!(list("(,PASS)"), ["", "PASS"]);
        assert_eq!(list("(A"), ["A"]);
        assert_eq!(upper("a'b'c"), "A'b'C");
        assert_eq!(unquoted("'O''NEIL'"), "O'NEIL");
        assert_eq!(unquoted("'"), "'");
    }
}
