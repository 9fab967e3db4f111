//! Verifies that the cited lines contain what a citation claims.

use super::items::{label, lines_of};
use super::{FindingCollector, GroundTruth};
use crate::rule::Rule;
use serde_json::Value;
use std::collections::BTreeSet;
use war_rig_template::{Citation, CitationStatus, Claim};
use war_rig_text::{LineRange, LinesHash, SourceText};

/// Verifies every citation of a document against the lines that it cites.
pub(super) fn hold(document: &Value, truth: GroundTruth<'_>, findings: &mut FindingCollector<'_>) {
    // A citation that the parser's own document cannot support is not the document's fault.
    let own: Vec<&Citation> =
        truth.expected.citations().filter(|own| own.status() == CitationStatus::Unsupported).collect();
    let other_files: BTreeSet<&str> = truth.expected.citations().map(Citation::file).collect();
    each(document, "", &mut |citation, item| {
        let is_own = |cited: &Citation| own.contains(&cited);
        let read = serde_json::from_value::<Citation>(citation.clone()).ok();
        if read.as_ref().is_some_and(is_own) {
            return;
        }
        let elsewhere = read.filter(|cited| cited.file() != truth.source.name());
        if let Some(cited) = elsewhere.filter(|cited| !other_files.contains(cited.file())) {
            let message = format!("it cites `{}`, of which the source says nothing", short(cited.file()));
            findings.add(Rule::CitationUnsupported, item, None, message);
        } else if let Some((rule, message)) = fault(citation, truth.source) {
            findings.add(rule, item, lines_of(citation), message);
        }
    });
}

/// Visits every citation with its item.
pub(super) fn each(value: &Value, path: &str, visit: &mut impl FnMut(&Value, &str)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Array(citations) if name == "citations" => {
                        citations.iter().for_each(|citation| visit(citation, path));
                    }
                    Value::Array(items) if items.iter().any(Value::is_object) => {
                        let list = joined(path, name);
                        items.iter().for_each(|item| each(item, &joined(&list, &label(item)), visit));
                    }
                    Value::Object(_) => each(value, &joined(path, name), visit),
                    _ => {}
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| each(item, path, visit)),
        _ => {}
    }
}

pub(super) fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns what is wrong with a citation, whoever made it.
pub(super) fn fault(citation: &Value, source: &SourceText) -> Option<(Rule, String)> {
    let unsupported = |message: String| Some((Rule::CitationUnsupported, message));
    let Ok(cited) = serde_json::from_value::<Citation>(citation.clone()) else {
        return unsupported("a citation without lines, hash and status supports nothing".to_owned());
    };
    let lines = cited.lines();
    // Lines of another file are not available.
    if cited.file() != source.name() {
        return None;
    }
    let all = source.line_range()?;
    if !all.covers(lines) {
        let message = format!("it cites lines {lines}, and the source has {}", all.count());
        return Some((Rule::CitationOutOfRange, message));
    }
    let shown = at(lines);
    if cited.status() == CitationStatus::Unsupported {
        return unsupported(format!("what it says of {shown} was not found there when it was written"));
    }
    if cited.status() == CitationStatus::Contradicted {
        let message = format!("the source says otherwise than its words on {shown}");
        return Some((Rule::CitationContradicted, message));
    }
    if LinesHash::from(source.hash_lines(lines)) != cited.hash() {
        return unsupported(format!("what stands on {shown} is not what it was written about"));
    }
    let quote = cited.quote()?;
    let claim = Claim { lines, quote: Some(quote.to_owned()) };
    let stands = claim.is_verified(source, all);
    (!stands).then(|| (Rule::CitationUnsupported, format!("its quote does not stand on {shown}: `{}`", short(quote))))
}

fn at(lines: LineRange) -> String {
    if lines.count() == 1 { format!("line {lines}") } else { format!("lines {lines}") }
}

/// Returns the beginning of a text, for a message.
pub(super) fn short(text: &str) -> String {
    const SHOWN: usize = 80;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
