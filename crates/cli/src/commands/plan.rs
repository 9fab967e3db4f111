//! `war-rig plan`: what `document` would do, with exact prompt tokens, without calling a model.

use crate::args::{OutputFormat, PlanArgs};
use crate::batches::BatchCounter;
use crate::changed_sources::find_changes;
use crate::commands::document::warn_of_secrets;
use crate::configured_model::{ConfiguredModel, CostEstimate};
use crate::exit::ExitStatus;
use crate::failure::CommandError;
use crate::printer::{Printer, sanitize_line};
use crate::settings::{BatchAgain, Provider, ScribeSettings, Settings};
use crate::sources::Inventory;
use crate::window_estimates;
use serde::Serialize;
use std::fmt::Write;
use war_rig_estate::{BusinessFunctions, ChangedFiles, EstateGraph};
use war_rig_llm::Money;
use war_rig_pool::{
    LoadedSource, Planner, Route, SourceError, SourceId, SourcePlan, Sources, for_each_ordered, load_source,
    read_affected_sources,
};

/// Plans the sources that the arguments name.
///
/// # Errors
/// Usage failures, and when standard output cannot be written.
pub fn run(args: &PlanArgs, settings: &Settings, printer: &Printer) -> Result<ExitStatus, CommandError> {
    let only = args.pick.globs()?;
    let asks = settings.scribe.provider == Provider::OpenAi;
    let known = if asks { window_estimates::read(&args.state_dir, &settings.scribe)? } else { None };
    let model = ConfiguredModel::new(&settings.scribe, asks, known, printer)?;
    let sources = Inventory::scan_part(&settings.source_paths(&args.paths)?, settings, only.as_ref(), printer)?;
    let planner = model.planner(&settings.scribe, printer)?;
    let changes = find_changes(&args.pick, &sources, &settings.source, printer)?;
    let jobs = args.jobs.get(None);
    let picked = affected_sources(&sources, changes.as_ref(), settings, jobs);
    print_plan((&sources, &picked), &planner, (&model, args.batch), settings, jobs, args.print.format, printer)
}

/// Returns the picked sources that changes affect; all of them when changes are not requested.
pub fn affected_sources(
    sources: &Inventory,
    changes: Option<&ChangedFiles>,
    settings: &Settings,
    jobs: usize,
) -> Vec<SourceId> {
    let mut picked = sources.picked.clone();
    if let Some(changes) = changes {
        let options = settings.source_options();
        let affected = read_affected_sources(changes, &sources.all_sources(), sources, &options, jobs);
        picked.retain(|id| affected.contains(&id.0));
    }
    picked
}

/// Plans picked sources, at most `jobs` at a time, and prints the plan.
///
/// # Errors
/// When standard output cannot be written.
pub fn print_plan(
    (sources, picked): (&Inventory, &[SourceId]),
    planner: &Planner,
    (model, is_batch): (&ConfiguredModel, bool),
    settings: &Settings,
    jobs: usize,
    format: OutputFormat,
    printer: &Printer,
) -> Result<ExitStatus, CommandError> {
    let mut plan = DocumentPlan::new(planner, model, settings);
    let mut failed = false;
    let counter = is_batch.then(|| BatchCounter::new(&settings.scribe, model)).transpose()?;
    let mut sizes = Vec::new();
    // Of a part of the estate, nobody knows which functions change.
    let writes_words = settings.writes_about_functions() && picked.len() == sources.all_sources().len();
    let mut surveys = Vec::new();
    let options = settings.source_options();
    let work = |id: &SourceId| {
        let source = load_source(sources, id, &options)?;
        let secrets = source.secret_lines();
        let survey = writes_words.then(|| source.survey(sources.kind(id)));
        let planned = match source {
            LoadedSource::Cobol(prepared) => {
                let plan = planner.plan(&prepared);
                let sizes = counter.as_ref().map(|counter| counter.sizes(planner, &prepared, &plan));
                Ok((plan, sizes))
            }
            LoadedSource::NonCobol(surrounding) => Err(surrounding.found.kind().in_words()),
        };
        Ok((planned, secrets, survey))
    };
    for_each_ordered(picked, jobs, work, |id, planned| match planned.unwrap_or_else(|defect| Err(defect.into())) {
        Ok((planned, secrets, survey)) => {
            surveys.extend(survey);
            match planned {
                Ok((planned, batched)) => {
                    plan.add(&id.0, &planned, model.cost(&settings.scribe, &planned, is_batch));
                    sizes.extend(batched.map(|batched| (id.0.clone(), batched)));
                }
                Err(kind) => plan.without_calls.push(WithoutCalls { file: id.0.clone(), kind }),
            }
            warn_of_secrets(&id.0, &secrets, settings, printer);
        }
        Err(error) => {
            failed |= !matches!(error, SourceError::Unrecognized(_));
            plan.skipped.push(SkippedFile { file: id.0.clone(), reason: error.to_string() });
        }
    });
    failed |= plan.files.iter().any(|file| file.chunks.iter().any(|chunk| !chunk.fits));
    if writes_words {
        let graph = EstateGraph::of(surveys);
        let functions = BusinessFunctions::of(&graph, &settings.output.functions).functions;
        let several = functions.iter().filter(|function| function.has_several_sources(&graph)).count() as u64;
        // And one for the system.
        let calls = several + several.min(1);
        let in_batch = is_batch && settings.scribe.batch_again == BatchAgain::Batch;
        plan.add_about_estate(calls, model.cost_about_estate(&settings.scribe, calls, planner, in_batch)?);
    }
    if let Some(counter) = counter {
        plan.totals.batches = Some(counter.batches(sizes) + later_batches(&plan, &settings.scribe));
    }
    match format {
        OutputFormat::Text => printer.data(&plan.to_text())?,
        OutputFormat::Json => printer.json(&plan)?,
    }
    if let (Some(cost), Some(cap)) = (plan.totals.cost_usd, settings.scribe.budget)
        && cost > cap
    {
        printer.warn(&format!(
            "the run is expected to cost {cost} USD and may cost {cap}; it would end before all is done"
        ));
    }
    Ok(if failed || !sources.unlisted.is_empty() { ExitStatus::TicketsFailed } else { ExitStatus::Ok })
}

