//! Finds the operation, tables and cursor of an SQL statement by its keywords alone.
//!
//! A table follows FROM, JOIN, INTO, UPDATE, USING of MERGE, or TABLE. FROM counts only if a SELECT or DELETE is open in
//! the same parentheses, because functions have their own FROM: `TRIM(LEADING ' ' FROM X)`.

use super::super::exec::ParsedExec;
use crate::model::ExecKind;
use foldhash::{HashSet, HashSetExt};

/// Keywords that end the list of tables in a query.
const ENDS_TABLES: &[&str] =
    &["EXCEPT", "FETCH", "FOR", "GROUP", "HAVING", "INTERSECT", "INTO", "ORDER", "SET", "UNION", "VALUES", "WHERE"];

/// Words after FROM and JOIN that are not tables.
const NO_TABLES: &[&str] = &["FINAL", "LATERAL", "NEW", "OLD", "TABLE", "UNNEST", "XMLTABLE"];

/// Parses the text between EXEC SQL and END-EXEC.
pub(super) fn parse_by_words(body: &str) -> ParsedExec {
    let words = words(body);
    let word = |at: usize| words.get(at).map(String::as_str).unwrap_or_default();
    let first = word(0);
    let (mut command, mut options) = (first.to_owned(), Vec::new());
    let (mut cursor, mut resource) = (None, None);
    let mut has_tables = true;
    match first {
        "DECLARE" if words.iter().any(|word| word == "CURSOR") => {
            command.push_str(" CURSOR");
            cursor = identifier(word(1));
        }
        "DECLARE" if words.iter().any(|word| word == "TABLE") => command.push_str(" TABLE"),
        "OPEN" | "CLOSE" => {
            cursor = identifier(word(1));
            has_tables = false;
        }
        "FETCH" => {
            const ORIENTATION: &[&str] = &[
                "ABSOLUTE", "AFTER", "BEFORE", "CURRENT", "FIRST", "FROM", "INSENSITIVE", "LAST", "NEXT", "PRIOR",
                "RELATIVE", "ROWSET", "SENSITIVE", "STARTING", "AT",
            ];
            let named =
                words[1..].iter().find(|word| !ORIENTATION.contains(&word.as_str()) && identifier(word).is_some());
            cursor = named.and_then(|word| identifier(word));
            has_tables = false;
        }
        "WHENEVER" => {
            let condition = if word(1) == "NOT" { "NOT FOUND" } else { word(1) };
            let action = &words[words.len().min(1 + condition.split(' ').count())..];
            options.push((condition.to_owned(), Some(action.join(" "))));
            has_tables = false;
        }
        "CALL" => {
            resource = identifier(word(1));
            has_tables = false;
        }
        "SELECT" | "WITH" | "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "LOCK" | "TRUNCATE" | "VALUES" | "SET"
        | "CREATE" | "DROP" | "ALTER" => {}
        _ => has_tables = false,
    }
    if matches!(first, "UPDATE" | "DELETE") {
        // `CURRENT TIMESTAMP` may precede `CURRENT OF`.
        let positioned = words.windows(3).find(|words| words[0] == "CURRENT" && words[1] == "OF");
        cursor = positioned.and_then(|words| identifier(&words[2]));
    }
    let tables = if has_tables { tables(&words) } else { Vec::new() };
    let resource = resource.or_else(|| tables.first().cloned()).or_else(|| cursor.clone().filter(|_| !has_tables));
    ParsedExec {
        kind: ExecKind::Sql,
        command,
        resource,
        is_literal: true,
        tables,
        cursor,
        options,
        ..ParsedExec::default()
    }
}

/// Returns the name in a word, without the quotes of a delimited one; none for host variables and punctuation.
fn identifier(word: &str) -> Option<String> {
    let name = word.replace('"', "");
    name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '#' | '@' | '$')).then_some(name)
}

/// The open query in a pair of parentheses, or in the statement itself.
#[derive(Default)]
struct QueryScope {
    /// Whether its FROM names tables.
    selects: bool,
    /// Whether a comma continues its list of tables.
    lists: bool,
}

