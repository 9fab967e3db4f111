//! The audit.

use crate::agent::Agent;
use crate::input::Content;
use crate::outcome::Audit;
use serde_json::Value;
use war_rig_chunker::Slice;

pub(crate) struct Auditor {}

impl Auditor {
    pub(crate) fn new(_agent: &Agent, _content: Content) -> Self {
        todo!()
    }

    pub(crate) fn see(&mut self, _slice: &Slice) {
        todo!()
    }

    pub(crate) fn held_against(self, _answer: &Value) -> Option<Audit> {
        todo!()
    }
}
