//! The request format that a server accepts.
//!
//! Servers that call themselves compatible accept different requests: with or without an answer schema, with one name or another for the answer
//! limit, with or without a temperature. Once a server refuses a part, later requests leave it out or express it differently. A refusal comes at once
//! and contains no answer, so it costs nothing.

/// How a request asks for the answer's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseFormat {
    /// As a strict JSON schema beside the messages.
    JsonSchema,
    /// As a JSON object, with the schema in the system message.
    JsonObject,
    /// By instructions in the text only.
    Text,
}

/// The request parameter for the answer limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimitParameter {
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
    /// Not sent.
    None,
}

/// The format of requests to one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How a request asks for the answer's format.
    pub format: ResponseFormat,
    /// The parameter for the answer limit.
    pub limit: OutputLimitParameter,
    /// Whether the temperature is sent.
    pub temperature: bool,
    /// Whether the service tier is sent, if there is one.
    pub service_tier: bool,
    /// Whether the reasoning effort is sent, if there is one.
    pub reasoning_effort: bool,
}

/// A part of a request that a server may refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFeature {
    /// The answer format.
    AnswerFormat,
    /// The parameter for the answer limit.
    AnswerLimit,
    /// The temperature.
    Temperature,
    /// The service tier.
    ServiceTier,
    /// The reasoning effort.
    ReasoningEffort,
}

impl Dialect {
    /// Returns the next dialect to try without the refused feature; none when there is none left.
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
            RequestFeature::ServiceTier if self.service_tier => Self { service_tier: false, ..self },
            RequestFeature::ReasoningEffort if self.reasoning_effort => Self { reasoning_effort: false, ..self },
            RequestFeature::Temperature | RequestFeature::ServiceTier | RequestFeature::ReasoningEffort => return None,
        })
    }

    /// Describes the changes from another dialect; none when there are none.
    pub fn changes_from(self, first: Self) -> Option<String> {
        let mut changes = Vec::new();
        if self.format != first.format {
            changes.push(match self.format {
                ResponseFormat::JsonObject => "no JSON schema (json_object, schema in the system message)",
                ResponseFormat::Text => "neither a JSON schema nor json_object (schema in the system message)",
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
        if self.service_tier != first.service_tier {
            changes.push("no such service tier");
        }
        if self.reasoning_effort != first.reasoning_effort {
            changes.push("no such reasoning effort");
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
            service_tier: true,
            reasoning_effort: true,
        };
        let object = first.without(RequestFeature::AnswerFormat).unwrap();
        let text = object.without(RequestFeature::AnswerFormat).unwrap();
        assert_eq!((object.format, text.format), (ResponseFormat::JsonObject, ResponseFormat::Text));
        assert_eq!(text.without(RequestFeature::AnswerFormat), None);
        let other = first.without(RequestFeature::AnswerLimit).unwrap();
        assert_eq!(other.limit, OutputLimitParameter::MaxCompletionTokens);
        assert_eq!(other.without(RequestFeature::AnswerLimit).unwrap().limit, OutputLimitParameter::None);
        assert_eq!(first.without(RequestFeature::Temperature).unwrap().without(RequestFeature::Temperature), None);
        for (feature, note) in [
            (RequestFeature::ServiceTier, "the server takes no such service tier"),
            (RequestFeature::ReasoningEffort, "the server takes no such reasoning effort"),
        ] {
            let without = first.without(feature).unwrap();
            assert_eq!((without.without(feature), without.changes_from(first).as_deref()), (None, Some(note)));
        }
        assert_eq!(first.changes_from(first), None);
        let said = text.without(RequestFeature::Temperature).unwrap().changes_from(first).unwrap();
        assert!(said.contains("neither") && said.contains("no temperature"), "{said}");
    }
}
