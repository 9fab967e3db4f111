//! Packed numbers of a record that gets blanks and nothing else.

use super::storage::StorageSet;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::{is_whole_item, move_operands};
use crate::verb::Verb;
use std::collections::BTreeMap;

/// Finds the packed numbers that only a MOVE of SPACES to their record sets, where something uses the record.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, storage, .. } = *context;
    let uses = analysis.def_use();
    // The records that are blanked, with the first statement that does it.
    let mut blanked: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut set, mut read) = (StorageSet::default(), StorageSet::default());
    for (index, statement) in parsed.statements.iter().enumerate() {
        let moved = move_operands(parsed, statement);
        let is_blank = moved
            .as_ref()
            .is_some_and(|moved| moved.from.words().only().is_some_and(|word| word.is("SPACES") || word.is("SPACE")));
        if let Some(moved) = moved.filter(|_| is_blank) {
            for to in moved.to.iter().filter(|to| is_whole_item(**to)) {
                blanked.extend(items.find(to.name(), statement.program).map(|group| (group, index)));
            }
            continue;
        }
        for used in uses.of_statement(index) {
            if used.is_set() {
                set.add(storage.place(used.item()));
            }
            if used.is_read() {
                read.add(storage.place(used.item()));
            }
        }
        // A record of a file goes out as a whole.
        if matches!(statement.verb, Verb::Write | Verb::Rewrite | Verb::Release) {
            let record = parsed.operands(statement).next();
            let record = record.and_then(|record| items.find(record.name(), statement.program));
            record.into_iter().for_each(|record| read.add(storage.place(record)));
        }
    }
    for used in (0..parsed.branches.len()).flat_map(|branch| uses.of_branch(branch)).filter(|used| used.is_set()) {
        set.add(storage.place(used.item()));
    }
    [&mut set, &mut read].into_iter().for_each(StorageSet::sort);
    for (group, index) in blanked {
        let statement = &parsed.statements[index];
        let record = &parsed.data_items[group];
        if statement.file.is_some()
            || record.picture.is_some()
            || !record.is_private() && record.section.as_deref() != Some("FILE")
        {
            continue;
        }
        let mut parts = parsed.parts_of(group).filter(|part| {
            let item = &parsed.data_items[*part];
            let is_packed =
                item.usage.is_some_and(|usage| matches!(usage, "COMP-3" | "COMPUTATIONAL-3" | "PACKED-DECIMAL"));
            let place = || storage.place(*part);
            is_packed && item.name != "FILLER" && !set.meets(place()) && read.meets(place())
        });
        if let Some(first) = parts.next() {
            let (item, group) = (parsed.data_items[first].name.clone(), record.name.clone());
            found.add_at(index, HazardKind::BlankNumber { item, group }, statement.program, statement.own_lines());
        }
    }
}
