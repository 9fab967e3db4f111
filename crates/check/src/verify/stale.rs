//! A document whose source has changed since it was written.

use super::citations::each;
use super::items::lines_of;
use super::{FindingCollector, GroundTruth, as_json};
use crate::rule::Rule;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_template::{Citation, DataDictionaryItem, Document, DocumentItem, Paragraph};
use war_rig_text::{LineRange, LinesHash};

/// The maximum number of names in a message.
const NAMED: usize = 4;

/// Reports what changed, and which statements of the document are outdated.
pub(super) fn changed(document: &Document, truth: GroundTruth<'_>, findings: &mut FindingCollector<'_>) {
    let expected = truth.expected;
    let old = paragraphs(document);
    let new = paragraphs(expected);
    let in_order = expected.paragraphs.iter().filter(|paragraph| own_citation(paragraph, expected).is_some());
    let mut edited = Vec::new();
    let mut added = Vec::new();
    let mut first: Option<LineRange> = None;
    for paragraph in in_order {
        let key = key(paragraph);
        let (lines, hash) = new[&key];
        match old.get(&key) {
            Some((_, before)) if *before == hash => continue,
            Some(_) => edited.push(paragraph.paragraph_name.as_str()),
            None => added.push(paragraph.paragraph_name.as_str()),
        }
        first = first.or(Some(lines));
    }
    let gone: Vec<&str> = (document.paragraphs.iter())
        .filter(|paragraph| !new.contains_key(&key(paragraph)) && own_citation(paragraph, document).is_some())
        .map(|paragraph| paragraph.paragraph_name.as_str())
        .collect();
    let items = changed_items(document, expected);
    let first = first.or_else(|| items.first().map(|item| LineRange::single(item.line)));
    let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    let lost_items = changed_items(expected, document);
    let is_lost = |item: &&&DataDictionaryItem| !items.iter().any(|new| new.name == item.name);
    let lost: Vec<&str> = lost_items.iter().filter(is_lost).map(|item| item.name.as_str()).collect();
    let gone: Vec<&str> = gone.into_iter().chain(lost).collect();
    let programs: Vec<&str> = (expected.programs.iter())
        .filter(|program| document.programs.iter().all(|old| old.program_id != program.program_id))
        .map(|program| program.program_id.as_str())
        .collect();
    let added: Vec<&str> = programs.into_iter().chain(added).collect();
    let parts: Vec<String> = [("edited", edited), ("new", added), ("gone", gone), ("changed", names)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{} {what}", listed(&names)))
        .collect();
    let told = "its source has changed since it was documented";
    let message = if parts.is_empty() { told.to_owned() } else { format!("{told}: {}", parts.join("; ")) };
    let first = first.or_else(|| first_other(document, truth));
    findings.add(Rule::StaleDocument, "header.source_hash", first, message);
    named(document, expected, findings);
    cited(document, truth, findings);
}

type ParagraphKey<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn key(paragraph: &DocumentItem<Paragraph>) -> ParagraphKey<'_> {
    (&paragraph.paragraph_name, paragraph.section.as_deref(), paragraph.program.as_deref())
}

/// Returns the citation of a whole paragraph in the documented file.
fn own_citation<'a>(paragraph: &'a DocumentItem<Paragraph>, document: &Document) -> Option<&'a Citation> {
    paragraph.citations.first().filter(|citation| citation.file() == document.header.file_name)
}

fn paragraphs(document: &Document) -> BTreeMap<ParagraphKey<'_>, (LineRange, LinesHash)> {
    let own = document.paragraphs.iter().filter_map(|paragraph| {
        let citation = own_citation(paragraph, document)?;
        Some((key(paragraph), (citation.lines(), citation.hash())))
    });
    own.collect()
}

/// Returns the file's own data items that are new or differ from the document, ignoring lines.
fn changed_items<'a>(document: &Document, expected: &'a Document) -> Vec<&'a DataDictionaryItem> {
    let shape = |item: &DataDictionaryItem| {
        let DataDictionaryItem { name, level, picture, usage, redefines, value, program, .. } = item;
        let table = (item.occurs, item.min_occurs, &item.depending_on, &item.keys, &item.contents);
        format!("{name} {level} {picture:?} {usage:?} {table:?} {redefines:?} {value:?} {program:?}")
    };
    let own = |item: &&DataDictionaryItem| item.file.is_none();
    let known: BTreeSet<String> = document.data_dictionary.iter().filter(own).map(shape).collect();
    expected.data_dictionary.iter().filter(own).filter(|item| !known.contains(&shape(item))).collect()
}

