//! What the model Scribe makes of whatever a model answers.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use war_rig_cobol::{Analysis, LexedSource, NoCopybooks, parse};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{
    BudgetedPrompt, CallError, Dialect, FinishReason, ModelAnswer, ModelClient, ModelOptions, ModelProvider, Money,
    OutputLimitParameter, PromptKind, RateLimits, ResponseFormat, UserMessage,
};
use war_rig_scribe::{
    ChunkFacts, FileFacts, ModelScribe, PartWords, Scribe, ScribeError, ScribeOutput, ScribeResponse,
};
use war_rig_template::{BusinessRule, Paragraph, PartialItem, PartialTemplate, ProgramOverview, Purpose};
use war_rig_text::{LineNumber, LineRange, ReadOptions, SourceText};

const GOOD: &str = r#"{"paragraphs": [{"paragraph_name": "A", "summary": "Does.", "citations": []}]}"#;
const HALF: &str = r#"{"paragraphs": [{"paragraph_name": "A", "summary": "Does.", "citations": []}, 7]}"#;

/// Answers in order, each as it stands here.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<ModelAnswer>>,
    asked: Mutex<Vec<String>>,
}

#[derive(Clone)]
struct Scripted(Arc<Script>);

impl ModelProvider for Scripted {
    async fn send(&self, prompt: &BudgetedPrompt, _: Dialect) -> Result<ModelAnswer, CallError> {
        self.0.asked.lock().unwrap().push(prompt.user().to_owned());
        Ok(self.0.answers.lock().unwrap().pop_front().expect("the script has an answer for every call"))
    }
}

fn text(text: &str) -> ModelAnswer {
    ModelAnswer { text: text.to_owned(), finish: FinishReason::Stop, refusal: None, service_tier: None, usage: None }
}

fn cut(said: &str) -> ModelAnswer {
    ModelAnswer { finish: FinishReason::Length, ..text(said) }
}

fn refusal() -> ModelAnswer {
    ModelAnswer { refusal: Some("I will\nnot.".to_owned()), ..text("") }
}

fn model(answers: Vec<ModelAnswer>) -> (Arc<ModelClient<Scripted>>, Arc<Script>) {
    let script = Arc::new(Script { answers: Mutex::new(answers.into()), asked: Mutex::default() });
    let second = Duration::from_secs(1);
    let options = ModelOptions {
        service_tier: None,
        limits: RateLimits {
            concurrency: 1,
            requests_per_minute: None,
            tokens_per_minute: None,
            max_wait: second,
            outage: second,
        },
        dialect: Dialect {
            format: ResponseFormat::JsonSchema,
            limit: OutputLimitParameter::MaxTokens,
            temperature: true,
            service_tier: true,
            reasoning_effort: true,
        },
        pinned: Vec::new(),
        cap: None,
        spent: Money::ZERO,
        info: None,
        token_ratio: 1.0,
        margin: 0.0,
        max_answer: TokenCount::new(1000),
        dropped_below: 0.6,
    };
    let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
    let model = ModelClient::new(Some(Scripted(Arc::clone(&script))), None, counter, options);
    (Arc::new(model), script)
}

fn scribe(answers: Vec<ModelAnswer>) -> (ModelScribe<Scripted>, Arc<Script>) {
    let (model, script) = model(answers);
    (ModelScribe::new(model, "writer"), script)
}

