//! The tables of the fixtures.

use crate::support::{fixture, fixtures, source};
use std::fmt::Write;
use war_rig_estate::ddl::{self, DdlColumn, DdlTable};
use war_rig_text::{LineNumber, LineRange};

fn column(column: &DdlColumn) -> String {
    let mut shown = format!("{} {}", column.name, column.data_type);
    if let Some(length) = column.length {
        let scale = column.scale.map(|scale| format!(", {scale}")).unwrap_or_default();
        write!(shown, "({length}{scale})").unwrap();
    }
    shown + if column.nullable { "" } else { " NOT NULL" }
}

fn table(table: &DdlTable, shown: &mut String) {
    let place = [&table.database, &table.table_space].map(|name| name.as_deref().unwrap_or("-")).join(".");
    writeln!(shown, "\n{} lines {}, created {}, in {place}", table.name, table.lines, table.is_created).unwrap();
    for found in &table.columns {
        write!(shown, "  {:<6}{}", found.lines.to_string(), column(found)).unwrap();
        for (word, more) in [
            ("default", &found.default),
            ("generated", &found.generated),
            ("for", &found.for_data),
            ("comment", &found.comment),
            ("label", &found.label),
        ] {
            if let Some(more) = more {
                write!(shown, ", {word} {more}").unwrap();
            }
        }
        shown.push('\n');
    }
    for key in table.primary_key.iter().chain(&table.unique_keys) {
        writeln!(shown, "  key {} {}", key.name.as_deref().unwrap_or("-"), key.columns.join(" ")).unwrap();
    }
    for key in &table.foreign_keys {
        let action = key.on_delete.as_deref().unwrap_or("-");
        writeln!(shown, "  foreign key {} to {} {action}", key.columns.join(" "), key.references).unwrap();
    }
    for check in &table.checks {
        writeln!(shown, "  check {} {}", check.name.as_deref().unwrap_or("-"), check.condition).unwrap();
    }
    if let Some(comment) = &table.comment {
        writeln!(shown, "  comment {comment}").unwrap();
    }
}

#[test]
fn the_tables_of_the_fixtures() {
    let mut shown = String::new();
    for source in fixtures("ddl") {
        let found = ddl::parse(&source);
        assert_eq!(found.diagnostics, []);
        writeln!(shown, "== {}", found.file).unwrap();
        let names = |names: &[ddl::SqlName]| names.iter().map(|name| format!(" {name}")).collect::<String>();
        for statement in &found.statements {
            let name = statement.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            let lines = statement.lines.to_string();
            writeln!(shown, "{lines:<6}{}{name}:{}", statement.verb, names(&statement.tables)).unwrap();
        }
        for found in &found.tables {
            table(found, &mut shown);
        }
        for view in &found.views {
            writeln!(shown, "\nview {} ({}):{}", view.name, view.columns.join(" "), names(&view.tables)).unwrap();
        }
        for index in &found.indexes {
            let columns: Vec<&str> = index.columns.iter().map(|column| column.name.as_str()).collect();
            let unique = if index.is_unique { "unique " } else { "" };
            writeln!(shown, "\n{unique}index {} on {} ({})", index.name, index.table, columns.join(" ")).unwrap();
        }
        shown.push('\n');
    }
    insta::assert_snapshot!(shown);
}

/// What DCLGEN wrote into a copybook: the lines of its DECLARE TABLE.
fn declared(member: &str) -> DdlTable {
    let book = fixture(&format!("cpy/{member}.cpy"));
    let at = |word: &str| book.lines().find(|line| line.text().contains(word)).unwrap().number();
    let lines = LineRange::new(at("EXEC SQL DECLARE"), at("END-EXEC")).unwrap();
    ddl::parse_lines(&book, lines).tables.remove(0)
}

#[test]
fn declared_tables_are_those_that_are_created() {
    let created = ddl::parse(&fixture("ddl/AGENT.sql")).tables;
    for member in ["DCLAGNT", "DCLAGCM"] {
        let declared = declared(member);
        assert!(!declared.is_created);
        let same = created.iter().find(|table| table.name == declared.name).unwrap();
        let columns = |table: &DdlTable| table.columns.iter().map(column).collect::<Vec<_>>();
        assert_eq!(columns(&declared), columns(same));
    }
}

#[test]
fn statements_in_a_job_have_the_lines_of_the_job() {
    let text = "//SYSIN    DD *\n  SET CURRENT SQLID='<SQLID>' ;\nCREATE TABLE T\n ( A INT );\n/*\n//\n";
    let job = source("J.jcl", text);
    let line = |number| LineNumber::new(number).unwrap();
    let found = ddl::parse_lines(&job, LineRange::new(line(2), line(4)).unwrap());
    assert_eq!(
        (found.tables[0].name.to_string(), found.tables[0].lines.to_string()),
        ("<SQLID>.T".into(), "3-4".into())
    );
}

#[test]
fn facts_have_names_of_json() {
    let text = "CREATE TABLE S.T (A DECIMAL(5, 2) NOT NULL, PRIMARY KEY (A));\nCREATE INDEX I ON S.T (A DESC);\nCREATE VIEW V AS SELECT A FROM S.T;\n";
    let facts = ddl::parse(&source("T.sql", text));
    insta::assert_snapshot!(serde_json::to_string_pretty(&facts).unwrap());
}
