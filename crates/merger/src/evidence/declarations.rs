//! What words say of the declaration of an item: its picture, its digits, its sign.

use super::EvidenceIndex;
use super::tokens::{Token, is_at, tokens};
use super::wording::{denies, full_sentences, is_one};
use war_rig_cobol::{DataItem, picture_symbols};
use war_rig_text::LineRange;

/// What pictures consist of.
const PICTURE: &[u8] = b"XA9SVPZB0123456789().,+-*$/";

/// How many words behind a measure its item may stand.
const BEHIND: usize = 2;

/// How many words a measure may stand behind the comma after its item.
const APART: usize = 4;

/// Units of a length.
const UNITS: [&str; 6] = ["byte", "bytes", "character", "characters", "digit", "digits"];

/// Words of a text about a part of an item, or about more than one.
const PARTS: [&str; 17] = [
    "first", "last", "leading", "trailing", "part", "substring", "least", "most", "than", "up", "more", "each",
    "total", "together", "both", "line", "record",
];

/// The numbers from one on, in words.
const NUMBERS: [&str; 20] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
];

impl EvidenceIndex<'_> {
    /// Whether a text declares an item otherwise than the source: by a picture, by a number of digits or characters, or by its sign.
    pub(super) fn declares_otherwise(&self, text: &str, cited: &[LineRange]) -> bool {
        self.has_another_picture(text)
            || full_sentences(text)
                .into_iter()
                .filter(|sentence| !denies(sentence))
                .any(|sentence| self.measures_otherwise(sentence) || self.is_of_another_length(sentence, cited))
    }

    /// Whether a sentence speaks of a length of so many bytes or digits, and nothing that it names, contains or is contained in that, nor any number on the
    /// cited lines, has it: `the key of 9 bytes in WS-KEY`.
    fn is_of_another_length(&self, sentence: &str, cited: &[LineRange]) -> bool {
        let tokens = tokens(sentence);
        let items = &self.parsed().data_items;
        let named: Vec<usize> = (0..tokens.len())
            .filter_map(|at| self.name_at(&tokens, at))
            .flat_map(|name| (0..items.len()).filter(move |item| items[*item].name.eq_ignore_ascii_case(&name)))
            .collect();
        // Of an item whose length is not known, and of a part of one, nothing is known.
        let is_known = !named.is_empty() && named.iter().all(|item| items[*item].length.is_some());
        if !is_known || tokens.iter().any(|token| token.is_one(&PARTS)) {
            return false;
        }
        let mut lengths: Vec<u64> = Vec::new();
        // What cited statements work on may be meant as well.
        let def_use = self.analysis.def_use();
        let used =
            self.statements_in(cited).flat_map(|statement| def_use.of_statement(statement)).map(|used| used.item());
        for item in used.chain(named) {
            let around = std::iter::successors(items[item].parent, |item| items[*item].parent);
            for related in self.parsed().parts_of(item).chain(around).chain([item]) {
                let related = &items[related];
                let whole = digits(related);
                let all = related.length.zip(related.occurs).map(|(length, times)| length * u64::from(times));
                lengths.extend(related.length.into_iter().chain(all).chain(whole).chain([whole[0] - whole[1]]));
                lengths.extend(shown_digits(related));
            }
        }
        let own = self.own(cited);
        let has = |count: u64| lengths.contains(&count) || own.holds_number(&count.to_string());
        (0..tokens.len()).any(|at| {
            let Token::Word(word) = tokens[at] else { return false };
            let joined = measure(word).map(|(count, _)| count);
            let unit =
                is_at(&tokens, at + 1, &UNITS) && is_at(&tokens, at.wrapping_sub(1), &["of", "has", "with", "holds"]);
            let count = joined.or_else(|| number(word).filter(|_| unit));
            count.is_some_and(|count| count > 1 && !has(count))
        })
    }

    /// Whether a picture stands right behind an item that has another one: `WS-A (PIC 9(4))`.
    fn has_another_picture(&self, text: &str) -> bool {
        let upper = text.to_uppercase();
        upper.match_indices("PIC ").any(|(at, _)| {
            let before = upper[..at].trim_end().trim_end_matches(['(', ',']).trim_end();
            let name = before.rsplit(char::is_whitespace).next().unwrap_or_default();
            let behind = upper[at + "PIC ".len()..].trim_start();
            let behind = behind.strip_prefix("IS ").unwrap_or(behind);
            let told =
                behind.split(char::is_whitespace).next().unwrap_or_default().trim_end_matches(['.', ',', ';', ':']);
            // The parenthesis around the picture is none of its own.
            let is_open = told.matches(')').count() > told.matches('(').count();
            let told = if is_open { told.strip_suffix(')').unwrap_or(told) } else { told };
            let is_picture = told.contains(['X', '9', 'A', 'Z']) && told.bytes().all(|byte| PICTURE.contains(&byte));
            if !is_picture || !upper[..at].ends_with([' ', '(', ',']) {
                return false;
            }
            let own = self.pictures(name);
            let told = picture_symbols(told);
            told.is_some_and(|told| !own.is_empty() && own.iter().all(|item| symbols_of(item) != told))
        })
    }

    /// Whether a sentence gives a number of digits or characters, or a sign, to an item that has another.
    fn measures_otherwise(&self, sentence: &str) -> bool {
        let tokens = tokens(sentence);
        (0..tokens.len()).any(|at| {
            let Token::Word(word) = tokens[at] else { return false };
            let is_sign = is_one(word, &["signed", "unsigned"]);
            let measured = measure(word);
            if !is_sign && measured.is_none() {
                return false;
            }
            let Some(name) = self.measured_item(&tokens, at) else { return false };
            let own = self.pictures(&name);
            !own.is_empty()
                && own.iter().all(|item| match measured {
                    Some((count, true)) => is_numeric(item) && !digits(item).contains(&count),
                    Some((count, false)) => !is_numeric(item) && item.length.is_some_and(|length| length != count),
                    None => is_numeric(item) && is_signed(item) == is_one(word, &["unsigned"]),
                })
        })
    }

    /// Returns the item that a measure at a place is about: the one right behind it, or the one that it explains (`X, an unsigned item`, `X is an
    /// unsigned item`).
    fn measured_item(&self, tokens: &[Token<'_>], at: usize) -> Option<String> {
        let item = |at: usize| self.name_at(tokens, at).filter(|name| !self.pictures(name).is_empty());
        if let Some(behind) = (at + 1..tokens.len()).take(BEHIND).find_map(item) {
            return Some(behind);
        }
        let is_comma = |at: &usize| tokens[*at].is(",");
        let before = (0..at).rev().find(is_comma);
        let explains = |comma: &usize| is_at(tokens, *comma + 1, &["a", "an", "the"]) && *comma + APART >= at;
        if let Some(explained) = before.filter(explains).and_then(|comma| item(comma.checked_sub(1)?)) {
            return Some(explained);
        }
        // `X is an unsigned item`.
        let is = |back: usize, of: &[&str]| at.checked_sub(back).is_some_and(|at| is_at(tokens, at, of));
        match () {
            () if is(1, &["a", "an"]) && is(2, &["is"]) => item(at.checked_sub(3)?),
            () if is(1, &["is"]) => item(at.checked_sub(2)?),
            () => None,
        }
    }

    /// Returns the items with this name, if all have pictures.
    fn pictures(&self, name: &str) -> Vec<&DataItem> {
        let items: Vec<&DataItem> =
            self.parsed().data_items.iter().filter(|item| item.name.eq_ignore_ascii_case(name)).collect();
        if items.iter().all(|item| item.picture.is_some()) { items } else { Vec::new() }
    }
}

