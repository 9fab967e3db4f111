//! How a server wants to be asked.
//!
//! Servers that call themselves compatible differ in what they take: a schema for the answer or none, one name for the answer's limit or
//! another, a temperature or none. What a server refuses is left out or said otherwise from then on. A refusal comes at once and is no
//! answer, so nothing is paid for it.

/// How the form of an answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseFormat {
    /// By a strict JSON schema beside the messages.
    JsonSchema,
    /// As a JSON object, with the schema in the system message.
    JsonObject,
    /// In words alone.
    Text,
}

/// The name under which the answer's limit is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimitParameter {
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
    /// It is not sent.
    None,
}

/// The wording of requests to one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How the form of the answer is asked for.
    pub format: ResponseFormat,
    /// How its limit is named.
    pub limit: OutputLimitParameter,
    /// Whether the temperature is sent.
    pub temperature: bool,
}

/// A part of a request that a server may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFeature {
    /// The form of the answer.
    AnswerFormat,
    /// The name of its limit.
    AnswerLimit,
    /// The temperature.
    Temperature,
}

impl Dialect {
    /// The next wording to try without what was refused; none when there is none left.
    pub(crate) fn without(self, feature: RequestFeature) -> Option<Self> {
        Some(match feature {
            RequestFeature::AnswerFormat => {
                let format = match self.format {
                    ResponseFormat::JsonSchema => ResponseFormat::JsonObject,
                    ResponseFormat::JsonObject => ResponseFormat::Text,
                    ResponseFormat::Text => return None,
                };
                Self { format, ..self }
            }
            RequestFeature::AnswerLimit => {
                let limit = match self.limit {
                    OutputLimitParameter::MaxTokens => OutputLimitParameter::MaxCompletionTokens,
                    OutputLimitParameter::MaxCompletionTokens => OutputLimitParameter::None,
                    OutputLimitParameter::None => return None,
                };
                Self { limit, ..self }
            }
            RequestFeature::Temperature if self.temperature => Self { temperature: false, ..self },
            RequestFeature::Temperature => return None,
        })
    }

    /// What was changed from another wording, in words; none when nothing was.
    pub fn changes_from(self, first: Self) -> Option<String> {
        let mut changes = Vec::new();
        if self.format != first.format {
            changes.push(match self.format {
                ResponseFormat::JsonObject => "no JSON schema (json_object, schema in the system message)",
                ResponseFormat::Text => {
                    "neither a JSON schema nor json_object (schema in the system message)"
                }
                ResponseFormat::JsonSchema => "a JSON schema",
            });
        }
        if self.limit != first.limit {
            changes.push(match self.limit {
                OutputLimitParameter::MaxCompletionTokens => "max_completion_tokens instead of max_tokens",
                OutputLimitParameter::MaxTokens => "max_tokens instead of max_completion_tokens",
                OutputLimitParameter::None => "no limit for answers",
            });
        }
        if self.temperature != first.temperature {
            changes.push("no temperature");
        }
        (!changes.is_empty()).then(|| format!("the server takes {}", changes.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_worded_otherwise_until_nothing_is_left() {
        let first = Dialect {
            format: ResponseFormat::JsonSchema,
            limit: OutputLimitParameter::MaxTokens,
            temperature: true,
        };
        let object = first.without(RequestFeature::AnswerFormat).unwrap();
        let text = object.without(RequestFeature::AnswerFormat).unwrap();
        assert_eq!((object.format, text.format), (ResponseFormat::JsonObject, ResponseFormat::Text));
        assert_eq!(text.without(RequestFeature::AnswerFormat), None);
        let other = first.without(RequestFeature::AnswerLimit).unwrap();
        assert_eq!(other.limit, OutputLimitParameter::MaxCompletionTokens);
        assert_eq!(other.without(RequestFeature::AnswerLimit).unwrap().limit, OutputLimitParameter::None);
        assert_eq!(
            first.without(RequestFeature::Temperature).unwrap().without(RequestFeature::Temperature),
            None
        );
        assert_eq!(first.changes_from(first), None);
        let said = text.without(RequestFeature::Temperature).unwrap().changes_from(first).unwrap();
        assert!(said.contains("neither") && said.contains("no temperature"), "{said}");
    }
}
