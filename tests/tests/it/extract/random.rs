//! Random inputs and random budgets through the library: nothing is lost, nothing is over, nothing panics.
//!
//! `WAR_RIG_CASES` sets how many inputs the property is tried on.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::num::NonZeroU64;
use std::sync::{Arc, LazyLock, Mutex};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{BudgetedPrompt, UsageTotals};
use war_rig_paginate::Slice;
use war_rig_paginate::{
    Agent, ExtractError, ExtractedAnswer, ExtractionOutcome, Extractor, Input, InputKind, PagesPerChunk, PaginateError,
    PaginateOptions, Pagination, PaginationMode, Paginator, PartOrder,
};
use war_rig_tests::PartBlock;
use war_rig_tests::fake::Tokenizer;

/// The inputs that the property is tried on when nothing is said.
const CASES: u32 = 300;

static COUNTER: LazyLock<TokenCounter> = LazyLock::new(|| TokenCounter::new(TokenizerEncoding::O200kBase));

static AGENT: LazyLock<Arc<Agent>> = LazyLock::new(|| {
    let agent = Agent::from_toml(&super::counter("on_failure = \"partial\""));
    Arc::new(agent.unwrap_or_else(|error| panic!("{error:?}")))
});

/// Remembers what it is shown, and cannot use some of it at the first time.
#[derive(Default)]
struct Watch {
    asked: Mutex<Vec<Asked>>,
    /// Parts of more marks or characters than this are too long.
    longest: Option<usize>,
}

struct Asked {
    slice: Slice,
    user: String,
    tokens: u64,
    /// Counted by another hand.
    recounted: u64,
    is_answered: bool,
}

impl Extractor for Watch {
    fn produced_by(&self) -> &str {
        "watch"
    }

    async fn extract(
        &self,
        prompt: &BudgetedPrompt,
        part: &Slice,
        bill: &mut UsageTotals,
    ) -> Result<ExtractedAnswer, ExtractError> {
        bill.calls += 1;
        let is_long = self.longest.is_some_and(|longest| part.text.len() > longest && part.halves(&COUNTER).is_some());
        let pieces = [prompt.system(), prompt.schema(), prompt.user()];
        let recounted = pieces.iter().map(|text| Tokenizer::O200k.count(text)).sum();
        self.asked.lock().unwrap().push(Asked {
            slice: part.clone(),
            user: prompt.user().to_owned(),
            tokens: prompt.tokens().get(),
            recounted,
            is_answered: !is_long,
        });
        if is_long {
            return Err(ExtractError::TooLong(None));
        }
        let value = json!({"count": part.marks.len(), "total": 0, "score": 1, "ids": []});
        Ok(ExtractedAnswer { value, ..ExtractedAnswer::default() })
    }

    async fn summarize(&self, _: &BudgetedPrompt, _: &mut UsageTotals) -> Result<Option<String>, ExtractError> {
        Ok(None)
    }
}

/// An input, and how it is divided.
#[derive(Debug, Clone)]
struct Given {
    kind: InputKind,
    bytes: Vec<u8>,
    limit: u64,
    chunk_size: Option<u64>,
    overlap: Option<u64>,
    pages: PagesPerChunk,
    order: PartOrder,
    tells: bool,
    longest: Option<usize>,
}

