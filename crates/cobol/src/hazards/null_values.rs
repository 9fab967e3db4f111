//! Values that may be NULL and reach items without indicator variables: the statement then fails with SQLCODE -305. Source: Db2 for z/OS,
//! Codes, SQL error code -305. And SELECTs that always give a row, but are tested for none.

use super::first_fetches;
use super::statuses::in_words;
use super::storage_uses::tested_storage;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::CodeWord;
use crate::embedded_sql::{SqlClause, SqlColumn, SqlStatement, is_dummy_table, unqualified};
use crate::model::{ExecBlock, ParsedCobol};
use crate::status_check::OperationStatus;
use foldhash::{HashMap, HashMapExt, HashSet};
use std::cell::LazyCell;
use war_rig_text::LineRange;

/// The number of the error, which some programs expect.
const NULL_WITHOUT_INDICATOR: &str = "305";

/// The functions whose result is NULL over no rows.
const OF_NO_ROWS: [&str; 4] = ["SUM", "MAX", "MIN", "AVG"];

/// Functions that count rows.
const COUNTS: [&str; 2] = ["COUNT", "COUNT_BIG"];

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    let declared = DeclaredColumns::of(parsed);
    let checks = analysis.status_checks();
    let is_error = |word: CodeWord<'_>| word.text.strip_prefix('-').unwrap_or(word.text) == NULL_WITHOUT_INDICATOR;
    let asks = |branch: &usize| parsed.condition(&parsed.branches[*branch]).iter().any(is_error);
    let asking = (0..parsed.branches.len()).filter(asks);
    let expected: HashSet<usize> =
        asking.flat_map(|branch| checks.checked_operations(branch).iter().copied()).collect();
    for (index, statement) in parsed.statements.iter().enumerate() {
        let Some(exec) = statement.exec.map(|exec| &parsed.execs[exec]) else { continue };
        let Some(sql) = exec.sql.as_deref().filter(|_| exec.file.is_none() && !expected.contains(&index)) else {
            continue;
        };
        let mut of_no_rows = Vec::new();
        let mut columns = Vec::new();
        for value in unindicated(sql) {
            if is_null_over_no_rows(value, query(sql)) {
                of_no_rows.push(value.to_owned());
            } else if declared.may_be_null(sql, value) {
                columns.push(value.to_uppercase());
            }
        }
        for (values, of_no_rows) in [(of_no_rows, true), (columns, false)] {
            if !values.is_empty() {
                found.add(HazardKind::NullUnseen { values, of_no_rows }, exec.program, exec.lines);
            }
        }
    }
}

/// Finds the tests for no row behind a SELECT of functions over all rows, and behind the first FETCH of such a cursor.
pub(super) fn find_always_a_row(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, storage, .. } = *context;
    let checks = analysis.status_checks();
    let tests = LazyCell::new(|| tested_storage(context, |_, _| true));
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        let is_no_row = checks.of_branch(index) == Some(OperationStatus::EndOfData);
        let [operation] = checks.checked_operations(index) else { continue };
        let exec = parsed.statements[*operation].exec.map(|exec| &parsed.execs[exec]);
        let Some(exec) = exec.filter(|_| is_no_row && statement.file.is_none()) else { continue };
        let is_first = exec.command.starts_with("SELECT")
            || exec.command.starts_with("FETCH") && first_fetches::is_first(context, *operation);
        let gives_a_row = exec.sql.as_deref().is_some_and(|sql| gives_a_row(query(sql)));
        if gives_a_row && is_first {
            let mut filled = analysis.def_use().of_statement(*operation).iter().filter(|used| used.is_set());
            let tested = filled.any(|used| tests.meets(storage.place(used.item())));
            let kind = HazardKind::AlwaysARow { operation: in_words(exec), tested };
            found.add(kind, statement.program, LineRange::single(branch.lines.start()));
        }
    }
}

/// Whether a SELECT, or that of an INSERT, gives a row in any case: of functions over all rows, or from the table of one row that Db2 has for that.
pub fn always_selects_a_row(exec: &ExecBlock) -> bool {
    let is_from_dummy = |sql: &SqlStatement| {
        let asks = sql.clauses.iter().any(|clause| clause.word == "WHERE");
        !asks && !sql.tables.is_empty() && sql.tables.iter().all(|table| is_dummy_table(&table.name))
    };
    let gives = |sql: &SqlStatement| gives_a_row(query(sql)) || is_from_dummy(sql);
    (exec.command.starts_with("SELECT") || exec.command == "INSERT") && exec.sql.as_deref().is_some_and(gives)
}

/// Whether a query gives a row also where it finds none: all that it selects are functions over all rows.
fn gives_a_row(query: &[SqlClause]) -> bool {
    let selected = query.iter().find(|clause| clause.word == "SELECT");
    let is_of_all = |value: &String| over_all_rows(without_distinct(value)).is_some();
    is_of_all_rows(query)
        && selected.is_some_and(|clause| !clause.items.is_empty() && clause.items.iter().all(is_of_all))
}

/// Whether functions over rows see all those of a query and give one row: nothing makes groups of them, and nothing leaves that row out.
fn is_of_all_rows(query: &[SqlClause]) -> bool {
    let skips = |item: &String| item.split_whitespace().any(|word| word.eq_ignore_ascii_case("OFFSET"));
    !query.iter().any(|clause| matches!(clause.word, "GROUP BY" | "HAVING") || clause.items.iter().any(skips))
}

