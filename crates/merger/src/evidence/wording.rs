//! The names and literals in a text.

use super::EvidenceNames;
use crate::anchors::{is_supplied, words};
use war_rig_cobol::{FIGURATIVE_CONSTANTS, Verb};
use war_rig_template::is_word;

/// The words of an item.
pub(super) struct ClaimWords {
    pub(super) anchors: Anchors,
    pub(super) content: ContentWords,
    /// Whether they say what happens under a condition and what otherwise.
    pub(super) tells_both_sides: bool,
    /// Whether they say that something happens only under a condition, which code often tests for the opposite.
    pub(super) tells_limits: bool,
    /// Whether the first of them says that something is left out.
    pub(super) tells_omission: bool,
}

impl ClaimWords {
    /// Reads texts, and which of them state conditions.
    pub(super) fn of(texts: &[&str], conditions: &[&str], names: &EvidenceNames<'_>) -> Self {
        let has = |wanted: &[&str]| texts.iter().any(|text| words(text).any(|word| is_one(word, wanted)));
        Self {
            anchors: Anchors::of(texts, names),
            content: ContentWords::of(texts),
            tells_both_sides: texts.iter().any(|text| tells_what_else(text)),
            tells_limits: has(&["must", "required"]) || texts.iter().any(|text| limits(text)),
            tells_omission: texts
                .iter()
                .find(|text| !text.is_empty() && !conditions.contains(text))
                .is_some_and(|text| omits(text)),
        }
    }

    /// Whether a word is a name or value of the source.
    pub(super) fn is_anchor(&self, word: &str) -> bool {
        let Anchors { names, literals, numbers, constants, .. } = &self.anchors;
        names.iter().chain(literals).chain(numbers).chain(constants).any(|anchor| anchor == word)
    }
}

/// What the lines behind a text must contain.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Names, in upper case.
    pub(super) names: Vec<String>,
    /// Those of the names that occur only in denials.
    denied: Vec<String>,
    /// Literals without their quotes, in upper case, with single blanks.
    pub(super) literals: Vec<String>,
    /// Numbers of two digits and more, without leading zeros.
    pub(super) numbers: Vec<String>,
    /// `LOW-VALUE`, `HIGH-VALUE` and `SPACE`, where they are written as COBOL writes them. They count for nothing but the side of an IF.
    pub(super) constants: Vec<String>,
}

impl Anchors {
    pub(super) fn of(texts: &[&str], names: &EvidenceNames<'_>) -> Self {
        let mut anchors = Self::default();
        for sentence in texts.iter().flat_map(|text| sentences(text)) {
            let is_denial = denies(sentence) || words(sentence).any(|word| is_one(word, &UNTOUCHED));
            let mut plain = String::new();
            for (is_literal, piece) in pieces(sentence) {
                if is_literal {
                    let literal = folded(piece);
                    match literal.is_empty() {
                        true => {}
                        false if names.is_declared(&literal) => anchors.add_name(literal, is_denial),
                        false => push(&mut anchors.literals, literal),
                    }
                } else {
                    plain.push_str(piece);
                    plain.push(' ');
                }
            }
            for word in words(&without_separators(&plain)) {
                let upper = word.to_uppercase();
                if let Some(constant) = figurative(word) {
                    push(&mut anchors.constants, constant.to_owned());
                } else if is_name(word, &upper, names) {
                    anchors.add_name(upper, is_denial);
                } else if is_number(word) {
                    push(&mut anchors.numbers, upper.trim_start_matches('0').to_owned());
                }
            }
        }
        anchors
    }

    fn add_name(&mut self, name: String, is_denial: bool) {
        if !self.names.contains(&name) {
            if is_denial {
                self.denied.push(name.clone());
            }
            self.names.push(name);
        } else if !is_denial {
            self.denied.retain(|denied| *denied != name);
        }
    }

    /// Whether a name is only in sentences that deny something: what is not done need not be there.
    pub(super) fn is_denied(&self, name: &str) -> bool {
        self.denied.iter().any(|denied| denied == name)
    }
}

