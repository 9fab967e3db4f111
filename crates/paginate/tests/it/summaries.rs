//! Texts of many parts that become one.

use crate::support::{Fake, LIMIT, agent, lines, run};
use std::sync::atomic::Ordering;
use war_rig_paginate::InputKind;

#[tokio::test]
async fn texts_that_fit_stand_one_after_the_other() {
    let (agent, fake) = (agent(""), Fake::perfect());
    let outcome = run(&agent, &fake, InputKind::Text, &lines(100)).await.unwrap();
    let summary = outcome.answer["summary"].as_str().unwrap();
    assert!(summary.starts_with("It begins with \"ID-1\".\n\nIt begins with \"ID-"), "{summary}");
    assert_eq!(fake.summed.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn texts_that_do_not_fit_are_read_together_within_the_budget() {
    let agent = agent("chunk_size = 1");
    let fake = Fake::new(|slice| {
        let mut found = crate::support::found(slice);
        found["summary"] = format!("{} {}", slice.text.trim(), "and so it goes on. ".repeat(20)).into();
        Ok(found)
    });
    let text = crate::support::records(200);
    let outcome = run(&agent, &fake, InputKind::JsonLines, &text).await.unwrap();
    assert_eq!(outcome.answer["summary"], "From ID-1 to ID-200.");
    assert!(fake.summed.load(Ordering::Relaxed) > 10);
    assert!(fake.prompts.lock().unwrap().iter().all(|(_, tokens)| *tokens <= LIMIT));
}
