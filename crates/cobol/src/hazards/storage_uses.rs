//! What the statements of a source do with the storage of its items.

use super::HazardContext;
use super::blank_numbers::BlankedGroups;
use super::loops::addressed_items;
use super::unused::{conditions, tested_items};
use crate::def_use::ItemUse;
use crate::embedded_sql::HostVariableDirection;
use crate::model::{DataItem, ExecBlock};
use crate::storage::StorageSet;
use crate::unique_items::UniqueItems;
use crate::verb::Verb;
use foldhash::HashSet;

/// The storage that statements read and set, and the items that they name for it.
#[derive(Default)]
pub(super) struct StorageUses<'a> {
    pub(super) read: StorageSet,
    /// As `read`, but for what stands in statements that never run.
    pub(super) read_in_a_run: StorageSet,
    /// The items that are read by their names: in a table, other items of an entry lie between the bytes of one.
    pub(super) read_by_name: HashSet<usize>,
    /// As `read`, but for groups in conditions, which compare them as text.
    pub(super) read_as_is: StorageSet,
    pub(super) set: StorageSet,
    /// As `set`, but for statements that calculate an item from its own contents.
    pub(super) set_first: StorageSet,
    /// The items that those statements name.
    pub(super) counted: HashSet<usize>,
    /// As `set`, but for the MOVEs that fill groups with blanks.
    pub(super) filled: StorageSet,
    /// The groups that those MOVEs fill.
    pub(super) blanked: BlankedGroups,
    /// As `set`, but for what stores nothing that anybody wants to read: INITIALIZE, and a quotient that REMAINDER needs.
    pub(super) stored: StorageSet,
    /// What items with a VALUE occupy.
    pub(super) initial: StorageSet,
    /// Items that a condition compares with a constant.
    pub(super) compared: HashSet<usize>,
    /// Items of which a name may mean another.
    pub(super) doubtful: HashSet<usize>,
    /// The items that SQL statements pass to the database. A cursor is declared among the data, and reads its host variables when it is opened.
    pub(super) inputs: Vec<(&'a ExecBlock, usize)>,
}

impl<'a> StorageUses<'a> {
    pub(super) fn of(context: &HazardContext<'a>) -> Self {
        let mut found = Self::default();
        (0..context.parsed.statements.len()).for_each(|statement| found.add_statement(context, statement));
        (0..context.parsed.branches.len()).for_each(|branch| found.add_branch(context, branch));
        found.add_others(context);
        let (read, set) = (
            [&mut found.read, &mut found.read_in_a_run, &mut found.read_as_is],
            [&mut found.set, &mut found.set_first, &mut found.filled, &mut found.stored, &mut found.initial],
        );
        read.into_iter().chain(set).for_each(StorageSet::sort);
        let tested = conditions(context.analysis);
        found.compared = tested.iter().flat_map(|(at, condition)| tested_items(condition, *at, context)).collect();
        found
    }

    fn add_statement(&mut self, context: &HazardContext<'a>, index: usize) {
        let HazardContext { analysis, parsed, storage, .. } = *context;
        let statement = &parsed.statements[index];
        let is_blanking = self.blanked.add(context, index);
        let is_needed = statement.verb == Verb::Divide && parsed.words(statement).has("REMAINDER");
        let uses = analysis.def_use().of_statement(index);
        for used in uses {
            let place = storage.place(used.item());
            // What a statement only counts up, it does not use.
            let counts = used.is_set() && matches!(statement.verb, Verb::Add | Verb::Subtract | Verb::Initialize);
            if used.is_read() && !counts {
                self.read_by_name.insert(used.item());
                self.read.add(place.clone());
                self.read_as_is.add(place.clone());
                if runs(context, index) {
                    self.read_in_a_run.add(place.clone());
                }
            }
            if used.is_set() {
                if calculates(statement.verb) && reads_itself(uses, used.item()) {
                    self.counted.insert(used.item());
                } else {
                    self.set_first.add(place.clone());
                }
                if !is_blanking {
                    self.filled.add(place.clone());
                }
                if statement.verb != Verb::Initialize && !is_needed {
                    self.stored.add(place.clone());
                }
                self.set.add(place);
            }
            if used.is_ambiguous() {
                self.doubtful.insert(used.item());
            }
        }
    }

