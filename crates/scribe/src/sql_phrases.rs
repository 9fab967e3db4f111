//! Describes SQL statements in words: what is done to which table or cursor, which value goes where, for which rows.
//!
//! What the statements do: Db2 for z/OS, SQL Reference.

use crate::phrases::shorten_to;
use war_rig_cobol::{ExecBlock, SqlClause, SqlCondition, SqlHandler, SqlStatement, is_dummy_table, whenever_target};

/// Describes a statement by what it does and the object that it works on: `selects from ACCOUNT`.
pub(crate) fn sql_phrase(exec: &ExecBlock) -> String {
    let name = exec.resource.as_deref();
    let on = |verb: &str| match name {
        Some(name) => format!("{verb} {name}"),
        None => format!("{} ({})", verb.trim_end_matches(" cursor"), exec.command),
    };
    match exec.command.as_str() {
        "SELECT" => on("selects from"),
        "INSERT" => on("inserts into"),
        "UPDATE" => on("updates"),
        "DELETE" => on("deletes from"),
        "MERGE" => on("merges into"),
        "OPEN" => on("opens cursor"),
        "FETCH" => on("fetches from cursor"),
        "CLOSE" => on("closes cursor"),
        "CALL" => on("calls stored procedure"),
        "LOCK" => on("locks table"),
        "TRUNCATE" => on("empties table"),
        "COMMIT" => "commits".to_owned(),
        "ROLLBACK" => "rolls back".to_owned(),
        "DECLARE CURSOR" => on("declares a cursor on"),
        command => {
            let of = name.map(|name| format!(" of {name}")).unwrap_or_default();
            format!("runs SQL {command}{of}")
        }
    }
}

/// Describes a statement for a rule: a change, or what no table of the program gives, with its values.
pub(crate) fn sql_in_a_rule(exec: &ExecBlock, longest: usize) -> String {
    match exec.command.as_str() {
        "SELECT" | "VALUES" if reads_no_table(exec) => shorten_to(&sql_in_full(exec), longest),
        "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "SET" | "CALL" => shorten_to(&sql_in_full(exec), longest),
        _ => sql_phrase(exec),
    }
}

/// Whether a statement calculates: it asks no table, or the one of one row that Db2 has for that.
fn reads_no_table(exec: &ExecBlock) -> bool {
    exec.tables.iter().all(|table| is_dummy_table(table))
}

/// Describes the rows that a statement is about, if that is short: ` where ID = :W-ID`.
pub(crate) fn sql_rows(exec: &ExecBlock, longest: usize) -> Option<String> {
    let mut clauses = exec.sql.as_deref()?.clauses.iter().filter(|clause| clause.word == "WHERE");
    // Of more than one, each belongs to a query of its own.
    let rows = clauses.next().filter(|_| clauses.next().is_none())?.text();
    (rows.chars().count() <= longest).then(|| format!(" where {rows}"))
}

/// Describes a statement with every value, host variable and clause.
pub(crate) fn sql_in_full(exec: &ExecBlock) -> String {
    let Some(sql) = exec.sql.as_deref() else { return sql_phrase(exec) };
    let told = match (exec.command.as_str(), &exec.cursor) {
        ("WHENEVER", _) => return whenever(exec),
        ("SELECT" | "WITH" | "VALUES", _) => format!("selects{}", query(&sql.clauses, "into", first_list(sql, "INTO"))),
        ("FETCH", Some(cursor)) => {
            let into = first_list(sql, "INTO");
            let fetched = into.and_then(|into| pairs(first(&sql.cursor_query, "SELECT"), into, "into"));
            match fetched {
                Some(fetched) => format!("fetches {fetched} from cursor {cursor}"),
                None => format!("{}{}", sql_phrase(exec), query(&sql.clauses, "into", None)),
            }
        }
        ("OPEN", Some(cursor)) => {
            let rows: Vec<SqlClause> =
                sql.cursor_query.iter().filter(|clause| clause.word != "SELECT").cloned().collect();
            let rows = query(&rows, "into", None);
            let rows = if rows.is_empty() { rows } else { format!(" for the rows{rows}") };
            format!("opens cursor {cursor}{rows}{}", query(&sql.clauses, "into", None))
        }
        ("DECLARE CURSOR", Some(cursor)) if !sql.clauses.is_empty() => {
            format!("declares cursor {cursor} for{}", query(&sql.clauses, "into", None))
        }
        ("DECLARE CURSOR", Some(cursor)) if sql.prepared.is_some() => {
            format!(
                "declares cursor {cursor} for the prepared statement {}",
                sql.prepared.as_deref().unwrap_or_default()
            )
        }
        ("INSERT", _) => inserted(exec, sql),
        ("SET", _) => format!("sets {} (SQL SET)", first_list(sql, "SET").unwrap_or_default().join(", ")),
        _ => format!("{}{}", sql_phrase(exec), query(&sql.clauses, "into", None)),
    };
    let not_found = sql.handlers.iter().find(|handler| handler.condition == SqlCondition::NotFound);
    let not_found = not_found.map(|handler| format!("; where no row is found, {}", handled(handler)));
    format!("{told}{}", not_found.unwrap_or_default())
}

