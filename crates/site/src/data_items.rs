//! The data items of a source: where each is set and read.

use crate::drawing;
use crate::flowchart::Flowchart;
use crate::markdown::{attribute, line_anchor};
use crate::site::{Site, encoded, source_path};
use maud::{PreEscaped, html};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use war_rig_text::LineNumber;

/// The most records of a page whose way through the program is drawn.
const RECORDS: usize = 4;

/// The most paragraphs on one side of such a drawing.
const PARAGRAPHS: usize = 12;

/// A line of a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemLine {
    /// The source; `None` for the one that the page documents.
    pub file: Option<String>,
    /// The line.
    pub line: LineNumber,
}

/// A data item, and where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPlaces {
    /// Its name.
    pub name: String,
    /// The record that it is part of; `None` for a record.
    pub record: Option<String>,
    /// The PICTURE's string.
    pub picture: Option<String>,
    /// Where it is declared; once at most.
    pub declared: Option<ItemLine>,
    /// Where it is set, or passed to a program that may set it, in order.
    pub set: Vec<ItemLine>,
    /// Where it is read, in order.
    pub read: Vec<ItemLine>,
    /// The paragraphs in which it is set, in order.
    pub set_in: Vec<String>,
    /// The paragraphs in which it is read, in order.
    pub read_in: Vec<String>,
}

/// Returns the anchor of an item in the page of its source. No other anchor has a full stop.
pub(crate) fn item_anchor(name: &str) -> String {
    format!("item.{}", name.to_lowercase())
}

/// Returns the section about the items of a source, without its heading; `None` if there are none. `path` is the page's path in the site.
pub(crate) fn section(
    site: &Site,
    path: &str,
    source: &str,
    items: &[ItemPlaces],
    anchors: &BTreeMap<String, String>,
) -> Option<String> {
    if items.is_empty() {
        return None;
    }
    let mut links = LineLinks { site, path, source, bases: BTreeMap::new() };
    let mut table = format!(
        "<details><summary>{} data items: where each is declared, set and read</summary>\
         <div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table: data items\"><table class=\"places\">\
         <thead><tr><th>item</th><th>of</th><th>picture</th><th>declared</th><th>set</th><th>read</th></tr></thead><tbody>",
        items.len()
    );
    let mut named = BTreeSet::new();
    for item in items {
        match named.insert(item.name.to_uppercase()) {
            true => put(&mut table, format_args!("<tr id=\"{}\">", attribute(&item_anchor(&item.name)))),
            false => table.push_str("<tr>"),
        }
        put(&mut table, format_args!("<td>{}</td><td>", attribute(&item.name)));
        put(&mut table, format_args!("{}</td><td>", attribute(item.record.as_deref().unwrap_or_default())));
        if let Some(picture) = &item.picture {
            put(&mut table, format_args!("<code>{}</code>", attribute(picture)));
        }
        for (places, is_named) in [(item.declared.as_slice(), true), (&item.set, false), (&item.read, false)] {
            table.push_str("</td><td>");
            for (at, place) in places.iter().enumerate() {
                table.push_str(if at > 0 { ", " } else { "" });
                links.write(place, is_named, &mut table);
            }
        }
        table.push_str("</td></tr>");
    }
    table.push_str("</tbody></table></div></details>");
    let link_of = |label: &str| anchors.get(label).map(|anchor| format!("#{}", encoded(anchor)));
    let drawings: Vec<(&str, String)> =
        flows(items).into_iter().map(|(record, chart)| (record, drawing::figure(&chart, &link_of))).collect();
    let section = html! {
        (PreEscaped(table))
        @for (record, figure) in &drawings {
            details { summary { "The way of " (record) ": set by the paragraphs before it, read by those behind it" } (PreEscaped(figure)) }
        }
    };
    Some(section.into_string())
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes every write");
}

/// The links from a page to lines. There are millions of them in an estate, so that the link to each source is made once.
struct LineLinks<'a> {
    site: &'a Site,
    path: &'a str,
    source: &'a str,
    /// The links to the sources, ready for an attribute; `None` for sources without a page.
    bases: BTreeMap<&'a str, Option<String>>,
}

