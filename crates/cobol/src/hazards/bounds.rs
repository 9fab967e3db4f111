//! How much statements that set no constant put into an item at most.

use super::HazardContext;
use super::extents::{Extent, is_whole};
use super::moves::modified_length;
use crate::decisions::{move_operands, string_operands};
use crate::model::{ExecBlock, Statement};
use crate::operands::{Operand, OperandPhrase};
use crate::unique_items::UniqueItems;
use crate::verb::Verb;

/// The formats of a date without separators. Source: CICS Transaction Server, FORMATTIME.
const DATES: [(&str, u64); 12] = [
    ("DDMMYY", 6),
    ("DDMMYYYY", 8),
    ("MMDDYY", 6),
    ("MMDDYYYY", 8),
    ("YYDDD", 5),
    ("YYDDMM", 6),
    ("YYMMDD", 6),
    ("YYYYDDD", 7),
    ("YYYYDDMM", 8),
    ("YYYYMMDD", 8),
    ("DATE", 8),
    ("FULLDATE", 10),
];

/// The most digits of a response of CICS, and of the second one.
const RESPONSES: [(&str, u64); 2] = [("RESP", 3), ("RESP2", 5)];

/// Returns the most characters, or digits before the point, that a statement puts into an item; none if that is unknown.
pub(super) fn most_put_into(context: &HazardContext<'_>, statement: &Statement, item: usize) -> Option<u64> {
    let HazardContext { parsed, items, .. } = *context;
    let name = parsed.data_items[item].name.as_str();
    match statement.verb {
        Verb::Move => {
            let moved = move_operands(parsed, statement).filter(|moved| !moved.corresponds)?;
            moved.to.iter().find(|to| is_whole(**to) && to.name().eq_ignore_ascii_case(name))?;
            let from = Extent::of_operand(moved.from, items, statement)?;
            let own = Extent::of_item(&parsed.data_items[item])?;
            (from.is_numeric == own.is_numeric).then_some(from.size)
        }
        Verb::String => {
            let (parts, into) = string_operands(parsed, statement)?;
            let points = parsed.operands(statement).any(|operand| operand.phrase() == OperandPhrase::Pointer);
            let is_it = !points && is_whole(into) && into.name().eq_ignore_ascii_case(name);
            let lengths = parts.iter().map(|part| most_of_part(part, items, statement));
            lengths.sum::<Option<u64>>().filter(|_| is_it)
        }
        Verb::Exec => most_of_command(&parsed.execs[statement.exec?], name),
        _ => None,
    }
}

fn most_of_part(part: &Operand<'_>, items: &UniqueItems<'_>, statement: &Statement) -> Option<u64> {
    match Extent::of_operand(*part, items, statement) {
        Some(extent) => Some(extent.size),
        None if part.is_constant() => Some(1),
        None if is_whole(*part) => items.parsed.data_items[items.find(part.name(), statement.program)?].length,
        None => modified_length(*part),
    }
}

fn most_of_command(exec: &ExecBlock, item: &str) -> Option<u64> {
    let gives = |option: &str| exec.option(option).is_some_and(|given| given.eq_ignore_ascii_case(item));
    if let Some((_, digits)) = RESPONSES.iter().find(|(option, _)| gives(option)) {
        return Some(*digits);
    }
    if exec.command != "FORMATTIME" {
        return None;
    }
    if gives("TIME") {
        return Some(if exec.has_option("TIMESEP") { 8 } else { 6 });
    }
    let (format, length) = DATES.iter().find(|(option, _)| gives(option))?;
    let separators = if format.ends_with("DDD") { 1 } else { 2 };
    Some(if exec.has_option("DATESEP") { length + separators } else { *length })
}
