//! Words fields of records by their positions, and the keys and conditions on them.

use war_rig_estate::jcl::{SortStatement, split_at_commas};

/// Words the keys of a sort or of a file to join, each with its order. A key has its own format, or that of FORMAT.
pub(super) fn keys(statement: &SortStatement) -> Option<Vec<(String, &'static str)>> {
    let fields = statement.value("FIELDS")?.strip_prefix('(')?.strip_suffix(')')?;
    let format_of_all = statement.value("FORMAT");
    let words: Vec<&str> = split_at_commas(fields).into_iter().map(str::trim).collect();
    let mut keys = Vec::new();
    let mut rest = words.as_slice();
    while let Some(first) = rest.first() {
        let is_number = |word: &str| word.parse::<u32>().is_ok();
        let (key, used) = if is_number(first) {
            let length = rest.get(1)?;
            let own = rest.get(2).copied().filter(|word| !matches!(*word, "A" | "D" | "E"));
            (bytes(first, length, own.or(format_of_all))?, if own.is_some() { 3 } else { 2 })
        } else {
            (first.to_string(), 1)
        };
        let order = match *rest.get(used)? {
            "A" => "ascending",
            "D" => "descending",
            _ => return None,
        };
        keys.push((key, order));
        rest = &rest[used + 1..];
    }
    (!keys.is_empty()).then_some(keys)
}

/// The formats of numbers and texts.
pub(super) const FORMATS: [&str; 14] =
    ["CH", "BI", "ZD", "PD", "FI", "FS", "CSF", "FL", "UFF", "SFF", "PD0", "CSL", "CST", "CTO"];

/// Words a field by its position: `bytes 21-23 (zoned decimal)`.
pub(super) fn bytes(position: &str, length: &str, format: Option<&str>) -> Option<String> {
    let (first, length): (u32, u32) = (position.parse().ok()?, length.parse().ok()?);
    let last = first.checked_add(length.checked_sub(1)?)?;
    let place = if first == last { format!("byte {first}") } else { format!("bytes {first}-{last}") };
    let format = match format {
        Some("CH") | None => return Some(place),
        Some("ZD") => "zoned decimal",
        Some("PD") => "packed decimal",
        Some("BI") => "binary",
        Some("FI") => "signed binary",
        Some(other) => other,
    };
    Some(format!("{place} ({format})"))
}

/// Words a simple condition of INCLUDE or OMIT.
pub(super) fn condition(value: &str) -> Option<String> {
    let inner = value.trim().strip_prefix('(')?.strip_suffix(')')?;
    let words: Vec<&str> = split_at_commas(inner).into_iter().map(str::trim).collect();
    let mut told = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let (left, used) = field(rest)?;
        let operator = match *rest.get(used)? {
            "EQ" => "=",
            "NE" => "not =",
            "GT" => ">",
            "GE" => ">=",
            "LT" => "<",
            "LE" => "<=",
            _ => return None,
        };
        let (right, more) = field(&rest[used + 1..])?;
        told.push(format!("{left} {operator} {right}"));
        rest = &rest[used + 1 + more..];
        match rest.first() {
            None => {}
            Some(&("AND" | "&")) => told.push("and".to_owned()),
            Some(&("OR" | "|")) => told.push("or".to_owned()),
            Some(_) => return None,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Some(told.join(" "))
}

/// Words one side of a comparison. Also returns how many words it takes.
fn field(words: &[&str]) -> Option<(String, usize)> {
    let first = words.first().filter(|word| !word.is_empty() && !word.starts_with('('))?;
    let is_number = |word: &&&str| word.parse::<u32>().is_ok();
    match (words.get(1).filter(is_number), words.get(2)) {
        (Some(length), Some(format)) if is_number(&first) && format.len() <= 3 => {
            Some((bytes(first, length, Some(format))?, 3))
        }
        _ => Some(((*first).to_owned(), 1)),
    }
}
