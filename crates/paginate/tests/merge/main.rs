//! Answers of parts merged into one.

#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod chunked;
mod laws;
mod rules;
mod similar;
mod values;

use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashSet;
use war_rig_paginate::{
    GatheredAnswers, InputLocation, MergeRules, MergeStrategy, MergedAnswer, PartAnswer, ValueLocator, ValueOrigin,
};

/// Finds every value in its part; those that are named stand only in what the part was shown again, each once.
#[derive(Default)]
struct Part {
    number: u64,
    again: RefCell<HashSet<String>>,
    is_lost: bool,
}

impl ValueLocator for Part {
    fn origin(&self, value: &Value) -> ValueOrigin {
        ValueOrigin {
            part: self.number,
            place: InputLocation { pages: Some((self.number, self.number)), ..InputLocation::default() },
            located: !self.is_lost,
            in_overlap: self.again.borrow().contains(&value.to_string()),
        }
    }
}

fn rules(schema: &Value, strategy: MergeStrategy) -> MergeRules {
    MergeRules::of(schema, strategy).unwrap()
}

fn gathered(number: u64, value: Value) -> GatheredAnswers {
    let part = Part { number, ..Part::default() };
    GatheredAnswers::from_answer(PartAnswer { number, weight: number, value }, &part)
}

/// What answers come to, those of parts 1, 2 and so on. The weight of a part is its number.
fn merged(schema: &Value, strategy: MergeStrategy, answers: &[Value]) -> MergedAnswer {
    let rules = rules(schema, strategy);
    let parts = answers.iter().zip(1..).map(|(answer, number)| gathered(number, answer.clone()));
    parts.fold(GatheredAnswers::default(), GatheredAnswers::union).merge(&rules)
}

/// A schema with these fields.
fn fields(fields: Value) -> Value {
    json!({"type": "object", "properties": fields})
}

/// Conflicts as `path: kept (part) not dropped (part)`.
fn conflicts(merged: &MergedAnswer) -> Vec<String> {
    let told = merged.conflicts.iter().map(|conflict| {
        format!(
            "{}: {} ({}) not {} ({})",
            conflict.path, conflict.kept, conflict.kept_part, conflict.dropped, conflict.dropped_part
        )
    });
    told.collect()
}

/// Joined items as `path: by, kept part, dropped (part)`.
fn joined(merged: &MergedAnswer) -> Vec<String> {
    let told = merged.joined.iter().map(|joined| {
        let Value::String(by) = serde_json::to_value(joined.by).unwrap() else { panic!("no name") };
        format!("{}: {by}, {}, {} ({})", joined.path, joined.kept_part, joined.dropped, joined.dropped_part)
    });
    told.collect()
}

/// Discarded values as `path: value (part)`.
fn discarded(merged: &MergedAnswer) -> Vec<String> {
    merged.discarded.iter().map(|told| format!("{}: {} ({})", told.path, told.value, told.part)).collect()
}

/// Provenance as `path: part part`, those that stand only in what was shown again with a star.
fn provenance(merged: &MergedAnswer) -> Vec<String> {
    let told = merged.provenance.iter().map(|told| {
        let origins =
            told.origins.iter().map(|origin| format!(" {}{}", origin.part, if origin.in_overlap { "*" } else { "" }));
        format!("{}:{}", told.path, origins.collect::<String>())
    });
    told.collect()
}
