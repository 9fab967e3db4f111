//! Paragraphs that perform themselves, and programs that call themselves.
//!
//! A PERFORM keeps one place of return for the end of its range: where control comes to that end in a second PERFORM of it, it does not come back to the
//! first. Source: Enterprise COBOL for z/OS, Language Reference, PERFORM and CALL; only a RECURSIVE program may be called again while it runs.

use super::{FoundHazards, HazardContext, HazardKind};
use crate::index_groups::IndexGroups;
use foldhash::{HashSet, HashSetExt};

/// The maximum number of paragraphs that are visited for each PERFORM on average: the limit keeps the work linear.
const VISITS: usize = 50;

pub(super) fn find(context: &HazardContext<'_>, found: &mut FoundHazards) {
    let (parsed, flow) = (context.parsed, context.analysis.control_flow());
    let performs = parsed.references.iter().enumerate().filter(|(_, reference)| reference.kind.returns());
    let performs: Vec<usize> = performs.map(|(index, _)| index).collect();
    let of_paragraph =
        IndexGroups::of(parsed.paragraphs.len(), performs.iter().map(|at| parsed.references[*at].paragraph));
    let mut visits_left = VISITS.saturating_mul(parsed.paragraphs.len().max(performs.len()));
    let mut told = HashSet::new();
    for reference in &performs {
        let Some(from) = parsed.references[*reference].paragraph else { continue };
        let Some(statement) = parsed.references[*reference].statement else { continue };
        let Some((first, last)) = flow.reference_span(*reference) else { continue };
        if parsed.statements[statement].file.is_some() || !flow.is_reachable(from) || flow.never_runs(statement) {
            continue;
        }
        let mut known: HashSet<usize> = HashSet::new();
        let mut open: Vec<usize> = (first..=last).collect();
        while let Some(paragraph) = open.pop() {
            if known.contains(&from) || visits_left == 0 {
                break;
            }
            visits_left -= 1;
            if known.insert(paragraph) {
                let inner = of_paragraph.get(paragraph).iter().filter_map(|at| flow.reference_span(performs[*at]));
                open.extend(inner.flat_map(|(first, last)| first..=last));
            }
        }
        let is_itself = (first..=last).contains(&from);
        // Of paragraphs that perform each other, one is told.
        if known.contains(&from) && (is_itself || !told.contains(&from)) {
            told.extend(known);
            let name = |paragraph: usize| parsed.paragraphs[paragraph].name.clone();
            let by_way_of = (!is_itself).then(|| name(first));
            let kind = HazardKind::RunsItself { name: name(from), by_way_of, is_program: false };
            let performing = &parsed.statements[statement];
            found.add_at(statement, kind, performing.program, performing.own_lines());
        }
    }
    for call in parsed.calls.iter().filter(|call| call.is_literal && call.file.is_none()) {
        let Some(program) = call.program.map(|program| &parsed.programs[program]) else { continue };
        if program.name.eq_ignore_ascii_case(&call.target) && !program.is_recursive {
            let kind = HazardKind::RunsItself { name: program.name.clone(), by_way_of: None, is_program: true };
            found.add(kind, call.program, call.lines);
        }
    }
}
