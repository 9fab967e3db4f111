//! General knowledge about secrets: words that name them, and forms that they have.
//!
//! Both tables are data, each row with its source, and users can add rows. One search looks for the marks of all rows; the closer search only
//! starts at a mark, so that a source without any costs one pass.

use super::marker_search::MarkerSearch;
use super::names::SecretGrade;
use foldhash::{HashMap, HashMapExt};
use regex::bytes::{Regex, RegexBuilder};
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

/// Words in the names of data items, fields, parameters and keys: the word, its grade, its language, and who lists it.
const WORDS: &str = include_str!("words.tsv");
/// Forms of keys, tokens and commands that pass a password: a name, the marks (every text of the form contains one), a pattern whose group is
/// the secret, and the public rules that describe it. A mark with a leading `\b` matches at the start of a word; `\t` is a tab.
const SHAPES: &str = include_str!("shapes.tsv");

/// Marks of secrets from the rules of a language, not from a word or a form of the tables.
const MARKS: [&str; 17] = [
    "IDENTIFIED", "CONNECT", "PWD", "-----BEGIN", "LOGON", "LOGIN", "SIGNON", "RACF", "FTP", "CRYPT", "CIPHER",
    "BASIC ", "BEARER ", "PARM=", "PARM(", "PARM.", "PARMS(",
];
/// A word up to this length counts only on its own, not inside another word.
const SHORT: usize = 4;

static BUILT_IN: LazyLock<Arc<SecretRules>> = LazyLock::new(|| {
    let table = SecretRules::new(&[], &[]);
    Arc::new(table.expect("the tables of this program are ones"))
});

/// The words and forms that identify secrets.
pub struct SecretRules {
    words: HashMap<String, SecretGrade>,
    /// Sequences of words in a name, by their first word.
    rows: HashMap<String, Vec<(Vec<String>, SecretGrade)>>,
    shapes: Vec<SecretPattern>,
    /// The user's forms without marks, which are searched everywhere.
    unmarked: Vec<usize>,
    marks: MarkerSearch,
    /// The meaning of each mark.
    meant: Vec<RuleMarker>,
    /// The user's additions, which change what is masked.
    added: String,
}

/// A possible form of a secret.
struct SecretPattern {
    pattern: String,
    regex: OnceLock<Regex>,
}

/// The meaning of a mark.
#[derive(Clone, Copy)]
struct RuleMarker {
    /// Whether it counts only without a letter or digit before it, and (`ends`) after it.
    begins: bool,
    ends: bool,
    shape: Option<usize>,
}

/// A match of a mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct MarkerHit {
    pub(super) at: usize,
    /// The form with this mark.
    pub(super) shape: Option<usize>,
}

/// An error in a user's word or form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSecretRule(String);

impl SecretRules {
    /// Returns the words and forms built into this program.
    pub fn built_in() -> Arc<Self> {
        Arc::clone(&BUILT_IN)
    }

    /// Returns those and more: words for passwords, and forms by name, each a pattern with one group around the secret.
    ///
    /// # Errors
    /// Returns [`InvalidSecretRule`] for an invalid word, and for a pattern that is invalid or does not have exactly one group.
    pub fn with(words: &[String], shapes: &[(String, String)]) -> Result<Arc<Self>, InvalidSecretRule> {
        if words.is_empty() && shapes.is_empty() {
            return Ok(Self::built_in());
        }
        Self::new(words, shapes).map(Arc::new)
    }

