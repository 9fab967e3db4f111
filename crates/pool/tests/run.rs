//! What a run keeps, whatever its Scribe and its files do.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod elsewhere;
mod memory;

use memory::Memory;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use war_rig_cobol::{CopybookLibrary, NoCopybooks};
use war_rig_estimator::{PromptBudget, TokenCount, TokenCounter, TokenizerEncoding};
use war_rig_llm::{BudgetedPrompt, ContextOverflow, UsageTotals};
use war_rig_pool::{
    BuildPlanOptions, DocumentSink, PlanSummary, Planner, PoolContext, RemoteQueue, RunOptions, RunProgress, SourceId,
    SourceOptions, Sources, StopRequest, TicketReport, TicketState, WrittenFile, run,
};
use war_rig_scribe::{ChunkFacts, PromptRenderer, Scribe, ScribeError, ScribeOutput, ScribeResponse, StaticScribe};
use war_rig_template::Document;
use war_rig_text::ContentHash;

/// Sources in memory; those whose names begin with `DEFECT` bring a defect to light.
struct Files(Mutex<BTreeMap<String, Vec<u8>>>);

impl Sources for Files {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        assert!(!source.0.starts_with("DEFECT"), "a planted defect");
        self.0.lock().unwrap().get(&source.0).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn copybooks(&self, _source: &SourceId) -> Box<dyn CopybookLibrary + '_> {
        Box::new(NoCopybooks)
    }
}

/// Documents in memory; a file whose name begins with `FULL` finds no room, and one that begins with `LOST` no way.
#[derive(Default)]
struct Shelf(Mutex<BTreeMap<String, String>>);

impl DocumentSink for Shelf {
    type StagedDocument = (String, String);

    fn stage(&self, document: &Document) -> io::Result<Self::StagedDocument> {
        match document.header.file_name.get(..4) {
            Some("FULL") => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok((document.header.file_name.clone(), document.to_json())),
        }
    }

    fn publish(&self, staged: Vec<Self::StagedDocument>) -> Vec<io::Result<Vec<WrittenFile>>> {
        let publish = |(name, json): (String, String)| {
            if name.starts_with("LOST") {
                return Err(io::ErrorKind::NotFound.into());
            }
            let (size, hash) = (json.len() as u64, ContentHash::of(json.as_bytes()));
            self.0.lock().unwrap().insert(name.clone(), json);
            Ok(vec![WrittenFile { name, size, hash, changed: None }])
        };
        staged.into_iter().map(publish).collect()
    }

    fn is_current(&self, file: &WrittenFile) -> bool {
        let shelf = self.0.lock().unwrap();
        shelf.get(&file.name).is_some_and(|json| ContentHash::of(json.as_bytes()) == file.hash)
    }

    fn has_document(&self, source: &SourceId) -> bool {
        self.0.lock().unwrap().contains_key(&source.0)
    }
}

/// What a run was told to have before it.
#[derive(Default)]
struct Told(Mutex<Option<PlanSummary>>);

impl RunProgress for Told {
    fn on_start(&self, outlook: &PlanSummary) {
        *self.0.lock().unwrap() = Some(*outlook);
    }

    fn on_ticket_finished(&self, _report: &TicketReport) {}
}

/// The static Scribe with a will of its own: later calls answer first, a file `PANIC` is a defect, and a file `REFUSE` has its
/// second chunk refused.
#[derive(Default)]
struct Unruly {
    calls: AtomicUsize,
    /// Whether it is taken for a model, and says no more than what a model can.
    is_model: bool,
}

impl Scribe for Unruly {
    fn produced_by(&self) -> &str {
        "static"
    }

    fn is_parser_only(&self) -> bool {
        !self.is_model
    }