    fn add_branch(&mut self, context: &HazardContext<'a>, branch: usize) {
        let HazardContext { analysis, parsed, storage, .. } = *context;
        let is_run = runs(context, parsed.branches[branch].statement);
        for used in analysis.def_use().of_branch(branch) {
            let place = || storage.place(used.item());
            self.read_by_name.insert(used.item());
            self.read.add(place());
            if is_run {
                self.read_in_a_run.add(place());
            }
            if parsed.data_items[used.item()].picture.is_some() {
                self.read_as_is.add(place());
            }
            // PERFORM VARYING sets what it counts.
            if used.is_set() {
                self.add_set(context, used.item());
            }
        }
    }

    /// Adds what no statement names, or not for its contents: addresses, what the system sets, host variables and VALUEs.
    fn add_others(&mut self, context: &HazardContext<'a>) {
        let HazardContext { parsed, items: unique, storage, .. } = *context;
        // Who has the address of an item may use it in any way, and so may the run-time system with what it is given.
        let of_system = parsed.set_by_system.iter().filter_map(|(program, name)| unique.find(name, *program));
        for item in addressed_items(context).into_iter().chain(of_system) {
            self.read_by_name.insert(item);
            self.read.add(storage.place(item));
            self.read_in_a_run.add(storage.place(item));
            self.add_set(context, item);
        }
        self.inputs = parsed.execs.iter().flat_map(|exec| sql_inputs(exec, unique)).collect();
        for (_, item) in &self.inputs {
            self.read_by_name.insert(*item);
            let read = [&mut self.read, &mut self.read_in_a_run, &mut self.read_as_is];
            read.into_iter().for_each(|uses| uses.add(storage.place(*item)));
        }
        // The values of a condition name are those that are asked for.
        let has_value = |item: &DataItem| item.value.is_some() && !matches!(item.level, 66 | 78 | 88);
        let have_value = (0..parsed.data_items.len()).filter(|index| has_value(&parsed.data_items[*index]));
        have_value.for_each(|index| self.initial.add(storage.place(index)));
    }

    fn add_set(&mut self, context: &HazardContext<'_>, item: usize) {
        let all = [&mut self.set, &mut self.set_first, &mut self.filled, &mut self.stored];
        all.into_iter().for_each(|uses| uses.add(context.storage.place(item)));
    }
}

/// Whether control may come to a statement.
fn runs(context: &HazardContext<'_>, statement: usize) -> bool {
    let flow = context.analysis.control_flow();
    let paragraph = context.parsed.statements[statement].paragraph;
    !flow.never_runs(statement) && paragraph.is_none_or(|paragraph| flow.is_reachable(paragraph))
}

fn calculates(verb: Verb) -> bool {
    matches!(verb, Verb::Add | Verb::Subtract | Verb::Multiply | Verb::Divide | Verb::Compute)
}

/// Whether a statement that sets an item reads it as well.
fn reads_itself(uses: &[ItemUse], item: usize) -> bool {
    uses.iter().any(|used| used.item() == item && used.is_read())
}

/// Returns the items whose contents an SQL statement passes to the database.
fn sql_inputs<'a>(exec: &'a ExecBlock, unique: &UniqueItems<'_>) -> Vec<(&'a ExecBlock, usize)> {
    let variables = exec.sql.iter().flat_map(|sql| &sql.host_variables);
    let inputs = variables.filter(|variable| variable.direction != HostVariableDirection::Out);
    let items = inputs.filter_map(|variable| unique.find(variable.item_name(), exec.program));
    items.map(|item| (exec, item)).collect()
}

/// Returns the storage that conditions test: those of branches, EVALUATE, PERFORM and SEARCH. Of the items of a statement, those that `counts` denies are
/// left out.
pub(super) fn tested_storage(context: &HazardContext<'_>, counts: impl Fn(usize, usize) -> bool) -> StorageSet {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let uses = analysis.def_use();
    let of_branches = parsed.branches.iter().enumerate();
    let of_branches = of_branches.map(|(index, branch)| (branch.statement, uses.of_branch(index)));
    let tests = |index: &usize| matches!(parsed.statements[*index].verb, Verb::Evaluate | Verb::Perform | Verb::Search);
    let of_statements = (0..parsed.statements.len()).filter(tests).map(|index| (index, uses.of_statement(index)));
    let mut tested = StorageSet::default();
    for (statement, uses) in of_branches.chain(of_statements) {
        for item in uses.iter().map(|used| used.item()).filter(|item| counts(statement, *item)) {
            tested.add(storage.place(item));
        }
    }
    tested.sort();
    tested
}