    fn new(own_words: &[String], own_shapes: &[(String, String)]) -> Result<Self, InvalidSecretRule> {
        let (mut words, mut rows) = (HashMap::new(), HashMap::<String, Vec<_>>::new());
        let (mut marks, mut meant) = (Vec::new(), Vec::new());
        let mut mark = |text: String, (begins, ends), shape| {
            marks.push(text);
            meant.push(RuleMarker { begins, ends, shape });
        };
        MARKS.iter().for_each(|text| mark((*text).to_owned(), (false, false), None));
        let of_table = WORDS.lines().skip(1).map(|line| {
            let mut cells = line.split('\t');
            let word = cells.next().unwrap_or_default();
            let grade = cells.next().and_then(SecretGrade::named).ok_or_else(|| bad(word, "it has no grade"))?;
            Ok((word.to_owned(), grade))
        });
        let of_user = own_words.iter().map(|word| match is_name(word) {
            true => Ok((word.to_uppercase().replace('_', "-"), SecretGrade::Password)),
            false => Err(bad(word, "a word has letters and digits, and hyphens between its parts")),
        });
        for row in of_table.chain(of_user) {
            let (word, grade) = row?;
            let parts: Vec<String> = word.split('-').map(str::to_owned).collect();
            let mut marks = |text: &str, is_short| {
                mark(text.to_owned(), (is_short, is_short), None);
                // The search knows only the ASCII lower-case letters.
                if !text.is_ascii() {
                    mark(text.to_lowercase(), (is_short, is_short), None);
                }
            };
            if let [_] = parts.as_slice() {
                marks(&word, word.len() <= SHORT);
                words.insert(word, grade);
                continue;
            }
            let is_short = parts.iter().any(|part| part.len() <= SHORT);
            for between in ["-", "_", " "] {
                marks(&parts.join(between), is_short);
            }
            // `parola d'ordine`
            if parts.iter().any(|part| part == "D") {
                marks(&parts.join(" ").replace("D ", "D'"), is_short);
            }
            rows.entry(parts[0].clone()).or_default().push((parts, grade));
        }
        let mut shapes = Vec::new();
        for line in SHAPES.lines().skip(1) {
            let mut cells = line.split('\t').skip(1);
            let (of_shape, pattern) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            for text in of_shape.split('|') {
                let (text, begins) = text.strip_prefix(r"\b").map_or((text, false), |text| (text, true));
                mark(text.replace(r"\t", "\t"), (begins, false), Some(shapes.len()));
            }
            shapes.push(SecretPattern { pattern: pattern.to_owned(), regex: OnceLock::new() });
        }
        let of_table = shapes.len();
        for (name, pattern) in own_shapes {
            let regex =
                Regex::new(pattern).map_err(|error| bad(name, error.to_string().lines().last().unwrap_or_default()))?;
            if regex.captures_len() != 2 {
                return Err(bad(name, "its pattern needs one group, around the secret"));
            }
            shapes.push(SecretPattern { pattern: pattern.clone(), regex: OnceLock::from(regex) });
        }
        let marks = MarkerSearch::new(marks);
        let unmarked = (of_table..shapes.len()).collect();
        let added = match (own_words, own_shapes) {
            ([], []) => String::new(),
            _ => format!("{own_words:?} {own_shapes:?}"),
        };
        Ok(Self { words, rows, shapes, unmarked, marks, meant, added })
    }

    /// Returns the grade of a name; `None` for most names.
    pub(super) fn grade_of_name(&self, name: &str) -> Option<SecretGrade> {
        super::names::grade_name(name, |words| {
            let singular: Vec<&str> = words.iter().map(|word| word.strip_suffix('S').unwrap_or(word)).collect();
            let alone = words.iter().enumerate().filter_map(|(index, word)| {
                let grade = *self.words.get(*word).or_else(|| self.words.get(singular[index]))?;
                // A PIN's word is last in its name; before that, the word only qualifies another one.
                (grade != SecretGrade::Pin || index + 1 == words.len()).then_some(grade)
            });
            let stands = |words: &[&str], at: usize| {
                let rows = self.rows.get(words[at]).into_iter().flatten();
                rows.filter(|(row, _)| words[at..].len() >= row.len() && words[at..at + row.len()] == row[..])
                    .map(|(_, grade)| *grade)
                    .min()
            };
            let rows = (0..words.len()).filter_map(|at| stands(words, at).or_else(|| stands(&singular, at)));
            alone.chain(rows).min()
        })
    }

    /// Returns whether a name is exactly one of the word sequences.
    pub(super) fn is_listed_phrase(&self, name: &str) -> bool {
        let upper = name.to_uppercase();
        let words: Vec<&str> = upper.split([' ', '-', '_', '.', '\'']).collect();
        self.rows.get(words[0]).into_iter().flatten().any(|(row, _)| *row == words)
    }