/// Returns the tables that a statement names, in order, each once.
fn tables(words: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut temporary = HashSet::new();
    let mut queries = vec![QueryScope::default()];
    let mut names_queries = false;
    for (at, word) in words.iter().enumerate() {
        let word = word.as_str();
        let previous = at.checked_sub(1).map_or("", |before| words[before].as_str());
        let next = words.get(at + 1).map_or("", String::as_str);
        match word {
            "(" => queries.push(QueryScope::default()),
            ")" if queries.len() > 1 => {
                queries.pop();
            }
            _ => {}
        }
        let Some(query) = queries.last_mut() else { break };
        let mut table = next;
        let names_table = match word {
            "SELECT" | "DELETE" => {
                *query = QueryScope { selects: true, lists: false };
                false
            }
            "FROM" if query.selects && previous != "DISTINCT" => {
                query.lists = true;
                true
            }
            "," => query.lists,
            "JOIN" => true,
            "INTO" => matches!(previous, "INSERT" | "MERGE"),
            "UPDATE" => at == 0 || previous == "(",
            "USING" => words[0] == "MERGE",
            // `LOCK TABLE NAME` and `DECLARE NAME TABLE (`
            "TABLE" => {
                if next == "(" {
                    table = previous;
                }
                true
            }
            // `WITH NAME [ ( columns ) ] AS (` names a table of the statement itself.
            "WITH" => {
                let behind_name = words.get(at + 2).map_or("", String::as_str);
                names_queries |= identifier(next).is_some() && matches!(behind_name, "AS" | "(");
                false
            }
            "AS" if next == "(" && names_queries => {
                temporary.extend(named_before(words, at));
                false
            }
            _ => {
                query.lists &= !ENDS_TABLES.contains(&word);
                false
            }
        };
        if names_table
            && !NO_TABLES.contains(&table)
            && let Some(name) = identifier(table)
            && seen.insert(name.clone())
        {
            found.push(name);
        }
    }
    found.retain(|name| !temporary.contains(name));
    found
}

/// Returns the name before `[ ( columns ) ] AS`.
fn named_before(words: &[String], at: usize) -> Option<String> {
    let before = at.checked_sub(1)?;
    let name = if words[before] == ")" {
        words[..before].iter().rposition(|word| word == "(")?.checked_sub(1)?
    } else {
        before
    };
    identifier(&words[name])
}