/// Returns the first cited lines whose text changed.
fn first_other(document: &Document, truth: GroundTruth<'_>) -> Option<LineRange> {
    let own = document.citations().filter(|citation| citation.file() == truth.source.name());
    let other = own.filter(|citation| LinesHash::from(truth.source.hash_lines(citation.lines())) != citation.hash());
    // The shortest of those that begin first is the most precise.
    other.map(Citation::lines).min_by_key(|lines| (lines.start(), lines.end()))
}

/// Reports which names the document has in excess, and which it lacks.
fn named(document: &Document, expected: &Document, findings: &mut FindingCollector<'_>) {
    let (said, wanted) = (names(document), names(expected));
    for (list, name) in said.keys().filter(|key| !wanted.contains_key(*key)) {
        let message = format!("the source has no `{name}` any more");
        findings.add(Rule::ClaimUnknownName, &format!("{list}.{name}"), None, message);
    }
    for ((list, name), lines) in wanted.iter().filter(|(key, _)| !said.contains_key(*key)) {
        let message = format!("the document leaves out `{name}`, which the source has");
        findings.add(Rule::ClaimMissing, &format!("{list}.{name}"), *lines, message);
    }
}

/// Returns the names of a document, with the first lines of each; paragraphs are reported as edited.
fn names(document: &Document) -> BTreeMap<(&'static str, String), Option<LineRange>> {
    let mut names = BTreeMap::new();
    let mut add = |list: &'static str, name: &str, citations: &[Citation]| {
        let lines = citations.first().map(Citation::lines);
        names.entry((list, name.to_owned())).or_insert(lines);
    };
    for call in &document.called_programs {
        add("called_programs", &call.program_name, &call.citations);
    }
    for copy in &document.copybooks_used {
        add("copybooks_used", &copy.copybook_name, &copy.citations);
    }
    for (list, items) in [("inputs", &document.inputs), ("outputs", &document.outputs)] {
        for item in items.iter().filter(|item| item.origin != war_rig_template::ItemOrigin::Model) {
            add(list, &item.name, &item.citations);
        }
    }
    for sql in &document.sql_operations {
        for table in sql.table.iter().chain(sql.tables.iter().map(|table| &table.name)) {
            add("sql_operations", table, &sql.citations);
        }
    }
    for cics in &document.cics_operations {
        if let Some(resource) = &cics.resource {
            add("cics_operations", resource, &cics.citations);
        }
    }
    names
}

/// Reports the citations whose lines changed, as one finding.
fn cited(document: &Document, truth: GroundTruth<'_>, findings: &mut FindingCollector<'_>) {
    let Some(all) = truth.source.line_range() else { return };
    let (mut total, mut moved, mut beyond) = (0_u32, Vec::new(), Vec::new());
    each(&as_json(document), "", &mut |citation: &Value, item| {
        let Ok(cited) = serde_json::from_value::<Citation>(citation.clone()) else { return };
        if cited.file() != truth.source.name() {
            return;
        }
        total += 1;
        if !all.covers(cited.lines()) {
            beyond.push((item.to_owned(), lines_of(citation)));
        } else if LinesHash::from(truth.source.hash_lines(cited.lines())) != cited.hash() {
            moved.push((item.to_owned(), lines_of(citation)));
        }
    });
    if let Some((item, lines)) = moved.first() {
        let message = format!("of {total} citations {} no longer stand where they did, the first here", moved.len());
        findings.add(Rule::CitationUnsupported, item, *lines, message);
    }
    if let Some((item, lines)) = beyond.first() {
        let message = format!(
            "of {total} citations {} point behind the end of the source, which has {} lines",
            beyond.len(),
            all.count()
        );
        findings.add(Rule::CitationOutOfRange, item, *lines, message);
    }
}

fn listed(names: &[&str]) -> String {
    let first: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
