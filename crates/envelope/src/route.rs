//! The route of an envelope to its target.
//!
//! An envelope that is too large for a message is split into pieces, and joined before it is handled. One over a model's token budget is divided into
//! parts, each an envelope within the budget. Parts are handled one by one, and their answers are merged.

mod pack;
mod parts;

use crate::budget::{Chunking, EnvelopeBudget, EnvelopeBudgetError, TargetModel, TokenBudget, envelope_budget};
use crate::split::{SplitError, SplitOptions, split};
use crate::{Envelope, PayloadKind};
use war_rig_estimator::TokenCount;

/// A receiver of envelopes.
#[derive(Debug, Clone)]
pub struct EnvelopeTarget {
    /// The name of the target.
    pub name: String,
    /// The model; none for a target that is not a model, which accepts any number of tokens.
    pub model: Option<TargetModel>,
    /// The token limits of the model.
    pub token_budget: TokenBudget,
    /// How large messages are split.
    pub chunking: Chunking,
}

/// The route of an envelope.
#[derive(Debug, Clone, PartialEq)]
pub enum EnvelopeRoute {
    /// Sent as it is.
    Single,
    /// Sent in pieces, which are joined before they are handled. This is a minimum: the transport splits to the size of its messages.
    Pieces(usize),
    /// Sent as these envelopes, one by one in order, whose answers are merged. Each is within the token budget. A part that is too large for a
    /// message is split into pieces like any other envelope.
    Parts(Vec<EnvelopePart>),
}

/// A part of an envelope that exceeds its target's token budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopePart {
    /// The envelope of the part; [`Envelope::part`] returns its position.
    pub envelope: Envelope,
    /// Its token budget, counted as it is sent.
    pub budget: EnvelopeBudget,
}

/// An error for an envelope that cannot be routed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the message for `{target}` cannot be sent: {kind}")]
pub struct RouteError {
    /// The target.
    pub target: String,
    /// The reason.
    pub kind: RouteErrorKind,
}

/// Why an envelope cannot be routed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RouteErrorKind {
    /// The envelope cannot be counted.
    #[error("{0}")]
    Budget(EnvelopeBudgetError),
    /// The envelope cannot be split into pieces.
    #[error("{0}")]
    Split(SplitError),
    /// The envelope is too large for a message, and splitting is off for the target.
    #[error("its payload has {bytes} bytes, a message may have {limit}, and chunking is off")]
    TooLarge {
        /// The bytes of its payload.
        bytes: usize,
        /// The maximum bytes of a message.
        limit: usize,
    },
    /// A single JSON element exceeds the token budget.
    #[error("the element `{element}` has {tokens} tokens, and a part has room for {limit}")]
    ElementTooLarge {
        /// A JSON pointer to the element.
        element: String,
        /// Its tokens, with the brackets around it.
        tokens: TokenCount,
        /// The room that a part has beside its headers.
        limit: TokenCount,
    },
    /// A single character exceeds the token budget beside headers.
    #[error("a character has {tokens} tokens, and a part has room for {limit}")]
    CharacterTooLarge {
        /// Its tokens.
        tokens: TokenCount,
        /// The room that a part has beside its headers.
        limit: TokenCount,
    },
    /// The payload exceeds the token budget, and has no elements to divide it at.
    #[error("a payload of {} with {tokens} tokens is no JSON array or object, and the limit is {limit}", kind.as_str())]
    NoContainer {
        /// The kind of the payload.
        kind: PayloadKind,
        /// Its tokens.
        tokens: TokenCount,
        /// The maximum tokens of a message for the model.
        limit: TokenCount,
    },
}

/// Finds the route of an envelope to a target.
///
/// ```
/// use war_rig_envelope::{
///     Chunking, Envelope, EnvelopeId, Payload, EnvelopeRoute, EnvelopeTarget, TargetModel, TokenBudget, TraceContext, route,
/// };
/// use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let payload = Payload::text("           MOVE WS-TOTAL TO OUT-TOTAL.\n".repeat(300))?;
/// let trace = TraceContext::new([1; 16], [2; 8])?;
/// let envelope = Envelope::new(EnvelopeId::new("e1")?, "a", "scribe", "source", payload, trace);
/// let max_chunk_size = TokenCount::new(1000);
/// let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
/// let mut scribe = EnvelopeTarget {
///     name: "scribe".to_owned(),
///     model: Some(TargetModel::new("openai", "gpt-4o", counter, TokenCount::new(128_000), 1.0)?),
///     token_budget: TokenBudget { max_chunk_size, ..TokenBudget::default() },
///     chunking: Chunking::default(),
/// };
/// let EnvelopeRoute::Parts(parts) = route(&envelope, &scribe)? else { unreachable!() };
/// assert!(parts.len() > 1 && parts.iter().all(|part| part.budget.total <= max_chunk_size));
/// // What is no model has no window.
/// scribe.model = None;
/// assert_eq!(route(&envelope, &scribe)?, EnvelopeRoute::Single);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`RouteError`] for an envelope that cannot be counted although the target is a model, that is too large and may not be split, or has a single
/// element over the budget. Nothing is ever sent uncounted or over the budget instead.
pub fn route(envelope: &Envelope, target: &EnvelopeTarget) -> Result<EnvelopeRoute, RouteError> {
    let refused = |kind| RouteError { target: target.name.clone(), kind };
    if let Some(model) = target.model.as_ref().filter(|_| target.token_budget.enabled) {
        let budget = envelope_budget(envelope, model, &target.token_budget);
        let budget = budget.map_err(|error| refused(RouteErrorKind::Budget(error)))?;
        if budget.needs_splitting {
            return parts::parts(envelope, model, target, &budget).map(EnvelopeRoute::Parts).map_err(refused);
        }
    }
    let (bytes, limit) = (envelope.payload.len(), target.chunking.max_payload_size);
    if bytes <= limit {
        return Ok(EnvelopeRoute::Single);
    }
    if !target.chunking.enabled {
        return Err(refused(RouteErrorKind::TooLarge { bytes, limit }));
    }
    let options = SplitOptions { max_payload: limit, ..SplitOptions::default() };
    split(envelope, target.chunking.strategy, &options)
        .map(|pieces| EnvelopeRoute::Pieces(pieces.len()))
        .map_err(|error| refused(RouteErrorKind::Split(error)))
}
