//! Redefinitions that are larger than what they redefine.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::model::DataItem;
use war_rig_text::LineRange;

/// Finds them below level 01. A record that redefines another may be larger: a compiler then gives both the larger storage.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let items = &context.parsed.data_items;
    let is_variable = context.parsed.mark_groups(DataItem::may_vary);
    for (index, original) in context.parsed.redefinitions() {
        let item = &items[index];
        if item.parent.is_none() || is_variable[index] || is_variable[original] {
            continue;
        }
        let lengths = item.whole_length().zip(items[original].whole_length());
        let lines = item.lines.or(item.line.map(LineRange::single)).filter(|_| item.file.is_none());
        let (Some((length, room)), Some(lines)) = (lengths, lines) else { continue };
        if length > room && room > 0 {
            let redefined = items[original].name.clone();
            found.add(
                HazardKind::LargerRedefinition { item: item.name.clone(), length, redefined, room },
                item.program,
                lines,
            );
        }
    }
}
