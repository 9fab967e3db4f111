//! What is told of two documents.

use crate::{CitationTotals, Coverage, Document, DocumentStatus};
use serde::Serialize;
use war_rig_text::LineRange;

/// What the documentation of one source says differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentChange {
    /// The source, as the document names it; of a document that is gone, as it named it.
    pub file: String,
    /// What the source was called before, where that was another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Whether there are two documents to compare.
    pub kind: DocumentChangeKind,
    /// Whether the documents were made from other bytes. That alone changes no meaning.
    pub source_changed: bool,
    /// The document before; none where both mean the same, of which there are many in a large estate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<DocumentSummary>,
    /// The document now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<DocumentSummary>,
    /// Citations of the same lines, which stand elsewhere now.
    pub moved_citations: u64,
    /// What has another meaning: citations that no longer hold first, then in the order of the document's fields.
    pub changes: Vec<ItemChange>,
}

/// Whether there are two documents to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentChangeKind {
    /// Both mean the same.
    Same,
    /// They do not.
    Changed,
    /// Their source has another name, and perhaps another meaning too.
    Renamed,
    /// There was none before.
    Added,
    /// There is none any more.
    Gone,
}

/// One thing that has another meaning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemChange {
    /// What became of it.
    pub kind: ChangeKind,
    /// The list of the document that it stands in: `paragraphs`, `jobs.steps`.
    pub field: String,
    /// Its name there, below what it belongs to: `2000-POST`, `MTHEND.STEP030`; of a rule its number. Empty where there is one alone.
    pub item: String,
    /// Its name before, where that was another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The program it belongs to, in a file of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Which of its fields is another, or `name`, `order`, `cited_lines`, `citation_status`, `quote`; none where all of it is new or gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// What was said; of a list, what is no longer in it.
    pub before: Option<ChangeValue>,
    /// What is said now; of a list, what is new in it.
    pub after: Option<ChangeValue>,
    /// Where its source says so, before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_before: Option<LineRange>,
    /// Where its source says so now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_after: Option<LineRange>,
    /// How many items it tells of, where that is not one: items of a record that all moved by as much.
    #[serde(skip_serializing_if = "is_one")]
    pub count: u64,
    /// The record of a data item before and now, by which moves are summed up.
    #[serde(skip)]
    pub(crate) record: Option<(String, String)>,
    /// What an item of its list is called in prose.
    #[serde(skip)]
    pub(crate) noun: &'static str,
}

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is not there any more.
    Gone,
    /// It is there, and says something else.
    Changed,
    /// It says the same at another place: in its record, or among its like where their order has a meaning.
    Moved,
}

/// What is said of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ChangeValue {
    /// Words, or a number.
    Text(String),
    /// Parts of a list.
    List(Vec<String>),
}

/// A document at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentSummary {
    /// The first program of the file; none in a copybook.
    pub program_id: Option<String>,
    /// What the file is: `program`, `copybook`, `jcl`.
    pub file_type: String,
    /// What wrote the prose.
    pub produced_by: String,
    /// How far the documentation got.
    pub status: DocumentStatus,
    /// What the source is for.
    pub purpose: String,
    /// Its paragraphs.
    pub paragraphs: u64,
    /// Its rules.
    pub rules: u64,
    /// Its citations by status.
    pub citations: CitationTotals,
    /// Its lines, counted.
    pub coverage: Coverage,
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

impl DocumentSummary {
    /// A document at a glance.
    pub fn of(document: &Document) -> Self {
        let header = &document.header;
        Self {
            program_id: header.program_id.clone(),
            file_type: header.file_type.clone(),
            produced_by: header.produced_by.clone(),
            status: header.status,
            purpose: document.purpose.summary.clone(),
            paragraphs: document.paragraphs.len() as u64,
            rules: document.business_rules.len() as u64,
            citations: document.citation_totals(),
            coverage: document.coverage,
        }
    }
}

impl DocumentChange {
    /// A document that was not there before.
    pub fn added(new: &Document) -> Self {
        Self::alone(new, DocumentChangeKind::Added, None, Some(DocumentSummary::of(new)))
    }

    /// A document that is there no longer.
    pub fn removed(old: &Document) -> Self {
        Self::alone(old, DocumentChangeKind::Gone, Some(DocumentSummary::of(old)), None)
    }

    fn alone(
        document: &Document,
        kind: DocumentChangeKind,
        before: Option<DocumentSummary>,
        after: Option<DocumentSummary>,
    ) -> Self {
        Self {
            file: document.header.file_name.clone(),
            was: None,
            kind,
            source_changed: true,
            before,
            after,
            moved_citations: 0,
            changes: Vec::new(),
        }
    }

    /// Two documents of which nothing is told yet.
    pub(crate) fn between(old: &Document, new: &Document) -> Self {
        let is_renamed = old.header.file_name != new.header.file_name;
        Self {
            file: new.header.file_name.clone(),
            was: is_renamed.then(|| old.header.file_name.clone()),
            kind: if is_renamed { DocumentChangeKind::Renamed } else { DocumentChangeKind::Same },
            source_changed: old.header.source_hash != new.header.source_hash,
            before: Some(DocumentSummary::of(old)),
            after: Some(DocumentSummary::of(new)),
            moved_citations: 0,
            changes: Vec::new(),
        }
    }

    /// The same with these changes.
    pub(crate) fn with(mut self, changes: Vec<ItemChange>) -> Self {
        if self.kind == DocumentChangeKind::Same {
            if changes.is_empty() {
                (self.before, self.after) = (None, None);
            } else {
                self.kind = DocumentChangeKind::Changed;
            }
        }
        self.changes = changes;
        self
    }

    /// Whether there are two documents that mean the same.
    pub fn is_same(&self) -> bool {
        self.kind == DocumentChangeKind::Same
    }
}

impl ItemChange {
    /// A change of nothing yet.
    pub(crate) fn of(kind: ChangeKind, field: &str, noun: &'static str, item: String) -> Self {
        Self {
            kind,
            field: field.to_owned(),
            item,
            was: None,
            program: None,
            what: None,
            before: None,
            after: None,
            lines_before: None,
            lines_after: None,
            count: 1,
            record: None,
            noun,
        }
    }
}

impl ChangeValue {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        match self {
            ChangeValue::Text(text) => text.is_empty(),
            ChangeValue::List(parts) => parts.is_empty(),
        }
    }
}
