//! The clauses of a statement about rows and values: WHERE, ORDER BY, SET, INTO and similar.
//!
//! A clause ends with the next one, or with the parenthesis around it. Clauses of a subquery are part of the clause that
//! contains it, or separate if no clause contains it.

use super::token::{EmbeddedToken, EmbeddedTokenKind};
use crate::embedded_sql::SqlClause;
use crate::tokens::TokenSlice;

/// The keywords that begin a clause, with the clause; none for clauses that nobody asks for.
const CLAUSES: &[(&str, Option<&str>)] = &[
    ("SELECT", Some("SELECT")),
    ("FROM", Some("FROM")),
    ("INTO", Some("INTO")),
    ("USING", Some("USING")),
    ("ON", Some("ON")),
    ("WHERE", Some("WHERE")),
    ("GROUP", Some("GROUP BY")),
    ("HAVING", Some("HAVING")),
    ("ORDER", Some("ORDER BY")),
    ("SET", Some("SET")),
    ("VALUES", Some("ROWS")),
    ("FETCH", Some("FETCH")),
    ("FOR", Some("FOR")),
    ("WITH", Some("WITH")),
    ("UNION", Some("UNION")),
    ("EXCEPT", Some("EXCEPT")),
    ("INTERSECT", Some("INTERSECT")),
    ("OPTIMIZE", None),
    ("QUERYNO", None),
];

/// The clause that is being read.
struct OpenClause {
    word: Option<&'static str>,
    depth: usize,
    /// The texts that commas outside parentheses end.
    items: Vec<String>,
}

impl OpenClause {
    fn new(word: Option<&'static str>, depth: usize) -> Self {
        Self { word, depth, items: vec![String::new()] }
    }

    fn push(&mut self, token: &EmbeddedToken, depth: usize) {
        if token.is(",") && depth == self.depth {
            self.items.push(String::new());
        } else if let Some(last) = self.items.last_mut() {
            push(last, token);
        }
    }
}

pub(super) fn find_clauses(tokens: TokenSlice<'_, EmbeddedToken>) -> Vec<SqlClause> {
    let verb = tokens.first().map(|first| first.text.as_str()).unwrap_or_default();
    // The query of a cursor follows FOR; the words before it are options of the cursor.
    let start = match verb {
        "SELECT" | "WITH" | "(" | "VALUES" | "SET" => 0,
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "FETCH" | "OPEN" | "EXECUTE" | "CALL" => 1,
        "DECLARE" => match tokens.iter().position(|token| token.is("FOR")) {
            Some(query) => query + 1,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let (mut found, mut depth) = (Vec::new(), 0_usize);
    let mut open: Option<OpenClause> = None;
    let mut close = |open: &mut Option<OpenClause>| {
        let Some((word, mut items)) = open.take().and_then(|open| Some((open.word?, open.items))) else { return };
        items.retain(|item| !item.is_empty());
        if !items.is_empty() || matches!(word, "UNION" | "EXCEPT" | "INTERSECT") {
            found.push(SqlClause { word, items });
        }
    };
    for (at, token) in tokens.iter().enumerate().skip(start) {
        // The names, values and arguments of a list in parentheses are the items of its clause.
        let listed = (token.is("(") && depth == 0).then(|| list_before(tokens, at, verb, open.as_ref())).flatten();
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
            if open.as_ref().is_some_and(|open| depth < open.depth) {
                close(&mut open);
                continue;
            }
        }
        if let Some(word) = listed {
            close(&mut open);
            open = Some(OpenClause::new(Some(word), depth));
            continue;
        }
        let is_free = open.as_ref().is_none_or(|open| depth <= open.depth || open.word.is_none());
        let begins = CLAUSES.iter().find(|(word, _)| token.is(word));
        let begins = begins.filter(|_| is_free && is_clause(tokens, at, verb));
        if let Some((_, word)) = begins {
            close(&mut open);
            // `VALUES 1 INTO :X` is a query without a table.
            let word = if at == 0 && verb == "VALUES" { Some("SELECT") } else { *word };
            open = Some(OpenClause::new(word, depth));
        } else if let Some(open) = &mut open
            && !(token.is("BY") && open.items.iter().all(String::is_empty))
        {
            open.push(token, depth);
        }
    }
    close(&mut open);
    found
}

/// Returns the clause whose list an opening parenthesis begins: the columns of INSERT, the values of its only row, the arguments of
/// CALL.
fn list_before(
    tokens: TokenSlice<'_, EmbeddedToken>,
    at: usize,
    verb: &str,
    open: Option<&OpenClause>,
) -> Option<&'static str> {
    let is_only_row = || {
        let behind = tokens.closing(at).and_then(|end| tokens.get(end + 1));
        !behind.is_some_and(|next| next.is(",") || next.kind == EmbeddedTokenKind::Symbol)
    };
    let is_first = |open: &OpenClause| open.items.iter().all(String::is_empty);
    match (verb, open) {
        ("CALL", None) => Some("ARGUMENTS"),
        ("INSERT", None) if !tokens.get(at + 1).is_some_and(|next| next.is_any(&["SELECT", "WITH"])) => Some("COLUMNS"),
        ("INSERT", Some(open)) if open.word == Some("ROWS") && is_first(open) && is_only_row() => Some("VALUES"),
        _ => None,
    }
}

