//! Dates that the code states itself.

use super::extents::Extent;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeWord, WordKind, WordSlice};
use crate::decisions::{Condition, move_operands};
use crate::model::{BranchKind, ParsedCobol, Statement};
use crate::verb::Verb;
use war_rig_text::LineRange;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, .. } = *context;
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, statement)| statement.file.is_none()) {
        // What is displayed or put together is a text for a reader, and conditions follow below.
        let is_text = matches!(statement.verb, Verb::Display | Verb::String | Verb::Exec);
        let has_conditions = !analysis.decisions().branches_of(index).is_empty();
        if is_text || (has_conditions && matches!(statement.verb, Verb::If | Verb::Perform)) {
            continue;
        }
        // Eight digits are a date only where they are moved to an item that holds as many, or compared with one.
        let words = parsed.words(statement);
        let may_be_digits =
            matches!(statement.verb, Verb::Move | Verb::Perform) && has_room_for_dates(context, words, statement);
        for word in words.iter().filter(|word| is_date(*word, may_be_digits)) {
            let kind = HazardKind::HardCodedDate { date: word.text.to_owned() };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        if statement.file.is_some() {
            continue;
        }
        let line = LineRange::single(branch.lines.start());
        let words = parsed.condition(branch);
        let may_be_digits = has_room_for_dates(context, words, statement);
        for word in words.iter() {
            let constant = analysis.decisions().constant(word.text, statement.program).filter(|_| word.is_name());
            if is_date(word, may_be_digits) {
                found.add(HazardKind::HardCodedDate { date: word.text.to_owned() }, statement.program, line);
            } else if let Some(value) =
                constant.filter(|value| is_date_text(value.trim_matches(['\'', '"']), may_be_digits))
            {
                let date = format!("{} ({value})", word.text.to_uppercase());
                found.add(HazardKind::HardCodedDate { date }, statement.program, line);
            }
        }
        if let Some(condition) = century_window(context, index) {
            found.add(HazardKind::CenturyWindow { condition }, statement.program, line);
        }
    }
}

/// The digits of a date with its century.
const DATE_DIGITS: u64 = 8;

/// Returns whether an item among the words has as many characters or digits as a date.
fn has_room_for_dates(context: &HazardContext<'_>, words: WordSlice<'_>, statement: &Statement) -> bool {
    let item = |word: CodeWord<'_>| context.items.find(word.text, statement.program).filter(|_| word.is_name());
    let extent = |item: usize| Extent::of_item(&context.parsed.data_items[item]);
    let mut extents = words.iter().filter_map(item).filter_map(extent);
    extents.any(|extent| extent.size == DATE_DIGITS && extent.decimals == 0)
}

/// Returns whether a word is a literal, or digits if these may be a date, that is a date and stands for nothing else.
fn is_date(word: CodeWord<'_>, may_be_digits: bool) -> bool {
    match word.kind {
        WordKind::Number => is_date_text(word.text, may_be_digits),
        WordKind::Literal if word.text.starts_with(['\'', '"']) => {
            is_date_text(word.text.trim_matches(['\'', '"']), may_be_digits)
        }
        _ => false,
    }
}

fn is_date_text(text: &str, may_be_digits: bool) -> bool {
    let Some((year, month, day)) = calendar_date(text).filter(|_| may_be_digits || text.len() > 8) else {
        return false;
    };
    // The first and the last day of a calendar mean that there is no date.
    let is_first = (month, day) == (1, 1) && matches!(year, 1900 | 1901 | 1970);
    let is_last = year >= 2090 || (year >= 2038 && (month, day) == (12, 31));
    !is_first && !is_last
}

/// Returns the year, month and day of a date from 1900 to 2099: `YYYY-MM-DD`, `YYYY/MM/DD`, `YYYYMMDD`, `DD.MM.YYYY`, `MM/DD/YYYY`.
fn calendar_date(text: &str) -> Option<(u32, u32, u32)> {
    let part = |range: std::ops::Range<usize>| {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u32>().ok())?
    };
    let signs = |first: usize, second: usize| Some((text.get(first..first + 1)?, text.get(second..second + 1)?));
    let (year, month, day) = match text.len() {
        8 => (part(0..4)?, part(4..6)?, part(6..8)?),
        10 => match (signs(4, 7)?, signs(2, 5)?) {
            (("-", "-") | ("/", "/"), _) => (part(0..4)?, part(5..7)?, part(8..10)?),
            (_, (".", ".")) => (part(6..10)?, part(3..5)?, part(0..2)?),
            (_, ("/", "/")) => (part(6..10)?, part(0..2)?, part(3..5)?),
            _ => return None,
        },
        _ => return None,
    };
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && year != 1900 => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    ((1900..=2099).contains(&year) && (1..=days).contains(&day)).then_some((year, month, day))
}

/// Returns the condition of an IF that compares a year of two digits with a literal, if one side sets 19 and the other side 20 into the same
/// item.
fn century_window(context: &HazardContext<'_>, branch: usize) -> Option<String> {
    let (parsed, decisions) = (context.parsed, context.analysis.decisions());
    let found = &parsed.branches[branch];
    let statement = &parsed.statements[found.statement];
    let [first, second] = decisions.branches_of(found.statement) else { return None };
    let is_if = found.kind == BranchKind::If && parsed.branches[*second].kind == BranchKind::Else;
    let Condition::Comparison { left, relation, right } = decisions.condition(branch).filter(|_| is_if)? else {
        return None;
    };
    let (name, limit) = (left.words().first()?, right.words().first()?);
    let item = context.items.find(name.text, statement.program).filter(|_| left.words().len() == 1)?;
    let has_two_digits =
        Extent::of_item(&parsed.data_items[item]).is_some_and(|extent| extent.size == 2 && extent.decimals == 0);
    let is_limit = matches!(limit.kind, WordKind::Number | WordKind::Literal) && right.words().len() == 1;
    let (one, other) =
        (century(parsed, decisions.statements_under(*first))?, century(parsed, decisions.statements_under(*second))?);
    let are_two = one.0 != other.0 && one.1.eq_ignore_ascii_case(&other.1);
    (has_two_digits && is_limit && relation.is_order() && are_two)
        .then(|| format!("{left} {} {right}", relation.as_str()))
}

/// Returns the century that statements set, 19 or 20, and the item.
fn century(parsed: &ParsedCobol, statements: &[usize]) -> Option<(u32, String)> {
    statements.iter().find_map(|index| {
        let moved = move_operands(parsed, &parsed.statements[*index])?;
        let value: u32 = moved.from.text().trim_matches(['\'', '"']).parse().ok()?;
        let century = match value {
            19 | 1900 => 19,
            20 | 2000 => 20,
            _ => return None,
        };
        Some((century, moved.to.first()?.text().to_owned()))
    })
}
