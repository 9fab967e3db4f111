//! Verifies documents against their sources and against each other.
//!
//! A [`Finding`] reports where a document and its source no longer agree, under a [`Rule`] whose name never changes. A [`Report`] contains all
//! findings of a check, in order, and every output format is made from it alone. This crate is pure: it receives documents, sources and
//! facts, and reads no files itself.
//!
//! # Where to begin
//!
//! - Verification of a document against its source: `verify.rs`, with the facts that `crates/pool/src/expected.rs`
//!   computes; of a whole estate: `crates/cli/src/commands/check/estate.rs`; the additional checks of `--thorough`:
//!   `thorough.rs` and `document_folder.rs` beside it.
//! - A new rule: `rule.rs` (name, group, meaning, advice), then the place in `verify/` that finds it, and its section in `docs/checks.md`. Rules about folders,
//!   secrets and the site are found in `crates/cli/src/commands/check/`.
//! - Formats of a report: `formats/mod.rs`; what a report over its limit leaves out: `formats/truncation.rs`.
//! - Known findings: `baseline.rs`.
//! - Comments that read like an instruction to a model: `instructions/phrases.rs`.
//!
//! # What always holds
//!
//! **A check trusts no document.** It computes what the parser alone would write for a source now, and
//! compares item by item; for a model's additions it verifies citations and names. It needs no store, calls
//! no model, and writes only the files named on the command line. A fresh document of the static Scribe is
//! identical to the letter, so that any difference is a finding. If a document's seal is valid
//! (`crates/template/src/seal.rs`) and its inputs are unchanged, the check skips the comparison, which
//! could only find a defect of ours. `--thorough` skips nothing.
//!
//! **Rules are permanent.** The name of a rule never changes and never gets another meaning, because configurations
//! and baselines contain it. A fingerprint leaves out lines, so that a finding keeps its identity while code
//! moves.

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
pub use formats::{ReportFormat, ReportStyle, UnknownReportFormat};
pub use instructions::instruction_like_comments;
pub use page::{verify_fields, verify_page};
pub use report::{CheckTotals, Report, ReportPaths};
pub use rule::{FindingLevel, Rule, RuleGroup, RuleLevels};
pub use summary::markdown_summary;
pub use verify::{GroundTruth, verify_context, verify_document};
