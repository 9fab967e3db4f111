//! What is told, in words for people.

use super::change::{Change, ChangeKind, DocumentChange, DocumentChangeKind, Glance, Told};

/// From how many characters on what was said and what is said stand on lines of their own.
const LONG: usize = 60;

/// A part of a sentence, so that each form of output can set it in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Our words, harmless in every form.
    Word(String),
    /// A name out of a source.
    Name(String),
    /// What a document says.
    Text(String),
}

impl Part {
    fn word(text: impl Into<String>) -> Self {
        Part::Word(text.into())
    }
}

/// A change as a sentence without a full stop: what it is about, and then what was and is said of it.
pub fn words(change: &Change) -> Vec<Part> {
    let mut parts = subject(change);
    parts.extend(statement(change));
    let lines = match (change.lines_before, change.lines_after) {
        (_, Some(lines)) | (Some(lines), None) => {
            let word = if lines.count() == 1 { "line" } else { "lines" };
            Some(Part::word(format!(" ({word} {lines})")))
        }
        (None, None) => None,
    };
    parts.extend(lines);
    parts
}

fn subject(change: &Change) -> Vec<Part> {
    let is_sum = change.count > 1;
    let noun = match change.what.as_deref() {
        Some("order") => format!("order of {}", change.field.rsplit('.').next().unwrap_or_default()),
        _ if is_sum => format!("{} items of record", change.count),
        _ => change.noun.to_owned(),
    };
    let mut parts = vec![Part::Word(noun)];
    if !change.item.is_empty() {
        parts.extend([Part::word(if change.what.as_deref() == Some("order") { " in " } else { " " })]);
        parts.push(Part::Name(change.item.clone()));
    }
    if let Some(program) = &change.program {
        parts.extend([Part::word(" of "), Part::Name(program.clone())]);
    }
    parts
}

fn statement(change: &Change) -> Vec<Part> {
    let Some(what) = change.what.as_deref() else {
        let said = change.after.as_ref().or(change.before.as_ref());
        return said.map(|said| vec![Part::word(": "), Part::Text(text(said))]).unwrap_or_default();
    };
    let mut parts = match what {
        "citation_status" => vec![Part::word(": its citation is ")],
        "cited_lines" => vec![Part::word(": the cited lines are others")],
        "order" => Vec::new(),
        what => vec![Part::word(format!(", {}", what.replace('_', " ")))],
    };
    let text = |told: &Option<Told>| told.as_ref().map(text).map(Part::Text);
    match (what, &change.before, &change.after) {
        ("citation_status", before, after) => {
            parts.extend(text(after));
            parts.push(Part::word(", was "));
            parts.extend(text(before));
        }
        ("cited_lines", ..) => {}
        (_, Some(Told::List(before)), Some(Told::List(after))) if is_order(before, after) => {
            parts.push(Part::word(", another order: "));
            parts.extend(text(&change.before));
            parts.push(Part::word(" -> "));
            parts.extend(text(&change.after));
        }
        (_, before, after) if is_list(before) && is_list(after) => {
            let said = [(": no longer ", text(before)), (": now ", text(after))];
            let mut is_first = true;
            for (word, text) in said {
                if let Some(text) = text {
                    parts.push(Part::word(if is_first { word } else { "; now " }));
                    parts.push(text);
                    is_first = false;
                }
            }
        }
        (_, Some(_), Some(_)) => {
            parts.push(Part::word(": "));
            parts.extend(text(&change.before));
            parts.push(Part::word(" -> "));
            parts.extend(text(&change.after));
        }
        (_, before, after) => {
            parts.push(Part::word(if after.is_some() { ": now " } else { ": no longer " }));
            parts.extend(text(before).or_else(|| text(after)));
        }
    }
    parts
}

fn is_list(told: &Option<Told>) -> bool {
    told.as_ref().is_none_or(|told| matches!(told, Told::List(_)))
}

fn is_order(before: &[String], after: &[String]) -> bool {
    let sorted = |parts: &[String]| {
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        parts
    };
    sorted(before) == sorted(after)
}

fn text(told: &Told) -> String {
    match told {
        Told::Text(text) => text.clone(),
        Told::List(parts) => parts.join(", "),
    }
}

/// The sign before a line of text: what is new, gone, or other; `!` before what no longer holds.
fn sign(change: &Change) -> char {
    match (change.kind, change.what.as_deref()) {
        (_, Some("citation_status")) => '!',
        (ChangeKind::Added, _) => '+',
        (ChangeKind::Gone, _) => '-',
        (ChangeKind::Changed | ChangeKind::Moved, _) => '~',
    }
}

/// A document as a line of text.
pub fn heading(change: &DocumentChange) -> String {
    let file = &change.file;
    match (change.kind, &change.was) {
        (DocumentChangeKind::Added, _) => format!("+ {file}{}", told_of(change.after.as_ref())),
        (DocumentChangeKind::Gone, _) => format!("- {file}{}", told_of(change.before.as_ref())),
        (DocumentChangeKind::Renamed, Some(was)) => format!("~ {file}, was {was}"),
        _ => format!("~ {file}"),
    }
}

fn told_of(glance: Option<&Glance>) -> String {
    let Some(glance) = glance else { return String::new() };
    let mut parts = vec![glance.file_type.clone()];
    if let Some(program) = &glance.program_id {
        parts.push(program.clone());
    }
    for (count, noun) in [(glance.paragraphs, "paragraph"), (glance.rules, "rule")] {
        if count > 0 {
            parts.push(counted(count, noun));
        }
    }
    format!(": {}", parts.join(", "))
}

/// So many of a thing.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// What is told of a document as lines of text below its heading. What comes out of sources and documents stands in them as it is: it is
/// for the caller to make it harmless for a terminal.
pub fn document_lines(change: &DocumentChange) -> Vec<String> {
    let mut lines = Vec::new();
    for change in &change.changes {
        let sign = sign(change);
        let length = |told: &Option<Told>| told.as_ref().map_or(0, |told| text(told).chars().count());
        let is_long = length(&change.before).max(length(&change.after)) > LONG;
        let is_told = change.what.is_some() && change.what.as_deref() != Some("cited_lines");
        if !(is_long && is_told) {
            lines.push(format!("{sign} {}", line(&words(change))));
            continue;
        }
        // Long texts are read one below the other.
        let (mut short, mut told) = (change.clone(), Vec::new());
        let is_all_list = is_list(&change.before) && is_list(&change.after);
        let said = [(&change.before, if is_all_list { "no longer" } else { "was" }), (&change.after, "now")];
        for (said, word) in said {
            told.extend(said.as_ref().map(|said| format!("    {word}: {}", text(said))));
        }
        (short.before, short.after) = (None, None);
        let mut parts = subject(&short);
        let what = short.what.as_deref().filter(|what| *what != "order").unwrap_or_default();
        parts.extend((!what.is_empty()).then(|| Part::word(format!(", {}", what.replace('_', " ")))));
        lines.push(format!("{sign} {}", line(&parts)));
        lines.extend(told);
    }
    if change.moved_citations > 0 {
        lines.push(format!("  {} merely moved", counted(change.moved_citations, "citation")));
    }
    lines
}

fn line(parts: &[Part]) -> String {
    parts
        .iter()
        .map(|part| match part {
            Part::Word(text) | Part::Text(text) => text.clone(),
            Part::Name(name) => format!("`{name}`"),
        })
        .collect()
}
