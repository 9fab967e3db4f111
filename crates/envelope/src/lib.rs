//! Messages between agents: their format, their token budget, and how large ones are split into pieces.
//!
//! This crate is pure: it takes envelopes, pieces, ids and the time, and returns envelopes, pieces or an error. It does no transport.
//!
//! ```
//! use std::time::Duration;
//! use war_rig_envelope::{
//!     CollectorLimits, Collector, Envelope, EnvelopeId, EnvelopeHeaders, Payload, SplitOptions, SplitStrategy, PieceStatus, TraceContext, split,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let lines = "000100     MOVE WS-TOTAL TO OUT-TOTAL.\n".repeat(100);
//! let trace = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?;
//! let id = EnvelopeId::new("job-17")?;
//! let mut envelope = Envelope::new(id, "coordinator", "worker-1", "job", Payload::text(lines)?, trace);
//! envelope.headers = EnvelopeHeaders::new().with("X-Program", "PAYROLL")?;
//!
//! // The envelope exceeds the size that a message may have: it is split.
//! let options = SplitOptions { max_payload: 1000, ..SplitOptions::default() };
//! let pieces = split(&envelope, SplitStrategy::Auto, &options)?;
//! assert_eq!(pieces.len(), 4);
//! assert!(pieces.iter().all(|piece| piece.payload.len() <= 1000));
//!
//! // Pieces may arrive in any order, and more than once; the result is the envelope.
//! let mut collector = Collector::new(CollectorLimits::default());
//! let mut whole = None;
//! for piece in pieces.iter().rev().chain(&pieces) {
//!     if let PieceStatus::Complete(joined) = collector.push(piece.clone(), Duration::ZERO)? {
//!         assert_eq!(whole.replace(*joined), None);
//!     }
//! }
//! assert_eq!(whole, Some(envelope));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to begin
//!
//! - How a message reaches its target, and how its answers are merged: `route.rs`, `crates/cli/src/commands/send.rs`; the receiving side,
//!   `crates/cli/src/commands/worker/target_server.rs`; the protocol between them, `crates/transport/src/question.rs`.
//! - When a message is divided because of the target's token budget: `route.rs`.
//!
//! # What always holds
//!
//! **A message is counted before it is sent.** The sender, never the receiver, divides a message over its target's budget: a model gets the whole
//! message, or a numbered part, in one prompt or not at all. A payload that cannot be counted is an error. A part is processed as `paginate`
//! processes its own parts (`crates/paginate/src/external_part.rs`), and merged by the same rules.

mod budget;
mod collector;
mod envelope;
mod fraction;
mod headers;
mod id;
mod join;
mod payload;
mod route;
mod split;
mod trace;
mod wire;

pub use budget::{
    Chunking, EnvelopeBudget, EnvelopeBudgetError, MAX_PAYLOAD_SIZE, TargetModel, TokenBudget, envelope_budget,
};
pub use collector::{Collector, CollectorLimits, ExpiredGroup, PieceError, PieceStatus};
pub use envelope::{Envelope, MAX_NAME_LEN, PartPosition};
pub use fraction::{FractionError, Overlap, SafetyMargin};
pub use headers::{EnvelopeHeaders, HeaderError, MAX_HEADER_BYTES, MAX_HEADERS};
pub use id::{EnvelopeId, InvalidEnvelopeId};
pub use join::{IntegrityError, JoinError, join};
pub use payload::{Payload, PayloadError, PayloadKind};
pub use route::{EnvelopePart, EnvelopeRoute, EnvelopeTarget, RouteError, RouteErrorKind, route};
pub use split::{MIN_PIECE_SIZE, SplitError, SplitOptions, SplitStrategy, split};
pub use trace::{TraceContext, TraceError};
pub use wire::{InvalidName, MAX_PIECES, Piece, WireError};