fn first<'c>(clauses: &'c [SqlClause], word: &str) -> &'c [String] {
    clauses.iter().find(|clause| clause.word == word).map(|clause| clause.items.as_slice()).unwrap_or_default()
}

fn first_list<'s>(sql: &'s SqlStatement, word: &str) -> Option<&'s [String]> {
    Some(first(&sql.clauses, word)).filter(|items| !items.is_empty())
}

/// Joins values and the places that they go to, one by one; none if their numbers differ.
fn pairs(values: &[String], places: &[String], between: &str) -> Option<String> {
    if values.len() != places.len() || values.is_empty() {
        return None;
    }
    let told = values.iter().zip(places).map(|(value, place)| format!("{value} {between} {place}"));
    Some(told.collect::<Vec<_>>().join(", "))
}

/// Describes the clauses of a query or a change in their order. The results of the first query are told with the places that they go to.
fn query(clauses: &[SqlClause], between: &str, places: Option<&[String]>) -> String {
    let results = places.and_then(|places| pairs(first(clauses, "SELECT"), places, between));
    let mut told = String::new();
    let mut is_first = true;
    // What the names of a query stand for is told behind what they are used for.
    let (names, others): (Vec<&SqlClause>, Vec<&SqlClause>) = clauses.iter().partition(|clause| clause.word == "WITH");
    for clause in others.into_iter().chain(names) {
        let text = clause.text();
        match clause.word {
            "SELECT" => {
                let results = results.as_deref().filter(|_| is_first).unwrap_or(&text);
                told.push_str(&format!(" {results}"));
                is_first = false;
            }
            "INTO" | "COLUMNS" if results.is_some() => {}
            "INTO" => told.push_str(&format!(" into {text}")),
            "FROM" => told.push_str(&format!(" from {text}")),
            "COLUMNS" => told.push_str(&format!(" {text}")),
            "SET" => told.push_str(&format!(" setting {text}")),
            "VALUES" | "ROWS" => told.push_str(&format!(" with the values {text}")),
            "ARGUMENTS" => told.push_str(&format!(" with {}", clause.items.join(", "))),
            "USING" => told.push_str(&format!(" using {text}")),
            "UNION" if clause.items.is_empty() => told.push_str(", together with"),
            "UNION" => told.push_str(", together with all"),
            "EXCEPT" => told.push_str(", without"),
            "INTERSECT" => told.push_str(", only where also among"),
            "GROUP BY" => told.push_str(&format!(", grouped by {text}")),
            "ORDER BY" => told.push_str(&format!(", ordered by {text}")),
            "FETCH" => {
                let rows = text.trim_end_matches(" ONLY").to_lowercase();
                let rows = if rows == "first 1 rows" || rows == "first row" { "first row".to_owned() } else { rows };
                told.push_str(&format!(", of which only the {rows}"));
            }
            word => told.push_str(&format!(", {} {text}", word.to_lowercase())),
        }
    }
    told
}

