//! Every prompt of the fixtures: within its budget, counted exactly, and its block readable.

use crate::tokens;
use serde_json::{Value, json};
use war_rig_chunker::{ChunkLimits, SourceMeasure, chunk};
use war_rig_estimator::{TokenCount, TokenizerEncoding};
use war_rig_pool::{ParsedSource, Planner, Route, SourcePlan};
use war_rig_tests::{ContextBlock, MemorySources, Sandbox, SourceBlock, fixtures, planner};

/// A program of the fixtures that is small enough to be read in a snapshot.
const SMALL: &str = "cbl/DUEDATES.cbl";

/// The smallest budget there is.
const SMALLEST_BUDGET: u64 = 3496;

/// A text as `json.dumps` writes it: a blank after every comma and colon.
fn dumped(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(dumped).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| format!("{}: {}", json!(name), dumped(field)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}

fn user(planner: &Planner, prepared: &ParsedSource, plan: &SourcePlan, index: usize) -> String {
    let (planned, limit) = (&plan.chunks[index], planner.budget().max_prompt());
    let (chunk, context) = (&planned.chunk, &planned.context);
    let prompt = planner.renderer().render(&prepared.source, chunk, context, index, plan.chunks.len(), limit).unwrap();
    prompt.user().to_owned()
}

/// Asserts what holds of the context of a prompt. Gives its tokens.
#[track_caller]
fn check_context(user: &str, what: &str, whole: bool) -> u64 {
    let blocks = ContextBlock::parse_all(user).unwrap_or_else(|error| panic!("{what}: {error}"));
    let of_whole = |block: &ContextBlock| matches!(block.kind.as_str(), "copybooks" | "items");
    assert!(!whole || blocks.iter().all(of_whole), "{what}");
    let start = user.find("<<<CONTEXT ").unwrap_or_default();
    let end = user.find("<<<SOURCE ").filter(|_| !blocks.is_empty()).unwrap_or_default();
    tokens::count(TokenizerEncoding::O200kBase, &user[start..end])
}

/// Renders every prompt of a file, and asserts what holds of each. Gives the tokens of each.
#[track_caller]
fn check_prompts(planner: &Planner, prepared: &ParsedSource, plan: &SourcePlan) -> Vec<u64> {
    let source = &prepared.source;
    let total = plan.chunks.len();
    let limit = planner.budget().max_prompt();
    let rendered = plan.chunks.iter().enumerate().map(|(index, planned)| {
        let what = format!("{} chunk {} of {total} at {limit}", source.name(), index + 1);
        let prompt = planner.renderer().render(source, &planned.chunk, &planned.context, index, total, limit);
        let prompt = prompt.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(prompt.tokens() <= limit, "{what}: {}", prompt.tokens());
        assert_eq!(prompt.tokens(), planned.prompt_tokens, "{what}");
        let parts = [prompt.system(), prompt.schema(), prompt.user()];
        let counted: u64 = parts.iter().map(|part| tokens::count(TokenizerEncoding::O200kBase, part)).sum();
        assert_eq!(prompt.tokens().get(), counted, "{what}");

        let block = SourceBlock::parse(prompt.user()).unwrap_or_else(|error| panic!("{what}: {error}"));
        // No fixture has a character in its name that would be percent-encoded.
        assert_eq!(
            (block.file.as_str(), block.chunk.as_str()),
            (source.name(), format!("{}/{total}", index + 1).as_str())
        );
        let shown: Vec<&str> = source.lines_in(planned.chunk.lines).map(|line| line.visible()).collect();
        assert_eq!(block.rows, shown, "{what}");
        check_context(prompt.user(), &what, total == 1);
        counted
    });
    rendered.collect()
}

#[test]
fn every_prompt_of_the_fixtures_is_within_its_budget_and_counted_exactly() {
    let memory = MemorySources::fixtures();
    let sources: Vec<ParsedSource> = memory.files().keys().map(|name| memory.prepare(name)).collect();
    for budget in [SMALLEST_BUDGET, 6000, 8000, 15_000, 30_000] {
        let planner = planner(budget);
        let place = Sandbox::new();
        let line = format!("plan {{}} --format json --max-prompt-tokens {budget}");
        let printed = place.line(&line, &fixtures()).assert_exit(0).json();
        let files = printed["files"].as_array().unwrap();
        assert_eq!(files.len(), sources.len());
        let mut all = Vec::new();
        for (prepared, file) in sources.iter().zip(files) {
            let tokens = check_prompts(&planner, prepared, &planner.plan(prepared));
            assert_eq!(file["file"], prepared.source.name());
            assert_eq!(file["calls"], tokens.len());
            let chunks = file["chunks"].as_array().unwrap().iter();
            assert_eq!(chunks.map(|chunk| chunk["prompt_tokens"].as_u64().unwrap()).collect::<Vec<_>>(), tokens);
            all.extend(tokens);
        }
        let totals = &printed["totals"];
        assert_eq!([&totals["calls"], &totals["prompt_tokens"]], [all.len() as u64, all.iter().sum()]);
        assert_eq!(totals["largest_prompt_tokens"].as_u64(), all.iter().copied().max());
    }
}

#[test]
fn the_fixed_parts_are_small_and_the_same_bytes_in_every_call() {
    let memory = MemorySources::fixtures();
    let mut fixed = None;
    for budget in [6000, 30_000] {
        let planner = planner(budget);
        let parts = planner.renderer().fixed_parts();
        assert!(parts.total() <= TokenCount::new(2500), "{}", parts.total());
        for name in memory.files().keys() {
            let prepared = memory.prepare(name);
            let plan = planner.plan(&prepared);
            for (index, planned) in plan.chunks.iter().enumerate() {
                let limit = planner.budget().max_prompt();
                let frame = planner.renderer();
                let (chunk, context) = (&planned.chunk, &planned.context);
                let prompt = frame.render(&prepared.source, chunk, context, index, plan.chunks.len(), limit).unwrap();
                let own = (prompt.system().to_owned(), prompt.schema().to_owned());
                assert_eq!(fixed.get_or_insert_with(|| own.clone()), &own, "{name} at {budget}");
            }
        }
    }
    let (_, schema) = fixed.unwrap();
    assert!(schema.is_ascii());
    assert_eq!(schema, dumped(&serde_json::from_str(&schema).unwrap()));
}

#[test]
fn a_direct_prompt_is_this_and_the_budget_changes_nothing_in_it() {
    let memory = MemorySources::fixtures();
    let prepared = memory.prepare(SMALL);
    let at = |budget| {
        let planner = planner(budget);
        let plan = planner.plan(&prepared);
        assert_eq!((plan.route, plan.chunks.len()), (Route::Direct, 1));
        user(&planner, &prepared, &plan, 0)
    };
    let user = at(8000);
    assert_eq!(user, at(30_000));
    insta::assert_snapshot!(user);
}

#[test]
fn a_chunked_file_is_told_in_every_part_what_lies_in_the_others() {
    let memory = MemorySources::fixtures();
    let prepared = memory.prepare("cbl/POLMAINT.cbl");
    let planner = planner(15_000);
    let plan = planner.plan(&prepared);
    assert!(plan.chunks.len() > 2);
    for (index, planned) in plan.chunks.iter().enumerate() {
        let user = user(&planner, &prepared, &plan, index);
        let tokens = check_context(&user, &format!("chunk {index}"), false);
        assert_eq!(tokens, planned.context.tokens().get());
        let blocks = ContextBlock::parse_all(&user).unwrap();
        assert_eq!(
            (blocks[0].kind.as_str(), blocks[0].rows[0].as_str()),
            ("program", "program POLMAINT: online (CICS)")
        );
        let declared = SourceBlock::parse(&user).unwrap().rows;
        let owns = |name: &str| {
            declared.iter().any(|row| row.split_whitespace().nth(1) == Some(name) && row.contains(" PIC "))
        };
        // Every part lists what it has, and a later one is told what the file says of itself.
        let items = blocks.iter().find(|block| block.kind == "items");
        assert!(index == 0 || items.is_some_and(|items| items.rows[0].starts_with('P')), "{index}");
        assert_eq!(index > 0, blocks.iter().any(|block| block.kind == "comment"), "{index}");
        let data = blocks.iter().find(|block| block.kind == "data");
        for row in data.into_iter().flat_map(|block| &block.rows).filter(|row| row.contains(" PIC ")) {
            let name = row.split(' ').nth(1).unwrap();
            assert!(!owns(name), "chunk {index} is told of {name}, which it owns");
        }
    }
    let blocks = ContextBlock::parse_all(&user(&planner, &prepared, &plan, 2)).unwrap();
    let kinds: Vec<&str> = blocks.iter().map(|block| block.kind.as_str()).collect();
    assert!(kinds.contains(&"data") && kinds.contains(&"copybooks") && kinds.contains(&"elsewhere"), "{kinds:?}");
}

#[test]
fn context_costs_no_call() {
    let memory = MemorySources::fixtures();
    let prepared = memory.prepare("cbl/POLMAINT.cbl");
    let ParsedSource { source, analysis, .. } = &prepared;
    for budget in [SMALLEST_BUDGET, 4000, 6000, 8000, 15_000, 30_000] {
        let planner = planner(budget);
        let measure = SourceMeasure::of(source, analysis.parsed(), planner.renderer().counter());
        let plan = planner.plan(&prepared);
        let answer = Some(planner.budget().max_completion());
        let limits = ChunkLimits { source: plan.source_share, answer };
        let without = chunk(source, analysis, &measure, &limits);
        assert_eq!(plan.chunks.len(), without.len(), "{budget}");
    }
}