    /// Returns whether a text may contain a secret. A false positive is possible, a false negative is not.
    pub fn may_contain_secret(&self, text: &str) -> bool {
        !self.unmarked.is_empty() || self.marker_hits(text).next().is_some()
    }

    /// Returns the places of marks in a text.
    pub(super) fn marker_hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = MarkerHit> + 'a {
        let bytes = text.as_bytes();
        let is_part = move |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        let hits = self.marks.find_in(text).filter_map(move |(at, index, length)| {
            let mark = self.meant[index];
            let goes_on = (mark.begins && is_part(at.checked_sub(1))) || (mark.ends && is_part(Some(at + length)));
            (!goes_on).then_some(MarkerHit { at, shape: mark.shape })
        });
        // A password in an address is between its user and its host.
        let (mut from, mut is_behind) = (0, false);
        let hosts = memchr::memchr_iter(b'@', bytes).filter_map(move |at| {
            for byte in &bytes[from..at] {
                is_behind = byte.is_ascii_graphic() && (is_behind || matches!(byte, b':' | b'/'));
            }
            from = at;
            is_behind.then_some(MarkerHit { at, shape: None })
        });
        hits.chain(hosts)
    }

    /// Returns the user's forms without known marks.
    pub(super) fn unmarked_patterns(&self) -> &[usize] {
        &self.unmarked
    }

    /// Returns the pattern of a form.
    pub(super) fn pattern(&self, shape: usize) -> &Regex {
        let SecretPattern { pattern, regex } = &self.shapes[shape];
        // Keys and commands are ASCII, and so are the character classes: ASCII classes take a tenth of the time.
        let ascii = || RegexBuilder::new(pattern).unicode(false).build();
        regex.get_or_init(|| ascii().expect("the patterns of the table are ones"))
    }
}

impl fmt::Debug for SecretRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SecretRules").field(&self.added).finish()
    }
}

impl PartialEq for SecretRules {
    fn eq(&self, other: &Self) -> bool {
        self.added == other.added
    }
}

impl Eq for SecretRules {}

fn bad(name: &str, why: &str) -> InvalidSecretRule {
    InvalidSecretRule(format!("`{name}`: {why}"))
}

/// Returns whether a text can be a word of a name, or words with hyphens between them.
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
    text.split(['-', '_']).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_tables_is_one() {
        let table = SecretRules::built_in();
        assert!(table.words.len() > 300 && table.shapes.len() > 200);
        for shape in 0..table.shapes.len() {
            assert_eq!(table.pattern(shape).captures_len(), 2, "{}", table.shapes[shape].pattern);
        }
        for line in WORDS.lines().chain(SHAPES.lines()) {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 4, "{line}");
            assert!(cells.iter().all(|cell| !cell.trim().is_empty()), "{line}");
        }
        for line in SHAPES.lines().skip(1) {
            let marks = line.split('\t').nth(1).unwrap();
            assert!(marks.split('|').all(|mark| mark.len() >= 2), "{line}");
        }
        for line in WORDS.lines().skip(1) {
            assert!(is_name(line.split('\t').next().unwrap()), "{line}");
        }
    }

    #[test]
    fn what_a_user_adds_is_known_and_what_is_none_is_refused() {
        let shape = |pattern: &str| vec![("badge".to_owned(), pattern.to_owned())];
        let table = SecretRules::with(&["eingang_x".to_owned()], &shape(r"\bBDG(\d{6})")).unwrap();
        assert_eq!(table.grade_of_name("WS-EINGANG-X"), Some(SecretGrade::Password));
        assert_eq!(SecretRules::built_in().grade_of_name("WS-EINGANG-X"), None);
        assert_eq!(table.unmarked_patterns().len(), 1);
        for (words, shapes, said) in [
            (vec!["a b".to_owned()], Vec::new(), "`a b`: a word has letters"),
            (vec![String::new()], Vec::new(), "``: a word has letters"),
            (Vec::new(), shape("("), "`badge`: "),
            (Vec::new(), shape("abc"), "needs one group"),
            (Vec::new(), shape("(a)(b)"), "needs one group"),
        ] {
            let error = SecretRules::with(&words, &shapes).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
