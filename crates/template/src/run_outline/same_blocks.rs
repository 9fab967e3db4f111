//! Tells what is done under several conditions alike once: programs repeat the same handling of an error behind every command.

use super::OutlineKind;
use super::found_steps::{FoundStep, outline_step};
use super::walk::FoundPart;
use std::collections::HashMap;
use war_rig_text::LineNumber;

/// The fewest steps under a condition for which an earlier place is named.
const FEWEST: usize = 4;

/// The most literals in which two places may differ.
const DIFFERENT: usize = 3;

/// A place where something was told: the line of its first step, and its literals.
struct Told {
    line: LineNumber,
    literals: Vec<String>,
}

/// Puts a reference in place of the steps under a condition that were told under an earlier one, literals aside.
pub(super) fn tell_once(parts: &mut [FoundPart<'_>]) {
    let mut told: HashMap<String, Told> = HashMap::new();
    for part in parts {
        let mut at = 0;
        while at < part.steps.len() {
            let block = block_under(&part.steps, at);
            at += 1;
            if block.len() < FEWEST {
                continue;
            }
            let Some((wording, literals)) = wording(block) else { continue };
            match told.get(&wording).map(|told| (told.line, different(&told.literals, &literals))) {
                None => {
                    told.insert(wording, Told { line: block[0].step.line, literals });
                }
                Some((line, Some(different))) => {
                    let length = block.len();
                    let step = outline_step(block[0].step.depth, line, OutlineKind::Same, &different);
                    part.steps.splice(at..at + length, [FoundStep { step, of: None, denied: None, removed: 0 }]);
                }
                Some((_, None)) => {}
            }
        }
    }
}

/// Returns the steps under a condition; none if the step is something else.
fn block_under<'s, 'a>(steps: &'s [FoundStep<'a>], condition: usize) -> &'s [FoundStep<'a>] {
    let own = &steps[condition].step;
    let below = match own.kind {
        OutlineKind::Condition => {
            steps[condition + 1..].iter().take_while(|below| below.step.depth > own.depth).count()
        }
        _ => 0,
    };
    &steps[condition + 1..=condition + below]
}

/// Returns what steps say with the literals taken out, and these in order; none if a step is cut, so that its end is not known.
fn wording(block: &[FoundStep<'_>]) -> Option<(String, Vec<String>)> {
    let (mut wording, mut literals) = (String::new(), Vec::new());
    for found in block {
        let step = &found.step;
        let text = match found.of.filter(|_| matches!(step.kind, OutlineKind::Effect | OutlineKind::Exit)) {
            Some(of) => &*of.text,
            None if step.text.contains("...") => return None,
            None => &*step.text,
        };
        wording.push_str(&format!("{} {:?} ", step.depth - block[0].step.depth, step.kind));
        for (index, piece) in text.split('\'').enumerate() {
            match index % 2 {
                0 => wording.push_str(piece),
                _ => {
                    wording.push_str("''");
                    literals.push(format!("'{piece}'"));
                }
            }
        }
        wording.push('\n');
    }
    Some((wording, literals))
}

/// Returns the literals that stand in the place of others; none if they are too many.
fn different(before: &[String], now: &[String]) -> Option<String> {
    let pairs = before.iter().zip(now).filter(|(before, now)| before != now);
    let all: Vec<String> = pairs.map(|(before, now)| format!("{now} in place of {before}")).collect();
    (all.len() <= DIFFERENT).then(|| all.join(" and "))
}
