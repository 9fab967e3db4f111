//! Packing indivisible pieces of text into parts of limited size.

use std::ops::Range;

/// An indivisible stretch of text, and its tokens when counted alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) range: Range<usize>,
    pub(super) tokens: u64,
}

/// Adjacent atoms, and where the repeated text before them begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedAtoms {
    pub(super) shown: usize,
    pub(super) own: Range<usize>,
}

/// Packs as many atoms as fit by the sum of their tokens, and fewer if the exact count exceeds the room. The sum is not reliable: the tokens of two
/// texts put together are not the sum of theirs.
///
/// `again` returns where the repeated text before an atom begins, and its tokens; `exact` counts a pack as it is sent.
///
/// # Errors
/// The index of an atom that does not fit alone, and its tokens.
pub(super) fn pack(
    atoms: &[Atom],
    room: u64,
    again: impl Fn(usize) -> (usize, u64),
    exact: impl Fn(&PackedAtoms) -> u64,
) -> Result<Vec<PackedAtoms>, (usize, u64)> {
    let mut packs = Vec::new();
    let mut start = 0;
    while start < atoms.len() {
        let (mut shown, taken) = again(start);
        let mut end = start;
        let mut sum = taken;
        while end < atoms.len() && (end == start || sum + atoms[end].tokens <= room) {
            sum += atoms[end].tokens;
            end += 1;
        }
        let first = atoms[start].range.start;
        loop {
            let pack = PackedAtoms { shown, own: first..atoms[end - 1].range.end };
            let tokens = exact(&pack);
            if tokens <= room {
                packs.push(pack);
                break;
            }
            if end - start > 1 {
                // Removes atoms in proportion to the excess, at least one.
                let over = (end - start) as u64 * (tokens - room) / tokens;
                end -= (over as usize).clamp(1, end - start - 1);
            } else if shown < first {
                shown = first;
            } else {
                return Err((start, tokens));
            }
        }
        start = end;
    }
    Ok(packs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(tokens: &[u64]) -> Vec<Atom> {
        let of = |(at, tokens): (usize, &u64)| Atom { range: at..at + 1, tokens: *tokens };
        tokens.iter().enumerate().map(of).collect()
    }

    fn packed(tokens: &[u64], room: u64, exact: impl Fn(u64) -> u64) -> Result<Vec<Range<usize>>, (usize, u64)> {
        let atoms = atoms(tokens);
        let sum = |pack: &PackedAtoms| exact(tokens[pack.shown..pack.own.end].iter().sum());
        let packs = pack(&atoms, room, |at| (at, 0), sum)?;
        Ok(packs.into_iter().map(|pack| pack.own).collect())
    }

    #[test]
    fn packs_hold_what_fits_and_the_exact_count_decides() {
        assert_eq!(packed(&[2, 2, 2, 2, 2], 4, |sum| sum), Ok(vec![0..2, 2..4, 4..5]));
        assert_eq!(packed(&[2, 2, 2, 2], 5, |sum| sum * 2), Ok(vec![0..1, 1..2, 2..3, 3..4]));
        assert_eq!(packed(&[1, 9, 1], 5, |sum| sum), Err((1, 9)));
        assert_eq!(packed(&[], 5, |sum| sum), Ok(vec![]));
        // An atom that counts more alone than together still gets its turn.
        assert_eq!(packed(&[9, 1], 5, |sum| sum / 2), Ok(vec![0..1, 1..2]));
    }

    #[test]
    fn what_is_shown_again_gives_way_before_an_atom_does() {
        let tokens = [3, 3, 5];
        let again = |at: usize| (at.saturating_sub(1), if at > 0 { 3 } else { 0 });
        let sum = |pack: &PackedAtoms| tokens[pack.shown..pack.own.end].iter().sum();
        let packs = pack(&atoms(&tokens), 6, again, sum).unwrap();
        let shown: Vec<_> = packs.into_iter().map(|pack| (pack.shown, pack.own)).collect();
        assert_eq!(shown, [(0, 0..2), (2, 2..3)]);
    }
}
