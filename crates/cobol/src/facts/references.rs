//! The facts of a source's references: copybooks, programs, paragraphs.

use super::{CandidateFact, FactNames};
use crate::model::{CallKind, LabelReference, ProgramCall};
use serde::Serialize;
use war_rig_text::LineNumber;

#[derive(Serialize)]
pub(super) struct CallFact<'a> {
    target: &'a str,
    kind: CallKind,
    line: LineNumber,
    end_line: LineNumber,
    using: &'a [String],
    #[serde(flatten)]
    candidates: CandidateFact<'a>,
    paragraph: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> CallFact<'a> {
    pub(super) fn of(call: &'a ProgramCall, names: FactNames<'a>) -> Self {
        Self {
            target: &call.target,
            kind: call.kind,
            line: call.lines.start(),
            end_line: call.lines.end(),
            using: &call.using,
            candidates: CandidateFact::of(&call.candidates),
            paragraph: names.paragraph(call.paragraph),
            program: names.program(call.program),
            file: call.file.as_deref(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct ReferenceFact<'a> {
    #[serde(flatten)]
    reference: &'a LabelReference,
    from: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

impl<'a> ReferenceFact<'a> {
    pub(super) fn of(reference: &'a LabelReference, names: FactNames<'a>) -> Self {
        Self {
            reference,
            from: names.paragraph(reference.paragraph),
            program: names.program(reference.program),
            file: reference.file.as_deref(),
        }
    }
}
