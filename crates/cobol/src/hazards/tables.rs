//! Subscripts that lie outside their table.

use super::extents::Extent;
use super::loop_bodies::{LoopBodies, LoopBody};
use super::storage_uses::tested_storage;
use super::unlimited_loops::unlimited_counters;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeText, CodeWord, WordKind, WordSlice, ZEROS};
use crate::decisions::{Condition, RelationalOperator, move_operands};
use crate::model::{ParsedCobol, Statement};
use crate::operands::{Operand, OperandKind};
use crate::storage::StorageSet;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

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
    if unlimited.is_empty() {
        return;
    }
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
    let mut limited = tested_storage(context, |statement, item| {
        !counters.contains(&item) || !context.compares_without_a_limit(statement, &parsed.data_items[item].name)
    });
    // What is computed from another item is limited by that.
    let computes = |found: &Statement| {
        !matches!(found.verb, Verb::Perform | Verb::Evaluate | Verb::If | Verb::Add) && !sets_a_literal(parsed, found)
    };
    for (index, _) in parsed.statements.iter().enumerate().filter(|(_, found)| computes(found)) {
        let set = analysis.def_use().of_statement(index).iter().filter(|used| used.is_set());
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
    pub(super) fn operands(&self, index: usize) -> impl Iterator<Item = Operand<'a>> + use<'a> {
        let parsed = self.parsed;
        let branches = self.analysis.decisions().branches_of(index).iter();
        let of_branches = branches.flat_map(|branch| parsed.condition_operands(&parsed.branches[*branch]));
        parsed.operands(&parsed.statements[index]).chain(of_branches)
    }

    /// Returns whether the conditions of an IF or a PERFORM compare an item with zero alone, or with what the PERFORM itself counts up to it.
    fn compares_without_a_limit(&self, index: usize, item: &str) -> bool {
        let decisions = self.analysis.decisions();
        let limits: Vec<bool> = match self.parsed.statements[index].verb {
            Verb::If => {
                let conditions = decisions.branches_of(index).iter().filter_map(|branch| decisions.condition(*branch));
                conditions.flat_map(Condition::leaves).filter_map(|leaf| is_limit(leaf, item, None)).collect()
            }
            Verb::Perform => {
                let varied =
                    |phrase: WordSlice<'a>| phrase.get(phrase.position(|word| word.is_any(&["VARYING", "AFTER"]))? + 1);
                let limits = |(phrase, condition): (WordSlice<'a>, Option<Condition>)| -> Vec<bool> {
                    let leaves = condition.iter().flat_map(Condition::leaves);
                    leaves.filter_map(|leaf| is_limit(leaf, item, varied(phrase))).collect()
                };
                self.loops(index).into_iter().flat_map(limits).collect()
            }
            _ => return false,
        };
        !limits.is_empty() && !limits.contains(&true)
    }

    /// Returns the item to which the statement before a use sets an index, in its paragraph and under no other condition.
    fn counter_of_index(&self, name: CodeWord<'_>, index: usize) -> Option<usize> {
        let parsed = self.parsed;
        let sets = |before: usize| {
            let is_it =
                |operand: Operand<'_>| operand.role().is_set() && operand.name().eq_ignore_ascii_case(name.text);
            self.operands(before).any(is_it) || parsed.statements[before].verb == Verb::Search
        };
        let set = &parsed.statements[self.set_before(index, sets)?];
        let words = parsed.words(set);
        let to = words.position(|word| word.is("TO")).filter(|_| set.verb == Verb::Set)?;
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

/// Returns whether a comparison limits an item: one with zero does not, nor one of what a PERFORM counts up to it. None if it does not name the item.
fn is_limit(comparison: &Condition, item: &str, varied: Option<CodeWord<'_>>) -> Option<bool> {
    use RelationalOperator::{AtLeast, Equal, Greater};
    let is_it = |words: WordSlice<'_>| words.first().is_some_and(|word| word.text.eq_ignore_ascii_case(item));
    let is_varied = |text: &CodeText| varied.is_some_and(|word| text.text().eq_ignore_ascii_case(word.text));
    match comparison {
        Condition::Comparison { left, right, .. } if is_zero(right) => is_it(left.words()).then_some(false),
        Condition::Comparison { left, relation, right } if is_varied(left) => {
            is_it(right.words()).then_some(!matches!(relation, Greater | AtLeast | Equal))
        }
        _ => comparison.operands().into_iter().any(is_it).then_some(true),
    }
}

fn is_zero(text: &CodeText) -> bool {
    text.words().only().is_some_and(|word| word.is_any(ZEROS) || word.text.parse() == Ok(0_u64))
}

/// Returns the words in the first parentheses of an operand, if these contain no others.
pub(super) fn subscripts(operand: Operand<'_>) -> Option<WordSlice<'_>> {
    let words = operand.words();
    let open = words.position(|word| word.is_sign("("))?;
    let within = words.from(open + 1);
    let end = within.position(|word| word.kind == WordKind::Sign)?;
    within.get(end).filter(|word| word.is_sign(")")).map(|_| within.ending_at(end))
}
