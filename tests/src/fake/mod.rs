//! A provider that is none: an HTTP server that reads the prompt contract, counts by itself, plays a Scribe, and fails when told.
//!
//! It knows the contract and nothing of the code under test: its own reader of blocks, its own tokens, its own eye for COBOL. So
//! what it sees and what War Rig says of the same call can disagree.

mod contract;
mod count;
mod errors;
mod extract;
mod log;
mod options;
mod perfect;
mod reply;
mod rows;
mod script;
mod seen;
mod server;
#[cfg(test)]
mod tests;
mod wire;

pub use count::{Tokenizer, dumped};
pub use extract::{PlantedItem, planted};
pub use log::{Call, ItemKind, Log, Nonce, Purpose};
pub use options::{Extraction, FakeOptions, Latency};
pub use perfect::{INVENTED_COPYBOOK, INVENTED_PARAGRAPH, INVENTED_PROGRAM};
pub use script::{Asked, Fault, Overflow, Refusal, Script, Untruth, Window};
pub use server::FakeProvider;
