//! The route of a message, and its size.

use crate::args::OutputFormat;
use crate::exit::ExitStatus;
use crate::failure::CommandError;
use crate::printer::{Printer, counted, sanitize_line};
use serde::Serialize;
use std::fmt::Write;
use war_rig_envelope::{
    Envelope, EnvelopeBudget, EnvelopeRoute, EnvelopeTarget, RouteError, RouteErrorKind, SplitOptions, envelope_budget,
    split,
};
use war_rig_estimator::TokenCount;
use war_rig_transport::question::Question;

/// The planned route of a message.
#[derive(Debug, Serialize)]
pub(super) struct SendPlan {
    target: String,
    /// `json`, `text` or `bytes`.
    kind: &'static str,
    payload_bytes: usize,
    /// The tokens of the whole message; `None` for a target without a model.
    tokens: Option<EnvelopeBudget>,
    /// `whole`, `pieces` that are joined before reading, or `parts` that are read one by one.
    way: &'static str,
    /// The minimum number of broker messages: a smaller limit of the broker or large headers require more.
    messages: usize,
    /// The parts in order; empty when the message is read whole.
    parts: Vec<PlannedMessage>,
}

/// A planned part.
#[derive(Debug, Serialize)]
struct PlannedMessage {
    number: u32,
    total: u32,
    payload_bytes: usize,
    /// Bytes at its beginning that repeat the part before.
    overlap_bytes: usize,
    payload_tokens: TokenCount,
    header_tokens: TokenCount,
    total_tokens: TokenCount,
    /// The minimum, as in the plan.
    messages: usize,
}

impl SendPlan {
    /// Plans a message. Anything that cannot be sent is an error now.
    ///
    /// # Errors
    /// [`RouteError`] for a part that cannot be cut into messages, and for content whose tokens cannot be counted.
    pub(super) fn of(envelope: &Envelope, target: &EnvelopeTarget, routed: &EnvelopeRoute) -> Result<Self, RouteError> {
        let refused = |kind| RouteError { target: target.name.clone(), kind };
        let options = SplitOptions { max_payload: target.chunking.max_payload_size, ..SplitOptions::default() };
        let messages = |envelope: &Envelope| {
            let bytes = envelope.payload.len();
            if bytes > options.max_payload && !target.chunking.enabled {
                return Err(refused(RouteErrorKind::TooLarge { bytes, limit: options.max_payload }));
            }
            let pieces = split(envelope, target.chunking.strategy, &options);
            pieces.map(|pieces| pieces.len()).map_err(|error| refused(RouteErrorKind::Split(error)))
        };
        let model = target.model.as_ref().filter(|_| target.token_budget.enabled);
        let tokens = model.map(|model| envelope_budget(envelope, model, &target.token_budget)).transpose();
        let tokens = tokens.map_err(|error| refused(RouteErrorKind::Budget(error)))?;
        let (way, parts) = match routed {
            EnvelopeRoute::Single => ("whole", Vec::new()),
            EnvelopeRoute::Pieces(_) => ("pieces", Vec::new()),
            EnvelopeRoute::Parts(parts) => {
                let part = |part: &war_rig_envelope::EnvelopePart| {
                    let of = part.envelope.part.as_ref();
                    Ok(PlannedMessage {
                        number: of.map_or(1, |of| of.number()),
                        total: of.map_or(1, |of| of.total()),
                        payload_bytes: part.envelope.payload.len(),
                        overlap_bytes: of.map_or(0, |of| of.overlap()),
                        payload_tokens: part.budget.payload,
                        header_tokens: part.budget.headers,
                        total_tokens: part.budget.total,
                        messages: messages(&part.envelope)?,
                    })
                };
                ("parts", parts.iter().map(part).collect::<Result<_, _>>()?)
            }
        };
        let messages = match routed {
            EnvelopeRoute::Single => 1,
            EnvelopeRoute::Pieces(pieces) => *pieces,
            EnvelopeRoute::Parts(_) => parts.iter().map(|part: &PlannedMessage| part.messages).sum(),
        };
        let payload = &envelope.payload;
        Ok(Self {
            target: target.name.clone(),
            kind: payload.kind().as_str(),
            payload_bytes: payload.len(),
            tokens,
            way,
            messages,
            parts,
        })
    }

    /// Prints the plan.
    pub(super) fn print(
        &self,
        format: OutputFormat,
        question: &Question,
        printer: &Printer,
    ) -> Result<ExitStatus, CommandError> {
        match format {
            OutputFormat::Text => printer.data(&self.text(question))?,
            OutputFormat::Json => printer.json(self)?,
        }
        Ok(ExitStatus::Ok)
    }

    fn text(&self, question: &Question) -> String {
        let mut text = String::new();
        let mut row = |name: &str, value: String| {
            writeln!(text, "{name:8}  {}", sanitize_line(&value)).expect("a string takes every write");
        };
        row("target", self.target.clone());
        row("input", format!("{}: {} bytes of {}", question.input, self.payload_bytes, self.kind));
        match &self.tokens {
            None => row("tokens", "not counted: the target is no model, or its token budget is off".to_owned()),
            Some(budget) => {
                row("model", format!("{} of {}", budget.model, budget.provider));
                row(
                    "tokens",
                    format!(
                        "{} of the payload, {} of headers, {} in all; {} at once",
                        budget.payload, budget.headers, budget.total, budget.limit
                    ),
                );
                row(
                    "split",
                    match budget.needs_splitting {
                        true => format!("needed; {} parts suggested", budget.suggested_chunks),
                        false => "not needed".to_owned(),
                    },
                );
            }
        }
        let goes = match self.way {
            "parts" => format!("in {} parts, {}", self.parts.len(), at_least(self.messages)),
            _ => format!("whole, in {}", at_least(self.messages)),
        };
        row("goes", goes);
        for part in &self.parts {
            row(
                "part",
                format!(
                    "{} of {}: {} tokens ({} and {} of headers), {} bytes, {} of them again, {}",
                    part.number,
                    part.total,
                    part.total_tokens,
                    part.payload_tokens,
                    part.header_tokens,
                    part.payload_bytes,
                    part.overlap_bytes,
                    at_least(part.messages)
                ),
            );
        }
        text
    }
}

/// Formats a minimum number of messages.
fn at_least(messages: usize) -> String {
    format!("at least {}", counted(messages, "message"))
}
