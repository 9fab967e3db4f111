//! A stretch of a payload.

use bytes::{BufMut, Bytes, BytesMut};
use std::ops::Range;

/// The bytes that a piece owns and shows. Owned ranges follow one another, but no piece owns the comma between two pieces of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PayloadSpan {
    /// The owned range.
    pub(crate) own: Range<usize>,
    /// The start of the text shown: before the owned range if pieces overlap.
    pub(crate) shown: usize,
    /// The brackets added around it, which are not part of the payload.
    pub(crate) open: Option<u8>,
    pub(crate) close: Option<u8>,
}

impl PayloadSpan {
    /// Creates a span without overlap or brackets.
    pub(crate) fn plain(own: Range<usize>) -> Self {
        Self { shown: own.start, own, open: None, close: None }
    }

    /// Returns the number of overlapping bytes.
    pub(crate) fn overlap(&self) -> usize {
        self.own.start - self.shown
    }

    /// Returns the payload of the piece; a shared slice of the whole if no brackets are added.
    pub(crate) fn of(&self, payload: &Bytes) -> Bytes {
        let shown = self.shown..self.own.end;
        if self.open.is_none() && self.close.is_none() {
            return payload.slice(shown);
        }
        let mut bytes = BytesMut::with_capacity(shown.len() + 2);
        bytes.extend(self.open);
        bytes.put_slice(&payload[shown]);
        bytes.extend(self.close);
        bytes.freeze()
    }
}
