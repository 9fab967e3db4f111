//! The budgeted prompt.

use std::ops::Range;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_text::ContentHash;

/// The text between system message and schema if the schema has to go into the message.
const SPELLED: &str = "\n\nThe JSON schema of your answer, which is one JSON object and nothing else:\n";

/// A text and its token count, computed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedText {
    text: Arc<str>,
    tokens: TokenCount,
}

impl CountedText {
    /// Counts a text.
    pub fn new(text: impl Into<Arc<str>>, counter: &TokenCounter) -> Self {
        let text = text.into();
        let tokens = counter.count(&text);
        Self { text, tokens }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its token count.
    pub fn tokens(&self) -> TokenCount {
        self.tokens
    }
}

/// The parts that all prompts of one kind share: the same bytes in every call, so that a provider can cache them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptKind {
    schema_name: &'static str,
    system: CountedText,
    schema: CountedText,
    /// The system message including the schema, for servers that accept no schema.
    spelled: CountedText,
}

impl PromptKind {
    /// Counts the shared parts: the system message, and the answer's JSON schema under its name.
    pub fn new(schema_name: &'static str, system: &str, schema: &str, counter: &TokenCounter) -> Self {
        Self {
            schema_name,
            system: CountedText::new(system, counter),
            schema: CountedText::new(schema, counter),
            spelled: CountedText::new(format!("{system}{SPELLED}{schema}"), counter),
        }
    }

    /// The system message.
    pub fn system(&self) -> &CountedText {
        &self.system
    }

    /// The answer schema.
    pub fn schema(&self) -> &CountedText {
        &self.schema
    }
}

/// An uncounted user message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMessage {
    /// The whole message.
    pub text: String,
    /// The source file of the prompt; empty if it has none.
    pub file: String,
    /// A label for error messages: `cbl/X.cbl chunk 2/5`.
    pub about: String,
    /// Byte ranges that do not affect the question, and so are excluded from the answer's key: in order, not nested.
    pub volatile: Vec<Range<usize>>,
    /// The byte range of the source.
    pub source: Range<usize>,
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

/// Which recorded answers may answer a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerReuse {
    /// The position in the call log after which answers count; 0 is before all.
    pub since: u64,
    /// The hash of another context in which the same source was sent, and whose answer is acceptable.
    pub context: Option<ContentHash>,
    /// How many times the same prompt was sent before.
    pub turn: u32,
}

/// A prompt within its budget: system message, answer schema and user message, counted as they would be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetedPrompt {
    kind: Arc<PromptKind>,
    user: UserMessage,
    user_tokens: TokenCount,
    limit: TokenCount,
    recall: AnswerReuse,
}

/// The error for a prompt over budget, which is not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a prompt of {tokens} tokens is over the budget of {limit}")]
pub struct OverBudget {
    /// The tokens that the prompt would have.
    pub tokens: TokenCount,
    /// The maximum.
    pub limit: TokenCount,
}

/// A prompt as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptMessages<'a> {
    /// The system message.
    pub system: &'a str,
    /// The user message.
    pub user: &'a str,
    /// The schema and its name, if the schema goes beside the messages.
    pub schema: Option<(&'a str, &'a str)>,
}

impl BudgetedPrompt {
    /// Counts the user message, and builds the prompt if all three parts together are within `limit` tokens.
    ///
    /// # Errors
    /// [`OverBudget`] if they are not.
    pub fn new(
        kind: &Arc<PromptKind>,
        user: UserMessage,
        counter: &TokenCounter,
        limit: TokenCount,
    ) -> Result<Self, OverBudget> {
        let user_tokens = counter.count(&user.text);
        let prompt = Self { kind: Arc::clone(kind), user, user_tokens, limit, recall: AnswerReuse::default() };
        prompt.within(prompt.tokens())?;
        Ok(prompt)
    }

    /// Returns the system message, the same bytes in every call of its kind.
    pub fn system(&self) -> &str {
        self.kind.system.text()
    }

    /// Returns the answer's JSON schema, the same bytes in every call of its kind.
    pub fn schema(&self) -> &str {
        self.kind.schema.text()
    }

    /// Returns the user message.
    pub fn user(&self) -> &str {
        &self.user.text
    }

    /// Returns the label for error messages.
    pub fn about(&self) -> &str {
        &self.user.about
    }

    /// Returns the source file of the prompt; empty if it has none.
    pub fn file(&self) -> &str {
        &self.user.file
    }

    /// Returns the same prompt with the recorded answers that it may reuse.
    pub fn with_reuse(self, recall: AnswerReuse) -> Self {
        Self { recall, ..self }
    }

    /// Returns the same prompt for another attempt, because the answer was unusable.
    pub fn retry(&self) -> Self {
        let recall = AnswerReuse { turn: self.recall.turn + 1, ..self.recall };
        Self { recall, ..self.clone() }
    }

