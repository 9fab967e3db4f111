//! Parts: what is asked, in which words, and what comes of it.

use crate::support::{Fake, LIMIT, agent, asking, ids, input, lines, options, records, run};
use serde_json::{Value, json};
use std::sync::Arc;
use war_rig_estimator::TokenCount;
use war_rig_paginate::{Agent, ExtractError, ExtractionEvent, InputKind, OutcomeStatus, PaginateError};

#[tokio::test]
async fn a_long_text_is_asked_about_in_parts_and_answered_once() {
    let (agent, fake) = (agent(""), Fake::perfect());
    let outcome = run(&agent, &fake, InputKind::Text, &lines(400)).await.unwrap();
    assert_eq!(outcome.status, OutcomeStatus::Complete);
    assert_eq!(ids(&outcome), (1..=400).collect::<Vec<_>>());
    assert_eq!(outcome.answer["count"], 400);
    let prompts = fake.prompts.lock().unwrap();
    assert!(prompts.len() > 5);
    assert!(prompts.iter().all(|(_, tokens)| *tokens <= LIMIT));
    assert!(prompts.iter().any(|(text, _)| text.contains(&format!("Part 3 of {}.\n", prompts.len()))));
    assert_eq!(outcome.parts.parts, prompts.len() as u64);
    assert_eq!(outcome.parts.prompt_tokens, prompts.iter().map(|(_, tokens)| tokens).sum::<u64>());
    let audit = outcome.audit.unwrap();
    assert_eq!((audit.found, audit.missed.len()), (400, 0));
    for (provenance, number) in outcome.provenance.iter().filter(|one| one.path.starts_with("/items/")).zip(1..) {
        assert_eq!(provenance.origins.len(), 1, "{provenance:?}");
        assert_eq!(provenance.origins[0].place.lines, Some((number, number)), "{provenance:?}");
        assert!(provenance.origins[0].located);
    }
}

#[tokio::test]
async fn how_many_are_asked_at_a_time_does_not_show() {
    let agent = agent("chunk_size = 7");
    let mut results = Vec::new();
    for concurrency in [1, 3, 16] {
        let options = war_rig_paginate::PaginateOptions { concurrency, ..options(&agent.pagination) };
        let paginator = asking(&agent, &Fake::perfect(), options);
        let outcome = paginator.run(input(InputKind::JsonLines, &records(300))).outcome().await.unwrap();
        results.push(serde_json::to_string(&outcome).unwrap());
    }
    assert!(results.iter().all(|result| *result == results[0]));
    assert!(results[0].contains("\"records\":[300,300]"));
}

#[tokio::test]
async fn an_answer_that_is_too_long_makes_its_part_smaller() {
    let agent = agent("chunk_size = 16");
    let fake = Fake::new(|slice| match slice.marks.len() {
        0..=5 => Ok(crate::support::found(slice)),
        _ => Err(ExtractError::TooLong(None)),
    });
    let mut run = asking(&agent, &fake, options(&agent.pagination)).run(input(InputKind::JsonLines, &records(40)));
    let mut split = 0;
    while let Some(progress) = run.next_event().await {
        split += usize::from(matches!(progress, ExtractionEvent::Split { .. }));
    }
    let outcome = run.outcome().await.unwrap();
    assert_eq!(ids(&outcome), (1..=40).collect::<Vec<_>>());
    // 16 and 16 in four pieces each, 8 in two.
    assert_eq!((split, outcome.parts.parts, outcome.parts.answered), (7, 10, 10));
    let last = outcome.provenance.iter().rfind(|one| one.path.starts_with("/items/")).unwrap();
    assert_eq!(last.origins[0].part, 3);
}

#[tokio::test]
async fn what_is_never_to_be_divided_is_asked_whole_or_refused() {
    let agent = agent("paginate = \"never\"");
    let fake = Fake::perfect();
    let outcome = run(&agent, &fake, InputKind::Text, "ID-1\n\x0cID-2\n").await.unwrap();
    assert_eq!((ids(&outcome), outcome.parts.parts), (vec![1, 2], 1));
    assert!(fake.asked()[0].contains("[page 2]\nID-2\n"), "{}", fake.asked()[0]);
    let error = run(&agent, &fake, InputKind::Text, &lines(400)).await.unwrap_err();
    assert!(matches!(error, PaginateError::TooLarge { .. }), "{error}");
    let error = run(&agent, &fake, InputKind::Text, "").await.unwrap_err();
    assert!(matches!(error, PaginateError::Empty(_)), "{error}");
    assert_eq!(fake.asked().len(), 1);
}

