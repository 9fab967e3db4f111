//! Counters that a loop counts up as often as it runs, without a limit.

use super::HazardContext;
use super::loop_bodies::{LoopBodies, LoopBody};
use crate::code::{CodeWord, WordSlice};
use crate::control_flow::own_exit;
use crate::decisions::Condition;
use crate::model::{ParsedCobol, Statement};
use crate::operands::Operand;
use crate::verb::Verb;
use foldhash::{HashMap, HashSet, HashSetExt};

/// Returns the counters that a loop without a limit counts up. `additions` are the statements that count, each with its counters. A loop has a limit if it
/// runs a number of times, or if a counter of its own ends it; a counter has one if every pass sets it again.
pub(super) fn unlimited_counters(
    context: &HazardContext<'_>,
    bodies: &mut LoopBodies<'_>,
    additions: &HashMap<usize, Vec<usize>>,
) -> HashSet<usize> {
    let mut found = HashSet::new();
    for (perform, body) in unlimited_loops(context, bodies) {
        let counts = body.statements().any(|index| additions.contains_key(&index));
        if !counts || context.is_ended_by_counter(perform, &body) {
            continue;
        }
        for index in body.statements() {
            for counter in additions.get(&index).into_iter().flatten() {
                if !found.contains(counter) && !context.is_set_in_each_pass(*counter, index, &body) {
                    found.insert(*counter);
                }
            }
        }
    }
    found
}

/// Returns the loops that do not run a number of times, each with its PERFORM and what it runs: PERFORM with UNTIL, and GO TO that leads back. A loop
/// whose body is unknown is omitted.
fn unlimited_loops(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>) -> Vec<(Option<usize>, LoopBody)> {
    let parsed = context.parsed;
    let mut found = Vec::new();
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.verb == Verb::Perform) {
        let phrase =
            context.loop_branch(index).map_or_else(|| parsed.words(statement), |loop_| parsed.condition(loop_));
        if phrase.has("UNTIL") {
            found.extend(bodies.of_perform(index).map(|body| (Some(index), body)));
        }
    }
    found.extend(bodies.of_jumps().into_iter().flatten().map(|body| (None, body)));
    found
}

impl HazardContext<'_> {
    /// Returns whether a condition that ends a loop tests what the loop itself counts. A counter that begins anew within the loop only ends a part of it.
    fn is_ended_by_counter(&self, perform: Option<usize>, body: &LoopBody) -> bool {
        let (parsed, decisions) = (self.parsed, self.analysis.decisions());
        let (mut counted, mut reset) = (HashSet::new(), HashSet::new());
        let (mut ends, mut exits) = (HashSet::new(), HashSet::new());
        if let Some(perform) = perform {
            let statement = &parsed.statements[perform];
            let of_loop = self.loop_branch(perform).into_iter().flat_map(|branch| parsed.condition_operands(branch));
            counted.extend(set_names(parsed.operands(statement).chain(of_loop)));
            let conditions = self.loops(perform).into_iter().filter_map(|(_, condition)| condition);
            conditions.for_each(|condition| ends.extend(self.tested_names(&condition, statement.program)));
        }
        for index in body.statements() {
            let statement = &parsed.statements[index];
            let set = set_names(parsed.operands(statement));
            if steps(parsed, statement) {
                counted.extend(set)
            } else {
                reset.extend(set)
            }
            if let Some(branch) = statement.branch.filter(|_| own_exit(parsed, statement).is_some()) {
                let siblings = decisions.branches_of(parsed.branches[branch].statement).iter();
                let conditions = siblings.filter_map(|branch| decisions.condition(*branch));
                conditions.for_each(|condition| exits.extend(self.tested_names(condition, statement.program)));
            }
        }
        counted.iter().any(|name| ends.contains(name) || (exits.contains(name) && !reset.contains(name)))
    }

    /// Returns the names of the items and indexes that a condition tests.
    fn tested_names(&self, condition: &Condition, program: Option<usize>) -> Vec<String> {
        let items = &self.parsed.data_items;
        let tested = |name: &str| {
            let item = self.items.find(name, program).map(|item| &items[item]);
            let of_condition = item.filter(|item| item.level == 88).and_then(|item| item.parent);
            of_condition.map_or_else(|| name.to_uppercase(), |parent| items[parent].name.clone())
        };
        let operands = condition.operands().into_iter().filter_map(WordSlice::first);
        operands.filter(CodeWord::is_name).map(|word| tested(word.text)).collect()
    }

    /// Returns whether each pass of a loop that reaches an addition also sets the counter to another value.
    fn is_set_in_each_pass(&self, counter: usize, addition: usize, body: &LoopBody) -> bool {
        let (parsed, uses) = (self.parsed, self.analysis.def_use());
        let sets = |index: &usize| {
            let mut set = uses.of_statement(*index).iter().filter(|used| used.is_set() && !used.is_read());
            set.any(|used| self.storage.overlap(used.item(), counter))
        };
        let around = |branch: &usize| parsed.statements[parsed.branches[*branch].statement].branch;
        body.statements().filter(sets).any(|index| {
            let mut branches = std::iter::successors(parsed.statements[addition].branch, around);
            parsed.statements[index].branch.is_none_or(|branch| branches.any(|above| above == branch))
        })
    }
}

/// Returns the names of the operands that a statement sets.
fn set_names<'a>(operands: impl Iterator<Item = Operand<'a>>) -> impl Iterator<Item = String> {
    operands.filter(|operand| operand.role().is_set()).map(|operand| operand.name().to_uppercase())
}

/// Returns whether a statement counts the items that it sets.
fn steps(parsed: &ParsedCobol, statement: &Statement) -> bool {
    let words = parsed.words(statement);
    match statement.verb {
        Verb::Add | Verb::Subtract | Verb::Compute => true,
        Verb::Set => words.has("UP") || words.has("DOWN"),
        _ => false,
    }
}
