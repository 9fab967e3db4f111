//! Rewrites of words: optional ones put in or left out, and other names for what is the user's.

use super::layout::with_line_edits;
use super::positions::RewrittenFile;
use super::source::{CobolText, CobolToken, CobolTokenKind, LineKind, Zone};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Words that begin a statement.
pub const VERBS: &[&str] = &[
    "ACCEPT", "ADD", "ALTER", "CALL", "CANCEL", "CLOSE", "COMPUTE", "CONTINUE", "DELETE", "DISPLAY", "DIVIDE", "ENTRY",
    "EVALUATE", "EXEC", "EXIT", "GO", "GOBACK", "IF", "INITIALIZE", "INITIATE", "INSPECT", "MERGE", "MOVE", "MULTIPLY",
    "OPEN", "PERFORM", "READ", "RELEASE", "RETURN", "REWRITE", "SEARCH", "SET", "SORT", "START", "STOP", "STRING",
    "SUBTRACT", "UNSTRING", "WRITE",
];

type Edits = Vec<Vec<(Range<usize>, String)>>;

/// A word that may stand behind another one or not.
struct OptionalWord {
    behind: &'static [&'static str],
    word: &'static str,
    /// The word that comes next, if it matters; `NOT` words that must not come next begin with `!`.
    before: &'static [&'static str],
    zone: Zone,
}

const fn optional(
    behind: &'static [&'static str],
    word: &'static str,
    before: &'static [&'static str],
    zone: Zone,
) -> OptionalWord {
    OptionalWord { behind, word, before, zone }
}

/// The optional words, by what they stand behind.
const OPTIONAL: &[OptionalWord] = &[
    optional(&["PIC", "PICTURE"], "IS", &[], Zone::Other),
    optional(&["VALUE", "USAGE", "ORGANIZATION"], "IS", &["!ARE"], Zone::Other),
    optional(&["VALUES"], "ARE", &["!IS"], Zone::Other),
    optional(&["ASSIGN"], "TO", &[], Zone::Other),
    optional(&["RECORDING"], "MODE", &[], Zone::Other),
    optional(&["ACCESS"], "MODE", &["!IS"], Zone::Other),
    optional(&["INDEXED"], "BY", &[], Zone::Other),
    optional(&["GO"], "TO", &[], Zone::Procedure),
    optional(&["EQUAL"], "TO", &[], Zone::Procedure),
    optional(&["GREATER", "LESS"], "THAN", &["!OR"], Zone::Procedure),
    optional(&["INVALID"], "KEY", &[], Zone::Procedure),
];

fn in_zone(token: &CobolToken, zone: Zone) -> bool {
    token.zone == zone || (zone == Zone::Other && token.zone == Zone::Picture)
}

