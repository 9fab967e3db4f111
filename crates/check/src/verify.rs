//! Verifies a document against its source.
//!
//! The check compares a document with the one that the parser alone would write now. A document of the static Scribe must match in every word.
//! A document of a model must match in the parser's part: names, relations and lines. For the model's additions, the check
//! verifies the citations, and that the source contains the names.
//!
//! A document of an older version of the source is stale. Then the check only compares names, and reports invalid citations as one finding:
//! all of them refer to the old source.

mod citations;
mod coverage;
mod facts;
mod items;
mod names;
mod stale;

use crate::finding::Finding;
use crate::rule::Rule;
use facts::FactComparison;
use serde_json::Value;
use std::collections::BTreeMap;
use war_rig_template::{CallingContext, ChunkStatus, Document};
use war_rig_text::{ContentHash, LineRange, SourceText, unix_line_ends};

/// The maximum number of findings of one rule in a document before the rest become one finding.
const OF_ONE_RULE: usize = 50;

/// The writer of the parser's own words.
const PARSER: &str = "static";

/// The facts that a document is verified against.
#[derive(Debug, Clone, Copy)]
pub struct GroundTruth<'a> {
    /// The source, with secrets masked as for the document.
    pub source: &'a SourceText,
    /// The document that the parser alone would write now; its chunks and its estate part are ignored.
    pub expected: &'a Document,
    /// The names of the data items that the documents of copybooks describe.
    pub copied_names: &'a [&'a str],
}

/// Verifies a document against its source. The findings are in no particular order.
pub fn verify_document(document: &Document, truth: GroundTruth<'_>) -> Vec<Finding> {
    let mut findings = FindingCollector::new(truth.source);
    if !is_of(document, truth.source) {
        coverage::hold_status(document, &mut findings);
        stale::changed(document, truth, &mut findings);
        return findings.told();
    }
    coverage::hold(document, &mut findings);
    if !says_the_same(document, truth.expected) {
        let by_parser = document.header.produced_by == PARSER;
        let (mut said, mut expected) = (as_json(document), as_json(truth.expected));
        // The chunks of a conflict depend on how the source was split.
        [&mut said, &mut expected].into_iter().for_each(without_chunks);
        citations::hold(&said, truth, &mut findings);
        FactComparison::new(truth, &expected, by_parser, failed(document), &mut findings).compare(&said);
    }
    if findings.is_empty() {
        coverage::hold_cited(document, &mut findings);
    }
    findings.told()
}

/// Returns whether a document belongs to this source. Line ends are ignored: tools change them when they transfer a source.
fn is_of(document: &Document, source: &SourceText) -> bool {
    let is_documented = |bytes: &[u8]| ContentHash::of(bytes) == document.header.source_hash;
    if source.hash() == document.header.source_hash {
        return true;
    }
    let unix = unix_line_ends(source.bytes());
    let dos = || {
        let ends = |byte: &u8| if *byte == b'\n' { vec![b'\r', b'\n'] } else { vec![*byte] };
        unix.iter().flat_map(ends).collect::<Vec<u8>>()
    };
    is_documented(&unix) || is_documented(&dos())
}

/// Verifies a document's facts about the estate around its source.
pub fn verify_context(file: &str, said: &CallingContext, expected: &CallingContext) -> Option<Finding> {
    let (said, expected) = (outside(said), outside(expected));
    let differing: Vec<String> = expected
        .iter()
        .filter_map(|(field, expected)| {
            let said = &said[field];
            let old: Vec<&str> = names::names_in(said).collect();
            let new: Vec<&str> = names::names_in(expected).collect();
            let gone: Vec<&str> = old.iter().filter(|name| !new.contains(name)).copied().collect();
            let come: Vec<&str> = new.iter().filter(|name| !old.contains(name)).copied().collect();
            let listed =
                |names: &[&str]| names.iter().take(3).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let what = match (come.is_empty(), gone.is_empty()) {
                _ if said == expected => return None,
                (false, true) => format!("{field} lacks {}", listed(&come)),
                (true, false) => format!("{field} has {}, which is gone", listed(&gone)),
                (false, false) => {
                    format!("{field} has {} where the estate has {}", listed(&gone), listed(&come))
                }
                (true, true) => format!("{field} has other lines"),
            };
            Some(what)
        })
        .collect();
    (!differing.is_empty()).then(|| {
        let message = format!("the estate says something else of it now: {}", differing.join("; "));
        Finding::new(Rule::StaleDocument, file, message).for_item("calling_context")
    })
}

