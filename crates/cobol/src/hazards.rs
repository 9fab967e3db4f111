//! What a maintainer should look at twice: loops that nothing ends, results that nothing tests, data that is cut or overwritten, constants
//! and comments that may be out of date, and what is declared or computed for nothing.
//!
//! Precision goes before completeness. A hazard is reported only where the types, the flow and the uses of data show it; where an item may
//! be used in a way that the source does not show (linkage, a missing copybook, an ambiguous name), nothing is reported.

mod arithmetic;
mod blank_numbers;
mod bounded_items;
mod bounds;
mod cics_updates;
mod commarea;
mod comment_lengths;
mod comments;
mod contradictions;
mod counters;
mod cut_groups;
mod dates;
mod dead_branches;
mod error_paths;
mod excluded_tests;
mod extents;
mod falling_on;
mod first_fetches;
mod ignored_failures;
mod kept_ends;
mod kind;
mod loop_bodies;
mod loops;
mod loops_to_the_end;
mod mistaken;
mod moves;
mod null_values;
mod number_limits;
mod out_of_range;
mod overwritten;
mod passed_entries;
mod recursions;
mod redefinitions;
mod rounding;
mod short_codes;
mod signs;
mod statements_before;
mod statuses;
mod storage_uses;
mod tables;
mod undeclared;
mod unlimited_loops;
mod untested_calls;
mod unused;
mod values;

#[cfg(test)]
mod tests;

pub use kind::HazardKind;
pub use null_values::always_selects_a_row;

use crate::analysis::Analysis;
use crate::code::WordSlice;
use crate::decisions::Condition;
use crate::model::{Branch, BranchKind, ParsedCobol, ReferenceKind};
use crate::named_words::NamedWords;
use crate::status_check::StatusReads;
use crate::storage::Storage;
use crate::unique_items::UniqueItems;
use crate::verb::Verb;
use comments::comment_hazards;
use foldhash::HashSet;
use loop_bodies::LoopBodies;
use number_limits::NumberLimits;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use war_rig_text::{LineRange, SourceText};

/// A place that a maintainer should look at twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    /// What it is about.
    pub kind: HazardKind,
    /// Its lines in the source.
    pub lines: Vec<LineRange>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
    /// Its place among those of its kind, in the order of statements and declarations: tells those of one line apart.
    order: usize,
}

/// Hazards of one source, those of one cause as one with all their items and places.
#[derive(Default)]
struct FoundHazards {
    /// By program and cause: the kind without the items that the cause affects.
    causes: BTreeMap<(Option<usize>, HazardKind), Vec<FoundPlace>>,
    places: usize,
}

/// Where a hazard was found.
struct FoundPlace {
    order: usize,
    /// The item that the cause affects there.
    item: Option<String>,
    lines: LineRange,
}

impl FoundHazards {
    /// Adds one that is found in the order of statements or declarations.
    fn add(&mut self, kind: HazardKind, program: Option<usize>, lines: LineRange) {
        self.add_at(self.places, kind, program, lines);
    }

    /// Adds one of a kind that is found in another order: `order` is that of the statements.
    fn add_at(&mut self, order: usize, mut kind: HazardKind, program: Option<usize>, lines: LineRange) {
        self.places += 1;
        let item = kind.affected_mut().and_then(Vec::pop);
        self.causes.entry((program, kind)).or_default().push(FoundPlace { order, item, lines });
    }

