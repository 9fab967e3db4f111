//! Counters that a loop counts up as often as it runs, without a limit.

use super::HazardContext;
use super::loop_bodies::{LoopBodies, LoopBody};
use crate::code::{CodeWord, WordSlice};
use crate::control_flow::own_exit;
use crate::decisions::{Condition, RelationalOperator};
use crate::model::{ParsedCobol, ReferenceKind, Statement};
use crate::operands::Operand;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// Returns the counters that a loop without a limit counts up. `additions` are the statements that count, each with its counters. A loop has a limit if it
/// runs a number of times, or if a counter of its own ends it; a counter has one if every pass sets it again.
pub(super) fn unlimited_counters(
    context: &HazardContext<'_>,
    bodies: &mut LoopBodies<'_>,
    additions: &HashMap<usize, Vec<usize>>,
) -> HashSet<usize> {
    let limits = LoopLimits::of(context, additions.keys().copied());
    let mut found = HashSet::new();
    for (perform, body) in unlimited_loops(context, bodies) {
        let counts = body.statements().any(|index| additions.contains_key(&index));
        if !counts || limits.is_ended_by_counter(perform, &body) {
            continue;
        }
        for index in body.statements() {
            for counter in additions.get(&index).into_iter().flatten() {
                if !found.contains(counter) && !limits.is_set_in_each_pass(*counter, index, &body) {
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
            context.loop_branch(index).map_or_else(|| parsed.words(statement), |branch| parsed.condition(branch));
        if phrase.has("UNTIL") {
            found.extend(bodies.of_perform(index).map(|body| (Some(index), body)));
        }
    }
    found.extend(bodies.of_jumps().into_iter().flatten().map(|body| (None, body)));
    found
}

/// What limits the passes of loops.
struct LoopLimits<'a> {
    context: &'a HazardContext<'a>,
    /// The statements that perform the paragraph of an addition, by paragraph.
    performs: HashMap<usize, Vec<usize>>,
    /// The paragraphs to which GO TO statements lead.
    targets: HashMap<usize, usize>,
}

impl<'a> LoopLimits<'a> {
    fn of(context: &'a HazardContext<'a>, additions: impl Iterator<Item = usize>) -> Self {
        let (parsed, flow) = (context.parsed, context.analysis.control_flow());
        let paragraphs = additions.filter_map(|index| parsed.statements[index].paragraph);
        let mut performs: HashMap<usize, Vec<usize>> = paragraphs.map(|paragraph| (paragraph, Vec::new())).collect();
        let mut targets = HashMap::new();
        for (index, reference) in parsed.references.iter().enumerate() {
            let place = reference.statement.zip(flow.reference_span(index));
            match (reference.kind, place) {
                (ReferenceKind::GoTo, Some((statement, (target, _)))) => _ = targets.insert(statement, target),
                (kind, Some((statement, (first, last)))) if kind.returns() => {
                    let performed = performs.iter_mut().filter(|(paragraph, _)| (first..=last).contains(*paragraph));
                    performed.for_each(|(_, performs)| performs.push(statement));
                }
                _ => {}
            }
        }
        Self { context, performs, targets }
    }

    /// Returns whether a condition that ends a loop tests what the loop itself counts. A jump that stays within the loop only repeats it up to a limit, and
    /// not if the counter begins anew there.
    fn is_ended_by_counter(&self, perform: Option<usize>, body: &LoopBody) -> bool {
        let (context, parsed) = (self.context, self.context.parsed);
        let decisions = context.analysis.decisions();
        let (mut counted, mut reset) = (HashSet::new(), HashSet::new());
        let (mut ends, mut jumps) = (HashSet::new(), HashSet::new());
        let paragraphs: HashSet<usize> =
            body.own.iter().filter_map(|index| parsed.statements[*index].paragraph).collect();
        if let Some(perform) = perform {
            let statement = &parsed.statements[perform];
            let of_loop = context.loop_branch(perform).into_iter().flat_map(|branch| parsed.condition_operands(branch));
            counted.extend(set_names(parsed.operands(statement).chain(of_loop)));
            let conditions = context.loops(perform).into_iter().filter_map(|(_, condition)| condition);
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
                if self.targets.get(&index).is_some_and(|target| paragraphs.contains(target)) {
                    let bounds = decisions.condition(branch).into_iter().flat_map(Condition::leaves);
                    let bounds = bounds.filter(|leaf| is_upper_bound(leaf));
                    bounds.for_each(|leaf| jumps.extend(self.tested_names(leaf, statement.program)));
                } else {
                    let siblings = decisions.branches_of(parsed.branches[branch].statement).iter();
                    let conditions = siblings.filter_map(|branch| decisions.condition(*branch));
                    conditions.for_each(|condition| ends.extend(self.tested_names(condition, statement.program)));
                }
            }
        }
        counted.iter().any(|name| ends.contains(name) || (jumps.contains(name) && !reset.contains(name)))
    }

    /// Returns the names of the items and indexes that a condition tests.
    fn tested_names(&self, condition: &Condition, program: Option<usize>) -> Vec<String> {
        let items = &self.context.parsed.data_items;
        let tested = |name: &str| {
            let item = self.context.items.find(name, program).map(|item| &items[item]);
            let of_condition = item.filter(|item| item.level == 88).and_then(|item| item.parent);
            of_condition.map_or_else(|| name.to_uppercase(), |parent| items[parent].name.clone())
        };
        let operands = condition.operands().into_iter().filter_map(WordSlice::first);
        operands.filter(CodeWord::is_name).map(|word| tested(word.text)).collect()
    }

    /// Returns whether each pass of a loop that reaches an addition also sets the counter to another value.
    fn is_set_in_each_pass(&self, counter: usize, addition: usize, body: &LoopBody) -> bool {
        let HazardContext { parsed, analysis, storage, .. } = *self.context;
        let uses = analysis.def_use();
        let sets = |index: &usize| {
            let mut set = uses.of_statement(*index).iter().filter(|used| used.is_set() && !used.is_read());
            set.any(|used| storage.overlap(used.item(), counter))
        };
        let performs = parsed.statements[addition].paragraph.and_then(|paragraph| self.performs.get(&paragraph));
        let leading = performs.into_iter().flatten().chain([&addition]);
        let branches: HashSet<usize> =
            leading.flat_map(|index| analysis.decisions().enclosing_branches(*index)).collect();
        let mut sets = body.statements().filter(sets).map(|index| parsed.statements[index].branch);
        sets.any(|branch| branch.is_none_or(|branch| branches.contains(&branch)))
    }
}

/// Returns whether a condition holds only while a counter has not reached a limit.
fn is_upper_bound(condition: &Condition) -> bool {
    use RelationalOperator::{AtMost, Less, NotEqual};
    matches!(condition, Condition::Comparison { relation: Less | AtMost | NotEqual, .. })
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
