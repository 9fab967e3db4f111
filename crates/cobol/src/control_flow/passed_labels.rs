//! Where control goes on from a GO TO whose label does nothing: back behind a PERFORM that ends there, or into what follows the label.

use super::reachability::{MOST_ENDS, NEVER, ReachabilityWalk};
use crate::model::{ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// Where control goes on from a GO TO to a label that does nothing and that no PERFORM around it ends at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedLabel {
    /// The paragraph that control goes on into.
    pub into: usize,
    /// The last paragraph of the PERFORM that it jumps out of, if all that run it end before the label.
    pub left: Option<usize>,
}

/// Finds them, each by the statement of its GO TO and its label; `ends` are for each paragraph those at whose ends control may return. Finds none
/// where more PERFORMs lead to a paragraph than can be known.
pub(super) fn find(
    parsed: &ParsedCobol,
    walk: &ReachabilityWalk<'_>,
    spans: &[Option<(usize, usize)>],
    ends: &[Vec<usize>],
    labels_only: &[bool],
) -> HashMap<(usize, usize), PassedLabel> {
    let mut found = HashMap::new();
    let mut performers: Option<Vec<Vec<usize>>> = None;
    // Jumps of one paragraph stand together.
    let mut last: Option<(usize, Option<HashSet<usize>>)> = None;
    for (reference, span) in parsed.references.iter().zip(spans) {
        let (Some((label, _)), Some(from), Some(statement)) = (*span, reference.paragraph, reference.statement) else {
            continue;
        };
        // Other sources may perform the paragraphs of a fragment.
        let is_known = !ends[from].is_empty() && parsed.paragraphs[from].program.is_some();
        if reference.kind != ReferenceKind::GoTo || !labels_only[label] || !is_known || ends[from].contains(&label) {
            continue;
        }
        if last.as_ref().is_none_or(|(known, _)| *known != from) {
            let performers = performers.get_or_insert_with(|| performers_by_end(parsed, spans));
            last = Some((from, pending_ends(from, ends, performers)));
        }
        let Some(pending) = last.as_ref().and_then(|(_, pending)| pending.as_ref()) else { continue };
        let passed =
            std::iter::successors(Some(label), |at| walk.fall_through_target(*at).filter(|_| labels_only[*at]));
        let behind = passed.take(LABELS_FOLLOWED).find(|at| pending.contains(at) || !labels_only[*at]);
        let Some(into) = behind.filter(|at| !pending.contains(at)) else { continue };
        let is_left = pending.iter().all(|end| *end == NEVER || *end < label);
        let left = ends[from].iter().max().copied().filter(|last| *last != NEVER && is_left);
        found.insert((statement, label), PassedLabel { into, left });
    }
    found
}

/// The most labels that do nothing and follow each other.
const LABELS_FOLLOWED: usize = 100;

/// The most ends that may wait at once.
const MOST_PENDING: usize = 64;

/// Returns for each paragraph those with a PERFORM that ends at it.
fn performers_by_end(parsed: &ParsedCobol, spans: &[Option<(usize, usize)>]) -> Vec<Vec<usize>> {
    let mut performers = vec![Vec::new(); parsed.paragraphs.len()];
    for (reference, span) in parsed.references.iter().zip(spans) {
        let returning = span.filter(|_| reference.kind.returns());
        if let (Some((_, last)), Some(from)) = (returning, reference.paragraph) {
            performers[last].push(from);
        }
    }
    performers.iter_mut().for_each(|from: &mut Vec<usize>| from.dedup());
    performers
}

/// Returns the ends at which control may return from a paragraph: that of its PERFORM, and those of the PERFORMs that wait while it runs. None if they
/// are too many to be known.
fn pending_ends(paragraph: usize, ends: &[Vec<usize>], performers: &[Vec<usize>]) -> Option<HashSet<usize>> {
    let (mut found, mut open) = (HashSet::new(), vec![paragraph]);
    while let Some(next) = open.pop() {
        if ends[next].len() >= MOST_ENDS {
            return None;
        }
        for end in &ends[next] {
            if found.insert(*end) && *end != NEVER {
                open.extend(&performers[*end]);
            }
        }
        if found.len() > MOST_PENDING {
            return None;
        }
    }
    Some(found)
}
