//! Conditions read for what they ask of statuses.

use super::values::{Kind, of_words, outcome_of_value, plain};
use super::{Outcome, Statuses};

/// The words of a condition: names, literals and single signs.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |close| close + 2),
            c if in_word(c) => rest.find(|c: char| !in_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '#' | '$' | '@')
}

/// What one comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// How the operation ended.
    Ended(Outcome),
    /// That it did not end with a certain error: what it did is left open.
    Open,
    /// Something that cannot be told from the text.
    Unknown,
}

impl From<Option<Outcome>> for Says {
    fn from(outcome: Option<Outcome>) -> Self {
        outcome.map_or(Says::Open, Says::Ended)
    }
}

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    Greater,
}

/// A condition as its words.
pub(super) struct Test<'a> {
    words: Vec<&'a str>,
}

impl<'a> Test<'a> {
    pub(super) fn read(condition: &'a str) -> Self {
        Self { words: tokens(condition).collect() }
    }

    /// What the condition says of an operation. A condition that asks other things as well says nothing, unless failure is one of
    /// several things that must all hold.
    pub(super) fn outcome(&self, statuses: &Statuses) -> Option<Outcome> {
        let (mut found, mut others, mut any) = (Vec::new(), false, false);
        let mut at = 0;
        while at < self.words.len() {
            let word = self.words[at].to_uppercase();
            match (word.as_str(), statuses.test(&word)) {
                (_, Some((kind, values))) => {
                    let negated = at > 0 && self.words[at - 1].eq_ignore_ascii_case("NOT");
                    at += 1;
                    match values {
                        Some(values) => found.push(of_condition_name(kind, values, negated)),
                        None => any |= self.relations(kind, &mut at, &mut found),
                    }
                    continue;
                }
                ("OR", None) => any = true,
                ("AND" | "NOT" | "(" | ")" | "IS" | "THEN", None) => {}
                (_, None) => others = true,
            }
            at += 1;
        }
        if found.contains(&Says::Unknown) {
            return None;
        }
        let ended = found.iter().filter_map(|says| match says {
            Says::Ended(outcome) => Some(*outcome),
            Says::Open | Says::Unknown => None,
        });
        let ended: Vec<Outcome> = ended.collect();
        let all = |wanted: Outcome| ended.iter().all(|outcome| *outcome == wanted);
        match (others, any) {
            _ if ended.is_empty() => None,
            (true, false) => all(Outcome::Failure).then_some(Outcome::Failure),
            (true, true) => None,
            // What is as good as success for the program: `= '00' OR '23'`.
            (false, true) if ended.contains(&Outcome::Success) => Some(Outcome::Success),
            (false, _) if ended.contains(&Outcome::Failure) => Some(Outcome::Failure),
            (false, _) if all(Outcome::EndOfData) => Some(Outcome::EndOfData),
            (false, _) => Some(Outcome::Success),
        }
    }

    /// The comparisons of one item: `= '00'`, `NOT = '00' AND '97'`, `IS GREATER THAN 4`. Gives back whether any of several will do.
    fn relations(&self, kind: &Kind, at: &mut usize, found: &mut Vec<Says>) -> bool {
        let (mut relation, mut negated, mut or_equal) = (Relation::Equal, false, false);
        let (mut compared, mut any) = (false, false);
        while let Some(word) = self.words.get(*at) {
            match word.to_uppercase().as_str() {
                "IS" | "TO" | "THAN" | "EQUAL" | "EQUALS" => {}
                "=" => or_equal = relation != Relation::Equal,
                "NOT" => negated = true,
                ">" if relation == Relation::Less => (relation, negated) = (Relation::Equal, true),
                ">" | "GREATER" | "EXCEEDS" => relation = Relation::Greater,
                "<" | "LESS" => relation = Relation::Less,
                "POSITIVE" | "NEGATIVE" => {
                    found.push((!negated).then_some(Outcome::Failure).into());
                    compared = true;
                }
                "OR" if !compared && matches!(relation, Relation::Less | Relation::Greater) => {
                    or_equal = true
                }
                "AND" | "OR" if compared => {
                    // An abbreviated condition goes on with a value, or with another relation of the same item.
                    let next = self.words.get(*at + 1).map(|word| word.to_uppercase()).unwrap_or_default();
                    let goes_on = of_words(&self.words[*at + 1..]).is_some()
                        || matches!(next.as_str(), "=" | "NOT" | ">" | "<" | "EQUAL" | "GREATER" | "LESS");
                    let not_of_another = next == "NOT"
                        && self.words.get(*at + 2).is_some_and(|word| {
                            word.starts_with(|c: char| c.is_alphabetic())
                                && !["EQUAL", "GREATER", "LESS"]
                                    .iter()
                                    .any(|known| known.eq_ignore_ascii_case(word))
                        });
                    if !goes_on || not_of_another {
                        return any;
                    }
                    any |= word.eq_ignore_ascii_case("OR");
                    if of_words(&self.words[*at + 1..]).is_none() {
                        (relation, negated, or_equal) = (Relation::Equal, false, false);
                    }
                }
                _ => match of_words(&self.words[*at..]) {
                    Some(value) => {
                        found.push(compare(kind, relation, or_equal, negated, &value));
                        compared = true;
                        *at += match self.words[*at].to_uppercase().as_str() {
                            "DFHRESP" => 3,
                            "+" | "-" => 1,
                            _ => 0,
                        };
                    }
                    // A subscript, a qualifier, or a comparison with an item: of the last nothing can be said.
                    None if compared => return any,
                    None if matches!(self.words[*at].to_uppercase().as_str(), "OF" | "IN" | "(" | ")") => {}
                    None => found.push(Says::Unknown),
                },
            }
            *at += 1;
        }
        any
    }
}

fn compare(kind: &Kind, relation: Relation, or_equal: bool, negated: bool, value: &str) -> Says {
    let outcome = match (relation, plain(value).as_str()) {
        (Relation::Equal, _) => match outcome_of_value(kind, value) {
            Some(outcome) => outcome,
            None => return Says::Unknown,
        },
        // Errors of SQL are negative and its warnings positive; other codes grow with what went wrong.
        (Relation::Less, "0") if or_equal => return Says::Unknown,
        (Relation::Less, "0") => Outcome::Failure,
        (Relation::Less, _) => Outcome::Success,
        (Relation::Greater, "0") if or_equal => Outcome::Success,
        (Relation::Greater, _) => Outcome::Failure,
    };
    match (negated, relation) {
        (false, _) => Says::Ended(outcome),
        (true, Relation::Equal) => outcome.negated().into(),
        (true, _) => {
            Says::Ended(if outcome == Outcome::Success { Outcome::Failure } else { Outcome::Success })
        }
    }
}

/// A condition name asks for any of its values.
fn of_condition_name(kind: &Kind, values: &[String], negated: bool) -> Says {
    let values =
        values.iter().filter(|value| !["THRU", "THROUGH", ","].contains(&value.to_uppercase().as_str()));
    let outcomes: Option<Vec<Outcome>> = values.map(|value| outcome_of_value(kind, value)).collect();
    let Some(outcomes) = outcomes.filter(|outcomes| !outcomes.is_empty()) else { return Says::Unknown };
    let outcome = match () {
        () if outcomes.contains(&Outcome::Success) => Outcome::Success,
        () if outcomes.contains(&Outcome::Failure) => Outcome::Failure,
        () => Outcome::EndOfData,
    };
    if negated { outcome.negated().into() } else { Says::Ended(outcome) }
}
