//! Follows a program from paragraph to paragraph: performs, jumps, handlers and ends.

mod followed;
mod one_line;

use super::found_steps::{FoundStep, outline_step, with_content};
use super::told::told_lines;
use super::transfers::{Transfer, TransferKind, Transfers, transfers};
use super::{OutlineKind, STEPS};
use crate::{Document, ParagraphStep, StepCondition, StepExit};
use foldhash::{HashMap, HashSet, HashSetExt};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use war_rig_text::LineNumber;

/// How many steps of one part are looked for.
const STEPS_FOUND: usize = 4_000;

/// How deep performed paragraphs are followed.
const PERFORMS_FOLLOWED: usize = 24;

/// By how many steps a performed paragraph that tells nothing is removed from what is told: farther than any preparation.
const FAR: u8 = u8::MAX;

/// What is said behind the steps of a GO TO that are told where it stands.
const NO_RETURN: &str = "does not come back to what follows";

/// A part of a way: the paragraph that is performed in several places, none for what runs at the start, and its steps.
pub(super) struct FoundPart<'a> {
    pub(super) paragraph: Option<String>,
    pub(super) steps: Vec<FoundStep<'a>>,
}

/// Follows a program from paragraph to paragraph.
pub(super) struct OutlineWalk<'a> {
    document: &'a Document,
    first_program: Option<&'a str>,
    /// The lines whose steps are told: operations, calls, commands.
    told: BTreeSet<LineNumber>,
    /// The lines of statements that set what told steps test or take, with the number of steps between.
    prepares: &'a BTreeMap<LineNumber, u8>,
    /// Of each paragraph, by index: where its statements lead, in line order.
    edges: HashMap<usize, Vec<Transfer<'a>>>,
    /// Of each paragraph, by index: the performed labels that are not among the document's paragraphs, in line order. Copied code has its own page.
    copied: HashMap<usize, Vec<(LineNumber, &'a str)>>,
    /// In how many places each paragraph is entered, other than by falling into it.
    entries: HashMap<usize, usize>,
    /// The paragraphs that control falls into.
    fallen_into: HashSet<usize>,
    /// The paragraphs that are being followed, or were told.
    seen: HashSet<usize>,
    /// The same, in the order in which they were begun.
    followed: Vec<usize>,
    /// The paragraphs that are being followed, the innermost last.
    following: Vec<usize>,
    /// The paragraphs of which something was told.
    told_of: HashSet<usize>,
    /// Those that were told where control falls into them.
    labelled: HashSet<usize>,
    /// What leads to the paragraphs that will be parts, in order.
    shared: Vec<Transfer<'a>>,
    /// The transfers by which the paragraphs around the current step are performed.
    performed: Vec<Transfer<'a>>,
    /// What leads to the part that is told.
    part: Option<Transfer<'a>>,
    steps: Vec<FoundStep<'a>>,
    /// How many steps there were behind the last one with which control leaves.
    left_at: usize,
    depth: usize,
    nesting: usize,
}

impl<'a> OutlineWalk<'a> {
    pub(super) fn of(document: &'a Document, prepares: &'a BTreeMap<LineNumber, u8>) -> Self {
        let first_program = document.programs.first().map(|program| program.program_id.as_str());
        let Transfers { edges, copied, entries } = transfers(document);
        let falls = edges.values().flatten().filter(|edge| edge.kind == TransferKind::FallThrough);
        let fallen_into = falls.map(|edge| edge.from).collect();
        Self {
            document,
            first_program,
            told: told_lines(document),
            prepares,
            edges,
            copied,
            entries,
            fallen_into,
            seen: HashSet::new(),
            followed: Vec::new(),
            following: Vec::new(),
            told_of: HashSet::new(),
            labelled: HashSet::new(),
            shared: Vec::new(),
            performed: Vec::new(),
            part: None,
            steps: Vec::new(),
            left_at: 0,
            depth: 0,
            nesting: 0,
        }
    }

