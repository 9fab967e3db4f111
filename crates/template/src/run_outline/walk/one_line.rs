//! Tells on one line what is done under a condition.

use super::super::OutlineKind;
use super::super::found_steps::LONGEST;
use super::super::told::with_what_they_take;
use super::super::transfers::{AND_BEHIND, Transfer, TransferKind};
use super::{FAR, OutlineWalk};
use crate::{ParagraphStep, PerformedEnd, StepCondition, StepExit};
use war_rig_text::LineNumber;

/// The most statements of what is performed under a condition that is told on one line with what is done.
const ON_ONE_LINE: usize = 8;

/// What is done under a condition, on one line.
pub(super) struct Folded<'a> {
    pub(super) done: String,
    /// As of the step of it that is least removed.
    pub(super) removed: u8,
    /// What leads to paragraphs that are told for themselves.
    pub(super) leads_to: Vec<Transfer<'a>>,
}

impl<'a> OutlineWalk<'a> {
    /// Adds a condition with what is done under it. Behind a condition under which nothing is done it is one step with it: `unless STATUS is '00': ...`.
    pub(super) fn push_folded(&mut self, depth: usize, condition: &'a ParagraphStep, folded: &Folded<'_>) {
        let before = self.steps.pop_if(|before| {
            condition.is_plain_else() && before.step.depth == depth && before.of.is_some_and(ParagraphStep::is_idle)
        });
        let (denied, asked) = match before.as_ref().and_then(|before| Some((before.of?, before.of?.denied()?))) {
            Some((step, asked)) => (Some(step), asked),
            None => {
                self.steps.extend(before);
                (None, condition.asked().to_owned())
            }
        };
        // What is done is told whole, and of a long condition the beginning.
        let room = LONGEST.saturating_sub(folded.done.chars().count());
        let text = match asked.char_indices().nth(room) {
            Some((cut, _)) => format!("{}...: {}", asked[..cut].trim_end(), folded.done),
            None => format!("{asked}: {}", folded.done),
        };
        let kind = if folded.removed == 0 { OutlineKind::Check } else { OutlineKind::Effect };
        self.push_step(depth, condition, kind, &text, folded.removed);
        if let Some(told) = self.steps.last_mut() {
            told.denied = denied;
        }
    }

    /// Returns what is done under a condition if it is told on one line: no operation and no further condition stands under it, and something that is
    /// seen, prepares what is told or leads elsewhere.
    pub(super) fn folded(&self, index: usize, at: usize, below: usize) -> Option<Folded<'a>> {
        let [condition, below @ ..] = &self.document.paragraphs[index].steps[at..=at + below] else { return None };
        let is_plain = condition.asks.is_some_and(|asks| asks != StepCondition::Loop)
            && below.iter().all(|step| step.asks.is_none() && !step.never_runs);
        let end = self.end_of(index, at + below.len());
        if !is_plain || below.is_empty() || self.told.range(condition.line..end).next().is_some() {
            return None;
        }
        let within: Vec<&Transfer<'a>> = (self.edges.get(&index).into_iter().flatten())
            .filter(|edge| edge.line >= condition.line && edge.line < end)
            .collect();
        let mut leads_to: Vec<Transfer<'a>> = Vec::new();
        for edge in &within {
            if self.document.paragraphs[edge.from].steps.is_empty() {
                continue;
            }
            if self.told_behind(edge, ON_ONE_LINE, true)? > 0 || edge.kind == TransferKind::Jump {
                leads_to.push(**edge);
            }
        }
        let of = |place: usize| {
            let end = below.get(place + 1).map_or(end, |next| next.line);
            within.iter().filter(move |edge| edge.line >= below[place].line && edge.line < end)
        };
        let leads = |place: usize| {
            of(place).any(|edge| edge.kind == TransferKind::Failure || leads_to.iter().any(|to| to.from == edge.from))
        };
        let copied: Vec<(LineNumber, &str)> = self.copied_within(index, condition.line..end).collect();
        let performs = |place: usize| of(place).any(|edge| !self.document.paragraphs[edge.from].steps.is_empty());
        let own = below.iter().enumerate().map(|(place, step)| {
            let end = below.get(place + 1).map_or(end, |next| next.line);
            let is_copied = copied.iter().any(|(line, _)| (step.line..end).contains(line));
            match step.is_reported || step.exit.is_some() || is_copied || leads(place) {
                true => Some(0),
                false => self.prepares.get(&step.line).copied().or_else(|| performs(place).then_some(FAR)),
            }
        });
        let own: Vec<Option<u8>> = own.collect();
        let removed = own.iter().flatten().min().copied();
        let told = with_what_they_take(below, own.iter().map(Option::is_some).collect());
        let told = below.iter().zip(told).enumerate().filter(|(_, (_, is_told))| *is_told);
        // The words of a step say themselves how the program always ends in it.
        let told = told.map(|(place, (step, _))| {
            let may_end = of(place).filter(|edge| edge.ends == Some(PerformedEnd::MayEnd)).map(|edge| edge.name);
            let words = PerformedEnd::MayEnd.in_words();
            match (may_end.collect::<Vec<_>>().as_slice(), of(place).count()) {
                ([], _) => step.text.clone(),
                ([_], 1) => format!("{} ({words})", step.text),
                (names, _) => format!("{} ({} {words})", step.text, names.join(" or ")),
            }
        });
        let mut done = told.collect::<Vec<_>>().join("; ");
        let jump = leads_to.iter().find(|to| to.kind == TransferKind::Jump);
        if jump.is_some_and(|jump| jump.goes_on && done.ends_with(jump.name)) {
            done.push_str(AND_BEHIND);
        }
        if below.last().is_some_and(|last| last.exit == Some(StepExit::Paragraph)) && jump.is_none() {
            done.push_str(&self.skipped(index, condition.line..end));
        }
        let is_short = condition.text.chars().count() + done.chars().count() <= LONGEST;
        Some(Folded { done, removed: removed.filter(|_| is_short)?, leads_to })
    }
}
