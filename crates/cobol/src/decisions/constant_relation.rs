//! What two constants say of each other: `0` and `ZERO`, `'A'` and `"A"`, `DFHPF3` and `DFHENTER`.

use crate::code::{CodeText, CodeWord, WordKind};
use std::cmp::Ordering;

/// The relation of two constants with which the same item is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstantRelation {
    /// An item that equals one also equals the other.
    Equal,
    /// No item equals both.
    Different,
    /// Both are numbers, of which the first is less or greater.
    Ordered(Ordering),
    /// Nobody knows, or one is no constant.
    Unknown,
}

use ConstantRelation::{Different, Equal, Ordered, Unknown};

impl ConstantRelation {
    /// Compares two operands. A text compares with a number by its characters, so that `1` and `01` are different for it.
    pub(crate) fn of(one: &CodeText, other: &CodeText, is_text: bool) -> Self {
        if is_same(one, other) {
            return Equal;
        }
        if let (Some(function), Some(same)) = (cics_function(one), cics_function(other)) {
            return if function.eq_ignore_ascii_case(same) { Different } else { Unknown };
        }
        if is_terminal_key(one) && is_terminal_key(other) {
            return Different;
        }
        let Some((first, second)) = Constant::of(one).zip(Constant::of(other)) else { return Unknown };
        match first.with(&second, is_text) {
            Unknown => second.with(&first, is_text).reversed(),
            known => known,
        }
    }

    fn reversed(self) -> Self {
        match self {
            Ordered(order) => Ordered(order.reverse()),
            other => other,
        }
    }
}

/// Returns whether two operands are the same words; names may differ in case.
fn is_same(one: &CodeText, other: &CodeText) -> bool {
    let is_alike = |(first, second): (CodeWord<'_>, CodeWord<'_>)| match first.kind {
        WordKind::Literal => first.text == second.text,
        _ => first.text.eq_ignore_ascii_case(second.text),
    };
    one.words().len() == other.words().len() && one.words().iter().zip(other.words().iter()).all(is_alike)
}

/// Returns the function by which CICS gives numbers to the names in its parentheses: two names of one function have different numbers.
fn cics_function(code: &CodeText) -> Option<&str> {
    code.words().first().filter(|first| first.is_any(&["DFHRESP", "DFHVALUE"])).map(|first| first.text)
}

/// The names of the keys of the terminal, except PF1 to PF24: no two keys have the same value. Source: CICS Transaction Server, copybook DFHAID.
const KEYS: [&str; 12] = [
    "DFHCLEAR", "DFHCLRP", "DFHENTER", "DFHMSRE", "DFHNULL", "DFHOPID", "DFHPA1", "DFHPA2", "DFHPA3", "DFHPEN",
    "DFHSTRF", "DFHTRIG",
];

/// Returns whether an operand is the name of a key of the terminal. DFHAID is none: it is the group of all of them.
pub fn is_terminal_key(code: &CodeText) -> bool {
    let is_it = |word: CodeWord<'_>| {
        let name = word.text.to_ascii_uppercase();
        let function = name.strip_prefix("DFHPF").and_then(|number| number.parse::<u8>().ok());
        KEYS.contains(&name.as_str()) || function.is_some_and(|number| (1..=24).contains(&number))
    };
    code.words().only().is_some_and(is_it)
}

