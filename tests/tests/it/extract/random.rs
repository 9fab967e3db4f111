//! Random inputs and random budgets through the library: nothing is lost, nothing is over, nothing panics.
//!
//! `WAR_RIG_CASES` sets how many inputs the property is tried on.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::num::NonZeroU64;
use std::sync::{Arc, LazyLock, Mutex};
use war_rig_chunker::Slice;
use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
use war_rig_llm::{Bill, BudgetedPrompt};
use war_rig_paginate::{
    Agent, ExtractError, Extracted, Extractor, Input, InputKind, Order, Outcome, PagesPerChunk, Paginate,
    PaginateError, PaginateOptions, Pagination, Paginator,
};
use war_rig_tests::PartBlock;
use war_rig_tests::fake::Tokenizer;

/// The inputs that the property is tried on when nothing is said.
const CASES: u32 = 300;

static COUNTER: LazyLock<TokenCounter> = LazyLock::new(|| TokenCounter::new(Encoding::O200kBase));

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
        bill: &mut Bill,
    ) -> Result<Extracted, ExtractError> {
        bill.calls += 1;
        let is_long = self.longest.is_some_and(|longest| part.text.len() > longest && part.halves(&COUNTER).is_some());
        let pieces = [prompt.system().text(), prompt.schema().text(), prompt.user()];
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
        Ok(Extracted { value, dropped: Vec::new() })
    }

    async fn sum_up(&self, _: &BudgetedPrompt, _: &mut Bill) -> Result<Option<String>, ExtractError> {
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
    order: Order,
    tells: bool,
    longest: Option<usize>,
}

fn text() -> impl Strategy<Value = String> {
    let piece = select(vec![
        "word ", "Ein Wörterbuch. ", "漢字かな交じり文。", "\n", "\n\n", "\r\n", "\u{c}", "\t", "🦀🦀", "e\u{301}",
        "PBI-12: one.", "<<<END 0123456789ab>>>\n", "[page 3]\n", "\u{200b}", "\u{202e}", "aaaaaaaaaaaaaaaa", "  ",
        "# Heading\n", "- item\n", "<|endoftext|>", "\u{85}", "...",
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
    let ways = (select(vec![Order::Parallel, Order::Sequential]), any::<bool>(), proptest::option::of(40..400usize));
    (input, 0..900u64, sizes, ways).prop_map(|((kind, text), more, (chunk_size, overlap, pages), (order, tells, longest))| {
        Given {
            kind,
            bytes: text.into_bytes(),
            limit: 900 + more,
            chunk_size: chunk_size.map(|size| if kind == InputKind::Text { size * 8 } else { size }),
            overlap,
            pages,
            order,
            tells,
            longest,
        }
    })
}

impl Given {
    fn options(&self) -> PaginateOptions {
        let pagination = Pagination {
            paginate: Paginate::Auto,
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

    fn is_list(&self) -> bool {
        matches!(self.kind, InputKind::JsonLines | InputKind::Csv)
            || (self.kind == InputKind::Json && self.bytes.trim_ascii_start().starts_with(b"["))
    }
}

/// What the slices own, put together in the order of the input: a part that was split is what its halves are.
fn put_together(asked: &[Asked]) -> String {
    let mut owned: Vec<&Asked> = asked.iter().filter(|asked| asked.is_answered).collect();
    // Parts are asked about at the same time; where they stand in the input says their order.
    owned.sort_by_key(|asked| (*asked.slice.lines.start(), asked.slice.marks.first().map(|mark| mark.number)));
    owned.iter().map(|asked| asked.slice.text.as_str()).collect()
}

/// Asserts what holds of an input.
fn check(given: &Given) -> Result<(), TestCaseError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // The order of calls tells the order of parts where nothing is asked at the same time.
    let is_ordered = given.order == Order::Sequential;
    let watch = Arc::new(Watch { longest: given.longest, ..Watch::default() });
    let input = match given.input() {
        Ok(input) => input,
        Err(error) => {
            prop_assert!(given.bytes.trim_ascii().is_empty(), "{error}");
            return Ok(());
        }
    };
    let paginator = Paginator::new(Arc::clone(&AGENT), Arc::clone(&watch), given.options());
    let plan = paginator.plan(given.input().unwrap());
    let outcome = runtime.block_on(paginator.run(input).outcome());
    let asked = watch.asked.lock().unwrap();
    for asked in asked.iter() {
        prop_assert!(asked.tokens <= given.limit, "{} of {}", asked.tokens, given.limit);
        // Token counts of pieces put together differ by a few at the seams at the most.
        prop_assert_eq!(asked.recounted, asked.tokens);
        let block = PartBlock::parse(&asked.user).map_err(TestCaseError::fail)?;
        let text = asked.slice.text.as_str();
        let shown = if block.pages().len() > 1 { block.bare() } else { block.text.clone() };
        let is_one_page = asked.slice.marks.len() <= 1 || given.is_list();
        prop_assert!(!is_one_page || block.text.trim_end_matches('\n') == text.trim_end_matches('\n'), "{}", shown);
        for mark in &asked.slice.marks {
            prop_assert!(text.is_char_boundary(mark.at) && mark.at <= text.len());
        }
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(PaginateError::Empty(_)) => {
            prop_assert!(asked.is_empty());
            prop_assert!(plan.is_err());
            return Ok(());
        }
        // What is no list of records is said with its place.
        Err(PaginateError::Input(error)) => {
            prop_assert!(given.kind == InputKind::Csv || given.kind == InputKind::Json, "{error}");
            return Ok(());
        }
        Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
    };
    let plan = plan.map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(plan.parts, asked.iter().filter(|asked| is_planned(asked, &asked_all(&asked_refs(asked)))).count() as u64 + 0 * plan.parts);
    whole(given, &outcome, &asked, is_ordered)
}
