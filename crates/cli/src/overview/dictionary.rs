//! `dictionary.md`: the items of all copybooks, with the programs that read and set them.

use super::figures::grouped;
use super::{Overview, link, section, some};
use std::collections::BTreeMap;
use std::sync::Arc;
use war_rig_estate::{DictionaryItem, NodeKind};
use war_rig_template::{MarkdownTable, escape_code, escape_prose};

/// Items on the page; a longer list is no longer read, but searched.
const ITEMS: usize = 4_000;

/// The page; none where no copybook describes an item.
pub fn page(overview: &Overview<'_>) -> Option<String> {
    let all = &overview.graph.data_dictionary;
    if all.is_empty() {
        return None;
    }
    let opening = format!(
        "{} items that copybooks describe, with the programs whose statements read or set them, under whatever name REPLACING gives \
         them there. An item of a record that is read or moved as a whole is not named by that. [Back to the first page](index.md).",
        grouped(all.len() as u64)
    );
    let mut table = MarkdownTable::new(["item", "picture", "bytes", "at", "copybook", "read by", "set by"]);
    for entry in all.iter().filter(|entry| entry.item.picture.is_some() || is_used(entry)).take(ITEMS) {
        table.row(row(overview, entry));
    }
    let elementary = all.iter().filter(|entry| entry.item.picture.is_some() || is_used(entry)).count();
    let left = match elementary.saturating_sub(ITEMS) {
        0 => String::new(),
        left => format!(
            "{} more are in the JSON of `war-rig facts`, under `graph.data_dictionary`.",
            grouped(left as u64)
        ),
    };
    let sections = [
        "# Data dictionary".to_owned(),
        opening,
        differing(overview),
        section("All items", &[table.render(), left]),
    ];
    let sections: Vec<String> = sections.into_iter().filter(|section| !section.is_empty()).collect();
    Some(format!("{}\n", sections.join("\n\n")))
}

fn is_used(entry: &DictionaryItem) -> bool {
    !entry.read_by.is_empty() || !entry.set_by.is_empty()
}

fn row(overview: &Overview<'_>, entry: &DictionaryItem) -> [String; 7] {
    let item = &entry.item;
    let programs = |names: &[Arc<str>]| some(names, |name| overview.name(NodeKind::Program, name));
    [
        escape_code(&item.name),
        shape(entry),
        item.length.map(|length| length.to_string()).unwrap_or_default(),
        match (item.offset, item.length) {
            (Some(offset), Some(length)) if length > 0 => format!("{}-{}", offset + 1, offset + length),
            _ => String::new(),
        },
        format!("[{}:{}]({})", escape_prose(&entry.file), item.line, link(&entry.file)),
        programs(&entry.read_by),
        programs(&entry.set_by),
    ]
}

/// Picture and usage.
fn shape(entry: &DictionaryItem) -> String {
    let usage = entry.item.usage.filter(|usage| *usage != "DISPLAY");
    let parts: Vec<&str> = entry.item.picture.as_deref().into_iter().chain(usage).collect();
    escape_code(&parts.join(" "))
}

/// Names that copybooks describe in different ways.
fn differing(overview: &Overview<'_>) -> String {
    let mut by_name: BTreeMap<&str, Vec<&DictionaryItem>> = BTreeMap::new();
    for entry in overview.graph.data_dictionary.iter().filter(|entry| entry.item.picture.is_some()) {
        by_name.entry(&entry.item.name).or_default().push(entry);
    }
    let mut table = MarkdownTable::new(["item", "described as"]);
    for (name, entries) in by_name {
        let mut shapes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in entries {
            let place = format!("[{}:{}]({})", escape_prose(&entry.file), entry.item.line, link(&entry.file));
            shapes.entry(shape(entry)).or_default().push(place);
        }
        if shapes.len() > 1 {
            let told: Vec<String> = shapes
                .iter()
                .map(|(shape, places)| format!("{shape} in {}", some(places, String::clone)))
                .collect();
            table.row([escape_code(name), told.join("; ")]);
        }
    }
    section("One name, several descriptions", &[table.render()])
}