/// Describes INSERT: each column with its value, or with the result of a query that it gets.
fn inserted(exec: &ExecBlock, sql: &SqlStatement) -> String {
    let columns = first_list(sql, "COLUMNS");
    let told = columns.and_then(|columns| pairs(columns, first(&sql.clauses, "VALUES"), "=")).map(|pairs| {
        let others = sql.clauses.iter().filter(|clause| !matches!(clause.word, "COLUMNS" | "VALUES"));
        format!(" {pairs}{}", query(&others.cloned().collect::<Vec<_>>(), "as", None))
    });
    format!("{}{}", sql_phrase(exec), told.unwrap_or_else(|| query(&sql.clauses, "as", columns)))
}

fn whenever(exec: &ExecBlock) -> String {
    let (condition, action) = match exec.options.first() {
        Some((condition, Some(action))) => (condition.as_str(), action.as_str()),
        _ => return sql_phrase(exec),
    };
    let how = match condition {
        "SQLERROR" => "where an SQL statement fails",
        "SQLWARNING" => "where an SQL statement ends with a warning",
        "NOT FOUND" => "where an SQL statement finds no row",
        _ => return sql_phrase(exec),
    };
    let action = if action == "CONTINUE" { "goes on".to_owned() } else { leads_to(whenever_target(action)) };
    format!("{action} from here on {how} (WHENEVER)")
}

/// Describes where a handler leads: `goes to SQL-ERR`.
pub(crate) fn handled(handler: &SqlHandler) -> String {
    leads_to(handler.label.as_deref().map(|label| (label, handler.is_performed)))
}

