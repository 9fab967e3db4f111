//! The data dictionary, record by record.

use super::links::PageLinks;
use super::sections::section;
use super::table::MarkdownTable;
use super::{bold, code, group_digits, prose};
use crate::{DataDictionaryItem, Document, TableContents};
use foldhash::{HashSet, HashSetExt};
use war_rig_text::LineRange;

/// The maximum number of items for which a dictionary is printed whole.
const ITEMS_PRINTED: usize = 400;

/// The most rows of a longer one, unless it has more records.
const ROWS_OF_LONG: usize = 200;

/// The number of rows from which the table is folded.
const ROWS_OPEN: usize = 12;

/// The most entries of one item that are listed in the text.
const ENTRIES_IN_LINE: usize = 40;

/// An item with its depth in its record.
struct NestedItem<'a> {
    item: &'a DataDictionaryItem,
    depth: usize,
}

/// Returns the section of data: one table of all records. Of a long dictionary it prints what [`most_telling`] takes, and says so.
pub(super) fn data(document: &Document, links: &PageLinks) -> String {
    // The tables of fields name the items of symbolic maps.
    if !document.map_sets.is_empty() {
        return String::new();
    }
    let records = records(&document.data_dictionary);
    let all = document.data_dictionary.len();
    let is_copybook = document.header.file_type == "copybook";
    let (note, rows) = match all > ITEMS_PRINTED {
        true => {
            let rows = most_telling(document, &records);
            let shown = group_digits(rows.len() as u64);
            let all = group_digits(all as u64);
            (format!("{all} items, of which {shown} are shown here, records first; the JSON holds them all."), rows)
        }
        false => (String::new(), records.iter().flat_map(|record| rows(record, is_copybook)).collect::<Vec<_>>()),
    };
    let count = rows.len();
    let table = table(rows, links);
    // A copybook's page has little else.
    let table = if is_copybook { table } else { folded(count, "items", table) };
    let filled = document.data_dictionary.iter().filter_map(|item| Some(contents(item, item.contents.as_ref()?)));
    section("Data", [note, table, filled.collect::<Vec<_>>().join("\n\n")])
}

