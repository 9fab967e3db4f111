//! Where control goes on from a GO TO whose label does nothing: back behind a PERFORM that ends there, or into what follows the label.

use super::reachability::{MOST_ENDS, NEVER, ReachabilityWalk};
use crate::model::{ParsedCobol, ReferenceKind};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

/// A GO TO to a label that does nothing and that no PERFORM around it ends at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedLabel {
    /// The label.
    pub label: usize,
    /// The paragraph that control goes on into.
    pub into: usize,
    /// The last paragraph of the PERFORM that it jumps out of, if all that run it end before the label.
    pub left: Option<usize>,
}

/// Finds them, each by the statement of its GO TO and its label; `ends` are for each paragraph those at whose ends control may return. Finds none
/// where more PERFORMs lead to a paragraph than can be followed.
pub(super) fn find(
    parsed: &ParsedCobol,
    walk: &ReachabilityWalk<'_>,
    spans: &[Option<(usize, usize)>],
    ends: &[Vec<usize>],
    labels_only: &[bool],
) -> HashMap<(usize, usize), PassedLabel> {
    let mut found = HashMap::new();
    let mut pending: Option<PendingEnds<'_>> = None;
    for (reference, span) in parsed.references.iter().zip(spans) {
        let (Some((label, _)), Some(from), Some(statement)) = (*span, reference.paragraph, reference.statement) else {
            continue;
        };
        // Other sources may perform the paragraphs of a fragment.
        let is_known = !ends[from].is_empty() && parsed.paragraphs[from].program.is_some();
        if reference.kind != ReferenceKind::GoTo || !labels_only[label] || !is_known || ends[from].contains(&label) {
            continue;
        }
        let pending = pending.get_or_insert_with(|| PendingEnds::of(parsed, spans, ends));
        let Some(pending) = pending.around(from) else { continue };
        let passed =
            std::iter::successors(Some(label), |at| walk.fall_through_target(*at).filter(|_| labels_only[*at]));
        let Some(into) = passed
            .take(LABELS_FOLLOWED)
            .find(|at| pending.contains(at) || !labels_only[*at])
            .filter(|at| !pending.contains(at))
        else {
            continue;
        };
        let is_left = pending.iter().all(|end| *end == NEVER || *end < label);
        let last = ends[from].iter().max().copied().filter(|last| *last != NEVER && is_left);
        found.insert((statement, label), PassedLabel { label, into, left: last });
    }
    found
}

/// The most labels that do nothing and follow each other.
const LABELS_FOLLOWED: usize = 100;

/// The most paragraphs that are followed to those that perform them, and the most that PERFORMs run in all.
const MOST_FOLLOWED: usize = 1 << 20;

/// The ends at which control may return: that of a PERFORM, and those of the PERFORMs that wait while it runs.
struct PendingEnds<'a> {
    ends: &'a [Vec<usize>],
    /// For each paragraph those that perform it.
    performers: Vec<Vec<usize>>,
    /// The last paragraph that was asked about, with its ends: jumps of one paragraph stand together.
    last: Option<(usize, HashSet<usize>)>,
    /// How many paragraphs may still be followed.
    left: usize,
}

impl<'a> PendingEnds<'a> {
    fn of(parsed: &ParsedCobol, spans: &[Option<(usize, usize)>], ends: &'a [Vec<usize>]) -> Self {
        let mut performers: Vec<Vec<usize>> = vec![Vec::new(); parsed.paragraphs.len()];
        let mut left = MOST_FOLLOWED;
        for (reference, span) in parsed.references.iter().zip(spans) {
            let returning = span.filter(|_| reference.kind.returns());
            let (Some((first, last)), Some(from)) = (returning, reference.paragraph) else { continue };
            let run = first..=last.max(first);
            left = left.saturating_sub(run.clone().count());
            if left == 0 {
                break;
            }
            performers[run].iter_mut().for_each(|known| known.push(from));
        }
        let left = if left == 0 { 0 } else { MOST_FOLLOWED };
        Self { ends, performers, last: None, left }
    }

    /// Returns the ends at which control may return from a paragraph; none if they are too many to be known.
    fn around(&mut self, paragraph: usize) -> Option<&HashSet<usize>> {
        if self.last.as_ref().is_none_or(|(known, _)| *known != paragraph) {
            let (mut seen, mut open) = (HashSet::new(), vec![paragraph]);
            let mut pending = HashSet::new();
            while let Some(next) = open.pop() {
                if seen.insert(next) {
                    if self.ends[next].len() >= MOST_ENDS {
                        return None;
                    }
                    self.left = self.left.checked_sub(1 + self.performers[next].len())?;
                    pending.extend(self.ends[next].iter().copied());
                    open.extend(&self.performers[next]);
                }
            }
            self.last = Some((paragraph, pending));
        }
        self.last.as_ref().map(|(_, pending)| pending)
    }
}
