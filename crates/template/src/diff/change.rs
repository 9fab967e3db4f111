//! The result of comparing two documents.

use crate::{CitationTotals, Coverage, Document, DocumentStatus};
use serde::Serialize;
use war_rig_text::LineRange;

/// The differences in the documentation of one source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentChange {
    /// The source's name in the document; for a removed document, its old name.
    pub file: String,
    /// The source's old name, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Whether there are two documents to compare.
    pub kind: DocumentChangeKind,
    /// Whether the documents were made from different bytes, which alone does not change the meaning.
    pub source_changed: bool,
    /// The old document; `None` if both mean the same, as most do in a large estate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<DocumentSummary>,
    /// The new document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<DocumentSummary>,
    /// The number of citations whose lines only moved.
    pub moved_citations: u64,
    /// The changes in meaning: first citations that are no longer valid, then in the order of the document's fields.
    pub changes: Vec<ItemChange>,
}

/// How the documents of a source relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentChangeKind {
    /// Both mean the same.
    Same,
    /// Their meanings differ.
    Changed,
    /// Their source was renamed; the meaning may differ too.
    Renamed,
    /// Only the new document exists.
    Added,
    /// Only the old document exists.
    Gone,
}

/// One change in meaning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemChange {
    /// What happened to the item.
    pub kind: ChangeKind,
    /// The list that contains it: `paragraphs`, `jobs.steps`.
    pub field: String,
    /// Its name there, below its parents: `2000-POST`, `MTHEND.STEP030`; for a rule its number. Empty for the only item of its kind.
    pub item: String,
    /// Its old name, if it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// The program it belongs to, in a file with several programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The changed field, or `name`, `order`, `cited_lines`, `citation_status`, `quote`; `None` if the whole item is new or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// The old value; for a list, the removed parts.
    pub before: Option<ChangeValue>,
    /// The new value; for a list, the added parts.
    pub after: Option<ChangeValue>,
    /// The old citation of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_before: Option<LineRange>,
    /// The new citation of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_after: Option<LineRange>,
    /// The number of items, if it is not one: items of a record that all moved by the same distance.
    #[serde(skip_serializing_if = "is_one")]
    pub count: u64,
    /// The old and the new record of a data item, by which moves are summed up.
    #[serde(skip)]
    pub(crate) record: Option<(String, String)>,
    /// The noun for an item of its list in prose.
    #[serde(skip)]
    pub(crate) noun: &'static str,
}

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It was removed.
    Gone,
    /// It has another content.
    Changed,
    /// It has the same content at another place: in its record, or in a list whose order has a meaning.
    Moved,
}

/// A value in a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ChangeValue {
    /// A text, or a number.
    Text(String),
    /// Parts of a list.
    List(Vec<String>),
}

/// A summary of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentSummary {
    /// The first program of the file; `None` in a copybook.
    pub program_id: Option<String>,
    /// The type of file: `program`, `copybook`, `jcl`.
    pub file_type: String,
    /// The writer of the prose.
    pub produced_by: String,
    /// How complete the documentation is.
    pub status: DocumentStatus,
    /// The purpose of the source.
    pub purpose: String,
    /// Its paragraphs.
    pub paragraphs: u64,
    /// Its rules.
    pub rules: u64,
    /// Its citations by status.
    pub citations: CitationTotals,
    /// Its line counts.
    pub coverage: Coverage,
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

impl DocumentSummary {
    /// Summarizes a document.
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
    /// Makes the change of an added document.
    pub fn added(new: &Document) -> Self {
        Self::alone(new, DocumentChangeKind::Added, None, Some(DocumentSummary::of(new)))
    }

    /// Makes the change of a removed document.
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

    /// Makes a change of two documents without contents.
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

    /// Returns the same with these changes.
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

    /// Returns whether there are two documents with the same meaning.
    pub fn is_same(&self) -> bool {
        self.kind == DocumentChangeKind::Same
    }
}

impl ItemChange {
    /// Makes a change without contents.
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
    /// Returns whether the value is empty.
    pub fn is_empty(&self) -> bool {
        match self {
            ChangeValue::Text(text) => text.is_empty(),
            ChangeValue::List(parts) => parts.is_empty(),
        }
    }
}
