//! The paragraphs that control can reach.

use super::exits::ExitAnalysis;
use super::labels::ResolvedReferences;
use crate::model::{ExecKind, LabelReference, Paragraph, ParsedCobol, ReferenceKind};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeSet;
use std::collections::hash_map::Entry;
use war_rig_text::LineNumber;

/// The end of a path that falls through as far as it can: no PERFORM waits for it.
pub(super) const NEVER: usize = usize::MAX;

/// The maximum number of different ends per paragraph. If more PERFORM ranges cover it, control is assumed to fall
/// through, which can only add reachable paragraphs: this limit keeps the work linear.
pub(super) const MOST_ENDS: usize = 8;

/// The most ends that are known to wait at once. The PERFORMs around more are taken not to wait, which too can only add to what control reaches.
const MOST_WAITING: usize = 64;

/// The target of a reference: the first paragraph, the last one, and whether control returns from there.
type JumpRange = (usize, usize, bool);

/// Follows control paragraph by paragraph. A step is a paragraph together with the paragraph at whose end control
/// returns, if a PERFORM runs it.
pub(super) struct ReachabilityWalk<'a> {
    parsed: &'a ParsedCobol,
    stops: &'a ExitAnalysis,
    leads: Vec<Vec<JumpRange>>,
    /// For each paragraph with an EXIT SECTION, the last paragraph of its section.
    section_ends: Vec<Option<usize>>,
    /// The entry points: a paragraph, and the one at whose end it returns.
    starts: Vec<(usize, usize)>,
    /// The paragraphs that control goes to when a command fails or ends abnormally.
    handlers: Vec<usize>,
}

impl<'a> ReachabilityWalk<'a> {
    pub(super) fn new(parsed: &'a ParsedCobol, stops: &'a ExitAnalysis, routes: &ResolvedReferences) -> Self {
        let count = parsed.paragraphs.len();
        let section_ends = stops.section_ends(parsed, routes);
        let mut walk = Self {
            parsed,
            stops,
            leads: vec![Vec::new(); count],
            section_ends,
            starts: Vec::new(),
            handlers: Vec::new(),
        };
        walk.follow(&routes.spans);
        walk.enter();
        walk
    }

    fn follow(&mut self, spans: &[Option<(usize, usize)>]) {
        // ALTER names a paragraph and the new target of its GO TO: the named paragraph leads there.
        for (paragraph, target) in self.parsed.altered() {
            let runs = self.parsed.references[paragraph].statement.is_none_or(|at| !self.stops.is_dead[at]);
            if let (Some((from, _)), Some((first, _)), true) = (spans[paragraph], spans[target], runs) {
                self.leads[from].push((first, first, false));
            }
        }
        for (reference, span) in self.parsed.references.iter().zip(spans) {
            let is_whenever = is_whenever(self.parsed, reference);
            // Unreachable statements lead nowhere, except WHENEVER, which is a directive for the precompiler.
            let is_dead = reference.statement.is_some_and(|at| self.stops.is_dead[at]);
            if reference.kind == ReferenceKind::Alter || (is_dead && !is_whenever) {
                continue;
            }
            let Some((first, last)) = *span else { continue };
            let returns = reference.kind.returns();
            self.handlers.extend((reference.kind == ReferenceKind::Handle).then_some(first));
            match reference.paragraph.filter(|_| !is_whenever) {
                Some(from) => self.leads[from].push((first, last, returns)),
                None => self.starts.push((first, if returns { last } else { NEVER })),
            }
        }
    }

    fn enter(&mut self) {
        let statements = &self.parsed.statements;
        let entries = statements.iter().filter(|statement| statement.verb == Verb::Entry);
        self.starts.extend(entries.filter_map(|statement| Some((statement.paragraph?, NEVER))));
        self.enter_declaratives();
        let mut seen = HashSet::new();
        for (index, paragraph) in self.parsed.paragraphs.iter().enumerate() {
            if self.behind_declaratives(paragraph.program).is_some_and(|behind| index < behind) {
                continue;
            }
            if seen.insert(paragraph.program) {
                self.starts.push((index, NEVER));
            }
        }
    }

