//! An index of facts about a file, built once for all its chunks.

use super::entries::{entering_statements, handled_conditions};
use super::keys::keys_of_names;
use super::outcomes::Reports;
use super::rights::filled_by_cics;
use crate::sql_phrases::sql_rows;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use war_rig_cobol::comments::head_glossary;
use war_rig_cobol::{
    Analysis, ControlFlowGraph, DataItem, DecisionEffect, Decisions, DefUse, DliOperation, ExecKind, OperationStatus,
    ParagraphDefUse, ParsedCobol, ProgramCall, ReferenceKind, Resource, StatusChecks, Verb,
};
use war_rig_text::{LineNumber, LineRange, SourceText};

/// Facts of the file itself by line, without those of copybooks.
#[derive(Debug)]
pub(super) struct LineIndex {
    /// Line ranges and the index of the fact there, in order.
    all: Vec<(LineRange, usize)>,
    /// The last line that each range and all before it reach.
    reach: Vec<LineNumber>,
}

impl FromIterator<(LineRange, usize)> for LineIndex {
    fn from_iter<I: IntoIterator<Item = (LineRange, usize)>>(things: I) -> Self {
        let mut all: Vec<_> = things.into_iter().collect();
        all.sort_by_key(|(lines, index)| (lines.start(), *index));
        let mut last = LineNumber::FIRST;
        let reach = all.iter().map(|(lines, _)| {
            last = last.max(lines.end());
            last
        });
        Self { reach: reach.collect(), all }
    }
}

impl LineIndex {
    /// Returns the facts that overlap these lines, in order.
    pub(super) fn on(&self, lines: LineRange) -> impl Iterator<Item = usize> + '_ {
        let first = self.reach.partition_point(|reach| *reach < lines.start());
        let near = self.all[first..].iter().take_while(move |(other, _)| other.start() <= lines.end());
        near.filter(move |(other, _)| other.end() >= lines.start()).map(|(_, index)| *index)
    }

    /// Returns the facts on exactly these lines, in order.
    pub(super) fn exactly(&self, lines: LineRange) -> impl Iterator<Item = usize> + '_ {
        let first = self.all.partition_point(|(other, _)| other.start() < lines.start());
        let near = self.all[first..].iter().take_while(move |(other, _)| other.start() == lines.start());
        near.filter(move |(other, _)| *other == lines).map(|(_, index)| *index)
    }
}

