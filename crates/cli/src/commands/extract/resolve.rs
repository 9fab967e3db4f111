//! Combines the command line, the agent and the settings: the extractor, the division of the input, and the prompt's limits.

use crate::args::{ExtractArgs, MergeName};
use crate::configured_model::{load_registry, to_encoding_tokens};
use crate::failure::Failure;
use crate::settings::{Provider, ScribeSettings};
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::Path;
use war_rig_estimator::{ChunkSize, TokenCount};
use war_rig_llm::ModelInfo;
use war_rig_paginate::{Agent, AgentModel, MergeMethod, Pagination, PartOrder};

/// The minimum share of a window that is reserved for the answer: one part in this many.
const ANSWER_SHARE: u64 = 5;

/// The kind of extractor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractorChoice {
    /// The patterns of the agent: no model is called.
    Patterns,
    /// A model, or a record of its answers.
    Model,
}

/// The limits of a call, in tokens of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// The most tokens of a prompt.
    pub prompt: NonZeroU32,
    /// The most tokens of an answer.
    pub answer: NonZeroU32,
    /// The most tokens of the input in a prompt; `None` when only the prompt's limit applies.
    pub part: Option<NonZeroU64>,
}

/// Returns the extractor for this provider. A plan calls no model, so it can be made for an agent without an extractor.
///
/// # Errors
/// A usage failure when there is no extractor.
pub fn choose_extractor(provider: Provider, agent: &Agent, is_plan: bool) -> Result<ExtractorChoice, Failure> {
    match provider {
        Provider::OpenAi | Provider::Replay => Ok(ExtractorChoice::Model),
        Provider::Static if !agent.patterns.is_empty() => Ok(ExtractorChoice::Patterns),
        Provider::Static if is_plan => Ok(ExtractorChoice::Model),
        Provider::Static => Err(Failure::usage(format!(
            "the agent `{}` needs a model: its schema has no `x-pattern`, and scribe.provider is `static`",
            agent.name
        ))
        .with_hint(
            "set scribe.provider to `openai`, with scribe.base_url and scribe.model, or add --scribe openai; --dry-run says what it would take",
        )),
    }
}

/// Returns the number of concurrent calls. A local model is called one call at a time, unless the user has set another number.
pub fn concurrency(scribe: &ScribeSettings, args: &ExtractArgs) -> NonZeroUsize {
    let is_told = scribe.limits_set.concurrency || args.order == Some(PartOrder::Parallel);
    if scribe.is_own_model() && !is_told { NonZeroUsize::MIN } else { scribe.concurrency }
}

/// Returns how the input is divided and how answers are merged: the agent's definition, overridden by the arguments.
///
/// # Errors
/// A usage failure for conflicting arguments, and for a program that cannot be read.
pub fn pagination(args: &ExtractArgs, agent: &Agent) -> Result<Pagination, Failure> {
    let own = &agent.pagination;
    let carry = args.carry || (own.carry && args.order != Some(PartOrder::Parallel));
    if args.carry && args.order == Some(PartOrder::Parallel) {
        return Err(Failure::usage(
            "`--carry` asks one part after the other, so `--order parallel` cannot stand beside it",
        )
        .with_hint("leave out one of them"));
    }
    let merge = merge_by(args, &own.merge, &agent.name)?;
    Ok(Pagination {
        paginate: args.paginate.unwrap_or(own.paginate),
        chunk_size: args.chunk_size.or(own.chunk_size),
        max_records: args.max_records.or(own.max_records),
        overlap: args.overlap.or(own.overlap),
        pages_per_chunk: args.pages_per_chunk.unwrap_or(own.pages_per_chunk),
        order: if carry { PartOrder::Sequential } else { args.order.unwrap_or(own.order) },
        carry,
        include_chunk_metadata: own.include_chunk_metadata && !args.no_chunk_metadata,
        merge,
        on_failure: args.on_failure.unwrap_or(own.on_failure),
    })
}

