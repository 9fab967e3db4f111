//! Prompts with one block of rows, of which as many are shown as the budget holds.

use std::sync::Arc;
use war_rig_estimator::{TokenCount, TokenCounter};
use war_rig_llm::{BudgetedPrompt, PromptKind, UserMessage};
use war_rig_text::ContentHash;

/// The number of hexadecimal digits in the block's word.
const WORD_DIGITS: usize = 12;

/// Builds the prompts of one kind.
#[derive(Debug)]
pub(super) struct BlockPrompts {
    kind: Arc<PromptKind>,
    /// What the block is called in its head.
    head: &'static str,
    pub(super) counter: TokenCounter,
    limit: TokenCount,
}

impl BlockPrompts {
    /// Prompts of this kind, with at most so many tokens.
    pub(super) fn new(kind: PromptKind, head: &'static str, counter: &TokenCounter, limit: TokenCount) -> Self {
        Self { kind: Arc::new(kind), head, counter: counter.clone(), limit }
    }

    /// Returns a prompt with the rows that `choose` finds for so many tokens, and what else it found; none if the budget holds no row.
    pub(super) fn with_rows<T>(
        &self,
        file: &str,
        about: &str,
        choose: impl Fn(TokenCount) -> Option<(String, T)>,
    ) -> Option<(BudgetedPrompt, T)> {
        let frame = self.counter.count(&self.block("", &"0".repeat(WORD_DIGITS)));
        // A server without schemas takes the schema in the system message, which costs a few tokens more.
        let fixed = BudgetedPrompt::new(&self.kind, UserMessage::default(), &self.counter, self.limit).ok()?;
        let fixed = fixed.tokens().max(fixed.tokens_with_schema());
        let mut room = self.limit.checked_sub(fixed + frame)?;
        // Rows are counted one by one, which is no less than their count in a whole message. If it were, the next try has less room.
        while room > TokenCount::ZERO {
            let (rows, found) = choose(room)?;
            let text = self.block(&rows, &ContentHash::of(rows.as_bytes()).short(WORD_DIGITS));
            let user = UserMessage {
                file: file.to_owned(),
                about: about.to_owned(),
                source: 0..text.len(),
                text,
                ..UserMessage::default()
            };
            let prompt = BudgetedPrompt::new(&self.kind, user, &self.counter, self.limit).ok();
            if let Some(prompt) = prompt.filter(|prompt| prompt.tokens_with_schema() <= self.limit) {
                return Some((prompt, found));
            }
            room = TokenCount::new(room.get() * 9 / 10);
        }
        None
    }

    /// Puts rows between a head and an end with a word that is derived from them, so that no row can imitate the end.
    fn block(&self, rows: &str, word: &str) -> String {
        format!("<<<{} {word}>>>\n{rows}<<<END {word}>>>\n", self.head)
    }
}
