//! What a condition says about the operation before it: success or failure.
//!
//! A file status, SQLCODE, a RESP item, DIBSTAT, the status code of a PCB, the codes of an MQ call and their condition names are statuses
//! by themselves. So is an item that a program
//! sets from one of them, as in `IF F-STATUS = '00' MOVE 0 TO RESULT ELSE MOVE 12 TO RESULT`: its assignments
//! make it a status, never its name.

mod calls;
mod condition;
mod derived;
mod entries;
mod last_operations;
mod narrowed;
mod operations;
mod performed;
mod result_names;
mod status_reads;
mod values;

use crate::analysis::Analysis;
use crate::code::{CodeText, WordSlice};
use crate::decisions::{Condition, Decisions};
use crate::model::{BranchKind, ExecKind, ParsedCobol};
use crate::verb::Verb;
use condition::condition_status;
use foldhash::{HashMap, HashMapExt, HashSet};
use operations::TestedOperations;
use serde::Serialize;
pub(crate) use status_reads::{SoughtStatus, StatusReads};
pub(crate) use values::normalize_constant;
use values::{StatusKind, value_of_words};

/// The result of an operation, as far as a branch shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationStatus {
    /// It succeeded.
    Success,
    /// No data, or no more data: the end of a file, no row.
    EndOfData,
    /// It failed.
    Failure,
}

impl OperationStatus {
    fn negated(self) -> Option<Self> {
        match self {
            OperationStatus::Success => Some(OperationStatus::Failure),
            // Without the end of the data, and without one error, there may be success.
            OperationStatus::EndOfData | OperationStatus::Failure => None,
        }
    }
}

/// The statement about an operation that each branch of a source makes.
#[derive(Debug, Clone, Default)]
pub struct StatusChecks {
    branches: Vec<Option<OperationStatus>>,
    operations: Vec<Vec<usize>>,
    /// The branches that may test each operation.
    tests: HashMap<usize, Vec<usize>>,
    /// The branches that test an item that is set from statuses.
    indirect: HashSet<usize>,
    items: HashSet<String>,
    /// The items that calls of DL/I and MQ put their results into.
    set_by_calls: HashMap<usize, Vec<String>>,
}

impl StatusChecks {
    /// Classifies every branch of a source.
    pub(crate) fn of(analysis: &Analysis) -> Self {
        let (parsed, flow, decisions) = (analysis.parsed(), analysis.control_flow(), analysis.decisions());
        let mut statuses = StatusItems::of(parsed);
        statuses.add_pcbs(analysis);
        statuses.add_mq_codes(parsed);
        statuses.add_copies(analysis);
        statuses.add_constants(parsed, decisions);
        let mut branches = classify(parsed, decisions, &statuses);
        let tested = |branches: &[_], statuses: &StatusItems, within: Option<&TestedOperations>| {
            TestedOperations::of(parsed, flow, decisions, branches, statuses, within)
        };
        let mut within = tested(&branches, &statuses, None);
        if statuses.add_derived(parsed, &branches, &within.by_branch) {
            branches = classify(parsed, decisions, &statuses);
            within = tested(&branches, &statuses, None);
        }
        let operations = tested(&branches, &statuses, Some(&within)).by_branch;
        narrowed::narrow(parsed, flow, decisions, &statuses, &operations, &mut branches);
        let is_indirect = |branch: &usize| {
            let first = decisions.branches_of(parsed.branches[*branch].statement).first();
            let asked = first.and_then(|first| statuses.asked(parsed, *branch, *first));
            asked.is_some_and(|(_, kind)| matches!(kind, StatusKind::Derived(_)))
        };
        let indirect = (0..branches.len()).filter(|branch| branches[*branch].is_some()).filter(is_indirect).collect();
        let mut tests: HashMap<usize, Vec<usize>> = HashMap::new();
        for (branch, tested) in operations.iter().enumerate() {
            tested.iter().for_each(|operation| tests.entry(*operation).or_default().push(branch));
        }
        let set_by_calls = statuses.set_by_calls;
        Self { branches, operations, tests, indirect, items: statuses.kinds.into_keys().collect(), set_by_calls }
    }

    /// Returns the operation's result when the branch at this index is taken; none if the branch tests something else.
    pub fn of_branch(&self, branch: usize) -> Option<OperationStatus> {
        self.branches[branch]
    }

    /// Returns the statement whose result a branch tests, the last if there are several; none if it is not known.
    pub fn checked_operation(&self, branch: usize) -> Option<usize> {
        self.operations[branch].last().copied()
    }

    /// Returns all statements whose result a branch may test: after an IF, those of both sides.
    pub fn checked_operations(&self, branch: usize) -> &[usize] {
        &self.operations[branch]
    }

