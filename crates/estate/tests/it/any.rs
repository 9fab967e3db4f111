//! What holds of any text: nothing panics, every line that is named is one of the file, and each range lies in that of its parent.

use crate::support::source;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use war_rig_cobol::Diagnostic;
use war_rig_estate::{bms, csd, ddl, ims};
use war_rig_text::{LineRange, SourceText};

fn config() -> ProptestConfig {
    let cases = std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Text of pieces that make sense together now and then.
fn text(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        9 => proptest::sample::select(pieces).prop_map(str::to_owned),
        1 => "\\PC{0,5}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const MACROS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    " ",
    "A        ",
    "         ",
    "               ",
    "DFHMSD ",
    "DFHMDI ",
    "DFHMDF ",
    "TYPE=FINAL",
    "MODE=INOUT",
    "SIZE=(24,80)",
    "SIZE=(1,1)",
    "POS=(1,2)",
    "POS=65535",
    "POS=(65535,65535)",
    "LENGTH=65535",
    "LENGTH=3",
    "OCCURS=65535",
    ",",
    "(",
    ")",
    "'",
    "INITIAL='A''&&B'",
    "XINIT=C1C2",
    "PICIN='9(99999999999)V9'",
    "GRPNAME=G",
    "ATTRB=(NUM,IC)",
    "                                                               X",
    "* ",
    "PCB TYPE=DB",
    "SENSEG NAME=A",
    "PSBGEN PSBNAME=P",
    "DBD NAME=D",
    "SEGM NAME=S,PARENT=((A,),B)",
    "FIELD NAME=(F,SEQ,U)",
    "LCHILD NAME=(A,B)",
    "DBDGEN",
];
const COMMANDS: &[&str] = &[
    "\n",
    "\n",
    " ",
    "DEFINE ",
    "Def ",
    "FILE(A)",
    " GROUP(G)",
    "TRANSACTION",
    "(",
    ")",
    "'",
    "')",
    "ADD ",
    "DELETE",
    "LIST ALL",
    "DESCRIPTION(",
    "* ",
    "//",
    "ADD(YES)",
    "                                                                        00000010",
];
const STATEMENTS: &[&str] = &[
    "\n",
    " ",
    ";",
    "CREATE ",
    "TABLE ",
    "A.B ",
    "(",
    ")",
    ",",
    "A ",
    "CHAR(5)",
    " NOT NULL",
    " WITH DEFAULT ",
    "'",
    "\"",
    "--",
    "/*",
    "*/",
    "--#SET TERMINATOR #\n",
    "#",
    "PRIMARY KEY",
    "FOREIGN KEY",
    " REFERENCES ",
    "CHECK",
    "CONSTRAINT ",
    "VIEW ",
    " AS ",
    "SELECT ",
    "FROM ",
    "WITH ",
    "UNIQUE ",
    "INDEX ",
    " ON ",
    "ALTER TABLE ",
    " ADD ",
    "COMMENT ON COLUMN ",
    " IS 'X'",
    "TRIGGER ",
    "BEGIN ",
    "END ",
    "CASE ",
    "GRANT ",
    "SET CURRENT SQLID = ",
    "<X>",
    "&X..",
    "9K",
    "IN ",
    "JOIN ",
    "GENERATED ",
    "DECLARE ",
];

fn diagnostics(source: &SourceText, diagnostics: &[Diagnostic]) -> TestCaseResult {
    let lines = source.line_count();
    prop_assert!(diagnostics.iter().all(|d| d.line.is_some_and(|line| line.index() < lines)));
    prop_assert!(diagnostics.is_sorted_by_key(|d| d.line));
    Ok(())
}

/// The ranges lie in the file, and in the order in which they begin.
fn ordered(source: &SourceText, ranges: impl Iterator<Item = LineRange>) -> TestCaseResult {
    let ranges: Vec<LineRange> = ranges.collect();
    prop_assert!(ranges.is_sorted_by_key(|range| range.start()));
    prop_assert!(ranges.iter().all(|range| range.end().index() < source.line_count()));
    Ok(())
}

fn check_macros(text: &str) -> TestCaseResult {
    let source = source("ANY.bms", text);
    let found = bms::parse(&source);
    diagnostics(&source, &found.diagnostics)?;
    ordered(&source, found.map_sets.iter().map(|set| set.lines))?;
    for set in &found.map_sets {
        ordered(&source, set.maps.iter().map(|map| map.lines))?;
        for map in &set.maps {
            prop_assert!(set.lines.covers(map.lines));
            ordered(&source, map.fields.iter().map(|field| field.lines))?;
            prop_assert!(map.fields.iter().all(|field| map.lines.covers(field.lines)));
            let rows = bms::render_screen(map);
            prop_assert_eq!(rows.len(), usize::from(map.height));
            prop_assert!(rows.iter().all(|row| row.chars().count() <= usize::from(map.width)));
            let named = map.fields.iter().filter(|field| field.name.is_some()).count();
            prop_assert!(bms::symbolic_map(map, set.mode).fields.len() >= named);
        }
    }
    let found = ims::parse(&source);
    diagnostics(&source, &found.diagnostics)?;
    ordered(&source, found.program_specifications.iter().map(|psb| psb.lines))?;
    ordered(&source, found.databases.iter().map(|database| database.lines))?;
    Ok(())
}

fn check_commands(text: &str) -> TestCaseResult {
    let source = source("ANY.csd", text);
    let found = csd::parse(&source);
    diagnostics(&source, &found.diagnostics)?;
    ordered(&source, found.definitions.iter().map(|definition| definition.lines))?;
    ordered(&source, found.commands.iter().map(|command| command.lines))?;
    Ok(())
}

fn check_statements(text: &str) -> TestCaseResult {
    let source = source("ANY.sql", text);
    let found = ddl::parse(&source);
    diagnostics(&source, &found.diagnostics)?;
    ordered(&source, found.statements.iter().map(|statement| statement.lines))?;
    for table in &found.tables {
        ordered(&source, std::iter::once(table.lines))?;
        prop_assert!(table.columns.iter().all(|column| column.lines.end().index() < source.line_count()));
    }
    let told = |name: &ddl::SqlName| found.statements.iter().any(|statement| statement.name.as_ref() == Some(name));
    prop_assert!(found.tables.iter().all(|table| told(&table.name)));
    prop_assert!(found.views.iter().all(|view| told(&view.name)));
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_text_is_read_as_macros(text in text(MACROS)) {
        check_macros(&text)?;
    }

    #[test]
    fn any_text_is_read_as_commands(text in text(COMMANDS)) {
        check_commands(&text)?;
    }

    #[test]
    fn any_text_is_read_as_statements(text in text(STATEMENTS)) {
        check_statements(&text)?;
    }

    #[test]
    fn any_characters_are_read(text in "(\\PC|\n){0,200}") {
        check_macros(&text)?;
        check_commands(&text)?;
        check_statements(&text)?;
    }
}
