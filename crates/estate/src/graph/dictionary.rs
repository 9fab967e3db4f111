//! The data dictionary of an estate: the items that programs share through copybooks.
//!
//! An item's identity is its copybook and line, so it is the same in all programs that copy it, whatever name REPLACING
//! gives it there. A program's own items are not shared, and appear in its document.

use super::survey::Survey;
use foldhash::{HashMap, HashMapExt};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use war_rig_cobol::{Analysis, ParsedCobol};
use war_rig_text::LineNumber;

/// An item as declared in its copybook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedItem {
    /// Its name.
    pub name: Arc<str>,
    /// Its level number.
    pub level: u8,
    /// The PICTURE's string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Arc<str>>,
    /// Its usage, if it has a picture or needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Cow<'static, str>>,
    /// The zero-based byte offset in its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The length in bytes of one occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// The line of its name.
    pub line: LineNumber,
}

/// What a program does with the items of one copied copybook. Items are sorted copybook line numbers, because an estate has
/// a million such uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedUse {
    /// The program.
    pub program: Arc<str>,
    /// The copybook's file.
    pub copybook: Arc<str>,
    /// The items that the program reads.
    pub read: Box<[LineNumber]>,
    /// The items that the program sets or may set.
    pub set: Box<[LineNumber]>,
}

/// An entry of the dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DictionaryItem {
    /// The item as its copybook declares it.
    #[serde(flatten)]
    pub item: SharedItem,
    /// The copybook's file.
    pub file: Arc<str>,
    /// The programs that read it, in order.
    pub read_by: Vec<Arc<str>>,
    /// The programs that set it, in order, including those that pass it to another program, which may set it.
    pub set_by: Vec<Arc<str>>,
}

/// Returns the items that a copybook declares, without fillers and condition names.
pub(super) fn shared_items(parsed: &ParsedCobol) -> Vec<SharedItem> {
    let own = parsed.data_items.iter().filter(|item| item.file.is_none() && item.program.is_none());
    let named = own.filter(|item| item.name != "FILLER" && !matches!(item.level, 66 | 78 | 88));
    named
        .filter_map(|item| {
            Some(SharedItem {
                name: item.name.as_str().into(),
                level: item.level,
                picture: item.picture.clone(),
                usage: item.usage.filter(|usage| item.picture.is_some() || *usage != "DISPLAY").map(Cow::Borrowed),
                offset: item.offset,
                length: item.length,
                line: item.line?,
            })
        })
        .collect()
}

/// Returns what the programs of a source do with the items that they copy.
pub(super) fn shared_uses(analysis: &Analysis) -> Vec<SharedUse> {
    let parsed = analysis.parsed();
    let mut found: BTreeMap<(usize, &str, LineNumber), (bool, bool)> = BTreeMap::new();
    for used in analysis.def_use().all() {
        let item = &parsed.data_items[used.item()];
        let (Some(program), Some(file), Some(line)) = (item.program, &item.file, item.line) else { continue };
        let (is_read, is_set) = found.entry((program, file, line)).or_default();
        *is_read |= used.is_read();
        *is_set |= used.is_set() || used.is_passed();
    }
    let names: Vec<Arc<str>> = parsed.programs.iter().map(|program| program.name.as_str().into()).collect();
    let mut files: HashMap<&str, Arc<str>> = HashMap::new();
    let found: Vec<_> = found.into_iter().collect();
    found
        .chunk_by(|((a_program, a_file, _), _), ((program, file, _), _)| (a_program, a_file) == (program, file))
        .map(|uses| {
            let ((program, file, _), _) = uses[0];
            let lines = |is: fn(&(bool, bool)) -> bool| {
                uses.iter().filter(|(_, used)| is(used)).map(|((_, _, line), _)| *line).collect()
            };
            SharedUse {
                program: Arc::clone(&names[program]),
                copybook: Arc::clone(files.entry(file).or_insert_with(|| file.into())),
                read: lines(|(is_read, _)| *is_read),
                set: lines(|(_, is_set)| *is_set),
            }
        })
        .collect()
}

/// Returns the programs that use the item on a line in this way, each once. `uses` is sorted by program.
fn programs(uses: &[&SharedUse], line: LineNumber, lines: fn(&SharedUse) -> &[LineNumber]) -> Vec<Arc<str>> {
    let using = uses.iter().filter(|used| lines(used).binary_search(&line).is_ok());
    let mut programs = Vec::with_capacity(using.clone().count());
    programs.extend(using.map(|used| Arc::clone(&used.program)));
    programs.dedup();
    programs
}

/// Builds the dictionary, sorted by name, file and line.
pub(super) fn dictionary(surveys: &[Survey]) -> Vec<DictionaryItem> {
    let mut uses: HashMap<&str, Vec<&SharedUse>> = HashMap::new();
    for used in surveys.iter().flat_map(|survey| &survey.shared_uses) {
        uses.entry(&used.copybook).or_default().push(used);
    }
    for uses in uses.values_mut() {
        uses.sort_by(|a, b| a.program.cmp(&b.program));
    }
    let mut all: Vec<DictionaryItem> = Vec::new();
    for survey in surveys {
        for item in &survey.shared_items {
            let uses = uses.get(survey.file.as_ref()).map(Vec::as_slice).unwrap_or_default();
            all.push(DictionaryItem {
                item: item.clone(),
                file: Arc::clone(&survey.file),
                read_by: programs(uses, item.line, |used| &used.read),
                set_by: programs(uses, item.line, |used| &used.set),
            });
        }
    }
    all.sort_by(|a, b| (&a.item.name, &a.file, a.item.line).cmp(&(&b.item.name, &b.file, b.item.line)));
    all
}
