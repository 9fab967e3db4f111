//! Why a paragraph is unreachable.

use super::exits::{ExitAnalysis, ExitKind};
use super::reachability::ReachabilityWalk;
use crate::model::{ParsedCobol, ReferenceKind};
use war_rig_text::LineNumber;

/// Why control never reaches a paragraph. Numbers are indices of paragraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnreachableReason {
    /// The first reference to it is in a paragraph that is itself unreachable.
    OnlyFromUnreachable {
        /// That paragraph.
        paragraph: usize,
        /// The kind of the reference.
        kind: ReferenceKind,
    },
    /// The reference to it follows a statement that control does not pass.
    OnlyFromDeadCode {
        /// The paragraph of the reference; none for statements outside all paragraphs.
        paragraph: Option<usize>,
        /// The kind of the reference.
        kind: ReferenceKind,
        /// The line of the reference.
        line: LineNumber,
        /// How control leaves before the reference.
        by: ExitKind,
    },
    /// It is in a range that control leaves before reaching it.
    RangeExitedEarly {
        /// The first paragraph of the range.
        first: usize,
        /// The last paragraph of the range.
        last: usize,
        /// The paragraph before this one.
        before: usize,
        /// How control leaves there.
        by: ExitKind,
    },
    /// Nothing refers to it, and the code before it does not fall through.
    AfterExit {
        /// The paragraph before it.
        before: usize,
        /// How control leaves there.
        by: ExitKind,
    },
    /// Nothing refers to it, and control always returns from the paragraph before it to the PERFORM.
    AfterPerformed {
        /// The paragraph before it.
        before: usize,
    },
    /// Nothing refers to it, and the paragraph before it, which would fall through, is itself unreachable.
    AfterUnreachable {
        /// The paragraph before it.
        before: usize,
    },
    /// Nothing refers to it, and nothing precedes it.
    NoPredecessor,
}

/// Returns the reason for each unreachable paragraph.
pub(super) fn reasons(
    parsed: &ParsedCobol,
    stops: &ExitAnalysis,
    walk: &ReachabilityWalk<'_>,
    spans: &[Option<(usize, usize)>],
    reached: &[bool],
) -> Vec<Option<UnreachableReason>> {
    // The first reference to each paragraph, preferably from another paragraph, and a range that contains it.
    let mut entered: Vec<Option<usize>> = vec![None; reached.len()];
    for (index, span) in spans.iter().enumerate() {
        let Some((first, _)) = *span else { continue };
        let is_own = |index: usize| parsed.references[index].paragraph == Some(first);
        if entered[first].is_none_or(|known| is_own(known) && !is_own(index)) {
            entered[first] = Some(index);
        }
    }
    let ranges = ranges(parsed, spans, reached);
    let stranded_by = |statement: usize| {
        let at = stops.dead_statements.partition_point(|stranded| stranded.first <= statement);
        stops.dead_statements[..at].last().map(|stranded| stranded.by)
    };
    let behind = |paragraph: usize| {
        let before = paragraph.checked_sub(1).filter(|before| walk.fall_through_target(*before) == Some(paragraph));
        match before.map(|before| (before, stops.ends[before])) {
            Some((before, Some(by))) => UnreachableReason::AfterExit { before, by },
            Some((before, None)) if reached[before] => UnreachableReason::AfterPerformed { before },
            Some((before, None)) => UnreachableReason::AfterUnreachable { before },
            None => UnreachableReason::NoPredecessor,
        }
    };
    let reason = |paragraph: usize| {
        let reference = entered[paragraph].map(|index| &parsed.references[index]);
        if let Some(reference) = reference.filter(|found| found.paragraph != Some(paragraph)) {
            let stranded = reference.statement.filter(|at| stops.is_dead[*at]);
            return match (reference.paragraph, stranded.and_then(stranded_by)) {
                (Some(from), _) if !reached[from] => {
                    UnreachableReason::OnlyFromUnreachable { paragraph: from, kind: reference.kind }
                }
                (from, Some(by)) => UnreachableReason::OnlyFromDeadCode {
                    paragraph: from,
                    kind: reference.kind,
                    line: reference.line,
                    by,
                },
                // ALTER alone does not reach the paragraph that it changes.
                (_, None) => behind(paragraph),
            };
        }
        match (ranges[paragraph], behind(paragraph)) {
            (Some((first, last)), UnreachableReason::AfterExit { before, by }) => {
                UnreachableReason::RangeExitedEarly { first, last, before, by }
            }
            (_, reason) => reason,
        }
    };
    (0..reached.len()).map(|index| (!reached[index]).then(|| reason(index))).collect()
}

/// Returns for each paragraph a range that begins before it and covers it, if a reachable statement refers to the range.
fn ranges(parsed: &ParsedCobol, spans: &[Option<(usize, usize)>], reached: &[bool]) -> Vec<Option<(usize, usize)>> {
    let live = spans.iter().zip(&parsed.references).filter_map(|(span, reference)| {
        let is_live = reference.paragraph.is_none_or(|from| reached[from]) && reference.kind.returns();
        span.filter(|(first, last)| is_live && first < last)
    });
    let mut live: Vec<(usize, usize)> = live.collect();
    live.sort_unstable();
    let mut next = live.into_iter().peekable();
    let mut farthest: Option<(usize, usize)> = None;
    let mut found = Vec::with_capacity(reached.len());
    for paragraph in 0..reached.len() {
        while let Some(range) = next.next_if(|(first, _)| *first < paragraph) {
            if farthest.is_none_or(|(_, last)| range.1 > last) {
                farthest = Some(range);
            }
        }
        found.push(farthest.filter(|(_, last)| *last >= paragraph));
    }
    found
}
