//! Where documents stand among each other.
//!
//! Positions rise with the names of folder and source. Between two documents there is room for others, so that one that is new does not move those that are
//! there. New ones are put nearer to the one before them, because names such as `PROG041` mostly come after those that are there already.

/// The distance of documents that are put behind all others, and of those of an empty catalogue.
const STRIDE: i64 = 1 << 22;

/// The part of the room between two documents that is taken by the new ones between them.
const TAKEN: i64 = 8;

/// The positions of `count` documents between two others, one after the other; none when there is no room for all of them.
pub(super) fn between(before: i64, after: i64, count: usize, is_last: bool) -> Option<Vec<i64>> {
    let count = i64::try_from(count).ok()?;
    let room = after - before;
    if room <= count {
        return None;
    }
    let even = room / (count + 1);
    let wanted = if is_last { STRIDE } else { (room / TAKEN / count).max(1) };
    let step = even.min(wanted).max(1);
    Some((1..=count).map(|number| before + number * step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_rise_within_their_room() {
        for (before, after, count, is_last) in [
            (0, 1 << 40, 10_000, true),
            (0, 1 << 40, 1 << 20, true),
            (5, 9, 3, false),
            (0, 1 << 22, 7, false),
        ] {
            let positions = between(before, after, count, is_last).unwrap();
            assert_eq!(positions.len(), count);
            assert!(positions[0] > before && *positions.last().unwrap() < after);
            assert!(positions.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert_eq!(between(5, 8, 3, false), None);
        assert_eq!(between(5, 6, 1, false), None);
    }

    #[test]
    fn names_that_are_numbered_upwards_find_room_a_hundred_times() {
        let (mut before, after) = (STRIDE, 2 * STRIDE);
        for _ in 0..100 {
            before = between(before, after, 1, false).unwrap()[0];
        }
    }
}
