//! The colours of a line of a source.

use std::collections::HashSet;
use std::sync::LazyLock;
use war_rig_text::byte_of_column;

/// The language of a source, as far as its colours depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceLanguage {
    /// COBOL in fixed format, with areas by column.
    FixedCobol,
    /// COBOL in free format.
    FreeCobol,
    /// COBOL with indicators in column 1.
    TerminalCobol,
    /// Job control.
    Jcl,
    /// Macros of the assembler: maps, databases.
    Macros,
    /// SQL.
    Sql,
    /// Anything else: strings and numbers are coloured.
    Other,
}

/// What a stretch of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StretchKind {
    Plain,
    /// What compilers ignore: sequence numbers and identification.
    Margin,
    Comment,
    Literal,
    Number,
    Keyword,
    /// A name that may be known.
    Name,
}

impl StretchKind {
    /// Returns the class of its element; `None` for plain text.
    pub(crate) fn class(self) -> Option<&'static str> {
        match self {
            StretchKind::Plain | StretchKind::Name => None,
            StretchKind::Margin => Some("m"),
            StretchKind::Comment => Some("c"),
            StretchKind::Literal => Some("l"),
            StretchKind::Number => Some("n"),
            StretchKind::Keyword => Some("k"),
        }
    }
}

/// Words of COBOL, its EXEC blocks and SQL that are no names.
static KEYWORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("assets/keywords.txt").split_whitespace().collect());

/// Splits a line into stretches, which together are the line.
pub(crate) fn stretches(line: &str, language: SourceLanguage) -> Vec<(StretchKind, &str)> {
    let mut found = Vec::new();
    match language {
        SourceLanguage::FixedCobol => {
            let (numbers, rest) = line.split_at(byte_of_column(line, 6));
            let (code, identification) = rest.split_at(byte_of_column(rest, 66));
            found.push((StretchKind::Margin, numbers));
            if code.starts_with(['*', '/']) {
                found.push((StretchKind::Comment, code));
            } else {
                split_code(code, "*>", &mut found);
            }
            found.push((StretchKind::Margin, identification));
        }
        SourceLanguage::TerminalCobol if line.starts_with(['*', '/', '?']) => found.push((StretchKind::Comment, line)),
        SourceLanguage::FreeCobol | SourceLanguage::TerminalCobol => split_code(line, "*>", &mut found),
        SourceLanguage::Sql => split_code(line, "--", &mut found),
        SourceLanguage::Jcl if line.starts_with("//*") => found.push((StretchKind::Comment, line)),
        SourceLanguage::Macros if line.starts_with('*') => found.push((StretchKind::Comment, line)),
        SourceLanguage::Jcl | SourceLanguage::Macros => {
            let after_name = line.find(' ').unwrap_or(line.len());
            let begin = after_name + line[after_name..].len() - line[after_name..].trim_start().len();
            let end = line[begin..].find(' ').map_or(line.len(), |length| begin + length);
            split_code(&line[..begin], "\n", &mut found);
            // A continued line has operands there.
            match line[begin..end].chars().all(char::is_alphanumeric) {
                true => found.push((StretchKind::Keyword, &line[begin..end])),
                false => split_code(&line[begin..end], "\n", &mut found),
            }
            split_code(&line[end..], "\n", &mut found);
        }
        SourceLanguage::Other => split_code(line, "\n", &mut found),
    }
    let has_keywords = matches!(
        language,
        SourceLanguage::FixedCobol | SourceLanguage::FreeCobol | SourceLanguage::TerminalCobol | SourceLanguage::Sql
    );
    for (kind, text) in found.iter_mut().filter(|(kind, _)| has_keywords && *kind == StretchKind::Name) {
        if KEYWORDS.contains(text.to_ascii_uppercase().as_str()) {
            *kind = StretchKind::Keyword;
        }
    }
    found.retain(|(_, text)| !text.is_empty());
    found
}

/// Splits code into literals, words, numbers and what is between them; from a comment's sign on, all is comment.
fn split_code<'l>(code: &'l str, comment: &str, found: &mut Vec<(StretchKind, &'l str)>) {
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = if rest.starts_with(comment) {
            (StretchKind::Comment, rest.len())
        } else if first == '\'' || first == '"' {
            let closes = rest[1..].find(first).map_or(rest.len(), |at| at + 2);
            (StretchKind::Literal, closes)
        } else if is_of_word(first) {
            let length = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            (kind_of_word(&rest[..length]), length)
        } else {
            let is_other = |c: char| is_of_word(c) || c == '\'' || c == '"';
            let length = rest[first.len_utf8()..].find(is_other).map_or(rest.len(), |at| at + first.len_utf8());
            let length = rest[..length].find(comment).filter(|at| *at > 0).unwrap_or(length);
            (StretchKind::Plain, length)
        };
        let (stretch, after) = rest.split_at(length);
        found.push((kind, stretch));
        rest = after;
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '$' | '#' | '@')
}

fn kind_of_word(word: &str) -> StretchKind {
    if word.chars().all(|c| c.is_ascii_digit() || c == '-') { StretchKind::Number } else { StretchKind::Name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(line: &str, language: SourceLanguage) -> Vec<(StretchKind, &str)> {
        stretches(line, language)
    }

    #[test]
    fn the_areas_of_fixed_format_are_told_apart() {
        let line = format!("{:<72}{}", "000100     MOVE 'A-B' TO WS-X.", "IDENT001");
        let found = kinds(&line, SourceLanguage::FixedCobol);
        assert_eq!(found.first(), Some(&(StretchKind::Margin, "000100")));
        assert_eq!(found.last(), Some(&(StretchKind::Margin, "IDENT001")));
        assert!(found.contains(&(StretchKind::Keyword, "MOVE")) && found.contains(&(StretchKind::Literal, "'A-B'")));
        assert!(found.contains(&(StretchKind::Name, "WS-X")));
        let comment = kinds("000200* MOVE 1", SourceLanguage::FixedCobol);
        assert_eq!(comment, [(StretchKind::Margin, "000200"), (StretchKind::Comment, "* MOVE 1")]);
    }

    #[test]
    fn the_operation_of_a_job_statement_is_a_keyword() {
        let found = kinds("//STEP1   EXEC PGM=CLMPOST", SourceLanguage::Jcl);
        assert!(
            found.contains(&(StretchKind::Keyword, "EXEC")) && found.contains(&(StretchKind::Name, "CLMPOST")),
            "{found:?}"
        );
        assert_eq!(kinds("//* EXEC", SourceLanguage::Jcl), [(StretchKind::Comment, "//* EXEC")]);
    }

    proptest! {
        #[test]
        fn the_stretches_of_a_line_are_the_line(line in "\\PC{0,90}|[-A-Z0-9 '\"*>/.]{0,90}") {
            for language in [
                SourceLanguage::FixedCobol, SourceLanguage::FreeCobol, SourceLanguage::Jcl,
                SourceLanguage::Macros, SourceLanguage::Sql, SourceLanguage::Other,
            ] {
                let together: String = stretches(&line, language).into_iter().map(|(_, text)| text).collect();
                prop_assert_eq!(&together, &line);
            }
        }
    }
}
