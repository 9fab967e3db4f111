//! How a run ended, as text and as a status.

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::model_connection::stop_status;
use crate::printer::Printer;
use crate::store_failures::list_names;
use std::collections::BTreeMap;
use std::path::Path;
use war_rig_llm::{Money, StopError, StopReason};
use war_rig_pool::{RelinkReport, RunOutcome, RunReport, TicketReport, TicketState};
use war_rig_template::document_name;

/// Returns the failure that explains why no further call was made, and what to do about it.
pub(super) fn failure(stopped: &StopError, is_distributed: bool, totals: &RunReport, again: &str) -> Failure {
    let (status, advice) = stop_status(stopped.reason);
    let advice = match stopped.reason {
        StopReason::Unavailable if is_distributed => {
            "see that the broker runs, and start workers with `war-rig worker --broker URL`, which say what is wrong where they cannot go on"
        }
        _ => advice,
    };
    Failure::new(status, format!("the run was stopped: {}", stopped.message)).with_hint(format!(
        "{advice}, then {again}; {} of {} documents are whole and stay",
        totals.documented, totals.files
    ))
}

pub(super) fn status(totals: &RunReport, ended: &RunOutcome, strict: bool) -> ExitStatus {
    let is_incomplete = totals.failed + totals.partial > 0 || !ended.others.failed.is_empty();
    if is_incomplete || (strict && totals.skipped > 0) { ExitStatus::TicketsFailed } else { ExitStatus::Ok }
}

/// Warns about documents that overwrite each other on case-insensitive file systems, as in a checkout on Windows or macOS.
pub(super) fn warn_of_case(files: &[String], printer: &Printer) {
    let mut named: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in files {
        named.entry(document_name(file).to_lowercase()).or_default().push(file);
    }
    for files in named.values().filter(|files| files.len() > 1) {
        printer.warn(&format!(
            "the documents of {} have names that differ only in the case of letters, and Windows and macOS keep one of them; rename one of the sources, or leave it out with `source.exclude`",
            list_names(files)
        ));
    }
}

/// Prints which pages to open first.
pub(super) fn say_where_to_begin(output: &Path, pages: &[(String, &str)], printer: &Printer) {
    if !pages.is_empty() {
        printer.note("look first at");
    }
    for (page, what) in pages {
        printer.note(&format!("  {}: {what}", output.join(page).display()));
    }
}

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCompletion {
    /// Every file was worked on.
    Whole,
    /// It was stopped.
    Stopped,
    /// Questions wait in batches.
    Waiting,
}

/// Prints the errors file by file, and a one-line summary of the run.
pub(super) fn say(ended: &RunOutcome, totals: &RunReport, (end, is_static): (RunCompletion, bool), printer: &Printer) {
    let was_stopped = end != RunCompletion::Whole;
    say_undocumented(&ended.reports, end, printer);
    say_notes(&ended.reports, printer);
    say_others(&ended.others, printer);
    let not_begun = ended.reports.iter().filter(|report| was_stopped && is_not_begun(report)).count() as u64;
    printer.note(&summary(totals, ended.others.relinked, not_begun, is_static));
}

/// Whether a run that was stopped had not come to a source.
fn is_not_begun(report: &TicketReport) -> bool {
    report.ticket.state() == TicketState::Pending
        || (report.ticket.state() == TicketState::Failed && report.was_stopped)
}

/// Prints why sources have no whole document.
fn say_undocumented(reports: &[TicketReport], end: RunCompletion, printer: &Printer) {
    let was_stopped = end != RunCompletion::Whole;
    let mut not_begun = 0;
    for report in reports {
        let ticket = &report.ticket;
        match ticket.state() {
            // The end of the run gives the reason once for all of them.
            _ if was_stopped && is_not_begun(report) => not_begun += 1,
            TicketState::Failed if report.was_stopped => not_begun += 1,
            TicketState::Failed | TicketState::Partial => {
                printer.warn(&format!("{}: {}: {}", ticket.file(), ticket.state(), ticket.reason()))
            }
            TicketState::Skipped => printer.warn(&format!("{}: skipped: {}", ticket.file(), ticket.reason())),
            TicketState::Pending if !ticket.history().is_empty() => {
                printer.warn(&format!("{}: not documented: {}", ticket.file(), ticket.reason()));
            }
            TicketState::Pending => {
                printer.warn(&format!("{}: not begun, because the run stops at the first failure", ticket.file()))
            }
            TicketState::Planned | TicketState::Writing | TicketState::Merged | TicketState::Done => {}
        }
    }
    if not_begun > 0 && end == RunCompletion::Waiting {
        printer.note(&match not_begun {
            1 => "1 file waits for its answers".to_owned(),
            count => format!("{count} files wait for their answers"),
        });
    } else if not_begun > 0 {
        printer.warn(&format!(
            "{} not documented",
            if not_begun == 1 { "1 file was".to_owned() } else { format!("{not_begun} files were") }
        ));
    }
}

/// Prints what the user should know about documents that were written.
fn say_notes(reports: &[TicketReport], printer: &Printer) {
    for report in reports.iter().filter(|report| report.rejected > 0 || !report.notes.is_empty()) {
        let file = report.ticket.file();
        report.notes.iter().for_each(|note| printer.warn(&format!("{file}: {note}")));
        if report.rejected > 0 {
            let items = if report.rejected == 1 { "item" } else { "items" };
            printer.warn(&format!(
                "{file}: {} {items} of the answers left out, because the source has no such thing where they cite it; listed as `rejected`",
                report.rejected
            ));
        }
    }
}

/// Prints which documents of sources that were not selected do not agree with the estate.
fn say_others(others: &RelinkReport, printer: &Printer) {
    for (file, reason) in &others.failed {
        printer.warn(&format!("{file}: not brought up to date with the estate: {reason}"));
    }
    if others.outdated > 0 {
        printer.warn(&match others.outdated {
            1 => "1 other document is of an earlier state of its source, and was left alone".to_owned(),
            count => {
                format!("{count} other documents are of earlier states of their sources, and were left alone")
            }
        });
    }
}

/// Returns the line that sums up a run. `relinked` is the number of other documents that were brought up to date with the estate, `not_begun` that of
/// the sources that a run which was stopped had not come to.
fn summary(totals: &RunReport, relinked: usize, not_begun: u64, is_static: bool) -> String {
    let calls = if totals.calls == 1 { "call" } else { "calls" };
    let largest = format!("largest prompt {} of {} tokens", totals.largest_prompt_tokens, totals.max_prompt_tokens);
    let how = match is_static {
        true => format!("without a model (one would take {} {calls}, {largest})", totals.calls),
        false => format!("in {} {calls}, {largest}", totals.calls),
    };
    let mut line =
        format!("{} of {} files documented {how}; citations: {}", totals.documented, totals.files, totals.citations);
    if totals.cached_tokens > 0 {
        line.push_str(&format!("; {} cached_tokens", totals.cached_tokens));
    }
    if totals.cost_usd > Money::ZERO {
        line.push_str(&format!("; {} USD", totals.cost_usd));
    }
    for (count, what) in [
        (totals.up_to_date, "up to date"),
        (totals.partial, "partial"),
        (totals.failed.saturating_sub(not_begun), "failed"),
        (not_begun, "not begun"),
        (totals.skipped, "skipped"),
    ] {
        if count > 0 {
            line.push_str(&format!("; {count} {what}"));
        }
    }
    match relinked {
        0 => {}
        1 => line.push_str("; 1 other brought up to date with the estate"),
        count => line.push_str(&format!("; {count} others brought up to date with the estate")),
    }
    line
}
