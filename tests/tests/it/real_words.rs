//! The words of careful readers, served in place of a model's: they reach the documents whole, and lies do not pass for them.

use std::sync::{Arc, LazyLock};
use war_rig_tests::word_bank::WordBank;
use war_rig_tests::word_lies::WordLie;
use war_rig_tests::words_measure::WordsMeasure;
use war_rig_tests::{binary, fixtures, project};

static BANK: LazyLock<Arc<WordBank>> =
    LazyLock::new(|| Arc::new(WordBank::load(&project().join("fixtures/words"), &fixtures())));

/// What readers wrote falsely on purpose, as hurried people get it wrong: each item in one respect.
static FALSE_BANK: LazyLock<Arc<WordBank>> =
    LazyLock::new(|| Arc::new(WordBank::load(&project().join("fixtures/lies"), &fixtures())));

fn measure(budget: u64, lie: Option<WordLie>) -> WordsMeasure {
    WordsMeasure::of(binary(), &BANK, &fixtures(), budget, lie, false).unwrap()
}

#[test]
fn true_words_reach_the_documents_and_are_verified() {
    // With 6000 tokens some items are cut in two: the readers were shown more.
    for (budget, least_verified, most_refuted) in [(6000, 87.5, 1.5), (9000, 90.0, 1.0), (15_000, 90.0, 1.0)] {
        let measure = measure(budget, None);
        let row = measure.row(budget, "by names");
        assert!(measure.texts > 400, "{row}");
        assert_eq!(measure.lost, Vec::<String>::new(), "{budget}");
        assert_eq!(measure.rejected, Vec::<String>::new(), "{budget}");
        assert_eq!(measure.conflicts, Vec::<String>::new(), "{budget}");
        assert_eq!(measure.over_budget, 0);
        assert!(measure.share_of_all("verified") >= least_verified, "{row}");
        assert!(measure.share_of_all("unsupported") + measure.share_of_all("contradicted") <= most_refuted, "{row}");
        assert_eq!(measure.share_of_all("relocated"), 0.0, "{row}");
    }
}

/// Of the citations of the words that only a reader has, this share, of a hundred, may be verified although it lies.
#[track_caller]
fn check_lie(lie: WordLie, most_verified: f64, least_refuted: f64) {
    let measure = measure(9000, Some(lie));
    let row = measure.row(9000, &format!("{lie:?}"));
    let refuted = measure.share("unsupported") + measure.share("contradicted");
    assert!(measure.share("verified") <= most_verified, "{row}");
    assert!(refuted >= least_refuted, "{row}");
}

#[test]
fn citations_that_are_off_are_not_verified() {
    check_lie(WordLie::Shifted(15), 8.0, 54.0);
}

#[test]
fn words_that_turn_or_exchange_what_the_source_says_are_refuted() {
    check_lie(WordLie::Negated, 0.5, 88.0);
    check_lie(WordLie::Turned, 10.0, 87.0);
    check_lie(WordLie::Reversed, 0.5, 95.0);
    check_lie(WordLie::Swapped, 2.0, 97.0);
}

#[test]
fn numbers_and_literals_that_the_lines_lack_are_not_verified() {
    check_lie(WordLie::Renumbered, 0.5, 9.0);
    check_lie(WordLie::Requoted, 12.0, 7.0);
}

#[test]
fn words_by_ids_reach_the_documents_for_fewer_tokens() {
    let by_names = measure(9000, None);
    let by_ids = WordsMeasure::of(binary(), &BANK, &fixtures(), 9000, None, true).unwrap();
    let row = by_ids.row(9000, "by ids");
    assert_eq!(by_ids.lost, Vec::<String>::new(), "{row}");
    assert_eq!((by_ids.rejected.len(), by_ids.conflicts.len()), (0, 0), "{row}");
    assert!(by_ids.share_of_all("verified") >= 87.5, "{row}");
    assert!(by_ids.tokens.1 * 100 <= by_names.tokens.1 * 90, "{} and {}", row, by_names.tokens.1);
}

#[test]
fn false_words_are_refuted_by_what_the_parser_knows() {
    let measure = WordsMeasure::of(binary(), &FALSE_BANK, &fixtures(), 15_000, None, false).unwrap();
    let row = measure.row(15_000, "false");
    let refuted = measure.share("unsupported") + measure.share("contradicted");
    assert!(refuted >= 47.0 && measure.share("verified") <= 38.0, "{row}");
}