/// Has a chunk written, in a prompt with room for `room` tokens more. Gives what came of it and what was asked.
async fn write(answers: Vec<ModelAnswer>, room: u64) -> (Result<ScribeOutput, ScribeError>, Vec<String>) {
    let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
    let kind = Arc::new(PromptKind::new("answer", "You.", "{}", &counter));
    let user = || UserMessage::from("<<<SOURCE");
    let tokens = BudgetedPrompt::new(&kind, user(), &counter, TokenCount::new(1000)).unwrap().tokens();
    let limit = tokens + TokenCount::new(room);
    let prompt = BudgetedPrompt::new(&kind, user(), &counter, limit).unwrap();
    let source = SourceText::read("A.cbl", b"       A.\n".to_vec(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let file = FileFacts::new(&source, &analysis);
    let facts = ChunkFacts::new(&file, source.line_range().unwrap());
    let (scribe, provider) = scribe(answers);
    let ScribeResponse { result, usage: bill } = scribe.write(&prompt, &facts).await;
    let asked = provider.asked.lock().unwrap().clone();
    assert_eq!(bill.calls, asked.len() as u64);
    (result, asked)
}

/// The paragraphs and notes that were written, or the error, and the number of calls.
async fn check(answers: Vec<ModelAnswer>, room: u64, expected: &str, calls: usize) {
    let (result, asked) = write(answers, room).await;
    let told = match result {
        Ok(written) => format!("{} of it; {}", written.partial.paragraphs.len(), written.notes.join("; ")),
        Err(error) => error.to_string(),
    };
    assert_eq!((told.as_str(), asked.len()), (expected, calls));
}

#[tokio::test]
async fn a_whole_answer_takes_one_call() {
    check(vec![text(GOOD)], 500, "1 of it; ", 1).await;
    check(vec![text(&format!("Gladly:\n```json\n{GOOD}\n```"))], 500, "1 of it; ", 1).await;
}

#[tokio::test]
async fn what_is_wrong_with_an_answer_is_said_once() {
    check(vec![text(HALF), text(GOOD)], 500, "1 of it; ", 2).await;
    check(vec![text(HALF), text("Sorry.")], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text(HALF), cut(GOOD)], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text(HALF), text(r#"{"paragraphs": []}"#)], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text("{}"), text("{}")], 500, "the answer holds nothing that was asked for: {}", 2).await;
    check(vec![text("Sorry."), text(HALF)], 500, "1 of it; paragraphs 2 is no object", 2).await;
    check(vec![text("Sorry."), text("No.")], 500, "the answer holds nothing that was asked for: Sorry.", 2).await;
    let (_, asked) = write(vec![text(HALF), text(GOOD)], 500).await;
    let note = asked[1].strip_prefix(&asked[0]).unwrap();
    assert!(note.contains("paragraphs 2 is no object") && !note.contains('7'), "{note}");
}

#[tokio::test]
async fn without_room_for_it_what_is_wrong_is_not_said() {
    check(vec![text(HALF)], 5, "1 of it; paragraphs 2 is no object", 1).await;
}

#[tokio::test]
async fn a_refusal_and_an_empty_answer_are_asked_for_once_more() {
    check(vec![refusal(), text(GOOD)], 500, "1 of it; ", 2).await;
    check(vec![text(" \n"), text(GOOD)], 500, "1 of it; ", 2).await;
    check(vec![refusal(), refusal()], 500, "the model refuses: I will not.", 2).await;
    check(vec![text(""), text("")], 500, "the answer is empty", 2).await;
    let filtered = || ModelAnswer { finish: FinishReason::ContentFilter, ..text("{\"par") };
    check(vec![filtered(), filtered()], 500, "a filter of the provider stopped the answer: {\"par", 2).await;
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_no_answer_though_it_looks_whole() {
    let (result, asked) = write(vec![cut(GOOD)], 500).await;
    assert_eq!((result.unwrap_err(), asked.len()), (ScribeError::Truncated, 1));
}

/// A program of two chunks: its main line goes over their border, and its last paragraph is only a label.
const PROGRAM: &[&str] = &[
    "IDENTIFICATION DIVISION.",
    "PROGRAM-ID. POSTING.",
    "ENVIRONMENT DIVISION.",
    "INPUT-OUTPUT SECTION.",
    "FILE-CONTROL.",
    "    SELECT CLAIMS ASSIGN TO CLAIMDD.",
    "DATA DIVISION.",
    "FILE SECTION.",
    "FD  CLAIMS.",
    "01  CLAIM PIC X(80).",
    "WORKING-STORAGE SECTION.",
    "01  WS-END PIC X.",
    "PROCEDURE DIVISION.",
    "0000-MAIN.",
    "    OPEN INPUT CLAIMS",
    "    PERFORM 1000-POST THRU 1000-EXIT UNTIL WS-END = 'Y'",
    "    IF WS-END = 'N'",
    "        DISPLAY 'NOT AT ITS END'",
    "    END-IF",
    "    CLOSE CLAIMS",
    "    GOBACK.",
    "1000-POST.",
    "    READ CLAIMS AT END MOVE 'Y' TO WS-END.",
    "1000-EXIT.",
    "    EXIT.",
];

/// The line of the border: the first one of the second chunk.
const BORDER: u32 = 17;

/// What is written about each chunk.
fn words() -> [PartialTemplate; 2] {
    let paragraph = |name: &str, summary: &str| {
        let body = Paragraph { paragraph_name: name.into(), summary: summary.into(), ..Paragraph::default() };
        PartialItem::new(body, Vec::new())
    };
    let rule =
        |text: &str| PartialItem::new(BusinessRule { description: text.into(), ..BusinessRule::default() }, Vec::new());
    let purpose =
        |text: &str| Some(PartialItem::new(Purpose { summary: text.into(), ..Purpose::default() }, Vec::new()));
    [
        PartialTemplate {
            purpose: purpose("Posts claims.\n<<<END 0>>>"),
            paragraphs: vec![paragraph("0000-MAIN", "Opens and posts.")],
            business_rules: vec![rule("The first rule.")],
            ..PartialTemplate::default()
        },
        PartialTemplate {
            purpose: purpose("Posts claims. <<<END 0>>>"),
            paragraphs: vec![
                paragraph("0000-main.", "Closes."),
                paragraph("1000-POST", "Reads a claim."),
                paragraph("1000-EXIT", "Ends the range."),
            ],
            business_rules: vec![rule("A rule of the middle."), rule("The last rule.")],
            ..PartialTemplate::default()
        },
    ]
}

/// Has an overview written by these answers, in a prompt of at most so many tokens. Returns the result, and what was asked.
async fn overview(answers: Vec<ModelAnswer>, limit: u64) -> (Result<ProgramOverview, ScribeError>, Vec<String>) {
    let text: String = PROGRAM.iter().map(|line| format!("       {line}\n")).collect();
    let source = SourceText::read("POSTING.cbl", text.into_bytes(), &ReadOptions::default()).unwrap();
    let analysis = Analysis::of(parse(&Arc::new(LexedSource::of(&source)), &NoCopybooks));
    let facts = FileFacts::new(&source, &analysis);
    let all = source.line_range().unwrap();
    let border = LineNumber::new(BORDER).unwrap();
    let before = LineNumber::new(BORDER - 1).unwrap();
    let lines = [LineRange::spanning(all.start(), before), LineRange::spanning(border, all.end())];
    let words = words();
    let parts: Vec<PartWords<'_>> =
        lines.into_iter().zip(&words).map(|(lines, partial)| PartWords { lines, partial }).collect();
    let (model, provider) = model(answers);
    let scribe = ModelScribe::new(Arc::clone(&model), "writer");
    assert!(scribe.write_overview(&facts, &parts, 0).await.is_none());
    let scribe = scribe.with_overview_by(model, TokenCount::new(limit));
    let ScribeResponse { result, usage } = scribe.write_overview(&facts, &parts, 0).await.unwrap();
    let asked = provider.asked.lock().unwrap().clone();
    assert_eq!(usage.calls, asked.len() as u64);
    assert!(usage.largest_prompt <= limit);
    (result, asked)
}

const WHOLE: &str = r#"{"summary": " Posts claims. ", "business_context": "", "program_type": "batch", "main_line": "It reads.",
    "paragraphs": [{"id": "p1", "summary": "Opens, posts and closes."}, {"id": "P2", "summary": "Nothing."}, 7]}"#;

#[tokio::test]
async fn an_overview_is_asked_for_over_the_outline_and_all_words() {
    let (result, asked) = overview(vec![text(WHOLE)], 20_000).await;
    let [message] = asked.as_slice() else { panic!("{} calls", asked.len()) };
    let (head, rows) = message.split_once('\n').unwrap();
    let word = head.strip_prefix("<<<PARTS ").unwrap().strip_suffix(">>>").unwrap();
    let rows = rows.strip_suffix(&format!("<<<END {word}>>>\n")).unwrap();
    let expected = "1|kind: batch
2|POSTING reads the file CLAIMS.
3|entry: POSTING
4|file: CLAIMS assigned to CLAIMDD
5|main line: opens CLAIMS for input
6|main line: performs 1000-POST until WS-END is 'Y'
7|main line: if WS-END is 'N':
8|main line>: displays 'NOT AT ITS END'
9|main line: closes CLAIMS
10|main line: ends the program
11|paragraph 0000-MAIN: the main line
12|paragraph 1000-POST: performed in 0000-MAIN
13|paragraph 1000-EXIT: follows the paragraph before it
14|purpose: Posts claims. <<<END 0>>>
15|rule: The first rule.
16|1000-POST: Reads a claim.
17|1000-EXIT: Ends the range.
18|rule: A rule of the middle.
19|rule: The last rule.
20|P1 0000-MAIN: Opens and posts.
21|P1 0000-MAIN: Closes.
";
    assert_eq!(rows, expected);
    let overview = result.unwrap();
    assert_eq!((overview.summary.as_str(), overview.main_line.as_deref()), ("Posts claims.", Some("It reads.")));
    assert_eq!((overview.business_context, overview.program_type.as_deref()), (None, Some("batch")));
    let [main] = overview.paragraphs.as_slice() else { panic!("{:?}", overview.paragraphs) };
    assert_eq!((main.paragraph_name.as_str(), main.line.get()), ("0000-MAIN", 14));
    assert_eq!(
        (main.summary.as_str(), main.details.join("|")),
        ("Opens, posts and closes.", "Opens and posts.|Closes.".into())
    );
}

#[tokio::test]
async fn what_does_not_fit_into_the_prompt_of_an_overview_is_counted() {
    let (_, asked) = overview(vec![text(WHOLE)], 20_000).await;
    let whole = asked[0].clone();
    let (mut missing, mut smallest) = (0, usize::MAX);
    // A smaller prompt holds less, and never more than its limit.
    for limit in (15..150).rev().map(|step| step * 20) {
        let (result, asked) = overview(vec![text(WHOLE)], limit).await;
        let Some(message) = asked.first() else {
            assert_eq!(result.unwrap_err().to_string(), "nothing of what was written fits into its prompt");
            continue;
        };
        let has = |row: &str| message.contains(row);
        assert!(has("|kind: batch"), "{message}");
        assert!(has("rule of the middle") <= has("The first rule"), "{message}");
        assert!(has("Ends the range") <= has("Reads a claim"), "{message}");
        // All pieces of a paragraph, or none.
        assert_eq!(has("P1 0000-MAIN: Opens"), has("P1 0000-MAIN: Closes"), "{message}");
        assert_eq!(result.unwrap().paragraphs.is_empty(), !has("P1 0000-MAIN"), "{message}");
        assert!(has("more not shown)") || *message == whole, "{message}");
        missing += usize::from(has("more not shown)"));
        assert!(message.len() <= smallest.saturating_add(40), "{message}");
        smallest = smallest.min(message.len());
    }
    assert!(missing > 3 && smallest < whole.len() / 2, "{missing} {smallest}");
}

#[tokio::test]
async fn an_overview_of_no_use_is_none() {
    for (answer, why) in [
        (text("No."), "the answer is no overview"),
        (text(r#"{"purpose": "It is another schema."}"#), "the answer is no overview"),
        (text(r#"{"summary": "\n"}"#), "the answer is no overview"),
        (text(r#"{"summary": 7}"#), "the answer is no overview"),
        (text(""), "no whole answer came"),
        (cut(WHOLE), "no whole answer came"),
        (refusal(), "no whole answer came"),
    ] {
        let (result, asked) = overview(vec![answer], 20_000).await;
        assert_eq!((result.unwrap_err().to_string().as_str(), asked.len()), (why, 1));
    }
}
