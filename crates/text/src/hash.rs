//! Content hashes, which identify a source, a cited range or a prompt.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The first `N` bytes of a BLAKE3 hash, shown as hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HexHash<const N: usize>([u8; N]);

/// A BLAKE3 hash, shown as 64 hexadecimal digits.
pub type ContentHash = HexHash<32>;

/// The first 48 bits of the hash of lines, shown as 12 hexadecimal digits.
///
/// It is only compared with the hash of the current text of the same lines, so one change in 2^48 goes unnoticed: among a hundred
/// million cited ranges that have changed, the probability that one goes unnoticed is below one in two million.
pub type LinesHash = HexHash<6>;

/// Computes a content hash from bytes that arrive in pieces.
#[derive(Debug, Clone, Default)]
pub struct ContentHasher(blake3::Hasher);

impl ContentHasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes so far.
    pub fn hash(&self) -> ContentHash {
        HexHash(*self.0.finalize().as_bytes())
    }
}

/// A text that is not a content hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no hash in hexadecimal digits")]
pub struct InvalidHash(String);

impl Default for ContentHash {
    /// Returns the hash of nothing.
    fn default() -> Self {
        Self::of(b"")
    }
}

impl ContentHash {
    /// Hashes these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Hashes the lines, each ended by one line feed.
    pub fn of_lines(lines: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut hasher = ContentHasher::default();
        for line in lines {
            hasher.update(line.as_ref().as_bytes());
            hasher.update(b"\n");
        }
        hasher.hash()
    }

    /// Returns the 32 bytes, for storage more compact than digits.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the first `digits` hexadecimal digits (at most 64), where a short mark is enough.
    pub fn short(&self, digits: usize) -> String {
        let mut text = self.to_string();
        text.truncate(digits);
        text
    }
}

impl<const N: usize> fmt::Display for HexHash<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> fmt::Debug for HexHash<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<[u8; 32]> for ContentHash {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl From<ContentHash> for LinesHash {
    fn from(hash: ContentHash) -> Self {
        let mut bytes = Self([0; 6]);
        bytes.0.copy_from_slice(&hash.0[..6]);
        bytes
    }
}

impl<const N: usize> From<HexHash<N>> for String {
    fn from(hash: HexHash<N>) -> Self {
        hash.to_string()
    }
}

impl<const N: usize> TryFrom<String> for HexHash<N> {
    type Error = InvalidHash;

    /// Parses its digits, or all digits of a content hash: older documents contain those of lines, too.
    fn try_from(text: String) -> Result<Self, InvalidHash> {
        let is_length = text.is_ascii() && [2 * N, 64].contains(&text.len());
        let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).ok();
        let bytes: Option<Vec<u8>> = is_length.then(|| (0..text.len()).step_by(2).map(byte).collect()).flatten();
        match bytes.as_deref().and_then(<[u8]>::first_chunk) {
            Some(first) => Ok(Self(*first)),
            None => Err(InvalidHash(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_back_and_a_foreign_text_does_not() {
        let hash = ContentHash::of(b"MOVE A TO B");
        assert_eq!(ContentHash::try_from(hash.to_string()), Ok(hash));
        assert_eq!(ContentHash::from(*hash.as_bytes()), hash);
        assert!(ContentHash::try_from("zz".repeat(32)).is_err());
        assert!(ContentHash::try_from("é".repeat(32)).is_err());
        let short = LinesHash::from(hash);
        assert_eq!(short.to_string(), hash.short(12));
        assert_eq!(LinesHash::try_from(short.to_string()), Ok(short));
        assert_eq!(LinesHash::try_from(hash.to_string()), Ok(short), "as documents once had it");
        assert!(LinesHash::try_from("zz".repeat(6)).is_err() && LinesHash::try_from("é".repeat(6)).is_err());
        assert_eq!(ContentHash::of_lines(["A", "B"]), ContentHash::of(b"A\nB\n"));
    }
}
