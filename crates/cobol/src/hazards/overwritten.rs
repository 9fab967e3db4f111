//! Items that are set again before anything reads them.

use super::extents::is_whole;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::move_operands;
use crate::model::Statement;
use crate::operands::OperandKind;
use crate::verb::Verb;

/// Finds two MOVEs to one item between which only assignments stand that do not read it. A figurative constant clears the item first, as intended.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut place = None;
    for (index, statement) in parsed.statements.iter().enumerate() {
        let here = (statement.program, statement.paragraph, statement.branch);
        let is_plain = matches!(statement.verb, Verb::Move | Verb::Set) && statement.file.is_none();
        if place != Some(here) || !is_plain {
            place = Some(here);
            open.clear();
        }
        if !is_plain {
            continue;
        }
        for used in context.analysis.def_use().of_statement(index).iter().filter(|used| used.is_read()) {
            open.retain(|(item, _)| !used.is_ambiguous() && !context.storage.overlap(*item, used.item()));
        }
        let set = context.targets(statement);
        for (item, first) in open.extract_if(.., |(item, _)| set.contains(item)) {
            let first = &parsed.statements[first];
            let kind = HazardKind::SetTwice { item: parsed.data_items[item].name.clone() };
            found.add(kind, first.program, first.own_lines());
        }
        if !moves_a_figure(context, statement) {
            open.extend(set.into_iter().map(|item| (item, index)));
        }
    }
}

impl HazardContext<'_> {
    /// Returns the elementary items that a MOVE sets as a whole.
    fn targets(&self, statement: &Statement) -> Vec<usize> {
        let moved = move_operands(self.parsed, statement).filter(|moved| !moved.corresponds);
        let targets = moved.into_iter().flat_map(|moved| moved.to).filter(|to| is_whole(*to));
        let items = targets.filter_map(|to| self.items.find(to.name(), statement.program));
        items.filter(|item| self.parsed.data_items[*item].picture.is_some()).collect()
    }
}

fn moves_a_figure(context: &HazardContext<'_>, statement: &Statement) -> bool {
    let moved = move_operands(context.parsed, statement);
    moved.is_none_or(|moved| {
        moved.from.kind() == OperandKind::Constant && !moved.from.text().starts_with(['\'', '"'])
            || moved.from.text().trim_matches(['\'', '"']).trim().is_empty()
    })
}