/// Returns the function over all rows in a selected value, whatever stands around it, and what stands behind its brackets. MAX and MIN of several values,
/// and functions over a window (OVER), are of each row; what an inner query selects is its own.
fn over_all_rows(value: &str) -> Option<(&str, &str)> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '#' | '@' | '$');
    let mut words = value.split(|letter: char| !is_word(letter));
    if words.any(|word| ["OVER", "SELECT"].iter().any(|other| word.eq_ignore_ascii_case(other))) {
        return None;
    }
    let mut is_text = false;
    let brackets = value.char_indices().filter(|(_, letter)| {
        is_text ^= *letter == '\'';
        *letter == '(' && !is_text
    });
    brackets.into_iter().find_map(|(open, _)| {
        let before = value[..open].trim_end();
        let function = before.rsplit(|letter| !is_word(letter)).next().unwrap_or_default();
        let is_it = OF_NO_ROWS.iter().chain(&COUNTS).any(|name| function.eq_ignore_ascii_case(name));
        let behind = if is_it { behind_one_argument(&value[open + 1..]) } else { None };
        Some((function, behind?))
    })
}

/// Returns what stands behind the bracket that ends an argument; none if there are several.
fn behind_one_argument(inside: &str) -> Option<&str> {
    let (mut depth, mut is_text) = (0_usize, false);
    for (at, letter) in inside.char_indices() {
        match letter {
            '\'' => is_text = !is_text,
            _ if is_text => {}
            '(' => depth += 1,
            ')' if depth == 0 => return Some(inside[at + 1..].trim_start()),
            ')' => depth -= 1,
            ',' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn without_distinct(value: &str) -> &str {
    value.strip_prefix("DISTINCT ").unwrap_or(value)
}

/// Returns the clauses of what a statement selects: its own, or those of its cursor.
fn query(sql: &SqlStatement) -> &[SqlClause] {
    let selects = |clauses: &&[SqlClause]| clauses.iter().filter(|clause| clause.word == "SELECT").count() == 1;
    [sql.clauses.as_slice(), &sql.cursor_query].into_iter().find(selects).unwrap_or_default()
}

/// Returns the selected values that go into a host variable each, one without an indicator.
fn unindicated(sql: &SqlStatement) -> Vec<&str> {
    let of = |clauses: &'static str, within: &'_ [SqlClause]| within.iter().position(|clause| clause.word == clauses);
    let (Some(select), Some(into)) = (of("SELECT", query(sql)), of("INTO", &sql.clauses)) else { return Vec::new() };
    let (values, hosts) = (&query(sql)[select].items, &sql.clauses[into].items);
    // A structure takes several values.
    if values.len() != hosts.len() {
        return Vec::new();
    }
    let pairs = values.iter().zip(hosts);
    let has_one = |host: &str| host.matches(':').count() > 1;
    pairs.filter(|(_, host)| !has_one(host)).map(|(value, _)| without_distinct(value)).collect()
}

fn is_null_over_no_rows(value: &str, query: &[SqlClause]) -> bool {
    // What stands around or behind the function may replace NULL, and a count is 0.
    let is_bare = |(function, behind): (&str, &str)| {
        behind.is_empty()
            && value.starts_with(function)
            && OF_NO_ROWS.iter().any(|name| function.eq_ignore_ascii_case(name))
    };
    is_of_all_rows(query) && over_all_rows(value).is_some_and(is_bare)
}

/// The columns that DECLARE TABLE describes, by table.
struct DeclaredColumns<'a>(HashMap<&'a str, Option<&'a [SqlColumn]>>);

impl<'a> DeclaredColumns<'a> {
    fn of(parsed: &'a ParsedCobol) -> Self {
        let mut tables = HashMap::new();
        for sql in parsed.execs.iter().filter_map(|exec| exec.sql.as_deref()).filter(|sql| !sql.defines.is_empty()) {
            let [table] = sql.tables.as_slice() else { continue };
            // A table that is declared twice is known by neither.
            let known = tables.entry(unqualified(&table.name)).or_insert(Some(sql.defines.as_slice()));
            *known = known.filter(|columns| *columns == sql.defines.as_slice());
        }
        Self(tables)
    }

    /// Returns whether a column may be NULL. What a condition compares is not.
    fn may_be_null(&self, sql: &SqlStatement, value: &str) -> bool {
        let name = unqualified(value);
        let compares = |clause: &SqlClause| {
            let text = clause.text();
            let mut words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '#' | '@' | '$')));
            matches!(clause.word, "WHERE" | "FROM") && words.any(|word| word.eq_ignore_ascii_case(name))
        };
        if query(sql).iter().any(compares) {
            return false;
        }
        let mut nullable = None;
        for table in &sql.tables {
            let Some(Some(columns)) = self.0.get(unqualified(&table.name)) else { return false };
            for column in columns.iter().filter(|column| column.name.eq_ignore_ascii_case(name)) {
                if nullable.replace(!column.not_null).is_some() {
                    return false;
                }
            }
        }
        nullable.unwrap_or_default()
    }
}
