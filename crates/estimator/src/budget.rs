//! The budget of a prompt and its allocation.

use crate::TokenCount;
use serde::Serialize;

/// The minimum source tokens of a chunk. Below that, a line with its context is not informative enough.
pub const MIN_SOURCE_TOKENS: TokenCount = TokenCount::new(500);

/// The minimum tokens of an answer: its frame and a few items.
pub const MIN_ANSWER_TOKENS: TokenCount = TokenCount::new(1000);

/// The budget that the shares below refer to.
const STATED_FOR: u64 = 15_000;
const HINTS: u64 = 500;
const COPYBOOKS: u64 = 2000;
const BUFFER: u64 = 500;
/// The tokens of two context blocks with a few short rows.
const LEAST: u64 = 80;
/// The source tokens that these shares refer to.
const SOURCE: u64 = 8000;

/// The parts of a prompt that are the same in every call, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FixedParts {
    /// The system message.
    pub system: TokenCount,
    /// The answer's JSON schema.
    pub schema: TokenCount,
    /// The instructions at the head of the user message.
    pub instructions: TokenCount,
}

impl FixedParts {
    /// Returns the sum of all fixed parts.
    pub fn total(self) -> TokenCount {
        self.system + self.schema + self.instructions
    }
}

/// The maximum tokens of context that a chunk does not own. One share may use what the other leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ContextShares {
    /// The parser's hints: the program, the constructs that a chunk begins inside, and what is elsewhere.
    pub hints: TokenCount,
    /// Data declarations, those of copybooks first.
    pub copybooks: TokenCount,
}

impl ContextShares {
    /// Returns the shares beside that many source tokens, in the reference proportion: 500 and 2000 beside 8000.
    pub fn for_source(source: TokenCount) -> Self {
        let part = |share: u64| TokenCount::new(share * source.get() / SOURCE);
        Self { hints: part(HINTS), copybooks: part(COPYBOOKS) }
    }

    /// Returns the sum of both shares.
    pub fn total(self) -> TokenCount {
        self.hints + self.copybooks
    }

    /// Returns the room for the minimum context of a chunk: its program and the constructs that it begins inside. In small budgets that exceeds the
    /// share for hints.
    pub fn minimum_context(self) -> TokenCount {
        TokenCount::new((self.hints.get() * 2 / 5).max(LEAST).min(self.total().get()))
    }
}

/// The allocation of one prompt's budget, in tokens.
///
/// For a budget of 15,000 the shares are: hints 500, copybook context 2000, buffer 500; they scale with the budget. The fixed parts do not scale.
/// Source gets the rest, and whatever a share does not use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BudgetAllocation {
    /// The fixed parts.
    pub fixed: FixedParts,
    /// The maximum for the parser's hints.
    pub hints: TokenCount,
    /// The maximum for data declarations, those of copybooks first.
    pub copybooks: TokenCount,
    /// Reserved for what a server adds around messages.
    pub buffer: TokenCount,
    /// The rest for source if every other share is used in full.
    pub source: TokenCount,
}

impl BudgetAllocation {
    /// Returns the shares for context.
    pub fn context(&self) -> ContextShares {
        ContextShares { hints: self.hints, copybooks: self.copybooks }
    }
}

/// The maximum tokens of a prompt and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptBudget {
    max_prompt: TokenCount,
    max_completion: TokenCount,
    allocation: BudgetAllocation,
}

/// A budget that is too small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PromptBudgetError {
    /// The fixed parts and the minimum source do not fit into the prompt.
    #[error("a prompt budget of `{asked}` tokens is below the minimum of {minimum}")]
    Prompt {
        /// The requested budget.
        asked: TokenCount,
        /// The smallest valid budget.
        minimum: TokenCount,
    },
    /// The answer limit is too small.
    #[error("an answer limit of `{asked}` tokens is below the minimum of {minimum}")]
    Answer {
        /// The requested limit.
        asked: TokenCount,
        /// The smallest valid limit.
        minimum: TokenCount,
    },
}

impl PromptBudget {
    /// Allocates a budget.
    ///
    /// # Errors
    /// [`PromptBudgetError`] if fixed parts, shares and [`MIN_SOURCE_TOKENS`] do not fit, or the answer limit is below [`MIN_ANSWER_TOKENS`]; it
    /// contains the smallest valid number.
    pub fn new(
        max_prompt: TokenCount,
        max_completion: TokenCount,
        fixed: FixedParts,
    ) -> Result<Self, PromptBudgetError> {
        let scaled = |share: u64| TokenCount::new(share * max_prompt.get() / STATED_FOR);
        let (hints, copybooks, buffer) = (scaled(HINTS), scaled(COPYBOOKS), scaled(BUFFER));
        let left = max_prompt
            .checked_sub(fixed.total() + hints + copybooks + buffer)
            .filter(|source| *source >= MIN_SOURCE_TOKENS);
        let Some(source) = left else {
            return Err(PromptBudgetError::Prompt { asked: max_prompt, minimum: minimum(fixed) });
        };
        if max_completion < MIN_ANSWER_TOKENS {
            return Err(PromptBudgetError::Answer { asked: max_completion, minimum: MIN_ANSWER_TOKENS });
        }
        Ok(Self {
            max_prompt,
            max_completion,
            allocation: BudgetAllocation { fixed, hints, copybooks, buffer, source },
        })
    }

