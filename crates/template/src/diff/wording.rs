//! Words changes for people.

use super::change::{ChangeKind, ChangeValue, DocumentChange, DocumentChangeKind, DocumentSummary, ItemChange};
use war_rig_text::counted;

/// The number of characters from which the old and the new value are on their own lines.
const LONG: usize = 60;

/// A part of a sentence, so that each output format can style it in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SentencePart {
    /// Our words, harmless in every format.
    Word(String),
    /// A name out of a source.
    Name(String),
    /// Text of a document.
    Text(String),
}

impl SentencePart {
    fn word(text: impl Into<String>) -> Self {
        SentencePart::Word(text.into())
    }
}

/// Words a change as a sentence without a full stop: its subject, then the old and the new value.
pub fn change_sentence(change: &ItemChange) -> Vec<SentencePart> {
    let mut parts = subject(change);
    let said = statement(change);
    parts.extend((!said.is_empty()).then(|| SentencePart::word(": ")));
    parts.extend(said);
    parts.extend(place(change));
    parts
}

/// Returns the lines of the source, the new ones if there are any.
fn place(change: &ItemChange) -> Option<SentencePart> {
    let lines = change.lines_after.or(change.lines_before)?;
    let word = if lines.count() == 1 { "line" } else { "lines" };
    Some(SentencePart::word(format!(" ({word} {lines})")))
}

fn subject(change: &ItemChange) -> Vec<SentencePart> {
    let is_sum = change.count > 1;
    let noun = match change.what.as_deref() {
        Some("order") => format!("order of {}", change.field.rsplit('.').next().unwrap_or_default()),
        _ if is_sum => format!("{} items of record", change.count),
        _ => change.noun.to_owned(),
    };
    let mut parts = vec![SentencePart::Word(noun)];
    if !change.item.is_empty() {
        parts.extend([SentencePart::word(if change.what.as_deref() == Some("order") { " in " } else { " " })]);
        parts.push(SentencePart::Name(change.item.clone()));
    }
    if let Some(program) = &change.program {
        parts.extend([SentencePart::word(" of "), SentencePart::Name(program.clone())]);
    }
    parts
}

/// Returns the old and the new value; empty if only what happened can be reported.
fn statement(change: &ItemChange) -> Vec<SentencePart> {
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let text = |told: Option<&ChangeValue>| told.map(text).map(SentencePart::Text);
    let Some(what) = change.what.as_deref() else { return text(after.or(before)).into_iter().collect() };
    let from_to = || [text(before), Some(SentencePart::word(" -> ")), text(after)].into_iter().flatten();
    let mut parts = Vec::new();
    let field = what.replace('_', " ");
    match (what, before, after) {
        ("citation_status", ..) => {
            parts.push(SentencePart::word("its citation is "));
            parts.extend(text(after));
            parts.push(SentencePart::word(", was "));
            parts.extend(text(before));
        }
        ("cited_lines", ..) => parts.push(SentencePart::word("other lines are cited, or they say something else")),
        ("order", ..) => parts.extend(from_to()),
        (_, Some(ChangeValue::List(was)), Some(ChangeValue::List(is))) if !is_order(was, is) => {
            parts.push(SentencePart::word(format!("{field} no longer ")));
            parts.extend(text(before));
            parts.push(SentencePart::word("; now "));
            parts.extend(text(after));
        }
        (_, Some(_), Some(_)) => {
            parts.push(SentencePart::word(format!("{field} ")));
            parts.extend(from_to());
        }
        (_, Some(_), None) => {
            parts.push(SentencePart::word(format!("{field} no longer ")));
            parts.extend(text(before));
        }
        (_, None, _) => {
            parts.push(SentencePart::word(format!("{field} now ")));
            parts.extend(text(after));
        }
    }
    parts
}

fn is_list(told: &Option<ChangeValue>) -> bool {
    told.as_ref().is_none_or(|told| matches!(told, ChangeValue::List(_)))
}

