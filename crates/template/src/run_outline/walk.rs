//! Follows a program from paragraph to paragraph: performs, jumps, handlers and ends.

use super::messages::{GivenMessage, messages};
use super::told::{lines_told_whole, told_lines};
use super::{OutlineKind, OutlinePart, OutlineStep, STEPS, StepRepetition};
use crate::markdown::common_effects::condition_and_effects;
use crate::{Document, ParagraphStep, StepExit};
use std::collections::{BTreeSet, HashMap, HashSet};
use war_rig_text::LineNumber;

/// How many steps of one part are looked for.
const STEPS_FOUND: usize = 4_000;

/// How deep performed paragraphs are followed.
const PERFORMS_FOLLOWED: usize = 24;

/// The most statements of a paragraph without conditions that is told wherever it is performed. Another one that is performed in several places is told
/// once, for itself.
const SMALL: usize = 2;

/// The most statements of what is performed to give a message.
const OF_MESSAGE: usize = 8;

/// What is said behind the steps of a GO TO that are told where it stands.
const NO_RETURN: &str = "does not come back to what follows";

/// Follows a program from paragraph to paragraph.
pub(super) struct OutlineWalk<'a> {
    document: &'a Document,
    first_program: Option<&'a str>,
    /// The lines whose steps are told: operations, calls, commands.
    told: BTreeSet<LineNumber>,
    /// Those among them that are told with their options.
    told_whole: BTreeSet<LineNumber>,
    /// The lines of calculations, and of assignments to items that a told condition tests.
    pub(super) prepares: BTreeSet<LineNumber>,
    /// Of each condition under which a message is given, both.
    messages: HashMap<LineNumber, GivenMessage>,
    /// Of each paragraph, by index: where its statements lead, in line order.
    edges: HashMap<usize, Vec<Transfer<'a>>>,
    /// In how many places each paragraph is entered, other than by falling into it.
    entries: HashMap<usize, usize>,
    /// The paragraphs that control falls into.
    fallen_into: HashSet<usize>,
    /// The paragraphs that are being followed, or were told.
    seen: HashSet<usize>,
    /// The same, in the order in which they were begun.
    followed: Vec<usize>,
    /// The paragraphs that will be parts, in order.
    shared: Vec<usize>,
    steps: Vec<OutlineStep>,
    /// How many steps there were behind the last one with which control leaves.
    left_at: usize,
    depth: usize,
    nesting: usize,
}

/// A transfer of control from a paragraph.
#[derive(Clone, Copy)]
struct Transfer<'a> {
    line: LineNumber,
    /// The paragraphs that it runs, by index.
    from: usize,
    to: usize,
    until: Option<&'a str>,
    kind: TransferKind,
}

/// How control gets to a paragraph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TransferKind {
    /// It comes back.
    Perform,
    /// It goes on from there.
    Jump,
    FallThrough,
    /// It comes back, and only after a failure.
    Failure,
    /// When something happens that a statement has asked to be told of.
    Handler,
}

impl<'a> OutlineWalk<'a> {
    pub(super) fn of(document: &'a Document) -> Self {
        let first_program = document.programs.first().map(|program| program.program_id.as_str());
        let (edges, entries) = transfers(document);
        let messages = messages(document);
        let told = told_lines(document);
        let falls = edges.values().flatten().filter(|edge| edge.kind == TransferKind::FallThrough);
        let fallen_into = falls.map(|edge| edge.from).collect();
        let (seen, shared, steps) = (HashSet::new(), Vec::new(), Vec::new());
        Self {
            document,
            first_program,
            told,
            told_whole: lines_told_whole(document),
            prepares: BTreeSet::new(),
            messages,
            edges,
            entries,
            fallen_into,
            seen,
            followed: Vec::new(),
            shared,
            steps,
            left_at: 0,
            depth: 0,
            nesting: 0,
        }
    }

