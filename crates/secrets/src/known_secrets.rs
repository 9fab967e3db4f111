//! Secrets that one source names, wherever else they occur.
//!
//! A password that one program names may occur in a message, a comment or another program, where nothing identifies it. The search therefore
//! looks for every named secret in the whole estate, except for values that could be anything else: short ones, plain words, texts like names, and
//! what any source uses as a name.

use super::name_search::NameUse;
use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::{HashSet, HashSetExt};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use war_rig_text::{ContentHash, ContentHasher};

/// The minimum length of a value, in characters.
const SHORTEST: usize = 6;
/// The minimum number of digits of a value that has only digits.
const SHORTEST_NUMBER: usize = 8;
/// The maximum number of digits at the end of a name.
const NUMBERED: usize = 4;

/// The values of known secrets. `Debug` does not show them; other machines receive them as lists.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "KnownValues", into = "KnownValues")]
pub struct KnownSecrets {
    known: KnownValues,
    /// Of the values, and behind them the names.
    automaton: Option<AhoCorasick>,
    /// The COBOL sources that were searched already, by the same rules, and name no secret themselves.
    searched: HashSet<ContentHash>,
}

/// What an estate tells of suspected secrets, each list sorted and without duplicates.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownValues {
    /// The values to be masked wherever they occur.
    values: Vec<String>,
    /// The values that are the names of programs and other objects, and no secrets.
    names: Vec<String>,
}

impl KnownSecrets {
    /// Keeps the values that are worth a search.
    pub fn from_values(values: impl IntoIterator<Item = String>) -> Self {
        Self::of_estate(values, &BTreeMap::new())
    }

    /// Keeps the values that are worth a search and that the estate does not use as names. Names of objects are no secrets at all.
    pub fn of_estate(values: impl IntoIterator<Item = String>, names: &BTreeMap<String, NameUse>) -> Self {
        // Padding is not part of a value.
        let values = values.into_iter().map(|value| value.trim().replace("''", "'"));
        let (named, values): (BTreeSet<String>, BTreeSet<String>) =
            values.partition(|value| names.contains_key(value.as_str()));
        let values = values.into_iter().filter(|value| is_telling(value)).collect();
        let is_object = |value: &String| names.get(value) == Some(&NameUse::Object) && is_like_object(value);
        let names = named.into_iter().filter(is_object).collect();
        Self::from(KnownValues { values, names })
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.values.is_empty() && self.known.names.is_empty()
    }

    /// Returns whether the estate has an object with this name.
    pub(super) fn is_object(&self, value: &str) -> bool {
        self.known.names.binary_search_by(|name| name.as_str().cmp(value)).is_ok()
    }

    /// Records COBOL sources in which [`find_secrets`](crate::find_secrets) found nothing by the same rules, so that it only looks for known secrets there.
    pub fn with_searched(self, sources: impl IntoIterator<Item = ContentHash>) -> Self {
        Self { searched: sources.into_iter().collect(), ..self }
    }

    /// Returns whether a COBOL source names no secret itself, as an earlier search has shown.
    pub(super) fn is_searched(&self, source: ContentHash) -> bool {
        self.searched.contains(&source)
    }

    /// Returns whether a text may contain one of the values or names, perhaps only as a part of a longer word.
    pub fn may_occur_in(&self, text: &str) -> bool {
        self.automaton.as_ref().is_some_and(|automaton| automaton.is_match(text))
    }

    /// Returns a digest of the values and names in a text, equal for equal ones; `None` if the text contains none.
    pub fn digest(&self, text: &str) -> Option<ContentHash> {
        let mut hasher = ContentHasher::default();
        let KnownValues { values, names } = &self.known;
        let found: BTreeSet<usize> = self.matches(text).map(|(value, _)| value).collect();
        for value in &found {
            match values.get(*value) {
                Some(value) => hasher.update(ContentHash::of(value.as_bytes()).as_bytes()),
                None => hasher.update(format!("name {}", names[value - values.len()]).as_bytes()),
            }
        }
        (!found.is_empty()).then(|| hasher.hash())
    }

    /// Returns the places of the values in a text.
    pub(super) fn find_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.matches(text).filter(|(value, _)| *value < self.known.values.len()).map(|(_, range)| range)
    }

    fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        // A match inside a longer word may contain a valid match.
        let found = self.automaton.iter().flat_map(move |automaton| automaton.find_overlapping_iter(text));
        found.map(|found| (found.pattern().as_usize(), found.range())).filter(|(_, range)| is_whole(text, range))
    }
}

