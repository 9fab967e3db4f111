//! Two folders of documents.

use super::change::{ChangeKind, DocumentChange, DocumentChangeKind};
use crate::{CitationTotals, Document};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::ContentHash;

/// What tells that a document is of a source that had another name: little enough to hold that of all documents without a counterpart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSignature {
    file: String,
    source_hash: ContentHash,
    programs: Vec<String>,
    paragraphs: BTreeSet<String>,
}

impl DocumentSignature {
    /// That of a document.
    pub fn of(document: &Document) -> Self {
        Self {
            file: document.header.file_name.clone(),
            source_hash: document.header.source_hash,
            programs: document.programs.iter().map(|program| program.program_id.clone()).collect(),
            paragraphs: document.paragraphs.iter().map(|item| item.paragraph_name.clone()).collect(),
        }
    }

    fn base(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }

    /// Whether both have the same programs and most paragraphs of each other.
    fn is_like(&self, other: &DocumentSignature) -> bool {
        let common = self.paragraphs.intersection(&other.paragraphs).count();
        !self.programs.is_empty()
            && self.programs == other.programs
            && 2 * common >= self.paragraphs.len().max(other.paragraphs.len())
    }
}

/// Which documents that are gone come back under another name among those that are new: the places of both. Their source is the same, or
/// else its programs and most of its paragraphs are.
pub fn find_renames(gone: &[DocumentSignature], added: &[DocumentSignature]) -> Vec<(usize, usize)> {
    let mut both = Vec::new();
    let (mut is_gone_left, mut is_added_left) = (vec![true; gone.len()], vec![true; added.len()]);
    // What keeps its own name below its folder is preferred over what does not.
    type SignatureKey = fn(&DocumentSignature) -> Option<String>;
    let keys: [(SignatureKey, bool); 4] = [
        (|document| Some(format!("{} {}", document.source_hash, document.base())), false),
        (|document| Some(document.source_hash.to_string()), false),
        (|document| Some(format!("{}\n{}", document.programs.join("\n"), document.base())), true),
        (|document| Some(document.programs.join("\n")), true),
    ];
    for (key, must_be_like) in keys {
        let mut by_key: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for at in (0..gone.len()).filter(|at| is_gone_left[*at]) {
            if let Some(key) = key(&gone[at]) {
                by_key.entry(key).or_default().0.push(at);
            }
        }
        for at in (0..added.len()).filter(|at| is_added_left[*at]) {
            if let Some((_, news)) = key(&added[at]).and_then(|key| by_key.get_mut(&key)) {
                news.push(at);
            }
        }
        for (mut olds, mut news) in by_key.into_values() {
            olds.sort_by_key(|at| &gone[*at].file);
            news.sort_by_key(|at| &added[*at].file);
            for (old, new) in olds.into_iter().zip(news) {
                if !must_be_like || gone[old].is_like(&added[new]) {
                    (is_gone_left[old], is_added_left[new]) = (false, false);
                    both.push((old, new));
                }
            }
        }
    }
    both.sort_unstable();
    both
}

/// What was told of two folders, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TreeTotals {
    /// Documents that mean the same.
    pub same: u64,
    /// Documents that mean something else.
    pub changed: u64,
    /// Documents of a source that has another name.
    pub renamed: u64,
    /// Documents that were not there before.
    pub added: u64,
    /// Documents that are there no longer.
    pub gone: u64,
    /// What differs in those that are on both sides.
    pub changes: ChangeTotals,
    /// Citations of the same lines, which stand elsewhere now, in documents that mean the same too.
    pub moved_citations: u64,
}

/// Changes by what became of their items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ChangeTotals {
    /// What is new.
    pub added: u64,
    /// What is there no longer.
    pub gone: u64,
    /// What says something else.
    pub changed: u64,
    /// What says the same at another place of its record or among its like.
    pub moved: u64,
}

impl ChangeTotals {
    /// All of them.
    pub fn all(self) -> u64 {
        self.added + self.gone + self.changed + self.moved
    }
}

impl TreeTotals {
    /// Counts what was told of one document.
    pub fn count(&mut self, change: &DocumentChange) {
        match change.kind {
            DocumentChangeKind::Same => self.same += 1,
            DocumentChangeKind::Changed => self.changed += 1,
            DocumentChangeKind::Renamed => self.renamed += 1,
            DocumentChangeKind::Added => self.added += 1,
            DocumentChangeKind::Gone => self.gone += 1,
        }
        self.moved_citations += change.moved_citations;
        for change in &change.changes {
            match change.kind {
                ChangeKind::Added => self.changes.added += 1,
                ChangeKind::Gone => self.changes.gone += 1,
                ChangeKind::Changed => self.changes.changed += 1,
                ChangeKind::Moved => self.changes.moved += 1,
            }
        }
    }

    /// Whether anything has another meaning.
    pub fn differs(&self) -> bool {
        self.changed + self.renamed + self.added + self.gone > 0
    }
}

/// What a run says of itself in `run.json`. What an older one does not say is nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunTotals {
    /// Source files found.
    pub files: u64,
    /// Files with a whole document.
    pub documented: u64,
    /// Files with a document that lacks lines.
    pub partial: u64,
    /// Files without a document.
    pub failed: u64,
    /// Files that are no sources.
    pub skipped: u64,
    /// Calls to a model; of the static Scribe, prompts it was handed.
    pub calls: u64,
    /// Answers taken from a record.
    pub replayed: u64,
    /// The tokens of all prompts.
    pub prompt_tokens: u64,
    /// The tokens of all answers.
    pub completion_tokens: u64,
    /// Dollars.
    pub cost_usd: f64,
    /// The citations of all documents by status.
    pub citations: CitationTotals,
}

impl RunTotals {
    /// What differs between two runs: the name of each figure with both values.
    pub fn differences(&self, after: &RunTotals) -> Vec<(&'static str, String, String)> {
        let row = |run: &RunTotals| {
            [
                ("files", run.files.to_string()),
                ("documented", run.documented.to_string()),
                ("partial", run.partial.to_string()),
                ("failed", run.failed.to_string()),
                ("skipped", run.skipped.to_string()),
                ("calls", run.calls.to_string()),
                ("replayed", run.replayed.to_string()),
                ("prompt tokens", run.prompt_tokens.to_string()),
                ("completion tokens", run.completion_tokens.to_string()),
                ("cost in USD", format!("{:.6}", run.cost_usd)),
                ("citations verified", run.citations.verified.to_string()),
                ("citations relocated", run.citations.relocated.to_string()),
                ("citations unsupported", run.citations.unsupported.to_string()),
            ]
        };
        let both = row(self).into_iter().zip(row(after));
        both.filter(|(before, after)| before != after).map(|((name, was), (_, is))| (name, was, is)).collect()
    }
}