    /// Returns the hazards in their order. That nothing sets an item is part of a loop that nothing ends.
    fn into_hazards(mut self) -> Vec<Hazard> {
        let endless = self.causes.keys().filter_map(|(program, kind)| match kind {
            HazardKind::EndlessLoop { items, .. } => Some(items.iter().map(|item| (*program, item.clone()))),
            _ => None,
        });
        let looped: HashSet<(Option<usize>, String)> = endless.flatten().collect();
        for ((program, kind), places) in &mut self.causes {
            if matches!(kind, HazardKind::NeverSet { .. }) {
                let is_looped = |item: &String| looped.contains(&(*program, item.clone()));
                places.retain(|place| !place.item.as_ref().is_some_and(is_looped));
            }
        }
        self.causes.retain(|_, places| !places.is_empty());
        let hazard = |((program, mut kind), mut places): ((_, HazardKind), Vec<FoundPlace>)| {
            places.sort_by_key(|place| place.order);
            if let Some(affected) = kind.affected_mut() {
                let mut known = HashSet::default();
                let items = places.iter().filter_map(|place| place.item.as_ref());
                affected.extend(items.filter(|item| known.insert(*item)).cloned());
            }
            let lines: BTreeSet<LineRange> = places.iter().map(|place| place.lines).collect();
            Hazard { kind, lines: lines.into_iter().collect(), program, order: places[0].order }
        };
        self.causes.into_iter().map(hazard).collect()
    }
}

/// What the search for hazards needs of a source.
#[derive(Clone, Copy)]
struct HazardContext<'a> {
    analysis: &'a Analysis,
    parsed: &'a ParsedCobol,
    items: &'a UniqueItems<'a>,
    storage: &'a Storage,
    limits: &'a NumberLimits,
    reads: &'a StatusReads<'a>,
}

/// Whether a loop asks behind each round: WITH TEST AFTER.
fn tests_after(words: WordSlice<'_>) -> bool {
    words.iter().zip(words.iter().skip(1)).any(|(word, next)| word.is("TEST") && next.is("AFTER"))
}

impl<'a> HazardContext<'a> {
    /// Returns the branch of an inline loop; none if the loop performs paragraphs.
    fn loop_branch(&self, perform: usize) -> Option<&'a Branch> {
        let branches = self.analysis.decisions().branches_of(perform).iter();
        branches.map(|branch| &self.parsed.branches[*branch]).find(|branch| branch.kind == BranchKind::Loop)
    }

    /// Returns the conditions of the source itself, each with its program and lines: those of its branches, but for ELSE, which only denies another, and
    /// those of loops that perform paragraphs, which have no branch.
    fn conditions(&self) -> impl Iterator<Item = (Cow<'a, Condition>, Option<usize>, LineRange)> {
        let (parsed, decisions) = (self.parsed, self.analysis.decisions());
        let branches = parsed.branches.iter().enumerate().filter(|(_, branch)| branch.kind != BranchKind::Else);
        let of_branches = branches.filter_map(move |(index, branch)| {
            let statement = &parsed.statements[branch.statement];
            let condition = decisions.condition(index).filter(|_| statement.file.is_none())?;
            Some((Cow::Borrowed(condition), statement.program, LineRange::single(branch.lines.start())))
        });
        let context = *self;
        let performs = parsed.statements.iter().enumerate().filter(move |(index, statement)| {
            statement.file.is_none() && statement.verb == Verb::Perform && context.loop_branch(*index).is_none()
        });
        let of_performs = performs.flat_map(move |(index, statement)| {
            let conditions = context.loops(index).into_iter().filter_map(|(_, condition)| condition);
            conditions.map(|condition| (Cow::Owned(condition), statement.program, statement.own_lines()))
        });
        of_branches.chain(of_performs)
    }

    /// Returns the loops of a PERFORM, outermost first: the text before UNTIL and the condition.
    fn loops(&self, perform: usize) -> Vec<(WordSlice<'a>, Option<Condition>)> {
        let (parsed, statement) = (self.parsed, &self.parsed.statements[perform]);
        let inline = self.loop_branch(perform).map(|branch| parsed.condition(branch));
        self.analysis.decisions().loops(inline.unwrap_or_else(|| parsed.words(statement)), statement.program)
    }
}

/// Returns all hazards of a source, those in its comments too: the weightiest kinds first, within a kind in the order of the lines, those of one
/// line in that of the statements.
pub(crate) fn all_hazards(analysis: &Analysis, source: &SourceText) -> Vec<Hazard> {
    let mut all = hazards(analysis);
    all.extend(comment_hazards(analysis, source));
    all.sort_by(|one, other| (one.program, &one.kind).cmp(&(other.program, &other.kind)));
    let is_alike = |one: &Hazard, other: &Hazard| {
        (one.program, discriminant(&one.kind)) == (other.program, discriminant(&other.kind))
    };
    for alike in all.chunk_by_mut(is_alike) {
        alike.sort_by_key(|found| (found.lines.first().copied(), found.order));
    }
    all
}

