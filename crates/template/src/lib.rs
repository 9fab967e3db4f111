//! The documentation template: the contents of a document, the source lines that support it, and its page.
//!
//! This crate is pure. A Scribe's answer is a [`PartialTemplate`] with the schema [`answer_schema`]. The merge with the
//! parser's facts produces a [`Document`], which is written as JSON and as Markdown. Every statement of a document about lines
//! is a [`Citation`], and the only way to make a citation is to verify it against the source.
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
//! - Contents of a document: `document.rs`; the kinds of items in `program_items.rs`, `data_items.rs` and `operations.rs`,
//!   each with its row of the table below it (`item_kind!`): the lists it occurs in, who knows the complete
//!   set, what a model is asked for. The schema, the reader of answers, the merge, `check` and `diff` take
//!   its fields from that table (`item_kinds.rs`), and the page and the catalogue its `columns`. A new kind also needs its place in
//!   `ITEM_KINDS`, its field and its citations in `document.rs`, the list in `diff/lists.rs`, and who fills it: `crates/merger/src/merge.rs` if only the parser
//!   knows it; else `partial.rs`, `schema.rs`, and in `crates/merger/src` `skeleton.rs`, `merge_chunk.rs` and `listed.rs`. The page is in `markdown.rs`, the layout of the JSON in `layout.rs`.
//! - Comparison of two documents: `diff/mod.rs`; its wording: `diff/wording.rs`; the summary for a pull
//!   request: `crates/check/src/summary.rs`.
//!
//! # What always holds
//!
//! **A citation is a fact.** A Scribe cites rows of its prompt. `LineMap` turns them into lines of the
//! file. The only way to make a `Citation` in code is `Citation::verify`, which checks the claim against the
//! source: its quote, or else names and literals of its item. Lines outside the chunk are never verified
//! in place, because the writer has not seen them. A citation carries the hash of the lines it cites; in
//! fixed format the hash covers columns 7 to 72, so that renumbering changes nothing. A librarian's include
//! line (`-INC X`) is not COBOL; it is shown and cited whole.

mod calling_context;
mod citation;
mod control_edge;
mod data_items;
pub mod diff;
mod document;
mod documented_as;
mod escape;
mod estate_overview;
mod evidence;
mod item;
mod item_kinds;
mod layout;
mod markdown;
mod non_cobol;
mod operations;
mod output_names;
mod paragraph_steps;
mod partial;
mod program_items;
mod program_overview;
mod run_outline;
mod schema;
mod seal;
mod source_url;

pub use calling_context::{
    CallingContext, DataSetUse, OtherData, RunBy, ShortCall, Shortage, StartedTransaction, UsedBy,
};
pub use citation::{Citation, CitationStatus, Claim};
pub use control_edge::{ControlEdge, PerformedEnd};
pub use data_items::{CopiedItems, CopiedRecord, DataDictionaryItem, KeyOrder, OrderedKey, RecordState, TableContents};
pub use document::{
    ChunkRecord, ChunkStatus, CitationTotals, Coverage, Document, DocumentConflict, DocumentHeader, DocumentStatus,
    ProgramUnit, RejectedItem,
};
pub use documented_as::{IndexEntry, OutlinedStep};
pub use escape::{code as escape_code, data_line as escape_data, prose as escape_prose, target as escape_target};
pub use estate_overview::{ESTATE_JSON, EntryPointEntry, EstateOverview, EstateWords, FunctionEntry, SourcedSentence};
pub use evidence::is_word;
pub use item::{BlockCitation, DocumentItem, ItemOrigin, PartialItem};
pub use item_kinds::{FieldShape, ITEM_KINDS, ItemBody, ItemColumn, ItemKind, ItemList, ItemOwner, RequestedField};
pub use markdown::{MarkdownTable, PageLinks, SourceLinks, group_digits};
pub use non_cobol::{
    ColumnUnit, ControlStatement, DatabaseUnit, DdData, DdFile, DefinitionUnit, ForeignKeyUnit, IndexUnit, JobData,
    JobUnit, KeyUnit, MapFieldUnit, MapSetUnit, MapUnit, Mention, NamedValue, PcbUnit, ProcedureUnit, PsbUnit,
    SegmentUnit, StepDd, StepProgram, StepUnit, TableUnit, Users, fold_repeated_steps, unfold_repeated_steps,
};
pub use operations::{
    CicsOperation, DliOperation, DynamicSql, SqlCursor, SqlHostVariable, SqlOperation, TableAccess, TableColumn,
};
pub use output_names::{document_name, estate_page_name};
pub use paragraph_steps::{IDLE, ParagraphStep, StepCondition, StepExit};
pub use partial::{PartialStep, PartialTemplate};
pub use program_items::{
    BusinessRule, CalledProgram, CopybookUse, DataFlow, DataFlowStep, ErrorHandling, Hazard, Interface, InterfaceField,
    KeyAction, OpenQuestion, Paragraph, Purpose, RunEnd,
};
pub use program_overview::{ParagraphOverview, ProgramOverview};
pub use run_outline::{
    KeyRow, OutlineKey, OutlineKind, OutlineOutcome, OutlinePart, OutlineStep, PackedOutline, RunOutline,
    StepRepetition, rows_of_keys,
};
pub use schema::{answer_schema, estate_words_schema, program_overview_schema};
pub use seal::{SealedDocument, normalize_line_ends, strip_link_targets};
pub use source_url::{SourceUrl, SourceUrlError};
