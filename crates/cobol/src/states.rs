//! The states of stored records: items of files, tables, queues and segments that a program sets to constants, and the values that it sets and
//! tests.
//!
//! A record with an edited item is a line of a list. An item has states if the program sets it to a constant, tests it for one, and knows at least two
//! values in all. Blanks and zeros are values only where the
//! program tests them.

use crate::analysis::Analysis;
use crate::code::{CodeText, FIGURATIVE_CONSTANTS};
use crate::decisions::{Condition, Decisions};
use crate::embedded_sql::HostVariableDirection;
use crate::model::{BranchKind, ExecKind, ParsedCobol};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::collections::BTreeMap;
use war_rig_text::LineRange;

/// A value of an item of a stored record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemState {
    /// The item.
    pub item: String,
    /// The value as written.
    pub value: String,
    /// Its condition name.
    pub condition_name: Option<String>,
    /// The statements that set it, in order.
    pub set: Vec<LineRange>,
    /// The conditions that test it, in order.
    pub tested: Vec<LineRange>,
    /// The index of the program; none in a fragment.
    pub program: Option<usize>,
}

/// An item by program and name.
type ItemKey = (Option<usize>, String);

/// The longest value of a state, in bytes, with its quotes: longer ones are texts.
const LONGEST: usize = 10;

/// Returns the states of stored records, in the order of programs, items and values.
pub(crate) fn item_states(analysis: &Analysis) -> Vec<ItemState> {
    let (parsed, decisions) = (analysis.parsed(), analysis.decisions());
    let names = condition_names(parsed);
    let mut found = FoundStates { analysis, stored: stored_items(analysis), states: BTreeMap::new(), names };
    for statement in parsed.statements.iter().filter(|statement| statement.file.is_none()) {
        for constant in decisions.assigned_constants(statement) {
            let key = (statement.program, constant.item);
            if let Some(state) = found.state(key, &constant.value, constant.condition_name) {
                state.set.push(statement.own_lines());
            }
        }
    }
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        let Some(condition) = decisions.condition(index).filter(|_| statement.file.is_none()) else { continue };
        // An ELSE denies what its IF tests, which is no further test.
        if branch.kind == BranchKind::Else {
            continue;
        }
        let lines = LineRange::single(branch.lines.start());
        for (item, value, name) in tested_values(condition, decisions, statement.program) {
            if let Some(state) = found.state((statement.program, item), &value, name.as_deref())
                && state.tested.last() != Some(&lines)
            {
                state.tested.push(lines);
            }
        }
    }
    found.into_states()
}

struct FoundStates<'a> {
    analysis: &'a Analysis,
    stored: HashSet<ItemKey>,
    states: BTreeMap<(ItemKey, String), ItemState>,
    /// The condition names by program, item and value.
    names: HashMap<(Option<usize>, String, String), String>,
}

/// Returns the condition names of single values, by program, item and value.
fn condition_names(parsed: &ParsedCobol) -> HashMap<(Option<usize>, String, String), String> {
    let mut names = HashMap::new();
    for name in parsed.data_items.iter().filter(|item| item.level == 88) {
        if let (Some(parent), Some(value)) = (name.parent, name.value.as_deref()) {
            let key = (name.program, parsed.data_items[parent].name.clone(), in_apostrophes(value).to_uppercase());
            names.entry(key).or_insert_with(|| name.name.clone());
        }
    }
    names
}

/// Returns a literal in the quotes that most programs use; both kinds write the same value.
fn in_apostrophes(value: &str) -> String {
    match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
        Some(inner) if !inner.contains(['\'', '"']) => format!("'{inner}'"),
        _ => value.to_owned(),
    }
}

