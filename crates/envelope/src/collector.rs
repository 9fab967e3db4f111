//! Reassembly of envelopes from pieces in any order.
//!
//! Properties: an envelope comes out exactly as it was split, or not at all. A piece that does not match its hash is rejected before anything of it
//! is stored; a complete group that does not match its hashes is rejected and dropped. Duplicates are detected by index, and never complete a group.
//!
//! [`CollectorLimits`] bounds memory, including all overhead beside payloads. If a piece finds no room, the collector evicts groups with only one
//! piece, the oldest first; if that is not enough, it rejects the piece. So a flood of forged groups neither evicts a group with more pieces, nor
//! blocks new groups: a group is safe with its second piece, and until then it has as much time as the flood needs to refill the collector.
//!
//! Accepted: the sender has to resend a group that was evicted or timed out. A forged piece with a valid description can take the place of a true
//! one; the true one is then rejected, and the group fails at its end. That is an error, not a wrong payload. If several envelopes together exceed
//! the limits, they may wait for each other's room until one times out: the limits must fit all envelopes sent at a time.
//!
//! The collector does not remember an envelope that came in one piece: its consumer knows it by its id.

mod pending_envelope;

use crate::join::{filled, joined, ranges};
use crate::wire::{self, MessageForm, ParsedMessage, Piece, PieceGroup, PieceInfo, WireError};
use crate::{Envelope, EnvelopeId, IntegrityError, PayloadKind};
use pending_envelope::{PIECE_OVERHEAD, PendingEnvelope};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::time::Duration;
use war_rig_text::ContentHash;

/// The memory limits of a collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectorLimits {
    /// The maximum number of incomplete envelopes.
    pub groups: usize,
    /// The maximum bytes of all stored data: payloads, headers, tables, and records of completed groups.
    pub bytes: usize,
    /// How long an envelope may wait for its last piece after its first.
    pub timeout: Duration,
}

impl Default for CollectorLimits {
    /// 1,024 envelopes, 256 MB, five minutes.
    fn default() -> Self {
        Self { groups: 1024, bytes: 256 << 20, timeout: Duration::from_secs(5 * 60) }
    }
}

/// The result of adding a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceStatus {
    /// The piece was the last one, or a whole envelope: the envelope as it was split.
    Complete(Box<Envelope>),
    /// Other pieces are missing.
    Incomplete {
        /// The number of pieces so far.
        have: u32,
        /// The total number of pieces.
        total: u32,
    },
    /// The piece is a duplicate, and its group is still incomplete.
    Duplicate,
    /// Its group was completed recently. A consumer that has answered the envelope may answer again, but at one index only, not for each piece.
    AlreadyComplete {
        /// The envelope.
        id: EnvelopeId,
        /// The index of the piece, from 0.
        index: u32,
    },
}

/// A rejected piece. The collector stores nothing of it and loses nothing stored before, except for [`PieceError::Integrity`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    /// The message is not a piece of an envelope.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The payload or the description of the envelope differs from what was sent.
    #[error("the {what} of envelope `{id}` are not those that its hash was made of")]
    Forged {
        /// The envelope that the piece claims to belong to.
        id: EnvelopeId,
        /// What differs.
        what: &'static str,
    },
    /// A different piece with the same index is there already.
    #[error("piece {index} of envelope `{id}` is there already, and is another one")]
    Conflict {
        /// The envelope.
        id: EnvelopeId,
        /// The index of the piece, from 0.
        index: u32,
    },
    /// All pieces are there, but they do not make the envelope. The group was dropped.
    #[error("envelope `{id}` cannot be joined")]
    Integrity {
        /// The envelope.
        id: EnvelopeId,
        /// The cause.
        #[source]
        source: IntegrityError,
    },
    /// The envelope exceeds the total limit.
    #[error("keeping the pieces of envelope `{id}` takes {bytes} bytes, and {limit} may be kept of all envelopes")]
    TooLarge {
        /// The envelope.
        id: EnvelopeId,
        /// The bytes that storing it takes, by its own description.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// There is no room, and the stored groups have more pieces.
    #[error("no room for a piece of envelope `{id}`: {groups} envelopes of {bytes} bytes are waiting")]
    Full {
        /// The envelope.
        id: EnvelopeId,
        /// The number of incomplete envelopes.
        groups: usize,
        /// The stored bytes.
        bytes: usize,
    },
}

/// An envelope that timed out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("pieces {} of {total} of envelope `{id}` are missing", ranges(missing))]
pub struct ExpiredGroup {
    /// The envelope.
    pub id: EnvelopeId,
    /// The id of the group.
    pub group: ContentHash,
    /// The indices that are missing, from 0, in order.
    pub missing: Vec<RangeInclusive<u32>>,
    /// The total number of pieces.
    pub total: u32,
}

