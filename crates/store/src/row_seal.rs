//! The checksum of a row.
//!
//! SQLite detects a damaged page by its structure alone, so it does not notice a changed letter in a text. So every row that controls a run
//! has a seal over its columns and the name of its table. A row that is read under another key does not match either.

use crate::fault::StoreFault;
use war_rig_text::ContentHash;

/// The number of bytes in a seal: two different rows share one in one of at least 2^64 cases.
const LENGTH: usize = 16;

/// A seal under construction.
#[derive(Debug)]
pub(crate) struct RowSeal {
    bytes: Vec<u8>,
}

impl RowSeal {
    /// Starts a seal for a row of this table. It includes the table's name, so that a row does not match in another table.
    pub(crate) fn of(table: &str) -> Self {
        Self { bytes: Vec::new() }.text(table)
    }

    /// Adds this value, after its length, so that adjacent values cannot exchange letters.
    pub(crate) fn bytes(mut self, value: &[u8]) -> Self {
        self.bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(value);
        self
    }

    /// Adds this text.
    pub(crate) fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    /// Adds this number.
    pub(crate) fn number(self, value: i64) -> Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Adds this hash.
    pub(crate) fn hash(self, value: &ContentHash) -> Self {
        self.bytes(value.as_bytes())
    }

    /// Returns the bytes for the row.
    pub(crate) fn made(self) -> [u8; LENGTH] {
        let hash = ContentHash::of(&self.bytes);
        let mut short = [0; LENGTH];
        short.copy_from_slice(&hash.as_bytes()[..LENGTH]);
        short
    }

    /// Compares the row's own seal with this one.
    ///
    /// # Errors
    /// A damage fault, with the row's description.
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
