//! The budget for expanding names: copybooks, procedures, included members.
//!
//! Files that include each other a few times over several levels can exceed any machine's memory, and no depth limit that real sources
//! allow prevents that. So the budget depends on the size of the included files: every opened file may be inserted many times, and any
//! excess is omitted and reported.

use foldhash::{HashSet, HashSetExt};

/// The average number of times that each named file may be inserted. Real sources repeat small copybooks a few dozen times.
const TIMES: usize = 50;

/// The remaining budget of one source for inserted text, in words or in statements.
#[derive(Debug, Clone)]
pub struct ExpansionBudget {
    left: usize,
    /// The size that may still be added.
    growth: usize,
    known: HashSet<String>,
}

impl ExpansionBudget {
    /// Creates the budget of a source with this size: at least `least`, at most `most`.
    pub fn of(size: usize, least: usize, most: usize) -> Self {
        let left = least.saturating_add(size.saturating_mul(TIMES)).min(most);
        Self { left, growth: most - left, known: HashSet::new() }
    }

    /// Takes the size of a file from the budget if enough remains. A file's first use also adds its share to the budget.
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

    /// Returns the remaining budget.
    pub fn remaining(&self) -> usize {
        self.left
    }

    /// Takes budget for text that is inserted in any case.
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
