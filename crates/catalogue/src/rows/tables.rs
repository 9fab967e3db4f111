//! Tables: where they are defined, where a program declares them, and each statement that uses them.

use super::interfaces::unseen;
use super::{RowBuilder, defined, once, some, users};
use crate::row::CatalogueRow;
use crate::row_kind::RowKind;
use war_rig_template::{DocumentItem, Interface, SqlOperation, TableAccess, TableUnit};

pub(super) fn tables(apart: &RowBuilder<'_>) -> Vec<CatalogueRow> {
    let document = apart.document;
    let mut rows: Vec<CatalogueRow> = document.tables.iter().map(|unit| definition(apart, unit)).collect();
    for operation in &document.sql_operations {
        rows.extend(tables_of(operation).map(|table| of_operation(apart, operation, &table)));
    }
    let is_known = |item: &DocumentItem<Interface>| {
        let operations = document.sql_operations.iter().filter(|operation| operation.program == item.program);
        operations.flat_map(tables_of).any(|table| table.name.eq_ignore_ascii_case(&item.name))
    };
    rows.extend(unseen(apart, RowKind::Tables, "table", is_known, |name| apart.defined_in("table", name)));
    rows
}

fn definition(apart: &RowBuilder<'_>, unit: &TableUnit) -> CatalogueRow {
    defined(apart, RowKind::Tables, &unit.citations, unit.lines)
        .with("name", some(&unit.table_name))
        .with("role", "definition")
        .with("type", some(&unit.kind))
        .with("description", unit.description.as_deref())
        .with("columns", once(unit.columns.iter().map(|column| column.column_name.as_str())))
        .with("used_by", users(&unit.used_by))
        .with("defined_in", unit.document.as_deref())
}

/// Returns the tables that a statement uses. If it was not fully parsed, there is only a name, which for a cursor statement is the cursor's.
fn tables_of(operation: &DocumentItem<SqlOperation>) -> impl Iterator<Item = TableAccess> {
    let is_cursor =
        |name: &String| operation.cursor.as_ref().is_some_and(|cursor| cursor.name.eq_ignore_ascii_case(name));
    let alone = operation.table.as_ref().filter(|name| operation.tables.is_empty() && !is_cursor(name));
    let alone = alone.map(|name| TableAccess { name: name.clone(), access: String::new() });
    operation.tables.iter().cloned().chain(alone)
}

fn of_operation(apart: &RowBuilder<'_>, operation: &DocumentItem<SqlOperation>, table: &TableAccess) -> CatalogueRow {
    let is_declaration = operation.operation.eq_ignore_ascii_case("DECLARE TABLE");
    let defines = operation.defines.iter().map(|column| column.name.as_str());
    let works_on = operation.columns_read.iter().chain(&operation.columns_written).map(String::as_str);
    let host_variables = operation.host_variables.iter().map(|variable| variable.name.as_str());
    apart
        .item(RowKind::Tables, operation)
        .with("name", some(&table.name))
        .with("role", if is_declaration { "declaration" } else { "use" })
        .with("operation", some(&operation.operation))
        .with("access", in_words(&table.access))
        .with("cursor", operation.cursor.as_ref().map(|cursor| cursor.name.as_str()))
        .with("description", some(&operation.purpose))
        .with("columns", once(defines.chain(works_on)))
        .with("host_variables", once(host_variables))
        .with("defined_in", apart.defined_in("table", &table.name))
}

/// Returns the meaning of an access's letters.
fn in_words(access: &str) -> Vec<String> {
    let words = access.chars().filter_map(|letter| match letter {
        'C' => Some("create"),
        'R' => Some("read"),
        'U' => Some("update"),
        'D' => Some("delete"),
        _ => None,
    });
    words.map(str::to_owned).collect()
}