    fn behind_declaratives(&self, program: Option<usize>) -> Option<usize> {
        self.parsed.programs.get(program?)?.after_declaratives
    }

    /// The run-time system enters a procedure of DECLARATIVES behind its USE: at the statements that follow it in its section's header, or
    /// else at the first paragraph.
    fn enter_declaratives(&mut self) {
        let uses = || self.parsed.statements.iter().filter(|statement| statement.verb == Verb::Use);
        if uses().next().is_none() {
            return;
        }
        let mut places: HashMap<_, Vec<(LineNumber, usize)>> = HashMap::new();
        for (index, paragraph) in self.parsed.paragraphs.iter().enumerate() {
            let own = places.entry((paragraph.program, paragraph.file.as_deref())).or_default();
            own.push((paragraph.lines.start(), index));
        }
        let filled: HashSet<usize> =
            self.parsed.statements.iter().filter_map(|statement| statement.paragraph).collect();
        let behind = uses().filter_map(|statement| {
            let own = places.get(&(statement.program, statement.file.as_deref()))?;
            let use_line = statement.lines.start();
            let first = own.partition_point(|(line, _)| *line <= use_line);
            let around = first.checked_sub(1).map(|around| own[around].1);
            let has_statements = |paragraph: &usize| {
                self.parsed.paragraphs[*paragraph].lines.contains(use_line) && filled.contains(paragraph)
            };
            let entered = around.filter(has_statements).or_else(|| own.get(first).map(|(_, paragraph)| *paragraph));
            entered.map(|paragraph| (paragraph, NEVER))
        });
        self.starts.extend(behind.collect::<Vec<_>>());
    }

    /// Returns the paragraph that control falls into after this one, if it reaches its end.
    pub(super) fn fall_through_target(&self, paragraph: usize) -> Option<usize> {
        let next = paragraph + 1;
        let program = self.parsed.paragraphs[paragraph].program;
        // Control returns from a procedure of DECLARATIVES at the end of its section.
        let is_declarative = self.behind_declaratives(program).is_some_and(|behind| paragraph < behind);
        let section = self.parsed.paragraphs[paragraph].section;
        let follows = |next: &&Paragraph| next.program == program && (!is_declarative || next.section == section);
        self.parsed.paragraphs.get(next).filter(follows).map(|_| next)
    }

    /// Follows control from all starts.
    ///
    /// A GO TO may leave what is performed for a range around it: at the end of that range, control returns from the PERFORM of that range, as each
    /// PERFORM sets the way back behind its last paragraph (Enterprise COBOL). Only ends that surely wait count: none where a handler goes on into
    /// other paragraphs, because control comes to it from wherever a command fails, and none in a fragment, which other sources perform.
    pub(super) fn run(&self) -> Reached {
        let mut reached = self.walk(&HashMap::new());
        let passes_an_end = self.leads.iter().flatten().any(|(_, last, returns)| *returns && reached.falls[*last]);
        let is_known = !self.has_handler_that_goes_on() && !self.parsed.programs.is_empty();
        if passes_an_end && is_known {
            reached = self.walk(&self.waiting_ends(&reached.ends));
        }
        Reached { are_ends_known: is_known, ..reached }
    }

    /// Whether control may go on from a handler into other paragraphs than those that it performs.
    fn has_handler_that_goes_on(&self) -> bool {
        self.handlers.iter().any(|handler| {
            let jumps = self.leads[*handler].iter().any(|(_, _, returns)| !returns);
            jumps || self.stops.ends[*handler].is_none()
        })
    }

