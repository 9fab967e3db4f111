//! Map sets on a page: the screens as they appear, and their fields.

use super::jobs::{joined, mention};
use super::links::PageLinks;
use super::steps::more;
use super::table::MarkdownTable;
use super::{code, names, prose};
use crate::{Document, MapSetUnit, MapUnit};

/// The maximum number of printed named fields of a map.
const FIELDS_PRINTED: usize = 400;

/// Returns the map sets of a page.
pub(super) fn map_sets(document: &Document, links: &PageLinks) -> String {
    let sets = document.map_sets.iter().map(|set| map_set(set, document.map_sets.len() == 1, links));
    sets.collect::<Vec<_>>().join("\n\n")
}

fn map_set(set: &MapSetUnit, is_alone: bool, links: &PageLinks) -> String {
    let heading = format!("## Map set {} {}", prose(&set.map_set_name), links.citations(&set.citations));
    let copybook = set
        .copybook
        .as_ref()
        .map(|book| format!("Programs know its fields by the symbolic map in the copybook {}.", mention(book, links)));
    let maps = set.maps.iter().map(|map| self::map(map, links)).collect::<Vec<_>>().join("\n\n");
    let told = if is_alone { String::new() } else { format!("{heading}\n\n{}", prose(&set.summary)) };
    joined([told, copybook.unwrap_or_default(), maps])
}

fn map(map: &MapUnit, links: &PageLinks) -> String {
    let users: Vec<String> = map.used_by.iter().map(|user| mention(user, links)).collect();
    let transactions: Vec<String> = map.transactions.iter().map(|found| mention(found, links)).collect();
    let records: Vec<String> = [&map.input_record, &map.output_record].into_iter().flatten().cloned().collect();
    let mut sentences = vec![format!("{} rows of {} columns.", map.height, map.width)];
    if !users.is_empty() {
        sentences.push(format!("Used by {}.", users.join(", ")));
    }
    if !transactions.is_empty() {
        sentences.push(format!("Reached by transaction {}.", transactions.join(", ")));
    }
    if !records.is_empty() {
        sentences.push(format!("In COBOL: {}.", names(&records)));
    }
    joined([
        format!("## Map {} {}", prose(&map.map_name), links.citations(&map.citations)),
        sentences.join(" "),
        screen(&map.screen),
        fields(map, links),
    ])
}

/// Draws the screen in a block of code, with row numbers.
fn screen(rows: &[String]) -> String {
    let used = rows.iter().rposition(|row| !row.trim().is_empty()).map_or(0, |last| last + 1);
    if used == 0 {
        return String::new();
    }
    let visible =
        |row: &String| -> String { row.chars().map(|c| if crate::escape::is_shown(c) { c } else { ' ' }).collect() };
    let lines: Vec<String> = rows[..used]
        .iter()
        .enumerate()
        .map(|(place, row)| format!("{:>3} {}", place + 1, visible(row)).trim_end().to_owned())
        .collect();
    // A fence must be longer than any run of its mark in the content.
    let longest = lines.iter().flat_map(|line| line.split(|c| c != '`')).map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let legend = "`_` may be typed into, `.` is filled by a program.";
    format!("{fence}text\n{}\n{fence}\n\n{legend}", lines.join("\n"))
}

fn fields(map: &MapUnit, links: &PageLinks) -> String {
    let mut table =
        MarkdownTable::new(["field", "row, column", "length", "attributes", "shows at first", "in COBOL", "where"]);
    let named = map.fields.iter().filter(|field| field.field_name.is_some());
    for field in named.clone().take(FIELDS_PRINTED) {
        table.row([
            code(field.field_name.as_deref().unwrap_or_default()),
            format!("{}, {}", field.row, field.column),
            field.length.to_string(),
            prose(&field.attributes),
            code(field.initial.as_deref().unwrap_or_default()),
            names(&field.symbolic_names),
            links.citations(&field.citations),
        ]);
    }
    let labels = map.fields.iter().filter(|field| field.field_name.is_none()).count();
    let labels = match labels {
        0 => String::new(),
        1 => "1 field without a name is a label or ends another.".to_owned(),
        labels => format!("{labels} fields without a name are labels or end others."),
    };
    joined([table.render(), more(named.count(), FIELDS_PRINTED, "fields"), labels])
}