/// Returns the number in `eight-digit` or `12-character`, and whether it counts digits.
fn measure(word: &str) -> Option<(u64, bool)> {
    let (count, unit) = word.split_once('-')?;
    let number = number(count)?;
    match () {
        () if is_one(unit, &["digit", "digits"]) => Some((number, true)),
        () if is_one(unit, &["character", "characters", "byte", "bytes"]) => Some((number, false)),
        () => None,
    }
}

/// Returns a number in digits or in words.
fn number(word: &str) -> Option<u64> {
    word.parse().ok().or_else(|| {
        let at = NUMBERS.iter().position(|name| name.eq_ignore_ascii_case(word))?;
        u64::try_from(at + 1).ok()
    })
}

/// Returns how many digits an edited number shows at most, before the point and in all.
fn shown_digits(item: &DataItem) -> [u64; 2] {
    let symbols = symbols_of(item);
    let is_digit = |symbol: char| "9Z*".contains(symbol);
    let count = |of: &[(char, u64)]| of.iter().filter(|(symbol, _)| is_digit(*symbol)).map(|(_, times)| times).sum();
    let point = symbols.iter().rposition(|(symbol, _)| ",.".contains(*symbol)).unwrap_or(symbols.len());
    [count(&symbols), count(&symbols[..point])]
}

fn symbols_of(item: &DataItem) -> Vec<(char, u64)> {
    item.picture.as_deref().and_then(picture_symbols).unwrap_or_default()
}

fn is_numeric(item: &DataItem) -> bool {
    let symbols = symbols_of(item);
    !symbols.is_empty() && symbols.iter().all(|(symbol, _)| "S9VP".contains(*symbol))
}

fn is_signed(item: &DataItem) -> bool {
    symbols_of(item).first().is_some_and(|(symbol, _)| *symbol == 'S')
}

/// Returns how many digits a number has, in all and before the point.
fn digits(item: &DataItem) -> [u64; 2] {
    let symbols = symbols_of(item);
    let count = |of: &[(char, u64)]| of.iter().filter(|(symbol, _)| *symbol == '9').map(|(_, times)| times).sum();
    let point = symbols.iter().position(|(symbol, _)| *symbol == 'V').unwrap_or(symbols.len());
    [count(&symbols), count(&symbols[..point])]
}
