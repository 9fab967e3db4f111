//! The initial values of items that redefine others: the VALUEs at the same offsets.
//!
//! A table of names is often written as a group of fillers with VALUEs, and a table that redefines the group. Offsets and lengths
//! determine the filler of each occurrence.

use super::grammar::unquoted;
use crate::model::DataItem;
use foldhash::{HashMap, HashMapExt};

/// The maximum number of occurrences examined.
const OCCURRENCES: usize = 10_000;

/// The values in redefined groups; each group is examined once.
pub(super) struct RedefinedValues<'a> {
    items: &'a [DataItem],
    /// For each item that redefines another, the item that it finally redefines.
    redefined: Vec<Option<u32>>,
    /// The literals in each redefined group, by offset.
    given: HashMap<usize, Vec<(u64, usize)>>,
}

impl<'a> RedefinedValues<'a> {
    /// Finds the redefined item of each item.
    pub(super) fn of(items: &'a [DataItem]) -> Self {
        let mut named: HashMap<(Option<usize>, Option<usize>, &str), usize> = HashMap::new();
        let mut redefined: Vec<Option<u32>> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let target = item.redefines.as_deref().filter(|_| item.level != 66);
            let found = target.and_then(|name| named.get(&(item.program, item.parent, name)).copied());
            // A redefinition of a redefinition begins at the same offset.
            redefined.push(found.map(|found| redefined[found].unwrap_or(found as u32)));
            named.insert((item.program, item.parent, item.name.as_ref()), index);
        }
        Self { items, redefined, given: HashMap::new() }
    }

    /// Returns the initial values of an item's occurrences, each with the index of the item that has the VALUE. An occurrence
    /// outside a single item with a literal VALUE has none.
    pub(super) fn values_at(&mut self, item: usize) -> Vec<(String, usize)> {
        let items = self.items;
        let own = &items[item];
        let (Some(offset), Some(length)) = (own.offset, own.length.filter(|length| *length > 0)) else {
            return Vec::new();
        };
        let Some(redefined) = self.redefined(item) else { return Vec::new() };
        let given = self.given.entry(redefined).or_insert_with(|| given(items, redefined));
        let mut found = Vec::new();
        for start in starts(items, item, offset) {
            let before = given.partition_point(|(at, _)| *at <= start);
            let Some((at, giving)) = before.checked_sub(1).map(|place| given[place]) else { continue };
            let giver = &items[giving];
            let (from, to) = ((start - at) as usize, (start - at + length) as usize);
            let is_inside = giver.length.is_some_and(|length| to as u64 <= length);
            let text = giver.value.as_deref().map(unquoted).unwrap_or_default();
            if is_inside && let Some(value) = text.get(from.min(text.len())..to.min(text.len())) {
                found.push((value.trim().to_uppercase(), giving));
            }
        }
        found
    }

    /// Returns the item that this one, or a group above it, finally redefines.
    fn redefined(&self, item: usize) -> Option<usize> {
        let mut at = Some(item);
        while let Some(index) = at {
            if let Some(found) = self.redefined[index] {
                return Some(found as usize);
            }
            at = self.items[index].parent;
        }
        None
    }
}

/// Returns the items in a group that have a literal VALUE, by offset.
fn given(items: &[DataItem], group: usize) -> Vec<(u64, usize)> {
    let level = items[group].level;
    let parts = items[group + 1..].iter().take_while(|part| part.level > level && !matches!(part.level, 77));
    let own = std::iter::once((group, &items[group])).chain((group + 1..).zip(parts));
    let literals = own.filter(|(_, part)| {
        part.level < 50 && part.value.as_deref().is_some_and(|value| value.starts_with(['\'', '"']))
    });
    let mut given: Vec<(u64, usize)> = literals.filter_map(|(place, part)| Some((part.offset?, place))).collect();
    given.sort_unstable();
    given
}

/// Returns the offsets of all occurrences of an item.
fn starts(items: &[DataItem], item: usize, offset: u64) -> Vec<u64> {
    let mut starts = vec![offset];
    let mut at = Some(item);
    while let Some(index) = at {
        let own = &items[index];
        if let (Some(times), Some(stride)) = (own.occurs, own.length) {
            let before = std::mem::take(&mut starts);
            for time in 0..u64::from(times) {
                if starts.len() + before.len() > OCCURRENCES {
                    break;
                }
                starts.extend(before.iter().map(|start| start + time * stride));
            }
        }
        at = own.parent;
    }
    starts
}

#[cfg(test)]
mod tests {
    use crate::{LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    #[test]
    fn a_table_of_names_over_fillers_gives_the_candidates_of_its_item() {
        let code = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 MENU.
          05 ENTRIES.
             10 FILLER PIC 9(02) VALUE 1.
             10 FILLER PIC X(08) VALUE 'POLINQ'.
             10 FILLER PIC 9(02) VALUE 2.
             10 FILLER PIC X(08) VALUE 'POLMAINT'.
             10 FILLER PIC X(20) VALUE '03CLMREG  04         '.
          05 OPTIONS REDEFINES ENTRIES.
             10 OPTION-ENTRY OCCURS 4.
                15 OPTION-NUMBER PIC 9(02).
                15 OPTION-PROGRAM PIC X(08).
       PROCEDURE DIVISION.
           CALL OPTION-PROGRAM(2).
           GOBACK.
";
        let source = SourceText::read("T.cbl", code.into(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        let found: Vec<_> = parsed.calls[0].candidates.iter().map(|(name, line)| (name.as_str(), line.get())).collect();
        assert_eq!(found, [("POLINQ", 8), ("POLMAINT", 10), ("CLMREG", 11)]);
    }
}
