//! What one source means: what the parser found in it, and all that follows from that.
//!
//! Nothing of it ever changes. Each part is found once, when it is first asked for, whoever asks.

use crate::access::{CicsResponses, DliOperation, Resource, dli_operations, resources};
use crate::control_flow::ControlFlowGraph;
use crate::decisions::{DecisionIndex, Decisions};
use crate::def_use::{DefUse, ParagraphDefUse};
use crate::model::ParsedCobol;
use crate::status_check::StatusChecks;
use std::sync::OnceLock;

/// The meaning of one source.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    parsed: ParsedCobol,
    flow: OnceLock<ControlFlowGraph>,
    effects: OnceLock<DefUse>,
    touched: OnceLock<Vec<ParagraphDefUse>>,
    outcomes: OnceLock<StatusChecks>,
    decisions: OnceLock<DecisionIndex>,
    dli_operations: OnceLock<Vec<DliOperation>>,
    resources: OnceLock<Vec<Resource>>,
    responses: OnceLock<CicsResponses>,
}

impl Analysis {
    /// The meaning of what was parsed.
    pub fn of(parsed: ParsedCobol) -> Self {
        Self { parsed, ..Self::default() }
    }

    /// What the parser found.
    pub fn parsed(&self) -> &ParsedCobol {
        &self.parsed
    }

    /// Where control goes.
    pub fn control_flow(&self) -> &ControlFlowGraph {
        self.flow.get_or_init(|| ControlFlowGraph::of(&self.parsed))
    }

    /// Which data items statements and conditions read and set.
    pub fn def_use(&self) -> &DefUse {
        self.effects.get_or_init(|| DefUse::of(&self.parsed))
    }

    /// The same for each paragraph, by its own statements.
    pub fn paragraph_def_use(&self) -> &[ParagraphDefUse] {
        self.touched.get_or_init(|| self.def_use().by_paragraph(&self.parsed))
    }

    /// What branches say of how operations ended.
    pub fn status_checks(&self) -> &StatusChecks {
        self.outcomes.get_or_init(|| StatusChecks::of(&self.parsed, self.control_flow(), self.decisions()))
    }

    /// What is decided.
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions::new(
            &self.parsed,
            self.decisions.get_or_init(|| DecisionIndex::of(&self.parsed, self.def_use())),
        )
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
    pub fn responses(&self) -> &CicsResponses {
        self.responses.get_or_init(|| CicsResponses::of(self))
    }
}
