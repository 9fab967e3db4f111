//! Search without a server: small scripts that are loaded when needed.
//!
//! There are two indexes. **Names** are found by the beginnings of their words: a script contains all entries with a word that begins with its prefix.
//! **Texts** (rules, hazards, what programs do) are found by all of their words: a script contains the numbers of the texts with a word, and the texts
//! themselves are in blocks, of which only those of found texts are loaded. In both, a prefix with too much behind it is divided by the next letter, so
//! that no script is large.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most bytes of a script, as far as its prefix can be divided.
const LARGEST: usize = 60_000;

/// The most letters of a prefix.
const LONGEST: usize = 12;

/// The texts of a block.
const BLOCK: usize = 32;

/// The most kinds of texts: a text's number contains its kind.
const KINDS: usize = 16;

/// A name that can be found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SearchEntry {
    /// The name, by whose words it is found.
    pub name: String,
    /// Its kind, as `war-rig search` calls it: `programs`.
    pub kind: &'static str,
    /// Where it is, in a few words.
    pub what: String,
    /// Its page and anchor, as a link from the root of the site.
    pub place: String,
}

/// A text that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    /// Its kind: `rules`.
    pub kind: &'static str,
    /// The text.
    pub text: String,
    /// Where it is said, in a few words: `PRMBILL, line 345`.
    pub what: String,
    /// Its page and anchor, as a link from the root of the site.
    pub place: String,
}

/// Rising numbers, each stored as its distance to the one before, in seven bits a byte. An estate has tens of millions of them.
#[derive(Debug, Default)]
struct TextNumbers {
    bytes: Vec<u8>,
    last: u32,
}

impl TextNumbers {
    /// Adds a number, which is not smaller than the one before; a second time changes nothing.
    fn push(&mut self, number: u32) {
        if self.last == number && !self.bytes.is_empty() {
            return;
        }
        let mut left = number - self.last;
        while left >= 0x80 {
            self.bytes.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        self.bytes.push(left as u8);
        self.last = number;
    }

    /// Returns the first number, and how much each other one is larger than the one before.
    fn steps(&self) -> Vec<u32> {
        let (mut steps, mut step, mut shift) = (Vec::new(), 0, 0);
        for byte in &self.bytes {
            step |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                steps.push(step);
                (step, shift) = (0, 0);
            }
        }
        steps
    }
}

/// All that can be found.
#[derive(Debug)]
pub struct SearchIndex {
    names: Vec<SearchEntry>,
    /// The kinds of texts.
    kinds: Vec<&'static str>,
    /// The numbers of the texts with each word.
    words: HashMap<String, TextNumbers>,
    texts: u32,
    block: Vec<[String; 3]>,
}

impl SearchIndex {
    /// Creates an index of texts of these kinds, those of the first found first.
    ///
    /// # Panics
    /// If there are more than sixteen kinds.
    pub fn new(kinds: Vec<&'static str>) -> Self {
        assert!(kinds.len() <= KINDS, "a text's number has room for {KINDS} kinds");
        Self { names: Vec::new(), kinds, words: HashMap::new(), texts: 0, block: Vec::new() }
    }

    /// Adds names.
    pub fn extend(&mut self, names: impl IntoIterator<Item = SearchEntry>) {
        self.names.extend(names);
    }

    /// Adds a text; returns the script of its block, by its path in the site, when the block is full.
    ///
    /// # Panics
    /// If the text's kind is none of the index.
    pub fn add_text(&mut self, text: &SearchText) -> Option<(String, String)> {
        let kind = self.kinds.iter().position(|kind| *kind == text.kind).expect("a kind of the index");
        let number = (self.texts * KINDS as u32) | kind as u32;
        for word in words_of(&text.text.to_lowercase()) {
            match self.words.get_mut(word) {
                Some(numbers) => numbers.push(number),
                None => self.words.entry(word.to_owned()).or_default().push(number),
            }
        }
        self.texts += 1;
        self.block.push([text.text.clone(), text.what.clone(), text.place.clone()]);
        (self.block.len() == BLOCK).then(|| self.end_block())
    }

    fn end_block(&mut self) -> (String, String) {
        let number = (self.texts as usize - 1) / BLOCK;
        let script = format!("warRig.texts({number},{});\n", json(&self.block));
        self.block.clear();
        (format!("_search/texts/{number}.js"), script)
    }

    /// Returns the numbers of names and texts.
    pub fn count(&self) -> (usize, usize) {
        (self.names.len(), self.texts as usize)
    }