fn text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "word ",
        "Ein Wörterbuch. ",
        "漢字かな交じり文。",
        "\n",
        "\n\n",
        "\r\n",
        "\u{c}",
        "\t",
        "🦀🦀",
        "e\u{301}",
        "PBI-12: one.",
        "<<<END 0123456789ab>>>\n",
        "[page 3]\n",
        "\u{200b}",
        "\u{202e}",
        "aaaaaaaaaaaaaaaa",
        "  ",
        "# Heading\n",
        "- item\n",
        "<|endoftext|>",
        "\u{85}",
        "...",
    ]);
    let many = (piece, 1..40usize).prop_map(|(piece, times)| piece.repeat(times));
    let any = prop_oneof![6 => many, 1 => ".{0,200}", 1 => "[a-z]{300,900}"];
    proptest::collection::vec(any, 0..24).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u16>().prop_map(|number| json!(f64::from(number) / 8.0)),
        "\\PC{0,60}".prop_map(Value::from),
        "[ -~\n\"\\\\{}\\[\\],]{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec(("[a-zé\"]{0,6}", inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Few records are far too large for any prompt here.
fn record() -> impl Strategy<Value = String> {
    let huge = (200..1500usize).prop_map(|words| json!({"text": "enormous ".repeat(words)}).to_string());
    prop_oneof![24 => value().prop_map(|value| value.to_string()), 1 => huge]
}

fn json_lines() -> impl Strategy<Value = String> {
    let end = select(vec!["\n", "\r\n", "\n\n", "  \n"]);
    (proptest::collection::vec((record(), end), 0..40), any::<bool>()).prop_map(|(records, is_ended)| {
        let all: String = records.iter().map(|(record, end)| format!("{record}{end}")).collect();
        if is_ended { all } else { all.trim_end().to_owned() }
    })
}

fn json_list() -> impl Strategy<Value = String> {
    let blanks = select(vec!["", " ", "\n  ", "\n\n", "\t"]);
    (proptest::collection::vec(record(), 0..30), blanks).prop_map(|(records, blanks)| {
        format!("{blanks}[{blanks}{}{blanks}]{blanks}", records.join(&format!("{blanks},{blanks}")))
    })
}

fn csv() -> impl Strategy<Value = String> {
    let cell = prop_oneof![
        8 => "[a-z0-9 é]{0,12}",
        2 => "\"[a-z,\n ]{0,20}\"",
        1 => Just("\"she said \"\"no\"\"\"".to_owned()),
        // Broken ones: a quote that is never closed, one in the middle.
        1 => Just("\"open".to_owned()),
        1 => Just("a\"b".to_owned()),
    ];
    let row = proptest::collection::vec(cell, 1..6).prop_map(|cells| cells.join(","));
    let end = select(vec!["\n", "\r\n"]);
    (proptest::collection::vec(row, 0..40), end, any::<bool>()).prop_map(|(rows, end, is_ended)| {
        let all = format!("id,amount,text{end}{}", rows.join(end));
        if is_ended { all + end } else { all }
    })
}

fn given() -> impl Strategy<Value = Given> {
    let input = prop_oneof![
        3 => text().prop_map(|text| (InputKind::Text, text)),
        1 => text().prop_map(|text| (InputKind::Markdown, text)),
        3 => json_lines().prop_map(|text| (InputKind::JsonLines, text)),
        2 => json_list().prop_map(|text| (InputKind::Json, text)),
        1 => value().prop_map(|value| (InputKind::Json, value.to_string())),
        3 => csv().prop_map(|text| (InputKind::Csv, text)),
    ];
    let pages = prop_oneof![
        Just(PagesPerChunk::Auto),
        (1..4u64).prop_map(|count| PagesPerChunk::Count(NonZeroU64::new(count).expect("it is from 1"))),
    ];
    let sizes = (proptest::option::of(1..60u64), proptest::option::of(0..40u64), pages);
    let ways =
        (select(vec![PartOrder::Parallel, PartOrder::Sequential]), any::<bool>(), proptest::option::of(40..400usize));
    (input, 0..900u64, sizes, ways).prop_map(
        |((kind, text), more, (chunk_size, overlap, pages), (order, tells, longest))| Given {
            kind,
            bytes: text.into_bytes(),
            limit: 900 + more,
            chunk_size: chunk_size.map(|size| if kind == InputKind::Text { size * 8 } else { size }),
            overlap,
            pages,
            order,
            tells,
            longest,
        },
    )
}

impl Given {
    fn options(&self) -> PaginateOptions {
        let pagination = Pagination {
            paginate: PaginationMode::Auto,
            chunk_size: self.chunk_size.and_then(NonZeroU64::new),
            overlap: self.overlap,
            pages_per_chunk: self.pages,
            order: self.order,
            include_chunk_metadata: self.tells,
            ..AGENT.pagination.clone()
        };
        PaginateOptions {
            prompt: "Count all records".to_owned(),
            pagination,
            max_prompt: TokenCount::new(self.limit),
            max_part: TokenCount::new(self.limit),
            counter: COUNTER.clone(),
            concurrency: 4,
            since: 0,
            custom: None,
        }
    }

    fn input(&self) -> Result<Input, war_rig_paginate::InputError> {
        Input::from_reader("random", std::io::Cursor::new(self.bytes.clone()), Some(self.kind), None)
    }

    /// Whether a part failed because its answer is cut off however small it is.
    fn is_cut_off(&self, reason: &str) -> bool {
        self.longest.is_some() && reason.contains("cannot be divided further")
    }

    fn is_list(&self) -> bool {
        matches!(self.kind, InputKind::JsonLines | InputKind::Csv)
            || (self.kind == InputKind::Json && self.bytes.trim_ascii_start().starts_with(b"["))
    }
}

/// What of a part its block has to show.
fn shown(given: &Given, asked: &Asked) -> String {
    let slice = &asked.slice;
    let closed = |text: &str| if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    if given.is_list() || slice.marks.len() < 2 {
        return closed(&slice.text);
    }
    let ends = slice.marks.iter().skip(1).map(|mark| mark.at).chain([slice.text.len()]);
    let page = |(mark, end): (&war_rig_paginate::UnitStart, usize)| {
        format!("[page {}]\n{}", mark.number, closed(&slice.text[mark.at..end]))
    };
    slice.marks.iter().zip(ends).map(page).collect()
}

/// Asserts what holds of an input.
fn check(given: &Given) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let watch = Arc::new(Watch { longest: given.longest, ..Watch::default() });
    let paginator = Paginator::new(Arc::clone(&AGENT), Arc::clone(&watch), given.options());
    let plan = match given.input() {
        Ok(input) => paginator.plan(input),
        Err(error) => {
            prop_assert!(given.bytes.trim_ascii().is_empty(), "{}", error);
            return Ok(());
        }
    };
    let outcome = runtime.block_on(async { paginator.run(given.input().unwrap()).outcome().await });
    let asked = watch.asked.lock().unwrap();
    for asked in asked.iter() {
        prop_assert!(asked.tokens <= given.limit, "{} of {}", asked.tokens, given.limit);
        prop_assert_eq!(asked.recounted, asked.tokens);
        let block = PartBlock::parse(&asked.user).map_err(TestCaseError::fail)?;
        prop_assert_eq!(&block.text, &shown(given, asked));
        let marks = &asked.slice.marks;
        prop_assert!(marks.iter().all(|mark| asked.slice.text.is_char_boundary(mark.at)));
        prop_assert!(marks.is_sorted_by(|one, other| one.at <= other.at && one.number < other.number));
        prop_assert_eq!(given.tells && block.part.is_some(), block.part.is_some());
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(PaginateError::Empty(_)) => {
            prop_assert!(asked.is_empty() && plan.is_err());
            prop_assert!(!given.is_list() || given.kind != InputKind::JsonLines || given.bytes.trim_ascii().is_empty());
            return Ok(());
        }
        // Where no part has an answer there is none to give.
        Err(PaginateError::Part { reason, .. }) => {
            prop_assert!(asked.iter().all(|asked| !asked.is_answered), "{}", reason);
            let is_named = reason.contains("record ") || reason.contains("names of the columns");
            prop_assert!(is_named || given.is_cut_off(&reason), "{}", reason);
            return Ok(());
        }
        // What breaks off before its first part is whole.
        Err(PaginateError::Input(error)) => {
            prop_assert!(asked.iter().all(|asked| !asked.is_answered), "{}", error);
            prop_assert!(plan.is_ok_and(|plan| plan.failed.len() == 1), "{}", error);
            return Ok(());
        }
        Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
    };
    let plan = plan.map_err(|error| TestCaseError::fail(error.to_string()))?;
    if asked.iter().all(|asked| asked.is_answered) {
        let tokens: u64 = asked.iter().map(|asked| asked.tokens).sum();
        prop_assert_eq!((plan.parts, plan.prompt_tokens), (asked.len() as u64, tokens));
    }
    let foreseen = outcome.failed.iter().filter(|failed| !given.is_cut_off(&failed.reason)).count();
    prop_assert_eq!(plan.failed.len(), foreseen);
    whole(given, &outcome, &asked)
}

