//! Data, files and copybooks that a program declares and does not use, or uses in one direction only.

use super::blank_numbers;
use super::extents::Extent;
use super::loops::has_screens;
use super::storage_uses::StorageUses;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::analysis::Analysis;
use crate::code::CodeText;
use crate::control_flow::{ExitKind, own_exit};
use crate::decisions::Condition;
use crate::model::{CopybookReference, ExecKind, ParsedCobol, Section};
use crate::named_words::NamedWords;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeSet;
use war_rig_text::LineRange;

pub(super) fn find(context: &HazardContext<'_>, named: &NamedWords, found: &mut FoundHazards) {
    let parsed = context.parsed;
    // Screens and reports use items and files without a statement.
    let is_report = |section: &Section| section.division == "DATA" && section.name == "REPORT";
    // A macro may write to a file or commit.
    let has_macros = parsed.has_macros();
    if !has_screens(parsed) && !parsed.sections.iter().any(is_report) {
        let uses = StorageUses::of(context);
        items(context, &uses, named, found);
        blank_numbers::find(context, &uses, found);
        if !has_macros {
            files(parsed, found);
        }
    }
    copybooks(parsed, found);
    if !has_macros {
        commits(parsed, found);
    }
}

fn items(context: &HazardContext<'_>, uses: &StorageUses<'_>, named: &NamedWords, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items: unique, storage, .. } = *context;
    // Whether the code names an item or one below it.
    let is_named = parsed.mark_groups(|item| named.has(item));
    // The system sets statuses, and one that nothing reads is told with its operations.
    let is_status = |name: &str| analysis.status_checks().is_status_item(name);
    let is_unused = |index: usize| {
        let place = || storage.place(index);
        !is_named[index] && !uses.stored.meets(place()) && !uses.read.meets(place())
    };
    // Nothing but itself gives a number its contents.
    let is_counted = |index: usize| {
        let item = &parsed.data_items[index];
        let is_number = item.occurs.is_none() && Extent::of_item(item).is_some_and(|extent| extent.is_numeric);
        let place = || storage.place(index);
        uses.counted.contains(&index)
            && is_number
            && is_filled_here(parsed, index)
            && !uses.set_first.meets(place())
            && !uses.initial.meets(place())
    };
    // Items that are told with the statement that passes them.
    let mut passed = HashSet::new();
    for (exec, index) in &uses.inputs {
        let item = &parsed.data_items[*index];
        let is_set = uses.set.meets(storage.place(*index)) || uses.initial.meets(storage.place(*index));
        let is_own = item.is_private() && !parsed.is_shared(*index) && !uses.doubtful.contains(index);
        if is_own && !is_set && exec.file.is_none() && !is_status(&item.name) {
            let kind = HazardKind::UnsetInput { item: item.name.clone(), command: exec.command.clone() };
            found.add(kind, exec.program, exec.lines);
            passed.insert(*index);
        }
    }
    for (index, item) in parsed.data_items.iter().enumerate() {
        let is_own = item.file.is_none() && item.is_private();
        let is_plain = !matches!(item.level, 66 | 78 | 88) && !parsed.is_shared(index);
        let Some(lines) = item.lines.or(item.line.map(LineRange::single)) else { continue };
        // The items of a record without a picture may be in a copybook that is missing.
        let is_empty = item.picture.is_none() && item.length.is_none_or(|length| length == 0);
        // A redefinition is another view of what it redefines.
        let is_view = item.redefines.is_some();
        if !is_own
            || !is_plain
            || is_empty
            || is_view
            || item.name == "FILLER"
            || item.attributes.constant
            || uses.doubtful.contains(&index)
            || is_status(&item.name)
        {
            continue;
        }
        let is_unique = unique.find(&item.name, item.program) == Some(index);
        let place = || storage.place(index);
        let (is_read, is_set, is_stored) =
            (uses.read.meets(place()), uses.set.meets(place()), uses.stored.meets(place()));
        let is_elementary = item.picture.is_some() || item.usage.is_some_and(|usage| usage.contains("POINTER"));
        let name = || item.name.clone();
        if !is_set && uses.compared.contains(&index) && is_unique {
            let value = item.value.as_deref().map(str::to_owned);
            found.add(HazardKind::NeverSet { items: vec![name()], value }, item.program, lines);
        } else if !is_set && is_read && is_unique && is_filled_here(parsed, index) && !uses.initial.meets(place()) {
            if !uses.read_in_a_run.meets(place()) {
                continue;
            }
            let mut around = std::iter::successors(Some(index), |at| parsed.data_items[*at].parent);
            let used = around.find(|at| uses.read_by_name.contains(at));
            if let Some(used) = used.filter(|_| !passed.contains(&index)) {
                let is_part = !is_named[index] && used != index;
                let group = if is_part { Some(parsed.data_items[used].name.clone()) } else { group_of(parsed, index) };
                found.add(HazardKind::Unfilled { items: vec![name()], group, is_part }, item.program, lines);
            }
        } else if is_set && is_read && is_unique && is_counted(index) {
            found.add(HazardKind::NoFirstValue { items: vec![name()] }, item.program, lines);
        } else if is_stored && !is_read && is_unique && is_elementary && is_named[index] {
            found.add(HazardKind::NeverRead { item: name() }, item.program, lines);
        } else if is_unused(index) && !item.parent.is_some_and(is_unused) {
            found.add(HazardKind::NeverUsed { item: name() }, item.program, lines);
        }
    }
}

