//! The operations whose results are known where a paragraph begins: those that all ways to it bring.
//!
//! Paragraphs are walked until what they bring to each other no longer changes. A paragraph to which nothing was brought yet brings nothing.

use super::StatusItems;
use super::last_operations::{FOLLOWED, LastOperations, add, known};
use super::performed::postorder;
use super::values::StatusKind;
use crate::control_flow::ControlFlowGraph;
use crate::model::{ParsedCobol, ReferenceKind};
use crate::verb::Verb;
use foldhash::{HashMap, HashSet};

/// What PERFORMs, GO TOs and the ends of paragraphs bring to the paragraphs that they lead to.
pub(super) struct EntryOperations<'a> {
    statuses: &'a StatusItems,
    /// The paragraphs that each PERFORM and GO TO leads to.
    targets: HashMap<usize, Vec<usize>>,
    /// Whether control may come from the end of each paragraph to the next.
    falls: Vec<bool>,
    /// What the ways to each paragraph bring; none if nothing led there yet.
    brought: Vec<Option<LastOperations<'a>>>,
    /// Whether this has changed.
    has_changed: bool,
}

impl<'a> EntryOperations<'a> {
    /// Finds the ways between paragraphs. Unless PERFORMs are followed, nothing is known where a paragraph is performed.
    pub(super) fn of(
        parsed: &ParsedCobol,
        flow: &ControlFlowGraph,
        statuses: &'a StatusItems,
        follows_performs: bool,
    ) -> Self {
        let count = parsed.paragraphs.len();
        let mut entries = Self {
            statuses,
            targets: HashMap::default(),
            falls: (0..count).map(|paragraph| flow.falls_through(paragraph)).collect(),
            brought: vec![None; count],
            has_changed: false,
        };
        for (index, reference) in parsed.references.iter().enumerate() {
            let Some((first, end)) = flow.reference_span(index) else { continue };
            match (reference.kind, reference.statement) {
                (_, Some(statement)) if is_dead(parsed, flow, statement) => {}
                (ReferenceKind::Perform, _) if !follows_performs => entries.brought[first] = Some(HashMap::default()),
                (ReferenceKind::GoTo | ReferenceKind::Perform, Some(statement)) => {
                    entries.targets.entry(statement).or_default().push(first);
                    // Control passes through a range.
                    if reference.kind == ReferenceKind::Perform {
                        entries.falls.iter_mut().take(end).skip(first).for_each(|falls| *falls = true);
                    }
                }
                _ => entries.brought[first] = Some(HashMap::default()),
            }
        }
        for paragraph in entered_otherwise(parsed, flow) {
            entries.brought[paragraph] = Some(HashMap::default());
        }
        entries
    }

    /// Returns the paragraphs, each before those that it leads to, circles aside. `statements` has the statements of each.
    pub(super) fn callers_first(&self, statements: &[Vec<usize>]) -> Vec<usize> {
        let mut order = postorder(self.brought.len(), |paragraph| {
            let next = (paragraph + 1 < self.brought.len() && self.falls[paragraph]).then_some(paragraph + 1);
            let own = statements[paragraph].iter().flat_map(|statement| self.targets(*statement).iter().copied());
            own.chain(next).collect()
        });
        order.reverse();
        order
    }

    /// Returns the paragraphs that a PERFORM or GO TO leads to.
    pub(super) fn targets(&self, statement: usize) -> &[usize] {
        self.targets.get(&statement).map(Vec::as_slice).unwrap_or_default()
    }

    /// Notes the last operations where a PERFORM or GO TO leads elsewhere; none if control does not come to it.
    pub(super) fn depart(&mut self, statement: usize, last: Option<&LastOperations<'a>>) {
        for target in self.targets.get(&statement).cloned().unwrap_or_default() {
            self.bring(target, last);
        }
    }

    /// Notes the last operations at the end of a paragraph; none if control does not come to it.
    pub(super) fn fall(&mut self, paragraph: usize, last: Option<&LastOperations<'a>>) {
        if self.falls[paragraph] && paragraph + 1 < self.brought.len() {
            self.bring(paragraph + 1, last);
        }
    }

    fn bring(&mut self, target: usize, last: Option<&LastOperations<'a>>) {
        let Some(last) = last else { return };
        let is_real = |name: &str| !matches!(self.statuses.kinds.get(name), Some(StatusKind::Derived(_)));
        // What the program has put over a result is as little known.
        let known = last.iter().filter_map(|(name, operations)| Some((*name, known(Some(operations))?)));
        let known: LastOperations<'a> = known
            .filter(|(name, operations)| is_real(name) && !operations.is_empty())
            .map(|(name, operations)| (name, operations.to_vec()))
            .collect();
        match &mut self.brought[target] {
            // What only one of two ways brings is not known.
            Some(others) => {
                let size = |others: &LastOperations<'a>| (others.len(), others.values().map(Vec::len).sum::<usize>());
                let before = size(others);
                others.retain(|name, operations| {
                    let Some(more) = known.get(name) else { return false };
                    add(operations, more.clone());
                    operations.len() < FOLLOWED
                });
                self.has_changed |= size(others) != before;
            }
            none => {
                *none = Some(known);
                self.has_changed = true;
            }
        }
    }

    /// Returns the last operations where a paragraph begins; none if nothing leads there.
    pub(super) fn arrive(&self, paragraph: usize) -> Option<LastOperations<'a>> {
        self.brought[paragraph].clone()
    }

    /// Returns whether something has changed since the last time.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.has_changed)
    }

    /// Enters the paragraphs that nothing leads to, and returns whether there are any.
    pub(super) fn enter_others(&mut self) -> bool {
        let others = self.brought.iter_mut().filter(|brought| brought.is_none());
        others.map(|brought| *brought = Some(HashMap::default())).count() > 0
    }

    /// Leaves unknown what comes to all paragraphs.
    pub(super) fn forget(&mut self) {
        self.brought.iter_mut().for_each(|brought| *brought = Some(HashMap::default()));
    }
}

/// Whether control never comes to a statement.
fn is_dead(parsed: &ParsedCobol, flow: &ControlFlowGraph, statement: usize) -> bool {
    let paragraph = parsed.statements[statement].paragraph;
    flow.never_runs(statement) || paragraph.is_some_and(|paragraph| !flow.is_reachable(paragraph))
}

/// Returns the paragraphs at which programs and further entries begin, those of programs with DECLARATIVES, which run behind any operation, and those
/// behind an EXIT out of a range.
fn entered_otherwise(parsed: &ParsedCobol, flow: &ControlFlowGraph) -> Vec<usize> {
    let mut begun = HashSet::default();
    let paragraphs = parsed.paragraphs.iter().enumerate();
    let starts = paragraphs.filter(|(_, paragraph)| {
        let declared = paragraph.program.and_then(|program| parsed.programs[program].after_declaratives);
        declared.is_some() || begun.insert(paragraph.program)
    });
    let entries = parsed.statements.iter().filter(|statement| statement.verb == Verb::Entry);
    let entries = entries.filter_map(|statement| statement.paragraph);
    let exits = (0..parsed.paragraphs.len()).filter_map(|paragraph| flow.exits_to(paragraph));
    let strayed = flow.stray_exits().map(|(_, into)| into);
    starts.map(|(index, _)| index).chain(entries).chain(exits).chain(strayed).collect()
}
