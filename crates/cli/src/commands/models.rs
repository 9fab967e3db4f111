//! `war-rig models`: prints the registry of models, with the origin of each entry.

use crate::args::{ModelsArgs, OutputFormat};
use crate::configured_model::load_registry;
use crate::exit::ExitStatus;
use crate::failure::{CommandError, Failure};
use crate::printer::{Printer, sanitize_line};
use crate::settings::Settings;
use serde_json::json;
use std::fmt::Write;
use war_rig_llm::{ModelInfo, ModelPrices, TokenPrice};

/// Prints the registry, or one model of it.
///
/// # Errors
/// Usage failures, and when standard output cannot be written.
pub fn run(args: &ModelsArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let registry = load_registry(&settings.scribe)?;
    let file = settings.scribe.models.as_ref().map(|path| path.display().to_string());
    let Some(name) = &args.name else {
        let models = registry.all();
        match args.print.format {
            OutputFormat::Text => printer.data(&table(&models, file.as_deref()))?,
            OutputFormat::Json => printer.json(&json!({ "models": models }))?,
        }
        return Ok(ExitStatus::Ok);
    };
    let model = registry.find(name).ok_or_else(|| {
        let hint = registry.nearest(name).map(|nearest| {
            format!(
                "did you mean `{nearest}`? a model that is not built in goes into the file that scribe.models names"
            )
        });
        Failure::usage(format!("no model `{name}` is known")).with_optional_hint(hint)
    })?;
    match args.print.format {
        OutputFormat::Text => printer.data(&details(model, file.as_deref()))?,
        OutputFormat::Json => printer.json(model)?,
    }
    Ok(ExitStatus::Ok)
}

/// Returns where a model's figures come from: their page, otherwise the user's file.
fn source<'a>(model: &'a ModelInfo, file: Option<&'a str>) -> &'a str {
    model.source.as_deref().or(file).unwrap_or(NONE)
}

/// The placeholder for a missing value.
const NONE: &str = "-";

fn price(price: Option<TokenPrice>) -> String {
    price.map_or(NONE.to_owned(), |price| price.to_string())
}

/// Formats a line for each model, in columns. Prices are dollars per million tokens.
fn table(models: &[&ModelInfo], file: Option<&str>) -> String {
    let head = [
        "model", "provider", "window", "answer", "input", "cached", "output", "encoding", "ratio", "limit",
        "temperature", "as of", "source",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for model in models {
        let of = |get: fn(ModelPrices) -> Option<TokenPrice>| price(model.prices.and_then(get));
        rows.push([
            sanitize_line(&model.name).into_owned(),
            sanitize_line(&model.provider).into_owned(),
            model.context_window.to_string(),
            model.max_output.to_string(),
            of(|prices| Some(prices.input)),
            of(|prices| prices.cached_input),
            of(|prices| Some(prices.output)),
            model.encoding.as_str().to_owned(),
            model.token_ratio.to_string(),
            model.answer_limit.as_str().to_owned(),
            if model.temperature { "yes" } else { "no" }.to_owned(),
            model.as_of.clone().unwrap_or(NONE.to_owned()),
            sanitize_line(source(model, file)).into_owned(),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let number = (2..=6).contains(&column) || column == 8;
            let written = if number { write!(line, "{cell:>width$}  ") } else { write!(line, "{cell:width$}  ") };
            written.expect("a string takes every write");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Formats a line for each known property of a model.
fn details(model: &ModelInfo, file: Option<&str>) -> String {
    let prices = |prices: Option<ModelPrices>| {
        prices.map_or("not known".to_owned(), |prices| {
            format!(
                "{} input, {} cached input, {} output, in USD per million tokens",
                prices.input,
                price(prices.cached_input),
                prices.output
            )
        })
    };
    let mut rows = vec![
        ("model", model.name.clone()),
        ("provider", model.provider.clone()),
        ("window", format!("{} tokens", model.context_window)),
        ("answer", format!("{} tokens at most, limited by {}", model.max_output, model.answer_limit.as_str())),
        ("price", prices(model.prices)),
    ];
    if let Some(long) = model.long_prompt {
        rows.push(("long", format!("{}; for prompts of more than {} tokens", prices(Some(long.prices)), long.above)));
    }
    if !model.tiers.is_empty() {
        let tiers: Vec<String> = model.tiers.iter().map(|(tier, percent)| format!("{tier} {percent} %")).collect();
        rows.push(("tiers", format!("{} of that price", tiers.join(", "))));
    }
    rows.extend([
        ("tokens", format!("{} for each of {}", model.token_ratio, model.encoding.as_str())),
        ("temperature", if model.temperature { "accepted" } else { "not accepted" }.to_owned()),
        ("as of", model.as_of.clone().unwrap_or(NONE.to_owned())),
        ("source", source(model, file).to_owned()),
    ]);
    rows.extend(model.note.clone().map(|note| ("note", note)));
    rows.iter().map(|(name, value)| format!("{name:11}  {}\n", sanitize_line(value))).collect()
}
