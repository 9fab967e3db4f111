//! What one source means: what the parser found in it, and all that follows from that.
//!
//! Nothing of it ever changes. Each part is found once, when it is first asked for, whoever asks.

use crate::access::{DliOperation, Resource, Responses, dli_operations, resources};
use crate::decisions::{Decisions, Index};
use crate::effects::{Effects, Touched};
use crate::flow::Flow;
use crate::model::Parsed;
use crate::outcome::Outcomes;
use std::sync::OnceLock;

/// The meaning of one source.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    parsed: Parsed,
    flow: OnceLock<Flow>,
    effects: OnceLock<Effects>,
    touched: OnceLock<Vec<Touched>>,
    outcomes: OnceLock<Outcomes>,
    decisions: OnceLock<Index>,
    dli_operations: OnceLock<Vec<DliOperation>>,
    resources: OnceLock<Vec<Resource>>,
    responses: OnceLock<Responses>,
}

impl Analysis {
    /// The meaning of what was parsed.
    pub fn of(parsed: Parsed) -> Self {
        Self { parsed, ..Self::default() }
    }

    /// What the parser found.
    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// Where control goes.
    pub fn flow(&self) -> &Flow {
        self.flow.get_or_init(|| Flow::of(&self.parsed))
    }

    /// Which data items statements and conditions read and set.
    pub fn effects(&self) -> &Effects {
        self.effects.get_or_init(|| Effects::of(&self.parsed))
    }

    /// The same for each paragraph, by its own statements.
    pub fn touched(&self) -> &[Touched] {
        self.touched.get_or_init(|| self.effects().of_paragraphs(&self.parsed))
    }

    /// What branches say of how operations ended.
    pub fn outcomes(&self) -> &Outcomes {
        self.outcomes.get_or_init(|| Outcomes::of(&self.parsed, self.flow(), self.decisions()))
    }

    /// What is decided.
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions::new(&self.parsed, self.decisions.get_or_init(|| Index::of(&self.parsed, self.effects())))
    }

    /// All DL/I operations: those of EXEC DLI first, each kind in the order of the text.
    pub fn dli_operations(&self) -> &[DliOperation] {
        self.dli_operations.get_or_init(|| dli_operations(&self.parsed))
    }

    /// What is read and written: files first, each in the order in which it is first used.
    pub fn resources(&self) -> &[Resource] {
        self.resources.get_or_init(|| resources(self))
    }

    /// What becomes of the conditions of CICS commands.
    pub fn responses(&self) -> &Responses {
        self.responses.get_or_init(|| Responses::of(self))
    }
}
