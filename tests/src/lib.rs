//! What the end-to-end tests of War Rig share: the binary, the fixtures, and readers of what War Rig writes.
//!
//! A reader here is written from the contract and not from the code under test, so that the two can disagree.

pub mod around;
pub mod asked;
mod binary;
mod block;
pub mod checks;
mod copied_items;
#[cfg(target_os = "linux")]
pub mod crash;
mod ebcdic;
mod estate;
pub mod fake;
pub mod forge;
#[cfg(target_os = "linux")]
pub mod nats;
pub mod oracle;
pub mod paper;
mod part_block;
pub mod quality;
pub mod rewrites;
pub mod shapes;
mod tree;
#[cfg(target_os = "linux")]
pub mod wire_proxy;
#[cfg(target_os = "linux")]
pub mod workers;

pub use binary::{Ran, Workplace, binary};
pub use block::{ContextBlock, SourceBlock, numbered};
pub use copied_items::whole_dictionary;
pub use ebcdic::{ebcdic, records};
pub use estate::{Memory, fixture_names, fixtures, planner, project, surrounding_names};
pub use part_block::PartBlock;
pub use tree::{check_tiling, files_below, json_file};
