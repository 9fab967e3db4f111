//! Packed numbers of a record that gets blanks and nothing else.

use super::storage_uses::StorageUses;
use super::unused::is_filled_here;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeText, WordSlice};
use crate::decisions::{ConstantRelation, is_whole_item, move_operands};
use foldhash::{HashMap, HashMapExt, HashSet};
use std::collections::BTreeMap;

/// The groups that MOVEs fill with blanks, with the indexes of those MOVEs that the source itself contains.
#[derive(Default)]
pub(super) struct BlankedGroups(BTreeMap<usize, Vec<usize>>);

impl BlankedGroups {
    /// Adds the groups that a statement fills with blanks; returns whether it moves blanks.
    pub(super) fn add(&mut self, context: &HazardContext<'_>, statement: usize) -> bool {
        let HazardContext { parsed, items, .. } = *context;
        let (index, statement) = (statement, &parsed.statements[statement]);
        let moved = move_operands(parsed, statement).filter(|moved| is_blank(moved.from.words()));
        for to in moved.iter().flat_map(|moved| &moved.to).filter(|to| is_whole_item(**to) && statement.file.is_none())
        {
            let group = items.find(to.name(), statement.program);
            let group = group.filter(|group| parsed.data_items[*group].picture.is_none());
            group.into_iter().for_each(|group| self.0.entry(group).or_default().push(index));
        }
        moved.is_some()
    }
}

/// Whether an operand is SPACES in some form: `ALL SPACES`, `' '`.
fn is_blank(words: WordSlice<'_>) -> bool {
    let blanks = CodeText::read("SPACES");
    let is_it = |text| ConstantRelation::of(&CodeText::read(text), &blanks, true) == ConstantRelation::Equal;
    let mut own = words.iter().filter(|word| !word.is("ALL"));
    own.next().is_some_and(|word| word.is_constant() && is_it(word.text)) && own.next().is_none()
}

/// Finds the packed numbers that only MOVEs of blanks to a group around them set, where something uses that group or the number.
pub(super) fn find(context: &HazardContext<'_>, uses: &StorageUses<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, storage, .. } = *context;
    if uses.blanked.0.is_empty() {
        return;
    }
    let redefined: HashSet<usize> = parsed.redefinitions().into_iter().map(|(_, original)| original).collect();
    let (mut records, mut numbers) = (HashMap::<usize, usize>::new(), BTreeMap::<usize, Vec<String>>::new());
    for record in (0..parsed.data_items.len()).filter(|item| parsed.data_items[*item].level == 1) {
        *records.entry(storage.place(record).0).or_default() += 1;
    }
    for (index, item) in parsed.data_items.iter().enumerate() {
        let above = || std::iter::successors(Some(index), |at| parsed.data_items[*at].parent);
        let Some(group) = above().find(|at| uses.blanked.0.contains_key(at)) else { continue };
        let place = || storage.place(index);
        // A record of several layouts need not have the number.
        let has_one_layout = records.get(&place().0).is_none_or(|records| *records == 1)
            && is_filled_here(parsed, index)
            && !above().any(|at| redefined.contains(&at));
        let is_own = (item.is_private() || item.section.as_deref() == Some("FILE"))
            && !parsed.is_shared(index)
            && !above().any(|at| uses.doubtful.contains(&at));
        let is_number = item.usage == Some("COMP-3") && item.name != "FILLER";
        if is_number && is_own && has_one_layout && !uses.filled.meets(place()) && uses.read_as_is.meets(place()) {
            numbers.entry(group).or_default().push(item.name.clone());
        }
    }
    for (group, items) in numbers {
        let kind = HazardKind::BlankNumber { items, group: parsed.data_items[group].name.clone() };
        for at in &uses.blanked.0[&group] {
            let statement = &parsed.statements[*at];
            found.add_at(*at, kind.clone(), statement.program, statement.own_lines());
        }
    }
}