/// Optional words put in where they are left out, and left out where they stand.
pub fn with_other_optional_words(source: &CobolText) -> RewrittenFile {
    let tokens = source.tokens();
    let mut edits: Edits = vec![Vec::new(); source.lines.len()];
    let get = |at: usize| tokens.get(at).copied().flatten();
    let take_out = |edits: &mut Edits, (line, token): (usize, &CobolToken)| {
        let code = source.lines[line].code(source.is_free);
        let gap = code[token.at.end - source.margin()..].bytes().take_while(|byte| *byte == b' ').count();
        edits[line].push((token.at.start..token.at.end + gap, String::new()));
    };
    let put_in = |edits: &mut Edits, (line, token): (usize, &CobolToken), word: &str| {
        // Where the next word stands right behind it, both stay.
        if source.lines[line].text.as_bytes().get(token.at.end).is_none_or(|next| *next == b' ') {
            edits[line].push((token.at.end..token.at.end, format!(" {word}")));
        }
    };
    let mut conditions = Conditions::default();
    // EQUAL of COMPUTE is the sign of the assignment.
    let mut computes = false;
    for at in 0..tokens.len() {
        let Some((line, token)) = get(at) else {
            conditions = Conditions::default();
            continue;
        };
        if token.is_any(VERBS) {
            computes = token.is("COMPUTE");
        }
        let next = get(at + 1);
        if let Some(rule) = OPTIONAL
            .iter()
            .find(|rule| token.is_any(rule.behind) && in_zone(token, rule.zone) && source.lines[line].is_plain())
            && let Some(next) = next
            && !(computes && token.is("EQUAL"))
            && !rule.before.iter().any(|word| next.1.is(word.trim_start_matches('!')))
            && source.lines[next.0].is_plain()
            && in_zone(next.1, rule.zone)
        {
            let has_word = next.1.is(rule.word);
            match has_word {
                true if is_alone(source, next) => {}
                true => take_out(&mut edits, next),
                false if next.1.kind != CobolTokenKind::Mark || rule.word == "IS" => {
                    put_in(&mut edits, (line, token), rule.word);
                }
                false => {}
            }
        }
        if token.zone == Zone::Procedure && source.lines[line].is_plain() {
            let before = at.checked_sub(1).and_then(get);
            match conditions.step(token, before.map(|each| each.1), next.map(|each| each.1)) {
                WordChange::None => {}
                WordChange::TakeOut if is_alone(source, (line, token)) => {}
                WordChange::TakeOut => take_out(&mut edits, (line, token)),
                WordChange::PutIn(word) => {
                    if let Some(before) = before.filter(|before| source.lines[before.0].is_plain()) {
                        put_in(&mut edits, before, word);
                    }
                }
            }
        }
    }
    with_line_edits(source, &mut edits)
}

/// Whether a token is the only one on its line.
fn is_alone(source: &CobolText, (line, _): (usize, &CobolToken)) -> bool {
    source.lines[line].tokens.len() == 1
}

/// Walks through the conditions of IF and UNTIL.
#[derive(Debug, Default)]
struct Conditions {
    within: Option<&'static str>,
    depth: usize,
}

