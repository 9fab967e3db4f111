//! Which way envelopes go.

use super::any::{any_json, any_text};
use super::*;
use fastrand::Rng;
use proptest::prelude::*;
use std::sync::LazyLock;
use war_rig_envelope::{
    Chunking, EnvelopeBudgetError, EnvelopePart, EnvelopeRoute, EnvelopeTarget, RouteErrorKind, SplitStrategy,
    TargetModel, TokenBudget, envelope_budget, join, route,
};
use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};

static COUNTERS: LazyLock<[TokenCounter; 2]> =
    LazyLock::new(|| [TokenizerEncoding::O200kBase, TokenizerEncoding::Heuristic].map(TokenCounter::new));

fn model(counter: &TokenCounter, ratio: f64) -> TargetModel {
    TargetModel::new("openai", "m", counter.clone(), TokenCount::new(200_000), ratio).unwrap()
}

/// A target that may be sent so many tokens at once.
fn target(most: u64) -> EnvelopeTarget {
    let max_chunk_size = TokenCount::new(most);
    EnvelopeTarget {
        name: "scribe".to_owned(),
        model: Some(model(&COUNTERS[1], 1.0)),
        token_budget: TokenBudget { max_chunk_size, ..TokenBudget::default() },
        chunking: Chunking::default(),
    }
}

fn parts(envelope: &Envelope, target: &EnvelopeTarget) -> Vec<EnvelopePart> {
    match route(envelope, target).unwrap() {
        EnvelopeRoute::Parts(parts) => parts,
        other => panic!("{other:?}"),
    }
}

fn shown(parts: &[EnvelopePart]) -> Vec<&str> {
    parts.iter().map(|part| part.envelope.payload.as_str().unwrap()).collect()
}

/// The parts without what each is shown again, one after the other.
fn tiled(parts: &[EnvelopePart]) -> String {
    parts
        .iter()
        .map(|part| &part.envelope.payload.as_str().unwrap()[part.envelope.part.as_ref().unwrap().overlap()..])
        .collect()
}

/// What holds of the parts of any envelope: each is an envelope of its own that says which part it is, and is within the budget as it is sent.
fn check(envelope: &Envelope, target: &EnvelopeTarget, parts: &[EnvelopePart]) {
    let model = target.model.as_ref().unwrap();
    for (number, part) in (1..).zip(parts) {
        let of = part.envelope.part.as_ref().unwrap();
        assert_eq!((of.whole_id(), of.number(), of.total()), (&envelope.id, number, parts.len() as u32));
        assert_eq!((&part.envelope.headers, &part.envelope.source), (&envelope.headers, &envelope.source));
        assert_eq!(part.envelope.trace.trace_id(), envelope.trace.trace_id());
        assert_ne!(part.envelope.trace, envelope.trace);
        let budget = envelope_budget(&part.envelope, model, &target.token_budget).unwrap();
        assert_eq!(budget, part.budget);
        assert!(!budget.needs_splitting && budget.total <= budget.limit, "{budget:?}");
        // It comes out of its pieces as the part that it is.
        let pieces = split(&part.envelope, SplitStrategy::Auto, &at_most(64)).unwrap();
        assert_eq!(join(pieces).unwrap(), part.envelope);
    }
    let mut ids: Vec<_> = parts.iter().map(|part| &part.envelope.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), parts.len());
}

#[test]
fn what_is_within_the_budget_and_the_size_goes_as_it_is() {
    let envelope = text("e1", "a word\n".repeat(100));
    let total = envelope_budget(&envelope, target(9).model.as_ref().unwrap(), &TokenBudget::default()).unwrap().total;
    assert_eq!(route(&envelope, &target(total.get())).unwrap(), EnvelopeRoute::Single);
    assert!(parts(&envelope, &target(total.get() - 1)).len() > 1);
}

#[test]
fn a_target_that_is_no_model_is_never_divided_for_tokens() {
    let mut target = EnvelopeTarget { model: None, ..target(1) };
    let envelope = text("e1", "a word\n".repeat(1000));
    assert_eq!(route(&envelope, &target).unwrap(), EnvelopeRoute::Single);
    assert_eq!(route(&super::envelope("e1", Payload::bytes(vec![0xff; 9])), &target).unwrap(), EnvelopeRoute::Single);
    // For size it is, and joined again.
    target.chunking.max_payload_size = envelope.payload.len();
    assert_eq!(route(&envelope, &target).unwrap(), EnvelopeRoute::Single);
    target.chunking.max_payload_size -= 1;
    assert_eq!(route(&envelope, &target).unwrap(), EnvelopeRoute::Pieces(2));
    target.chunking.enabled = false;
    assert_eq!(
        route(&envelope, &target).unwrap_err().to_string(),
        "the message for `scribe` cannot be sent: its payload has 7000 bytes, a message may have 6999, and chunking is off"
    );
}

