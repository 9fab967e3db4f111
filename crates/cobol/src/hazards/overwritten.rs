//! Items that are set again before anything reads them.

use super::extents::is_whole;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::decisions::move_operands;
use crate::model::Statement;
use crate::operands::OperandKind;
use crate::verb::Verb;

/// The most items that wait for a second MOVE at the same time. The limit keeps the work linear in a paragraph of very many MOVEs.
const MOST_OPEN: usize = 1_000;

/// Finds two MOVEs to one item between which only assignments stand that do not read it. A number, a figurative constant or blanks prepare the item first, as
/// intended.
pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    let tables = context.variable_tables();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut place = None;
    for (index, statement) in parsed.statements.iter().enumerate() {
        let here = (statement.program, statement.paragraph, statement.branch);
        let is_plain = matches!(statement.verb, Verb::Move | Verb::Set) && statement.file.is_none();
        if place != Some(here) || !is_plain || open.len() > MOST_OPEN {
            place = Some(here);
            open.clear();
        }
        if !is_plain {
            continue;
        }
        for used in context.analysis.def_use().of_statement(index) {
            // SET may give an item other storage.
            let needs = used.is_read() || statement.verb == Verb::Set;
            let counters = context.counters_of(used.item(), &tables);
            let is_needed = |item: usize| {
                let is_used = needs && context.storage.overlap(item, used.item());
                is_used || used.is_ambiguous() || counters.contains(&item)
            };
            open.retain(|(item, _)| !is_needed(*item));
        }
        let set = context.targets(statement);
        for (item, first) in open.extract_if(.., |(item, _)| set.contains(item)) {
            let first = &parsed.statements[first];
            let kind = HazardKind::SetTwice { item: parsed.data_items[item].name.clone() };
            found.add(kind, first.program, first.own_lines());
        }
        if !prepares(context, statement) {
            open.extend(set.into_iter().map(|item| (item, index)));
        }
    }
}

/// A table with a variable number of entries.
struct VariableTable {
    table: usize,
    /// The item that contains the number.
    counter: usize,
}

impl HazardContext<'_> {
    /// Returns the tables whose number of entries an item contains.
    fn variable_tables(&self) -> Vec<VariableTable> {
        let tables = self.parsed.data_items.iter().enumerate().filter_map(|(table, item)| {
            let counter = self.items.find(item.depending_on.as_deref()?, item.program)?;
            Some(VariableTable { table, counter })
        });
        tables.collect()
    }

    /// Returns the items whose numbers of entries say how long an item is or where it is: it ends behind the start of a table.
    fn counters_of(&self, item: usize, tables: &[VariableTable]) -> Vec<usize> {
        let (record, bytes) = self.storage.place(item);
        let is_behind = |found: &&VariableTable| {
            let (same, entries) = self.storage.place(found.table);
            record == same && bytes.end > entries.start
        };
        tables.iter().filter(is_behind).map(|found| found.counter).collect()
    }

    /// Returns the elementary items that a MOVE sets as a whole.
    fn targets(&self, statement: &Statement) -> Vec<usize> {
        let moved = move_operands(self.parsed, statement).filter(|moved| !moved.corresponds);
        let targets = moved.into_iter().flat_map(|moved| moved.to).filter(|to| is_whole(*to));
        let items = targets.filter_map(|to| self.items.find(to.name(), statement.program));
        items.filter(|item| self.parsed.data_items[*item].picture.is_some()).collect()
    }
}

/// Returns whether a MOVE gives its items a number, a figurative constant or blanks.
fn prepares(context: &HazardContext<'_>, statement: &Statement) -> bool {
    let moved = move_operands(context.parsed, statement);
    moved.is_none_or(|moved| {
        moved.from.kind() == OperandKind::Constant && !moved.from.text().starts_with(['\'', '"'])
            || moved.from.text().trim_matches(['\'', '"']).trim().is_empty()
    })
}