    /// Returns what runs at the start, and the paragraphs that are performed in several places.
    pub(super) fn parts(mut self) -> Vec<OutlinePart> {
        let is_first = |program: &Option<String>| program.is_none() || program.as_deref() == self.first_program;
        let Some(entry) = self.document.paragraphs.iter().position(|paragraph| is_first(&paragraph.program)) else {
            return Vec::new();
        };
        self.fall_through_from(entry);
        let mut parts = vec![OutlinePart { paragraph: None, steps: with_content(std::mem::take(&mut self.steps)) }];
        let mut next = 0;
        while let Some(index) = self.shared.get(next).copied() {
            next += 1;
            if self.seen.contains(&index) {
                continue;
            }
            (self.depth, self.nesting) = (0, 0);
            self.fall_through_from(index);
            let paragraph = Some(self.document.paragraphs[index].paragraph_name.clone());
            let steps = with_content(std::mem::take(&mut self.steps));
            parts.push(OutlinePart { paragraph, steps });
        }
        parts
    }

    /// Follows a paragraph and those that control falls into behind it.
    fn fall_through_from(&mut self, entry: usize) {
        let mut at = Some(entry);
        while let Some(index) = at {
            let is_new = !self.seen.contains(&index);
            if is_new && index != entry && self.entries.contains_key(&index) {
                let paragraph = &self.document.paragraphs[index];
                let line = paragraph.citations.first().map(|all| all.lines().start());
                if let Some(line) = line {
                    self.push(self.depth, line, OutlineKind::Label, &paragraph.paragraph_name);
                }
            }
            self.paragraph(index);
            at = if is_new { self.next_of(index) } else { None };
        }
    }

    fn push(&mut self, depth: usize, line: LineNumber, kind: OutlineKind, text: &str) {
        let text = text.into();
        self.steps.push(OutlineStep { depth, line, kind, text, repeated: None });
    }

