//! `--dry-run`: what a run would do, with the exact tokens of its prompts and without calling a model.

use super::formatting::format_location;
use crate::args::ExtractFormat;
use crate::configured_model::CostEstimate;
use crate::exit::ExitStatus;
use crate::failure::CommandError;
use crate::printer::{Printer, counted, sanitize_line};
use serde::Serialize;
use std::fmt::Write;
use war_rig_estimator::TokenCount;
use war_rig_llm::{BATCH_TIER, BudgetedPrompt, ModelInfo, Money, UsageTotals};
use war_rig_paginate::Slice;
use war_rig_paginate::{ExtractError, ExtractedAnswer, ExtractionPlan, Extractor, FailedPart};

/// The expected size of an answer: one token for this many of its part. How much a model finds is unknown.
const ANSWER_SHARE: u64 = 10;

/// The expected minimum of tokens in an answer.
const LEAST_ANSWER: u64 = 100;

/// An extractor that is never called: a plan requires one.
#[derive(Debug)]
pub struct NullExtractor;

impl Extractor for NullExtractor {
    fn produced_by(&self) -> &str {
        "nobody"
    }

    async fn extract(
        &self,
        _: &BudgetedPrompt,
        _: &Slice,
        _: &mut UsageTotals,
    ) -> Result<ExtractedAnswer, ExtractError> {
        Err(ExtractError::Unusable("nobody is asked".to_owned()))
    }

    async fn summarize(&self, _: &BudgetedPrompt, _: &mut UsageTotals) -> Result<Option<String>, ExtractError> {
        Ok(None)
    }
}

/// The report of a plan.
#[derive(Debug, Serialize)]
pub struct PlanReport<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The input's name.
    pub input: &'a str,
    /// The producer: a model's name, or `static`.
    pub produced_by: &'a str,
    /// The name of the token encoding.
    pub encoding: &'static str,
    /// The parts of the input; each takes one call if the first answer is valid.
    pub parts: u64,
    /// Records or pages of the input; 0 for text.
    pub units: u64,
    /// Calls; none are made without a model.
    pub calls: u64,
    /// The tokens of the input in all prompts, including repeated parts.
    pub input_tokens: u64,
    /// The tokens of all prompts.
    pub prompt_tokens: u64,
    /// The largest prompt.
    pub largest_prompt_tokens: u64,
    /// The maximum for a prompt.
    pub max_prompt_tokens: u64,
    /// Prompts above the maximum: always 0.
    pub prompts_over_budget: u64,
    /// The cost of the calls with answers of the expected length; `None` when the model's price is unknown.
    pub cost_usd: Option<Money>,
    /// The cost with answers of the maximum length.
    pub max_cost_usd: Option<Money>,
    /// The parts that cannot be processed.
    pub failed: &'a [FailedPart],
    /// Notes for the user about the input.
    pub notes: &'a [String],
}

/// Returns the cost of a plan's calls, without repairs and summaries; `None` when the price is unknown. `ratio` is the model's tokens for each token
/// of the encoding, and `tier` the one that is asked for. `longest` is the most tokens of an answer, in tokens of the model; `None` when answers have no limit.
pub fn cost(
    plan: &ExtractionPlan,
    info: Option<&ModelInfo>,
    tier: Option<&str>,
    ratio: f64,
    longest: Option<u64>,
) -> Option<CostEstimate> {
    let info = info?;
    let percent = info.tier_percent(tier);
    // Out of a tier that it asks for, a call may be served at the ordinary price; a batch is served as such.
    let at_most = if tier == Some(BATCH_TIER) { percent } else { percent.max(100) };
    let (parts, of_model) =
        (plan.parts.max(1), |tokens| crate::configured_model::to_model_tokens(TokenCount::new(tokens), ratio));
    // Only the prompts' sum is known, so each counts as one of average size. As soon as one is long, all are priced as long.
    let largest = of_model(plan.largest_prompt_tokens);
    let long = info.long_prompt.filter(|long| largest > long.above);
    let info = ModelInfo { prices: long.map(|long| long.prices).or(info.prices), long_prompt: None, ..info.clone() };
    let prompts = info.cost(of_model(plan.prompt_tokens), TokenCount::ZERO, TokenCount::ZERO)?;
    let answers =
        |each: u64| info.cost(TokenCount::ZERO, TokenCount::ZERO, TokenCount::new(each.saturating_mul(plan.parts)));
    let expected = of_model((plan.input_tokens / parts / ANSWER_SHARE).max(LEAST_ANSWER)).get();
    let expected = longest.map_or(expected, |longest| expected.min(longest));
    Some(CostEstimate {
        expected: (prompts + answers(expected)?).percent(percent),
        highest: match longest {
            Some(longest) => Some((prompts + answers(longest)?).percent(at_most)),
            None => None,
        },
    })
}

