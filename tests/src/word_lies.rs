//! How words are made untrue: each lie in one way, so that a measure shows what that way passes for.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How words are made untrue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordLie {
    /// Every citation is this many rows too far down.
    Shifted(u64),
    /// Conditions say the opposite.
    Negated,
    /// Less is greater, and greater is less.
    Turned,
    /// What is read is said to be written, and the other way round.
    Reversed,
    /// Names are exchanged for others of the program.
    Swapped,
    /// Numbers of two digits and more have one more.
    Renumbered,
    /// Literals in quotes are exchanged for others of the program.
    Requoted,
    /// Words of English are exchanged for their opposites: `before` for `after`.
    Opposed,
    /// What is said to be so is said not to be so.
    Denied,
}

impl WordLie {
    /// All lies, the shift by as many rows as the measure of a careless reader.
    pub const ALL: [WordLie; 9] = [
        WordLie::Shifted(15),
        WordLie::Negated,
        WordLie::Turned,
        WordLie::Reversed,
        WordLie::Swapped,
        WordLie::Renumbered,
        WordLie::Requoted,
        WordLie::Opposed,
        WordLie::Denied,
    ];

    /// Makes an item of a list untrue; false if it cannot be in this way, and would say what is true.
    pub(crate) fn tell(self, list: &mut String, item: &mut Value, rows: u64, spoken: &SpokenWords) -> bool {
        for citation in item["citations"].as_array_mut().into_iter().flatten() {
            citation["quote"] = Value::Null;
        }
        let kinds = ["business_rules", "error_handling", "data_flow"];
        let is_telling = kinds.iter().any(|kind| list.starts_with(kind));
        match self {
            WordLie::Shifted(by) => {
                for citation in item["citations"].as_array_mut().into_iter().flatten() {
                    for end in ["start", "end"] {
                        citation[end] = json!((citation[end].as_u64().unwrap_or(1) + by).min(rows));
                    }
                }
                true
            }
            WordLie::Negated => list == "business_rules" && change_conditions(item, negated),
            WordLie::Turned => list == "business_rules" && change_conditions(item, turned),
            WordLie::Reversed => {
                let others = [
                    ("inputs", "outputs"),
                    ("outputs", "inputs"),
                    ("data_flow.reads_from", "data_flow.writes_to"),
                    ("data_flow.writes_to", "data_flow.reads_from"),
                ];
                let other = others.into_iter().find(|(own, _)| list == own);
                other.map(|(_, other)| other.clone_into(list)).is_some()
            }
            WordLie::Swapped => is_telling && change_texts(item, &|text| swapped(text, &spoken.names)),
            WordLie::Renumbered => is_telling && change_texts(item, &renumbered),
            WordLie::Requoted => is_telling && change_texts(item, &|text| requoted(text, &spoken.literals)),
            WordLie::Opposed => is_telling && change_texts(item, &|text| replaced_word(text, &OPPOSITES)),
            WordLie::Denied => is_telling && change_texts(item, &|text| replaced_word(text, &DENIALS)),
        }
    }
}

/// The COBOL names and the literals in the answers about a program, each once.
#[derive(Debug, Default)]
pub(crate) struct SpokenWords {
    names: Vec<String>,
    literals: Vec<String>,
}

impl SpokenWords {
    pub(crate) fn of<'v>(items: impl Iterator<Item = &'v Value>) -> Self {
        let (mut names, mut literals) = (BTreeSet::new(), BTreeSet::new());
        for item in items {
            each_text(item, &mut |text| {
                names.extend(words(text).filter(|word| is_name(word)).map(str::to_owned));
                literals.extend(quoted(text).into_iter().map(str::to_owned));
            });
        }
        Self { names: names.into_iter().collect(), literals: literals.into_iter().collect() }
    }
}

/// Words and their opposites, each pair in one way; the first that a text has is exchanged.
const OPPOSITES: [(&str, &str); 18] = [
    ("greater than", "less than"),
    ("less than", "greater than"),
    ("more than", "less than"),
    ("at least", "at most"),
    ("at most", "at least"),
    ("above", "below"),
    ("below", "above"),
    ("before", "after"),
    ("after", "before"),
    ("adds", "subtracts"),
    ("added", "subtracted"),
    ("minus", "plus"),
    ("plus", "minus"),
    ("fails", "succeeds"),
    ("opened for input", "opened for output"),
    ("first", "last"),
    ("last", "first"),
    ("higher", "lower"),
];

/// The same for what is said to be so, and not to be so.
const DENIALS: [(&str, &str); 8] = [
    ("is not", "is"),
    ("are not", "are"),
    ("does not", "does"),
    ("cannot", "can"),
    ("must", "need not"),
    ("is", "is not"),
    ("are", "are not"),
    ("goes", "does not go"),
];

/// The first replacement that applies.
fn replaced(text: &str, pairs: &[(&str, &str)]) -> Option<String> {
    pairs.iter().find(|(from, _)| text.contains(from)).map(|(from, to)| text.replacen(from, to, 1))
}