/// Returns the number of batches that are asked for when all chunks are answered: overviews are written by another model perhaps, and so in batches of
/// their own, and the system is told over what was written about its functions.
fn later_batches(plan: &DocumentPlan, scribe: &ScribeSettings) -> u64 {
    let calls = [plan.totals.overview_calls, plan.totals.estate_calls];
    let batches = calls.map(|calls| calls.div_ceil(scribe.batch_requests.get() as u64));
    match scribe.batch_again {
        BatchAgain::Batch => batches.iter().sum::<u64>() + u64::from(plan.totals.estate_calls > 0),
        BatchAgain::Calls => 0,
    }
}

#[derive(Serialize)]
struct DocumentPlan {
    provider: &'static str,
    /// The model that is called; `None` when no model is called.
    model: Option<String>,
    /// The model's tokens for each token of the encoding. The counts below are in tokens of the encoding.
    token_ratio: f64,
    encoding: &'static str,
    max_prompt_tokens: u64,
    max_completion_tokens: u64,
    fixed_tokens: u64,
    files: Vec<PlannedFile>,
    /// Sources that are not COBOL, which their readers document without a call.
    without_calls: Vec<WithoutCalls>,
    skipped: Vec<SkippedFile>,
    totals: PlanTotals,
}

#[derive(Default, Serialize)]
struct PlanTotals {
    files: u64,
    direct: u64,
    chunked: u64,
    calls: u64,
    ideal_calls: u64,
    /// Those of the calls that write overviews of files with several chunks.
    overview_calls: u64,
    /// Those that write about business functions and the system.
    estate_calls: u64,
    source_tokens: u64,
    /// The exact tokens of the prompts of chunks.
    prompt_tokens: u64,
    /// The most tokens of the prompts of overviews.
    max_overview_prompt_tokens: u64,
    largest_prompt_tokens: u64,
    prompts_over_budget: u64,
    expected_completion_tokens: u64,
    /// The cost of the calls with answers of the expected length; `None` when the model's price is unknown.
    cost_usd: Option<Money>,
    /// The cost with answers of the maximum length.
    max_cost_usd: Option<Money>,
    /// The batches in which the questions go: those about chunks, and then the overviews, as far as their number decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    batches: Option<u64>,
}

