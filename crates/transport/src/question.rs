//! The messages between a sender and the worker that serves a target, over any broker.
//!
//! A question is in the headers of an envelope, so it counts toward the size of every part of an input and goes with each. The input is the payload.

use crate::protocol::reply_envelope;
use crate::random::random_word;
use crate::subjects::TargetName;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use war_rig_envelope::{Envelope, EnvelopeHeaders, EnvelopeId, HeaderError, Payload, TraceContext};
use war_rig_text::escaped;

/// The type of a message with a question about its payload.
pub const QUESTION: &str = "question";

/// The type of a message that checks whether anybody serves the target, and by what name.
pub const PING: &str = "ping";

/// The most bytes of an input: half of what a server keeps of incomplete envelopes.
pub const MAX_INPUT_SIZE: u64 = 128 << 20;

const PROMPT_HEADER: &str = "X-Prompt";
const INPUT_HEADER: &str = "X-Input";

/// A question about an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question, in the user's words.
    pub prompt: String,
    /// The input's name.
    pub input: String,
}

/// The error for a message without a question: this header is missing or invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the message has no `{0}` that can be read")]
pub struct InvalidQuestion(pub &'static str);

/// The reply of a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetReply {
    /// The answer, under the agent's schema; null if there is none.
    pub answer: Value,
    /// Why there is no answer.
    pub problem: Option<String>,
    /// What the user should know about the answer.
    pub notes: Vec<String>,
    /// Where the answer violates the schema.
    pub flaws: Vec<Flaw>,
}

/// A place where an answer violates the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flaw {
    /// A JSON pointer into the answer.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl Question {
    /// Creates the envelope that asks a target about a payload.
    ///
    /// # Errors
    /// [`HeaderError::TooLarge`] for a prompt that is too long to travel with every part.
    pub fn to_envelope(&self, target: &TargetName, payload: Payload) -> Result<Envelope, HeaderError> {
        let headers = EnvelopeHeaders::new()
            .with(PROMPT_HEADER, in_a_line(&self.prompt))?
            .with(INPUT_HEADER, in_a_line(&self.input))?;
        let mut envelope = message(target, QUESTION, payload);
        envelope.headers = headers;
        Ok(envelope)
    }

    /// Parses the question in an envelope.
    ///
    /// # Errors
    /// [`InvalidQuestion`] if it contains none.
    pub fn from_envelope(envelope: &Envelope) -> Result<Self, InvalidQuestion> {
        let header = |name: &'static str| {
            let value = envelope.headers.get(name).and_then(|line| serde_json::from_str(line).ok());
            value.filter(|text: &String| !text.trim().is_empty()).ok_or(InvalidQuestion(name))
        };
        Ok(Self { prompt: header(PROMPT_HEADER)?, input: header(INPUT_HEADER)? })
    }
}

impl TargetReply {
    /// Creates a reply without an answer, with the reason.
    pub fn without_answer(problem: impl Into<String>) -> Self {
        Self { problem: Some(problem.into()), ..Self::default() }
    }

    /// Creates the envelope that answers a message.
    pub fn to_envelope(&self, request: &Envelope) -> Envelope {
        let payload = Payload::from_value(self).expect("values and texts have a JSON");
        reply_envelope(request, payload)
    }
}

/// Creates a message that checks whether anybody serves a target.
pub fn ping(target: &TargetName) -> Envelope {
    message(target, PING, Payload::from_value(&Value::Null).expect("null has a JSON"))
}

/// Creates a message to a target, with its own trace. Its ids are decimal digits, because any three of them make as many tokens as any other three:
/// so a message is always cut in the same way, although every message has its own id.
fn message(target: &TargetName, message_type: &str, payload: Payload) -> Envelope {
    let id = EnvelopeId::new(digits(32)).expect("digits are an id");
    let trace = TraceContext::parse(&format!("00-{}-{}-01", digits(32), digits(16)));
    let trace = trace.expect("digits are hexadecimal, and not all of them are 0");
    Envelope::new(id, "war-rig send", target.as_str(), message_type, payload, trace)
}

/// Returns random decimal digits, the first of which is not 0.
fn digits(count: usize) -> String {
    let digit = |index: usize| {
        let least = u64::from(index == 0);
        char::from(b'0' + (least + random_word() % (10 - least)) as u8)
    };
    (0..count).map(digit).collect()
}

/// Returns a text as a JSON string without characters that a header cannot contain.
fn in_a_line(text: &str) -> String {
    let json = serde_json::to_string(text).expect("a text has a JSON");
    escaped(&json, char::is_control).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_envelope::{TargetModel, TokenBudget, envelope_budget};
    use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};

    fn asked(prompt: &str, payload: Payload) -> Envelope {
        let question = Question { prompt: prompt.to_owned(), input: "a.txt".to_owned() };
        question.to_envelope(&TargetName::new("t").unwrap(), payload).unwrap()
    }

    #[test]
    fn a_question_comes_through_as_it_was_asked() {
        for prompt in ["What?", " two\nlines\r\n", "\"é\u{85}\u{7f}\u{0}\\ ", "日本"] {
            let envelope = asked(prompt, Payload::text("x").unwrap());
            assert_eq!(Question::from_envelope(&envelope).unwrap().prompt, prompt);
        }
        let too_long = Question { prompt: "x".repeat(9000), input: "a".to_owned() };
        let too_long = too_long.to_envelope(&TargetName::new("t").unwrap(), Payload::text("x").unwrap());
        assert!(matches!(too_long, Err(HeaderError::TooLarge { .. })));
        let pinged = ping(&TargetName::new("t").unwrap());
        assert!(matches!(Question::from_envelope(&pinged), Err(InvalidQuestion("X-Prompt"))));
    }

    #[test]
    fn ids_differ_and_weigh_the_same() {
        let one = || asked("x", Payload::text("x").unwrap());
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let model = TargetModel::new("openai", "gpt-4o", counter, TokenCount::new(128_000), 1.0).unwrap();
        let headers = |envelope: &Envelope| envelope_budget(envelope, &model, &TokenBudget::default()).unwrap().headers;
        let first = one();
        for _ in 0..50 {
            let other = one();
            assert_ne!(first.id, other.id);
            assert_ne!(first.trace, other.trace);
            assert_eq!(headers(&first), headers(&other));
        }
    }

    #[test]
    fn a_reply_has_one_form() {
        let reply = TargetReply {
            flaws: vec![Flaw { path: "/a".into(), message: "is gone".into() }],
            ..TargetReply::without_answer("no")
        };
        let envelope = reply.to_envelope(&asked("x", Payload::text("x").unwrap()));
        assert_eq!(envelope.payload.value::<TargetReply>().unwrap(), reply);
        assert_eq!((envelope.source.as_str(), envelope.destination.as_str()), ("t", "war-rig send"));
        assert!(Payload::json(r#"{"answer": 1}"#).unwrap().value::<TargetReply>().is_err());
    }
}
