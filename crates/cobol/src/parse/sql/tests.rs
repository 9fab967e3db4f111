//! Tests of statements and their results, one text each.

use super::*;
use crate::embedded_sql::{HostVariableDirection, SqlStatement};

/// Formats a table with its accesses and columns: `CU T1 r(A,B) w(C)`; `*` for all columns.
fn shown(table: &SqlTable) -> String {
    let list = |letter: char, all: bool, columns: &[String]| {
        let mut columns = columns.to_vec();
        if all {
            columns.insert(0, "*".to_owned());
        }
        if columns.is_empty() { String::new() } else { format!(" {letter}({})", columns.join(",")) }
    };
    format!(
        "{} {}{}{}",
        table.accesses.crud_letters(),
        table.name,
        list('r', table.reads_all, &table.columns_read),
        list('w', table.writes_all, &table.columns_written)
    )
}

fn sql(body: &str) -> SqlStatement {
    *parse_sql(body).sql.unwrap()
}

fn check(body: &str, expected: &[&str]) {
    let found = sql(body);
    assert_eq!(found.parsed_by, SqlParseMethod::Parser, "{body}: {:?}", found.refused);
    let mut tables: Vec<String> = found.tables.iter().map(shown).collect();
    if !found.unresolved_columns.is_empty() {
        tables.push(format!("? {}", found.unresolved_columns.join(",")));
    }
    assert_eq!(tables, expected, "{body}");
}

fn check_hosts(body: &str, expected: &[&str]) {
    let found = sql(body);
    let hosts: Vec<String> = found
        .host_variables
        .iter()
        .map(|host| {
            let way = match host.direction {
                HostVariableDirection::In => "<",
                HostVariableDirection::Out => ">",
                HostVariableDirection::InOut => "<>",
            };
            let indicator = host.indicator.as_ref().map(|name| format!("?{name}")).unwrap_or_default();
            format!("{way}{}{indicator}", host.name)
        })
        .collect();
    assert_eq!(hosts, expected, "{body}");
}

#[test]
fn columns_belong_to_the_only_table_or_to_the_one_that_is_named() {
    check("select A, b + 1 into :X, :Y from gen.t1 where C = :Z and D is not null", &["R GEN.T1 r(A,B,C,D)"]);
    check("SELECT X.A, Y.B, C FROM T1 X, T2 Y WHERE X.K = Y.K", &["R T1 r(A,K)", "R T2 r(B,K)", "? C"]);
    check("SELECT T1.A, G.T1.B FROM G.T1", &["R G.T1 r(A,B)"]);
    check("SELECT A.X FROM T1 A LEFT OUTER JOIN T1 B ON A.K = B.K2", &["R T1 r(X,K,K2)"]);
    check("SELECT Z.A FROM T1", &["R T1", "? Z.A"]);
    check("SELECT * FROM T1", &["R T1 r(*)"]);
    check("SELECT B.* FROM T1 A INNER JOIN T2 B ON A.K = B.K", &["R T1 r(K)", "R T2 r(*,K)"]);
    check(
        "SELECT COUNT(*), MAX(A) AS TOP, 'X' FROM T1 GROUP BY B HAVING MAX(C) > 1 ORDER BY TOP, D",
        &["R T1 r(A,B,C,D)"],
    );
    check("SELECT A FROM T1 UNION ALL SELECT B FROM T2 ORDER BY 1", &["R T1 r(A)", "R T2 r(B)"]);
}

#[test]
fn subqueries_read_their_own_tables_and_those_around_them() {
    check("SELECT A FROM T1 WHERE B IN (SELECT C FROM T2 WHERE T2.D = T1.E)", &["R T1 r(A,B,E)", "R T2 r(C,D)"]);
    check("SELECT A FROM T1 O WHERE EXISTS (SELECT * FROM T2 WHERE K = O.K)", &["R T1 r(A,K)", "R T2 r(K)"]);
    check("SELECT X.N FROM (SELECT COUNT(B) AS N FROM T1) X", &["R T1 r(B)"]);
    check("WITH S (A) AS (SELECT A FROM T1) SELECT S.A INTO :A FROM S", &["R T1 r(A)"]);
    check(
        "UPDATE T1 SET A = (SELECT MAX(B) FROM T2 WHERE T2.K = T1.K), C = C + 1 WHERE K = :K",
        &["U T1 r(K,C) w(A,C)", "R T2 r(B,K)"],
    );
    check("SELECT A FROM T1, TABLE (SELECT B FROM T2 WHERE T2.K = T1.K) AS X", &["R T1 r(K)", "R T2 r(B,K)", "? A"]);
}

