//! Which data items share storage.

use crate::model::{DataItem, ParsedCobol};
use foldhash::{HashMap, HashMapExt};
use std::ops::Range;

/// The place of an item: its record, and its bytes there.
pub(crate) type Place = (usize, Range<u64>);

/// The places of the items of a source.
#[derive(Debug, Clone)]
pub(crate) struct Storage {
    places: Vec<Place>,
}

impl Storage {
    pub(crate) fn of(parsed: &ParsedCobol) -> Self {
        let items = &parsed.data_items;
        // A record that redefines another shares its storage, and so do the records of one file.
        let files = records_of_files(parsed);
        let roots = parsed.records_by_storage().into_iter().map(|record| files.get(&record).copied().unwrap_or(record));
        let mut is_repeated: Vec<bool> = Vec::with_capacity(items.len());
        let mut places: Vec<Place> = Vec::with_capacity(items.len());
        for (item, root) in items.iter().zip(roots) {
            // An item of a table is in all its entries.
            let table = item.parent.filter(|parent| is_repeated[*parent]).map(|parent| places[parent].1.clone());
            is_repeated.push(table.is_some() || item.occurs.is_some());
            places.push((root, table.unwrap_or_else(|| bytes(item))));
        }
        Self { places }
    }

    /// Returns the place of the item at an index.
    pub(crate) fn place(&self, item: usize) -> Place {
        self.places[item].clone()
    }

    /// Returns whether two items share a byte.
    pub(crate) fn overlap(&self, one: usize, other: usize) -> bool {
        let ((root, bytes), (same, others)) = (&self.places[one], &self.places[other]);
        root == same && bytes.start < others.end && others.start < bytes.end
    }
}

/// Returns the records of files, each with the first record of its file.
fn records_of_files(parsed: &ParsedCobol) -> HashMap<usize, usize> {
    let files = parsed.files.iter().enumerate();
    let named = files.flat_map(|(index, file)| {
        file.records.iter().filter(|name| *name != "FILLER").map(move |name| ((file.program, name.as_str()), index))
    });
    let named: HashMap<(Option<usize>, &str), usize> = named.collect();
    let mut first: HashMap<usize, usize> = HashMap::new();
    let mut found = HashMap::new();
    // A record without a name stands behind another of its file.
    let mut last = None;
    for (index, item) in parsed.data_items.iter().enumerate() {
        let is_record = item.parent.is_none() && item.section.as_deref() == Some("FILE");
        let file = named.get(&(item.program, item.name.as_str())).copied().or(last.filter(|_| item.name == "FILLER"));
        if let Some(file) = file.filter(|_| is_record) {
            last = Some(file);
            found.insert(index, *first.entry(file).or_insert(index));
        }
    }
    found
}

/// Returns the bytes of an item in its record; all of them if its own are unknown.
fn bytes(item: &DataItem) -> Range<u64> {
    let end = |start: u64| start.checked_add(item.whole_length()?);
    match item.offset.and_then(|start| Some(start..end(start)?)) {
        Some(range) if item.level != 66 && !range.is_empty() => range,
        _ => 0..u64::MAX,
    }
}

/// A set of places, which answers whether it meets another.
#[derive(Default)]
pub(crate) struct StorageSet(HashMap<usize, Vec<Range<u64>>>);

impl StorageSet {
    pub(crate) fn add(&mut self, (root, range): Place) {
        self.0.entry(root).or_default().push(range);
    }

    /// Prepares the set for questions: joins ranges that touch.
    pub(crate) fn sort(&mut self) {
        for ranges in self.0.values_mut() {
            ranges.sort_by_key(|range| range.start);
            ranges.dedup_by(|next, last| {
                let meets = next.start <= last.end;
                if meets {
                    last.end = last.end.max(next.end);
                }
                meets
            });
        }
    }

    /// Returns whether a place shares a byte with the set, which is sorted.
    pub(crate) fn meets(&self, (root, range): Place) -> bool {
        self.0.get(&root).is_some_and(|ranges| {
            let first = ranges.partition_point(|other| other.end <= range.start);
            ranges.get(first).is_some_and(|other| other.start < range.end)
        })
    }
}