/// The opposite of a condition, where it is one of COBOL's.
fn negated(condition: &str) -> Option<String> {
    let pairs = [
        (" NOT = ", " = "),
        (" = ", " NOT = "),
        (" not equal to ", " equal to "),
        (" NOT > ", " > "),
        (" NOT < ", " < "),
        (" > ", " NOT > "),
        (" < ", " NOT < "),
    ];
    // A source in small letters has them here as well.
    let denied = [" not = ", " not > ", " not < "];
    let condition = &denied.iter().fold(condition.to_owned(), |text, sign| text.replace(sign, &sign.to_uppercase()));
    let is_condition_name = !condition.is_empty() && words(condition).count() == 1 && is_name(condition);
    replaced(condition, &pairs)
        .or_else(|| condition.strip_prefix("NOT ").or_else(|| condition.strip_prefix("not ")).map(str::to_owned))
        .or_else(|| is_condition_name.then(|| format!("NOT {condition}")))
}

/// A condition with its order turned.
fn turned(condition: &str) -> Option<String> {
    let pairs = [
        (" >= ", " < "),
        (" <= ", " > "),
        (" < ", " > "),
        (" > ", " < "),
        (" less than ", " greater than "),
        (" greater than ", " less than "),
    ];
    replaced(condition, &pairs)
}

fn change_conditions(item: &mut Value, change: fn(&str) -> Option<String>) -> bool {
    let mut has_changed = false;
    for condition in item["conditions"].as_array_mut().into_iter().flatten() {
        if let Some(changed) = condition.as_str().and_then(change) {
            *condition = Value::String(changed);
            has_changed = true;
        }
    }
    has_changed
}

/// A text with every name exchanged for another; none without a name.
fn swapped(text: &str, names: &[String]) -> Option<String> {
    let other = |word: &str| {
        let at = names.iter().position(|name| name == word)?;
        Some(names[(at + names.len() / 2) % names.len()].clone())
    };
    changed_words(text, &other)
}

/// A text with one more digit behind each of its numbers outside quotes.
fn renumbered(text: &str) -> Option<String> {
    if !quoted(text).is_empty() {
        return None;
    }
    let is_number = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit());
    changed_words(text, &|word| is_number(word).then(|| format!("{word}7")))
}

/// A text with every literal exchanged for another; none without one.
fn requoted(text: &str, literals: &[String]) -> Option<String> {
    let mut changed = text.to_owned();
    for literal in quoted(text) {
        let at = literals.iter().position(|other| other == literal)?;
        let other = &literals[(at + literals.len() / 2) % literals.len()];
        changed = changed.replace(&format!("'{literal}'"), &format!("'{other}'"));
    }
    (changed != text).then_some(changed)
}

/// The literals in single quotes of a text.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('\'') {
        let is_apostrophe = rest[..start].chars().next_back().is_some_and(char::is_alphanumeric);
        let behind = &rest[start + 1..];
        match behind.find('\'').filter(|_| !is_apostrophe) {
            Some(end) => {
                found.push(&behind[..end]);
                rest = &behind[end + 1..];
            }
            None => rest = behind,
        }
    }
    found.retain(|literal| !literal.is_empty());
    found
}

/// The first pair of which a text has the whole words, exchanged once.
fn replaced_word(text: &str, pairs: &[(&str, &str)]) -> Option<String> {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '-');
    let place = |words: &str| {
        text.match_indices(words)
            .map(|(at, _)| at)
            .find(|at| is_edge(text[..*at].chars().next_back()) && is_edge(text[at + words.len()..].chars().next()))
    };
    pairs.iter().find_map(|(from, to)| {
        let at = place(from)?;
        Some(format!("{}{to}{}", &text[..at], &text[at + from.len()..]))
    })
}

/// A text with each word changed that can be; none if no word can.
fn changed_words(text: &str, change: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut changed = String::new();
    let mut rest = text;
    for word in words(text) {
        let at = rest.find(word).expect("a word is in its text");
        changed.push_str(&rest[..at]);
        rest = &rest[at + word.len()..];
        changed.push_str(&change(word).unwrap_or_else(|| word.to_owned()));
    }
    changed.push_str(rest);
    (changed != text).then_some(changed)
}

/// Changes all texts of an item that can be; false if none can.
fn change_texts(value: &mut Value, change: &dyn Fn(&str) -> Option<String>) -> bool {
    let mut has_changed = false;
    match value {
        Value::String(text) => {
            if let Some(changed) = change(text) {
                *text = changed;
                has_changed = true;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| has_changed |= change_texts(value, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| has_changed |= change_texts(value, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    has_changed
}

fn each_text(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(values) => values.iter().for_each(|value| each_text(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| each_text(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).filter(|word| !word.is_empty())
}

fn is_name(word: &str) -> bool {
    let is_upper = word == word.to_uppercase() && word.contains(|c: char| c.is_ascii_uppercase());
    is_upper && word.contains('-') && word.len() > 4 && !word.starts_with('-') && !word.ends_with('-')
}