/// Refuses what cannot be asked in batches, where a part's answer may take a day.
///
/// # Errors
/// A usage failure with the reason.
pub fn may_wait(args: &ExtractArgs, pagination: &Pagination) -> Result<(), Failure> {
    if pagination.order == PartOrder::Sequential {
        return Err(Failure::usage(
            "`--batch`: each part is asked after the one before, so that each would take a day",
        )
        .with_hint("add --order parallel, or leave out --batch"));
    }
    if args.batch.wait && args.file().is_none() {
        return Err(Failure::usage("`--wait`: standard input is read once, and the answers need it again")
            .with_hint("name a file with --input, or give the command again later"));
    }
    Ok(())
}

fn merge_by(args: &ExtractArgs, own: &MergeMethod, agent: &str) -> Result<MergeMethod, Failure> {
    let strategy = args.merge_strategy.map(MergeName::strategy);
    match (strategy, &args.merge_program) {
        (None | Some(None), Some(file)) => program(file).map(MergeMethod::Program),
        (Some(Some(_)), Some(_)) => Err(Failure::usage(
            "`--merge-program`: a program merges in place of a strategy, so that only `--merge-strategy custom` can stand beside it",
        )
        .with_hint("leave out one of them")),
        (Some(Some(strategy)), None) => Ok(MergeMethod::Strategy(strategy)),
        (None, None) => Ok(own.clone()),
        (Some(None), None) => match own {
            MergeMethod::Program(_) => Ok(own.clone()),
            MergeMethod::Strategy(_) => Err(Failure::usage(format!(
                "`--merge-strategy custom`: the agent `{agent}` has no program"
            ))
            .with_hint("name the file of one with --merge-program FILE")),
        },
    }
}

fn program(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|error| {
        Failure::cannot_read(file, error)
            .with_hint("--merge-program names a file that holds a program in the language of jq")
    })
}

/// Returns the settings for this agent, and the most tokens of a prompt and of the input in it, in tokens of the encoding. The agent's model applies
/// unless the command line names one, and the model defines the limits of a call unless the user has set them.
///
/// # Errors
/// A usage failure when the prompt's limit is unknown, and when the user's file of models is invalid.
pub fn scribe(
    settings: &ScribeSettings,
    args: &ExtractArgs,
    agent: &Agent,
    who: ExtractorChoice,
) -> Result<(ScribeSettings, Option<NonZeroU64>), Failure> {
    let mut scribe = settings.clone();
    if let (Some(model), None) = (&agent.model, &args.scribe.options.scribe.model) {
        scribe.model.clone_from(&model.name);
    }
    for_model(scribe, agent, who)
}

/// Like [`scribe`], for a known model: that of the settings.
///
/// # Errors
/// As [`scribe`].
pub fn for_model(
    mut scribe: ScribeSettings,
    agent: &Agent,
    who: ExtractorChoice,
) -> Result<(ScribeSettings, Option<NonZeroU64>), Failure> {
    let own = agent.model.as_ref().filter(|model| model.name == scribe.model);
    let registry = load_registry(&scribe)?;
    let limits = limits(&scribe, own, registry.find(&scribe.model), who)?;
    (scribe.max_prompt_tokens, scribe.max_completion_tokens) = (limits.prompt, limits.answer);
    Ok((scribe, limits.part))
}

