//! The agents that come with the program.

/// An agent that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its file, in TOML: see [`Agent::from_toml`](crate::Agent::from_toml).
    pub text: &'static str,
}

const ALL: [BuiltIn; 3] = [
    BuiltIn { name: "action-items", text: include_str!("../../../../agents/action-items.toml") },
    BuiltIn { name: "operations-facts", text: include_str!("../../../../agents/operations-facts.toml") },
    BuiltIn { name: "release-notes", text: include_str!("../../../../agents/release-notes.toml") },
];

/// The agents that come with the program, by name.
pub fn built_in() -> &'static [BuiltIn] {
    &ALL
}

#[cfg(test)]
mod tests;
