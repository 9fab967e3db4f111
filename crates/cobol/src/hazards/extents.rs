//! How many characters or digits operands hold.

use crate::code::{CodeWord, WordKind};
use crate::decisions::is_whole_item;
use crate::model::{DataItem, ParsedCobol, Statement};
use crate::operands::{Operand, OperandKind};
use crate::picture_symbols::picture_symbols;
use crate::unique_items::UniqueItems;

/// Returns whether an operand names an item without subscripts and reference modification.
pub(super) fn is_whole(operand: Operand<'_>) -> bool {
    operand.kind() == OperandKind::Name && !operand.words().iter().any(|word| word.is_sign("("))
}

/// Returns the parts of a group that do not fit into so many bytes.
pub(super) fn parts_behind(parsed: &ParsedCobol, group: usize, room: u64) -> impl Iterator<Item = usize> {
    let items = &parsed.data_items;
    let end = items[group].offset.unwrap_or_default().saturating_add(room);
    parsed.parts_of(group).filter(move |part| {
        let (offset, length) = (items[*part].offset, items[*part].whole_length());
        offset.zip(length).is_some_and(|(offset, length)| offset.saturating_add(length) > end)
    })
}

/// How much an operand holds.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Characters, or for a number digits before the decimal point.
    pub(super) size: u64,
    /// The same without blanks at the end of a literal.
    pub(super) needed: u64,
    /// Digits after the decimal point.
    pub(super) decimals: u64,
    pub(super) is_numeric: bool,
}

impl Extent {
    pub(super) fn of_operand(operand: Operand<'_>, items: &UniqueItems<'_>, statement: &Statement) -> Option<Self> {
        if operand.kind() == OperandKind::Constant {
            return operand.words().only().and_then(Self::of_text);
        }
        // An element of a table holds as much as any other.
        if !is_whole_item(operand) {
            return None;
        }
        Self::of_item(&items.parsed.data_items[items.find(operand.name(), statement.program)?])
    }

    /// Returns the extent of a literal text.
    pub(super) fn of_text(word: CodeWord<'_>) -> Option<Self> {
        let text = word.text;
        if word.kind != WordKind::Literal || !text.starts_with(['\'', '"']) || text.len() < 3 {
            return None;
        }
        let quote = &text[..1];
        // A doubled quote is one character, and blanks at the end are no loss.
        let inner = text[1..text.len() - 1].replace(&quote.repeat(2), quote);
        let length = |text: &str| text.chars().count() as u64;
        Some(Self { size: length(&inner), needed: length(inner.trim_end()), decimals: 0, is_numeric: false })
    }

    /// Returns the digits that an edited item shows before the decimal point: a floating sign takes the room of one.
    pub(super) fn of_edited(operand: Operand<'_>, items: &UniqueItems<'_>, statement: &Statement) -> Option<Self> {
        let item = items.find(operand.name(), statement.program).filter(|_| is_whole_item(operand))?;
        let symbols = picture_symbols(items.parsed.data_items[item].picture.as_deref()?)?;
        let is_edited = symbols.iter().all(|(symbol, _)| "9Z*+-$,.B/0VCRD".contains(*symbol))
            && symbols.iter().any(|(symbol, _)| !"9V".contains(*symbol));
        let point = if items.parsed.has_decimal_comma { ',' } else { '.' };
        let is_point = |(symbol, _): &(char, u64)| *symbol == point || *symbol == 'V';
        let end = symbols.iter().position(is_point).unwrap_or(symbols.len());
        let (whole, fraction) = symbols.split_at(end);
        let digits = |of: &[(char, u64)]| -> u64 {
            of.iter().filter(|(symbol, _)| "9Z*".contains(*symbol)).map(|(_, times)| *times).sum()
        };
        let floating = ['+', '-', '$'].into_iter().map(|sign| {
            let times: u64 = symbols.iter().filter(|(symbol, _)| *symbol == sign).map(|(_, times)| *times).sum();
            let before: u64 = whole.iter().filter(|(symbol, _)| *symbol == sign).map(|(_, times)| *times).sum();
            if times > 1 { before.saturating_sub(1) } else { 0 }
        });
        let size = digits(whole) + floating.sum::<u64>();
        is_edited.then(|| Self { size, needed: size, decimals: digits(fraction), is_numeric: true })
    }

    /// Returns the extent of an elementary item of plain characters or plain digits.
    pub(super) fn of_item(item: &DataItem) -> Option<Self> {
        let picture = item.picture.as_deref()?;
        if item.attributes.any_length || item.attributes.justified {
            return None;
        }
        let symbols = picture_symbols(picture)?;
        let count = |wanted: &str, of: &[(char, u64)]| {
            let counted = of.iter().filter(|(symbol, _)| wanted.contains(*symbol)).map(|(_, times)| *times);
            counted.fold(0u64, u64::saturating_add)
        };
        let is_made_of = |wanted: &str| symbols.iter().all(|(symbol, _)| wanted.contains(*symbol));
        // COMP-X makes a binary number of an X.
        if is_made_of("XA") && matches!(item.usage, None | Some("DISPLAY")) {
            let size = count("XA", &symbols);
            return Some(Self { size, needed: size, decimals: 0, is_numeric: false });
        }
        let usages = [
            None,
            Some("DISPLAY"),
            Some("COMP"),
            Some("COMP-3"),
            Some("COMP-4"),
            Some("BINARY"),
            Some("PACKED-DECIMAL"),
        ];
        let point = symbols.iter().position(|(symbol, _)| *symbol == 'V').unwrap_or(symbols.len());
        let (whole, fraction) = symbols.split_at(point);
        let (digits, decimals) = (count("9", whole), count("9", fraction));
        let is_number = usages.contains(&item.usage) && is_made_of("9SV");
        is_number.then_some(Self { size: digits, needed: digits, decimals, is_numeric: true })
    }
}
