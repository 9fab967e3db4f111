//! Documents held against their sources, and against each other.
//!
//! A [`Finding`] says where a document and its source no longer agree, under a [`Rule`] whose name never changes. A [`Report`] is all findings
//! of a check, in order, and the forms in which it is printed are made from it alone. This crate is pure: it is handed documents, sources and
//! facts, and reads nothing itself.

mod baseline;
mod finding;
mod formats;
mod hold;
mod instructions;
mod page;
mod report;
mod rule;
mod summary;

pub use baseline::{Baseline, BaselineError, BaselineErrorKind, Gone};
pub use finding::{Excerpt, Finding, Place};
pub use formats::{Format, Look};
pub use hold::{Truth, hold, hold_context};
pub use instructions::instruction_like_comments;
pub use page::{hold_fields, hold_page};
pub use report::{Checked, Paths, Report};
pub use rule::{Group, Level, Levels, Rule, UnknownName};
pub use summary::summary;
