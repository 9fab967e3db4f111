//! Control flow: resolved labels, and unreachable paragraphs.

mod exits;
mod jump_targets;
mod labels;
mod macros;
mod non_returning;
mod pending_ends;
mod program_ends;
mod reachability;
mod stray_exits;
#[cfg(test)]
mod tests;
mod unreachable;

use crate::diagnostic::Diagnostic;
use crate::model::{BranchKind, ParsedCobol, ReferenceKind, Statement};
use crate::verb::Verb;
use exits::ExitAnalysis;
pub(crate) use exits::own_exit;
pub use exits::{ExitKind, is_checked_for_failure};
use foldhash::{HashMap, HashSet};
use jump_targets::JumpContext;
pub use jump_targets::JumpTarget;
pub use labels::LabelTarget;
use labels::ResolvedReferences;
pub(crate) use macros::find_ending_macros;
use pending_ends::PendingEnds;
use reachability::{ReachabilityWalk, Reached};
use std::collections::BTreeMap;
use stray_exits::ExitContext;
pub use unreachable::UnreachableReason;

/// Returns diagnostics for unreachable statements.
pub(crate) fn diagnostics(parsed: &ParsedCobol) -> Vec<Diagnostic> {
    ExitAnalysis::of(parsed, &ResolvedReferences::of(parsed)).diagnostics(parsed)
}

/// The labels of a source and the control flow between its paragraphs.
#[derive(Debug, Clone)]
pub struct ControlFlowGraph {
    targets: Vec<Option<LabelTarget>>,
    without_end: HashSet<usize>,
    spans: Vec<Option<(usize, usize)>>,
    reached: Vec<bool>,
    reasons: Vec<Option<UnreachableReason>>,
    labels_only: Vec<bool>,
    falls: Vec<bool>,
    exits: Vec<Option<usize>>,
    endings: Vec<Option<ProgramExit>>,
    dead_statements: Vec<bool>,
    leaving_statements: Vec<bool>,
    leaving_branches: Vec<bool>,
    may_leave: Vec<bool>,
    may_end_below: Vec<bool>,
    left_early: Vec<bool>,
    jump_targets: HashMap<(usize, usize), JumpTarget>,
    stray_exits: HashMap<usize, usize>,
    pending: PendingEnds,
}

/// How a paragraph unconditionally ends its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgramExit {
    /// An abend that the program requests.
    Abends,
    /// STOP RUN.
    StopsRun,
    /// GOBACK, EXIT PROGRAM, CICS RETURN, or a macro in their place; or a different end under each condition.
    Returns,
    /// Control goes to another program and does not return: CICS XCTL.
    TransfersControl,
}

impl ControlFlowGraph {
    /// Resolves every reference, then follows control from the start of each program.
    pub(crate) fn of(parsed: &ParsedCobol) -> Self {
        let routes = ResolvedReferences::of(parsed);
        let stops = ExitAnalysis::of(parsed, &routes);
        let walk = ReachabilityWalk::new(parsed, &stops, &routes);
        let spans = &routes.spans;
        let Reached { reached, falls, exits, ends, are_ends_known } = walk.run();
        let mut reasons = unreachable::reasons(parsed, &stops, &walk, spans, &reached);
        let mut labels_only = vec![true; parsed.paragraphs.len()];
        let mut jumps = vec![false; parsed.paragraphs.len()];
        for statement in &parsed.statements {
            let Some(paragraph) = statement.paragraph else { continue };
            labels_only[paragraph] &= does_nothing(parsed, statement);
            jumps[paragraph] |= may_jump(parsed, statement);
        }
        let mut endings = program_ends::paragraph_endings(parsed, spans, &stops, &jumps);
        for (span, reference) in spans.iter().zip(&parsed.references) {
            // Where control may leave a paragraph before its end, a PERFORM of it may come back.
            let performed = span.filter(|_| reference.kind == ReferenceKind::Perform && !reference.is_repeated);
            if let (Some((first, _)), Some(statement)) = (performed, reference.statement)
                && !stops.never_return[statement]
            {
                endings[first] = None;
            }
            let is_live = reference.paragraph.is_none_or(|from| reached[from])
                && !reference.statement.is_some_and(|at| stops.is_dead[at]);
            // A label that ends a range is in use, even if control always leaves the range before it.
            if let Some((_, last)) = span.filter(|_| is_live)
                && labels_only[last]
            {
                reasons[last] = None;
            }
        }
        for (first, ending) in fallen_endings(parsed, spans, &endings, &jumps) {
            endings[first] = Some(ending);
        }
        let pending = PendingEnds::new(parsed, spans, ends, are_ends_known);
        let context = JumpContext { walk: &walk, spans, pending: &pending, labels_only: &labels_only, falls: &falls };
        let jump_targets = jump_targets::find(parsed, &context);
        let may_end_below = may_end_below(parsed, spans, &stops);
        let stray_exits = stray_exits::find(
            parsed,
            &ExitContext {
                routes: &routes,
                stops: &stops,
                falls: &falls,
                exits: &exits,
                endings: &endings,
                labels_only: &labels_only,
            },
        );
        let ResolvedReferences { targets, without_end, spans, .. } = routes;
        Self {
            targets,
            without_end,
            spans,
            reached,
            reasons,
            labels_only,
            falls,
            exits,
            endings,
            leaving_statements: stops.leaves_paragraph,
            leaving_branches: stops.leaving_branches,
            may_leave: may_leave(parsed),
            may_end_below,
            dead_statements: stops.is_dead,
            left_early: jumps,
            jump_targets,
            stray_exits,
            pending,
        }
    }

