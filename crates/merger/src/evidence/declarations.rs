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

/// The organizations of files.
const ORGANIZATIONS: [&str; 3] = ["INDEXED", "RELATIVE", "SEQUENTIAL"];

/// How many words before its organization the name of a file may stand.
const FILE_BEFORE: usize = 4;

/// The numbers from one on, in words.
const NUMBERS: [&str; 20] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
];

impl EvidenceIndex<'_> {
    /// Whether a text declares an item otherwise than the source: by a picture, by a number of digits or characters, or by its sign.
    pub(super) fn declares_otherwise(&self, text: &str, cited: &[LineRange]) -> bool {
        self.has_another_picture(text, cited)
            || full_sentences(text)
                .into_iter()
                .filter(|sentence| !denies(sentence))
                .any(|sentence| self.measures_otherwise(sentence) || self.is_of_another_length(sentence, cited))
            || full_sentences(text)
                .into_iter()
                .any(|sentence| self.organizes_otherwise(sentence) || self.has_another_form(sentence, cited))
    }

    /// Whether a sentence says of a file that it is indexed, relative or sequential, and it is another: `MASTER is an indexed file`.
    fn organizes_otherwise(&self, sentence: &str) -> bool {
        let tokens = tokens(sentence);
        (0..tokens.len()).filter(|at| is_at(&tokens, at + 1, &["file"])).any(|at| {
            let told = ORGANIZATIONS.iter().find(|organization| tokens[at].is(organization));
            let file = (at.saturating_sub(FILE_BEFORE)..at).rev().find_map(|at| self.name_at(&tokens, at));
            let mut own = self.parsed().files.iter().filter(|own| Some(&own.name) == file.as_ref()).peekable();
            own.peek().is_some() && told.is_some_and(|told| own.all(|own| !own.organization.ends_with(told)))
        })
    }

    /// Whether a sentence tells of the digits before the point, the decimals or the sign of one item, and that has others: `five integer digits and two
    /// decimals`, `held without a sign`.
    fn has_another_form(&self, sentence: &str, cited: &[LineRange]) -> bool {
        let tokens = tokens(sentence);
        let is = |at: usize, of: &[&str]| is_at(&tokens, at, of);
        let mut meant: Vec<&DataItem> = {
            let named = (0..tokens.len()).filter_map(|at| self.name_at(&tokens, at));
            named.flat_map(|name| self.pictures(&name)).collect()
        };
        if meant.is_empty() {
            meant = self.described("", cited);
        }
        meant.retain(|item| is_numeric(item));
        meant.dedup_by(|one, other| one.name == other.name);
        // Of several, it is not known which one is meant.
        let [item] = meant.as_slice() else { return false };
        let [all, whole] = digits(item);
        (0..tokens.len()).any(|at| {
            let Token::Word(word) = tokens[at] else { return false };
            let count = number(word);
            let is_unsigned = is(at, &["unsigned"])
                || (is(at, &["without", "no"])
                    && (is(at + 1, &["sign"]) || (is(at + 1, &["a"]) && is(at + 2, &["sign"]))));
            // A user is signed on.
            let is_signed_told = is(at, &["signed"])
                && !is(at.wrapping_sub(1), &["not"])
                && !is(at + 1, &["on", "in", "off", "out", "by"]);
            (count.is_some_and(|count| count != whole) && is(at + 1, &["integer", "whole"]) && is(at + 2, &["digits"]))
                || (count.is_some_and(|count| count != all - whole)
                    && (is(at + 1, &["decimals"]) || (is(at + 1, &["decimal"]) && is(at + 2, &["places", "digits"]))))
                || (is_unsigned && is_signed(item))
                || (is_signed_told && !is_signed(item))
        })
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

    /// Whether a text has a picture that neither an item right before it has, `WS-A (PIC 9(4))`, nor any other that the sentence names or the cited
    /// lines declare or use.
    fn has_another_picture(&self, text: &str, cited: &[LineRange]) -> bool {
        let upper = text.to_uppercase();
        full_sentences(&upper).into_iter().any(|sentence| {
            let pictures = pictures_in(sentence);
            let is_other = |(before, told): &(&str, Vec<(char, u64)>)| {
                let name = before.rsplit(char::is_whitespace).next().unwrap_or_default();
                let mut meant = self.pictures(name);
                if meant.is_empty() {
                    meant = self.described(sentence, cited);
                }
                !meant.is_empty() && meant.iter().all(|item| symbols_of(item) != *told)
            };
            pictures.iter().any(is_other)
        })
    }

    /// Returns the items that a sentence can describe: those that it names, and those that the cited lines declare or use.
    fn described(&self, sentence: &str, cited: &[LineRange]) -> Vec<&DataItem> {
        let (items, def_use) = (&self.parsed().data_items, self.analysis.def_use());
        let is_cited = |item: &DataItem| {
            let own = item.lines.filter(|_| item.file.is_none());
            own.is_some_and(|own| cited.iter().any(|range| range.intersection(own).is_some()))
        };
        let tokens = tokens(sentence);
        let named = (0..tokens.len()).filter_map(|at| self.name_at(&tokens, at));
        let mut found: Vec<&DataItem> = named.flat_map(|name| self.pictures(&name)).collect();
        found.extend(items.iter().filter(|item| is_cited(item)));
        let used = self.statements_in(cited).flat_map(|statement| def_use.of_statement(statement));
        found.extend(used.map(|used| &items[used.item()]));
        found.retain(|item| item.picture.is_some());
        found
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

/// Returns the pictures in a text in upper case, each with what stands before it: `PIC 9(4)`, `S9(5) COMP`.
fn pictures_in(text: &str) -> Vec<(&str, Vec<(char, u64)>)> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let word = word.trim_start_matches('(').trim_end_matches(['.', ',', ';', ':']);
        // The parenthesis around the picture is none of its own.
        let is_open = word.matches(')').count() > word.matches('(').count();
        let told = word.strip_suffix(')').filter(|_| is_open).unwrap_or(word);
        let before = text[..at].trim_end();
        let follows = ["PIC", "PICTURE", "PIC IS", "PICTURE IS"];
        let clause = follows.into_iter().filter_map(|clause| before.strip_suffix(clause)).next_back();
        let is_repeated = ["9(", "X("].into_iter().any(|repeated| told.contains(repeated));
        let is_picture = told.contains(['X', '9', 'A', 'Z']) && told.bytes().all(|byte| PICTURE.contains(&byte));
        if is_picture && (clause.is_some() || is_repeated) {
            let before = clause.unwrap_or(before).trim_end().trim_end_matches(['(', ',']).trim_end();
            found.extend(picture_symbols(told).map(|symbols| (before, symbols)));
        }
    }
    found
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