/// The facts of a file, indexed for lookup.
#[derive(Debug)]
pub(crate) struct FactIndex<'a> {
    pub(super) parsed: &'a ParsedCobol,
    pub(super) flow: &'a ControlFlowGraph,
    pub(super) effects: &'a DefUse,
    pub(super) resources: &'a [Resource],
    /// The decisions.
    pub(super) decisions: Decisions<'a>,
    /// How many decisions of the source have the same effect.
    pub(super) decided: HashMap<DecisionEffect, u32>,
    /// How many items of each record are decided only once.
    decided_once: HashMap<&'a str, u32>,
    /// What conditions test about operations.
    pub(super) outcomes: &'a StatusChecks,
    /// The items whose constants a caller or a user sees.
    pub(super) reports: Reports<'a>,
    /// The keys of the terminal that condition names stand for.
    pub(super) keys_of: HashMap<String, Vec<String>>,
    /// The items that CICS fills with what it knows of the user.
    pub(super) about_users: HashSet<String>,
    /// For each branch, the nearest enclosing branch that is taken when an operation failed or found no more data.
    pub(super) failed_before: Vec<Option<usize>>,
    /// The statements of each paragraph that are under no branch.
    pub(super) of_paragraph: Vec<Vec<usize>>,
    /// Condition names with their item and its value.
    pub(super) condition_names: HashMap<&'a str, (&'a str, &'a str)>,
    /// The record that contains each item, if the item's name is unique.
    records: HashMap<&'a str, Option<&'a str>>,
    /// For each item, the name of the record whose storage its own record redefines.
    pub(super) redefined_records: Vec<Option<&'a str>>,
    /// Paragraphs that are only labels: the range that they end has another name.
    pub(super) labels_only: HashSet<&'a str>,
    /// The names that several paragraphs of a program have, with the program.
    pub(super) repeated_labels: HashSet<(Option<usize>, &'a str)>,
    /// The SQL commands that work on different rows of one table, with the table.
    pub(super) repeated_commands: HashSet<(&'a str, &'a str)>,
    /// The file's own statements by the line they begin on, in order.
    own_statements: Vec<(LineNumber, usize)>,
    /// For each statement, the innermost statement that is not deep: itself or one around it.
    shallow: Vec<Option<usize>>,
    /// Calls by their lines, as are the following fields.
    pub(super) calls_on: LineIndex,
    pub(super) copies_on: LineIndex,
    pub(super) execs_on: LineIndex,
    pub(super) dli_on: LineIndex,
    pub(super) paragraphs_on: LineIndex,
    pub(super) references_on: LineIndex,
    /// Resources by the lines of their operations.
    pub(super) resources_on: LineIndex,
    /// Calls by their statements.
    calls: HashMap<usize, &'a ProgramCall>,
    /// The DL/I operations.
    pub(super) dli: &'a [DliOperation],
    /// The first item of each name.
    items: HashMap<&'a str, usize>,
    /// What the program's head comment says of names.
    glossary: OnceLock<HashMap<String, String>>,
    /// The records that each copybook declares, in order.
    pub(super) brought: HashMap<&'a str, Vec<&'a String>>,
    /// The labels of paragraphs that each copybook declares, in order.
    pub(super) brought_labels: HashMap<&'a str, Vec<&'a str>>,
    /// The first and last paragraph that each PERFORM, GO TO and WHENEVER leads to, by its statement.
    pub(super) led_to: HashMap<usize, (usize, usize)>,
    /// For each paragraph the first and last paragraph that each reference in it leads to.
    pub(super) led_from: Vec<Vec<(usize, usize)>>,
    /// For each paragraph the statements that perform it once or go to it; none if something else leads there, too.
    pub(super) entering: Vec<Option<Vec<usize>>>,
    /// When CICS leads to the paragraphs that only HANDLE commands name.
    pub(super) handled: HashMap<usize, String>,
    /// The items that each paragraph reads and sets.
    pub(super) touched: &'a [ParagraphDefUse],
    /// How many items each copybook brings into a record of the source, and the record.
    pub(super) brought_items: HashMap<&'a str, BTreeMap<usize, usize>>,
    /// The indexes of tables.
    index_names: HashSet<&'a str>,
    /// The first paragraphs of performed ranges.
    pub(super) performed: HashSet<usize>,
    /// The lines of the COPYs of the source that bring each file, with what they name: the file, or a copybook that copies it in turn.
    pub(super) copied_at: HashMap<&'a str, BTreeSet<(LineNumber, &'a str)>>,
}

/// How many copybooks may lie between a COPY of the source and a statement.
const COPIES_NESTED: usize = 8;

/// Returns the lines of the COPYs of the source that bring each file, with what they name.
fn copies_by_file(parsed: &ParsedCobol) -> HashMap<&str, BTreeSet<(LineNumber, &str)>> {
    let mut found: HashMap<&str, BTreeSet<(LineNumber, &str)>> = HashMap::new();
    let mut nested = BTreeSet::new();
    for copy in &parsed.copies {
        match (copy.file.as_deref(), copy.resolved.as_deref()) {
            (None, Some(file)) => {
                found.entry(file).or_default().insert((copy.lines.start(), copy.name.as_str()));
            }
            (Some(outer), Some(file)) => {
                nested.insert((outer, file));
            }
            (_, None) => {}
        }
    }
    for _ in 0..COPIES_NESTED.min(nested.len()) {
        for (outer, file) in &nested {
            let places = found.get(outer).cloned().unwrap_or_default();
            found.entry(file).or_default().extend(places);
        }
    }
    found
}

