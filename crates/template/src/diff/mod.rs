//! Compares two documents, or two folders of documents, by meaning.
//!
//! A document is split into items and their fields (`items.rs`, along the table in `lists.rs`). Items of both sides are matched by
//! identity (`pairs.rs`), and the differences of each pair are reported. Line numbers, rule numbers, the hash of the source, chunks and
//! the origin of words have no meaning. The order of a list has none either, except an order of execution or of arguments.
//!
//! Everything here is symmetric: if the two documents are exchanged, the result is the same with exchanged sides.

mod change;
mod citations;
mod fields;
mod items;
mod lists;
mod moved_items;
mod pairs;
mod tree;
mod wording;

pub use change::{ChangeKind, ChangeValue, DocumentChange, DocumentChangeKind, DocumentSummary, ItemChange};
pub use tree::{ChangeTotals, DocumentSignature, RunTotals, TreeTotals, find_renames};
pub use wording::{SentencePart, change_sentence, document_lines, heading};

use crate::Document;
use items::{ComparedItem, ItemizedDocument};
use pairs::ItemPairs;
use std::collections::{BTreeMap, BTreeSet};

/// Compares two documents of a source. The changes are empty if both mean the same.
pub fn compare(old: &Document, new: &Document) -> DocumentChange {
    let mut told = DocumentChange::between(old, new);
    if old == new {
        return told.with(Vec::new());
    }
    let (mut before, after) = (ItemizedDocument::of(old), ItemizedDocument::of(new));
    let mut found =
        ChangeCollector { has_programs: has_programs(old) || has_programs(new), ..ChangeCollector::default() };

    // Programs come first: a renamed program renames everything that belongs to it, and a removed one removes its items.
    let programs = pairs::pair_items(&lists::PROGRAMS, &before.programs, &after.programs);
    let mut names = BTreeMap::new();
    for (old, new) in &programs.both {
        names.insert(before.programs[*old].name.clone(), after.programs[*new].name.clone());
    }
    found.list(NamedList::top(&lists::PROGRAMS), "", &before.programs, &after.programs, &programs);
    let alone = |items: &[ComparedItem], at: &[usize]| -> BTreeSet<String> {
        at.iter().map(|at| items[*at].name.clone()).collect()
    };
    let (gone, added) = (alone(&before.programs, &programs.gone), alone(&after.programs, &programs.added));
    for (_, items) in &mut before.lists {
        items.retain(|item| !gone.contains(&item.program));
        items.iter_mut().for_each(|item| {
            if let Some(name) = names.get(&item.program) {
                item.program.clone_from(name);
            }
        });
    }
    let known: BTreeSet<String> = after.programs.iter().map(|program| program.name.clone()).collect();
    for ((list, old), (_, mut new)) in before.lists.into_iter().zip(after.lists) {
        new.retain(|item| !added.contains(&item.program));
        // An item may keep the old name of its program, if no other program has that name now.
        for item in new.iter_mut().filter(|item| !known.contains(&item.program)) {
            if let Some(name) = names.get(&item.program) {
                item.program.clone_from(name);
            }
        }
        let pairs = pairs::pair_items(list, &old, &new);
        found.list(NamedList::top(list), "", &old, &new, &pairs);
    }
    told.moved_citations = found.moved;
    // A reader must first learn which citations are no longer valid.
    let mut changes = found.statuses;
    changes.extend(moved_items::summarize_moves(found.changes));
    told.with(changes)
}

/// Returns whether the file has several programs, so that a change must name its program.
fn has_programs(document: &Document) -> bool {
    document.programs.len() > 1
}

/// A list with its path in the document.
#[derive(Clone, Copy)]
struct NamedList<'a> {
    field: &'a str,
    list: &'static lists::ComparedList,
}

impl NamedList<'static> {
    fn top(list: &'static lists::ComparedList) -> Self {
        Self { field: list.field, list }
    }
}

/// The results so far.
#[derive(Default)]
struct ChangeCollector {
    has_programs: bool,
    /// Citations whose status changed.
    statuses: Vec<ItemChange>,
    changes: Vec<ItemChange>,
    /// Citations whose lines only moved.
    moved: u64,
}

