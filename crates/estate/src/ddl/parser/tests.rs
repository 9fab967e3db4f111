use super::*;
use crate::ddl::ForeignKey;
use war_rig_text::ReadOptions;

fn read(text: &str) -> DdlSource {
    parse(&SourceText::read("T.sql", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn names(names: &[SqlName]) -> String {
    names.iter().map(SqlName::to_string).collect::<Vec<_>>().join(" ")
}

/// Checks each statement as `lines verb name: tables`.
#[track_caller]
fn statements(text: &str, expected: &[&str]) {
    let found = read(text);
    let shown = |s: &DdlStatement| {
        let name = s.name.as_ref().map_or("-".to_owned(), SqlName::to_string);
        format!("{} {} {name}: {}", s.lines, s.verb, names(&s.tables)).trim_end().to_owned()
    };
    assert_eq!(found.statements.iter().map(shown).collect::<Vec<_>>(), expected);
}

/// Checks the columns of a table with these elements, as `name type(length,scale) and what else is known`.
#[track_caller]
fn columns(elements: &str, expected: &[&str]) {
    let found = read(&format!("CREATE TABLE T ({elements});"));
    let shown = |c: &crate::ddl::DdlColumn| {
        let mut shown = format!("{} {}", c.name, c.data_type);
        if let Some(length) = c.length {
            shown += &c.scale.map_or(format!("({length})"), |scale| format!("({length},{scale})"));
        }
        shown += if c.nullable { "" } else { " NOT NULL" };
        let more = [
            c.default.as_ref().map(|d| format!("default {d}")),
            c.generated.as_ref().map(|g| format!("generated {g}")),
            c.for_data.as_ref().map(|f| format!("for {f}")),
        ];
        more.into_iter().flatten().fold(shown, |shown, more| shown + " " + &more).trim_end().to_owned()
    };
    assert_eq!(found.tables[0].columns.iter().map(shown).collect::<Vec<_>>(), expected);
    assert_eq!(found.diagnostics, []);
}

#[test]
fn columns_have_types() {
    columns("a CHAR(10), B dec ( 9 , 2 ), C INT", &["A CHAR(10)", "B DEC(9,2)", "C INT"]);
    columns(
        "A DOUBLE PRECISION, B CHARACTER VARYING(5), C LONG VARCHAR",
        &["A DOUBLE PRECISION", "B CHARACTER VARYING(5)", "C LONG VARCHAR"],
    );
    columns(
        "A BINARY LARGE OBJECT(2K), B CLOB(1M), C NATIONAL CHARACTER(3)",
        &["A BINARY LARGE OBJECT(2048)", "B CLOB(1048576)", "C NATIONAL CHARACTER(3)"],
    );
    columns(
        "A TIMESTAMP(6) WITH TIME ZONE NOT NULL, B TIMESTAMP",
        &["A TIMESTAMP WITH TIME ZONE(6) NOT NULL", "B TIMESTAMP"],
    );
    columns("\"mixed Case\" S.MONEY, NOTE VARCHAR(5)", &["mixed Case S.MONEY", "NOTE VARCHAR(5)"]);
}

#[test]
fn columns_have_defaults_and_more() {
    columns(
        "A CHAR(1) NOT NULL WITH DEFAULT, B INT DEFAULT 0 NOT NULL",
        &["A CHAR(1) NOT NULL default DEFAULT", "B INT NOT NULL default 0"],
    );
    columns(
        "A CHAR(1) WITH DEFAULT ' ' FOR BIT DATA, B DEC(3,1) DEFAULT -1.5",
        &["A CHAR(1) default ' ' for BIT", "B DEC(3,1) default -1.5"],
    );
    columns(
        "A DATE DEFAULT CURRENT DATE NOT NULL, B TS DEFAULT CURRENT TIMESTAMP, C CHAR(8) DEFAULT USER",
        &["A DATE NOT NULL default CURRENT DATE", "B TS default CURRENT TIMESTAMP", "C CHAR(8) default USER"],
    );
    columns(
        "A INT GENERATED ALWAYS AS IDENTITY (START WITH 1, CYCLE) NOT NULL",
        &["A INT NOT NULL generated ALWAYS AS IDENTITY"],
    );
    columns("A CHAR(1) CCSID EBCDIC NOT NULL FIELDPROC P('X', 1) DEFAULT NULL", &["A CHAR(1) NOT NULL default NULL"]);
    columns(
        "A BLOB(1) DEFAULT BLOB(''), B CHAR(2) DEFAULT X'00FF'",
        &["A BLOB(1) default BLOB('')", "B CHAR(2) default X'00FF'"],
    );
}

#[test]
fn tables_have_constraints_and_a_place() {
    let text = "CREATE TABLE <DB>.T (
 A CHAR(1) NOT NULL PRIMARY KEY,
 B INT CONSTRAINT BPOS CHECK (B > 0
   AND B < 9),
 C INT REFERENCES U ON DELETE SET NULL,
 UNIQUE (A, B),
 CONSTRAINT FKX FOREIGN KEY (B, C) REFERENCES S.V (X, Y) ON DELETE NO ACTION,
 FOREIGN KEY FKY (C) REFERENCES S.V,
 CONSTRAINT CK CHECK (A IN ('A', 'B'))
) CCSID EBCDIC IN <DB>.TS1 AUDIT NONE;";
    let found = read(text);
    let [table] = found.tables.as_slice() else { panic!("one table") };
    assert_eq!(table.name.to_string(), "<DB>.T");
    assert_eq!(table.primary_key.as_ref().unwrap().columns, ["A"]);
    assert_eq!(table.unique_keys[0].columns, ["A", "B"]);
    let key = |k: &ForeignKey| {
        let name = k.name.as_deref().unwrap_or("-");
        let delete = k.on_delete.as_deref().unwrap_or("-");
        format!(
            "{name} {} {} ({}) {delete} {}",
            k.columns.join(","),
            k.references,
            k.referenced_columns.join(","),
            k.lines
        )
    };
    let keys: Vec<String> = table.foreign_keys.iter().map(key).collect();
    assert_eq!(keys, ["- C U () SET NULL 5", "FKX B,C S.V (X,Y) NO ACTION 7", "FKY C S.V () - 8"]);
    let checks: Vec<(Option<&str>, &str)> =
        table.checks.iter().map(|check| (check.name.as_deref(), check.condition.as_str())).collect();
    assert_eq!(checks, [(Some("BPOS"), "B > 0 AND B < 9"), (Some("CK"), "A IN ('A', 'B')")]);
    assert_eq!((table.database.as_deref(), table.table_space.as_deref()), (Some("<DB>"), Some("TS1")));
    assert_eq!((table.columns[1].lines.start().get(), table.columns[1].lines.end().get()), (3, 4));
    assert_eq!(names(&found.statements[0].tables), "U S.V");
    assert_eq!(found.diagnostics, []);
    let place = |text: &str| {
        let table = read(text).tables.remove(0);
        (table.database, table.table_space)
    };
    assert_eq!(place("CREATE TABLE T (A INT) IN DATABASE DB;"), (Some("DB".to_owned()), None));
    assert_eq!(place("CREATE TABLE T (A INT) IN TS ORGANIZE BY HASH;"), (None, Some("TS".to_owned())));
    assert_eq!(place("CREATE TABLE T (A INT);"), (None, None));
}

#[test]
fn a_table_may_be_like_another_or_come_from_a_query() {
    let found =
        read("CREATE TABLE T LIKE S.U;CREATE TABLE V (LIKE W);CREATE TABLE X AS (SELECT A FROM Y) WITH NO DATA;");
    assert_eq!(found.tables[0].like.as_ref().unwrap().to_string(), "S.U");
    assert_eq!(found.tables[1].like.as_ref().unwrap().to_string(), "W");
    assert_eq!(names(&found.statements[2].tables), "Y");
    let found = read("DECLARE GLOBAL TEMPORARY TABLE SESSION.T (A INT) ON COMMIT PRESERVE ROWS;");
    assert!(found.tables[0].is_temporary);
    let found = read("EXEC SQL DECLARE S.T TABLE (A CHAR(2) NOT NULL) END-EXEC.");
    assert!(!found.tables[0].is_created);
    assert_eq!(found.tables[0].columns[0].length, Some(2));
    assert_eq!(found.diagnostics, []);
}

#[test]
fn alter_adds_to_the_table_it_names() {
    let found = read(
        "CREATE TABLE T (A INT);\nALTER TABLE T ADD B CHAR(2) NOT NULL WITH DEFAULT ADD COLUMN C INT;\nALTER TABLE T ADD CONSTRAINT K PRIMARY KEY (A) ADD FOREIGN KEY (B) REFERENCES U ON DELETE CASCADE;\nALTER TABLE T ADD RESTRICT ON DROP;\nALTER TABLE V ALTER COLUMN X SET DATA TYPE INT DROP Y;",
    );
    let columns: Vec<&str> = found.tables[0].columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["A", "B", "C"]);
    assert_eq!(found.tables[0].primary_key.as_ref().unwrap().name.as_deref(), Some("K"));
    assert_eq!(found.tables[0].foreign_keys[0].on_delete.as_deref(), Some("CASCADE"));
    assert_eq!((found.tables.len(), found.tables[1].is_created, found.tables[1].columns.len()), (2, false, 0));
}

#[test]
fn comments_and_labels_belong_to_tables_and_columns() {
    let found = read(
        "SET CURRENT SQLID = 's';\nCOMMENT ON COLUMN T.A IS 'it''s';\nCREATE TABLE T (A INT, B INT);\nCOMMENT ON TABLE S.T IS 'THE T';\nLABEL ON COLUMN S.T.B IS 'BEE';\nCOMMENT ON T (B IS 'TWO');\nLABEL ON T IS 'TEE';\nCOMMENT ON INDEX I IS 'X';",
    );
    let [table] = found.tables.as_slice() else { panic!("one table") };
    assert_eq!((table.comment.as_deref(), table.label.as_deref()), (Some("THE T"), Some("TEE")));
    assert_eq!(table.lines.start().get(), 3);
    assert_eq!((table.columns[0].comment.as_deref(), table.columns[0].data_type.as_str()), (Some("it's"), "INT"));
    let second = &table.columns[1];
    assert_eq!((second.comment.as_deref(), second.label.as_deref()), (Some("TWO"), Some("BEE")));
    assert_eq!(found.diagnostics, []);
}

#[test]
fn views_read_tables() {
    let view = |text: &str| {
        let view = read(text).views.remove(0);
        format!("{} ({}): {}", view.name, view.columns.join(" "), names(&view.tables))
    };
    assert_eq!(
        view("CREATE VIEW V (X, Y) AS SELECT A, B FROM T, S.U Z WHERE A = (SELECT 1 FROM W);"),
        "V (X Y): T S.U W"
    );
    assert_eq!(view("CREATE VIEW V AS SELECT A, T.B AS C FROM T LEFT JOIN U ON T.A = U.A, X;"), "V (A C): T U X");
    assert_eq!(view("CREATE VIEW V AS SELECT * FROM (A INNER JOIN B ON 1 = 1) WITH CHECK OPTION;"), "V (): A B");
    assert_eq!(
        view("CREATE VIEW V AS WITH C AS (SELECT A FROM T), D (E) AS (SELECT A FROM C) SELECT A FROM C, D;"),
        "V (A): T"
    );
    assert_eq!(
        view("CREATE VIEW V AS SELECT TRIM(LEADING ' ' FROM N) AS N FROM T UNION ALL SELECT M FROM U;"),
        "V (N): T U"
    );
    assert_eq!(view("CREATE VIEW V AS SELECT A FROM TABLE(FN(1)) F, (SELECT B FROM T) G, U;"), "V (A): T U");
}

#[test]
fn indexes_are_on_columns() {
    let found = read(
        "CREATE UNIQUE INDEX S.I ON S.T (A, B DESC, UPPER(C)) USING STOGROUP X CLUSTER;\nCREATE INDEX J ON T (A);",
    );
    let columns = |index: &DdlIndex| {
        let one = |c: &IndexColumn| format!("{}{}", c.name, if c.is_descending { " down" } else { "" });
        index.columns.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(columns(&found.indexes[0]), "A, B down, UPPER(C)");
    assert!(found.indexes[0].is_unique && !found.indexes[1].is_unique);
    assert_eq!(found.indexes[1].table.to_string(), "T");
    assert_eq!(codes("CREATE INDEX J;"), ["unnamed-object"]);
}

#[test]
fn every_statement_is_kept_with_its_verb() {
    statements(
        "SET CURRENT SQLID = 'own';
CREATE STOGROUP SG VOLUMES ('*') VCAT X;
CREATE DATABASE DB STOGROUP SG CCSID EBCDIC;
CREATE LOB TABLESPACE TS IN DB USING STOGROUP SG;
CREATE ALIAS A FOR B.C;
CREATE SYNONYM D FOR E.F;
GRANT SELECT, UPDATE (X) ON TABLE T, S.U TO PUBLIC;
GRANT SELECT ON T TO A WITH GRANT OPTION;
GRANT EXECUTE ON PLAN P TO Q; GRANT USE OF TABLESPACE D.TS TO PUBLIC;
REVOKE ALL ON S.T FROM X;
DROP TABLE T;
DROP TABLESPACE DB.TS;
INSERT INTO T (A) SELECT A FROM U;
UPDATE T SET A = (SELECT MAX(B) FROM U);
DELETE FROM T WHERE A IS DISTINCT FROM B;
MERGE INTO T USING U ON T.A = U.A WHEN MATCHED THEN UPDATE SET B = 1;
SELECT * FROM T FOR UPDATE OF A;
WITH C AS (SELECT 1 FROM T) SELECT * FROM C;
COMMIT;
CREATE TRIGGER TR AFTER INSERT ON T REFERENCING NEW AS N BEGIN ATOMIC SET N.A = 1; END;
CREATE SEQUENCE SEQ;
SET SCHEMA = X;
SET CURRENT PATH = Y",
        &[
            "1 SET CURRENT SQLID OWN:",
            "2 CREATE STOGROUP SG:",
            "3 CREATE DATABASE DB:",
            "4 CREATE LOB TABLESPACE DB.TS:",
            "5 CREATE ALIAS OWN.A: B.C",
            "6 CREATE SYNONYM OWN.D: E.F",
            "7 GRANT -: OWN.T S.U",
            "8 GRANT -: OWN.T",
            "9 GRANT P:",
            "9 GRANT D.TS:",
            "10 REVOKE -: S.T",
            "11 DROP TABLE OWN.T:",
            "12 DROP TABLESPACE DB.TS:",
            "13 INSERT OWN.T: OWN.U",
            "14 UPDATE OWN.T: OWN.U",
            "15 DELETE OWN.T:",
            "16 MERGE OWN.T: OWN.U",
            "17 SELECT -: OWN.T",
            "18 WITH -: OWN.T",
            "19 COMMIT -:",
            "20 CREATE TRIGGER OWN.TR: OWN.T",
            "21 CREATE SEQUENCE OWN.SEQ:",
            "22 SET SCHEMA X:",
            "23 SET CURRENT PATH -:",
        ],
    );
}

#[test]
fn what_is_wrong_is_told_and_nothing_behind_it_lost() {
    statements("(SELECT A FROM T UNION SELECT A FROM U) EXCEPT (SELECT A FROM V);", &["1 SELECT -: T U V"]);
    statements("HELLO WORLD;\nCREATE TABLE;\nDROP TABLE T;", &["1 HELLO -:", "2 CREATE TABLE -:", "3 DROP TABLE T:"]);
    assert_eq!(codes("HELLO WORLD;\nCREATE TABLE;"), ["unknown-statement", "unnamed-object"]);
    assert_eq!(codes("CREATE TABLE T (A INT;"), ["unclosed-parenthesis"]);
    assert_eq!(codes("CREATE TABLE T (A INT, 5);"), ["unknown-element"]);
    assert_eq!(codes("CREATE TABLE T (A INT);CREATE TABLE T (B INT);"), ["duplicate-table"]);
    assert_eq!(codes(""), [""; 0]);
    assert_eq!(codes(";;\n"), [""; 0]);
}

#[test]
fn some_lines_of_a_job_are_read_alone() {
    let text = "//S EXEC PGM=IKJEFT01\n//SYSIN DD *\n  CREATE TABLE T (A INT) ;\n/*\nDROP TABLE T;\n";
    let source = SourceText::read("T.jcl", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let line = |number| war_rig_text::LineNumber::new(number).unwrap();
    let found = parse_lines(&source, LineRange::new(line(3), line(3)).unwrap());
    assert_eq!(found.statements.len(), 1);
    assert_eq!(found.tables[0].lines, LineRange::single(line(3)));
}

#[test]
fn deep_parentheses_take_no_time() {
    let open = "(".repeat(100_000);
    let found = read(&format!("CREATE VIEW V AS SELECT {open}A FROM T;\nCREATE TABLE T (A CHAR({open};"));
    assert_eq!(found.statements.len(), 2);
    let nested = format!("{}A{}", "(".repeat(12), ")".repeat(12));
    assert_eq!(read(&format!("CREATE VIEW V AS SELECT {nested} AS X FROM T;")).views[0].columns, ["X"]);
}

#[test]
fn embedded_statements_have_the_columns_of_cobol() {
    let text = "\
000100     EXEC SQL DECLARE S.T TABLE                                   DCLT0001
000110     ( A                   CHAR(2) NOT NULL,                      DCLT0001
000120*      NO COLUMN           CHAR(3),
000130       B                   INTEGER
000140     ) END-EXEC.
000150 01  DCLT.
000160     10 A                  PIC X(2).
";
    let source = SourceText::read("T.cpy", text.as_bytes().to_vec(), &ReadOptions::default()).unwrap();
    let line = |number| war_rig_text::LineNumber::new(number).unwrap();
    let found = parse_lines(&source, LineRange::new(line(1), line(5)).unwrap());
    let columns: Vec<&str> = found.tables[0].columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((columns, found.diagnostics.len()), (vec!["A", "B"], 0));
}
