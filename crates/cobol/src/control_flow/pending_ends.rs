//! The PERFORMs that may wait while control is in a paragraph: those that run it, and those around these.

use super::reachability::{MOST_ENDS, NEVER};
use crate::model::ParsedCobol;
use foldhash::{HashSet, HashSetExt};

/// The most ends that may wait at once.
const MOST_PENDING: usize = 64;

/// The PERFORMs that may wait while control is in a paragraph.
#[derive(Debug, Clone)]
pub(super) struct PendingEnds {
    /// For each paragraph those at whose ends control may return while it is there ([`Reached::ends`](super::reachability::Reached::ends)).
    pub(super) ends: Vec<Vec<usize>>,
    /// For each paragraph those with a PERFORM that ends at it.
    pub(super) performers: Vec<Vec<usize>>,
    /// Whether no others may wait ([`Reached::are_ends_known`](super::reachability::Reached::are_ends_known)).
    are_known: bool,
}

impl PendingEnds {
    pub(super) fn new(
        parsed: &ParsedCobol,
        spans: &[Option<(usize, usize)>],
        ends: Vec<Vec<usize>>,
        are_known: bool,
    ) -> Self {
        let mut performers = vec![Vec::new(); parsed.paragraphs.len()];
        for (reference, span) in parsed.references.iter().zip(spans) {
            let returning = span.filter(|_| reference.kind.returns());
            if let (Some((_, last)), Some(from)) = (returning, reference.paragraph) {
                performers[last].push(from);
            }
        }
        performers.iter_mut().for_each(|from: &mut Vec<usize>| from.dedup());
        Self { ends, performers, are_known }
    }

    /// Returns the ends at which control may return from a paragraph: that of its PERFORM, and those of the PERFORMs that wait while it runs. None if
    /// they are too many to be known, or if control comes from another source.
    pub(super) fn of_paragraph(&self, paragraph: usize) -> Option<HashSet<usize>> {
        if !self.are_known || self.ends[paragraph].is_empty() {
            return None;
        }
        let (mut found, mut open) = (HashSet::new(), vec![paragraph]);
        while let Some(next) = open.pop() {
            if self.ends[next].len() >= MOST_ENDS {
                return None;
            }
            for end in &self.ends[next] {
                if found.insert(*end) && *end != NEVER {
                    open.extend(&self.performers[*end]);
                }
            }
            if found.len() > MOST_PENDING {
                return None;
            }
        }
        Some(found)
    }
}