    async fn write(&self, prompt: &BudgetedPrompt, facts: &ChunkFacts<'_>) -> ScribeResponse<ScribeOutput> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        for _ in 0..(64 - call % 64) {
            tokio::task::yield_now().await;
        }
        let file = facts.file.source.name();
        assert!(!file.starts_with("PANIC"), "a planted defect");
        let lines = facts.owned().count();
        let error = match file.split('.').next().unwrap() {
            "REFUSE" if prompt.user().contains("chunk=2/") => ScribeError::Unusable("refused".to_owned()),
            "LENGTHY" if lines > 100 => ScribeError::Truncated,
            "ENDLESS" => ScribeError::Truncated,
            // A model that counts twice as many tokens, and whose window is as large as the budget.
            "WIDE" if prompt.tokens().get() > 3000 => {
                ScribeError::Overflow(ContextOverflow { window: Some(6000), counted: Some(prompt.tokens().get() * 2) })
            }
            _ => {
                let mut call = StaticScribe.write(prompt, facts).await;
                if let (true, Ok(written)) = (self.is_model, &mut call.result) {
                    let said = serde_json::to_string(&written.partial).unwrap();
                    written.partial = serde_json::from_str(&said).unwrap();
                }
                return call;
            }
        };
        let bill = UsageTotals { calls: 1, prompt_tokens: prompt.tokens().get(), ..UsageTotals::default() };
        ScribeResponse { result: Err(error), usage: bill }
    }
}

/// A program of some 14,000 tokens, which is several chunks at the smallest budgets.
fn program(name: &str) -> Vec<u8> {
    let mut text = format!("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n");
    for paragraph in 0..80 {
        text.push_str(&format!("       P-{paragraph:03}.\n"));
        for statement in 0..12 {
            text.push_str(&format!(
                "           IF WS-{statement} = {paragraph} MOVE {statement} TO WS-TOTAL END-IF.\n"
            ));
        }
    }
    text.into_bytes()
}

/// A place where runs follow each other.
struct Place {
    sources: Arc<Files>,
    shelf: Arc<Shelf>,
    store: Arc<Memory>,
    scribe: Arc<Unruly>,
    queue: Option<Arc<dyn RemoteQueue>>,
}

/// How files are planned.
fn planner() -> Planner {
    let frame = PromptRenderer::new(TokenCounter::new(TokenizerEncoding::O200kBase));
    let budget = PromptBudget::new(TokenCount::new(6000), TokenCount::new(16_000), frame.fixed_parts()).unwrap();
    Planner::new(frame, budget)
}

impl Place {
    fn with(files: &[&str]) -> Self {
        let sources = files.iter().map(|name| ((*name).to_owned(), program("UNRULY"))).collect();
        Self {
            sources: Arc::new(Files(Mutex::new(sources))),
            shelf: Arc::default(),
            store: Arc::default(),
            scribe: Arc::default(),
            queue: None,
        }
    }

    fn put(&self, file: &str, bytes: Vec<u8>) {
        self.sources.0.lock().unwrap().insert(file.to_owned(), bytes);
    }

    fn runs(&self, concurrency: usize, fail_fast: bool) -> (Vec<TicketReport>, PlanSummary) {
        self.runs_by(RunOptions {
            jobs: 1,
            readers: 2,
            concurrency,
            source: SourceOptions::default(),
            fail_fast,
            build_plan: BuildPlanOptions {
                settings_hash: ContentHash::of(b"settings"),
                base: "src".to_owned(),
                force_since: None,
                force: false,
                retries_failed: false,
            },
            pages: None,
            pages_settings: ContentHash::of(b""),
            changes: None,
        })
    }

    fn runs_by(&self, options: RunOptions) -> (Vec<TicketReport>, PlanSummary) {
        let workers = PoolContext {
            planner: Arc::new(planner()),
            scribe: Arc::clone(&self.scribe),
            sources: Arc::clone(&self.sources),
            sink: Arc::clone(&self.shelf),
            store: Arc::clone(&self.store) as _,
            stop: Arc::new(StopRequest::default()),
            queue: self.queue.clone(),
            options,
        };
        let ids: Vec<SourceId> = self.sources.0.lock().unwrap().keys().map(|name| SourceId(name.clone())).collect();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let told = Told::default();
        let ended = runtime.block_on(run(&ids, &ids, workers, &told)).unwrap();
        let outlook = told.0.lock().unwrap().unwrap();
        let files: Vec<&str> = ended
            .reports
            .iter()
            .filter(|report| report.ticket.state() == TicketState::Done)
            .map(|report| report.ticket.file())
            .collect();
        war_rig_pool::Store::confirm_estate(self.store.as_ref(), ended.estate, &files).unwrap();
        (ended.reports, outlook)
    }
}

