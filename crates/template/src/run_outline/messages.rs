//! What a user or a caller sees at the end, and what the keys do.

use super::{OutlineKey, OutlineOutcome};
use crate::markdown::common_effects::{condition_and_effects, parts};
use crate::{Citation, Document};
use std::collections::BTreeSet;
use war_rig_text::LineNumber;

/// The word before an outcome of what happens otherwise.
const OTHERWISE: &str = "otherwise ";

/// Words the opposite of a condition; what is provided stays provided.
fn opposite(condition: &str) -> String {
    match condition.split_once(": when ") {
        Some((provided, when)) => format!("{provided}: unless {when}"),
        None => format!("unless {}", condition.strip_prefix("When ").unwrap_or(condition)),
    }
}

fn uncapitalized(text: &str) -> String {
    let is_word = text.chars().nth(1).is_some_and(char::is_lowercase);
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if is_word => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

pub(super) fn outcomes(document: &Document) -> Vec<OutlineOutcome> {
    let mut all: Vec<(String, String, LineNumber)> = Vec::new();
    let own = |citation: &&Citation| citation.file() == document.header.file_name;
    let mut add = |outcome: &str, condition: &str, citations: &[Citation]| {
        let lines: BTreeSet<LineNumber> =
            citations.iter().filter(own).map(|citation| citation.lines().start()).collect();
        all.extend(lines.into_iter().map(|line| (outcome.to_owned(), condition.to_owned(), line)));
    };
    for rule in &document.business_rules {
        let Some(outcome) = &rule.outcome else { continue };
        let condition = condition_and_effects(&rule.description).0;
        for part in parts(outcome) {
            let (outcome, condition) = match part.strip_prefix(OTHERWISE) {
                Some(outcome) => (outcome, opposite(condition)),
                None => (part, condition.to_owned()),
            };
            add(outcome, &condition, &rule.citations);
        }
    }
    for error in &document.error_handling {
        if let Some(outcome) = &error.outcome {
            add(outcome, &error.condition, &error.citations);
        }
    }
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
