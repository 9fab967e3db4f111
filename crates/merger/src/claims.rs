//! Maps citations from rows of prompts to lines of the file.

use foldhash::{HashMap, HashSet, HashSetExt};
use war_rig_cobol::{Branch, ParsedCobol};
use war_rig_template::{BlockCitation, Citation, CitationStatus, Claim};
use war_rig_text::{LineMap, LineNumber, LineRange, SourceText};

/// What a chunk claims about lines of the file, not yet verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkClaim {
    pub(crate) lines: LineRange,
    pub(crate) quote: Option<String>,
    /// The lines that the claimant saw.
    pub(crate) seen: LineRange,
}

/// Converts a chunk's citations to claims on lines of the file. A row past the block's end becomes the block's last row,
/// and the verifier decides; inverted rows are put in order.
pub(crate) fn claims(citations: &[BlockCitation], map: LineMap) -> Vec<ChunkClaim> {
    let last = map.file_lines().count();
    let row = |number: u32| number.clamp(1, last);
    citations
        .iter()
        .filter_map(|citation| {
            let start = map.to_file(row(citation.start))?;
            let end = map.to_file(row(citation.end))?;
            Some(ChunkClaim {
                lines: LineRange::spanning(start, end),
                quote: citation.quote.clone(),
                seen: map.file_lines(),
            })
        })
        .collect()
}

/// How far the constructs that begin on each line reach. This distinguishes an item that was cut in two from two neighbors.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConstructSpans {
    ends: HashMap<LineNumber, LineNumber>,
}

impl ConstructSpans {
    pub(crate) fn of(parsed: &ParsedCobol) -> Self {
        let mut spans = Self::default();
        let own = parsed.statements.iter().filter(|statement| statement.file.is_none());
        spans.add(own.map(|statement| statement.lines));
        let owned = |branch: &&Branch| parsed.statements[branch.statement].file.is_none();
        spans.add(parsed.branches.iter().filter(owned).map(|branch| branch.lines));
        spans.add(parsed.paragraphs.iter().filter(|unit| unit.file.is_none()).map(|unit| unit.lines));
        spans.add(parsed.divisions.iter().filter(|unit| unit.file.is_none()).map(|unit| unit.lines));
        spans.add(parsed.copies.iter().filter(|copy| copy.file.is_none()).map(|copy| copy.lines));
        spans.add(parsed.execs.iter().filter(|exec| exec.file.is_none()).map(|exec| exec.lines));
        spans
    }

    fn add(&mut self, lines: impl Iterator<Item = LineRange>) {
        for lines in lines {
            let end = self.ends.entry(lines.start()).or_insert(lines.end());
            *end = (*end).max(lines.end());
        }
    }

    /// Whether a construct begins with the first claim and reaches the end of the second.
    fn hold(&self, first: LineRange, second: LineRange) -> bool {
        self.ends.get(&first.start()).is_some_and(|end| *end >= second.end())
    }
}

/// Adds claims to those of the same item. Two claims become one if they meet at the border of their chunks, one construct
/// contains both, and the second has no quote: this rejoins an item that was cut in two. Equal claims count once.
pub(crate) fn join_claims(claims: &mut Vec<ChunkClaim>, more: Vec<ChunkClaim>, spans: &ConstructSpans) {
    for claim in more {
        let meets = |known: &ChunkClaim| {
            let border = known.seen.end() == known.lines.end() && claim.seen.start() == claim.lines.start();
            border
                && known.seen.end().saturating_add(1) == claim.seen.start()
                && claim.quote.is_none()
                && spans.hold(known.lines, claim.lines)
        };
        // Chunks come in order, so only recent claims can equal or precede this one.
        let lately = claims.len().saturating_sub(LATELY);
        if claims[lately..].contains(&claim) {
            continue;
        }
        match claims[lately..].iter_mut().rev().find(|known| meets(known)) {
            Some(known) => {
                known.lines = LineRange::spanning(known.lines.start(), claim.lines.end());
                known.seen = LineRange::spanning(known.seen.start(), claim.seen.end());
            }
            None => claims.push(claim),
        }
    }
}

/// How many of an item's latest claims are compared with a new one.
const LATELY: usize = 64;

/// Verifies claims against the source.
pub(crate) fn verify_claims(claims: &[ChunkClaim], source: &SourceText, anchors: &[String]) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::with_capacity(claims.len());
    let mut seen = HashSet::new();
    for claimed in claims {
        let claim = Claim { lines: claimed.lines, quote: claimed.quote.clone() };
        let citation = Citation::verify(&claim, source, claimed.seen, anchors);
        if seen.insert((citation.lines(), citation.quote().map(str::to_owned))) {
            citations.push(citation);
        }
    }
    citations.sort_by_key(|citation| citation.lines());
    citations
}

/// Checks the claims of a model's item: quotes word by word, all others together by the judge.
pub(crate) fn judged_claims(
    claims: &[ChunkClaim],
    source: &SourceText,
    judge: impl FnOnce(&[LineRange]) -> Vec<CitationStatus>,
) -> Vec<Citation> {
    let lines: Vec<LineRange> = claims.iter().map(|claim| claim.lines).collect();
    let statuses = judge(&lines);
    let mut citations: Vec<Citation> = Vec::with_capacity(claims.len());
    let mut seen = HashSet::new();
    for (claimed, status) in claims.iter().zip(statuses) {
        let claim = Claim { lines: claimed.lines, quote: claimed.quote.clone() };
        let citation = match claim.has_telling_quote() {
            // A quote from somewhere bears out nothing that the source refutes or lacks.
            true if status < CitationStatus::Unsupported => Citation::verify(&claim, source, claimed.seen, &[]),
            _ => Citation::judged(&claim, source, claimed.seen, status),
        };
        if seen.insert((citation.lines(), citation.quote().map(str::to_owned))) {
            citations.push(citation);
        }
    }
    citations.sort_by_key(|citation| citation.lines());
    citations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u32, end: u32) -> LineRange {
        LineRange::new(LineNumber::new(start).unwrap(), LineNumber::new(end).unwrap()).unwrap()
    }

    fn rows(start: u32, end: u32) -> Vec<BlockCitation> {
        vec![BlockCitation { start, end, quote: None }]
    }

    #[test]
    fn an_item_cut_at_a_border_is_one_claim_again_and_others_stay_apart() {
        let (first, second) = (LineMap::new(range(1, 100)), LineMap::new(range(101, 200)));
        let mut spans = ConstructSpans::default();
        spans.add([range(90, 120)].into_iter());
        let mut joined = claims(&rows(90, 100), first);
        join_claims(&mut joined, claims(&rows(1, 20), second), &spans);
        assert_eq!(joined.iter().map(|claim| claim.lines).collect::<Vec<_>>(), [range(90, 120)]);
        let mut apart = claims(&rows(90, 99), first);
        join_claims(&mut apart, claims(&rows(1, 20), second), &spans);
        assert_eq!(apart.len(), 2);
        let mut neighbours = claims(&rows(100, 100), first);
        join_claims(&mut neighbours, claims(&rows(1, 1), second), &spans);
        assert_eq!(neighbours.len(), 2);
    }

    #[test]
    fn rows_outside_the_block_stay_inside_the_lines_the_chunk_has_seen() {
        let found = claims(&rows(0, 5000), LineMap::new(range(101, 200)));
        assert_eq!(found[0].lines, range(101, 200));
        assert_eq!(claims(&rows(9, 2), LineMap::new(range(101, 200)))[0].lines, range(102, 109));
    }
}
