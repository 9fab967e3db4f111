//! Why nothing leads to a paragraph.

use super::stops::{Leave, Stops};
use super::walk::Walk;
use crate::model::{Parsed, ReferenceKind};
use war_rig_text::LineNumber;

/// Why control never comes to a paragraph. Numbers are indices of paragraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreached {
    /// What refers to it first stands in a paragraph that is itself never reached.
    OnlyFrom {
        /// That paragraph.
        paragraph: usize,
        /// How it refers to it.
        kind: ReferenceKind,
    },
    /// What refers to it stands behind a statement that control does not pass.
    OnlyFromStranded {
        /// The paragraph of the reference; none for statements outside all paragraphs.
        paragraph: Option<usize>,
        /// How it refers to it.
        kind: ReferenceKind,
        /// The line of the reference.
        line: LineNumber,
        /// How control leaves before it.
        by: Leave,
    },
    /// It falls in a range that control leaves before it comes so far.
    RangeLeft {
        /// The first paragraph of the range.
        first: usize,
        /// Its last.
        last: usize,
        /// The paragraph before this one.
        before: usize,
        /// How control leaves there.
        by: Leave,
    },
    /// Nothing refers to it, and what stands before it does not fall through.
    Behind {
        /// The paragraph before it.
        before: usize,
        /// How control leaves there.
        by: Leave,
    },
    /// Nothing refers to it, and from the paragraph before it control always goes back to who performed that.
    BehindPerformed {
        /// The paragraph before it.
        before: usize,
    },
    /// Nothing refers to it, and the paragraph before it, which would fall through, is itself never reached.
    BehindUnreached {
        /// The paragraph before it.
        before: usize,
    },
    /// Nothing refers to it, and nothing stands before it.
    Alone,
}

/// For each paragraph that control never comes to the reason.
pub(super) fn reasons(
    parsed: &Parsed,
    stops: &Stops,
    walk: &Walk<'_>,
    spans: &[Option<(usize, usize)>],
    reached: &[bool],
) -> Vec<Option<Unreached>> {
    // The first reference to each paragraph, one from elsewhere before one of its own, and a range that it falls in.
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
        let at = stops.stranded.partition_point(|stranded| stranded.first <= statement);
        stops.stranded[..at].last().map(|stranded| stranded.by)
    };
    let behind = |paragraph: usize| {
        let before = paragraph.checked_sub(1).filter(|before| walk.next(*before) == Some(paragraph));
        match before.map(|before| (before, stops.ends[before])) {
            Some((before, Some(by))) => Unreached::Behind { before, by },
            Some((before, None)) if reached[before] => Unreached::BehindPerformed { before },
            Some((before, None)) => Unreached::BehindUnreached { before },
            None => Unreached::Alone,
        }
    };
    let reason = |paragraph: usize| {
        let reference = entered[paragraph].map(|index| &parsed.references[index]);
        if let Some(reference) = reference.filter(|found| found.paragraph != Some(paragraph)) {
            let stranded = reference.statement.filter(|at| stops.is_stranded[*at]);
            return match (reference.paragraph, stranded.and_then(stranded_by)) {
                (Some(from), _) if !reached[from] => {
                    Unreached::OnlyFrom { paragraph: from, kind: reference.kind }
                }
                (from, Some(by)) => Unreached::OnlyFromStranded {
                    paragraph: from,
                    kind: reference.kind,
                    line: reference.line,
                    by,
                },
                // ALTER alone does not lead to the paragraph that it changes.
                (_, None) => behind(paragraph),
            };
        }
        match (ranges[paragraph], behind(paragraph)) {
            (Some((first, last)), Unreached::Behind { before, by }) => {
                Unreached::RangeLeft { first, last, before, by }
            }
            (_, reason) => reason,
        }
    };
    (0..reached.len()).map(|index| (!reached[index]).then(|| reason(index))).collect()
}

/// For each paragraph a range that is entered before it and reaches over it, where what refers to the range is reached.
fn ranges(
    parsed: &Parsed,
    spans: &[Option<(usize, usize)>],
    reached: &[bool],
) -> Vec<Option<(usize, usize)>> {
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