/// A row of the table: an item, and the condition names under it.
type ItemRow<'a> = (&'a NestedItem<'a>, &'a [NestedItem<'a>]);

/// Takes from a long dictionary the names of all records, what is in the source's own as long as there is room, and with the room that is left the items
/// that stand alone and are used, in the order of the source.
fn most_telling<'a>(document: &Document, records: &'a [Vec<NestedItem<'a>>]) -> Vec<ItemRow<'a>> {
    let unused = document.hazards.iter().filter(|hazard| hazard.kind == "never_used");
    let unused: HashSet<(&str, &Option<String>)> =
        unused.flat_map(|hazard| hazard.about.iter().map(|name| (name.as_str(), &hazard.program))).collect();
    let is_record = |rows: &[ItemRow<'_>]| rows.len() > 1;
    let is_used = |rows: &[ItemRow<'_>]| {
        rows.first().is_some_and(|(placed, _)| !unused.contains(&(placed.item.name.as_str(), &placed.item.program)))
    };
    let all: Vec<Vec<ItemRow<'_>>> = records.iter().map(|record| rows(record, false).collect()).collect();
    let mut room = ROWS_OF_LONG.saturating_sub(all.iter().filter(|rows| is_record(rows)).count());
    let mut taken: Vec<usize> = all.iter().map(|rows| usize::from(is_record(rows))).collect();
    let alone = |rows: &[ItemRow<'_>]| !is_record(rows) && is_used(rows);
    let rest = |rows: &[ItemRow<'_>]| !is_record(rows);
    // The page of a copybook has its layout.
    let own = |rows: &[ItemRow<'_>]| is_record(rows) && rows[0].0.item.file.is_none();
    for wanted in [&own as &dyn Fn(&[ItemRow<'_>]) -> bool, &alone, &rest] {
        for (taken, rows) in taken.iter_mut().zip(&all).filter(|(_, rows)| wanted(rows)) {
            let more = rows.len() - *taken;
            if more <= room {
                (*taken, room) = (rows.len(), room - more);
            }
        }
    }
    all.into_iter().zip(taken).flat_map(|(rows, taken)| rows.into_iter().take(taken)).collect()
}

/// Folds a table with many rows.
fn folded(rows: usize, what: &str, table: String) -> String {
    match rows > ROWS_OPEN {
        true => format!("<details><summary>{} {what}</summary>\n\n{table}\n\n</details>", group_digits(rows as u64)),
        false => table,
    }
}

/// Returns the entries of a table as its source fills them.
fn contents(item: &DataDictionaryItem, contents: &TableContents) -> String {
    let lead = format!("What the source fills {} (line {}) with", code(&item.name), item.line);
    if contents.columns.len() == 1 {
        let text = |row: &Vec<String>| match row.concat() {
            text if text.is_empty() => "blank".to_owned(),
            text => code(&text),
        };
        let texts: Vec<String> = contents.rows.iter().map(text).collect();
        let list = texts.join(", ");
        return match texts.len() > ENTRIES_IN_LINE {
            true => format!("{lead}:\n\n{}", folded(texts.len(), "entries, in order", list)),
            false => format!("{lead}, in order: {list}."),
        };
    }
    let line = |first: String, cells: Vec<String>| format!("| {first} | {} |", cells.join(" | "));
    let headings = contents.columns.iter().map(|name| prose(name)).collect();
    let rule = format!("|{}", "---|".repeat(contents.columns.len() + 1));
    let mut lines = vec![line("entry".to_owned(), headings), rule];
    lines.extend(contents.rows.iter().enumerate().map(|(at, row)| {
        let cells = row.iter().map(|cell| if cell.is_empty() { String::new() } else { code(cell) });
        line((at + 1).to_string(), cells.collect())
    }));
    format!("{lead}:\n\n{}", folded(contents.rows.len(), "entries", lines.join("\n")))
}

/// Returns the items of a record that have their own row, each with the condition names under it: for a copybook all.
fn rows<'a>(record: &'a [NestedItem<'a>], are_all: bool) -> impl Iterator<Item = ItemRow<'a>> {
    record.iter().enumerate().filter(|(_, placed)| placed.item.level != 88).filter_map(move |(at, placed)| {
        let behind = &record[at + 1..];
        let conditions = behind.iter().take_while(|placed| placed.item.level == 88).count();
        // The bytes of the others show where an item without a name, a value and conditions lies.
        let item = placed.item;
        let is_plain = item.value.is_none() && item.clauses.is_empty() && item.comment.is_none();
        let is_gap = item.name == "FILLER" && item.picture.is_some() && is_plain;
        (!is_gap || are_all || conditions > 0).then(|| (placed, &behind[..conditions]))
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

fn table(items: Vec<ItemRow<'_>>, links: &PageLinks) -> String {
    let mut linked = HashSet::new();
    let mut table = MarkdownTable::new(["bytes", "level", "name", "picture", "value", "notes", "line", "program"]);
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
        let is_record = *depth == 0 && item.picture.is_none() && usage.is_empty();
        let line = match item.file.as_deref() {
            // The first item of a copybook leads there.
            Some(file) if linked.insert(file) => links.lines(file, LineRange::single(item.line)),
            Some(file) => format!("{}:{}", prose(file), item.line),
            None => item.line.to_string(),
        };
        table.row([
            bytes.unwrap_or_default(),
            format!("{:02}", item.level),
            if is_record { bold(&item.name) } else { format!("{}{}", INDENT.repeat(*depth), prose(&item.name)) },
            code(&picture),
            item.value.as_deref().map(code).unwrap_or_default(),
            notes(item, conditions),
            line,
            prose(item.program.as_deref().unwrap_or_default()),
        ]);
    }
    table.render()
}

/// What stands before the name of an item for each level above it.
const INDENT: &str = "· ";

/// Returns how often an item occurs, what says so, and by which keys its occurrences are in order.
fn occurs(item: &DataDictionaryItem, most: u32) -> String {
    let number = |number: u32| group_digits(number.into());
    let mut text = match item.min_occurs {
        Some(least) => format!("occurs {} to {}", number(least), number(most)),
        None => format!("occurs {}", number(most)),
    };
    if let Some(counter) = &item.depending_on {
        text.push_str(&format!(", as {} says", code(counter)));
    }
    for key in &item.keys {
        text.push_str(&format!("; {} key {}", key.order.as_str(), code(&key.name)));
    }
    text
}

/// Words the clause of a field of a screen, and leaves others in small letters.
fn clause_in_words(clause: &str) -> String {
    match clause.split_once(' ') {
        Some(("FROM", shown)) => format!("shows {}", code(shown)),
        Some(("TO", item)) => format!("what is entered goes to {}", code(item)),
        Some(("USING", item)) => format!("shows {}, which gets what is entered", code(item)),
        Some((word @ ("LINE" | "COLUMN"), place)) => format!("{} {}", word.to_lowercase(), prose(place)),
        _ => clause.to_lowercase(),
    }
}

/// Returns the words of a comment in quotation marks.
fn quoted(comment: &str) -> String {
    format!("\"{}\"", prose(comment))
}

/// Returns its OCCURS, what it redefines, its other clauses, and the values of its condition names.
fn notes(item: &DataDictionaryItem, conditions: &[NestedItem<'_>]) -> String {
    let named = conditions.iter().filter(|placed| placed.item.level == 88).map(|placed| {
        let value = placed.item.value.as_deref().map(|value| format!(" {}", code(value)));
        let comment = placed.item.comment.as_deref().map(|comment| format!(" {}", quoted(comment)));
        format!("{}{}{}", prose(&placed.item.name), value.unwrap_or_default(), comment.unwrap_or_default())
    });
    let named: Vec<String> = named.collect();
    let notes = [
        item.occurs.map(|most| occurs(item, most)),
        item.redefines.as_deref().map(|name| match item.level {
            66 => format!("renames {}", code(name)),
            _ => format!("redefines {}", code(name)),
        }),
        (!item.clauses.is_empty())
            .then(|| item.clauses.iter().map(|clause| clause_in_words(clause)).collect::<Vec<_>>().join(", ")),
        (!named.is_empty()).then(|| format!("88 {}", named.join(", "))),
        item.comment.as_deref().map(quoted),
    ];
    notes.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
