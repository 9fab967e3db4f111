//! The drawing of a job's steps and the data between them.

use crate::{JobData, StepUnit};
use foldhash::{HashMap, HashSet};
use std::fmt::Write;

/// The maximum number of drawn steps: the first ones.
const STEPS_DRAWN: usize = 15;

/// The maximum number of drawn data sets: those that pass between steps come first.
const DATA_DRAWN: usize = 18;

/// The maximum number of arrows.
const ARROWS_DRAWN: usize = 80;

/// The maximum length of a label, in characters.
const LABEL: usize = 60;

/// Returns a Mermaid flowchart of the steps in their order with the data sets between them; empty if there is nothing to show.
pub(super) fn drawing(steps: &[StepUnit], data: &[JobData]) -> String {
    // Of a procedure that runs many times, one run shows how.
    let is_long = steps.len() > STEPS_DRAWN;
    let (steps, repeated): (Vec<&StepUnit>, Vec<&StepUnit>) =
        steps.iter().partition(|step| step.like.is_none() || !is_long);
    let repeated: HashSet<&str> = repeated.into_iter().map(|step| step.step_name.as_str()).collect();
    let places: HashMap<&str, usize> = steps
        .iter()
        .take(STEPS_DRAWN)
        .enumerate()
        .map(|(place, step)| (step.step_name.as_str(), place))
        .rev()
        .collect();
    let data: Vec<&JobData> =
        data.iter().filter(|entry| entry.users().any(|step| !repeated.contains(step.as_str()))).collect();
    let mut shown: Vec<(usize, &JobData)> = data.iter().copied().enumerate().collect();
    // Data that passes between steps is the purpose of the drawing; data that only one step reads comes last.
    shown.sort_by_key(|(place, entry)| (rank(entry), *place));
    shown.truncate(DATA_DRAWN);
    shown.sort_by_key(|(place, _)| *place);
    if steps.is_empty() || (steps.len() < 2 && shown.is_empty()) {
        return String::new();
    }
    let mut text = String::from("```mermaid\nflowchart TD\n");
    let mut arrows = Vec::new();
    for (place, step) in steps.iter().take(STEPS_DRAWN).enumerate() {
        let program = step.runs().map(|runs| format!(": {runs}")).unwrap_or_default();
        line(&mut text, &format!("  s{place}[\"{}\"]", label(&format!("{}{program}", step.step_name))));
        if place > 0 {
            let shaft = if step.conditions.is_empty() { "==>" } else { "==>|\"if\"|" };
            arrows.push(format!("  s{} {shaft} s{place}", place - 1));
        }
    }
    for (place, entry) in &shown {
        let step = |name: &String| places.get(name.as_str()).copied();
        let both = |name: &&String| entry.read_by.contains(*name);
        let (both, writers): (Vec<&String>, Vec<&String>) = entry.written_by.iter().partition(both);
        let readers = entry.read_by.iter().filter(|name| !both.contains(name));
        let arrows_of = |names: Vec<&String>, shaft: &str| -> Vec<String> {
            names.into_iter().filter_map(step).map(|step| format!("  s{step} {shaft} d{place}")).collect()
        };
        let mut of_entry = arrows_of(writers, "-->");
        of_entry.extend(arrows_of(both.clone(), "<-->"));
        of_entry.extend(readers.filter_map(step).map(|step| format!("  d{place} --> s{step}")));
        of_entry.extend(arrows_of(entry.used_in.iter().chain(&entry.defined_by).collect(), "---"));
        if of_entry.is_empty() || arrows.len() + of_entry.len() > ARROWS_DRAWN {
            continue;
        }
        line(&mut text, &format!("  d{place}[(\"{}\")]", label(&entry.name)));
        arrows.extend(of_entry);
    }
    arrows.iter().for_each(|arrow| line(&mut text, arrow));
    text.push_str("```");
    let mut below = Vec::new();
    if steps.len() > STEPS_DRAWN {
        below.push(format!("Drawn are the first {STEPS_DRAWN} steps of {}.", steps.len()));
    }
    if !repeated.is_empty() {
        below.push(format!("Steps like these, {} in all, are not drawn.", repeated.len()));
    }
    if data.len() > DATA_DRAWN {
        below.push(format!("Drawn are {DATA_DRAWN} data sets of {}, those that pass between steps first.", data.len()));
    }
    if steps.iter().take(STEPS_DRAWN).skip(1).any(|step| !step.conditions.is_empty()) {
        below.push("Thick arrows are the order of the steps; one with `if` is taken under a condition.".to_owned());
    }
    if !below.is_empty() {
        text.push_str("\n\n");
        text.push_str(&below.join(" "));
    }
    text
}

/// Returns the drawing priority.
fn rank(entry: &JobData) -> u8 {
    match (entry.written_by.is_empty(), entry.read_by.is_empty()) {
        (false, false) => 0,
        (false, true) => 1,
        (true, false) => 2,
        (true, true) => 3,
    }
}

/// Returns a label without characters that have a meaning to Mermaid.
fn label(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(LABEL) {
        match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.' | ':' | '(' | ')' | '+') => out.push(c),
            '&' => out.push_str("#amp;"),
            // Two per cent signs begin a comment, wherever they stand.
            '#' | '$' | '@' | '%' => write!(out, "#{};", u32::from(c)).expect("a string takes every write"),
            _ => {}
        }
    }
    if out.trim().is_empty() { "without a name".to_owned() } else { out }
}

fn line(text: &mut String, words: &str) {
    writeln!(text, "{words}").expect("a string takes every write");
}
