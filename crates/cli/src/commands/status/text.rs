//! The store as text for people.

use super::StatusView;
use crate::exit::ExitStatus;
use crate::printer::{counted, sanitize_line};
use crate::shell;
use std::fmt::Write;
use strum::VariantArray;
use war_rig_pool::{MAX_ATTEMPTS, TicketState};
use war_rig_store::{CallTotals, LockStatus, RunEnd, RunStatus, TicketStatus, format_utc};

/// The number of runs shown, the latest ones.
const RUNS: usize = 10;

/// Formats everything, with a line end after each line.
pub fn to_text(view: &StatusView) -> String {
    let mut lines = vec![store(view)];
    lines.extend(folders(view));
    if !view.status.runs.is_empty() {
        lines.push(String::new());
    }
    let hidden = view.status.runs.len().saturating_sub(RUNS);
    if hidden > 0 {
        lines.push(format!("{} before", counted(hidden, "run")));
    }
    lines.extend(view.status.runs[hidden..].iter().map(|run| told(run, view.times)));
    lines.extend(batches(view));
    lines.extend(not_done(view));
    let calls = view.calls();
    if calls.lost > 0 {
        lines.push(String::new());
        lines.push(format!(
            "{} lost: sent, and their process was killed before they ended; they have cost {} USD at most",
            counted(calls.lost, "call"),
            calls.lost_cost
        ));
    }
    lines.iter().map(|line| format!("{}\n", sanitize_line(line))).collect()
}

/// Formats a line for each batch whose answers have not been taken.
fn batches(view: &StatusView) -> Vec<String> {
    let mut lines: Vec<String> = view
        .batches
        .iter()
        .map(|batch| {
            let (output, progress) = (&batch.purpose, batch.progress().replace('_', " "));
            let questions = counted(batch.requests, "question");
            format!("batch for {output}: {questions} to {}, {} USD at most, {progress}", batch.model, batch.most)
        })
        .collect();
    if !lines.is_empty() {
        lines.insert(0, String::new());
        lines.push("the same command takes their answers when they are there".to_owned());
    }
    lines
}

/// Formats the folders and the cost in one line: what changes during a run.
pub fn status_line(view: &StatusView) -> String {
    let mut line = folders(view).join("; ");
    if line.is_empty() {
        line.push_str("no file yet");
    }
    let calls = view.calls();
    if calls.calls > 0 {
        let _ = write!(line, "; {}", in_words(calls));
    }
    format!("{}\n", sanitize_line(&line))
}

fn store(view: &StatusView) -> String {
    let mut line = format!("{}, version {}", view.file.display(), view.version);
    match &view.held {
        LockStatus::Free => {}
        LockStatus::HeldBy(None) => line.push_str("; in use by another process"),
        LockStatus::HeldBy(Some(holder)) if view.times => {
            let _ = write!(line, "; in use by {holder}");
        }
        LockStatus::HeldBy(Some(holder)) => {
            let _ = write!(line, "; in use by process {} on {} ({})", holder.pid, holder.host, holder.command);
        }
    }
    line
}

/// Formats a line for each output folder that has tickets.
fn folders(view: &StatusView) -> Vec<String> {
    let mut lines = Vec::new();
    for output in &view.status.outputs {
        let of_output = || view.status.tickets.iter().filter(|ticket| ticket.output == *output);
        let states: Vec<String> = TicketState::VARIANTS
            .iter()
            .map(|state| (of_output().filter(|ticket| ticket.state == *state).count(), state))
            .filter(|(count, _)| *count > 0)
            .map(|(count, state)| format!("{count} {state}"))
            .collect();
        if !states.is_empty() {
            lines.push(format!("{output}: {}: {}", counted(of_output().count(), "file"), states.join(", ")));
        }
    }
    lines
}

fn told(run: &RunStatus, times: bool) -> String {
    let end = match run.end {
        RunEnd::Running => "goes on".to_owned(),
        RunEnd::Killed => "killed".to_owned(),
        RunEnd::Exited(code) => match exit_code_meaning(code) {
            Some(meaning) => format!("exit {code}, {meaning}"),
            None => format!("exit {code}"),
        },
    };
    let mut line = format!("run {} for {}: {end}; {}", run.number, run.output, counted(run.tickets, "file"));
    if run.calls.calls > 0 {
        let _ = write!(line, ", {}", in_words(run.calls));
    }
    if times {
        let _ = write!(line, "; begun {}", format_utc(run.started));
        if let Some(ended) = run.ended {
            let _ = write!(line, ", ended {}", format_utc(ended));
        }
    }
    line
}