    /// Passes on the scripts, by their paths in the site, one after the other.
    ///
    /// # Errors
    /// The first error of `put`.
    pub fn write_scripts<E>(mut self, mut put: impl FnMut((String, String)) -> Result<(), E>) -> Result<(), E> {
        if !self.block.is_empty() {
            let block = self.end_block();
            put(block)?;
        }
        let mut words: Vec<(String, TextNumbers)> = std::mem::take(&mut self.words).into_iter().collect();
        words.sort_by(|one, other| one.0.cmp(&other.0));
        let numbers = |group: &[(String, TextNumbers)]| {
            let of_words: BTreeMap<&str, Vec<u32>> =
                group.iter().map(|(word, numbers)| (word.as_str(), numbers.steps())).collect();
            json(&of_words)
        };
        let mut text_prefixes = Vec::new();
        divide(&words, 1, &numbers, &mut |prefix, contents| {
            let number = text_prefixes.len();
            text_prefixes.push(prefix);
            put((format!("_search/words/{number}.js"), format!("warRig.words({number},{contents});\n")))
        })?;
        drop(words);
        let name_prefixes = self.write_names(&mut put)?;
        let kinds: BTreeSet<&str> = self.names.iter().map(|name| name.kind).chain(self.kinds.iter().copied()).collect();
        let (names, texts, kinds) = (json(&name_prefixes), json(&text_prefixes), json(&kinds));
        let list = format!("warRig.begin({names},{texts},{},{kinds},{BLOCK});\n", json(&self.kinds));
        put(("_search/begin.js".to_owned(), list))
    }

    /// Passes on the scripts of the names; returns their prefixes.
    fn write_names<E>(&mut self, put: &mut impl FnMut((String, String)) -> Result<(), E>) -> Result<Vec<String>, E> {
        self.names.sort();
        self.names.dedup();
        let mut words: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (number, entry) in self.names.iter().enumerate() {
            for word in words_of(&entry.name.to_lowercase()) {
                let number = u32::try_from(number).expect("fewer names than u32 counts");
                words.entry(word.to_owned()).or_default().push(number);
            }
        }
        let words: Vec<(String, Vec<u32>)> = words.into_iter().collect();
        let entries = |group: &[(String, Vec<u32>)]| {
            let numbers: BTreeSet<u32> = group.iter().flat_map(|(_, numbers)| numbers).copied().collect();
            let entries = numbers.iter().map(|number| &self.names[*number as usize]);
            json(&entries.map(|entry| [&*entry.name, &*entry.what, &*entry.place, entry.kind]).collect::<Vec<_>>())
        };
        let mut prefixes = Vec::new();
        divide(&words, 1, &entries, &mut |prefix, contents| {
            let number = prefixes.len();
            prefixes.push(prefix);
            put((format!("_search/names/{number}.js"), format!("warRig.names({number},{contents});\n")))
        })?;
        Ok(prefixes)
    }
}

/// Returns the script that takes the place of the index where a server answers searches: it names the kinds that can be asked for.
pub fn served_script(kinds: impl IntoIterator<Item = &'static str>) -> String {
    format!("warRig.served({});\n", json(&kinds.into_iter().collect::<BTreeSet<_>>()))
}

/// Returns the script with the answer of a server: what was found, and how much there is in all.
pub fn answer_script(typed: &str, kind: &str, found: &[SearchEntry], total: u64) -> String {
    let rows: Vec<[&str; 4]> =
        found.iter().map(|entry| [&*entry.name, &*entry.what, &*entry.place, entry.kind]).collect();
    format!("warRig.answer({},{},{},{total});\n", json(&typed), json(&kind), json(&rows))
}

/// Returns the contents of a script for some words.
type RenderGroup<'a, T> = &'a dyn Fn(&[(String, T)]) -> String;

/// Divides words by their letters up to this length, until what is behind a prefix fits into a script; passes on each prefix with that.
fn divide<T, E>(
    words: &[(String, T)],
    length: usize,
    render: RenderGroup<'_, T>,
    put: &mut dyn FnMut(String, String) -> Result<(), E>,
) -> Result<(), E> {
    let prefix = |word: &str| -> String { word.chars().take(length).collect() };
    for group in words.chunk_by(|one, other| prefix(&one.0) == prefix(&other.0)) {
        let is_divisible = length < LONGEST && group.iter().any(|(word, _)| word.chars().count() > length);
        let contents = render(group);
        if contents.len() <= LARGEST || !is_divisible {
            put(prefix(&group[0].0), contents)?;
            continue;
        }
        // The word that is the prefix itself keeps a script of its own.
        let whole = group.iter().take_while(|(word, _)| word.chars().count() <= length).count();
        if whole > 0 {
            put(format!("{} ", prefix(&group[0].0)), render(&group[..whole]))?;
        }
        divide(&group[whole..], length + 1, render, put)?;
    }
    Ok(())
}