#[tokio::test]
async fn a_question_without_room_for_an_input_is_refused_with_what_it_takes() {
    let agent = agent("");
    let fake = Fake::perfect();
    let limit = |limit: u64| {
        let options =
            war_rig_paginate::PaginateOptions { max_prompt: TokenCount::new(limit), ..options(&agent.pagination) };
        asking(&agent, &fake, options).plan(input(InputKind::Text, &lines(10)))
    };
    let Err(PaginateError::NoRoom { fixed, .. }) = limit(300) else { panic!("there was room") };
    assert!(limit(fixed.get() - 1).is_err());
    assert_eq!(limit(fixed.get()).unwrap().failed, []);
}

#[tokio::test]
async fn a_plan_is_what_the_run_then_does() {
    for (kind, text) in [(InputKind::Text, lines(300)), (InputKind::JsonLines, records(300))] {
        let (agent, fake) = (agent(""), Fake::perfect());
        let paginator = asking(&agent, &fake, options(&agent.pagination));
        let plan = paginator.plan(input(kind, &text)).unwrap();
        assert_eq!(fake.asked().len(), 0);
        let outcome = paginator.run(input(kind, &text)).outcome().await.unwrap();
        let parts = outcome.parts;
        assert_eq!(
            (plan.parts, plan.units, plan.prompt_tokens, plan.largest_prompt_tokens),
            (parts.parts, parts.units, parts.prompt_tokens, parts.largest_prompt_tokens)
        );
    }
}

#[tokio::test]
async fn what_was_found_is_carried_from_part_to_part() {
    let agent = agent("carry = true");
    let fake = Fake::perfect();
    let outcome = run(&agent, &fake, InputKind::Text, &lines(200)).await.unwrap();
    assert_eq!(ids(&outcome).len(), 200);
    let asked = fake.asked();
    assert!(!asked[0].contains("kind=so-far"));
    assert!(asked[1].contains("kind=so-far>>>\n{") && asked[1].contains("ID-1\""), "{}", asked[1]);
    assert!(asked.last().unwrap().contains("not shown"));
    assert!(fake.prompts.lock().unwrap().iter().all(|(_, tokens)| *tokens <= LIMIT));
}

#[tokio::test]
async fn the_number_of_parts_is_told_where_the_input_is_not_too_long_to_know_it() {
    let agent = agent("chunk_size = 100000");
    let text = lines(150_000);
    let fake = Fake::new(|_| Err(ExtractError::Unusable("enough".to_owned())));
    let wide = war_rig_paginate::PaginateOptions {
        max_prompt: TokenCount::new(120_000),
        max_part: TokenCount::new(100_000),
        ..options(&agent.pagination)
    };
    asking(&agent, &fake, wide).run(input(InputKind::Text, &text)).outcome().await.unwrap_err();
    assert!(fake.asked()[0].contains("\n\nPart 1.\n<<<INPUT"));
    let fake = Arc::clone(&Fake::perfect());
    run(&agent, &fake, InputKind::Text, &lines(3)).await.unwrap();
    assert!(fake.asked()[0].contains("\n\n<<<INPUT"));
}

#[tokio::test]
async fn where_the_first_answer_stands_no_later_part_is_asked() {
    let text = r#"
name = "title"
description = "A title"
system = "You find the title."
[pagination]
merge = "first"
[schema]
type = "object"
[schema.properties.title]
type = ["string", "null"]
"#;
    let agent = Arc::new(Agent::from_toml(text).unwrap());
    // The first part has no title, and is answered with nothing.
    let fake = Fake::new(|slice| match slice.text.contains("ID-1 ") {
        true => Ok(Value::Null),
        false => Ok(json!({"title": "found"})),
    });
    let outcome = run(&agent, &fake, InputKind::Text, &lines(400)).await.unwrap();
    assert_eq!(outcome.answer, json!({"title": "found"}));
    assert_eq!(fake.asked().len(), 2, "{:?}", outcome.notes);
    assert!(outcome.notes.iter().any(|note| note.contains("no later part was asked")), "{:?}", outcome.notes);
}
