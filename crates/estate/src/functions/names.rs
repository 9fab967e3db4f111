//! How functions get their names: from the words that the comments of their programs share and others do not, else from the folder of their
//! sources, else from their data, else from the names of the programs.

use super::{BusinessFunction, NameOrigin, is_data};
use crate::graph::{EstateGraph, Node, NodeId};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::capitalized;

/// How well a phrase must fit a function: the harmonic mean of the share of its programs that have it and of the share of its users that are among
/// them.
const LEAST_FIT: f64 = 0.4;

/// The part of the best fit that a longer phrase needs to be preferred: it says more.
const FIT_OF_LONGER: f64 = 0.7;

/// The most words of a phrase.
const WORDS: usize = 3;

/// The most words of a name that is taken from one comment.
const WORDS_OF_TITLE: usize = 6;

/// From how many programs on the title of one of them, or one word, is too little for a name.
const MANY: usize = 4;

/// The most letters of an abbreviation; a longer word in capitals is only loud.
const LETTERS_OF_ABBREVIATION: usize = 4;

/// Words that say nothing of a program's subject: small words, words about programs, and what programs do with every subject.
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "accept", "add", "all", "also", "an", "and", "any", "appropriate", "application", "are", "as", "at",
    "based", "batch", "be", "both", "by", "call", "called", "can", "change", "cics", "cobol", "create", "data",
    "delete", "describe", "detail", "display", "do", "does", "each", "extract", "file", "for", "from", "get", "given",
    "handle", "has", "have", "if", "in", "incoming", "inquire", "inquiry", "insert", "into", "is", "it", "its", "list",
    "load", "logic", "main", "maintain", "maintenance", "module", "new", "no", "not", "obtain", "of", "on", "one",
    "only", "or", "other", "our", "post", "print", "process", "processing", "program", "provide", "put", "read",
    "record", "related", "report", "request", "retrieve", "return", "routine", "run", "sample", "select", "server",
    "show", "simple", "so", "someone", "source", "store", "subroutine", "such", "system", "take", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "to", "update", "use",
    "used", "using", "via", "view", "was", "we", "when", "where", "which", "while", "will", "with", "within", "write",
    "you",
];

/// The articles, prepositions and conjunctions of the languages that comments are most often written in after English.
#[rustfmt::skip]
const SMALL_WORDS: &[&str] = &[
    // Portuguese
    "ao", "aos", "ate", "até", "com", "como", "da", "das", "de", "do", "dos", "e", "em", "entre", "na", "nas", "no", "nos", "o", "os",
    "ou", "para", "pela", "pelas", "pelo", "pelos", "por", "que", "se", "sem", "sobre", "um", "uma",
    // Spanish
    "al", "con", "del", "el", "en", "la", "las", "los", "sin", "sus", "un", "una", "y",
    // French
    "au", "aux", "avec", "chez", "dans", "des", "du", "et", "le", "les", "par", "pour", "qui", "sans", "sous", "sur", "une", "vers",
    // German
    "am", "auf", "aus", "bei", "das", "dem", "den", "der", "die", "ein", "eine", "für", "im", "mit", "nach", "oder", "über", "und",
    "vom", "von", "zu", "zum", "zur",
    // Italian
    "che", "dal", "dalla", "dei", "della", "delle", "di", "gli", "il", "lo", "nel", "nella", "per", "su", "tra",
];

/// Names of folders that hold sources of any subject.
const FOLDERS_OF_SOURCES: &[&str] = &[
    "app", "application", "base", "batch", "cbl", "cob", "cobol", "code", "common", "core", "lib", "main", "module",
    "modules", "online", "pgm", "pgms", "prog", "program", "programs", "sample", "samples", "source", "sources", "src",
    "test", "tests", "unit",
];

/// Whether a word of a folder's name is that of any folder of sources.
fn is_of_any_folder(word: &str) -> bool {
    FOLDERS_OF_SOURCES.iter().any(|other| word.eq_ignore_ascii_case(other))
}

