//! The resources of a program: files, screens, tables, queues, segments.

use super::links::PageLinks;
use super::table::MarkdownTable;
use super::{code, listed, optional, prose};
use crate::{Citation, Document, DocumentItem, Interface, InterfaceField};
use foldhash::{HashMap, HashMapExt};

/// One row: a resource, and one way of using it.
struct ResourceUse<'a> {
    item: &'a DocumentItem<Interface>,
    directions: Vec<&'static str>,
    citations: Vec<&'a Citation>,
}

/// Returns the table of all resources. A resource read and written in the same words has one row, at the place of the first.
pub(super) fn uses(document: &Document, links: &PageLinks) -> String {
    let mut rows: Vec<ResourceUse<'_>> = Vec::new();
    let mut known = HashMap::new();
    let inputs = document.inputs.iter().map(|item| (item, "input"));
    for (item, direction) in inputs.chain(document.outputs.iter().map(|item| (item, "output"))) {
        let alike = (&item.name, &item.io_type, &item.copybook, &item.description, &item.program);
        let at = *known.entry(alike).or_insert(rows.len());
        match rows.get_mut(at) {
            Some(first) => {
                first.citations.extend(&item.citations);
                first.directions.push(direction);
                first.directions.dedup();
            }
            None => {
                rows.push(ResourceUse {
                    item,
                    directions: vec![direction],
                    citations: item.citations.iter().collect(),
                });
            }
        }
    }
    let mut table = MarkdownTable::new(["it uses", "as", "how", "where", "program"]);
    for ResourceUse { item, directions, citations } in rows {
        let citations = links.citations(citations);
        let how = prose(&item.description);
        table.row([thing(item), directions.join(", "), how, citations, optional(&item.program)]);
    }
    table.render()
}

/// The number of fields that a cell names before it counts the others.
const FIELDS_NAMED: usize = 24;

/// How many lines are named that use a field.
const LINES_NAMED: usize = 3;

/// Returns the fields of parameters and screens, each with the lines that use it.
pub(super) fn fields(document: &Document) -> String {
    let mut table = MarkdownTable::new(["fields of", "it reads (lines)", "it sets (lines)", "program"]);
    let mut rows: Vec<(&DocumentItem<Interface>, [String; 2])> = Vec::new();
    let mut places = HashMap::new();
    for (side, items) in [&document.inputs, &document.outputs].into_iter().enumerate() {
        for item in items.iter().filter(|item| !item.fields.is_empty()) {
            let at = *places.entry((&item.name, &item.program)).or_insert(rows.len());
            if at == rows.len() {
                rows.push((item, [String::new(), String::new()]));
            }
            rows[at].1[side] = field_list(&item.fields);
        }
    }
    for (item, [read, set]) in rows {
        table.row([code(&item.name), read, set, optional(&item.program)]);
    }
    table.render()
}

/// Lists fields, those of the parameter first, then those of each record that carries its contents.
fn field_list(fields: &[InterfaceField]) -> String {
    let mut records: Vec<Option<&str>> = vec![None];
    for record in fields.iter().map(|field| field.record.as_deref()) {
        if !records.contains(&record) {
            records.push(record);
        }
    }
    let of_record = |record: Option<&str>| {
        let own: Vec<&InterfaceField> = fields.iter().filter(|field| field.record.as_deref() == record).collect();
        let names = listed(&own, FIELDS_NAMED, |field| {
            let way = if field.is_handed_on { " (handed on)" } else { "" };
            format!("{} {}{way}", code(&field.name), lines_of(field))
        });
        match record {
            Some(record) => format!("of {}: {names}", code(record)),
            None => names,
        }
    };
    records.into_iter().map(of_record).filter(|names| !names.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Words the lines that use a field; of many the first ones.
fn lines_of(field: &InterfaceField) -> String {
    let all: Vec<String> =
        std::iter::once(field.line).chain(field.more_lines.iter().copied()).map(|line| line.to_string()).collect();
    match all.as_slice() {
        all if all.len() <= LINES_NAMED => all.join(", "),
        all => format!("{} and {} more", all[..LINES_NAMED].join(", "), all.len() - LINES_NAMED),
    }
}

/// Returns the resource with its kind and the copybook of its record: `` `ACCT-MASTER` (indexed file, record ACCTREC) ``.
fn thing(item: &DocumentItem<Interface>) -> String {
    if item.name.trim().is_empty() {
        return prose(&item.io_type);
    }
    let record = item.copybook.as_deref().map(|copybook| format!("record {}", prose(copybook)));
    let about = [Some(prose(&item.io_type)), record].into_iter().flatten().filter(|text| !text.is_empty());
    let about = about.collect::<Vec<_>>().join(", ");
    let name = code(&item.name);
    if about.is_empty() { name } else { format!("{name} ({about})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::LineNumber;

    #[test]
    fn a_field_has_its_first_lines_and_the_count_of_the_others() {
        let told = |lines: &[u32]| {
            let lines = lines.iter().map(|line| LineNumber::new(*line).unwrap()).collect::<Vec<_>>();
            field_list(&[InterfaceField {
                name: "A".to_owned(),
                line: lines[0],
                more_lines: lines[1..].to_vec(),
                record: None,
                is_handed_on: false,
            }])
        };
        assert_eq!(told(&[3]), "`A` 3");
        assert_eq!(told(&[3, 5, 9]), "`A` 3, 5, 9");
        assert_eq!(told(&[1, 2, 3, 4, 5, 6, 7]), "`A` 1, 2, 3 and 4 more");
    }
}
