//! Macros that call programs: those whose first name is a program of the estate in one place call what they name first in all.

use super::node::EdgeKind;
use super::{GraphBuilder, Survey, SurveyLink};
use foldhash::HashSet;
use war_rig_cobol::CallKind;

impl GraphBuilder {
    /// Marks the links to what such macros name first as certain, so that a program which no source defines is missing.
    pub(super) fn trust_macro_calls(&self, surveys: &mut [Survey]) {
        let calls: HashSet<String> = surveys
            .iter()
            .flat_map(|survey| first_names(&survey.links).into_iter().map(|place| &survey.links[place]))
            .filter(|link| self.is_defined(&link.to))
            .filter_map(|link| link.detail.clone())
            .collect();
        for survey in surveys.iter_mut().filter(|_| !calls.is_empty()) {
            for place in first_names(&survey.links) {
                let link = &mut survey.links[place];
                link.is_certain = link.detail.as_ref().is_some_and(|detail| calls.contains(detail));
            }
        }
    }
}

/// Returns the places of the links to the first name of each macro.
fn first_names(links: &[SurveyLink]) -> Vec<usize> {
    let macros = links.iter().enumerate().filter(|(_, link)| link.relation == EdgeKind::Calls(CallKind::Macro));
    let mut first: Vec<usize> = macros.map(|(place, _)| place).collect();
    first.dedup_by_key(|place| (&links[*place].from, links[*place].line));
    first
}
