//! Links between SQL statements: the declaration of a cursor, the text of a prepared statement.

use super::Parser;
use super::exec::ParsedExec;
use crate::access::CrudAccess;
use crate::diagnostic::Severity;
use crate::embedded_sql::{SourceSpan, SqlColumn, SqlParseMethod, SqlTable};
use crate::model::ParsedCobol;
use crate::stream::Token;
use foldhash::{HashMap, HashMapExt};

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