/// Returns the records of the source into which each copybook brings items, in their order, with how many.
fn brought_items(parsed: &ParsedCobol) -> HashMap<&str, BTreeMap<usize, usize>> {
    let mut found: HashMap<&str, BTreeMap<usize, usize>> = HashMap::new();
    for (index, item) in parsed.data_items.iter().enumerate().filter(|(_, item)| item.level != 88) {
        let Some(file) = item.file.as_deref() else { continue };
        let mut above = std::iter::successors(item.parent, |at| parsed.data_items[*at].parent);
        let record = above.find(|at| parsed.data_items[*at].file.is_none()).filter(|record| *record < index);
        if let Some(record) = record {
            *found.entry(file).or_default().entry(record).or_default() += 1;
        }
    }
    found
}

/// Returns the names of the indexes of tables.
fn index_names(parsed: &ParsedCobol) -> HashSet<&str> {
    let tables = parsed.data_items.iter().filter_map(|item| item.table.as_deref());
    tables.flat_map(|table| &table.indexed_by).map(AsRef::as_ref).collect()
}

/// Indexes the facts that are not from a copybook, by line.
fn own<T>(things: &[T], place: impl Fn(&T) -> (LineRange, bool)) -> LineIndex {
    let placed = things.iter().map(place).enumerate();
    placed.filter(|(_, (_, is_own))| *is_own).map(|(index, (lines, _))| (lines, index)).collect()
}

/// What the index knows of labels.
#[derive(Default)]
struct LabelIndex<'a> {
    /// Those that each copybook brings.
    brought: HashMap<&'a str, Vec<&'a str>>,
    /// Those that do nothing themselves.
    without_effect: HashSet<&'a str>,
    /// Those that a program has more than once.
    repeated: HashSet<(Option<usize>, &'a str)>,
}

impl<'a> LabelIndex<'a> {
    fn of(parsed: &'a ParsedCobol, flow: &ControlFlowGraph) -> Self {
        let mut labels = Self::default();
        let (mut is_brought, mut seen) = (HashSet::new(), HashSet::new());
        for (index, paragraph) in parsed.paragraphs.iter().enumerate() {
            let name = paragraph.name.as_str();
            if !seen.insert((paragraph.program, name)) {
                labels.repeated.insert((paragraph.program, name));
            }
            let file = paragraph.file.as_deref().filter(|_| paragraph.has_label());
            if let Some(file) = file.filter(|file| is_brought.insert((*file, name))) {
                labels.brought.entry(file).or_default().push(name);
            }
            if flow.is_label_only(index) {
                labels.without_effect.insert(name);
            }
        }
        labels
    }
}

/// Returns the ranges of paragraphs that statements perform or go to.
fn led_to(parsed: &ParsedCobol, flow: &ControlFlowGraph) -> HashMap<usize, (usize, usize)> {
    let led_to = parsed.references.iter().enumerate().filter_map(|(index, reference)| {
        let statement = reference.statement?;
        let found = &parsed.statements[statement];
        let is_sql = || found.exec.is_some_and(|exec| parsed.execs[exec].kind == ExecKind::Sql);
        let leads = matches!(found.verb, Verb::Perform | Verb::Go) || is_sql();
        leads.then_some((statement, flow.reference_span(index)?))
    });
    led_to.collect()
}

/// Returns the first item of each name, and the records that each copybook brings.
fn items_and_brought_records(parsed: &ParsedCobol) -> (HashMap<&str, usize>, HashMap<&str, Vec<&String>>) {
    let (mut items, mut brought) = (HashMap::new(), HashMap::<&str, Vec<&String>>::new());
    let mut is_brought = HashSet::new();
    for (index, item) in parsed.data_items.iter().enumerate() {
        items.entry(item.name.as_str()).or_insert(index);
        let file = item.file.as_deref().filter(|_| item.level == 1);
        if let Some(file) = file.filter(|file| is_brought.insert((*file, item.name.as_str()))) {
            brought.entry(file).or_default().push(&item.name);
        }
    }
    (items, brought)
}