    /// Returns which recorded answers may answer it.
    pub fn reuse(&self) -> AnswerReuse {
        self.recall
    }

    /// Returns the hash of the text before the source: instructions and context.
    pub fn context_hash(&self) -> ContentHash {
        ContentHash::of(self.user_parts()[0].as_bytes())
    }

    /// Returns the user message in parts: before the source, without volatile bytes; the source; after the source.
    pub(crate) fn user_parts(&self) -> [String; 3] {
        let UserMessage { text, volatile, source, .. } = &self.user;
        let stable = |range: Range<usize>| {
            let mut stable = String::new();
            let mut from = range.start;
            for cut in volatile {
                let (start, end) = (cut.start.clamp(range.start, range.end), cut.end.clamp(range.start, range.end));
                stable.push_str(&text[from..start]);
                from = end;
            }
            stable + &text[from..range.end]
        };
        [stable(0..source.start), stable(source.clone()), stable(source.end..text.len())]
    }

    /// Returns the tokens of all parts.
    pub fn tokens(&self) -> TokenCount {
        self.kind.system.tokens() + self.kind.schema.tokens() + self.user_tokens
    }

    /// Returns the tokens with the schema in the system message.
    pub fn tokens_with_schema(&self) -> TokenCount {
        self.kind.spelled.tokens() + self.user_tokens
    }

    /// Returns the tokens of the messages without the schema.
    pub fn message_tokens(&self) -> TokenCount {
        self.kind.system.tokens() + self.user_tokens
    }

    /// Returns the prompt with a note appended to the user message, recounted: a second attempt that lists the problems of the first answer.
    ///
    /// # Errors
    /// [`OverBudget`] when the note does not fit.
    pub fn with_note(&self, note: &str, counter: &TokenCounter) -> Result<Self, OverBudget> {
        let mut user = self.user.clone();
        user.text.push_str(note);
        let recall = AnswerReuse { turn: 0, ..self.recall };
        Ok(Self::new(&self.kind, user, counter, self.limit)?.with_reuse(recall))
    }

    /// Returns the prompt with the schema beside the messages.
    pub fn messages(&self) -> PromptMessages<'_> {
        let schema = Some((self.kind.schema_name, self.schema()));
        PromptMessages { system: self.system(), user: self.user(), schema }
    }

    /// Returns the prompt with the schema in the system message, for servers that accept none beside it. That costs some tokens more, which also
    /// count against the budget.
    ///
    /// # Errors
    /// [`OverBudget`] when they do not fit.
    pub fn messages_with_schema(&self) -> Result<PromptMessages<'_>, OverBudget> {
        self.within(self.tokens_with_schema())?;
        Ok(PromptMessages { system: self.kind.spelled.text(), user: self.user(), schema: None })
    }

    fn within(&self, tokens: TokenCount) -> Result<(), OverBudget> {
        if tokens > self.limit { Err(OverBudget { tokens, limit: self.limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use war_rig_estimator::TokenizerEncoding;

    #[test]
    fn the_parts_of_a_message_leave_out_what_is_volatile() {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let kind = Arc::new(PromptKind::new("answer", "", "{}", &counter));
        let text = "Say.\n<<<chunk=1/2>>>\n1|A\n<<<END>>>\nAgain.".to_owned();
        let user = UserMessage {
            source: 5..text.find("Again").unwrap(),
            volatile: vec![1..3, 8..17],
            text,
            ..UserMessage::default()
        };
        let prompt = BudgetedPrompt::new(&kind, user, &counter, TokenCount::new(1000)).unwrap();
        assert_eq!(prompt.user_parts(), ["S.\n", "<<<>>>\n1|A\n<<<END>>>\n", "Again."]);
    }

    #[test]
    fn every_form_of_a_prompt_is_held_against_the_budget() {
        let counter = TokenCounter::new(TokenizerEncoding::O200kBase);
        let kind = Arc::new(PromptKind::new("answer", "You document COBOL.", "{}", &counter));
        let limit = |tokens: u64| TokenCount::new(tokens);
        let whole = BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, limit(1000)).unwrap();
        let tokens = whole.tokens();
        let tight = BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, tokens).unwrap();
        assert_eq!(tight.messages().schema, Some(("answer", "{}")));
        assert_eq!(tight.messages_with_schema().unwrap_err().limit, tokens);
        assert!(tight.with_note(" Again.", &counter).is_err());
        let below = limit(tokens.get() - 1);
        let refused = BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, below).unwrap_err();
        assert_eq!(refused, OverBudget { tokens, limit: below });
        assert!(whole.with_note(" Again.", &counter).unwrap().tokens() > tokens);
        let spelled = whole.messages_with_schema().unwrap();
        assert!(spelled.system.ends_with("nothing else:\n{}") && spelled.schema.is_none());
    }
}
