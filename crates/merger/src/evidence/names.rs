//! The names of a source, and which of them stand for others.

use super::wording;
use crate::anchors::{SourceNames, translated, words};
use foldhash::{HashMap, HashSet};
use std::path::Path;
use war_rig_cobol::{Analysis, DataItem, ParsedCobol, ResourceKind};
use war_rig_text::SourceText;

/// The names of a source.
pub(super) struct EvidenceNames<'a> {
    known: &'a SourceNames,
    /// Words of the code that can only be names, whether or not anything declares them.
    written: HashSet<String>,
    /// The other words of the code.
    plain: HashSet<String>,
    /// Values of data items that are used as names: programs, files, maps.
    values: HashSet<String>,
    /// Names of labels, programs and copybooks, which are no data items.
    others: HashSet<&'a str>,
    /// Paragraphs and sections that no item shares its name with.
    labels: HashSet<&'a str>,
    conditions: HashSet<&'a str>,
    /// The responses and values of CICS that the program names.
    translated: HashSet<String>,
    /// Data items that no paragraph or section shares its name with.
    data: HashSet<&'a str>,
    programs: HashSet<&'a str>,
}

impl<'a> EvidenceNames<'a> {
    pub(super) fn of<'n>(
        source: &SourceText,
        parsed: &'a ParsedCobol,
        known: &'a SourceNames,
        others: impl Iterator<Item = &'n String>,
    ) -> Self {
        let code = source.lines().filter(|line| !line.is_comment());
        // What a message says names nothing; a code does.
        let pieces = code.flat_map(|line| wording::pieces(line.code()));
        let pieces = pieces.filter(|(is_literal, piece)| !is_literal || !piece.trim().contains(' '));
        let words = pieces.flat_map(|(_, piece)| words(piece));
        let is_name = |word: &&str| {
            word.bytes().any(|byte| byte.is_ascii_alphabetic())
                && word.bytes().any(|byte| matches!(byte, b'-' | b'_') || byte.is_ascii_digit())
        };
        let (written, plain): (Vec<&str>, Vec<&str>) = words.partition(is_name);
        let plain = plain.into_iter().map(str::to_uppercase).collect();
        let mut written: HashSet<String> = written.into_iter().map(str::to_uppercase).collect();
        let values: HashSet<String> = others.filter(|name| !name.contains(' ') && !known.has(name)).cloned().collect();
        written.extend(values.iter().cloned());
        let columns = parsed.execs.iter().filter_map(|exec| exec.sql.as_ref()).flat_map(|sql| &sql.tables);
        let columns = columns.flat_map(|table| table.columns_read.iter().chain(&table.columns_written));
        written.extend(columns.map(|column| column.to_uppercase()));
        let conditions = parsed.data_items.iter().filter(|item| item.level == 88);
        let conditions = conditions.map(|item| item.name.as_str()).collect();
        let items: HashSet<&str> = parsed.data_items.iter().map(|item| item.name.as_str()).collect();
        let sections = parsed.sections.iter().filter(|section| section.division == "PROCEDURE");
        let labels = parsed.paragraphs.iter().map(|unit| &unit.name).chain(sections.map(|unit| &unit.name));
        let all_labels: HashSet<&str> = labels.map(String::as_str).collect();
        let labels: HashSet<&str> = all_labels.difference(&items).copied().collect();
        let data = items.difference(&all_labels).copied().collect();
        let outside = parsed.programs.iter().map(|unit| &unit.name).chain(parsed.copies.iter().map(|copy| &copy.name));
        let programs = parsed.programs.iter().map(|unit| unit.name.as_str()).collect();
        Self {
            known,
            written,
            plain,
            values,
            others: outside.map(String::as_str).chain(labels.iter().copied()).collect(),
            labels,
            conditions,
            translated: translated(parsed),
            data,
            programs,
        }
    }

    /// Whether the source has the name, which is in upper case.
    pub(super) fn is_known(&self, name: &str) -> bool {
        self.written.contains(name) || self.known.has(name)
    }

    /// Whether the source itself writes the name. One of a copybook may be a word of English as well: `VAT`.
    pub(super) fn is_written(&self, name: &str) -> bool {
        self.written.contains(name) || self.plain.contains(name)
    }

    /// Whether it is a name of the program, and not only a value.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.known.has(name)
    }

    /// Whether it is the value of a data item.
    pub(super) fn is_value(&self, name: &str) -> bool {
        self.values.contains(name)
    }

    /// Whether it is the name of one of the source's own programs, of which every line is a part.
    pub(super) fn is_program(&self, name: &str) -> bool {
        self.programs.contains(name)
    }

    /// Whether it is in the code, but declared nowhere: a literal, perhaps.
    pub(super) fn is_literal(&self, name: &str) -> bool {
        self.written.contains(name) && !self.known.has(name)
    }

    /// Whether it can only be the name of a paragraph or section.
    pub(super) fn is_label(&self, name: &str) -> bool {
        self.labels.contains(name)
    }

    /// Whether a label begins with the number, as it is called for short.
    pub(super) fn begins_a_label(&self, number: &str) -> bool {
        self.labels.iter().any(|label| {
            let (first, rest) = label.split_once('-').unwrap_or((label, ""));
            !rest.is_empty() && first.trim_start_matches('0') == number
        })
    }

    /// Whether it can only be the name of a declared data item.
    pub(super) fn is_data(&self, name: &str) -> bool {
        self.data.contains(name)
    }

    /// Whether it is a condition name.
    pub(super) fn is_condition_name(&self, name: &str) -> bool {
        self.conditions.contains(name)
    }

    /// Whether it is a response or value of CICS that the program names.
    pub(super) fn is_translated(&self, name: &str) -> bool {
        self.translated.contains(name)
    }

    /// Whether it can be the name of a data item.
    pub(super) fn is_item(&self, name: &str) -> bool {
        self.is_known(name) && (self.data.contains(name) || !self.others.contains(name))
    }
}