/// Asserts that what was answered and what is told as failed is the input.
fn whole(given: &Given, outcome: &ExtractionOutcome, asked: &[Asked]) -> Result<(), TestCaseError> {
    let input = String::from_utf8_lossy(&given.bytes);
    // A byte order mark says how the input is encoded, and is no part of it.
    let input = input.strip_prefix('\u{feff}').unwrap_or(&input);
    let owned: Vec<&Slice> = asked.iter().filter(|asked| asked.is_answered).map(|asked| &asked.slice).collect();
    let records: usize = owned.iter().map(|slice| slice.marks.len()).sum();
    if given.is_list() {
        prop_assert_eq!(&outcome.answer["count"], records);
    }
    // Nobody is asked about blanks alone.
    let said = |text: &str| text.chars().filter(|character| !character.is_whitespace()).count();
    if outcome.failed.is_empty() {
        let shown: usize = owned.iter().map(|slice| said(&slice.text)).sum();
        prop_assert_eq!(shown, said(input));
    }
    // What was cut off is asked about again in pieces, some of which may have no answer.
    if given.order == PartOrder::Parallel || outcome.failed.iter().any(|failed| given.is_cut_off(&failed.reason)) {
        return Ok(());
    }
    // What is put together in the order of the calls is the input, but for the records that are told as failed.
    let mut rest: &str = input;
    let mut gaps = 0;
    for slice in owned {
        let at = rest.find(slice.text.as_str());
        let Some(at) = at else {
            return Err(TestCaseError::fail(format!("{:?} is not in order", slice.text)));
        };
        gaps += usize::from(said(&rest[..at]) > 0);
        rest = &rest[at + slice.text.len()..];
    }
    gaps += usize::from(said(rest) > 0);
    prop_assert!(gaps <= outcome.failed.len(), "{} gaps, {:?}", gaps, outcome.failed);
    for failed in &outcome.failed {
        let is_named = failed
            .place
            .records
            .is_some_and(|(first, last)| first == last && failed.reason.contains(&format!("record {first} ")));
        let is_header = failed.reason.contains("names of the columns");
        // Whatever follows the place where an input is broken.
        let is_the_rest = failed.reason.starts_with("random: ");
        let is_cut_off = given.is_cut_off(&failed.reason);
        prop_assert!(is_named || is_header || is_the_rest || is_cut_off, "{:?}", failed);
    }
    let unseen = outcome.failed.iter().filter(|failed| !given.is_cut_off(&failed.reason));
    let numbers: Vec<u64> = unseen.filter_map(|failed| Some(failed.place.records?.0)).collect();
    let shown = asked.iter().flat_map(|asked| &asked.slice.marks).map(|mark| mark.number);
    if given.is_list() {
        prop_assert!(shown.into_iter().all(|number| !numbers.contains(&number)));
    }
    Ok(())
}

