//! The normal form in which documents before a rewrite and after it are compared.

use super::DocumentTexts;
use super::positions::{LinePosition, LinePositions, RangeEnd, Side};
use crate::whole_dictionary;
use regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a rewrite changes in its documents by right, beyond places.
#[derive(Debug, Clone, Copy, Default)]
pub struct Normalization {
    /// Letters are compared in lower case.
    pub has_other_case: bool,
    /// Lines that are quoted are left out: what stands on a line is not what stood there.
    pub has_other_lines: bool,
    /// Words that may be left out are left out of statements that are shown as they are written.
    pub has_other_words: bool,
    /// Lists are compared without their order, which is by name here and there.
    pub has_other_names: bool,
    /// What names copybooks is left out, and the items that they describe stand with the program's own.
    pub has_no_copybooks: bool,
}

/// What is needed to bring documents to their normal form.
#[derive(Debug)]
pub struct Normalizer<'a> {
    /// What is left out.
    pub form: Normalization,
    /// Places by the shift.
    pub places: &'a LinePositions,
    /// Old names by new one.
    pub names: &'a BTreeMap<String, String>,
}

/// Fields of JSON that are left out: hashes, the seal, totals of lines, the borders of chunks.
const LEFT_OUT: &[&str] = &["hash", "source_hash", "made_from", "seal", "coverage"];
/// What names copybooks, and the hazards, which say nothing of items that other sources share.
const OF_COPYBOOKS: &[&str] = &["copybooks_used", "copybook", "defined_in", "hazards"];

