//! The words of conditions and statements, with the places where they stand.

/// A word: a name, a literal, a number, or a sign such as `>=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl Word<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// A literal, a number, or a figurative constant.
    pub(super) fn is_constant(&self) -> bool {
        self.is_literal()
            || self.text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
            || self.is_any(FIGURATIVES)
    }

    /// A literal in quotes, with or without a prefix: `'A'`, `X'00'`.
    pub(super) fn is_literal(&self) -> bool {
        self.text.ends_with(['\'', '"'])
    }

    /// A word that could be a name.
    pub(super) fn is_name(&self) -> bool {
        !self.is_constant() && self.text.starts_with(|c: char| c.is_alphanumeric())
    }
}

/// The figurative constants.
pub(super) const FIGURATIVES: &[&str] = &[
    "ZERO",
    "ZEROS",
    "ZEROES",
    "SPACE",
    "SPACES",
    "LOW-VALUE",
    "LOW-VALUES",
    "HIGH-VALUE",
    "HIGH-VALUES",
    "QUOTE",
    "QUOTES",
    "NULL",
    "NULLS",
];

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].len() - text[at..].trim_start().len();
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let length = match first {
            '\'' | '"' => literal(rest, 0),
            '<' | '>' | '=' => sign(rest),
            '*' if rest[1..].trim_start().starts_with('*') => rest.len() - rest[1..].trim_start().len() + 1,
            c if in_word(c) => word(rest),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest),
            c => c.len_utf8(),
        };
        let found = Word { text: &rest[..length], start: at };
        at += length;
        Some(found)
    })
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | '$' | '@') && c != '\''
}

/// A literal from its quote to the one that closes it; a doubled quote stands for itself.
fn literal(text: &str, open: usize) -> usize {
    let quote = text.as_bytes()[open];
    let mut at = open + 1;
    while let Some(close) = text.as_bytes()[at..].iter().position(|byte| *byte == quote) {
        at += close + 1;
        if text.as_bytes().get(at) != Some(&quote) {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// `>=`, `<=` and `<>` may stand apart.
fn sign(text: &str) -> usize {
    let second = text[1..].trim_start();
    let blanks = text.len() - 1 - second.len();
    match (text.as_bytes()[0], second.as_bytes().first()) {
        (b'<', Some(b'=' | b'>')) | (b'>', Some(b'=')) => blanks + 2,
        _ => 1,
    }
}

fn word(text: &str) -> usize {
    // A lone minus, or the sign of a number, is a word of its own.
    if text.starts_with('-') {
        return 1;
    }
    let end = text.find(|c: char| !in_word(c)).unwrap_or(text.len());
    let is_number = text[..end].bytes().all(|byte| byte.is_ascii_digit());
    match text.as_bytes().get(end) {
        Some(b'\'' | b'"') if end <= 2 => literal(text, end),
        Some(b'.' | b',') if is_number => number(text).max(end),
        _ => end,
    }
}

/// Digits with a decimal point.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    match bytes.get(whole) {
        Some(b'.' | b',') if digits(whole + 1) > 0 => whole + 1 + digits(whole + 1),
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_begin_with_a_digit() {
        let is_name = |text: &str| words(text).next().is_some_and(|word| word.is_name());
        assert!(
            is_name("3000-LOG") && is_name("A") && !is_name("3000") && !is_name("1.5") && !is_name("SPACES")
        );
        assert!(!is_name(",") && !is_name("(") && !is_name("X'00'"));
    }

    #[test]
    fn words_are_names_literals_numbers_and_signs() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = words(text).map(|word| word.text).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("A-1 > = 250000.00", &["A-1", "> =", "250000.00"]);
        check("A(I) NOT<>'it''s' OR X'00'", &["A", "(", "I", ")", "NOT", "<>", "'it''s'", "OR", "X'00'"]);
        check("A * * 2", &["A", "* *", "2"]);
        check("A ** 2 - -1.5 / .5", &["A", "**", "2", "-", "-", "1.5", "/", ".5"]);
        check("'open", &["'open"]);
        check("ä <", &["ä", "<"]);
    }
}