/// Returns the words of a text that is in small letters: what stands between its signs and blanks.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns a value as JSON that can stand in a script.
fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("texts have a JSON");
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn names(count: usize) -> Vec<SearchEntry> {
        let entry = |number: usize| SearchEntry {
            name: format!("{}-READ-{}", 1000 + number % 90, ["ACCOUNT", "POLICY", "CLAIM"][number % 3]),
            kind: "paragraphs",
            what: format!("in PROG{number:05}"),
            place: format!("cbl/PROG{number:05}.cbl.html#x"),
        };
        (0..count).map(entry).collect()
    }

    fn text(number: usize) -> SearchText {
        SearchText {
            kind: ["rules", "hazards"][number % 2],
            text: format!("WS-FIELD-{number} is moved to POL-STATUS, {}", ["paid", "due", "lapsed"][number % 3]),
            what: String::new(),
            place: format!("x.html#{number}"),
        }
    }

    fn scripts(index: SearchIndex) -> Vec<(String, String)> {
        let mut scripts = Vec::new();
        index
            .write_scripts(|script| {
                scripts.push(script);
                Ok::<(), Infallible>(())
            })
            .unwrap();
        scripts
    }

    /// The contents of a script: what its function is called with.
    fn called(script: &str) -> Vec<serde_json::Value> {
        let inner = script.split_once('(').unwrap().1.strip_suffix(");\n").unwrap();
        serde_json::from_str(&format!("[{inner}]")).unwrap()
    }

    fn script<'s>(scripts: &'s [(String, String)], path: &str) -> &'s str {
        &scripts.iter().find(|(known, _)| known == path).unwrap_or_else(|| panic!("no {path}")).1
    }

    /// The numbers of the scripts whose prefix leads to a word.
    fn scripts_of(prefixes: &serde_json::Value, word: &str) -> Vec<usize> {
        let prefixes = prefixes.as_array().unwrap().iter().map(|prefix| prefix.as_str().unwrap());
        let leads = |prefix: &str| format!("{word} ").starts_with(prefix);
        prefixes.enumerate().filter(|(_, prefix)| leads(prefix)).map(|(number, _)| number).collect()
    }

    #[test]
    fn every_name_is_in_the_script_of_each_of_its_words() {
        let mut index = SearchIndex::new(vec!["rules"]);
        index.extend(names(9000));
        let all: BTreeSet<SearchEntry> = index.names.iter().cloned().collect();
        let scripts = scripts(index);
        let begin = called(script(&scripts, "_search/begin.js"));
        assert!(begin[0].as_array().unwrap().len() > 3, "{begin:?}");
        for entry in &all {
            for word in words_of(&entry.name.to_lowercase()) {
                let found = scripts_of(&begin[0], word);
                let has =
                    |number: &usize| script(&scripts, &format!("_search/names/{number}.js")).contains(&entry.place);
                assert!(found.iter().any(has), "`{word}` of {entry:?}");
            }
        }
    }

    #[test]
    fn every_text_is_found_by_each_of_its_words() {
        let mut index = SearchIndex::new(vec!["rules", "hazards"]);
        let count = 5000;
        let mut all: Vec<(String, String)> = (0..count).filter_map(|number| index.add_text(&text(number))).collect();
        all.extend(scripts(index));
        let scripts = all;
        let begin = called(script(&scripts, "_search/begin.js"));
        let block = begin[4].as_u64().unwrap() as usize;
        let mut words: BTreeMap<usize, serde_json::Value> = BTreeMap::new();
        for number in (0..count).step_by(97) {
            let expected = text(number);
            let of_block = called(script(&scripts, &format!("_search/texts/{}.js", number / block)));
            assert_eq!(of_block[1][number % block][2], expected.place);
            for word in words_of(&expected.text.to_lowercase()) {
                let has = |script_number: &usize| {
                    let path = format!("_search/words/{script_number}.js");
                    let found =
                        words.entry(*script_number).or_insert_with(|| called(script(&scripts, &path)).remove(1));
                    let mut at = 0;
                    let mut numbers = found[word].as_array().into_iter().flatten().map(|step| {
                        at += step.as_u64().unwrap() as usize;
                        at
                    });
                    numbers.any(|found| found == number * KINDS + number % 2)
                };
                assert!(scripts_of(&begin[1], word).iter().any(has), "`{word}` of text {number}");
            }
        }
    }

    proptest! {
        #[test]
        fn rising_numbers_are_what_they_were(numbers in prop::collection::vec(0_u32..u32::MAX, 0..50)) {
            let rising: BTreeSet<u32> = numbers.iter().copied().collect();
            let mut stored = TextNumbers::default();
            rising.iter().for_each(|number| {
                stored.push(*number);
                stored.push(*number);
            });
            let mut at = 0;
            let again: Vec<u32> = stored.steps().into_iter().map(|step| { at += step; at }).collect();
            prop_assert_eq!(again, rising.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_stands_in_a_script_cannot_end_it() {
        let mut index = SearchIndex::new(vec!["rules"]);
        let hostile = "</script><b>".to_owned();
        index.extend([SearchEntry {
            name: hostile.clone(),
            kind: "rules",
            what: hostile.clone(),
            place: hostile.clone(),
        }]);
        let none =
            index.add_text(&SearchText { kind: "rules", text: hostile.clone(), what: hostile.clone(), place: hostile });
        assert!(none.is_none() && scripts(index).iter().all(|(_, script)| !script.contains('<')));
    }
}
