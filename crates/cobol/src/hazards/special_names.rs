//! Items that SPECIAL-NAMES hands to the run-time system, which sets them: CRT STATUS and CURSOR.

use super::{Hazard, HazardKind};
use crate::model::{ParsedCobol, Section};
use foldhash::HashSet;
use war_rig_text::SourceText;

/// Removes the hazards that nothing sets an item which the run-time system sets.
pub(super) fn remove_set_by_system(parsed: &ParsedCobol, source: &SourceText, hazards: &mut Vec<Hazard>) {
    let is_it = |section: &&Section| section.name == "CONFIGURATION" && section.file.is_none();
    let items: HashSet<(Option<usize>, String)> = parsed
        .sections
        .iter()
        .filter(is_it)
        .flat_map(|section| {
            let lines = source.lines().skip(section.lines.start().index()).take(section.lines.indices().len());
            let code = lines.filter(|line| !line.is_comment()).map(|line| line.code());
            named_for_system(&code.collect::<Vec<_>>().join(" ")).into_iter().map(|item| (section.program, item))
        })
        .collect();
    hazards.retain(|hazard| match &hazard.kind {
        HazardKind::Unfilled { item, .. } | HazardKind::NeverSet { item, .. } | HazardKind::UnsetInput { item, .. } => {
            !items.contains(&(hazard.program, item.clone()))
        }
        _ => true,
    });
}

/// Returns the names behind STATUS and CURSOR.
fn named_for_system(code: &str) -> Vec<String> {
    let is_break = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';');
    let words = code.split(is_break).filter(|word| !word.is_empty()).map(str::to_uppercase);
    let words: Vec<String> = words.filter(|word| word != "IS").collect();
    let named = words.windows(2).filter(|pair| matches!(pair[0].as_str(), "STATUS" | "CURSOR"));
    named.map(|pair| pair[1].clone()).collect()
}
