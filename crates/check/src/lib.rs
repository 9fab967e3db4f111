//! Documents held against their sources, and against each other.
//!
//! A [`Finding`] says where a document and its source no longer agree, under a [`Rule`] whose name never changes. A [`Report`] is all findings
//! of a check, in order, and the forms in which it is printed are made from it alone. This crate is pure: it is handed documents, sources and
//! facts, and reads nothing itself.
//!
//! # Where to begin
//!
//! - How a document is held against its source: `verify.rs`, against what `crates/pool/src/expected.rs`
//!   makes; a whole estate `crates/cli/src/commands/check/estate.rs`; what `--thorough` looks at besides,
//!   `thorough.rs` and `document_folder.rs`.
//! - What a report looks like: `formats/mod.rs`; what is left out of one that is too long, `truncation.rs`.
//! - What is known already: `baseline.rs`.
//! - What reads like an instruction to a model: `instructions/phrases.rs`.
//!
//! # What always holds
//!
//! **A check believes no document.** It makes what the parser alone would write of a source now, and
//! compares item by item; of what a model has added it holds citations and names. It needs no store, asks
//! nobody, and writes only the files that it was told to. A document that the static Scribe has just
//! written is the same to the letter, so that any difference is a finding. Where a document's seal holds
//! (`crates/template/src/seal.rs`) and it was made from what is there now, that is spared: the comparison
//! could only find a defect of ours. `--thorough` spares nothing.
//!
//! **Rules are for ever.** The name of a rule is never changed nor given another meaning: configurations
//! and baselines hold it. A fingerprint leaves out lines, so that a finding stays the same one while code
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
pub use formats::{ReportFormat, ReportStyle};
pub use instructions::instruction_like_comments;
pub use page::{verify_fields, verify_page};
pub use report::{CheckTotals, Report, ReportPaths};
pub use rule::{FindingLevel, Rule, RuleGroup, RuleLevels, UnknownRuleName};
pub use summary::markdown_summary;
pub use verify::{GroundTruth, verify_context, verify_document};
