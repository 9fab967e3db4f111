//! What the items of all these documents refer to, and by whom they are used.

use serde::{Deserialize, Serialize};

/// A reference of an item: a program, a procedure, a copybook, a job.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mention {
    /// Its kind, in words: `program`, `CICS file`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The source that defines it; `None` if no source of the estate does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Details of the reference: how it is used, by which step, under which file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An operand with its value, from a card, a definition or a symbol.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedValue {
    /// Its keyword.
    pub name: String,
    /// Its value as written; empty for a keyword alone, or a symbol without a default.
    pub value: String,
}

/// The users of a thing, and the number of users without a name here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Users {
    /// The named users, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Mention>,
    /// The number of other users.
    pub more: u64,
}

impl Users {
    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.more == 0
    }
}
