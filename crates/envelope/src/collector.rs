//! Pieces of many envelopes, as they come, back to envelopes.
//!
//! What holds: an envelope comes out as it was split, or it does not come out. A piece that is not what it says is refused before anything is kept of it; a whole that is
//! not what its pieces said is refused and forgotten. Duplicates are known by their index and never complete a group.
//!
//! What is kept is bounded by [`CollectorLimits`], counted with all that is kept beside payloads. Where a piece finds no room, groups of which only one piece has come make room for
//! it, the oldest first; where that is not enough the piece is refused. So a flood of forged groups neither costs a group that has come further, nor shuts the door for
//! those that begin: each begun group is safe once its second piece is there, and has until then as much time as the flood needs to fill the whole collector anew.
//!
//! What it accepts to lose: a group that gave way or timed out, which the sender has to send again. A forged piece with a valid description can take the place of a true
//! one; the true one is refused then, and the group as a whole at its end. That is an error, and no wrong payload. Where several envelopes together are larger than the caps,
//! each may wait for room that the others have, until the first of them times out: the caps have to hold as many envelopes as are sent at a time.
//!
//! An envelope that came whole in one piece is not remembered: who handles envelopes knows them by their ids.

mod pending_envelope;

use crate::join::{filled, joined, ranges};
use crate::wire::{self, MessageForm, ParsedMessage, Piece, PieceGroup, PieceInfo, WireError};
use crate::{Envelope, EnvelopeId, IntegrityError, PayloadKind};
use pending_envelope::{PIECE_OVERHEAD, PendingEnvelope};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::time::Duration;
use war_rig_text::ContentHash;

/// What a collector may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectorLimits {
    /// The most envelopes of which pieces are waiting.
    pub groups: usize,
    /// The most bytes of all that is kept: payloads, headers, tables, and what is remembered of groups that were completed.
    pub bytes: usize,
    /// How long the first piece of an envelope waits for the last one.
    pub timeout: Duration,
}

impl Default for CollectorLimits {
    /// 1,024 envelopes, 256 MB, five minutes.
    fn default() -> Self {
        Self { groups: 1024, bytes: 256 << 20, timeout: Duration::from_secs(5 * 60) }
    }
}

/// What became of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceStatus {
    /// It was the last one: the envelope as it was split. Or it was an envelope in one piece.
    Complete(Box<Envelope>),
    /// Others are missing.
    Incomplete {
        /// How many pieces have come.
        have: u32,
        /// How many there are.
        total: u32,
    },
    /// It has come before, and its group is still waiting.
    Duplicate,
    /// Its group was completed a short time ago. Whoever has answered the envelope may have to answer again: at one index, lest each piece be answered.
    AlreadyComplete {
        /// The envelope.
        id: EnvelopeId,
        /// Which piece it is, from 0.
        index: u32,
    },
}

/// A piece that was not taken. Nothing is kept of it, and nothing that was kept before is lost, but for [`PieceError::Integrity`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PieceError {
    /// It is no piece of an envelope.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Its payload, or what describes its envelope, is not what was sent.
    #[error("the {what} of envelope `{id}` are not those that its hash was made of")]
    Forged {
        /// The envelope that it says it is of.
        id: EnvelopeId,
        /// What differs.
        what: &'static str,
    },
    /// Another piece of the same index is there already.
    #[error("piece {index} of envelope `{id}` is there already, and is another one")]
    Conflict {
        /// The envelope.
        id: EnvelopeId,
        /// Which piece, from 0.
        index: u32,
    },
    /// All pieces are there, and they are not the envelope. The group was forgotten.
    #[error("envelope `{id}` cannot be joined")]
    Integrity {
        /// The envelope.
        id: EnvelopeId,
        /// Why.
        #[source]
        source: IntegrityError,
    },
    /// The envelope is larger than all that may be kept.
    #[error(
        "keeping the pieces of envelope `{id}` takes {bytes} bytes, and {limit} may be kept of all envelopes"
    )]
    TooLarge {
        /// The envelope.
        id: EnvelopeId,
        /// What keeping it takes, by what it says of itself.
        bytes: usize,
        /// What may be kept.
        limit: usize,
    },
    /// There is no room, and what is kept has come further.
    #[error("no room for a piece of envelope `{id}`: {groups} envelopes of {bytes} bytes are waiting")]
    Full {
        /// The envelope.
        id: EnvelopeId,
        /// The envelopes that are waiting.
        groups: usize,
        /// The bytes that are kept.
        bytes: usize,
    },
}