/// Returns the SQL commands that work on different rows of one table, with the table.
fn repeated_commands(parsed: &ParsedCobol) -> HashSet<(&str, &str)> {
    let mut first_rows = HashMap::new();
    let mut repeated = HashSet::new();
    for exec in parsed.execs.iter().filter(|exec| exec.kind == ExecKind::Sql) {
        let Some(table) = exec.resource.as_deref() else { continue };
        let (command, rows) = ((exec.command.as_str(), table), sql_rows(exec, usize::MAX));
        if *first_rows.entry(command).or_insert_with(|| rows.clone()) != rows {
            repeated.insert(command);
        }
    }
    repeated
}

impl<'a> FactIndex<'a> {
    pub(crate) fn of(analysis: &'a Analysis) -> Self {
        let (parsed, flow) = (analysis.parsed(), analysis.control_flow());
        let (condition_names, records) = condition_names_and_records(parsed);
        let labels = LabelIndex::of(parsed, flow);
        let performs =
            parsed.references.iter().enumerate().filter(|(_, reference)| reference.kind != ReferenceKind::GoTo);
        let performed = performs.filter_map(|(index, _)| flow.reference_span(index)).map(|(first, _)| first).collect();
        let mut led_from = vec![Vec::new(); parsed.paragraphs.len()];
        for (index, reference) in parsed.references.iter().enumerate() {
            if let (Some(paragraph), Some(span)) = (reference.paragraph, flow.reference_span(index)) {
                led_from[paragraph].push(span);
            }
        }
        let statements = parsed.statements.iter().enumerate().filter(|(_, found)| found.file.is_none());
        let mut own_statements: Vec<_> = statements.map(|(index, found)| (found.lines.start(), index)).collect();
        own_statements.sort_unstable();
        let calls = parsed.calls.iter().filter_map(|call| Some((call.statement?, call))).collect();
        let dli = analysis.dli_operations();
        let (items, brought) = items_and_brought_records(parsed);
        let (outcomes, resources) = (analysis.status_checks(), analysis.resources());
        let decisions = analysis.decisions();
        let decided = count_effects(parsed, &decisions);
        let of_paragraph = top_level_statements(parsed);
        Self {
            parsed,
            flow,
            effects: analysis.def_use(),
            led_to: led_to(parsed, flow),
            led_from,
            entering: entering_statements(parsed, flow),
            handled: handled_conditions(parsed, flow),
            touched: analysis.paragraph_def_use(),
            brought_items: brought_items(parsed),
            index_names: index_names(parsed),
            performed,
            copied_at: copies_by_file(parsed),
            own_statements,
            shallow: shallow_statements(parsed),
            calls_on: own(&parsed.calls, |call| (call.lines, call.file.is_none())),
            copies_on: own(&parsed.copies, |copy| (copy.lines, copy.file.is_none())),
            execs_on: own(&parsed.execs, |exec| (exec.lines, exec.file.is_none())),
            dli_on: own(dli, |operation| (operation.lines, operation.file.is_none())),
            paragraphs_on: own(&parsed.paragraphs, |paragraph| (paragraph.lines, paragraph.file.is_none())),
            references_on: own(&parsed.references, |found| (LineRange::single(found.line), found.file.is_none())),
            resources_on: resources
                .iter()
                .enumerate()
                .flat_map(|(index, resource)| resource.operations.iter().map(move |(_, lines)| (*lines, index)))
                .collect(),
            dli,
            items,
            glossary: OnceLock::new(),
            brought,
            brought_labels: labels.brought,
            resources,
            decisions,
            decided_once: count_records_decided_once(&decided, &records),
            decided,
            failed_before: branches_behind_failures(parsed, outcomes),
            outcomes,
            reports: Reports::of(analysis, &of_paragraph),
            keys_of: keys_of_names(parsed, decisions),
            about_users: filled_by_cics(parsed),
            calls,
            of_paragraph,
            condition_names,
            records,
            redefined_records: redefined_records(parsed),
            labels_only: labels.without_effect,
            repeated_labels: labels.repeated,
            repeated_commands: repeated_commands(parsed),
        }
    }