#[test]
fn a_model_whose_budget_is_off_is_sent_pieces() {
    let mut target = target(1);
    target.token_budget.enabled = false;
    target.chunking.max_payload_size = 1000;
    let envelope = text("e1", "a word\n".repeat(1000));
    assert_eq!(route(&envelope, &target).unwrap(), EnvelopeRoute::Pieces(8));
}

#[test]
fn what_cannot_be_counted_is_an_error_and_not_sent() {
    let bytes = envelope("e1", Payload::bytes(vec![0xff; 9]));
    let refused = route(&bytes, &target(1000)).unwrap_err();
    assert!(matches!(refused.kind, RouteErrorKind::Budget(EnvelopeBudgetError::NoText { .. })), "{refused}");
    assert_eq!(
        refused.to_string(),
        "the message for `scribe` cannot be sent: a payload of bytes has no tokens that could be counted"
    );
    let refused = route(&text("e1", "a word\n".repeat(1000)), &target(20)).unwrap_err();
    assert!(matches!(refused.kind, RouteErrorKind::Budget(EnvelopeBudgetError::NoRoom { .. })), "{refused}");
}

#[test]
fn text_is_divided_behind_lines_and_shown_again_in_lines() {
    let payload: String = (0..400).map(|line| format!("line {line:03} of the text\n")).collect();
    let envelope = text("e1", payload.clone());
    let target = target(600);
    let parts = parts(&envelope, &target);
    check(&envelope, &target, &parts);
    assert!(parts.len() > 3);
    assert_eq!(tiled(&parts), payload);
    for (number, part) in parts.iter().enumerate() {
        let (text, of) = (part.envelope.payload.as_str().unwrap(), part.envelope.part.as_ref().unwrap());
        assert!(text.starts_with("line ") && text.ends_with("text\n"));
        let again = &text[..of.overlap()];
        assert_eq!(again.is_empty(), number == 0);
        assert!(number == 0 || parts[number - 1].envelope.payload.as_str().unwrap().ends_with(again));
        // The budget is used: what would have fitted is not left for the next one.
        let last = number + 1 == parts.len();
        assert!(last || part.budget.total.get() * 10 > part.budget.limit.get() * 9, "{:?}", part.budget);
    }
}

#[test]
fn a_line_over_the_budget_is_divided_in_words_and_a_word_between_characters() {
    for payload in ["word ".repeat(2000), "é".repeat(2000), format!("short\n{}\nshort\n", "x1".repeat(3000))] {
        let envelope = text("e1", payload.clone());
        let parts = parts(&envelope, &target(600));
        check(&envelope, &target(600), &parts);
        assert_eq!(tiled(&parts), payload);
    }
}