impl FoundStates<'_> {
    /// Returns the state of an item's value; none if the item is not stored, or only says how an operation ended.
    fn state(&mut self, key: ItemKey, value: &str, name: Option<&str>) -> Option<&mut ItemState> {
        let is_status = || self.analysis.status_checks().is_status_item(&key.1);
        if value.len() > LONGEST || !self.stored.contains(&key) || is_status() {
            return None;
        }
        // Letters count in literals alone.
        let is_literal = value.starts_with(['\'', '"']);
        let text = if is_literal { in_apostrophes(value) } else { value.to_uppercase() };
        let state = self.states.entry((key, text)).or_insert_with_key(|((program, item), _)| ItemState {
            item: item.clone(),
            value: value.to_owned(),
            condition_name: None,
            set: Vec::new(),
            tested: Vec::new(),
            program: *program,
        });
        let written = || in_apostrophes(value).to_uppercase();
        let named = || self.names.get(&(state.program, state.item.clone(), written())).cloned();
        state.condition_name = state.condition_name.take().or_else(|| name.map(str::to_owned)).or_else(named);
        Some(state)
    }

    /// Returns the values of the items that have at least two and are set to one.
    fn into_states(self) -> Vec<ItemState> {
        // Blanks and zeros are often only the start of something else.
        let is_figurative = |value: &str| FIGURATIVE_CONSTANTS.iter().any(|word| value.eq_ignore_ascii_case(word));
        let is_used =
            |state: &ItemState| !state.tested.is_empty() || (!state.set.is_empty() && !is_figurative(&state.value));
        let mut items: HashMap<ItemKey, (usize, bool, bool)> = HashMap::new();
        for ((key, _), state) in &self.states {
            let (values, is_set, is_tested) = items.entry(key.clone()).or_default();
            *values += usize::from(is_used(state));
            *is_set |= !state.set.is_empty();
            *is_tested |= !state.tested.is_empty();
        }
        let has_states = |key: &ItemKey| {
            items.get(key).is_some_and(|(values, is_set, is_tested)| *values > 1 && *is_set && *is_tested)
        };
        let states = self.states.into_iter().filter(|((key, _), state)| is_used(state) && has_states(key));
        states.map(|(_, state)| state).collect()
    }
}

