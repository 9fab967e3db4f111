//! Shared by the tests.

use super::model::{JclSource, JobStep};
use super::parse;
use war_rig_text::{ReadOptions, SourceText};

/// Parses a source of this name.
pub(super) fn source(name: &str, text: &str) -> JclSource {
    parse(&SourceText::read(name, text.as_bytes().to_vec(), &ReadOptions::default()).unwrap())
}

/// Parses a step with these DDs after its EXEC, which is line 1.
pub(super) fn step(dds: &str) -> JobStep {
    stepping("PGM=X", dds)
}

/// Parses a step with these operands and these DDs after its EXEC, which is line 1.
pub(super) fn stepping(operands: &str, dds: &str) -> JobStep {
    let source = source("T.jcl", &format!("//S EXEC {operands}\n{dds}"));
    source.procedures[0].body.steps[0].clone()
}