/// Whether a word is a number of two digits and more, and not all zeros.
fn is_number(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte != b'0')
}

/// Returns a text without the commas that part the thousands of a number.
pub(super) fn without_separators(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let parts_thousands =
        |at: usize| at > 0 && is_digit(at - 1) && (1..=3).all(|behind| is_digit(at + behind)) && !is_digit(at + 4);
    text.char_indices().filter(|(at, c)| *c != ',' || !parts_thousands(*at)).map(|(_, c)| c).collect()
}

/// Returns the singular of a figurative constant that is written as such.
fn figurative(word: &str) -> Option<&str> {
    let singular = word.strip_suffix('S').unwrap_or(word);
    ["LOW-VALUE", "HIGH-VALUE", "SPACE"].contains(&singular).then_some(singular)
}

/// Whether a text allows something and no more. What happens *only if* something is so has its condition stated.
fn limits(text: &str) -> bool {
    let words: Vec<&str> = words(text).collect();
    let states = |next: Option<&&str>| next.is_some_and(|next| is_one(next, &["if", "when", "while", "where"]));
    (0..words.len()).any(|at| is_one(words[at], &["only"]) && !states(words.get(at + 1)))
}

/// Words that say of a thing that it is not done or not changed.
const OMISSIONS: [&str; 23] = [
    "skip", "skips", "skipped", "skipping", "bypass", "bypasses", "bypassed", "omits", "omitted", "avoids", "avoided",
    "ignores", "ignored", "leaves", "leaving", "left", "keeps", "kept", "stays", "remains", "stops", "unchanged",
    "prevents",
];

/// Words with which a sentence tells of another case than its condition's, or of several.
const TURNS: [&str; 18] = [
    "otherwise", "else", "unless", "until", "only", "without", "except", "not", "no", "never", "neither", "nor",
    "none", "cannot", "instead", "but", "whether", "other",
];

/// Whether a sentence tells of another case than its condition's. In upper case such words are COBOL's, and parts of a comparison, but for ELSE.
pub(super) fn tells_another_case(sentence: &str) -> bool {
    has_lower_case(sentence, &TURNS) || words(sentence).any(|word| is_one(word, &["else", "otherwise"]))
}

/// Whether a sentence says that something is not done or not changed.
pub(super) fn tells_omission(sentence: &str) -> bool {
    has_lower_case(sentence, &OMISSIONS)
}

fn has_lower_case(sentence: &str, some: &[&str]) -> bool {
    words(sentence).any(|word| word.contains(char::is_lowercase) && is_one(word, some))
}

/// Words with which a clause begins, or is followed by one, that says when something happens.
const WHEN: [&str; 10] = ["if", "when", "where", "while", "until", "unless", "after", "once", "because", "for"];