/// Returns whether a keyword begins a clause at its position: it has other meanings too.
fn is_clause(tokens: TokenSlice<'_, EmbeddedToken>, at: usize, verb: &str) -> bool {
    let next = |word: &str| tokens.get(at + 1).is_some_and(|next| next.is(word));
    let before = |word: &str| at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| before.is(word));
    match tokens.get(at).map(|token| token.text.as_str()).unwrap_or_default() {
        // INSERT INTO and MERGE INTO name the table.
        "INTO" => at > 1 || !matches!(verb, "INSERT" | "MERGE"),
        "ON" => verb == "MERGE",
        // The names of queries, `WITH NAME AS (...)` or `WITH NAME (COLUMN) AS (...)`, or the isolation of the statement.
        "WITH" => {
            let names = tokens.get(at + 2).is_some_and(|behind| behind.is_any(&["AS", "("]));
            names || ["UR", "CS", "RS", "RR"].iter().any(|level| next(level))
        }
        "FETCH" => next("FIRST") || next("NEXT"),
        "FOR" => ["UPDATE", "FETCH", "READ"].iter().any(|kind| next(kind)),
        // `DELETE FROM` names the table; `IS DISTINCT FROM` compares.
        "FROM" => (verb != "DELETE" || at > 1) && !before("DISTINCT"),
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
        let found: Vec<String> = found.iter().map(|clause| format!("{} {}", clause.word, clause.text())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn clauses_say_which_rows_and_what_values() {
        check(
            "SELECT A, COUNT(*) INTO :X, :Y:Y-N FROM T WHERE B >= :K AND C IN ('a', 'b') GROUP BY A ORDER BY A DESC",
            &[
                "SELECT A, COUNT(*)",
                "INTO :X, :Y :Y-N",
                "FROM T",
                "WHERE B >= :K AND C IN ('a', 'b')",
                "GROUP BY A",
                "ORDER BY A DESC",
            ],
        );
        check("UPDATE T SET A = :X, B = B + 1 WHERE CURRENT OF C1", &["SET A = :X, B = B + 1", "WHERE CURRENT OF C1"]);
        check("INSERT INTO T (A, B) VALUES (:X, CURRENT DATE)", &["COLUMNS (A, B)", "VALUES (:X, CURRENT DATE)"]);
        check(
            "DELETE FROM T WHERE A = (SELECT MAX(A) FROM U WHERE D = 1)",
            &["WHERE A = (SELECT MAX(A) FROM U WHERE D = 1)"],
        );
        check(
            "SELECT A FROM (SELECT A FROM U WHERE D = 1) X ORDER BY 1 WITH UR",
            &["SELECT A", "FROM (SELECT A FROM U WHERE D = 1) X", "ORDER BY 1", "WITH UR"],
        );
        check(
            "DECLARE C1 CURSOR WITH HOLD FOR SELECT A FROM T WHERE B > :K FOR UPDATE OF A",
            &["SELECT A", "FROM T", "WHERE B > :K", "FOR UPDATE OF A"],
        );
        check("FETCH C1 INTO :X, :Y", &["INTO :X, :Y"]);
        check("OPEN C1", &[]);
        check("SELECT A FROM T WHERE", &["SELECT A", "FROM T"]);
    }

    #[test]
    fn queries_name_their_results_and_their_tables() {
        check(
            "SELECT A.X, B.Y FROM T A LEFT JOIN U B ON B.K = A.K AND B.Z = 'Y' WHERE A.X IS DISTINCT FROM B.Y",
            &["SELECT A.X, B.Y", "FROM T A LEFT JOIN U B ON B.K = A.K AND B.Z = 'Y'", "WHERE A.X IS DISTINCT FROM B.Y"],
        );
        check(
            "SELECT A FROM T UNION ALL SELECT B FROM U EXCEPT SELECT C FROM V",
            &["SELECT A", "FROM T", "UNION ALL", "SELECT B", "FROM U", "EXCEPT ", "SELECT C", "FROM V"],
        );
        check(
            "WITH S (A) AS (SELECT A FROM T), R AS (SELECT 1 FROM U) SELECT S.A INTO :A FROM S, R",
            &["WITH S (A) AS (SELECT A FROM T), R AS (SELECT 1 FROM U)", "SELECT S.A", "INTO :A", "FROM S, R"],
        );
        for before in ["DECLARE C CURSOR WITH HOLD FOR", "INSERT INTO H", "INSERT INTO H (A)"] {
            let columns = before.ends_with(')').then_some("COLUMNS (A)");
            let query = ["WITH S AS (SELECT A FROM T WHERE B = 1)", "SELECT A", "FROM S"];
            let expected: Vec<&str> = columns.into_iter().chain(query).collect();
            check(&format!("{before} {}", query.join(" ")), &expected);
        }
        check("VALUES (CURRENT DATE, 1) INTO :X, :Y", &["SELECT (CURRENT DATE, 1)", "INTO :X, :Y"]);
        check(
            "INSERT INTO H (N, B) SELECT A, MAX(B) FROM T GROUP BY A",
            &["COLUMNS (N, B)", "SELECT A, MAX(B)", "FROM T", "GROUP BY A"],
        );
        check("INSERT INTO H VALUES (1, F(2, 3)), (:A, :B)", &["ROWS (1, F(2, 3)), (:A, :B)"]);
        check("INSERT INTO H (SELECT * FROM T)", &["SELECT *", "FROM T"]);
        check("CALL S.P(:A, 'x')", &["ARGUMENTS (:A, 'x')"]);
        check("DELETE FROM T WHERE TRIM(LEADING ' ' FROM A) = 'B'", &["WHERE TRIM(LEADING ' ' FROM A) = 'B'"]);
    }
}
