//! Parts without an answer, and runs that end before their time.

use crate::support::{Fake, agent, found, ids, records, run};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use war_rig_llm::{StopError, StopReason};
use war_rig_paginate::{ExtractError, InputKind, OutcomeStatus, PaginateError};

/// One that makes nothing of the part with record 25.
fn failing() -> Arc<Fake> {
    Fake::new(|slice| match slice.text.contains("ID-25\"") {
        true => Err(ExtractError::Unusable("the model refuses".to_owned())),
        false => Ok(found(slice)),
    })
}

#[tokio::test]
async fn a_failed_part_ends_the_run() {
    let agent = agent("chunk_size = 10\norder = \"sequential\"");
    let fake = failing();
    let error = run(&agent, &fake, InputKind::JsonLines, &records(100)).await.unwrap_err();
    let PaginateError::Part { part, reason } = error else { panic!("{error}") };
    assert_eq!((part, reason.as_str()), (3, "the model refuses"));
    assert_eq!(fake.asked().len(), 3);
}

#[tokio::test]
async fn a_partial_answer_says_what_is_missing() {
    let agent = agent("chunk_size = 10\non_failure = \"partial\"");
    let outcome = run(&agent, &failing(), InputKind::JsonLines, &records(100)).await.unwrap();
    assert_eq!(outcome.status, OutcomeStatus::Partial);
    assert_eq!(ids(&outcome), (1..=20).chain(31..=100).collect::<Vec<_>>());
    let [failed] = outcome.failed.as_slice() else { panic!("{:?}", outcome.failed) };
    assert_eq!((failed.part, failed.place.records), (3, Some((21, 30))));
    let missed: Vec<_> = outcome.audit.unwrap().missed.into_iter().map(|missed| missed.text).collect();
    assert_eq!(missed, (21..=30).map(|number| format!("ID-{number}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_record_that_is_too_large_is_named() {
    let text = records(5) + &format!("{{\"record\": \"{}\"}}\n", "ID-77 ".repeat(2000)) + &records(3);
    let fake = Fake::perfect();
    let error = run(&agent(""), &fake, InputKind::JsonLines, &text).await.unwrap_err();
    assert!(error.to_string().contains("record 6 has "), "{error}");
    let agent = agent("on_failure = \"partial\"");
    let outcome = run(&agent, &fake, InputKind::JsonLines, &text).await.unwrap();
    assert_eq!(outcome.failed[0].place.records, Some((6, 6)));
    assert_eq!((ids(&outcome), outcome.parts.units), (vec![1, 2, 3, 4, 5], 9));
    assert_eq!(outcome.answer["count"], 8);
}

#[tokio::test]
async fn a_run_that_is_stopped_says_so_and_keeps_what_it_has() {
    let stopping = || {
        let asked = AtomicUsize::new(0);
        Fake::new(move |slice| match asked.fetch_add(1, Ordering::Relaxed) {
            0..4 => Ok(found(slice)),
            _ => {
                let (reason, message) = (StopReason::Quota, "the quota is used up".to_owned());
                Err(ExtractError::Stopped(StopError { reason, message }))
            }
        })
    };
    let sequential = "chunk_size = 10\norder = \"sequential\"";
    let error = run(&agent(sequential), &stopping(), InputKind::JsonLines, &records(100)).await.unwrap_err();
    assert!(matches!(&error, PaginateError::Stopped(stopped) if stopped.reason == StopReason::Quota));
    let agent = agent(&format!("{sequential}\non_failure = \"partial\""));
    let outcome = run(&agent, &stopping(), InputKind::JsonLines, &records(100)).await.unwrap();
    assert_eq!(ids(&outcome), (1..=40).collect::<Vec<_>>());
    assert_eq!(outcome.failed.len(), 2, "{:?}", outcome.failed);
    assert_eq!(outcome.stopped.unwrap().reason, StopReason::Quota);
    // The last part of all is no reason to say that there is more.
    let outcome = run(&agent, &stopping(), InputKind::JsonLines, &records(50)).await.unwrap();
    assert_eq!(outcome.failed.len(), 1, "{:?}", outcome.failed);
}

#[tokio::test]
async fn an_input_that_breaks_off_is_told() {
    let text = records(30) + "ID-31 \u{0}";
    let bytes = [text.as_bytes(), &[0xff, 0xfe, b'\n'][..]].concat();
    for (pagination, is_partial) in [("", false), ("on_failure = \"partial\"", true)] {
        let agent = agent(&format!("chunk_size = 10\n{pagination}"));
        let reader = std::io::Cursor::new(bytes.clone());
        let input = war_rig_paginate::Input::from_reader("notes", reader, Some(InputKind::JsonLines), None).unwrap();
        let paginator = crate::support::asking(&agent, &Fake::perfect(), crate::support::options(&agent.pagination));
        match paginator.run(input).outcome().await {
            Ok(outcome) => {
                assert!(is_partial);
                let failed = outcome.failed.last().unwrap();
                assert!(failed.reason.contains("line 31"), "{failed:?}");
                assert_eq!(failed.place.lines, Some((31, 31)));
                assert_eq!((outcome.parts.parts, outcome.parts.answered), (4, 3));
            }
            Err(error) => assert!(!is_partial && error.to_string().contains("line 31"), "{error}"),
        }
    }
}

#[tokio::test]
async fn an_array_that_breaks_off_says_at_which_record() {
    let agent = agent("on_failure = \"partial\"");
    let text = "[\"ID-1\",\n\"ID-2\",\ntru]";
    let outcome = run(&agent, &Fake::perfect(), InputKind::Json, text).await.unwrap();
    assert_eq!(ids(&outcome), [1, 2]);
    let place = &outcome.failed[0].place;
    assert_eq!((outcome.failed.len(), place.records, place.lines), (1, Some((3, 3)), Some((3, 3))));
    let plan = crate::support::asking(&agent, &Fake::perfect(), crate::support::options(&agent.pagination))
        .plan(crate::support::input(InputKind::Json, text))
        .unwrap();
    assert_eq!(plan.failed, outcome.failed);
}

#[tokio::test]
async fn blanks_alone_are_not_asked_about() {
    let fake = Fake::perfect();
    let text = format!("{}{}", "ID-1 is a line.\n", " \n".repeat(20_000));
    let outcome = run(&agent("chunk_size = 300"), &fake, InputKind::Text, &text).await.unwrap();
    assert_eq!((ids(&outcome), outcome.parts.parts), (vec![1], 1));
    let error = run(&agent(""), &fake, InputKind::Text, "\n \n").await.unwrap_err();
    assert_eq!(error.to_string(), "notes: there is nothing in it");
}

/// A PDF of pages that show this, without a table of where its objects stand.
fn pdf(pages: &[&str]) -> String {
    let kids: Vec<_> = (0..pages.len()).map(|page| format!("{} 0 R", 10 + 2 * page)).collect();
    let mut file = format!(
        "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count {}/Kids[{}]\
         /Resources<</Font<</F1 3 0 R>>>>>>\nendobj\n3 0 obj\n<</Type/Font/Subtype/Type1/BaseFont/Courier\
         /Encoding/WinAnsiEncoding>>\nendobj\n",
        pages.len(),
        kids.join(" ")
    );
    for (index, shown) in pages.iter().enumerate() {
        let id = 10 + 2 * index;
        file += &format!("{id} 0 obj\n<</Type/Page/Parent 2 0 R/Contents {} 0 R>>\nendobj\n", id + 1);
        file += &format!("{} 0 obj\n<</Length {}>>\nstream\n{shown}\nendstream\nendobj\n", id + 1, shown.len());
    }
    file + "trailer\n<</Size 100/Root 1 0 R>>\n"
}

#[tokio::test]
async fn a_page_that_cannot_be_read_is_a_failed_part() {
    let page = |text: &str| format!("BT /F1 12 Tf ({text}) Tj ET");
    let text = pdf(&[&page("ID-1"), "BT /F1 12 Tf (ID-2", &page("ID-3")]);
    let error = run(&agent(""), &Fake::perfect(), InputKind::Pdf, &text).await.unwrap_err();
    assert_eq!(error.to_string(), "part 2: page 2 cannot be read: what it shows is damaged");
    let partial = agent("on_failure = \"partial\"");
    let outcome = run(&partial, &Fake::perfect(), InputKind::Pdf, &text).await.unwrap();
    assert_eq!((ids(&outcome), outcome.status), (vec![1, 3], OutcomeStatus::Partial));
    assert_eq!((outcome.failed.len(), outcome.failed[0].place.pages), (1, Some((2, 2))));
    let empty = pdf(&["BT ET", "q Q"]);
    let error = run(&agent(""), &Fake::perfect(), InputKind::Pdf, &empty).await.unwrap_err();
    let expected = "notes: none of its pages (2) has text; pages that were scanned have none";
    assert_eq!(error.to_string(), expected);
}
