//! Data that is cut on its way, or that stays where nobody expects it.

use super::bounded_items::BoundedItems;
use super::counters::FEW_DIGITS;
use super::extents::{Extent, is_whole, parts_behind};
use super::values::ConstantSets;
use super::{FoundHazards, HazardContext, HazardKind};
use crate::code::{FIGURATIVE_CONSTANTS, WordSlice};
use crate::decisions::{Condition, is_whole_item, move_operands, string_operands};
use crate::model::{DataItem, ParsedCobol, Statement};
use crate::operands::{Operand, OperandKind, OperandPhrase};
use crate::storage::StorageSet;
use crate::table_contents::TableContents;
use crate::unique_items::UniqueItems;
use crate::verb::Verb;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// The digits from which on an item that is only counted never needs all of them: those of a full word.
const COUNTER_DIGITS: u64 = 9;

/// The numbers that are moved to an edited item that shows fewer digits.
#[derive(Default)]
struct CutNumbers {
    room: u64,
    /// The most digits before the decimal point.
    digits: u64,
    statements: Vec<usize>,
}

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    moved_items(context, found);
    cut_records(context, found);
    filled_by_string(context, found);
}

/// Whether bytes that are put into an item in another way than by a MOVE say nothing of its digits.
fn is_binary(item: &DataItem) -> bool {
    item.usage.is_some_and(|usage| usage.starts_with("COMP") && usage != "COMP-3" || usage.starts_with("BINARY"))
}

/// Finds the MOVEs that cut what they move.
fn moved_items(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let (limited, bounded) = (limited_items(context), BoundedItems::of(context));
    let moves = || {
        let operands = |statement| move_operands(parsed, statement);
        let all = parsed.statements.iter().enumerate();
        all.filter_map(move |(index, statement)| Some((index, statement, operands(statement)?)))
    };
    let senders: HashSet<usize> =
        moves().filter_map(|(_, statement, moved)| items.find(moved.from.name(), statement.program)).collect();
    let sets = ConstantSets::of(context, &senders);
    let overlaid: HashSet<usize> =
        parsed.redefinitions().into_iter().flat_map(|(item, original)| [item, original]).collect();
    let texts = LazyCell::new(|| TableTexts::of(context));
    let computed = computed_items(context);
    let mut shown: BTreeMap<(Option<usize>, String), CutNumbers> = BTreeMap::new();
    for (index, statement, moved) in moves() {
        if statement.file.is_some() || moved.corresponds {
            continue;
        }
        let Some(from) = Extent::of_operand(moved.from, items, statement) else { continue };
        let sender = items.find(moved.from.name(), statement.program);
        let is_doubtful = |sender: usize| {
            limited.contains(&(statement.paragraph, sender))
                || overlaid.contains(&sender) && is_binary(&parsed.data_items[sender])
        };
        if sender.is_some_and(is_doubtful) {
            continue;
        }
        // Of a constant only its blanks or leading zeros may be cut.
        let constant = analysis.decisions().constant(moved.from.name(), statement.program);
        let told = constant.map(|value| match from.is_numeric {
            true => whole_digits(value),
            false => value.trim_matches(['\'', '"']).trim_end(),
        });
        // An item needs room for the most that is ever put into it.
        let held = sender.filter(|sender| is_own(&parsed.data_items[*sender]) && !parsed.is_shared(*sender));
        let longest = held.and_then(|sender| sets.longest_of(context, sender));
        let needed = match told {
            Some(value) => value.chars().count() as u64,
            None => longest.map_or(from.needed, |longest| longest.min(from.needed)),
        };
        let entries = sender.and_then(|sender| texts.longest(context, moved.from, sender));
        let bound = held.and_then(|sender| bounded.digits(context, sender));
        let needed = from.size.min(needed).min(entries.unwrap_or(u64::MAX)).min(bound.unwrap_or(u64::MAX));
        // The digits of a large counter are those of its type, and say nothing about how far it counts; a run may well exceed few.
        let is_counter = from.size >= COUNTER_DIGITS && held.is_some_and(|sender| sets.is_counter(context, sender));
        let needed = if is_counter { needed.min(FEW_DIGITS + 1) } else { needed };
        for to in &moved.to {
            let edited = Extent::of_edited(*to, items, statement).filter(|_| from.is_numeric);
            if let Some(target) = edited.filter(|target| needed > target.size) {
                let shown = shown.entry((statement.program, to.name().to_uppercase())).or_default();
                shown.room = target.size;
                shown.digits = shown.digits.max(from.size);
                shown.statements.push(index);
            }
            let target = items.find(to.name(), statement.program).map(|target| &parsed.data_items[target]);
            let number = constant.and_then(|value| value.parse().ok());
            let is_pattern = || target.filter(|target| is_binary(target)).zip(number).is_some_and(fits_its_bytes);
            let is_padded_date = |sender: usize, room: u64| {
                !computed.contains(&sender) && is_padded(&parsed.data_items[sender], from.size, room)
            };
            let is_excused = |room: u64| is_pattern() || sender.is_some_and(|sender| is_padded_date(sender, room));
            let cut = Extent::of_operand(*to, items, statement)
                .and_then(|target| cut_by_move((moved.from, from, needed), (*to, target), is_excused));
            if let Some(kind) = cut {
                found.add(kind, statement.program, statement.own_lines());
            }
        }
    }
    for ((program, item), CutNumbers { room, digits, statements }) in shown {
        let kind = HazardKind::ShownCut { digits, item, room };
        for index in statements {
            found.add_at(index, kind.clone(), program, parsed.statements[index].own_lines());
        }
    }
}

