//! A provider that is none: an HTTP server that reads the prompt contract, counts by itself, plays a Scribe, and fails when told.
//!
//! It knows the contract and nothing of the code under test: its own reader of blocks, its own tokens, its own eye for COBOL. So
//! what it sees and what War Rig says of the same call can disagree.

mod batches;
mod block_reader;
mod block_words;
mod connections;
mod contract;
mod errors;
mod extract;
pub(crate) mod listed_rows;
mod log;
mod options;
mod perfect_scribe;
mod reply;
mod script;
mod server;
#[cfg(test)]
mod tests;
mod tokenizer;

pub use batches::{BatchFault, BatchScript, SeenBatch};
pub(crate) use block_reader::BlockItem;
pub use extract::{PlantedItem, planted};
pub(crate) use listed_rows::ListedRow;
pub use log::{AnswerItemKind, CallPurpose, FakeCall, FakeLog, Nonce};
pub use options::{Extraction, FakeOptions, Latency};
pub use perfect_scribe::{
    INVENTED_COPYBOOK, INVENTED_PARAGRAPH, INVENTED_PROGRAM, MAIN_LINE, MEMBER_SERVES, MEMBERS_TOGETHER, OVERVIEW,
    PARAGRAPH_IN_ONE,
};
pub use script::{CallFault, FalseClaim, FaultScript, OverflowStyle, Refusal, ScriptedCall, Window};
pub use server::FakeProvider;
pub use tokenizer::{Tokenizer, dumped};