    /// Returns the first and last paragraph of the reference at this index: A to B for PERFORM A THRU B, first to last for a section;
    /// none if the source has no such label.
    pub fn reference_span(&self, reference: usize) -> Option<(usize, usize)> {
        self.spans[reference]
    }

    /// Returns whether a paragraph has no statements but EXIT or CONTINUE.
    pub fn is_label_only(&self, paragraph: usize) -> bool {
        self.labels_only[paragraph]
    }

    /// Returns where a GO TO to this label leads, if the label does nothing or control goes on behind it where others come back.
    pub fn jump_target(&self, statement: usize, label: usize) -> Option<JumpTarget> {
        self.jump_targets.get(&(statement, label)).copied()
    }

    /// Returns all such statements with their labels, in no order.
    pub fn jump_targets(&self) -> impl Iterator<Item = (usize, usize, JumpTarget)> {
        self.jump_targets.iter().map(|((statement, label), target)| (*statement, *label, *target))
    }

    /// Returns the paragraphs at whose ends a PERFORM may wait while control is in this paragraph, with `usize::MAX` among them if control may be there
    /// with no PERFORM that waits. None if they are not known: they are too many, a handler goes on into other paragraphs, control comes from
    /// another source or never reaches the paragraph.
    pub fn pending_ends(&self, paragraph: usize) -> Option<HashSet<usize>> {
        self.pending.of_paragraph(paragraph)
    }

    /// Returns whether control falls from a reached paragraph into the next: it is not only performed.
    pub fn falls_through(&self, paragraph: usize) -> bool {
        self.falls[paragraph]
    }

    /// Returns the target of an EXIT SECTION in this paragraph when no PERFORM of its section is active.
    pub fn exits_to(&self, paragraph: usize) -> Option<usize> {
        self.exits[paragraph]
    }

    /// Returns the paragraph that control goes on into behind an EXIT SECTION or EXIT PARAGRAPH in what nothing performs, if it is one that is performed: it
    /// hardly was meant to.
    pub fn stray_exit(&self, statement: usize) -> Option<usize> {
        self.stray_exits.get(&statement).copied()
    }

    /// Returns all such statements with their paragraphs, in no order.
    pub(crate) fn stray_exits(&self) -> impl Iterator<Item = (usize, usize)> {
        self.stray_exits.iter().map(|(statement, into)| (*statement, *into))
    }

    /// Returns how a paragraph ends its program, if it always does wherever it is performed.
    pub fn program_exit(&self, paragraph: usize) -> Option<ProgramExit> {
        self.endings[paragraph]
    }

    /// Returns whether control never comes to a statement, because it always leaves its paragraph before.
    pub fn never_runs(&self, statement: usize) -> bool {
        self.dead_statements[statement]
    }

    /// Returns how a paragraph that control goes to ends the program, if no statement of it may lead elsewhere before.
    pub fn certain_exit(&self, paragraph: usize) -> Option<ProgramExit> {
        self.endings[paragraph].filter(|_| !self.left_early[paragraph])
    }

