//! Settings: what may be said, where it is said, and what it comes to.
//!
//! A section of settings is one table, in `scribe.rs`, `source.rs`, `check.rs`, `broker.rs` and `targets.rs`, and a setting one row of it; `table.rs` says
//! what follows from a row. [`Options`] are what one place says, everything optional. [`load()`] lays the places over each other: defaults, then
//! `war_rig.toml`, then the environment, then the command line. [`Settings::resolve`] turns the outcome into typed values, of
//! which every one is legal. [`to_text`] and [`to_json`] tell where each value came from, [`to_markdown`] and [`to_toml`] what
//! there is to be set.

mod broker;
mod check;
mod environment;
mod file;
mod flags;
mod globs;
mod load;
mod options;
mod reference;
mod resolve;
mod scribe;
mod secrets;
mod show;
mod source;
mod table;
mod targets;
mod travelling;
mod validate;
mod writing;

pub use broker::{BROKER_HEADING, BrokerArgs, BrokerSettings, Login, SpoolArgs};
pub use check::{BaselineArgs, GroupArgs};
pub use globs::Globs;
pub use load::{Combined, load};
pub use options::{Options, overlaid};
pub use reference::{to_markdown, to_toml};
pub use resolve::Settings;
pub use scribe::{AnswerFormat, AnswerLimit, EncodingArgs, Provider, ScribeArgs, ScribeSettings};
pub use secrets::{Secret, Variables, needed};
pub use show::{to_json, to_text};
pub use source::{FileType, PageArgs, ReadArgs, SourceArgs, SourceSettings};
pub use table::nearest;
pub use targets::TargetSettings;
pub use travelling::{OwnWay, Travelling};

#[cfg(test)]
pub use load::{ConfigFile, combine};
