//! What stands around COBOL: JCL, BMS maps, CSD definitions, DDL and IMS, read to facts with lines; and the graph over all sources.
//!
//! Any input yields what was understood, and diagnostics for the rest. Nothing here reads a file.

mod cards;
mod macros;
mod report;

pub mod bms;
pub mod csd;
pub mod ddl;
pub mod ims;
pub mod jcl;