/// Whether a word, in lower case, says nothing of a subject.
fn says_nothing(word: &str) -> bool {
    EMPTY_WORDS.contains(&word) || SMALL_WORDS.contains(&word)
}

/// A word of a comment.
pub(super) struct Word {
    /// The word in the form in which it is compared: lower case, without the ending of a plural.
    pub(super) stem: String,
    /// The word as it is shown.
    shown: String,
    /// Its place among all words of the comment.
    place: usize,
    /// Whether it stands in capitals among small letters, as the name of a file or a program does.
    is_loud: bool,
    /// Whether it says nothing of a subject.
    is_empty: bool,
}

/// Returns the words of a comment that say something, in order.
pub(super) fn words(comment: &str) -> Vec<Word> {
    let is_shouted = !comment.chars().any(char::is_lowercase);
    let all = comment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    all.enumerate()
        .filter_map(|(place, word)| {
            let lower = word.to_lowercase();
            let stem = match lower.strip_suffix("ies") {
                Some(stem) if stem.len() > 1 => format!("{stem}y"),
                _ if lower.ends_with("ss") => lower.clone(),
                _ => lower.strip_suffix('s').unwrap_or(&lower).to_owned(),
            };
            let says = stem.chars().filter(|c| c.is_alphabetic()).count() >= 3;
            let is_empty = says_nothing(&stem) || says_nothing(&lower);
            // An abbreviation keeps its capitals where the others are small.
            let capitals = word.chars().filter(|c| c.is_uppercase()).count();
            let is_abbreviation = !is_shouted && (2..=LETTERS_OF_ABBREVIATION).contains(&capitals);
            let shown = if is_abbreviation || is_code(word) { word.to_owned() } else { lower };
            let is_loud = !is_shouted && !word.chars().any(char::is_lowercase);
            says.then_some(Word { stem, shown, place, is_loud, is_empty })
        })
        .collect()
}

/// Whether a word in capitals is an abbreviation or a code whatever stands around it: it has a digit among its letters, or is short and has no vowel.
fn is_code(word: &str) -> bool {
    let has_digit = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
    let is_short = (2..=LETTERS_OF_ABBREVIATION).contains(&word.chars().count());
    has_digit || is_short && word.chars().all(|c| c.is_ascii_uppercase() && !"AEIOUY".contains(c))
}

/// What names can be made of: each phrase, and how many programs have it.
pub(super) struct Names<'a> {
    graph: &'a EstateGraph,
    /// The words that stand somewhere in small letters, or among capitals: the others are names.
    spoken: HashSet<String>,
    /// Of each phrase, the number of programs whose comment has it.
    phrases: HashMap<String, usize>,
    /// Of each piece of data, the number of programs that use it.
    data: HashMap<&'a NodeId, usize>,
    /// Of each folder that says something, the number of programs in it.
    folders: HashMap<&'a str, usize>,
}

/// A candidate for a name.
struct Phrase {
    shown: String,
    words: usize,
    /// How many programs of the function have it.
    members: usize,
}

impl<'a> Names<'a> {
    /// Counts what the programs of all functions have.
    pub(super) fn of(graph: &'a EstateGraph, members: &[Vec<NodeId>]) -> Self {
        let mut names = Self {
            graph,
            spoken: HashSet::new(),
            phrases: HashMap::new(),
            data: HashMap::new(),
            folders: HashMap::new(),
        };
        let comments = members.iter().flatten().filter_map(|program| graph.node(program)?.remark.as_deref());
        names.spoken = comments.flat_map(words).filter(|word| !word.is_loud).map(|word| word.stem).collect();
        for program in members.iter().flatten() {
            for stem in names.phrases_of(program).into_keys() {
                *names.phrases.entry(stem).or_default() += 1;
            }
            for data in names.data_of(program) {
                *names.data.entry(data).or_default() += 1;
            }
            if let Some(folder) = names.folder_of(program) {
                *names.folders.entry(folder).or_default() += 1;
            }
        }
        names
    }

