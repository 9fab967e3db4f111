//! A part of a payload.

use bytes::{BufMut, Bytes, BytesMut};
use std::ops::Range;

/// Which bytes of a payload a piece owns, and what else stands in it. What all pieces own follows one on another; between pieces of JSON stands one comma that none owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PayloadSpan {
    /// What it owns.
    pub(crate) own: Range<usize>,
    /// Where what it shows begins: before what it owns where pieces overlap.
    pub(crate) shown: usize,
    /// The brackets that it begins and ends with and that are none of the payload.
    pub(crate) open: Option<u8>,
    pub(crate) close: Option<u8>,
}

impl PayloadSpan {
    /// One that shows what it owns.
    pub(crate) fn plain(own: Range<usize>) -> Self {
        Self { shown: own.start, own, open: None, close: None }
    }

    /// How many bytes it shows again.
    pub(crate) fn overlap(&self) -> usize {
        self.own.start - self.shown
    }

    /// The payload of the piece; a share of the whole where no brackets are added.
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
