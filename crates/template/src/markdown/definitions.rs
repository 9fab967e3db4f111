//! CICS definitions, one table for each type.

use super::jobs::{joined, mention};
use super::links::PageLinks;
use super::steps::more;
use super::table::MarkdownTable;
use super::{bold, listed, optional, prose};
use crate::{DefinitionUnit, Document, NamedValue};
use foldhash::HashSet;
use std::collections::BTreeMap;

/// The maximum number of printed definitions of one type.
const DEFINITIONS_PRINTED: usize = 500;

/// The maximum number of printed attributes of a definition.
const ATTRIBUTES_PRINTED: usize = 12;

/// The types in page order, with their headings, targets and users; other types follow by their own names.
const TYPES: [(&str, &str, &str, &str, &str); 10] = [
    ("TRANSACTION", "Transactions", "transaction", "program", "started by"),
    ("PROGRAM", "Programs", "program", "source", "reached from"),
    ("MAPSET", "Map sets", "map set", "source", "used by"),
    ("FILE", "Files", "file", "data set", "used by"),
    ("TDQUEUE", "Transient data queues", "queue", "leads to", "used by"),
    ("TSMODEL", "Temporary storage models", "model", "leads to", "used by"),
    ("DB2CONN", "DB2 connections", "connection", "leads to", "used by"),
    ("DB2ENTRY", "DB2 entries", "entry", "leads to", "used by"),
    ("DB2TRAN", "DB2 transactions", "name", "transaction", "used by"),
    ("LIBRARY", "Libraries", "library", "leads to", "used by"),
];

/// Returns the definitions of a page.
pub(super) fn definitions(document: &Document, links: &PageLinks) -> String {
    let mut types: BTreeMap<&str, Vec<&DefinitionUnit>> = BTreeMap::new();
    for unit in &document.definitions {
        types.entry(&unit.resource_type).or_default().push(unit);
    }
    let mut parts = Vec::new();
    for (resource_type, heading, name, leads_to, used_by) in TYPES {
        let units = types.remove(resource_type).unwrap_or_default();
        parts.push(section(heading, [name, leads_to, used_by], &units, links));
    }
    for (other, units) in types {
        parts.push(section(other, ["name", "leads to", "used by"], &units, links));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn section(heading: &str, columns: [&'static str; 3], units: &[&DefinitionUnit], links: &PageLinks) -> String {
    let [name, leads_to, used_by] = columns;
    let alike = alike(units);
    let groups: HashSet<_> = units.iter().map(|unit| &unit.group).collect();
    let mut table =
        MarkdownTable::new([name, leads_to, "description", "about", used_by, "group", "other attributes", "where"]);
    for unit in units.iter().take(DEFINITIONS_PRINTED) {
        table.row([
            bold(&unit.resource_name),
            destination(unit, links),
            optional(&unit.description),
            optional(&unit.about),
            links.users(&unit.used_by),
            // The opening mentions a group that all of them share.
            if groups.len() > 1 { optional(&unit.group) } else { String::new() },
            attributes(&unit.attributes, &alike),
            links.citations(&unit.citations),
        ]);
    }
    if units.is_empty() {
        return String::new();
    }
    let more = more(units.len(), DEFINITIONS_PRINTED, "definitions");
    let mut page = format!("## {}\n\n{}", prose(heading), joined([table.render(), more]));
    if !alike.is_empty() {
        let shown: Vec<String> = alike.iter().map(|found| attribute(found)).collect();
        page.push_str(&format!("\n\nAlike in all of them: {}.", shown.join(", ")));
    }
    page
}

/// Returns the attributes that have the same value in all of several definitions.
fn alike<'a>(units: &[&'a DefinitionUnit]) -> Vec<&'a NamedValue> {
    let [first, rest @ ..] = units else { return Vec::new() };
    if rest.is_empty() {
        return Vec::new();
    }
    let others: Vec<HashSet<(&str, &str)>> = rest
        .iter()
        .map(|unit| unit.attributes.iter().map(|found| (found.name.as_str(), found.value.as_str())).collect())
        .collect();
    let in_all =
        |found: &&NamedValue| others.iter().all(|other| other.contains(&(found.name.as_str(), found.value.as_str())));
    first.attributes.iter().filter(|found| !is_housekeeping(&found.name)).filter(in_all).collect()
}

/// Returns whether an attribute records when and by whom a definition was made, which only the JSON contains.
fn is_housekeeping(name: &str) -> bool {
    name.starts_with("DEFINETIME") || name.starts_with("CHANGE")
}

fn attribute(found: &NamedValue) -> String {
    match found.value.is_empty() {
        true => prose(&found.name),
        false => prose(&format!("{}({})", found.name, found.value)),
    }
}

fn destination(unit: &DefinitionUnit, links: &PageLinks) -> String {
    let is_source = matches!(unit.resource_type.as_str(), "PROGRAM" | "MAPSET");
    match &unit.leads_to {
        // The name is already in the row, so that only the source is left to print.
        Some(found) if is_source => {
            let document = found.document.as_deref().unwrap_or_default();
            links.name(document, Some(document))
        }
        Some(found) => {
            let missing = if unit.is_missing { ", not among these sources" } else { "" };
            format!("{}{missing}", mention(found, links))
        }
        None if unit.is_missing => "not among these sources".to_owned(),
        None => String::new(),
    }
}

fn attributes(attributes: &[NamedValue], alike: &[&NamedValue]) -> String {
    let own: Vec<&NamedValue> =
        attributes.iter().filter(|found| !is_housekeeping(&found.name) && !alike.contains(found)).collect();
    listed(&own, ATTRIBUTES_PRINTED, |found| attribute(found))
}