    /// Returns the name of a function.
    pub(super) fn name(&self, programs: &[NodeId]) -> (String, NameOrigin) {
        if let Some(name) = self.name_in_comments(programs) {
            return (name, NameOrigin::Comments);
        }
        if let Some(name) = self.name_of_folder(programs).filter(|_| programs.len() > 1) {
            return (name, NameOrigin::Folder);
        }
        // A program of its own is better known by its name, and many by the beginning of theirs.
        let is_known_by_names = programs.len() == 1 || programs.len() >= MANY && beginning(programs.iter()).is_some();
        if let Some(name) = self.name_of_data(programs).filter(|_| !is_known_by_names) {
            return (name, NameOrigin::Data);
        }
        (name_of_programs(programs), NameOrigin::ProgramNames)
    }

    /// Returns the phrases of a program's comment, by stem.
    fn phrases_of(&self, program: &NodeId) -> BTreeMap<String, (String, usize)> {
        let words: Vec<Word> = words(self.sentence_of(program))
            .into_iter()
            .filter(|word| !word.is_empty && self.spoken.contains(&word.stem))
            .collect();
        let mut phrases = BTreeMap::new();
        for length in 1..=WORDS {
            let adjacent = |run: &&[Word]| run.windows(2).all(|pair| pair[0].place + 1 == pair[1].place);
            for run in words.windows(length).filter(adjacent) {
                let join = |text: fn(&Word) -> &str| run.iter().map(text).collect::<Vec<_>>().join(" ");
                phrases.entry(join(|word| &word.stem)).or_insert((join(|word| &word.shown), length));
            }
        }
        phrases
    }

    /// Returns the first sentence of a program's comment.
    fn sentence_of(&self, program: &NodeId) -> &'a str {
        self.graph.node(program).map_or("", Node::first_remark)
    }

    /// Names a function after a phrase that several of its comments share, or after the only comment.
    fn name_in_comments(&self, programs: &[NodeId]) -> Option<String> {
        let told: Vec<&NodeId> = programs.iter().filter(|program| !self.sentence_of(program).is_empty()).collect();
        let titles: BTreeSet<String> = told.iter().filter_map(|program| title(self.sentence_of(program))).collect();
        match titles.len() {
            0 => None,
            1 => titles.into_iter().next(),
            _ => self.shared_phrase(&told).or_else(|| {
                // What one of many says is no name for all.
                let first = told.iter().find_map(|program| title(self.sentence_of(program)))?;
                (programs.len() < MANY || beginning(programs.iter()).is_none()).then(|| format!("{first}, and more"))
            }),
        }
    }

    fn shared_phrase(&self, programs: &[&NodeId]) -> Option<String> {
        let mut found: BTreeMap<String, Phrase> = BTreeMap::new();
        for (stem, (shown, words)) in programs.iter().flat_map(|program| self.phrases_of(program)) {
            found.entry(stem).or_insert(Phrase { shown, words, members: 0 }).members += 1;
        }
        found.retain(|_, phrase| phrase.members > 1);
        let fit = |stem: &str, phrase: &Phrase| fit(phrase.members, programs.len(), self.phrases[stem]);
        let best = found.iter().map(|(stem, phrase)| fit(stem, phrase)).fold(0.0, f64::max);
        let good = found.iter().filter(|(stem, phrase)| fit(stem, phrase) >= (best * FIT_OF_LONGER).max(LEAST_FIT));
        let (_, phrase) = good.max_by(|(a_stem, a), (b_stem, b)| {
            let by_fit = fit(a_stem, a).total_cmp(&fit(b_stem, b));
            a.words.cmp(&b.words).then(by_fit).then_with(|| Reverse(a_stem).cmp(&Reverse(b_stem)))
        })?;
        let named = capitalized(&phrase.shown);
        // One word says little of many programs.
        let is_vague = phrase.words == 1 && programs.len() >= MANY;
        let beginning = is_vague.then(|| beginning(programs.iter().copied())).flatten();
        Some(beginning.map_or(named.clone(), |beginning| format!("{named} ({beginning}*)")))
    }

    /// Returns the data that a program uses.
    fn data_of(&self, program: &NodeId) -> BTreeSet<&'a NodeId> {
        self.graph.outgoing_edges(program).map(|edge| &edge.to).filter(|to| is_data(to.kind)).collect()
    }

    /// Returns the deepest folder of a program's source whose name says something of a subject.
    fn folder_of(&self, program: &NodeId) -> Option<&'a str> {
        let file = &self.graph.node(program)?.defined.first()?.file;
        let (folders, _) = file.rsplit_once('/')?;
        folders.rsplit('/').find(|folder| {
            let mut words = folder.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
            words.any(|word| word.len() > 2 && !is_of_any_folder(word))
        })
    }

    /// Names a function after the folder that most of its programs and few others are in: `Interest rate` for `06-interest-rate`.
    fn name_of_folder(&self, programs: &[NodeId]) -> Option<String> {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for folder in programs.iter().filter_map(|program| self.folder_of(program)) {
            *found.entry(folder).or_default() += 1;
        }
        let folder = best_fit(found, programs.len(), |folder| self.folders[folder])?;
        let says = |word: &&str| word.chars().any(char::is_alphabetic) && !is_of_any_folder(word);
        let words = folder.split(['-', '_', ' ', '.']).filter(says);
        Some(capitalized(&words.collect::<Vec<_>>().join(" ")))
    }

    fn name_of_data(&self, programs: &[NodeId]) -> Option<String> {
        let mut found: BTreeMap<&NodeId, usize> = BTreeMap::new();
        for data in programs.iter().flat_map(|program| self.data_of(program)) {
            *found.entry(data).or_default() += 1;
        }
        let data = best_fit(found, programs.len(), |data| self.data[data])?;
        // Of a path, the file says enough.
        Some(match data.name.rsplit_once('/') {
            Some((_, file)) if !file.is_empty() => format!("Work on {file}"),
            _ => format!("Work on {} {}", data.kind.in_words().0, data.name),
        })
    }
}