/// How many places of a list are compared on a page.
const PLACES: usize = 10;

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9_-]+").expect("it is a pattern"));
static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\[[^\[\]]*\]\((?:\.\./)+estate/([^)#]+)(?:#L(\d+)(?:-L(\d+))?)?\)").expect("it is a pattern")
});
static TARGET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(\[[^\[\]]*\]): (?:\.\./)+estate/([^)#]+)#L(\d+)(?:-L(\d+))?$").expect("it is a pattern")
});
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[[^\[\]]*\]").expect("it is a pattern"));
static NAMED_LINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(`[^`]+` \()(\d+)").expect("it is a pattern"));
static FIELD_LINES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(`[^`]+` )(\d+(?:, \d+)*)").expect("it is a pattern"));
static ITEM_LINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^(?:([^:]+):)?(\d+)$").expect("it is a pattern"));
static PROSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b([Ll]ines?) (\d+)(?:-(\d+))?((?:, \d+)* and \d+|(?:, \d+)+)?").expect("it is a pattern")
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").expect("it is a pattern"));
/// Where the next sentence begins is known only if it begins on a line of its own.
static NEXT_SENTENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(next sentence) \(line [^)]*\)").expect("it is a pattern"));
static TOTAL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b[\d,]+ lines\b|\b[\d,]+ citations\b").expect("it is a pattern"));
static OPTIONAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:(GO) (?i:TO)\b|(INVALID) KEY\b|(?:IS|THAN|THEN|TO) )").expect("it is a pattern")
});
static LABEL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(\|"until).*"\|"#).expect("it is a pattern"));
static RECORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" \(file, record [^|]+\.\w+\)").expect("it is a pattern"));
static CHUNK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(\| `[^`]+-\d{3}` \|) \d+(?:-\d+)? \|").expect("it is a pattern"));
static MORE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r", and \d+ more in the JSON").expect("it is a pattern"));
static STEP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^( *- )(\d+)(:| |$)").expect("it is a pattern"));

impl Normalizer<'_> {
    /// A document's JSON.
    pub fn json(&self, side: Side, file: &str, documents: &DocumentTexts) -> Vec<String> {
        let read = |name: &str| serde_json::from_str(&documents[name].0).expect("a document is JSON");
        let mut value: Value = read(file);
        if self.form.has_no_copybooks {
            value["data_dictionary"] = whole_dictionary(file, &read).into();
            value.as_object_mut().expect("a document is an object").remove("copied_data");
        }
        self.value(side, file, &mut value);
        if self.form.has_no_copybooks {
            let items = value["data_dictionary"].as_array_mut().expect("it was put there");
            items.sort_by_key(Value::to_string);
        }
        value.sort_all_objects();
        let text = serde_json::to_string_pretty(&value).expect("JSON can be written");
        text.lines().map(str::to_owned).collect()
    }

    fn value(&self, side: Side, file: &str, value: &mut Value) {
        match value {
            Value::Object(fields) => self.fields(side, file, fields),
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.value(side, file, item));
                if items.iter().all(|item| item.get("start_line").is_some() && item.get("status").is_some()) {
                    let mut seen = Vec::new();
                    items.retain(|item| {
                        !seen.contains(item) && {
                            seen.push(item.clone());
                            true
                        }
                    });
                }
            }
            Value::String(text) => *text = self.text(side, file, text),
            _ => {}
        }
    }

    fn fields(&self, side: Side, file: &str, fields: &mut Map<String, Value>) {
        fields.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
        if fields.contains_key("chunk_id") && fields.contains_key("status") {
            fields.retain(|name, _| !name.ends_with("_line"));
        }
        if self.form.has_other_lines {
            fields.remove("quote");
        }
        if self.form.has_no_copybooks {
            fields.retain(|name, _| !OF_COPYBOOKS.contains(&name.as_str()));
        }
        let file = fields.get("file").and_then(Value::as_str).unwrap_or(file).to_owned();
        for name in ["set_in", "tested_in", "more_lines"] {
            for line in fields.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten() {
                *line =
                    self.places.of(side, &file, line.as_u64().expect("a line is a number"), RangeEnd::First).1.into();
            }
        }
        let mut place = None;
        for (name, end) in [
            ("line", RangeEnd::First),
            ("declared_at", RangeEnd::First),
            ("outcome_line", RangeEnd::First),
            ("start_line", RangeEnd::First),
            ("end_line", RangeEnd::Last),
        ] {
            if let Some(line) = fields.get(name).and_then(Value::as_u64) {
                let found = self.places.of(side, &file, line, end);
                fields.insert(name.to_owned(), found.1.into());
                place = Some(found.0);
            }
        }
        if let Some(place) = place.filter(|place| *place != file || fields.contains_key("file")) {
            fields.insert("file".to_owned(), place.into());
        }
        fields.iter_mut().for_each(|(name, value)| match value {
            Value::String(path) if name == "file" => *path = self.named(side, path),
            value => self.value(side, &file, value),
        });
    }

    /// Names by the renaming.
    fn named(&self, side: Side, text: &str) -> String {
        let old = |found: &Captures<'_>| {
            let word = &found[0];
            let old = self.names.get(&word.to_ascii_uppercase());
            let is_lower = !word.contains(|c: char| c.is_ascii_uppercase());
            old.map_or_else(|| word.to_owned(), |old| if is_lower { old.to_lowercase() } else { old.clone() })
        };
        match side {
            Side::New if !self.names.is_empty() => WORD.replace_all(text, old).into_owned(),
            _ => text.to_owned(),
        }
    }

    /// Prose: places by the shift, names by the renaming.
    fn text(&self, side: Side, file: &str, text: &str) -> String {
        let placed = |found: &Captures<'_>| {
            let place = |group: usize, end: RangeEnd| {
                let line = found.get(group).map(|line| line.as_str().parse().expect("digits are a number"));
                line.map(|line| self.places.in_file(side, file, line, end))
            };
            let first = place(2, RangeEnd::First).expect("a line is named");
            let last = place(3, RangeEnd::Last).unwrap_or_else(|| first.clone());
            let others = found.get(4).map_or("", |others| others.as_str());
            let others = NUMBER.replace_all(others, |found: &Captures<'_>| {
                let line = found[0].parse().expect("digits are a number");
                let other = self.places.in_file(side, file, line, RangeEnd::First);
                shown(&other, &other)
            });
            format!("{} {}{others}", &found[1], shown(&first, &last))
        };
        let mut text = PROSE.replace_all(&self.named(side, text), placed).into_owned();
        if text.contains("next sentence") {
            text = NEXT_SENTENCE.replace_all(&text, "$1").into_owned();
        }
        if self.form.has_other_words || self.form.has_other_names {
            text = LABEL.replace_all(&text, "$1").into_owned();
        }
        if self.form.has_other_words {
            text = OPTIONAL.replace_all(&text, "$1$2").into_owned();
        }
        if self.form.has_no_copybooks {
            text = RECORD.replace_all(&text, " (file)").into_owned();
        }
        if self.form.has_other_case { text.to_lowercase() } else { text }
    }

    fn range(&self, side: Side, file: &str, first: &str, last: Option<&str>) -> (LinePosition, LinePosition) {
        let number = |text: &str| text.parse().expect("digits are a number");
        let first = number(first);
        let last = last.map_or(first, number);
        (self.places.of(side, file, first, RangeEnd::First), self.places.of(side, file, last, RangeEnd::Last))
    }

    /// A document's page.
    pub fn page(&self, side: Side, file: &str, text: &str) -> Vec<String> {
        let mut of = file.to_owned();
        let mut lines = Vec::new();
        let mut is_left_out = false;
        let mut is_of_fields = false;
        let mut line_columns = Vec::new();
        let targets: BTreeMap<&str, Captures<'_>> = text
            .lines()
            .filter_map(|line| TARGET.captures(line))
            .map(|found| (found.get(1).expect("the pattern has it").as_str(), found))
            .collect();
        for line in text.lines().filter(|line| !line.contains("BLAKE3") && !TARGET.is_match(line)) {
            if line.starts_with("## ") || line.starts_with("<details><summary>How this") {
                let of_copybooks = ["## Copybooks", "## Data", "## Look twice"];
                is_left_out = self.form.has_no_copybooks && of_copybooks.contains(&line);
            }
            if is_left_out {
                continue;
            }
            let line = if line.contains(" · written by `") { TOTAL.replace_all(line, "*") } else { line.into() };
            let linked = |found: &Captures<'_>| {
                of = decoded(&found[1]);
                self.link(side, &of, found.get(2).map(|first| first.as_str()), found.get(3).map(|last| last.as_str()))
            };
            let line = CHUNK.replace(&line, "$1");
            let is_head = line.starts_with("**");
            let replaced = LINK.replace_all(&line, linked).into_owned();
            let referred = |found: &Captures<'_>| match targets.get(&found[0]) {
                Some(target) => {
                    of = decoded(&target[2]);
                    self.link(side, &of, Some(&target[3]), target.get(4).map(|last| last.as_str()))
                }
                None => found[0].to_owned(),
            };
            let replaced = REFERENCE.replace_all(&replaced, referred).into_owned();
            let is_list = line.trim_start().starts_with("- ");
            if !is_head && !is_list {
                of = file.to_owned();
            }
            let placed = |found: &Captures<'_>| {
                let place = self.places.of(side, &of, found[2].parse().expect("digits are a number"), RangeEnd::First);
                format!("{}{}{}", &found[1], place.1, &found[3])
            };
            let replaced = STEP.replace(&replaced, placed).into_owned();
            let named = |found: &Captures<'_>| {
                let place = self.places.of(side, file, found[2].parse().expect("digits are a number"), RangeEnd::First);
                format!("{}{}", &found[1], place.1)
            };
            let fields = |found: &Captures<'_>| {
                let place = |line: &str| {
                    self.places
                        .of(side, file, line.parse().expect("digits are a number"), RangeEnd::First)
                        .1
                        .to_string()
                };
                format!("{}{}", &found[1], found[2].split(", ").map(place).collect::<Vec<_>>().join(", "))
            };
            is_of_fields = line.starts_with("| fields of") || (is_of_fields && line.starts_with('|'));
            let line = match is_list || line.starts_with("Labels ") {
                true => NAMED_LINE.replace_all(&replaced, named).into_owned(),
                false if is_of_fields => FIELD_LINES.replace_all(&replaced, fields).into_owned(),
                false => self.item_line(side, file, &replaced, &mut line_columns),
            };
            lines.push(unique(&self.text(side, file, &line)));
        }
        lines
    }

    /// A link to a file or to lines of it.
    fn link(&self, side: Side, file: &str, first: Option<&str>, last: Option<&str>) -> String {
        match first {
            Some(first) => {
                let (first, last) = self.range(side, file, first, last);
                format!("[{}]", shown(&first, &last))
            }
            None => format!("[{file}]"),
        }
    }

    /// A row of a table with columns of lines, with the places in their cells.
    fn item_line(&self, side: Side, file: &str, line: &str, columns: &mut Vec<usize>) -> String {
        if !line.starts_with('|') {
            columns.clear();
            return line.to_owned();
        }
        let mut cells: Vec<String> = line.split(" | ").map(|cell| cell.trim_end_matches(" |").to_owned()).collect();
        let is_of_lines = |cell: &String| cell == "line" || cell.ends_with(" in lines");
        if cells.iter().any(is_of_lines) {
            columns.extend(cells.iter().enumerate().filter(|(_, cell)| is_of_lines(cell)).map(|(at, _)| at));
            return line.to_owned();
        }
        let placed = |part: &str| match ITEM_LINE.captures(part) {
            Some(found) => {
                let of = found.get(1).map_or(file.to_owned(), |of| of.as_str().replace("\\_", "_"));
                let place = self.places.of(side, &of, found[2].parse().expect("digits are a number"), RangeEnd::First);
                shown(&place, &place)
            }
            None => part.to_owned(),
        };
        for at in columns.iter() {
            if let Some(cell) = cells.get_mut(*at) {
                *cell = cell.split(", ").map(placed).collect::<Vec<_>>().join(", ");
            }
        }
        cells.join(" | ")
    }
}

