//! Sums up data items that moved in their record by the same distance.

use super::change::{ChangeKind, ChangeValue, ItemChange};
use std::collections::BTreeMap;

/// The minimum number of items of a record that are summed up.
const FEWEST: usize = 3;

/// Returns the changes with items that moved by the same number of bytes in one record combined.
pub fn summarize_moves(changes: Vec<ItemChange>) -> Vec<ItemChange> {
    type MoveKey = (Option<String>, (String, String), i128);
    let mut moved: BTreeMap<MoveKey, Vec<usize>> = BTreeMap::new();
    for (at, change) in changes.iter().enumerate() {
        if let Some((record, by)) = moved_by(change) {
            moved.entry((change.program.clone(), record, by)).or_default().push(at);
        }
    }
    moved.retain(|_, items| items.len() >= FEWEST);
    let mut summed: BTreeMap<usize, ItemChange> = BTreeMap::new();
    let mut is_told = vec![false; changes.len()];
    for ((_, (before, record), _), mut items) in moved {
        // Sorted by position, which gives the same order before and after.
        items.sort_by_key(|at| {
            let (was, is) = (name_before(&changes[*at]), changes[*at].item.as_str());
            (offset(&changes[*at].after), was.min(is), was.max(is))
        });
        let (first, last) = (&changes[items[0]], &changes[items[items.len() - 1]]);
        let span =
            |place: fn(&ItemChange) -> String| Some(ChangeValue::Text(format!("{} to {}", place(first), place(last))));
        let told = ItemChange {
            was: (before != record).then_some(before),
            item: record,
            before: span(|change| at(name_before(change), &change.before)),
            after: span(|change| at(&change.item, &change.after)),
            lines_before: None,
            lines_after: None,
            count: items.len() as u64,
            ..first.clone()
        };
        items.iter().for_each(|at| is_told[*at] = true);
        summed.insert(items.iter().copied().min().unwrap_or_default(), told);
    }
    let one = |(at, change)| summed.remove(&at).or_else(|| (!is_told[at]).then_some(change));
    changes.into_iter().enumerate().filter_map(one).collect()
}

/// Returns the record in which an item moved, and the distance in bytes.
fn moved_by(change: &ItemChange) -> Option<((String, String), i128)> {
    let is_move = change.kind == ChangeKind::Moved && change.what.as_deref() == Some("offset");
    let record = change.record.as_ref().filter(|_| is_move)?;
    let (before, after) = (offset(&change.before)?, offset(&change.after)?);
    Some((record.clone(), i128::from(after) - i128::from(before)))
}

fn name_before(change: &ItemChange) -> &str {
    change.was.as_deref().unwrap_or(&change.item)
}

fn at(name: &str, told: &Option<ChangeValue>) -> String {
    format!("{name} at {}", offset(told).unwrap_or_default())
}

fn offset(told: &Option<ChangeValue>) -> Option<u64> {
    match told {
        Some(ChangeValue::Text(text)) => text.parse().ok(),
        _ => None,
    }
}
