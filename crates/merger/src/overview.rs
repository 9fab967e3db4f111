//! Applies the overview of a program to its merged document.
//!
//! The overview replaces texts and nothing else: citations, origins of the parser's items and conflicts stay as the merge left them.

use war_rig_template::{Document, ItemOrigin, ParagraphOverview, ProgramOverview};

/// Replaces the purpose, adds the main line, and sums up the paragraphs that were read in several pieces.
pub(crate) fn apply_overview(document: &mut Document, overview: &ProgramOverview) {
    let purpose = &mut document.purpose;
    purpose.body.summary.clone_from(&overview.summary);
    purpose.body.main_line.clone_from(&overview.main_line);
    if let Some(context) = &overview.business_context {
        purpose.body.business_context = Some(context.clone());
    }
    // The type is a value: the parts and the parser know better where they have one.
    if let Some(kind) = overview.program_type.as_ref().filter(|_| purpose.body.program_type.is_empty()) {
        purpose.body.program_type.clone_from(kind);
    }
    if purpose.origin == ItemOrigin::Parser {
        // Where no chunk told a purpose, the parser's words stood here.
        purpose.origin = ItemOrigin::Model;
    }
    for ParagraphOverview { paragraph_name, line, summary, details } in &overview.paragraphs {
        let is_meant = |paragraph: &&mut war_rig_template::DocumentItem<war_rig_template::Paragraph>| {
            paragraph.paragraph_name == *paragraph_name
                && paragraph.citations.iter().any(|citation| citation.lines().start() == *line)
        };
        if let Some(paragraph) = document.paragraphs.iter_mut().find(is_meant) {
            paragraph.body.summary.clone_from(summary);
            paragraph.body.details.clone_from(details);
            // The pieces contain what was written about the purpose of each.
            paragraph.body.purpose = None;
        }
    }
}
