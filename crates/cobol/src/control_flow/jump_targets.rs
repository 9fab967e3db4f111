//! Where control goes on from a GO TO whose label does nothing, or ends what is performed elsewhere: back behind a PERFORM that waits, or on into what
//! follows.

use super::pending_ends::PendingEnds;
use super::reachability::{NEVER, ReachabilityWalk};
use crate::model::{ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt, HashSet};

/// Where a GO TO leads that does not come back where its label suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JumpTarget {
    /// The paragraph that control goes on into: that of the label, or behind a label that does nothing the first one that does something.
    pub into: usize,
    /// Whether control goes on behind that paragraph, although a PERFORM elsewhere comes back from its end.
    pub goes_on: bool,
    /// The last paragraph of the PERFORM that it jumps out of, if all that run it end before the label.
    pub left: Option<usize>,
}

/// What is known of all paragraphs, by index.
pub(super) struct JumpContext<'a> {
    pub(super) walk: &'a ReachabilityWalk<'a>,
    /// The range of each reference.
    pub(super) spans: &'a [Option<(usize, usize)>],
    pub(super) pending: &'a PendingEnds,
    pub(super) labels_only: &'a [bool],
    /// Whether control falls into the next paragraph.
    pub(super) falls: &'a [bool],
}

/// Finds them, each by the statement of its GO TO and its label. Finds none where more PERFORMs lead to a paragraph than can be known.
pub(super) fn find(parsed: &ParsedCobol, context: &JumpContext<'_>) -> HashMap<(usize, usize), JumpTarget> {
    let JumpContext { walk, spans, pending: PendingEnds { ends, performers, .. }, labels_only, falls } = *context;
    let mut found = HashMap::new();
    // Jumps of one paragraph stand together.
    let mut last: Option<(usize, Option<HashSet<usize>>)> = None;
    for (reference, span) in parsed.references.iter().zip(spans) {
        let (Some((label, _)), Some(from), Some(statement)) = (*span, reference.paragraph, reference.statement) else {
            continue;
        };
        // Other sources may perform the paragraphs of a fragment.
        let is_known = !ends[from].is_empty() && parsed.paragraphs[from].program.is_some();
        if reference.kind != ReferenceKind::GoTo || !is_known || ends[from].contains(&label) {
            continue;
        }
        let passes_end = |at: usize| falls[at] && !performers[at].is_empty();
        if !labels_only[label] && !passes_end(label) {
            continue;
        }
        if last.as_ref().is_none_or(|(known, _)| *known != from) {
            last = Some((from, context.pending.of_paragraph(from)));
        }
        let Some(pending) = last.as_ref().and_then(|(_, pending)| pending.as_ref()) else { continue };
        let passed =
            std::iter::successors(Some(label), |at| walk.fall_through_target(*at).filter(|_| labels_only[*at]));
        let behind = passed.take(LABELS_FOLLOWED).find(|at| pending.contains(at) || !labels_only[*at]);
        let Some(into) = behind.filter(|at| !labels_only[*at]) else { continue };
        let is_left = pending.iter().all(|end| *end == NEVER || *end < label);
        let left = ends[from].iter().max().copied().filter(|last| *last != NEVER && is_left);
        let goes_on = passes_end(into) && !pending.contains(&into);
        if into != label || goes_on {
            found.insert((statement, label), JumpTarget { into, goes_on, left });
        }
    }
    found
}

/// The most labels that do nothing and follow each other.
const LABELS_FOLLOWED: usize = 100;