/// Returns the values that a condition compares items with, for equality or not, with their condition names.
pub(crate) fn tested_values(
    condition: &Condition,
    decisions: Decisions<'_>,
    program: Option<usize>,
) -> Vec<(String, String, Option<String>)> {
    let mut found = Vec::new();
    for leaf in condition.leaves() {
        match leaf {
            Condition::Comparison { left, relation, right } if !relation.is_order() => {
                // The constant may stand on either side.
                let is_constant = |side: &CodeText| side.words().only().is_some_and(|word| word.is_constant());
                let (item, value) = if is_constant(left) { (right, left) } else { (left, right) };
                let is_part = item.words().iter().any(|word| word.is_sign(":"));
                if let (Some(item), Some(value)) = (item.words().first(), value.words().first())
                    && is_constant(if is_constant(left) { left } else { right })
                    && !is_part
                {
                    found.push((item.text.to_uppercase(), value.text.to_owned(), None));
                }
            }
            Condition::ConditionName { name, .. } => {
                let name = decisions.named_item(name.words(), program);
                let item = name.filter(|name| name.level == 88).and_then(|name| decisions.condition_item(name));
                if let (Some(name), Some(item)) = (name, item) {
                    let values = CodeText::read(name.value.as_deref().unwrap_or_default());
                    let is_range = values.words().iter().any(|word| word.is_any(&["THRU", "THROUGH"]));
                    let values = values.words().iter().filter(|word| word.is_constant() && !is_range);
                    found.extend(
                        values.map(|value| (item.name.clone(), value.text.to_owned(), Some(name.name.clone()))),
                    );
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the items of the records that the source stores: records of files, what READ and WRITE name, what CICS commands carry from and to
/// files and queues, the areas of segments, and host variables.
fn stored_items(analysis: &Analysis) -> HashSet<ItemKey> {
    let parsed = analysis.parsed();
    let upper = |program: Option<usize>, name: &str| (program, name.trim().to_uppercase());
    let mut records: HashSet<ItemKey> = HashSet::new();
    for file in parsed.files.iter().filter(|file| !file.sort) {
        records.extend(file.records.iter().map(|record| upper(file.program, record)));
    }
    for used in &parsed.file_uses {
        records.extend([&used.into, &used.from].into_iter().flatten().map(|record| upper(used.program, record)));
    }
    for exec in &parsed.execs {
        let is_screen = ["SEND", "RECEIVE"].iter().any(|verb| exec.command.starts_with(verb));
        if exec.kind == ExecKind::Cics && !is_screen {
            let areas = [exec.option("INTO"), exec.option("FROM"), exec.option("SET")];
            records.extend(areas.into_iter().flatten().map(|area| upper(exec.program, area)));
        }
        // What a query only compares is not stored.
        let is_change = ["INSERT", "UPDATE", "MERGE"].iter().any(|verb| exec.command.starts_with(verb));
        let variables = exec.sql.iter().flat_map(|sql| &sql.host_variables);
        let variables = variables.filter(|variable| is_change || variable.direction != HostVariableDirection::In);
        records.extend(variables.map(|variable| upper(exec.program, variable.item_name())));
    }
    for operation in analysis.dli_operations() {
        let areas = operation.segments.iter().filter_map(|segment| segment.area.as_ref()).chain(&operation.area);
        records.extend(areas.map(|area| upper(operation.program, area)));
    }
    let is_printed = parsed.mark_groups(|item| item.picture.as_deref().is_some_and(is_edited));
    let mut is_stored: Vec<bool> = Vec::with_capacity(parsed.data_items.len());
    let mut items = HashSet::new();
    for (index, item) in parsed.data_items.iter().enumerate() {
        let key = (item.program, item.name.clone());
        let is_record = || records.contains(&key) && !is_printed[index];
        let stored = item.parent.is_some_and(|parent| is_stored[parent]) || is_record();
        is_stored.push(stored);
        if stored && item.level != 88 && item.picture.is_some() {
            items.insert(key);
        }
    }
    items
}

/// Returns whether a picture is edited for people: such items are on lists and screens.
fn is_edited(picture: &str) -> bool {
    picture.contains(['Z', 'z', '*', '/', ',', '$']) || picture.trim_end_matches('.').contains('.')
}

#[cfg(test)]
mod tests {
    use crate::{Analysis, LexedSource, NoCopybooks, parse};
    use std::sync::Arc;
    use war_rig_text::{ReadOptions, SourceText};

    const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. P.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO F FILE STATUS IS FS.
       DATA DIVISION.
       FILE SECTION.
       FD F.
       01 F-REC.
          05 F-STATE PIC X.
             88 F-NEW VALUE 'N'.
             88 F-PAID VALUE 'P' 'Q'.
          05 F-TEXT PIC X(40).
       WORKING-STORAGE SECTION.
       01 FS PIC XX.
       01 SWITCH PIC X.
       PROCEDURE DIVISION.
";

    /// Checks the states, each as `ITEM VALUE NAME set lines tested lines`, with lines counted from the first of the procedure.
    #[track_caller]
    fn check(statements: &str, expected: &[&str]) {
        let text = statements.lines().fold(HEAD.to_owned(), |text, line| format!("{text}           {line}\n"));
        let source = SourceText::read("P.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
        let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
        let lines = |all: &[war_rig_text::LineRange]| {
            all.iter().map(|lines| (lines.start().get() - 18).to_string()).collect::<Vec<_>>().join(",")
        };
        let told = analysis.item_states().iter().map(|state| {
            let name = state.condition_name.as_deref().unwrap_or("-");
            format!("{} {} {name} set {} tested {}", state.item, state.value, lines(&state.set), lines(&state.tested))
        });
        assert_eq!(told.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_that_are_set_and_tested_are_states() {
        check(
            "IF F-NEW\nSET F-PAID TO TRUE.\nIF F-STATE = 'X' OR F-PAID\nMOVE 'N' TO F-STATE.",
            &[
                "F-STATE 'N' F-NEW set 4 tested 1",
                "F-STATE 'P' F-PAID set 2 tested 3",
                "F-STATE 'Q' F-PAID set  tested 3",
                "F-STATE 'X' - set  tested 3",
            ],
        );
    }

    #[test]
    fn both_kinds_of_quotes_write_one_value() {
        check(
            "MOVE \"N\" TO F-STATE.\nMOVE 'X' TO F-STATE.\nIF F-STATE = \"X\" OR F-NEW DISPLAY 'A'.",
            &["F-STATE \"N\" F-NEW set 1 tested 3", "F-STATE 'X' - set 2 tested 3"],
        );
    }

    #[test]
    fn switches_texts_statuses_and_what_is_only_tested_have_no_states() {
        check("MOVE 'A' TO SWITCH.\nMOVE 'B' TO SWITCH.\nIF SWITCH = 'A' DISPLAY 'A'.", &[]);
        check("IF F-NEW DISPLAY 'A'.\nIF F-PAID DISPLAY 'B'.", &[]);
        check(
            "MOVE 'A long text' TO F-TEXT.\nMOVE 'Another text' TO F-TEXT.\nIF F-TEXT = 'A long text' DISPLAY 'A'.\n\
             MOVE SPACES TO F-STATE.",
            &[],
        );
        // Blanks are a state where they are tested, on either side.
        check(
            "IF SPACES = F-STATE\nMOVE 'a' TO F-STATE\nELSE\nMOVE SPACES TO F-STATE.",
            &["F-STATE 'a' - set 2 tested ", "F-STATE SPACES - set 4 tested 1"],
        );
        check("MOVE '00' TO FS.\nIF FS = '10' DISPLAY 'A'.", &[]);
    }
}
