//! The documentation template: what a document says, which lines bear it out, and how it reads.
//!
//! This crate is pure. A Scribe's answer is a [`PartialTemplate`], whose schema is [`answer_schema`]; merged with the
//! parser's facts it becomes a [`Document`], which is written as JSON and as Markdown. Whatever a document says of lines it
//! says through a [`Citation`], and a citation exists only once it was held against the source.
//!
//! ```
//! use war_rig_template::{Citation, CitationStatus, Claim};
//! use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceText};
//!
//! let bytes = b"       0000-MAIN.\n           OPEN INPUT RATE-FILE.\n           GOBACK.\n".to_vec();
//! let source = SourceText::read("cbl/A.cbl", bytes, &ReadOptions::default()).unwrap();
//! let chunk = source.line_range().unwrap();
//!
//! let claim = Claim { lines: LineRange::single(LineNumber::FIRST), quote: Some("open input rate-file".into()) };
//! let citation = Citation::verify(&claim, &source, chunk, &[]);
//! assert_eq!(citation.status(), CitationStatus::Relocated);
//! assert_eq!(citation.lines().to_string(), "2");
//! ```
//!
//! # Where to begin
//!
//! - What a document holds: `document.rs`; each kind of item in `program_items.rs` and `operations.rs`,
//!   with its row of the table below it (`item_kind!`): what lists it stands in, who knows which there are,
//!   what a model is asked for. The schema, the reader of answers, the merge, `check` and `diff` follow
//!   that table (`item_kinds.rs`). The page `markdown.rs`, the layout of the JSON `layout.rs`.
//! - How two documents are compared: `diff/mod.rs`; in words `wording.rs`; for a pull request
//!   `crates/check/src/summary.rs`.
//!
//! # What always holds
//!
//! **A citation is a fact.** A Scribe cites rows of its prompt. `LineMap` turns them into lines of the
//! file. The only way to make a `Citation` in code is `Citation::verify`, which holds the claim against the
//! source: its quote, or else names and literals of its item. What lies outside the chunk is never verified
//! in place, because the writer has not seen it. A citation carries the hash of the lines it cites; in
//! fixed format columns 7 to 72, so that renumbering changes nothing. A librarian's include line (`-INC X`)
//! is no COBOL and is shown and cited whole.

mod citation;
pub mod diff;
mod document;
mod documented_as;
mod escape;
mod evidence;
mod item;
mod item_kinds;
mod layout;
mod markdown;
mod non_cobol;
mod operations;
mod output_names;
mod partial;
mod program_items;
mod schema;
mod seal;
mod source_url;

pub use citation::{Citation, CitationStatus, Claim};
pub use document::{
    ChunkRecord, ChunkStatus, CitationTotals, Coverage, Document, DocumentConflict, DocumentHeader,
    DocumentStatus, ProgramUnit, RejectedItem,
};
pub use documented_as::IndexEntry;
pub use escape::{code as escape_code, prose as escape_prose, target as escape_target};
pub use item::{BlockCitation, DocumentItem, ItemOrigin, PartialItem};
pub use item_kinds::{FieldShape, ITEM_KINDS, ItemBody, ItemColumn, ItemKind, ItemList, ItemOwner};
pub use markdown::{MarkdownTable, SourceLinks, group_digits};
pub use non_cobol::{
    ColumnUnit, ControlStatement, DatabaseUnit, DdData, DdFile, DefinitionUnit, ForeignKeyUnit, IndexUnit,
    JobData, JobUnit, KeyUnit, MapFieldUnit, MapSetUnit, MapUnit, Mention, NamedValue, PcbUnit,
    ProcedureUnit, PsbUnit, SegmentUnit, StepDd, StepProgram, StepUnit, TableUnit, Users,
};
pub use operations::{
    CicsOperation, DliOperation, DynamicSql, SqlCursor, SqlHostVariable, SqlOperation, TableAccess,
    TableColumn,
};
pub use output_names::document_name;
pub use partial::{PartialStep, PartialTemplate};
pub use program_items::{
    BusinessRule, CalledProgram, CallingContext, ControlEdge, CopiedItems, CopybookUse, DataDictionaryItem,
    DataFlow, DataFlowStep, DataSetUse, ErrorHandling, Interface, OpenQuestion, Paragraph, ParagraphStep,
    Purpose, RunBy, UsedBy,
};
pub use schema::{answer_schema, purpose_schema};
pub use seal::{SealedDocument, normalize_line_ends, strip_link_targets};
pub use source_url::{SourceUrl, SourceUrlError};
