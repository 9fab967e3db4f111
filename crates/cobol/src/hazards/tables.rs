//! Subscripts that lie outside their table.

use super::extents::Extent;
use super::loop_bodies::{LoopBodies, LoopBody};
use super::unlimited_loops::unlimited_counters;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeText, CodeWord, WordKind, WordSlice};
use crate::decisions::{Condition, RelationalOperator, move_operands};
use crate::def_use::ItemUse;
use crate::model::{ParsedCobol, Statement};
use crate::operands::{Operand, OperandKind};
use crate::storage::StorageSet;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// How many statements before a subscript are searched for the SET of its index.
const STATEMENTS_BEFORE: usize = 40;

pub(super) fn find(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>, found: &mut FoundHazards) {
    for (index, statement) in context.parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
        for operand in context.operands(index) {
            if let Some((value, entries)) = context.literal_beyond(operand, statement) {
                let kind = HazardKind::BeyondTable { subscripted: vec![operand.text().to_owned()], value, entries };
                found.add(kind, statement.program, statement.own_lines());
            }
        }
        let Some(counter) = context.counter(index) else { continue };
        let Some(body) = bodies.of_perform(index).filter(|body| !body.leaves) else { continue };
        if !context.is_tested_or_changed(&counter, &body) {
            context.find_in_loop(&counter, &body, found);
        }
    }
}

/// What a PERFORM VARYING counts by one from a literal to a literal.
struct LoopCounter {
    name: String,
    first: u64,
    last: u64,
    program: Option<usize>,
}

/// Finds the subscripts that are counted up without a limit and that no condition limits.
pub(super) fn find_unchecked(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let uses = analysis.def_use();
    let mut additions: HashMap<usize, Vec<usize>> = HashMap::new();
    let adds = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.verb == Verb::Add);
    for (index, _) in adds {
        let counted = uses.of_statement(index).iter().filter(|used| used.is_set() && used.is_read());
        additions.entry(index).or_default().extend(counted.map(|used| used.item()));
    }
    let counters: HashSet<usize> = additions.values().flatten().copied().collect();
    if counters.is_empty() {
        return;
    }
    let limited = limited_storage(context, &counters);
    additions.retain(|_, counters| {
        counters.retain(|item| !limited.meets(storage.place(*item)));
        !counters.is_empty()
    });
    if additions.is_empty() {
        return;
    }
    let unlimited = unlimited_counters(context, bodies, &additions);
    let mut known = HashSet::new();
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none()) {
        for operand in context.operands(index) {
            let only = subscripts(operand).filter(|subscripts| subscripts.len() == 1).and_then(WordSlice::first);
            let Some(word) = only.filter(CodeWord::is_name) else { continue };
            // An index has the number of a counter where it was set to it just before.
            let item =
                context.items.find(word.text, statement.program).or_else(|| context.counter_of_index(word, index));
            let Some(item) = item.filter(|item| unlimited.contains(item)) else { continue };
            let Some(dimensions) = context.dimensions(operand, statement.program) else { continue };
            let &[(table, entries)] = &dimensions[..] else { continue };
            let digits = Extent::of_item(&parsed.data_items[item]).map(|extent| extent.size);
            let largest = digits.map(|digits| 10u64.saturating_pow(u32::try_from(digits).unwrap_or(u32::MAX)) - 1);
            let may_exceed = largest.is_some_and(|largest| largest > u64::from(entries));
            if may_exceed && known.insert((item, table)) {
                let name = |item: usize| parsed.data_items[item].name.clone();
                let kind = HazardKind::UncheckedSubscript { item: name(item), tables: vec![name(table)], entries };
                found.add(kind, statement.program, statement.own_lines());
            }
        }
    }
}