    /// Returns what runs at the start, and the paragraphs that are performed in several places.
    pub(super) fn parts(mut self) -> Vec<FoundPart<'a>> {
        let is_first = |program: &Option<String>| program.is_none() || program.as_deref() == self.first_program;
        let Some(entry) = self.document.paragraphs.iter().position(|paragraph| is_first(&paragraph.program)) else {
            return Vec::new();
        };
        self.fall_through_from(entry);
        let mut parts = vec![FoundPart { paragraph: None, steps: with_content(std::mem::take(&mut self.steps)) }];
        let (mut next, mut found) = (0, parts[0].steps.len());
        while let Some(edge) = self.shared.get(next).copied() {
            next += 1;
            let range = edge.from..=edge.to;
            let is_told = range.clone().all(|paragraph| self.seen.contains(&paragraph));
            if is_told && (!edge.goes_on || self.labelled.contains(&edge.from)) {
                continue;
            }
            (self.depth, self.nesting) = (0, 0);
            self.part = Some(edge);
            if edge.comes_back() {
                // What is also performed alone is told in the range again, while there is room for it.
                for paragraph in range {
                    if found > STEPS && self.told_of.contains(&paragraph) {
                        self.push(
                            edge.line,
                            OutlineKind::Again,
                            &self.document.paragraphs[paragraph].paragraph_name,
                            0,
                        );
                    } else {
                        self.seen.remove(&paragraph);
                        self.paragraph(paragraph);
                    }
                }
            } else {
                // What is performed, and comes back, is told for itself.
                let was_told = self.seen.remove(&edge.from) || !edge.goes_on;
                self.fall_through_from(edge.from);
                if !was_told {
                    self.seen.remove(&edge.from);
                }
            }
            let steps = with_content(std::mem::take(&mut self.steps));
            found += steps.len();
            parts.push(FoundPart { paragraph: Some(edge.names()), steps });
        }
        parts
    }

    /// Follows a paragraph and those that control falls into behind it.
    fn fall_through_from(&mut self, entry: usize) {
        let mut at = Some(entry);
        while let Some(index) = at {
            let is_new = !self.seen.contains(&index);
            if index != entry && self.entries.contains_key(&index) {
                let paragraph = &self.document.paragraphs[index];
                let line = paragraph.citations.first().map(|all| all.lines().start());
                // What was told already is not told again, but control goes on there.
                let kind = if is_new { OutlineKind::Label } else { OutlineKind::Jump };
                if let Some(line) = line.filter(|_| is_new || self.told_of.contains(&index)) {
                    self.push(line, kind, &paragraph.paragraph_name, 0);
                }
                self.labelled.extend(is_new.then_some(index));
            }
            self.paragraph(index);
            let comes_back = |around: &Transfer<'_>| around.comes_back() && around.to == index && around.runs(entry);
            let is_end = self.performed.iter().chain(&self.part).any(comes_back);
            at = if is_new && !is_end { self.next_of(index) } else { None };
        }
    }

    /// Adds the name of a paragraph.
    fn push(&mut self, line: LineNumber, kind: OutlineKind, text: &str, removed: u8) {
        self.steps.push(FoundStep {
            step: outline_step(self.depth, line, kind, text),
            of: None,
            denied: None,
            removed,
        });
    }

    /// Adds a step of a paragraph.
    fn push_step(&mut self, depth: usize, of: &'a ParagraphStep, kind: OutlineKind, text: &str, removed: u8) {
        self.steps.push(FoundStep {
            step: outline_step(depth, of.line, kind, text),
            of: Some(of),
            denied: None,
            removed,
        });
    }

    fn next_of(&self, index: usize) -> Option<usize> {
        self.edges.get(&index)?.iter().find(|edge| edge.kind == TransferKind::FallThrough).map(|edge| edge.from)
    }

    /// Follows a paragraph, unless it was told already.
    fn paragraph(&mut self, index: usize) {
        if self.nesting >= PERFORMS_FOLLOWED || self.steps.len() > STEPS_FOUND || !self.seen.insert(index) {
            return;
        }
        self.followed.push(index);
        self.following.push(index);
        let document = self.document;
        let steps = &document.paragraphs[index].steps;
        let (own_depth, begun) = (self.depth, self.steps.len());
        self.nesting += 1;
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            if step.never_runs {
                at += 1;
                continue;
            }
            let below = steps[at + 1..].iter().take_while(|below| below.depth > step.depth).count();
            let depth = own_depth + usize::from(step.depth);
            if let Some(folded) = self.folded(index, at, below) {
                self.push_folded(depth, step, &folded);
                folded.leads_to.iter().for_each(|edge| self.share(edge));
                at += below;
            } else {
                self.step(index, at, own_depth);
                // What follows under the same condition never runs.
                if step.exit.is_some() {
                    at += steps[at + 1..].iter().take_while(|next| next.depth >= step.depth && !next.is_case()).count();
                }
            }
            at += 1;
        }
        self.nesting -= 1;
        self.following.pop();
        self.depth = own_depth;
        if self.steps.len() > begun {
            self.told_of.insert(index);
        }
    }

    /// Returns the line behind a step.
    fn end_of(&self, index: usize, step: usize) -> LineNumber {
        let paragraph = &self.document.paragraphs[index];
        let next = paragraph.steps.get(step + 1).map(|next| next.line);
        let last = paragraph.citations.first().map_or(paragraph.steps[step].line, |all| all.lines().end());
        next.unwrap_or_else(|| LineNumber::new(last.get() + 1).unwrap_or(last))
    }

    fn step(&mut self, index: usize, at: usize, own_depth: usize) {
        let (document, end) = (self.document, self.end_of(index, at));
        let steps = &document.paragraphs[index].steps;
        let step = &steps[at];
        let is_in_loop = || conditions_around(&steps[..=at]).any(|around| around.asks == Some(StepCondition::Loop));
        let depth = own_depth + usize::from(step.depth);
        let is_condition = step.asks.is_some() && !step.is_idle();
        let is_operation = step.line < end && self.told.range(step.line..end).next().is_some();
        let removed = match is_operation || step.is_reported || step.exit == Some(StepExit::Program) {
            true => Some(0),
            false => self.prepares.get(&step.line).copied(),
        };
        let told_before = self.steps.len();
        let has_phrases = steps.get(at + 1).is_some_and(|next| next.depth > step.depth);
        if step.asks.is_some() {
            self.push_step(depth, step, OutlineKind::Condition, &step.text, 0);
        } else if has_phrases && removed.is_none() {
            self.push_step(depth, step, OutlineKind::Condition, &format!("{}:", step.text), 0);
        } else if let Some(removed) = removed {
            let kind = if step.exit.is_some() { OutlineKind::Exit } else { OutlineKind::Effect };
            self.push_step(depth, step, kind, &step.text, removed);
        }
        let is_own = |kind: TransferKind| !matches!(kind, TransferKind::FallThrough | TransferKind::Altered);
        let is_followed = |edge: &&Transfer<'_>| is_own(edge.kind) && edge.line >= step.line && edge.line < end;
        let transfers: Vec<Transfer<'a>> =
            self.edges.get(&index).into_iter().flatten().filter(is_followed).copied().collect();
        let is_alone = transfers.len() == 1;
        self.depth = depth + usize::from(is_condition);
        let copied = self.copied_within(index, step.line..end);
        copied.for_each(|(line, name)| self.push(line, OutlineKind::Part, name, 0));
        for edge in transfers {
            self.depth = depth + usize::from(is_condition);
            // What is performed inside a loop is not a loop itself.
            let kind = match (edge.kind, step.exit) {
                // After a failure, what ends the program is told as an outcome; anything else is on the way.
                (TransferKind::Failure, exit) if exit != Some(StepExit::PerformedEnd) => TransferKind::Perform,
                (kind, _) => kind,
            };
            let begun = self.steps.len();
            let repeated = step.repeated.as_deref().filter(|_| is_alone && !is_in_loop());
            let until = repeated.filter(|_| edge.until.is_some());
            self.transfer(step, &Transfer { until, kind, ..edge });
            if kind == TransferKind::Jump {
                self.altered(index, edge.line);
            }
            // What a GO TO leads to is told where it stands, and what follows it is done only otherwise.
            let is_followed_by_more = || steps[at + 1..].iter().any(|next| next.depth < step.depth);
            if kind == TransferKind::Jump && self.comes_to_its_end(begun) && is_followed_by_more() {
                self.push(edge.line, OutlineKind::Exit, NO_RETURN, 0);
            }
        }
        if step.exit.is_some() && self.steps.len() == told_before {
            let skipped = match step.exit {
                Some(StepExit::Paragraph) => self.skipped(index, step.line..end),
                _ => String::new(),
            };
            self.push_step(depth, step, OutlineKind::Exit, &format!("{}{skipped}", step.text), 0);
        }
        if step.exit.is_some() {
            self.left_at = self.steps.len();
        }
    }

    /// Returns the labels of copied code that a paragraph performs on these lines.
    fn copied_within(
        &self,
        index: usize,
        lines: Range<LineNumber>,
    ) -> impl Iterator<Item = (LineNumber, &'a str)> + use<'a> {
        let all = self.copied.get(&index).map_or(&[][..], Vec::as_slice);
        let within: Vec<_> = all.iter().filter(|(line, _)| lines.contains(line)).copied().collect();
        within.into_iter()
    }

    /// Says what a statement on these lines skips with which control leaves what is performed; nothing at the start. A jump to a paragraph that is
    /// performed farther out leaves all that is performed further in.
    fn skipped(&self, index: usize, lines: Range<LineNumber>) -> String {
        let edges = self.edges.get(&index).into_iter().flatten();
        let jump = edges.into_iter().find(|edge| edge.kind == TransferKind::Jump && lines.contains(&edge.line));
        let around = jump.and_then(|jump| self.performed.iter().rposition(|around| around.runs(jump.from)));
        let left = &self.performed[around.unwrap_or(self.performed.len().saturating_sub(1))..];
        let left: Vec<&str> = left.iter().rev().map(|left| left.name).collect();
        if left.is_empty() { String::new() } else { format!(", skipping the rest of {}", left.join(" and ")) }
    }

    /// Whether steps were told from here on, and the last of them does not say itself that control goes elsewhere.
    fn comes_to_its_end(&self, begun: usize) -> bool {
        let Some(last) = self.steps[begun..].last() else { return false };
        let leaves = last.step.kind == OutlineKind::Jump || self.left_at == self.steps.len();
        !(leaves && last.step.depth <= self.depth + 1)
    }
}

/// Returns the conditions around the last of these steps, the innermost first.
fn conditions_around(steps: &[ParagraphStep]) -> impl Iterator<Item = &ParagraphStep> {
    let mut depth = steps.last().map_or(0, |step| step.depth);
    steps.iter().rev().filter(move |step| {
        let is_around = step.depth < depth;
        depth = depth.min(step.depth);
        is_around
    })
}
