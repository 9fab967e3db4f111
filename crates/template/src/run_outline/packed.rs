//! An outline in a tenth of its bytes: of a large estate all are in memory at once, and few are read.

use super::RunOutline;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io::Read;

/// The version of what is packed, its first byte. What another version packed cannot be read and is made anew.
const FORMAT: u8 = 1;

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
        let mut bytes = vec![FORMAT];
        DeflateEncoder::new(&*json, Compression::fast())
            .read_to_end(&mut bytes)
            .expect("memory is read without an error");
        Self(bytes.into())
    }

    /// Unpacks it.
    ///
    /// # Panics
    /// If the bytes are not those that were packed. Whoever stores them checks that.
    pub fn unpack(&self) -> RunOutline {
        if self.is_empty() {
            return RunOutline::default();
        }
        let mut json = Vec::new();
        DeflateDecoder::new(&self.0[1..]).read_to_end(&mut json).expect("what was packed can be unpacked");
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
        match bytes.first() {
            None | Some(&FORMAT) => Ok(Self(bytes.into())),
            Some(other) => Err(serde::de::Error::custom(format!("an outline in format {other}"))),
        }
    }
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
    fn what_another_version_packed_is_refused() {
        assert!(serde_json::from_str::<PackedOutline>("\"AAAA\"").is_err());
        assert!(serde_json::from_str::<PackedOutline>("{\"parts\":[]}").is_err());
    }
}
