//! Rewrites Db2's SQL to the SQL that the parser accepts.
//!
//! Phrases that do not concern tables and columns are removed: isolation, optimization, row limits. Db2's own spellings become
//! standard ones: special registers, labeled durations, CONCAT.

use super::token::{EmbeddedToken, EmbeddedTokenKind};
use crate::tokens::TokenSlice;
use sqlparser::tokenizer::Token as SqlToken;

/// The units of labeled durations: `CURRENT DATE - 30 DAYS`.
const UNITS: &[&str] = &[
    "DAY", "DAYS", "HOUR", "HOURS", "MICROSECOND", "MICROSECONDS", "MINUTE", "MINUTES", "MONTH", "MONTHS", "SECOND",
    "SECONDS", "YEAR", "YEARS",
];

/// The words after CURRENT in the name of a special register.
const REGISTERS: &[&str] = &[
    "CLIENT_ACCTNG", "DATE", "DEGREE", "LC_CTYPE", "LOCALE", "MEMBER", "PACKAGESET", "PATH", "PRECISION", "RULES",
    "SCHEMA", "SERVER", "SQLID", "TIME", "TIMESTAMP", "TIMEZONE",
];

/// The name of a CTE for a changed table; no Db2 table has a blank in its name by accident.
const CHANGED_TABLE: &str = "CHANGED ROWS";

/// The tokens of one statement for the SQL parser, and those of a statement inside `FINAL TABLE ( ... )`.
#[derive(Debug, Default)]
pub(super) struct RewrittenSql {
    pub(super) tokens: Vec<SqlToken>,
    pub(super) inner: Vec<Vec<EmbeddedToken>>,
}

/// Returns whether this is the name for the rows that a statement inside FROM changed, which is not a table.
pub(super) fn is_changed_table(name: &str) -> bool {
    name == CHANGED_TABLE
}

pub(super) fn rewrite(tokens: TokenSlice<'_, EmbeddedToken>) -> RewrittenSql {
    let mut out = RewrittenSql::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let rest = tokens.from(at);
        let left_out = left_out(rest);
        if left_out > 0 {
            at += left_out;
            continue;
        }
        if let Some(length) = changed_table(rest) {
            out.inner.push(rest.slice(3..length - 1).to_vec());
            out.tokens.push(SqlToken::make_word(CHANGED_TABLE, Some('"')));
            at += length;
            continue;
        }
        let register = register(rest);
        if register > 0 {
            out.tokens.push(SqlToken::Number("0".to_owned(), false));
            at += register;
            continue;
        }
        let before = tokens.before(at);
        match token {
            _ if is_unit(tokens, at) => {}
            // A table of a subquery: `TABLE (SELECT ...)`.
            _ if token.is("TABLE")
                && rest.get(1).is_some_and(|next| next.is("("))
                && rest.get(2).is_some_and(|next| next.is_any(&["SELECT", "WITH"])) => {}
            _ if token.is("CONCAT") && is_operator(before, rest.get(1)) => {
                out.tokens.push(SqlToken::StringConcat);
            }
            _ => out.tokens.push(standard(token)),
        }
        at += 1;
    }
    out
}

fn standard(token: &EmbeddedToken) -> SqlToken {
    match &token.kind {
        EmbeddedTokenKind::Word => SqlToken::make_word(&token.text, None),
        EmbeddedTokenKind::Quoted => SqlToken::make_word(&token.text, Some('"')),
        EmbeddedTokenKind::Text => SqlToken::SingleQuotedString(String::new()),
        EmbeddedTokenKind::Number => SqlToken::Number(token.text.clone(), false),
        EmbeddedTokenKind::Host(_) => SqlToken::Placeholder("?".to_owned()),
        EmbeddedTokenKind::Symbol => match token.text.as_str() {
            "(" => SqlToken::LParen,
            ")" => SqlToken::RParen,
            "," => SqlToken::Comma,
            "." => SqlToken::Period,
            ";" => SqlToken::SemiColon,
            "=" => SqlToken::Eq,
            "<>" => SqlToken::Neq,
            "<" => SqlToken::Lt,
            ">" => SqlToken::Gt,
            "<=" => SqlToken::LtEq,
            ">=" => SqlToken::GtEq,
            "+" => SqlToken::Plus,
            "-" => SqlToken::Minus,
            "*" => SqlToken::Mul,
            "/" => SqlToken::Div,
            "||" => SqlToken::StringConcat,
            "?" => SqlToken::Placeholder("?".to_owned()),
            other => SqlToken::Char(other.chars().next().unwrap_or('\u{FFFD}')),
        },
    }
}

