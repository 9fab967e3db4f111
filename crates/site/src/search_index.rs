//! The search of a site without a server: names by the beginnings of their words, in small scripts that are loaded when needed.
//!
//! A script contains all entries with a word that begins with its prefix. A prefix with too many entries is divided by the next letter, so that no script
//! is large; the list of prefixes is a script too.

use serde::Serialize;
use std::collections::BTreeMap;

/// The most bytes of a script, as far as its prefix can be divided.
const LARGEST: usize = 60_000;

/// The most letters of a prefix.
const LONGEST: usize = 12;

/// Something that can be found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SearchEntry {
    /// Its name, by whose words it is found.
    pub name: String,
    /// What it is, in a few words.
    pub what: String,
    /// Its page and anchor, as a link from the root of the site.
    pub place: String,
}

/// All that can be found.
#[derive(Debug, Default)]
pub struct SearchIndex {
    entries: Vec<SearchEntry>,
}

impl SearchIndex {
    /// Adds entries.
    pub fn extend(&mut self, entries: impl IntoIterator<Item = SearchEntry>) {
        self.entries.extend(entries);
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the scripts, by their paths in the site.
    pub fn scripts(mut self) -> Vec<(String, String)> {
        self.entries.sort();
        self.entries.dedup();
        let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, entry) in self.entries.iter().enumerate() {
            for word in words_of(&entry.name) {
                let of_word = words.entry(word).or_default();
                if of_word.last() != Some(&number) {
                    of_word.push(number);
                }
            }
        }
        let words: Vec<(String, Vec<usize>)> = words.into_iter().collect();
        let mut scripts = Vec::new();
        self.divide(&words, 1, &mut scripts);
        let prefixes: Vec<&str> = scripts.iter().map(|(prefix, _)| prefix.as_str()).collect();
        let list = format!("warRig.prefixes({});\n", json(&prefixes));
        let of_prefix = |(number, (prefix, entries)): (usize, (&String, &String))| {
            (format!("_search/{number}.js"), format!("warRig.found({},{entries});\n", json(prefix)))
        };
        let mut files: Vec<(String, String)> =
            scripts.iter().map(|(prefix, entries)| (prefix, entries)).enumerate().map(of_prefix).collect();
        files.push(("_search/prefixes.js".to_owned(), list));
        files
    }

    /// Divides words by their letters up to this length, until the entries of a prefix fit into a script.
    fn divide(&self, words: &[(String, Vec<usize>)], length: usize, out: &mut Vec<(String, String)>) {
        let prefix = |word: &str| -> String { word.chars().take(length).collect() };
        for group in words.chunk_by(|one, other| prefix(&one.0) == prefix(&other.0)) {
            let is_divisible = length < LONGEST && group.iter().any(|(word, _)| word.chars().count() > length);
            let entries = self.entries_of(group);
            if entries.len() <= LARGEST || !is_divisible {
                out.push((prefix(&group[0].0), entries));
                continue;
            }
            // The word that is the prefix itself keeps a script of its own.
            let whole = group.iter().take_while(|(word, _)| word.chars().count() <= length).count();
            if whole > 0 {
                out.push((format!("{} ", prefix(&group[0].0)), self.entries_of(&group[..whole])));
            }
            self.divide(&group[whole..], length + 1, out);
        }
    }

    fn entries_of(&self, words: &[(String, Vec<usize>)]) -> String {
        let mut numbers: Vec<usize> = words.iter().flat_map(|(_, numbers)| numbers).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let rows: Vec<[&str; 3]> = numbers
            .iter()
            .map(|number| &self.entries[*number])
            .map(|entry| [&*entry.name, &*entry.what, &*entry.place])
            .collect();
        json(&rows)
    }
}

/// Returns the words of a name, in small letters: the name itself, and the parts between its signs.
fn words_of(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let mut words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_owned).collect();
    words.push(name.split_whitespace().collect::<Vec<_>>().join(" "));
    words.sort();
    words.dedup();
    words
}

/// Returns a value as JSON that can stand in a script.
fn json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("texts have a JSON");
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn entries(count: usize) -> Vec<SearchEntry> {
        let entry = |number: usize| SearchEntry {
            name: format!("{}-READ-{}", 1000 + number % 90, ["ACCOUNT", "POLICY", "CLAIM"][number % 3]),
            what: format!("in PROG{number:05}"),
            place: format!("cbl/PROG{number:05}.cbl.html#x"),
        };
        (0..count).map(entry).collect()
    }

    #[test]
    fn every_entry_is_in_the_script_of_each_of_its_words() {
        let mut index = SearchIndex::default();
        index.extend(entries(9000));
        let all: BTreeSet<SearchEntry> = index.entries.iter().cloned().collect();
        let scripts = index.scripts();
        let list = scripts.iter().find(|(path, _)| path.ends_with("prefixes.js")).unwrap();
        let list = list.1.strip_prefix("warRig.prefixes(").unwrap().strip_suffix(");\n").unwrap();
        let prefixes: Vec<String> = serde_json::from_str(list).unwrap();
        assert!(prefixes.len() > 3, "{prefixes:?}");
        for entry in &all {
            for word in words_of(&entry.name) {
                let of_word = prefixes.iter().position(|prefix| {
                    format!("{word} ").starts_with(prefix.as_str()) || word.starts_with(prefix.as_str())
                });
                let number = of_word.unwrap_or_else(|| panic!("no script for `{word}`: {prefixes:?}"));
                let (_, script) = &scripts[number];
                assert!(script.contains(&entry.place), "`{word}` is not in script {number}");
            }
        }
    }

    #[test]
    fn what_stands_in_a_script_cannot_end_it() {
        let mut index = SearchIndex::default();
        index.extend([SearchEntry { name: "</script>".to_owned(), what: "<b>".to_owned(), place: "x".to_owned() }]);
        assert!(index.scripts().iter().all(|(_, script)| !script.contains('<')));
    }
}
