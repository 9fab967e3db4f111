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
mod items;
mod kinds;
mod layout;
mod markdown;
mod names;
mod operations;
mod partial;
mod schema;
mod seal;
mod source_url;
mod surroundings;

pub use citation::{Citation, CitationStatus, Claim};
pub use document::{
    ChunkRecord, ChunkStatus, CitationTotals, Conflict, Coverage, Document, Header, ProgramUnit, Rejected,
    Status,
};
pub use documented_as::DocumentedAs;
pub use escape::{code as escape_code, prose as escape_prose, target as escape_target};
pub use item::{BlockCitation, Item, Origin, PartialItem};
pub use items::{
    BusinessRule, CalledProgram, CallingContext, ControlEdge, CopiedItems, CopybookUse, DataFlow, DataItem,
    DataSetUse, ErrorHandling, Flow, Interface, OpenQuestion, Paragraph, Purpose, RunBy, Step, UsedBy,
};
pub use kinds::{Asked, ITEM_KINDS, ItemBody, ItemKind, ItemList, Owner};
pub use markdown::{SourceLinks, Table as MarkdownTable, grouped};
pub use names::document_name;
pub use operations::{
    CicsOperation, Cursor, DliOperation, Dynamic, HostVariable, SqlOperation, TableAccess, TableColumn,
};
pub use partial::{PartialStep, PartialTemplate};
pub use schema::{answer_schema, purpose_schema};
pub use seal::{Sealed, with_own_line_ends, without_targets};
pub use source_url::{BadSourceUrl, SourceUrl};
pub use surroundings::{
    ColumnUnit, ControlStatement, DatabaseUnit, DdData, DdFile, DefinitionUnit, ForeignKeyUnit, IndexUnit,
    JobData, JobUnit, KeyUnit, MapFieldUnit, MapSetUnit, MapUnit, Mention, Operand, PcbUnit, ProcedureUnit,
    PsbUnit, SegmentUnit, StepDd, StepProgram, StepUnit, TableUnit, Users,
};