/// Returns the storage that conditions limit, or that gets other values than constants and what is added to it. Of counters, conditions that only ask
/// whether something was counted, and loops that end with the counter, are no limits.
fn limited_storage(context: &HazardContext<'_>, counters: &HashSet<usize>) -> StorageSet {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let uses = analysis.def_use();
    let mut limited = StorageSet::default();
    let mut add = |statement: usize, tested: &[ItemUse]| {
        let is_counted = tested.iter().any(|used| counters.contains(&used.item()));
        let unlimited = if is_counted { context.compared_without_a_limit(statement) } else { HashSet::new() };
        let limits = |used: &&ItemUse| {
            !counters.contains(&used.item()) || !unlimited.contains(&parsed.data_items[used.item()].name.to_uppercase())
        };
        tested.iter().filter(limits).for_each(|used| limited.add(storage.place(used.item())));
    };
    for (index, branch) in parsed.branches.iter().enumerate() {
        add(branch.statement, uses.of_branch(index));
    }
    let statements = || parsed.statements.iter().enumerate();
    for (index, _) in statements().filter(|(_, found)| matches!(found.verb, Verb::Perform | Verb::Evaluate | Verb::If))
    {
        add(index, uses.of_statement(index));
    }
    // What is computed from another item is limited by that.
    let computes = |found: &Statement| {
        !matches!(found.verb, Verb::Perform | Verb::Evaluate | Verb::If | Verb::Add) && !sets_a_literal(parsed, found)
    };
    for (index, _) in statements().filter(|(_, found)| computes(found)) {
        let set = uses.of_statement(index).iter().filter(|used| used.is_set());
        set.for_each(|used| limited.add(storage.place(used.item())));
    }
    limited.sort();
    limited
}

/// Returns whether a statement moves a constant.
fn sets_a_literal(parsed: &ParsedCobol, statement: &Statement) -> bool {
    move_operands(parsed, statement).is_some_and(|moved| moved.from.kind() == OperandKind::Constant)
        || statement.verb == Verb::Initialize
}

impl<'a> HazardContext<'a> {
    /// Returns the operands of a statement and of its conditions.
    fn operands(&self, index: usize) -> impl Iterator<Item = Operand<'a>> + use<'a> {
        let parsed = self.parsed;
        let branches = self.analysis.decisions().branches_of(index).iter();
        let of_branches = branches.flat_map(|branch| parsed.condition_operands(&parsed.branches[*branch]));
        parsed.operands(&parsed.statements[index]).chain(of_branches)
    }

    /// Returns the names that the conditions of an IF or a PERFORM compare with zero alone, or with what the PERFORM itself counts up to them.
    fn compared_without_a_limit(&self, index: usize) -> HashSet<String> {
        let decisions = self.analysis.decisions();
        let statement = &self.parsed.statements[index];
        let conditions: Vec<(Option<CodeWord<'_>>, Condition)> = match statement.verb {
            Verb::If => {
                let branches = decisions.branches_of(index).iter();
                branches.filter_map(|branch| Some((None, decisions.condition(*branch)?.clone()))).collect()
            }
            Verb::Perform => {
                let varied =
                    |phrase: WordSlice<'a>| phrase.get(phrase.position(|word| word.is_any(&["VARYING", "AFTER"]))? + 1);
                let loops = self.loops(index).into_iter();
                loops.filter_map(|(phrase, condition)| Some((varied(phrase), condition?))).collect()
            }
            _ => Vec::new(),
        };
        let (mut without, mut limited) = (HashSet::new(), HashSet::new());
        for (varied, condition) in &conditions {
            for leaf in condition.leaves() {
                let is_varied =
                    |text: &CodeText| varied.is_some_and(|word| text.text().eq_ignore_ascii_case(word.text));
                let (names, is_limit) = match leaf {
                    Condition::Comparison { left, right, .. } if is_zero(right) => (vec![left.words()], false),
                    Condition::Comparison { left, relation, right } if is_varied(left) => {
                        use RelationalOperator::{AtLeast, Equal, Greater};
                        (vec![right.words()], !matches!(relation, Greater | AtLeast | Equal))
                    }
                    _ => (leaf.operands(), true),
                };
                let names = names.into_iter().filter_map(WordSlice::first).map(|word| word.text.to_uppercase());
                if is_limit { limited.extend(names) } else { without.extend(names) }
            }
        }
        without.retain(|name| !limited.contains(name));
        without
    }

