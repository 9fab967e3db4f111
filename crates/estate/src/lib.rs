//! Extracts facts with lines from JCL, BMS maps, CSD definitions, DDL and IMS, and builds the graph over all sources.
//!
//! Any input yields the facts that were understood and diagnostics for the rest. This crate reads no files.
//!
//! # Where to begin
//!
//! - How the graph is built: `graph/mod.rs` defines nodes, edges and missing items; `graph/survey.rs` and
//!   `graph/non_cobol.rs` collect what a source contributes.
//! - How programs are grouped to business functions: `functions/mod.rs`.
//! - How a job is expanded to what runs: `jcl/expansion.rs`; which programs a step runs: `jcl/step_programs/mod.rs`.
//!
//! # What always holds
//!
//! **Every edge has a location.** Every edge of the graph carries the file and line that create it, also when
//! a procedure or a copybook is expanded. A name that an item may contain creates an edge only if the
//! estate has such a node. A name in the source itself is reported as missing if nothing defines it and the
//! estate defines others of its kind.
//!
//! **DDL has its own reader.** Common parsers read few statements of Db2 for z/OS. sqlparser reads the
//! columns of a view and nearly all SQL in programs; the tolerant reader reads the rest.
//!
//! **A name is resolved in one place.** `GraphBuilder::meant` finds a map without its set, a table without its schema and a
//! segment without its database by name alone. If the name has a set or schema that the estate has,
//! it means that one or nothing. A data set is linked to a program only through a step that runs the program or one of
//! its callers, and through a DD of the name that the program's file is assigned to.

mod assembler;
mod cards;
mod changes;
mod functions;
mod graph;
mod macros;
mod non_cobol;
mod source_kind;

pub mod bms;
pub mod csd;
pub mod ddl;
pub mod ims;
pub mod jcl;

pub use assembler::{AssemblerProgram, AssemblerSource};
pub use changes::{ChangedFile, ChangedFiles, folder_name};
pub use functions::{BusinessFunction, BusinessFunctions, NameOrigin, PinnedFunction, is_data};
pub use graph::{
    AssignedData, AssignedDataSet, CallArguments, CallEdge, CopiedCopybook, CopybookUser, DataVersion, DdUse,
    DictionaryItem, Edge, EdgeKind, EstateGraph, HandedCall, HandedItem, HandedItems, HandedNames, KindCounts, Misfit,
    MisfitCall, MissingNode, NamedPath, NamedProgram, Node, NodeDefinition, NodeId, NodeKind, ProcedureIndex,
    ReceivedItems, SharedItem, SharedUse, SourceCounts, SourceLocation, Survey, SurveyLink, Versions, affected_by,
    describe_cluster, is_alternate_index, is_system_dd, supplier_of_node, supplying_system,
};
pub use non_cobol::ParsedNonCobol;
pub use source_kind::SourceKind;
