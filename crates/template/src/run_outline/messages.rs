//! What a user or a caller sees at the end, and what the keys do.

use super::{OutlineKey, OutlineOutcome};
use crate::Document;
use crate::markdown::outcomes::outcomes_by_line;
use war_rig_text::LineNumber;

pub(super) fn outcomes(document: &Document) -> Vec<OutlineOutcome> {
    let mut all = outcomes_by_line(document);
    all.extend(ends(document));
    all.sort_by_key(|(_, _, line)| *line);
    let mut outcomes: Vec<OutlineOutcome> = Vec::new();
    for (outcome, condition, line) in all {
        match outcomes.iter_mut().find(|known| known.outcome == outcome) {
            Some(known) => {
                known.causes += 1;
                known.last_line = line;
            }
            None => outcomes.push(OutlineOutcome { outcome, condition, causes: 1, line, last_line: line }),
        }
    }
    outcomes
}

/// Returns the effects of rules and handled errors behind which the run ends, with the words when that is so.
fn ends(document: &Document) -> impl Iterator<Item = (String, String, LineNumber)> {
    let errors = document.error_handling.iter().filter_map(|error| {
        let when = error.condition.trim_end_matches('.');
        Some((error.ends.as_deref()?, when, error.citations.first()?))
    });
    let rules = document.business_rules.iter();
    let rules = rules
        .filter_map(|rule| Some((rule.ends.as_ref()?, rule.citations.first()?)))
        .map(|(ends, citation)| (ends.effect.as_str(), ends.when.as_str(), citation));
    let all = errors.chain(rules);
    all.map(|(effect, when, citation)| (effect.to_owned(), when.to_owned(), citation.lines().start()))
}

pub(super) fn keys_tested(document: &Document) -> Vec<OutlineKey> {
    let rules = document.business_rules.iter().filter(|rule| !rule.keys.is_empty());
    let told = rules.filter_map(|rule| {
        let line = rule.citations.first()?.lines().start();
        Some(match &rule.key_action {
            Some(action) => OutlineKey::of(&rule.keys, action, &[], line),
            None => {
                vec![OutlineKey { keys: rule.keys.clone(), condition: None, action: rule.description.clone(), line }]
            }
        })
    });
    told.flatten().collect()
}