    /// Adds a failure. Behind a condition under which nothing is done it is one step with it: `unless STATUS is '00': ...`.
    fn push_failure(&mut self, depth: usize, line: LineNumber, failure: &str) {
        let before = self.steps.pop_if(|before| before.depth == depth && before.text.ends_with(": nothing"));
        let asked = before.as_ref().and_then(|before| before.text.strip_prefix("if ")?.strip_suffix(": nothing"));
        match (asked, failure.strip_prefix("otherwise: ")) {
            (Some(asked), Some(failure)) => {
                self.push(depth, line, OutlineKind::Check, &format!("unless {asked}: {failure}"));
            }
            _ => {
                self.steps.extend(before);
                self.push(depth, line, OutlineKind::Check, failure);
            }
        }
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
        let document = self.document;
        let steps = &document.paragraphs[index].steps;
        let own_depth = self.depth;
        self.nesting += 1;
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            if step.never_runs {
                at += 1;
                continue;
            }
            let below = steps[at + 1..].iter().take_while(|below| below.depth > step.depth).count();
            let depth = own_depth + usize::from(step.depth);
            if let Some(failure) = self.failure(index, &steps[at..=at + below]) {
                self.push_failure(depth, step.line, &failure);
                at += below;
            } else if let Some(message) = self.message(index, &steps[at..=at + below]) {
                let end = steps[at + below].exit.map(|_| format!("; {}", steps[at + below].text));
                let text = format!("{message}{}", end.unwrap_or_default());
                self.push(depth, step.line, OutlineKind::Check, &text);
                at += below;
            } else {
                self.step(index, at, own_depth);
                // What follows under the same condition never runs.
                if step.exit.is_some() {
                    at += steps[at + 1..].iter().take_while(|next| next.depth >= step.depth && !is_case(next)).count();
                }
            }
            at += 1;
        }
        self.nesting -= 1;
        self.depth = own_depth;
    }

    /// Returns the line behind a step.
    fn end_of(&self, index: usize, step: usize) -> LineNumber {
        let paragraph = &self.document.paragraphs[index];
        let next = paragraph.steps.get(step + 1).map(|next| next.line);
        let last = paragraph.citations.first().map_or(paragraph.steps[step].line, |all| all.lines().end());
        next.unwrap_or_else(|| LineNumber::new(last.get() + 1).unwrap_or(last))
    }

    /// Returns the message of a condition that decides about nothing else.
    fn message(&self, index: usize, steps: &[ParagraphStep]) -> Option<&str> {
        let [condition, below @ ..] = steps else { return None };
        let message = self.messages.get(&condition.line).filter(|_| condition.text.ends_with(':'))?;
        let last = below.last()?.line;
        if below.iter().any(|step| step.text.ends_with(':')) || self.told.range(condition.line..=last).next().is_some()
        {
            return None;
        }
        let within = self.edges.get(&index).into_iter().flatten();
        let mut within = within.filter(|edge| edge.line >= condition.line && edge.line <= last);
        within
            .all(|edge| !message.is_all && self.told_behind(edge, OF_MESSAGE, true).is_some())
            .then_some(message.text.as_str())
    }

    /// Returns a condition under which the program only performs what ends it after a failure, with that.
    fn failure(&self, index: usize, steps: &[ParagraphStep]) -> Option<String> {
        let [condition, below @ ..] = steps else { return None };
        let last = below.last().filter(|last| last.exit == Some(StepExit::PerformedEnd))?;
        let within = self.edges.get(&index).into_iter().flatten();
        let mut within = within.filter(|edge| edge.line >= condition.line && edge.line <= last.line);
        let is_all = condition.text.ends_with(':')
            && !below.iter().any(|step| step.text.ends_with(':'))
            && self.told.range(condition.line..=last.line).next().is_none()
            && within.all(|edge| edge.kind == TransferKind::Failure);
        is_all.then(|| format!("{} {}", condition.text, last.text))
    }

    /// Returns how many statements are told of what a transfer leads to; none if they are more than `most` or, unless they may, under a condition.
    fn told_behind(&self, edge: &Transfer<'_>, most: usize, has_conditions: bool) -> Option<usize> {
        let mut open: Vec<usize> = (edge.from..=edge.to).collect();
        let (mut known, mut told) = (HashSet::new(), 0);
        while let Some(index) = open.pop() {
            if !known.insert(index) {
                continue;
            }
            let paragraph = &self.document.paragraphs[index];
            let own = paragraph
                .citations
                .first()
                .map_or(0, |all| self.told.range(all.lines().start()..=all.lines().end()).take(most + 1).count());
            told += own;
            let is_divided = own > 0 && paragraph.steps.iter().any(|step| step.text.ends_with(':'));
            if told > most || known.len() > STEPS || (is_divided && !has_conditions) {
                return None;
            }
            let inner = self.edges.get(&index).into_iter().flatten();
            let inner = inner.filter(|edge| matches!(edge.kind, TransferKind::Perform | TransferKind::Jump));
            open.extend(inner.flat_map(|edge| edge.from..=edge.to));
        }
        Some(told)
    }

    fn step(&mut self, index: usize, at: usize, own_depth: usize) {
        let (document, end) = (self.document, self.end_of(index, at));
        let steps = &document.paragraphs[index].steps;
        let step = &steps[at];
        let is_in_loop = conditions_around(&steps[..=at]).any(|condition| condition.text.starts_with("repeats"));
        let depth = own_depth + usize::from(step.depth);
        let is_condition = step.text.ends_with(':');
        let is_idle = step.text.ends_with(": nothing");
        let is_within = |lines: &BTreeSet<LineNumber>| step.line < end && lines.range(step.line..end).next().is_some();
        let is_told = is_within(&self.told) || self.prepares.contains(&step.line);
        let told_before = self.steps.len();
        if is_condition || is_idle {
            self.push(depth, step.line, OutlineKind::Condition, &step.text);
        } else if is_told || step.exit == Some(StepExit::Program) {
            let text =
                if is_within(&self.told_whole) { step.text.as_str() } else { condition_and_effects(&step.text).0 };
            let kind = if step.exit.is_some() { OutlineKind::Exit } else { OutlineKind::Effect };
            self.push(depth, step.line, kind, text);
        }
        let is_followed =
            |edge: &&Transfer<'_>| edge.kind != TransferKind::FallThrough && edge.line >= step.line && edge.line < end;
        let transfers: Vec<Transfer<'a>> =
            self.edges.get(&index).into_iter().flatten().filter(is_followed).copied().collect();
        for edge in transfers {
            self.depth = depth + usize::from(is_condition);
            // What is performed inside a loop is not a loop itself.
            let kind = match (edge.kind, step.exit) {
                // After a failure, what ends the program is told as an outcome; anything else is on the way.
                (TransferKind::Failure, exit) if exit != Some(StepExit::PerformedEnd) => TransferKind::Perform,
                (kind, _) => kind,
            };
            let begun = self.steps.len();
            self.transfer(&Transfer { until: edge.until.filter(|_| !is_in_loop), kind, ..edge });
            // What a GO TO leads to is told where it stands, and what follows it is done only otherwise.
            let is_followed_by_more = steps[at + 1..].iter().any(|next| next.depth < step.depth);
            if kind == TransferKind::Jump && is_followed_by_more && self.comes_to_its_end(begun) {
                self.push(self.depth, edge.line, OutlineKind::Exit, NO_RETURN);
            }
        }
        if step.exit == Some(StepExit::Paragraph) && self.steps.len() == told_before {
            self.push(depth, step.line, OutlineKind::Exit, &step.text);
        }
        if step.exit.is_some() {
            self.left_at = self.steps.len();
        }
    }

    /// Whether steps were told from here on, and the last of them does not say itself that control goes elsewhere.
    fn comes_to_its_end(&self, begun: usize) -> bool {
        let Some(last) = self.steps[begun..].last() else { return false };
        let leaves = last.kind == OutlineKind::Jump || self.left_at == self.steps.len();
        !(leaves && last.depth == self.depth)
    }

    fn transfer(&mut self, edge: &Transfer<'a>) {
        let document = self.document;
        let name = document.paragraphs[edge.from].paragraph_name.as_str();
        let told = self.told_behind(edge, SMALL, false);
        let is_small = told.is_some_and(|told| told > 0);
        // What tells nothing is followed once, for what it prepares.
        let is_shared = told != Some(0) && self.entries.get(&edge.from).is_some_and(|entries| *entries > 1);
        let begun = self.followed.len();
        match edge.kind {
            TransferKind::Handler => self.share(edge.from),
            TransferKind::Failure | TransferKind::FallThrough => {}
            // A label that only ends a performed range: control comes back from there.
            TransferKind::Jump if document.paragraphs[edge.from].steps.is_empty() => {}
            TransferKind::Jump if is_small => {
                self.fall_through_from(edge.from);
                self.forget_from(begun);
            }
            TransferKind::Jump
                if is_shared || self.fallen_into.contains(&edge.from) || self.seen.contains(&edge.from) =>
            {
                self.push(self.depth, edge.line, OutlineKind::Jump, name);
                self.share(edge.from);
            }
            TransferKind::Jump => self.fall_through_from(edge.from),
            TransferKind::Perform if is_shared && !is_small => {
                let until = edge.until.map(|until| format!(" until {until}")).unwrap_or_default();
                self.push(self.depth, edge.line, OutlineKind::Part, &format!("{name}{until}"));
                self.share(edge.from);
            }
            TransferKind::Perform => {
                if let Some(until) = edge.until {
                    self.push(self.depth, edge.line, OutlineKind::Condition, &format!("repeats until {until}:"));
                    self.depth += 1;
                }
                for target in edge.from..=edge.to {
                    self.paragraph(target);
                }
                // A small paragraph is told wherever it is performed.
                if is_small {
                    self.forget_from(begun);
                }
            }
        }
    }

    /// Tells a paragraph for itself, unless it is told where control falls into it.
    fn share(&mut self, index: usize) {
        if !self.shared.contains(&index) {
            self.shared.push(index);
        }
    }

    /// Lets the paragraphs that were followed from here on be told again.
    fn forget_from(&mut self, begun: usize) {
        for index in self.followed.drain(begun..) {
            self.seen.remove(&index);
        }
    }
}

