//! The data dictionary, record by record.

use super::links::Links;
use super::table::Table;
use super::{code, grouped, prose};
use crate::{DataItem, Document};
use war_rig_text::LineRange;

/// Items up to which a dictionary is printed whole.
const ITEMS_PRINTED: usize = 400;

/// An item with how deep it lies in its record.
struct Placed<'a> {
    item: &'a DataItem,
    depth: usize,
}

/// The section of data: a table for every record, and one for the items that stand alone. A long dictionary is printed by
/// its records' names only, and says so.
pub(super) fn data(document: &Document, links: &Links) -> String {
    let records = records(&document.data_dictionary);
    if records.is_empty() {
        return String::new();
    }
    let mut parts = vec!["## Data".to_owned()];
    let all = document.data_dictionary.len();
    if all > ITEMS_PRINTED {
        parts.push(format!(
            "{} items, of which the {} that are no part of another are shown here; the JSON holds them all.",
            grouped(all as u64),
            grouped(records.len() as u64)
        ));
        parts.push(table(records.iter().filter_map(|record| record.first()), links));
        return parts.join("\n\n");
    }
    let (single, structured): (Vec<_>, Vec<_>) = records.iter().partition(|record| is_single(record));
    for record in structured {
        parts.extend(record.first().map(|first| lead(first.item)));
        parts.push(table(record.iter(), links));
    }
    if !single.is_empty() {
        parts.push("Items that stand alone:".to_owned());
        parts.push(table(single.into_iter().flatten(), links));
    }
    parts.join("\n\n")
}

/// The items cut where one begins that is no part of another.
fn records(items: &[DataItem]) -> Vec<Vec<Placed<'_>>> {
    let mut records: Vec<Vec<Placed<'_>>> = Vec::new();
    let mut levels: Vec<u8> = Vec::new();
    for item in items {
        let depth = match item.level {
            // A condition belongs to the item before it, a renaming to the record.
            88 => levels.len(),
            66 => usize::from(!levels.is_empty()),
            level => {
                while levels.last().is_some_and(|above| *above >= level || level == 77) {
                    levels.pop();
                }
                levels.push(level);
                levels.len() - 1
            }
        };
        let placed = Placed { item, depth };
        match records.last_mut() {
            Some(record) if depth > 0 => record.push(placed),
            _ => records.push(vec![placed]),
        }
    }
    records
}

/// Whether nothing but conditions follows the item.
fn is_single(record: &[Placed<'_>]) -> bool {
    record.iter().skip(1).all(|placed| placed.item.level == 88)
}

fn lead(item: &DataItem) -> String {
    let mut text = format!("Record {}", code(&item.name));
    if let Some(file) = &item.file {
        text.push_str(&format!(" ({})", prose(file)));
    }
    if let Some(length) = item.length {
        text.push_str(&format!(", {} bytes", grouped(length)));
    }
    text + ":"
}

fn table<'a>(items: impl Iterator<Item = &'a Placed<'a>>, links: &Links) -> String {
    let mut table =
        Table::new(["bytes", "level", "name", "picture", "usage", "length", "notes", "where", "program"]);
    for Placed { item, depth } in items {
        let length = item.length.filter(|length| *length > 0);
        let last = |first: u64| length.and_then(|length| first.checked_add(length));
        let bytes =
            item.offset.and_then(|offset| Some(format!("{}-{}", offset.checked_add(1)?, last(offset)?)));
        table.row([
            bytes.unwrap_or_default(),
            format!("{:02}", item.level),
            format!("{}{}", "&nbsp;&nbsp;".repeat(*depth), prose(&item.name)),
            code(item.picture.as_deref().unwrap_or_default()),
            prose(item.usage.as_deref().unwrap_or_default()),
            length.map(grouped).unwrap_or_default(),
            notes(item),
            links.lines_of_item(item.file.as_deref(), LineRange::single(item.line)),
            prose(item.program.as_deref().unwrap_or_default()),
        ]);
    }
    table.render()
}

fn notes(item: &DataItem) -> String {
    let notes = [
        item.occurs.map(|times| format!("occurs {}", grouped(times.into()))),
        item.redefines.as_deref().map(|name| format!("redefines {}", code(name))),
        item.value.as_deref().map(|value| format!("value {}", code(value))),
    ];
    notes.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
