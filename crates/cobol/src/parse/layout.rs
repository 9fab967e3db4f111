//! Byte offsets and lengths of data items.
//!
//! Sizes follow the IBM Enterprise COBOL Language Reference: DISPLAY a byte a character, packed decimal two digits a
//! byte and a half byte of sign, binary 2, 4 or 8 bytes by digits, COMP-1 four and COMP-2 eight bytes, INDEX and
//! POINTER four. SYNC slack bytes are not counted.

use crate::model::DataItem;

/// Sets offset and length of every item whose size is known.
pub(super) fn lay_out(items: &mut [DataItem]) {
    inherit_usage(items);
    let children = children(items);
    // A group follows the items that hold it, so walking backwards meets its parts first.
    for index in (0..items.len()).rev() {
        items[index].length = match items[index].level {
            88 | 78 => None,
            66 => None,
            _ if children[index].is_empty() => elementary(&items[index]),
            _ => group_length(items, &children[index]),
        };
    }
    for index in 0..items.len() {
        let top = items[index].parent.is_none() && !matches!(items[index].level, 66 | 78 | 88);
        if top {
            items[index].offset = Some(0);
        }
        place(items, index, &children[index]);
    }
}

fn children(items: &[DataItem]) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); items.len()];
    for (index, item) in items.iter().enumerate().filter(|(_, item)| !matches!(item.level, 66 | 78 | 88)) {
        if let Some(parent) = item.parent {
            children[parent].push(index);
        }
    }
    children
}

/// USAGE of a group is that of its items.
fn inherit_usage(items: &mut [DataItem]) {
    for index in 0..items.len() {
        if items[index].usage.is_none() && !matches!(items[index].level, 66 | 78 | 88) {
            items[index].usage = items[index].parent.and_then(|parent| items[parent].usage.clone());
            if let Some(picture) = items[index].picture.as_deref().filter(|_| items[index].usage.is_none()) {
                let usage = if Picture::read(picture).national { "NATIONAL" } else { "DISPLAY" };
                items[index].usage = Some(usage.to_owned());
            }
        }
    }
}

/// The bytes an item takes with all its repetitions; none when its length is not known.
fn extent(item: &DataItem) -> Option<u64> {
    item.length.map(|length| length.saturating_mul(u64::from(item.occurs.unwrap_or(1))))
}

/// The length of a group; none when a part of it is not known.
fn group_length(items: &[DataItem], children: &[usize]) -> Option<u64> {
    let mut length = 0u64;
    let mut start = 0u64;
    for child in children {
        let item = &items[*child];
        if item.redefines.is_some() {
            length = length.max(start.saturating_add(extent(item)?));
        } else {
            start = length;
            length = length.saturating_add(extent(item)?);
        }
    }
    Some(length)
}

/// Sets the offsets of a group's parts, as far as the lengths before them are known.
fn place(items: &mut [DataItem], group: usize, children: &[usize]) {
    let mut next = items[group].offset;
    let mut last_start = next;
    for child in children {
        let redefines = items[*child].redefines.is_some();
        let start = if redefines { last_start } else { next };
        items[*child].offset = start;
        let end = start.zip(extent(&items[*child])).map(|(start, extent)| start.saturating_add(extent));
        next = if redefines { next.zip(end).map(|(next, end)| next.max(end)) } else { end };
        last_start = start;
    }
}

fn elementary(item: &DataItem) -> Option<u64> {
    let usage = item.usage.as_deref().unwrap_or("DISPLAY");
    match usage {
        "COMP-1" | "INDEX" | "POINTER" => return Some(4),
        "COMP-2" => return Some(8),
        _ => {}
    }
    let picture = Picture::read(item.picture.as_deref()?);
    Some(match usage {
        "COMP-3" => picture.digits / 2 + 1,
        "COMP" | "COMP-5" => match picture.digits {
            0..=4 => 2,
            5..=9 => 4,
            _ => 8,
        },
        "NATIONAL" | "DISPLAY-1" => picture.characters * 2,
        _ => picture.characters * if picture.national { 2 } else { 1 } + u64::from(item.sign_separate),
    })
}

/// The size of a picture string.
#[derive(Debug, Default, PartialEq, Eq)]
struct Picture {
    /// Character positions.
    characters: u64,
    /// Digit positions.
    digits: u64,
    /// Whether it is made of N or G.
    national: bool,
}

impl Picture {
    fn read(text: &str) -> Self {
        let mut picture = Picture::default();
        let symbols: Vec<char> = text.chars().collect();
        let last_close = symbols.iter().rposition(|c| *c == ')').unwrap_or(0);
        let mut at = 0;
        while at < symbols.len() {
            let symbol = symbols[at].to_ascii_uppercase();
            let mut count = 1u64;
            let mut width = 1;
            // Behind the last closing parenthesis there is no repetition left to find.
            if symbols.get(at + 1) == Some(&'(') && at < last_close {
                let inside = symbols[at + 2..].iter().position(|c| *c == ')').unwrap_or(0);
                let number: String = symbols[at + 2..at + 2 + inside].iter().collect();
                count = number.parse::<u32>().map_or(1, u64::from);
                width = inside + 3;
            }
            match symbol {
                // An assumed point, and assumed zeros beside it, take no room.
                'S' | 'V' | 'P' => {}
                // CR and DB are two positions; each letter counts as one.
                '9' | 'Z' | '*' => {
                    picture.characters += count;
                    picture.digits += count;
                }
                'N' | 'G' => {
                    picture.characters += count;
                    picture.national = true;
                }
                _ => picture.characters += count,
            }
            at += width;
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_positions_and_digits() {
        let size = |text| (Picture::read(text).characters, Picture::read(text).digits);
        assert_eq!(size("X(10)"), (10, 0));
        assert_eq!(size("S9(11)V99"), (13, 13));
        assert_eq!(size("X(5))(2)").0, 7);
        assert_eq!(size(")(").0, 2);
        assert_eq!(size("ZZ,ZZ9.99-"), (10, 7));
    }
}
