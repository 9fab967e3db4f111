//! Messages between agents: what they are, what they may weigh, and how large ones travel in pieces.
//!
//! This crate is pure: it is handed envelopes, pieces, ids and the time, and gives back envelopes, pieces or an error. What carries them is somebody else's.
//!
//! ```
//! use std::time::Duration;
//! use war_rig_envelope::{
//!     Caps, Collector, Envelope, EnvelopeId, Headers, Payload, SplitOptions, Strategy, Taken, TraceContext, split,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let lines = "000100     MOVE WS-TOTAL TO OUT-TOTAL.\n".repeat(100);
//! let trace = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?;
//! let id = EnvelopeId::new("job-17")?;
//! let mut envelope = Envelope::new(id, "coordinator", "worker-1", "job", Payload::text(lines)?, trace);
//! envelope.headers = Headers::new().with("X-Program", "PAYROLL")?;
//!
//! // What a message may hold is less: it goes in pieces.
//! let options = SplitOptions { max_payload: 1000, ..SplitOptions::default() };
//! let pieces = split(&envelope, Strategy::Auto, &options)?;
//! assert_eq!(pieces.len(), 4);
//! assert!(pieces.iter().all(|piece| piece.payload.len() <= 1000));
//!
//! // They come as they like, some of them twice; what comes out is what went in.
//! let mut collector = Collector::new(Caps::default());
//! let mut whole = None;
//! for piece in pieces.iter().rev().chain(&pieces) {
//!     if let Taken::Whole(joined) = collector.take(piece.clone(), Duration::ZERO)? {
//!         assert_eq!(whole.replace(*joined), None);
//!     }
//! }
//! assert_eq!(whole, Some(envelope));
//! # Ok(())
//! # }
//! ```

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
    BudgetError, Chunking, EnvelopeBudget, MAX_PAYLOAD_SIZE, TargetModel, TokenBudget, budget_of,
};
pub use collector::{Caps, Collector, Expired, Refused, Taken};
pub use envelope::{Envelope, LONGEST_NAME, PartOf};
pub use fraction::{FractionError, Overlap, SafetyMargin};
pub use headers::{HeaderError, Headers, MOST_HEADER_BYTES, MOST_HEADERS};
pub use id::{EnvelopeId, InvalidId};
pub use join::{JoinError, WrongWhole, join};
pub use payload::{Payload, PayloadError, PayloadKind};
pub use route::{Part, RouteError, RouteErrorKind, Routed, Target, route};
pub use split::{MINIMUM_PIECE, SplitError, SplitOptions, Strategy, split};
pub use trace::{TraceContext, TraceError};
pub use wire::{InvalidName, MOST_PIECES, Piece, WireError};
