//! The trace that an envelope belongs to, in W3C Trace Context format.

use std::fmt;

/// The ids of a trace and of one span in it; neither is all zeros.
///
/// Formatted as `traceparent` (<https://www.w3.org/TR/trace-context/>), version 00, always marked as recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceContext {
    trace_id: [u8; 16],
    span_id: [u8; 8],
}

/// An invalid trace context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The text does not have the required form.
    #[error("`{0}` is no traceparent of the form `00-<32 digits>-<16 digits>-<2 digits>`")]
    Malformed(String),
    /// The trace's id is all zeros.
    #[error("a trace id of zeros names no trace")]
    ZeroTraceId,
    /// The span's id is all zeros.
    #[error("a span id of zeros names no span")]
    ZeroSpanId,
}

/// The length of a `traceparent` of version 00, in characters.
const LENGTH: usize = 55;

impl TraceContext {
    /// Creates a context from these ids.
    ///
    /// # Errors
    /// [`TraceError`] if either is all zeros.
    pub fn new(trace_id: [u8; 16], span_id: [u8; 8]) -> Result<Self, TraceError> {
        if trace_id == [0; 16] {
            return Err(TraceError::ZeroTraceId);
        }
        if span_id == [0; 8] {
            return Err(TraceError::ZeroSpanId);
        }
        Ok(Self { trace_id, span_id })
    }

    /// Parses a `traceparent`. Its flags may be any; the digits are lower case, as the recommendation requires.
    ///
    /// # Errors
    /// [`TraceError`] for another form or version, and ids of zeros.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let form = || TraceError::Malformed(crate::headers::told(text));
        let read = || {
            let rest = text.strip_prefix("00-").filter(|_| text.len() == LENGTH && text.is_ascii())?;
            let (trace, rest) = rest.split_at(32);
            let (span, flags) = rest.strip_prefix('-')?.split_at(16);
            let [_] = digits::<1>(flags.strip_prefix('-')?)?;
            Some((digits(trace)?, digits(span)?))
        };
        let (trace_id, span_id) = read().ok_or_else(form)?;
        Self::new(trace_id, span_id)
    }

    /// Returns another span of the same trace.
    ///
    /// # Errors
    /// [`TraceError::ZeroSpanId`] for an id of zeros.
    pub fn child(&self, span_id: [u8; 8]) -> Result<Self, TraceError> {
        Self::new(self.trace_id, span_id)
    }

    /// Returns the trace id.
    pub fn trace_id(&self) -> [u8; 16] {
        self.trace_id
    }

    /// Returns the span id.
    pub fn span_id(&self) -> [u8; 8] {
        self.span_id
    }
}

/// Formats a `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("00-")?;
        self.trace_id.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("-")?;
        self.span_id.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("-01")
    }
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Parses lower case hexadecimal digits into bytes; returns none for another text or length.
pub(crate) fn digits<const BYTES: usize>(text: &str) -> Option<[u8; BYTES]> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    if text.len() != BYTES * 2 {
        return None;
    }
    let mut bytes = [0; BYTES];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_traceparent_reads_back_and_a_child_keeps_the_trace() {
        let trace = TraceContext::parse(WRITTEN).unwrap();
        assert_eq!(trace.to_string(), WRITTEN);
        assert_eq!(TraceContext::parse(&WRITTEN.replace("-01", "-00")), Ok(trace));
        let child = trace.child([0, 0, 0, 0, 0, 0, 0, 1]).unwrap();
        assert_eq!(child.to_string(), WRITTEN.replace("00f067aa0ba902b7", "0000000000000001"));
        assert_eq!(trace.child([0; 8]), Err(TraceError::ZeroSpanId));
    }

    #[test]
    fn a_bad_traceparent_is_an_error() {
        for text in [
            "",
            "00",
            &WRITTEN.replace("00-4", "01-4"),
            &WRITTEN.replace("00-4", "ff-4"),
            &WRITTEN.to_uppercase(),
            &WRITTEN.replace("4bf9", "4bg9"),
            &WRITTEN.replace("4bf9", "4bé"),
            &format!("{WRITTEN}-x"),
            &WRITTEN[1..],
            &WRITTEN.replace("36-00", "3600-"),
        ] {
            assert!(matches!(TraceContext::parse(text), Err(TraceError::Malformed(_))), "{text}");
        }
        let zeros = "00-00000000000000000000000000000000-00f067aa0ba902b7-01";
        assert_eq!(TraceContext::parse(zeros), Err(TraceError::ZeroTraceId));
        let zeros = "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01";
        assert_eq!(TraceContext::parse(zeros), Err(TraceError::ZeroSpanId));
    }
}