impl ChangeCollector {
    /// Compares one list, and the lists below its items. `above` contains the parents of the items.
    fn list(
        &mut self,
        list: NamedList<'_>,
        above: &str,
        old: &[ComparedItem],
        new: &[ComparedItem],
        pairs: &ItemPairs,
    ) {
        for at in &pairs.gone {
            self.alone(list, ChangeKind::Gone, above, &old[*at]);
        }
        for at in &pairs.added {
            self.alone(list, ChangeKind::Added, above, &new[*at]);
        }
        for (old_at, new_at) in &pairs.both {
            let (before, after) = (&old[*old_at], &new[*new_at]);
            self.pair(list, above, before, after);
            let above = path(above, &after.name);
            for ((below, old), (_, new)) in before.below.iter().zip(&after.below) {
                let pairs = pairs::pair_items(below, old, new);
                let field = format!("{}.{}", list.field, below.field);
                self.list(NamedList { field: &field, list: below }, &above, old, new, &pairs);
            }
        }
        if list.list.is_in_order {
            self.order(list, above, old, new, pairs);
        }
    }

    /// Makes a change without contents, with the common fields of all changes of its item.
    fn change(&self, list: NamedList<'_>, kind: ChangeKind, above: &str, item: &ComparedItem) -> ItemChange {
        let program = (self.has_programs && !item.program_name.is_empty()).then(|| item.program_name.clone());
        ItemChange { program, ..ItemChange::of(kind, list.field, list.list.noun, path(above, &item.name)) }
    }

    fn alone(&mut self, list: NamedList<'_>, kind: ChangeKind, above: &str, item: &ComparedItem) {
        let mut change = self.change(list, kind, above, item);
        let glimpse = Some(ChangeValue::Text(item.summary(list.list))).filter(|told| !told.is_empty());
        match kind {
            ChangeKind::Gone => (change.before, change.lines_before) = (glimpse, item.lines),
            _ => (change.after, change.lines_after) = (glimpse, item.lines),
        }
        self.changes.push(change);
    }

    fn pair(&mut self, list: NamedList<'_>, above: &str, before: &ComparedItem, after: &ComparedItem) {
        let mut template = self.change(list, ChangeKind::Changed, above, after);
        (template.lines_before, template.lines_after) = (before.lines, after.lines);
        template.record = before.record.clone().zip(after.record.clone());
        if before.name != after.name {
            template.was = Some(path(above, &before.name));
        }
        let mut says_more = false;
        if before.name != after.name && !list.list.is_numbered {
            self.changes.push(ItemChange {
                what: Some("name".to_owned()),
                before: Some(ChangeValue::Text(before.name.clone())),
                after: Some(ChangeValue::Text(after.name.clone())),
                ..template.clone()
            });
            says_more = true;
        }
        if before.meaning != after.meaning {
            for (what, before, after) in fields::differences(&before.facets, &after.facets) {
                let kind = if what == "offset" { ChangeKind::Moved } else { ChangeKind::Changed };
                self.changes.push(ItemChange { kind, what: Some(what), before, after, ..template.clone() });
                says_more = true;
            }
        }
        let cited = citations::compare_citations(&before.citations, &after.citations);
        self.moved += cited.moved;
        for (what, was, is) in cited.statuses {
            let (lines_before, lines_after) = (Some(was.lines()), Some(is.lines()));
            let (before, after) = what.field_values(&was, &is);
            let what = Some(what.as_str().to_owned());
            let change = ItemChange { what, before, after, lines_before, lines_after, ..template.clone() };
            self.statuses.push(change);
        }
        // If the content of an item changed, changed lines need no mention.
        if !says_more && let Some((before, after)) = cited.others {
            self.changes.push(ItemChange {
                what: Some("cited_lines".to_owned()),
                before: Some(ChangeValue::List(before)).filter(|told| !told.is_empty()),
                after: Some(ChangeValue::List(after)).filter(|told| !told.is_empty()),
                ..template
            });
        }
    }

    /// Reports items of both sides whose order changed.
    fn order(
        &mut self,
        list: NamedList<'_>,
        above: &str,
        old: &[ComparedItem],
        new: &[ComparedItem],
        pairs: &ItemPairs,
    ) {
        let mut both = pairs.both.clone();
        both.sort_by_key(|(before, _)| old[*before].position);
        let is_sorted = both.windows(2).all(|pair| new[pair[0].1].position < new[pair[1].1].position);
        if is_sorted {
            return;
        }
        let names = |items: &[ComparedItem], mut at: Vec<usize>| {
            at.sort_by_key(|at| items[*at].position);
            Some(ChangeValue::List(at.into_iter().map(|at| items[at].name.clone()).collect()))
        };
        self.changes.push(ItemChange {
            what: Some("order".to_owned()),
            before: names(old, both.iter().map(|(before, _)| *before).collect()),
            after: names(new, both.iter().map(|(_, after)| *after).collect()),
            ..ItemChange::of(ChangeKind::Moved, list.field, list.list.noun, above.to_owned())
        });
    }
}

fn path(above: &str, name: &str) -> String {
    if above.is_empty() || name.is_empty() { format!("{above}{name}") } else { format!("{above}.{name}") }
}

#[cfg(test)]
mod tests;
