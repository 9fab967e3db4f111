//! Byte offsets and lengths of data items, by the rules of the IBM Enterprise COBOL Language Reference.
//!
//! A length is the length of one occurrence. OCCURS DEPENDING ON counts its maximum. Unknown values stay empty: a group without
//! parts, a group that contains an item of ANY LENGTH, items after a missing copybook.
//!
//! Slack bytes of SYNC: an item is moved up to its boundary, counted from the beginning of its record. If it is the first item
//! of a group, the group is moved with it. A group with OCCURS is padded to a multiple of the widest boundary in it, so that all its
//! occurrences are aligned. An item that redefines another is not moved.
//!
//! A copybook may contain the parts of a record that begins in the program. They are placed as parts of one unnamed record.

use super::picture::Picture;
use super::usage::{self, Storage};
use crate::model::{DataItem, PointerSize, SignPosition};
use foldhash::{HashMap, HashMapExt};

/// The facts that determine the size of an item, except its usage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StorageShape {
    pub(super) picture: Option<Picture>,
    /// Whether its SIGN clause has SEPARATE; none without that clause.
    pub(super) sign: Option<SignPosition>,
    pub(super) synchronized: bool,
    /// Whether it is a group of national characters.
    pub(super) national_group: bool,
    /// Whether the number of occurrences is unknown.
    pub(super) unknown_count: bool,
    /// Whether a missing copybook is between the previous item of its record and this one.
    pub(super) behind_gap: bool,
    /// Whether its position is on paper or on a screen, not in storage.
    pub(super) on_paper: bool,
}

/// The items that a level 66 renames: names with their qualifiers, the nearest first.
#[derive(Debug)]
pub(super) struct RenamesEntry {
    pub(super) item: usize,
    pub(super) first: Vec<String>,
    pub(super) last: Option<Vec<String>>,
}

/// Sets the offset and length of every item for which they are known.
pub(super) fn compute_layout(
    items: &mut [DataItem],
    shapes: &mut [StorageShape],
    renames: &[RenamesEntry],
    pointer: PointerSize,
) {
    hand_down(items, shapes);
    let boundaries = SyncBoundaries::of(items, shapes, pointer);
    let redefined = unusual_redefinitions(items);
    let mut walk =
        LayoutWalk { items, shapes, boundaries: &boundaries, redefined: &redefined, pointer, open: Vec::new() };
    for index in 0..walk.items.len() {
        walk.visit(index);
    }
    walk.close_above(None);
    rename(items, renames);
}

/// Returns whether an item has storage of its own.
fn is_stored(item: &DataItem) -> bool {
    !matches!(item.level, 66 | 78 | 88) && !item.attributes.constant
}

/// Returns whether an item is part of a record that begins outside its copybook.
fn is_loose(item: &DataItem) -> bool {
    item.parent.is_none() && item.program.is_none() && matches!(item.level, 2..=49)
}

/// Passes USAGE, SIGN and SYNC of a group to the items that do not have their own.
fn hand_down(items: &mut [DataItem], shapes: &mut [StorageShape]) {
    for index in 0..items.len() {
        if !is_stored(&items[index]) {
            continue;
        }
        if let Some(parent) = items[index].parent {
            if items[index].usage.is_none() {
                let national = shapes[parent].national_group.then_some("NATIONAL");
                items[index].usage = national.or(items[parent].usage);
            }
            let above = shapes[parent];
            let shape = &mut shapes[index];
            shape.sign = shape.sign.or(above.sign);
            shape.synchronized |= above.synchronized;
            shape.national_group |= above.national_group;
        }
        let item = &mut items[index];
        item.attributes.synchronized = shapes[index].synchronized;
        item.sign = SignPosition::default();
        if let Some(picture) = shapes[index].picture {
            let usage = *item.usage.get_or_insert(if picture.width == 2 { "NATIONAL" } else { "DISPLAY" });
            let is_of_digits = picture.signed && matches!(usage::storage(usage), Storage::Display | Storage::Wide);
            item.sign = shapes[index].sign.filter(|_| is_of_digits).unwrap_or_default();
        }
    }
}

/// The boundaries that SYNC requires, by item; 1 if it requires none.
struct SyncBoundaries {
    /// The boundary of the first elementary item in it, or its own.
    lead: Vec<u8>,
    /// The widest boundary of all elementary items in it.
    widest: Vec<u8>,
    is_group: Vec<bool>,
}

