//! Tests of items for values that they have no room for.

use super::extents::Extent;
use super::signs::has_sign;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{CodeWord, WordKind, ZEROS};
use crate::decisions::{Condition, RelationalOperator, move_operands};
use crate::model::DataItem;
use std::cell::LazyCell;
use std::cmp::Ordering;
use war_rig_text::LineRange;

/// What keeps a number from being less than 0.
const NO_SIGN: &str = "has no sign";

/// How many digits of a limit are told.
const MOST_DIGITS: usize = 40;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    // Most sources have no such test.
    let filled = LazyCell::new(|| filled_with_characters(context));
    for (condition, program, lines) in context.conditions() {
        for leaf in condition.leaves() {
            add(context, &filled, (leaf, program, lines), found);
        }
    }
}

/// Returns the items that get HIGH-VALUES, SPACES and the like: numbers in them are above and below all others then.
fn filled_with_characters(context: &HazardContext<'_>) -> Vec<usize> {
    let HazardContext { parsed, items, .. } = *context;
    let fills = |word: CodeWord<'_>| {
        let is_figurative = word.kind == WordKind::Name && word.is_constant();
        is_figurative && !word.is_any(ZEROS) || word.is("ALL")
    };
    let moves = parsed.statements.iter().filter_map(|statement| Some((statement, move_operands(parsed, statement)?)));
    let moves = moves.filter(|(_, moved)| moved.from.words().first().is_some_and(fills));
    let filled = moves.flat_map(|(statement, moved)| {
        moved.to.into_iter().filter_map(|to| items.find(to.name(), statement.program)).collect::<Vec<_>>()
    });
    filled.collect()
}

/// Adds the hazard of one test of a program, if it is one.
fn add(
    context: &HazardContext<'_>,
    filled: &LazyCell<Vec<usize>, impl FnOnce() -> Vec<usize>>,
    (leaf, program, lines): (&Condition, Option<usize>, LineRange),
    found: &mut FoundHazards,
) {
    // NEGATIVE asks for less than 0.
    let (tested, compared) = match leaf {
        Condition::Comparison { left, relation, right } => (left, right.words().only().map(|word| (*relation, word))),
        Condition::ClassTest { item, quality, negated: false } if quality == "NEGATIVE" => (item, None),
        _ => return,
    };
    let Some(index) = tested.words().only().and_then(|name| context.items.find(name.text, program)) else { return };
    let item = &context.parsed.data_items[index];
    let Some(extent) = Extent::of_item(item) else { return };
    let result = match (leaf, compared) {
        (Condition::ClassTest { .. }, _) if extent.is_numeric && !has_sign(item) => Some((NO_SIGN.to_owned(), false)),
        (_, Some((relation, value))) => result(item, extent, relation, value, context.parsed.has_decimal_comma),
        _ => None,
    };
    let is_filled = || extent.is_numeric && filled.iter().any(|filled| context.storage.overlap(*filled, index));
    if let Some((room, always)) = result.filter(|_| !is_filled()) {
        let kind = HazardKind::OutOfRange { item: item.name.clone(), room, test: leaf.to_string(), always };
        found.add(kind, program, lines);
    }
}

