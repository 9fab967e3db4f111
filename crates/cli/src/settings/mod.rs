//! Settings: their keys, the places that set them, and their typed values.
//!
//! Each section of settings is one table, in `scribe.rs`, `source.rs`, `check.rs`, `broker.rs` or `targets.rs`, and each setting is one row;
//! `table.rs` documents what a row generates. [`Options`] contains the values from one place, all optional. [`load()`] merges the places: defaults,
//! then `war_rig.toml`, then the environment, then the command line. [`Settings::resolve`] converts the result into typed, valid values. [`to_text`]
//! and [`to_json`] print where each value came from, [`to_markdown`] and [`to_toml`] the available settings.
//!
//! Each of these steps knows only those before it:
//!
//! | step | files |
//! |---|---|
//! | what a key and its values are | `key.rs`, `values.rs`, `places.rs`, `globs.rs`, `address.rs` |
//! | the rows of the sections | `validate.rs`, `table.rs`, then `scribe.rs`, `source.rs`, `check.rs`, `broker.rs`, `targets.rs` |
//! | all sections together | `options.rs` |
//! | the places that set values | `flags.rs`, `environment.rs`, `file.rs`, then `load.rs` |
//! | typed settings, and what they decide | `resolve.rs`, then `writing.rs`, `travelling.rs`; `secrets.rs` |
//! | what is shown of them | `show.rs`, `reference.rs` |

mod address;
mod broker;
mod check;
mod environment;
mod file;
mod flags;
mod globs;
mod key;
mod load;
mod options;
mod places;
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
mod values;
mod writing;

pub use broker::{BROKER_HEADING, BrokerSettings, Login};
pub use flags::{
    BaselineArgs, BrokerArgs, EncodingArgs, GroupArgs, PageArgs, ReadArgs, ScribeArgs, SourceArgs, SpoolArgs,
};
pub use globs::Globs;
pub use key::nearest;
pub use load::{Combined, load};
pub use options::Options;
pub use reference::{to_markdown, to_toml};
pub use resolve::{Settings, SourcePaths};
pub use scribe::{BatchAgain, Provider, ScribeSettings};
pub use secrets::{Variables, needed};
pub use show::{to_json, to_text};
pub use source::{ENDINGS_OF_DOCUMENTS, EditedPagePolicy, FileType, SourceSettings, USUAL_ENDINGS};
pub use targets::TargetSettings;
pub use travelling::{OwnWay, Travelling};
pub use values::overlaid;

#[cfg(test)]
pub use load::{ConfigFile, combine};