impl SyncBoundaries {
    fn of(items: &[DataItem], shapes: &[StorageShape], pointer: PointerSize) -> Self {
        let (mut lead, mut widest) = (vec![1; items.len()], vec![1; items.len()]);
        let mut is_group = vec![false; items.len()];
        // Parts follow their group, so the reverse loop visits them before it, and the first of them last.
        for index in (0..items.len()).rev().filter(|index| is_stored(&items[*index])) {
            if !is_group[index] && shapes[index].synchronized {
                let storage = usage::storage(items[index].usage.unwrap_or_default());
                lead[index] = storage.boundary(shapes[index].picture.as_ref(), pointer) as u8;
                widest[index] = lead[index];
            }
            if let Some(parent) = items[index].parent {
                is_group[parent] = true;
                lead[parent] = lead[index];
                widest[parent] = widest[parent].max(widest[index]);
            }
        }
        Self { lead, widest, is_group }
    }
}

/// Returns the index of the group that contains an item; for items of an unnamed record, an index after the last item.
fn group_of(items: &[DataItem], item: &DataItem) -> Option<usize> {
    item.parent.or_else(|| is_loose(item).then_some(items.len()))
}

/// Returns the items that redefine an item other than the last non-redefining one of their group, with the redefined item.
fn unusual_redefinitions(items: &[DataItem]) -> HashMap<usize, usize> {
    let mut last: Vec<Option<usize>> = vec![None; items.len() + 1];
    let mut unusual = Vec::new();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| is_stored(item)) {
        let Some(parent) = group_of(items, item) else { continue };
        match &item.redefines {
            Some(name) if last[parent].is_none_or(|last| items[last].name != **name) => unusual.push(index),
            Some(_) => {}
            None => last[parent] = Some(index),
        }
    }
    if unusual.is_empty() {
        return HashMap::new();
    }
    let mut redefined = HashMap::new();
    let mut names: HashMap<(usize, &str), usize> = HashMap::new();
    let mut unusual = unusual.into_iter().peekable();
    for (index, item) in items.iter().enumerate().filter(|(_, item)| is_stored(item)) {
        let Some(parent) = group_of(items, item) else { continue };
        if unusual.next_if_eq(&index).is_some()
            && let Some(target) = item.redefines.as_deref().and_then(|name| names.get(&(parent, name)))
        {
            redefined.insert(index, *target);
        }
        names.insert((parent, item.name.as_str()), index);
    }
    redefined
}

/// A group whose parts are being placed. Offsets of parts are relative to it.
struct OpenGroup {
    /// The group; none for the unnamed record of loose items.
    item: Option<usize>,
    /// The offset of the group in its own group.
    at: Option<u64>,
    /// The offset of its next part.
    next: Option<u64>,
    /// The offset of its last part that redefines nothing.
    base: Option<u64>,
}

struct LayoutWalk<'a> {
    items: &'a mut [DataItem],
    shapes: &'a [StorageShape],
    boundaries: &'a SyncBoundaries,
    redefined: &'a HashMap<usize, usize>,
    pointer: PointerSize,
    open: Vec<OpenGroup>,
}

