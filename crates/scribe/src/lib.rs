//! Renders prompts and writes partial templates.
//!
//! A [`Scribe`] is handed a counted prompt and the parser's facts about the same lines, and writes what it knows as a
//! partial template whose citations are rows of the prompt's block. The static Scribe needs no model: it puts the facts into
//! sentences. The model Scribe asks, and reads what comes with care.

mod facts;
mod model_scribe;
mod non_cobol;
mod overview;
mod phrases;
mod prompt;
mod scribe;
mod static_scribe;

pub use facts::{ChunkFacts, FileFacts};
pub use model_scribe::ModelScribe;
pub use non_cobol::describe_non_cobol;
pub use overview::{ListedSource, Overview};
pub use prompt::{PromptContextPrices, PromptRenderer};
pub use scribe::{Scribe, ScribeError, ScribeOutput, ScribeResponse};
pub use static_scribe::StaticScribe;