#[test]
fn an_array_is_divided_into_arrays_of_whole_elements() {
    let elements: Vec<_> = (0..300).map(|number| format!(r#"{{ "n": {number}, "s": "],[" }}"#)).collect();
    let json = format!(" [ {} ]\n", elements.join(" ,\n"));
    let envelope = envelope("e1", Payload::json(json).unwrap());
    let target = target(700);
    let parts = parts(&envelope, &target);
    check(&envelope, &target, &parts);
    assert!(parts.len() > 3);
    let all: Vec<serde_json::Value> =
        shown(&parts).iter().flat_map(|part| serde_json::from_str::<Vec<serde_json::Value>>(part).unwrap()).collect();
    assert_eq!(serde_json::Value::Array(all), envelope.payload.value::<serde_json::Value>().unwrap());
    assert!(shown(&parts).iter().all(|part| part.starts_with("[{ \"n\"") && part.ends_with("\" }]")));
}

#[test]
fn an_object_is_divided_into_objects_and_members_of_one_name_both_stay() {
    let members: Vec<_> = (0..300).map(|number| format!(r#""k{}": "some words of it""#, number / 2)).collect();
    let envelope = envelope("e1", Payload::json(format!("{{{}}}", members.join(", "))).unwrap());
    let target = target(700);
    let parts = parts(&envelope, &target);
    check(&envelope, &target, &parts);
    let all: Vec<_> = shown(&parts).iter().map(|part| part.trim_matches(['{', '}'])).collect();
    assert_eq!(all.join(", "), members.join(", "));
}

#[test]
fn an_element_over_the_budget_is_named() {
    let long = "word ".repeat(1000);
    let json = format!(r#"{{"a":1,"long/one":"{long}","b":2}}"#);
    let refused = route(&envelope("e1", Payload::json(json).unwrap()), &target(700)).unwrap_err();
    let RouteErrorKind::ElementTooLarge { element, tokens, limit } = refused.kind else { panic!("{refused}") };
    assert_eq!(element, "/long~1one");
    assert!(tokens > limit);
    let scalar = envelope("e1", Payload::json(format!("\"{long}\"")).unwrap());
    let refused = route(&scalar, &target(700)).unwrap_err();
    assert!(matches!(refused.kind, RouteErrorKind::NoContainer { .. }), "{refused}");
    // As text it can be divided, where its target takes text.
    let mut target = target(700);
    target.chunking.strategy = SplitStrategy::Text;
    let parts = parts(&scalar, &target);
    check(&scalar, &target, &parts);
    assert_eq!(tiled(&parts), scalar.payload.as_str().unwrap());
}

#[test]
fn a_character_over_what_is_left_beside_headers_is_an_error() {
    // Each of them takes four tokens of those that are counted here.
    let envelope = text("e1", "\u{1F600}".repeat(500));
    let kinds: Vec<u8> = (1..400)
        .map(|most| match route(&envelope, &target(most)) {
            Err(refused) if matches!(refused.kind, RouteErrorKind::Budget(EnvelopeBudgetError::NoRoom { .. })) => 0,
            Err(refused) if matches!(refused.kind, RouteErrorKind::CharacterTooLarge { .. }) => 1,
            Ok(EnvelopeRoute::Parts(_)) => 2,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(kinds.is_sorted());
    assert_eq!(kinds.iter().filter(|kind| **kind == 1).count(), 3);
}

#[test]
fn an_array_of_blanks_is_sent_without_them() {
    let json = format!("[{}]", "\n \t".repeat(3000));
    let envelope = envelope("e1", Payload::json(json).unwrap());
    let parts = parts(&envelope, &target(700));
    assert_eq!(shown(&parts), ["[]"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(60).min(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_any_text_tile_it_within_the_budget(seed: u64) {
        let mut rng = Rng::with_seed(seed);
        let mut target = target(rng.u64(250..1000));
        target.model = Some(model(&COUNTERS[rng.usize(..2)], [1.0, 1.3][rng.usize(..2)]));
        let payload = any_text(&mut rng, 6000);
        let envelope = text("e1", payload.clone());
        if let EnvelopeRoute::Parts(parts) = route(&envelope, &target).unwrap() {
            check(&envelope, &target, &parts);
            prop_assert_eq!(tiled(&parts), payload);
        }
    }

    #[test]
    fn parts_of_any_json_are_its_elements_within_the_budget(seed: u64) {
        let mut rng = Rng::with_seed(seed);
        let mut target = target(rng.u64(250..1000));
        target.model = Some(model(&COUNTERS[rng.usize(..2)], [1.0, 1.3][rng.usize(..2)]));
        let envelope = envelope("e1", Payload::json(any_json(&mut rng, 6000)).unwrap());
        match route(&envelope, &target) {
            Ok(EnvelopeRoute::Parts(parts)) => {
                check(&envelope, &target, &parts);
                // Elements as they stand, blanks between them aside: brackets and commas put back.
                let bare: Vec<&str> = shown(&parts).iter().map(|part| &part[1..part.len() - 1]).collect();
                let whole = envelope.payload.as_str().unwrap().trim();
                let squeezed = |text: &str| text.split_whitespace().collect::<String>();
                prop_assert_eq!(squeezed(&bare.join(",")), squeezed(&whole[1..whole.len() - 1]));
            }
            Ok(_) => {}
            Err(refused) => prop_assert!(matches!(refused.kind, RouteErrorKind::ElementTooLarge { .. }), "{}", refused),
        }
    }
}
