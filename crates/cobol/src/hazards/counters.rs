//! Counters of records that may need more digits than they have.

use super::arithmetic::{room_of, tests_size};
use super::extents::is_whole;
use super::loop_bodies::{LoopBodies, LoopBody};
use super::loops::hides_flow;
use super::storage_uses::tested_storage;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::analysis::Analysis;
use crate::model::Statement;
use crate::operands::Operand;
use crate::storage::StorageSet;
use crate::verb::Verb;
use foldhash::{HashSet, HashSetExt};
use std::collections::BTreeMap;

/// The most digits of a counter that a run may well exceed.
pub(super) const FEW_DIGITS: u64 = 3;

pub(super) fn find(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let counting = counting_statements(context);
    if counting.is_empty() || hides_flow(parsed) {
        return;
    }
    let mut counts_input: HashSet<usize> = HashSet::new();
    let mut is_reset: HashSet<usize> = HashSet::new();
    for (is_over_input, body) in loops(analysis, bodies) {
        // A loop that is not examined may reset any counter.
        let Some(body) = body else { return };
        let reads = is_over_input && body.statements().any(|index| reads_next(analysis, index));
        let mut set = StorageSet::default();
        for index in body.statements().filter(|index| !counting.contains_key(index)) {
            let changes = analysis.def_use().of_statement(index).iter();
            changes.filter(|used| used.is_set()).for_each(|used| set.add(storage.place(used.item())));
        }
        set.sort();
        for item in body.statements().filter_map(|index| counting.get(&index)) {
            if set.meets(storage.place(*item)) {
                is_reset.insert(*item);
            } else if reads {
                counts_input.insert(*item);
            }
        }
    }
    for (index, item) in counting {
        let (statement, counter) = (&parsed.statements[index], &parsed.data_items[item]);
        let is_hazard = counts_input.contains(&item) && !is_reset.contains(&item) && statement.file.is_none();
        if let Some(room) = room_of(counter).filter(|_| is_hazard) {
            let kind = HazardKind::CountsTooFar { item: counter.name.clone(), room };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Returns the statements that add one to a short counter that no condition tests, each with the counter.
fn counting_statements(context: &HazardContext<'_>) -> BTreeMap<usize, usize> {
    let HazardContext { analysis, parsed, storage, limits, .. } = *context;
    let tested = tested_storage(context, |_, _| true);
    let mut counting = BTreeMap::new();
    for (index, statement) in parsed.statements.iter().enumerate() {
        let Some(item) = counted_item(context, statement).filter(|_| !tests_size(analysis, index)) else {
            continue;
        };
        let counter = &parsed.data_items[item];
        let is_own = counter.is_private();
        let is_short = room_of(counter).is_some_and(|room| room <= FEW_DIGITS);
        if is_own && is_short && !limits.is_limited(item) && !tested.meets(storage.place(item)) {
            counting.insert(index, item);
        }
    }
    counting
}

/// What a statement counts.
pub(super) struct CountingStep<'a> {
    /// The items, as written.
    counters: Vec<Operand<'a>>,
    /// What it adds or subtracts.
    by: u64,
}

impl<'a> CountingStep<'a> {
    /// Returns what a statement counts by a number and by nothing else: `ADD 1 TO X`, `SUBTRACT 1 FROM X`, `COMPUTE X = X + 1`.
    fn of(context: &HazardContext<'a>, statement: &'a Statement) -> Option<Self> {
        let parsed = context.parsed;
        let words = parsed.words_after_verb(statement);
        let number = |at: usize| words.get(at)?.text.trim_start_matches('+').parse().ok();
        let targets = || parsed.operands(statement).filter(|operand| operand.role().is_set());
        let by = match statement.verb {
            Verb::Add | Verb::Subtract => {
                let is_itself = words.get(1)?.is_any(&["TO", "FROM"]) && !words.has("GIVING");
                number(0).filter(|_| is_itself)?
            }
            Verb::Compute => {
                let is_itself = words.get(1)?.is_sign("=") && words.get(2)?.is(words.first()?.text);
                let is_sum = words.get(3).is_some_and(|word| word.is_sign("+") || word.is_sign("-"));
                let is_signed = words.get(3).is_some_and(|word| word.text.starts_with('+'));
                let by = if is_sum { number(4) } else { number(3).filter(|_| is_signed) };
                by.filter(|_| is_itself && words.len() == if is_sum { 5 } else { 4 })?
            }
            _ => return None,
        };
        Some(Self { counters: targets().collect(), by })
    }

    /// Returns whether a statement only counts, and by few at a time.
    pub(super) fn is_short(context: &HazardContext<'a>, statement: &'a Statement) -> bool {
        Self::of(context, statement).is_some_and(|step| step.by < 10u64.pow(FEW_DIGITS as u32))
    }
}

/// Returns the only item to which a statement adds one.
fn counted_item(context: &HazardContext<'_>, statement: &Statement) -> Option<usize> {
    let step = CountingStep::of(context, statement).filter(|step| step.by == 1 && statement.verb != Verb::Subtract)?;
    let [counter] = step.counters[..] else { return None };
    context.items.find(counter.name(), statement.program).filter(|_| is_whole(counter))
}

/// Returns the bodies of all loops, each with whether its passes may be as many as the records of an input; none for a body that is not
/// known.
fn loops(analysis: &Analysis, bodies: &mut LoopBodies<'_>) -> Vec<(bool, Option<LoopBody>)> {
    let parsed = analysis.parsed();
    let mut found = Vec::new();
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.verb == Verb::Perform) {
        let of_branches = analysis.decisions().branches_of(index).iter();
        let mut phrases = of_branches.map(|branch| parsed.condition(&parsed.branches[*branch]));
        let has = |word: &str| parsed.words(statement).has(word) || phrases.clone().any(|phrase| phrase.has(word));
        let (is_until, is_counted) = (has("UNTIL"), has("VARYING") || has("TIMES"));
        if is_until || is_counted || phrases.next().is_some() {
            found.push((is_until && !is_counted, bodies.of_perform(index)));
        }
    }
    found.extend(bodies.of_jumps().into_iter().map(|body| (true, body)));
    found
}

/// Returns whether a statement reads the next record, row or message of an input.
fn reads_next(analysis: &Analysis, index: usize) -> bool {
    let parsed = analysis.parsed();
    let statement = &parsed.statements[index];
    match (statement.verb, statement.exec) {
        (Verb::Read | Verb::Return, _) => true,
        (_, Some(exec)) => ["FETCH", "READNEXT"].contains(&&*parsed.execs[exec].command),
        _ => false,
    }
}
