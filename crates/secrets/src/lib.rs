//! Passwords and keys that stand in a source, found so that they can be masked before anything else reads it.
//!
//! A source is looked at in two passages: its code, as the lexer has joined it, and all else that its lines show (comments, comment
//! entries, directives, lines of a debugger). One quick search for words and marks that go with secrets decides where to look closer;
//! most sources have none and cost nothing more. A secret that is missed leaves the machine, and one that is none is shown as a row of
//! X, so doubt counts for the secret; but a label, a flag or a length beside it is none.
//!
//! # Where to begin
//!
//! - What counts as a secret: `secret.rs`: the words and forms `words.tsv` and `shapes.tsv`, read by
//!   `rules.rs`; in COBOL `code.rs`, `calls.rs`, `carriers.rs` (items with another name) and `columns.rs`
//!   (tables); in any text `patterns.rs`, in sentences `prose.rs`; what is named elsewhere
//!   `known_secrets.rs`; what is done about it, `crates/pool/src/secrets.rs`.
//!
//! # What always holds
//!
//! **A secret ends at the reader.** Sources and copybooks are masked before they are parsed, so that
//! nothing behind `SecretPolicy::screen` sees what was masked. A mask keeps lines and columns.

mod calls;
mod carriers;
mod code;
mod columns;
mod headings;
mod known_secrets;
mod names;
mod passage;
mod patterns;
mod prose;
mod rules;
mod secret;

pub use known_secrets::KnownSecrets;
pub use rules::{InvalidSecretRule, SecretRules};
pub use secret::{FoundSecret, SecretKind, find_secrets, find_secrets_in_text, values_of_secrets};