    /// Returns the item to which the statement before a use sets an index, in its paragraph and under no other condition.
    fn counter_of_index(&self, name: CodeWord<'_>, index: usize) -> Option<usize> {
        let parsed = self.parsed;
        let around = |branch: &usize| parsed.statements[parsed.branches[*branch].statement].branch;
        let statement = &parsed.statements[index];
        let before = (0..index).rev().take_while(|before| parsed.statements[*before].paragraph == statement.paragraph);
        let sets = |before: &usize| {
            let is_it =
                |operand: Operand<'_>| operand.role().is_set() && operand.name().eq_ignore_ascii_case(name.text);
            self.operands(*before).any(is_it) || parsed.statements[*before].verb == Verb::Search
        };
        let set = &parsed.statements[before.take(STATEMENTS_BEFORE).find(sets)?];
        let is_always = set.branch.is_none()
            || std::iter::successors(statement.branch, around).any(|branch| Some(branch) == set.branch);
        let words = parsed.words(set);
        let to = words.position(|word| word.is("TO")).filter(|_| set.verb == Verb::Set && is_always)?;
        self.items.find(words.get(to + 1)?.text, set.program)
    }

    /// Returns the occurrences of a table in each dimension, the outermost first; none if one of them varies.
    fn dimensions(&self, operand: Operand<'_>, program: Option<usize>) -> Option<Vec<(usize, u32)>> {
        let items = &self.parsed.data_items;
        let item = self.items.find(operand.name(), program).filter(|_| operand.kind() == OperandKind::Name)?;
        let item = if items[item].level == 88 { items[item].parent? } else { item };
        let mut dimensions = Vec::new();
        let mut above = Some(item);
        while let Some(at) = above {
            if let Some(entries) = items[at].occurs {
                let is_fixed = items[at].table.as_ref().is_none_or(|table| table.min_occurs == entries);
                // A table of one entry may stand for one of any size.
                if !is_fixed || items[at].depending_on.is_some() || entries < 2 {
                    return None;
                }
                dimensions.push((at, entries));
            }
            above = items[at].parent;
        }
        dimensions.reverse();
        Some(dimensions)
    }

    /// Returns the first literal subscript that lies outside its dimension, with the number of entries there.
    fn literal_beyond(&self, operand: Operand<'_>, statement: &Statement) -> Option<(u64, u32)> {
        let subscripts = subscripts(operand)?;
        let is_literal = |word: CodeWord<'_>| word.kind == WordKind::Number;
        subscripts.position(is_literal)?;
        let dimensions = self.dimensions(operand, statement.program)?;
        let is_plain = subscripts.iter().all(|word| is_literal(word) || word.is_name());
        if !is_plain || dimensions.len() != subscripts.len() {
            return None;
        }
        let values = subscripts.iter().map(|word| word.text.parse::<u64>().ok());
        let mut values = values.zip(dimensions).filter_map(|(value, (_, entries))| Some((value?, entries)));
        values.find(|(value, entries)| !(1..=u64::from(*entries)).contains(value))
    }

    /// Returns what a PERFORM with one VARYING and one simple condition counts.
    fn counter(&self, perform: usize) -> Option<LoopCounter> {
        let statement = &self.parsed.statements[perform];
        if statement.verb != Verb::Perform {
            return None;
        }
        let [(before, Some(condition))] = &self.loops(perform)[..] else { return None };
        let varying = before.position(|word| word.is("VARYING"))?;
        let number = |word: CodeWord<'_>| word.text.parse::<u64>().ok().filter(|_| word.kind == WordKind::Number);
        let phrase = before.from(varying + 1);
        let (name, from, by) = (phrase.first()?, phrase.get(2)?, phrase.get(4)?);
        let is_by_one =
            phrase.len() == 5 && phrase.get(1)?.is("FROM") && phrase.get(3)?.is("BY") && number(by) == Some(1);
        let Condition::Comparison { left, relation, right } = condition else { return None };
        let is_own = name.is_name() && left.text().eq_ignore_ascii_case(name.text);
        let end = match right.words().len() {
            1 => self.analysis.decisions().constant(right.text(), statement.program).unwrap_or(right.text()),
            _ => return None,
        };
        let end: u64 = end.parse().ok().filter(|_| is_own && is_by_one)?;
        let end = match relation {
            RelationalOperator::Greater => end,
            RelationalOperator::AtLeast | RelationalOperator::Equal => end.checked_sub(1)?,
            _ => return None,
        };
        let (first, last) = (number(from)?, end.checked_add(u64::from(super::tests_after(*before)))?);
        let name = name.text.to_uppercase();
        (first <= last).then_some(LoopCounter { name, first, last, program: statement.program })
    }

