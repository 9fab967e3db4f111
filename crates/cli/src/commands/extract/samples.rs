//! Sample outcomes, for the tests of reports.

use serde_json::json;
use war_rig_llm::UsageTotals;
use war_rig_paginate::{
    AuditResult, ExtractionOutcome, FailedPart, MissedText, OutcomeStatus, PartNote, PartTotals, Violation,
};
use war_rig_paginate::{
    DiscardedAnswer, InputLocation, JoinReason, JoinedItem, MergeConflict, Provenance, ValueOrigin,
};

pub fn page(first: u64, last: u64) -> InputLocation {
    InputLocation { pages: Some((first, last)), ..InputLocation::default() }
}

fn origin(part: u64, place: InputLocation, located: bool) -> ValueOrigin {
    ValueOrigin { part, place, located, in_overlap: false }
}

fn at(path: &str, origins: Vec<ValueOrigin>) -> Provenance {
    Provenance { path: path.to_owned(), origins }
}

/// Returns an outcome with every problem that still leaves an answer.
pub fn outcome() -> ExtractionOutcome {
    let record = InputLocation { records: Some((7, 7)), ..InputLocation::default() };
    ExtractionOutcome {
        status: OutcomeStatus::Partial,
        agent: "action-items".to_owned(),
        input: "notes.pdf".to_owned(),
        produced_by: "gpt-4o".to_owned(),
        answer: json!({
            "title": "Weekly meeting",
            "items": [
                {"id": "PBI-1", "description": "Fix the login"},
                {"id": "PBI-2", "description": "Renew the \u{1b}[31mlicence"},
                {"id": "PBI-3", "description": null},
            ],
            "tags": ["a", "b"],
            "counts": {"open": 2, "nested": {"a": [1]}},
        }),
        provenance: vec![
            at("/title", vec![origin(1, page(1, 1), true)]),
            at("/items/0", vec![origin(1, page(1, 1), true), origin(3, page(3, 3), true)]),
            at("/items/1", vec![origin(2, page(2, 3), false)]),
            at("/tags/0", vec![origin(1, record, true)]),
        ],
        conflicts: vec![MergeConflict {
            path: "/title".to_owned(),
            kept: json!("Weekly meeting"),
            kept_part: 1,
            dropped: json!("Weekly\nmeeting?"),
            dropped_part: 2,
        }],
        joined: vec![JoinedItem {
            path: "/items/0".to_owned(),
            by: JoinReason::Similarity,
            similarity: Some(0.97),
            kept_part: 1,
            dropped: json!({"id": "PBI-1"}),
            dropped_part: 3,
        }],
        discarded: vec![DiscardedAnswer { part: 2, path: String::new(), value: json!({}) }],
        dropped: vec![PartNote { part: 2, note: "`owner` is no string".to_owned() }],
        failed: vec![FailedPart { part: 4, place: page(5, 6), reason: "the model refuses".to_owned() }],
        violations: vec![Violation { path: "/items/2".to_owned(), message: "no description".to_owned() }],
        audit: Some(AuditResult {
            found: 4,
            missed: vec![MissedText { pattern: "PBI".to_owned(), text: "PBI-9".to_owned(), place: page(4, 4) }],
        }),
        parts: PartTotals {
            parts: 4,
            answered: 3,
            units: 6,
            prompt_tokens: 4000,
            largest_prompt_tokens: 1100,
            max_prompt_tokens: 2000,
            prompts_over_budget: 0,
        },
        notes: vec!["page 2 has no text".to_owned()],
        bill: UsageTotals {
            calls: 5,
            retries: 1,
            prompt_tokens: 5000,
            completion_tokens: 300,
            ..UsageTotals::default()
        },
        stopped: None,
    }
}

/// Text that clears a screen, rings the bell, forges a line, reverses the text direction and hides some of it.
pub const HOSTILE: &str =
    "a\u{1b}[2J\u{9b}1m\u{7}\r\nerror: b\u{85}\u{2028}\u{202e}c\u{2066}\u{200b}\u{feff}\u{e0041}\u{7f}\u{0}d";

/// Whether a line has no effect on a terminal but to be shown.
pub fn is_harmless(line: &str) -> bool {
    !line.chars().any(war_rig_text::is_unsafe_to_display)
}

/// Returns an outcome in which a model or an input has injected hostile text everywhere.
pub fn hostile() -> ExtractionOutcome {
    let text = || HOSTILE.to_owned();
    let path = || format!("/{HOSTILE}");
    ExtractionOutcome {
        agent: text(),
        input: text(),
        produced_by: text(),
        answer: json!({
            HOSTILE: HOSTILE,
            "plain": HOSTILE,
            "rows": [{HOSTILE: HOSTILE}, {HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]}],
            "object": {HOSTILE: {HOSTILE: HOSTILE}},
            "list": [HOSTILE],
        }),
        provenance: Vec::new(),
        conflicts: vec![MergeConflict {
            path: path(),
            kept: json!(HOSTILE),
            kept_part: 1,
            dropped: json!({HOSTILE: HOSTILE}),
            dropped_part: 2,
        }],
        joined: vec![JoinedItem {
            path: path(),
            by: JoinReason::Similarity,
            similarity: Some(0.97),
            kept_part: 1,
            dropped: json!([HOSTILE]),
            dropped_part: 3,
        }],
        discarded: vec![DiscardedAnswer { part: 2, path: path(), value: json!(HOSTILE) }],
        dropped: vec![PartNote { part: 2, note: text() }],
        failed: vec![FailedPart { part: 4, place: page(5, 6), reason: text() }],
        violations: vec![Violation { path: path(), message: text() }],
        audit: Some(AuditResult {
            found: 1,
            missed: vec![MissedText { pattern: text(), text: text(), place: page(4, 4) }],
        }),
        notes: vec![text()],
        ..outcome()
    }
}
