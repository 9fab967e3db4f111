//! Search without a server: small scripts that are loaded when needed.
//!
//! There are two indexes. **Names** are found by the beginnings of their words: a script contains all entries with a word that begins with its prefix.
//! **Texts** (rules, hazards, what programs do) are found by all of their words: a script contains the numbers of the texts with a word, and the texts
//! themselves are in blocks, of which only those of found texts are loaded. In both, a prefix with too much behind it is divided by the next letter, so
//! that no script is large.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

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

/// All that can be found.
#[derive(Debug)]
pub struct SearchIndex {
    names: Vec<SearchEntry>,
    /// The kinds of texts.
    kinds: Vec<&'static str>,
    /// The numbers of the texts with each word.
    words: BTreeMap<String, Vec<u32>>,
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
        Self { names: Vec::new(), kinds, words: BTreeMap::new(), texts: 0, block: Vec::new() }
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
        for word in words_of(&text.text) {
            self.words.entry(word).or_default().push(number);
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

    /// Returns the scripts, by their paths in the site.
    pub fn scripts(mut self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        if !self.block.is_empty() {
            files.push(self.end_block());
        }
        let names = self.name_scripts();
        let words: Vec<(String, Vec<u32>)> = std::mem::take(&mut self.words).into_iter().collect();
        let numbers = |group: &[(String, Vec<u32>)]| {
            let of_words: BTreeMap<&str, Vec<u32>> =
                group.iter().map(|(word, numbers)| (word.as_str(), differences(numbers))).collect();
            json(&of_words)
        };
        let mut texts = Vec::new();
        divide(&words, 1, &numbers, &mut texts);
        let prefixes = |scripts: &[(String, String)]| -> Vec<String> {
            scripts.iter().map(|(prefix, _)| prefix.clone()).collect()
        };
        let kinds: BTreeSet<&str> = self.names.iter().map(|name| name.kind).chain(self.kinds.iter().copied()).collect();
        let (names_list, texts_list, kinds) = (json(&prefixes(&names)), json(&prefixes(&texts)), json(&kinds));
        let list = format!("warRig.begin({names_list},{texts_list},{},{kinds},{BLOCK});\n", json(&self.kinds));
        files.push(("_search/begin.js".to_owned(), list));
        for (what, function, scripts) in [("names", "names", names), ("words", "words", texts)] {
            files.extend(scripts.into_iter().enumerate().map(|(number, (_, contents))| {
                (format!("_search/{what}/{number}.js"), format!("warRig.{function}({number},{contents});\n"))
            }));
        }
        files
    }

    fn name_scripts(&mut self) -> Vec<(String, String)> {
        self.names.sort();
        self.names.dedup();
        let mut words: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (number, entry) in self.names.iter().enumerate() {
            for word in words_of(&entry.name) {
                words.entry(word).or_default().push(u32::try_from(number).expect("fewer names than u32 counts"));
            }
        }
        let words: Vec<(String, Vec<u32>)> = words.into_iter().collect();
        let entries = |group: &[(String, Vec<u32>)]| {
            let numbers: BTreeSet<u32> = group.iter().flat_map(|(_, numbers)| numbers).copied().collect();
            let entries = numbers.iter().map(|number| &self.names[*number as usize]);
            json(&entries.map(|entry| [&*entry.name, &*entry.what, &*entry.place, entry.kind]).collect::<Vec<_>>())
        };
        let mut scripts = Vec::new();
        divide(&words, 1, &entries, &mut scripts);
        scripts
    }
}

/// Divides words by their letters up to this length, until what is behind a prefix fits into a script.
fn divide<T>(
    words: &[(String, T)],
    length: usize,
    render: &dyn Fn(&[(String, T)]) -> String,
    out: &mut Vec<(String, String)>,
) {
    let prefix = |word: &str| -> String { word.chars().take(length).collect() };
    for group in words.chunk_by(|one, other| prefix(&one.0) == prefix(&other.0)) {
        let is_divisible = length < LONGEST && group.iter().any(|(word, _)| word.chars().count() > length);
        let contents = render(group);
        if contents.len() <= LARGEST || !is_divisible {
            out.push((prefix(&group[0].0), contents));
            continue;
        }
        // The word that is the prefix itself keeps a script of its own.
        let whole = group.iter().take_while(|(word, _)| word.chars().count() <= length).count();
        if whole > 0 {
            out.push((format!("{} ", prefix(&group[0].0)), render(&group[..whole])));
        }
        divide(&group[whole..], length + 1, render, out);
    }
}

/// Returns the first number, and how much each other one is larger than the one before.
fn differences(numbers: &[u32]) -> Vec<u32> {
    let mut before = 0;
    let difference = |number: &u32| {
        let difference = number - before;
        before = *number;
        difference
    };
    numbers.iter().map(difference).collect()
}

/// Returns the words of a text, each once, in small letters: what stands between its signs and blanks.
fn words_of(text: &str) -> BTreeSet<String> {
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns a value as JSON that can stand in a script.
fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("texts have a JSON");
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let scripts = index.scripts();
        let begin = called(script(&scripts, "_search/begin.js"));
        assert!(begin[0].as_array().unwrap().len() > 3, "{begin:?}");
        for entry in &all {
            for word in words_of(&entry.name) {
                let found = scripts_of(&begin[0], &word);
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
        let mut scripts: Vec<(String, String)> =
            (0..count).filter_map(|number| index.add_text(&text(number))).collect();
        scripts.extend(index.scripts());
        let begin = called(script(&scripts, "_search/begin.js"));
        let block = begin[4].as_u64().unwrap() as usize;
        let mut words: BTreeMap<usize, serde_json::Value> = BTreeMap::new();
        for number in (0..count).step_by(97) {
            let expected = text(number);
            let of_block = called(script(&scripts, &format!("_search/texts/{}.js", number / block)));
            assert_eq!(of_block[1][number % block][2], expected.place);
            for word in words_of(&expected.text) {
                let has = |script_number: &usize| {
                    let path = format!("_search/words/{script_number}.js");
                    let found =
                        words.entry(*script_number).or_insert_with(|| called(script(&scripts, &path)).remove(1));
                    let mut at = 0;
                    let mut numbers = found[&word].as_array().into_iter().flatten().map(|step| {
                        at += step.as_u64().unwrap() as usize;
                        at
                    });
                    numbers.any(|found| found == number * KINDS + number % 2)
                };
                assert!(scripts_of(&begin[1], &word).iter().any(has), "`{word}` of text {number}");
            }
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
        assert!(none.is_none() && index.scripts().iter().all(|(_, script)| !script.contains('<')));
    }
}
