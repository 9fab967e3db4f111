//! What a run keeps, whatever its Scribe and its files do.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use war_rig_cobol::{CopybookLibrary, NoCopybooks};
use war_rig_estimator::{Encoding, PromptBudget, TokenCount, TokenCounter};
use war_rig_llm::BudgetedPrompt;
use war_rig_pool::{
    DocumentSink, EstateGraph, Planner, Progress, RunOptions, SourceId, SourceOptions, Sources, TicketReport,
    TicketState, Workers, run,
};
use war_rig_scribe::{ChunkFacts, PromptFrame, Scribe, ScribeError, StaticScribe};
use war_rig_template::{Document, PartialTemplate};

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

    async fn write(
        &self,
        prompt: &BudgetedPrompt,
        facts: &ChunkFacts<'_>,
    ) -> Result<PartialTemplate, ScribeError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        for _ in 0..(64 - call % 64) {
            tokio::task::yield_now().await;
        }
        let file = facts.file.source.name();
        assert!(!file.starts_with("PANIC"), "a planted defect");
        if file.starts_with("REFUSE") && prompt.user().contains("chunk=2/") {
            return Err(ScribeError::Unusable("refused".to_owned()));
        }
        StaticScribe.write(prompt, facts).await
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
    assert!(reports[0].calls > 2, "{}", reports[0].calls);
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
