//! The data dictionary of an estate: the items that its programs share by copying them.
//!
//! An item is known by the copybook and the line on which it is described, so that it is the same in all programs that copy it, under
//! whatever name REPLACING gives it there. Items that a program describes itself are its own, and stand in its document.

use super::survey::Survey;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use war_rig_cobol::{Effects, Parsed};
use war_rig_text::LineNumber;

/// An item as its copybook describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedItem {
    /// Its name.
    pub name: Arc<str>,
    /// Its level number.
    pub level: u8,
    /// The PICTURE's string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Arc<str>>,
    /// Its usage, where it has a picture or needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Cow<'static, str>>,
    /// The zero-based byte offset in its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Its length in bytes, one occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The line of its name.
    pub line: LineNumber,
}

/// A use that a program makes of an item that it has copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedUse {
    /// The program.
    pub program: Arc<str>,
    /// The copybook's file.
    pub copybook: Arc<str>,
    /// The line of the item there.
    pub line: LineNumber,
    /// Whether the program reads it.
    pub is_read: bool,
    /// Whether the program sets it, or may.
    pub is_set: bool,
}

/// An entry of the dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DictionaryItem {
    /// What its copybook says of it.
    #[serde(flatten)]
    pub item: SharedItem,
    /// The copybook's file.
    pub file: Arc<str>,
    /// The programs that read it, in order.
    pub read_by: Vec<Arc<str>>,
    /// The programs that set it, in order. One that hands it to another program counts, for that one may set it.
    pub set_by: Vec<Arc<str>>,
}

/// The items that a copybook describes: all but its fillers and conditions.
pub(super) fn shared_items(parsed: &Parsed) -> Vec<SharedItem> {
    let own = parsed.data_items.iter().filter(|item| item.file.is_none() && item.program.is_none());
    let named = own.filter(|item| item.name != "FILLER" && !matches!(item.level, 66 | 78 | 88));
    named
        .filter_map(|item| {
            Some(SharedItem {
                name: item.name.as_str().into(),
                level: item.level,
                picture: item.picture.clone(),
                usage: item
                    .usage
                    .filter(|usage| item.picture.is_some() || *usage != "DISPLAY")
                    .map(Cow::Borrowed),
                offset: item.offset,
                length: item.length,
                line: item.line?,
            })
        })
        .collect()
}

/// What the programs of a source do with the items that they copy.
pub(super) fn shared_uses(parsed: &Parsed) -> Vec<SharedUse> {
    let effects = Effects::of(parsed);
    let mut found: BTreeMap<(usize, &str, LineNumber), (bool, bool)> = BTreeMap::new();
    let statements = (0..parsed.statements.len()).flat_map(|index| effects.of_statement(index));
    let branches = (0..parsed.branches.len()).flat_map(|index| effects.of_branch(index));
    for used in statements.chain(branches) {
        let item = &parsed.data_items[used.item()];
        let (Some(program), Some(file), Some(line)) = (item.program, &item.file, item.line) else { continue };
        let (is_read, is_set) = found.entry((program, file, line)).or_default();
        *is_read |= used.is_read();
        *is_set |= used.is_set() || used.is_handed_over();
    }
    let mut files: HashMap<&str, Arc<str>> = HashMap::new();
    let names: Vec<Arc<str>> = parsed.programs.iter().map(|program| program.name.as_str().into()).collect();
    found
        .into_iter()
        .map(|((program, file, line), (is_read, is_set))| SharedUse {
            program: Arc::clone(&names[program]),
            copybook: Arc::clone(files.entry(file).or_insert_with(|| file.into())),
            line,
            is_read,
            is_set,
        })
        .collect()
}

/// The programs that use an item.
#[derive(Default)]
struct Users<'a> {
    read: BTreeSet<&'a Arc<str>>,
    set: BTreeSet<&'a Arc<str>>,
}

/// The dictionary, by name, then by file and line.
pub(super) fn dictionary(surveys: &[Survey]) -> Vec<DictionaryItem> {
    let mut uses: HashMap<(&str, LineNumber), Users<'_>> = HashMap::new();
    for used in surveys.iter().flat_map(|survey| &survey.shared_uses) {
        let users = uses.entry((&used.copybook, used.line)).or_default();
        if used.is_read {
            users.read.insert(&used.program);
        }
        if used.is_set {
            users.set.insert(&used.program);
        }
    }
    let list = |names: &BTreeSet<&Arc<str>>| names.iter().map(|name| Arc::clone(name)).collect();
    let mut all: Vec<DictionaryItem> = Vec::new();
    for survey in surveys {
        for item in &survey.shared_items {
            let found = uses.get(&(survey.file.as_ref(), item.line));
            all.push(DictionaryItem {
                item: item.clone(),
                file: Arc::clone(&survey.file),
                read_by: found.map(|users| list(&users.read)).unwrap_or_default(),
                set_by: found.map(|users| list(&users.set)).unwrap_or_default(),
            });
        }
    }
    all.sort_by(|a, b| (&a.item.name, &a.file, a.item.line).cmp(&(&b.item.name, &b.file, b.item.line)));
    all
}