/// Returns a sentence without the clauses that say when something happens.
pub(super) fn main_clauses(sentence: &str) -> String {
    let clauses = sentence.split(", ").map(|clause| {
        let words = clause.split(' ').take_while(|word| !is_one(word, &WHEN));
        words.collect::<Vec<_>>().join(" ")
    });
    clauses.filter(|clause| !clause.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Whether a text says that something is not done, outside the clauses that say when, and nothing of a limit or of another case.
fn omits(text: &str) -> bool {
    const LIMITS: [&str; 6] = ["unless", "only", "than", "instead", "but", "until"];
    let clauses = sentences(text).into_iter().map(|clause| words(clause).take_while(|word| !is_one(word, &WHEN)));
    let told: Vec<&str> = clauses.flatten().collect();
    let tells_limits = tells_what_else(text) || told.iter().any(|word| is_one(word, &LIMITS));
    !tells_limits && told.iter().any(|word| is_one(word, &DENIALS) || is_one(word, &OMISSIONS))
}

/// Whether a text says what happens otherwise: not something of somebody else, nor of what is other than something.
pub(super) fn tells_what_else(text: &str) -> bool {
    const WHOSE: [&str; 9] =
        ["somebody", "someone", "something", "somewhere", "nobody", "nothing", "anybody", "who", "what"];
    let words: Vec<&str> = words(text).collect();
    let before = |at: usize, of: &[&str]| at > 0 && is_one(words[at - 1], of);
    let behind = |at: usize, of: &[&str]| words.get(at + 1).is_some_and(|word| is_one(word, of));
    (0..words.len()).any(|at| match words[at] {
        word if is_one(word, &["otherwise", "unless", "others"]) => true,
        word if is_one(word, &["else"]) => !before(at, &WHOSE),
        word => is_one(word, &["other"]) && !behind(at, &["than"]),
    })
}

/// Whether a word is one of these, in any case.
pub(super) fn is_one(word: &str, of: &[&str]) -> bool {
    of.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// The words of a sentence that says what is not so.
const DENIALS: [&str; 9] = ["not", "no", "never", "neither", "nor", "none", "without", "cannot", "nothing"];

/// Whether a sentence says what is not so. In upper case, such a word is COBOL's.
pub(super) fn denies(sentence: &str) -> bool {
    has_lower_case(sentence, &DENIALS)
}

/// What is left so need not be on the lines.
const UNTOUCHED: [&str; 5] = ["alone", "unchanged", "untouched", "keep", "keeps"];

/// Returns the sentences and clauses of a text.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    divided(text, &['.', ';', ':', ','])
}

/// Returns the sentences of a text, each with all its clauses.
pub(super) fn full_sentences(text: &str) -> Vec<&str> {
    divided(text, &['.', ';'])
}

/// Returns the sentences of a text that deny nothing, each with all its clauses.
pub(super) fn plain_sentences(text: &str) -> impl Iterator<Item = &str> {
    full_sentences(text).into_iter().filter(|sentence| !denies(sentence))
}

/// Divides a text behind marks that end a word.
fn divided<'t>(text: &'t str, marks: &[char]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, mark) in text.match_indices(marks) {
        let end = at + mark.len();
        if text[end..].starts_with(char::is_whitespace) {
            found.push(&text[from..end]);
            from = end;
        }
    }
    found.push(&text[from..]);
    found
}

/// Whether a word with a hyphen is one of COBOL's own, or the picture of a date or time (`YYYY-MM-DD`).
fn is_of_language(upper: &str) -> bool {
    const WORDS: [&str; 9] = [
        "WORKING-STORAGE", "LOCAL-STORAGE", "FILE-CONTROL", "I-O-CONTROL", "INPUT-OUTPUT", "PROGRAM-ID",
        "SPECIAL-NAMES", "NON-ZERO", "I-O",
    ];
    let is_picture = |part: &str| {
        let first = part.bytes().next();
        part.len() > 1 && part.bytes().all(|byte| Some(byte) == first && b"YMDHST".contains(&byte))
    };
    let is_known = WORDS.contains(&upper) || FIGURATIVE_CONSTANTS.contains(&upper);
    let closes = |verb: &str| verb == "EXEC" || Verb::of(verb).is_some();
    is_known
        || upper.strip_prefix("END-").is_some_and(closes)
        || upper.starts_with("COMP-")
        || upper.split('-').all(is_picture)
}

/// Whether a word of a text is meant as a name of the source: written as one, or like no English word.
pub(super) fn is_name(word: &str, upper: &str, names: &EvidenceNames<'_>) -> bool {
    if is_of_language(upper) && !names.is_declared(upper) {
        return false;
    }
    let is_upper = word == upper && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    match names.is_known(upper) {
        // With a hyphen, it is one however the source or the text writes it: `WS-Ledger-Key`.
        true => (is_upper && word.len() > 2 && names.is_written(upper)) || word.contains('-'),
        // A name that the source does not have is no evidence, but it is a claim.
        false => is_upper && (is_supplied(upper) || (word.contains('-') && word.len() > 4)),
    }
}

fn push(all: &mut Vec<String>, text: String) {
    if !all.contains(&text) {
        all.push(text);
    }
}

