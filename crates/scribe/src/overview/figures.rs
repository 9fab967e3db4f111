//! The key figures of an estate.

use super::Overview;
use std::collections::BTreeMap;
use war_rig_estate::{Node, NodeKind};
use war_rig_template::{MarkdownTable, escape_prose, group_digits};

/// Renders a sentence and a table.
pub(super) fn figures(overview: &Overview<'_>) -> String {
    let graph = overview.graph;
    let is_own = |node: &&Node| node.place().is_some() && node.version_of.is_none();
    let count = |kind: NodeKind| graph.nodes_of_kind(kind).filter(is_own).count();
    let kinds = [
        NodeKind::Program,
        NodeKind::Copybook,
        NodeKind::Job,
        NodeKind::Procedure,
        NodeKind::Transaction,
        NodeKind::Map,
        NodeKind::Table,
        NodeKind::Segment,
    ];
    let counts: Vec<String> = kinds
        .into_iter()
        .filter_map(|kind| {
            let (one, many) = kind.in_words();
            match count(kind) {
                0 => None,
                1 => Some(format!("1 {one}")),
                count => Some(format!("{} {many}", group_digits(count as u64))),
            }
        })
        .collect();
    let mut types: BTreeMap<String, u64> = BTreeMap::new();
    for (_, document) in overview.documented(|kind| kind == "program") {
        *types.entry(document.program_type.clone()).or_default() += 1;
    }
    let types: Vec<String> = types
        .into_iter()
        .filter(|(kind, _)| !kind.is_empty())
        .map(|(kind, count)| format!("{} {}", group_digits(count), escape_prose(&kind)))
        .collect();
    let mut opening = format!("{}.", joined(&counts));
    if !types.is_empty() {
        opening.push_str(&format!(" Sources of programs by type: {}.", joined(&types)));
    }
    let mut table = MarkdownTable::new([
        "sources", "files", "lines", "paragraphs", "statements", "data items", "SQL statements", "CICS commands",
        "DL/I commands",
    ]);
    let number = |count: u64| if count == 0 { String::new() } else { group_digits(count) };
    for (kind, all) in &graph.figures {
        let figures = all.figures;
        table.row([
            (*kind).to_owned(),
            group_digits(all.files),
            group_digits(figures.lines),
            number(figures.paragraphs),
            number(figures.statements),
            number(figures.data_items),
            number(figures.sql),
            number(figures.cics),
            number(figures.dli),
        ]);
    }
    [opening, table.render()].join("\n\n")
}

/// Joins parts: `a, b and c`.
fn joined(parts: &[String]) -> String {
    match parts {
        [] => "Nothing was found".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
