//! The facts of a source's references to paragraphs.

use super::FactNames;
use crate::model::LabelReference;
use serde::Serialize;

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
