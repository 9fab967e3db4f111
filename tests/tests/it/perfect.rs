//! A perfect Scribe, and nothing lost of what it says.

use war_rig_tests::fake::AnswerItemKind;
use war_rig_tests::oracle::Verdict;
use war_rig_tests::quality::Quality;
use war_rig_tests::{binary, fixtures};

/// Asserts that a run over the fixtures loses nothing and costs what was planned.
#[track_caller]
fn check(budget: u64) {
    let quality = Quality::measure(binary(), &fixtures(), budget).unwrap_or_else(|error| panic!("{error}"));
    let faults = quality.faults();
    assert!(faults.is_empty(), "{}\n{}", quality.row(), faults.join("\n"));
    let (facts, items) = (&quality.verdict.facts, &quality.verdict.items);
    // None of this is worth anything where there is nothing to lose.
    assert!(Verdict::sum(facts).total > 700 && Verdict::sum(items).total > 1500, "{}", quality.row());
    for kind in AnswerItemKind::ALL {
        assert!(items.get(&kind).is_some_and(|tally| tally.total > 5), "{kind}: {}", quality.row());
    }
}

#[test]
fn nothing_is_lost_at_6000() {
    check(6000);
}

#[test]
fn nothing_is_lost_at_8000() {
    check(8000);
}

#[test]
fn nothing_is_lost_at_15000() {
    check(15_000);
}
