//! The budgeted prompt.

use std::ops::Range;
use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_text::ContentHash;

/// What parts the system message from the schema where the schema has to stand in the message.
const SPELLED: &str = "\n\nThe JSON schema of your answer, which is one JSON object and nothing else:\n";

/// A text and its tokens, counted when it was made.
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

    /// Its tokens.
    pub fn tokens(&self) -> TokenCount {
        self.tokens
    }
}

/// The parts that all prompts of one kind have in common: the same bytes in every call, so that a provider can cache them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptKind {
    schema_name: &'static str,
    system: CountedText,
    schema: CountedText,
    /// The system message with the schema in it, for servers that take no schema.
    spelled: CountedText,
}

impl PromptKind {
    /// Counts the common parts: the system message, and the JSON schema of the answer under its name.
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

    /// The schema of the answer.
    pub fn schema(&self) -> &CountedText {
        &self.schema
    }
}

/// A user message before it is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMessage {
    /// The whole message.
    pub text: String,
    /// The source file it is about; empty where it is about none.
    pub file: String,
    /// What it is about, in the words of errors: `cbl/X.cbl chunk 2/5`.
    pub about: String,
    /// The bytes that say nothing of what is asked, and so are no part of the key of its answer: ranges in order, none inside another.
    pub volatile: Vec<Range<usize>>,
    /// The bytes that show the source.
    pub source: Range<usize>,
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

/// Which of the answers on record may answer a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerReuse {
    /// The place in the journal behind which answers count; 0 is before all.
    pub since: u64,
    /// The hash of another context under which the same source was asked about, and whose answer will do.
    pub context: Option<ContentHash>,
    /// How often the very same was asked before.
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

/// A prompt that is over its budget and so does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a prompt of {tokens} tokens is over the budget of {limit}")]
pub struct OverBudget {
    /// What the prompt would have had.
    pub tokens: TokenCount,
    /// What it may have.
    pub limit: TokenCount,
}

/// How a prompt goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptMessages<'a> {
    /// The system message.
    pub system: &'a str,
    /// The user message.
    pub user: &'a str,
    /// The schema and its name, where it goes beside the messages.
    pub schema: Option<(&'a str, &'a str)>,
}

impl BudgetedPrompt {
    /// Counts the user message and makes the prompt when all three parts together are within `limit` tokens.
    ///
    /// # Errors
    /// [`OverBudget`] when they are not.
    pub fn new(
        kind: &Arc<PromptKind>,
        user: UserMessage,
        counter: &TokenCounter,
        limit: TokenCount,
    ) -> Result<Self, OverBudget> {
        let user_tokens = counter.count(&user.text);
        let prompt =
            Self { kind: Arc::clone(kind), user, user_tokens, limit, recall: AnswerReuse::default() };
        prompt.within(prompt.tokens())?;
        Ok(prompt)
    }

    /// The system message, the same bytes in every call of its kind.
    pub fn system(&self) -> &str {
        self.kind.system.text()
    }

    /// The answer's JSON schema, the same bytes in every call of its kind.
    pub fn schema(&self) -> &str {
        self.kind.schema.text()
    }

    /// The user message.
    pub fn user(&self) -> &str {
        &self.user.text
    }

    /// What the prompt is about, in the words of errors.
    pub fn about(&self) -> &str {
        &self.user.about
    }

    /// The source file it is about; empty where it is about none.
    pub fn file(&self) -> &str {
        &self.user.file
    }

    /// The same prompt, for which these answers on record will do.
    pub fn with_reuse(self, recall: AnswerReuse) -> Self {
        Self { recall, ..self }
    }

    /// The same prompt asked once more, because no use could be made of what came.
    pub fn retry(&self) -> Self {
        let recall = AnswerReuse { turn: self.recall.turn + 1, ..self.recall };
        Self { recall, ..self.clone() }
    }

    /// Which of the answers on record may answer it.
    pub fn reuse(&self) -> AnswerReuse {
        self.recall
    }

    /// The hash of what stands before the source: instructions and context.
    pub fn context_hash(&self) -> ContentHash {
        ContentHash::of(self.user_parts()[0].as_bytes())
    }

    /// The user message in its parts: before the source, without what is volatile; the source; what follows it.
    pub(crate) fn user_parts(&self) -> [String; 3] {
        let UserMessage { text, volatile, source, .. } = &self.user;
        let stable = |range: Range<usize>| {
            let mut stable = String::new();
            let mut from = range.start;
            for cut in volatile {
                let (start, end) =
                    (cut.start.clamp(range.start, range.end), cut.end.clamp(range.start, range.end));
                stable.push_str(&text[from..start]);
                from = end;
            }
            stable + &text[from..range.end]
        };
        [stable(0..source.start), stable(source.clone()), stable(source.end..text.len())]
    }

    /// The tokens of all parts.
    pub fn tokens(&self) -> TokenCount {
        self.kind.system.tokens() + self.kind.schema.tokens() + self.user_tokens
    }

    /// The tokens with the schema in the system message.
    pub fn tokens_with_schema(&self) -> TokenCount {
        self.kind.spelled.tokens() + self.user_tokens
    }

    /// The tokens of the messages, without the schema.
    pub fn message_tokens(&self) -> TokenCount {
        self.kind.system.tokens() + self.user_tokens
    }

    /// The same prompt with words added to the user message, counted again: a second try that says what was wrong with the first.
    ///
    /// # Errors
    /// [`OverBudget`] when the words do not fit.
    pub fn with_note(&self, note: &str, counter: &TokenCounter) -> Result<Self, OverBudget> {
        let mut user = self.user.clone();
        user.text.push_str(note);
        let recall = AnswerReuse { turn: 0, ..self.recall };
        Ok(Self::new(&self.kind, user, counter, self.limit)?.with_reuse(recall))
    }

    /// The prompt with the schema beside the messages.
    pub fn messages(&self) -> PromptMessages<'_> {
        let schema = Some((self.kind.schema_name, self.schema()));
        PromptMessages { system: self.system(), user: self.user(), schema }
    }

    /// The prompt with the schema in the system message, for servers that take none beside it. That costs some tokens more, which
    /// are held against the budget as well.
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
        let whole =
            BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, limit(1000)).unwrap();
        let tokens = whole.tokens();
        let tight = BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, tokens).unwrap();
        assert_eq!(tight.messages().schema, Some(("answer", "{}")));
        assert_eq!(tight.messages_with_schema().unwrap_err().limit, tokens);
        assert!(tight.with_note(" Again.", &counter).is_err());
        let below = limit(tokens.get() - 1);
        let refused =
            BudgetedPrompt::new(&kind, UserMessage::from("MOVE A TO B."), &counter, below).unwrap_err();
        assert_eq!(refused, OverBudget { tokens, limit: below });
        assert!(whole.with_note(" Again.", &counter).unwrap().tokens() > tokens);
        let spelled = whole.messages_with_schema().unwrap();
        assert!(spelled.system.ends_with("nothing else:\n{}") && spelled.schema.is_none());
    }
}
