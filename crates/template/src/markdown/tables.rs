//! Database tables on a page.

use super::jobs::{joined, mention, quote};
use super::links::PageLinks;
use super::table::MarkdownTable;
use super::{code, names, optional, prose};
use crate::{Document, TableUnit};

/// Returns the tables and views of a page.
pub(super) fn tables(document: &Document, links: &PageLinks) -> String {
    document.tables.iter().map(|table| self::table(table, links)).collect::<Vec<_>>().join("\n\n")
}

fn table(table: &TableUnit, links: &PageLinks) -> String {
    let kind = match table.kind.as_str() {
        "view" => "View",
        "temporary table" => "Temporary table",
        _ => "Table",
    };
    let mentions =
        |all: &[crate::Mention]| all.iter().map(|found| mention(found, links)).collect::<Vec<_>>().join(", ");
    let mut sentences = Vec::new();
    if let Some(document) = &table.document {
        sentences.push(format!("It is created in {}.", links.name(document, Some(document))));
    } else if table.kind == "table of another source" {
        sentences.push("It is not created here.".to_owned());
    }
    if let Some(storage) = &table.storage {
        sentences.push(format!("It lies in {}.", prose(storage)));
    }
    for (words, all) in [("It rests on", &table.rests_on), ("Referred to by", &table.referred_to_by)] {
        if !all.is_empty() {
            sentences.push(format!("{words} {}.", mentions(all)));
        }
    }
    sentences.push(match (table.used_by.is_empty(), table.kind.as_str()) {
        (false, _) => format!("Used by {}.", links.users(&table.used_by)),
        (true, "temporary table") => String::new(),
        (true, _) => "No program of these sources is seen to use it.".to_owned(),
    });
    sentences.retain(|sentence| !sentence.is_empty());
    joined([
        format!("## {kind} {} {}", prose(&table.table_name), links.citations(&table.citations)),
        quote(table.description.as_deref()),
        sentences.join(" "),
        columns(table, links),
        keys(table, links),
    ])
}

fn columns(table: &TableUnit, links: &PageLinks) -> String {
    let mut rows = MarkdownTable::new(["column", "type", "null", "default", "meaning", "where"]);
    let is_view = table.kind == "view";
    for column in &table.columns {
        // For a column that has only a comment, the other cells are empty.
        let nullable = match (column.column_type.is_empty(), column.nullable) {
            (true, _) => "",
            (false, true) => "may be null",
            (false, false) => "not null",
        };
        rows.row([
            code(&column.column_name),
            prose(&column.column_type),
            nullable.to_owned(),
            optional(&column.default),
            optional(&column.description),
            if is_view { String::new() } else { links.lines_of_item(None, column.lines) },
        ]);
    }
    rows.render()
}

fn keys(table: &TableUnit, links: &PageLinks) -> String {
    let mut lines: Vec<String> =
        table.keys.iter().map(|key| format!("- {} key: {}", capital(&key.kind), names(&key.columns))).collect();
    lines.extend(table.foreign_keys.iter().map(|key| {
        let to = mention(&key.references, links);
        let deleted = key.on_delete.as_deref().map(|words| format!("; {}", prose(words)));
        format!("- Foreign key: {} refers to {to}{}", names(&key.columns), deleted.unwrap_or_default())
    }));
    lines.extend(table.checks.iter().map(|check| format!("- Must hold: {}", code(check))));
    lines.extend(table.indexes.iter().map(|index| {
        let unique = if index.is_unique { "Unique index" } else { "Index" };
        format!(
            "- {unique} {} on {} {}",
            code(&index.index_name),
            names(&index.columns),
            links.citations(&index.citations)
        )
    }));
    lines.join("\n")
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    prose(&(first + letters.as_str()))
}
