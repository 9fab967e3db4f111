//! The headers that the sender of an envelope sets.

use std::cmp::Ordering;
use std::fmt;

/// The maximum characters of a name.
const LONGEST_NAME: usize = 128;

/// The maximum bytes of all names and values together. Longer data belongs in the payload, because headers go with every piece.
pub const MAX_HEADER_BYTES: usize = 8 * 1024;

/// The maximum number of headers. Each has overhead beside its bytes, and is examined before any hash: thousands of empty headers would cost more
/// than the byte limit accounts for.
pub const MAX_HEADERS: usize = 64;

/// Prefixes reserved for the envelope or the broker.
const RESERVED: [&str; 3] = ["x-chunk-", "x-envelope-", "nats-"];

/// Other names reserved for the envelope.
const OWN: [&str; 7] =
    ["traceparent", "tracestate", "x-correlation-id", "x-source", "x-destination", "x-message-type", "x-payload-kind"];

/// Custom names and values that travel with an envelope.
///
/// They are sorted by name, ignoring case; values of one name keep their order. So the result at the receiver does not depend on whether the
/// transport preserves the order of different names, which NATS clients do not.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EnvelopeHeaders {
    /// The names and values, sorted.
    all: Vec<(String, String)>,
    /// The bytes of all names and values.
    bytes: usize,
}

/// An invalid header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The name is not a token, or too long.
    #[error("`{0}` is no name of a header: 1 to 128 letters, digits and `!#$%&'*+-.^_`|~`")]
    Name(String),
    /// The name is reserved.
    #[error("the header `{0}` is reserved")]
    Reserved(String),
    /// The value would not be transmitted unchanged.
    #[error("the value of the header `{0}` has a control character, or a blank at an end")]
    Value(String),
    /// The maximum number of headers is reached.
    #[error("more than {MAX_HEADERS} headers")]
    TooMany,
    /// The headers are too long.
    #[error("headers of {bytes} bytes, and an envelope may have {MAX_HEADER_BYTES}")]
    TooLarge {
        /// The bytes of all names and values.
        bytes: usize,
    },
}

impl EnvelopeHeaders {
    /// Creates an empty set of headers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a header and returns the set.
    ///
    /// # Errors
    /// [`HeaderError`] for a name that is not a token or is reserved, a value with control characters (a line end would begin another header) or with
    /// a leading or trailing blank (which is lost in transit), and for more than [`MAX_HEADERS`] or [`MAX_HEADER_BYTES`].
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Result<Self, HeaderError> {
        self.add(name.into(), value.into())?;
        Ok(self)
    }

    /// Adds a header as [`EnvelopeHeaders::with`] does; on error the set is unchanged.
    ///
    /// # Errors
    /// As [`EnvelopeHeaders::with`].
    pub fn add(&mut self, name: String, value: String) -> Result<(), HeaderError> {
        if !is_name(&name) {
            return Err(HeaderError::Name(told(&name)));
        }
        if is_reserved(&name) {
            return Err(HeaderError::Reserved(name));
        }
        if !is_value(&value) {
            return Err(HeaderError::Value(name));
        }
        if self.all.len() == MAX_HEADERS {
            return Err(HeaderError::TooMany);
        }
        let bytes = self.bytes + name.len() + value.len();
        if bytes > MAX_HEADER_BYTES {
            return Err(HeaderError::TooLarge { bytes });
        }
        let at = self.all.partition_point(|(known, _)| order(known, &name).is_le());
        self.all.insert(at, (name, value));
        self.bytes = bytes;
        Ok(())
    }

    /// Returns the first value of this name, ignoring case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Iterates over all names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.all.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Shows only the names: values may be private.
impl fmt::Debug for EnvelopeHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(name, _)| name)).finish()
    }
}

/// Whether a text is a valid header value that is transmitted unchanged.
pub(crate) fn is_value(text: &str) -> bool {
    !text.contains(char::is_control) && text.trim() == text
}

/// Whether a name is reserved.
pub(crate) fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OWN.contains(&name.as_str()) || RESERVED.iter().any(|prefix| name.starts_with(prefix))
}

/// Shortens and sanitizes a foreign text for an error message.
pub(crate) fn told(text: &str) -> String {
    war_rig_text::sanitize_line(&text.chars().take(80).collect::<String>()).into_owned()
}

fn is_name(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(token)
}

/// The sort order of names: first ignoring case, so that the spellings of one name are adjacent, then by exact spelling.
fn order(one: &str, other: &str) -> Ordering {
    let folded = one.bytes().map(|byte| byte.to_ascii_lowercase());
    folded.cmp(other.bytes().map(|byte| byte.to_ascii_lowercase())).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, value: &str) -> HeaderError {
        EnvelopeHeaders::new().with(name, value).unwrap_err()
    }

    #[test]
    fn headers_stand_by_name_and_values_of_one_in_order() {
        let headers = [("b", "1"), ("A", "2"), ("b", "0"), ("B", "3"), ("c", "")];
        let headers = headers
            .into_iter()
            .try_fold(EnvelopeHeaders::new(), |headers, (name, value)| headers.with(name, value))
            .unwrap();
        let all: Vec<_> = headers.iter().collect();
        assert_eq!(all, [("A", "2"), ("B", "3"), ("b", "1"), ("b", "0"), ("c", "")]);
        assert_eq!((headers.get("a"), headers.get("C"), headers.get("d")), (Some("2"), Some(""), None));
    }

    #[test]
    fn what_would_not_come_through_is_refused() {
        for name in ["", "a b", "a:b", "é", "a\r\nb", &"x".repeat(129)] {
            assert!(matches!(refused(name, "v"), HeaderError::Name(_)), "{name}");
        }
        for value in ["a\r\nX-Evil: 1", "a\nb", "\u{0}", "\u{85}", " a", "a ", "\t", "\u{7f}"] {
            assert_eq!(refused("a", value), HeaderError::Value("a".to_owned()), "{value:?}");
        }
        let value = "x".repeat(MAX_HEADER_BYTES);
        assert_eq!(refused("a", &value), HeaderError::TooLarge { bytes: MAX_HEADER_BYTES + 1 });
        assert!(EnvelopeHeaders::new().with("a", &value[1..]).is_ok());
    }

    #[test]
    fn there_are_so_many_and_one_more_is_refused() {
        let mut headers = EnvelopeHeaders::new();
        for number in 0..MAX_HEADERS {
            headers.add(format!("a{number}"), String::new()).unwrap();
        }
        let before = headers.clone();
        assert_eq!(headers.add("a".to_owned(), String::new()), Err(HeaderError::TooMany));
        assert_eq!(headers, before);
    }

    #[test]
    fn reserved_names_are_not_for_users_however_they_are_spelled() {
        for name in [
            "X-Chunk-ID", "x-chunk-anything", "X-Envelope-ID", "TraceParent", "X-Source", "x-message-type",
            "Nats-Msg-Id",
        ] {
            assert_eq!(refused(name, "v"), HeaderError::Reserved(name.to_owned()));
        }
    }
}