/// Returns the number of tokens at the start that do not concern tables and columns.
fn left_out(tokens: TokenSlice<'_, EmbeddedToken>) -> usize {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
    let is_count =
        |at: usize| tokens.get(at).is_some_and(|token| token.is_host() || token.kind == EmbeddedTokenKind::Number);
    let Some(first) = tokens.first().filter(|first| first.kind == EmbeddedTokenKind::Word) else { return 0 };
    match first.text.as_str() {
        "WITH" if is(1, &["UR", "CS", "RS", "RR"]) => {
            if is(2, &["USE"]) && is(3, &["AND"]) && is(4, &["KEEP"]) {
                7
            } else {
                2
            }
        }
        "FOR" if is(1, &["FETCH", "READ"]) && is(2, &["ONLY"]) => 3,
        "FOR" if is(1, &["UPDATE"]) => {
            if !is(2, &["OF"]) {
                return 2;
            }
            let names = tokens.from(3).iter().take_while(|token| token.is_any(&[",", "."]) || is_column(token));
            3 + names.count()
        }
        "FOR" if is_count(1) && is(2, &["ROW", "ROWS"]) => 3,
        "OPTIMIZE" if is(1, &["FOR"]) && is_count(2) && is(3, &["ROW", "ROWS"]) => 4,
        "QUERYNO" if is_count(1) => 2,
        "FETCH" if is(1, &["FIRST", "NEXT"]) => {
            let count = usize::from(is_count(2));
            if is(2 + count, &["ROW", "ROWS"]) && is(3 + count, &["ONLY"]) { 4 + count } else { 0 }
        }
        "OFFSET" if is_count(1) && is(2, &["ROW", "ROWS"]) => 3,
        "SKIP" if is(1, &["LOCKED"]) && is(2, &["DATA"]) => 3,
        "NOT" if is(1, &["ATOMIC"]) && is(2, &["CONTINUE"]) => 5,
        "ATOMIC" => 1,
        "OVERRIDING" if is(1, &["USER"]) && is(2, &["VALUE"]) => 3,
        "WHERE" if is(1, &["CURRENT"]) && is(2, &["OF"]) => positioned(tokens),
        _ => 0,
    }
}

/// Returns whether a token can name a column in a list that another clause may follow.
fn is_column(token: &EmbeddedToken) -> bool {
    token.is_name() && !token.is_any(&["WITH", "FOR", "OPTIMIZE", "QUERYNO", "FETCH", "SKIP"])
}

/// Returns the number of tokens in `WHERE CURRENT OF CURSOR [FOR ROW n OF ROWSET]`; the name may contain hyphens.
fn positioned(tokens: TokenSlice<'_, EmbeddedToken>) -> usize {
    let mut end = 3 + usize::from(tokens.len() > 3);
    while tokens.get(end).is_some_and(|token| token.is_adjacent) {
        end += 1;
    }
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    if is(end, "FOR") && is(end + 1, "ROW") && is(end + 3, "OF") && is(end + 4, "ROWSET") {
        end += 5;
    }
    end
}

/// Returns the number of tokens in a special register, or in the next value of a sequence.
fn register(tokens: TokenSlice<'_, EmbeddedToken>) -> usize {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
    if is(0, &["CURRENT"]) && is(1, REGISTERS) {
        2
    } else if is(0, &["NEXT", "PREVIOUS"]) && is(1, &["VALUE"]) && is(2, &["FOR"]) {
        if is(4, &["."]) { 6 } else { 4 }
    } else if is(0, &["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"]) {
        1
    } else {
        0
    }
}

/// Returns the number of tokens in `FINAL TABLE ( ... )`.
fn changed_table(tokens: TokenSlice<'_, EmbeddedToken>) -> Option<usize> {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
    if !(is(0, &["FINAL", "NEW", "OLD"]) && is(1, &["TABLE"]) && is(2, &["("])) {
        return None;
    }
    Some(tokens.closing(2)? + 1)
}

/// Returns whether the token is the unit of a labeled duration: after a number or host variable, or after an operand that is added
/// or subtracted.
fn is_unit(tokens: TokenSlice<'_, EmbeddedToken>, at: usize) -> bool {
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.is_any(words));
    if !is(at, UNITS) || is(at + 1, &["("]) {
        return false;
    }
    let Some((before, operand)) = at.checked_sub(1).zip(tokens.before(at)) else { return false };
    match &operand.kind {
        EmbeddedTokenKind::Number | EmbeddedTokenKind::Host(_) => true,
        EmbeddedTokenKind::Symbol => operand.is(")"),
        EmbeddedTokenKind::Word | EmbeddedTokenKind::Quoted => {
            // `DATE - A.COLUMN DAYS`
            let first = match before.checked_sub(2) {
                Some(first) if is(first + 1, &["."]) => first,
                _ => before,
            };
            tokens.before(first).is_some_and(|operator| operator.is_any(&["+", "-"]))
        }
        EmbeddedTokenKind::Text => false,
    }
}

/// Returns whether CONCAT is between two operands and not before the arguments of a function.
fn is_operator(before: Option<&EmbeddedToken>, next: Option<&EmbeddedToken>) -> bool {
    let behind_operand = before.is_some_and(|before| {
        before.is(")")
            || before.is_host()
            || matches!(before.kind, EmbeddedTokenKind::Text | EmbeddedTokenKind::Number | EmbeddedTokenKind::Quoted)
    });
    behind_operand || !next.is_some_and(|next| next.is("("))
}
