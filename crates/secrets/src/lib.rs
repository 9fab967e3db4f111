//! Finds passwords and keys in a source, so that they can be masked before any other code reads the source.
//!
//! The search treats a source as two passages: its code, as the lexer joined it, and all other visible text (comments, comment
//! entries, directives, debugging lines). A quick search for words and marks related to secrets decides where to look closer;
//! most sources have none and cost nothing more. A missed secret leaves the machine, while a false alarm only shows a row of
//! X, so a doubtful value counts as a secret. A label, a flag or a length next to a secret does not.
//!
//! # Where to begin
//!
//! - Definition of a secret: `found_secret.rs`, with the words and forms in `words.tsv` and `shapes.tsv`, read by
//!   `rules.rs`. The search: `search.rs`. In COBOL: `code.rs`, `comparisons.rs`, `calls.rs`, `carriers.rs` (items with innocent names), `columns.rs`
//!   (tables) and `item_roles.rs` (items that are names or keys of records). In any text: `patterns.rs`; in sentences: `prose.rs`; known from other sources:
//!   `known_secrets.rs`; what is a name instead: `name_search.rs`. Masking: `crates/pool/src/secrets.rs`.
//!
//! # What always holds
//!
//! **A secret ends at the reader.** Sources and copybooks are masked before they are parsed, so that no
//! code after `Screening::screen` sees a masked secret. A mask keeps lines and columns.

mod calls;
mod carriers;
mod code;
mod columns;
mod comparisons;
mod found_secret;
mod headings;
mod item_roles;
mod known_secrets;
mod marker_search;
mod name_search;
mod names;
mod passage;
mod patterns;
mod prose;
mod rules;
mod search;

pub use found_secret::{FoundSecret, SecretKind};
pub use known_secrets::KnownSecrets;
pub use name_search::{NameSearch, NameUse, add_uses};
pub use rules::{InvalidSecretRule, SecretRules};
pub use search::{find_secrets, find_secrets_in_text, values_of_secrets};
