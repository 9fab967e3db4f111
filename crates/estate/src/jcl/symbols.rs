//! Symbols and their values.
//!
//! ```text
//! symbol = "&" name [ "." ]        the period is part of it: "&HLQ..DATA" is the value of HLQ, ".DATA"
//! name = up to eight letters, digits, "@", "#", "$"
//! ```
//! `&&NAME` is a temporary dataset.

use foldhash::HashMap;
use std::ops::Range;

/// The maximum length of a text after symbol replacement, in bytes. An operand is shorter, and a chain of symbols that each contain
/// two others would grow without end.
const MOST_BYTES: usize = 4096;

/// The maximum number of symbols in force in one procedure or job. The system allows far fewer, and they are copied for each executed
/// procedure.
const MOST_SYMBOLS: usize = 1000;

/// The longest name.
const LONGEST_NAME: usize = 8;

/// The values of symbols.
#[derive(Debug, Clone, Default)]
pub(super) struct Symbols(HashMap<String, String>);

impl Symbols {
    /// Sets the value of a symbol; the last value counts.
    pub(super) fn set(&mut self, name: &str, value: String) {
        if self.0.len() < MOST_SYMBOLS || self.0.contains_key(name) {
            self.0.insert(name.to_owned(), value);
        }
    }

    /// Returns those that EXPORT names, of which `*` stands for all.
    pub(super) fn exported(&self, names: &[String]) -> Self {
        let is_named = |name: &str| names.iter().any(|exported| exported == "*" || exported == name);
        let named = self.0.iter().filter(|(name, _)| is_named(name));
        Self(named.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// Replaces the symbols that have values. It does not search the values again: their symbols were replaced when they were set.
    pub(super) fn replace(&self, text: &str) -> String {
        if !text.contains('&') {
            return text.to_owned();
        }
        let mut replaced = String::with_capacity(text.len());
        let mut copied = 0;
        for found in SymbolSpan::of(text) {
            let value = match self.0.get(&found.name(text).to_ascii_uppercase()) {
                Some(value) if replaced.len() + value.len() <= MOST_BYTES => value,
                _ => continue,
            };
            replaced.push_str(&text[copied..found.range.start]);
            replaced.push_str(value);
            copied = found.range.end + usize::from(text[found.range.end..].starts_with('.'));
            // A symbol at the end of the value ends there, whatever follows.
            let ends_in_symbol = SymbolSpan::of(value).last().is_some_and(|last| last.range.end == value.len());
            let goes_on = text.as_bytes().get(copied).is_some_and(|next| *next == b'.' || is_of_name(next));
            if ends_in_symbol && goes_on {
                replaced.push('.');
            }
        }
        replaced.push_str(&text[copied..]);
        replaced
    }
}

/// Returns the names of the symbols in a text. `&&X` is not a symbol.
pub(super) fn names_in(text: &str) -> impl Iterator<Item = &str> {
    SymbolSpan::of(text).map(|found| found.name(text))
}

/// Whether a byte can be part of a symbol's name.
fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'@' | b'#' | b'$')
}

/// Whether the system sets the symbol when the job runs.
pub(super) fn is_system_symbol(name: &str) -> bool {
    const TIMES: [&str; 14] = [
        "YYMMDD", "LYYMMDD", "YR2", "YR4", "LYR2", "LYR4", "MON", "LMON", "DAY", "LDAY", "JDAY", "LJDAY", "HHMMSS",
        "LHHMMSS",
    ];
    let name = name.to_ascii_uppercase();
    name.starts_with("SYS") || TIMES.contains(&name.as_str())
}

/// The span of a symbol, including its ampersand but not a period after it.
struct SymbolSpan {
    range: Range<usize>,
}

impl SymbolSpan {
    fn of(text: &str) -> impl Iterator<Item = SymbolSpan> {
        let bytes = text.as_bytes();
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(offset) = bytes[at..].iter().position(|byte| *byte == b'&') {
                let start = at + offset;
                let doubled = bytes.get(start + 1) == Some(&b'&');
                let from = start + 1 + usize::from(doubled);
                let long = bytes[from..].iter().take(LONGEST_NAME).take_while(|byte| is_of_name(byte)).count();
                at = from + long;
                if !doubled && long > 0 && !bytes[from].is_ascii_digit() {
                    return Some(SymbolSpan { range: start..at });
                }
            }
            None
        })
    }

    fn name<'a>(&self, text: &'a str) -> &'a str {
        &text[self.range.start + 1..self.range.end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[(&str, &str)], text: &str, expected: &str) {
        let mut symbols = Symbols::default();
        values.iter().for_each(|(name, value)| symbols.set(name, (*value).to_owned()));
        assert_eq!(symbols.replace(text), expected);
    }

    #[test]
    fn a_period_ends_a_symbol_and_is_part_of_it() {
        let values = [("HLQ", "TMA.PROD"), ("N", ""), ("MEM", "X")];
        check(&values, "&HLQ..LOADLIB", "TMA.PROD.LOADLIB");
        check(&values, "&HLQ.X(&MEM)", "TMA.PRODX(X)");
        check(&values, "A&N.B&N", "AB");
        check(&values, "&hlq", "TMA.PROD");
        let values = [("ID", "&SYSUID"), ("MEM", "&M")];
        check(&values, "&ID..CBL(&MEM)", "&SYSUID..CBL(&M)");
        check(&values, "&ID.X", "&SYSUID.X");
        check(&values, "&ID.#1", "&SYSUID.#1");
    }

    #[test]
    fn temporary_names_and_what_has_no_value_stay() {
        let values = [("X", "1")];
        check(&values, "&&X", "&&X");
        check(&values, "&Y..&X", "&Y..1");
        check(&values, "A & B, &, &9", "A & B, &, &9");
        assert_eq!(names_in("&&X,&Y..Z(&MEMBERNAME) &").collect::<Vec<_>>(), ["Y", "MEMBERNA"]);
    }

    #[test]
    fn symbols_of_symbols_do_not_grow_without_end() {
        let mut symbols = Symbols::default();
        symbols.set("A", "0123456789".to_owned());
        for _ in 0..100 {
            let value = symbols.replace("&A&A");
            symbols.set("A", value);
        }
        assert!(symbols.replace("&A").len() <= MOST_BYTES);
    }
}
