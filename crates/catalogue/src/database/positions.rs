//! The positions of documents in the catalogue.
//!
//! Positions increase with the names of folder and source. There is room between two documents, so that a new one does not move the others.
//! New ones are placed closer to the document before them, because names such as `PROG041` mostly come after the existing ones.

/// The distance between documents that are added after all others, and between those of an empty catalogue.
const STRIDE: i64 = 1 << 22;

/// The part of the room between two documents that new ones between them take.
const TAKEN: i64 = 8;

/// The part of the room after all others that stays free before the documents of a new folder: names of other folders may come before its own.
const BEFORE_FOLDER: i64 = 64;

/// The distance between moved documents, if there is any place with so much room.
const APART: i64 = 1 << 10;

/// Where new documents are inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InsertionGap {
    /// After all documents, or between two of which at least one is in their folder.
    Within { is_last: bool },
    /// Between the documents of other folders, or after them.
    Folder { is_last: bool },
}

/// Returns the positions of `count` documents between two others, in order; `None` if there is no room for all of them.
pub(super) fn between(before: i64, after: i64, count: usize, gap: InsertionGap) -> Option<Vec<i64>> {
    let count = i64::try_from(count).ok()?;
    let room = after - before;
    if room <= count {
        return None;
    }
    let (lead, wanted) = match gap {
        InsertionGap::Within { is_last: true } => (0, STRIDE),
        InsertionGap::Within { is_last: false } => (0, room / TAKEN / count),
        InsertionGap::Folder { is_last: true } => (room / BEFORE_FOLDER, STRIDE),
        InsertionGap::Folder { is_last: false } => ((room - room / TAKEN) / 2, room / TAKEN / count),
    };
    let lead = lead.min(room - count - 1);
    let even = (room - lead) / (count + 1);
    let step = even.min(wanted).max(1);
    Some((1..=count).map(|number| before + lead + number * step).collect())
}

/// Returns the documents to move so that there is room for `count` before the one with this index, and their new positions: the new documents get
/// half of the shared room. `None` if there is no room for so many anywhere.
pub(super) fn moved(
    positions: &[i64],
    last: i64,
    index: usize,
    count: usize,
) -> Option<(std::ops::Range<usize>, Vec<i64>)> {
    let mut width = 1;
    loop {
        let window = index.saturating_sub(width)..(index + width).min(positions.len());
        let before = window.start.checked_sub(1).map_or(0, |before| positions[before]);
        let after = positions.get(window.end).copied().unwrap_or(last);
        let (many, new) = (i64::try_from(window.len()).ok()?, i64::try_from(count).ok()?);
        let hole = many + new;
        let step = (after - before) / (many + hole + 1);
        let is_all = window.len() == positions.len();
        if step >= APART || (is_all && step > 0) {
            let left = i64::try_from(index - window.start).ok()?;
            let places = (1..=many).map(|place| if place <= left { place } else { place + hole });
            return Some((window, places.map(|place| before + place * step).collect()));
        }
        if is_all {
            return None;
        }
        width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_rise_within_their_room() {
        let (within, folder) = (|is_last| InsertionGap::Within { is_last }, |is_last| InsertionGap::Folder { is_last });
        for (before, after, count, gap) in [
            (0, 1 << 40, 10_000, within(true)),
            (0, 1 << 40, 1 << 20, within(true)),
            (5, 9, 3, within(false)),
            (0, 1 << 22, 7, within(false)),
            (0, 1 << 40, 1 << 20, folder(true)),
            (5, 9, 3, folder(false)),
            (5, 90, 3, folder(false)),
            (5, 90, 80, folder(true)),
            (0, 1 << 22, 7, folder(false)),
        ] {
            let positions = between(before, after, count, gap).unwrap();
            assert_eq!(positions.len(), count);
            assert!(positions[0] > before && *positions.last().unwrap() < after);
            assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert_eq!(between(5, 8, 3, within(false)), None);
        assert_eq!(between(5, 6, 1, folder(true)), None);
    }

    #[test]
    fn names_that_are_numbered_upwards_find_room_a_hundred_times() {
        let (mut before, after) = (STRIDE, 2 * STRIDE);
        for _ in 0..100 {
            before = between(before, after, 1, InsertionGap::Within { is_last: false }).unwrap()[0];
        }
    }

    #[test]
    fn no_more_is_moved_than_makes_room() {
        let crowded: Vec<i64> = (1..=1000).map(|number| number << 22).flat_map(|at| [at, at + 1, at + 2]).collect();
        for index in 0..=crowded.len() {
            for count in [1, 7, 300] {
                let (window, places) = moved(&crowded, 1 << 40, index, count).unwrap();
                assert!(window.len() <= 4, "{} documents are moved", window.len());
                assert!(window.start <= index && index <= window.end);
                let mut positions = crowded.clone();
                positions.splice(window, places);
                assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
                let before = index.checked_sub(1).map_or(0, |before| positions[before]);
                let after = positions.get(index).copied().unwrap_or(1 << 40);
                assert!(between(before, after, count, InsertionGap::Within { is_last: false }).is_some());
            }
        }
        assert_eq!(moved(&[1, 2, 3], 6, 1, 9), None);
    }
}
