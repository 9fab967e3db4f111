//! Which way an envelope goes to its target.
//!
//! What is only too large for a message is cut into pieces, and joined again before anybody handles it. What is over the token budget of a model would be so again when it
//! is joined: it is divided into parts, each an envelope of its own within the budget, which are handled one by one and whose answers are merged.

mod pack;
mod parts;

use crate::budget::{
    Chunking, EnvelopeBudget, EnvelopeBudgetError, TargetModel, TokenBudget, envelope_budget,
};
use crate::split::{SplitError, SplitOptions, split};
use crate::{Envelope, PayloadKind};
use war_rig_estimator::TokenCount;

/// Somebody whom envelopes are for.
#[derive(Debug, Clone)]
pub struct EnvelopeTarget {
    /// What it is called.
    pub name: String,
    /// The model that it is; none for what is no model, and takes any number of tokens.
    pub model: Option<TargetModel>,
    /// What the model may be sent at once.
    pub token_budget: TokenBudget,
    /// How large messages travel.
    pub chunking: Chunking,
}

/// Which way an envelope goes.
#[derive(Debug, Clone, PartialEq)]
pub enum EnvelopeRoute {
    /// As it is.
    Single,
    /// In pieces, which are joined before it is handled. Who carries them cuts it, to what its messages may hold: there are at least so many.
    Pieces(usize),
    /// As these envelopes, one by one in their order, whose answers are merged. Each is within the token budget. One that is too large for a message is cut into
    /// pieces like any other envelope when it is sent.
    Parts(Vec<EnvelopePart>),
}

/// A part of an envelope that is over its target's token budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopePart {
    /// The envelope that it travels as; [`Envelope::part`] says which part it is.
    pub envelope: Envelope,
    /// What it weighs, counted as it is sent.
    pub budget: EnvelopeBudget,
}

/// An envelope that has no way to its target.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the message for `{target}` cannot be sent: {kind}")]
pub struct RouteError {
    /// The target.
    pub target: String,
    /// Why.
    pub kind: RouteErrorKind,
}

/// Why an envelope has no way to its target.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RouteErrorKind {
    /// It cannot be weighed.
    #[error("{0}")]
    Budget(EnvelopeBudgetError),
    /// It cannot be cut into pieces.
    #[error("{0}")]
    Split(SplitError),
    /// It is too large for a message, and the target takes no pieces.
    #[error("its payload has {bytes} bytes, a message may have {limit}, and chunking is off")]
    TooLarge {
        /// The bytes of its payload.
        bytes: usize,
        /// What a message may have.
        limit: usize,
    },
    /// An element of its JSON alone is over the token budget.
    #[error("the element `{element}` has {tokens} tokens, and a part has room for {limit}")]
    ElementTooLarge {
        /// A JSON pointer to it.
        element: String,
        /// What it takes, with the brackets around it.
        tokens: TokenCount,
        /// What a part has room for beside its headers.
        limit: TokenCount,
    },
    /// A single character is over what is left of the token budget beside headers.
    #[error("a character has {tokens} tokens, and a part has room for {limit}")]
    CharacterTooLarge {
        /// What it takes.
        tokens: TokenCount,
        /// What a part has room for beside its headers.
        limit: TokenCount,
    },
    /// It is over the token budget, and has no elements that could be told apart.
    #[error("a payload of {} with {tokens} tokens is no JSON array or object, and the limit is {limit}", kind.as_str())]
    NoContainer {
        /// What it is.
        kind: PayloadKind,
        /// What it takes.
        tokens: TokenCount,
        /// What the model may be sent at once.
        limit: TokenCount,
    },
}

/// Finds the way of an envelope to a target.
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
/// [`RouteError`] for what cannot be weighed although the target is a model, what is too large and may not be cut, and elements that are over the budget alone. Nothing
/// is ever sent uncounted or over the budget instead.
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