/// An envelope that was waited for in vain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("pieces {} of {total} of envelope `{id}` are missing", ranges(missing))]
pub struct ExpiredGroup {
    /// The envelope.
    pub id: EnvelopeId,
    /// The group of its pieces.
    pub group: ContentHash,
    /// The indices that are missing, from 0, in order.
    pub missing: Vec<RangeInclusive<u32>>,
    /// How many pieces there are.
    pub total: u32,
}

/// Collects pieces until their envelopes are whole.
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
#[derive(Debug)]
pub struct Collector {
    caps: CollectorLimits,
    groups: HashMap<ContentHash, Box<PendingEnvelope>>,
    /// All groups by their beginning.
    order: BTreeMap<u64, ContentHash>,
    /// Those of which one piece has come, by their beginning.
    single: BTreeMap<u64, ContentHash>,
    /// What the single ones take.
    single_bytes: usize,
    bytes: usize,
    begun: u64,
    gave_way: u64,
    completed: HashMap<ContentHash, EnvelopeId>,
    completed_order: VecDeque<ContentHash>,
}

/// What is kept of a completed group: its id twice, that of its envelope, and the tables around them.
const COMPLETED_OVERHEAD: usize = 512;

/// How many completed groups are remembered for each that may wait.
const REMEMBERED: usize = 4;

impl Collector {
    /// A collector that keeps to these caps.
    pub fn new(caps: CollectorLimits) -> Self {
        Self {
            caps,
            groups: HashMap::new(),
            order: BTreeMap::new(),
            single: BTreeMap::new(),
            single_bytes: 0,
            bytes: 0,
            begun: 0,
            gave_way: 0,
            completed: HashMap::new(),
            completed_order: VecDeque::new(),
        }
    }

    /// Takes a piece. `now` is any clock that goes on; it is looked at by [`Collector::expire`] alone.
    ///
    /// # Errors
    /// [`PieceError`] for what is no piece, is not what it says, or finds no room.
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
                let whole =
                    filled(envelope, kind, payload).map_err(|source| PieceError::Integrity { id, source })?;
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

    /// Gives up what has waited longer than the timeout, oldest first.
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

    /// Ends the collector: all that is still waiting, oldest first.
    pub fn into_expired(self) -> Vec<ExpiredGroup> {
        let Self { mut groups, order, .. } = self;
        order.values().filter_map(|chunk| groups.remove(chunk).map(|begun| begun.expired(*chunk))).collect()
    }

    /// How many envelopes are waiting.
    pub fn pending_count(&self) -> usize {
        self.groups.len()
    }

    /// The bytes of all that is kept, as they are held against [`CollectorLimits::bytes`].
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many groups have given way to others so far.
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
                // The last piece needs no room: all of them leave at once.
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

    /// Adds a piece that there is room for, and that is not the last one.
    fn add(&mut self, chunk: ContentHash, share: PieceInfo, payload: bytes::Bytes) -> PieceStatus {
        let begun =
            self.groups.get_mut(&chunk).expect("the group was found before room was made, and is spared");
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

    /// Makes room for so many bytes, and for a group where one begins; never at the cost of the group that is spared.
    fn make_room(
        &mut self,
        id: &EnvelopeId,
        bytes: usize,
        begins: bool,
        spared: Option<ContentHash>,
    ) -> Result<(), PieceError> {
        let spared =
            spared.and_then(|chunk| self.groups.get(&chunk)).map(|begun| (begun.number, begun.bytes));
        let spared = spared.filter(|(number, _)| self.single.contains_key(number));
        // Who cannot be helped costs nobody anything.
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

    /// Remembers a completed group, as long as there are not too many.
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
