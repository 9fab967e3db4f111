//! Passwords and keys that stand in a source, found so that they can be masked before anything else reads it.
//!
//! A source is looked at in two passages: its code, as the lexer has joined it, and all else that its lines show (comments, comment
//! entries, directives, lines of a debugger). One quick search for words and marks that go with secrets decides where to look closer;
//! most sources have none and cost nothing more. A secret that is missed leaves the machine, and one that is none is shown as a row of
//! X, so doubt counts for the secret; but a label, a flag or a length beside it is none.

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
