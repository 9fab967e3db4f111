//! What a program does from its start to its end, in the order in which it runs: the steps of its paragraphs that reach out of the program, each where it
//! is performed, without those that only compute.

mod found_steps;
mod keys;
mod messages;
mod packed;
mod same_blocks;
mod shortening;
mod told;
mod transfers;
mod walk;

use crate::Document;
pub use keys::{KeyRow, OutlineKey, rows_of_keys};
use messages::{keys_tested, outcomes};
pub use packed::PackedOutline;
use same_blocks::tell_once;
use serde::{Deserialize, Serialize};
use shortening::shorten;
use std::collections::BTreeMap;
use told::add_preparations;
use walk::{FoundPart, OutlineWalk};
use war_rig_text::LineNumber;

/// The maximum number of steps of an outline. What follows is told on the program's page.
const STEPS: usize = 1_000;

/// The maximum number of steps of one part.
const STEPS_OF_PART: usize = 600;

/// The most by which preparations are removed from what they prepare.
const REMOVED: u8 = 5;

/// The DL/I calls that make changes final or take them back. TERM ends the PSB, at which CICS takes a syncpoint.
const COMMITTING_CALLS: [&str; 7] = ["CHKP", "SYMCHKP", "SYNC", "ROLB", "ROLL", "ROLS", "TERM"];

/// The maximum number of outcomes of an outline.
const OUTCOMES: usize = 40;

/// What a program does, for the pages about the estate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOutline {
    /// Its parts: first what runs at its start, then the paragraphs that are performed in several places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<OutlinePart>,
    /// How many steps the parts have for which there was no room.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_steps: usize,
    /// The keys of the terminal that it tests, with what they do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<OutlineKey>,
    /// What the caller or a user sees at the end, with the number of its causes, in source order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outcomes: Vec<OutlineOutcome>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_outcomes: usize,
    /// The lines on which it commits, or rolls back, with the statement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<(String, LineNumber)>,
}

/// A part of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlinePart {
    /// The paragraph that is performed in several places; none for what runs at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// Its steps in order.
    pub steps: Vec<OutlineStep>,
}

/// A step of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineStep {
    /// The number of conditions around it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: usize,
    /// The line on which it begins.
    pub line: LineNumber,
    /// What it is.
    pub kind: OutlineKind,
    /// What is done, or asked. An estate has millions of these, so that no room to grow is kept.
    pub text: Box<str>,
    /// How often it follows itself directly; none if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeated: Option<StepRepetition>,
}

/// How often a step follows itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRepetition {
    /// How many times it is told in a row, itself included: at least 2.
    pub times: u32,
    /// The line on which the last of them begins.
    pub last_line: LineNumber,
}

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutlineKind {
    /// A condition on the deeper steps that follow; ends with a colon.
    Condition,
    /// Something that reaches out of the program.
    Effect,
    /// Something after which nothing that follows runs, on this way.
    Exit,
    /// A condition with what is done under it: a message is given, or control leaves, and nothing else reaches out of the program. With a
    /// repetition it stands for a row of them, and its text says of what.
    Check,
    /// A paragraph that is performed, and is a part for itself.
    Part,
    /// A paragraph that is performed, and was told where it was performed before.
    Again,
    /// A paragraph with which control goes on.
    Jump,
    /// The beginning of a paragraph that others lead to.
    Label,
    /// The same steps as those from its line on, which were told under an earlier condition; the text names the literals that differ.
    Same,
    /// The number of steps that are left out here.
    Omitted,
}

/// What a caller or a user sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineOutcome {
    /// The outcome: `RETURN-CODE 4`, `abend 'LGCA'`.
    pub outcome: String,
    /// When it comes about, of the first cause.
    pub condition: String,
    /// The number of its causes.
    pub causes: usize,
    /// The line of the first cause.
    pub line: LineNumber,
    /// The line of the last cause.
    pub last_line: LineNumber,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl RunOutline {
    /// Returns the outline of a document's first program; empty if the document is not about a program.
    pub fn of(document: &Document) -> Self {
        if document.header.file_type != "program" {
            return Self::default();
        }
        let mut prepares = BTreeMap::new();
        for removed in (1..=REMOVED).step_by(2) {
            let known = prepares.clone();
            let told = OutlineWalk::of(document, &known).parts().into_iter().flat_map(|part| part.steps);
            add_preparations(document, &told.collect::<Vec<_>>(), removed, &mut prepares);
            if prepares.len() == known.len() {
                break;
            }
        }
        let (mut room, mut more_steps, mut parts) = (STEPS, 0, Vec::new());
        let mut found = OutlineWalk::of(document, &prepares).parts();
        tell_once(&mut found);
        for FoundPart { paragraph, steps } in found {
            if room == 0 {
                more_steps += steps.len();
                continue;
            }
            let mut steps = shorten(steps, room.min(STEPS_OF_PART));
            room = room.saturating_sub(steps.len());
            steps.shrink_to_fit();
            parts.extend((!steps.is_empty()).then_some(OutlinePart { paragraph, steps }));
        }
        parts.shrink_to_fit();
        let mut outcomes = outcomes(document);
        let more_outcomes = outcomes.len().saturating_sub(OUTCOMES);
        outcomes.truncate(OUTCOMES);
        let (keys, commits) = (keys_tested(document), commits(document));
        Self { parts, more_steps, keys, outcomes, more_outcomes, commits }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

fn commits(document: &Document) -> Vec<(String, LineNumber)> {
    let commands = document.cics_operations.iter().map(|item| (item.command.as_str(), &item.citations));
    let statements = document.sql_operations.iter().map(|item| (item.operation.as_str(), &item.citations));
    let calls = document.dli_operations.iter().map(|item| (item.function.as_str(), &item.citations));
    let all = (commands.chain(statements))
        .filter(|(name, _)| ["SYNCPOINT", "COMMIT", "ROLLBACK"].iter().any(|wanted| name.starts_with(wanted)))
        .chain(calls.filter(|(function, _)| COMMITTING_CALLS.contains(function)));
    let mut commits: Vec<(String, LineNumber)> = all
        .flat_map(|(name, citations)| citations.iter().map(|citation| (name.to_owned(), citation.lines().start())))
        .collect();
    commits.sort_by_key(|(_, line)| *line);
    commits.dedup();
    commits
}
