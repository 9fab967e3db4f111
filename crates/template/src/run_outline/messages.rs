//! What a user or a caller sees: the messages under conditions, the outcomes, and what the keys do.

use super::told::places_of_conditions;
use super::walk::is_case;
use super::{OutlineKey, OutlineOutcome};
use crate::markdown::common_effects::{condition_and_effects, parts};
use crate::{Citation, Document, Paragraph, ParagraphStep};
use std::collections::{BTreeSet, HashMap};
use war_rig_text::LineNumber;

/// The word before an outcome of what happens otherwise.
const OTHERWISE: &str = "otherwise ";

/// A message and its condition.
pub(super) struct GivenMessage {
    pub(super) text: String,
    /// Whether the words are all that is done, so that nothing may be performed beside it.
    pub(super) is_all: bool,
}

/// Returns the messages that are given, with their conditions, by the line of the condition.
pub(super) fn messages(document: &Document) -> HashMap<LineNumber, GivenMessage> {
    let is_message = |outcome: &str| !outcome.starts_with("RETURN-CODE") && !outcome.starts_with("abend");
    let places = places_of_conditions(document);
    let mut messages = HashMap::new();
    let mut add = |line: LineNumber, condition: &str, message: &str, is_opposite: bool, is_all: bool| {
        let paragraph = places.get(&line).map(|index| &document.paragraphs[*index]);
        let step = paragraph.and_then(|paragraph| step_of_condition(paragraph, line, is_opposite));
        if let Some(step) = step {
            messages.entry(step.line).or_insert_with(|| {
                let own = step.text.trim_end_matches(':');
                let is_own = step.line == line || is_opposite;
                let condition = if is_own { own.to_owned() } else { uncapitalized(condition.trim_end_matches('.')) };
                GivenMessage { text: format!("{condition}: {}", uncapitalized(message)), is_all }
            });
        }
    };
    for rule in &document.business_rules {
        let Some(line) = rule.citations.first().map(|citation| citation.lines().start()) else { continue };
        let (condition, effects) = condition_and_effects(&rule.description);
        let decides = rule.decides.as_deref() == Some("which message is given");
        match rule.outcome.as_deref() {
            Some(outcome) => {
                for part in parts(outcome).into_iter().filter(|part| is_message(part.trim_start_matches(OTHERWISE))) {
                    let opposite = part.strip_prefix(OTHERWISE);
                    add(line, condition, opposite.unwrap_or(part), opposite.is_some(), false);
                }
            }
            None if decides => add(line, condition, effects.trim_end_matches('.'), false, true),
            None => {}
        }
    }
    for error in &document.error_handling {
        let Some(line) = error.citations.first().map(|citation| citation.lines().start()) else { continue };
        match error.outcome.as_deref() {
            Some(outcome) if is_message(outcome) => add(line, &error.condition, outcome, false, false),
            Some(_) => {}
            None => add(line, &error.condition, error.action.trim_end_matches('.'), false, true),
        }
    }
    messages
}

/// Returns the step of a condition on this line, or of its opposite: the condition itself or, if nothing is done where it holds, the next case.
fn step_of_condition(paragraph: &Paragraph, line: LineNumber, is_opposite: bool) -> Option<&ParagraphStep> {
    let at = paragraph.steps.iter().position(|step| step.line == line && step.text.contains(':'))?;
    let step = &paragraph.steps[at];
    if step.text.ends_with(':') && !is_opposite {
        return Some(step);
    }
    let mut others = paragraph.steps[at + 1..].iter().filter(|other| other.depth <= step.depth);
    let next = others.next().filter(|next| next.depth == step.depth && next.text.ends_with(':') && is_case(next));
    next.filter(|_| is_opposite || step.text.ends_with(": nothing"))
}

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
