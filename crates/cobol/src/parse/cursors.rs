//! Links between SQL statements: the declaration of a cursor, the text of a prepared statement.

use super::Parser;
use super::exec::ParsedExec;
use crate::access::CrudAccess;
use crate::diagnostic::Severity;
use crate::embedded_sql::{
    SourceSpan, SqlClause, SqlColumn, SqlCondition, SqlHandler, SqlParseMethod, SqlTable, whenever_target,
};
use crate::model::ExecKind;
use crate::model::ParsedCobol;
use crate::stream::Token;
use foldhash::{HashMap, HashMapExt};
use std::sync::Arc;

impl<'s> Parser<'_, 's> {
    /// Completes an SQL statement with facts that depend on its position, and adds a diagnostic if only keyword scanning could read it.
    pub(super) fn finish_sql(&mut self, token: Token<'s>, block: &mut ParsedExec) {
        let Some(sql) = &mut block.sql else { return };
        sql.defines = std::mem::take(&mut block.columns)
            .into_iter()
            .map(|column| SqlColumn {
                name: column.name,
                data_type: column.data_type,
                not_null: column.not_null,
                line: self.stream.line_within(&token, column.at),
            })
            .collect();
        if sql.parsed_by == SqlParseMethod::Words && !block.command.is_empty() {
            let reason = sql.refused.as_deref().unwrap_or("nothing here knows it");
            let message = format!("the SQL statement `{}` is read by its words alone: {reason}", block.command);
            self.diagnose(token, Severity::Note, "sql-by-words", &message);
        }
    }
}

/// The declaration of a cursor.
struct CursorDeclaration {
    place: SourceSpan,
    names: Vec<String>,
    tables: Vec<SqlTable>,
    query: Arc<[SqlClause]>,
    prepared: Option<String>,
    is_dynamic: bool,
}

/// Copies the tables of a cursor's DECLARE, which may follow later, to the statements on the cursor, and the item that contains the
/// text of a prepared statement to the statements that run it.
pub(super) fn resolve_cursors(out: &mut ParsedCobol) {
    let mut declared: HashMap<(Option<usize>, String), CursorDeclaration> = HashMap::new();
    let mut texts: HashMap<(Option<usize>, String), Vec<String>> = HashMap::new();
    for exec in &out.execs {
        let Some(sql) = &exec.sql else { continue };
        if let (Some(cursor), "DECLARE CURSOR") = (&exec.cursor, exec.command.as_str()) {
            declared.entry((exec.program, cursor.clone())).or_insert_with(|| CursorDeclaration {
                place: SourceSpan { lines: exec.lines, file: exec.file.clone() },
                names: exec.tables.clone(),
                tables: sql.tables.clone(),
                query: sql.clauses.clone().into(),
                prepared: sql.prepared.clone(),
                is_dynamic: sql.is_dynamic,
            });
        }
        if let (Some(prepared), Some(text), "PREPARE") = (&sql.prepared, &sql.text_source, exec.command.as_str()) {
            let texts = texts.entry((exec.program, prepared.clone())).or_default();
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
    }
    for exec in &mut out.execs {
        let Some(sql) = &mut exec.sql else { continue };
        let declared = exec.cursor.as_ref().and_then(|cursor| declared.get(&(exec.program, cursor.clone())));
        if let Some(declared) = declared.filter(|_| exec.command != "DECLARE CURSOR") {
            sql.cursor_declared = Some(declared.place.clone());
            sql.is_dynamic |= declared.is_dynamic;
            if matches!(exec.command.as_str(), "OPEN" | "FETCH" | "CLOSE") {
                exec.tables.clone_from(&declared.names);
                sql.prepared.clone_from(&declared.prepared);
                if exec.command != "CLOSE" {
                    sql.cursor_query = declared.query.clone();
                }
                sql.tables = declared.tables.iter().map(|table| of_cursor(table, &exec.command)).collect();
            }
        }
        if sql.text_source.is_none()
            && let Some(prepared) = &sql.prepared
            && let Some([only]) = texts.get(&(exec.program, prepared.clone())).map(Vec::as_slice)
        {
            sql.text_source = Some(only.clone());
        }
    }
}

/// Returns a cursor's table as a statement on the cursor uses it: FETCH reads its rows, OPEN and CLOSE only name it. The columns stay
/// with the declaration, so that a wide table costs nothing at each use.
fn of_cursor(table: &SqlTable, command: &str) -> SqlTable {
    let accesses = if command == "FETCH" { table.accesses } else { CrudAccess::NONE };
    SqlTable { name: table.name.clone(), accesses, ..SqlTable::default() }
}

/// Adds to each statement the handlers of the WHENEVER statements above it. They are directives to the precompiler, so that their order in
/// the source counts and not the order in which they run.
pub(super) fn add_handlers(out: &mut ParsedCobol) {
    let mut in_force: HashMap<Option<usize>, Vec<SqlHandler>> = HashMap::new();
    for (index, exec) in out.execs.iter_mut().enumerate().filter(|(_, exec)| exec.kind == ExecKind::Sql) {
        if exec.command == "WHENEVER" {
            let Some((name, action)) = exec.options.first() else { continue };
            let Some(condition) = handled_condition(name) else { continue };
            let handlers = in_force.entry(exec.program).or_default();
            handlers.retain(|handler| handler.condition != condition);
            let Some(action) = action.as_deref().filter(|action| *action != "CONTINUE") else { continue };
            let target = whenever_target(action);
            handlers.push(SqlHandler {
                condition,
                label: target.map(|(label, _)| label.to_owned()),
                is_performed: target.is_some_and(|(_, returns)| returns),
                whenever: index,
            });
        } else if let (Some(handlers), Some(sql)) = (in_force.get(&exec.program), &mut exec.sql)
            && !exec.command.starts_with("DECLARE")
        {
            let finds_rows = FINDS_ROWS.contains(&exec.command.as_str());
            let applies = |handler: &&SqlHandler| finds_rows || handler.condition != SqlCondition::NotFound;
            sql.handlers = handlers.iter().filter(applies).cloned().collect();
        }
    }
}

/// The statements that end with SQLCODE 100 where they find no row.
const FINDS_ROWS: &[&str] =
    &["SELECT", "WITH", "(", "FETCH", "UPDATE", "DELETE", "INSERT", "MERGE", "VALUES", "SET", "EXECUTE", "CALL"];

fn handled_condition(name: &str) -> Option<SqlCondition> {
    Some(match name {
        "SQLERROR" => SqlCondition::SqlError,
        "SQLWARNING" => SqlCondition::SqlWarning,
        "NOT FOUND" => SqlCondition::NotFound,
        _ => return None,
    })
}