/// Returns the estate's facts about a source, by field.
fn outside(context: &CallingContext) -> BTreeMap<&'static str, Value> {
    let CallingContext {
        called_by,
        run_by,
        starts,
        used_by,
        data_sets,
        short_calls,
        defined_in,
        // These fields come from the source itself.
        entry_points: _,
        linkage_section: _,
    } = context;
    let json = |value: Result<Value, serde_json::Error>| value.expect("names and lines have a JSON");
    BTreeMap::from([
        ("called_by", json(serde_json::to_value(called_by))),
        ("run_by", json(serde_json::to_value(run_by))),
        ("starts", json(serde_json::to_value(starts))),
        ("used_by", json(serde_json::to_value(used_by))),
        ("data_sets", json(serde_json::to_value(data_sets))),
        ("short_calls", json(serde_json::to_value(short_calls))),
        ("defined_in", json(serde_json::to_value(defined_in))),
    ])
}

/// Returns whether a document matches the expected one to the letter, except for its chunks and its estate part.
fn says_the_same(document: &Document, expected: &Document) -> bool {
    let mut said = document.clone();
    // The document's inputs and the JSON format are not part of its content.
    said.header.made_from = None;
    said.header.version = expected.header.version;
    said.header.source_hash = expected.header.source_hash;
    // These are verified separately.
    said.coverage = expected.coverage;
    said.chunks = expected.chunks.clone();
    let own = &document.calling_context;
    said.calling_context = CallingContext {
        entry_points: own.entry_points.clone(),
        linkage_section: own.linkage_section.clone(),
        ..expected.calling_context.clone()
    };
    // The chunks of a conflict depend on how the source was split.
    for (conflict, expected) in said.conflicts.iter_mut().zip(&expected.conflicts) {
        conflict.chunks = expected.chunks.clone();
    }
    said == *expected
}

/// Removes the names of chunks from the conflicts of a document.
fn without_chunks(document: &mut Value) {
    let conflicts = document.get_mut("conflicts").and_then(Value::as_array_mut);
    for conflict in conflicts.into_iter().flatten().filter_map(Value::as_object_mut) {
        conflict.remove("chunks");
    }
}

/// Returns the lines that the document itself reports as failed; it contains nothing about them.
fn failed(document: &Document) -> Vec<LineRange> {
    let failed = document.chunks.iter().filter(|chunk| chunk.status == ChunkStatus::Failed);
    failed.map(|chunk| chunk.lines).collect()
}

fn as_json(document: &Document) -> Value {
    serde_json::to_value(document).expect("a document has a JSON")
}

/// The findings of one document. Stale findings become one, and the others are limited to what a person reads.
struct FindingCollector<'a> {
    source: &'a SourceText,
    others: Vec<Finding>,
    /// The disagreements with the source, in the order of detection.
    differing: Vec<Finding>,
}

impl<'a> FindingCollector<'a> {
    fn new(source: &'a SourceText) -> Self {
        Self { source, others: Vec::new(), differing: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.others.is_empty() && self.differing.is_empty()
    }

    /// Adds a finding on these lines, clipped to the source.
    fn add(&mut self, rule: Rule, item: &str, lines: Option<LineRange>, message: impl Into<String>) {
        let mut finding = Finding::new(rule, self.source.name(), message);
        if !item.is_empty() {
            finding = finding.for_item(item);
        }
        let all = self.source.line_range();
        if let Some(lines) = lines.and_then(|lines| lines.intersection(all?).or(Some(LineRange::single(all?.end())))) {
            finding = finding.at_lines(self.source, lines);
        }
        match rule {
            Rule::StaleDocument => self.differing.push(finding),
            _ => self.others.push(finding),
        }
    }

    fn told(self) -> Vec<Finding> {
        let Self { mut others, differing, .. } = self;
        let more = differing.len().saturating_sub(1);
        if let Some(mut first) = differing.into_iter().next() {
            if more > 0 {
                let others = war_rig_text::counted(more, "other thing");
                first.message = format!("{}; so with {others}", first.message);
            }
            others.push(first);
        }
        others.sort_by(Finding::compare);
        let mut counts: BTreeMap<Rule, usize> = BTreeMap::new();
        let mut last: BTreeMap<Rule, Finding> = BTreeMap::new();
        others.retain(|finding| {
            let count = counts.entry(finding.rule).or_default();
            *count += 1;
            if *count > OF_ONE_RULE {
                last.entry(finding.rule).or_insert_with(|| finding.clone());
            }
            *count <= OF_ONE_RULE
        });
        for (rule, mut finding) in last {
            let rest = counts[&rule] - OF_ONE_RULE;
            finding.message = format!("{rest} more of this rule in this document; the first: {}", finding.message);
            others.push(finding);
        }
        others
    }
}
