//! What a user or a caller sees at the end, and what the keys do.

use super::{OutlineKey, OutlineOutcome};
use crate::Document;
use crate::markdown::common_effects::condition_and_effects;
use crate::markdown::outcomes::{ends_by_line, outcomes_by_line};

fn uncapitalized(text: &str) -> String {
    let is_word = text.chars().nth(1).is_some_and(char::is_lowercase);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if is_word => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

pub(super) fn outcomes(document: &Document) -> Vec<OutlineOutcome> {
    let mut all = outcomes_by_line(document);
    all.extend(ends_by_line(document).into_iter().map(|(end, condition, line)| (uncapitalized(&end), condition, line)));
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

pub(super) fn keys(document: &Document) -> Vec<OutlineKey> {
    let rules = document.business_rules.iter().filter(|rule| !rule.keys.is_empty());
    rules
        .filter_map(|rule| {
            let line = rule.citations.first()?.lines().start();
            let (condition, effects) = condition_and_effects(&rule.description);
            let is_more = rule.conditions.len() > 1 || rule.data_items.len() > 1;
            let condition = is_more.then(|| uncapitalized(condition));
            let action = effects.trim_end_matches('.').to_owned();
            Some(OutlineKey { keys: rule.keys.clone(), condition, action, line })
        })
        .collect()
}
