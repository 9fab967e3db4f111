//! What stands around COBOL: JCL, BMS maps, CSD definitions, DDL and IMS, read to facts with lines; and the graph over all sources.
//!
//! Any input yields what was understood, and diagnostics for the rest. Nothing here reads a file.

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
