//! Whether what a statement reports is still there when somebody sees it.
//!
//! Control is followed from the statement: through branches, PERFORMs and GO TOs, and out of the paragraph to all places that it may return to. A way
//! ends where the item is set again, where it is read or the program ends: there somebody may see it. A way into an abend counts for nothing. A
//! condition that the constants assigned beside the statement, or the conditions around it, decide is followed on one side only. What is followed
//! is limited; behind the limit the report is taken to last.

mod learned;
mod walk;

use super::known_conditions::{KnownConditions, by_value, items_of};
use super::{Audience, ReportedItems};
use crate::analysis::Analysis;
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{AssignedConstant, Decisions, assigned_items};
use crate::def_use::DefUse;
use crate::model::{ParsedCobol, ReferenceKind};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cell::{Cell, OnceCell};
use walk::{OverwritingWalk, Place, State};
use war_rig_text::LineNumber;

/// How many places are followed from one statement.
const PLACES_FOLLOWED: usize = 12_000;

/// How many places are followed from all statements of a source.
const FOLLOWED_IN_ALL: usize = 400_000;

/// What becomes of a report before somebody sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFate {
    /// It lasts, as far as is known.
    Lasts,
    /// On some way the statement on this line replaces it.
    MayBeReplaced(LineNumber),
    /// On every way something replaces it.
    IsReplaced,
    /// On every way something replaces it, or the program ends before it is moved to where somebody sees it.
    NeverShown,
    /// On every way the program abends before somebody sees it: in one of these statements, by the first and the last.
    Abends(usize, usize),
}

/// The control flow of a source by statements.
pub struct Overwriting<'a> {
    parsed: &'a ParsedCobol,
    decisions: Decisions<'a>,
    flow: &'a ControlFlowGraph,
    effects: &'a DefUse,
    reported: &'a ReportedItems,
    /// The statements of each paragraph that stand under no condition.
    of_paragraph: Vec<Vec<usize>>,
    /// The position of each statement in its list.
    positions: Vec<usize>,
    /// The paragraphs that a statement performs, and whether it does so again and again.
    performed: HashMap<usize, (usize, usize, bool)>,
    /// The paragraphs that a GO TO leads to.
    targets: HashMap<usize, Vec<usize>>,
    /// For each paragraph the PERFORMs of ranges that end with it.
    returns: HashMap<usize, Vec<usize>>,
    /// The items that some condition tests: what others contain decides no way.
    tested: HashSet<String>,
    /// The items that some statement sets.
    set_somewhere: HashSet<String>,
    /// For each paragraph the ends at which a PERFORM may wait while it runs, once they are asked for; none if they are not known.
    pending: Vec<OnceCell<Option<HashSet<usize>>>>,
    /// Whether the ways of control are known: no ALTER changes them.
    is_known: bool,
    /// How many places may still be followed.
    budget: Cell<usize>,
}

