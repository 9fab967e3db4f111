//! What a run keeps, whatever its Scribe and its files do.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use war_rig_cobol::{CopybookLibrary, NoCopybooks};
use war_rig_estate::EstateGraph;
use war_rig_estimator::{Encoding, PromptBudget, TokenCount, TokenCounter};
use war_rig_llm::{Bill, BudgetedPrompt, Overflow};
use war_rig_pool::{
    DocumentSink, Planner, Progress, RunOptions, SourceId, SourceOptions, Sources, TicketReport, TicketState,
    Workers, run,
};
use war_rig_scribe::{Call, ChunkFacts, PromptFrame, Scribe, ScribeError, StaticScribe, Written};
use war_rig_template::Document;

/// Sources in memory.
struct Files(BTreeMap<String, Vec<u8>>);

impl Sources for Files {
    fn read(&self, source: &SourceId) -> io::Result<Vec<u8>> {
        self.0.get(&source.0).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn copybooks(&self) -> &dyn CopybookLibrary {
        &NoCopybooks
    }
}

/// Documents in memory; a file whose name begins with `FULL` finds no room.
#[derive(Default)]
struct Shelf(Mutex<BTreeMap<String, String>>);

impl DocumentSink for Shelf {
    fn write(&self, document: &Document) -> io::Result<()> {
        if document.header.file_name.starts_with("FULL") {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.lock().unwrap().insert(document.header.file_name.clone(), document.to_json());
        Ok(())
    }
}

struct Silent;

impl Progress for Silent {
    fn finished(&self, _report: &TicketReport) {}
}

/// The static Scribe with a will of its own: later calls answer first, a file `PANIC` is a defect, and a file `REFUSE` has its
/// second chunk refused.
#[derive(Default)]
struct Unruly {
    calls: AtomicUsize,
}

impl Scribe for Unruly {
    fn produced_by(&self) -> &str {
        "static"
    }

    fn speaks_for_the_parser(&self) -> bool {
        true
    }

    async fn write(&self, prompt: &BudgetedPrompt, facts: &ChunkFacts<'_>) -> Call<Written> {
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
            "WIDE" if prompt.tokens().get() > 3000 => ScribeError::Overflow(Overflow {
                window: Some(6000),
                counted: Some(prompt.tokens().get() * 2),
            }),
            _ => return StaticScribe.write(prompt, facts).await,
        };
        let bill = Bill { calls: 1, prompt_tokens: prompt.tokens().get(), ..Bill::default() };
        Call { result: Err(error), bill }
    }
}

/// A program of some 14,000 tokens, which is several chunks at the smallest budgets.
fn program(name: &str) -> Vec<u8> {
    let mut text =
        format!("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n");
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

fn documented(
    files: &[&str],
    concurrency: usize,
    fail_fast: bool,
) -> (Vec<TicketReport>, BTreeMap<String, String>) {
    let sources = Files(files.iter().map(|name| ((*name).to_owned(), program("UNRULY"))).collect());
    let frame = PromptFrame::new(TokenCounter::new(Encoding::O200kBase));
    let budget =
        PromptBudget::new(TokenCount::new(6000), TokenCount::new(16_000), frame.fixed_parts()).unwrap();
    let shelf = Arc::new(Shelf::default());
    let workers = Workers {
        graph: Arc::new(EstateGraph::default()),
        planner: Arc::new(Planner::new(frame, budget)),
        scribe: Arc::new(Unruly::default()),
        sources: Arc::new(sources),
        sink: Arc::clone(&shelf),
        options: RunOptions { jobs: 1, concurrency, source: SourceOptions::default(), fail_fast },
    };
    let ids: Vec<SourceId> = files.iter().map(|name| SourceId((*name).to_owned())).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let reports = runtime.block_on(run(&ids, workers, &Silent));
    let written = shelf.0.lock().unwrap().clone();
    (reports, written)
}

fn states(reports: &[TicketReport]) -> Vec<TicketState> {
    reports.iter().map(|report| report.ticket.state()).collect()
}

#[test]
fn answers_that_come_in_another_order_give_the_same_document() {
    let (reports, one) = documented(&["A.cbl"], 1, false);
    assert!(reports[0].bill.calls > 2, "{}", reports[0].bill.calls);
    let (_, sixteen) = documented(&["A.cbl"], 16, false);
    assert_eq!(one, sixteen);
}

#[test]
fn a_defect_a_refusal_and_a_full_disk_stop_no_other_file() {
    let (reports, written) = documented(&["PANIC.cbl", "A.cbl", "REFUSE.cbl", "FULL.cbl", "B.cbl"], 4, false);
    use TicketState::{Done, Failed, Partial};
    assert_eq!(states(&reports), [Failed, Done, Partial, Failed, Done]);
    assert!(reports[0].ticket.reason().contains("a planted defect"), "{}", reports[0].ticket.reason());
    assert!(reports[2].ticket.reason().contains("refused"), "{}", reports[2].ticket.reason());
    assert_eq!(written.keys().collect::<Vec<_>>(), ["A.cbl", "B.cbl", "REFUSE.cbl"]);
}

#[test]
fn a_run_that_fails_fast_begins_nothing_more() {
    let (reports, written) = documented(&["A.cbl", "PANIC.cbl", "B.cbl"], 1, true);
    assert_eq!(states(&reports), [TicketState::Done, TicketState::Failed, TicketState::Pending]);
    assert_eq!(written.len(), 1);
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
        assert!(reports[0].bill.calls > chunks.len() as u64);
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
    assert!((30..150).contains(&reports[0].bill.calls), "{}", reports[0].bill.calls);
}
