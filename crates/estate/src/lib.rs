//! What stands around COBOL: JCL, BMS maps, CSD definitions, DDL and IMS, read to facts with lines; and the graph over all sources.
//!
//! Any input yields what was understood, and diagnostics for the rest. Nothing here reads a file.

mod assembler;
mod cards;
mod changes;
mod graph;
mod kind;
mod macros;
mod report;
mod surroundings;

pub mod bms;
pub mod csd;
pub mod ddl;
pub mod ims;
pub mod jcl;

pub use assembler::{Assembler, AssemblerProgram};
pub use changes::{ChangedFile, Changes, folder_name};
pub use graph::{
    CallEdge, Copied, DdUse, Declared, DictionaryItem, Edge, EstateGraph, Figures, GivenDataSet, KindFigures,
    Link, Missing, Node, NodeId, NodeKind, Place, Procedures, Relation, SharedItem, SharedUse, Survey, User,
    about_cluster, supplied_by, touched_by,
};
pub use kind::{SourceKind, member_name};
pub use surroundings::Surroundings;
