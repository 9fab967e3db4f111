//! Entries that a search of a table has passed.
//!
//! PERFORM VARYING counts on behind each pass and asks only then whether the loop ends. Where a switch ends it, which the body sets at the entry that it looks
//! for, the subscript is that of the next entry already. Source: Enterprise COBOL for z/OS, Language Reference, PERFORM with VARYING phrase.

use super::loop_bodies::LoopBodies;
use super::tables::subscripts;
use super::unused::tested_items;
use super::{FoundHazards, HazardContext, HazardKind, tests_after};
use crate::decisions::Condition;
use crate::model::Branch;
use crate::operands::{Operand, OperandRole};
use crate::verb::Verb;
use foldhash::{HashSet, HashSetExt};

/// A loop that looks for an entry of a table, and ends by a switch once it is found.
struct TableSearch {
    /// The PERFORM.
    perform: usize,
    /// The subscript that it counts.
    counter: String,
    /// What holds once the entry is found.
    is_found: Condition,
    /// The statements that it runs.
    body: HashSet<usize>,
}

pub(super) fn find(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    let performs = parsed.statements.iter().enumerate();
    let performs = performs.filter(|(_, found)| found.verb == Verb::Perform && found.file.is_none());
    let searches: Vec<TableSearch> = performs.filter_map(|(index, _)| context.table_search(index, bodies)).collect();
    let mut told = HashSet::new();
    for search in &searches {
        let passed = context.passed_behind(search).or_else(|| context.passed_anywhere(search, &searches));
        let Some((index, entry)) = passed.filter(|(index, entry)| told.insert((*index, entry.to_uppercase()))) else {
            continue;
        };
        let kind = HazardKind::PassedEntry {
            entry,
            counter: search.counter.clone(),
            is_found: search.is_found.to_string(),
            line: parsed.statements[search.perform].lines.start(),
        };
        found.add_at(index, kind, parsed.statements[index].program, parsed.statements[index].own_lines());
    }
}

