//! What a condition says about the operation before it: success or failure.
//!
//! A file status, SQLCODE, a RESP item and their condition names are statuses by themselves. So is an item that a program
//! sets from one of them, as in `IF F-STATUS = '00' MOVE 0 TO RESULT ELSE MOVE 12 TO RESULT`: its assignments
//! make it a status, never its name.

mod condition;
mod operations;
mod values;

use crate::code::{CodeText, WordSlice};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{Decisions, assigned_items, move_operands};
use crate::model::{BranchKind, ExecKind, ParsedCobol, Statement};
use crate::operands::OperandPhrase;
use crate::verb::Verb;
use condition::condition_status;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use values::StatusKind;

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
            OperationStatus::Success | OperationStatus::EndOfData => Some(OperationStatus::Failure),
            // The absence of one error leaves the result open.
            OperationStatus::Failure => None,
        }
    }
}

/// The statement about an operation that each branch of a source makes.
#[derive(Debug, Clone, Default)]
pub struct StatusChecks {
    branches: Vec<Option<OperationStatus>>,
    operations: Vec<Vec<usize>>,
    items: HashSet<String>,
}

impl StatusChecks {
    /// Classifies every branch of a source.
    pub(crate) fn of(parsed: &ParsedCobol, flow: &ControlFlowGraph, decisions: Decisions<'_>) -> Self {
        let mut statuses = StatusItems::of(parsed);
        let first = classify(parsed, decisions, &statuses);
        statuses.add_derived(parsed, &first);
        let branches = classify(parsed, decisions, &statuses);
        let operations = operations::operations_by_branch(parsed, flow, &branches, &statuses);
        Self { branches, operations, items: statuses.kinds.into_keys().collect() }
    }

    /// Returns the operation's result when the branch at this index is taken; none if the branch tests something else.
    pub fn of_branch(&self, branch: usize) -> Option<OperationStatus> {
        self.branches[branch]
    }

    /// Returns the statement whose result a branch tests, the last if there are several; none if it is neither earlier in the same
    /// paragraph nor in one that the paragraph performs.
    pub fn checked_operation(&self, branch: usize) -> Option<usize> {
        self.operations[branch].last().copied()
    }