/// The texts of the tables that VALUEs fill.
struct TableTexts {
    tables: HashMap<usize, TableContents>,
    /// The length of the longest text in each column of each table.
    longest: HashMap<usize, Vec<u64>>,
    /// What statements set.
    set: StorageSet,
}

impl TableTexts {
    fn of(context: &HazardContext<'_>) -> Self {
        let HazardContext { analysis, parsed, storage, .. } = *context;
        let tables = TableContents::of(parsed);
        let longest_of = |contents: &TableContents| {
            let longest =
                |column: usize| contents.rows.iter().map(|row| length(&row[column])).max().unwrap_or_default();
            (0..contents.columns.len()).map(longest).collect()
        };
        let longest = tables.iter().map(|(table, contents)| (*table, longest_of(contents))).collect();
        let mut set = StorageSet::default();
        let uses = (0..parsed.statements.len()).flat_map(|index| analysis.def_use().of_statement(index));
        for used in uses.filter(|used| !tables.is_empty() && used.is_set()) {
            set.add(storage.place(used.item()));
        }
        set.sort();
        Self { tables, longest, set }
    }

    /// Returns the length of the longest text in a column of a table that nothing changes, or of that of the entry that a literal selects.
    fn longest(&self, context: &HazardContext<'_>, operand: Operand<'_>, item: usize) -> Option<u64> {
        let HazardContext { parsed, storage, .. } = *context;
        let mut above = std::iter::successors(Some(item), |at| parsed.data_items[*at].parent);
        let (table, contents) = above.find_map(|at| self.tables.get_key_value(&at))?;
        let column = contents.columns.iter().position(|column| *column == parsed.data_items[item].name)?;
        if self.set.meets(storage.place(item)) {
            return None;
        }
        let words = operand.words();
        let bracket = words.position(|word| word.is_sign("(")).map(|at| words.from(at + 1));
        let number = bracket.and_then(only_number).and_then(|number| contents.rows.get(number.checked_sub(1)?));
        Some(number.map_or(self.longest[table][column], |row| length(&row[column])))
    }
}