fn documented(files: &[&str], concurrency: usize, fail_fast: bool) -> (Vec<TicketReport>, BTreeMap<String, String>) {
    let place = Place::with(files);
    let (reports, _) = place.runs(concurrency, fail_fast);
    let written = place.shelf.0.lock().unwrap().clone();
    (reports, written)
}

fn states(reports: &[TicketReport]) -> Vec<TicketState> {
    reports.iter().map(|report| report.ticket.state()).collect()
}

#[test]
fn answers_that_come_in_another_order_give_the_same_document() {
    let (reports, one) = documented(&["A.cbl"], 1, false);
    assert!(reports[0].usage.calls > 2, "{}", reports[0].usage.calls);
    let (_, sixteen) = documented(&["A.cbl"], 16, false);
    assert_eq!(one, sixteen);
}

#[test]
fn a_defect_a_refusal_and_a_lost_document_stop_no_other_file() {
    let files = ["A.cbl", "B.cbl", "DEFECT.cbl", "LOST.cbl", "PANIC.cbl", "REFUSE.cbl"];
    let (reports, written) = documented(&files, 4, false);
    use TicketState::{Done, Failed, Partial};
    assert_eq!(states(&reports), [Done, Done, Failed, Failed, Failed, Partial]);
    let reasons = ["", "", "a planted defect", "cannot be written", "a planted defect", "refused"];
    for (report, reason) in reports.iter().zip(reasons) {
        assert!(report.ticket.reason().contains(reason), "{}", report.ticket.reason());
    }
    assert_eq!(written.keys().collect::<Vec<_>>(), ["A.cbl", "B.cbl", "REFUSE.cbl"]);
}

#[test]
fn a_full_disk_ends_the_run_before_more_is_paid_for() {
    let (reports, written) = documented(&["A.cbl", "FULL.cbl", "Z.cbl"], 4, false);
    assert_eq!(states(&reports), [TicketState::Done, TicketState::Failed, TicketState::Pending]);
    assert_eq!(written.len(), 1);
}

#[test]
fn a_run_that_fails_fast_begins_nothing_more() {
    let (reports, written) = documented(&["A.cbl", "PANIC.cbl", "Z.cbl"], 1, true);
    assert_eq!(states(&reports), [TicketState::Done, TicketState::Failed, TicketState::Pending]);
    assert_eq!(written.len(), 1);
}

#[test]
fn what_is_up_to_date_is_left_alone_and_what_has_changed_is_not() {
    let place = Place::with(&["A.cbl", "B.cbl", "REFUSE.cbl"]);
    let (first, outlook) = place.runs(4, false);
    assert_eq!((outlook.pending, outlook.is_resumed), (3, false));
    let calls = place.scribe.calls.load(Ordering::Relaxed);
    place.store.kept().begun.clear();
    place.store.kept().surveyed.clear();
    // What has failed is tried again, and nothing else.
    let (second, outlook) = place.runs(4, false);
    assert_eq!((outlook.up_to_date, outlook.reclaimed, outlook.pending, outlook.is_resumed), (2, 0, 1, true));
    assert_eq!(place.store.kept().begun, ["REFUSE.cbl"]);
    assert!(place.store.kept().surveyed.is_empty());
    assert_eq!(states(&first), states(&second));
    assert_eq!(first[0].index_entry, second[0].index_entry);
    assert_eq!((second[0].usage.calls, second[0].is_up_to_date), (0, true));
    assert!(place.scribe.calls.load(Ordering::Relaxed) < calls * 2);
    // A document that is not as it was written is written again, and a source that has changed gets a new one.
    place.shelf.0.lock().unwrap().insert("A.cbl".to_owned(), "changed by hand".to_owned());
    place.put("B.cbl", program("OTHER"));
    place.store.kept().begun.clear();
    place.runs(4, false);
    let mut begun = place.store.kept().begun.clone();
    begun.sort();
    assert_eq!(begun, ["A.cbl", "B.cbl", "REFUSE.cbl"]);
    assert_eq!(place.store.kept().surveyed, ["B.cbl"]);
    assert!(place.shelf.0.lock().unwrap()["A.cbl"].contains("UNRULY"));
    assert!(place.shelf.0.lock().unwrap()["B.cbl"].contains("OTHER"));
}

