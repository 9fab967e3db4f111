//! The payload of an envelope.

use bytes::Bytes;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use std::fmt;

/// The kind of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum PayloadKind {
    /// JSON in UTF-8.
    Json,
    /// Text in UTF-8.
    Text,
    /// Arbitrary bytes.
    Bytes,
}

impl PayloadKind {
    /// Returns the name in headers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Bytes that are valid for their kind.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    kind: PayloadKind,
    bytes: Bytes,
}

/// Bytes that are invalid for their kind. Errors contain only positions, never content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// The bytes are not JSON.
    #[error("the payload is no JSON: line {line}, column {column}")]
    Json {
        /// The line of the error, from 1.
        line: usize,
        /// The byte in that line, from 1; 0 at its beginning.
        column: usize,
    },
    /// The JSON does not have the expected form.
    #[error("the payload has not the form that is asked for: line {line}, column {column}")]
    Form {
        /// The line of the error, from 1; 0 if the error concerns the whole.
        line: usize,
        /// The byte in that line, from 1; 0 at its beginning.
        column: usize,
    },
    /// The bytes are not UTF-8.
    #[error("the payload is no UTF-8 behind its byte {valid}")]
    Text {
        /// The number of valid UTF-8 bytes.
        valid: usize,
    },
    /// A value that JSON cannot represent.
    #[error("a value that JSON cannot hold: {0}")]
    Unwritable(String),
}

impl PayloadError {
    /// Converts a parse error.
    fn read(error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        match error.classify() {
            Category::Data => PayloadError::Form { line, column },
            Category::Syntax | Category::Eof | Category::Io => PayloadError::Json { line, column },
        }
    }

    fn no_text(error: &std::str::Utf8Error) -> Self {
        PayloadError::Text { valid: error.valid_up_to() }
    }
}

impl Payload {
    /// Creates a JSON payload, preserved byte for byte.
    ///
    /// # Errors
    /// [`PayloadError`] for bytes that are not JSON or not UTF-8. Nesting may be of any depth.
    pub fn json(bytes: impl Into<Bytes>) -> Result<Self, PayloadError> {
        Self::new(PayloadKind::Json, bytes.into())
    }

    /// Serializes a value as JSON.
    ///
    /// # Errors
    /// [`PayloadError::Unwritable`] for a value that JSON cannot represent, such as a map with keys that are not strings.
    pub fn from_value(value: &impl Serialize) -> Result<Self, PayloadError> {
        let bytes = serde_json::to_vec(value).map_err(|error| PayloadError::Unwritable(error.to_string()))?;
        Ok(Self { kind: PayloadKind::Json, bytes: bytes.into() })
    }

    /// Creates a text payload.
    ///
    /// # Errors
    /// [`PayloadError::Text`] for bytes that are not UTF-8.
    pub fn text(bytes: impl Into<Bytes>) -> Result<Self, PayloadError> {
        Self::new(PayloadKind::Text, bytes.into())
    }

    /// Creates a payload of arbitrary bytes.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self { kind: PayloadKind::Bytes, bytes: bytes.into() }
    }

    /// Creates a payload of the given kind.
    ///
    /// # Errors
    /// As the constructor of the kind.
    pub fn new(kind: PayloadKind, bytes: Bytes) -> Result<Self, PayloadError> {
        match kind {
            PayloadKind::Json => {
                let text = std::str::from_utf8(&bytes).map_err(|error| PayloadError::no_text(&error))?;
                serde_json::from_str::<IgnoredAny>(text).map_err(|error| PayloadError::read(&error))?;
            }
            PayloadKind::Text => {
                std::str::from_utf8(&bytes).map_err(|error| PayloadError::no_text(&error))?;
            }
            PayloadKind::Bytes => {}
        }
        Ok(Self { kind, bytes })
    }

    /// Returns the kind.
    pub fn kind(&self) -> PayloadKind {
        self.kind
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the text; none for arbitrary bytes.
    pub fn as_str(&self) -> Option<&str> {
        match self.kind {
            PayloadKind::Json | PayloadKind::Text => {
                Some(std::str::from_utf8(&self.bytes).expect("payloads of these kinds are UTF-8 when made"))
            }
            PayloadKind::Bytes => None,
        }
    }

    /// Parses the payload as JSON, whatever its kind.
    ///
    /// # Errors
    /// [`PayloadError`] for bytes that are not JSON, or JSON of another form than this type's.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        serde_json::from_slice(&self.bytes).map_err(|error| PayloadError::read(&error))
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the payload is empty.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Shows only kind and size: the content does not belong in logs.
impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({}, {} bytes)", self.kind.as_str(), self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_payload_is_what_its_kind_says() {
        assert!(Payload::json(" [1, \"é\", 1e999] ").is_ok());
        assert!(Payload::json("[".repeat(100_000) + &"]".repeat(100_000)).is_ok());
        for bytes in [&b""[..], b"[1,]", b"[1] 2", b"\"\xff\"", b"\xef\xbb\xbf[]"] {
            assert!(Payload::json(bytes.to_vec()).is_err(), "{bytes:?}");
        }
        assert!(Payload::text(&b"\xff"[..]).is_err());
        assert_eq!(Payload::text("é").unwrap().as_str(), Some("é"));
        assert_eq!(Payload::bytes("é").as_str(), None);
        let payload = Payload::from_value(&[1, 2]).unwrap();
        assert_eq!((payload.as_str(), payload.value::<Vec<u8>>().unwrap()), (Some("[1,2]"), vec![1, 2]));
        assert_eq!(format!("{payload:?}"), "Payload(json, 5 bytes)");
    }

    #[test]
    fn errors_tell_places_and_nothing_of_what_stands_there() {
        let json = |text: &str| Payload::json(text.to_owned()).unwrap_err().to_string();
        assert_eq!(json("[1,\n x]"), "the payload is no JSON: line 2, column 2");
        let secret = Payload::json(r#"{"password": "secret"}"#).unwrap();
        let refused = secret.value::<BTreeMap<String, u8>>().unwrap_err();
        assert_eq!(refused.to_string(), "the payload has not the form that is asked for: line 1, column 21");
        let refused = Payload::text(&b"ab\xff"[..]).unwrap_err();
        assert_eq!(refused.to_string(), "the payload is no UTF-8 behind its byte 2");
        let value = BTreeMap::from([((1, 2), 3)]);
        assert_eq!(
            Payload::from_value(&value).unwrap_err().to_string(),
            "a value that JSON cannot hold: key must be a string"
        );
    }
}
