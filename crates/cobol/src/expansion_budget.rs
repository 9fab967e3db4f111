//! How much may be put in the place of names: copybooks, procedures, included members.
//!
//! Files that name each other a few times over several levels bring more than any machine holds, and no depth that real sources need
//! keeps them from it. So the room is that of what there is to be put in: every file that is opened may stand in the source's place many
//! times, and what goes beyond that is left out and told.

use std::collections::HashSet;

/// How often everything that a source names may be put in it, on average. Real sources repeat small copybooks some dozen times.
const TIMES: usize = 50;

/// The room that is left in one source for what is put in, in words or in statements.
#[derive(Debug, Clone)]
pub struct ExpansionBudget {
    left: usize,
    /// What may still be added to it.
    growth: usize,
    known: HashSet<String>,
}

impl ExpansionBudget {
    /// The room of a source of this size: `least` where it is small, and never more than `most`.
    pub fn of(size: usize, least: usize, most: usize) -> Self {
        let left = least.saturating_add(size.saturating_mul(TIMES)).min(most);
        Self { left, growth: most - left, known: HashSet::new() }
    }

    /// Takes the room that a file of this size needs once more, if it is there. A file that was not met before brings its share of room.
    pub fn try_take(&mut self, file: &str, size: usize) -> bool {
        if !self.known.contains(file) {
            self.known.insert(file.to_owned());
            let grown = size.saturating_mul(TIMES).min(self.growth);
            self.growth -= grown;
            self.left += grown;
        }
        let fits = size <= self.left;
        if fits {
            self.left -= size;
        }
        fits
    }

    /// The room that is left.
    pub fn remaining(&self) -> usize {
        self.left
    }

    /// Takes room for what comes in any case.
    pub fn take(&mut self, size: usize) {
        self.left = self.left.saturating_sub(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_grows_with_what_is_met_and_never_beyond_the_most() {
        let mut room = ExpansionBudget::of(2, 10, 1000);
        assert_eq!(room.remaining(), 110);
        assert!(room.try_take("A", 3));
        assert_eq!(room.remaining(), 110 + 150 - 3);
        assert!(room.try_take("A", 257) && !room.try_take("A", 1));
        assert!(room.try_take("B", 100));
        assert_eq!(room.remaining(), 1000 - 260 - 100);
        room.take(10_000);
        assert!(!room.try_take("A", 1) && room.try_take("A", 0));
    }
}