    /// Returns all statements whose result a branch may test: after an IF, those of both sides.
    pub fn checked_operations(&self, branch: usize) -> &[usize] {
        &self.operations[branch]
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
}

impl StatusItems {
    fn of(parsed: &ParsedCobol) -> Self {
        let mut kinds: HashMap<String, StatusKind> = HashMap::new();
        let fixed = [
            ("SQLCODE", StatusKind::Sql),
            ("SQLSTATE", StatusKind::SqlState),
            ("EIBRESP", StatusKind::Cics),
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
        Self { kinds, conditions }
    }

    /// Adds the items that are only set to constants, with a known status for at least one of these assignments.
    fn add_derived(&mut self, parsed: &ParsedCobol, branches: &[Option<OperationStatus>]) {
        let mut values: HashMap<String, Vec<(String, OperationStatus)>> = HashMap::new();
        let mut computed: HashSet<String> = HashSet::new();
        let mut unknown: HashMap<String, HashSet<Option<usize>>> = HashMap::new();
        let mut known: HashMap<String, HashSet<Option<usize>>> = HashMap::new();
        for statement in &parsed.statements {
            for (item, value) in self.assignments(parsed, statement) {
                let Some(value) = value else {
                    computed.insert(item);
                    continue;
                };
                match statement.branch.and_then(|branch| branches[branch]) {
                    Some(outcome) => {
                        known.entry(item.clone()).or_default().insert(statement.paragraph);
                        values.entry(item).or_default().push((value, outcome));
                    }
                    None => {
                        unknown.entry(item).or_default().insert(statement.paragraph);
                    }
                }
            }
        }
        for (item, found) in values {
            // An item that is also set where no operation result is known has its own meaning.
            let elsewhere =
                unknown.get(&item).is_some_and(|places| places.iter().any(|place| !known[&item].contains(place)));
            let tells = found.iter().any(|(_, outcome)| *outcome == OperationStatus::Success)
                && found.iter().any(|(_, outcome)| *outcome != OperationStatus::Success);
            if tells && !elsewhere && !computed.contains(&item) && !self.kinds.contains_key(&item) {
                self.kinds.insert(item, StatusKind::Derived(found));
            }
        }
    }

    /// Returns the items that a statement sets, each with its constant; none if the value is not a constant.
    fn assignments(&self, parsed: &ParsedCobol, statement: &Statement) -> Vec<(String, Option<String>)> {
        match statement.verb {
            Verb::Move => {
                let from = move_operands(parsed, statement).map(|moved| moved.from);
                let value = from.and_then(|from| values::constant(from.words()));
                let value = value.map(str::to_owned);
                assigned_items(parsed, statement).into_iter().map(|target| (target, value.clone())).collect()
            }
            Verb::Set => {
                let mut given = parsed.operands(statement).filter(|operand| operand.phrase() == OperandPhrase::To);
                let to_true = given.all(|value| value.text().eq_ignore_ascii_case("TRUE"));
                let set = assigned_items(parsed, statement).into_iter().filter(|_| to_true);
                set.filter_map(|name| self.conditions.get(&name))
                    .map(|(item, values)| (item.clone(), values.first().cloned()))
                    .collect()
            }
            _ => Vec::new(),
        }
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
        let siblings = before.entry(branch.statement).or_default();
        let outcome = match branch.kind {
            BranchKind::If => asked(),
            BranchKind::Else => {
                siblings.first().copied().flatten().map(|then| then.negated().unwrap_or(OperationStatus::Success))
            }
            BranchKind::When if owner.verb == Verb::Evaluate && parsed.is_when_other(branch) => other(siblings),
            BranchKind::When if owner.verb == Verb::Evaluate => asked(),
            BranchKind::Phrase => phrase(parsed.condition(branch)),
            BranchKind::When | BranchKind::Loop => None,
        };
        siblings.push(outcome);
        found.push(outcome);
    }
    found
}

/// Returns the result in WHEN OTHER, given the results of the WHENs before it.
fn other(siblings: &[Option<OperationStatus>]) -> Option<OperationStatus> {
    let all = !siblings.is_empty() && siblings.iter().all(Option::is_some);
    all.then(|| match siblings.iter().all(|outcome| *outcome == Some(OperationStatus::Failure)) {
        true => OperationStatus::Success,
        false => OperationStatus::Failure,
    })
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
    /// Returns the name under which the operation of a branch is stored: the file status item, `SQL`, `CICS`, or the last of all.
    /// `first` is the first branch of its statement; an ELSE depends on its condition.
    fn asked<'a>(&'a self, parsed: &'a ParsedCobol, branch: usize, first: usize) -> Option<&'a str> {
        let (branch, first) = (&parsed.branches[branch], &parsed.branches[first]);
        let owner = &parsed.statements[branch.statement];
        let all = [parsed.words(owner), parsed.condition(branch), parsed.condition(first)];
        let names = all.into_iter().flat_map(WordSlice::iter).map(|word| word.text.to_uppercase());
        for name in names {
            let item = self.conditions.get(&name).map_or(&name, |(item, _)| item);
            if let Some((item, kind)) = self.kinds.get_key_value(item) {
                return Some(match kind {
                    StatusKind::File => item,
                    StatusKind::Sql | StatusKind::SqlState => "SQL",
                    StatusKind::Cics => "CICS",
                    StatusKind::Code => item,
                    StatusKind::Derived(_) => "",
                });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. T.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO F FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-REC PIC X.
       WORKING-STORAGE SECTION.
       01 FS PIC XX.
          88 F-OK VALUE '00' '97'.
          88 F-END VALUE '10'.
       01 RESULT PIC S9(9) COMP.
          88 ALL-WELL VALUE 0.
          88 AT-THE-END VALUE 16.
       01 FLAG PIC X.
       01 RESP-CODE PIC S9(8) COMP.
       PROCEDURE DIVISION.
       MAIN.
           EXEC CICS ASKTIME RESP(RESP-CODE) END-EXEC
";

    /// Returns the result of every branch of a procedure, and the verb of the operation that it tests.
    fn outcomes(procedure: &str) -> Vec<(Option<OperationStatus>, Option<String>)> {
        let code = procedure.lines().fold(HEAD.to_owned(), |code, line| format!("{code}           {line}\n"));
        let source = SourceText::read("T.cbl", code.into_bytes(), &ReadOptions::default()).unwrap();
        let parsed = parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks);
        let analysis = Analysis::of(parsed);
        let (parsed, outcomes) = (analysis.parsed(), analysis.status_checks());
        (0..parsed.branches.len())
            .map(|at| {
                let operation = outcomes.checked_operation(at).map(|at| parsed.statements[at].verb.to_string());
                (outcomes.of_branch(at), operation)
            })
            .collect()
    }

    fn check(condition: &str, expected: Option<OperationStatus>) {
        let found = outcomes(&format!("IF {condition} DISPLAY 'A'."));
        assert_eq!(found[0].0, expected, "{condition}");
    }

    #[test]
    fn conditions_on_statuses_say_how_it_went() {
        use OperationStatus::{EndOfData, Failure, Success};
        for (condition, expected) in [
            ("FS = '00'", Some(Success)),
            ("FS NOT = '00'", Some(Failure)),
            ("FS IS EQUAL TO '00' OR '97'", Some(Success)),
            ("FS NOT = '00' AND '10'", Some(Failure)),
            ("FS NOT = '00' AND FS NOT = '10'", Some(Failure)),
            ("FS = '10'", Some(EndOfData)),
            ("FS = '23'", Some(Failure)),
            ("F-OK", Some(Success)),
            ("NOT F-OK", Some(Failure)),
            ("F-OK OR F-END", Some(Success)),
            ("FS = '00' OR '23'", Some(Success)),
            ("FS NOT = '00' AND FS NOT = '23'", Some(Failure)),
            ("SQLCODE = ZERO", Some(Success)),
            ("SQLCODE = +100", Some(EndOfData)),
            ("SQLCODE < 0", Some(Failure)),
            ("SQLCODE >= 0", Some(Success)),
            ("SQLCODE <> 0", Some(Failure)),
            ("RETURN-CODE > 4", Some(Failure)),
            ("RESP-CODE = DFHRESP(NORMAL)", Some(Success)),
            ("RESP-CODE NOT = DFHRESP(NORMAL)", Some(Failure)),
            ("RESP-CODE = DFHRESP(NOTFND)", Some(Failure)),
            ("EIBRESP = DFHRESP(ENDFILE)", Some(EndOfData)),
            ("FLAG = 'Y'", None),
            ("FS = '00' AND FLAG = 'Y'", None),
            ("FS NOT = '00' AND FLAG = 'Y'", Some(Failure)),
            ("FS = FLAG", None),
            ("FS NOT = '23'", None),
        ] {
            check(condition, expected);
        }
    }

    #[test]
    fn else_other_and_phrases_say_the_rest() {
        use OperationStatus::{EndOfData, Failure, Success};
        let of = |procedure: &str| outcomes(procedure).into_iter().map(|(outcome, _)| outcome).collect::<Vec<_>>();
        assert_eq!(of("IF FS = '00' DISPLAY 'A' ELSE DISPLAY 'B'."), [Some(Success), Some(Failure)]);
        let evaluated = of(
            "EVALUATE RESP-CODE\nWHEN DFHRESP(NORMAL) DISPLAY 'A'\nWHEN 13 DISPLAY 'B'\nWHEN OTHER DISPLAY 'C'\nEND-EVALUATE.",
        );
        assert_eq!(evaluated, [Some(Success), Some(Failure), Some(Failure)]);
        assert_eq!(
            of("EVALUATE TRUE\nWHEN F-END DISPLAY 'A'\nWHEN FLAG = 'X' DISPLAY 'B'\nWHEN OTHER DISPLAY 'C'."),
            [Some(EndOfData), None, None]
        );
        assert_eq!(of("READ F AT END DISPLAY 'A' NOT AT END DISPLAY 'B'."), [Some(EndOfData), Some(Success)]);
    }

    #[test]
    fn an_item_that_is_set_from_a_status_is_one_and_others_are_not() {
        use OperationStatus::{EndOfData, Failure, Success};
        let read = "MOVE 8 TO RESULT\nREAD F\nIF FS = '00' MOVE 0 TO RESULT\nELSE IF FS = '10' MOVE 16 TO RESULT ELSE MOVE 12 TO RESULT.\n";
        let found = outcomes(&format!("{read}IF ALL-WELL CONTINUE ELSE DISPLAY 'B'."));
        let tested = &found[found.len() - 2..];
        let read_statement = Some("READ".to_owned());
        assert_eq!(tested, [(Some(Success), read_statement.clone()), (Some(Failure), read_statement)]);
        assert_eq!(outcomes(&format!("{read}IF AT-THE-END DISPLAY 'E'.")).last().unwrap().0, Some(EndOfData));
        // An item that a business rule also sets is not a status.
        let ruled = format!("{read}OTHER-PARAGRAPH.\nIF FLAG = 'Y' MOVE 0 TO RESULT.\nIF ALL-WELL DISPLAY 'A'.");
        assert_eq!(outcomes(&ruled).last().unwrap().0, None);
    }

    #[test]
    fn the_operation_may_stand_in_what_is_performed() {
        let found =
            outcomes("OPEN INPUT F.\nPERFORM READ-IT.\nIF FS NOT = '00' DISPLAY 'A'.\nGOBACK.\nREAD-IT.\nREAD F.");
        assert_eq!(found[0].1.as_deref(), Some("READ"));
    }

    #[test]
    fn the_operation_is_the_last_one_that_sets_the_status() {
        let found = outcomes(
            "OPEN INPUT F.\nEXEC SQL COMMIT END-EXEC.\nIF FS NOT = '00' DISPLAY 'A'.\nIF SQLCODE < 0 DISPLAY 'B'.",
        );
        let operations: Vec<_> = found.into_iter().map(|(_, operation)| operation.unwrap()).collect();
        assert_eq!(operations, ["OPEN", "EXEC"]);
    }
}
