//! An outline in few bytes: of a large estate all are in memory at once, and few are read.

use super::RunOutline;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io::Read;
use war_rig_text::ContentHash;

/// The version of what is packed, its first byte. Raise it when the fields of an outline change: what another version packed is made anew.
const FORMAT: u8 = 1;

/// How many bytes of the hash of what follows them stand behind the version.
const HASH: usize = 8;

/// A packed outline. In JSON, it is text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedOutline(Box<[u8]>);

impl PackedOutline {
    /// Packs an outline.
    pub fn of(outline: &RunOutline) -> Self {
        if outline.is_empty() {
            return Self::default();
        }
        let json = serde_json::to_vec(outline).expect("words and numbers have a JSON");
        let mut packed = Vec::new();
        DeflateEncoder::new(&*json, Compression::fast())
            .read_to_end(&mut packed)
            .expect("memory is read without an error");
        Self([&[FORMAT][..], hash(&packed).as_slice(), &packed].concat().into())
    }

    /// Unpacks it.
    ///
    /// # Panics
    /// Never: bytes that were not packed here are refused when they are read.
    pub fn unpack(&self) -> RunOutline {
        if self.is_empty() {
            return RunOutline::default();
        }
        let mut json = Vec::new();
        DeflateDecoder::new(&self.0[1 + HASH..]).read_to_end(&mut json).expect("what was packed can be unpacked");
        serde_json::from_slice(&json).expect("what was packed is an outline")
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for PackedOutline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD_NO_PAD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for PackedOutline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = STANDARD_NO_PAD.decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)?;
        let is_whole = match bytes.split_first() {
            None => true,
            Some((format, rest)) => {
                *format == FORMAT && rest.split_at_checked(HASH).is_some_and(|(hashed, packed)| hash(packed) == hashed)
            }
        };
        match is_whole {
            true => Ok(Self(bytes.into())),
            false => Err(serde::de::Error::custom("no outline, or one of another version")),
        }
    }
}

fn hash(packed: &[u8]) -> [u8; HASH] {
    *ContentHash::of(packed).as_bytes().first_chunk().expect("a hash has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_text::LineNumber;

    #[test]
    fn an_outline_comes_back_as_it_was_packed() {
        let commits = (1..200).map(|line| ("EXEC CICS SYNCPOINT".to_owned(), LineNumber::new(line).unwrap())).collect();
        let outline = RunOutline { more_steps: 3, commits, ..RunOutline::default() };
        let packed = PackedOutline::of(&outline);
        assert!(packed.0.len() * 5 < serde_json::to_vec(&outline).unwrap().len());
        let stored = serde_json::to_string(&packed).unwrap();
        assert_eq!(serde_json::from_str::<PackedOutline>(&stored).unwrap().unpack(), outline);
        assert!(PackedOutline::of(&RunOutline::default()).is_empty());
        assert_eq!(PackedOutline::default().unpack(), RunOutline::default());
    }

    #[test]
    fn what_was_not_packed_here_is_refused() {
        for text in ["AA", "AQ", "AQAA", "AQAAAAAAAAAAAA"] {
            assert!(serde_json::from_value::<PackedOutline>(text.into()).is_err(), "{text}");
        }
        assert!(serde_json::from_str::<PackedOutline>("{\"parts\":[]}").is_err());
    }
}
