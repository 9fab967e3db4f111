//! Merges the answers to all parts into one.

use crate::commands::extract::{agents, merge_program};
use crate::context::RunContext;
use crate::failure::Failure;
use crate::printer::counted;
use crate::question::question_input;
use crate::settings::TargetSettings;
use serde_json::Value;
use std::sync::Arc;
use war_rig_envelope::Envelope;
use war_rig_llm::UsageTotals;
use war_rig_paginate::{Agent, AnswerSchema, ExtractionOutcome, MergeMethod, OutcomeStatus, PartTotals, gather_part};
use war_rig_paginate::{CustomMerge, GatheredAnswers, JoinReason, MergeRules, MergeStrategy};
use war_rig_transport::TargetName;
use war_rig_transport::question::Question;

/// Collects the answers to parts.
pub(super) struct AnswerMerger {
    agent: Agent,
    rules: MergeRules,
    custom: Option<Arc<dyn CustomMerge>>,
    gathered: GatheredAnswers,
}

impl AnswerMerger {
    /// Creates the merger for a target, by its agent's schema.
    pub(super) fn of(target: &TargetSettings, around: &RunContext) -> Result<Self, Failure> {
        let Some(asked) = &target.agent else {
            return Err(Failure::usage(format!(
                "the message is over the token budget of `{0}`, and targets.{0}.agent does not say how answers to its parts are merged",
                target.name
            ))
            .with_hint("name the agent there, as in the settings of the worker that serves the target"));
        };
        let (agent, file) = agents::find(asked, around)?;
        let (strategy, custom) = match &agent.pagination.merge {
            MergeMethod::Strategy(strategy) => (*strategy, None),
            MergeMethod::Program(program) => {
                (MergeStrategy::default(), Some(merge_program(program, None, &file, around)?))
            }
        };
        let rules =
            MergeRules::of(&agent.schema, strategy).expect("the rules of an agent are looked at when it is read");
        Ok(Self { agent, rules, custom, gathered: GatheredAnswers::default() })
    }

    /// Adds the answer to a part; errors are text.
    pub(super) fn take(&mut self, question: &Question, part: &Envelope, answer: Value) -> Result<(), String> {
        let (input, given) = question_input(question, part).map_err(|error| error.to_string())?;
        let given = given.ok_or("it is no part")?;
        let one = gather_part(&given, input, answer).map_err(|error| error.to_string())?;
        self.gathered = std::mem::take(&mut self.gathered).union(one);
        Ok(())
    }

    /// Whether there is no answer yet.
    pub(super) fn is_empty(&self) -> bool {
        self.gathered.is_empty()
    }

    /// Merges all answers.
    pub(super) fn outcome(self, input: &str, target: &TargetName) -> Result<ExtractionOutcome, Failure> {
        let merged = match &self.custom {
            None => self.gathered.merge(&self.rules),
            Some(custom) => self.gathered.merge_with_program(custom.as_ref()).map_err(|error| {
                Failure::usage(format!("the merge program of `{}`: {error}", self.agent.name))
                    .with_hint("mend the program, then run the command again")
            })?,
        };
        let summed = merged.summaries.iter().filter(|summaries| summaries.texts.len() > 1).map(|summaries| {
            format!("`{}` is the texts of {} parts, one after the other", summaries.path, summaries.texts.len())
        });
        let mut outcome = outcome(input, target);
        outcome.agent = self.agent.name.clone();
        outcome.notes = summed.collect();
        outcome.violations = AnswerSchema::for_agent(&self.agent).violations(&merged.value);
        outcome.answer = merged.value;
        (outcome.conflicts, outcome.joined, outcome.discarded) = (merged.conflicts, merged.joined, merged.discarded);
        Ok(outcome)
    }
}

/// Returns an empty outcome. It has no origins of values, because line and record numbers are relative to parts.
pub(super) fn outcome(input: &str, target: &TargetName) -> ExtractionOutcome {
    ExtractionOutcome {
        status: OutcomeStatus::Complete,
        agent: target.to_string(),
        input: input.to_owned(),
        produced_by: target.to_string(),
        answer: Value::Null,
        provenance: Vec::new(),
        conflicts: Vec::new(),
        joined: Vec::new(),
        discarded: Vec::new(),
        dropped: Vec::new(),
        failed: Vec::new(),
        violations: Vec::new(),
        audit: None,
        parts: PartTotals::default(),
        notes: Vec::new(),
        bill: UsageTotals::default(),
        stopped: None,
    }
}

/// Summarizes the outcome in one line, with every count that is not 0.
pub(super) fn in_words(outcome: &ExtractionOutcome) -> String {
    let parts = &outcome.parts;
    let mut line = format!("{}: {}: {}", outcome.produced_by, outcome.input, counted(parts.parts, "part"));
    if parts.answered < parts.parts {
        line.push_str(&format!(", {} answered", parts.answered));
    }
    let joined = |by: JoinReason| outcome.joined.iter().filter(|joined| joined.by == by).count();
    for (count, what) in [
        (outcome.conflicts.len(), "in conflict"),
        (joined(JoinReason::Key), "joined by their keys"),
        (joined(JoinReason::Equal), "joined as equals"),
        (joined(JoinReason::Overlap), "joined in overlaps"),
        (joined(JoinReason::Similarity), "joined as alike"),
        (outcome.discarded.len(), "discarded"),
        (outcome.violations.len(), "not as the schema says"),
    ] {
        if count > 0 {
            line.push_str(&format!("; {count} {what}"));
        }
    }
    line
}