fn length(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Returns the number in `1)` and `+1)`.
fn only_number(words: WordSlice<'_>) -> Option<usize> {
    let words: Vec<_> = words.iter().skip_while(|word| word.is_sign("+")).take(3).collect();
    match words.as_slice() {
        [number, end] if end.is_sign(")") => number.text.parse().ok(),
        _ => None,
    }
}

/// Returns the items that arithmetic sets.
fn computed_items(context: &HazardContext<'_>) -> HashSet<usize> {
    use Verb::{Add, Compute, Divide, Multiply, Subtract};
    let HazardContext { analysis, parsed, .. } = *context;
    let computes =
        |index: &usize| matches!(parsed.statements[*index].verb, Add | Compute | Divide | Multiply | Subtract);
    let used = (0..parsed.statements.len()).filter(computes).flat_map(|index| analysis.def_use().of_statement(index));
    used.filter(|used| used.is_set()).map(|used| used.item()).collect()
}

/// Whether a packed number has one digit more than a date, because its bytes hold an odd number of them: a date in `S9(9) COMP-3`.
fn is_padded(sent: &DataItem, digits: u64, room: u64) -> bool {
    sent.usage.is_some_and(|usage| usage == "COMP-3") && matches!((digits, room), (9, 8) | (7, 6))
}

/// Returns what a MOVE cuts. Of the sending item, with its extent, so much is needed.
fn cut_by_move(
    (from, sent, needed): (Operand<'_>, Extent, u64),
    (to, target): (Operand<'_>, Extent),
    is_excused: impl Fn(u64) -> bool,
) -> Option<HazardKind> {
    if is_whole_item(from) && is_whole_item(to) && loses_last_digits(sent, target) {
        let (item, to) = (from.name().to_uppercase(), to.name().to_uppercase());
        return Some(HazardKind::LastDigits { item, digits: sent.size, to, room: target.size });
    }
    let is_cut = target.is_numeric == sent.is_numeric && needed > target.size && !is_excused(target.size);
    is_cut.then(|| HazardKind::Truncated {
        from: from.text().to_owned(),
        length: sent.size,
        to: vec![to.text().to_owned()],
        room: target.size,
        is_numeric: sent.is_numeric,
    })
}

/// Whether a number fits the bytes of a binary item, whatever its picture: attributes of screens are such patterns of bits (49369 in `S9(4) COMP`).
fn fits_its_bytes((item, number): (&DataItem, u64)) -> bool {
    item.length.and_then(|bytes| 1u64.checked_shl(8 * bytes as u32)).is_none_or(|limit| number < limit)
}

/// Whether a text has room for the first digits of a number alone: the digits are moved from the left, with leading zeros. Years, months and dates are taken
/// from the front of longer dates on purpose.
fn loses_last_digits(number: Extent, text: Extent) -> bool {
    let is_of_date = match number.size {
        // A year and the day in it.
        5 => text.size == 2,
        7 => text.size == 4,
        size => matches!(size, 6 | 8 | 12 | 14 | 20) && text.size.is_multiple_of(2),
    };
    number.is_numeric && !text.is_numeric && number.decimals == 0 && number.size > text.size && !is_of_date
}

/// Finds the records that are written from longer ones.
fn cut_records(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { parsed, items, .. } = *context;
    for statement in parsed.statements.iter().filter(|statement| statement.file.is_none()) {
        if !matches!(statement.verb, Verb::Write | Verb::Rewrite | Verb::Release) {
            continue;
        }
        let named = |phrase: OperandPhrase| {
            let mut operands = parsed.operands(statement).filter(|operand| !operand.is_inner());
            let operand = operands.find(|operand| operand.phrase() == phrase && is_whole(*operand))?;
            items.find(operand.name(), statement.program).map(|item| (operand, item))
        };
        let (Some((to, record)), Some((from, sent))) = (named(OperandPhrase::First), named(OperandPhrase::From)) else {
            continue;
        };
        let (sent_index, sent, record) = (sent, &parsed.data_items[sent], &parsed.data_items[record]);
        // A file may have longer records, and a record's length may vary.
        let file =
            parsed.files.iter().find(|file| file.program == statement.program && file.records.contains(&record.name));
        let varies = file.is_none_or(|file| file.length_item.is_some() || file.records.len() > 1);
        let (Some(length), Some(room)) = (sent.length, record.length) else { continue };
        if !varies && length > room && loses_a_name(parsed, sent_index, room) {
            let kind = HazardKind::Truncated {
                from: from.text().to_owned(),
                length,
                to: vec![to.text().to_owned()],
                room,
                is_numeric: false,
            };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Returns whether something with a name lies in a record behind so many bytes, or the record has no parts.
fn loses_a_name(parsed: &ParsedCobol, record: usize, room: u64) -> bool {
    let is_part = |part: usize| parsed.data_items[part].picture.is_some();
    !parsed.parts_of(record).any(is_part)
        || parts_behind(parsed, record, room).any(|part| is_part(part) && parsed.data_items[part].name != "FILLER")
}

/// Returns the digits of a number before its point, without leading zeros.
fn whole_digits(number: &str) -> &str {
    let whole = number.trim_start_matches(['+', '-']).split(['.', ',']).next().unwrap_or_default();
    whole.trim_start_matches('0')
}

/// Returns whether only the program itself can set an item.
fn is_own(item: &DataItem) -> bool {
    item.is_private() && item.occurs.is_none()
}

/// Returns the items that a paragraph compares with a limit, so that what it moves may be small enough.
fn limited_items(context: &HazardContext<'_>) -> HashSet<(Option<usize>, usize)> {
    let HazardContext { analysis, parsed, items, .. } = *context;
    let decisions = analysis.decisions();
    let mut limited = HashSet::new();
    for (index, branch) in parsed.branches.iter().enumerate() {
        let statement = &parsed.statements[branch.statement];
        for leaf in decisions.condition(index).into_iter().flat_map(Condition::leaves) {
            let item = match leaf {
                Condition::Comparison { left, relation, .. } if relation.is_order() => left,
                Condition::Range { item, .. } => item,
                _ => continue,
            };
            limited.extend(items.find(item.text(), statement.program).map(|item| (statement.paragraph, item)));
        }
    }
    limited
}

/// Finds the items that STRING fills with more than they have room for, and those that nothing clears: no statement sets them, or items that share their
/// storage, in another way.
fn filled_by_string(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let HazardContext { analysis, parsed, items, storage, .. } = *context;
    let uses = analysis.def_use();
    let mut cleared = StorageSet::default();
    for (index, statement) in parsed.statements.iter().enumerate() {
        if statement.verb != Verb::String {
            for used in uses.of_statement(index).iter().filter(|used| used.is_set()) {
                cleared.add(storage.place(used.item()));
            }
        }
    }
    cleared.sort();
    let decisions = analysis.decisions();
    let tests_overflow = |index: usize| {
        let mut phrases = decisions.branches_of(index).iter().map(|branch| parsed.condition(&parsed.branches[*branch]));
        phrases.any(|phrase| phrase.has("OVERFLOW"))
    };
    let mut filled: HashMap<usize, usize> = HashMap::new();
    for statement in &parsed.statements {
        let into = string_operands(parsed, statement).and_then(|(_, into)| items.find(into.name(), statement.program));
        if let Some(item) = into {
            *filled.entry(item).or_default() += 1;
        }
    }
    for (index, statement) in parsed.statements.iter().enumerate().filter(|(_, statement)| statement.file.is_none()) {
        let Some((parts, into)) = string_operands(parsed, statement) else { continue };
        let points = parsed.operands(statement).any(|operand| operand.phrase() == OperandPhrase::Pointer);
        let Some(item) = items.find(into.name(), statement.program).filter(|_| !points && is_whole(into)) else {
            continue;
        };
        let is_own = parsed.data_items[item].is_private();
        // The first STRING finds the VALUE.
        let is_first = parsed.data_items[item].value.is_some() && filled.get(&item).is_none_or(|count| *count < 2);
        let is_own = is_own && !is_first;
        let target = &parsed.data_items[item];
        let room = Extent::of_item(target).map(|extent| extent.size).or(target.length);
        let length = least_length(statement, parsed, &parts, items);
        if let Some(room) = room.filter(|room| length > *room && !tests_overflow(index)) {
            let kind = HazardKind::StringTooLong { length, item: into.name().to_uppercase(), room };
            found.add(kind, statement.program, statement.own_lines());
        }
        if room.is_some_and(|room| length >= room) {
            continue;
        }
        let holds = left_before(context, index, item).filter(|(_, kept)| *kept > length).map(|(text, _)| text);
        if holds.is_some() || is_own && !cleared.meets(storage.place(item)) {
            let kind = HazardKind::NeverCleared { item: into.name().to_uppercase(), holds };
            found.add(kind, statement.program, statement.own_lines());
        }
    }
}

/// Returns what a statement that always runs before another one in its paragraph leaves in an item, with its length at least: a constant, or the text of
/// a STRING. None if it is blank, or if something between may set the item.
fn left_before(context: &HazardContext<'_>, index: usize, item: usize) -> Option<(String, u64)> {
    let HazardContext { analysis, parsed, items, storage, .. } = *context;
    let may_set = |before: usize| {
        let mut set = analysis.def_use().of_statement(before).iter().filter(|used| used.is_set());
        set.any(|used| storage.overlap(used.item(), item))
    };
    let set = &parsed.statements[context.set_before(index, may_set)?];
    let is_it = |operand: Operand<'_>| items.find(operand.name(), set.program) == Some(item) && is_whole(operand);
    if let Some((parts, _)) = string_operands(parsed, set).filter(|(_, into)| is_it(*into)) {
        let points = parsed.operands(set).any(|operand| operand.phrase() == OperandPhrase::Pointer);
        let text = || ("the text of the STRING before".to_owned(), least_length(set, parsed, &parts, items));
        return (!points).then(text);
    }
    let moved = move_operands(parsed, set).filter(|moved| moved.to.iter().any(|to| is_it(*to)))?;
    let text = match moved.from.kind() {
        OperandKind::Constant => moved.from.text(),
        _ => analysis.decisions().constant(moved.from.name(), set.program).filter(|_| is_whole(moved.from))?,
    };
    Some((text.to_owned(), kept_length(text, parsed.data_items[item].length?)?))
}

/// Returns how many characters of an item a constant fills with more than blanks at its end; none for blanks and numbers.
fn kept_length(constant: &str, room: u64) -> Option<u64> {
    let all = constant.get(..4).filter(|word| word.eq_ignore_ascii_case("ALL ")).map(|_| constant[4..].trim_start());
    let quoted = all.unwrap_or(constant);
    let text = quoted.strip_prefix(['\'', '"']).and_then(|text| text.strip_suffix(['\'', '"']))?.trim_end();
    let kept = if all.is_some() { room } else { length(text).min(room) };
    (!text.is_empty()).then_some(kept)
}

/// Returns how many characters a STRING puts together at least: those of the parts that no delimiter ends.
fn least_length(statement: &Statement, parsed: &ParsedCobol, parts: &[Operand<'_>], items: &UniqueItems<'_>) -> u64 {
    let is_by_size = |part: &Operand<'_>| {
        let behind = parsed.words(statement).from(part.end());
        let delimited = behind.position(|word| word.is("DELIMITED"));
        // Some compilers take the whole of what no delimiter is said of.
        delimited
            .is_none_or(|at| behind.from(at + 1).iter().find(|word| !word.is("BY")).is_some_and(|word| word.is("SIZE")))
    };
    let length = |part: &Operand<'_>| match part.kind() {
        OperandKind::Constant if FIGURATIVE_CONSTANTS.iter().any(|word| part.text().eq_ignore_ascii_case(word)) => {
            Some(1)
        }
        OperandKind::Constant => Extent::of_operand(*part, items, statement).map(|extent| extent.size),
        _ if is_whole(*part) => {
            items.find(part.name(), statement.program).and_then(|item| parsed.data_items[item].length)
        }
        _ => modified_length(*part),
    };
    parts.iter().filter(|part| is_by_size(part)).filter_map(length).sum()
}

/// Returns the length in a reference modification: 2 in `ITEM(1:2)`.
pub(super) fn modified_length(operand: Operand<'_>) -> Option<u64> {
    let words = operand.words();
    let colon = words.position(|word| word.is_sign(":"))?;
    let is_alone = words.get(colon + 2).is_some_and(|word| word.is_sign(")"));
    words.get(colon + 1).filter(|_| is_alone)?.text.parse().ok()
}