impl<'a> LineLinks<'a> {
    /// Writes the link to a line. Its text has the path of another source only if that is asked for, else its name.
    fn write(&mut self, place: &'a ItemLine, is_named: bool, out: &mut String) {
        let Self { site, path, source, .. } = *self;
        let file = place.file.as_deref().unwrap_or(source);
        let base = self
            .bases
            .entry(file)
            .or_insert_with(|| site.has_source(file).then(|| attribute(&site.href(path, &source_path(file), None))));
        let line = place.line;
        if let Some(base) = base {
            put(out, format_args!("<a href=\"{base}#{}\">", line_anchor(line.get())));
        }
        match &place.file {
            Some(other) if is_named => put(out, format_args!("{}:{line}", attribute(other))),
            Some(other) => put(out, format_args!("{}:{line}", attribute(other.rsplit('/').next().unwrap_or(other)))),
            None => put(out, format_args!("{line}")),
        }
        if base.is_some() {
            out.push_str("</a>");
        }
    }
}

/// Draws the records that most paragraphs work on: from those that set them to those that read them.
fn flows(items: &[ItemPlaces]) -> Vec<(&str, Flowchart)> {
    let mut records: BTreeMap<&str, [Vec<&str>; 2]> = BTreeMap::new();
    for item in items {
        let sides = records.entry(item.record.as_deref().unwrap_or(&item.name)).or_default();
        for (side, paragraphs) in sides.iter_mut().zip([&item.set_in, &item.read_in]) {
            for paragraph in paragraphs {
                if !side.contains(&paragraph.as_str()) {
                    side.push(paragraph);
                }
            }
        }
    }
    let is_group = |record: &str| items.iter().any(|item| item.record.as_deref() == Some(record));
    let mut found: Vec<(&str, [Vec<&str>; 2])> = records
        .into_iter()
        .filter(|(record, [set, read])| {
            is_group(record) && !set.is_empty() && !read.is_empty() && set.len() + read.len() > 2
        })
        .collect();
    found.sort_by_key(|(record, [set, read])| (std::cmp::Reverse(set.len() + read.len()), *record));
    found.truncate(RECORDS);
    found.into_iter().map(|(record, sides)| (record, flow(record, &sides))).collect()
}

fn flow(record: &str, [set, read]: &[Vec<&str>; 2]) -> Flowchart {
    let mut chart = Flowchart { is_across: true, ..Flowchart::default() };
    let middle = chart.add_box(record, true);
    for (paragraphs, is_set) in [(set, true), (read, false)] {
        let more = paragraphs.len().saturating_sub(PARAGRAPHS);
        let labels = paragraphs.iter().take(PARAGRAPHS).map(|name| (*name).to_owned());
        for label in labels.chain((more > 0).then(|| format!("{more} more"))) {
            // A paragraph that does both stands on both sides.
            let other = chart.add_box(label, false);
            let (from, to) = if is_set { (other, middle) } else { (middle, other) };
            chart.add_arrow(from, to, "");
        }
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, record: Option<&str>, set_in: &[&str], read_in: &[&str]) -> ItemPlaces {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ItemPlaces {
            name: name.to_owned(),
            record: record.map(str::to_owned),
            picture: None,
            declared: None,
            set: Vec::new(),
            read: Vec::new(),
            set_in: owned(set_in),
            read_in: owned(read_in),
        }
    }

    #[test]
    fn a_record_is_drawn_between_what_sets_and_what_reads_any_part_of_it() {
        let items = [
            item("R", None, &["READ-ONE"], &[]),
            item("R-A", Some("R"), &["INIT", "READ-ONE"], &["PRINT"]),
            item("WS-ALONE", None, &["INIT", "PRINT"], &["PRINT"]),
            item("S-A", Some("S"), &["INIT"], &[]),
        ];
        let drawn = flows(&items);
        assert_eq!(drawn.len(), 1, "an item without parts is no record, and what is only set goes nowhere");
        let labels: Vec<&str> = drawn[0].1.boxes.iter().map(|part| part.label.as_str()).collect();
        assert_eq!(labels, ["R", "READ-ONE", "INIT", "PRINT"]);
    }
}