/// Returns the result of a comparison that all values of the item have, with what keeps others out: `has room for 2 characters`. That a limit
/// is kept (`<= 99`) is no news, so it is told only of inequality that it always holds.
fn result(
    item: &DataItem,
    extent: Extent,
    relation: RelationalOperator,
    value: CodeWord<'_>,
    has_decimal_comma: bool,
) -> Option<(String, bool)> {
    let always = relation == RelationalOperator::NotEqual;
    let is_equality = always || relation == RelationalOperator::Equal;
    let number = Number::of(value, has_decimal_comma);
    let Some(number) = number.filter(|_| extent.is_numeric) else {
        // Numbers are compared with texts by their digits, and by a sign that stands beside them.
        let is_plain = value.kind == WordKind::Number && value.text.bytes().all(|digit| digit.is_ascii_digit());
        let size = if is_plain { value.text.len() as u64 } else { Extent::of_text(value)?.needed };
        let is_longer = size > extent.size && extent.decimals == 0 && !(extent.is_numeric && has_sign(item));
        let unit = if extent.is_numeric { "digit" } else { "character" };
        let plural = if extent.size == 1 { "" } else { "s" };
        return (is_equality && is_longer).then(|| (format!("has room for {} {unit}{plural}", extent.size), always));
    };
    if number.is_zero() {
        let is_never = relation == RelationalOperator::Less && !has_sign(item);
        return is_never.then(|| (NO_SIGN.to_owned(), false));
    }
    if number.is_negative && !has_sign(item) {
        let is_never = is_equality || matches!(relation, RelationalOperator::Less | RelationalOperator::AtMost);
        return is_never.then(|| (NO_SIGN.to_owned(), always));
    }
    let digits = match item.usage {
        // Binary numbers may hold more than their picture shows.
        Some("COMP" | "COMP-4" | "BINARY") => return None,
        // Packed numbers have an odd number of digits, whatever their picture shows.
        Some("COMP-3" | "PACKED-DECIMAL") => extent.size + (extent.size + extent.decimals + 1) % 2,
        _ => extent.size,
    };
    let extent = Extent { size: digits, ..extent };
    let (beyond, or_at) = match number.is_negative {
        false => (RelationalOperator::Greater, RelationalOperator::AtLeast),
        true => (RelationalOperator::Less, RelationalOperator::AtMost),
    };
    let nines = |count: u64| "9".repeat(usize::try_from(count).unwrap_or(MOST_DIGITS).min(MOST_DIGITS));
    let point = if has_decimal_comma { "," } else { "." };
    let fraction = if extent.decimals == 0 { String::new() } else { format!("{point}{}", nines(extent.decimals)) };
    let bound = if number.is_negative { "least -" } else { "most " };
    let holds = || format!("holds at {bound}{}{fraction}", nines(extent.size));
    match number.against_largest(extent) {
        Ordering::Greater if is_equality || relation == beyond || relation == or_at => Some((holds(), always)),
        Ordering::Equal if relation == beyond => Some((holds(), false)),
        Ordering::Less if is_equality && number.fraction.len() as u64 > extent.decimals => {
            let decimals = if extent.decimals == 0 { "no".to_owned() } else { extent.decimals.to_string() };
            let plural = if extent.decimals == 1 { "" } else { "s" };
            Some((format!("has {decimals} decimal{plural}"), always))
        }
        _ => None,
    }
}

/// A literal number: its digits without zeros that count for nothing.
struct Number {
    is_negative: bool,
    whole: String,
    fraction: String,
}

impl Number {
    fn of(word: CodeWord<'_>, has_decimal_comma: bool) -> Option<Self> {
        if word.is_any(ZEROS) {
            return Some(Self { is_negative: false, whole: String::new(), fraction: String::new() });
        }
        if word.kind != WordKind::Number {
            return None;
        }
        let (is_negative, digits) = match word.text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, word.text.trim_start_matches('+')),
        };
        let point = if has_decimal_comma { ',' } else { '.' };
        let (whole, fraction) = digits.split_once(point).unwrap_or((digits, ""));
        let is_plain = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        (is_plain(whole) && is_plain(fraction)).then(|| Self {
            is_negative,
            whole: whole.trim_start_matches('0').to_owned(),
            fraction: fraction.trim_end_matches('0').to_owned(),
        })
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// Compares it with the largest number that an item holds, both without their signs.
    fn against_largest(&self, extent: Extent) -> Ordering {
        let is_all_nines = |digits: &str| digits.bytes().all(|digit| digit == b'9');
        match (self.whole.len() as u64).cmp(&extent.size) {
            Ordering::Equal if is_all_nines(&self.whole) && is_all_nines(&self.fraction) => {
                (self.fraction.len() as u64).cmp(&extent.decimals)
            }
            Ordering::Equal => Ordering::Less,
            unequal => unequal,
        }
    }
}
