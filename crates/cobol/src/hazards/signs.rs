//! Differences that lose their sign.

use super::extents::{Extent, is_whole};
use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::{is_whole_item, move_operands};
use crate::model::DataItem;
use crate::operands::{OperandKind, OperandRole};
use crate::storage::Place;
use crate::verb::Verb;
use foldhash::{HashMap, HashSet, HashSetExt};
use std::collections::BTreeMap;

pub(super) fn has_sign(item: &DataItem) -> bool {
    item.picture.as_ref().is_some_and(|picture| picture.contains(['S', 's']))
}

/// Finds the differences that are moved to numbers without a sign, and that nothing compares with a limit.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, items, limits, .. } = *context;
    let differences = differences(context);
    if differences.is_empty() {
        return;
    }
    let excused = set_otherwise(context, &differences);
    let own = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.file.is_none());
    for (index, statement) in own {
        let Some(moved) = move_operands(parsed, statement).filter(|moved| !moved.corresponds) else { continue };
        let from = items.find(moved.from.name(), statement.program).filter(|_| is_whole(moved.from));
        let Some(from) = from.filter(|from| differences.contains(from) && !limits.is_limited(*from)) else { continue };
        if excused.contains(&(index, from)) {
            continue;
        }
        for to in &moved.to {
            let target = items.find(to.name(), statement.program).filter(|_| is_whole_item(*to));
            let Some(target) = target.map(|target| &parsed.data_items[target]) else { continue };
            let is_edited = Extent::of_edited(*to, items, statement).is_some();
            let is_number = is_edited || Extent::of_item(target).is_some_and(|extent| extent.is_numeric);
            let shows_sign = |picture: &str| picture.to_uppercase().contains(['S', '+', '-', 'C', 'D']);
            if is_number && target.picture.as_deref().is_some_and(|picture| !shows_sign(picture)) {
                let kind = HazardKind::LostSign { item: parsed.data_items[from].name.clone(), to: target.name.clone() };
                found.add(kind, statement.program, statement.own_lines());
            }
        }
    }
}

/// Returns the items with a sign that get the difference of two items.
fn differences(context: &HazardContext<'_>) -> HashSet<usize> {
    let HazardContext { analysis, parsed, .. } = *context;
    let all = (0..parsed.statements.len()).filter(|index| is_difference(context, *index));
    let set = all.flat_map(|index| analysis.def_use().of_statement(index)).filter(|used| used.is_set());
    set.map(|used| used.item()).filter(|item| has_sign(&parsed.data_items[*item])).collect()
}

/// Whether a statement computes the difference of two items.
fn is_difference(context: &HazardContext<'_>, index: usize) -> bool {
    let (parsed, statement) = (context.parsed, &context.parsed.statements[index]);
    let subtracts = match statement.verb {
        Verb::Compute => parsed.words(statement).iter().any(|word| word.is_sign("-")),
        Verb::Subtract => true,
        _ => false,
    };
    // Counting down by a constant is limited by what ends the loop.
    let mut read = parsed.operands(statement).filter(|operand| operand.role() == OperandRole::Read);
    subtracts && !read.any(|operand| operand.kind() == OperandKind::Constant)
}

/// Returns the statements that read one of these items, each with the item, if a statement before them in the same list last sets its storage, and
/// that to no difference. Paragraphs that are performed between the two may set it out of sight.
fn set_otherwise(context: &HazardContext<'_>, items: &HashSet<usize>) -> HashSet<(usize, usize)> {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let (mut setters, mut place, mut found) = (LastSetters::default(), None, HashSet::new());
    for (index, statement) in parsed.statements.iter().enumerate() {
        if place != Some(statement.paragraph) {
            (setters, place) = (LastSetters::default(), Some(statement.paragraph));
        }
        let used = analysis.def_use().of_statement(index);
        for read in used.iter().filter(|used| used.is_read() && items.contains(&used.item())) {
            let last = setters.at(&storage.place(read.item())).map(|(_, _, by)| by).max();
            let beside = last.filter(|last| parsed.statements[*last].branch == statement.branch);
            if beside.is_some_and(|last| !is_difference(context, last)) {
                found.insert((index, read.item()));
            }
        }
        for set in used.iter().filter(|used| used.is_set()) {
            setters.set(storage.place(set.item()), index);
        }
        if statement.verb == Verb::Perform && context.loop_branch(index).is_none() {
            setters = LastSetters::default();
        }
    }
    found
}

/// The statements that last set the bytes of records: for each record the first byte of a range, the byte behind it, and the statement.
#[derive(Default)]
struct LastSetters(HashMap<usize, BTreeMap<u64, (u64, usize)>>);

impl LastSetters {
    /// Returns the ranges that share a byte with a place, each with its statement.
    fn at(&self, (root, range): &Place) -> impl Iterator<Item = (u64, u64, usize)> {
        let before = self.0.get(root).into_iter().flat_map(|ranges| ranges.range(..range.end).rev());
        before.map(|(start, (end, by))| (*start, *end, *by)).take_while(|(_, end, _)| *end > range.start)
    }

    fn set(&mut self, place: Place, statement: usize) {
        let replaced: Vec<_> = self.at(&place).collect();
        let (root, range) = place;
        let ranges = self.0.entry(root).or_default();
        for (start, end, by) in replaced {
            ranges.remove(&start);
            if start < range.start {
                ranges.insert(start, (range.start, by));
            }
            if end > range.end {
                ranges.insert(range.end, (end, by));
            }
        }
        ranges.insert(range.start, (range.end, statement));
    }
}
