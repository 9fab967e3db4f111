//! How paragraphs end the program: by a statement of their own, by what they perform, or under every condition of an IF or EVALUATE.

use super::exits::{ExitAnalysis, takes_some_branch};
use super::{ProgramExit, ending};
use crate::index_groups::IndexGroups;
use crate::model::ParsedCobol;

/// How many PERFORMs may lie between a paragraph and the one that ends the program.
const PERFORMS_FOLLOWED: usize = 4;

/// Returns for each paragraph how the first of its statements under no condition that ends the program does so. `jumps` has the paragraphs that control may
/// leave before that.
pub(super) fn paragraph_endings(
    parsed: &ParsedCobol,
    spans: &[Option<(usize, usize)>],
    stops: &ExitAnalysis,
    jumps: &[bool],
) -> Vec<Option<ProgramExit>> {
    let branches = IndexGroups::of_branches(parsed);
    let mut own: Vec<Option<ProgramExit>> =
        parsed.statements.iter().map(|statement| ending(parsed, statement)).collect();
    let mut found = with_branches(parsed, &branches, &own);
    for _ in 0..PERFORMS_FOLLOWED {
        let mut is_new = false;
        for (span, reference) in spans.iter().zip(&parsed.references) {
            let (Some((first, _)), Some(statement), Some(from)) = (*span, reference.statement, reference.paragraph)
            else {
                continue;
            };
            let always = stops.never_return[statement] && !jumps[from];
            if always && own[statement].is_none() && found[first].is_some() {
                own[statement] = found[first];
                is_new = true;
            }
        }
        if !is_new {
            break;
        }
        found = with_branches(parsed, &branches, &own);
    }
    found
}

/// Returns the endings of paragraphs, given those of statements by themselves: an IF or EVALUATE ends the program if it does so under each condition.
fn with_branches(
    parsed: &ParsedCobol,
    branches: &IndexGroups,
    own: &[Option<ProgramExit>],
) -> Vec<Option<ProgramExit>> {
    let mut found = vec![None; parsed.paragraphs.len()];
    let mut under: Vec<Option<ProgramExit>> = vec![None; parsed.branches.len()];
    // Backwards, the first one in each list is the last one stored, and what stands under a statement comes before it.
    for (index, statement) in parsed.statements.iter().enumerate().rev() {
        let branches = branches.get(index);
        let in_every_case = || {
            let all = branches.iter().map(|branch| under[*branch]);
            all.reduce(|one, other| Some(together(one?, other?))).flatten()
        };
        let Some(exit) = own[index].or_else(|| {
            let is_whole = takes_some_branch(parsed, statement, branches);
            is_whole.then(in_every_case).flatten()
        }) else {
            continue;
        };
        match (statement.branch, statement.paragraph) {
            (Some(branch), _) => under[branch] = Some(exit),
            (None, Some(paragraph)) if statement.depth == 0 => found[paragraph] = Some(exit),
            (None, _) => {}
        }
    }
    found
}

/// Returns how the program ends in one way or the other: no more is known than that it does.
fn together(one: ProgramExit, other: ProgramExit) -> ProgramExit {
    if one == other { one } else { ProgramExit::Returns }
}