    /// Returns the maximum tokens of a prompt.
    pub fn max_prompt(&self) -> TokenCount {
        self.max_prompt
    }

    /// Returns the maximum tokens of an answer.
    pub fn max_completion(&self) -> TokenCount {
        self.max_completion
    }

    /// Returns the allocation.
    pub fn allocation(&self) -> BudgetAllocation {
        self.allocation
    }

    /// Returns the room for source rows beside the fixed parts, the buffer and the given tokens of context: unused context leaves its tokens to the
    /// source.
    pub fn source_share(&self, carried: TokenCount) -> TokenCount {
        let taken = self.allocation.fixed.total() + self.allocation.buffer + carried;
        self.max_prompt.checked_sub(taken).unwrap_or(TokenCount::ZERO)
    }
}

/// Returns the smallest budget whose shares leave [`MIN_SOURCE_TOKENS`].
fn minimum(fixed: FixedParts) -> TokenCount {
    let shares = HINTS + COPYBOOKS + BUFFER;
    let needed = fixed.total().get() + MIN_SOURCE_TOKENS.get();
    // The shares take a fifth of any budget, rounded down one by one, so the quotient is at most three too high.
    let above = needed * STATED_FOR / (STATED_FOR - shares) + 3;
    let fits = |budget: u64| {
        let scaled: u64 = [HINTS, COPYBOOKS, BUFFER].iter().map(|share| share * budget / STATED_FOR).sum();
        budget >= needed + scaled
    };
    let lowest = (above.saturating_sub(8)..=above).find(|budget| fits(*budget)).unwrap_or(above);
    TokenCount::new(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(total: u64) -> FixedParts {
        FixedParts {
            system: TokenCount::new(total - 1500),
            schema: TokenCount::new(1000),
            instructions: TokenCount::new(500),
        }
    }

    #[test]
    fn fifteen_thousand_leaves_more_than_the_stated_source_and_six_thousand_works() {
        let completion = TokenCount::new(16_000);
        let budget = PromptBudget::new(TokenCount::new(15_000), completion, fixed(2500)).unwrap();
        assert_eq!(budget.allocation().source, TokenCount::new(9500));
        assert_eq!(budget.source_share(TokenCount::new(100)), TokenCount::new(11_900));
        assert!(PromptBudget::new(TokenCount::new(6000), completion, fixed(2500)).is_ok());
    }

    #[test]
    fn context_has_its_stated_shares_and_always_room_for_the_least() {
        let shares = PromptBudget::new(TokenCount::new(15_000), MIN_ANSWER_TOKENS, fixed(2000)).unwrap();
        let shares = shares.allocation().context();
        assert_eq!(shares, ContextShares::for_source(TokenCount::new(8000)));
        assert_eq!((shares.total(), shares.minimum_context()), (TokenCount::new(2500), TokenCount::new(200)));
        let small = ContextShares::for_source(TokenCount::new(500));
        assert_eq!((small.total(), small.minimum_context()), (TokenCount::new(156), TokenCount::new(80)));
        assert_eq!(ContextShares::for_source(TokenCount::ZERO).minimum_context(), TokenCount::ZERO);
    }

    #[test]
    fn the_minimum_it_names_is_the_smallest_budget_that_works() {
        let answer = MIN_ANSWER_TOKENS;
        for total in [1600, 2000, 2499, 2500] {
            let refused = PromptBudget::new(TokenCount::new(1), answer, fixed(total)).unwrap_err();
            let PromptBudgetError::Prompt { minimum, .. } = refused else { panic!("{refused}") };
            assert!(PromptBudget::new(minimum, answer, fixed(total)).is_ok());
            let below = TokenCount::new(minimum.get() - 1);
            let refused = PromptBudget::new(below, answer, fixed(total)).unwrap_err();
            assert_eq!(refused, PromptBudgetError::Prompt { asked: below, minimum });
        }
    }

    #[test]
    fn an_answer_limit_that_holds_no_answer_is_refused() {
        let refused = PromptBudget::new(TokenCount::new(15_000), TokenCount::new(999), fixed(2500)).unwrap_err();
        assert_eq!(refused.to_string(), "an answer limit of `999` tokens is below the minimum of 1000");
    }
}
