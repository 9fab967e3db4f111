//! EXEC SQL: the operation, its tables and columns, its host variables and its cursor.
//!
//! Three readers. [`statement`] knows the statements of embedded SQL by their first words, and hands those with tables to an SQL
//! parser. [`words`] reads any text by its words alone; what it says of tables stands where nothing else read the statement.

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
pub(in crate::parse) use statement::DeclaredColumn;
use std::collections::HashMap;

/// The bytes of the longest statement that is read by more than its words. Db2 itself takes up to two megabytes; what people write
/// is seldom longer than a page.
const LONGEST: usize = 64 * 1024;

/// Reads the text between EXEC SQL and END-EXEC.
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
            sql.tables =
                block.tables.iter().enumerate().map(|(at, name)| by_words(&block, at, name)).collect();
        }
        SqlParseMethod::Parser => {
            // The order is that of the text, in which the words have them.
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

/// What a statement does with a table that only its words name: the first one is what it works on, from others it takes.
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