/// Returns the limits of a call. The user's settings take precedence over limits derived from the model's window, of which the larger of a fifth and
/// the longest answer is reserved for the answer.
fn limits(
    scribe: &ScribeSettings,
    own: Option<&AgentModel>,
    info: Option<&ModelInfo>,
    who: ExtractorChoice,
) -> Result<CallLimits, Failure> {
    let name = &scribe.model;
    let window = info.map(|info| info.context_window.get());
    let window = window.or(own.and_then(|own| own.context_window).map(NonZeroU64::get));
    let answer = match own.and_then(|own| own.max_completion_tokens) {
        Some(answer) => narrow(answer.get()),
        None if scribe.limits_set.answer => scribe.max_completion_tokens,
        None => {
            // The default is for large models: others get less, and half a window is left for the prompt.
            let usual = u64::from(scribe.max_completion_tokens.get());
            let given = info.map_or(usual, |info| info.max_output.get());
            narrow(usual.min(given).min(window.map_or(usual, |window| window / 2)))
        }
    };
    let part = window.and_then(part_of);
    if scribe.limits_set.prompt {
        return Ok(CallLimits { prompt: scribe.max_prompt_tokens, answer, part });
    }
    let prompt = match (window, who) {
        (Some(window), _) => {
            let kept = window.div_ceil(ANSWER_SHARE).max(answer.get().into());
            let prompt = window.saturating_sub(kept);
            u32::try_from(prompt.min(u32::MAX.into())).ok().and_then(NonZeroU32::new).ok_or_else(|| {
                Failure::usage(format!(
                    "an answer of {answer} tokens leaves nothing for a prompt in the window of `{name}`, which has {window}"
                ))
                .with_hint("lower scribe.max_completion_tokens, or set scribe.max_prompt_tokens")
            })?
        }
        // Without a model, the prompt has the configured size.
        (None, ExtractorChoice::Patterns) => scribe.max_prompt_tokens,
        (None, ExtractorChoice::Model) => {
            return Err(Failure::usage(format!("how large a prompt `{name}` takes is not known")).with_hint(
                "set it with --max-prompt-tokens or scribe.max_prompt_tokens, give the model's context_window in the agent's file, or add the model to the file that scribe.models names",
            ));
        }
    };
    Ok(CallLimits { prompt, answer, part })
}

/// Returns the most tokens of an input in a prompt, for this window; `None` when the window is too small.
fn part_of(window: u64) -> Option<NonZeroU64> {
    NonZeroU64::new(ChunkSize::default().within(TokenCount::new(window)).get())
}

fn narrow(tokens: u64) -> NonZeroU32 {
    u32::try_from(tokens).ok().and_then(NonZeroU32::new).unwrap_or(if tokens == 0 {
        NonZeroU32::MIN
    } else {
        NonZeroU32::MAX
    })
}

