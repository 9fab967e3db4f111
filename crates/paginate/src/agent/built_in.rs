//! The built-in agents.

/// A built-in agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInAgent {
    /// Its name.
    pub name: &'static str,
    /// Its file, in TOML: see [`Agent::from_toml`](crate::Agent::from_toml).
    pub text: &'static str,
}

const ALL: [BuiltInAgent; 3] = [
    BuiltInAgent { name: "action-items", text: include_str!("../../../../agents/action-items.toml") },
    BuiltInAgent { name: "operations-facts", text: include_str!("../../../../agents/operations-facts.toml") },
    BuiltInAgent { name: "release-notes", text: include_str!("../../../../agents/release-notes.toml") },
];

/// Returns the built-in agents by name.
pub fn built_in_agents() -> &'static [BuiltInAgent] {
    &ALL
}

#[cfg(test)]
mod tests;
