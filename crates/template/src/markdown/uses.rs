//! What a program uses: files, screens, tables, queues.

use super::links::Links;
use super::table::Table;
use super::{code, optional, prose};
use crate::{Citation, Document, Interface, Origin};
use std::collections::{HashMap, HashSet};
use war_rig_text::LineRange;

/// One row: a thing, and one way of using it.
struct Use<'a> {
    name: &'a str,
    kind: &'a str,
    copybook: Option<&'a str>,
    /// The first operation; empty for a thing that is listed as input or output.
    verb: &'a str,
    /// All operations of the row.
    verbs: Vec<&'a str>,
    words: &'a str,
    /// Whether the words are more than the parser's.
    is_worded: bool,
    program: &'a Option<String>,
    directions: Vec<&'static str>,
    citations: Vec<&'a Citation>,
}

/// The table of all of it. What is used alike, or is read and written in the same words, shares a row, at the place of the
/// first.
pub(super) fn uses(document: &Document, links: &Links) -> String {
    let mut rows: Vec<Use<'_>> = Vec::new();
    let mut known = HashMap::new();
    for row in all(document) {
        // Operations on one thing share a row; where a Scribe has words for them, those with the same words do.
        let words = if row.verb.is_empty() || row.is_worded { row.words } else { "" };
        let alike = (row.name, row.kind, row.copybook, words, row.program);
        let at = *known.entry(alike).or_insert(rows.len());
        match rows.get_mut(at) {
            Some(first) => {
                first.citations.extend(row.citations);
                first.directions.extend(row.directions);
                first.directions.dedup();
                for verb in row.verbs {
                    if !first.verbs.contains(&verb) {
                        first.verbs.push(verb);
                    }
                }
            }
            None => rows.push(row),
        }
    }
    let mut table = Table::new(["it uses", "as", "how", "where", "program"]);
    for row in rows {
        let citations = links.citations(row.citations.iter().copied());
        table.row([thing(&row), row.directions.join(", "), manner(&row), citations, optional(row.program)]);
    }
    table.render()
}

fn all(document: &Document) -> impl Iterator<Item = Use<'_>> {
    let inputs = document.inputs.iter().map(|item| interface(item, "input"));
    let outputs = document.outputs.iter().map(|item| interface(item, "output"));
    // An operation on something that is listed above, at a place that is cited there, would say the same again.
    let mut said: HashSet<LineRange> = HashSet::new();
    said.extend(
        document.inputs.iter().chain(&document.outputs).flat_map(|item| &item.citations).map(Citation::lines),
    );
    said.extend(document.called_programs.iter().flat_map(|item| &item.citations).map(Citation::lines));
    let is_new = move |citations: &[Citation]| {
        citations.is_empty() || citations.iter().any(|citation| !said.contains(&citation.lines()))
    };
    let news = is_new.clone();
    let sql = document.sql_operations.iter().filter(move |item| news(&item.citations)).map(|item| Use {
        name: item.table.as_deref().unwrap_or_default(),
        kind: "SQL",
        copybook: None,
        verb: &item.operation,
        verbs: vec![&item.operation],
        words: &item.purpose,
        is_worded: item.origin != Origin::Parser,
        program: &item.program,
        directions: Vec::new(),
        citations: item.citations.iter().collect(),
    });
    let cics = document.cics_operations.iter().filter(move |item| is_new(&item.citations)).map(|item| Use {
        name: item.resource.as_deref().unwrap_or_default(),
        kind: "CICS",
        copybook: None,
        verb: &item.command,
        verbs: vec![&item.command],
        words: &item.purpose,
        is_worded: item.origin != Origin::Parser,
        program: &item.program,
        directions: Vec::new(),
        citations: item.citations.iter().collect(),
    });
    inputs.chain(outputs).chain(sql).chain(cics)
}

fn interface<'a>(item: &'a Interface, direction: &'static str) -> Use<'a> {
    Use {
        name: &item.name,
        kind: &item.io_type,
        copybook: item.copybook.as_deref(),
        verb: "",
        verbs: Vec::new(),
        words: &item.description,
        is_worded: true,
        program: &item.program,
        directions: vec![direction],
        citations: item.citations.iter().collect(),
    }
}

/// The thing with its kind and the copybook of its record: `` `ACCT-MASTER` (indexed file, record ACCTREC) ``.
fn thing(row: &Use<'_>) -> String {
    if row.name.trim().is_empty() {
        return prose(row.kind);
    }
    let record = row.copybook.map(|copybook| format!("record {}", prose(copybook)));
    let about = [Some(prose(row.kind)), record].into_iter().flatten().filter(|text| !text.is_empty());
    let about = about.collect::<Vec<_>>().join(", ");
    let name = code(row.name);
    if about.is_empty() { name } else { format!("{name} ({about})") }
}

fn manner(row: &Use<'_>) -> String {
    let verbs = row.verbs.iter().map(|verb| code(verb)).collect::<Vec<_>>().join(", ");
    let parts = [verbs, if row.is_worded { prose(row.words) } else { String::new() }];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}