    /// Returns for each end the ends of all PERFORMs that surely wait while control may return there, its own among them.
    fn waiting_ends(&self, ends: &[Vec<usize>]) -> HashMap<usize, HashSet<usize>> {
        let mut from_end: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        for (leads, ends) in self.leads.iter().zip(ends) {
            for (_, last, _) in leads.iter().filter(|(_, _, returns)| *returns) {
                for end in ends {
                    from_end.entry(*end).or_default().insert(*last);
                }
            }
        }
        let mut waiting: HashMap<usize, HashSet<usize>> = HashMap::new();
        let starts = self.starts.iter().filter(|(_, end)| *end != NEVER);
        let mut open: Vec<(usize, HashSet<usize>)> =
            starts.map(|(_, end)| (*end, HashSet::from_iter([*end]))).chain([(NEVER, HashSet::new())]).collect();
        while let Some((end, around)) = open.pop() {
            let known = match waiting.entry(end) {
                Entry::Vacant(place) => place.insert(around),
                Entry::Occupied(place) => {
                    let known = place.into_mut();
                    let before = known.len();
                    known.retain(|waits| around.contains(waits));
                    if known.len() == before {
                        continue;
                    }
                    known
                }
            };
            let around: Vec<usize> =
                if known.len() < MOST_WAITING { known.iter().copied().collect() } else { Vec::new() };
            let inner = from_end.get(&end).into_iter().flatten();
            open.extend(inner.map(|last| (*last, around.iter().copied().chain([*last]).collect())));
        }
        waiting
    }

    /// Follows control from all starts, and falls through no end that surely waits.
    fn walk(&self, waiting: &HashMap<usize, HashSet<usize>>) -> Reached {
        // The references to a copybook's paragraphs are in the programs that copy it.
        let mut reached: Vec<bool> =
            self.parsed.paragraphs.iter().map(|paragraph| paragraph.program.is_none()).collect();
        let mut falls = vec![false; reached.len()];
        let mut exits = vec![None; reached.len()];
        let mut walked: Vec<Vec<usize>> = vec![Vec::new(); reached.len()];
        let mut open = self.starts.clone();
        while let Some((paragraph, mut end)) = open.pop() {
            let ends = &mut walked[paragraph];
            if ends.len() >= MOST_ENDS {
                end = NEVER;
            }
            if ends.contains(&end) {
                continue;
            }
            ends.push(end);
            reached[paragraph] = true;
            for (first, last, returns) in &self.leads[paragraph] {
                // A jump leaves, but the PERFORM still waits at the same end.
                open.push((*first, if *returns { *last } else { end }));
            }
            let own = self.stops.ends[paragraph].is_none().then_some(paragraph);
            for from in own.into_iter().chain(self.section_ends[paragraph]) {
                let returns = end == from || waiting.get(&end).is_some_and(|ends| ends.contains(&from));
                if let Some(next) = self.fall_through_target(from).filter(|_| !returns) {
                    falls[paragraph] |= from == paragraph;
                    if from != paragraph {
                        exits[paragraph] = Some(next);
                    }
                    open.push((next, end));
                }
            }
        }
        Reached { reached, falls, exits, ends: walked, are_ends_known: false }
    }
}

/// What is found of each paragraph.
pub(super) struct Reached {
    /// Whether control reaches it.
    pub(super) reached: Vec<bool>,
    /// Whether control falls from it into the next.
    pub(super) falls: Vec<bool>,
    /// Where EXIT SECTION leads.
    pub(super) exits: Vec<Option<usize>>,
    /// The paragraphs at whose ends control may return while it is here, [`NEVER`] among them. From [`MOST_ENDS`] on, others may be missing.
    pub(super) ends: Vec<Vec<usize>>,
    /// Whether no others may wait there: control comes from elsewhere to handlers and to the paragraphs of a fragment.
    pub(super) are_ends_known: bool,
}

/// WHENEVER applies to the statements below it, whether or not control reaches it.
fn is_whenever(parsed: &ParsedCobol, reference: &LabelReference) -> bool {
    let exec = reference.statement.and_then(|statement| parsed.statements[statement].exec);
    reference.kind == ReferenceKind::Handle && exec.is_some_and(|exec| parsed.execs[exec].kind == ExecKind::Sql)
}
