//! The data items of a document: its own in full, and references to those that a copybook's document describes.
//!
//! A reference replaces all items of one COPY, and only if the copybook, parsed by itself, has the same items: what replaces text, the clauses and
//! items around the COPY, and the program's SPECIAL-NAMES and constants may change them.

use crate::skeleton::program_name;
use foldhash::{HashMap, HashMapExt};
use std::collections::BTreeMap;
use std::sync::Arc;
use war_rig_cobol::{
    CopybookReference, DataItem as Found, ParsedCobol, TableContents as FoundContents, TableKey,
    comments::item_comments,
};
use war_rig_template::{
    CopiedItems, CopiedRecord, DataDictionaryItem, ItemOrigin, KeyOrder, OrderedKey, TableContents,
};
use war_rig_text::SourceText;

/// The data items that the documents of copybooks show, by the copybook's file name.
pub type CopybookItems = BTreeMap<String, Arc<Vec<Found>>>;

/// Returns the data items of a file in source order, with references for those that the documents of these copybooks describe.
pub(crate) fn data_items(
    source: &SourceText,
    parsed: &ParsedCobol,
    documented: &CopybookItems,
) -> (Vec<DataDictionaryItem>, Vec<CopiedItems>) {
    let mut copies = Copies::of(parsed, documented);
    let (mut own, mut copied) = (Vec::new(), Vec::new());
    let mut contents = FoundContents::of(parsed);
    let mut comments = item_comments(source, parsed);
    let mut behind = None;
    let mut at = 0;
    while let Some(item) = parsed.data_items.get(at) {
        match copies.begun_at(at, behind) {
            Some((copy, count)) => {
                let run = &parsed.data_items[at..at + count];
                copied.push(reference(parsed, copy, run, program_name(parsed, item.program)));
                at += count;
            }
            None => {
                behind = Some(item).filter(|item| item.file.is_none()).or(behind);
                let described = described(item, contents.remove(&at), program_name(parsed, item.program));
                own.extend(described.map(|item| DataDictionaryItem { comment: comments.remove(&at), ..item }));
                at += 1;
            }
        }
    }
    (own, copied)
}

/// Returns all items of a source, for a document that refers to no other.
pub fn data_dictionary(items: &[Found]) -> Vec<DataDictionaryItem> {
    items.iter().filter_map(|item| described(item, None, None)).collect()
}

fn described(item: &Found, contents: Option<FoundContents>, program: Option<String>) -> Option<DataDictionaryItem> {
    let table = item.table.as_deref();
    Some(DataDictionaryItem {
        name: item.name.clone(),
        level: item.level,
        picture: item.picture.as_deref().map(str::to_owned),
        usage: item.usage.map(str::to_owned),
        offset: item.offset,
        length: item.length,
        occurs: item.occurs,
        min_occurs: table.map(|table| table.min_occurs).filter(|least| item.occurs.is_some_and(|most| *least < most)),
        depending_on: item.depending_on.as_deref().map(str::to_owned),
        keys: table.into_iter().flat_map(|table| &table.keys).map(ordered_key).collect(),
        contents: contents.map(|FoundContents { columns, rows }| TableContents { columns, rows }),
        redefines: item.redefines.as_deref().map(str::to_owned),
        clauses: item.clauses().map(|clause| clause.into_owned()).collect(),
        value: value(item),
        comment: None,
        line: item.lines?.start(),
        file: item.file.clone(),
        origin: ItemOrigin::Parser,
        program,
    })
}

fn ordered_key(key: &TableKey) -> OrderedKey {
    let order = if key.is_ascending { KeyOrder::Ascending } else { KeyOrder::Descending };
    OrderedKey { name: key.name.clone(), order }
}

fn reference(parsed: &ParsedCobol, copy: &CopybookReference, items: &[Found], program: Option<String>) -> CopiedItems {
    let part_of = items[0].parent.map(|parent| parsed.data_items[parent].name.clone());
    let is_record = |item: &Found| matches!(item.level, 1 | 77);
    let records = items.iter().filter(|item| is_record(item));
    let records = records.map(|item| CopiedRecord { name: item.name.clone(), length: item.length });
    CopiedItems {
        copybook: copy.resolved.clone().unwrap_or_default(),
        line: copy.lines.start(),
        items: items.len() as u64,
        records: records.collect(),
        offset: items[0].offset.filter(|_| !is_record(&items[0])),
        part_of,
        program,
    }
}