/// Returns the most tokens of a prompt and of the input in it, in tokens of the encoding.
pub fn token_limits(scribe: &ScribeSettings, part: Option<NonZeroU64>, ratio: f64) -> (TokenCount, TokenCount) {
    let prompt = to_encoding_tokens(TokenCount::new(scribe.max_prompt_tokens.get().into()), ratio);
    let part = part.map(|part| to_encoding_tokens(TokenCount::new(part.get()), ratio));
    (prompt, part.unwrap_or(prompt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, CliCommand};
    use crate::settings::{ConfigFile, Settings, combine};
    use serde_json::json;
    use std::path::PathBuf;
    use war_rig_llm::ModelRegistry;
    use war_rig_paginate::{MergeStrategy, OnFailure, PagesPerChunk, PaginationMode};

    fn args(line: &str) -> ExtractArgs {
        let words = ["war-rig", "extract", "a", "List it", "--input", "b"];
        match Cli::parse_in(Path::new(""), words.into_iter().chain(line.split_whitespace())).unwrap().command {
            CliCommand::Extract(args) => *args,
            other => panic!("not extract: {other:?}"),
        }
    }

    fn scribe_of(file: &str, line: &str) -> ScribeSettings {
        let text = format!("[scribe]\n{file}\n");
        let file = ConfigFile { name: "war_rig.toml".into(), folder: PathBuf::new(), text };
        Settings::resolve(&combine(Some(file), [], args(line).options()).unwrap()).unwrap().scribe
    }

    fn limits_of(file: &str, line: &str, own: Option<(u64, Option<u64>)>) -> Result<(u32, u32, Option<u64>), Failure> {
        let scribe = scribe_of(file, line);
        let own = own.map(|(window, answer)| AgentModel {
            name: scribe.model.clone(),
            context_window: NonZeroU64::new(window),
            max_completion_tokens: answer.and_then(NonZeroU64::new),
        });
        let registry = ModelRegistry::built_in();
        let limits = limits(&scribe, own.as_ref(), registry.find(&scribe.model), ExtractorChoice::Model)?;
        Ok((limits.prompt.get(), limits.answer.get(), limits.part.map(NonZeroU64::get)))
    }

    #[test]
    fn a_prompt_takes_the_window_but_for_the_answer() {
        let check = |file: &str, line: &str, own, expected: (u32, u32, Option<u64>)| {
            assert_eq!(limits_of(file, line, own).unwrap(), expected, "{file} {line}");
        };
        // A fifth of 128,000, which is more than the answer.
        check("", "", None, (102_400, 16_000, Some(100_900)));
        check("model = \"claude-sonnet-4-5\"", "", None, (160_000, 16_000, Some(158_500)));
        // A user's setting takes precedence, from any place, even when it equals the default.
        check("max_prompt_tokens = 15000", "", None, (15_000, 16_000, Some(100_900)));
        check("", "--max-prompt-tokens 900", None, (900, 16_000, Some(100_900)));
        check("max_completion_tokens = 60000", "", None, (68_000, 60_000, Some(100_900)));
        // The agent knows the window when the registry does not, and its answer limit takes precedence over the settings.
        check("model = \"m\"", "", Some((32_000, None)), (16_000, 16_000, Some(24_100)));
        check("model = \"m\"", "", Some((32_000, Some(4000))), (25_600, 4000, Some(24_100)));
        check("model = \"gpt-4o\"", "", Some((32_000, None)), (102_400, 16_000, Some(100_900)));
        // Half of a small window is left for the prompt; a window that is too small gives no limit for the input.
        check("model = \"m\"", "", Some((1500, None)), (750, 750, None));
        check("model = \"m\"\nmax_prompt_tokens = 700", "", None, (700, 16_000, None));
    }

    #[test]
    fn a_window_that_nobody_knows_is_asked_for() {
        let unknown = limits_of("model = \"llama\"", "", None).unwrap_err();
        assert_eq!(unknown.line(), "how large a prompt `llama` takes is not known");
        assert!(unknown.hint().unwrap().starts_with("set it with --max-prompt-tokens"));
        let full = limits_of("model = \"m\"\nmax_completion_tokens = 9000", "", Some((8000, None))).unwrap_err();
        assert!(full.line().starts_with("an answer of 9000 tokens leaves nothing"), "{}", full.line());
        let scribe = scribe_of("model = \"llama\"", "");
        assert_eq!(limits(&scribe, None, None, ExtractorChoice::Patterns).unwrap().prompt.get(), 15_000);
    }

    fn agent(merge: MergeMethod) -> Agent {
        Agent {
            name: "a".to_owned(),
            description: String::new(),
            system: String::new(),
            schema: json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}}),
            model: Some(AgentModel { name: "gpt-4.1".to_owned(), context_window: None, max_completion_tokens: None }),
            pagination: Pagination {
                paginate: PaginationMode::Always,
                chunk_size: NonZeroU64::new(500),
                max_records: None,
                overlap: Some(10),
                pages_per_chunk: PagesPerChunk::Auto,
                order: PartOrder::Sequential,
                carry: true,
                include_chunk_metadata: true,
                merge,
                on_failure: OnFailure::Partial,
            },
            audit: Vec::new(),
            patterns: Vec::new(),
        }
    }

    #[test]
    fn arguments_go_before_the_agent() {
        let of = |line: &str| pagination(&args(line), &agent(MergeMethod::Strategy(MergeStrategy::Merge))).unwrap();
        assert_eq!(of(""), agent(MergeMethod::Strategy(MergeStrategy::Merge)).pagination);
        let over = of(
            "--paginate never --chunk-size 7 --max-records 3 --overlap 0 --pages-per-chunk 2 --order parallel --no-chunk-metadata --merge-strategy last --on-failure fail",
        );
        let expected = Pagination {
            paginate: PaginationMode::Never,
            chunk_size: NonZeroU64::new(7),
            max_records: NonZeroU64::new(3),
            overlap: Some(0),
            pages_per_chunk: PagesPerChunk::Count(NonZeroU64::new(2).unwrap()),
            order: PartOrder::Parallel,
            carry: false,
            include_chunk_metadata: false,
            merge: MergeMethod::Strategy(MergeStrategy::Last),
            on_failure: OnFailure::Fail,
        };
        assert_eq!(over, expected);
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("merge.jq");
        std::fs::write(&program, "add").unwrap();
        let file = program.display();
        let of = |line: &str, own: MergeMethod| pagination(&args(line), &agent(own));
        let plain = || MergeMethod::Strategy(MergeStrategy::Merge);
        let own = || MergeMethod::Program("first".to_owned());
        let refused = |line: &str, said: &str| {
            let failure = of(line, plain()).unwrap_err();
            assert!(failure.line().starts_with(said), "{line}: {}", failure.line());
            assert_eq!(failure.status(), crate::exit::ExitStatus::Usage);
        };
        refused("--carry --order parallel", "`--carry` asks one part after the other");
        refused("--merge-strategy custom", "`--merge-strategy custom`: the agent `a` has no program");
        refused("--merge-program no-such-file", "cannot read `no-such-file`");
        refused(&format!("--merge-strategy first --merge-program {file}"), "`--merge-program`: ");
        let merge = |line: &str, own| of(line, own).unwrap().merge;
        assert_eq!(merge(&format!("--merge-program {file}"), plain()), MergeMethod::Program("add".to_owned()));
        assert_eq!(merge("--merge-strategy custom", own()), own());
        assert_eq!(merge("", own()), own());
        assert_eq!(merge("--merge-strategy first", own()), MergeMethod::Strategy(MergeStrategy::First));
    }

    #[test]
    fn the_model_is_that_of_the_command_line_then_that_of_the_agent() {
        let name = |line: &str| {
            let settings = scribe_of("model = \"gpt-5\"", line);
            let agent = agent(MergeMethod::Strategy(MergeStrategy::Merge));
            scribe(&settings, &args(line), &agent, ExtractorChoice::Model).unwrap().0.model
        };
        assert_eq!(name(""), "gpt-4.1");
        assert_eq!(name("--model gpt-4o"), "gpt-4o");
    }

    #[test]
    fn without_a_model_an_agent_needs_patterns() {
        let agent = agent(MergeMethod::Strategy(MergeStrategy::Merge));
        let refused = choose_extractor(Provider::Static, &agent, false).unwrap_err();
        assert!(refused.line().starts_with("the agent `a` needs a model"), "{}", refused.line());
        assert!(refused.hint().unwrap().contains("scribe.provider"));
        assert_eq!(choose_extractor(Provider::Static, &agent, true).unwrap(), ExtractorChoice::Model);
        assert_eq!(choose_extractor(Provider::OpenAi, &agent, false).unwrap(), ExtractorChoice::Model);
        let pattern =
            war_rig_paginate::FieldPattern { path: "/items".to_owned(), pattern: regex::Regex::new("x").unwrap() };
        let able = Agent { patterns: vec![pattern], ..agent };
        assert_eq!(choose_extractor(Provider::Static, &able, false).unwrap(), ExtractorChoice::Patterns);
        assert_eq!(choose_extractor(Provider::Replay, &able, false).unwrap(), ExtractorChoice::Model);
    }

    #[test]
    fn tokens_of_the_model_are_counted_in_the_encoding() {
        let scribe = scribe_of("max_prompt_tokens = 1350", "");
        let of = |part, ratio| {
            let (prompt, part) = token_limits(&scribe, part, ratio);
            (prompt.get(), part.get())
        };
        assert_eq!(of(None, 1.0), (1350, 1350));
        assert_eq!(of(NonZeroU64::new(270), 1.35), (1000, 200));
    }
}