fn leads_to(target: Option<(&str, bool)>) -> String {
    match target {
        Some((label, true)) => format!("performs {label}"),
        Some((label, false)) => format!("goes to {label}"),
        None => "ends the run".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::phrases::exec_in_full;
    use std::sync::Arc;
    use war_rig_cobol::{LexedSource, NoCopybooks, parse};
    use war_rig_text::{ReadOptions, SourceText};

    /// Checks the words about the statements of a paragraph.
    fn check(statements: &[&str], expected: &[&str]) {
        let blocks = statements.iter().map(|statement| {
            let statement = statement.replace(' ', "\n           ");
            format!("           EXEC SQL\n           {statement}\n           END-EXEC\n")
        });
        let code = format!("       PROCEDURE DIVISION.\n       P.\n{}           GOBACK.\n", blocks.collect::<String>());
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        let told: Vec<String> = parsed.execs.iter().map(exec_in_full).collect();
        assert_eq!(told, expected, "{statements:?}");
    }

    #[test]
    fn each_value_is_told_with_its_place() {
        check(
            &["SELECT A, COUNT(*) INTO :X, :Y :Y-N FROM T WHERE B = :K GROUP BY A"],
            &["selects A into :X, COUNT(*) into :Y :Y-N from T, where B = :K, grouped by A"],
        );
        check(&["SELECT A, B INTO :REC FROM T"], &["selects A, B into :REC from T"]);
        check(&["SELECT * INTO :REC FROM T"], &["selects * into :REC from T"]);
        check(&["VALUES CURRENT DATE INTO :X"], &["selects CURRENT DATE into :X"]);
        check(&["INSERT INTO T (A, B) VALUES (:X, 'N')"], &["inserts into T A = :X, B = 'N'"]);
        check(&["INSERT INTO T VALUES (:X, 'N')"], &["inserts into T with the values (:X, 'N')"]);
        check(&["INSERT INTO T VALUES (:REC)"], &["inserts into T with the values (:REC)"]);
        check(
            &["INSERT INTO T (A, B) SELECT C, D FROM U WHERE E = 1"],
            &["inserts into T C as A, D as B from U, where E = 1"],
        );
        check(&["INSERT INTO T (A, B) SELECT * FROM U"], &["inserts into T (A, B) * from U"]);
        check(
            &["UPDATE T SET A = :X, B = B + 1 WHERE CURRENT OF C"],
            &["updates T setting A = :X, B = B + 1, where CURRENT OF C"],
        );
        check(&["DELETE FROM T WHERE A = 1"], &["deletes from T, where A = 1"]);
        check(&["CALL S.P(:X, 5)"], &["calls stored procedure S.P with :X, 5"]);
        check(&["SET :X = CURRENT TIMESTAMP"], &["sets :X = CURRENT TIMESTAMP (SQL SET)"]);
        check(
            &["SELECT A INTO :X FROM T JOIN U ON U.K = T.K UNION ALL SELECT B FROM V"],
            &["selects A into :X from T JOIN U ON U.K = T.K, together with all B from V"],
        );
    }

    #[test]
    fn cursors_are_told_with_the_rows_that_they_are_declared_for() {
        check(
            &[
                "DECLARE C CURSOR FOR SELECT A, B FROM T WHERE D > :K ORDER BY A FOR UPDATE OF B",
                "OPEN C",
                "FETCH C INTO :X, :Y",
                "FETCH C INTO :REC",
                "CLOSE C",
            ],
            &[
                "declares cursor C for A, B from T, where D > :K, ordered by A, for UPDATE OF B",
                "opens cursor C for the rows from T, where D > :K, ordered by A, for UPDATE OF B",
                "fetches A into :X, B into :Y from cursor C",
                "fetches from cursor C into :REC",
                "closes cursor C",
            ],
        );
        let names = "L AS (SELECT K, MAX(D) AS D FROM U WHERE S = 'O' GROUP BY K)";
        let query = format!("DECLARE C CURSOR FOR WITH {names} SELECT A, L.D FROM T JOIN L ON L.K = T.K WHERE B = :K");
        check(
            &[&query, "OPEN C", "FETCH C INTO :X, :Y"],
            &[
                &format!("declares cursor C for A, L.D from T JOIN L ON L.K = T.K, where B = :K, with {names}"),
                &format!("opens cursor C for the rows from T JOIN L ON L.K = T.K, where B = :K, with {names}"),
                "fetches A into :X, L.D into :Y from cursor C",
            ],
        );
        check(
            &["DECLARE C CURSOR FOR S1", "OPEN C USING :K", "FETCH C INTO :X"],
            &[
                "declares cursor C for the prepared statement S1",
                "opens cursor C using :K",
                "fetches from cursor C into :X",
            ],
        );
    }

    #[test]
    fn rules_tell_what_a_statement_changes_or_calculates() {
        let check = |statement: &str, expected: &str| {
            let statement = statement.replace(' ', "\n           ");
            let code = format!(
                "       PROCEDURE DIVISION.\n       P.\n           EXEC SQL\n           {statement}\n           END-EXEC\n           GOBACK.\n"
            );
            let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
            let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
            assert_eq!(super::sql_in_a_rule(&parsed.execs[0], 200), expected, "{statement}");
        };
        check("SELECT A INTO :X FROM T WHERE B = 1", "selects from T");
        check("DELETE FROM T WHERE B = 1", "deletes from T, where B = 1");
        check(
            "SELECT CURRENT DATE - 1 DAY INTO :X FROM SYSIBM.SYSDUMMY1",
            "selects CURRENT DATE - 1 DAY into :X from SYSIBM.SYSDUMMY1",
        );
        check("VALUES CURRENT DATE INTO :X", "selects CURRENT DATE into :X");
    }

    #[test]
    fn handlers_hold_from_where_they_stand() {
        check(
            &[
                "SELECT A INTO :X FROM T",
                "WHENEVER NOT FOUND GO TO :NONE",
                "WHENEVER SQLERROR GOTO BAD",
                "SELECT A INTO :X FROM T",
                "WHENEVER NOT FOUND CONTINUE",
                "WHENEVER SQLWARNING DO PERFORM WARN",
                "WHENEVER SQLERROR STOP",
                "DELETE FROM T",
            ],
            &[
                "selects A into :X from T",
                "goes to NONE from here on where an SQL statement finds no row (WHENEVER)",
                "goes to BAD from here on where an SQL statement fails (WHENEVER)",
                "selects A into :X from T; where no row is found, goes to NONE",
                "goes on from here on where an SQL statement finds no row (WHENEVER)",
                "performs WARN from here on where an SQL statement ends with a warning (WHENEVER)",
                "ends the run from here on where an SQL statement fails (WHENEVER)",
                "deletes from T",
            ],
        );
    }
}