/// The COPY statements of a file whose items the documents of copybooks may describe.
struct Copies<'a> {
    parsed: &'a ParsedCobol,
    /// Those that no reference is made for yet, in source order, by the file that their first item stands in.
    left: HashMap<&'a str, Vec<(&'a CopybookReference, &'a [Found])>>,
}

impl<'a> Copies<'a> {
    fn of(parsed: &'a ParsedCobol, documented: &'a CopybookItems) -> Self {
        let mut left: HashMap<&str, Vec<_>> = HashMap::new();
        // A COPY with REPLACING could be taken for a later one without: what it brings has the same lines.
        for copy in parsed.copies.iter().filter(|copy| copy.file.is_none() && !copy.replacing) {
            let Some(file) = copy.resolved.as_deref() else { continue };
            if let Some(items) = documented.get(file)
                && let Some(first) = items.first()
            {
                left.entry(first.file.as_deref().unwrap_or(file)).or_default().push((copy, items.as_slice()));
            }
        }
        Self { parsed, left }
    }

    /// Returns the COPY whose items begin with this one, and how many there are; `None` if the document has to describe it. `behind` is the last item of
    /// the file itself before this one.
    fn begun_at(&mut self, at: usize, behind: Option<&Found>) -> Option<(&'a CopybookReference, usize)> {
        let items = &self.parsed.data_items;
        let candidates = self.left.get_mut(items[at].file.as_deref()?)?;
        let behind = behind.filter(|item| item.program == items[at].program).and_then(|item| item.line);
        let found = candidates.iter().position(|(copy, alone)| {
            copy.program == items[at].program
                && behind.is_none_or(|line| line <= copy.lines.start())
                && copy.resolved.as_deref().is_some_and(|file| are_the_same(items, at, alone, file))
        })?;
        let (copy, alone) = candidates.remove(found);
        Some((copy, alone.len()))
    }
}

/// Whether the items from this one on are those of a copybook parsed by itself, as its document shows them.
fn are_the_same(items: &[Found], first: usize, alone: &[Found], file: &str) -> bool {
    let Some(run) = items.get(first..first + alone.len()) else { return false };
    let group = run[0].parent;
    // What stands before the first record of a copybook is a part of the record that the program begins.
    let mut shift = run[0].offset.unwrap_or_default();
    let is_same = run.iter().zip(alone).all(|(found, alone)| {
        if matches!(alone.level, 1 | 77) {
            shift = 0;
        }
        let has_same_parent = match (found.parent, alone.parent) {
            (Some(found), Some(alone)) => found == first + alone,
            (parent, None) => parent == group || (parent.is_none() && matches!(alone.level, 1 | 77)),
            (None, Some(_)) => false,
        };
        has_same_parent
            && (found.level, &found.name, found.usage) == (alone.level, &alone.name, alone.usage)
            && (&found.picture, &found.value) == (&alone.picture, &alone.value)
            && (found.length, found.occurs, &found.redefines) == (alone.length, alone.occurs, &alone.redefines)
            && found.attributes == alone.attributes
            && (&found.depending_on, &found.table) == (&alone.depending_on, &alone.table)
            && (found.lines, found.program) == (alone.lines, run[0].program)
            && found.file.as_deref() == Some(alone.file.as_deref().unwrap_or(file))
            && found.offset == alone.offset.map(|offset| offset + shift)
    });
    // A part that the program adds belongs to an item that the copybook's document shows without it.
    let mut behind = items[first + alone.len()..].iter().map_while(|item| item.parent);
    is_same && !behind.any(|parent| parent >= first)
}

/// Returns the VALUE of an item as written, with that which SET TO FALSE gives.
fn value(item: &Found) -> Option<String> {
    let value = item.value.as_deref()?;
    Some(match item.false_value.as_deref() {
        Some(other) => format!("{value} FALSE {other}"),
        None => value.to_owned(),
    })
}