/// A constant of one word.
#[derive(Debug, PartialEq, Eq)]
enum Constant<'a> {
    /// As written.
    Number(&'a str),
    Zero,
    Space,
    /// Characters without the blanks at their end, which a comparison ignores.
    Text(String),
    /// LOW-VALUES, HIGH-VALUES, QUOTES and NULL, by their first letter.
    Filled(char),
    /// A literal with a prefix, such as X'0D'.
    Coded(&'a str),
}

impl<'a> Constant<'a> {
    fn of(code: &'a CodeText) -> Option<Self> {
        let word = code.words().only()?;
        match word.kind {
            WordKind::Number => Some(Constant::Number(word.text)),
            WordKind::Literal => Some(match word.text.chars().next() {
                Some(quote @ ('\'' | '"')) => {
                    let inner = word.text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote))?;
                    let text = inner.replace(&format!("{quote}{quote}"), &quote.to_string());
                    let text = text.trim_end_matches(' ');
                    if text.is_empty() { Constant::Space } else { Constant::Text(text.to_owned()) }
                }
                _ => Constant::Coded(word.text),
            }),
            WordKind::Name if !word.is_constant() => None,
            WordKind::Name => Some(match word.text.chars().next()?.to_ascii_uppercase() {
                'Z' => Constant::Zero,
                'S' => Constant::Space,
                letter => Constant::Filled(letter),
            }),
            WordKind::Sign => None,
        }
    }

    /// Compares this constant with another one; unknown for some pairs whose order is the other one.
    fn with(&self, other: &Self, is_text: bool) -> ConstantRelation {
        let differ = |differ: bool| if differ { Different } else { Unknown };
        match (self, other) {
            // The sign of a number is no character.
            (Constant::Number(one), _) if is_text && !is_digits(one) => Unknown,
            (_, Constant::Number(other)) if is_text && !is_digits(other) => Unknown,
            (Constant::Number(one), Constant::Number(other)) if is_text => compare_texts(one, other),
            (Constant::Number(one), Constant::Number(other)) => compare_numbers(one, other),
            // A text of any length is full of zeros.
            (Constant::Number(one), Constant::Zero) if is_text => differ(one.bytes().any(|byte| byte != b'0')),
            (Constant::Number(one), Constant::Zero) => compare_numbers(one, "0"),
            (Constant::Number(one), Constant::Text(text)) if is_text => compare_texts(one, text),
            (Constant::Zero, Constant::Text(text)) => differ(text.bytes().any(|byte| byte != b'0')),
            (Constant::Zero, Constant::Zero) | (Constant::Space, Constant::Space) => Equal,
            (Constant::Text(one), Constant::Text(other)) => compare_texts(one, other),
            (Constant::Filled(one), Constant::Filled(other)) if one == other => Equal,
            (Constant::Coded(one), Constant::Coded(other)) if is_hexadecimal(one) && is_hexadecimal(other) => {
                match one.len() == other.len() {
                    true => compare_texts(&one.to_ascii_uppercase(), &other.to_ascii_uppercase()),
                    false => Unknown,
                }
            }
            // NULL may be the lowest value.
            (Constant::Filled('N'), _) | (_, Constant::Filled('N')) => Unknown,
            (Constant::Filled('Q'), Constant::Text(text)) => differ(!text.chars().all(|letter| "'\"".contains(letter))),
            (Constant::Space | Constant::Filled(_), Constant::Coded(_)) => Unknown,
            (Constant::Space | Constant::Filled(_), _) => Different,
            _ => Unknown,
        }
    }
}