    /// Returns the branches that may test the result of a statement, in order.
    pub fn tests_of(&self, operation: usize) -> &[usize] {
        self.tests.get(&operation).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the items that a call of DL/I or MQ puts its result into, as far as they are known.
    pub(crate) fn statuses_of_call(&self, statement: usize) -> &[String] {
        self.set_by_calls.get(&statement).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns whether a branch tests an item that the program sets from statuses, and not a status itself.
    pub(crate) fn is_indirect(&self, branch: usize) -> bool {
        self.indirect.contains(&branch)
    }

    /// Returns whether an item, by its upper-case name, contains only results of operations.
    pub fn is_status_item(&self, item: &str) -> bool {
        self.items.contains(item)
    }
}

/// The items that contain statuses, and their condition names.
struct StatusItems {
    kinds: HashMap<String, StatusKind>,
    /// Condition names with their items and values.
    conditions: HashMap<String, (String, Vec<String>)>,
    /// The items that conditions compare something with and that never change, with their values.
    constants: HashMap<String, String>,
    /// The statements that set items from statuses, with these items.
    setters: HashMap<usize, Vec<String>>,
    /// Those of them that copy a status, with this status.
    copied: HashMap<usize, String>,
    /// The CALLs that set statuses, with these.
    set_by_calls: HashMap<usize, Vec<String>>,
}

impl StatusItems {
    fn of(parsed: &ParsedCobol) -> Self {
        let mut kinds: HashMap<String, StatusKind> = HashMap::new();
        let fixed = [
            ("SQLCODE", StatusKind::Sql),
            ("SQLSTATE", StatusKind::SqlState),
            ("SQLWARN0", StatusKind::SqlWarning),
            ("EIBRESP", StatusKind::Cics),
            ("DIBSTAT", StatusKind::Dli),
            ("RETURN-CODE", StatusKind::Code),
            ("SORT-RETURN", StatusKind::Code),
        ];
        kinds.extend(fixed.into_iter().map(|(name, kind)| (name.to_owned(), kind)));
        let of_files = parsed.files.iter().filter_map(|file| file.status.clone());
        kinds.extend(of_files.map(|name| (name, StatusKind::File)));
        for exec in parsed.execs.iter().filter(|exec| exec.kind == ExecKind::Cics) {
            let response = exec.options.iter().find(|(option, _)| option == "RESP");
            if let Some(name) = response.and_then(|(_, value)| value.as_deref()) {
                kinds.insert(name.trim().to_uppercase(), StatusKind::Cics);
            }
        }
        let mut conditions = HashMap::new();
        for item in parsed.data_items.iter().filter(|item| item.level == 88) {
            let about = item.parent.map(|parent| parsed.data_items[parent].name.clone());
            if let (Some(about), Some(value)) = (about, item.value.as_deref()) {
                let values = CodeText::read(value);
                let values = values.words().iter().map(|word| word.text.to_owned()).collect();
                conditions.insert(item.name.clone(), (about, values));
            }
        }
        Self {
            kinds,
            conditions,
            constants: HashMap::new(),
            setters: HashMap::new(),
            copied: HashMap::new(),
            set_by_calls: HashMap::new(),
        }
    }

    /// Adds the items that never change and that conditions compare with others.
    fn add_constants(&mut self, parsed: &ParsedCobol, decisions: Decisions<'_>) {
        for (index, branch) in parsed.branches.iter().enumerate() {
            let program = parsed.statements[branch.statement].program;
            let operands = decisions.condition(index).map(Condition::operands).unwrap_or_default();
            for only in operands.iter().filter_map(|words| words.only()) {
                let value = decisions.constant(only.text, program).filter(|_| only.is_name());
                self.constants.extend(value.map(|value| (only.text.to_uppercase(), normalize_constant(value))));
            }
        }
    }

    /// Returns the value of an operand; none for an item that may change.
    fn value(&self, code: &CodeText) -> Option<String> {
        let words = code.words();
        let constant = || self.constants.get(&words.only()?.text.to_uppercase()).cloned();
        value_of_words(words).or_else(constant)
    }

    /// Returns the status kind of an operand.
    fn of_operand(&self, code: &CodeText) -> Option<&StatusKind> {
        // A part of a status is not a status.
        let name = code.words().first().filter(|_| !code.words().iter().any(|word| word.is_sign(":")))?;
        self.kinds.get(&name.text.to_uppercase())
    }

    /// Returns the status kind of a condition name, and its values.
    fn of_condition_name(&self, name: &CodeText) -> Option<(&StatusKind, &[String])> {
        let (item, values) = self.conditions.get(&name.words().first()?.text.to_uppercase())?;
        Some((self.kinds.get(item)?, values))
    }

    /// Returns the status kind of an item or condition name.
    fn test(&self, name: &str) -> Option<&StatusKind> {
        let item = self.conditions.get(name).map_or(name, |(item, _)| item);
        self.kinds.get(item)
    }
}

fn classify(parsed: &ParsedCobol, decisions: Decisions<'_>, statuses: &StatusItems) -> Vec<Option<OperationStatus>> {
    let mut found: Vec<Option<OperationStatus>> = Vec::with_capacity(parsed.branches.len());
    // For each statement with branches, the results of the previous branches: ELSE and OTHER depend only on these.
    let mut before: HashMap<usize, Vec<Option<OperationStatus>>> = HashMap::new();
    for (index, branch) in parsed.branches.iter().enumerate() {
        let owner = &parsed.statements[branch.statement];
        let asked = || condition_status(decisions.condition(index)?, statuses);
        let rest = || statuses.derived_branch(decisions, branch.statement, index)?.status();
        let siblings = before.entry(branch.statement).or_default();
        let outcome = match branch.kind {
            BranchKind::If => asked(),
            BranchKind::Else => {
                let then = siblings.first().copied().flatten();
                // Behind the test for success, what is not the end of the data is a failure.
                let is_behind_success =
                    || owner.branch.is_some_and(|outer| found.get(outer) == Some(&Some(OperationStatus::Failure)));
                then.and_then(|then| match then {
                    OperationStatus::EndOfData if !is_behind_success() => rest(),
                    OperationStatus::Success | OperationStatus::EndOfData => {
                        Some(rest().unwrap_or(OperationStatus::Failure))
                    }
                    // Without one error, there may be another.
                    OperationStatus::Failure => rest().or_else(asked),
                })
            }
            BranchKind::When if owner.verb == Verb::Evaluate && parsed.is_when_other(branch) => {
                let is_known = !siblings.is_empty() && siblings.iter().all(Option::is_some);
                let is_all_failures = siblings.iter().all(|outcome| *outcome == Some(OperationStatus::Failure));
                match (is_known, is_all_failures) {
                    (false, _) => None,
                    (true, true) => rest().or_else(asked),
                    (true, false) => Some(rest().unwrap_or(OperationStatus::Failure)),
                }
            }
            BranchKind::When if owner.verb == Verb::Evaluate => asked(),
            BranchKind::Phrase => phrase(parsed.condition(branch)),
            BranchKind::When | BranchKind::Loop => None,
        };
        siblings.push(outcome);
        found.push(outcome);
    }
    found
}

/// Returns the result in AT END, INVALID KEY and similar phrases; a full page is not a result.
fn phrase(words: WordSlice<'_>) -> Option<OperationStatus> {
    if words.has("END-OF-PAGE") || words.has("EOP") {
        return None;
    }
    let outcome = if words.has("END") { OperationStatus::EndOfData } else { OperationStatus::Failure };
    Some(if words.has("NOT") { OperationStatus::Success } else { outcome })
}

impl StatusItems {
    /// Returns the item that a branch tests, the first if there are several. `first` is the first branch of its statement; an ELSE depends on its condition.
    fn asked<'a>(&'a self, parsed: &'a ParsedCobol, branch: usize, first: usize) -> Option<(&'a str, &'a StatusKind)> {
        self.all_asked(parsed, branch, first).next()
    }

    /// Returns the items that a branch tests, each as often as it names it.
    fn all_asked<'a>(
        &'a self,
        parsed: &'a ParsedCobol,
        branch: usize,
        first: usize,
    ) -> impl Iterator<Item = (&'a str, &'a StatusKind)> {
        let (branch, first) = (&parsed.branches[branch], &parsed.branches[first]);
        let owner = &parsed.statements[branch.statement];
        let all = [parsed.words(owner), parsed.condition(branch), parsed.condition(first)];
        let names = all.into_iter().flat_map(WordSlice::iter).map(|word| word.text.to_uppercase());
        names.filter_map(|name| {
            let item = self.conditions.get(&name).map_or(&name, |(item, _)| item);
            self.kinds.get_key_value(item).map(|(item, kind)| (item.as_str(), kind))
        })
    }
}

/// Returns the name under which the operations of a status item are stored.
fn operation_key<'a>(item: &'a str, kind: &StatusKind) -> &'a str {
    match kind {
        StatusKind::Sql | StatusKind::SqlState | StatusKind::SqlWarning => "SQL",
        StatusKind::File
        | StatusKind::Cics
        | StatusKind::Dli
        | StatusKind::Mq
        | StatusKind::Code
        | StatusKind::Derived(_) => item,
    }
}

#[cfg(test)]
mod tests;
