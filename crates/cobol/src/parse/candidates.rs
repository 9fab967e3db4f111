//! The literals that a data item may contain when it names a program or a resource.
//!
//! A literal gets into an item as its VALUE, as the VALUE of the item that it redefines, in a MOVE, or in a MOVE from another item that has
//! a VALUE and to which nothing is moved. A literal from a copybook counts at the COPY. The analysis does not guess values that
//! get into an item in any other way: an item of which a statement sets only a part has no literals.

use super::data::literal_value;
use super::grammar::unquoted;
use super::redefinitions::RedefinedValues;
use crate::code::WordKind;
use crate::decisions::{DecisionIndex, Decisions, MoveOperands, assigned_items, is_whole_item, move_operands};
use crate::def_use::DefUse;
use crate::model::{CallKind, DataItem, ParsedCobol};
use crate::operands::Operand;
use crate::reaching_literals::{self, ItemKey, name_of};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::sync::Arc;
use war_rig_text::LineNumber;

/// Literals with the lines that assign them.
type Literals = Vec<(String, LineNumber)>;

/// Sets the literals of each call and each resource that a data item names, each literal once. All references to one item
/// share one list.
pub(super) fn resolve_candidates(out: &mut ParsedCobol) {
    let wanted = wanted(out);
    if wanted.is_empty() {
        return;
    }
    let given = given(out, wanted);
    let lists: HashMap<ItemKey, Arc<[_]>> =
        given.into_iter().map(|(item, literals)| (item, once(literals).into())).collect();
    let list =
        |program: Option<usize>, operand: &str| lists.get(&(program, name_of(operand))).cloned().unwrap_or_default();
    for call in out.calls.iter_mut().filter(|call| !call.is_literal) {
        call.candidates = list(call.program, &call.target);
    }
    for exec in out.execs.iter_mut().filter(|exec| !exec.is_literal) {
        exec.candidates = list(exec.program, exec.resource.as_deref().unwrap_or_default());
    }
}

/// Adds the initial values of items, from the items that they redefine or from the VALUE in a copybook. This needs the offsets of the
/// items and the copies of the source.
pub(super) fn add_initial_values(out: &mut ParsedCobol) {
    let wanted = wanted(out);
    if wanted.is_empty() {
        return;
    }
    let copied: HashMap<(Option<usize>, &str), LineNumber> = out
        .copies
        .iter()
        .rev()
        .filter(|copy| copy.file.is_none())
        .filter_map(|copy| Some(((copy.program, copy.resolved.as_deref()?), copy.lines.start())))
        .collect();
    let line_of = |item: &DataItem| match item.file.as_deref() {
        Some(file) => copied.get(&(item.program, file)).copied(),
        None => item.lines.map(|lines| lines.start()),
    };
    // A group may have the values of its parts.
    let is_group = |item: &DataItem| item.picture.is_none() && item.value.is_none() && item.level < 50;
    let is_wanted = |item: &&DataItem| is_group(item) && wanted.contains(&(item.program, item.name.clone()));
    let groups = out.data_items.iter().find(is_wanted).map(|_| DecisionIndex::of(out, &DefUse::of(out)));
    let mut tables = RedefinedValues::of(&out.data_items);
    let mut held: HashMap<ItemKey, Literals> = HashMap::new();
    for (index, item) in out.data_items.iter().enumerate() {
        let key = (item.program, item.name.to_string());
        if !wanted.contains(&key) {
            continue;
        }
        let own = held.entry(key).or_default();
        let given = literal_value(item).filter(|_| item.file.is_some());
        let decisions = groups.as_ref().filter(|_| is_group(item)).map(|groups| Decisions::new(out, groups));
        let joined = decisions.and_then(|decisions| decisions.constant(&item.name, item.program));
        let joined = joined.map(|value| unquoted(value).trim().to_uppercase());
        own.extend(given.or(joined).and_then(|value| Some((value, line_of(item)?))));
        let values = tables.values_at(index).into_iter().filter(|(value, _)| !value.is_empty());
        own.extend(values.filter_map(|(value, giver)| Some((value, line_of(&out.data_items[giver])?))));
    }
    held.retain(|_, literals| !literals.is_empty());
    let add = |candidates: &mut Arc<[_]>, program: Option<usize>, operand: &str| {
        if let Some(more) = held.get(&(program, name_of(operand))) {
            *candidates = once(candidates.iter().cloned().chain(more.iter().cloned()).collect()).into();
        }
    };
    for call in out.calls.iter_mut().filter(|call| !call.is_literal) {
        add(&mut call.candidates, call.program, &call.target);
    }
    for exec in out.execs.iter_mut().filter(|exec| !exec.is_literal) {
        add(&mut exec.candidates, exec.program, exec.resource.as_deref().unwrap_or_default());
    }
}

