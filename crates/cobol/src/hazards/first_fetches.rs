//! The FETCHes that always read the first row of their cursor.

use super::HazardContext;
use super::loops::hides_flow;
use crate::model::{BranchKind, ExecBlock, ReferenceKind};
use crate::verb::Verb;

/// How many PERFORMs are followed from a paragraph up to one that runs both OPEN and FETCH.
const PERFORMS_FOLLOWED: usize = 4;

/// Returns whether a FETCH always reads the first row: it is the only one of its cursor, and an OPEN comes before it whenever it runs, with no loop
/// between the two.
pub(super) fn is_first(context: &HazardContext<'_>, fetch: usize) -> bool {
    let parsed = context.parsed;
    let exec = |statement: usize| parsed.statements[statement].exec.map(|exec| &parsed.execs[exec]);
    let Some(block) = exec(fetch).filter(|block| block.cursor.is_some()) else { return false };
    let of_cursor = |command: &'static str| {
        let is_it = move |found: &ExecBlock| {
            found.cursor == block.cursor && found.program == block.program && found.command.starts_with(command)
        };
        (0..parsed.statements.len()).filter(move |index| exec(*index).is_some_and(is_it))
    };
    let is_positioned = block.sql.as_ref().is_none_or(|sql| sql.is_positioned);
    if is_positioned || of_cursor("FETCH").count() != 1 || hides_flow(parsed) || parsed.is_copybook_missing("PROCEDURE")
    {
        return false;
    }
    let place = |index: usize| (parsed.statements[index].branch, parsed.statements[index].paragraph);
    let fetched = places_of_only_run(context, fetch);
    let opened = of_cursor("OPEN").flat_map(|open| places_of_certain_run(context, open));
    opened.into_iter().any(|open| fetched.iter().any(|fetch| open < *fetch && place(open) == place(*fetch)))
}

/// Returns a statement and those around it that each run it once at most: the IFs around it, and the only PERFORM of its paragraph.
fn places_of_only_run(context: &HazardContext<'_>, statement: usize) -> Vec<usize> {
    let parsed = context.parsed;
    let mut places = vec![statement];
    for _ in 0..PERFORMS_FOLLOWED {
        let mut last = places[places.len() - 1];
        while let Some(branch) = parsed.statements[last].branch.map(|branch| &parsed.branches[branch]) {
            if branch.kind == BranchKind::Loop {
                return places;
            }
            last = branch.statement;
            places.push(last);
        }
        let Some(perform) = only_perform(context, last) else { break };
        places.push(perform);
    }
    places
}

/// Returns the PERFORM, no loop, that alone leads to the paragraph of a statement.
fn only_perform(context: &HazardContext<'_>, statement: usize) -> Option<usize> {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    let paragraph = parsed.statements[statement].paragraph?;
    let references = parsed.references.iter().enumerate();
    let spans = references.filter_map(|(index, reference)| Some((reference, flow.reference_span(index)?)));
    let mut leading = spans.clone().filter(|(_, (first, last))| (*first..=*last.max(first)).contains(&paragraph));
    let ((reference, (first, _)), None) = (leading.next()?, leading.next()) else { return None };
    // A GO TO into the range may run its paragraphs again.
    let is_entered = |(_, (target, _)): (_, (usize, usize))| (first..=paragraph).contains(&target);
    let falls = first.checked_sub(1).is_some_and(|before| flow.falls_through(before));
    let perform = reference.statement.filter(|_| reference.kind == ReferenceKind::Perform && !reference.is_repeated)?;
    (!falls && spans.filter(|span| is_entered(*span)).count() == 1).then_some(perform)
}

/// Returns a statement and the PERFORMs that always run it.
fn places_of_certain_run(context: &HazardContext<'_>, statement: usize) -> Vec<usize> {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    let (mut places, mut open) = (vec![statement], vec![statement]);
    for _ in 0..PERFORMS_FOLLOWED {
        let certain = open.iter().filter(|index| parsed.statements[**index].branch.is_none());
        let paragraphs: Vec<usize> = certain.filter_map(|index| parsed.statements[*index].paragraph).collect();
        let performs = parsed.references.iter().enumerate().filter_map(|(index, reference)| {
            let first = flow.reference_span(index)?.0;
            let perform = reference.statement.filter(|_| reference.kind == ReferenceKind::Perform)?;
            (paragraphs.contains(&first) && parsed.statements[perform].verb == Verb::Perform).then_some(perform)
        });
        open = performs.filter(|perform| !places.contains(perform)).collect();
        places.extend(&open);
    }
    places
}
