//! The clauses of a statement about rows and values: WHERE, ORDER BY, SET, INTO and similar.
//!
//! A clause ends with the next one, or with the parenthesis around it. Clauses of a subquery are part of the clause that
//! contains it, or separate if no clause contains it.

use super::token::{EmbeddedToken, EmbeddedTokenKind};
use crate::embedded_sql::SqlClause;
use crate::tokens::TokenSlice;

/// The keywords that begin a clause, with the clause; none for clauses that are stored elsewhere: tables and columns.
const CLAUSES: &[(&str, Option<&str>)] = &[
    ("SELECT", None),
    ("FROM", None),
    ("INTO", Some("INTO")),
    ("USING", Some("USING")),
    ("ON", Some("ON")),
    ("WHERE", Some("WHERE")),
    ("GROUP", Some("GROUP BY")),
    ("HAVING", Some("HAVING")),
    ("ORDER", Some("ORDER BY")),
    ("SET", Some("SET")),
    ("VALUES", Some("VALUES")),
    ("FETCH", Some("FETCH")),
    ("FOR", Some("FOR")),
    ("WITH", Some("WITH")),
    ("UNION", None),
    ("EXCEPT", None),
    ("INTERSECT", None),
    ("OPTIMIZE", None),
    ("QUERYNO", None),
];

/// The clause that is being read.
struct OpenClause {
    word: Option<&'static str>,
    depth: usize,
    text: String,
}

pub(super) fn find_clauses(tokens: TokenSlice<'_, EmbeddedToken>) -> Vec<SqlClause> {
    let verb = tokens.first().map(|first| first.text.as_str()).unwrap_or_default();
    // The query of a cursor follows FOR; the words before it are options of the cursor.
    let start = match verb {
        "SELECT" | "WITH" | "(" | "VALUES" | "SET" => 0,
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "FETCH" | "OPEN" | "EXECUTE" => 1,
        "DECLARE" => match tokens.iter().position(|token| token.is("FOR")) {
            Some(query) => query + 1,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    let mut open: Option<OpenClause> = None;
    let mut close = |open: &mut Option<OpenClause>| {
        if let Some((word, text)) = open.take().and_then(|open| Some((open.word?, open.text))) {
            found.push(SqlClause { word, text });
        }
    };
    for (at, token) in tokens.iter().enumerate().skip(start) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
            if open.as_ref().is_some_and(|open| depth < open.depth) {
                close(&mut open);
                continue;
            }
        }
        let is_free = open.as_ref().is_none_or(|open| depth <= open.depth || open.word.is_none());
        let begins = CLAUSES.iter().find(|(word, _)| token.is(word));
        let begins = begins.filter(|_| is_free && is_clause(token, tokens.get(at + 1), at, verb));
        if let Some((_, word)) = begins {
            close(&mut open);
            open = Some(OpenClause { word: *word, depth, text: String::new() });
        } else if let Some(open) = &mut open
            && !(token.is("BY") && open.text.is_empty())
        {
            push(&mut open.text, token);
        }
    }
    close(&mut open);
    found.retain(|clause| !clause.text.is_empty());
    found
}

/// Returns whether a keyword begins a clause at its position: it has other meanings too.
fn is_clause(token: &EmbeddedToken, behind: Option<&EmbeddedToken>, at: usize, verb: &str) -> bool {
    let next = |word: &str| behind.is_some_and(|next| next.is(word));
    match token.text.as_str() {
        // INSERT INTO and MERGE INTO name the table.
        "INTO" => at > 1 || !matches!(verb, "INSERT" | "MERGE"),
        "ON" => verb == "MERGE",
        "WITH" => ["UR", "CS", "RS", "RR"].iter().any(|level| next(level)),
        "FETCH" => next("FIRST") || next("NEXT"),
        "FOR" => ["UPDATE", "FETCH", "READ"].iter().any(|kind| next(kind)),
        "VALUES" => at == 0 || verb != "VALUES",
        _ => true,
    }
}

fn push(text: &mut String, token: &EmbeddedToken) {
    let opens = text.ends_with(['(', '.']);
    let is_tight = token.is_any(&[",", ")", "."]) || (token.is("(") && token.is_adjacent);
    if !text.is_empty() && !opens && !is_tight {
        text.push(' ');
    }
    match &token.kind {
        EmbeddedTokenKind::Host(indicator) => {
            text.push(':');
            text.push_str(&token.text);
            if let Some(indicator) = indicator {
                text.push_str(" :");
                text.push_str(indicator);
            }
        }
        EmbeddedTokenKind::Text => text.push_str(&format!("'{}'", token.text.replace('\'', "''"))),
        EmbeddedTokenKind::Quoted => text.push_str(&format!("\"{}\"", token.text)),
        EmbeddedTokenKind::Word | EmbeddedTokenKind::Number | EmbeddedTokenKind::Symbol => text.push_str(&token.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::sql::token;

    fn check(text: &str, expected: &[&str]) {
        let found = find_clauses(TokenSlice::of(&token::tokens(text)));
        let found: Vec<String> = found.iter().map(|clause| format!("{} {}", clause.word, clause.text)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn clauses_say_which_rows_and_what_values() {
        check(
            "SELECT A, COUNT(*) INTO :X, :Y:Y-N FROM T WHERE B >= :K AND C IN ('a', 'b') GROUP BY A ORDER BY A DESC",
            &["INTO :X, :Y :Y-N", "WHERE B >= :K AND C IN ('a', 'b')", "GROUP BY A", "ORDER BY A DESC"],
        );
        check("UPDATE T SET A = :X, B = B + 1 WHERE CURRENT OF C1", &["SET A = :X, B = B + 1", "WHERE CURRENT OF C1"]);
        check("INSERT INTO T (A, B) VALUES (:X, CURRENT DATE)", &["VALUES (:X, CURRENT DATE)"]);
        check(
            "DELETE FROM T WHERE A = (SELECT MAX(A) FROM U WHERE D = 1)",
            &["WHERE A = (SELECT MAX(A) FROM U WHERE D = 1)"],
        );
        check(
            "SELECT A FROM (SELECT A FROM U WHERE D = 1) X ORDER BY 1 WITH UR",
            &["WHERE D = 1", "ORDER BY 1", "WITH UR"],
        );
        check(
            "DECLARE C1 CURSOR WITH HOLD FOR SELECT A FROM T WHERE B > :K FOR UPDATE OF A",
            &["WHERE B > :K", "FOR UPDATE OF A"],
        );
        check("FETCH C1 INTO :X, :Y", &["INTO :X, :Y"]);
        check("OPEN C1", &[]);
        check("SELECT A FROM T WHERE", &[]);
    }
}