/// Whether an item is elementary and no part of a view of another.
pub(super) fn is_filled_here(parsed: &ParsedCobol, item: usize) -> bool {
    let above = std::iter::successors(Some(item), |at| parsed.data_items[*at].parent);
    parsed.data_items[item].picture.is_some() && above.into_iter().all(|at| parsed.data_items[at].redefines.is_none())
}

/// Returns the name of the nearest group around an item that has one.
fn group_of(parsed: &ParsedCobol, item: usize) -> Option<String> {
    let above = std::iter::successors(parsed.data_items[item].parent, |at| parsed.data_items[*at].parent);
    above.map(|group| &parsed.data_items[group].name).find(|name| *name != "FILLER").cloned()
}

/// Returns the conditions of the source's own branches and loops, with the indexes of their statements.
pub(super) fn conditions(analysis: &Analysis) -> Vec<(usize, Condition)> {
    let (parsed, decisions) = (analysis.parsed(), analysis.decisions());
    let branches = parsed.branches.iter().enumerate();
    let of_branches =
        branches.filter_map(|(index, branch)| Some((branch.statement, decisions.condition(index)?.clone())));
    let loops = (0..parsed.statements.len()).filter(|index| parsed.statements[*index].verb == Verb::Perform);
    let of_loops = loops.filter_map(|index| Some((index, decisions.until_decision(index)?.condition?)));
    of_branches.chain(of_loops).collect()
}

/// Returns the items that a condition of a statement compares with a constant, or by a condition name.
pub(super) fn tested_items(condition: &Condition, statement: usize, context: &HazardContext<'_>) -> Vec<usize> {
    let statement = &context.parsed.statements[statement];
    if statement.file.is_some() {
        return Vec::new();
    }
    let is_plain = |text: &&CodeText| text.words().len() == 1;
    let tested = |leaf: &Condition| match leaf {
        Condition::Comparison { left, right, .. } => {
            let is_constant = right.words().first().is_some_and(|word| word.is_constant());
            let item = Some(left).filter(is_plain).filter(|_| is_constant)?;
            context.items.find(item.text(), statement.program)
        }
        Condition::ConditionName { name, .. } => {
            // FILLER has no name to report.
            context.analysis.decisions().plain_condition_name(name.words(), statement.program)?.parent
        }
        _ => None,
    };
    condition.leaves().filter_map(tested).collect()
}

fn files(parsed: &ParsedCobol, found: &mut FoundHazards) {
    // Programs of one source may share a file, and the records of one may be in a copybook that is missing.
    let files = parsed.sections.iter().find(|section| section.name == "FILE" && section.file.is_none());
    let is_missing =
        |copy: &CopybookReference| copy.resolved.is_none() && files.is_some_and(|files| files.lines.covers(copy.lines));
    if parsed.programs.len() > 1 || parsed.copies.iter().any(is_missing) {
        return;
    }
    for file in parsed.files.iter().filter(|file| !file.sort) {
        let Some(line) = file.line else { continue };
        let is_it = |name: &str, program| program == file.program && name.eq_ignore_ascii_case(&file.name);
        let all = || parsed.file_uses.iter().chain(&parsed.copied_file_uses).enumerate();
        let uses = || all().filter(|(_, used)| is_it(&used.file, used.program));
        let opens = |operation: &str| operation.starts_with("OPEN");
        if uses().next().is_none() {
            found.add(HazardKind::NeverOpened { file: file.name.clone() }, file.program, LineRange::single(line));
        } else if uses().all(|(_, used)| opens(&used.operation) || used.operation.starts_with("CLOSE"))
            && let Some((order, open)) = uses().find(|(_, used)| opens(&used.operation))
        {
            found.add_at(order, HazardKind::OpenedInVain { file: file.name.clone() }, file.program, open.lines);
        }
    }
}

/// What a copybook contains, and how often it is copied.
#[derive(Default)]
struct CopybookUse {
    copies: usize,
    items: usize,
    /// Whether it contains statements, or an item that the source names or that others may use.
    is_used: bool,
    /// Whether something outside it names an item of it, or of a copybook that it copies.
    is_named: bool,
}

