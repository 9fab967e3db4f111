//! Leaves out steps of a part that has too many: first those that only prepare others, then the innermost, so that the way through the part stays.

use super::found_steps::{FoundStep, with_content, with_few_checks};
use super::{OutlineKind, OutlineStep};
use std::collections::BTreeSet;

/// The fewest steps in place of which a note stands.
const FEWEST: usize = 3;

/// Leaves out steps until a part has at most `most`: those that prepare others, the farthest removed and the innermost first, but for those that set what
/// decides; then what long rows of checks tell one by one; then these; then others.
pub(super) fn shorten(mut steps: Vec<FoundStep<'_>>, most: usize) -> Vec<OutlineStep> {
    let farthest = steps.iter().map(|found| found.removed).max().unwrap_or_default();
    for removed in (2..=farthest).rev() {
        steps = without(steps, removed, most);
    }
    if steps.len() > most {
        steps = with_few_checks(steps);
    }
    steps = without(steps, 1, most);
    let mut steps: Vec<OutlineStep> = steps.into_iter().map(|found| found.step).collect();
    leave_out(&mut steps, most);
    steps
}

/// Leaves out steps that are removed so far, the innermost first. Of a condition that is told with what is done under it, the condition stays if others
/// need it.
fn without(mut steps: Vec<FoundStep<'_>>, removed: u8, most: usize) -> Vec<FoundStep<'_>> {
    let gone = steps.iter().filter(|found| found.removed == removed);
    let depths: BTreeSet<usize> = gone.map(|found| found.step.depth).collect();
    for depth in depths.into_iter().rev() {
        if steps.len() <= most {
            break;
        }
        steps.retain_mut(|found| {
            let goes = found.removed == removed && found.step.depth == depth;
            if goes { found.is_left_as_condition() } else { true }
        });
        steps = with_content(steps);
    }
    steps
}

/// Leaves out steps until there are at most `most`. Those under the most conditions go first, the longest runs of them before shorter ones; if the steps
/// under no condition are still too many, those in the middle go: how a part begins and how it ends says most.
fn leave_out(steps: &mut Vec<OutlineStep>, most: usize) {
    let deepest = steps.iter().map(|step| step.depth).max().unwrap_or_default();
    for depth in (1..=deepest).rev() {
        if steps.len() <= most {
            break;
        }
        let mut runs = runs_below(steps, depth);
        runs.sort_by_key(|(begin, length)| (std::cmp::Reverse(*length), *begin));
        let mut surplus = steps.len().saturating_sub(most);
        let mut chosen = Vec::new();
        for (begin, length) in runs {
            if surplus == 0 {
                break;
            }
            // One of them makes room for the note.
            let mut removed = (surplus + 1).max(FEWEST).min(length);
            // A condition goes with what stands under it.
            while removed < length && steps[begin + length - removed - 1].kind == OutlineKind::Condition {
                removed += 1;
            }
            chosen.push((begin + length - removed, removed));
            surplus = surplus.saturating_sub(removed - 1);
        }
        // From the end, so that places before stay what they are.
        chosen.sort_unstable();
        for (begin, length) in chosen.into_iter().rev() {
            let note = note(&steps[begin..begin + length]);
            steps.splice(begin..begin + length, [note]);
        }
    }
    without_middle(steps, most);
}

/// Returns the runs of steps under at least this many conditions that are long enough for a note: where each begins, and its length. A last step with
/// which control leaves is no part of one: what follows would read as if it ran.
fn runs_below(steps: &[OutlineStep], depth: usize) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut at = 0;
    for run in steps.chunk_by(|one, next| (one.depth >= depth) == (next.depth >= depth)) {
        let leaves = |step: &&OutlineStep| matches!(step.kind, OutlineKind::Exit | OutlineKind::Jump);
        let kept = usize::from(run.last().filter(leaves).is_some_and(|last| last.depth == depth));
        if run.len() >= FEWEST + kept && run[0].depth >= depth {
            runs.push((at, run.len() - kept));
        }
        at += run.len();
    }
    runs
}

/// Returns the note in place of steps, at the depth of the outermost of them.
fn note(steps: &[OutlineStep]) -> OutlineStep {
    let omitted = |step: &OutlineStep| match step.kind {
        OutlineKind::Omitted => step.text.parse().unwrap_or(1),
        _ => 1_usize,
    };
    let text = steps.iter().map(omitted).sum::<usize>().to_string().into();
    let depth = steps.iter().map(|step| step.depth).min().unwrap_or_default();
    OutlineStep { depth, line: steps[0].line, kind: OutlineKind::Omitted, text, repeated: None }
}

