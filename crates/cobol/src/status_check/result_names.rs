//! The names under which the results of operations are stored: status items, SQLCODE, RETURN-CODE and the like.

use super::values::StatusKind;
use super::{StatusItems, operation_key};
use crate::decisions::assigned_items;
use crate::model::{ExecKind, ParsedCobol};
use crate::operands::{Operand, OperandPhrase, OperandRole};
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet};

/// Returns the status items of files, by the names of the files and of their records, which WRITE and REWRITE use.
pub(super) fn statuses_of_files(parsed: &ParsedCobol) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    for file in &parsed.files {
        let status = file.status.as_deref().unwrap_or_default();
        found.insert(file.name.as_str(), status);
        found.extend(file.records.iter().map(|record| (record.as_str(), status)));
    }
    found
}

/// Returns the items with statuses that each group contains, by its name: who is handed the group may set them.
pub(super) fn statuses_in_groups<'a>(
    parsed: &'a ParsedCobol,
    statuses: &StatusItems,
) -> HashMap<&'a str, Vec<&'a str>> {
    let items = &parsed.data_items;
    let mut found: HashMap<&str, Vec<&str>> = HashMap::new();
    for item in items.iter().filter(|item| statuses.kinds.contains_key(&item.name)) {
        let groups = std::iter::successors(item.parent, |group| items[*group].parent);
        for group in groups {
            found.entry(items[group].name.as_str()).or_default().push(item.name.as_str());
        }
    }
    found
}

/// The names under which results of operations are stored.
pub(super) struct ResultNames<'a> {
    /// The status items by file and record.
    pub(super) status_of: HashMap<&'a str, &'a str>,
    pub(super) statuses: &'a StatusItems,
    /// The items that statements set from statuses.
    pub(super) copies: HashSet<&'a str>,
    /// The items with statuses in each group, by its name.
    pub(super) in_groups: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> ResultNames<'a> {
    /// Returns the names under which the result of a statement is stored; none if it is not an operation.
    pub(super) fn of(&self, parsed: &ParsedCobol, index: usize) -> Vec<&'a str> {
        let statement = &parsed.statements[index];
        match statement.verb {
            Verb::Open | Verb::Read | Verb::Write | Verb::Rewrite | Verb::Delete | Verb::Start | Verb::Close => {
                let is_file = |operand: &Operand<'_>| {
                    let is_first = operand.phrase() == OperandPhrase::First && !operand.is_inner();
                    operand.role() == OperandRole::File || is_first
                };
                let files = parsed.operands(statement).filter(is_file);
                let status = |file: Operand<'_>| file.file_names().find_map(|name| self.status_of.get(name.as_str()));
                files.filter_map(status).copied().filter(|status| !status.is_empty()).collect()
            }
            Verb::Call => {
                let set = self.statuses.set_by_calls.get(&index).into_iter().flatten().map(String::as_str);
                set.chain(["RETURN-CODE"]).collect()
            }
            Verb::Sort | Verb::Merge => vec!["SORT-RETURN"],
            Verb::Exec => match statement.exec.map(|exec| &parsed.execs[exec]) {
                Some(exec) if exec.kind == ExecKind::Sql => vec!["SQL"],
                Some(exec) if exec.kind == ExecKind::Dli => vec!["DIBSTAT"],
                // Each command sets EIBRESP, and its own item if it has RESP.
                Some(exec) => {
                    let item = exec.option("RESP").map(|item| item.trim().to_uppercase());
                    let item = item.and_then(|item| self.statuses.kinds.get_key_value(&item));
                    item.map(|(item, _)| item.as_str()).into_iter().chain(["EIBRESP"]).collect()
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the names of results that a statement replaces with a value of the program's own, or hands to a program that may do so.
    pub(super) fn replaced_by(&self, parsed: &ParsedCobol, index: usize) -> Vec<&'a str> {
        let statement = &parsed.statements[index];
        let items = match statement.verb {
            Verb::Call if !self.statuses.set_by_calls.contains_key(&index) => {
                let handed = parsed.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::Using);
                handed.map(|operand| operand.name().to_uppercase()).collect()
            }
            _ => assigned_items(parsed, statement),
        };
        let items_of_sql = items.iter().any(|item| item == "SQLCA");
        let in_groups = items.iter().filter_map(|item| self.in_groups.get(item.as_str())).flatten().copied();
        let items = items.iter().map(String::as_str).chain(in_groups);
        let statuses = items.filter_map(|item| self.statuses.kinds.get_key_value(item));
        let own = statuses
            .filter(|(item, kind)| !self.copies.contains(item.as_str()) && !matches!(kind, StatusKind::Derived(_)));
        let own = own.map(|(item, kind)| operation_key(item, kind));
        own.chain(items_of_sql.then_some("SQL")).collect()
    }

    /// Returns the items that a statement sets from statuses.
    pub(super) fn set_by(&self, statement: usize) -> impl Iterator<Item = &'a str> {
        self.statuses.setters.get(&statement).into_iter().flatten().map(String::as_str)
    }
}
