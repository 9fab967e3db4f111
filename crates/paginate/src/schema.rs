//! The schema of an answer.

use crate::agent::Agent;
use crate::outcome::Violation;
use serde_json::Value;

/// What an answer looks like.
#[derive(Debug, Clone)]
pub struct AnswerSchema {}

/// An answer made to fit.
pub(crate) struct Salvaged {
    pub(crate) value: Value,
    pub(crate) dropped: Vec<String>,
}

impl AnswerSchema {
    /// That of an agent.
    pub fn of(_agent: &Agent) -> Self {
        todo!()
    }

    pub(crate) fn sent(&self) -> String {
        todo!()
    }

    pub(crate) fn fields(&self) -> Vec<String> {
        todo!()
    }

    pub(crate) fn salvage(&self, _value: Value) -> Salvaged {
        todo!()
    }

    pub(crate) fn violations(&self, _value: &Value) -> Vec<Violation> {
        todo!()
    }
}
