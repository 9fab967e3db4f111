//! The data dictionary, record by record.

use super::links::Links;
use super::table::MarkdownTable;
use super::{code, group_digits, prose};
use crate::{CopiedItems, DataDictionaryItem, Document};
use war_rig_text::LineRange;

/// The maximum number of items for which a dictionary is printed whole.
const ITEMS_PRINTED: usize = 400;

/// The number of a copybook's records that the page of a copying program names.
const RECORDS_NAMED: usize = 12;

/// An item with its depth in its record.
struct NestedItem<'a> {
    item: &'a DataDictionaryItem,
    depth: usize,
}

/// Returns the section of data: a table for every record, one for the standalone items, and one for the items from copybooks. For a long
/// dictionary, it prints only the names of its records, and says so.
pub(super) fn data(document: &Document, links: &Links) -> String {
    let records = records(&document.data_dictionary);
    let copied = copied(&document.copied_data, links);
    if records.is_empty() {
        return if copied.is_empty() { copied } else { format!("## Data\n\n{copied}") };
    }
    let mut parts = vec!["## Data".to_owned()];
    let all = document.data_dictionary.len();
    if all > ITEMS_PRINTED {
        parts.push(format!(
            "{} items, of which the {} that are no part of another are shown here; the JSON holds them all.",
            group_digits(all as u64),
            group_digits(records.len() as u64)
        ));
        parts.push(table(records.iter().filter_map(|record| Some((record.first()?, record.as_slice()))), links));
        parts.extend(Some(copied).filter(|copied| !copied.is_empty()));
        return parts.join("\n\n");
    }
    let (single, structured): (Vec<_>, Vec<_>) = records.iter().partition(|record| is_single(record));
    for record in structured {
        let Some(first) = record.first() else { continue };
        parts.push(lead(first.item, links));
        parts.push(table(rows(&record[1..]), links));
    }
    if !single.is_empty() {
        parts.push("Items that stand alone:".to_owned());
        parts.push(table(single.iter().flat_map(|record| rows(record)), links));
    }
    parts.extend(Some(copied).filter(|copied| !copied.is_empty()));
    parts.join("\n\n")
}

/// Lists the items that the documents of copybooks describe: their place and size.
fn copied(copied: &[CopiedItems], links: &Links) -> String {
    if copied.is_empty() {
        return String::new();
    }
    let mut table = MarkdownTable::new(["copybook", "items", "records", "part of", "from byte", "where", "program"]);
    for copied in copied {
        let records = copied.records.iter().take(RECORDS_NAMED).map(|name| code(name));
        let more = copied.records.len().saturating_sub(RECORDS_NAMED);
        let more = (more > 0).then(|| format!("and {} more", group_digits(more as u64)));
        table.row([
            links.name(&copied.copybook, Some(&copied.copybook)),
            group_digits(copied.items),
            records.chain(more).collect::<Vec<_>>().join(", "),
            code(copied.part_of.as_deref().unwrap_or_default()),
            copied.offset.map(|offset| group_digits(offset.saturating_add(1))).unwrap_or_default(),
            links.lines_of_item(None, LineRange::single(copied.line)),
            prose(copied.program.as_deref().unwrap_or_default()),
        ]);
    }
    format!("Items that the pages of copybooks describe:\n\n{}", table.render())
}

/// Returns the items of a record that have their own row, each with the condition names under it.
fn rows<'a>(record: &'a [NestedItem<'a>]) -> impl Iterator<Item = (&'a NestedItem<'a>, &'a [NestedItem<'a>])> {
    record.iter().enumerate().filter(|(_, placed)| placed.item.level != 88).map(|(at, placed)| {
        let behind = &record[at + 1..];
        let conditions = behind.iter().take_while(|placed| placed.item.level == 88).count();
        (placed, &behind[..conditions])
    })
}

/// Splits the items at each item that is not part of another.
fn records(items: &[DataDictionaryItem]) -> Vec<Vec<NestedItem<'_>>> {
    let mut records: Vec<Vec<NestedItem<'_>>> = Vec::new();
    let mut levels: Vec<u8> = Vec::new();
    for item in items {
        let depth = match item.level {
            // A condition belongs to the item before it, a RENAMES item to the record.
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
        let placed = NestedItem { item, depth };
        match records.last_mut() {
            Some(record) if depth > 0 => record.push(placed),
            _ => records.push(vec![placed]),
        }
    }
    records
}

/// Returns whether only conditions follow the item.
fn is_single(record: &[NestedItem<'_>]) -> bool {
    record.iter().skip(1).all(|placed| placed.item.level == 88)
}

/// Returns the line above a record's table: its name, its place, its size.
fn lead(item: &DataDictionaryItem, links: &Links) -> String {
    let place = links.lines_of_item(item.file.as_deref(), LineRange::single(item.line));
    let notes = notes(item, &[]);
    let size = item.length.map(|length| format!("{} byte{}", group_digits(length), if length == 1 { "" } else { "s" }));
    let about: Vec<String> = [size, Some(notes), item.program.as_deref().map(prose)]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    let about = if about.is_empty() { String::new() } else { format!(", {}", about.join(", ")) };
    format!("Record {}{about} {place}:", code(&item.name))
}

fn table<'a>(items: impl Iterator<Item = (&'a NestedItem<'a>, &'a [NestedItem<'a>])>, links: &Links) -> String {
    let mut table = MarkdownTable::new(["bytes", "level", "name", "picture", "notes", "where", "program"]);
    for (NestedItem { item, depth }, conditions) in items {
        let length = item.length.filter(|length| *length > 0);
        let last = |first: u64| length.and_then(|length| first.checked_add(length));
        let bytes = item.offset.and_then(|offset| {
            let (first, last) = (offset.checked_add(1)?, last(offset)?);
            Some(if first == last { first.to_string() } else { format!("{first}-{last}") })
        });
        // The usage DISPLAY is the default and is left out.
        let usage = item.usage.as_deref().filter(|usage| *usage != "DISPLAY").unwrap_or_default();
        let picture = [item.picture.as_deref().unwrap_or_default(), usage];
        let picture = picture.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        // The line above the table describes the record itself.
        let indent = depth.saturating_sub(1);
        table.row([
            bytes.unwrap_or_default(),
            format!("{:02}", item.level),
            format!("{}{}", "&nbsp;&nbsp;".repeat(indent), prose(&item.name)),
            code(&picture),
            notes(item, conditions),
            links.lines_of_item(item.file.as_deref(), LineRange::single(item.line)),
            prose(item.program.as_deref().unwrap_or_default()),
        ]);
    }
    table.render()
}

/// Returns its OCCURS, what it redefines, its value, and the values of its condition names.
fn notes(item: &DataDictionaryItem, conditions: &[NestedItem<'_>]) -> String {
    let named = conditions.iter().filter(|placed| placed.item.level == 88).map(|placed| {
        let value = placed.item.value.as_deref().map(|value| format!(" {}", code(value)));
        format!("{}{}", prose(&placed.item.name), value.unwrap_or_default())
    });
    let named: Vec<String> = named.collect();
    let notes = [
        item.occurs.map(|times| format!("occurs {}", group_digits(times.into()))),
        item.redefines.as_deref().map(|name| match item.level {
            66 => format!("renames {}", code(name)),
            _ => format!("redefines {}", code(name)),
        }),
        item.value.as_deref().map(|value| format!("value {}", code(value))),
        (!named.is_empty()).then(|| format!("88 {}", named.join(", "))),
    ];
    notes.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