/// Collects pieces until their envelopes are complete.
///
/// ```
/// use std::time::Duration;
/// use war_rig_envelope::{
///     CollectorLimits, Collector, Envelope, EnvelopeId, Payload, SplitOptions, SplitStrategy, PieceStatus, TraceContext, split,
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let payload = Payload::json("[1, 2, 3, 4, 5, 6, 7, 8]")?;
/// let trace = TraceContext::new([1; 16], [2; 8])?;
/// let envelope = Envelope::new(EnvelopeId::new("e1")?, "a", "b", "numbers", payload, trace);
/// let options = SplitOptions { max_payload: 10, ..SplitOptions::default() };
/// let pieces = split(&envelope, SplitStrategy::Auto, &options)?;
/// let mut collector = Collector::new(CollectorLimits::default());
/// let now = Duration::ZERO;
/// for piece in &pieces[1..] {
///     assert!(matches!(collector.push(piece.clone(), now)?, PieceStatus::Incomplete { .. }));
/// }
/// assert_eq!(collector.push(pieces[1].clone(), now)?, PieceStatus::Duplicate);
/// assert_eq!(collector.push(pieces[0].clone(), now)?, PieceStatus::Complete(Box::new(envelope)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Collector {
    caps: CollectorLimits,
    groups: HashMap<ContentHash, Box<PendingEnvelope>>,
    /// All groups by age.
    order: BTreeMap<u64, ContentHash>,
    /// Groups with a single piece, by age.
    single: BTreeMap<u64, ContentHash>,
    /// The bytes of the groups with a single piece.
    single_bytes: usize,
    bytes: usize,
    begun: u64,
    gave_way: u64,
    completed: HashMap<ContentHash, EnvelopeId>,
    completed_order: VecDeque<ContentHash>,
}

/// The bytes stored for a completed group: its id twice, that of its envelope, and the table entries.
const COMPLETED_OVERHEAD: usize = 512;

/// The number of completed groups remembered for each that may wait.
const REMEMBERED: usize = 4;

impl Collector {
    /// Creates a collector with these limits.
    pub fn new(caps: CollectorLimits) -> Self {
        Self { caps, ..Self::default() }
    }

    /// Adds a piece. `now` comes from any monotonic clock; only [`Collector::expire`] compares it.
    ///
    /// # Errors
    /// [`PieceError`] for a message that is not a piece, does not match its hash, or finds no room.
    pub fn push(&mut self, piece: Piece, now: Duration) -> Result<PieceStatus, PieceError> {
        let Piece { headers, payload } = piece;
        let ParsedMessage { envelope, kind, mark } = wire::open(&headers)?;
        let description = wire::description(&envelope, kind);
        match mark {
            MessageForm::Whole(identity) => {
                if wire::identity(&description, ContentHash::of(&payload)) != identity {
                    return Err(PieceError::Forged { id: envelope.id, what: "headers or the payload" });
                }
                let id = envelope.id.clone();
                let whole = filled(envelope, kind, payload).map_err(|source| PieceError::Integrity { id, source })?;
                Ok(PieceStatus::Complete(Box::new(whole)))
            }
            MessageForm::Piece(chunk, group, share) => {
                if wire::chunk_id(wire::identity(&description, group.whole), &group) != chunk {
                    return Err(PieceError::Forged { id: envelope.id, what: "headers" });
                }
                if ContentHash::of(&payload) != share.hash {
                    return Err(PieceError::Forged { id: envelope.id, what: "bytes of a piece" });
                }
                self.take_piece(chunk, (envelope, kind, group), share, payload, now)
            }
        }
    }

    /// Drops and returns groups older than the timeout, oldest first.
    pub fn expire(&mut self, now: Duration) -> Vec<ExpiredGroup> {
        let mut expired = Vec::new();
        while let Some((_, chunk)) = self.order.first_key_value() {
            let chunk = *chunk;
            let waited = self.groups.get(&chunk).map(|begun| now.saturating_sub(begun.since));
            if waited.is_some_and(|waited| waited < self.caps.timeout) {
                break;
            }
            expired.extend(self.remove(chunk).map(|begun| begun.expired(chunk)));
        }
        expired
    }

    /// Returns the number of incomplete envelopes.
    pub fn pending_count(&self) -> usize {
        self.groups.len()
    }

    /// Returns the stored bytes, as [`CollectorLimits::bytes`] counts them.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of groups evicted so far.
    pub fn evicted(&self) -> u64 {
        self.gave_way
    }

