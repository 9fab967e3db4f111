//! Compares two folders of documents.

use super::change::{ChangeKind, DocumentChange, DocumentChangeKind};
use crate::{CitationTotals, Document};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use war_rig_text::ContentHash;

/// The facts that identify a document of a renamed source: few enough to keep for all documents without a counterpart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSignature {
    file: String,
    source_hash: ContentHash,
    programs: Vec<String>,
    paragraphs: BTreeSet<String>,
}

impl DocumentSignature {
    /// Returns the facts of a document.
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

    /// Returns whether both have the same programs and share most of their paragraphs.
    fn is_like(&self, other: &DocumentSignature) -> bool {
        let common = self.paragraphs.intersection(&other.paragraphs).count();
        !self.programs.is_empty()
            && self.programs == other.programs
            && 2 * common >= self.paragraphs.len().max(other.paragraphs.len())
    }
}

/// Matches removed documents with added ones that are renamed: returns the positions of both. Their source is the same, or
/// their programs and most of their paragraphs are.
pub fn find_renames(gone: &[DocumentSignature], added: &[DocumentSignature]) -> Vec<(usize, usize)> {
    let mut both = Vec::new();
    let (mut is_gone_left, mut is_added_left) = (vec![true; gone.len()], vec![true; added.len()]);
    // A document that keeps its own name in another folder comes first.
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

/// The totals of a comparison of two folders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TreeTotals {
    /// Documents that mean the same.
    pub same: u64,
    /// Documents with changes.
    pub changed: u64,
    /// Documents of a renamed source.
    pub renamed: u64,
    /// Documents that were added.
    pub added: u64,
    /// Documents that were removed.
    pub gone: u64,
    /// The changes in documents that both sides have.
    pub changes: ChangeTotals,
    /// Citations whose lines only moved, including those in documents that mean the same.
    pub moved_citations: u64,
}

/// Changes, counted by what happened to their items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ChangeTotals {
    /// Items that were added.
    pub added: u64,
    /// Items that were removed.
    pub gone: u64,
    /// Items with another content.
    pub changed: u64,
    /// Items with the same content at another place of their record or list.
    pub moved: u64,
}

impl ChangeTotals {
    /// Returns the total.
    pub fn all(self) -> u64 {
        self.added + self.gone + self.changed + self.moved
    }
}

impl TreeTotals {
    /// Counts the changes of one document.
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

    /// Returns whether any meaning changed.
    pub fn differs(&self) -> bool {
        self.changed + self.renamed + self.added + self.gone > 0
    }
}

/// The figures in a run's `run.json`. A figure that an older version does not write is zero.
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
    /// Files that are not sources.
    pub skipped: u64,
    /// Calls to a model; for the static Scribe, prompts that it received.
    pub calls: u64,
    /// Answers replayed from a recording.
    pub replayed: u64,
    /// The tokens of all prompts.
    pub prompt_tokens: u64,
    /// The tokens of all answers.
    pub completion_tokens: u64,
    /// The cost in dollars.
    pub cost_usd: f64,
    /// The citations of all documents by status.
    pub citations: CitationTotals,
}

impl RunTotals {
    /// Returns the differences between two runs: the name of each figure with both values.
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
                ("citations unchecked", run.citations.unchecked.to_string()),
                ("citations unsupported", run.citations.unsupported.to_string()),
                ("citations contradicted", run.citations.contradicted.to_string()),
            ]
        };
        let both = row(self).into_iter().zip(row(after));
        both.filter(|(before, after)| before != after).map(|((name, was), (_, is))| (name, was, is)).collect()
    }
}