    /// Returns whether a condition in the body tests a counter itself, or a statement changes it.
    fn is_tested_or_changed(&self, counter: &LoopCounter, body: &LoopBody) -> bool {
        let (parsed, uses, decisions) = (self.parsed, self.analysis.def_use(), self.analysis.decisions());
        let item = self.items.find(&counter.name, counter.program);
        body.statements().any(|index| {
            let verb = parsed.statements[index].verb;
            let is_it = |operand: Operand<'_>| operand.name().eq_ignore_ascii_case(&counter.name);
            // A copy of the counter may be tested instead.
            let tests = matches!(verb, Verb::Evaluate | Verb::Perform | Verb::Search | Verb::Move | Verb::Compute);
            let mut own = parsed.operands(&parsed.statements[index]);
            let mut conditions = decisions
                .branches_of(index)
                .iter()
                .flat_map(|branch| parsed.condition_operands(&parsed.branches[*branch]));
            own.any(|operand| is_it(operand) && !operand.is_inner() && (tests || operand.role().is_set()))
                || conditions.any(|operand| is_it(operand) && !operand.is_inner())
                // SEARCH counts in the index of its table.
                || verb == Verb::Search
                || uses.of_statement(index).iter().filter(|used| used.is_set()).any(|used| {
                    item.is_some_and(|item| used.is_ambiguous() || self.storage.overlap(used.item(), item))
                })
        })
    }

    /// Reports the first use of each table that a counter leaves.
    fn find_in_loop(&self, counter: &LoopCounter, body: &LoopBody, found: &mut FoundHazards) {
        let parsed = self.parsed;
        let mut tables = HashSet::new();
        for index in &body.own {
            let statement = &parsed.statements[*index];
            for operand in self.operands(*index) {
                let subscript = subscripts(operand).filter(|subscripts| subscripts.len() == 1);
                let is_counter = subscript.and_then(WordSlice::first).is_some_and(|word| word.is(&counter.name));
                let Some(dimensions) = self.dimensions(operand, statement.program).filter(|_| is_counter) else {
                    continue;
                };
                let &[(table, entries)] = &dimensions[..] else { continue };
                let outside = [counter.last, counter.first].into_iter();
                let outside = outside.into_iter().find(|value| !(1..=u64::from(entries)).contains(value));
                if let Some(value) = outside.filter(|_| statement.file.is_none() && tables.insert(table)) {
                    let kind = HazardKind::BeyondTable { subscripted: vec![operand.text().to_owned()], value, entries };
                    found.add(kind, statement.program, statement.own_lines());
                }
            }
        }
    }
}

fn is_zero(text: &CodeText) -> bool {
    let is_zero = |word: CodeWord<'_>| word.is_any(&["ZERO", "ZEROS", "ZEROES"]) || word.text.parse() == Ok(0_u64);
    text.words().len() == 1 && text.words().first().is_some_and(is_zero)
}

/// Returns the words in the first parentheses of an operand, if these contain no others.
fn subscripts(operand: Operand<'_>) -> Option<WordSlice<'_>> {
    let words = operand.words();
    let open = words.position(|word| word.is_sign("("))?;
    let within = words.from(open + 1);
    let end = within.position(|word| word.kind == WordKind::Sign)?;
    within.get(end).filter(|word| word.is_sign(")")).map(|_| within.ending_at(end))
}
