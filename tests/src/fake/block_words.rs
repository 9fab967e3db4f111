//! The rows of a source block as words of COBOL, by the eye of a reader who knows the contract and no parser.

use regex::Regex;
use std::sync::LazyLock;

/// A word, a literal or a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockWord {
    /// As written, but words of COBOL in upper case.
    pub(crate) text: String,
    /// The row where it begins, from 1.
    pub(crate) row: usize,
    /// Where it begins in its row, from 0, in bytes: up to the first word they are characters.
    pub(crate) column: usize,
    /// Whether a full stop stands right before it, as in a qualified name of SQL.
    pub(crate) dotted: bool,
    /// Whether nothing stands between it and the word before it.
    pub(crate) joined: bool,
}

impl BlockWord {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Whether it is a literal.
    pub(crate) fn is_literal(&self) -> bool {
        self.text.starts_with(['\'', '"'])
    }

    /// Whether it can be a name.
    pub(crate) fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphanumeric())
    }

    /// It without quotes.
    pub(crate) fn bare(&self) -> String {
        self.text.trim_matches(['\'', '"']).trim().to_owned()
    }
}

/// The words of a block, and whether it is free format.
#[derive(Debug, Default)]
pub(crate) struct BlockWords {
    pub(crate) words: Vec<BlockWord>,
    pub(crate) is_free: bool,
    /// Rows that are comments, with what they say.
    pub(crate) comments: Vec<(usize, String)>,
    /// Rows that bring in a member in a librarian's way, with its name.
    pub(crate) included: Vec<(usize, String)>,
}

static PIECE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        \*>.*$                                  # a comment to the end of the row
        | [xXnNgGzZ]?'(?:[^']|'')*' | [xXnNgGzZ]?"(?:[^"]|"")*"
        | ['"].*$                               # a literal that goes on in the next row
        | ==                                    # pseudo-text
        | \p{L}[\p{L}\p{N}_$\#@-]* | [0-9][\p{L}\p{N}_$\#@-]*(?:\.[0-9]+)?
        | >>.*$                                 # a directive
        | \S
        "#,
    )
    .expect("the expression is right")
});
static FREE: LazyLock<Regex> = LazyLock::new(|| {
    // In fixed format the first character is the indicator. No letter is one but D, behind which a paragraph may begin with a digit.
    Regex::new(r"^(?:[A-CE-Za-ce-z0-9][A-Za-z0-9-]|[Dd][A-Za-z]|>>\s*SOURCE\s+(?:FORMAT\s+)?(?:IS\s+)?FREE)")
        .expect("the expression is right")
});
static LISTING: LazyLock<Regex> = LazyLock::new(|| {
    // Directives, and words for the printer that need no full stop.
    Regex::new(r"^(?:\s*>>.*|\s*(?i:EJECT|SKIP[123])\s*\.?\s*)$").expect("the expression is right")
});
static INCLUDED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(?:-INC|\s*\+\+INCLUDE)\s+([A-Za-z0-9#$@]+)").expect("the expression is right"));

impl BlockWords {
    /// Reads the rows of a block.
    pub(crate) fn of(rows: &[String]) -> Self {
        let mut read = Self { is_free: rows.iter().any(|row| FREE.is_match(row)), ..Self::default() };
        let mut open: Option<char> = None;
        let mut is_pseudo = false;
        for (number, row) in (1..).zip(rows) {
            if let Some(found) = INCLUDED.captures(row) {
                read.included.push((number, found[1].to_uppercase()));
                continue;
            }
            if LISTING.is_match(row) {
                continue;
            }
            let (indicator, text) = read.split(row);
            match indicator {
                '*' | '/' => {
                    read.comments.push((number, text.trim_matches(['*', ' ', '>']).to_owned()));
                    continue;
                }
                'D' | 'd' | '$' => continue,
                '-' => {
                    read.go_on(number, text, &mut open, &mut is_pseudo);
                    continue;
                }
                _ => open = None,
            }
            read.pieces(number, text, &mut open, &mut is_pseudo);
        }
        read
    }

    /// The indicator of a row and what stands behind it; in free format there is none.
    fn split<'a>(&self, row: &'a str) -> (char, &'a str) {
        if self.is_free {
            let text = row.trim_start();
            return if text.starts_with("*>") || text.starts_with('*') { ('*', text) } else { (' ', row) };
        }
        let indicator = row.chars().next().unwrap_or(' ');
        (indicator, row.get(indicator.len_utf8()..).unwrap_or_default())
    }

    /// A row that goes on with the word or literal before it.
    fn go_on(&mut self, number: usize, text: &str, open: &mut Option<char>, is_pseudo: &mut bool) {
        let text = text.trim_start();
        let rest = match *open {
            Some(quote) => {
                // The literal goes on behind its quote up to the next one.
                let inner = text.strip_prefix(quote).unwrap_or(text);
                match inner.find(quote) {
                    Some(end) => {
                        *open = None;
                        &inner[end + 1..]
                    }
                    None => return,
                }
            }
            None => {
                let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(text.len());
                if let Some(last) = self.words.last_mut() {
                    last.text.push_str(&text[..end].to_uppercase());
                }
                &text[end..]
            }
        };
        self.pieces(number, rest, open, is_pseudo);
    }

    fn pieces(&mut self, row: usize, text: &str, open: &mut Option<char>, is_pseudo: &mut bool) {
        let offset = usize::from(!self.is_free);
        let mut end = None;
        for found in PIECE.find_iter(text) {
            let piece = found.as_str();
            if piece == "==" {
                *is_pseudo = !*is_pseudo;
                continue;
            }
            if *is_pseudo || piece.starts_with("*>") || piece.starts_with(">>") {
                continue;
            }
            let quote = piece.chars().next().filter(|c| matches!(c, '\'' | '"'));
            *open = quote.filter(|quote| piece.len() == 1 || !piece.ends_with(*quote));
            // A full stop ends a sentence where a blank follows it.
            let followed = text[found.end()..].chars().next();
            if piece == "." && followed.is_some_and(|c| !c.is_whitespace()) {
                continue;
            }
            let dotted = text[..found.start()].ends_with('.');
            let text = if quote.is_some() { piece.to_owned() } else { piece.to_uppercase() };
            let joined = end == Some(found.start());
            end = Some(found.end());
            self.words.push(BlockWord { text, row, column: offset + found.start(), dotted, joined });
        }
    }
}