/// Prints a plan.
///
/// # Errors
/// As [`Printer::data`].
pub fn print(told: &PlanReport<'_>, format: ExtractFormat, printer: &Printer) -> Result<ExitStatus, CommandError> {
    match format {
        ExtractFormat::Text => printer.data(&text(told))?,
        ExtractFormat::Json => printer.json(told)?,
        ExtractFormat::Ndjson => {
            let line = serde_json::to_value(told)
                .map_err(|error| crate::failure::Failure::internal("the plan cannot be printed").with_source(error))?;
            printer.json_lines([line])?;
        }
    }
    Ok(if told.failed.is_empty() { ExitStatus::Ok } else { ExitStatus::TicketsFailed })
}

fn text(told: &PlanReport<'_>) -> String {
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{name:8}  {}", sanitize_line(&value));
    };
    row("agent", told.agent.to_owned());
    row("input", told.input.to_owned());
    row("answers", told.produced_by.to_owned());
    row("parts", told.parts.to_string());
    if told.units > 0 {
        row("units", told.units.to_string());
    }
    row("calls", told.calls.to_string());
    row(
        "tokens",
        format!(
            "{} of prompts ({} of the input in them), the largest {} of {}, counted in {}",
            told.prompt_tokens, told.input_tokens, told.largest_prompt_tokens, told.max_prompt_tokens, told.encoding
        ),
    );
    row(
        "cost",
        match (told.cost_usd, told.max_cost_usd) {
            (None, _) => "not known".to_owned(),
            (Some(expected), None) => format!("{expected} USD expected; answers have no limit"),
            (Some(expected), Some(most)) => format!("{expected} USD expected, {most} USD at most"),
        },
    );
    for failed in told.failed {
        let place = format_location(&failed.place);
        row("left out", format!("{}: {}", if place.is_empty() { counted(1, "part") } else { place }, failed.reason));
    }
    for note in told.notes {
        row("note", note.clone());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_llm::ModelRegistry;

    fn plan() -> ExtractionPlan {
        ExtractionPlan {
            parts: 10,
            units: 40,
            prompt_tokens: 1_000_000,
            largest_prompt_tokens: 102_000,
            max_prompt_tokens: 102_400,
            input_tokens: 900_000,
            failed: Vec::new(),
            notes: vec!["page 2 has no text".to_owned()],
        }
    }

    #[test]
    fn the_cost_is_that_of_prompts_and_answers() {
        let registry = ModelRegistry::built_in();
        let cost = |name: &str, tier, longest| {
            cost(&plan(), registry.find(name), tier, 1.0, longest)
                .map(|cost| (cost.expected.to_string(), cost.highest.map(|most| most.to_string())))
        };
        // 1,000,000 at 2.50, and answers of 9,000 or of 16,000 tokens at 10.00 a million.
        assert_eq!(cost("gpt-4o", None, Some(16_000)), Some(("3.40".to_owned(), Some("4.10".to_owned()))));
        assert_eq!(cost("gpt-4o", None, Some(1000)), Some(("2.60".to_owned(), Some("2.60".to_owned()))));
        assert_eq!(cost("gpt-4o", None, None), Some(("3.40".to_owned(), None)));
        assert_eq!(cost("gpt-4o", Some(BATCH_TIER), Some(16_000)), Some(("1.70".to_owned(), Some("2.05".to_owned()))));
        assert_eq!(cost("llama", None, Some(1000)), None);
    }

    #[test]
    fn a_plan_is_told_in_rows() {
        let plan = plan();
        let failed =
            FailedPart { part: 3, place: crate::commands::extract::samples::page(7, 7), reason: "too long".to_owned() };
        let told = PlanReport {
            agent: "a",
            input: "b\u{1b}.pdf",
            produced_by: "gpt-4o",
            encoding: "o200k_base",
            parts: plan.parts,
            units: plan.units,
            calls: plan.parts,
            input_tokens: plan.input_tokens,
            prompt_tokens: plan.prompt_tokens,
            largest_prompt_tokens: plan.largest_prompt_tokens,
            max_prompt_tokens: plan.max_prompt_tokens,
            prompts_over_budget: 0,
            cost_usd: Some(Money::from_usd(3.4)),
            max_cost_usd: None,
            failed: &[failed],
            notes: &plan.notes,
        };
        let expected = "\
agent     a
input     b.pdf
answers   gpt-4o
parts     10
units     40
calls     10
tokens    1000000 of prompts (900000 of the input in them), the largest 102000 of 102400, counted in o200k_base
cost      3.40 USD expected; answers have no limit
left out  page 7: too long
note      page 2 has no text
";
        assert_eq!(text(&told), expected);
    }
}
