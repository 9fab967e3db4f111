//! PERFORMs that do not return: no statement that they lead to reaches the end of their range.

use super::exits::{ExitAnalysis, ExitKind};
use super::labels::ResolvedReferences;
use crate::model::{ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt};

/// The maximum number of paragraphs examined per range. A range with more reachable paragraphs is assumed to return.
const LOOKED_AT: usize = 200;

/// Marks the statements that PERFORM a range that never ends; returns whether any is new. A PERFORM UNTIL may run zero times and
/// is never marked.
pub(super) fn mark_non_returning_performs(
    parsed: &ParsedCobol,
    routes: &ResolvedReferences,
    stops: &ExitAnalysis,
    leaves: &mut [Option<(ExitKind, bool)>],
) -> bool {
    let ranges = PerformRanges::of(parsed, routes, stops);
    let mut known: HashMap<(usize, usize), bool> = HashMap::new();
    let mut are_new = false;
    for (reference, span) in parsed.references.iter().zip(&routes.spans) {
        let (ReferenceKind::Perform, Some(statement), Some((first, last))) =
            (reference.kind, reference.statement, *span)
        else {
            continue;
        };
        if leaves[statement].is_some() || reference.is_repeated {
            continue;
        }
        if !*known.entry((first, last)).or_insert_with(|| ranges.can_end(first, last)) {
            leaves[statement] = Some((ExitKind::Perform, true));
            are_new = true;
        }
    }
    are_new
}

/// The ways in which control continues from each paragraph without returning.
struct PerformRanges<'a> {
    parsed: &'a ParsedCobol,
    stops: &'a ExitAnalysis,
    /// The targets of GO TO in each paragraph, also those that ALTER gives it; none if unknown.
    jumps: Vec<Vec<Option<usize>>>,
    /// The handlers of CICS and SQL failures, for any paragraph.
    handlers: Vec<usize>,
    section_ends: Vec<Option<usize>>,
}

impl<'a> PerformRanges<'a> {
    fn of(parsed: &'a ParsedCobol, routes: &ResolvedReferences, stops: &'a ExitAnalysis) -> Self {
        let mut jumps = vec![Vec::new(); parsed.paragraphs.len()];
        let mut handlers = Vec::new();
        for (reference, span) in parsed.references.iter().zip(&routes.spans) {
            let first = span.map(|(first, _)| first);
            let is_stranded = reference.statement.is_some_and(|at| stops.is_dead[at]);
            match (reference.kind, reference.paragraph) {
                // A performed paragraph may continue anywhere with its own GO TO.
                (ReferenceKind::GoTo | ReferenceKind::Perform, Some(from)) if !is_stranded => {
                    jumps[from].push(first);
                }
                (ReferenceKind::Handle, _) => handlers.extend(first),
                _ => {}
            }
        }
        for (paragraph, target) in parsed.altered() {
            if let Some((from, _)) = routes.spans[paragraph] {
                jumps[from].push(routes.spans[target].map(|(first, _)| first));
            }
        }
        handlers.sort_unstable();
        handlers.dedup();
        Self { parsed, stops, jumps, handlers, section_ends: stops.section_ends(parsed, routes) }
    }

    /// Whether control that begins at one paragraph may come to the end of another.
    fn can_end(&self, first: usize, last: usize) -> bool {
        let mut open: Vec<usize> = self.handlers.iter().copied().chain([first]).collect();
        let mut seen: Vec<usize> = open.clone();
        let mut at = 0;
        while let Some(paragraph) = open.get(at).copied() {
            at += 1;
            let ends = self.stops.ends[paragraph].is_none();
            if (ends && paragraph == last) || self.section_ends[paragraph] == Some(last) {
                return true;
            }
            let next = paragraph + 1;
            let program = |index: usize| self.parsed.paragraphs.get(index).map(|found| found.program);
            let falls = (ends && program(next) == program(paragraph)).then_some(Some(next));
            for to in self.jumps[paragraph].iter().copied().chain(falls) {
                let Some(to) = to.filter(|_| seen.len() < LOOKED_AT) else { return true };
                if !seen.contains(&to) {
                    seen.push(to);
                    open.push(to);
                }
            }
        }
        false
    }
}