fn cases() -> u32 {
    std::env::var("WAR_RIG_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

#[test]
fn a_byte_order_mark_is_no_part_of_an_input() {
    let given = Given {
        kind: InputKind::Markdown,
        bytes: "\u{feff}0word ".as_bytes().to_vec(),
        limit: 900,
        chunk_size: None,
        overlap: None,
        pages: PagesPerChunk::Auto,
        order: PartOrder::Parallel,
        tells: false,
        longest: None,
    };
    check(&given).unwrap();
}

#[test]
fn random_inputs_are_asked_about_whole_and_within_the_budget() {
    let mut config = ProptestConfig::with_cases(cases());
    config.failure_persistence = None;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let tried = runner.run(&given(), |given| check(&given));
    tried.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn an_enormous_record_is_named_and_the_others_are_answered() {
    let records = |from: u64, to: u64| (from..=to).map(|number| format!("{{\"id\": {number}}}\n")).collect::<String>();
    let enormous = format!("{{\"text\": \"{}\"}}\n", "enormous ".repeat(3000));
    let given = Given {
        kind: InputKind::JsonLines,
        bytes: (records(1, 6) + &enormous + &records(8, 20)).into_bytes(),
        limit: 1200,
        chunk_size: None,
        overlap: None,
        pages: PagesPerChunk::Auto,
        order: PartOrder::Sequential,
        tells: true,
        longest: None,
    };
    check(&given).unwrap_or_else(|error| panic!("{error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let run = |options: PaginateOptions| {
        let paginator = Paginator::new(Arc::clone(&AGENT), Arc::new(Watch::default()), options);
        runtime.block_on(async { paginator.run(given.input().unwrap()).outcome().await })
    };
    let outcome = run(given.options()).unwrap();
    assert_eq!((outcome.failed.len(), outcome.failed[0].place.records), (1, Some((7, 7))));
    assert!(outcome.failed[0].reason.contains("record 7 has "), "{:?}", outcome.failed);
    assert_eq!(outcome.answer["count"], 19);
    let mut strict = given.options();
    strict.pagination.on_failure = war_rig_paginate::OnFailure::Fail;
    let error = run(strict).unwrap_err();
    assert!(matches!(&error, PaginateError::Part { reason, .. } if reason.contains("record 7 has ")), "{error}");
}
