//! The output of a run held against what the parser knows and against what a fake has said.
//!
//! Two things are counted. The parser's facts: every paragraph, call, COPY and EXEC stands in the document's list, on its line, under
//! a verified citation. And the items of the fake's answers: each nonce is found exactly once, in an item that cites the line which
//! stood in the row that the fake saw. That line is found by looking for the block's rows in the file, so nothing of the code
//! that maps rows to lines is trusted.

mod documents;
mod lines;

use crate::fake::{AnswerItemKind, FakeLog, Nonce};
use documents::{NonceHit, RunDocuments};
use lines::SourceLines;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::path::Path;

/// How many were found of how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that were found.
    pub found: u64,
    /// All of them.
    pub total: u64,
}

impl Tally {
    /// Whether none is missing.
    pub fn is_complete(self) -> bool {
        self.found == self.total
    }

    fn count(&mut self, found: bool) {
        self.found += u64::from(found);
        self.total += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&format!("{}/{}", self.found, self.total))
    }
}

/// Something that was not found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The file.
    pub file: String,
    /// Its line.
    pub line: u64,
    /// What is missed: of whom, of which kind, and its name.
    pub what: String,
    /// What was found in its place.
    pub why: String,
}

impl fmt::Display for Miss {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}: {}", self.file, self.line, self.what, self.why)
    }
}

/// What was found and what was not.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// The parser's facts in the documents.
    pub facts: BTreeMap<AnswerItemKind, Tally>,
    /// The fake's items in the documents.
    pub items: BTreeMap<AnswerItemKind, Tally>,
    /// The parser's facts that the fake has an item of: that it is as perfect as it says.
    pub seen: BTreeMap<AnswerItemKind, Tally>,
    /// What was not found.
    pub misses: Vec<Miss>,
    /// The parser's facts that the fake has no item of.
    pub unseen: Vec<Miss>,
    /// What is shown as verified and is false: an item of the fake on lines other than its own, or what a fake invents.
    pub falsehoods: Vec<Miss>,
}

impl Verdict {
    /// Whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.misses.is_empty()
    }

    /// All tallies of a kind in one.
    pub fn sum(tallies: &BTreeMap<AnswerItemKind, Tally>) -> Tally {
        tallies.values().fold(Tally::default(), |sum, tally| Tally {
            found: sum.found + tally.found,
            total: sum.total + tally.total,
        })
    }
}

/// A fact of the parser.
struct Fact<'a> {
    kind: AnswerItemKind,
    name: &'a str,
    line: u64,
}

/// Holds the documents below `out` against the JSON of `war-rig facts` for the folder `sources`, and against the log of the fake
/// that wrote for them.
///
/// # Panics
/// When a file cannot be read.
pub fn verify_run(out: &Path, sources: &Path, facts: &Value, log: &FakeLog) -> Verdict {
    let mut verdict = Verdict::default();
    let documents = RunDocuments::read(out);
    let lines = SourceLines::new(sources, log);
    let mut placed: BTreeSet<(String, AnswerItemKind, u64)> = BTreeSet::new();
    for nonce in &log.nonces {
        let line = lines.of(nonce);
        if let Some(line) = line {
            placed.insert((nonce.file.clone(), nonce.kind, line));
        }
        let why = match line {
            None => Some("its block does not stand in the file".to_owned()),
            Some(line) => nonce_missed(&documents, nonce, line),
        };
        verdict.items.entry(nonce.kind).or_default().count(why.is_none());
        let what = format!("item of {} `{}` ({})", nonce.kind, nonce.name, nonce.text);
        for hit in documents.hits(&nonce.text) {
            if let Some(why) = line.and_then(|line| documents.falsehood(hit, line)) {
                let (file, line) = (nonce.file.clone(), line.unwrap_or(0));
                verdict.falsehoods.push(Miss { file, line, what: what.clone(), why });
            }
        }
        if let Some(why) = why {
            verdict.misses.push(Miss { file: nonce.file.clone(), line: line.unwrap_or(0), what, why });
        }
    }
    for file in facts["files"].as_array().into_iter().flatten() {
        let name = file["file"].as_str().unwrap_or_default();
        let mut taken = HashSet::new();
        for fact in facts_of(file) {
            let why = documents.fact_missed(name, fact.kind, fact.name, fact.line, &mut taken);
            verdict.facts.entry(fact.kind).or_default().count(why.is_none());
            if let Some(why) = why {
                let what = format!("fact of {} `{}`", fact.kind, fact.name);
                verdict.misses.push(Miss { file: name.to_owned(), line: fact.line, what, why });
            }
            let was_seen = placed.contains(&(name.to_owned(), fact.kind, fact.line));
            verdict.seen.entry(fact.kind).or_default().count(was_seen);
            if !was_seen {
                let what = format!("fact of {} `{}`", fact.kind, fact.name);
                let why = "the fake has no item on that line".to_owned();
                verdict.unseen.push(Miss { file: name.to_owned(), line: fact.line, what, why });
            }
        }
    }
    verdict.falsehoods.extend(documents.invented());
    verdict.misses.sort_by(|a, b| (&a.file, a.line, &a.what).cmp(&(&b.file, b.line, &b.what)));
    verdict
}

/// The facts of a file that stand in the file itself.
fn facts_of(file: &Value) -> Vec<Fact<'_>> {
    let own = file["file"].as_str().unwrap_or_default();
    let list = |key: &str| file[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let in_file = |fact: &&Value| fact["file"].as_str().is_none_or(|name| name == own);
    let mut facts = Vec::new();
    let mut add = |key: &str, name: &str, kind: fn(&Value) -> Option<AnswerItemKind>| {
        for fact in list(key).iter().filter(in_file) {
            let name = file_name(fact, name);
            if let (Some(kind), Some(line)) = (kind(fact), fact["line"].as_u64()) {
                facts.push((kind, name, line));
            }
        }
    };
    add("paragraphs", "name", |_| Some(AnswerItemKind::Paragraph));
    add("calls", "target", |_| Some(AnswerItemKind::Call));
    add("copies", "name", |_| Some(AnswerItemKind::Copy));
    add("execs", "command", |fact| match fact["kind"].as_str() {
        Some("SQL") => Some(AnswerItemKind::Sql),
        Some("CICS") => Some(AnswerItemKind::Cics),
        // The template has no list for others.
        _ => None,
    });
    facts.into_iter().map(|(kind, name, line)| Fact { kind, name, line }).collect()
}

fn file_name<'a>(fact: &'a Value, key: &str) -> &'a str {
    fact[key].as_str().unwrap_or_default()
}

/// Why a nonce is not where it should be; none when it is.
fn nonce_missed(documents: &RunDocuments, nonce: &Nonce, line: u64) -> Option<String> {
    let hits = documents.hits(&nonce.text);
    let [hit] = hits else {
        let places: Vec<String> = hits.iter().map(ToString::to_string).collect();
        return Some(format!("found {} times {}", hits.len(), places.join(", ")).trim_end().to_owned());
    };
    if hit.file != nonce.file {
        return Some(format!("found in the document of {}", hit.file));
    }
    match hit {
        NonceHit { dropped: true, .. } => documents.dropped_missed(nonce, line),
        NonceHit { kind: Some(kind), .. } if *kind == nonce.kind => documents.item_missed(hit, line),
        hit => Some(format!("found in {hit}")),
    }
}

#[cfg(test)]
mod tests;