/// What the communication area of SQL consists of.
const SQL_REGISTERS: [&str; 6] = ["SQLCODE", "SQLSTATE", "SQLERRMC", "SQLERRML", "SQLERRD", "SQLWARN"];

/// For each name the others whose occurrence counts as its own.
#[derive(Default)]
struct StandIns(HashMap<String, Vec<String>>);

/// Returns for each name the others whose occurrence counts as its own.
pub(super) fn stand_ins(analysis: &Analysis) -> HashMap<String, Vec<String>> {
    let parsed = analysis.parsed();
    let mut found = StandIns::default();
    for register in SQL_REGISTERS {
        found.add_both("SQLCA", register);
    }
    for (index, item) in parsed.data_items.iter().enumerate() {
        found.add_item(parsed, index, item);
    }
    for resource in analysis.resources() {
        for other in resource.aliases.iter().chain(&resource.estate_names) {
            found.add_both(&resource.name, other);
        }
        if resource.kind == ResourceKind::Map {
            for name in resource.estate_names.iter().chain([&resource.name]) {
                found.add_map(parsed, name);
            }
        }
    }
    for file in &parsed.files {
        for item in file.status.iter().chain(&file.key) {
            found.add_both(&file.name, item);
        }
        for record in &file.records {
            found.add(&file.name, record);
            let of_record = parsed.data_items.iter().position(|item| item.name == *record);
            found.add_below(parsed, &file.name, of_record);
        }
    }
    found.0
}

impl StandIns {
    fn add(&mut self, name: &str, other: &str) {
        if name != other {
            self.0.entry(name.to_owned()).or_default().push(other.to_owned());
        }
    }

    fn add_both(&mut self, one: &str, other: &str) {
        self.add(one, other);
        self.add(other, one);
    }

    /// Lets the items directly below a group stand for a name.
    fn add_below(&mut self, parsed: &ParsedCobol, name: &str, group: Option<usize>) {
        let below = parsed.data_items.iter().filter(|item| item.parent.is_some() && item.parent == group);
        below.for_each(|item| self.add(name, &item.name));
    }

    /// Lets the fields of a map's symbolic maps stand for it.
    fn add_map(&mut self, parsed: &ParsedCobol, map: &str) {
        for end in ["I", "O"] {
            let group = format!("{map}{end}");
            let is_group = |parent: usize| parsed.data_items[parent].name == group;
            let below = parsed.data_items.iter().filter(|item| item.parent.is_some_and(is_group));
            below.for_each(|item| self.add(map, &item.name));
            self.add(map, &group);
        }
    }

    /// Lets an item stand for its copybook, its groups, its value, and what it redefines.
    fn add_item(&mut self, parsed: &ParsedCobol, index: usize, item: &DataItem) {
        let groups = |item| {
            std::iter::successors(Some(item), |item: &&DataItem| item.parent.map(|index| &parsed.data_items[index]))
        };
        if let Some(copybook) = item.file.as_deref().and_then(|file| Path::new(file).file_stem()?.to_str()) {
            self.add(&copybook.to_uppercase(), &item.name);
        }
        for group in groups(item).skip(1) {
            self.add(&group.name, &item.name);
            if item.level == 88 {
                self.add(&item.name, &group.name);
            }
        }
        // A message is known by the code in it, wherever its group is used.
        let words = item.value.as_deref().into_iter().flat_map(words);
        for word in words.filter(|word| word.len() > 3 && word.bytes().any(|byte| byte.is_ascii_digit())) {
            groups(item).for_each(|group| self.add(&word.to_uppercase(), &group.name));
        }
        let value = item.value.as_deref().filter(|value| item.name != "FILLER" && value.starts_with(['\'', '"']));
        let value = value.map(|value| value.trim_matches(['\'', '"']).trim().to_uppercase());
        if let Some(value) = value.filter(|value| value.len() > 2) {
            self.add(&value, &item.name);
        }
        if let Some(other) = item.redefines.as_deref() {
            self.add_both(other, &item.name);
            self.add_below(parsed, other, Some(index));
        }
    }
}