/// Finds copybooks that only declare data, none of which the source names outside the copybook.
fn copybooks(parsed: &ParsedCobol, found: &mut FoundHazards) {
    let named = NamedWords::apart_from_items(parsed);
    let mut uses: HashMap<&str, CopybookUse> = HashMap::new();
    for book in parsed.copies.iter().filter_map(|copy| copy.resolved.as_deref()) {
        uses.entry(book).or_default().copies += 1;
    }
    // For each name in declarations the only file that has it; none if several have.
    let mut named_by: HashMap<&str, Option<Option<&str>>> = HashMap::new();
    for (file, names) in &parsed.named_in_declarations {
        for name in names {
            named_by.entry(name).and_modify(|only| *only = None).or_insert(Some(file.as_deref()));
        }
    }
    let is_named_elsewhere = |name: &str, book| named_by.get(name).is_some_and(|only| *only != Some(Some(book)));
    for item in &parsed.data_items {
        let Some((book, used)) = item.file.as_deref().and_then(|book| Some((book, uses.get_mut(book)?))) else {
            continue;
        };
        let is_private = item.is_private() && !item.attributes.external;
        // Items below one of the source's own are used with it.
        let is_apart = item.parent.is_none_or(|parent| parsed.data_items[parent].file == item.file);
        let mut indexes = item.table.iter().flat_map(|table| &table.indexed_by);
        let is_named = named.has(item)
            || is_named_elsewhere(&item.name, book)
            || indexes.any(|index| named.has_word(index) || is_named_elsewhere(index, book));
        used.items += 1;
        used.is_named |= is_named;
        used.is_used |= !is_private || !is_apart || is_named;
    }
    // A record of a copybook goes on in the source's own items.
    let continued = parsed.data_items.iter().filter(|item| item.file.is_none()).filter_map(|item| item.parent);
    let continued = continued.filter_map(|parent| parsed.data_items[parent].file.as_deref());
    for book in parsed.statements.iter().filter_map(|statement| statement.file.as_deref()).chain(continued) {
        if let Some(used) = uses.get_mut(book) {
            used.is_used = true;
        }
    }
    // Each round reaches the copybooks around those of the round before.
    let mut is_new = true;
    while std::mem::take(&mut is_new) {
        for copy in &parsed.copies {
            let is_named = copy.resolved.as_deref().and_then(|book| uses.get(book)).is_some_and(|used| used.is_named);
            let around = copy.file.as_deref().filter(|_| is_named).and_then(|around| uses.get_mut(around));
            if let Some(around) = around.filter(|around| !around.is_named) {
                (around.is_named, around.is_used, is_new) = (true, true, true);
            }
        }
    }
    for copy in parsed.copies.iter().filter(|copy| copy.file.is_none()) {
        let used = copy.resolved.as_deref().and_then(|book| uses.get(book));
        if used.is_some_and(|used| used.copies == 1 && used.items > 0 && !used.is_used) {
            found.add(HazardKind::CopiedInVain { copybook: copy.name.clone() }, copy.program, copy.lines);
        }
    }
}

/// Returns the programs that a source calls: those that an item names by the values that it may hold. Of those that end the run by an abend none
/// comes back, or commits.
fn called_programs(parsed: &ParsedCobol) -> BTreeSet<String> {
    let is_abend = |index: usize| own_exit(parsed, &parsed.statements[index]) == Some(ExitKind::Abend);
    let calls = parsed.calls.iter().filter(|call| !call.statement.is_some_and(is_abend));
    let names = calls.flat_map(|call| {
        let own = call.is_literal.then_some(call.target.as_str());
        own.into_iter().chain(call.candidates.iter().map(|(name, _)| name.as_str()))
    });
    names.map(str::to_uppercase).collect()
}

/// Finds changes of tables that a program without CICS or IMS never commits.
fn commits(parsed: &ParsedCobol, found: &mut FoundHazards) {
    let is_online = parsed.execs.iter().any(|exec| matches!(exec.kind, ExecKind::Cics | ExecKind::Dli));
    let sql = || parsed.execs.iter().filter(|exec| exec.kind == ExecKind::Sql);
    let is_called = parsed.programs.iter().any(|program| !program.parameters.is_empty());
    let ends = sql().any(|exec| exec.command.starts_with("COMMIT") || exec.command.starts_with("ROLLBACK"));
    if is_online || is_called || ends {
        return;
    }
    let kind = HazardKind::NoCommit { called: called_programs(parsed).into_iter().collect() };
    let changes = ["INSERT", "UPDATE", "DELETE", "MERGE"];
    for exec in sql().filter(|exec| exec.file.is_none() && changes.iter().any(|verb| exec.command.starts_with(verb))) {
        found.add(kind.clone(), exec.program, exec.lines);
    }
}