#[test]
fn a_ticket_that_was_in_work_when_the_process_died_is_reclaimed_until_it_has_killed_three() {
    let place = Place::with(&["A.cbl", "B.cbl"]);
    place.runs(4, false);
    for attempts in [1, 2, 3] {
        {
            let mut kept = place.store.kept();
            let ticket = kept.tickets.get_mut("B.cbl").unwrap();
            (ticket.state, ticket.attempts) = (TicketState::Writing, attempts);
        }
        place.put("A.cbl", program(&format!("AGAIN{attempts}")));
        place.store.kept().begun.clear();
        let (reports, outlook) = place.runs(4, false);
        if attempts < 3 {
            assert_eq!((outlook.reclaimed, outlook.pending), (1, 1), "{attempts}");
            assert_eq!(states(&reports), [TicketState::Done; 2], "{attempts}");
            assert_eq!(place.store.kept().begun, ["A.cbl", "B.cbl"], "{attempts}");
        } else {
            assert_eq!((outlook.reclaimed, outlook.pending), (0, 1));
            assert_eq!(states(&reports), [TicketState::Done, TicketState::Failed]);
            let reason = reports[1].ticket.reason();
            assert!(reason.contains("died 3 times") && reason.contains("--retry-failed"), "{reason}");
        }
    }
    {
        let mut kept = place.store.kept();
        let ticket = kept.tickets.get_mut("A.cbl").unwrap();
        (ticket.state, ticket.attempts) = (TicketState::Writing, 3);
    }
    // One that was edited since it died for the third time is tried again at once.
    place.put("A.cbl", program("EDITED"));
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done, TicketState::Failed]);
    // It stays alone until its source changes.
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done, TicketState::Failed]);
    place.put("B.cbl", program("MENDED"));
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done, TicketState::Done]);
}

#[test]
fn what_may_have_killed_the_process_is_begun_when_nothing_else_is_in_work() {
    let files: Vec<String> = (0..20).map(|index| format!("P{index:02}.cbl")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let place = Place::with(&files);
    place.runs(4, false);
    for file in &files[4..] {
        let mut kept = place.store.kept();
        let ticket = kept.tickets.get_mut(*file).unwrap();
        (ticket.state, ticket.attempts) = (TicketState::Writing, 2);
    }
    place.put(files[0], program("EDITED"));
    place.store.kept().beside.clear();
    assert_eq!(states(&place.runs(4, false).0), [TicketState::Done; 20]);
    assert_eq!(place.store.kept().beside, [0; 16]);
}

#[test]
fn a_chunk_that_turns_out_too_large_is_cut_smaller_and_nothing_is_lost() {
    let text = String::from_utf8(program("SAME")).unwrap();
    for file in ["LENGTHY.cbl", "WIDE.cbl"] {
        let (reports, documents) = documented(&[file], 4, false);
        assert_eq!(reports[0].ticket.state(), TicketState::Done, "{}", reports[0].ticket.reason());
        let document: serde_json::Value = serde_json::from_str(&documents[file]).unwrap();
        let chunks = document["chunks"].as_array().unwrap();
        assert!(chunks.iter().any(|chunk| chunk["chunk_id"].as_str().unwrap().contains('.')), "{chunks:?}");
        // The pieces tile the file as the chunks did.
        let mut next = 1;
        for chunk in chunks {
            assert_eq!(chunk["start_line"], next);
            next = chunk["end_line"].as_u64().unwrap() + 1;
        }
        assert_eq!(next as usize, text.lines().count() + 1);
        assert!(reports[0].usage.calls > chunks.len() as u64);
    }
}

#[test]
fn a_chunk_that_is_always_too_large_fails_in_the_end() {
    let (reports, documents) = documented(&["ENDLESS.cbl"], 4, false);
    let ticket = &reports[0].ticket;
    assert_eq!(ticket.state(), TicketState::Failed);
    assert!(ticket.reason().contains("there is nothing smaller to ask for"), "{}", ticket.reason());
    assert!(documents.is_empty());
    // Every chunk is asked for once, and its pieces on two levels, each about half of the one before.
    assert!((30..150).contains(&reports[0].usage.calls), "{}", reports[0].usage.calls);
}
