//! The id of an envelope.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The maximum characters of an id.
const LONGEST: usize = 64;

/// A unique envelope id: 1 to 64 characters from `A-Z a-z 0-9 _ -`, so that it can be part of a subject or a file name.
///
/// The creator of an envelope assigns its id. A resent envelope keeps it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvelopeId(String);

/// The error for an invalid envelope id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no envelope id of 1 to 64 letters, digits, `_` and `-`")]
pub struct InvalidEnvelopeId(String);

impl EnvelopeId {
    /// Creates an id from a text.
    ///
    /// # Errors
    /// [`InvalidEnvelopeId`] for a text that is empty, longer than 64 characters, or has other characters than ASCII letters, digits, `_` and `-`.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidEnvelopeId> {
        let text = text.into();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=LONGEST).contains(&text.len()) && text.bytes().all(allowed) {
            return Ok(Self(text));
        }
        let told: String = text.chars().take(LONGEST).collect();
        Err(InvalidEnvelopeId(war_rig_text::sanitize_line(&told).into_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EnvelopeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<EnvelopeId> for String {
    fn from(id: EnvelopeId) -> Self {
        id.0
    }
}

impl TryFrom<String> for EnvelopeId {
    type Error = InvalidEnvelopeId;

    fn try_from(text: String) -> Result<Self, InvalidEnvelopeId> {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_short_and_of_plain_characters() {
        for text in ["a", "A-Z_09", &"x".repeat(64)] {
            assert_eq!(EnvelopeId::new(text).unwrap().as_str(), text);
        }
        for text in ["", "a.b", "a b", "é", "a\r\nb", "*", ">", &"x".repeat(65)] {
            assert!(EnvelopeId::new(text).is_err(), "{text}");
        }
        let told = EnvelopeId::new("a\r\n".repeat(1000)).unwrap_err().to_string();
        assert!(told.len() < 500 && !told.contains('\n'), "{told}");
    }
}