    /// Returns a word as the name of a table's index, if it is one.
    pub(super) fn index_name(&self, word: &str) -> Option<String> {
        let name = word.to_uppercase();
        self.index_names.contains(name.as_str()).then_some(name)
    }

    /// Returns the file's own statements that begin on these lines, by line.
    pub(super) fn statements_on(&self, lines: LineRange) -> impl Iterator<Item = usize> + '_ {
        let first = self.own_statements.partition_point(|(line, _)| *line < lines.start());
        let on = self.own_statements[first..].iter().take_while(move |(line, _)| *line <= lines.end());
        on.map(|(_, index)| *index)
    }

    /// Returns the file's own statements that begin on these lines, after the previous statement and those around it, in order: no other
    /// statement reaches these lines. Deep enclosing statements count with their first lines only.
    pub(super) fn statements_reaching(&self, lines: LineRange) -> Vec<usize> {
        let before = self.own_statements.partition_point(|(line, _)| *line < lines.start());
        let last = before.checked_sub(1).map(|before| self.own_statements[before].1);
        let around = last.and_then(|last| self.shallow[last]);
        let around = std::iter::successors(around, |index| self.parsed.statements[*index].parent);
        let around = around.filter(|index| self.parsed.statements[*index].file.is_none());
        let mut reaching: Vec<usize> = last.into_iter().chain(around).collect();
        reaching.dedup();
        reaching.reverse();
        reaching.extend(self.statements_on(lines));
        reaching
    }

    /// Returns the file's own DL/I operations on exactly these lines.
    pub(super) fn dli_of(&self, lines: LineRange) -> impl Iterator<Item = &'a DliOperation> {
        self.dli_on.exactly(lines).map(|index| &self.dli[index])
    }

    /// Returns the first item of a name.
    pub(super) fn item(&self, name: &str) -> Option<&'a DataItem> {
        self.items.get(name).map(|index| &self.parsed.data_items[*index])
    }

    /// Returns the call that a statement makes.
    pub(super) fn call(&self, statement: usize) -> Option<&'a ProgramCall> {
        self.calls.get(&statement).copied()
    }

    /// Returns what the program's head comment says of names.
    pub(super) fn glossary(&self, source: &SourceText) -> &HashMap<String, String> {
        self.glossary.get_or_init(|| head_glossary(source, self.parsed))
    }

    /// Returns the branches of a statement, in order.
    pub(super) fn branches_of(&self, statement: usize) -> &'a [usize] {
        self.decisions.branches_of(statement)
    }

    /// Returns the statements directly under a branch, in order.
    pub(super) fn under(&self, branch: usize) -> &'a [usize] {
        self.decisions.statements_under(branch)
    }

    /// Returns how many items of a record are decided only once in the source.
    pub(super) fn decided_of(&self, record: &str) -> u32 {
        self.decided_once.get(record).copied().unwrap_or_default()
    }

    /// Returns the record that contains an item, if that is certain.
    pub(super) fn record_of(&self, item: &str) -> Option<&'a str> {
        self.records.get(item).copied().flatten()
    }
}

/// Returns the statements of each paragraph that stand under no condition.
fn top_level_statements(parsed: &ParsedCobol) -> Vec<Vec<usize>> {
    let mut of_paragraph = vec![Vec::new(); parsed.paragraphs.len()];
    // USE is a header that looks like a statement.
    let statements = parsed.statements.iter().enumerate().filter(|(_, statement)| statement.verb != Verb::Use);
    for (index, statement) in statements {
        if let (None, Some(paragraph)) = (statement.branch, statement.paragraph) {
            of_paragraph[paragraph].push(index);
        }
    }
    of_paragraph
}

