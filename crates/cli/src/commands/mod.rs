//! The commands, one file each. A command takes its arguments, resolved settings where it needs them, and a printer, and returns the exit status.

pub mod check;
pub mod chunk;
pub mod completions;
pub mod config;
pub mod count;
pub mod diff;
pub mod doctor;
pub mod document;
pub mod extract;
pub mod facts;
pub mod index;
pub mod init;
pub mod man;
pub mod merge_program;
pub mod models;
pub mod plan;
pub mod search;
pub mod send;
pub mod serve;
pub mod site;
pub mod status;
pub mod worker;