#[test]
fn what_is_written_is_told_from_what_is_read() {
    check("INSERT INTO T1 (A, B) VALUES (:A, :B)", &["C T1 w(A,B)"]);
    check("INSERT INTO T1 VALUES (:A, DEFAULT, CURRENT TIMESTAMP)", &["C T1 w(*)"]);
    check("INSERT INTO T1 (A) SELECT B FROM T2 WHERE C = 1", &["C T1 w(A)", "R T2 r(B,C)"]);
    check("INSERT INTO T1 (A) SELECT MAX(A) FROM T1", &["CR T1 r(A) w(A)"]);
    check("DELETE FROM T1 A WHERE A.B = 1 AND C < CURRENT DATE - 30 DAYS", &["D T1 r(B,C)"]);
    check("UPDATE T1 SET (A, B) = (:A, :B) WHERE CURRENT OF C-1", &["U T1 w(A,B)"]);
    check(
        "MERGE INTO T1 T USING (SELECT K, V FROM T2) S ON T.K = S.K \
         WHEN MATCHED THEN UPDATE SET V = S.V WHEN NOT MATCHED THEN INSERT (K, V) VALUES (S.K, S.V)",
        &["CU T1 r(K) w(V,K)", "R T2 r(K,V)"],
    );
    check("SELECT ID INTO :ID FROM FINAL TABLE (INSERT INTO T2 (A) VALUES (:A))", &["C T2 w(A)"]);
}

#[test]
fn db2_has_words_of_its_own() {
    for tail in [
        "WITH UR",
        "WITH RS USE AND KEEP UPDATE LOCKS",
        "FOR FETCH ONLY WITH CS",
        "FOR READ ONLY QUERYNO 12",
        "OPTIMIZE FOR 1 ROW",
        "FETCH FIRST 10 ROWS ONLY",
        "FETCH FIRST ROW ONLY WITH UR",
        "FOR UPDATE",
        "FOR UPDATE OF B, C",
        "FOR UPDATE OF B WITH RR",
        "SKIP LOCKED DATA",
        ";",
    ] {
        check(&format!("SELECT A FROM T1 {tail}"), &["R T1 r(A)"]);
    }
    for expression in [
        "B CONCAT C",
        "CONCAT(B, C)",
        "B !! C",
        "B + :N DAYS + C MONTHS",
        "CURRENT TIMESTAMP - B.C DAYS",
        "CURRENT DATE + 1 YEAR",
        "CHAR(B, ISO) || DIGITS(C)",
        "VALUE(B, C, 0)",
        "SUBSTR(B, 1, LENGTH(C))",
        "NEXT VALUE FOR G.SEQ",
        "CASE WHEN B = 1 THEN C ELSE USER END",
        "TRIM(LEADING '0' FROM B)",
        "DECIMAL(B, 9, 2) * -1",
        "COALESCE(B, DATE('2020-01-01'))",
        "YEAR(CURRENT DATE)",
        "LEFT(B, 3)",
        "X'00'",
    ] {
        let found = sql(&format!("SELECT {expression} FROM T1 B WHERE A ¬= 1"));
        assert_eq!(found.parsed_by, SqlParseMethod::Parser, "{expression}: {:?}", found.refused);
        assert_eq!(found.tables.len(), 1, "{expression}");
        let columns = &found.tables[0].columns_read;
        assert!(columns.iter().all(|column| ["A", "B", "C"].contains(&column.as_str())), "{columns:?}");
        assert!(found.unresolved_columns.is_empty(), "{expression}: {:?}", found.unresolved_columns);
    }
    check("INSERT INTO T1 (A) VALUES (:A) FOR :N ROWS NOT ATOMIC CONTINUE ON SQLEXCEPTION", &["C T1 w(A)"]);
}

#[test]
fn cursors_and_tables_that_are_declared() {
    check(
        "DECLARE C1 SENSITIVE STATIC SCROLL CURSOR WITH HOLD WITH ROWSET POSITIONING FOR SELECT A FROM T1",
        &["R T1 r(A)"],
    );
    let found = parse_sql(
        "DECLARE G.T TABLE\n( A CHAR(5) NOT NULL,\n B DECIMAL(9 , 2) NOT NULL WITH DEFAULT, C TIMESTAMP WITH TIME ZONE )",
    );
    let columns: Vec<_> =
        found.columns.iter().map(|column| (column.name.as_str(), column.data_type.as_str(), column.not_null)).collect();
    let expected = [("A", "CHAR(5)", true), ("B", "DECIMAL(9, 2)", true), ("C", "TIMESTAMP WITH TIME ZONE", false)];
    assert_eq!(columns, expected);
    assert_eq!(found.sql.unwrap().tables[0].name, "G.T");
    assert_eq!(found.columns[1].at, "DECLARE G.T TABLE\n( A CHAR(5) NOT NULL,\n ".len());
}