fn is_order(before: &[String], after: &[String]) -> bool {
    let sorted = |parts: &[String]| {
        let mut parts = parts.to_vec();
        parts.sort_unstable();
        parts
    };
    sorted(before) == sorted(after)
}

fn text(told: &ChangeValue) -> String {
    match told {
        ChangeValue::Text(text) => text.clone(),
        ChangeValue::List(parts) => parts.join(", "),
    }
}

/// Returns the sign before a line of text for added, removed and changed items; `!` for citations that are no longer valid.
fn sign(change: &ItemChange) -> char {
    match (change.kind, change.what.as_deref()) {
        (_, Some("citation_status")) => '!',
        (ChangeKind::Added, _) => '+',
        (ChangeKind::Gone, _) => '-',
        (ChangeKind::Changed | ChangeKind::Moved, _) => '~',
    }
}

/// Returns a document as a line of text.
pub fn heading(change: &DocumentChange) -> String {
    let file = &change.file;
    match (change.kind, &change.was) {
        (DocumentChangeKind::Added, _) => format!("+ {file}{}", told_of(change.after.as_ref())),
        (DocumentChangeKind::Gone, _) => format!("- {file}{}", told_of(change.before.as_ref())),
        (DocumentChangeKind::Renamed, Some(was)) => format!("~ {file}, was {was}"),
        _ => format!("~ {file}"),
    }
}

fn told_of(glance: Option<&DocumentSummary>) -> String {
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

/// Returns the changes of a document as lines of text below its heading, one for each item. Text from sources and documents
/// is not escaped: the caller must make it harmless for a terminal.
pub fn document_lines(change: &DocumentChange) -> Vec<String> {
    let mut lines = Vec::new();
    for told in by_item(&change.changes) {
        let first = &told[0];
        let mut parts = subject(first);
        let (long, short): (Vec<&ItemChange>, Vec<&ItemChange>) = told.iter().partition(|change| is_long(change));
        for (at, change) in short.iter().enumerate() {
            let said = statement(change);
            parts.extend((!said.is_empty()).then(|| SentencePart::word(if at == 0 { ": " } else { "; " })));
            parts.extend(said);
        }
        parts.extend(place(first));
        lines.push(format!("{} {}", sign(first), line(&parts)));
        // Long texts are easier to compare one below the other.
        for change in long {
            let is_list = is_list(&change.before) && is_list(&change.after);
            let what = change.what.as_deref().unwrap_or_default().replace('_', " ");
            let said = [(&change.before, if is_list { "no longer" } else { "was" }), (&change.after, "now")];
            for (said, word) in said {
                lines.extend(said.as_ref().map(|said| format!("    {what} {word}: {}", text(said))));
            }
        }
    }
    if change.moved_citations > 0 {
        lines.push(format!("  {} merely moved", counted(change.moved_citations, "citation")));
    }
    lines
}

/// Groups the changes by item.
pub(crate) fn by_item(changes: &[ItemChange]) -> impl Iterator<Item = &[ItemChange]> {
    changes.chunk_by(|a, b| {
        let is_whole = |change: &ItemChange| {
            change.what.as_deref().is_none_or(|what| matches!(what, "citation_status" | "order")) || change.count > 1
        };
        !is_whole(a)
            && !is_whole(b)
            && (&a.field, &a.item, &a.program, a.lines_after) == (&b.field, &b.item, &b.program, b.lines_after)
    })
}

/// Returns whether the values need their own lines.
fn is_long(change: &ItemChange) -> bool {
    let length = |told: &Option<ChangeValue>| told.as_ref().map_or(0, |told| text(told).chars().count());
    let is_told = change.what.as_deref().is_some_and(|what| what != "cited_lines");
    is_told && length(&change.before).max(length(&change.after)) > LONG
}

fn line(parts: &[SentencePart]) -> String {
    parts
        .iter()
        .map(|part| match part {
            SentencePart::Word(text) | SentencePart::Text(text) => text.clone(),
            SentencePart::Name(name) => format!("`{name}`"),
        })
        .collect()
}