/// Returns how well a property that so many of a function's programs have, and so many in all, tells the function from others, from 0 to 1.
fn fit(members: usize, programs: usize, users: usize) -> f64 {
    2.0 * members as f64 / (programs + users) as f64
}

/// Returns the property that tells a function of so many programs best from others, if one tells it well enough; `found` has how many of its programs
/// have each property, `users` how many do in all.
fn best_fit<K: Ord + Copy>(found: BTreeMap<K, usize>, programs: usize, users: impl Fn(K) -> usize) -> Option<K> {
    let fits = found.into_iter().map(|(property, members)| (fit(members, programs, users(property)), property));
    let good = fits.filter(|(fit, _)| *fit >= LEAST_FIT);
    good.max_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| other.cmp(one))).map(|(_, property)| property)
}

/// Returns the beginning that the names of several programs share, if it says something: without the digits at its end, which number the programs,
/// unless too little is left then.
fn beginning<'n>(mut programs: impl Iterator<Item = &'n NodeId>) -> Option<&'n str> {
    let first = programs.next()?.plain_name();
    let shared = |other: &NodeId| {
        let equal = first.chars().zip(other.plain_name().chars()).take_while(|(own, theirs)| own == theirs);
        equal.map(|(own, _)| own.len_utf8()).sum::<usize>()
    };
    let whole = &first[..programs.map(shared).min()?];
    let without_number = whole.trim_end_matches(|c: char| c.is_ascii_digit());
    [without_number, whole].into_iter().find(|text| text.chars().count() > 2)
}

