//! Where the data items of a source are set and read.

use std::collections::BTreeMap;
use war_rig_cobol::{Analysis, ParsedCobol};
use war_rig_site::{ItemLine, ItemPlaces};

/// Returns the items of a source in the order of its lines: all that it declares itself, and of copied ones those that its statements name.
pub(super) fn item_places(analysis: &Analysis) -> Vec<ItemPlaces> {
    let parsed = analysis.parsed();
    let mut places: BTreeMap<usize, ItemPlaces> = BTreeMap::new();
    let is_named = |name: &str| !matches!(name, "FILLER" | "");
    let own = parsed.data_items.iter().enumerate().filter(|(_, item)| item.file.is_none() && item.level != 88);
    for (index, _) in own.filter(|(_, item)| is_named(&item.name)) {
        places.insert(index, declared(parsed, index));
    }
    for (used, place) in analysis.def_use().with_places(parsed) {
        if !is_named(&parsed.data_items[used.item()].name) {
            continue;
        }
        let item = places.entry(used.item()).or_insert_with(|| declared(parsed, used.item()));
        let line = ItemLine { file: place.file.map(str::to_owned), line: place.line };
        let paragraph = place.paragraph.map(|paragraph| &parsed.paragraphs[paragraph].name);
        let note = |lines: &mut Vec<ItemLine>, paragraphs: &mut Vec<String>| {
            lines.push(line.clone());
            if let Some(name) = paragraph.filter(|name| !paragraphs.contains(name)) {
                paragraphs.push(name.clone());
            }
        };
        if used.is_set() || used.is_passed() {
            note(&mut item.set, &mut item.set_in);
        }
        if used.is_read() {
            note(&mut item.read, &mut item.read_in);
        }
    }
    for item in places.values_mut() {
        for lines in [&mut item.set, &mut item.read] {
            lines.sort();
            lines.dedup();
        }
    }
    places.into_values().collect()
}

fn declared(parsed: &ParsedCobol, index: usize) -> ItemPlaces {
    let item = &parsed.data_items[index];
    let above = std::iter::successors(item.parent, |parent| parsed.data_items[*parent].parent).last();
    ItemPlaces {
        name: item.name.clone(),
        record: above.map(|record| parsed.data_items[record].name.clone()),
        picture: item.picture.as_deref().map(str::to_owned),
        declared: item.line.map(|line| ItemLine { file: item.file.clone(), line }),
        set: Vec::new(),
        read: Vec::new(),
        set_in: Vec::new(),
        read_in: Vec::new(),
    }
}
