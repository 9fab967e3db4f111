//! What an envelope carries.

use bytes::Bytes;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::fmt;

/// What the bytes of a payload are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
        match self {
            PayloadKind::Json => "json",
            PayloadKind::Text => "text",
            PayloadKind::Bytes => "bytes",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [PayloadKind::Json, PayloadKind::Text, PayloadKind::Bytes]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// Bytes that are what their kind says.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    kind: PayloadKind,
    bytes: Bytes,
}

/// Bytes that are not what their kind says.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// They are no JSON.
    #[error("the payload is no JSON")]
    Json(#[source] serde_json::Error),
    /// They are no UTF-8.
    #[error("the payload is no UTF-8")]
    Text(#[source] std::str::Utf8Error),
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
    /// [`PayloadError::Json`] for a value that JSON cannot hold, such as a map whose keys are no strings.
    pub fn of_value(value: &impl Serialize) -> Result<Self, PayloadError> {
        let bytes = serde_json::to_vec(value).map_err(PayloadError::Json)?;
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
                let text = std::str::from_utf8(&bytes).map_err(PayloadError::Text)?;
                serde_json::from_str::<IgnoredAny>(text).map_err(PayloadError::Json)?;
            }
            PayloadKind::Text => {
                std::str::from_utf8(&bytes).map_err(PayloadError::Text)?;
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
    /// [`PayloadError::Json`] for what is no JSON, or not of this type.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, PayloadError> {
        serde_json::from_slice(&self.bytes).map_err(PayloadError::Json)
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
        let payload = Payload::of_value(&[1, 2]).unwrap();
        assert_eq!((payload.as_str(), payload.value::<Vec<u8>>().unwrap()), (Some("[1,2]"), vec![1, 2]));
        assert_eq!(format!("{payload:?}"), "Payload(json, 5 bytes)");
    }
}