fn is_digits(number: &str) -> bool {
    number.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hexadecimal(literal: &str) -> bool {
    literal.starts_with(['X', 'x'])
}

/// Compares the characters of two texts; which one is less depends on the machine.
fn compare_texts(one: &str, other: &str) -> ConstantRelation {
    if one == other { Equal } else { Different }
}

/// Compares two numbers as written, of any length.
fn compare_numbers(one: &str, other: &str) -> ConstantRelation {
    let Some((one, other)) = Decimal::of(one).zip(Decimal::of(other)) else { return Unknown };
    match one.cmp(&other) {
        Ordering::Equal => Equal,
        order => Ordered(order),
    }
}

/// A number, by the digits that count.
#[derive(PartialEq, Eq)]
struct Decimal<'a> {
    is_negative: bool,
    /// The digits before the decimal point, without zeros in front.
    whole: &'a str,
    /// The digits behind it, without zeros at the end.
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let digits = text.trim_start_matches(['+', '-']);
        let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let is_number = !digits.is_empty() && is_digits(whole) && is_digits(fraction);
        let is_zero = whole.is_empty() && fraction.is_empty();
        is_number.then_some(Self { is_negative: text.starts_with('-') && !is_zero, whole, fraction })
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let size = |number: &Self| (number.whole.len(), number.whole, number.fraction);
        match (self.is_negative, other.is_negative) {
            (false, false) => size(self).cmp(&size(other)),
            (true, true) => size(other).cmp(&size(self)),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, is_text: bool, expected: ConstantRelation) {
        let (one, other) = (CodeText::read(one), CodeText::read(other));
        assert_eq!(ConstantRelation::of(&one, &other, is_text), expected, "{one} and {other}");
        assert_eq!(ConstantRelation::of(&other, &one, is_text), expected.reversed(), "{other} and {one}");
    }

    #[test]
    fn numbers_compare_by_their_size() {
        let check = |one: &str, other: &str, expected| check(one, other, false, expected);
        for equal in
            [("0", "ZERO"), ("ZEROS", "-0.00"), ("1", "01"), ("+1", "1.0"), ("1,50", "1.5"), ("Zeroes", "zero")]
        {
            check(equal.0, equal.1, Equal);
        }
        check("1", "2", Ordered(Ordering::Less));
        check("-1", "-2", Ordered(Ordering::Greater));
        check("-1", "ZERO", Ordered(Ordering::Less));
        check("0.9", "0.10", Ordered(Ordering::Greater));
        check("123456789012345678", "123456789012345679", Ordered(Ordering::Less));
        check("1", "SPACES", Different);
        check("1", "'1'", Unknown);
    }

    #[test]
    fn texts_compare_by_their_characters() {
        let check = |one: &str, other: &str, expected| check(one, other, true, expected);
        for equal in
            [("SPACE", "SPACES"), ("SPACES", "' '"), ("'A'", "\"A\""), ("'A '", "'A'"), ("'it''s'", "\"it's\"")]
        {
            check(equal.0, equal.1, Equal);
        }
        check("LOW-VALUE", "LOW-VALUES", Equal);
        check("X'0d'", "x'0D'", Equal);
        check("X'0D'", "X'0A'", Different);
        check("1", "'1'", Equal);
        for different in
            [("'a'", "'A'"), ("1", "01"), ("1", "2"), ("SPACES", "'A'"), ("HIGH-VALUES", "'A'"), ("ZERO", "5")]
        {
            check(different.0, different.1, Different);
        }
        // It depends on the length of the item, or on the characters of the machine.
        for unknown in
            [("0", "ZERO"), ("'00'", "ZERO"), ("SPACES", "X'40'"), ("NULL", "LOW-VALUES"), ("'A'", "B"), ("+1", "1")]
        {
            check(unknown.0, unknown.1, Unknown);
        }
    }

    #[test]
    fn names_of_cics_are_different_among_each_other() {
        let check = |one: &str, other: &str, expected| check(one, other, true, expected);
        check("DFHRESP(NOTFND)", "DFHRESP(NORMAL)", Different);
        check("DFHRESP(NORMAL)", "dfhresp(normal)", Equal);
        check("DFHRESP(NORMAL)", "DFHVALUE(NORMAL)", Unknown);
        check("DFHRESP(NORMAL)", "0", Unknown);
        check("DFHPF3", "'3'", Unknown);
        check("DFHPF3", "DFHPFX", Unknown);
        check("DFHPF3", "DFHVALUE(PF3)", Unknown);
        for key in ["DFHPA1", "DFHPF24", "DFHCLEAR", "DFHCLRP", "DFHPEN", "DFHTRIG", "DFHMSRE", "DFHOPID", "DFHSTRF"] {
            check("DFHENTER", key, Different);
        }
    }
}
