//! The names in the code of a source, and whether there may be others that are not seen.

use crate::code::WordKind;
use crate::model::{DataItem, ParsedCobol};
use foldhash::{HashSet, HashSetExt};

/// Copybooks of CICS and Db2, which a source need not contain.
const OF_THE_SYSTEM: &[&str] = &["DFHAID", "DFHBMSCA", "SQLCA", "SQLDA"];

/// The words of the code that can be names of data.
pub(crate) struct NamedWords(HashSet<String>);

impl NamedWords {
    /// Collects them, those of the parameters of programs included.
    pub(crate) fn of(parsed: &ParsedCobol) -> Self {
        let mut named = Self::in_code(parsed);
        named.0.extend(parsed.programs.iter().flat_map(|program| &program.parameters).map(|name| name.to_uppercase()));
        // What is redefined is named by that only if the other view, which stands behind it, is named, or something in that.
        let mut is_named = vec![false; parsed.data_items.len()];
        for (index, item) in parsed.data_items.iter().enumerate().rev() {
            if is_named[index] || named.has(item) {
                item.parent.into_iter().for_each(|group| is_named[group] = true);
                named.0.extend(item.redefines.as_deref().map(str::to_uppercase));
            }
        }
        named
    }

    /// Collects those that stand elsewhere than among the parameters of a program.
    pub(crate) fn behind_headers(parsed: &ParsedCobol) -> Self {
        let mut named = Self::in_code(parsed);
        let redefined = parsed.data_items.iter().filter_map(|item| item.redefines.as_deref());
        named.0.extend(redefined.map(str::to_uppercase));
        named
    }

    /// Collects those of statements, headers and files: those that no item names.
    pub(crate) fn apart_from_items(parsed: &ParsedCobol) -> Self {
        let mut named = Self::of_statements(parsed);
        named.0.extend(parsed.programs.iter().flat_map(|program| &program.parameters).map(|name| name.to_uppercase()));
        named
    }

    /// Collects those that stand neither among the parameters of a program nor behind REDEFINES.
    fn in_code(parsed: &ParsedCobol) -> Self {
        let mut named = Self::of_statements(parsed);
        let others = parsed.data_items.iter().flat_map(names_in_clauses);
        named.0.extend(others.map(str::to_uppercase));
        named
    }

    fn of_statements(parsed: &ParsedCobol) -> Self {
        let mut named = HashSet::new();
        let mut add = |text: &str| named.extend(words_in(text).map(str::to_uppercase));
        for word in parsed.all_words().iter() {
            // An EXEC block is one literal.
            let is_block = word.kind == WordKind::Literal && !word.text.starts_with(['\'', '"']);
            if is_block || word.kind == WordKind::Name {
                add(word.text);
            }
        }
        for exec in &parsed.execs {
            exec.options.iter().filter_map(|(_, text)| text.as_deref()).for_each(&mut add);
            let sql = exec.sql.as_deref();
            sql.into_iter().flat_map(|sql| &sql.host_variables).for_each(|variable| add(&variable.name));
        }
        for file in &parsed.files {
            let names = [&file.assign, &file.key, &file.status, &file.length_item];
            names.into_iter().flatten().chain(&file.alternate_keys).for_each(|name| add(name));
        }
        Self(named)
    }

    /// Returns the words in upper case.
    pub(crate) fn into_names(self) -> impl Iterator<Item = String> {
        self.0.into_iter()
    }

    /// Whether the code names an item.
    pub(crate) fn has(&self, item: &DataItem) -> bool {
        self.has_word(&item.name)
    }

    /// Whether the code has a word, in upper case.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Returns the names in the clauses of an item, other than the one behind REDEFINES.
fn names_in_clauses(item: &DataItem) -> impl Iterator<Item = &str> {
    let keys = item.table.iter().flat_map(|table| table.keys.iter().map(|key| key.name.as_str()));
    [&item.renames_through, &item.depending_on].into_iter().flatten().map(AsRef::as_ref).chain(keys).flat_map(words_in)
}

/// Returns the words of a text that may be names.
pub(crate) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).filter(|word| !word.is_empty())
}

/// Whether a source may declare names that are not seen: in copybooks that are missing, by macros, in sections that are not read as data.
pub(crate) fn may_declare_unseen(parsed: &ParsedCobol) -> bool {
    let is_missing = parsed.copies.iter().any(|copy| {
        copy.resolved.is_none() && !OF_THE_SYSTEM.iter().any(|known| known.eq_ignore_ascii_case(&copy.name))
    });
    let is_unexpanded = parsed.diagnostics.iter().any(|diagnostic| diagnostic.code.starts_with("copy-"));
    let read = ["FILE", "WORKING-STORAGE", "LOCAL-STORAGE", "LINKAGE", "CONFIGURATION", "INPUT-OUTPUT"];
    let has_unread =
        parsed.sections.iter().any(|section| section.division != "PROCEDURE" && !read.contains(&section.name.as_str()));
    let has_data = parsed.divisions.iter().any(|division| division.name == "DATA");
    is_missing || is_unexpanded || has_unread || parsed.has_macros() || !has_data
}
