//! A stretch of a payload.

use bytes::{BufMut, Bytes, BytesMut};
use std::ops::Range;

/// The bytes of a piece. Ranges follow one another, but no piece has the comma between two pieces of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PayloadSpan {
    /// The range.
    pub(crate) own: Range<usize>,
    /// The brackets added around it, which are not part of the payload.
    pub(crate) open: Option<u8>,
    pub(crate) close: Option<u8>,
}

impl PayloadSpan {
    /// Creates a span without brackets.
    pub(crate) fn plain(own: Range<usize>) -> Self {
        Self { own, open: None, close: None }
    }

    /// Returns the payload of the piece; a shared slice of the whole if no brackets are added.
    pub(crate) fn of(&self, payload: &Bytes) -> Bytes {
        let own = self.own.clone();
        if self.open.is_none() && self.close.is_none() {
            return payload.slice(own);
        }
        let mut bytes = BytesMut::with_capacity(own.len() + 2);
        bytes.extend(self.open);
        bytes.put_slice(&payload[own]);
        bytes.extend(self.close);
        bytes.freeze()
    }
}
