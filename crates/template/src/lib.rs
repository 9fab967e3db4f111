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
//! let chunk = source.all_lines().unwrap();
//!
//! let claim = Claim { lines: LineRange::single(LineNumber::FIRST), quote: Some("open input rate-file".into()) };
//! let citation = Citation::verify(&claim, &source, chunk, &[]);
//! assert_eq!(citation.status(), CitationStatus::Relocated);
//! assert_eq!(citation.lines().to_string(), "2");
//! ```

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
pub use item_kinds::{FieldShape, ITEM_KINDS, ItemBody, ItemKind, ItemList, ItemOwner};
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
