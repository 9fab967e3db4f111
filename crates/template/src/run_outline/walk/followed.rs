//! Follows the transfers that a step makes: what is performed is told where that stands, or once for itself.

use super::super::found_steps::{FoundStep, outline_step};
use super::super::transfers::{Transfer, TransferKind};
use super::super::{OutlineKind, STEPS};
use super::{FAR, OutlineWalk};
use crate::ParagraphStep;
use foldhash::{HashSet, HashSetExt};
use war_rig_text::LineNumber;

/// The most statements of a paragraph without conditions that is told wherever it is performed. Another one that is performed in several places is told
/// once, for itself.
const SMALL: usize = 2;

impl<'a> OutlineWalk<'a> {
    /// Follows a transfer that a step makes.
    pub(super) fn transfer(&mut self, step: &'a ParagraphStep, edge: &Transfer<'a>) {
        let document = self.document;
        let told = self.told_behind(edge, SMALL, false);
        let is_small = told.is_some_and(|told| told > 0);
        // What tells nothing is followed once, for what it prepares.
        let is_shared = told != Some(0) && self.entries.get(&edge.from).is_some_and(|entries| *entries > 1);
        let begun = self.followed.len();
        match edge.kind {
            TransferKind::Handler => self.share(edge),
            TransferKind::Failure if told != Some(0) => self.share(edge),
            TransferKind::Failure | TransferKind::FallThrough | TransferKind::Altered => {}
            // A label that only ends a performed range: control comes back from there.
            TransferKind::Jump if document.paragraphs[edge.from].steps.is_empty() => {}
            TransferKind::Jump if is_small => {
                self.go_on_with(step, edge);
                self.forget_from(begun);
            }
            TransferKind::Jump
                if is_shared || self.fallen_into.contains(&edge.from) || self.seen.contains(&edge.from) =>
            {
                self.push(edge.line, OutlineKind::Jump, &edge.names(), 0);
                self.share(edge);
            }
            TransferKind::Jump => self.go_on_with(step, edge),
            TransferKind::Perform if is_shared && !is_small => {
                self.push(edge.line, OutlineKind::Part, &edge.with_its_end(edge.repeated()), 0);
                self.share(edge);
            }
            TransferKind::Perform if self.is_told(edge) => {
                self.push(edge.line, OutlineKind::Again, &edge.with_its_end(edge.names()), 0);
            }
            TransferKind::Perform => {
                // A range is told whole, also where something of it was performed alone.
                let is_told = |target: &usize| self.told_of.contains(target) && !self.following.contains(target);
                let again: Vec<usize> =
                    (edge.from..=edge.to).filter(|_| edge.from != edge.to).filter(is_told).collect();
                again.iter().for_each(|target| _ = self.seen.remove(target));
                self.performed.push(*edge);
                let is_told = self.below(step, edge, &format!("performs {}:", edge.repeated()), |walk| {
                    (edge.from..=edge.to).for_each(|target| walk.paragraph(target));
                });
                self.performed.pop();
                if !is_told && !document.paragraphs[edge.from].steps.is_empty() {
                    self.push(edge.line, OutlineKind::Part, &edge.with_its_end(edge.repeated()), FAR);
                }
                // A small paragraph is told wherever it is performed.
                if is_small {
                    self.forget_from(begun);
                }
            }
        }
    }

    /// Whether all was told that a transfer runs.
    fn is_told(&self, edge: &Transfer<'a>) -> bool {
        let mut run =
            (edge.from..=edge.to).filter(|target| !self.document.paragraphs[*target].steps.is_empty()).peekable();
        run.peek().is_some() && run.all(|target| self.told_of.contains(&target))
    }

    /// Tells where else the GO TO of a paragraph leads.
    pub(super) fn altered(&mut self, index: usize, line: LineNumber) {
        let edges = self.edges.get(&index).into_iter().flatten();
        let altered: Vec<Transfer<'a>> = edges.filter(|edge| edge.kind == TransferKind::Altered).copied().collect();
        if altered.is_empty() {
            return;
        }
        self.push(line, OutlineKind::Condition, "after an ALTER, instead:", 0);
        self.depth += 1;
        for edge in altered {
            self.push(line, OutlineKind::Jump, edge.name, 0);
            self.share(&edge);
        }
        self.depth -= 1;
    }

    /// Tells what a GO TO leads to where it stands.
    fn go_on_with(&mut self, step: &'a ParagraphStep, edge: &Transfer<'a>) {
        let heading = match edge.depending_on {
            Some(item) => format!("goes to {}, if {item} says so:", edge.name),
            None => format!("goes to {}:", edge.name),
        };
        self.below(step, edge, &heading, |walk| walk.fall_through_from(edge.from));
    }

    /// Tells something below a heading, which it needs; returns whether anything was told.
    fn below(
        &mut self,
        step: &'a ParagraphStep,
        edge: &Transfer<'a>,
        heading: &str,
        tell: impl FnOnce(&mut Self),
    ) -> bool {
        let heading = outline_step(self.depth, edge.line, OutlineKind::Condition, heading);
        self.steps.push(FoundStep { step: heading, of: Some(step), denied: None, removed: 0 });
        let begun = self.steps.len();
        self.depth += 1;
        tell(self);
        self.depth -= 1;
        let is_told = self.steps.len() > begun;
        if !is_told {
            self.steps.pop();
        }
        is_told
    }

    /// Tells a paragraph for itself, unless it is told where control falls into it.
    pub(super) fn share(&mut self, edge: &Transfer<'a>) {
        let of = |edge: &Transfer<'_>| (edge.from, edge.to, edge.comes_back());
        let is_same = |known: &Transfer<'_>| of(known) == of(edge);
        if !self.shared.iter().any(is_same) {
            self.shared.push(*edge);
        }
    }

    /// Lets the paragraphs that were followed from here on be told again.
    fn forget_from(&mut self, begun: usize) {
        for index in self.followed.drain(begun..) {
            self.seen.remove(&index);
        }
    }

    /// Returns how many statements are told of what a transfer leads to; none if they are more than `most` or, unless they may, under a condition.
    pub(super) fn told_behind(&self, edge: &Transfer<'_>, most: usize, has_conditions: bool) -> Option<usize> {
        let mut open: Vec<usize> = (edge.from..=edge.to).collect();
        let (mut known, mut told) = (HashSet::new(), 0);
        while let Some(index) = open.pop() {
            if !known.insert(index) {
                continue;
            }
            let paragraph = &self.document.paragraphs[index];
            let own = paragraph.citations.first().map_or(0, |all| {
                let lines = all.lines().start()..=all.lines().end();
                let prepares = self.prepares.range(lines.clone()).take(most + 1).count();
                let is_only_seen = |step: &&ParagraphStep| {
                    step.is_reported && !self.told.contains(&step.line) && !self.prepares.contains_key(&step.line)
                };
                let seen = paragraph.steps.iter().filter(is_only_seen).take(most + 1).count();
                self.told.range(lines).take(most + 1).count() + prepares + seen
            });
            told += own;
            let is_divided = own > 0 && paragraph.steps.iter().any(|step| step.asks.is_some());
            if told > most || known.len() > STEPS || (is_divided && !has_conditions) {
                return None;
            }
            let inner = self.edges.get(&index).into_iter().flatten();
            let inner = inner
                .filter(|edge| matches!(edge.kind, TransferKind::Perform | TransferKind::Jump | TransferKind::Altered));
            open.extend(inner.flat_map(|edge| edge.from..=edge.to));
        }
        Some(told)
    }
}
