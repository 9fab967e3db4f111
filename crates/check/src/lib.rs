//! Documents held against their sources, and against each other.
//!
//! A [`Finding`] says where a document and its source no longer agree, under a [`Rule`] whose name never changes. A [`Report`] is all findings
//! of a check, in order, and the forms in which it is printed are made from it alone. This crate is pure: it is handed documents, sources and
//! facts, and reads nothing itself.

mod baseline;
mod finding;
mod formats;
mod instructions;
mod page;
mod report;
mod rule;
mod summary;
mod verify;

pub use baseline::{Baseline, BaselineError, BaselineErrorKind, ResolvedEntry};
pub use finding::{Excerpt, Finding, FindingLocation};
pub use formats::{ReportFormat, ReportStyle};
pub use instructions::instruction_like_comments;
pub use page::{verify_fields, verify_page};
pub use report::{CheckTotals, Report, ReportPaths};
pub use rule::{FindingLevel, Rule, RuleGroup, RuleLevels, UnknownRuleName};
pub use summary::markdown_summary;
pub use verify::{GroundTruth, verify_context, verify_document};
