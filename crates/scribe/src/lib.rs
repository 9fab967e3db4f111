//! Renders prompts and writes partial templates.
//!
//! A [`Scribe`] is handed a counted prompt and the parser's facts about the same lines, and writes what it knows as a
//! partial template whose citations are rows of the prompt's block. The static Scribe needs no model: it puts the facts into
//! sentences. The model Scribe asks, and reads what comes with care.

mod facts;
mod model_scribe;
mod overview;
mod phrases;
mod prompt;
mod scribe;
mod static_scribe;
mod surroundings;

pub use facts::{ChunkFacts, FileFacts};
pub use model_scribe::ModelScribe;
pub use overview::{Listed, Overview};
pub use prompt::{FramePrices, PromptFrame};
pub use scribe::{Call, Scribe, ScribeError, Written};
pub use static_scribe::StaticScribe;
pub use surroundings::describe;