/// Leaves each call and each resource only the literals that reach it.
pub(super) fn keep_reaching(out: &mut ParsedCobol) {
    let wanted = wanted(out);
    if !wanted.is_empty() {
        let given = given(out, wanted);
        reaching_literals::keep_reaching(out, &given);
    }
}

/// Returns the items that name a program or a resource and that are set only as a whole.
fn wanted(out: &ParsedCobol) -> HashSet<ItemKey> {
    let calls = out.calls.iter().filter(|call| call.kind != CallKind::Static && !call.is_literal);
    let calls = calls.map(|call| (call.program, name_of(&call.target)));
    let execs = out.execs.iter().filter(|exec| !exec.is_literal);
    let execs = execs.filter_map(|exec| Some((exec.program, name_of(exec.resource.as_deref()?))));
    let mut wanted: HashSet<ItemKey> = calls.chain(execs).collect();
    if !wanted.is_empty() {
        for item in set_in_part(out) {
            wanted.remove(&item);
        }
    }
    wanted
}

/// Returns the items of which a statement sets only a part: some characters, or an item inside.
fn set_in_part(out: &ParsedCobol) -> HashSet<ItemKey> {
    let mut found: HashSet<ItemKey> = HashSet::new();
    let mut assigned: HashSet<ItemKey> = HashSet::new();
    for statement in &out.statements {
        let parts = out.operands(statement).filter(|operand| operand.role().is_set() && !is_whole_item(*operand));
        found.extend(parts.map(|operand| (statement.program, operand.name().to_uppercase())));
        assigned.extend(assigned_items(out, statement).into_iter().map(|item| (statement.program, item)));
    }
    // A condition name sets the whole item that it belongs to.
    for item in out.data_items.iter().filter(|item| item.level != 88) {
        let mut above = item.parent.filter(|_| assigned.contains(&(item.program, item.name.clone())));
        while let Some(group) = above.map(|index| &out.data_items[index]) {
            let is_new = found.insert((group.program, group.name.clone()));
            above = group.parent.filter(|_| is_new);
        }
    }
    found
}

/// A MOVE to one item.
struct MoveStatement<'a> {
    from: Operand<'a>,
    source: ItemKey,
    target: ItemKey,
    line: LineNumber,
}

/// Returns the MOVEs of the file itself.
fn moves(out: &ParsedCobol) -> Vec<MoveStatement<'_>> {
    let mut found = Vec::new();
    for statement in out.statements.iter().filter(|statement| statement.file.is_none()) {
        let Some(MoveOperands { from, to, corresponds: false }) = move_operands(out, statement) else {
            continue;
        };
        let item = |operand: Operand<'_>| (statement.program, operand.name().to_uppercase());
        let line = statement.lines.start();
        found.extend(to.into_iter().map(|to| MoveStatement { from, source: item(from), target: item(to), line }));
    }
    found
}

fn given(out: &ParsedCobol, wanted: HashSet<ItemKey>) -> HashMap<ItemKey, Literals> {
    let moves = moves(out);
    let literal = |found: &MoveStatement<'_>| {
        let first = found.from.words().first().filter(|word| word.kind == WordKind::Literal)?;
        Some(unquoted(first.text).trim().to_uppercase())
    };
    let to_wanted: Vec<&MoveStatement<'_>> = moves.iter().filter(|found| wanted.contains(&found.target)).collect();
    let mut sources: HashSet<ItemKey> =
        to_wanted.iter().filter(|found| is_whole_item(found.from)).map(|found| found.source.clone()).collect();
    if !sources.is_empty() {
        for found in &moves {
            sources.remove(&found.target);
        }
    }
    let mut literals: HashMap<ItemKey, Literals> = HashMap::new();
    let mut constants: HashMap<ItemKey, Vec<String>> = HashMap::new();
    for item in &out.data_items {
        let Some(value) = literal_value(item) else { continue };
        let key = (item.program, item.name.clone());
        if sources.contains(&key) {
            constants.entry(key.clone()).or_default().push(value.clone());
        }
        if let Some(line) = item.lines.map(|lines| lines.start()).filter(|_| item.file.is_none())
            && wanted.contains(&key)
        {
            literals.entry(key).or_default().push((value, line));
        }
    }
    for found in to_wanted {
        let own = literals.entry(found.target.clone()).or_default();
        if let Some(value) = literal(found) {
            own.push((value, found.line));
        } else if let Some(values) = constants.get(&found.source).filter(|_| is_whole_item(found.from)) {
            own.extend(values.iter().map(|value| (value.clone(), found.line)));
        }
    }
    literals
}

/// Returns each literal once, at its first assignment.
fn once(literals: Literals) -> Literals {
    let mut seen = HashSet::new();
    literals.into_iter().filter(|(value, _)| seen.insert(value.clone())).collect()
}