    /// Returns whether control leaves the paragraph at a statement and never comes behind it.
    pub fn always_leaves(&self, statement: usize) -> bool {
        self.leaving_statements[statement]
    }

    /// Returns whether control always leaves the paragraph under a branch.
    pub fn branch_leaves(&self, branch: usize) -> bool {
        self.leaving_branches[branch]
    }

    /// Returns whether control may go on elsewhere than behind a statement, by itself or by one under it.
    pub fn may_leave(&self, statement: usize) -> bool {
        self.may_leave[statement]
    }

    /// Returns whether the program may end in what a statement, or one under it, performs.
    pub fn may_end_below(&self, statement: usize) -> bool {
        self.may_end_below[statement]
    }

    /// Returns the target of the reference at this index; none if the source has no such label.
    pub fn reference_target(&self, reference: usize) -> Option<LabelTarget> {
        self.targets[reference]
    }

    /// Returns the labels of the reference at this index that the source does not have.
    pub fn unknown_labels<'p>(&self, parsed: &'p ParsedCobol, reference: usize) -> impl Iterator<Item = &'p str> {
        let found = &parsed.references[reference];
        let target = self.targets[reference].is_none().then_some(found.target.as_str());
        let end = found.through.as_deref().filter(|_| self.without_end.contains(&reference));
        target.into_iter().chain(end)
    }

    /// Returns whether any PERFORM, GO TO, handler or fall-through reaches a paragraph.
    pub fn is_reachable(&self, paragraph: usize) -> bool {
        self.reached[paragraph]
    }

    /// Returns why a paragraph is dead; none if it is reachable or if its label ends a range in use.
    pub fn unreachable_reason(&self, paragraph: usize) -> Option<UnreachableReason> {
        self.reasons[paragraph]
    }
}

/// How many paragraphs are followed from the first of a performed range.
const FOLLOWED: usize = 16;

/// Returns the first paragraphs of performed ranges that fall into a paragraph of each such range that ends the program, with that ending.
fn fallen_endings(
    parsed: &ParsedCobol,
    spans: &[Option<(usize, usize)>],
    endings: &[Option<ProgramExit>],
    jumps: &[bool],
) -> Vec<(usize, ProgramExit)> {
    // The shortest range that begins with each paragraph.
    let mut last_of: BTreeMap<usize, usize> = BTreeMap::new();
    for (span, _) in spans.iter().zip(&parsed.references).filter(|(_, found)| found.kind == ReferenceKind::Perform) {
        if let Some((first, last)) = *span {
            last_of.entry(first).and_modify(|shortest| *shortest = last.min(*shortest)).or_insert(last);
        }
    }
    let ending = |(first, last): (usize, usize)| {
        let followed = (first..=last).take(FOLLOWED).take_while(|paragraph| !jumps[*paragraph]);
        let ending = followed.filter_map(|paragraph| endings[paragraph]).next()?;
        endings[first].is_none().then_some((first, ending))
    };
    last_of.into_iter().filter_map(ending).collect()
}

/// Returns whether control may go on elsewhere than behind a statement.
fn may_jump(parsed: &ParsedCobol, statement: &Statement) -> bool {
    match statement.verb {
        Verb::Exit => !parsed.words_after_verb(statement).is_empty(),
        verb => matches!(verb, Verb::Go | Verb::Next | Verb::Alter),
    }
}

/// Returns for each statement whether it, or one under it, may take control elsewhere than behind it.
fn may_leave(parsed: &ParsedCobol) -> Vec<bool> {
    let ends_loop = |statement: &Statement| {
        statement.verb == Verb::Exit && parsed.words_after_verb(statement).get(0).is_some_and(|what| what.is("PERFORM"))
    };
    let leaves = |statement: &Statement| {
        !ends_loop(statement) && (may_jump(parsed, statement) || ending(parsed, statement).is_some())
    };
    let mut found = with_enclosing(parsed, parsed.statements.iter().map(leaves).collect());
    // Behind its loop, control goes on as if that had ended by itself.
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, statement)| ends_loop(statement)) {
        found[index] = true;
        let outer = |branch: &usize| parsed.statements[parsed.branches[*branch].statement].branch;
        let around = std::iter::successors(statement.branch, outer);
        for branch in around.take_while(|branch| parsed.branches[*branch].kind != BranchKind::Loop) {
            found[parsed.branches[branch].statement] = true;
        }
    }
    found
}

