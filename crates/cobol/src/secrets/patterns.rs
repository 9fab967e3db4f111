//! Secrets that a text gives away by its own form, in literals, comments, EXEC blocks and whatever else a line shows.

use super::code::content;
use super::names::{self, Grade};
use super::passage::{Found, Hits, Passage};
use super::{Secret, SecretKind};
use crate::lex::token::TokenKind;
use regex::{Captures, Regex};
use std::ops::Range;
use std::sync::LazyLock;
use war_rig_text::{LineNumber, SourceText, Stretch};

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is one")
}

/// `NAME=value`, `name: value`, with the value in quotes, in parentheses or up to the next separator.
static KEYED: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"(?i)([a-z0-9_.-]*(?:pass|psw|pwd|secret|key|token|credential|pw|pin)[a-z0-9_.-]*)["']{0,2}"#,
        r#"( *)(=|:)( *)(?:\(([^()\n]+)\)|"{1,2}([^"\n]+)"|'{1,2}([^'\n]+)'|([^ \n,;'"()]+))"#
    ))
});
/// Keys and tokens with a form of their own.
static KEYS: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,}",
        r"|sk-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}",
        r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?)"
    ))
});
/// `Bearer token`, `Basic token`.
static BEARER: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\b(?:bearer|basic) +([a-z0-9+/=._-]{16,})"));
/// `scheme://user:password@host`, `user:password@host`.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)([a-z0-9_.%+-]*):([^\s:@/'"]{2,})@[a-z0-9]"#));
/// A password in SQL.
static SQL: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r#"(?i)\b(?:identified\s+by(?:\s+values?)?|password|using)\s*(?:=\s*)?(?:'([^'\n]+)'|"([^"\n]+)")"#,
        r"|\b(identified\s+by)\s+([a-z0-9_$#@!]+)",
        r#"|\bconnect\s+['"]?[a-z0-9_$#]+/([^@\s'"/]+)"#
    ))
});
/// What SQL compares a column with or sets it to.
static COLUMN: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"(?i)\b([a-z0-9_.$#@-]+)\s*(?:=|<>|!=|\blike\b)\s*(?:'([^'\n]+)'|"([^"\n]+)")"#)
});
/// The columns and values of an INSERT.
static INSERT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)\binsert\s+into\s+[^\s(]+\s*\(([^()]*)\)\s*values\s*\("));
/// A value in a list: a literal or whatever else stands before the next comma.
static LISTED: LazyLock<Regex> = LazyLock::new(|| regex(r#"'([^'\n]*)'|"([^"\n]*)"|[^,'"()]+|(,)|(\))"#));
/// A password in CICS.
static CICS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r#"(?i)\b(?:new)?(?:password|phrase|passticket)\s*\(\s*(?:'([^'\n]+)'|"([^"\n]+)")"#)
});
/// A password among the attributes of a definition, as DFHCSDUP and IDCAMS take it.
static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)\b((?:new)?(?:password|passwd|passphrase|passticket|masterpw|controlpw|updatepw|readpw))\s*\(\s*['"]?([^()'"\s]+)"#,
    )
});
static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex(r#"'[^'\n]*'|"[^"\n]*""#));

/// Adds the secrets of literals, EXEC blocks and, outside code, of whole lines that are marked; `keys` takes where private keys begin.
pub(super) fn search(passage: &Passage<'_>, hits: &Hits<'_>, found: &mut Vec<Found>, keys: &mut Vec<usize>) {
    let text: &str = &passage.text;
    for token in hits.marked.iter().filter_map(|at| hits.tokens.get(*at)) {
        let range = token.range();
        let word = &text[range.clone()];
        match token.kind {
            TokenKind::Literal if passage.is_code => {
                let start = range.start + word.find(['\'', '"']).map_or(0, |quote| quote + 1);
                in_text(text, start..start + content(word).len(), found);
            }
            TokenKind::Exec => {
                in_exec(word, range.start, found);
                in_quotes(text, range, found);
            }
            TokenKind::PseudoText => in_quotes(text, range, found),
            _ => {}
        }
    }
    let mut done = 0;
    for mark in &hits.marks {
        if text[*mark..].get(..BEGIN.len()).is_some_and(|head| head == BEGIN) {
            keys.push(*mark);
        }
        if !passage.is_code && *mark >= done {
            let start = text[..*mark].rfind('\n').map_or(0, |end| end + 1).max(done);
            let end = text[*mark..].find('\n').map_or(text.len(), |end| *mark + end);
            in_text(text, start..end, found);
            done = end;
        }
    }
}

/// Adds the passwords among the attributes of definitions.
pub(super) fn attributes(text: &str, found: &mut Vec<Found>) {
    for attribute in ATTRIBUTE.captures_iter(text) {
        let Some(value) = attribute.get(2) else { continue };
        if names::may_be_secret(value.as_str(), Grade::Password) {
            let name = Some(attribute[1].to_uppercase());
            found.push(Found { range: value.range(), kind: SecretKind::Keyed, name });
        }
    }
}

fn in_quotes(text: &str, range: Range<usize>, found: &mut Vec<Found>) {
    for quoted in QUOTED.find_iter(&text[range.clone()]) {
        in_text(text, range.start + quoted.start() + 1..range.start + quoted.end() - 1, found);
    }
}

/// The secrets of a text that may be anything.
fn in_text(text: &str, range: Range<usize>, found: &mut Vec<Found>) {
    let from = range.start;
    let text = &text[range];
    let mut push = |range: Range<usize>, kind, name: Option<&str>| {
        let name = name.map(|name| name.to_uppercase());
        found.push(Found { range: from + range.start..from + range.end, kind, name });
    };
    for keyed in KEYED.captures_iter(text) {
        let name = keyed[1].trim_matches(['-', '.', '_']);
        if let Some(grade) = names::grade(name) {
            for value in keyed_values(text, &keyed, grade) {
                push(value, SecretKind::Keyed, Some(name));
            }
        }
    }
    for key in KEYS.find_iter(text) {
        // A name of many parts has no digits in it, a key has.
        if key.as_str().bytes().any(|byte| byte.is_ascii_digit()) {
            push(key.range(), SecretKind::Key, None);
        }
    }
    for bearer in BEARER.captures_iter(text) {
        let Some(key) = bearer.get(1) else { continue };
        if key.as_str().bytes().any(|byte| byte.is_ascii_digit()) {
            push(key.range(), SecretKind::Key, None);
        }
    }
    for address in ADDRESS.captures_iter(text) {
        let user = &address[1];
        let is_mail =
            ["mailto", "email", "e-mail", "mail", "to", "from", "cc", "by", "contact", "author", "sip"]
                .iter()
                .any(|word| word.eq_ignore_ascii_case(user));
        if let Some(password) = address.get(2).filter(|password| {
            let first_is_name =
                user.is_empty() && !text[..address.get(0).map_or(0, |all| all.start())].ends_with("//");
            !is_mail && !first_is_name && names::may_be_secret(password.as_str(), Grade::Password)
        }) {
            push(password.range(), SecretKind::Address, None);
        }
    }
}

/// The values behind a name and its mark that may be secrets.
fn keyed_values(text: &str, keyed: &Captures<'_>, grade: Grade) -> Vec<Range<usize>> {
    if let Some(list) = keyed.get(5) {
        // PASSWORD=(old,new)
        let mut start = list.start();
        let values = list.as_str().split(',').map(|value| {
            let range = start..start + value.len();
            start = range.end + 1;
            range
        });
        return values.filter(|value| names::may_be_secret(&text[value.clone()], grade)).collect();
    }
    if let Some(quoted) = keyed.get(6).or(keyed.get(7)) {
        let is_secret = names::may_be_secret(quoted.as_str(), grade);
        return if is_secret { vec![quoted.range()] } else { Vec::new() };
    }
    let Some(value) = keyed.get(8) else { return Vec::new() };
    let bare = value.as_str().trim_end_matches(['.', ':', '!', '?']);
    let range = value.start()..value.start() + bare.len();
    if !names::may_be_secret(bare, grade) || is_cobol_name(bare) {
        return Vec::new();
    }
    let is_tight = keyed[2].is_empty() && keyed[4].is_empty() && &keyed[3] == "=";
    let has = |kind: fn(char) -> bool| bare.chars().any(kind);
    let looks_it = has(|c| c.is_ascii_digit()) || has(|c| !c.is_alphanumeric());
    let is_last = text[value.end()..].trim().is_empty();
    if is_tight || looks_it || (is_last && bare.len() >= 4) { vec![range] } else { Vec::new() }
}

/// Whether a word can only be the name of an item, as in a statement that was made a comment.
fn is_cobol_name(word: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    word.contains('-') && word.split('-').all(is_part) && word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The secrets of an EXEC block by the syntax of its language.
fn in_exec(exec: &str, from: usize, found: &mut Vec<Found>) {
    let mut push = |range: Range<usize>, name: &str, kind| {
        let name = Some(name.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase());
        found.push(Found { range: from + range.start..from + range.end, kind, name });
    };
    let is_password = |value: &str| names::may_be_secret(value, Grade::Password);
    let language = exec.split_whitespace().nth(1).unwrap_or_default();
    if language.eq_ignore_ascii_case("CICS") {
        for password in CICS.captures_iter(exec) {
            if let Some(value) =
                password.get(1).or(password.get(2)).filter(|value| is_password(value.as_str()))
            {
                push(value.range(), "PASSWORD", SecretKind::Connection);
            }
        }
        return;
    }
    // USING hands over a password in CONNECT, and else the values of an EXECUTE or an OPEN.
    let connects = exec.split_whitespace().nth(2).is_some_and(|verb| verb.eq_ignore_ascii_case("CONNECT"));
    for password in SQL.captures_iter(exec) {
        let uses = password[0].get(..5).is_some_and(|head| head.eq_ignore_ascii_case("USING"));
        let value = password.get(1).or(password.get(2)).or(password.get(4)).or(password.get(5));
        if let Some(value) = value.filter(|value| (connects || !uses) && is_password(value.as_str())) {
            push(value.range(), if connects { "CONNECT" } else { "IDENTIFIED BY" }, SecretKind::Connection);
        }
    }
    for column in COLUMN.captures_iter(exec) {
        let Some(grade) = names::grade(&column[1]) else { continue };
        let value = column.get(2).or(column.get(3));
        if let Some(value) = value.filter(|value| names::may_be_secret(value.as_str(), grade)) {
            push(value.range(), &column[1], SecretKind::Compared);
        }
    }
    for (value, column) in inserted(exec) {
        push(value, column, SecretKind::Moved);
    }
}

/// The values of an INSERT that stand where the names of their columns say so.
fn inserted<'e>(exec: &'e str) -> Vec<(Range<usize>, &'e str)> {
    let mut found = Vec::new();
    for insert in INSERT.captures_iter(exec) {
        let columns: Vec<&'e str> =
            insert.get(1).map_or("", |list| list.as_str()).split(',').map(str::trim).collect();
        let from = insert.get(0).map_or(0, |all| all.end());
        let mut column = 0;
        for value in LISTED.captures_iter(&exec[from..]) {
            if value.get(4).is_some() {
                break;
            }
            column += usize::from(value.get(3).is_some());
            let Some(name) = columns.get(column) else { break };
            if let (Some(grade), Some(literal)) = (names::grade(name), value.get(1).or(value.get(2)))
                && names::may_be_secret(literal.as_str(), grade)
            {
                found.push((from + literal.start()..from + literal.end(), *name));
            }
        }
    }
    found
}

const BEGIN: &str = "-----BEGIN";
/// How many lines a private key has at most.
const LINES_OF_KEY: usize = 200;
/// How many lines of a private key may hold nothing of it, such as the line of an entry whose value is on the next.
const LINES_BETWEEN: usize = 4;
static BASE64: LazyLock<Regex> = LazyLock::new(|| regex(r"[A-Za-z0-9+/]{16,}={0,2}"));
/// What may be left for the last line of a key, alone in a comment or in quotes.
static LAST_OF_KEY: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"^[ *>]*([A-Za-z0-9+/]{2,15}={0,2}) *$|['"]([A-Za-z0-9+/]{2,15}={0,2})['"]"#));

/// The private keys that begin on these lines.
pub(super) fn private_keys(source: &SourceText, begins: &[LineNumber]) -> Vec<Secret> {
    let mut secrets = Vec::new();
    let mut next = LineNumber::FIRST;
    for begin in begins {
        let head = source.line(*begin).map_or("", |line| line.code());
        if *begin < next || !head.contains("PRIVATE KEY") {
            continue;
        }
        let mut stretches = Vec::new();
        let mut without = 0;
        for index in (begin.index()..source.line_count()).take(LINES_OF_KEY) {
            let number = LineNumber::from_index(index);
            next = number.plus(1);
            let Some(line) = source.line(number) else { break };
            let code = line.code();
            let end = code.find("-----END").unwrap_or(code.len());
            let mut at = if number == *begin { code.rfind("KEY-----").unwrap_or(0) } else { 0 };
            at = at.min(end);
            let before = stretches.len();
            let mut push = |range: Range<usize>| {
                let column = |at: usize| line.code_column() + code[..at].chars().count() as u32;
                stretches.push(Stretch { line: number, columns: column(range.start)..column(range.end) });
            };
            for part in BASE64.find_iter(&code[at..end]) {
                push(at + part.start()..at + part.end());
            }
            let last = LAST_OF_KEY.captures(&code[at..end]);
            let last = last.and_then(|last| last.get(2).or(last.get(1).filter(|_| line.is_comment())));
            if let Some(last) = last.filter(|_| number != *begin) {
                push(at + last.start()..at + last.end());
            }
            without = if stretches.len() == before { without + 1 } else { 0 };
            if end < code.len() || without > LINES_BETWEEN {
                break;
            }
        }
        if !stretches.is_empty() {
            secrets.push(Secret { kind: SecretKind::PrivateKey, name: None, stretches });
        }
    }
    secrets
}
