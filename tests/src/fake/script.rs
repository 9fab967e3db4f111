//! What goes wrong on purpose, and when.

use super::log::CallPurpose;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The words in which a server says that a prompt is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverflowStyle {
    /// 400, `code` is `context_length_exceeded`.
    OpenAi,
    /// 400, `prompt is too long` in an error of type `invalid_request_error`.
    Anthropic,
    /// 413, `request_too_large`, as Anthropic says of requests of too many bytes.
    AnthropicTooLarge,
    /// 400, `object` is `error`, at the top level.
    VllmFlat,
    /// 400, the same inside `error`.
    Vllm,
    /// 400, `exceed_context_size_error` with `n_prompt_tokens` and `n_ctx`.
    LlamaCpp,
    /// 200: the front of the prompt is dropped, and `usage.prompt_tokens` is the window.
    Silent,
}

/// A context window, in tokens of the server's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// What it holds.
    pub tokens: u64,
    /// How many tokens of its own the server counts for one that the fake counts.
    pub ratio: f64,
    /// What it says of more.
    pub overflow: OverflowStyle,
}

/// A part of a request that a server does not take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// `response_format` of type `json_schema`.
    JsonSchema,
    /// `response_format` of type `json_object`.
    JsonObject,
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `temperature`.
    Temperature,
    /// `service_tier`.
    ServiceTier,
    /// `reasoning_effort`.
    ReasoningEffort,
}

/// How a Scribe's answer is not true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FalseClaim {
    /// Every citation is so many rows too far down.
    Shifted(u32),
    /// A paragraph that the source does not have, with the citation of one that it has; with a quote copied from there or without.
    InventedParagraph {
        /// Whether it quotes the row that it cites.
        quoted: bool,
    },
    /// A CALL that the source does not have.
    InventedCall,
    /// A COPY that the source does not have.
    InventedCopy,
    /// It does what comments tell it to do: empty lists, and a purpose that repeats the comment.
    Obedient,
    /// It forgets everything.
    Forgetful,
}

/// What becomes of one call instead of a good answer.
#[derive(Debug, Clone, PartialEq)]
pub enum CallFault {
    /// 429, with this `Retry-After`.
    RateLimited(Option<String>),
    /// 429, with a `Retry-After` that is a date so many seconds from now.
    RateLimitedUntil(u64),
    /// 429, `insufficient_quota`.
    Quota,
    /// 401, `invalid_api_key`.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 404, `model_not_found`.
    UnknownModel,
    /// This status with an error in OpenAI's shape.
    Status(u16),
    /// This status with this body.
    Answer(u16, String),
    /// The connection is reset without an answer.
    Reset,
    /// The body comes in pieces with pauses.
    Drip {
        /// The bytes of a piece.
        bytes: usize,
        /// The pause before each.
        pause: Duration,
    },
    /// Half a body comes, and then nothing.
    Stall,
    /// Nothing comes at all, not even headers.
    Silence,
    /// The connection ends in the middle of the body.
    Cut,
    /// One byte of a text of the answer is no UTF-8.
    BrokenByte,
    /// A page of HTML with status 200.
    Html,
    /// A body of more than eight megabytes.
    Flood,
    /// An `error` object with status 200.
    ErrorInside,
    /// The answer ends at a third, with `finish_reason` `length`.
    Truncated,
    /// `finish_reason` is `content_filter`, without content.
    ContentFilter,
    /// `message.refusal` in place of content.
    Refused,
    /// The content is empty.
    EmptyContent,
    /// `choices` is empty.
    NoChoices,
    /// The content is JSON without its end, and `finish_reason` is `stop`.
    InvalidJson,
    /// The content is JSON in a fence of Markdown.
    Fenced,
    /// Sentences stand around the JSON.
    Prose,
    /// This JSON stands in place of the answer.
    OtherJson(&'static str),
    /// Strings stand where objects belong.
    WrongSchema,
    /// One broken item stands among the good ones of each list.
    BadItem,
    /// Fields and a `finish_reason` that nobody knows.
    UnknownFields,
    /// The prompt is too long, whatever the window.
    Overflow(OverflowStyle),
    /// The answer is no true one.
    Untrue(FalseClaim),
}

/// What a script sees of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedCall {
    /// How many calls came before it.
    pub order: usize,
    /// What it asks for.
    pub purpose: CallPurpose,
    /// The file; empty in a call for an overview.
    pub file: String,
    /// `k` and `n` of `chunk=k/n`; zeros in a call for an overview.
    pub chunk: (usize, usize),
    /// How often the same source block, or the same overview, has been asked about, this time included.
    pub attempt: usize,
    /// The rows of its source block.
    pub rows: usize,
}

type FaultRule = dyn Fn(&ScriptedCall) -> Option<CallFault> + Send + Sync;

/// Which calls go wrong.
pub struct FaultScript(Box<FaultRule>);

impl fmt::Debug for FaultScript {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Script")
    }
}

impl Default for FaultScript {
    fn default() -> Self {
        Self::when(|_| None)
    }
}

impl FaultScript {
    /// Whatever this says.
    pub fn when(rule: impl Fn(&ScriptedCall) -> Option<CallFault> + Send + Sync + 'static) -> Self {
        Self(Box::new(rule))
    }

    /// Every call.
    pub fn always(fault: CallFault) -> Self {
        Self::when(move |_| Some(fault.clone()))
    }

    /// The first so many calls.
    pub fn first(calls: usize, fault: CallFault) -> Self {
        Self::when(move |asked| (asked.order < calls).then(|| fault.clone()))
    }

    /// These calls, counted from 0 in the order in which they come.
    pub fn at(faults: impl IntoIterator<Item = (usize, CallFault)>) -> Self {
        let faults: BTreeMap<usize, CallFault> = faults.into_iter().collect();
        Self::when(move |asked| faults.get(&asked.order).cloned())
    }

    /// Every call for an overview.
    pub fn overviews(fault: CallFault) -> Self {
        Self::when(move |asked| (asked.purpose == CallPurpose::Overview).then(|| fault.clone()))
    }

    /// The first so many calls about every source block.
    pub fn each(attempts: usize, fault: CallFault) -> Self {
        Self::when(move |asked| (asked.attempt <= attempts).then(|| fault.clone()))
    }

    pub(crate) fn fault(&self, asked: &ScriptedCall) -> Option<CallFault> {
        (self.0)(asked)
    }
}
