//! The steps that are found on a way, and what is kept of them.

use super::{OutlineKind, OutlineStep, StepRepetition};
use crate::{ParagraphStep, StepCondition};
use war_rig_text::LineNumber;

/// How many checks in a row are told one by one.
const CHECKS_TOLD: usize = 3;

/// The longest step, in characters.
pub(super) const LONGEST: usize = 900;

/// What is said under a condition that only those behind it need.
const NOTHING_TOLD: &str = "nothing that is told here";

/// A step that is found on the way.
pub(super) struct FoundStep<'a> {
    pub(super) step: OutlineStep,
    /// The step of the paragraph that it tells; none for a name of a paragraph.
    pub(super) of: Option<&'a ParagraphStep>,
    /// The step whose condition an `unless` denies.
    pub(super) denied: Option<&'a ParagraphStep>,
    /// By how many steps it is removed from what reaches out of the program or is seen of it: none for these themselves, 1 for what sets the items that
    /// they take or that decide about them.
    pub(super) removed: u8,
}

impl FoundStep<'_> {
    pub(super) fn asks(&self) -> Option<StepCondition> {
        self.of.and_then(|of| of.asks)
    }

    /// Leaves only the condition of what is done under one; returns whether there is one.
    pub(super) fn is_left_as_condition(&mut self) -> bool {
        let Some(of) = self.of.filter(|of| of.asks.is_some()) else { return false };
        self.step = outline_step(self.step.depth, of.line, OutlineKind::Condition, &format!("{}:", of.asked()));
        self.removed = 0;
        true
    }
}

pub(super) fn outline_step(depth: usize, line: LineNumber, kind: OutlineKind, text: &str) -> OutlineStep {
    // Room for a colon and the mark of a cut.
    let text = match text.char_indices().nth(LONGEST + 8) {
        Some((cut, _)) => format!("{}...{}", text[..cut].trim_end(), if text.ends_with(':') { ":" } else { "" }).into(),
        None => text.into(),
    };
    OutlineStep { depth, line, kind, text, repeated: None }
}

/// Drops conditions under which nothing is told and labels without content, and joins equal steps in a row. The cases before one
/// that is told stay: without them, `otherwise` says nothing, and neither does a case behind one in which nothing is done.
pub(super) fn with_content(steps: Vec<FoundStep<'_>>) -> Vec<FoundStep<'_>> {
    let mut kept: Vec<FoundStep<'_>> = Vec::with_capacity(steps.len());
    // The depth of the case whose earlier cases are needed.
    let mut needed: Option<usize> = None;
    for mut found in steps.into_iter().rev() {
        let below = kept.last().map(|below| (below.step.depth, below.step.kind));
        let (depth, asks) = (found.step.depth, found.asks());
        let stays = match found.step.kind {
            OutlineKind::Condition => {
                let has_content = below.is_some_and(|(below, _)| below > depth);
                let is_idle = found.of.is_some_and(ParagraphStep::is_idle);
                let mut next = kept.iter().rev().skip_while(|next| next.step.depth > depth);
                let mut is_before_case = || {
                    let next = next.next().filter(|next| next.step.depth == depth).and_then(FoundStep::asks);
                    next == Some(StepCondition::Otherwise)
                        || (asks.is_some() && asks == next && next == Some(StepCondition::When))
                };
                let is_needed = (needed == Some(depth) && asks.is_some()) || (is_idle && is_before_case());
                if !has_content && !is_idle && is_needed && !found.step.text.ends_with(NOTHING_TOLD) {
                    found.step.text = format!("{} {NOTHING_TOLD}", found.step.text).into();
                }
                has_content || is_needed
            }
            OutlineKind::Label => below.is_some_and(|(_, kind)| kind != OutlineKind::Label),
            _ => true,
        };
        if !stays {
            continue;
        }
        if asks == Some(StepCondition::Otherwise) {
            needed = Some(depth);
        } else if needed.is_some_and(|needed| depth <= needed && asks != Some(StepCondition::When)) {
            needed = None;
        }
        kept.push(found);
    }
    kept.reverse();
    kept.dedup_by(|next, first| {
        let (first, next) = (&mut first.step, &next.step);
        let is_equal = first.kind == OutlineKind::Effect && first.kind == next.kind && first.depth == next.depth;
        let is_equal = is_equal && first.text == next.text;
        if is_equal {
            let times = first.repeated.map_or(1, |repeated| repeated.times) + 1;
            first.repeated = Some(StepRepetition { times, last_line: next.line });
        }
        is_equal
    });
    kept
}

/// Puts one step in place of long rows of checks.
pub(super) fn with_few_checks(steps: Vec<FoundStep<'_>>) -> Vec<FoundStep<'_>> {
    let mut told: Vec<FoundStep<'_>> = Vec::with_capacity(steps.len());
    let mut rest = steps.into_iter().peekable();
    while let Some(first) = rest.next() {
        let depth = first.step.depth;
        let is_check = |found: &FoundStep<'_>| {
            found.step.kind == OutlineKind::Check && found.step.depth == depth && found.step.repeated.is_none()
        };
        let mut run = vec![first];
        while is_check(&run[0])
            && let Some(next) = rest.next_if(is_check)
        {
            run.push(next);
        }
        if run.len() > CHECKS_TOLD {
            // The last one may be an ELSE, behind which nothing else can come.
            let are_cases = run[1..].iter().all(|found| found.asks().is_some_and(StepCondition::is_case));
            let times = u32::try_from(run.len()).unwrap_or(u32::MAX);
            let last_line = run[run.len() - 1].step.line;
            run.truncate(1);
            run[0].step.text = if are_cases { "cases of one choice" } else { "checks" }.into();
            run[0].step.repeated = Some(StepRepetition { times, last_line });
        }
        told.extend(run);
    }
    told
}