/// Returns the words of SQL in upper case, without comments and literals; a qualified name is one word, as are parentheses and commas.
fn words(body: &str) -> Vec<String> {
    let mut words = Vec::new();
    for line in body.lines() {
        let mut rest = line.trim_start();
        while let Some(c) = rest.chars().next() {
            if rest.starts_with("--") {
                break;
            }
            let end = match c {
                '\'' => rest[1..].find('\'').map_or(rest.len(), |end| end + 2),
                '(' | ')' | ',' => 1,
                _ => {
                    let ends = |(at, c): (usize, char)| {
                        let ends = c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | '=' | '<' | '>' | '\'');
                        (ends || rest[at..].starts_with("--")).then_some(at)
                    };
                    rest.char_indices().skip(1).find_map(ends).unwrap_or(rest.len())
                }
            };
            if c != '\'' && !matches!(c, ';' | '=' | '<' | '>') {
                words.push(rest[..end].to_uppercase());
            }
            rest = rest[end..].trim_start();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, command: &str, resource: Option<&str>, tables: &[&str], cursor: Option<&str>) {
        let block = parse_by_words(body);
        assert_eq!((block.command.as_str(), block.resource.as_deref()), (command, resource), "{body}");
        assert_eq!(block.tables, tables, "{body}");
        assert_eq!(block.cursor.as_deref(), cursor, "{body}");
    }

    #[test]
    fn operations_and_their_tables() {
        let one = |body, command, table| check(body, command, Some(table), &[table], None);
        one("SELECT A, 'FROM X' INTO :B\n -- FROM NOWHERE\n FROM POLICY WHERE C = :D", "SELECT", "POLICY");
        one("UPDATE ACCT SET A=1 WHERE B IN (1,2)", "UPDATE", "ACCT");
        one("INSERT INTO GEN.CLAIM (A, B) VALUES (:A, :B)", "INSERT", "GEN.CLAIM");
        one("DELETE FROM \"gen\".\"claim\" WHERE A=:B", "DELETE", "GEN.CLAIM");
        one("LOCK TABLE RATES IN SHARE MODE", "LOCK", "RATES");
        one("TRUNCATE TABLE RATES", "TRUNCATE", "RATES");
        one("DECLARE GEN.POLICY TABLE (A INT, B CHAR(1))", "DECLARE TABLE", "GEN.POLICY");
        one("SELECT TRIM(LEADING ' ' FROM X), A INTO :A FROM T1 WHERE A IS DISTINCT FROM B", "SELECT", "T1");
        one("SELECT ID INTO :ID FROM FINAL TABLE (INSERT INTO T2 (A) VALUES (:A))", "SELECT", "T2");
        check("COMMIT", "COMMIT", None, &[], None);
        check("", "", None, &[], None);
        check("CALL GEN.PROC(:A)", "CALL", Some("GEN.PROC"), &[], None);
    }

    #[test]
    fn every_table_of_a_statement() {
        let several = |body, tables: &[&str]| {
            let block = parse_by_words(body);
            assert_eq!(block.tables, tables, "{body}");
            assert_eq!(block.resource.as_deref(), tables.first().copied());
        };
        several("SELECT A FROM T1 X, T2 AS Y, G.T3 WHERE X.A = Y.A", &["T1", "T2", "G.T3"]);
        several("SELECT A FROM T1 A LEFT OUTER JOIN T2 B ON A.X=B.X INNER JOIN T1 C ON 1=1", &["T1", "T2"]);
        several("INSERT INTO T1 SELECT * FROM T2 WHERE A = (SELECT MAX(A) FROM T3)", &["T1", "T2", "T3"]);
        several(
            "MERGE INTO T1 AS A USING (SELECT B FROM T2) AS S ON A.B=S.B WHEN MATCHED THEN UPDATE SET C=1",
            &["T1", "T2"],
        );
        several("SELECT 1 FROM T1, (SELECT A FROM T2) X, T3 WHERE A IN (1, B), C", &["T1", "T2", "T3"]);
        several("MERGE INTO T1 USING T2 ON T1.A=T2.A", &["T1", "T2"]);
        several("UPDATE T1 SET A=(SELECT B FROM T2 FETCH FIRST 1 ROW ONLY)", &["T1", "T2"]);
        several("SELECT A FROM T1 UNION ALL SELECT A FROM T2 ORDER BY 1", &["T1", "T2"]);
        several("WITH S (A) AS (SELECT A FROM T1), R AS (SELECT 1 FROM T2) SELECT A INTO :A FROM S, R", &["T1", "T2"]);
    }

    #[test]
    fn cursors() {
        check(
            "DECLARE C1 CURSOR WITH HOLD FOR SELECT A FROM GEN.CLAIM",
            "DECLARE CURSOR",
            Some("GEN.CLAIM"),
            &["GEN.CLAIM"],
            Some("C1"),
        );
        check(
            "DECLARE C1 CURSOR WITH HOLD FOR WITH S (A, B) AS (SELECT A FROM T1), R AS (SELECT B FROM S) SELECT A FROM R",
            "DECLARE CURSOR",
            Some("T1"),
            &["T1"],
            Some("C1"),
        );
        check("DECLARE C2 CURSOR FOR S1", "DECLARE CURSOR", None, &[], Some("C2"));
        check("OPEN C1", "OPEN", Some("C1"), &[], Some("C1"));
        check("FETCH NEXT FROM C1 INTO :A", "FETCH", Some("C1"), &[], Some("C1"));
        check("FETCH C1 INTO :A, :B", "FETCH", Some("C1"), &[], Some("C1"));
        check("FETCH", "FETCH", None, &[], None);
        for set in ["A=1", "A=CURRENT TIMESTAMP"] {
            let body = format!("UPDATE T1 SET {set} WHERE CURRENT OF C1");
            check(&body, "UPDATE", Some("T1"), &["T1"], Some("C1"));
        }
    }

    #[test]
    fn what_is_done_whenever() {
        for (body, option) in [
            ("WHENEVER SQLERROR GO TO :ERR-PARA", ("SQLERROR", "GO TO :ERR-PARA")),
            ("WHENEVER NOT FOUND CONTINUE", ("NOT FOUND", "CONTINUE")),
            ("WHENEVER SQLWARNING GOTO W", ("SQLWARNING", "GOTO W")),
            ("WHENEVER", ("", "")),
        ] {
            let block = parse_by_words(body);
            assert_eq!(block.options, [(option.0.to_owned(), Some(option.1.to_owned()))], "{body}");
        }
    }
}