impl From<KnownValues> for KnownSecrets {
    fn from(mut known: KnownValues) -> Self {
        known.names.sort_unstable();
        let all = || known.values.iter().chain(&known.names);
        if all().next().is_none() {
            return Self::default();
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::Standard).build(all());
        // It is `None` if the values exceed the limits of an automaton, which no estate approaches.
        Self { automaton: automaton.ok(), known, searched: HashSet::new() }
    }
}

impl From<KnownSecrets> for KnownValues {
    fn from(known: KnownSecrets) -> Self {
        known.known
    }
}

impl PartialEq for KnownSecrets {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known
    }
}

impl Eq for KnownSecrets {}

impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KnownSecrets({})", self.known.values.len())
    }
}

/// Returns whether a value is whole, not part of a longer word.
pub(super) fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let goes_on = |one: Option<char>, other: Option<char>| {
        one.zip(other).is_some_and(|(one, other)| one.is_alphanumeric() && other.is_alphanumeric())
    };
    let (before, value, behind) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    !goes_on(before.chars().next_back(), value.chars().next())
        && !goes_on(value.chars().next_back(), behind.chars().next())
}

/// Returns whether a value can hardly be anything but the secret.
fn is_telling(value: &str) -> bool {
    let value = value.trim();
    let count = value.chars().count();
    if count < SHORTEST {
        return false;
    }
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 {
        // A date or an amount has separators between its digits.
        return digits == count && count >= SHORTEST_NUMBER;
    }
    if digits + letters == count && digits == 0 {
        return !is_of_one_case(value) && count >= 2 * SHORTEST;
    }
    !is_name(value)
}

/// Returns whether a value that is an object's name is written like one. A plain word may be the name of a program and a password.
pub(super) fn is_like_object(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_')) || !is_of_one_case(value)
}

/// Returns whether a text reads like the name of an item, a member or a data set: words and numbers of one case, with separators.
pub(super) fn is_name(value: &str) -> bool {
    let is_part = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        part.len() - letters.len() <= NUMBERED && letters.chars().all(char::is_alphabetic)
    };
    is_of_one_case(value) && value.split(['-', '_', '.', '/', ' ']).all(is_part)
}

fn is_of_one_case(value: &str) -> bool {
    !value.chars().any(char::is_lowercase) || !value.chars().any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_anything_else_is_not_looked_for() {
        for value in ["Tr0ub4dor", "WINTER24X", "k9#mQz", "hunter2!", "8842917736", "AbCdEfGhIjKl"] {
            assert!(is_telling(value), "{value}");
        }
        for value in [
            "SECRET", "Winter", "password", "PAYJOB01", "WS-TOTAL-2", "PROD.MASTER.FILE", "ab1", "123456",
            "2024-01-31", "user_name", "THE LIMIT",
        ] {
            assert!(!is_telling(value), "{value}");
        }
    }

    #[test]
    fn a_value_is_found_as_a_whole() {
        let known = KnownSecrets::from_values(["Zx81Kestrel".to_owned(), "a+b=c9".to_owned()]);
        let check = |text: &str, expected: Option<Range<usize>>| {
            assert_eq!(known.find_in(text).collect::<Vec<_>>(), Vec::from_iter(expected), "{text}");
        };
        check("use Zx81Kestrel.", Some(4..15));
        check("Zx81Kestrels, aZx81Kestrel", None);
        check("xa+b=c9", None);
        check("(a+b=c9)", Some(1..7));
        assert_eq!(format!("{known:?}"), "KnownSecrets(2)");
        assert_eq!(known.digest("nothing"), None);
        assert_eq!(known.digest("Zx81Kestrel, Zx81Kestrel"), known.digest("Zx81Kestrel"));
        assert_ne!(known.digest("Zx81Kestrel a+b=c9"), known.digest("Zx81Kestrel"));
        // A match inside a longer word does not hide a valid one, and padding is not part of a value.
        let known = KnownSecrets::from_values(["Zx81Kestrel   ".to_owned(), "Zx81Kestrel-a".to_owned()]);
        assert_eq!(known.find_in("Zx81Kestrel-ab").next(), Some(0..11));
    }
}
