//! `dictionary.md`: the items of all copybooks, with the programs that read and set them.

use super::Overview;
use super::estate_page::{EstatePage, section, some};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use war_rig_cobol::picture_symbols;
use war_rig_estate::{DictionaryItem, NodeKind};
use war_rig_template::{MarkdownTable, escape_code, escape_prose, group_digits};
use war_rig_text::member_name;

/// The maximum number of items on the page; nobody reads a longer list instead of searching it.
const ITEMS: usize = 4_000;

/// Renders the page; none if no copybook describes an item.
pub fn page(overview: &Overview<'_>) -> Option<String> {
    let told = told(overview);
    if told.is_empty() {
        return None;
    }
    let page = EstatePage::new(overview, "dictionary");
    let opening = format!(
        "{} items that copybooks describe, with the programs whose statements read or set them, under whatever name REPLACING gives \
         them there. An item of a record that is read or moved as a whole is not named by that. The generated fields of maps are left out. \
         [Back to the first page](index.md).",
        group_digits(told.len() as u64)
    );
    let mut table = MarkdownTable::new(["item", "picture", "bytes", "at", "copybook", "read by", "set by"]);
    told.iter().take(ITEMS).for_each(|entry| table.row(row(&page, entry)));
    let left = match told.len().saturating_sub(ITEMS) {
        0 => String::new(),
        left => format!(
            "{} more are in the JSON of `war-rig facts`, under `graph.data_dictionary`.",
            group_digits(left as u64)
        ),
    };
    let sections = [
        "# Data dictionary".to_owned(),
        opening,
        differing(&page, &told),
        section("All items", &[table.render(), left]),
    ];
    Some(page.render(sections))
}

/// Returns the entries on the page.
fn told<'a>(overview: &'a Overview<'_>) -> Vec<&'a DictionaryItem> {
    let maps = map_sets(overview);
    let all = overview.graph.data_dictionary.iter();
    all.filter(|entry| entry.item.picture.is_some() || is_used(entry))
        .filter(|entry| !maps.contains(&*member_name(&entry.file).to_uppercase()))
        .collect()
}

/// Returns the map sets of the estate. Their symbolic maps are generated, and the pages of the maps show their fields.
fn map_sets<'a>(overview: &'a Overview<'_>) -> BTreeSet<&'a str> {
    let defined = overview.graph.nodes_of_kind(NodeKind::MapSet).filter(|node| !node.defined.is_empty());
    defined.map(|node| node.id.name.as_ref()).collect()
}

fn place(page: &EstatePage<'_>, entry: &DictionaryItem) -> String {
    let name = format!("{}:{}", entry.file.rsplit('/').next().unwrap_or(&entry.file), entry.item.line);
    if page.overview.has_page(&entry.file) { page.document(&name, &entry.file) } else { escape_prose(&name) }
}

fn is_used(entry: &DictionaryItem) -> bool {
    !entry.read_by.is_empty() || !entry.set_by.is_empty()
}

fn row(page: &EstatePage<'_>, entry: &DictionaryItem) -> [String; 7] {
    let item = &entry.item;
    let programs = |names: &[Arc<str>]| some(names, |name| page.name(NodeKind::Program, name));
    [
        escape_code(&item.name),
        shape(entry),
        item.length.map(|length| length.to_string()).unwrap_or_default(),
        match (item.offset, item.length) {
            (Some(offset), Some(length)) if length > 0 => format!("{}-{}", offset + 1, offset + length),
            _ => String::new(),
        },
        page.document(&format!("{}:{}", entry.file, item.line), &entry.file),
        programs(&entry.read_by),
        programs(&entry.set_by),
    ]
}

/// Returns picture and usage.
fn shape(entry: &DictionaryItem) -> String {
    let usage = entry.item.usage.as_deref().filter(|usage| *usage != "DISPLAY");
    let parts: Vec<&str> = entry.item.picture.as_deref().into_iter().chain(usage).collect();
    escape_code(&parts.join(" "))
}

/// Lists names that copybooks declare differently.
fn differing(page: &EstatePage<'_>, told: &[&DictionaryItem]) -> String {
    let mut by_name: BTreeMap<&str, Vec<&DictionaryItem>> = BTreeMap::new();
    for entry in told.iter().filter(|entry| entry.item.picture.is_some()) {
        by_name.entry(&entry.item.name).or_default().push(entry);
    }
    let mut table = MarkdownTable::new(["item", "described as"]);
    for (name, entries) in by_name {
        let mut shapes: BTreeMap<_, (String, Vec<String>)> = BTreeMap::new();
        for entry in entries {
            let picture = entry.item.picture.as_deref().map(|picture| picture_symbols(picture).ok_or(picture));
            let (_, places) =
                shapes.entry((picture, entry.item.usage.as_deref())).or_insert_with(|| (shape(entry), Vec::new()));
            places.push(place(page, entry));
        }
        if shapes.len() > 1 {
            let told: Vec<String> =
                shapes.values().map(|(shape, places)| format!("{shape} in {}", some(places, String::clone))).collect();
            table.row([escape_code(name), told.join("; ")]);
        }
    }
    section("One name, several descriptions", &[table.render()])
}