#[derive(Serialize)]
struct WithoutCalls {
    file: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct PlannedFile {
    file: String,
    route: Route,
    reason: String,
    calls: u64,
    ideal_calls: u64,
    overview_calls: u64,
    source_tokens: u64,
    source_share: u64,
    prompt_tokens: u64,
    max_overview_prompt_tokens: u64,
    expected_completion_tokens: u64,
    cost_usd: Option<Money>,
    max_cost_usd: Option<Money>,
    chunks: Vec<PlannedPrompt>,
}

#[derive(Serialize)]
struct PlannedPrompt {
    chunk_id: String,
    start_line: u32,
    end_line: u32,
    context_type: &'static str,
    parent_context: String,
    source_tokens: u64,
    context_tokens: u64,
    context_left_out: u64,
    prompt_tokens: u64,
    fits: bool,
    labels: Vec<String>,
}

#[derive(Serialize)]
struct SkippedFile {
    file: String,
    reason: String,
}

impl DocumentPlan {
    fn new(planner: &Planner, model: &ConfiguredModel, settings: &Settings) -> Self {
        let budget = planner.budget();
        Self {
            provider: settings.scribe.provider.as_str(),
            model: (settings.scribe.provider != Provider::Static).then(|| settings.scribe.model.clone()),
            token_ratio: model.ratio,
            encoding: planner.renderer().counter().encoding().as_str(),
            max_prompt_tokens: budget.max_prompt().get(),
            max_completion_tokens: budget.max_completion().get(),
            fixed_tokens: budget.allocation().fixed.total().get(),
            files: Vec::new(),
            without_calls: Vec::new(),
            skipped: Vec::new(),
            totals: PlanTotals {
                cost_usd: Some(Money::ZERO),
                max_cost_usd: Some(Money::ZERO),
                ..PlanTotals::default()
            },
        }
    }

    /// Adds the calls about business functions and the system.
    fn add_about_estate(&mut self, calls: u64, cost: Option<CostEstimate>) {
        let totals = &mut self.totals;
        totals.calls += calls;
        totals.estate_calls = calls;
        totals.cost_usd = totals.cost_usd.zip(cost).map(|(all, cost)| all + cost.expected);
        totals.max_cost_usd =
            totals.max_cost_usd.zip(cost.and_then(|cost| cost.highest)).map(|(all, highest)| all + highest);
    }

    fn add(&mut self, file: &str, plan: &SourcePlan, cost: Option<CostEstimate>) {
        let totals = &mut self.totals;
        totals.files += 1;
        match plan.route {
            Route::Direct => totals.direct += 1,
            Route::Chunked => totals.chunked += 1,
        }
        totals.calls += plan.calls();
        totals.ideal_calls += plan.ideal_calls;
        totals.source_tokens += plan.source_tokens.get();
        totals.prompt_tokens += plan.prompt_tokens().get();
        totals.overview_calls += plan.overview_calls();
        let overview_prompt = plan.overview_prompt.unwrap_or_default().get();
        totals.max_overview_prompt_tokens += overview_prompt;
        totals.largest_prompt_tokens = totals.largest_prompt_tokens.max(plan.largest_prompt().get());
        totals.expected_completion_tokens += plan.answer_tokens.get();
        let (expected, highest) = (cost.map(|cost| cost.expected), cost.and_then(|cost| cost.highest));
        let sum = |all: Option<Money>, one: Option<Money>| all.zip(one).map(|(all, one)| all + one);
        totals.cost_usd = sum(totals.cost_usd, expected);
        totals.max_cost_usd = sum(totals.max_cost_usd, highest);
        let chunks = plan.chunks.iter().map(|planned| PlannedPrompt {
            chunk_id: planned.chunk.chunk_id.clone(),
            start_line: planned.chunk.lines.start().get(),
            end_line: planned.chunk.lines.end().get(),
            context_type: planned.chunk.context_type.as_str(),
            parent_context: planned.chunk.parent_context.clone(),
            source_tokens: planned.chunk.estimated_tokens.get(),
            context_tokens: planned.context.tokens().get(),
            context_left_out: planned.context.omitted(),
            prompt_tokens: planned.prompt_tokens.get(),
            fits: planned.chunk.fits,
            labels: planned.chunk.labels.clone(),
        });
        self.files.push(PlannedFile {
            file: file.to_owned(),
            route: plan.route,
            reason: plan.reason.clone(),
            calls: plan.calls(),
            ideal_calls: plan.ideal_calls,
            overview_calls: plan.overview_calls(),
            source_tokens: plan.source_tokens.get(),
            source_share: plan.source_share.get(),
            prompt_tokens: plan.prompt_tokens().get(),
            max_overview_prompt_tokens: overview_prompt,
            expected_completion_tokens: plan.answer_tokens.get(),
            cost_usd: expected,
            max_cost_usd: highest,
            chunks: chunks.collect(),
        });
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        let width = self.files.iter().map(|file| sanitize_line(&file.file).chars().count()).max().unwrap_or(4).max(4);
        let mut line = |line: String| {
            text.push_str(line.trim_end());
            text.push('\n');
        };
        line(format!(
            "{:width$}  {:7}  {:>5}  {:>5}  {:>13}  {:>13}",
            "file", "route", "calls", "ideal", "source tokens", "prompt tokens"
        ));
        for file in &self.files {
            let route = match file.route {
                Route::Direct => "direct",
                Route::Chunked => "chunked",
            };
            line(format!(
                "{:width$}  {route:7}  {:>5}  {:>5}  {:>13}  {:>13}",
                sanitize_line(&file.file),
                file.calls,
                file.ideal_calls,
                file.source_tokens,
                file.prompt_tokens
            ));
            for part in file.chunks.iter().filter(|_| file.route == Route::Chunked) {
                let lines = format!("{}-{}", part.start_line, part.end_line);
                let over = if part.fits { "" } else { "  over the budget: this line cannot be documented" };
                line(format!(
                    "  {}  lines {lines:13}  {:9}  {:>6} source  {:>6} prompt{over}",
                    sanitize_line(&part.chunk_id),
                    part.context_type,
                    part.source_tokens,
                    part.prompt_tokens
                ));
            }
        }
        for read in &self.without_calls {
            line(format!("{}: {}, documented without a call", sanitize_line(&read.file), read.kind));
        }
        for skipped in &self.skipped {
            line(format!("{}: not planned: {}", sanitize_line(&skipped.file), sanitize_line(&skipped.reason)));
        }
        let totals = &self.totals;
        self.overviews_text().into_iter().for_each(&mut line);
        self.estate_text().into_iter().for_each(&mut line);
        if let Some(model) = self.model.as_deref().filter(|_| self.token_ratio != 1.0) {
            line(format!(
                "each token of {} is counted as {} of `{}`: prompts hold {} of them and answers {}",
                self.encoding,
                self.token_ratio,
                sanitize_line(model),
                self.max_prompt_tokens,
                self.max_completion_tokens
            ));
        }
        let mut summary = String::new();
        write!(
            summary,
            "{} files ({} direct, {} chunked): {} calls where {} are the fewest possible, {} prompt tokens, largest prompt {} of {}, {}",
            totals.files,
            totals.direct,
            totals.chunked,
            totals.calls,
            totals.ideal_calls,
            totals.prompt_tokens,
            totals.largest_prompt_tokens,
            self.max_prompt_tokens,
            self.cost_text()
        )
        .expect("a string takes every write");
        line(summary);
        text
    }

