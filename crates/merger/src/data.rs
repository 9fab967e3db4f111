//! The data items of a document: its own in full, and references to those that a copybook's document describes.
//!
//! A reference replaces all items of one COPY, and only if the copybook's document shows the same items: the COPY does not replace text,
//! and the surrounding source does not change the items (USAGE, SIGN, SYNCHRONIZED of a group above them, added subordinate items).

use crate::skeleton::ProgramNames;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use war_rig_cobol::{CopybookReference, DataItem as Found, ParsedCobol};
use war_rig_template::{CopiedItems, DataDictionaryItem, ItemOrigin};

/// Returns the data items of a file in source order, with references for those that the documents of these copybooks describe.
pub(crate) fn data_items(
    parsed: &ParsedCobol,
    documented: &BTreeSet<String>,
) -> (Vec<DataDictionaryItem>, Vec<CopiedItems>) {
    let programs = ProgramNames::of(parsed);
    let copies = Copies::of(parsed, documented);
    let (mut own, mut copied) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < parsed.data_items.len() {
        let (count, copy) = copies.run_at(at);
        let run = &parsed.data_items[at..at + count];
        match copy {
            Some(copy) => copied.push(reference(parsed, copy, run, programs.name(run[0].program))),
            None => own.extend(run.iter().filter_map(|item| described(item, programs.name(item.program)))),
        }
        at += count;
    }
    (own, copied)
}

fn described(item: &Found, program: Option<String>) -> Option<DataDictionaryItem> {
    Some(DataDictionaryItem {
        name: item.name.clone(),
        level: item.level,
        picture: item.picture.as_deref().map(str::to_owned),
        usage: item.usage.map(str::to_owned),
        offset: item.offset,
        length: item.length,
        occurs: item.occurs,
        redefines: item.redefines.as_deref().map(str::to_owned),
        value: item.value.as_deref().map(str::to_owned),
        line: item.lines?.start(),
        file: item.file.clone(),
        origin: ItemOrigin::Parser,
        program,
    })
}

fn reference(parsed: &ParsedCobol, copy: &CopybookReference, items: &[Found], program: Option<String>) -> CopiedItems {
    let part_of = items[0].parent.map(|parent| parsed.data_items[parent].name.clone());
    let is_record = |item: &Found| matches!(item.level, 1 | 77);
    let records = items.iter().filter(|item| is_record(item)).map(|item| item.name.clone());
    CopiedItems {
        copybook: copy.resolved.clone().unwrap_or_default(),
        line: copy.lines.start(),
        items: items.len() as u64,
        records: records.collect(),
        offset: items[0].offset.filter(|_| !is_record(&items[0])),
        part_of,
        program,
    }
}

/// The COPY statements of a file whose items the documents of copybooks may describe.
struct Copies<'a> {
    parsed: &'a ParsedCobol,
    /// For each copybook, the copybooks that it includes, itself among them.
    brought: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Copies<'a> {
    fn of(parsed: &'a ParsedCobol, documented: &BTreeSet<String>) -> Self {
        // After REPLACE, text may differ from its file.
        if parsed.has_replace {
            return Self { parsed, brought: BTreeMap::new() };
        }
        let mut inner: HashMap<&str, Vec<&CopybookReference>> = HashMap::new();
        for copy in &parsed.copies {
            inner.entry(copy.file.as_deref().unwrap_or_default()).or_default().push(copy);
        }
        let outermost = inner.get("").into_iter().flatten().filter_map(|copy| copy.resolved.as_deref());
        let outermost = outermost.filter(|file| documented.contains(*file));
        let brought = outermost.filter_map(|file| Some((file, brought(file, &inner)?))).collect();
        Self { parsed, brought }
    }

    /// Returns how many items from this one on have one origin, and the COPY that includes them if its copybook's document describes them.
    fn run_at(&self, at: usize) -> (usize, Option<&'a CopybookReference>) {
        let items = &self.parsed.data_items;
        let Some(file) = items[at].file.as_deref() else { return (1, None) };
        let mut longest = 1;
        // An item of a nested copybook may begin the items of the outer one.
        for brought in self.brought.values().filter(|brought| brought.contains(file)) {
            let is_brought = |item: &&Found| item.file.as_deref().is_some_and(|file| brought.contains(file));
            let count = items[at..].iter().take_while(is_brought).count();
            let copy = self.only_copy_at(at, count, brought);
            if let Some(copy) = copy.filter(|_| self.is_described_there(at, count)) {
                return (count, Some(copy));
            }
            longest = longest.max(count);
        }
        (longest, None)
    }

    /// Returns the COPY in the file itself that includes these items; none if there are several candidates.
    fn only_copy_at(&self, first: usize, count: usize, brought: &BTreeSet<&str>) -> Option<&'a CopybookReference> {
        let items = &self.parsed.data_items;
        let program = items[first].program;
        let own = |item: &&Found| item.file.is_none() && item.program == program;
        let behind = items[..first].iter().rev().find(own).and_then(|item| item.line);
        let before = items[first + count..].iter().find(own).and_then(|item| item.line);
        let mut between = self.parsed.copies.iter().filter(|copy| {
            copy.file.is_none()
                && copy.program == program
                && copy.resolved.as_deref().is_some_and(|file| brought.contains(file))
                && behind.is_none_or(|line| line <= copy.lines.start())
                && before.is_none_or(|line| copy.lines.start() <= line)
        });
        let copy = between.next().filter(|copy| !copy.replacing)?;
        between.next().is_none().then_some(copy)
    }

    /// Whether the document of the copybook shows the same items.
    fn is_described_there(&self, first: usize, count: usize) -> bool {
        let items = &self.parsed.data_items;
        let within = first..first + count;
        let behind = items[within.end..].iter().map_while(|item| item.parent);
        let has_parts_outside = behind.into_iter().any(|parent| within.contains(&parent));
        let depends_on_group = items[within.clone()].iter().any(|item| {
            let above = item.parent.filter(|parent| *parent < first).map(|parent| &items[parent]);
            above.is_some_and(|above| above.usage.is_some() || matches!(item.level, 66 | 88))
        });
        let is_in_group = items[first].parent.is_some();
        let is_placed_by_group = items[within]
            .iter()
            .any(|item| item.attributes.synchronized || (is_in_group && item.sign_separate) || item.lines.is_none());
        !has_parts_outside && !depends_on_group && !is_placed_by_group
    }
}

/// Returns the copybooks that one includes; none if one of them is missing or is copied with REPLACING.
fn brought<'a>(file: &'a str, inner: &HashMap<&'a str, Vec<&'a CopybookReference>>) -> Option<BTreeSet<&'a str>> {
    let mut brought = BTreeSet::from([file]);
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        for copy in inner.get(file).into_iter().flatten() {
            let found = copy.resolved.as_deref().filter(|_| !copy.replacing)?;
            if brought.insert(found) {
                open.push(found);
            }
        }
    }
    Some(brought)
}
