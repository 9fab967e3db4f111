//! What the end-to-end tests of War Rig share: the binary, the fixtures, and readers of what War Rig writes.
//!
//! A reader here is written from the contract and not from the code under test, so that the two can disagree.

mod copied_items;
#[cfg(target_os = "linux")]
pub mod crash;
mod ebcdic;
pub mod fake;
mod fixture_files;
pub mod forge;
pub mod fuzz_checks;
#[cfg(target_os = "linux")]
pub mod nats;
pub mod non_cobol_checks;
pub mod oracle;
mod output_files;
mod part_block;
pub mod pdf;
pub mod quality;
pub mod query_checks;
pub mod rewrites;
mod sandbox;
mod source_block;
pub mod stress_programs;
#[cfg(target_os = "linux")]
pub mod wire_proxy;
#[cfg(target_os = "linux")]
pub mod word_bank;
pub mod word_lies;
pub mod words_measure;
pub mod workers;

pub use copied_items::whole_dictionary;
pub use ebcdic::{ebcdic, records};
pub use fixture_files::{MemorySources, fixture_names, fixtures, planner, project, surrounding_names};
pub use output_files::{check_tiling, files_below, json_file};
pub use part_block::PartBlock;
pub use sandbox::{CommandResult, Sandbox, binary};
pub use source_block::{ContextBlock, SourceBlock, numbered};