impl LayoutWalk<'_> {
    fn visit(&mut self, index: usize) {
        if !is_stored(&self.items[index]) {
            return;
        }
        if self.shapes[index].on_paper {
            self.items[index].length = self.elementary(index);
            return;
        }
        if self.shapes[index].behind_gap {
            self.open.iter_mut().for_each(|open| open.next = None);
        }
        self.close_above(self.items[index].parent);
        if is_loose(&self.items[index]) {
            if self.open.is_empty() {
                self.open.push(OpenGroup { item: None, at: None, next: Some(0), base: Some(0) });
            }
        } else if self.items[index].parent.is_none() {
            self.open.clear();
        }
        let at = self.place(index);
        let start = match self.open.last() {
            None => Some(0),
            Some(group) => sum(self.start(group), at),
        };
        self.items[index].offset = start;
        if self.boundaries.is_group[index] {
            self.open.push(OpenGroup { item: Some(index), at, next: Some(0), base: Some(0) });
        } else {
            self.items[index].length = self.elementary(index);
            self.advance(index, at);
        }
    }

    /// Returns the offset of a group in its record.
    fn start(&self, group: &OpenGroup) -> Option<u64> {
        group.item.map_or(Some(0), |item| self.items[item].offset)
    }

    /// Returns the offset of an item in the innermost open group.
    fn place(&self, index: usize) -> Option<u64> {
        let Some(group) = self.open.last() else { return Some(0) };
        if self.items[index].redefines.is_some() {
            let target = self.redefined.get(&index).and_then(|target| self.items[*target].offset);
            let at = target.zip(self.start(group)).map(|(target, start)| target.saturating_sub(start));
            return at.or(group.base);
        }
        let boundary = u64::from(self.boundaries.lead[index]);
        let next = group.next?;
        let from_record = sum(self.start(group), Some(next)).unwrap_or(next);
        Some(next.saturating_add(from_record.next_multiple_of(boundary) - from_record))
    }

    /// Closes the groups above the given one.
    fn close_above(&mut self, parent: Option<usize>) {
        while let Some(group) = self.open.pop_if(|group| group.item != parent) {
            let Some(item) = group.item else { continue };
            let mut length = group.next;
            if self.items[item].occurs.is_some() {
                let widest = u64::from(self.boundaries.widest[item]);
                length = length.and_then(|length| length.checked_next_multiple_of(widest));
            }
            self.items[item].length = length;
            self.advance(item, group.at);
        }
    }

    /// Advances the group of an item past all occurrences of the item.
    fn advance(&mut self, index: usize, at: Option<u64>) {
        let item = &self.items[index];
        let end = sum(at, extent(item, &self.shapes[index]));
        let redefines = item.redefines.is_some();
        if let Some(group) = self.open.last_mut() {
            if redefines {
                group.next = group.next.zip(end).map(|(next, end)| next.max(end));
            } else {
                group.base = at;
                group.next = end;
            }
        }
    }

    fn elementary(&self, index: usize) -> Option<u64> {
        let (item, shape) = (&self.items[index], &self.shapes[index]);
        let storage = usage::storage(item.usage?);
        let bytes = storage.bytes(shape.picture.as_ref(), item.sign.is_separate(), self.pointer);
        bytes.filter(|_| !item.attributes.any_length)
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.zip(b).map(|(a, b)| a.saturating_add(b))
}

/// Returns the bytes of an item with all its occurrences; none if unknown.
fn extent(item: &DataItem, shape: &StorageShape) -> Option<u64> {
    let length = item.length.filter(|_| !shape.unknown_count)?;
    Some(length.saturating_mul(u64::from(item.occurs.unwrap_or(1))))
}

/// The maximum number of items with one name in one record that are compared with a qualified name.
const MOST_OF_A_NAME: usize = 64;

/// Gives level 66 the range from the first item that it renames to the end of the last one.
fn rename(items: &mut [DataItem], renames: &[RenamesEntry]) {
    let mut record = None;
    let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for entry in renames {
        let Some(own) = items[entry.item].parent else { continue };
        if record != Some(own) {
            record = Some(own);
            names.clear();
            let parts = items.iter().enumerate().skip(own + 1).take_while(|(_, item)| !matches!(item.level, 1 | 77));
            for (index, item) in parts.filter(|(_, item)| is_stored(item)) {
                names.entry(item.name.as_str()).or_default().push(index);
            }
        }
        let find = |name: &[String]| {
            let (own, qualifiers) = name.split_first()?;
            let same = names.get(own.as_str())?.iter().take(MOST_OF_A_NAME);
            same.copied().find(|index| is_qualified(items, *index, qualifiers))
        };
        let Some(first) = find(&entry.first) else { continue };
        let last = match &entry.last {
            Some(last) => find(last),
            None => Some(first),
        };
        let end = last.and_then(|last| {
            let occurs = items[last].occurs.unwrap_or(1);
            sum(items[last].offset, items[last].length.map(|length| length.saturating_mul(u64::from(occurs))))
        });
        let start = items[first].offset;
        found.push((entry.item, start, end.zip(start).map(|(end, start)| end.saturating_sub(start))));
    }
    for (index, offset, length) in found {
        items[index].offset = offset;
        items[index].length = length;
    }
}

/// Returns whether an item is within groups with these names, the nearest first.
fn is_qualified(items: &[DataItem], index: usize, qualifiers: &[String]) -> bool {
    let mut above = items[index].parent;
    qualifiers.iter().all(|qualifier| {
        while let Some(group) = above {
            above = items[group].parent;
            if items[group].name == *qualifier {
                return true;
            }
        }
        false
    })
}
