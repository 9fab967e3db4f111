//! Loops that nothing ends.

use super::loop_bodies::{LoopBodies, LoopBody};
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::CodeText;
use crate::decisions::{Condition, RelationalOperator, names_in};
use crate::model::{ExecBlock, ExecKind, LabelReference, ParsedCobol, ReferenceKind, Section, Statement};
use crate::operands::{Operand, OperandKind, OperandPhrase};
use crate::states::tested_values;
use crate::verb::Verb;
use foldhash::{HashSet, HashSetExt};

/// Returns whether control may go where no statement of the loop shows it: ALTER, handlers, USE procedures. HANDLE ABEND only leaves what has
/// ended anyway.
pub(super) fn hides_flow(parsed: &ParsedCobol) -> bool {
    let is_of_abends = |reference: &LabelReference| {
        let exec = reference.statement.and_then(|statement| parsed.statements[statement].exec);
        exec.is_some_and(|exec| parsed.execs[exec].command == "HANDLE ABEND")
    };
    let is_hidden = |reference: &LabelReference| match reference.kind {
        ReferenceKind::Alter => true,
        ReferenceKind::Handle => !is_of_abends(reference),
        _ => false,
    };
    parsed.references.iter().any(is_hidden)
        || parsed.programs.iter().any(|program| program.after_declaratives.is_some())
}

