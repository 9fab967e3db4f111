//! Maps line numbers in a prompt to lines of the file.

use crate::{LineNumber, LineRange};

/// Maps the numbers in a prompt's source block, counted from 1, to lines of the original file.
///
/// A block shows its lines whole and in order, without omissions or insertions, so the map is a shift. The type exists because
/// a number outside the block maps to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMap {
    owned: LineRange,
}

impl LineMap {
    /// Builds the map of a block that shows exactly these lines.
    pub fn new(owned: LineRange) -> Self {
        Self { owned }
    }

    /// Returns the lines of the file that the block shows.
    pub fn file_lines(self) -> LineRange {
        self.owned
    }

    /// Returns the file's line for a number in the block, or none if the block has no such row.
    pub fn to_file(self, block_line: u32) -> Option<LineNumber> {
        let line = self.owned.start().saturating_add(block_line.checked_sub(1)?);
        self.owned.contains(line).then_some(line)
    }

    /// Returns the block's number for a line of the file, or none if the block does not show it.
    pub fn to_block(self, line: LineNumber) -> Option<u32> {
        self.owned.contains(line).then(|| line.get() - self.owned.start().get() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_numbers_outside_the_block_map_to_nothing() {
        let owned = LineRange::new(LineNumber::new(859).unwrap(), LineNumber::new(1006).unwrap()).unwrap();
        let map = LineMap::new(owned);
        assert_eq!(map.to_file(1).map(LineNumber::get), Some(859));
        assert_eq!(map.to_file(148).map(LineNumber::get), Some(1006));
        assert_eq!(map.to_file(149), None);
        assert_eq!(map.to_file(0), None);
        assert_eq!(map.to_file(u32::MAX), None);
        assert_eq!(map.to_block(LineNumber::new(860).unwrap()), Some(2));
    }
}