impl<'a> Overwriting<'a> {
    /// Prepares the control flow of a source.
    pub fn of(analysis: &'a Analysis) -> Self {
        let (parsed, decisions, flow) = (analysis.parsed(), analysis.decisions(), analysis.control_flow());
        let mut of_paragraph = vec![Vec::new(); parsed.paragraphs.len()];
        let mut positions = vec![0; parsed.statements.len()];
        for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.verb != Verb::Use) {
            match (statement.branch, statement.paragraph) {
                (Some(branch), _) => {
                    positions[index] = decisions.statements_under(branch).partition_point(|other| *other < index);
                }
                (None, Some(paragraph)) => {
                    positions[index] = of_paragraph[paragraph].len();
                    of_paragraph[paragraph].push(index);
                }
                (None, None) => {}
            }
        }
        let mut found = Self {
            parsed,
            decisions,
            flow,
            effects: analysis.def_use(),
            reported: analysis.reported_items(),
            of_paragraph,
            positions,
            performed: HashMap::new(),
            targets: HashMap::new(),
            returns: HashMap::new(),
            tested: HashSet::new(),
            set_somewhere: HashSet::new(),
            pending: vec![OnceCell::new(); parsed.paragraphs.len()],
            is_known: true,
            budget: Cell::new(FOLLOWED_IN_ALL),
        };
        for (index, reference) in parsed.references.iter().enumerate() {
            found.is_known &= reference.kind != ReferenceKind::Alter;
            let (Some((first, last)), Some(statement)) = (flow.reference_span(index), reference.statement) else {
                continue;
            };
            match reference.kind {
                ReferenceKind::GoTo => found.targets.entry(statement).or_default().push(first),
                kind if kind.returns() => {
                    let is_repeated = reference.is_repeated || kind != ReferenceKind::Perform;
                    found.performed.insert(statement, (first, last, is_repeated));
                    found.returns.entry(last).or_default().push(statement);
                }
                _ => {}
            }
        }
        for (branch, owner) in parsed.branches.iter().map(|branch| &parsed.statements[branch.statement]).enumerate() {
            let condition = decisions.condition(branch);
            let condition = condition.map(|condition| by_value(condition, decisions, owner.program));
            found.tested.extend(condition.iter().flat_map(items_of));
        }
        found.set_somewhere = (0..parsed.statements.len()).flat_map(|index| found.items_set(index)).collect();
        found
    }

    /// Returns what becomes of a report of a statement.
    pub fn fate(&self, statement: usize, report: &AssignedConstant<'_>) -> ReportFate {
        let pending = self.parsed.statements[statement].paragraph.and_then(|paragraph| self.pending_ends(paragraph));
        self.fate_within(statement, report, pending)
    }

    /// Returns whether a report never reaches anybody where HANDLE leads to its paragraph, with no PERFORM that waits at its end.
    pub fn is_lost_in_handler(&self, statement: usize, report: &AssignedConstant<'_>) -> bool {
        self.fate_within(statement, report, Some(&HashSet::new())) == ReportFate::NeverShown
    }

    /// Returns what becomes of a report, given the ends at which a PERFORM may wait, if they are known.
    fn fate_within(
        &self,
        statement: usize,
        report: &AssignedConstant<'_>,
        pending: Option<&HashSet<usize>>,
    ) -> ReportFate {
        let program = self.parsed.statements[statement].program;
        // What replaces an item is found by its name alone.
        if !self.is_known || self.budget.get() == 0 || self.reported.is_qualified(program, report) {
            return ReportFate::Lasts;
        }
        let audience = self.reported.audience(program, &report.item);
        let mut walk = OverwritingWalk {
            flow: self,
            pending,
            statement,
            report,
            program,
            is_screen: audience == Some(Audience::User),
            needs_a_move: self.reported.is_seen_by_moves(program, &report.item),
            conditions: KnownConditions::default(),
            own_list: None,
            assigned: HashMap::new(),
            around: HashMap::new(),
            decided: HashMap::new(),
            is_seen: false,
            is_left: false,
            abends: None,
            replaced: None,
            replacing: None,
        };
        let known = walk.known_behind(statement);
        let mut open =
            vec![State { place: Place::Behind(statement), open: Vec::new(), known, is_again: false, is_unsure: false }];
        let mut visited: HashSet<State> = HashSet::new();
        while let Some(state) = open.pop() {
            if visited.contains(&state) {
                continue;
            }
            if visited.len() == PLACES_FOLLOWED || visited.len() >= self.budget.get() {
                self.budget.set(self.budget.get().saturating_sub(visited.len()));
                return ReportFate::Lasts;
            }
            if walk.step(&state, &mut open).is_none() {
                return ReportFate::Lasts;
            }
            visited.insert(state);
        }
        self.budget.set(self.budget.get().saturating_sub(visited.len()));
        match (walk.is_seen, walk.replaced, walk.replacing) {
            (false, ..) if walk.is_left => ReportFate::NeverShown,
            (false, Some(_), _) => ReportFate::IsReplaced,
            (true, _, Some(line)) => ReportFate::MayBeReplaced(line),
            (false, None, _) => walk.abends.map_or(ReportFate::Lasts, |(first, last)| ReportFate::Abends(first, last)),
            _ => ReportFate::Lasts,
        }
    }

    fn pending_ends(&self, paragraph: usize) -> Option<&HashSet<usize>> {
        self.pending[paragraph].get_or_init(|| self.flow.pending_ends(paragraph)).as_ref()
    }

    /// Returns the names of the items that a statement sets, by its own words.
    fn items_set(&self, statement: usize) -> Vec<String> {
        let parsed = self.parsed;
        let uses = self.effects.of_statement(statement).iter().filter(|used| used.is_set());
        let mut names: Vec<String> = uses.map(|used| parsed.data_items[used.item()].name.clone()).collect();
        // What stands in a group is set with it.
        let groups = self.effects.of_statement(statement).iter().filter(|used| used.is_set());
        for group in groups.map(|used| used.item()).filter(|item| parsed.data_items[*item].picture.is_none()) {
            let level = parsed.data_items[group].level;
            let inside = parsed.data_items.iter().skip(group + 1).take_while(|item| item.level > level);
            names.extend(inside.filter(|item| item.level != 88).map(|item| item.name.clone()));
        }
        names.extend(assigned_items(parsed, &parsed.statements[statement]));
        names
    }

    fn list(&self, statement: usize) -> &[usize] {
        let found = &self.parsed.statements[statement];
        match (found.branch, found.paragraph) {
            (Some(branch), _) => self.decisions.statements_under(branch),
            (None, Some(paragraph)) => &self.of_paragraph[paragraph],
            (None, None) => &[],
        }
    }
}
