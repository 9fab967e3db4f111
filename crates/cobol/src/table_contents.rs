//! The entries that the VALUEs of a source put into a table.
//!
//! COBOL gives a table its contents by a group of items with VALUEs that the table, or a group around it, redefines. This module puts the VALUEs at
//! their bytes and reads them back as the items of each entry.

use crate::code::{CodeText, WordKind, ZEROS};
use crate::model::{DataItem, ParsedCobol};
use crate::picture_symbols::picture_symbols;
use foldhash::{HashMap, HashMapExt};

/// The entries of a table as its source fills them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableContents {
    /// The elementary items of an entry, in order; one that occurs has its number behind its name.
    pub columns: Vec<String>,
    /// The texts of the items of each entry, without the blanks at their ends.
    pub rows: Vec<Vec<String>>,
}

/// The largest group of VALUEs that is read, in bytes.
const MOST_BYTES: u64 = 1 << 16;

/// The largest number of elementary items in an entry.
const MOST_COLUMNS: usize = 20;

/// The largest number of entries.
const MOST_ENTRIES: usize = 2_000;

/// An elementary item of an entry.
struct Column<'p> {
    name: String,
    /// Its first byte, counted from that of the entry.
    offset: usize,
    length: usize,
    picture: &'p str,
}

impl TableContents {
    /// Returns the contents of the tables of a source that VALUEs fill completely and with more than one value, by the index of the item that has
    /// OCCURS.
    pub fn of(parsed: &ParsedCobol) -> HashMap<usize, Self> {
        let items = &parsed.data_items;
        let mut found = HashMap::new();
        // The bytes of the item that was redefined last: its redefinitions stand behind each other.
        let mut filled = (usize::MAX, None);
        for (group, original) in parsed.redefinitions() {
            let tables = (group..end_of(items, group)).filter(|index| items[*index].occurs.is_some());
            for table in tables.filter(|table| !within_table(items, *table, group)) {
                if filled.0 != original {
                    filled = (original, bytes_of(items, original));
                }
                let Some(bytes) = &filled.1 else { break };
                found.extend(contents(items, table, &items[group], bytes).map(|contents| (table, contents)));
            }
        }
        found
    }
}

/// Returns the index behind the last item of a group.
fn end_of(items: &[DataItem], group: usize) -> usize {
    let level = items[group].level;
    let behind = items[group + 1..].iter();
    group + 1 + behind.take_while(|item| item.level == 88 || (item.level > level && item.level <= 49)).count()
}

/// Returns the elementary items of a group, or the item itself.
fn elementary(items: &[DataItem], group: usize) -> impl Iterator<Item = &DataItem> {
    items[group..end_of(items, group)].iter().filter(|item| item.picture.is_some() && item.level <= 49)
}

/// Returns whether an item is in a table at or behind this index.
fn within_table(items: &[DataItem], index: usize, first: usize) -> bool {
    let above = std::iter::successors(items[index].parent, |at| items[*at].parent);
    above.take_while(|at| *at >= first).any(|at| items[at].occurs.is_some())
}

fn is_display(item: &DataItem) -> bool {
    item.usage.is_none_or(|usage| usage == "DISPLAY") && !item.sign.is_separate()
}

/// Returns the bytes of an item as its VALUEs set them; none for a byte that no VALUE sets in a way that is known here.
fn bytes_of(items: &[DataItem], group: usize) -> Option<Vec<Option<char>>> {
    let (start, length) = items[group].offset.zip(items[group].length)?;
    if length > MOST_BYTES || items[group].occurs.is_some() || elementary(items, group).all(|item| item.value.is_none())
    {
        return None;
    }
    let mut bytes = vec![None; usize::try_from(length).ok()?];
    for item in elementary(items, group).filter(|item| item.redefines.is_none() && item.occurs.is_none()) {
        let first = usize::try_from(item.offset?.checked_sub(start)?).ok()?;
        let length = usize::try_from(item.length?).ok()?;
        let place = bytes.get_mut(first..first.checked_add(length)?)?;
        if let Some(text) = initial_text(item, length) {
            place.iter_mut().zip(text).for_each(|(byte, letter)| *byte = Some(letter));
        }
    }
    Some(bytes)
}

