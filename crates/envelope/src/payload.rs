//! What an envelope carries.

use bytes::Bytes;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::error::Category;
use std::fmt;

/// What the bytes of a payload are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum PayloadKind {
    /// JSON in UTF-8.
    Json,
    /// Text in UTF-8.
    Text,
    /// Anything.
    Bytes,
}

impl PayloadKind {
    /// The name in headers.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Bytes that are what their kind says.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    kind: PayloadKind,
    bytes: Bytes,
}

/// Bytes that are not what their kind says. Places alone are told, and nothing of what stands there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// They are no JSON.
    #[error("the payload is no JSON: line {line}, column {column}")]
    Json {
        /// Where it stops to be JSON, from 1.
        line: usize,
        /// The byte of that line, from 1; 0 at its beginning.
        column: usize,
    },
    /// They are JSON of another form than is asked for.
    #[error("the payload has not the form that is asked for: line {line}, column {column}")]
    Form {
        /// Where it was noticed, from 1; 0 where it was noticed of the whole.
        line: usize,
        /// The byte of that line, from 1; 0 at its beginning.
        column: usize,
    },
    /// They are no UTF-8.
    #[error("the payload is no UTF-8 behind its byte {valid}")]
    Text {
        /// How many bytes are UTF-8.
        valid: usize,
    },
    /// A value that JSON cannot hold.
    #[error("a value that JSON cannot hold: {0}")]
    Unwritable(String),
}

impl PayloadError {
    /// What went wrong in reading.
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
    /// A payload of JSON, kept byte for byte.
    ///
    /// # Errors
    /// [`PayloadError`] for what is no JSON, or not in UTF-8. Nesting may be of any depth.
    pub fn json(bytes: impl Into<Bytes>) -> Result<Self, PayloadError> {
        Self::new(PayloadKind::Json, bytes.into())
    }

    /// A value as JSON.
    ///
    /// # Errors
    /// [`PayloadError::Unwritable`] for a value that JSON cannot hold, such as a map whose keys are no strings.
    pub fn from_value(value: &impl Serialize) -> Result<Self, PayloadError> {
        let bytes = serde_json::to_vec(value).map_err(|error| PayloadError::Unwritable(error.to_string()))?;
        Ok(Self { kind: PayloadKind::Json, bytes: bytes.into() })
    }

    /// A payload of text.
    ///
    /// # Errors
    /// [`PayloadError::Text`] for what is no UTF-8.
    pub fn text(bytes: impl Into<Bytes>) -> Result<Self, PayloadError> {
        Self::new(PayloadKind::Text, bytes.into())
    }

    /// A payload of anything.
    pub fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self { kind: PayloadKind::Bytes, bytes: bytes.into() }
    }

    /// A payload of a kind.
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

    /// What it is.
    pub fn kind(&self) -> PayloadKind {
        self.kind
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The same, and nothing else.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Its text; none for bytes that may be anything.
    pub fn as_str(&self) -> Option<&str> {
        match self.kind {
            PayloadKind::Json | PayloadKind::Text => {
                Some(std::str::from_utf8(&self.bytes).expect("payloads of these kinds are UTF-8 when made"))
            }
            PayloadKind::Bytes => None,
        }
    }

    /// The value that it is, read as JSON whatever its kind.
    ///
    /// # Errors
    /// [`PayloadError`] for what is no JSON, or of another form than this type's.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        serde_json::from_slice(&self.bytes).map_err(|error| PayloadError::read(&error))
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Kind and size alone: what a payload says is not for logs.
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