impl HazardContext<'_> {
    /// Returns the search that a PERFORM with one VARYING is.
    fn table_search(&self, perform: usize, bodies: &mut LoopBodies<'_>) -> Option<TableSearch> {
        let HazardContext { analysis, parsed, storage, .. } = *self;
        let [(before, Some(condition))] = &self.loops(perform)[..] else { return None };
        let varying = before.position(|word| word.is("VARYING")).filter(|_| !tests_after(*before))?;
        let counter = before.get(varying + 1).filter(|word| word.is_name())?.text;
        let body = bodies.of_perform(perform).filter(|body| !body.leaves)?;
        let parts = match condition {
            Condition::Any(parts) => parts.as_slice(),
            only => std::slice::from_ref(only),
        };
        let names_counter =
            |part: &Condition| part.operands().into_iter().any(|operand| operand.iter().any(|word| word.is(counter)));
        let is_entry =
            |branch: &Branch| parsed.condition_operands(branch).any(|operand| has_subscript(operand, counter));
        let sets_at_an_entry = |index: usize, tested: &[usize]| {
            let mut set = analysis.def_use().of_statement(index).iter().filter(|used| used.is_set());
            set.any(|used| tested.iter().any(|item| storage.overlap(used.item(), *item)))
                && analysis.decisions().enclosing_branches(index).any(|branch| is_entry(&parsed.branches[branch]))
        };
        let ends_it = |part: &&Condition| {
            let tested = tested_items(part, perform, self);
            !names_counter(part) && body.statements().any(|index| sets_at_an_entry(index, &tested))
        };
        let is_found = parts.iter().find(ends_it)?.clone();
        let body: HashSet<usize> = body.statements().collect();
        let is_counted_inside = body.iter().any(|index| self.sets_name(*index, counter));
        (!is_counted_inside).then(|| TableSearch { perform, counter: counter.to_uppercase(), is_found, body })
    }

    /// Returns the first use of the subscript behind a search in its paragraph, before anything else sets it.
    fn passed_behind(&self, search: &TableSearch) -> Option<(usize, String)> {
        let HazardContext { analysis, parsed, .. } = *self;
        let own = &parsed.statements[search.perform];
        let around: HashSet<usize> = analysis.decisions().enclosing_branches(search.perform).collect();
        let choices: HashSet<usize> = around.iter().map(|branch| parsed.branches[*branch].statement).collect();
        // What stands in another branch of a choice does not follow.
        let is_beside = |index: usize| {
            let mut branches = analysis.decisions().enclosing_branches(index);
            branches.any(|branch| !around.contains(&branch) && choices.contains(&parsed.branches[branch].statement))
        };
        let behind = (search.perform + 1..parsed.statements.len())
            .take_while(|index| parsed.statements[*index].paragraph == own.paragraph)
            .filter(|index| !search.body.contains(index) && !is_beside(*index) && !self.is_elsewhere(*index, search));
        for index in behind {
            if let Some(entry) = self.entry_at(index, &search.counter) {
                return Some((index, entry));
            }
            let statement = &parsed.statements[index];
            let leads_out = statement.verb == Verb::Perform && self.loop_branch(index).is_none();
            if leads_out || statement.verb == Verb::Search || self.sets_name(index, &search.counter) {
                return None;
            }
        }
        None
    }

    /// Returns the first use of the subscript in other paragraphs: any, if only such searches set it; or else one that depends on what they have found, if
    /// nothing brings the subscript back.
    fn passed_anywhere(&self, search: &TableSearch, all: &[TableSearch]) -> Option<(usize, String)> {
        let HazardContext { analysis, parsed, .. } = *self;
        let program = parsed.statements[search.perform].program;
        let is_alike = |other: &&TableSearch| other.counter == search.counter && other.is_found == search.is_found;
        let alike: Vec<&TableSearch> = all.iter().filter(is_alike).collect();
        let own = || (0..parsed.statements.len()).filter(|index| parsed.statements[*index].program == program);
        let sets = |index: &usize| {
            let is_search = parsed.statements[*index].verb == Verb::Search;
            (is_search || self.sets_name(*index, &search.counter))
                && !alike.iter().any(|search| search.perform == *index)
        };
        let others: Vec<usize> = own().filter(sets).collect();
        if !others.iter().all(|index| self.begins_anew(*index, &search.counter)) {
            return None;
        }
        let set_in: HashSet<Option<usize>> = others.iter().map(|index| parsed.statements[*index].paragraph).collect();
        let is_lost = search.is_found.clone().negated();
        let needs_it = |index: usize| {
            let decisions = analysis.decisions();
            let own = decisions.branches_of(index).iter().copied().take(1);
            let mut around =
                own.chain(decisions.enclosing_branches(index)).filter_map(|branch| decisions.condition(branch));
            !set_in.contains(&parsed.statements[index].paragraph)
                && around.any(|condition| decisions.excludes(condition, &is_lost, program))
        };
        let mut outside = own().filter(|index| {
            let is_of_search = |search: &&TableSearch| search.perform == *index || search.body.contains(index);
            parsed.statements[*index].file.is_none()
                && !alike.iter().any(is_of_search)
                && !self.is_elsewhere(*index, search)
                && (others.is_empty() || needs_it(*index))
        });
        outside.find_map(|index| Some((index, self.entry_at(index, &search.counter)?)))
    }

    /// Returns whether a statement that sets a subscript gives it a first value or counts it up, and does not bring back one that was kept.
    fn begins_anew(&self, index: usize, counter: &str) -> bool {
        let statement = &self.parsed.statements[index];
        let keeps = |name: &str| {
            (0..self.parsed.statements.len()).any(|other| {
                let reads = |operand: Operand<'_>| operand.name().eq_ignore_ascii_case(counter) && !operand.is_inner();
                self.sets_name(other, name)
                    && self.operands(other).any(|operand| reads(operand) && operand.role() != OperandRole::Set)
            })
        };
        match statement.verb {
            Verb::Perform | Verb::Add => true,
            Verb::Set | Verb::Move => {
                let is_down = self.parsed.words(statement).has("DOWN");
                let mut sent =
                    self.operands(index).filter(|operand| operand.role() != OperandRole::Set && !operand.is_inner());
                !is_down && sent.all(|operand| operand.is_constant() || !keeps(operand.name()))
            }
            _ => false,
        }
    }

    /// Returns whether a statement runs only where a search has found nothing.
    fn is_elsewhere(&self, index: usize, search: &TableSearch) -> bool {
        let (decisions, program) = (self.analysis.decisions(), self.parsed.statements[index].program);
        let mut around = decisions.enclosing_branches(index).filter_map(|branch| decisions.condition(branch));
        around.any(|condition| decisions.excludes(condition, &search.is_found, program))
    }

    /// Returns the entry that a statement or its conditions name by a subscript, as written.
    fn entry_at(&self, index: usize, counter: &str) -> Option<String> {
        let mut entries = self.operands(index).filter(|operand| has_subscript(*operand, counter));
        entries.next().map(|operand| operand.text().to_owned())
    }

    /// Returns whether a statement sets what has a name: an item or an index.
    fn sets_name(&self, index: usize, name: &str) -> bool {
        self.operands(index).any(|operand| operand.role().is_set() && operand.name().eq_ignore_ascii_case(name))
    }
}

/// Whether a name alone is a subscript of an operand.
fn has_subscript(operand: Operand<'_>, name: &str) -> bool {
    subscripts(operand).is_some_and(|subscripts| subscripts.iter().any(|word| word.is(name)))
}