    fn take_piece(
        &mut self,
        chunk: ContentHash,
        (envelope, kind, group): (Envelope, PayloadKind, PieceGroup),
        share: PieceInfo,
        payload: bytes::Bytes,
        now: Duration,
    ) -> Result<PieceStatus, PieceError> {
        let id = envelope.id.clone();
        if self.completed.contains_key(&chunk) {
            return Ok(PieceStatus::AlreadyComplete { id, index: share.index });
        }
        if let Some(begun) = self.groups.get(&chunk) {
            match begun.pieces.get(&share.index) {
                Some((known, _)) if *known == share => return Ok(PieceStatus::Duplicate),
                Some(_) => return Err(PieceError::Conflict { id, index: share.index }),
                // The last piece needs no room, because the whole group leaves at once.
                None if begun.have() + 1 == group.total => return self.complete(chunk, share, payload),
                None => {
                    let more = payload.len() + PIECE_OVERHEAD;
                    self.make_room(&id, more, false, Some(chunk))?;
                    return Ok(self.add(chunk, share, payload));
                }
            }
        }
        let begun = PendingEnvelope::new(envelope, kind, group, (share, payload), now, self.begun);
        let most = begun.at_most();
        if most > self.caps.bytes {
            return Err(PieceError::TooLarge { id, bytes: most, limit: self.caps.bytes });
        }
        self.make_room(&id, begun.bytes, true, None)?;
        self.bytes += begun.bytes;
        self.single_bytes += begun.bytes;
        self.order.insert(self.begun, chunk);
        self.single.insert(self.begun, chunk);
        self.begun += 1;
        self.groups.insert(chunk, Box::new(begun));
        Ok(PieceStatus::Incomplete { have: 1, total: group.total })
    }

    /// Adds a piece that has room and is not the last one.
    fn add(&mut self, chunk: ContentHash, share: PieceInfo, payload: bytes::Bytes) -> PieceStatus {
        let begun = self.groups.get_mut(&chunk).expect("the group was found before room was made, and is spared");
        if self.single.remove(&begun.number).is_some() {
            self.single_bytes -= begun.bytes;
        }
        self.bytes += begun.add(share, payload);
        PieceStatus::Incomplete { have: begun.have(), total: begun.group.total }
    }

    /// Joins a group whose last piece this is.
    fn complete(
        &mut self,
        chunk: ContentHash,
        share: PieceInfo,
        payload: bytes::Bytes,
    ) -> Result<PieceStatus, PieceError> {
        let begun = self.remove(chunk).expect("the group was found before it was completed");
        let PendingEnvelope { envelope, kind, group, mut pieces, .. } = begun;
        pieces.insert(share.index, (share, payload));
        let id = envelope.id.clone();
        let whole = joined(&group, pieces.into_values().collect())
            .and_then(|payload| filled(envelope, kind, payload))
            .map_err(|source| PieceError::Integrity { id: id.clone(), source })?;
        self.remember(chunk, id);
        Ok(PieceStatus::Complete(Box::new(whole)))
    }

    /// Makes room for that many bytes, and for a group if a new one begins; never evicts the spared group.
    fn make_room(
        &mut self,
        id: &EnvelopeId,
        bytes: usize,
        begins: bool,
        spared: Option<ContentHash>,
    ) -> Result<(), PieceError> {
        let spared = spared.and_then(|chunk| self.groups.get(&chunk)).map(|begun| (begun.number, begun.bytes));
        let spared = spared.filter(|(number, _)| self.single.contains_key(number));
        // Nothing is evicted for a piece that would not fit anyway.
        let (kept, kept_bytes) = spared.map_or((0, 0), |(_, bytes)| (1, bytes));
        let can_go = self.single.len() - kept;
        let can_go_bytes = self.single_bytes - kept_bytes;
        let hopeless = self.bytes - can_go_bytes + bytes > self.caps.bytes
            || begins && self.groups.len() - can_go >= self.caps.groups;
        if hopeless {
            let (groups, bytes) = (self.groups.len(), self.bytes);
            return Err(PieceError::Full { id: id.clone(), groups, bytes });
        }
        while self.bytes + bytes > self.caps.bytes || begins && self.groups.len() >= self.caps.groups {
            let spared = spared.map(|(number, _)| number);
            let oldest = self.single.iter().find(|(number, _)| Some(**number) != spared);
            let oldest = *oldest.expect("what the single groups take is enough, as was seen above").1;
            self.remove(oldest);
            self.gave_way += 1;
        }
        Ok(())
    }

    fn remove(&mut self, chunk: ContentHash) -> Option<PendingEnvelope> {
        let begun = *self.groups.remove(&chunk)?;
        self.order.remove(&begun.number);
        self.bytes -= begun.bytes;
        if self.single.remove(&begun.number).is_some() {
            self.single_bytes -= begun.bytes;
        }
        Some(begun)
    }

    /// Remembers a completed group, up to the maximum number.
    fn remember(&mut self, chunk: ContentHash, id: EnvelopeId) {
        let most = self.caps.groups.saturating_mul(REMEMBERED).min(self.caps.bytes / 8 / COMPLETED_OVERHEAD);
        while self.completed_order.len() >= most {
            let Some(oldest) = self.completed_order.pop_front() else { return };
            self.completed.remove(&oldest);
            self.bytes -= COMPLETED_OVERHEAD;
        }
        self.completed_order.push_back(chunk);
        self.completed.insert(chunk, id);
        self.bytes += COMPLETED_OVERHEAD;
    }
}
