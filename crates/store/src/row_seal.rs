//! The checksum of a row.
//!
//! SQLite notices a damaged page by its structure alone, and a text with another letter in it has none. So every row that steers a run
//! carries a seal over its columns and the name of its table. A row that is read under another name than its own does not match either.

use crate::fault::StoreFault;
use war_rig_text::ContentHash;

/// How many bytes a seal has: two rows that differ share one in a case of 2^64 at the least.
const LENGTH: usize = 16;

/// A seal in the making.
#[derive(Debug)]
pub(crate) struct RowSeal {
    bytes: Vec<u8>,
}

impl RowSeal {
    /// A seal for a row of this table. The name is a part of it, so that rows cannot be taken for those of another table.
    pub(crate) fn of(table: &str) -> Self {
        Self { bytes: Vec::new() }.text(table)
    }

    /// With this value, its length before it: neighbours cannot exchange letters.
    pub(crate) fn bytes(mut self, value: &[u8]) -> Self {
        self.bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(value);
        self
    }

    /// With this text.
    pub(crate) fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    /// With this number.
    pub(crate) fn number(self, value: i64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// With this hash.
    pub(crate) fn hash(self, value: &ContentHash) -> Self {
        self.bytes(value.as_bytes())
    }

    /// The bytes that go into the row.
    pub(crate) fn made(self) -> [u8; LENGTH] {
        let hash = ContentHash::of(&self.bytes);
        let mut short = [0; LENGTH];
        short.copy_from_slice(&hash.as_bytes()[..LENGTH]);
        short
    }

    /// Holds the row's own seal against this one.
    ///
    /// # Errors
    /// A damage, with the words for the row.
    pub(crate) fn check(self, found: &[u8], row: impl FnOnce() -> String) -> Result<(), StoreFault> {
        if self.made() == found {
            return Ok(());
        }
        Err(StoreFault::damaged(format!("{} is not what was put there: its checksum is wrong", row())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_holds_for_its_row_alone() {
        let seal = || RowSeal::of("answers").number(1).text("ab").text("c");
        let made = seal().made();
        assert!(seal().check(&made, String::new).is_ok());
        for other in [
            RowSeal::of("answers").number(1).text("a").text("bc"),
            RowSeal::of("answers").number(2).text("ab").text("c"),
            RowSeal::of("tickets").number(1).text("ab").text("c"),
        ] {
            assert!(other.check(&made, || "answer 1".to_owned()).is_err());
        }
        assert!(seal().check(&made[1..], String::new).is_err());
    }
}
