//! The tokens of an envelope for a model, and their limit.

use crate::{Envelope, Overlap, PayloadKind, SafetyMargin, SplitStrategy, wire};
use serde::Serialize;
use war_rig_estimator::{ChunkSize, TokenCount, TokenCounter};

/// The default maximum bytes of a payload that is sent unsplit: what a NATS server accepts, less some room for headers.
pub const MAX_PAYLOAD_SIZE: usize = 1_000_000;

/// The token limits of a target that is a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenBudget {
    /// Whether tokens are counted.
    pub enabled: bool,
    /// The share of the model's window kept free for counting errors.
    pub safety_margin: SafetyMargin,
    /// The maximum tokens of a message, whatever the window.
    pub max_chunk_size: TokenCount,
    /// The share of a text part that repeats the end of the part before.
    pub chunk_overlap: Overlap,
}

impl Default for TokenBudget {
    /// Enabled, a margin of 0.10, 150,000 tokens, an overlap of 0.15.
    fn default() -> Self {
        Self {
            enabled: true,
            safety_margin: SafetyMargin::USUAL,
            max_chunk_size: TokenCount::new(150_000),
            chunk_overlap: Overlap::USUAL,
        }
    }
}

impl TokenBudget {
    /// Returns the maximum tokens of a message for a model with this window: the smaller of [`max_chunk_size`](TokenBudget::max_chunk_size) and the
    /// window less the margin, the usual room for the answer and the rest of the prompt ([`ChunkSize`]). Returns zero for a small window.
    pub fn limit(&self, window: TokenCount) -> TokenCount {
        let window = TokenCount::new(self.safety_margin.left_of(window.get()));
        self.max_chunk_size.min(ChunkSize::default().within(window))
    }
}

/// How large messages are sent to a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chunking {
    /// Whether they are split into pieces; otherwise they are an error.
    pub enabled: bool,
    /// How they are split.
    pub strategy: SplitStrategy,
    /// The maximum bytes of a payload that is sent unsplit.
    pub max_payload_size: usize,
}

impl Default for Chunking {
    /// Enabled, the automatic strategy, 1,000,000 bytes.
    fn default() -> Self {
        Self { enabled: true, strategy: SplitStrategy::Auto, max_payload_size: MAX_PAYLOAD_SIZE }
    }
}

/// A model that receives messages.
#[derive(Debug, Clone)]
pub struct TargetModel {
    provider: String,
    model: String,
    counter: TokenCounter,
    window: TokenCount,
    token_ratio: f64,
}

/// An error for an envelope that cannot be counted, and so is not sent.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EnvelopeBudgetError {
    /// The ratio of the model's tokens to counted tokens is out of range.
    #[error("`{0}` tokens of a model for each that is counted are not from 0.1 to 10")]
    Ratio(f64),
    /// The payload is not text, so its tokens cannot be counted.
    #[error("a payload of {} has no tokens that could be counted", kind.as_str())]
    NoText {
        /// The kind of the payload.
        kind: PayloadKind,
    },
    /// The headers leave no room for a payload.
    #[error("headers of {headers} tokens leave no room for a payload in a budget of {limit}")]
    NoRoom {
        /// The tokens of the headers.
        headers: TokenCount,
        /// The maximum tokens of a message.
        limit: TokenCount,
    },
}

impl TargetModel {
    /// Creates a model from its names, token counter, window (prompt and answer together), and the ratio of its tokens to counted ones.
    ///
    /// # Errors
    /// [`EnvelopeBudgetError::Ratio`] for a ratio that is not from 0.1 to 10.
    pub fn new(
        provider: impl Into<String>,
        model: impl Into<String>,
        counter: TokenCounter,
        window: TokenCount,
        token_ratio: f64,
    ) -> Result<Self, EnvelopeBudgetError> {
        if !(0.1..=10.0).contains(&token_ratio) {
            return Err(EnvelopeBudgetError::Ratio(token_ratio));
        }
        Ok(Self { provider: provider.into(), model: model.into(), counter, window, token_ratio })
    }

    /// Returns the model's tokens for a text, rounded up.
    pub fn tokens(&self, text: &str) -> TokenCount {
        self.of_counted(self.counted(text))
    }

    /// Returns the counted tokens of a text, which may be more or fewer than the model's.
    pub(crate) fn counted(&self, text: &str) -> u64 {
        self.counter.count(text).get()
    }

    /// Returns how many counted tokens fit into that many of the model's.
    pub(crate) fn counted_within(&self, tokens: TokenCount) -> u64 {
        (tokens.get() as f64 / self.token_ratio) as u64
    }

    /// Returns the model's tokens for that many counted tokens, rounded up.
    pub(crate) fn of_counted(&self, counted: u64) -> TokenCount {
        TokenCount::new((counted as f64 * self.token_ratio).ceil() as u64)
    }
}

/// The size of an envelope for a model, in tokens of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvelopeBudget {
    /// The model's provider.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The tokens of the payload.
    pub payload: TokenCount,
    /// The tokens of the headers, each on its own line.
    pub headers: TokenCount,
    /// The sum of both.
    pub total: TokenCount,
    /// The maximum tokens of a message for the model.
    pub limit: TokenCount,
    /// Whether the envelope exceeds the limit.
    pub needs_splitting: bool,
    /// The suggested number of parts: enough for the payload beside headers and overlap, if it could be cut anywhere.
    pub suggested_chunks: u64,
}

