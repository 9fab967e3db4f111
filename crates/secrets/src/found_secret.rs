//! The definition of a secret.

use std::fmt;
use war_rig_text::{ColumnSpan, LineNumber};

/// A text that looks like a password or a key, and its place. It does not contain the secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSecret {
    /// The evidence for it.
    pub kind: SecretKind,
    /// The data item, keyword or parameter that names it.
    pub name: Option<String>,
    /// Its characters, in the order of lines; at least one span.
    pub spans: Vec<ColumnSpan>,
}

/// The evidence for a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SecretKind {
    /// It is the initial value of an item or condition whose name indicates a secret.
    Value,
    /// It is moved or strung into such an item.
    Moved,
    /// It is compared with such an item.
    Compared,
    /// A statement of SQL or CICS passes it as a password.
    Connection,
    /// It follows such a name and `=` or a colon in a text.
    Keyed,
    /// It has the form of an access key or a token.
    Key,
    /// It is between user and host in an address.
    Address,
    /// It belongs to a private key in PEM.
    PrivateKey,
    /// Another source names it as a secret.
    Repeated,
}

impl FoundSecret {
    /// Returns its first line.
    pub fn line(&self) -> LineNumber {
        self.spans.first().map_or(LineNumber::FIRST, |stretch| stretch.line)
    }
}

impl fmt::Display for FoundSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().unwrap_or("a password");
        match self.kind {
            SecretKind::Value => write!(f, "the value of {name} looks like a password"),
            SecretKind::Moved => write!(f, "what is moved to {name} looks like a password"),
            SecretKind::Compared => write!(f, "what {name} is compared with looks like a password"),
            SecretKind::Connection => write!(f, "what {name} hands over looks like a password"),
            SecretKind::Keyed => write!(f, "what follows {name} looks like a password"),
            SecretKind::Key => f.write_str("this looks like a key or a password"),
            SecretKind::Address => f.write_str("this looks like a password in an address"),
            SecretKind::PrivateKey => f.write_str("this looks like a private key"),
            SecretKind::Repeated => f.write_str("this looks like a password that another line names"),
        }
    }
}