#[test]
fn host_variables_go_in_or_out() {
    check_hosts("SELECT A, B INTO :X, :Y:IND FROM T WHERE K = :K OR K = :K", &[">X", ">Y?IND", "<K"]);
    check_hosts("FETCH NEXT FROM C1 FOR :N ROWS INTO :A, :G.B INDICATOR :I", &["<N", ">A", ">G.B?I"]);
    check_hosts("FETCH C1 :A, :B:I", &[">A", ">B?I"]);
    check_hosts("FETCH ABSOLUTE :N C1 :A", &["<N", ">A"]);
    check_hosts("SET :A = IDENTITY_VAL_LOCAL(), :B = :C", &[">A", ">B", "<C"]);
    check_hosts("SET (:A, :B) = (SELECT X, Y FROM T WHERE Z = :C)", &[">A", ">B", "<C"]);
    check_hosts("VALUES (CURRENT DATE, :B) INTO :A, :C", &["<B", ">A", ">C"]);
    check_hosts("CALL P(:A, :B)", &["<>A", "<>B"]);
    check_hosts("SET CURRENT SQLID = :A", &["<A"]);
    check_hosts("OPEN C1 USING :A", &["<A"]);
    check_hosts("GET DIAGNOSTICS :A = ROW_COUNT", &[">A"]);
    check_hosts("DECLARE C CURSOR FOR SELECT A FROM T WHERE B = :B AND C = (SELECT MAX(D) FROM T)", &["<B"]);
}

#[test]
fn dynamic_statements_say_where_their_text_is() {
    for (body, prepared, text) in [
        ("PREPARE S1 FROM :WS-TEXT", Some("S1"), Some("WS-TEXT")),
        ("EXECUTE IMMEDIATE :WS-TEXT", None, Some("WS-TEXT")),
        ("EXECUTE IMMEDIATE 'DELETE FROM T'", None, Some("'DELETE FROM T'")),
        ("EXECUTE S1 USING :A", Some("S1"), None),
        ("DECLARE C1 CURSOR WITH HOLD FOR S1", Some("S1"), None),
    ] {
        let found = sql(body);
        assert!(found.is_dynamic, "{body}");
        assert_eq!(found.parsed_by, SqlParseMethod::Grammar, "{body}");
        assert_eq!((found.prepared.as_deref(), found.text_source.as_deref()), (prepared, text), "{body}");
    }
    assert!(!sql("SELECT A FROM T").is_dynamic);
}

#[test]
fn what_the_parser_refuses_is_read_by_its_words() {
    let long_chain = format!("SELECT A FROM T1 WHERE A = 1{}", " OR A = 1".repeat(500));
    let deep = format!("SELECT {}A{} FROM T1", "(".repeat(50), ")".repeat(50));
    let long = format!("SELECT A FROM T1 WHERE A = '{}'", "X".repeat(LONGEST));
    for (body, reason) in [
        ("SELECT A FROM T1 WHERE", "expected"),
        ("SELECT A FROM T1 SOME MORE WORDS", "goes on"),
        ("SELECT A FROM T1 FOR SYSTEM_TIME AS OF :A", ""),
        ("CREATE TABLE T1 (A INT)", "no grammar"),
        (long_chain.as_str(), "operators"),
        (deep.as_str(), "parentheses"),
        (long.as_str(), "longer"),
    ] {
        let found = sql(body);
        assert_eq!(found.parsed_by, SqlParseMethod::Words, "{body}");
        let refused = found.refused.unwrap();
        assert!(refused.contains(reason), "{refused}");
        assert_eq!(found.tables.first().map(|table| table.name.as_str()), Some("T1"), "{body}");
        assert!(found.tables.iter().all(|table| table.columns_read.is_empty()));
    }
}

/// Each of these would take a long time, or much stack, if the parser's work had no limits.
#[test]
fn hostile_text_is_given_up_soon() {
    for body in [
        format!("SELECT A FROM {}T", "(".repeat(12)),
        format!("SELECT {}", "CASE ".repeat(3_000)),
        format!("SELECT {}", "NOT ".repeat(3_000)),
        format!("SELECT {}", "- ".repeat(390)),
        format!("SELECT {}", "INTERVAL ".repeat(3_000)),
        format!("SELECT {}", "IF(".repeat(12)),
        format!("SELECT A FROM T{}", " JOIN T".repeat(2_000)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(390)),
        format!("SELECT A{}", " IS NULL".repeat(390)),
        format!("SELECT A{}", "[1]".repeat(390)),
        format!("SELECT {}", "A.".repeat(3_000)),
        format!("SELECT A {}", "COLLATE B ".repeat(390)),
        format!("WITH {} SELECT 1", "A AS (SELECT 1),".repeat(1_000)),
        "FINAL TABLE (".repeat(1_000),
        format!("SELECT A FROM {}", "FINAL TABLE (SELECT A FROM ".repeat(10)),
    ] {
        let started = std::time::Instant::now();
        let block = parse_sql(&body);
        assert!(block.sql.is_some());
        assert!(started.elapsed().as_secs() < 2, "{}", &body[..40]);
    }
}