enum WordChange {
    None,
    TakeOut,
    /// Behind the token before.
    PutIn(&'static str),
}

impl Conditions {
    fn step(&mut self, token: &CobolToken, before: Option<&CobolToken>, next: Option<&CobolToken>) -> WordChange {
        if token.text == "(" {
            self.depth += 1;
        } else if token.text == ")" {
            self.depth = self.depth.saturating_sub(1);
        }
        if token.is("IF") || token.is("UNTIL") {
            *self = Self { within: Some(if token.is("IF") { "IF" } else { "UNTIL" }), depth: 0 };
            return WordChange::None;
        }
        let Some(within) = self.within else { return WordChange::None };
        if token.is("THEN") {
            self.within = None;
            return WordChange::TakeOut;
        }
        if token.kind == CobolTokenKind::Period
            || token.is_any(&["ELSE", "WHEN", "NEXT", "AFTER"])
            || token.is_any(VERBS)
        {
            self.within = None;
            let is_statement = token.is("NEXT") || token.is_any(VERBS);
            return if within == "IF" && is_statement { WordChange::PutIn("THEN") } else { WordChange::None };
        }
        let is_operand = |token: &CobolToken| {
            token.kind == CobolTokenKind::Literal
                || token.text == ")"
                || (token.kind == CobolTokenKind::Word
                    && !token.is_any(&[
                        "NOT", "AND", "OR", "IS", "IF", "UNTIL", "THAN", "TO", "EQUAL", "GREATER", "LESS", "THEN",
                    ]))
        };
        let compares = |token: &CobolToken| {
            ["=", ">", "<", ">=", "<="].contains(&token.text.as_str())
                || token.is_any(&["EQUAL", "GREATER", "LESS", "NUMERIC", "ALPHABETIC", "POSITIVE", "NEGATIVE"])
        };
        let begins = compares(token) || (token.is("NOT") && next.is_some_and(compares));
        if token.is("IS") {
            return WordChange::TakeOut;
        }
        match before {
            Some(before) if begins && is_operand(before) => WordChange::PutIn("IS"),
            _ => WordChange::None,
        }
    }
}

/// The names of an estate that are the user's, with the new one of each.
#[derive(Debug, Default)]
pub struct NameMap {
    new_by_old: BTreeMap<String, String>,
}

/// Words that may stand where a name does.
const NO_NAMES: &[&str] = &["FILLER", "PIC", "PICTURE", "VALUE", "REDEFINES", "OCCURS", "EXIT", "CONTINUE", "GOBACK"];
/// What makes the value of an item a secret by its name, which is what such a name means.
const OF_SECRETS: &[&str] = &["PASS", "PWD", "PSW", "SECR", "CREDENTIAL", "TOKEN", "SENHA"];
/// What makes a rule one about a user's rights by the name of an item.
const OF_RIGHTS: &[&str] = &["USER-LEVEL", "USER-TYPE", "USRTYP", "ACCESS-LEVEL", "ADMIN", "PERMISSION", "PRIVILEGE"];
/// What names begin with that a translator supplies, whether or not a copybook has them too.
const SUPPLIED: &[&str] = &["DFH", "EIB", "DIB", "SQL"];
/// How short a name may be that gets another.
const LEAST: usize = 4;

impl NameMap {
    /// Gives a new name of the same length to what is defined in these sources, unless other files or lines that stay know it.
    pub fn of(sources: &BTreeMap<String, CobolText>, others: &[String]) -> Self {
        let mut defined = BTreeSet::new();
        let mut known = BTreeSet::new();
        // What a REPLACING may begin a name with, and what may follow.
        let (mut replaced, mut suffixes) = (BTreeSet::new(), BTreeSet::new());
        for source in sources.values() {
            defined.extend(definitions(source));
            for (line, code) in source.lines.iter().map(|line| (line, line.code(source.is_free))) {
                if line.kind == LineKind::Fixed {
                    known.extend(words(code));
                    // A name may go on on the next line.
                    replaced.extend(words(code).pop());
                }
                let of_copy = line.tokens.iter().filter(|token| token.zone == Zone::Copy);
                replaced.extend(of_copy.flat_map(|token| words(&token.text)).filter(|word| word.len() > 1));
                suffixes.extend(composed(code));
            }
        }
        for text in others {
            for word in words(text) {
                known.insert(word.replace('_', "-"));
                known.insert(word);
            }
        }
        let is_known = |name: &String| {
            // A map's fields are known by their names without the letter at the end.
            known.contains(name)
                || known.contains(&name[..name.len() - 1])
                || suffixes.iter().any(|suffix: &String| name.ends_with(suffix.as_str()))
        };
        let names = defined.into_iter().filter(|name| {
            name.len() >= LEAST
                && name.contains(|c: char| c == '-' || c.is_ascii_digit())
                && !is_known(name)
                && !SUPPLIED.iter().any(|word| name.starts_with(word))
                && !OF_SECRETS.iter().chain(OF_RIGHTS).any(|word| name.contains(word))
                && !replaced.iter().any(|word: &String| name.starts_with(word.as_str()))
        });
        let new_by_old = names.enumerate().map(|(at, name)| {
            let new = new_name(at, name.len());
            (name, new)
        });
        Self { new_by_old: new_by_old.collect() }
    }

    /// Old names by new one.
    pub fn back(&self) -> BTreeMap<String, String> {
        self.new_by_old.iter().map(|(old, new)| (new.clone(), old.clone())).collect()
    }

    /// A source with the new names.
    pub fn renamed(&self, source: &CobolText) -> RewrittenFile {
        let mut edits: Edits = vec![Vec::new(); source.lines.len()];
        let mut exec = ExecState::default();
        for (line, token) in source.tokens().into_iter().flatten() {
            let may_be_name = exec.may_be_name(token);
            let new = self.new_by_old.get(&token.text.to_ascii_uppercase());
            if let Some(new) = new.filter(|_| may_be_name) {
                let is_lower = !token.text.contains(|c: char| c.is_ascii_uppercase());
                edits[line].push((token.at.clone(), if is_lower { new.to_lowercase() } else { new.clone() }));
            }
        }
        with_line_edits(source, &mut edits)
    }
}

/// The new name of a number, in the order of the numbers.
fn new_name(number: usize, length: usize) -> String {
    let digit = |place: u32| char::from(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number / 36_usize.pow(place) % 36]);
    let name = format!("Q{}{}{}", digit(2), digit(1), digit(0));
    format!("{name:X<length$}")
}