/// Returns the hazards of each program; none in a fragment, whose data other sources may use.
pub(crate) fn hazards(analysis: &Analysis) -> Vec<Hazard> {
    let parsed = analysis.parsed();
    let mut found = FoundHazards::default();
    if parsed.programs.is_empty() {
        return Vec::new();
    }
    let (items, storage) = (UniqueItems::of(parsed), analysis.storage());
    let limits = NumberLimits::of(analysis, &items, storage);
    let reads = StatusReads::of(analysis);
    let context = HazardContext { analysis, parsed, items: &items, storage, limits: &limits, reads: &reads };
    statuses::find(&context, &mut found);
    untested_calls::find(&context, &mut found);
    null_values::find(&context, &mut found);
    null_values::find_always_a_row(&context, &mut found);
    mistaken::find(&context, &mut found);
    short_codes::find(&context, &mut found);
    excluded_tests::find(&context, &mut found);
    contradictions::find(&context, &mut found);
    out_of_range::find(&context, &mut found);
    signs::find(&context, &mut found);
    moves::find(&context, &mut found);
    cut_groups::find(&context, &mut found);
    overwritten::find(&context, &mut found);
    repeated_tests(&context, &mut found);
    arithmetic::find(&context, &mut found);
    rounding::find(&context, &mut found);
    dates::find(&context, &mut found);
    redefinitions::find(&context, &mut found);
    undeclared::find(&context, &mut found);
    // Statements that are missing may use and reach everything.
    if !parsed.is_copybook_missing("PROCEDURE") {
        let named = NamedWords::of(parsed);
        cics_updates::find(&context, &mut found);
        commarea::find(&context, &named, &mut found);
        unused::find(&context, &named, &mut found);
        values::find(&context, &mut found);
        dead_branches::find(&context, &mut found);
        unreached(&context, &mut found);
        error_paths::find(&context, &mut found);
        falling_on::find(&context, &mut found);
        recursions::find(&context, &mut found);
        ignored_failures::find(&context, &mut found);
        let mut bodies = LoopBodies::of(analysis);
        loops::find(&context, &mut bodies, &mut found);
        loops_to_the_end::find(&context, &mut bodies, &mut found);
        kept_ends::find(&context, &mut found);
        counters::find(&context, &mut bodies, &mut found);
        tables::find(&context, &mut bodies, &mut found);
        tables::find_unchecked(&context, &mut bodies, &mut found);
        passed_entries::find(&context, &mut bodies, &mut found);
    }
    found.into_hazards()
}

impl ParsedCobol {
    /// Returns whether other programs share an item: it, or a group around it, is EXTERNAL or GLOBAL.
    fn is_shared(&self, item: usize) -> bool {
        let above = std::iter::successors(Some(item), |item| self.data_items[*item].parent);
        above.map(|item| self.data_items[item].attributes).any(|item| item.external || item.global)
    }
}

fn repeated_tests(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, decisions) = (context.parsed, context.analysis.decisions());
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        if statement.file.is_some() || branch.kind == BranchKind::Phrase {
            continue;
        }
        let Some(Condition::All(tests) | Condition::Any(tests)) = decisions.condition(index) else { continue };
        for (at, test) in tests.iter().enumerate() {
            if tests[..at].contains(test) {
                let kind = HazardKind::RepeatedTest { test: test.to_string() };
                found.add(kind, statement.program, LineRange::single(branch.lines.start()));
            }
        }
    }
}

fn unreached(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    // ALTER sends control where no statement shows it.
    if parsed.references.iter().any(|reference| reference.kind == ReferenceKind::Alter) {
        return;
    }
    for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
        let is_own = paragraph.file.is_none() && paragraph.has_label();
        if is_own && !flow.is_reachable(index) && !flow.is_label_only(index) {
            found.add(HazardKind::Unreached { paragraph: paragraph.name.clone() }, paragraph.program, paragraph.lines);
        }
    }
}
