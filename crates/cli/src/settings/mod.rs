//! Settings: what may be said, where it is said, and what it comes to.
//!
//! [`Options`] are what one place says, everything optional. [`load()`] lays the places over each other: defaults, then
//! `war_rig.toml`, then the environment, then the command line. [`Settings::resolve`] turns the outcome into typed values, of
//! which every one is legal. [`to_text`] and [`to_json`] tell where each value came from, [`to_markdown`] what
//! there is to be set.

mod broker;
mod check;
mod environment;
mod gate;
mod globs;
mod judge;
mod keys;
mod load;
mod options;
mod reference;
mod resolve;
mod scribe;
mod secrets;
mod show;
mod targets;
mod travelling;
mod writing;

pub use broker::{BrokerSettings, Login};
pub use globs::Globs;
pub use keys::nearest;
pub use load::{Combined, load};
pub use options::Options;
pub use reference::to_markdown;
pub use resolve::{FileType, Settings, SourceSettings};
pub use scribe::{AnswerFormat, AnswerLimit, Provider, ScribeSettings};
pub use secrets::{Secret, Variables, needed};
pub use show::{to_json, to_text};
pub use targets::TargetSettings;
pub use travelling::{OwnWay, Travelling};

#[cfg(test)]
pub use load::{ConfigFile, combine};