fn shown(first: &LinePosition, last: &LinePosition) -> String {
    if first == last { format!("{}:{}", first.0, first.1) } else { format!("{}:{}-{}", first.0, first.1, last.1) }
}

/// A path of a link as the file has it.
fn decoded(path: &str) -> String {
    percent_encoding::percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// A line in which a place that is named again behind a comma is left out, and of many places those behind the first: two places may become one, so
/// that another number is left to the JSON.
fn unique(line: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut places: Vec<&str> = Vec::new();
    for part in line.split(", ") {
        let place = part.find(']').map(|end| &part[..=end]).filter(|place| place.starts_with('['));
        let Some(place) = place else {
            // The first place of a list stands behind other text.
            places = part.rfind('[').map(|start| &part[start..]).into_iter().collect();
            kept.push(part);
            continue;
        };
        // What stands behind the place stays.
        let rest = &part[place.len()..];
        let is_again = places.contains(&place);
        if !is_again {
            places.push(place);
        }
        match (is_again || places.len() > PLACES, rest.is_empty()) {
            (true, true) => {}
            (true, false) => kept.push(rest),
            (false, _) => kept.push(part),
        }
    }
    let line = kept.join(", ").replace("], |", "] |").replace("],  |", "] |");
    MORE.replace_all(&line, "").into_owned()
}