/// Whether a step is another case of the conditions before it.
pub(super) fn is_case(step: &ParagraphStep) -> bool {
    let is_other = ["otherwise", "in any other case", "when "].iter().any(|begin| step.text.starts_with(begin));
    is_other && step.text.contains(':')
}

/// Where the statements of a program lead: of each paragraph its transfers in line order, and the number of places from which each is entered.
fn transfers(document: &Document) -> (HashMap<usize, Vec<Transfer<'_>>>, HashMap<usize, usize>) {
    let places: HashMap<(Option<&str>, &str, Option<&str>), usize> = document
        .paragraphs
        .iter()
        .enumerate()
        .rev()
        .flat_map(|(index, paragraph)| {
            let (program, name) = (paragraph.program.as_deref(), paragraph.paragraph_name.as_str());
            [((program, name, paragraph.section.as_deref()), index), ((program, name, None), index)]
        })
        .collect();
    let mut edges: HashMap<usize, Vec<Transfer<'_>>> = HashMap::new();
    let mut entries: HashMap<usize, usize> = HashMap::new();
    for edge in &document.control_flow {
        let program = edge.program.as_deref();
        let find = |name, section| {
            places.get(&(program, name, section)).or_else(|| places.get(&(program, name, None))).copied()
        };
        let source = match edge.from.as_deref() {
            Some(from) => find(from, edge.from_section.as_deref()),
            None => document.paragraphs.iter().position(|paragraph| paragraph.program.as_deref() == program),
        };
        let target = edge.enters.as_deref().and_then(|enters| find(enters, edge.enters_section.as_deref()));
        let (Some(source), Some(from)) = (source, target) else { continue };
        let through = edge.through.as_deref().and_then(|name| find(name, edge.through_section.as_deref()));
        let kind = match edge.kind.as_str() {
            // ALTER runs nothing, and a GO TO may lead there later.
            "handle" | "alter" => TransferKind::Handler,
            "fall_through" => TransferKind::FallThrough,
            "go_to" => TransferKind::Jump,
            _ if edge.on_failure => TransferKind::Failure,
            _ => TransferKind::Perform,
        };
        if kind != TransferKind::FallThrough {
            *entries.entry(from).or_default() += 1;
        }
        let to = through.unwrap_or(from).max(from);
        let transfer = Transfer { line: edge.line, from, to, until: edge.until.as_deref(), kind };
        edges.entry(source).or_default().push(transfer);
    }
    edges.values_mut().for_each(|edges| edges.sort_by_key(|edge| edge.line));
    (edges, entries)
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

/// Drops conditions under which nothing is told and labels without content, and joins equal steps in a row. The cases before one that is told stay:
/// without them, `otherwise` says nothing, and neither does a case behind one in which nothing is done.
fn with_content(steps: Vec<OutlineStep>) -> Vec<OutlineStep> {
    let is_case =
        |step: &OutlineStep| ["otherwise", "in any other case"].iter().any(|begin| step.text.starts_with(begin));
    let mut kept: Vec<OutlineStep> = Vec::with_capacity(steps.len());
    // The depth of the case whose earlier cases are needed.
    let mut needed: Option<usize> = None;
    for step in steps.into_iter().rev() {
        let below = kept.last().map(|below| (below.depth, below.kind));
        let stays = match step.kind {
            OutlineKind::Condition => {
                let has_content = below.is_some_and(|(depth, _)| depth > step.depth);
                let mut next = kept.iter().rev().skip_while(|next| next.depth > step.depth);
                let mut is_before_case = || {
                    let next = next.next().filter(|next| next.depth == step.depth);
                    let is_when = step.text.starts_with("when ");
                    next.is_some_and(|next| is_case(next) || (is_when && next.text.starts_with("when ")))
                };
                has_content || needed == Some(step.depth) || (step.text.ends_with(": nothing") && is_before_case())
            }
            OutlineKind::Label => below.is_some_and(|(_, kind)| kind != OutlineKind::Label),
            _ => true,
        };
        if !stays {
            continue;
        }
        if matches!(step.kind, OutlineKind::Condition | OutlineKind::Check) && is_case(&step) {
            needed = Some(step.depth);
        } else if needed.is_some_and(|depth| step.depth <= depth && !step.text.starts_with("when ")) {
            needed = None;
        }
        kept.push(step);
    }
    kept.reverse();
    kept.dedup_by(|next, first| {
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