/// Where a name of the program may stand within EXEC.
#[derive(Debug, Default)]
struct ExecState {
    is_sql: bool,
    last: String,
    before_last: String,
    depth: usize,
    /// Whether what was last is a host variable, of which a part may follow.
    is_host: bool,
}

impl ExecState {
    fn may_be_name(&mut self, token: &CobolToken) -> bool {
        let last = std::mem::replace(&mut self.last, token.text.to_ascii_uppercase());
        match token.zone {
            Zone::Exec => {}
            Zone::Copy | Zone::Picture => return false,
            _ => {
                *self = Self { last: std::mem::take(&mut self.last), ..Self::default() };
                return token.kind == CobolTokenKind::Word;
            }
        }
        match token.text.as_str() {
            "(" => self.depth += 1,
            ")" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        if last == "EXEC" {
            self.is_sql = token.is("SQL");
        }
        // A label behind WHENEVER.
        let is_label = self.is_sql && (last == "GOTO" || (last == "TO" && self.before_last == "GO"));
        self.before_last = last.clone();
        let is_host = last == ":" || (last == "." && self.is_host);
        if token.text != "." {
            self.is_host = is_host;
        }
        token.kind == CobolTokenKind::Word && if self.is_sql { is_host || is_label } else { self.depth > 0 }
    }
}

/// The words of any text, in upper case.
fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_#@$".contains(c);
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_ascii_uppercase).collect()
}

/// The ends of names that a REPLACING puts together: what stands behind `:TAG:` or `(TAG)`.
fn composed(code: &str) -> Vec<String> {
    let ends = code
        .match_indices([':', ')'])
        .filter_map(|(at, _)| words(&code[at + 1..]).first().cloned().filter(|_| code[at + 1..].starts_with('-')));
    ends.collect()
}

/// What a source defines: items, files, indexes, conditions, paragraphs and sections.
fn definitions(source: &CobolText) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let tokens: Vec<Option<&CobolToken>> = source.tokens().into_iter().map(|token| token.map(|each| each.1)).collect();
    let is_period = |token: Option<&CobolToken>| token.is_some_and(|token| token.kind == CobolTokenKind::Period);
    for window in tokens.windows(3) {
        let [before, Some(name), after] = window else { continue };
        // A number before such a word ends a clause or a condition.
        let is_reserved = || {
            let end = name.text.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("END-"));
            let usage = name.text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("COMP-"));
            end || usage
        };
        if !name.is_plain() || !name.is_name() || name.is_any(NO_NAMES) || name.is_any(VERBS) || is_reserved() {
            continue;
        }
        let begins = before.is_none_or(|before| before.kind == CobolTokenKind::Period);
        let is_level = before.is_some_and(|before| {
            before.zone == Zone::Other
                && before.text.len() <= 2
                && before
                    .text
                    .parse()
                    .is_ok_and(|level: u8| (1..=49).contains(&level) || matches!(level, 66 | 77 | 78 | 88))
        });
        let is_described = before.is_some_and(|before| before.is_any(&["FD", "SD", "SELECT"]));
        let is_label = name.zone == Zone::Procedure
            && begins
            && (is_period(*after) || after.is_some_and(|after| after.is("SECTION")));
        if name.zone == Zone::Other && (is_level || is_described) || is_label {
            found.insert(name.text.to_ascii_uppercase());
        }
    }
    let mut indexes = false;
    for token in tokens.into_iter().flatten() {
        let goes_on = indexes && token.zone == Zone::Other && token.is_name();
        if goes_on && !token.is("BY") && token.text.contains('-') {
            found.insert(token.text.to_ascii_uppercase());
        } else if !token.is("BY") {
            indexes = token.zone == Zone::Other && token.is("INDEXED");
        }
    }
    found
}