/// Names a function after the beginning that the names of its programs share, or after its first program.
fn name_of_programs(programs: &[NodeId]) -> String {
    let [first, others @ ..] = programs else { return String::new() };
    match (beginning(programs.iter()), others) {
        (_, []) => first.plain_name().to_owned(),
        (Some(beginning), _) => format!("Programs {beginning}*"),
        (_, [second]) => format!("{} and {}", first.plain_name(), second.plain_name()),
        (_, others) => format!("{} and {} others", first.plain_name(), others.len()),
    }
}

/// Returns what a comment says first, without the words around it: `This is the Bill Payment program, which ...`.
fn title(sentence: &str) -> Option<String> {
    let end = [" - ", "(", ",", ";", ":"].iter().filter_map(|sign| sentence.find(sign)).min();
    let clause = &sentence[..end.unwrap_or(sentence.len())];
    let is_shouted = !clause.chars().any(char::is_lowercase);
    // Letters beside those of a script without cases are no shouting.
    let has_no_cases = |word: &str| word.chars().any(|c| c.is_alphabetic() && !c.is_uppercase());
    let lowered = |word: &str| is_shouted && !is_code(word) && !has_no_cases(word);
    let mut words: Vec<String> = clause
        .split_whitespace()
        .map(|word| if lowered(word) { word.to_lowercase() } else { word.to_owned() })
        .collect();
    if words.first().is_some_and(|word| word.eq_ignore_ascii_case("this")) {
        let skipped = words
            .iter()
            .take(4)
            .take_while(|word| ["this", "is", "program", "the", "a", "an"].contains(&word.to_lowercase().as_str()));
        words.drain(..skipped.count());
    }
    words.truncate(WORDS_OF_TITLE);
    words.last_mut().into_iter().for_each(|word| word.truncate(word.trim_end_matches('.').len()));
    while words.last().is_some_and(|word| says_nothing(&word.to_lowercase())) {
        words.pop();
    }
    (!words.is_empty()).then(|| capitalized(&words.join(" ")))
}

/// Gives each function an id of its own. Functions of the same name are told apart by their first programs.
pub(super) fn make_unique(functions: &mut [BusinessFunction]) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for function in functions.iter() {
        *names.entry(function.name.clone()).or_default() += 1;
    }
    let mut taken = HashSet::new();
    for function in functions {
        let first = function.programs.first().map_or("", NodeId::distinction);
        if names[&function.name] > 1 && *function.name != *first {
            function.name = format!("{} ({first})", function.name);
        }
        let id = in_addresses(&function.name);
        let numbered = (2..).map(|number| format!("{id}-{number}"));
        let free = std::iter::once(id.clone()).chain(numbered).find(|id| !taken.contains(id));
        function.id = free.expect("numbers do not end");
        taken.insert(function.id.clone());
    }
}

/// Turns a name to lower-case letters, digits and hyphens.
fn in_addresses(name: &str) -> String {
    let plain = name.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "function".to_owned() } else { parts.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NodeKind;

    #[test]
    fn names_share_whole_characters_and_more_than_a_number() {
        let check = |names: &[&str], expected: &str| {
            let programs: Vec<NodeId> = names.iter().map(|name| NodeId::new(NodeKind::Program, name)).collect();
            assert_eq!(name_of_programs(&programs), expected);
        };
        check(&["ABÈ", "ABÉ"], "ABÈ and ABÉ");
        check(&["ABCÈ", "ABCÉ"], "Programs ABC*");
        check(&["90101", "90102", "90103"], "Programs 9010*");
        check(&["P0101", "P0102", "P0103"], "Programs P010*");
        check(&["PAY01", "PAY02", "PAY03"], "Programs PAY*");
        check(&["PAY01"], "PAY01");
    }

    #[test]
    fn titles_in_capitals_are_lowered_but_not_what_stands_beside_a_script_without_them() {
        let check = |sentence: &str, expected: &str| assert_eq!(title(sentence).as_deref(), Some(expected));
        check("POSTS THE ENTRIES", "Posts the entries");
        check("AS관계기업 DC조회", "AS관계기업 DC조회");
    }
}
