//! COPY and similar statements.
//!
//! ```text
//! copy = "COPY" name [ ( "OF" | "IN" ) library ] [ "SUPPRESS" ] [ "REPLACING" { replacement } ] "."
//! replacement = [ "LEADING" | "TRAILING" ] operand "BY" operand
//! include = "EXEC" "SQL" "INCLUDE" name "END-EXEC"
//! ```
//! A name may be quoted, may be all digits, and may carry an extension: then the file of exactly that name is meant.

use crate::lex::token::{RawToken, TokenKind};
use crate::stream::raw_word;
use crate::text_replacement::{Replacement, WordPart};
use crate::tokens::TokenSlice;

/// A COPY statement among the tokens of a source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CopyStatement {
    /// The copybook's name, as [`copybook_name`] returns it.
    pub(crate) name: String,
    /// The file's name without folders, with the extension that the statement names.
    pub(crate) file: String,
    pub(crate) library: Option<String>,
    /// The replacements of its REPLACING phrase; none without that phrase.
    pub(crate) replacing: Option<Vec<Replacement>>,
    /// The index of the first token after it.
    pub(crate) next: usize,
}

/// Parses the COPY at this token, if there is one.
pub(crate) fn parse_copy(text: &str, tokens: TokenSlice<'_, RawToken>, at: usize) -> Option<CopyStatement> {
    let token = tokens.get(at)?;
    let word = raw_word(text, token);
    match token.kind {
        TokenKind::Exec => {
            let file = include(word)?;
            let name = copybook_name(&file).to_owned();
            Some(CopyStatement { name, file, library: None, replacing: None, next: at + 1 })
        }
        TokenKind::Word if word.eq_ignore_ascii_case("COPY") => statement(text, tokens, at),
        _ => None,
    }
}

fn statement(text: &str, tokens: TokenSlice<'_, RawToken>, at: usize) -> Option<CopyStatement> {
    let name = tokens.get(at + 1).filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Literal))?;
    let mut next = at + 2;
    let is = |index: usize, words: &[&str]| {
        tokens.get(index).is_some_and(|token| {
            token.kind == TokenKind::Word && words.iter().any(|w| w.eq_ignore_ascii_case(raw_word(text, token)))
        })
    };
    // A name with an extension arrives as name, period, word: in `COPY X.cpy.` no blank follows the first period.
    let adjacent = |index: usize| {
        tokens.get(index).zip(tokens.get(index + 1)).is_some_and(|(period, word)| {
            period.kind == TokenKind::Period && word.kind == TokenKind::Word && period.touches(word)
        })
    };
    let mut file = file_name(&unquoted(raw_word(text, name)));
    if name.kind == TokenKind::Word
        && adjacent(next)
        && tokens.get(next + 2).is_some_and(|t| t.kind == TokenKind::Period)
    {
        let extension = tokens.get(next + 1).map_or("", |word| raw_word(text, word));
        file = format!("{file}.{}", extension.to_uppercase());
        next += 2;
    }
    let mut library = None;
    if is(next, &["OF", "IN"])
        && let Some(token) = tokens.get(next + 1)
    {
        library = Some(unquoted(raw_word(text, token)));
        next += 2;
    }
    let mut replacing = None;
    while let Some(token) = tokens.get(next) {
        next += 1;
        match token.kind {
            TokenKind::Period => break,
            // Without its period, COPY ends before any token that cannot be part of it.
            TokenKind::Word if is(next - 1, &["REPLACING"]) && replacing.is_none() => {
                let token = |at: usize| tokens.get(at).map(|token| (token.kind, raw_word(text, token)));
                let (replacements, mut end) = parse_replacements(token, next);
                while tokens.get(end).is_some_and(|token| token.kind != TokenKind::Period) {
                    end += 1;
                }
                replacing = Some(replacements);
                next = end;
            }
            TokenKind::Word | TokenKind::Exec if replacing.is_none() && !is(next - 1, &["SUPPRESS", "PRINTING"]) => {
                next -= 1;
                break;
            }
            _ => {}
        }
    }
    Some(CopyStatement { name: copybook_name(&file).to_owned(), file, library, replacing, next })
}

/// The maximum number of words searched for the end of a subscript.
const MOST_IN_SUBSCRIPTS: usize = 100;

/// Returns the replacements from this position on, and the position after them; `token` returns kind and text of a token. An operand is
/// pseudo-text, a literal, a word, or a name with its qualifiers and subscripts.
pub(crate) fn parse_replacements<'a>(
    token: impl Fn(usize) -> Option<(TokenKind, &'a str)>,
    start: usize,
) -> (Vec<Replacement>, usize) {
    let word = |at: usize| token(at).map(|(_, text)| text).unwrap_or_default();
    let is = |at: usize, words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word(at)));
    let ends = |at: usize| token(at).is_none_or(|(kind, _)| kind == TokenKind::Period);
    let is_pseudo = |at: usize| token(at).is_some_and(|(kind, _)| kind == TokenKind::PseudoText);
    let operand = |from: usize, to: usize| (from..to).map(word).collect::<Vec<_>>().join(" ");
    let mut found = Vec::new();
    let mut at = start;
    while !ends(at) {
        let named = match word(at).to_ascii_uppercase().as_str() {
            "LEADING" => WordPart::Leading,
            "TRAILING" => WordPart::Trailing,
            _ => WordPart::Whole,
        };
        let part = if is(at + 1, &["BY"]) { WordPart::Whole } else { named };
        let from = if part == WordPart::Whole { at } else { at + 1 };
        // Everything before BY is one operand, including its qualifiers.
        let by = if is_pseudo(from) {
            Some(from + 1).filter(|by| is(*by, &["BY"]))
        } else {
            (from + 1..).take_while(|by| !ends(*by) && !is_pseudo(*by)).find(|by| is(*by, &["BY"]))
        };
        let Some(by) = by.filter(|by| !ends(by + 1)) else { break };
        let mut next = by + 2;
        if !is_pseudo(by + 1) {
            while is(next, &["OF", "IN"]) && !ends(next + 1) {
                next += 2;
            }
            if word(next) == "(" {
                let mut subscripts = (next..).take_while(|at| !ends(*at)).take(MOST_IN_SUBSCRIPTS);
                next = subscripts.find(|at| word(*at) == ")").map_or(next, |closing| closing + 1);
            }
        }
        found.push(Replacement::new(part, &operand(from, by), &operand(by + 1, next)));
        at = next;
    }
    (found, at)
}

