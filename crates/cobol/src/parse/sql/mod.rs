//! EXEC SQL: the operation, its tables and columns, its host variables and its cursor.
//!
//! Three readers: [`statement`] recognizes embedded SQL statements by their first words, and passes those with tables to an SQL
//! parser. [`words`] scans any text for keywords; its tables are used only if no other reader succeeds.

mod clauses;
mod dialect;
mod rewrite;
mod statement;
mod table_collector;
mod token;
mod words;

use super::exec::ParsedExec;
use crate::access::CrudAccess;
use crate::embedded_sql::{SqlParseMethod, SqlTable};
use crate::tokens::TokenSlice;
use foldhash::HashMap;

pub(in crate::parse) use statement::DeclaredColumn;

/// The longest statement, in bytes, that is read with more than keyword scanning. Db2 itself accepts up to two megabytes; statements
/// that people write are seldom longer than a page.
const LONGEST: usize = 64 * 1024;

/// Parses the text between EXEC SQL and END-EXEC.
pub(super) fn parse_sql(body: &str) -> ParsedExec {
    let mut block = words::parse_by_words(body);
    let mut read = match body.len() <= LONGEST {
        true => statement::parse_statement(TokenSlice::of(&token::tokens(body))),
        false => statement::StatementParser::default(),
    };
    if body.len() > LONGEST {
        read.statement.refused = Some(format!("it is longer than {LONGEST} bytes"));
    }
    let sql = &mut read.statement;
    match sql.parsed_by {
        SqlParseMethod::Words => {
            sql.tables = block.tables.iter().enumerate().map(|(at, name)| by_words(&block, at, name)).collect();
        }
        SqlParseMethod::Parser => {
            // The order is that of the text, which the keyword scan preserves.
            let order: HashMap<&str, usize> =
                block.tables.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
            sql.tables.sort_by_key(|table| order.get(table.name.as_str()).copied().unwrap_or(usize::MAX));
            block.tables = sql.tables.iter().map(|table| table.name.clone()).collect();
            block.resource = block.tables.first().cloned();
        }
        SqlParseMethod::Grammar => {}
    }
    block.columns = read.columns;
    block.sql = Some(Box::new(read.statement));
    block
}

/// Returns the accesses to a table found by keyword scanning: the statement works on the first table and reads the others.
fn by_words(block: &ParsedExec, at: usize, name: &str) -> SqlTable {
    let first = match block.command.as_str() {
        "SELECT" | "WITH" | "DECLARE CURSOR" | "VALUES" | "SET" => CrudAccess::READ,
        "INSERT" => CrudAccess::CREATE,
        "UPDATE" => CrudAccess::UPDATE,
        "DELETE" | "TRUNCATE" => CrudAccess::DELETE,
        "MERGE" => CrudAccess::CREATE.union(CrudAccess::UPDATE),
        _ => CrudAccess::NONE,
    };
    let accesses = match at {
        0 => first,
        _ if first.is_empty() => first,
        _ => CrudAccess::READ,
    };
    SqlTable { name: name.to_owned(), accesses, ..SqlTable::default() }
}

#[cfg(test)]
mod tests;
