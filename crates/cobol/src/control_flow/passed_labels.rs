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

/// Finds them, each by the statement of its GO TO and its label; `ends` are for each paragraph those at whose ends control may return.
pub(super) fn find(
    parsed: &ParsedCobol,
    walk: &ReachabilityWalk<'_>,
    spans: &[Option<(usize, usize)>],
    ends: &[Vec<usize>],
    labels_only: &[bool],
) -> HashMap<(usize, usize), PassedLabel> {
    let mut found = HashMap::new();
    let mut performers: Option<Vec<Vec<usize>>> = None;
    for (reference, span) in parsed.references.iter().zip(spans) {
        let (Some((label, _)), Some(from), Some(statement)) = (*span, reference.paragraph, reference.statement) else {
            continue;
        };
        // Other sources may perform the paragraphs of a fragment.
        let is_known = (1..MOST_ENDS).contains(&ends[from].len()) && parsed.paragraphs[from].program.is_some();
        if reference.kind != ReferenceKind::GoTo || !labels_only[label] || !is_known || ends[from].contains(&label) {
            continue;
        }
        let performers = performers.get_or_insert_with(|| performers_of(parsed, spans));
        let around = with_performers(from, performers);
        let comes_back = |at: usize| around.iter().any(|paragraph| ends[*paragraph].contains(&at));
        let mut at = label;
        let into = loop {
            match walk.fall_through_target(at) {
                _ if comes_back(at) => break None,
                _ if !labels_only[at] => break Some(at),
                Some(next) => at = next,
                None => break None,
            }
        };
        let Some(into) = into else { continue };
        let ends_before = |end: &usize| *end == NEVER || *end < label;
        let is_left = around.iter().flat_map(|paragraph| &ends[*paragraph]).all(ends_before);
        let last = ends[from].iter().max().copied().filter(|last| *last != NEVER && is_left);
        found.insert((statement, label), PassedLabel { label, into, left: last });
    }
    found
}

/// Returns for each paragraph those that perform it.
fn performers_of(parsed: &ParsedCobol, spans: &[Option<(usize, usize)>]) -> Vec<Vec<usize>> {
    let mut performers = vec![Vec::new(); parsed.paragraphs.len()];
    for (reference, span) in parsed.references.iter().zip(spans) {
        let returning = span.filter(|_| reference.kind.returns());
        if let (Some((first, last)), Some(from)) = (returning, reference.paragraph) {
            performers[first..=last.max(first)].iter_mut().for_each(|known: &mut Vec<usize>| known.push(from));
        }
    }
    performers
}

/// Returns a paragraph with those that perform it, directly or not: what a range performs comes back to the end of the range, too.
fn with_performers(paragraph: usize, performers: &[Vec<usize>]) -> HashSet<usize> {
    let mut found = HashSet::new();
    let mut open = vec![paragraph];
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(&performers[next]);
        }
    }
    found
}
