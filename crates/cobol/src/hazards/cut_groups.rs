//! Groups that are moved to shorter items and back: what does not fit comes back as blanks.

use super::extents::{is_whole, parts_behind};
use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::move_operands;
use crate::model::{DataItem, Statement};
use crate::operands::Operand;
use foldhash::HashSet;
use std::collections::BTreeMap;

/// Finds the MOVEs of a group to a shorter item that another MOVE brings back, where a part that is used does not fit.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let all = &parsed.data_items;
    let mut moves: BTreeMap<(usize, usize), Vec<&Statement>> = BTreeMap::new();
    for statement in &parsed.statements {
        let Some(moved) = move_operands(parsed, statement).filter(|moved| !moved.corresponds) else { continue };
        let find = |operand: Operand<'_>| items.find(operand.name(), statement.program).filter(|_| is_whole(operand));
        let Some(from) = find(moved.from) else { continue };
        for to in moved.to.iter().filter_map(|to| find(*to)) {
            moves.entry((from, to)).or_default().push(statement);
        }
    }
    let is_longer = |from: usize, to: usize| all[from].picture.is_none() && all[from].length > all[to].length;
    let there_and_back = |(from, to): &(usize, usize)| is_longer(*from, *to) && moves.contains_key(&(*to, *from));
    let pairs: Vec<(usize, usize)> = moves.keys().copied().filter(there_and_back).collect();
    if pairs.is_empty() {
        return;
    }
    let is_variable = parsed.mark_groups(DataItem::may_vary);
    // A record of several forms is as long as the form that it has.
    let has_forms: HashSet<usize> = parsed.redefinitions().into_iter().flat_map(|(item, of)| [item, of]).collect();
    let of_file = |item: &DataItem| item.parent.is_none() && item.section.as_deref() == Some("FILE");
    let used: HashSet<usize> = analysis.def_use().all().iter().map(|used| used.item()).collect();
    for (from, to) in pairs {
        let (Some(length), Some(room)) = (all[from].length, all[to].length) else { continue };
        let lost: Vec<usize> = parts_behind(parsed, from, room).collect();
        let has_forms = lost.iter().chain([&from]).any(|index| has_forms.contains(index));
        if has_forms || is_variable[to] || of_file(&all[from]) && !is_variable[from] {
            continue;
        }
        let is_used = |index: &&usize| all[**index].picture.is_some() && used.contains(*index);
        let lost: Vec<String> = match is_variable[from] {
            true => lost.iter().find_map(|table| entry_that_is_cut(all, *table, (from, room))).into_iter().collect(),
            false => lost.iter().filter(is_used).map(|index| all[*index].name.clone()).collect(),
        };
        if lost.is_empty() {
            continue;
        }
        let kind = HazardKind::GroupCut { from: all[from].name.clone(), length, to: all[to].name.clone(), room, lost };
        for statement in moves[&(from, to)].iter().filter(|statement| statement.file.is_none()) {
            found.add(kind.clone(), statement.program, statement.own_lines());
        }
    }
}

/// Returns the first entry of a table of varying length that does not fit into so many bytes of its group: `entry 29 of ELEMENTS`.
fn entry_that_is_cut(items: &[DataItem], table: usize, (group, room): (usize, u64)) -> Option<String> {
    let (of_table, begins) = (&items[table], items[group].offset.unwrap_or_default());
    of_table.depending_on.as_ref()?;
    let entries = u64::from(of_table.occurs?);
    let fitting = (begins + room).saturating_sub(of_table.offset?).checked_div(of_table.length?)?;
    (fitting < entries).then(|| format!("entry {} of {}", fitting + 1, of_table.name))
}
