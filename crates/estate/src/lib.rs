//! What stands around COBOL: JCL, BMS maps, CSD definitions, DDL and IMS, read to facts with lines; and the graph over all sources.
//!
//! Any input yields what was understood, and diagnostics for the rest. Nothing here reads a file.
//!
//! # Where to begin
//!
//! - How the estate is tied together: `graph/mod.rs`: nodes, edges, what is missing; `survey.rs` and
//!   `non_cobol.rs` say what a source brings.
//! - How a job is seen as it runs: `jcl/expansion.rs`; which programs a step runs, `step_programs.rs`.
//!
//! # What always holds
//!
//! **An edge stands somewhere.** Every edge of the graph carries the file and line that make it, also where
//! a procedure or a copybook is put in place. A name that an item may hold makes an edge only where the
//! estate has such a node; a name that the source itself says is missing when nothing defines it and the
//! estate defines others of its kind.
//!
//! **DDL has a reader of its own.** Common parsers read few statements of Db2 for z/OS; sqlparser reads the
//! columns of a view. What programs say in SQL it reads nearly whole, and the tolerant reader the rest.
//!
//! **A name is resolved once.** A map without its set, a table without its schema and a segment without its
//! database are the ones of their names: `GraphBuilder::meant`. With a set or schema that the estate has
//! they mean that one, or nothing. A data set is tied to a program only through a step that runs it, or a
//! caller of it, and a DD of the name that its file is assigned to.

mod assembler;
mod cards;
mod changes;
mod graph;
mod macros;
mod non_cobol;
mod report;
mod source_kind;

pub mod bms;
pub mod csd;
pub mod ddl;
pub mod ims;
pub mod jcl;

pub use assembler::{AssemblerProgram, AssemblerSource};
pub use changes::{ChangedFile, ChangedFiles, folder_name};
pub use graph::{
    AssignedDataSet, CallEdge, CopiedCopybook, CopybookUser, DdUse, DictionaryItem, Edge, EdgeKind,
    EstateGraph, KindCounts, MissingNode, Node, NodeDefinition, NodeId, NodeKind, ProcedureIndex, SharedItem,
    SharedUse, SourceCounts, SourceLocation, Survey, SurveyLink, affected_by, describe_cluster,
    supplying_system,
};
pub use non_cobol::ParsedNonCobol;
pub use source_kind::{SourceKind, member_name};