/// Returns the meaning of an exit code.
pub fn exit_code_meaning(code: u8) -> Option<&'static str> {
    ExitStatus::ALL.iter().find(|status| status.code() == code).map(|status| status.meaning())
}

fn in_words(calls: CallTotals) -> String {
    let mut words = counted(calls.calls, "call");
    let kinds: Vec<String> =
        [(calls.sent, "under way"), (calls.too_long, "too long"), (calls.failed, "failed"), (calls.lost, "lost")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
    if !kinds.is_empty() {
        let _ = write!(words, " ({})", kinds.join(", "));
    }
    format!("{words}, {} prompt and {} answer tokens, {} USD", calls.prompt_tokens, calls.completion_tokens, calls.cost)
}

/// Lists the tickets that are neither complete nor waiting, by folder, with the command that continues each folder.
fn not_done(view: &StatusView) -> Vec<String> {
    let mut lines = Vec::new();
    let is_held = view.held != LockStatus::Free;
    for output in &view.status.outputs {
        let of_output = || view.status.tickets.iter().filter(|ticket| ticket.output == *output);
        let shown: Vec<&TicketStatus> = of_output().filter(|ticket| is_shown(ticket.state, is_held)).collect();
        // A ticket that waits while nobody works on it was left by an interrupted run.
        let is_left = !is_held && of_output().any(|ticket| ticket.state == TicketState::Pending);
        if shown.is_empty() && !is_left {
            continue;
        }
        lines.push(String::new());
        let waits = view.batches.iter().any(|batch| batch.is_for(output));
        let line = |ticket: &&TicketStatus| format!("{output}: {}: {}", ticket.file, in_short(ticket, waits));
        lines.extend(shown.iter().map(line));
        let last = view.status.runs.iter().rev().find(|run| run.output == *output);
        let is_set_aside = of_output().any(|ticket| {
            ticket.attempts >= MAX_ATTEMPTS && (ticket.state == TicketState::Failed || ticket.state.is_in_work())
        });
        lines.extend(last.map(|run| run_again(&run.command, is_set_aside && !is_held)));
    }
    lines
}

/// The option that retries tickets that were set aside.
const RETRY: &str = "--retry-failed";

/// Returns the command that continues an interrupted command line, without options that would repeat finished work, remove documents, or skip files.
fn run_again(command: &[String], has_set_aside: bool) -> String {
    let (mut kept, mut left_out) =
        (Vec::new(), [("--cancel", false), ("--force", false), ("--only", false), ("--prune", false)]);
    let mut words = command.iter();
    if has_set_aside && command.iter().any(|word| word == "document") && !command.iter().any(|word| word == RETRY) {
        // No other run retries tickets that were set aside.
        kept.extend(words.by_ref().take_while(|word| *word != "document").cloned());
        kept.extend(["document", RETRY].map(str::to_owned));
    }
    while let Some(word) = words.next() {
        if word == "--" {
            // The words that follow are paths, whatever they look like.
            kept.push(word.clone());
            kept.extend(words.cloned());
            break;
        }
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        match left_out.iter_mut().find(|(option, _)| *option == name) {
            None => kept.push(word.clone()),
            Some((option, is_left_out)) => {
                *is_left_out = true;
                if *option == "--only" && word == "--only" {
                    // Its value is the next word.
                    words.next();
                }
            }
        }
    }
    let names: Vec<&str> = left_out.iter().filter(|(_, is_left_out)| *is_left_out).map(|(name, _)| *name).collect();
    let without = match names.split_last() {
        None => String::new(),
        Some((last, [])) => format!(", without {last}"),
        Some((last, before)) => format!(", without {} and {last}", before.join(", ")),
    };
    format!("run again{without}: {}", shell::command_line(&kept))
}

fn is_shown(state: TicketState, is_held: bool) -> bool {
    match state {
        TicketState::Failed | TicketState::Partial => true,
        TicketState::Planned | TicketState::Writing | TicketState::Merged => !is_held,
        TicketState::Pending | TicketState::Done | TicketState::Skipped => false,
    }
}

fn in_short(ticket: &TicketStatus, waits: bool) -> String {
    let attempts = match ticket.attempts {
        0 => String::new(),
        attempts => format!(" ({})", counted(attempts, "attempt")),
    };
    match ticket.state {
        TicketState::Failed | TicketState::Partial => {
            format!("{}{attempts}: {}", ticket.state, ticket.reason)
        }
        _ if waits => "waits for its answers".to_owned(),
        _ => format!("in work when its process ended{attempts}"),
    }
}