/// Returns the characters that a VALUE puts into an item; none if they are not known here.
fn initial_text(item: &DataItem, length: usize) -> Option<Vec<char>> {
    let value = CodeText::read(item.value.as_deref().filter(|_| is_display(item))?);
    let word = value.words().only()?;
    let is_number = item.picture.as_deref().is_some_and(is_numeric);
    match word.kind {
        WordKind::Literal => {
            let quote = word.text.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
            let inside = word.text.get(1..word.text.len().checked_sub(1)?)?;
            let text = inside.replace(&quote.to_string().repeat(2), &quote.to_string());
            let blanks = std::iter::repeat(' ');
            (!is_number && text.is_ascii()).then(|| text.chars().chain(blanks).take(length).collect())
        }
        // The last digit of a signed number is another character.
        WordKind::Number if is_number && !item.picture.as_deref()?.contains(['S', 's', 'V', 'v']) => {
            let digits = word.text.trim_start_matches('0');
            let zeros = length.checked_sub(digits.len())?;
            let is_whole = digits.bytes().all(|digit| digit.is_ascii_digit());
            is_whole.then(|| std::iter::repeat_n('0', zeros).chain(digits.chars()).collect())
        }
        _ if word.is_any(&["SPACE", "SPACES"]) => Some(vec![' '; length]),
        _ if word.is_any(ZEROS) => Some(vec!['0'; length]),
        _ => None,
    }
}

/// Returns whether a picture has only digits, a sign and an assumed point.
fn is_numeric(picture: &str) -> bool {
    picture.contains('9') && picture.bytes().all(|byte| b"0123456789SVsv()".contains(&byte))
}

/// Returns the number of digits behind the assumed point of a picture.
fn decimals(picture: &str) -> usize {
    let symbols = picture_symbols(picture).unwrap_or_default();
    let behind = symbols.iter().skip_while(|(symbol, _)| *symbol != 'V').skip(1);
    behind.map(|(_, times)| usize::try_from(*times).unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
}

/// Reads the entries of a table; none if a byte of them is not known.
fn contents(items: &[DataItem], table: usize, group: &DataItem, bytes: &[Option<char>]) -> Option<TableContents> {
    let item = &items[table];
    let first = usize::try_from(item.offset?.checked_sub(group.offset?)?).ok()?;
    let length = usize::try_from(item.length.filter(|length| *length > 0)?).ok()?;
    let columns = columns(items, table)?;
    let count = usize::try_from(item.occurs?).ok().filter(|count| *count <= MOST_ENTRIES)?;
    let entries = bytes.get(first..first.checked_add(length.checked_mul(count)?)?)?;
    let rows = entries.chunks_exact(length).map(|entry| columns.iter().map(|column| column.read(entry)).collect());
    let rows: Vec<Vec<String>> = rows.collect::<Option<_>>()?;
    // A buffer that is only cleared says nothing.
    if rows.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    Some(TableContents { columns: columns.into_iter().map(|column| column.name).collect(), rows })
}

/// Returns the elementary items of an entry; none if there are too many, or one is no text.
fn columns(items: &[DataItem], table: usize) -> Option<Vec<Column<'_>>> {
    let start = items[table].offset?;
    let mut columns = Vec::new();
    let is_redefinition = |index: usize| {
        let above = std::iter::successors(Some(index), |at| items[*at].parent);
        above.take_while(|at| *at > table).any(|at| items[at].redefines.is_some())
    };
    for (index, item) in items.iter().enumerate().take(end_of(items, table)).skip(table) {
        let Some(picture) = item.picture.as_deref().filter(|_| item.level <= 49 && !is_redefinition(index)) else {
            continue;
        };
        let offset = usize::try_from(item.offset?.checked_sub(start)?).ok()?;
        let length = usize::try_from(item.length?).ok()?;
        let inner = if index == table { None } else { item.occurs };
        // A sign shares the last digit's byte, and the zeros of P take none.
        let is_text = is_display(item) && !(picture.contains('9') && picture.contains(['S', 's', 'P', 'p']));
        if !is_text || within_table(items, index, table + 1) {
            return None;
        }
        for number in 0..inner.unwrap_or(1) as usize {
            let name = if inner.is_some() { format!("{} ({})", item.name, number + 1) } else { item.name.clone() };
            columns.push(Column { name, offset: offset + number * length, length, picture });
            if columns.len() > MOST_COLUMNS {
                return None;
            }
        }
    }
    columns.retain(|column| column.name != "FILLER");
    (!columns.is_empty()).then_some(columns)
}

impl Column<'_> {
    /// Returns the text of the item in an entry. A number with decimals has its point, and no zeros before its first digit.
    fn read(&self, entry: &[Option<char>]) -> Option<String> {
        let text: String = entry.get(self.offset..self.offset + self.length)?.iter().copied().collect::<Option<_>>()?;
        let behind = if is_numeric(self.picture) { decimals(self.picture) } else { 0 };
        Some(match text.len().checked_sub(behind).filter(|_| behind > 0) {
            Some(point) => {
                let whole = text[..point].trim_start_matches('0');
                format!("{}.{}", if whole.is_empty() { "0" } else { whole }, &text[point..])
            }
            None => text.trim_end().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
