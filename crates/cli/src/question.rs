//! Converts the payload of a question into an extraction input, and the outcome into a reply. `transport` defines the messages.

use std::io::Cursor;
use war_rig_envelope::{Envelope, PartPosition, PayloadKind};
use war_rig_paginate::{ExternalPart, ExtractionOutcome, Input, InputError, InputKind, Violation};
use war_rig_transport::question::{Flaw, InvalidQuestion, Question, TargetReply};

/// A message whose payload cannot be processed.
#[derive(Debug, thiserror::Error)]
pub enum QuestionInputError {
    /// It contains no question.
    #[error(transparent)]
    Question(#[from] InvalidQuestion),
    /// The part does not contain the overlap that it declares.
    #[error("the part does not begin with what it says that the part before ends with")]
    Overlap,
    /// The payload cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Converts an envelope's payload into an input, and returns which part of a larger input it is. The kind of a whole input is detected as without a
/// broker: by its name, otherwise by its first bytes. A part of a text is always text, because only the first part contains a table's header row.
///
/// # Errors
/// [`QuestionInputError`] for a payload that cannot be processed.
pub fn question_input(
    question: &Question,
    envelope: &Envelope,
) -> Result<(Input, Option<ExternalPart>), QuestionInputError> {
    let payload = &envelope.payload;
    let Some(part) = &envelope.part else {
        let kind = (payload.kind() == PayloadKind::Json).then_some(InputKind::Json);
        return Ok((input(question, payload.as_bytes().clone(), kind)?, None));
    };
    let text = payload.as_str().ok_or(QuestionInputError::Overlap)?;
    let (overlap, _) = text.split_at_checked(part.overlap()).ok_or(QuestionInputError::Overlap)?;
    let given = given(part, overlap);
    let kind = match payload.kind() {
        PayloadKind::Json => InputKind::Json,
        PayloadKind::Text | PayloadKind::Bytes => InputKind::Text,
    };
    let input = input(question, payload.as_bytes().slice(overlap.len()..), Some(kind))?;
    Ok((input.with_external_part(given.clone()), Some(given)))
}

fn input(
    question: &Question,
    bytes: impl AsRef<[u8]> + Send + 'static,
    kind: Option<InputKind>,
) -> Result<Input, InputError> {
    Input::from_reader(&question.input, Cursor::new(bytes), kind, None)
}

fn given(part: &PartPosition, overlap: &str) -> ExternalPart {
    ExternalPart { number: part.number().into(), total: part.total().into(), overlap: overlap.to_owned() }
}

/// Converts an outcome into a reply; `notes` are added to it.
pub fn to_reply(outcome: &ExtractionOutcome, notes: Vec<String>) -> TargetReply {
    let flaws = outcome
        .violations
        .iter()
        .map(|violation| Flaw { path: violation.path.clone(), message: violation.message.clone() });
    TargetReply { answer: outcome.answer.clone(), problem: None, notes, flaws: flaws.collect() }
}

/// Converts a flaw of an answer into the extraction's violation type.
pub fn to_violation(flaw: Flaw) -> Violation {
    Violation { path: flaw.path, message: flaw.message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_envelope::{
        Chunking, EnvelopeRoute, EnvelopeTarget, Overlap, Payload, TargetModel, TokenBudget, route,
    };
    use war_rig_estimator::{TokenCount, TokenCounter, TokenizerEncoding};
    use war_rig_paginate::InputUnit;
    use war_rig_transport::TargetName;

    #[test]
    fn parts_own_the_input_and_tell_what_they_repeat() {
        let text: String = (1..400).map(|number| format!("line {number} of the input\n")).collect();
        let max_chunk_size = TokenCount::new(1000);
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let target = EnvelopeTarget {
            name: "t".to_owned(),
            model: Some(TargetModel::new("openai", "gpt-4o", counter, TokenCount::new(128_000), 1.0).unwrap()),
            token_budget: TokenBudget {
                max_chunk_size,
                chunk_overlap: Overlap::new(0.2).unwrap(),
                ..TokenBudget::default()
            },
            chunking: Chunking::default(),
        };
        let envelope = {
            let question = Question { prompt: "What?".to_owned(), input: "a.txt".to_owned() };
            let payload = Payload::text(text.clone()).unwrap();
            question.to_envelope(&TargetName::new("t").unwrap(), payload).unwrap()
        };
        let EnvelopeRoute::Parts(parts) = route(&envelope, &target).unwrap() else { panic!("it is over the budget") };
        let mut joined = String::new();
        for (number, part) in (1..).zip(&parts) {
            let question = Question::from_envelope(&part.envelope).unwrap();
            let (input, given) = question_input(&question, &part.envelope).unwrap();
            let given = given.unwrap();
            assert_eq!((given.number, given.total), (number, parts.len() as u64));
            assert!(joined.ends_with(&given.overlap) && (number == 1) == given.overlap.is_empty());
            for unit in input.units() {
                match unit.unwrap() {
                    InputUnit::Text(more) => joined.push_str(&more),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!(joined, text);
    }
}
