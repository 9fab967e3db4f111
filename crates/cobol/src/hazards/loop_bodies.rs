//! The statements that a loop runs, with everything that it performs.

use crate::analysis::Analysis;
use crate::control_flow::{ControlFlowGraph, ExitKind, own_exit};
use crate::index_groups::IndexGroups;
use crate::model::{ParsedCobol, ReferenceKind};
use crate::verb::Verb;

/// The maximum number of statements of a body. A larger one is not examined: the limit keeps the work linear.
const MOST_STATEMENTS: usize = 2_000;

/// The maximum number of times that each statement of a source is visited on average, for all loops together.
const VISITS: usize = 50;

/// What a loop runs.
pub(super) struct LoopBody {
    /// The statements in the loop itself: under an inline PERFORM, or in the performed range.
    pub(super) own: Vec<usize>,
    /// The statements that these perform, directly or not.
    pub(super) performed: Vec<usize>,
    /// Whether a statement leaves the loop.
    pub(super) leaves: bool,
}

impl LoopBody {
    /// Returns all its statements.
    pub(super) fn statements(&self) -> impl Iterator<Item = usize> + '_ {
        self.own.iter().chain(&self.performed).copied()
    }
}

/// Finds the bodies of loops.
pub(super) struct LoopBodies<'a> {
    parsed: &'a ParsedCobol,
    flow: &'a ControlFlowGraph,
    of_paragraph: IndexGroups,
    references: IndexGroups,
    /// The last search that visited each paragraph.
    visited: Vec<usize>,
    searches: usize,
    visits_left: usize,
}

impl<'a> LoopBodies<'a> {
    pub(super) fn of(analysis: &'a Analysis) -> Self {
        let parsed = analysis.parsed();
        let paragraphs = parsed.statements.iter().map(|statement| statement.paragraph);
        let statements = parsed.references.iter().map(|reference| reference.statement);
        Self {
            parsed,
            flow: analysis.control_flow(),
            of_paragraph: IndexGroups::of(parsed.paragraphs.len(), paragraphs),
            references: IndexGroups::of(parsed.statements.len(), statements),
            visited: vec![0; parsed.paragraphs.len()],
            searches: 0,
            visits_left: VISITS.saturating_mul(parsed.statements.len().max(MOST_STATEMENTS)),
        }
    }

    /// Returns the body of a PERFORM; none if it is too large, or if a label is unknown.
    pub(super) fn of_perform(&mut self, perform: usize) -> Option<LoopBody> {
        let owner = &self.parsed.statements[perform];
        let nested = self.parsed.statements.iter().enumerate().skip(perform + 1);
        let nested = nested.take_while(|(_, next)| next.depth > owner.depth && next.paragraph == owner.paragraph);
        let nested: Vec<usize> = nested.map(|(index, _)| index).take(MOST_STATEMENTS + 1).collect();
        let mut search = BodySearch::default();
        nested.into_iter().try_for_each(|statement| self.visit(statement, None, &mut search))?;
        // The label of the PERFORM itself.
        for reference in self.references.get(perform) {
            search.open.push((self.flow.reference_span(*reference)?, true));
        }
        self.finish(search)
    }

    /// Returns the bodies of the loops that a GO TO makes, which leads back; none for one as in [`LoopBodies::of_perform`].
    pub(super) fn of_jumps(&mut self) -> Vec<Option<LoopBody>> {
        let (parsed, flow) = (self.parsed, self.flow);
        let jumps = parsed.references.iter().enumerate().filter(|(_, found)| found.kind == ReferenceKind::GoTo);
        let ranges = jumps.filter_map(|(index, jump)| {
            let (last, (first, _)) = (jump.paragraph?, flow.reference_span(index)?);
            // Control must come from the one to the other.
            let comes = (first..last).all(|paragraph| flow.falls_through(paragraph));
            (first <= last && comes && flow.certain_exit(first).is_none()).then_some((first, last))
        });
        ranges.map(|range| self.finish(BodySearch { open: vec![(range, true)], ..BodySearch::default() })).collect()
    }

    fn finish(&mut self, mut search: BodySearch) -> Option<LoopBody> {
        self.searches += 1;
        while let Some((range, is_own)) = search.open.pop() {
            for paragraph in range.0..=range.1 {
                if std::mem::replace(&mut self.visited[paragraph], self.searches) == self.searches {
                    continue;
                }
                for statement in self.of_paragraph.get(paragraph).to_vec() {
                    self.visit(statement, Some((range, is_own)), &mut search)?;
                }
            }
        }
        let BodySearch { own, performed, leaves, .. } = search;
        Some(LoopBody { own, performed, leaves })
    }

    /// Adds a statement: one under an inline PERFORM, or one of a range.
    fn visit(&mut self, statement: usize, range: Option<SearchedRange>, search: &mut BodySearch) -> Option<()> {
        self.visits_left = self.visits_left.checked_sub(1)?;
        let is_own = range.is_none_or(|(_, is_own)| is_own);
        let list = if is_own { &mut search.own } else { &mut search.performed };
        list.push(statement);
        if search.own.len() + search.performed.len() > MOST_STATEMENTS {
            return None;
        }
        for reference in self.references.get(statement) {
            let span = self.flow.reference_span(*reference)?;
            match self.parsed.references[*reference].kind {
                kind if kind.returns() => search.open.push((span, false)),
                ReferenceKind::GoTo => {
                    search.leaves |= !range.is_some_and(|((first, last), _)| (first..=last).contains(&span.0));
                }
                // ALTER and handlers send control where no statement shows it.
                _ => return None,
            }
        }
        search.leaves |= self.leaves(statement, range.is_none());
        Some(())
    }

    /// Returns whether a statement leaves the loop by its own words; GO TO is known by its label.
    fn leaves(&self, statement: usize, is_inline: bool) -> bool {
        let statement = &self.parsed.statements[statement];
        match own_exit(self.parsed, statement) {
            Some(ExitKind::GoTo) => false,
            // The paragraph ends, and the PERFORM goes on.
            Some(ExitKind::ExitParagraph) => is_inline,
            Some(ExitKind::ExitPerform) => is_inline && !self.parsed.words(statement).has("CYCLE"),
            Some(_) => true,
            None => statement.verb == Verb::Stop || (is_inline && statement.verb == Verb::Next),
        }
    }
}

/// A range of paragraphs, and whether it is the one that the loop itself performs.
type SearchedRange = ((usize, usize), bool);

#[derive(Default)]
struct BodySearch {
    own: Vec<usize>,
    performed: Vec<usize>,
    leaves: bool,
    /// The ranges that are still to be visited.
    open: Vec<SearchedRange>,
}