/// Returns for each statement whether it, or one under it, performs a paragraph in which the program may end.
fn may_end_below(parsed: &ParsedCobol, spans: &[Option<(usize, usize)>], stops: &ExitAnalysis) -> Vec<bool> {
    let may_end = may_end(parsed, spans, stops);
    let mut found = vec![false; parsed.statements.len()];
    for (span, reference) in spans.iter().zip(&parsed.references) {
        if let (Some((first, last)), Some(statement)) = (*span, reference.statement)
            && reference.kind == ReferenceKind::Perform
        {
            found[statement] |= may_end[first..=last.max(first)].contains(&true);
        }
    }
    with_enclosing(parsed, found)
}

/// Adds to what holds for statements that it holds for each around them.
fn with_enclosing(parsed: &ParsedCobol, mut found: Vec<bool>) -> Vec<bool> {
    for (index, statement) in parsed.statements.iter().enumerate().rev() {
        if let Some(parent) = statement.parent {
            found[parent] |= found[index];
        }
    }
    found
}

/// Returns for each paragraph whether the program may end in it, or in one that it performs or goes to.
fn may_end(parsed: &ParsedCobol, spans: &[Option<(usize, usize)>], stops: &ExitAnalysis) -> Vec<bool> {
    let (is_dead, ends) = (&stops.is_dead, &stops.ends);
    let mut found = vec![false; parsed.paragraphs.len()];
    for (index, statement) in parsed.statements.iter().enumerate() {
        if let Some(paragraph) = statement.paragraph {
            found[paragraph] |= !is_dead[index] && ending(parsed, statement).is_some();
        }
    }
    let performed = spans.iter().zip(&parsed.references).filter(|(_, found)| found.kind == ReferenceKind::Perform);
    let range_ends: HashSet<usize> = performed.filter_map(|(span, _)| span.map(|(_, last)| last)).collect();
    // The paragraphs that lead to each range, once for a range however many there are.
    let mut led_from: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (span, reference) in spans.iter().zip(&parsed.references) {
        let is_live = reference.statement.is_some_and(|statement| !is_dead[statement]);
        let (Some((first, last)), Some(from)) = (*span, reference.paragraph.filter(|_| is_live)) else { continue };
        match reference.kind {
            ReferenceKind::Perform => led_from.entry((first, last.max(first))).or_default().push(from),
            // Control goes on from there, to where a performed range ends.
            ReferenceKind::GoTo => {
                let program = |paragraph: usize| parsed.paragraphs.get(paragraph).map(|found| found.program);
                let falls = |paragraph: &usize| {
                    let next = paragraph + 1;
                    ends[*paragraph].is_none() && !range_ends.contains(paragraph) && program(next) == program(first)
                };
                let reached = (first..).take(FOLLOWED).take_while(falls).last().map_or(first, |before| before + 1);
                led_from.entry((first, reached)).or_default().push(from);
            }
            _ => {}
        }
    }
    let mut ranges_with = vec![Vec::new(); parsed.paragraphs.len()];
    for range in led_from.keys() {
        (range.0..=range.1).for_each(|paragraph| ranges_with[paragraph].push(*range));
    }
    let mut open: Vec<usize> = (0..found.len()).filter(|paragraph| found[*paragraph]).collect();
    while let Some(paragraph) = open.pop() {
        for from in ranges_with[paragraph].drain(..).filter_map(|range| led_from.remove(&range)).flatten() {
            if !found[from] {
                found[from] = true;
                open.push(from);
            }
        }
    }
    found
}

fn does_nothing(parsed: &ParsedCobol, statement: &Statement) -> bool {
    match statement.verb {
        Verb::Exit => parsed.words_after_verb(statement).is_empty(),
        Verb::Continue => true,
        _ => false,
    }
}

/// Returns how a statement itself ends its program; none if control may come back from it.
pub fn ending(parsed: &ParsedCobol, statement: &Statement) -> Option<ProgramExit> {
    match own_exit(parsed, statement)? {
        ExitKind::StopRun => Some(ProgramExit::StopsRun),
        ExitKind::Goback | ExitKind::ExitProgram | ExitKind::CicsReturn | ExitKind::Macro => Some(ProgramExit::Returns),
        ExitKind::CicsXctl => Some(ProgramExit::TransfersControl),
        ExitKind::Abend => Some(ProgramExit::Abends),
        _ => None,
    }
}