    /// Tells how many calls write overviews; none if there are none.
    fn overviews_text(&self) -> Option<String> {
        let overviews = match self.totals.overview_calls {
            0 => return None,
            1 => "1 of the calls writes the overview of a file of several chunks".to_owned(),
            calls => format!("{calls} of the calls write the overviews of files of several chunks"),
        };
        let bound = self.totals.max_overview_prompt_tokens;
        Some(format!("{overviews}, with at most {bound} prompt tokens besides those of the chunks"))
    }

    /// Tells how many calls write about functions and the system; none if there are none.
    fn estate_text(&self) -> Option<String> {
        let functions = self.totals.estate_calls.checked_sub(1)?;
        Some(match functions {
            1 => "2 of the calls write what the business function of several sources and the system are for".to_owned(),
            _ => format!(
                "{} of the calls write what {functions} business functions and the system are for",
                functions + 1
            ),
        })
    }

    /// Formats the cost of the run.
    fn cost_text(&self) -> String {
        let who = match &self.model {
            Some(model) => format!("{}, {}", self.provider, sanitize_line(model)),
            None => self.provider.to_owned(),
        };
        let who = match self.totals.batches {
            None => who,
            Some(1) => format!("{who}, in 1 batch"),
            Some(batches) if self.totals.overview_calls + self.totals.estate_calls == 0 => {
                format!("{who}, in {batches} batches")
            }
            // How long the overviews' prompts are is seen when they are written.
            Some(batches) => format!("{who}, in at least {batches} batches"),
        };
        match (self.totals.cost_usd, self.totals.max_cost_usd) {
            (None, _) => {
                let model = sanitize_line(self.model.as_deref().unwrap_or_default());
                format!("cost unknown: no price for `{model}`; add it to scribe.models")
            }
            (Some(cost), Some(highest)) if cost < highest => {
                format!("cost {cost} USD expected and {highest} at most, without calls for repair ({who})")
            }
            (Some(cost), _) => format!("cost {cost} USD ({who})"),
        }
    }
}
