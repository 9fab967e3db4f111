//! Settings: their keys, the places that set them, and their typed values.
//!
//! Each section of settings is one table, in `scribe.rs`, `source.rs`, `check.rs`, `broker.rs` or `targets.rs`, and each setting is one row;
//! `table.rs` documents what a row generates. [`Options`] contains the values from one place, all optional. [`load()`] merges the places: defaults,
//! then `war_rig.toml`, then the environment, then the command line. [`Settings::resolve`] converts the result into typed, valid values. [`to_text`]
//! and [`to_json`] print where each value came from, [`to_markdown`] and [`to_toml`] the available settings.

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
