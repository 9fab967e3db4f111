//! Documents a folder with a perfect Scribe at several budgets, and tells what got lost.
//!
//! `bench-quality BINARY FOLDER BUDGET...` ends with 1 unless nothing is lost and no prompt is over its budget. `scripts/bench-quality`
//! builds what it needs.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]

use std::path::PathBuf;
use std::process::ExitCode;
use war_rig_tests::quality::Quality;

/// The most faults of a run that are told.
const TOLD: usize = 40;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench-quality: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool, String> {
    let mut arguments = std::env::args().skip(1);
    let mut path = |what: &str| -> Result<PathBuf, String> {
        let path = PathBuf::from(arguments.next().ok_or(format!("{what} is missing"))?);
        path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
    };
    let (binary, folder) = (path("the binary")?, path("the folder")?);
    let budgets = arguments.map(|budget| budget.parse().map_err(|_| format!("`{budget}` is no number of tokens")));
    let budgets: Vec<u64> = budgets.collect::<Result<_, _>>()?;
    if budgets.is_empty() {
        return Err("a budget is missing".to_owned());
    }
    println!("{}", Quality::head());
    let mut is_perfect = true;
    let mut told = Vec::new();
    for budget in budgets {
        let quality = Quality::measure(&binary, &folder, budget)?;
        println!("{}", quality.row());
        let faults = quality.faults();
        is_perfect &= faults.is_empty();
        if !faults.is_empty() {
            let more = faults.len().saturating_sub(TOLD);
            told.push(format!("\nat {budget}:\n{}", faults[..faults.len() - more].join("\n")));
            if more > 0 {
                told.push(format!("and {more} more"));
            }
        }
        // What the Scribe overlooks says nothing against the run.
        let unseen = quality.verdict.unseen.iter().map(|fact| format!("overlooked at {budget}: {fact}"));
        told.extend(unseen.take(TOLD));
    }
    told.iter().for_each(|line| println!("{line}"));
    Ok(is_perfect)
}
