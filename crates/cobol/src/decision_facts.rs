//! Decisions in the JSON format of `war-rig facts`, each created when it is serialized.

use crate::Analysis;
use crate::decisions::{Decision, DecisionEffect, Decisions};
use crate::model::{DataItem, ParsedCobol};
use crate::skipped_fields::is_zero;
use crate::verb::Verb;
use serde::Serialize;
use std::ops::Not;
use war_rig_text::LineNumber;

/// The longest text of a decision, in characters; a longer text is cut and ends with three periods.
const LONGEST: usize = 400;

/// The maximum number of statements, items and conditions listed per decision.
const LISTED: usize = 10;

/// Returns the decisions of a source that have an effect.
pub(crate) fn decision_facts(analysis: &Analysis) -> impl Iterator<Item = DecisionFact<'_>> {
    let (parsed, decisions) = (analysis.parsed(), analysis.decisions());
    decisions.iter().filter_map(move |decision| DecisionFact::of(parsed, &decisions, &decision))
}

#[derive(Serialize)]
pub(crate) struct DecisionFact<'a> {
    kind: &'static str,
    /// The condition in normal form; the phrase for AT END and similar; none for a formula.
    condition: Option<String>,
    /// The preceding WHENs that must all be false.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unless: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    unless_left_out: usize,
    /// The enclosing conditions, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    within: Vec<String>,
    #[serde(skip_serializing_if = "Not::not")]
    within_left_out: bool,
    formula: Option<String>,
    decides: Vec<String>,
    items: Vec<ItemFact<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    items_left_out: usize,
    /// The statements under it in order, except those under further conditions.
    effect: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    effect_left_out: usize,
    line: LineNumber,
    end_line: LineNumber,
    effect_line: Option<LineNumber>,
    effect_end_line: Option<LineNumber>,
    paragraph: Option<&'a str>,
    program: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct ItemFact<'a> {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<&'a str>,
    /// For a condition name, its item.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'a str>,
    /// The values of a condition name, or the value of an item that nothing in the source changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

/// Cuts a text to the maximum length and marks the cut.
fn bounded(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{} ...", text[..cut].trim_end()),
        None => text,
    }
}

impl<'a> DecisionFact<'a> {
    /// Returns none if the decision has no statements: it decides nothing.
    fn of(parsed: &'a ParsedCobol, decisions: &Decisions<'a>, decision: &Decision) -> Option<Self> {
        let owner = &parsed.statements[decision.statement];
        let under =
            || decision.branch.into_iter().flat_map(|branch| decisions.statements_under(branch).iter().copied());
        let does_something = under().any(|index| !matches!(parsed.statements[index].verb, Verb::Continue | Verb::Next));
        if decision.branch.is_some() && !does_something {
            return None;
        }
        let branch = decision.branch.map(|branch| &parsed.branches[branch]);
        let condition = match (&decision.condition, branch) {
            (Some(condition), _) => Some(condition.to_string()),
            (None, Some(branch)) => Some(parsed.condition(branch).text().to_owned()),
            (None, None) => None,
        };
        let texts = |conditions: &[crate::Condition]| {
            conditions.iter().take(LISTED).map(|condition| bounded(condition.to_string())).collect::<Vec<_>>()
        };
        let names = decisions.items_in(decision);
        let items = names.iter().take(LISTED).map(|name| ItemFact::of(decisions, decision, name, owner.program));
        let lines = branch.map_or(owner.lines, |branch| branch.lines);
        let effect_lines = decision.branch.and_then(|branch| decisions.lines_under(branch));
        Some(Self {
            kind: decision.kind.as_str(),
            condition: condition.map(bounded),
            unless: texts(&decision.before),
            unless_left_out: decision.preceding_omitted + decision.before.len().saturating_sub(LISTED),
            within: texts(&decision.around),
            within_left_out: decision.enclosing_omitted,
            formula: decision.formula.as_ref().map(|formula| {
                let rounded = if formula.is_rounded { " ROUNDED" } else { "" };
                let mode = formula.rounding_mode.iter().map(|mode| format!(" MODE IS {mode}")).collect::<String>();
                let remainder = formula.remainder.iter().map(|item| format!(" REMAINDER {item}"));
                let remainder: String = remainder.collect();
                bounded(format!("{}{rounded}{mode} = {}{remainder}", formula.targets.join(" "), formula.expression))
            }),
            decides: in_words(decision),
            items: items.collect(),
            items_left_out: names.len().saturating_sub(LISTED),
            effect: under()
                .take(LISTED)
                .map(|index| bounded(parsed.words(&parsed.statements[index]).text().to_owned()))
                .collect(),
            effect_left_out: under().count().saturating_sub(LISTED),
            line: lines.start(),
            end_line: lines.end(),
            effect_line: effect_lines.map(|lines| lines.start()),
            effect_end_line: effect_lines.map(|lines| lines.end()),
            paragraph: parsed.label(owner.paragraph),
            program: owner.program.map(|program| parsed.programs[program].name.as_str()),
            file: owner.file.as_deref(),
        })
    }
}

/// Returns the effects in words, each once.
fn in_words(decision: &Decision) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for words in decision.effects.iter().map(DecisionEffect::in_words) {
        if !told.contains(&words) {
            told.push(words);
        }
    }
    told
}

impl<'a> ItemFact<'a> {
    fn of(decisions: &Decisions<'a>, decision: &Decision, name: &str, program: Option<usize>) -> Self {
        let tested = decisions.tested_condition_name(decision, name);
        let item: Option<&'a DataItem> = tested.or_else(|| decisions.item(name, program));
        let meaning = item.filter(|item| item.level == 88);
        let value = match meaning {
            Some(meaning) => meaning.value.as_deref(),
            None => decisions.constant(name, program),
        };
        Self {
            name: name.to_owned(),
            picture: item.and_then(|item| item.picture.as_deref()),
            about: meaning.and_then(|meaning| decisions.condition_item(meaning)).map(|about| about.name.as_str()),
            value: value.map(|value| bounded(value.to_owned())),
        }
    }
}
