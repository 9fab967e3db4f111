//! Words the joins of sorts: JOINKEYS and JOIN.

use super::super::statements::{LONGEST, some};
use super::positions::keys;
use crate::phrases::shorten_to;
use war_rig_estate::jcl::SortStatement;

/// A file to join.
pub(super) struct JoinedFile<'a> {
    /// The JOINKEYS that names it.
    pub(super) statement: &'a SortStatement,
    /// Its number, 1 or 2.
    pub(super) number: u8,
    /// Its DD.
    pub(super) dd: String,
}

/// Returns the files that the statements of a DD join, in the order of their numbers.
pub(super) fn joined_files<'a>(all: &'a [SortStatement], dd: &str) -> Vec<JoinedFile<'a>> {
    let file_of =
        |statement: &'a SortStatement| statement.joined_file().map(|(number, dd)| JoinedFile { statement, number, dd });
    let mut files: Vec<_> = all.iter().filter(|statement| statement.dd == dd).filter_map(file_of).collect();
    files.sort_by_key(|file| file.number);
    files
}

/// Returns the keys that JOINKEYS names: `bytes 1-5 and bytes 8-9`.
fn joined_by(statement: &SortStatement) -> String {
    match keys(statement) {
        Some(keys) => some(&keys.into_iter().map(|(key, _)| key).collect::<Vec<_>>()),
        None => shorten_to(&statement.operands, LONGEST),
    }
}

/// Words the join of two files: `matches A with B by bytes 1-5`.
pub(super) fn matching(first: &JoinedFile<'_>, second: &JoinedFile<'_>, data_set: &dyn Fn(&str) -> String) -> String {
    let (keys, keys_of_other) = (joined_by(first.statement), joined_by(second.statement));
    let (one, other) = (data_set(&first.dd), data_set(&second.dd));
    match keys == keys_of_other {
        true => format!("matches {one} with {other} by {keys}"),
        false => format!("matches {one} by {keys} with {other} by {keys_of_other}"),
    }
}

/// Words JOINKEYS and JOIN: which records are matched, and which are kept.
pub(super) fn joining(
    statement: &SortStatement,
    all: &[SortStatement],
    data_set: &dyn Fn(&str) -> String,
) -> Option<String> {
    if let Some((_, dd)) = statement.joined_file() {
        return Some(format!("matches the records of {} by {}", data_set(&dd), joined_by(statement)));
    }
    let operands: Vec<&str> = statement.split_operands().map(|operand| operand.written).collect();
    let ("JOIN", ["UNPAIRED", options @ ..]) = (statement.verb.as_str(), operands.as_slice()) else { return None };
    let files = joined_files(all, &statement.dd);
    let is_named = |number: u8| options.contains(&format!("F{number}").as_str());
    let names_none = !is_named(1) && !is_named(2);
    let named = files.iter().filter(|file| names_none || is_named(file.number));
    let of = some(&named.map(|file| data_set(&file.dd)).collect::<Vec<_>>());
    Some(match options.contains(&"ONLY") {
        true => format!("keeps only the unpaired records of {of}"),
        false => format!("keeps the unpaired records of {of} too"),
    })
}
