//! Groups that are moved to shorter items and back: what does not fit comes back as blanks.

use super::extents::is_whole;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::move_operands;
use crate::model::{DataItem, Statement};
use crate::operands::Operand;
use foldhash::HashSet;

/// Finds the MOVEs of a group to a shorter item that another MOVE brings back, where a part that is used does not fit.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let all = &parsed.data_items;
    let may_vary = |item: &DataItem| item.depending_on.is_some() || item.attributes.any_length;
    let is_variable = parsed.mark_groups(may_vary);
    // A record of several forms is as long as the form that it has.
    let has_forms: HashSet<usize> = parsed.redefinitions().into_iter().flat_map(|(item, of)| [item, of]).collect();
    let of_file = |item: &DataItem| item.parent.is_none() && item.section.as_deref() == Some("FILE");
    let mut moves: Vec<(&Statement, usize, usize)> = Vec::new();
    for statement in &parsed.statements {
        let Some(moved) = move_operands(parsed, statement).filter(|moved| !moved.corresponds) else { continue };
        let find = |operand: Operand<'_>| items.find(operand.name(), statement.program).filter(|_| is_whole(operand));
        let Some(from) = find(moved.from) else { continue };
        moves.extend(moved.to.iter().filter_map(|to| Some((statement, from, find(*to)?))));
    }
    let pairs: HashSet<(usize, usize)> = moves.iter().map(|(_, from, to)| (*from, *to)).collect();
    let mut used: Option<HashSet<usize>> = None;
    for (statement, from, to) in moves {
        let (Some(length), Some(room)) = (all[from].length, all[to].length) else { continue };
        let is_variable = is_variable[from] || is_variable[to] || has_forms.contains(&from) || of_file(&all[from]);
        let is_plain = all[from].picture.is_none() && !is_variable;
        if !is_plain || length <= room || statement.file.is_some() || !pairs.contains(&(to, from)) {
            continue;
        }
        let used = used.get_or_insert_with(|| analysis.def_use().all().iter().map(|used| used.item()).collect());
        let end = all[from].offset.unwrap_or(0) + room;
        let parts = all.iter().enumerate().skip(from + 1).take_while(|(_, item)| item.level > all[from].level);
        let is_lost = |item: &DataItem| item.offset.zip(item.whole_length()).is_some_and(|(at, long)| at + long > end);
        let lost: Vec<(usize, &DataItem)> = parts.filter(|(_, item)| is_lost(item)).collect();
        let has_forms = lost.iter().any(|(index, _)| has_forms.contains(index));
        let is_used = |(index, item): &&(usize, &DataItem)| item.picture.is_some() && used.contains(index);
        let lost: Vec<String> = lost.iter().filter(is_used).map(|(_, item)| item.name.clone()).collect();
        if !lost.is_empty() && !has_forms {
            let (from, to) = (all[from].name.clone(), all[to].name.clone());
            found.add(HazardKind::GroupCut { from, length, to, room, lost }, statement.program, statement.own_lines());
        }
    }
}