/// Computes the token budget of an envelope for a model.
///
/// ```
/// use war_rig_envelope::{Envelope, EnvelopeId, Payload, TargetModel, TokenBudget, TraceContext, envelope_budget};
/// use war_rig_estimator::{TokenizerEncoding, TokenCount, TokenCounter};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
/// let model = TargetModel::new("openai", "gpt-4o", counter, TokenCount::new(128_000), 1.0)?;
/// let payload = Payload::text("           MOVE WS-TOTAL TO OUT-TOTAL.\n".repeat(20_000))?;
/// let trace = TraceContext::new([1; 16], [2; 8])?;
/// let envelope = Envelope::new(EnvelopeId::new("e1")?, "a", "b", "source", payload, trace);
/// let budget = envelope_budget(&envelope, &model, &TokenBudget::default())?;
/// assert_eq!(budget.total, budget.payload + budget.headers);
/// // The window has 128,000: less the margin, the answer's share and the rest of the prompt.
/// assert_eq!(budget.limit.get(), 90_660);
/// assert!(budget.needs_splitting && budget.suggested_chunks > 1);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`EnvelopeBudgetError`] for a payload that is not text, and for headers that leave no room for a payload.
pub fn envelope_budget(
    envelope: &Envelope,
    model: &TargetModel,
    budget: &TokenBudget,
) -> Result<EnvelopeBudget, EnvelopeBudgetError> {
    let kind = envelope.payload.kind();
    let text = envelope.payload.as_str().ok_or(EnvelopeBudgetError::NoText { kind })?;
    let payload = model.tokens(text);
    let headers = header_tokens(envelope, model);
    let total = payload + headers;
    let limit = budget.limit(model.window);
    let suggested_chunks = if total > limit {
        let room = limit.checked_sub(headers).filter(|room| *room > TokenCount::ZERO);
        let room = room.ok_or(EnvelopeBudgetError::NoRoom { headers, limit })?;
        let overlaps = kind == PayloadKind::Text;
        let fresh = if overlaps { room.get() as f64 * (1.0 - budget.chunk_overlap.get()) } else { room.get() as f64 };
        payload.shares(TokenCount::new((fresh as u64).max(1))).max(2)
    } else {
        1
    };
    Ok(EnvelopeBudget {
        provider: model.provider.clone(),
        model: model.model.clone(),
        payload,
        headers,
        total,
        limit,
        needs_splitting: total > limit,
        suggested_chunks,
    })
}

/// Returns the tokens of the envelope's headers, as lines.
pub(crate) fn header_tokens(envelope: &Envelope, model: &TargetModel) -> TokenCount {
    let headers = wire::description(envelope, envelope.payload.kind());
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    model.tokens(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EnvelopeId, Payload, TraceContext};
    use war_rig_estimator::TokenizerEncoding;

    fn envelope(payload: Payload) -> Envelope {
        let trace = TraceContext::new([1; 16], [2; 8]).unwrap();
        Envelope::new(EnvelopeId::new("e1").unwrap(), "a", "b", "source", payload, trace)
    }

    fn model(window: u64, ratio: f64) -> TargetModel {
        let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
        TargetModel::new("local", "m", counter, TokenCount::new(window), ratio).unwrap()
    }

    #[test]
    fn the_limit_is_the_smaller_of_the_window_and_the_largest_chunk() {
        let budget = TokenBudget::default();
        let limit = |window| budget.limit(TokenCount::new(window)).get();
        assert_eq!(limit(1_000_000), 150_000);
        assert_eq!(limit(200_000), 142_500);
        assert_eq!(limit(1000), 0);
        let all = TokenBudget { safety_margin: SafetyMargin::new(0.0).unwrap(), ..budget };
        assert_eq!(all.limit(TokenCount::new(100_000)).get(), 78_500);
    }

    #[test]
    fn an_envelope_is_split_when_it_is_one_token_over_the_limit() {
        let budget = |most| TokenBudget { max_chunk_size: TokenCount::new(most), ..TokenBudget::default() };
        let envelope = envelope(Payload::text("a word\n".repeat(1000)).unwrap());
        let model = model(200_000, 1.0);
        let whole = envelope_budget(&envelope, &model, &budget(150_000)).unwrap();
        assert_eq!((whole.needs_splitting, whole.suggested_chunks), (false, 1));
        let total = whole.total.get();
        assert!(!envelope_budget(&envelope, &model, &budget(total)).unwrap().needs_splitting);
        let over = envelope_budget(&envelope, &model, &budget(total - 1)).unwrap();
        assert_eq!((over.needs_splitting, over.suggested_chunks), (true, 2));
        let headers = whole.headers;
        let refused = envelope_budget(&envelope, &model, &budget(headers.get())).unwrap_err();
        assert_eq!(refused, EnvelopeBudgetError::NoRoom { headers, limit: headers });
    }

    #[test]
    fn the_models_own_tokens_are_counted() {
        let envelope = envelope(Payload::text("a word\n".repeat(1000)).unwrap());
        let of = |ratio| envelope_budget(&envelope, &model(200_000, ratio), &TokenBudget::default()).unwrap().payload;
        assert_eq!(of(1.5).get() * 2, of(1.0).get() * 3);
        let counter = TokenCounter::new(TokenizerEncoding::Heuristic);
        for ratio in [0.0, -1.0, f64::NAN, 11.0] {
            assert!(TargetModel::new("p", "m", counter.clone(), TokenCount::new(1), ratio).is_err(), "{ratio}");
        }
    }

    #[test]
    fn what_cannot_be_counted_is_an_error() {
        let refused = envelope_budget(&envelope(Payload::bytes("x")), &model(200_000, 1.0), &TokenBudget::default());
        assert_eq!(refused, Err(EnvelopeBudgetError::NoText { kind: PayloadKind::Bytes }));
    }
}