/// Divides a text into literals in quotes and the rest. An apostrophe inside a word is no quote.
pub(super) fn pieces(text: &str) -> Vec<(bool, &str)> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(at) = rest[from..].find(['\'', '"', '`']).map(|at| from + at) {
        let quote = rest[at..].chars().next().expect("a quote was found");
        let before = rest[..at].chars().next_back();
        let end = rest[at + 1..].find(quote).map(|end| at + 1 + end);
        match end.filter(|_| !before.is_some_and(char::is_alphanumeric)) {
            Some(end) => {
                pieces.push((false, &rest[..at]));
                pieces.push((quote != '`', &rest[at + 1..end]));
                rest = &rest[end + 1..];
                from = 0;
            }
            None => from = at + 1,
        }
    }
    pieces.push((false, rest));
    pieces
}

/// Folds case and blanks.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase()
}

/// Whether a folded text contains a folded literal that does not go on as a word.
pub(super) fn holds_word(text: &str, literal: &str) -> bool {
    let begins_word = literal.starts_with(is_word);
    let ends_word = literal.ends_with(is_word);
    text.match_indices(literal).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + literal.len()..].chars().next();
        let goes_on = (begins_word && before.is_some_and(is_word)) || (ends_word && after.is_some_and(is_word));
        !goes_on
    })
}

/// Whether a name contains another as a run of whole segments.
pub(super) fn holds_segments(whole: &str, part: &str) -> bool {
    whole.match_indices(part).any(|(at, _)| {
        let is_edge = |c: Option<char>| c.is_none_or(|c| matches!(c, '-' | '_'));
        is_edge(whole[..at].chars().next_back()) && is_edge(whole[at + part.len()..].chars().next())
    })
}

/// The words of texts that are not names: what they are about, in plain English.
pub(super) struct ContentWords(Vec<String>);

/// Words that say nothing about the subject.
const STOP_WORDS: &str = "ABOUT AFTER ALREADY ALSO ANOTHER ANYTHING BEEN BEFORE BOTH DOES EACH EVEN FROM GIVES GOES HAVE INTO ITSELF \
    LEFT MADE MUST NOTHING ONLY OTHER SAME SHOULD STILL SUCH TAKEN TAKES THAN THAT THEIR THEN THERE THESE THEY THIS THOSE UNDER \
    UNTIL USED USES WERE WHAT WHEN WHERE WHICH WHOSE WILL WITH WITHOUT";

impl ContentWords {
    pub(super) fn of(texts: &[&str]) -> Self {
        let words = texts.iter().flat_map(|text| words(text));
        let is_plain = |word: &&str| word.len() > 3 && word.chars().any(|c| c.is_alphabetic() && !c.is_uppercase());
        let mut words: Vec<String> = words.filter(is_plain).map(str::to_uppercase).collect();
        words.sort();
        words.dedup();
        words.retain(|word| !STOP_WORDS.split_whitespace().any(|stop| stop == word));
        Self(words)
    }

    /// Returns the share of the words that a text in upper case contains, in full, inflected, or abbreviated in a name; none if there
    /// are no words.
    pub(super) fn share_in(&self, text: &str) -> f64 {
        match self.0.len() {
            0 => 0.0,
            all => self.found_in(text).count() as f64 / all as f64,
        }
    }

    /// Returns the words that a text in upper case contains.
    pub(super) fn found_in(&self, text: &str) -> impl Iterator<Item = &str> {
        let mut parts: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|part| part.len() > 2).collect();
        parts.sort_unstable();
        parts.dedup();
        self.0.iter().filter(move |word| parts.iter().any(|part| means(part, word))).map(String::as_str)
    }
}

/// Whether a part of a name or a word of a comment means a word: the same stem, or letters of it in order (`ACCT` for account).
fn means(part: &str, word: &str) -> bool {
    let common = part.bytes().zip(word.bytes()).take_while(|(a, b)| a == b).count();
    let is_stem = common >= 5 || (common >= 4 && (common == part.len() || common == word.len()));
    let mut letters = word.bytes();
    let is_short = part.len() < word.len() && common >= 2;
    is_stem || (is_short && part.bytes().all(|letter| letters.any(|other| other == letter)))
}
