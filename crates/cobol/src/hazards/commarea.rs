//! Communication areas that a program uses without asking whether it has got one.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::access::COMMAREA;
use crate::model::DataItem;
use crate::named_words::NamedWords;

/// The register with the length of the area that the caller hands over. Source: CICS, EXEC interface block.
const LENGTH: &str = "EIBCALEN";

pub(super) fn find(context: &HazardContext<'_>, named: &NamedWords, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let mut areas = parsed.data_items.iter().enumerate();
    let is_area = |item: &DataItem| item.name == COMMAREA && item.parent.is_none();
    // Of several programs each has its own, and one may be called by another.
    let (Some((area, item)), [program]) = (areas.find(|(_, item)| is_area(item)), parsed.programs.as_slice()) else {
        return;
    };
    if named.has_word(LENGTH) || program.after_declaratives.is_some() {
        return;
    }
    let uses = analysis.def_use();
    let touches = |index: &usize| {
        let own = uses.of_statement(*index).iter();
        let branches = analysis.decisions().branches_of(*index).iter();
        let mut all = own.chain(branches.flat_map(|branch| uses.of_branch(*branch)));
        all.any(|used| storage.overlap(used.item(), area))
    };
    let mut own = (0..parsed.statements.len()).filter(|index| parsed.statements[*index].file.is_none());
    if let Some(first) = own.find(touches) {
        let lines = parsed.statements[first].own_lines();
        found.add(HazardKind::UncheckedArea { item: item.name.clone() }, item.program, lines);
    }
}