pub(super) fn find(context: &HazardContext<'_>, bodies: &mut LoopBodies<'_>, found: &mut FoundHazards) {
    let parsed = context.parsed;
    if hides_flow(parsed) {
        return;
    }
    let finder = EndlessLoops { context, addressed: addressed_items(context), has_screens: has_screens(parsed) };
    let performs = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.verb == Verb::Perform);
    for (index, statement) in performs.filter(|(_, statement)| statement.file.is_none()) {
        let Some(condition) = finder.condition(index) else { continue };
        let Some(body) = bodies.of_perform(index).filter(|body| !body.leaves) else { continue };
        if !finder.changes(index, &body, &condition.items) {
            let names = condition.items.iter().map(|item| parsed.data_items[*item].name.clone()).collect();
            let kind = HazardKind::EndlessLoop { until: condition.text, items: names };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Returns the item that ends a loop, and its only value that does; none if the loop has another condition than that they are equal.
pub(super) fn ending_value(
    context: &HazardContext<'_>,
    until: &Condition,
    program: Option<usize>,
) -> Option<(String, String)> {
    let is_whole = |side: &CodeText| side.words().only().is_some();
    let is_one_value = match until {
        Condition::Comparison { left, relation, right } => {
            *relation == RelationalOperator::Equal && is_whole(left) && is_whole(right)
        }
        Condition::ConditionName { negated, .. } => !negated,
        _ => false,
    };
    let mut values = tested_values(until, context.analysis.decisions(), program).into_iter().filter(|_| is_one_value);
    let (item, value, _) = values.next()?;
    values.next().is_none().then_some((item, value))
}

/// Returns whether a program reads from a terminal: ACCEPT may set items then that no statement names, such as CRT STATUS.
pub(super) fn has_screens(parsed: &ParsedCobol) -> bool {
    let is_screen = |section: &Section| section.name == "SCREEN" && section.division == "DATA";
    let is_placed = |statement: &Statement| {
        let words = parsed.words(statement);
        statement.verb == Verb::Accept && ["AT", "LINE", "COL", "COLUMN"].iter().any(|word| words.has(word))
    };
    parsed.sections.iter().any(is_screen) || parsed.statements.iter().any(is_placed)
}

/// Returns the items whose address a statement takes: who has the address may change the item.
pub(super) fn addressed_items(context: &HazardContext<'_>) -> HashSet<usize> {
    let HazardContext { parsed, items, .. } = *context;
    let mut found = HashSet::new();
    for statement in &parsed.statements {
        let operands = parsed.operands(statement).filter(|operand| operand.kind() == OperandKind::LengthOrAddress);
        let addresses = operands.filter(|operand| operand.words().first().is_some_and(|word| word.is("ADDRESS")));
        found.extend(addresses.filter_map(|operand| items.find(operand.name(), statement.program)));
    }
    found
}

/// The condition of a loop, and the items in it.
struct UntilCondition {
    text: String,
    items: Vec<usize>,
}

struct EndlessLoops<'a> {
    context: &'a HazardContext<'a>,
    addressed: HashSet<usize>,
    /// Whether ACCEPT of a screen may set items.
    has_screens: bool,
}

impl EndlessLoops<'_> {
    /// Returns the condition of a PERFORM with one UNTIL, if only the program itself can change its items.
    fn condition(&self, perform: usize) -> Option<UntilCondition> {
        let parsed = self.context.parsed;
        let statement = &parsed.statements[perform];
        let [(_, Some(condition))] = &self.context.loops(perform)[..] else { return None };
        let operands: Vec<Operand<'_>> = match self.context.loop_branch(perform) {
            Some(branch) => parsed.condition_operands(branch).collect(),
            None => parsed.operands(statement).collect(),
        };
        let mut items = Vec::new();
        for operand in operands.into_iter().filter(|operand| operand.phrase() == OperandPhrase::Until) {
            if operand.is_constant() {
                continue;
            }
            let named = self.context.items.find(operand.name(), statement.program);
            let item = named.filter(|_| operand.kind() == OperandKind::Name)?;
            let own = &parsed.data_items[item];
            let item = if own.level == 88 { own.parent? } else { item };
            if own.level == 78 || own.attributes.constant {
                continue;
            }
            if !self.is_private_to_program(item) {
                return None;
            }
            if !items.contains(&item) {
                items.push(item);
            }
        }
        let is_parsed = condition.leaves().all(|leaf| !matches!(leaf, Condition::Unparsed { .. }));
        let is_read = !items.is_empty() && is_parsed;
        is_read.then(|| UntilCondition { text: condition.to_string(), items })
    }

    /// Returns whether no other program, file or pointer can change an item.
    fn is_private_to_program(&self, item: usize) -> bool {
        let items = &self.context.parsed.data_items;
        let mut above = std::iter::successors(Some(item), |item| items[*item].parent);
        items[item].is_private()
            && above.all(|at| {
                let attributes = items[at].attributes;
                !attributes.external && !attributes.global && !attributes.based && !self.addressed.contains(&at)
            })
    }

    /// Returns whether a loop may change one of these items.
    fn changes(&self, perform: usize, body: &LoopBody, items: &[usize]) -> bool {
        let HazardContext { analysis, parsed, storage, .. } = *self.context;
        let (uses, decisions) = (analysis.def_use(), analysis.decisions());
        std::iter::once(perform).chain(body.statements()).any(|index| {
            let statement = &parsed.statements[index];
            let of_branches = decisions.branches_of(index).iter().flat_map(|branch| uses.of_branch(*branch));
            let all = uses.of_statement(index).iter().chain(of_branches);
            // An EXEC block may set what it names, and the language's own items.
            let is_block = statement.exec.is_some();
            let sets = all.filter(|used| is_block || used.is_set());
            let mut sets = sets.map(|used| (used.item(), used.is_ambiguous()));
            sets.any(|(set, doubt)| doubt || items.iter().any(|item| storage.overlap(set, *item)))
                || matches!(statement.verb, Verb::Sort | Verb::Merge | Verb::Invoke | Verb::Xml)
                || (statement.verb == Verb::Accept && self.has_screens)
                || statement.exec.is_some_and(|exec| self.is_named(&parsed.execs[exec], items))
        })
    }

    /// Returns whether a block names one of these items, or sets it because it belongs to the language.
    fn is_named(&self, exec: &ExecBlock, items: &[usize]) -> bool {
        let HazardContext { parsed, items: unique, storage, .. } = *self.context;
        let is_of_language = |item: &usize| {
            let name = &parsed.data_items[*item].name;
            ["SQL", "EIB", "DIB", "DFH"].iter().any(|start| name.starts_with(start))
        };
        let values = exec.options.iter().filter_map(|(_, value)| value.as_deref());
        let names = values.flat_map(|value| names_in(CodeText::read(value).words()));
        let mut named = names.filter_map(|name| unique.find(&name, exec.program));
        exec.kind == ExecKind::Other
            || items.iter().any(is_of_language)
            || named.any(|named| items.iter().any(|item| storage.overlap(named, *item)))
    }
}
