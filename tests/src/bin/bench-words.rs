//! Documents the programs of a word bank with the bank as the model, and tells what became of the words.
//!
//! `bench-words BINARY WORDS SOURCES BUDGET...`, each budget without lies and with every lie. With `--show LIE` it prints the items
//! that are not refuted although they lie. `scripts/bench-words` builds what it needs.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use war_rig_tests::word_bank::WordBank;
use war_rig_tests::word_lies::WordLie;
use war_rig_tests::words_measure::WordsMeasure;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-words: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let mut path = |what: &str| -> Result<PathBuf, String> {
        let path = PathBuf::from(arguments.next().ok_or(format!("{what} is missing"))?);
        path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
    };
    let (binary, words, sources) = (path("the binary")?, path("the folder of words")?, path("the folder of sources")?);
    let mut budgets = Vec::new();
    let mut shown = None;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--show" => shown = arguments.next(),
            budget => budgets.push(budget.parse::<u64>().map_err(|_| format!("`{budget}` is no number of tokens"))?),
        }
    }
    let bank = Arc::new(WordBank::load(&words, &sources));
    println!("{}", WordsMeasure::head());
    for budget in budgets {
        for (lie, by_ids) in [(None, false), (None, true)].into_iter().chain(WordLie::ALL.map(|lie| (Some(lie), false)))
        {
            let measure = WordsMeasure::of(&binary, &bank, &sources, budget, lie, by_ids)?;
            let what = match lie {
                Some(lie) => format!("{lie:?}"),
                None => if by_ids { "by ids" } else { "by names" }.to_owned(),
            };
            println!("{}", measure.row(budget, &what));
            if lie.is_none() {
                measure.lost.iter().for_each(|text| println!("lost: {text}"));
                measure.rejected.iter().for_each(|item| println!("rejected: {item}"));
                measure.refuted.iter().for_each(|item| println!("refuted: {item}"));
                measure.conflicts.iter().for_each(|conflict| println!("conflict: {conflict}"));
            }
            if shown.as_deref().is_some_and(|shown| what.starts_with(shown)) {
                measure.verified.iter().for_each(|item| println!("verified: {item}"));
                measure.unchecked.iter().for_each(|item| println!("unchecked: {item}"));
            }
        }
    }
    Ok(())
}