/// Leaves out steps in the middle. The conditions around the end stay.
fn without_middle(steps: &mut Vec<OutlineStep>, most: usize) {
    let Some(omitted) = steps.len().checked_sub(most).filter(|omitted| *omitted > 0) else { return };
    let begin = most - most / 4;
    let mut depth = steps.get(begin + omitted).map_or(0, |step| step.depth);
    let mut around: Vec<OutlineStep> = Vec::new();
    let mut left_out: Vec<OutlineStep> = Vec::new();
    for step in steps[begin..begin + omitted].iter().rev() {
        let is_around = step.depth < depth;
        depth = depth.min(step.depth);
        if is_around { around.push(step.clone()) } else { left_out.push(step.clone()) }
    }
    around.reverse();
    left_out.reverse();
    let note = left_out.first().map(|_| note(&left_out));
    steps.splice(begin..begin + omitted, note.into_iter().chain(around));
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::LineNumber;

    /// Makes steps from their depths, those with an exclamation mark with which control leaves, and returns what is left of them: the depth, and the
    /// number of steps of a note in brackets.
    fn shortened(depths: &str, most: usize) -> String {
        let mut steps: Vec<OutlineStep> = depths
            .split(' ')
            .enumerate()
            .map(|(at, depth)| OutlineStep {
                depth: depth.trim_end_matches('!').parse().unwrap(),
                line: LineNumber::from_index(at),
                kind: if depth.ends_with('!') { OutlineKind::Exit } else { OutlineKind::Effect },
                text: "calls A".into(),
                repeated: None,
            })
            .collect();
        leave_out(&mut steps, most);
        let told = steps.iter().map(|step| match step.kind {
            OutlineKind::Omitted => format!("{}[{}]", step.depth, step.text),
            OutlineKind::Exit => format!("{}!", step.depth),
            _ => step.depth.to_string(),
        });
        told.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_innermost_steps_go_first() {
        assert_eq!(shortened("0 1 2 2 2 2 1 0", 8), "0 1 2 2 2 2 1 0");
        assert_eq!(shortened("0 1 2 2 2 2 1 0", 7), "0 1 2 2[3] 1 0");
        assert_eq!(shortened("0 1 2 2 2 2 1 0", 5), "0 1 2[4] 1 0");
        // What is left out once counts in what is left out around it.
        assert_eq!(shortened("0 1 2 2 2 2 1 0", 3), "0 1[6] 0");
    }

    #[test]
    fn the_longest_runs_go_before_shorter_ones_and_two_steps_stay() {
        assert_eq!(shortened("0 1 1 1 0 1 1 1 1 0", 7), "0 1 1 1 0 1[4] 0");
        assert_eq!(shortened("0 1 1 0 1 1 1 0", 6), "0 1 1 0 1[3] 0");
    }

    #[test]
    fn control_that_leaves_is_still_seen_to() {
        assert_eq!(shortened("0 1 1 1 1! 0 0", 5), "0 1[3] 1! 0 0");
        // Under a further condition it leaves only sometimes.
        assert_eq!(shortened("0 1 1 1 2! 0 0", 4), "0 1[4] 0 0");
    }

    #[test]
    fn steps_under_no_condition_go_from_the_middle() {
        assert_eq!(shortened("0 0 0 0 0 0 0 0 0 0 0 0", 8), "0 0 0 0 0 0 0[4] 0 0");
    }

    #[test]
    fn no_step_is_lost() {
        let depths: Vec<&str> = (0..400).map(|at: usize| ["0", "1", "2", "3!", "2", "4", "1"][at * at % 7]).collect();
        for most in [1, 2, 3, 8, 20, 80, 399, 400] {
            let told = shortened(&depths.join(" "), most);
            let count: usize = told
                .split(' ')
                .map(|step| step.split_once('[').map_or(1, |(_, number)| number.trim_end_matches(']').parse().unwrap()))
                .sum();
            assert_eq!(count, 400, "{most}");
            assert!(told.split(' ').count() <= most + 5, "{most}: {told}");
        }
    }
}
