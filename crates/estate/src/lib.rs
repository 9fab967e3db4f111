//! What stands around COBOL: JCL, BMS maps, CSD definitions and DDL, read to facts with lines; and the graph over all sources.
//!
//! Any input yields what was understood, and diagnostics for the rest. Nothing here reads a file.

mod graph;
mod kind;

pub mod bms;
pub mod csd;
pub mod ddl;
pub mod jcl;

pub use graph::{
    CallEdge, DdUse, Declared, Edge, EstateGraph, Figures, KindFigures, Link, Missing, Node, NodeId,
    NodeKind, Place, Relation, Survey, User, supplied_by,
};
pub use kind::SourceKind;