/// Returns the member in `EXEC SQL INCLUDE X END-EXEC`; SQLCA and SQLDA belong to the precompiler.
fn include(exec: &str) -> Option<String> {
    let mut words = exec.split_whitespace().skip(1);
    let (sql, include, name) = (words.next()?, words.next()?, words.next()?);
    if !(sql.eq_ignore_ascii_case("SQL") && include.eq_ignore_ascii_case("INCLUDE")) {
        return None;
    }
    let name = unquoted(name);
    let own = ["SQLCA", "SQLDA", "END-EXEC"].contains(&name.as_str());
    (!own && !name.is_empty()).then(|| file_name(&name))
}

/// Returns a name without quotes and the blanks inside them, in upper case.
fn unquoted(word: &str) -> String {
    word.trim_matches(|c| matches!(c, '\'' | '"')).trim().to_uppercase()
}

/// Returns a name without folders, so that it can only be looked up and never used as a path.
fn file_name(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned()
}

/// The extensions that say no more than that a file is COBOL: a library of members knows none of them.
const PLAIN_EXTENSIONS: [&str; 11] =
    ["cpy", "copy", "cpb", "cblcpy", "inc", "dcl", "cbl", "cob", "cobol", "ccp", "lib"];

/// Returns the name of a copybook by its file: without folders, and without an extension that says no more than that it is COBOL. `CUST.SL` and
/// `CUST.FD` are two copybooks, `CUST.CPY` and `CUST` are one.
pub fn copybook_name(file: &str) -> &str {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match last.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() && has_plain_name(last) => stem,
        _ => last,
    }
}

/// Returns whether a file has no extension, or one that says no more than that it is COBOL.
pub fn has_plain_name(file: &str) -> bool {
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let is_plain = |extension: &str| PLAIN_EXTENSIONS.iter().any(|plain| plain.eq_ignore_ascii_case(extension));
    last.rsplit_once('.').is_none_or(|(_, extension)| is_plain(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LexedSource;
    use war_rig_text::{ReadOptions, SourceText};

    fn check(code: &str, expected: Option<(&str, Option<&str>, bool, usize)>) {
        let source =
            SourceText::read("T.cbl", format!("       {code}\n").into_bytes(), &ReadOptions::default()).unwrap();
        let lexed = LexedSource::of(&source);
        let found = parse_copy(&lexed.text, TokenSlice::of(&lexed.tokens), 0);
        let found = found
            .as_ref()
            .map(|f| (f.name.as_str(), f.library.as_deref(), f.replacing.is_some(), lexed.tokens.len() - f.next));
        assert_eq!(found, expected, "{code}");
    }

    fn file(code: &str) -> String {
        let source =
            SourceText::read("T.cbl", format!("       {code}\n").into_bytes(), &ReadOptions::default()).unwrap();
        let lexed = LexedSource::of(&source);
        parse_copy(&lexed.text, TokenSlice::of(&lexed.tokens), 0).unwrap().file
    }

    #[test]
    fn an_extension_names_the_file() {
        for (code, expected) in [
            ("COPY CUST.", "CUST"),
            ("COPY cust.sl. MOVE", "CUST.SL"),
            ("COPY \"copy/cust.fd\".", "CUST.FD"),
            ("COPY 'C:\\lib\\cust.cpy'.", "CUST.CPY"),
            ("COPY 'I#CUST        '.", "I#CUST"),
            ("EXEC SQL INCLUDE 'cust.inc' END-EXEC", "CUST.INC"),
        ] {
            assert_eq!(file(code), expected, "{code}");
        }
        for (file, name) in
            [("cpy/CUST.cpy", "CUST"), ("CUST", "CUST"), ("cust.sl", "cust.sl"), (".cpy", ".cpy"), ("A.B.cbl", "A.B")]
        {
            assert_eq!(copybook_name(file), name);
        }
    }

    #[test]
    fn names_libraries_and_replacing() {
        check("COPY CVACT01Y.", Some(("CVACT01Y", None, false, 0)));
        check("copy 'cvact01y.cpy' of prodlib suppress.", Some(("CVACT01Y", Some("PRODLIB"), false, 0)));
        check("COPY X.cpy. MOVE", Some(("X", None, false, 1)));
        check("COPY X.wrk. MOVE", Some(("X.WRK", None, false, 1)));
        check("COPY X. MOVE A", Some(("X", None, false, 2)));
        check("COPY 1234 REPLACING ==:T:. DIVISION.== BY ==A.==.", Some(("1234", None, true, 0)));
        check("COPY \"../../etc/passwd\".", Some(("PASSWD", None, false, 0)));
        check("EXEC SQL INCLUDE DCLPOL END-EXEC", Some(("DCLPOL", None, false, 0)));
    }

    #[test]
    fn what_is_no_copy() {
        check("EXEC SQL INCLUDE SQLCA END-EXEC", None);
        check("COPY.", None);
        check("COPY-A.", None);
    }
}
