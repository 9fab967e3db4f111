//! Prompts that are counted before they can be sent.
//!
//! A prompt exists only as [`BudgetedPrompt`], and one can only be had by counting the text that would be sent. So nothing in
//! the workspace can hand a provider more than the budget: there is no other type to hand it.
//!
//! ```
//! use war_rig_estimator::{Encoding, TokenCount, TokenCounter};
//! use war_rig_llm::{BudgetedPrompt, CountedText};
//!
//! let counter = TokenCounter::new(Encoding::O200kBase);
//! let system = CountedText::new("You document COBOL.", &counter);
//! let schema = CountedText::new("{}", &counter);
//! let limit = TokenCount::new(12);
//! assert!(BudgetedPrompt::new(&system, &schema, "MOVE A TO B.".into(), &counter, limit).is_ok());
//! assert!(BudgetedPrompt::new(&system, &schema, "MOVE A TO B. ".repeat(9), &counter, limit).is_err());
//! ```

mod prompt;

pub use prompt::{BudgetedPrompt, CountedText, OverBudget};