/// Returns for each item the name of the record that its own record redefines.
fn redefined_records(parsed: &ParsedCobol) -> Vec<Option<&str>> {
    let items = &parsed.data_items;
    let mut records: Vec<Option<&str>> = vec![None; items.len()];
    for (index, original) in parsed.redefinitions() {
        records[index] = Some(items[original].name.as_str()).filter(|_| items[index].parent.is_none());
    }
    for (index, item) in items.iter().enumerate() {
        if let Some(parent) = item.parent {
            records[index] = records[index].or(records[parent]);
        }
    }
    records
}

/// Condition names with their item and value, and the record of each item whose name is unique.
type ItemNames<'a> = (HashMap<&'a str, (&'a str, &'a str)>, HashMap<&'a str, Option<&'a str>>);

fn condition_names_and_records(parsed: &ParsedCobol) -> ItemNames<'_> {
    let mut condition_names = HashMap::new();
    let mut records: HashMap<&str, Option<&str>> = HashMap::new();
    let mut record = None;
    for item in &parsed.data_items {
        if item.parent.is_none() {
            record = Some(item.name.as_str()).filter(|name| *name != "FILLER");
        }
        match (item.level, item.parent, item.value.as_deref()) {
            (88, Some(parent), Some(value)) => {
                let named = (parsed.data_items[parent].name.as_str(), value);
                condition_names.entry(item.name.as_str()).or_insert(named);
            }
            _ => {
                let of = record.filter(|record| *record != item.name);
                records.entry(item.name.as_str()).and_modify(|known| *known = None).or_insert(of);
            }
        }
    }
    (condition_names, records)
}

/// Returns for each statement the innermost statement around it that is not too deep, which may be itself.
fn shallow_statements(parsed: &ParsedCobol) -> Vec<Option<usize>> {
    let mut shallow: Vec<Option<usize>> = Vec::with_capacity(parsed.statements.len());
    for (index, found) in parsed.statements.iter().enumerate() {
        let around = || found.parent.and_then(|parent| shallow[parent]);
        shallow.push(if found.is_deep() { around() } else { Some(index) });
    }
    shallow
}

/// Counts how many branches have each effect.
fn count_effects(parsed: &ParsedCobol, decisions: &Decisions) -> HashMap<DecisionEffect, u32> {
    let mut decided: HashMap<DecisionEffect, u32> = HashMap::new();
    for branch in 0..parsed.branches.len() {
        for what in decisions.effects_of(decisions.statements_under(branch).iter().copied()) {
            *decided.entry(what).or_default() += 1;
        }
    }
    decided
}

/// Counts for each record the items that exactly one branch sets.
fn count_records_decided_once<'a>(
    decided: &HashMap<DecisionEffect, u32>,
    records: &HashMap<&'a str, Option<&'a str>>,
) -> HashMap<&'a str, u32> {
    let mut decided_once: HashMap<&str, u32> = HashMap::new();
    for (what, count) in decided {
        let DecisionEffect::Item(name) = what else { continue };
        if let Some(record) = records.get(name.as_str()).copied().flatten().filter(|_| *count == 1) {
            *decided_once.entry(record).or_default() += 1;
        }
    }
    decided_once
}

/// Returns for each branch the nearest branch around it that is taken after a failure or at the end of the data.
fn branches_behind_failures(parsed: &ParsedCobol, outcomes: &StatusChecks) -> Vec<Option<usize>> {
    // A branch comes after those around it, so each result is computed once.
    let mut failed_before: Vec<Option<usize>> = Vec::with_capacity(parsed.branches.len());
    for branch in &parsed.branches {
        let around = parsed.statements[branch.statement].branch;
        let fails = around.map(|around| outcomes.of_branch(around));
        failed_before.push(match fails {
            Some(Some(OperationStatus::Failure | OperationStatus::EndOfData)) => around,
            _ => around.and_then(|around| failed_before[around]),
        });
    }
    failed_before
}
