//! The names of the envelope's own headers.

pub(crate) const ENVELOPE_ID: &str = "X-Envelope-ID";
/// The identity of an envelope in one piece.
pub(crate) const ENVELOPE_HASH: &str = "X-Envelope-Hash";
/// The envelope's own span, if `traceparent` is the piece's.
pub(crate) const ENVELOPE_SPAN: &str = "X-Envelope-Span";
pub(crate) const PART: &str = "X-Envelope-Part";
pub(crate) const PART_OF: &str = "X-Envelope-Part-Of";
pub(crate) const PART_OVERLAP: &str = "X-Envelope-Part-Overlap";
pub(crate) const CORRELATION_ID: &str = "X-Correlation-ID";
pub(crate) const SOURCE: &str = "X-Source";
pub(crate) const DESTINATION: &str = "X-Destination";
pub(crate) const MESSAGE_TYPE: &str = "X-Message-Type";
pub(crate) const PAYLOAD_KIND: &str = "X-Payload-Kind";
pub(crate) const TRACEPARENT: &str = "traceparent";
pub(crate) const CHUNK_ID: &str = "X-Chunk-ID";
pub(crate) const CHUNK_INDEX: &str = "X-Chunk-Index";
pub(crate) const CHUNK_TOTAL: &str = "X-Chunk-Total";
/// The hash of this piece's payload.
pub(crate) const CHUNK_HASH: &str = "X-Chunk-Hash";
/// The hash of the whole payload.
pub(crate) const CHUNK_WHOLE: &str = "X-Chunk-Whole";
/// The bytes of the whole payload.
pub(crate) const CHUNK_LENGTH: &str = "X-Chunk-Length";
pub(crate) const CHUNK_LAYOUT: &str = "X-Chunk-Layout";
pub(crate) const CHUNK_STRATEGY: &str = "X-Chunk-Strategy";

/// The maximum number of headers that a piece has beside those of its group.
pub(crate) const OWN_HEADERS: usize = 3;

/// All names above: any other reserved name is rejected.
pub(crate) const KNOWN: [&str; 20] = [
    ENVELOPE_ID, ENVELOPE_HASH, ENVELOPE_SPAN, PART, PART_OF, PART_OVERLAP, CORRELATION_ID, SOURCE, DESTINATION,
    MESSAGE_TYPE, PAYLOAD_KIND, TRACEPARENT, CHUNK_ID, CHUNK_INDEX, CHUNK_TOTAL, CHUNK_HASH, CHUNK_WHOLE, CHUNK_LENGTH,
    CHUNK_LAYOUT, CHUNK_STRATEGY,
];
